"""Emit portable LLVM vector instructions in numba functions, with one byte per lane.

LLVM does not vectorize the byte loops of these kernels by itself. The loops therefore use LLVM's
vector instructions, which are independent of the processor. LLVM translates them to AVX-512,
AVX2, SSE2 or NEON. Functions decorated with ``intrinsic`` emit such instructions, and the other
functions in this module are their helpers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import binding, ir


def intrinsic(function: Callable[..., Any]) -> Any:
    """Turn a function that emits LLVM instructions into an intrinsic.

    Unlike numba's decorator, this one passes literal integers to the function as literal types.
    """
    return numba.extending.intrinsic(prefer_literal=True)(function)


def _vector_width() -> int:
    """Return the size of the processor's widest vectors, in bytes. Other sizes are slower."""
    try:
        features = binding.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know this processor's name
        return 16
    return 64 if features.get("avx512bw") else 32 if features.get("avx2") else 16


WIDTH = _vector_width()


def integers(bits: int, count: int = WIDTH) -> Any:
    """Return the type of a vector of ``count`` integers."""
    return ir.VectorType(ir.IntType(bits), count)


BYTES = integers(8)


def load(builder: Any, address: Any, loaded: Any = BYTES) -> Any:
    """Read a vector from any address, aligned or not."""
    return builder.load(builder.inttoptr(address, loaded.as_pointer()), align=1)


def store(builder: Any, value: Any, address: Any) -> None:
    """Write a vector to any address, aligned or not."""
    builder.store(value, builder.inttoptr(address, value.type.as_pointer()), align=1)


def after(builder: Any, address: Any, n_bytes: int) -> Any:
    """Return the address that is ``n_bytes`` after the given address."""
    return builder.add(address, ir.Constant(address.type, n_bytes))


def constant(value: int, vector: Any = BYTES) -> Any:
    """Return a vector with the same constant in each lane."""
    return ir.Constant(vector, [value] * vector.count)


def repeat(builder: Any, value: Any, vector: Any = BYTES) -> Any:
    """Return a vector whose lanes all contain the same number, truncated to the size of a lane."""
    nothing = ir.Constant(vector, ir.Undefined)
    first = ir.Constant(ir.IntType(32), 0)
    lane = builder.insert_element(nothing, resize(builder, value, vector.element), first)
    return builder.shuffle_vector(lane, nothing, constant(0, integers(32, vector.count)))


def resize(builder: Any, value: Any, wanted: Any) -> Any:
    """Convert an unsigned integer, or a vector of them, to more or fewer bits."""
    bits, wanted_bits = _bits(value.type), _bits(wanted)
    if bits == wanted_bits:
        return value
    return builder.trunc(value, wanted) if bits > wanted_bits else builder.zext(value, wanted)


def minimum(builder: Any, x: Any, y: Any) -> Any:
    """Return the smaller of two unsigned integers, or the lane-wise minimum of two vectors."""
    return builder.select(builder.icmp_unsigned("<", x, y), x, y)


def call(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Call an LLVM function by name."""
    function_type = ir.FunctionType(result, [argument.type for argument in arguments])
    module = builder.module
    function = module.globals.get(name) or ir.Function(module, function_type, name)
    return builder.call(function, arguments)


def n_true(builder: Any, mask: Any, wanted: Any) -> Any:
    """Return the number of lanes in which a comparison is true."""
    bits = builder.bitcast(mask, ir.IntType(mask.type.count))
    return resize(builder, builder.ctpop(bits), wanted)


def _bits(integer: Any) -> int:
    width: int = integer.element.width if isinstance(integer, ir.VectorType) else integer.width
    return width
