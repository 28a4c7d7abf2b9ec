"""Compute variances, and set them to exactly 0 if they differ from 0 only by rounding errors.

A standard error measures the spread of the items' influences on a coefficient. If all influences
are equal, the standard error is 0. But each influence is a difference of rounded terms, which
leaves noise of about 1e-17. If this noise were used as a standard error, any difference would look
significant.

The noise is bounded as follows. Every term t is a sum of products and quotients of numbers with the
same sign. The error of t after n operations is therefore at most n * eps * |t| (Higham 2002,
section 3.1). A sum of m nonzero numbers needs m operations. Each term contains only a few sums over
the cells of a table, the distinct rows of ratings, the labels or the raters in use. An influence is
a difference of such terms, so its error is at most n * eps * size, where size is the sum of the
terms' absolute values. For the mean influence, the same bound holds with the mean size. Influences
whose distance from their mean is below

    SAFETY * n_terms * eps * (size + mean size)

cannot be distinguished from the mean. If this is true of all influences, the variance is set to 0.
For a dozen terms, the bound is about 4e-14 times the size. One of n items can cause a real
difference as small as 1 / n times the size. Therefore a nonzero standard error is wrongly set to 0
only if n is above about 1e13, or above about 1e11 for a thousand terms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable

EPSILON = float(np.finfo(np.float64).eps)
# The bound on rounding errors is multiplied by this factor, because each term is computed from a
# few successive sums.
SAFETY = 8.0
# A coefficient closer to 0 than this is set to 0, because 1 - observed / expected can have a
# rounding error of this size.
LEAST_COEFFICIENT = 64 * EPSILON


class Influence(NamedTuple):
    """The influence of an item on a statistic, for each table cell or distinct row of ratings.

    ``values`` are differences of terms, and ``sizes`` are sums of the absolute values of these
    terms. Adding a constant to ``values`` does not change their variance.
    """

    values: FloatTable
    sizes: FloatTable

    def reshape(self, *shape: int) -> Influence:
        """Return the influences with both arrays reshaped."""
        return Influence(self.values.reshape(shape), self.sizes.reshape(shape))


def variance(influence: Influence, proportions: AnyArray, n_terms: int | AnyArray) -> FloatTable:
    """Return the variance of influences over the last axis, or 0 if it is only rounding noise.

    Parameters
    ----------
    influence : Influence
        The influences, whose values and sizes are arrays of shape (..., m).
    proportions : ndarray of shape (..., m)
        The proportion of items with each value. Values with proportion 0 are ignored.
    n_terms : int or ndarray of shape (..., 1)
        The number of nonzero terms in the longest sum of an influence.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.statistics.spread import Influence, variance
    >>> values = np.array([0.1 + 0.2, 0.3])
    >>> bool(variance(Influence(values, values), np.array([0.5, 0.5]), 2) == 0)
    True
    """
    used = proportions != 0
    values, sizes = influence
    if not used.all():
        # The influence of a cell without items can be infinite or NaN, so it is replaced by 0.
        values, sizes = np.where(used, values, 0.0), np.where(used, sizes, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        deviation = values - np.add.reduce(proportions * values, axis=-1, keepdims=True)
        spread: FloatTable = np.add.reduce(proportions * deviation * deviation, axis=-1)
        bound = SAFETY * n_terms * EPSILON
        # If the values differ only by rounding errors, the variance is below the square of
        # ``largest``, usually far below.
        largest = (2 * bound * np.maximum.reduce(sizes, axis=-1, keepdims=True))[..., 0]
        if (spread > largest * largest).all():
            return spread
        size = sizes + np.add.reduce(proportions * sizes, axis=-1, keepdims=True)
        noise = np.abs(deviation) <= bound * size
        return np.where((noise | ~used).all(axis=-1), 0.0, spread)


def without_noise(coefficients: Any) -> FloatTable:
    """Return coefficients, replacing any that are only rounding errors with 0."""
    values = np.asarray(coefficients, np.float64)
    return np.where(np.abs(values) < LEAST_COEFFICIENT, 0.0, values)
