"""The report of ``fastkappa score``, as text for a person or as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from fastkappa.engines.counted import SourceCounts
from fastkappa.exceptions import library_needed
from fastkappa.formatting import count_text, figure, json_object, printable
from fastkappa.statistics.kappa import expected_agreement, kappas, observed_agreement
from fastkappa.statistics.tables import as_tables
from fastkappa.statistics.weights import SCHEMES, Scheme

WeightsName: TypeAlias = Literal["none"] | Scheme
WEIGHTS: tuple[WeightsName, ...] = ("none", *SCHEMES)

# A larger table is not readable.
LARGEST_PRINTED = 30
# In a larger table most cells are 0; dots are easier to skip.
LARGEST_WITH_ZEROS = 10
LONGEST_ROW_HEAD = 32
LONGEST_COLUMN_HEAD = 16
BETWEEN_COLUMNS = 2


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
    table = as_tables(counts.table)
    return ScoreReport(
        file=str(path),
        columns=columns,
        weights=weights,
        counts=counts,
        n=int(counts.table.sum()),
        p_o=observed_agreement(table),
        p_e=expected_agreement(table),
        kappa={name: float(kappas(table, None if name == "none" else name)) for name in WEIGHTS},
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
    for text in _table_lines(report, console):
        console.print(text, soft_wrap=True)
    for name, value, style in _statistics(report):
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


def _table_lines(report: ScoreReport, console: Any) -> Iterator[Any]:
    """Yield the lines of the table of counts, in blocks that fit the terminal."""
    from rich.text import Text

    n_labels = len(report.counts.labels)
    if n_labels > LARGEST_PRINTED:
        yield Text(
            f" The table of {n_labels} labels is too large to be read here: --format json has it.\n"
        )
        return
    rows, columns = (_shortened(name, LONGEST_COLUMN_HEAD) for name in report.columns)
    labels = [*report.counts.labels.tolist(), "total"]
    row_heads = [_shortened(label, LONGEST_ROW_HEAD) for label in labels]
    column_heads = [_shortened(label, LONGEST_COLUMN_HEAD) for label in labels]
    counts = [[*row, sum(row)] for row in report.counts.table.tolist()]
    counts.append([sum(column) for column in zip(*counts)])
    zero = "0" if n_labels <= LARGEST_WITH_ZEROS else "."
    margin = max(_width(text) for text in (rows, *row_heads))
    widths = [
        max(_width(head), len(str(max(column)))) for head, column in zip(column_heads, zip(*counts))
    ]
    rule = "-" if console.options.ascii_only else "\N{BOX DRAWINGS LIGHT HORIZONTAL}"
    for block in _blocks(widths, console.width - margin - 1):
        line = Text(" " * (margin + 1 + BETWEEN_COLUMNS))
        yield line.append(columns, style="italic")
        line = Text(" ").append(_padded(rows, margin), style="italic")
        for j in block:
            head = _padded(column_heads[j], BETWEEN_COLUMNS + widths[j], right=True)
            line.append(head, style="bold")
        yield line
        yield Text(" " + rule * (line.cell_len - 1), style="dim")
        for i, row in enumerate(counts):
            line = Text(" ").append(_padded(row_heads[i], margin), style="bold")
            for j in block:
                style = "bold" if i == j < n_labels else "" if row[j] else "dim"
                line.append(f"{row[j] or zero:>{BETWEEN_COLUMNS + widths[j]}}", style=style)
            yield line
        yield Text()


def _blocks(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield the columns that fit side by side, at least one at a time."""
    block: list[int] = []
    used = 0
    for j, width in enumerate(widths):
        if block and used + BETWEEN_COLUMNS + width > room:
            yield block
            block, used = [], 0
        block.append(j)
        used += BETWEEN_COLUMNS + width
    yield block


def _shortened(value: Any, longest: int) -> str:
    from rich.cells import set_cell_size

    text = printable(value)
    return text if _width(text) <= longest else set_cell_size(text, longest - 3) + "..."


def _padded(text: str, width: int, right: bool = False) -> str:
    padding = " " * (width - _width(text))
    return padding + text if right else text + padding


def _width(text: str) -> int:
    """Return the number of terminal cells of a text: some characters take two."""
    from rich.cells import cell_len

    return cell_len(text)


def _why_undefined(report: ScoreReport) -> str:
    if report.n == 0:
        return "no item has both its ratings among the labels"
    label = report.counts.labels.tolist()[int(report.counts.table.diagonal().argmax())]
    return f"all ratings are {printable(label)}, so that no disagreement is expected by chance"
