"""Run checks that take too long for tests: 2**31 items, a million calls, too little memory.

    python ci/endurance.py [items] [calls] [compiled] [memory]

runs the named parts, or all parts. `make endurance` runs it.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fastkappa
from fastkappa.accumulator.accumulator import ConfusionAccumulator
from fastkappa.kernels.dispatch import BACKENDS, why_missing

N_ITEMS = (1 << 31) + 5
N_CALLS = int(os.environ.get("ENDURANCE_CALLS", "1000000"))
# The number of bytes that a million calls may leave allocated: less than one byte per call.
MOST_LEFT = 900_000
# The number of blocks for Python objects that a million calls may leave allocated.
MOST_BLOCKS_LEFT = 1000


def items() -> None:
    """Count 2**31 + 5 items, with some different items after the 2**31st."""
    with tempfile.TemporaryDirectory() as folder:
        # A sparse file needs no disk space, and all its bytes are 0.
        path = Path(folder) / "ratings"
        with open(path, "wb") as file:
            file.truncate(N_ITEMS)
        first: Any = np.memmap(path, np.uint8, "r+", shape=(N_ITEMS,))
        first[-3:] = [1, 2, 2]
        for second in (first, np.broadcast_to(np.uint8(2), N_ITEMS)):
            for backend in [name for name in BACKENDS if why_missing(name) is None]:
                expected = np.zeros((3, 3), np.int64)
                np.add.at(expected, ([0, 1, 2], [0, 1, 2]), [N_ITEMS - 3, 1, 2])
                if second is not first:
                    expected = np.zeros((3, 3), np.int64)
                    expected[:, 2] = [N_ITEMS - 3, 1, 2]
                for labels in (None, [0, 1, 2]):
                    counts = fastkappa.confusion_counts(
                        first, second, labels=labels, backend=backend
                    )
                    assert (counts.table == expected).all(), (backend, labels, counts.table)
                    print(f"{N_ITEMS} items: {backend}, labels {labels}: right", flush=True)
    # Every item has the weight 2**32, so the sum does not fit into int64.
    zeros = np.broadcast_to(np.uint8(0), N_ITEMS)
    weights = np.broadcast_to(np.int64(1 << 32), N_ITEMS)
    try:
        fastkappa.confusion_counts(zeros, zeros, sample_weight=weights)
    except OverflowError:
        print(f"{N_ITEMS} weights of 2**32: rejected, because their sum exceeds int64", flush=True)
    else:
        raise AssertionError("a sum that exceeds int64 was returned")


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def calls() -> None:
    """Make N_CALLS valid and invalid calls in total, and check that memory does not grow."""
    rng = np.random.default_rng(0)
    y1, y2 = rng.integers(0, 4, (2, 50))
    words = np.array(["a", "b", "c", "d"])
    scores = y1 + rng.normal(size=50)
    evaluator = fastkappa.ThresholdEvaluator(y1, scores)
    scorer = fastkappa.compile_scorer([0, 1, 2, 3])
    accumulator = ConfusionAccumulator()
    nan = np.full(50, np.nan)
    each: dict[str, Callable[[], Any]] = {
        "cohen_kappa_score": lambda: fastkappa.cohen_kappa_score(y1, y2),
        "of other lengths": lambda: fastkappa.cohen_kappa_score(y1, y2[:-1]),
        "of no labels": lambda: fastkappa.cohen_kappa_score(nan, y2),
        "of an odd type": lambda: fastkappa.cohen_kappa_score(y1, y2.astype(complex)),
        "of strings": lambda: fastkappa.cohen_kappa_score(words[y1], words[y2]),
        "confusion_counts": lambda: fastkappa.confusion_counts(y1, y2, sample_weight=scores**2),
        "outside the labels": lambda: scorer(y1, y2 + 9),
        "compile_scorer": lambda: scorer(y1, y2),
        "ThresholdEvaluator": lambda: evaluator([0.5, 1.5, 2.5]),
        "of two thresholds": lambda: evaluator([0.5, 1.5]),
        "optimal_thresholds": lambda: fastkappa.optimal_thresholds(y1, scores),
        "of scores that are NaN": lambda: fastkappa.optimal_thresholds(y1, nan),
        "ConfusionAccumulator": lambda: accumulator.update(y1, y2),
        "wrong JSON": lambda: ConfusionAccumulator.from_json('{"version": 1}'),
    }

    call_often(each, N_CALLS // len(each))


def compiled() -> None:
    """Call each compiled function N_CALLS times, with valid and invalid arguments."""
    from compiled_calls import compiled_calls

    call_often(compiled_calls(), N_CALLS)


def call_often(each: dict[str, Callable[[], Any]], times: int) -> None:
    """Call each function this many times, and check that memory does not grow."""

    def call(function: Callable[[], Any], times: int) -> bool:
        raised = False
        for _ in range(times):
            try:
                function()
            except (TypeError, ValueError):
                raised = True
        return raised

    warnings.simplefilter("ignore")
    for function in each.values():
        call(function, 2000)
    before = resident()
    for name, function in each.items():
        start, blocks = resident(), sys.getallocatedblocks()
        raised = call(function, times)
        left, blocks = resident() - start, sys.getallocatedblocks() - blocks
        outcome = "rejected" if raised else "accepted"
        print(f"{times} calls, {name}, {outcome}: {left:+} bytes, {blocks:+} objects", flush=True)
        assert blocks < MOST_BLOCKS_LEFT, (name, blocks)
    left = resident() - before
    print(f"{times * len(each)} calls left {left} bytes")
    assert left < MOST_LEFT, left


HUNGRY = """
import resource, sys
import numpy as np
import fastkappa
from fastkappa.kernels.threads import run_in_threads
rng = np.random.default_rng(0)
n = 400_000
y1, y2 = rng.integers(0, 1500, (2, n)).astype(np.int64)
words = np.array([f"label {i}" for i in range(1500)])[y1]
scores = y1 + rng.normal(size=n)
sparse = y1 * 10**9
calls = {
    "pairs": lambda: fastkappa.confusion_counts(y1, y2),
    "weights": lambda: fastkappa.confusion_counts(y1, y2, sample_weight=scores**2),
    "strings": lambda: fastkappa.confusion_counts(words, words),
    "sparse": lambda: fastkappa.confusion_counts(sparse, sparse),
    "thresholds": lambda: fastkappa.optimal_thresholds(y1 % 5, scores),
    "evaluator": lambda: fastkappa.ThresholdEvaluator(y1 % 5, scores),
    "report": lambda: fastkappa.agreement(y1 % 5, y2 % 5),
    "predictions": lambda: fastkappa.score_many(y1 % 7, np.stack([y2 % 7] * 20, axis=1)),
    "accumulator": lambda: (total.update(y1, y2), total.update(y2 + 1, sparse)),
}
total = fastkappa.ConfusionAccumulator()
total.update(y1[:50] % 5, y2[:50] % 5)
call = calls[sys.argv[1]]
if sys.argv[2] == "threads":
    run_in_threads(lambda ranges: None, 2, 2)
