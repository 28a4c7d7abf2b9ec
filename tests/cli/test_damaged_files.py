"""Damaged files lead to an answer or a one-line refusal in each command, never a traceback.

DAMAGED_FILES is the number of files per command: `ci/fuzz` sets 500.
"""

from __future__ import annotations

import os
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz.damage import damaged
from tests.helpers.command_line import CommandLine, refusal_of
from tests.helpers.rating_files import WRITERS, pa

N_FILES = int(os.environ.get("DAMAGED_FILES", "24"))


def good_table(command: str) -> pa.Table:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 4, 60)
    columns = {"id": np.arange(60), "first": first, "second": rng.integers(0, 4, 60)}
    if command == "thresholds":
        columns["score"] = first + rng.normal(size=60)
    else:
        columns["words"] = np.array(["mild", "none", "severe", "mild"])[first]
    table = pa.table(columns)
    if command == "agree":
        table = table.append_column("third", pa.array(first).dictionary_encode())
    return table


ARGUMENTS = {
    "score": (["--y1", "first", "--y2", "second"], ["--y1", "words", "--y2", "first"]),
    "agree": (["--raters", "first", "second", "third"], ["--raters", "words", "first"]),
    "thresholds": (["--y", "first", "--score", "score"], ["--y", "score", "--score", "first"]),
    "leaderboard": (["--id", "id", "--target", "first"], ["--id", "id", "--target", "words"]),
}


@pytest.mark.parametrize("command", list(ARGUMENTS))
def test_damaged_files(tmp_path: Path, command: str) -> None:
    rng = np.random.default_rng(zlib.crc32(command.encode()))
    table = good_table(command)
    contents = []
    for name, write in WRITERS.values():
        path = tmp_path / name
        write(table, path)
        contents.append(("".join(path.suffixes), path.read_bytes()))
    good = tmp_path / "good.csv"
    WRITERS["csv"][1](table, good)
    n_refused = 0
    for i in range(N_FILES):
        suffix, content = contents[i % len(contents)]
        path = tmp_path / f"damaged{suffix}"
        path.write_bytes(damaged(content, rng))
        options = ARGUMENTS[command][i // len(contents) % 2]
        files = [good, path] if command == "leaderboard" else [path]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = CommandLine(command).run(*files, *options)
        if result.exit_code:
            if not isinstance(result.exception, SystemExit):
                kept = Path("build/fuzz")
                kept.mkdir(parents=True, exist_ok=True)
                (kept / f"{command}{i}{suffix}").write_bytes(path.read_bytes())
                raise result.exception
            assert "Traceback" not in result.stderr
            # A leaderboard exits with status 1 if some of its files fail.
            if command != "leaderboard" or result.exit_code != 1:
                # Damage can repeat lines, which causes a warning.
                *warned, refusal = result.stderr.splitlines()
                assert all(line.startswith("fastkappa: warning: ") for line in warned)
                assert (result.exit_code, result.stdout) == (2, "")
                assert refusal.startswith("fastkappa: ")
            n_refused += 1
    assert n_refused


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
@pytest.mark.parametrize("mismatch", ["raise", "drop"])
def test_ids_that_are_not_utf8(tmp_path: Path, mismatch: str, suffix: str) -> None:
    good, damaged = tmp_path / f"good.{suffix}", tmp_path / f"damaged.{suffix}"
    ids = pa.array([b"1", b"2", b"img\xe9"], pa.binary()).view(pa.string())
    WRITERS[suffix][1](pa.table({"id": ["1", "2", "3"], "y": [0, 1, 1]}), good)
    WRITERS[suffix][1](pa.table({"id": ids, "y": [0, 1, 1]}), damaged)
    options = ["--id", "id", "--target", "y", "--mismatch", mismatch, "--format", "csv"]
    result = CommandLine("leaderboard").run(str(good), str(good), str(damaged), *options)
    assert result.exit_code == 1
    assert "cannot be read: " in result.stdout
    assert "UTF" in result.stdout
    refused = CommandLine("leaderboard").run(str(damaged), str(good), *options)
    assert refused.exit_code == 2
    assert "UTF" in refusal_of(refused)
