"""Time every contender on every case with pytest-benchmark.

To compare contenders, use `bench.harness.sweep` and `bench.harness.targets`, which alternate
between them.
"""

from __future__ import annotations

import functools

import numpy as np

from bench.harness import reference
from bench.harness.cases import Case, make_ratings
from bench.harness.contenders import Contender
from bench.harness.measurements import LARGE, SMALL


@functools.lru_cache(maxsize=1)
def ratings(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return both columns and their table. Only the arrays of the latest case are kept."""
    ratings.cache_clear()  # free the arrays of the previous case before creating new ones
    y1, y2 = make_ratings(case)
    return y1, y2, reference.count(case, y1, y2)


def time_it(benchmark, case: Case, contender: Contender) -> None:
    """Compare the result with the reference, then time the contender."""
    benchmark.group = f"{contender.gives}: {case}"
    benchmark.extra_info.update(case._asdict(), contender=contender.name)
    once = contender.slow and case.n >= LARGE
    checked = case._replace(n=SMALL) if once else case
    y1, y2, table = ratings(checked)
    result = contender.prepare(checked)(y1, y2)
    reference.check(contender.name, result, table, contender.tolerance)
    function = contender.prepare(case)
    if once:
        y1, y2, table = ratings(case)
        result = benchmark.pedantic(function, (y1, y2), rounds=1)
        reference.check(contender.name, result, table, contender.tolerance)
    elif case.n >= LARGE:
        benchmark.pedantic(function, (y1, y2), rounds=5)
    else:
        benchmark(function, y1, y2)


def test_table(benchmark, case, contender):
    time_it(benchmark, case, contender)


def test_kappa(benchmark, case, contender):
    time_it(benchmark, case, contender)
