"""The kernels compiled by numba, for machines without a C compiler.

The contract is that of `fastkappa.kernels.numpy.pairs`. Here arrays become addresses and
sizes, and the functions of `loops` count what is stored there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import config

from fastkappa.arrays import AnyArray, FloatTable, IntTable
from fastkappa.kernels.contract import LabelHash, check_range, check_tables
from fastkappa.kernels.numba import loops, popcount
from fastkappa.kernels.numba.columns import ArrayView

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    raise ImportError("numba compiles nothing, for NUMBA_DISABLE_JIT is set")

# What cannot be read in place is copied, a chunk at a time.
CHUNK = 1 << 16
LOOKED_UP_AT_ONCE = 1 << 13


class CodedArray(NamedTuple):
    """An array and its codes: code 0 is the value ``lowest``."""

    values: AnyArray
    lowest: int
    n_codes: int


READS_AS_FAST = True
# The general way is as fast in numba.
MOST_ROW_LABELS = 0
count_rows = None
sum_moments = None


def simd_level() -> str:
    """Return that LLVM decides."""
    return "left to the compiler"


def looks_up_as_fast() -> bool:
    """Return that a look-up takes longer than a count."""
    return False


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
    check_range(start, stop, first, second)
    check_tables(table)
    rows = CodedArray(first, lowest_first, table.shape[0] - 1)
    columns = CodedArray(second, lowest_second, table.shape[1] - 1)
    few = popcount.are_few(rows.n_codes, columns.n_codes)
    in_blocks = few and stop - start >= popcount.BLOCK
    count = loops.count_few if in_blocks else loops.count_many
    for views, _, begin, end in _pieces(rows, columns, None, start, stop):
        count(views, table, begin, end)


def look_up(values: AnyArray, hash: LabelHash, codes: AnyArray, start: int, stop: int) -> int:
    """Write the codes of values to ``codes`` and return how many are none of the labels."""
    check_range(start, stop, values)
    check_range(0, stop - start, codes)
    dtype = np.uint64 if values.dtype.kind == "u" else np.int64
    shift, multiplier = np.uint64(hash.shift), np.uint64(hash.multiplier)
    n_unknown = 0
    for begin in range(start, stop, LOOKED_UP_AT_ONCE):
        chunk = values[begin : min(begin + LOOKED_UP_AT_ONCE, stop)]
        wide = chunk.astype(dtype).view(np.uint64)
        part = codes[begin - start : begin - start + len(wide)]
        n_unknown += loops.look_up(wide, multiplier, shift, hash.slots, hash.labels, part)
    return n_unknown


def sum_pairs(
    first: AnyArray,
    lowest_first: int,
    second: AnyArray,
    lowest_second: int,
    weights: AnyArray,
    counts: IntTable,
    table: FloatTable,
    start: int,
    stop: int,
) -> None:
    """Add the number of pairs and the float64 sum of item weights of each cell to two tables."""
    check_range(start, stop, first, second, weights)
    check_tables(counts, table)
    rows = CodedArray(first, lowest_first, table.shape[0] - 1)
    columns = CodedArray(second, lowest_second, table.shape[1] - 1)
    for views, floats, begin, end in _pieces(rows, columns, (weights, np.float64), start, stop):
        loops.sum_floats(views, floats, counts, table, begin, end)


def sum_pairs_exactly(
    first: AnyArray,
    lowest_first: int,
    second: AnyArray,
    lowest_second: int,
    weights: AnyArray,
    counts: IntTable,
    high: IntTable,
    low: IntTable,
    start: int,
    stop: int,
) -> None:
    """Add the number of pairs and the integer weights: the sum is ``high * 2**32 + low``."""
    check_range(start, stop, first, second, weights)
    check_tables(counts, high, low)
    rows = CodedArray(first, lowest_first, high.shape[0] - 1)
    columns = CodedArray(second, lowest_second, high.shape[1] - 1)
    dtype = np.uint64 if weights.dtype.kind == "u" else np.int64
    for views, integers, begin, end in _pieces(rows, columns, (weights, dtype), start, stop):
        loops.sum_integers(views, integers, counts, high, low, begin, end)


def _pieces(
    rows: CodedArray,
    columns: CodedArray,
    weights: tuple[AnyArray, Any] | None,
    start: int,
    stop: int,
) -> Iterator[tuple[tuple[ArrayView, ArrayView], Any, int, int]]:
    """Yield two columns, weights of the type wanted, and the range to read in them.

    It is one piece if all can be read in place, else a chunk at a time.
    """
    readable = _is_readable(rows) and _is_readable(columns)
    if weights is None:
        if readable:
            yield (_view(rows), _view(columns)), None, start, stop
            return
    else:
        array, dtype = weights
        flags = array.flags
        if readable and array.dtype == dtype and flags.c_contiguous and flags.aligned:
            yield (_view(rows), _view(columns)), _read_only(array), start, stop
            return
    for begin in range(start, stop, CHUNK):
        chunk = slice(begin, min(begin + CHUNK, stop))
        # The copies live as long as the piece is counted: only their addresses are passed.
        pair = _copy(rows, chunk), _copy(columns, chunk)
        part = None if weights is None else _read_only(array[chunk].astype(dtype))
        yield (_view(pair[0]), _view(pair[1])), part, 0, chunk.stop - begin


def _is_readable(column: CodedArray) -> bool:
    """Return whether values are integers in native byte order whose type holds all labels."""
    dtype = column.values.dtype
    if dtype.kind not in "iub" or not dtype.isnative:
        return False
    if dtype.itemsize == 8:
        return True
    least = -(1 << 8 * dtype.itemsize - 1) if dtype.kind == "i" else 0
    beyond = least + (1 << 8 * dtype.itemsize)
    return least <= column.lowest and column.lowest + column.n_codes <= beyond


def _copy(column: CodedArray, chunk: slice) -> CodedArray:
    values = column.values[chunk]
    if _is_readable(column):
        return column._replace(values=values)
    with np.errstate(invalid="ignore"):
        return column._replace(values=values.astype("u8" if values.dtype.kind == "u" else "i8"))


def _view(column: CodedArray) -> ArrayView:
    values = column.values
    lowest = (column.lowest + (1 << 63)) % (1 << 64) - (1 << 63)
    address = values.__array_interface__["data"][0]
    return ArrayView(address, values.strides[0], values.itemsize, lowest, column.n_codes)


def _read_only(weights: AnyArray) -> AnyArray:
    """Return a view that is not writable, so that numba compiles one version, not two."""
    view = weights.view()
    view.flags.writeable = False
    return view
