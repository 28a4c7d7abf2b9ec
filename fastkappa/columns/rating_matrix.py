"""Ratings of subjects × raters: an array, rows or a frame, as a column per rater."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import CHUNK, AnyArray
from fastkappa.columns.interop import checked, to_numpy, warn_of_row_order
from fastkappa.columns.lengths import n_samples
from fastkappa.columns.missing import find_missing
from fastkappa.columns.real_numbers import read_numbers, refuse_rounded


def columns_of(ratings: Any) -> tuple[list[Any], list[str] | None]:
    """Return the columns of a subjects × raters array or frame, and their names if any."""
    library = type(ratings).__module__.partition(".")[0]
    if library in ("pandas", "polars", "pyarrow") and len(getattr(ratings, "shape", ())) == 2:
        if library == "pandas":
            names = [str(name) for name in ratings.columns]
            return [ratings.iloc[:, i] for i in range(len(names))], names
        if library == "polars":
            return ratings.get_columns(), list(ratings.columns)
        return list(ratings.columns), list(ratings.column_names)
    if isinstance(ratings, (list, tuple)):
        # NumPy would turn a list of strings and NaN into strings.
        rows = [checked(row).tolist() if hasattr(row, "tolist") else row for row in ratings]
        if not all(isinstance(row, (list, tuple)) for row in rows):
            raise ValueError("ratings must be subjects × raters, got a list that holds no lists.")
        if len({len(row) for row in rows}) > 1:
            raise ValueError(
                "ratings must have one rating a rater in every row, None if it is missing, got"
                f" rows of {min(map(len, rows))} to {max(map(len, rows))}."
            )
        return [list(column) for column in zip(*rows, strict=True)], None
    array = ratings if isinstance(ratings, np.ma.MaskedArray) else to_numpy(ratings)
    if array.ndim != 2:
        got = f"an array of shape {array.shape}" if array.ndim else short_repr(ratings)
        raise ValueError(f"ratings must be subjects × raters, got {got}.")
    return [array[:, i] for i in range(array.shape[1])], None


def read_measurements(columns: Sequence[Any], names: Sequence[str]) -> list[AnyArray]:
    """Return columns of numbers as one-dimensional arrays, what is missing as NaN.

    Missing are None, NaN, NA, null and masked entries. Numbers stay as they lie in memory
    where none is missing but as NaN.

    Raises
    ------
    ValueError
        If the columns differ in length, are empty or hold what are no finite real numbers, or
        whole numbers that float64 would round.
    """
    lengths = [n_samples(column) for column in columns]
    if len(set(lengths)) > 1:
        raise ValueError(f"raters must rate the same subjects, got {lengths} ratings of them.")
    if not lengths[0]:
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
    # The limits without a copy as long as the column.
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
    return numbers
