"""Plan studies of measurements, for the intraclass correlation or Lin's concordance correlation."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.choices import check_choice
from fastkappa.planning.checks import (
    PlannedAlternative,
    check_design_effect,
    check_positive,
    tail_of,
)
from fastkappa.planning.planned_power import least_items
from fastkappa.planning.precision import least_narrow, normal_items
from fastkappa.statistics.distributions import f_quantile, f_tail, t_quantile
from fastkappa.statistics.inference import (
    DEVIATIONS,
    STANDARD_NORMAL,
    check_probability,
    check_whole,
    normal_quantile,
)

Correlation: TypeAlias = Literal["icc", "ccc"]


def correlation_sample_size(
    correlation: float,
    *,
    coefficient: Correlation,
    null_correlation: float = 0.0,
    alternative: PlannedAlternative = "two-sided",
    alpha: float = 0.05,
    power: float = 0.8,
    n_raters: int = 2,
    accuracy: float = 1.0,
    design_effect: float = 1.0,
) -> int:
    """Return the number of subjects needed to distinguish a correlation from another value.

    The test rejects ``null_correlation`` if it is outside the interval of
    `fastkappa.measurements.intraclass_correlation` or `concordance_correlation`.

    Parameters
    ----------
    correlation : float
        The expected correlation.
    coefficient : {'icc', 'ccc'}
        'icc' is ICC(C,1), which ignores constant differences between raters. If there are such
        differences, ICC(A,1) needs more subjects. 'ccc' is Lin's concordance correlation of two
        raters.
    null_correlation : float, default=0.0
        The correlation under the null hypothesis.
    alternative, alpha, power, design_effect
        As in `sample_size`.
    n_raters : int, default=2
        The number of raters of each subject.
    accuracy : float, default=1.0
        For 'ccc', the expected bias correction factor: 1 if both raters have the same mean. The
        correlation divided by this factor is Pearson's correlation. Raters are assumed to have the
        same standard deviation.

    Returns
    -------
    n : int
        The number of subjects.

    Raises
    ------
    ValueError
        If both correlations are equal, if more than 10**12 subjects are needed, or if an argument
        is invalid.

    Notes
    -----
    The power of the F test of an intraclass correlation is exact for normally distributed
    measurements. Walter, Eliasziw and Donner (1998) approximate the power for ICC(1). The power for
    Lin's concordance correlation uses Fisher's z transform (Lin 1992).

    References
    ----------
    S. D. Walter, M. Eliasziw and A. Donner (1998). Sample size and optimal designs for reliability
    studies. Statistics in Medicine 17, 101-110.

    L. I. Lin (1992). Assay validation using the concordance correlation coefficient. Biometrics 48,
    599-604.

    Examples
    --------
    >>> from fastkappa.planning import correlation_sample_size
    >>> test = dict(null_correlation=0.6, alternative="greater")
    >>> correlation_sample_size(0.8, coefficient="icc", **test)
    40
    >>> correlation_sample_size(0.8, coefficient="icc", **test, n_raters=3)
    26
    >>> correlation_sample_size(0.95, coefficient="ccc", null_correlation=0.9, accuracy=0.98)
    57
    """
    check_probability("power", power)
    study = planned_correlation(coefficient, correlation, n_raters, accuracy)
    planned_correlation(coefficient, null_correlation, n_raters, 1.0, "null_correlation")
    names = ("correlation", "null_correlation")
    tail = tail_of(alternative, alpha, correlation, null_correlation, names)
    check_design_effect(design_effect)

    def found(n: int) -> float:
        return study.power(n, null_correlation, tail) if n >= study.fewest else 0.0

    distance = math.atanh(correlation) - math.atanh(null_correlation)
    normal = (normal_quantile(1 - tail) + normal_quantile(power)) / distance
    guess = min(math.ceil(normal**2), 10**12) + study.fewest
    return math.ceil(design_effect * least_items(found, power, guess, names))


def correlation_sample_size_for_width(
    correlation: float,
    width: float,
    *,
    coefficient: Correlation,
    confidence: float = 0.95,
    n_raters: int = 2,
    accuracy: float = 1.0,
    design_effect: float = 1.0,
) -> int:
    """Return the number of subjects needed for an interval of a correlation with a given width.

    Parameters
    ----------
    correlation : float
        The expected correlation.
    width : float
        The required width of the interval.
    coefficient
        As in `correlation_sample_size`.
    confidence : float, default=0.95
        The confidence level of the interval.
    n_raters, accuracy, design_effect
        As in `correlation_sample_size`.

    Returns
    -------
    n : int
        The smallest number of subjects for which the interval around the expected correlation is at
        most this wide. About half of all studies have a wider interval.

    Raises
    ------
    ValueError
        If ``width`` is not between 0 and 2, or if an argument is invalid.

    Notes
    -----
    Bonett (2002) has a closed-form approximation of the number of subjects for ICC(1).

    References
    ----------
    D. G. Bonett (2002). Sample size requirements for estimating intraclass correlations with
    desired precision. Statistics in Medicine 21, 1331-1335.

    Examples
    --------
    >>> from fastkappa.planning import correlation_sample_size_for_width
    >>> correlation_sample_size_for_width(0.8, 0.2, coefficient="icc", n_raters=3)
    37
    >>> correlation_sample_size_for_width(0.8, 0.2, coefficient="ccc")
    55
    """
    study = planned_correlation(coefficient, correlation, n_raters, accuracy)
    check_design_effect(design_effect)
    guess = max(normal_items(1 - correlation**2, width, confidence), study.fewest)

    def widths(n: AnyArray) -> FloatTable:
        of_each = [study.interval(int(k), (1 + confidence) / 2) for k in n]
        return np.array([high - low for low, high in of_each])

    return math.ceil(design_effect * least_narrow(widths, width, guess))


def limits_sample_size_for_width(
    standard_deviation: float,
    width: float,
    *,
    confidence: float = 0.95,
    design_effect: float = 1.0,
) -> int:
    """Return the number of subjects needed for limits of agreement with intervals of a given width.

    Parameters
    ----------
    standard_deviation : float
        The expected standard deviation of the differences between both methods.
    width : float
        The required width of the interval of each limit, in the unit of the measurements.
    confidence : float, default=0.95
        The confidence level of the intervals.
    design_effect : float, default=1.0
        As in `sample_size`.

    Returns
    -------
    n : int
        The smallest number of subjects for which the intervals of
        `fastkappa.measurements.limits_of_agreement` are at most this wide, if the differences have
        this standard deviation. About half of all studies have wider intervals.

    Raises
    ------
    ValueError
        If an argument is invalid, or if more than 10**12 subjects are needed.

    References
    ----------
    J. M. Bland and D. G. Altman (1999). Measuring agreement in method comparison studies.
    Statistical Methods in Medical Research 8, 135-160.

    Examples
    --------
    Limits that are known to 0.34 standard deviations on either side need about 100 subjects:

    >>> from fastkappa.planning import limits_sample_size_for_width
    >>> limits_sample_size_for_width(1.0, 2 * 0.34)
    101
    """
    check_positive("standard_deviation", standard_deviation)
    check_positive("width", width)
    check_design_effect(design_effect)
    error = standard_deviation * math.sqrt(1 + DEVIATIONS**2 / 2)
    guess = max(normal_items(error, width, confidence, math.inf), 2)

    def widths(n: AnyArray) -> FloatTable:
        return widths_of_limits(standard_deviation, n, confidence)

    return math.ceil(design_effect * least_narrow(widths, width, guess))


def widths_of_limits(standard_deviation: float, n: AnyArray, confidence: float) -> FloatTable:
    """Return the width of the interval of a limit of agreement, for each number of subjects."""
    check_positive("standard_deviation", standard_deviation)
    quantiles = np.array([t_quantile((1 + confidence) / 2, int(k) - 1) for k in n])
    of_each: FloatTable = quantiles * np.sqrt(1 / n + DEVIATIONS**2 / (2 * (n - 1)))
    return 2 * standard_deviation * of_each


class _Intraclass(NamedTuple):
    """ICC(C,1) of k raters, and the smallest number of subjects."""

    value: float
    k: int
    fewest: int = 2

    def interval(self, n: int, p: float) -> tuple[float, float]:
        """Return the interval for n subjects with the expected ratio of mean squares."""
        above, below = n - 1, (n - 1) * (self.k - 1)
        f = _ratio(self.value, self.k)
        ends = f / f_quantile(p, above, below), f * f_quantile(p, below, above)
        low, high = ((end - 1) / (end + self.k - 1) for end in ends)
        return low, high

    def power(self, n: int, null: float, tail: float) -> float:
        """Return the power of the F test."""
        freedom = n - 1, (n - 1) * (self.k - 1)
        ratio = _ratio(null, self.k) / _ratio(self.value, self.k)
        if self.value > null:
            return f_tail(ratio * f_quantile(1 - tail, *freedom), *freedom)
        # The reciprocal of an F-distributed variable has an F distribution with exchanged degrees
        # of freedom.
        return f_tail(f_quantile(1 - tail, *freedom[::-1]) / ratio, *freedom[::-1])


def _ratio(value: float, k: int) -> float:
    """Return the ratio of the expected mean squares for subjects and for errors."""
    return (1 + (k - 1) * value) / (1 - value)


class _Concordance(NamedTuple):
    """Lin's concordance correlation, its bias correction factor, and the fewest subjects."""

    value: float
    accuracy: float
    fewest: int = 4

    def error(self, n: int) -> float:
        """Return the standard error of Fisher's z (Lin 1989, 2000)."""
        square, factor = self.value**2, self.accuracy**2
        shift = 2 / self.accuracy - 2  # squared distance between the means, in standard deviations
        variance = (
            (factor - square) * (1 - square)
            + 2 * square * self.accuracy * (1 - self.value) * shift
            - square * factor * shift**2 / 2
        )
        return math.sqrt(variance / (n - 2)) / (1 - square)

    def interval(self, n: int, p: float) -> tuple[float, float]:
        """Return the interval for n subjects."""
        z, half = math.atanh(self.value), normal_quantile(p) * self.error(n)
        return math.tanh(z - half), math.tanh(z + half)

    def power(self, n: int, null: float, tail: float) -> float:
        """Return the power of the test that rejects if ``null`` is outside the interval."""
        distance = abs(math.atanh(self.value) - math.atanh(null))
        return STANDARD_NORMAL.cdf(distance / self.error(n) - normal_quantile(1 - tail))


def planned_correlation(
    coefficient: Correlation,
    value: float,
    n_raters: int,
    accuracy: float,
    name: str = "correlation",
) -> _Intraclass | _Concordance:
    """Check the arguments of a plan, and return its coefficient."""
    check_choice("coefficient", coefficient, get_args(Correlation))
    check_whole("n_raters", n_raters, 2)
    least = -1 / (n_raters - 1)
    if not least < value < 1:
        raise ValueError(f"{name} must be above {least:g} and below 1, got {value!r}.")
    if coefficient == "icc":
        if accuracy != 1:
            raise ValueError("accuracy applies only to coefficient='ccc': leave it out.")
        return _Intraclass(value, n_raters)
    if n_raters != 2:
        raise ValueError(f"n_raters must be 2 for coefficient='ccc', got {n_raters!r}.")
    if not abs(value) <= accuracy <= 1:
        raise ValueError(
            f"accuracy must be between the {name} ({value!r}) and 1, got {accuracy!r}."
        )
    return _Concordance(value, accuracy)
