"""Sum item weights without rounding errors, in any order.

A finite float is an integer multiple of 2**-1074, the smallest positive float. Therefore, each
weight can be split into 62-bit integers, starting with the leading bits. The kernels sum these
integers exactly. The totals are Python integers, which are also added and subtracted without
rounding.
"""

from __future__ import annotations

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import PairKernels
from fastkappa.ratings.column import Column
from fastkappa.ratings.item_weights import BEYOND_FLOAT64, check_finite_weights
from fastkappa.tables.count import count_known, on_known_labels
from fastkappa.tables.item_sums import whole_sums
from fastkappa.tables.known_labels import KnownLabels

# Sums are integers in units of 2**-UNIT_BITS, the smallest positive float64.
UNIT_BITS = 1074
SLICE_BITS = 62


def exact_sums(
    kernels: PairKernels,
    first: Column,
    second: Column,
    known: KnownLabels,
    weights: AnyArray,
    num_threads: int,
) -> AnyArray:
    """Return the exact sum of item weights in each cell, as Python integers in an object array.

    Raises
    ------
    ValueError
        If a weight is not finite.
    """
    encodings = (known.encode(first), known.encode(second))
    codecs = (encodings[0].codec, encodings[1].codec)

    def summed(integers: AnyArray) -> AnyArray:
        _, high, low = count_known(kernels, first, second, codecs, integers, num_threads)
        sums = whole_sums(high, low).astype(object)
        return on_known_labels(sums, encodings, known)

    if weights.dtype.kind != "f":
        return summed(weights) * (1 << UNIT_BITS)
    total = np.zeros((len(known), len(known)), object)
    rest = weights.astype(np.float64)
    check_finite_weights(rest)
    while len(rest) and (largest := float(np.abs(rest).max())):
        shift = SLICE_BITS - int(np.frexp(largest)[1])
        whole = np.ldexp(rest, shift).astype(np.int64)
        # Subtracting the leading bits of a float is exact, because it leaves the other bits
        # unchanged.
        rest = rest - np.ldexp(whole.astype(np.float64), -shift)
        sums = summed(whole)
        if shift <= UNIT_BITS:
            total = total + sums * (1 << (UNIT_BITS - shift))
        else:
            total = total + sums // (1 << (shift - UNIT_BITS))
    return total


def rounded(sums: AnyArray) -> AnyArray:
    """Round exact sums to the nearest floats.

    Raises
    ------
    OverflowError
        If a sum is outside the range of float64.
    """
    try:
        return (sums / (1 << UNIT_BITS)).astype(np.float64)
    except OverflowError:
        raise OverflowError(BEYOND_FLOAT64) from None
