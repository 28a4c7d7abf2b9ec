"""Intervals of the differences from the leader that hold together, whoever leads.

The leader is chosen for its kappa, so an interval of each difference by itself is too short:
of 30 equal predictions the last is nearly always "significantly" below the first. Here the
intervals of all pairs of predictions hold together (Tukey's comparisons, with the quantile of
the largest studentized difference taken from the bootstrap replicates), and so do those with
the leader, whichever of the predictions that is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import FloatTable
from fastkappa.kernels.threads import ItemRanges, run_in_threads

# Differences whose replicates vary less than this do not vary: the rounding errors of sums over
# a thousand groups, 1000 * 2**-53 each, are below it, and one item of a billion is above it.
LEAST_ERROR = 1e-12
# Predictions that are compared with another one together: their replicates stay in the cache.
ROWS = 64


def simultaneous_intervals(
    kappas: FloatTable,
    replicates: FloatTable,
    leader: int,
    confidence: float,
    num_threads: int = 1,
) -> FloatTable:
    """Return the simultaneous intervals of m kappas minus the leader's, shape (m, 2).

    ``replicates`` has the shape (r, m). The intervals are NaN where a kappa is undefined, and
    if there are too few replicates for the quantile.
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
    """Return the quantile of the largest studentized difference of any pair in a replicate.

    It is an order statistic that a further replicate exceeds with a probability of no more than
    ``1 - confidence``; NaN if there are too few replicates for one, 0 if no pair differs.
    """
    undefined = np.isnan(deviations)
    compared = (~undefined).sum(axis=0) > 1
    deviations = deviations[:, compared]
    has_undefined = undefined[:, compared].any()

    def work(ranges: ItemRanges) -> FloatTable:
        largest = np.zeros(deviations.shape[1])
        buffer = np.empty((ROWS, deviations.shape[1]))
        while bounds := ranges.take(ROWS):
            for j in range(bounds[1] - 1):
                rows = deviations[max(j + 1, bounds[0]) : bounds[1]]
                squares = np.subtract(rows, deviations[j], out=buffer[: len(rows)])
                squares *= squares
                n_defined: Any = deviations.shape[1]
                if has_undefined:
                    unknown = np.isnan(squares)
                    squares[unknown] = 0
                    n_defined = np.maximum(1, (~unknown).sum(axis=1))
                variances = squares.sum(axis=1) / n_defined
                variances[variances < LEAST_ERROR**2] = np.inf
                squares *= (1 / variances)[:, None]
                np.maximum(largest, squares.max(axis=0), out=largest)
        return largest

    num_threads = max(1, min(num_threads, len(deviations) // ROWS))
    largest = np.sqrt(np.max(run_in_threads(work, len(deviations), num_threads), axis=0))
    if not largest.any():
        return 0.0
    largest.sort()
    position = math.ceil(confidence * (len(largest) + 1))
    return float(largest[position - 1]) if position <= len(largest) else math.nan


def _standard_errors(differences: FloatTable) -> NDArray[np.float64]:
    """Return the standard deviation of each row around 0, without undefined replicates."""
    squares = np.einsum("jr,jr->j", differences, differences)
    n_defined = np.full(len(differences), differences.shape[1])
    for j in np.flatnonzero(np.isnan(squares)):
        known = differences[j][~np.isnan(differences[j])]
        squares[j], n_defined[j] = known @ known, max(1, len(known))
    errors: NDArray[np.float64] = np.sqrt(squares / n_defined)
    errors[errors < LEAST_ERROR] = 0
    return errors
