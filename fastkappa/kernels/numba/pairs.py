"""Count and sum pairs with numba, for machines without a C compiler.

The contract is the same as that of `fastkappa.kernels.numpy.pairs`. This module converts arrays to
addresses and sizes, and passes these to the functions in `loops`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import config

from fastkappa.arrays import AnyArray, FloatTable, IntTable, in_64_bits
from fastkappa.kernels.contract import (
    LabelHash,
    Lowest,
    Range,
    check_range,
    check_tables,
    chunks_of,
)
from fastkappa.kernels.numba import loops, popcount
from fastkappa.kernels.numba.columns import ArrayView

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    raise ImportError("numba cannot compile the kernels, because NUMBA_DISABLE_JIT is set")

# The number of items per chunk. Columns that cannot be read directly are copied chunk by chunk.
CHUNK = 1 << 16
# The number of values whose labels are looked up at a time.
LOOKED_UP_AT_ONCE = 1 << 13


class CodedArray(NamedTuple):
    """An array of values, each with the code ``value - lowest``."""

    values: AnyArray
    lowest: int
    n_codes: int


READS_AS_FAST = True
# No kernel, because in numba a kernel for rows would be no faster than the general kernels.
MOST_ROW_LABELS = 0
count_rows = None
sum_moments = None


def simd_level() -> str:
    """Return a fixed string, because LLVM chooses the vector instructions."""
    return "left to the compiler"


def looks_up_as_fast() -> bool:
    """Return False, because a look-up is slower than counting."""
    return False


def count_pairs(
    first: AnyArray, second: AnyArray, lowest: Lowest, table: IntTable, part: Range
) -> None:
    """Add the number of pairs in each cell to ``table``."""
    check_range(*part, first, second)
    check_tables(table)
    rows, columns = _coded(first, second, lowest, table)
    few = popcount.are_few(rows.n_codes, columns.n_codes)
    in_blocks = few and part[1] - part[0] >= popcount.BLOCK
    count = loops.count_few if in_blocks else loops.count_many
    for views, _, begin, end in _pieces(rows, columns, None, part):
        count(views, table, begin, end)


def look_up(values: AnyArray, hash: LabelHash, codes: AnyArray, part: Range) -> int:
    """Write the codes of values to ``codes``; return the number of values that are not labels."""
    start, stop = part
    check_range(start, stop, values)
    check_range(0, stop - start, codes)
    shift, multiplier = np.uint64(hash.shift), np.uint64(hash.multiplier)
    n_unknown = 0
    for chunk in chunks_of(part, LOOKED_UP_AT_ONCE):
        wide = in_64_bits(values[chunk]).view(np.uint64)
        own = codes[chunk.start - start : chunk.stop - start]
        n_unknown += loops.look_up(wide, multiplier, shift, hash.slots, hash.labels, own)
    return n_unknown


def sum_pairs(
    first: AnyArray,
    second: AnyArray,
    lowest: Lowest,
    weights: AnyArray,
    tables: tuple[IntTable, FloatTable],
    part: Range,
) -> None:
    """Add the number of pairs in each cell, and the float64 sum of their weights, to two tables."""
    check_range(*part, first, second, weights)
    check_tables(*tables)
    pair = _coded(first, second, lowest, tables[0])
    for views, floats, begin, end in _pieces(*pair, (weights, np.float64), part):
        loops.sum_floats(views, floats, *tables, begin, end)


def sum_pairs_exactly(
    first: AnyArray,
    second: AnyArray,
    lowest: Lowest,
    weights: AnyArray,
    tables: tuple[IntTable, IntTable, IntTable],
    part: Range,
) -> None:
    """Count the pairs of each cell, and sum their integer weights as ``high * 2**32 + low``."""
    check_range(*part, first, second, weights)
    check_tables(*tables)
    pair = _coded(first, second, lowest, tables[0])
    dtype = np.uint64 if weights.dtype.kind == "u" else np.int64
    for views, integers, begin, end in _pieces(*pair, (weights, dtype), part):
        loops.sum_integers(views, integers, *tables, begin, end)


def _coded(
    first: AnyArray, second: AnyArray, lowest: Lowest, table: AnyArray
) -> tuple[CodedArray, CodedArray]:
    """Return both columns with codes that are row and column numbers of a table."""
    n_rows, n_columns = table.shape[0] - 1, table.shape[1] - 1
    return CodedArray(first, lowest[0], n_rows), CodedArray(second, lowest[1], n_columns)


def _pieces(
    rows: CodedArray, columns: CodedArray, weights: tuple[AnyArray, Any] | None, part: Range
) -> Iterator[tuple[tuple[ArrayView, ArrayView], Any, int, int]]:
    """Yield views of both columns, the weights in the wanted dtype, and the range to read.

    If no array has to be copied, yield the whole part at once. Otherwise, yield copied chunks.
    """
    readable = _is_readable(rows) and _is_readable(columns)
    if weights is None:
        if readable:
            yield (_view(rows), _view(columns)), None, *part
            return
    else:
        array, dtype = weights
        flags = array.flags
        if readable and array.dtype == dtype and flags.c_contiguous and flags.aligned:
            yield (_view(rows), _view(columns)), _read_only(array), *part
            return
    for chunk in chunks_of(part, CHUNK):
        # Only addresses are passed on, so `pair` keeps the copies alive while they are counted.
        pair = _copy(rows, chunk), _copy(columns, chunk)
        own = None if weights is None else _read_only(array[chunk].astype(dtype))
        yield (_view(pair[0]), _view(pair[1])), own, 0, chunk.stop - chunk.start


def _is_readable(column: CodedArray) -> bool:
    """Return whether values are native integers whose dtype can represent all labels."""
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
        return column._replace(values=in_64_bits(values))


def _view(column: CodedArray) -> ArrayView:
    values = column.values
    lowest = (column.lowest + (1 << 63)) % (1 << 64) - (1 << 63)
    address = values.__array_interface__["data"][0]
    return ArrayView(address, values.strides[0], values.itemsize, lowest, column.n_codes)


def _read_only(weights: AnyArray) -> AnyArray:
    """Return a read-only view, so that numba compiles no second version for writable arrays."""
    view = weights.view()
    view.flags.writeable = False
    return view
