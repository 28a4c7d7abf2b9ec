"""Read item ids from a user's arrays, and look up the positions of ids in other lists.

pyarrow looks up a whole column of strings or numbers at a time. A Python dictionary is used if
pyarrow is not installed, and for ids that pyarrow does not support, such as tuples or a mix of
numbers and strings.
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

# Integers are looked up in an array if the size of their range is at most this many times their
# count. For a million integers, the array is five times as fast as pyarrow.
WIDEST_RANGE = 4
NOT_MISSING = "must not contain missing values, got {}."
WHOLE = "must be whole numbers or strings, got {}."
TIMES = ("time", "duration")
LAST_OF_ASCII = 127

Positions = NDArray[np.int64]


class Ids(NamedTuple):
    """A list of ids that has been read into an array.

    Attributes
    ----------
    kind : {'number', 'time', 'duration', 'string', 'fixed width', 'object'}
    values : ndarray or pyarrow.Array
        A NumPy array of int64 numbers, times or objects, or a pyarrow array of type large_string.
        Fixed-width strings stay in a NumPy array, which supports comparisons but no look-ups until
        `settled` converts it.
    """

    kind: str
    values: Any

    def __len__(self) -> int:
        return len(self.values)

    def are(self, others: Ids) -> bool:
        """Return whether both lists have the same ids in the same order.

        To save time, the result is False if comparing the ids would be slow.
        """
        if self.kind != others.kind or self.kind == "object":
            return False
        if self.kind == "string":
            return bool(self.values.equals(others.values))
        return self.values.dtype == others.values.dtype and np.array_equal(
            self.values, others.values
        )

    def tolist(self, positions: Any = None) -> list[Any]:
        """Return all ids, or those at the given positions, as Python objects."""
        if self.kind == "string":
            strings = self.values
            if positions is not None:
                strings = strings.take(_in_arrow(np.asarray(positions, np.int64)))
            found: list[Any] = strings.to_pylist()
            return found
        some = self.values if positions is None else self.values[positions]
        found = some.tolist()
        # NumPy's `tolist` converts times in nanoseconds to integers, whereas `list` keeps them as
        # times.
        are_numbers = self.kind in TIMES and any(type(one) is int for one in found)
        return list(some) if are_numbers else found


class Places:
    """A list of ids, in which the positions of other ids are looked up."""

    def __init__(self, others: Ids) -> None:
        self._others = others

    def repeats(self) -> Positions:
        """Return the positions of ids that repeat an earlier id in the list."""
        [first] = self.of([self._others])
        return np.flatnonzero(first != np.arange(len(first)))

    def of(self, lists: Sequence[Ids]) -> list[Positions]:
        """For each list, return the first position of each of its ids, or -1 for unknown ids."""
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
        """The lowest number, and an array with the position of each number from lowest to highest.

        The value is None if the range of the numbers is too wide for an array.
        """
        numbers = self._others.values
        if not len(numbers):
            return 0, np.full(1, -1, np.int64)
        lowest, highest = int(numbers.min()), int(numbers.max())
        if highest - lowest > WIDEST_RANGE * len(numbers) + 64:
            return None
        # The last slot of the array is for all numbers outside the range.
        places = np.full(highest - lowest + 2, -1, np.int64)
        places[_slots(numbers, lowest, len(places))[::-1]] = np.arange(len(numbers))[::-1]
        places[-1] = -1
        return lowest, places


def _slots(numbers: AnyArray, lowest: int, n_slots: int) -> Positions:
    """Return the slot of each number. All numbers outside the range share the last slot."""
    # Numbers below ``lowest`` wrap around to large slot numbers, so they also get the last slot.
    slots = numbers.view(np.uint64) - np.uint64(lowest % (1 << 64))
    found: Positions = np.minimum(slots, np.uint64(n_slots - 1)).view(np.int64)
    return found


def _index_in(lists: Sequence[Any], others: Any) -> list[Positions]:
    """For each list, return the positions of its ids in ``others``, or -1 for unknown ids.

    Every call hashes ``others`` again.
    """
    from pyarrow import chunked_array, compute

    found = compute.index_in(chunked_array(lists), value_set=others).fill_null(-1)
    places = to_numpy(found).astype(np.int64)
    return np.split(places, np.cumsum([len(ids) for ids in lists])[:-1])


def _in_arrow(numbers: AnyArray) -> Any:
    """Convert numbers to a pyarrow array. Unlike pyarrow's own conversion, never import pandas."""
    import pyarrow

    return pyarrow.Array.from_buffers(
        pyarrow.int64(), len(numbers), [None, pyarrow.py_buffer(np.ascontiguousarray(numbers))]
    )


def read_ids(ids: Any, name: str) -> Ids:
    """Read ids into a form that can be compared.

    Raises
    ------
    ValueError
        If the ids are not a column of integers, strings or dates, or if any are missing.
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
            # NumPy converts integers to floats if the list also contains floats, or if no 64-bit
            # type can hold all of them. The conversion could make different integers equal.
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
        # NumPy would convert the numbers in a list of strings and numbers to strings.
        return _of_objects(list(ids), name)
    if kind == "U":
        return Ids("fixed width", np.ascontiguousarray(array, array.dtype.newbyteorder("=")))
    return _of_objects(array.tolist(), name)


def _checked(strings: Any, name: str) -> Any:
    """Return the strings, or raise if their offsets point outside the buffer."""
    import pyarrow

    try:
        # Strings are compared byte by byte, so they are checked as bytes and not as UTF-8.
        strings.view(pyarrow.large_binary()).validate(full=True)
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"{name} cannot be read: {error}.") from error
    return strings


def _of_integers(array: AnyArray) -> Ids:
    # The kind and item size are checked rather than the dtype, because dtypes also differ by byte
    # order.
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
    # A list of integers must give the same ids as an array of integers.
    if kinds == {int}:
        whole = np.array(ids)
        if whole.dtype.kind in "iu":
            return _of_integers(whole)
    # A list of dates must give the same ids as an array of times in any unit.
    if kinds == {date}:
        return Ids("time", np.array(ids, "M8[D]"))
    are_times = bool(kinds) and all(issubclass(kind, datetime) for kind in kinds)
    # A pandas Timestamp can have nanoseconds, which do not fit in microseconds.
    if are_times and not any(one.tzinfo or getattr(one, "nanosecond", 0) for one in ids):
        return Ids("time", np.array(ids, "M8[us]"))
    try:
        set(ids)
    except TypeError as error:
        raise ValueError(f"{name} {WHOLE.format(f'an {error}')}") from error
    return _as_objects(ids)


def settled(ids: Ids) -> Ids:
    """Return the ids in a form that supports look-ups. Only fixed-width strings are converted."""
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
    # Unpaired surrogates cannot be encoded.
    with suppress(ImportError, UnicodeEncodeError):
        encoded = [one.encode() for one in ids]
        lengths = np.fromiter(map(len, encoded), np.int64, len(ids))
        return _in_large_strings(lengths, b"".join(encoded))
    return _as_objects(ids)


def _in_large_strings(lengths: AnyArray, characters: Any) -> Ids:
    import pyarrow

    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    # The array is built from buffers, because pyarrow's own conversion imports pandas.
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
            f"{name} must not contain floats of 2**53 or more, got {largest:.0f}. Use integers or"
            " strings, because different ids of this size can be rounded to the same float."
        )
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64)
    fractions = array[whole != array]
    if len(fractions):
        raise ValueError(f"{name} {WHOLE.format(fractions[0])}")
    return whole
