"""The report on two raters in each group of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fastkappa.cli.gate import Estimate, of_one_group
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.agree_parts import (
    AgreeRequest,
    bootstrap_fields,
    bootstrap_of,
    no_undefined_warnings,
    result_of,
)
from fastkappa.cli.reports.output import Output
from fastkappa.formatting import label_text
from fastkappa.plotting import plot_forest
from fastkappa.results.report import Report
from fastkappa.sources.source_counts import SourceCounts
from fastkappa.sources.source_ratings import RatingsError
from fastkappa.statistics.scales import find_scale
from fastkappa.two_raters.grouped import GroupedAgreement


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
    drawn, read = [], []
    for of_group, (group, name) in zip(fields["groups"], names.items()):
        of_group["group"] = name
        if request.n_resamples:
            with no_undefined_warnings():
                resampled = bootstrap_of(grouped[group], request)
            of_group["bootstrap"] = bootstrap_fields(resampled)
            drawn.append(resampled.sentence(f"kappa of {name}"))
        if request.scale is not None:
            reading = grouped[group].interpret(request.scale)
            of_group["interpretation"] = reading.to_dict()
            read.append(f"  {name}: {reading.in_short()}")
    if drawn:
        reports.append(Report(drawn))
    if request.scale is not None:
        reports.append(Report([f"read by {find_scale(request.scale).source}", *read]))
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
        sentences=lambda: [grouped.sentence()],
    )


def grouped_of(request: AgreeRequest, counts: Mapping[Any, SourceCounts]) -> GroupedAgreement:
    """Return the agreement in each group; the key None has the counts of rows without a group."""
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
