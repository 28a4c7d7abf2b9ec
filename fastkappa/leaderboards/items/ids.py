"""Ids of items, read from what a user gave, and packed into words of 64 bits.

Words are compared and hashed by NumPy, a whole column at a time: a column of strings would have
each string looked at in Python. Ids that have no words, such as tuples, numbers beside strings,
or long strings, are a list of Python objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import LARGEST_EXACT, AnyArray
from fastkappa.columns.column import refuse_masked
from fastkappa.columns.interop import bytes_of_strings, to_numpy
from fastkappa.columns.labels import in_unit
from fastkappa.columns.missing import is_missing
from fastkappa.kernels.dispatch import get_kernels, word_kernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads

# Longer strings are compared as Python objects.
LONGEST = 128
WORD = 8
# Ids that are packed together: what is made of them stays in the cache, and threads seldom meet
# in Python between two kernels.
CHUNK = 1 << 16
# Ids that differ do so among the first of them, nearly always.
FIRST = 1 << 10
NOT_MISSING = "must not be missing, got {} among them."
WHOLE = "must be whole numbers or strings, got {}."
# What has one word, the number that it is.
NUMBERS = ("number", "time", "duration")


class NoWordsError(ValueError):
    """Characters take more than a byte each, or strings have NULs."""


class Ids(NamedTuple):
    """Ids as they were read.

    Attributes
    ----------
    kind : {'number', 'time', 'duration', 'characters', 'utf-8', 'object'}
        What the arrays hold: whole numbers or times; the characters of strings, a row each; where
        strings begin and end, and their bytes; objects.
    arrays : tuple of ndarray
        Two lists of the same arrays hold the same ids in the same order.
    longest : int
        The bytes of the longest string.
    """

    kind: str
    arrays: tuple[AnyArray, ...]
    longest: int = 0

    def __len__(self) -> int:
        return len(self.arrays[0]) - (self.kind == "utf-8")

    @property
    def family(self) -> str:
        """Ids of one family have comparable words; those of 'object' have none."""
        return "string" if self.kind in ("characters", "utf-8") else self.kind

    def are(self, others: Ids) -> bool:
        """Return whether these are the same ids in the same order, as far as a look tells."""
        return (
            self.kind == others.kind
            and self.kind != "object"
            and all(
                a.dtype == b.dtype
                and a.shape == b.shape
                # Bytes are compared without a wait for other threads.
                and a[:FIRST].tobytes() == b[:FIRST].tobytes()
                and np.array_equal(a, b)
                # Where strings begin is often the same, what they are is not.
                for a, b in zip(self.arrays[::-1], others.arrays[::-1])
            )
        )

    def tolist(self, positions: Any = slice(None)) -> list[Any]:
        """Return ids as Python objects: all, or those at some positions."""
        if self.kind == "characters":
            width = self.arrays[0].shape[1]
            some = np.ascontiguousarray(self.arrays[0][positions])
            return some.view(f"U{width}")[:, 0].tolist() if width else [""] * len(some)
        if self.kind == "utf-8":
            ends, data = self.arrays
            first, last = ends[:-1][positions].tolist(), ends[1:][positions].tolist()
            text = data.tobytes() if first else b""
            return [text[start:stop].decode() for start, stop in zip(first, last)]
        some = self.arrays[0][positions]
        found: list[Any] = some.tolist()
        # Nanoseconds would be numbers.
        are_numbers = some.dtype.kind in "mM" and any(type(one) is int for one in found)
        return list(some) if are_numbers else found

    def words(self) -> Iterator[AnyArray]:
        """Yield the words of some ids at a time, as `pack` writes them."""
        for start in range(0, len(self), CHUNK):
            stop = min(start + CHUNK, len(self))
            if self.kind in NUMBERS:
                yield self._numbers(start, stop)
                continue
            words = np.empty((stop - start, self.n_words), np.uint64)
            self.pack(start, words)
            yield words

    def all_words(self, num_threads: int) -> AnyArray:
        """Return the words of all ids, as `pack` writes them."""
        words = np.empty((len(self), self.n_words), np.uint64)

        def work(ranges: ItemRanges) -> None:
            while bounds := ranges.take(CHUNK):
                self.pack(bounds[0], words[slice(*bounds)])

        run_in_threads(work, len(self), max(1, min(num_threads, len(self) // CHUNK)))
        return words

    def pack(self, start: int, words: AnyArray) -> None:
        """Write the words of ids from ``start`` on, shape (n, k).

        Raises
        ------
        NoWordsError
            If they have none; those that are `encoded`, once or twice, have them or are objects.
        """
        stop, kernels = start + len(words), word_kernels(get_kernels())
        if self.kind in NUMBERS:
            words[:] = self._numbers(start, stop)
        elif self.kind == "characters":
            if not kernels.pack_characters(self.arrays[0][start:stop], words.view(np.uint8)):
                raise NoWordsError
        else:
            ends, data = self.arrays[0][start : stop + 1], self.arrays[1]
            # Words are filled up with NULs, so a string with a NUL of its own has none.
            if data[ends[0] : ends[-1]].min(initial=1) == 0:
                raise NoWordsError
            kernels.pack_bytes(ends, data, words.view(np.uint8))

    def _numbers(self, start: int, stop: int) -> AnyArray:
        """Return the words of some numbers, a copy of them only if they are no int64."""
        numbers = self.arrays[0][start:stop]
        return np.ascontiguousarray(numbers, np.int64).view(np.uint64)[:, None]

    @property
    def n_words(self) -> int:
        """The number of words of each id."""
        return max(1, -(-self.longest // WORD))

    def encoded(self) -> Ids:
        """Return strings by their bytes, and what is that already as objects."""
        return (_as_objects if self.kind == "utf-8" else _of_strings)(self.tolist())

    def in_unit(self, unit: np.dtype[Any]) -> Ids:
        """Return times in another unit.

        Raises
        ------
        ValueError
            If some are too far away for it.
        """
        return Ids(self.kind, (in_unit(self.arrays[0], unit, "ids"),))


def read_ids(ids: Any, name: str) -> Ids:
    """Return ids as they can be compared.

    Raises
    ------
    ValueError
        If they are not a column of whole numbers, strings or dates, or some are missing.
    """
    refuse_masked(**{name: ids})
    strings = bytes_of_strings(ids)
    if strings is not None:
        n_missing, ends, data = strings
        if n_missing:
            raise ValueError(f"{name} {NOT_MISSING.format('None or NaN')}")
        return _of_bytes(ends, data)
    array = to_numpy(ids)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}.")
    kind = array.dtype.kind
    if kind == "f":
        if isinstance(ids, (list, tuple)):
            # NumPy turns whole numbers beside floats, or too far apart for its integers, into
            # floats, and several into one.
            floats = [one for one in ids if not isinstance(one, Integral)]
            _to_integers(np.array(floats, np.float64), name)
            return _of_objects([int(one) for one in ids], name)
        return Ids("number", (_to_integers(array, name),))
    if kind in "mM":
        if np.isnat(array).any():
            raise ValueError(f"{name} {NOT_MISSING.format('NaT')}")
        return Ids("time" if kind == "M" else "duration", (array,))
    if kind not in "iuUOT":
        raise ValueError(f"{name} {WHOLE.format(f'{array.dtype} ids')}")
    if kind in "iu":
        return _of_integers(array)
    if kind == "U" and isinstance(ids, (list, tuple)):
        # NumPy turns a list of strings and numbers into strings.
        array = np.array(ids, dtype=object)
        kind = "O"
    return _of_characters(array) if kind == "U" else _of_objects(array.tolist(), name)


def _of_integers(array: AnyArray) -> Ids:
    # Of either byte order.
    is_uint64 = array.dtype.kind == "u" and array.dtype.itemsize == 8
    if is_uint64 and array.max(initial=0) > np.iinfo(np.int64).max:
        return Ids("object", (array.astype(object),))
    return Ids("number", (array,))


def _of_characters(array: AnyArray) -> Ids:
    """Return an array of NumPy's strings of a fixed width."""
    n_characters = array.dtype.itemsize // 4
    if n_characters <= LONGEST:
        native = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        characters = native.view(np.uint32).reshape(len(array), n_characters)
        # Whether they are ASCII is known when they are packed: they are long, and read once.
        return Ids("characters", (characters,), n_characters)
    return _of_strings(array.tolist())


