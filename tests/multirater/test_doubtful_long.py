"""Items, raters and names in long form that are probably mistakes."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import Ratings

LABELS = ["x", "y", "z", "x", "y"]


def _rows(raters: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the columns of ratings by each rater of these items."""
    rows = [(item, rater, i) for rater, items in raters.items() for i, item in enumerate(items)]
    items, names, places = zip(*rows)
    return {"item": items, "rater": names, "rating": [LABELS[i % 5] for i in places]}


def _read(columns: Any) -> Ratings:
    return Ratings.from_long(**columns)


def _of_command(columns: dict[str, list[str]], folder: Path) -> str:
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine, write_csv

    options = [text for name in columns for text in (f"--{name}", name)]
    return str(CommandLine("agree").run(write_csv(folder / "r.csv", **columns), *options).stderr)


ITEMS = [f"img_{i:02}" for i in range(20)]


@pytest.mark.parametrize(("n_items", "n_raters"), [(8, 2), (60, 12), (1500, 6)])
def test_items_and_raters_that_are_swapped(n_items: int, n_raters: int) -> None:
    columns = _rows({f"{i}": [f"img_{j}" for j in range(n_items)] for i in range(n_raters)})
    swapped = {**columns, "item": columns["rater"], "rater": columns["item"]}
    match = f"{n_items} raters and {n_raters} items,.* as if .* swapped. .* --item and --rater"
    with pytest.warns(UserWarning, match=match):
        _read(swapped)


