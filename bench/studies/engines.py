"""Compare counting in all engines, and measure the cost of files larger than memory.

    python -m bench.studies.engines [--quick] [--only engines|files|grouping]
    python -m bench.studies.engines --only grouping [--rows N] [--format csv|parquet]

needs all engines: pip install '.[bench,test]'.

First, all engines count the same 10 million rows of ratings, as strings and as integers, some of
them missing. The tables must be equal to those of the kernels. If an engine could group the ratings
but fastkappa uses its kernels instead, the time of grouping is also printed. Second, counting
Parquet files with two columns and 100 million rows is compared with only reading them. The peak
memory is that of a new process, minus its memory after the imports. The files are in a temporary
folder, which is removed at the end. Third, counting Parquet and CSV files with two columns is
compared with grouping by polars and DuckDB, both in this process and in new processes. Counting
should be at least as fast. If it is not, the time of grouping relative to reading is also printed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet

from bench.harness import machine, results, timing
from fastkappa import confusion_counts, confusion_from_source

GRADES = ["none", "mild", "moderate", "severe", "proliferative"]
PROPORTIONS = [0.733, 0.07, 0.153, 0.025, 0.019]
AGREEMENT = 0.87
MISSING = 0.02
CHUNK = 1 << 20
MOST_MEMORY = 300e6
LONGEST = 1.3


def gradings(n: int, seed: int) -> tuple[Any, Any]:
    """Return two raters' grades, distributed like grades of diabetic retinopathy."""
    random = np.random.default_rng(seed)
    bounds = np.cumsum(PROPORTIONS)[:-1]
    left, other = (np.searchsorted(bounds, random.random(n)).astype(np.uint8) for _ in range(2))
    return left, np.where(random.random(n) < AGREEMENT, left, other)


def write(path: Path, n: int, *, as_strings: bool) -> np.ndarray[Any, Any]:
    """Write two columns to a Parquet file, and return the table of counts of their pairs."""
    table = np.zeros((5, 5), np.int64)
    writer = None
    for start in range(0, n, CHUNK):
        pair = gradings(min(CHUNK, n - start), start)
        table += confusion_counts(*pair, labels=range(5)).table
        columns = {name: pa.array(column) for name, column in zip(("left", "right"), pair)}
        if as_strings:
            columns = {
                name: pa.DictionaryArray.from_arrays(codes, GRADES)
                for name, codes in columns.items()
            }
        rows = pa.table(columns)
        writer = writer or parquet.ParquetWriter(path, rows.schema)
        writer.write_table(rows)
    assert writer is not None
    writer.close()
    return table


