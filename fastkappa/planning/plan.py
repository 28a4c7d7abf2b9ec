"""Plan a study: the items and clusters, the power of the test, and the width of the interval."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.formatting import count_text, figure
from fastkappa.frame import frame_of_figures
from fastkappa.planning.checks import (
    PlannedAlternative,
    check_design_effect,
    independent_items,
    tail_of,
)
from fastkappa.planning.designs import power, sample_size
from fastkappa.planning.measured import (
    Correlation,
    correlation_sample_size,
    correlation_sample_size_for_width,
    limits_sample_size_for_width,
    planned_correlation,
    widths_of_limits,
)
from fastkappa.planning.planned_tables import Margins, as_margins
from fastkappa.planning.precision import planned_width, sample_size_for_width
from fastkappa.results.report import Report, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import listed, versioned
from fastkappa.statistics.inference import check_confidence
from fastkappa.statistics.weights import Weights, weights_text

DEFAULT_POWER = 0.8
APPROXIMATE = (
    "The plan for clusters is approximate: the number of items without clusters, times the"
    " design effect."
)
INDEPENDENT = (
    "The design effect is 1: items of the same cluster are assumed to be independent. If they"
    " resemble each other, the study needs more items: give the design effect."
)
LIMITS = "limits"
# The names of the planned coefficients in reports.
NAMES = {
    "kappa": "kappa",
    "icc": "ICC(C,1)",
    "ccc": "concordance correlation",
    LIMITS: "SD of the differences",
}


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """A plan for a study of agreement, printed as a report.

    Attributes
    ----------
    n : int
        The number of items.
    n_clusters : int or None
        The number of clusters, if the cluster size is given.
    power : float or None
        The power of the test, if there is a null hypothesis.
    width : float
        The expected width of the interval of the coefficient, or of each limit of agreement.
    coefficient : {'kappa', 'icc', 'ccc', 'limits'}
        The coefficient. 'limits' stands for limits of agreement.
    expected, null : float
        The expected value, and the value under the null hypothesis or None without a test. For
        limits of agreement, the expected value is the standard deviation of the differences.
    alternative : str
        The kind of test.
    alpha, confidence : float
        The significance level of the test, and the confidence level of the interval.
    n_raters : int
        The number of raters of each item.
    design_effect : float
        The factor by which clusters increase the number of items that the study needs.
    cluster_size : float or None
        The number of items per cluster, or its mean.
    rates : pair of ndarray or None
        The proportions of each rater's labels.
    weights : {'linear', 'quadratic'}, ndarray or None
        The disagreement weights.
    accuracy : float
        The bias correction factor of the concordance correlation.
    """

    n: int
    n_clusters: int | None
    power: float | None
    width: float
    coefficient: str
    expected: float
    null: float | None
    alternative: str
    alpha: float
    confidence: float
    n_raters: int
    design_effect: float
    cluster_size: float | None
    rates: Margins | None = None
    weights: Weights = None
    accuracy: float = 1.0

    def rows(self) -> list[tuple[str, float]]:
        """Return the names and values of the planned quantities."""
        found = {
            "items": self.n,
            "clusters": self.n_clusters,
            "power": self.power,
            "width": self.width,
        }
        return [(name, value) for name, value in found.items() if value is not None]

    def to_frame(self) -> Any:
        """Return the planned quantities as a pandas DataFrame with the column ``value``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of_figures(self.rows())

    def sentence(self) -> str:
        """Return the plan as a sentence for a paper."""
        name = NAMES[self.coefficient]
        clusters = ""
        if self.n_clusters is not None:
            clusters = f" in {count_text(self.n_clusters, 'cluster')} of {self.cluster_size:g}"
        if self.design_effect != 1 or self._has_clusters:
            clusters += f" (design effect {self.design_effect:g})"
        items = f"{count_text(self.n, 'item')}{clusters} rated by {self.n_raters} raters"
        weighted = "" if self.rates is None else f" ({weights_text(self.weights)})"
        assumed = [items, f"an expected {name}{weighted} of {self.expected:g}"]
        if self.rates is not None:
            rates = " and ".join(dict.fromkeys(self._rates()))
            assumed.append(f"labels in proportions of {rates}")
        elif self.accuracy != 1:
            assumed.append(f"a bias correction factor of {self.accuracy:g}")
        test = ""
        if self.null is not None and self.power is not None:
            sign = {"greater": ">", "less": "<"}.get(self.alternative, "=")
            sides = "two-sided test" if sign == "=" else "test"
            test = (
                f" a power of {figure(self.power)} in the {sides} of {name} {sign}"
                f" {self.null:g} at a significance level of {self.alpha:g}, and"
            )
        of = " of each limit of agreement" if self.coefficient == LIMITS else ""
        return versioned(
            f"With {listed(assumed)}, the study has{test} a {100 * self.confidence:g} %"
            f" interval{of} {figure(self.width)} wide"
        )

    @property
    def _has_clusters(self) -> bool:
        return self.cluster_size is not None and self.cluster_size > 1

    def _rates(self) -> list[str]:
        """Return the proportions of each rater's labels as text."""
        return [", ".join(f"{rate:g}" for rate in rates) for rates in self.rates or ()]

    def __repr__(self) -> str:
        return f"<Plan: {count_text(self.n, 'item')}, width {figure(self.width)}>"

    def _report(self) -> Report:
        below = [APPROXIMATE] if self.design_effect != 1 else []
        if self.design_effect == 1 and self._has_clusters:
            below = [INDEPENDENT]
        weighted = "" if self.rates is None else f", {weights_text(self.weights)}"
        above = f"Plan of a study of {self.n_raters} raters{weighted}"
        return Report([above], [facts(self._assumed(), "Assumed"), facts(self._planned())], below)

    def _assumed(self) -> Iterator[tuple[str, Any]]:
        name = NAMES[self.coefficient]
        yield f"expected {name}", self.expected
        names = ("proportions of the labels", "  of the second rater")
        yield from zip(names, dict.fromkeys(self._rates()))
        if self.accuracy != 1:
            yield "bias correction factor", self.accuracy
        if self.null is not None:
            yield f"null {name}", self.null
            yield "alternative", self.alternative
            yield "significance level", f"{self.alpha:g}"
        if self.design_effect != 1:
            yield "design effect", f"{self.design_effect:g}"

    def _planned(self) -> Iterator[tuple[str, Any]]:
        yield "items", str(self.n)
        if self.n_clusters is not None:
            yield f"clusters of {self.cluster_size:g}", str(self.n_clusters)
        if self.power is not None:
            yield "power of the test", self.power
        of = "a limit's" if self.coefficient == LIMITS else "the"
        yield f"width of {of} {100 * self.confidence:g} % interval", self.width


