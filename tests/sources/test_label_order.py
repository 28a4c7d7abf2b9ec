"""The label order that a source declares is the order of the table, in every engine."""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import confusion_from_source, kappa_from_confusion
from tests.helpers.absent import library

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = library("polars")
duckdb = library("duckdb")
pytest.importorskip("narwhals")
dd = library("dask.dataframe")
parquet = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")
dataset = pytest.importorskip("pyarrow.dataset")

# 'moderate' is declared but never given.
ORDER = ["none", "mild", "moderate", "severe"]
LEFT = ["none", "mild", "severe", "none", None, "mild"]
RIGHT = ["none", "none", "severe", "mild", "mild", "severe"]
TABLE = [[1, 1, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 1]]
# Disagreement (1 + 1 + 4) / 5 = 30 / 25; by chance (rows 2, 2, 0, 1; columns 2, 1, 0, 2 in
# squared distances 0, 1, 4, 9) (2 * (1 + 2 * 9) + 2 * (2 + 2 * 4) + 1 * (2 * 9 + 4)) / 25.
KAPPA = 1 - 30 / 80

COLUMNS = {"left": LEFT, "right": RIGHT}


class Grade(enum.Enum):
    none = 7
    mild = 5
    moderate = 6
    severe = 1


def pandas_frame(order: list[str] = ORDER) -> Any:
    return pd.DataFrame(
        {n: pd.Categorical(values, order, ordered=True) for n, values in COLUMNS.items()}
    )


def polars_frame() -> Any:
    return pl.DataFrame(COLUMNS, schema=dict.fromkeys(COLUMNS, pl.Enum(ORDER)))


def arrow_table() -> Any:
    return pa.Table.from_pandas(pandas_frame())


def written_by_pandas(folder: Path) -> Path:
    pandas_frame().to_parquet(folder / "r.parquet", row_group_size=2)
    return folder / "r.parquet"


def written_by_polars(folder: Path) -> Path:
    polars_frame().write_parquet(folder / "r.parquet", row_group_size=2)
    return folder / "r.parquet"


def folder_of_parquet(folder: Path) -> Path:
    (folder / "parts").mkdir()
    for i in (0, 3):
        pandas_frame()[i : i + 3].to_parquet(folder / "parts" / f"{i}.parquet")
    return folder / "parts"


def written_feather(folder: Path) -> Path:
    feather.write_feather(arrow_table(), folder / "r.feather")
    return folder / "r.feather"


def written_by_polars_arrow(folder: Path) -> Path:
    polars_frame().write_ipc(folder / "r.arrow")
    return folder / "r.arrow"


def relation() -> Any:
    connection = duckdb.connect()
    names = ", ".join(f"'{name}'" for name in ORDER)
    connection.sql(f"create type grade as enum ({names})")
    connection.register("ratings", pa.table(COLUMNS))
    return connection.sql('select "left"::grade as "left", "right"::grade as "right" from ratings')


SOURCES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda folder: pandas_frame(),
    "polars": lambda folder: polars_frame(),
    "polars, lazy": lambda folder: polars_frame().lazy(),
    "polars, one column of strings": lambda folder: polars_frame().cast({"right": pl.String}),
    "pyarrow": lambda folder: arrow_table(),
    "pyarrow reader": lambda folder: arrow_table().to_reader(max_chunksize=2),
    "DuckDB": lambda folder: relation(),
    "Dask": lambda folder: dd.from_pandas(pandas_frame(), npartitions=2),
    "mapping": lambda folder: pandas_frame().to_dict("series"),
    "Parquet": written_by_pandas,
    "Parquet by polars": written_by_polars,
    "Parquet folder": folder_of_parquet,
    "pyarrow dataset": lambda folder: dataset.dataset(written_by_pandas(folder)),
    "Feather": written_feather,
    "Arrow by polars": written_by_polars_arrow,
    "Python enum": lambda folder: {
        "left": [Grade[name] for name in LEFT[:4] + LEFT[5:]],  # type: ignore[misc]
        "right": [Grade[name] for name in RIGHT[:4] + RIGHT[5:]],
    },
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_declared_order_is_that_of_the_table(name: str, tmp_path: Path) -> None:
    counts = confusion_from_source(SOURCES[name](tmp_path), "left", "right")
    assert counts.labels.tolist() == ORDER
    assert counts.table.tolist() == TABLE
    assert float(kappa_from_confusion(counts.table, weights="quadratic")) == pytest.approx(KAPPA)


@pytest.mark.filterwarnings("ignore:labels does not contain all ratings")
@pytest.mark.parametrize("name", ["pandas", "polars, lazy", "Parquet"])
def test_labels_given_come_before_a_declared_order(name: str, tmp_path: Path) -> None:
    labels = ["severe", "none"]
    counts = confusion_from_source(SOURCES[name](tmp_path), "left", "right", labels=labels)
    assert counts.labels.tolist() == labels
    assert counts.table.tolist() == [[1, 0], [0, 1]]


