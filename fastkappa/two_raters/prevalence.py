"""Correct the prevalence of a label for the rater's errors."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import figure, interval_text
from fastkappa.frame import frame_of_estimate
from fastkappa.results.report import Report, estimate_grid, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import decimals, estimate_sentence
from fastkappa.statistics.inference import check_confidence, normal_quantile
from fastkappa.statistics.tables import as_counts


@dataclass(frozen=True, eq=False, repr=False)
class CorrectedPrevalence(Result):
    """A prevalence estimate, corrected for the rater's sensitivity and specificity.

    Attributes
    ----------
    value : float
        The Rogan-Gladen estimate of the prevalence, clipped to the range from 0 to 1.
    standard_error : float
        The standard error of the estimate. It includes the uncertainty of the apparent prevalence,
        the sensitivity and the specificity.
    interval : tuple of float
        The confidence interval, computed with the method of Lang and Reiczigel (2014).
    apparent : float
        The apparent prevalence: the proportion of items that the rater labels positive.
    sensitivity, specificity : float
        The proportion of truly positive items that the rater labels positive, and the proportion of
        truly negative items that the rater labels negative.
    n : int
        The number of labeled items, without the validation sample.
    n_validation : tuple of int
        The number of truly negative items and the number of truly positive items in the validation
        sample.
    confidence : float
        The confidence level of the interval.
    """

    value: float
    standard_error: float
    interval: tuple[float, float]
    apparent: float
    sensitivity: float
    specificity: float
    n: int
    n_validation: tuple[int, int]
    confidence: float

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row.

        The columns are ``value``, ``standard_error``, ``lower`` and ``upper``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of_estimate(self.value, self.standard_error, self.interval)

    def sentence(self) -> str:
        """Return the prevalence as a sentence for a paper."""
        negative, positive = self.n_validation
        digits = decimals(self.interval)
        apparent, sensitivity, specificity = (
            figure(one, digits=digits)
            for one in (self.apparent, self.sensitivity, self.specificity)
        )
        return estimate_sentence(
            f"The prevalence among {self.n} items, counted as {apparent} and corrected by the"
            f" method of Rogan and Gladen for a sensitivity of {sensitivity} (n = {positive}) and a"
            f" specificity of {specificity} (n = {negative}),",
            self.value,
            self.interval,
            f"{100 * self.confidence:g} % interval of Lang and Reiczigel",
        )

    def __repr__(self) -> str:
        return (
            f"<CorrectedPrevalence: {figure(self.value)} ({interval_text(self.interval)}),"
            f" n = {self.n}>"
        )

    def _report(self) -> Report:
        row = ("corrected prevalence", self.value, self.standard_error, self.interval)
        negative, positive = self.n_validation
        known = [
            ("as counted", self.apparent),
            ("sensitivity", self.sensitivity),
            ("specificity", self.specificity),
            ("items", self.n),
            ("validated: true positives", positive),
            ("validated: true negatives", negative),
        ]
        return Report([], [estimate_grid([row], self.confidence), facts(known)])


def rogan_gladen(
    n_positive: int, n: int, validation: Any, *, confidence: float = 0.95
) -> CorrectedPrevalence:
    """Estimate the true prevalence of a label from the ratings of an imperfect rater.

    The rater can be a screening test, a model that judges answers, or a keyword dictionary. The
    rater's error rates are estimated from a validation sample: other items whose true labels are
    known. The validation sample can have a different prevalence.

    Parameters
    ----------
    n_positive, n : int
        The number of items that the rater labels positive, and the total number of items. Neither
        number includes the validation sample.
    validation : array-like of shape (2, 2) or ConfusionCounts
        The counts of the validation sample, for example the result of `confusion_counts` for the
        true labels and the rater's labels. Rows correspond to the true labels, and columns to the
        rater's labels. The negative label comes first.
    confidence : float, default=0.95
        The confidence level of the interval.

    Returns
    -------
    prevalence : CorrectedPrevalence
        The corrected prevalence. If sensitivity and specificity add up to at most 1, the rater is
        no better than chance. In this case, the prevalence is NaN, and an
        ``UndefinedMetricWarning`` is issued.

    Raises
    ------
    ValueError
        If ``n`` is below 1, if ``n_positive`` is not between 0 and ``n``, or if ``validation`` is
        not a 2 by 2 table or has no items with one of the true labels.

    References
    ----------
    W. J. Rogan and B. Gladen (1978). Estimating prevalence from the results of a screening test.
    American Journal of Epidemiology 107, 71-76.

    Z. Lang and J. Reiczigel (2014). Confidence limits for prevalence of disease adjusted for
    estimated sensitivity and specificity. Preventive Veterinary Medicine 113, 13-22.

    Examples
    --------
    Of 150 cows, 23 are positive in a test with sensitivity 0.96 and specificity 0.89:

    >>> from fastkappa import rogan_gladen
    >>> rogan_gladen(23, 150, [[89, 11], [4, 96]])
    <CorrectedPrevalence: 0.0510 (0.0000 to 0.1457), n = 150>
    """
    check_confidence(confidence)
    if not (n >= 1 and 0 <= n_positive <= n):
        raise ValueError(
            f"n_positive must be between 0 and n, and n must be 1 or more, got"
            f" n_positive={n_positive!r} and n={n!r}."
        )
    counts = as_counts(getattr(validation, "table", validation))
    if counts.shape != (2, 2) or not counts.any(axis=1).all():
        raise ValueError(
            "validation must be a table of two labels, with at least one truly negative item in the"
            " first row and at least one truly positive item in the second, got"
            f" {counts.tolist()}."
        )
    (specific, false_alarms), (missed, sensitive) = counts.tolist()
    negative, positive = specific + false_alarms, missed + sensitive
    sizes = float(n), float(positive), float(negative)
    value, variance = _corrected(n_positive / n, sensitive / positive, specific / negative, sizes)
    interval = math.nan, math.nan
    if math.isnan(value):
        warnings.warn(
            "the prevalence is undefined because the sum of sensitivity and specificity is at most"
            " 1, so the rater is no better than chance.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    else:
        interval = _lang_reiczigel(n_positive, sensitive, specific, sizes, confidence)
    return CorrectedPrevalence(
        value if math.isnan(value) else _within(value),
        math.sqrt(variance),
        interval,
        n_positive / n,
        sensitive / positive,
        specific / negative,
        int(n),
        (int(negative), int(positive)),
        float(confidence),
    )


def _corrected(
    apparent: float, sensitivity: float, specificity: float, sizes: tuple[float, float, float]
) -> tuple[float, float]:
    """Return Rogan and Gladen's estimate and its variance, both NaN if undefined."""
    slope = sensitivity + specificity - 1
    if slope <= 0:
        return math.nan, math.nan
    rate = (apparent + specificity - 1) / slope
    n, positive, negative = sizes
    variance = (
        apparent * (1 - apparent) / n
        + rate**2 * sensitivity * (1 - sensitivity) / positive
        + (1 - rate) ** 2 * specificity * (1 - specificity) / negative
    )
    return rate, variance / slope**2


def _lang_reiczigel(
    n_positive: int,
    sensitive: int,
    specific: int,
    sizes: tuple[float, float, float],
    confidence: float,
) -> tuple[float, float]:
    """Return Lang and Reiczigel's interval, which adds pseudo-counts and a shift."""
    z = normal_quantile((1 + confidence) / 2)
    n, positive, negative = sizes[0] + z * z, sizes[1] + 2, sizes[2] + 2
    sensitivity, specificity = (sensitive + 1) / positive, (specific + 1) / negative
    apparent = (n_positive + z * z / 2) / n
    rate, variance = _corrected(apparent, sensitivity, specificity, (n, positive, negative))
    if math.isnan(rate):
        return 0.0, 1.0
    shift = (
        2
        * z
        * z
        * (
            rate * sensitivity * (1 - sensitivity) / positive
            - (1 - rate) * specificity * (1 - specificity) / negative
        )
    )
    low, high = (_within(rate + shift + sign * z * math.sqrt(variance)) for sign in (-1, 1))
    return low, high


def _within(proportion: float) -> float:
    return min(max(proportion, 0.0), 1.0)
