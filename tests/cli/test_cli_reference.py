"""`fastkappa agree`: comparison of readers with a reference, and of two groups."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("rich")
pytest.importorskip("typer")

from fastkappa import agreement, agreement_by, compare_independent, compare_predictions
from fastkappa.datasets import load
from tests.helpers.command_line import CommandLine, write_csv

command = CommandLine("agree")
text_of, json_of, refusal = command.text_of, command.json_of, command.refusal
GRADED = ("--weights", "quadratic")


def graded(n: int = 120, seed: int = 3) -> dict[str, Any]:
    """Return grades by pathology and three readers, for patients with three lesions each."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 5, n)
    error = {"ann": 0.2, "ben": 0.35, "cat": 0.6}
    readers = {
        name: np.where(rng.random(n) < rate, rng.integers(1, 5, n), truth)
        for name, rate in error.items()
    }
    return {"patient": np.arange(n) // 3, "pathology": truth, **readers}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "lesions.csv", **graded())


COMMON = "common kappa, with p of equality"
READERS = ("--raters", "ann", "ben", "--reference", "pathology", *GRADED)


@pytest.mark.parametrize("by_patient", [False, True])
def test_two_readers_differ_as_two_predictions_of_one_truth(path: Path, by_patient: bool) -> None:
    columns = graded()
    given: dict[str, Any] = {"clusters": columns["patient"]} if by_patient else {}
    expected = compare_predictions(
        columns["ann"], columns["ben"], y_true=columns["pathology"], weights="quadratic", **given
    )
    found = json_of(path, *READERS, *(["--cluster", "patient"] if by_patient else []))
    [difference] = found["differences"]
    assert difference["names"] == ["ann", "ben"]
    for name in ("value", "standard_error", "z", "p_value"):
        assert difference[name] == pytest.approx(getattr(expected, name), rel=1e-9), name
    assert difference["interval"] == pytest.approx(expected.interval, rel=1e-9)
    # The test of equal kappas of two readers is the test of their difference.
    assert found["equality"]["p_value"] == pytest.approx(expected.p_value, rel=1e-9)


def test_three_readers_are_compared_in_pairs_in_the_order_given(path: Path) -> None:
    columns, readers = graded(), ("--raters", "cat", "ann", "ben", "--reference", "pathology")
    found = json_of(path, *readers)
    assert [group["group"] for group in found["groups"]] == ["cat", "ann", "ben"]
    assert found["all"] is None
    for of_reader in found["groups"]:
        alone = agreement(columns["pathology"], columns[of_reader["group"]])
        assert of_reader["kappa"] == pytest.approx(alone.kappa)
        assert of_reader["interval"] == pytest.approx(alone.interval)
    pairs = [difference["names"] for difference in found["differences"]]
    assert pairs == [["cat", "ann"], ["cat", "ben"], ["ann", "ben"]]
    sentence = text_of(path, *readers, "--format", "sentence")
    assert "; difference of cat minus ann " in sentence
    text = text_of(path, *readers)
    assert "Agreement of pathology and each rater on 120 items, 4 labels" in text
    assert "\ncat  ann " in text.replace("     cat", "cat")
    assert "not adjusted for their number" in text
    assert "all items" not in text


def test_the_csv_and_the_sentence_have_the_difference(path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(text_of(path, *READERS, "--format", "csv"))))
    assert [row["group"] for row in rows] == ["ann", "ben", "ann - ben", COMMON]
    assert float(rows[3]["p_value"]) == pytest.approx(float(rows[2]["p_value"]))
    assert float(rows[2]["kappa"]) == pytest.approx(
        float(rows[0]["kappa"]) - float(rows[1]["kappa"])
    )
    sentence = text_of(path, *READERS, "--format", "sentence")
    assert "of pathology and each rater was" in sentence
    assert f"difference of ann minus ben {float(rows[2]['kappa']):.2f} (" in sentence


def test_a_missing_rating_leaves_an_item_out_of_its_reader_only(tmp_path: Path) -> None:
    columns = graded()
    some = columns["ann"].astype(object)
    some[[4, 9]] = ""
    other = columns["ben"].astype(object)
    other[[9, 11]] = ""
    path = write_csv(tmp_path / "missing.csv", **{**columns, "ann": some, "ben": other})
    assert "2 in column 'ann'" in refusal(path, *READERS)
    found = json_of(path, *READERS, "--missing", "drop")
    assert [group["n"] for group in found["groups"]] == [118, 118]
    assert [group["missing"] for group in found["groups"]] == [[0, 2], [0, 2]]
    assert [group["n_dropped"] for group in found["groups"]] == [2, 2]
    assert "n_dropped" not in found
    said = (
        "Missing ratings in the 120 rows: 2 in ann, 2 in ben. All ratings are present in 117 rows."
    )
    assert found["warnings"] == [said]


