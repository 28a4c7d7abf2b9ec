"""A table of labels that lie too far apart for one of their whole range."""

from __future__ import annotations

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.counting.label_ranges import CHUNK, Counts, sorted_counts
from fastkappa.counting.sparse_labels import LabelMap
from fastkappa.kernels.contract import PairKernels


class SparseTable:
    """Counts of labels that lie far apart, each label having a code."""

    def __init__(self, counts: Counts) -> None:
        self._rows = LabelMap(counts.rows.dtype.type)
        self._columns = LabelMap(counts.columns.dtype.type)
        for known, labels in ((self._rows, counts.rows), (self._columns, counts.columns)):
            if len(labels):
                known.add(labels)
        self._table = np.zeros((1, 1), np.int64)
        self._grow()
        self._table[: len(counts.rows), : len(counts.columns)] = counts.table

    def add(
        self, kernels: PairKernels, first: AnyArray, second: AnyArray, start: int, stop: int
    ) -> None:
        """Count the pairs ``start <= i < stop``."""
        for begin in range(start, stop, CHUNK):
            chunk = slice(begin, min(begin + CHUNK, stop))
            a, b = self._rows.learn(first[chunk]), self._columns.learn(second[chunk])
            self._grow()
            kernels.count_pairs(a, 0, b, 0, self._table, 0, len(a))

    def counts(self) -> Counts:
        """Return the table of the labels that occur, sorted."""
        table = self._table[: self._rows.n_labels, : self._columns.n_labels]
        rows, columns = table.any(axis=1), table.any(axis=0)
        labels = self._rows.labels_by_code()[rows], self._columns.labels_by_code()[columns]
        return sorted_counts(Counts(table[np.ix_(rows, columns)], *labels))

    def _grow(self) -> None:
        """Have a row and a column for every label, and room for those to come."""
        shape = self._table.shape
        n_rows, n_columns = self._rows.n_labels, self._columns.n_labels
        if n_rows >= shape[0] or n_columns >= shape[1]:
            larger = np.zeros((_room(n_rows), _room(n_columns)), np.int64)
            larger[: shape[0], : shape[1]] = self._table
            self._table = larger


def _room(n_labels: int) -> int:
    return n_labels + n_labels // 4 + 1
