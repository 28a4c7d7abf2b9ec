"""Three or more raters: each rater, pairs of raters, groups, and disputed items."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from fastkappa import (
    Ratings,
    agreement,
    compare_coefficients,
    compare_raters,
    compare_strata,
    conger_kappa,
    fleiss_kappa,
    krippendorff_alpha,
)
from tests.helpers.command_line import CommandLine, write_csv

agree = CommandLine("agree")
NAMES = [f"annotator_{i:02d}" for i in range(1, 41)]


@pytest.fixture
def grades() -> np.ndarray:
    random = np.random.default_rng(0)
    truth = random.integers(1, 4, (60, 1))
    guesses = random.integers(1, 4, (60, 40))
    return np.where(random.random((60, 40)) < 0.8, truth, guesses)


@pytest.fixture
def path(tmp_path: Path, grades: np.ndarray) -> Path:
    site = np.where(np.arange(60) % 2, "north", "south")
    return write_csv(tmp_path / "r.csv", site=site, **dict(zip(NAMES, grades.T)))


def test_forty_raters_fit_on_the_page(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    options = (path, "--raters", *NAMES, "--labels", "1,2,3", "--report", tmp_path / "r.html")
    lines = agree.text_of(*options).splitlines()
    assert lines[0].endswith(
        ": 40 raters (annotator_01, annotator_02, annotator_03, annotator_04, ...)"
    )
    assert max(map(len, lines[1:])) <= 80
    page = (tmp_path / "r.html").read_text()
    title = page.partition("<title>")[2].partition("</title>")[0]
    captions = [part.partition("</figcaption>")[0] for part in page.split("<figcaption>")[1:]]
    assert "annotator_05" not in title
    assert [len(caption) < 80 for caption in captions] == [True, True]


def test_each_rater_and_each_label(path: Path, grades: np.ndarray) -> None:
    names = NAMES[:4]
    found = agree.json_of(path, "--raters", *names, "--labels", "1,2,3", "--weights", "linear")
    direct = compare_raters(grades[:, :4], weights="linear", labels=[1, 2, 3])
    assert found["each_rater"]["with_others"]["values"] == direct.with_others.values.tolist()
    assert found["each_rater"]["change"]["lower"] == direct.change.lower.tolist()
    assert found["each_rater"]["label_counts"] == direct.label_counts.tolist()
    # Weights do not apply to one label against all others.
    by_label = fleiss_kappa(grades[:, :4]).by_label
    assert [one["agreement"] for one in found["by_label"]] == [one.agreement for one in by_label]
    rows = agree.text_of(path, "--raters", *names, "--format", "csv").splitlines()
    assert sum("with the others" in row for row in rows) == 4


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_alpha_names_its_weights(path: Path, grades: np.ndarray, weights: str) -> None:
    options = (path, "--raters", *NAMES[:3], "--labels", "1,2,3", "--weights", weights)
    alpha = agree.json_of(*options)["coefficients"]["krippendorff_alpha"]
    distances = [[abs(i - j) ** (1 + (weights == "quadratic")) for i in range(3)] for j in range(3)]
    right = krippendorff_alpha(grades[:, :3], level=distances, labels=[1, 2, 3])
    assert alpha["value"] == pytest.approx(right.value, abs=1e-14)
    assert alpha["method"] == f"Krippendorff's alpha ({weights} weights)"
    lines = agree.text_of(*options).splitlines()
    assert max(map(len, lines[1:])) <= 80
    assert "own distances" not in "".join(lines)


def test_every_coefficient_is_read_by_a_scale(path: Path, grades: np.ndarray) -> None:
    options = (path, "--raters", *NAMES[:3], "--scale", "altman", "--labels", "1,2,3")
    found = agree.json_of(*options)["coefficients"]["fleiss_kappa"]["interpretation"]
    direct = fleiss_kappa(grades[:, :3], labels=[1, 2, 3]).interpret("altman")
    assert found == direct.to_dict()
    at_least = f"at least {direct.confident_reading} (one-sided, with 95 % confidence)"
    assert f"Fleiss' kappa: {direct.reading}, {at_least}" in agree.text_of(*options)


# Words that each form has about the groups.
FORMS = {
    "text": "\nKappa of each label by site\n",
    "json": '"group": "north"',
    "html": "Kappa of each label by site",
    "csv": "\nnorth,kappa of label 3,",
    "sentence": "\nAll items: Fleiss' kappa (no weights) of 3 raters on 60 items",
}


@pytest.mark.parametrize("output", FORMS)
def test_every_form_is_written(path: Path, output: str) -> None:
    text = agree.text_of(path, "--raters", *NAMES[:3], "--group", "site", "--format", output)
    assert "annotator_01" in text
    assert FORMS[output] in text
    if output == "sentence":
        assert text.startswith("Fleiss' kappa (no weights) of 3 raters on 30 items in site north")


@pytest.mark.parametrize("options", [(), ("--group", "site")])
def test_pictures_show_the_confidence_level(
    path: Path, options: tuple[str, ...], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "forest.svg"
    given = (path, "--raters", *NAMES[:3], *options, "--confidence", "0.9")
    agree.text_of(*given, "--plot", picture)
    assert "with its 90 % interval" in picture.read_text()
    agree.text_of(*given, "--plot", picture, "--weights", "linear")
    assert "(linear weights) with its 90 % interval" in picture.read_text()


def test_a_pair_is_chosen(path: Path, grades: np.ndarray, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "pair.svg"
    options = (path, "--raters", *NAMES[:3], "--pair", "annotator_03,annotator_01")
    found = agree.json_of(*options, "--plot", picture, "--heat-map")["pair"]
    direct = agreement(grades[:, 2], grades[:, 0], labels=[1, 2, 3])
    assert (found["table"], found["kappa"]) == (direct.table.tolist(), direct.kappa)
    assert "annotator_03" in picture.read_text()
    refusal = agree.refusal(path, "--raters", *NAMES[:3], "--pair", "annotator_3,annotator_01")
    assert "no rater is named 'annotator_3'. Did you mean 'annotator_03'?" in refusal
    for pair in ("annotator_03", ",annotator_01"):
        refusal = agree.refusal(path, "--raters", *NAMES[:3], "--pair", pair)
        assert "--pair must name two raters, such as ann,ben" in refusal
    said = agree.run(path, "--raters", *NAMES[:3], "--coefficient", "alpha").stderr
    assert "'krippendorff'?" in said
    assert "three or more raters" in agree.refusal(
        path, "--raters", *NAMES[:2], "--pair", ",".join(NAMES[:2])
    )


def test_options_for_full_tables_follow_the_tables(path: Path) -> None:
    text = agree.text_of(path, "--raters", *NAMES[:4])
    parts = (
        "items are disputed",
        "every disputed item: --disputed",
        "Kappa of each pair of raters",
    )
    assert sorted(parts, key=text.index) == list(parts)


def test_disputed_items_are_written(path: Path, grades: np.ndarray, tmp_path: Path) -> None:
    written = tmp_path / "disputed.csv"
    agree.text_of(path, "--raters", *NAMES[:4], "--disputed", written)
    rows = list(csv.DictReader(written.read_text().splitlines()))
    four = grades[:, :4]
    shown = agree.json_of(path, "--raters", *NAMES[:4])
    assert shown["n_disputed"] == len(rows)
    assert [one["item"] for one in shown["disputed"]] == [int(r["item"]) for r in rows[:10]]
    assert shown["disputed"][0][NAMES[0]] == int(rows[0][NAMES[0]])
    assert len(rows) == (four != four[:, :1]).any(axis=1).sum()
    for row in rows:
        # Rows of the file are counted from 1.
        assert [int(row[name]) for name in NAMES[:4]] == four[int(row["item"]) - 1].tolist()
        assert row["adjudicated"] == ""
    apart = [float(row["disagreement"]) for row in rows]
    assert apart == sorted(apart, reverse=True)
    # Two raters also have disputed items.
    found = agree.json_of(path, "--raters", *NAMES[:2], "--disputed", written)
    rows = list(csv.DictReader(written.read_text().splitlines()))
    table = np.array(found["table"])
    assert found["n_disputed"] == len(rows) == table.sum() - np.trace(table)


def test_disputed_items_have_their_names(tmp_path: Path) -> None:
    path = write_csv(
        tmp_path / "long.csv",
        text=["t1", "t1", "t1", "t2", "t2", "t2"],
        who=["ann", "ben", "eve"] * 2,
        grade=["x", "y", "x", "z", "z", "z"],
    )
    written = tmp_path / "disputed.csv"
    long = ("--item", "text", "--rater", "who", "--rating", "grade", "--missing", "drop")
    agree.text_of(path, *long, "--disputed", written)
    assert written.read_text().splitlines()[1] == f"t1,{2 / 3},x,y,x,x,"


def rows_of_all(*options: object) -> dict[str, float]:
    """Return the values of all items in the CSV of groups, by statistic."""
    rows = csv.DictReader(agree.text_of(*options, "--format", "csv").splitlines())
    return {row["statistic"]: float(row["value"]) for row in rows if row["group"] == "all items"}


def test_groups_are_compared(path: Path, grades: np.ndarray) -> None:
    found = agree.json_of(path, "--raters", *NAMES[:3], "--group", "site", "--labels", "1,2,3")
    north = np.arange(60) % 2 == 1
    groups = [fleiss_kappa(grades[some, :3], labels=[1, 2, 3]) for some in (north, ~north)]
    direct = compare_strata(groups)
    assert found["comparison"]["statistic"] == pytest.approx(direct.statistic)
    assert rows_of_all(path, "--raters", *NAMES[:3], "--group", "site", "--labels", "1,2,3")[
        "p of equality"
    ] == pytest.approx(direct.p_value)
    groups = [
        fleiss_kappa(grades[some, :3], labels=[1, 2, 3], interval_method="asymptotic")
        for some in (north, ~north)
    ]
    direct = compare_strata(groups)
    values = np.array([one.value for one in groups])
    precision = np.array([one.standard_error for one in groups]) ** -2
    overall = (values * precision).sum() / precision.sum()
    assert direct.statistic == pytest.approx((precision * (values - overall) ** 2).sum())
    text = agree.text_of(path, "--raters", *NAMES[:3], "--group", "site")
    assert "test of equality: Q = " in text
    assert any(line.split()[:2] == ["north", "30"] for line in text.splitlines())


def test_each_rater_in_each_group(path: Path, grades: np.ndarray, tmp_path: Path) -> None:
    options = [path, "--raters", *NAMES[:3], "--group", "site"]
    found = agree.json_of(*options)
    north = np.arange(60) % 2 == 1
    kappas = []
    for of_group, some in zip(found["groups"], (north, ~north), strict=True):
        direct = compare_raters(grades[some, :3], labels=np.unique(grades[:, :3]))
        values = direct.with_others.values.tolist()
        assert of_group["each_rater"]["with_others"]["values"] == pytest.approx(values)
        kappas.append([f"{value:.4f}" for value in values])
    lines = [line.split() for line in agree.text_of(*options).splitlines()]
    start = lines.index(["Kappa", "of", "each", "rater", "with", "the", "others", "by", "site"])
    assert lines[start + 2] == ["north", "south"]
    rows = [[name, *pair] for name, pair in zip(NAMES[:3], map(list, zip(*kappas)))]
    assert lines[start + 3 : start + 6] == rows
    # If each rater is in one group, the table of all items contains the same figures.
    item, rater = np.indices((60, 6)).reshape(2, -1)
    who, job = [f"r{i}" for i in rater], np.where(rater < 3, "doctor", "nurse")
    long = write_csv(tmp_path / "g.csv", item=item, who=who, grade=grades[:, :6].ravel(), job=job)
    columns = ("--item", "item", "--rater", "who", "--rating", "grade", "--group", "job")
    assert "with the others by" not in agree.text_of(long, *columns)


def test_cluster_numbers_that_restart_in_each_group(tmp_path: Path, grades: np.ndarray) -> None:
    """Each row is an item of one site, even if both sites have equal numbers of items."""
    i = np.arange(60)
    site, patient = np.where(i < 30, "north", "south"), i % 30 // 2
    path = write_csv(tmp_path / "r.csv", site=site, patient=patient, **dict(zip("abc", grades.T)))
    options = (path, "--raters", *"abc", "--group", "site", "--cluster", "patient")
    assert agree.json_of(*options)["comparison"] is None
    text = " ".join(agree.text_of(*options).split())
    assert "the groups are not compared, because 15 clusters occur in a second group" in text
    assert "north: fewer than 50 clusters: intervals tend to be too short" in text
    measured = " ".join(CommandLine("measure").text_of(*options).split())
    assert "the groups share 15 clusters, each counted once" in measured
    columns = {"patient": 30 * (i // 30) + patient, **dict(zip("abc", grades.T))}
    write_csv(path, site=site, **columns)
    assert agree.json_of(*options)["comparison"]["degrees_of_freedom"] == 1
    assert "the groups share" not in CommandLine("measure").text_of(*options)


def test_groups_of_raters_rated_the_same_items(tmp_path: Path, grades: np.ndarray) -> None:
    six = grades[:, :6]
    item, rater = np.indices(six.shape).reshape(2, -1)
    path = write_csv(
        tmp_path / "long.csv",
        item=item,
        who=[f"r{i}" for i in rater],
        grade=six.ravel(),
        job=np.where(rater < 3, "doctor", "nurse"),
    )
    long = ("--item", "item", "--rater", "who", "--rating", "grade", "--group", "job")
    found = agree.json_of(path, *long)
    doctors, nurses = (Ratings.from_array(six[:, some]) for some in (slice(3), slice(3, 6)))
    direct = compare_coefficients(fleiss_kappa(doctors), fleiss_kappa(nurses))
    assert found["comparison"]["p_value"] == pytest.approx(direct.p_value)
    rows = rows_of_all(path, *long)
    assert rows["doctor minus nurse"] == pytest.approx(direct.value)
    assert rows["p of doctor minus nurse"] == pytest.approx(direct.p_value)
    # The doctors did not rate the first item.
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *lines[4:]]) + "\n")
    rated = six.astype(float)
    rated[0, :3] = np.nan
    of_both = [fleiss_kappa(rated[:, some]) for some in (slice(3), slice(3, 6))]
    direct = compare_coefficients(*of_both)
    text = agree.text_of(path, *long)
    assert f"doctor minus nurse{direct.value:10.4f}" in text
    assert "Paired differences, on 59 and 60 items, 59 of them in common\n" in text
    assert "on 59 and 60 items, 59 of them in common, a difference" in direct.sentence()
    assert (direct.n_subjects, direct.n_used) == (60, (59, 60))
    # The first of three groups is compared with each of the others, in natural order.
    teams = [f"team {(8, 9, 10)[rater]}" for rater in np.indices(six.shape)[1].ravel() // 2]
    write_csv(path, item=item, who=[f"r{i}" for i in rater], grade=six.ravel(), job=teams)
    pairs = [fleiss_kappa(six[:, i : i + 2], labels=np.unique(six)) for i in (0, 2, 4)]
    found = agree.json_of(path, *long)["comparison"]
    for one, name, other in zip(found, ("9", "10"), pairs[1:], strict=True):
        assert one["methods"] == ["Fleiss' kappa of team 8", f"Fleiss' kappa of team {name}"]
        assert one["p_value"] == pytest.approx(compare_coefficients(pairs[0], other).p_value)


def test_results_of_several_raters_are_strata() -> None:
    rows = np.random.default_rng(1).integers(0, 2, (40, 3))
    kinds = [fleiss_kappa(rows), fleiss_kappa(rows[:30], weights="linear")]
    with pytest.raises(ValueError, match="different weights"):
        compare_strata(kinds)
    with pytest.raises(ValueError, match="Conger's kappa and Fleiss' kappa cannot be compared"):
        compare_strata([fleiss_kappa(rows), conger_kappa(rows)])


def test_three_raters_with_missing_ratings(tmp_path: Path) -> None:
    columns = {
        "a": ["x", "y", "", "z", "x", "y"],
        "b": ["x", "y", "z", "z", "", "y"],
        "c": ["x", "x", "z", "y", "x", "y"],
    }
    path = write_csv(tmp_path / "r.csv", **columns)
    options = ("--raters", "a", "b", "c")
    assert "1 in column 'a' and 1 in column 'b', out of 6 rows" in agree.refusal(path, *options)
    found = agree.json_of(path, *options, "--missing", "drop")
    given = [[rating or None for rating in row] for row in zip(*columns.values())]
    kappa, right = found["coefficients"]["fleiss_kappa"], fleiss_kappa(given)
    assert kappa["value"] == pytest.approx(right.value)
    assert kappa["interval"] == pytest.approx(right.interval)
    assert (found["n_missing"], found["labels"]) == (2, ["x", "y", "z"])
    text = agree.text_of(path, *options, "--missing", "drop")
    assert "2 of 18 ratings missing" in text
    assert "\nmissing ratings: a 1, b 1\n" in text
    assert found["pairwise"]["n"] == [[5, 4, 5], [4, 5, 5], [5, 5, 6]]
    ordered = agree.json_of(
        path, *options, "--missing", "drop", "--labels", "z,y,x", "--weights", "linear"
    )
    assert ordered["labels"] == ["z", "y", "x"]


def test_groups_of_three_raters_have_the_same_labels(tmp_path: Path) -> None:
    """Randolph's kappa depends on the number of labels, even if some labels do not occur."""
    columns = {"a": [1, 1, 2, 3, 3], "b": [1, 2, 2, 3, 3], "c": [1, 2, 2, 3, 2]}
    path = write_csv(tmp_path / "r.csv", g=list("uuuvv"), **columns)
    found = agree.json_of(path, "--raters", "a", "b", "c", "--group", "g")
    # Seven of nine pairs of ratings in the first group agree: (7/9 - 1/3) / (1 - 1/3).
    assert found["groups"][0]["coefficients"]["randolph_kappa"]["method"] == "Randolph's kappa"
    assert found["groups"][0]["coefficients"]["randolph_kappa"]["value"] == pytest.approx(2 / 3)


def test_the_missing_ratings_of_each_group(tmp_path: Path) -> None:
    columns: dict[str, list[object]] = {
        "a": ["", 1, 2, 3, 3, 1, 2],
        "b": [1, 2, 2, 3, 3, 1, ""],
        "c": [1, 2, 2, 3, 2, "", 1],
    }
    path = write_csv(tmp_path / "r.csv", g=list("uuuuvvv"), **columns)
    options = (path, "--raters", "a", "b", "c", "--group", "g", "--missing", "drop")
    lines = [line.split() for line in agree.text_of(*options).splitlines()]
    start = next(i for i, line in enumerate(lines) if line[:3] == ["group", "n", "missing"])
    found = {line[0]: line for line in lines[start + 1 : start + 4]}
    assert found["u"][1:3] == ["4", "1"]
    assert found["v"][1:3] == ["3", "2"]
    assert found["all"][2:4] == ["7", "3"]
    write_csv(path, g=list("uuuv"), a=[1, 2, 2, 1], b=[1, 2, 1, 1], c=[1, 1, 2, 2])
    assert "n  missing" not in agree.text_of(*options)
