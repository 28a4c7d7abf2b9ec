"""What numba compiles: few functions, which take addresses and sizes, not arrays.

So one compiled version serves all types, strides and alignments. It is made when it is
first used and kept on disk where a cache folder is writable. All compiled functions are
in this file because numba compiles anew only when the file of a cached function changes.

Few labels are counted without counting each pair: positional popcount.

    1. A pair becomes its cell's number and that a byte with one bit set:

           labels 0..2:  pair (1, 2) -> cell 1*3 + 2 = 5 -> plane 0, byte 0b00100000
                         pair (2, 2) -> cell 2*3 + 2 = 8 -> plane 1, byte 0b00000001

       Plane p has cells 8p .. 8p+7; a byte of another plane is taken to be 0 there. The
       last cell needs no count: it has the pairs that are left. So here plane 1 is not
       looked at, and the nine cells cost one plane.

    2. Bits are counted by their position in the byte, with carry-save adders: three bytes
       x, y, z become their sum's ones and twos, for all 8 positions and all bytes of a
       vector at once, by five logical operations:

           x = 0b0001, y = 0b0101, z = 0b0100   ones = x^y^z         = 0b0000
                                                twos = majority bits = 0b0101

       A tree of 63 of them turns 64 vectors into one of weight 64 (and ones, twos, .. 32s,
       which wait for the next 64). Only that one is counted bit by bit.

More labels are counted one by one, in four tables in turn: a counter that has just been
written is not needed again at once, as it would be where most pairs are alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import njit, types

from fastkappa.counting import numba_vectors as vectors
from fastkappa.counting.numba_vectors import BYTES, WIDTH, intrinsic

# The vectors of a block: a power of 2.
VECTORS = 64
LEVELS = VECTORS.bit_length() - 1
BLOCK = VECTORS * WIDTH
# Counters of a plane: the vectors of weight 1, 2, 4 .. 32, and a vector of sums for each bit,
COUNTERS = (LEVELS + 8) * WIDTH
# whose bytes do not overflow within so many blocks.
BLOCKS = 255
# More planes than that cost more than counting one by one.
LARGEST_PLANES = {64: 32, 32: 16, 16: 7}[WIDTH]
# Counters of 32 bits do not overflow within so many pairs.
LONGEST_RUN = 1 << 30
SHORT_BLOCK = 512
SUBTABLES = 4
LARGEST_SUBTABLE = 1 << 17


class Ratings(NamedTuple):
    """A column of integers in memory: code 0 is the value ``lowest`` (modulo 2**64)."""

    address: int
    stride: int
    size: int
    lowest: int
    n_codes: int


def compile_lazily(function: Callable[..., None]) -> Any:
    """Compile a function when it is first called, and keep it on disk if that is possible."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no cache folder is writable
        return numba.njit(nogil=True)(function)


def are_few(n_rows: int, n_columns: int, n_pairs: int) -> bool:
    """Tell whether `count_few` can count pairs of so many codes, and is worth it."""
    n_cells = n_rows * n_columns
    return 0 < n_cells <= 8 * LARGEST_PLANES and max(n_rows, n_columns) < 256 and n_pairs >= BLOCK


# --- the loops ---


@compile_lazily
def count_few(ratings: Any, table: Any, start: int, stop: int) -> None:
    """Add pairs of few labels to the table: whole blocks by position of bits."""
    rows, columns = ratings
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
                    ratings, begin, begin + count, stop, address_of(copies), row_codes, column_codes
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
def count_many(ratings: Any, table: Any, start: int, stop: int) -> None:
    """Add pairs to the table one by one."""
    copies = np.empty(2 * SHORT_BLOCK, np.int64)
    row_codes, column_codes = np.empty(SHORT_BLOCK, np.uint32), np.empty(SHORT_BLOCK, np.uint32)
    counters = np.empty(SHORT_BLOCK, np.uint32)
    in_turn = table.size <= LARGEST_SUBTABLE and stop - start >= 4 * table.size
    subtables = np.zeros(table.size * SUBTABLES if in_turn else 0, np.uint32)
    for run in range(start, stop, LONGEST_RUN):
        for begin in range(run, min(run + LONGEST_RUN, stop), SHORT_BLOCK):
            end = min(begin + SHORT_BLOCK, stop)
            decode(ratings, begin, end, stop, address_of(copies), row_codes, column_codes)
            if in_turn:
                write_counters(row_codes, column_codes, end - begin, table.shape[1], counters)
                count_in_turn(counters, end - begin, subtables)
            else:
                for i in range(end - begin):
                    table[row_codes[i], column_codes[i]] += 1
        if in_turn:
            empty_subtables(subtables, table)


