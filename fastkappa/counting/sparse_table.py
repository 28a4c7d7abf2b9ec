"""A table of labels that lie too far apart for one of their whole range."""

from __future__ import annotations

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.counting.codecs import LabelMap, LabelType, chunk_to_look_up
from fastkappa.counting.table import LabelledTable, without_empty
from fastkappa.kernels.contract import PairKernels


class SparseTable:
    """Counts of labels that lie far apart, each label having a code."""

    def __init__(self, rows: LabelMap, columns: LabelMap) -> None:
        """Start from an empty table with room for the labels expected, which are copied."""
        self._rows, self._columns = rows.copy(), columns.copy()
        self._table = np.zeros((rows.n_labels + 1, columns.n_labels + 1), np.int64)

    @classmethod
    def of(cls, counts: LabelledTable, types: tuple[LabelType, LabelType]) -> SparseTable:
        """Go on from a table of counts, whose labels are of these types from now on."""
        maps = LabelMap(types[0]), LabelMap(types[1])
        for labels, own in zip(maps, (counts.rows, counts.columns)):
            labels.add(own)
        table = cls(*maps)
        table._table[: len(counts.rows), : len(counts.columns)] = counts.table
        return table

    @property
    def n_cells(self) -> int:
        """How many cells the table has."""
        return self._table.size

    def empty_copy(self) -> SparseTable:
        """Return a table of no pairs with the same labels."""
        return SparseTable(self._rows, self._columns)

    def add(
        self, kernels: PairKernels, first: AnyArray, second: AnyArray, start: int, stop: int
    ) -> None:
        """Count the pairs ``start <= i < stop``."""
        while start < stop:
            chunk = slice(start, min(start + chunk_to_look_up(self._rows, self._columns), stop))
            start = chunk.stop
            a = self._rows.learn(kernels, first[chunk])
            b = self._columns.learn(kernels, second[chunk])
            self._make_room()
            kernels.count_pairs(a, 0, b, 0, self._table, 0, len(a))

    def counts(self) -> LabelledTable:
        """Return the table of the labels that occur, sorted."""
        rows = self._rows.labels(self._rows.dtype)
        columns = self._columns.labels(self._columns.dtype)
        in_order = np.argsort(rows), np.argsort(columns)
        table = self._table[np.ix_(*in_order)]
        return without_empty(LabelledTable(table, rows[in_order[0]], columns[in_order[1]]))

    def _make_room(self) -> None:
        """Have a row and a column for every label, and room for those to come."""
        shape = self._table.shape
        n_rows, n_columns = self._rows.n_labels, self._columns.n_labels
        if n_rows >= shape[0] or n_columns >= shape[1]:
            larger = np.zeros((_with_room(n_rows), _with_room(n_columns)), np.int64)
            larger[: shape[0], : shape[1]] = self._table
            self._table = larger


def _with_room(n_labels: int) -> int:
    return n_labels + n_labels // 4 + 1
