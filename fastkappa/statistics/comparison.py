"""Comparison of two kappas: of two samples, or of two predictions of the same truth.

Samples are tables, or results with their own weights.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.formatting import BOOTSTRAP_METHODS, figure, interval_text, p_value_text, printable
from fastkappa.frame import frame_of_estimate
from fastkappa.results.report import NO_ENDS, Report, estimate_grid, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import estimate_text, versioned
from fastkappa.statistics.bootstrap import (
    BootstrapResult,
    Method,
    bootstrap_counts,
    check_method,
)
from fastkappa.statistics.clusters import Clusters, are_joined
from fastkappa.statistics.inference import (
    Distribution,
    check_confidence,
    delta_error,
    kappa_gradient,
    proportions_of,
    standard_error,
    symmetric_interval,
    two_sided_p,
)
from fastkappa.statistics.intervals.methods import (
    IntervalMethod,
    choose_method,
    interval_of_difference,
    intervals,
)
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.spread import Influence
from fastkappa.statistics.strata import check_comparable, kappa_and_error
from fastkappa.statistics.tables import (
    as_counts,
    as_tables,
    refuse_fractions,
)
from fastkappa.statistics.weights import Weights


@dataclass(frozen=True, eq=False, repr=False)
class KappaDifference(Result):
    """The difference of two kappas, the first minus the second.

    Attributes
    ----------
    value : float
        The difference.
    kappas : tuple of float
        The two kappas.
    standard_error : float
        The standard error of the difference.
    interval : tuple of float
        Its interval.
    z, p_value : float
        The difference over its standard error, and the two-sided p-value of the test that
        there is no difference.
    confidence : float
        The confidence of the interval.
    bootstrap : BootstrapResult or None
        The bootstrap of the difference, if requested.
    names : tuple of str
        The names of what is compared: those of the predictions, if they have any.
    interval_methods : tuple of str
        How the intervals of the two kappas are made, from which the interval is.
    """

    value: float
    kappas: tuple[float, float]
    standard_error: float
    interval: tuple[float, float]
    z: float
    p_value: float
    confidence: float
    bootstrap: BootstrapResult | None = None
    names: tuple[str, str] = ("first", "second")
    interval_methods: tuple[IntervalMethod, IntervalMethod] = ("asymptotic", "asymptotic")

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row.

        Its columns are ``value``, ``standard_error``, ``lower``, ``upper``, ``z`` and
        ``p_value``, those of the difference.

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
        (first, second), (one, two) = map(printable, self.names), map(figure, self.kappas)
        methods = " and ".join(dict.fromkeys(self.interval_methods))
        found = estimate_text(
            self.value,
            self.interval,
            f"{100 * self.confidence:g} % interval by {methods} intervals",
        )
        return versioned(
            f"Kappa was {one} of {first} and {two} of {second}, a difference of {found}, p"
            f" {p_value_text(self.p_value, 2)}"
        )

    def _report(self) -> Report:
        rows = [(f"kappa of {n}", k, math.nan, NO_ENDS) for n, k in zip(self.names, self.kappas)]
        rows.append(("difference", self.value, self.standard_error, self.interval))
        if self.bootstrap is not None:
            drawn = self.bootstrap
            method = f"  by the bootstrap, {BOOTSTRAP_METHODS[drawn.method]}"
            rows.append((method, drawn.value, drawn.standard_error, drawn.interval))
        test = [("z of no difference", self.z), ("p", p_value_text(self.p_value, 2))]
        return Report(
            ["Difference of two kappas"], [estimate_grid(rows, self.confidence), facts(test)]
        )

    def __repr__(self) -> str:
        return (
            f"<KappaDifference: {figure(self.value)} ({interval_text(self.interval)}),"
            f" p {p_value_text(self.p_value, 2)}>"
        )


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
        Two tables of counts, or results. They need not have the same labels. A result brings
        its own standard error, by which the test is, by clusters if `agreement` was given these
        (the samples must not share clusters: `agreement_by` compares those that do); the test
        is by the normal distribution.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights of the tables; a result has its own.
    confidence : float, default=0.95
        The confidence of the interval.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        The interval of each kappa, from both of which that of the difference is made (Zou and
        Donner 2008); with 'asymptotic' it is the usual one, symmetric. None means for a
        result its own, and for a table what `agreement` takes by default.

    Returns
    -------
    difference : KappaDifference
        NaN, with an ``UndefinedMetricWarning``, where a kappa is undefined. The standard error
        and the test are NaN, with such a warning, where a standard error is 0, as with full
        agreement or where a rater uses one label only: that kappa is not known without error.
        The interval is then NaN if it is asymptotic.

    Raises
    ------
    ValueError
        If a table is not a table of counts, if results have different weights or
        distributions, or if another than the asymptotic interval is asked of clusters.

    Examples
    --------
    >>> from fastkappa import compare_independent
    >>> winnipeg = [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]]
    >>> new_orleans = [[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]]
    >>> difference = compare_independent(winnipeg, new_orleans)
    >>> round(difference.value, 4), round(difference.z, 4), round(difference.p_value, 4)
    (-0.0886, -0.9491, 0.3425)
    """
    check_confidence(confidence)
    kappa_1, error_1 = kappa_and_error("first", first, weights)
    kappa_2, error_2 = kappa_and_error("second", second, weights)
    check_comparable([first, second], weights)
    errors = {"the first table": error_1, "the second table": error_2}
    without_error = " and in ".join(name for name, error in errors.items() if not error > 0)
    if without_error and not math.isnan(kappa_1 - kappa_2):
        warnings.warn(
            f"the kappas cannot be tested: the standard error is 0 in {without_error}.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    error = math.nan if without_error else math.hypot(error_1, error_2)
    between = [
        _interval_of(table, weights, confidence, interval_method) for table in (first, second)
    ]
    methods, ends = _ends((kappa_1, kappa_2), error, between)
    return _difference((kappa_1, kappa_2), error, confidence, methods, ends)


def compare_paired(
    joint: ArrayLike,
    *,
    weights: Weights = None,
    n_resamples: int = 0,
    method: Method = "bca",
    confidence: float = 0.95,
    interval_method: IntervalMethod | None = None,
    rng: Any = None,
) -> KappaDifference:
    """Compare two predictions of the same truth, from their joint counts.

    Parameters
    ----------
    joint : array-like of shape (l, l, l)
        Cell (i, j, k) counts the items whose true label is i, for which the first
        prediction is j and the second is k.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights; rows are the truth.
    n_resamples : int, default=0
        The number of bootstrap replicates; 0 means no bootstrap.
    method : {'percentile', 'bca'}, default='bca'
        The kind of bootstrap interval.
    confidence : float, default=0.95
        The confidence of the interval.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        The interval of each kappa, from both of which that of the difference is made (Zou and
        Donner 2008); with 'asymptotic' it is the usual one, symmetric. None means for
        each kappa what `agreement` takes by default.
    rng : Generator, int or None, default=None
        The source of random numbers.

    Returns
    -------
    difference : KappaDifference
        The standard error is that of the delta method, which accounts for both kappas
        coming from the same items. NaN, with an ``UndefinedMetricWarning``, where a kappa
        is undefined.

    Raises
    ------
    ValueError
        If ``joint`` is not a cube of whole counts, or empty.

    Examples
    --------
    >>> from fastkappa import compare_paired
    >>> joint = [[[30, 6], [2, 2]], [[3, 9], [8, 40]]]
    >>> difference = compare_paired(joint)
    >>> [round(kappa, 4) for kappa in difference.kappas]
    [0.6774, 0.6091]
    >>> round(difference.value, 4), round(difference.standard_error, 4)
    (0.0684, 0.0989)
    """
    counts = _joint_counts(joint)
    every = np.arange(len(counts))
    return compare_joint(
        counts,
        (every, every),
        weights=weights,
        confidence=confidence,
        n_resamples=n_resamples,
        method=method,
        rng=rng,
        interval_method=interval_method,
    )


def compare_joint(
    counts: AnyArray,
    own: tuple[AnyArray, AnyArray],
    *,
    weights: Weights,
    confidence: float,
    n_resamples: int,
    method: Method,
    rng: Any,
    interval_method: IntervalMethod | None = None,
    clusters: Clusters | None = None,
) -> KappaDifference:
    """Compare two predictions from checked joint counts.

    ``own`` are the positions of the labels of each kappa: those of the truth and of its own
    prediction, or all. Others do not occur in it, and would stretch the distances by which
    named weights go. ``clusters`` are those of the items.
    """
    check_confidence(confidence)
    check_method(method)
    cells = [np.ix_(labels, labels) for labels in own]

    def pairs(cubes: AnyArray) -> tuple[AnyArray, AnyArray]:
        return cubes.sum(axis=-1)[(..., *cells[0])], cubes.sum(axis=-2)[(..., *cells[1])]

    first, second = pairs(counts)
    both = (float(kappas(first, weights)), float(kappas(second, weights)))
    n, proportions = proportions_of(counts.reshape(1, -1))
    values, sizes = np.zeros((2, 2, *counts.shape[:2]))
    for i, (place, table) in enumerate(zip(cells, (first, second))):
        values[i][place], sizes[i][place] = kappa_gradient(table, weights)
    slope = Influence(
        values[0][:, :, None] - values[1][:, None, :],
        sizes[0][:, :, None] + sizes[1][:, None, :],
    )
    error = float(delta_error(proportions, slope.reshape(1, -1), n, clusters))
    if clusters is not None and clusters.n_clusters == 1 < n:
        warnings.warn(
            "the kappas cannot be compared: all items are in one cluster.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    drawn = None
    if n_resamples:

        def difference(tables: AnyArray) -> Any:
            first, second = pairs(tables)
            return kappas(first, weights) - kappas(second, weights)

        drawn = bootstrap_counts(counts, difference, n_resamples, method, confidence, rng, clusters)
    if are_joined(clusters):
        ends = symmetric_interval(both[0] - both[1], error, confidence)
        return _difference(both, error, confidence, ("asymptotic", "asymptotic"), ends, drawn)
    errors = [float(standard_error(table, weights)) for table in (first, second)]
    product = errors[0] * errors[1]
    shared = (errors[0] ** 2 + errors[1] ** 2 - error**2) / (2 * product) if product > 0 else 0.0
    between = [
        _interval_of(table, weights, confidence, interval_method) for table in (first, second)
    ]
    methods, ends = _ends(both, error, between, shared)
    return _difference(both, error, confidence, methods, ends, drawn)


def _ends(
    both: tuple[float, float],
    error: float,
    between: list[tuple[IntervalMethod, tuple[float, float]]],
    correlation: float = 0.0,
) -> tuple[tuple[IntervalMethod, IntervalMethod], tuple[float, float]]:
    """Return how the intervals of both kappas are made, and that of their difference."""
    (method, first), (other, second) = between
    unknown = math.isnan(error) and "asymptotic" in (method, other)
    if unknown or math.isnan(both[0] - both[1]):
        return (method, other), (math.nan, math.nan)
    return (method, other), interval_of_difference(both, first, second, correlation)


def _difference(
    both: tuple[float, float],
    error: float,
    confidence: float,
    methods: tuple[IntervalMethod, IntervalMethod],
    ends: tuple[float, float],
    bootstrap: BootstrapResult | None = None,
) -> KappaDifference:
    value = difference_of("kappas", both)
    z = value / error if error > 0 else math.nan
    return KappaDifference(
        value,
        both,
        error,
        ends,
        z,
        two_sided_p(z),
        float(confidence),
        bootstrap,
        interval_methods=methods,
    )


def difference_of(what: str, both: tuple[float, float]) -> float:
    """Return the first value minus the second, and warn if one of them is undefined."""
    value = both[0] - both[1]
    if math.isnan(value):
        undefined = "the first" if math.isnan(both[0]) else "the second"
        warnings.warn(
            f"the {what} cannot be compared: {undefined} is undefined.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    return value


def _interval_of(
    table: Any, weights: Weights, confidence: float, method: IntervalMethod | None
) -> tuple[IntervalMethod, tuple[float, float]]:
    """Return how the interval of a table's, or result's, kappa is made, and the interval."""
    counts = as_counts(getattr(table, "table", table))
    distribution: Distribution = getattr(table, "distribution", "normal")
    if method is None:
        method = getattr(table, "interval_method", None)
    chosen = choose_method(method, counts, distribution)
    if are_joined(getattr(table, "clusters", None)):
        if chosen == "asymptotic":
            return chosen, symmetric_interval(table.kappa, table.standard_error, confidence)
        return chosen, replace(table, confidence=confidence, interval_method=chosen).interval
    given = getattr(table, "weights", weights)
    # The interval of a difference is by the normal distribution.
    low, high = intervals(chosen, counts[None], given, confidence)
    return chosen, (float(low[0]), float(high[0]))


def _joint_counts(joint: ArrayLike) -> AnyArray:
    # A cube passes the checks of a stack of tables.
    counts = as_tables(
        joint, "joint", "compare_predictions(first, second, y_true=...) takes three columns."
    )
    if counts.ndim != 3 or len(set(counts.shape)) != 1:
        raise ValueError(f"joint must have the shape (l, l, l), got {counts.shape}.")
    refuse_fractions(counts, "joint")
    if not counts.any():
        raise ValueError("joint must not be empty: all its counts are 0.")
    return counts.astype(np.int64)
