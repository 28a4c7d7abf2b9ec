"""The items of `fastkappa leaderboard`: their ids, labels, clusters and splits."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from fastkappa import cohen_kappa_score, leaderboard
from tests.helpers.command_line import refusal_of
from tests.helpers.submission_files import (
    SUBMISSIONS,
    N,
    rows_of,
    run,
    write,
)


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
            " below the column names."
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
    hint = "; prediction 'shifted.csv' seems to number the labels 1 higher than the truth"
    assert hint in row["failure"]
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
