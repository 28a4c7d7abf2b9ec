"""Estimate the proportion of each label as a function of the score by a cumulative logit model.

    logit P(y <= k | x) = a_k - f(x)

The intercepts a_k are ascending, and f is a natural cubic spline. The nonlinear part of f is
penalised, and Akaike's information criterion selects the penalty. The likelihood is maximised by
Fisher scoring.

References
----------
P. McCullagh (1980). Regression models for ordinal data. Journal of the Royal Statistical Society
B 42, 109-142.
"""

from __future__ import annotations

from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import Floats
from fastkappa.thresholds.cuts.spline import Spline, by_rank

# Three knots define one bend. In simulations and on real data, two bends were no better.
N_KNOTS = 3
# `PENALTIES` are the penalties to try on the bend, whose columns have variance 1. `OF_SLOPE` is the
# penalty on the slope, which keeps the slope finite if scores separate the labels.
PENALTIES, OF_SLOPE = (np.inf, 1000.0, 100.0, 10.0, 1.0, 0.0), 1e-6
MOST_STEPS = 50
# The iteration ends once a step increases the log likelihood by less than this.
CLOSE = 1e-7
LEAST_PROPORTION = 1e-300
# The goodness-of-fit test compares observed and expected counts in this many groups of items.
N_GROUPS = 10


class _Fit(NamedTuple):
    """A model with its parameters, penalised log likelihood and label proportions."""

    intercepts: Floats
    coefficients: Floats
    likelihood: float
    proportions: Floats


def smooth_proportions(x: Floats, counts: Floats, n_items: float) -> Floats | None:
    """Return the proportion of each label at each position, or None if the model is rejected.

    The model is rejected if Akaike's criterion prefers separate proportions for each of ten
    groups of neighbouring items.

    Parameters
    ----------
    x : ndarray of shape (n,)
        Ascending positions, in units of their standard deviation.
    counts : ndarray of shape (K, n)
        The number of items with each label at each position, or the sum of their weights.
    n_items : float
        The number of items, or the effective sample size if items are weighted.

    Returns
    -------
    proportions : ndarray of shape (K, n)
        Each column sums to 1. Labels without items have proportion 0.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.thresholds.cuts.label_proportions import smooth_proportions
    >>> counts = np.array([[9.0, 5, 1], [1, 5, 9]])
    >>> smooth_proportions(np.array([-1.0, 0, 1]), counts, 30).round(3)
    array([[0.9, 0.5, 0.1],
           [0.1, 0.5, 0.9]])
    """
    occurring = counts.any(axis=1)
    table = counts[occurring].T * (n_items / counts.sum())
    sizes = table.sum(axis=1)
    proportions = np.zeros_like(counts)
    fits = (_best_fit(table, _columns(each, sizes)) for each in (x, by_rank(sizes)))
    fitted = min(fits, key=itemgetter(0))[1]
    if not _fits(table, fitted):
        return None
    proportions[occurring] = fitted.T
    return proportions


def _fits(table: Floats, proportions: Floats) -> bool:
    """Return whether Akaike's criterion prefers the model to separate proportions in each group."""
    sizes = table.sum(axis=1)
    groups = ((np.cumsum(sizes) - sizes / 2) / sizes.sum() * N_GROUPS).astype(int)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    found, expected = (
        np.add.reduceat(each, starts) for each in (table, proportions * sizes[:, None])
    )
    some = found > 0
    deviance = 2 * float((found[some] * np.log(found[some] / expected[some])).sum())
    n_labels = table.shape[1]
    more_parameters = (len(starts) - 1) * (n_labels - 1) - (N_KNOTS - 1)
    most: float = 2 * max(more_parameters, 0) + CLOSE * float(sizes.sum())
    return deviance <= most


