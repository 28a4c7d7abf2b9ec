"""Compute indices of agreement other than kappa, from one table or a stack of tables.

As elsewhere in this package, weights are disagreement weights. An index that needs agreement
weights uses ``1 - weights / weights.max()``, which is 1 for equal labels and 0 for the pair of
labels with the largest weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.formatting import figure
from fastkappa.frame import data_frame
from fastkappa.results.report import Grid, Report, abridged
from fastkappa.results.result import Result
from fastkappa.statistics.clusters import Clusters
from fastkappa.statistics.inference import (
    delta_error,
    kappa_gradient,
    number_or_array,
    proportions_of,
    standard_error,
)
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.spread import Influence, without_noise
from fastkappa.statistics.tables import as_tables
from fastkappa.statistics.transport import closest_tables
from fastkappa.statistics.weights import Weights, agreement_matrix, relative_distances


class _Estimate(NamedTuple):
    value: Any
    standard_error: Any


class Estimate(Result, _Estimate):
    """The value and standard error of an index, for one table or for a stack of tables.

    Attributes
    ----------
    value : float or ndarray
        The value of the index. For a stack of tables of shape (..., l, l), this is an array of
        shape (...).
    standard_error : float or ndarray
        The standard error of the index, of the same shape as ``value``.
    """

    __slots__ = ()

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per table.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame({name: np.ravel(part) for name, part in self._asdict().items()})

    def _report(self) -> Report:
        rows = [
            (figure(value), figure(error, ""))
            for value, error in zip(*(np.ravel(part).tolist() for part in self))
        ]
        return Report([], [Grid(("value", "std. error"), abridged(rows), n_fixed=0)])

    def __repr__(self) -> str:
        if np.ndim(self.value):
            return str(self)
        return f"<Estimate: {figure(self.value)}, standard error {figure(self.standard_error)}>"


def percent_agreement(
    table: ArrayLike, weights: Weights = None, clusters: Clusters | None = None
) -> Estimate:
    """Return the observed agreement, optionally weighted.

    Parameters
    ----------
    table : array-like of shape (..., l, l)
        Counts of items. Rows correspond to the first rater's labels.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights, as for `fastkappa.kappa_from_confusion`.
    clusters : Clusters or None, default=None
        The clusters of the items, for the standard error. Requires a single table.

    Returns
    -------
    estimate : Estimate
        The observed agreement, from 0 to 1, or NaN for an empty table.
    """
    tables = as_tables(table)
    n, proportions = proportions_of(tables)
    agreement = agreement_matrix(weights, tables.shape[-1])
    value = (proportions * agreement).sum(axis=(-2, -1))  # as in weighted_observed_agreement
    slope = np.broadcast_to(agreement, proportions.shape)
    return _estimate(value, delta_error(proportions, Influence(slope, slope), n, clusters))


def weighted_observed_agreement(table: ArrayLike, weights: Weights = None) -> Any:
    """Return the value of ``percent_agreement`` without its standard error."""
    tables = as_tables(table)
    _, proportions = proportions_of(tables)
    agreement = agreement_matrix(weights, tables.shape[-1])
    return number_or_array(np.asarray((proportions * agreement).sum(axis=(-2, -1))))


def chance_agreement(table: ArrayLike, weights: Weights = None) -> Any:
    """Return the agreement expected by chance, optionally weighted.

    See `percent_agreement` for the parameters.
    """
    tables = as_tables(table)
    _, proportions = proportions_of(tables)
    agreement = agreement_matrix(weights, tables.shape[-1])
    rows, columns = proportions.sum(axis=-1), proportions.sum(axis=-2)
    return number_or_array(np.asarray(((rows @ agreement) * columns).sum(axis=-1)))


def scott_pi(
    table: ArrayLike, weights: Weights = None, clusters: Clusters | None = None
) -> Estimate:
    """Return Scott's pi, which bases chance agreement on the mean of the two margins.

    See `percent_agreement` for the parameters.

    References
    ----------
    W. A. Scott (1955). Reliability of content analysis: the case of nominal scale coding.
    Public Opinion Quarterly 19, 321-325.

    Examples
    --------
    >>> from fastkappa.statistics.indices import scott_pi
    >>> round(scott_pi([[20, 20], [10, 50]]).value, 6)
    0.340659
    """
    proportions, n, distances, margin = _common_margin(table, weights)
    means = margin @ ((distances + distances.T) / 2)
    expected = (margin * means).sum(axis=-1)
    slope = means[..., :, None] + means[..., None, :]
    return _beyond_chance(proportions, n, distances, expected, Influence(slope, slope), clusters)


def krippendorff_alpha(
    table: ArrayLike, weights: Weights = None, clusters: Clusters | None = None
) -> Estimate:
    """Return Krippendorff's alpha for two raters.

    Use quadratic weights for interval data. Alpha differs from Scott's pi by a term of order 1 / n,
    where n is the number of items. The standard error is the same as for pi (Gwet 2014). See
    `percent_agreement` for the parameters.

    References
    ----------
    K. Krippendorff (2004). Content Analysis, second edition, chapter 11.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, fourth edition.

    Examples
    --------
    >>> from fastkappa.statistics.indices import krippendorff_alpha
    >>> round(krippendorff_alpha([[20, 20], [10, 50]]).value, 6)
    0.343956
    """
    n, _ = proportions_of(as_tables(table))
    return alpha_from_pi(scott_pi(table, weights, clusters), n)


def alpha_from_pi(pi: Estimate, n: Any) -> Estimate:
    """Compute Krippendorff's alpha for n items from Scott's pi."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = 1 - (1 - np.asarray(pi.value)) * (2 * n - 1) / (2 * n)
    return Estimate(number_or_array(np.asarray(value)), pi.standard_error)


