"""Define the result class for two raters, which computes each statistic on first use."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.formatting import label_text, plain
from fastkappa.frame import data_frame
from fastkappa.results.report import RATERS, Report
from fastkappa.results.result import Result
from fastkappa.statistics import indices, inference
from fastkappa.statistics.clusters import Clusters, are_joined, correction, n_units
from fastkappa.statistics.indices import Estimate
from fastkappa.statistics.intervals.doubt import doubt_of_table
from fastkappa.statistics.intervals.inverted import inverted_test
from fastkappa.statistics.intervals.methods import IntervalMethod, root_quantile, widening
from fastkappa.statistics.intervals.rao import Alternative, NullTest, null_test, p_value
from fastkappa.statistics.intervals.tested import Estimates, kappas_tested
from fastkappa.statistics.kappa import expected_agreement, kappas, observed_agreement
from fastkappa.statistics.scales import Interpretation, ScaleName, interpret
from fastkappa.statistics.weights import Weights
from fastkappa.two_raters.agreement_report import IN_DICTIONARY, report_of, repr_of, sentence_of
from fastkappa.two_raters.margin_tests import MarginTests
from fastkappa.two_raters.statistics import proportions


@dataclass(frozen=True, eq=False, repr=False)
class AgreementResult(Result):
    """The confusion matrix of two raters, with all agreement statistics.

    `agreement` and `agreement_from_confusion` return this result, which is immutable. Printing it
    shows a report, and notebooks show HTML tables. Every statistic is a property that is computed
    when it is first accessed. An undefined statistic is NaN.

    Attributes
    ----------
    table : ndarray of shape (l, l)
        Counts of items. Rows correspond to the first rater's labels. All arrays are read-only.
    labels : ndarray of shape (l,)
        The labels of rows and columns.
    weights : {'linear', 'quadratic'}, ndarray of shape (l, l) or None
        The disagreement weights. The weighted observed agreement and the weighted expected
        agreement are computed with the agreement weights ``1 - weights / weights.max()``.
    confidence : float
        The confidence level of the intervals.
    missing : tuple of int
        The number of missing ratings for the first and second raters.
    n_dropped : int
        The number of items left out because a rating, group or cluster is missing.
    n_outside : int
        The number of items left out because a rating is not among the labels.
    distribution : {'normal', 't'}
        The reference distribution used for intervals; see `agreement`.
    raters : tuple of str
        The raters' names in reports and plots, taken from named input Series or DataFrame axes.
    interval_method : {'asymptotic', 'score', 'profile'}
        The method used for the confidence intervals of the overall kappa and the per-label kappas.
        An asymptotic interval can extend beyond 1.
    null_kappa : float
        The value of kappa under the null hypothesis.
    alternative : {'two-sided', 'greater', 'less'}
        The alternative hypothesis for ``p_value``.
    clusters : Clusters or None
        The clusters of the items, if given. All standard errors treat clusters as independent.
    missing_clusters : int
        The number of items whose cluster is missing.
    is_weighted : bool
        True if ``n`` is a sum of item weights. If so, numbers of items left out count rows.
    """

    table: AnyArray
    labels: AnyArray
    weights: Weights = None
    confidence: float = 0.95
    missing: tuple[int, int] = (0, 0)
    n_dropped: int = 0
    n_outside: int = 0
    distribution: inference.Distribution = "normal"
    raters: tuple[str, str] = RATERS
    interval_method: IntervalMethod = "asymptotic"
    null_kappa: float = 0.0
    alternative: Alternative = "two-sided"
    clusters: Clusters | None = None
    missing_clusters: int = 0
    is_weighted: bool = False

    @cached_property
    def n(self) -> int:
        """The number of items in the table."""
        return int(self.table.sum())

    @property
    def n_clusters(self) -> int:
        """The number of clusters with items in the table, or ``n`` if no clusters were given."""
        return int(n_units(self.n, self.clusters))

    @cached_property
    def design_effect(self) -> float:
        """The variance of kappa, divided by its variance for independent items."""
        if not self._in_clusters:
            return 1.0
        alone = float(inference.standard_error(self.table, self.weights))
        return (self.standard_error / self._scale / alone) ** 2 if alone else math.nan

    @cached_property
    def kappa(self) -> float:
        """Cohen's kappa, computed with ``weights``."""
        return float(kappas(self.table, self.weights))

    @cached_property
    def standard_error(self) -> float:
        """The standard error of kappa (Fleiss, Cohen and Everitt 1969), used for intervals.

        If clusters were given, all standard errors follow Yang and Zhou (2014, 2015).
        """
        found = inference.standard_error(self.table, self.weights, self.clusters)
        return float(found) * self._scale

    @property
    def null_standard_error(self) -> float:
        """The standard error of kappa under the null hypothesis, as described in `agreement`.

        It is NaN if clusters were given, because its formula assumes independent items.
        """
        return math.nan if self._in_clusters else float(self._null_test.standard_error[0])

    @cached_property
    def textbook_standard_error(self) -> float:
        """The standard error given in many textbooks, ``sqrt(p_o (1 - p_o) / n) / (1 - p_e)``.

        It is NaN if clusters were given, because its formula assumes independent items.
        """
        found = inference.textbook_standard_error(self.table, self.weights)
        return math.nan if self._in_clusters else float(found)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The confidence interval for kappa, computed with ``interval_method``."""
        own = self.table[None], self.weights, [self.kappa], [self.standard_error]
        return self._intervals(*own)[0]

    @property
    def doubt(self) -> str:
        """Why intervals and tests are unreliable, or an empty string if they are reliable."""
        return doubt_of_table(self.table, self.labels)

    @property
    def z(self) -> float:
        """The z statistic for testing ``null_kappa``.

        If clusters were given and the design effect is above 1, z is divided by the square root of
        the design effect. The z statistic is NaN if all items are in one cluster, or if no table
        whose kappa is ``null_kappa`` can be found. For example, no such table is found if the
        raters agree and ``null_kappa`` is close to -1.
        """
        widened = self._widening(self.table[None], self.weights, [self.standard_error])
        z = float(self._null_test.z[0] / widened[0])
        return z if math.isfinite(z) and self.n_clusters > 1 else math.nan

    @property
    def p_value(self) -> float:
        """The p-value for ``alternative``, based on Student's t if clusters were given."""
        return p_value(self.z, self.alternative, self.freedom)

    @property
    def tested(self) -> Estimates:
        """Tests of hypothesized values of kappa, computed with ``interval_method``."""
        own, errors = (self.table[None], self.weights), [self.standard_error]
        widened = self._widening(*own, errors)
        return kappas_tested(self.interval_method, *own, np.array(errors), widened)

    @cached_property
    def _null_test(self) -> NullTest:
        return null_test(self.table[None], self.weights, self.null_kappa, np.array([self.kappa]))

    @cached_property
    def observed_agreement(self) -> float:
        """The observed agreement p_o: the proportion of items with equal ratings."""
        return observed_agreement(self.table)

    @cached_property
    def expected_agreement(self) -> float:
        """The unweighted agreement p_e that is expected by chance."""
        return expected_agreement(self.table)

    @cached_property
    def weighted_observed_agreement(self) -> float:
        """The observed agreement, weighted with ``weights``."""
        return float(indices.weighted_observed_agreement(self.table, self.weights))

    @cached_property
    def weighted_expected_agreement(self) -> float:
        """The agreement expected by chance, weighted with ``weights``."""
        return float(indices.chance_agreement(self.table, self.weights))

    @cached_property
    def kappa_max(self) -> float:
        """The largest kappa that the raters' margins allow, computed with ``weights``."""
        return float(indices.kappa_max(self.table, self.weights))

    @property
    def scott_pi(self) -> float:
        """Scott's pi, computed with ``weights``."""
        return self._value("scott_pi")

    @property
    def krippendorff_alpha(self) -> float:
        """Krippendorff's alpha, computed with ``weights``. Interval data need quadratic weights."""
        return self._value("krippendorff_alpha")

    @property
    def bennett_s(self) -> float:
        """Bennett's S, computed without weights. For two labels, it is 2 p_o - 1."""
        return self._value("bennett_s")

    @property
    def pabak(self) -> float:
        """The prevalence-adjusted bias-adjusted kappa (PABAK), which equals Bennett's S."""
        return self._value("bennett_s")

    @property
    def brennan_prediger(self) -> float:
        """The Brennan-Prediger coefficient, computed with ``weights``."""
        return self._value("brennan_prediger")

    @property
    def gwet_ac1(self) -> float:
        """Gwet's AC1, computed without weights."""
        return self._value("gwet_ac1")

    @property
    def gwet_ac2(self) -> float:
        """Gwet's AC2, computed with ``weights``, or AC1 if ``weights`` is None."""
        return self._value("gwet_ac2")

    @cached_property
    def bangdiwala_b(self) -> float:
        """Bangdiwala's B, computed without weights."""
        return float(indices.bangdiwala_b(self.table))

    @cached_property
    def prevalence_index(self) -> float:
        """The prevalence index (table[0, 0] - table[1, 1]) / n for two labels, otherwise NaN."""
        return float(indices.prevalence_index(self.table))

    @cached_property
    def bias_index(self) -> float:
        """The bias index (table[0, 1] - table[1, 0]) / n for two labels, otherwise NaN."""
        return float(indices.bias_index(self.table))

    @cached_property
    def category_kappas(self) -> FloatTable:
        """The kappa of each label against all other labels, as an array of shape (l,)."""
        return _read_only(indices.category_kappas(self.table))

    @cached_property
    def category_standard_errors(self) -> FloatTable:
        """The standard errors of ``category_kappas``, as an array of shape (l,)."""
        found = indices.category_standard_errors(self.table, self.clusters)
        return _read_only(found * self._scale)

    @cached_property
    def specific_agreement(self) -> proportions.SpecificAgreement:
        """The agreement on each label: negative and positive agreement if there are two labels."""
        own = self.table, self.confidence, self.labels, self.clusters
        return proportions.specific_agreement(*own)

    @cached_property
    def margins(self) -> MarginTests:
        """Tests of equal margins and of symmetry (Stuart-Maxwell, Bowker, McNemar)."""
        return MarginTests.of(self.table, self.labels, self.clusters)

    def agreement_within(
        self, tolerance: float, *, by: proportions.By = "steps"
    ) -> proportions.Proportion:
        """Return the proportion of items whose two ratings differ by at most ``tolerance``."""
        given: Any = {"labels": self.labels, "confidence": self.confidence}
        return proportions.agreement_within(
            self.table, tolerance, by=by, clusters=self.clusters, **given
        )

    @cached_property
    def expected_table(self) -> FloatTable:
        """The counts expected by chance, given the margins, as an array of shape (l, l)."""
        counts = self.table.astype(np.float64)
        return _read_only(np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum())

    @property
    def estimates(self) -> dict[str, Estimate]:
        """A dictionary with the value and standard error of each index. Undefined values are NaN.

        Indices that depend on weights use the weights of this result.
        """
        observed = indices.percent_agreement(self.table, None, self.clusters)
        return {
            "kappa": Estimate(self.kappa, self.standard_error),
            "observed_agreement": self._scaled(observed),
            **self._indices,
            "bangdiwala_b": Estimate(self.bangdiwala_b, math.nan),
        }

    @cached_property
    def _indices(self) -> dict[str, Estimate]:
        given, alike = (self.table, self.weights, self.clusters), (self.table, None, self.clusters)
        pi = indices.scott_pi(*given)
        s, ac1 = indices.brennan_prediger(*alike), indices.gwet_ac2(*alike)
        without = self.weights is None
        found = {
            "scott_pi": pi,
            "krippendorff_alpha": indices.alpha_from_pi(pi, np.float64(self.n)),
            "bennett_s": s,
            "brennan_prediger": s if without else indices.brennan_prediger(*given),
            "gwet_ac1": ac1,
            "gwet_ac2": ac1 if without else indices.gwet_ac2(*given),
        }
        return {name: self._scaled(estimate) for name, estimate in found.items()}

    @cached_property
    def _scale(self) -> float:
        """The factor that adapts standard errors with divisor n to ``distribution``."""
        if self.distribution == "normal":
            return 1.0
        return math.sqrt(correction(self.n, self.clusters))

    @property
    def _in_clusters(self) -> bool:
        """Whether any cluster has more than one item. Clusters of one item have no effect."""
        return are_joined(self.clusters)

    @property
    def freedom(self) -> float:
        """The degrees of freedom of score tests: ``n_clusters - 1`` (infinity without clusters)."""
        return self.n_clusters - 1 if self._in_clusters else math.inf

    def _scaled(self, estimate: Estimate) -> Estimate:
        return Estimate(estimate.value, estimate.standard_error * self._scale)

    def _intervals(
        self, tables: AnyArray, weights: Weights, kappas: list[float], errors: list[float]
    ) -> list[tuple[float, float]]:
        """Return the kappa interval of each table, computed by ``interval_method``."""
        if self.interval_method == "asymptotic":
            return [self._interval(kappa, error) for kappa, error in zip(kappas, errors)]
        widened = self._widening(tables, weights, errors)
        widened *= root_quantile(self.confidence, self.freedom)
        low, high = inverted_test(self.interval_method, tables, weights, self.confidence, widened)
        return list(zip(low.tolist(), high.tolist()))

    def _widening(self, tables: AnyArray, weights: Weights, errors: list[float]) -> FloatTable:
        """Return, for each table, the divisor of the square root of the test statistic."""
        if not self._in_clusters:
            return np.ones(len(tables))
        alone = inference.standard_error(tables, weights)
        return widening(np.array(errors) / self._scale, alone, self.n_clusters)

    def _interval(self, value: float, error: float) -> tuple[float, float]:
        freedom = inference.degrees_of_freedom(self.distribution, self.n_clusters)
        return inference.symmetric_interval(value, error, self.confidence, freedom)

    def _value(self, name: str) -> float:
        return float(self._indices[name].value)

    def interpret(self, scale: ScaleName) -> Interpretation:
        """Interpret kappa with a published scale, taking its uncertainty into account.

        Parameters
        ----------
        scale : {'cohen', 'landis-koch', 'mchugh', 'fleiss', 'altman', 'cicchetti'}
            The scale. Scales are conventions: always name the scale you use.

        Returns
        -------
        interpretation : Interpretation
            The band that contains kappa, the proportion of the confidence distribution in each
            band, and the highest band that kappa reaches or exceeds at the result's confidence
            level.

        Examples
        --------
        >>> from fastkappa import agreement_from_confusion
        >>> reading = agreement_from_confusion([[20, 20], [10, 50]]).interpret("landis-koch")
        >>> reading.reading, reading.confident_reading
        ('fair', 'slight')
        >>> round(reading.proportions["moderate"], 3)
        0.287
        """
        return interpret(
            self.kappa, lambda c: replace(self, confidence=c).interval, scale, self.confidence
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all statistics as a dictionary of Python numbers, strings and lists.

        Undefined statistics are None.
        """
        figures = {name: getattr(self, name) for name in IN_DICTIONARY}
        figures |= {name: float(estimate.value) for name, estimate in self._indices.items()}
        figures["specific_agreement"] = self.specific_agreement.values
        figures["standard_errors"] = {
            name: float(estimate.standard_error) for name, estimate in self.estimates.items()
        }
        return {name: plain(figure) for name, figure in figures.items()}

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with the overall indices and the statistics of each label.

        The columns are ``value``, ``standard_error``, ``lower`` and ``upper``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        names, values, errors, intervals = zip(*self.rows())
        lower, upper = zip(*intervals)
        columns = {"value": values, "standard_error": errors, "lower": lower, "upper": upper}
        return data_frame(columns, ("index", list(names)))

    def rows(self) -> list[tuple[str, float, float, tuple[float, float]]]:
        """Return one tuple per statistic: its name, value, standard error and interval."""
        found = [
            (name, value, error, self._interval(value, error))
            for name, (value, error) in self.estimates.items()
        ]
        found[0] = ("kappa", self.kappa, self.standard_error, self.interval)
        names = [f"kappa of {label_text(label)}" for label in self.labels.tolist()]
        kappas, errors = self.category_kappas.tolist(), self.category_standard_errors.tolist()
        between = self._intervals(indices.category_tables(self.table), None, kappas, errors)
        return [*found, *zip(names, kappas, errors, between), *self.specific_agreement.rows()]

    def sentence(self) -> str:
        """Return the agreement as a sentence for a paper."""
        return sentence_of(self)

    def __repr__(self) -> str:
        return repr_of(self)

    def _report(self) -> Report:
        return report_of(self)


def _read_only(array: AnyArray) -> AnyArray:
    array.flags.writeable = False
    return array
