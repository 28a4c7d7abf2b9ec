"""Compute mean squares of an analysis of variance, and intervals of intraclass correlations."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import Floats
from fastkappa.measurements.clustered import (
    ClusteredSums,
    SumsOfSamples,
    jackknife_error,
    sums_of_samples,
)
from fastkappa.results.report import NO_ENDS
from fastkappa.statistics.distributions import f_quantile, t_quantile


class MeanSquares(NamedTuple):
    """Sums of squares divided by their degrees of freedom.

    Attributes
    ----------
    subjects : float
        The mean square between subjects (MSR in McGraw and Wong), with n - 1 degrees of freedom.
    within : float
        The mean square within subjects (MSW), with n (k - 1) degrees of freedom.
    raters : float
        The mean square between raters (MSC), with k - 1 degrees of freedom.
    residual : float
        The residual mean square (MSE), with (n - 1) (k - 1) degrees of freedom.
    """

    subjects: float
    within: float
    raters: float
    residual: float


def mean_squares(squares: Any) -> MeanSquares:
    """Return the mean squares of an analysis of variance, given its sums of squares."""
    n, k = squares.n, squares.k
    return MeanSquares(
        squares.subjects / (n - 1),
        (squares.raters + squares.residual) / (n * (k - 1)),
        squares.raters / (k - 1),
        squares.residual / ((n - 1) * (k - 1)),
    )


def quotient(numerator: float, denominator: float) -> float:
    """Return a quotient, or NaN if the denominator is not positive."""
    return numerator / denominator if denominator > 0 else math.nan


def ratio(subjects: float, error: float) -> float:
    """Return F, the ratio of two mean squares: inf if only ``error`` is 0, NaN if both are 0."""
    if error > 0:
        return subjects / error
    return math.inf if subjects > 0 else math.nan


def f_limits(f: float, above: int, below: int, p: float) -> tuple[float, float]:
    """Return the confidence limits of a ratio of mean squares."""
    return f / f_quantile(p, above, below), f * f_quantile(p, below, above)


def spearman_brown(one: float, k: int) -> float:
    """Return the correlation for means of k raters, given the correlation for single raters."""
    spread = 1 + (k - 1) * one
    return -math.inf if spread <= 0 else k * one / spread


def each(limits: tuple[float, float], change: Any) -> tuple[float, float]:
    """Convert the limits of F to limits of a correlation. An infinite limit becomes 1."""
    low, high = (1.0 if limit == math.inf else change(limit) for limit in limits)
    return low, high


def absolute_interval(
    n: int, k: int, means: MeanSquares, value: float, p: float
) -> tuple[float, float]:
    """Return the interval of ICC(A,1), with Satterthwaite's degrees of freedom."""
    subjects, _, raters, residual = means
    if math.isnan(value):
        return NO_ENDS
    # The products a * MSC and b * MSE of McGraw and Wong, both multiplied by n * (1 - value) to
    # avoid a division by 0.
    of_raters = k * value * raters
    of_residual = (n * (1 - value) + k * value * (n - 1)) * residual
    spread = of_raters**2 / (k - 1) + of_residual**2 / ((n - 1) * (k - 1))
    if spread == 0:
        return (value, value) if value == 1 else NO_ENDS
    freedom = (of_raters + of_residual) ** 2 / spread
    if freedom == 0:
        return NO_ENDS
    others = k * raters + (k * n - k - n) * residual
    below, above = f_quantile(p, n - 1, freedom), f_quantile(p, freedom, n - 1)
    return (
        n * (subjects - below * residual) / (below * others + n * subjects),
        n * (above * subjects - residual) / (others + n * above * subjects),
    )


class ClusteredErrors(NamedTuple):
    """The jackknife statistics used for intervals and tests with clustered subjects.

    Attributes
    ----------
    n_clusters : int
        The number of clusters.
    logarithms, errors : tuple of float
        For ICC(1), ICC(A,1) and ICC(C,1), the logarithm of (1 + (k - 1) ICC) / (1 - ICC), and the
        jackknife standard error of this logarithm. For ICC(1), this logarithm is log F.
    """

    n_clusters: int
    logarithms: tuple[float, ...]
    errors: tuple[float, ...]

    def interval(self, form: int, p: float) -> tuple[float, float]:
        """Return the interval of (1 + (k - 1) ICC) / (1 - ICC)."""
        if self.n_clusters < 2:
            return NO_ENDS
        half = t_quantile(p, self.n_clusters - 1) * self.errors[form]
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = np.exp([self.logarithms[form] - half, self.logarithms[form] + half])
        return float(low), float(high)

    def test(self, form: int) -> tuple[float, tuple[int, int]]:
        """Return t squared for the test that the ICC is 0, and its degrees of freedom."""
        logarithm, error = self.logarithms[form], self.errors[form]
        f = (logarithm / error) ** 2 if error > 0 else math.nan
        return f, (1, self.n_clusters - 1)


def clustered_errors(sums: ClusteredSums, centre: Floats) -> ClusteredErrors:
    """Return jackknife statistics from sums. ``centre`` was subtracted from the measurements."""
    whole, left = (_logarithms(sums_of_samples(part, centre)) for part in sums)
    return ClusteredErrors(
        sums.n_clusters,
        tuple(float(of_form[0]) for of_form in whole),
        tuple(map(jackknife_error, left)),
    )


def _logarithms(squares: SumsOfSamples) -> list[Floats]:
    """Return the logarithms described in `ClusteredErrors`, for each sample."""
    means = mean_squares(squares)
    excess = (means.raters - means.residual) / squares.n
    parts = (means.within, 0.0), (means.residual, excess), (means.residual, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return [np.log((means.subjects + more) / (error + more)) for error, more in parts]


def why_undefined(means: MeanSquares) -> str:
    """Return the reason why a form of the intraclass correlation is undefined."""
    if means.subjects == means.within == 0:
        return "all ratings are the same"
    if means.subjects == means.residual == 0:
        return "each rater gave all subjects the same rating"
    if means.subjects == 0:
        return "the mean ratings of all subjects are the same"
    return "the ratings of each subject differ so much that the estimated variance is not positive"
