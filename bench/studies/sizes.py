"""No row of the size table falls off: ratios by dtype, number of items and of labels.

    python -m bench.studies.sizes [--quick] [--only items|labels|rows]

prints medians and quartiles of ratios of calls made in turn: the drop-in against `np.bincount`
and a plain njit loop, with eff; the count of 16 to 256 evenly spread labels on one thread
against that loop; and the columns of a row-major table against contiguous ones.
FASTKAPPA_SIMD chooses the level.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np

from bench.harness import contenders, machine, reference
from bench.harness.bandwidth import reader
from bench.harness.cases import Case, make_ratings
from bench.harness.timing import Samples, Summary, measure, summary
from fastkappa import score_many
from fastkappa.kernels.threads import available_threads

ITEMS = (10**5, 10**6, 2 * 10**6, 10**7)
LABELS = (16, 24, 32, 64, 100, 128, 181, 256)
COLUMNS = (8, 12, 16, 24, 31, 32, 64, 100)
ROWS = 10**6


def over_items(rounds: int) -> None:
    """Score few labels with all threads."""
    for dtype in ("uint8", "int32", "int64"):
        for n in ITEMS:
            case = Case(n, dtype, 5)
            _against(case, "kappa", "fastkappa", rounds, available_threads())


def over_labels(rounds: int) -> None:
    """Count evenly spread labels with one thread."""
    own = contenders.fastkappa_name("cython", 1)
    for dtype in ("uint8", "int32", "int64"):
        for n_labels in LABELS:
            if dtype != "int64" or n_labels <= 128:
                _against(Case(10**7, dtype, n_labels, "uniform"), "table", own, rounds, 1)


def _against(case: Case, gives: str, own: str, rounds: int, threads: int) -> None:
    y1, y2 = make_ratings(case)
    table = reference.count(case, y1, y2)
    calls = {}
    for name in (own, "njit loop", "np.bincount"):
        contender = contenders.find(gives, name)
        function = contender.prepare(case)
        reference.check(name, function(y1, y2), table, contender.tolerance)
        calls[name] = partial(function, y1, y2)
    samples = measure(calls, rounds, read=reader((y1, y2), threads))
    line = "  ".join(f"{_text(samples.ratio(name, own))} x {name}" for name in list(calls)[1:])
    print(f"{case}: {line}  eff {_text(_efficiency(samples, own))}", flush=True)


def _efficiency(samples: Samples, name: str) -> Summary:
    return summary(samples.efficiency[name])


def over_columns(rounds: int) -> None:
    """Score the columns of a table, row-major and each column contiguous."""
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
            print(f"{dtype}, {n} rows, {m} columns: row-major takes {ratio} x contiguous")


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