def plan_study(
    kappa: float,
    *,
    null_kappa: float | None = None,
    width: float | None = None,
    power_wanted: float | None = None,
    n: int | None = None,
    rates: tuple[ArrayLike, ArrayLike] = (0.5, 0.5),
    weights: Weights = None,
    n_raters: int = 2,
    alternative: PlannedAlternative = "two-sided",
    alpha: float = 0.05,
    confidence: float = 0.95,
    design_effect: float = 1.0,
    cluster_size: float | None = None,
) -> Plan:
    """Plan the number of items for an interval or a test of kappa, or evaluate a given number.

    Parameters
    ----------
    kappa : float
        The expected kappa.
    null_kappa, alternative, alpha
        The test, as in `sample_size`. If ``null_kappa`` is None, there is no test.
    width, confidence
        The required interval, as in `sample_size_for_width`. If ``width`` is None, the number of
        items determines the width.
    power_wanted : float, default=None
        The required power of the test. None means 0.8, unless ``n`` is given.
    n : int, default=None
        The number of items, if known.
    rates, weights, n_raters
        As in `sample_size`.
    design_effect : float, default=1.0
        The factor by which clusters increase the number of items that the study needs. The design
        effect is the squared ratio of the standard errors with and without clusters. For a pilot
        study, `agreement` reports it.
    cluster_size : float, default=None
        The number of items per cluster, or its mean. The number of items is rounded up to whole
        clusters.

    Raises
    ------
    ValueError
        If an argument is invalid, or if no number of items meets the requirements.

    Examples
    --------
    >>> from fastkappa.planning.plan import plan_study
    >>> plan = plan_study(0.8, width=0.2, rates=(0.3, 0.3), design_effect=1.5, cluster_size=4)
    >>> plan.n, plan.n_clusters
    (256, 64)
    """
    of_labels: Any = {
        "rates": rates,
        "weights": weights,
        "n_raters": n_raters,
        "design_effect": design_effect,
    }
    of_test = {**of_labels, "alternative": alternative, "alpha": alpha}
    items = n
    if width is not None:
        items = sample_size_for_width(kappa, width, confidence=confidence, **of_labels)
    elif items is None:
        wanted = DEFAULT_POWER if power_wanted is None else power_wanted
        null = 0.0 if null_kappa is None else null_kappa
        items = sample_size(kappa, null_kappa=null, power=wanted, **of_test)
    items, n_clusters = _in_clusters(items, cluster_size, is_given=n is not None)
    return Plan(
        items,
        n_clusters,
        None if null_kappa is None else power(items, kappa, null_kappa=null_kappa, **of_test),
        planned_width(items, kappa, confidence=confidence, **of_labels),
        "kappa",
        kappa,
        null_kappa,
        alternative,
        alpha,
        confidence,
        n_raters,
        design_effect,
        cluster_size,
        as_margins(rates),
        weights,
    )


