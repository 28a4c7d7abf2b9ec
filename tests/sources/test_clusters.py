"""Counting on real clusters: Dask processes, one of which dies, and Spark."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import Ratings, confusion_counts, confusion_from_source
from tests.helpers.absent import library
from tests.helpers.backends import IN_CI
from tests.helpers.engine_sources import (
    COLUMNS,
    SOURCES,
    arrow_table,
    assert_same,
    expected,
    written,
)

dask = library("dask")
distributed = library("distributed")

# Starting the processes takes longer than all tests of sources.
pytestmark = pytest.mark.slow
N_CHUNKS, CHUNK = 40, 1000
PATIENCE = 60


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Start two worker processes with one thread each."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    environment = dict(os.environ)
    with (
        distributed.LocalCluster(**options, dashboard_address=":0", silence_logs=50) as started,
        distributed.Client(started) as client,
    ):
        yield client
    # Dask leaves its workers' settings in this process: OMP_NUM_THREADS is 1.
    os.environ.clear()
    os.environ.update(environment)


def slow_chunk(seed: int, log: Path) -> Any:
    """Return ratings after a delay, and record every attempt to compute them."""
    (log / f"{seed}-{os.getpid()}-{time.time_ns()}").touch()
    time.sleep(0.03)
    return np.random.default_rng(seed).integers(5, size=CHUNK)


def traces(log: Path) -> list[list[str]]:
    """Return the seed, process and time of each attempt."""
    return [path.name.split("-") for path in log.iterdir()]


def slow_column(first_seed: int, log: Path) -> Any:
    da = library("dask.array")
    make = dask.delayed(slow_chunk, pure=False)
    chunks = [make(first_seed + i, log) for i in range(N_CHUNKS)]
    return da.concatenate([da.from_delayed(chunk, (CHUNK,), np.int64) for chunk in chunks])


def test_dask_counts_in_its_workers(cluster: Any) -> None:
    for name in ("Dask", "Dask arrays"):
        source = SOURCES[name](COLUMNS, Path())
        assert_same(confusion_from_source(source, "left", "right"), expected("left", "right"))
        groups = confusion_from_source(source, "left grade", "right grade", group="clinic")
        assert_same(groups["east"], expected("left grade", "right grade", where=["east"]))


def test_a_worker_is_killed_in_the_middle(cluster: Any, tmp_path: Path) -> None:
    workers = list(cluster.run(os.getpid).values())
    assert len(set(workers) - {os.getpid()}) == 2
    source = {"left": slow_column(0, tmp_path), "right": slow_column(1000, tmp_path)}
    results: list[Any] = []
    counting = threading.Thread(
        target=lambda: results.append(confusion_from_source(source, "left", "right"))
    )
    counting.start()
    started = time.monotonic()
    while len(list(tmp_path.iterdir())) < N_CHUNKS and time.monotonic() < started + PATIENCE:
        time.sleep(0.005)
    # The worker that began last has an unfinished task.
    killed = int(max(traces(tmp_path), key=lambda trace: int(trace[2]))[1])
    os.kill(killed, signal.SIGKILL)
    assert killed in workers
    assert not results, "the worker was to be killed before the end"
    counting.join(PATIENCE)
    left, right = (
        np.concatenate(
            [np.random.default_rng(seed + i).integers(5, size=CHUNK) for i in range(N_CHUNKS)]
        )
        for seed in (0, 1000)
    )
    (counts,) = results
    assert counts.table.tolist() == confusion_counts(left, right).table.tolist()
    # Another worker computed the tasks of the dead worker again.
    assert len(traces(tmp_path)) > 2 * N_CHUNKS


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """Start Spark on this machine; it is a Java program."""
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        reason = "Spark needs Java, and there is none: install a JRE of version 17 or later"
        assert not IN_CI, reason
        pytest.skip(reason)
    builder = sql.SparkSession.builder.master("local[2]").appName("fastkappa tests")
    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "ERROR",
    }
    for name, value in options.items():
        builder = builder.config(name, value)
    with pytest.MonkeyPatch.context() as patch:
        # Otherwise Spark would start its workers with the first python3 on the path.
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        session = builder.getOrCreate()
        yield session
        session.stop()


@pytest.mark.filterwarnings("ignore:.*pandas.*:UserWarning", "ignore:.*:DeprecationWarning")
def test_spark_counts_by_itself(spark: Any, tmp_path: Path) -> None:
    frame = spark.read.parquet(str(written(arrow_table(COLUMNS), tmp_path / "parts")))
    for pair in (("left", "right"), ("left grade", "right grade"), ("left day", "right day")):
        assert_same(confusion_from_source(frame, *pair), expected(*pair))
    for weight in ("items", "importance"):
        groups = confusion_from_source(frame, "left", "right", sample_weight=weight, group="clinic")
        assert list(groups) == ["east", "north", "south", None]
        for clinic, counts in groups.items():
            wanted = expected("left", "right", weight=weight, where=[clinic])
            assert_same(counts, wanted | {"labels": counts.labels})
    with pytest.raises(ValueError, match=r"has no column 'lefft'.*'left'"):
        confusion_from_source(frame, "lefft", "right")
    with pytest.raises(ValueError, match="ratings must be whole numbers"):
        confusion_from_source(frame, "importance", "importance")


@pytest.mark.filterwarnings("ignore:.*pandas.*:UserWarning", "ignore:.*:DeprecationWarning")
def test_spark_sends_ratings_in_long_form(spark: Any) -> None:
    rows = [("a", "Ann", 1), ("a", "Ben", 2), ("b", "Ann", 1), ("b", "Ben", 1), ("b", "Cat", None)]
    frame = spark.createDataFrame(rows, "item string, who string, y int")
    found = Ratings.from_long(frame, item="item", rater="who", rating="y")
    assert (found.n_subjects, found.rater_names) == (2, ("Ann", "Ben", "Cat"))
    assert (found.n_missing, found.labels.tolist()) == (2, [1, 2])


def test_missing_numbers_are_no_label_on_spark(spark: Any) -> None:
    """To Spark, NaN and null differ; neither is a rating."""
    rows = [(1.0, 1.0), (float("nan"), 2.0), (None, 2.0), (2.0, 2.0)]
    counts = confusion_from_source(spark.createDataFrame(rows, "a double, b double"), "a", "b")
    assert counts.labels.tolist() == [1, 2]
    assert (counts.missing, counts.n_dropped) == ((2, 0), 2)