def test_numbers_may_have_a_declared_order() -> None:
    column = pd.Categorical([3, 1, 2, 3], categories=[3, 1, 2, 9], ordered=True)
    counts = confusion_from_source(pd.DataFrame({"a": column}), "a", "a")
    assert counts.labels.tolist() == [3, 1, 2, 9]
    assert counts.table.diagonal().tolist() == [2, 1, 1, 0]


def test_numbers_far_apart_may_have_a_declared_order() -> None:
    order = [5000, 0, 90]
    column = pa.DictionaryArray.from_arrays([0, 1, 2, 0], pa.array(order), ordered=True)
    assert confusion_from_source({"a": column, "b": column}, "a", "b").labels.tolist() == order


def test_categories_without_an_order_are_sorted() -> None:
    column = pd.Categorical(["mild", "none"], categories=ORDER)
    counts = confusion_from_source(pd.DataFrame({"a": column}), "a", "a")
    assert counts.labels.tolist() == ["mild", "none"]


def test_groups_have_the_declared_order(tmp_path: Path) -> None:
    frame = pandas_frame().assign(clinic=["x", "y"] * 3)
    for counts in confusion_from_source(frame, "left", "right", group="clinic").values():
        assert counts.labels.tolist() == ORDER


def lazy_enums(frame: Any) -> Any:
    enums = {name: pl.Enum(frame[name].cat.categories.tolist()) for name in COLUMNS}
    return pl.LazyFrame(COLUMNS, schema=enums)


@pytest.mark.parametrize("make", [lambda frame: frame, lazy_enums, pa.Table.from_pandas])
def test_two_different_orders_are_refused(make: Callable[[Any], Any]) -> None:
    frame = pandas_frame().assign(right=pandas_frame(ORDER[::-1])["right"])
    with pytest.raises(ValueError, match="in different orders") as raised:
        confusion_from_source(make(frame), "left", "right")
    assert str(raised.value) == (
        "column 'left' and column 'right' declare their labels in different orders: none < mild <"
        " moderate < severe and severe < moderate < mild < none. Give both the same categories, or"
        " pass labels=."
    )
    counts = confusion_from_source(make(frame), "left", "right", labels=ORDER)
    assert counts.table.tolist() == TABLE


def test_parts_of_different_orders_are_refused(tmp_path: Path) -> None:
    for i, order in enumerate((ORDER, ORDER[::-1])):
        pandas_frame(order).to_parquet(tmp_path / f"{i}.parquet")
    tables = [pa.Table.from_pandas(pandas_frame(order)) for order in (ORDER, ORDER[::-1])]
    schema = tables[0].schema
    together = pa.Table.from_batches([t.cast(schema).to_batches()[0] for t in tables])
    for source in (tmp_path, together):
        with pytest.raises(ValueError, match="in different orders: none < m"):
            confusion_from_source(source, "left", "right")


def test_a_rating_that_was_not_declared_is_refused() -> None:
    frame = pandas_frame().assign(right=["none", "none", "fatal", "mild", "mild", "severe"])
    with pytest.raises(ValueError, match="which is not among") as raised:
        confusion_from_source(frame, "left", "right")
    assert str(raised.value) == (
        "column 'right' contains 'fatal', which is not among the declared labels: none <"
        " mild < moderate < severe. Pass labels= to use other labels."
    )


def test_too_many_declared_labels_are_refused() -> None:
    column = pl.Series("a", ["n1"], pl.Enum([f"n{i}" for i in range(2001)]))
    with pytest.raises(ValueError, match="'a' declares 2001 labels, more than the 2000"):
        confusion_from_source(pl.DataFrame(column), "a", "a")


NUMBERS = {"a": ["9", "10", "1", "9"], "b": ["10", "10", "1", "9"]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.LazyFrame])
def test_strings_that_are_numbers_are_sorted_as_numbers(make: Callable[[Any], Any]) -> None:
    counts = confusion_from_source(make(NUMBERS), "a", "b")
    assert counts.labels.tolist() == ["1", "9", "10"]
    assert counts.table.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]


def test_strings_of_files_that_are_numbers(tmp_path: Path) -> None:
    """In Parquet such strings stay strings; in CSV they are numbers anyway."""
    strings = pd.DataFrame(NUMBERS)
    strings.to_parquet(tmp_path / "r.parquet")
    counts = confusion_from_source(tmp_path / "r.parquet", "a", "b")
    assert counts.labels.tolist() == ["1", "9", "10"]
    assert counts.table.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    strings.to_csv(tmp_path / "r.csv")
    counts = confusion_from_source(tmp_path / "r.csv", "a", "b")
    assert counts.labels.tolist() == [1, 9, 10]
    by_group = confusion_from_source(strings, "a", "b", group="b")
    assert list(by_group) == ["1", "9", "10"]


def test_an_enum_of_another_column_order_is_refused() -> None:
    other = enum.Enum("other", {"none": 1, "mild": 2})
    with pytest.raises(ValueError, match="none < mild < moderate < severe and none < mild"):
        confusion_from_source({"a": [Grade.none], "b": np.array([other["none"]])}, "a", "b")
