"""Judges a user's tables and matrices of weights before anything is computed from them."""

from __future__ import annotations

from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray


def as_numbers(values: Any, name: str) -> AnyArray:
    """Return an array-like as an array of numbers, or say what is wrong with it, by its name.

    Python integers of any size are kept in an array of objects. Long doubles become float64,
    infinite if they are beyond it.
    """
    if not isinstance(values, np.ndarray):
        _check_frame(values, name)
    elif isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} must not have masked entries.")
    try:
        numbers = np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"{name} must have rows of one length, got {short_repr(values)}."
        ) from error
    integers = (int, np.integer)
    if numbers.dtype == object and all(isinstance(number, integers) for number in numbers.flat):
        return numbers.astype(object)
    if numbers.dtype.kind not in "iufb":
        raise ValueError(f"{name} must hold numbers, got {_first_of(numbers)}.")
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            return numbers.astype(np.float64)
    return numbers


def _check_frame(values: Any, name: str) -> None:
    """Raise if a data frame, a crosstab say, has other labels on its rows than on its columns."""
    columns = getattr(values, "columns", None)
    if columns is None or not hasattr(values, "index") or list(values.index) == list(columns):
        return
    raise ValueError(
        f"{name} must have the same labels on rows and columns, in the same order, got"
        f" {short_repr(list(values.index))} and {short_repr(list(columns))}. Reindex it, or"
        f" give {name}.to_numpy() if they stand for the same."
    )


def _first_of(numbers: AnyArray) -> str:
    """Return what is no number in an array of objects or of strings, in short."""
    kinds = (int, float, np.integer, np.floating)
    odd = [entry for entry in numbers.ravel().tolist() if not isinstance(entry, kinds)]
    return short_repr(odd[0]) if odd else f"an array of dtype {numbers.dtype}"
