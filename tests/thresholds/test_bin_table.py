"""Bins divided into finer bins: no item is lost, and no place between items moves."""

from __future__ import annotations

import numpy as np
import pytest

from fastkappa import optimal_thresholds
from fastkappa.kernels.dispatch import get_kernels, score_kernels
from fastkappa.thresholds.items.bin_table import BinTable, joined_runs
from fastkappa.thresholds.items.binned_scores import bin_scores
from fastkappa.thresholds.items.scored_items import read_scored_items

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
def test_finer_tables_hold_the_same_items(dtype, weighted):
    kernels, items = some_items(5000, 1, dtype, weighted=weighted)
    rng = np.random.default_rng(2)
    table = BinTable.of(bin_scores(kernels, items, 60, 2))
    check(table, items)
    for _ in range(3):
        wanted = table.open & (rng.random(len(table.open)) < 0.6)
        finer = table.finer(wanted, 200, 2)
        check(finer, items)
        assert len(finer.n_below) > len(table.n_below)
        # Only the parts of a wanted bin are still open.
        n_open = np.diff(finer.n_below)[finer.open].sum()
        assert n_open == np.diff(table.n_below)[wanted].sum()
        table = finer
    wanted = table.open & (rng.random(len(table.open)) < 0.5)
    inside = table.sorted_items(wanted, 2)
    scores = np.sort(items.scores)
    rows = zip(table.n_below[:-1][wanted], table.n_below[1:][wanted])
    assert inside.scores.tolist() == np.concatenate([scores[a:b] for a, b in rows]).tolist()
    for row in range(len(table.open)):
        least, largest = table.end_scores(row)
        assert (least, largest) == (scores[table.n_below[row]], scores[table.n_below[row + 1] - 1])


def test_bins_of_one_score_are_found():
    kernels, items = some_items(20_000, 3, decimals=0)
    table = BinTable.of(bin_scores(kernels, items, 500, 2))
    scores = np.sort(items.scores)
    same = scores[table.n_below[:-1]] == scores[table.n_below[1:] - 1]
    assert same.sum() > 5
    assert table.single(np.ones(len(table.open), bool)).tolist() == same.tolist()
    kernels, items = some_items(20_000, 3)
    table = BinTable.of(bin_scores(kernels, items, 500, 2))
    assert not table.single(np.ones(len(table.open), bool)).any()


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


def test_runs_are_joined_where_few_items_lie_between():
    wanted = np.array([1, 0, 1, 0, 0, 1, 1, 0, 1], bool)
    n_below = np.array([0, 5, 6, 9, 11, 13, 14, 18, 30, 31])
    # Between the runs there are 1, 4 and 12 items.
    assert joined_runs(wanted, n_below, 4).tolist() == wanted.tolist()
    assert joined_runs(wanted, n_below, 3).tolist() == [1, 1, 1, 0, 0, 1, 1, 0, 1]
    assert joined_runs(wanted, n_below, 2).tolist() == [1, 1, 1, 1, 1, 1, 1, 0, 1]
    assert joined_runs(wanted, n_below, 1).all()


def test_counts_of_32_bits_do_not_overflow():
    kernels, items = some_items(5000, 7)
    check(BinTable.of(bin_scores(kernels, items, 50, 1, most_counted=1000)), items)
