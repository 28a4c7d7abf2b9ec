"""The parts of a report: paragraphs, and grids of texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fastkappa.arrays import AnyArray
from fastkappa.formatting import figure, interval_text, label_text, printable

# Larger tables of counts are left out of reports, and more rows from the middle of a table:
# nobody reads them.
LARGEST_TABLE = 20
MOST_ROWS = 60
# In a larger table of counts most cells are 0; dots are easier to skip.
LARGEST_WITH_ZEROS = 10
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
    caption : str
        What the rows are, above them on a page.
    above : str
        A line above them when printed.
    zero : str
        What a cell of 0 is when printed.
    is_sortable : bool
        Whether readers of a page may want the rows in another order.
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


class Report(NamedTuple):
    """What a result shows: a heading, paragraphs, grids, and paragraphs beneath.

    Paragraphs that begin with a blank are the entries of a list.
    """

    above: Sequence[str] = ()
    grids: Sequence[Grid] = ()
    below: Sequence[str] = ()
    heading: str = ""


def facts(pairs: Iterable[tuple[str, Any]], caption: str = "") -> Grid:
    """Return a grid of names and values: numbers, intervals or texts."""
    rows = [(name, _value_text(value)) for name, value in pairs]
    return Grid(("", ""), rows, caption=caption)


def _value_text(value: Any) -> str:
    if isinstance(value, float):
        return figure(value)
    if isinstance(value, tuple):
        whole = all(isinstance(end, int) for end in value)
        return " to ".join(map(str, value)) if whole else interval_text(value)
    return printable(value)


def estimate_grid(
    rows: Iterable[tuple[str, float, float, tuple[float, float]]],
    confidence: float,
    *,
    of: str = "",
) -> Grid:
    """Return a grid of estimates: name, value, standard error and interval.

    ``of`` says what they are, if they are not the coefficients of a result.
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
) -> Grid:
    """Return a grid of an estimate in each group: name, n, value, standard error and interval.

    ``of`` names the estimate, ``groups`` the groups.
    """
    cells = [
        (name, str(n), figure(value), figure(error, ""), interval_text(ends, "", width=7))
        for name, n, value, error, ends in rows
    ]
    head = ("group", "n", of, "std. error", interval_head(confidence))
    caption = f"{of[0].upper()}{of[1:]} in each group of {groups}"
    return Grid(head, cells, caption=caption)


def estimate_row(
    name: str, value: float | None, standard_error: float, interval: tuple[float, float]
) -> dict[str, Any]:
    """Return an estimate as a row of CSV."""
    lower, upper = interval
    return {
        "statistic": name,
        "value": value,
        "standard_error": standard_error,
        "lower": lower,
        "upper": upper,
    }


def number_rows(numbers: Mapping[str, float]) -> list[dict[str, Any]]:
    """Return numbers that have no error, such as that of the items, as rows of CSV."""
    return [estimate_row(name, number, math.nan, NO_ENDS) for name, number in numbers.items()]


def counts_grid(
    labels: AnyArray,
    table: AnyArray,
    *,
    rows_are: str = "",
    caption: str = "",
    above: str = "",
    largest: int = LARGEST_TABLE,
) -> list[Grid]:
    """Return the grid of a table of counts with totals, none if it is too large to read."""
    if len(labels) > largest:
        return []
    names = [*(label_text(label) for label in labels.tolist()), "total"]
    counts = [[*row, sum(row)] for row in table.tolist()]
    counts.append([sum(column) for column in zip(*counts)])
    zero = "0" if len(labels) <= LARGEST_WITH_ZEROS else "."
    rows = [[name, *map(number_text, row)] for name, row in zip(names, counts)]
    head = [rows_are, *names]
    return [
        Grid(head, rows, indent=2, least_width=0, caption=caption, above=above, zero=zero),
    ]


def number_text(count: int | float) -> str:
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
