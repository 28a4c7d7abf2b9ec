"""Standard errors are exactly 0 if and only if they are 0 in exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fastkappa import (
    Ratings,
    agreement_from_confusion,
    compare_paired,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    light_kappa,
)
from fastkappa.multirater.statistics.alpha import Alpha
from fastkappa.multirater.statistics.chance_corrected import (
    ChanceCorrected,
    chance_of_fleiss,
    chance_of_gwet,
    chance_of_randolph,
    distances_of,
)
from fastkappa.multirater.statistics.known_raters import Conger, Light
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.statistics import indices
from fastkappa.statistics.inference import standard_error
from tests.helpers.exact_raters import distance_of
from tests.helpers.quick import n_examples

Shares = list[Fraction]
Rows = list[tuple[int, ...]]
Part = tuple[Callable[[Shares], Fraction], Callable[[Shares], Fraction]]


def parts_of(name: str, rows: Rows, n_labels: int, weights: Any) -> list[Part]:
    """Return the observed and expected disagreements, as functions of the rows' shares.

    The coefficient is the mean of 1 - observed / expected over the parts.
    """
    distance = distance_of(weights, n_labels)
    labels, raters = range(n_labels), range(len(rows[0]))
    pairs = list(permutations(raters, 2))

    def observed(shares: Shares, pairs: Any = pairs) -> Fraction:
        apart = [sum(distance(row[a], row[b]) for a, b in pairs) for row in rows]
        return sum((s * d for s, d in zip(shares, apart)), Fraction(0)) / len(pairs)

    def margin(shares: Shares, rater: int) -> Shares:
        return [
            sum((s for s, row in zip(shares, rows) if row[rater] == label), Fraction(0))
            for label in labels
        ]

    def between(one: Shares, other: Shares) -> Fraction:
        terms = (one[a] * other[b] * distance(a, b) for a in labels for b in labels)
        return sum(terms, Fraction(0))

    def common(shares: Shares) -> Shares:
        margins = [margin(shares, rater) for rater in raters]
        return [sum(of_label, Fraction(0)) / len(raters) for of_label in zip(*margins)]

    def of_raters(shares: Shares, pairs: Any = pairs) -> Fraction:
        return sum(
            (between(margin(shares, a), margin(shares, b)) for a, b in pairs), Fraction(0)
        ) / len(pairs)

    total = sum((distance(a, b) for a in labels for b in labels), Fraction(0))

    def of_gwet(shares: Shares) -> Fraction:
        factor = (n_labels**2 - total) / (n_labels * (n_labels - 1))
        return 1 - factor * sum((p * (1 - p) for p in common(shares)), Fraction(0))

    if name == "light":
        return [
            (lambda s, p=pair: observed(s, [p]), lambda s, p=pair: of_raters(s, [p]))  # type: ignore[misc]
            for pair in combinations(raters, 2)
        ]
    chance: dict[str, Callable[[Shares], Fraction]] = {
        "fleiss": lambda shares: between(common(shares), common(shares)),
        "gwet": of_gwet,
        "randolph": lambda _: total / n_labels**2,
        "conger": of_raters,
    }
    chance["alpha"] = chance["fleiss"]
    return [(observed, chance[name])]


def exact_variance(parts: list[Part], shares: Shares) -> Fraction | None:
    """Return the variance of the derivative by the rows' shares, or None if undefined.

    Along the line to a single row, the observed disagreement is linear and the expected
    disagreement is a polynomial of degree two, so three values determine its slope.
    """
    if any(expected(shares) == 0 for _, expected in parts):
        return None
    variance = Fraction(0)
    for i, share in enumerate(shares):
        slope = Fraction(0)
        for observed, expected in parts:
            step = [Fraction(i == j) - other for j, other in enumerate(shares)]
            ahead, behind = ([s + sign * t for s, t in zip(shares, step)] for sign in (1, -1))
            o, e = observed(shares), expected(shares)
            o_slope = (observed(ahead) - observed(behind)) / 2
            e_slope = (expected(ahead) - expected(behind)) / 2
            slope -= (o_slope * e - o * e_slope) / e**2 / len(parts)
        variance += share * slope**2
    return variance


def samples() -> Any:
    """Draw distinct rows of complete ratings, their multiplicities and the number of labels."""

    def rows(shape: tuple[int, int]) -> Any:
        n_labels, n_raters = shape
        row = st.tuples(*[st.integers(0, n_labels - 1)] * n_raters)
        numbers = st.sampled_from([1, 1, 2, 3, 7, 105, 10**6])
        drawn = st.lists(st.tuples(row, numbers), min_size=1, max_size=6, unique_by=lambda x: x[0])
        return st.tuples(drawn, st.just(n_labels))

    return st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(rows)


def coefficient_of(name: str, rows: Rows, numbers: list[int], n_labels: int, weights: Any) -> Any:
    distances = distances_of(weights, n_labels)
    multiplicities = np.array(numbers)
    profiles = Profiles(np.array(rows), multiplicities, n_labels)
    counts = np.array([[row.count(label) for label in range(n_labels)] for row in rows])
    patterns = Patterns(counts, multiplicities)
    if name == "conger":
        return Conger(profiles, distances)
    if name == "light":
        return Light(profiles, weights)
    if name == "alpha":
        level = {None: "nominal", "quadratic": "interval"}.get(weights, distances)
        return Alpha(patterns, level, np.arange(n_labels) / 10)
    chance = {"fleiss": chance_of_fleiss, "gwet": chance_of_gwet, "randolph": chance_of_randolph}
    return ChanceCorrected(patterns, distances, chance[name])


def assert_same_error(error: float, variance: Fraction, divisor: int) -> None:
    assert (error == 0) == (variance == 0)
    assert error == pytest.approx(math.sqrt(variance / divisor), rel=1e-6)


@settings(max_examples=n_examples(60))
@given(samples())
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("name", ["fleiss", "conger", "light", "gwet", "randolph", "alpha"])
def test_several_raters(name: str, weights: Any, sample: Any) -> None:
    drawn, n_labels = sample
    rows, numbers = [row for row, _ in drawn], [number for _, number in drawn]
    n = sum(numbers)
    assume(n > 1)
    shares = [Fraction(number, n) for number in numbers]
    variance = exact_variance(parts_of(name, rows, n_labels, weights), shares)
    coefficient = coefficient_of(name, rows, numbers, n_labels, weights)
    assert np.isnan(coefficient.values(coefficient.multiplicities)) == (variance is None)
    if variance is not None:
        assert_same_error(coefficient.standard_error("t"), variance, n - 1)
        assert_same_error(coefficient.standard_error("normal"), variance, n)


@settings(max_examples=n_examples(100))
@given(samples())
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_two_raters(weights: Any, sample: Any) -> None:
    drawn, n_labels = sample
    table = np.zeros((n_labels, n_labels), int)
    for row, number in drawn:
        table[row[0], row[-1]] += number
    n = int(table.sum())
    cells = [(int(a), int(b)) for a, b in np.argwhere(table)]
    shares = [Fraction(int(table[cell]), n) for cell in cells]
    found = {
        "light": standard_error(table, weights),
        "fleiss": indices.scott_pi(table, weights).standard_error,
        "randolph": indices.brennan_prediger(table, weights).standard_error,
        "gwet": indices.gwet_ac2(table, weights).standard_error,
    }
    for name, error in found.items():
        variance = exact_variance(parts_of(name, cells, n_labels, weights), shares)
        assert math.isnan(error) == (variance is None)
        if variance is not None:
            assert_same_error(error, variance, n)


ONE_LABEL_FOR_ONE = [[1, 1]] * 105 + [[1, 2]]
BALANCED = [[1, 2], [3, 1], [3, 2], [2, 1], [1, 3], [2, 3]]


@pytest.mark.parametrize(
    ("result", "value"),
    [
        (lambda: conger_kappa(ONE_LABEL_FOR_ONE), 0),
        (lambda: light_kappa(ONE_LABEL_FOR_ONE), 0),
        (lambda: light_kappa(ONE_LABEL_FOR_ONE, weights="quadratic"), 0),
        (lambda: gwet_ac1([[1, 2, 2]] * 4), Fraction(-1, 5)),
        (lambda: conger_kappa([[1, 2, 2]] * 4), 0),
        (lambda: fleiss_kappa([[1, 2, 2]] * 4, weights="linear"), Fraction(-1, 2)),
        (lambda: krippendorff_alpha([[1, 2, 2]] * 4, level="interval"), Fraction(-3, 8)),
        (lambda: conger_kappa(BALANCED), Fraction(-1, 2)),
        (lambda: light_kappa(BALANCED), Fraction(-1, 2)),
        (lambda: krippendorff_alpha(BALANCED), Fraction(-3, 8)),
        (lambda: krippendorff_alpha([[0.1, 0.1], [0.3, 0.3], [0.7, 0.7]], level="interval"), 1),
        (lambda: krippendorff_alpha([[0.1, 0.1], [0.3, 0.3], [0.7, 0.7]], level="ratio"), 1),
    ],
)
def test_no_test_is_made_of_rounding(result: Any, value: Any) -> None:
    found = result()
    found = replace(found, asked="asymptotic")
    assert found.value == pytest.approx(float(value), abs=1e-14)
    assert value or found.value == 0
    assert found.standard_error == 0
    assert math.isnan(found.z)
    assert math.isnan(found.p_value)
    assert found.interval == (found.value, found.value)


# Two neighbours of three rate each subject, in either order: all subjects contribute equally.
NEIGHBOURS = [[0, 1], [1, 0], [1, 2], [2, 1]] * 5


@pytest.mark.parametrize("start", [0, 0.1, 1000.1, -1e6 + 0.1, 1e8])
def test_rounded_labels_make_no_error(start: float) -> None:
    ratings = [[start + 0.1 * step for step in row] for row in NEIGHBOURS]
    found = krippendorff_alpha(ratings, level="interval", interval_method="asymptotic")
    # In steps, the observed distance is 1. The labels' shares of 40 ratings are 1/4, 1/2 and 1/4,
    # their variance is 1/2: the expected distance is 2 * 1/2 * 40/39.
    assert found.value == pytest.approx(1 - 39 / 40, abs=1e-6)
    assert found.standard_error == 0
    assert math.isnan(found.p_value)


@pytest.mark.filterwarnings("ignore:rater 1 and rater 2 use the same labels")
def test_rounded_labels_make_no_error_of_ratios() -> None:
    # (0.1 / 2000.3)**2 and (0.3 / 6000.9)**2 are the same ratio; each label occurs equally often.
    ratings = [[1000.1, 1000.2], [1000.2, 1000.1], [3000.3, 3000.6], [3000.6, 3000.3]] * 5
    found = krippendorff_alpha(ratings, level="ratio", interval_method="asymptotic")
    assert found.standard_error == 0
    assert math.isnan(found.p_value)


@pytest.mark.parametrize("start", [0, 1000.1])
def test_rounded_labels_leave_a_true_error(start: float) -> None:
    rows, labels = [(0, 1), (1, 2), (2, 2)], [start + 0.1 * step for step in range(3)]
    shares = [Fraction(n, 10**6 + 2) for n in (1, 1, 10**6)]
    variance = exact_variance(parts_of("alpha", rows, 3, "quadratic"), shares)
    assert variance is not None
    counts = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 2]])
    coefficient = Alpha(Patterns(counts, np.array([1, 1, 10**6])), "interval", np.array(labels))
    error = math.sqrt(variance / (10**6 + 2))
    assert coefficient.standard_error("normal") == pytest.approx(error, rel=1e-6)


@pytest.mark.parametrize(("n_labels", "n"), [(2, 10**6), (300, 10**10), (1000, 10**9)])
def test_labels_that_do_not_occur_hide_no_error(n_labels: int, n: int) -> None:
    table = np.zeros((n_labels, n_labels), int)
    table[0, 0], table[0, 1], table[1, 0] = n, 1, 1
    shares = [Fraction(count, n + 2) for count in (n, 1, 1)]
    variance = exact_variance(parts_of("light", [(0, 0), (0, 1), (1, 0)], 2, None), shares)
    assert variance is not None
    expected = pytest.approx(math.sqrt(variance / (n + 2)), rel=1e-4)
    assert agreement_from_confusion(table).standard_error == expected
    assert light_kappa(Ratings.from_table(table)).standard_error == expected


def test_one_label_of_one_rater() -> None:
    result = agreement_from_confusion([[90, 0], [10, 0]])
    assert (result.kappa, result.standard_error, result.null_standard_error) == (0, 0, 0)
    assert math.isnan(result.p_value)
    asymptotic = agreement_from_confusion([[90, 0], [10, 0]], interval_method="asymptotic")
    reading = asymptotic.interpret("landis-koch")
    assert reading.reading == reading.confident_reading == "slight"
    assert reading.proportions["slight"] == 1


def test_the_textbook_error_without_agreement() -> None:
    result = agreement_from_confusion([[0, 30], [70, 0]])
    assert result.textbook_standard_error == 0
    assert result.standard_error == pytest.approx(0.108979, abs=1e-6)


def test_one_label_is_no_disagreement_among_unused_ones() -> None:
    ratings = Ratings.from_array([[0.1, 0.1], [0.1, 0.1], [0.7, None]], labels=[0.1, 0.3, 0.7])
    with pytest.warns(UserWarning, match="alpha .interval. is undefined"):
        assert math.isnan(krippendorff_alpha(ratings, level="interval").value)


def test_equal_predictions_differ_by_exactly_nothing() -> None:
    joint = np.zeros((3, 3, 3), int)
    for i, j, n in [(0, 0, 7), (0, 1, 3), (1, 1, 5), (2, 1, 1), (2, 2, 9)]:
        joint[i, j, j] = n
    difference = compare_paired(joint, weights="quadratic")
    assert (difference.value, difference.standard_error) == (0, 0)
    assert math.isnan(difference.p_value)
