"""Compare the search for thresholds with the usual rounder.

    python -m bench.studies.thresholds [--quick] [--n N ...] [--largest | --one-kappa]

The usual rounder maximises scikit-learn's kappa of digitised scores by Nelder-Mead (SciPy),
starting at 0.5, 1.5, ... Both are timed in turn, but the rounder is timed only once if it takes
seconds. ``--largest`` includes 10**8 float32 scores, compares the search with ``np.sort`` of the
scores (2 GB), and measures the peak memory beyond that of the inputs. ``--one-kappa`` only compares
the search with one call of scikit-learn's kappa, for up to a hundred labels.
"""

from __future__ import annotations

import argparse
import functools
from typing import Any

import numpy as np

import fastkappa
from bench.harness import machine, memory, timing

SIZES = (10**3, 10**4, 10**5, 10**6)
LABELS = (5, 6, 10)
MANY_LABELS = (5, 10, 20, 40, 60, 100)
# For each number of items, the required and the desired ratio of the usual rounder's time to ours.
GOALS = {10**3: (350, 1500), 10**4: (300, 1000), 10**5: (600, 1200), 10**6: (900, 2000)}
GOALS[10**7] = (2000, 4000)
LARGEST = 10**8
# With this many items or more, the usual rounder takes seconds, so it is timed only once.
SLOW = 10**5
CHUNK = 1 << 20


