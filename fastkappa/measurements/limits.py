"""Compute the limits of agreement of two measurement methods."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import figure, interval_text, measured_text, plain, printable
from fastkappa.measurements.clustered import (
    ClusteredSums,
    clustered_sums,
    jackknife_error,
    total_variance,
)
from fastkappa.measurements.measured import read_pair
from fastkappa.measurements.report_texts import (
    ResultInUnits,
    measured_estimates,
    measured_grid,
    with_unit,
)
from fastkappa.ratings.interop import names_of
from fastkappa.ratings.missing import Missing
from fastkappa.results.report import NO_ENDS, RATERS, Grid, Report, facts, interval_head, with_p
from fastkappa.results.sentence import estimate_text, p_rounded, versioned
from fastkappa.statistics.distributions import t_quantile, t_two_sided_p
from fastkappa.statistics.inference import DEVIATIONS, check_confidence

# The name of the slope in reports.
PROPORTIONAL = "proportional bias (slope)"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LimitsOfAgreement(ResultInUnits):
    """The mean difference and the limits of agreement between two methods.

    Printing the result shows a report.

    Attributes
    ----------
    bias : float
        The mean of the differences (first method minus second method).
    standard_deviation : float
        The standard deviation of the differences, with divisor n - 1. With clusters, it is the
        square root of the sum of the between-cluster and within-cluster variances.
    limits : tuple of float
        The lower and upper limits of agreement: the bias minus and plus 1.96 standard deviations.
        If the differences are normally distributed, about 95 % of them lie between these limits.
    bias_interval, lower_interval, upper_interval : tuple of float
        The confidence intervals for the bias, the lower limit and the upper limit.
    slope : float
        The slope of the regression of the differences on the means. A nonzero slope indicates
        proportional bias: the bias changes with the magnitude of the measurements.
    slope_interval : tuple of float
        The confidence interval for the slope.
    slope_p_value : float
        The p-value for the null hypothesis that the slope is 0.
    confidence : float
        The confidence level of the intervals.
    n_subjects : int
        The number of subjects that both methods measured.
    n_dropped : int
        The number of subjects left out because a measurement is missing.
    n_clusters : int
        The number of clusters, or the number of subjects if there are no clusters.
    means, differences : ndarray of shape (n_subjects,)
        For each subject, the mean of the two measurements, and the first measurement minus the
        second.
    raters : tuple of str
        The names of the first and second methods, taken from the names of the input Series, if any.
    """

    bias: float
    standard_deviation: float
    limits: tuple[float, float]
    bias_interval: tuple[float, float]
    lower_interval: tuple[float, float]
    upper_interval: tuple[float, float]
    slope: float
    slope_interval: tuple[float, float]
    slope_p_value: float
    means: Floats
    differences: Floats

    def to_dict(self) -> dict[str, Any]:
        """Return all results except ``means`` and ``differences`` as a dictionary for JSON."""
        names = [name for name in self.__dict__ if name not in ("means", "differences")]
        return {name: plain(getattr(self, name)) for name in names}

    def rows(self) -> list[tuple[str, float, tuple[float, float]]]:
        """Return the name, value and confidence interval of each statistic (bias and limits)."""
        lower, upper = self.limits
        return [
            ("bias", self.bias, self.bias_interval),
            ("lower limit", lower, self.lower_interval),
            ("upper limit", upper, self.upper_interval),
        ]

    def sentence(self, *, units: str | None = None) -> str:
        """Describe the bias and both limits in a sentence for a paper.

        If ``units`` is given, the sentence includes the units.
        """
        first, second = map(printable, self.raters)
        of_interval = f"{100 * self.confidence:g} % t interval "
        spread = self.standard_deviation
        bias, lower, upper = measured_estimates(self.rows(), spread, of_interval, units)
        return versioned(
            f"The mean difference ({first} minus {second}) on {self._all_items()} was"
            f" {bias}, with 95 % limits of agreement of {lower} and {upper}; the proportional"
            f" bias (slope of the difference on the mean) was"
            f" {estimate_text(self.slope, self.slope_interval)}, {p_rounded(self.slope_p_value)}"
        )

    def __repr__(self) -> str:
        low, high = self.limits
        return (
            f"<LimitsOfAgreement: {low:.6g} to {high:.6g}, bias {self.bias:.6g}, {self._items()}>"
        )

    def _report(self, units: str | None = None) -> Report:
        first, second = map(printable, self.raters)
        spread = self.standard_deviation
        slope = (PROPORTIONAL, figure(self.slope), interval_text(self.slope_interval, ""))
        head = ("", "value", interval_head(self.confidence))
        return Report(
            [
                f"Limits of agreement, {first} minus {second}, {self._items()}",
                *self._left_out(),
            ],
            [
                measured_grid(self.rows(), spread, self.confidence, units),
                facts([(with_unit("standard deviation", units), measured_text(spread, spread))]),
                with_p(Grid(head, [slope]), [self.slope_p_value]),
            ],
        )


def limits_of_agreement(
    y1: Any,
    y2: Any = None,
    *,
    missing: Missing = "raise",
    clusters: Any = None,
    confidence: float = 0.95,
) -> LimitsOfAgreement:
    """Compute the limits of agreement between two measurement methods, with confidence intervals.

    Parameters
    ----------
    y1, y2 : array-like of shape (n_subjects,)
        Numeric measurements of the same subjects by the two methods. None, NaN and similar values
        count as missing.
    missing : {'raise', 'drop'}, default='raise'
        How to treat missing measurements. 'raise' raises an error. 'drop' leaves out subjects with
        a missing measurement and counts them in ``n_dropped``.
    clusters : array-like of shape (n_subjects,), default=None
        The cluster of each pair of measurements. For example, if a patient has several lesions, or
        was measured several times by both methods, all the patient's pairs form one cluster. All
        pairs have equal weight.
    confidence : float, default=0.95
        The confidence level of the intervals. It does not affect the limits of agreement
        themselves, which are always 95 % limits.

    Returns
    -------
    result : LimitsOfAgreement

    Raises
    ------
    ValueError
        If arguments are invalid, as described for `concordance_correlation`.

    Warns
    -----
    UndefinedMetricWarning
        If all differences are equal, because both limits then equal the bias.

    Notes
    -----
    The variance of each limit is ``s**2 * (1 / n + 1.96**2 / (2 * (n - 1)))``, where ``s`` is the
    standard deviation of the n differences. The confidence interval for each limit uses Student's t
    distribution with n - 1 degrees of freedom, as in Bland and Altman (1999). Bland and Altman
    (1986) use 2 instead of 1.96, and approximate the variance by ``3 * s**2 / n``.

    The method assumes that the differences do not depend on the magnitude of the measurements. To
    check this assumption, use ``slope`` and `plot_limits_of_agreement`. The slope is estimated by
    least squares (Bland and Altman 1999, section 3.2).

    With clusters, the variance of a difference is the sum of the between-cluster and within-cluster
    variances. Both variances are estimated from the mean squares of a one-way analysis of variance
    (Bland and Altman 1999, section 5.3). The confidence intervals are computed with the jackknife,
    leaving out one cluster at a time. These intervals use Student's t distribution, and the number
    of degrees of freedom is the number of clusters minus 1. The interval for each limit combines
    the interval for the bias and the interval for the logarithm of the standard deviation (Zou
    2013).

    References
    ----------
    J. M. Bland and D. G. Altman (1986). Statistical methods for assessing agreement between
    two methods of clinical measurement. The Lancet 327, 307-310.

    J. M. Bland and D. G. Altman (1999). Measuring agreement in method comparison studies.
    Statistical Methods in Medical Research 8, 135-160.

    G. Y. Zou (2013). Confidence interval estimation for the Bland-Altman limits of agreement with
    multiple observations per individual. Statistical Methods in Medical Research 22, 630-642.

    Examples
    --------
    Peak expiratory flow measured with two meters, for the first six subjects of Bland and Altman
    (1986):

    >>> from fastkappa.measurements import limits_of_agreement
    >>> wright, mini = [494, 395, 516, 434, 476, 557], [512, 430, 520, 428, 500, 600]
    >>> print(limits_of_agreement(wright, mini))
    Limits of agreement, first rater minus second rater, 6 items
    <BLANKLINE>
                                  value     95 % interval
    bias                         -19.67   -39.05 to -0.29
    lower limit                  -55.86  -91.10 to -20.63
    upper limit                   16.53   -18.70 to 51.76
    <BLANKLINE>
    standard deviation            18.47
    <BLANKLINE>
                                  value      95 % interval         p
    proportional bias (slope)   -0.1052  -0.5035 to 0.2930      0.50
    """
    confidence = check_confidence(confidence)
    measured = read_pair(y1, y2, missing, clusters)
    n = measured.n_subjects
    means, differences = np.empty(n), np.empty(n)
    start = 0
    for first, second in measured.chunks():
        stop = start + len(first)
        np.subtract(first, second, out=differences[start:stop])
        np.add(first / 2, second / 2, out=means[start:stop])
        start = stop
    bias = float(differences.mean())
    same = bool((differences == differences[0]).all())
    if same:
        bias = float(differences[0])
        warnings.warn(
            f"the limits of agreement have zero width because all differences are {bias}.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    sums = clustered_sums(measured.clusters, [differences[None]], np.array([bias]))
    if same:
        spread = _Spread(0.0, 0.0, 0.0, 0.0, n if sums is None else sums.n_clusters)
    elif sums is None:
        spread = _spread(differences, confidence)
    else:
        spread = _spread_in_clusters(sums, confidence)
    deviation = spread.deviation
    below, above = bias - DEVIATIONS * deviation, bias + DEVIATIONS * deviation
    slope, slope_interval, slope_p_value = 0.0, NO_ENDS, math.nan
    if not same:
        slope, slope_interval, slope_p_value = _slope(
            means, differences, None if sums is None else measured.clusters, confidence
        )
    return LimitsOfAgreement(
        bias=bias,
        standard_deviation=deviation,
        limits=(below, above),
        bias_interval=(bias - spread.of_bias, bias + spread.of_bias),
        lower_interval=(below - spread.outwards, below + spread.inwards),
        upper_interval=(above - spread.inwards, above + spread.outwards),
        slope=slope,
        slope_interval=slope_interval,
        slope_p_value=slope_p_value,
        means=means,
        differences=differences,
        **measured.sample(confidence, spread.n_clusters, names_of((y1, y2), RATERS)),
    )


def _slope(
    means: Floats, differences: Floats, clusters: AnyArray | None, confidence: float
) -> tuple[float, tuple[float, float], float]:
    """Return the slope of the regression of differences on means, its interval and its p-value."""
    if (means == means[0]).all():
        return math.nan, NO_ENDS, math.nan
    x, y = means - means.mean(), differences - differences.mean()
    slope = float(x @ y / (x @ x))
    with np.errstate(divide="ignore", invalid="ignore"):
        if clusters is None:
            freedom = len(x) - 2
            residuals = y - slope * x
            error = float(np.sqrt(np.divide(residuals @ residuals / (x @ x), freedom)))
        else:
            _, codes = np.unique(clusters, return_inverse=True)
            freedom = int(codes.max())
            n, of_x, of_y, squares, products = (
                part.sum() - np.bincount(codes, part)
                for part in (np.ones(len(x)), x, y, x * x, x * y)
            )
            left = (products - of_x * of_y / n) / (squares - of_x**2 / n)
            error = jackknife_error(left)
        t = float(np.divide(slope, error))
    if freedom < 1 or math.isnan(t):
        return slope, NO_ENDS, math.nan
    half = t_quantile((1 + confidence) / 2, freedom) * error
    return slope, (slope - half, slope + half), t_two_sided_p(t, freedom)


class _Spread(NamedTuple):
    """The standard deviation of the differences, and the widths of the intervals.

    ``of_bias`` is half the width of the interval of the bias. ``inwards`` is the distance from a
    limit of agreement to the end of its interval that is nearer to the bias, and ``outwards`` is
    the distance to the other end.
    """

    deviation: float
    of_bias: float
    inwards: float
    outwards: float
    n_clusters: int


def _spread(differences: Floats, confidence: float) -> _Spread:
    """Return the spread for independent subjects (Bland and Altman 1999)."""
    n = len(differences)
    deviation = float(differences.std(ddof=1))
    half = t_quantile((1 + confidence) / 2, n - 1) * deviation
    wide = half * math.sqrt(1 / n + DEVIATIONS**2 / (2 * (n - 1)))
    return _Spread(deviation, half * math.sqrt(1 / n), wide, wide, n)


def _spread_in_clusters(sums: ClusteredSums, confidence: float) -> _Spread:
    """Return the spread for clustered subjects, by the jackknife over clusters (Zou 2013)."""
    n_clusters = sums.n_clusters
    deviation = math.sqrt(float(total_variance(sums.whole)[0]))
    quantile = t_quantile((1 + confidence) / 2, n_clusters - 1) if n_clusters > 1 else math.nan
    left = sums.without
    with np.errstate(divide="ignore", invalid="ignore"):
        of_bias = quantile * jackknife_error(left.raters[:, 0] / left.subjects)
        ratio = math.exp(quantile * jackknife_error(np.log(total_variance(left)) / 2))
    inwards, outwards = (DEVIATIONS * deviation * part for part in (1 - 1 / ratio, ratio - 1))
    return _Spread(
        deviation, of_bias, math.hypot(of_bias, inwards), math.hypot(of_bias, outwards), n_clusters
    )
