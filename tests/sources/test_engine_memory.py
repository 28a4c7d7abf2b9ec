"""Files larger than the available memory are counted by engines and by the package's reader."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fastkappa import confusion_counts

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

# The memory that a process may use, in addition to libraries and allocators.
LIMIT = 375_000_000
N_FILES = 16
ROWS = 1 << 22

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the limit is kept by Linux alone"
)

CODE = """
import re, resource, sys
from pathlib import Path
import pyarrow.parquet
{engine}
from fastkappa import confusion_from_source

folder = sys.argv[1]
taken = 1024 * int(re.search(r"VmData:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
resource.setrlimit(resource.RLIMIT_DATA, (taken + {limit},) * 2)
counts = {count}
print(counts.table.tolist(), counts.labels.tolist(), counts.missing)
"""

SOURCES = {
    "duckdb": "duckdb.sql(f\"select * from '{folder}/*.parquet'\")",
    "polars": "polars.scan_parquet(folder + '/*.parquet')",
    "pyarrow": "folder",
}
ENGINES = {name: f"import {name}" for name in SOURCES}
# Otherwise this text would be printed between the figures on slow machines.
ENGINES["duckdb"] += "; duckdb.sql('set enable_progress_bar = false')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[object, ...]]:
    """Make a folder larger than the limit, from one file under many names, and its table."""
    folder = tmp_path_factory.mktemp("large")
    random = np.random.default_rng(0)
    names = ["none", "mild", "moderate", "severe", "proliferative"]
    left = random.integers(0, 5, ROWS, dtype=np.int8)
    right = np.where(random.random(ROWS) < 0.7, left, random.integers(0, 5, ROWS, dtype=np.int8))
    missing = random.random(ROWS) < 0.01
    columns = {
        "left": pa.DictionaryArray.from_arrays(pa.array(left, mask=missing), names),
        "right": pa.DictionaryArray.from_arrays(pa.array(right), names),
        # Nobody reads these columns, as in most files.
        **{f"measurement {i}": pa.array(random.random(ROWS)) for i in range(2)},
    }
    table = pa.table({name: _plain(column) for name, column in columns.items()})
    options = {"compression": "none", "row_group_size": 1 << 18, "write_statistics": False}
    parquet.write_table(table, folder / "0.parquet", use_dictionary=["left", "right"], **options)
    for i in range(1, N_FILES):
        os.link(folder / "0.parquet", folder / f"{i}.parquet")
    assert sum(file.stat().st_size for file in folder.iterdir()) > 2 * LIMIT
    grades = np.array(names)
    counts = confusion_counts(grades[left[~missing]], grades[right[~missing]])
    expected = (counts.table * N_FILES).tolist(), counts.labels.tolist()
    return folder, (*expected, (N_FILES * int(missing.sum()), 0))


def _plain(column: object) -> object:
    """Return strings, the usual type of labels."""
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column


def limited(folder: Path, engine: str, count: str) -> subprocess.CompletedProcess[str]:
    code = CODE.format(limit=LIMIT, engine=ENGINES[engine], count=count)
    return subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        # Reserved memory would count even if unused, and each thread reserves some.
        env={
            **os.environ,
            "ARROW_DEFAULT_MEMORY_POOL": "system",
            "MALLOC_ARENA_MAX": "2",
            "POLARS_MAX_THREADS": "1",
        },
    )


@pytest.mark.parametrize(
    "engine",
    [pytest.param(name, marks=[pytest.mark.slow] * (name != "pyarrow")) for name in SOURCES],
)
def test_a_folder_larger_than_the_memory(engine: str, folder: tuple[Path, tuple[object]]) -> None:
    pytest.importorskip(engine)
    done = limited(folder[0], engine, f"confusion_from_source({SOURCES[engine]}, 'left', 'right')")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == " ".join(map(str, folder[1]))


@pytest.mark.slow
def test_the_limit_is_one(folder: tuple[Path, tuple[object]]) -> None:
    """Reading all data at once runs out of memory; otherwise, the test above would show nothing."""
    read = "pyarrow.parquet.read_table(folder, columns=['left', 'right'])"
    done = limited(folder[0], "pyarrow", read)
    assert done.returncode != 0
    assert "MemoryError" in done.stderr
