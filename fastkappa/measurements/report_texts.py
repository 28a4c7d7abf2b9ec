"""Texts in the reports of measurements."""

from __future__ import annotations

from collections.abc import Sequence

from fastkappa.formatting import count_text, printable
from fastkappa.results.report import RATERS

# More raters than this are counted, not named.
MOST_NAMED = 10


def heading(what: str, raters: Sequence[str], subjects: str, between: str = ", ") -> str:
    """Return what a report is about: the figure, the raters by name if they have any.

    Examples
    --------
    >>> from fastkappa.measurements.report_texts import heading
    >>> heading("Intraclass correlation", ["Ann", "Ben", "Cat"], "20 subjects")
    'Intraclass correlation of Ann, Ben and Cat, 20 subjects'
    >>> heading("Intraclass correlation", ["rater 1", "rater 2", "rater 3"], "20 subjects")
    'Intraclass correlation of 3 raters, 20 subjects'
    """
    return f"{what} of {_raters_text(raters)}{between}{subjects}"


def subjects_text(n_subjects: int, n_clusters: int) -> str:
    """Return how many subjects there are, and in how many clusters if these are fewer.

    Examples
    --------
    >>> from fastkappa.measurements.report_texts import subjects_text
    >>> subjects_text(60, 12), subjects_text(60, 60)
    ('60 subjects in 12 clusters', '60 subjects')
    """
    inside = f" in {count_text(n_clusters, 'cluster')}" if n_clusters < n_subjects else ""
    return f"{count_text(n_subjects, 'subject')}{inside}"


def left_out(n_dropped: int) -> list[str]:
    """Return the remark on subjects that were left out, if any were."""
    if not n_dropped:
        return []
    return [f"{count_text(n_dropped, 'subject')} left out for a missing measurement"]


def _raters_text(raters: Sequence[str]) -> str:
    n = len(raters)
    # Those of an array, and the columns of a frame without names.
    numbers = ([f"rater {i}" for i in range(1, n + 1)], [str(i) for i in range(n)], list(RATERS))
    if list(raters) in numbers or n > MOST_NAMED:
        return "two raters" if n == 2 else f"{n} raters"
    *others, last = map(printable, raters)
    return f"{', '.join(others)} and {last}"
