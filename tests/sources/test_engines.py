"""The same ratings in every engine give the table that the kernels count."""

from __future__ import annotations

import datetime
import gzip
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import confusion_from_source
from fastkappa.install_hint import install_command
from fastkappa.sources import frames
from fastkappa.sources.source_ratings import LARGEST_NUMBER_OF_LABELS
from fastkappa.sources.source_table import Columns, SourceTable
from tests.helpers.absent import library

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = library("polars")
duckdb = library("duckdb")
pytest.importorskip("narwhals")
dd = library("dask.dataframe")
dataset = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")

from tests.helpers.engine_sources import (  # noqa: E402
    COLUMNS,
    SOURCES,
    arrow_table,
    assert_same,
    expected,
    pandas_frame,
    written,
)


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Yield the same ratings in each engine."""
    return SOURCES[request.param](COLUMNS, tmp_path)


@pytest.mark.parametrize("pair", [("left", "right"), ("left grade", "right grade")])
def test_table_of_the_kernels(source: Any, pair: tuple[str, str]) -> None:
    counts = confusion_from_source(source, *pair)
    assert_same(counts, expected(*pair))
    assert counts.n_dropped > 0


@pytest.mark.parametrize("pair", [("left refer", "right refer"), ("left day", "right day")])
def test_booleans_and_dates(source: Any, pair: tuple[str, str]) -> None:
    counts = confusion_from_source(source, *pair)
    wanted = expected(*pair)
    assert_same(counts, wanted | {"labels": wanted["labels"].astype(counts.labels.dtype)})
    assert counts.labels.dtype.kind == wanted["labels"].dtype.kind


@pytest.mark.parametrize("weight", ["items", "importance"])
def test_weights(source: Any, weight: str) -> None:
    """Quarters are summed exactly, in any order."""
    counts = confusion_from_source(source, "left", "right", sample_weight=weight)
    assert_same(counts, expected("left", "right", weight=weight))


def test_groups(source: Any) -> None:
    groups = confusion_from_source(source, "left grade", "right grade", group="clinic")
    assert list(groups) == ["east", "north", "south", None]
    for clinic, counts in groups.items():
        assert_same(counts, expected("left grade", "right grade", where=[clinic]))


@pytest.mark.filterwarnings("ignore:no rating equals the label 'never given'")
def test_labels_given(source: Any) -> None:
    labels = ["severe", "none", "never given"]
    counts = confusion_from_source(source, "left", "right", labels=labels)
    assert_same(counts, expected("left", "right", labels=labels))
    assert counts.n_outside > 0


def test_the_same_column_twice(source: Any) -> None:
    counts = confusion_from_source(source, "left", "left")
    assert_same(counts, expected("left", "left"))


def test_an_unknown_column_is_named(source: Any) -> None:
    with pytest.raises(ValueError, match=r"has no column 'rihgt'.*Did you mean 'right'\?"):
        confusion_from_source(source, "left", "rihgt")


def test_ratings_of_two_kinds(source: Any) -> None:
    with pytest.raises(
        ValueError, match=r"'left' contains strings .* column 'right grade' contains int"
    ):
        confusion_from_source(source, "left", "right grade")


def test_measurements_are_no_ratings(source: Any) -> None:
    with pytest.raises(ValueError, match=r"'importance' contains \d\.\d+: ratings must be whole"):
        confusion_from_source(source, "importance", "right grade")


def test_kappa_follows_from_the_table(source: Any) -> None:
    counts = confusion_from_source(source, "left grade", "right grade")
    rows = [i for i, grade in enumerate(COLUMNS["left grade"]) if grade is not None]
    kappa = fastkappa.cohen_kappa_score(
        [COLUMNS["left grade"][i] for i in rows],
        [COLUMNS["right grade"][i] for i in rows],
        weights="quadratic",
    )
    assert fastkappa.kappa_from_confusion(counts.table, weights="quadratic") == pytest.approx(kappa)


LAZY = [name for name in SOURCES if name in ("polars, lazy", "DuckDB")]
IN_MEMORY = ["pandas", "polars", "pyarrow table", "mapping", "Dask", "Parquet folder", "CSV file"]


@pytest.mark.filterwarnings("ignore:labels does not contain all ratings")
@pytest.mark.parametrize("name", IN_MEMORY + LAZY)
def test_identifiers_are_no_ratings(name: str, tmp_path: Path) -> None:
    n = 3 * LARGEST_NUMBER_OF_LABELS
    columns = {"id": list(range(n)), "name": [f"n{i}" for i in range(n)], "y": [0, 1] * (n // 2)}
    for column in ("id", "name"):
        source = SOURCES[name](columns, tmp_path)
        with pytest.raises(
            ValueError, match=f"'{column}' has .* different ratings, .* a column of ratings"
        ):
            confusion_from_source(source, column, column)
    source = SOURCES[name](columns, tmp_path)
    counts = confusion_from_source(source, "id", "y", labels=[1, 0])
    assert counts.table.tolist() == [[1, 0], [0, 1]]
    assert counts.n_outside == n - 2


@pytest.mark.parametrize("name", LAZY)
def test_an_engine_sends_no_more_cells_than_fit(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "MOST_CELLS", 100)
    source = SOURCES[name]({"id": list(range(101)), "y": [0] * 101}, tmp_path)
    with pytest.raises(ValueError, match="'id' and 'y' have more than 100 different pairs"):
        frames.count_frame(SourceTable(Columns("id", "y")), source, 1)


@pytest.mark.parametrize("name", IN_MEMORY + LAZY + ["Dask arrays", "Arrow file"])
def test_no_item_with_both_ratings(name: str, tmp_path: Path) -> None:
    source = SOURCES[name]({"a": [1, None], "b": [None, 2]}, tmp_path)
    counts = confusion_from_source(source, "a", "b")
    assert counts.table.shape == (0, 0)
    assert (counts.n_rows, counts.missing, counts.n_dropped) == (2, (1, 1), 2)


@pytest.mark.parametrize("name", IN_MEMORY + LAZY)
def test_no_rows(name: str, tmp_path: Path) -> None:
    if name == "CSV file":
        source: Any = tmp_path / "ratings.csv"
        source.write_text("a,b\n")
    elif name == "pyarrow table":
        source = arrow_table({"a": [1], "b": [1]}).slice(1)
    elif name == "Parquet folder":
        source = written(arrow_table({"a": [1], "b": [1]}).slice(1), tmp_path / "parts")
    elif name in ("pandas", "mapping"):
        source = {"a": pd.Series([], dtype=int), "b": pd.Series([], dtype=int)}
    elif name == "Dask":
        source = dd.from_pandas(pd.DataFrame({"a": [1], "b": [1]}).iloc[1:], npartitions=1)
    elif name == "polars":
        source = pl.DataFrame({"a": [1], "b": [1]}).clear()
    elif name == "polars, lazy":
        source = pl.LazyFrame({"a": [1], "b": [1]}).filter(pl.col("a") > 1)
    else:
        source = duckdb.connect().sql("select 1 as a, 1 as b where false")
    counts = confusion_from_source(source, "a", "b")
    assert (counts.table.shape, counts.n_rows, counts.n_dropped) == ((0, 0), 0, 0)


@pytest.mark.filterwarnings("ignore:the ratings contain -9223372036854775808")
def test_whole_numbers_of_every_size() -> None:
    big = 2**64 - 1
    counts = confusion_from_source(
        {"a": np.array([big, 1], np.uint64), "b": np.array([1, 1], np.int8)}, "a", "b"
    )
    assert counts.labels.tolist() == [1, big]
    assert counts.table.tolist() == [[1, 0], [1, 0]]
    spread = pa.table({"a": [-(2**63), None, 2**63 - 1], "b": [2**63 - 1, 5, 5]})
    counts = confusion_from_source(spread, "a", "b")
    assert counts.labels.tolist() == [-(2**63), 5, 2**63 - 1]
    assert counts.table.tolist() == [[0, 0, 1], [0, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("make", [pa.table, pl.LazyFrame, lambda c: pa.table(c).to_reader(1)])
def test_sums_of_weights_beyond_int64(make: Any) -> None:
    columns = {"a": ["x"] * 4, "w": [2**62] * 4}
    with pytest.raises(OverflowError, match=r"int64: (pass .* as floats|use float weights)"):
        confusion_from_source(make(columns), "a", "a", sample_weight="w")


@pytest.mark.parametrize("make", [pa.table, pl.LazyFrame, pl.DataFrame])
@pytest.mark.parametrize("weights", [[1.0, None], [1.0, float("nan")], [float("inf"), 1.0]])
def test_weights_that_are_none(weights: list[Any], make: Any) -> None:
    source = make({"a": ["x", "y"], "w": weights})
    with pytest.raises(ValueError, match=r"'w' (has 1 missing weight:|must be finite)"):
        confusion_from_source(source, "a", "a", sample_weight="w")


@pytest.mark.parametrize("make", [pa.table, pl.LazyFrame, pd.DataFrame, lambda columns: columns])
@pytest.mark.parametrize("weights", [[5, -1], [5.5, -1.5]])
def test_a_weight_below_0_is_not_hidden_by_a_sum(weights: list[Any], make: Any) -> None:
    source = make({"a": ["x", "x"], "w": weights})
    with pytest.raises(ValueError, match="'w' has weights below 0, such as -1"):
        confusion_from_source(source, "a", "a", sample_weight="w")


@pytest.mark.parametrize(
    "make", [pd.DataFrame, lambda frame: pl.from_pandas(frame).lazy(), pa.Table.from_pandas]
)
def test_times_of_any_zone_are_instants(make: Any) -> None:
    berlin = pd.to_datetime(["2024-05-01 12:00", None]).tz_localize("Europe/Berlin")
    london = pd.to_datetime(["2024-05-01 11:00", "2024-05-01 11:00"]).tz_localize("Europe/London")
    frame = pd.DataFrame({"a": berlin, "b": london})
    counts = confusion_from_source(make(frame), "a", "b")
    assert counts.labels.tolist() == [datetime.datetime(2024, 5, 1, 10)]
    assert (counts.table.tolist(), counts.missing) == ([[1]], (1, 0))


def test_folders_named_for_a_value_are_a_column(tmp_path: Path) -> None:
    table = arrow_table(COLUMNS)
    for clinic in ("north", "south", "east"):
        (tmp_path / f"clinic={clinic}").mkdir()
        rows = table.filter(pa.compute.equal(table["clinic"], clinic)).drop(["clinic"])
        parquet.write_table(rows, tmp_path / f"clinic={clinic}" / "data.parquet")
    (tmp_path / "_SUCCESS").touch()
    whole = dataset.dataset(tmp_path, partitioning="hive")
    groups = confusion_from_source(whole, "left", "right", group="clinic")
    assert list(groups) == ["east", "north", "south"]
    for clinic, counts in groups.items():
        assert_same(counts, expected("left", "right", where=[clinic]) | {"labels": counts.labels})


@pytest.mark.filterwarnings("ignore:column 'a' holds '01' and '1'")
@pytest.mark.filterwarnings("ignore:.*how they are written")
def test_a_folder_of_text_is_one_table(tmp_path: Path) -> None:
    """A number in one file is a string if another file has words."""
    (tmp_path / "1.csv").write_text("a,b\n1,1\n01,2\n")
    (tmp_path / "2.csv").write_text("b,a\n2,1\n1,\n")
    counts = confusion_from_source(tmp_path, "a", "b")
    assert counts.labels.tolist() == [1, 2]
    assert counts.table.tolist() == [[1, 2], [0, 0]]
    (tmp_path / "3.csv").write_text("a,b\n" + 4 * "x,x\n")
    counts = confusion_from_source(tmp_path, "a", "b")
    assert counts.labels.tolist() == ["01", "1", "2", "x"]


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no file with one of the suffixes"):
        confusion_from_source(tmp_path, "a", "b")
    (tmp_path / "1.csv").write_text("a,b\n1,1\n")
    (tmp_path / "1.tsv").write_text("a\tb\n1\t1\n")
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress(b"a,b\n1,1\n"))
    (tmp_path / "notes.txt").write_text("not data")
    patterns = rf"'{tmp_path}/\*.csv', '{tmp_path}/\*.csv.gz' and '{tmp_path}/\*.tsv'"
    with pytest.raises(ValueError, match=f"are csv and tsv: count {patterns} separately, and add"):
        confusion_from_source(tmp_path, "a", "b")
    (tmp_path / "more").mkdir()
    (tmp_path / "1.tsv").rename(tmp_path / "more" / "1.TSV")
    with pytest.raises(ValueError, match=rf"{tmp_path}/\*\*/\*.csv.gz' and .*/\*.tsv' separately"):
        confusion_from_source(tmp_path, "a", "b")


def test_anything_that_gives_an_arrow_stream() -> None:
    class Stream:
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return arrow_table(COLUMNS).__arrow_c_stream__(requested_schema)

    assert_same(confusion_from_source(Stream(), "left", "right"), expected("left", "right"))


@pytest.mark.parametrize("source", [3, [1, 2], None, np.zeros((3, 2))])
def test_what_is_no_source(source: Any) -> None:
    with pytest.raises(TypeError, match=r"source must be a path, a data frame, .* got <class"):
        confusion_from_source(source, "a", "b")


@pytest.mark.parametrize("make", [dict, pl.LazyFrame])
@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        ([1, 1], "labels must be distinct, got 1 more than once"),
        ([], "should contain at least one label"),
        (3, "labels must be one-dimensional, got 3"),
        ([[1, 2]], "labels must be one-dimensional"),
        ([1, None], "labels must not contain missing values, got None"),
        ([b"a"], r"labels must be numbers, .* got b'a'"),
    ],
)
def test_what_is_no_label(labels: Any, problem: str, make: Any) -> None:
    with pytest.raises(ValueError, match=problem):
        confusion_from_source(make({"a": [1, 2]}), "a", "a", labels=labels)


def test_labels_of_another_kind_are_given_to_no_item() -> None:
    with pytest.warns(UserWarning, match="no rating equals the label '1' or '2', and 2"):
        counts = confusion_from_source({"a": [1, 2]}, "a", "a", labels=["1", "2"])
    assert counts.table.tolist() == [[0, 0], [0, 0]]
    assert counts.n_outside == 2


def test_names_that_are_no_strings() -> None:
    with pytest.raises(TypeError, match="column names must be strings, got 0"):
        confusion_from_source(pd.DataFrame({0: [1], 1: [1]}), 0, 1)


@pytest.mark.parametrize("make", [np.zeros, library("dask.array").zeros])
def test_columns_of_different_lengths(make: Any) -> None:
    with pytest.raises(ValueError, match="different lengths"):
        confusion_from_source({"a": make(3), "b": make(4)}, "a", "b")


@pytest.mark.filterwarnings("ignore:the .* items starting at position .* as the first")
def test_number_of_threads() -> None:
    big = {name: values * 200 for name, values in COLUMNS.items() if "day" not in name}
    table = arrow_table({name: big[name] for name in ("left", "right")})
    one = confusion_from_source(table, "left", "right", num_threads=1)
    two = confusion_from_source(table, "left", "right", num_threads=2)
    assert one.table.tolist() == two.table.tolist()
    assert (one.table == 200 * expected("left", "right")["table"]).all()
    with pytest.raises(ValueError, match="num_threads must be at least 1"):
        confusion_from_source(table, "left", "right", num_threads=0)


@pytest.mark.parametrize("library", ["narwhals", "pyarrow"])
def test_without_a_library_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    frame = pandas_frame({"a": [1, 2]})
    monkeypatch.setitem(sys.modules, library, None)
    hint = re.escape(install_command("fastkappa[frames]"))
    with pytest.raises(ImportError, match=rf"needs {library}.*{hint}"):
        confusion_from_source(frame, "a", "a")


@pytest.mark.filterwarnings("ignore:the .* items starting at position .* as the first")
def test_partitions_of_different_types_are_one_column() -> None:
    """A whole number is a float in partitions with missing values."""
    frame = pandas_frame(COLUMNS)[["left grade", "right grade"]]
    whole = frame.dropna().astype(int)
    parts = [dd.from_pandas(part, npartitions=1) for part in (whole[:1000], frame)]
    counts = confusion_from_source(
        {n: dd.concat([part[n] for part in parts]).to_dask_array(lengths=True) for n in frame},
        "left grade",
        "right grade",
    )
    assert counts.labels.tolist() == [0, 1, 2, 3, 4]
    assert counts.n_rows == 1000 + len(frame)
