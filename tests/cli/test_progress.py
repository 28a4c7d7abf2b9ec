"""The progress bar of long tasks, and interrupts during them."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
console = pytest.importorskip("rich.console")
pytest.importorskip("typer")

from fastkappa.cli import progress  # noqa: E402
from tests.helpers.counted_files import count_ratings  # noqa: E402
from tests.helpers.fresh_python import run_python  # noqa: E402

needs_terminal = pytest.mark.skipif(
    not hasattr(os, "openpty"), reason="the test needs a pseudo-terminal"
)

# Each batch takes as long as a batch of a large file.
SLOW = """
import sys, time
from fastkappa.sources import arrow_batches, arrow_files
from fastkappa.cli import main

count = arrow_batches.add_arrays

def count_slowly(*arguments):
    time.sleep({pause})
    count(*arguments)

arrow_batches.add_arrays = count_slowly
arrow_files.BATCH = arrow_files.SHARED_BATCH = 100
main()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    ratings = pa.array(["yes", "no", "no", "yes"] * 2500)
    parquet.write_table(pa.table({"a": ratings, "b": ratings}), tmp_path / "ratings.parquet")
    return tmp_path / "ratings.parquet"


def start(path: Path, stderr: int, pause: float = 0.02) -> subprocess.Popen[bytes]:
    code = SLOW.format(pause=pause)
    return subprocess.Popen(
        [sys.executable, "-c", code, "score", str(path), "--y1", "a", "--y2", "b"],
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )


def read_all(terminal: int, until: bytes = b"") -> bytes:
    """Read the terminal output up to some bytes, or to the end."""
    seen = b""
    while not until or until not in seen:
        try:
            some = os.read(terminal, 1 << 16)
        except OSError:  # Linux signals the end in this way.
            break
        if not some:
            break
        seen += some
    return seen


@needs_terminal
def test_a_terminal_sees_bytes_and_time_left(path: Path) -> None:
    terminal, stderr = os.openpty()
    process = start(path, stderr)
    os.close(stderr)
    seen = read_all(terminal).decode()
    report = process.communicate(timeout=60)[0].decode()
    assert process.returncode == 0
    assert "ratings.parquet" in seen
    assert re.search(r"\d+(\.\d)?/\d+(\.\d)? (kB|bytes)", seen)
    assert re.search(r"\d:\d\d:\d\d", seen)
    # The bar is erased, and the cursor is shown again.
    assert seen.rstrip().endswith(("\x1b[2K", "\x1b[?25h"))
    assert seen.count("\x1b[?25l") == seen.count("\x1b[?25h")
    assert "10000 items rated" in report
    assert "\x1b" not in report


def test_without_a_terminal_nothing_is_shown(path: Path) -> None:
    process = start(path, subprocess.PIPE)
    report, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    assert b"10000 items rated" in report


@needs_terminal
def test_interrupted_it_leaves_nothing_broken(path: Path) -> None:
    terminal, stderr = os.openpty()
    process = start(path, stderr, pause=0.5)  # It must not end before a slow machine interrupts it.
    os.close(stderr)
    seen = read_all(terminal, until=b"ratings.parquet")
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    seen += read_all(terminal)
    report, _ = process.communicate(timeout=60)
    assert process.returncode not in (0, 2)
    assert report == b""
    assert b"Traceback" not in seen
    assert seen.count(b"\x1b[?25l") == seen.count(b"\x1b[?25h")


def test_pandas_is_not_imported(tmp_path: Path) -> None:
    """Arrow imports it in several places; an interrupt during the import would be lost."""
    pytest.importorskip("pandas")
    path = tmp_path / "ratings.parquet"
    columns = {"a": ["yes", None], "b": [1, None], "c": [1.0, float("nan")], "d": [True, None]}
    parquet.write_table(pa.table(columns), path)
    (tmp_path / "ratings.csv").write_text("a,b,c,d\nyes,1,1.0,true\n,,,\n")
    code = """
import sys
from pathlib import Path
from fastkappa.cli.files.opening import Source
from fastkappa.cli.files.reading import Reading
from fastkappa.cli.files.two_columns import count_ratings
from fastkappa.sources.source_table import Columns

for file in sys.argv[1:]:
    for column in "abcd":
        source = Source(file, (Path(file),))
        counts = count_ratings(source, Columns(column, column), Reading(drop_missing=True))
        assert counts.table.tolist() == [[1]], counts
        assert "pandas" not in sys.modules, (file, column)
"""
    run_python(code, path, tmp_path / "ratings.csv")


@pytest.mark.parametrize("name", ["r.csv", "r.csv.gz", "r.parquet", "r.arrow", "r.arrows"])
def test_bytes_reported_go_up_to_the_size_of_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    table = pa.table({"a": [1, 2] * 1000, "b": [1, 1] * 1000})
    if ".csv" in name:
        from pyarrow import csv

        with pa.output_stream(str(path)) as file:
            csv.write_csv(table, file)
    elif name.endswith("parquet"):
        parquet.write_table(table, path)
    else:
        new = pa.ipc.new_file if name.endswith("arrow") else pa.ipc.new_stream
        with new(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=100)
    reported: list[int] = []
    count_ratings(path, "a", "b", on_progress=reported.append)
    assert reported == sorted(reported)
    assert 0 < reported[-1] <= path.stat().st_size
    assert reported[-1] >= 0.9 * path.stat().st_size


def test_files_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [tmp_path / f"{i}.csv" for i in range(3)]
    for file in files:
        file.write_text("x" * 1000)
    screen = io.StringIO()

    shown = console.Console(file=screen, force_terminal=True, width=100)
    monkeypatch.setattr(console, "Console", lambda **_: shown)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.progress_bar([*files, tmp_path / "not there.csv"]) as bar:
        for file in files:
            on_progress = bar.starts(file)
            on_progress(500)
    assert "2.csv (3 of 4)" in screen.getvalue()
    assert "2.5/3.0 kB" in screen.getvalue()
