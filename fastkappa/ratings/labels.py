"""The labels a user gave as ``labels=``, and labels that are dates: in one unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import CHUNK, LARGEST_EXACT, AnyArray
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.label_order import is_number

INT64_MAX = (1 << 63) - 1
LARGEST_SQUARE = float(LARGEST_EXACT) ** 2


def read_labels(labels: Any) -> AnyArray:
    """Return the labels as a one-dimensional array that is not empty."""
    whole = isinstance(labels, (list, tuple)) and all(isinstance(label, int) for label in labels)
    # NumPy makes floats of whole numbers on both sides of int64 and uint64.
    array = to_numpy(labels) if whole else array_of(labels, "labels")
    if whole and array.dtype.kind == "f":
        array = np.array(labels, dtype=object)
    if array.ndim != 1:
        got = f"shape {array.shape}" if array.ndim else short_repr(labels)
        raise ValueError(f"labels must be one-dimensional, got {got}.")
    if array.size == 0:
        raise ValueError("'labels' should contain at least one label.")
    return array


def have_fractions(labels: Any) -> bool:
    """Return whether labels that a user gave are numbers, some of them not whole."""
    array = to_numpy(labels)
    return array.dtype.kind == "f" and bool((array != np.rint(array)).any())


def array_of(values: Any, name: str) -> AnyArray:
    """Return labels as an array, or raise for an integer beside floats that float64 rounds."""
    array = to_numpy(values)
    if array.dtype.kind == "f":
        refuse_rounded_list(values, array, name)
    elif array.dtype.kind == "O" and any(isinstance(label, float) for label in array.flat):
        for label in array.flat:
            if isinstance(label, (int, np.integer)) and not _is_float64(int(label)):
                raise rounded_label(int(label), name)
    return array


def _is_float64(number: int) -> bool:
    try:
        return int(float(number)) == number
    except OverflowError:
        return False


def refuse_rounded_list(values: Any, floats: AnyArray, name: str) -> None:
    """Raise if values are a list, and an integer in it is none of the floats made of them."""
    # A sum of squares is one call, and takes a third of the time of a maximum.
    if isinstance(values, (list, tuple)) and not np.vdot(floats, floats) < LARGEST_SQUARE:
        for given, read in zip(np.array(values, object).flat, floats.flat):
            if isinstance(given, (int, np.integer)) and int(given) != float(read):
                raise rounded_label(int(given), name)


def rounded_label(number: int, name: str, where: str = "") -> ValueError:
    """Return the error for an integer beside floats, which stand ``where``, that rounds to one."""
    return ValueError(
        f"{name} must not hold {number} beside floats{where}: beyond 2**53 floats skip whole"
        " numbers, so that different labels would become equal. Give all labels as integers, or"
        " all as strings."
    )


def first_rounded(numbers: AnyArray) -> int | None:
    """Return the position of the first integer that float64 does not hold, None without one."""
    if numbers.dtype.kind not in "iu" or numbers.dtype.itemsize < 8:
        return None
    for start in range(0, len(numbers), CHUNK):
        part = numbers[start : start + CHUNK]
        part = part.astype(np.int64 if part.dtype.kind == "i" else np.uint64)
        # The absolute value of the least int64 wraps, and is right as uint64.
        size = np.abs(part).view(np.uint64)
        if size.max() < LARGEST_EXACT:
            continue
        lowest_bit = size & (~size + np.uint64(1))
        digits = size // np.maximum(lowest_bit, np.uint64(1))
        rounded = np.flatnonzero(digits >= np.uint64(LARGEST_EXACT))
        if len(rounded):
            return start + int(rounded[0])
    return None


def cast_dates(dates: AnyArray, unit: np.dtype[Any]) -> AnyArray:
    """Return dates or durations in another unit, NaT for those that it cannot hold."""
    if dates.dtype == unit:
        return dates
    try:
        is_finer = np.promote_types(dates.dtype, unit) == unit.newbyteorder("=")
    except TypeError:  # a month has no number of days
        return np.full(len(dates), "NaT", unit)
    is_held = _fit(dates, unit) if is_finer else _fit(dates.astype(unit), dates.dtype)
    found = np.full(len(dates), "NaT", unit)
    found[is_held] = dates[is_held].astype(unit)
    found[found.astype(dates.dtype) != dates] = "NaT"
    return found


def _fit(dates: AnyArray, finer: np.dtype[Any]) -> NDArray[np.bool_]:
    """Return which dates a finer unit has numbers for; NumPy may wrap the others around."""
    numbers = dates.astype(np.int64)
    last = np.array([INT64_MAX]).view(finer.newbyteorder("=")).astype(dates.dtype)
    most = int(last.astype(np.int64)[0])
    # The way back from the least of all is more than NumPy can do.
    return (-most < numbers) & (numbers <= most)


def in_unit(dates: AnyArray, unit: np.dtype[Any], name: str) -> AnyArray:
    """Return dates or durations in another unit, or raise for one that it cannot hold.

    ``name`` is what the error calls them.
    """
    found = cast_dates(dates, unit)
    lost = np.isnat(found)
    if lost.any():
        raise ValueError(
            f"{name}: {dates[lost.argmax()]} cannot be compared with what is of type {unit}, which"
            " does not hold it. Give all in one unit."
        )
    return found


def common_unit(dates: Sequence[AnyArray]) -> np.dtype[Any]:
    """Return the finest unit of dates, unless another one alone can hold all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.ratings.labels import common_unit
    >>> day, far = np.array(["2001-01-01"], "M8[ns]"), np.array(["9999-12-31"], "M8[D]")
    >>> common_unit([day, day.astype("M8[s]")]), common_unit([day, far])
    (dtype('<M8[ns]'), dtype('<M8[D]'))
    """
    own = [array.dtype.newbyteorder("=") for array in dates]
    finest = np.result_type(*own)
    # Microseconds hold all times that Python has.
    for unit in dict.fromkeys([finest, *own, np.dtype(f"{finest.kind}8[us]")]):
        if not any(np.isnat(cast_dates(array, unit)).any() for array in dates):
            return unit
    return finest


def keys_in_unit(dates: AnyArray, unit: np.dtype[Any]) -> list[int | str]:
    """Return dates as numbers in a unit, and as strings those that it cannot hold."""
    found = cast_dates(dates, unit)
    return [
        str(date) if is_lost else number
        for date, number, is_lost in zip(dates, found.astype(np.int64).tolist(), np.isnat(found))
    ]


def distinct(labels: Iterable[Any]) -> dict[Any, int]:
    """Return the position of each label, and refuse a label given twice."""
    position: dict[Any, int] = {}
    for label in labels:
        try:
            known = label in position
        except TypeError as error:
            raise ValueError(f"labels must be one-dimensional, got {label!r} in it.") from error
        if known:
            raise ValueError(f"labels must be distinct, got {label!r} more than once.")
        position[label] = len(position)
    return position


def names_of_columns(frame: Any) -> list[Any] | None:
    """Return the names of a frame's columns, None for an array or positions as names."""
    columns = getattr(frame, "column_names", getattr(frame, "columns", None))
    if columns is None:
        return None
    names = list(columns)
    are_positions = names == list(range(len(names)))
    return None if are_positions and type(columns).__name__ == "RangeIndex" else names


