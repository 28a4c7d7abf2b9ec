"""Standard errors of kappa from a table of counts, and what is inferred from them.

With shares p of the table, margins r and c, disagreement weights v,

    q_o = sum(v * p),    q_e = sum(v * outer(r, c)),    kappa = 1 - q_o / q_e,

a small change of the share p_ij changes kappa by

    g_ij = ((1 - kappa) * (v_i. + v_.j) - v_ij) / q_e,

v_i. being the mean of row i of v under the second rater's margin and v_.j that of column j
under the first's. The variance of g, over n, is that of Fleiss, Cohen and Everitt (1969);
under the hypothesis of independence, with kappa 0 and p = outer(r, c), it is theirs for a
test. Both hold for weights that are not symmetric, and for any scale of the weights.
"""

from __future__ import annotations

import math
from numbers import Real
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.kappa import as_tables
from fastkappa.statistics.weights import Weights, disagreement_matrix

STANDARD_NORMAL = NormalDist()


class Terms(NamedTuple):
    """What the standard errors of a stack of tables are made of.

    ``shares`` has the shape (..., l, l), ``rows`` and ``columns`` are its margins,
    ``row_means`` and ``column_means`` the mean weights, all of shape (..., l); ``n``,
    ``observed`` (q_o) and ``expected`` (q_e) have the shape (...).
    """

    n: FloatTable
    shares: FloatTable
    matrix: FloatTable
    rows: FloatTable
    columns: FloatTable
    row_means: FloatTable
    column_means: FloatTable
    observed: FloatTable
    expected: FloatTable


def standard_error(table: ArrayLike, weights: Weights = None) -> Any:
    """Return the standard error of kappa, for intervals (Fleiss, Cohen and Everitt 1969).

    Parameters
    ----------
    table : array-like of shape (..., l, l)
        Counts; rows are the first rater's ratings.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights, as for `fastkappa.kappa_from_confusion`.

    Returns
    -------
    standard_error : float, or ndarray of shape (...) for a stack
        NaN where kappa is undefined.

    References
    ----------
    J. L. Fleiss, J. Cohen and B. S. Everitt (1969). Large sample standard errors of kappa
    and weighted kappa. Psychological Bulletin 72, 323-327.

    Examples
    --------
    >>> from fastkappa.statistics.inference import standard_error
    >>> round(standard_error([[88, 14, 18], [10, 40, 10], [2, 6, 12]]), 6)
    0.051002
    """
    terms = terms_of(as_tables(table), weights)
    return number_or_array(delta_error(terms.shares, gradient(terms), terms.n))


def null_standard_error(table: ArrayLike, weights: Weights = None) -> Any:
    """Return the standard error of kappa where the raters are independent, for a test.

    Parameters and result are those of `standard_error`. It must not be used for an
    interval.

    Examples
    --------
    >>> from fastkappa.statistics.inference import null_standard_error
    >>> round(null_standard_error([[88, 14, 18], [10, 40, 10], [2, 6, 12]]), 6)
    0.051979
    """
    terms = terms_of(as_tables(table), weights)
    by_chance = terms.rows[..., :, None] * terms.columns[..., None, :]
    # kappa is 0 under the hypothesis, whatever it is in the table.
    return number_or_array(delta_error(by_chance, _gradient_at(terms, np.ones(())), terms.n))


