"""Compute standard errors, tests and intervals for kappa from a table of counts.

For cell proportions p with margins r and c, and for disagreement weights v, let

    q_o = sum(v * p),    q_e = sum(v * outer(r, c)),    kappa = 1 - q_o / q_e.

The derivative of kappa with respect to p_ij is

    g_ij = ((1 - kappa) * (v_i. + v_.j) - v_ij) / q_e,

where v_i. is the mean of row i of v, weighted by the second rater's margin, and v_.j is the mean of
column j, weighted by the first rater's margin. The variance of g, divided by the number of items n,
is the variance of kappa given by Fleiss, Cohen and Everitt (1969). With kappa = 0 and
p = outer(r, c), it is the variance that they give for independent raters, which is needed for
tests. Both variances are valid for asymmetric weights and for weights on any scale.
"""

from __future__ import annotations

import math
from numbers import Real
from statistics import NormalDist
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics import distributions
from fastkappa.statistics.clusters import Clusters, variance
from fastkappa.statistics.spread import Influence
from fastkappa.statistics.tables import as_tables
from fastkappa.statistics.weights import Weights, disagreement_matrix, mean_weights

# 95% of normally distributed values lie within this many standard deviations of the mean.
DEVIATIONS = 1.959963984540054
STANDARD_NORMAL = NormalDist()
# "normal": variances are divided by n, and quantiles are normal.
# "t": variances are divided by n - 1, and quantiles are those of Student's t with n - 1 degrees
# of freedom.
Distribution: TypeAlias = Literal["normal", "t"]
DISTRIBUTIONS: tuple[Distribution, ...] = get_args(Distribution)


class Terms(NamedTuple):
    """The terms needed for the standard errors of a stack of tables.

    ``proportions`` has shape (..., l, l), and the weights ``matrix`` have shape (l, l). The margins
    ``rows`` and ``columns``, and the mean weights ``row_means`` and ``column_means``, have shape
    (..., l). ``n``, ``observed`` (q_o) and ``expected`` (q_e) have shape (...).
    """

    n: FloatTable
    proportions: FloatTable
    matrix: FloatTable
    rows: FloatTable
    columns: FloatTable
    row_means: FloatTable
    column_means: FloatTable
    observed: FloatTable
    expected: FloatTable


def standard_error(
    table: ArrayLike, weights: Weights = None, clusters: Clusters | None = None
) -> Any:
    """Return the standard error of kappa for use in intervals (Fleiss, Cohen and Everitt 1969).

    Parameters
    ----------
    table : array-like of shape (..., l, l)
        Counts; rows are the first rater's ratings.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights, as for `fastkappa.kappa_from_confusion`.
    clusters : Clusters or None, default=None
        The clusters of the items (Yang and Zhou 2014, 2015). Requires a single table.

    Returns
    -------
    standard_error : float, or ndarray of shape (...) for a stack
        The standard error, or NaN if kappa is undefined or all items are in one cluster.

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
    return number_or_array(delta_error(terms.proportions, gradient(terms), terms.n, clusters))


def null_standard_error(table: ArrayLike, weights: Weights = None) -> Any:
    """Return the standard error of kappa for independent raters, for use in tests.

    Do not use this standard error for intervals. See `standard_error` for the parameters and the
    return value.

    Examples
    --------
    >>> from fastkappa.statistics.inference import null_standard_error
    >>> round(null_standard_error([[88, 14, 18], [10, 40, 10], [2, 6, 12]]), 6)
    0.051979
    """
    terms = terms_of(as_tables(table), weights)
    by_chance = terms.rows[..., :, None] * terms.columns[..., None, :]
    # Under the null hypothesis, kappa is 0, so the kappa of the table does not matter.
    return number_or_array(delta_error(by_chance, _gradient_at(terms, np.ones(())), terms.n))


def textbook_standard_error(table: ArrayLike, weights: Weights = None) -> Any:
    """Return the standard error found in many textbooks, which is cruder than `standard_error`.

    Without weights, the formula is ``sqrt(p_o * (1 - p_o) / n) / (1 - p_e)``. With weights, the
    formula of Cohen (1968) is used. Both formulas treat the agreement expected by chance as known.
    Prefer `standard_error`, which accepts the same parameters.

    Examples
    --------
    >>> from fastkappa.statistics.inference import textbook_standard_error
    >>> round(textbook_standard_error([[88, 14, 18], [10, 40, 10], [2, 6, 12]]), 6)
    0.054922
    """
    terms = terms_of(as_tables(table), weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = terms.matrix / _beside_cells(terms.expected)
    slope = Influence(-distance, distance)
    return number_or_array(delta_error(terms.proportions, slope, terms.n))


def kappa_gradient(tables: AnyArray, weights: Weights) -> Influence:
    """Return the derivative of kappa with respect to the proportion in each cell."""
    return gradient(terms_of(tables, weights))


def terms_of(tables: AnyArray, weights: Weights) -> Terms:
    """Return the terms needed for the standard errors of a validated stack of tables."""
    matrix = disagreement_matrix(weights, tables.shape[-1])
    n, proportions = proportions_of(tables)
    rows, columns = proportions.sum(axis=-1), proportions.sum(axis=-2)
    row_means = mean_weights(matrix, columns)
    return Terms(
        n,
        proportions,
        matrix,
        rows,
        columns,
        row_means,
        mean_weights(matrix.T, rows),
        (proportions * matrix).sum(axis=(-2, -1)),
        (rows * row_means).sum(axis=-1),
    )


def proportions_of(tables: AnyArray) -> tuple[FloatTable, FloatTable]:
    """Return each table's sum n, and its cells divided by n (NaN if n is 0)."""
    counts = tables.astype(np.float64)
    n = np.asarray(counts.sum(axis=(-2, -1)))
    with np.errstate(invalid="ignore"):
        return n, counts / _beside_cells(n)


