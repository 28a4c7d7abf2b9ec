"""Thresholds by four methods, compared with plain loops, and smoothing by its definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastkappa import cohen_kappa_score, optimal_thresholds
from fastkappa.kernels import dispatch
from fastkappa.thresholds.items.folds import clustered_splits, stratified_folds
from fastkappa.thresholds.items.sorted_scores import SortedScores
from fastkappa.thresholds.rounding import (
    METHODS,
    Rounding,
    find_rounding,
    table_at_thresholds,
)

MATRIX = [[0, 1, 2, 5], [2, 0, 1, 2], [3, 3, 0, 1], [7, 3, 1, 0]]
LABELS = range(4)


def items(seed: int, n: int = 60, ties: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels 0 to 3, scores and whole item weights."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=n)
    y = np.clip(np.rint(1.5 + 1.2 * latent), 0, 3).astype(int)
    scores = 1.5 + 0.7 * latent + rng.normal(0, 0.7, n)
    return y, np.round(scores, 1) if ties else scores, rng.integers(1, 4, n)


def find(y: Any, scores: Any, method: Any, seed: int = 0, **options: Any) -> Rounding:
    options = {"labels": LABELS, "folds": None, "n_resamples": 20, **options}
    return find_rounding(y, scores, method=method, rng=np.random.default_rng(seed), **options)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic", MATRIX])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_exact_is_the_optimum(weights: Any, weighted: bool, ties: bool) -> None:
    for seed in range(5):
        y, scores, w = items(seed, ties=ties)
        w = w if weighted else None
        found = find(y, scores, "exact", weights=weights, sample_weight=w)
        best = optimal_thresholds(y, scores, labels=LABELS, weights=weights, sample_weight=w)
        assert found.kappa == best.kappa
        assert found.table.dtype == best.table.dtype
        np.testing.assert_array_equal(found.table, best.table)
        np.testing.assert_array_equal(found.thresholds, best.thresholds)
        assert found.oof_kappa is None


# Bagging.


def bagged_by_hand(
    y: np.ndarray, scores: np.ndarray, w: np.ndarray | None, weights: Any, n_resamples: int
) -> np.ndarray:
    """Return the mean number of items below each threshold, over resamples one by one."""
    rng = np.random.default_rng(0)
    order = np.lexsort([np.ones(len(y)) if w is None else w, scores, y])
    below = np.zeros(3)
    for _ in range(n_resamples):
        drawn = order[rng.integers(0, len(y), len(y))]
        best = optimal_thresholds(
            y[drawn],
            scores[drawn],
            labels=LABELS,
            weights=weights,
            sample_weight=None if w is None else w[drawn],
        )
        below += [(scores < threshold).sum() for threshold in best.thresholds]
    return below / n_resamples


@pytest.mark.parametrize("weights", [None, "quadratic", MATRIX])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_bagged_is_the_mean_over_resamples(weights: Any, weighted: bool, ties: bool) -> None:
    y, scores, w = items(7, ties=ties)
    w = w if weighted else None
    found = find(y, scores, "bagged", weights=weights, sample_weight=w)
    wanted = bagged_by_hand(y, scores, w, weights, 20)
    distinct, first = np.unique(np.sort(scores), return_index=True)
    places = np.append(first, len(y))
    middles = [-math.inf, *(distinct[1:] + distinct[:-1]) / 2, math.inf]
    for threshold, place in zip(found.thresholds, wanted):
        nearest = np.flatnonzero(np.abs(places - place) == np.abs(places - place).min())[-1]
        assert threshold == pytest.approx(middles[nearest], abs=1e-12)


def test_bagged_does_not_depend_on_how_scores_are_spread() -> None:
    y, scores, _ = items(1, 200)
    plain = find(y, scores, "bagged").thresholds
    spread = find(y, np.exp(5 * scores), "bagged").thresholds
    np.testing.assert_array_equal(
        np.searchsorted(plain, scores), np.searchsorted(spread, np.exp(5 * scores))
    )


def test_bagged_is_repeatable() -> None:
    y, scores, _ = items(2, 200)
    first, same, other = (find(y, scores, "bagged", seed).thresholds for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


def test_a_label_that_no_resample_gives_stays_at_infinity() -> None:
    y, scores = np.repeat([1, 2], 20), np.arange(40.0)
    found = find(y, scores, "bagged")
    assert found.thresholds[0] == -math.inf
    assert 17 < found.thresholds[1] < 22
    assert found.thresholds[2] == math.inf


def test_a_label_that_some_resamples_give_has_a_threshold_between() -> None:
    """The only item of label 0 is missing from about a third of the resamples."""
    y, scores = np.array([0] + [1] * 20 + [2] * 20), np.arange(41.0)
    found = find_rounding(
        y, scores, method="bagged", folds=None, n_resamples=100, rng=np.random.default_rng(0)
    )
    assert found.thresholds[0] == 0.5
    assert 18 < found.thresholds[1] < 23


def test_bagged_is_better_than_exact_on_new_items() -> None:
    rng = np.random.default_rng(0)

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        latent = rng.normal(size=n)
        return np.searchsorted([-1, 0, 1], latent), latent + rng.normal(size=n)

    y_new, new = draw(200_000)
    best = optimal_thresholds(y_new, new).kappa
    missing: dict[str, list[float]] = {method: [] for method in METHODS}
    for _ in range(40):
        y, scores = draw(300)
        for method in METHODS:
            thresholds = find(y, scores, method).thresholds
            given = np.searchsorted(thresholds, new, side="right")
            kappa = cohen_kappa_score(y_new, given, labels=LABELS, weights="quadratic")
            missing[method].append(best - kappa)
    exact = np.mean(missing["exact"])
    assert np.mean(missing["bagged"]) < 0.7 * exact


# The closed form. KappaRegressor is compared with it in test_rounder.py.


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
def test_closed_form_solves_its_equation(weighted: bool, scale: float) -> None:
    """mean + (m(t) - mean) / r = c - 1/2, with the linear regression m and the correlation r."""
    y, scores, w = items(5)
    w = w if weighted else np.ones(len(y), int)
    found = find(y, scores * scale, "closed_form", sample_weight=w if weighted else None)
    y, scores = np.repeat(y, w), np.repeat(scores, w)
    slope, intercept = np.polyfit(scores, y, 1)
    r = np.corrcoef(scores, y)[0, 1]
    predicted = slope * found.thresholds / scale + intercept
    np.testing.assert_allclose(y.mean() + (predicted - y.mean()) / r, [0.5, 1.5, 2.5], atol=1e-10)


@pytest.mark.parametrize(
    ("y", "scores"),
    [
        ([0, 1, 2, 3, 3, 3], [6, 5, 4, 3, 2, 1]),  # Falling, mean 2.
        ([1, 3, 3, 1], [1, 1, 2, 2]),  # No correlation.
        ([2, 2, 2], [1, 2, 3]),
        ([0, 3, 3], [7, 7, 7]),
        ([0.0, 3.0, 3.0], [0, 0, 0]),
    ],
)
def test_closed_form_without_correlation_gives_the_label_nearest_to_the_mean(
    y: Any, scores: Any
) -> None:
    found = find(y, scores, "closed_form")
    np.testing.assert_array_equal(found.thresholds, [-math.inf, -math.inf, math.inf])


def test_closed_form_is_for_quadratic_weights() -> None:
    for weights in (None, "linear", MATRIX):
        with pytest.raises(ValueError, match="requires weights='quadratic', got weights="):
            find([0, 1], [0, 1], "closed_form", weights=weights)


# Out of fold.


def test_folds_are_stratified() -> None:
    codes = np.random.default_rng(0).choice(4, 203, p=[0.6, 0.3, 0.09, 0.01])
    items = SortedScores(np.arange(203.0), codes.astype(np.uint16), None, 4)
    folds = stratified_folds(items, 5, np.random.default_rng(0))
    sizes = np.array([np.bincount(codes[folds == fold], minlength=4) for fold in range(5)])
    assert (np.ptp(sizes, axis=0) <= 1).all()
    assert np.ptp(sizes.sum(axis=1)) <= 1
    other = stratified_folds(items, 5, np.random.default_rng(1))
    assert (folds != other).any()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weighted", [False, True])
def test_out_of_fold_is_a_plain_loop(method: Any, weighted: bool) -> None:
    y, scores, w = items(9, 150)
    w = w if weighted else np.ones(len(y), int)
    order = np.argsort(scores)
    y, scores, w = y[order], scores[order], w[order]
    options = {"method": method, "labels": LABELS, "n_resamples": 10}
    found = find_rounding(
        y,
        scores,
        **options,
        sample_weight=w if weighted else None,
        folds=4,
        rng=np.random.default_rng(3),
    )
    rng = np.random.default_rng(3)
    options |= {"rng": rng, "folds": None}
    whole = find_rounding(y, scores, sample_weight=w, **options)
    np.testing.assert_array_equal(found.thresholds, whole.thresholds)
    in_order = SortedScores(scores, y.astype(np.uint16), w if weighted else None, 4)
    folds = stratified_folds(in_order, 4, rng)
    given = np.empty_like(y)
    for fold in range(4):
        inside = folds == fold
        part = find_rounding(y[~inside], scores[~inside], sample_weight=w[~inside], **options)
        given[inside] = np.searchsorted(part.thresholds, scores[inside], side="right")
    wanted = cohen_kappa_score(y, given, labels=LABELS, weights="quadratic", sample_weight=w)
    np.testing.assert_array_equal(found.oof_positions, given)
    assert found.oof_kappa == wanted


@pytest.mark.parametrize("ties", [False, True])
def test_out_of_fold_labels_are_in_the_order_of_the_items(ties: bool) -> None:
    y, scores, _ = items(9, 150, ties)
    w = np.arange(len(y)) % 3  # Some items have no weight.
    options: dict[str, Any] = {"method": "exact", "sample_weight": w, "folds": 4}
    found = find(y, scores, **options)
    given = found.oof_positions
    assert given is not None
    assert found.oof_kappa == cohen_kappa_score(
        y, given, labels=LABELS, weights="quadratic", sample_weight=w
    )
    if not ties:
        order = np.random.default_rng(0).permutation(len(y))
        options["sample_weight"] = w[order]
        other = find(y[order], scores[order], **options)
        np.testing.assert_array_equal(other.oof_positions, given[order])


@pytest.mark.parametrize("method", METHODS)
def test_every_backend_finds_the_same(
    method: Any, drop_in_backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Test also tied scores, which the backends sort in different orders."""
    y, scores, _ = items(4, 300, ties=True)
    found = find(y, scores, method, folds=5)
    monkeypatch.setenv("FASTKAPPA_BACKEND", "numpy")
    dispatch.forget_choice()
    same = find(y, scores, method, folds=5)
    np.testing.assert_array_equal(found.thresholds, same.thresholds)
    np.testing.assert_array_equal(found.oof_positions, same.oof_positions)
    assert found.oof_kappa == same.oof_kappa


