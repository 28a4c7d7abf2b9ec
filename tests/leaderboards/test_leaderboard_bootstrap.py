"""The bootstrap of leaderboards, which draws groups of items, compared with drawing items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastkappa import cohen_kappa_score, leaderboard
from fastkappa.leaderboards.ranking import (
    draw_groups,
    ranks_of,
    resampled_kappas,
)
from tests.helpers.contest import contest

WEIGHTS = (None, "linear", "quadratic")


def tables_of(truth: np.ndarray, predictions: np.ndarray, n_labels: int) -> np.ndarray:
    cells = truth * n_labels + predictions
    counted = [np.bincount(row, minlength=n_labels**2) for row in np.atleast_2d(cells)]
    return np.array(counted, float).reshape(-1, n_labels, n_labels)


def plain_kappas(tables: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Return kappa from its definition."""
    proportions = tables / tables.sum(axis=(-2, -1), keepdims=True)
    by_chance = proportions.sum(axis=-1)[..., :, None] * proportions.sum(axis=-2)[..., None, :]
    return 1 - (matrix * proportions).sum(axis=(-2, -1)) / (matrix * by_chance).sum(axis=(-2, -1))


def matrix_of(weights: Any, n_labels: int) -> np.ndarray:
    distance = np.abs(np.subtract.outer(np.arange(n_labels), np.arange(n_labels)))
    return {None: distance > 0, "linear": distance, "quadratic": distance**2}[weights]


@pytest.mark.cover(1)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("order", ["random", "sorted"])
def test_intervals_agree_with_the_plain_bootstrap_of_items(weights: Any, order: str) -> None:
    n, m, n_labels, n_resamples = 10_000, 6, 5, 1500
    truth, predictions = contest(n, m, n_labels)
    if order == "sorted":
        # All difficult items come last, so groups of neighbours would lead to other intervals.
        places = np.lexsort((truth, (predictions != truth).sum(axis=0)))
        truth, predictions = truth[places], predictions[:, places]
    rng = np.random.default_rng(1)
    matrix = matrix_of(weights, n_labels)
    replicates = np.empty((n_resamples, m))
    for replicate in replicates:
        drawn = rng.integers(0, n, n)
        replicate[:] = plain_kappas(
            tables_of(truth[drawn], predictions[:, drawn], n_labels), matrix
        )
    kappas = plain_kappas(tables_of(truth, predictions, n_labels), matrix)

    result = leaderboard(truth, predictions, axis=1, weights=weights, n_resamples=4000, rng=2)
    order_ = np.array(result.names)
    np.testing.assert_allclose(result.kappa, kappas[order_], rtol=1e-12)
    levels = (0.025, 0.975)
    leader = order_[0]
    for found, samples in (
        (result.interval, replicates[:, order_]),
        (result.difference_interval[1:], (replicates - replicates[:, [leader]])[:, order_[1:]]),
    ):
        expected = np.quantile(samples, levels, axis=0).T
        # With this many replicates, an end of the interval is known to about 4 % of its length.
        length = expected[:, 1] - expected[:, 0]
        assert (np.abs(found - expected) < 0.09 * length[:, None]).all()
    first = (replicates == replicates.max(axis=1, keepdims=True)).mean(axis=0)[order_]
    np.testing.assert_allclose(result.proportion_first, first, atol=0.06)
    ranks = np.quantile(ranks_of(replicates)[:, order_], levels, axis=0).T
    assert (np.abs(result.rank_interval - ranks) <= 1).all()
    # Variation shared by the predictions cancels, because the bootstrap is paired.
    unpaired = np.hypot(*np.ptp(result.interval[:2], axis=1))
    assert np.ptp(result.difference_interval[1]) < 0.9 * unpaired


@pytest.mark.filterwarnings("ignore:each cluster has one item")
@pytest.mark.parametrize("weights", WEIGHTS)
def test_up_to_1000_items_it_is_the_bootstrap_of_items(weights: Any, backend: str) -> None:
    """Each replicate is recomputed in another way from the items drawn."""
    n, m = 900, 4
    truth, predictions = contest(n, m)
    result = leaderboard(
        truth,
        predictions,
        axis=1,
        weights=weights,
        clusters=np.arange(n),  # The intervals are then based on the replicates.
        n_resamples=40,
        rng=7,
        backend=backend,
    )
    generator = np.random.default_rng(7)
    (times,) = draw_groups(n, 40, generator)
    assert (times.sum(axis=1) == n).all()
    replicates = np.array(
        [
            [
                cohen_kappa_score(
                    *(np.repeat(y, row.astype(int)) for y in (truth, p)), weights=weights
                )
                for p in predictions
            ]
            for row in times
        ]
    )
    expected = np.quantile(replicates, (0.025, 0.975), axis=0).T
    np.testing.assert_allclose(result.interval, expected[list(result.names)], atol=1e-12)
    alone = [cohen_kappa_score(truth, p, weights=weights) for p in predictions]
    assert result.kappa.tolist() == sorted(alone, reverse=True)
    assert result.names == tuple(np.argsort(alone)[::-1].tolist())


@pytest.mark.parametrize("n_labels", [2, 7, 60])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_groups_of_items_sum_up_to_all_of_them(n_labels: int, weights: Any, backend: str) -> None:
    """If every group is drawn once, a replicate is the sample, for few labels and for many."""
    from fastkappa.kernels.dispatch import get_kernels
    from fastkappa.leaderboards.items import random_groups
    from fastkappa.leaderboards.items.reference import Pair
    from fastkappa.ratings.read import read_columns
    from fastkappa.tables.known_labels import KnownLabels

    rng = np.random.default_rng(5)
    truth = rng.integers(0, n_labels, 3000).astype(np.int16)
    prediction = np.where(rng.random(3000) < 0.5, truth, rng.integers(0, n_labels + 1, 3000))
    matrix = matrix_of(weights, n_labels).astype(float)
    groups = random_groups.ItemGroups(3000, 1000, rng)
    assert len(np.unique(groups.of_item)) > 900
    first, second = read_columns(truth, prediction, ("truth", "prediction"))
    known = KnownLabels(range(n_labels), first, second)
    kept = np.flatnonzero(rng.random(3000) < 0.8)
    columns = [
        Pair((first, second), None, 0),
        Pair((first, second._replace(values=second.values[kept])), kept, 0),
    ]
    sums = random_groups.sum_by_group(
        get_kernels(backend), groups, first, known, columns, matrix, 2, have_all=False
    )
    found = resampled_kappas(np.ones((1, 1000)), *sums, matrix)[0]
    for kappa, items in zip(found, (slice(None), kept)):
        with_label = prediction[items] < n_labels
        y1, y2 = truth[items][with_label], prediction[items][with_label]
        expected = cohen_kappa_score(y1, y2, weights=weights, labels=range(n_labels))
        assert kappa == pytest.approx(expected, rel=1e-12)
    of_seven = kept[groups.of_item[kept] == 7]
    of_seven = of_seven[prediction[of_seven] < n_labels]
    assert sums.rows[7, 1].tolist() == np.bincount(truth[of_seven], minlength=n_labels).tolist()
