"""Edge cases of thresholds: odd labels, odd scores, invalid input."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fastkappa import optimal_thresholds
from fastkappa.exceptions import LabelOrderWarning, undefined_metric_warning
from fastkappa.kernels.dispatch import get_kernels, score_kernels
from fastkappa.statistics.weights import disagreement_matrix
from fastkappa.thresholds.items.scored_items import read_scored_items
from fastkappa.thresholds.items.sorted_scores import sort_scores
from fastkappa.thresholds.search import best_sorted

pytestmark = pytest.mark.usefixtures("drop_in_backend")

METHODS = ("sort", "bins")


@pytest.mark.parametrize(
    "labels",
    [
        ["poor", "fair", "good"],
        [1, 2, 3],
        [3, 2, 1],
        [-7, 100, 12],
        [2**63 + 1, 2**63 + 2, 2**63 + 9],
        [0.0, 5.0, 2.0],
        np.array(["2020-01-01", "2021-01-01", "2022-01-01"], "datetime64[D]"),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore:.*neither ascending nor descending")
def test_labels_of_any_kind(labels, method):
    labels = np.array(labels)
    codes = np.array([0, 0, 1, 1, 2, 2, 1] * 9)
    scores = codes + np.tile([0, 0.4, -0.6, 0.1, 0.2, -0.3, 0], 9)
    expected = optimal_thresholds(codes, scores)
    result = optimal_thresholds(labels[codes], scores, labels=labels, method=method)
    assert result.kappa == expected.kappa
    assert (result.table == expected.table).all()
    assert (result.labels == labels).all()
    predicted = result.predict(scores)
    assert predicted.dtype == labels.dtype
    assert (predicted == labels[expected.predict(scores)]).all()


def test_labels_that_occur_are_sorted():
    strings = np.array(["b", "c", "a", "b"])
    with pytest.warns(LabelOrderWarning, match="alphabetical: a < b < c"):
        assert optimal_thresholds(strings, [2, 3, 1, 2]).labels.tolist() == ["a", "b", "c"]
    assert optimal_thresholds([True, False], [1, 0]).labels.tolist() == [False, True]
    result = optimal_thresholds([7, 3, 7, 3], [1, 0, 1, 0])
    assert (result.labels.tolist(), result.thresholds.tolist()) == ([3, 7], [0.5])


def test_a_label_may_be_given_to_none():
    """Thresholds of -inf or inf, or equal ones, omit the lowest, highest or middle label."""
    y, scores = [1, 1, 2, 2], [0.0, 1.0, 2.0, 3.0]
    result = optimal_thresholds(y, scores, labels=[0, 1, 2, 3])
    assert result.kappa == 1
    assert result.thresholds.tolist() == [-math.inf, 1.5, math.inf]
    result = optimal_thresholds([0, 0, 2, 2], scores, labels=[0, 1, 2])
    assert result.thresholds.tolist() == [1.5, 1.5]
    assert result.predict(scores).tolist() == [0, 0, 2, 2]
    # Test more labels than scores, down to a single score.
    result = optimal_thresholds([0, 1, 2, 1], [5.0] * 4)
    assert result.kappa == 0
    assert len(set(result.predict([5.0]).tolist())) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threshold_between_neighbours(dtype):
    """If no number lies between two scores, the threshold is the upper score."""
    low = dtype(1)
    high = np.nextafter(low, dtype(2))
    tiny = np.nextafter(dtype(0), dtype(1))
    largest = np.finfo(dtype).max
    for below, above in ((low, high), (dtype(0), tiny), (-tiny, dtype(0)), (-largest, largest)):
        scores = np.array([below, above, below, above])
        result = optimal_thresholds([0, 1, 0, 1], scores)
        assert result.kappa == 1
        assert result.predict(scores).tolist() == [0, 1, 0, 1]
        assert below < result.thresholds[0] <= above


@pytest.mark.parametrize("method", METHODS)
def test_signed_zeros_are_one_score(method):
    y, scores = [0, 1, 0, 1, 1, 0], [-0.0, 0.0, 0.0, -0.0, 1.0, -1.0]
    result = optimal_thresholds(y, scores, method=method)
    as_zero = optimal_thresholds(y, np.abs(scores) * np.sign(scores), method=method)
    assert result.kappa == as_zero.kappa == optimal_thresholds(y, [0, 0, 0, 0, 1, -1]).kappa
    assert len(set(result.predict([-0.0, 0.0]).tolist())) == 1


@pytest.mark.parametrize("y", [[2, 2, 2], ["a", "a", "a"]])
def test_single_label(y):
    with pytest.warns(undefined_metric_warning(), match="undefined"):
        result = optimal_thresholds(y, [1.0, 2.0, 3.0])
    assert math.isnan(result.kappa)
    assert (result.thresholds.size, result.table.tolist()) == (0, [[3]])
    with pytest.warns(undefined_metric_warning()):
        result = optimal_thresholds([1, 1], [1.0, 2.0], labels=[0, 1, 2])
    assert result.thresholds.tolist() == [-math.inf, math.inf]
    assert result.predict([1.5]).tolist() == [1]


@pytest.mark.parametrize("method", METHODS)
def test_items_without_weight_are_left_out(method):
    y, scores = np.array([0, 0, 1, 1, 9, 0]), np.array([0, 1, 2, 3, 1.5, 7])
    result = optimal_thresholds(y, scores, sample_weight=[1, 2, 3, 1, 0, 0], method=method)
    assert result.labels.tolist() == [0, 1]
    assert result.thresholds.tolist() == [1.5]
    assert result.table.tolist() == [[3, 0], [0, 4]]
    for weights in ([0.5, 0.5, 1, 1, 0, 0], np.array([1, 1, 2, 2, 0, 0], np.float32)):
        assert optimal_thresholds(y, scores, sample_weight=weights).table.dtype == np.float64


@pytest.mark.parametrize("n", [6, 50_000])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_that_are_not_finite(n, method, bad, dtype):
    scores = np.arange(n, dtype=dtype)
    scores[n - 2] = bad
    message = f"scores must be finite, got {bad} at position {n - 2}"
    for item_weights in (None, np.arange(n) % 3):
        with pytest.raises(ValueError, match=message):
            optimal_thresholds(np.arange(n) % 2, scores, method=method, sample_weight=item_weights)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"scores": [1.0, 2.0]}, ValueError, "y_true and scores .* got 4 and 2"),
        ({"y_true": [], "scores": []}, ValueError, "must not be empty"),
        ({"scores": ["a", "b", "c", "d"]}, ValueError, "scores must be real numbers"),
        ({"scores": np.ones((4, 2))}, ValueError, r"scores must be one-dimensional.*\(4, 2\)"),
        ({"y_true": [0.5, 1, 1, 0]}, ValueError, "y_true must be labels, got numbers with"),
        ({"labels": [0, 2]}, ValueError, r"y_true contains 1, .*labels \[0, 2\]"),
        ({"labels": [1, 2, 3]}, ValueError, r"y_true contains 0, .*labels \[1, 2, 3\]"),
        ({"labels": [0, 0, 1]}, ValueError, "labels must be distinct"),
        ({"weights": "cubic"}, ValueError, "weights must be .*'cubic'"),
        ({"weights": np.ones((3, 3))}, ValueError, r"weights must have the shape \(2, 2\)"),
        (
            {"sample_weight": [1, 1, -1, 1]},
            ValueError,
            "sample_weight must not contain negative numbers, got -1",
        ),
        ({"sample_weight": [1, 1, 1]}, ValueError, "sample_weight .* 4 items, got 3"),
        ({"sample_weight": [0, 0, 0, 0]}, ValueError, "[Ss]ample.weight"),
        ({"sample_weight": [1, math.nan, 1, 1]}, ValueError, "sample_weight contains NaN"),
        ({"method": "magic"}, ValueError, "method must be 'auto', .* got 'magic'"),
        ({"num_threads": 0}, ValueError, "num_threads must be at least 1"),
    ],
)
def test_bad_input(change, error, message):
    good = {"y_true": [0, 1, 1, 0], "scores": [1.0, 2.0, 3.0, 0.0]}
    with pytest.raises(error, match=message):
        optimal_thresholds(**(good | change))


def test_predict_judges_its_scores():
    result = optimal_thresholds([0, 1], [0.0, 1.0])
    with pytest.raises(ValueError, match="scores must be finite, got nan at position 1"):
        result.predict([0.0, math.nan])


def test_presorted_search():
    """A weighted resample has the kappa of the resampled items."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 500)
    scores = (y + rng.normal(size=500)).round(1)
    kernels = get_kernels()
    items = read_scored_items(kernels, y, scores, None, None, 1)
    order = np.argsort(scores, kind="stable")
    in_order = sort_scores(items._replace(weights=np.ones(500)))
    matrix = disagreement_matrix("quadratic", 4)
    for _ in range(20):
        times = rng.multinomial(500, np.full(500, 1 / 500))
        # Ties can be sorted in any order: all items with one score and label get the same weight.
        again = np.repeat(np.arange(500), times[np.argsort(order)])
        weights = np.array(
            [
                np.sum((y[again] == label) & (scores[again] == score))
                / np.sum((y == label) & (scores == score))
                for label, score in zip(in_order.codes, in_order.scores)
            ]
        )
        drawn = in_order._replace(weights=weights)
        best = best_sorted(score_kernels(kernels), drawn, matrix)
        thresholds = drawn.thresholds_at(best.places)
        expected = optimal_thresholds(y[again], scores[again])
        result = optimal_thresholds(y, scores, sample_weight=weights)
        given = np.searchsorted(thresholds, scores[again], "right")
        from fastkappa import cohen_kappa_score

        kappa = cohen_kappa_score(y[again], given, labels=range(4), weights="quadratic")
        assert kappa == pytest.approx(expected.kappa, abs=1e-12)
        assert result.gap < 1e-9
