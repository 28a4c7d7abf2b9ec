"""The search for the best thresholds: items on one side, the programme on the other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.shortcuts.loading import cut_search
from fastkappa.thresholds.cuts.programme import Cuts, Programme, best_cuts, rows_worth_splitting
from fastkappa.thresholds.items.bin_table import BinTable, joined_runs
from fastkappa.thresholds.items.binned_scores import bin_scores
from fastkappa.thresholds.items.scored_items import ScoredItems
from fastkappa.thresholds.items.sorted_scores import (
    Floats,
    Places,
    SortedScores,
    thresholds_between,
)
from fastkappa.thresholds.items.split_rows import OpenRows

# So many rows are searched at once. Of more, those worth it are found among coarser ones.
MOST_ROWS = 12_000
# Of more items, those worth sorting are found in finer bins.
MOST_SORTED = 1 << 18


class Best(NamedTuple):
    """The best cuts between items in order: ``places`` is how many lie below each."""

    places: Places
    table: Floats
    rounds: int
    gap: float


def best_sorted(
    kernels: ScoreKernels, items: SortedScores, matrix: AnyArray, min_class_size: int
) -> Best | None:
    """Return the best cuts, or None if none give each label as many items as it must have."""
    n_items = len(items.scores)
    # Of few items, all places between them are searched at once.
    few = n_items <= MOST_ROWS
    places = items.distinct_places() if few else np.array([0, n_items])
    prefix = items.prefix_at(kernels, places)
    programme = Programme(prefix[:, -1], matrix, min_class_size, cut_search(kernels))
    only = only_label(programme, n_items)
    if only is not None:
        return only
    if few:
        cuts = best_cuts(programme, prefix, places)
        return cuts and Best(places[cuts.positions], cuts.table, cuts.rounds, cuts.gap)
    everything = OpenRows(np.zeros(1, np.intp), items)
    return best_inside(kernels, programme, prefix, places, everything, None)


def best_binned(
    kernels: ScoreKernels, items: ScoredItems, matrix: AnyArray, min_class_size: int, threads: int
) -> tuple[Best, AnyArray] | None:
    """Return the best cuts and thresholds, or None where sorting all items is the better way.

    That is where the cuts may be in more than half of the items, or where no cuts between
    bins give each label as many items as it must have.
    """
    n_items = len(items.scores)
    n_bins = coarse_bins(n_items, items.n_labels)
    binned = bin_scores(kernels, items, n_bins, threads)
    if binned is None:
        return None
    table = BinTable.of(binned)
    programme = Programme(table.prefix[:, -1], matrix, min_class_size, cut_search(kernels))
    best = only_label(programme, n_items)
    if best is not None:
        return best, _thresholds_of_bins(table, None, best.places)
    cuts = best_cuts(programme, table.prefix, table.sizes)
    if cuts is None:
        return None
    n_left = n_items
    while True:
        worth = _worth_opening(programme, table, cuts)
        n_inside = int(np.diff(table.sizes)[worth].sum())
        if 2 * n_inside > n_left:
            # Little would be won by dividing them once more.
            if n_left == n_items:
                return None
            break
        if n_inside <= MOST_SORTED:
            break
        finer = table.finer(worth, n_bins, threads)
        found = finer and best_cuts(programme, finer.prefix, finer.sizes)
        if not finer or not found:
            break
        table, n_left = finer, n_inside
        cuts = found._replace(rounds=cuts.rounds + found.rounds)
    inside = None
    if worth.any():
        inside = OpenRows(np.flatnonzero(worth), table.sorted_items(worth, threads))
        best = best_inside(kernels, programme, table.prefix, table.sizes, inside, cuts)
        assert best is not None
    else:
        best = Best(table.sizes[cuts.positions], cuts.table, cuts.rounds, cuts.gap)
    return best, _thresholds_of_bins(table, inside, best.places)


def _worth_opening(programme: Programme, table: BinTable, cuts: Cuts) -> NDArray[np.bool_]:
    """Tell which bins must be looked into."""
    worth = rows_worth_splitting(programme, table.prefix, table.sizes, cuts)
    # Most cuts stay where they are: the scores on both sides tell the threshold.
    beside = np.concatenate([cuts.positions - 1, cuts.positions])
    worth[beside[(beside >= 0) & (beside < len(worth))]] = True
    # What was not worth it when bins were coarser is not worth it now.
    worth &= table.open
    worth &= ~table.single(worth)
    # One run for each cut, and few more.
    return joined_runs(worth, table.sizes, programme.n_labels + 1) & table.open


def _thresholds_of_bins(table: BinTable, inside: OpenRows | None, places: Places) -> AnyArray:
    """Return the thresholds with so many items below each."""
    dtype = table.segments[0].binned.items.scores.dtype.newbyteorder("=")
    sizes = table.sizes
    sides = []
    for ranks, beyond in ((places - 1, -np.inf), (places, np.inf)):
        scores = np.full(len(places), beyond, dtype)
        for i, rank in enumerate(ranks.tolist()):
            if not 0 <= rank < sizes[-1]:
                continue
            row = int(np.searchsorted(sizes, rank, "right")) - 1
            if inside is not None and row in inside.rows:
                at = int(np.searchsorted(inside.rows, row))
                scores[i] = inside.inside.scores[inside.starts(sizes)[at] + rank - sizes[row]]
            else:
                # A cut beside a bin that was not looked into is at its end.
                scores[i] = table.end_scores(row)[0 if beyond > 0 else 1]
        sides.append(scores)
    return thresholds_between(*sides)


def coarse_bins(n_items: int, n_labels: int) -> int:
    """Return in how many bins items are counted at first."""
    return min(max(4, n_labels) * math.isqrt(n_items), 1 << 14)


def best_inside(
    kernels: ScoreKernels,
    programme: Programme,
    prefix: Floats,
    sizes: Places,
    open_rows: OpenRows,
    cuts: Cuts | None,
) -> Best | None:
    """Return the best cuts of a table, those inside its open rows too.

    ``cuts`` are the best ones between the rows, if they are known.
    """
    n_rounds = cuts.rounds if cuts else 0
    most_rows = MOST_ROWS
    places = sizes[cuts.positions] if cuts else None
    while True:
        n_items = len(open_rows.inside.scores)
        n_parts = None if n_items <= most_rows else coarse_rows(n_items)
        prefix, sizes, open_rows = open_rows.split(kernels, prefix, sizes, n_parts)
        # What is split keeps its ends, so cuts known before are still there.
        known = None if places is None else np.searchsorted(sizes, places)
        found = best_cuts(programme, prefix, sizes, known)
        n_rounds += found.rounds if found else 0
        if n_parts is None:
            break
        if found is None:
            # There may be cuts inside the parts that give each label enough items.
            worth = np.ones(len(sizes) - 1, bool)
        else:
            worth = rows_worth_splitting(programme, prefix, sizes, found)
            places = sizes[found.positions]
        open_rows = open_rows.only(sizes, worth)
        if not len(open_rows.rows):
            break
        if len(open_rows.inside.scores) > n_items // 2:
            # Little would be won by splitting them a bit more.
            most_rows = n_items
    if found is None:
        return None
    return Best(sizes[found.positions], found.table, n_rounds, found.gap)


def coarse_rows(n_items: int) -> int:
    """Return into how many rows items are best divided at first."""
    return max(1 << 11, min(n_items // 16, 1 << 13), min(4 * math.isqrt(n_items), 1 << 15))


def only_label(programme: Programme, n_items: int) -> Best | None:
    """Return the cuts that give all items the one label there is, None if there are more."""
    present = np.flatnonzero(programme.totals)
    if len(present) > 1 or programme.min_class_size:
        return None
    places = np.zeros(programme.n_labels - 1, np.int64)
    places[present[0] :] = n_items
    return Best(places, np.diag(programme.totals), 0, 0.0)


class PresortedSearch:
    """Finds the best thresholds of the same items again and again, their weights changing.

    That is what a bootstrap needs: the items are sorted once, and a resample is a number of
    times for each. A threshold lies in the middle between two items next to each other,
    whatever their weights.
    """

    def __init__(self, kernels: ScoreKernels, items: SortedScores, matrix: AnyArray) -> None:
        self._kernels = kernels
        self._items = items
        self._matrix = matrix
        self._places = items.distinct_places()

    def thresholds(self, item_weights: Floats) -> AnyArray:
        """Return the best thresholds for weights given in the order of the sorted items."""
        prefix = self._items.prefix_at(self._kernels, self._places, item_weights)
        programme = Programme(prefix[:, -1], self._matrix, search=cut_search(self._kernels))
        only = only_label(programme, len(self._items.scores))
        if only is not None:
            return self._items.thresholds_at(only.places)
        cuts = best_cuts(programme, prefix, self._places)
        assert cuts is not None
        return self._items.thresholds_at(self._places[cuts.positions])
