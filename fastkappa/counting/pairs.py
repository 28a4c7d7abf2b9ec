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
from fastkappa.counting.codecs import (
    Codec,
    LabelMap,
    LabelRanges,
    LabelType,
    chunk_to_look_up,
    guess_label_map,
    guess_label_range,
    label_type,
)
from fastkappa.counting.sparse_table import SparseTable
from fastkappa.counting.table import LabelledTable, merge, occurring, on_ranges
from fastkappa.exceptions import changed_meanwhile
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import (
    ItemRanges,
    division_of_pairs,
    fill_in_threads,
    run_in_threads,
)

FIRST_RANGE = 1 << 14
# Ranges that may have to be counted again are short; others are long, for each takes
# Python some microseconds, but end often enough for Python to hear Ctrl-C.
LARGEST_RANGE = 1 << 22
LONGEST_RANGE = 1 << 27


def count_unknown(
    kernels: PairKernels, first: Column, second: Column, num_threads: int | None = None
) -> LabelledTable:
    """Return the table of all labels that occur, in columns of integers or whole floats."""
    columns = first.values, second.values
    types = label_type(columns[0]), label_type(columns[1])
    guess = guess_label_range(columns[0])
    expected = LabelRanges(guess, guess if second is first else guess_label_range(columns[1]))
    n_items = len(columns[0])
    start: LabelRanges | SparseTable = expected
    if not expected.are_worth_a_table(n_items):
        rows = guess_label_map(kernels, columns[0])
        start = SparseTable(rows, rows if second is first else guess_label_map(kernels, columns[1]))
    work = partial(_count_partition, kernels, *columns, types, start)
    division = division_of_pairs(
        kernels, *columns, start.n_cells, num_threads, looked_up=start is not expected
    )
    return merge(run_in_threads(work, n_items, *division))


def count_known(
    kernels: PairKernels,
    first: Column,
    second: Column,
    codecs: tuple[Codec, Codec],
    weights: AnyArray | None,
    num_threads: int | None,
) -> tuple[AnyArray, ...]:
    """Return the table of counts of known codes and, of item weights, that of their sums.

    Sums of integer weights are two tables, as `sum_pairs_exactly` gives them. The last row
    and column of a table are those of ratings outside the labels.
    """
    columns = first.values, second.values
    n_items = len(columns[0])
    empty = empty_tables(codecs, weights)
    n_cells = empty[0].size
    threads, shortest = division_of_pairs(
        kernels, *columns, n_cells, num_threads, looked_up=_are_looked_up(codecs)
    )
    # Each thread has tables of its own, which take time to clear and to add up.
    threads = max(1, min(threads, n_items // (4 * n_cells)))
    add = partial(add_pairs, kernels, *columns, codecs, weights)
    return fill_in_threads(empty, add, n_items, threads, LONGEST_RANGE, shortest)


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
    """Add the items ``start <= i < stop`` to the tables that `empty_tables` gives.

    Sums that are not finite are judged by the caller, who sees them in the table.
    """
    step = chunk_to_look_up(*codecs) if _are_looked_up(codecs) else stop - start
    for begin in range(start, stop, step):
        chunk = slice(begin, min(begin + step, stop))
        n = chunk.stop - begin
        a, lowest_a = codecs[0].encode(kernels, first[chunk])
        b, lowest_b = codecs[1].encode(kernels, second[chunk])
        if weights is None:
            kernels.count_pairs(a, lowest_a, b, lowest_b, tables[0], 0, n)
        elif len(tables) == 2:
            counts, sums = tables
            with np.errstate(over="ignore", invalid="ignore"):
                kernels.sum_pairs(a, lowest_a, b, lowest_b, weights[chunk], counts, sums, 0, n)
        else:
            counts, high, low = tables
            kernels.sum_pairs_exactly(
                a, lowest_a, b, lowest_b, weights[chunk], counts, high, low, 0, n
            )


def _are_looked_up(codecs: tuple[Codec, Codec]) -> bool:
    """Return whether codes are made of ratings; otherwise kernels read these as they lie."""
    return any(isinstance(codec, LabelMap) for codec in codecs)


def _count_partition(
    kernels: PairKernels,
    first: AnyArray,
    second: AnyArray,
    types: tuple[LabelType, LabelType],
    label_ranges: LabelRanges | SparseTable,
    ranges: ItemRanges,
) -> LabelledTable:
    """Return the table of the labels that occur in what one thread takes of the items.

    It starts with a table of the label ranges, or like one of labels that are too far apart.
    """
    if isinstance(label_ranges, SparseTable):
        table = label_ranges.empty_copy()
        _count_sparse(kernels, first, second, table, ranges.take(LARGEST_RANGE), ranges)
        return table.counts()
    total = np.zeros(label_ranges.shape, np.int64)
    length = FIRST_RANGE
    while bounds := ranges.take(max(length, 16 * total.size)):
        items = slice(*bounds)
        while True:
            counts = np.zeros_like(total)
            lowest = label_ranges.rows.lowest, label_ranges.columns.lowest
            kernels.count_pairs(first, lowest[0], second, lowest[1], counts, *bounds)
            if not counts[-1].any() and not counts[:, -1].any():
                break
            wider = label_ranges.widened(first[items], second[items])
            if wider == label_ranges:
                raise changed_meanwhile()
            so_far = occurring(total, label_ranges, types)
            if not wider.are_worth_a_table(len(first)):
                table = SparseTable.of(so_far, types)
                _count_sparse(kernels, first, second, table, bounds, ranges)
                return table.counts()
            total = on_ranges(so_far, wider)
            label_ranges, length = wider, FIRST_RANGE
        total += counts
        # Large tables take time to clear and to add up.
        length = min(16 * length, max(LARGEST_RANGE, 256 * total.size))
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
