"""Strings among numbers, and codes for missing ratings, in every source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fastkappa import confusion_from_source
from tests.helpers.absent import library

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = library("polars")
duckdb = library("duckdb")
pytest.importorskip("narwhals")
dd = library("dask.dataframe")
parquet = pytest.importorskip("pyarrow.parquet")

# Grades 1 to 10; one row has no grade.
LEFT = [str(i % 10 + 1) for i in range(50)]
RIGHT = [str((i + i % 3) % 10 + 1) for i in range(50)]
ODD = {"a": [*LEFT, "x"], "b": [*RIGHT, "x"]}
REFUSED = (
    "column 'a' contains numbers and also 'x' (1 time): write numbers as digits,"
    " pass missing_codes= for codes of missing ratings, or pass labels= if the strings are"
    " labels."
)


def csv_file(columns: dict[str, list[Any]], folder: Path) -> Path:
    pd.DataFrame(columns).to_csv(folder / "r.csv", index=False)
    return folder / "r.csv"


def parquet_file(columns: dict[str, list[Any]], folder: Path) -> Path:
    parquet.write_table(pa.table(columns), folder / "r.parquet")
    return folder / "r.parquet"


SOURCES: dict[str, Callable[[dict[str, list[Any]], Path], Any]] = {
    "CSV": csv_file,
    "Parquet": parquet_file,
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "polars, lazy": lambda columns, _: pl.LazyFrame(columns),
    "DuckDB": lambda columns, _: duckdb.connect().from_arrow(pa.table(columns)),
    "Dask": lambda columns, _: dd.from_pandas(pd.DataFrame(columns), npartitions=3),
    "mapping": lambda columns, _: columns,
}


def expected_table() -> list[list[int]]:
    table = [[0] * 10 for _ in range(10)]
    for a, b in zip(LEFT, RIGHT):
        table[int(a) - 1][int(b) - 1] += 1
    return table


@pytest.mark.parametrize("name", SOURCES)
def test_a_string_among_numbers_is_refused_or_missing(name: str, tmp_path: Path) -> None:
    source = SOURCES[name](ODD, tmp_path)
    with pytest.raises(ValueError, match="and also") as raised:
        confusion_from_source(source, "a", "b")
    assert str(raised.value) == REFUSED
    source = SOURCES[name](ODD, tmp_path)
    counts = confusion_from_source(source, "a", "b", missing_codes=["x", "NA"])
    # The type of a text is inferred from the remaining values; other strings stay strings.
    numbers = [i + 1 for i in range(10)]
    assert counts.labels.tolist() == (numbers if name == "CSV" else list(map(str, numbers)))
    assert counts.table.tolist() == expected_table()
    assert (counts.n_rows, counts.missing, counts.n_dropped) == (51, (1, 1), 1)


@pytest.mark.parametrize("name", SOURCES)
def test_labels_say_what_a_string_among_numbers_is(name: str, tmp_path: Path) -> None:
    source = SOURCES[name](ODD, tmp_path)
    labels = [str(i + 1) for i in range(10)]
    counts = confusion_from_source(source, "a", "b", labels=[*labels, "x"])
    assert counts.table.trace() == sum(a == b for a, b in zip(LEFT, RIGHT)) + 1
    source = SOURCES[name](ODD, tmp_path)
    counts = confusion_from_source(source, "a", "b", labels=labels)
    assert counts.table.tolist() == expected_table()
    assert counts.n_outside == 1


def test_numbers_given_as_labels_leave_strings_of_text_outside(tmp_path: Path) -> None:
    path = csv_file({"a": ODD["a"], "b": [*RIGHT, "10"]}, tmp_path)
    counts = confusion_from_source(path, "a", "b", labels=range(1, 11))
    assert counts.table.tolist() == expected_table()
    assert counts.n_outside == 1
    counts = confusion_from_source(path, "a", "b", labels=range(1, 11), missing_codes=["x"])
    assert (counts.table.tolist(), counts.n_outside) == (expected_table(), 0)
    assert counts.missing == (1, 0)


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("labels", [None, [1, 2, 3], list(range(1, 9))])
def test_a_number_may_stand_for_a_missing_rating(name: str, labels: Any, tmp_path: Path) -> None:
    columns = {"a": [1, 2, -9, 3, 1], "b": [1, -9, -9, 3, 2]}
    source = SOURCES[name](columns, tmp_path)
    counts = confusion_from_source(source, "a", "b", labels=labels, missing_codes=[-9])
    assert counts.labels.tolist() == (labels or [1, 2, 3])
    assert counts.table[:3, :3].tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert (counts.missing, counts.n_dropped, counts.n_outside) == ((1, 2), 2, 0)


def test_a_far_code_does_not_count_as_many_labels(tmp_path: Path) -> None:
    columns = {"a": [1, 2, -999999, 3] * 10}
    for source in (columns, pd.DataFrame(columns), csv_file(columns, tmp_path)):
        counts = confusion_from_source(source, "a", "a", missing_codes=[-999999])
        assert counts.labels.tolist() == [1, 2, 3]
        assert counts.n_dropped == 10


def test_codes_are_no_labels_of_a_declared_order() -> None:
    column = pd.Categorical(["low", "?", "high"], ["low", "high", "?"], ordered=True)
    counts = confusion_from_source(pd.DataFrame({"a": column}), "a", "a", missing_codes=["?"])
    assert counts.labels.tolist() == ["low", "high"]
    assert counts.n_dropped == 1


def test_strings_and_numbers_in_turn_are_labels(tmp_path: Path) -> None:
    path = csv_file({"a": ["1", "x", "2", "y"]}, tmp_path)
    assert confusion_from_source(path, "a", "a").labels.tolist() == ["1", "2", "x", "y"]


def test_a_folder_is_judged_as_a_whole(tmp_path: Path) -> None:
    """The string is in the last file, read after all numbers."""
    for i in range(3):
        (tmp_path / f"{i}.csv").write_text("a,b\n1,1\n2,10\n")
    (tmp_path / "3.csv").write_text("a,b\nx,1\n")
    with pytest.raises(ValueError, match="'a' contains numbers and also 'x'"):
        confusion_from_source(tmp_path, "a", "b")
    counts = confusion_from_source(tmp_path, "a", "b", missing_codes=["x"])
    assert counts.labels.tolist() == [1, 2, 10]


def test_codes_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="missing_codes must be a list of ratings, got 'NA'"):
        confusion_from_source({"a": [1]}, "a", "a", missing_codes="NA")
    with pytest.raises(ValueError, match="labels and missing_codes both contain 1"):
        confusion_from_source({"a": [1]}, "a", "a", labels=[1, 2], missing_codes=[1])


@pytest.mark.parametrize("make", [lambda values: pd.Series(values, dtype=object), list])
def test_codes_among_python_objects(make: Callable[[list[Any]], Any]) -> None:
    column = make([1, 10, "x", 9, None])
    source = {"a": column} if isinstance(column, list) else pd.DataFrame({"a": column})
    with pytest.raises(ValueError, match="'a' cannot be read: it contains 'x', but also values"):
        confusion_from_source(source, "a", "a")
    counts = confusion_from_source(source, "a", "a", missing_codes=["x"])
    assert counts.labels.tolist() == [1, 9, 10]
    assert counts.missing == (2, 2)
