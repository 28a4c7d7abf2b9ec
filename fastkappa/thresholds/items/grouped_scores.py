"""Keep scored items in ordered groups, so that items below a threshold can be counted fast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.contract import GroupedItems, ScoreKernels
from fastkappa.thresholds.items.binned_scores import BinnedScores, bin_scores
from fastkappa.thresholds.items.scored_items import Places, ScoredItems
from fastkappa.thresholds.items.sorted_scores import sort_scores

# The number of items per group. Scanning a group of this size takes no longer than finding it.
GROUP = 64
# The largest number of items in a group. Larger groups are sorted and split.
MOST_IN_GROUP = 1024
MOST_SORTED_GROUPS = 64
# The largest number of cells in the table of all bins and labels.
MOST_CELLS = 1 << 18
# With fewer items than this, sorting takes no longer than setting up the bins.
ITEMS_WORTH_BINS = 1 << 15


def tables_at(items: GroupedItems, thresholds: Floats) -> Floats:
    """Return the confusion matrix for each row of thresholds."""
    # Rounding a threshold up to a number of the scores' dtype does not change which scores are
    # below it.
    limits = thresholds.astype(items.scores.dtype)
    next_up = np.nextafter(limits, limits.dtype.type(np.inf))
    limits = np.where(limits < thresholds, next_up, limits)
    limits.sort(axis=1)
    groups = np.searchsorted(items.least, limits, "left") - 1
    n_labels = items.prefix.shape[1]
    below = np.zeros((len(limits), n_labels + 1, n_labels))
    below[:, -1] = items.prefix[-1]
    for i, row in enumerate(groups):
        for c, group in enumerate(row.tolist()):
            if group < 0:
                continue
            group_items = slice(*items.starts[group : group + 2].tolist())
            inside = items.scores[group_items] < limits[i, c]
            weights = 1.0 if items.weights is None else items.weights[group_items][inside]
            # Weights are added one by one, as in the prefix sums, so that sums of the same
            # weights are equal bit by bit.
            below[i, c + 1] = items.prefix[group]
            np.add.at(below[i, c + 1], items.codes[group_items][inside], weights)
    return np.ascontiguousarray(np.diff(below, axis=1).swapaxes(1, 2))


def group_scores(kernels: ScoreKernels, items: ScoredItems, threads: int) -> GroupedItems:
    """Return the items in groups: bins if possible, otherwise runs of sorted items."""
    n_items = len(items.scores)
    # Bins are used only for integer sums, because fractional weights must be added one by one in
    # the order of the scores.
    if n_items >= ITEMS_WORTH_BINS and items.counts_whole:
        most_bins = max(16, MOST_CELLS // (items.n_labels + 1))
        binned = bin_scores(kernels, items, min(n_items // GROUP, most_bins), threads)
        if binned is not None:
            large = np.flatnonzero(np.diff(binned.n_below) > MOST_IN_GROUP)
            if len(large) <= MOST_SORTED_GROUPS:
                return _grouped_by_bins(binned, large)
    ordered = sort_scores(items)
    starts = np.append(np.arange(0, n_items, GROUP), n_items)
    prefix = ordered.prefix_at(kernels, starts)
    return _grouped(ordered.scores, ordered.codes, ordered.weights, starts, prefix)


def _grouped_by_bins(binned: BinnedScores, large: NDArray[np.intp]) -> GroupedItems:
    """Return the items grouped by bin. Large bins are sorted and divided."""
    kernels, items = binned.kernels, binned.grouped()
    starts, prefixes = [], []
    first = 0
    for row in large.tolist():
        inside = slice(*binned.n_below[row : row + 2].tolist())
        ordered = sort_scores(items.part(inside))
        items.overwrite(inside, ordered.scores, ordered.codes, ordered.weights)
        places = np.arange(0, len(ordered.scores), GROUP)
        starts += [binned.n_below[first:row], inside.start + places]
        prefixes.append(binned.prefix[:, first:row])
        prefixes.append(binned.prefix[:, row : row + 1] + ordered.prefix_at(kernels, places))
        first = row + 1
    starts.append(binned.n_below[first:])
    prefixes.append(binned.prefix[:, first:])
    return _grouped(
        items.scores,
        items.codes,
        items.weights,
        np.concatenate(starts),
        np.concatenate(prefixes, axis=1),
    )


def _grouped(
    scores: AnyArray, codes: AnyArray, weights: Floats | None, starts: Places, prefix: Floats
) -> GroupedItems:
    least = np.minimum.reduceat(scores, starts[:-1]).astype(np.float64)
    # The transposed layout keeps the sums of a group adjacent in memory.
    return GroupedItems(scores, codes, weights, starts, least, np.ascontiguousarray(prefix.T))