# What is imported when it is first used is not what is meant.
few = slice(0, 50)
fastkappa.confusion_counts(words[few], words[few], sample_weight=scores[few])
fastkappa.ThresholdEvaluator(y1[few] % 5, scores[few])
fastkappa.optimal_thresholds(y1[few] % 5, scores[few])
fastkappa.agreement(y1[few] % 5, y2[few] % 5)
fastkappa.score_many(y1[few] % 7, np.stack([y2[few] % 7] * 20, axis=1))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    call()
except MemoryError:
    print("MemoryError")
except RuntimeError as error:
    # No thread can be started: that takes memory too.
    print("MemoryError" if "thread" in str(error) else repr(error))
else:
    print("enough")
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
# A batch is counted as a whole or not at all, or there are no counts any more.
try:
    assert total.counts().table.sum() in (50, 50 + n, 50 + 2 * n), total
except RuntimeError as error:
    assert "cut short by MemoryError" in str(error)
    total = fastkappa.ConfusionAccumulator()
call()
"""


FUNCTIONS = (
    "pairs",
    "weights",
    "strings",
    "sparse",
    "thresholds",
    "evaluator",
    "report",
    "predictions",
    "accumulator",
)


def memory() -> None:
    """Call functions with too little memory. They must raise MemoryError and still work later."""
    for name in FUNCTIONS:
        found = []
        for left in (0, 1 << 16, 1 << 19, 1 << 21, 1 << 23, 1 << 25, 1 << 28):
            done = subprocess.run(
                [sys.executable, "-c", HUNGRY, name, "threads", str(left)],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, (name, left, done.returncode, done.stderr[-2000:])
            found.append(done.stdout.strip())
            assert found[-1] in ("MemoryError", "enough"), (name, left, found)
        print(f"{name}, with more and more memory: {', '.join(found)}", flush=True)


if __name__ == "__main__":
    parts = {"items": items, "calls": calls, "compiled": compiled, "memory": memory}
    for part in sys.argv[1:] or parts:
        parts[part]()
