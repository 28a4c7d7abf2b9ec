"""`agree` on annotators' exports: one file each, chosen raters, repeated rows, and sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from fastkappa import (  # noqa: E402
    Ratings,
    compare_coefficients,
    compare_raters,
    fleiss_kappa,
    krippendorff_alpha,
    pairwise_kappa,
)
from tests.helpers.command_line import CommandLine, write_csv  # noqa: E402

agree = CommandLine("agree")
N = 30
RANDOM = np.random.default_rng(5)
ANNA = RANDOM.integers(1, 4, N)
BEN = np.where(RANDOM.random(N) < 0.7, ANNA, RANDOM.integers(1, 4, N))
EVE = np.where(RANDOM.random(N) < 0.5, ANNA, RANDOM.integers(1, 4, N))
RATED: dict[str, Any] = {"anna": ANNA, "ben": BEN, "eve": EVE}
IDS = [f"t{i}" for i in range(N)]


LEFT_OUT = ("file", "disputed", "warnings")


def without_file(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in LEFT_OUT}


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "wide.csv", id=IDS, **RATED)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one file per annotator, each in its own order."""
    folder = tmp_path / "annotators"
    folder.mkdir()
    for name, ratings in RATED.items():
        order = RANDOM.permutation(N)
        columns = {"id": np.array(IDS)[order], "grade": ratings[order]}
        if name == "eve":
            parquet.write_table(pa.table(columns), folder / "eve.parquet")
        else:
            write_csv(folder / f"{name}.csv", **columns)
    return folder


@pytest.fixture
def long(tmp_path: Path) -> Path:
    return write_csv(
        tmp_path / "long.csv",
        id=IDS * 3,
        who=np.repeat(list(RATED), N),
        grade=np.concatenate(list(RATED.values())),
    )


LONG = ("--item", "id", "--rater", "who", "--rating", "grade")


def test_a_file_per_annotator(wide: Path, folder: Path) -> None:
    two = [folder / "anna.csv", folder / "ben.csv"]
    found = agree.json_of(*two, "--id", "id")
    expected = agree.json_of(wide, "--raters", "anna", "ben")
    assert without_file(found) == without_file(expected)
    assert found["file"] == f"{two[0]}, {two[1]}"


def test_a_folder_whose_file_names_are_the_raters(wide: Path, folder: Path) -> None:
    found = agree.json_of(folder, "--id", "id", "--rating", "grade")
    expected = agree.json_of(wide, "--raters", "anna", "ben", "eve")
    assert without_file(found) == without_file(expected)
    # Two raters, in the requested order.
    two = agree.json_of(folder, "--id", "id", "--raters", "eve", "anna")
    expected = agree.json_of(wide, "--raters", "eve", "anna")
    assert without_file(two) == without_file(expected)
    pattern = agree.json_of(folder / "*.csv", "--id", "id")
    assert pattern["raters"] == ["anna", "ben"]


def test_annotators_who_share_some_items(tmp_path: Path) -> None:
    write_csv(tmp_path / "a.csv", id=[1, 2, 3, 4], grade=["x", "y", "x", "x"])
    write_csv(tmp_path / "b.csv", id=[3, 2, 9], grade=["x", "y", "y"])
    found = agree.json_of(tmp_path / "a.csv", tmp_path / "b.csv", "--id", "id")
    assert (found["n"], found["missing"], found["kappa"]) == (2, [1, 2], 1)


