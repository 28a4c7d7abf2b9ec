"""Labels that are known before the count, given by the user or found by a count before it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.columns.column import Column
from fastkappa.columns.labels import distinct, read_labels
from fastkappa.counting.codecs import (
    NO_LABELS,
    Codec,
    LabelMap,
    LabelRange,
    label_limits,
    label_type,
)


class Encoding(NamedTuple):
    """How a column's ratings become codes, and where the labels of the codes are.

    ``positions[i]`` is the position of the label of code i among the known labels, -1 if
    it is none of them. Two codes may share a label: an Arrow dictionary may repeat one.
    """

    codec: Codec
    positions: NDArray[np.intp]


class KnownLabels:
    """Labels in the order of the table, checked against the type of two columns."""

    def __init__(self, labels: Any, first: Column, second: Column) -> None:
        self.array = read_labels(labels)
        comparable = self.array
        if first.label_dtype.kind in "mM" and comparable.dtype.kind == first.label_dtype.kind:
            comparable = comparable.astype(first.label_dtype).view(np.int64)
        self.position = distinct(comparable.tolist())

    def __len__(self) -> int:
        return len(self.array)

    def as_range(self) -> LabelRange | None:
        """Return the labels as a range, if they are whole numbers that go up by one."""
        labels = list(self.position)
        if not all(isinstance(label, int) for label in labels):
            return None
        lowest = int(labels[0])
        in_a_row = labels == list(range(lowest, lowest + len(labels)))
        return LabelRange(lowest, len(labels)) if in_a_row else None

    def encode(self, column: Column) -> Encoding:
        """Return how the ratings of a column become codes."""
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
            return Encoding(LabelRange(lowest, len(positions)), positions)
        codec = LabelMap(label_type(column.values))
        codec.add(np.array(list(wanted), dtype=label_type(column.values)))
        return Encoding(codec, np.array(list(wanted.values()), dtype=np.intp))
