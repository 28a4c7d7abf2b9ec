"""Leaderboards as JSON, CSV or an HTML page, and its ranks while files are read."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

from fastkappa.formatting import figure, harmless, printable
from fastkappa.leaderboards.table import Leaderboard, with_ends
from fastkappa.results import Grid, Report
from fastkappa.results import as_html as report_as_html
from fastkappa.results import as_text as report_as_text

# With these a cell of a spreadsheet is a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
# The leaderboard of each split, or that of all items as that of None.
Boards = Mapping[str | None, Leaderboard]
# Fields of JSON for what is remarked.
Remarks = Mapping[str, Any]
# Ranks that are shown while files are still being read.
RANKS_SHOWN = 10
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Leaderboard</title><style>\
body{font-family:sans-serif}table{border-collapse:collapse}\
th,td{padding:.2em .8em;text-align:right;border-bottom:1px solid #ccc}\
</style></head>
<body>
<h1>Leaderboard</h1>
"""


def as_text(boards: Boards, remarks: Remarks) -> str:
    """Return leaderboards for a person."""
    if None in boards:
        return str(boards[None])
    parts = [f"{name}: {board}" for name, board in boards.items()]
    return "\n\n".join([report_as_text(_all_splits(boards)), *parts])


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


def as_json(boards: Boards, remarks: Remarks) -> str:
    """Return leaderboards and remarks as JSON, null for NaN."""
    if None in boards:
        return json.dumps({**boards[None].to_dict(), **remarks}, indent=2)
    splits = {name: board.to_dict() for name, board in boards.items()}
    return json.dumps({"splits": splits, **remarks}, indent=2)


def as_csv(boards: Boards, remarks: Remarks) -> str:
    """Return leaderboards as CSV, an empty cell for NaN.

    What a spreadsheet would take for a formula begins with a quote, as OWASP advises.
    """
    rows = []
    for name, board in boards.items():
        split = {} if name is None else {"split": _harmless_cell(name)}
        for row in board.to_dict()["rows"]:
            cells = {field: _harmless_cell(cell) for field, cell in with_ends(row).items()}
            rows.append({**split, **cells})
    written = io.StringIO()
    writer = csv.DictWriter(written, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue().rstrip("\n")


def _harmless_cell(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    return harmless(f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell)


def as_page(boards: Boards, remarks: Remarks) -> str:
    """Return leaderboards as an HTML page."""
    if None in boards:
        return f"{PAGE}{boards[None]._repr_html_()}\n</body>\n</html>"
    parts = [report_as_html(_all_splits(boards))]
    for name, board in boards.items():
        parts += [f"<h2>{escape(printable(str(name)))}</h2>", board._repr_html_()]
    return "\n".join([PAGE.rstrip("\n"), *parts, "</body>", "</html>"])


WRITERS: dict[str, Callable[[Boards, Remarks], str]] = {
    "table": as_text,
    "json": as_json,
    "csv": as_csv,
    "html": as_page,
}


def ranks_so_far(kappas: Iterable[tuple[Any, float]]) -> list[str]:
    """Return the lines of the highest kappas, given the name and the kappa of each file."""
    ranked = sorted(kappas, key=lambda entry: (math.isnan(entry[1]), -entry[1]))
    lines = [
        f"{i:>4}  {kappa:7.4f}  {printable(name)}" for i, (name, kappa) in enumerate(ranked, 1)
    ]
    left = len(lines) - RANKS_SHOWN
    return lines[:RANKS_SHOWN] + ([f"      and {left} more"] if left > 0 else [])
