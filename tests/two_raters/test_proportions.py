"""Agreement on each label and within a tolerance, compared with papers and enumeration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fastkappa import agreement, agreement_from_confusion
from fastkappa.two_raters.statistics.proportions import agreement_within, specific_agreement, wilson
from tests.helpers.r_values import SQUARE

VISION = SQUARE["vision_1955"]["data"]


def test_published_tables() -> None:
    # Feinstein and Cicchetti (1990): both tables agree on 85 of 100 items, with a kappa of .32
    # and .70. The agreements are 2 a / (2 a + b + c) and 2 d / (2 d + b + c).
    assert specific_agreement([[80, 10], [5, 5]]).values == pytest.approx(
        [160 / 175, 10 / 25], rel=1e-14
    )
    assert specific_agreement([[40, 9], [6, 45]]).values == pytest.approx(
        [80 / 95, 90 / 105], rel=1e-14
    )


def test_it_is_dice_and_f1() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 4, (2, 200))
    found = agreement(first, second).specific_agreement.values
    assert found == pytest.approx(metrics.f1_score(first, second, average=None), rel=1e-14)


def test_their_weighted_mean_is_the_observed_agreement() -> None:
    result = agreement_from_confusion(VISION)
    table = np.array(VISION)
    ratings = table.sum(axis=0) + table.sum(axis=1)
    mean = (result.specific_agreement.values * ratings).sum() / ratings.sum()
    assert mean == pytest.approx(result.observed_agreement, rel=1e-14)


@pytest.mark.parametrize("label", range(4))
def test_standard_error_is_that_of_the_delta_method(label: int) -> None:
    """Test the derivative by each cell's proportion, computed with a complex step."""
    table = np.array(VISION, float)
    n, step = table.sum(), 1e-30
    slope = np.zeros((4, 4))
    for cell in np.ndindex(4, 4):
        moved = table / n + 0j
        moved[cell] += 1j * step
        value = 2 * moved[label, label] / (moved[label].sum() + moved[:, label].sum())
        slope[cell] = value.imag / step
    p = table / n
    variance = ((p * slope**2).sum() - (p * slope).sum() ** 2) / n
    found = specific_agreement(VISION).standard_errors[label]
    assert found == pytest.approx(math.sqrt(variance), rel=1e-12)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_wilson_of_statsmodels(confidence: float) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for successes, n in ((0, 10), (3, 10), (10, 10), (0, 1), (997, 1000), (10**9, 2 * 10**9)):
        low, high = proportion.proportion_confint(successes, n, 1 - confidence, "wilson")
        found = wilson(np.array(float(successes)), np.array(float(n)), confidence)
        assert found == pytest.approx((low, high), rel=1e-9, abs=1e-12)


def test_intervals_are_those_of_the_items_that_either_rater_gave_the_label() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    found = specific_agreement([[20, 5], [10, 15]], confidence=0.9)
    for both, ends in (
        (20, (found.lower[0], found.upper[0])),
        (15, (found.lower[1], found.upper[1])),
    ):
        wide = proportion.proportion_confint(both, both + 15, 0.1, "wilson")
        assert ends == pytest.approx([2 * q / (1 + q) for q in wide], rel=1e-12)


def test_intervals_cover() -> None:
    """Enumerate all tables of 30 items in which both, one or none have the label."""
    n = 30
    for rates in ((0.3, 0.1), (0.5, 0.05), (0.2, 0.2), (0.1, 0.05)):
        truth = 2 * rates[0] / (2 * rates[0] + rates[1])
        covered = drawn = 0.0
        for both in range(n + 1):
            for one in range(n + 1 - both):
                if both + one == 0:
                    continue
                ways = math.comb(n, both) * math.comb(n - both, one)
                rest = (1 - sum(rates)) ** (n - both - one)
                chance = ways * rates[0] ** both * rates[1] ** one * rest
                table = [[both, one], [0, n - both - one]]
                found = specific_agreement(table)
                drawn += chance
                covered += chance * bool(found.lower[0] <= truth <= found.upper[0])
        assert 0.94 < covered / drawn < 0.97


