"""The most likely proportions of a table whose kappa is given.

With counts c, disagreement weights w and t = 1 - kappa0, the constraint kappa(p) = kappa0 is

    h(p) = sum(w * p) - t * sum(w * outer(r, s)) = 0,

where r and s are the margins of p. Its derivative by p_ij is g_ij = w_ij - t (w_i. + w_.j), where
w_i. is the mean of row i of w under s, and w_.j that of column j under r. Where sum(c * log(p))
is largest there are multipliers such that

    p_ij z_ij = c_ij / n    with    z_ij = a + b g_ij >= 0,    sum(p) = 1,    h(p) = 0.

A cell without counts has p_ij = 0, or z_ij = 0 and some probability: a disagreement that was
not seen may be possible all the same. As in interior-point methods, p_ij z_ij of such a cell is
a small number that goes to 0 from step to step. Each step is one of Newton's method for p and z
together; it needs only the change of the margins and of a and b, so that it solves 2 l + 2 linear
equations, and costs O(l^3), not the l^6 of l^2 unknowns. It may change kappa by `LARGEST_CHANGE`
only: from farther away Newton's method does not find the way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import mean_weights

# The product of proportion and z in a cell without counts: what it begins with, in items, and
# what it ends with. The likelihood ratio is too large by less than 2 l^2 times the last.
FIRST_PRODUCT, LAST_PRODUCT = 0.5, 1e-8
LEAST_FIRST = 1e-6  # the first as a proportion
# The last as a proportion, over the squared distance of kappa0 from the kappa of the table (at
# most 1). An empty cell may get a proportion p of about that distance, and p / z is then
# p^2 / product. Where p / z is above 1e9, rounding makes the steps fail.
LEAST_PRODUCT = 1e-10
LARGEST_CHANGE = (0.2, 0.05)  # of kappa in a step, first and then for tables where that fails
MOST_STEPS = (40, 100)
TOLERANCE = 1e-9
# These products differ from cell to cell by up to so much: a table may be symmetric where the
# most likely proportions are not, and symmetric steps would never leave a saddle.
ASYMMETRY = 0.3
GOLDEN_RATIO = 0.6180339887498949
LOWEST_KAPPA = -1.0


class ConstrainedTables(NamedTuple):
    """The most likely proportions under kappa = kappa0, of a stack of tables.

    Attributes
    ----------
    proportions : ndarray of shape (m, l, l)
        They sum to 1, and their kappa is kappa0. NaN where no proportions with that kappa
        allow the counts.
    likelihood_ratio : ndarray of shape (m,)
        Twice the logarithm of the likelihood of the observed proportions over theirs; 0 or
        above, infinite where no proportions with that kappa allow the counts.
    """

    proportions: FloatTable
    likelihood_ratio: FloatTable


def constrained_stack(
    counts: FloatTable, matrix: FloatTable, kappa0: FloatTable
) -> ConstrainedTables:
    """Return the most likely proportions of each table among those with a given kappa.

    Where kappa is undefined because all counts are in one cell, or in cells without weight
    between them, proportions as near as one likes to the observed ones have any kappa: the
    likelihood ratio is 0, and ``proportions`` are the observed ones.

    Parameters
    ----------
    counts : ndarray of shape (m, l, l)
        Not empty, not necessarily whole.
    matrix : ndarray of shape (l, l)
        Disagreement weights, not all 0.
    kappa0 : ndarray of shape (m,)
        The kappas, up to 1.

    Examples
    --------
    All of 50 items agreed on, half of them for each label: a disagreement on 3.8 % is as
    likely in either direction.

    >>> import numpy as np
    >>> from fastkappa.statistics.intervals.constrained import constrained_stack
    >>> counts = np.array([[[25.0, 0.0], [0.0, 25.0]]])
    >>> found = constrained_stack(counts, 1 - np.eye(2), np.array([0.9246]))
    >>> found.proportions[0].round(3)
    array([[0.481, 0.019],
           [0.019, 0.481]])
    >>> round(float(found.likelihood_ratio[0]), 3)  # - 2 * 50 * log(1 - 0.0377)
    3.843
    """
    matrix = matrix / matrix.max()
    observed = counts / counts.sum(axis=(-2, -1), keepdims=True)
    kappa = kappas(observed, matrix)
    exact = np.isnan(kappa) | (np.abs(kappa - kappa0) < 1e-14)
    disagree = (observed * matrix).sum(axis=(-2, -1)) > 0
    impossible = ~exact & ((kappa0 == 1) & disagree)
    proportions = np.where(exact[:, None, None], observed, np.nan)
    rest = np.flatnonzero(~exact & ~impossible)
    for change, steps in zip(LARGEST_CHANGE, MOST_STEPS):
        proportions[rest] = _solved(counts[rest], matrix, kappa0[rest], kappa[rest], change, steps)
        rest = rest[np.isnan(proportions[rest, 0, 0])]
        if not len(rest):
            break
    used = counts > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(used, counts * np.log(observed / proportions), 0.0)
    ratio = np.maximum(2 * terms.sum(axis=(-2, -1)), 0.0)
    return ConstrainedTables(proportions, np.where(np.isnan(ratio), np.inf, ratio))


def _solved(
    counts: FloatTable,
    matrix: FloatTable,
    kappa0: FloatTable,
    kappa: FloatTable,
    change: float,
    most_steps: int,
) -> FloatTable:
    """Return the proportions, NaN where the steps do not end."""
    solved = np.full(counts.shape, np.nan)
    which = np.arange(len(counts))  # the tables that are not solved yet
    problem = first_problem(counts, kappa0 - kappa)
    for _ in range(most_steps):
        if not len(which):
            break
        move = newton_move(problem, matrix, kappa0, change)
        done = (move.error < TOLERANCE) & problem.is_last
        if done.any():
            solved[which[done]] = corrected(problem.p[done], matrix, kappa0[done])
        problem, _ = problem.moved(move, np.zeros(len(which)))
        kept = ~done & np.isfinite(problem.a)
        which, kappa0, problem = which[kept], kappa0[kept], problem.some(kept)
    return solved


class Problem(NamedTuple):
    """The state of m problems, of shape (m, l, l) or (m,)."""

    p: FloatTable
    z: FloatTable
    a: FloatTable
    b: FloatTable
    observed: FloatTable
    uneven: FloatTable  # what the product is multiplied by; 0 in cells with counts
    product: FloatTable
    last: FloatTable

    @property
    def products(self) -> FloatTable:
        """What p z should be in each cell."""
        return self.observed + self.product[:, None, None] * self.uneven

    @property
    def is_last(self) -> AnyArray:
        """Whether the products are as small as they become."""
        return (self.product <= self.last) | ~self.uneven.any(axis=(-2, -1))

    def some(self, kept: AnyArray) -> Problem:
        """Return some of the problems."""
        return self if kept.all() else Problem(*(part[kept] for part in self))

    def moved(self, move: Move, dt: FloatTable) -> tuple[Problem, FloatTable]:
        """Return the problems after a move, t changing by dt, and the length of the move."""
        dp, dz, da, db = (
            at_once + dt.reshape(-1, *[1] * (at_once.ndim - 1)) * with_t
            for at_once, with_t in zip(move.at_once, move.with_t)
        )
        # Proportions and z stay above 0.
        shrink = np.maximum(-dp / self.p, -dz / self.z).max(axis=(-2, -1))
        length = np.minimum(1, 0.995 / np.maximum(shrink, 1e-300))
        by_cell = length[:, None, None]
        smaller = np.where(length > 0.9, 0.05, np.where(length > 0.5, 0.3, 1.0))
        smaller = np.where(move.is_far, 1.0, smaller)
        after = self._replace(
            p=self.p + by_cell * dp,
            z=self.z + by_cell * dz,
            a=self.a + length * da,
            b=self.b + length * db,
            product=np.maximum(self.product * smaller, self.last),
        )
        return after, length


class Move(NamedTuple):
    """A step of Newton's method from where m problems are.

    ``at_once`` has the changes of p, z, a and b, ``with_t`` what they change by more if t
    changes too, over its change. ``error`` is that before the step, infinite where
    kappa ``is_far`` from kappa0.
    """

    at_once: tuple[FloatTable, FloatTable, FloatTable, FloatTable]
    with_t: tuple[FloatTable, FloatTable, FloatTable, FloatTable]
    error: FloatTable
    is_far: AnyArray


def first_problem(counts: FloatTable, distance: FloatTable) -> Problem:
    """Return the state to begin with: the observed proportions and some more in empty cells.

    ``distance`` is about that of kappa0 from the kappa of each table.
    """
    n_labels = counts.shape[-1]
    n = counts.sum(axis=(-2, -1))
    observed = counts / n[:, None, None]
    cells = np.arange(n_labels * n_labels).reshape(n_labels, n_labels)
    uneven = np.where(counts == 0, 1 + ASYMMETRY * (cells * GOLDEN_RATIO % 1), 0.0)
    n_empty = np.maximum(np.count_nonzero(counts == 0, axis=(-2, -1)), 1)
    product = np.maximum(FIRST_PRODUCT / n, LEAST_FIRST) / n_empty
    p = observed + product[:, None, None] * (counts == 0)
    p /= p.sum(axis=(-2, -1), keepdims=True)
    one, zero = np.ones(len(p)), np.zeros(len(p))
    last = np.maximum(LAST_PRODUCT / n, LEAST_PRODUCT * np.minimum(distance**2, 1))
    return Problem(p, np.ones_like(p), one, zero, observed, uneven, product, last)


class _Constraint(NamedTuple):
    """The constraint at p: its value, derivative g, t, the means of w and what is expected."""

    h: FloatTable
    g: FloatTable
    t: FloatTable
    means: FloatTable
    expected: FloatTable
    is_far: AnyArray


def _constraint(
    p: FloatTable, matrix: FloatTable, kappa0: FloatTable, change: float
) -> _Constraint:
    """Return the constraint for kappa0, or for a kappa on the way there if that is far."""
    rows, columns = p.sum(axis=-1), p.sum(axis=-2)
    row_means, column_means = mean_weights(matrix, columns), mean_weights(matrix.T, rows)
    expected = (rows * row_means).sum(axis=-1)
    observed = (p * matrix).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = kappa0 - 1 + observed / expected
    is_far = np.abs(distance) > change
    t = 1 - kappa0 + np.where(is_far, distance - np.copysign(change, distance), 0.0)
    means = row_means[:, :, None] + column_means[:, None, :]
    h, g = observed - t * expected, matrix - t[:, None, None] * means
    return _Constraint(h, g, t, means, expected, is_far)


def newton_move(problem: Problem, matrix: FloatTable, kappa0: FloatTable, change: float) -> Move:
    """Return the step of Newton's method for the proportions with kappa0."""
    p, z, a, b = problem[:4]
    size = len(matrix)
    h, g, t, means, expected, is_far = _constraint(p, matrix, kappa0, change)
    products = problem.products
    error = np.maximum(np.abs(h), np.abs(p * z - products).max(axis=(-2, -1)))
    # dp = constant - slope * (z after the step), where z after the step is
    # a' + b' g - bend * (the change of the means of w) - b * means * (the change of t).
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
    found = _linear_solutions(left, right)

    def solution(k: int) -> tuple[FloatTable, FloatTable, FloatTable]:
        in_rows, in_columns = found[:, r, k], found[:, s, k]
        by_rows, by_columns = mean_weights(matrix, in_columns), mean_weights(matrix.T, in_rows)
        by_means = by_rows[:, :, None] + by_columns[:, None, :]
        new_a, new_b = found[:, to_a, k], found[:, to_b, k]
        return new_a[:, None, None] + new_b[:, None, None] * g - bend * by_means, new_a, new_b

    new_z, new_a, new_b = solution(0)
    at_once = (constant - slope * new_z, new_z - z, new_a - a, new_b - b)
    more_z, more_a, more_b = solution(1)
    more_z = more_z - b[:, None, None] * means
    with_t = (-slope * more_z, more_z, more_a, more_b)
    return Move(at_once, with_t, np.where(is_far, np.inf, error), is_far)


def _linear_solutions(left: FloatTable, right: FloatTable) -> FloatTable:
    """Return the solutions of m systems, NaN for those that are singular."""
    try:
        return np.asarray(np.linalg.solve(left, right), np.float64)
    except np.linalg.LinAlgError:  # it does not say which
        half = len(left) // 2
        if not half:
            return np.full(right.shape, np.nan)
        halves = (left[:half], right[:half]), (left[half:], right[half:])
        return np.concatenate([_linear_solutions(*of_half) for of_half in halves])


def corrected(p: FloatTable, matrix: FloatTable, kappa0: FloatTable) -> FloatTable:
    """Return proportions that sum to 1 and have kappa0 without the rounding of the steps."""
    for _ in range(2):
        h, g, *_ = _constraint(p, matrix, kappa0, np.inf)
        squares = p * p
        sums = [(squares * g**power).sum(axis=(-2, -1)) for power in range(3)]
        missing = 1 - p.sum(axis=(-2, -1))
        determinant = sums[0] * sums[2] - sums[1] ** 2
        constant = (missing * sums[2] + h * sums[1]) / determinant
        along = (-h * sums[0] - missing * sums[1]) / determinant
        p = p + squares * (constant[:, None, None] + along[:, None, None] * g)
    return p
