"""How numba's loops read columns of any type, stride and alignment, and write their codes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types

from fastkappa.kernels.numba import vectors
from fastkappa.kernels.numba.vectors import WIDTH, intrinsic


class ArrayView(NamedTuple):
    """A column of integers in memory: code 0 is the value ``lowest`` (modulo 2**64)."""

    address: int
    stride: int
    size: int
    lowest: int
    n_codes: int


@njit
def decode(
    views: Any, begin: int, end: int, stop: int, copies: int, row_codes: Any, column_codes: Any
) -> None:
    """Write the codes of pairs, `n_codes` for a value outside them, and a few codes more.

    Both columns are read at once: memory is slower when it is read in turns.
    """
    rows, columns = views
    row, row_stride = place_to_read(rows, begin, end, stop, copies)
    column, column_stride = place_to_read(columns, begin, end, stop, copies + 8 * len(row_codes))
    for i in range(0, end - begin, WIDTH):
        decode_column(rows, row + i * row_stride, row_stride, row_codes, i)
        decode_column(columns, column + i * column_stride, column_stride, column_codes, i)


@njit
def place_to_read(view: Any, begin: int, end: int, stop: int, copies: int) -> tuple[int, int]:
    """Return the address and the stride of values that can be read in vectors.

    Values with gaps of 1 to 7 bytes are read as wider ones, gap and all, and cut to their
    size. Behind the last one there may be nothing to read. (numba knows no big-endian host.)
    Others are copied, and so is the last block, which may end within a vector.
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
    # numba gives an unsigned integer: with a signed one it would make a float.
    return np.int64(array.ctypes.data)


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
    """Write the codes of WIDTH values, ``stride`` bytes apart, from a position on."""

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
