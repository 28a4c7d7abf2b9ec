"""How labels become codes: one interface, and its two implementations.

A range of labels needs no look-up: a kernel subtracts the lowest. Labels further apart are
looked up in a map. Either way a rating outside the labels gets the code ``n_labels``.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, offsets_from
from fastkappa.counting.label_hash import code_type, make_hash
from fastkappa.exceptions import changed_meanwhile
from fastkappa.kernels.contract import LabelHash, PairKernels
from fastkappa.kernels.dispatch import get_kernels

LabelType = type[np.int64] | type[np.uint64]

# Items are worked on in chunks, so that what is made of them stays in the cache.
CHUNK = 1 << 16
# Codes of a byte are made for longer ones, between which threads meet in Python: two took longer
# than one with shorter ones.
LONG_CHUNK = 1 << 18
# Ratings that are looked at for a guess, and as many of the first ones.
SAMPLE = 256
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

    def encode(self, kernels: PairKernels, values: AnyArray) -> tuple[AnyArray, int]:
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

    def encode(self, kernels: PairKernels, values: AnyArray) -> tuple[AnyArray, int]:
        """Return the values as they lie, and the lowest label."""
        return values, self.lowest

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes in an array of their own."""
        offsets = offsets_from(values, self.lowest)
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

    def __init__(self, dtype: LabelType) -> None:
        self._of_code: AnyArray = np.empty(0, dtype)
        self._hash: LabelHash | None = None

    @property
    def n_labels(self) -> int:
        """How many labels have a code."""
        return len(self._of_code)

    def encode(self, kernels: PairKernels, values: AnyArray) -> tuple[AnyArray, int]:
        """Return the codes of the values, and 0."""
        return self._look_up(kernels, values)[0], 0

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes in an array of their own."""
        return self._look_up(get_kernels(), values)[0].astype(np.int64)

    def labels(self, dtype: LabelType) -> AnyArray:
        """Return the label of each code."""
        return self._of_code.astype(dtype, copy=False)

    @property
    def dtype(self) -> LabelType:
        """The type of the labels."""
        return self._of_code.dtype.type

    def learn(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Return the codes of the values, of which those not known yet get new ones."""
        codes, n_unknown = self._look_up(kernels, values)
        # More than a sample has, which is learned at once.
        length, all_added = 4 * SAMPLE, False
        while n_unknown:
            if all_added:
                raise changed_meanwhile()
            # The first ones have most of the labels: to sort all would take longer.
            new = np.unique(values[codes == self.n_labels][:length])
            all_added = n_unknown <= length
            # Ratings may change after they were looked up, and a label has one code.
            self.add(new[self._look_up(kernels, new)[0] == self.n_labels])
            codes, n_unknown = self._look_up(kernels, values)
            length *= SAMPLE
        return codes

    def copy(self) -> LabelMap:
        """Return a map of the same labels that others may be added to."""
        copy = LabelMap(self.dtype)
        copy._of_code, copy._hash = self._of_code, self._hash
        return copy

    def add(self, labels: AnyArray) -> None:
        """Give new labels the next codes."""
        self._of_code = np.concatenate([self._of_code, labels.astype(self._of_code.dtype)])
        self._hash = None

    def _look_up(self, kernels: PairKernels, values: AnyArray) -> tuple[AnyArray, int]:
        """Return the codes of the values, and how many of these are not known."""
        codes = np.empty(len(values), code_type(self.n_labels))
        if self.n_labels == 0:
            codes[:] = 0
            return codes, len(values)
        if self._hash is None:
            self._hash = make_hash(self._of_code)
        return codes, kernels.look_up(values, self._hash, codes, 0, len(values))


def chunk_to_look_up(*maps: Codec) -> int:
    """Return how many items to look up at a time."""
    return LONG_CHUNK if all(code_type(one.n_labels) == np.uint8 for one in maps) else CHUNK


def sample_of(values: AnyArray) -> AnyArray:
    """Return the first ratings and some of the rest."""
    return np.concatenate([values[:SAMPLE], values[:: max(1, len(values) // SAMPLE)]])


def guess_label_range(values: AnyArray) -> LabelRange:
    """Return the labels that ratings seem to have, from a sample."""
    guess = NO_LABELS.widened(sample_of(values))
    if guess.n_labels <= SAMPLE // 2:
        return guess
    # Of many labels a few ratings seldom have the outermost, and to count again takes longer.
    return guess.widened(values[: min(16 * guess.n_labels, len(values) // 16)])


def guess_label_map(kernels: PairKernels, values: AnyArray) -> LabelMap:
    """Return the labels that ratings seem to have, where these lie far apart."""
    labels = LabelMap(label_type(values))
    labels.learn(kernels, sample_of(values))
    return labels


def label_type(values: AnyArray) -> LabelType:
    """Return the type that holds every label of a column: int64, but uint64 for uint64."""
    return np.uint64 if values.dtype.kind == "u" and values.dtype.itemsize == 8 else np.int64


def label_limits(values: AnyArray) -> tuple[int, int]:
    """Return the least and the largest label a column's type can hold."""
    if values.dtype.kind == "f":
        return -(1 << 63), (1 << 63) - 1
    limits = np.iinfo(values.dtype)
    return int(limits.min), int(limits.max)
