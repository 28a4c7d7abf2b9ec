"""Write reports and tables as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from fastkappa.formatting import text_width
from fastkappa.results.report import Grid, Report

COLUMNS = 80
# Names longer than LONGEST_CELL characters are truncated, and values longer than that are split
# into several lines. In grids whose rows begin with two names, the limit is LONGEST_OF_TWO, so that
# two names and an interval fit on a line.
LONGEST_CELL, LONGEST_OF_TWO = 38, 28


def as_text(report: Report, columns: int = COLUMNS) -> str:
    """Return a report as text with at most ``columns`` characters per line.

    If a table is too wide, its remaining columns are shown below it. Words and numbers are never
    broken.

    Examples
    --------
    >>> from fastkappa.results.report import Grid, Report
    >>> from fastkappa.results.text import as_text
    >>> print(as_text(Report(["Two kappas"], [Grid(["", "kappa"], [["a", "0.5"], ["b", "1.0"]])])))
    Two kappas
    <BLANKLINE>
          kappa
    a       0.5
    b       1.0
    """
    blocks = [
        [report.heading] if report.heading else [],
        [line for part in (*report.above, *report.doubts) for line in wrapped(part, columns)],
        *_blocks(report.grids, columns),
        [
            line
            for paragraph in (*report.below, *report.notes)
            for line in wrapped(paragraph, columns)
        ],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def wrapped(paragraph: str, columns: int) -> list[str]:
    """Wrap a paragraph without breaking words, and indent all lines of a list entry."""
    indent = " " * (len(paragraph) - len(paragraph.lstrip()))
    return textwrap.wrap(
        paragraph,
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def _blocks(grids: Sequence[Grid], room: int) -> Iterator[list[str]]:
    """Yield the lines of each grid. A grid that is too wide is split into parts."""
    longest = [LONGEST_OF_TWO if grid.n_fixed > 1 else LONGEST_CELL for grid in grids]
    tables = [
        [[shortened(cell, most) for cell in grid.head], *_rows(grid, most)]
        for grid, most in zip(grids, longest)
    ]
    # The column of names has the same width in all grids.
    margin = max(
        (
            text_width(row[0])
            for grid, table in zip(grids, tables)
            if grid.n_fixed == 1 and not grid.indent
            for row in table
        ),
        default=0,
    )
    for grid, table in zip(grids, tables):
        widths = [max(map(text_width, column)) for column in zip(*table)]
        widths[grid.n_fixed :] = [max(w, grid.least_width) for w in widths[grid.n_fixed :]]
        if grid.n_fixed == 1 and not grid.indent:
            widths[0] = margin
        shown = table if any(grid.head) else table[1:]
        above = [*wrapped(grid.above, room), ""] if grid.above else []
        left = (grid.n_fixed - 1, *grid.text_columns)
        for columns in _parts(widths, grid.n_fixed, room - grid.indent):
            yield above + [
                " " * grid.indent
                + "  ".join(_padded(row[j], widths[j], left=j in left) for j in columns).rstrip()
                for row in shown
            ]
            above = []


def _rows(grid: Grid, longest: int) -> Iterator[list[str]]:
    """Yield the lines of each row. Long names are truncated, and long values are wrapped."""
    n = grid.n_fixed
    for row in grid.rows:
        values = (grid.zero if cell == "0" else cell for cell in row[n:])
        cells = [[name] for name in row[:n]]
        cells += [wrapped(cell, longest) if len(cell) > longest else [cell] for cell in values]
        for line in zip_longest(*cells, fillvalue=""):
            yield [shortened(cell, longest) for cell in line]


def _parts(widths: list[int], n_fixed: int, room: int) -> Iterator[list[int]]:
    """Split a grid into parts that fit. Yield each part's columns, including the fixed columns."""
    fixed = list(range(n_fixed))
    part: list[int] = []
    for j in range(n_fixed, len(widths)):
        if part and sum(widths[k] + 2 for k in (*fixed, *part, j)) - 2 > room:
            yield fixed + part
            part = []
        part.append(j)
    yield fixed + part


def _padded(text: str, width: int, *, left: bool) -> str:
    blank = " " * (width - text_width(text))
    return text + blank if left else blank + text


def shortened(text: str, longest: int = LONGEST_CELL) -> str:
    """Return a string, truncated if it is too long for a cell."""
    if text_width(text) <= longest:
        return text
    while text_width(text) > longest - 1:
        text = text[:-1]
    return text + "…"