@compile_lazily
def sum_floats(ratings: Any, weights: Any, table: Any, start: int, stop: int) -> None:
    """Add float64 weights to the table."""
    copies = np.empty(2 * SHORT_BLOCK, np.int64)
    row_codes, column_codes = np.empty(SHORT_BLOCK, np.uint32), np.empty(SHORT_BLOCK, np.uint32)
    counters = np.empty(SHORT_BLOCK, np.uint32)
    in_turn = table.size <= LARGEST_SUBTABLE and stop - start >= 4 * table.size
    subtables = np.zeros(table.size * SUBTABLES if in_turn else 0, np.float64)
    for begin in range(start, stop, SHORT_BLOCK):
        end = min(begin + SHORT_BLOCK, stop)
        decode(ratings, begin, end, stop, address_of(copies), row_codes, column_codes)
        if in_turn:
            write_counters(row_codes, column_codes, end - begin, table.shape[1], counters)
            sum_in_turn(counters, weights[begin:end], subtables)
        else:
            for i in range(end - begin):
                table[row_codes[i], column_codes[i]] += weights[begin + i]
    if in_turn:
        empty_subtables(subtables, table)


@compile_lazily
def sum_integers(ratings: Any, weights: Any, high: Any, low: Any, start: int, stop: int) -> None:
    """Add the upper and the lower 32 bits of int64 or uint64 weights to two tables."""
    copies = np.empty(2 * SHORT_BLOCK, np.int64)
    row_codes, column_codes = np.empty(SHORT_BLOCK, np.uint32), np.empty(SHORT_BLOCK, np.uint32)
    for begin in range(start, stop, SHORT_BLOCK):
        end = min(begin + SHORT_BLOCK, stop)
        decode(ratings, begin, end, stop, address_of(copies), row_codes, column_codes)
        for i in range(end - begin):
            weight = weights[begin + i]
            high[row_codes[i], column_codes[i]] += np.int64(weight >> 32)
            low[row_codes[i], column_codes[i]] += np.int64(weight & 0xFFFFFFFF)


@njit
def address_of(array: Any) -> Any:
    # numba gives an unsigned integer: with a signed one it would make a float.
    return np.int64(array.ctypes.data)


@njit
def mark_block(rows: Any, columns: Any, marks: int) -> int:
    """Mark the cells of a block of bytes; return how many pairs are outside."""
    n_outside = 0
    for i in range(0, BLOCK, WIDTH):
        n_outside += mark_cells(
            rows[0] + i, rows[1], rows[2], columns[0] + i, columns[1], columns[2], marks + 2 * i
        )
    return n_outside


@njit
def write_counters(
    row_codes: Any, column_codes: Any, count: int, n_columns: int, counters: Any
) -> None:
    """Write where in the subtables the counters of each pair begin."""
    step, rows_step = np.uint32(SUBTABLES), np.uint32(n_columns * SUBTABLES)
    for i in range(count):
        row, column = np.uint32(row_codes[i]), np.uint32(column_codes[i])
        counters[i] = row * rows_step + column * step


@njit
def count_in_turn(counters: Any, count: int, subtables: Any) -> None:
    """Count pairs in the subtables."""
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
    """Add weights to the subtables."""
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


# --- ratings to codes ---


@njit
def decode(
    ratings: Any, begin: int, end: int, stop: int, copies: int, row_codes: Any, column_codes: Any
) -> None:
    """Write the codes of pairs, `n_codes` for a rating outside them, and a few codes more.

    Both columns are read at once, for memory is slower where it is read in turns.
    """
    rows, columns = ratings
    row, row_stride = place_to_read(rows, begin, end, stop, copies)
    column, column_stride = place_to_read(columns, begin, end, stop, copies + 8 * len(row_codes))
    for i in range(0, end - begin, WIDTH):
        decode_column(rows, row + i * row_stride, row_stride, row_codes, i)
        decode_column(columns, column + i * column_stride, column_stride, column_codes, i)


