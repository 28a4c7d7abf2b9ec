"""Compute intervals for kappa by inverting a test.

An interval contains the values of kappa that the test does not reject. Two test statistics compare
the observed proportions o with the most likely proportions p given kappa = kappa0. There is one
proportion for each cell of a table or, with several raters, for each distinct row of ratings. In
large samples, both statistics have a chi-square distribution with one degree of freedom:

- the likelihood ratio statistic, 2 n sum(o log(o / p)), which gives the profile likelihood
  interval;
- Rao's score statistic, which for a multinomial distribution is Pearson's chi-square,
  n sum((o - p)^2 / p). If two labels are equally frequent and there is no disagreement, the score
  interval corresponds to Wilson's interval for the proportion of disagreements.

Both statistics can be computed from the nonempty cells alone, because the score statistic equals
n (sum(o^2 / p) - 1). The search finds each limit and the corresponding p together: each step of
Newton's method also changes kappa0, until the root of the statistic equals the normal quantile. If
Newton's method fails, kappa0 is bracketed between rejected and accepted values.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.inference import STANDARD_NORMAL, standard_error
from fastkappa.statistics.intervals.constrained import (
    LARGEST_CHANGE,
    TOLERANCE,
    Constraint,
    first_problem,
    most_likely,
)
from fastkappa.statistics.intervals.table_constraint import TableConstraint
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, disagreement_matrix

Test: TypeAlias = Literal["score", "profile"]
MOST_STEPS, MOST_HALVINGS = 40, 60
# The largest number of table cells processed together. Larger stacks need more memory and are not
# faster.
BLOCK_CELLS = 1 << 15
# The search for an interval limit ends once the bracket around the limit is narrower than this.
END_TOLERANCE = 1e-8
# The method of false position cannot locate a jump in the statistic. After `SMOOTH_STEPS` steps,
# the search continues by bisection, and ends once the bracket is narrower than `JUMP_TOLERANCE`.
SMOOTH_STEPS, JUMP_TOLERANCE = 12, 1e-5
# The rounding error of a coefficient. This value times the number of items is the rounding error of
# the square root of the statistic.
ROUNDING = 1e-14
# How far the square root of the statistic may be from its critical value at an interval limit.
ROOT_TOLERANCE = 1e-8
# This larger tolerance replaces `ROOT_TOLERANCE` if the proportions have rounding errors, or if
# Newton's method has failed.
ROUNDED_ROOT = 1e-7
# The largest change in t = 1 - kappa0 per step of Newton's method.
LARGEST_T = 0.1
# kappa0 is kept constant until p * z of each empty cell, as a number of items, is below this value.
SMALL_PRODUCT = 0.02
# A lower limit this close to the smallest possible kappa is set to that kappa. Near that kappa, the
# most likely tables have hardly any chance agreement, and finding them is slow.
NEAR_LEAST = 0.01
# If kappa has no smallest value, a limit below this is set to minus infinity.
FARTHEST = -1e6


class _Ends(NamedTuple):
    """The interval limits to find, with their tables, starting points and bounds."""

    counts: FloatTable
    kappa: FloatTable
    guess: FloatTable
    bound: FloatTable
    quantile: FloatTable

    def some(self, kept: AnyArray) -> _Ends:
        return _Ends(*(part[kept] for part in self))


def inverted_test(
    test: Test,
    tables: AnyArray,
    weights: Weights,
    confidence: float,
    quantiles: FloatTable | None = None,
) -> tuple[FloatTable, FloatTable]:
    """Return the interval limits for each table of a validated stack of shape (m, l, l).

    The limits are NaN if a table's kappa is undefined. If given, ``quantiles``, of shape
    (m,), replaces the normal quantiles; see `root_quantile` and `widening` in the module `methods`.
    """
    if quantiles is None:
        quantiles = np.full(len(tables), STANDARD_NORMAL.inv_cdf((1 + confidence) / 2))
    n_labels = tables.shape[-1]
    block = max(1, BLOCK_CELLS // n_labels**2)
    if len(tables) > block:
        starts = range(0, len(tables), block)
        parts = [
            inverted_test(
                test, tables[i : i + block], weights, confidence, quantiles[i : i + block]
            )
            for i in starts
        ]
        low, high = (np.concatenate(ends) for ends in zip(*parts))
        return low, high
    matrix = disagreement_matrix(weights, n_labels)
    kappa = kappas(tables, weights)
    known = ~np.isnan(kappa) & np.isfinite(quantiles)
    low, high = np.full(kappa.shape, np.nan), np.full(kappa.shape, np.nan)
    if known.any():
        counts = tables[known].astype(np.float64).reshape(-1, n_labels**2)
        error = np.asarray(standard_error(tables[known], weights))
        roots = np.concatenate([quantiles[known], -quantiles[known]])
        twice, errors = np.concatenate([counts, counts]), np.concatenate([error, error])
        ends, _ = ends_at(test, TableConstraint(matrix), twice, errors, roots, least_kappa(matrix))
        low[known], high[known] = np.split(ends, 2)
    return low, high


def ends_at(
    test: Test,
    constraint: Constraint,
    counts: FloatTable,
    error: FloatTable,
    roots: FloatTable,
    least: float,
) -> tuple[FloatTable, FloatTable]:
    """Return the coefficients at which the statistic has the given signed roots.

    All coefficients must be defined. The second array returned contains the most likely proportions
    at these coefficients, or NaN where the coefficient is the most extreme possible.

    Parameters
    ----------
    test : {'score', 'profile'}
    constraint : Constraint
    counts : ndarray of shape (m, cells)
    error : ndarray of shape (m,)
        The standard errors of the coefficients. The search starts at the asymptotic limits.
    roots : ndarray of shape (m,)
        The square roots of the statistic, positive if the coefficient is below its estimate.
    least : float
        A lower bound for the coefficient, or -infinity if unknown.
    """
    n = counts.sum(axis=-1)
    kappa, quantiles = constraint.values(counts / n[:, None]), np.abs(roots)
    # If kappa is about 1, the standard error can be 0. The error is raised to at least the change
    # in kappa that one more item would cause.
    half = roots * np.maximum(error, 1 / (n + 1))
    bound = np.where(roots > 0, least, 1.0)
    guess, halfway = kappa - half, (kappa + np.maximum(bound, -3.0)) / 2
    guess = np.where(np.abs(guess - kappa) < np.abs(bound - kappa), guess, halfway)
    all_ends = _Ends(counts, kappa, guess, bound, quantiles)
    ends = bound.copy()
    sought = np.flatnonzero(np.abs(kappa - bound) > ROUNDING)
    proportions = np.full(counts.shape, np.nan)
    ends[sought], proportions[sought] = _by_newton(test, constraint, all_ends.some(sought))
    missed = np.flatnonzero(np.isnan(ends))
    if len(missed):
        ends[missed] = _by_enclosing(test, constraint, all_ends.some(missed))
        known = missed[np.isfinite(ends[missed])]
        proportions[known] = most_likely(constraint, counts[known], ends[known]).proportions
    return ends, proportions


def least_kappa(matrix: FloatTable, n_raters: int = 2) -> float:
    """Return the smallest kappa that is possible with the given disagreement weights.

    If the weights are squared distances between points, as all named weights are, the smallest
    value of Fleiss' and Conger's kappa is -1 / (n_raters - 1), which is -1 for two raters. The
    reason is that the mean squared distance between R random vectors is at most R / (R - 1) times
    the mean squared distance between independent vectors with the same distributions. For other
    weights, the function returns -infinity, because kappa might have no lower bound. This happens,
    for example, if a disagreement has a positive weight and the opposite disagreement has weight 0.

    Examples
    --------
    >>> from fastkappa.statistics.intervals.inverted import least_kappa
    >>> from fastkappa.statistics.weights import disagreement_matrix
    >>> least_kappa(disagreement_matrix("linear", 4))
    -1.0
    """
    if not np.array_equal(matrix, matrix.T):
        return -math.inf
    # The weights are squared distances if the doubly centered matrix, multiplied by -1, has no
    # negative eigenvalue.
    means = matrix.mean(axis=0)
    eigenvalues = np.linalg.eigvalsh(means[:, None] + means - matrix - means.mean())
    is_squared = eigenvalues.min() >= -1e-10 * eigenvalues.max()
    return -1 / (n_raters - 1) if is_squared else -math.inf


def statistic_and_slope(
    test: Test, observed: FloatTable, p: FloatTable, n: FloatTable
) -> tuple[FloatTable, FloatTable]:
    """Return a test statistic for each of the m rows, and its derivative with respect to p."""
    used, n = observed > 0, n[:, None]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(used, observed / p, 0.0)
        if test == "profile":
            terms = np.where(used, 2 * n * observed * np.log(ratio), 0.0)
            return terms.sum(axis=-1), -2 * n * ratio
        score = n[:, 0] * ((observed * ratio).sum(axis=-1) - 1)
        return score, -n * ratio**2


def _by_newton(test: Test, constraint: Constraint, sought: _Ends) -> tuple[FloatTable, FloatTable]:
    """Find the limits and their proportions by Newton's method, or NaN if it does not converge."""
    ends, proportions = np.full(sought.kappa.shape, np.nan), np.full(sought.counts.shape, np.nan)
    which = np.arange(len(ends))
    problem = first_problem(sought.counts, sought.guess - sought.kappa)
    kappa0 = sought.guess
    n_near = np.zeros(len(ends), np.intp)
    for _ in range(MOST_STEPS):
        if not len(which):
            break
        move = constraint.newton_move(problem, kappa0, LARGEST_CHANGE[0])
        n_near = np.where(move.is_far, 0, n_near + 1)
        n = sought.counts.sum(axis=-1)
        # At the first step, p contains the observed proportions. There, the statistic is at its
        # minimum and its slope is 0, so kappa0 stays the same.
        ready = (n_near > 1) & (problem.product * n < SMALL_PRODUCT)
        statistic, slope = statistic_and_slope(test, problem.observed, problem.p, n)
        root = np.sqrt(np.maximum(statistic, 1e-3 * np.minimum(sought.quantile**2, 1)))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            at_once, with_t = (
                (slope * change[0]).sum(axis=-1) / (2 * root)
                for change in (move.at_once, move.with_t)
            )
            dt = (sought.quantile - root - at_once) / with_t
        # The statistic must increase away from the estimate. Since t = 1 - kappa0 decreases as
        # kappa0 increases, ``with_t`` and ``outwards`` must have opposite signs.
        outwards = np.sign(sought.bound - sought.kappa)
        room = 0.9 * np.abs(sought.bound - kappa0)
        ready &= np.isfinite(dt) & (with_t * outwards < 0)
        dt = np.where(ready, np.clip(dt, -LARGEST_T, LARGEST_T), 0.0)
        dt = np.where(-dt * outwards > room, -outwards * room, dt)
        close = np.where(move.error < TOLERANCE, ROOT_TOLERANCE, ROUNDED_ROOT) + ROUNDING * n
        done = ready & problem.is_solved(move) & (np.abs(root - sought.quantile) < close)
        ends[which[done]], proportions[which[done]] = kappa0[done], problem.p[done]
        problem, length = problem.moved(move, dt)
        first = sought.kappa + 0.1 * (sought.guess - sought.kappa)
        kappa0 = kappa0 - length * dt
        kappa0 = np.where((kappa0 - first) * outwards < 0, first, kappa0)
        kept = ~done & np.isfinite(problem.b) & np.isfinite(kappa0)
        which, n_near, kappa0 = which[kept], n_near[kept], kappa0[kept]
        sought, problem = sought.some(kept), problem.some(kept)
    return ends, proportions


