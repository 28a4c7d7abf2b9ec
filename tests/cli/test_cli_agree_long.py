"""`fastkappa agree` on a file with one row per rating."""

from __future__ import annotations

import csv
import io
import pickle
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("rich")
pytest.importorskip("matplotlib")
pytest.importorskip("typer")

from fastkappa import Ratings, compare_raters, conger_kappa, fleiss_kappa, pairwise_kappa
from fastkappa.multirater.statistics import rated_profiles
from tests.helpers.command_line import CommandLine, write_csv
from tests.helpers.published_raters import ANAESTHETISTS

command = CommandLine("agree")
text_of, json_of, refusal = command.text_of, command.json_of, command.refusal
LONG = ("--item", "patient", "--rater", "who", "--rating", "grade")
WHO = ["a", "b", "c", "d", "e", "f", "g"]


def written(folder: Path, who: list[str], keep: Any = None) -> tuple[Path, Path]:
    """Write the ratings of Dawid and Skene (1979) in long form, and with one column per rater."""
    grades = np.array([[int(grade) for grade in row] for row in ANAESTHETISTS])[:, : len(who)]
    kept = np.ones(grades.shape, bool) if keep is None else keep
    rows, columns = np.nonzero(kept)
    ward = np.where(np.arange(45) % 2, "north", "south")
    order = np.random.default_rng(0).permutation(len(rows))
    rows, columns = rows[order], columns[order]
    long = write_csv(
        folder / "long.csv",
        patient=[f"p{row}" for row in rows],
        who=[who[column] for column in columns],
        grade=grades[rows, columns],
        ward=ward[rows],
    )
    by_rater = {name: np.where(kept[:, i], grades[:, i], -1) for i, name in enumerate(who)}
    wide = {name: ["" if g < 0 else g for g in column] for name, column in by_rater.items()}
    return long, write_csv(folder / "wide.csv", **wide, ward=ward)


def same_report(folder: Path, who: list[str], keep: Any, *options: str) -> None:
    long, wide = written(folder, who, keep)
    found = json_of(long, *LONG, *options)
    expected = json_of(wide, "--raters", *who, "--missing", "drop", *options)
    assert found.pop("file") != expected.pop("file")
    # Items have names in long form, and row numbers otherwise.
    found.pop("disputed", None)
    expected.pop("disputed", None)
    assert_close(found, expected)


