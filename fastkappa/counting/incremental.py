"""Tables of counts to which pairs are added, and from which they are subtracted, in batches.

A table of unknown labels grows with those that occur.

Pairs are counted straight into the table. The kernels count ratings that have no cell apart,
in the last row and column; only if there are some are those pairs looked for, and counted
again in a table with room for them.
"""

from __future__ import annotations

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.column import Column
from fastkappa.counting import codecs
from fastkappa.counting.codecs import CHUNK, LabelRange, LabelRanges, LabelType
from fastkappa.counting.known_labels import KnownLabels
from fastkappa.counting.sparse_table import SparseTable
from fastkappa.counting.table import LabelledTable, occurring, on_ranges, without_empty
from fastkappa.counting.tabulate import ConfusionCounts
from fastkappa.exceptions import changed_meanwhile
from fastkappa.kernels.contract import PairKernels

NO_LABELS = LabelRanges()


class GrowingTable:
    """Counts of pairs of integer labels that are not known beforehand.

    The labels of a rater are int64 or uint64. Where they lie too far apart for a table of
    their whole range, each label that occurs gets a code.
    """

    def __init__(
        self,
        types: tuple[LabelType, LabelType] = (np.int64, np.int64),
        label_ranges: LabelRanges = NO_LABELS,
    ) -> None:
        """Make a table with room for the labels expected, those in ``label_ranges``."""
        self._types = types
        self._sparse: SparseTable | None = None
        self._cut_short_by = ""
        self._use(label_ranges, np.zeros(label_ranges.shape, np.int64))

    def takes(self, limits: tuple[int, int]) -> bool:
        """Return whether the table can hold the labels of a type with these limits."""
        return limits[1] < 1 << 63

    def _use(self, label_ranges: LabelRanges, table: IntTable) -> None:
        self._label_ranges, self._table = label_ranges, table
        self._lowest = (label_ranges.rows.lowest, label_ranges.columns.lowest)
        # Made once: a short call has no time for it.
        self._last_row, self._last_column = table[-1].data, table[:, -1].data
        self._empty_row, self._empty_column = bytes(table[-1].nbytes), bytes(table[:, -1].nbytes)

    def add(
        self, kernels: PairKernels, first: AnyArray, second: AnyArray, start: int, stop: int
    ) -> None:
        """Count the pairs ``start <= i < stop``; after an error, no count is given any more."""
        try:
            if self._sparse is not None:
                self._sparse.add(kernels, first, second, start, stop)
                return
            lowest = self._lowest
            kernels.count_pairs(first, lowest[0], second, lowest[1], self._table, start, stop)
            # Bytes are compared in a fraction of the time that NumPy needs to be called.
            if (
                self._last_row.tobytes() != self._empty_row
                or self._last_column.tobytes() != self._empty_column
            ):
                self._add_outsiders(kernels, first, second, start, stop)
        except BaseException as error:
            self._cut_short_by = type(error).__name__
            raise

    def subtract(self, kernels: PairKernels, first: AnyArray, second: AnyArray) -> bool:
        """Subtract pairs that were added before; change nothing and return False if one was not."""
        _refuse_parts(self._cut_short_by)
        if self._sparse is not None:
            part = GrowingTable(self._types)
            part.add(kernels, first, second, 0, len(first))
            return self._subtract_counts(part.counts())
        table = np.zeros_like(self._table)
        kernels.count_pairs(first, self._lowest[0], second, self._lowest[1], table, 0, len(first))
        # What has no cell was never added: the last row and column of the own table are empty.
        return _subtract(self._table, table)

    def counts(self) -> LabelledTable:
        """Return a table of its own of the labels that occur, sorted."""
        _refuse_parts(self._cut_short_by)
        if self._sparse is not None:
            return self._sparse.counts()
        return occurring(self._table.copy(), self._label_ranges, self._types)

    def _subtract_counts(self, part: LabelledTable) -> bool:
        own = self.counts()
        if not np.isin(part.rows, own.rows).all() or not np.isin(part.columns, own.columns).all():
            return False
        rows = np.searchsorted(own.rows, part.rows)
        columns = np.searchsorted(own.columns, part.columns)
        table = own.table.copy()
        table[np.ix_(rows, columns)] -= part.table
        if (table < 0).any():
            return False
        self._hold(without_empty(own._replace(table=table)))
        return True

    def _hold(self, counts: LabelledTable) -> None:
        """Go on from a table of counts."""
        label_ranges = NO_LABELS.widened(counts.rows, counts.columns)
        if not label_ranges.are_worth_a_table(int(counts.table.sum())):
            self._look_labels_up(counts)
        else:
            self._sparse = None
            self._use(label_ranges, on_ranges(counts, label_ranges))

    def _look_labels_up(self, counts: LabelledTable) -> None:
        """Go on from a table whose labels lie too far apart for one of their range."""
        self._sparse = SparseTable.of(counts, self._types)
        self._use(NO_LABELS, np.zeros(NO_LABELS.shape, np.int64))

    def _add_outsiders(
        self, kernels: PairKernels, first: AnyArray, second: AnyArray, start: int, stop: int
    ) -> None:
        n_left = int(self._table[-1].sum() + self._table[:-1, -1].sum())
        self._table[-1] = 0
        self._table[:, -1] = 0
        counted = self._label_ranges
        for begin in range(start, stop, CHUNK):
            chunk = slice(begin, min(begin + CHUNK, stop))
            a, b = first[chunk].astype(self._types[0]), second[chunk].astype(self._types[1])
            outside = _outside(a, counted.rows) | _outside(b, counted.columns)
            if not outside.any():
                continue
            a, b = a[outside], b[outside]
            n_left -= len(a)
            if self._sparse is None:
                self._make_room(a, b, stop - start)
            if self._sparse is not None:
                self._sparse.add(kernels, a, b, 0, len(a))
            else:
                lowest = self._lowest
                kernels.count_pairs(a, lowest[0], b, lowest[1], self._table, 0, len(a))
        if n_left:
            raise changed_meanwhile()

    def _make_room(self, first: AnyArray, second: AnyArray, n_new: int) -> None:
        """Widen the table to these labels, or give up having one of a range."""
        wider = self._label_ranges.widened(first, second)
        if not wider.are_worth_a_table(int(self._table.sum()) + n_new):
            self._look_labels_up(self.counts())
        else:
            self._use(wider, on_ranges(self.counts(), wider))


