"""Compute differences of rows with numba; see `fastkappa.kernels.contract`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.kernels.contract import check_range
from fastkappa.kernels.numba.loops import compile_lazily


def largest_differences(
    rows: NDArray[np.float32],
    factors: NDArray[np.float32],
    start: int,
    largest: NDArray[np.float32],
) -> None:
    """Update, per column, the largest scaled difference of some rows from all rows before them."""
    stop = start + len(factors)
    check_range(start, stop, rows)
    check_range(0, stop, factors.T)
    check_range(0, rows.shape[1], largest)
    _largest_differences(rows, factors, start, largest)


@compile_lazily
def _largest_differences(rows: Any, factors: Any, start: int, largest: Any) -> None:
    for i in range(start, start + len(factors)):
        for j in range(i):
            factor = factors[i - start, j]
            for k in range(rows.shape[1]):
                difference = abs((rows[i, k] - rows[j, k]) * factor)
                largest[k] = max(largest[k], difference)
