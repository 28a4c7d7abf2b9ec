"""Score intervals of several raters: closed forms, two raters, other optimisers, exact coverage."""

from __future__ import annotations

from itertools import product
from math import factorial, prod
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2, norm

from fastkappa import fleiss_kappa
from fastkappa.datasets import load_items
from fastkappa.multirater.statistics.alpha import Alpha
from fastkappa.multirater.statistics.chance_corrected import (
    ChanceCorrected,
    chance_of_fleiss,
    chance_of_gwet,
    chance_of_randolph,
    distances_of,
)
from fastkappa.multirater.statistics.coefficient import Coefficient
from fastkappa.multirater.statistics.known_raters import Conger, Light
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.multirater.statistics.unseen import (
    with_unseen_patterns,
    with_unseen_profiles,
)
from fastkappa.statistics.intervals.inverted import ends_at, inverted_test
from fastkappa.statistics.intervals.ratio_constraint import RatioConstraint

Z = norm.ppf(0.975)
CHANCES = {"fleiss": chance_of_fleiss, "gwet": chance_of_gwet, "randolph": chance_of_randolph}
NAMES = [*CHANCES, "alpha", "conger", "light"]


def coefficient_of(
    name: str, profiles: Any, multiplicities: Any, n_labels: int, weights: Any
) -> Coefficient:
    """Return a coefficient of profiles, whose missing ratings are ``n_labels``."""
    codes, numbers = np.array(profiles), np.array(multiplicities)
    if name in ("conger", "light"):
        known = Profiles(codes, numbers, n_labels)
        return (
            Light(known, weights)
            if name == "light"
            else Conger(known, distances_of(weights, n_labels))
        )
    counts = np.stack([(codes == label).sum(axis=1) for label in range(n_labels)], axis=1)
    counts, places = np.unique(counts, axis=0, return_inverse=True)
    patterns = Patterns(counts, np.bincount(places.ravel(), numbers, len(counts)))
    if name == "alpha":
        return Alpha(
            patterns, {None: "nominal", "quadratic": "interval"}[weights], np.arange(n_labels)
        )
    return ChanceCorrected(patterns, distances_of(weights, n_labels), CHANCES[name])


def ends(coefficient: Coefficient, confidence: float = 0.95) -> tuple[float, float]:
    model = coefficient.score_model()
    assert model is not None
    root = norm.ppf((1 + confidence) / 2)
    (low, high), _ = ends_at(
        "score",
        model.constraint,
        np.stack([model.counts, model.counts]).astype(float),
        np.full(2, coefficient.standard_error("t")),
        np.array([root, -root]),
        model.least,
    )
    return float(low), float(high)


def sample(
    n: int, n_raters: int, n_labels: int, missing: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_labels, (n, 1))
    codes = np.where(rng.random((n, n_raters)) < 0.6, truth, rng.integers(0, n_labels, n_raters))
    codes[rng.random(codes.shape) < missing] = n_labels
    return np.unique(codes, axis=0, return_counts=True)


