"""Define the base class of results for measurements, and write the text of their reports."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from fastkappa.formatting import count_text, measured_text, printable
from fastkappa.frame import data_frame
from fastkappa.results.report import RATERS, Grid, Report, interval_head
from fastkappa.results.result import Result

# With more raters than this, reports contain the number of raters instead of their names.
MOST_NAMED = 10
# The name of a measurement, its value and its interval.
MeasuredRow: TypeAlias = tuple[str, float, tuple[float, float]]


def heading(what: str, raters: Sequence[str], items: str, between: str = ", ") -> str:
    """Return the heading of a report: the statistic, the raters' names or number, and the items.

    Examples
    --------
    >>> from fastkappa.measurements.report_texts import heading
    >>> heading("Intraclass correlation", ["Ann", "Ben", "Cat"], "20 items")
    'Intraclass correlation of Ann, Ben and Cat, 20 items'
    >>> heading("Intraclass correlation", ["rater 1", "rater 2", "rater 3"], "20 items")
    'Intraclass correlation of 3 raters, 20 items'
    """
    return f"{what} of {_raters_text(raters)}{between}{items}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasuredResult(Result):
    """The base class of results for measurements, which describes the sample.

    Attributes
    ----------
    confidence : float
        The confidence level of the intervals.
    n_subjects : int
        The number of subjects with measurements by all raters.
    n_raters : int
        The number of raters, methods or repeated measurements.
    n_dropped : int
        The number of subjects left out because a measurement is missing.
    n_clusters : int
        The number of clusters, or the number of subjects if there are no clusters.
    raters : tuple of str
        The names of the raters: the names of the columns, if they have any.
    """

    confidence: float
    n_subjects: int
    n_raters: int
    n_dropped: int
    n_clusters: int
    raters: tuple[str, ...]

    def _items(self) -> str:
        """Return the number of items as text, with the number of clusters if it is smaller."""
        n, n_clusters = self.n_subjects, self.n_clusters
        inside = f" in {count_text(n_clusters, 'cluster')}" if n_clusters < n else ""
        return f"{count_text(n, 'item')}{inside}"

    def _heading(self, what: str) -> str:
        return heading(what, self.raters, self._items())

    def _of_sample(self, what: str) -> str:
        """Return a phrase with the statistic, the raters and the number of items."""
        return heading(what, self.raters, self._all_items(), " on ")

    def _all_items(self) -> str:
        """Return the number of items, followed by the items that are left out, if any."""
        return self._items() + "".join(f" ({line})" for line in self._left_out())

    def _left_out(self) -> list[str]:
        """Return a list with one line about the items left out, or an empty list."""
        if not self.n_dropped:
            return []
        return [f"{count_text(self.n_dropped, 'item')} left out because of a missing measurement"]


class ResultInUnits(MeasuredResult):
    """A result in the unit of the measurements, rounded to suit their standard deviation."""

    @abstractmethod
    def rows(self) -> list[MeasuredRow]:
        """Return the name, value and confidence interval of each statistic."""

    @abstractmethod
    def _report(self, units: str | None = None) -> Report:
        """Return the report, with the unit of the measurements if it is given."""

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per statistic.

        The columns are ``value``, ``lower`` and ``upper``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        names, values, intervals = zip(*self.rows())
        lower, upper = zip(*intervals)
        columns = {"value": values, "lower": lower, "upper": upper}
        return data_frame(columns, ("index", list(names)))


def measured_grid(
    rows: Iterable[MeasuredRow], spread: float, confidence: float, units: str | None
) -> Grid:
    """Return a grid of statistics with their intervals. ``spread`` determines the rounding."""
    shown = [(name, *_texts(value, ends, spread, 4)) for name, value, ends in rows]
    return Grid(("", with_unit("value", units), interval_head(confidence)), shown)


def with_unit(name: str, units: str | None) -> str:
    """Append the unit of measurement to a name in a report, if the unit is given."""
    return name if units is None else f"{name} ({printable(units)})"


def measured_estimates(
    rows: Iterable[MeasuredRow], spread: float, of_interval: str, units: str | None
) -> Iterator[str]:
    """Yield statistics and their intervals as text. ``of_interval`` precedes the first interval."""
    of_unit = "" if units is None else f" {printable(units)}"
    for _, value, ends in rows:
        shown, interval = _texts(value, ends, spread, 3)
        yield f"{shown}{of_unit} ({of_interval}{interval})"
        of_interval = ""


def _texts(value: float, ends: tuple[float, float], spread: float, digits: int) -> tuple[str, str]:
    """Return a value and its interval as text."""
    shown, low, high = (measured_text(x, spread, digits) for x in (value, *ends))
    return shown, low if low == "undefined" else f"{low} to {high}"


def _raters_text(raters: Sequence[str]) -> str:
    n = len(raters)
    # Default names of raters, such as the column names of an array or data frame.
    numbers = ([f"rater {i}" for i in range(1, n + 1)], [str(i) for i in range(n)], list(RATERS))
    if list(raters) in numbers or n > MOST_NAMED:
        return "two raters" if n == 2 else f"{n} raters"
    *others, last = map(printable, raters)
    return f"{', '.join(others)} and {last}"