def test_a_copied_file_of_a_rater_is_warned_of(folder: Path, tmp_path: Path) -> None:
    head, *rows = (folder / "anna.csv").read_text().splitlines()
    (folder / "backup.csv").write_text("\n".join([head, *sorted(rows)]))
    (said,) = agree.run(folder, "--id", "id").stderr.splitlines()
    assert "warning: anna and backup agree on all 30 items, but other" in said
    # If raters nearly always agree, two can agree on all items by chance.
    alike = ["x", "y"] * (N // 2)
    easy = write_csv(tmp_path / "easy.csv", a=alike, b=alike, c=["y", *alike[1:]])
    assert agree.run(easy, "--raters", "a", "b", "c").stderr == ""


def test_a_file_of_items_is_not_written_into_a_folder_of_raters(folder: Path) -> None:
    refused = agree.refusal(folder, "--id", "id", "--gold", folder / "gold.csv")
    assert "into a folder of inputs, and a later run" in refused
    agree.text_of(folder, "--id", "id", "--gold", folder.parent / "gold.csv")


def test_the_file_of_a_model_beside_a_long_file(wide: Path, long: Path, tmp_path: Path) -> None:
    rows = long.read_text().splitlines(keepends=True)
    long.write_text("".join(rows[:-N]))
    eve = write_csv(tmp_path / "eve.csv", grade=EVE, id=IDS)
    expected = without_file(agree.json_of(wide, "--raters", *RATED))
    assert without_file(agree.json_of(long, eve, *LONG)) == expected
    # Several long files are read as one, and raters are chosen from all of them.
    more = tmp_path / "more.csv"
    more.write_text("".join([rows[0], *rows[-N:]]))
    assert without_file(agree.json_of(more, long, *LONG)) == expected
    chosen = agree.json_of(long, eve, *LONG, "--raters", "eve", "ben")
    assert chosen["raters"] == ["eve", "ben"]
    again = agree.refusal(long, long, *LONG)
    assert f"the files must have different names, got {long}, {long}." in again


def test_a_model_with_other_ids(long: Path, tmp_path: Path) -> None:
    model = write_csv(tmp_path / "model.csv", id=[f"doc {i}" for i in range(N)], grade=EVE)
    said = agree.run(long, model, *LONG).stderr
    assert "some raters have no item in common with any other rater: 'model'. Check that" in said
    assert said.count("warning:") == 1


def test_an_item_in_two_groups(long: Path) -> None:
    rows = [row.split(",") for row in long.read_text().splitlines()[1:]]
    columns = dict(zip(("id", "who", "grade"), zip(*rows)))
    source = [f"s{int(item[1:]) % 2}" for item in columns["id"]]
    options = [*LONG, "--group", "source"]
    assert "warnings" not in agree.json_of(write_csv(long, **columns, source=source), *options)
    source[3] = "s0"
    write_csv(long, **columns, source=source)
    (said,) = agree.json_of(long, *options)["warnings"]
    assert said == (
        "Items that occur in several groups of 'source': 1. Each rating counts in the group of its"
        " row."
    )
    # Groups of raters have items in common.
    rows += [[item, "dan", grade] for item, who, grade in rows if who == "anna"]
    columns = dict(zip(("id", "who", "grade"), zip(*rows)))
    profession = ["nurse" if who in ("eve", "dan") else "doctor" for who in columns["who"]]
    write_csv(long, **columns, source=profession)
    assert "occur in several groups" not in " ".join(agree.json_of(long, *options)["warnings"])


def test_two_guidelines_on_the_same_items(long: Path, wide: Path) -> None:
    rows = [row.split(",") for row in long.read_text().splitlines()[1:]]
    second = [[item, who, "1" if i % 7 else grade] for i, (item, who, grade) in enumerate(rows)]
    columns = dict(zip(("id", "who", "grade"), zip(*rows, *second)))
    write_csv(long, **columns, version=["v1"] * len(rows) + ["v2"] * len(rows))
    found = agree.json_of(long, *LONG, "--group", "version")
    assert found["raters"][:2] == ["anna (v1)", "anna (v2)"]
    grades = [np.reshape([row[2] for row in part], (3, N)).T for part in (rows, second)]
    each = [fleiss_kappa(part, labels=["1", "2", "3"]) for part in grades]
    expected = compare_coefficients(*each).p_value
    assert found["comparison"]["p_value"] == pytest.approx(expected)
    of_labels = [[one.value for one in result.by_label] for result in each]
    assert [[one["value"] for one in group["by_label"]] for group in found["groups"]] == of_labels
    assert found["warnings"] == [
        "some items have ratings by the same rater in several groups of 'version' (90 pairs of item"
        " and rater). Each rater therefore counts as a different rater in each group, with a name"
        " such as 'anna (v1)'."
    ]
    # A rating given twice is always an error.
    with long.open("a") as file:
        file.write("t0,anna,1,v1\n")
    assert "has 2 ratings of item 't0'" in agree.refusal(long, *LONG, "--group", "version")


def test_groups_and_clusters_of_files(tmp_path: Path) -> None:
    group = ["u", "v"] * (N // 2)
    ward = [i // 3 for i in range(N)]
    for name, ratings in RATED.items():
        write_csv(tmp_path / f"{name}.csv", id=IDS, grade=ratings, g=group, ward=ward)
    wide = write_csv(tmp_path / "wide.txt", g=group, ward=ward, **RATED)
    options = ["--group", "g", "--cluster", "ward"]
    files = [tmp_path / f"{name}.csv" for name in RATED]
    found = agree.json_of(*files, "--id", "id", "--rating", "grade", *options)
    expected = agree.json_of(wide, "--raters", *RATED, *options)
    assert without_file(found) == without_file(expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["anna.csv", "ben.csv"], "got 2 files. If each rater has a file, use --id"),
        (["anna.csv", "b", "--rater", "a"], "b is not a file. Did you mean --raters a b?"),
        (["anna.csv", "--id", "id"], "--id needs the files of two or more raters, got anna."),
        (
            ["anna.csv", "other/anna.csv", "--id", "id"],
            "both name the rater anna, but each rater must have only one",
        ),
        (
            [".", "--id", "id", "--raters", "anna", "bem"],
            "--raters names 'bem', but there is no file for this rater. There are",
        ),
        (
            [".", "--id", "id", "--item", "id"],
            "--id is for one file per rater, and --item is for one file",
        ),
        (["anna.csv", "ben.csv", "--id", "grade", "--rating", "no"], "has no column 'no'"),
        (["anna.csv", "ben.csv", "--id", "id", "--rating", "id"], "--id and --rating must name"),
    ],
)
def test_refusals_of_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(folder)
    if "other/anna.csv" in arguments:
        Path("other").mkdir()
        Path("other/anna.csv").write_text(Path("anna.csv").read_text())
    assert message in agree.refusal(*arguments)


def test_the_column_of_ratings_must_be_plain(tmp_path: Path) -> None:
    for name in "ab":
        write_csv(tmp_path / f"{name}.csv", id=[1, 2], grade=[1, 2], note=["", ""])
    files = [tmp_path / "a.csv", tmp_path / "b.csv", "--id", "id"]
    message = f"must name the column of ratings in {files[0]}. Possible columns: 'grade', 'note'."
    assert message in agree.refusal(*files)


def test_raters_chosen_from_a_long_file(wide: Path, long: Path) -> None:
    for raters in (["anna", "eve"], ["eve", "anna"]):
        found = agree.json_of(long, *LONG, "--raters", *raters)
        expected = agree.json_of(wide, "--raters", *raters)
        assert without_file(found) == without_file(expected)
    message = agree.refusal(long, *LONG, "--raters", "anna", "evee")
    assert "column 'who' has no rater 'evee'. Did you mean 'eve'?" in message
    of_measure = CommandLine("measure").json_of(long, *LONG, "--raters", "eve", "anna")
    assert of_measure["limits"]["bias"] == pytest.approx(float(np.mean(EVE - ANNA)))


def test_repeated_rows(wide: Path, long: Path) -> None:
    other = 2 if BEN[0] == 3 else 3
    with long.open("a") as file:
        file.write(f"t0,ben,{other}\nt0,ben,\n")
    options = [long, *LONG, "--missing", "drop"]
    message = "has 2 ratings of item 't0', and they differ: use --duplicates first or last"
    assert message in agree.refusal(*options)
    kept = agree.json_of(*options, "--duplicates", "first")
    expected = agree.json_of(wide, "--raters", *RATED)
    assert kept.pop("n_blank") == 1
    assert without_file(kept) == without_file(expected)
    # A missing rating does not count as a duplicate: the last rating that exists is used.
    changed = wide.with_name("changed.csv")
    later = {**RATED, "ben": [other, *BEN[1:]]}
    write_csv(changed, id=IDS, **later)
    last = agree.json_of(*options, "--duplicates", "last")
    assert last.pop("n_blank") == 1
    assert without_file(last) == without_file(agree.json_of(changed, "--raters", *RATED))
    assert "--duplicates needs a file with one row per rating" in agree.refusal(
        wide, "--raters", "anna", "ben", "--duplicates", "last"
    )


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_the_level_of_alpha(wide: Path, level: Any) -> None:
    for raters in (["anna", "ben"], [*RATED]):
        given = np.column_stack([RATED[name] for name in raters])
        found = agree.json_of(wide, "--raters", *raters, "--level", level)
        alpha = found["coefficients"]["krippendorff_alpha"]
        expected = krippendorff_alpha(given, level=level)
        assert (alpha["value"], alpha["method"]) == (expected.value, expected.method)


TAGS = {
    "anna": ["joy", "joy;pride", "fear", "joy", "fear; joy", ""],
    "ben": ["joy", "joy", "fear", "joy", "joy", "fear"],
    "eve": ["joy", "pride;joy", "fear", "fear", "fear", "fear"],
}
SETS = [
    [{part.strip() for part in text.split(";")} if text else None for text in row]
    for row in zip(*TAGS.values())
]


def test_sets_of_labels(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "tags.csv", **TAGS)
    sets = [path, "--raters", *TAGS, "--set-separator", ";", "--missing", "drop"]
    found = agree.json_of(*sets)
    for level in ("nominal", "jaccard", "masi"):
        expected: Any = krippendorff_alpha(SETS, level=level)  # type: ignore[arg-type]
        assert found["coefficients"][f"krippendorff_alpha_{level}"]["value"] == expected.value
    assert len(found["coefficients"]) == 3
    assert ["joy", "pride"] in found["labels"]
    text = agree.text_of(*sets)
    assert "4 different sets" in text
    assert all(f"Krippendorff's alpha ({level})" in text for level in ("jaccard", "masi"))
    assert "tables: nominal level" in text
    alone = agree.json_of(*sets, "--level", "masi")
    assert list(alone["coefficients"]) == ["krippendorff_alpha_masi"]
    said = agree.text_of(*sets, "--level", "masi", "--format", "sentence")
    assert "Cohen's kappa (masi weights) of the 3 pairs" in said
    # The tables per label and per rater use the level.
    assert [one["label"] for one in alone["by_label"]] == ["fear", "joy", "pride"]
    given = Ratings.from_array(SETS)
    raters = compare_raters(given, coefficient="alpha", weights="masi")
    assert alone["each_rater"]["with_others"]["values"] == raters.with_others.values.tolist()
    assert alone["each_rater"]["value"] == alone["coefficients"]["krippendorff_alpha_masi"]["value"]
    pairs = pairwise_kappa(given, weights="masi")
    assert alone["pairwise"]["kappa"] == pairs.values.tolist()
    csv = agree.text_of(*sets, "--level", "masi", "--format", "csv")
    assert "ratings joy by anna,4," in csv
    refused = agree.refusal(*sets, "--pair", "anna,ben")
    assert "--pair is not available for sets of labels." in refused
    assert "ratings are missing: 1 in column 'anna'" in agree.refusal(*sets[:-2])
    # One row per rating, with groups.
    rows = {
        "item": list(range(6)) * 3,
        "who": np.repeat(list(TAGS), 6),
        "tag": [tag for tags in TAGS.values() for tag in tags],
        "g": ["u", "u", "u", "v", "v", "v"] * 3,
    }
    long = write_csv(tmp_path / "long.csv", **rows)
    options = ["--item", "item", "--rater", "who", "--rating", "tag", *sets[5:], "--group", "g"]
    found = agree.json_of(long, *options)
    assert found["coefficients"]["krippendorff_alpha_masi"]["value"] == (
        krippendorff_alpha(SETS, level="masi").value
    )
    of_group = found["groups"][0]["coefficients"]["krippendorff_alpha_masi"]
    assert of_group["value"] == pytest.approx(krippendorff_alpha(SETS[:3], level="masi").value)


EMPTY = ["[]", "{}", ";", " ; "]


def test_empty_sets_of_text_are_those_of_lists(tmp_path: Path) -> None:
    """A blank field is missing; the other texts are ratings to which no label applies."""
    given: Any = [
        *([set(), set(), {"a"}], [set(), {"b"}, set()], [{"a"}, {"a", "b"}, set()]),
        *([set(), {"a"}, {"a"}], [{"b"}, {"b"}, {"b"}], [{"a"}, {"a"}, None]),
    ]
    empty = iter(EMPTY * 2)
    texts = [
        ["" if one is None else "; ".join(sorted(one)) or next(empty) for one in row]
        for row in given
    ]
    path = write_csv(tmp_path / "tags.csv", **dict(zip(("ann", "ben", "eve"), zip(*texts))))
    options = [path, "--raters", "ann", "ben", "eve", "--set-separator", ";"]
    found = agree.json_of(*options, "--missing", "drop")
    for level in ("nominal", "jaccard", "masi"):
        right = krippendorff_alpha(given, level=level).value  # type: ignore[arg-type]
        alpha = found["coefficients"][f"krippendorff_alpha_{level}"]
        assert alpha["value"] == pytest.approx(right, abs=1e-15)
    assert [] in found["labels"]
    why = "A blank field counts as missing: write [] for no labels."
    assert found["warnings"] == [f"1 rating left out. {why}"]
    assert agree.refusal(*options).strip().endswith(why)
    # Texts describe sets in the same way as the files of items.
    few = write_csv(tmp_path / "few.csv", a=["[]"] * 9 + ["x"], b=["[]"] * 10, c=["[]"] * 10)
    printed = agree.text_of(few, "--raters", *"abc", "--set-separator", ";")
    assert "1 of 10 items has a rating other than []" in printed
    # Without missing ratings, there is nothing to report.
    full = write_csv(tmp_path / "full.csv", **dict(zip(("ann", "ben", "eve"), zip(*texts[:-1]))))
    assert "warnings" not in agree.json_of(full, *options[1:])


def test_sets_of_lists_and_of_texts_together(tmp_path: Path) -> None:
    lists = [["a", "b"], [], ["b"], None]
    rows = [json.dumps({"id": i, "tags": tags}) for i, tags in enumerate(lists)]
    (tmp_path / "ann.jsonl").write_text("\n".join(rows))
    ben = write_csv(tmp_path / "ben.csv", id=range(4), tags=["b;a", "[]", "a", "b"])
    options = [tmp_path / "ann.jsonl", ben, "--id", "id", "--rating", "tags"]
    found = agree.json_of(*options, "--set-separator", ";", "--missing", "drop")
    given: Any = [[{"a", "b"}, {"a", "b"}], [set(), set()], [{"b"}, {"a"}], [None, {"b"}]]
    right = krippendorff_alpha(given, level="jaccard").value
    alpha = found["coefficients"]["krippendorff_alpha_jaccard"]["value"]
    assert alpha == pytest.approx(right, abs=1e-15)
    refusal = agree.refusal(*options, "--missing", "drop")
    assert "fastkappa agree needs --set-separator" in refusal
    # A list with one label is that label.
    rows = [json.dumps({"id": i, "tags": [tag]}) for i, tag in enumerate(["a", "[]", "b", "b"])]
    (tmp_path / "ann.jsonl").write_text("\n".join(rows))
    write_csv(ben, id=range(4), tags=["a", "[]", "a", "b"])
    assert agree.json_of(*options)["kappa"] == pytest.approx(7 / 11)


def test_remarks_on_replaced_ratings_and_on_rows_without_a_group(tmp_path: Path) -> None:
    rows = [(f"t{i}", who, "xy"[i % 2], "uv"[i // 5]) for i in range(10) for who in RATED]
    again = [("t0", "anna", "y", "u"), ("t1", "anna", "y", "u"), ("t1", "anna", "x", "u")]
    names = ("item", "who", "label", "batch")
    path = write_csv(tmp_path / "long.csv", **dict(zip(names, zip(*rows, *again))))
    options = ["--item", "item", "--rater", "who", "--rating", "label"]
    # t0 of anna: x is replaced by y. t1 of anna: y and y are replaced by x.
    last = agree.json_of(path, *options, "--duplicates", "last")["warnings"]
    assert last == [
        "3 ratings replaced by the last rating of the same item by the same rater; 3 of the"
        " replaced ratings differed."
    ]
    first = agree.json_of(path, *options, "--duplicates", "first")["warnings"]
    assert first == [last[0].replace("last", "first").replace("; 3", "; 2")]
    plain = write_csv(tmp_path / "plain.csv", **dict(zip(names, zip(*rows))))
    printed = agree.text_of(plain, *options, "--duplicates", "last", "--group", "batch")
    assert "ratings replaced" not in printed
    assert "without a group" not in printed
    blank = [(*row[:3], "" if row[0] == "t3" else row[3]) for row in rows]
    path = write_csv(tmp_path / "blank.csv", **dict(zip(names, zip(*blank))))
    printed = agree.text_of(path, *options, "--group", "batch", "--missing", "drop")
    n = len(RATED)
    assert f"Rows without a group in column 'batch': {n} of {10 * n}." in " ".join(printed.split())


def test_pictures_and_gates_of_sets(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = write_csv(tmp_path / "tags.csv", **TAGS)
    sets = [path, "--raters", "ben", "eve", "--set-separator", ";"]
    agree.text_of(*sets, "--plot", tmp_path / "sets.svg")
    assert "masi" in (tmp_path / "sets.svg").read_text(encoding="utf-8")
    found = agree.run(*sets, "--level", "jaccard", "--fail-under", 0.99)
    assert found.exit_code == 3
    assert found.stderr.startswith("fastkappa: Krippendorff's alpha (jaccard) is ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--level", "masi"], "--level masi applies only to sets: use --set-separator."),
        (["--set-separator", ";", "--level", "ordinal"], "--level must be one of nominal"),
        (
            ["--set-separator", ";", "--weights", "linear"],
            "--weights cannot be combined with --set-separator",
        ),
        (["--set-separator", ";", "--coefficient", "gwet"], "--coefficient cannot be combined"),
        (["--set-separator", ";", "--labels", "a,b"], "--labels cannot be combined with --set-sep"),
    ],
)
def test_refusals_of_sets(tmp_path: Path, options: list[str], message: str) -> None:
    path = write_csv(tmp_path / "tags.csv", **TAGS)
    assert message in agree.refusal(path, "--raters", "ben", "eve", *options)
