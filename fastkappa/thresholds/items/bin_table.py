"""Count scored items in a table of bins that can be divided into finer bins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.kernels.threads import ItemRanges, run_in_threads
from fastkappa.thresholds.items.binned_scores import (
    ITEMS_WORTH_A_THREAD,
    BinnedScores,
    Indices,
    bin_scores,
)
from fastkappa.thresholds.items.scored_items import Places
from fastkappa.thresholds.items.sorted_scores import SortedScores, join_sorted, sort_scores

FEWEST_BINS = 64


class Segment(NamedTuple):
    """Consecutive bins: bin ``first`` of the table is bin ``offset`` of ``binned``, and so on."""

    first: int
    binned: BinnedScores
    offset: int


class BinTable(NamedTuple):
    """Bins in the order of the scores.

    ``prefix`` and ``n_below`` are as in `BinnedScores`. ``open`` marks the bins that can be
    divided. Initially all bins are open, later only the finer bins created last.
    """

    prefix: Floats
    n_below: Places
    open: NDArray[np.bool_]
    segments: list[Segment]

    @classmethod
    def of(cls, binned: BinnedScores) -> BinTable:
        """Return a table of bins that are not yet divided."""
        is_open = np.ones(len(binned.n_below) - 1, bool)
        return cls(binned.prefix, binned.n_below, is_open, [Segment(0, binned, 0)])

    def single(self, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask of the wanted bins that have a single distinct score.

        As in `BinnedScores.single`, only bins with very many items are examined.
        """
        found = np.zeros(len(wanted), bool)
        for segment, bins in self._by_segment(wanted):
            found[segment.first + bins] = segment.binned.single(segment.offset + bins)
        return found

    def finer(self, wanted: NDArray[np.bool_], n_bins: int, threads: int) -> BinTable | None:
        """Return the table with each run of wanted bins divided into finer bins.

        There are about ``n_bins`` finer bins in total. Return None if a run cannot be divided.
        """
        n_wanted = int(np.diff(self.n_below)[wanted].sum())
        prefixes, n_below, opened, segments = [], [], [], []
        first = start = 0

        def keep(stop: int) -> None:
            """Keep the bins from ``start`` up to ``stop`` unchanged."""
            nonlocal first
            for segment, end in zip(self.segments, self._ends()):
                begin, end = max(start, segment.first), min(stop, end)
                if begin < end:
                    offset = segment.offset + begin - segment.first
                    segments.append(Segment(first + begin - start, segment.binned, offset))
            prefixes.append(self.prefix[:, start:stop])
            n_below.append(self.n_below[start:stop])
            opened.append(np.zeros(stop - start, bool))
            first += stop - start

        for segment, bins in self._by_segment(wanted):
            binned = segment.binned
            runs = np.split(bins, np.flatnonzero(np.diff(bins) > 1) + 1)
            all_runs = binned.collect(segment.offset + bins)
            for run in runs:
                items = all_runs
                if len(runs) > 1:
                    items = binned.collect(segment.offset + run, all_runs)
                n_of_run = max(FEWEST_BINS, n_bins * len(items.scores) // n_wanted)
                fine = bin_scores(binned.kernels, items, n_of_run, threads)
                if fine is None:
                    return None
                keep(segment.first + int(run[0]))
                segments.append(Segment(first, fine, 0))
                start = segment.first + int(run[0])
                prefixes.append(self.prefix[:, start : start + 1] + fine.prefix[:, :-1])
                n_below.append(self.n_below[start] + fine.n_below[:-1])
                n_fine = len(fine.n_below) - 1
                opened.append(np.ones(n_fine, bool))
                first += n_fine
                start = segment.first + int(run[-1]) + 1
        keep(len(self.n_below) - 1)
        prefixes.append(self.prefix[:, -1:])
        n_below.append(self.n_below[-1:])
        return BinTable(
            np.concatenate(prefixes, axis=1),
            np.concatenate(n_below),
            np.concatenate(opened),
            segments,
        )

    def sorted_items(self, wanted: NDArray[np.bool_], threads: int) -> SortedScores:
        """Return the items of the wanted bins, sorted by score."""
        parts = [
            segment.binned.collect(segment.offset + bins)
            for segment, bins in self._by_segment(wanted)
        ]

        def work(ranges: ItemRanges) -> list[tuple[int, SortedScores]]:
            done = []
            while bounds := ranges.take(1):
                done.append((bounds[0], sort_scores(parts[bounds[0]])))
            return done

        few = sum(len(items.scores) for items in parts) < ITEMS_WORTH_A_THREAD // 8
        n_threads = 1 if few else min(threads, len(parts))
        by_thread = run_in_threads(work, len(parts), n_threads)
        in_order = sorted((part for done in by_thread for part in done), key=lambda part: part[0])
        return join_sorted([part for _, part in in_order])

    def end_scores(self, index: int) -> tuple[AnyArray, AnyArray]:
        """Return the lowest and the highest score of a bin."""
        at = int(np.searchsorted([segment.first for segment in self.segments], index, "right")) - 1
        segment = self.segments[at]
        least, largest = segment.binned.ranges()
        own = segment.offset + index - segment.first
        return least[own], largest[own]

    def _ends(self) -> list[int]:
        return [*(segment.first for segment in self.segments[1:]), len(self.n_below) - 1]

    def _by_segment(self, wanted: NDArray[np.bool_]) -> list[tuple[Segment, Indices]]:
        """Return the segments with wanted bins, and the indices of these bins in the segment."""
        found = []
        for segment, end in zip(self.segments, self._ends()):
            bins = np.flatnonzero(wanted[segment.first : end])
            if len(bins):
                found.append((segment, bins))
        return found


def joined_runs(wanted: NDArray[np.bool_], n_below: Places, n_runs: int) -> NDArray[np.bool_]:
    """Return the wanted bins, joined into at most ``n_runs`` runs at the smallest gaps.

    Each run requires another pass over the items, but a few unwanted items cost almost nothing.
    """
    bins = np.flatnonzero(wanted)
    gaps = np.flatnonzero(np.diff(bins) > 1)
    if len(gaps) < n_runs:
        return wanted
    between = n_below[bins[gaps + 1]] - n_below[bins[gaps] + 1]
    wanted = wanted.copy()
    for gap in gaps[np.argsort(between)[: len(gaps) - n_runs + 1]]:
        wanted[bins[gap] : bins[gap + 1]] = True
    return wanted
