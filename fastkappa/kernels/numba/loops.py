"""Count and sum pairs in loops that numba compiles.

Columns are passed as addresses and sizes, so one compiled version serves all types, strides and
alignments. Each function is compiled at its first use and cached on disk if a cache folder is
writable. numba recompiles a function only if this file has changed, so touch this file after
editing a module that it imports.

Pairs of few labels are counted by `popcount`. Pairs of more labels are counted one by one, using
four tables in rotation. With a single table, consecutive equal pairs would update the same counter,
and each update would wait for the previous one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import njit

from fastkappa.kernels.numba.columns import address_of, decode
from fastkappa.kernels.numba.popcount import (
    BLOCK,
    BLOCKS,
    COUNTERS,
    add_plane,
    mark_block,
    sum_of_bit,
)
from fastkappa.kernels.numba.vectors import WIDTH

# The number of tables that take turns counting pairs, so that updates rarely wait for each other.
SUBTABLES = 4
# The maximum number of cells per subtable. With more cells, pairs are counted in a single table,
# which is faster, because four subtables would not fit in the L2 cache.
LARGEST_SUBTABLE = 1 << 17
# The maximum number of pairs counted before the subtables are added to the table. With this limit,
# the 32-bit counters of the subtables cannot overflow.
LONGEST_RUN = 1 << 30
# The number of pairs in a block. All codes of a block are written before its pairs are counted.
SHORT_BLOCK = 512


def compile_lazily(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called, and cache it on disk if possible."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # the cache folder is not writable
        return numba.njit(nogil=True)(function)


@compile_lazily
def count_few(views: Any, table: Any, start: int, stop: int) -> None:
    """Add pairs of few labels to the table. Whole blocks are counted by positional popcount."""
    rows, columns = views
    n_cells = rows.n_codes * columns.n_codes
    n_planes = (n_cells + 6) // 8
    in_bytes = rows.stride == 1 and columns.stride == 1
    copies = np.empty(2 * BLOCK, np.int64)
    row_codes, column_codes = np.empty(BLOCK, np.uint8), np.empty(BLOCK, np.uint8)
    pair_counters = np.empty(BLOCK, np.uint32)
    subtables = np.zeros(table.size * SUBTABLES, np.uint32)
    totals = np.zeros(8 * n_planes + 1, np.int64)
    scratch = np.empty(2 * BLOCK + n_planes * COUNTERS + WIDTH, np.uint8)
    first_mark = -address_of(scratch) % WIDTH
    first_counter = first_mark + 2 * BLOCK
    marks = address_of(scratch) + first_mark
    counters = address_of(scratch) + first_counter
    n_marked = 0
    for run in range(start, stop, BLOCKS * BLOCK):
        scratch[first_counter:] = 0
        for begin in range(run, min(run + BLOCKS * BLOCK, stop), BLOCK):
            count = min(BLOCK, stop - begin)
            n_outside = 0
            if count < BLOCK:
                n_outside = count
            elif in_bytes:
                n_outside = mark_block(
                    (rows.address + begin, rows.lowest, rows.n_codes),
                    (columns.address + begin, columns.lowest, columns.n_codes),
                    marks,
                )
            if n_outside or not in_bytes:
                decode(
                    views, begin, begin + count, stop, address_of(copies), row_codes, column_codes
                )
            if count == BLOCK and not in_bytes:
                n_outside = mark_block(
                    (address_of(row_codes), 0, rows.n_codes),
                    (address_of(column_codes), 0, columns.n_codes),
                    marks,
                )
            if n_outside:
                write_counters(row_codes, column_codes, count, table.shape[1], pair_counters)
                count_in_turn(pair_counters, count, subtables)
                continue
            n_marked += BLOCK
            for plane in range(n_planes):
                add_plane(marks, plane, counters + plane * COUNTERS)
        for cell in range(8 * n_planes):
            totals[cell] += sum_of_bit(counters + cell // 8 * COUNTERS, cell % 8)
        empty_subtables(subtables, table)

    totals[n_cells - 1] = n_marked - totals[: n_cells - 1].sum()
    for cell in range(n_cells):
        table[cell // columns.n_codes, cell % columns.n_codes] += totals[cell]


@compile_lazily
def count_many(views: Any, table: Any, start: int, stop: int) -> None:
    """Add pairs to the table one by one."""
    copies = np.empty(2 * SHORT_BLOCK, np.int64)
    row_codes, column_codes = np.empty(SHORT_BLOCK, np.uint32), np.empty(SHORT_BLOCK, np.uint32)
    counters = np.empty(SHORT_BLOCK, np.uint32)
    in_turn = table.size <= LARGEST_SUBTABLE and stop - start >= 4 * table.size
    subtables = np.zeros(table.size * SUBTABLES if in_turn else 0, np.uint32)
    for run in range(start, stop, LONGEST_RUN):
        for begin in range(run, min(run + LONGEST_RUN, stop), SHORT_BLOCK):
            end = min(begin + SHORT_BLOCK, stop)
            decode(views, begin, end, stop, address_of(copies), row_codes, column_codes)
            if in_turn:
                write_counters(row_codes, column_codes, end - begin, table.shape[1], counters)
                count_in_turn(counters, end - begin, subtables)
            else:
                for i in range(end - begin):
                    table[row_codes[i], column_codes[i]] += 1
        if in_turn:
            empty_subtables(subtables, table)


@compile_lazily
def sum_floats(views: Any, weights: Any, counts: Any, table: Any, start: int, stop: int) -> None:
    """Add pairs and their float64 weights to two tables."""
    copies = np.empty(2 * SHORT_BLOCK, np.int64)
    row_codes, column_codes = np.empty(SHORT_BLOCK, np.uint32), np.empty(SHORT_BLOCK, np.uint32)
    counters = np.empty(SHORT_BLOCK, np.uint32)
    in_turn = table.size <= LARGEST_SUBTABLE and stop - start >= 4 * table.size
    subtables = np.zeros(table.size * SUBTABLES if in_turn else 0, np.float64)
    subcounts = np.zeros(len(subtables), np.int64)
    for begin in range(start, stop, SHORT_BLOCK):
        end = min(begin + SHORT_BLOCK, stop)
        decode(views, begin, end, stop, address_of(copies), row_codes, column_codes)
        if in_turn:
            write_counters(row_codes, column_codes, end - begin, table.shape[1], counters)
            count_in_turn(counters, end - begin, subcounts)
            sum_in_turn(counters, weights[begin:end], subtables)
        else:
            for i in range(end - begin):
                counts[row_codes[i], column_codes[i]] += 1
                table[row_codes[i], column_codes[i]] += weights[begin + i]
    if in_turn:
        empty_subtables(subcounts, counts)
        empty_subtables(subtables, table)


@compile_lazily
def sum_integers(
    views: Any, weights: Any, counts: Any, high: Any, low: Any, start: int, stop: int
) -> None:
    """Add pairs, and the upper and lower 32 bits of int64 or uint64 weights, to three tables."""
    copies = np.empty(2 * SHORT_BLOCK, np.int64)
    row_codes, column_codes = np.empty(SHORT_BLOCK, np.uint32), np.empty(SHORT_BLOCK, np.uint32)
    for begin in range(start, stop, SHORT_BLOCK):
        end = min(begin + SHORT_BLOCK, stop)
        decode(views, begin, end, stop, address_of(copies), row_codes, column_codes)
        for i in range(end - begin):
            weight = weights[begin + i]
            counts[row_codes[i], column_codes[i]] += 1
            high[row_codes[i], column_codes[i]] += np.int64(weight >> 32)
            low[row_codes[i], column_codes[i]] += np.int64(weight & 0xFFFFFFFF)


@compile_lazily
def look_up(values: Any, multiplier: Any, shift: Any, slots: Any, labels: Any, codes: Any) -> int:
    """Write the codes of 64-bit values; return the number of values that are not labels."""
    one, last_slot = np.uint64(1), np.uint64(len(slots) - 1)
    n_labels = len(labels) - 1
    n_unknown = 0
    for i in range(len(values)):
        value = values[i]
        slot = (value * multiplier) >> shift
        code = slots[slot]
        while labels[code] != value and code != n_labels:
            slot = (slot + one) & last_slot
            code = slots[slot]
        n_unknown += code == n_labels
        codes[i] = code
    return n_unknown


@njit
def write_counters(
    row_codes: Any, column_codes: Any, count: int, n_columns: int, counters: Any
) -> None:
    """Write, for each pair, the index of its first counter in the subtables."""
    step, rows_step = np.uint32(SUBTABLES), np.uint32(n_columns * SUBTABLES)
    for i in range(count):
        row, column = np.uint32(row_codes[i]), np.uint32(column_codes[i])
        counters[i] = row * rows_step + column * step


@njit
def count_in_turn(counters: Any, count: int, subtables: Any) -> None:
    """Count pairs in the four subtables in rotation."""
    in_fours = count - count % SUBTABLES
    for i in range(0, in_fours, SUBTABLES):
        subtables[counters[i]] += 1
        subtables[counters[i + 1] + 1] += 1
        subtables[counters[i + 2] + 2] += 1
        subtables[counters[i + 3] + 3] += 1
    for i in range(in_fours, count):
        subtables[counters[i]] += 1


@njit
def sum_in_turn(counters: Any, weights: Any, subtables: Any) -> None:
    """Add weights to the four subtables in rotation."""
    count = len(weights)
    in_fours = count - count % SUBTABLES
    for i in range(0, in_fours, SUBTABLES):
        subtables[counters[i]] += weights[i]
        subtables[counters[i + 1] + 1] += weights[i + 1]
        subtables[counters[i + 2] + 2] += weights[i + 2]
        subtables[counters[i + 3] + 3] += weights[i + 3]
    for i in range(in_fours, count):
        subtables[counters[i]] += weights[i]


@njit
def empty_subtables(subtables: Any, table: Any) -> None:
    """Add the subtables to the table and set them to 0."""
    k = 0
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            table[row, column] += subtables[k : k + SUBTABLES].sum()
            k += SUBTABLES
    subtables[:] = 0
