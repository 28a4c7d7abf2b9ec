"""Count and sum pairs of codes in loops that numba compiles.

Each function is compiled at its first use and cached on disk if a cache folder is writable. numba
recompiles a function only if this file has changed, so touch this file after editing a module that
it imports.

Pairs of few labels are counted by `popcount`. Pairs of more labels are counted one by one, in four
tables in rotation. With a single table, equal pairs in a row would update the same counter, and
each update would wait for the previous one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import njit

from fastkappa.kernels.numba.popcount import (
    BLOCK,
    BLOCKS,
    COUNTERS,
    add_plane,
    address_of,
    mark_block,
    sum_of_bit,
)
from fastkappa.kernels.numba.vectors import WIDTH

# Four tables are faster than one only if all four stay in the L2 cache.
SUBTABLES = 4
LARGEST_SUBTABLE = 1 << 17
# The number of pairs whose counters are found before they are counted.
SHORT_BLOCK = 512


def compile_lazily(function: Callable[..., Any]) -> Any:
    """Compile a function at its first call, and cache it on disk if possible."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # the cache folder is not writable
        return numba.njit(nogil=True)(function)


@compile_lazily
def decode(values: Any, lowest: Any, n_codes: Any, codes: Any) -> None:
    """Write the code of each integer. A value outside the codes gets the code ``n_codes``."""
    for i in range(len(values)):
        codes[i] = min(np.uint64(values[i]) - lowest, n_codes)


@compile_lazily
def count_few(rows: Any, columns: Any, table: Any) -> None:
    """Add pairs of few labels to the table. Whole blocks are counted by positional popcount.

    ``rows`` and ``columns`` are pairs: values of one byte, and the value with code 0.
    """
    (first, lowest_first), (second, lowest_second) = rows, columns
    n_rows, n_columns = table.shape[0] - 1, table.shape[1] - 1
    n_cells = n_rows * n_columns
    n_planes = (n_cells + 6) // 8
    totals = np.zeros(8 * n_planes + 1, np.int64)
    scratch = np.empty(2 * BLOCK + n_planes * COUNTERS + WIDTH, np.uint8)
    first_mark = -address_of(scratch) % WIDTH
    first_counter = first_mark + 2 * BLOCK
    marks = address_of(scratch) + first_mark
    counters = address_of(scratch) + first_counter
    n_marked = 0
    for run in range(0, len(first), BLOCKS * BLOCK):
        scratch[first_counter:] = 0
        for begin in range(run, min(run + BLOCKS * BLOCK, len(first)), BLOCK):
            end = min(begin + BLOCK, len(first))
            if end - begin == BLOCK and not mark_block(
                (address_of(first) + begin, lowest_first, n_rows),
                (address_of(second) + begin, lowest_second, n_columns),
                marks,
            ):
                n_marked += BLOCK
                for plane in range(n_planes):
                    add_plane(marks, plane, counters + plane * COUNTERS)
                continue
            for i in range(begin, end):
                row = min(np.int64(first[i]) - lowest_first & 0xFF, n_rows)
                column = min(np.int64(second[i]) - lowest_second & 0xFF, n_columns)
                table[row, column] += 1
        for cell in range(8 * n_planes):
            totals[cell] += sum_of_bit(counters + cell // 8 * COUNTERS, cell % 8)

    totals[n_cells - 1] = n_marked - totals[: n_cells - 1].sum()
    for cell in range(n_cells):
        table[cell // n_columns, cell % n_columns] += totals[cell]


@compile_lazily
def count_many(row_codes: Any, column_codes: Any, table: Any) -> None:
    """Add pairs to the table one by one."""
    n_pairs = len(row_codes)
    if table.size > LARGEST_SUBTABLE or n_pairs < 4 * table.size:
        for i in range(n_pairs):
            table[row_codes[i], column_codes[i]] += 1
        return
    counters = np.empty(SHORT_BLOCK, np.uint32)
    subtables = np.zeros(table.size * SUBTABLES, np.uint32)
    for begin in range(0, n_pairs, SHORT_BLOCK):
        some = slice(begin, min(begin + SHORT_BLOCK, n_pairs))
        write_counters(row_codes[some], column_codes[some], table.shape[1], counters)
        count_in_turn(counters, some.stop - begin, subtables)
    add_subtables(subtables, table)


@compile_lazily
def sum_floats(row_codes: Any, column_codes: Any, weights: Any, counts: Any, table: Any) -> None:
    """Add pairs and their float64 weights to two tables."""
    n_pairs = len(row_codes)
    if counts.size > LARGEST_SUBTABLE or n_pairs < 4 * counts.size:
        for i in range(n_pairs):
            counts[row_codes[i], column_codes[i]] += 1
            table[row_codes[i], column_codes[i]] += weights[i]
        return
    counters = np.empty(SHORT_BLOCK, np.uint32)
    subcounts = np.zeros(table.size * SUBTABLES, np.uint32)
    subtables = np.zeros(table.size * SUBTABLES, np.float64)
    for begin in range(0, n_pairs, SHORT_BLOCK):
        some = slice(begin, min(begin + SHORT_BLOCK, n_pairs))
        write_counters(row_codes[some], column_codes[some], table.shape[1], counters)
        count_in_turn(counters, some.stop - begin, subcounts)
        sum_in_turn(counters, weights[some], subtables)
    add_subtables(subcounts, counts)
    add_subtables(subtables, table)


@compile_lazily
def sum_integers(
    row_codes: Any, column_codes: Any, weights: Any, counts: Any, high: Any, low: Any
) -> None:
    """Add pairs, and the upper and lower 32 bits of int64 or uint64 weights, to three tables."""
    for i in range(len(row_codes)):
        row, column, weight = row_codes[i], column_codes[i], weights[i]
        counts[row, column] += 1
        high[row, column] += np.int64(weight >> 32)
        low[row, column] += np.int64(weight & 0xFFFFFFFF)


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
def write_counters(row_codes: Any, column_codes: Any, n_columns: int, counters: Any) -> None:
    """Write, for each pair, the index of its first counter in the subtables."""
    step, rows_step = np.uint32(SUBTABLES), np.uint32(n_columns * SUBTABLES)
    for i in range(len(row_codes)):
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
def add_subtables(subtables: Any, table: Any) -> None:
    """Add the subtables to the table."""
    k = 0
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            table[row, column] += subtables[k : k + SUBTABLES].sum()
            k += SUBTABLES
