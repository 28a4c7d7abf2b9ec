"""Intervals of the differences from the leader that hold together, whoever leads.

The leader is chosen for its kappa, so an interval of each difference by itself is too short:
of 30 equal predictions the last is nearly always "significantly" below the first. Here the
intervals of all pairs of predictions hold together (Tukey's comparisons, with the quantile of
the largest studentized difference taken from the bootstrap replicates), and so do those with
the leader, whichever of the predictions that is.

Of many predictions nearly all pairs are far from the largest difference of a replicate, and nearly
all replicates far from the quantile. So the differences are computed in float32 first, with a bound
on what that may be wrong by. Those that may be the quantile are then computed in float64: the
result is that of float64 throughout, to the last bit.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import FloatTable
from fastkappa.kernels.dispatch import difference_kernels, get_kernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads

# Differences whose replicates vary less than this do not vary: the rounding errors of sums over
# a thousand groups, 1000 * 2**-53 each, are below it, and one item of a billion is above it.
LEAST_ERROR = 1e-12
# Predictions that are compared with another one together: their replicates stay in the cache.
ROWS = 64
# A pair whose difference is smaller than its replicates by more than this is computed in float64
# alone: float32 would leave too little of it.
CLOSE = 1024.0
# Pairs whose errors are computed together.
AT_ONCE = 1 << 21
# Twice the rounding error of float32, relative to what is rounded, with room for several of them.
SINGLE = 2.0**-22


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
    ``1 - confidence``; NaN if there are too few replicates for one, else 0 if no pair differs.
    """
    undefined = np.isnan(deviations)
    compared = (~undefined).sum(axis=0) > 1
    # The order of a sum depends on that of the memory.
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
    """Return the squared differences of rows, divided by their variance; 0 if they do not vary."""
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
    """The pairs of some rows with all those before them.

    ``largest`` has the largest difference of each replicate in float32, ``of_close`` the square of
    that of the close pairs, in float64.
    """

    start: int
    stop: int
    largest: NDArray[np.float32]
    of_close: FloatTable


class _Screened:
    """The largest studentized difference of any pair in each replicate, as far as it is needed."""

    def __init__(self, deviations: FloatTable, num_threads: int) -> None:
        # Equal rows have no difference, and the same ones to others.
        self._rows = np.array(list({row.tobytes(): row for row in deviations}.values()))
        self._centred = self._rows - self._rows.mean(axis=0)
        # Of what is far from 0 float64 leaves less, too.
        self._extents = np.abs(self._centred).max(axis=1)
        self._extents += SINGLE * np.abs(self._rows).max(axis=1)
        self._moments = np.einsum("jr,jr->j", self._centred, self._centred)
        self._blocks: list[_Block] = []
        at_once = max(ROWS, AT_ONCE // len(self._rows))
        for start in range(0, len(self._rows), at_once):
            # Threads of a matrix product go on spinning for a while, so there should be few.
            factors = self._factors(start, min(start + at_once, len(self._rows)))
            work = partial(self._compare, start, factors)
            for blocks in run_in_threads(work, len(factors), max(1, num_threads)):
                self._blocks += blocks

    def largest_at(self, position: int) -> float:
        """Return the largest difference that is at a position, from 1, when they are sorted."""
        n_replicates = self._rows.shape[1]
        of_close = np.max([block.of_close for block in self._blocks], axis=0)
        largest = np.max([block.largest for block in self._blocks], axis=0).astype(np.float64)
        largest = np.maximum(largest, np.sqrt(of_close))
        if not largest.any():
            return 0.0
        # Of the differences, then of their factors: those have the errors of sums of squares.
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
        """Compare some rows, from ``offset`` on, with those before them."""
        single = self._centred.astype(np.float32)
        kernels = difference_kernels(get_kernels())
        blocks = []
        while bounds := ranges.take(ROWS):
            of_rows = factors[slice(*bounds)]
            start, stop = bounds[0] + offset, bounds[1] + offset
            close = np.argwhere(of_rows < 0)
            close[:, 0] += start
            own = np.maximum(of_rows, 0).astype(np.float32)
            largest = np.zeros(single.shape[1], np.float32)
            kernels.largest_differences(single, own, start, largest)
            blocks.append(_Block(start, stop, largest, self._largest_of(close)))
        return blocks

    def _factors(self, start: int, stop: int) -> FloatTable:
        """Return 1 / standard error of each row's difference from those before it, else 0.

        It is -1 for close pairs.
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
        """Return the largest squared difference of pairs of rows in each replicate."""
        squares = np.zeros(self._rows.shape[1])
        for i in range(0, len(pairs), ROWS):
            first, second = pairs[i : i + ROWS].T
            found = _studentized(self._rows[first], self._rows[second])
            np.maximum(squares, found.max(axis=0), out=squares)
        return squares


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
