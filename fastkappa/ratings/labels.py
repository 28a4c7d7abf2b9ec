"""Read ``labels=``, convert dates to a unit, and convert strings to codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import CHUNK, LARGEST_EXACT, AnyArray
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.label_order import is_number

INT64_MAX = (1 << 63) - 1
LARGEST_SQUARE = float(LARGEST_EXACT) ** 2
# The number of strings to process at a time, which keeps temporary arrays in the cache.
STRINGS = 1 << 14
SLOTS = 1 << 12


def read_labels(labels: Any) -> AnyArray:
    """Return the labels as a one-dimensional array, or raise if there are none."""
    whole = isinstance(labels, (list, tuple)) and all(isinstance(label, int) for label in labels)
    # If no integer type can represent all of the whole numbers, NumPy converts them to floats.
    array = to_numpy(labels) if whole else array_of(labels, "labels")
    array = as_decimals(array)
    if whole and array.dtype.kind == "f":
        array = np.array(labels, dtype=object)
    if array.ndim != 1:
        got = f"shape {array.shape}" if array.ndim else short_repr(labels)
        raise ValueError(f"labels must be one-dimensional, got {got}.")
    if array.size == 0:
        raise ValueError("'labels' should contain at least one label.")
    return array


def as_decimals(floats: AnyArray) -> AnyArray:
    """Convert floats to float64 via their shortest decimals, so that float32(0.1) becomes 0.1."""
    if floats.dtype.kind != "f" or floats.dtype.itemsize >= 8:
        return floats
    return np.array([float(str(number)) for number in floats.flat]).reshape(floats.shape)


def have_fractions(labels: Any) -> bool:
    """Return whether the given labels include fractional numbers."""
    array = to_numpy(labels)
    return array.dtype.kind == "f" and bool((array != np.rint(array)).any())


def array_of(values: Any, name: str) -> AnyArray:
    """Return labels as an array, or raise if float64 would round an integer among floats."""
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
    """Raise if an integer was rounded when a list was converted to an array of floats."""
    # The sum of squares is checked rather than the maximum, because the sum takes only a third as
    # long.
    if isinstance(values, (list, tuple)) and not np.vdot(floats, floats) < LARGEST_SQUARE:
        for given, read in zip(np.array(values, object).flat, floats.flat):
            if isinstance(given, (int, np.integer)) and int(given) != float(read):
                raise rounded_label(int(given), name)


def rounded_label(number: int, name: str, where: str = "") -> ValueError:
    """Return the error for an integer that float64 rounds. ``where`` says where the floats are."""
    return ValueError(
        f"{name} must not contain {number} together with floats{where}: floats cannot represent"
        " every whole number beyond 2**53, so different labels would become equal. Pass all labels"
        " as integers, or all as strings."
    )


def first_rounded(numbers: AnyArray) -> int | None:
    """Return the position of the first integer that float64 rounds, or None if there is none."""
    if numbers.dtype.kind not in "iu" or numbers.dtype.itemsize < 8:
        return None
    for start in range(0, len(numbers), CHUNK):
        part = numbers[start : start + CHUNK]
        part = part.astype(np.int64 if part.dtype.kind == "i" else np.uint64)
        # The absolute value of the smallest int64 wraps around, but is correct when read as uint64.
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
    """Convert dates or durations to another unit, with NaT for values that do not fit."""
    if dates.dtype == unit:
        return dates
    try:
        is_finer = np.promote_types(dates.dtype, unit) == unit.newbyteorder("=")
    # Months cannot be converted to days, because they differ in length.
    except TypeError:
        return np.full(len(dates), "NaT", unit)
    is_held = _fit(dates, unit) if is_finer else _fit(dates.astype(unit), dates.dtype)
    found = np.full(len(dates), "NaT", unit)
    found[is_held] = dates[is_held].astype(unit)
    found[found.astype(dates.dtype) != dates] = "NaT"
    return found


def _fit(dates: AnyArray, finer: np.dtype[Any]) -> NDArray[np.bool_]:
    """Return a mask of the dates that a finer unit can represent.

    For other dates, the conversion raises an error; before NumPy 2.5, their values wrapped around.
    """
    numbers = dates.astype(np.int64)
    last = np.array([INT64_MAX]).view(finer.newbyteorder("=")).astype(dates.dtype)
    most = int(last.astype(np.int64)[0])
    # The lowest value of the unit is excluded, because NumPy cannot convert it back.
    return (-most < numbers) & (numbers <= most)


def in_unit(dates: AnyArray, unit: np.dtype[Any], name: str) -> AnyArray:
    """Convert dates or durations to another unit, or raise if it cannot represent all of them.

    ``name`` is the word for the dates in the error.
    """
    found = cast_dates(dates, unit)
    lost = np.isnat(found)
    if lost.any():
        raise ValueError(
            f"{name} contains {dates[lost.argmax()]}, which cannot be represented as {unit}. Pass"
            " all dates in the same unit."
        )
    return found


def common_unit(dates: Sequence[AnyArray]) -> np.dtype[Any]:
    """Return the finest unit of the dates, unless another unit is needed to represent all dates.

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
    # Microseconds, which can represent every Python datetime, are tried last.
    for unit in dict.fromkeys([finest, *own, np.dtype(f"{finest.kind}8[us]")]):
        if not any(np.isnat(cast_dates(array, unit)).any() for array in dates):
            return unit
    return finest


