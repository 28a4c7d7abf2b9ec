"""Variances that are exactly 0 where they should be: the one place where that is decided.

A standard error is the spread of what each item adds to a coefficient. If all items add the
same, it is 0; but each of these influences is a difference of rounded terms, and about 1e-17
of noise is left. Divided by, that noise would make a certainty of nothing.

How large can the noise be? Every term t here is a sum of products and quotients of numbers
of one sign, so it is known to within n * eps * |t|, n being the number of operations (Higham
2002, section 3.1): a sum of m numbers counts m, zeros not counted, and no term sums more than a
few times over the cells of a table, the distinct rows of ratings, the labels or the raters; only
those in use, for the others add zeros. An influence that is
the difference of such terms is then known to within n * eps * size, size being the sum of their
absolute values; and so is its mean, with the mean of the sizes. Influences whose distance to
their mean is below

    SAFETY * n_terms * eps * (size + mean size)

cannot be distinguished from it. If that is so of all, the variance is 0. For a dozen terms the
bound is about 4e-14 of a size. One item in n can make a real difference as small as 1 / n of a
size: its standard error is called 0 if n is above 1e13 or so, above 1e11 for a thousand terms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable

EPSILON = float(np.finfo(np.float64).eps)
# A few such sums follow one another in each term.
SAFETY = 8.0
# A coefficient is 1 - observed / expected: rounding leaves less than this where it is 0.
LEAST_COEFFICIENT = 64 * EPSILON


class Influence(NamedTuple):
    """What one item of each cell, or row of ratings, adds to a statistic.

    ``sizes`` holds the sums of the absolute values of the terms that ``values`` are the
    differences of. Adding a constant to the values changes nothing.
    """

    values: FloatTable
    sizes: FloatTable

    def reshape(self, *shape: int) -> Influence:
        """Return both arrays in another shape."""
        return Influence(self.values.reshape(shape), self.sizes.reshape(shape))


def variance(influence: Influence, proportions: AnyArray, n_terms: int | AnyArray) -> FloatTable:
    """Return the variance of influences over the last axis, exactly 0 if all are equal.

    Parameters
    ----------
    influence : Influence
        Arrays of shape (..., m).
    proportions : ndarray of shape (..., m)
        The proportion of the items that has each value; those of none do not matter.
    n_terms : int or ndarray of shape (..., 1)
        How many numbers other than 0 the longest sum in an influence has.

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
        # A cell without items may have an influence that is not finite.
        values, sizes = np.where(used, values, 0.0), np.where(used, sizes, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        deviation = values - np.add.reduce(proportions * values, axis=-1, keepdims=True)
        spread: FloatTable = np.add.reduce(proportions * deviation * deviation, axis=-1)
        bound = SAFETY * n_terms * EPSILON
        # Where all is noise the variance is below the square of the largest bound: seldom near it.
        largest = (2 * bound * np.maximum.reduce(sizes, axis=-1, keepdims=True))[..., 0]
        if (spread > largest * largest).all():
            return spread
        size = sizes + np.add.reduce(proportions * sizes, axis=-1, keepdims=True)
        noise = np.abs(deviation) <= bound * size
        return np.where((noise | ~used).all(axis=-1), 0.0, spread)


def without_noise(coefficients: Any) -> FloatTable:
    """Return coefficients, 0 for those that differ from it by rounding alone."""
    values = np.asarray(coefficients, np.float64)
    return np.where(np.abs(values) < LEAST_COEFFICIENT, 0.0, values)
