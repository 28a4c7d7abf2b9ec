"""The table that the parts of a source are counted into.

It has a layer for each group, a row and a column for each rating, for missing ratings, and
for those outside the labels. So what is missing or outside is read from it for every group,
and the tables of parts of the data add up to the table of all.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.ratings.odd_strings import describe_odd, odd_among
from fastkappa.sources.source_ratings import (
    LARGEST_NUMBER_OF_LABELS,
    LIBRARY_ADVICE,
    Advice,
    Key,
    Kind,
    RatingsError,
    TooManyLabelsError,
    WantedLabels,
    common_kind,
    common_order,
    refuse_outside,
    refuse_rounded,
)
from fastkappa.tables.codecs import expected_codecs
from fastkappa.tables.item_sums import add_exactly
from fastkappa.tables.tally import Tally, TooManyCellsError

# The key of ratings outside the labels: no rating has a key of bytes.
OUTSIDE = b""
# Whole numbers are counted in a table of their range while that has so many cells, and are looked
# up while they have fewer than these.
LARGEST_DENSE = 1 << 18
MOST_CELLS_OF_NUMBERS = 1 << 24
# Ratings that are looked at where there seem to be too many labels.
SAMPLE = 1 << 16
# Tables of all groups together: a gigabyte.
MOST_CELLS = 1 << 27

# The labels of layers, rows and columns.
Keys = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]
# The kinds of groups and ratings.
Kinds = tuple[Kind | None, Kind | None, Kind | None]


class Columns(NamedTuple):
    """The names of the columns that are counted."""

    y1: Any
    y2: Any
    weight: Any = None
    group: Any = None


class AxisLabels:
    """The labels of layers, rows or columns, in the order in which they were found."""

    def __init__(
        self, column: Any, wanted: WantedLabels | None = None, codes: WantedLabels | None = None
    ) -> None:
        self.column = column
        self.wanted, self.codes = wanted, codes
        self.order: tuple[Key, ...] | None = None
        self.position: dict[Any, int] = {}
        self.kind: Kind | None = None

    def labels(self) -> list[Any]:
        """Return the keys of labels: all but those of missing ratings and of others."""
        return [key for key in self.position if key is not None and key != OUTSIDE]

    def places(self, keys: Iterable[Any]) -> NDArray[np.intp]:
        """Return the place of each key; new keys get the next places."""
        position = self.position
        return np.array(
            [
                position[key]
                if key in position
                else position.setdefault(self._counted_as(key), len(position))
                for key in keys
            ],
            dtype=np.intp,
        )

    def note(self, kind: Kind | None) -> None:
        """Take the kind of a part of the column, which may differ from that of the others."""
        if self.kind is not None:
            names = (self.column, self.column)
            kind = common_kind((self.kind, kind), names, (self.position, ()))
        self.kind = kind

    def note_order(self, order: tuple[Key, ...] | None, advice: Advice) -> None:
        """Take the order that a part of the column declares, the same in all parts."""
        if order is None:
            return
        if self.codes is not None:
            order = tuple(key for key in order if key not in self.codes)
        name = f"column {self.column!r}"
        parts = {name: order} if self.order is None else {name: self.order, "a later part": order}
        self.order = common_order(parts, advice)

    def _counted_as(self, key: Any) -> Any:
        if self.codes is not None and key not in (None, OUTSIDE) and key in self.codes:
            return None
        if self.wanted is None or key is None or key == OUTSIDE or key in self.wanted:
            return key
        return OUTSIDE


class Contents(NamedTuple):
    """What has been counted of a source.

    ``counts``, and ``sums`` of weights if there are any, have the shape of the axes; ``kind`` is
    that of the ratings in both columns, ``order`` the one that they declare, None without one.
    """

    columns: Columns
    axes: tuple[AxisLabels, AxisLabels, AxisLabels]
    counts: IntTable
    sums: AnyArray | None
    kind: Kind | None
    order: tuple[Key, ...] | None


class SourceTable:
    """Counts, and sums of weights, by group and pair of ratings.

    Parameters
    ----------
    columns : Columns
        The columns of the source.
    wanted : WantedLabels or None
        The labels that are counted apart; None counts all apart.
    codes : WantedLabels or None
        The ratings that stand for a missing one.
    drop_odd : bool
        Whether strings among numbers are missing ratings; they are an error otherwise.
    advice : Advice
        What errors advise.

    Attributes
    ----------
    names : list
        The names of the columns, each once.
    axes : tuple of AxisLabels
        The groups, and the ratings of the first and of the second rater.
    n_rows : int
        How many items have been counted.
    """

    def __init__(
        self,
        columns: Columns,
        wanted: WantedLabels | None = None,
        *,
        codes: WantedLabels | None = None,
        drop_odd: bool = False,
        advice: Advice = LIBRARY_ADVICE,
    ) -> None:
        self.columns, self.wanted = columns, wanted
        self.codes, self.drop_odd, self.advice = codes, drop_odd, advice
        self.names = list(dict.fromkeys(name for name in columns if name is not None))
        self.axes = (
            AxisLabels(columns.group),
            AxisLabels(columns.y1, wanted, codes),
            AxisLabels(columns.y2, wanted, codes),
        )
        self.n_rows = 0
        # Whole numbers of unknown labels, by the types of their columns.
        self._tallies: dict[Any, Tally] = {}
        self._counts: IntTable = np.zeros((0, 0, 0), np.int64)
        self._sums: AnyArray | None = None
        self._waiting: tuple[Keys, IntTable, AnyArray | None] | None = None

    def empty_copy(self) -> SourceTable:
        """Return a table for another part of the same data."""
        return SourceTable(
            self.columns,
            self.wanted,
            codes=self.codes,
            drop_odd=self.drop_odd,
            advice=self.advice,
        )

    def note(self, kinds: Kinds) -> None:
        """Take the kinds of the groups and ratings of a part."""
        for axis, kind in zip(self.axes, kinds):
            if kind is not None and kind != axis.kind:
                self._settle()
                axis.note(kind)

    def note_orders(self, first: tuple[Key, ...] | None, second: tuple[Key, ...] | None) -> None:
        """Take the orders of labels that a part declares."""
        for axis, order in zip(self.axes[1:], (first, second)):
            axis.note_order(order, self.advice)

    def add_table(
        self, kinds: Kinds, keys: Keys, counts: IntTable, sums: AnyArray | None = None
    ) -> None:
        """Add a table of shape (layers, rows, columns), whose labels may repeat.

        Most batches have the same labels: such tables are summed first, and put in their
        place once.
        """
        self.note(kinds)
        self.n_rows += int(counts.sum())
        if self._waiting is not None and self._waiting[0] == keys:
            _, so_far, sums_so_far = self._waiting
            if sums_so_far is not None and sums is not None:
                sums = add_exactly(sums_so_far, sums)
            self._waiting = keys, so_far + counts, sums
            return
        self._settle()
        self._waiting = keys, counts, sums

    def add_whole_numbers(self, first: AnyArray, second: AnyArray, num_threads: int) -> None:
        """Count pairs of whole numbers, whose labels are not known."""
        types = first.dtype, second.dtype
        tally = self._tallies.get(types)
        try:
            if tally is None:
                kernels = get_kernels()
                codecs = expected_codecs(kernels, (first, second), LARGEST_DENSE)
                tally = self._tallies[types] = Tally(
                    kernels, codecs, largest=LARGEST_DENSE, most_cells=MOST_CELLS_OF_NUMBERS
                )
            tally.add_all((first, second), None, num_threads)
        except TooManyCellsError:
            for axis, values in zip(self.axes[1:], (first, second)):
                sample = values[:: max(1, len(values) // SAMPLE)]
                self.refuse_if_many(axis, len(np.unique(sample)), len(values))
            raise
        self.n_rows += len(first)
        if tally.n_cells > LARGEST_NUMBER_OF_LABELS:
            counted = tally.finish()
            for axis, labels in zip(self.axes[1:], (counted.rows, counted.columns)):
                self.refuse_if_many(axis, len(labels))

    def add_cells(self, keys: Keys, counts: AnyArray, sums: AnyArray | None = None) -> None:
        """Add cells, each given by its group and pair of ratings."""
        self._settle()
        self.n_rows += int(counts.sum())
        places = tuple(axis.places(labels) for axis, labels in zip(self.axes, keys))
        self._put(places, counts, sums)

    def merge(self, other: SourceTable) -> None:
        """Add the table of another part."""
        counts, sums = other.settled()
        group, first, second = other.axes
        keys = list(group.position), list(first.position), list(second.position)
        self.note_orders(first.order, second.order)
        self.add_table((group.kind, first.kind, second.kind), keys, counts, sums)

    def __getstate__(self) -> dict[str, Any]:
        # A tally has kernels, which cannot be pickled.
        self._settle()
        return vars(self)

    def settled(self) -> tuple[IntTable, AnyArray | None]:
        """Return the counts, and the sums of weights if any, in the order of the axes' labels."""
        self._settle()
        taken = tuple(slice(len(axis.position)) for axis in self.axes)
        return self._counts[taken], None if self._sums is None else self._sums[taken]

    def contents(self) -> Contents:
        """Return what has been counted. Strings among numbers are dropped, or an error.

        There is no order if some labels alone are wanted.

        Raises
        ------
        RatingsError
            If the ratings cannot be compared, or the columns declare different orders, or one
            holds a rating that the order lacks.
        """
        self._judge_odd_strings()
        counts, sums = self.settled()
        first, second = self.axes[1:]
        kinds, names = (first.kind, second.kind), (first.column, second.column)
        kind = common_kind(kinds, names, (first.position, second.position))
        if kind == "floats" and self.wanted is None:
            refuse_rounded({axis.column: axis.position for axis in (first, second)})
        order = None
        if self.wanted is None:
            orders = {f"column {axis.column!r}": axis.order for axis in (first, second)}
            order = common_order(orders, self.advice)
        if order is not None:
            for axis in (first, second):
                refuse_outside(axis.labels(), order, axis.column, self.advice)
        return Contents(self.columns, self.axes, counts, sums, kind, order)

    def _judge_odd_strings(self) -> None:
        """Drop strings among numbers, or raise, unless labels or an order say what they are."""
        if self.wanted is not None:
            return
        for i, axis in enumerate(self.axes[1:], 1):
            if axis.kind != "strings" or axis.order is not None:
                continue
            odd = self.odd_strings(i)
            if not odd:
                continue
            if not self.drop_odd:
                name = f"column {axis.column!r}"
                raise RatingsError(describe_odd(odd, name, self.advice.odd_strings))
            self.mark_missing(i, odd)

    def odd_strings(self, i: int) -> dict[str, int]:
        """Return the strings among the numbers of an axis, and how many ratings each has."""
        counts, _ = self.settled()
        n_ratings = counts.sum(axis=tuple(j for j in range(3) if j != i)).tolist()
        return odd_among(
            {key: n for key, n in zip(self.axes[i].position, n_ratings) if isinstance(key, str)}
        )

    def mark_missing(self, i: int, missing: Container[Key]) -> None:
        """Count some ratings of an axis as missing."""
        counts, sums = self.settled()
        keys: list[list[Any]] = [list(axis.position) for axis in self.axes]
        keys[i] = [None if key in missing else key for key in keys[i]]
        self.axes[i].position.clear()
        self.n_rows, self._counts, self._sums = 0, np.zeros((0, 0, 0), np.int64), None
        self.add_table((None, None, None), (keys[0], keys[1], keys[2]), counts, sums)
        self._settle()

    def refuse_if_many(self, axis: AxisLabels, n_labels: int, n_more: int = 0) -> None:
        """Raise if a column has too many different values to hold ratings."""
        if axis is not self.axes[0] and n_labels > LARGEST_NUMBER_OF_LABELS:
            n_rows = self.n_rows + n_more
            raise TooManyLabelsError(axis.column, n_labels, n_rows, self.advice.many_labels)

    def _settle(self) -> None:
        """Put the tables that wait in their place, label by label."""
        waiting = [] if self._waiting is None else [self._waiting]
        for table in (tally.finish() for tally in self._tallies.values()):
            found: Keys = [None], table.rows.tolist(), table.columns.tolist()
            waiting.append((found, table.counts[None], None))
        self._waiting = None
        self._tallies.clear()
        for keys, counts, sums in waiting:
            inside, places = [], []
            for i, axis in enumerate(self.axes):
                others = tuple(j for j in range(3) if j != i)
                occurring = np.flatnonzero(counts.any(axis=others)).tolist()
                inside.append(occurring)
                places.append(axis.places(keys[i][j] for j in occurring))
            chosen = np.ix_(*inside)
            self._put(np.ix_(*places), counts[chosen], None if sums is None else sums[chosen])

    def _put(self, places: tuple[AnyArray, ...], counts: AnyArray, sums: AnyArray | None) -> None:
        if self.wanted is None:
            for axis in self.axes[1:]:
                self.refuse_if_many(axis, len(axis.labels()))
        self._make_room(None if sums is None else sums.dtype)
        # The dictionary of an Arrow column may hold a label twice.
        np.add.at(self._counts, places, counts)
        if self._sums is not None and sums is not None:
            total = np.zeros_like(self._sums)
            np.add.at(total, places, sums)
            self._sums = add_exactly(self._sums, total)

    def _make_room(self, sums: np.dtype[Any] | None) -> None:
        """Make room for every label found, and for some more."""
        needed = [len(axis.position) for axis in self.axes]
        if any(n > there for n, there in zip(needed, self._counts.shape)):
            shape = tuple(
                there if n <= there else n + n // 4 for n, there in zip(needed, self._counts.shape)
            )
            if np.prod(shape, dtype=float) > MOST_CELLS:
                raise RatingsError(
                    f"the tables of {needed[0]} groups in column {self.columns.group!r} have more"
                    f" than {MOST_CELLS} cells: group by a column of fewer values."
                )
            self._counts = _enlarged(self._counts, shape)
            if self._sums is not None:
                self._sums = _enlarged(self._sums, shape)
        if sums is not None and self._sums is None:
            self._sums = np.zeros(self._counts.shape, sums)


def _enlarged(array: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    larger = np.zeros(shape, array.dtype)
    larger[tuple(map(slice, array.shape))] = array
    return larger
