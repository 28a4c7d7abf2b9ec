"""The report on two raters."""

from __future__ import annotations

import math
from typing import Any

from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.agree_parts import (
    OF_COEFFICIENTS,
    AgreeReport,
    AgreeRequest,
    bootstrap_fields,
    bootstrap_line,
    bootstrap_of,
    bootstrap_row,
    estimate_row,
    no_undefined_warnings,
)
from fastkappa.cli.reports.parts import Part, Tables
from fastkappa.formatting import figure, interval_text, label_text
from fastkappa.plotting import plot_agreement, plot_bootstrap
from fastkappa.results import LARGEST_TABLE, TOO_LARGE, counts_grid
from fastkappa.statistics.scales import Interpretation
from fastkappa.two_raters.result import AgreementResult


def report_on_pair(request: AgreeRequest, result: AgreementResult) -> AgreeReport:
    """Report on two raters."""
    with no_undefined_warnings():
        resampled = bootstrap_of(result, request) if request.n_resamples else None
        rows = [estimate_row(*row) for row in result.rows()]
        parts: list[Part] = [_tables(result)]
    if len(result.labels) > LARGEST_TABLE:
        parts += ["", TOO_LARGE.format(len(result.labels))]
    fields = {**request.fields(), **result.to_dict()}
    pictures = _pictures(result)
    if resampled is not None:
        fields["bootstrap"] = bootstrap_fields(resampled)
        parts += ["", bootstrap_line("kappa", resampled)]
        rows.append(bootstrap_row("kappa", resampled))
        if not math.isnan(resampled.standard_error):
            told = f"The kappas of {len(resampled.replicates)} bootstrap replicates."
            pictures.append(Picture(told, lambda: plot_bootstrap(resampled)))
    if request.scale is not None:
        reading = result.interpret(request.scale)
        fields["interpretation"] = reading.to_dict()
        parts += ["", *_lines_of(reading, result.confidence)]
    return AgreeReport(request.heading(), fields, parts, rows, pictures)


def _tables(result: AgreementResult) -> Tables:
    """Return the result's own report, with totals in the table of counts."""
    report = result._report()
    counts = counts_grid(result.labels, result.table, totals=True)
    rows, columns = map(label_text, result.raters)
    captions = [f"How many items got each pair of labels: rows {rows}, columns {columns}"]
    return Tables(
        report._replace(grids=[*counts, *report.grids[len(counts) :]]),
        [*captions[: len(counts)], OF_COEFFICIENTS, "Tests and other figures"],
    )


def _pictures(result: AgreementResult) -> list[Picture]:
    first, second = map(label_text, result.raters)
    told = (
        f"Kappa {figure(result.kappa)} ({interval_text(result.interval)}) of"
        f" {first} and {second} on {result.n} items."
    )

    def draw() -> Any:
        return plot_agreement(result, marginals=True, reverse_y=True)

    bubbles = Picture(f"{told} Bubbles are as large as the number of items they stand for.", draw)
    return [bubbles]


def _lines_of(reading: Interpretation, confidence: float) -> list[str]:
    lines = [f"kappa by {reading.source}: {reading.reading}"]
    if math.isnan(sum(reading.proportions.values())):
        return lines
    return [
        *lines,
        *(
            f"  {band}: {part:.1%} of its distribution"
            for band, part in reading.proportions.items()
        ),
        f"  with {100 * confidence:g} % confidence at least {reading.confident_reading}",
    ]
