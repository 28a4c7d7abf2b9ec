"""The report of ``fastkappa score``, as text, JSON, CSV or a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from fastkappa.arrays import Floats
from fastkappa.cli.files.weight_matrix import WeightMatrix
from fastkappa.cli.reports.parts import terminal_width, warned
from fastkappa.engines.counted import SourceCounts
from fastkappa.formatting import count_text, json_object, label_text, printable
from fastkappa.results import TOO_LARGE, Grid, Report, counts_grid, facts, number_text, rows_as_csv
from fastkappa.results import as_text as report_as_text
from fastkappa.statistics.kappa import expected_agreement, kappas, observed_agreement
from fastkappa.statistics.scheme import SCHEMES, SchemeName
from fastkappa.statistics.tables import as_table

WeightsName: TypeAlias = Literal["none"] | SchemeName
# A larger table is not readable.
LARGEST_PRINTED = 30
WEIGHTS: tuple[WeightsName, ...] = ("none", *SCHEMES)


class ScoreReport(NamedTuple):
    """The table of counts of two columns of a file, and its statistics.

    ``headings`` say what was counted and what was left out.
    ``n`` counts the items in the table, or is the sum of their weights if ``sample_weight`` names
    the column of these. ``p_o`` and ``p_e`` are those of the unweighted kappa, and ``kappas`` has
    those of all schemes. ``kappa`` is that of the weights asked for, a name or a matrix. All of
    these are NaN where undefined.
    """

    file: str
    headings: list[str]
    columns: tuple[str, str]
    weights: WeightsName | Floats
    matrix: str | None
    sample_weight: str | None
    counts: SourceCounts
    n: float
    p_o: float
    p_e: float
    kappa: float
    kappas: dict[WeightsName, float]


def make_report(
    file: str,
    columns: tuple[str, str],
    counts: SourceCounts,
    weights: WeightsName,
    matrix: WeightMatrix | None = None,
    sample_weight: str | None = None,
) -> ScoreReport:
    """Compute the figures of the report from the counts of a file.

    Raises
    ------
    ValueError
        If the matrix is not one of these labels.
    """
    headings = list(_headings(file, columns, counts, sample_weight))
    table = as_table(counts.table)
    found = {name: float(kappas(table, None if name == "none" else name)) for name in WEIGHTS}
    of_matrix = None if matrix is None else matrix.of(counts.labels)
    return ScoreReport(
        file=file,
        headings=headings,
        columns=columns,
        weights=weights if of_matrix is None else of_matrix,
        matrix=None if matrix is None else matrix.name,
        sample_weight=sample_weight,
        counts=counts,
        n=counts.table.sum().item(),
        kappa=found[weights] if of_matrix is None else float(kappas(table, of_matrix)),
        kappas=found,
        p_o=observed_agreement(table),
        p_e=expected_agreement(table),
    )


def as_json(report: ScoreReport, warnings: Sequence[str]) -> str:
    """Return a report and warnings as a JSON object, null for what is undefined."""
    raters = ("y1", "y2")
    fields = {
        "file": report.file,
        "columns": dict(zip(raters, report.columns)),
        "rows": report.counts.n_rows,
        "missing": dict(zip(raters, report.counts.missing)),
        "dropped": report.counts.n_dropped,
        "outside": report.counts.n_outside,
        "n": report.n,
        "labels": report.counts.labels.tolist(),
        "table": report.counts.table.tolist(),
        "observed_agreement": report.p_o,
        "expected_agreement": report.p_e,
        "weights": report.weights,
        "kappa": report.kappa,
        "kappas": report.kappas,
        **warned(warnings),
    }
    return json_object(fields)


def as_csv(report: ScoreReport, warnings: Sequence[str]) -> str:
    """Return the figures of a report as CSV, a row each."""
    figures = {
        "n": report.n,
        "dropped": report.counts.n_dropped,
        "outside": report.counts.n_outside,
        "kappa": report.kappa,
        "unweighted kappa": report.kappas["none"],
        **{f"kappa, {name} weights": report.kappas[name] for name in SCHEMES},
        "observed agreement": report.p_o,
        "expected agreement": report.p_e,
    }
    return rows_as_csv([{"statistic": name, "value": value} for name, value in figures.items()])


def as_text(report: ScoreReport, warnings: Sequence[str]) -> str:
    """Return a report for a person, no wider than the terminal."""
    undefined, (counts, figures) = _undefined(report), _grids(report)
    above = [*report.headings, *([] if counts else [_too_large(report)])]
    return report_as_text(Report(above, [*counts, figures], undefined), terminal_width())


def as_page(report: ScoreReport, warnings: Sequence[str]) -> str:
    """Return a report as a page of HTML."""
    from fastkappa.cli.pages.page import page
    from fastkappa.cli.reports.parts import Part, Tables

    first, second = map(label_text, report.columns)
    counts, figures = _grids(report)
    caption = f"How often each pair of labels was given: rows {first}, columns {second}"
    parts: list[Part] = [
        *report.headings,
        *([] if counts else [_too_large(report)]),
        Tables(Report([], [*counts, figures]), [*[caption][: len(counts)], "Figures"]),
        *_undefined(report),
    ]
    title = f"{label_text(report.file)}: {first}, {second}"
    return page(title, parts, (), warnings)


def _grids(report: ScoreReport) -> tuple[list[Grid], Grid]:
    """Return the table of counts, none if it is too large, and the figures."""
    figures = list(_statistics(report))
    counts = report.counts
    table = counts_grid(
        counts.labels,
        counts.table,
        rows_are=label_text(report.columns[0]),
        totals=True,
        largest=LARGEST_PRINTED,
    )
    return table, facts(figures)


def _too_large(report: ScoreReport) -> str:
    return TOO_LARGE.format(len(report.counts.labels))


def _headings(
    file: str, columns: tuple[str, str], counts: SourceCounts, sample_weight: str | None
) -> Iterator[str]:
    """Yield what was counted, and what was left out."""
    first, second = (printable(name) for name in columns)
    n_items = counts.n_rows - counts.n_dropped - counts.n_outside
    weighted = "" if sample_weight is None else f", weighted by {printable(sample_weight)}"
    yield (
        f"{count_text(n_items, 'item')} rated in {first} (rows) and {second} (columns) of"
        f" {printable(file)}{weighted}"
    )
    if counts.n_dropped:
        missing = ", ".join(
            f"{n} in {printable(name)}" for name, n in dict(zip(columns, counts.missing)).items()
        )
        yield f"{count_text(counts.n_dropped, 'row')} dropped for a missing rating ({missing})"
    if counts.n_outside:
        yield f"{count_text(counts.n_outside, 'item')} left out for a rating outside the labels"


def _statistics(report: ScoreReport) -> Iterator[tuple[str, str | float]]:
    """Yield name and value of each figure, the requested kappa first."""
    yield "n" if report.sample_weight is None else "sum of weights", number_text(report.n)
    named = report.weights if isinstance(report.weights, str) else None
    if report.matrix is not None:
        yield "kappa, weights of a matrix", report.kappa
    for name in sorted(WEIGHTS, key=lambda name: name != named):
        title = "unweighted kappa" if name == "none" else f"kappa, {name} weights"
        yield title, report.kappas[name]
        if name == "none":
            yield "  observed agreement p_o", report.p_o
            yield "  expected agreement p_e", report.p_e


def _undefined(report: ScoreReport) -> list[str]:
    """Return why kappa is undefined, if it is."""
    if not math.isnan(report.kappas["none"]):
        return []
    why = "no item has both its ratings among the labels"
    if report.n != 0:
        label = report.counts.labels.tolist()[int(report.counts.table.diagonal().argmax())]
        why = f"all ratings are {label_text(label)}, so that no disagreement is expected by chance"
    return [f"Kappa is undefined: {why}."]


WRITERS: dict[str, Callable[[ScoreReport, Sequence[str]], str]] = {
    "text": as_text,
    "json": as_json,
    "csv": as_csv,
    "html": as_page,
}