def test_ratings_that_agree_within_raters(tmp_path: Path) -> None:
    """Sixty raters of twelve items are plausible if ratings agree within items."""
    rng = np.random.default_rng(1)
    rows = [
        (f"item {i}", f"rater {j}", LABELS[i % 5] if rng.random() < 0.7 else LABELS[j % 5])
        for i in range(12)
        for j in range(60)
    ]
    columns: dict[str, list[str]] = dict(zip(("item", "rater", "rating"), map(list, zip(*rows))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _read(columns)
    assert "swapped" not in _of_command(columns, tmp_path)
    swapped = {**columns, "item": columns["rater"], "rater": columns["item"]}
    message = "there are 12 raters and 60 items, and ratings agree within raters, not within items"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _read(swapped)
    assert sum(message in str(one.message) for one in caught) == 1
    said = _of_command(swapped, tmp_path)
    assert message in said
    assert "swapped. Check --item and --rater." in said


@pytest.mark.parametrize(("n_items", "n_raters"), [(10, 50), (20, 90)])
def test_many_raters_of_a_few_items_are_silent(n_items: int, n_raters: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _read(_rows({f"r{i}": [f"img_{j}" for j in range(n_items)] for i in range(n_raters)}))


@pytest.mark.parametrize("slip", ["Bertha", "Brta", "Betra"])
def test_a_mistyped_rater(slip: str, tmp_path: Path) -> None:
    columns = _rows({"Anna": ITEMS, "Berta": ITEMS[1:], slip: ITEMS[:1]})
    with pytest.warns(UserWarning, match=f"'{slip}' has 1 rating, and 'Berta' has 19 ratings"):
        _read(columns)
    assert "If they are the same rater, use one spelling" in _of_command(columns, tmp_path)


@pytest.mark.parametrize("other", ["m.ortiz@site.org", "MOrtiz", "M. Ortiz"])
def test_a_rater_with_two_logins(other: str, tmp_path: Path) -> None:
    columns = _rows({"Anna": ITEMS, "m.ortiz": ITEMS[:12], other: ITEMS[12:]})
    names = " and ".join(map(repr, sorted(["m.ortiz", other])))
    message = f"some names of raters are similar: {names}. They were read as different raters"
    with pytest.warns(UserWarning, match=re.escape(message)) as warned:
        _read(columns)
    assert len(warned) == 1
    assert message in _of_command(columns, tmp_path)
    from tests.helpers.command_line import CommandLine, write_csv

    for name in set(columns["rater"]):
        rows = [row for row, rater in enumerate(columns["rater"]) if rater == name]
        of_one = {key: [columns[key][row] for row in rows] for key in ("item", "rating")}
        (tmp_path / "each").mkdir(exist_ok=True)
        write_csv(tmp_path / "each" / f"{name}.csv", **of_one)
    options = ("--id", "item", "--rating", "rating")
    assert message in CommandLine("agree").run(tmp_path / "each", *options).stderr


@pytest.mark.parametrize(
    "names", [("lee@a.org", "lee@b.org"), ("v1.2", "v12"), ("gpt@0", "gpt@1"), ("a+", "a")]
)
def test_raters_with_similar_names(names: tuple[str, str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _read(_rows({"Anna": ITEMS, names[0]: ITEMS[:12], names[1]: ITEMS[12:]}))


MANY = [f"t{i}" for i in range(120)]


def test_a_rater_who_is_mistyped_often() -> None:
    # By chance, 26 of the items would be rated under both names.
    columns = _rows({"Berta": MANY, "Ana": MANY[:40], "Anna": MANY[40:]})
    columns["rating"][-1] = "z"
    with pytest.warns(UserWarning, match="'Ana' has 40 ratings, and 'Anna' has 80 ratings"):
        _read(columns)


@pytest.mark.parametrize("written", ["{}.jpg", "data/{}", "C:\\data\\{}.png", "/a/b/{}.txt"])
def test_items_with_the_name_of_a_file(written: str, tmp_path: Path) -> None:
    columns = _rows({"Anna": ITEMS, "Berta": [written.format(item) for item in ITEMS]})
    with pytest.warns(UserWarning, match="item contains 20 groups of similar names"):
        _read(columns)
    said = _of_command(columns, tmp_path)
    assert "item contains 20 groups of similar names" in said
    assert "no item was rated by both raters" in said


def test_names_are_shown_as_they_are_written(tmp_path: Path) -> None:
    columns = _rows({"Anna": ["Müller", "b"], "Berta": ["IMG006/Müller.png", "b"]})
    shown = "1 group of similar names: 'Müller', 'IMG006/Müller.png'. The"
    with pytest.warns(UserWarning, match=re.escape(shown)):
        _read(columns)
    assert shown in _of_command(columns, tmp_path)
    # Letters that look the same are told apart by their codes.
    with pytest.warns(UserWarning, match=re.escape(r"'i1', '\u04561'")):
        _read(_rows({"Anna": ["i1", "b"], "Berta": ["\u04561", "b"]}))


SILENT = {
    "a crowd": {f"worker {i}": ITEMS[i : i + 3] for i in range(18)},
    "twelve raters of five videos": {f"rater {i}": ITEMS[:5] for i in range(12)},
    "numbers in names": {"rater 1": ITEMS, "rater 2": ITEMS[:1], "rater 12": ITEMS[5:6]},
    "a namesake who shares items": {"Jonas": ITEMS, "Jonah": ITEMS[:1], "Eve": ITEMS},
    "raters of one half each": {"C": MANY, "rater A": MANY[:60], "rater B": MANY[60:]},
    "other names": {"Anna": ITEMS[1:], "Berta": ITEMS, "Cora": ITEMS[:1]},
    "folders that matter": {
        "Anna": ["test/1.jpg", "train/1.jpg"],
        "Berta": ["test/1.jpg", "train/1.jpg"],
    },
    "folders of partial items": {
        "Anna": [*ITEMS, "IMG006/Müller", "P1/OD.png", "w1.left"],
        "Berta": [*ITEMS, "IMG017/Müller", "P2/OD.png", "w1.right"],
    },
    "versions": {"Anna": ["v1.2", "v1.3"], "Berta": ["v1.2", "v1.4"]},
}


@pytest.mark.parametrize("raters", SILENT.values(), ids=SILENT)
def test_ordinary_designs_are_silent(raters: dict[str, list[str]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        columns = _rows(raters)
        columns["rating"][-1] = "x"
        assert _read(columns).n_raters == len(raters)


@pytest.mark.parametrize("kind", [int, str])
def test_ids_that_count_from_0_and_from_1(kind: Any) -> None:
    ids = [*range(60)]

    def read(*raters: list[int]) -> None:
        rows = [(kind(i), name, LABELS[i % 5]) for name, own in zip("abc", raters) for i in own]
        _read(dict(zip(("item", "rater", "rating"), zip(*rows))))

    with pytest.warns(UserWarning, match="only a has item 0 and only b has item 60"):
        read(ids, [i + 1 for i in ids], ids)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for others in (ids, [*ids[1:], 70], [*ids[:7], *ids[8:], 60]):
            read(ids, others)


@pytest.mark.parametrize("other", ["A.Keller", "a_keller", "a.keller@site.org"])
def test_two_columns_of_one_rater(other: str) -> None:
    columns = {"a.keller": ITEMS, other: ITEMS, "b": ITEMS}
    with pytest.warns(UserWarning, match="some names of raters are similar"):
        Ratings.from_raters(columns)


HEADED = _rows({"ann": ["i1", "i2", "i3"], "ben": ["i1", "i2", "i3"]})


def _with_rows(*rows: dict[str, str]) -> dict[str, list[str]]:
    return {
        name: [*values[:4], *(row[name] for row in rows), *values[4:]]
        for name, values in HEADED.items()
    }


def _named_series(columns: dict[str, list[str]]) -> Ratings:
    pandas = pytest.importorskip("pandas")
    return _read({name: pandas.Series(values, name=name) for name, values in columns.items()})


def _of_frame(columns: dict[str, list[str]]) -> Ratings:
    frame = pytest.importorskip("pandas").DataFrame(columns)
    return Ratings.from_long(frame, item="item", rater="rater", rating="rating")


def _of_mapping(columns: dict[str, list[str]]) -> Ratings:
    pytest.importorskip("pyarrow")
    return Ratings.from_long(columns, item="item", rater="rater", rating="rating")


@pytest.mark.parametrize("read", [_read, _named_series, _of_frame, _of_mapping])
def test_a_header_among_the_rows(read: Any) -> None:
    header = {name: name for name in HEADED}
    listed = re.escape("the names of the columns ('item', 'rater', 'rating'), as in")
    with pytest.raises(ValueError, match=f"^1 row contains {listed}"):
        read(_with_rows(header))
    with warnings.catch_warnings():
        # In a frame, a warning says that a name of a column is also a label.
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=f"^2 rows contain {listed}"):
            read(_with_rows(header, header))


def test_the_names_of_series_among_the_rows() -> None:
    pandas = pytest.importorskip("pandas")
    names = {"item": "id", "rater": "coder", "rating": "code"}
    series = {
        name: pandas.Series(values, name=names[name]) for name, values in _with_rows(names).items()
    }
    listed = re.escape("the names of the columns ('id', 'coder', 'code')")
    with pytest.raises(ValueError, match=f"^1 row contains {listed}"):
        _read(series)


@pytest.mark.parametrize("kept", ["item", "rater", "rating"])
def test_a_row_with_some_of_the_names_is_no_header(kept: str) -> None:
    row = {name: name for name in HEADED} | {kept: {"rater": "cat"}.get(kept, HEADED[kept][0])}
    assert _read(_with_rows(row)).n_raters == 3


def test_equal_ratings_of_a_rater_are_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("typer")
    from tests.helpers.command_line import CommandLine, write_csv

    path = write_csv(tmp_path / "r.csv", item=[1, 1, 1, 2, 2], rater=[*"abbab"], rating=[*"xxxyx"])
    message = "rater 'b' has 2 ratings of item '1', all of them equal. Leave out the repeated rows"
    with pytest.raises(ValueError, match=message):
        Ratings.from_long(path, item="item", rater="rater", rating="rating")
    options = ("--item", "item", "--rater", "rater", "--rating", "rating")
    assert message in CommandLine("agree").refusal(path, *options)