def brennan_prediger(
    table: ArrayLike, weights: Weights = None, clusters: Clusters | None = None
) -> Estimate:
    """Return the Brennan-Prediger coefficient, with chance agreement for equally likely labels.

    Without weights, the coefficient equals Bennett's S and the prevalence-adjusted bias-adjusted
    kappa (PABAK). It depends on the number of labels in the table, including unused labels. See
    `percent_agreement` for the parameters.

    References
    ----------
    E. M. Bennett, R. Alpert and A. C. Goldstein (1954). Communications through limited
    response questioning. Public Opinion Quarterly 18, 303-308.

    R. L. Brennan and D. J. Prediger (1981). Coefficient kappa: some uses, misuses, and
    alternatives. Educational and Psychological Measurement 41, 687-699.

    T. Byrt, J. Bishop and J. B. Carlin (1993). Bias, prevalence and kappa. Journal of
    Clinical Epidemiology 46, 423-429.

    Examples
    --------
    >>> from fastkappa.statistics.indices import brennan_prediger
    >>> round(brennan_prediger([[20, 20], [10, 50]]).value, 6)
    0.4
    """
    proportions, n, distances, _ = _common_margin(table, weights)
    slope = np.zeros_like(proportions)
    by_chance = Influence(slope, slope)
    return _beyond_chance(proportions, n, distances, distances.mean(), by_chance, clusters)


def gwet_ac2(
    table: ArrayLike, weights: Weights = None, clusters: Clusters | None = None
) -> Estimate:
    """Return Gwet's AC2, or AC1 if no weights are given.

    AC1 and AC2 depend on the number of labels in the table, including unused labels. See
    `percent_agreement` for the parameters.

    References
    ----------
    K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence
    of high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.

    Examples
    --------
    >>> from fastkappa.statistics.indices import gwet_ac2
    >>> round(gwet_ac2([[118, 5], [2, 0]]).value, 6)
    0.940776
    """
    proportions, n, distances, margin = _common_margin(table, weights)
    n_labels = margin.shape[-1]
    agreement = n_labels**2 - distances.sum()
    weight = agreement / (n_labels * (n_labels - 1)) if n_labels > 1 else np.nan
    expected = 1 - weight * (margin * (1 - margin)).sum(axis=-1)
    both = weight * (margin[..., :, None] + margin[..., None, :])
    slope = Influence(both - weight, both + weight)
    return _beyond_chance(proportions, n, distances, expected, slope, clusters)


