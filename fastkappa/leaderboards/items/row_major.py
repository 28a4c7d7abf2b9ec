"""Columns of a row-major matrix: recognised as such, or copied to contiguous memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.threads import ItemRanges, run_in_threads

# Other subclasses of ndarray may mean something else than their memory holds.
PLAIN = (np.ndarray, np.memmap)
CACHE_LINE = 64
# Items so many bytes apart are counted about as fast where they lie as when they are copied.
COUNTED_IN_PLACE = (1, 2, 4, 8)
# Rows of a tile: they stay in the cache until each column has been copied.
TILE = 1 << 9
# A copied block stays in the second-level cache until it has been counted.
BYTES_OF_A_BLOCK = 1 << 19
BYTES_A_THREAD = 1 << 21


def as_matrix(columns: Sequence[Any]) -> AnyArray | None:
    """Return the row-major matrix that these are the columns of, or None if there is none."""
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


def matrix_to_copy(columns: Sequence[Any]) -> AnyArray | None:
    """Return columns as a matrix if it is faster to copy them, else None."""
    matrix = as_matrix(columns)
    return None if matrix is None or abs(matrix.strides[0]) in COUNTED_IN_PLACE else matrix


def blocks_of_columns(
    columns: Sequence[AnyArray], length: int
) -> Iterator[tuple[slice, Sequence[AnyArray]]]:
    """Yield at most ``length`` items at a time, and each column's ratings of them.

    The ratings in columns of a row-major matrix are copies, overwritten by the next ones.
    """
    matrix = matrix_to_copy(columns)
    n_items = len(columns[0])
    if matrix is not None:
        row = len(columns) * matrix.itemsize
        length = min(length, max(TILE, BYTES_OF_A_BLOCK // row))
        buffer = _buffer_for(matrix, min(length, n_items))
    for start in range(0, n_items, length):
        items = slice(start, min(start + length, n_items))
        if matrix is None:
            yield items, [column[items] for column in columns]
        else:
            copies = buffer[:, : items.stop - start]
            copies[:] = matrix[items].T
            yield items, list(copies)


def contiguous_columns(columns: Sequence[Any], num_threads: int) -> Sequence[Any]:
    """Return columns unchanged, but those of a row-major matrix as contiguous copies."""
    matrix = matrix_to_copy(columns)
    if matrix is None:
        return columns
    copied = _buffer_for(matrix, len(matrix))

    def work(ranges: ItemRanges) -> None:
        while bounds := ranges.take(TILE):
            copied[:, slice(*bounds)] = matrix[slice(*bounds)].T

    run_in_threads(work, len(matrix), max(1, min(num_threads, copied.nbytes // BYTES_A_THREAD)))
    return list(copied)


def _buffer_for(matrix: AnyArray, n_items: int) -> AnyArray:
    """Return an uninitialised array for this many items of each column, shape (m, n_items)."""
    # Columns a power of two apart would compete for the same cache sets.
    distance = n_items + CACHE_LINE // matrix.itemsize
    return np.empty((matrix.shape[1], distance), matrix.dtype)[:, :n_items]