def read_and_discard(path: Path, *, as_strings: bool) -> int:
    """Read both columns in batches, without decoding dictionaries."""
    strings = ["left", "right"] if as_strings else []
    with parquet.ParquetFile(path, read_dictionary=strings) as file:
        return sum(map(len, file.iter_batches(CHUNK // 4, columns=["left", "right"])))


PEAK = """
import sys
import duckdb, narwhals, pandas, polars, pyarrow.dataset, pyarrow.parquet
from bench.harness.memory import peak_above
from fastkappa import confusion_from_source
import fastkappa.sources
print(peak_above(lambda: confusion_from_source(sys.argv[1], "left", "right")))
"""


def measure_file(path: Path, n: int, *, as_strings: bool, rounds: int) -> dict[str, Any]:
    """Return the peak memory for counting a file, and the time relative to reading it."""
    table = write(path, n, as_strings=as_strings)
    counts = confusion_from_source(path, "left", "right")
    by_grade = np.argsort(GRADES) if as_strings else np.arange(5)
    assert (counts.table == table[np.ix_(by_grade, by_grade)]).all()
    calls: dict[str, Callable[[], Any]] = {
        "read": lambda: read_and_discard(path, as_strings=as_strings),
        "count": lambda: confusion_from_source(path, "left", "right"),
    }
    samples = timing.measure(calls, rounds)
    ratio = samples.ratio("count", "read")
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(path)], check=True, capture_output=True, text=True
    )
    return {
        "rows": n,
        "megabytes": path.stat().st_size / 1e6,
        "seconds": float(np.median(samples.seconds["count"])),
        "ratio": ratio._asdict(),
        "peak": int(done.stdout),
    }


FORMATS = ("csv", "parquet")
GROUPED = {
    "fastkappa": "import fastkappa; fastkappa.confusion_from_source({path!r}, 'left', 'right')",
    "polars": "import polars; polars.scan_{kind}({path!r}).group_by('left', 'right')"
    ".len().collect()",
    "DuckDB": "import duckdb; duckdb.connect().execute("
    "'SELECT \"left\", \"right\", count(*) FROM \\'{path}\\' GROUP BY ALL').fetchall()",
}
# Programs that only read a file, with the readers that fastkappa uses. Their times are lower bounds
# for counting.
READING = {
    "csv": "import pyarrow.csv; pyarrow.csv.read_csv({path!r})",
    "parquet": "import pyarrow.parquet; pyarrow.parquet.ParquetFile({path!r}).read()",
}


def grouping_files(folder: Path, n: int, formats: Collection[str]) -> Iterator[Path]:
    """Write the same ratings as numbers and as strings in these formats, and yield each path."""
    codes = [column.astype(np.int64) for column in gradings(n, 0)]
    for name in ("numbers", "strings"):
        columns = codes if name == "numbers" else [np.array(GRADES)[column] for column in codes]
        rows = pa.table(dict(zip(("left", "right"), map(pa.array, columns))))
        for dictionary in (True, False) if "parquet" in formats else ():
            encoded = "dictionary" if dictionary else "plain"
            path = folder / f"{name} {encoded}.parquet"
            parquet.write_table(rows, path, use_dictionary=dictionary)
            yield path
            path.unlink()
        if "csv" in formats:
            path = folder / f"{name}.csv"
            csv.write_csv(rows, path, csv.WriteOptions(quoting_style="none"))
            yield path
            path.unlink()


def compare_grouping(
    n: int, folder: Path, rounds: int, formats: Collection[str]
) -> list[dict[str, Any]]:
    """Compare counting files with grouping by polars and DuckDB, in this and in new processes."""
    rows = []
    for path in grouping_files(folder, n, formats):
        kind = path.suffix[1:]
        codes = {
            name: code.format(path=str(path), kind=kind)
            for name, code in {**GROUPED, "reading": READING[kind]}.items()
        }
        warm = {name: partial(exec, code, {}) for name, code in codes.items()}
        # An installed package has compiled bytecode. To make the comparison fair, the first process
        # writes the bytecode of fastkappa.
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
        fresh = {
            name: partial(subprocess.run, [sys.executable, "-c", code], check=True, env=environment)
            for name, code in codes.items()
        }
        for start, calls in (("warm", warm), ("fresh process", fresh)):
            samples = timing.measure(calls, rounds)
            row: dict[str, Any] = {"file": path.name, "rows": n, "start": start}
            words = []
            for name in ("polars", "DuckDB"):
                ratio = samples.ratio(name, "fastkappa")
                least = samples.ratio(name, "reading")
                row[name] = {**ratio._asdict(), "reading": least._asdict()}
                words.append(
                    f"{name} {ratio.median:.2f} [{ratio.lower:.2f}, {ratio.upper:.2f}]"
                    + (f" NOT MET ({least.median:.2f} x reading)" if ratio.median < 1 else "")
                )
            rows.append(row)
            print(f"  {path.name:<28}{start:<14}{', '.join(words)} x fastkappa", flush=True)
    return rows


def frames(n: int) -> Any:
    """Return a pandas DataFrame with ratings as strings and as numbers, some of them missing."""
    pandas = importlib.import_module("pandas")
    random = np.random.default_rng(1)
    left, right = gradings(n, 0)
    columns: dict[str, Any] = {}
    for name, codes in (("left", left), ("right", right)):
        gone = random.random(n) < MISSING
        names = np.array(GRADES, object)[codes]
        names[gone] = None
        columns[name] = names
        columns[f"{name} grade"] = np.where(gone, np.nan, codes)
    return pandas.DataFrame(columns)


def engines(frame: Any, folder: Path) -> Iterator[tuple[str, Any, bool]]:
    """Yield the name of each engine, its ratings, and whether narwhals could group them."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    yield "pandas", frame, True
    polars = importlib.import_module("polars")
    yield "polars", polars.from_arrow(table), True
    yield "polars, lazy", polars.from_arrow(table).lazy(), False
    yield "pyarrow", table, True
    # The following engines usually read from files, so their ratings are in a Parquet file.
    parquet.write_table(table, folder / "ratings.parquet")
    yield "Parquet file", folder / "ratings.parquet", False
    duckdb = importlib.import_module("duckdb")
    yield "DuckDB", duckdb.connect().read_parquet(str(folder / "ratings.parquet")), False
    with importlib.import_module("distributed").LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        dask = importlib.import_module("dask.dataframe")
        with cluster.get_client():
            # Dask creates one partition per row group.
            parquet.write_table(table, folder / "split.parquet", row_group_size=len(frame) // 8 + 1)
            yield "Dask", dask.read_parquet(folder / "split.parquet", split_row_groups=True), True
    session = importlib.import_module("pyspark.sql").SparkSession
    builder = session.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name in ("spark.driver.bindAddress", "spark.driver.host"):
        builder = builder.config(name, "127.0.0.1")
    spark = builder.config("spark.log.level", "ERROR").getOrCreate()
    yield "Spark", spark.read.parquet(str(folder / "ratings.parquet")), False
    spark.stop()


def group(source: Any, pair: tuple[str, str]) -> int:
    """Group the ratings by pair in the engine, through narwhals."""
    narwhals = importlib.import_module("narwhals")
    frame = narwhals.from_native(source).lazy()
    return len(frame.group_by(*pair).agg(narwhals.len()).collect())


def compare(n: int, folder: Path, rounds: int) -> list[dict[str, Any]]:
    """Time counting the same ratings in every engine, and check the tables."""
    frame = frames(n)
    pairs = (("left", "right"), ("left grade", "right grade"))
    expected = {}
    for pair in pairs:
        complete = frame[list(pair)].dropna()
        expected[pair] = confusion_counts(*(complete[name] for name in pair))
    rows = []
    for engine, source, groups in engines(frame, folder):
        for pair in pairs:
            calls: dict[str, Callable[[], Any]] = {
                "count": lambda: confusion_from_source(source, *pair)  # noqa: B023
            }
            if groups:
                calls["group"] = lambda: group(source, pair)  # noqa: B023
            samples = timing.measure(calls, rounds)
            counts = samples.results["count"]
            assert (counts.table == expected[pair].table).all(), engine
            assert counts.labels.tolist() == expected[pair].labels.tolist(), engine
            assert counts.n_rows == n
            assert counts.missing == tuple(int(frame[name].isna().sum()) for name in pair)
            row: dict[str, Any] = {"engine": engine, "columns": pair[0]}
            row |= {name: float(np.median(taken)) for name, taken in samples.seconds.items()}
            rows.append(row)
            beside = f"{row['group']:.3f} s by its own grouping" if groups else ""
            kind = "numbers" if "grade" in pair[0] else "strings"
            print(f"  {engine:<14}{kind:<10}{row['count']:>8.3f} s   {beside}", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--only", choices=["engines", "files", "grouping"], help="a part")
    parser.add_argument("--rows", type=int, help="rows in the files to group")
    parser.add_argument("--format", choices=FORMATS, help="format of the files to group")
    arguments = parser.parse_args()
    scale, rounds = (10, 3) if arguments.quick else (1, 7)
    measured: dict[str, Any] = {"machine": machine.announce()}
    with tempfile.TemporaryDirectory() as folder:
        if arguments.only in (None, "engines"):
            n = 10**7 // scale
            print(f"{n} rows, {MISSING:.0%} missing in each column: all tables are equal")
            measured["engines"] = compare(n, Path(folder), 3)
        if arguments.only in (None, "grouping"):
            measured["grouping"] = []
            sizes = [10**6] if arguments.quick else [10**6, 10**7]
            formats = [arguments.format] if arguments.format else FORMATS
            for n in [arguments.rows] if arguments.rows else sizes:
                print(f"files of {n} rows, grouped by engines; the target is at least 1")
                measured["grouping"] += compare_grouping(n, Path(folder), rounds, formats)
        if arguments.only in (None, "files"):
            n = 10**8 // scale
            measured["files"] = {}
            for kind in ("uint8", "dictionary"):
                path = Path(folder, f"{kind}.parquet")
                file = measure_file(path, n, as_strings=kind == "dictionary", rounds=rounds)
                measured["files"][kind] = file
                met = file["peak"] <= MOST_MEMORY and file["ratio"]["median"] <= LONGEST
                print(
                    f"Parquet, {n} rows, two {kind} columns ({file['megabytes']:.0f} MB):"
                    f" {file['seconds']:.2f} s, {file['ratio']['median']:.2f}"
                    f" [{file['ratio']['lower']:.2f}, {file['ratio']['upper']:.2f}] × reading,"
                    f" peak {file['peak'] / 1e6:.0f} MB: {'met' if met else 'NOT MET'}"
                )
    results.write("engines", measured)


if __name__ == "__main__":
    main()
