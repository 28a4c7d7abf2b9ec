"""Scored items counted in bins of their scores, and those of some bins collected."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fastkappa.counting.scored_items import ScoredItems, refuse_infinite_scores
from fastkappa.counting.sorted_scores import SortedScores, sort_scores
from fastkappa.counting.threads import Stretches, run_in_threads
from fastkappa.types import AnyArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

SAMPLE = 1 << 12
# The bins are between these quantiles: a few scores far away must not make them wide.
QUANTILES = (0.002, 0.998)
MOST_CELLS = 1 << 18
# Threads take some 100 microseconds to start, in which one counts so many items.
ITEMS_WORTH_A_THREAD = 1 << 18
LONGEST_STRETCH = 1 << 22
# What is collected is first written where it all has room.
COLLECTED_AT_ONCE = 1 << 17


class BinnedScores:
    """Scored items in bins, those without items left out.

    ``prefix`` and ``sizes`` are the sums of the labels, and of the items, below each bin
    and below the end.
    """

    def __init__(
        self, kernels: Any, items: ScoredItems, bins: tuple[float, float, int], threads: int
    ) -> None:
        self.kernels, self.items, self.bins = kernels, items, bins
        self._threads = max(1, min(threads, len(items.scores) // ITEMS_WORTH_A_THREAD))
        counts, weights = self._count()
        if counts[-1].any():
            refuse_infinite_scores(items.scores)
        n_items = counts.sum(axis=1)
        self._bin = np.flatnonzero(n_items)
        self.sizes: Places = np.concatenate([[0], np.cumsum(n_items[self._bin])])
        table = (counts if weights is None else weights)[self._bin, : items.n_labels]
        self.prefix: Floats = np.zeros((items.n_labels, len(self._bin) + 1))
        np.cumsum(table.T, axis=1, out=self.prefix[:, 1:])

    def collect(self, rows: NDArray[np.intp]) -> SortedScores:
        """Return the items of some of the bins, in order."""
        wanted = np.zeros(self.bins[2] + 3, np.uint8)
        wanted[self._bin[rows]] = 1
        items, kernels = self.items, self.kernels

        def work(stretches: Stretches) -> list[Any]:
            parts = []
            while stretch := stretches.take(COLLECTED_AT_ONCE):
                parts.append(
                    kernels.collect_scores(
                        items.scores,
                        items.codes,
                        items.lowest,
                        items.n_labels,
                        items.weights,
                        self.bins,
                        wanted,
                        *stretch,
                    )
                )
            return parts

        shares = run_in_threads(work, len(items.scores), self._threads)
        columns = list(zip(*(part for share in shares for part in share)))
        scores, codes = np.concatenate(columns[0]), np.concatenate(columns[1])
        weights = None if items.weights is None else np.concatenate(columns[2])
        return sort_scores(
            kernels, items._replace(scores=scores, codes=codes, lowest=0, weights=weights)
        )

    def ranges(self) -> tuple[AnyArray, AnyArray]:
        """Return the least and the largest score of each bin."""

        def work(stretches: Stretches) -> tuple[Floats, Floats]:
            least = np.full(self.bins[2] + 3, np.inf)
            largest = np.full(self.bins[2] + 3, -np.inf)
            while stretch := stretches.take(LONGEST_STRETCH):
                self.kernels.range_scores(self.items.scores, self.bins, least, largest, *stretch)
            return least, largest

        shares = run_in_threads(work, len(self.items.scores), self._threads)
        least = np.minimum.reduce([share[0] for share in shares])
        largest = np.maximum.reduce([share[1] for share in shares])
        dtype = self.items.scores.dtype.newbyteorder("=")
        return least[self._bin].astype(dtype), largest[self._bin].astype(dtype)

    def _count(self) -> tuple[AnyArray, Floats | None]:
        items = self.items
        shape = (self.bins[2] + 3, items.n_labels + 1)

        def work(stretches: Stretches) -> tuple[AnyArray, Floats | None]:
            table = np.zeros(shape, np.int64)
            sums = None if items.weights is None else np.zeros(shape)
            while stretch := stretches.take(LONGEST_STRETCH):
                self.kernels.count_scores(
                    items.scores,
                    items.codes,
                    items.lowest,
                    items.weights,
                    self.bins,
                    table,
                    sums,
                    *stretch,
                )
            return table, sums

        shares = run_in_threads(work, len(items.scores), self._threads)
        table = np.add.reduce([share[0] for share in shares])
        if items.weights is None:
            return table, None
        return table, np.add.reduce([cast(Floats, share[1]) for share in shares])


def bin_scores(kernels: Any, items: ScoredItems, n_bins: int, threads: int) -> BinnedScores | None:
    """Return the items in about so many bins, or None for scores that no bins divide evenly."""
    sample = items.scores[:: max(1, len(items.scores) // SAMPLE)].astype(np.float64)
    if not np.isfinite(sample).all():
        refuse_infinite_scores(items.scores)
    sample.sort()
    low, high = (float(sample[round(q * (len(sample) - 1))]) for q in QUANTILES)
    n_inner = min(n_bins, max(16, MOST_CELLS // (items.n_labels + 1)))
    with np.errstate(over="ignore"):
        width = high - low
        # All in one place: the bin between has a single score.
        scale = n_inner / width if width > 0 else 2.0**900
    if not (np.isfinite(width) and np.isfinite(scale)):
        return None
    return BinnedScores(kernels, items, (low, scale, n_inner), threads)
