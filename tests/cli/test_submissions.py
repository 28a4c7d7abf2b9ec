"""Submissions to `fastkappa leaderboard` with other label columns, and copies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from fastkappa import leaderboard  # noqa: E402
from tests.helpers.command_line import CommandLine, write_csv  # noqa: E402

N = 40
TRUTH = np.arange(N) % 3
LABELS = np.where(np.arange(N) % 5 == 0, 0, TRUTH)
OPTIONS = ("--id", "id", "--target", "grade")


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    write_csv(Path("truth.csv"), id=range(N), grade=TRUTH)
    write_csv(Path("a.csv"), id=range(N), grade=LABELS)
    return CommandLine("leaderboard", "truth.csv")


def test_the_only_other_column_has_the_labels(command: CommandLine) -> None:
    write_csv(Path("b.csv"), id=range(N), prediction=LABELS)
    parquet.write_table(pa.table({"y": LABELS, "id": range(N)}), "c.parquet")
    result = command.run("a.csv", "b.csv", "c.parquet", *OPTIONS, "--format", "json")
    first, *others = json.loads(result.stdout)["rows"]
    for row in others:
        assert {**row, "name": first["name"]} == first
    assert (
        "in files without a column 'grade', the only column besides the ids is read as the labels:"
        " 'prediction' of b.csv, 'y' of c.parquet."
    ) in result.stderr
    assert command.run("a.csv", *OPTIONS).stderr == ""


def test_of_several_other_columns_none_is_chosen(command: CommandLine) -> None:
    write_csv(Path("b.csv"), id=range(N), y=LABELS, sure=[1] * N)
    result = command.run("b.csv", *OPTIONS, "--format", "json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["rows"][0]["failure"] == (
        "has no column 'grade'; it has 'id', 'y', 'sure'. Rename the column of the labels to"
        " 'grade'."
    )
    write_csv(Path("truth.csv"), id=range(N), y=LABELS)
    assert "truth.csv has no column 'grade'; it has 'id', 'y'." in command.refusal(
        "a.csv", *OPTIONS
    )


def test_texts_that_mean_missing_among_numbers(command: CommandLine) -> None:
    write_csv(Path("a.csv"), id=range(N), grade=["-", *LABELS[1:]])
    write_csv(Path("truth.csv"), id=range(N), grade=[*TRUTH[:-1], "-"])
    assert "contains numbers and also '-'" in command.refusal("a.csv", *OPTIONS)
    drop = ("--missing", "drop", "--mismatch", "drop", "--min-coverage", 0.9)
    (row,) = command.json_of("a.csv", *OPTIONS, *drop)["rows"]
    assert (row["n"], row["missing"]) == (N - 2, 1)


def test_truth_in_several_files_is_refused(command: CommandLine) -> None:
    Path("parts").mkdir()
    for i in range(2):
        write_csv(Path(f"parts/{i}.csv"), id=range(N), grade=TRUTH)
    write_csv(Path("a.csv"), id=range(N), grade=LABELS)
    program = CommandLine("leaderboard")
    for truth, kind in (("parts", "folder"), ("parts/*.csv", "pattern")):
        assert program.refusal(truth, "a.csv", *OPTIONS) == (
            f"fastkappa: the truth must be one file, got the {kind} {truth}: combine its files"
            " into one.\n"
        )
    assert program.json_of("parts/0*.csv", "a.csv", *OPTIONS)["rows"][0]["n"] == N


def test_ids_with_leading_zeros_are_strings(command: CommandLine) -> None:
    padded = [f"{i:06d}" for i in range(N)]
    parts = {"part": ["u", "v"] * (N // 2), "group": np.arange(N) // 2}
    grades = ["", *TRUTH[1:]]
    write_csv(Path("truth.csv"), id=padded, grade=grades, **parts)
    write_csv(Path("b.csv"), id=padded, grade=LABELS)
    parquet.write_table(pa.table({"id": padded, "grade": LABELS}), "c.parquet")
    options = (*OPTIONS, "--missing", "drop", "--cluster", "group")
    for more in ((), ("--split", "part")):
        found = command.json_of("b.csv", "c.parquet", *options, *more)
        for board in found.get("splits", {"": found}).values():
            b, c = board["rows"]
            assert (b["n"], b["failure"]) in [(N - 1, None), (N // 2 - 1, None), (N // 2, None)]
            assert c == {**b, "name": "c.parquet"}
    # In the file a.csv, the same ids have no leading zeros.
    result = command.run("a.csv", *options, "--format", "json")
    (row,) = json.loads(result.stdout)["rows"]
    assert "39 missing ('000001', " in row["failure"]
    assert "ids are written the same way, including leading zeros" in row["failure"]


def test_warnings_about_labels_name_the_file(command: CommandLine) -> None:
    labels = np.arange(60) % 5
    write_csv(Path("truth.csv"), id=range(60), grade=labels)
    for name, stray in (("plain", 0), ("five", 5), ("nine", 9)):
        stray_at_start = [stray, *np.where(labels % 2, labels, np.roll(labels, 7))[1:]]
        write_csv(Path(f"{name}.csv"), id=range(60), grade=stray_at_start)
    files = ("plain.csv", "five.csv", "nine.csv", "--bootstrap", "0")
    options = ("--id", "id", "--target", "grade", "--weights", "quadratic")
    said = " ".join(command.run(*files, *options).stderr.split())
    assert "the ratings contain 9 in prediction 'nine.csv'. Such numbers" in said
    uneven = "the labels 0 < 1 < 2 < 3 < 4 < 9 of prediction 'nine.csv' are not equally spaced"
    assert uneven in said
    assert said.count("equally spaced") == 1


def test_copies_are_named(command: CommandLine) -> None:
    for name in ("copy", "other"):
        write_csv(Path(f"{name}.csv"), id=range(N), grade=LABELS)
    write_csv(Path("worse.csv"), id=range(N), grade=np.roll(LABELS, 1))
    files = ("a.csv", "copy.csv", "other.csv", "worse.csv", *OPTIONS)
    note = "a.csv, copy.csv, other.csv have the same kappa in every bootstrap replicate"
    assert note in " ".join(command.text_of(*files).split())
    assert command.json_of(*files)["copies"] == [["a.csv", "copy.csv", "other.csv"]]
    named = command.json_of(*files, "--name-pattern", "(.+)[.]csv")
    assert named["copies"] == [["a", "copy", "other"]]
    first = "of a.csv, first of 4 predictions and tied with copy.csv, other.csv, on 40 items"
    assert first in command.text_of(*files, "--format", "sentence")


def test_equal_kappas_of_other_labels_are_no_copies() -> None:
    wrong = {name: TRUTH.copy() for name in ("first", "second")}
    wrong["first"][0], wrong["second"][3] = 1, 1
    board = leaderboard(TRUTH, wrong, rng=0)
    assert (board.rank.tolist(), board.copies) == ([1, 1], ())
    assert "first of 2 predictions and tied with second, on 40 items" in board.sentence()
    # Both are right on the items that they contain.
    ids = np.arange(N)
    some = {"first": (ids[1:], TRUTH[1:]), "second": (ids[:-1], TRUTH[:-1])}
    options = {"ids": ids, "on_mismatch": "drop", "min_coverage": 0.9, "rng": 0}
    assert leaderboard(TRUTH, some, **options).copies == ()
    assert leaderboard(TRUTH, {"a": LABELS, "b": LABELS}, n_resamples=0).copies == ()


REASONS: dict[str, tuple[list[object], str]] = {
    "scores": ([label + 0.5 for label in LABELS], "Use fastkappa thresholds to convert scores"),
    "words": ([f"grade {label}" for label in LABELS], "the truth contains integers and prediction"),
    "decimal commas": (
        [f"{label};0" for label in LABELS],
        "use --decimal ',' if they are numbers",
    ),
    "booleans": (
        [label > 0 for label in LABELS],
        "the truth contains other numbers, such as 2",
    ),
}


@pytest.mark.parametrize("kind", REASONS)
def test_reasons_name_the_truth_and_commands(command: CommandLine, kind: str) -> None:
    labels, reason = REASONS[kind]
    write_csv(Path("b.csv"), id=range(N), grade=labels)
    text = Path("b.csv").read_text()
    Path("b.csv").write_text(text.replace(",", "|").replace(";", ",").replace("|", ";"))
    result = command.run("b.csv", *OPTIONS)
    found = " ".join(f"{result.stdout} {result.stderr}".split())
    assert reason in found
    assert "y_true" not in found
    assert "optimal_thresholds" not in found
