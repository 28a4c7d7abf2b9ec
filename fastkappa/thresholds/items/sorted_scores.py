"""Sort scored items by score, and find thresholds between items."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.tables.codecs import LabelRange
from fastkappa.thresholds.items.scored_items import (
    Places,
    ScoredItems,
    infinite_scores,
    refuse_codes_outside,
)


class SortedScores(NamedTuple):
    """Items sorted by score. Item i has label code ``codes[i]``, a uint16 below ``n_labels``."""

    scores: AnyArray
    codes: AnyArray
    weights: Floats | None
    n_labels: int

    def distinct_places(self) -> Places:
        """Return the places between items with different scores, and both ends."""
        inner = np.flatnonzero(self.scores[1:] != self.scores[:-1]) + 1
        return np.concatenate([[0], inner, [len(self.scores)]])

    def even_places(self, n_rows: int) -> Places:
        """Return both ends, and about ``n_rows`` evenly spaced places between different scores."""
        n_items = len(self.scores)
        spread = np.arange(1, n_rows) * n_items // n_rows
        inner = np.searchsorted(self.scores, self.scores[spread], "left")
        return ascending(np.concatenate([[0], inner, [n_items]]))

    def chosen(self, mask: NDArray[np.bool_]) -> SortedScores:
        """Return the items that a mask selects."""
        weights = None if self.weights is None else self.weights[mask]
        return SortedScores(self.scores[mask], self.codes[mask], weights, self.n_labels)

    def thresholds_at(self, places: Places) -> AnyArray:
        """Return, for each place, a threshold with that many items below it."""
        last = len(self.scores) - 1
        lower = np.where(places > 0, self.scores[np.maximum(places - 1, 0)], -np.inf)
        upper = np.where(places <= last, self.scores[np.minimum(places, last)], np.inf)
        return thresholds_between(lower, upper)

    def prefix_at(self, kernels: ScoreKernels, places: Places) -> Floats:
        """Return the number of items with each label below each place, or the sum of their weights.

        Items below the first place are ignored.
        """
        prefix = np.zeros((self.n_labels, len(places)))
        kernels.accumulate_labels(self.codes, self.weights, places, prefix)
        return prefix


def ascending(places: Places) -> Places:
    """Remove duplicates from sorted places."""
    kept: Places = places[np.append(places[:-1] != places[1:], True)]
    return kept


def thresholds_between(lower: AnyArray, upper: AnyArray) -> AnyArray:
    """Return thresholds that are above the lower scores and at or below the upper scores.

    A threshold is the midpoint of the two scores if their dtype can represent it, otherwise the
    upper score. A lower score of -inf or an upper score of inf marks a side without scores.
    """
    middle = lower / 2 + upper / 2
    middle = np.where((lower < middle) & (middle <= upper), middle, upper)
    middle = np.where(np.isneginf(lower), lower, middle)
    # Adding 0.0 converts -0.0 to 0.0.
    return middle + middle.dtype.type(0)


def sort_scores(items: ScoredItems, order: NDArray[np.intp] | None = None) -> SortedScores:
    """Return the items sorted by score. A known sort order can be passed as ``order``."""
    n_labels = items.n_labels
    # The array is copied, because NumPy's sort can access memory out of bounds if another thread
    # changes the array during the sort.
    scores = items.scores.copy()
    if order is None:
        order = np.argsort(scores)
    scores = scores[order]
    # Sorting puts NaN last and infinities at either end, so only the first and the last score are
    # checked.
    if not np.isfinite(scores[[0, -1]]).all():
        raise infinite_scores(items.scores)
    codes = LabelRange(items.lowest, n_labels).codes(items.codes[order])
    refuse_codes_outside(codes, n_labels)
    return SortedScores(
        scores.astype(scores.dtype.newbyteorder("=")),
        codes.astype(np.uint16),
        None if items.weights is None else items.weights[order],
        n_labels,
    )
