"""A label called NA, null or nan is a label if named; otherwise, it is missing in text files."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastkappa import Ratings, agreement, confusion_from_source, fleiss_kappa
from tests.helpers.absent import library

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

# Two raters of seven items. The third rates like the first, and NA is a missing group.
COLUMNS = {
    "id": ["1", "2", "3", "4", "5", "6", "7"],
    "a": ["Yes", "No", "NA", "No", "NA", "Yes", "NA"],
    "b": ["Yes", "NA", "NA", "No", "Yes", "Yes", "NA"],
    "c": ["Yes", "No", "NA", "No", "NA", "Yes", "NA"],
    "group": ["x", "x", "x", "x", "NA", "x", "x"],
    "score": ["2.5", "1.5", "0.5", "1.6", "0.4", "2.6", "0.3"],
}
LABELS = ["Yes", "No", "NA"]
TABLE = [[2, 0, 0], [0, 1, 1], [1, 0, 2]]
# Five of seven agree; by chance (2 * 3 + 2 * 1 + 3 * 3) of 49.
KAPPA = (5 / 7 - 17 / 49) / (1 - 17 / 49)


def text(columns: dict[str, list[str]], path: Path, quoting: Any = csv.QUOTE_MINIMAL) -> Path:
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", newline="") as file:
        csv.writer(file, quoting=quoting).writerows([columns, *zip(*columns.values())])
    return path


SOURCES: dict[str, Callable[[dict[str, list[str]], Path], Any]] = {
    "CSV": lambda columns, folder: text(columns, folder / "r.csv"),
    "quoted CSV": lambda columns, folder: text(columns, folder / "r.csv", csv.QUOTE_ALL),
    "packed CSV": lambda columns, folder: text(columns, folder / "r.csv.gz"),
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "polars": lambda columns, _: library("polars").DataFrame(columns),
    "Arrow": lambda columns, _: pa.table(columns),
    "mapping": lambda columns, _: columns,
}


@pytest.mark.parametrize("called", ["NA", "null", "nan", "None", "N/A"])
@pytest.mark.parametrize("source", SOURCES)
def test_a_label_that_is_named_is_not_missing(source: str, called: str, tmp_path: Path) -> None:
    columns = {
        name: [called if label == "NA" else label for label in column]
        for name, column in COLUMNS.items()
    }
    given = SOURCES[source](columns, tmp_path)
    counts = confusion_from_source(given, "a", "b", labels=["Yes", "No", called])
    assert (counts.table.tolist(), counts.missing, counts.n_outside) == (TABLE, (0, 0), 0)


def test_arrays_and_files_agree(tmp_path: Path) -> None:
    found = agreement(COLUMNS["a"], COLUMNS["b"], labels=LABELS, missing="drop")
    assert (found.n, found.kappa) == (7, pytest.approx(KAPPA))
    path = text(COLUMNS, tmp_path / "r.csv")
    assert confusion_from_source(path, "a", "b").missing == (3, 3)
    # Labels that are not named are still missing.
    assert confusion_from_source(path, "a", "b", labels=["Yes", "No"]).missing == (3, 3)


def test_the_labels_are_those_of_ratings_alone(tmp_path: Path) -> None:
    path = text(COLUMNS, tmp_path / "r.csv")
    by_group = confusion_from_source(path, "a", "b", group="group", labels=LABELS)
    assert {group: counts.n_rows for group, counts in by_group.items()} == {"x": 6, None: 1}


def test_a_code_for_missing_ratings_may_be_one_of_these(tmp_path: Path) -> None:
    path = text(COLUMNS, tmp_path / "r.csv")
    counts = confusion_from_source(path, "a", "b", labels=["Yes", "No"], missing_codes=["NA"])
    assert (counts.table.tolist(), counts.missing) == ([[2, 0], [0, 1]], (3, 3))


def test_beside_numbers_such_a_label_makes_strings_of_them(tmp_path: Path) -> None:
    columns = {"a": ["1", "2", "nan", "10"], "b": ["1", "nan", "nan", "2"]}
    counts = confusion_from_source(
        text(columns, tmp_path / "r.csv"), "a", "b", labels=["1", "2", "10", "nan"]
    )
    assert counts.table.tolist() == [[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 1]]
    assert counts.labels.tolist() == ["1", "2", "10", "nan"]


def test_a_long_file_is_read_likewise(tmp_path: Path) -> None:
    rows = [(i, rater, label) for rater in "ab" for i, label in zip("1234567", COLUMNS[rater])]
    item, rater, rating = map(list, zip(*rows))
    path = text({"item": item, "rater": rater, "rating": rating}, tmp_path / "long.csv")
    ratings = Ratings.from_long(path, item="item", rater="rater", rating="rating", labels=LABELS)
    wide = Ratings.from_raters({"a": COLUMNS["a"], "b": COLUMNS["b"]}, labels=LABELS)
    assert ratings.n_missing == 0
    assert fleiss_kappa(ratings).value == fleiss_kappa(wide).value


def test_every_command_takes_a_label_that_is_named(tmp_path: Path) -> None:
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine

    program, path = CommandLine(), text(COLUMNS, tmp_path / "r.csv")
    named = ["--labels", "Yes,No,NA"]
    scored = program.json_of("score", path, "--y1", "a", "--y2", "b", *named, "--missing", "drop")
    assert (scored["n"], scored["kappa"], scored["table"]) == (7, pytest.approx(KAPPA), TABLE)
    two = program.json_of("agree", path, "--raters", "a", "b", *named)
    assert (two["n"], two["kappa"]) == (7, pytest.approx(KAPPA))
    clustered = program.json_of("agree", path, "--raters", "a", "b", "--cluster", "id", *named)
    assert (clustered["n"], clustered["kappa"]) == (7, pytest.approx(KAPPA))
    three = program.json_of("agree", path, "--raters", "a", "b", "c", *named)
    assert three["pairwise"]["kappa"][0] == pytest.approx([1, KAPPA, 1])
    cut = ["thresholds", path, "--y", "a", "--score", "score", "--labels", "NA,No,Yes"]
    assert program.json_of(*cut)["n"] == 7
    ranked = program.json_of("leaderboard", path, path, "--id", "id", "--target", "a", *named)
    assert ranked["rows"][0]["n"] == 7


def test_without_labels_errors_say_how_to_name_them(tmp_path: Path) -> None:
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine

    program, path = CommandLine(), text(COLUMNS, tmp_path / "r.csv")
    remedy = "If a string such as NA is a label, list it in --labels."
    for command in (
        ["score", path, "--y1", "a", "--y2", "b"],
        ["agree", path, "--raters", "a", "b", "c"],
        ["agree", path, "--raters", "a", "b", "--cluster", "id"],
        ["thresholds", path, "--y", "a", "--score", "score"],
        ["leaderboard", path, path, "--id", "id", "--target", "a"],
    ):
        assert remedy in program.refusal(*command)
    both = ["score", path, "--y1", "a", "--y2", "b", "--labels", "Yes,NA", "--missing-codes"]
    assert "--labels and --missing-codes both contain 'NA'" in program.refusal(*both, "NA")
    assert "text and JSON Lines files, where empty fields are always" in program.refusal(*both, "")
