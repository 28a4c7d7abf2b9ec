"""Read columns of any integer type, stride and alignment in numba, and write their codes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types

from fastkappa.kernels.numba import vectors
from fastkappa.kernels.numba.vectors import WIDTH, intrinsic


class ArrayView(NamedTuple):
    """A column of integers in memory, where the value ``lowest``, modulo 2**64, has code 0."""

    address: int
    stride: int
    size: int
    lowest: int
    n_codes: int


@njit
def decode(
    views: Any, begin: int, end: int, stop: int, copies: int, row_codes: Any, column_codes: Any
) -> None:
    """Write the codes of pairs, padded with arbitrary codes to a whole number of vectors.

    A value that is not a label gets the code `n_codes`. Both columns are read in the same loop,
    because reading them one after the other is slower.
    """
    rows, columns = views
    row, row_stride = place_to_read(rows, begin, end, stop, copies)
    column, column_stride = place_to_read(columns, begin, end, stop, copies + 8 * len(row_codes))
    for i in range(0, end - begin, WIDTH):
        decode_column(rows, row + i * row_stride, row_stride, row_codes, i)
        decode_column(columns, column + i * column_stride, column_stride, column_codes, i)


@njit
def place_to_read(view: Any, begin: int, end: int, stop: int, copies: int) -> tuple[int, int]:
    """Return an address and a stride with which the values can be read as vectors.

    Values with gaps of 1 to 7 bytes are read as wider integers that include the gap, and then
    truncated. Truncation is correct because numba supports only little-endian hosts. Values with
    other strides are copied first. The last block is also copied if reading it as whole vectors
    could access memory beyond the column.
    """
    size, stride = view.size, view.stride
    count = end - begin
    source = view.address + begin * stride
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
def decode_column(view: Any, address: int, stride: int, codes: Any, position: int) -> None:
    lowest, n_codes = view.lowest, view.n_codes
    mask = -1 if view.size == 8 else (1 << 8 * view.size) - 1
    if stride == 1:
        decode_vector(1, address, lowest, mask, n_codes, codes, position)
    elif stride == 2:
        decode_vector(2, address, lowest, mask, n_codes, codes, position)
    elif stride == 4:
        decode_vector(4, address, lowest, mask, n_codes, codes, position)
    else:
        decode_vector(8, address, lowest, mask, n_codes, codes, position)


@njit
def address_of(array: Any) -> Any:
    # numba reads the address as an unsigned integer. Adding a signed integer to an unsigned one
    # would give a float.
    return np.int64(array.ctypes.data)


@intrinsic
def copy(typing: Any, size: Any, source: Any, target: Any) -> Any:
    """Copy ``size`` bytes from one address to another."""

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
    """Write the codes of WIDTH values, which are ``stride`` bytes apart."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, address, lowest, mask, n_codes, target, position = arguments
        bits = 8 * stride.literal_value
        read = vectors.integers(bits)
        written = vectors.integers(codes.dtype.bitwidth)
        # The code is computed in the wider of the types `read` and `written`. All codes, including
        # `n_codes`, fit in `written`, so they also fit in the wider type.
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
