"""Compute the variance and bias of a function of proportions from its derivatives.

The derivatives are computed numerically, by central differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import FloatTable

STEP = 1e-3  # step of a proportion, relative to its scale


class Variation(NamedTuple):
    """Terms of the mean, value + bias / n, and the variance, deviation**2 / n, of a statistic."""

    value: float
    deviation: float
    bias: float


def variation(
    statistic: Callable[[FloatTable], FloatTable],
    features: FloatTable,
    proportions: FloatTable,
    scale: float,
) -> Variation:
    """Return the `Variation` of a function of mean features, for randomly drawn items.

    Parameters
    ----------
    statistic : callable
        A function that computes values of shape (k,) from mean features of shape (k, d).
    features : ndarray of shape (m, d)
        The features of each of m kinds of items.
    proportions : ndarray of shape (m,)
        The expected proportion of each kind.
    scale : float
        A change in the proportions that hardly changes the statistic. For a proportion below this
        scale, the step of the numerical derivative is relative to the scale, because smaller steps
        would be lost to rounding.

    Examples
    --------
    If the expected proportions of two kinds of items are p and 1 - p, the product of the observed
    proportions has a mean of p (1 - p) (1 - 1 / n):

    >>> import numpy as np
    >>> from fastkappa.planning.spread import variation
    >>> found = variation(lambda p: p[:, 0] * p[:, 1], np.eye(2), np.array([0.2, 0.8]), 0.1)
    >>> [round(value, 5) for value in found]  # p (1 - p), its derivative times the deviation of p
    [0.16, 0.24, -0.16]
    """
    used = np.flatnonzero(proportions)
    weight = proportions[used]
    step = STEP * np.maximum(weight, scale)
    means = proportions @ features
    moved = step[:, None] * features[used]
    value = float(statistic(means[None])[0])
    # Proportions must sum to 1, so they are rescaled. Rescaling subtracts the mean derivative from
    # each derivative.
    up = statistic((means + moved) / (1 + step[:, None]))
    down = statistic((means - moved) / (1 - step[:, None]))
    slopes = (up - down) / (2 * step)
    # Rescaling adds a second derivative even to linear statistics. The second term removes it.
    bends = (up + down - 2 * value) / step**2 + 2 * slopes
    deviation = np.sqrt((weight * slopes**2).sum())
    return Variation(value, float(deviation), float((weight * bends).sum() / 2))
