"""Figures of measurements in clusters: several lesions of a patient, or replicates.

All of them are functions of a few sums over the subjects, so that each figure can be computed with
one cluster left out after the other. With G clusters and theta_c the figure without cluster c,

    variance = (G - 1) / G * sum((theta_c - mean theta)**2),

and an interval has the quantile of Student's t with G - 1 degrees of freedom. Nothing is assumed
about the correlation within clusters, nor about the distribution of the measurements.
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
    """Sums over the subjects of m samples, of shape (m,); those of the raters (m, k).

    Attributes
    ----------
    subjects, clusters : ndarray
        How many there are.
    raters : ndarray
        The sum of each rater's measurements, less a constant for each rater.
    squares, squared_totals : ndarray
        The sums of the squared measurements, and of the squares of each subject's sum.
    squared_sizes, squared_clusters : ndarray
        The sums over the clusters of their squared size, and of the square of the sum of all their
        measurements over their size.
    """

    subjects: FloatTable
    clusters: FloatTable
    raters: FloatTable
    squares: FloatTable
    squared_totals: FloatTable
    squared_sizes: FloatTable
    squared_clusters: FloatTable


class ClusteredSums(NamedTuple):
    """The sums of all subjects, m = 1, and of those without each cluster, m = G."""

    whole: Sums
    without: Sums

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return int(self.whole.clusters[0])


def jackknife_error(left: FloatTable) -> float:
    """Return the standard error of a figure, of which there is one without each cluster.

    Examples
    --------
    Of a mean it is the usual one:

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
    """Return the sums of measurements in clusters, None if each subject is a cluster of its own.

    There is a warning if all subjects are in one cluster.

    Parameters
    ----------
    clusters : ndarray of int of shape (n,) or None
        The number of each subject's cluster; not all numbers need to occur.
    chunks : iterable of ndarray of shape (k, m)
        The measurements of these subjects.
    centre : ndarray of shape (k,)
        A constant for each rater, near the mean.
    """
    if clusters is None:
        return None
    places, codes = np.unique(clusters, return_inverse=True)
    n_clusters, k = len(places), len(centre)
    if n_clusters == len(codes):
        return None
    if n_clusters == 1:
        warnings.warn(
            "all subjects are in one cluster: how much clusters differ is unknown, and so are"
            " intervals.",
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
    """The sums of squares of m samples, as `fastkappa.measurements.sums_of_squares` has them."""

    n: FloatTable
    k: int
    subjects: FloatTable
    raters: FloatTable
    residual: FloatTable


def sums_of_samples(sums: Sums, centre: FloatTable) -> SumsOfSamples:
    """Return the sums of squares of samples; ``centre`` has what their sums were taken from."""
    n, k = sums.subjects, sums.raters.shape[-1]
    with np.errstate(invalid="ignore"):
        of_raters = sums.raters / n[:, None]
        total = sums.squares - (sums.raters * of_raters).sum(axis=-1)
        subjects = (sums.squared_totals - sums.raters.sum(axis=-1) ** 2 / n) / k
    raters = n * k * np.var(centre - centre.mean() + of_raters, axis=-1)
    return SumsOfSamples(n, k, subjects, raters, total - subjects)


def total_variance(sums: Sums) -> FloatTable:
    """Return the variance of the measurements of one rater, from its two components.

    The mean square between clusters of about m subjects estimates the variance within them and m
    times that between, so that their sum is estimated without bias.
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