# Edges.


@pytest.mark.parametrize("method", METHODS)
def test_one_label_and_one_score(method: Any) -> None:
    single = find([1, 1, 1], [3.0, 2.0, 1.0], method)
    assert math.isnan(single.kappa)
    np.testing.assert_array_equal(single.thresholds, [-math.inf, math.inf, math.inf])
    constant = find([0, 3, 3, 3], [5.0, 5, 5, 5], method)
    assert constant.kappa == 0


@pytest.mark.parametrize("method", METHODS)
def test_table_and_kappa_are_those_of_the_predictions(method: Any) -> None:
    y, scores, w = items(11)
    scores = scores.astype(np.float32)
    found = find(y, scores, method, sample_weight=w / 4)
    assert found.thresholds.dtype == np.float32
    given = np.searchsorted(found.thresholds, scores, side="right")
    wanted = np.zeros((4, 4))
    np.add.at(wanted, (y, given), w / 4)
    np.testing.assert_array_equal(found.table, wanted)
    table = table_at_thresholds(y, scores, found.thresholds, labels=LABELS, sample_weight=w / 4)
    np.testing.assert_array_equal(table, wanted)


def test_bad_arguments() -> None:
    y, scores = [0, 1, 2, 0, 1, 2], [1.0, 2, 3, 4, 5, 6]
    with pytest.raises(ValueError, match=r"method must be 'spline', .* got 'best'"):
        find(y, scores, "best")
    with pytest.raises(ValueError, match="n_resamples must be at least 1, got 0"):
        find(y, scores, "bagged", n_resamples=0)
    with pytest.raises(TypeError, match=r"n_resamples must be an integer, got 2\.5"):
        find(y, scores, "bagged", n_resamples=2.5)
    with pytest.raises(ValueError, match="number of folds must be at least 2, got 1"):
        find(y, scores, "exact", folds=1)
    with pytest.raises(ValueError, match="7 folds need at least 7 items, got n_samples = 6"):
        find(y, scores, "exact", folds=7)
    with pytest.raises(ValueError, match="y_true contains 9, which is not among the labels"):
        find([*y[:-1], 9], scores, "exact")


def test_folds_do_not_depend_on_the_form_of_clusters() -> None:
    numbers = np.array([10, 10, 9, 2, 9, 30, 2, 4, 30])
    forms: list[Any] = [numbers.astype(kind) for kind in (int, float, str, object)]
    forms.append(pd.Categorical(numbers.astype(str), ["30", "4", "5", "10", "9", "2"]))
    forms.append(numbers.astype(str).tolist())
    folds = [
        [test.tolist() for _, test in clustered_splits(form, 3, np.random.default_rng(0))]
        for form in forms
    ]
    assert folds == [folds[0]] * len(forms)
