"""The ranked table of a leaderboard, as an object, as text and as HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import FloatTable
from fastkappa.formatting import figure, interval_text, printable, without_nan
from fastkappa.frame import data_frame

# The fields of a row that are two columns of a data frame or of CSV.
ENDS = {
    "interval": ("low", "high"),
    "difference_interval": ("difference_low", "difference_high"),
    "rank_interval": ("rank_low", "rank_high"),
}


class LeaderboardRow(NamedTuple):
    """One prediction on the leaderboard; ``failure`` says why one could not be scored."""

    rank: int | None
    name: Any
    kappa: float
    interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]
    first: float
    rank_interval: tuple[int, int] | None
    n: int
    missing: int = 0
    extra: int = 0
    repeated: int = 0
    failure: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard:
    """Predictions ranked by kappa, the best one first.

    It is what `leaderboard` returns, cannot be changed, and prints as a table. NaN stands
    for what is undefined. Iterating over it yields a `LeaderboardRow` for each prediction.

    Attributes
    ----------
    names : tuple of length m
    rank : ndarray of int, shape (m,)
        1 for the largest kappa; equal kappas have the same rank. 0 for what could not be
        scored.
    kappa : ndarray of shape (m,)
    interval : ndarray of shape (m, 2)
        The percentile interval of kappa.
    difference : ndarray of shape (m,)
        Kappa less that of the leader: 0 for the leader itself, negative below.
    difference_interval : ndarray of shape (m, 2)
        Its percentile interval, paired: both kappas are of the same resampled items. The
        difference is real, at this confidence, if the interval does not reach 0.
    first : ndarray of shape (m,)
        The share of replicates in which it is first.
    rank_interval : ndarray of int, shape (m, 2)
        Between which ranks it is in the replicates.
    n : ndarray of int, shape (m,)
        How many items it was scored on.
    missing, extra, repeated : ndarray of int, shape (m,)
        How many items its ids lack, how many are not of the truth, and how many it has more
        than once. All of these were left out.
    failures : tuple of length m
        Why it could not be scored, or None.
    confidence : float
        That of the intervals.
    n_resamples : int
        How many replicates there are.
    """

    names: tuple[Any, ...]
    rank: NDArray[np.int64]
    kappa: FloatTable
    interval: FloatTable
    difference: FloatTable
    difference_interval: FloatTable
    first: FloatTable
    rank_interval: NDArray[np.int64]
    n: NDArray[np.int64]
    missing: NDArray[np.int64]
    extra: NDArray[np.int64]
    repeated: NDArray[np.int64]
    failures: tuple[str | None, ...]
    confidence: float
    n_resamples: int

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[LeaderboardRow]:
        for j, name in enumerate(self.names):
            failed = self.failures[j] is not None
            low, high = self.rank_interval[j].tolist()
            yield LeaderboardRow(
                None if failed else int(self.rank[j]),
                name,
                float(self.kappa[j]),
                _pair(self.interval[j]),
                float(self.difference[j]),
                _pair(self.difference_interval[j]),
                float(self.first[j]),
                None if failed or not low else (low, high),
                int(self.n[j]),
                int(self.missing[j]),
                int(self.extra[j]),
                int(self.repeated[j]),
                self.failures[j],
            )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as numbers, strings and lists, with None for what is undefined."""
        rows = [without_nan(row._asdict()) for row in self]
        return {"confidence": self.confidence, "n_resamples": self.n_resamples, "rows": rows}

    def to_frame(self) -> Any:
        """Return a pandas data frame, one row a prediction.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        held = {**vars(self), "name": list(self.names), "failure": list(self.failures)}
        columns: dict[str, Any] = {}
        for field in LeaderboardRow._fields:
            if field in ENDS:
                columns.update(zip(ENDS[field], held[field].T))
            else:
                columns[field] = held[field]
        return data_frame(columns)

    def __str__(self) -> str:
        heads, rows = self.cells()
        widths = [max(map(len, column)) for column in zip(heads, *rows)]
        lines = [self._headline(), ""]
        for row in (heads, *rows):
            cells = [
                f"{cell:<{width}}" if j == 1 else f"{cell:>{width}}"
                for j, (cell, width) in enumerate(zip(row, widths))
            ]
            lines.append("  ".join(cells).rstrip())
        return "\n".join([*lines, *(f"{name}: {why}" for name, why in self._remarks())])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        heads, rows = self.cells()
        head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
        body = "\n".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        remarks = "".join(
            f"\n<p>{escape(name)}: {escape(why)}</p>" for name, why in self._remarks()
        )
        return (
            f"<p>{escape(self._headline())}</p>\n<table>\n<thead><tr>{head}</tr></thead>\n"
            f"<tbody>\n{body}\n</tbody>\n</table>{remarks}"
        )

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the heads and the rows of the table for a person, without empty columns."""
        percent = f"{100 * self.confidence:g} % interval"
        heads = ["rank", "name", "kappa", percent, "difference", percent, "first", "ranks", "n"]
        rows = [
            [
                "-" if row.rank is None else str(row.rank),
                printable(row.name),
                figure(row.kappa, ""),
                interval_text(row.interval, ""),
                figure(row.difference, ""),
                interval_text(row.difference_interval, ""),
                "" if math.isnan(row.first) else f"{100 * row.first:.1f} %",
                "" if row.rank_interval is None else _ranks(*row.rank_interval),
                str(row.n) if row.failure is None else "",
            ]
            for row in self
        ]
        for what in ("missing", "extra", "repeated"):
            if getattr(self, what).any():
                heads.append(what)
                for row, number in zip(rows, getattr(self, what).tolist()):
                    row.append(str(number) if number else "")
        shown = [j for j, column in enumerate(zip(*rows)) if any(column)]
        return [heads[j] for j in shown], [[row[j] for j in shown] for row in rows]

    def _headline(self) -> str:
        scored = sum(failure is None for failure in self.failures)
        words = f"{scored} prediction{'' if scored == 1 else 's'} ranked by kappa"
        if scored < len(self):
            words += f", {len(self) - scored} could not be scored"
        if self.n_resamples:
            words += f"; {self.n_resamples} bootstrap replicates"
        return words

    def _remarks(self) -> list[tuple[str, str]]:
        return [
            (printable(name), why)
            for name, why in zip(self.names, self.failures)
            if why is not None
        ]


def _pair(row: FloatTable) -> tuple[float, float]:
    return float(row[0]), float(row[1])


def _ranks(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"
