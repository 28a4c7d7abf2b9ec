"""Compare the kappas of two samples, or of two predictions of the same truth.

Samples are given as tables, or as results with their own weights.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.formatting import BOOTSTRAP_METHODS, figure, p_text, p_value_text, printable
from fastkappa.frame import frame_of_estimate
from fastkappa.results.report import NO_ENDS, Report, estimate_grid, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import estimate_text, versioned
from fastkappa.statistics.bootstrap import BootstrapResult, Method, bootstrap_counts, check_method
from fastkappa.statistics.clusters import Clusters, are_joined
from fastkappa.statistics.distributions import t_two_sided_p
from fastkappa.statistics.inference import (
    check_confidence,
    delta_error,
    kappa_gradient,
    proportions_of,
    standard_error,
)
from fastkappa.statistics.intervals.doubt import doubt_of_table
from fastkappa.statistics.intervals.methods import (
    IntervalMethod,
    choose_method,
    joint_freedom,
    root_quantile,
    widening,
)
from fastkappa.statistics.intervals.tested import (
    Estimates,
    Together,
    difference_ends,
    kappas_tested,
)
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.spread import Influence
from fastkappa.statistics.strata import Stratum, check_comparable, stratum_of
from fastkappa.statistics.tables import as_tables, refuse_fractions
from fastkappa.statistics.weights import Weights, as_weights, weights_text

NAMES = ("first", "second")
# The interval, z and p-value if there is no test.
UNTESTED = NO_ENDS, math.nan, math.nan
# If a correlation is closer to 1 than this, the estimates are treated as equal.
LEAST_APART = 1e-12


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
        The interval of differences that the test does not reject.
    z, p_value : float
        The z statistic of the test of no difference, and its two-sided p-value, which is consistent
        with the interval. In an asymptotic test, z is the difference divided by its standard error.
    confidence : float
        The confidence level of the interval.
    bootstrap : BootstrapResult or None
        The bootstrap of the difference, if requested.
    names : tuple of str
        The names of the two samples or predictions.
    interval_methods : tuple of str
        The test methods of the two kappas.
    doubt : str
        The reason why the interval and the test cannot be trusted, or an empty text if they can.
    weights : {'linear', 'quadratic'}, ndarray of shape (l, l) or None
        The disagreement weights of both kappas.
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
        (first, second), (one, two) = map(printable, self.names), map(figure, self.kappas)
        methods = " and ".join(dict.fromkeys(self.interval_methods))
        how = f"{100 * self.confidence:g} % interval by {methods} tests"
        found = estimate_text(self.value, self.interval, how)
        return versioned(
            f"Kappa ({weights_text(self.weights)}) was {one} of {first} and {two} of {second},"
            f" a difference of {found}, {p_text(self.p_value)}"
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
            [f"Difference of two kappas, {weights_text(self.weights)}"],
            [estimate_grid(rows, self.confidence), facts(test)],
            [self.doubt] if self.doubt else [],
        )

    def __repr__(self) -> str:
        found = estimate_text(self.value, self.interval)
        return f"<KappaDifference: {found}, {p_text(self.p_value)}>"


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
        Two tables of counts, or results, whose labels may differ. A result is tested by its own
        method, which accounts for clusters if `agreement` was given clusters. The samples must not
        share clusters. If they do, use `agreement_by`.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights for tables. Results have their own weights.
    confidence : float, default=0.95
        The confidence level of the interval.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        How each kappa is tested. None means the method of the result, or the default of `agreement`
        for a table. With 'asymptotic', the interval is symmetric.

    Returns
    -------
    difference : KappaDifference
        The test is that of `compare_strata`. If a kappa is undefined, all numbers are NaN, and an
        ``UndefinedMetricWarning`` is issued. With full agreement, or if a rater uses only one
        label, the standard error of a kappa is 0, although kappa is not known exactly. The standard
        error of the difference and an asymptotic test are then NaN, with the same warning.

    Raises
    ------
    ValueError
        If a table is not a table of counts, or if results have different weights or distributions.

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
    """Return the difference of two kappas, which are independent unless ``covariance`` is given."""
    both = (one.value, two.value)
    value = difference_of("kappas", both)
    errors = np.array([one.error, two.error])
    without_error = " and in ".join(f"the {n} table" for n, e in zip(NAMES, errors) if not e > 0)
    obstacle = one.obstacle or two.obstacle
    if obstacle and not math.isnan(value):
        warnings.warn(
            f"the kappas cannot be tested: {obstacle} in {without_error}.",
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
    return _with_test(found, one.alone(), two.alone(), correlation, freedom)


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
    """Compare the kappas of two predictions of the same truth, from their joint counts.

    Parameters
    ----------
    joint : array-like of shape (l, l, l)
        Cell (i, j, k) is the number of items with true label i, first prediction j and second
        prediction k.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. The rows of a matrix correspond to the true labels.
    n_resamples : int, default=0
        The number of bootstrap replicates; 0 means no bootstrap.
    method : {'percentile', 'bca'}, default='bca'
        The kind of bootstrap interval.
    confidence : float, default=0.95
        The confidence level of the interval.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        How each kappa is tested. With 'asymptotic', the interval is symmetric. None means the
        default of `agreement` for each kappa.
    rng : Generator, int or None, default=None
        The random number generator, or a seed.

    Returns
    -------
    difference : KappaDifference
        The standard error is computed by the delta method, which takes into account that both
        kappas are computed from the same items. If a kappa is undefined, all values are NaN and an
        ``UndefinedMetricWarning`` is issued.

    Raises
    ------
    ValueError
        If ``joint`` is empty or not a cube of whole counts.

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
    """Compare two predictions from validated joint counts.

    For each kappa, ``own`` contains the positions of its labels: the labels used by the truth or by
    the prediction, or all labels. Unused labels would increase the distances between positions and
    thus change named weights. ``clusters`` are the clusters of the items.
    """
    check_confidence(confidence)
    check_method(method)
    cells = [np.ix_(labels, labels) for labels in own]

    def pairs(cubes: AnyArray) -> tuple[AnyArray, AnyArray]:
        return cubes.sum(axis=-1)[(..., *cells[0])], cubes.sum(axis=-2)[(..., *cells[1])]

    first, second = pairs(counts)
    both = (float(kappas(first, weights)), float(kappas(second, weights)))
    n, proportions = proportions_of(counts.reshape(1, -1))
    values, sizes = np.zeros((2, 3, *counts.shape))
    for i, (place, table) in enumerate(zip(cells, (first, second))):
        slopes = np.zeros((2, *counts.shape[:2]))
        slopes[0][place], slopes[1][place] = kappa_gradient(table, weights)
        # The kappa of a prediction does not depend on the other prediction, so the axis of the
        # other prediction has length 1.
        values[i], sizes[i] = np.expand_dims(slopes, 3 - i)
    values[2], sizes[2] = values[0] - values[1], sizes[0] + sizes[1]
    slope = Influence(values, sizes).reshape(3, 1, -1)
    errors = delta_error(np.broadcast_to(proportions, slope.values.shape), slope, n, clusters)
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
    one, two = (choose_method(interval_method, table) for table in (first, second))
    found = KappaDifference(
        difference_of("kappas", both),
        both,
        float(errors[2]),
        *UNTESTED,
        float(confidence),
        drawn,
        NAMES,
        (one, two),
        doubt_of_table(first) or doubt_of_table(second),
        as_weights(weights, len(counts)),
    )
    if math.isnan(found.value) or math.isnan(found.standard_error):
        return found
    by_score = are_joined(clusters) and "asymptotic" not in (one, two)
    freedom = clusters.n_clusters - 1 if clusters is not None and by_score else math.inf

    def tested(chosen: IntervalMethod, table: AnyArray, error: FloatTable) -> Estimates:
        widened = np.ones(1)
        if are_joined(clusters):
            alone = standard_error(table[None], weights)
            widened = widening(error, alone, clusters.n_clusters)
        return kappas_tested(chosen, table[None], weights, error, widened)

    return _with_test(
        found,
        tested(one, first, errors[:1]),
        tested(two, second, errors[1:2]),
        _correlation_of(errors),
        freedom,
    )


