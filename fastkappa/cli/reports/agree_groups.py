"""The report on two raters in each group of the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.agree_parts import (
    ALL,
    AgreeReport,
    AgreeRequest,
    bootstrap_fields,
    bootstrap_line,
    bootstrap_of,
    no_undefined_warnings,
    result_of,
)
from fastkappa.cli.reports.parts import Part, Tables
from fastkappa.engines.counted import SourceCounts
from fastkappa.engines.ratings import RatingsError
from fastkappa.formatting import figure, interval_text, label_text, p_value_text
from fastkappa.plotting import plot_forest
from fastkappa.statistics.scales import find_scale
from fastkappa.statistics.strata import MOST_NAMED, EqualKappas
from fastkappa.two_raters.grouped import GroupedAgreement, compute_intervals
from fastkappa.two_raters.result import AgreementResult


def report_on_groups(request: AgreeRequest, grouped: GroupedAgreement) -> AgreeReport:
    """Report on two raters in each group."""
    with no_undefined_warnings():
        equality = grouped.equality if len(grouped) > 1 else None
    names = {group: label_text(group) for group in grouped}
    compute_intervals([*grouped.values(), grouped.pooled])
    groups = {group: {"group": name, **grouped[group].to_dict()} for group, name in names.items()}
    tables = Tables(grouped._report(), [f"Kappa in each group of {label_text(request.group)}"])
    parts: list[Part] = [*_remarks(request, grouped), "", tables]
    if equality is not None:
        parts += ["", *_lines_of(equality)]
    rows = [_row(name, grouped[group]) for group, name in names.items()]
    if request.n_resamples:
        parts.append("")
        for group, name in names.items():
            with no_undefined_warnings():
                resampled = bootstrap_of(grouped[group], request)
            groups[group]["bootstrap"] = bootstrap_fields(resampled)
            parts.append(bootstrap_line(f"kappa of {name}", resampled))
    if request.scale is not None:
        parts += ["", f"kappa by {find_scale(request.scale).source}"]
        for group, name in names.items():
            reading = grouped[group].interpret(request.scale)
            groups[group]["interpretation"] = reading.to_dict()
            parts.append(f"  {name}: {reading.reading}")
    fields = {
        **request.fields(),
        "n_dropped": grouped.n_dropped,
        "groups": list(groups.values()),
        "all": grouped.pooled.to_dict(),
        "equality": None if equality is None else equality.to_dict(),
    }

    def draw() -> Any:
        by_name = {name: grouped[group] for group, name in names.items()}
        return plot_forest({**by_name, ALL: grouped.pooled})

    told = f"Kappa and its interval in each group of {label_text(request.group)}."
    return AgreeReport(
        request.heading(),
        fields,
        parts,
        [*rows, _row(ALL, grouped.pooled)],
        [Picture(told, draw)],
    )


def _row(name: str, result: AgreementResult) -> dict[str, Any]:
    """Return the agreement in a group as a row of CSV."""
    lower, upper = result.interval
    return {
        "group": name,
        "n": result.n,
        "kappa": result.kappa,
        "standard_error": result.standard_error,
        "lower": lower,
        "upper": upper,
        "z": result.z,
        "p_value": result.p_value,
    }


def grouped_of(request: AgreeRequest, counts: Mapping[Any, SourceCounts]) -> GroupedAgreement:
    """Return the agreement in each group; the group None holds the rows without one."""
    named = {group: part for group, part in counts.items() if group is not None}
    n_without_group = counts[None].n_rows if None in counts else 0
    results = {group: result_of(part, request) for group, part in named.items() if part.table.any()}
    if not results:
        raise RatingsError("no row has a group and both its ratings among the labels.")
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
    )


def _remarks(request: AgreeRequest, grouped: GroupedAgreement) -> list[str]:
    if not grouped.n_dropped:
        return []
    names = (request.group, *request.raters)
    counts = ", ".join(f"{n} in {label_text(name)}" for n, name in zip(grouped.missing, names))
    return [f"{grouped.n_dropped} rows left out, for what is missing ({counts})"]


def _lines_of(equality: EqualKappas) -> list[str]:
    if math.isnan(equality.p_value):
        groups = ", ".join(map(label_text, equality.undefined[:MOST_NAMED]))
        more = ", ..." if len(equality.undefined) > MOST_NAMED else ""
        return [
            "the groups cannot be compared: in one kappa or its standard error is undefined or 0"
            f" ({groups}{more})"
        ]
    return [
        f"common kappa {figure(equality.kappa)} ({interval_text(equality.interval)})",
        f"test of equal kappas: Q = {figure(equality.statistic)},"
        f" df = {equality.degrees_of_freedom}, p = {p_value_text(equality.p_value, 2)}",
    ]
