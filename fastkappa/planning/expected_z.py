"""Compute the mean and standard deviation of a test statistic z over studies of n items.

The number of items in a cell has approximately a Poisson distribution, with the expected number as
its mean. This distribution is replaced by one with only three possible counts and the same first
five moments (Gauss quadrature with Charlier polynomials). One cell at a time is set to each of its
three counts, while the other cells keep their expected counts. The resulting changes in z are
summed over the cells.

Like real counts, the three counts can be far from the mean, and are never negative. The method
therefore works well even for cells that are empty in most studies. Unlike numerical
differentiation, it does not divide by a small step.

For large n, the result approaches that of the delta method, including the bias of order 1 /
sqrt(n).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import FloatTable

N_COUNTS = 3
# Expected counts below this are replaced by 0, because the search for the most likely table can
# fail if a count is so small.
LEAST_COUNT = 1e-3


class ExpectedZ(NamedTuple):
    """The mean and standard deviation of z over studies."""

    mean: float
    deviation: float


def poisson_counts(means: FloatTable) -> tuple[FloatTable, FloatTable]:
    """Return three counts that represent a Poisson distribution, and their probabilities.

    Parameters
    ----------
    means : ndarray of shape (m,)
        The means of m Poisson distributions, all above 0.

    Returns
    -------
    counts, probabilities : ndarray of shape (m, 3)

    References
    ----------
    G. H. Golub and J. H. Welsch (1969). Calculation of Gauss quadrature rules. Mathematics of
    Computation 23, 221-230.

    Examples
    --------
    For a mean of 0.5, the third moment is 0.5 + 3 / 4 + 1 / 8:

    >>> import numpy as np
    >>> from fastkappa.planning.expected_z import poisson_counts
    >>> counts, probabilities = poisson_counts(np.array([0.5]))
    >>> counts.round(2)
    array([[0.03, 1.3 , 3.17]])
    >>> [round(float((probabilities * counts**k).sum()), 12) for k in (1, 2, 3)]
    [0.5, 0.75, 1.375]
    """
    steps = np.arange(N_COUNTS)
    jacobi = np.zeros((len(means), N_COUNTS, N_COUNTS))
    jacobi[:, steps, steps] = means[:, None] + steps
    beside = np.sqrt(means[:, None] * steps[1:])
    jacobi[:, steps[1:], steps[:-1]] = jacobi[:, steps[:-1], steps[1:]] = beside
    counts, vectors = np.linalg.eigh(jacobi)
    return np.where(counts < LEAST_COUNT, 0.0, counts), vectors[:, 0, :] ** 2


def expected_z(
    z_of: Callable[[FloatTable], FloatTable], proportions: FloatTable, n: float
) -> ExpectedZ:
    """Return the mean and standard deviation of z over studies of n items.

    Both values are NaN if z is infinite or NaN for at least one of the tables.

    Parameters
    ----------
    z_of : callable
        A function that takes the number of items in each cell of k tables, as an array of shape
        (k, m), and returns z, of shape (k,).
    proportions : ndarray of shape (m,)
        The expected proportion of items in each cell.
    n : float
        The number of items.

    Examples
    --------
    The proportion of items in the first of two cells, multiplied by sqrt(n), has a standard
    deviation of sqrt(p (1 - p)):

    >>> import numpy as np
    >>> from fastkappa.planning.expected_z import expected_z
    >>> found = expected_z(lambda t: t[:, 0] / 100 * 10, np.array([0.2, 0.8]), 100)
    >>> [round(value, 2) for value in found]
    [2.0, 0.4]
    """
    used = np.flatnonzero(proportions)
    expected = n * proportions
    counts, probabilities = poisson_counts(expected[used])
    tables = np.repeat(expected[None], counts.size + 1, axis=0)
    tables[np.arange(counts.size), np.repeat(used, N_COUNTS)] = counts.ravel()
    tables *= n / tables.sum(axis=1, keepdims=True)
    found = z_of(tables)
    if not np.isfinite(found).all():
        return ExpectedZ(math.nan, math.nan)
    z = float(found[-1])
    changes = found[:-1].reshape(counts.shape) - z
    means = (probabilities * changes).sum(axis=1)
    variances = (probabilities * (changes - means[:, None]) ** 2).sum(axis=1)
    return ExpectedZ(z + float(means.sum()), math.sqrt(float(variances.sum())))