def keys_in_unit(dates: AnyArray, unit: np.dtype[Any]) -> list[int | str]:
    """Return each date as a number in a unit, or as a string if the unit cannot represent it."""
    found = cast_dates(dates, unit)
    return [
        str(date) if is_lost else number
        for date, number, is_lost in zip(dates, found.astype(np.int64).tolist(), np.isnat(found))
    ]


def distinct(labels: Iterable[Any]) -> dict[Any, int]:
    """Return the position of each label, or raise if a label occurs twice."""
    position: dict[Any, int] = {}
    for label in labels:
        try:
            known = label in position
        except TypeError as error:
            raise ValueError(f"labels must be one-dimensional, got the entry {label!r}.") from error
        if known:
            raise ValueError(f"labels must be distinct, got {label!r} more than once.")
        position[label] = len(position)
    return position


def names_of_columns(frame: Any) -> list[Any] | None:
    """Return the names of a frame's columns, or None for an array or a default pandas index."""
    columns = getattr(frame, "column_names", getattr(frame, "columns", None))
    if columns is None:
        return None
    names = list(columns)
    are_positions = names == list(range(len(names)))
    return None if are_positions and type(columns).__name__ == "RangeIndex" else names


def refuse_booleans_among(kinds: Collection[str], labels: Iterable[Any], where: str) -> None:
    """Raise if one part of a column has booleans and another has numbers other than 0 and 1.

    ``kinds`` contains the NumPy dtype kinds of the parts, and ``labels`` the labels of all parts.
    """
    if "b" in kinds and not {*"iuf"}.isdisjoint(kinds):
        other = next((label for label in labels if label is not None and label not in (0, 1)), None)
        if other is not None:
            raise ValueError(
                f"{where} contains booleans in one part, and numbers such as {other} in another."
                " Booleans would count as 0 and 1: use the same labels in all parts."
            )


def names_in_order(names: list[Any]) -> list[Any]:
    """Return column names, sorted by value if they are numbers that neither ascend nor descend.

    The columns of a pivot table can be in the order in which their labels first occur.

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
    """Return the index of each label's column, found by name, or None if no reordering is needed.

    Labels can also be new names for all columns, which then keep their order. ``argument`` is the
    frame's name in errors.
    """
    # Files and some frames support only strings as column names.
    for called in (names, [str(name) for name in names]):
        if columns == called:
            return None
        if set(columns) == set(called):
            return np.array([columns.index(name) for name in called])
        for name, column in zip(called, columns):
            if name in columns and name != column:
                raise ValueError(
                    f"labels must either be the column names of {argument}, in any order, or"
                    f" include none of them, got {names} for the columns {columns}. Label {name!r}"
                    f" is at the position of column {column!r}. If the columns are in the order of"
                    " the labels, pass an array."
                )
    return None


def strings_array(strings: list[Any]) -> AnyArray:
    """Convert strings to an array, of dtype object if NumPy would strip a trailing NUL."""
    return np.array(strings, object if any(string[-1:] == "\0" for string in strings) else None)


class _Codes(dict[Any, int]):
    """A dictionary that assigns the next code to each new key."""

    def __missing__(self, key: Any) -> int:
        code = self[key] = len(self)
        return code

    def of(self, strings: Sequence[Any]) -> NDArray[np.int32]:
        return np.fromiter(map(self.__getitem__, strings), np.int32, len(strings))


def codes_of_objects(strings: AnyArray | Sequence[Any]) -> tuple[NDArray[np.int32], list[Any]]:
    """Return the codes of Python objects, and the object that belongs to each code.

    Raises
    ------
    TypeError
        If an object cannot be hashed.
    """
    known = _Codes()
    codes = np.empty(len(strings), np.int32)
    for start in range(0, len(strings), STRINGS):
        chunk = strings[start : start + STRINGS]
        codes[start : start + STRINGS] = known.of(
            chunk.tolist() if isinstance(chunk, np.ndarray) else chunk
        )
    return codes, list(known)


def codes_of_fixed_width(strings: AnyArray) -> tuple[NDArray[np.int32], list[str]]:
    """Return the codes of a NumPy array of strings, and the string that belongs to each code.

    Each string's hash, the sum of its characters multiplied by odd numbers, selects a slot. The
    slot contains the code of an earlier string. If the string differs from this earlier string, it
    is looked up in a Python dictionary.
    """
    width = strings.dtype.itemsize // 4
    native = strings.dtype.newbyteorder("=")
    multipliers = np.random.default_rng(0).integers(1, 1 << 63, width, dtype=np.uint64) | 1
    known = _Codes()
    slots = np.zeros(SLOTS, np.int32)
    seen = np.zeros(1, native)
    codes = np.empty(len(strings), np.int32)
    for start in range(0, len(strings), STRINGS):
        chunk = np.ascontiguousarray(strings[start : start + STRINGS], native)
        characters = chunk.view(np.uint32).reshape(len(chunk), width)
        # The upper bits of the sum select the slot, because only they depend on every character.
        slot = ((characters @ multipliers) >> np.uint64(64 - 12)).astype(np.intp)
        guess = slots[slot]
        other = np.flatnonzero(seen[guess] != chunk) if known else np.arange(len(chunk))
        if len(other):
            guess[other] = known.of(chunk[other].tolist())
            slots[slot[other]] = guess[other]
            seen = np.array(list(known), native)
        codes[start : start + STRINGS] = guess
    return codes, list(known)
