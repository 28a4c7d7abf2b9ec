"""Recognize the columns of a row-major matrix, and copy them to contiguous memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.threads import ItemRanges, run_in_threads

# Only columns of these types are read as parts of one matrix, because other subclasses of ndarray
# can have values that differ from the bytes in memory.
PLAIN = (np.ndarray, np.memmap)
CACHE_LINE = 64
# The number of rows per tile. The rows of a tile stay in the cache until all columns are copied.
TILE = 1 << 9
# The number of columns copied together. Copying all columns at once would double memory use.
COLUMNS_AT_ONCE = 32
BYTES_A_THREAD = 1 << 21


def as_matrix(columns: Sequence[Any]) -> AnyArray | None:
    """Return the row-major matrix to which these columns belong, or None if there is none."""
    first = columns[0]
    if len(columns) < 2 or type(first) not in PLAIN or first.ndim != 1:
        return None
    if first.dtype.kind not in "iubf" or abs(first.strides[0]) <= first.itemsize:
        return None
    layout = (first.dtype, first.shape, first.strides)
    for column in columns:
        if type(column) not in PLAIN or (column.dtype, column.shape, column.strides) != layout:
            return None
    addresses = [column.__array_interface__["data"][0] for column in columns]
    step = addresses[1] - addresses[0]
    if abs(step) > abs(first.strides[0]):
        return None
    if any(address != addresses[0] + j * step for j, address in enumerate(addresses)):
        return None
    shape, strides = (len(first), len(columns)), (first.strides[0], step)
    return np.lib.stride_tricks.as_strided(first, shape, strides, writeable=False)


def groups_of_columns(
    columns: Sequence[AnyArray], num_threads: int
) -> Iterator[Sequence[AnyArray]]:
    """Yield the columns in groups, copied to contiguous memory if necessary.

    Columns of a row-major matrix are copied, `COLUMNS_AT_ONCE` at a time. All other columns are
    yielded as a single group, without being copied.
    """
    at_once = len(columns) if as_matrix(columns) is None else COLUMNS_AT_ONCE
    for start in range(0, len(columns), at_once):
        yield contiguous_columns(columns[start : start + at_once], num_threads)


def contiguous_columns(columns: Sequence[Any], num_threads: int) -> Sequence[Any]:
    """Return the columns, copied to contiguous memory if they belong to a row-major matrix."""
    matrix = as_matrix(columns)
    if matrix is None:
        return columns
    copied = _buffer_for(matrix, len(matrix))

    def work(ranges: ItemRanges) -> None:
        while bounds := ranges.take(TILE):
            copied[:, slice(*bounds)] = matrix[slice(*bounds)].T

    run_in_threads(work, len(matrix), max(1, min(num_threads, copied.nbytes // BYTES_A_THREAD)))
    return list(copied)


def _buffer_for(matrix: AnyArray, n_items: int) -> AnyArray:
    """Return an uninitialized array of shape (m, n_items) for the m columns of a matrix."""
    # If columns started a power of two bytes apart, they would compete for the same cache sets.
    distance = n_items + CACHE_LINE // matrix.itemsize
    return np.empty((matrix.shape[1], distance), matrix.dtype)[:, :n_items]
