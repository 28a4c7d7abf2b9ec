"""Two columns of ratings become one table of counts.

Labels that are not known beforehand are found by the count itself: it starts with the
range of a small sample, the kernels count whatever falls outside that range apart, and a
stretch of items with outsiders is counted again with a wider range. So the items are
read once, and no temporary of their number is made.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fastkappa.counting.labels import Column
from fastkappa.counting.sparse_labels import SparseLabels
from fastkappa.counting.threads import Stretches, run_in_threads
from fastkappa.types import AnyArray, IntTable

# A range of labels is counted as it is while its table has at most so many cells,
LARGEST_DENSE_TABLE = 1 << 20
# but a few items are not worth a large table.
SMALL_DENSE_TABLE = 1 << 12
SAMPLE = 256
# Labels are looked up a chunk at a time.
CHUNK = 1 << 15
FIRST_STRETCH = 1 << 14
# Stretches that may have to be counted again are short; others are long, for each takes
# Python some microseconds, but end often enough for Python to hear Ctrl-C.
LARGEST_STRETCH = 1 << 22
LONGEST_STRETCH = 1 << 27
# Threads take some 100 microseconds to start, in which one reads so much, or counts so many
# pairs where that takes more time than to read them.
BYTES_WORTH_A_THREAD = 1 << 24
PAIRS_WORTH_A_THREAD = 1 << 18
MOST_CELLS_READ_AS_FAST = 1 << 8


class Window(NamedTuple):
    """The labels from ``lowest`` on: label i is ``lowest + i``."""

    lowest: int
    n_labels: int


class Counts(NamedTuple):
    """A table of counts with the integer labels (or codes) of its rows and columns."""

    table: IntTable
    rows: AnyArray
    columns: AnyArray


def count_unknown(kernels: Any, first: Column, second: Column, num_threads: int) -> Counts:
    """Return the table of all labels that occur, in columns of integers or whole floats."""
    n_items = len(first.values)
    windows = (_guess(first), _guess(second))
    threads = min(num_threads, threads_worth_it(kernels, first, second, _n_cells(windows)))
    largest = min(LARGEST_DENSE_TABLE, max(SMALL_DENSE_TABLE, 4 * n_items // threads))
    work = partial(_count_share, kernels, first, second, windows, largest)
    return _merge(run_in_threads(work, n_items, threads))


def threads_worth_it(kernels: Any, first: Column, second: Column, n_cells: int) -> int:
    """Return how many threads have enough to do, at least one."""
    n_items = len(first.values)
    if kernels.READS_AS_FAST and n_cells <= MOST_CELLS_READ_AS_FAST:
        pair = first.values.dtype.itemsize + second.values.dtype.itemsize
        return max(1, n_items * pair // BYTES_WORTH_A_THREAD)
    return max(1, n_items // PAIRS_WORTH_A_THREAD)


def count_known(
    kernels: Any,
    first: Column,
    second: Column,
    labels: tuple[Window | SparseLabels, Window | SparseLabels],
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

    def work(stretches: Stretches) -> tuple[AnyArray, ...]:
        tables = tuple(np.zeros(shape, dtype) for dtype in dtypes)
        # Sums that are not finite are judged by the caller, who sees them in the table.
        with np.errstate(over="ignore", invalid="ignore"):
            while stretch := stretches.take(LONGEST_STRETCH):
                _add_stretch(kernels, first, second, labels, weights, tables, *stretch)
        return tables

    # Each thread has tables of its own, which take time to clear and to add up.
    n_cells = shape[0] * shape[1]
    worth = min(threads_worth_it(kernels, first, second, n_cells), n_items // (4 * n_cells))
    shares = run_in_threads(work, n_items, max(1, min(num_threads, worth)))
    return tuple(sum(parts[1:], start=parts[0]) for parts in zip(*shares))


def _add_stretch(
    kernels: Any,
    first: Column,
    second: Column,
    labels: tuple[Window | SparseLabels, Window | SparseLabels],
    weights: AnyArray | None,
    tables: tuple[AnyArray, ...],
    start: int,
    stop: int,
) -> None:
    a, b = labels
    # Codes are looked up a chunk at a time.
    step = stop - start if isinstance(a, Window) and isinstance(b, Window) else CHUNK
    for begin in range(start, stop, step):
        chunk = slice(begin, min(begin + step, stop))
        n_items = chunk.stop - begin
        codes = (*_codes(a, first.values[chunk]), *_codes(b, second.values[chunk]))
        if weights is None:
            kernels.count_pairs(*codes, *tables, 0, n_items)
        else:
            add = kernels.sum_pairs if len(tables) == 2 else kernels.sum_pairs_exactly
            add(*codes, weights[chunk], *tables, 0, n_items)


def _codes(labels: Window | SparseLabels, values: AnyArray) -> tuple[AnyArray, int]:
    """Return a chunk as kernels take it: ratings and the rating of code 0."""
    if isinstance(labels, Window):
        return values, labels.lowest
    return labels.codes(values), 0


def _count_share(
    kernels: Any,
    first: Column,
    second: Column,
    windows: tuple[Window, Window],
    largest: int,
    stretches: Stretches,
) -> Counts:
    """Return the table of the labels that occur in what one thread takes of the items."""
    if _n_cells(windows) > largest:
        return _count_sparse(kernels, first, second, stretches.take(LARGEST_STRETCH), stretches)
    table = _empty_table(windows)
    length = FIRST_STRETCH
    while stretch := stretches.take(max(length, 16 * table.size)):
        counts = _empty_table(windows)
        _count(kernels, first, second, windows, counts, stretch)
        while counts[-1].any() or counts[:, -1].any():
            items = slice(*stretch)
            wider = (
                _widen(windows[0], first.values[items]),
                _widen(windows[1], second.values[items]),
            )
            if _n_cells(wider) > largest:
                so_far = _occurring(table[:-1, :-1], windows, first, second)
                rest = _count_sparse(kernels, first, second, stretch, stretches)
                return _merge([so_far, rest])
            table = _embed(table, windows, wider)
            windows, length = wider, FIRST_STRETCH
            counts = _empty_table(windows)
            _count(kernels, first, second, windows, counts, stretch)
        table += counts
        # Large tables take time to clear and to add up.
        length = min(4 * length, max(LARGEST_STRETCH, 256 * table.size))
    return _occurring(table[:-1, :-1], windows, first, second)


def _count(
    kernels: Any,
    first: Column,
    second: Column,
    windows: tuple[Window, Window],
    table: IntTable,
    stretch: tuple[int, int],
) -> None:
    (a, b) = windows
    kernels.count_pairs(first.values, a.lowest, second.values, b.lowest, table, *stretch)


def _labels(window: Window, values: AnyArray) -> AnyArray:
    """Return the labels of a window, in the signed or unsigned type of the values."""
    dtype = label_type(values)
    return np.array(window.lowest, dtype) + np.arange(window.n_labels, dtype=dtype)


def label_type(values: AnyArray) -> type[np.int64] | type[np.uint64]:
    """Return the type that holds every label of a column: int64, but uint64 for uint64."""
    return np.uint64 if values.dtype.kind == "u" and values.dtype.itemsize == 8 else np.int64


def label_limits(values: AnyArray) -> tuple[int, int]:
    """Return the least and the largest label a column's type can hold."""
    if values.dtype.kind == "f":
        return -(1 << 63), (1 << 63) - 1
    limits = np.iinfo(values.dtype)
    return int(limits.min), int(limits.max)


