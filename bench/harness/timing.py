"""Times of calls made in turn, and their ratios.

The speed of a shared machine changes within minutes, so a time says little. Calls that
are compared are timed in turn, round after round, and each round gives a ratio.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Collection
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

# One sample of a short call is a loop that takes at least so many seconds.
SHORTEST_SAMPLE = 2e-3


class Summary(NamedTuple):
    """The median and the quartiles of some ratios."""

    median: float
    lower: float
    upper: float
    n: int


class Samples(NamedTuple):
    """What was measured, by the name of the call.

    Attributes
    ----------
    seconds : dict of lists
        One time a round.
    efficiency : dict of lists
        The time to read the arrays, measured just before and just after, over the time
        of the call; empty if there is nothing to read.
    results : dict
        What each call returned last.
    """

    seconds: dict[str, list[float]]
    efficiency: dict[str, list[float]]
    results: dict[str, Any]

    def ratio(self, slow: str, fast: str) -> Summary:
        """Return how many times as long one call took as another."""
        return summary(ratios(self.seconds[slow], self.seconds[fast]))


def measure(
    calls: dict[str, Callable[[], Any]],
    rounds: int,
    *,
    read: Callable[[], Any] | None = None,
    once: Collection[str] = (),
    clock: Callable[[], float] = perf_counter,
) -> Samples:
    """Time the calls in turn; those in ``once`` in the middle round only, and not warmed up.

    Calls in one thread may be timed by ``time.process_time``, which a busy machine disturbs less.
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
    """Return how many times as long the first took, round by round.

    Where the first was timed once only, its one time is compared with each of the others.
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
    """Return the seconds of one call, on average, and its result."""
    start = clock()
    for _ in range(number):
        result = call()
    return (clock() - start) / number, result
