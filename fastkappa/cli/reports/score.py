"""The report of ``fastkappa score``, as text for a person or as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from fastkappa.cli.reports.count_table import table_lines
from fastkappa.engines.counted import SourceCounts
from fastkappa.exceptions import library_needed
from fastkappa.formatting import count_text, figure, json_object, printable
from fastkappa.statistics.kappa import expected_agreement, kappas, observed_agreement
from fastkappa.statistics.tables import as_table
from fastkappa.statistics.weights import SCHEMES, Scheme

WeightsName: TypeAlias = Literal["none"] | Scheme
WEIGHTS: tuple[WeightsName, ...] = ("none", *SCHEMES)


class ScoreReport(NamedTuple):
    """The table of counts of two columns of a file, and its statistics.

    ``n`` counts the items in the table. ``p_o`` and ``p_e`` are those of the unweighted kappa.
    ``kappa``, ``p_o`` and ``p_e`` are NaN where undefined.
    """

    file: str
    columns: tuple[str, str]
    weights: WeightsName
    counts: SourceCounts
    n: int
    p_o: float
    p_e: float
    kappa: dict[WeightsName, float]


def make_report(
    path: Path, columns: tuple[str, str], counts: SourceCounts, weights: WeightsName
) -> ScoreReport:
    """Compute the figures of the report from the counts of a file."""
    table = as_table(counts.table)
    return ScoreReport(
        file=str(path),
        columns=columns,
        weights=weights,
        counts=counts,
        n=int(counts.table.sum()),
        kappa={name: float(kappas(table, None if name == "none" else name)) for name in WEIGHTS},
        p_o=observed_agreement(table),
        p_e=expected_agreement(table),
    )


def as_json(report: ScoreReport, remarks: Mapping[str, Any]) -> str:
    """Return a report and remarks as a JSON object, null for what is undefined."""
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
        "kappa": report.kappa[report.weights],
        "kappas": report.kappa,
        **remarks,
    }
    return json_object(fields)


def print_report(report: ScoreReport) -> None:
    """Print a report for a person, no wider than the terminal."""
    with library_needed("a report for a person", "rich", "fastkappa[cli]"):
        from rich.console import Console
        from rich.text import Text

    console = Console(highlight=False)
    statistics = list(_statistics(report))
    first, second = (printable(name) for name in report.columns)
    console.print()
    lines = [
        f"{count_text(report.n, 'item')} rated in {first} (rows) and {second} (columns) of"
        f" {printable(report.file)}"
    ]
    counts = report.counts
    if counts.n_dropped:
        missing = ", ".join(
            f"{n} in {printable(name)}"
            for name, n in dict(zip(report.columns, counts.missing)).items()
        )
        lines.append(
            f"{count_text(counts.n_dropped, 'row')} dropped for a missing rating ({missing})"
        )
    if counts.n_outside:
        lines.append(
            f"{count_text(counts.n_outside, 'item')} left out for a rating outside the labels"
        )
    for line in lines:
        console.print(Text(" " + line), soft_wrap=True)
    console.print()
    for text in table_lines(counts, report.columns, console):
        console.print(text, soft_wrap=True)
    for name, value, style in statistics:
        console.print(Text(f" {name:<28}{value:>12}", style=style))
    if math.isnan(report.kappa["none"]):
        console.print()
        console.print(Text(f" Kappa is undefined: {_why_undefined(report)}."), soft_wrap=True)
    console.print()


def _statistics(report: ScoreReport) -> Iterator[tuple[str, str, str]]:
    """Yield name, value and style of each figure, the requested kappa first."""
    yield "n", str(report.n), ""
    for name in sorted(WEIGHTS, key=lambda name: name != report.weights):
        kappa = report.kappa[name]
        title = "unweighted kappa" if name == "none" else f"kappa, {name} weights"
        yield title, figure(kappa), "bold" if name == report.weights else ""
        if name == "none":
            yield "  observed agreement p_o", figure(report.p_o), ""
            yield "  expected agreement p_e", figure(report.p_e), ""


def _why_undefined(report: ScoreReport) -> str:
    if report.n == 0:
        return "no item has both its ratings among the labels"
    label = report.counts.labels.tolist()[int(report.counts.table.diagonal().argmax())]
    return f"all ratings are {printable(label)}, so that no disagreement is expected by chance"
