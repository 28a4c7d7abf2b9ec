"""Provide the same real ratings, some missing, in every engine, and their expected table."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import confusion_counts, datasets
from tests.helpers.absent import library

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = library("polars")
duckdb = library("duckdb")
pytest.importorskip("narwhals")
dd = library("dask.dataframe")
csv = pytest.importorskip("pyarrow.csv")
parquet = pytest.importorskip("pyarrow.parquet")
dataset = pytest.importorskip("pyarrow.dataset")

GRADES = np.array(["none", "mild", "moderate", "severe", "proliferative"], dtype=object)
Columns = dict[str, list[Any]]


def with_gaps(ratings: Any, proportion: float, seed: int) -> list[Any]:
    """Return ratings, some of them missing at random."""
    missing = np.random.default_rng(seed).random(len(ratings)) < proportion
    return [None if gone else rating for rating, gone in zip(ratings, missing.tolist())]


def make_columns(n: int) -> Columns:
    """Return grades of diabetic retinopathy as names, numbers, dates and other types."""
    left, right = datasets.load("diabetic_retinopathy").expand()
    random = np.random.default_rng(0)
    chosen = random.permutation(len(left))[:n]
    left, right = left[chosen], right[chosen]
    days = [datetime.date(2020, 2, 27) + datetime.timedelta(days=i) for i in range(5)]
    return {
        "left": with_gaps(GRADES[left].tolist(), 0.05, 1),
        "right": with_gaps(GRADES[right].tolist(), 0.04, 2),
        "left grade": with_gaps(left.tolist(), 0.05, 3),
        "right grade": right.tolist(),
        "left refer": with_gaps((left > 1).tolist(), 0.03, 4),
        "right refer": (right > 1).tolist(),
        "left day": with_gaps([days[i] for i in left], 0.03, 5),
        "right day": [days[i] for i in right],
        "items": random.integers(1, 5, n).tolist(),
        "importance": (random.integers(0, 9, n) / 4).tolist(),
        "clinic": with_gaps(random.choice(["north", "south", "east"], n).tolist(), 0.02, 6),
    }


def pandas_frame(columns: Columns) -> Any:
    """Return a typical pandas frame, in which numbers are floats if some are missing."""
    return pd.DataFrame(
        {
            name: pd.to_datetime(pd.Series(values)) if "day" in name else values
            for name, values in columns.items()
        }
    )


def arrow_table(columns: Columns) -> Any:
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def written(table: Any, folder: Path) -> Path:
    """Write a table to a folder, as three Parquet files."""
    folder.mkdir(parents=True, exist_ok=True)
    third = -(-len(table) // 3)
    for i in range(3):
        parquet.write_table(table.slice(i * third, third), folder / f"part-{i}.parquet")
    return folder


def written_csv(table: Any, folder: Path) -> Path:
    csv.write_csv(table, folder / "ratings.csv")
    return folder / "ratings.csv"


def written_arrow(table: Any, folder: Path) -> Path:
    with pa.ipc.new_file(folder / "ratings.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=500)
    return folder / "ratings.arrow"


def categorical(columns: Columns) -> Any:
    frame = pandas_frame(columns)
    return frame.assign(**{name: frame[name].astype("category") for name in ("left", "right")})


def nullable(columns: Columns) -> Any:
    return pandas_frame(columns).convert_dtypes()


def objects(columns: Columns) -> Any:
    frame = pandas_frame({n: v for n, v in columns.items() if "day" not in n}).astype(object)
    return frame.assign(**{n: pd.Series(v, dtype=object) for n, v in columns.items() if "day" in n})


def enums(columns: Columns) -> Any:
    # Declare the alphabetical order, which engines use if no order is declared.
    grades = pl.Enum(sorted(GRADES.tolist()))
    frame = pl.DataFrame(columns)
    return frame.with_columns(pl.col("left").cast(grades), pl.col("right").cast(pl.Categorical))


def relation(columns: Columns) -> Any:
    return duckdb.connect().from_arrow(arrow_table(columns))


def dictionaries(columns: Columns) -> Any:
    table = arrow_table(columns)
    for name in ("left", "right", "left grade"):
        i = table.column_names.index(name)
        table = table.set_column(i, name, table.column(name).dictionary_encode())
    return table


def dask_frame(columns: Columns) -> Any:
    frame = pandas_frame(columns)
    if "left refer" in frame:
        # Dask reads a column of objects as strings, even if it contains True.
        frame["left refer"] = frame["left refer"].astype("boolean")
    return dd.from_pandas(frame, npartitions=4)


def dask_arrays(columns: Columns) -> Any:
    da = library("dask.array")
    frame = pandas_frame(columns)
    chunks = {"left": 700, "right grade": 900}
    return {name: da.from_array(frame[name].to_numpy(), chunks.get(name, 1000)) for name in frame}


SOURCES: dict[str, Callable[[Columns, Path], Any]] = {
    "pandas": lambda columns, _: pandas_frame(columns),
    "pandas, categories": lambda columns, _: categorical(columns),
    "pandas, nullable types": lambda columns, _: nullable(columns),
    "pandas, objects": lambda columns, _: objects(columns),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "polars, enums": lambda columns, _: enums(columns),
    "polars, lazy": lambda columns, _: pl.LazyFrame(columns),
    "pyarrow table": lambda columns, _: arrow_table(columns),
    "pyarrow table, dictionaries": lambda columns, _: dictionaries(columns),
    "pyarrow batch": lambda columns, _: arrow_table(columns).combine_chunks().to_batches()[0],
    "pyarrow reader": lambda columns, _: arrow_table(columns).to_reader(max_chunksize=321),
    "pyarrow dataset": lambda columns, folder: dataset.dataset(
        written(arrow_table(columns), folder / "parts")
    ),
    "DuckDB": lambda columns, _: relation(columns),
    "Dask": lambda columns, _: dask_frame(columns),
    "Dask arrays": lambda columns, _: dask_arrays(columns),
    "mapping": lambda columns, _: pandas_frame(columns).to_dict("series"),
    "Parquet folder": lambda columns, folder: written(arrow_table(columns), folder / "parts"),
    "CSV file": lambda columns, folder: str(written_csv(arrow_table(columns), folder)),
    "Arrow file": lambda columns, folder: written_arrow(arrow_table(columns), folder),
}
COLUMNS = make_columns(4000)


def expected(
    y1: str, y2: str, *, weight: str | None = None, where: Any = None, labels: Any = None
) -> dict[str, Any]:
    """Return the kernels' counts of plain lists without the missing ratings."""
    rows = [i for i in range(len(COLUMNS[y1])) if where is None or COLUMNS["clinic"][i] == where[0]]
    complete = [i for i in rows if COLUMNS[y1][i] is not None and COLUMNS[y2][i] is not None]

    def column(name: str) -> Any:
        taken = [COLUMNS[name][i] for i in complete]
        return np.array(taken, "datetime64[D]") if "day" in name else taken

    counts = confusion_counts(
        column(y1),
        column(y2),
        labels=labels,
        sample_weight=None if weight is None else column(weight),
    )
    missing = tuple(sum(COLUMNS[name][i] is None for i in rows) for name in (y1, y2))
    return {
        "table": counts.table,
        "labels": counts.labels,
        "n_outside": counts.n_outside,
        "n_rows": len(rows),
        "missing": missing,
        "n_dropped": len(rows) - len(complete),
    }


def assert_same(counts: Any, wanted: dict[str, Any]) -> None:
    assert counts.table.dtype == wanted["table"].dtype
    assert counts.table.tolist() == wanted["table"].tolist()
    assert counts.labels.dtype.kind == wanted["labels"].dtype.kind
    assert counts.labels.tolist() == wanted["labels"].tolist()
    for name in ("n_outside", "n_rows", "missing", "n_dropped"):
        assert getattr(counts, name) == wanted[name], name
