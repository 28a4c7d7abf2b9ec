"""Find the best thresholds: ``items`` builds the tables, and ``cuts`` finds their best cuts."""

from __future__ import annotations

import math
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


class SearchSizes(NamedTuple):
    """The sizes of the tables to search.

    Up to ``most_rows`` sorted items are searched directly. With more items, a table of
    ``n_coarse_rows`` rows first shows which rows are worth splitting. The number of bins is
    ``bins_per_root`` times the square root of the number of items. With more bins, counting takes
    longer, and with fewer, more items must be sorted.
    """

    most_rows: int = 12_000
    n_coarse_rows: int = 1 << 13
    bins_per_root: int = 16


SIZES = SearchSizes()


class Best(NamedTuple):
    """The best cuts between sorted items. ``places`` holds the number of items below each cut."""

    places: Places
    table: Floats
    rounds: int
    gap: float


def best_sorted(
    kernels: ScoreKernels, items: SortedScores, matrix: AnyArray, sizes: SearchSizes = SIZES
) -> Best:
    """Return the best cuts between sorted items."""
    n_items = len(items.scores)
    few = n_items <= sizes.most_rows
    places = items.distinct_places() if few else items.even_places(sizes.n_coarse_rows)
    prefix = items.prefix_at(kernels, places)
    programme = Programme(prefix[:, -1], matrix, cut_search(kernels))
    only = single_label_cuts(programme, n_items)
    if only is not None:
        return only
    cuts = best_cuts(programme, prefix)
    best = Best(places[cuts.positions], cuts.table, cuts.rounds, cuts.gap)
    if few:
        return best
    worth = rows_worth_splitting(programme, prefix, cuts)
    inside = OpenRows(np.flatnonzero(worth), items.chosen(np.repeat(worth, np.diff(places))))
    return _best_with_open_rows(kernels, programme, prefix, places, inside, best)


def best_binned(
    kernels: ScoreKernels,
    items: ScoredItems,
    matrix: AnyArray,
    threads: int,
    sizes: SearchSizes = SIZES,
) -> tuple[Best, AnyArray] | None:
    """Return the best cuts and thresholds, or None if it is better to sort all items.

    Sorting is better if more than half of the items are in bins that can contain a cut.
    """
    n_items = len(items.scores)
    n_bins = sizes.bins_per_root * math.isqrt(n_items)
    n_bins = max(16, min(n_bins, MOST_CELLS // (items.n_labels + 1)))
    binned = bin_scores(kernels, items, n_bins, threads)
    if binned is None:
        return None
    prefix, n_below = binned.prefix, binned.n_below
    programme = Programme(prefix[:, -1], matrix, cut_search(kernels))
    best = single_label_cuts(programme, n_items)
    if best is not None:
        return best, _thresholds_of_bins(binned, None, best.places)
    cuts = best_cuts(programme, prefix)
    best = Best(n_below[cuts.positions], cuts.table, cuts.rounds, cuts.gap)
    opened = _bins_worth_opening(programme, binned, cuts)
    if 2 * int((n_below[opened + 1] - n_below[opened]).sum()) > n_items:
        return None
    if not len(opened):
        return best, _thresholds_of_bins(binned, None, best.places)
    inside = OpenRows(opened, sort_scores(binned.collect(opened)))
    best = _best_with_open_rows(kernels, programme, prefix, n_below, inside, best)
    return best, _thresholds_of_bins(binned, inside, best.places)


def _bins_worth_opening(programme: Programme, binned: BinnedScores, cuts: Cuts) -> NDArray[np.intp]:
    """Return the bins whose items must be sorted."""
    worth = rows_worth_splitting(programme, binned.prefix, cuts)
    # The bins beside a cut are also opened, because the threshold is between their scores.
    beside = np.concatenate([cuts.positions - 1, cuts.positions])
    worth[beside[(beside >= 0) & (beside < len(worth))]] = True
    found = np.flatnonzero(worth)
    return found[~binned.single(found)]


def _thresholds_of_bins(binned: BinnedScores, inside: OpenRows | None, places: Places) -> AnyArray:
    """Return, for each place, a threshold with that many items below it."""
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
                # If the bin beside a cut was not opened, the cut is at an edge of this bin.
                least, largest = binned.ranges()
                scores[i] = (least if beyond > 0 else largest)[row]
        sides.append(scores)
    return thresholds_between(*sides)


def _best_with_open_rows(
    kernels: ScoreKernels,
    programme: Programme,
    prefix: Floats,
    n_below: Places,
    open_rows: OpenRows,
    best: Best,
) -> Best:
    """Return the best cuts of a table, both between its rows and inside its open rows.

    ``best`` contains the best cuts between the rows.
    """
    prefix, n_below = open_rows.split(kernels, prefix, n_below)
    # Splitting a row keeps its ends, so the earlier cuts are also places in the new table.
    found = best_cuts(programme, prefix, np.searchsorted(n_below, best.places))
    return Best(n_below[found.positions], found.table, best.rounds + found.rounds, found.gap)


def single_label_cuts(programme: Programme, n_items: int) -> Best | None:
    """Return the cuts if all items have the same true label, or None if several labels occur."""
    present = np.flatnonzero(programme.totals)
    if len(present) > 1:
        return None
    places = np.zeros(programme.n_labels - 1, np.int64)
    places[present[0] :] = n_items
    return Best(places, np.diag(programme.totals), 0, 0.0)
