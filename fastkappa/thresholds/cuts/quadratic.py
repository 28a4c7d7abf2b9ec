"""The best rounding for quadratic kappa, given each item's expected label.

With quadratic weights

    kappa = 2 cov(y, g) / (var y + var g + (mean y - mean g)**2)

for labels y and given labels g. Only the expected label m = E[y | score] of an item matters, and
the label that serves kappa best is the one nearest to mean y + (m - mean y) / kappa. So the cuts
lie where m crosses mean y + kappa * (c - 1/2 - mean y), c = 1, 2, ... Kappa itself is found by
rounding with the last one, from 0 on: these are the steps of Dinkelbach's method, and every one
goes up, to the highest kappa.
"""

from __future__ import annotations

import numpy as np

from fastkappa.arrays import Floats
from fastkappa.thresholds.cuts.spline import rising, smoothest

# The curve is continued as a line for so many standard deviations of the scores.
BEYOND = 10.0
# No trial took more than 10 rounds.
MOST_ROUNDS = 100
EPSILON = 2.0**-52


def best_levels(
    expected: Floats, weights: Floats, mean: float, variance: float, n_labels: int
) -> tuple[Floats, float]:
    """Return the expected labels from which the next label is given, and the kappa expected.

    Parameters
    ----------
    expected : ndarray of shape (n,)
        Ascending, between 0 and K - 1.
    weights : ndarray of shape (n,)
        The number of items of each.
    mean, variance : float
        Those of the true labels 0, 1, ..., K - 1.
    n_labels : int
        K.

    Returns
    -------
    levels : ndarray of shape (K - 1,)
    kappa : float
        0.0 where expected labels tell nothing: then all levels are at the mean.

    Examples
    --------
    Items whose labels are known are given these.

    >>> import numpy as np
    >>> from fastkappa.thresholds.cuts.quadratic import best_levels
    >>> best_levels(np.array([0.0, 1, 2]), np.array([1.0, 2, 1]), 1.0, 0.5, 3)
    (array([0.5, 1.5]), 1.0)
    """
    halves = np.arange(1, n_labels, dtype=np.float64) - 0.5
    proportions = weights / weights.sum()
    from_mean = expected - proportions @ expected
    kappa = 0.0
    for _ in range(MOST_ROUNDS):
        levels = mean + kappa * (halves - mean)
        given = np.searchsorted(levels, expected, side="right").astype(np.float64)
        middle = float(proportions @ given)
        covariance = float(proportions @ (from_mean * (given - middle)))
        chance = variance + float(proportions @ (given - middle) ** 2) + (mean - middle) ** 2
        if 2 * covariance <= kappa * chance + len(halves) * EPSILON * chance:
            break
        kappa = 2 * covariance / chance
    best: Floats = mean + kappa * (halves - mean)
    return best, kappa


def smooth_cuts(x: Floats, counts: Floats, n_items: float) -> Floats:
    """Return the cuts on x for the highest kappa expected if E[y | x] is a smooth, rising curve.

    Parameters
    ----------
    x : ndarray of shape (n,)
        Ascending positions, in units of their standard deviation.
    counts : ndarray of shape (K, n)
        The count, or sum of item weights, of each label there.
    n_items : float
        The number of items, or the effective number of weighted ones.

    Returns
    -------
    cuts : ndarray of shape (K - 1,)
        -inf and inf where no label is to be given on that side.

    Examples
    --------
    Labels 0, 1 and 2 that lie on a line, as many of each: nothing is to be rounded off.

    >>> import numpy as np
    >>> from fastkappa.thresholds.cuts.quadratic import smooth_cuts
    >>> smooth_cuts(np.array([-1.0, 0, 1]), np.diag([5.0, 5, 5]), 15).round(6)
    array([-0.5,  0.5])
    """
    labels = np.arange(len(counts), dtype=np.float64)
    halves = labels[1:] - 0.5
    sizes = counts.sum(axis=0)
    proportions = counts.sum(axis=1) / sizes.sum()
    mean = float(labels @ proportions)
    variance = float((labels - mean) ** 2 @ proportions)
    kappa = 0.0
    if len(x) > 1:
        means = labels @ counts / sizes
        inner = float((counts * (labels[:, None] - means) ** 2).sum())
        to_items = n_items / sizes.sum()
        smooth = smoothest(x, sizes * to_items, BEYOND, means, inner * to_items)
        curve = rising(smooth, np.pad(sizes, 1))
        expected = np.clip(curve[1:-1], 0, labels[-1])
        levels, kappa = best_levels(expected, sizes, mean, variance, len(labels))
    if kappa == 0:
        return np.where(halves <= mean, -np.inf, np.inf)
    grid = np.concatenate([[x[0] - BEYOND], x, [x[-1] + BEYOND]])
    cuts: Floats = np.interp(levels, curve, grid, left=-np.inf, right=np.inf)
    return cuts
