"""A table of bins of scores, of which some are divided again into finer ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.kernels.threads import ItemRanges, run_in_threads
from fastkappa.thresholds.items.binned_scores import ITEMS_WORTH_A_THREAD, BinnedScores, bin_scores
from fastkappa.thresholds.items.sorted_scores import SortedScores, join_sorted, sort_scores

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Rows = NDArray[np.intp]

FEWEST_BINS = 64


class Segment(NamedTuple):
    """Rows of a table from ``first`` on: the bins of ``binned`` from ``offset`` on."""

    first: int
    binned: BinnedScores
    offset: int


class BinTable(NamedTuple):
    """Bins in the order of the scores.

    ``prefix`` and ``sizes`` are the sums of the labels, and of the items, below each bin
    and below the end. ``open`` tells which bins may be divided: once some were, it is
    those that came of them.
    """

    prefix: Floats
    sizes: Places
    open: NDArray[np.bool_]
    segments: list[Segment]

    @classmethod
    def of(cls, binned: BinnedScores) -> BinTable:
        """Return the table of bins that are not divided yet."""
        is_open = np.ones(len(binned.sizes) - 1, bool)
        return cls(binned.prefix, binned.sizes, is_open, [Segment(0, binned, 0)])

    def single(self, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell which of the wanted bins hold one distinct score, where there seem to be any."""
        found = np.zeros(len(wanted), bool)
        for segment, rows in self._by_segment(wanted):
            found[segment.first + rows] = segment.binned.single(segment.offset + rows)
        return found

    def finer(self, wanted: NDArray[np.bool_], n_bins: int, threads: int) -> BinTable | None:
        """Return the table with each run of wanted bins divided into finer ones.

        They get about ``n_bins`` in all. None if that cannot be done.
        """
        n_wanted = int(np.diff(self.sizes)[wanted].sum())
        prefixes, sizes, opened, segments = [], [], [], []
        first = start = 0

        def keep(stop: int) -> None:
            """Keep the bins from ``start`` on as they are."""
            nonlocal first
            for segment, end in zip(self.segments, self._ends()):
                begin, end = max(start, segment.first), min(stop, end)
                if begin < end:
                    offset = segment.offset + begin - segment.first
                    segments.append(Segment(first + begin - start, segment.binned, offset))
            prefixes.append(self.prefix[:, start:stop])
            sizes.append(self.sizes[start:stop])
            opened.append(np.zeros(stop - start, bool))
            first += stop - start

        for segment, rows in self._by_segment(wanted):
            binned = segment.binned
            runs = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
            picked = binned.pick(segment.offset + rows)
            for run in runs:
                items = picked if len(runs) == 1 else binned.pick(segment.offset + run, picked)
                share = max(FEWEST_BINS, n_bins * len(items.scores) // n_wanted)
                fine = bin_scores(binned.kernels, items, share, threads)
                if fine is None:
                    return None
                keep(segment.first + int(run[0]))
                segments.append(Segment(first, fine, 0))
                start = segment.first + int(run[0])
                prefixes.append(self.prefix[:, start : start + 1] + fine.prefix[:, :-1])
                sizes.append(self.sizes[start] + fine.sizes[:-1])
                n_fine = len(fine.sizes) - 1
                opened.append(np.ones(n_fine, bool))
                first += n_fine
                start = segment.first + int(run[-1]) + 1
        keep(len(self.sizes) - 1)
        prefixes.append(self.prefix[:, -1:])
        sizes.append(self.sizes[-1:])
        return BinTable(
            np.concatenate(prefixes, axis=1),
            np.concatenate(sizes),
            np.concatenate(opened),
            segments,
        )

    def sorted_items(self, wanted: NDArray[np.bool_], threads: int) -> SortedScores:
        """Return the items of the wanted bins, in order."""
        kernels = self.segments[0].binned.kernels
        picked = [
            segment.binned.pick(segment.offset + rows) for segment, rows in self._by_segment(wanted)
        ]

        def work(ranges: ItemRanges) -> list[tuple[int, SortedScores]]:
            done = []
            while bounds := ranges.take(1):
                done.append((bounds[0], sort_scores(kernels, picked[bounds[0]])))
            return done

        few = sum(len(items.scores) for items in picked) < ITEMS_WORTH_A_THREAD // 8
        n_threads = 1 if few else min(threads, len(picked))
        shares = run_in_threads(work, len(picked), n_threads)
        in_order = sorted((part for share in shares for part in share), key=lambda part: part[0])
        return join_sorted([part for _, part in in_order])

    def end_scores(self, row: int) -> tuple[AnyArray, AnyArray]:
        """Return the least and the largest score of a bin."""
        at = int(np.searchsorted([segment.first for segment in self.segments], row, "right")) - 1
        segment = self.segments[at]
        least, largest = segment.binned.ranges()
        place = segment.offset + row - segment.first
        return least[place], largest[place]

    def _ends(self) -> list[int]:
        return [*(segment.first for segment in self.segments[1:]), len(self.sizes) - 1]

    def _by_segment(self, wanted: NDArray[np.bool_]) -> list[tuple[Segment, Rows]]:
        """Return the segments with wanted bins, and which of their own bins those are."""
        found = []
        for segment, end in zip(self.segments, self._ends()):
            rows = np.flatnonzero(wanted[segment.first : end])
            if len(rows):
                found.append((segment, rows))
        return found


def joined_runs(wanted: NDArray[np.bool_], sizes: Places, n_runs: int) -> NDArray[np.bool_]:
    """Return wanted rows in at most so many runs: with those between, where they are the fewest.

    Each run costs something for every item, a few items more next to nothing.
    """
    rows = np.flatnonzero(wanted)
    gaps = np.flatnonzero(np.diff(rows) > 1)
    if len(gaps) < n_runs:
        return wanted
    between = sizes[rows[gaps + 1]] - sizes[rows[gaps] + 1]
    wanted = wanted.copy()
    for gap in gaps[np.argsort(between)[: len(gaps) - n_runs + 1]]:
        wanted[rows[gap] : rows[gap + 1]] = True
    return wanted
