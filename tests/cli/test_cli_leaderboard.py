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
from tests.helpers.command_line import CommandLine, refusal_of

N = 600


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with a truth and three submissions in different formats and orders."""
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
        "scores.csv": "continuous",
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


def test_items_may_be_dropped(folder: Path) -> None:
    whole = pandas.read_parquet("best.parquet")
    broken = pandas.concat(
        [whole.iloc[2:], whole.iloc[5:6], pandas.DataFrame({"image": ["img9999"], "grade": [0]})]
    )
    write(broken, "broken.csv")
    rows = rows_of("broken.csv", "middle.csv", "--mismatch", "drop", "--min-coverage", "0.99")
    row = next(row for row in rows if row["name"] == "broken.csv")
    assert (row["missing"], row["extra"], row["repeated"]) == (2, 1, 1)
    assert row["n"] == N - 3
    assert row["failure"] is None


def test_missing_labels_are_left_out_if_they_may_be(folder: Path) -> None:
    truth, middle = pandas.read_csv("truth.csv"), pandas.read_csv("middle.csv")
    truth["grade"] = truth["grade"].astype("Int64").where(truth.index >= 3)
    middle["grade"] = middle["grade"].astype("Int64").where(middle["image"] != truth["image"][9])
    write(truth, "gaps in truth.csv")
    write(middle, "gaps.csv")
    write(middle, "gaps.parquet")

    def row_of(name: str, *options: str, exit_code: int = 0) -> dict[str, Any]:
        arguments = (name, "--bootstrap", "0", "--format", "json", *options)
        printed = run(*arguments, truth="gaps in truth.csv", exit_code=exit_code)
        return dict(json.loads(printed.stdout)["rows"][0])

    rated = middle.merge(truth, on="image", suffixes=("", "_true")).dropna()
    assert len(rated) == N - 4
    for name in ("gaps.csv", "gaps.parquet"):
        assert "--mismatch drop" in row_of(name, "--missing", "drop", exit_code=1)["failure"]
        drop = ("--missing", "drop", "--mismatch", "drop")
        why = row_of(name, *drop, exit_code=1)["failure"]
        assert f"it has labels for only {N - 4} of the {N - 3} items" in why
        assert "--min-coverage 0.99" in why
        row = row_of(name, *drop, "--min-coverage", "0.99")
        assert (row["n"], row["missing"]) == (N - 4, 1)
        expected = cohen_kappa_score(rated["grade_true"].astype(int), rated["grade"].astype(int))
        assert row["kappa"] == pytest.approx(expected)
    assert "--missing drop" in run("gaps.csv", exit_code=1).stdout


def test_a_truth_that_cannot_be_used_is_refused(folder: Path) -> None:
    truth = pandas.read_csv("truth.csv")
    write(pandas.concat([truth, truth.iloc[:1]]), "repeated.csv")
    write(truth.assign(grade=truth["grade"].where(truth.index > 0)), "missing.csv")
    for name, reason in (
        ("nowhere.csv", "there is no file nowhere.csv"),
        ("repeated.csv", "repeated.csv cannot be used as the truth: ids must be distinct"),
        ("missing.csv", "column 'grade' of missing.csv has 1 missing value in its 600 rows"),
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
    # The first item is left out, but rows are counted in the file.
    truth["grade"] = truth["grade"].where(truth.index > 0)
    truth.loc[0, "patient"] = None
    truth.to_parquet("truth.parquet")
    for option in ("--cluster", "--split"):
        given = ("middle.csv", "--missing", "drop", option, "patient")
        told = refusal_of(run(*given, truth="truth.parquet", exit_code=2))
        assert (
            "column 'patient' of truth.parquet has 1 missing value in its 600 rows, first in row 4"
            " below the names."
        ) in told


def test_labels_outside_those_given_are_an_error_unless_allowed(folder: Path) -> None:
    truth = pandas.read_csv("truth.csv")
    honest = pandas.read_csv("middle.csv")
    right = truth.set_index("image").loc[honest["image"], "grade"].to_numpy() == honest["grade"]
    write(honest.assign(grade=honest["grade"].where(right, 9)), "cheater.csv")
    files = ("cheater.csv", "middle.csv", "--labels", "0,1,2,3")
    rows = rows_of(*files, exit_code=1)
    assert [(row["name"], row["rank"]) for row in rows] == [
        ("middle.csv", 1),
        ("cheater.csv", None),
    ]
    n_hard = int((~right).sum())
    assert rows[1]["failure"] == (
        f"it has labels other than 0 < 1 < 2 < 3 for {n_hard} of 600 items: 9 ({n_hard})."
        " Use --allow-other-labels to leave out such items."
    )
    assert "seems to number" not in rows[1]["failure"]
    write(honest.assign(grade=honest["grade"] + 1), "shifted.csv")
    (_, row) = rows_of("middle.csv", "shifted.csv", "--labels", "0,1,2,3", exit_code=1)
    assert "'shifted.csv' seems to number the labels higher than the truth by 1" in row["failure"]
    assert row["failure"].endswith(" Use --allow-other-labels to leave out such items.")
    allowed = rows_of(*files, "--allow-other-labels")
    assert [row["name"] for row in allowed] == ["cheater.csv", "middle.csv"]
    assert [row["other_labels"] for row in allowed] == [n_hard, 0]
    assert "other labels" in run(*files, "--allow-other-labels").stdout


def test_ids_in_every_form(folder: Path) -> None:
    """Test byte order marks, compressed text and digits as strings, and invalid ids."""
    import gzip

    best = pandas.read_parquet("best.parquet")
    text = best.to_csv(index=False)
    Path("marked.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    Path("packed.csv.gz").write_bytes(gzip.compress(text.encode()))
    Path("semicolons.csv").write_bytes(text.replace(",", ";").encode())
    rows = rows_of("marked.csv", "packed.csv.gz", "semicolons.csv", "best.parquet")
    assert len({row["kappa"] for row in rows}) == 1
    broken = {
        "unpacked.csv.gz": gzip.compress(text.encode())[:-900],
        "null.csv": text.replace(best["image"][0], "", 1).encode(),
        "without.csv": text.replace("image", "picture", 1).encode(),
        "only names.csv": b"image,grade\n",
        "twice named.csv": text.replace("grade", "image", 1).encode(),
    }
    for name, content in broken.items():
        Path(name).write_bytes(content)
    failures = {row["name"]: row["failure"] for row in rows_of(*broken, exit_code=1)}
    for name, reason in {
        "unpacked.csv.gz": "cannot be read",
        "null.csv": "column 'image' of null.csv has 1 missing value in its 600 rows",
        "without.csv": "no column 'image'; it has 'picture', 'grade'",
        "only names.csv": "has no rows",
        "twice named.csv": "2 columns named 'image'",
    }.items():
        assert reason in failures[name]
    # If digits are strings in the truth, they are also strings in a text file.
    for table, name in ((best, "digits.csv"), (pandas.read_csv("truth.csv"), "digits.parquet")):
        write(table.assign(image=table["image"].str[3:]), name)
    arguments = ("digits.csv", "--format", "json")
    assert json.loads(run(*arguments, truth="digits.parquet").stdout)["rows"][0]["n"] == N


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


def test_each_split_has_its_own_ranks(folder: Path) -> None:
    truth = pandas.read_csv("truth.csv")
    truth["part"] = np.where(np.arange(N) % 3 == 0, "public", "private")
    truth["patient"] = [f"p{i // 6}" for i in range(N)]
    truth.to_csv("truth.csv", index=False)
    write(pandas.read_csv("middle.csv").iloc[1:], "short.csv")
    files = (*SUBMISSIONS, "short.csv")
    for more in ((), ("--cluster", "patient")):
        text = run(*files, "--split", "part", *more, "--format", "json", exit_code=1).stdout
        splits = json.loads(text)["splits"]
        assert list(splits) == ["private", "public"]
        for part, found in splits.items():
            own = truth[truth["part"] == part]
            columns = {}
            for name in SUBMISSIONS:
                read = getattr(pandas, f"read_{name.split('.')[1]}")
                columns[name] = read(name).set_index("image").loc[own["image"], "grade"].to_numpy()
            clusters = own["patient"] if more else None
            expected = leaderboard(own["grade"], columns, clusters=clusters, rng=0)
            *ranked, failed = found["rows"]
            assert ranked == json.loads(json.dumps(expected.to_dict()))["rows"]
            assert "1 missing" in failed["failure"]
    drop = ("--mismatch", "drop", "--min-coverage", "0.99")
    dropped = run(*files, "--split", "part", *drop, "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(dropped)))
    assert [row["split"] for row in rows] == ["private"] * 4 + ["public"] * 4
    assert sum(int(row["missing"]) for row in rows if row["name"] == "short.csv") == 1
    table = run(*files, "--split", "part", exit_code=1).stdout
    assert re.search(r"name +rank private +kappa private +rank public +kappa public", table)
    page = run(*files, "--split", "part", "--format", "html", exit_code=1).stdout
    assert page.count("<h2>") == 2
    truth.loc[3, "part"] = None
    truth.to_parquet("truth.parquet")
    told = refusal_of(run(*files, "--split", "part", truth="truth.parquet", exit_code=2))
    assert "column 'part' of truth.parquet has 1 missing value in its 600 rows" in told


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
