"""The kernels compiled by numba, for machines without a C compiler.

The contract is that of `numpy_kernels`. Functions are compiled when they are first
used, once for each pair of dtypes, and kept on disk where a cache folder is writable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np

from fastkappa.types import AnyArray, FloatTable, IntTable

# Ratings in the other byte order are copied, a chunk at a time.
CHUNK = 1 << 16


def count_pairs(
    first: AnyArray,
    lowest_first: int,
    second: AnyArray,
    lowest_second: int,
    table: IntTable,
    start: int,
    stop: int,
) -> None:
    """Add the number of pairs of each cell to ``table``."""
    lowest = _modulo(lowest_first), _modulo(lowest_second)
    for (a, b), begin, end in _native_chunks((first, second), start, stop):
        _count_pairs(a, lowest[0], b, lowest[1], table, begin, end)


def sum_pairs(
    first: AnyArray,
    lowest_first: int,
    second: AnyArray,
    lowest_second: int,
    weights: AnyArray,
    table: FloatTable,
    start: int,
    stop: int,
) -> None:
    """Add the float64 sum of the item weights of each cell to ``table``."""
    lowest = _modulo(lowest_first), _modulo(lowest_second)
    for (a, b, w), begin, end in _native_chunks((first, second, weights), start, stop):
        _sum_pairs(a, lowest[0], b, lowest[1], w, table, begin, end)


def sum_pairs_exactly(
    first: AnyArray,
    lowest_first: int,
    second: AnyArray,
    lowest_second: int,
    weights: AnyArray,
    high: IntTable,
    low: IntTable,
    start: int,
    stop: int,
) -> None:
    """Add the integer item weights of each cell: the sum is ``high * 2**32 + low``."""
    lowest = _modulo(lowest_first), _modulo(lowest_second)
    for (a, b, w), begin, end in _native_chunks((first, second, weights), start, stop):
        _sum_pairs_exactly(a, lowest[0], b, lowest[1], w, high, low, begin, end)


def _modulo(lowest: int) -> np.uint64:
    return np.uint64(lowest % (1 << 64))


def _native_chunks(
    columns: tuple[AnyArray, ...], start: int, stop: int
) -> Iterator[tuple[list[AnyArray], int, int]]:
    """Yield the columns as numba can read them, with the range to read."""
    if all(column.dtype.isnative for column in columns):
        yield [_read_only(column) for column in columns], start, stop
        return
    for begin in range(start, stop, CHUNK):
        end = min(begin + CHUNK, stop)
        chunks = [column[begin:end] for column in columns]
        native = [chunk.astype(chunk.dtype.newbyteorder("="), copy=False) for chunk in chunks]
        yield [_read_only(chunk) for chunk in native], 0, end - begin


def _read_only(column: AnyArray) -> AnyArray:
    """Return a view that is not writable, so that numba compiles one version, not two."""
    view = column.view()
    view.flags.writeable = False
    return view


def _compile(function: Callable[..., None]) -> Any:
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no cache folder is writable
        return numba.njit(nogil=True)(function)


@numba.extending.register_jitable  # type: ignore[untyped-decorator]
def _code(rating: Any, lowest: Any, n_codes: Any) -> Any:
    # Differences modulo 2**64 put every rating below `lowest` far above `n_codes`. Every
    # operand is unsigned: numba would turn a mix of signs into floats.
    code = np.uint64(np.int64(rating)) - lowest
    return min(code, n_codes)


@_compile
def _count_pairs(
    first: Any,
    lowest_first: Any,
    second: Any,
    lowest_second: Any,
    table: Any,
    start: int,
    stop: int,
) -> None:
    n_rows, n_columns = np.uint64(table.shape[0] - 1), np.uint64(table.shape[1] - 1)
    for i in range(start, stop):
        row = _code(first[i], lowest_first, n_rows)
        column = _code(second[i], lowest_second, n_columns)
        table[row, column] += 1


@_compile
def _sum_pairs(
    first: Any,
    lowest_first: Any,
    second: Any,
    lowest_second: Any,
    weights: Any,
    table: Any,
    start: int,
    stop: int,
) -> None:
    n_rows, n_columns = np.uint64(table.shape[0] - 1), np.uint64(table.shape[1] - 1)
    for i in range(start, stop):
        row = _code(first[i], lowest_first, n_rows)
        column = _code(second[i], lowest_second, n_columns)
        table[row, column] += weights[i]


@_compile
def _sum_pairs_exactly(
    first: Any,
    lowest_first: Any,
    second: Any,
    lowest_second: Any,
    weights: Any,
    high: Any,
    low: Any,
    start: int,
    stop: int,
) -> None:
    n_rows, n_columns = np.uint64(high.shape[0] - 1), np.uint64(high.shape[1] - 1)
    for i in range(start, stop):
        row = _code(first[i], lowest_first, n_rows)
        column = _code(second[i], lowest_second, n_columns)
        high[row, column] += np.int64(weights[i] >> 32)
        low[row, column] += np.int64(weights[i] & 0xFFFFFFFF)
