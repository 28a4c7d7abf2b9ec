"""Convert labels to codes: one interface with two implementations.

For a range of labels, a kernel subtracts the lowest label, and no lookup is needed. Labels that are
farther apart are looked up in a map. Both implementations assign the code ``n_labels`` to ratings
that are not among the labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, offsets_from
from fastkappa.exceptions import changed_meanwhile
from fastkappa.kernels.contract import LabelHash, PairKernels
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.tables.label_hash import code_type, make_hash

LabelType = type[np.int64] | type[np.uint64]

# The number of items per chunk, small enough for temporary arrays to stay in the cache.
CHUNK = 1 << 16
# The number of items per chunk of one-byte codes. With shorter chunks, two threads were slower than
# one, because they waited for the interpreter's lock between chunks.
LONG_CHUNK = 1 << 18
# Labels are guessed from this many ratings at the start of a column and from a sample of about the
# same size. A column of up to 8 times this length is read completely, because sampling would be no
# faster.
SAMPLE = 256
# A range of labels is counted without a look-up if its table has at most this many cells.
LARGEST_DENSE_TABLE = 1 << 20
# A range of labels whose table has at most this many cells is counted without a look-up even if
# there are few items, for which larger tables are not worthwhile.
SMALL_DENSE_TABLE = 1 << 12


class Codec(Protocol):
    """An encoder that assigns codes 0, 1, 2, … to labels, and ``n_labels`` to other ratings."""

    @property
    def n_labels(self) -> int:
        """The number of labels that have a code."""
        ...

    @property
    def lowest(self) -> int:
        """The integer that represents code 0 in the result of `encode`."""
        ...

    @property
    def longest_chunk(self) -> int | None:
        """The number of items to encode at a time, or None if kernels read the values directly."""
        ...

    def fits(self, values: AnyArray) -> bool:
        """Return whether `encode` returns values of this type without a copy."""
        ...

    def encode(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Return the integers to pass to the kernels."""
        ...

    def learn(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Encode the values. A map first assigns the next codes to new labels."""
        ...

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes of the values in a new array."""
        ...

    def labels(self) -> AnyArray:
        """Return the label of each code."""
        ...

    def copy(self) -> Codec:
        """Return a codec that can learn labels independently of this codec."""
        ...

    def widened(self, values: AnyArray) -> Codec:
        """Return a codec that also has codes for these values. A map is extended in place."""
        ...


class _Range(NamedTuple):
    """The fields of `LabelRange`, which adds a constant.

    This base class exists because mypy does not allow constants in a named tuple, and importing
    `dataclasses` is slow.
    """

    lowest: int
    n_labels: int
    dtype: LabelType = np.int64


class LabelRange(_Range):
    """Encode consecutive integer labels: the label of code i is ``lowest + i``."""

    __slots__ = ()
    longest_chunk = None

    @staticmethod
    def of(values: AnyArray) -> LabelRange:
        """Return the range of the labels in a column."""
        found = LabelRange(0, 0, label_type(values))
        for start in range(0, len(values), CHUNK):
            # Use short chunks, because ``widened`` copies strided values.
            found = found.widened(values[start : start + CHUNK])
        return found

    def fits(self, values: AnyArray) -> bool:
        """Return whether the type of the values can represent all labels.

        Kernels subtract the lowest label in this type.
        """
        lowest, end = self.lowest, self.lowest + self.n_labels
        # Every type can represent 0 to 127. For these labels, the type is not examined, because
        # examining it would take as long as counting some items.
        if lowest >= 0 and end <= 1 << 7:
            return True
        least, largest = label_limits(values)
        return least <= lowest and end - 1 <= largest

    def encode(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Return the values, converted to 64 bits if their type cannot represent all labels.

        Kernels subtract the lowest label in the type of the values. With uint8 values and 300 as
        the lowest label, 44 − 300 would wrap to 0, so 44 would be counted as 300.
        """
        return values if self.fits(values) else self._in_64_bits(values)

    def learn(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Encode the values without learning, because ranges are widened only after counting."""
        return self.encode(kernels, values)

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes of the values in a new array."""
        offsets = offsets_from(
            values if self.fits(values) else self._in_64_bits(values), self.lowest
        )
        return np.minimum(offsets, np.uint64(self.n_labels)).view(np.int64)

    def _in_64_bits(self, values: AnyArray) -> AnyArray:
        least, largest = label_limits(values)
        first, last = max(self.lowest, least), min(self.lowest + self.n_labels - 1, largest)
        outside = np.array((self.lowest + self.n_labels) % (1 << 64), np.uint64)
        wide = np.full(len(values), outside.view(self.dtype))
        if first <= last:
            inside = (values >= first) & (values <= last)
            wide[inside] = values[inside]
        return wide

    def labels(self) -> AnyArray:
        """Return the label of each code."""
        return np.arange(self.lowest, self.lowest + self.n_labels, dtype=self.dtype)

    def copy(self) -> LabelRange:
        """Return the range itself, because it is immutable."""
        return self

    def widened(self, values: AnyArray) -> LabelRange:
        """Return a range that also contains the values."""
        if len(values) == 0:
            return self
        # For few values, ``values.argmin()`` is four times as fast as ``values.min()``.
        lowest, highest = int(values[values.argmin()]), int(values[values.argmax()])
        if self.n_labels:
            lowest = min(lowest, self.lowest)
            highest = max(highest, self.lowest + self.n_labels - 1)
        return LabelRange(lowest, highest - lowest + 1, self.dtype)


NO_LABELS = LabelRange(0, 0)


class LabelMap:
    """A lookup table for labels that are far apart. New labels get the next codes."""

    lowest = 0

    def __init__(self, labels: AnyArray) -> None:
        """Start with distinct labels of type int64 or uint64."""
        self._of_code = labels
        self._hash: LabelHash | None = None

    @property
    def n_labels(self) -> int:
        """The number of labels that have a code."""
        return len(self._of_code)

    @property
    def longest_chunk(self) -> int | None:
        """The number of items to look up at a time."""
        return LONG_CHUNK if code_type(self.n_labels) == np.uint8 else CHUNK

    def fits(self, values: AnyArray) -> bool:
        """Return False, because `encode` never returns the values themselves."""
        return False

    def encode(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Return the codes of the values."""
        return self._look_up(kernels, values)[0]

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes of the values in a new array."""
        return self._look_up(get_kernels(), values)[0].astype(np.int64)

    def labels(self) -> AnyArray:
        """Return the label of each code."""
        return self._of_code

    def learn(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Return the codes of the values, after assigning new codes to unknown values."""
        codes, n_unknown = self._look_up(kernels, values)
        # The sample of a long column has fewer ratings than this limit, so all labels in the sample
        # are learned at once.
        length, all_added = 4 * SAMPLE, False
        while n_unknown:
            if all_added:
                raise changed_meanwhile()
            # The first unknown values contain most new labels, and sorting all unknown values would
            # be slower.
            new = np.unique(values[codes == self.n_labels][:length])
            all_added = n_unknown <= length
            # The user can change ratings during the call, so look up the new labels again.
            # Otherwise, a label could get two codes.
            self.add(new[self._look_up(kernels, new)[0] == self.n_labels])
            codes, n_unknown = self._look_up(kernels, values)
            length *= SAMPLE
        return codes

    def copy(self) -> LabelMap:
        """Return an independent map of the same labels."""
        copy = LabelMap(self._of_code)
        copy._hash = self._hash
        return copy

    def widened(self, values: AnyArray) -> LabelMap:
        """Add any new values to this map as labels, and return the map."""
        self.learn(get_kernels(), values)
        return self

    def add(self, labels: AnyArray) -> None:
        """Assign the next codes to new labels."""
        self._of_code = np.concatenate([self._of_code, labels.astype(self._of_code.dtype)])
        self._hash = None

    def _look_up(self, kernels: PairKernels, values: AnyArray) -> tuple[AnyArray, int]:
        """Return the codes of the values, and the number of unknown values."""
        codes = np.empty(len(values), code_type(self.n_labels))
        if self.n_labels == 0:
            codes[:] = 0
            return codes, len(values)
        if self._hash is None:
            self._hash = make_hash(self._of_code)
        return codes, kernels.look_up(values, self._hash, codes, (0, len(values)))


Codecs = tuple[Codec, ...]


def are_worth_a_table(codecs: Sequence[Codec], n_items: int, largest: int) -> bool:
    """Return whether a table of the full label ranges is small enough for this many items."""
    n_cells = math.prod([codec.n_labels + 1 for codec in codecs])
    return n_cells <= min(largest, max(SMALL_DENSE_TABLE, 4 * n_items))


def expected_codecs(
    kernels: PairKernels,
    columns: Sequence[AnyArray],
    largest: int = LARGEST_DENSE_TABLE,
    known: Codecs = (),
) -> Codecs:
    """Return codecs for the labels expected in columns: ranges, or maps if ranges are too wide.

    The ``known`` codecs of other columns are appended.
    """
    codecs = (*map(guess_label_range, columns), *known)
    if not are_worth_a_table(codecs, len(columns[0]), largest):
        return (*(guess_label_map(kernels, column) for column in columns), *known)
    return codecs


def sample_of(values: AnyArray) -> AnyArray:
    """Return the first ratings and a sample of the others, or all ratings if there are few."""
    if len(values) <= 8 * SAMPLE:
        return values
    return np.concatenate([values[:SAMPLE], values[:: max(1, len(values) // SAMPLE)]])


def guess_label_range(values: AnyArray) -> LabelRange:
    """Return the expected range of labels, based on a sample of the ratings."""
    guess = LabelRange(0, 0, label_type(values)).widened(sample_of(values))
    if guess.n_labels <= SAMPLE // 2:
        return guess
    return guess.widened(_first_ratings(values, guess.n_labels))


def guess_label_map(kernels: PairKernels, values: AnyArray) -> LabelMap:
    """Return a map of the expected labels, based on a sample of the ratings."""
    labels = LabelMap(np.empty(0, label_type(values)))
    labels.learn(kernels, sample_of(values))
    if labels.n_labels > SAMPLE // 2:
        labels.learn(kernels, _first_ratings(values, labels.n_labels))
    return labels


def _first_ratings(values: AnyArray, n_labels: int) -> AnyArray:
    """Return more ratings to read, because a sample contained many labels.

    The sample often misses labels, and recounting is slower than reading more ratings. The number
    of labels also determines how many threads are worth a table of their own.
    """
    return values[: min(16 * n_labels, len(values) // 16)]


def label_type(values: AnyArray) -> LabelType:
    """Return the type for the labels of a column: uint64 for uint64 columns, otherwise int64."""
    return np.uint64 if values.dtype.kind == "u" and values.dtype.itemsize == 8 else np.int64


def label_limits(values: AnyArray) -> tuple[int, int]:
    """Return the smallest and the largest label that a column's type can represent."""
    return _limits_of(values.dtype)


@cache
def _limits_of(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the limits of a type. They are cached, because `numpy.iinfo` is slow."""
    if dtype.kind == "f":
        return -(1 << 63), (1 << 63) - 1
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)