def gradient(terms: Terms) -> Influence:
    """Return the derivative of kappa with respect to the proportion in each cell."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return _gradient_at(terms, terms.observed / terms.expected)


def _gradient_at(terms: Terms, one_minus_kappa: FloatTable) -> Influence:
    means = terms.row_means[..., :, None] + terms.column_means[..., None, :]
    expected = _beside_cells(terms.expected)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_chance = _beside_cells(one_minus_kappa) * means
        return Influence(
            (by_chance - terms.matrix) / expected, (by_chance + terms.matrix) / expected
        )


def delta_error(
    proportions: FloatTable, slope: Influence, n: FloatTable, clusters: Clusters | None = None
) -> FloatTable:
    """Return the delta-method standard error of a statistic of multinomial proportions.

    ``slope`` is the statistic's derivative with respect to each cell's proportion. The last two
    axes of ``slope`` correspond to those of the table. Adding a constant to ``slope`` has no
    effect. If ``clusters`` is given, all statistics must be computed from the same table.
    """
    *stack, n_rows, n_columns = proportions.shape
    n_cells = n_rows * n_columns
    flat = proportions.reshape(*stack, n_cells)
    n_used = np.count_nonzero(flat, axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = variance(slope.reshape(*stack, n_cells), flat, n_used, clusters)
        return np.asarray(np.sqrt(found / n))


def symmetric_interval(
    value: Any, error: Any, confidence: float, degrees_of_freedom: float = math.inf
) -> tuple[Any, Any]:
    """Return the limits of a symmetric interval around a value, not truncated at 1.

    The quantile is from Student's t distribution. By default, the degrees of freedom are infinite,
    so the distribution is normal.
    """
    known = degrees_of_freedom > 0
    half = (
        distributions.t_quantile((1 + confidence) / 2, degrees_of_freedom if known else math.nan)
        * error
    )
    return value - half, value + half


def normal_quantile(probability: float) -> float:
    """Return a quantile of the standard normal distribution."""
    return STANDARD_NORMAL.inv_cdf(probability)


def two_sided_p(z: float) -> float:
    """Return the two-sided p-value of a standard normal z.

    Examples
    --------
    >>> from fastkappa.statistics.inference import two_sided_p
    >>> round(two_sided_p(1.959963984540054), 12)
    0.05
    """
    return math.erfc(abs(z) / math.sqrt(2))


def chi_square_p(statistic: float, degrees_of_freedom: int) -> float:
    """Return the probability that a chi-square variable exceeds a value.

    For a whole number of degrees of freedom, this probability is a finite sum.

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
    """Return the confidence level of an interval, or raise if it is not between 0 and 1."""
    return check_probability("confidence", confidence)


def check_probability(name: str, value: float) -> float:
    """Return the value of an argument, or raise an error if the value is not between 0 and 1."""
    if not isinstance(value, Real) or not 0 < value < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, got {value!r}.")
    return float(value)


def check_whole(name: str, value: int, least: int) -> None:
    """Raise an error if an argument is not a whole number or is below ``least``."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")


def degrees_of_freedom(distribution: Distribution, n: float) -> float:
    """Return the degrees of freedom for n items, or infinity for the normal distribution."""
    return float(n - 1) if distribution == "t" else math.inf


def number_or_array(values: AnyArray) -> Any:
    """Return the value for one table as a float, or return the array for a stack unchanged."""
    return values if values.ndim else float(values)


def _beside_cells(per_table: FloatTable) -> FloatTable:
    return np.asarray(per_table)[..., None, None]
