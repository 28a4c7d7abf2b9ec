"""Compute the agreement on each label and within a tolerance, as proportions with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray, Floats, FloatTable
from fastkappa.choices import check_choice
from fastkappa.formatting import figure, interval_text, label_text
from fastkappa.frame import data_frame, frame_of_estimate
from fastkappa.results.report import Report, estimate_grid
from fastkappa.results.result import Result
from fastkappa.statistics.clusters import Clusters, are_joined
from fastkappa.statistics.inference import check_confidence, normal_quantile
from fastkappa.statistics.intervals.methods import root_quantile, widening
from fastkappa.statistics.tables import as_counts

# The relative tolerance for rounding errors in the distance between two label values, such as 0.3
# and 0.1.
ROUNDING = 1e-9
# The unit of a tolerance: steps between label positions, or the distance between label values.
By: TypeAlias = Literal["steps", "values"]


class _Proportion(NamedTuple):
    value: float
    standard_error: float
    interval: tuple[float, float]
    confidence: float


class Proportion(Result, _Proportion):
    """A proportion with its standard error, confidence interval and confidence level."""

    __slots__ = ()

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row.

        The columns are ``value``, ``standard_error``, ``lower`` and ``upper``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of_estimate(self.value, self.standard_error, self.interval)

    def _report(self) -> Report:
        row = ("proportion", self.value, self.standard_error, self.interval)
        return Report([], [estimate_grid([row], self.confidence)])

    def __repr__(self) -> str:
        return f"<Proportion: {figure(self.value)} ({interval_text(self.interval)})>"


class _SpecificAgreement(NamedTuple):
    labels: AnyArray
    values: Floats
    standard_errors: Floats
    lower: Floats
    upper: Floats
    confidence: float


class SpecificAgreement(Result, _SpecificAgreement):
    """The agreement on each label, with standard errors and confidence intervals.

    These statistics are arrays of shape (l,) that contain NaN for unused labels.
    """

    __slots__ = ()

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per label.

        The columns are ``value``, ``standard_error``, ``lower`` and ``upper``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        columns = dict(zip(("value", "standard_error", "lower", "upper"), self[1:5]))
        return data_frame(columns, ("label", self.labels.tolist()))

    def rows(self) -> list[tuple[str, float, float, tuple[float, float]]]:
        """Return one tuple per label: its name, agreement, standard error and interval."""
        return [
            (f"agreement on {label_text(label)}", value, error, (low, high))
            for label, value, error, low, high in zip(*(part.tolist() for part in self[:5]))
        ]

    def _report(self) -> Report:
        return Report([], [estimate_grid(self.rows(), self.confidence)])

    def __repr__(self) -> str:
        return str(self)


def specific_agreement(
    table: ArrayLike,
    confidence: float = 0.95,
    labels: AnyArray | None = None,
    clusters: Clusters | None = None,
) -> SpecificAgreement:
    """Return the specific agreement of two raters on each label: 2 n_ii / (n_i. + n_.i).

    If a randomly chosen rater gives an item the label, the specific agreement is the probability
    that the other rater does too. With two labels, the two values are known as positive and
    negative agreement. Specific agreement is also known as the Dice coefficient and the F1 score.

    Parameters
    ----------
    table : array-like of shape (l, l)
        Counts of items. Rows correspond to the first rater's labels.
    confidence : float, default=0.95
        The confidence level of the intervals.
    labels : ndarray of shape (l,), default=None
        The labels shown in the report. None means 0 to l - 1.
    clusters : Clusters or None, default=None
        The clusters of the items, if the items are not independent.

    Returns
    -------
    agreement : SpecificAgreement
        Standard errors are computed by the delta method. With clusters, they are computed from sums
        within clusters. Intervals are not symmetric: let q be the number of items that got the
        label from both raters, divided by the number that got it from at least one. The limits of
        a Wilson interval for q are transformed by 2 q / (1 + q). With clusters, the Wilson interval
        is computed for the effective sample size instead of the number of items.

    Raises
    ------
    ValueError
        If the table is empty or not square, if its counts are not whole numbers, or if the
        confidence is not between 0 and 1.

    References
    ----------
    D. V. Cicchetti and A. R. Feinstein (1990). High agreement but low kappa: II. Resolving
    the paradoxes. Journal of Clinical Epidemiology 43, 551-558.

    P. Graham and B. Bull (1998). Approximate standard errors and confidence intervals for
    indices of positive and negative agreement. Journal of Clinical Epidemiology 51, 763-771.

    E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> from fastkappa.two_raters.statistics.proportions import specific_agreement
    >>> found = specific_agreement([[20, 5], [10, 15]])
    >>> found.values.round(4), found.standard_errors.round(4)
    (array([0.7273, 0.6667]), array([0.0677, 0.0811]))
    >>> found.lower.round(4), found.upper.round(4)
    (array([0.5801, 0.498 ]), array([0.8373, 0.8013]))
    """
    check_confidence(confidence)
    counts = as_counts(table)
    both = np.diagonal(counts).astype(np.float64)
    # For counts below 2**53, these sums are exact.
    one_alone = (counts.sum(axis=0) + counts.sum(axis=1)).astype(np.float64) - 2 * both
    total = 2 * both + one_alone
    with np.errstate(invalid="ignore"):
        values = 2 * both / total
        errors = 2 * np.sqrt(both * one_alone * (both + one_alone)) / total**2
    shrink = np.ones(len(counts))
    if are_joined(clusters):

        def contributions(i: int) -> FloatTable:
            own = np.zeros(counts.shape)
            own[i, i] = 2
            own[i] -= values[i]
            own[:, i] -= values[i]
            with np.errstate(invalid="ignore"):
                return np.asarray(own / total[i])

        slopes = map(contributions, range(len(counts)))
        errors, shrink = _of_clusters(slopes, errors, clusters, confidence)
    lower, upper = (
        2 * q / (1 + q) for q in wilson(both * shrink, (both + one_alone) * shrink, confidence)
    )
    names = np.arange(len(counts)) if labels is None else labels
    return SpecificAgreement(names, values, errors, lower, upper, confidence)


def agreement_within(
    table: ArrayLike,
    tolerance: float,
    *,
    by: By = "steps",
    labels: AnyArray | None = None,
    confidence: float = 0.95,
    clusters: Clusters | None = None,
) -> Proportion:
    """Return the proportion of items whose two ratings differ by no more than a tolerance.

    Parameters
    ----------
    table : array-like of shape (l, l)
        Counts of items. Rows correspond to the first rater's labels.
    tolerance : float
        The largest accepted difference, at least 0. Rounding errors are ignored, so 0.4 and 0.1
        are within a tolerance of 0.3.
    by : {'steps', 'values'}, default='steps'
        Whether to compare the positions of the labels or their values.
    labels : ndarray of shape (l,), default=None
        The labels, which must be numbers. Required for ``by='values'``.
    confidence : float, default=0.95
        The confidence level of the Wilson interval.
    clusters : Clusters or None, default=None
        The clusters of the items, as in `specific_agreement`.

    Returns
    -------
    agreement : Proportion

    Raises
    ------
    ValueError
        If the table is empty or not square, if its counts are not whole numbers, if the tolerance
        is negative or not finite, or if ``by`` is 'values' and the labels are not numbers.

    Examples
    --------
    >>> from fastkappa.two_raters.statistics.proportions import agreement_within
    >>> found = agreement_within([[8, 2, 1], [1, 9, 2], [0, 1, 6]], 1)
    >>> round(found.value, 4), [round(end, 4) for end in found.interval]
    (0.9667, [0.8333, 0.9941])
    """
    check_confidence(confidence)
    counts = as_counts(table)
    if not isinstance(tolerance, Real) or not 0 <= tolerance < math.inf:
        raise ValueError(f"tolerance must be a non-negative number, got {tolerance!r}.")
    places = _places(by, labels, len(counts))
    near = np.abs(places[:, None] - places) <= tolerance * (1 + ROUNDING)
    n, within = float(counts.sum()), float(counts[near].sum())
    value = within / n
    error, shrink = np.array([math.sqrt(value * (1 - value) / n)]), np.ones(1)
    if are_joined(clusters):
        error, shrink = _of_clusters([(near - value) / n], error, clusters, confidence)
    low, high = wilson(within * shrink, n * shrink, confidence)
    return Proportion(value, float(error[0]), (float(low[0]), float(high[0])), confidence)


def _of_clusters(
    slopes: Iterable[FloatTable], alone: Floats, clusters: Clusters, confidence: float
) -> tuple[Floats, Floats]:
    """Return clustered standard errors, and the effective sample sizes divided by n.

    For each cell, a table in ``slopes`` contains the change in one proportion per item added to
    that cell. ``alone`` holds the standard errors that independent items would have. The effective
    sample sizes also allow for the quantile that `root_quantile` returns.
    """
    variances = [float(clusters.products(slope.reshape(1, -1))[0, 0]) for slope in slopes]
    errors = np.array([math.nan if clusters.n_clusters < 2 else math.sqrt(v) for v in variances])
    wider = widening(errors, alone, clusters.n_clusters)
    wider = wider * root_quantile(confidence, clusters.n_clusters - 1)
    return errors, (normal_quantile((1 + confidence) / 2) / wider) ** 2


def wilson(successes: Floats, n: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return the limits of Wilson intervals for proportions, with NaN where n is 0."""
    z2 = normal_quantile((1 + confidence) / 2) ** 2
    failures = n - successes
    # The limits are the roots of (p - x / n)**2 = z**2 p (1 - p) / n. To avoid cancellation near 0
    # and 1, the upper limit is computed from the proportion of failures.
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(z2 * z2 / 4 + z2 * successes * failures / n)
        lower = successes * successes / n / (successes + z2 / 2 + root)
        upper = 1 - failures * failures / n / (failures + z2 / 2 + root)
    return np.asarray(lower), np.asarray(upper)


def _places(by: By, labels: AnyArray | None, n_labels: int) -> Floats:
    """Return the numbers to compare: the positions or the values of the labels."""
    check_choice("by", by, get_args(By))
    if by == "steps":
        return np.arange(n_labels, dtype=np.float64)
    if labels is None or len(labels) != n_labels or labels.dtype.kind not in "iuf":
        got = None if labels is None else labels[:5].tolist()
        raise ValueError(
            f"by='values' requires numeric labels, got {got}. For other labels, use by='steps'."
        )
    return labels.astype(np.float64)
