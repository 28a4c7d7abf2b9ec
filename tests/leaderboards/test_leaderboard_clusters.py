"""Leaderboards of items in clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastkappa import Ratings, compare_predictions, leaderboard
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.leaderboards.items.random_groups import ItemGroups
from tests.helpers.contest import contest


@pytest.mark.filterwarnings("ignore:each cluster has one item")
@pytest.mark.parametrize("weights", [None, "quadratic"])
@pytest.mark.parametrize("n", [900, 1500])
def test_copies_of_an_item_in_a_cluster_are_no_more_than_the_item(weights: Any, n: int) -> None:
    truth, predictions = contest(n, 4)
    plain = leaderboard(truth, predictions.T, weights=weights, clusters=np.arange(n), rng=0)
    order = np.random.default_rng(1).permutation(3 * n)
    clusters = np.repeat(np.arange(n), 3)[order]
    found = leaderboard(
        np.repeat(truth, 3)[order],
        np.repeat(predictions, 3, axis=1)[:, order].T,
        weights=weights,
        clusters=clusters,
        rng=0,
    )
    assert plain.n_clusters == found.n_clusters == n
    assert found.names == plain.names
    for name in ("interval", "difference_interval", "simultaneous_interval", "proportion_first"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name), rel=1e-9, abs=1e-12)


@pytest.mark.filterwarnings("ignore:each cluster has one item")
def test_clusters_of_one_change_nothing_but_the_method_of_the_interval() -> None:
    truth, predictions = contest(2000, 3)
    plain = leaderboard(truth, predictions.T, rng=0).to_dict()
    found = leaderboard(truth, predictions.T, clusters=np.arange(2000), rng=0).to_dict()
    for one, other in zip(found["rows"], plain["rows"]):
        # A percentile interval replaces the score interval.
        assert one.pop("interval") == pytest.approx(other.pop("interval"), abs=0.02)
    assert found["rows"] == plain["rows"]


def test_a_cluster_is_in_one_group() -> None:
    clusters = np.random.default_rng(0).integers(0, 5000, 20_000)
    groups = ItemGroups(20_000, 1000, np.random.default_rng(1), clusters)
    of_cluster = np.full(5000, -1)
    of_cluster[clusters] = groups.of_item
    assert (of_cluster[clusters] == groups.of_item).all()
    assert groups.n_groups == 1000


@pytest.mark.parametrize("n_clusters", [120, 4000])
def test_intervals_are_those_of_the_sandwich(n_clusters: int) -> None:
    # The cases in a cluster are equally difficult, so items are far from independent.
    rng = np.random.default_rng(3)
    size = 12_000 // n_clusters
    hard = np.repeat(rng.random(n_clusters) ** 2, size)
    truth = rng.integers(0, 4, len(hard))
    first, second = (
        np.where(rng.random(len(hard)) < part * hard, rng.integers(0, 4, len(hard)), truth)
        for part in (0.9, 0.6)
    )
    clusters = np.repeat(np.arange(n_clusters), size)
    expected = compare_predictions(first, second, y_true=truth, clusters=clusters)
    board = leaderboard(
        truth, {"first": first, "second": second}, clusters=clusters, n_resamples=3000, rng=0
    )
    assert board.names == ("second", "first")
    low, high = board.difference_interval[1]
    assert high - low == pytest.approx(2 * 1.96 * expected.standard_error, rel=0.08)
    plain = leaderboard(truth, {"first": first, "second": second}, n_resamples=3000, rng=0)
    low, high = plain.difference_interval[1]
    without = compare_predictions(first, second, y_true=truth).standard_error
    assert high - low == pytest.approx(2 * 1.96 * without, rel=0.08)


def test_clusters_of_items_without_a_true_label_are_left_out() -> None:
    truth, predictions = contest(400, 2)
    clusters = np.arange(400) // 4
    labels = [None if i < 8 else label for i, label in enumerate(truth.tolist())]
    found = leaderboard(labels, predictions.T, clusters=clusters, missing="drop", rng=0)
    expected = leaderboard(truth[8:], predictions[:, 8:].T, clusters=clusters[8:], rng=0)
    assert found.n_clusters == 98
    assert found.interval.tolist() == expected.interval.tolist()
    ids = [f"id {i}" for i in range(400)]
    pairs = [(ids[::-1], row[::-1].tolist()) for row in predictions]
    by_id = leaderboard(truth, pairs, ids=ids, clusters=clusters, rng=0)
    assert by_id.interval.tolist() == (
        leaderboard(truth, predictions.T, clusters=clusters, rng=0).interval.tolist()
    )


def test_the_number_of_clusters_is_shown() -> None:
    truth, predictions = contest(300, 2)
    board = leaderboard(
        truth, predictions.T, clusters=[f"{i // 5}" for i in range(300)], n_resamples=50, rng=0
    )
    assert "50 bootstrap replicates of 60 clusters" in str(board)
    assert board.to_dict()["n_clusters"] == 60
    assert board.doubt == ""
    few = leaderboard(truth, predictions.T, clusters=np.arange(300) // 20, n_resamples=50, rng=0)
    assert few.to_dict()["doubt"] == few.doubt
    assert few.doubt == "fewer than 50 clusters: intervals tend to be too short"
    for shown in (str(few), few._repr_html_()):
        assert few.doubt in shown
    without = leaderboard(truth, predictions.T, clusters=np.arange(300) // 20, n_resamples=0)
    assert without.doubt == ""


def test_one_cluster_has_no_intervals() -> None:
    truth, predictions = contest(300, 2)
    with pytest.warns(undefined_metric_warning(), match="all items are in one cluster"):
        board = leaderboard(truth, predictions.T, clusters=[1] * 300)
    assert np.isnan(board.interval).all()
    assert (board.n_resamples, board.doubt) == (0, "")


@pytest.mark.parametrize(
    ("clusters", "told"),
    [
        ([1, 2], "for each of the 300 items of y_true, got 2"),
        ([None, *range(299)], "1 missing value in 300 items, the first at position 0"),
        (np.linspace(0, 1, 300), "must be labels, got numbers with fractions"),
    ],
)
def test_clusters_that_cannot_be_are_refused(clusters: Any, told: str) -> None:
    truth, predictions = contest(300, 2)
    with pytest.raises(ValueError, match=told):
        leaderboard(truth, predictions.T, clusters=clusters)


def test_the_position_of_a_missing_cluster_counts_items_that_are_left_out() -> None:
    truth, clusters = [None, 1, 2, 1, 2], [None, "a", "a", None, "b"]
    options: Any = {"missing": "drop", "rng": 0}
    message = "clusters has 1 missing value in 5 items, the first at position 3: "
    with pytest.raises(ValueError, match=message):
        leaderboard(truth, [[1, 1, 2, 1, 2]], clusters=clusters, **options)
    clusters[3] = "b"
    assert leaderboard(truth, [[1, 1, 2, 1, 2]], clusters=clusters, **options).n_clusters == 2
    rows: Any = {
        "item": [None, 1, 1, 2, 2],
        "rater": list("aabab"),
        "rating": [None, 1, 2, 1, 2],
        "cluster": ["u", "u", "u", None, "v"],
    }
    message = "cluster has 1 missing value in 5 items, the first at position 3: "
    with pytest.raises(ValueError, match=message):
        Ratings.from_long(**rows)
