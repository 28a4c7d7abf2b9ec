"""Measure the targets and report which of them are met.

    python -m bench.harness.targets [--quick] [--only PATTERN]

Most targets are ratios of the times of calls that alternate in one process. The median and the
quartiles are printed, and all results are written to bench/results/targets.json.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
from typing import Any, NamedTuple

from bench.harness import contenders, machine, measurements, results, timing
from bench.harness.cases import Case

LARGEST = 10**8
LARGEST_WHEN_QUICK = 10**7
STRINGS_WHEN_QUICK = 10**5
ROUNDS = 15
# If the quartiles are farther apart than this proportion of the median, the machine was probably
# busy with other work.
STEADY = 0.2
# Counting cannot be faster than reading. If the efficiency is above this limit, the machine was
# probably busy with other work while reading was timed.
HIGHEST_EFFICIENCY = 1.05
ROUNDS_WHEN_QUICK = 5


class Target(NamedTuple):
    """A target: the ``floor`` must be reached, and the ``aim`` should be."""

    section: str
    what: str
    floor: float
    aim: float
    kind: str
    case: Case | None
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed
    environment: dict[str, str] = {}  # noqa: RUF012
    unit: str = "×"
    at_most: bool = False


def against_sklearn(
    section: str, what: str, floor: float, aim: float, case: Case, own: str = "fastkappa"
) -> Target:
    options = {"gives": "kappa", "own": own, "peer": "scikit-learn"}
    return Target(section, what, floor, aim, "against", case, options, unit="× scikit-learn")


def strings(section: str, form: str, floor: float, aim: float) -> Target:
    case = Case(10**6, n_labels=5)
    what = f"{form} strings, cohen_kappa_score"
    return Target(section, what, floor, aim, "strings", case, {"form": form}, unit="× scikit-learn")


def efficiency(
    what: str,
    floor: float,
    aim: float,
    case: Case,
    threads: int,
    kind: str = "efficiency",
    environment: dict[str, str] | None = None,
) -> Target:
    options = {"backend": "cython", "threads": threads}
    what = f"{what}, {threads} thread{'s' if threads > 1 else ''}"
    return Target("speed", what, floor, aim, kind, case, options, environment or {}, unit="eff")


DROP_IN = (
    against_sklearn("drop-in", "cohen_kappa_score", 100, 300, Case(LARGEST, n_labels=5)),
    against_sklearn("drop-in", "cohen_kappa_score", 250, 250, Case(LARGEST, n_labels=5, lowest=1)),
    strings("drop-in", "object", 5, 10),
    strings("drop-in", "shared object", 5, 10),
    strings("drop-in", "NumPy", 5, 5),
    against_sklearn("drop-in", "cohen_kappa_score", 60, 300, Case(100)),
    *(
        Target(
            "drop-in",
            "peak memory above the inputs",
            10,
            10,
            "peak_memory",
            case,
            unit="MB",
            at_most=True,
        )
        for case in (
            Case(LARGEST, n_labels=5),
            Case(LARGEST, n_labels=5, lowest=1),
            Case(LARGEST, "uint8", 256),
        )
    ),
    Target(
        "drop-in",
        "import fastkappa",
        2,
        2,
        "import_time",
        None,
        unit="× import numpy",
        at_most=True,
    ),
)

ONE_THREAD = {"OMP_NUM_THREADS": "1"}
SPEED = (
    *(
        efficiency("counting", floor, aim, Case(LARGEST, n_labels=n_labels), threads)
        for threads, floor, aim in ((1, 0.85, 0.95), (2, 0.93, 0.97))
        for n_labels in (5, 6)
    ),
    efficiency("counting", 0.93, 0.97, Case(LARGEST, "int32"), 2),
    efficiency("counting", 0.75, 0.90, Case(LARGEST, "uint8"), 2),
    efficiency(
        "counting, AVX2",
        0.33,
        0.60,
        Case(LARGEST, "uint8"),
        1,
        environment={"FASTKAPPA_SIMD": "avx2"},
    ),
    *(
        against_sklearn("speed", "cohen_kappa_score", floor, aim, Case(LARGEST, dtype, n_labels=5))
        for dtype, floor, aim in (("int64", 180, 300), ("int32", 230, 400), ("uint8", 500, 1000))
    ),
    *(
        Target(
            "speed",
            "cohen_kappa_score, 1 thread",
            floor,
            aim,
            "against",
            Case(LARGEST, dtype),
            {"gives": "kappa", "own": "fastkappa", "peer": "njit loop"},
            ONE_THREAD,
            unit="× njit loop",
        )
        for dtype, floor, aim in (("uint8", 8, 14), ("int64", 1.8, 2.2))
    ),
    *(
        Target(
            "speed",
            "quadratic kappa, labels given, 1 thread",
            0.93,
            0.99,
            "kappa_efficiency",
            case,
            {"threads": 1},
            ONE_THREAD,
            unit="eff",
        )
        for case in (
            Case(LARGEST),
            Case(LARGEST, n_labels=100),
            Case(LARGEST, n_labels=1000),
            Case(LARGEST, "int32", 100),
            Case(LARGEST, "uint8", 100),
        )
    ),
    *(
        Target(
            "speed",
            "counting, 1 thread",
            floor,
            aim,
            "against",
            Case(LARGEST, "uint8", n_labels, distribution),
            {
                "gives": "table",
                "own": contenders.fastkappa_name("cython", 1),
                "peer": "njit loop",
            },
            unit="× njit loop",
        )
        for distribution, floor, aim in (("uniform", 1.3, 2), ("skew", 2, 3))
        for n_labels in (16, 64, 256)
    ),
    efficiency("float64 item weights", 0.85, 0.92, Case(LARGEST), 2, "weighted_efficiency"),
    against_sklearn("speed", "cohen_kappa_score", 150, 300, Case(100)),
    against_sklearn("speed", "compiled scorer", 1000, 3000, Case(100), "compiled scorer"),
    against_sklearn("speed", "cohen_kappa_score", 200, 400, Case(10**4)),
    Target(
        "speed",
        "numba, 1 thread",
        0.9,
        1.5,
        "against",
        Case(LARGEST, "uint8"),
        {
            "gives": "table",
            "own": contenders.fastkappa_name("numba", 1),
            "peer": contenders.fastkappa_name("cython", 1),
        },
        {"FASTKAPPA_SIMD": "avx2"},
        unit="× C with AVX2",
    ),
    *(
        Target(
            "speed",
            "NumPy fallback, 1 thread",
            2.5,
            3.5,
            "against",
            Case(LARGEST, "uint8", n_labels),
            {
                "gives": "table",
                "own": contenders.fastkappa_name("numpy", 1),
                "peer": "np.bincount",
            },
            unit="× np.bincount",
        )
        for n_labels in (6, 10)
    ),
    strings("speed", "object", 5, 10),
    *(
        Target(
            "speed",
            "strided by 2, 1 thread",
            2,
            2,
            "strided",
            Case(LARGEST, dtype),
            {"threads": 1},
            unit="× contiguous",
            at_most=True,
        )
        for dtype in ("int64", "uint8")
    ),
    Target(
        "speed",
        "compiled scorer: bad label in row 0",
        0.001,
        0.001,
        "refused_label",
        Case(LARGEST),
        unit="of the full time",
        at_most=True,
    ),
)


def result_of(target: Target, *, quick: bool, done: dict[str, Any]) -> dict[str, Any]:
    """Measure one target, or reuse the samples of a target that needs the same measurement."""
    case = target.case
    if quick and case and case.n > LARGEST_WHEN_QUICK:
        case = case._replace(n=LARGEST_WHEN_QUICK)
    if quick and target.kind == "strings":
        case = case._replace(n=STRINGS_WHEN_QUICK)
    rounds = ROUNDS_WHEN_QUICK if quick else ROUNDS
    if target.kind == "peak_memory":
        rounds = 1
    elif target.kind == "import_time":
        rounds = 3 * rounds
    request = {"kind": target.kind, "case": case, "rounds": rounds, **target.options}
    key = json.dumps([request, target.environment])
    if key not in done:
        done[key] = measurements.in_new_process(request, target.environment)
    answer = done[key]
    row = {
        "section": target.section,
        "what": f"{target.what}: {case}" if case else target.what,
        "floor": target.floor,
        "aim": target.aim,
        "unit": target.unit,
        "at_most": target.at_most,
        **answer,
    }
    if "samples" in answer:
        row |= timing.summary(answer["samples"])._asdict()
    return row | {"verdict": verdict(row)}


def verdict(row: dict[str, Any]) -> str:
    """Return whether a target was reached, and whether the figure can be trusted."""
    if "missing" in row:
        failed = row["missing"].startswith("failed")
        return f"{'FAILED' if failed else 'missing'}: {row['missing']}"
    sign = -1 if row["at_most"] else 1
    if sign * row["median"] >= sign * row["aim"]:
        text = "aim met" if row["aim"] != row["floor"] else "met"
    else:
        text = "floor met" if sign * row["median"] >= sign * row["floor"] else "NOT MET"
    if row["unit"] == "eff" and row["median"] > HIGHEST_EFFICIENCY:
        return f"{text}, but UNSTEADY: faster than reading"
    if row["upper"] - row["lower"] > STEADY * row["median"]:
        return f"{text}, but UNSTEADY"
    return text


def in_text(row: dict[str, Any]) -> str:
    """Return the line of the table for one target."""
    bound = "≤" if row["at_most"] else "≥"
    measured = (
        f"{row['median']:8.3g} [{row['lower']:.3g}, {row['upper']:.3g}] of {row['n']}"
        if "median" in row
        else f"{'-':>8}"
    )
    goals = f"{bound} {row['floor']:g}" + (
        f" / {row['aim']:g}" if row["aim"] != row["floor"] else ""
    )
    return f"{row['what']:<78} {goals:<14} {measured:<32} {row['unit']:<16} {row['verdict']}"


def run(*, quick: bool = False, only: str = "*") -> dict[str, Any]:
    """Measure the targets, print one row per target, and write the rows to a file."""
    description = machine.announce()
    print("Medians [quartiles] of paired ratios; eff: time to read the arrays / time of the call.")
    if quick:
        print("QUICK: fewer rounds, and fewer items than the targets require, as each row shows.")
    rows: list[dict[str, Any]] = []
    done: dict[str, Any] = {}
    section = None
    for target in (*DROP_IN, *SPEED):
        name = f"{target.section}: {target.what}: {target.case} {target.unit}"
        if not fnmatch.fnmatch(name.lower(), f"*{only.lower()}*"):
            continue
        if target.section != section:
            section = target.section
            print(f"\n{section}: floor / aim, measured")
        rows.append(result_of(target, quick=quick, done=done))
        print(in_text(rows[-1]), flush=True)
    if not rows:
        raise SystemExit(f"no target matches {only!r}")
    n_met = sum("met" in row["verdict"] for row in rows)
    n_unsteady = sum("UNSTEADY" in row["verdict"] for row in rows)
    print(f"\n{n_met} of {len(rows)} met; {n_unsteady} were unsteady.")
    written = {"machine": description, "quick": quick, "targets": rows}
    results.write("targets", written)
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="n = 1e7 at most, fewer rounds")
    parser.add_argument(
        "--only", default="*", metavar="PATTERN", help="part of a row, or a pattern with * and ?"
    )
    arguments = parser.parse_args()
    run(quick=arguments.quick, only=arguments.only)


if __name__ == "__main__":
    main()
