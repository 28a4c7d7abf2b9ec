"""Measure how speed depends on the number of items or labels, the backend and the SIMD level.

    python -m bench.harness.sweep [--quick]

writes bench/results/sweep.json, the source of the charts and of the README's table.
"""

from __future__ import annotations

import argparse
from typing import Any

from bench.harness import contenders, machine, measurements, results, timing
from bench.harness.cases import DISTRIBUTIONS, LABEL_COUNTS, SIZES, Case

SIMD_LEVELS = ("baseline", "avx2", "avx512", "neon")


def run(*, quick: bool = False) -> dict[str, Any]:
    """Make all measurements, print the tables and write the results to a file."""
    for line in contenders.left_out():
        print(line)
    written = {
        "machine": machine.describe(),
        "quick": quick,
        "sizes": over_sizes(quick),
        "labels": over_labels(quick),
        "backends": over_backends(quick),
    }
    results.write("sweep", written)
    return written


def over_sizes(quick: bool) -> list[dict[str, Any]]:
    """Return rows with times of quadratic kappa, for each contender and number of items."""
    rows = []
    threads = machine.describe()["threads"]
    for dtype in ("int64", "uint8"):
        for n in SIZES[:5:2] if quick else SIZES:
            case = Case(n, dtype)
            request = {"kind": "compare", "case": case, "gives": "kappa", "threads": threads}
            rows += _rows(request | {"rounds": 3 if quick else 9}, {})
            _print_last(rows, "scikit-learn")
    return rows


def over_labels(quick: bool) -> list[dict[str, Any]]:
    """Return rows with times of counting with one thread, for each number of labels."""
    rows = []
    for distribution in ("uniform", "skew") if quick else DISTRIBUTIONS:
        for n_labels in (6, 64) if quick else LABEL_COUNTS:
            dtype = "uint8" if n_labels <= 256 else "int32"
            case = Case(10**6 if quick else 10**7, dtype, n_labels, distribution)
            names = [contenders.fastkappa_name("cython", 1), "njit loop", "np.bincount"]
            request = {"kind": "compare", "case": case, "gives": "table", "threads": 1}
            rows += _rows(request | {"rounds": 3 if quick else 9, "only": names}, {})
            _print_last(rows, "njit loop")
    return rows


def over_backends(quick: bool) -> list[dict[str, Any]]:
    """Return rows with times of counting, for each backend and SIMD level."""
    rows = []
    settings = [("cython", {"FASTKAPPA_SIMD": level}) for level in SIMD_LEVELS]
    settings += [("numba", {}), ("numpy", {})]
    for dtype in ("uint8",) if quick else ("uint8", "int32", "int64", "mixed"):
        for backend, environment in settings:
            for threads in (1,) if quick else (1, 2):
                request = {
                    "kind": "compare",
                    "case": Case(10**6 if quick else 10**8, dtype),
                    "gives": "table",
                    "threads": threads,
                    "rounds": 3 if quick else 9,
                    "only": [contenders.fastkappa_name(backend, threads)],
                }
                rows += _rows(request, environment)
                _print_last(rows, None)
    return rows


def _rows(request: dict[str, Any], environment: dict[str, str]) -> list[dict[str, Any]]:
    """Return one row per contender, with its times and efficiencies."""
    answer = measurements.in_new_process(request, environment)
    case = {"case": request["case"]._asdict(), "environment": environment}
    case |= {"threads": request["threads"]}
    if "missing" in answer:
        return [case | {"name": (request.get("only") or [""])[0], "missing": answer["missing"]}]
    return [
        case | {"name": name, "simd": answer["simd"], **samples}
        for name, samples in answer["samples"].items()
    ]


def _print_last(rows: list[dict[str, Any]], peer: str | None) -> None:
    """Print the rows of the last case, with the time of the peer divided by that of each row."""
    last = [row for row in rows if row["case"] == rows[-1]["case"]]
    if peer is None:
        last = last[-1:]
    print(Case(**rows[-1]["case"]), *(f"{k}={v}" for k, v in rows[-1]["environment"].items()))
    for row in last:
        if "missing" in row:
            print(f"    {row['name']:<28} missing: {row['missing']}")
            continue
        nanoseconds = timing.summary(row["seconds"]).median / row["case"]["n"] * 1e9
        line = f"    {row['name']:<28}{nanoseconds:12.3f} ns per pair"
        line += f"{timing.summary(row['efficiency']).median:8.3f} eff"
        of_peer = next((r for r in last if r["name"] == peer), None)
        if of_peer:
            ratio = timing.summary(timing.ratios(of_peer["seconds"], row["seconds"]))
            line += f"{ratio.median:10.2f} × {peer}"
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer and smaller cases")
    run(quick=parser.parse_args().quick)


if __name__ == "__main__":
    main()
