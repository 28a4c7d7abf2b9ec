"""Measure the speed for every dtype, number of items and number of labels.

    python -m bench.studies.sizes [--quick] [--only items|labels|rows]

prints medians and quartiles of ratios of interleaved timings. The drop-in function is compared with
`np.bincount`, a plain njit loop, and eff. Counting 16 to 256 evenly spread labels in one thread is
compared with that loop. The columns of a row-major table are compared with contiguous columns.

The loop and the bare kernel are given the labels, but the full count has to find them. All are
compared with a loop that only increments the counters (of 1 or 4 bytes, whichever is faster) of a
few pairs in the cache. A count with one increment per pair cannot be faster than this loop, or
faster than reading the ratings. FASTKAPPA_SIMD chooses the level.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from bench.harness import contenders, machine, reference
from bench.harness.bandwidth import reader
from bench.harness.cases import Case, make_ratings
from bench.harness.timing import Samples, Summary, measure, summary, time_call
from fastkappa import score_many
from fastkappa.kernels.cython import pairs
from fastkappa.kernels.threads import available_threads

ITEMS = (10**5, 10**6, 2 * 10**6, 10**7)
LABELS = (16, 24, 32, 64, 100, 128, 181, 256)
COLUMNS = (8, 12, 16, 24, 31, 32, 64, 100)
ROWS = 10**6
# The target for the plain loop's time divided by ours, if the labels are spread evenly.
TARGET = 1.3
PAIRS_IN_CACHE = 8192


def over_items(rounds: int) -> None:
    """Time kappa for a small number of labels with all threads."""
    for dtype in ("uint8", "int32", "int64"):
        for n in ITEMS:
            case = Case(n, dtype, 5)
            _against(case, "kappa", "fastkappa", rounds, available_threads())


def over_labels(rounds: int) -> None:
    """Time the counting of evenly spread labels in one thread."""
    own = contenders.fastkappa_name("cython", 1)
    for dtype in ("uint8", "int32", "int64"):
        for n_labels in LABELS:
            if dtype != "int64" or n_labels <= 128:
                case = Case(10**7, dtype, n_labels, "uniform")
                _against(case, "table", own, rounds, 1, with_floor=True)


def _against(
    case: Case, gives: str, own: str, rounds: int, threads: int, *, with_floor: bool = False
) -> None:
    y1, y2 = make_ratings(case)
    table = reference.count(case, y1, y2)
    calls = {}
    for name in (own, "njit loop", "np.bincount"):
        contender = contenders.find(gives, name)
        function = contender.prepare(case)
        reference.check(name, function(y1, y2), table, contender.tolerance)
        calls[name] = partial(function, y1, y2)
    others = list(calls)[1:]
    if with_floor:
        calls["kernel"] = partial(_count_told, case, y1, y2)
        calls["increments"] = _increments(case, y1, y2)
    samples = measure(calls, rounds, read=reader((y1, y2), threads))
    line = "  ".join(f"{_text(samples.ratio(name, own))} x {name}" for name in others)
    line += f"  eff {_text(_efficiency(samples, own))}"
    if with_floor:
        line += f"  kernel {_text(samples.ratio('njit loop', 'kernel'))} x njit loop"
        line += f"  loop: {_text(samples.ratio('njit loop', 'increments'))} x increments"
        line += f", eff {_text(_efficiency(samples, 'njit loop'))}: {_verdict(samples, own)}"
    print(f"{case}: {line}", flush=True)


def _count_told(case: Case, y1: np.ndarray, y2: np.ndarray) -> np.ndarray:
    """Count with the bare kernel, which is given the labels."""
    table = np.zeros((case.n_labels + 1, case.n_labels + 1), np.int64)
    pairs.count_pairs(y1, y2, (case.lowest, case.lowest), table, (0, case.n))
    return table


def _increments(case: Case, y1: np.ndarray, y2: np.ndarray) -> Callable[[], Any]:
    """Return a loop that repeatedly increments the cells of a few pairs."""
    some = slice(PAIRS_IN_CACHE)
    cells = (y1[some].astype(np.int64) * case.n_labels + y2[some]).astype(np.uint16)
    calls = [
        partial(_compile_increments(), cells, case.n // PAIRS_IN_CACHE, table)
        for table in (np.zeros(case.n_labels**2, dtype) for dtype in (np.uint8, np.uint32))
    ]
    return min(calls, key=lambda call: min(time_call(call)[0] for _ in range(5)))


@cache
def _compile_increments() -> Callable[[np.ndarray, int, np.ndarray], None]:
    import numba

    @numba.njit
    def increment(cells, times, table):
        for _ in range(times):
            for cell in cells:
                table[cell] += 1

    return increment


def _verdict(samples: Samples, own: str) -> str:
    if samples.ratio("njit loop", own).median >= TARGET:
        return "met"
    if samples.ratio("njit loop", "increments").median < TARGET:
        return "out of reach with one increment per pair"
    if _efficiency(samples, "njit loop").median * TARGET > 1:
        return "out of reach: reading the ratings takes too long"
    return "NOT MET"


def _efficiency(samples: Samples, name: str) -> Summary:
    return summary(samples.efficiency[name])


def over_columns(rounds: int) -> None:
    """Time kappas of the columns of a row-major table and of contiguous columns."""
    rng = np.random.default_rng(0)
    for dtype, n in (("uint8", ROWS), ("int64", ROWS // 4)):
        truth = rng.integers(0, 6, n).astype(dtype)
        for m in COLUMNS:
            rows = rng.integers(0, 6, (n, m), dtype=np.uint8).astype(dtype)
            columns = np.ascontiguousarray(rows.T)
            calls = {
                "row-major": partial(score_many, truth, rows),
                "contiguous": partial(score_many, truth, columns, axis=1),
            }
            samples = measure(calls, rounds)
            np.testing.assert_array_equal(*(scores.kappas for scores in samples.results.values()))
            ratio = _text(samples.ratio("row-major", "contiguous"))
            print(f"{dtype}, {n} rows, {m} columns: row-major / contiguous {ratio}")


def _text(found: Summary) -> str:
    return f"{found.median:.2f} [{found.lower:.2f}, {found.upper:.2f}]"


STUDIES = {"items": over_items, "labels": over_labels, "rows": over_columns}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--only", choices=STUDIES)
    chosen = parser.parse_args()
    machine.announce()
    for name, study in STUDIES.items():
        if chosen.only in (None, name):
            study(5 if chosen.quick else 15)


if __name__ == "__main__":
    main()
