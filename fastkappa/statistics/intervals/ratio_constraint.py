"""Constrain the proportions of rows of ratings to a given coefficient for several raters.

Each row (the pattern or profile of a subject's ratings) has a few features, such as the distance
between its ratings and the count of each label. Every coefficient is 1 - N(f) / M(f), where N and M
are smooth functions of the sums f of the features over all subjects. The unknowns of a step of
Newton's method are the changes in these sums and in the multipliers a and b. Besides the sum of the
proportions, other linear functions of them can be given, so a is a vector. For k features and s
such functions, each step therefore solves only k + s + 1 linear equations, regardless of the number
of rows.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.statistics.intervals.constrained import (
    Move,
    Problem,
    linear_solutions,
    target_of,
)


class Smooth(NamedTuple):
    """The values of a function of k features at m points, with its first and second derivatives.

    The arrays have the shapes (m,), (m, k) and (m, k, k), or broadcast to them.
    """

    value: FloatTable
    slope: FloatTable
    bend: FloatTable


class Ratio(Protocol):
    """A coefficient 1 - N / M as a function of sums of features."""

    def __call__(self, sums: FloatTable) -> tuple[Smooth, Smooth]:
        """Return the functions N and M, evaluated at the m rows of ``sums``."""


class RatioConstraint:
    """The constraint on the proportions of rows that have features.

    Parameters
    ----------
    features : ndarray of shape (rows, k)
        The features of each row.
    ratio : Ratio
        The coefficient as a function of the sums of the features.
    given : ndarray of shape (rows, s)
        The coefficients of linear functions of the proportions. The first function is the sum. The
        functions have the same values for the most likely proportions as for the counts.
    """

    def __init__(self, features: FloatTable, ratio: Ratio, given: FloatTable) -> None:
        self._features, self._ratio, self._given = features, ratio, given

    def values(self, proportions: FloatTable) -> FloatTable:
        above, below = self._ratio(proportions @ self._features)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(below.value > 0, 1 - above.value / below.value, np.nan)

    def slopes(self, p: FloatTable, kappa0: FloatTable) -> tuple[FloatTable, FloatTable]:
        above, below = self._ratio(p @ self._features)
        t = 1 - kappa0
        slope = above.slope - t[:, None] * below.slope
        return above.value - t * below.value, slope @ self._features.T

    def newton_move(self, problem: Problem, kappa0: FloatTable, change: float) -> Move:
        p, z, b = problem[:3]
        features, given, products = self._features, self._given, problem.products
        above, below = self._ratio(p @ features)
        with np.errstate(divide="ignore", invalid="ignore"):
            t, is_far = target_of(1 - above.value / below.value, kappa0, change)
        h = above.value - t * below.value
        slope = above.slope - t[:, None] * below.slope
        bend = b[:, None, None] * (above.bend - t[:, None, None] * below.bend)
        error = np.maximum(np.abs(h), np.abs(p * z - products).max(axis=-1))
        # dp = constant - steep * z', where z' is the value of z after the step:
        # z' = given @ a' + b' g + features @ (bend @ dsums - b * below.slope * dt).
        steep, constant = p / z, products / z
        spread = np.stack([(features.T * row) @ features for row in steep])
        sums = np.stack([(given.T * row) @ features for row in steep])
        k, to_b = features.shape[1], features.shape[1] + given.shape[1]
        of_sums, to_a = slice(k), slice(k, to_b)
        left = np.zeros((len(p), to_b + 1, to_b + 1))
        left[:, of_sums, of_sums] = np.eye(k) + spread @ bend
        left[:, of_sums, to_a] = sums.swapaxes(-1, -2)
        left[:, of_sums, to_b] = (spread @ slope[:, :, None])[:, :, 0]
        left[:, to_a, of_sums] = sums @ bend
        left[:, to_a, to_a] = np.stack([(given.T * row) @ given for row in steep])
        left[:, to_a, to_b] = (sums @ slope[:, :, None])[:, :, 0]
        left[:, to_b, of_sums] = slope
        right = np.zeros((len(p), to_b + 1, 2))
        along = b[:, None] * np.broadcast_to(below.slope, slope.shape)
        right[:, of_sums, 0] = constant @ features
        right[:, to_a, 0] = (constant - problem.observed + p) @ given
        right[:, to_b, 0] = -h
        right[:, of_sums, 1] = (spread @ along[:, :, None])[:, :, 0]
        right[:, to_a, 1] = (sums @ along[:, :, None])[:, :, 0]
        right[:, to_b, 1] = below.value
        found = linear_solutions(left, right)
        new_a, new_b = found[:, to_a].swapaxes(-1, -2), found[:, to_b]
        by_sums = (bend @ found[:, of_sums]).swapaxes(-1, -2)
        by_sums[:, 0] += new_b[:, :1] * slope
        by_sums[:, 1] += new_b[:, 1:] * slope - along
        new_z = new_a @ given.T + by_sums @ features.T
        at_once = (constant - steep * new_z[:, 0], new_z[:, 0] - z, new_b[:, 0] - b)
        with_t = (-steep * new_z[:, 1], new_z[:, 1], new_b[:, 1])
        return Move(at_once, with_t, np.where(is_far, np.inf, error), is_far)