def test_each_group_counts_its_own_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "missing.csv"
    rows = ["s,1,1,1,p", "s,2,2,1,p", "s,,2,2,q", "s,2,,1,", "t,1,1,2,r", "t,2,2,2,s", "t,1,,1,s"]
    path.write_text("\n".join(["site,truth,ann,ben,patient", *rows]))
    options = (path, "--missing", "drop", "--cluster", "patient", "--group", "site", "--raters")
    found = json_of(*options, "ann", "ben", "--reference", "truth")
    counts = [
        [(one["missing"], one["missing_clusters"], one["n_dropped"]) for one in part]
        for part in (found["groups"], *(of_site["raters"] for of_site in found["by_group"]))
    ]
    assert counts == [
        [([1, 2], 1, 3), ([1, 0], 1, 2)],
        [([1, 1], 1, 2), ([1, 0], 1, 2)],
        [([0, 1], 0, 1), ([0, 0], 0, 0)],
    ]
    alone = json_of(*options, "truth", "ann")
    assert [
        (one["missing"], one["missing_clusters"], one["n_dropped"]) for one in alone["groups"]
    ] == [([1, 1], 1, 2), ([0, 1], 0, 1)]
    assert (alone["missing"], alone["n_dropped"]) == ([0, 1, 2], 3)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--raters", "ann", "pathology", "--reference", "pathology"], "must not be one of"),
        ([*READERS, "--model", "ann"], "--model cannot be combined with --reference"),
        ([*READERS, "--heat-map"], "--heat-map cannot be combined"),
        ([*READERS, "--item", "patient"], "Join the files by item"),
        (["--raters", "ann", "ben", "--reference", "path"], "path"),
    ],
)
def test_options_that_do_not_fit(path: Path, options: list[str], reason: str) -> None:
    assert reason in refusal(path, *options)


def test_a_stacked_file_has_no_row_of_all_items(tmp_path: Path) -> None:
    """Each lesion occurs once per reader, so the sum is not a number of lesions."""
    columns = graded()
    n = len(columns["patient"])
    stacked = {
        "patient": np.tile(columns["patient"], 2),
        "reader": np.repeat(["ann", "ben"], n),
        "grade": np.concatenate([columns["ann"], columns["ben"]]),
        "reference": np.tile(columns["pathology"], 2),
    }
    path = write_csv(tmp_path / "stacked.csv", **stacked)
    options = ("--raters", "reference", "grade", "--group", "reader", "--cluster", "patient")
    independent = text_of(path, *options[:-2]).splitlines()[1:]
    assert " ".join(independent).startswith(
        "column 'reference' contains each label equally often in all groups. If the groups have the"
    )
    assert "--cluster" in text_of(path, "--raters", "grade", "reference", "--group", "reader")
    text = text_of(path, *options, *GRADED)
    assert "--cluster" not in text
    assert "on 120 items in 40 clusters" in " ".join(text.split())
    assert "all items" not in text
    assert "the groups share" not in text
    wide = write_csv(tmp_path / "wide.csv", **columns)
    expected = json_of(wide, *READERS, "--cluster", "patient")["differences"]
    found = json_of(path, *options, *GRADED)["differences"]
    assert found[0]["interval"] == pytest.approx(expected[0]["interval"])
    # Both eyes of a patient are different items, even with equal numbers of left and right eyes.
    eyes = {**stacked, "reference": np.where(stacked["reader"] == "ann", stacked["grade"], 1)}
    assert "all items" in text_of(write_csv(tmp_path / "eyes.csv", **eyes), *options)


