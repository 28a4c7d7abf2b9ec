"""Reports and errors give the reason, the advice and the figures that a reader needs next."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("rich")
pytest.importorskip("typer")

from fastkappa import Ratings, fleiss_kappa, light_kappa, pairwise_kappa
from tests.helpers.command_line import CommandLine, write_csv

program = CommandLine()
A = [1, 2, 1, 2, 1, 2]
B = [1, 2, 1, 2, 2, 1]
C = [1, 1, 1, 2, 2, 1]
WARD = [1, 1, 2, 2, 3, 3]


def agree(folder: Path, *options: object, **columns: Any) -> str:
    """Return the report on columns, in one line."""
    path = write_csv(folder / "r.csv", **columns)
    raters = [name for name in columns if len(name) == 1]
    return " ".join(program.text_of("agree", path, "--raters", *raters, *options).split())


def test_clusters_of_several_raters_are_counted(tmp_path: Path) -> None:
    said = agree(tmp_path, "--cluster", "ward", a=A, b=B, c=C, ward=WARD)
    given = Ratings.from_raters({"a": A, "b": B, "c": C}, clusters=WARD)
    effect = fleiss_kappa(given).design_effect
    assert "6 items in 3 clusters, 0 of 18 ratings missing" in said
    assert f"design effect of Fleiss' kappa: {effect:.4f}" in said
    assert "design effect" not in agree(tmp_path, a=A, b=B, c=C)


def test_raters_who_agree_least_alike(tmp_path: Path) -> None:
    said = agree(tmp_path, "--format", "sentence", a=A, b=A, c=A)
    assert "Of 3 raters all agreed equally with the others: kappa (no weights) was 1.00" in said
    assert "the 3 pairs of 3 raters, on 6 items each, was 1.00 each" in said
    # By symmetry, b and c each differ from a in one item.
    pair = {"a": [1, 2, 1, 2], "b": [2, 2, 1, 2], "c": [1, 2, 1, 1]}
    said = agree(tmp_path, "--format", "sentence", **pair)
    assert "agreed least with the others" in said
    one = {"a": [1, 1, 1, 2, 2, 2], "b": [1, 1, 1, 2, 2, 2], "c": [2, 1, 1, 2, 2, 1]}
    said = agree(tmp_path, "--format", "sentence", **one)
    assert "Of 3 raters c agreed least with the others" in said
    two = {**one, "d": one["c"]}
    assert "Of 4 raters " in agree(tmp_path, "--format", "sentence", **two)


def test_why_coefficients_of_several_raters_are_undefined(tmp_path: Path) -> None:
    same = {name: [1] * 6 for name in "abc"}
    said = agree(tmp_path, **same)
    assert (
        "Gwet's AC1 and Krippendorff's alpha (nominal) are undefined: all ratings have the same"
        " label, so no disagreement is expected by chance." in said
    )
    path = tmp_path / "r.csv"
    fields = program.json_of("agree", path, "--raters", *"abc")
    assert fields["undefined"][0].startswith("Fleiss' kappa, Conger's kappa")
    assert "undefined" not in agree(tmp_path, a=A, b=B, c=C)
    grouped = agree(tmp_path, "--group", "where", a=A, b=A, c=C, where=list("xyxyxy"))
    # Raters a and b say 1 in x and 2 in y: Light's kappa has a pair without a kappa.
    assert grouped.count("Light's kappa is undefined: some raters share no items or gave only") == 1


@pytest.mark.parametrize("raters", ["ab", "abc"])
def test_one_cluster_alone(tmp_path: Path, raters: str) -> None:
    columns = dict(zip(raters, (A, B, C)))
    said = agree(tmp_path, "--cluster", "ward", ward=[7] * 6, **columns)
    assert "in 1 cluster" in said
    assert "in one cluster" in said
    assert "are undefined: all" in said or "is undefined: all" in said
    assert "fewer than 50 clusters" not in said


@pytest.mark.parametrize("output", ["sentence", "csv", "json"])
def test_doubts_are_printed_with_all_formats(tmp_path: Path, output: str) -> None:
    """The text report of two or more raters contains the doubts. Other formats print them."""
    path = write_csv(tmp_path / "r.csv", a=A, b=B, c=C, ward=WARD, half=[1, 2] * 3)
    groups = ["--cluster", "ward", "--group", "half"]
    for command, options, doubt in (
        ("agree", ["--raters", *"ab", "--cluster", "ward"], "fewer than 50 clusters: intervals"),
        ("agree", ["--raters", *"ab"], ""),
        ("agree", ["--raters", *"ab", *groups], "the groups share 3 clusters, each counted once"),
        ("measure", ["--raters", *"ab", *groups], "the groups share 3 clusters"),
        ("agree", ["--raters", *"abc", *groups], "the groups are not compared, because 3 clusters"),
    ):
        said = program.run(command, path, *options, "--format", output).stderr
        assert f"fastkappa: warning: {doubt}" in said if doubt else not said
        text = program.run(command, path, *options)
        assert not doubt or doubt not in text.stderr
        assert doubt in " ".join(text.stdout.split())


def test_intervals_beyond_1_are_explained(tmp_path: Path) -> None:
    # 4 of 6 agree: 0.667 plus 1.96 standard errors of 0.192 is 1.044.
    said = agree(tmp_path, a=A, b=B)
    assert "1.0439" in said
    assert "intervals that extend beyond 1 are asymptotic, so they are inaccurate" in said
    many = {"a": A * 20, "b": B * 20}
    assert "beyond 1" not in agree(tmp_path, **many)


def test_pairs_without_a_common_item_are_no_division_by_zero(tmp_path: Path) -> None:
    lacking = {
        "a": [1, 2, 1, 2, 1, "", ""],
        "b": [1, 2, 1, 2, 1, 2, 1],
        "c": ["", "", "", "", "", 2, 1],
    }
    path = write_csv(tmp_path / "r.csv", **lacking, ward=[*WARD, 3])
    options = ["--raters", *"abc", "--cluster", "ward", "--missing", "drop"]
    assert program.run("agree", path, *options).stderr == ""
    given = {n: [v or None for v in column] for n, column in lacking.items()}
    ratings = Ratings.from_raters(given, clusters=[*WARD, 3])
    with np.errstate(all="raise"), catch_warnings():
        simplefilter("ignore", UserWarning)
        assert np.isnan(light_kappa(ratings).standard_error)
        assert np.isnan(pairwise_kappa(ratings).standard_errors[0, 2])


def test_doubts_are_not_repeated_for_each_group(tmp_path: Path) -> None:
    who = ["ann", "ben", "cat"] * 6
    columns = {
        "item": np.repeat(range(6), 3),
        "who": who,
        "grade": ["Yes", "yes", "no", "yes", "no", "Yes"] * 3,
        "site": np.repeat(["x", "y"], 9),
    }
    path = write_csv(tmp_path / "long.csv", **columns)
    long = ["--item", "item", "--rater", "who", "--rating", "grade", "--group", "site"]
    said = program.run("agree", path, *long).stderr
    assert said.count("differ only in how they are written") == 1
    assert "column 'grade' has labels that differ only in how they are written" in said


@pytest.mark.parametrize("value", ["nan", "1.5", "-2"])
def test_a_gate_that_is_no_kappa(tmp_path: Path, value: str) -> None:
    path = write_csv(tmp_path / "r.csv", a=A, b=B)
    refused = program.refusal("agree", path, "--raters", *"ab", f"--fail-under={value}")
    assert f"--fail-under must be a number from -1 to 1, got {float(value)}." in refused


@pytest.mark.parametrize(("rates", "advice"), [("30", "30 % is 0.3"), ("0.3,70", "70 % is 0.7")])
def test_percentages_are_no_proportions(rates: str, advice: str) -> None:
    refused = program.refusal("plan", "--kappa", 0.8, "--width", 0.2, "--rates", rates)
    assert f"--rates must be proportions from 0 to 1, got {rates}. {advice}." in refused


ALIGNED = "id   ann  ben\n1    2    2\n10   3    2\n\n100  1    1\n  101  2   2\n"


@pytest.mark.parametrize("encoding", [None, "utf-16"])
def test_columns_aligned_by_blanks(tmp_path: Path, encoding: str | None) -> None:
    path = tmp_path / "aligned.txt"
    path.write_text(ALIGNED, encoding=encoding or "utf-8")
    options = ["--y1", "ann", "--y2", "ben"] + (["--encoding", encoding] if encoding else [])
    found = program.json_of("score", path, *options)
    assert (found["file"], found["rows"], found["table"]) == (
        str(path),
        4,
        [[1, 0, 0], [0, 2, 0], [0, 1, 0]],
    )
    # A missing cell does not shift the other cells.
    path.write_text("id   ann  ben\n1    2    2\n10        2\n", encoding=encoding or "utf-8")
    assert str(path) in program.refusal("score", path, *options)


def test_blanks_of_labels_stay(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    path.write_text('a  b\n"very  good" "very  good"\nbad bad\n')
    assert program.json_of("score", path, "--y1", "a", "--y2", "b")["labels"] == [
        "bad",
        "very  good",
    ]


def test_an_undefined_value_has_no_interval_in_any_form(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("a,b\n" + "none,none\nmild,none\nmild,mild\nnone,none\n")
    name = "kappa of very severe, in hospital"
    labels = '--labels=none,mild,"very severe, in hospital"'
    agree_on = CommandLine("agree", str(path), "--raters", "a", "b", labels, "--weights", "linear")
    (line,) = (line for line in agree_on.text_of().splitlines() if name in line)
    assert line.split(name)[1].split() == ["undefined"]
    assert "1 of the 3 labels never used (very severe, in hospital)" in agree_on.text_of()
    rows = csv.DictReader(io.StringIO(agree_on.text_of("--format", "csv")))
    (row,) = (row for row in rows if row["statistic"] == name)
    assert (row["value"], row["lower"], row["upper"]) == ("", "", "")
    assert agree_on.json_of()["category_kappas"][2] is None
    page = agree_on.text_of("--format", "html")
    cells = page[page.index(name) :].split("</tr>")[0]
    assert " to " not in cells
    # The kappa of raters who use only one label is also undefined.
    path.write_text("a,b\n" + "none,none\n" * 4)
    assert agree_on.json_of()["interval"] == [None, None]
    (kappa,) = (line for line in agree_on.text_of().splitlines() if line.startswith("kappa  "))
    assert kappa.split() == ["kappa", "undefined"]
