"""Plan a study: find the number of items, the power of the test and the width of the interval."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from fastkappa.formatting import count_text, figure, plain
from fastkappa.frame import frame_of_figures
from fastkappa.planning.checks import check_design_effect
from fastkappa.planning.studies import Study, TestedStudy
from fastkappa.results.report import Report, facts
from fastkappa.results.result import Result
from fastkappa.results.sentence import decimals, listed, versioned

DEFAULT_POWER = 0.8
APPROXIMATE = (
    "With clusters, the number of items is approximate: the number without clusters, multiplied by"
    " the design effect."
)
INDEPENDENT = (
    "The design effect is 1: items of the same cluster are assumed to be independent. If they"
    " resemble each other, the study needs more items: specify the design effect."
)


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
    cluster_size : float or None
        The number of items per cluster, or its mean if clusters differ in size.
    study : Study
        The planned study, with its assumptions.
    """

    n: int
    n_clusters: int | None
    power: float | None
    width: float
    cluster_size: float | None
    study: Study

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

    def to_dict(self) -> dict[str, Any]:
        """Return the planned quantities and assumptions as a JSON-serializable dictionary."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        study = found.pop("study")
        found["coefficient"] = study.coefficient
        found |= {field.name: getattr(study, field.name) for field in fields(study)}
        return {name: plain(value) for name, value in found.items()}

    def sentence(self) -> str:
        """Return the plan as a sentence for a paper."""
        study, clusters, test = self.study, "", ""
        if self.n_clusters is not None:
            clusters = f" in {count_text(self.n_clusters, 'cluster')} of {self.cluster_size:g}"
        if study.design_effect != 1 or self._has_clusters:
            clusters += f" (design effect {study.design_effect:g})"
        items = f"{count_text(self.n, 'item')}{clusters} rated by {study.n_raters} raters"
        weighted = study.weighting and f" ({study.weighting})"
        assumed = [items, f"an expected {study.name}{weighted} of {study.expected:g}"]
        assumed += [f"{name} of {value}" for name, value in study.assumed().items()]
        if isinstance(study, TestedStudy) and self.power is not None:
            sign = {"greater": ">", "less": "<"}.get(study.alternative, "=")
            sides = "two-sided test" if sign == "=" else "test"
            test = (
                f" a power of {figure(self.power, digits=2)} in the {sides} of {study.name} {sign}"
                f" {study.null:g} at a significance level of {study.alpha:g}, and"
            )
        width = figure(self.width, digits=decimals((0.0, self.width)))
        return versioned(
            f"With {listed(assumed)}, the study has{test} a {100 * study.confidence:g} %"
            f" interval{study.of_interval} {width} wide"
        )

    @property
    def _has_clusters(self) -> bool:
        return self.cluster_size is not None and self.cluster_size > 1

    def __repr__(self) -> str:
        return f"<Plan: {count_text(self.n, 'item')}, width {figure(self.width)}>"

    def _report(self) -> Report:
        below = [self.study.assumption] if self.study.assumption else []
        if self.study.design_effect != 1:
            below.append(APPROXIMATE)
        elif self._has_clusters:
            below.append(INDEPENDENT)
        weighted = self.study.weighting and f", {self.study.weighting}"
        above = f"Plan of a study of {self.study.n_raters} raters{weighted}"
        return Report([above], [facts(self._assumed(), "Assumed"), facts(self._planned())], below)

    def _assumed(self) -> Iterator[tuple[str, Any]]:
        study = self.study
        yield f"expected {study.name}", study.expected
        yield from study.assumed().items()
        if isinstance(study, TestedStudy) and study.null is not None:
            yield f"null {study.name}", study.null
            yield "alternative", study.alternative
            yield "significance level", f"{study.alpha:g}"
        if study.design_effect != 1:
            yield "design effect", f"{study.design_effect:g}"

    def _planned(self) -> Iterator[tuple[str, Any]]:
        yield "items", str(self.n)
        if self.n_clusters is not None:
            yield f"clusters of {self.cluster_size:g}", str(self.n_clusters)
        if self.power is not None:
            yield "power of the test", self.power
        yield (
            f"width of the {100 * self.study.confidence:g} % interval{self.study.of_interval}",
            self.width,
        )


def plan_study(
    study: Study,
    *,
    width: float | None = None,
    power: float | None = None,
    n: int | None = None,
    cluster_size: float | None = None,
) -> Plan:
    """Find the number of items for an interval or a test, or plan with a given number of items.

    Parameters
    ----------
    study : Study
        The study to plan.
    width : float, default=None
        The required width of the interval.
    power : float, default=None
        The required power of the test. None means 0.8, unless ``width`` or ``n`` is given.
    n : int, default=None
        The number of items, if known.
    cluster_size : float, default=None
        The number of items per cluster, or its mean if clusters differ in size. The number of items
        is rounded up to whole clusters, unless ``n`` is given.

    Raises
    ------
    ValueError
        If an argument is invalid, or if no number of items meets the requirements.

    Examples
    --------
    >>> from fastkappa.planning.kappa_studies import kappa_study
    >>> from fastkappa.planning.plan import plan_study
    >>> study = kappa_study(0.8, rates=(0.3, 0.3), design_effect=1.5)
    >>> plan = plan_study(study, width=0.2, cluster_size=4)
    >>> plan.n, plan.n_clusters
    (256, 64)
    """
    items, n_clusters = n, None
    if items is None and isinstance(study, TestedStudy) and width is None:
        items = study.items_for_power(DEFAULT_POWER if power is None else power)
    elif items is None:
        items = study.items_for_width(math.nan if width is None else width)
    if cluster_size is not None:
        check_design_effect(cluster_size, "cluster_size")
        n_clusters = math.ceil(items / cluster_size)
        items = items if n is not None else math.ceil(n_clusters * cluster_size)
    found = None
    if isinstance(study, TestedStudy) and study.null is not None:
        found = study.power(items)
    return Plan(items, n_clusters, found, study.width(items), cluster_size, study)
