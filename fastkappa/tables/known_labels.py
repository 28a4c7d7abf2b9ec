"""Encode labels that the user gave or the ratings declare, so they are known before counting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.ratings.column import Column, label_of
from fastkappa.ratings.label_order import WHICH_ARE_MEANT, LabelOrder, nearest_label, not_declared
from fastkappa.ratings.labels import distinct, keys_in_unit, read_labels
from fastkappa.ratings.read import RatedItems
from fastkappa.tables.codecs import (
    NO_LABELS,
    Codec,
    LabelMap,
    LabelRange,
    label_limits,
    label_type,
)


class Encoding(NamedTuple):
    """The codec for a column's ratings, and the position of each code's label.

    ``positions[i]`` is the position of code i's label among the known labels, or -1 if the label is
    unknown. Two codes can have the same label, because an Arrow dictionary can repeat a label.
    """

    codec: Codec
    positions: NDArray[np.intp]

    def places(self, values: AnyArray) -> NDArray[np.intp]:
        """Return the position of each rating's label, or -1 for unknown labels."""
        found: NDArray[np.intp] = np.append(self.positions, -1)[self.codec.codes(values)]
        return found


class KnownLabels:
    """The labels of a table, in order.

    The labels are given by the user or declared by a column. If they are declared, any other rating
    is an error. ``labels`` contains the labels as they appear in the ratings, and ``array``
    contains the labels to report. For an enum, these are the names of its members.
    """

    def __init__(self, labels: Any, first: Column, second: Column) -> None:
        self.are_declared = isinstance(labels, LabelOrder)
        comparable = labels.labels if isinstance(labels, LabelOrder) else read_labels(labels)
        self.labels = comparable
        self.array = labels.names if isinstance(labels, LabelOrder) else comparable
        self._unit = first.label_dtype
        self.position = distinct(self._keys(comparable))

    def _keys(self, labels: AnyArray) -> list[Any]:
        """Convert labels to dictionary keys, with dates in the unit of the columns."""
        if self._unit.kind in "mM" and labels.dtype.kind == self._unit.kind:
            return keys_in_unit(labels, self._unit)
        keys: list[Any] = labels.tolist()
        return keys

    def places(self, labels: AnyArray) -> NDArray[np.intp]:
        """Return the position of each label among the known labels, or -1 if it is unknown."""
        return np.array([self.position.get(key, -1) for key in self._keys(labels)], np.intp)

    def __len__(self) -> int:
        return len(self.array)

    def as_range(self) -> LabelRange | None:
        """Return the labels as a range if they are consecutive whole numbers, otherwise None."""
        labels = list(self.position)
        if not all(isinstance(label, int) for label in labels):
            return None
        lowest = int(labels[0])
        if labels != list(range(lowest, lowest + len(labels))):
            return None
        return LabelRange(lowest, len(labels), np.int64 if labels[-1] < 1 << 63 else np.uint64)

    def encode(self, column: Column) -> Encoding:
        """Return the encoding of a column's ratings."""
        if column.categories is not None:
            position = [self.position.get(label, -1) for label in column.categories]
            return Encoding(LabelRange(0, len(position)), np.array(position, dtype=np.intp))
        limits = label_limits(column.values)
        wanted = {
            int(label): position
            for label, position in self.position.items()
            if isinstance(label, (int, float, np.integer, np.floating))
            and label == label // 1
            and limits[0] <= label <= limits[1]
        }
        if not wanted:
            return Encoding(NO_LABELS, np.empty(0, np.intp))
        lowest, highest = min(wanted), max(wanted)
        if highest - lowest < 4 * len(wanted) + 64:
            positions = np.full(highest - lowest + 1, -1, np.intp)
            positions[[label - lowest for label in wanted]] = list(wanted.values())
            label_range = LabelRange(lowest, len(positions), label_type(column.values))
            return Encoding(label_range, positions)
        codec = LabelMap(np.array(list(wanted), dtype=label_type(column.values)))
        return Encoding(codec, np.array(list(wanted.values()), dtype=np.intp))

    def refuse_outside(self, columns: Mapping[str, Column], remedy: str = WHICH_ARE_MEANT) -> None:
        """Raise if a rating is not one of the labels, naming the first such rating."""
        for name, column in columns.items():
            outside = self.encode(column).places(column.values) < 0
            if outside.any():
                label = label_of(column, int(outside.argmax()))
                if self.are_declared:
                    raise not_declared(name, label, self.array, remedy)
                labels = self.array.tolist()
                raise ValueError(
                    f"{name} contains {label}, which is not among the labels {labels}."
                    f"{nearest_label(label, labels)}"
                )


def known_labels(items: RatedItems) -> KnownLabels | None:
    """Return the known labels of rated items, or None if labels are neither given nor declared."""
    if items.labels is None:
        return None
    column = items.columns[items.rated[0]]
    known = KnownLabels(items.labels, column, column)
    known.are_declared = items.are_declared
    return known