def plan_correlation(
    correlation: float,
    *,
    coefficient: Correlation,
    null_correlation: float | None = None,
    width: float | None = None,
    power_wanted: float | None = None,
    n: int | None = None,
    n_raters: int = 2,
    alternative: PlannedAlternative = "two-sided",
    alpha: float = 0.05,
    confidence: float = 0.95,
    accuracy: float = 1.0,
    design_effect: float = 1.0,
    cluster_size: float | None = None,
) -> Plan:
    """Plan the number of items for an interval or test of a correlation, as `plan_study` does.

    ``correlation``, ``coefficient``, ``null_correlation`` and ``accuracy`` are as in
    `correlation_sample_size`, and the other arguments as in `plan_study`.

    Examples
    --------
    >>> from fastkappa.planning.plan import plan_correlation
    >>> plan = plan_correlation(0.8, coefficient="icc", width=0.2, n_raters=3)
    >>> plan.n, round(plan.width, 4)
    (37, 0.198)
    """
    study = planned_correlation(coefficient, correlation, n_raters, accuracy)
    of_study: Any = {
        "coefficient": coefficient,
        "n_raters": n_raters,
        "accuracy": accuracy,
        "design_effect": design_effect,
    }
    items = n
    if width is not None:
        items = correlation_sample_size_for_width(
            correlation, width, confidence=confidence, **of_study
        )
    elif items is None:
        items = correlation_sample_size(
            correlation,
            null_correlation=0.0 if null_correlation is None else null_correlation,
            alternative=alternative,
            alpha=alpha,
            power=DEFAULT_POWER if power_wanted is None else power_wanted,
            **of_study,
        )
    items, n_clusters = _in_clusters(items, cluster_size, is_given=n is not None)
    alone = independent_items(items, design_effect)
    if alone < study.fewest:
        raise ValueError(f"n must be at least {study.fewest} independent items, got {alone}.")
    found_power = None
    if null_correlation is not None:
        planned_correlation(coefficient, null_correlation, n_raters, 1.0, "null_correlation")
        names = ("correlation", "null_correlation")
        tail = tail_of(alternative, alpha, correlation, null_correlation, names)
        found_power = study.power(alone, null_correlation, tail)
    low, high = study.interval(alone, (1 + check_confidence(confidence)) / 2)
    return Plan(
        items,
        n_clusters,
        found_power,
        high - low,
        coefficient,
        correlation,
        null_correlation,
        alternative,
        alpha,
        confidence,
        n_raters,
        design_effect,
        cluster_size,
        accuracy=accuracy,
    )


def plan_limits(
    standard_deviation: float,
    *,
    width: float | None = None,
    n: int | None = None,
    confidence: float = 0.95,
    design_effect: float = 1.0,
    cluster_size: float | None = None,
) -> Plan:
    """Plan the number of items for the intervals of limits of agreement, as `plan_study` does.

    Examples
    --------
    >>> from fastkappa.planning.plan import plan_limits
    >>> round(plan_limits(1.0, n=100).width, 4)
    0.6805
    """
    items = n
    if items is None:
        items = limits_sample_size_for_width(
            standard_deviation,
            math.nan if width is None else width,
            confidence=confidence,
            design_effect=design_effect,
        )
    items, n_clusters = _in_clusters(items, cluster_size, is_given=n is not None)
    alone = np.array([independent_items(items, design_effect)])
    return Plan(
        items,
        n_clusters,
        None,
        float(widths_of_limits(standard_deviation, alone, confidence)[0]),
        LIMITS,
        standard_deviation,
        None,
        "two-sided",
        math.nan,
        confidence,
        2,
        design_effect,
        cluster_size,
    )


def _in_clusters(
    items: int, cluster_size: float | None, *, is_given: bool
) -> tuple[int, int | None]:
    """Return the number of items, rounded up to whole clusters unless it is given, and clusters."""
    if cluster_size is None:
        return items, None
    check_design_effect(cluster_size, "cluster_size")
    n_clusters = math.ceil(items / cluster_size)
    return items if is_given else math.ceil(n_clusters * cluster_size), n_clusters
