"""Leaderboards as JSON, CSV or an HTML page, and its ranks while files are read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fastkappa.cli.pages.page import page
from fastkappa.cli.reports.parts import Heading, Part, Tables, text_width, warned
from fastkappa.formatting import figure, printable
from fastkappa.leaderboards.table import Leaderboard, with_ends
from fastkappa.results import Grid, Report, rows_as_csv
from fastkappa.results import as_text as report_as_text

# The leaderboard of each split, or that of all items as that of None.
Boards = Mapping[str | None, Leaderboard]
# Ranks that are shown while files are still being read.
RANKS_SHOWN = 10
ALL_SPLITS = "Rank and kappa in each split"


def as_text(boards: Boards, warnings: Sequence[str]) -> str:
    """Return leaderboards for a person."""
    width = text_width()
    if None in boards:
        return report_as_text(boards[None]._report(), width)
    parts = [_all_splits(boards)]
    for name, board in boards.items():
        first, *others = (report := board._report()).above
        parts.append(report._replace(above=[f"{printable(name)}: {first}", *others]))
    return "\n\n".join(report_as_text(part, width) for part in parts)


def _all_splits(boards: Boards) -> Report:
    """Return the ranks and the kappas of all splits, the files in the order of the first one."""
    rows: dict[Any, list[str]] = {name: [] for name in next(iter(boards.values())).names}
    for board in boards.values():
        for row in board:
            rank = "-" if row.rank is None else str(row.rank)
            rows[row.name] += [rank, figure(row.kappa, "")]
    head = [f"{what} {printable(str(name))}" for name in boards for what in ("rank", "kappa")]
    grid = Grid(["name", *head], [[printable(name), *row] for name, row in rows.items()])
    return Report([f"Ranks in {len(boards)} splits"], [grid])


def as_json(boards: Boards, warnings: Sequence[str]) -> str:
    """Return leaderboards and warnings as JSON, null for NaN."""
    if None in boards:
        return json.dumps({**boards[None].to_dict(), **warned(warnings)}, indent=2)
    splits = {name: board.to_dict() for name, board in boards.items()}
    return json.dumps({"splits": splits, **warned(warnings)}, indent=2)


def as_csv(boards: Boards, warnings: Sequence[str]) -> str:
    """Return leaderboards as CSV, an empty cell for NaN."""
    rows = []
    for name, board in boards.items():
        split = {} if name is None else {"split": name}
        rows += [{**split, **with_ends(row)} for row in board.to_dict()["rows"]]
    return rows_as_csv(rows)


def as_page(boards: Boards, warnings: Sequence[str]) -> str:
    """Return leaderboards as an HTML page."""
    parts: list[Part] = [] if None in boards else [Tables(_all_splits(boards), [ALL_SPLITS])]
    for name, board in boards.items():
        parts += [] if name is None else [Heading(printable(name))]
        parts.append(Tables(board._report(), ["Predictions, the best one first"]))
    return page("Leaderboard", parts, (), warnings)


WRITERS: dict[str, Callable[[Boards, Sequence[str]], str]] = {
    "table": as_text,
    "json": as_json,
    "csv": as_csv,
    "html": as_page,
}


def ranks_so_far(kappas: Iterable[tuple[Any, float]]) -> list[str]:
    """Return the lines of the highest kappas, given the name and the kappa of each file."""
    ranked = sorted(kappas, key=lambda entry: (math.isnan(entry[1]), -entry[1]))
    lines = [
        f"{'-' if math.isnan(kappa) else i:>4}  {kappa:7.4f}  {printable(name)}"
        for i, (name, kappa) in enumerate(ranked, 1)
    ]
    left = len(lines) - RANKS_SHOWN
    return lines[:RANKS_SHOWN] + ([f"      and {left} more"] if left > 0 else [])
