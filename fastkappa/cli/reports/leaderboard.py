"""A leaderboard as JSON, CSV or an HTML page, and its ranks while files are read."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fastkappa.formatting import harmless, printable
from fastkappa.leaderboards.table import Leaderboard, with_ends

# With these a cell of a spreadsheet is a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
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


def as_text(board: Leaderboard, remarks: Remarks) -> str:
    """Return a leaderboard for a person."""
    return str(board)


def as_json(board: Leaderboard, remarks: Remarks) -> str:
    """Return a leaderboard and remarks as JSON, null for NaN."""
    return json.dumps({**board.to_dict(), **remarks}, indent=2)


def as_csv(board: Leaderboard, remarks: Remarks) -> str:
    """Return a leaderboard as CSV, an empty cell for NaN.

    What a spreadsheet would take for a formula begins with a quote, as OWASP advises.
    """
    rows = [
        {name: _harmless_cell(cell) for name, cell in with_ends(row).items()}
        for row in board.to_dict()["rows"]
    ]
    written = io.StringIO()
    writer = csv.DictWriter(written, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue().rstrip("\n")


def _harmless_cell(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    return harmless(f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell)


def as_page(board: Leaderboard, remarks: Remarks) -> str:
    """Return a leaderboard as an HTML page."""
    return f"{PAGE}{board._repr_html_()}\n</body>\n</html>"


WRITERS: dict[str, Callable[[Leaderboard, Remarks], str]] = {
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
