"""A report as a page of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest

from fastkappa.cli.pages.style import STYLE
from fastkappa.cli.reports.parts import Heading, Part, Tables
from fastkappa.results import Grid, html_table, html_text


def page(
    title: str, parts: Iterable[Part], pictures: Sequence[str] = (), warnings: Sequence[str] = ()
) -> str:
    """Return a page with a title, what was warned of, the parts of a report, and pictures.

    All texts are escaped here; ``pictures`` are HTML.
    """
    body = [f"<h1>{html_text(title)}</h1>", *_warnings(warnings), *_body(parts)]
    if pictures:
        body += ["<h2>Pictures</h2>", *pictures]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f"<title>{html_text(title)}</title>",
            f"<style>\n{STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            *body,
            f"<footer>{_made_by()}</footer>",
            "</main>",
            "</body>",
            "</html>",
        ]
    )


def _warnings(warnings: Sequence[str]) -> Iterator[str]:
    return (f'<p class="warning">Warning: {html_text(warning)}</p>' for warning in warnings)


def _body(parts: Iterable[Part]) -> Iterator[str]:
    for (kind, indented), some in groupby(parts, key=_kind):
        if kind is not str:
            for part in some:
                yield from _of_part(part)
            continue
        texts = [html_text(text.strip()) for text in some if isinstance(text, str) and text]
        if indented:
            yield "<ul>\n" + "\n".join(f"<li>{text}</li>" for text in texts) + "\n</ul>"
        else:
            yield from (f"<p>{text}</p>" for text in texts)


def _kind(part: Part) -> tuple[type, bool]:
    return type(part), isinstance(part, str) and part.startswith(" ")


def _of_part(part: Part) -> Iterator[str]:
    if isinstance(part, Heading):
        yield f"<h2>{html_text(part.text)}</h2>"
    elif isinstance(part, Tables):
        report, captions = part
        yield from (f"<p>{html_text(paragraph)}</p>" for paragraph in report.above)
        for grid, caption in zip_longest(report.grids, captions[: len(report.grids)]):
            yield _table(grid, caption or "")
        yield from (f"<p>{html_text(paragraph)}</p>" for paragraph in report.below)


def _table(grid: Grid, caption: str) -> str:
    """Return a table that is scrolled by itself where it is wider than the page."""
    name = f' role="region" aria-label="{html_text(caption)}"' if caption else ""
    return f'<div class="wide" tabindex="0"{name}>\n{html_table(grid, caption)}\n</div>'


def _made_by() -> str:
    from fastkappa import __version__

    return f"Made by fastkappa {html_text(__version__)}."
