"""Report on two raters."""

from __future__ import annotations

import math
from typing import Any

from fastkappa.cli.agree_request import AgreeRequest
from fastkappa.cli.gate import Estimate
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.agree_parts import (
    bootstrap_fields,
    bootstrap_of,
    no_undefined_warnings,
)
from fastkappa.cli.reports.output import Output, too_large
from fastkappa.plotting import plot_agreement, plot_bootstrap, plot_confusion
from fastkappa.results.report import Report, estimate_row, number_rows
from fastkappa.two_raters.agreement_report import figures_of
from fastkappa.two_raters.agreement_result import AgreementResult


def report_on_pair(request: AgreeRequest, result: AgreementResult) -> Output:
    """Return the report on two raters."""
    with no_undefined_warnings():
        resampled = bootstrap_of(result, request) if request.bootstrap else None
        numbers = {"n": result.n, "dropped": result.n_dropped, "outside": result.n_outside}
        rows = number_rows(numbers) + [estimate_row(*row) for row in result.rows()]
        rows += number_rows(figures_of(result))
        reports = [result._report(), *map(Report, filter(None, [too_large(result.labels)]))]
    fields = {**request.fields(), **result.to_dict(), "figures": rows}
    pictures = [table_picture(result, request.heat_map)]
    sentences = [result.sentence()]
    if resampled is not None:
        fields["bootstrap"] = bootstrap_fields(resampled)
        sentences.append(resampled.sentence(name="kappa"))
        reports.append(Report([resampled._line("kappa")]))
        rows.append(resampled.row("kappa"))
        if not math.isnan(resampled.standard_error):
            caption = f"The kappas of {len(resampled.replicates)} bootstrap replicates."
            pictures.append(Picture(caption, lambda ax: plot_bootstrap(resampled, ax=ax)))
    if request.scale is not None:
        reading = result.interpret(request.scale)
        fields["interpretation"] = reading.to_dict()
        reports.append(reading._report())
        sentences.append(reading.sentence(name="kappa"))
    estimates = [Estimate("kappa", result.kappa, result.interval[0])]
    return Output(
        request.heading(),
        reports,
        fields,
        rows,
        pictures,
        estimates=estimates,
        sentences=lambda: sentences,
    )


def table_picture(result: AgreementResult, as_heat_map: bool) -> Picture:
    """Return the picture of the table of two raters."""

    def draw(ax: Any) -> Any:
        if as_heat_map:
            return plot_confusion(result, ax=ax)
        return plot_agreement(result, marginals=True, reverse_y=True, ax=ax)

    caption = "The area of each bubble shows the number of items."
    if as_heat_map:
        caption = "Darker cells have more items."
    return Picture(f"{result.sentence()} {caption}", draw)
