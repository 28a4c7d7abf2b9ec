"""The layout of a report: as text, and as HTML for a notebook."""

from __future__ import annotations

from html import escape
from typing import Any, NamedTuple

from fastkappa.arrays import AnyArray
from fastkappa.formatting import figure, interval_text, label_text, table_lines

# Larger tables are left out: nobody reads them.
LARGEST_TABLE = 20


class Contents(NamedTuple):
    """The contents of a report of two raters' agreement.

    ``estimates`` holds the name, value, standard error and interval of each index, ``facts``
    names and values as text.
    """

    heading: str
    remarks: list[str]
    labels: AnyArray
    table: AnyArray
    confidence: float
    estimates: list[tuple[str, float, float, tuple[float, float]]]
    facts: list[tuple[str, str]]


def as_text(contents: Contents) -> str:
    """Return a report as lines of text."""
    lines = [contents.heading, *contents.remarks, ""]
    if len(contents.labels) <= LARGEST_TABLE:
        lines += [*table_lines(_label_texts(contents), contents.table), ""]
    rows = [
        (name, figure(value), figure(error, ""), interval_text(interval, "", width=7))
        for name, value, error, interval in contents.estimates
    ]
    rows.insert(0, ("", "value", "std. error", f"{100 * contents.confidence:g} % interval"))
    margin = max(len(first) for first, *_ in (*rows, *contents.facts))
    lines += [f"{a:<{margin}}{b:>10}{c:>12}{d:>21}".rstrip() for a, b, c, d in rows]
    lines += ["", *(f"{name:<{margin}}{value:>10}" for name, value in contents.facts)]
    return "\n".join(lines)


def as_html(contents: Contents) -> str:
    """Return a report as HTML paragraphs and tables."""
    parts = [f"<p>{escape(line)}</p>" for line in (contents.heading, *contents.remarks)]
    if len(contents.labels) <= LARGEST_TABLE:
        labels = _label_texts(contents)
        rows = [[label, *row] for label, row in zip(labels, contents.table.tolist())]
        parts.append(_html_table(["", *labels], rows))
    parts.append(
        _html_table(
            ["", "value", "standard error", f"{100 * contents.confidence:g} % interval"],
            [
                [name, figure(value), figure(error, ""), interval_text(interval, "")]
                for name, value, error, interval in contents.estimates
            ],
        )
    )
    parts.append(_html_table(["", ""], [list(fact) for fact in contents.facts]))
    return "\n".join(parts)


def _label_texts(contents: Contents) -> list[str]:
    return [label_text(label) for label in contents.labels.tolist()]


def _html_table(head: list[str], rows: list[list[Any]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr><th>{escape(str(row[0]))}</th>"
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
