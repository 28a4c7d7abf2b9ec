"""Tables of counts that pairs are added to, and taken away from, a batch at a time.

One of unknown labels grows with those that turn up.

Pairs are counted straight into the table. The kernels count what has no cell apart, in the
last row and column; only where they found something there are those pairs looked for, and
counted again in a table with room for them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.column import Column
from fastkappa.counting.confusion import ConfusionCounts, KnownLabels
from fastkappa.counting.label_ranges import (
    CHUNK,
    Counts,
    LabelRange,
    embed,
    empty_table,
    largest_table,
    n_cells_of,
    occurring_part,
    widen,
)
from fastkappa.counting.sparse_table import SparseTable
from fastkappa.kernels.contract import PairKernels

LabelType = type[np.int64] | type[np.uint64]
NO_LABELS = (LabelRange(0, 0), LabelRange(0, 0))


class GrowingTable:
    """Counts of pairs of integer labels, whatever these turn out to be.

    The labels of a rater are int64 or uint64. Where they lie too far apart for a table of
    their whole range, each label that occurs gets a code.
    """

    def __init__(
        self,
        types: tuple[LabelType, LabelType] = (np.int64, np.int64),
        label_ranges: tuple[LabelRange, LabelRange] = NO_LABELS,
    ) -> None:
        """Make a table with room for the labels in ``ranges``, which are those expected."""
        self._types = types
        self._sparse: SparseTable | None = None
        self._use(label_ranges, empty_table(label_ranges))

    def takes(self, limits: tuple[int, int]) -> bool:
        """Tell whether the labels of a type, whose least and largest are given, can be held."""
        return limits[1] < 1 << 63

    def _use(self, label_ranges: tuple[LabelRange, LabelRange], table: IntTable) -> None:
        self.label_ranges, self._table = label_ranges, table
        self.lowest = (label_ranges[0].lowest, label_ranges[1].lowest)
        # Made once: a short call has no time for it.
        self._last_row, self._last_column = table[-1].data, table[:, -1].data
        self._empty_row, self._empty_column = bytes(table[-1].nbytes), bytes(table[:, -1].nbytes)

    def add(
        self, kernels: PairKernels, first: AnyArray, second: AnyArray, start: int, stop: int
    ) -> None:
        """Count the pairs ``start <= i < stop``."""
        if self._sparse is not None:
            self._sparse.add(kernels, first, second, start, stop)
            return
        lowest = self.lowest
        kernels.count_pairs(first, lowest[0], second, lowest[1], self._table, start, stop)
        # Bytes are compared in a fraction of the time that NumPy needs to be called.
        if (
            self._last_row.tobytes() != self._empty_row
            or self._last_column.tobytes() != self._empty_column
        ):
            self._add_outsiders(kernels, first, second, start, stop)

    def take_away(self, kernels: PairKernels, first: AnyArray, second: AnyArray) -> bool:
        """Subtract pairs that were added before; change nothing and return False if one was not."""
        if self._sparse is not None:
            return self.subtract(_counted(self._types, kernels, first, second))
        table = np.zeros_like(self._table)
        kernels.count_pairs(first, self.lowest[0], second, self.lowest[1], table, 0, len(first))
        # What has no cell was never added: the last row and column of the own table are empty.
        return _take_away(self._table, table)

    def subtract(self, counts: Counts) -> bool:
        """Subtract counts that were added before; change nothing and return False otherwise."""
        own = self.counts()
        if (
            not np.isin(counts.rows, own.rows).all()
            or not np.isin(counts.columns, own.columns).all()
        ):
            return False
        cells = np.ix_(
            np.searchsorted(own.rows, counts.rows), np.searchsorted(own.columns, counts.columns)
        )
        left = own.table.copy()
        left[cells] -= counts.table
        if (left < 0).any():
            return False
        in_rows, in_columns = left.any(axis=1), left.any(axis=0)
        left = left[np.ix_(in_rows, in_columns)]
        self._hold(Counts(left, own.rows[in_rows], own.columns[in_columns]))
        return True

    def counts(self) -> Counts:
        """Return a table of its own of the labels that occur, sorted."""
        if self._sparse is not None:
            return self._sparse.counts()
        examples = tuple(Column(np.empty(0, held), np.dtype(held)) for held in self._types)
        counts = occurring_part(self._table[:-1, :-1], self.label_ranges, *examples)
        return counts._replace(table=counts.table.copy())

    def _hold(self, counts: Counts) -> None:
        """Go on from a table of counts."""
        label_ranges = (
            widen(LabelRange(0, 0), counts.rows),
            widen(LabelRange(0, 0), counts.columns),
        )
        if n_cells_of(label_ranges) > largest_table(int(counts.table.sum())):
            self._sparse = SparseTable(counts)
            self._use(NO_LABELS, empty_table(NO_LABELS))
            return
        self._sparse = None
        table = empty_table(label_ranges)
        rows = counts.rows - np.array(label_ranges[0].lowest, counts.rows.dtype)
        columns = counts.columns - np.array(label_ranges[1].lowest, counts.columns.dtype)
        table[np.ix_(rows.astype(np.intp), columns.astype(np.intp))] = counts.table
        self._use(label_ranges, table)

    def _add_outsiders(
        self, kernels: PairKernels, first: AnyArray, second: AnyArray, start: int, stop: int
    ) -> None:
        self._table[-1] = 0
        self._table[:, -1] = 0
        counted = self.label_ranges
        for begin in range(start, stop, CHUNK):
            chunk = slice(begin, min(begin + CHUNK, stop))
            a, b = first[chunk].astype(self._types[0]), second[chunk].astype(self._types[1])
            outside = ~(_inside(a, counted[0]) & _inside(b, counted[1]))
            if not outside.any():
                continue
            a, b = a[outside], b[outside]
            if self._sparse is None:
                wider = (widen(self.label_ranges[0], a), widen(self.label_ranges[1], b))
                self._make_room(wider, stop - start)
            if self._sparse is not None:
                self._sparse.add(kernels, a, b, 0, len(a))
            else:
                lowest = self.lowest
                kernels.count_pairs(a, lowest[0], b, lowest[1], self._table, 0, len(a))

    def _make_room(self, wider: tuple[LabelRange, LabelRange], n_new: int) -> None:
        """Widen the table to these ranges, or give up having one of a range."""
        if n_cells_of(wider) > largest_table(int(self._table.sum()) + n_new):
            self._sparse = SparseTable(self.counts())
            self._use(NO_LABELS, empty_table(NO_LABELS))
        else:
            self._use(wider, embed(self._table, self.label_ranges, wider))


class FixedTable:
    """Counts of pairs of labels that are known, for integers that go up by one from label to label.

    For other labels it is there, but takes nothing.
    """

    def __init__(self, labels: AnyArray) -> None:
        example = Column(np.empty(0, np.int64), np.dtype(np.int64))
        label_range = KnownLabels(labels, example, example).in_a_row()
        self._labels = labels
        self._window = label_range or LabelRange(0, 0)
        n_labels = self._window.n_labels
        self._table = np.zeros((n_labels + 1, n_labels + 1), np.int64)

    def takes(self, limits: tuple[int, int]) -> bool:
        """Tell whether all labels are in a type, whose least and largest label are given."""
        lowest, n_labels = self._window
        return bool(n_labels) and limits[0] <= lowest and lowest + n_labels - 1 <= limits[1]

    def add(
        self, kernels: PairKernels, first: AnyArray, second: AnyArray, start: int, stop: int
    ) -> None:
        """Count the pairs ``start <= i < stop``."""
        lowest = self._window.lowest
        kernels.count_pairs(first, lowest, second, lowest, self._table, start, stop)

    def take_away(self, kernels: PairKernels, first: AnyArray, second: AnyArray) -> bool:
        """Subtract pairs that were added before; change nothing and return False if one was not."""
        lowest = self._window.lowest
        table = np.zeros_like(self._table)
        kernels.count_pairs(first, lowest, second, lowest, table, 0, len(first))
        return _take_away(self._table, table)

    def counts(self) -> ConfusionCounts:
        """Return a table of its own of all the labels."""
        if not self._window.n_labels:
            shape = (len(self._labels), len(self._labels))
            return ConfusionCounts(np.zeros(shape, np.int64), self._labels, 0)
        inside = self._table[:-1, :-1].copy()
        return ConfusionCounts(inside, self._labels, int(self._table.sum() - inside.sum()))


def _take_away(table: IntTable, part: IntTable) -> bool:
    if (part > table).any():
        return False
    table -= part
    return True


def _counted(
    types: tuple[LabelType, LabelType], kernels: PairKernels, first: AnyArray, second: AnyArray
) -> Counts:
    table = GrowingTable(types)
    table.add(kernels, first, second, 0, len(first))
    return table.counts()


def _inside(values: AnyArray, label_range: LabelRange) -> NDArray[np.bool_]:
    if label_range.n_labels == 0:
        return np.zeros(len(values), np.bool_)
    lowest = values.dtype.type(label_range.lowest)
    highest = values.dtype.type(label_range.lowest + label_range.n_labels - 1)
    inside: NDArray[np.bool_] = (values >= lowest) & (values <= highest)
    return inside
