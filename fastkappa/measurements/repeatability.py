"""Compute the repeatability of a method from repeated measurements of the same items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastkappa.measurements.clustered import clustered_sums, jackknife_error, sums_of_samples
from fastkappa.measurements.mean_squares import mean_squares
from fastkappa.measurements.measured import read_ratings
from fastkappa.measurements.report_texts import (
    ResultInUnits,
    measured_estimates,
    measured_grid,
)
from fastkappa.measurements.sums_of_squares import sums_of_squares
from fastkappa.ratings.missing import Missing
from fastkappa.results.report import Report
from fastkappa.results.sentence import versioned
from fastkappa.statistics.distributions import f_quantile, t_quantile
from fastkappa.statistics.inference import DEVIATIONS, check_confidence

# With this many degrees of freedom in the denominator, a quantile of F agrees to seven digits with
# the chi-square quantile divided by its degrees of freedom.
MANY = 1e10


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Repeatability(ResultInUnits):
    """The within-item standard deviation and the repeatability coefficient.

    Printing the result shows a report.

    Attributes
    ----------
    within_sd : float
        The within-item standard deviation, also called the standard error of measurement (SEM).
    within_sd_interval : tuple of float
        The confidence interval for the within-item standard deviation.
    coefficient : float
        The repeatability coefficient: 1.96 sqrt(2) times the within-item standard deviation. In 95
        % of cases, two measurements of the same item differ by less than this coefficient. The
        coefficient is also called the smallest detectable change.
    coefficient_interval : tuple of float
        The confidence interval for the repeatability coefficient.
    confidence : float
        The confidence level of the intervals.
    n_subjects : int
        The number of items without missing measurements.
    n_raters : int
        The number of measurements per item.
    n_dropped : int
        The number of items left out because a measurement is missing.
    n_clusters : int
        The number of clusters, or the number of items if there are no clusters.
    raters : tuple of str
        The column names of the measurements.
    """

    within_sd: float
    within_sd_interval: tuple[float, float]
    coefficient: float
    coefficient_interval: tuple[float, float]

    def rows(self) -> list[tuple[str, float, tuple[float, float]]]:
        """Return the name, value and confidence interval of each statistic."""
        return [
            ("within-item SD (SEM)", self.within_sd, self.within_sd_interval),
            ("repeatability coefficient", self.coefficient, self.coefficient_interval),
        ]

    def sentence(self, *, units: str | None = None) -> str:
        """Describe both statistics in a sentence for a paper.

        If ``units`` is given, the sentence includes the units.
        """
        method = "chi-square" if self.n_clusters == self.n_subjects else "jackknife"
        of_interval = f"{100 * self.confidence:g} % {method} interval "
        sd, coefficient = measured_estimates(self.rows(), self.within_sd, of_interval, units)
        what = "the within-item standard deviation (SEM)"
        return versioned(
            f"Taken as repeated measurements, {self._of_sample(what)} was {sd}, and the"
            f" repeatability coefficient (smallest detectable change) {coefficient}"
        )

    def __repr__(self) -> str:
        low, high = self.coefficient_interval
        return (
            f"<Repeatability: coefficient {self.coefficient:.6g} ({low:.6g} to {high:.6g}),"
            f" {self._items()}>"
        )

    def _report(self, units: str | None = None) -> Report:
        return Report(
            [
                f"{self._heading('Repeatability')}, if they repeat the same measurement",
                *self._left_out(),
            ],
            [measured_grid(self.rows(), self.within_sd, self.confidence, units)],
        )


def repeatability(
    ratings: Any,
    *,
    missing: Missing = "raise",
    clusters: Any = None,
    confidence: float = 0.95,
) -> Repeatability:
    """Compute the within-item standard deviation and the repeatability coefficient.

    Parameters
    ----------
    ratings : array-like of shape (n_items, n_measurements)
        Repeated measurements by the same method, with one row per item and one column per
        repetition. The same types are accepted as for `intraclass_correlation`.
    missing : {'raise', 'drop'}, default='raise'
        How to treat missing measurements. 'raise' raises an error. 'drop' leaves out items with a
        missing measurement.
    clusters : array-like of shape (n_items,), default=None
        The cluster of each item, such as the patient if the items are lesions. With clusters,
        confidence intervals are computed with the jackknife, leaving out one cluster at a time.
    confidence : float, default=0.95
        The confidence level of the intervals.

    Returns
    -------
    result : Repeatability

    Raises
    ------
    ValueError
        If arguments are invalid, as described for `intraclass_correlation`.

    Notes
    -----
    The within-item variance is the within-item mean square of a one-way analysis of variance. For n
    items with k measurements each, its confidence interval is based on the chi-square distribution
    with n (k - 1) degrees of freedom (Bland and Altman 1999). A systematic difference between the
    columns increases the within-item variance. The method assumes that the variance does not depend
    on the magnitude of the measurements.

    References
    ----------
    J. M. Bland and D. G. Altman (1999). Measuring agreement in method comparison studies.
    Statistical Methods in Medical Research 8, 135-160.

    Examples
    --------
    The peak expiratory flow of six people, each measured twice (Bland and Altman 1986):

    >>> from fastkappa.measurements import repeatability
    >>> pairs = [[494, 490], [395, 397], [516, 512], [434, 401], [476, 470], [557, 611]]
    >>> print(repeatability(pairs))
    Repeatability of two raters, 6 items, if they repeat the same measurement
    <BLANKLINE>
                                  value    95 % interval
    within-item SD (SEM)          18.43   11.88 to 40.59
    repeatability coefficient     51.09  32.92 to 112.51
    """
    confidence = check_confidence(confidence)
    measured = read_ratings(ratings, missing, clusters)
    squares = sums_of_squares(measured)
    deviation = math.sqrt(mean_squares(squares).within)
    centre = squares.centre + squares.means
    sums = clustered_sums(measured.clusters, measured.chunks(), centre)
    p = (1 + confidence) / 2
    if sums is None:
        freedom = squares.n * (squares.k - 1)
        low, high = (1 / math.sqrt(f_quantile(q, freedom, MANY)) for q in (p, 1 - p))
    else:
        left: Any = mean_squares(sums_of_samples(sums.without, centre)).within
        half = math.nan
        if sums.n_clusters > 1 and left.all():
            half = t_quantile(p, sums.n_clusters - 1) * jackknife_error(np.log(left) / 2)
        low, high = math.exp(-half), math.exp(half)
    factor = DEVIATIONS * math.sqrt(2)
    return Repeatability(
        within_sd=deviation,
        within_sd_interval=(deviation * low, deviation * high),
        coefficient=factor * deviation,
        coefficient_interval=(factor * deviation * low, factor * deviation * high),
        **measured.sample(confidence, None if sums is None else sums.n_clusters),
    )