@njit
def place_to_read(ratings: Any, begin: int, end: int, stop: int, copies: int) -> tuple[int, int]:
    """Return the address and the stride of ratings that can be read in vectors.

    Ratings with gaps of 1 to 7 bytes are read as wider ones, gap and all, and cut to their
    size. Behind the last one there may be nothing to read. (numba knows no big-endian host.)
    Others are copied, and so is the last block, for it may end within a vector.
    """
    size, stride = ratings.size, ratings.stride
    count = end - begin
    source = ratings.address + begin * stride
    in_gaps = stride in (2, 4, 8) and stride > size and end < stop
    if count % WIDTH == 0 and (stride == size or in_gaps):
        return source, stride
    if size == 1:
        for i in range(count):
            copy(1, source + i * stride, copies + i)
    elif size == 2:
        for i in range(count):
            copy(2, source + i * stride, copies + 2 * i)
    elif size == 4:
        for i in range(count):
            copy(4, source + i * stride, copies + 4 * i)
    else:
        for i in range(count):
            copy(8, source + i * stride, copies + 8 * i)
    return copies, size


@njit
def decode_column(ratings: Any, address: int, stride: int, codes: Any, position: int) -> None:
    lowest, n_codes = ratings.lowest, ratings.n_codes
    mask = -1 if ratings.size == 8 else (1 << 8 * ratings.size) - 1
    if stride == 1:
        decode_vector(1, address, lowest, mask, n_codes, codes, position)
    elif stride == 2:
        decode_vector(2, address, lowest, mask, n_codes, codes, position)
    elif stride == 4:
        decode_vector(4, address, lowest, mask, n_codes, codes, position)
    else:
        decode_vector(8, address, lowest, mask, n_codes, codes, position)


# --- vector instructions ---


