"""Write a truth and submissions, and rank them with `fastkappa leaderboard`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas

from tests.helpers.command_line import CommandLine

N = 600


def write_submissions() -> None:
    """Write a truth and three submissions in different formats and orders."""
    rng = np.random.default_rng(1)
    truth = frame(rng.integers(0, 4, N))
    truth.to_csv("truth.csv", index=False)
    for j, name in enumerate(["best.parquet", "middle.csv", "worst.feather"]):
        guesses = np.where(rng.random(N) < 0.8 - 0.2 * j, truth["grade"], rng.integers(0, 4, N))
        write(frame(guesses).sample(frac=1, random_state=j, ignore_index=True), name)


def frame(grades: Any) -> pandas.DataFrame:
    return pandas.DataFrame({"image": [f"img{i:04d}" for i in range(N)], "grade": grades})


def write(table: pandas.DataFrame, name: str) -> None:
    if name.endswith(".parquet"):
        table.to_parquet(name)
    elif name.endswith(".feather"):
        table.to_feather(name)
    else:
        table.to_csv(name, index=False)


SUBMISSIONS = ("worst.feather", "best.parquet", "middle.csv")


def run(*arguments: str, truth: str = "truth.csv", exit_code: int = 0) -> Any:
    columns = () if "--id" in arguments else ("--id", "image", "--target", "grade")
    result = CommandLine("leaderboard").run(truth, *arguments, *columns)
    assert result.exit_code == exit_code, result.output
    return result


def rows_of(*arguments: str, exit_code: int = 0) -> list[dict[str, Any]]:
    output = run(*arguments, "--format", "json", exit_code=exit_code).stdout
    rows: list[dict[str, Any]] = json.loads(output)["rows"]
    return rows
