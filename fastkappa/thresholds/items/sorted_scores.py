"""Scored items, sorted by score."""

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
    """Items sorted by score; item i has label ``codes[i]``, a uint16 below ``n_labels``."""

    scores: AnyArray
    codes: AnyArray
    weights: Floats | None
    n_labels: int

    def distinct_places(self) -> Places:
        """Return the places between items of different scores, and both ends."""
        inner = np.flatnonzero(self.scores[1:] != self.scores[:-1]) + 1
        return np.concatenate([[0], inner, [len(self.scores)]])

    def even_places(self, n_rows: int) -> Places:
        """Return about ``n_rows`` evenly spaced places between different scores, and both ends."""
        n_items = len(self.scores)
        spread = np.arange(1, n_rows) * n_items // n_rows
        inner = np.searchsorted(self.scores, self.scores[spread], "left")
        return ascending(np.concatenate([[0], inner, [n_items]]))

    def chosen(self, mask: NDArray[np.bool_]) -> SortedScores:
        """Return some of the items."""
        weights = None if self.weights is None else self.weights[mask]
        return SortedScores(self.scores[mask], self.codes[mask], weights, self.n_labels)

    def thresholds_at(self, places: Places) -> AnyArray:
        """Return thresholds with the given number of items below each."""
        last = len(self.scores) - 1
        lower = np.where(places > 0, self.scores[np.maximum(places - 1, 0)], -np.inf)
        upper = np.where(places <= last, self.scores[np.minimum(places, last)], np.inf)
        return thresholds_between(lower, upper)

    def prefix_at(
        self, kernels: ScoreKernels, places: Places, item_weights: Floats | None = None
    ) -> Floats:
        """Return the count, or sum of weights, of each label below each place but the first."""
        weights = self.weights if item_weights is None else item_weights
        prefix = np.zeros((self.n_labels, len(places)))
        kernels.accumulate_labels(self.codes, weights, places, prefix)
        return prefix


def join_sorted(parts: list[SortedScores]) -> SortedScores:
    """Return the items of all parts; each part lies above the one before."""
    if len(parts) == 1:
        return parts[0]
    weights = None
    if parts[0].weights is not None:
        weights = np.concatenate([part.weights for part in parts if part.weights is not None])
    return SortedScores(
        np.concatenate([part.scores for part in parts]),
        np.concatenate([part.codes for part in parts]),
        weights,
        parts[0].n_labels,
    )


def ascending(places: Places) -> Places:
    """Return sorted places without repetitions."""
    kept: Places = places[np.append(places[:-1] != places[1:], True)]
    return kept


def thresholds_between(lower: AnyArray, upper: AnyArray) -> AnyArray:
    """Return a threshold above each lower score and at most the upper one.

    It is the midpoint if that is representable in their type, else the upper score; -inf and
    inf stand for no score.
    """
    middle = lower / 2 + upper / 2
    middle = np.where((lower < middle) & (middle <= upper), middle, upper)
    middle = np.where(np.isneginf(lower), lower, middle)
    # 0.0 and not -0.0
    return middle + middle.dtype.type(0)


def sort_scores(kernels: ScoreKernels, items: ScoredItems) -> SortedScores:
    """Return the items sorted by score."""
    n_labels = items.n_labels
    if items.weights is None and kernels.sort_items is not None:
        ordered = kernels.sort_items(items)
        if ordered is not None:
            in_order, in_order_codes = ordered
            refuse_codes_outside(in_order_codes, n_labels)
            return SortedScores(in_order, in_order_codes, None, n_labels)
    # A copy: NumPy's sort reads and writes beyond an array that changes meanwhile.
    scores = items.scores.copy()
    order = np.argsort(scores)
    scores = scores[order]
    # NaN comes last, infinity before it or first.
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
