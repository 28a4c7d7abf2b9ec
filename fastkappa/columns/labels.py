"""The labels a user gave as ``labels=``."""

from __future__ import annotations

from collections.abc import Iterable
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.interop import to_numpy


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
