"""Short calls from two threads beside the same calls from one: how they scale without a GIL.

    python3.14t -m bench.studies.free_threads [--rounds N]

Each thread makes its own arrays. Scorers and evaluators are one for both threads, and then each
thread makes its own. One thread and two are timed in turn; each thread makes the same number of
calls, so 2 is the most there can be. With a GIL it is 1 at best for short calls. A call of a
function that does nothing shows what this Python and this machine leave.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import perf_counter
from typing import Any

import numpy as np

from bench.harness import machine
from bench.harness.timing import summary, time_call
from fastkappa import ThresholdEvaluator, cohen_kappa_score, compile_scorer

SIZES = (100, 1000, 10_000)
N_LABELS = 5
# The time of one sample of one thread.
SECONDS = 0.01
Call = Callable[[], Any]


def ratings(n: int) -> Any:
    """Return the ratings of two raters."""
    return np.random.default_rng(n).integers(0, N_LABELS, (2, n))


def new_scorer() -> Any:
    """Return a compiled scorer."""
    return compile_scorer(range(N_LABELS), "quadratic")


def new_evaluator(n: int) -> Any:
    """Return an evaluator of scores."""
    y, _ = ratings(n)
    return ThresholdEvaluator(y, y + np.random.default_rng(0).normal(size=n))


def calls_of(n: int) -> dict[str, Callable[[], Call]]:
    """Return what makes a call in a thread, by what is called."""
    scorer, evaluator = new_scorer(), new_evaluator(n)

    def drop_in(weights: Any) -> Call:
        y1, y2 = (row.copy() for row in ratings(n))
        return lambda: cohen_kappa_score(y1, y2, weights=weights)

    def score(scorer: Any) -> Call:
        y1, y2 = (row.copy() for row in ratings(n))
        return lambda: scorer(y1, y2)

    def evaluate(evaluator: Any) -> Call:
        cuts = np.array([0.5, 1.5, 2.5, 3.5])
        return lambda: evaluator(cuts)

    def nothing() -> Call:
        return lambda: None

    return {
        "cohen_kappa_score": lambda: drop_in(None),
        "cohen_kappa_score, quadratic": lambda: drop_in("quadratic"),
        "a scorer each": lambda: score(new_scorer()),
        "one scorer": lambda: score(scorer),
        "an evaluator each": lambda: evaluate(new_evaluator(n)),
        "one evaluator": lambda: evaluate(evaluator),
        "nothing": nothing,
    }


def in_threads(n_threads: int, make: Callable[[], Call], number: int) -> float:
    """Return the seconds from the first beginning to the last end of so many calls in each."""
    together = Barrier(n_threads)

    def run(_: int) -> tuple[float, float]:
        call = make()
        together.wait()
        start = perf_counter()
        for _ in range(number):
            call()
        return start, perf_counter()

    with ThreadPoolExecutor(n_threads) as pool:
        times = list(pool.map(run, range(n_threads)))
    return max(end for _, end in times) - min(start for start, _ in times)


def main() -> None:
    """Print how many times the calls of one thread two threads make in the same time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=31, help="how often all are timed")
    rounds = parser.parse_args().rounds
    machine.announce()
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"{'With' if has_gil else 'Without'} a GIL; {rounds} rounds, median [quartiles]")
    for n in SIZES:
        makers = calls_of(n)
        seconds = {name: _time(make()) for name, make in makers.items()}
        found: dict[str, list[float]] = {name: [] for name in makers}
        for _ in range(rounds):
            for name, make in makers.items():
                number = max(1, round(SECONDS / seconds[name]))
                one = in_threads(1, make, number)
                found[name].append(2 * one / in_threads(2, make, number))
        print(f"{n} items")
        for name, ratios in found.items():
            ratio = summary(ratios)
            quartiles = f"[{ratio.lower:.2f}, {ratio.upper:.2f}]"
            print(f"  {name:<30} {1e6 * seconds[name]:8.2f} µs  {ratio.median:5.2f} x {quartiles}")


def _time(call: Call) -> float:
    return min(time_call(call, 100)[0] for _ in range(9))


if __name__ == "__main__":
    main()
