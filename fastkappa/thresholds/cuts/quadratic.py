"""Find the cuts with the highest quadratic kappa from the expected label of each item.

With quadratic weights

    kappa = 2 cov(y, g) / (var y + var g + (mean y - mean g)**2)

for true labels y and assigned labels g. The best label for an item depends only on the item's
expected label m = E[y | score]: it is the label nearest to mean y + (m - mean y) / kappa. Therefore
cut c is where m crosses mean y + kappa * (c - 1/2 - mean y), for c = 1, 2, ... Kappa itself is
found by iteration, starting from kappa = 0. Each step rounds with the current kappa and computes
the next kappa from the result. This iteration, known as Dinkelbach's method, raises kappa at each
step until the maximum is reached.
"""

from __future__ import annotations

import numpy as np

from fastkappa.arrays import Floats
from fastkappa.thresholds.cuts.spline import rising, smoothest

# Beyond the scores, the curve is continued as a straight line for this many standard deviations.
BEYOND = 10.0
# The maximum number of rounds. No trial needed more than 10.
MOST_ROUNDS = 100
EPSILON = 2.0**-52


def best_levels(
    expected: Floats, weights: Floats, mean: float, variance: float, n_labels: int
) -> tuple[Floats, float]:
    """Return the levels of the expected label at which to round up, and the expected kappa.

    Parameters
    ----------
    expected : ndarray of shape (n,)
        Ascending expected labels between 0 and K - 1.
    weights : ndarray of shape (n,)
        The number of items with each expected label.
    mean, variance : float
        The mean and the variance of the true labels 0, 1, ..., K - 1.
    n_labels : int
        The number of labels, K.

    Returns
    -------
    levels : ndarray of shape (K - 1,)
    kappa : float
        The expected kappa. If the expected labels carry no information, kappa is 0.0 and all levels
        equal the mean.

    Examples
    --------
    If the labels are certain, each item gets its true label.

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
    """Return the cuts on x with the highest expected kappa if E[y | x] is smooth and rises with x.

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
    cuts : ndarray of shape (K - 1,)
        The cuts. Labels below a cut of -inf and labels above a cut of inf get no items.

    Examples
    --------
    If labels are equally frequent and rise linearly with x, the cuts are midway between positions.

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
