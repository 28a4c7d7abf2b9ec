"""Short calls from two threads beside the same calls from one: how they scale without a GIL.

    python3.13t -m bench.studies.free_threads [--rounds N]

Each thread has arrays of its own. Scorers and evaluators are shared by both threads, and then each
has one of its own. One thread and two are timed in turn; each makes the same number of calls, so 2 is
the most there can be. With a GIL it is 1 at best for short calls. A call of a function that does
nothing shows what this Python and this machine leave.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
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
CUTS = np.array([0.5, 1.5, 2.5, 3.5])
# The time of one sample of one thread.
SECONDS = 0.02
Call = Callable[[], Any]


def both_threads(pool: ThreadPoolExecutor, calls: Sequence[Call], number: int) -> float:
    """Return the seconds from the first beginning to the last end, a thread for each call."""
    together = Barrier(len(calls))

    def run(call: Call) -> tuple[float, float]:
        together.wait()
        start = perf_counter()
        for _ in range(number):
            call()
        return start, perf_counter()

    times = list(pool.map(run, calls))
    return max(end for _, end in times) - min(start for start, _ in times)


def calls_of(n: int) -> dict[str, tuple[Call, Call]]:
    """Return the calls of each of two threads, by what they call."""
    rng = np.random.default_rng(n)
    # Copies, for rows of one array would share it.
    ratings = [[row.copy() for row in rng.integers(0, N_LABELS, (2, n))] for _ in range(2)]
    scores = ratings[0][0] + rng.normal(size=n)
    scorers = [compile_scorer(range(N_LABELS), "quadratic") for _ in range(2)]
    evaluators = [ThresholdEvaluator(ratings[0][0], scores) for _ in range(2)]
    cuts = [CUTS.copy(), CUTS.copy()]

    # Functions of their own: a closure of both would be shared, too.
    def drop_in(thread: int, weights: Any) -> Call:
        y1, y2 = ratings[thread]
        return lambda: cohen_kappa_score(y1, y2, weights=weights)

    def scoring(thread: int, of: int) -> Call:
        (y1, y2), scorer = ratings[thread], scorers[of]
        return lambda: scorer(y1, y2)

    def evaluating(thread: int, of: int) -> Call:
        own, evaluator = cuts[thread], evaluators[of]
        return lambda: evaluator(own)

    def nothing() -> Call:
        return lambda: None

    return {
        "cohen_kappa_score": (drop_in(0, None), drop_in(1, None)),
        "cohen_kappa_score, quadratic": (drop_in(0, "quadratic"), drop_in(1, "quadratic")),
        "a scorer each": (scoring(0, 0), scoring(1, 1)),
        "one scorer": (scoring(0, 0), scoring(1, 0)),
        "an evaluator each": (evaluating(0, 0), evaluating(1, 1)),
        "one evaluator": (evaluating(0, 0), evaluating(1, 0)),
        "nothing": (nothing(), nothing()),
    }


def main() -> None:
    """Print how many times the calls of one thread two threads make in the same time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=31, help="how often all are timed")
    rounds = parser.parse_args().rounds
    machine.announce()
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"{'With' if has_gil else 'Without'} a GIL; {rounds} rounds, median [quartiles]")
    with ThreadPoolExecutor(2) as pool:
        for n in SIZES:
            calls = calls_of(n)
            once = {name: min(time_call(pair[0], 100)[0] for _ in range(9)) for name, pair in calls.items()}
            found: dict[str, list[float]] = {name: [] for name in calls}
            for _ in range(rounds):
                for name, pair in calls.items():
                    number = max(1, round(SECONDS / once[name]))
                    one = both_threads(pool, pair[:1], number)
                    found[name].append(2 * one / both_threads(pool, pair, number))
            print(f"{n} items")
            for name, ratios in found.items():
                ratio = summary(ratios)
                quartiles = f"[{ratio.lower:.2f}, {ratio.upper:.2f}]"
                print(f"  {name:<30} {1e6 * once[name]:8.2f} µs  {ratio.median:5.2f} x {quartiles}")


if __name__ == "__main__":
    main()
