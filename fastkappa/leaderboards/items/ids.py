"""Ids of items, read from a user's arrays, and looked up among others.

pyarrow looks up strings and numbers, a whole column at a time. A dictionary of Python does so where
pyarrow is missing, and for ids that it cannot hold, such as tuples or numbers beside strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import LARGEST_EXACT, AnyArray
from fastkappa.ratings.column import refuse_masked
from fastkappa.ratings.interop import strings_in_arrow, to_numpy
from fastkappa.ratings.labels import in_unit
from fastkappa.ratings.missing import is_missing

# Whole numbers with at most so many gaps per number are looked up in an array, which takes a fifth
# of the time that pyarrow takes for a million.
WIDEST_RANGE = 4
NOT_MISSING = "must not be missing, got {} among them."
WHOLE = "must be whole numbers or strings, got {}."
TIMES = ("time", "duration")
LAST_OF_ASCII = 127

Positions = NDArray[np.int64]


class Ids(NamedTuple):
    """Ids as they were read.

    Attributes
    ----------
    kind : {'number', 'time', 'duration', 'string', 'fixed width', 'object'}
    values : ndarray or pyarrow.Array
        int64 numbers, times, or objects; strings are a large_string array of pyarrow. Strings of
        fixed width are an array of NumPy, which is only compared: `settled` makes a copy for
        look-ups.
    """

    kind: str
    values: Any

    def __len__(self) -> int:
        return len(self.values)

    def are(self, others: Ids) -> bool:
        """Return whether these are the same ids in the same order, as far as a look tells."""
        if self.kind != others.kind or self.kind == "object":
            return False
        if self.kind == "string":
            return bool(self.values.equals(others.values))
        return self.values.dtype == others.values.dtype and np.array_equal(
            self.values, others.values
        )

    def tolist(self, positions: Any = None) -> list[Any]:
        """Return ids as Python objects: all, or those at some positions."""
        if self.kind == "string":
            strings = self.values
            if positions is not None:
                strings = strings.take(_in_arrow(np.asarray(positions, np.int64)))
            found: list[Any] = strings.to_pylist()
            return found
        some = self.values if positions is None else self.values[positions]
        found = some.tolist()
        # Nanoseconds would be numbers.
        are_numbers = self.kind in TIMES and any(type(one) is int for one in found)
        return list(some) if are_numbers else found


class Places:
    """Where ids stand among others, which are prepared once."""

    def __init__(self, others: Ids) -> None:
        self._others = others

    def repeats(self) -> Positions:
        """Return the positions of ids that occur earlier in the list, too."""
        strings = self._others.values
        if self._others.kind == "string" and len(strings.unique()) == len(strings):
            # This takes half the time of looking up each id.
            return np.empty(0, np.int64)
        [first] = self.of([self._others])
        return np.flatnonzero(first != np.arange(len(first)))

    def of(self, lists: Sequence[Ids]) -> list[Positions]:
        """Return where each id of some lists first stands among the others, -1 for none."""
        if all(ids.kind == self._others.kind == "string" for ids in lists):
            return _index_in([ids.values for ids in lists], self._others.values)
        return [self._of(ids) for ids in lists]

    def _of(self, ids: Ids) -> Positions:
        if "object" in (ids.kind, self._others.kind):
            return self._of_objects(ids)
        if ids.kind != self._others.kind:
            return np.full(len(ids), -1, np.int64)
        if ids.kind == "string":
            return _index_in([ids.values], self._others.values)[0]
        if ids.kind in TIMES:
            unit = np.promote_types(ids.values.dtype, self._others.values.dtype)
            mine, theirs = (
                Ids("number", in_unit(times.values, unit, "ids").view(np.int64))
                for times in (ids, self._others)
            )
            return Places(theirs)._of(mine)
        if self._in_range is not None:
            lowest, places = self._in_range
            return places.take(_slots(ids.values, lowest, len(places)), mode="clip")
        with suppress(ImportError):
            return _index_in([_in_arrow(ids.values)], _in_arrow(self._others.values))[0]
        return self._of_objects(ids)

    def _of_objects(self, ids: Ids) -> Positions:
        return np.fromiter(
            (self._by_object.get(one, -1) for one in ids.tolist()), np.int64, len(ids)
        )

    @cached_property
    def _by_object(self) -> dict[Any, int]:
        return {one: i for i, one in reversed(list(enumerate(self._others.tolist())))}

    @cached_property
    def _in_range(self) -> tuple[int, Positions] | None:
        """The lowest of numbers close together, and the place of each number from there on."""
        numbers = self._others.values
        if not len(numbers):
            return 0, np.full(1, -1, np.int64)
        lowest, highest = int(numbers.min()), int(numbers.max())
        if highest - lowest > WIDEST_RANGE * len(numbers) + 64:
            return None
        # The last place is for all numbers beyond the range.
        places = np.full(highest - lowest + 2, -1, np.int64)
        places[_slots(numbers, lowest, len(places))[::-1]] = np.arange(len(numbers))[::-1]
        places[-1] = -1
        return lowest, places


def _slots(numbers: AnyArray, lowest: int, n_slots: int) -> Positions:
    """Return the slot of each number; those below the range are far above it as unsigned ones."""
    slots = numbers.view(np.uint64) - np.uint64(lowest % (1 << 64))
    found: Positions = np.minimum(slots, np.uint64(n_slots - 1)).view(np.int64)
    return found


def _index_in(lists: Sequence[Any], others: Any) -> list[Positions]:
    """Return the places of all lists together: a call hashes the others first."""
    from pyarrow import chunked_array, compute

    found = compute.index_in(chunked_array(lists), value_set=others).fill_null(-1)
    places = to_numpy(found).astype(np.int64)
    return np.split(places, np.cumsum([len(ids) for ids in lists])[:-1])


def _in_arrow(numbers: AnyArray) -> Any:
    """Return numbers as an array of pyarrow, whose own conversion would import pandas."""
    import pyarrow

    return pyarrow.Array.from_buffers(
        pyarrow.int64(), len(numbers), [None, pyarrow.py_buffer(np.ascontiguousarray(numbers))]
    )


def read_ids(ids: Any, name: str) -> Ids:
    """Return ids as they can be compared.

    Raises
    ------
    ValueError
        If they are not a column of whole numbers, strings or dates, or some are missing.
    """
    refuse_masked(**{name: ids})
    strings = strings_in_arrow(ids)
    if strings is not None:
        if strings.null_count:
            raise ValueError(f"{name} {NOT_MISSING.format('None or NaN')}")
        return Ids("string", _checked(strings, name))
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
        return Ids("number", _to_integers(array, name))
    if kind in "mM":
        if np.isnat(array).any():
            raise ValueError(f"{name} {NOT_MISSING.format('NaT')}")
        native = array.astype(array.dtype.newbyteorder("="), copy=False)
        return Ids("time" if kind == "M" else "duration", native)
    if kind not in "iuUOT":
        raise ValueError(f"{name} {WHOLE.format(f'{array.dtype} ids')}")
    if kind in "iu":
        return _of_integers(array)
    if isinstance(ids, (list, tuple)):
        # NumPy turns a list of strings and numbers into strings.
        return _of_objects(list(ids), name)
    if kind == "U":
        return Ids("fixed width", np.ascontiguousarray(array, array.dtype.newbyteorder("=")))
    return _of_objects(array.tolist(), name)


def _checked(strings: Any, name: str) -> Any:
    """Return strings, or raise if their offsets are not among their bytes."""
    import pyarrow

    try:
        # They are compared byte by byte, whether or not they are UTF-8.
        strings.view(pyarrow.large_binary()).validate(full=True)
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"{name} cannot be read: {error}.") from error
    return strings


def _of_integers(array: AnyArray) -> Ids:
    # Of either byte order.
    is_uint64 = array.dtype.kind == "u" and array.dtype.itemsize == 8
    if is_uint64 and array.max(initial=0) > np.iinfo(np.int64).max:
        return Ids("object", array.astype(object))
    return Ids("number", np.ascontiguousarray(array, np.int64))


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
        return Ids("time", np.array(ids, "M8[D]"))
    are_times = bool(kinds) and all(issubclass(kind, datetime) for kind in kinds)
    # A Timestamp of pandas may have nanoseconds.
    if are_times and not any(one.tzinfo or getattr(one, "nanosecond", 0) for one in ids):
        return Ids("time", np.array(ids, "M8[us]"))
    try:
        set(ids)
    except TypeError as error:
        raise ValueError(f"{name} {WHOLE.format(f'an {error}')}") from error
    return _as_objects(ids)


def settled(ids: Ids) -> Ids:
    """Return ids that can be looked up, those of fixed width as a copy in Arrow's memory."""
    if ids.kind != "fixed width":
        return ids
    width = ids.values.dtype.itemsize // 4
    characters = ids.values.view(np.uint32).reshape(len(ids), width)
    if characters.max(initial=0) > LAST_OF_ASCII:
        return _of_strings(ids.values.tolist())
    characters = characters.astype(np.uint8)
    lengths = np.full(len(ids), width)
    if not characters[:, -1:].all():
        lengths = np.char.str_len(ids.values)
        characters = characters[np.arange(width) < lengths[:, None]]
    with suppress(ImportError):
        return _in_large_strings(lengths, characters)
    return _as_objects(ids.values.tolist())


def _of_strings(ids: list[str]) -> Ids:
    # Half a surrogate pair has no encoding.
    with suppress(ImportError, UnicodeEncodeError):
        encoded = [one.encode() for one in ids]
        lengths = np.fromiter(map(len, encoded), np.int64, len(ids))
        return _in_large_strings(lengths, b"".join(encoded))
    return _as_objects(ids)


def _in_large_strings(lengths: AnyArray, characters: Any) -> Ids:
    import pyarrow

    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    # As in `_in_arrow`.
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(characters)]
    return Ids("string", pyarrow.Array.from_buffers(pyarrow.large_string(), len(lengths), buffers))


def _as_objects(ids: list[Any]) -> Ids:
    array = np.empty(len(ids), object)
    array[:] = ids
    return Ids("object", array)


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
