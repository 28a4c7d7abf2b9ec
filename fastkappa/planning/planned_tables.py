"""Construct the tables on which plans are based, from kappa and the raters' margins.

For two labels, kappa and the margins determine the table. For more labels, the table is assumed to
be a mixture of independence and the maximum agreement that the margins allow. With two labels, the
mixture is the only possible table. A conservative plan instead uses the table in which kappa has
the largest variance. The margins and kappa determine q_o, q_e and the influence of each cell on
kappa. The variance is therefore a linear function of the cells, and its maximum is the solution of
a linear programme (Flack and others 1988).
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.statistics.inference import delta_error, gradient, terms_of
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.transport import closest_tables
from fastkappa.statistics.weights import Weights, as_weights, disagreement_matrix

Margins: TypeAlias = tuple[FloatTable, FloatTable]
MOST_STEPS = 100
# The smallest proportion of items outside the most frequent cell.
LEAST_OUTSIDE = 1e-6
# The tolerances of the linear programme: for the variance in a cell, and for the margins and kappa.
GAP, MISFIT = 1e-11, 1e-10


def as_margins(rates: Any) -> Margins:
    """Return the proportions of each rater's labels, or raise if they are invalid."""
    try:
        first, second = (np.asarray(rate, dtype=np.float64) for rate in rates)
    except (TypeError, ValueError) as error:
        raise ValueError(f"rates must be a pair of numbers or of arrays, got {rates!r}.") from error
    if first.ndim == second.ndim == 0:
        first, second = (np.array([rate, 1 - rate]) for rate in (first, second))
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise ValueError(
            "rates must be two numbers, or two arrays with one proportion per label, got shapes"
            f" {first.shape} and {second.shape}."
        )
    for margin in (first, second):
        if not (margin >= 0).all() or abs(margin.sum() - 1) > 1e-9:
            raise ValueError(f"rates must be proportions that sum to 1, got {margin.tolist()}.")
    return first, second


def planned_table(
    name: str, kappa: float, margins: Margins, weights: Weights, conservative: bool = False
) -> FloatTable:
    """Return the proportions of the planned table, of shape (l, l).

    ``name`` is the name of the argument ``kappa`` in error messages.
    """
    mixed = _mixture(name, kappa, margins, weights)
    return most_variable_table(mixed, weights) if conservative else mixed


def _mixture(name: str, kappa: float, margins: Margins, weights: Weights) -> FloatTable:
    """Return the mixture of independence and maximum agreement that has this kappa."""
    if not isinstance(kappa, Real) or not -1 <= kappa <= 1:
        raise ValueError(f"{name} must be a number between -1 and 1, got {kappa!r}.")
    by_chance = np.outer(*margins)
    checked = as_weights(weights, len(by_chance))
    closest = closest_tables(by_chance, checked)
    largest = float(kappas(closest, checked))
    if math.isnan(largest):
        raise ValueError(
            "rates must allow disagreement, got"
            f" {', '.join(str(margin.tolist()) for margin in margins)}, so kappa is undefined."
        )
    if kappa > largest + 1e-12:
        raise ValueError(
            f"{name} can be at most {largest:.4f} for raters with these rates, got {kappa!r}."
        )
    part = min(kappa / largest, 1.0) if largest > 0 else 0.0
    proportions: FloatTable = by_chance + part * (closest - by_chance)
    if proportions.min() < -1e-12:
        raise ValueError(f"{name} is too far below 0 for raters with these rates, got {kappa!r}.")
    return np.maximum(proportions, 0)


def outside_most_frequent(proportions: FloatTable) -> float:
    """Return the proportion of items outside the most frequent cell, or raise if it is tiny.

    Kappa depends on the items outside this cell. The most likely tables are accurate to about 1e-9
    of all items, which is at most 0.1 % of the items outside if their proportion is at least 1e-6.
    """
    most_frequent = np.unravel_index(proportions.argmax(), proportions.shape)
    others = proportions.copy()
    others[most_frequent] = 0
    outside = float(others.sum())
    if outside < LEAST_OUTSIDE:
        raise ValueError(
            "rates are too close to 0 and 1 for a plan, because both raters are expected to give"
            f" the same label to all but a proportion of {outside:.1g} of the items. Plan for a"
            " sample in which the other labels are more frequent."
        )
    return outside


