"""Counting does not copy its input, and allocates no other array of that size."""

from __future__ import annotations

import os
from typing import Any

import pytest

from fastkappa import confusion_counts
from tests.helpers.fresh_python import run_python

N = 20_000_000
# Less than one byte per item in addition to the inputs, which mostly have eight bytes per item.
# With two threads, most counts allocate 1 to 5 million bytes; a busy machine once showed 10.5
# million. Each further thread has tables and chunks of its own, up to 2 million bytes.
LIMIT = 16_000_000

pytestmark = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK),
    reason="peak memory is reset and read through Linux's /proc/self",
)

# Every case first counts a few items, so that loading and compiling are not included in the
# memory of the count. The peak is then reset to the memory in use. Pages of files, such as
# libraries, are loaded and released by the system, so they are not counted.
CODE = """
import gc, sys, warnings
import numpy as np
from fastkappa import cohen_kappa_score, confusion_counts

# Columns in opposite order are warned of.
warnings.simplefilter("ignore")

def memory(name):
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(name + ":"):
                return int(line.split()[1]) * 1024

n, n_labels, dtype, layout = {n}, {n_labels}, {dtype!r}, {layout!r}
backend, options = {backend!r}, {options}
pattern = (np.arange(n_labels) * 7 % n_labels).astype(dtype)
wide = np.resize(pattern, n if layout != "strided" else 2 * n)
y1 = wide[::2] if layout == "strided" else wide
y2 = y1[::-1]
if options.pop("weighted", False):
    options["sample_weight"] = y1
for part in (slice(0, 10), slice(0, 700_000)):
    less = dict(options)
    if "sample_weight" in options:
        less["sample_weight"] = y1[part]
    confusion_counts(y1[part], y2[part], backend=backend, **less)
gc.collect()
with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")
before, of_files = memory("VmRSS"), memory("RssFile")
counts = confusion_counts(y1, y2, backend=backend, **options)
print(memory("VmHWM") - before - max(0, memory("RssFile") - of_files))
assert counts.table.shape == (n_labels, n_labels)
if "sample_weight" not in options:
    assert counts.table.sum() == n
"""

CASES = {
    "int64": (5, "int64", "contiguous", {}),
    "int64, one thread": (5, "int64", "contiguous", {"num_threads": 1}),
    "int64, 256 labels": (256, "int64", "contiguous", {}),
    "int64, labels given": (5, "int64", "contiguous", {"labels": [4, 3, 2, 1, 0]}),
    "int64, weighted": (5, "int64", "contiguous", {"weighted": True}),
    "strided": (5, "int64", "strided", {}),
    "big endian": (5, ">i8", "contiguous", {}),
    "float64": (5, "float64", "contiguous", {}),
    "uint8, 256 labels": (256, "uint8", "contiguous", {}),
}


def peak_above_inputs(
    code: str, backend: str, case: str, n: int, OMP_NUM_THREADS: str = "2"
) -> int:
    n_labels, dtype, layout, options = CASES[case]
    code = code.format(
        n=n, n_labels=n_labels, dtype=dtype, layout=layout, backend=backend, options=options
    )
    return int(run_python(code, MALLOC_ARENA_MAX="2", OMP_NUM_THREADS=OMP_NUM_THREADS))


@pytest.mark.every(10)
@pytest.mark.parametrize("case", CASES)
def test_peak_above_the_inputs(backend: str, case: str) -> None:
    assert peak_above_inputs(CODE, backend, case, N) < LIMIT


def test_the_measure_sees_a_copy() -> None:
    """The limit would be useless if an array of n items remained undetected."""
    code = CODE.replace(
        "counts = confusion_counts(y1, y2", "y1 = y1 + 0\ncounts = confusion_counts(y1, y2"
    )
    assert peak_above_inputs(code, "numpy", "int64", N // 2) > N // 2 * 8 * 0.9


def test_large_tables_do_not_multiply_with_the_cores() -> None:
    """With 2,000 labels, 16 threads would need 16 tables of 32 million bytes."""
    cores = "import os; os.sched_getaffinity = lambda pid: range({})"
    code = CODE.replace("{n_labels}", "2000")
    one, many = (
        peak_above_inputs(cores.format(n) + code, "numpy", "int64", N // 2, OMP_NUM_THREADS="")
        for n in (1, 16)
    )
    assert many < one + LIMIT // 2


def test_a_table_that_fits_in_no_memory_asks_for_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    def scatter(*_: Any) -> None:
        raise MemoryError("Unable to allocate")

    monkeypatch.setattr("fastkappa.tables.table.scatter", scatter)
    with pytest.raises(MemoryError, match="there are 3 different labels"):
        confusion_counts([0, 1, 2], [0, 1, 1])