@pytest.mark.parametrize("by_patient", [False, True])
def test_readers_and_a_reference_in_each_group(tmp_path: Path, by_patient: bool) -> None:
    columns = graded()
    # The second patient has lesions at both sites.
    site = np.where(columns["patient"] < 20, "north", "south")
    site[3] = "south"
    ann = columns["ann"].astype(object)
    ann[7] = ""
    path = write_csv(tmp_path / "sites.csv", **{**columns, "ann": ann, "site": site})
    options = (path, *READERS, "--group", "site", "--missing", "drop")
    options += ("--cluster", "patient") if by_patient else ()
    found = json_of(*options)
    kept = {"ann": np.arange(len(site)) != 7, "ben": np.ones(len(site), bool)}

    def clusters(of: Any) -> dict[str, Any]:
        return {"clusters": columns["patient"][of]} if by_patient else {}

    for of_site in found["by_group"]:
        here = site == of_site["group"]
        for of_reader in of_site["raters"]:
            own = here & kept[of_reader["group"]]
            pair = columns["pathology"][own], columns[of_reader["group"]][own]
            alone = agreement(*pair, weights="quadratic", labels=[1, 2, 3, 4], **clusters(own))
            assert of_reader["n"] == alone.n
            assert of_reader["interval"] == pytest.approx(alone.interval)
    south = site == "south"
    expected = compare_predictions(
        *(columns[name][south] for name in ("ann", "ben")),
        y_true=columns["pathology"][south],
        weights="quadratic",
        **clusters(south),
    )
    difference = found["by_group"][1]["differences"][0]
    assert difference["interval"] == pytest.approx(expected.interval, rel=1e-9)
    for of_rater in found["by_rater"]:
        own = kept[of_rater["rater"]]
        pair = columns["pathology"][own], columns[of_rater["rater"]][own]
        by_site = agreement_by(*pair, groups=site[own], weights="quadratic", **clusters(own))
        assert of_rater["equality"]["p_value"] == pytest.approx(by_site.equality.p_value)
        assert of_rater["n_shared_clusters"] == by_site.n_shared_clusters == int(by_patient)
    note = "the groups share 1 cluster, each counted once; if cluster numbers restart in each group"
    assert (note in " ".join(text_of(*options).split())) == by_patient
    rows = list(csv.DictReader(io.StringIO(text_of(*options, "--format", "csv"))))
    groups = [name for name in ("all items", "north", "south") for _ in range(4)]
    assert [row["group"] for row in rows] == [*groups, COMMON, COMMON]
    assert [row["rater"] for row in rows] == [
        *3 * ["ann", "ben", "ann - ben", COMMON],
        "ann",
        "ben",
    ]
    for row, of_rater in zip(rows[12:], found["by_rater"]):
        assert float(row["kappa"]) == pytest.approx(of_rater["equality"]["kappa"])
        assert float(row["p_value"]) == pytest.approx(of_rater["equality"]["p_value"])
    text = text_of(*options)
    assert "on 119 to 120 items" in text
    assert text.index("\nsite north\n") < text.index("\nsite south\n")
    lines = text_of(*options, "--format", "sentence").splitlines()
    assert lines[1].startswith("site north: Cohen's kappa (quadratic weights) of pathology and")
    statistic = "F" if by_patient else "Q"
    assert lines[3].startswith(f"Test of equal kappas of ann across site: {statistic} = ")
    gate = command.run(*options, "--fail-under", 0.99)
    assert gate.exit_code == 3
    assert "4 of 4 fail." in gate.stderr


def test_two_groups_differ_as_two_independent_tables(tmp_path: Path) -> None:
    cities = ("winnipeg", "new_orleans")
    tables = {city: load(f"multiple_sclerosis_{city}").table for city in cities}
    rated = [load(f"multiple_sclerosis_{city}").expand() for city in cities]
    first, second = (np.concatenate(each) for each in zip(*rated))
    city = np.repeat(cities, [table.sum() for table in tables.values()])
    path = write_csv(tmp_path / "cities.csv", a=first, b=second, city=city)
    found = json_of(path, "--raters", "a", "b", "--group", "city")
    expected = compare_independent(tables["new_orleans"], tables["winnipeg"])
    [difference] = found["differences"]
    assert difference["value"] == pytest.approx(expected.value)
    assert difference["interval"] == pytest.approx(expected.interval)
    assert found["all"] is not None
    # Five groups of different items have 10 differences, and six groups have only the test of equal
    # kappas.
    for n, n_differences in ((3, 3), (5, 10), (6, 0)):
        group = np.arange(len(first)) % n
        many = write_csv(tmp_path / "many.csv", a=first, b=second, city=group)
        found = json_of(many, "--raters", "a", "b", "--group", "city")
        assert len(found["differences"]) == n_differences
        assert [len(one["names"]) for one in found["differences"]] == [2] * n_differences


def test_every_format_has_the_same_figures(path: Path) -> None:
    options = (path, "--raters", "ann", "ben", "--cluster", "patient", *GRADED)
    rows = list(csv.DictReader(io.StringIO(text_of(*options, "--format", "csv"))))
    figures = json_of(*options)["figures"]
    assert [row["statistic"] for row in rows] == [figure["statistic"] for figure in figures]
    names = {figure["statistic"] for figure in figures}
    wanted = ("z of kappa = 0", "p of kappa = 0", "design effect")
    wanted += ("p of Stuart-Maxwell test",)
    wanted += ("largest kappa possible", "expected agreement", "agreement on 3")
    wanted += ("mean rank, first minus second",)
    assert set(wanted) <= names
    text = text_of(*options)
    columns = graded()
    specific = agreement(columns["ann"], columns["ben"]).specific_agreement.values
    assert "Specific agreement on each label" in text
    for figure in figures:
        if figure["statistic"].startswith("agreement on"):
            expected = specific[int(figure["statistic"][-1]) - 1]
            assert figure["value"] == pytest.approx(expected)
            assert f"{expected:.4f}" in text
        elif figure["statistic"] in wanted and not figure["statistic"].startswith("p of"):
            assert f"{figure['statistic']} {figure['value']:.4f}" in " ".join(text.split())
