"""Objects that any number of threads can use at the same time, with or without a GIL."""

from __future__ import annotations

import gc
import sys
import sysconfig
import weakref
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
    """Return the results of each thread in each round; all threads start together."""
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


@pytest.mark.parametrize("shared", [False, True])
def test_what_threads_have_called_is_freed(drop_in_backend: str, shared: bool) -> None:
    """Without a GIL, references are not counted exactly, so the collector must find the objects."""
    called: list[Any] = [ThresholdEvaluator(Y, SCORES), compile_scorer(range(5))]
    alive = [weakref.ref(one) for one in called]
    arguments = ([np.arange(0.5, 4)], [Y, PREDICTIONS[0]])
    if shared:
        in_threads(lambda _: [one(*given) for one, given in zip(called, arguments)])
    else:
        assert all(0 < one(*given) < 1 for one, given in zip(called, arguments))
    called.clear()
    # Functions compiled by numba can keep their arguments for a while.
    if shared or drop_in_backend != "cython":
        gc.collect()
    assert [one() for one in alive] == [None, None]


def test_an_accumulator(drop_in_backend: str) -> None:
    together = ConfusionAccumulator()
    in_threads(lambda number: together.update(Y, PREDICTIONS[number]))
    one_by_one = ConfusionAccumulator()
    for _ in range(ROUNDS):
        for one in PREDICTIONS:
            one_by_one.update(Y, one)
    assert together.table.sum() == ROUNDS * THREADS * len(Y)
    np.testing.assert_array_equal(together.table, one_by_one.table)


def test_an_accumulator_that_is_read_meanwhile(drop_in_backend: str) -> None:
    """A snapshot is consistent: it contains complete batches of one accumulator."""
    together, other = ConfusionAccumulator(), ConfusionAccumulator()
    other.update(["no", "yes"], ["yes", "yes"])
    words = np.array(["a", "b", "c", "d", "e"])
    # Accumulators without weights cannot be merged into one that has only weighted items.
    together.update(words[Y], words[PREDICTIONS[0]])

    def work(number: int) -> None:
        if number == 0:
            together.update(words[Y], words[PREDICTIONS[0]], sample_weight=np.full(len(Y), 0.5))
            together.subtract(words[Y], words[PREDICTIONS[0]], sample_weight=np.full(len(Y), 0.5))
        elif number == 1:
            copy = ConfusionAccumulator.from_json(together.to_json())
            copy.merge(together)
        elif number == 2:
            together.merge(other)
        elif number == 3:
            assert together.counts().table.sum() % 0.5 == 0
            repr(together)
        else:
            together.update(words[Y], words[PREDICTIONS[number]])

    in_threads(work)
    expected = ConfusionAccumulator()
    expected.update(words[Y], words[PREDICTIONS[0]])
    for number in range(4, THREADS):
        for _ in range(ROUNDS):
            expected.update(words[Y], words[PREDICTIONS[number]])
    for _ in range(ROUNDS):
        expected.merge(other)
    np.testing.assert_array_equal(together.table, expected.table)
    assert together.labels.tolist() == expected.labels.tolist()


def test_ratings_of_several() -> None:
    ratings = fastkappa.Ratings.from_raters(list(PREDICTIONS))
    found = in_threads(
        lambda number: (
            fastkappa.fleiss_kappa(ratings).value,
            fastkappa.gwet_ac1(ratings).value,
            fastkappa.krippendorff_alpha(ratings).value,
        )
    )
    fresh = fastkappa.Ratings.from_raters(list(PREDICTIONS))
    expected = tuple(
        coefficient(fresh).value
        for coefficient in (
            fastkappa.fleiss_kappa,
            fastkappa.gwet_ac1,
            fastkappa.krippendorff_alpha,
        )
    )
    assert found == [[expected] * ROUNDS] * THREADS


def test_the_first_calls_of_a_process(backend: str) -> None:
    """The first thread imports modules and compiles numba functions."""
    code = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import numpy as np
import fastkappa
together = Barrier(8)
y1, y2 = np.arange(5000) % 5, np.arange(5000) % 3
calls = [
    lambda: fastkappa.cohen_kappa_score(y1, y2),
    lambda: fastkappa.confusion_counts(y1, y2).table.sum(),
    lambda: fastkappa.optimal_thresholds(y1, y2 + 0.5).kappa,
    lambda: fastkappa.agreement(y1, y2).kappa,
]
def call(number):
    together.wait()
    return calls[number % 4]()
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(call, range(8)))
assert found[:4] == found[4:] == [call() for call in calls], found
"""
    run_python(code, FASTKAPPA_BACKEND=backend)


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
