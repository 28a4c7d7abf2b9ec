"""Vector instructions for numba: LLVM's portable ones, one byte per lane.

numba leaves loops over bytes to LLVM's vectoriser, which gives up on the loops that
matter here. So they are written in LLVM's own vector language, which knows no processor:
LLVM turns it into AVX-512, AVX2, SSE2 or NEON, whatever there is. Functions decorated with
``intrinsic`` write such instructions, with the help of the others here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import binding, ir


def intrinsic(function: Callable[..., Any]) -> Any:
    """Make a function of one that writes its instructions.

    Like numba's decorator of this name, for arguments that may be literal integers.
    """
    return numba.extending.intrinsic(prefer_literal=True)(function)


def _vector_width() -> int:
    """Return the bytes of the widest vector; any width is right, a fitting one is fast."""
    try:
        features = binding.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know this processor
        return 16
    return 64 if features.get("avx512bw") else 32 if features.get("avx2") else 16


WIDTH = _vector_width()


def integers(bits: int, count: int = WIDTH) -> Any:
    """Return the type of a vector of ``count`` integers."""
    return ir.VectorType(ir.IntType(bits), count)


BYTES = integers(8)


def load(builder: Any, address: Any, loaded: Any = BYTES) -> Any:
    """Read from any address: nothing need be aligned."""
    return builder.load(builder.inttoptr(address, loaded.as_pointer()), align=1)


def store(builder: Any, value: Any, address: Any) -> None:
    """Write to any address."""
    builder.store(value, builder.inttoptr(address, value.type.as_pointer()), align=1)


def after(builder: Any, address: Any, n_bytes: int) -> Any:
    """Return the address ``n_bytes`` further on."""
    return builder.add(address, ir.Constant(address.type, n_bytes))


def constant(value: int, vector: Any = BYTES) -> Any:
    """Return a vector that holds a constant in every lane."""
    return ir.Constant(vector, [value] * vector.count)


def repeat(builder: Any, value: Any, vector: Any = BYTES) -> Any:
    """Return a vector that holds a number, cut to the size of a lane, in every lane."""
    nothing = ir.Constant(vector, ir.Undefined)
    first = ir.Constant(ir.IntType(32), 0)
    lane = builder.insert_element(nothing, resize(builder, value, vector.element), first)
    return builder.shuffle_vector(lane, nothing, constant(0, integers(32, vector.count)))


def resize(builder: Any, value: Any, wanted: Any) -> Any:
    """Return unsigned integers, a vector or one, with more or fewer bits."""
    bits, wanted_bits = _bits(value.type), _bits(wanted)
    if bits == wanted_bits:
        return value
    return builder.trunc(value, wanted) if bits > wanted_bits else builder.zext(value, wanted)


def minimum(builder: Any, x: Any, y: Any) -> Any:
    """Return the lesser of unsigned integers."""
    return builder.select(builder.icmp_unsigned("<", x, y), x, y)


def call(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Call one of LLVM's own functions."""
    function_type = ir.FunctionType(result, [argument.type for argument in arguments])
    module = builder.module
    function = module.globals.get(name) or ir.Function(module, function_type, name)
    return builder.call(function, arguments)


def n_true(builder: Any, mask: Any, wanted: Any) -> Any:
    """Return how many lanes of a comparison are true."""
    bits = builder.bitcast(mask, ir.IntType(mask.type.count))
    return resize(builder, builder.ctpop(bits), wanted)


def _bits(integer: Any) -> int:
    width: int = integer.element.width if isinstance(integer, ir.VectorType) else integer.width
    return width
