"""Plan studies of measurements: correlations and limits of agreement."""

from __future__ import annotations

from fastkappa.planning.checks import PlannedAlternative
from fastkappa.planning.measured_studies import Correlation, correlation_study, limits_study


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
    """Return the number of subjects needed to distinguish a correlation from a hypothesized value.

    The test rejects ``null_correlation`` if it is outside the confidence interval computed by
    `fastkappa.measurements.intraclass_correlation` or `concordance_correlation`.

    Parameters
    ----------
    correlation : float
        The expected correlation.
    coefficient : {'icc', 'ccc'}
        'icc' is ICC(C,1), which ignores constant differences between raters. If raters differ by a
        constant, more subjects are needed for ICC(A,1). 'ccc' is Lin's concordance correlation
        between two raters.
    null_correlation : float, default=0.0
        The correlation under the null hypothesis.
    alternative, alpha, power, design_effect
        As in `sample_size`.
    n_raters : int, default=2
        The number of raters per subject.
    accuracy : float, default=1.0
        The expected bias correction factor, used only for 'ccc'. The factor is 1 if the
        measurements of both raters have the same mean. The concordance correlation divided by this
        factor is Pearson's correlation. The measurements of both raters are assumed to have the
        same standard deviation.

    Returns
    -------
    n : int
        The required number of subjects.

    Raises
    ------
    ValueError
        If the two correlations are equal, if more than 10**12 subjects are needed, or if an
        argument is invalid.

    Notes
    -----
    For an intraclass correlation, the power of the F test is exact if the measurements are normally
    distributed. Walter, Eliasziw and Donner (1998) give an approximation of the power for ICC(1).
    For Lin's concordance correlation, the power is computed with Fisher's z transform (Lin 1992).

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
    study = correlation_study(
        correlation,
        coefficient=coefficient,
        null_correlation=null_correlation,
        n_raters=n_raters,
        alternative=alternative,
        alpha=alpha,
        accuracy=accuracy,
        design_effect=design_effect,
    )
    return study.items_for_power(power)


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
    """Return the number of subjects needed to estimate a correlation with a given interval width.

    Parameters
    ----------
    correlation : float
        The expected correlation.
    width : float
        The required width of the confidence interval.
    coefficient
        As in `correlation_sample_size`.
    confidence : float, default=0.95
        The confidence level of the interval.
    n_raters, accuracy, design_effect
        As in `correlation_sample_size`.

    Returns
    -------
    n : int
        The smallest number of subjects for which the confidence interval is at most ``width`` wide
        if the estimate equals the expected correlation. In about half of all studies, the interval
        is wider than planned.

    Raises
    ------
    ValueError
        If ``width`` is not between 0 and 2 or requires more than 10**12 subjects, or if another
        argument is invalid.

    Notes
    -----
    For ICC(1), Bonett (2002) gives a closed-form approximation of the number of subjects.

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
    study = correlation_study(
        correlation,
        coefficient=coefficient,
        n_raters=n_raters,
        confidence=confidence,
        accuracy=accuracy,
        design_effect=design_effect,
    )
    return study.items_for_width(width)


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
        The expected standard deviation of the differences between the two methods.
    width : float
        The required width of the confidence interval for each limit, in the unit of the
        measurements.
    confidence : float, default=0.95
        The confidence level of the intervals.
    design_effect : float, default=1.0
        As in `sample_size`.

    Returns
    -------
    n : int
        The smallest number of subjects for which the intervals computed by
        `fastkappa.measurements.limits_of_agreement` are at most ``width`` wide if the differences
        have the expected standard deviation. In about half of all studies, the intervals are wider
        than planned.

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
    With about 100 subjects, the interval of each limit is the limit plus or minus 0.34 standard
    deviations:

    >>> from fastkappa.planning import limits_sample_size_for_width
    >>> limits_sample_size_for_width(1.0, 2 * 0.34)
    101
    """
    study = limits_study(standard_deviation, confidence=confidence, design_effect=design_effect)
    return study.items_for_width(width)
