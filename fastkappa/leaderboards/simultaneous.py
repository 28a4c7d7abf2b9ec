"""Compute simultaneous intervals for the differences from the leader.

The leader is chosen for its kappa, so separate intervals for the differences are too narrow. The
last of 30 equally good predictions is nearly always "significantly" below the first. The intervals
in this module are simultaneous for all pairs of predictions (Tukey's comparisons), so they are
valid whichever prediction leads. They use the quantile of the largest studentized difference in the
bootstrap replicates.

With many predictions, nearly all pairs are far from the largest difference in a replicate, and
nearly all replicates are far from the quantile. So all differences are first computed in float32,
with an error bound. The differences that could be the quantile are computed again in float64. The
result is bitwise identical to computing everything in float64.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import FloatTable
from fastkappa.kernels.threads import ItemRanges, run_in_threads

# Replicates of a difference are treated as constant if their standard deviation is below this
# limit. Rounding errors of sums over 1000 groups, 1000 * 2**-53, are below the limit. Even a single
# item in a billion makes a difference above the limit.
LEAST_ERROR = 1e-12
# The number of predictions compared with others at a time, so that replicates stay in the cache.
ROWS = 64
# A pair is computed in float64 if its replicates exceed their differences by more than this factor,
# because float32 would leave too few digits of the differences.
CLOSE = 1024.0
# The number of pairs for which standard errors are computed together.
AT_ONCE = 1 << 21
# An upper bound on the sum of several relative rounding errors of float32.
SINGLE = 2.0**-22


def simultaneous_intervals(
    kappas: FloatTable,
    replicates: FloatTable,
    leader: int,
    confidence: float,
    num_threads: int = 1,
) -> FloatTable:
    """Return simultaneous intervals for m kappas minus the leader's kappa, of shape (m, 2).

    ``replicates`` has the shape (r, m). The interval is NaN if the kappa is undefined. All
    intervals are NaN if there are too few replicates for the quantile.
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

    The quantile is an order statistic that another replicate would exceed with a probability of at
    most ``1 - confidence``. The result is NaN if there are too few replicates, and 0 if no pair
    differs.
    """
    undefined = np.isnan(deviations)
    compared = (~undefined).sum(axis=0) > 1
    # The memory layout is fixed, because NumPy's order of summation depends on it.
    deviations = np.ascontiguousarray(deviations[:, compared])
    position = math.ceil(confidence * (deviations.shape[1] + 1))
    if position > deviations.shape[1]:
        return math.nan
    has_undefined = undefined[:, compared].any()
    if not has_undefined and len(deviations) > ROWS:
        return _Screened(deviations, num_threads).largest_at(position)
    squares = np.zeros(deviations.shape[1])
    for j in range(len(deviations) - 1):
        for start in range(j + 1, len(deviations), ROWS):
            rows = deviations[start : start + ROWS]
            np.maximum(squares, _studentized(rows, deviations[j]).max(axis=0), out=squares)
    if not squares.any():
        return 0.0
    return float(np.sort(np.sqrt(squares))[position - 1])


def _studentized(some: FloatTable, others: FloatTable) -> FloatTable:
    """Return the squared differences of rows divided by their variance, or 0 if constant."""
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


class _Block(NamedTuple):
    """The pairs of the rows ``start`` to ``stop`` with all rows before them.

    ``largest`` is the largest difference in each replicate, in float32. ``of_close`` is the largest
    squared difference of close pairs in each replicate, in float64.
    """

    start: int
    stop: int
    largest: NDArray[np.float32]
    of_close: FloatTable


class _Screened:
    """Finds the quantile of the largest studentized difference, mostly in float32."""

    def __init__(self, deviations: FloatTable, num_threads: int) -> None:
        # Duplicate rows are dropped, because they add no new differences.
        self._rows = np.array(list({row.tobytes(): row for row in deviations}.values()))
        self._centred = self._rows - self._rows.mean(axis=0)
        # Differences between replicates far from 0 are less precise, so the size of the replicates
        # is added to the extent.
        self._extents = np.abs(self._centred).max(axis=1)
        self._extents += SINGLE * np.abs(self._rows).max(axis=1)
        self._moments = np.einsum("jr,jr->j", self._centred, self._centred)
        self._blocks: list[_Block] = []
        at_once = max(ROWS, AT_ONCE // len(self._rows))
        for start in range(0, len(self._rows), at_once):
            # The products are computed in a few large calls, because the threads of BLAS keep
            # spinning for a while after each call.
            factors = self._factors(start, min(start + at_once, len(self._rows)))
            work = partial(self._compare, start, factors)
            for blocks in run_in_threads(work, len(factors), max(1, num_threads)):
                self._blocks += blocks

    def largest_at(self, position: int) -> float:
        """Return the difference at a position, counted from 1 in ascending order."""
        n_replicates = self._rows.shape[1]
        of_close = np.max([block.of_close for block in self._blocks], axis=0)
        largest = np.max([block.largest for block in self._blocks], axis=0).astype(np.float64)
        largest = np.maximum(largest, np.sqrt(of_close))
        if not largest.any():
            return 0.0
        # The error has two parts: the error of the differences, and the error of their factors,
        # which are computed from sums of squares.
        error = CLOSE * SINGLE
        error += largest.max() * (4 * SINGLE + n_replicates * CLOSE**2 * np.finfo(float).eps)
        there = np.sort(largest)[position - 1]
        candidates = np.flatnonzero(np.abs(largest - there) <= 2 * error)
        squares = of_close[candidates]
        for block in self._blocks:
            least = largest[candidates] - 2 * error
            wanted = np.flatnonzero(block.largest[candidates] >= least)
            factors = self._factors(block.start, block.stop) if len(wanted) else np.empty(0)
            for i in wanted.tolist():
                values = self._centred[: block.stop, candidates[i]]
                differences = np.abs(values[block.start :, None] - values) * factors
                pairs = np.argwhere((factors > 0) & (differences >= least[i]))
                pairs[:, 0] += block.start
                squares[i] = max(squares[i], self._largest_of(pairs)[candidates[i]])
        n_below = int((largest < there - 2 * error).sum())
        return float(np.sort(np.sqrt(squares))[position - 1 - n_below])

    def _compare(self, offset: int, factors: FloatTable, ranges: ItemRanges) -> list[_Block]:
        """Compare rows, counted from ``offset``, with all rows before them."""
        single = self._centred.astype(np.float32)
        blocks = []
        while bounds := ranges.take(ROWS):
            of_rows = factors[slice(*bounds)]
            start, stop = bounds[0] + offset, bounds[1] + offset
            close = np.argwhere(of_rows < 0)
            close[:, 0] += start
            own = np.maximum(of_rows, 0).astype(np.float32)
            largest = _largest_differences(single[:stop], own, start)
            blocks.append(_Block(start, stop, largest, self._largest_of(close)))
        return blocks

    def _factors(self, start: int, stop: int) -> FloatTable:
        """Return 1 / standard error of the difference between each row and each row before it.

        The factor is -1 for close pairs, and 0 for the row itself and rows after it.
        """
        products = self._centred[start:stop] @ self._centred[:stop].T
        sums = self._moments[start:stop, None] + self._moments[:stop]
        variances = (sums - 2 * products) / self._rows.shape[1]
        factors: FloatTable = 1 / np.sqrt(np.maximum(variances, LEAST_ERROR**2))
        reach = self._extents[start:stop, None] + self._extents[:stop]
        factors[(reach * factors > CLOSE) | (variances < 4 * LEAST_ERROR**2)] = -1
        factors[np.tri(stop - start, stop, start - 1) == 0] = 0
        return factors

    def _largest_of(self, pairs: NDArray[np.intp]) -> FloatTable:
        """Return the largest squared difference of the given pairs in each replicate."""
        squares = np.zeros(self._rows.shape[1])
        for i in range(0, len(pairs), ROWS):
            first, second = pairs[i : i + ROWS].T
            found = _studentized(self._rows[first], self._rows[second])
            np.maximum(squares, found.max(axis=0), out=squares)
        return squares


def _largest_differences(
    rows: NDArray[np.float32], factors: NDArray[np.float32], start: int
) -> NDArray[np.float32]:
    """Return the largest scaled difference between rows from ``start`` on and rows before them."""
    largest = np.zeros(rows.shape[1], np.float32)
    buffer = np.empty((len(factors), rows.shape[1]), np.float32)
    for j in range(len(rows) - 1):
        first = max(j + 1, start)
        differences = np.subtract(rows[first:], rows[j], out=buffer[: len(rows) - first])
        differences *= factors[first - start :, j, None]
        np.abs(differences, out=differences)
        np.maximum(largest, differences.max(axis=0, initial=0), out=largest)
    return largest


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
