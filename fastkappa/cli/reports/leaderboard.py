"""Write the report of ``fastkappa leaderboard``, and the ranks shown while files are read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from fastkappa.cli.gate import Estimate, of_one_group
from fastkappa.cli.reports.output import Output
from fastkappa.formatting import label_text, printable
from fastkappa.leaderboards.leaderboard_result import Leaderboard, reports_of_splits, with_ends

# Leaderboards by split. Without splits, the only key is None.
Boards = Mapping[str | None, Leaderboard]
# The number of ranks shown while files are still being read.
RANKS_SHOWN = 10


def output_of(boards: Boards) -> Output:
    """Return the output for leaderboards."""
    rows, estimates = [], []
    for name, board in boards.items():
        split = {} if name is None else {"split": name}
        rows += [{**split, **with_ends(row)} for row in board.to_dict()["rows"]]
        part = "" if name is None else f" in {label_text(name)}"
        for row in board:
            why = row.failure and f"{printable(row.name)} cannot be scored{part}: {row.failure}"
            of = of_one_group(row.name) + part
            estimates.append(Estimate(of, row.kappa, row.interval[0], why))
    if None in boards:
        whole = boards[None]
        return Output(
            "Leaderboard",
            [whole._report()],
            whole.to_dict(),
            rows,
            has_title=False,
            estimates=estimates,
            sentences=lambda: [whole.sentence()],
        )
    named = {str(name): board for name, board in boards.items()}
    splits = {name: board.to_dict() for name, board in named.items()}
    return Output(
        "Leaderboard",
        reports_of_splits(named),
        {"splits": splits},
        rows,
        has_title=False,
        estimates=estimates,
        sentences=lambda: [f"{name}: {board.sentence()}" for name, board in named.items()],
    )


def ranks_so_far(kappas: Iterable[tuple[Any, float]]) -> list[str]:
    """Rank files, given as pairs (name, kappa), and return one line for each of the best files."""
    ranked = sorted(kappas, key=lambda entry: (math.isnan(entry[1]), -entry[1]))
    lines = [
        f"{'-' if math.isnan(kappa) else i:>4}  {kappa:7.4f}  {printable(name)}"
        for i, (name, kappa) in enumerate(ranked, 1)
    ]
    left = len(lines) - RANKS_SHOWN
    return lines[:RANKS_SHOWN] + ([f"      and {left} more"] if left > 0 else [])
