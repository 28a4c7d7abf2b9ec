"""Predictions as users hold them, taken apart into named columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

FORMS = (
    "predictions must be a two-dimensional array, a mapping of names to columns, a data frame"
    " or an iterable of columns"
)


def named_columns(predictions: Any, n_items: int, axis: int) -> Iterator[tuple[Any, Any]]:
    """Yield the name and the ratings of each prediction.

    The names are the keys of a mapping, the names of a frame's columns, else 0, 1, 2, ...
    ``axis`` is that of the items in an array.
    """
    is_whole = hasattr(axis, "__index__") and np.ndim(axis) == 0 and not isinstance(axis, bool)
    if not is_whole or axis not in (0, 1):
        raise ValueError(f"axis must be 0 or 1, the axis of the items, got {axis!r}.")
    if isinstance(predictions, Mapping):
        yield from predictions.items()
    elif isinstance(predictions, (str, bytes)):
        raise TypeError(f"{FORMS}, got {predictions!r}.")
    elif hasattr(predictions, "column_names"):  # pyarrow
        yield from zip(predictions.column_names, predictions.columns)
    elif hasattr(predictions, "iter_columns"):  # polars
        yield from zip(predictions.columns, predictions.iter_columns())
    elif hasattr(predictions, "iloc") and getattr(predictions, "ndim", 0) == 2:  # pandas
        for j, name in enumerate(predictions.columns):
            yield name, predictions.iloc[:, j]
    elif hasattr(predictions, "shape"):
        yield from enumerate(_columns_of_array(predictions, n_items, axis))
    elif isinstance(predictions, Iterable):
        yield from enumerate(predictions)
    else:
        raise TypeError(f"{FORMS}, got {type(predictions).__name__}.")


def _columns_of_array(array: Any, n_items: int, axis: int) -> Iterator[Any]:
    shape = tuple(array.shape)
    if len(shape) != 2:
        raise ValueError(f"{FORMS}, got an array of shape {shape}.")
    if shape[axis] != n_items:
        hint = f" With axis={1 - axis} it would have." if shape[1 - axis] == n_items else ""
        raise ValueError(
            f"predictions must have {n_items} items along axis {axis}, as y_true has, got an array"
            f" of shape {shape}.{hint}"
        )
    columns = array if axis == 0 else array.T
    yield from (columns[:, j] for j in range(shape[1 - axis]))
