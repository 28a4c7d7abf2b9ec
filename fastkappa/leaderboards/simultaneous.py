"""Compute simultaneous intervals for the differences from the leader.

The leader is the prediction with the highest kappa, so separate intervals are too narrow: they
nearly always make the last of 30 equally good predictions "significantly" worse than the first. The
intervals in this module are simultaneous for all pairs of predictions (Tukey's comparisons), so
they are valid whichever prediction leads. Their width depends on a quantile, over bootstrap
replicates, of the largest studentized difference.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import FloatTable
from fastkappa.kernels.threads import ItemRanges, run_in_threads

# A difference is treated as constant if its standard deviation over replicates is below this limit.
# Rounding errors of sums over 1000 groups (1000 * 2**-53) are below the limit. A difference of one
# item in a billion is above the limit.
LEAST_ERROR = 1e-12
# The number of predictions that are compared with all others at a time. The replicates of this many
# predictions stay in the cache.
ROWS = 64


def simultaneous_intervals(
    kappas: FloatTable,
    replicates: FloatTable,
    leader: int,
    confidence: float,
    num_threads: int = 1,
) -> FloatTable:
    """Return simultaneous intervals for the differences of m kappas from the leader's kappa.

    ``replicates`` has shape (r, m), and the result has shape (m, 2). An interval is NaN if its
    kappa is undefined. All intervals are NaN if there are too few replicates for the quantile.
    """
    intervals = np.full((len(kappas), 2), np.nan)
    defined = ~np.isnan(kappas) & ~np.isnan(replicates).all(axis=0)
    if not defined[leader]:
        return intervals
    some = replicates[:, defined]
    deviations = np.ascontiguousarray((some - np.nanmean(some, axis=0)).T)
    leads = int(defined[:leader].sum())
    errors = _standard_errors(deviations - deviations[leads])
    half = _quantile_of_largest(deviations, confidence, num_threads) * errors
    differences = kappas[defined] - kappas[leader]
    differences[(errors == 0) & (np.abs(differences) < LEAST_ERROR)] = 0
    intervals[defined] = np.stack([differences - half, differences + half], axis=1)
    return intervals


def _quantile_of_largest(deviations: FloatTable, confidence: float, num_threads: int) -> float:
    """Return a quantile, over replicates, of the largest studentized difference of two kappas.

    The quantile is an order statistic that another replicate would exceed with a probability of at
    most ``1 - confidence``. The result is NaN if there are too few replicates, and 0 if all kappas
    are equal.
    """
    undefined = np.isnan(deviations)
    compared = (~undefined).sum(axis=0) > 1
    # NumPy's order of summation depends on the memory layout. A fixed layout makes the results
    # reproducible.
    deviations = np.ascontiguousarray(deviations[:, compared])
    position = math.ceil(confidence * (deviations.shape[1] + 1))
    if position > deviations.shape[1]:
        return math.nan

    def work(ranges: ItemRanges) -> FloatTable:
        squares = np.zeros(deviations.shape[1])
        while bounds := ranges.take(1):
            j = bounds[0]
            for start in range(j + 1, len(deviations), ROWS):
                rows = deviations[start : start + ROWS]
                np.maximum(squares, _studentized(rows, deviations[j]).max(axis=0), out=squares)
        return squares

    # A thread is worth starting only if it gets at least ROWS predictions.
    num_threads = max(1, min(num_threads, len(deviations) // ROWS))
    squares = np.max(run_in_threads(work, len(deviations), num_threads), axis=0)
    return float(np.sort(np.sqrt(squares))[position - 1])


def _studentized(some: FloatTable, others: FloatTable) -> FloatTable:
    """Return squared differences, divided by the mean of their row, or 0 if the mean is tiny."""
    squares = some - others
    squares *= squares
    undefined = np.isnan(squares)
    n_defined: Any = squares.shape[1]
    if undefined.any():
        squares[undefined] = 0
        n_defined = np.maximum(1, (~undefined).sum(axis=1))
    variances = squares.sum(axis=1) / n_defined
    variances[variances < LEAST_ERROR**2] = np.inf
    squares *= (1 / variances)[:, None]
    return squares


def _standard_errors(differences: FloatTable) -> NDArray[np.float64]:
    """Return the root mean square of each row, ignoring undefined replicates."""
    squares = np.einsum("jr,jr->j", differences, differences)
    n_defined = np.full(len(differences), differences.shape[1])
    for j in np.flatnonzero(np.isnan(squares)):
        known = differences[j][~np.isnan(differences[j])]
        squares[j], n_defined[j] = known @ known, max(1, len(known))
    errors: NDArray[np.float64] = np.sqrt(squares / n_defined)
    errors[errors < LEAST_ERROR] = 0
    return errors
