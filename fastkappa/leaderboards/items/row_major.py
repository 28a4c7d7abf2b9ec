"""Columns of a matrix that lies row by row: found again, or copied to where they are contiguous."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.threads import ItemRanges, run_in_threads

# Other arrays may not be what their memory says.
PLAIN = (np.ndarray, np.memmap)
# Where the items of a column lie so far apart, a cache line is read for each.
CACHE_LINE = 64
# Items of a tile: what is read of them stays in the cache until each column has been copied.
TILE = 1 << 9
# What has been copied stays in the second-level cache until it has been counted.
BYTES_OF_A_BLOCK = 1 << 19
BYTES_A_THREAD = 1 << 21


def as_matrix(columns: Sequence[Any]) -> AnyArray | None:
    """Return columns that lie row by row as the matrix they are part of, None for others."""
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
    """Return columns as a matrix where it pays to copy them, else None."""
    matrix = as_matrix(columns)
    return None if matrix is None or abs(matrix.strides[0]) < CACHE_LINE else matrix


def blocks_of_columns(
    columns: Sequence[AnyArray], length: int
) -> Iterator[tuple[slice, Sequence[AnyArray]]]:
    """Yield the items, at most ``length`` at a time, and each column's ratings of them.

    Of columns that lie row by row these are copies, overwritten by the next ones.
    """
    matrix = matrix_to_copy(columns)
    n_items = len(columns[0])
    if matrix is not None:
        row = len(columns) * matrix.itemsize
        length = min(length, max(TILE, BYTES_OF_A_BLOCK // row))
        room = _room_for(matrix, min(length, n_items))
    for start in range(0, n_items, length):
        items = slice(start, min(start + length, n_items))
        if matrix is None:
            yield items, [column[items] for column in columns]
        else:
            copies = room[:, : items.stop - start]
            copies[:] = matrix[items].T
            yield items, list(copies)


def contiguous_columns(columns: Sequence[Any], num_threads: int) -> Sequence[Any]:
    """Return columns as they are, those of a matrix that lies row by row as copies."""
    matrix = matrix_to_copy(columns)
    if matrix is None:
        return columns
    copied = _room_for(matrix, len(matrix))

    def work(ranges: ItemRanges) -> None:
        while bounds := ranges.take(TILE):
            copied[:, slice(*bounds)] = matrix[slice(*bounds)].T

    run_in_threads(work, len(matrix), max(1, min(num_threads, copied.nbytes // BYTES_A_THREAD)))
    return list(copied)


def _room_for(matrix: AnyArray, n_items: int) -> AnyArray:
    """Return room for so many items of each column."""
    # Were columns a power of two apart, they would all share few places in the cache.
    apart = n_items + CACHE_LINE // matrix.itemsize
    return np.empty((matrix.shape[1], apart), matrix.dtype)[:, :n_items]
