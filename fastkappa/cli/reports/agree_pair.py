"""The report on two raters."""

from __future__ import annotations

import math
from typing import Any

from fastkappa.cli.reports.agree_parts import (
    AgreeReport,
    AgreeRequest,
    bootstrap_fields,
    bootstrap_line,
    bootstrap_of,
    no_undefined_warnings,
    result_of,
)
from fastkappa.engines.counted import SourceCounts
from fastkappa.plotting import plot_agreement
from fastkappa.statistics.scales import Interpretation


def report_on_pair(request: AgreeRequest, counts: SourceCounts) -> AgreeReport:
    """Report on two raters."""
    with no_undefined_warnings():
        result = result_of(counts, request)
        resampled = bootstrap_of(result, request) if request.n_resamples else None
    lines = [request.heading(), str(result)]
    fields = {**request.fields(), **result.to_dict()}
    if resampled is not None:
        fields["bootstrap"] = bootstrap_fields(resampled)
        lines += ["", bootstrap_line("kappa", resampled)]
    if request.scale is not None:
        reading = result.interpret(request.scale)
        fields["interpretation"] = reading.to_dict()
        lines += ["", *_lines_of(reading, result.confidence)]

    def draw() -> Any:
        return plot_agreement(result, marginals=True, reverse_y=True)

    return AgreeReport(fields, lines, draw)


def _lines_of(reading: Interpretation, confidence: float) -> list[str]:
    lines = [f"kappa by {reading.source}: {reading.reading}"]
    if math.isnan(sum(reading.shares.values())):
        return lines
    return [
        *lines,
        *(f"  {band}: {part:.1%} of its distribution" for band, part in reading.shares.items()),
        f"  with {100 * confidence:g} % confidence at least {reading.confident_reading}",
    ]