def _by_enclosing(test: Test, constraint: Constraint, sought: _Ends) -> FloatTable:
    """Find the limits by false position (Illinois), or by bisection near a jump to infinity."""
    n = sought.counts.sum(axis=-1)
    observed = sought.counts / n[:, None]

    def excess(which: AnyArray, kappa0: FloatTable) -> FloatTable:
        found = most_likely(constraint, sought.counts[which], kappa0)
        statistic, _ = statistic_and_slope(test, observed[which], found.proportions, n[which])
        impossible = np.isinf(found.likelihood_ratio)
        return (
            np.where(impossible, np.inf, np.sqrt(np.maximum(statistic, 0))) - sought.quantile[which]
        )

    inside, outside, point = sought.kappa.copy(), sought.bound.copy(), sought.guess.copy()
    below, above = -sought.quantile, np.full(len(n), np.inf)
    last = np.zeros(len(n))
    which = np.arange(len(n))
    for step in range(MOST_HALVINGS):
        if not len(which):
            break
        found = excess(which, point[which])
        out, into = which[found > 0], which[~(found > 0)]
        outside[out], above[out] = point[out], found[found > 0]
        inside[into], below[into] = point[into], found[~(found > 0)]
        # If the same end of the bracket moves twice in a row, the function value at the other end
        # is halved (Illinois algorithm).
        below[out] *= np.where(last[out] > 0, 0.5, 1)
        above[into] *= np.where(last[into] < 0, 0.5, 1)
        last[out], last[into] = 1, -1
        at_jump = np.isinf(above[which]) | (step > SMOOTH_STEPS)
        tolerance = np.where(at_jump, JUMP_TOLERANCE, END_TOLERANCE)
        near = np.abs(outside[which] - inside[which]) < tolerance
        exact = np.abs(found) < ROUNDED_ROOT
        inside[which[exact]] = point[which[exact]]
        is_low = sought.bound[which] < sought.kappa[which]
        at_least = is_low & (found <= 0) & (point[which] < sought.bound[which] + NEAR_LEAST)
        inside[which[at_least]] = sought.bound[which[at_least]]
        which = which[~(near | exact | at_least)]
        unlimited = which[np.isinf(outside[which])]
        inside[unlimited[inside[unlimited] < FARTHEST]] = -np.inf
        which = which[np.isfinite(inside[which])]
        start, width = inside[which], outside[which] - inside[which]
        with np.errstate(invalid="ignore"):
            part = below[which] / (below[which] - above[which])
            part = np.where(np.isinf(above[which]) | (step > SMOOTH_STEPS), 0.5, part)
            doubled = sought.kappa[which] - 2 * (sought.kappa[which] - start)
            point[which] = np.where(np.isfinite(width), start + part * width, doubled)
        at_first = ~np.isfinite(width) & (start == sought.kappa[which])
        point[which[at_first]] = sought.guess[which[at_first]]
    return inside
