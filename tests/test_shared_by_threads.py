"""Objects that any number of threads may use at the same time, with or without a GIL."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import ConfusionAccumulator, ThresholdEvaluator, compile_scorer
from tests.helpers.fresh_python import run_python

THREADS, ROUNDS = 8, 40
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 5, 3000)
PREDICTIONS = np.where(RNG.random((THREADS, 3000)) < 0.5, Y, RNG.integers(0, 5, (THREADS, 3000)))
SCORES = Y + RNG.normal(size=len(Y))


def in_threads(work: Callable[[int], Any]) -> list[list[Any]]:
    """Return what each thread found in each round, all of them beginning together."""
    together = Barrier(THREADS)

    def rounds(number: int) -> list[Any]:
        together.wait()
        return [work(number) for _ in range(ROUNDS)]

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(rounds, range(THREADS)))


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_a_scorer(drop_in_backend: str, weights: Any) -> None:
    scorer = compile_scorer(weights=weights, labels=range(5))
    found = in_threads(lambda number: scorer(Y, PREDICTIONS[number]))
    assert found == [[scorer(Y, one)] * ROUNDS for one in PREDICTIONS]


def test_an_evaluator(drop_in_backend: str) -> None:
    evaluator = ThresholdEvaluator(Y, SCORES)
    cuts = np.sort(RNG.uniform(0, 4, (THREADS, 4)))
    found = in_threads(lambda number: evaluator(cuts[number]))
    assert found == [[evaluator(one)] * ROUNDS for one in cuts]


def test_an_accumulator(drop_in_backend: str) -> None:
    together = ConfusionAccumulator()
    in_threads(lambda number: together.update(Y, PREDICTIONS[number]))
    one_by_one = ConfusionAccumulator()
    for _ in range(ROUNDS):
        for one in PREDICTIONS:
            one_by_one.update(Y, one)
    assert together.table.sum() == ROUNDS * THREADS * len(Y)
    np.testing.assert_array_equal(together.table, one_by_one.table)


def test_a_result() -> None:
    result = fastkappa.agreement(Y, PREDICTIONS[0])
    fresh = fastkappa.agreement(Y, PREDICTIONS[0])
    found = in_threads(lambda number: str(result))
    assert found == [[str(fresh)] * ROUNDS] * THREADS


def test_calls_on_arrays_of_their_own(drop_in_backend: str) -> None:
    found = in_threads(lambda number: fastkappa.cohen_kappa_score(Y, PREDICTIONS[number]))
    assert found == [[fastkappa.cohen_kappa_score(Y, one)] * ROUNDS for one in PREDICTIONS]


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a GIL")
def test_the_import_does_not_switch_the_gil_on() -> None:
    code = (
        "import sys, fastkappa\n"
        "fastkappa.optimal_thresholds([0, 1], [0, 1])\n"
        "print(fastkappa.show_config() or sys._is_gil_enabled())"
    )
    assert run_python(code).endswith("False\n")
    assert not sys._is_gil_enabled()
