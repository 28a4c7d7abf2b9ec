"""Validate tables and weight matrices from users, and convert them to whole numbers."""

from __future__ import annotations

import warnings
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import LARGEST_EXACT, AnyArray
from fastkappa.exceptions import LabelOrderWarning, users_stacklevel

# The names that other packages use for the totals of rows and columns.
MARGINS = ("all", "sum", "total")
# With fewer items than this, the last row and column can equal the sums of the others by chance.
# Even with 40 items, this happened in 1 of 400,000 simulated tables.
FEWEST_IN_CORNER = 10
# With fewer rows than this, the last column can equal the sum of the others by chance.
FEWEST_ROWS = 5
# The largest accepted difference between 1 and a sum of rounded proportions.
ROUNDING = 1e-9
FOR_RATINGS = (
    "If you have two columns of ratings, confusion_counts(y1, y2).table makes their table,"
    " and agreement(y1, y2) computes all statistics."
)


def as_numbers(values: Any, name: str) -> AnyArray:
    """Convert an array-like to an array of numbers, or raise an error that names the argument.

    Large Python integers are kept in an object array. Long doubles are converted to float64, or to
    infinity if they are too large.
    """
    if not isinstance(values, np.ndarray):
        _check_frame(values, name)
    elif isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} must not have masked entries.")
    try:
        numbers = np.asarray(values)
    except ValueError as error:
        # ``values`` can be a ConfusionCounts, which is a tuple of a table and other counts.
        if hasattr(values, "table"):
            given = type(values).__name__
            raise ValueError(
                f"{name} must be a table, got {given}: pass its .table attribute."
            ) from error
        raise ValueError(
            f"{name} must have rows of equal length, got {short_repr(values)}."
        ) from error
    integers = (int, np.integer)
    if numbers.dtype == object and all(isinstance(number, integers) for number in numbers.flat):
        return numbers.astype(object)
    if numbers.dtype.kind not in "iufb":
        raise ValueError(f"{name} must contain numbers, got {_first_not_a_number(numbers)}.")
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            return numbers.astype(np.float64)
    return numbers


def as_tables(table: ArrayLike, name: str = "table", remedy: str = FOR_RATINGS) -> AnyArray:
    """Return a table or a stack of tables as an array, or raise if it is invalid.

    ``remedy`` is appended to the error, to help users who passed columns of ratings instead.
    """
    try:
        tables = as_numbers(table, name)
    except ValueError as error:
        if _is_column(table):
            raise ValueError(f"{error} {remedy}") from error
        raise
    if tables.ndim < 2 or tables.shape[-1] != tables.shape[-2] or tables.shape[-1] == 0:
        if tables.ndim == 2 and abs(tables.shape[0] - tables.shape[1]) == 1 < min(tables.shape):
            remedy = "If a row or a column contains totals, remove it."
        raise ValueError(f"{name} must have the shape (..., l, l), got {tables.shape}. {remedy}")
    if tables.dtype.kind == "f" and not np.isfinite(tables).all():
        raise ValueError(f"{name} must be finite, got NaN or infinity.")
    if tables.dtype.kind in "ifO" and tables.size and tables.min() < 0:
        raise ValueError(f"{name} must not have negative entries, got {tables.min()}.")
    return tables


def warn_of_sums(tables: AnyArray, name: str = "table") -> None:
    """Warn if a table seems to include totals, or to contain row or column proportions.

    For a stack, only the first table is checked.
    """
    n_labels = tables.shape[-1]
    # A table that needs Python integers is not checked, because it cannot contain counts of items,
    # which fit in int64.
    if n_labels < 2 or not tables.size or tables.dtype == object:
        return
    table = tables if tables.ndim == 2 else tables.reshape(-1, n_labels, n_labels)[0]
    # A single row nearly always rules out totals. Checking only this row first keeps short calls
    # fast.
    for place, which, inner in ((-1, "last", "[:-1, :-1]"), (0, "first", "[1:, 1:]")):
        row = table[place].tolist()
        if abs(2 * row[place] - sum(row)) <= ROUNDING * row[place] and _has_margins(table, place):
            _warn(
                f"the {which} row and column of {name} equal the sums of the others, but were"
                f" counted as a label. If they are totals, pass table{inner}."
            )
    if table.dtype.kind != "f":
        return
    for axis, part, some in ((1, "row", table[0]), (0, "column", table[:, 0])):
        if _is_whole(sum(some.tolist())) and _are_proportions(table, axis):
            _warn(
                f"each {part} of {name} sums to {some.sum():g}, so the table seems to be normalized"
                f" by {part}. Kappa needs counts of items: pass the table before normalization."
            )


