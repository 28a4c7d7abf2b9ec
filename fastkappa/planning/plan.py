"""Plan a study: the items and clusters, the power of the test, and the width of the interval."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from fastkappa.formatting import count_text, figure
from fastkappa.frame import frame_of_figures
from fastkappa.planning.checks import PlannedAlternative, check_design_effect
from fastkappa.planning.designs import power, sample_size
from fastkappa.planning.planned_tables import Margins, as_margins
from fastkappa.planning.precision import planned_width, sample_size_for_width
from fastkappa.results.report import Report, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import versioned
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


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """A plan for a study of kappa, printed as a report.

    Attributes
    ----------
    n : int
        The number of items.
    n_clusters : int or None
        The number of clusters, if the cluster size is given.
    power : float or None
        The power of the test, if there is a null hypothesis.
    width : float
        The expected width of the interval of kappa.
    kappa, null_kappa : float
        The expected kappa, and the kappa under the null hypothesis, or None if there is no test.
    alternative : str
        The kind of test.
    alpha, confidence : float
        The significance level of the test, and the confidence level of the interval.
    rates : pair of ndarray
        The proportions of each rater's labels.
    weights : {'linear', 'quadratic'}, ndarray or None
        The disagreement weights.
    n_raters : int
        The number of raters of each item.
    design_effect : float
        The factor by which clusters increase the number of items that the study needs.
    cluster_size : float or None
        The number of items per cluster, or its mean.
    """

    n: int
    n_clusters: int | None
    power: float | None
    width: float
    kappa: float
    null_kappa: float | None
    alternative: str
    alpha: float
    confidence: float
    rates: Margins
    weights: Weights
    n_raters: int
    design_effect: float
    cluster_size: float | None

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
        first, second = (", ".join(f"{rate:g}" for rate in rates) for rates in self.rates)
        rates = first if first == second else f"{first} and {second}"
        clusters = ""
        if self.n_clusters is not None:
            clusters = f" in {count_text(self.n_clusters, 'cluster')} of {self.cluster_size:g}"
        if self.design_effect != 1 or self._has_clusters:
            clusters += f" (design effect {self.design_effect:g})"
        test = ""
        if self.null_kappa is not None and self.power is not None:
            sign = {"greater": ">", "less": "<"}.get(self.alternative)
            sides = "two-sided test of kappa =" if sign is None else f"test of kappa {sign}"
            test = (
                f" a power of {figure(self.power)} in the {sides} {self.null_kappa:g} at a"
                f" significance level of {self.alpha:g}, and"
            )
        return versioned(
            f"With {count_text(self.n, 'item')}{clusters} rated by {self.n_raters} raters, an"
            f" expected kappa ({weights_text(self.weights)}) of {self.kappa:g} and labels in"
            f" proportions of {rates}, the study has{test} a {100 * self.confidence:g} % interval"
            f" {figure(self.width)} wide"
        )

    @property
    def _has_clusters(self) -> bool:
        return self.cluster_size is not None and self.cluster_size > 1

    def __repr__(self) -> str:
        return f"<Plan: {count_text(self.n, 'item')}, width {figure(self.width)}>"

    def _report(self) -> Report:
        below = [APPROXIMATE] if self.design_effect != 1 else []
        if self.design_effect == 1 and self._has_clusters:
            below = [INDEPENDENT]
        above = f"Plan of a study of {self.n_raters} raters, {weights_text(self.weights)}"
        return Report([above], [facts(self._assumed(), "Assumed"), facts(self._planned())], below)

    def _assumed(self) -> Iterator[tuple[str, Any]]:
        first, second = (", ".join(f"{rate:g}" for rate in rates) for rates in self.rates)
        yield "expected kappa", self.kappa
        yield "proportions of the labels", first
        if first != second:
            yield "  of the second rater", second
        if self.null_kappa is not None:
            yield "null kappa", self.null_kappa
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
        yield f"width of the {100 * self.confidence:g} % interval", self.width


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
    conservative: bool = False,
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
    rates, weights, n_raters, conservative
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
        "conservative": conservative,
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
    n_clusters = None
    if cluster_size is not None:
        check_design_effect(cluster_size, "cluster_size")
        n_clusters = math.ceil(items / cluster_size)
        items = math.ceil(n_clusters * cluster_size) if n is None else n
    return Plan(
        items,
        n_clusters,
        None if null_kappa is None else power(items, kappa, null_kappa=null_kappa, **of_test),
        planned_width(items, kappa, confidence=confidence, **of_labels),
        kappa,
        null_kappa,
        alternative,
        alpha,
        confidence,
        as_margins(rates),
        weights,
        n_raters,
        design_effect,
        cluster_size,
    )
