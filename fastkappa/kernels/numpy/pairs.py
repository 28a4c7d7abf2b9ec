"""The reference kernels: NumPy alone, always there, always tested.

Every backend has the same two files and the same functions: see `fastkappa.kernels.contract`.

A column is a one-dimensional array and the value of its code 0: the code of a value is
``value - lowest``. ``table`` has one row and one column more than there are codes: values
outside the codes are counted there, so that the check of bounds is part of the count and
nothing can be written out of bounds. Kernels add the pairs ``start <= i < stop`` to the
table and are serial.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, FloatTable, IntTable, offsets_from
from fastkappa.kernels.contract import LabelHash, check_range, check_tables
from fastkappa.kernels.numpy.keys import Keys, digits_a_key

READS_AS_FAST = False
# NumPy has no faster way than the general one.
MOST_ROW_LABELS = 0
count_rows = None
sum_moments = None

# Small enough for the temporaries of a chunk to stay in the second-level cache.
CHUNK = 1 << 16
LOOKED_UP_AT_ONCE = 1 << 13
# ``np.bincount`` makes a table of its own for each chunk; a larger table is added to in place.
LARGEST_BINCOUNT = 1 << 17


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
    n_rows, n_columns = table.shape[0] - 1, table.shape[1] - 1
    n_digits = digits_a_key(n_rows, n_columns, stop - start)
    if n_digits == 0:
        _count_in_chunks(first, lowest_first, second, lowest_second, table, start, stop)
        return
    keys = Keys(n_rows, n_columns, n_digits, stop - start)
    while start < stop:
        chunk = slice(start, start + keys.chunk_length(stop - start))
        start = chunk.stop
        if not keys.add(first[chunk], lowest_first, second[chunk], lowest_second):
            _count_in_chunks(first, lowest_first, second, lowest_second, table, chunk.start, start)
    table[:-1, :-1] += keys.table()


def simd_level() -> str:
    """Return that NumPy's own dispatch decides."""
    return "left to the compiler"


def looks_up_as_fast() -> bool:
    """Return that a look-up takes longer than a count."""
    return False


def _count_in_chunks(
    first: AnyArray,
    lowest_first: int,
    second: AnyArray,
    lowest_second: int,
    table: IntTable,
    start: int,
    stop: int,
) -> None:
    flat = table.reshape(-1)
    for begin in range(start, stop, CHUNK):
        end = min(begin + CHUNK, stop)
        cells = _cells(first, lowest_first, second, lowest_second, table.shape, begin, end)
        _count(cells, flat)


def _count(cells: NDArray[np.intp], flat: NDArray[np.int64]) -> None:
    if flat.size <= LARGEST_BINCOUNT:
        flat += np.bincount(cells, minlength=flat.size)
    else:
        np.add.at(flat, cells, 1)


def look_up(values: AnyArray, hash: LabelHash, codes: AnyArray, start: int, stop: int) -> int:
    """Write the codes of values to ``codes`` and return how many are none of the labels."""
    check_range(start, stop, values)
    check_range(0, stop - start, codes)
    n_labels, last_slot = len(hash.labels) - 1, len(hash.slots) - 1
    n_unknown = 0
    for begin in range(start, stop, LOOKED_UP_AT_ONCE):
        chunk = values[begin : min(begin + LOOKED_UP_AT_ONCE, stop)]
        wide = chunk.astype(np.uint64 if chunk.dtype.kind == "u" else np.int64).view(np.uint64)
        slots = ((wide * np.uint64(hash.multiplier)) >> np.uint64(hash.shift)).astype(np.intp)
        found = hash.slots[slots]
        other = np.flatnonzero(hash.labels[found] != wide)
        while len(other):
            n_unknown += int(np.count_nonzero(found[other] == n_labels))
            other = other[found[other] != n_labels]
            slots[other] = (slots[other] + 1) & last_slot
            found[other] = hash.slots[slots[other]]
            other = other[hash.labels[found[other]] != wide[other]]
        codes[begin - start : begin - start + len(found)] = found
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
    flat = table.reshape(-1)
    for begin in range(start, stop, CHUNK):
        end = min(begin + CHUNK, stop)
        cells = _cells(first, lowest_first, second, lowest_second, table.shape, begin, end)
        _count(cells, counts.reshape(-1))
        np.add.at(flat, cells, weights[begin:end].astype(np.float64))


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
    """Add the number of pairs and the integer weights: the sum is ``high * 2**32 + low``.

    Neither half can overflow below 2**31 items, whatever the weights are.
    """
    check_range(start, stop, first, second, weights)
    check_tables(counts, high, low)
    for begin in range(start, stop, CHUNK):
        end = min(begin + CHUNK, stop)
        cells = _cells(first, lowest_first, second, lowest_second, high.shape, begin, end)
        _count(cells, counts.reshape(-1))
        chunk = weights[begin:end]
        wide = chunk.astype(np.uint64 if chunk.dtype.kind == "u" else np.int64)
        np.add.at(high.reshape(-1), cells, (wide >> wide.dtype.type(32)).astype(np.int64))
        np.add.at(low.reshape(-1), cells, (wide & wide.dtype.type(0xFFFFFFFF)).astype(np.int64))


def _cells(
    first: AnyArray,
    lowest_first: int,
    second: AnyArray,
    lowest_second: int,
    shape: tuple[int, ...],
    begin: int,
    end: int,
) -> NDArray[np.intp]:
    """Return the index of each pair's cell in the flattened table."""
    rows = _codes(first[begin:end], lowest_first, shape[0] - 1)
    rows *= np.uint64(shape[1])
    rows += _codes(second[begin:end], lowest_second, shape[1] - 1)
    return rows.view(np.intp) if np.intp(0).itemsize == 8 else rows.astype(np.intp)


def _codes(ratings: AnyArray, lowest: int, n_codes: int) -> NDArray[np.uint64]:
    """Return the codes of a chunk, ``n_codes`` for a rating outside them."""
    with np.errstate(invalid="ignore"):
        codes = offsets_from(ratings, lowest)
    return np.minimum(codes, np.uint64(n_codes), out=codes)
