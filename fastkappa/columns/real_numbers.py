"""Judges a user's arrays of numbers that are no labels: scores, predictions."""

from __future__ import annotations

from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import refuse_masked
from fastkappa.columns.interop import to_numpy
from fastkappa.columns.missing import is_missing


def read_numbers(values: Any, name: str) -> AnyArray:
    """Return numbers as a one-dimensional array of integers, booleans or floats.

    They stay as they lie in memory. NaN and infinity are not looked for: `refuse_infinite`
    is for who has met them.
    """
    refuse_masked(**{name: values})
    numbers = to_numpy(values)
    if numbers.ndim == 0:
        raise ValueError(f"{name} must be a list or an array, got {short_repr(values)}.")
    if numbers.dtype.kind == "O":
        numbers = _numbers_of_objects(numbers, name)
    if numbers.dtype.kind not in "iufb":
        raise ValueError(f"{name} must hold real numbers, got an array of dtype {numbers.dtype}.")
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {numbers.shape}.")
    return numbers


def _numbers_of_objects(objects: AnyArray, name: str) -> AnyArray:
    """Return objects as float64, what is missing as NaN."""
    for entry in objects.flat:
        if isinstance(entry, (str, bytes)):
            raise ValueError(f"{name} must hold real numbers, got {short_repr(entry)}.")
    try:
        return objects.astype(np.float64)
    except (TypeError, ValueError):
        pass
    except OverflowError as error:
        raise ValueError(f"{name} must be numbers that float64 can hold: {error}.") from error
    numbers = [_number_of(entry, name) for entry in objects.flat]
    return np.array(numbers).reshape(objects.shape)


def _number_of(entry: Any, name: str) -> float:
    try:
        return np.nan if is_missing(entry) else float(entry)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold real numbers, got {short_repr(entry)}.") from error


def refuse_infinite(numbers: AnyArray, name: str, start: int = 0) -> None:
    """Raise for the first number that is NaN or infinite, counting positions from ``start``."""
    infinite = np.flatnonzero(~np.isfinite(numbers))
    if len(infinite):
        position = int(infinite[0])
        raise ValueError(
            f"{name} must be finite, got {float(numbers[position])} at position {start + position}."
        )
