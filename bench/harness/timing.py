"""Time calls in turn, and compute the ratios of their times.

The speed of a shared machine changes within minutes, so separate timings are not comparable. The
calls to compare are timed in turn, in several rounds, and each round yields a ratio.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Collection
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

# The shortest duration of a sample, in seconds. Shorter calls are repeated in a loop.
SHORTEST_SAMPLE = 2e-3


class Summary(NamedTuple):
    """The median and the quartiles of ratios."""

    median: float
    lower: float
    upper: float
    n: int


class Samples(NamedTuple):
    """The measurements of the calls, keyed by the name of the call.

    Attributes
    ----------
    seconds : dict of lists
        One time per round.
    efficiency : dict of lists
        The time to read the arrays, measured just before and just after the call, divided by the
        time of the call. Empty if there are no arrays to read.
    results : dict
        The last result of each call.
    """

    seconds: dict[str, list[float]]
    efficiency: dict[str, list[float]]
    results: dict[str, Any]

    def ratio(self, slow: str, fast: str) -> Summary:
        """Return a summary of the time of ``slow`` divided by that of ``fast``."""
        return summary(ratios(self.seconds[slow], self.seconds[fast]))


def measure(
    calls: dict[str, Callable[[], Any]],
    rounds: int,
    *,
    read: Callable[[], Any] | None = None,
    once: Collection[str] = (),
    clock: Callable[[], float] = perf_counter,
) -> Samples:
    """Time the calls in turn.

    Calls in ``once`` are timed only in the middle round, without a warm-up call. If calls use one
    thread, ``clock`` can be ``time.process_time``, which other work on the machine affects less.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    efficiency: dict[str, list[float]] = {name: [] for name in calls}
    results = {name: call() for name, call in calls.items() if name not in once}
    numbers = {name: 1 if name in once else _repeats(call) for name, call in calls.items()}
    n_reads = _repeats(read) if read else 1
    gc_was_enabled = gc.isenabled()
    gc.disable()
    try:
        before = time_call(read, n_reads)[0] if read else math.nan
        for i in range(rounds):
            for name, call in calls.items():
                if name in once and i != rounds // 2:
                    continue
                taken, results[name] = time_call(call, numbers[name], clock)
                seconds[name].append(taken)
                if read:
                    after = time_call(read, n_reads)[0]
                    efficiency[name].append((before + after) / 2 / taken)
                    before = after
    finally:
        if gc_was_enabled:
            gc.enable()
    return Samples(seconds, efficiency if read else {}, results)


def ratios(slow: list[float], fast: list[float]) -> list[float]:
    """Return the time of the first call divided by that of the second, round by round.

    If the first call was timed only once, its time is compared with each time of the second call.
    """
    if len(slow) == len(fast):
        return [s / f for s, f in zip(slow, fast)]
    return [float(np.median(slow)) / f for f in fast]


def summary(samples: list[float]) -> Summary:
    lower, median, upper = np.percentile(samples, [25, 50, 75])
    return Summary(float(median), float(lower), float(upper), len(samples))


def _repeats(call: Callable[[], Any]) -> int:
    taken = min(time_call(call)[0] for _ in range(3))
    return max(1, math.ceil(SHORTEST_SAMPLE / taken))


def time_call(
    call: Callable[[], Any], number: int = 1, clock: Callable[[], float] = perf_counter
) -> tuple[float, Any]:
    """Return the mean time per call in seconds, and the last result."""
    start = clock()
    for _ in range(number):
        result = call()
    return (clock() - start) / number, result
