"""Compute the sums of squares on which statistics of measurements are based.

If x_ij is the measurement of subject i by rater j, with n subjects and k raters, the sums are:

    subjects   k * sum of (mean_i - mean)**2
    raters     n * sum of (mean_j - mean)**2
    residual   sum of (x_ij - mean_i - mean_j + mean)**2

To preserve precision, a central value is first subtracted from the measurements. Each result is
then a sum of squares of small numbers, not a difference between large sums.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fastkappa.arrays import Floats
from fastkappa.measurements.measured import Measured
from fastkappa.statistics.spread import EPSILON


@dataclass(frozen=True, eq=False)
class SumsOfSquares:
    """The sums of squares of measurements.

    Attributes
    ----------
    n, k : int
        The numbers of subjects and raters.
    subjects, raters, residual : float
        The sums of squares between subjects, between raters, and of the residuals.
    centre : float
        A central value that is subtracted from the measurements.
    means : ndarray of shape (k,)
        The raters' means, minus the centre.
    of_raters : ndarray of shape (k,)
        The sum of each rater's squared deviations from the rater's mean.
    """

    n: int
    k: int
    subjects: float
    raters: float
    residual: float
    centre: float
    means: Floats
    of_raters: Floats


def sums_of_squares(measured: Measured) -> SumsOfSquares:
    """Compute the sums of squares in two passes over the measurements."""
    n, k = measured.n_subjects, measured.n_raters
    limits = (measured.lowest, measured.highest)
    centre = float(limits[0].mean() / 2 + limits[1].mean() / 2)
    sums = [(chunk - centre).sum(axis=1) for chunk in measured.chunks()]
    means = np.array([math.fsum(parts) for parts in zip(*sums)]) / n
    # The mean of a constant column is the constant itself. A computed mean could have a rounding
    # error.
    means = np.where(measured.constant, limits[0] - centre, means)
    mean = float(means.mean())
    parts: list[tuple[float, ...]] = []
    of_raters = []
    for chunk in measured.chunks():
        deviation = chunk - centre - means[:, None]
        of_raters.append((deviation * deviation).sum(axis=1))
        of_subject = deviation.mean(axis=0)
        deviation -= of_subject
        parts.append(((of_subject * of_subject).sum(), (deviation * deviation).sum()))
    subjects, residual = (math.fsum(part) for part in zip(*parts))
    # Sums of squares that are small enough to be rounding errors are set to 0.
    largest = max(float(np.abs(limits[0]).max()), float(np.abs(limits[1]).max()))
    noise = (EPSILON / 2 * largest) ** 2
    from_mean = means - mean
    return SumsOfSquares(
        n,
        k,
        k * subjects if subjects > n * noise else 0.0,
        n * float((from_mean * from_mean).sum()) if np.ptp(means) > EPSILON * largest else 0.0,
        residual if residual > n * k * noise else 0.0,
        centre,
        means,
        np.array([math.fsum(part) for part in zip(*of_raters)]),
    )
