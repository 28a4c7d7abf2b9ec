"""Compare two coefficients computed on the same subjects. Raters, labels and weights may differ."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import count_text, figure, interval_text, p_text, p_value_text
from fastkappa.frame import frame_of_estimate
from fastkappa.multirater.counted_ratings import Counted, in_common_order
from fastkappa.multirater.multirater_result import MultiRaterResult
from fastkappa.multirater.statistics.coefficient import Coefficient, divisor_of
from fastkappa.results.report import NO_ENDS, NOT_ADJUSTED, Report, estimate_grid, facts, with_p
from fastkappa.results.result import Result
from fastkappa.results.sentence import decimals, estimate_text, p_rounded, versioned
from fastkappa.statistics import distributions
from fastkappa.statistics.clusters import Clusters, clusters_of, n_units, variance
from fastkappa.statistics.comparison import difference_of
from fastkappa.statistics.inference import (
    Distribution,
    check_confidence,
    degrees_of_freedom,
    symmetric_interval,
)
from fastkappa.statistics.spread import Influence


@dataclass(frozen=True, eq=False, repr=False)
class CoefficientDifference(Result):
    """The difference between two coefficients computed on the same subjects.

    Attributes
    ----------
    value : float
        The first coefficient minus the second.
    methods : tuple of str
        The names of the two coefficients.
    coefficients : tuple of float
        The values of the two coefficients.
    standard_error : float
        The standard error of the difference. It accounts for the fact that both coefficients are
        computed from the same subjects.
    interval : tuple of float
        The confidence interval for the difference, based on ``distribution``.
    z, p_value : float
        ``z`` is the difference divided by its standard error. ``p_value`` is the two-sided p-value
        for the null hypothesis that the difference is 0, based on ``distribution``.
    confidence : float
        The confidence level of the interval.
    distribution : {'t', 'normal'}
        The reference distribution for the interval and the test. It also determines the divisor of
        the variance; see `fleiss_kappa`.
    n_subjects : int
        The number of subjects used by at least one of the coefficients.
    n_clusters : int
        The number of clusters among the subjects used, or ``n_subjects`` if there are no clusters.
    n_used : tuple of int
        The number of subjects used by each coefficient.
    """

    value: float
    methods: tuple[str, str]
    coefficients: tuple[float, float]
    standard_error: float
    interval: tuple[float, float]
    z: float
    p_value: float
    confidence: float
    distribution: Distribution
    n_subjects: int
    n_clusters: int
    n_used: tuple[int, int]

    def to_frame(self) -> Any:
        """Return the difference as a pandas DataFrame with one row.

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
        first, second = self.methods
        one, two = (figure(one, digits=decimals(self.interval)) for one in self.coefficients)
        clusters = count_text(self.n_clusters, "cluster")
        inside = f" in {clusters}" if self.n_clusters < self.n_subjects else ""
        how = "t" if self.distribution == "t" else "asymptotic"
        found = estimate_text(
            self.value, self.interval, f"paired {100 * self.confidence:g} % {how} interval"
        )
        return versioned(
            f"{first} was {one} and {second} {two} on {self.items_text()}{inside}, a difference of"
            f" {found}, {p_rounded(self.p_value)}"
        )

    def items_text(self) -> str:
        """Return a phrase that states how many items the coefficients have in common."""
        n_common = sum(self.n_used) - self.n_subjects
        if n_common == self.n_subjects:
            return f"the same {count_text(n_common, 'item')}"
        return f"{self.n_used[0]} and {self.n_used[1]} items, {n_common} of them in common"

    def _report(self) -> Report:
        rows = [(n, value, math.nan, NO_ENDS) for n, value in zip(self.methods, self.coefficients)]
        rows.append(("difference", self.value, self.standard_error, self.interval))
        known: list[tuple[str, Any]] = [
            ("z of no difference", self.z),
            ("p", p_value_text(self.p_value)),
            ("subjects", self.n_subjects),
        ]
        if min(self.n_used) < self.n_subjects:
            known.append(("in common", sum(self.n_used) - self.n_subjects))
        if self.n_clusters < self.n_subjects:
            known.append(("clusters", self.n_clusters))
        return Report(
            ["Difference of two coefficients computed on the same subjects"],
            [estimate_grid(rows, self.confidence), facts(known)],
        )

    def __repr__(self) -> str:
        return (
            f"<CoefficientDifference: {figure(self.value)} ({interval_text(self.interval)}),"
            f" {p_text(self.p_value)}, {count_text(self.n_subjects, 'item')}>"
        )


