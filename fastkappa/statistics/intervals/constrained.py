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
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.tables import as_tables
from fastkappa.statistics.weights import Weights, disagreement_matrix

# The product of proportion and z in a cell without counts: what it begins with, in items, and
# what it ends with. The likelihood ratio is too large by less than 2 n l^2 times the last.
FIRST_PRODUCT, LAST_PRODUCT = 0.5, 1e-10
LARGEST_CHANGE = (0.2, 0.02)  # of kappa in a step, first and then for tables where that fails
MOST_STEPS = (60, 400)
TOLERANCE = 1e-7
# These products differ from cell to cell by up to so much: a table may be symmetric where the
# most likely proportions are not, and symmetric steps would never leave a saddle.
ASYMMETRY = 0.3
GOLDEN_RATIO = 0.6180339887498949
LOWEST_KAPPA = -1.0


class ConstrainedTables(NamedTuple):
    """The most likely proportions under kappa = kappa0, of one table or of a stack.

    Attributes
    ----------
    proportions : ndarray of shape (..., l, l)
        They sum to 1, and their kappa is kappa0. NaN where no proportions with that kappa
        allow the counts.
    likelihood_ratio : ndarray of shape (...)
        Twice the logarithm of the likelihood of the observed proportions over theirs; 0 or
        above, infinite where no proportions with that kappa allow the counts.
    """

    proportions: FloatTable
    likelihood_ratio: FloatTable


class _State(NamedTuple):
    """The unknowns of a stack of m tables, shape (m, l, l) or (m,)."""

    p: FloatTable
    z: FloatTable
    a: FloatTable
    b: FloatTable


def constrained_proportions(
    table: ArrayLike, weights: Weights, kappa0: ArrayLike
) -> ConstrainedTables:
    """Return the most likely proportions of a table among those with a given kappa.

    Parameters
    ----------
    table : array-like of shape (..., l, l)
        Counts, not necessarily whole; rows are the first rater's ratings.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None
        Disagreement weights, as for `fastkappa.kappa_from_confusion`.
    kappa0 : array-like of shape (...)
        The kappa, up to 1; of the shape of the stack or broadcast with it.

    Returns
    -------
    constrained : ConstrainedTables

    Raises
    ------
    ValueError
        If ``table`` is not a table or a stack of them, or is empty, if ``kappa0`` is not
        finite or above 1, or if all weights are 0.

    Notes
    -----
    Where kappa is undefined because all counts are in one cell, or in cells without weight
    between them, proportions as near as one likes to the observed ones have any kappa: the
    likelihood ratio is 0, and ``proportions`` are the observed ones.

    Examples
    --------
    All of 50 items agreed on, half of them for each label: a disagreement on 3.8 % is as
    likely in either direction.

    >>> from fastkappa.statistics.intervals.constrained import constrained_proportions
    >>> found = constrained_proportions([[25, 0], [0, 25]], None, 0.9246)
    >>> found.proportions.round(3)
    array([[0.481, 0.019],
           [0.019, 0.481]])
    >>> round(float(found.likelihood_ratio), 3)  # - 2 * 50 * log(1 - 0.0377)
    3.843
    """
    tables = as_tables(table)
    n_labels = tables.shape[-1]
    matrix = disagreement_matrix(weights, n_labels)
    if not matrix.any():
        raise ValueError("weights must not all be 0, for kappa is then undefined.")
    target = np.asarray(kappa0, np.float64)
    if not (np.isfinite(target) & (target <= 1)).all():
        raise ValueError(f"kappa0 must be finite and at most 1, got {kappa0!r}.")
    stack = np.broadcast_shapes(tables.shape[:-2], target.shape)
    counts = np.broadcast_to(tables, (*stack, n_labels, n_labels)).astype(np.float64)
    if not counts.any(axis=(-2, -1)).all():
        raise ValueError("table must not be empty: all its counts are 0.")
    found = constrained_stack(
        counts.reshape(-1, n_labels, n_labels), matrix, np.broadcast_to(target, stack).ravel()
    )
    return ConstrainedTables(
        found.proportions.reshape(counts.shape), found.likelihood_ratio.reshape(stack)
    )


def constrained_stack(
    counts: FloatTable, matrix: FloatTable, kappa0: FloatTable
) -> ConstrainedTables:
    """Return the same for checked tables of shape (m, l, l), a matrix and m kappas."""
    matrix = matrix / matrix.max()
    observed = counts / counts.sum(axis=(-2, -1), keepdims=True)
    kappa = kappas(observed, matrix)
    exact = np.isnan(kappa) | (np.abs(kappa - kappa0) < 1e-14)
    disagree = (observed * matrix).sum(axis=(-2, -1)) > 0
    impossible = ~exact & ((kappa0 == 1) & disagree)
    proportions = np.where(exact[:, None, None], observed, np.nan)
    rest = np.flatnonzero(~exact & ~impossible)
    for change, steps in zip(LARGEST_CHANGE, MOST_STEPS):
        proportions[rest] = _solved(counts[rest], matrix, kappa0[rest], change, steps)
        rest = rest[np.isnan(proportions[rest, 0, 0])]
        if not len(rest):
            break
    used = counts > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(used, counts * np.log(observed / proportions), 0.0)
    ratio = np.maximum(2 * terms.sum(axis=(-2, -1)), 0.0)
    return ConstrainedTables(proportions, np.where(np.isnan(ratio), np.inf, ratio))


