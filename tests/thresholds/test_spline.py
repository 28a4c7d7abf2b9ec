"""Splines, rising curves and label proportions, compared with other packages."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy.interpolate import CubicSpline
from scipy.stats import norm

from fastkappa import ThresholdEvaluator, cohen_kappa_score, optimal_thresholds
from fastkappa.exceptions import FallingScoresWarning
from fastkappa.thresholds.cuts.label_proportions import _columns, _maximised, smooth_proportions
from fastkappa.thresholds.cuts.quadratic import best_levels
from fastkappa.thresholds.cuts.spline import PENALTIES, Spline, by_rank, rising
from fastkappa.thresholds.rounding import Rounding, find_rounding
from tests.helpers.absent import library

isotonic_regression = library("sklearn.isotonic").isotonic_regression
OrderedModel = library("statsmodels.miscmodels.ordinal_model").OrderedModel

LIMITS = [-1.2, -0.5, 0.5, 1.4]


def find(y: Any, scores: Any, **options: Any) -> Rounding:
    options = {"folds": None, "rng": np.random.default_rng(0), **options}
    return find_rounding(y, scores, **options)


def draw(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return labels 0 to 4 of a latent normal variable, and the variable with noise."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=n)
    return np.searchsorted(LIMITS, latent), latent + rng.normal(size=n)


# The spline.


@pytest.mark.parametrize(("n", "n_knots"), [(40, 4), (400, 6)])
def test_the_spline_is_that_of_penalised_least_squares(n: int, n_knots: int) -> None:
    """Compare with SciPy's natural splines, their curvature and the trace of the hat matrix."""
    rng = np.random.default_rng(n)
    x = np.sort(rng.normal(size=n))
    weights = rng.integers(1, 5, n).astype(float)
    means, inner = np.sin(2 * x) + rng.normal(0, 0.5, n), 7.0
    ranks = (np.cumsum(weights) - weights / 2) / weights.sum()
    knots = np.interp(np.linspace(0.05, 0.95, n_knots), ranks, x)
    basis, second = [], []
    for unit in np.eye(n_knots):
        spline = CubicSpline(knots, unit, bc_type="natural")
        inside = np.clip(x, knots[0], knots[-1])
        basis.append(spline(inside) + spline(inside, 1) * (x - inside))
        second.append(spline(knots, 2))
    B, W = np.array(basis).T, np.diag(weights)
    widths = np.diff(knots)
    # Simpson's rule is exact for products of straight lines.
    ends = np.array(second)
    middles = (ends[:, 1:] + ends[:, :-1]) / 2
    C = (ends[:, :-1] * widths / 6) @ ends[:, :-1].T + (ends[:, 1:] * widths / 6) @ ends[:, 1:].T
    C += (middles * widths * 4 / 6) @ middles.T
    unit = np.sort(scipy.linalg.eigh(C, B.T @ W @ B, eigvals_only=True))[2]
    scores, fits = [], []
    for penalty in PENALTIES[1:] / unit:
        hat = B @ np.linalg.solve(B.T @ W @ B + penalty * C, B.T @ W)
        fits.append(hat @ means)
        error = weights @ (means - fits[-1]) ** 2 + inner
        scores.append(error / (weights.sum() - 2 * np.trace(hat)) ** 2)
    found, curve = Spline(x, weights, 1.0, n_knots).smooth(means, inner)
    assert found == pytest.approx(min(scores), rel=1e-9)
    np.testing.assert_allclose(curve[1:-1], fits[int(np.argmin(scores))], atol=1e-6)


def test_a_line_stays_and_goes_on() -> None:
    x = np.linspace(-1.7, 1.7, 30)
    _, curve = Spline(x, np.ones(30), 10.0, 4).smooth(2 * x + 1, 0.0)
    np.testing.assert_allclose(
        curve, 2 * np.pad(x, 1, mode="linear_ramp", end_values=(-11.7, 11.7)) + 1
    )


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_few_positions(n: int) -> None:
    x = np.linspace(-1, 1, n)
    for Y in (x**2, x, np.zeros(n)):
        _, curve = Spline(x, np.ones(n), 1.0, 4).smooth(Y, 0.0)
        assert np.isfinite(curve).all()


def test_clumps_of_scores_are_told_apart() -> None:
    """Labels jump between clumps, where a curve with four knots lost .02 of the optimal kappa."""
    rng = np.random.default_rng(0)

    def clumped(n: int) -> tuple[np.ndarray, np.ndarray]:
        y = rng.choice(5, n, p=[0.73, 0.07, 0.15, 0.03, 0.02])
        return y, np.array([0, 0.3, 2, 2.4, 4])[y] + rng.normal(0, 0.5, n)

    new, lost = clumped(200_000), []
    for _ in range(10):
        y, scores = clumped(1000)
        kappas = [
            cohen_kappa_score(
                new[0],
                np.searchsorted(find(y, scores, method=method).thresholds, new[1]),
                weights="quadratic",
            )
            for method in ("exact", "spline")
        ]
        lost.append(kappas[0] - kappas[1])
    assert np.mean(lost) < 0.003


