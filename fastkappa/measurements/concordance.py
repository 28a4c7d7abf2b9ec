"""Compute the concordance correlations of Lin (two raters) and Barnhart (several raters).

Let m_j and s_j**2 be rater j's mean and variance, and s_jk the covariance of raters j and k, all
with divisor n. Then

    ccc = sum of s_jk / sum of (s_j**2 + s_k**2 + (m_j - m_k)**2) / 2

where the sums are over pairs j != k. In terms of the sums of squares of subjects, raters and
residuals, this is

    ((k - 1) * subjects - residual) / ((k - 1) * (subjects + residual) + k * raters)
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import count_text, figure, interval_text
from fastkappa.frame import frame_of_estimate
from fastkappa.measurements.clustered import clustered_sums, jackknife_error, sums_of_samples
from fastkappa.measurements.measured import Measured, read_pair, read_ratings
from fastkappa.measurements.report_texts import MeasuredResult
from fastkappa.measurements.sums_of_squares import SumsOfSquares, sums_of_squares
from fastkappa.ratings.interop import names_of
from fastkappa.ratings.missing import Missing
from fastkappa.results.report import RATERS, Report, estimate_grid, facts
from fastkappa.results.sentence import estimate_sentence
from fastkappa.statistics.distributions import t_quantile
from fastkappa.statistics.inference import check_confidence
from fastkappa.statistics.scales import Interpretation, ScaleName, interpret

LIN = "Lin's concordance correlation"
OVERALL = "overall concordance correlation"


@dataclass(frozen=True, repr=False, kw_only=True)
class ConcordanceResult(MeasuredResult):
    """A concordance correlation with its confidence interval, precision and accuracy.

    Printing the result shows a report.

    Attributes
    ----------
    method : str
        The name of the coefficient.
    value : float
        The coefficient, between -1 and 1, or NaN if undefined.
    standard_error : float
        The standard error of the coefficient, treating the subjects as a random sample.
        `concordance_correlation` computes the standard error by Lin's formula (1989, corrected in
        2000), which assumes normally distributed measurements. `overall_concordance_correlation`
        computes the standard error by the delta method, which does not assume normality. With
        clusters, both functions compute the standard error by the jackknife.
    interval : tuple of float
        The confidence interval, which is computed with Fisher's z transform, so its limits are
        between -1 and 1. `concordance_correlation` uses a quantile of the normal distribution, as
        in Lin's paper. `overall_concordance_correlation` uses a quantile of Student's t
        distribution. With clusters, both functions use Student's t distribution. The number of
        degrees of freedom is the number of subjects (or clusters) minus 1.
    precision : float
        For two raters, the precision is Pearson's correlation. For more raters, it is the sum of
        the covariances of all pairs of raters, divided by the sum of the products of their standard
        deviations.
    accuracy : float
        ``value / precision``, which is Lin's C_b. The accuracy is 1 if all raters have the same
        mean and standard deviation.
    location_shift : float
        For Lin's coefficient, the location shift is ``(mean_1 - mean_2) / sqrt(s_1 * s_2)``, where
        s_1 and s_2 are the standard deviations of the two raters. For the overall coefficient, it
        is NaN.
    scale_shift : float
        For Lin's coefficient, the scale shift is ``s_1 / s_2``. For the overall coefficient, it is
        NaN.
    confidence, n_subjects, n_raters, n_dropped, n_clusters, raters
        As in `IntraclassResult`.
    """

    method: str
    value: float
    standard_error: float
    interval: tuple[float, float]
    precision: float
    accuracy: float
    location_shift: float
    scale_shift: float

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row.

        Returns
        -------
        frame : pandas.DataFrame
            The columns are ``value``, ``standard_error``, ``lower`` and ``upper`` (the limits of
            the interval), ``precision``, ``accuracy``, ``location_shift`` and ``scale_shift``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of_estimate(
            self.value,
            self.standard_error,
            self.interval,
            precision=self.precision,
            accuracy=self.accuracy,
            location_shift=self.location_shift,
            scale_shift=self.scale_shift,
        )

    def sentence(self) -> str:
        """Describe the correlation in a sentence for a paper."""
        what = self.method[0].upper() + self.method[1:]
        method = "interval" if self._is_normal else "t interval"
        return estimate_sentence(
            self._of_sample(what),
            self.value,
            self.interval,
            f"{100 * self.confidence:g} % {method} on Fisher's scale",
        )

    def interpret(self, scale: ScaleName) -> Interpretation:
        """Interpret the correlation and its confidence interval with a published scale.

        Parameters
        ----------
        scale : {'cohen', 'landis-koch', 'mchugh', 'fleiss', 'altman', 'cicchetti'}
            The name of the scale. These scales were made for kappas and intraclass correlations,
            not for concordance correlations, so always report which scale you use.

        Returns
        -------
        interpretation : Interpretation
        """
        return interpret(self.value, self._ends, scale, self.confidence)

    def _ends(self, confidence: float) -> tuple[float, float]:
        """Return the interval at another confidence level."""
        quantile = _quantile(confidence, math.inf if self._is_normal else self.n_clusters - 1)
        return _interval(self.value, self.standard_error, quantile)

    @property
    def _is_normal(self) -> bool:
        return self.method == LIN and self.n_clusters == self.n_subjects

    def __repr__(self) -> str:
        return (
            f"<ConcordanceResult: {figure(self.value)} ({interval_text(self.interval)}),"
            f" {self._items()}, {count_text(self.n_raters, 'rater')}>"
        )

    def _parts(self) -> dict[str, float]:
        parts = {"precision": self.precision, "accuracy": self.accuracy}
        if self.n_raters == 2 and not math.isnan(self.location_shift):
            parts |= {"location shift": self.location_shift, "scale shift": self.scale_shift}
        return parts

    def _report(self) -> Report:
        what = self.method[0].upper() + self.method[1:]
        row = ("concordance correlation", self.value, self.standard_error, self.interval)
        return Report(
            [self._heading(what), *self._left_out()],
            [estimate_grid([row], self.confidence), facts(self._parts().items())],
        )


def concordance_correlation(
    y1: Any,
    y2: Any = None,
    *,
    missing: Missing = "raise",
    clusters: Any = None,
    confidence: float = 0.95,
) -> ConcordanceResult:
    """Compute Lin's concordance correlation for two raters or methods, with an interval.

    Parameters
    ----------
    y1, y2 : array-like of shape (n_subjects,)
        Numeric measurements of the same subjects. None, NaN and similar values count as
        missing.
    missing : {'raise', 'drop'}, default='raise'
        How to treat missing measurements. 'raise' raises an error. 'drop' leaves out subjects with
        a missing measurement and counts them in ``n_dropped``.
    clusters : array-like of shape (n_subjects,), default=None
        The cluster of each subject, such as the patient if subjects are lesions. Clusters change
        the interval, but not the value.
    confidence : float, default=0.95
        The confidence level of the interval.

    Returns
    -------
    result : ConcordanceResult
        The coefficient equals the value of `continuous_kappa`, because variances are divided by n,
        as in Lin's paper.

    Raises
    ------
    ValueError
        If lengths differ, if fewer than two subjects have both measurements, if measurements are
        missing or are not finite real numbers, or if a column seems to contain ids.
    TypeError
        If both columns are passed as a single data frame.

    Warns
    -----
    UndefinedMetricWarning
        If the value is undefined because all measurements are equal, or if only the interval is
        undefined, for example because one column is constant.

    References
    ----------
    L. I-K. Lin (1989). A concordance correlation coefficient to evaluate reproducibility.
    Biometrics 45, 255-268.

    L. I-K. Lin (2000). A note on the concordance correlation coefficient. Biometrics 56,
    324-325.

    Examples
    --------
    Peak expiratory flow measured with two meters, for the first six subjects of Bland and Altman
    (1986):

    >>> from fastkappa.measurements import concordance_correlation
    >>> wright, mini = [494, 395, 516, 434, 476, 557], [512, 430, 520, 428, 500, 600]
    >>> concordance_correlation(wright, mini)
    <ConcordanceResult: 0.8986 (0.5566 to 0.9802), 6 items, 2 raters>
    """
    confidence = check_confidence(confidence)
    measured = read_pair(y1, y2, missing, clusters)
    squares = sums_of_squares(measured)
    value = _value(squares)
    first, second = (math.sqrt(total / squares.n) for total in squares.of_raters)
    difference = float(squares.means[0] - squares.means[1])
    product = first * second
    if product == 0:
        _warn(LIN, value, measured)
        error, precision, location, scale = (math.nan,) * 4
    else:
        precision = (squares.subjects - squares.residual) / 2 / squares.n / product
        precision = max(-1.0, min(1.0, precision))
        location, scale = difference / math.sqrt(product), first / second
        error = _lin_error(value, precision, location, scale, squares.n)
    accuracy = 2 / (scale + 1 / scale + location * location)
    figures = value, error, precision, accuracy, location, scale
    return _result(LIN, measured, squares, names_of((y1, y2), RATERS), confidence, figures)


def overall_concordance_correlation(
    ratings: Any,
    *,
    missing: Missing = "raise",
    clusters: Any = None,
    confidence: float = 0.95,
) -> ConcordanceResult:
    """Compute the overall concordance correlation for two or more raters, with an interval.

    The overall correlation is a weighted mean of Lin's coefficient over all pairs of raters.
    Each pair is weighted by the denominator of its coefficient.

    Parameters
    ----------
    ratings : array-like of shape (n_subjects, n_raters)
        As in `intraclass_correlation`.
    missing, clusters, confidence
        As in `concordance_correlation`, with the same errors and warnings.

    Returns
    -------
    result : ConcordanceResult
        For two raters, the value is Lin's coefficient, but the standard error does not assume
        normally distributed measurements.

    References
    ----------
    T. S. King and V. M. Chinchilli (2001). A generalized concordance correlation coefficient
    for continuous and categorical data. Statistics in Medicine 20, 2131-2147.

    H. X. Barnhart, M. Haber and J. Song (2002). Overall concordance correlation coefficient
    for evaluating agreement among multiple observers. Biometrics 58, 1020-1027.

    Examples
    --------
    >>> from fastkappa.measurements import overall_concordance_correlation
    >>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
    ...            [6, 2, 4, 7]]
    >>> overall_concordance_correlation(ratings)
    <ConcordanceResult: 0.2537 (0.0082 to 0.4704), 6 items, 4 raters>
    """
    confidence = check_confidence(confidence)
    measured = read_ratings(ratings, missing, clusters)
    squares = sums_of_squares(measured)
    value = _value(squares)
    error = precision = math.nan
    deviations = np.sqrt(squares.of_raters / squares.n)
    products = float(deviations.sum() ** 2 - (deviations**2).sum())
    if measured.constant.all():
        _warn(OVERALL, value, measured)
    else:
        error = _delta_error(measured, squares, value)
        if products > 0:
            covariances = ((squares.k - 1) * squares.subjects - squares.residual) / squares.n
            precision = covariances / products
    accuracy = value / precision if precision else math.nan
    figures = value, error, precision, accuracy, math.nan, math.nan
    return _result(OVERALL, measured, squares, tuple(measured.names), confidence, figures)


def _value(squares: SumsOfSquares) -> float:
    numerator, denominator = _parts(squares)
    return max(-1.0, min(1.0, numerator / denominator)) if denominator > 0 else math.nan


def _parts(squares: Any) -> tuple[Any, Any]:
    k = squares.k
    return (
        (k - 1) * squares.subjects - squares.residual,
        (k - 1) * (squares.subjects + squares.residual) + k * squares.raters,
    )


def _lin_error(value: float, precision: float, location: float, scale: float, n: int) -> float:
    """Return Lin's standard error (2000), by a formula that does not divide by the precision."""
    if abs(value) == 1:
        return 0.0
    if n < 3:
        return math.nan
    accuracy = 2 / (scale + 1 / scale + location * location)
    square, shift = value * value, location * location
    variance = (
        (1 - precision * precision) * accuracy * accuracy * (1 - square)
        + 2 * square * accuracy * (1 - value) * shift
        - square * accuracy * accuracy * shift * shift / 2
    ) / (n - 2)
    return math.sqrt(max(variance, 0.0))