def names_in_order(names: list[Any]) -> list[Any]:
    """Return the names of columns, by value if they are numbers that neither rise nor fall.

    A pivot has its columns in the order in which they occur.

    Examples
    --------
    >>> from fastkappa.ratings.labels import names_in_order
    >>> names_in_order(["2", "10", "1"]), names_in_order([3, 2, 1]), names_in_order(["b", "a", "c"])
    (['1', '2', '10'], [3, 2, 1], ['b', 'a', 'c'])
    """
    if not all(is_number(str(name)) for name in names):
        return names
    by_value = sorted(names, key=float)
    return names if names in (by_value, by_value[::-1]) else by_value


def order_of_columns(columns: list[Any], names: list[Any], argument: str) -> AnyArray | None:
    """Return the column of each label, by name; None if that of each is in its place.

    Labels may also be other names for all columns. An error calls the frame ``argument``.
    """
    # Many a file and frame can have but strings for names.
    for called in (names, [str(name) for name in names]):
        if columns == called:
            return None
        if set(columns) == set(called):
            return np.array([columns.index(name) for name in called])
        for name, column in zip(called, columns):
            if name in columns and name != column:
                raise ValueError(
                    f"labels must name all columns of {argument} or none, got {names} for the"
                    f" columns {columns}: label {name!r} is not that of column {column!r}. Give"
                    " an array for columns in the order of the labels."
                )
    return None
