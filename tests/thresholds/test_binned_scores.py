"""Items in bins: no item is lost, and the items of chosen bins are collected."""

from __future__ import annotations

import numpy as np
import pytest

from fastkappa import optimal_thresholds
from fastkappa.kernels.dispatch import get_kernels, score_kernels
from fastkappa.thresholds.items import binned_scores
from fastkappa.thresholds.items.binned_scores import bin_scores
from fastkappa.thresholds.items.scored_items import read_scored_items
from fastkappa.thresholds.items.sorted_scores import sort_scores

pytestmark = pytest.mark.usefixtures("drop_in_backend")


def some_items(n, seed=0, dtype=np.float64, decimals=None, weighted=False):
    """Return items, and the kernels in use."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, 6, n)
    scores = (rng.normal(size=n) + y).astype(dtype)
    if decimals is not None:
        scores = scores.round(decimals)
    weights = rng.integers(1, 5, n) if weighted else None
    kernels = get_kernels()
    return score_kernels(kernels), read_scored_items(kernels, y, scores, None, weights, 2)


def check(table, items):
    """Compare the sums of a table with sums over the sorted items."""
    order = np.argsort(items.scores, kind="stable")
    weights = np.ones(len(order)) if items.weights is None else items.weights[order]
    codes = items.codes[order] - items.lowest
    for y in range(items.n_labels):
        below = np.concatenate([[0], np.cumsum(np.where(codes == y, weights, 0))])
        assert table.prefix[y].tolist() == below[table.n_below].tolist()
    scores = items.scores[order]
    inner = table.n_below[1:-1]
    assert (scores[inner - 1] < scores[inner]).all()
    assert (np.diff(table.n_below) > 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_bins_hold_the_items(dtype, weighted):
    kernels, items = some_items(5000, 1, dtype, weighted=weighted)
    binned = bin_scores(kernels, items, 200, 2)
    check(binned, items)
    wanted = np.flatnonzero(np.random.default_rng(2).random(len(binned.n_below) - 1) < 0.5)
    inside = sort_scores(binned.collect(wanted))
    scores = np.sort(items.scores)
    rows = list(zip(binned.n_below[:-1], binned.n_below[1:]))
    expected = np.concatenate([scores[slice(*rows[row])] for row in wanted])
    assert inside.scores.tolist() == expected.tolist()
    least, largest = binned.ranges()
    assert least.tolist() == [scores[start] for start, _ in rows]
    assert largest.tolist() == [scores[stop - 1] for _, stop in rows]


def test_bins_of_one_score_are_found():
    kernels, items = some_items(20_000, 3, decimals=0)
    table = bin_scores(kernels, items, 500, 2)
    scores = np.sort(items.scores)
    same = scores[table.n_below[:-1]] == scores[table.n_below[1:] - 1]
    assert same.sum() > 5
    assert table.single(np.arange(len(same))).tolist() == same.tolist()
    kernels, items = some_items(20_000, 3)
    table = bin_scores(kernels, items, 500, 2)
    assert not table.single(np.arange(len(table.n_below) - 1)).any()


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_tied_scores_are_not_sorted(decimals):
    rng = np.random.default_rng(5)
    y = rng.integers(0, 5, 30_000)
    scores = (0.7 * y + rng.normal(size=len(y))).round(decimals)
    binned = optimal_thresholds(y, scores, method="bins")
    assert binned.method == "bins"
    plain = optimal_thresholds(y, scores, method="sort")
    assert binned.kappa == plain.kappa
    assert binned.thresholds.tolist() == plain.thresholds.tolist()


def test_counts_of_several_ranges_are_added(monkeypatch):
    monkeypatch.setattr(binned_scores, "LONGEST_RANGE", 1000)
    kernels, items = some_items(5000, 7)
    check(bin_scores(kernels, items, 50, 1), items)