def error_of_one_item(proportions: FloatTable, weights: Weights) -> float:
    """Return the standard error of kappa times sqrt(n), for a table of proportions."""
    terms = terms_of(proportions, weights)
    return float(delta_error(terms.proportions, gradient(terms), np.ones(())))


def most_variable_table(proportions: FloatTable, weights: Weights) -> FloatTable:
    """Return the table with the same margins and kappa in which kappa has the largest variance.

    Parameters
    ----------
    proportions : ndarray of shape (l, l)
        Any table with these margins and this kappa.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None
        Disagreement weights.

    References
    ----------
    V. F. Flack, A. A. Afifi, P. A. Lachenbruch and H. J. A. Schouten (1988). Sample size
    determinations for the two rater kappa statistic. Psychometrika 53, 321-325.
    """
    matrix = disagreement_matrix(weights, len(proportions))
    rows, columns = (np.flatnonzero(proportions.sum(axis=axis)) for axis in (1, 0))
    used = np.ix_(rows, columns)
    influence = gradient(terms_of(proportions, weights)).values[used]
    cells = [(i, j) for i in range(len(rows)) for j in range(len(columns))]
    # The sum of the last column is left out, because it follows from the other sums, and the
    # constraints must be independent.
    sums = [[float(i == k) for i, _ in cells] for k in range(len(rows))]
    sums += [[float(j == k) for _, j in cells] for k in range(len(columns) - 1)]
    constraints = np.array([*sums, (matrix[used] / matrix.max()).ravel()])
    mixed = proportions[used].ravel()
    by_chance = np.outer(proportions.sum(axis=1)[rows], proportions.sum(axis=0)[columns]).ravel()
    largest = _largest_sum((influence**2).ravel(), constraints, constraints @ mixed, by_chance)
    table = np.zeros_like(proportions)
    table[used] = largest.reshape(len(rows), len(columns))
    return table


def _largest_sum(
    values: FloatTable, constraints: FloatTable, sums: FloatTable, start: FloatTable
) -> FloatTable:
    """Return x >= 0 with ``constraints @ x == sums`` and the largest ``sum(values * x)``.

    The solution uses Mehrotra's interior-point method. Both x and the slack s of the dual programme
    remain positive while their products approach 0.
    """
    scale = max(float(values.max()), 1e-300)
    costs = 1 - values / scale
    x, y, s = start.copy(), np.zeros(len(sums)), costs + 0.1
    for _ in range(MOST_STEPS):
        primal, dual = sums - constraints @ x, costs - constraints.T @ y - s
        product = float((x * s).mean())
        if product < GAP and np.abs(primal).max() < MISFIT:
            break
        ratio = x / s
        left = (constraints * ratio) @ constraints.T

        def step(
            target: FloatTable,
            left: FloatTable = left,
            ratio: FloatTable = ratio,
            primal: FloatTable = primal,
            dual: FloatTable = dual,
            s: FloatTable = s,
        ) -> tuple[FloatTable, FloatTable, FloatTable]:
            right = primal + constraints @ (ratio * dual - target / s)
            dy: FloatTable = np.linalg.lstsq(left, right, rcond=1e-15)[0].astype(np.float64)
            ds = dual - constraints.T @ dy
            return target / s - ratio * ds, dy, ds

        dx, dy, ds = step(-x * s)
        after = float(((x + _length(x, dx) * dx) * (s + _length(s, ds) * ds)).mean())
        centre = (after / product) ** 3 * product
        dx, dy, ds = step(centre - x * s - dx * ds)
        along, across = 0.995 * _length(x, dx), 0.995 * _length(s, ds)
        if not np.isfinite(dx).all():
            break
        x, y, s = x + along * dx, y + across * dy, s + across * ds
    return x


def _length(x: FloatTable, dx: FloatTable) -> float:
    """Return the largest fraction of a step, up to 1, that keeps all numbers nonnegative."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return min(1.0, float(np.where(dx < 0, -x / dx, np.inf).min()))
