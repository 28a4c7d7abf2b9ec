"""Checks of columns as a user gives them: their lengths, their labels, what is missing."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from reprlib import repr as short_repr
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import is_masked_array
from fastkappa.columns.column import Column, read_column
from fastkappa.columns.interop import to_numpy
from fastkappa.columns.label_order import LabelOrder
from fastkappa.columns.lengths import n_samples
from fastkappa.columns.missing import find_missing, is_missing, without
from fastkappa.columns.odd_strings import are_odd

Missing = Literal["raise", "drop"]
CONTINUOUS = (
    " continuous_kappa takes numbers that are not whole, and optimal_thresholds makes labels"
    " of scores."
)
# Each has a length, and yet no order, or no ratings.
NO_COLUMNS = (str, bytes, dict, set, frozenset)


def check_columns(columns: dict[str, Any], missing: Missing) -> int:
    """Return how many items the columns have, or raise for the first that is no column.

    No rating is looked at, so that it costs nothing.
    """
    check_missing(missing)
    lengths = {name: _length(name, column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        *others, last = lengths
        raise ValueError(
            f"{', '.join(others)} and {last} must have the same length, got {lengths}."
        )
    return lengths[next(iter(lengths))]


def check_missing(missing: Missing) -> None:
    """Raise if ``missing`` is none of its values."""
    if not isinstance(missing, str) or missing not in ("raise", "drop"):
        raise ValueError(f"missing must be 'raise' or 'drop', got {missing!r}.")


def check_labels(labels: Any) -> None:
    """Raise if a label that was given is None, NaN or the like: no rating can be that."""
    if labels is None:
        return
    for label in to_numpy(labels).ravel().tolist():
        if is_missing(label):
            raise ValueError(f"labels must not be missing, got {label!r} among them.")


def _length(name: str, column: Any) -> int:
    try:
        if isinstance(column, NO_COLUMNS):
            raise TypeError(f"{type(column).__name__} is no array")
        length = n_samples(column)
    except TypeError as error:
        raise TypeError(
            f"{name} must be a list or an array, an entry for each item, got {short_repr(column)}."
        ) from error
    shape = getattr(column, "shape", None)
    if shape is None and isinstance(column, (list, tuple)) and length:
        shape = (length, len(column[0])) if isinstance(column[0], (list, tuple)) else (length,)
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


def check_missing_codes(missing_codes: Any) -> None:
    """Raise if the codes for missing ratings are no list of them."""
    is_list = not isinstance(missing_codes, (str, bytes)) and hasattr(missing_codes, "__len__")
    if not is_list or not all(isinstance(code, Hashable) for code in missing_codes):
        raise ValueError(f"missing_codes must be a list of ratings, got {missing_codes!r}.")


def drop_missing(
    columns: dict[str, Any],
    missing: Missing,
    missing_codes: Sequence[Any] = (),
    odd: Collection[str] = (),
    not_rated: Collection[str] = (),
) -> tuple[dict[str, Any], dict[str, int], int]:
    """Return columns without the items that miss a value, and how many miss one.

    ``missing_codes`` are values that stand for a missing one, in all columns but those that
    are ``not_rated``. In the columns named by ``odd``, those of ratings without given labels,
    strings among numbers are missing, too.
    The numbers are those of the values missing in each column, and of the items dropped.
    Masked arrays are refused here if they are to be: counting does not see a mask.
    """
    if missing == "raise":
        seen = {
            name: column
            for name, column in columns.items()
            if len(missing_codes) or is_masked_array(column)
        }
        refuse_missing(seen, None, missing_codes, not_rated)
        return columns, dict.fromkeys(columns, 0), 0
    masks = {
        name: missing_or_odd(column, () if name in not_rated else missing_codes, name, name in odd)
        for name, column in columns.items()
    }
    counted = {name: 0 if mask is None else int(mask.sum()) for name, mask in masks.items()}
    found = [mask for mask in masks.values() if mask is not None]
    if not found:
        return columns, counted, 0
    dropped = np.logical_or.reduce(found)
    kept = {name: without(column, dropped) for name, column in columns.items()}
    return kept, counted, int(dropped.sum())


def read_rated(ratings: Any, name: str, missing_codes: Sequence[Any]) -> Column:
    """Return a column without missing ratings; a code for these has no place in its order."""
    column = read_column(ratings, name)
    order = column.declared
    coded = None if order is None else find_missing(order.labels, missing_codes)
    if order is None or coded is None:
        return column
    return column._replace(declared=LabelOrder(order.labels[~coded], order.names[~coded]))


def read_clusters(clusters: Any, n_items: int, of: str, name: str = "clusters") -> Column:
    """Return the column of the items' clusters; ``of`` is what errors call the items.

    Raises
    ------
    ValueError
        If there is not one for each item, if one is missing, or if they cannot be labels.
    """
    n_given = _length(name, clusters)
    if n_given != n_items:
        raise ValueError(
            f"{name} must have an entry for each of the {n_items} {of}, got {n_given}."
        )
    missing = find_missing(clusters)
    if missing is not None:
        raise ValueError(
            f"{name} has {int(missing.sum())} missing of {n_items}, the first at position"
            f" {int(missing.argmax())}: leave these {of} out, or give each a cluster of its own."
        )
    column = read_column(clusters, name)
    if column.obstacle:
        raise ValueError(f"{name} must hold labels, but is {column.obstacle}.")
    if column.values.dtype.kind == "f":
        return column._replace(values=column.values.astype(np.int64))
    return column


def missing_or_odd(
    column: Any, missing_codes: Sequence[Any], name: str, odd_is_missing: bool
) -> NDArray[np.bool_] | None:
    """Return which ratings are missing or, if these are missing too, strings among numbers."""
    missing = find_missing(column, missing_codes)
    return _with_odd_strings(column, missing, name) if odd_is_missing else missing


def _with_odd_strings(
    column: Any, missing: NDArray[np.bool_] | None, name: str
) -> NDArray[np.bool_] | None:
    """Return which ratings are missing or strings among numbers."""
    if getattr(getattr(column, "dtype", None), "kind", "O") in "iufbmM":
        return missing
    present = column if missing is None else without(column, missing)
    odd = are_odd(read_column(present, name)) if n_samples(present) else None
    if odd is None or missing is None:
        return missing if odd is None else odd
    # A copy: the mask may be the user's.
    gone = missing.copy()
    gone[~missing] = odd
    return gone


def refuse_missing(
    columns: dict[str, Any],
    cause: BaseException | None,
    missing_codes: Sequence[Any] = (),
    not_rated: Collection[str] = (),
) -> None:
    """Raise for the first column in which something is missing."""
    for name, column in columns.items():
        mask = find_missing(column, () if name in not_rated else missing_codes)
        if mask is not None:
            raise ValueError(
                f"{name} has {int(mask.sum())} missing of {len(mask)}, the first at position"
                f" {int(mask.argmax())}: give missing='drop' to leave them out and have them"
                " counted."
            ) from cause


def not_labels(name: str, obstacle: str, ratings: Any) -> str:
    """Return what to say of ratings that are no labels."""
    if obstacle != "unknown" or getattr(ratings, "ndim", 1) != 1:
        listed = getattr(ratings, "to_pylist", getattr(ratings, "to_list", None))
        shown = short_repr(ratings if listed is None else listed())
        return f"{name} must be labels, but is {obstacle}, got {shown}."
    dtype = str(getattr(ratings, "type", getattr(ratings, "dtype", "object")))
    if dtype == "object":
        dtype = type(next(iter(ratings), None)).__name__
    return f"{name} must be labels, which are integers, strings or booleans, got the type {dtype}."


def explain(columns: dict[str, Any], cause: ValueError) -> None:
    """Raise for the first column in which something is missing or is no label, if there is one.

    Ratings are looked through once more here, where it is known that they were refused.
    """
    refuse_missing(columns, cause)
    for name, column in columns.items():
        obstacle = read_column(column, name).obstacle
        if obstacle:
            remedy = CONTINUOUS if obstacle == "continuous" else ""
            raise ValueError(not_labels(name, obstacle, column) + remedy) from cause
