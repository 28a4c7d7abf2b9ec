"""Print the path that a call takes through the files of the package.

    python ci/walk.py

traces `cohen_kappa_score` of two long integer arrays, by the usual backend and by NumPy, whose
way is not cut short by compiled code; and `fastkappa score` of a Parquet file. It is the path of
somebody who reads along: each function is read once, where it is first called. Each line is a
file and the functions read there before one of another file is. The files entered more than
once come last. Each call is made once before it is traced, so that no import is a part of the
walk. Compiled code and other threads are not traced.
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
N_ITEMS = 300_000


class Stay(NamedTuple):
    """A file and the functions of it that were called one after the other."""

    file: str
    functions: list[str]


def walk(call: Callable[[], Any]) -> list[Stay]:
    """Return the stays of a call, in order."""
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


def entries(stays: list[Stay]) -> Counter[str]:
    """Return how often each file is entered."""
    return Counter(stay.file for stay in stays)


def two_arrays(backend: str = "") -> list[Stay]:
    """Trace `cohen_kappa_score` of two integer arrays."""
    y1, y2 = np.random.default_rng(0).integers(0, 5, (2, N_ITEMS))
    with mock.patch.dict(os.environ, FASTKAPPA_BACKEND=backend):
        dispatch.forget_choice()
        stays = walk(lambda: fastkappa.cohen_kappa_score(y1, y2, weights="linear"))
    dispatch.forget_choice()
    return stays


def parquet_file() -> list[Stay]:
    """Trace `fastkappa score` of a Parquet file."""
    y1, y2 = np.random.default_rng(0).integers(0, 5, (2, 1000))
    app = cli.make_app()
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "ratings.parquet"))
        pa.parquet.write_table(pa.table({"y1": y1, "y2": y2}), file)

        def score() -> None:
            with contextlib.redirect_stdout(io.StringIO()):
                app(["score", file, "--y1", "y1", "--y2", "y2"], standalone_mode=False)

        return walk(score)


def main() -> None:
    for title, stays in (
        ("cohen_kappa_score(y1, y2, weights='linear')", two_arrays()),
        (
            "FASTKAPPA_BACKEND=numpy cohen_kappa_score(y1, y2, weights='linear')",
            two_arrays("numpy"),
        ),
        ("fastkappa score ratings.parquet --y1 y1 --y2 y2", parquet_file()),
    ):
        print(f"{title}\n")
        for stay in stays:
            print(f"  {stay.file:<36} {', '.join(stay.functions)}")
        often = entries(stays)
        again = [(file, times) for file, times in often.most_common() if times > 1]
        print(f"\n{len(stays)} stays in {len(often)} files, {len(again)} entered more than once")
        print("".join(f"  {file:<36} {times}\n" for file, times in again))


if __name__ == "__main__":
    main()