def _of_objects(ids: list[Any], name: str) -> Ids:
    kinds = set(map(type, ids))
    if kinds == {str}:
        return _of_strings(ids)
    if any(map(is_missing, ids)):
        raise ValueError(f"{name} {NOT_MISSING.format('None or NaN')}")
    # A list of whole numbers gives the same ids as an array of them.
    if kinds == {int}:
        whole = np.array(ids)
        if whole.dtype.kind in "iu":
            return _of_integers(whole)
    # An array of times, whose unit may be another, has the same ids, too.
    if kinds == {date}:
        return Ids("time", (np.array(ids, "M8[D]"),))
    are_times = bool(kinds) and all(issubclass(kind, datetime) for kind in kinds)
    # A Timestamp of pandas may have nanoseconds.
    if are_times and not any(one.tzinfo or getattr(one, "nanosecond", 0) for one in ids):
        return Ids("time", (np.array(ids, "M8[us]"),))
    try:
        set(ids)
    except TypeError as error:
        raise ValueError(f"{name} {WHOLE.format(f'an {error}')}") from error
    return _as_objects(ids)


def _of_strings(ids: list[str]) -> Ids:
    try:
        encoded = [one.encode() for one in ids]
    except UnicodeEncodeError:  # half a surrogate pair
        return _as_objects(ids)
    ends = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(ids)), out=ends[1:])
    return _of_bytes(ends, np.frombuffer(b"".join(encoded), np.uint8))


def _of_bytes(ends: AnyArray, data: AnyArray) -> Ids:
    parts = [ends[start : start + CHUNK + 1] for start in range(0, len(ends) - 1, CHUNK)]
    longest = max((int((part[1:] - part[:-1]).max()) for part in parts), default=0)
    ids = Ids("utf-8", (ends, data), longest)
    return ids if longest <= LONGEST else _as_objects(ids.tolist())


def _as_objects(ids: list[Any]) -> Ids:
    array = np.empty(len(ids), object)
    array[:] = ids
    return Ids("object", (array,))


def _to_integers(array: AnyArray, name: str) -> AnyArray:
    if np.isnan(array).any():
        raise ValueError(f"{name} {NOT_MISSING.format('NaN')}")
    largest = float(np.abs(array).max(initial=0))
    if LARGEST_EXACT <= largest < np.inf:
        raise ValueError(
            f"{name} must be integers or strings where they are as large as 2**53, got the float"
            f" {largest:.0f}: ids that differ could become equal."
        )
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64)
    fractions = array[whole != array]
    if len(fractions):
        raise ValueError(f"{name} {WHOLE.format(fractions[0])}")
    return whole
