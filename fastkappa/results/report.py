"""Define the parts of a report: paragraphs, and grids of text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fastkappa.arrays import AnyArray
from fastkappa.formatting import (
    counts_text,
    figure,
    interval_text,
    label_text,
    number_text,
    p_value_text,
    printable,
)

# Reports leave out confusion matrices with more than LARGEST_TABLE labels, and the middle rows of
# tables with more than MOST_ROWS rows.
LARGEST_TABLE = 20
MOST_ROWS = 60
# The maximum number of numeric columns that fit on one line of text.
MOST_COLUMNS = 8
# In confusion matrices with more labels than this, zeros are printed as dots, because most cells
# are 0.
LARGEST_WITH_ZEROS = 10
# The comparison sign in the null hypothesis, for each alternative hypothesis.
NULL_SIGNS = {"two-sided": "=", "greater": "<=", "less": ">="}
# The default names of the raters.
RATERS = ("first rater", "second rater")
# The limits of a missing interval.
NO_ENDS = (math.nan, math.nan)
NOT_ADJUSTED = "p and intervals of differences are not adjusted for their number"


class Grid(NamedTuple):
    """A table with a header and cells of text.

    Attributes
    ----------
    head : sequence of str
        The names of the columns. If all names are empty, no header is shown.
    rows : sequence of sequences of str
        The cells.
    n_fixed : int
        The number of leading columns that are repeated if a wide table is split into parts. The
        last of these columns is left-aligned.
    indent : int
        The indentation of the rows when printed.
    least_width : int
        The minimum width of the other columns when printed.
    caption : str
        The caption above the rows in HTML.
    above : str
        The line above the table when printed.
    zero : str
        The text that is printed for a count of 0.
    is_sortable : bool
        Whether readers of an HTML page can sort the rows.
    text_columns : sequence of int
        The positions of columns that contain text instead of numbers, which are left-aligned.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    n_fixed: int = 1
    indent: int = 0
    least_width: int = 8
    caption: str = ""
    above: str = ""
    zero: str = "0"
    is_sortable: bool = False
    text_columns: Sequence[int] = ()


class Report(NamedTuple):
    """The report on a result: a heading, paragraphs, grids, and paragraphs below the grids.

    A paragraph that begins with a space is shown as a list entry. ``doubts`` are paragraphs above
    the grids that say why figures cannot be trusted, and ``notes`` are paragraphs at the end that
    explain unexpected figures. The command line prints ``doubts`` and ``notes`` in all output
    formats.
    """

    above: Sequence[str] = ()
    grids: Sequence[Grid] = ()
    below: Sequence[str] = ()
    heading: str = ""
    doubts: Sequence[str] = ()
    notes: Sequence[str] = ()


def left_outside(*n_items: int, is_weighted: bool = False) -> list[str]:
    """Return a list with one line about the items left out, or an empty list if there are none.

    If results leave out different numbers of items, state every number. If items have weights, the
    numbers count rows.
    """
    if not any(n_items):
        return []
    of = counts_text(n_items, "row" if is_weighted else "item")
    return [f"{of} left out because of a rating outside the labels"]


def facts(pairs: Iterable[tuple[str, Any]], caption: str = "") -> Grid:
    """Return a grid of names and values. Values are numbers, intervals or strings."""
    rows = [(name, _value_text(value)) for name, value in pairs]
    return Grid(("", ""), rows, caption=caption)


def _value_text(value: Any) -> str:
    if isinstance(value, float):
        return figure(value)
    if isinstance(value, tuple):
        whole = all(isinstance(end, int) for end in value)
        return " to ".join(map(str, value)) if whole else interval_text(value)
    return printable(value)


def null_text(null: float, alternative: str, of: str = "kappa") -> str:
    """Return a null hypothesis as text, such as ``kappa <= 0.6``."""
    return f"{of} {NULL_SIGNS[alternative]} {null:g}"


def is_planned(null: float, alternative: str) -> bool:
    """Return whether a test differs from the default two-sided test of chance agreement."""
    return null != 0 or alternative != "two-sided"


def with_p(grid: Grid, p_values: Iterable[float]) -> Grid:
    """Return a grid with an additional column of p-values."""
    rows = [(*row, p_value_text(p)) for row, p in zip(grid.rows, p_values)]
    return grid._replace(head=(*grid.head, "p"), rows=rows)


