"""Texts for the reports of measurements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from fastkappa.formatting import count_text, measured_text, printable
from fastkappa.results.report import RATERS, Grid, interval_head

# With more raters than this, reports contain the number of raters instead of their names.
MOST_NAMED = 10
# The name of a measurement, its value and its interval.
MeasuredRow: TypeAlias = tuple[str, float, tuple[float, float]]


def heading(what: str, raters: Sequence[str], items: str, between: str = ", ") -> str:
    """Return the heading of a report: the statistic, and the raters' names or number.

    Examples
    --------
    >>> from fastkappa.measurements.report_texts import heading
    >>> heading("Intraclass correlation", ["Ann", "Ben", "Cat"], "20 items")
    'Intraclass correlation of Ann, Ben and Cat, 20 items'
    >>> heading("Intraclass correlation", ["rater 1", "rater 2", "rater 3"], "20 items")
    'Intraclass correlation of 3 raters, 20 items'
    """
    return f"{what} of {_raters_text(raters)}{between}{items}"


def items_text(n_subjects: int, n_clusters: int) -> str:
    """Return the number of items, and the number of clusters if there are fewer.

    Examples
    --------
    >>> from fastkappa.measurements.report_texts import items_text
    >>> items_text(60, 12), items_text(60, 60)
    ('60 items in 12 clusters', '60 items')
    """
    inside = f" in {count_text(n_clusters, 'cluster')}" if n_clusters < n_subjects else ""
    return f"{count_text(n_subjects, 'item')}{inside}"


def left_out(n_dropped: int) -> list[str]:
    """Return a line about the items that are left out, if there are any."""
    if not n_dropped:
        return []
    return [f"{count_text(n_dropped, 'item')} left out because of a missing measurement"]


def in_brackets(lines: Sequence[str]) -> str:
    """Return the lines about left out items for a sentence."""
    return "".join(f" ({line})" for line in lines)


def measured_grid(rows: Iterable[MeasuredRow], spread: float, confidence: float) -> Grid:
    """Return a grid of measurements with their intervals, rounded to digits of ``spread``."""
    shown = [(name, *_texts(value, ends, spread, 4)) for name, value, ends in rows]
    return Grid(("", "value", interval_head(confidence)), shown)


def measured_estimates(
    rows: Iterable[MeasuredRow], spread: float, of_interval: str
) -> Iterator[str]:
    """Yield measurements with their intervals for a sentence, which names the first interval."""
    for _, value, ends in rows:
        shown, interval = _texts(value, ends, spread, 3)
        yield f"{shown} ({of_interval}{interval})"
        of_interval = ""


def _texts(value: float, ends: tuple[float, float], spread: float, digits: int) -> tuple[str, str]:
    """Return a measurement and its interval as text."""
    shown, low, high = (measured_text(x, spread, digits) for x in (value, *ends))
    return shown, low if low == "undefined" else f"{low} to {high}"


def _raters_text(raters: Sequence[str]) -> str:
    n = len(raters)
    # The names are default names, such as those of the columns of an array or data frame.
    numbers = ([f"rater {i}" for i in range(1, n + 1)], [str(i) for i in range(n)], list(RATERS))
    if list(raters) in numbers or n > MOST_NAMED:
        return "two raters" if n == 2 else f"{n} raters"
    *others, last = map(printable, raters)
    return f"{', '.join(others)} and {last}"