def _count_sparse(
    kernels: Any,
    first: Column,
    second: Column,
    stretch: tuple[int, int] | None,
    stretches: Stretches,
) -> Counts:
    """Return the table of the labels that occur, however far apart they lie."""
    rows, columns = SparseLabels(label_type(first.values)), SparseLabels(label_type(second.values))
    table = np.zeros((1, 1), np.int64)
    while stretch is not None:
        for begin in range(*stretch, CHUNK):
            end = min(begin + CHUNK, stretch[1])
            row_codes = rows.learn(first.values[begin:end])
            column_codes = columns.learn(second.values[begin:end])
            if rows.n_labels >= table.shape[0] or columns.n_labels >= table.shape[1]:
                # Room to grow: a copy of the table for every few new labels would be quadratic.
                larger = np.zeros((_room(rows.n_labels), _room(columns.n_labels)), np.int64)
                larger[: table.shape[0], : table.shape[1]] = table
                table = larger
            kernels.count_pairs(row_codes, 0, column_codes, 0, table, 0, end - begin)
        stretch = stretches.take(LARGEST_STRETCH)
    labels = rows.labels_by_code(), columns.labels_by_code()
    table = table[: rows.n_labels, : columns.n_labels]
    return _sorted(Counts(table, *labels))


def _room(n_labels: int) -> int:
    return n_labels + n_labels // 4 + 1