def differences_report(differences: Mapping[str, CoefficientDifference]) -> Report:
    """Return a report with one row per named difference."""
    found = list(differences.values())
    rows = [(n, one.value, one.standard_error, one.interval) for n, one in differences.items()]
    above = "Paired differences"
    texts = {name: one.items_text() for name, one in differences.items()}
    below = [f"{name}: on {text}" for name, text in texts.items()]
    if len({*texts.values()}) == 1:
        below = []
        above += f", on {found[0].items_text()}"
    if len(found) > 1:
        below.append(NOT_ADJUSTED)
    grid = estimate_grid(rows, found[0].confidence, of=above)
    return Report([], [with_p(grid, (one.p_value for one in found))], below)


def compare_coefficients(
    first: MultiRaterResult, second: MultiRaterResult, *, confidence: float = 0.95
) -> CoefficientDifference:
    """Compare two coefficients computed on the same subjects.

    The subjects must be the same, but everything else can differ: the raters (doctors versus
    nurses, or all raters versus all but one), the labels (five grades versus the same grades merged
    into two), the weights, or the type of coefficient (kappa versus AC1).

    Parameters
    ----------
    first, second : MultiRaterResult
        Results of `fleiss_kappa`, `conger_kappa`, `light_kappa`, `randolph_kappa`, `gwet_ac1`,
        `gwet_ac2` or `krippendorff_alpha`, with the same ``distribution`` and, if there are
        clusters, the same clusters. Both results must be for the same subjects in the same order.
        For ratings in long form, the order does not matter, because items are matched by name. A
        subject that has no ratings in one result is still used in the other. For Cohen's kappa of
        two raters, use `conger_kappa`, which is equivalent, or `light_kappa` if the weights are not
        symmetric.
    confidence : float, default=0.95
        The confidence level of the interval.

    Returns
    -------
    difference : CoefficientDifference
        If a coefficient is undefined, the difference and its standard error, interval and p-value
        are NaN, and an ``UndefinedMetricWarning`` is issued.

    Raises
    ------
    TypeError
        If an argument is not the result of one of the functions listed above.
    ValueError
        If the results differ in the number of subjects, the clusters or the distribution, or have
        no items in common. An error is also raised if the order of the subjects is unknown, as it
        is for ratings read from a confusion matrix, or if an array of ratings was modified after
        the coefficient was computed.

    Notes
    -----
    In large samples, each coefficient is approximately a mean over subjects. A subject's
    contribution to this mean is called its influence. For each subject, the influence on the second
    coefficient is subtracted from the influence on the first. The variance of the difference
    between the coefficients is computed from these values. With clusters, the differences in
    influence are first summed within each cluster. The resulting test is the paired t-test of Gwet
    (2016). If two sets of predictions are compared with the same truth, ``conger_kappa`` with
    ``distribution='normal'`` gives the same standard error as `compare_predictions`, which uses the
    delta method.

    References
    ----------
    K. L. Gwet (2016). Testing the difference of correlated agreement coefficients for
    statistical significance. Educational and Psychological Measurement 76, 609-637.

    S. Vanbelle and A. Albert (2008). A bootstrap method for comparing correlated kappa
    coefficients. Journal of Statistical Computation and Simulation 78, 1009-1015.

    S. Vanbelle (2017). Comparing dependent kappa coefficients obtained on multilevel data.
    Biometrical Journal 59, 1016-1034.

    Examples
    --------
    >>> from fastkappa import compare_coefficients, conger_kappa, gwet_ac1
    >>> first = [[1, 1], [1, 1], [2, 1], [2, 2], [2, 2], [1, 1], [2, 2], [1, 1]]
    >>> second = [[1, 1], [2, 1], [2, 2], [1, 2], [2, 2], [1, 1], [1, 2], [1, 2]]
    >>> compare_coefficients(conger_kappa(first), conger_kappa(second))
    <CoefficientDifference: 0.6912 (-0.4304 to 1.8127), p = 0.19, 8 items>
    >>> difference = compare_coefficients(conger_kappa(first), gwet_ac1(first))
    >>> [round(value, 4) for value in difference.coefficients]
    [0.75, 0.7538]
    """
    check_confidence(confidence)
    for name, result in (("first", first), ("second", second)):
        if not isinstance(result, MultiRaterResult):
            raise TypeError(
                f"{name} must be a result of fleiss_kappa, conger_kappa or a similar function,"
                f" got {type(result).__name__}. For Cohen's kappa of two raters, use"
                " conger_kappa."
            )
        result.check_default_population("compare_coefficients")
    if first.distribution != second.distribution:
        raise ValueError(
            "first and second must use the same distribution, got"
            f" {first.distribution!r} and {second.distribution!r}: compute both coefficients with"
            " distribution='normal', or both with distribution='t'."
        )
    one, two = (_counted(name, part) for name, part in (("first", first), ("second", second)))
    of_one, of_two = one.places_in(first.coefficient), two.places_in(second.coefficient)
    of_one, of_two = in_common_order(one, of_one, two, of_two)
    in_clusters = one.clusters is not None
    joint = _joint_rows(of_one, of_two, len(second.coefficient.multiplicities), in_clusters)
    clusters = None
    if in_clusters:
        clusters = clusters_of(*one.count_by_cluster(joint.of_subjects, len(joint.counts)))
    value = difference_of("coefficients", (first.value, second.value))
    error = math.nan
    if not math.isnan(value):
        kinds = first.coefficient, second.coefficient
        error = paired_error(*kinds, joint, first.distribution, clusters)
    n = int(joint.counts.sum())
    units = n_units(n, clusters)
    if not math.isnan(value) and units == 1 < n:
        warnings.warn(
            "the standard error is undefined: all subjects are in one cluster.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    freedom = degrees_of_freedom(first.distribution, units)
    z = value / error if error > 0 else math.nan
    return CoefficientDifference(
        value,
        (first.method, second.method),
        (first.value, second.value),
        error,
        symmetric_interval(value, error, confidence, freedom),
        z,
        distributions.t_two_sided_p(z, freedom),
        float(confidence),
        first.distribution,
        n,
        int(units),
        (int(joint.counts[joint.first >= 0].sum()), int(joint.counts[joint.second >= 0].sum())),
    )


class JointRows(NamedTuple):
    """The distinct pairs of rows. A pair contains a subject's row in each of two results.

    Attributes
    ----------
    first, second : ndarray of int of shape (J,)
        The indices of the two rows, or -1 for a missing row. At most one of the two is missing.
    counts : ndarray of int of shape (J,)
        The number of subjects with this pair of rows.
    of_subjects : ndarray of int of shape (n_subjects,)
        The index of each subject's pair, or -1 for a subject without a pair. The array is empty if
        it was not requested.
    """

    first: AnyArray
    second: AnyArray
    counts: AnyArray
    of_subjects: AnyArray


def _counted(name: str, result: MultiRaterResult) -> Counted:
    if result.ratings is None:
        raise ValueError(
            f"{name} has no ratings. If the result was pickled or copied, compute the coefficient"
            " again. If it is Krippendorff's alpha of measurements, compute alpha from Ratings with"
            " at most 200 labels."
        )
    return result.ratings.counted


def _joint_rows(first: AnyArray, second: AnyArray, n_second: int, numbered: bool) -> JointRows:
    """Return the distinct pairs of row indices. Subjects that have neither row are ignored."""
    keys = first.astype(np.int64)
    keys += 1
    keys *= n_second + 1
    keys += second
    keys += 1
    found, counts = np.unique(keys, return_counts=True)
    if found[0] == 0:
        found, counts = found[1:], counts[1:]
    of_subjects = np.zeros(0, np.int64)
    if numbered:
        of_subjects = np.searchsorted(found, keys)
        of_subjects[keys == 0] = -1
    rows, columns = np.divmod(found, n_second + 1)
    return JointRows(rows - 1, columns - 1, counts, of_subjects)


def paired_error(
    first: Coefficient,
    second: Coefficient,
    joint: JointRows,
    distribution: Distribution,
    clusters: Clusters | None,
) -> float:
    """Return the standard error of the difference between two coefficients that are not NaN."""
    n = float(joint.counts.sum())
    divisor = divisor_of(n, distribution, clusters)
    if divisor < 1:
        return math.nan
    one, two = _centred(first, n), _centred(second, n)
    influence = Influence(
        one.values[joint.first] - two.values[joint.second],
        one.sizes[joint.first] + two.sizes[joint.second],
    )
    n_terms = max(first.n_terms(), second.n_terms())
    spread = variance(influence, joint.counts / n, n_terms, clusters)
    return math.sqrt(float(spread) / divisor)


def _centred(coefficient: Coefficient, n: float) -> Influence:
    """Return each row's influence on a coefficient that is treated as a mean over n subjects.

    The last entry, at index -1, is for subjects that the coefficient does not use.
    """
    multiplicities = coefficient.multiplicities
    proportions = multiplicities / multiplicities.sum()
    values, sizes = coefficient.influence()
    scale = n / float(multiplicities.sum())
    return Influence(
        np.append((values - proportions @ values) * scale, 0.0),
        np.append((sizes + proportions @ sizes) * scale, 0.0),
    )