def test_rising_is_isotonic_regression() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 50):
        values, weights = rng.normal(size=n) + np.arange(n) / 5, rng.random(n) + 0.1
        wanted = isotonic_regression(values, sample_weight=weights)
        np.testing.assert_allclose(rising(values, weights), wanted, atol=1e-12)
    # Without weight, an end has no influence.
    np.testing.assert_array_equal(
        rising(np.array([9.0, 1, 2, 0]), np.array([0.0, 1, 1, 0])), [1, 1, 2, 2]
    )


# Quadratic weights.


def test_levels_are_the_best_of_all_roundings() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        n, n_labels = 7, int(rng.integers(2, 5))
        expected = np.sort(rng.uniform(0, n_labels - 1, n))
        weights = rng.integers(1, 4, n).astype(float)
        mean = float(np.average(expected, weights=weights))
        variance = float(np.average((expected - mean) ** 2, weights=weights)) + rng.random()
        best = -1.0
        for given in combinations_with_replacement(range(n_labels), n):
            middle = np.average(given, weights=weights)
            covariance = np.average((expected - mean) * (np.array(given) - middle), weights=weights)
            spread = np.average((given - middle) ** 2, weights=weights)
            best = max(best, 2 * covariance / (variance + spread + (mean - middle) ** 2))
        levels, kappa = best_levels(expected, weights, mean, variance, n_labels)
        assert kappa == pytest.approx(best, abs=1e-12)
        np.testing.assert_allclose(levels, mean + kappa * (np.arange(1, n_labels) - 0.5 - mean))


def best_of_all_items() -> np.ndarray:
    """Return the best thresholds for the distribution of `draw`, without a sample."""
    scores = np.linspace(-9, 9, 200_001)
    density = norm.pdf(scores, scale=math.sqrt(2))
    # Given the score, the latent variable is normal; its mean and variance are half the score.
    m = sum(norm.sf((limit - scores / 2) / math.sqrt(0.5)) for limit in LIMITS)
    proportions = np.diff(norm.cdf([-np.inf, *LIMITS, np.inf]))
    mean = proportions @ np.arange(5)
    variance = proportions @ (np.arange(5) - mean) ** 2
    kappa, density = 0.5, density / density.sum()
    for _ in range(100):
        given = np.clip(np.rint(mean + (m - mean) / kappa), 0, 4)
        middle = density @ given
        covariance = density @ (m * (given - middle))
        kappa = 2 * covariance / (variance + density @ (given - middle) ** 2 + (mean - middle) ** 2)
    return np.interp(mean + kappa * (np.arange(4) + 0.5 - mean), m, scores)


@pytest.mark.parametrize("curve", [lambda s: s, np.exp])
def test_many_items_reach_the_best_thresholds(curve: Any) -> None:
    y, scores = draw(200_000)
    found = find(y, curve(scores)).thresholds
    middle = slice(1, 3)
    wanted = best_of_all_items()
    given = found if curve(1.0) == 1 else np.log(found)
    np.testing.assert_allclose(given[middle], wanted[middle], atol=0.03)
    np.testing.assert_allclose(given, wanted, atol=0.12)


# Other weights.


def test_the_model_of_shares_is_that_of_statsmodels() -> None:
    y, scores = draw(300)
    order = np.argsort(scores)
    x, y = scores[order], y[order]
    x = (x - x.mean()) / x.std()
    columns = _columns(x, np.ones(300))
    intercepts = np.arange(4.0)
    fit, _ = _maximised(np.eye(5)[y], columns, np.zeros(2), intercepts, np.zeros(2))
    peer = OrderedModel(y, columns, distr="logit").fit(disp=False, method="bfgs", gtol=1e-8)
    assert fit.likelihood == pytest.approx(peer.llf, abs=1e-6)
    np.testing.assert_allclose(fit.coefficients, peer.params[:2], atol=1e-4)
    np.testing.assert_allclose(fit.proportions, peer.predict(), atol=1e-4)


def test_proportions_sum_to_one_and_spare_labels_without_items() -> None:
    y, scores = draw(500)
    order = np.argsort(scores)
    table = np.zeros((7, 500))
    table[y[order] + 1, np.arange(500)] = 1
    x = (scores[order] - scores.mean()) / scores.std()
    proportions = smooth_proportions(x, table, 500)
    assert proportions is not None
    np.testing.assert_allclose(proportions.sum(axis=0), 1, atol=1e-12)
    assert not proportions[[0, 6]].any()
    # Maximum likelihood nearly preserves the mean of the labels.
    np.testing.assert_allclose(proportions.mean(axis=1), table.mean(axis=1), atol=0.01)


