"""Scored items in groups that lie above each other, to find what is below a threshold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.thresholds.items.binned_scores import BinnedScores, bin_scores
from fastkappa.thresholds.items.scored_items import ScoredItems
from fastkappa.thresholds.items.sorted_scores import sort_scores

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

# So many items are in a group: looking at each of them takes no longer than finding the group.
GROUP = 64
# A larger group is sorted and divided.
MOST_IN_GROUP = 1024
MOST_SORTED_GROUPS = 64
# Fewer are sorted in the time it takes to set up the bins.
ITEMS_WORTH_BINS = 1 << 15


class GroupedScores(NamedTuple):
    """Items in groups of which each lies above the one before; inside, in any order.

    Group g has the items from ``starts[g]`` on and below ``starts[g + 1]``. Its lowest score
    is ``least[g]``, and ``prefix[g]`` are the sums of the labels below it; the last row is
    that of all items.
    """

    scores: AnyArray
    codes: NDArray[np.uint16]
    weights: Floats | None
    starts: Places
    least: Floats
    prefix: Floats

    def tables(self, thresholds: Floats) -> Floats:
        """Return the confusion table of each row of thresholds."""
        # In the scores' type, for a score is below a threshold if it is below the next of these.
        cuts = thresholds.astype(self.scores.dtype)
        cuts = np.where(cuts < thresholds, np.nextafter(cuts, cuts.dtype.type(np.inf)), cuts)
        cuts.sort(axis=1)
        groups = np.searchsorted(self.least, cuts, "left") - 1
        n_labels = self.prefix.shape[1]
        below = np.zeros((len(cuts), n_labels + 1, n_labels))
        below[:, -1] = self.prefix[-1]
        for i, row in enumerate(groups):
            for c, group in enumerate(row.tolist()):
                if group < 0:
                    continue
                group_items = slice(*self.starts[group : group + 2].tolist())
                inside = self.scores[group_items] < cuts[i, c]
                weights = 1.0 if self.weights is None else self.weights[group_items][inside]
                # One after the other, as the sums that are known: then equal sums are equal.
                below[i, c + 1] = self.prefix[group]
                np.add.at(below[i, c + 1], self.codes[group_items][inside], weights)
        return np.ascontiguousarray(np.diff(below, axis=1).swapaxes(1, 2))


def group_scores(kernels: ScoreKernels, items: ScoredItems, threads: int) -> GroupedScores:
    """Return the items in groups: bins where that can be, or else all items in order."""
    n_items = len(items.scores)
    # Sums of fractions must be those of the items one after the other.
    if n_items >= ITEMS_WORTH_BINS and items.counts_whole:
        binned = bin_scores(kernels, items, n_items // GROUP, threads)
        if binned is not None:
            large = np.flatnonzero(np.diff(binned.sizes) > MOST_IN_GROUP)
            if len(large) <= MOST_SORTED_GROUPS:
                return _grouped_by_bins(binned, large)
    ordered = sort_scores(kernels, items)
    starts = np.append(np.arange(0, n_items, GROUP), n_items)
    prefix = ordered.prefix_at(kernels, starts)
    return _grouped(ordered.scores, ordered.codes, ordered.weights, starts, prefix)


def _grouped_by_bins(binned: BinnedScores, large: NDArray[np.intp]) -> GroupedScores:
    """Return the items by bins, those of the large ones in order and divided."""
    kernels, items = binned.kernels, binned.grouped()
    starts, prefixes = [], []
    first = 0
    for row in large.tolist():
        inside = slice(*binned.sizes[row : row + 2].tolist())
        ordered = sort_scores(kernels, items.part(inside))
        items.scores[inside] = ordered.scores
        items.codes[inside] = ordered.codes
        if items.weights is not None:
            items.weights[inside] = ordered.weights
        places = np.arange(0, len(ordered.scores), GROUP)
        starts += [binned.sizes[first:row], inside.start + places]
        prefixes.append(binned.prefix[:, first:row])
        prefixes.append(binned.prefix[:, row : row + 1] + ordered.prefix_at(kernels, places))
        first = row + 1
    starts.append(binned.sizes[first:])
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
) -> GroupedScores:
    least = np.minimum.reduceat(scores, starts[:-1]).astype(np.float64)
    # All that is known of a group lies together in memory.
    return GroupedScores(scores, codes, weights, starts, least, np.ascontiguousarray(prefix.T))
