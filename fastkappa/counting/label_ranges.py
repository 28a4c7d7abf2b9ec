"""Windows: labels that go up by one, and the tables of their pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.column import Column

# A range of labels is counted as it is while its table has at most so many cells,
LARGEST_DENSE_TABLE = 1 << 20
# but a few items are not worth a large table.
SMALL_DENSE_TABLE = 1 << 12
# Labels are looked up a chunk at a time.
CHUNK = 1 << 15
# Ratings that are looked at for a guess, and as many of the first ones.
SAMPLE = 256


class LabelRange(NamedTuple):
    """The labels from ``lowest`` on: label i is ``lowest + i``."""

    lowest: int
    n_labels: int


class Counts(NamedTuple):
    """A table of counts with the integer labels (or codes) of its rows and columns."""

    table: IntTable
    rows: AnyArray
    columns: AnyArray


def no_counts(*types: type[np.int64] | type[np.uint64]) -> Counts:
    """Return the counts of no labels, which are of the types of the rows and of the columns."""
    rows, columns = (np.empty(0, held) for held in types)
    return Counts(np.zeros((0, 0), np.int64), rows, columns)


def label_type(values: AnyArray) -> type[np.int64] | type[np.uint64]:
    """Return the type that holds every label of a column: int64, but uint64 for uint64."""
    return np.uint64 if values.dtype.kind == "u" and values.dtype.itemsize == 8 else np.int64


def label_limits(values: AnyArray) -> tuple[int, int]:
    """Return the least and the largest label a column's type can hold."""
    if values.dtype.kind == "f":
        return -(1 << 63), (1 << 63) - 1
    limits = np.iinfo(values.dtype)
    return int(limits.min), int(limits.max)


def guess_label_range(column: Column) -> LabelRange:
    """Return the labels a column seems to have."""
    values = column.values
    spread = values[:: max(1, len(values) // SAMPLE)]
    return widen(widen(LabelRange(0, 0), values[:SAMPLE]), spread)


def widen(label_range: LabelRange, values: AnyArray) -> LabelRange:
    """Return a range that holds the values too."""
    if len(values) == 0:
        return label_range
    lowest, highest = int(values.min()), int(values.max())
    if label_range.n_labels:
        lowest = min(lowest, label_range.lowest)
        highest = max(highest, label_range.lowest + label_range.n_labels - 1)
    return LabelRange(lowest, highest - lowest + 1)


def largest_table(n_items: int) -> int:
    """Return how many cells a table of a whole range may have for so many items."""
    return min(LARGEST_DENSE_TABLE, max(SMALL_DENSE_TABLE, 4 * n_items))


def n_cells_of(label_ranges: tuple[LabelRange, LabelRange]) -> int:
    """Return how many cells a table of two ranges has, with its last row and column."""
    return (label_ranges[0].n_labels + 1) * (label_ranges[1].n_labels + 1)


def empty_table(label_ranges: tuple[LabelRange, LabelRange]) -> IntTable:
    """Return a table of two ranges, and of a last row and column for what is in neither."""
    return np.zeros((label_ranges[0].n_labels + 1, label_ranges[1].n_labels + 1), np.int64)


def embed(
    table: IntTable,
    label_ranges: tuple[LabelRange, LabelRange],
    wider: tuple[LabelRange, LabelRange],
) -> IntTable:
    """Return the table of wider ranges with the counts of the narrower ones in it."""
    larger = empty_table(wider)
    row, column = (w.lowest - v.lowest if v.n_labels else 0 for v, w in zip(wider, label_ranges))
    inner = table[:-1, :-1]
    larger[row : row + inner.shape[0], column : column + inner.shape[1]] = inner
    return larger


def _labels(label_range: LabelRange, values: AnyArray) -> AnyArray:
    """Return the labels of a range, in the signed or unsigned type of the values."""
    dtype = label_type(values)
    return np.array(label_range.lowest, dtype) + np.arange(label_range.n_labels, dtype=dtype)


def occurring_part(
    table: IntTable, label_ranges: tuple[LabelRange, LabelRange], first: Column, second: Column
) -> Counts:
    """Return the part of a table whose labels occur."""
    rows, columns = _labels(label_ranges[0], first.values), _labels(label_ranges[1], second.values)
    in_rows, in_columns = table.any(axis=1), table.any(axis=0)
    if in_rows.all() and in_columns.all():
        return Counts(table, rows, columns)
    return Counts(table[np.ix_(in_rows, in_columns)], rows[in_rows], columns[in_columns])


def sorted_counts(counts: Counts) -> Counts:
    """Return counts with rows and columns in the order of the labels."""
    rows, columns = np.argsort(counts.rows), np.argsort(counts.columns)
    table = counts.table[np.ix_(rows, columns)]
    return Counts(table, counts.rows[rows], counts.columns[columns])


def merge_counts(parts: list[Counts]) -> Counts:
    """Return the sum of tables, by label."""
    if len(parts) == 1:
        return parts[0]
    rows = np.unique(np.concatenate([part.rows for part in parts]))
    columns = np.unique(np.concatenate([part.columns for part in parts]))
    table = np.zeros((len(rows), len(columns)), np.int64)
    for part in parts:
        cells = np.ix_(np.searchsorted(rows, part.rows), np.searchsorted(columns, part.columns))
        table[cells] += part.table
    return Counts(table, rows, columns)