def bangdiwala_b(table: ArrayLike, step_weights: Sequence[float] = (1.0,)) -> Any:
    """Return Bangdiwala's B: the proportion of the boxes' area that is dark in the agreement chart.

    Parameters
    ----------
    table : array-like of shape (..., l, l)
        Counts of items. Rows correspond to the first rater's labels.
    step_weights : sequence of float, default=(1.0,)
        The agreement weights for pairs of labels that are 0, 1, 2, ... steps apart. Pairs farther
        apart have weight 0. The R package vcd uses ``(1, 1 - 1 / (l - 1)**2)`` for its weighted B.

    Returns
    -------
    b : float, or ndarray of shape (...) for a stack
        Bangdiwala's B; NaN if no label is used by both raters.

    References
    ----------
    S. I. Bangdiwala (1988). The Agreement Chart. University of North Carolina, Institute
    of Statistics Mimeo Series 1859.

    Examples
    --------
    >>> from fastkappa.statistics.indices import bangdiwala_b
    >>> round(bangdiwala_b([[20, 20], [10, 50]]), 6)
    0.537037
    """
    _, proportions = proportions_of(as_tables(table))
    n_labels = proportions.shape[-1]
    position = np.arange(n_labels)
    dark, within = np.zeros(proportions.shape[:-2]), np.zeros(proportions.shape[:-2])
    for steps, weight in enumerate(step_weights):
        near = np.where(np.abs(position[:, None] - position) <= steps, proportions, 0.0)
        area = (near.sum(axis=-2) * near.sum(axis=-1)).sum(axis=-1)
        dark, within = dark + weight * (area - within), area
    boxes = (proportions.sum(axis=-1) * proportions.sum(axis=-2)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return number_or_array(np.asarray(dark / boxes))


def prevalence_index(table: ArrayLike) -> Any:
    """Return the prevalence index (a - d) / n, which compares the frequencies of the two labels.

    The table is [[a, b], [c, d]], and n is its sum (Byrt, Bishop and Carlin 1993). If there are not
    exactly two labels, the index is NaN.
    """
    return _difference_of_two_labels(table, (0, 0), (1, 1))


def bias_index(table: ArrayLike) -> Any:
    """Return the bias index (b - c) / n, which compares the raters' use of the first label.

    The table is [[a, b], [c, d]], and n is its sum (Byrt, Bishop and Carlin 1993). If there are not
    exactly two labels, the index is NaN.
    """
    return _difference_of_two_labels(table, (0, 1), (1, 0))


def kappa_max(table: ArrayLike, weights: Weights = None) -> Any:
    """Return the largest kappa that a table with the same margins can have.

    See `percent_agreement` for the parameters.

    Returns
    -------
    kappa_max : float, or ndarray of shape (...) for a stack
        The largest kappa, or NaN if kappa is undefined.

    Examples
    --------
    >>> from fastkappa.statistics.indices import kappa_max
    >>> round(kappa_max([[20, 20], [10, 50]]), 6)
    0.782609
    """
    return number_or_array(kappas(closest_tables(as_tables(table), weights), weights))


def category_tables(table: ArrayLike) -> AnyArray:
    """Return the two-by-two table of each label against all others.

    Parameters
    ----------
    table : array-like of shape (..., l, l)
        Counts of items. Rows correspond to the first rater's labels.

    Returns
    -------
    tables : ndarray of shape (..., l, 2, 2)
        One two-by-two table per label.
    """
    counts = as_tables(table)
    both = np.diagonal(counts, axis1=-2, axis2=-1)
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    neither = rows.sum(axis=-1, keepdims=True) - rows - columns + both
    cells = np.stack([both, rows - both, columns - both, neither], axis=-1)
    return cells.reshape(*cells.shape[:-1], 2, 2)


def category_kappas(table: ArrayLike) -> FloatTable:
    """Return an array of shape (..., l) with the kappa of each label against all others.

    Examples
    --------
    >>> from fastkappa.statistics.indices import category_kappas
    >>> category_kappas([[88, 14, 18], [10, 40, 10], [2, 6, 12]]).round(4)
    array([0.56  , 0.5238, 0.3077])
    """
    return kappas(category_tables(table), None)


def category_standard_errors(table: ArrayLike, clusters: Clusters | None = None) -> FloatTable:
    """Return the standard errors of `category_kappas`.

    ``clusters`` holds the clusters of the items, if any, and requires a single table.

    Examples
    --------
    >>> from fastkappa.statistics.indices import category_standard_errors
    >>> category_standard_errors([[20, 5], [10, 15]]).round(3)
    array([0.127, 0.127])
    """
    of_label = category_tables(table)
    if clusters is None:
        return np.asarray(standard_error(of_label))
    n, proportions = proportions_of(as_tables(table))
    # The influence of an item depends only on which of its two ratings equal the label.
    other = 1 - np.eye(len(proportions), dtype=np.intp)
    label = np.arange(len(other))[:, None, None]
    rows, columns = other[:, :, None], other[:, None, :]
    slope = Influence(*(part[label, rows, columns] for part in kappa_gradient(of_label, None)))
    every = np.broadcast_to(proportions, slope.values.shape)
    return delta_error(every, slope, np.full(len(other), n), clusters)


def _difference_of_two_labels(
    table: ArrayLike, first: tuple[int, int], second: tuple[int, int]
) -> Any:
    """Return the difference between two cells' proportions, or NaN if l is not 2."""
    _, proportions = proportions_of(as_tables(table))
    if proportions.shape[-1] != 2:
        return number_or_array(np.full(proportions.shape[:-2], np.nan))
    return number_or_array(np.asarray(proportions[(..., *first)] - proportions[(..., *second)]))


def _common_margin(
    table: ArrayLike, weights: Weights
) -> tuple[FloatTable, FloatTable, FloatTable, FloatTable]:
    """Return the proportions, n, the relative distances and the mean of the two margins."""
    tables = as_tables(table)
    n, proportions = proportions_of(tables)
    margin = (proportions.sum(axis=-1) + proportions.sum(axis=-2)) / 2
    return proportions, n, relative_distances(weights, tables.shape[-1]), margin


def _beyond_chance(
    proportions: FloatTable,
    n: FloatTable,
    distances: FloatTable,
    expected: Any,
    slope: Influence,
    clusters: Clusters | None,
) -> Estimate:
    """Return 1 - d_o / d_e and its standard error.

    d_o is the observed disagreement, and d_e is the disagreement expected by chance. This form
    equals (p_o - p_e) / (1 - p_e) but avoids cancellation. ``slope`` is the derivative of d_e with
    respect to each cell's proportion.
    """
    expected = np.asarray(expected)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.asarray((proportions * distances).sum(axis=(-2, -1)) / expected)
        scale = expected[..., None, None]
        change, size = (ratio[..., None, None] * part / scale for part in slope)
        of_cell = distances / scale
    error = delta_error(proportions, Influence(change - of_cell, size + of_cell), n, clusters)
    return _estimate(without_noise(1 - ratio), error)


def _estimate(value: Any, error: FloatTable) -> Estimate:
    value = np.asarray(value)
    error = np.where(np.isfinite(value), error, np.nan)
    value = np.where(np.isfinite(value), value, np.nan)
    return Estimate(number_or_array(value), number_or_array(error))
