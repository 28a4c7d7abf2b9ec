"""Two columns of ratings become one table of counts.

Labels that are not known beforehand are found by the count itself: it starts with the
range of a small sample, the kernels count whatever falls outside that range apart, and a
range of items with outsiders is counted again with a wider range of labels. So the items
are read once, and no temporary of their number is made.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import Column
from fastkappa.counting.codecs import CHUNK, Codec, guess_label_range, label_type
from fastkappa.counting.sparse_table import SparseTable
from fastkappa.counting.table import (
    LabelledTable,
    LabelRanges,
    empty_table,
    largest_table,
    merge,
    n_cells_of,
    occurring,
    on_ranges,
)
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


def count_unknown(
    kernels: PairKernels, first: Column, second: Column, num_threads: int
) -> LabelledTable:
    """Return the table of all labels that occur, in columns of integers or whole floats."""
    n_items = len(first.values)
    guess = guess_label_range(first.values)
    label_ranges = (guess, guess if second is first else guess_label_range(second.values))
    threads = min(num_threads, threads_worth_it(kernels, first, second, n_cells_of(label_ranges)))
    largest = largest_table(n_items // threads)
    work = partial(_count_partition, kernels, first.values, second.values, label_ranges, largest)
    return merge(run_in_threads(work, n_items, threads))


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
    codecs: tuple[Codec, Codec],
    weights: AnyArray | None,
    num_threads: int,
) -> tuple[AnyArray, ...]:
    """Return the table of counts of known codes and, of item weights, that of their sums.

    Sums of integer weights are two tables, as `sum_pairs_exactly` gives them. The last row
    and column of a table are those of ratings outside the labels.
    """
    n_items = len(first.values)
    n_cells = (codecs[0].n_labels + 1) * (codecs[1].n_labels + 1)

    def work(ranges: ItemRanges) -> tuple[AnyArray, ...]:
        tables = empty_tables(codecs, weights)
        # Sums that are not finite are judged by the caller, who sees them in the table.
        with np.errstate(over="ignore", invalid="ignore"):
            while bounds := ranges.take(LONGEST_RANGE):
                add_pairs(kernels, first.values, second.values, codecs, weights, tables, *bounds)
        return tables

    # Each thread has tables of its own, which take time to clear and to add up.
    worth = min(threads_worth_it(kernels, first, second, n_cells), n_items // (4 * n_cells))
    parts = run_in_threads(work, n_items, max(1, min(num_threads, worth)))
    return tuple(sum(tables[1:], start=tables[0]) for tables in zip(*parts))


def empty_tables(codecs: tuple[Codec, Codec], weights: AnyArray | None) -> tuple[AnyArray, ...]:
    """Return a table of counts and, where there are item weights, those of their sums."""
    dtypes: list[Any] = [np.int64]
    if weights is not None:
        dtypes += [np.float64] if weights.dtype.kind == "f" else [np.int64, np.int64]
    shape = (codecs[0].n_labels + 1, codecs[1].n_labels + 1)
    return tuple(np.zeros(shape, dtype) for dtype in dtypes)


def add_pairs(
    kernels: PairKernels,
    first: AnyArray,
    second: AnyArray,
    codecs: tuple[Codec, Codec],
    weights: AnyArray | None,
    tables: tuple[AnyArray, ...],
    start: int,
    stop: int,
) -> None:
    """Add the items ``start <= i < stop`` to the tables that `empty_tables` gives."""
    in_place = codecs[0].reads_in_place and codecs[1].reads_in_place
    step = stop - start if in_place else CHUNK
    for begin in range(start, stop, step):
        chunk = slice(begin, min(begin + step, stop))
        n = chunk.stop - begin
        a, lowest_a = codecs[0].encode(first[chunk])
        b, lowest_b = codecs[1].encode(second[chunk])
        if weights is None:
            kernels.count_pairs(a, lowest_a, b, lowest_b, tables[0], 0, n)
        elif len(tables) == 2:
            counts, sums = tables
            kernels.sum_pairs(a, lowest_a, b, lowest_b, weights[chunk], counts, sums, 0, n)
        else:
            counts, high, low = tables
            kernels.sum_pairs_exactly(
                a, lowest_a, b, lowest_b, weights[chunk], counts, high, low, 0, n
            )


def _count_partition(
    kernels: PairKernels,
    first: AnyArray,
    second: AnyArray,
    label_ranges: LabelRanges,
    largest: int,
    ranges: ItemRanges,
) -> LabelledTable:
    """Return the table of the labels that occur in what one thread takes of the items."""
    types = label_type(first), label_type(second)
    if n_cells_of(label_ranges) > largest:
        table = SparseTable(types)
        _count_sparse(kernels, first, second, table, ranges.take(LARGEST_RANGE), ranges)
        return table.counts()
    total = empty_table(label_ranges)
    length = FIRST_RANGE
    while bounds := ranges.take(max(length, 16 * total.size)):
        items = slice(*bounds)
        while True:
            counts = np.zeros_like(total)
            lowest = label_ranges[0].lowest, label_ranges[1].lowest
            kernels.count_pairs(first, lowest[0], second, lowest[1], counts, *bounds)
            if not counts[-1].any() and not counts[:, -1].any():
                break
            wider = (
                label_ranges[0].widened(first[items]),
                label_ranges[1].widened(second[items]),
            )
            so_far = occurring(total, label_ranges, types)
            if n_cells_of(wider) > largest:
                table = SparseTable(types, so_far)
                _count_sparse(kernels, first, second, table, bounds, ranges)
                return table.counts()
            total = on_ranges(so_far, wider)
            label_ranges, length = wider, FIRST_RANGE
        total += counts
        # Large tables take time to clear and to add up.
        length = min(4 * length, max(LARGEST_RANGE, 256 * total.size))
    return occurring(total, label_ranges, types)


def _count_sparse(
    kernels: PairKernels,
    first: AnyArray,
    second: AnyArray,
    table: SparseTable,
    bounds: tuple[int, int] | None,
    ranges: ItemRanges,
) -> None:
    """Add items from ``bounds`` on to a table of labels that lie far apart."""
    while bounds is not None:
        table.add(kernels, first, second, *bounds)
        bounds = ranges.take(LARGEST_RANGE)