@pytest.mark.parametrize("n", [10, 200])
@pytest.mark.parametrize("n_raters", [2, 3, 6])
def test_full_agreement_has_wilsons_interval(n: int, n_raters: int) -> None:
    found = coefficient_of("randolph", [[0] * n_raters, [1] * n_raters], [n // 2, n // 2], 2, None)
    # The most likely unseen disagreement is an even split: its proportion is at most Wilson's.
    half = n_raters // 2
    distance = 2 * half * (n_raters - half) / (n_raters * (n_raters - 1))
    low = 1 - 2 * distance * Z**2 / (n + Z**2)
    assert ends(found) == pytest.approx((low, 1), abs=1e-7)


def test_full_agreement_with_one_missing_rating() -> None:
    """Unseen disagreements have two ratings, instead of three, as seldom as the observed items."""
    n, profiles = 50, [[0, 0, 0], [0, 0, 2], [1, 1, 1]]
    found = coefficient_of("randolph", profiles, [n // 2 - 1, 1, n // 2], 2, None)
    # Three ratings by two labels cannot all differ.
    distance = (2 / 3 * (n - 1) + 1) / n
    assert ends(found) == pytest.approx((1 - 2 * distance * Z**2 / (n + Z**2), 1), abs=1e-7)


@pytest.mark.parametrize(
    ("name", "extra"),
    # The kappas of known raters need more than one rating by the third rater.
    [*((name, (0, 0, 3)) for name in NAMES), *((name, (0, 0, 0)) for name in NAMES[:-2])],
)
def test_one_subject_with_another_number_of_ratings(name: str, extra: tuple[int, ...]) -> None:
    """In a sample of 200 subjects, it changes the width by less than 2 %."""
    missing = 3 * (sum(extra) == 0)
    profiles = [
        (a, b, missing or c)
        for a, b, c in product(range(3), repeat=3)
        if max(a, b, c) - min(a, b, c) < 2
    ]
    numbers = [60 if len({*p} - {3}) == 1 else 2 for p in profiles]
    codes, places = np.unique(profiles, axis=0, return_inverse=True)
    counts = np.bincount(places.ravel(), numbers).astype(np.int64)
    widths = []
    for more in ([codes[0]], [extra]):
        of_all, again = np.unique([*codes, *more], axis=0, return_inverse=True)
        both = np.bincount(again.ravel(), [*counts, 1]).astype(np.int64)
        low, high = ends(coefficient_of(name, of_all, both, 3, "quadratic"))
        widths.append(high - low)
    assert widths[1] == pytest.approx(widths[0], rel=0.02)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("name", ["conger", "light"])
def test_two_raters_have_the_interval_of_cohens_kappa(name: str, weights: Any) -> None:
    table = np.array([[20, 3, 0], [2, 9, 1], [0, 0, 5]])
    rows = np.argwhere(table)
    found = ends(coefficient_of(name, rows, table[tuple(rows.T)], 3, weights))
    low, high = inverted_test("score", table[None], weights, 0.95)
    assert found == pytest.approx((float(low[0]), float(high[0])), abs=1e-6)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("weights", [None, "quadratic"])
@pytest.mark.parametrize("name", NAMES)
def test_the_model_is_the_coefficient_and_its_derivatives_are_right(
    name: str, weights: Any, missing: float
) -> None:
    found = coefficient_of(name, *sample(30, 3, 3, missing, 1), 3, weights)
    model = found.score_model()
    assert model is not None
    proportions = model.counts / model.counts.sum()
    constraint = model.constraint
    value = float(found.values(found.multiplicities))
    assert float(constraint.values(proportions[None])[0]) == pytest.approx(value, abs=1e-12)
    # With every row possible, so that the solution is away from the edges.
    sums = ((proportions + 1 / len(proportions)) / 2) @ model.features
    steps = 1e-5 * np.eye(len(sums))
    for part in (0, 1):
        smooth = model.ratio(sums[None])[part]
        up, down = (model.ratio(sums + sign * steps)[part] for sign in (1, -1))
        slope = (up.value - down.value) / 2e-5
        bend = (up.slope - down.slope) / 2e-5
        np.testing.assert_allclose(
            np.broadcast_to(smooth.slope, (1, len(sums)))[0], slope, atol=1e-8
        )
        np.testing.assert_allclose(
            np.broadcast_to(smooth.bend, (1, *steps.shape))[0],
            np.broadcast_to(bend, steps.shape),
            atol=1e-8,
        )


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("name", NAMES)
def test_the_ends_are_where_pearsons_chi_square_is_the_quantile(name: str, missing: float) -> None:
    profiles, multiplicities = sample(25, 3, 2, missing, 2)
    found = coefficient_of(name, profiles, multiplicities, 2, None)
    model = found.score_model()
    assert model is not None
    constraint = model.constraint
    counts = model.counts.astype(float)
    observed = counts / counts.sum()
    # Unobserved rows with r ratings have the same part of all unobserved rows as observed rows.
    unseen = counts == 0
    of_sizes = [
        (model.n_ratings == size) * unseen - observed[model.n_ratings == size].sum() * unseen
        for size in np.unique(model.n_ratings)[1:]
    ]
    for end in ends(found):
        # The most likely proportions, found by a general optimiser.
        started = (observed + 1 / len(counts)) / 2
        best = minimize(
            lambda p: -counts @ np.log(np.maximum(p, 1e-300)),
            started,
            bounds=[(1e-10, 1)] * len(counts),
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                *({"type": "eq", "fun": lambda p, row=row: p @ row} for row in of_sizes),
                {"type": "eq", "fun": lambda p: constraint.values(p[None])[0] - end},  # noqa: B023
            ],
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 1000},
        )
        chi_square = counts.sum() * ((observed - best.x) ** 2 / best.x).sum()
        assert chi_square == pytest.approx(chi2.ppf(0.95, 1), rel=2e-3)


@pytest.mark.cover(1)
@pytest.mark.parametrize("name", ["fleiss", "gwet", "alpha", "conger"])
@pytest.mark.parametrize("agreed", [0.3, 0.8])
def test_exact_coverage_with_a_rare_label(name: str, agreed: float) -> None:
    """All samples of 8 subjects and three raters, with two labels of which one has 10 %."""
    margin, n = np.array([0.1, 0.9]), 8
    rows = list(product((0, 1), repeat=3))
    chance = np.array([prod(margin[list(row)]) for row in rows])
    alike = np.array([margin[row[0]] if len(set(row)) == 1 else 0 for row in rows])
    of_row = (1 - agreed) * chance + agreed * alike
    # Grouped by the number of ratings of the rare label.
    rare = np.array([row.count(0) for row in rows])
    of_pattern = np.bincount(rare, of_row)
    first = [rows[int(np.flatnonzero(rare == k)[0])] for k in range(4)]
    covered = known = 0.0
    for some in product(range(n + 1), repeat=3):
        if (rest := n - sum(some)) < 0:
            continue
        counts = np.array([rest, *some])
        probability = factorial(n) * prod(
            p**k / factorial(k) for p, k in zip(of_pattern, counts.tolist())
        )
        if probability < 1e-6:
            continue
        used = counts > 0
        found = coefficient_of(name, np.array(first)[used], counts[used], 2, None)
        if np.isnan(found.values(found.multiplicities)):
            continue
        low, high = ends(found)
        known += probability
        # Each coefficient equals `agreed` in the population, and Gwet's has its value there.
        truth = agreed
        if name == "gwet":
            truth = 1 - (1 - agreed) * 2 * 0.09 / (0.1**2 + 0.9**2)
        covered += probability * (low - 1e-9 <= truth <= high + 1e-9)
    assert covered / known > 0.93


@pytest.mark.parametrize("name", ["fleiss", "alpha", "conger"])
@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_rows_of_two_labels_stand_for_all(
    name: str, weights: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    profiles, multiplicities = sample(30, 4, 4, 0.0, 5)
    found = coefficient_of(name, profiles, multiplicities, 4, weights)
    everything = ends(found)
    model = found.score_model()
    assert model is not None
    rows, k = model.features.shape
    monkeypatch.setattr(
        "fastkappa.multirater.statistics.unseen.MOST_WORK", (rows - 1 + 2 * k) * k * k
    )
    fewer = found.score_model()
    assert fewer is not None
    assert len(fewer.features) < rows
    assert ends(found) == pytest.approx(everything, abs=2e-3)


def test_rows_that_might_have_been() -> None:
    counts, numbers = with_unseen_patterns(np.array([[2, 1]]), np.array([4]), 4) or ((), ())
    assert list(map(tuple, counts)) == [(0, 3), (1, 2), (2, 1), (3, 0)]
    assert numbers.tolist() == [0, 0, 4, 0]
    codes, numbers = with_unseen_profiles(np.array([[0, 2]]), np.array([4]), 2, 4) or ((), ())
    assert codes.tolist() == [[0, 2], [1, 2]]  # The second rater's rating is missing.
    assert with_unseen_patterns(np.eye(3000, dtype=int), np.ones(3000), 3002) is None
    # Too many rows for six raters and four labels: all with two labels, of which 2^6 - 2 per pair.
    codes, numbers = with_unseen_profiles(np.zeros((1, 6), int), np.array([4]), 4, 25) or ((), ())
    assert len({*map(tuple, codes)}) == len(codes) == 4 + 6 * 62
    assert max(len({*row}) for row in codes.tolist()) == 2


@pytest.mark.parametrize("name", ["fleiss", "alpha", "conger"])
def test_raters_that_always_disagree_reach_the_least_value(name: str) -> None:
    """Two of three ratings with two labels always agree, so kappa is -1/2 or more."""
    coefficient = coefficient_of(name, [(0, 1, 1), (1, 0, 1), (1, 1, 0)], [4, 4, 4], 2, None)
    model = coefficient.score_model()
    assert model is not None
    # Alpha draws two of the 36 ratings without replacement.
    least = -1 / 2 if name != "alpha" else 1 - 3 / 2 * (1 - 1 / 36)
    assert model.least == pytest.approx(least, abs=1e-15)
    low, high = ends(coefficient)
    assert low == pytest.approx(least, abs=1e-8)
    assert high < 0.5


@pytest.mark.parametrize("shift", [1, 2, 3])
def test_the_names_of_labels_have_no_effect(shift: int) -> None:
    """With two subjects, rounding hid the solutions beyond an end for some of these labels."""
    profiles = np.array([(1, 1, 0), (1, 1, 2)])
    expected = ends(coefficient_of("conger", profiles, [1, 1], 4, None))
    shifted = coefficient_of("conger", (profiles + shift) % 4, [1, 1], 4, None)
    assert ends(shifted) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["fleiss", "alpha", "conger"])
def test_ends_of_a_few_subjects_take_few_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounding does not cause repeated steps, and no end is sought below the least value."""
    n_moves, move = 0, RatioConstraint.newton_move

    def counted(self: RatioConstraint, *given: Any) -> Any:
        nonlocal n_moves
        n_moves += 1
        return move(self, *given)

    monkeypatch.setattr(RatioConstraint, "newton_move", counted)
    low, high = ends(coefficient_of(name, [(0, 1, 0), (1, 0, 1)], [1, 1], 2, None))
    assert -0.5 <= low < high < 1
    assert n_moves < 60


@pytest.mark.parametrize("method", [None, "asymptotic"])
@pytest.mark.parametrize("clusters", [None, np.arange(45) // 3])
def test_a_test_rejects_the_values_outside_the_interval(method: Any, clusters: Any) -> None:
    ratings = load_items("anaesthetists").ratings
    found = fleiss_kappa(ratings, interval_method=method, clusters=clusters)
    for end, sign in zip(found.interval, (1, -1)):
        z, p = found.test(end)
        assert p == pytest.approx(0.05, rel=1e-5)
        assert z * sign > 0
        inwards, outwards = (end + sign * step for step in (0.01, -0.01))
        assert found.test(inwards)[1] > 0.05 > found.test(outwards)[1]
        one_sided = [found.test(end, alternative=side)[1] for side in ("greater", "less")]
        assert sorted(one_sided) == pytest.approx([0.025, 0.975], rel=1e-5)
    assert found.test(0) == (pytest.approx(found.z), pytest.approx(found.p_value))
    for value in (-1, 1, 2):
        with pytest.raises(ValueError, match="null_kappa must be a number above -1"):
            found.test(value)
    with pytest.raises(ValueError, match="alternative must be"):
        found.test(0.5, alternative="more")
