"""Judges a user's arrays of numbers that are no labels: scores, predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa.counting.foreign import to_numpy
from fastkappa.types import AnyArray


def read_numbers(values: Any, name: str) -> AnyArray:
    """Return numbers as a one-dimensional array of integers, booleans or floats.

    They stay as they lie in memory. NaN and infinity are not looked for: `refuse_infinite`
    is for who has met them.
    """
    numbers = to_numpy(values)
    if numbers.dtype.kind == "O":
        try:
            numbers = numbers.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must hold real numbers: {error}.") from error
    if numbers.dtype.kind not in "iufb":
        raise ValueError(f"{name} must hold real numbers, got an array of dtype {numbers.dtype}.")
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {numbers.shape}.")
    return numbers


def refuse_infinite(numbers: AnyArray, name: str, start: int = 0) -> None:
    """Raise for the first number that is NaN or infinite, counting positions from ``start``."""
    infinite = np.flatnonzero(~np.isfinite(numbers))
    if len(infinite):
        position = int(infinite[0])
        raise ValueError(
            f"{name} must be finite, got {float(numbers[position])} at position {start + position}."
        )
