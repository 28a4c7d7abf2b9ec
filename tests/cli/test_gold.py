"""Final labels (--gold), and the test of a model among the raters (--model)."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("pyarrow")

from fastkappa import Ratings, alternative_annotator_test, compare_raters, pairwise_kappa
from tests.helpers.command_line import CommandLine, write_csv

agree = CommandLine("agree")
RATERS = ("ann", "ben", "cat", "dan")
# For each item, the ratings and the resulting final label.
ITEMS: dict[str, tuple[list[str], tuple[str, str]]] = {
    "t1": (["x", "x", "x", "x"], ("x", "all raters")),
    "t2": (["x", "y", "y", "y"], ("y", "majority")),
    "t3": (["x", "x", "y", "y"], ("", "")),
    # The most frequent label is not always the label of more than half of the raters.
    "t4": (["x", "x", "y", "z"], ("", "")),
    "t5": (["", "y", "", ""], ("y", "one rater")),
    "t6": (["z", "", "z", ""], ("z", "all raters")),
    "t7": (["x", "", "z", ""], ("", "")),
}
WIDE = ["--raters", *RATERS, "--missing", "drop"]
LONG = ["--item", "item", "--rater", "who", "--rating", "mark"]


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    columns = zip(*(ratings for ratings, _ in ITEMS.values()))
    return write_csv(tmp_path / "wide.csv", id=list(ITEMS), **dict(zip(RATERS, columns)))


@pytest.fixture
def long(tmp_path: Path) -> Path:
    rows = [
        (item, rater, rating)
        for item, (ratings, _) in ITEMS.items()
        for rater, rating in zip(RATERS, ratings)
        if rating
    ]
    return write_csv(tmp_path / "long.csv", **dict(zip(("item", "who", "mark"), zip(*rows))))


def read(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text().splitlines()))


def expected(names: Any = ITEMS) -> list[list[str]]:
    return [[str(name), *final] for name, (_, final) in zip(names, ITEMS.values())]


def test_labels_of_most_raters(wide: Path, long: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    found = agree.json_of(wide, *WIDE, "--gold", gold)
    assert read(gold) == [["item", "label", "decided_by"], *expected(range(1, 8))]
    numbers = {"all raters": 2, "majority": 1, "one rater": 1, "adjudication": 0, "undecided": 3}
    assert found["gold"] == numbers
    printed = agree.text_of(wide, *WIDE, "--item", "id", "--gold", gold)
    assert read(gold) == [["id", "label", "decided_by"], *expected()]
    assert "without a rating" not in printed
    # The columns have the names that a leaderboard of the raters' files needs.
    printed = agree.text_of(long, *LONG, "--gold", gold)
    assert read(gold) == [["item", "mark", "decided_by"], *expected()]
    shown = "labels of 7 items: 2 by all raters, 1 by majority, 1 by one rater, 3 undecided"
    assert " ".join(printed.split()).endswith(shown)


def test_items_without_a_rating_have_no_label(wide: Path, tmp_path: Path) -> None:
    with wide.open("a") as file:
        file.write("t8,,,,\nt9,,,,\n")
    gold, decided = tmp_path / "gold.csv", tmp_path / "decided.csv"
    options = [wide, *WIDE, "--item", "id", "--gold", gold]
    printed = agree.text_of(*options)
    assert printed.endswith("5 undecided\nundecided items without a rating: 2\n")
    assert read(gold)[-2:] == [["t8", "", ""], ["t9", "", ""]]
    write_csv(decided, item=["t8"], adjudicated=["x"])
    assert agree.json_of(*options, "--adjudicated", decided)["n_unrated"] == 1
    assert read(gold)[-2] == ["t8", "x", "adjudication"]


def test_decisions_come_first(long: Path, tmp_path: Path) -> None:
    gold, disputed = tmp_path / "gold.csv", tmp_path / "disputed.csv"
    agree.text_of(long, *LONG, "--disputed", disputed)
    rows = read(disputed)
    decisions = {"t2": "x", "t3": " y ", "t4": "z", "t7": ""}
    assert {row[0] for row in rows[1:]} == set(decisions)
    with disputed.open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *([*r[:-1], decisions[r[0]]] for r in rows[1:])])
    agree.text_of(long, *LONG, "--gold", gold, "--adjudicated", disputed)
    labels = {row[0]: row[1:] for row in read(gold)[1:]}
    decided = {item: [label.strip(), "adjudication"] for item, label in decisions.items() if label}
    assert labels == {**{row[0]: row[1:] for row in expected()}, **decided}
    refused = agree.refusal(long, *LONG, "--adjudicated", disputed)
    assert "--adjudicated needs --gold" in refused
    for cells, why in (
        ({"item": ["t9"], "adjudicated": ["x"]}, "contains item 't9', which is not among"),
        ({"item": ["t3"], "adjudicated": ["xx"]}, "item 't3' has the label 'xx'"),
        ({"item": ["t3"], "label": ["x"]}, "has no column 'adjudicated'"),
    ):
        odd = write_csv(tmp_path / "odd.csv", **cells)
        assert why in agree.refusal(long, *LONG, "--gold", gold, "--adjudicated", odd)
    # Given labels need no decision.
    odd = write_csv(tmp_path / "odd.csv", item=["t3"], adjudicated=["Y"])
    options = [long, *LONG, "--gold", gold, "--adjudicated", odd]
    assert "To use it, name all labels in --labels." in agree.refusal(*options)
    given = agree.refusal(*options, "--labels", "x,y,z")
    assert given.strip().endswith("which is not in --labels. Did you mean 'y'?")
    write_csv(odd, item=["t3"], adjudicated=["compliment"])
    given = agree.refusal(*options, "--labels", "x,y,z,complaint")
    assert given.strip().endswith("which is not in --labels.")


def test_two_decisions_on_an_item(long: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    decided = tmp_path / "decided.csv"
    options = [long, *LONG, "--gold", gold, "--adjudicated", decided]
    # The same decision given twice is not a contradiction.
    write_csv(decided, item=["t3", "t3", "t3"], adjudicated=["x", "x ", ""])
    agree.text_of(*options)
    assert read(gold)[3] == ["t3", "x", "adjudication"]
    write_csv(decided, item=["t3", "t4", "t3"], adjudicated=["x", "z", "y"])
    refused = agree.refusal(*options)
    assert "--adjudicated contains two decisions for item 't3', 'x' and 'y'. Remove" in refused


def test_ids_that_a_spreadsheet_changed(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", id=["007", "010"], ann=["x", "y"], ben=["y", "y"])
    options = [path, "--raters", "ann", "ben", "--item", "id", "--gold", tmp_path / "gold.csv"]
    for item in ("7", "7.0"):
        decided = write_csv(tmp_path / "decided.csv", item=[item], adjudicated=["x"])
        assert "Did you mean '007'?" in agree.refusal(*options, "--adjudicated", decided)
    decided = write_csv(tmp_path / "decided.csv", item=["8"], adjudicated=["x"])
    assert agree.refusal(*options, "--adjudicated", decided).endswith("rated items.\n")


def test_decisions_made_with_other_raters(wide: Path, long: Path, tmp_path: Path) -> None:
    disputed, gold = tmp_path / "disputed.csv", tmp_path / "gold.csv"
    given = ["--gold", gold, "--adjudicated", disputed]
    agree.text_of(wide, *WIDE, "--item", "id", "--disputed", disputed)
    for options in ([wide, *WIDE, "--item", "id"], [long, *LONG]):
        assert "warnings" not in agree.json_of(*options, *given)
    three = ["--raters", "ann", "ben", "cat", "--missing", "drop"]
    (warning,) = agree.json_of(wide, *three, "--item", "id", *given)["warnings"]
    assert "disputed.csv. Only in the file: dan. The majority depends on" in warning
    agree.text_of(long, *LONG, *three, "--disputed", disputed)
    (warning,) = agree.json_of(long, *LONG, *given)["warnings"]
    assert "disputed.csv. Only in the ratings: dan. The majority depends" in warning
    # Columns of other files, and columns after the decisions, are no raters.
    write_csv(disputed, item=["t3"], note=["?"], adjudicated=["x"])
    assert "warnings" not in agree.json_of(long, *LONG, *given)


@pytest.mark.slow
def test_decisions_in_another_encoding(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "r.csv", id=["t1"], ann=["mäßig"], ben=["hoch"], cat=["tief"])
    gold, decided = tmp_path / "gold.csv", tmp_path / "decided.csv"
    options = [path, "--raters", "ann", "ben", "cat", "--item", "id", "--gold", gold]
    for names in (("utf-8", "cp1252"), ("cp1252", "utf-8"), ("cp1252", "cp1252")):
        for file, text, encoding in (
            (path, "id,ann,ben,cat\nt1,mäßig,hoch,tief\n", names[0]),
            (decided, "item,adjudicated\nt1,mäßig\n", names[1]),
        ):
            file.write_text(text, encoding=encoding)
        agree.text_of(*options, "--adjudicated", decided, "--encoding", "cp1252")
        assert "t1,mäßig,adjudication" in gold.read_text(encoding="utf-8")


def test_decisions_for_labels_of_no_rater_are_counted(long: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    decided = write_csv(
        tmp_path / "decided.csv", item=["t1", "t2", "t5", "t6"], adjudicated=["y", "x", "x", "z"]
    )
    options = [long, *LONG, "--gold", gold, "--adjudicated", decided]
    # No rater gave t1 the label y, or t5 the label x.
    assert agree.json_of(*options)["n_decided_against_all"] == 2
    assert "decisions for a label that no rater gave the item: 2." in agree.text_of(*options)
    write_csv(decided, item=["t2"], adjudicated=["x"])
    assert "decisions for a label" not in agree.text_of(*options)


def test_final_labels_that_are_sets(tmp_path: Path) -> None:
    ratings = {
        "s1": ["x;y", "y;x", "y;x"],
        "s2": ["x", "x;y", "x"],
        "s3": ["x", "y", "[]"],
        "s4": ["[]", "[]", "x"],
        "s5": ["x;y", "x;y", "[]"],
    }
    columns = dict(zip(RATERS, zip(*ratings.values())))
    path = write_csv(tmp_path / "sets.csv", id=list(ratings), **columns)
    gold, decided = tmp_path / "gold.csv", tmp_path / "decided.csv"
    options = [path, "--raters", *columns, "--set-separator", ";", "--item", "id", "--gold", gold]
    agree.text_of(*options)
    final = ["x;y", "x", "", "[]", "x;y"]
    decided_by = ["all raters", "majority", "", "majority", "majority"]
    assert read(gold)[1:] == [list(row) for row in zip(ratings, final, decided_by)]
    # The nominal distances of s2 and s5 are equal; their Jaccard distances are 1/2 and 1.
    order = [one["item"] for one in agree.json_of(*options)["disputed"]]
    assert order == ["s3", "s2", "s4", "s5"]
    order = [one["item"] for one in agree.json_of(*options, "--level", "jaccard")["disputed"]]
    assert order == ["s3", "s4", "s5", "s2"]
    write_csv(decided, item=["s3", "s4"], adjudicated=["y; x", "[]"])
    options += ["--adjudicated", decided]
    assert agree.json_of(*options)["n_decided_against_all"] == 0
    assert read(gold)[3:5] == [["s3", "x;y", "adjudication"], ["s4", "[]", "adjudication"]]
    write_csv(decided, item=["s3"], adjudicated=["x;z"])
    assert "item 's3' has the label 'z', which no rater gave." in agree.refusal(*options)


def test_the_items_that_need_a_decision_have_no_majority(wide: Path, tmp_path: Path) -> None:
    disputed = tmp_path / "disputed.csv"
    agree.text_of(wide, *WIDE, "--item", "id", "--disputed", disputed)
    head, *rows = read(disputed)
    assert head[-2:] == ["majority", "adjudicated"]
    assert {row[0]: row[-2] for row in rows} == {"t2": "y", "t3": "", "t4": "", "t7": ""}
    # The column 'majority' decides nothing, and a file without it is also read.
    gold = tmp_path / "gold.csv"
    for n_columns in (-1, -2):
        with disputed.open("w", newline="") as file:
            lines = [[*line[:n_columns], line[-1]] for line in (head, *rows)]
            csv.writer(file).writerows(lines)
        agree.text_of(wide, *WIDE, "--item", "id", "--gold", gold, "--adjudicated", disputed)
        assert read(gold)[1:] == expected()


def test_two_raters_and_repeated_items(long: Path, wide: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    pairs = [(own[0], own[2]) for own, _ in ITEMS.values()]
    equal = [first for first, second in pairs if first == second != ""]
    for path, options in ((long, LONG), (wide, ["--missing", "drop", "--item", "id"])):
        found = agree.json_of(path, *options, "--raters", "ann", "cat", "--gold", gold)
        assert [row[1] for row in read(gold)[1:] if row[2] == "all raters"] == equal
        assert found["gold"]["undecided"] == found["n_disputed"] + (path == wide)
    rows = wide.read_text().splitlines()
    wide.write_text("\n".join([*rows, rows[1]]))
    refused = agree.refusal(wide, *WIDE, "--item", "id", "--gold", gold)
    assert "column 'id' contains item 't1' more than once: keep one row." in refused
    rows = [f"{i % 4},{i // 4},{'xy'[i % 2]},{'yx'[i // 3 % 2]}" for i in range(8)]
    tokens = tmp_path / "tokens.csv"
    for extra, why in (
        ([], "'document': leave out --item, or add the cluster to each id."),
        (["3,1,x,y"], "contains item '0' more than once: keep one row."),
    ):
        tokens.write_text("\n".join(["token,document,ann,ben", *rows, *extra]))
        options = [tokens, "--raters", "ann", "ben", "--item", "token", "--cluster", "document"]
        assert agree.refusal(*options).strip().endswith(why)
    assert "the model would also vote" in agree.refusal(
        long, *LONG, "--gold", gold, "--model", "ann"
    )


def test_items_are_named_without_a_file_of_them(wide: Path) -> None:
    disputed = {item for item, (given, _) in ITEMS.items() if len({*given} - {""}) > 1}
    found = agree.json_of(wide, *WIDE, "--item", "id")
    assert {one["item"] for one in found["disputed"]} == disputed
    # Two raters are only counted unless items are named.
    two = [wide, "--raters", "ann", "cat", "--missing", "drop"]
    alone, listed = agree.json_of(*two), agree.json_of(*two, "--item", "id")
    assert "disputed" not in alone
    unlike = {i for i, (own, _) in ITEMS.items() if own[0] and own[2] and own[0] != own[2]}
    assert {one["item"] for one in listed["disputed"]} == unlike
    assert all(listed[name] == value for name, value in alone.items())


def test_people_are_alone_in_what_is_said_beside_a_model(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    labels = np.array(["x", "y", "z"])
    columns = {name: labels[rng.integers(3, size=40)].tolist() for name in ("ann", "ben", "cat")}
    everyone = {**columns, "model": ["x"] * 40}
    people = [write_csv(tmp_path / "people.csv", **columns), "--raters", *columns]
    wide = [write_csv(tmp_path / "r.csv", **everyone), "--raters", *everyone, "--model", "model"]
    rows = [
        (f"{i:02}", *pair) for i in range(40) for pair in ((n, x[i]) for n, x in everyone.items())
    ]
    long = write_csv(tmp_path / "l.csv", **dict(zip(("item", "who", "mark"), zip(*rows))))
    expected = agree.json_of(*people)
    tables = pairwise_kappa(Ratings.from_raters(columns)).tables.sum(axis=0)
    for options in (wide, [long, *LONG, "--model", "model"]):
        found = agree.json_of(*options)
        for name in ("coefficients", "n_subjects", "n_missing", "by_label", "n_disputed"):
            assert found[name] == expected[name]
        assert found["raters"] == list(everyone)
        assert len(found["pairwise"]["kappa"]) == 4
        for name in ("without", "change"):
            for one, of_people in zip(*(d["each_rater"][name].values() for d in (found, expected))):
                assert one == [*of_people, None]
        assert found["each_rater"]["value"] == expected["each_rater"]["value"]
        # Without an order of the raters, a pair of labels is counted in both cells.
        pooled = np.array(found["pairwise"]["label_pairs"])
        np.testing.assert_array_equal(pooled.diagonal(), tables.diagonal())
        np.testing.assert_array_equal(pooled - np.diag(pooled.diagonal()), _off(tables))
        sentences = agree.text_of(*options, "--format", "sentence")
        assert sentences.count("of 3 raters on 40 items") == 6
        assert "4 raters" not in sentences
        assert "of the people, without model" in agree.text_of(*options)


@pytest.mark.parametrize("weights", ["none", "quadratic"])
def test_labels_of_a_model_alone_do_not_count_for_the_people(tmp_path: Path, weights: str) -> None:
    rng = np.random.default_rng(4)
    columns = {name: rng.choice([1, 2, 4], 40).tolist() for name in ("ann", "ben", "cat")}
    everyone = {**columns, "model": rng.choice([1, 3, 5], 40).tolist()}
    rows = [(i, *pair) for i in range(40) for pair in ((n, x[i]) for n, x in everyone.items())]
    long = write_csv(tmp_path / "l.csv", **dict(zip(("item", "who", "mark"), zip(*rows))))
    wide = write_csv(tmp_path / "r.csv", **everyone, part=["a", "b"] * 20)
    options = ["--weights", weights]
    expected = agree.json_of(wide, "--raters", *columns, *options, "--pair", "ann,ben")
    for files in ([wide, "--raters", *everyone], [long, *LONG]):
        found = agree.json_of(*files, *options, "--model", "model", "--pair", "ann,ben")
        for name in ("coefficients", "labels", "by_label", "pair"):
            assert found[name] == expected[name]
        for name in ("kappa", "standard_error"):
            both = (np.array(one["pairwise"][name]) for one in (found, expected))
            np.testing.assert_array_equal(next(both)[:3, :3], next(both))
        assert found["each_rater"]["labels"] == [1, 2, 3, 4, 5]
    # The pairs with the model count its labels.
    kappas = pairwise_kappa(
        Ratings.from_raters(everyone), weights=None if weights == "none" else weights
    ).values
    np.testing.assert_allclose(found["pairwise"]["kappa"][3], kappas[3])
    grouped = [wide, *options, "--group", "part", "--raters"]
    of_groups = agree.json_of(*grouped, *everyone, "--model", "model")["groups"]
    for group, of_people in zip(of_groups, agree.json_of(*grouped, *columns)["groups"]):
        compared, people_compared = group.pop("each_rater"), of_people.pop("each_rater")
        assert group == of_people
        assert compared["rater_names"] == [*everyone]
        assert compared["value"] == people_compared["value"]
    of_model = agree.json_of(
        wide, "--raters", *everyone, *options, "--model=model", "--pair=ann,model"
    )
    assert of_model["pair"]["labels"] == [1, 2, 3, 4, 5]


def _off(tables: Any) -> Any:
    """Return the off-diagonal cells, each added to the cell of the reverse order."""
    return tables + tables.T - 2 * np.diag(tables.diagonal())


def test_a_model_among_the_raters(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(1, 4, 60)
    columns = {
        name: np.where(rng.random(60) < 0.8, truth, rng.integers(1, 4, 60)).tolist()
        for name in ("ann", "ben", "cat", "model")
    }
    path = write_csv(tmp_path / "r.csv", **columns)
    options = [path, "--raters", *columns, "--weights", "linear", "--model", "model"]
    for given, epsilon in (([], 0.2), (["--epsilon", 0.05], 0.05)):
        test = alternative_annotator_test(
            Ratings.from_raters(columns), "model", weights="linear", epsilon=epsilon
        )
        found = agree.json_of(*options, *given)["alternative_annotator"]
        assert found == test.to_dict()
        said = agree.text_of(*options, *given, "--format", "sentence")
        assert test.sentence() in said
        raters = compare_raters(Ratings.from_raters(columns), weights="linear")
        assert f"model with the people was {raters.with_others.values[3]:.2f} (" in said
        assert f"a difference of {raters.difference.values[3]:.2f} (" in said
    text = agree.text_of(*options)
    assert "agree better without" not in text
    fay = write_csv(tmp_path / "fay.csv", fay=rng.integers(1, 4, 60).tolist(), **columns)
    advice = "agree better without fay: to compare model with the remaining people, leave fay"
    text = agree.text_of(fay, "--raters", "fay", *columns, "--model", "model")
    assert f"the people {advice} out of --raters" in " ".join(text.split())
    # With two people, nobody can be left out, and a model that is unlike them is no outlier.
    text = agree.text_of(fay, "--raters", "ann", "ben", "fay", "--model", "fay")
    assert "without ann" not in text
    assert "better without" not in text
    rows = csv.DictReader(agree.text_of(*options, "--format", "csv").splitlines())
    values = {row["statistic"]: row["value"] for row in rows}
    assert float(values["advantage probability of model"]) == pytest.approx(
        agree.json_of(*options)["alternative_annotator"]["advantage_probability"]
    )
    refused = agree.refusal(*options[:-1], "modle")
    assert "'modle', which is not one of --raters: add it to --raters. Did you mean 'model'?" in (
        refused
    )
    two = agree.refusal(path, "--raters", "ann", "ben", "--model", "model")
    assert two.strip().endswith("'model', which is not one of --raters: add it to --raters.")
    long = write_csv(tmp_path / "l.csv", item=[1, 1, 1], who=["ann", "ben", "cat"], mark=[*"xyx"])
    named = [long, *LONG, "--raters", "ann", "ben", "--model", "cat"]
    assert "add it to --raters, or leave out --raters." in agree.refusal(*named)
    refused = agree.refusal(long, *LONG, "--model", "cats")
    assert "--model must name a rater ('ann', 'ben', 'cat'), got 'cats'. Did you mean" in refused
    assert "--epsilon needs --model" in agree.refusal(*options[:-2], "--epsilon", 0.1)
    assert "--model needs three or more raters" in agree.refusal(
        path, "--raters", "ann", "model", "--model", "model"
    )


def test_decisions_and_inputs_are_not_overwritten(wide: Path, tmp_path: Path) -> None:
    disputed, gold = tmp_path / "disputed.csv", tmp_path / "gold.csv"
    options = [wide, "--item", "id", *WIDE]
    agree.text_of(*options, "--disputed", disputed)
    # A file without decisions is replaced.
    agree.text_of(*options, "--disputed", disputed)
    rows = read(disputed)
    rows[1][-1] = "x"
    disputed.write_text("\n".join(map(",".join, rows)) + "\n")
    before = disputed.read_text()
    assert "which contains 1 decision. Name another file" in agree.refusal(
        *options, "--disputed", disputed
    )
    same = ["--adjudicated", disputed, "--gold", gold, "--disputed", disputed]
    assert "--disputed would overwrite" in agree.refusal(*options, *same)
    assert disputed.read_text() == before
    for option in ("--gold", "--plot"):
        assert f"{option} would overwrite" in agree.refusal(*options, option, wide)
    numbers = write_csv(tmp_path / "folder.csv", ann=[1, 2, 4], ben=[1, 3, 4])
    before = numbers.read_text()
    for files in (numbers, tmp_path, tmp_path / "fold*.csv"):
        for command in (["score", "--y1=ann", "--y2=ben", "--save"], ["measure", "--plot"]):
            name, *others = command
            raters = [] if name == "score" else ["--raters", "ann", "ben"]
            refused = CommandLine(name).refusal(files, *raters, *others, numbers)
            assert f"{others[-1]} would overwrite {numbers}, which " in refused
    assert numbers.read_text() == before
    assert not gold.exists()


def test_final_labels_in_a_folder_of_raters_are_warned_of(tmp_path: Path) -> None:
    folder, gold = tmp_path / "people", tmp_path / "gold.csv"
    folder.mkdir()
    for name, grades in (("ann", [1, 2, 1, 2, 2]), ("ben", [1, 2, 1, 1, 2])):
        write_csv(folder / f"{name}.csv", id=[*range(5)], grade=grades)
    options = ("--id", "id", "--rating", "grade")
    assert agree.run(folder, *options, "--gold", gold).stderr == ""
    gold.rename(folder / "gold.csv")
    said = agree.run(folder, *options).stderr
    assert "gold.csv has a column 'decided_by', like the files that --gold writes" in said
    # A shell lists the files that match a pattern such as people/*.csv.
    assert agree.run(*sorted(folder.iterdir()), *options).stderr == said
