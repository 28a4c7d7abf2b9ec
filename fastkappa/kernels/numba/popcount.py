"""Count pairs of few labels in numba by positional popcount, many pairs at a time.

1. Each pair is converted to a cell number, and then to a plane and a byte with one bit set:

       labels 0..2:  pair (1, 2) -> cell 1*3 + 2 = 5 -> plane 0, byte 0b00100000
                     pair (2, 2) -> cell 2*3 + 2 = 8 -> plane 1, byte 0b00000001

   Plane p contains cells 8p to 8p+7. While a plane is counted, the bytes of other planes count
   as 0. The last cell need not be counted, because all remaining pairs belong to it. In this
   example, plane 1 is therefore skipped, and the nine cells need only one plane.

2. Carry-save adders count the bits at each position of the bytes. An adder reduces three bytes x,
   y, z to two: the ones and the twos of their sum. Five logical operations add the bits at all 8
   positions of all bytes of a vector at once:

       x = 0b0001, y = 0b0101, z = 0b0110   ones = x^y^z         = 0b0010
                                            twos = majority bits = 0b0101

   A tree of 63 adders turns 64 vectors into one vector of weight 64. Only the vector of weight 64
   is counted bit by bit. The vectors of weights 1, 2, ..., 32 are kept for the next 64 vectors.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types

from fastkappa.kernels.numba import vectors
from fastkappa.kernels.numba.vectors import BYTES, WIDTH, intrinsic

# The number of vectors in a block, a power of 2.
VECTORS = 64
LEVELS = VECTORS.bit_length() - 1
BLOCK = VECTORS * WIDTH
# The size of a plane's counters in bytes. A plane has one vector per weight (1, 2, 4, ..., 32) and
# one vector of sums for each of eight bits.
COUNTERS = (LEVELS + 8) * WIDTH
# The maximum number of blocks that can be added up without an overflow of the byte sums.
BLOCKS = 255
# The largest number of planes, which depends on the vector width in bytes. With more planes,
# counting pairs one by one is faster.
LARGEST_PLANES = {64: 32, 32: 16, 16: 7}[WIDTH]


def are_few(n_rows: int, n_columns: int) -> bool:
    """Return whether the table has few planes, and the codes and cell numbers fit in bytes."""
    return 0 < n_rows * n_columns <= 8 * LARGEST_PLANES and max(n_rows, n_columns) < 256


@njit
def mark_block(rows: Any, columns: Any, marks: int) -> int:
    """Mark the cells of a block of byte pairs; return the number of pairs outside the labels."""
    n_outside = 0
    for i in range(0, BLOCK, WIDTH):
        n_outside += mark_cells(
            rows[0] + i, rows[1], rows[2], columns[0] + i, columns[1], columns[2], marks + 2 * i
        )
    return n_outside


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
    """Write the bit and the plane of each pair. Return the number of pairs outside the labels.

    The WIDTH bytes at ``rows`` are paired with the WIDTH bytes at ``columns``. Each cell number
    must fit in a byte.
    """

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows, lowest_row, n_rows, columns, lowest_column, n_columns, marks = arguments
        row = builder.sub(vectors.load(builder, rows), vectors.repeat(builder, lowest_row))
        column = builder.sub(vectors.load(builder, columns), vectors.repeat(builder, lowest_column))
        outside = builder.or_(
            builder.icmp_unsigned(">=", row, vectors.repeat(builder, n_rows)),
            builder.icmp_unsigned(">=", column, vectors.repeat(builder, n_columns)),
        )
        # One 16-bit multiplication handles two bytes, because the product of the lower byte fits
        # in a byte.
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
    """Select the bytes of a block that belong to a plane, and add them to the plane's counters."""

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
            # A true lane contains -1, so subtracting the lane adds 1.
            total = builder.sub(vectors.load(builder, here), builder.sext(is_set, BYTES))
            vectors.store(builder, total, here)
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64), write


@intrinsic
def sum_of_bit(typing: Any, counters: Any, bit: Any) -> Any:
    """Return how often a bit was set, according to the counters of its plane."""

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
