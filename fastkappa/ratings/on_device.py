"""Count pairs of ratings on a device such as a GPU, using the arrays' own library.

Only the label pairs that occur and their counts are copied to the host. The library does not need
to be imported here, because the arrays provide access to its functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.ratings.column import Column
from fastkappa.ratings.interop import to_numpy

# Pairs of labels are counted in a table of all cells if it has at most `LARGEST_TABLE` cells, and
# no more cells than the number of items or `FEW_CELLS`, whichever is larger. Otherwise, the pairs
# are sorted.
FEW_CELLS = 1 << 10
LARGEST_TABLE = 1 << 20
LARGEST_INT32 = (1 << 31) - 1
# The errors that libraries raise if they cannot compare the types, or if memory runs out.
NOT_COUNTED = (AttributeError, KeyError, OverflowError, RuntimeError, TypeError, ValueError)


class _Numbers(NamedTuple):
    """Ratings on a device, and the range of their labels."""

    values: Any
    lowest: int
    n_labels: int
    label_dtype: np.dtype[Any]


def read_on_device(
    ratings: Mapping[str, Any], read: Callable[[Any, str], Column]
) -> dict[str, Column] | None:
    """Return two columns that contain each occurring pair of labels once, with its count.

    Return None if the columns are not on the same device, if their library cannot count pairs
    there, or if any rating is missing or is neither a whole number nor a boolean.
    """
    columns = list(ratings.values())
    if len(columns) != 2 or not all(map(is_on_device, columns)):
        return None
    try:
        cells = _count(*columns)
    except NOT_COUNTED:
        return None
    *labels, counts = cells
    return {name: read(own, name)._replace(counts=counts) for name, own in zip(ratings, labels)}


def is_on_device(ratings: Any) -> bool:
    """Return whether ratings are an array in device memory instead of host memory."""
    device = getattr(ratings, "device", "cpu") if hasattr(ratings, "__dlpack__") else "cpu"
    return "cpu" not in str(device).lower()


def _count(first: Any, second: Any) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the label pairs that occur, as one array per rater, and the item count per pair."""
    library: Any = _library_of(first)
    a, b = _numbers(library, first), _numbers(library, second)
    if a.values.shape != b.values.shape:
        raise ValueError("the columns must have the same length")
    n_cells = a.n_labels * b.n_labels
    limits = (n_cells, *(abs(own.lowest) + own.n_labels for own in (a, b)))
    if max(limits) > LARGEST_INT32 and (max(limits) >= 1 << 63 or _has_no_int64(first)):
        raise OverflowError(
            "the codes of label pairs must fit in the largest integer type of the device"
        )
    dtype = library.int32 if max(limits) <= LARGEST_INT32 else library.int64
    rows, columns = (library.asarray(own.values, dtype=dtype) - own.lowest for own in (a, b))
    cells, counts = _occurring(library, rows * b.n_labels + columns, n_cells)
    return (
        (a.lowest + cells // b.n_labels).astype(a.label_dtype),
        (b.lowest + cells % b.n_labels).astype(b.label_dtype),
        counts,
    )


def _has_no_int64(array: Any) -> bool:
    """Return whether an array is from JAX without 64-bit types, which JAX disables by default."""
    return type(array).__module__.startswith("jax") and "64" not in str(array.dtype)


def _library_of(array: Any) -> Any:
    """Return the array API namespace of an array, or the module ``torch`` for a tensor."""
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    return sys.modules[type(array).__module__.partition(".")[0]]


def _numbers(library: Any, array: Any) -> _Numbers:
    """Convert ratings to whole numbers on their device, or raise if they are not whole numbers."""
    if hasattr(array, "detach"):
        array = array.detach()
    name = str(array.dtype).rpartition(".")[2]
    if len(array.shape) != 1 or not array.shape[0] or name.startswith(("uint64", "complex")):
        raise TypeError(
            "the ratings must be a nonempty one-dimensional array of real numbers that fit in"
            f" int64, got shape {tuple(array.shape)} and dtype {name}"
        )
    label_dtype: np.dtype[Any] = np.dtype(np.int64)
    if name == "bool":
        array, label_dtype = library.asarray(array, dtype=library.int32), np.dtype(np.bool_)
    elif "float" in name:
        label_dtype = np.dtype(np.float64)
        if not bool(library.all(array == library.floor(array))):
            raise ValueError("the ratings must be labels")
    lowest, highest = int(library.min(array)), int(library.max(array))
    return _Numbers(array, lowest, highest - lowest + 1, label_dtype)


def _occurring(library: Any, codes: Any, n_cells: int) -> tuple[AnyArray, AnyArray]:
    """Return the codes that occur and their counts, in host memory."""
    most = min(max(FEW_CELLS, len(codes)), LARGEST_TABLE)
    if n_cells <= most and hasattr(library, "bincount"):
        counts = to_numpy(library.bincount(codes, minlength=n_cells))
        cells = np.flatnonzero(counts)
        return cells, counts[cells].astype(np.int64)
    if hasattr(library, "unique_counts"):
        found = library.unique_counts(codes)
    else:
        found = library.unique(codes, return_counts=True)
    cells, counts = map(to_numpy, found)
    return cells.astype(np.int64), counts.astype(np.int64)