def _correlation_of(errors: FloatTable) -> float:
    """Return the correlation of two estimates, given their errors and that of their difference."""
    one, two, apart = errors.tolist()
    product = one * two
    return (one * one + two * two - apart * apart) / (2 * product) if product > 0 else 0.0


def _with_test(
    found: KappaDifference, first: Estimates, second: Estimates, correlation: float, freedom: float
) -> KappaDifference:
    """Return a difference with its interval, z and p-value.

    If both estimates are always equal, the standard error is 0 and the test is undefined.
    """
    if found.standard_error == 0 or correlation > 1 - LEAST_APART:
        return replace(found, interval=(found.value, found.value))
    quantile = root_quantile(found.confidence, freedom)
    ends = difference_ends(first, second, correlation, quantile)
    together = Together((first, second), np.array([[1.0, correlation], [correlation, 1.0]]))
    [value] = together.values_at(0.0)
    z = math.copysign(math.sqrt(max(together.at(value).statistic, 0.0)), found.value)
    return replace(found, interval=ends, z=z, p_value=t_two_sided_p(z, freedom))


def difference_of(what: str, both: tuple[float, float]) -> float:
    """Return the first value minus the second, and warn if either is undefined."""
    value = both[0] - both[1]
    if math.isnan(value):
        undefined = "the first" if math.isnan(both[0]) else "the second"
        warnings.warn(
            f"the {what} cannot be compared: {undefined} is undefined.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    return value


def _joint_counts(joint: ArrayLike) -> AnyArray:
    # A cube of counts has the shape of a stack of tables, and is checked in the same way.
    counts = as_tables(
        joint, "joint", "For three columns, use compare_predictions(first, second, y_true=...)."
    )
    if counts.ndim != 3 or len(set(counts.shape)) != 1:
        raise ValueError(f"joint must have the shape (l, l, l), got {counts.shape}.")
    refuse_fractions(counts, "joint")
    if not counts.any():
        raise ValueError("joint must not be empty: all its counts are 0.")
    return counts.astype(np.int64)
