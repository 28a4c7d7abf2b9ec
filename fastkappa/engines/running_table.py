"""A table of labels that turn up one after the other: a layer for each group, a row and a
column for each rating, for missing ones and for those outside the labels too.

So how many there are of either is read from it in the end, for every group, and tables of
parts of the data add up to the table of all of it. (An accumulator holds a
`fastkappa.accumulator.weighted_table.WeightedTable`, from which ratings can be subtracted.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.counting.item_sums import add_exactly
from fastkappa.engines.ratings import (
    LARGEST_NUMBER_OF_LABELS,
    Columns,
    Kind,
    RatingsError,
    TooManyLabelsError,
    Wanted,
    common_kind,
    example_of,
)

# The key of ratings outside the labels: no key of a rating is made of bytes.
OUTSIDE = b""
# Tables of all groups together: a gigabyte.
MOST_CELLS = 1 << 27

# The labels of layers, rows and columns.
Keys = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]


class Axis:
    """The labels that have turned up, in the order in which they did."""

    def __init__(self, column: Any, wanted: Wanted | None) -> None:
        self.column = column
        self.wanted = wanted
        self.position: dict[Any, int] = {}
        self.kind: Kind | None = None

    def labels(self) -> list[Any]:
        """Return the keys that stand for a label."""
        return [key for key in self.position if key is not None and key != OUTSIDE]

    def places(self, keys: Iterable[Any]) -> NDArray[np.intp]:
        """Return the place of each key, new ones getting the next."""
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

    def _counted_as(self, key: Any) -> Any:
        if self.wanted is None or key is None or key == OUTSIDE or key in self.wanted:
            return key
        return OUTSIDE

    def note(self, kind: Kind | None) -> None:
        """Take note of what the ratings are: parts of a column may differ."""
        if kind != self.kind:
            names = (self.column, self.column)
            examples = (self.example(), None)
            self.kind = common_kind((self.kind, kind), names, examples)

    def example(self) -> Any:
        """Return a label, if there is one, that tells why strings are not numbers."""
        labels = self.labels()
        return example_of(labels) if labels else None


class RunningTable:
    """Counts, and sums of weights, by group and pair of ratings.

    Parameters
    ----------
    columns : Columns
        What the parts that are added are columns of.
    wanted : Wanted or None
        The labels to be told apart; None tells all apart.
    remedy : str
        What to do if there are too many labels.
    """

    def __init__(
        self,
        columns: Columns,
        wanted: Wanted | None = None,
        remedy: str = "labels= names those to take.",
    ) -> None:
        self.columns, self.wanted, self.remedy = columns, wanted, remedy
        self.axes = (Axis(columns.group, None), Axis(columns.y1, wanted), Axis(columns.y2, wanted))
        self.n_rows = 0
        self._counts: IntTable = np.zeros((0, 0, 0), np.int64)
        self._sums: AnyArray | None = None
        self._waiting: tuple[Keys, IntTable, AnyArray | None] | None = None

    @property
    def counts(self) -> IntTable:
        """The counts, in the order of the places of the axes' labels."""
        self.settle()
        return self._counts[self._taken()]

    @property
    def sums(self) -> AnyArray | None:
        """The sums of weights, in the same order, if there are any."""
        self.settle()
        return None if self._sums is None else self._sums[self._taken()]

    def empty_copy(self) -> RunningTable:
        """Return a table for another part of the same data."""
        return RunningTable(self.columns, self.wanted, self.remedy)

    def use_whole_sums(self) -> None:
        """Have sums of weights in int64, which they all fit in."""
        self.settle()
        if self._sums is not None:
            self._sums = self._sums.astype(np.int64)

    def note(self, kinds: Iterable[Kind | None]) -> None:
        """Take note of what groups and ratings of a part are."""
        for axis, kind in zip(self.axes, kinds):
            if kind != axis.kind:
                self.settle()
                axis.note(kind)

    def add_table(self, keys: Keys, counts: IntTable, sums: AnyArray | None = None) -> None:
        """Add a table of shape (layers, rows, columns), whose labels may repeat.

        Batch after batch has the same labels: such tables are added up before they are put
        in their place.
        """
        self.n_rows += int(counts.sum())
        if self._waiting is not None and self._waiting[0] == keys:
            _, so_far, sums_so_far = self._waiting
            if sums_so_far is not None and sums is not None:
                sums = add_exactly(sums_so_far, sums)
            self._waiting = keys, so_far + counts, sums
            return
        self.settle()
        self._waiting = keys, counts, sums

    def add_cells(self, keys: Keys, counts: AnyArray, sums: AnyArray | None = None) -> None:
        """Add cells, each given by its group and pair of ratings."""
        self.settle()
        self.n_rows += int(counts.sum())
        places = tuple(axis.places(labels) for axis, labels in zip(self.axes, keys))
        self._put(places, counts, sums)

    def merge(self, other: RunningTable, keys: Keys | None = None) -> None:
        """Add the table of another part, whose labels may be given other keys."""
        self.note(axis.kind for axis in other.axes)
        counts, sums = other.counts, other.sums
        if keys is None:
            layers, rows, columns = (list(axis.position) for axis in other.axes)
            keys = layers, rows, columns
        self.add_table(keys, counts, sums)

    def settle(self) -> None:
        """Put the tables that wait in their place, label by label."""
        if self._waiting is None:
            return
        keys, counts, sums = self._waiting
        self._waiting = None
        inside, places = [], []
        for i, axis in enumerate(self.axes):
            others = tuple(j for j in range(3) if j != i)
            occurring = np.flatnonzero(counts.any(axis=others)).tolist()
            inside.append(occurring)
            places.append(axis.places(keys[i][j] for j in occurring))
        chosen = np.ix_(*inside)
        self._put(np.ix_(*places), counts[chosen], None if sums is None else sums[chosen])

    def refuse_if_many(self, axis: Axis, n_labels: int, n_more: int = 0) -> None:
        """Raise if so many different ratings cannot be meant."""
        if axis is not self.axes[0] and n_labels > LARGEST_NUMBER_OF_LABELS:
            raise TooManyLabelsError(axis.column, n_labels, self.n_rows + n_more, self.remedy)

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

    def _taken(self) -> tuple[slice, ...]:
        return tuple(slice(len(axis.position)) for axis in self.axes)

    def _make_room(self, sums: np.dtype[Any] | None) -> None:
        """Have a layer, a row and a column for every label, and room for those to come."""
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
