"""Ratings in long form from every source in which tables are counted."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import Ratings, confusion_from_source, conger_kappa
from fastkappa.sources.arrow_files import read_columns
from tests.helpers.engine_sources import GRADES, SOURCES, duckdb, pa, parquet

dataset = pytest.importorskip("pyarrow.dataset")

NAMES = {"item": "right", "rater": "clinic", "rating": "left"}


def make_columns() -> dict[str, list[Any]]:
    """Return 600 ratings of 200 items by 12 raters, some missing, in the columns of SOURCES."""
    rng = np.random.default_rng(0)
    items = np.repeat(np.arange(200), 3)
    raters = np.concatenate([rng.permutation(12)[:3] for _ in range(200)])
    ratings = GRADES[rng.integers(0, 5, 600)].tolist()
    return {
        "right": [f"{item:03}" for item in items],
        "clinic": [f"rater {rater}" for rater in raters],
        "left": [None if gone else r for r, gone in zip(ratings, rng.random(600) < 0.05)],
        "left grade": raters.tolist(),
        "unused": [0.5] * 600,
    }


COLUMNS = make_columns()


@pytest.fixture(scope="module")
def expected() -> Ratings:
    return Ratings.from_long(**{role: COLUMNS[name] for role, name in NAMES.items()})


@pytest.mark.parametrize("name", SOURCES)
def test_every_source(name: str, expected: Ratings, tmp_path: Path) -> None:
    columns = dict(COLUMNS)
    if name == "polars, enums":
        # Items of three digits are not grades; their Categorical is.
        columns["right"], columns["item"] = [str(r) for r in COLUMNS["left"]], COLUMNS["right"]
    names = {**NAMES, "item": "item"} if "item" in columns else NAMES
    found = Ratings.from_long(SOURCES[name](columns, tmp_path), **names)
    assert (found.n_subjects, found.n_missing) == (expected.n_subjects, expected.n_missing)
    assert found.rater_names == expected.rater_names
    assert found.labels.tolist() == expected.labels.tolist()
    result = conger_kappa(found)
    assert result.value == conger_kappa(expected).value
    assert found.order_is_known == (name == "polars, enums")


def test_an_enum_of_duckdb_declares_its_order() -> None:
    connection = duckdb.connect()
    grades = ", ".join(f"'{grade}'" for grade in GRADES)
    connection.execute(f"create type grade as enum ({grades})")
    source = connection.sql(
        "select 1 as item, who, cast(y as grade) as y"
        " from (values ('a', 'severe'), ('b', 'none')) as t(who, y)"
    )
    found = Ratings.from_long(source, item="item", rater="who", rating="y")
    assert found.labels.tolist() == GRADES.tolist()
    assert found.order_is_known


def test_an_ordered_dictionary_declares_its_order(tmp_path: Path) -> None:
    codes = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], pa.int8()), ["z", "a"], ordered=True)
    table = pa.table({"item": [1, 1, 2], "who": ["a", "b", "a"], "y": codes})
    parquet.write_table(table, tmp_path / "r.parquet")
    for source in (table, tmp_path / "r.parquet", table.to_reader()):
        found = Ratings.from_long(source, item="item", rater="who", rating="y")
        assert (found.labels.tolist(), found.order_is_known) == (["z", "a"], True)


def test_names_in_text_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item,who,y\n01,1,2\n1,1,3\n1.0,2,2\n")
    found = Ratings.from_long(path, item="item", rater="who", rating="y")
    assert (found.n_subjects, found.rater_names) == (3, ("1", "2"))
    assert found.labels.tolist() == [2, 3]


def test_folders_of_text_and_of_partitions(tmp_path: Path) -> None:
    for rater in ("Ann", "Ben"):
        (tmp_path / "csv").mkdir(exist_ok=True)
        (tmp_path / "csv" / f"{rater}.csv").write_text(f"item,who,y\n1,{rater},2\n2,{rater},3\n")
        part = tmp_path / "parquet" / f"who={rater}"
        part.mkdir(parents=True)
        parquet.write_table(pa.table({"item": ["1", "2"], "y": [2, 3]}), part / "a.parquet")
    for source in (tmp_path / "csv", dataset.dataset(tmp_path / "parquet", partitioning="hive")):
        found = Ratings.from_long(source, item="item", rater="who", rating="y")
        assert (found.n_subjects, found.rater_names) == (2, ("Ann", "Ben"))
        assert conger_kappa(found).value == 1
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "a.csv").write_text("item,who,y\n")
    with pytest.raises(ValueError, match="has no rows"):
        Ratings.from_long(tmp_path / "empty", item="item", rater="who", rating="y")


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: SOURCES["pandas"](COLUMNS, folder),
        lambda folder: SOURCES["polars, lazy"](COLUMNS, folder),
        lambda folder: SOURCES["DuckDB"](COLUMNS, folder),
        lambda folder: SOURCES["pyarrow reader"](COLUMNS, folder),
        lambda folder: SOURCES["CSV file"](COLUMNS, folder),
        lambda folder: SOURCES["Parquet folder"](COLUMNS, folder),
        lambda folder: SOURCES["mapping"](COLUMNS, folder),
        lambda folder: SOURCES["Dask"](COLUMNS, folder),
    ],
)
def test_a_column_that_is_not_there(make: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no column 'clinics'; .* Did you mean 'clinic'\?"):
        Ratings.from_long(make(tmp_path), item="right", rater="clinics", rating="left")


@pytest.mark.parametrize(
    ("source", "names", "error", "message"),
    [
        (3, ("a", "b", "c"), TypeError, "source must be a path, .*got <class 'int'>"),
        (
            [1, 2],
            ("a", "b", "c"),
            TypeError,
            "omit the source and use item=, rater= and rating=",
        ),
        ({"a": [1], "b": [1]}, ("a", "b", "b"), ValueError, "must be three different columns, got"),
        ({"a": [1], "b": [1]}, ("a", None, "b"), TypeError, "rater must be the name of a column"),
        ({"a": [1], "b": [1]}, ("a", [1], "b"), TypeError, r"rater must be the name .*got \[1\]"),
        ("no.csv", ("a", "b", "c"), ValueError, "there is no file no.csv"),
    ],
)
def test_refusals(source: Any, names: Any, error: Any, message: str) -> None:
    item, rater, rating = names
    with pytest.raises(error, match=message):
        Ratings.from_long(source, item=item, rater=rater, rating=rating)


def test_codes_that_are_read_as_one_number(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    rows = [
        (item, rater, code) for item, code in enumerate(["1.1", "1.10", "2.1"]) for rater in "ab"
    ]
    path.write_text("item,rater,code\n" + "".join(f"{i},{r},{c}\n" for i, r, c in rows))
    names = {"item": "item", "rater": "rater", "rating": "code"}
    message = "column 'code' contains '1.1' and '1.10', which are read as the same number"
    with pytest.warns(UserWarning, match=message):
        assert Ratings.from_long(path, **names).labels.tolist() == [1.1, 2.1]
    with pytest.warns(UserWarning, match=message):
        confusion_from_source(path, "code", "code", labels=[1.1, 2.1])
    labels = ["1.1", "1.10", "2.1"]
    assert Ratings.from_long(path, **names, labels=labels).labels.tolist() == labels
    # Measurements can be written with a different number of digits.
    path.write_text("code\n" + "".join(f"{i / 200}\n" for i in range(999)) + "0.50\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_columns(path, ["code"])