def estimate_grid(
    rows: Iterable[tuple[str, float, float, tuple[float, float]]],
    confidence: float,
    *,
    of: str = "",
) -> Grid:
    """Return a grid with the name, value, standard error and interval of each estimate.

    ``of`` is the caption if the estimates are not the coefficients of a result.
    """
    head = interval_head(confidence)
    return Grid(
        ("", "value", "std. error", head),
        [
            (name, figure(value), figure(error, ""), interval_text(interval, "", width=7))
            for name, value, error, interval in rows
        ],
        caption=of or f"Coefficients, with standard errors and {head}s",
        above=of,
    )


def groups_grid(
    rows: Iterable[tuple[str, int, float, float, tuple[float, float]]],
    confidence: float,
    of: str,
    groups: str,
    n_missing: Sequence[int] = (),
) -> Grid:
    """Return a grid with one estimate per group: name, n, value, standard error and interval.

    ``of`` is the name of the estimate, ``groups`` is the name of the grouping, and ``n_missing``
    contains the number of missing ratings of each group, if they are shown.
    """
    cells: list[tuple[str, ...]] = [
        (name, str(n), figure(value), figure(error, ""), interval_text(ends, "", width=7))
        for name, n, value, error, ends in rows
    ]
    head: tuple[str, ...] = ("group", "n", of, "std. error", interval_head(confidence))
    if n_missing:
        cells = [(name, n, str(k), *rest) for (name, n, *rest), k in zip(cells, n_missing)]
        head = ("group", "n", "missing", *head[2:])
    caption = f"{of[0].upper()}{of[1:]} in each group of {groups}"
    return Grid(head, cells, caption=caption)


def differences_grid(differences: Iterable[Any], confidence: float, of: str = "kappa of") -> Grid:
    """Return a grid of differences, with their errors, intervals and p-values.

    ``of`` is the header of the first column.
    """
    cells = [
        (
            *one.names,
            figure(one.value),
            figure(one.standard_error, ""),
            interval_text(one.interval, "", width=7),
            p_value_text(one.p_value),
        )
        for one in differences
    ]
    head = (of, "minus", "difference", "std. error", interval_head(confidence), "p")
    return Grid(head, cells, n_fixed=2, caption="Differences, with their tests")


def not_adjusted(n_differences: int, n_groups: int) -> list[str]:
    """Return a line about the tests of differences, or no line if there is only one difference."""
    together = "the test of equality compares all groups at once"
    if n_differences > 1:
        return [f"{NOT_ADJUSTED}; {together}"]
    return [together] if n_groups > 2 else []


def estimate_row(
    name: str, value: float | None, standard_error: float, interval: tuple[float, float]
) -> dict[str, Any]:
    """Return an estimate as a CSV row."""
    lower, upper = interval
    return {
        "statistic": name,
        "value": value,
        "standard_error": standard_error,
        "lower": lower,
        "upper": upper,
    }


def number_rows(numbers: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return numbers without a standard error, such as the number of items, as CSV rows."""
    return [estimate_row(name, number, math.nan, NO_ENDS) for name, number in numbers.items()]


def counts_grid(
    labels: AnyArray,
    table: AnyArray,
    *,
    rows_are: str = "",
    caption: str = "",
    axes: tuple[str, str] | None = None,
    largest: int = LARGEST_TABLE,
) -> list[Grid]:
    """Return a list with the grid of a confusion matrix, or an empty list if it is too large.

    The grid includes totals. ``axes`` names the rows and the columns in the line above the grid.
    """
    if len(labels) > largest:
        return []
    names = [*(label_text(label) for label in labels.tolist()), "total"]
    counts = [[*row, sum(row)] for row in table.tolist()]
    counts.append([sum(column) for column in zip(*counts)])
    zero = "0" if len(labels) <= LARGEST_WITH_ZEROS else "."
    rows = [[name, *map(number_text, row)] for name, row in zip(names, counts)]
    head = [rows_are, *names]
    above = "{} (rows) and {} (columns)".format(*axes) if axes else ""
    caption = above or caption
    return [Grid(head, rows, indent=2, least_width=0, caption=caption, above=above, zero=zero)]


def interval_head(confidence: float) -> str:
    """Return the header of a column of intervals."""
    return f"{100 * confidence:g} % interval"


def abridged(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the rows, with dots in place of the middle rows if there are too many to read."""
    if len(rows) <= MOST_ROWS:
        return list(rows)
    half = MOST_ROWS // 2
    return [*rows[:half], ["..."] * len(rows[0]), *rows[-half:]]
