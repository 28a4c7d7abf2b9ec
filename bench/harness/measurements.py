"""Make one measurement for a target, in a separate process.

    python -m bench.harness.measurements '{"kind": "efficiency", "case": [100000000, "int64"], ...}'

prints JSON: the samples, one per round, or the reason why there are none. A separate process has
its own settings of the package (FASTKAPPA_SIMD, FASTKAPPA_BACKEND, OMP_NUM_THREADS), and frees its
memory when it ends.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import fastkappa
from bench.harness import contenders, reference, timing
from bench.harness.bandwidth import reader
from bench.harness.cases import Case, make_ratings
from bench.harness.memory import peak_above
from fastkappa.config import configuration

# A slow contender's result is checked on a case with this many items before the contender is timed.
SMALL = 10**5
# Slow contenders are timed only once on cases with at least this many items.
LARGE = 10**7


class NotThereYet(Exception):
    """Raised if the package does not have the feature yet or a library is not installed."""


def efficiency(case: Case, rounds: int, *, backend: str, threads: int) -> list[float]:
    """Return the time to read the arrays divided by the time to count without given labels."""
    y1, y2 = make_ratings(case)
    name = contenders.fastkappa_name(backend, threads)
    count = _prepared("table", name, case)
    reference.check(name, count(y1, y2), reference.count(case, y1, y2), 0)
    read = reader((y1, y2), threads)
    samples = timing.measure({name: lambda: count(y1, y2)}, rounds, read=read)
    return samples.efficiency[name]


def weighted_efficiency(case: Case, rounds: int, *, backend: str, threads: int) -> list[float]:
    """Return the efficiency of summing float64 item weights, with given labels."""
    y1, y2 = make_ratings(case)
    weights = np.random.default_rng(1).integers(1, 9, case.n) / 4  # sums are exact

    def add() -> np.ndarray:
        return fastkappa.confusion_counts(
            y1,
            y2,
            labels=case.labels,
            sample_weight=weights,
            backend=backend,
            num_threads=threads,
        ).table

    cells = (y1.astype(np.int64) - case.lowest) * case.n_labels + (y2 - case.lowest)
    expected = np.bincount(cells, weights, case.n_labels**2).reshape(case.n_labels, -1)
    del cells
    if not np.array_equal(add(), expected):
        raise AssertionError("the weighted table is wrong")
    read = reader((y1, y2, weights), threads)
    return timing.measure({"add": add}, rounds, read=read).efficiency["add"]


def kappa_efficiency(case: Case, rounds: int, *, threads: int) -> list[float]:
    """Return the efficiency of computing kappa with given labels, which needs no table."""
    y1, y2 = make_ratings(case)

    def score() -> float:
        return fastkappa.cohen_kappa_score(y1, y2, labels=case.labels, weights="quadratic")

    reference.check("fastkappa", score(), reference.count(case, y1, y2), 1e-12)
    read = reader((y1, y2), threads)
    return timing.measure({"score": score}, rounds, read=read).efficiency["score"]


def against(case: Case, rounds: int, *, gives: str, own: str, peer: str) -> list[float]:
    """Return the time of ``peer`` divided by that of ``own``."""
    seconds = _in_turn(case, rounds, gives, (own, peer)).seconds
    return timing.ratios(seconds[peer], seconds[own])


def compare(
    case: Case, rounds: int, *, gives: str, threads: int, only: list[str] | None = None
) -> dict[str, Any]:
    """Return the times and efficiencies of contenders, reading arrays with ``threads`` threads."""
    names = only or [contender.name for contender in contenders.contenders(gives, case)]
    samples = _in_turn(case, rounds, gives, names, threads)
    return {
        name: {"seconds": samples.seconds[name], "efficiency": samples.efficiency[name]}
        for name in names
    }


def _in_turn(
    case: Case, rounds: int, gives: str, names: Sequence[str], read_threads: int | None = None
) -> timing.Samples:
    """Check the results of contenders, and time the contenders in turn.

    If a contender is timed only once, its result is checked on fewer items before the timing and on
    all items afterwards.
    """
    chosen = {name: contenders.find(gives, name) for name in names}
    once = {name for name, c in chosen.items() if c.slow and case.n >= LARGE}
    if once:
        small = case._replace(n=SMALL)
        y1, y2 = make_ratings(small)
        table = reference.count(small, y1, y2)
        for name in once:
            result = _prepared(gives, name, small)(y1, y2)
            reference.check(name, result, table, chosen[name].tolerance)
    y1, y2 = make_ratings(case)
    table = reference.count(case, y1, y2)
    calls = {name: _call(_prepared(gives, name, case), y1, y2) for name in names}
    for name in calls.keys() - once:
        reference.check(name, calls[name](), table, chosen[name].tolerance)
    read = reader((y1, y2), read_threads) if read_threads else None
    samples = timing.measure(calls, rounds, read=read, once=once)
    for name in once:
        reference.check(name, samples.results[name], table, chosen[name].tolerance)
    return samples


def strings(case: Case, rounds: int, *, form: str) -> list[float]:
    """Return the time of scikit-learn divided by that of fastkappa, for string labels.

    Each call gets new strings, because Python caches the hash of a string object, which would make
    later calls faster.
    """
    codes = make_ratings(case)
    names = ("fastkappa", "scikit-learn")
    functions = {name: _prepared("kappa", name, case) for name in names}
    samples: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(rounds):
        kappa = {}
        for name in names:
            y1, y2 = (_as_strings(column, form) for column in codes)
            taken, kappa[name] = timing.time_call(_call(functions[name], y1, y2))
            samples[name].append(taken)
        if abs(kappa["fastkappa"] - kappa["scikit-learn"]) > 1e-12:
            raise AssertionError(f"the kappas differ: {kappa}")
    return timing.ratios(samples["scikit-learn"], samples["fastkappa"])


def _as_strings(codes: np.ndarray, form: str) -> np.ndarray:
    labels = np.array(["absent", "mild", "moderate", "severe", "proliferative"])
    if form == "shared object":  # five string objects in total, as in pandas
        return labels.astype(object)[codes]
    # In the other forms, each rating is a string of its own, as if read from a file row by row.
    return labels[codes].astype(object) if form == "object" else labels[codes]


def strided(case: Case, rounds: int, *, threads: int) -> list[float]:
    """Return the time for arrays with a stride of 2 divided by that for contiguous arrays."""
    y1, y2 = make_ratings(case)
    wide = [np.repeat(ratings, 2) for ratings in (y1, y2)]
    y1_strided, y2_strided = (ratings[::2] for ratings in wide)
    count = fastkappa.confusion_counts
    table = reference.count(case, y1, y2)
    calls = {
        "contiguous": lambda: count(y1, y2, num_threads=threads).table,
        "strided": lambda: count(y1_strided, y2_strided, num_threads=threads).table,
    }
    for name, call in calls.items():
        reference.check(name, call(), table, 0)
    samples = timing.measure(calls, rounds)
    return timing.ratios(samples.seconds["strided"], samples.seconds["contiguous"])


def refused_label(case: Case, rounds: int) -> list[float]:
    """Return the time to reject an invalid label in row 0 divided by the time to score all rows."""
    y1, y2 = make_ratings(case)
    bad = y1.copy()
    bad[0] = case.lowest + case.n_labels
    score = _prepared("kappa", "compiled scorer", case)

    def refuse() -> None:
        try:
            score(bad, y2)
        except ValueError:
            return
        raise AssertionError("a label out of range was not rejected")

    samples = timing.measure({"refuse": refuse, "score": lambda: score(y1, y2)}, rounds)
    return timing.ratios(samples.seconds["refuse"], samples.seconds["score"])


def peak_memory(case: Case, rounds: int) -> list[float]:
    """Return the peak memory of a call in MB, minus the memory of the process before the call.

    Usually, only one round is run, without a warm-up call, because memory that the allocator keeps
    would be missing from the next peak. The peak thus includes libraries loaded on first use.
    """
    y1, y2 = make_ratings(case)
    score = _prepared("kappa", "fastkappa", case)
    return [peak_above(lambda: score(y1, y2)) / 1e6 for _ in range(rounds)]


def import_time(case: None, rounds: int) -> list[float]:
    """Return the time of `import fastkappa` divided by that of `import numpy`, in new processes.

    Both packages are loaded from bytecode, which is written even if the environment disables that.
    """
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        environment["PYTHONPYCACHEPREFIX"] = folder

        def time_of(module: str) -> float:
            program = (
                "from time import perf_counter; start = perf_counter();"
                f" import {module}; print(perf_counter() - start)"
            )
            command = [sys.executable, "-c", program]
            done = subprocess.run(
                command, capture_output=True, text=True, check=True, env=environment
            )
            return float(done.stdout)

        time_of("fastkappa")  # writes the bytecode of both
        return [time_of("fastkappa") / time_of("numpy") for _ in range(rounds)]


KINDS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        efficiency,
        weighted_efficiency,
        kappa_efficiency,
        against,
        compare,
        strings,
        strided,
        refused_label,
        peak_memory,
        import_time,
    )
}


def _prepared(gives: str, name: str, case: Case) -> contenders.Function:
    contender = contenders.find(gives, name)
    reason = contenders.why_left_out(contender)
    if reason:
        raise NotThereYet(reason)
    return contender.prepare(case)


def _call(function: contenders.Function, y1: np.ndarray, y2: np.ndarray) -> Callable:
    return lambda: function(y1, y2)


def _check_simd_level() -> str:
    forced = os.environ.get("FASTKAPPA_SIMD")
    try:
        level = str(configuration()["SIMD level"])
    except ValueError as error:
        if forced:
            raise NotThereYet(str(error)) from error
        raise
    if forced and forced not in level.lower():
        raise NotThereYet(f"FASTKAPPA_SIMD={forced} gives the level {level!r}")
    return level


def in_new_process(request: dict[str, Any], environment: dict[str, str]) -> dict[str, Any]:
    """Return the answer to a request, measured in a new process with this environment."""
    process = subprocess.run(
        [sys.executable, "-m", "bench.harness.measurements", json.dumps(request)],
        # By default, idle OpenMP threads of torch keep a core busy for a while. PASSIVE prevents
        # them from slowing down the other contenders.
        env={"OMP_WAIT_POLICY": "PASSIVE"} | os.environ | environment,
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        return {"missing": f"failed with exit code {process.returncode}, see above"}
    answer: dict[str, Any] = json.loads(process.stdout)
    return answer


def main() -> None:
    request = json.loads(sys.argv[1])
    kind = KINDS[request.pop("kind")]
    case = request.pop("case")
    start = perf_counter()
    try:
        level = _check_simd_level()
        samples = kind(Case(*case) if case else None, **request)
        answer = {"samples": samples, "simd": level}
    except NotThereYet as reason:
        answer = {"missing": str(reason)}
    print(json.dumps({**answer, "seconds": perf_counter() - start}))


if __name__ == "__main__":
    main()
