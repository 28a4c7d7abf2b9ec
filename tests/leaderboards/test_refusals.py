"""Invalid and unusual inputs of many predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    ConfusionAccumulator,
    confusion_counts,
    leaderboard,
    score_many,
)

TRUTH = [0, 1, 2, 2, 1, 0]


@pytest.mark.parametrize("axis", [2, -1, True, 1.0, "x", [0], np.array([0, 1])])
def test_invalid_axis(axis: Any) -> None:
    with pytest.raises(ValueError, match="axis must be 0 or 1"):
        score_many(TRUTH, np.array([TRUTH, TRUTH]), axis=axis)


@pytest.mark.parametrize("ratings", [[0.5] * 6, list("abcabc"), 1, "abcdef", np.zeros(6, complex)])
def test_an_error_names_the_prediction(ratings: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="prediction 'mine'"):
        score_many(TRUTH, {"mine": ratings})


MASKED = np.ma.masked_array(TRUTH, mask=[0, 0, 1, 0, 0, 0])


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: score_many(MASKED, [TRUTH]), "y_true"),
        (lambda: score_many(TRUTH, {"mine": MASKED}), "prediction 'mine'"),
        (lambda: score_many(TRUTH, np.ma.stack([MASKED, MASKED]), axis=1), "prediction 0"),
        (lambda: score_many(TRUTH, [TRUTH], sample_weight=MASKED), "sample_weight"),
        (lambda: leaderboard(TRUTH, {"mine": MASKED}), "prediction 'mine'"),
        (lambda: ConfusionAccumulator().update(TRUTH, MASKED), "y2"),
        (
            lambda: ConfusionAccumulator().update(TRUTH, TRUTH, sample_weight=MASKED),
            "sample_weight",
        ),
        (lambda: confusion_counts(MASKED, TRUTH), "y1"),
    ],
)
def test_masked_entries_are_not_counted(call: Callable[[], Any], name: str) -> None:
    with pytest.raises(
        ValueError, match=f"^{name} (must not have masked|has 1 missing).* position 2"
    ):
        call()
    nothing_masked = np.ma.masked_array(TRUTH)
    assert confusion_counts(nothing_masked, TRUTH).table.tolist() == (2 * np.eye(3)).tolist()


@pytest.mark.parametrize("rng", ["x", 1.5, -1])
def test_invalid_seed(rng: Any) -> None:
    with pytest.raises(ValueError, match="rng must be"):
        leaderboard(TRUTH, [TRUTH], rng=rng)


@pytest.mark.parametrize(
    ("ids", "problem"),
    [
        ([np.nan, 1], "missing"),
        ([1.5, 1], "got 1.5"),
        (np.array(["2020-01-01", "NaT"], "M8[D]"), "missing"),
        (np.array(["a", "a"], object), "distinct"),
    ],
)
def test_invalid_ids(ids: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        leaderboard([0, 1], {"a": (ids, [0, 1])}, ids=ids)


def test_ids_match_across_types() -> None:
    days = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
    for ids, others in (
        (days, days[::-1].astype("M8[s]")),
        ([0, 1], np.array([1, 0], object)),
        (["a", 1], [1, "a"]),
    ):
        result = leaderboard([0, 1], {"a": (others, [1, 0])}, ids=ids, n_resamples=0)
        assert result.kappa.tolist() == [1]


@pytest.mark.slow
def test_many_labels_are_resampled() -> None:
    truth = np.arange(5000)
    result = leaderboard(truth, [truth.copy(), truth[::-1]], n_resamples=39, rng=0)
    assert result.interval[0].tolist() == [1, 1]


@pytest.mark.parametrize("rank", [score_many, lambda y, p: leaderboard(y, p, n_resamples=0)])
def test_predictions_in_the_place_of_the_truth(rank: Any) -> None:
    with pytest.raises(TypeError, match=r"y_true must be a list or an array, .*got \{'a': \[1, 2"):
        rank({"a": [1, 2, 1]}, [1, 2, 1])
