"""Constrain the proportions of a table so that the kappa of two raters has a given value.

For t = 1 - kappa0, disagreement weights w and proportions p with margins r and s, the constraint is

    h(p) = sum(w * p) - t * sum(w * outer(r, s)) = 0,

and the derivative of h with respect to p_ij is g_ij = w_ij - t (w_i. + w_.j). Here w_i. is the mean
of row i of w, weighted by s, and w_.j is the mean of column j, weighted by r. The unknowns of a
step of Newton's method are the changes in the margins and in the multipliers a and b. Each step
therefore solves 2 l + 2 linear equations at a cost of O(l^3), whereas solving for all l^2 cells
would cost O(l^6).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.intervals.constrained import (
    MostLikely,
    Move,
    Problem,
    linear_solutions,
    most_likely,
    target_of,
)
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import mean_weights


def most_likely_tables(counts: FloatTable, matrix: FloatTable, kappa0: FloatTable) -> MostLikely:
    """Return the most likely proportions with a given kappa for each table.

    Parameters
    ----------
    counts : ndarray of shape (m, l, l)
        Counts with a positive sum, not necessarily whole.
    matrix : ndarray of shape (l, l)
        Disagreement weights, not all 0.
    kappa0 : ndarray of shape (m,)
        The given kappas, at most 1.

    Returns
    -------
    found : MostLikely
        The result, with proportions of shape (m, l, l).

    Examples
    --------
    Two raters agree on all 50 items, 25 for each of two labels. In the most likely table with a
    kappa of 0.9246, they disagree on 3.8 % of the items, equally often in both directions.

    >>> import numpy as np
    >>> from fastkappa.statistics.intervals.table_constraint import most_likely_tables
    >>> counts = np.array([[[25.0, 0.0], [0.0, 25.0]]])
    >>> found = most_likely_tables(counts, 1 - np.eye(2), np.array([0.9246]))
    >>> found.proportions[0].round(3)
    array([[0.481, 0.019],
           [0.019, 0.481]])
    >>> round(float(found.likelihood_ratio[0]), 3)  # - 2 * 50 * log(1 - 0.0377)
    3.843
    """
    found = most_likely(TableConstraint(matrix), counts.reshape(len(counts), -1), kappa0)
    return found._replace(proportions=found.proportions.reshape(counts.shape))


class _Margins(NamedTuple):
    """The parts of h: the weighted sum of p, the mean weights and the expected disagreement."""

    observed: FloatTable
    means: FloatTable
    expected: FloatTable


class TableConstraint:
    """The constraint that kappa has a given value, for tables flattened to rows of cells.

    Parameters
    ----------
    matrix : ndarray of shape (l, l)
        Disagreement weights, not all 0.
    """

    def __init__(self, matrix: FloatTable) -> None:
        self._matrix = matrix / matrix.max()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TableConstraint) and np.array_equal(self._matrix, other._matrix)

    def values(self, proportions: FloatTable) -> FloatTable:
        return np.asarray(kappas(self._tables(proportions), self._matrix), np.float64)

    def slopes(self, p: FloatTable, kappa0: FloatTable) -> tuple[FloatTable, FloatTable]:
        margins, t = self._margins(self._tables(p)), 1 - kappa0
        g = self._matrix - t[:, None, None] * margins.means
        return margins.observed - t * margins.expected, g.reshape(p.shape)

    def newton_move(self, problem: Problem, kappa0: FloatTable, change: float) -> Move:
        matrix, size = self._matrix, len(self._matrix)
        p, z, products = (self._tables(part) for part in (problem.p, problem.z, problem.products))
        b = problem.b
        observed, means, expected = self._margins(p)
        with np.errstate(divide="ignore", invalid="ignore"):
            t, is_far = target_of(1 - observed / expected, kappa0, change)
        h, g = observed - t * expected, matrix - t[:, None, None] * means
        error = np.maximum(np.abs(h), np.abs(p * z - products).max(axis=(-2, -1)))
        # dp = constant - slope * z', where z' is the value of z after the step:
        # z' = a' + b' g - bend * dmeans - b * means * dt.
        slope, constant = p / z, products / z
        slope_g, slope_means = slope * g, slope * means
        bend = (b * t)[:, None, None]
        slope_rows, slope_columns = slope.sum(axis=-1), slope.sum(axis=-2)
        g_rows, g_columns = slope_g.sum(axis=-1), slope_g.sum(axis=-2)
        r, s, to_a, to_b = slice(size), slice(size, 2 * size), 2 * size, 2 * size + 1
        left = np.zeros((len(p), 2 * size + 2, 2 * size + 2))
        left[:, r, r] = np.eye(size) - bend * (slope @ matrix.T)
        left[:, r, s] = -bend * (slope_rows[:, :, None] * matrix)
        left[:, s, r] = -bend * (slope_columns[:, :, None] * matrix.T)
        left[:, s, s] = np.eye(size) - bend * (slope.swapaxes(-1, -2) @ matrix)
        left[:, r, to_a], left[:, s, to_a] = slope_rows, slope_columns
        left[:, r, to_b], left[:, s, to_b] = g_rows, g_columns
        left[:, to_a, r] = 1
        left[:, to_b, r] = bend[:, 0] * mean_weights(matrix, g_columns)
        left[:, to_b, s] = bend[:, 0] * mean_weights(matrix.T, g_rows)
        left[:, to_b, to_a] = -g_rows.sum(axis=-1)
        left[:, to_b, to_b] = -(slope_g * g).sum(axis=(-2, -1))
        right = np.zeros((len(p), 2 * size + 2, 2))
        right[:, r, 0], right[:, s, 0] = constant.sum(axis=-1), constant.sum(axis=-2)
        right[:, to_a, 0] = 1 - p.sum(axis=(-2, -1))
        right[:, to_b, 0] = -h - (g * constant).sum(axis=(-2, -1))
        right[:, r, 1] = b[:, None] * slope_means.sum(axis=-1)
        right[:, s, 1] = b[:, None] * slope_means.sum(axis=-2)
        right[:, to_b, 1] = expected - b * (slope_g * means).sum(axis=(-2, -1))
        found = linear_solutions(left, right)

        def solution(k: int) -> tuple[FloatTable, FloatTable]:
            in_rows, in_columns = found[:, r, k], found[:, s, k]
            by_rows, by_columns = mean_weights(matrix, in_columns), mean_weights(matrix.T, in_rows)
            by_means = by_rows[:, :, None] + by_columns[:, None, :]
            new_a, new_b = found[:, to_a, k], found[:, to_b, k]
            new_z = new_a[:, None, None] + new_b[:, None, None] * g - bend * by_means
            return new_z, new_b

        def in_a_row(table: AnyArray) -> FloatTable:
            return table.reshape(problem.p.shape)

        new_z, new_b = solution(0)
        dp, dz = in_a_row(constant - slope * new_z), in_a_row(new_z - z)
        more_z, more_b = solution(1)
        more_z = more_z - b[:, None, None] * means
        with_t = (in_a_row(-slope * more_z), in_a_row(more_z), more_b)
        error = np.where(is_far, np.inf, error)
        return Move((dp, dz, new_b - b), with_t, error, is_far)

    def _tables(self, cells: FloatTable) -> FloatTable:
        return cells.reshape(-1, *self._matrix.shape)

    def _margins(self, p: FloatTable) -> _Margins:
        rows, columns = p.sum(axis=-1), p.sum(axis=-2)
        row_means = mean_weights(self._matrix, columns)
        column_means = mean_weights(self._matrix.T, rows)
        means = row_means[:, :, None] + column_means[:, None, :]
        observed = (p * self._matrix).sum(axis=(-2, -1))
        return _Margins(observed, means, (rows * row_means).sum(axis=-1))
