"""Read a subjects × raters array, list or frame as one column of ratings per rater."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import CHUNK, AnyArray
from fastkappa.ratings.column import Column, by_value
from fastkappa.ratings.interop import checked, to_numpy, warn_of_row_order
from fastkappa.ratings.label_order import LabelOrder
from fastkappa.ratings.labels import distinct
from fastkappa.ratings.lengths import n_samples, not_labels
from fastkappa.ratings.missing import (
    check_missing,
    find_missing,
    given_labels,
    without,
)
from fastkappa.ratings.read import judge_labels, read_rated
from fastkappa.ratings.real_numbers import read_numbers, refuse_rounded, warn_of_codes

# Long data has at least three columns: item, rater and rating.
FEWEST_OF_LONG = 3


class Rater(NamedTuple):
    """The ratings that a rater gave, and a mask of missing ratings if there are any."""

    name: str
    column: Column
    missing: NDArray[np.bool_] | None
    n_subjects: int


def columns_of(ratings: Any) -> tuple[list[Any], list[str] | None]:
    """Return the columns of a subjects × raters array or frame, and their names, if any."""
    library = type(ratings).__module__.partition(".")[0]
    if library in ("pandas", "polars", "pyarrow") and len(getattr(ratings, "shape", ())) == 2:
        if library == "pandas":
            names = [str(name) for name in ratings.columns]
            return [ratings.iloc[:, i] for i in range(len(names))], names
        if library == "polars":
            return ratings.get_columns(), list(ratings.columns)
        return list(ratings.columns), list(ratings.column_names)
    if isinstance(ratings, (list, tuple)):
        # Rows stay lists, because NumPy would convert NaN in a list of strings to a string.
        rows = [checked(row).tolist() if hasattr(row, "tolist") else row for row in ratings]
        if not all(isinstance(row, (list, tuple)) for row in rows):
            raise ValueError(
                "ratings must have one row per subject and one column per rater, got a list that"
                " contains no lists. Pass one list of ratings per subject."
            )
        if len({len(row) for row in rows}) > 1:
            raise ValueError(
                "ratings must have one rating per rater in every row, got rows with"
                f" {min(map(len, rows))} to {max(map(len, rows))} ratings. Write None for each"
                " missing rating."
            )
        return [list(column) for column in zip(*rows, strict=True)], None
    array = ratings if isinstance(ratings, np.ma.MaskedArray) else to_numpy(ratings)
    if array.ndim != 2:
        got = f"an array of shape {array.shape}" if array.ndim else short_repr(ratings)
        raise ValueError(
            "ratings must have one row per subject and one column per rater, got"
            f" {got}.{_remedy(ratings)}"
        )
    return [array[:, i] for i in range(array.shape[1])], None


def read_raters(
    columns: Sequence[Any],
    names: Sequence[str],
    labels: Any,
    missing_codes: Sequence[Any],
    argument: str,
) -> tuple[list[Rater], LabelOrder | None]:
    """Return each rater's ratings, and the given or declared labels, if any.

    A rater does not need to rate every subject. Ratings in ``missing_codes`` are removed only from
    lists and object arrays, and remain in other columns. ``argument`` is the name of the ratings in
    errors.

    Raises
    ------
    ValueError
        If the columns differ in length or are empty, if a rating cannot be a label, if columns
        declare different orders, if some raters use strings and others use numbers, or if a column
        mixes strings and numbers and no labels are given.
    """
    check_missing("drop", missing_codes, labels)
    n_subjects = _common_length(columns)
    if n_subjects == 0:
        raise ValueError(f"{argument} must not be empty, got no subjects.")
    names = _told_apart(names)
    warn_of_row_order(dict(zip(names, columns)))
    raters = [_read_rater(column, name, missing_codes) for column, name in zip(columns, names)]
    rated = {rater.name: rater.column for rater in raters if len(rater.column.values)}
    if labels is not None and to_numpy(labels).dtype.kind in "UT":
        rated = _written_alike(rated)
    meant, are_declared = judge_labels(rated, labels, missing_codes=missing_codes)
    _refuse_kinds(rated, len(columns))
    if any(column.obstacle for column in rated.values()):
        rated = {name: by_value(column) for name, column in rated.items()}
    raters = [rater._replace(column=rated.get(rater.name, rater.column)) for rater in raters]
    if meant is None:
        return raters, None
    order = meant if isinstance(meant, LabelOrder) else LabelOrder(*[given_labels(meant)] * 2)
    if not are_declared:
        distinct(order.labels.tolist())
    return raters, order


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return the column names, with the column's position appended to each repeated name."""
    times = Counter(names)
    return [
        name if times[name] == 1 else f"{name} (column {place})"
        for place, name in enumerate(names, 1)
    ]