def _solved(
    counts: FloatTable, matrix: FloatTable, kappa0: FloatTable, change: float, most_steps: int
) -> FloatTable:
    """Return the proportions, NaN where the steps do not end."""
    n_labels = len(matrix)
    n = counts.sum(axis=(-2, -1))
    solved = np.full(counts.shape, np.nan)
    which = np.arange(len(counts))  # the tables that are not solved yet
    observed = counts / n[:, None, None]
    empty = counts == 0
    product = FIRST_PRODUCT / n
    cells = np.arange(n_labels * n_labels).reshape(matrix.shape)
    uneven = 1 + ASYMMETRY * (cells * GOLDEN_RATIO % 1)
    p = np.where(empty, product[:, None, None], observed)
    p /= p.sum(axis=(-2, -1), keepdims=True)
    state = _State(p, np.ones_like(p), np.ones(len(p)), np.zeros(len(p)))
    for _ in range(most_steps):
        if not len(which):
            break
        products = np.where(empty, product[:, None, None] * uneven, observed)
        stepped, length, error, far = _step(state, products, matrix, kappa0, change)
        done = (error < TOLERANCE) & (product <= LAST_PRODUCT)
        if done.any():
            solved[which[done]] = _corrected(state.p[done], matrix, kappa0[done])
        smaller = np.where(length > 0.9, 0.05, np.where(length > 0.5, 0.3, 1.0))
        product = np.where(far, product, np.maximum(product * smaller, LAST_PRODUCT))
        kept = ~done & np.isfinite(stepped.p).all(axis=(-2, -1))
        if kept.all():
            state = stepped
            continue
        which, observed, empty = which[kept], observed[kept], empty[kept]
        product, kappa0 = product[kept], kappa0[kept]
        state = _State(*(part[kept] for part in stepped))
    return solved


def _constraint(
    p: FloatTable, matrix: FloatTable, kappa0: FloatTable, change: float
) -> tuple[FloatTable, FloatTable, FloatTable, AnyArray]:
    """Return h and g, t, and whether kappa0 is farther from the kappa of p than a step goes."""
    rows, columns = p.sum(axis=-1), p.sum(axis=-2)
    row_means, column_means = columns @ matrix.T, rows @ matrix
    expected = (rows * row_means).sum(axis=-1)
    observed = (p * matrix).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = kappa0 - 1 + observed / expected
    t = 1 - kappa0 + distance - np.clip(distance, -change, change)
    means = row_means[:, :, None] + column_means[:, None, :]
    return observed - t * expected, matrix - t[:, None, None] * means, t, np.abs(distance) > change


def _step(
    state: _State, products: FloatTable, matrix: FloatTable, kappa0: FloatTable, change: float
) -> tuple[_State, FloatTable, FloatTable, AnyArray]:
    """Return the state after a step, the step's length, the error before it, and what is far."""
    p, z, a, b = state
    size = len(matrix)
    h, g, t, far = _constraint(p, matrix, kappa0, change)
    error = np.maximum(np.abs(h), np.abs(p * z - products).max(axis=(-2, -1)))
    error = np.where(far, np.inf, error)
    # dp = products / z - slope * (z after the step), where z after the step is
    # a' + b' g - bend * (the change of the means of w).
    slope, constant = p / z, products / z
    slope_g = slope * g
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
    left[:, to_b, r] = bend[:, 0] * (g_columns @ matrix.T)
    left[:, to_b, s] = bend[:, 0] * (g_rows @ matrix)
    left[:, to_b, to_a] = -g_rows.sum(axis=-1)
    left[:, to_b, to_b] = -(slope_g * g).sum(axis=(-2, -1))
    right = np.empty((len(p), 2 * size + 2, 1))
    right[:, r, 0], right[:, s, 0] = constant.sum(axis=-1), constant.sum(axis=-2)
    right[:, to_a, 0] = 1 - p.sum(axis=(-2, -1))
    right[:, to_b, 0] = -h - (g * constant).sum(axis=(-2, -1))
    found = _linear_solutions(left, right)
    change_r, change_s, a_after, b_after = found[:, r], found[:, s], found[:, to_a], found[:, to_b]
    means = (change_s @ matrix.T)[:, :, None] + (change_r @ matrix)[:, None, :]
    z_after = a_after[:, None, None] + b_after[:, None, None] * g - bend * means
    dp, dz = constant - slope * z_after, z_after - z
    # Proportions and z stay above 0.
    shrink = np.maximum(-dp / p, -dz / z).max(axis=(-2, -1))
    length = np.minimum(1, 0.995 / np.maximum(shrink, 1e-300))
    by_cell = length[:, None, None]
    after = _State(
        p + by_cell * dp, z + by_cell * dz, a + length * (a_after - a), b + length * (b_after - b)
    )
    return after, length, error, far


def _linear_solutions(left: FloatTable, right: FloatTable) -> FloatTable:
    """Return the solutions of m systems, NaN for those that are singular."""
    try:
        return np.asarray(np.linalg.solve(left, right)[..., 0], np.float64)
    except np.linalg.LinAlgError:  # it does not say which
        solutions: FloatTable = np.full(right.shape[:-1], np.nan)
        regular = np.linalg.slogdet(left).sign != 0
        solutions[regular] = np.linalg.solve(left[regular], right[regular])[..., 0]
        return solutions


def _corrected(p: FloatTable, matrix: FloatTable, kappa0: FloatTable) -> FloatTable:
    """Return proportions that sum to 1 and have kappa0 without the rounding of the steps."""
    for _ in range(2):
        h, g, _, _ = _constraint(p, matrix, kappa0, np.inf)
        squares = p * p
        sums = [(squares * g**power).sum(axis=(-2, -1)) for power in range(3)]
        missing = 1 - p.sum(axis=(-2, -1))
        determinant = sums[0] * sums[2] - sums[1] ** 2
        constant = (missing * sums[2] + h * sums[1]) / determinant
        along = (-h * sums[0] - missing * sums[1]) / determinant
        p = p + squares * (constant[:, None, None] + along[:, None, None] * g)
    return p