def _guess(column: Column) -> Window:
    """Return the labels a column seems to have."""
    values = column.values
    spread = values[:: max(1, len(values) // SAMPLE)]
    return _widen(_widen(Window(0, 0), values[:SAMPLE]), spread)


def _widen(window: Window, values: AnyArray) -> Window:
    """Return a window that holds the values too."""
    if len(values) == 0:
        return window
    lowest, highest = int(values.min()), int(values.max())
    if window.n_labels:
        lowest = min(lowest, window.lowest)
        highest = max(highest, window.lowest + window.n_labels - 1)
    return Window(lowest, highest - lowest + 1)


def _n_cells(windows: tuple[Window, Window]) -> int:
    return (windows[0].n_labels + 1) * (windows[1].n_labels + 1)


def _empty_table(windows: tuple[Window, Window]) -> IntTable:
    return np.zeros((windows[0].n_labels + 1, windows[1].n_labels + 1), np.int64)


def _embed(
    table: IntTable, windows: tuple[Window, Window], wider: tuple[Window, Window]
) -> IntTable:
    """Return the table of wider windows with the counts of the narrower ones in it."""
    larger = _empty_table(wider)
    row, column = (w.lowest - v.lowest if v.n_labels else 0 for v, w in zip(wider, windows))
    inner = table[:-1, :-1]
    larger[row : row + inner.shape[0], column : column + inner.shape[1]] = inner
    return larger


def _occurring(
    table: IntTable, windows: tuple[Window, Window], first: Column, second: Column
) -> Counts:
    """Return the part of a table whose labels occur."""
    rows, columns = _labels(windows[0], first.values), _labels(windows[1], second.values)
    in_rows, in_columns = table.any(axis=1), table.any(axis=0)
    if in_rows.all() and in_columns.all():
        return Counts(table, rows, columns)
    return Counts(table[np.ix_(in_rows, in_columns)], rows[in_rows], columns[in_columns])


def _sorted(counts: Counts) -> Counts:
    rows, columns = np.argsort(counts.rows), np.argsort(counts.columns)
    table = counts.table[np.ix_(rows, columns)]
    return Counts(table, counts.rows[rows], counts.columns[columns])


def _merge(parts: list[Counts]) -> Counts:
    """Add tables up by label."""
    if len(parts) == 1:
        return parts[0]
    rows = np.unique(np.concatenate([part.rows for part in parts]))
    columns = np.unique(np.concatenate([part.columns for part in parts]))
    table = np.zeros((len(rows), len(columns)), np.int64)
    for part in parts:
        cells = np.ix_(np.searchsorted(rows, part.rows), np.searchsorted(columns, part.columns))
        table[cells] += part.table
    return Counts(table, rows, columns)
