"""How many ratings there are, found without a look at any of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray


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


def check_lengths(y1: Any, y2: Any, sample_weight: Any) -> int:
    """Return the common number of items."""
    arrays = (y1, y2) if sample_weight is None else (y1, y2, sample_weight)
    lengths = [n_samples(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    return lengths[0]