def _common_length(columns: Sequence[Any]) -> int:
    lengths = [n_samples(column) for column in columns]
    if len(set(lengths)) > 1:
        raise ValueError(f"raters must rate the same subjects, got columns of lengths {lengths}.")
    return lengths[0]


def _read_rater(ratings: Any, name: str, missing_codes: Sequence[Any]) -> Rater:
    n_subjects = n_samples(ratings)
    are_objects = getattr(ratings, "dtype", None) == np.dtype(object)
    # Only lists and arrays of objects are searched for missing codes here, because a code such as
    # "." would turn their numbers into strings. In other columns, the code is first read as a
    # label.
    may_be_mixed = are_objects or isinstance(ratings, (list, tuple))
    missing = find_missing(ratings, missing_codes if may_be_mixed else ())
    if missing is None and are_objects:
        # The dtype can be object because another column contains None, even if this column has only
        # numbers.
        ratings = ratings.tolist()
    if missing is not None and missing.all():
        return Rater(name, Column(np.empty(0, np.int64), np.dtype(np.int64)), missing, n_subjects)
    present = ratings if missing is None else without(ratings, missing)
    # The names of raters are compared with labels later, for all forms of ratings alike.
    column = read_rated(present, name, missing_codes)._replace(title=None)
    if column.obstacle not in (None, "continuous"):
        raise ValueError(not_labels(name, column.obstacle, present))
    return Rater(name, column, missing, n_subjects)


def _written_alike(columns: dict[str, Column]) -> dict[str, Column]:
    """Convert columns of whole numbers to strings if other columns contain strings.

    For example, if the labels are "1", "2" and "x", the ratings of a rater who never used "x" could
    have been read as numbers.
    """
    if not any(column.categories for column in columns.values()):
        return columns
    return {
        name: column
        if column.categories is not None or column.obstacle or column.label_dtype.kind not in "iuf"
        else _as_strings(column)
        for name, column in columns.items()
    }


def _as_strings(column: Column) -> Column:
    values, codes = np.unique(column.values, return_inverse=True)
    return Column(codes, np.dtype(object), [str(int(value)) for value in values])


def _refuse_kinds(columns: Mapping[str, Column], n_raters: int) -> None:
    """Raise if the columns have labels of different types."""
    kinds: dict[str, str] = {}
    for name, column in columns.items():
        is_date = column.label_dtype.kind in "mM"
        kind = "strings" if column.categories is not None else "dates" if is_date else "numbers"
        kinds.setdefault(kind, name)
    if len(kinds) > 1:
        found = " and ".join(f"{kind} from {name}" for kind, name in kinds.items())
        long = " Ratings.from_long reads one row per rating, with its item and its rater."
        raise ValueError(
            f"ratings must all be of the same type, got {found}."
            f"{long if n_raters >= FEWEST_OF_LONG else ''}"
        )


def _remedy(ratings: Any) -> str:
    """Return advice for a mapping of columns, or an empty string for any other object."""
    if not isinstance(ratings, Mapping):
        return ""
    return (
        " For a mapping with one column per rater, use Ratings.from_raters, or convert the mapping"
        " to a frame with pandas.DataFrame."
    )


def read_measurements(columns: Sequence[Any], names: Sequence[str]) -> list[AnyArray]:
    """Return columns of numbers as one-dimensional arrays, with NaN for missing numbers.

    None, NaN, NA, null and masked entries count as missing. A numeric array is not copied if all
    its missing numbers are NaN.

    Raises
    ------
    ValueError
        If the columns differ in length or are empty, if an entry is neither missing nor a finite
        real number, or if float64 would round an integer.
    """
    if not _common_length(columns):
        raise ValueError(f"{names[0]} must have at least one rating, got none.")
    warn_of_row_order(dict(zip(names, columns)))
    return [_measurements(column, name) for column, name in zip(columns, names)]


def _measurements(column: Any, name: str) -> AnyArray:
    if isinstance(column, np.ma.MaskedArray):
        missing = find_missing(column)
        numbers = read_numbers(column.data, name)
        if missing is not None:
            numbers = np.where(missing, np.nan, numbers)
    else:
        numbers = read_numbers(column, name)
    # Find the limits without a temporary array of the same length as the column.
    lowest, highest = 0.0, 0.0
    for start in range(0, len(numbers), CHUNK):
        with np.errstate(over="ignore", invalid="ignore"):
            chunk = numbers[start : start + CHUNK].astype(np.float64, copy=False)
        infinite = np.flatnonzero(np.isinf(chunk))
        if len(infinite):
            position = int(infinite[0])
            raise ValueError(
                f"{name} must be finite, got {float(chunk[position])} at position"
                f" {start + position}."
            )
        lowest = min(lowest, float(np.fmin.reduce(chunk)))
        highest = max(highest, float(np.fmax.reduce(chunk)))
    refuse_rounded(numbers, lowest, highest, name)
    warn_of_codes(numbers, lowest, highest, name)
    return numbers
