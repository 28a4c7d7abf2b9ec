"""What every result can do: print a report, show it in a notebook, become plain data."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from fastkappa.arrays import AnyArray
from fastkappa.formatting import figure, interval_text, label_text, plain, printable, text_width

COLUMNS = 80
# Longer texts in a cell are cut off when printed.
LONGEST_CELL = 32
# Larger tables of counts are left out of reports, and more rows from the middle of a table:
# nobody reads them.
LARGEST_TABLE = 20
MOST_ROWS = 60
# The names of raters without one.
RATERS = ("first rater", "second rater")
# The interval of what has none.
NO_ENDS = (math.nan, math.nan)


class Grid(NamedTuple):
    """Rows of texts under a head.

    Attributes
    ----------
    head : sequence of str
        The names of the columns; all empty for no head.
    rows : sequence of sequences of str
        The cells.
    n_fixed : int
        How many columns are repeated where the others go on beneath. The last one is aligned
        to the left.
    indent : int
        How far the rows are indented when printed.
    least_width : int
        The least width of the other columns when printed.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_fixed: int = 1
    indent: int = 0
    least_width: int = 8


class Report(NamedTuple):
    """What a result shows: paragraphs, grids, and paragraphs beneath."""

    above: Sequence[str]
    grids: Sequence[Grid]
    below: Sequence[str] = ()


class Result(ABC):
    """A result of the package: it prints as a report in 80 columns, and as HTML in notebooks."""

    __slots__ = ()

    @abstractmethod
    def _report(self) -> Report:
        """Return what is shown."""

    @abstractmethod
    def to_frame(self) -> Any:
        """Return the figures as a pandas DataFrame."""

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as a dictionary that JSON can hold.

        Its values are Python's numbers, strings and lists. Undefined figures are None, infinite
        ones and dates are strings.
        """
        names = (
            [field.name for field in dataclasses.fields(self)]
            if dataclasses.is_dataclass(self)
            else getattr(self, "_fields", ())
        )
        return {name: plain(getattr(self, name)) for name in names if not name.startswith("_")}

    def __str__(self) -> str:
        return as_text(self._report())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return as_html(self._report())


def facts(pairs: Iterable[tuple[str, Any]]) -> Grid:
    """Return a grid of names and values: numbers, intervals or texts."""
    return Grid(("", ""), [(name, _value_text(value)) for name, value in pairs])


def _value_text(value: Any) -> str:
    if isinstance(value, float):
        return figure(value)
    if isinstance(value, tuple):
        whole = all(isinstance(end, int) for end in value)
        return " to ".join(map(str, value)) if whole else interval_text(value)
    return printable(value)


def estimate_grid(
    rows: Iterable[tuple[str, float, float, tuple[float, float]]], confidence: float
) -> Grid:
    """Return a grid of estimates: name, value, standard error and interval."""
    return Grid(
        ("", "value", "std. error", interval_head(confidence)),
        [
            (name, figure(value), figure(error, ""), interval_text(interval, "", width=7))
            for name, value, error, interval in rows
        ],
    )


def counts_grid(
    labels: AnyArray, table: AnyArray, *, totals: bool = False, largest: int = LARGEST_TABLE
) -> list[Grid]:
    """Return the grid of a table of counts, none if it is too large to read."""
    if len(labels) > largest:
        return []
    names = [label_text(label) for label in labels.tolist()]
    counts = table.tolist()
    if totals:
        names.append("total")
        counts = [[*row, sum(row)] for row in counts]
        counts.append([sum(column) for column in zip(*counts)])
    rows = [[name, *map(number_text, row)] for name, row in zip(names, counts)]
    return [Grid(["", *names], rows, indent=2, least_width=0)]


def number_text(count: float) -> str:
    """Return a count, or a sum of item weights, as text."""
    whole = isinstance(count, float) and count.is_integer() and abs(count) < 1e16
    return str(int(count)) if whole else f"{count:.6g}" if isinstance(count, float) else str(count)


def interval_head(confidence: float) -> str:
    """Return the head of a column of intervals."""
    return f"{100 * confidence:g} % interval"


def abridged(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the rows, with dots for those in the middle if there are too many to read."""
    if len(rows) <= MOST_ROWS:
        return list(rows)
    half = MOST_ROWS // 2
    return [*rows[:half], ["..."] * len(rows[0]), *rows[-half:]]


def as_text(report: Report, columns: int = COLUMNS) -> str:
    """Return a report as lines of so many columns at most, 80 if not given.

    A table goes on beneath where it is too wide, and no word or number is broken.

    Examples
    --------
    >>> from fastkappa.results import Grid, Report, as_text
    >>> print(as_text(Report(["Two kappas"], [Grid(["", "kappa"], [["a", "0.5"], ["b", "1.0"]])])))
    Two kappas
    <BLANKLINE>
          kappa
    a       0.5
    b       1.0
    """
    blocks = [
        [line for paragraph in report.above for line in wrapped(paragraph, columns)],
        *_blocks(report.grids, columns),
        [line for paragraph in report.below for line in wrapped(paragraph, columns)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def as_html(report: Report) -> str:
    """Return a report as paragraphs and tables of HTML."""
    above, below = (
        [f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs]
        for paragraphs in (report.above, report.below)
    )
    return "\n".join([*above, *map(html_table, report.grids), *below])


def html_table(grid: Grid, caption: str = "") -> str:
    """Return a grid as a table of HTML, whose heads say what they are the heads of."""
    rows = [
        "<tr>"
        + "".join(
            _html_head(cell, "row") if j < grid.n_fixed else f"<td>{escape(cell)}</td>"
            for j, cell in enumerate(row)
        )
        + "</tr>"
        for row in grid.rows
    ]
    heads = "".join(_html_head(cell, "col") for cell in grid.head)
    head = f"<thead><tr>{heads}</tr></thead>\n" if any(grid.head) else ""
    title = f"<caption>{escape(caption)}</caption>\n" if caption else ""
    return f"<table>\n{title}{head}<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>"


def _html_head(cell: str, scope: str) -> str:
    return f'<th scope="{scope}">{escape(cell)}</th>' if cell else "<td></td>"


def wrapped(paragraph: str, columns: int) -> list[str]:
    """Return a paragraph as lines that break between words, deeper ones where it is indented."""
    indent = " " * (len(paragraph) - len(paragraph.lstrip()))
    return textwrap.wrap(
        paragraph,
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def _blocks(grids: Sequence[Grid], room: int) -> Iterator[list[str]]:
    """Yield the lines of each grid, and of each of its parts if it is too wide."""
    tables = [
        [[shortened(cell) for cell in row] for row in (grid.head, *grid.rows)] for grid in grids
    ]
    # The names of grids beneath each other take the same width.
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
        for columns in _parts(widths, grid.n_fixed, room - grid.indent):
            yield [
                " " * grid.indent
                + "  ".join(
                    _padded(row[j], widths[j], left=j == grid.n_fixed - 1) for j in columns
                ).rstrip()
                for row in shown
            ]


def _parts(widths: list[int], n_fixed: int, room: int) -> Iterator[list[int]]:
    """Yield the columns that are printed beside each other, the fixed ones among them."""
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


def shortened(text: str) -> str:
    """Return a text, cut off if it is too long for a cell."""
    if text_width(text) <= LONGEST_CELL:
        return text
    while text_width(text) > LONGEST_CELL - 1:
        text = text[:-1]
    return text + "…"
