"""Search for the best thresholds, using tables from ``items`` and their best cuts from ``cuts``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.shortcuts.loading import cut_search
from fastkappa.thresholds.cuts.cut_programme import Cuts, Programme, best_cuts, rows_worth_splitting
from fastkappa.thresholds.items.binned_scores import BinnedScores, bin_scores
from fastkappa.thresholds.items.open_rows import OpenRows
from fastkappa.thresholds.items.scored_items import Places, ScoredItems
from fastkappa.thresholds.items.sorted_scores import SortedScores, sort_scores, thresholds_between

# The largest number of cells in the table of all bins and labels.
MOST_CELLS = 1 << 19


def n_coarse_rows(n_items: int) -> int:
    """Return the number of rows in the first table of sorted items."""
    return max(1 << 11, min(n_items // 16, 1 << 13), min(4 * math.isqrt(n_items), 1 << 15))


def n_bins(n_items: int, n_labels: int) -> int:
    """Return the number of bins. With more bins, fewer items are sorted."""
    return max(16, min(n_items // 32, 1 << 16, MOST_CELLS // (n_labels + 1)))


class SearchSizes(NamedTuple):
    """Table sizes that determine whether the search starts with a coarser table.

    Up to ``most_rows`` rows are searched directly. With more rows, a coarser table first shows
    which rows are worth splitting.
    """

    most_rows: int = 12_000
    n_coarse_rows: Callable[[int], int] = n_coarse_rows
    n_bins: Callable[[int, int], int] = n_bins


SIZES = SearchSizes()


class Best(NamedTuple):
    """The best cuts between sorted items. ``places`` is the number of items below each cut."""

    places: Places
    table: Floats
    rounds: int
    gap: float


def best_sorted(
    kernels: ScoreKernels, items: SortedScores, matrix: AnyArray, sizes: SearchSizes = SIZES
) -> Best:
    """Return the best cuts of sorted items."""
    n_items = len(items.scores)
    few = n_items <= sizes.most_rows
    places = items.distinct_places() if few else np.array([0, n_items])
    prefix = items.prefix_at(kernels, places)
    programme = Programme(prefix[:, -1], matrix, cut_search(kernels))
    only = single_label_cuts(programme, n_items)
    if only is not None:
        return only
    if few:
        cuts = best_cuts(programme, prefix)
        return Best(places[cuts.positions], cuts.table, cuts.rounds, cuts.gap)
    everything = OpenRows(np.zeros(1, np.intp), items)
    return best_with_open_rows(kernels, programme, prefix, places, everything, None, sizes)


def best_binned(
    kernels: ScoreKernels,
    items: ScoredItems,
    matrix: AnyArray,
    threads: int,
    sizes: SearchSizes = SIZES,
) -> tuple[Best, AnyArray] | None:
    """Return the best cuts and thresholds, or None if it is better to sort all items.

    Sorting is better if the bins that can contain a cut have more than half of the items.
    """
    n_items = len(items.scores)
    binned = bin_scores(kernels, items, sizes.n_bins(n_items, items.n_labels), threads)
    if binned is None:
        return None
    prefix, n_below = binned.prefix, binned.n_below
    programme = Programme(prefix[:, -1], matrix, cut_search(kernels))
    best = single_label_cuts(programme, n_items)
    if best is not None:
        return best, _thresholds_of_bins(binned, None, best.places)
    cuts = best_cuts(programme, prefix)
    opened = _bins_worth_opening(programme, binned, cuts)
    if 2 * int((n_below[opened + 1] - n_below[opened]).sum()) > n_items:
        return None
    if not len(opened):
        best = Best(n_below[cuts.positions], cuts.table, cuts.rounds, cuts.gap)
        return best, _thresholds_of_bins(binned, None, best.places)
    inside = OpenRows(opened, sort_scores(binned.collect(opened)))
    best = best_with_open_rows(kernels, programme, prefix, n_below, inside, cuts, sizes)
    return best, _thresholds_of_bins(binned, inside, best.places)


def _bins_worth_opening(programme: Programme, binned: BinnedScores, cuts: Cuts) -> NDArray[np.intp]:
    """Return the bins whose items must be sorted."""
    worth = rows_worth_splitting(programme, binned.prefix, cuts)
    # The bins next to a cut are also opened, because the threshold lies between their scores.
    beside = np.concatenate([cuts.positions - 1, cuts.positions])
    worth[beside[(beside >= 0) & (beside < len(worth))]] = True
    found = np.flatnonzero(worth)
    return found[~binned.single(found)]


def _thresholds_of_bins(binned: BinnedScores, inside: OpenRows | None, places: Places) -> AnyArray:
    """Return thresholds with the given number of items below each."""
    dtype = binned.items.scores.dtype.newbyteorder("=")
    n_below = binned.n_below
    sides = []
    for ranks, beyond in ((places - 1, -np.inf), (places, np.inf)):
        scores = np.full(len(places), beyond, dtype)
        for i, rank in enumerate(ranks.tolist()):
            if not 0 <= rank < n_below[-1]:
                continue
            row = int(np.searchsorted(n_below, rank, "right")) - 1
            if inside is not None and row in inside.rows:
                at = int(np.searchsorted(inside.rows, row))
                scores[i] = inside.items.scores[inside.starts(n_below)[at] + rank - n_below[row]]
            else:
                # If the bin after a cut was not opened, the cut is at the end of a bin.
                least, largest = binned.ranges()
                scores[i] = (least if beyond > 0 else largest)[row]
        sides.append(scores)
    return thresholds_between(*sides)


def best_with_open_rows(
    kernels: ScoreKernels,
    programme: Programme,
    prefix: Floats,
    n_below: Places,
    open_rows: OpenRows,
    cuts: Cuts | None,
    sizes: SearchSizes,
) -> Best:
    """Return the best cuts of a table, between its rows or inside its open rows.

    ``cuts`` are the best cuts between the rows, or None if unknown.
    """
    n_rounds = cuts.rounds if cuts else 0
    most_rows = sizes.most_rows
    places = n_below[cuts.positions] if cuts else None
    while True:
        n_items = len(open_rows.items.scores)
        n_parts = None if n_items <= most_rows else sizes.n_coarse_rows(n_items)
        prefix, n_below, open_rows = open_rows.split(kernels, prefix, n_below, n_parts)
        # Splitting a row keeps its ends, so earlier cuts are still places of the new table.
        known = None if places is None else np.searchsorted(n_below, places)
        found = best_cuts(programme, prefix, known)
        n_rounds += found.rounds
        if n_parts is None:
            break
        worth = rows_worth_splitting(programme, prefix, found)
        places = n_below[found.positions]
        open_rows = open_rows.only(n_below, worth)
        if not len(open_rows.rows):
            break
        if len(open_rows.items.scores) > n_items // 2:
            # If the parts would hardly be smaller, the row is split completely.
            most_rows = n_items
    return Best(n_below[found.positions], found.table, n_rounds, found.gap)


def single_label_cuts(programme: Programme, n_items: int) -> Best | None:
    """Return the cuts for a table with a single label, or None if several labels occur."""
    present = np.flatnonzero(programme.totals)
    if len(present) > 1:
        return None
    places = np.zeros(programme.n_labels - 1, np.int64)
    places[present[0] :] = n_items
    return Best(places, np.diag(programme.totals), 0, 0.0)
