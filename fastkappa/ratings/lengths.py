"""Check the lengths of columns, compare ids, and explain why ratings cannot be read.

Lengths are determined without reading any ratings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, first_of
from fastkappa.ratings.interop import in_known_library, to_numpy
from fastkappa.ratings.labels import names_of_columns
from fastkappa.ratings.looks import alike_among
from fastkappa.ratings.missing import find_missing, missing_ratings

# types that have a length, but cannot be a column of ratings
NO_COLUMNS = (str, bytes, dict, set, frozenset)
NO_SETS = (
    "Each rating must be one label. For ratings that are sets of labels, use krippendorff_alpha"
    " with level='jaccard' or 'masi'."
)
BYTES = "got bytes: convert them to strings, as with rating.decode()."
CONTINUOUS = (
    " For fractional numbers, use fastkappa.measurements.continuous_kappa; for scores, use"
    " optimal_thresholds. If the numbers are labels of a scale, such as half points, name all of"
    " them in labels=. If they are codes in which 1.1 is not 1.10, read them as strings."
)

# In lists with fewer ids than this, it is too often a coincidence that only the first item is
# missing from one list, and only the last item from the other.
FEWEST_NUMBERED = 50
# A file extension that some tools add to ids.
EXTENSION = re.compile(r"\.[A-Za-z]\w{1,4}$")
CHECK_IDS = "Check that matching ids are written the same way, including leading zeros."


def n_samples(ratings: Any) -> int:
    """Return the number of ratings, or raise the same errors as scikit-learn."""
    shape = getattr(ratings, "shape", None)
    if shape is not None:
        if len(shape) == 0:
            raise TypeError(
                "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`,"
                f" got scalar `{ratings!r}` instead."
            )
        if isinstance(shape[0], int):
            return shape[0]
    if not hasattr(ratings, "__len__"):
        ratings = in_known_library(ratings)
        if hasattr(ratings, "__array__"):
            return len(np.asarray(ratings))
    try:
        return len(ratings)
    except TypeError as error:
        raise TypeError(f"Expected sequence or array-like, got {type(ratings)}") from error


def check_read(array: AnyArray, given: Any, name: str) -> None:
    """Raise if an array's length differs from the length that the original object reports.

    The check is needed because lengths are compared before anything is read, and an object can
    report the wrong length.
    """
    if array is not given and len(array) != n_samples(given):
        raise ValueError(
            f"{name} yields {len(array)} items, but reports a length of {n_samples(given)}. Pass a"
            " list or an array of the items."
        )


def check_lengths(*columns: Any) -> int:
    """Return the common length of the columns, or raise if their lengths differ.

    The last column is ignored if it is None.
    """
    arrays = columns if columns[-1] is not None else columns[:-1]
    lengths = [n_samples(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    return lengths[0]


def check_columns(columns: Mapping[str, Any]) -> int:
    """Return the common length of the columns, or raise if lengths differ or one is not a column.

    No ratings are read, so the check is cheap.
    """
    lengths = {name: length_of(name, column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        *others, last = lengths
        raise ValueError(
            f"{', '.join(others)} and {last} must have the same length, got {lengths}."
        )
    return lengths[next(iter(lengths))]


def length_of(name: str, column: Any) -> int:
    """Return the number of entries in a column, or raise if the object is not a column."""
    if type(column) is np.ndarray and column.ndim == 1:
        return len(column)
    try:
        if isinstance(column, NO_COLUMNS):
            raise TypeError(f"{type(column).__name__} is not an array")
        length = n_samples(column)
    except TypeError as error:
        got = short_repr(column)
        values = f" If it is the name of a column, pass the column's values, such as df[{got}]."
        raise TypeError(
            f"{name} must be a list or an array, with one entry per item, got {got}."
            f"{values if isinstance(column, str) else ''}"
        ) from error
    shape = getattr(column, "shape", None)
    if shape is None and isinstance(column, (list, tuple)):
        row = first_of(column)
        shape = (length, len(row)) if isinstance(row, (list, tuple)) else (length,)
    if shape is not None and len(shape) > 1 and shape[1] != 1:
        got, remedy = _matrix_and_remedy(column)
        raise ValueError(
            f"{name} must be one-dimensional, with one entry per item, got {got}. {remedy}"
        )
    return length


def _matrix_and_remedy(matrix: Any) -> tuple[str, str]:
    """Return a description of a matrix that was passed as a column, and advice for the error."""
    names = getattr(matrix, "column_names", getattr(matrix, "columns", None))
    if names is not None:
        names = list(names)
        got = f"a data frame with the columns {short_repr(names)}"
        return got, f"Pass one of them, such as {_taken(names, 0)}."
    got, array = short_repr(matrix), to_numpy(matrix)
    are_numbers = array.dtype.kind in "iuf"
    if are_numbers and ((array != np.rint(array)).any() or (array.sum(axis=1) == 1).all()):
        return got, (
            "If these are probabilities, pass the most likely labels:"
            " labels[probabilities.argmax(axis=1)], where labels is an array. For labels with a"
            " higher kappa, use decode_probabilities."
        )
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        return got, "For a table of counts, use agreement_from_confusion."
    remedy = "Pass one column per rater. For more than two raters, use Ratings."
    are_lists = isinstance(matrix, (list, tuple)) and not are_numbers
    return got, f"{remedy} {NO_SETS}" if are_lists else remedy


def refuse_frame_of_two(ratings: Any) -> None:
    """Raise if the ratings of both raters are in one frame or one dictionary."""
    is_dict = isinstance(ratings, Mapping)
    names = list(ratings) if is_dict else names_of_columns(ratings)
    if names is not None and len(names) > 1:
        kind = "dict" if is_dict else "frame"
        raise TypeError(
            f"y1 and y2 must be the ratings of two raters, got one {kind}: pass two of its columns,"
            f" such as {_taken(names, 0, kind)} and {_taken(names, 1, kind)}."
        )


def _taken(names: list[Any], place: int, kind: str = "frame") -> str:
    """Return code that selects a column, by name if the name is unique, otherwise by position."""
    name = names[place]
    return f"{kind}[{name!r}]" if names.count(name) == 1 else f"{kind}.iloc[:, {place}]"


def refusal(ratings: Any, name: str) -> Exception | None:
    """Return the error for ratings that could not be read, or None if the cause is unknown."""
    with suppress(Exception):
        missing = find_missing(ratings)
        if missing is not None:
            return ValueError(missing_ratings(name, missing, "leave out such items."))
        array = _column(to_numpy(ratings))
        if array.ndim > 2 or 0 in array.shape[1:]:
            got = f"an array of shape {array.shape}"
            return ValueError(
                f"{name} must be one-dimensional, with one entry per item, got {got}."
            )
        return _refusal_of_kind(array, name)
    return None


def _column(array: AnyArray) -> AnyArray:
    return array[:, 0] if array.shape[1:] == (1,) else array


def _refusal_of_kind(array: AnyArray, name: str) -> Exception | None:
    kind = array.dtype.kind
    first = array.flat[0] if array.size else None
    if kind == "c":
        return ValueError(f"{name} must be labels, got complex numbers: {short_repr(first)}.")
    if kind == "S" or isinstance(first, bytes):
        return TypeError(f"{name} must be labels, {BYTES}")
    if kind == "f" and np.isinf(array).any():
        place = int(np.isinf(array).argmax())
        return ValueError(f"{name} must be finite, got {array.flat[place]} at position {place}.")
    if kind == "O" and is_set(first):
        return ValueError(f"{name} must be labels, got {short_repr(first)}. {NO_SETS}")
    kinds = set(map(type, array.flat)) if kind == "O" else set()
    are_numbers = all(issubclass(kind, (int, float, np.number, np.bool_)) for kind in kinds)
    # Lists of mixed numbers, or lists with enum members, raise errors of their own when they are
    # read.
    if len(kinds) > 1 and not are_numbers and not any(issubclass(kind, Enum) for kind in kinds):
        found = " and ".join(sorted(kind.__name__ for kind in kinds))
        return ValueError(f"{name} must be labels of one kind, got {found}.")
    return None


def is_set(rating: Any) -> bool:
    """Return whether a rating is a set or a list of labels."""
    return isinstance(rating, (set, frozenset, Sequence, np.ndarray)) and not isinstance(
        rating, (str, bytes)
    )


def not_labels(name: str, obstacle: str, ratings: Any) -> str:
    """Return the error message for a column that does not contain labels."""
    if obstacle != "unknown" or getattr(ratings, "ndim", 1) != 1:
        listed = getattr(ratings, "to_pylist", getattr(ratings, "to_list", None))
        shown = short_repr(ratings if listed is None else listed())
        what = "numbers with fractions" if obstacle == "continuous" else "a matrix"
        return f"{name} must be labels, got {what}: {shown}."
    first: Any = next(iter(ratings), None)
    listed = getattr(first, "as_py", getattr(first, "to_list", None))
    first = first if listed is None else listed()
    if is_set(first):
        return f"{name} must be labels, got {short_repr(first)}. {NO_SETS}"
    dtype = str(getattr(ratings, "type", getattr(ratings, "dtype", "object")))
    if dtype == "object":
        dtype = type(first).__name__
    return (
        f"{name} must be labels (integers, strings or booleans), got the type {dtype}:"
        " convert the ratings to strings with str()."
    )


def share_few_ids(n_shared: int, n_first: int, n_second: int) -> bool:
    """Return whether fewer than half of the ids in the shorter list are also in the longer list.

    If so, the ids are probably formatted differently in the two lists, or the lists describe
    different items.
    """
    return 2 * n_shared < min(n_first, n_second)


def are_offset_ids(only_first: Sequence[Any], only_second: Sequence[Any], n_ids: int) -> bool:
    """Return whether ids seem to count from 0 in one list and from 1 in the other.

    ``only_first`` and ``only_second`` are the ids that only one of two lists of ``n_ids`` ids has.
    """
    if len(only_first) != 1 or len(only_second) != 1 or n_ids < FEWEST_NUMBERED:
        return False
    first, second = str(only_first[0]), str(only_second[0])
    return first.isdecimal() and second.isdecimal() and abs(int(first) - int(second)) == n_ids


def similar_ids(ids: Iterable[str]) -> list[list[str]]:
    """Return the groups of different ids that probably mean the same item.

    An id and the same id with folders or an extension mean one item. Ids with different folders do
    not, as in "patient 1/left" and "patient 2/left".

    Examples
    --------
    >>> from fastkappa.ratings.lengths import similar_ids
    >>> similar_ids(["doc a", "doc_a", "doc b", "c.txt", "c"])
    [['doc a', 'doc_a'], ['c.txt', 'c']]
    """
    ids = list(ids)
    files: dict[str, list[str]] = defaultdict(list)
    for name in ids:
        file = name.replace("\\", "/").rpartition("/")[2]
        for bare in {file, EXTENSION.sub("", file)}:
            files[bare].append(name)
    of_one_file = [names for bare, names in files.items() if len(names) > 1 and bare in names]
    return [*alike_among(ids), *of_one_file]


def repeated_names(names: Sequence[Any], n_rows: int, *, in_order: bool = True) -> str:
    """Return the error message about rows that repeat the names of their columns."""
    listed = ", ".join(map(repr, names))
    return (
        f"{n_rows} {'row contains' if n_rows == 1 else 'rows contain'} the names of the"
        f" columns ({listed}), "
        + (
            "as in concatenated files. Remove all such rows."
            if in_order
            else "but in another order. Concatenate only files whose columns are in the same order."
        )
    )
