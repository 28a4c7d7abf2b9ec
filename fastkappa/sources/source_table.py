"""Combine the counts of all parts of a source into one table.

The table has one layer per group and one row and column per rating. Extra layers, rows and columns
hold the counts for missing values and for ratings that are not among the requested labels. These
items can therefore be counted in every group, and the tables of the parts add up to the table of
all data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.formatting import label_text
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import (
    REMEDIES,
    Remedies,
    missing_among_numbers,
    odd_strings,
    refuse_odd_strings,
    warn_of_lookalikes,
)
from fastkappa.ratings.label_order import LabelOrder, is_number
from fastkappa.ratings.labels import refuse_booleans_among
from fastkappa.ratings.read import WRITE_ALL_AS_STRINGS, comparable, judge_labels, name_seen
from fastkappa.sources.source_ratings import (
    MOST_OTHERS,
    NO_TYPE,
    AxisLabels,
    Key,
    RatingsError,
    WantedLabels,
    column_of,
    order_of,
    refuse_many_labels,
    refuse_repeated_names,
)
from fastkappa.tables.doubtful_orders import MOST_ROWS, judge_rows, with_categories
from fastkappa.tables.doubtful_tables import Part, judge_parts
from fastkappa.tables.item_sums import add_exactly
from fastkappa.tables.known_labels import KnownLabels

# The largest total number of cells in the tables of all groups. At 8 bytes per cell, such tables
# take up one gigabyte.
MOST_CELLS = 1 << 27

# The labels of layers, rows and columns.
Keys = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]
# The types of the groups and of the two raters' ratings.
Types = tuple[np.dtype[Any], np.dtype[Any], np.dtype[Any]]
NO_TYPES: Types = (NO_TYPE, NO_TYPE, NO_TYPE)


class Columns(NamedTuple):
    """The names of the columns to count."""

    y1: Any
    y2: Any
    weight: Any = None
    group: Any = None

    @property
    def rated(self) -> tuple[Any, Any]:
        """The columns of ratings."""
        return (self.y1, self.y2)

    @property
    def keys(self) -> list[Any]:
        """The columns that are read in addition to the ratings."""
        return [name for name in (self.weight, self.group) if name is not None]


class Contents(NamedTuple):
    """The counts read from a source.

    ``counts`` has one dimension per axis. ``sums`` has the same shape, or is None without weights.
    ``dtype`` is the common type of the ratings in both columns. ``order`` is the label order that
    the ratings declare, or None if they declare none.
    """

    axes: tuple[AxisLabels, AxisLabels, AxisLabels]
    counts: IntTable
    sums: AnyArray | None
    dtype: np.dtype[Any]
    order: list[Key] | None


class SourceTable:
    """Count items, and sum their weights, by group and pair of ratings.

    Parameters
    ----------
    columns : Columns
        The columns of the source.
    wanted : WantedLabels or None
        The labels of the table, or None for all labels that occur.
    codes : WantedLabels or None
        The values that stand for a missing rating.
    drop_odd : bool
        Whether strings among numbers count as missing ratings. Otherwise such strings raise an
        error.
    remedies : Remedies
        The advice to include in error messages.

    Attributes
    ----------
    names : list
        The distinct names of the columns.
    axes : tuple of AxisLabels
        The groups, the labels used by the first rater and the labels used by the second rater.
    n_rows : int
        The number of items counted so far.
    parts : list of Part
        The ratings in each part, as recorded by `end_part`.
    place : tuple of int
        The position of the current batch among all batches, which threads can count in any order.
    first_rows : list of (tuple, Column, Column)
        The position and the ratings of each of the first batches.
    """

    def __init__(
        self,
        columns: Columns,
        wanted: WantedLabels | None = None,
        *,
        codes: WantedLabels | None = None,
        drop_odd: bool = False,
        remedies: Remedies = REMEDIES,
    ) -> None:
        self.columns, self.wanted = columns, wanted
        self.codes, self.drop_odd, self.remedies = codes, drop_odd, remedies
        # If labels or codes are given, strings among numbers do not count as missing.
        self.drops_stand_ins = drop_odd and wanted is None and codes is None
        self.names = list(dict.fromkeys(name for name in columns if name is not None))
        n_others = MOST_OTHERS if columns.group is None else 0
        self.axes = (
            AxisLabels(columns.group, are_names=columns.group is not None),
            AxisLabels(columns.y1, wanted, codes, n_others),
            AxisLabels(columns.y2, wanted, codes, n_others),
        )
        self.n_rows = 0
        self.parts: list[Part] = []
        self.place = 0, 0
        self.first_rows: list[tuple[tuple[int, int], Column, Column]] = []
        # How often each rater has used each label in the parts recorded so far.
        self._so_far: list[Counter[Key]] = [Counter(), Counter()]
        self._counts: IntTable = np.zeros((0, 0, 0), np.int64)
        self._sums: AnyArray | None = None

    def empty_copy(self) -> SourceTable:
        """Return an empty table for another part of the same data."""
        return SourceTable(
            self.columns,
            self.wanted,
            codes=self.codes,
            drop_odd=self.drop_odd,
            remedies=self.remedies,
        )

    def note(self, types: Types) -> None:
        """Record the types of the groups and ratings in a part."""
        for axis, dtype in zip(self.axes, types):
            if dtype not in (NO_TYPE, axis.dtype):
                axis.note(dtype)

    def note_orders(self, first: LabelOrder | None, second: LabelOrder | None) -> None:
        """Record the label orders that a part declares."""
        for axis, order in zip(self.axes[1:], (first, second)):
            axis.note_order(order, self.remedies)

    def add_first_rows(self, first: Column, second: Column) -> None:
        """Keep the ratings of a batch if they are among the first rows, which are checked later."""
        left = MOST_ROWS - sum(len(one.values) for _, one, _ in self.first_rows)
        if left > 0:
            # Copy the values, so that the next batch can reuse the memory of this one.
            first, second = (
                column._replace(values=column.values[:left].copy()) for column in (first, second)
            )
            self.first_rows.append((self.place, first, second))

    def add_table(
        self, types: Types, keys: Keys, counts: IntTable, sums: AnyArray | None = None
    ) -> None:
        """Add a table of shape (layers, rows, columns). Labels can be repeated in ``keys``."""
        self.note(types)
        self.n_rows += int(counts.sum())
        inside, places = [], []
        for i, axis in enumerate(self.axes):
            others = tuple(j for j in range(3) if j != i)
            occurring = np.flatnonzero(counts.any(axis=others)).tolist()
            inside.append(occurring)
            places.append(axis.places(keys[i][j] for j in occurring))
        chosen = np.ix_(*inside)
        self._put(np.ix_(*places), counts[chosen], None if sums is None else sums[chosen])

    def add_cells(self, keys: Keys, counts: AnyArray, sums: AnyArray | None = None) -> None:
        """Add cells, each identified by its group and pair of ratings."""
        self.n_rows += int(counts.sum())
        places = tuple(axis.places(labels) for axis, labels in zip(self.axes, keys))
        self._put(places, counts, sums)

    def merge(self, other: SourceTable) -> None:
        """Add the table of another part."""
        counts, sums = other.counted()
        group, first, second = other.axes
        for axis, own in zip(self.axes, other.axes):
            axis.kinds |= own.kinds
            axis.add_runs(partial(float, own.n_runs), own.n_parts)
        self.first_rows += other.first_rows
        keys = list(group.position), list(first.position), list(second.position)
        self.note_orders(order_of(first.order), order_of(second.order))
        self.add_table((group.dtype, first.dtype, second.dtype), keys, counts, sums)

    def end_part(self, name: object) -> None:
        """End a part, such as a file, and record the ratings counted since the previous part."""
        of_each = [self.column(i).counts for i in (1, 2)]
        so_far = [
            Counter(dict(zip(axis.labels(), [] if counts is None else counts.tolist())))
            for axis, counts in zip(self.axes[1:], of_each)
        ]
        ratings = [now - before for now, before in zip(so_far, self._so_far)]
        self.parts.append(Part(str(name), ratings))
        self._so_far = so_far

    def check_kinds(self) -> None:
        """Raise if one part of a column has booleans and another has numbers other than 0 and 1."""
        for axis in self.axes:
            if axis.kinds:
                refuse_booleans_among(axis.kinds, axis.labels(), axis.name)

    def counted(self) -> tuple[IntTable, AnyArray | None]:
        """Return the counts and the sums of weights (None without weights), in label order."""
        taken = tuple(slice(len(axis.position)) for axis in self.axes)
        return self._counts[taken], None if self._sums is None else self._sums[taken]

    def contents(self) -> Contents:
        """Return the counts, after checking the labels by the same rules as for arrays.

        The ``order`` in the result is None if the user requested labels.

        Raises
        ------
        ValueError
            If the ratings cannot be compared, a column mixes strings and numbers, the columns
            declare different orders, or a rating is not in the declared order.
        """
        self.check_kinds()
        self._refuse_repeated_names()
        if self.drops_stand_ins:
            for i, axis in enumerate(self.axes[1:], 1):
                if axis.order is None:
                    self.mark_missing(i, missing_among_numbers(self.column(i)))
        counts, sums = self.counted()
        if sums is None and self.columns.weight is not None:
            sums = np.zeros(counts.shape)
        axes, remedies = self.axes[1:], self.remedies
        if len(self.parts) > 1 and not {axis.dtype.kind for axis in axes} & {*"bM"}:
            judge_parts(self.parts, [label_text(axis.column) for axis in axes])
        self._judge_rows()
        first, second = self.column(1), self.column(2)
        for axis, column in zip(axes, (first, second)):
            odd_texts = odd_strings(column) if axis.files and self.wanted is None else ()
            for file in [axis.files[text] for text in odd_texts][:1]:
                refuse_odd_strings(column, f"{file}: {axis.name}", remedies.odd_strings)
        types = [axis.dtype for axis in axes if axis.dtype != NO_TYPE]
        if len(types) > 1:
            odd = remedies.odd_strings if self.wanted is None else WRITE_ALL_AS_STRINGS
            names = axes[0].name, axes[1].name
            first, second = comparable((first, second), names, odd)
        columns = {axes[0].name: first, axes[1].name: second}
        if self.columns.group is not None:
            warn_of_lookalikes({self.axes[0].name: self.column(0)}, "name")
        order, is_declared = judge_labels(columns, self.wanted, remedies)
        if is_declared:
            KnownLabels(order, first, second).refuse_outside(columns, remedies.outside)
        declared = next((axis.order for axis in axes if axis.order is not None), None)
        return Contents(
            self.axes,
            counts,
            sums,
            np.result_type(*types) if types else NO_TYPE,
            declared if is_declared else None,
        )

    def _judge_rows(self) -> None:
        """Warn if the first rows have doubtful parts or are repeated. Ignore ratings left out."""
        axes = self.axes[1:]
        parts: list[tuple[Column, Column]] = []
        for _, *pair in sorted(self.first_rows, key=itemgetter(0)):
            if self.wanted is not None or self.codes is not None:
                pair = [with_categories(column) for column in pair]
            first, second = (
                column._replace(categories=[x if x in axis.position else None for x in labels])
                if (labels := column.categories)
                else column
                for column, axis in zip(pair, axes)
            )
            parts.append((first, second))
        judge_rows(parts, [axis.name for axis in axes])

    def _refuse_repeated_names(self) -> None:
        """Raise if some rows repeat the column names, and no other row contains these names."""
        axes = self.axes[1:]
        names = [name_seen(axis.column) for axis in axes]
        if names[0] == names[1] or is_number(names[0]):
            return
        counts = self.counted()[0].sum(axis=0)
        found = [
            {place: name_seen(key) for key, place in axis.position.items() if isinstance(key, str)}
            for axis in axes
        ]
        rows, columns = ([p for p, name in own.items() if name in names] for own in found)
        if not rows or not columns:
            return
        cells = counts[np.ix_(rows, columns)]
        n_rows = int(cells.sum())
        is_alone = n_rows == counts[rows].sum() == counts[:, columns].sum()
        if is_alone and 2 * n_rows < counts.sum():
            in_order = [found[0][rows[i]] == names[0] for i in np.flatnonzero(cells.any(axis=1))]
            listed = [axis.column for axis in axes]
            file = axes[0].files.get(list(axes[0].position)[rows[0]])
            refuse_repeated_names(listed, n_rows, in_order=all(in_order), file=file)

    def column(self, i: int) -> Column:
        """Return the labels of an axis as a column, with the count of each label."""
        axis, (counts, _) = self.axes[i], self.counted()
        labels = axis.labels()
        n_ratings = counts.sum(axis=tuple(j for j in range(3) if j != i))
        places = [axis.position[label] for label in labels]
        return column_of(labels, axis.dtype, axis.order, n_ratings[places])

    def mark_missing(self, i: int, missing: Collection[Key]) -> None:
        """Treat the given ratings of an axis as missing."""
        if not missing:
            return
        counts, sums = self.counted()
        keys: list[list[Any]] = [list(axis.position) for axis in self.axes]
        keys[i] = [None if key in missing else key for key in keys[i]]
        self.axes[i].position.clear()
        self.n_rows, self._counts, self._sums = 0, np.zeros((0, 0, 0), np.int64), None
        self.add_table(NO_TYPES, (keys[0], keys[1], keys[2]), counts, sums)

    def refuse_if_many(self, axis: AxisLabels, n_labels: int) -> None:
        """Raise if a column of ratings has too many different values."""
        if axis is not self.axes[0]:
            refuse_many_labels(n_labels, axis.name, self.remedies.many_labels)

    def _put(self, places: tuple[AnyArray, ...], counts: AnyArray, sums: AnyArray | None) -> None:
        if self.wanted is None:
            for axis in self.axes[1:]:
                self.refuse_if_many(axis, len(axis.labels()))
        self._make_room(None if sums is None else sums.dtype)
        # An Arrow dictionary can contain a label twice, so ``places`` can contain duplicates.
        np.add.at(self._counts, places, counts)
        if self._sums is not None and sums is not None:
            total = np.zeros_like(self._sums)
            np.add.at(total, places, sums)
            self._sums = add_exactly(self._sums, total)

    def _make_room(self, sums: np.dtype[Any] | None) -> None:
        """Enlarge the table to fit all labels found, with some spare room."""
        needed = [len(axis.position) for axis in self.axes]
        if any(n > there for n, there in zip(needed, self._counts.shape)):
            shape = tuple(
                there if n <= there else n + n // 4 for n, there in zip(needed, self._counts.shape)
            )
            if np.prod(shape, dtype=float) > MOST_CELLS:
                raise RatingsError(
                    f"the tables for the {needed[0]} groups in column {self.columns.group!r} would"
                    f" have more than {MOST_CELLS} cells in total: group by a column with fewer"
                    " distinct values."
                )
            more = [(0, n - there) for n, there in zip(shape, self._counts.shape)]
            self._counts = np.pad(self._counts, more)
            if self._sums is not None:
                self._sums = np.pad(self._sums, more)
        if sums is not None and self._sums is None:
            self._sums = np.zeros(self._counts.shape, sums)
