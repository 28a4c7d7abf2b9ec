"""Two columns of ratings become one table of counts.

Labels that are not known beforehand are found by the count itself: it starts with the
range of a small sample, the kernels count whatever falls outside that range apart, and a
range of items with outsiders is counted again with a wider range. So the items are
read once, and no temporary of their number is made.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.column import Column
from fastkappa.counting.label_ranges import (
    CHUNK,
    Counts,
    LabelRange,
    embed,
    empty_table,
    guess_label_range,
    label_type,
    largest_table,
    merge_counts,
    n_cells_of,
    no_counts,
    occurring_part,
    widen,
)
from fastkappa.counting.sparse_labels import LabelMap
from fastkappa.counting.sparse_table import SparseTable
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads

FIRST_RANGE = 1 << 14
# Ranges that may have to be counted again are short; others are long, for each takes
# Python some microseconds, but end often enough for Python to hear Ctrl-C.
LARGEST_RANGE = 1 << 22
LONGEST_RANGE = 1 << 27
# Threads take some 100 microseconds to start, in which one reads so much, or counts so many
# pairs where that takes more time than to read them.
BYTES_WORTH_A_THREAD = 1 << 24
PAIRS_WORTH_A_THREAD = 1 << 18
MOST_CELLS_READ_AS_FAST = 1 << 8


def count_unknown(kernels: PairKernels, first: Column, second: Column, num_threads: int) -> Counts:
    """Return the table of all labels that occur, in columns of integers or whole floats."""
    n_items = len(first.values)
    label_range = guess_label_range(first)
    label_ranges = (label_range, label_range if second is first else guess_label_range(second))
    threads = min(num_threads, threads_worth_it(kernels, first, second, n_cells_of(label_ranges)))
    largest = largest_table(n_items // threads)
    work = partial(_count_share, kernels, first, second, label_ranges, largest)
    return merge_counts(run_in_threads(work, n_items, threads))


def threads_worth_it(kernels: PairKernels, first: Column, second: Column, n_cells: int) -> int:
    """Return how many threads have enough to do, at least one."""
    n_items = len(first.values)
    if kernels.READS_AS_FAST and n_cells <= MOST_CELLS_READ_AS_FAST:
        pair = first.values.dtype.itemsize + second.values.dtype.itemsize
        return max(1, n_items * pair // BYTES_WORTH_A_THREAD)
    return max(1, n_items // PAIRS_WORTH_A_THREAD)


def count_known(
    kernels: PairKernels,
    first: Column,
    second: Column,
    labels: tuple[LabelRange | LabelMap, LabelRange | LabelMap],
    weights: AnyArray | None,
    num_threads: int,
) -> tuple[AnyArray, ...]:
    """Return the table of counts for known labels and, of item weights, that of their sums.

    Sums of integer weights come as two tables, as `sum_pairs_exactly` gives them. The last
    row and column of a table are those of ratings outside the labels.
    """
    n_items = len(first.values)
    shape = (labels[0].n_labels + 1, labels[1].n_labels + 1)
    dtypes: list[Any] = [np.int64]
    if weights is not None:
        dtypes += [np.float64] if weights.dtype.kind == "f" else [np.int64, np.int64]

    def work(ranges: ItemRanges) -> tuple[AnyArray, ...]:
        tables = tuple(np.zeros(shape, dtype) for dtype in dtypes)
        # Sums that are not finite are judged by the caller, who sees them in the table.
        with np.errstate(over="ignore", invalid="ignore"):
            while bounds := ranges.take(LONGEST_RANGE):
                add_range(kernels, first.values, second.values, labels, weights, tables, *bounds)
        return tables

    # Each thread has tables of its own, which take time to clear and to add up.
    n_cells = shape[0] * shape[1]
    worth = min(threads_worth_it(kernels, first, second, n_cells), n_items // (4 * n_cells))
    shares = run_in_threads(work, n_items, max(1, min(num_threads, worth)))
    return tuple(sum(parts[1:], start=parts[0]) for parts in zip(*shares))


def add_range(
    kernels: PairKernels,
    first: AnyArray,
    second: AnyArray,
    labels: tuple[LabelRange | LabelMap, LabelRange | LabelMap],
    weights: AnyArray | None,
    tables: tuple[AnyArray, ...],
    start: int,
    stop: int,
) -> None:
    """Add the items ``start <= i < stop`` to the tables that `count_known` tells of."""
    a, b = labels
    # Codes are looked up a chunk at a time.
    step = stop - start if isinstance(a, LabelRange) and isinstance(b, LabelRange) else CHUNK
    for begin in range(start, stop, step):
        chunk = slice(begin, min(begin + step, stop))
        n_items = chunk.stop - begin
        codes = (
            *codes_and_lowest(a, first[chunk]),
            *codes_and_lowest(b, second[chunk]),
        )
        if weights is None:
            kernels.count_pairs(*codes, *tables, 0, n_items)
        else:
            add = kernels.sum_pairs if len(tables) == 2 else kernels.sum_pairs_exactly
            add(*codes, weights[chunk], *tables, 0, n_items)


def codes_and_lowest(labels: LabelRange | LabelMap, values: AnyArray) -> tuple[AnyArray, int]:
    """Return a chunk as kernels take it: ratings and the rating of code 0."""
    if isinstance(labels, LabelRange):
        return values, labels.lowest
    return labels.codes(values), 0


def _count_share(
    kernels: PairKernels,
    first: Column,
    second: Column,
    label_ranges: tuple[LabelRange, LabelRange],
    largest: int,
    ranges: ItemRanges,
) -> Counts:
    """Return the table of the labels that occur in what one thread takes of the items."""
    if n_cells_of(label_ranges) > largest:
        return _count_sparse(kernels, first, second, ranges.take(LARGEST_RANGE), ranges)
    table = empty_table(label_ranges)
    length = FIRST_RANGE
    while bounds := ranges.take(max(length, 16 * table.size)):
        counts = empty_table(label_ranges)
        _count(kernels, first, second, label_ranges, counts, bounds)
        while counts[-1].any() or counts[:, -1].any():
            items = slice(*bounds)
            wider = (
                widen(label_ranges[0], first.values[items]),
                widen(label_ranges[1], second.values[items]),
            )
            if n_cells_of(wider) > largest:
                so_far = occurring_part(table[:-1, :-1], label_ranges, first, second)
                rest = _count_sparse(kernels, first, second, bounds, ranges)
                return merge_counts([so_far, rest])
            table = embed(table, label_ranges, wider)
            label_ranges, length = wider, FIRST_RANGE
            counts = empty_table(label_ranges)
            _count(kernels, first, second, label_ranges, counts, bounds)
        table += counts
        # Large tables take time to clear and to add up.
        length = min(4 * length, max(LARGEST_RANGE, 256 * table.size))
    return occurring_part(table[:-1, :-1], label_ranges, first, second)


def _count(
    kernels: PairKernels,
    first: Column,
    second: Column,
    label_ranges: tuple[LabelRange, LabelRange],
    table: IntTable,
    bounds: tuple[int, int],
) -> None:
    (a, b) = label_ranges
    kernels.count_pairs(first.values, a.lowest, second.values, b.lowest, table, *bounds)


def _count_sparse(
    kernels: PairKernels,
    first: Column,
    second: Column,
    bounds: tuple[int, int] | None,
    ranges: ItemRanges,
) -> Counts:
    """Return the table of the labels that occur, however far apart they lie."""
    table = SparseTable(no_counts(label_type(first.values), label_type(second.values)))
    while bounds is not None:
        table.add(kernels, first.values, second.values, *bounds)
        bounds = ranges.take(LARGEST_RANGE)
    return table.counts()
