"""How many ratings a column has, found without a look at any of them."""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, first_of
from fastkappa.ratings.interop import to_numpy

# Each has a length, and yet no order, or no ratings.
NO_COLUMNS = (str, bytes, dict, set, frozenset)


def n_samples(ratings: Any) -> int:
    """Return the number of ratings, or raise as scikit-learn does."""
    shape = getattr(ratings, "shape", None)
    if shape is not None:
        if len(shape) == 0:
            raise TypeError(
                "Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`,"
                f" got scalar `{ratings!r}` instead."
            )
        if isinstance(shape[0], int):
            return shape[0]
    if not hasattr(ratings, "__len__") and hasattr(ratings, "__array__"):
        return len(np.asarray(ratings))
    try:
        return len(ratings)
    except TypeError as error:
        raise TypeError(f"Expected sequence or array-like, got {type(ratings)}") from error


def check_read(array: AnyArray, given: Any, name: str) -> None:
    """Raise unless the array that was read has as many items as the given object says.

    Lengths are compared before anything is read, and an object can say any length.
    """
    if array is not given and len(array) != n_samples(given):
        raise ValueError(
            f"{name} gives {len(array)} items, but its length is {n_samples(given)}: its type"
            " contradicts itself. Give a list or an array of the items."
        )


def check_lengths(*columns: Any) -> int:
    """Return the common number of items; the last column may be None."""
    arrays = columns if columns[-1] is not None else columns[:-1]
    lengths = [n_samples(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    return lengths[0]


def check_columns(columns: Mapping[str, Any]) -> int:
    """Return how many items the columns have, or raise for the first that is no column.

    No rating is looked at, so that it costs nothing.
    """
    lengths = {name: length_of(name, column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        *others, last = lengths
        raise ValueError(
            f"{', '.join(others)} and {last} must have the same length, got {lengths}."
        )
    return lengths[next(iter(lengths))]


def length_of(name: str, column: Any) -> int:
    """Return how many entries a column has, or raise if it is none."""
    if type(column) is np.ndarray and column.ndim == 1:
        return len(column)
    try:
        if isinstance(column, NO_COLUMNS):
            raise TypeError(f"{type(column).__name__} is no array")
        length = n_samples(column)
    except TypeError as error:
        raise TypeError(
            f"{name} must be a list or an array, an entry for each item, got {short_repr(column)}."
        ) from error
    shape = getattr(column, "shape", None)
    if shape is None and isinstance(column, (list, tuple)):
        row = first_of(column)
        shape = (length, len(row)) if isinstance(row, (list, tuple)) else (length,)
    if shape is not None and len(shape) > 1 and shape[1] != 1:
        got, remedy = _matrix_and_remedy(name, column)
        raise ValueError(
            f"{name} must be one-dimensional, an entry for each item, got {got}. {remedy}"
        )
    return length


def _matrix_and_remedy(name: str, matrix: Any) -> tuple[str, str]:
    """Return a matrix as an error shows it, and what to do if it was given as a column."""
    names = getattr(matrix, "column_names", getattr(matrix, "columns", None))
    if names is not None:
        names = list(names)
        got = f"a data frame of the columns {short_repr(names)}"
        return got, f"Give one of them, such as {name}=frame[{names[0]!r}]."
    got, array = short_repr(matrix), to_numpy(matrix)
    are_numbers = array.dtype.kind in "iuf"
    if are_numbers and ((array != np.rint(array)).any() or (array.sum(axis=1) == 1).all()):
        return got, (
            "Of probabilities give the likeliest labels: labels[probabilities.argmax(axis=1)],"
            " labels being an array; those of decode_probabilities have a higher kappa."
        )
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        return got, "agreement_from_confusion takes a table of counts."
    return got, "Give a column for each rater; Ratings takes more than two."
