"""The one place that writes HTML of texts."""

from __future__ import annotations

from html import escape

from fastkappa.formatting import harmless
from fastkappa.results.report import Grid, Report


def as_html(report: Report) -> str:
    """Return a report as paragraphs and tables of HTML."""
    above, below = (
        [f"<p>{html_text(paragraph)}</p>" for paragraph in paragraphs]
        for paragraphs in (report.above, report.below)
    )
    return "\n".join([*above, *map(html_table, report.grids), *below])


def html_text(text: str) -> str:
    """Return a text as HTML; what is invisible, such as a mark of direction, is seen."""
    return escape(harmless(text))


def html_table(grid: Grid, caption: str = "") -> str:
    """Return a grid as a table of HTML, whose heads say what they are the heads of."""
    rows = [
        "<tr>"
        + "".join(
            _html_head(cell, "row") if j < grid.n_fixed else f"<td>{html_text(cell)}</td>"
            for j, cell in enumerate(row)
        )
        + "</tr>"
        for row in grid.rows
    ]
    heads = "".join(_html_head(cell, "col") for cell in grid.head)
    head = f"<thead><tr>{heads}</tr></thead>\n" if any(grid.head) else ""
    title = f"<caption>{html_text(caption)}</caption>\n" if caption else ""
    return f"<table>\n{title}{head}<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>"


def _html_head(cell: str, scope: str) -> str:
    return f'<th scope="{scope}">{html_text(cell)}</th>' if cell else "<td></td>"
