"""The names the package gives to its arrays."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

AnyArray = NDArray[Any]
IntTable = NDArray[np.int64]
FloatTable = NDArray[np.float64]
Floats = NDArray[np.float64]

# float64 holds every whole number up to here.
LARGEST_EXACT = 1 << 53
# Entries of a user's array that are looked at together.
CHUNK = 1 << 16


def first_of(entries: Iterable[Any]) -> Any:
    """Return the first entry, None if there is none, whatever length the object claims."""
    return next(iter(entries), None)


class SupportsArray(Protocol):
    """What NumPy can make an array of, such as a data frame."""

    def __array__(self, *args: Any, **kwargs: Any) -> AnyArray: ...


# A matrix that a user gives. NumPy's ArrayLike has strings in it: with it any string would be a
# scheme or level to a type checker.
Matrix: TypeAlias = AnyArray | SupportsArray | Sequence[Sequence[float] | AnyArray]


def offsets_from(values: AnyArray, lowest: int) -> NDArray[np.uint64]:
    """Return how far whole numbers lie above the lowest one, modulo 2**64.

    A difference in their own type would wrap: two int8 numbers can be 255 apart. Numbers below
    the lowest one come out above all others.
    """
    wide = in_64_bits(values).view(np.uint64)
    wide -= np.uint64(lowest % (1 << 64))
    return wide


def in_64_bits(values: AnyArray) -> AnyArray:
    """Return whole numbers in a new array of 64-bit integers, unsigned if they are."""
    return values.astype(np.uint64 if values.dtype.kind == "u" else np.int64)


def is_masked_array(values: Any) -> bool:
    """Return whether values are in a masked array of NumPy.

    There is none before `numpy.ma` is loaded, which NumPy does on first use. Another thread can be
    loading it.
    """
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    return masked is not None and isinstance(values, masked)


def chunks_of(columns: Sequence[Any], size: int) -> Iterator[tuple[slice, Floats]]:
    """Yield ranges of rows and copies of them: shape (n_columns, m), about ``size`` numbers."""
    n = len(columns[0])
    step = max(1, size // len(columns))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        chunk = np.empty((len(columns), rows.stop - start))
        for own, column in zip(chunk, columns):
            own[:] = column[rows]
        yield rows, chunk
