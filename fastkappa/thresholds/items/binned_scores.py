"""Scored items counted in bins of their scores, and those of some bins picked out."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.kernels.threads import ItemRanges, new_lock, run_in_threads
from fastkappa.thresholds.items.scored_items import ScoredItems, refuse_infinite_scores

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Rows = NDArray[np.intp]

SAMPLE = 1 << 12
# The bins are between these quantiles: a few scores far away must not make them wide.
QUANTILES = (0.002, 0.998)
MOST_CELLS = 1 << 18
# Threads take some 100 microseconds to start, in which one counts so many items.
ITEMS_WORTH_A_THREAD = 1 << 18
LONGEST_RANGE = 1 << 22
# What is picked is first written where it all has room.
PICKED_AT_ONCE = 1 << 18
# Of the items counted in 32 bits, before these are added to the sums in 64 bits.
MOST_COUNTED = (1 << 32) - 1
# A bin with so many times its share may hold a single score that occurs again and again.
HEAVY = 16


class BinnedScores:
    """Scored items in bins, those without items left out.

    ``prefix`` and ``sizes`` are the sums of the labels, and of the items, below each bin
    and below the end.
    """

    def __init__(
        self,
        kernels: ScoreKernels,
        items: ScoredItems,
        bins: tuple[float, float, int],
        threads: int,
    ) -> None:
        self.kernels, self.items, self.bins = kernels, items, bins
        self._threads = max(1, min(threads, len(items.scores) // ITEMS_WORTH_A_THREAD))
        self._ranges: tuple[AnyArray, AnyArray] | None = None
        counts, weights = self._count()
        if counts[-1].any():
            refuse_infinite_scores(items.scores)
        n_items = counts.sum(axis=1)
        self._bin = np.flatnonzero(n_items)
        self.sizes: Places = np.concatenate([[0], np.cumsum(n_items[self._bin])])
        table = (counts if weights is None else weights)[self._bin, : items.n_labels]
        self.prefix: Floats = np.zeros((items.n_labels, len(self._bin) + 1))
        np.cumsum(table.T, axis=1, out=self.prefix[:, 1:])

    def pick(self, rows: Rows, among: ScoredItems | None = None) -> ScoredItems:
        """Return the items of some of the bins, of all items or of those picked before."""
        wanted = np.zeros(self.bins[2] + 3, np.uint8)
        wanted[self._bin[rows]] = 1
        items = among or self.items
        n_picked = int((self.sizes[rows + 1] - self.sizes[rows]).sum())
        picked = _room_for(items, n_picked)
        lock = new_lock()
        n_done = 0

        def work(ranges: ItemRanges) -> None:
            nonlocal n_done
            # Written again and again, it stays in the cache.
            own = _room_for(items, min(PICKED_AT_ONCE, len(items.scores)))
            while bounds := ranges.take(PICKED_AT_ONCE):
                room = own.scores, own.codes, own.weights
                n = self.kernels.collect_scores(*self._given(items), wanted, *bounds, *room)
                with lock:
                    start, n_done = n_done, n_done + n
                place = slice(start, start + n)
                picked.scores[place] = own.scores[:n]
                picked.codes[place] = own.codes[:n]
                if picked.weights is not None and own.weights is not None:
                    picked.weights[place] = own.weights[:n]

        run_in_threads(work, len(items.scores), self._threads)
        return picked

    def grouped(self) -> ScoredItems:
        """Return all items, those of each bin next to each other, in the order of the bins."""
        items, grouped = self.items, _room_for(self.items, len(self.items.scores))
        ends = [len(items.scores) * (i + 1) // self._threads for i in range(self._threads)]
        shares = list(zip([0, *ends], ends))
        room = grouped.scores, grouped.codes, grouped.weights
        n_items = np.zeros((len(shares), self.bins[2] + 3), np.int64)
        n_items[-1, self._bin] = np.diff(self.sizes)

        def count(ranges: ItemRanges) -> None:
            while bounds := ranges.take(1):
                table = np.zeros((n_items.shape[1], items.n_labels + 1), np.uint32)
                self._add_to(table, None, shares[bounds[0]])
                n_items[bounds[0]] = table.sum(axis=1)

        # The last share has what the others have not.
        run_in_threads(count, len(shares) - 1, max(1, len(shares) - 1))
        n_items[-1] -= n_items[:-1].sum(axis=0)
        # Items of a row go behind those of lower rows, and those of it in earlier shares.
        places = np.cumsum(n_items.T).reshape(n_items.T.shape).T - n_items
        places = np.ascontiguousarray(places)

        def group(ranges: ItemRanges) -> None:
            while bounds := ranges.take(1):
                own, share = places[bounds[0]], shares[bounds[0]]
                self.kernels.group_scores(*self._given(items), own, *share, *room)

        run_in_threads(group, len(shares), len(shares))
        return grouped

    def ranges(self) -> tuple[AnyArray, AnyArray]:
        """Return the least and the largest score of each bin."""
        if self._ranges is None:
            self._ranges = self._ranges_of(self.items.scores)
        return self._ranges

    def single(self, rows: Rows) -> NDArray[np.bool_]:
        """Tell which bins hold one distinct score, if there are any with remarkably many items."""
        n_items = self.sizes[rows + 1] - self.sizes[rows]
        heavy = n_items > HEAVY * self.sizes[-1] / self.bins[2]
        if heavy.any():
            # Where a sample has two scores in each, there is no need to look at all.
            sample = self._ranges_of(self.items.scores[:: _sample_step(self.items.scores)])
            heavy &= (sample[0] >= sample[1])[rows]
        if not heavy.any():
            return np.zeros(len(rows), bool)
        least, largest = self.ranges()
        same: NDArray[np.bool_] = least[rows] == largest[rows]
        return same

    def _ranges_of(self, scores: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return the least and the largest of some of the scores in each bin."""

        def work(ranges: ItemRanges) -> tuple[Floats, Floats]:
            least = np.full(self.bins[2] + 3, np.inf)
            largest = np.full(self.bins[2] + 3, -np.inf)
            while bounds := ranges.take(LONGEST_RANGE):
                self.kernels.range_scores(scores, self.bins, least, largest, *bounds)
            return least, largest

        threads = max(1, min(self._threads, len(scores) // ITEMS_WORTH_A_THREAD))
        shares = run_in_threads(work, len(scores), threads)
        least = np.minimum.reduce([share[0] for share in shares])
        largest = np.maximum.reduce([share[1] for share in shares])
        dtype = scores.dtype.newbyteorder("=")
        return least[self._bin].astype(dtype), largest[self._bin].astype(dtype)

    def _count(self) -> tuple[AnyArray, Floats | None]:
        items = self.items
        shape = (self.bins[2] + 3, items.n_labels + 1)

        def work(ranges: ItemRanges) -> tuple[AnyArray, Floats | None]:
            # Half as wide, they take half the room in the cache.
            table, total = np.zeros(shape, np.uint32), None
            sums = None if items.weights is None else np.zeros(shape)
            left = MOST_COUNTED
            while bounds := ranges.take(LONGEST_RANGE):
                start, stop = bounds
                if stop - start > left:
                    total = table.astype(np.int64) if total is None else total + table
                    table[:] = 0
                    left = MOST_COUNTED
                left -= stop - start
                self._add_to(table, sums, bounds)
            return table.astype(np.int64) if total is None else total + table, sums

        shares = run_in_threads(work, len(items.scores), self._threads)
        table = np.add.reduce([share[0] for share in shares])
        if items.weights is None:
            return table, None
        return table, np.add.reduce([cast(Floats, share[1]) for share in shares])

    def _given(self, items: ScoredItems) -> tuple[Any, ...]:
        """Return items and bins as kernels take them that write items elsewhere."""
        return (
            items.scores,
            items.codes,
            items.lowest,
            items.n_labels,
            items.weights,
            self.bins,
        )

    def _add_to(
        self, table: NDArray[np.uint32], sums: Floats | None, bounds: tuple[int, int]
    ) -> None:
        items = self.items
        weights = None if sums is None else items.weights
        self.kernels.count_scores(
            items.scores, items.codes, items.lowest, weights, self.bins, table, sums, *bounds
        )


def _sample_step(scores: AnyArray) -> int:
    return max(1, len(scores) // SAMPLE)


def _room_for(items: ScoredItems, n: int) -> ScoredItems:
    """Return room for n of the items."""
    return items._replace(
        scores=np.empty(n, items.scores.dtype.newbyteorder("=")),
        codes=np.empty(n, np.uint16),
        lowest=0,
        weights=None if items.weights is None else np.empty(n),
    )


def bin_scores(
    kernels: ScoreKernels, items: ScoredItems, n_bins: int, threads: int
) -> BinnedScores | None:
    """Return the items in about so many bins, or None for scores that no bins divide evenly."""
    sample = items.scores[:: _sample_step(items.scores)].astype(np.float64)
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