def _best_fit(table: Floats, columns: Floats) -> tuple[float, Floats]:
    """Return the lowest information criterion over all penalties, and the fitted proportions."""
    totals = table.sum(axis=0)
    below = np.cumsum(totals)[:-1] / totals.sum()
    fit = _evaluated(table, columns[:, :1], OF_SLOPE, np.log(below / (1 - below)), np.zeros(1))
    found = []
    for penalty in PENALTIES:
        # An infinite penalty removes the bend.
        used = columns[:, :1] if np.isinf(penalty) else columns
        ridge = np.append(OF_SLOPE, np.full(used.shape[1] - 1, penalty))
        start = np.zeros(len(ridge))
        start[: len(fit.coefficients)] = fit.coefficients
        fit, information = _maximised(table, used, ridge, fit.intercepts, start)
        inverse = np.linalg.pinv(information)[-len(ridge) :, -len(ridge) :]
        free = len(information) - float(np.trace(inverse * ridge))
        found.append((2 * (free - float((table * np.log(fit.proportions)).sum())), fit.proportions))
    return min(found, key=itemgetter(0))


def _columns(x: Floats, sizes: Floats) -> Floats:
    """Return the predictors of the model: x and the bends of a spline on x, all with variance 1."""
    spline = Spline(x, sizes, 1.0, N_KNOTS)
    bends = spline.bends[1:-1] * np.sqrt(sizes.sum())
    return np.concatenate([x[:, None], bends], axis=1)


def _evaluated(
    table: Floats, columns: Floats, ridge: Floats | float, intercepts: Floats, coefficients: Floats
) -> _Fit:
    """Return the model with these parameters. Its likelihood is -inf unless intercepts ascend."""
    linear = np.clip(intercepts - (columns @ coefficients)[:, None], -500, 500)
    below = np.pad(1 / (1 + np.exp(-linear)), ((0, 0), (1, 0)))
    proportions = np.maximum(np.diff(below, axis=1, append=1), LEAST_PROPORTION)
    likelihood = -np.inf
    if (np.diff(intercepts) > 0).all():
        likelihood = float(
            (table * np.log(proportions)).sum() - (ridge * coefficients**2).sum() / 2
        )
    return _Fit(intercepts, coefficients, likelihood, proportions)


def _maximised(
    table: Floats, columns: Floats, ridge: Floats, intercepts: Floats, coefficients: Floats
) -> tuple[_Fit, Floats]:
    """Return the model with the highest penalised likelihood, and its information matrix."""
    fit = _evaluated(table, columns, ridge, intercepts, coefficients)
    n_intercepts = len(intercepts)
    for _ in range(MOST_STEPS):
        gradient, information = _derivatives(table, columns, ridge, fit)
        # Solve by least squares, because the information matrix is singular if labels do not
        # overlap.
        step = np.linalg.lstsq(information, gradient, rcond=1e-14)[0]
        before = fit.likelihood
        for halved in range(30):
            moved = step / 2**halved
            new = _evaluated(
                table,
                columns,
                ridge,
                fit.intercepts + moved[:n_intercepts],
                fit.coefficients + moved[n_intercepts:],
            )
            if new.likelihood > before:
                fit = new
                break
        if fit.likelihood - before < CLOSE:
            break
    return fit, information


def _derivatives(table: Floats, columns: Floats, ridge: Floats, fit: _Fit) -> tuple[Floats, Floats]:
    """Return the gradient of the penalised log likelihood and the expected information."""
    proportions = fit.proportions
    below = np.cumsum(proportions, axis=1)[:, :-1]
    slopes = below * (1 - below)
    scores = slopes * (table[:, :-1] / proportions[:, :-1] - table[:, 1:] / proportions[:, 1:])
    gradient = np.concatenate(
        [scores.sum(axis=0), -columns.T @ scores.sum(axis=1) - ridge * fit.coefficients]
    )
    sizes = table.sum(axis=1, keepdims=True)
    own = sizes * slopes**2 * (1 / proportions[:, :-1] + 1 / proportions[:, 1:])
    beside = -sizes * slopes[:, :-1] * slopes[:, 1:] / proportions[:, 1:-1]
    among = np.diag(own.sum(axis=0))
    among += np.diag(beside.sum(axis=0), 1) + np.diag(beside.sum(axis=0), -1)
    rows: NDArray[np.float64] = own.copy()
    rows[:, :-1] += beside
    rows[:, 1:] += beside
    across = -rows.T @ columns
    slope = (columns * rows.sum(axis=1, keepdims=True)).T @ columns + np.diag(ridge)
    return gradient, np.block([[among, across], [across.T, slope]])