def assert_close(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            assert_close(found[key], expected[key])
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            assert_close(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)
    else:
        assert found == expected


@pytest.mark.cover(1)
@pytest.mark.parametrize("n_raters", [2, 3, 7])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("options", [(), ("--weights", "linear"), ("--group", "ward")], ids=str)
def test_the_report_on_a_column_per_rater(
    n_raters: int, missing: float, options: tuple[str, ...], tmp_path: Path
) -> None:
    keep = np.random.default_rng(1).random((45, n_raters)) >= missing
    # An item without ratings has no row in long form.
    keep[:, 0] |= ~keep.any(axis=1)
    same_report(tmp_path, WHO[:n_raters], keep, *options)


def test_other_formats_labels_and_codes(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table(
        {"patient": [1, 1, 2, 2, 3, 3], "who": list("xyxyxy"), "grade": list("lhlhl?")}
    )
    parquet.write_table(table, tmp_path / "r.parquet")
    found = json_of(
        tmp_path / "r.parquet",
        *LONG,
        "--labels",
        "l,m,h",
        "--missing-codes",
        "?",
        "--missing",
        "drop",
        "--weights",
        "linear",
    )
    assert found["labels"] == ["l", "m", "h"]
    assert (np.sum(found["table"]), found["n_dropped"]) == (2, 1)


def test_many_raters_are_summed_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Comparing each of 25 raters with the others would take longer than all other tests here.
    monkeypatch.setattr("fastkappa.cli.reports.agree_several.MOST_RATERS", 20)
    grades = np.random.default_rng(0).integers(1, 3, (9, 25))
    rows, columns = np.indices(grades.shape).reshape(2, -1)
    path = write_csv(tmp_path / "r.csv", patient=rows, who=columns, grade=grades.reshape(-1))
    lines = text_of(path, *LONG).splitlines()
    assert lines[0].endswith(": 25 raters (0, 1, 2, 3, ...)")
    below = lines.index("kappa of 300 pairs of raters, on 9 items each")
    assert lines[below + 1].startswith("  median ")
    found = pairwise_kappa(Ratings.from_array(grades))
    a, b = np.divmod(found.values.argmin(), 25)
    assert lines[below + 2].startswith(f"  from {found.values.min():.4f} ({a}, {b}) to ")
    assert lines[-1] == "every rater and every pair of raters: --format csv"
    assert len(json_of(path, *LONG)["pairwise"]["kappa"]) == 25
    monkeypatch.setattr("fastkappa.multirater.pairwise.MOST_CELLS", 300)
    left_out = "Light's kappa and the kappa of each pair of raters are left out because there are"
    assert left_out in " ".join(text_of(path, *LONG).split())
    found = json_of(path, *LONG)
    assert found["pairwise"] is None
    assert "Light's kappa" not in {c["method"] for c in found["coefficients"].values()}
    assert rated_profiles.MOST_CELLS > 300


def test_raters_that_are_values_of_a_column(tmp_path: Path) -> None:
    """The error names the options that read the file."""
    long, _ = written(tmp_path, WHO)
    refused = refusal(long, "--raters", "a", "c")
    options = "use --item ITEM --rater who --rating RATING --raters a c, where ITEM"
    assert "but column 'who' contains these values. If the file has one row per rating" in refused
    assert options in refused
    assert options in CommandLine("measure").refusal(long, "--raters", "a", "c")
    # A wrong name
    assert "no column" in refusal(long, "--raters", "a", "x")


def test_refusals(tmp_path: Path) -> None:
    path, _ = written(tmp_path, WHO)
    assert "--item also needs --rating." in refusal(path, *LONG[:4])
    assert "--rating also needs --item and --rater." in refusal(path, *LONG[4:])
    assert "use --raters for a file with one column per rater, or --item," in refusal(path)
    message = "column 'who' has no rater 'ax'. Did you mean 'a'?"
    assert message in refusal(path, "--raters", "ax", "b", *LONG)
    assert "--item and --rater must name different columns, got 'who' twice" in refusal(
        path, "--item", "who", "--rater", "who", "--rating", "grade"
    )
    assert "no column 'grades'" in refusal(path, *LONG[:5], "grades")
    assert "--cluster must not name a column of ratings, got 'grade'." in refusal(
        path, *LONG, "--cluster", "grade"
    )
    both = refusal(written(tmp_path, ["a", "a", "a", "d", "e", "f", "g"])[0], *LONG)
    assert "rater 'a' has 3 ratings of item 'p" in both
    assert ", and 44 more pairs of rater and item have several ratings" in both
    write_csv(tmp_path / "gone.csv", patient=[1, 1, 2], who=["a", "b", "a"], grade=[1, "", 2])
    assert "1 in column 'grade', out of 3 rows. Use --missing drop" in refusal(
        tmp_path / "gone.csv", *LONG
    )
    write_csv(
        tmp_path / "one.csv",
        patient=[1, 2, 1],
        who=["a", "a", "b"],
        grade=[1, 2, 1],
        ward=["n", "s", "n"],
    )
    assert "group 's': rater must have at least two different values" in refusal(
        tmp_path / "one.csv", *LONG, "--group", "ward"
    )


@pytest.mark.parametrize(
    ("raters", "numbers"),
    [
        ("ab", {"n": "4", "dropped": "1", "outside": "0"}),
        ("abc", {"n": "5", "missing ratings": "2"}),
    ],
)
def test_csv_begins_with_the_numbers_of_items(
    tmp_path: Path, raters: str, numbers: dict[str, str]
) -> None:
    path = tmp_path / "r.csv"
    path.write_text("a,b,c\nx,x,x\ny,y,x\nx,,y\ny,x,\nx,x,y\n")
    text = CommandLine("agree").text_of(
        path, "--raters", *raters, "--missing", "drop", "--format", "csv"
    )
    rows = list(csv.DictReader(io.StringIO(text)))[: len(numbers)]
    assert {row["statistic"]: row["value"] for row in rows} == numbers
    assert {row[name] for row in rows for name in ("standard_error", "lower", "upper")} == {""}


def test_two_raters_in_clusters_are_the_same_in_every_form(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    n = 60
    grades = random.integers(1, 4, n)
    other = np.where(random.random(n) < 0.7, grades, random.integers(1, 4, n))
    items, wards = [f"i{i}" for i in range(n)], [f"w{i // 4}" for i in range(n)]
    # The groups share the clusters. One item has no group.
    sexes = [*("mf"[i % 2] for i in range(n - 1)), ""]
    known = {"id": np.array(items), "ward": np.array(wards), "sex": np.array(sexes)}
    last = np.array(["", *other[1:]])
    wide = write_csv(tmp_path / "r.csv", **known, a=grades, b=last)
    order = random.permutation(2 * n)
    rows = {name: [*column, *column] for name, column in known.items()}
    rows |= {"who": [*"a" * n, *"b" * n], "grade": [*grades, *last]}
    long = write_csv(tmp_path / "long.csv", **{k: [v[i] for i in order] for k, v in rows.items()})
    files = [
        write_csv(tmp_path / f"{name}.csv", **{k: v[::step] for k, v in (known | {"g": g}).items()})
        for name, g, step in (("a", grades, 1), ("b", last, -1))
    ]
    by_row = ["--item", "id", "--rater", "who", "--rating", "grade"]
    options = ["--cluster", "ward", "--missing", "drop", "--weights", "linear"]
    for more in ([], ["--distribution", "t"], ["--group", "sex"]):
        forms = [
            [wide, "--raters", "a", "b"],
            [long, *by_row],
            [*files, "--id", "id", "--rating", "g"],
        ]
        # The first line names the files; sums in another order have other rounding errors.
        texts = [text_of(*form, *options, *more).partition("\n")[2] for form in forms]
        assert "in 15 clusters" in texts[0]
        assert ("share 15 clusters" in texts[0]) == (more[:1] == ["--group"])
        # If there is one row per rating, a remark about the rows without a group comes first.
        tables = [text[text.index("Agreement of a ") :] for text in texts]
        assert tables == tables[:1] * 3
    # With one column per rater, --item only names the items.
    named = text_of(*forms[0], *options, *more, "--item", "id")
    assert tables[0] in named
    for which in ("first", "last"):
        twice = {name: [*column, column[5]] for name, column in rows.items()}
        twice["grade"][-1] = 4 - int(rows["grade"][5])
        kept = write_csv(tmp_path / "twice.csv", **twice)
        found = json_of(kept, *by_row, *options, *more, "--duplicates", which)
        changed = grades.copy()
        changed[5] = grades[5] if which == "first" else 4 - grades[5]
        once = write_csv(tmp_path / "once.csv", **known, a=changed, b=last)
        expected = json_of(once, "--raters", "a", "b", *options, *more)
        for of_file, of_other in zip(found["groups"], expected["groups"], strict=True):
            assert of_file["interval"] == pytest.approx(of_other["interval"])


def test_rows_without_a_rating_are_counted(tmp_path: Path) -> None:
    """Two of five raters never rate an item, so most missing ratings have no row."""
    of_rows = [(f"i{i}", WHO[(i + j) % 5], "xyz"[i * j % 3]) for i in range(30) for j in range(3)]
    grades = ["" if k in (3, 50, 77) else grade for k, (_, _, grade) in enumerate(of_rows)]
    items, raters, _ = map(list, zip(*of_rows))
    path = write_csv(tmp_path / "long.csv", patient=items, who=raters, grade=grades)
    options = [path, *LONG, "--missing", "drop"]
    stated = "30 items, 2 to 3 ratings each, 3 of 90 rows without a rating, 3 labels"
    assert stated in " ".join(text_of(*options).split())
    found = json_of(*options)
    assert (found["n_missing"], found["n_blank"]) == (63, 3)
    assert "rows without a rating,3,,," in command.run(*options, "--format", "csv").stdout
    result = fleiss_kappa(
        Ratings.from_long(item=items, rater=raters, rating=grades, missing_codes=[""])
    )
    for one in (result, pickle.loads(pickle.dumps(result))):
        assert ", 2 to 3 ratings each, 3 of 90 rows without a rating, was" in one.sentence()
        assert re.search("missing ratings +63\n *rows without a rating +3", str(one))
    # If each missing rating has a row, its number is stated once.
    every = [(i, who) for i in range(30) for who in "abc"]
    grades = [None if k in (3, 50) else "xyz"[(i + k // 7) % 3] for k, (i, _) in enumerate(every)]
    items, raters = map(list, zip(*every))
    result = fleiss_kappa(Ratings.from_long(item=items, rater=raters, rating=grades))
    assert result.ratings_text == "2 of 90 ratings missing"
    assert "without" not in str(result)


def test_a_blank_last_row_does_not_withdraw_a_rating(tmp_path: Path) -> None:
    rows = [
        (f"i{i}", who, "xy"[(i + (who == "b") * (i // 4)) % 2]) for i in range(9) for who in "ab"
    ]
    options = [*LONG, "--missing", "drop"]
    names = ("patient", "who", "grade")
    once = write_csv(tmp_path / "once.csv", **dict(zip(names, zip(*rows))))
    twice = [*rows, ("i0", "a", "y"), ("i0", "a", ""), ("i1", "b", "")]
    path = write_csv(tmp_path / "twice.csv", **dict(zip(names, zip(*twice))))
    kept = {which: json_of(path, *options, "--duplicates", which) for which in ("first", "last")}
    assert kept["first"]["kappa"] == json_of(once, *options)["kappa"]
    changed = [(item, who, "y" if (item, who) == ("i0", "a") else g) for item, who, g in rows]
    once = write_csv(tmp_path / "once.csv", **dict(zip(names, zip(*changed))))
    assert kept["last"]["kappa"] == json_of(once, *options)["kappa"]


def test_a_file_without_clusters_has_those_of_the_other_files(tmp_path: Path) -> None:
    long, _ = written(tmp_path, WHO[:4])
    head, *rows = long.read_text(encoding="utf-8").splitlines()
    people = [row for row in rows if row.split(",")[1] != "d"]
    fields = [row.split(",") for row in rows]
    model = {item: grade for item, who, grade, _ in fields if who == "d"}
    export = tmp_path / "export.csv"
    export.write_text("\n".join([head, *people]), encoding="utf-8")
    alone = write_csv(tmp_path / "d.csv", patient=[*model], grade=[*model.values()])
    expected = json_of(long, *LONG, "--cluster", "ward")
    for files in ([export, alone], [alone, export]):
        found = json_of(*files, *LONG, "--cluster", "ward")
        assert_close(found["coefficients"], expected["coefficients"])
    wards = [f"w{i // 2}" for i in range(len(model))]
    ann = write_csv(tmp_path / "ann.csv", patient=[*model], grade=[*model.values()], ward=wards)
    of_each = ["--id", "patient", "--rating", "grade", "--cluster", "ward"]
    assert json_of(ann, alone, *of_each)["n_clusters"] == 23
    more = write_csv(tmp_path / "more.csv", patient=[*model, "p99"], grade=[*model.values(), 1])
    message = "item 'p99' occurs only in files without the column 'ward': add the column to each"
    assert message in refusal(ann, more, *of_each)
    assert "has no column 'ward'" in refusal(alone, more, *of_each)


def test_groups_of_a_models_items_are_looked_up(tmp_path: Path) -> None:
    drawn = random.Random(3)
    weeks = [f"w{i % 3}" for i in range(90)]
    grades = {who: drawn.choices("xyz", weights=(5, 2, 1), k=90) for who in WHO[:4]}
    people = [(i, who, grades[who][i], weeks[i]) for i in range(90) for who in WHO[:3]]
    names = ("patient", "who", "grade", "week")
    export = write_csv(tmp_path / "export.csv", **dict(zip(names, zip(*people))))
    model = WHO[3]
    alone = write_csv(tmp_path / f"{model}.csv", patient=[*range(90)], grade=grades[model])
    options = [*LONG, "--group", "week", "--model", model]
    for of_week in json_of(export, alone, *options)["groups"]:
        rows = [i for i in range(90) if weeks[i] == of_week["group"]]
        ratings = Ratings.from_raters({who: [own[i] for i in rows] for who, own in grades.items()})
        expected = compare_raters(ratings).with_others.values
        found = of_week["each_rater"]
        assert found["rater_names"] == WHO[:4]
        assert_close(found["with_others"]["values"], expected.tolist())
        # The coefficients are those of the people.
        whole = Ratings.from_raters({who: [grades[who][i] for i in rows] for who in WHO[:3]})
        assert found["value"] == pytest.approx(conger_kappa(whole).value)
    twice = write_csv(
        tmp_path / "twice.csv", **dict(zip(names, zip(*people, (0, WHO[0], "x", "w1"))))
    )
    message = "item '0' has more than one 'week' in the files that contain this column: add the"
    assert message in refusal(twice, alone, *options, "--duplicates", "last")


def test_many_replaced_ratings_suggest_wrong_columns(tmp_path: Path) -> None:
    items = [f"i{i}" for i in range(40) for _ in "abc"]
    raters, drawn = [*"abc"] * 40, random.Random(5)
    grades = [drawn.choice("xyz") for _ in items]
    wards = [f"w{i // 12}" for i in range(120)]
    path = write_csv(tmp_path / "long.csv", patient=wards, item=items, who=raters, grade=grades)
    [replaced] = [
        one for one in json_of(path, *LONG, "--duplicates=last")["warnings"] if "replaced" in one
    ]
    assert replaced.startswith("90 ratings replaced")
    assert replaced.endswith("Check the columns of items and raters.")


def test_raters_without_ratings_are_left_out(tmp_path: Path) -> None:
    drawn = random.Random(7)
    grades: dict[str, list[Any]] = {
        who: drawn.choices("xyz", weights=(5, 2, 1), k=60) for who in WHO[:4]
    }
    weeks = ["w1", "w2"] * 30
    options = ["--missing", "drop", "--cluster", "week", "--format", "csv", "--raters"]
    wide = write_csv(tmp_path / "wide.csv", **grades, week=weeks)
    expected = command.run(wide, *options, *WHO[:3]).stdout
    grades[WHO[3]] = [""] * 60
    absent = command.run(write_csv(tmp_path / "wide.csv", **grades, week=weeks), *options, *WHO[:4])
    assert absent.stdout == expected
    assert "warning: d rated no item. The report counts only the other raters." in absent.stderr
    # In one of the groups, there is no rating by the last rater.
    grades[WHO[3]] = [grades["a"][i] if i % 2 else "" for i in range(60)]
    path = write_csv(tmp_path / "wide.csv", **grades, week=weeks)
    w1, w2 = json_of(path, "--raters", *WHO[:4], "--missing", "drop", "--group", "week")["groups"]
    assert (w1["each_rater"]["rater_names"], w2["each_rater"]["rater_names"]) == (WHO[:3], WHO[:4])
