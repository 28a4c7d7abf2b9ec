"""Put scored items into bins by score, count them per bin, and collect items from chosen bins."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.contract import Bins, ScoreKernels
from fastkappa.kernels.threads import ItemRanges, new_lock, run_in_threads
from fastkappa.thresholds.items.scored_items import (
    Places,
    ScoredItems,
    infinite_scores,
    items_changed,
    refuse_codes_outside,
)

Indices = NDArray[np.intp]

# The number of scores in the sample that determines the bins.
SAMPLE = 1 << 12
# Bins cover the range between these quantiles, so that a few outliers do not widen them.
QUANTILES = (0.002, 0.998)
# Starting a thread takes about 100 microseconds. This many items can be counted in the same time.
ITEMS_WORTH_A_THREAD = 1 << 18
LONGEST_RANGE = 1 << 22
# The number of items that a thread collects before it copies them to the result.
COLLECTED_AT_ONCE = 1 << 18
# A bin with more than this many times the average count can contain a single, very frequent score.
HEAVY = 16


class BinnedScores:
    """Scored items in bins of equal width. Empty bins are left out.

    ``prefix`` contains the number of items with each label below each bin, or the sum of their
    weights. Its last column contains the totals. ``n_below`` contains the number of items below
    each bin. Its last entry is the total number of items.
    """

    def __init__(
        self,
        kernels: ScoreKernels,
        items: ScoredItems,
        bins: Bins,
        threads: int,
    ) -> None:
        self.kernels, self.items, self.bins = kernels, items, bins
        # Besides the bins between the quantiles, there are two rows for scores outside the
        # quantiles, and one for scores that are not finite.
        self._n_rows = bins.n_rows
        self._threads = max(1, min(threads, len(items.scores) // ITEMS_WORTH_A_THREAD))
        self._ranges: tuple[AnyArray, AnyArray] | None = None
        counts, weights = self._count()
        if counts[-1].any():
            raise infinite_scores(items.scores)
        if counts[:, items.n_labels].any():
            raise items_changed()
        n_items = counts.sum(axis=1)
        # Only rows with items become bins. ``_row`` contains the row of each bin in the kernels'
        # tables.
        self._row = np.flatnonzero(n_items)
        self.n_below: Places = np.concatenate([[0], np.cumsum(n_items[self._row])])
        table = (counts if weights is None else weights)[self._row, : items.n_labels]
        self.prefix: Floats = np.zeros((items.n_labels, len(self._row) + 1))
        np.cumsum(table.T, axis=1, out=self.prefix[:, 1:])

    def collect(self, bins: Indices) -> ScoredItems:
        """Return the items in the given bins."""
        wanted = np.zeros(self._n_rows, np.uint8)
        wanted[self._row[bins]] = 1
        items = self.items
        n_wanted = int((self.n_below[bins + 1] - self.n_below[bins]).sum())
        collected = _empty_like(items, n_wanted)
        lock = new_lock()
        n_done = 0

        def work(ranges: ItemRanges) -> None:
            nonlocal n_done
            # The buffer is small enough to stay in the cache.
            buffer = _empty_like(items, min(COLLECTED_AT_ONCE, len(items.scores)))
            while bounds := ranges.take(COLLECTED_AT_ONCE):
                n = self.kernels.collect_scores(items, self.bins, wanted, buffer, bounds)
                with lock:
                    start, n_done = n_done, n_done + n
                if n_done > n_wanted:
                    raise items_changed()
                new = buffer.part(slice(n))
                collected.overwrite(slice(start, start + n), new.scores, new.codes, new.weights)

        run_in_threads(work, len(items.scores), self._threads)
        if n_done != n_wanted:
            raise items_changed()
        return collected

    def grouped(self) -> ScoredItems:
        """Return all items ordered by bin, but unordered within each bin."""
        items, grouped = self.items, _empty_like(self.items, len(self.items.scores))
        ends = [len(items.scores) * (i + 1) // self._threads for i in range(self._threads)]
        # Each thread processes one part of the items.
        parts = list(zip([0, *ends], ends))
        n_items = np.zeros((len(parts), self._n_rows), np.int64)
        n_items[-1, self._row] = np.diff(self.n_below)

        def count(ranges: ItemRanges) -> None:
            while bounds := ranges.take(1):
                table = np.zeros((self._n_rows, items.n_labels + 1), np.uint32)
                self.kernels.count_scores(items, self.bins, table, None, parts[bounds[0]])
                n_items[bounds[0]] = table.sum(axis=1)

        # The counts of the last part are the total counts minus the counts of the other parts.
        run_in_threads(count, len(parts) - 1, max(1, len(parts) - 1))
        n_items[-1] -= n_items[:-1].sum(axis=0)
        if n_items[-1].min() < 0:
            raise items_changed()
        # Items are placed after the items of lower rows, and after items of the same row in earlier
        # parts.
        starts = np.cumsum(n_items.T).reshape(n_items.T.shape).T - n_items
        starts = np.ascontiguousarray(starts)
        ends_of_rows = starts + n_items

        def group(ranges: ItemRanges) -> None:
            while bounds := ranges.take(1):
                thread = bounds[0]
                n_refused = self.kernels.group_scores(
                    items, self.bins, starts[thread], ends_of_rows[thread], grouped, parts[thread]
                )
                if n_refused:
                    raise items_changed()

        run_in_threads(group, len(parts), len(parts))
        refuse_codes_outside(grouped.codes, items.n_labels)
        return grouped

    def ranges(self) -> tuple[AnyArray, AnyArray]:
        """Return the lowest and the highest score in each bin."""
        if self._ranges is None:
            least, largest = self._ranges_of(self.items.scores)
            if (least > largest).any():
                raise items_changed()
            self._ranges = least, largest
        return self._ranges

    def single(self, bins: Indices) -> NDArray[np.bool_]:
        """Return a mask of the bins that have unusually many items but only one score."""
        n_items = self.n_below[bins + 1] - self.n_below[bins]
        heavy = n_items > HEAVY * self.n_below[-1] / self.bins.n_inner
        if heavy.any():
            # If a sample shows two distinct scores in each heavy bin, the other scores need not be
            # read.
            sample = self._ranges_of(self.items.scores[:: _sample_step(self.items.scores)])
            heavy &= (sample[0] >= sample[1])[bins]
        if not heavy.any():
            return np.zeros(len(bins), bool)
        least, largest = self.ranges()
        same: NDArray[np.bool_] = least[bins] == largest[bins]
        return same

    def _ranges_of(self, scores: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return the lowest and the highest of the given scores in each bin."""

        def work(ranges: ItemRanges) -> tuple[Floats, Floats]:
            least = np.full(self._n_rows, np.inf)
            largest = np.full(self._n_rows, -np.inf)
            while bounds := ranges.take(LONGEST_RANGE):
                self.kernels.range_scores(scores, self.bins, least, largest, bounds)
            return least, largest

        threads = max(1, min(self._threads, len(scores) // ITEMS_WORTH_A_THREAD))
        found = run_in_threads(work, len(scores), threads)
        least = np.minimum.reduce([part[0] for part in found])
        largest = np.maximum.reduce([part[1] for part in found])
        dtype = scores.dtype.newbyteorder("=")
        return least[self._row].astype(dtype), largest[self._row].astype(dtype)

    def _count(self) -> tuple[AnyArray, Floats | None]:
        """Return the counts per row and label, and the sums of weights, or None without weights."""
        items = self.items
        shape = (self._n_rows, items.n_labels + 1)

        def work(ranges: ItemRanges) -> tuple[AnyArray, Floats | None]:
            # 32-bit counts take up half as much cache as 64-bit counts. A range has too few items
            # to overflow them.
            table, total = np.zeros(shape, np.uint32), np.zeros(shape, np.int64)
            sums = None if items.weights is None else np.zeros(shape)
            while bounds := ranges.take(LONGEST_RANGE):
                self.kernels.count_scores(items, self.bins, table, sums, bounds)
                total += table
                table[:] = 0
            return total, sums

        found = run_in_threads(work, len(items.scores), self._threads)
        table = np.add.reduce([part[0] for part in found])
        if items.weights is None:
            return table, None
        return table, np.add.reduce([cast(Floats, part[1]) for part in found])


def _sample_step(scores: AnyArray) -> int:
    return max(1, len(scores) // SAMPLE)


def _empty_like(items: ScoredItems, n: int) -> ScoredItems:
    """Return n uninitialised items with the dtypes of ``items``."""
    return items._replace(
        scores=np.empty(n, items.scores.dtype.newbyteorder("=")),
        codes=np.empty(n, np.uint16),
        lowest=0,
        weights=None if items.weights is None else np.empty(n),
    )


def bin_scores(
    kernels: ScoreKernels,
    items: ScoredItems,
    n_bins: int,
    threads: int,
) -> BinnedScores | None:
    """Return the items in about ``n_bins`` bins, or None if a bin width cannot be represented."""
    sample = items.scores[:: _sample_step(items.scores)].astype(np.float64)
    if not np.isfinite(sample).all():
        raise infinite_scores(items.scores)
    sample.sort()
    low, high = (float(sample[round(q * (len(sample) - 1))]) for q in QUANTILES)
    with np.errstate(over="ignore"):
        width = high - low
        # If both quantiles are equal, a huge scale creates a bin with a single score.
        scale = n_bins / width if width > 0 else 2.0**900
    if not (np.isfinite(width) and np.isfinite(scale)):
        return None
    return BinnedScores(kernels, items, Bins(low, scale, n_bins), threads)
