"""Count the distinct profiles and patterns of ratings, and tabulate each pair of raters.

A profile lists each rater's rating of a subject; a pattern lists the number of raters per label. If
few profiles (or patterns) are possible, each one is assigned a cell in a one-row table, and the
pair kernels count the subjects in each cell. If many profiles (or patterns) are possible, only
those that occur are collected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads
from fastkappa.multirater.items.distinct_rows import BLOCK, DistinctRows
from fastkappa.multirater.items.rater_columns import CHUNK, EncodedRater

Result = TypeVar("Result")

# The maximum number of counts in the array of patterns. At one byte per count, an array of this
# size takes 8 GiB.
LARGEST_COUNTS = 1 << 33


# The maximum number of cells in a table of all possible profiles or patterns. A table of this size
# needs 4 MB, which still fits in the cache.
MOST_CELLS = 1 << 19
# The minimum number of ratings per thread. Starting a thread takes about 100 µs, and counting this
# many ratings takes several times as long.
PER_THREAD = 1 << 18


def count_profiles(
    kernels: PairKernels, raters: Sequence[EncodedRater], num_threads: int
) -> tuple[AnyArray, IntTable]:
    """Return an array of shape (P, R) with the distinct profiles, and how often each occurs."""
    base = raters[0].n_labels + 1
    if not profiles_are_few(raters):
        return _collect(raters, lambda codes: codes, num_threads)

    def cells(chunk: list[AnyArray]) -> AnyArray:
        number = np.zeros(len(chunk[0]), np.uint32)
        for digit in chunk:
            number *= np.uint32(base)
            number += digit
        return number

    table = _count(kernels, raters, cells, base ** len(raters), num_threads)
    found = np.flatnonzero(table)
    profiles = np.empty((len(found), len(raters)), np.min_scalar_type(base - 1))
    rest = found
    for i in reversed(range(len(raters))):
        rest, profiles[:, i] = np.divmod(rest, base)
    return profiles, table[found]


def count_patterns(
    kernels: PairKernels, raters: Sequence[EncodedRater], num_threads: int
) -> tuple[AnyArray, IntTable]:
    """Return an array of shape (P, l) with the distinct patterns, and how often each occurs."""
    n_raters, n_labels = len(raters), raters[0].n_labels
    base = n_raters + 1
    if base**n_labels > MOST_CELLS:
        ordered = _collect(raters, lambda codes: np.sort(codes, axis=1), num_threads)
        return as_patterns(*ordered, n_labels)
    # A pattern is written as one number, in which each rating adds 1 to the digit of its label. The
    # order of the digits determines the order of the patterns, and therefore which samples a
    # bootstrap draws.
    units = base ** np.roll(np.arange(n_labels), n_labels // 2)
    of_codes = np.append(units, 0).astype(np.uint32)

    def cells(chunk: list[AnyArray]) -> AnyArray:
        number = of_codes[chunk[0]]
        for codes in chunk[1:]:
            number += of_codes[codes]
        return number

    table = _count(kernels, raters, cells, base**n_labels, num_threads)
    found = np.flatnonzero(table)
    patterns = found[:, None] // units % base
    return patterns.astype(np.min_scalar_type(n_raters)), table[found]


def count_rater_pairs(
    kernels: PairKernels, raters: Sequence[EncodedRater], num_threads: int
) -> IntTable:
    """Return a table for each pair of raters, counted in one pass over the ratings.

    The tables are stacked in an array of shape (R (R - 1) / 2, l + 1, l + 1). The last row and
    column of each table count missing ratings, because that is where the kernels count all codes
    that are not labels.
    """
    size = raters[0].n_labels + 1
    pairs = list(combinations(range(len(raters)), 2))

    def work(ranges: ItemRanges) -> IntTable:
        tables = np.zeros((len(pairs), size, size), np.int64)
        for chunk in _chunks(raters, ranges):
            for (a, b), table in zip(pairs, tables):
                kernels.count_pairs(chunk[a], chunk[b], (0, 0), table, (0, len(chunk[b])))
        return tables

    return _sum_in_threads(work, raters, num_threads)


def patterns_of(
    profiles: AnyArray, multiplicities: IntTable, n_labels: int
) -> tuple[AnyArray, IntTable]:
    """Return the distinct patterns, of shape (P, l), and the number of times each occurs."""
    ordered = DistinctRows(profiles.shape[1], n_labels + 1)
    for start in range(0, len(profiles), BLOCK):
        rows = slice(start, start + BLOCK)
        ordered.add(np.sort(profiles[rows], axis=1), multiplicities[rows])
    return as_patterns(*ordered.rows(), n_labels)


def profiles_are_few(raters: Sequence[EncodedRater]) -> bool:
    """Return whether a table of all possible profiles has at most ``MOST_CELLS`` cells."""
    return bool((raters[0].n_labels + 1) ** len(raters) <= MOST_CELLS)


def as_patterns(
    ordered: AnyArray, multiplicities: IntTable, n_labels: int
) -> tuple[AnyArray, IntTable]:
    """Convert P rows of sorted codes to patterns, in an array of shape (P, l).

    The multiplicities are returned unchanged.
    """
    if len(ordered) * n_labels > LARGEST_COUNTS:
        raise ValueError(
            f"ratings have {n_labels} labels and {len(ordered)} distinct rows, which need too much"
            " memory. Round the ratings, or merge labels."
        )
    counts = np.zeros((len(ordered), n_labels + 1), np.min_scalar_type(ordered.shape[1]))
    rows = np.arange(len(ordered))
    for codes in ordered.T:
        # Each row has one code in this column, so no cell is incremented twice here.
        counts[rows, codes] += 1
    return counts[:, :-1], multiplicities


def _count(
    kernels: PairKernels,
    raters: Sequence[EncodedRater],
    cells: Callable[[list[AnyArray]], AnyArray],
    n_cells: int,
    num_threads: int,
) -> IntTable:
    """Count the subjects per cell. ``cells`` returns the cell of each subject."""
    first_row = np.zeros(CHUNK, np.uint8)

    def work(ranges: ItemRanges) -> IntTable:
        table = np.zeros((2, n_cells + 1), np.int64)
        for chunk in _chunks(raters, ranges):
            numbers = cells(chunk)
            kernels.count_pairs(first_row, numbers, (0, 0), table, (0, len(numbers)))
        return table[0, :-1]

    return _sum_in_threads(work, raters, num_threads)


def _collect(
    raters: Sequence[EncodedRater],
    arrange: Callable[[AnyArray], AnyArray],
    num_threads: int,
) -> tuple[AnyArray, IntTable]:
    """Apply ``arrange`` to the rows of codes, and count how often each distinct row occurs."""

    def work(ranges: ItemRanges) -> DistinctRows:
        distinct = DistinctRows(len(raters), raters[0].n_labels + 1)
        while bounds := ranges.take(BLOCK):
            rows = np.stack([rater.codes(*bounds) for rater in raters], axis=1)
            distinct.add(arrange(rows))
        return distinct

    first, *others = _in_threads(work, raters, num_threads)
    for other in others:
        first.merge(other)
    return first.rows()


def _in_threads(
    work: Callable[[ItemRanges], Result],
    raters: Sequence[EncodedRater],
    num_threads: int,
) -> list[Result]:
    n_subjects = raters[0].rater.n_subjects
    worthwhile = max(1, n_subjects * len(raters) // PER_THREAD)
    return run_in_threads(work, n_subjects, min(num_threads, worthwhile))


def _sum_in_threads(
    work: Callable[[ItemRanges], IntTable],
    raters: Sequence[EncodedRater],
    num_threads: int,
) -> IntTable:
    first, *others = _in_threads(work, raters, num_threads)
    return sum(others, start=first)


def _chunks(raters: Sequence[EncodedRater], ranges: ItemRanges) -> Iterator[list[AnyArray]]:
    """Yield the codes of all raters, in chunks of subjects that fit in the cache."""
    while bounds := ranges.take(CHUNK):
        yield [rater.codes(*bounds) for rater in raters]
