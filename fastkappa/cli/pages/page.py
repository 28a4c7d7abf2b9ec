"""Write a report as an HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fastkappa.cli.pages.sorting import SCRIPT
from fastkappa.cli.pages.stylesheet import STYLE
from fastkappa.results.html import as_html, html_table, html_text
from fastkappa.results.report import Grid, Report


def page(
    title: str, reports: Iterable[Report], pictures: Sequence[str], warnings: Sequence[str]
) -> str:
    """Return an HTML page with a title, warnings, reports and pictures.

    All text is escaped except ``pictures``, which must already be HTML.
    """
    from fastkappa import __version__

    reports = list(reports)
    is_sortable = any(grid.is_sortable for report in reports for grid in report.grids)
    body = [
        f"<h1>{html_text(title)}</h1>",
        *(f'<p class="warning">Warning: {html_text(warning)}</p>' for warning in warnings),
        *(as_html(report, _scrolled) for report in reports),
        *(["<h2>Pictures</h2>", *pictures] if pictures else []),
    ]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            f'<meta name="generator" content="fastkappa {html_text(__version__)}">',
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f"<title>{html_text(title)}</title>",
            f"<style>\n{STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            *body,
            f"<footer>Made by fastkappa {html_text(__version__)}.</footer>",
            "</main>",
            *([f"<script>\n{SCRIPT}</script>"] if is_sortable else []),
            "</body>",
            "</html>",
        ]
    )


def _scrolled(grid: Grid) -> str:
    """Return a table inside a box that scrolls if the table is wider than the page."""
    name = f' role="region" aria-label="{html_text(grid.caption)}"' if grid.caption else ""
    return f'<div class="wide" tabindex="0"{name}>\n{html_table(grid)}\n</div>'
