"""Scores that another thread changes during a call, and evaluators shared by threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from fastkappa import ThresholdEvaluator, kappa_from_confusion, optimal_thresholds
from fastkappa.kernels import dispatch
from fastkappa.kernels.dispatch import score_kernels
from fastkappa.thresholds.items import binned_scores
from fastkappa.thresholds.items.binned_scores import BinnedScores, bin_scores
from fastkappa.thresholds.items.grouped_scores import group_scores
from fastkappa.thresholds.items.scored_items import read_scored_items
from tests.helpers.absent import library
from tests.helpers.quick import n_examples

KappaRounder = library("fastkappa.estimators").KappaRounder

THREADS = 8
CHANGED = "y_true or scores were changed while they were being read, perhaps by another thread"


def items_to_change(n: int, dtype: Any) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 3, n), rng.normal(size=n).astype(dtype)


def change(array: Any, how: str) -> None:
    """Move every score into one bin, into another bin, or outside all bins."""
    array[:] = {"one": 0, "other": array[::-1].copy(), "high": 1e30, "nan": np.nan}[how]


class Changing:
    """Make score kernels that change the scores before these are written in groups."""

    def __init__(self, kernels: Any, scores: Any, how: str) -> None:
        self._kernels, self._scores = kernels, scores
        # Created once, because a second thread that moved the scores again would move them back.
        self._changed = scores.copy()
        change(self._changed, how)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernels, name)

    def group_scores(self, *arguments: Any) -> int:
        self._scores[:] = self._changed
        n_refused: int = self._kernels.group_scores(*arguments)
        return n_refused


@pytest.mark.parametrize("how", ["one", "other", "high", "nan"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 2])
def test_scores_that_change_before_they_are_written(
    kernels: Any, monkeypatch: pytest.MonkeyPatch, how: str, dtype: Any, threads: int
) -> None:
    monkeypatch.setattr(binned_scores, "ITEMS_WORTH_A_THREAD", 1 << 14)
    y_true, scores = items_to_change(40_001, dtype)
    items = read_scored_items(kernels, y_true, scores, None, None, threads)
    changing: Any = Changing(score_kernels(kernels), scores, how)
    if how == "other" and threads == 1:
        # Each bin has as many items as before, so there is no error.
        assert len(group_scores(changing, items, threads).scores) == 40_001
        return
    with pytest.raises(RuntimeError, match=CHANGED):
        group_scores(changing, items, threads)


@pytest.mark.parametrize("how", ["one", "high", "nan"])
@pytest.mark.parametrize("threads", [1, 2])
def test_scores_that_change_before_they_are_grouped(
    kernels: Any, monkeypatch: pytest.MonkeyPatch, how: str, threads: int
) -> None:
    """The parts of several threads are counted again: one can have more than all had before."""
    monkeypatch.setattr(binned_scores, "ITEMS_WORTH_A_THREAD", 1 << 14)
    y_true, scores = items_to_change(40_001, np.float64)
    items = read_scored_items(kernels, y_true, scores, None, None, threads)
    binned = bin_scores(score_kernels(kernels), items, 500, threads)
    assert binned is not None
    change(scores, how)
    with pytest.raises(RuntimeError, match=CHANGED):
        binned.grouped()


@pytest.mark.parametrize("how", ["one", "high", "nan"])
def test_scores_that_change_before_they_are_collected(kernels: Any, how: str) -> None:
    y_true, scores = items_to_change(40_001, np.float64)
    items = read_scored_items(kernels, y_true, scores, None, None, 1)
    binned = bin_scores(score_kernels(kernels), items, 500, 1)
    assert binned is not None
    for bins in (np.arange(10), np.arange(240, 260)):
        change(scores, how)
        with pytest.raises(RuntimeError, match=CHANGED):
            binned.collect(bins)


@pytest.mark.parametrize("n", [100, 40_001])
@pytest.mark.parametrize("weighted", [False, True])
def test_labels_that_change(kernels: Any, n: int, weighted: bool) -> None:
    y_true, scores = items_to_change(n, np.float64)
    weights = np.ones(n, np.int64) if weighted else None
    items = read_scored_items(kernels, y_true, scores, None, weights, 1)
    y_true[n // 2] = 1000
    with pytest.raises(RuntimeError, match=CHANGED):
        group_scores(score_kernels(kernels), items, 1)


def test_the_error_reaches_the_user(drop_in_backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, take in (("grouped", ThresholdEvaluator), ("collect", optimal_thresholds)):
        noise, scores = items_to_change(100_000, np.float64)
        y_true = np.searchsorted([-0.5, 0.5], scores + noise / 10)
        method = getattr(BinnedScores, name)

        def changed(
            self: BinnedScores, *given: Any, scores: Any = scores, method: Any = method
        ) -> Any:
            scores[:] = 1e30
            return method(self, *given)

        monkeypatch.setattr(BinnedScores, name, changed)
        with pytest.raises(RuntimeError, match=CHANGED):
            take(y_true, scores)


def in_threads(work: Any) -> list[Any]:
    """Return the results of each thread; all start together and are often interrupted."""
    start = Barrier(THREADS)

    def begin(number: int) -> Any:
        start.wait()
        return work(number)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            return list(pool.map(begin, range(THREADS)))
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("weighted", ["no", "whole", "fractions"])
def test_threads_share_an_evaluator(drop_in_backend: str, weighted: str) -> None:
    """Each kappa equals that of the table counted at its own thresholds."""
    n_kappas = n_examples(20_000 if weighted == "no" else 4_000)
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 5, 2000)
    scores = y_true + rng.normal(size=2000)
    weights = {"no": None, "whole": rng.integers(1, 4, 2000), "fractions": rng.random(2000)}
    evaluator = ThresholdEvaluator(y_true, scores, sample_weight=weights[weighted])
    cuts = np.sort(rng.uniform(-1, 5, (50, 4)), axis=1)
    expected = []
    for row in cuts:
        table = np.zeros((5, 5))
        given = 1 if weights[weighted] is None else weights[weighted]
        np.add.at(table, (y_true, np.searchsorted(row, scores, side="right")), given)
        expected.append(kappa_from_confusion(table, weights="quadratic"))

    def work(number: int) -> int:
        n_wrong = 0
        for i in range(n_kappas // THREADS):
            at = (7 * number + i) % len(cuts)
            n_wrong += abs(evaluator(cuts[at]) - expected[at]) > 1e-12
            if i % 500 == 0:
                n_wrong += int((abs(evaluator.many(cuts) - expected) > 1e-12).sum())
                n_wrong += evaluator.confusion(cuts[at]).shape != (5, 5)
        return n_wrong

    assert in_threads(work) == [0] * THREADS


def test_threads_share_a_rounder_and_a_result(drop_in_backend: str) -> None:
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 4, 500)
    scores = y_true + rng.normal(size=500)
    result = optimal_thresholds(y_true, scores)
    rounder = KappaRounder(cv=None).fit(scores, y_true)
    labels, rounded = result.predict(scores), rounder.predict(scores)
    kappa = rounder.score(scores, y_true)

    def work(number: int) -> bool:
        return all(
            rounder.score(scores, y_true) == kappa
            and (rounder.predict(scores) == rounded).all()
            and (result.predict(scores) == labels).all()
            for _ in range(20)
        )

    assert all(in_threads(work))


@pytest.mark.slow
def test_threads_that_compile_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """numba compiles a loop at its first call, here in all threads at once."""
    numba = pytest.importorskip("numba")
    from fastkappa.shortcuts import numba_thresholds

    y_true, scores = items_to_change(300, np.float64)
    monkeypatch.setenv("FASTKAPPA_BACKEND", "numba")
    dispatch.forget_choice()
    evaluator = ThresholdEvaluator(y_true, scores)
    fresh = numba.njit(nogil=True)(numba_thresholds._kappas.py_func)
    monkeypatch.setattr(numba_thresholds, "_kappas", fresh)
    found = in_threads(lambda number: evaluator([number / 8, 1 + number / 8]))
    monkeypatch.undo()
    dispatch.forget_choice()
    expected = [evaluator.confusion([i / 8, 1 + i / 8]) for i in range(THREADS)]
    assert len(fresh.signatures) == 1
    assert found == [kappa_from_confusion(table, weights="quadratic") for table in expected]