def _has_margins(table: AnyArray, place: int) -> bool:
    """Return whether the row and column at ``place`` are the totals of the others."""
    table = np.roll(table, -1 - place, axis=(0, 1)).astype(np.float64)
    inner, n_items = table[:-1, :-1], table.item(-1)
    if n_items < FEWEST_IN_CORNER and abs(n_items - 1) > ROUNDING:
        return False
    if min(np.count_nonzero(inner.any(axis=axis)) for axis in (0, 1)) < 2:
        return False
    return _are_sums(table[:-1]) and _are_sums(table[:, :-1].T)


def _are_sums(table: AnyArray) -> bool:
    """Return whether the last column is the sum of the others."""
    return np.allclose(table[:, -1], table[:, :-1].sum(axis=1), rtol=ROUNDING, atol=0)


def _are_proportions(table: AnyArray, axis: int | None = None) -> bool:
    """Return whether a table contains fractions that sum to 1 or 100, overall or along an axis."""
    if table.dtype.kind != "f" or (table == np.rint(table)).all():
        return False
    return all(map(_is_whole, np.ravel(table.sum(axis=axis)).tolist()))


def _is_whole(total: float) -> bool:
    """Return whether a total is 1 or 100, the sum of all proportions or percentages."""
    return abs(total - 1) <= ROUNDING or abs(total / 100 - 1) <= ROUNDING


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=users_stacklevel())


def as_table(table: ArrayLike, name: str = "table") -> AnyArray:
    """Return a single table as an array, or raise if it is invalid."""
    checked = as_tables(table, name)
    if checked.ndim != 2:
        raise ValueError(f"{name} must have the shape (l, l), got {checked.shape}.")
    return checked


def as_counts(table: ArrayLike) -> AnyArray:
    """Return a single table as whole counts, or raise if it is empty or otherwise invalid."""
    counts = as_table(table)
    refuse_fractions(counts, "table")
    if counts.dtype.kind == "f":
        # Larger floats are not converted, because they might not fit in int64.
        counts = counts.astype(np.int64) if counts.max(initial=0) < LARGEST_EXACT else counts
    else:
        counts = whole_numbers(counts)
    if counts.dtype.kind == "i" and counts.sum(dtype=np.float64) >= 1 << 62:
        # A sum in int64 can overflow, but a sum of Python integers cannot.
        counts = counts.astype(object)
    if not counts.any():
        raise ValueError("table must not be empty: all its counts are 0.")
    return counts


def counts_given(table: ArrayLike) -> AnyArray:
    """Return the result of `as_counts`, and warn if the table seems to include totals."""
    counts = as_counts(table)
    warn_of_sums(counts)
    return counts


def refuse_fractions(tables: AnyArray, name: str) -> None:
    """Raise if a validated table contains fractions, because standard errors need whole counts."""
    if tables.dtype.kind == "f" and not (tables == np.rint(tables)).all():
        remedy = (
            "For sums of weights, use kappa_from_confusion, or leaderboard(..., sample_weight=) for"
            " a bootstrap interval."
        )
        if any(_are_proportions(tables, axis) for axis in (None, -1, -2)):
            remedy = "Proportions do not show the number of items: pass the counts."
        raise ValueError(
            f"{name} must contain whole counts, got {tables[tables != np.rint(tables)][0]}."
            f" Standard errors require the number of items. {remedy}"
        )


def whole_numbers(numbers: AnyArray) -> AnyArray:
    """Scale numbers by a common power of two, and return them as int64 or as Python integers."""
    if numbers.dtype.kind in "bi" or (numbers.dtype.kind == "u" and numbers.dtype.itemsize < 8):
        return numbers.astype(np.int64, copy=False)
    if numbers.dtype == object:
        return numbers
    if numbers.dtype.kind == "u":
        fits = numbers.max(initial=0) < np.uint64(1 << 62)
        return numbers.astype(np.int64 if fits else object)
    numbers = numbers.astype(np.float64)
    if (np.abs(numbers) < LARGEST_EXACT).all() and (numbers == np.rint(numbers)).all():
        return numbers.astype(np.int64)
    mantissa, exponent = np.frexp(numbers)
    digits = np.ldexp(mantissa, 53).astype(np.int64).astype(object)
    present = numbers != 0
    shift = np.where(present, exponent - exponent[present].min(), 0)
    scaled: AnyArray = digits * np.left_shift(np.ones(1, object), shift.astype(object))
    return scaled


