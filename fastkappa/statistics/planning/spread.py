"""How a statistic of the proportions of n items varies, by its derivatives.

They are taken by symmetric differences, for statistics that are themselves solutions of equations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import FloatTable

STEP = 1e-3  # of a proportion, relative to itself


class Variation(NamedTuple):
    """Of n items a statistic has the mean value + bias / n and the variance deviation**2 / n."""

    value: float
    deviation: float
    bias: float


def variation(statistic: Callable[[FloatTable], FloatTable], proportions: FloatTable) -> Variation:
    """Return how a statistic of multinomial proportions varies.

    Parameters
    ----------
    statistic : callable
        From proportions of shape (k, m) to values of shape (k,).
    proportions : ndarray of shape (m,)

    Examples
    --------
    The product of a proportion and the rest has the mean p (1 - p) (1 - 1 / n).

    >>> import numpy as np
    >>> from fastkappa.statistics.planning.spread import variation
    >>> found = variation(lambda p: p[:, 0] * p[:, 1], np.array([0.2, 0.8]))
    >>> [round(value, 5) for value in found]  # p (1 - p), its derivative times the deviation of p
    [0.16, 0.24, -0.16]
    """
    used = np.flatnonzero(proportions)
    weight = proportions[used]
    moved = np.repeat(proportions[None], 2 * len(used) + 1, axis=0)
    cells = np.arange(len(used))
    moved[cells, used] *= 1 + STEP
    moved[len(used) + cells, used] *= 1 - STEP
    values = statistic(moved / moved.sum(axis=1, keepdims=True))
    up, down, value = values[: len(used)], values[len(used) : -1], values[-1]
    # Proportions that sum to 1 again take the mean of the derivatives away from each,
    slopes = (up - down) / (2 * STEP)
    # and bend what would be a straight line: the second term.
    bends = (up + down - 2 * value) / STEP**2 + 2 * weight * slopes
    deviation = np.sqrt((slopes**2 / weight).sum())
    return Variation(float(value), float(deviation), float((bends / weight).sum() / 2))
