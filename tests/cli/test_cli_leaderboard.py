"""`fastkappa leaderboard` on intact and damaged files of predictions."""

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
from tests.helpers.submission_files import (
    SUBMISSIONS,
    N,
    frame,
    rows_of,
    run,
    write,
)


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
    Path("shuffled.xlsx").write_text("image,grade\n")
    write(whole.assign(grade=whole["grade"] + 0.5), "scores.csv")
    write(whole.assign(grade="high"), "words.csv")
    write(whole.iloc[2:], "short.csv")
    write(pandas.concat([whole, whole.iloc[:1]]), "twice.csv")
    reasons = {
        "damaged.parquet": "cannot be read",
        "empty.csv": "is empty",
        "latin.csv": "column 'grade' of latin.csv contains text that is not UTF-8",
        "shuffled.xlsx": "cannot be read: ",
        "scores.csv": "numbers with fractions",
        "words.csv": "the ratings cannot be compared",
        "short.csv": r"its ids differ from the ids of truth.csv: 2 missing \('img\d+', 'img\d+'\)",
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
    assert "short.csv: its ids differ from the ids of truth.csv" in text
    # Without the damaged files, the other files keep their results.
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
    assert "different ratings, more than the 2000" in row["failure"]


def test_folders_and_patterns_stand_for_their_files(folder: Path) -> None:
    Path("sent", "late").mkdir(parents=True)
    for name, place in zip(SUBMISSIONS, ("sent", "sent/late", "sent")):
        Path(name).rename(Path(place, name))
    Path("sent", "notes.md").touch()
    Path("sent", "_done.csv").touch()
    files = [f"sent/{name}" for name in ("late/best.parquet", "middle.csv", "worst.feather")]
    assert rows_of("sent") == (expected := rows_of(*files))
    assert rows_of("sent/**/*.parquet", "sent/[mw]*t.*[er]", files[1]) == expected
    assert rows_of("sent/lat*", "sent/m*.csv", "sent/worst.feather") == expected
    (row,) = rows_of("sent/*.tsv", exit_code=1)
    assert row["name"] == "sent/*.tsv"
    listed = "_done.csv, late, middle.csv, notes.md, worst.feather"
    assert row["failure"] == f"no file matches sent/*.tsv: the folder sent contains {listed}."
    # A file that is named several times has one row.
    assert rows_of(f"./{files[1]}", "sent/late", "sent", files[1]) == expected
    left_out = "1 of 4 files of sent left out: sent/notes.md. In a folder, only files ending in"
    assert (left_out in run("sent").stderr, run("sent/late").stderr) == (True, "")
    Path("none").mkdir()
    assert "none contains no files with a supported suffix" in run("none", exit_code=2).stderr


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
        pass  # The end of the terminal's output.
    os.close(reader)
    assert b"(4 of 4)" in shown
    assert b"0.7" in shown
    # The bar is erased at the end, and is not part of the requested output.
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


def test_files_are_scored_together_as_they_are_alone(folder: Path) -> None:
    """Test more files than are read or scored at once, including files that fail."""
    rng = np.random.default_rng(5)
    truth = pandas.read_csv("truth.csv")
    names = [f"s{j:02d}.csv" for j in range(40)]
    for j, name in enumerate(names):
        guesses = np.where(rng.random(N) < 0.5, truth["grade"], rng.integers(0, 4, N))
        table = frame(guesses).sample(frac=1, random_state=j)
        write(table.iloc[1:] if j in (3, 20) else table, name)
    rows = rows_of(*names, "--weights", "quadratic", exit_code=1)
    assert [row["name"] for row in rows[-2:]] == ["s03.csv", "s20.csv"]
    good = [name for j, name in enumerate(names) if j not in (3, 20)]
    columns = {
        name: pandas.read_csv(name).set_index("image").loc[truth["image"], "grade"].to_numpy()
        for name in good
    }
    expected = leaderboard(truth["grade"], columns, weights="quadratic", rng=0)
    assert rows[:-2] == json.loads(json.dumps(expected.to_dict()))["rows"]
    # In another order, only files with equal kappas can change places.
    again = rows_of(*reversed(names), "--weights", "quadratic", exit_code=1)
    assert [row["kappa"] for row in again] == [row["kappa"] for row in rows]


def test_the_truth_is_no_submission_of_its_folder(folder: Path) -> None:
    expected = rows_of(*SUBMISSIONS)
    assert [row["kappa"] for row in rows_of(".")] == [row["kappa"] for row in expected]
    assert [row["name"] for row in rows_of("*.csv")] == ["middle.csv"]
    assert rows_of("truth.csv")[0]["kappa"] == 1


@pytest.mark.parametrize("kind", ["strings", "numbers"])
def test_a_file_says_the_same_in_plain_lines_and_in_quotes(kind: str, folder: Path) -> None:
    truth = pandas.read_csv("truth.csv")
    best = pandas.read_parquet("best.parquet").sample(frac=1, random_state=7)
    files = {"best": best, "short": best[:-1], "twice": pandas.concat([best, best[:1]])}
    files["other"] = best.replace({"image": {"img0000": "img9999"}})
    files["scores"] = best.assign(grade=best["grade"] + 0.5)
    files["far"] = best.assign(grade=best["grade"] * 10**9)
    for table in (truth, *files.values()):
        table["note"] = "caf\xe9"
        if kind == "numbers":
            table["image"] = 7 * table["image"].str[3:].astype(int)
    truth["part"] = np.where(truth.index % 3, "public", "private")
    truth.to_csv("truth.csv", index=False)
    for quoted, place in ((csv.QUOTE_ALL, "quoted"), (csv.QUOTE_MINIMAL, "plain")):
        Path(place).mkdir()
        for name, table in files.items():
            table.to_csv(f"{place}/{name}.csv", index=False, quoting=quoted)
    for options in ([], ["--mismatch", "drop"], ["--split", "part"], ["--labels", "0,1,2,3"]):
        plain, in_quotes = (
            run(place, *options, "--format", "json", exit_code=1).stdout
            for place in ("plain", "quoted")
        )
        assert plain == in_quotes.replace("quoted/", "plain/")