def test_labels_that_are_in_no_order_are_left_to_resamples() -> None:
    scores = np.random.default_rng(0).random(2000)
    y = np.array([1, 3, 0, 2])[(scores * 4).astype(int)]
    for weights in (None, "linear"):
        options = {"weights": weights, "n_resamples": 5}
        spline, bagged = find(y, scores, **options), find(y, scores, method="bagged", **options)
        np.testing.assert_array_equal(spline.thresholds, bagged.thresholds)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_spline_is_better_than_exact_and_bagged_on_new_items(weights: Any) -> None:
    y_new, new = draw(100_000, 99)
    kappas: dict[str, list[float]] = {"exact": [], "bagged": [], "spline": []}
    kappa = ThresholdEvaluator(y_new, new, weights=weights)
    for seed in range(10):
        y, scores = draw(200, seed)
        for method, own in kappas.items():
            options = {"method": method, "weights": weights, "labels": range(5)}
            own.append(kappa(find(y, scores, n_resamples=20, **options).thresholds))
    means = {method: np.mean(own) for method, own in kappas.items()}
    assert means["spline"] > means["bagged"] > means["exact"]


# Edges.


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
def test_scale_and_type_of_scores(weights: Any, scale: float) -> None:
    y, scores = draw(200)
    plain = find(y, scores, weights=weights)
    scaled = find(y, scores * scale, weights=weights)
    np.testing.assert_allclose(scaled.thresholds / scale, plain.thresholds, rtol=1e-6)
    narrow = find(y, scores.astype(np.float32), weights=weights)
    assert narrow.thresholds.dtype == np.float32
    assert narrow.kappa == pytest.approx(plain.kappa, abs=0.02)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_small_and_odd_data(weights: Any) -> None:
    one_each = find([0, 1, 2, 3], [1.0, 2, 3, 4], weights=weights)
    assert one_each.kappa == 1
    two = find([0, 0, 1, 1], [1.0, 2, 3, 4], weights=weights)
    assert two.kappa == 1
    assert find([0, 1], [2.0, 2.0], weights=weights).kappa == 0
    tied = find([0, 0, 1, 0, 1, 1] * 20, [1, 1, 1, 2, 2, 2] * 20, weights=weights)
    np.testing.assert_array_equal(np.searchsorted(tied.thresholds, [1, 2], "right"), [0, 1])
    y = np.arange(100) // 2
    assert find(y, y + np.tile([-0.3, 0.3], 50), weights=weights).kappa > 0.9


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_item_weights(weights: Any) -> None:
    y, scores = draw(400)
    w = np.random.default_rng(0).random(400)
    plain = find(y, scores, weights=weights, sample_weight=w)
    scaled = find(y, scores, weights=weights, sample_weight=w / 64)
    np.testing.assert_allclose(scaled.thresholds, plain.thresholds, atol=1e-9)
    same = find(y, scores, weights=weights, sample_weight=np.full(400, 3.0))
    without = find(y, scores, weights=weights)
    np.testing.assert_allclose(same.thresholds, without.thresholds, atol=1e-9)


def test_ranks_are_symmetric() -> None:
    ranks = by_rank(np.array([1.0, 2, 4, 2, 1]))
    np.testing.assert_allclose(ranks, -ranks[::-1], atol=1e-12)
    assert np.array([1, 2, 4, 2, 1]) @ ranks**2 == pytest.approx(10)


# Falling scores.


def test_scores_that_fall_get_a_warning_that_names_the_remedy() -> None:
    y, scores = draw(300)
    for use in (find, optimal_thresholds):
        with pytest.warns(FallingScoresWarning, match="multiply the scores by -1") as caught:
            use(y, -scores)
        assert [warning.filename for warning in caught] == [__file__]
        use(y, scores)
        with pytest.warns(FallingScoresWarning):
            use([0, 0, 1, 1, 2, 2], [6.0, 5, 4, 3, 2, 1])
    with pytest.warns(FallingScoresWarning):
        optimal_thresholds(y, -scores, sample_weight=np.arange(300.0))
    noise = np.random.default_rng(1).normal(size=300)
    optimal_thresholds(y, noise)
    optimal_thresholds(y, -noise)


def test_scores_that_do_not_separate_the_labels_get_a_warning() -> None:
    y = draw(300)[0]
    equal = np.zeros(300)
    for use in (find, optimal_thresholds):
        with pytest.warns(UserWarning, match="all items the same label.*not another") as caught:
            found = use(y, equal)
        assert [warning.filename for warning in caught] == [__file__]
        assert (found.kappa, np.count_nonzero(found.table.sum(axis=0))) == (0, 1)
        use(y, np.where(y == y.max(), 1.0, 0.0))
        use([0, 1] * 9, np.zeros(18))


def test_ids_as_scores_get_a_warning() -> None:
    y = draw(300)[0]
    ids = 10_000 + np.random.default_rng(0).permutation(300)
    for use in (find, optimal_thresholds):
        with pytest.warns(UserWarning, match="distinct whole numbers .* look like ids"):
            use(y, ids)
        # Ranks are different whole numbers too, but separate the labels.
        use(y, np.argsort(np.argsort(y + np.random.default_rng(0).random(300))))
