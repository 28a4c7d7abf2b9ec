"""The labels a user gave as ``labels=``."""

from __future__ import annotations

from collections.abc import Iterable
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.interop import to_numpy
from fastkappa.columns.label_order import is_number


def read_labels(labels: Any) -> AnyArray:
    """Return the labels as a one-dimensional array that is not empty."""
    array = to_numpy(labels)
    whole = isinstance(labels, (list, tuple)) and all(isinstance(label, int) for label in labels)
    if whole and array.dtype.kind == "f":
        # NumPy makes floats of whole numbers on both sides of int64 and uint64.
        array = np.array(labels, dtype=object)
    if array.ndim != 1:
        got = f"shape {array.shape}" if array.ndim else short_repr(labels)
        raise ValueError(f"labels must be one-dimensional, got {got}.")
    if array.size == 0:
        raise ValueError("'labels' should contain at least one label.")
    return array


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


def in_order(names: list[Any]) -> list[Any]:
    """Return the names of columns, by value if they are numbers that neither rise nor fall.

    A pivot has its columns in the order in which they occur.

    Examples
    --------
    >>> from fastkappa.columns.labels import in_order
    >>> in_order(["2", "10", "1"]), in_order([3, 2, 1]), in_order(["b", "a", "c"])
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
