"""Ids of items, read from what a user gave, and looked up among others.

pyarrow looks up strings and numbers, a whole column at a time. A dictionary of Python does so where
pyarrow is missing, and for ids that it cannot hold, such as tuples or numbers beside strings.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import LARGEST_EXACT, AnyArray
from fastkappa.columns.column import refuse_masked
from fastkappa.columns.interop import strings_in_arrow, to_numpy
from fastkappa.columns.labels import in_unit
from fastkappa.columns.missing import is_missing

# Whole numbers with at most so many gaps per number are looked up in an array, which takes a fifth
# of the time that pyarrow takes for a million.
WIDEST_RANGE = 4
NOT_MISSING = "must not be missing, got {} among them."
WHOLE = "must be whole numbers or strings, got {}."
TIMES = ("time", "duration")

Positions = NDArray[np.int64]


class Ids(NamedTuple):
    """Ids as they were read.

    Attributes
    ----------
    kind : {'number', 'time', 'duration', 'string', 'object'}
    values : ndarray or pyarrow.Array
        int64 numbers, times, or objects; strings are a large_string array of pyarrow.
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

    def places_among(self, others: Ids) -> Positions:
        """Return where each id first stands among others, -1 for those that do not."""
        are_objects = "object" in (self.kind, others.kind)
        if self.kind != others.kind and not are_objects:
            return np.full(len(self), -1, np.int64)
        if self.kind in TIMES and not are_objects:
            unit = np.promote_types(self.values.dtype, others.values.dtype)
            mine, theirs = (
                Ids("number", in_unit(ids.values, unit, "ids").view(np.int64))
                for ids in (self, others)
            )
            return mine.places_among(theirs)
        if self.kind == "number" and not are_objects:
            found = _places_in_range(self.values, others.values)
            if found is not None:
                return found
        if not are_objects:
            with suppress(ImportError):
                return _index_in(self.values, others.values)
        position = {one: i for i, one in reversed(list(enumerate(others.tolist())))}
        return np.fromiter((position.get(one, -1) for one in self.tolist()), np.int64, len(self))


def _index_in(values: Any, others: Any) -> Positions:
    from pyarrow import compute

    if not len(values):
        return np.empty(0, np.int64)
    mine, theirs = (_in_arrow(ids) if type(ids) is np.ndarray else ids for ids in (values, others))
    found = compute.index_in(mine, value_set=theirs)
    places = np.frombuffer(found.buffers()[1], np.int32, len(found)).astype(np.int64)
    if found.null_count:
        places[to_numpy(found.is_null().cast("uint8")).view(np.bool_)] = -1
    return places


def _in_arrow(numbers: AnyArray) -> Any:
    """Return numbers as an array of pyarrow, whose own conversion would import pandas."""
    import pyarrow

    return pyarrow.Array.from_buffers(
        pyarrow.int64(), len(numbers), [None, pyarrow.py_buffer(np.ascontiguousarray(numbers))]
    )


def _places_in_range(numbers: AnyArray, others: AnyArray) -> Positions | None:
    """Return the places of numbers among others close together, None if these are far apart."""
    if not len(others):
        return np.full(len(numbers), -1, np.int64)
    lowest, highest = int(others.min()), int(others.max())
    if highest - lowest > WIDEST_RANGE * len(others) + 64:
        return None
    # The last place is for all numbers beyond the range; those below it are far above it as
    # unsigned numbers.
    places = np.full(highest - lowest + 2, -1, np.int64)
    low = np.uint64(lowest % (1 << 64))
    slots = np.minimum(others.view(np.uint64) - low, np.uint64(len(places) - 1))
    places[slots[::-1]] = np.arange(len(others))[::-1]
    places[-1] = -1
    slots = np.minimum(numbers.view(np.uint64) - low, np.uint64(len(places) - 1))
    found: Positions = places.take(slots.view(np.int64), mode="clip")
    return found


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
    if kind == "U" and isinstance(ids, (list, tuple)):
        # NumPy turns a list of strings and numbers into strings.
        return _of_objects(list(ids), name)
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


def _of_strings(ids: list[str]) -> Ids:
    # Half a surrogate pair has no encoding.
    with suppress(ImportError, UnicodeEncodeError):
        import pyarrow

        encoded = [one.encode() for one in ids]
        ends = np.zeros(len(ids) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, len(ids)), out=ends[1:])
        # As in `_in_arrow`.
        buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(encoded))]
        array = pyarrow.Array.from_buffers(pyarrow.large_string(), len(ids), buffers)
        return Ids("string", array)
    return _as_objects(ids)


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
