"""Assign numbers to the items and raters of ratings in long form, and store their names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, offsets_from
from fastkappa.exceptions import changed_meanwhile
from fastkappa.multirater.items.rater_columns import CHUNK
from fastkappa.ratings.column import Column, read_column
from fastkappa.ratings.doubtful_labels import warn_of_lookalikes
from fastkappa.ratings.interop import codes_of_foreign, dictionary_of_pyarrow
from fastkappa.ratings.label_order import sorted_names

# Whole numbers are looked up in a table if their range is at most this many times the length of the
# column.
LOOKUP_PER_ROW = 4


class Identified(NamedTuple):
    """The items or raters of all rows: their numbers, and a function that returns their names.

    ``distinct`` returns all names in the order of their numbers. It is a function so that the
    names, which can be a million strings, are created only if needed.
    """

    numbers: NDArray[np.int32]
    n_distinct: int
    distinct: Callable[[], AnyArray]
    name_of: Callable[[int], Any]

    def shown(self, number: int) -> str:
        """Return the name of an item or rater for use in messages."""
        return repr(self.name_of(int(np.argmax(self.numbers == number))))

    def names(self) -> tuple[str, ...]:
        """Return all names, in the order of their numbers."""
        rows = np.zeros(self.n_distinct, np.intp)
        rows[self.numbers] = np.arange(len(self.numbers))
        return tuple(str(self.name_of(row)) for row in rows.tolist())


def identify(given: Any, name: str) -> Identified:
    """Assign numbers to the distinct entries of a column of items or raters. Raters are sorted."""
    # The items of a pyarrow column are numbered without creating a Python string for each name.
    in_arrow = None
    if name == "item" and type(given).__module__.startswith("pyarrow"):
        in_arrow = dictionary_of_pyarrow(given, name)
    if in_arrow is not None:
        codes, dictionary, _ = in_arrow
        if len(dictionary.unique()) == len(dictionary):
            numbers, used = numbers_of(codes)
            return Identified(
                numbers,
                len(used),
                partial(_strings_of, dictionary, used),
                lambda row: dictionary[int(codes[row])].as_py(),
            )
    coded = codes_of_foreign(given, name)
    if coded is not None:
        return _identify_codes(*coded, name)
    column = read_column(given, name)
    if column.obstacle is not None:
        got = "numbers with fractions" if column.obstacle == "continuous" else short_repr(given)
        raise ValueError(f"{name} must be whole numbers, strings or dates, got {got}.")
    if column.categories is not None:
        return _identify_codes(column.values, column.categories, column.declared is not None, name)
    values, dtype = column.values, column.label_dtype
    kind = {"b": bool, "f": int}.get(dtype.kind)

    def name_of(row: int) -> Any:
        if dtype.kind in "mM":
            return str(values[row : row + 1].view(dtype)[0])
        return values[row].item() if kind is None else kind(values[row])

    numbers, distinct = numbers_of(values.astype(np.int64) if dtype.kind == "f" else values)
    if dtype.kind in "mM":
        return Identified(numbers, len(distinct), partial(_dates_of, distinct, dtype), name_of)
    return Identified(numbers, len(distinct), partial(np.asarray, distinct), name_of)


def _identify_codes(codes: AnyArray, categories: Any, is_ordered: bool, name: str) -> Identified:
    """Assign numbers to the entries of a categorical column, keeping any declared order."""
    used = np.zeros(len(categories), bool)
    # NumPy checks an index array of type intp and then reads it again. The user's array could
    # change in between, so it is copied.
    used[codes.copy() if codes.dtype == np.intp else codes] = True
    found = [categories[code] for code in np.flatnonzero(used).tolist()]
    # An Arrow dictionary can contain the same name twice.
    position = dict.fromkeys(found)
    if name == "rater":
        are_strings = all(isinstance(entry, str) for entry in position)
        if not is_ordered:
            position = dict.fromkeys(sorted_names(position) if are_strings else sorted(position))
        if are_strings:
            warn_of_lookalikes({name: Column(codes, np.dtype(object), list(categories))}, "name")
    lookup = np.zeros(len(categories), np.int32)
    if len(position) == len(found) and name != "rater":
        lookup[used] = np.arange(len(found))
    else:
        place = {entry: i for i, entry in enumerate(position)}
        lookup[used] = [place[entry] for entry in found]
    distinct = np.empty(len(position), object)
    distinct[:] = list(position)
    names = partial(np.asarray, distinct)
    return Identified(lookup.take(codes), len(distinct), names, lambda row: categories[codes[row]])


def _strings_of(dictionary: Any, used: AnyArray) -> AnyArray:
    """Return the strings of a pyarrow dictionary at the given codes."""
    strings: AnyArray = dictionary.take(used).to_numpy(zero_copy_only=False)
    return strings


def _dates_of(distinct: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    return distinct.view(dtype).astype(str)


def numbers_of(values: AnyArray) -> tuple[NDArray[np.int32], AnyArray]:
    """Return the index of each value among the sorted distinct values, and the distinct values."""
    lowest = int(values.min())
    span = int(values.max()) - lowest + 1
    if span <= LOOKUP_PER_ROW * len(values):
        present = np.zeros(span, bool)
        for start in range(0, len(values), CHUNK):
            present[_offsets(values[start : start + CHUNK], lowest, span)] = True
        numbers = np.empty(len(values), np.int32)
        lookup = np.cumsum(present, dtype=np.int32) - np.int32(1)
        for start in range(0, len(values), CHUNK):
            offsets = _offsets(values[start : start + CHUNK], lowest, span)
            numbers[start : start + CHUNK] = lookup[offsets]
        occurring = np.flatnonzero(present).astype(np.uint64) + np.uint64(lowest % (1 << 64))
        return numbers, occurring.astype(values.dtype)
    distinct, places = np.unique(values, return_inverse=True)
    return places.astype(np.int32), distinct


def _offsets(values: AnyArray, lowest: int, span: int) -> NDArray[np.int64]:
    """Return each value minus the lowest value, or raise if a difference is not below ``span``."""
    offsets = offsets_from(values, lowest)
    if int(offsets.max()) >= span:
        raise changed_meanwhile("items or raters")
    return offsets.view(np.int64)
