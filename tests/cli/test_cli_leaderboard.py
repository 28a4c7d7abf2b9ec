"""``fastkappa leaderboard``: files of predictions, good ones and damaged ones."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from fastkappa import cohen_kappa_score, leaderboard
from fastkappa.cli.progress import Bar
from tests.helpers.command_line import CommandLine, refusal_of

N = 600


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with a truth and three submissions, each of another format and order."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    truth = frame(rng.integers(0, 4, N))
    truth.to_csv("truth.csv", index=False)
    for j, name in enumerate(["best.parquet", "middle.csv", "worst.feather"]):
        guesses = np.where(rng.random(N) < 0.8 - 0.2 * j, truth["grade"], rng.integers(0, 4, N))
        write(frame(guesses).sample(frac=1, random_state=j, ignore_index=True), name)
    return tmp_path


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


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_the_table_is_that_of_the_function(weights: str, folder: Path) -> None:
    truth = pandas.read_csv("truth.csv")
    tables = {
        "worst.feather": pandas.read_feather("worst.feather"),
        "best.parquet": pandas.read_parquet("best.parquet"),
        "middle.csv": pandas.read_csv("middle.csv"),
    }
    named = None if weights == "none" else weights
    expected = leaderboard(
        truth["grade"],
        {name: (table["image"], table["grade"]) for name, table in tables.items()},
        ids=truth["image"],
        weights=named,
        rng=0,
    )
    assert expected.names == ("best.parquet", "middle.csv", "worst.feather")
    rows = rows_of(*SUBMISSIONS, "--weights", weights)
    assert rows == json.loads(json.dumps(expected.to_dict()))["rows"]
    for row in rows:
        matched = tables[row["name"]].set_index("image").loc[truth["image"], "grade"]
        assert row["kappa"] == cohen_kappa_score(truth["grade"], matched, weights=named)
    assert run(*SUBMISSIONS, "--weights", weights).stdout == f"{expected}\n"


def test_every_format_says_the_same(folder: Path) -> None:
    Path("bad.csv").write_text("image,grade\nimg0000,\n")
    files = [*SUBMISSIONS, "bad.csv"]
    rows = rows_of(*files, exit_code=1)
    text = run(*files, "--format", "csv", exit_code=1).stdout
    in_csv = list(csv.DictReader(io.StringIO(text)))
    assert [row["name"] for row in in_csv] == [row["name"] for row in rows]
    for row, cells in zip(rows, in_csv):
        assert cells["rank"] == ("" if row["rank"] is None else str(row["rank"]))
        if row["rank"]:
            assert [float(cells["low"]), float(cells["high"])] == row["interval"]
            assert float(cells["difference_high"]) == row["difference_interval"][1]
            assert [int(cells["rank_low"]), int(cells["rank_high"])] == row["rank_interval"]
    page = run(*files, "--format", "html", exit_code=1).stdout
    assert page.startswith("<!DOCTYPE html>")
    assert page.count("<tr>") == 5
    assert f"<td>{rows[0]['kappa']:.4f}</td>" in page


def test_what_cannot_be_scored_has_a_row_and_the_rest_still_rank(folder: Path) -> None:
    whole = pandas.read_parquet("best.parquet")
    Path("damaged.parquet").write_bytes(Path("best.parquet").read_bytes()[:-20])
    Path("empty.csv").write_text("")
    whole.assign(grade="\xe9lev\xe9").to_csv("latin.csv", index=False, encoding="latin-1")
    Path("shuffled.txt").write_text("image,grade\n")
    write(whole.rename(columns={"grade": "Grade"}), "column.csv")
    write(whole.assign(grade=whole["grade"] + 0.5), "scores.csv")
    write(whole.assign(grade="high"), "words.csv")
    write(whole.iloc[2:], "short.csv")
    write(pandas.concat([whole, whole.iloc[:1]]), "twice.csv")
    reasons = {
        "damaged.parquet": "cannot be read",
        "empty.csv": "is empty",
        "latin.csv": "column 'grade' of latin.csv holds text that is not UTF-8",
        "shuffled.txt": "not known by its suffix",
        "column.csv": "no column 'grade'; .* Did you mean 'Grade'",
        "scores.csv": "continuous",
        "words.csv": "Mix of label input types",
        "short.csv": r"its ids are not those of truth.csv: 2 missing \('img\d+', 'img\d+'\)",
        "twice.csv": r"1 repeated \('img\d+'\)",
        "nowhere.csv": "there is no file nowhere.csv",
    }
    rows = {row["name"]: row for row in rows_of(*reasons, *SUBMISSIONS, exit_code=1)}
    assert [row["name"] for row in rows.values() if row["rank"]] == [
        "best.parquet",
        "middle.csv",
        "worst.feather",
    ]
    for name, reason in reasons.items():
        assert rows[name]["rank"] is None
        assert rows[name]["kappa"] is None
        assert re.search(reason, rows[name]["failure"]), rows[name]["failure"]
    text = run("short.csv", "best.parquet", exit_code=1).stdout
    assert "1 could not be scored" in text
    assert "short.csv: its ids are not those of truth.csv" in text
    # Without what is damaged the others stand the same.
    assert [row for row in rows.values() if row["rank"]] == rows_of(*SUBMISSIONS)
    only_bad = rows_of("short.csv", exit_code=1)
    assert [row["rank"] for row in only_bad] == [None]


def test_a_column_that_is_no_label_does_not_take_all_memory(folder: Path) -> None:
    rng = np.random.default_rng(0)
    many = pandas.DataFrame({"image": range(5000), "grade": rng.integers(0, 10**9, 5000)})
    write(many, "many.csv")
    write(many.assign(grade=many["image"] % 3), "few.csv")
    output = run("many.csv", "--format", "json", truth="few.csv", exit_code=1).stdout
    (row,) = json.loads(output)["rows"]
    assert "different values, more than the 2000" in row["failure"]


def test_folders_and_patterns_stand_for_their_files(folder: Path) -> None:
    Path("sent", "late").mkdir(parents=True)
    for name, place in zip(SUBMISSIONS, ("sent", "sent/late", "sent")):
        Path(name).rename(Path(place, name))
    Path("sent", "notes.md").touch()
    Path("sent", "_done.csv").touch()
    files = [str(Path("sent", *parts)) for parts in (("late", "best.parquet"), ("middle.csv",))]
    files.append(str(Path("sent", "worst.feather")))
    expected = rows_of(*files)
    assert rows_of("sent") == expected
    assert rows_of("sent/**/*.parquet", "sent/[mw]*t.*[er]", files[1]) == expected
    assert rows_of("sent/lat*", "sent/m*.csv", "sent/worst.feather") == expected
    (row,) = rows_of("sent/*.tsv", exit_code=1)
    assert (row["name"], row["failure"]) == ("sent/*.tsv", "there is no file sent/*.tsv.")
    Path("none").mkdir()
    assert "none has no file of a format known by its suffix" in run("none", exit_code=2).stderr


def test_items_may_be_dropped(folder: Path) -> None:
    whole = pandas.read_parquet("best.parquet")
    broken = pandas.concat(
        [whole.iloc[2:], whole.iloc[5:6], pandas.DataFrame({"image": ["img9999"], "grade": [0]})]
    )
    write(broken, "broken.csv")
    rows = rows_of("broken.csv", "middle.csv", "--mismatch", "drop")
    row = next(row for row in rows if row["name"] == "broken.csv")
    assert (row["missing"], row["extra"], row["repeated"]) == (2, 1, 1)
    assert row["n"] == N - 3
    assert row["failure"] is None


def test_a_truth_that_cannot_be_used_is_refused(folder: Path) -> None:
    truth = pandas.read_csv("truth.csv")
    write(pandas.concat([truth, truth.iloc[:1]]), "repeated.csv")
    write(truth.assign(grade=truth["grade"].where(truth.index > 0)), "missing.csv")
    for name, reason in (
        ("nowhere.csv", "there is no file nowhere.csv"),
        ("repeated.csv", "repeated.csv cannot be the truth: ids must be distinct"),
        ("missing.csv", "column 'grade' of missing.csv has 1 missing values in its 600 rows"),
    ):
        result = run("best.parquet", truth=name, exit_code=2)
        assert reason in refusal_of(result)
    assert "SUBMISSION" in run(exit_code=2).stderr
    assert "--bootstrap" in run("best.parquet", "--bootstrap", "-1", exit_code=2).stderr


def test_without_a_bootstrap_there_are_no_intervals(folder: Path) -> None:
    assert "interval" not in run(*SUBMISSIONS, "--bootstrap", "0").stdout
    rows = rows_of(*SUBMISSIONS, "--bootstrap", "0")
    assert rows[0]["interval"] == [None, None]
    assert rows[0]["kappa"] == rows_of(*SUBMISSIONS)[0]["kappa"]


def test_interrupting_prints_nothing_and_writes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(os.listdir())
    starts = Bar.starts

    def interrupted(bar: Bar, file: Path) -> Any:
        if file.name == "middle.csv":
            raise KeyboardInterrupt
        return starts(bar, file)

    monkeypatch.setattr(Bar, "starts", interrupted)
    result = run(*SUBMISSIONS, exit_code=130)
    assert result.stdout == ""
    assert sorted(os.listdir()) == before


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals on Windows")
def test_a_terminal_shows_the_files_and_the_ranks_so_far(folder: Path) -> None:
    import pty

    reader, terminal = pty.openpty()
    command = [sys.executable, "-m", "fastkappa", "leaderboard", "truth.csv", *SUBMISSIONS]
    command += ["--id", "image", "--target", "grade"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=terminal, env=environment, timeout=120, check=True
    )
    os.close(terminal)
    shown = b""
    try:
        while some := os.read(reader, 1 << 16):
            shown += some
    except OSError:
        pass  # the end of what a terminal shows
    os.close(reader)
    assert b"(4 of 4)" in shown
    assert b"0.7" in shown
    # What was shown is gone in the end, and what is asked for is not among it.
    assert b"ranked by kappa" not in shown
    assert done.stdout.decode() == run(*SUBMISSIONS).stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_result_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,y\n1,a\n2,b\n")
    options = [str(file), str(file), "--id", "id", "--target", "y", "--labels", "b,a"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fastkappa", "leaderboard", *options],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("fastkappa: the result cannot be written")


def test_clusters_of_the_truth_are_drawn(folder: Path) -> None:
    truth = pandas.read_csv("truth.csv")
    truth["patient"] = [f"{i // 6:03d}" for i in range(N)]
    truth.loc[5, "grade"] = 9
    truth.to_csv("truth.csv", index=False)
    options = ("--cluster", "patient", "--missing-codes", "9", "--format", "json")
    found = json.loads(run("middle.csv", *options).stdout)
    whole = truth[truth["grade"] != 9]
    predicted = pandas.read_csv("middle.csv").set_index("image").loc[whole["image"], "grade"]
    expected = leaderboard(
        whole["grade"],
        {"middle.csv": predicted.to_numpy()},
        clusters=whole["patient"],
        rng=0,
    )
    assert found["n_clusters"] == expected.n_clusters == 100
    assert found["rows"][0]["interval"] == pytest.approx(expected.interval[0].tolist())


def test_a_missing_cluster_is_refused(folder: Path) -> None:
    truth = pandas.read_csv("truth.csv")
    truth["patient"] = [None if i == 3 else str(i // 6) for i in range(N)]
    truth.to_parquet("truth.parquet")
    told = run("middle.csv", "--cluster", "patient", truth="truth.parquet", exit_code=2).output
    assert "clusters has 1 missing of 600, the first at position 3" in " ".join(told.split())
