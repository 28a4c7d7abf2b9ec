"""Print the paths that users' calls take through the files of the package.

    python ci/walk.py [TITLE]

Without a title, it prints one line per walk: the numbers of files, functions and stays. With the
beginning of a title, it prints the stays of that walk. A stay is a visit to a file, with the
functions that are called for the first time during it. Each call is made once before it is traced,
so imports are not counted. Walks use the NumPy backend, because compiled shortcuts hide steps.
Compiled code and other threads are not traced.

`CEILINGS` holds the maximum length of each walk. `tests/house/test_walks.py` checks them.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet

import fastkappa
from fastkappa import cli
from fastkappa.kernels import dispatch

PACKAGE = Path(fastkappa.__file__).parent

# The largest number of files and of functions allowed for each walk. Lower a ceiling when its walk
# becomes shorter. If other threads read files, the number of functions in the main thread varies
# slightly between runs.
CEILINGS = {
    "cohen_kappa_score, quadratic": (20, 66),
    "cohen_kappa_score, strings": (21, 76),
    "agreement": (33, 103),
    "agreement, printed": (49, 255),
    "leaderboard": (45, 183),
    "optimal_thresholds": (28, 100),
    "fastkappa score, Parquet": (50, 217),
    "fastkappa score, CSV": (56, 268),
}


class Stay(NamedTuple):
    """A visit to a file, with the functions that are called for the first time during it."""

    file: str
    functions: list[str]


def walk(call: Callable[[], Any]) -> list[Stay]:
    """Return the stays of a call, in order. Each function is counted once."""
    call()
    stays: list[Stay] = []
    read: set[tuple[str, str]] = set()

    def trace(frame: FrameType, event: str, _: Any) -> None:
        file = Path(frame.f_code.co_filename)
        if event != "call" or not file.is_relative_to(PACKAGE):
            return
        name, function = file.relative_to(PACKAGE).as_posix(), frame.f_code.co_qualname
        if "<" in function.rpartition(".")[2] or (name, function) in read:
            return
        read.add((name, function))
        if not stays or stays[-1].file != name:
            stays.append(Stay(name, []))
        stays[-1].functions.append(function.replace(".<locals>", ""))

    sys.setprofile(trace)
    try:
        call()
    finally:
        sys.setprofile(None)
    return stays


def length(stays: list[Stay]) -> tuple[int, int]:
    """Return the numbers of files and functions in a walk."""
    return len({stay.file for stay in stays}), sum(len(stay.functions) for stay in stays)


def calls(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return the call of each walk. Files are written to ``folder``."""
    rng = np.random.default_rng(0)
    y1, y2 = rng.integers(0, 5, (2, 300_000))
    strings = np.array(["a", "b", "c"])
    truth = y1[:3000]
    scores = truth + rng.normal(size=3000)
    predictions = {f"m{i}": rng.integers(0, 5, 3000) for i in range(4)}
    table = pa.table({"y1": y1[:5000], "y2": y2[:5000]})
    pa.parquet.write_table(table, folder / "ratings.parquet")
    rows = "".join(f"{a},{b}\n" for a, b in zip(y1[:5000], y2[:5000]))
    (folder / "ratings.csv").write_text(f"y1,y2\n{rows}")
    app = cli.make_app()

    def score(name: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            arguments = ["score", str(folder / name), "--y1", "y1", "--y2", "y2"]
            app(arguments, standalone_mode=False)

    kappa, board = fastkappa.cohen_kappa_score, fastkappa.leaderboard
    return {
        "cohen_kappa_score, quadratic": lambda: kappa(y1, y2, weights="quadratic"),
        "cohen_kappa_score, strings": lambda: kappa(strings[y1 % 3], strings[y2 % 3]),
        "agreement": lambda: fastkappa.agreement(y1, y2).kappa,
        "agreement, printed": lambda: str(fastkappa.agreement(y1, y2)),
        "leaderboard": lambda: board(truth, predictions, rng=0, n_resamples=50, num_threads=1),
        "optimal_thresholds": lambda: fastkappa.optimal_thresholds(truth, scores),
        "fastkappa score, Parquet": lambda: score("ratings.parquet"),
        "fastkappa score, CSV": lambda: score("ratings.csv"),
    }


def walks() -> dict[str, list[Stay]]:
    """Return the stays of every walk."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.dict(os.environ, FASTKAPPA_BACKEND="numpy"),
    ):
        dispatch.forget_choice()
        found = {title: walk(call) for title, call in calls(Path(folder)).items()}
    dispatch.forget_choice()
    return found


def main(wanted: str = "") -> None:
    for title, stays in walks().items():
        if not title.startswith(wanted):
            continue
        files, functions = length(stays)
        print(f"{title}: {files} files, {functions} functions, {len(stays)} stays")
        if wanted:
            for stay in stays:
                print(f"  {stay.file:<36} {', '.join(stay.functions)}")
            often = Counter(stay.file for stay in stays).most_common()
            print("".join(f"  {file:<36} {n} times\n" for file, n in often if n > 1))


if __name__ == "__main__":
    main(*sys.argv[1:])
