"""Define array types, and read arrays in chunks."""

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

# float64 represents all integers up to this value exactly.
LARGEST_EXACT = 1 << 53
# The number of entries of a user's array to process at once.
CHUNK = 1 << 16


def first_of(entries: Iterable[Any]) -> Any:
    """Return the first of the entries, or None if they are empty, without calling ``len``."""
    return next(iter(entries), None)


class SupportsArray(Protocol):
    """An object that NumPy can convert to an array, such as a data frame."""

    def __array__(self, *args: Any, **kwargs: Any) -> AnyArray: ...


# The type of a user's matrix. NumPy's ArrayLike includes strings, so with ArrayLike, type checkers
# would accept any string as the name of weights or of a level of measurement.
Matrix: TypeAlias = AnyArray | SupportsArray | Sequence[Sequence[float] | AnyArray]


def offsets_from(values: AnyArray, lowest: int) -> NDArray[np.uint64]:
    """Return ``values - lowest`` for integers, modulo 2**64.

    A signed difference could overflow: two int8 numbers, for example, can differ by 255. Numbers
    below ``lowest`` wrap around, so their offsets are larger than all other offsets.
    """
    wide = in_64_bits(values).view(np.uint64)
    wide -= np.uint64(lowest % (1 << 64))
    return wide


def in_64_bits(values: AnyArray) -> AnyArray:
    """Return integers in a new array of 64-bit integers, unsigned if ``values`` are unsigned."""
    return values.astype(np.uint64 if values.dtype.kind == "u" else np.int64)


def is_masked_array(values: Any) -> bool:
    """Return whether ``values`` is a NumPy masked array.

    Masked arrays exist only after NumPy has loaded `numpy.ma`, which happens on first use. Another
    thread might be loading the module at this moment.
    """
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    return masked is not None and isinstance(values, masked)


def chunks_of(columns: Sequence[Any], size: int) -> Iterator[tuple[slice, Floats]]:
    """Yield ranges of m rows, each with a copy of the rows in an array of shape (n_columns, m)."""
    n = len(columns[0])
    step = max(1, size // len(columns))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        chunk = np.empty((len(columns), rows.stop - start))
        for own, column in zip(chunk, columns):
            own[:] = column[rows]
        yield rows, chunk
