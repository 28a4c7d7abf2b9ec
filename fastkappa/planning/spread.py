"""How a statistic of the proportions of n items varies, by its derivatives.

They are symmetric differences, for statistics with a formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import FloatTable

STEP = 1e-3  # of a proportion, relative to its scale


class Variation(NamedTuple):
    """Of n items a statistic has the mean value + bias / n and the variance deviation**2 / n."""

    value: float
    deviation: float
    bias: float


def variation(
    statistic: Callable[[FloatTable], FloatTable],
    features: FloatTable,
    proportions: FloatTable,
    scale: float,
) -> Variation:
    """Return how a statistic of the mean features of multinomial items varies.

    Parameters
    ----------
    statistic : callable
        From mean features of shape (k, d) to values of shape (k,).
    features : ndarray of shape (m, d)
        The features of each of m kinds of items.
    proportions : ndarray of shape (m,)
        How often each kind is expected.
    scale : float
        By how much the proportions may change while the statistic changes little. Smaller
        proportions take steps of this scale: rounding would be all that is left of their own.

    Examples
    --------
    The product of a proportion and the rest has the mean p (1 - p) (1 - 1 / n).

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
    # Because proportions sum to 1, the mean of the derivatives is subtracted from each of them.
    up = statistic((means + moved) / (1 + step[:, None]))
    down = statistic((means - moved) / (1 - step[:, None]))
    slopes = (up - down) / (2 * step)
    # It also curves a straight line, which the second term removes.
    bends = (up + down - 2 * value) / step**2 + 2 * slopes
    deviation = np.sqrt((weight * slopes**2).sum())
    return Variation(value, float(deviation), float((weight * bends).sum() / 2))
