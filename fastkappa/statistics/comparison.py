"""Compare the kappas of two samples, given as tables or as results."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.formatting import (
    BOOTSTRAP_METHODS,
    count_text,
    figure,
    interval_text,
    p_text,
    p_value_text,
    printable,
)
from fastkappa.frame import frame_of_estimate
from fastkappa.results.report import NO_ENDS, Report, estimate_grid, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import decimals, estimate_text, p_rounded, versioned
from fastkappa.statistics.bootstrap import BootstrapResult
from fastkappa.statistics.distributions import t_two_sided_p
from fastkappa.statistics.inference import check_confidence, symmetric_interval, two_sided_p
from fastkappa.statistics.intervals.doubt import Wide, wide, wide_intervals
from fastkappa.statistics.intervals.methods import IntervalMethod, joint_freedom, root_quantile
from fastkappa.statistics.intervals.tested import Estimates, Together, difference_ends, linear
from fastkappa.statistics.strata import Stratum, check_comparable, stratum_of
from fastkappa.statistics.weights import Weights, weights_text

NAMES = ("first", "second")
# The interval, z and p-value if no test is possible.
UNTESTED = NO_ENDS, math.nan, math.nan
# If the correlation of two estimates is closer to 1 than this, their difference is treated as
# constant.
LEAST_APART = 1e-12
# The largest number of independent groups to compare in pairs. The 10 differences between 5 groups
# take 0.4 s.
MOST_INDEPENDENT = 5


@dataclass(frozen=True, eq=False, repr=False)
class KappaDifference(Result):
    """The difference between two kappas, the first minus the second.

    Attributes
    ----------
    value : float
        The difference.
    kappas : tuple of float
        The two kappas.
    standard_error : float
        The standard error of the difference.
    interval : tuple of float
        The confidence interval for the difference. It contains the differences that the test does
        not reject.
    z, p_value : float
        The z statistic and the two-sided p-value for the null hypothesis that the kappas are equal.
        The p-value is consistent with the interval. In an asymptotic test, z is the difference
        divided by its standard error.
    confidence : float
        The confidence level of the interval.
    bootstrap : BootstrapResult or None
        The bootstrap result for the difference, or None if no bootstrap was requested.
    names : tuple of str
        The names of the two samples or predictions.
    interval_methods : tuple of str
        The methods used to test the two kappas.
    doubt : str
        The reason why the interval and the test cannot be trusted, or an empty string if they can.
    weights : {'linear', 'quadratic'}, ndarray of shape (l, l) or None
        The disagreement weights of both kappas.
    n : int or None
        The number of items on which two sets of predictions are compared, or None if the samples
        are independent.
    n_dropped, n_outside : int
        The number of items left out because a rating is missing, and the number left out because a
        rating is not among the labels.
    n_clusters : int or None
        The number of clusters, or None if the items are not clustered.
    """

    value: float
    kappas: tuple[float, float]
    standard_error: float
    interval: tuple[float, float]
    z: float
    p_value: float
    confidence: float
    bootstrap: BootstrapResult | None = None
    names: tuple[str, str] = NAMES
    interval_methods: tuple[IntervalMethod, IntervalMethod] = ("asymptotic", "asymptotic")
    doubt: str = ""
    weights: Weights = None
    n: int | None = None
    n_dropped: int = 0
    n_outside: int = 0
    n_clusters: int | None = None
    _wide: Wide | None = None

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row for the difference.

        The columns are ``value``, ``standard_error``, ``lower``, ``upper``, ``z`` and ``p_value``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of_estimate(
            self.value, self.standard_error, self.interval, z=self.z, p_value=self.p_value
        )

    def sentence(self) -> str:
        """Return the difference as a sentence for a paper."""
        first, second = map(printable, self.names)
        one, two = (figure(kappa, digits=decimals(self.interval)) for kappa in self.kappas)
        methods = " and ".join(dict.fromkeys(self.interval_methods))
        how = f"{100 * self.confidence:g} % interval by {methods} tests"
        found = estimate_text(self.value, self.interval, how)
        left_out = self.n_dropped + self.n_outside
        without = f", with {left_out} left out" if left_out else ""
        return versioned(
            f"Kappa ({weights_text(self.weights)}) was {one} of {first} and {two} of {second}"
            f"{self._on_items()}{without}, a difference of {found}, {p_rounded(self.p_value)}"
        )

    def _report(self) -> Report:
        rows = [(f"kappa of {n}", k, math.nan, NO_ENDS) for n, k in zip(self.names, self.kappas)]
        rows.append(("difference", self.value, self.standard_error, self.interval))
        if self.bootstrap is not None:
            drawn = self.bootstrap
            method = f"  by the bootstrap, {BOOTSTRAP_METHODS[drawn.method]}"
            rows.append((method, drawn.value, drawn.standard_error, drawn.interval))
        test = [("z of no difference", self.z), ("p", p_value_text(self.p_value))]
        return Report(
            [f"Difference of two kappas{self._on_items()}, {weights_text(self.weights)}"],
            [estimate_grid(rows, self.confidence), facts(test)],
            list(self._remarks()),
            doubts=list(filter(None, [self.doubt])),
            notes=wide_intervals([("", self)]),
        )

    def _remarks(self) -> Iterator[str]:
        if self.n_dropped:
            yield f"{count_text(self.n_dropped, 'item')} left out because of a missing label"
        if self.n_outside:
            yield (
                f"{count_text(self.n_outside, 'item')} left out because the truth or a prediction"
                " is not among the labels"
            )

    def _on_items(self) -> str:
        if self.n is None:
            return ""
        clusters = ""
        if self.n_clusters is not None:
            clusters = f" in {count_text(self.n_clusters, 'cluster')}"
        return f" on {count_text(self.n, 'item')}{clusters}"

    def __repr__(self) -> str:
        found = estimate_text(self.value, self.interval, digits=4)
        return f"<KappaDifference: {found}, {p_text(self.p_value)}, {weights_text(self.weights)}>"


def compare_independent(
    first: Any,
    second: Any,
    *,
    weights: Weights = None,
    confidence: float = 0.95,
    interval_method: IntervalMethod | None = None,
) -> KappaDifference:
    """Compare the kappas of two independent samples.

    Parameters
    ----------
    first, second : array-like of shape (l, l), or AgreementResult
        The two samples, each given as a table of counts or as a result. Their labels can differ. If
        `agreement` was called with clusters, the test accounts for them. The samples must not share
        clusters. For samples that share clusters, use `agreement_by`.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights for tables of counts. They must be None if results are given, because
        results have their own weights.
    confidence : float, default=0.95
        The confidence level of the interval.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        The method used to test each kappa. If None, the kappa of a result is tested with the method
        of that result, and the kappa of a table with the default method of `agreement`. With
        'asymptotic', the interval is symmetric.

    Returns
    -------
    difference : KappaDifference
        The difference between the kappas, with the test that `compare_strata` performs. If a kappa
        is undefined, the difference, its interval and the test are NaN, and an
        ``UndefinedMetricWarning`` is issued. If the raters of a sample always agree, or if one of
        them uses only one label, the standard error of that sample's kappa is 0, although the true
        kappa is not known exactly. In this case, the standard error of the difference is NaN, as is
        the result of an asymptotic test, and an ``UndefinedMetricWarning`` is issued.

    Raises
    ------
    ValueError
        If a table does not contain whole counts, if the weights or reference distributions of the
        two samples differ, or if an argument is invalid.

    Examples
    --------
    >>> from fastkappa import compare_independent
    >>> winnipeg = [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]]
    >>> new_orleans = [[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]]
    >>> difference = compare_independent(winnipeg, new_orleans)
    >>> round(difference.value, 4), round(difference.z, 4), round(difference.p_value, 4)
    (-0.0886, -0.9493, 0.3424)
    """
    check_confidence(confidence)
    one, two = (
        stratum_of(name, table, weights, interval_method)
        for name, table in (("first", first), ("second", second))
    )
    check_comparable([first, second], weights)
    return difference_of_strata(one, two, confidence)


def difference_of_strata(
    one: Stratum,
    two: Stratum,
    confidence: float,
    covariance: FloatTable | None = None,
    names: tuple[str, str] = NAMES,
) -> KappaDifference:
    """Return the difference of two kappas, assumed independent unless ``covariance`` is given."""
    both = (one.value, two.value)
    value = difference_of("kappas", both)
    errors = np.array([one.error, two.error])
    without_error = " and in ".join(f"the {n} table" for n, e in zip(NAMES, errors) if not e > 0)
    obstacle = one.obstacle or two.obstacle
    if obstacle and not math.isnan(value):
        warnings.warn(
            f"the difference of the kappas cannot be tested: {obstacle} in {without_error}.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    correlation = 0.0
    if covariance is not None and covariance[0, 1]:
        correlation = float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))
    variance = float((errors**2).sum() - 2 * correlation * errors.prod())
    found = KappaDifference(
        value,
        both,
        math.nan if without_error else math.sqrt(max(variance, 0.0)),
        *UNTESTED,
        float(confidence),
        None,
        names,
        (one.method, two.method),
        one.doubt or two.doubt,
        one.weights,
    )
    if obstacle:
        return found
    freedoms = one.freedom, two.freedom
    freedom = joint_freedom(errors**2, freedoms) if covariance is None else max(freedoms)
    return with_test(found, one.tested(), two.tested(), correlation, freedom)


def differences_of_pairs(
    results: Mapping[str, Any], confidence: float, covariance: FloatTable | None = None
) -> list[KappaDifference]:
    """Return the difference of each pair of results, independent unless ``covariance`` is given.

    No warnings are issued, because they were issued when the results were computed.
    """
    strata = [stratum_of(name, result, None) for name, result in results.items()]
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", undefined_metric_warning())
        for (i, first), (j, second) in combinations(enumerate(results), 2):
            own = None if covariance is None else covariance[np.ix_((i, j), (i, j))]
            names = first, second
            found.append(difference_of_strata(strata[i], strata[j], confidence, own, names))
    return found


def with_test(
    found: KappaDifference, first: Estimates, second: Estimates, correlation: float, freedom: float
) -> KappaDifference:
    """Add the interval, z and p-value to a difference.

    If the two estimates always differ by the same amount, the interval contains only the difference
    itself, and the test is undefined.
    """
    if found.standard_error == 0 or correlation > 1 - LEAST_APART:
        return replace(found, interval=(found.value, found.value))
    quantile = root_quantile(found.confidence, freedom)
    ends = difference_ends(first, second, correlation, quantile)
    if first.errors.all() and second.errors.all():
        together = Together((first, second), np.array([[1.0, correlation], [correlation, 1.0]]))
        [value] = together.values_at(0.0)
        z = math.copysign(math.sqrt(max(together.at(value).statistic, 0.0)), found.value)
    else:
        # If an estimate has an asymptotic standard error of 0, as with perfect agreement, the two
        # estimates cannot be tested together.
        z = found.value / found.standard_error
    found = replace(found, interval=ends, z=z, p_value=t_two_sided_p(z, freedom))
    value, error = found.value, found.standard_error
    is_asymptotic = set(found.interval_methods) == {"asymptotic"}
    if found.weights is None or is_asymptotic or math.isnan(error):
        return found
    low, high = difference_ends(linear(first), linear(second), correlation, quantile)
    instead = interval_text(symmetric_interval(value, error, found.confidence))
    instead += f", {p_text(two_sided_p(value / error))}"
    return replace(found, _wide=wide("the difference", ends, high - low, instead))


def difference_of(what: str, both: tuple[float, float]) -> float:
    """Return the first value minus the second, and warn if either is undefined."""
    value = both[0] - both[1]
    if math.isnan(value):
        undefined = "the first" if math.isnan(both[0]) else "the second"
        warnings.warn(
            f"the {what} cannot be compared, because {undefined} is undefined.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    return value
