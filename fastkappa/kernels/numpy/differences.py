"""Compute differences of rows in NumPy; see `fastkappa.kernels.contract`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.kernels.contract import check_range


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
    buffer = np.empty((len(factors), rows.shape[1]), np.float32)
    for j in range(stop - 1):
        first = max(j + 1, start)
        differences = np.subtract(rows[first:stop], rows[j], out=buffer[: stop - first])
        differences *= factors[first - start :, j, None]
        np.abs(differences, out=differences)
        np.maximum(largest, differences.max(axis=0, initial=0), out=largest)