def _check_frame(values: Any, name: str) -> None:
    """Raise if the rows and columns of a data frame, such as a crosstab, have different labels."""
    columns = getattr(values, "columns", None)
    if columns is None or not hasattr(values, "index"):
        return
    if list(values.index) == list(columns):
        _refuse_margins(values, name)
        return
    remedy = f"Reindex it, or pass {name}.to_numpy() if the labels have the same meaning."
    if len(columns) == 2 < len(values.index):
        remedy = FOR_RATINGS
    raise ValueError(
        f"{name} must have the same row and column labels, in the same order, got"
        f" {short_repr(list(values.index))} and {short_repr(list(columns))}. {remedy}"
    )


def _refuse_margins(frame: Any, name: str) -> None:
    """Raise if a crosstab has totals in its last row and column, named 'All' or similar."""
    last, table = str(list(frame.columns)[-1]), np.asarray(frame)
    if table.dtype.kind not in "iuf":
        return
    if holds_sums(last, table[:-1]) and holds_sums(last, table[:, :-1].T):
        raise ValueError(
            f"{name} must not have margins, but its row and column {last!r} are the sums of the"
            f" others: pass {name}.iloc[:-1, :-1]."
        )


def holds_sums(name: Any, table: AnyArray) -> bool:
    """Return whether the last column has a name for totals and is the sum of the others."""
    if str(name).lower() not in MARGINS or table.shape[1] < 3:
        return False
    return _are_sums(table)


def warn_of_names(table: Any, why: str | None) -> None:
    """Warn if ``why``, such as weights, depends on a label order that might be unintended.

    `pandas.crosstab` sorts strings, and pivot tables can have their columns in order of occurrence.
    Counts and results have sorted labels unless another order was given or declared.
    """
    is_frame = hasattr(table, "columns")
    given = table.columns if is_frame else getattr(table, "labels", ())
    names = [] if why is None or getattr(given, "ordered", False) else [*given]
    try:
        values = [float(name) for name in names]
        is_doubtful = values not in (sorted(values), sorted(values, reverse=True))
    except (TypeError, ValueError):
        are_strings = any(isinstance(name, str) for name in names)
        is_doubtful = are_strings and names == sorted(names, key=str)
    if len(names) > 2 and is_doubtful:
        source, remedy = "labels of the table", "Count the ratings with labels="
        if is_frame:
            source, remedy = "columns", "Reindex the table"
        warnings.warn(
            f"{why} depends on the order of the labels, which was taken from the {source}:"
            f" {short_repr(np.asarray(given).tolist())}. {remedy} in the intended order, or pass"
            f" {'it as an array' if is_frame else 'its .table attribute'} if this is the intended"
            " order.",
            LabelOrderWarning,
            stacklevel=users_stacklevel(),
        )


def _is_column(values: Any) -> bool:
    """Return whether an invalid table is one-dimensional, like a column of ratings."""
    if isinstance(values, (list, tuple)):
        return len(values) > 0 and (isinstance(values[0], str) or not hasattr(values[0], "__len__"))
    return len(getattr(values, "shape", ())) == 1


def _first_not_a_number(values: AnyArray) -> str:
    """Describe the first entry that is not a number, or the dtype if there is no such entry."""
    kinds = (int, float, np.integer, np.floating)
    others = [entry for entry in values.ravel().tolist() if not isinstance(entry, kinds)]
    return short_repr(others[0]) if others else f"an array of dtype {values.dtype}"


def judge_sums_of_counts(counts: AnyArray, row: Any, column: Any) -> None:
    """Raise if counts include totals named "All" or similar, and warn about unnamed totals.

    ``row`` and ``column`` are the names of the last row and column, as in `pandas.crosstab`.
    """
    for what, name, table in (("column", column, counts), ("row", row, counts.T)):
        if holds_sums(name, table):
            raise ValueError(
                f"counts must not include totals, but the {what} {name!r} contains the sums of the"
                f" other {what}s: remove it."
            )
    sums = counts[:, -1]
    if counts.shape[1] > 2 and len(counts) >= FEWEST_ROWS and sums.max() > 1 and _are_sums(counts):
        _warn(
            "the last column of counts is the sum of the other columns, but was counted as"
            " a label. If it is a total, remove it."
        )