def _delta_error(measured: Measured, squares: SumsOfSquares, value: float) -> float:
    """Compute the standard error by the delta method, from the influence of each subject."""
    if abs(value) == 1:
        return 0.0
    n, k = squares.n, squares.k
    numerator, denominator = _parts(squares)
    from_mean = squares.means - squares.means.mean()
    mean = (numerator - value * (k - 1) * (squares.subjects + squares.residual)) / denominator
    sums = []
    for chunk in measured.chunks():
        deviation = chunk - squares.centre - squares.means[:, None]
        each = (deviation * deviation).sum(axis=0)
        products = deviation.sum(axis=0) ** 2 - each
        apart = (k - 1) * each + 2 * k * (from_mean @ deviation)
        influence = (products - value * apart) * (n / denominator) - mean
        sums.append(float((influence * influence).sum()))
    return math.sqrt(math.fsum(sums) / n / (n - 1))


def _result(
    method: str,
    measured: Measured,
    squares: SumsOfSquares,
    raters: tuple[str, ...],
    confidence: float,
    figures: tuple[float, ...],
) -> ConcordanceResult:
    value, error, precision, accuracy, location, scale = figures
    n_clusters = None
    freedom = math.inf if method == LIN else squares.n - 1.0
    centre = squares.centre + squares.means
    sums = clustered_sums(measured.clusters, measured.chunks(), centre)
    if sums is not None:
        n_clusters = sums.n_clusters
        freedom = n_clusters - 1
        # If the standard error without clusters is undefined or 0, the error with clusters is not
        # computed.
        if error > 0:
            with np.errstate(divide="ignore", invalid="ignore"):
                above, below = _parts(sums_of_samples(sums.without, centre))
                error = jackknife_error(np.arctanh(above / below)) * (1 - value * value)
    return ConcordanceResult(
        method=method,
        value=value,
        standard_error=error,
        interval=_interval(value, error, _quantile(confidence, freedom)),
        precision=precision,
        accuracy=accuracy,
        location_shift=location,
        scale_shift=scale,
        **measured.sample(confidence, n_clusters, raters),
    )


def _quantile(confidence: float, freedom: float) -> float:
    return t_quantile((1 + confidence) / 2, freedom) if freedom > 0 else math.nan


def _interval(value: float, error: float, quantile: float) -> tuple[float, float]:
    """Return the interval, computed with Fisher's z transform."""
    if abs(value) == 1:
        return value, value
    z = math.atanh(value)
    half = quantile * error / (1 - value * value)
    return math.tanh(z - half), math.tanh(z + half)


def _warn(method: str, value: float, measured: Measured) -> None:
    constant = [name for name, same in zip(measured.names, measured.constant) if same]
    names = " and ".join(constant) if len(constant) < 4 else "all raters"
    reason = "are constant" if len(constant) > 1 else "is constant"
    what = "is undefined" if math.isnan(value) else "is 0, but its interval is undefined"
    warnings.warn(
        f"{method} {what}, because {names} {reason}.", undefined_metric_warning(), stacklevel=3
    )
