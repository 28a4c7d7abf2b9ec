"""Count and sum pairs in NumPy. The reference kernels in this module are always available.

All backends have the same modules and functions; see `fastkappa.kernels.contract`.

A column is a one-dimensional array, and the code of a value is ``value - lowest``. ``table`` has
one extra row and one extra column, for values that are not labels. Counting thus also checks the
bounds, and nothing is written outside the table. Kernels are serial and add the pairs of one
part of the columns to the table.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, FloatTable, IntTable, in_64_bits, offsets_from
from fastkappa.kernels.contract import (
    LabelHash,
    Lowest,
    Range,
    check_range,
    check_tables,
    chunks_of,
)
from fastkappa.kernels.numpy.keys import Keys, digits_a_key

READS_AS_FAST = False
# No kernel, because a kernel for rows would be no faster than the general kernels.
MOST_ROW_LABELS = 0
count_rows = None
sum_moments = None

# The number of items per chunk, which is small enough that temporary arrays stay in the L2 cache.
CHUNK = 1 << 16
# The number of values whose labels are looked up at a time.
LOOKED_UP_AT_ONCE = 1 << 13
# Tables with more cells than this are updated in place, because ``np.bincount`` would allocate a
# table for each chunk.
LARGEST_BINCOUNT = 1 << 17


def count_pairs(
    first: AnyArray, second: AnyArray, lowest: Lowest, table: IntTable, part: Range
) -> None:
    """Add the number of pairs in each cell to ``table``."""
    check_range(*part, first, second)
    check_tables(table)
    start, stop = part
    n_rows, n_columns = table.shape[0] - 1, table.shape[1] - 1
    n_digits = digits_a_key(n_rows, n_columns, stop - start)
    if n_digits == 0:
        _count_in_chunks(first, second, lowest, table, part)
        return
    keys = Keys(n_rows, n_columns, n_digits, stop - start)
    while start < stop:
        chunk = slice(start, start + keys.chunk_length(stop - start))
        start = chunk.stop
        if not keys.add(first[chunk], lowest[0], second[chunk], lowest[1]):
            _count_in_chunks(first, second, lowest, table, (chunk.start, start))
    table[:-1, :-1] += keys.table()


def simd_level() -> str:
    """Return a fixed string, because NumPy chooses the vector instructions itself."""
    return "left to the compiler"


def looks_up_as_fast() -> bool:
    """Return False, because a look-up is slower than counting."""
    return False


def _count_in_chunks(
    first: AnyArray, second: AnyArray, lowest: Lowest, table: IntTable, part: Range
) -> None:
    for cells, _ in _cells(first, second, lowest, table, part):
        _count(cells, table)


def _count(cells: NDArray[np.intp], table: IntTable) -> None:
    flat = table.reshape(-1)
    if flat.size <= LARGEST_BINCOUNT:
        flat += np.bincount(cells, minlength=flat.size)
    else:
        np.add.at(flat, cells, 1)


def look_up(values: AnyArray, hash: LabelHash, codes: AnyArray, part: Range) -> int:
    """Write the codes of values to ``codes``; return the number of values that are not labels."""
    start, stop = part
    check_range(start, stop, values)
    check_range(0, stop - start, codes)
    n_labels, last_slot = len(hash.labels) - 1, len(hash.slots) - 1
    n_unknown = 0
    for chunk in chunks_of(part, LOOKED_UP_AT_ONCE):
        wide = in_64_bits(values[chunk]).view(np.uint64)
        slots = ((wide * np.uint64(hash.multiplier)) >> np.uint64(hash.shift)).astype(np.intp)
        found = hash.slots[slots]
        other = np.flatnonzero(hash.labels[found] != wide)
        while len(other):
            n_unknown += int(np.count_nonzero(found[other] == n_labels))
            other = other[found[other] != n_labels]
            slots[other] = (slots[other] + 1) & last_slot
            found[other] = hash.slots[slots[other]]
            other = other[hash.labels[found[other]] != wide[other]]
        codes[chunk.start - start : chunk.stop - start] = found
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
    counts, sums = tables
    for cells, chunk in _cells(first, second, lowest, counts, part):
        _count(cells, counts)
        np.add.at(sums.reshape(-1), cells, weights[chunk].astype(np.float64))


def sum_pairs_exactly(
    first: AnyArray,
    second: AnyArray,
    lowest: Lowest,
    weights: AnyArray,
    tables: tuple[IntTable, IntTable, IntTable],
    part: Range,
) -> None:
    """Count the pairs of each cell, and sum their integer weights as ``high * 2**32 + low``.

    With fewer than 2**31 items, neither half can overflow, regardless of the weights.
    """
    check_range(*part, first, second, weights)
    check_tables(*tables)
    counts, high, low = tables
    for cells, chunk in _cells(first, second, lowest, counts, part):
        _count(cells, counts)
        wide = in_64_bits(weights[chunk])
        np.add.at(high.reshape(-1), cells, (wide >> wide.dtype.type(32)).astype(np.int64))
        np.add.at(low.reshape(-1), cells, (wide & wide.dtype.type(0xFFFFFFFF)).astype(np.int64))


def _cells(
    first: AnyArray, second: AnyArray, lowest: Lowest, table: AnyArray, part: Range
) -> Iterator[tuple[NDArray[np.intp], slice]]:
    """For each chunk, yield the flat table index of each pair, and the slice of the chunk."""
    for chunk in chunks_of(part, CHUNK):
        rows = _codes(first[chunk], lowest[0], table.shape[0] - 1)
        rows *= np.uint64(table.shape[1])
        rows += _codes(second[chunk], lowest[1], table.shape[1] - 1)
        yield rows.view(np.intp) if np.intp(0).itemsize == 8 else rows.astype(np.intp), chunk


def _codes(ratings: AnyArray, lowest: int, n_codes: int) -> NDArray[np.uint64]:
    """Return the codes of a chunk. A rating that is not a label gets the code ``n_codes``."""
    with np.errstate(invalid="ignore"):
        codes = offsets_from(ratings, lowest)
    return np.minimum(codes, np.uint64(n_codes), out=codes)
