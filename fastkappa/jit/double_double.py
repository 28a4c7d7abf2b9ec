"""Compute sums and products with twice the precision of a float, inside compiled loops.

A number is stored as a pair (high, low) whose sum is the number, where high is the number rounded
to a float. Integers below 2**104 are represented exactly.

References
----------
T. J. Dekker (1971). A floating-point technique for extending the available precision.
Numerische Mathematik 18, 224-242.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from fastkappa.jit.compiling import exactly

# The factor that splits a float into two halves of 26 bits.
SPLITTER = float((1 << 27) + 1)


def double_double(number: Any) -> Any:
    """Convert an integer or a float to a pair."""
    raise NotImplementedError("for compiled code")


@overload(double_double, strict=False)
def _compile_double_double(number: Any) -> Any:
    if isinstance(number, types.Float):
        return lambda number: (np.float64(number), 0.0)
    kind = np.int64 if number.signed else np.uint64
    mask = kind(0xFFFFFFFF)

    def of_integer(number: Any) -> Any:
        # One float cannot represent every integer above 2**53, but two floats can represent any
        # 64-bit integer: one contains its upper 32 bits, and the other contains its lower 32 bits.
        low = kind(number) & mask
        return _two_sum(np.float64(kind(number) - low), np.float64(low))

    return of_integer


@exactly
def add(x: Any, y: Any) -> Any:
    high, error = _two_sum(x[0], y[0])
    low, lowest = _two_sum(x[1], y[1])
    high, error = _quick_two_sum(high, error + low)
    return _quick_two_sum(high, error + lowest)


@exactly
def multiply(x: Any, y: Any) -> Any:
    high, error = _two_product(x[0], y[0])
    return _quick_two_sum(high, error + (x[0] * y[1] + x[1] * y[0]))


@exactly
def subtract(x: Any, y: Any) -> Any:
    return add(x, (-y[0], -y[1]))


@exactly
def _two_sum(a: float, b: float) -> Any:
    total = a + b
    from_b = total - a
    return total, (a - (total - from_b)) + (b - from_b)


@exactly
def _quick_two_sum(a: float, b: float) -> Any:
    total = a + b
    return total, b - (total - a)


@exactly
def _two_product(a: float, b: float) -> Any:
    product = a * b
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@exactly
def _halves(a: float) -> Any:
    spread = SPLITTER * a
    high = spread - (spread - a)
    return high, a - high
