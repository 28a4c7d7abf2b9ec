"""Measure how short calls scale from one thread to two without a GIL.

    python3.14t -m bench.studies.free_threads [--rounds N]

Each thread creates its own arrays. A scorer or evaluator is either shared by both threads or
created by each thread. One and two threads are timed in turn. Each thread makes the same number of
calls, so the largest possible ratio is 2. With a GIL, the ratio is at most 1 for short calls.

Two references show the limits of the machine: a function that does nothing, and the same calls from
two processes, which share nothing. If the two cores are really hardware threads of one core, or
slow down when both are busy, this affects processes as much as threads.
"""

from __future__ import annotations

import argparse
import multiprocessing
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from bench.harness import machine
from bench.harness.timing import summary, time_call
from fastkappa import ThresholdEvaluator, cohen_kappa_score, compile_scorer

SIZES = (100, 1000, 10_000)
N_LABELS = 5
# The approximate duration of a sample in one thread, in seconds.
SECONDS = 0.01
Call = Callable[[], Any]
Times = tuple[float, float]


def ratings(n: int) -> Any:
    """Return the ratings of two raters."""
    return np.random.default_rng(n).integers(0, N_LABELS, (2, n))


def new_scorer() -> Any:
    """Return a compiled scorer."""
    return compile_scorer(range(N_LABELS), weights="quadratic")


def new_evaluator(n: int) -> Any:
    """Return an evaluator of scores."""
    y, _ = ratings(n)
    return ThresholdEvaluator(y, y + np.random.default_rng(0).normal(size=n))


def calls_of(n: int) -> dict[str, Callable[[], Call]]:
    """Return, by the name of each call, a function that creates this call for a thread."""
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
    """Return the seconds that ``number`` calls per thread take, from first start to last end."""
    together, times = threading.Barrier(n_threads), queue.SimpleQueue[Times]()
    return _in_all(n_threads, threading.Thread, (make, number, together, times))


def in_processes(n_processes: int, make: Callable[[], Call], number: int) -> float:
    """Return the seconds that ``number`` calls per forked process take; see `in_threads`."""
    forks = multiprocessing.get_context("fork")
    return _in_all(
        n_processes, forks.Process, (make, number, forks.Barrier(n_processes), forks.SimpleQueue())
    )


def _in_all(n: int, kind: Any, arguments: tuple[Any, ...]) -> float:
    workers = [kind(target=_run, args=arguments) for _ in range(n)]
    for worker in workers:
        worker.start()
    times: list[Times] = [arguments[-1].get() for _ in workers]
    for worker in workers:
        worker.join()
    return max(end for _, end in times) - min(start for start, _ in times)


def _run(make: Callable[[], Call], number: int, together: Any, times: Any) -> None:
    call = make()
    together.wait()
    start = perf_counter()
    for _ in range(number):
        call()
    times.put((start, perf_counter()))


def main() -> None:
    """Print how calls scale from one thread to two, and from one process to two."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=31, help="number of rounds")
    rounds = parser.parse_args().rounds
    machine.announce()
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"{'With' if has_gil else 'Without'} a GIL; {rounds} rounds, median [quartiles]")
    print(f"{'':<46} threads            processes          threads / processes")
    for n in SIZES:
        makers = calls_of(n)
        seconds = {name: _time(make()) for name, make in makers.items()}
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in makers}
        for _ in range(rounds):
            for name, make in makers.items():
                number = max(1, round(SECONDS / seconds[name]))
                found[name].append(
                    (scaling(in_threads, make, number), scaling(in_processes, make, number))
                )
        print(f"{n} items")
        for name, pairs in found.items():
            of_threads, of_processes = zip(*pairs)
            columns = (of_threads, of_processes, [a / b for a, b in pairs])
            shown = "  ".join(_quartiles(column) for column in columns)
            print(f"  {name:<30} {1e6 * seconds[name]:8.2f} µs  {shown}")


def scaling(run: Callable[..., float], make: Callable[[], Call], number: int) -> float:
    """Return the call rate of two workers divided by the call rate of one worker."""
    one = run(1, make, number)
    return 2 * one / run(2, make, number)


def _quartiles(ratios: Sequence[float]) -> str:
    found = summary(list(ratios))
    return f"{found.median:.2f} [{found.lower:.2f}, {found.upper:.2f}]"


def _time(call: Call) -> float:
    return min(time_call(call, 100)[0] for _ in range(9))


if __name__ == "__main__":
    main()
