"""Count and sum pairs with numba, for machines without a C compiler.

The contract is the same as that of `fastkappa.kernels.numpy.pairs`. This module converts columns to
codes, one chunk at a time, and the functions in `loops` count the codes.
"""

from __future__ import annotations

from collections.abc import Iterator

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

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    raise ImportError("numba cannot compile the kernels, because NUMBA_DISABLE_JIT is set")

# The codes of a chunk stay in the cache, and tables of a few thousand cells are small beside it.
CHUNK = 1 << 17
LOOKED_UP_AT_ONCE = 1 << 13

READS_AS_FAST = True
# A kernel for rows would not be faster than the general kernels in numba.
MOST_ROW_LABELS = 0
count_rows = None
sum_moments = None


def simd_level() -> str:
    """Return a fixed text, because LLVM chooses the vector instructions."""
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
    n_rows, n_columns = table.shape[0] - 1, table.shape[1] - 1
    few = popcount.are_few(n_rows, n_columns) and part[1] - part[0] >= popcount.BLOCK
    if few and _are_bytes(first, lowest[0], n_rows) and _are_bytes(second, lowest[1], n_columns):
        own = [column[slice(*part)].view(np.uint8) for column in (first, second)]
        loops.count_few((own[0], lowest[0]), (own[1], lowest[1]), table)
        return
    for _, rows, columns in _codes(first, second, lowest, table, part):
        if few:
            loops.count_few((rows, 0), (columns, 0), table)
        else:
            loops.count_many(rows, columns, table)


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
    for chunk, rows, columns in _codes(first, second, lowest, tables[0], part):
        loops.sum_floats(rows, columns, weights[chunk].astype(np.float64), *tables)


def sum_pairs_exactly(
    first: AnyArray,
    second: AnyArray,
    lowest: Lowest,
    weights: AnyArray,
    tables: tuple[IntTable, IntTable, IntTable],
    part: Range,
) -> None:
    """Add the number of pairs in each cell, and their integer weights as ``high * 2**32 + low``."""
    check_range(*part, first, second, weights)
    check_tables(*tables)
    for chunk, rows, columns in _codes(first, second, lowest, tables[0], part):
        loops.sum_integers(rows, columns, in_64_bits(weights[chunk]), *tables)


def _are_bytes(values: AnyArray, lowest: int, n_codes: int) -> bool:
    """Return whether values of one byte, without gaps, can represent all labels."""
    least = -128 if values.dtype.kind == "i" else 0
    is_within = least <= lowest and lowest + n_codes <= least + 256
    return values.strides == (1,) and values.dtype.kind in "iub" and is_within


def _codes(
    first: AnyArray, second: AnyArray, lowest: Lowest, table: AnyArray, part: Range
) -> Iterator[tuple[slice, AnyArray, AnyArray]]:
    """Yield chunks of the part and the codes of both columns, for the rows and columns of a table.

    The arrays are overwritten by the next chunk.
    """
    n_codes = table.shape[0] - 1, table.shape[1] - 1
    dtype = next(t for t in (np.uint8, np.uint16, np.uint32) if max(n_codes) <= np.iinfo(t).max)
    buffers = np.empty((2, min(CHUNK, part[1] - part[0])), dtype)
    for chunk in chunks_of(part, CHUNK):
        codes = buffers[:, : chunk.stop - chunk.start]
        for values, least, n, own in zip((first, second), lowest, n_codes, codes):
            loops.decode(_readable(values[chunk]), np.uint64(least % (1 << 64)), np.uint64(n), own)
        yield chunk, codes[0], codes[1]


def _readable(values: AnyArray) -> AnyArray:
    """Return integers that compiled loops can read, as a copy if they cannot read the values."""
    dtype, flags = values.dtype, values.flags
    if dtype.kind not in "iub" or not dtype.isnative or not (flags.c_contiguous and flags.aligned):
        with np.errstate(invalid="ignore"):
            values = in_64_bits(values)
    # All arrays are read-only, so that numba compiles only one version per dtype.
    view = values.view()
    view.flags.writeable = False
    return view
