"""Compute statistics of clustered measurements, such as those of several lesions per patient.

Each statistic is a function of a few sums over the subjects. It can therefore be recomputed quickly
with each cluster left out in turn. Let theta_c be the statistic without cluster c. For G clusters,
the jackknife estimates the variance of the statistic as

    variance = (G - 1) / G * sum((theta_c - mean(theta))**2)

Intervals use the quantile of Student's t with G - 1 degrees of freedom. No assumption is made about
the correlation within clusters or about the distribution of the measurements.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel


class Sums(NamedTuple):
    """Sums over the subjects of each of m samples.

    ``raters`` has the shape (m, k), and all other arrays have the shape (m,).

    Attributes
    ----------
    subjects, clusters : ndarray
        The numbers of subjects and clusters.
    raters : ndarray
        The sum of each rater's measurements, after subtracting a constant per rater.
    squares, squared_totals : ndarray
        The sum of the squared measurements, and the sum of the subjects' squared totals.
    squared_sizes : ndarray
        The sum of the squared cluster sizes.
    squared_clusters : ndarray
        The sum, over clusters, of the squared total of the cluster's measurements divided by the
        cluster's size.
    """

    subjects: FloatTable
    clusters: FloatTable
    raters: FloatTable
    squares: FloatTable
    squared_totals: FloatTable
    squared_sizes: FloatTable
    squared_clusters: FloatTable


class ClusteredSums(NamedTuple):
    """The sums over all subjects (m = 1), and with each cluster left out in turn (m = G)."""

    whole: Sums
    without: Sums

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return int(self.whole.clusters[0])


def jackknife_error(left: FloatTable) -> float:
    """Return the jackknife standard error from the values with each cluster left out in turn.

    Examples
    --------
    For a mean, this is the usual standard error:

    >>> import numpy as np
    >>> from fastkappa.measurements.clustered import jackknife_error
    >>> numbers = np.array([1.0, 2.0, 4.0, 7.0])
    >>> without = (numbers.sum() - numbers) / 3
    >>> bool(np.isclose(jackknife_error(without), numbers.std(ddof=1) / 2))
    True
    """
    n = len(left)
    if n < 2:
        return math.nan
    with np.errstate(invalid="ignore"):
        return math.sqrt(float((n - 1) * np.var(left)))


def clustered_sums(
    clusters: AnyArray | None, chunks: Iterable[FloatTable], centre: FloatTable
) -> ClusteredSums | None:
    """Return sums of clustered measurements, or None if each subject is its own cluster.

    Warn if all subjects are in one cluster.

    Parameters
    ----------
    clusters : ndarray of int of shape (n,) or None
        The cluster number of each subject. The numbers need not be consecutive.
    chunks : iterable of ndarray of shape (k, m)
        The subjects' measurements, in chunks of m subjects.
    centre : ndarray of shape (k,)
        A constant for each rater, close to the rater's mean.
    """
    if clusters is None:
        return None
    places, codes = np.unique(clusters, return_inverse=True)
    n_clusters, k = len(places), len(centre)
    if n_clusters == len(codes):
        return None
    if n_clusters == 1:
        warnings.warn(
            "intervals are undefined because all subjects are in one cluster, so the variation"
            " between clusters is unknown.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    of_cluster = np.zeros((k + 2, n_clusters))
    start = 0
    for chunk in chunks:
        own = codes[start : start + chunk.shape[1]]
        start += chunk.shape[1]
        deviation = chunk - centre[:, None]
        squares = (deviation * deviation).sum(axis=0), deviation.sum(axis=0) ** 2
        for total, terms in zip(of_cluster, (*deviation, *squares)):
            total += np.bincount(own, terms, n_clusters)
    sizes = np.bincount(codes, minlength=n_clusters).astype(np.float64)
    each = Sums(
        sizes,
        np.ones(n_clusters),
        of_cluster[:k].T,
        of_cluster[k],
        of_cluster[k + 1],
        sizes * sizes,
        of_cluster[:k].sum(axis=0) ** 2 / sizes,
    )
    whole = Sums(*(part.sum(axis=0, keepdims=True) for part in each))
    return ClusteredSums(whole, Sums(*(total - part for total, part in zip(whole, each))))


class SumsOfSamples(NamedTuple):
    """The sums of squares of m samples, as in `fastkappa.measurements.sums_of_squares`."""

    n: FloatTable
    k: int
    subjects: FloatTable
    raters: FloatTable
    residual: FloatTable


def sums_of_samples(sums: Sums, centre: FloatTable) -> SumsOfSamples:
    """Return each sample's sums of squares. ``centre`` was subtracted from the measurements."""
    n, k = sums.subjects, sums.raters.shape[-1]
    with np.errstate(invalid="ignore"):
        of_raters = sums.raters / n[:, None]
        total = sums.squares - (sums.raters * of_raters).sum(axis=-1)
        subjects = (sums.squared_totals - sums.raters.sum(axis=-1) ** 2 / n) / k
    raters = n * k * np.var(centre - centre.mean() + of_raters, axis=-1)
    return SumsOfSamples(n, k, subjects, raters, total - subjects)


def total_variance(sums: Sums) -> FloatTable:
    """Return the sum of the variances between and within clusters, for a single rater.

    With about m subjects per cluster, the mean square between clusters estimates the variance
    within clusters plus m times the variance between clusters. Solving for both variances yields an
    unbiased estimate of their sum.
    """
    n, n_clusters = sums.subjects, sums.clusters
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = sums.raters[:, 0] / n
        between = (sums.squared_clusters - n * mean * mean) / (n_clusters - 1)
        within = np.where(
            n > n_clusters, (sums.squares - sums.squared_clusters) / (n - n_clusters), 0.0
        )
        size = (n - sums.squared_sizes / n) / (n_clusters - 1)
        return np.asarray(np.maximum(within + (between - within) / size, 0.0))
