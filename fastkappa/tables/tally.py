"""Count items in a table that is widened when unexpected labels occur.

Labels that are not known in advance are found while counting. A tally starts with the labels of a
small sample. Kernels count directly into its table, and count ratings with other labels in the last
row and column. If the last row or column is not empty, the table is widened to the labels of the
items just counted, and the items in that row or column are counted again. Items are normally read
only once, without temporary arrays of the same length.

The axes of a table are two columns of ratings, or a column of groups and two columns of ratings. A
group and the first rating are combined into one code, so that the kernels always count pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.exceptions import changed_meanwhile, cut_short
from fastkappa.kernels.contract import Lowest, PairKernels
from fastkappa.kernels.threads import (
    ItemRanges,
    division_of_joined,
    division_of_pairs,
    run_in_threads,
)
from fastkappa.tables.codecs import (
    CHUNK,
    LARGEST_DENSE_TABLE,
    Codecs,
    LabelMap,
    LabelRange,
    are_worth_a_table,
)
from fastkappa.tables.item_sums import whole_sums
from fastkappa.tables.table import NO_LAYERS, ConfusionTable

FIRST_RANGE = 1 << 14
# Each range of items takes a few microseconds in Python. Ranges that might be recounted have up to
# `LARGEST_RANGE` items, other ranges up to `LONGEST_RANGE`, so that Ctrl-C still acts promptly.
LARGEST_RANGE = 1 << 22
LONGEST_RANGE = 1 << 27
OTHER_AXES: dict[int, tuple[Any, ...]] = {2: (1, 0), 3: ((1, 2), (0, 2), (0, 1))}


class TooManyCellsError(ValueError):
    """Raised when a table would have too many cells."""


class Tally:
    """Counts of items, and sums of their weights, by the labels of two or three columns.

    Parameters
    ----------
    kernels : PairKernels
    codecs : tuple of Codec
        The known or expected labels of each column.
    grows : tuple of bool
        For each column, whether labels missing from its codec are learned. If not, items with such
        labels are counted separately, as outside the labels.
    weight_type : dtype, default=None
        The type of the item weights. Sums are exact for integers, and float64 for other types.
    n_expected : int, default=0
        The expected number of items, if known. For few items, a large table is not worthwhile.
    largest : int
        The maximum number of cells in a table whose codes are positions in label ranges. If more
        cells are needed, labels are looked up in maps instead.
    most_cells : int, default=None
        The maximum number of cells in any table. If None, there is no limit.

    Raises
    ------
    TooManyCellsError
        If a table would need more than ``most_cells`` cells, at the start or to learn labels.
    """

    def __init__(
        self,
        kernels: PairKernels,
        codecs: Codecs,
        grows: tuple[bool, ...] = (True, True),
        *,
        weight_type: np.dtype[Any] | None = None,
        n_expected: int = 0,
        largest: int = LARGEST_DENSE_TABLE,
        most_cells: int | None = None,
    ) -> None:
        self._kernels, self._grows, self._weight_type = kernels, grows, weight_type
        self._growing = [i for i, own in enumerate(grows) if own]
        self._n_expected, self._largest, self._most_cells = n_expected, largest, most_cells
        self._cut_short_by = ""
        self._use(codecs, tuple([codec.n_labels + 1 for codec in codecs]))

    def _use(self, codecs: Codecs, shape: tuple[int, ...]) -> None:
        """Start an empty table with room for the labels."""
        self._codecs = codecs
        dtypes: list[Any] = [np.int64]
        if self._weight_type is not None:
            dtypes += [np.float64] if self._weight_type.kind == "f" else [np.int64, np.int64]
        n_joined, self.n_cells = len(shape) > 2, math.prod(shape)
        # The kernels need an extra last row. For joint codes, this row always stays empty.
        n_rows = math.prod(shape[:-1]) + n_joined
        if self._most_cells is not None and self.n_cells > self._most_cells:
            raise TooManyCellsError(f"a table of {self.n_labels} labels would have too many cells.")
        self._flat = [np.zeros((n_rows, shape[-1]), dtype) for dtype in dtypes]
        self.tables = self._flat
        if n_joined:
            self.tables = [flat[:-1].reshape(shape) for flat in self._flat]
        are_maps = [codec.longest_chunk is not None for codec in codecs]
        self._looks_up = any(are_maps)
        # Ratings outside a range of labels are detected after counting, in the last row or column.
        self._ranges = [i for i in self._growing if not are_maps[i]]
        self._plain: tuple[PairKernels, Lowest, IntTable] | None = None
        if len(dtypes) == 1 and not n_joined and not self._looks_up:
            # The kernel's arguments are prepared in advance, to save time in short calls.
            self._plain = self._kernels, (codecs[0].lowest, codecs[1].lowest), self._flat[0]
            row, column = self._flat[0][-1], self._flat[0][:, -1]
            self._last_row, self._last_column = row.data, column.data
            self._empty_row, self._empty_column = bytes(row.nbytes), bytes(column.nbytes)

    @property
    def n_items(self) -> int:
        """The number of items counted so far."""
        return int(self.tables[0].sum())

    @property
    def n_labels(self) -> tuple[int, ...]:
        """The number of labels on each axis."""
        return tuple(codec.n_labels for codec in self._codecs)

    def empty_copy(self) -> Tally:
        """Return a tally with the same labels but without items."""
        return Tally(
            self._kernels,
            tuple(own.copy() if grows else own for own, grows in zip(self._codecs, self._grows)),
            self._grows,
            weight_type=self._weight_type,
            n_expected=self._n_expected,
            largest=self._largest,
            most_cells=self._most_cells,
        )

    def add(
        self,
        columns: Sequence[AnyArray],
        start: int,
        stop: int,
        weights: AnyArray | None = None,
        of_same_types: bool = False,
    ) -> None:
        """Count the items ``start <= i < stop``. After an error, the tally is unusable.

        If ``of_same_types`` is true, the types of the columns are not checked. Set it only if
        `reads_in_place` returned True for these types and no other types have been added since.
        """
        try:
            if self._plain is None or not (of_same_types or self.reads_in_place(columns)):
                self._add_in_chunks(columns, start, stop, weights)
                return
            kernels, lowest, table = self._plain
            first, second = columns
            kernels.count_pairs(first, second, lowest, table, (start, stop))
            # Comparing bytes is much faster than a NumPy call.
            if self._ranges and (
                self._last_row.tobytes() != self._empty_row
                or self._last_column.tobytes() != self._empty_column
            ):
                self._add_outsiders(columns, start, stop, None)
        except BaseException as error:
            self._cut_short_by = type(error).__name__
            raise

    def reads_in_place(self, columns: Sequence[AnyArray]) -> bool:
        """Return whether kernels can read the columns in place."""
        rows, others = self._codecs[-2:]
        return self._plain is not None and rows.fits(columns[0]) and others.fits(columns[1])

    def add_all(
        self,
        columns: Sequence[AnyArray],
        weights: AnyArray | None = None,
        num_threads: int | None = None,
        ranges: ItemRanges | None = None,
    ) -> Tally:
        """Count all items, using a separate tally in each thread, and return ``self``.

        If ``ranges`` is given, count only the items that it assigns to this thread.
        """
        n_items, are_joined = len(columns[0]), len(columns) > 2
        if ranges is None and n_items <= FIRST_RANGE:
            # A single range of items is too short to benefit from several threads.
            self.add(columns, 0, n_items, weights)
            return self
        if ranges is None:
            if are_joined:
                threads, shortest = division_of_joined(n_items, num_threads)
            else:
                pair = columns[0], columns[1]
                threads, shortest = division_of_pairs(
                    self._kernels, *pair, self.n_cells, num_threads, looked_up=self._looks_up
                )
            # A thread needs four items per cell to outweigh the cost of its own tables.
            threads = min(threads, n_items // (4 * self.n_cells))
            if threads > 1:
                work = partial(self._count_partition, columns, weights)
                for part in run_in_threads(work, n_items, threads, shortest):
                    self.merge(part)
                return self
            ranges = ItemRanges(n_items, 1)
        # Ranges of items that might have to be recounted are short at first.
        length = FIRST_RANGE if self._ranges else LARGEST_RANGE if self._growing else LONGEST_RANGE
        while bounds := ranges.take(max(length, 16 * self.n_cells)):
            before = self._codecs
            self.add(columns, *bounds, weights)
            if self._codecs is not before:
                length = FIRST_RANGE
            # Ranges are longer for larger tables, because clearing and adding a table takes time.
            if self._ranges:
                length = min(16 * length, max(LARGEST_RANGE, 256 * self.n_cells))
        return self

    def merge(self, other: Tally) -> None:
        """Add the counts of another tally, whose labels can be different."""
        if other._cut_short_by:
            raise cut_short(other._cut_short_by)
        if self._codecs == other._codecs:
            for table, more in zip(self.tables, other.tables):
                table += more
            return
        tables, labels = other._occurring()
        if self._ranges:
            self._widen(labels, other.n_items)
        places = [np.arange(codec.n_labels + 1) for codec in self._codecs]
        for i in self._growing:
            places[i] = self._codecs[i].widened(labels[i]).codes(labels[i])
        self._make_room()
        for table, more in zip(self.tables, tables):
            table[np.ix_(*places)] += more

    def subtract(self, columns: Sequence[AnyArray]) -> bool:
        """Subtract unweighted items, or change nothing and return False if any was never added."""
        if self._cut_short_by:
            raise cut_short(self._cut_short_by)
        n_items = len(columns[0])
        if self._plain is not None:
            # Labels outside the learned range were never added, so the counts of their cells are 0.
            kernels, lowest, table = self._plain
            first, second = [own.encode(kernels, one) for own, one in zip(self._codecs, columns)]
            less = np.zeros(table.shape, np.int64)
            kernels.count_pairs(first, second, lowest, less, (0, n_items))
        else:
            part = self.empty_copy()
            part.add(columns, 0, n_items)
            # If the copy has new labels, these labels were never added to this tally.
            if part.n_labels != self.n_labels:
                return False
            cells = tuple(slice(n_labels + 1) for n_labels in self.n_labels)
            table, less = self.tables[0][cells], part.tables[0][cells]
        if (less > table).any():
            return False
        table -= less
        if self._looks_up:
            self._look_labels_up()
        return True

    def finish(self) -> ConfusionTable:
        """Return the counts as a table. Learned labels are sorted if used, else dropped."""
        if self._cut_short_by:
            raise cut_short(self._cut_short_by)
        tables, labels = self._occurring()
        inside = tuple([slice(len(own)) for own in labels])
        counts, *sums = [table[inside].copy() for table in tables]
        n_outside: Any = 0
        if len(self._growing) < len(labels):
            n_outside = tables[0].sum(axis=(-2, -1)) - counts.sum(axis=(-2, -1))
        return ConfusionTable(
            counts,
            labels[-2],
            labels[-1],
            whole_sums(*sums) if len(sums) == 2 else next(iter(sums), None),
            labels[0] if len(labels) > 2 else NO_LAYERS,
            n_outside if len(labels) > 2 else int(n_outside),
        )

    def _count_partition(
        self, columns: Sequence[AnyArray], weights: AnyArray | None, ranges: ItemRanges
    ) -> Tally:
        """Count one thread's items in a new tally."""
        return self.empty_copy().add_all(columns, weights, ranges=ranges)

    def _add_in_chunks(
        self, columns: Sequence[AnyArray], start: int, stop: int, weights: AnyArray | None
    ) -> None:
        """Count items in chunks, as required for weights or for ratings that must be encoded."""
        if len(columns) > 2:
            length = CHUNK
        else:
            lengths = [
                codec.longest_chunk or (stop - start if codec.fits(column) else CHUNK)
                for codec, column in zip(self._codecs, columns)
            ]
            length = max(1, min(lengths))
        for begin in range(start, stop, length):
            end = min(begin + length, stop)
            parts = [column[begin:end] for column in columns]
            self._count(parts, None if weights is None else weights[begin:end])
            if any(last.any() for last in self._last_rows()):
                self._add_outsiders(columns, begin, end, weights)

    def _count(self, columns: Sequence[AnyArray], weights: AnyArray | None) -> None:
        """Count items. Ratings with unknown labels are counted at the end of their axis."""
        encoded = [
            (codec.learn if grows else codec.encode)(self._kernels, column)
            for codec, grows, column in zip(self._codecs, self._grows, columns)
        ]
        self._make_room()
        if len(encoded) > 2:
            (first, second), lowest = self._joined(encoded), (0, 0)
        else:
            (first, second), lowest = encoded, (self._codecs[0].lowest, self._codecs[1].lowest)
        kernels, part = self._kernels, (0, len(second))
        if weights is None:
            kernels.count_pairs(first, second, lowest, self._flat[0], part)
        elif weights.dtype.kind == "f":
            # The caller checks that all sums in the table are finite.
            with np.errstate(over="ignore", invalid="ignore"):
                counts, sums = self._flat
                kernels.sum_pairs(first, second, lowest, weights, (counts, sums), part)
        else:
            counts, high, low = self._flat
            kernels.sum_pairs_exactly(first, second, lowest, weights, (counts, high, low), part)

    def _joined(self, encoded: Sequence[AnyArray]) -> tuple[AnyArray, AnyArray]:
        """Return the joint codes of groups and first ratings, and the codes of second ratings."""
        groups, first, second = (
            LabelRange(codec.lowest, codec.n_labels).codes(values)
            for codec, values in zip(self._codecs, encoded)
        )
        groups *= self.tables[0].shape[1]
        groups += first
        return groups, second

    def _add_outsiders(
        self, columns: Sequence[AnyArray], start: int, stop: int, weights: AnyArray | None
    ) -> None:
        """Learn the labels of items just counted as outside, then count these items again."""
        n_left = self.n_items
        for last in self._last_rows():
            last[...] = 0
        n_left -= self.n_items
        before = self._codecs
        held = self._widen([column[start:stop] for column in columns], stop - start)
        if self._codecs == before:
            raise changed_meanwhile()
        part = self.empty_copy()
        part.add(columns, start, stop, weights)
        for table in part.tables:
            table[held] = 0
        are_ranges = bool(self._ranges)
        if part.n_items != n_left or (are_ranges and part._codecs != self._codecs):
            raise changed_meanwhile()
        self.merge(part)

    def _last_rows(self) -> list[AnyArray]:
        """Return views of the cells in each table that count items outside a label range."""
        return [table[(slice(None),) * i + (-1,)] for table in self.tables for i in self._ranges]

    def _widen(self, values: Sequence[AnyArray], n_more: int) -> tuple[slice, ...]:
        """Widen label ranges for more items, or switch to maps if their labels are far apart.

        Return, for each axis, a slice with the new positions of the earlier labels.
        """
        wider = list(self._codecs)
        for i in self._ranges:
            wider[i] = wider[i].widened(values[i])
        n_items = max(self._n_expected, self.n_items + n_more)
        if not are_worth_a_table(wider, n_items, self._largest):
            self._look_labels_up()
            return tuple(
                slice(codec.n_labels if grows else None)
                for codec, grows in zip(self._codecs, self._grows)
            )
        held = [slice(None)] * len(wider)
        kept = list(held)
        for i in self._ranges:
            n_labels, labels = self._codecs[i].n_labels, self._codecs[i].labels()
            first = int(wider[i].codes(labels[:1])[0]) if n_labels else 0
            kept[i], held[i] = slice(n_labels), slice(first, first + n_labels)
        parts = [table[tuple(kept)] for table in self.tables]
        self._go_on(tuple(wider), parts, tuple(held))
        return tuple(held)

    def _look_labels_up(self) -> None:
        """Replace label ranges with maps of the labels that occur."""
        tables, labels = self._occurring()
        codecs = list(self._codecs)
        for i in self._growing:
            codecs[i] = LabelMap(labels[i])
        self._go_on(tuple(codecs), tables, tuple(map(slice, tables[0].shape)))

    def _make_room(self) -> None:
        """Enlarge tables that have too few rows or columns, and add spare rows and columns."""
        shape = self.tables[0].shape
        if all(n_labels < length for n_labels, length in zip(self.n_labels, shape)):
            return
        needed = tuple(map(max, shape, (n_labels + 1 for n_labels in self.n_labels)))
        larger = tuple(n if n == own else n + n // 4 for n, own in zip(needed, shape))
        if self._most_cells is not None and math.prod(larger) > self._most_cells:
            larger = needed
        self._go_on(self._codecs, self.tables, tuple(map(slice, shape)), larger)

    def _go_on(
        self,
        codecs: Codecs,
        parts: Sequence[AnyArray],
        places: tuple[slice, ...],
        shape: tuple[int, ...] | None = None,
    ) -> None:
        """Start new tables, and copy the earlier counts to their new positions."""
        self._use(codecs, shape or tuple(codec.n_labels + 1 for codec in codecs))
        for table, part in zip(self.tables, parts):
            table[places] = part

    def _occurring(self) -> tuple[list[AnyArray], list[AnyArray]]:
        """Return the tables, and the labels on each of their axes.

        An axis with learned labels has only the labels that occur, sorted. Any other axis has all
        its labels, and the tables have an additional last position for items with other labels.
        """
        counts, tables, labels = self.tables[0], self.tables, []
        # In most tables, all labels have items on the diagonal, so there is no need to search for
        # others.
        agreed = counts.diagonal().tolist() if counts.ndim == 2 else []
        for i, codec in enumerate(self._codecs):
            own, n_labels = codec.labels(), codec.n_labels
            if self._grows[i]:
                # A slice returns a view, which is much faster than indexing with an array.
                places: Any = slice(n_labels)
                if codec.longest_chunk or len(agreed) < n_labels or 0 in agreed[:n_labels]:
                    others = OTHER_AXES[counts.ndim][i]
                    places = np.bitwise_or.reduce(counts, axis=others)[:n_labels].nonzero()[0]
                    places = places[np.argsort(own[places])]
                axis = (slice(None),) * i
                own, tables = own[places], [table[(*axis, places)] for table in tables]
            labels.append(own)
        return tables, labels
