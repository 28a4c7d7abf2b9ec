"""What one table of counts says about two raters, as text for a person or as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from fastkappa.arrays import IntTable
from fastkappa.engines.counted import SourceCounts
from fastkappa.statistics.kappa import expected_agreement, kappas, observed_agreement
from fastkappa.statistics.tables import as_tables

WeightsName = Literal["none", "linear", "quadratic"]
WEIGHTS: tuple[WeightsName, ...] = ("none", "linear", "quadratic")
KAPPA_NAMES = {
    "none": "unweighted kappa",
    "linear": "kappa, linear weights",
    "quadratic": "kappa, quadratic weights",
}

# A larger table is no longer read by a person.
LARGEST_PRINTED = 30
# In a table of more labels most cells are empty, and are easier passed over as dots.
LARGEST_WITH_ZEROS = 10
LONGEST_ROW_HEAD = 32
LONGEST_COLUMN_HEAD = 16
BETWEEN_COLUMNS = 2


class Report(NamedTuple):
    """The table of counts of two columns of a file, and its statistics.

    ``n`` counts the items in the table, ``n_outside`` those left out because a rating is
    none of the labels. ``p_o`` and ``p_e`` are those of the unweighted kappa. ``kappa`` is
    NaN, as they may be, where it is undefined.
    """

    file: str
    columns: tuple[str, str]
    weights: WeightsName
    n_rows: int
    missing: tuple[int, int]
    n_dropped: int
    n_outside: int
    n: int
    labels: list[Any]
    table: IntTable
    p_o: float
    p_e: float
    kappa: dict[WeightsName, float]


def make_report(
    path: Path, columns: tuple[str, str], counts: SourceCounts, weights: WeightsName
) -> Report:
    """Compute what is told about the ratings of a file."""
    table = as_tables(counts.table)
    return Report(
        file=str(path),
        columns=columns,
        weights=weights,
        n_rows=counts.n_rows,
        missing=counts.missing,
        n_dropped=counts.n_dropped,
        n_outside=counts.n_outside,
        n=int(counts.table.sum()),
        labels=counts.labels.tolist(),
        table=counts.table,
        p_o=observed_agreement(table),
        p_e=expected_agreement(table),
        kappa={name: float(kappas(table, None if name == "none" else name)) for name in WEIGHTS},
    )


def as_json(report: Report) -> str:
    """Return a report as a JSON object, one line for each of its keys."""
    raters = ("y1", "y2")
    fields = {
        "file": report.file,
        "columns": dict(zip(raters, report.columns)),
        "rows": report.n_rows,
        "missing": dict(zip(raters, report.missing)),
        "dropped": report.n_dropped,
        "outside": report.n_outside,
        "n": report.n,
        "labels": report.labels,
        "table": report.table.tolist(),
        "observed_agreement": _or_null(report.p_o),
        "expected_agreement": _or_null(report.p_e),
        "weights": report.weights,
        "kappa": _or_null(report.kappa[report.weights]),
        "kappas": {name: _or_null(kappa) for name, kappa in report.kappa.items()},
    }
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def print_report(report: Report) -> None:
    """Print a report for a person, no wider than the terminal."""
    try:
        from rich.console import Console
        from rich.text import Text
    except ImportError as error:
        raise ImportError(
            "a report for a person needs rich: install it with: pip install 'fastkappa[cli]'"
        ) from error

    console = Console(highlight=False)
    first, second = (_printable(name) for name in report.columns)
    console.print()
    lines = [
        f"{_count(report.n, 'item')} rated in {first} (rows) and {second} (columns) of"
        f" {_printable(report.file)}"
    ]
    if report.n_dropped:
        counted = ", ".join(
            f"{n} in {_printable(name)}"
            for name, n in dict(zip(report.columns, report.missing)).items()
        )
        lines.append(f"{_count(report.n_dropped, 'row')} dropped for a missing rating ({counted})")
    if report.n_outside:
        lines.append(f"{_count(report.n_outside, 'item')} left out for a rating outside the labels")
    for line in lines:
        console.print(Text(" " + line), soft_wrap=True)
    console.print()
    for text in _table_lines(report, console):
        console.print(text, soft_wrap=True)
    for label, value, style in _statistics(report):
        console.print(Text(f" {label:<28}{value:>12}", style=style))
    if math.isnan(report.kappa["none"]):
        console.print()
        console.print(Text(f" Kappa is undefined: {_why_undefined(report)}."), soft_wrap=True)
    console.print()


def _statistics(report: Report) -> Iterator[tuple[str, str, str]]:
    """Yield name, value and style of each figure, the kappa asked for first."""
    yield "n", str(report.n), ""
    for name in sorted(WEIGHTS, key=lambda name: name != report.weights):
        kappa = report.kappa[name]
        yield KAPPA_NAMES[name], _figure(kappa), "bold" if name == report.weights else ""
        if name == "none":
            yield "  observed agreement p_o", _figure(report.p_o), ""
            yield "  expected agreement p_e", _figure(report.p_e), ""


def _table_lines(report: Report, console: Any) -> Iterator[Any]:
    """Yield the lines of the table of counts, in as many blocks as the terminal needs."""
    from rich.text import Text

    if len(report.labels) > LARGEST_PRINTED:
        yield Text(
            f" The table of {len(report.labels)} labels is too large to be read here:"
            " --format json has it.\n"
        )
        return
    rows, columns = (_shortened(name, LONGEST_COLUMN_HEAD) for name in report.columns)
    labels = [*report.labels, "total"]
    row_heads = [_shortened(label, LONGEST_ROW_HEAD) for label in labels]
    column_heads = [_shortened(label, LONGEST_COLUMN_HEAD) for label in labels]
    counts = [[*row, sum(row)] for row in report.table.tolist()]
    counts.append([sum(column) for column in zip(*counts)])
    zero = "0" if len(report.labels) <= LARGEST_WITH_ZEROS else "."
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
                style = "bold" if i == j < len(report.labels) else "" if row[j] else "dim"
                line.append(f"{row[j] or zero:>{BETWEEN_COLUMNS + widths[j]}}", style=style)
            yield line
        yield Text()


def _blocks(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield the columns that fit side by side, at least one at a time."""
    block: list[int] = []
    taken = 0
    for j, width in enumerate(widths):
        if block and taken + BETWEEN_COLUMNS + width > room:
            yield block
            block, taken = [], 0
        block.append(j)
        taken += BETWEEN_COLUMNS + width
    yield block


def _shortened(value: Any, longest: int) -> str:
    from rich.cells import set_cell_size

    text = _printable(value)
    return text if _width(text) <= longest else set_cell_size(text, longest - 3) + "..."


def _padded(text: str, width: int, right: bool = False) -> str:
    padding = " " * (width - _width(text))
    return padding + text if right else text + padding


def _width(text: str) -> int:
    """Return the number of terminal cells a text takes: some characters take two."""
    from rich.cells import cell_len

    return cell_len(text)


def _why_undefined(report: Report) -> str:
    if report.n == 0:
        return "no item has both its ratings among the labels"
    return (
        f"all ratings are {_printable(_only_label(report))}, so that no disagreement is expected"
        " by chance"
    )


def _only_label(report: Report) -> Any:
    return report.labels[int(report.table.diagonal().argmax())]


def _printable(value: Any) -> str:
    """Return a label or a name as one line of visible characters."""
    text = str(value)
    return text if text.isprintable() and text.strip() else repr(text)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _figure(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else value
