"""The kernel for differences of rows, compiled by numba; see `fastkappa.kernels.contract`."""

from __future__ import annotations

from typing import Any

from fastkappa.kernels.numba.loops import compile_lazily


@compile_lazily
def largest_differences(rows: Any, factors: Any, start: int, largest: Any) -> None:
    """Raise ``largest`` to the scaled differences of some rows from all those before them."""
    for i in range(start, start + len(factors)):
        for j in range(i):
            factor = factors[i - start, j]
            for k in range(rows.shape[1]):
                difference = abs((rows[i, k] - rows[j, k]) * factor)
                largest[k] = max(largest[k], difference)