@intrinsic
def copy(typing: Any, size: Any, source: Any, target: Any) -> Any:
    """Copy ``size`` bytes."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, source, target = arguments
        value = vectors.load(builder, source, ir.IntType(8 * size.literal_value))
        vectors.store(builder, value, target)
        return context.get_dummy_value()

    return types.none(size, types.int64, types.int64), write


@intrinsic
def decode_vector(
    typing: Any,
    stride: Any,
    address: Any,
    lowest: Any,
    mask: Any,
    n_codes: Any,
    codes: Any,
    position: Any,
) -> Any:
    """Write the codes of WIDTH ratings, ``stride`` bytes apart, from a position on."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, address, lowest, mask, n_codes, target, position = arguments
        bits = 8 * stride.literal_value
        read = vectors.integers(bits)
        written = vectors.integers(codes.dtype.bitwidth)
        # All codes and the one outside fit in what is written, so the wider type holds them.
        wider = read if bits > codes.dtype.bitwidth else written
        value = vectors.load(builder, address, read)
        code = builder.sub(value, vectors.repeat(builder, lowest, read))
        code = builder.and_(code, vectors.repeat(builder, mask, read))
        code = vectors.resize(builder, code, wider)
        code = vectors.minimum(builder, code, vectors.repeat(builder, n_codes, wider))
        array = context.make_array(signature.args[5])(context, builder, target)
        start = builder.ptrtoint(array.data, address.type)
        offset = builder.mul(position, ir.Constant(position.type, codes.dtype.bitwidth // 8))
        vectors.store(builder, vectors.resize(builder, code, written), builder.add(start, offset))
        return context.get_dummy_value()

    integer = types.int64
    return types.none(stride, integer, integer, integer, integer, codes, integer), write


@intrinsic
def mark_cells(
    typing: Any,
    rows: Any,
    lowest_row: Any,
    n_rows: Any,
    columns: Any,
    lowest_column: Any,
    n_columns: Any,
    marks: Any,
) -> Any:
    """Write a vector of bytes with one bit set, one of their planes; return how many are outside.

    The pairs are WIDTH bytes at ``rows`` and at ``columns``. Their cells fit in a byte.
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows, lowest_row, n_rows, columns, lowest_column, n_columns, marks = arguments
        row = builder.sub(vectors.load(builder, rows), vectors.repeat(builder, lowest_row))
        column = builder.sub(vectors.load(builder, columns), vectors.repeat(builder, lowest_column))
        outside = builder.or_(
            builder.icmp_unsigned(">=", row, vectors.repeat(builder, n_rows)),
            builder.icmp_unsigned(">=", column, vectors.repeat(builder, n_columns)),
        )
        # Two bytes are multiplied at once: the lower product does not reach the upper byte.
        twos = vectors.integers(16, WIDTH // 2)
        before = builder.mul(builder.bitcast(row, twos), vectors.repeat(builder, n_columns, twos))
        cell = builder.add(builder.bitcast(before, BYTES), column)
        bit = builder.shl(vectors.constant(1), builder.and_(cell, vectors.constant(7)))
        vectors.store(builder, bit, marks)
        plane = builder.lshr(cell, vectors.constant(3))
        vectors.store(builder, plane, vectors.after(builder, marks, WIDTH))
        return vectors.n_true(builder, outside, marks.type)

    return types.int64(*[types.int64] * 7), write


@intrinsic
def add_plane(typing: Any, marks: Any, plane: Any, counters: Any) -> Any:
    """Add the bits of a block's bytes that belong to a plane to its counters."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        marks, plane, counters = arguments
        wanted, zero = vectors.repeat(builder, plane), vectors.constant(0)
        waiting = [
            vectors.load(builder, vectors.after(builder, counters, level * WIDTH))
            for level in range(LEVELS)
        ]
        positions = iter(range(VECTORS))

        def carry(level: int) -> Any:
            """Return the next vector of weight 2**level."""
            if level == 0:
                here = vectors.after(builder, marks, 2 * WIDTH * next(positions))
                bit = vectors.load(builder, here)
                planes = vectors.load(builder, vectors.after(builder, here, WIDTH))
                return builder.select(builder.icmp_unsigned("==", planes, wanted), bit, zero)
            x, y, z = carry(level - 1), carry(level - 1), waiting[level - 1]
            differ = builder.xor(x, y)
            waiting[level - 1] = builder.xor(differ, z)
            return builder.or_(builder.and_(x, y), builder.and_(differ, z))

        whole = carry(LEVELS)
        for level in range(LEVELS):
            here = vectors.after(builder, counters, level * WIDTH)
            vectors.store(builder, waiting[level], here)
        for bit in range(8):
            here = vectors.after(builder, counters, (LEVELS + bit) * WIDTH)
            chosen = builder.and_(whole, vectors.constant(1 << bit))
            is_set = builder.icmp_unsigned("!=", chosen, zero)
            # A true lane is -1.
            total = builder.sub(vectors.load(builder, here), builder.sext(is_set, BYTES))
            vectors.store(builder, total, here)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64), write


@intrinsic
def sum_of_bit(typing: Any, counters: Any, bit: Any) -> Any:
    """Return how often a bit was set, from the counters of its plane."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        counters, bit = arguments
        word = bit.type
        sums = builder.add(counters, builder.mul(bit, ir.Constant(word, WIDTH)))
        sums = vectors.load(builder, vectors.after(builder, sums, LEVELS * WIDTH))
        sums = vectors.resize(builder, sums, vectors.integers(32))
        name = f"llvm.vector.reduce.add.v{WIDTH}i32"
        whole = vectors.resize(builder, vectors.call(builder, name, ir.IntType(32), sums), word)
        total = builder.shl(whole, ir.Constant(word, LEVELS))
        chosen = vectors.repeat(builder, builder.shl(ir.Constant(word, 1), bit))
        for level in range(LEVELS):
            here = vectors.after(builder, counters, level * WIDTH)
            bits = builder.and_(vectors.load(builder, here), chosen)
            is_set = builder.icmp_unsigned("!=", bits, vectors.constant(0))
            ones = vectors.n_true(builder, is_set, word)
            total = builder.add(total, builder.shl(ones, ir.Constant(word, level)))
        return total

    return types.int64(types.int64, types.int64), write
