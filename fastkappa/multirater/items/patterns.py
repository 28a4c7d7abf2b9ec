"""Ratings of several raters become distinct profiles, patterns and tables, each with counts.

A profile is what each rater gave to a subject; a pattern is how many raters gave it each
label. While there may be few of them, they are cells of a table: its rows are numbered by
one half of the raters' codes (or labels), its columns by the other, so that the kernels for
pairs count them. Where there may be many, those that occur are collected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads
from fastkappa.multirater.items.columns import CHUNK, Codes
from fastkappa.multirater.items.distinct_rows import BLOCK, DistinctRows

Result = TypeVar("Result")

# A table of so many cells, 4 MB, still lies in the cache.
MOST_CELLS = 1 << 19
# Threads take some 100 microseconds to start; so many ratings take several times that.
RATINGS_WORTH_A_THREAD = 1 << 18
RANGE = 1 << 20
# Patterns have a byte for each label, which many subjects of any numbers would make too many.
LARGEST_COUNTS = 1 << 33


def count_profiles(
    kernels: PairKernels, raters: Sequence[Codes], num_threads: int
) -> tuple[AnyArray, IntTable]:
    """Return the distinct profiles, codes of shape (P, R), and how many subjects have each."""
    base = raters[0].n_labels + 1
    half = len(raters) // 2
    if not profiles_are_few(raters):
        return _collect(raters, lambda codes: codes, num_threads)

    def cells(chunk: list[AnyArray]) -> tuple[AnyArray, AnyArray]:
        n = len(chunk[0])
        return _number(chunk[:half], base, n), _number(chunk[half:], base, n)

    shape = (base**half, base ** (len(raters) - half))
    table = _count(kernels, raters, cells, shape, num_threads).reshape(-1)
    found = np.flatnonzero(table)
    profiles = np.empty((len(found), len(raters)), np.min_scalar_type(base - 1))
    rest = found
    for i in reversed(range(len(raters))):
        rest, profiles[:, i] = np.divmod(rest, base)
    return profiles, table[found]


def count_patterns(
    kernels: PairKernels, raters: Sequence[Codes], num_threads: int
) -> tuple[AnyArray, IntTable]:
    """Return the distinct patterns, counts of shape (P, l), and how many subjects have each."""
    n_raters, n_labels = len(raters), raters[0].n_labels
    base = n_raters + 1
    if _power(base, n_labels) > MOST_CELLS:
        ordered = _collect(raters, lambda codes: np.sort(codes, axis=1), num_threads)
        return _as_patterns(*ordered, n_labels)
    half = n_labels // 2
    # What a rating adds to the row and to the column: one to its label's digit.
    to_row, to_column = np.zeros((2, n_labels + 1), np.uint32)
    to_row[:half] = base ** np.arange(half)
    to_column[half:n_labels] = base ** np.arange(n_labels - half)

    def cells(chunk: list[AnyArray]) -> tuple[AnyArray, AnyArray]:
        rows, columns = to_row[chunk[0]], to_column[chunk[0]]
        for codes in chunk[1:]:
            rows += to_row[codes]
            columns += to_column[codes]
        return rows, columns

    shape = (base**half, base ** (n_labels - half))
    table = _count(kernels, raters, cells, shape, num_threads)
    rows, columns = np.nonzero(table)
    patterns = np.empty((len(rows), n_labels), np.min_scalar_type(n_raters))
    for i in range(n_labels):
        numbers = rows if i < half else columns
        patterns[:, i] = numbers // base ** (i if i < half else i - half) % base
    return patterns, table[rows, columns]


def count_rater_pairs(kernels: PairKernels, raters: Sequence[Codes], num_threads: int) -> IntTable:
    """Return the tables of all pairs of raters in one pass over the ratings.

    Their shape is (R (R - 1) / 2, l + 1, l + 1); the last row and column are those of missing
    ratings, which have the code of the kernels' outsiders.
    """
    size = raters[0].n_labels + 1
    pairs = list(combinations(range(len(raters)), 2))

    def work(ranges: ItemRanges) -> IntTable:
        tables = np.zeros((len(pairs), size, size), np.int64)
        for chunk in _chunks(raters, ranges):
            for (a, b), table in zip(pairs, tables):
                kernels.count_pairs(chunk[a], 0, chunk[b], 0, table, 0, len(chunk[a]))
        return tables

    shares = _in_threads(work, raters, num_threads)
    return sum(shares[1:], start=shares[0])


def patterns_of(
    profiles: AnyArray, multiplicities: IntTable, n_labels: int
) -> tuple[AnyArray, IntTable]:
    """Return the distinct patterns of profiles, counts of shape (P, l), and their numbers."""
    ordered = DistinctRows(profiles.shape[1], n_labels + 1)
    for start in range(0, len(profiles), BLOCK):
        block = slice(start, start + BLOCK)
        ordered.add(np.sort(profiles[block], axis=1), multiplicities[block])
    return _as_patterns(*ordered.rows(), n_labels)


def profiles_are_few(raters: Sequence[Codes]) -> bool:
    """Tell whether there is room for every profile that there might be."""
    return _power(raters[0].n_labels + 1, len(raters)) <= MOST_CELLS


def _as_patterns(
    ordered: AnyArray, multiplicities: IntTable, n_labels: int
) -> tuple[AnyArray, IntTable]:
    if len(ordered) * n_labels > LARGEST_COUNTS:
        raise ValueError(
            f"ratings have {n_labels} labels on {len(ordered)} kinds of subjects, too many to count"
            " them one by one: round them, or join labels."
        )
    counts = np.zeros((len(ordered), n_labels + 1), np.min_scalar_type(ordered.shape[1]))
    rows = np.arange(len(ordered))
    for codes in ordered.T:
        # A column has one code in each row, so no cell is met twice.
        counts[rows, codes] += 1
    return counts[:, :-1], multiplicities


def _count(
    kernels: PairKernels,
    raters: Sequence[Codes],
    cells: Callable[[list[AnyArray]], tuple[AnyArray, AnyArray]],
    shape: tuple[int, int],
    num_threads: int,
) -> IntTable:
    """Return how many subjects have each cell, of the rows and columns that it gets."""

    def work(ranges: ItemRanges) -> IntTable:
        table = np.zeros((shape[0] + 1, shape[1] + 1), np.int64)
        for chunk in _chunks(raters, ranges):
            rows, columns = cells(chunk)
            kernels.count_pairs(rows, 0, columns, 0, table, 0, len(rows))
        return table[:-1, :-1]

    shares = _in_threads(work, raters, num_threads)
    return sum(shares[1:], start=shares[0])


def _collect(
    raters: Sequence[Codes],
    arrange: Callable[[AnyArray], AnyArray],
    num_threads: int,
) -> tuple[AnyArray, IntTable]:
    """Return the distinct rows of codes, arranged before they are compared."""

    def work(ranges: ItemRanges) -> DistinctRows:
        distinct = DistinctRows(len(raters), raters[0].n_labels + 1)
        while bounds := ranges.take(BLOCK):
            rows = np.stack([codes.take(*bounds) for codes in raters], axis=1)
            distinct.add(arrange(rows))
        return distinct

    first, *others = _in_threads(work, raters, num_threads)
    for other in others:
        first.take_over(other)
    return first.rows()


def _in_threads(
    work: Callable[[ItemRanges], Result], raters: Sequence[Codes], num_threads: int
) -> list[Result]:
    n_subjects = raters[0].rater.n_subjects
    worth = max(1, n_subjects * len(raters) // RATINGS_WORTH_A_THREAD)
    return run_in_threads(work, n_subjects, min(num_threads, worth))


def _chunks(raters: Sequence[Codes], ranges: ItemRanges) -> Iterator[list[AnyArray]]:
    """Yield the codes of all raters for some subjects at a time, which fit in the cache."""
    while bounds := ranges.take(RANGE):
        for start in range(*bounds, CHUNK):
            stop = min(start + CHUNK, bounds[1])
            yield [codes.take(start, stop) for codes in raters]


def _number(codes: list[AnyArray], base: int, n_subjects: int) -> AnyArray:
    """Return the number whose digits are the codes."""
    number = np.zeros(n_subjects, np.uint32)
    for digit in codes:
        number *= np.uint32(base)
        number += digit
    return number


def _power(base: int, exponent: int) -> float:
    """Return a power as a float, infinity if it is beyond."""
    return math.exp(min(exponent * math.log(base), 700.0))
