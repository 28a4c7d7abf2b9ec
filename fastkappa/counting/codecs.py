"""How labels become codes: one interface, and its two implementations.

A range of labels needs no look-up: a kernel subtracts the lowest. Labels further apart are
looked up in a map. Either way a rating outside the labels gets the code ``n_labels``.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray

LabelType = type[np.int64] | type[np.uint64]

# Labels are looked up a chunk at a time.
CHUNK = 1 << 15
# Ratings that are looked at for a guess, and as many of the first ones.
SAMPLE = 256
# A span of labels up to this one has a look-up table, 4 MB at most; a wider one is searched.
LARGEST_LOOKUP = 1 << 20
# A range of labels is counted as it is while its table has at most so many cells,
LARGEST_DENSE_TABLE = 1 << 20
# but a few items are not worth a large table.
SMALL_DENSE_TABLE = 1 << 12


class Codec(Protocol):
    """Gives labels the codes 0, 1, 2, ... and all other ratings the code ``n_labels``."""

    @property
    def n_labels(self) -> int:
        """How many labels have a code."""
        ...

    @property
    def reads_in_place(self) -> bool:
        """Whether `encode` makes no array."""
        ...

    def encode(self, values: AnyArray) -> tuple[AnyArray, int]:
        """Return what kernels read: integers, and the integer that has code 0."""
        ...

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes in an array of their own."""
        ...

    def labels(self, dtype: LabelType) -> AnyArray:
        """Return the label of each code."""
        ...


class LabelRange(NamedTuple):
    """The labels from ``lowest`` on: that of code i is ``lowest + i``."""

    lowest: int
    n_labels: int

    @property
    def reads_in_place(self) -> bool:
        """Whether `encode` makes no array."""
        return True

    def encode(self, values: AnyArray) -> tuple[AnyArray, int]:
        """Return the values as they lie, and the lowest label."""
        return values, self.lowest

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes in an array of their own."""
        # Modulo 2**64, what lies below the range comes out above it.
        offsets = values.astype(label_type(values)).view(np.uint64)
        offsets -= np.uint64(self.lowest % (1 << 64))
        return np.minimum(offsets, np.uint64(self.n_labels)).view(np.int64)

    def labels(self, dtype: LabelType) -> AnyArray:
        """Return the label of each code."""
        return np.array(self.lowest, dtype) + np.arange(self.n_labels, dtype=dtype)

    def widened(self, values: AnyArray) -> LabelRange:
        """Return a range that holds the values too."""
        if len(values) == 0:
            return self
        lowest, highest = int(values.min()), int(values.max())
        if self.n_labels:
            lowest = min(lowest, self.lowest)
            highest = max(highest, self.lowest + self.n_labels - 1)
        return LabelRange(lowest, highest - lowest + 1)


NO_LABELS = LabelRange(0, 0)


class LabelRanges(NamedTuple):
    """The labels of a table's rows and columns."""

    rows: LabelRange = NO_LABELS
    columns: LabelRange = NO_LABELS

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the table, with a last row and column for other ratings."""
        return self.rows.n_labels + 1, self.columns.n_labels + 1

    @property
    def n_cells(self) -> int:
        """How many cells the table has."""
        return self.shape[0] * self.shape[1]

    def are_worth_a_table(self, n_items: int) -> bool:
        """Return whether to count so many items in a table of the whole ranges."""
        return self.n_cells <= min(LARGEST_DENSE_TABLE, max(SMALL_DENSE_TABLE, 4 * n_items))

    def widened(self, first: AnyArray, second: AnyArray) -> LabelRanges:
        """Return ranges that hold the values too."""
        return LabelRanges(self.rows.widened(first), self.columns.widened(second))


class LabelMap:
    """Labels that lie far apart, with codes in the order in which they were added."""

    reads_in_place = False

    def __init__(self, dtype: LabelType) -> None:
        self._sorted: AnyArray = np.empty(0, dtype)
        self._code = np.empty(0, np.int32)
        self._lookup: NDArray[np.int32] | None = None

    @property
    def n_labels(self) -> int:
        """How many labels have a code."""
        return len(self._sorted)

    def encode(self, values: AnyArray) -> tuple[NDArray[np.int32], int]:
        """Return the codes of the values, and 0."""
        return self._found(values.astype(self._sorted.dtype)), 0

    def _found(self, values: AnyArray) -> NDArray[np.int32]:
        """Return the codes of a copy of values, which nobody changes while they are looked up."""
        n_labels = np.int32(self.n_labels)
        if n_labels == 0:
            return np.zeros(len(values), np.int32)
        if self._lookup is not None:
            lowest, highest = self._sorted[0], self._sorted[-1]
            inside = (values >= lowest) & (values <= highest)
            offset = np.where(inside, values, lowest) - lowest
            return np.where(inside, self._lookup[offset.astype(np.intp)], n_labels)
        place = np.minimum(np.searchsorted(self._sorted, values), n_labels - 1)
        return np.where(self._sorted[place] == values, self._code[place], n_labels)

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes in an array of their own."""
        return self.encode(values)[0].astype(np.int64)

    def labels(self, dtype: LabelType) -> AnyArray:
        """Return the label of each code."""
        return self._sorted[np.argsort(self._code)].astype(dtype, copy=False)

    def learn(self, values: AnyArray) -> NDArray[np.int32]:
        """Return the codes of the values, of which those not known yet get new ones."""
        values = values.astype(self._sorted.dtype)
        codes = self._found(values)
        unknown = codes == self.n_labels
        if unknown.any():
            self.add(np.unique(values[unknown]))
            codes = self._found(values)
        return codes

    def add(self, labels: AnyArray) -> None:
        """Give new labels the next codes."""
        if len(labels) == 0:
            return
        new = np.arange(self.n_labels, self.n_labels + len(labels), dtype=np.int32)
        together = np.concatenate([self._sorted, labels.astype(self._sorted.dtype)])
        order = np.argsort(together)
        self._sorted, self._code = together[order], np.concatenate([self._code, new])[order]
        self._lookup = None
        span = int(self._sorted[-1]) - int(self._sorted[0]) + 1
        if span <= LARGEST_LOOKUP:
            self._lookup = np.full(span, self.n_labels, np.int32)
            self._lookup[(self._sorted - self._sorted[0]).astype(np.intp)] = self._code


def guess_label_range(values: AnyArray) -> LabelRange:
    """Return the labels that ratings seem to have, from the first ones and some of the rest."""
    spread = values[:: max(1, len(values) // SAMPLE)]
    return NO_LABELS.widened(values[:SAMPLE]).widened(spread)


def label_type(values: AnyArray) -> LabelType:
    """Return the type that holds every label of a column: int64, but uint64 for uint64."""
    return np.uint64 if values.dtype.kind == "u" and values.dtype.itemsize == 8 else np.int64


def label_limits(values: AnyArray) -> tuple[int, int]:
    """Return the least and the largest label a column's type can hold."""
    if values.dtype.kind == "f":
        return -(1 << 63), (1 << 63) - 1
    limits = np.iinfo(values.dtype)
    return int(limits.min), int(limits.max)
