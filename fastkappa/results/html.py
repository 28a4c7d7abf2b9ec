"""Write reports as HTML. This module produces all HTML output of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby

from fastkappa.formatting import harmless
from fastkappa.results.report import Grid, Report


def as_html(report: Report, table: Callable[[Grid], str] | None = None) -> str:
    """Return a report as HTML with a heading, paragraphs, lists and tables.

    ``table`` converts each grid to HTML, by default with `html_table`.
    """
    heading = [f"<h2>{html_text(report.heading)}</h2>"] if report.heading else []
    tables = map(table or html_table, report.grids)
    texts = [*report.above, *report.doubts], [*report.below, *report.notes]
    above, below = map(_paragraphs, texts)
    return "\n".join([*heading, *above, *tables, *below])


def _paragraphs(texts: Sequence[str]) -> Iterator[str]:
    for are_entries, some in groupby(texts, lambda text: text.startswith(" ")):
        if are_entries:
            yield "\n".join(["<ul>", *(f"<li>{html_text(t.strip())}</li>" for t in some), "</ul>"])
        else:
            yield from (f"<p>{html_text(text)}</p>" for text in some)


def html_text(text: str) -> str:
    """Return a string as HTML, with invisible characters, such as direction marks, escaped."""
    return escape(harmless(text))


def html_table(grid: Grid) -> str:
    """Return a grid as an HTML table, with a scope on each header cell for screen readers."""

    def kind(column: int) -> str:
        if column == grid.n_fixed - 1:
            return ' class="name"'
        return ' class="text"' if column in grid.text_columns else ""

    rows = [
        "<tr>"
        + "".join(
            _html_head(cell, "row") if j < grid.n_fixed else f"<td{kind(j)}>{html_text(cell)}</td>"
            for j, cell in enumerate(row)
        )
        + "</tr>"
        for row in grid.rows
    ]
    heads = "".join(_html_head(cell, "col", kind(j)) for j, cell in enumerate(grid.head))
    head = f"<thead><tr>{heads}</tr></thead>\n" if any(grid.head) else ""
    title = f"<caption>{html_text(grid.caption)}</caption>\n" if grid.caption else ""
    sortable = ' class="sortable"' if grid.is_sortable else ""
    return f"<table{sortable}>\n{title}{head}<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>"


def _html_head(cell: str, scope: str, kind: str = "") -> str:
    if not cell:
        return "<td></td>"
    # Leading spaces, which indent a header in printed text, are removed.
    return f'<th scope="{scope}"{kind}>{html_text(cell.lstrip(" "))}</th>'
