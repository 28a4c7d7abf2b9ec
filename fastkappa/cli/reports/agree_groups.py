"""The reports on the raters in each group of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fastkappa.cli.agree_request import AgreeRequest
from fastkappa.cli.gate import Estimate, of_one_group
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.agree_parts import (
    bootstrap_fields,
    bootstrap_of,
    bootstrap_sentence,
    no_undefined_warnings,
    result_of,
)
from fastkappa.cli.reports.output import Output, read_on
from fastkappa.formatting import label_text
from fastkappa.multirater.coefficient_difference import CoefficientDifference, compare_coefficients
from fastkappa.multirater.multirater_result import MultiRaterResult
from fastkappa.plotting import plot_forest
from fastkappa.results.report import Report, groups_grid
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.statistics.scales import Interpretation
from fastkappa.statistics.strata import EqualKappas, compare_strata
from fastkappa.two_raters.grouped_result import ALL, GroupedAgreement


def report_on_groups(request: AgreeRequest, grouped: GroupedAgreement) -> Output:
    """Return the report on two raters in each group."""
    with no_undefined_warnings():
        equality = grouped.equality if len(grouped) > 1 else None
    names = {group: label_text(group) for group in grouped}
    fields = {**request.fields(), **grouped.to_dict()}
    fields["equality"] = None if equality is None else equality.to_dict()
    reports = [grouped._report()]
    if equality is not None:
        reports.append(equality._report())
    drawn, sentences = [], []
    read: dict[str, Interpretation] = {}
    for of_group, (group, name) in zip(fields["groups"], names.items()):
        of_group["group"] = name
        if request.bootstrap:
            with no_undefined_warnings():
                resampled = bootstrap_of(grouped[group], request)
            of_group["bootstrap"] = bootstrap_fields(resampled)
            drawn.append(resampled.sentence(f"kappa of {name}"))
            sentences.append(bootstrap_sentence(resampled, f"kappa of {name}"))
        if request.scale is not None:
            read[name] = grouped[group].interpret(request.scale)
            of_group["interpretation"] = read[name].to_dict()
    if drawn:
        reports.append(Report(drawn))
    if request.scale is not None:
        reports.append(read_on(request.scale, read))
    caption = f"Kappa and its interval in each group of {label_text(request.group)}."
    pictures = [Picture(caption, lambda ax: plot_forest(grouped, ax=ax))]
    estimates = [
        Estimate(of_one_group(group), result.kappa, result.interval[0])
        for group, result in grouped.items()
    ]
    return Output(
        request.heading(),
        reports,
        fields,
        grouped.rows(),
        pictures,
        estimates=estimates,
        sentences=lambda: [grouped.sentence(), *sentences],
    )


def grouped_of(request: AgreeRequest, counts: Mapping[Any, SourceCounts]) -> GroupedAgreement:
    """Return the agreement in each group. Rows without a group have key None in ``counts``."""
    named = {group: part for group, part in counts.items() if group is not None}
    n_without_group = counts[None].n_rows if None in counts else 0
    results = {group: result_of(part, request) for group, part in named.items() if part.table.any()}
    if not results:
        raise RatingsError("no row has both a group and two ratings that are among the labels.")
    parts = list(named.values())
    missing = tuple(sum(part.missing[i] for part in parts) for i in (0, 1))
    n_dropped = sum(part.n_dropped for part in parts)
    whole = SourceCounts(
        np.sum([part.table for part in parts], axis=0),
        parts[0].labels,
        sum(part.n_outside for part in parts),
        sum(part.n_rows for part in parts),
        (missing[0], missing[1]),
        n_dropped,
    )
    return GroupedAgreement(
        results,
        result_of(whole, request),
        (n_without_group, *whole.missing),
        n_dropped + n_without_group,
        group_name=str(request.group),
    )


class GroupsOfSeveral:
    """The first coefficient of each group, and the comparison of the groups, if possible."""

    def __init__(
        self,
        group: str,
        firsts: Mapping[str, MultiRaterResult],
        whole: MultiRaterResult,
    ) -> None:
        self._group, self._firsts, self._whole = group, firsts, whole
        self.comparison, self._why_not = self._compared()

    def _compared(self) -> tuple[EqualKappas | CoefficientDifference | None, str]:
        """Return the comparison of the groups, or None and the reason."""
        firsts = list(self._firsts.values())
        if len(firsts) < 2:
            return None, ""
        if sum(one.n_clusters for one in firsts) <= self._whole.n_clusters:
            return compare_strata(self._firsts), ""
        if len(firsts) == 2:
            # Both groups have the same items, so their coefficients are compared as a pair.
            try:
                found = compare_coefficients(*firsts)
            except ValueError:
                pass
            else:
                first, second = (
                    f"{method} of {name}" for method, name in zip(found.methods, self._firsts)
                )
                return replace(found, methods=(first, second)), ""
        return None, (
            "the groups are not compared: they have items or clusters in common. If the numbers of"
            " items or clusters restart in each group, make them distinct"
        )

    def reports(self) -> list[Report]:
        """Return a table with one row per group, and the comparison of the groups."""
        named = {**self._firsts, ALL: self._whole}
        rows = (
            (name, one.n_paired, one.value, one.standard_error, one.interval)
            for name, one in named.items()
        )
        grid = groups_grid(rows, self._whole.confidence, self._whole.method, self._group)
        below = [self._why_not] if self._why_not else []
        compared = [] if self.comparison is None else [self.comparison._report()]
        return [Report([], [grid], below), *compared]

    def sentences(self) -> list[str]:
        """Return sentences for a paper about each group's coefficient and the comparison."""
        compared = [] if self.comparison is None else [self.comparison.sentence()]
        of_groups = [
            one.sentence().replace(" was ", f" in {self._group} {name} was ", 1)
            for name, one in self._firsts.items()
        ]
        return [*of_groups, *compared]

    def picture(self) -> Picture:
        """Return the plot of the coefficient of each group."""
        caption = f"{self._whole.method} and its interval in each group of {self._group}."
        named = {**self._firsts, ALL: self._whole}
        return Picture(caption, lambda ax: plot_forest(named, ax=ax))
