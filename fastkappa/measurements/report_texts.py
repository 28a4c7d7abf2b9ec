"""Texts for the reports of measurements."""

from __future__ import annotations

from collections.abc import Sequence

from fastkappa.formatting import count_text, printable
from fastkappa.results.report import RATERS

# With more raters than this, reports contain the number of raters instead of their names.
MOST_NAMED = 10


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


def rounded(value: float) -> str:
    """Return a measurement with four digits for a sentence, or with six digits if it is large.

    Examples
    --------
    >>> from fastkappa.measurements.report_texts import rounded
    >>> rounded(-0.04018693), rounded(12345.678)
    ('-0.04019', '12345.7')
    """
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.6g}"


def _raters_text(raters: Sequence[str]) -> str:
    n = len(raters)
    # The names are default names, such as those of the columns of an array or data frame.
    numbers = ([f"rater {i}" for i in range(1, n + 1)], [str(i) for i in range(n)], list(RATERS))
    if list(raters) in numbers or n > MOST_NAMED:
        return "two raters" if n == 2 else f"{n} raters"
    *others, last = map(printable, raters)
    return f"{', '.join(others)} and {last}"