def textbook_standard_error(table: ArrayLike, weights: Weights = None) -> Any:
    """Return the cruder standard error that many textbooks print.

    Without weights it is ``sqrt(p_o * (1 - p_o) / n) / (1 - p_e)``, with them Cohen's of
    1968: the agreement expected by chance is taken for known. Parameters and result are
    those of `standard_error`, which is the one to use.

    Examples
    --------
    >>> from fastkappa.statistics.inference import textbook_standard_error
    >>> round(textbook_standard_error([[88, 14, 18], [10, 40, 10], [2, 6, 12]]), 6)
    0.054922
    """
    terms = terms_of(as_tables(table), weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = -terms.matrix / _beside_cells(terms.expected)
    return number_or_array(delta_error(terms.shares, slope, terms.n))


def kappa_gradient(tables: AnyArray, weights: Weights) -> FloatTable:
    """Return how much kappa changes with the share of each cell, shape (..., l, l)."""
    return gradient(terms_of(tables, weights))


def terms_of(tables: AnyArray, weights: Weights) -> Terms:
    """Return the terms of the standard errors of a checked stack of tables."""
    matrix = disagreement_matrix(weights, tables.shape[-1])
    n, shares = proportions_of(tables)
    rows, columns = shares.sum(axis=-1), shares.sum(axis=-2)
    row_means = columns @ matrix.T
    return Terms(
        n,
        shares,
        matrix,
        rows,
        columns,
        row_means,
        rows @ matrix,
        (shares * matrix).sum(axis=(-2, -1)),
        (rows * row_means).sum(axis=-1),
    )


def proportions_of(tables: AnyArray) -> tuple[FloatTable, FloatTable]:
    """Return the sum of each table, and its cells as shares of that; NaN if it is empty."""
    counts = tables.astype(np.float64)
    n = np.asarray(counts.sum(axis=(-2, -1)))
    with np.errstate(invalid="ignore"):
        return n, counts / _beside_cells(n)


def gradient(terms: Terms) -> FloatTable:
    """Return how much kappa changes with the share of each cell."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return _gradient_at(terms, terms.observed / terms.expected)


def _gradient_at(terms: Terms, one_minus_kappa: FloatTable) -> FloatTable:
    means = terms.row_means[..., :, None] + terms.column_means[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        slope: FloatTable = _beside_cells(one_minus_kappa) * means - terms.matrix
        return slope / _beside_cells(terms.expected)


def delta_error(shares: FloatTable, slope: FloatTable, n: FloatTable) -> FloatTable:
    """Return the standard error of a statistic of multinomial shares with this gradient.

    The gradient is that with respect to the share of each cell; the last two axes are the
    table's. A constant added to it changes nothing.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (shares * slope).sum(axis=(-2, -1), keepdims=True)
        variance = (shares * (slope - mean) ** 2).sum(axis=(-2, -1)) / n
    return np.asarray(np.sqrt(variance))


def normal_interval(value: Any, error: Any, confidence: float) -> tuple[Any, Any]:
    """Return the ends of the symmetric interval around a value, not cut off at 1."""
    half = normal_quantile((1 + confidence) / 2) * error
    return value - half, value + half


def normal_quantile(probability: float) -> float:
    """Return the standard normal deviate that is not exceeded with a probability."""
    return STANDARD_NORMAL.inv_cdf(probability)


def two_sided_p(z: float) -> float:
    """Return the probability of a standard normal deviate as far from 0 as z.

    Examples
    --------
    >>> from fastkappa.statistics.inference import two_sided_p
    >>> round(two_sided_p(1.959963984540054), 12)
    0.05
    """
    return math.erfc(abs(z) / math.sqrt(2))


def chi_square_p(statistic: float, degrees_of_freedom: int) -> float:
    """Return the probability that a chi-square variate exceeds a value.

    For whole degrees of freedom it is a finite sum, exact but for rounding.

    References
    ----------
    M. Abramowitz and I. A. Stegun (1964). Handbook of Mathematical Functions, 26.4.4 and
    26.4.5.

    Examples
    --------
    >>> from fastkappa.statistics.inference import chi_square_p
    >>> round(chi_square_p(3.841458820694124, 1), 12)
    0.05
    """
    if math.isnan(statistic):
        return math.nan
    half = statistic / 2
    if half <= 0:
        return 1.0
    odd = degrees_of_freedom % 2
    powers = (k + odd / 2 for k in range(degrees_of_freedom // 2))
    tail = (math.exp(k * math.log(half) - half - math.lgamma(k + 1)) for k in powers)
    return math.fsum([math.erfc(math.sqrt(half)) if odd else 0.0, *tail])


def check_confidence(confidence: float) -> float:
    """Return the confidence of an interval, or raise if it is none."""
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise ValueError(f"confidence must be a number between 0 and 1, got {confidence!r}.")
    return float(confidence)


def number_or_array(values: AnyArray) -> Any:
    """Return the value of one table as a float and those of a stack as they are."""
    return values if values.ndim else float(values)


def _beside_cells(per_table: FloatTable) -> FloatTable:
    return np.asarray(per_table)[..., None, None]
