"""The report on two raters."""

from __future__ import annotations

import math
from typing import Any

from fastkappa.cli.reports.agree_parts import (
    Asked,
    Report,
    bootstrap_fields,
    bootstrap_line,
    bootstrap_of,
    result_of,
    undefined_is_told,
)
from fastkappa.engines.counted import SourceCounts
from fastkappa.plotting import plot_agreement
from fastkappa.statistics.scales import Interpretation


def report_on_pair(asked: Asked, counts: SourceCounts) -> Report:
    """Report on two raters."""
    with undefined_is_told():
        result = result_of(counts, asked.weights)
        drawn = bootstrap_of(result, asked) if asked.n_resamples else None
    lines = [f"{asked.heading()} (rows, columns)", str(result)]
    fields = {**asked.fields(), **result.to_dict()}
    if drawn is not None:
        fields["bootstrap"] = bootstrap_fields(drawn)
        lines += ["", bootstrap_line("kappa", drawn)]
    if asked.scale is not None:
        reading = result.interpret(asked.scale)
        fields["interpretation"] = reading._asdict()
        lines += ["", *_lines_of(reading, result.confidence)]

    def draw() -> Any:
        first, second = asked.raters
        return plot_agreement(result, raters=(first, second), marginals=True, reverse_y=True)

    return Report(fields, lines, draw)


def _lines_of(reading: Interpretation, confidence: float) -> list[str]:
    lines = [f"kappa by {reading.source}: {reading.reading}"]
    if math.isnan(sum(reading.shares.values())):
        return lines
    return [
        *lines,
        *(f"  {band}: {share:.1%} of its distribution" for band, share in reading.shares.items()),
        f"  with {100 * confidence:g} % confidence at least {reading.confident_reading}",
    ]
