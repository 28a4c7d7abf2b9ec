"""Many columns of ratings, each counted against one and the same first column.

A block of the first column is read from memory once and stays in the cache while the same
items of the other columns are counted against it. Threads take whole columns, so none needs
tables besides its own. Columns of a matrix that lies row by row are counted all at once
where they have few labels, and copied where they have many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import Column
from fastkappa.counting.confusion import (
    KnownLabels,
    checked_sums,
    select_cells,
    square_table,
)
from fastkappa.counting.incremental import NO_LABELS, GrowingTable
from fastkappa.counting.label_ranges import (
    Counts,
    LabelRange,
    guess_label_range,
    label_type,
    largest_table,
    n_cells_of,
    widen,
)
from fastkappa.counting.pairs import (
    BYTES_WORTH_A_THREAD,
    PAIRS_WORTH_A_THREAD,
    add_range,
    count_known,
    count_unknown,
)
from fastkappa.counting.sparse_labels import LabelMap
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads
from fastkappa.leaderboards.items.row_major import (
    CACHE_LINE,
    as_matrix,
    blocks_of_columns,
    matrix_to_copy,
)
from fastkappa.leaderboards.items.stacks import Tables, in_order, join

# So much of the first column stays in the cache.
BLOCK_BYTES = 1 << 20
# Columns that one thread counts block by block.
COLUMNS_AT_ONCE = 16
# Of columns that lie row by row, a thread takes so many items; it pays for so many bytes.
ROWS_AT_ONCE = 1 << 20
FEWEST_COLUMNS = 32
BYTES_OF_ROWS = 1 << 22

Encoded = tuple[LabelRange | LabelMap, AnyArray]


def count_many_unknown(
    kernels: PairKernels, pairs: Sequence[tuple[Column, Column]], num_threads: int
) -> Tables:
    """Return the table of each pair of columns, on all labels that occur in any, sorted."""
    if len(pairs) < 2 * num_threads:
        counts = [count_unknown(kernels, *pair, num_threads) for pair in pairs]
        return join([_one_table(count, pair) for count, pair in zip(counts, pairs)])
    parts = []
    rest = list(range(len(pairs)))
    first = pairs[0][0]
    # Predictions are expected to have the labels of the truth.
    label_range = widen(LabelRange(0, 0), first.values)
    if (label_range.n_labels + 1) ** 2 <= largest_table(len(first.values)):
        plain = [j for j in rest if all(map(_is_plain, pairs[j]))]
        expected, tables = _count_expected(
            kernels, label_range, [pairs[j] for j in plain], num_threads
        )
        done = [plain[i] for i in expected]
        if done:
            parts.append((done, tables))
            rest = sorted(set(rest) - set(done))
    if rest:
        others = [pairs[j] for j in rest]
        counts = _count_others(kernels, others, num_threads)
        parts += [([j], _one_table(c, pairs[j])) for j, c in zip(rest, counts)]
    return in_order(parts)


def _is_plain(column: Column) -> bool:
    return column.label_dtype.kind in "iu" and label_type(column.values) is np.int64


def _count_expected(
    kernels: PairKernels,
    label_range: LabelRange,
    pairs: Sequence[tuple[Column, Column]],
    num_threads: int,
) -> tuple[list[int], Tables]:
    """Return the tables of the pairs that have no labels besides those in a range, and which."""
    n_labels, lowest = label_range.n_labels, label_range.lowest
    stack = _count_rows(kernels, pairs, (label_range, label_range), num_threads)
    if stack is None:
        stack = _count_columns(kernels, pairs, label_range, num_threads)
    expected = ~np.logical_or(stack[:, -1].any(axis=1), stack[:, :, -1].any(axis=1))
    stack = stack[expected, :-1, :-1]
    present: NDArray[np.bool_] = np.logical_or(stack.any(axis=1), stack.any(axis=2))
    labels = lowest + np.arange(n_labels)
    used = present.any(axis=0)
    if not used.all():
        stack, present, labels = stack[:, used][:, :, used], present[:, used], labels[used]
    outside = np.zeros(len(stack), np.int64)
    return np.flatnonzero(expected).tolist(), Tables(stack, labels, present, outside)


def _count_columns(
    kernels: PairKernels,
    pairs: Sequence[tuple[Column, Column]],
    label_range: LabelRange,
    num_threads: int,
) -> AnyArray:
    """Return the tables of columns, all on the labels of one range."""
    n_labels, lowest = label_range.n_labels, label_range.lowest
    stack = np.zeros((len(pairs), n_labels + 1, n_labels + 1), np.int64)

    def count(j: int, items: slice, second: AnyArray) -> None:
        first = pairs[j][0].values[items]
        kernels.count_pairs(first, lowest, second, lowest, stack[j], 0, len(second))

    _for_all(kernels, count, pairs, num_threads)
    return stack


def _count_others(
    kernels: PairKernels, pairs: Sequence[tuple[Column, Column]], num_threads: int
) -> list[Counts]:
    """Return the counts of each pair of columns, whatever labels they have."""
    tables = []
    for first, second in pairs:
        types = (label_type(first.values), label_type(second.values))
        label_ranges = (guess_label_range(first), guess_label_range(second))
        few = n_cells_of(label_ranges) <= largest_table(len(first.values))
        tables.append(GrowingTable(types, label_ranges if few else NO_LABELS))

    def count(j: int, items: slice, second: AnyArray) -> None:
        tables[j].add(kernels, pairs[j][0].values[items], second, 0, len(second))

    _for_all(kernels, count, pairs, num_threads)
    return [table.counts() for table in tables]


def _one_table(counts: Counts, pair: tuple[Column, Column]) -> Tables:
    table, labels = square_table(counts, *pair)
    return Tables(table[None], labels, np.ones((1, len(labels)), np.bool_), np.zeros(1, np.int64))


def count_many_known(
    kernels: PairKernels,
    pairs: Sequence[tuple[Column, Column]],
    labels: Any,
    weights: AnyArray | None,
    num_threads: int,
) -> Tables:
    """Return the table of each pair of columns, on labels that are given."""
    # Dates are compared in the unit of each pair.
    by_type: dict[Any, KnownLabels] = {}
    truth: dict[int, Encoded] = {}
    encoded = []
    for first, second in pairs:
        if first.label_dtype not in by_type:
            by_type[first.label_dtype] = KnownLabels(labels, first, second)
        known = by_type[first.label_dtype]
        if id(first) not in truth:
            truth[id(first)] = known.encode(first)
        encoded.append((truth[id(first)], known.encode(second)))
    codes = [(rows[0], columns[0]) for rows, columns in encoded]
    if len(pairs) < 2 * num_threads:
        raw = [
            count_known(kernels, *pair, coded, weights, num_threads)
            for coded, pair in zip(codes, pairs)
        ]
    else:
        raw = _count_known_in_blocks(kernels, pairs, codes, weights, num_threads)
    tables, outside = [], []
    for (counts, *sums), (rows, columns) in zip(raw, encoded):
        positions = (rows[1], columns[1])
        table = select_cells(counts, positions, len(known))
        outside.append(len(pairs[0][0].values) - int(table.sum()))
        if weights is not None:
            table = select_cells(checked_sums(sums, weights), positions, len(known))
        tables.append(table)
    stack = np.stack(tables)
    present = np.ones(stack.shape[:2], np.bool_)
    return Tables(stack, known.array, present, np.array(outside, np.int64))


def _count_known_in_blocks(
    kernels: PairKernels,
    pairs: Sequence[tuple[Column, Column]],
    codes: Sequence[tuple[LabelRange | LabelMap, LabelRange | LabelMap]],
    weights: AnyArray | None,
    num_threads: int,
) -> list[tuple[AnyArray, ...]]:
    if weights is None and all(own == codes[0] for own in codes[1:]):
        stack = _count_rows(kernels, pairs, codes[0], num_threads)
        if stack is not None:
            return [(table,) for table in stack]
    dtypes: list[Any] = [np.int64]
    if weights is not None:
        dtypes += [np.float64] if weights.dtype.kind == "f" else [np.int64, np.int64]
    tables = [
        tuple(np.zeros((rows.n_labels + 1, columns.n_labels + 1), dtype) for dtype in dtypes)
        for rows, columns in codes
    ]

    def count(j: int, items: slice, second: AnyArray) -> None:
        first = pairs[j][0].values[items]
        own = None if weights is None else weights[items]
        add_range(kernels, first, second, codes[j], own, tables[j], 0, len(second))

    _for_all(kernels, count, pairs, num_threads)
    return tables


def _count_rows(
    kernels: PairKernels,
    pairs: Sequence[tuple[Column, Column]],
    codes: tuple[LabelRange | LabelMap, LabelRange | LabelMap],
    num_threads: int,
) -> AnyArray | None:
    """Return the tables of columns that lie row by row; None where there is no kernel for it."""
    rows, columns = codes
    if not isinstance(rows, LabelRange) or not isinstance(columns, LabelRange):
        return None
    if len(pairs) < FEWEST_COLUMNS:
        return None
    count_rows, first = kernels.count_rows, pairs[0][0]
    if count_rows is None or any(one is not first for one, _ in pairs):
        return None
    if max(rows.n_labels, columns.n_labels) > kernels.MOST_ROW_LABELS:
        return None
    matrix = as_matrix([second.values for _, second in pairs])
    if matrix is None:
        return None

    def work(ranges: ItemRanges) -> AnyArray:
        tables = np.zeros((len(pairs), rows.n_labels + 1, columns.n_labels + 1), np.int64)
        while bounds := ranges.take(ROWS_AT_ONCE):
            count_rows(first.values, rows.lowest, matrix, columns.lowest, tables, *bounds)
        return tables

    num_threads = max(1, min(num_threads, matrix.size * matrix.itemsize // BYTES_OF_ROWS))
    tables: AnyArray = np.add.reduce(run_in_threads(work, len(matrix), num_threads))
    return tables


def _for_all(
    kernels: PairKernels,
    count: Callable[[int, slice, AnyArray], None],
    pairs: Sequence[tuple[Column, Column]],
    num_threads: int,
) -> None:
    """Call ``count(j, items, second)`` for every block of items of every pair of columns.

    ``second`` are the ratings of these items in the second column.
    """
    if not pairs:
        return
    num_threads = _threads_worth_it(kernels, pairs, num_threads)
    length = max(1, BLOCK_BYTES // max(1, pairs[0][0].values.dtype.itemsize))
    at_once = min(COLUMNS_AT_ONCE, -(-len(pairs) // (4 * num_threads)))
    seconds = [second.values for _, second in pairs]
    if matrix_to_copy(seconds) is not None:
        # Each cache line is to be read by one thread.
        in_lines = max(COLUMNS_AT_ONCE, CACHE_LINE // seconds[0].itemsize)
        at_once = min(in_lines, -(-len(pairs) // num_threads))

    def work(ranges: ItemRanges) -> None:
        # Sums that are not finite are judged afterwards, from the table.
        with np.errstate(over="ignore", invalid="ignore"):
            while columns := ranges.take(at_once):
                for items, parts in blocks_of_columns(seconds[slice(*columns)], length):
                    for j, part in enumerate(parts, columns[0]):
                        count(j, items, part)

    run_in_threads(work, len(pairs), num_threads)


def _threads_worth_it(
    kernels: PairKernels, pairs: Sequence[tuple[Column, Column]], num_threads: int
) -> int:
    """Return how many threads have enough to do, at least one and at most a column each."""
    if kernels.READS_AS_FAST:
        work = sum(second.values.nbytes for _, second in pairs) // (BYTES_WORTH_A_THREAD // 4)
    else:
        work = sum(len(second.values) for _, second in pairs) // PAIRS_WORTH_A_THREAD
    return max(1, min(num_threads, work, len(pairs)))
