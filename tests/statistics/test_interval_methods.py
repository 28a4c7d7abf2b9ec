"""The choice of interval methods in results and comparisons, and intervals of differences."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from fastkappa import (
    agreement,
    agreement_by,
    agreement_from_confusion,
    compare_independent,
    compare_paired,
    compare_predictions,
    kappa_from_confusion,
)
from fastkappa.statistics.intervals.inverted import inverted_test
from fastkappa.statistics.intervals.methods import (
    MOST_ITEMS,
    choose_method,
    intervals,
)
from fastkappa.statistics.intervals.table_constraint import TableConstraint
from fastkappa.statistics.intervals.tested import difference_ends
from tests.helpers.published import TABLES

WINNIPEG = TABLES["landis_koch_ms_winnipeg"].table
NEW_ORLEANS = TABLES["landis_koch_ms_neworleans"].table
LARGE = 10 * np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
Z = 1.959963984540054
JOINT = [[[30, 6], [2, 2]], [[3, 9], [8, 40]]]


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("method", ["score", "profile"])
def test_results_have_the_interval_that_was_asked_for(method: Any) -> None:
    y1, y2 = [1, 1, 2, 2, 3, 3, 3, 1], [1, 2, 2, 2, 3, 3, 1, 1]
    result = agreement(y1, y2, weights="linear", interval_method=method)
    low, high = inverted_test(method, result.table[None], "linear", 0.95)
    assert result.interval == close((low[0], high[0]))
    assert result.interval_method == result.to_dict()["interval_method"] == method
    assert method in str(result)
    # The same is true of the labels, each of which is a table of two labels.
    of_label = {name: interval for name, _, _, interval in result.rows()}["kappa of 2"]
    low, high = inverted_test(method, np.array([[[5, 1], [0, 2]]]), None, 0.95)
    # Roots are found to 1e-8, and differ by that for one table among others.
    assert of_label == pytest.approx((low[0], high[0]), abs=1e-8)
    grouped = agreement_by(y1, y2, groups=[0] * 8, weights="linear", interval_method=method)
    assert grouped[0].interval == grouped.pooled.interval == close(result.interval)


def test_the_default_is_the_score_interval_of_independent_items() -> None:
    assert agreement_from_confusion(WINNIPEG).interval_method == "score"
    assert agreement_from_confusion(LARGE).interval_method == "score"
    assert agreement_from_confusion([[10**9, 50], [49, 0]]).interval_method == "score"
    assert agreement_from_confusion(np.eye(128, dtype=int)).interval_method == "score"
    assert agreement_from_confusion(np.eye(129, dtype=int)).interval_method == "asymptotic"
    beyond = agreement_from_confusion([[MOST_ITEMS, 1], [0, 1]])
    assert beyond.interval_method == "asymptotic"
    student = agreement_from_confusion(WINNIPEG, distribution="t")
    assert student.interval_method == "asymptotic"


def test_disagreements_without_weight_do_not_narrow_the_interval() -> None:
    # Only the far cells weigh. By symmetry kappa = 1 - f / (2 r^2), with the far disagreements a
    # proportion f and the outer labels a proportion r, and f has Wilson's interval of none of n.
    table = [[200, 45, 0], [45, 200, 45], [0, 45, 200]]
    far = (np.abs(np.subtract.outer(range(3), range(3))) == 2) * 1
    result = agreement_from_confusion(table, weights=far)
    assert result.kappa == 1
    n, f = 780, Z**2 / (780 + Z**2)
    r = (1 - f) * 245 / n + f / 2
    assert result.interval == pytest.approx((1 - f / (2 * r * r), 1), abs=1e-4)
    assert agreement_from_confusion(table, weights=far, interval_method="asymptotic").interval == (
        close((1, 1))
    )


# Seven labels, which raters mostly confuse with neighbours: weights, and the expected numbers
# of near and far disagreements among 500 items.
STEPS = np.abs(np.subtract.outer(range(7), range(7)))
FEW_FAR = [
    ("quadratic", 200, 1.5),
    (np.where(STEPS > 1, 1.0, 0.0), 200, 4.0),
    (np.where(STEPS > 1, 1.0, 0.03 * STEPS), 120, 2.0),
]


@pytest.mark.parametrize(("weights", "near", "far"), FEW_FAR)
def test_a_few_far_disagreements_beside_many_near_ones(weights: Any, near: int, far: float) -> None:
    cells = (STEPS == 1) * near / 12 + (STEPS > 1) * far / 30
    cells += np.eye(7) * (500 - near - far) / 7
    tables = np.random.default_rng(0).multinomial(500, cells.ravel() / 500, 2000).reshape(-1, 7, 7)
    kappa = kappa_from_confusion(cells, weights=weights)

    def coverage(method: Any) -> float:
        low, high = intervals(method, tables, weights, 0.95)
        return float(((low <= kappa) & (kappa <= high)).mean())

    assert 0.93 < coverage(choose_method(None, tables[0])) < 0.98
    assert coverage("asymptotic") < 0.91


@pytest.mark.parametrize("weights", [None, "linear", "quadratic", "near", "one way"])
@pytest.mark.parametrize("one_more", [(0, 0), (1, 2), (0, 3)])
def test_one_item_more_moves_the_ends_a_little(weights: Any, one_more: tuple[int, int]) -> None:
    steps = np.abs(np.subtract.outer(range(4), range(4)))
    known = {"near": np.where(steps > 1, 1.0, 0.1 * steps), "one way": np.triu(steps)}
    table = np.diag([120, 130, 110, 140])
    table[0, 1] = table[1, 0] = table[2, 3] = table[3, 2] = table[1, 2] = 19
    table[0, 3] = 2
    found = []
    for _ in range(20):  # From 97 disagreements on.
        result = agreement_from_confusion(table, weights=known.get(weights, weights))
        found.append(result.interval)
        table[one_more] += 1
    moves = np.diff(found, axis=0)
    # Each step is nearly as long as the one before; steps shrink like 1 / n, or faster.
    ratio = moves[1:] / moves[:-1]
    assert (ratio > 0.7).all()
    assert (ratio < 1.1).all()


def test_beside_many_disagreements_the_methods_agree() -> None:
    found = [
        agreement_from_confusion(100 * LARGE, interval_method=method).interval
        for method in ("asymptotic", "score", "profile")
    ]
    for interval in found[1:]:
        assert interval == pytest.approx(found[0], abs=1e-5)


@pytest.mark.parametrize("n", [10**3, 10**6, 10**7, 10**9])
def test_few_disagreements_of_many_items_are_a_poisson_variate(n: int) -> None:
    # Its score interval: (x - rate)^2 / rate = z^2. Here 1 - kappa is twice 5 of 2 n.
    middle, half = 5 + Z * Z / 2, Z * math.sqrt(5 + Z * Z / 4)
    low, high = agreement_from_confusion([[n, 3], [2, n]]).interval
    assert 1 - high == pytest.approx((middle - half) / n, rel=3 / n + 1e-5)
    assert 1 - low == pytest.approx((middle + half) / n, rel=15 / n + 1e-5)


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_rare_disagreements_have_the_same_interval_among_more_items(weights: Any) -> None:
    # 1 - kappa falls like 1 / n, also if empty cells are decisive.
    scaled = []
    for n in (10**6, 10**8, 10**9):
        table = np.diag(np.full(20, n // 20))
        table[3, 4], table[0, 9] = 8, 1
        scaled.append(
            [n * (1 - end) for end in agreement_from_confusion(table, weights=weights).interval]
        )
    assert scaled[1:] == [pytest.approx(scaled[0], rel=1e-3)] * 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"interval_method": "exact"}, "must be None, 'asymptotic', 'score' or 'profile', got 'ex"),
        (
            {"interval_method": "score", "table": [[MOST_ITEMS, 1], [0, 1]]},
            "supports at most 10000000000 items",
        ),
        (
            {"interval_method": "score", "distribution": "t"},
            "distribution='t' requires interval_method='asymptotic', got 'score'",
        ),
    ],
)
def test_what_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agreement_from_confusion(**{"table": WINNIPEG, **arguments})


def test_symmetric_intervals_give_that_of_the_delta_method() -> None:
    found = compare_independent(WINNIPEG, NEW_ORLEANS, interval_method="asymptotic")
    half = Z * found.standard_error
    assert found.interval == close((found.value - half, found.value + half))
    paired = compare_paired(JOINT, interval_method="asymptotic")
    half = Z * paired.standard_error
    assert paired.interval == close((paired.value - half, paired.value + half))
    assert paired.interval_methods == ("asymptotic", "asymptotic")


def at_angle(angle: float, one: Any, two: Any, correlation: float) -> float:
    """Return the difference of kappas whose deviates are on the ellipse of the quantile."""
    quantile = (
        math.cos(angle),
        correlation * math.cos(angle) + math.sqrt(1 - correlation**2) * math.sin(angle),
    )
    ends = []
    for deviate, result in zip(quantile, (one, two)):
        confidence = 2 * norm.cdf(abs(Z * deviate)) - 1
        low, high = replace(result, confidence=confidence).interval
        ends.append(low if deviate > 0 else high)
    return float(ends[0] - ends[1])


@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_the_interval_of_a_difference_is_nearly_the_extreme_of_the_region(
    correlation: float,
) -> None:
    """No pair of kappas with a difference outside the interval is in the region of both."""
    one, two = (agreement_from_confusion(table) for table in (WINNIPEG, NEW_ORLEANS))
    low, high = difference_ends(one.tested, two.tested, correlation, Z)
    angles = np.linspace(0.01, 2 * math.pi + 0.01, 90)
    differences = [at_angle(angle, one, two, correlation) for angle in angles]
    assert low == pytest.approx(min(differences), abs=2e-3)
    assert high == pytest.approx(max(differences), abs=2e-3)
    if not correlation:
        found = compare_independent(one, two)
        assert found.interval == pytest.approx((low, high), abs=1e-8)
        with_profile = agreement_from_confusion(WINNIPEG, interval_method="profile")
        assert compare_independent(with_profile, two).interval_methods == ("profile", "score")


def test_paired_comparisons_take_the_correlation_into_account() -> None:
    found = compare_paired(JOINT)
    joint = np.array(JOINT)
    one, two = (agreement_from_confusion(joint.sum(axis=axis)) for axis in (2, 1))
    errors = (one.standard_error, two.standard_error)
    shared = (errors[0] ** 2 + errors[1] ** 2 - found.standard_error**2) / (2 * np.prod(errors))
    expected = difference_ends(one.tested, two.tested, float(shared), Z)
    assert found.interval == pytest.approx(expected, abs=1e-8)
    cells = np.repeat(np.arange(8), joint.ravel())
    truth, first, second = np.unravel_index(cells, (2, 2, 2))
    predicted = compare_predictions(first, second, y_true=truth)
    assert predicted.interval == pytest.approx(found.interval, abs=1e-8)


def test_an_ordinary_comparison_takes_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    move = TableConstraint.newton_move

    def counted(*given: Any) -> Any:
        steps.append(given)
        return move(*given)

    monkeypatch.setattr(TableConstraint, "newton_move", counted)
    compare_independent([[20, 5, 1], [4, 30, 2], [1, 3, 25]], [[25, 5, 1], [4, 20, 6], [3, 3, 25]])
    assert len(steps) < 80  # About 0.2 ms each.