def test_labels_that_nobody_gave_have_no_agreement() -> None:
    found = specific_agreement([[5, 0, 1], [0, 0, 0], [0, 0, 4]])
    for values in found[1:5]:
        assert np.isnan(values).tolist() == [False, True, False]
    in_clusters = agreement([0, 0, 2, 2], [0, 2, 2, 2], labels=[0, 1, 2], clusters=[1, 1, 2, 3])
    errors = in_clusters.specific_agreement.standard_errors
    assert np.isnan(errors).tolist() == [False, True, False]
    assert specific_agreement([[3, 0], [0, 4]]).values.tolist() == [1, 1]
    assert specific_agreement([[3, 0], [0, 4]]).upper.tolist() == [1, 1]
    assert specific_agreement([[0, 3], [4, 0]]).values.tolist() == [0, 0]
    assert specific_agreement([[0, 3], [4, 0]]).lower.tolist() == [0, 0]


@pytest.mark.parametrize("tolerance", [0, 1, 1.5, 2, 3, 50])
def test_agreement_within_steps_counts_the_cells(tolerance: float) -> None:
    near = sum(
        count
        for i, row in enumerate(VISION)
        for j, count in enumerate(row)
        if abs(i - j) <= tolerance
    )
    found = agreement_within(VISION, tolerance)
    assert found.value == near / 7477
    assert found.standard_error == pytest.approx(
        math.sqrt(near / 7477 * (1 - near / 7477) / 7477), rel=1e-12
    )


def test_agreement_within_values() -> None:
    grades = np.array([1.0, 1.3, 1.7, 2.0, 4.0])
    rng = np.random.default_rng(3)
    first, second = rng.choice(grades, (2, 300))
    codes = {grade: position for position, grade in enumerate(grades.tolist())}
    result = agreement(*([codes[each] for each in column] for column in (first, second)))
    result = agreement_from_confusion(result.table, labels=grades)
    for tolerance in (0, 0.3, 0.4, 0.7, 2, 3):
        apart = [[abs(round(10 * a) - round(10 * b)) for b in grades] for a in grades]
        near = np.array(apart) <= round(10 * tolerance)
        expected = result.table[near].sum() / 300
        # 2.0 - 1.7 is a little more than 0.3.
        assert result.agreement_within(tolerance, by="values").value == expected
    assert result.agreement_within(0).value == result.observed_agreement


def test_agreement_within_of_a_result_has_its_confidence() -> None:
    wide = agreement_from_confusion(VISION, confidence=0.99).agreement_within(1).interval
    narrow = agreement_from_confusion(VISION, confidence=0.9).agreement_within(1).interval
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tolerance": -1}, "tolerance must be a non-negative number, got -1"),
        ({"tolerance": math.nan}, "tolerance must be a non-negative number, got nan"),
        ({"tolerance": "1"}, "tolerance must be a non-negative number, got '1'"),
        ({"tolerance": 1, "by": "value"}, "by must be 'steps' or 'values', got 'value'"),
        ({"tolerance": 1, "by": "values"}, "requires numeric labels, got \\['a', 'b'\\]"),
    ],
)
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    result = agreement_from_confusion([[5, 1], [2, 6]], labels=["a", "b"])
    with pytest.raises(ValueError, match=message):
        result.agreement_within(**arguments)


def test_refusals_of_tables() -> None:
    with pytest.raises(ValueError, match="requires numeric labels, got None"):
        agreement_within([[5, 1], [2, 6]], 1, by="values")
    for function in (specific_agreement, lambda table: agreement_within(table, 1)):
        with pytest.raises(ValueError, match="empty"):
            function([[0, 0], [0, 0]])
    with pytest.raises(ValueError, match="confidence"):
        specific_agreement([[5, 1], [2, 6]], confidence=1)