class FixedTable:
    """Counts of pairs of labels that are known, for integers that go up by one from label to label.

    For other labels it takes nothing.
    """

    def __init__(self, labels: AnyArray) -> None:
        example = Column(np.empty(0, np.int64), np.dtype(np.int64))
        label_range = KnownLabels(labels, example, example).as_range()
        self._labels = labels
        self._label_range = label_range or codecs.NO_LABELS
        n_labels = self._label_range.n_labels
        self._table = np.zeros((n_labels + 1, n_labels + 1), np.int64)
        self._cut_short_by = ""

    def takes(self, limits: tuple[int, int]) -> bool:
        """Return whether a type with these limits holds all labels."""
        lowest, n_labels = self._label_range
        return bool(n_labels) and limits[0] <= lowest and lowest + n_labels - 1 <= limits[1]

    def add(
        self, kernels: PairKernels, first: AnyArray, second: AnyArray, start: int, stop: int
    ) -> None:
        """Count the pairs ``start <= i < stop``; after an error, no count is given any more."""
        lowest = self._label_range.lowest
        try:
            kernels.count_pairs(first, lowest, second, lowest, self._table, start, stop)
        except BaseException as error:
            self._cut_short_by = type(error).__name__
            raise

    def subtract(self, kernels: PairKernels, first: AnyArray, second: AnyArray) -> bool:
        """Subtract pairs that were added before; change nothing and return False if one was not."""
        _refuse_parts(self._cut_short_by)
        lowest = self._label_range.lowest
        table = np.zeros_like(self._table)
        kernels.count_pairs(first, lowest, second, lowest, table, 0, len(first))
        return _subtract(self._table, table)

    def counts(self) -> ConfusionCounts:
        """Return a table of its own of all the labels."""
        _refuse_parts(self._cut_short_by)
        if not self._label_range.n_labels:
            shape = (len(self._labels), len(self._labels))
            return ConfusionCounts(np.zeros(shape, np.int64), self._labels, 0)
        inside = self._table[:-1, :-1].copy()
        return ConfusionCounts(inside, self._labels, int(self._table.sum() - inside.sum()))


def _refuse_parts(cut_short_by: str) -> None:
    if cut_short_by:
        raise RuntimeError(
            f"a batch was cut short by {cut_short_by}, and how many of its items were counted is"
            " not known: begin again, or go on from a copy that was made before."
        )


def _subtract(table: IntTable, part: IntTable) -> bool:
    if (part > table).any():
        return False
    table -= part
    return True


def _outside(values: AnyArray, label_range: LabelRange) -> AnyArray:
    outside: AnyArray = label_range.codes(values) == label_range.n_labels
    return outside
