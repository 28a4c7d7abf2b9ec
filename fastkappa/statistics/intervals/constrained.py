"""Find the most likely proportions with a given coefficient of agreement.

Let c be the cell counts, n their sum, and 1 - N(p) / M(p) the coefficient for proportions p. The
coefficient equals kappa0 if, with t = 1 - kappa0,

    h(p) = N(p) - t M(p) = 0.

Let g_i be the derivative of h with respect to p_i. At the maximum of sum(c * log(p)), there are
multipliers a and b such that

    p_i z_i = c_i / n    with    z_i = a + b g_i >= 0,    sum(p) = 1,    h(p) = 0.

In a cell without counts, either p_i = 0, or z_i = 0 and p_i can be positive, because a disagreement
that was not observed can still be possible. As in interior-point methods, the product p_i z_i of
such a cell starts as a small number and is gradually reduced toward 0. Each step applies Newton's
method to p and z together. The steps are computed by the `Constraint`, which makes use of the form
of N and M. No step changes the coefficient by more than `LARGEST_CHANGE`, because Newton's method
does not converge with longer steps.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable

# Limits for p * z of the empty cells, as a number of items. The initial sum over these cells is
# `FIRST_PRODUCT`, and the final value in each cell is `LAST_PRODUCT`. The error of the likelihood
# ratio is less than 2 * (number of cells) * `LAST_PRODUCT`.
FIRST_PRODUCT, LAST_PRODUCT = 0.5, 1e-8
# The initial sum of p * z is at least this proportion of the items, even if `FIRST_PRODUCT` items
# are a smaller proportion.
LEAST_FIRST = 1e-6
# The final value of p * z, as a proportion of the items, is at least this number times min(d^2, 1),
# where d is the distance between kappa0 and the observed kappa. In an empty cell, p can be of the
# order of d, and p / z = p^2 / (p * z). If p / z is above 1e9, rounding errors make the steps fail.
LEAST_PRODUCT = 1e-10
# The largest change in kappa per step, in the first and in the second attempt.
LARGEST_CHANGE = (0.2, 0.05)
# The maximum number of steps in the first and in the second attempt.
MOST_STEPS = (40, 100)
# A step is short if it covers less than the fraction `SHORT_STEP` of the full step. The search is
# considered stuck after `MOST_SHORT` short steps in a row, in the first and in the second attempt.
SHORT_STEP, MOST_SHORT = 0.05, (4, 100)
TOLERANCE = 1e-9
# Rounding errors of z near 0 are multiplied by p / z, which can keep the error of the steps above
# `TOLERANCE`. An error below this limit is attributed to rounding if a step does not halve the
# error.
LARGEST_ROUNDING = 1e-5
# If the proportion of a cell with counts falls below this fraction of the observed proportion, the
# search gives up, because no proportions near the observed ones have a kappa of kappa0.
LEAST_PART = 1e-6
# The values of p * z in different cells are made to differ by up to this proportion. Even for
# symmetric counts, the most likely proportions can be asymmetric, and symmetric steps would never
# leave a saddle point.
ASYMMETRY = 0.3
GOLDEN_RATIO = 0.6180339887498949


class Constraint(Protocol):
    """The constraint that a coefficient has a given value."""

    def values(self, proportions: FloatTable) -> FloatTable:
        """Return the coefficient of each of the m rows of proportions, or NaN if undefined."""

    def slopes(self, p: FloatTable, kappa0: FloatTable) -> tuple[FloatTable, FloatTable]:
        """Return h, of shape (m,), and its derivative with respect to p, of shape (m, cells)."""

    def newton_move(self, problem: Problem, kappa0: FloatTable, change: float) -> Move:
        """Return the step of Newton's method toward the proportions with kappa0.

        If kappa0 is more than ``change`` away, the step aims for a kappa that is only ``change``
        away.
        """


class MostLikely(NamedTuple):
    """The most likely proportions with kappa = kappa0, for m rows of counts.

    Attributes
    ----------
    proportions : ndarray of shape (m, cells)
        Proportions that sum to 1 and have a kappa of kappa0, or NaN if no proportions with this
        kappa are compatible with the counts.
    likelihood_ratio : ndarray of shape (m,)
        Twice the logarithm of the likelihood ratio of the observed proportions to these
        proportions: at least 0, or infinite if no proportions with this kappa are compatible with
        the counts.
    """

    proportions: FloatTable
    likelihood_ratio: FloatTable


def most_likely(constraint: Constraint, counts: FloatTable, kappa0: FloatTable) -> MostLikely:
    """Return the most likely proportions with a given kappa for each row of counts.

    If the kappa of the counts is undefined, any given kappa is attained by proportions arbitrarily
    close to the observed proportions. In this case, the observed proportions are returned, with a
    likelihood ratio of 0.

    Parameters
    ----------
    constraint : Constraint
    counts : ndarray of shape (m, cells)
        Counts with a positive sum, not necessarily whole.
    kappa0 : ndarray of shape (m,)
        The given kappas, at most 1.
    """
    observed = counts / counts.sum(axis=-1, keepdims=True)
    kappa = constraint.values(observed)
    exact = np.isnan(kappa) | (np.abs(kappa - kappa0) < 1e-14)
    proportions = np.where(exact[:, None], observed, np.nan)
    # Skip a kappa0 of 1, which requires full agreement.
    rest = np.flatnonzero(~exact & (kappa0 < 1))
    for limits in zip(LARGEST_CHANGE, MOST_STEPS, MOST_SHORT):
        proportions[rest] = _solved(constraint, counts[rest], kappa0[rest], kappa[rest], *limits)
        rest = rest[np.isnan(proportions[rest, 0])]
        if not len(rest):
            break
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(observed / proportions), 0.0)
    ratio = np.maximum(2 * terms.sum(axis=-1), 0.0)
    return MostLikely(proportions, np.where(np.isnan(ratio), np.inf, ratio))


def _solved(
    constraint: Constraint,
    counts: FloatTable,
    kappa0: FloatTable,
    kappa: FloatTable,
    change: float,
    most_steps: int,
    most_short: int,
) -> FloatTable:
    """Return the most likely proportions, or NaN where the steps do not converge."""
    solved = np.full(counts.shape, np.nan)
    which = np.arange(len(counts))  # the rows not yet solved
    problem = first_problem(counts, kappa0 - kappa)
    for _ in range(most_steps):
        if not len(which):
            break
        move = constraint.newton_move(problem, kappa0, change)
        done = problem.is_solved(move)
        if done.any():
            solved[which[done]] = _corrected(constraint, problem.p[done], kappa0[done])
        problem, _ = problem.moved(move, np.zeros(len(which)))
        kept = ~done & np.isfinite(problem.b) & ~problem.is_lost & (problem.n_short < most_short)
        which, kappa0, problem = which[kept], kappa0[kept], problem.some(kept)
    return solved


class Problem(NamedTuple):
    """The state of m problems, as arrays of shape (m, cells) or (m,)."""

    p: FloatTable
    z: FloatTable
    b: FloatTable
    observed: FloatTable
    uneven: FloatTable  # the factor of the product; 0 for cells with counts
    product: FloatTable
    last: FloatTable
    # The error before the latest step; infinite if the product had not reached its final value.
    error: FloatTable
    # The number of consecutive short steps.
    n_short: FloatTable

    @property
    def products(self) -> FloatTable:
        """The target value of the product p z in each cell."""
        return self.observed + self.product[:, None] * self.uneven

    @property
    def is_last(self) -> AnyArray:
        """Whether the products have reached their final value."""
        return (self.product <= self.last) | ~self.uneven.any(axis=-1)

    @property
    def is_lost(self) -> AnyArray:
        """Whether a cell with counts has lost nearly all of its proportion."""
        return np.asarray((self.p < LEAST_PART * self.observed).any(axis=-1))

    def is_solved(self, move: Move) -> AnyArray:
        """Return whether each problem is solved up to rounding errors, given its next move."""
        stays = (move.error < LARGEST_ROUNDING) & (move.error > self.error / 2)
        return np.asarray(self.is_last & ((move.error < TOLERANCE) | stays))

    def some(self, kept: AnyArray) -> Problem:
        """Return the selected problems."""
        return self if kept.all() else Problem(*(part[kept] for part in self))

    def moved(self, move: Move, dt: FloatTable) -> tuple[Problem, FloatTable]:
        """Return the problems after a move that changes t by dt, and the length of this move."""
        dp, dz, db = (
            at_once + dt.reshape(-1, *[1] * (at_once.ndim - 1)) * with_t
            for at_once, with_t in zip(move.at_once, move.with_t)
        )
        # All proportions, and all values of z, must stay positive.
        shrink = np.maximum(-dp / self.p, -dz / self.z).max(axis=-1)
        length = np.minimum(1, 0.995 / np.maximum(shrink, 1e-300))
        smaller = np.where(length > 0.9, 0.05, np.where(length > 0.5, 0.3, 1.0))
        smaller = np.where(move.is_far, 1.0, smaller)
        after = self._replace(
            p=self.p + length[:, None] * dp,
            z=self.z + length[:, None] * dz,
            b=self.b + length * db,
            product=np.maximum(self.product * smaller, self.last),
            error=np.where(self.is_last, move.error, np.inf),
            n_short=np.where(length < SHORT_STEP, self.n_short + 1, 0.0),
        )
        return after, length


class Move(NamedTuple):
    """A step of Newton's method from the current state of m problems.

    ``at_once`` contains the changes of p, z and b at constant t, and ``with_t`` contains their
    additional changes per unit change of t. ``error`` is the error before the step, or infinity if
    ``is_far`` is True, which means that kappa is still far from kappa0.
    """

    at_once: tuple[FloatTable, FloatTable, FloatTable]
    with_t: tuple[FloatTable, FloatTable, FloatTable]
    error: FloatTable
    is_far: AnyArray


def first_problem(counts: FloatTable, distance: FloatTable) -> Problem:
    """Return the initial state: the observed proportions, with small proportions in empty cells.

    ``distance`` is approximately kappa0 minus the kappa of each row.
    """
    n = counts.sum(axis=-1)
    observed, empty = counts / n[:, None], counts == 0
    uneven = np.where(empty, 1 + ASYMMETRY * (np.arange(counts.shape[1]) * GOLDEN_RATIO % 1), 0.0)
    n_empty = np.maximum(np.count_nonzero(empty, axis=-1), 1)
    product = np.maximum(FIRST_PRODUCT / n, LEAST_FIRST) / n_empty
    p = observed + product[:, None] * empty
    p /= p.sum(axis=-1, keepdims=True)
    zero = np.zeros(len(p))
    last = np.maximum(LAST_PRODUCT / n, LEAST_PRODUCT * np.minimum(distance**2, 1))
    error = np.full(len(p), np.inf)
    return Problem(p, np.ones_like(p), zero, observed, uneven, product, last, error, zero)


def target_of(values: FloatTable, kappa0: FloatTable, change: float) -> tuple[FloatTable, AnyArray]:
    """Return the t that each step aims for, and whether kappa0 is more than ``change`` away."""
    distance = kappa0 - values
    is_far = np.abs(distance) > change
    return 1 - kappa0 + np.where(is_far, distance - np.copysign(change, distance), 0.0), is_far


def linear_solutions(left: FloatTable, right: FloatTable) -> FloatTable:
    """Return the solutions of m linear systems, or NaN for singular systems."""
    try:
        return np.asarray(np.linalg.solve(left, right), np.float64)
    # NumPy's error does not say which system is singular, so halve the stack until this system is
    # alone.
    except np.linalg.LinAlgError:
        half = len(left) // 2
        if not half:
            return np.full(right.shape, np.nan)
        halves = (left[:half], right[:half]), (left[half:], right[half:])
        return np.concatenate([linear_solutions(*of_half) for of_half in halves])


def _corrected(constraint: Constraint, p: FloatTable, kappa0: FloatTable) -> FloatTable:
    """Correct rounding errors so that the proportions sum to 1 and have a kappa of kappa0."""
    for _ in range(2):
        h, g = constraint.slopes(p, kappa0)
        squares = p * p
        sums = [(squares * g**power).sum(axis=-1) for power in range(3)]
        missing = 1 - p.sum(axis=-1)
        determinant = sums[0] * sums[2] - sums[1] ** 2
        # If all items are in one cell, the determinant is 0 up to rounding, and no correction is
        # possible.
        over = np.where(determinant > 0, 1 / np.where(determinant > 0, determinant, 1.0), 0.0)
        constant = (missing * sums[2] + h * sums[1]) * over
        along = (-h * sums[0] - missing * sums[1]) * over
        p = p + squares * (constant[:, None] + along[:, None] * g)
    return p