def items(n: int, n_labels: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Return labels, and scores such as a regression would predict."""
    rng = np.random.default_rng([n, n_labels])
    y = np.empty(n, np.int64 if n < LARGEST else np.uint8)
    scores = np.empty(n, dtype)
    middle = (n_labels - 1) / 2
    for start in range(0, n, CHUNK):
        stop = min(start + CHUNK, n)
        ability = rng.normal(middle, n_labels / 4, stop - start)
        y[start:stop] = np.clip(np.rint(ability), 0, n_labels - 1)
        # The predictions of a regression are closer to the mean than the true values, and have
        # errors.
        scores[start:stop] = middle + 0.7 * (ability - middle) + rng.normal(0, 0.7, stop - start)
    return y, scores


def digitised_kappa(y: np.ndarray, scores: np.ndarray, thresholds: np.ndarray) -> float:
    """Return the kappa of digitised scores, computed with the usual code."""
    from sklearn.metrics import cohen_kappa_score

    labels = range(len(thresholds) + 1)
    given = np.digitize(scores, np.sort(thresholds))
    return float(cohen_kappa_score(y, given, labels=labels, weights="quadratic"))


def usual_rounder(y: np.ndarray, scores: np.ndarray, n_labels: int) -> float:
    """Return the kappa that Nelder-Mead finds, starting at the half points."""
    from scipy.optimize import minimize

    start = np.arange(n_labels - 1) + 0.5
    found = minimize(lambda cuts: -digitised_kappa(y, scores, cuts), start, method="nelder-mead")
    return -float(found.fun)


def against_rounder(n: int, n_labels: int, rounds: int) -> None:
    y, scores = items(n, n_labels)
    calls = {
        "ours": functools.partial(fastkappa.optimal_thresholds, y, scores, labels=range(n_labels)),
        "rounder": functools.partial(usual_rounder, y, scores, n_labels),
        "one kappa": functools.partial(digitised_kappa, y, scores, np.arange(n_labels - 1) + 0.5),
    }
    once = {"rounder"} if n >= SLOW else set()
    samples = timing.measure(calls, rounds, once=once)
    ours = samples.results["ours"]
    if samples.results["rounder"] > ours.kappa + 1e-12:
        raise AssertionError("the rounder found a higher kappa")
    ratio = samples.ratio("rounder", "ours")
    one = samples.ratio("one kappa", "ours")
    least, aim = GOALS.get(n, (0, 0))
    verdict = "aim met" if ratio.median >= aim else "met" if ratio.median >= least else "NOT MET"
    quartiles = f"[{ratio.lower:.0f}, {ratio.upper:.0f}]"
    print(
        f"{n:>10,} {n_labels:>3} {1e3 * np.median(samples.seconds['ours']):8.3f} ms"
        f" {ratio.median:6.0f} x {quartiles:>12} >= {f'{least} / {aim}:':<12} {verdict:<8}"
        f" {one.median:6.1f} x {samples.results['rounder'] - ours.kappa:+10.6f}  {ours.method}",
        flush=True,
    )


def against_one_kappa(n: int, n_labels: int, rounds: int) -> None:
    y, scores = items(n, n_labels)
    calls = {
        "ours": functools.partial(fastkappa.optimal_thresholds, y, scores, labels=range(n_labels)),
        "one kappa": functools.partial(digitised_kappa, y, scores, np.arange(n_labels - 1) + 0.5),
    }
    one = timing.measure(calls, rounds).ratio("one kappa", "ours")
    print(
        f"{n:>10,} {n_labels:>4} {one.median:7.2f} x [{one.lower:.2f}, {one.upper:.2f}]", flush=True
    )


def evaluator(n: int, n_labels: int, rounds: int) -> None:
    y, scores = items(n, n_labels)
    built = fastkappa.ThresholdEvaluator(y, scores)
    cuts = np.arange(n_labels - 1) + 0.55
    calls = {
        "evaluator": lambda: built(cuts),
        "digitise": lambda: digitised_kappa(y, scores, cuts),
        "build": lambda: fastkappa.ThresholdEvaluator(y, scores),
    }
    samples = timing.measure(calls, rounds)
    if samples.results["evaluator"] != samples.results["digitise"]:
        raise AssertionError("the evaluator's kappa differs")
    ratio = samples.ratio("digitise", "evaluator")
    seconds = np.median(samples.seconds["evaluator"])
    print(
        f"evaluator, n = {n:,}, K = {n_labels}: {1e6 * seconds:.2f} us per call (<= 3),"
        f" {ratio.median:.0f} x digitise + scikit-learn (>= 20000);"
        f" built in {1e3 * np.median(samples.seconds['build']):.1f} ms"
    )


def largest(n: int, rounds: int) -> None:
    y, scores = items(n, 5, np.float32)
    search = functools.partial(fastkappa.optimal_thresholds, y, scores)
    print(f"peak in addition to the inputs: {memory.peak_above(search) / 1e6:.0f} MB (<= 150)")
    samples = timing.measure({"ours": search, "sort": lambda: np.sort(scores)}, rounds)
    ratio = samples.ratio("sort", "ours")
    print(
        f"n = {n:,} float32, K = 5: {np.median(samples.seconds['ours']):.3f} s,"
        f" np.sort {np.median(samples.seconds['sort']):.3f} s, {ratio.median:.2f} x"
        f" [{ratio.lower:.2f}, {ratio.upper:.2f}] (>= 5) {samples.results['ours'].method}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="up to 10**5 items, fewer rounds")
    parser.add_argument("--n", type=float, nargs="+", help="how many items")
    parser.add_argument("--labels", type=int, nargs="+", default=LABELS)
    parser.add_argument("--largest", action="store_true", help="also 10**8 items, no rounder")
    parser.add_argument("--one-kappa", action="store_true", help="compare only with one kappa")
    arguments = parser.parse_args()
    machine.announce()
    if arguments.one_kappa:
        print(f"{'n':>10} {'K':>4} {'one kappa / ours':>18}")
        for n in (10**3, 10**4, 10**5):
            for n_labels in MANY_LABELS:
                against_one_kappa(n, n_labels, 5 if arguments.quick else 11)
        return
    print(
        f"{'n':>10} {'K':>3} {'ours':>11} {'rounder / ours':>21} {'at least / aim':<25}"
        f"{'one kappa':>8} {'its kappa':>9}"
    )
    sizes = SIZES[:3] if arguments.quick else SIZES
    rounds = 5 if arguments.quick else 11
    for n in [int(n) for n in arguments.n] if arguments.n is not None else sizes:
        for n_labels in arguments.labels:
            against_rounder(n, n_labels, rounds)
    evaluator(10**6, 5, rounds)
    if arguments.largest:
        largest(LARGEST, 3)


if __name__ == "__main__":
    main()
