"""How labels become codes: one interface, and its two implementations.

A range of labels needs no look-up: a kernel subtracts the lowest. Labels further apart are
looked up in a map. Either way a rating outside the labels gets the code ``n_labels``.
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

# Items are worked on in chunks, so that what is made of them stays in the cache.
CHUNK = 1 << 16
# Codes of a byte are made for longer ones, between which threads meet in Python: two took longer
# than one with shorter ones.
LONG_CHUNK = 1 << 18
# Ratings that are looked at for a guess, and as many of the first ones. Up to eight times as many
# are all looked at in the time that it takes to make a sample of them.
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

    @property
    def lowest(self) -> int:
        """The integer that has code 0 in what `encode` returns."""
        ...

    @property
    def longest_chunk(self) -> int | None:
        """How many items to encode at a time; None if kernels read the values themselves."""
        ...

    def fits(self, values: AnyArray) -> bool:
        """Return whether `encode` returns values of this type as they are, without a copy."""
        ...

    def encode(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Return the integers that kernels read."""
        ...

    def learn(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Return what `encode` does; a map gives new labels the next codes."""
        ...

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes in an array of their own."""
        ...

    def labels(self) -> AnyArray:
        """Return the label of each code."""
        ...

    def copy(self) -> Codec:
        """Return a codec that may learn other labels than this one."""
        ...

    def widened(self, values: AnyArray) -> Codec:
        """Return a codec that has the labels of the values too; a map learns them itself."""
        ...


class _Range(NamedTuple):
    """Fields alone: a named tuple has no constants, and to import `dataclasses` takes long."""

    lowest: int
    n_labels: int
    dtype: LabelType = np.int64


class LabelRange(_Range):
    """The labels from ``lowest`` on: that of code i is ``lowest + i``."""

    __slots__ = ()
    longest_chunk = None

    @staticmethod
    def of(values: AnyArray) -> LabelRange:
        """Return the range of the labels of a column."""
        return LabelRange(0, 0, label_type(values)).widened(values)

    def fits(self, values: AnyArray) -> bool:
        """Return whether the values' type holds all labels: kernels subtract in that type."""
        lowest, end = self.lowest, self.lowest + self.n_labels
        # Every type holds 0 to 127, and to ask for the type takes as long as to count some items.
        if lowest >= 0 and end <= 1 << 7:
            return True
        least, largest = label_limits(values)
        return least <= lowest and end - 1 <= largest

    def encode(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Return the values themselves, or in 64 bits if their own type does not hold all labels.

        In uint8, 44 is 256 less than 300, which is 0 less.
        """
        return values if self.fits(values) else self._in_64_bits(values)

    def learn(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Return what `encode` does: other labels are not known before they are counted."""
        return self.encode(kernels, values)

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes in an array of their own."""
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
        """Return the range itself, which never changes."""
        return self

    def widened(self, values: AnyArray) -> LabelRange:
        """Return a range that holds the values too."""
        if len(values) == 0:
            return self
        # The methods of an array make these calls in Python.
        lowest, highest = int(np.minimum.reduce(values)), int(np.maximum.reduce(values))
        if self.n_labels:
            lowest = min(lowest, self.lowest)
            highest = max(highest, self.lowest + self.n_labels - 1)
        return LabelRange(lowest, highest - lowest + 1, self.dtype)


NO_LABELS = LabelRange(0, 0)


class LabelMap:
    """Labels that lie far apart, with codes in the order in which they were added."""

    lowest = 0

    def __init__(self, labels: AnyArray) -> None:
        """Start from different labels, of int64 or uint64."""
        self._of_code = labels
        self._hash: LabelHash | None = None

    @property
    def n_labels(self) -> int:
        """How many labels have a code."""
        return len(self._of_code)

    @property
    def longest_chunk(self) -> int | None:
        """How many items to look up at a time."""
        return LONG_CHUNK if code_type(self.n_labels) == np.uint8 else CHUNK

    def fits(self, values: AnyArray) -> bool:
        """Return False: codes are made of the values."""
        return False

    def encode(self, kernels: PairKernels, values: AnyArray) -> AnyArray:
        """Return the codes of the values."""
        return self._look_up(kernels, values)[0]

    def codes(self, values: AnyArray) -> NDArray[np.int64]:
        """Return the codes in an array of their own."""
        return self._look_up(get_kernels(), values)[0].astype(np.int64)

    def labels(self) -> AnyArray:
        """Return the label of each code."""
        return self._of_code

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
        copy = LabelMap(self._of_code)
        copy._hash = self._hash
        return copy

    def widened(self, values: AnyArray) -> LabelMap:
        """Learn the values, and return the map."""
        self.learn(get_kernels(), values)
        return self

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
        return codes, kernels.look_up(values, self._hash, codes, (0, len(values)))


Codecs = tuple[Codec, ...]


def are_worth_a_table(codecs: Sequence[Codec], n_items: int, largest: int) -> bool:
    """Return whether to count so many items in a table of whole ranges of labels."""
    n_cells = math.prod([codec.n_labels + 1 for codec in codecs])
    return n_cells <= min(largest, max(SMALL_DENSE_TABLE, 4 * n_items))


def expected_codecs(
    kernels: PairKernels,
    columns: Sequence[AnyArray],
    largest: int = LARGEST_DENSE_TABLE,
    known: Codecs = (),
) -> Codecs:
    """Return codecs of the labels that columns seem to have: ranges, or maps if these are wide.

    Codecs of further columns, whose labels are known, come after them.
    """
    found = tuple(map(guess_label_range, columns))
    if not are_worth_a_table((*found, *known), len(columns[0]), largest):
        return (*(guess_label_map(kernels, column) for column in columns), *known)
    return (*found, *known)


def sample_of(values: AnyArray) -> AnyArray:
    """Return the first ratings and some of the rest, or all if they are few."""
    if len(values) <= 8 * SAMPLE:
        return values
    return np.concatenate([values[:SAMPLE], values[:: max(1, len(values) // SAMPLE)]])


def guess_label_range(values: AnyArray) -> LabelRange:
    """Return the labels that ratings seem to have, from a sample."""
    guess = LabelRange(0, 0, label_type(values)).widened(sample_of(values))
    if guess.n_labels <= SAMPLE // 2:
        return guess
    # Of many labels a few ratings seldom have the outermost, and to count again takes longer.
    return guess.widened(values[: min(16 * guess.n_labels, len(values) // 16)])


def guess_label_map(kernels: PairKernels, values: AnyArray) -> LabelMap:
    """Return the labels that ratings seem to have, where these lie far apart."""
    labels = LabelMap(np.empty(0, label_type(values)))
    labels.learn(kernels, sample_of(values))
    return labels


def label_type(values: AnyArray) -> LabelType:
    """Return the type that holds every label of a column: int64, but uint64 for uint64."""
    return np.uint64 if values.dtype.kind == "u" and values.dtype.itemsize == 8 else np.int64


def label_limits(values: AnyArray) -> tuple[int, int]:
    """Return the least and the largest label a column's type can hold."""
    return _limits_of(values.dtype)


@cache
def _limits_of(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the limits of a type, which takes NumPy as long as a short call has."""
    if dtype.kind == "f":
        return -(1 << 63), (1 << 63) - 1
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)
