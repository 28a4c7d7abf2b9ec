"""Odd inputs to what scores many predictions, accumulates, or counts a table's columns."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastkappa import (
    ConfusionAccumulator,
    confusion_counts,
    confusion_from_table,
    leaderboard,
    score_many,
)

TRUTH = [0, 1, 2, 2, 1, 0]


@pytest.mark.parametrize("axis", [2, -1, True, 1.0, "x", [0], np.array([0, 1])])
def test_what_is_no_axis(axis: Any) -> None:
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
        (lambda: ConfusionAccumulator().update(TRUTH, TRUTH, MASKED), "sample_weight"),
        (lambda: confusion_counts(MASKED, TRUTH), "y1"),
    ],
)
def test_masked_entries_are_not_counted(call: Callable[[], Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must not have masked entries.* position 2"):
        call()
    nothing_masked = np.ma.masked_array(TRUTH)
    assert confusion_counts(nothing_masked, TRUTH).table.tolist() == (2 * np.eye(3)).tolist()


@pytest.mark.parametrize("rng", ["x", 1.5, -1])
def test_what_is_no_seed(rng: Any) -> None:
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
def test_what_are_no_ids(ids: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        leaderboard([0, 1], {"a": (ids, [0, 1])}, ids=ids)


def test_ids_are_the_same_whatever_holds_them() -> None:
    days = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
    for ids, others in (
        (days, days[::-1].astype("M8[s]")),
        ([0, 1], np.array([1, 0], object)),
        (["a", 1], [1, "a"]),
    ):
        result = leaderboard([0, 1], {"a": (others, [1, 0])}, ids=ids, n_resamples=0)
        assert result.kappa.tolist() == [1]


def test_many_labels_are_resampled() -> None:
    truth = np.arange(5000)
    result = leaderboard(truth, [truth, truth[::-1]], n_resamples=5, rng=0)
    assert result.interval[0].tolist() == [1, 1]


def test_an_accumulator_shares_no_array() -> None:
    labels = np.array([1, 2])
    held = ConfusionAccumulator(labels)
    words = ConfusionAccumulator()
    words.update(["a"], ["a"])
    labels[0] = held.labels[0] = 7
    words.table[0, 0] = 9
    assert held.labels.tolist() == [1, 2]
    assert words.table.tolist() == [[1]]


def test_an_empty_accumulator_has_no_agreement() -> None:
    with pytest.raises(ValueError, match="holds no items"):
        ConfusionAccumulator().agreement()


def test_damaged_json() -> None:
    held = ConfusionAccumulator()
    held.update([1, 2], [1, 2])
    text = held.to_json()
    for old, new in (
        ("[1, 2]", "[2, 1]"),
        ("false", '"no"'),
        ("[[1, 0]", f"[[{10**30}, 0]"),
    ):
        assert old in text
        with pytest.raises(ValueError, match="must be the JSON"):
            ConfusionAccumulator.from_json(text.replace(old, new))


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), "2 columns named 'a'"),
        (pd.DataFrame({"a": [1j], "b": [1]}), "'a' cannot be read"),
        (pd.DataFrame({"a": [2**70], "b": [1]}), "'a' cannot be read"),
        ({"a": "xy", "b": "xy"}, "'a' must be an array"),
        ({"a": None, "b": [1]}, "'a' cannot be read"),
    ],
)
def test_columns_that_cannot_be_read(source: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        confusion_from_table(source, "a", "b")


def test_columns_of_frames_that_arrow_does_not_know() -> None:
    for column in (np.array([1, 0], ">i4"), pd.arrays.SparseArray([1, 0])):
        counts = confusion_from_table(pd.DataFrame({"a": column, "b": [1, 1]}), "a", "b")
        assert counts.table.tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("name", [None, ["a"]])
def test_what_names_no_column(name: Any) -> None:
    with pytest.raises(TypeError, match="y1 must be the name"):
        confusion_from_table({"a": [1]}, name, "a")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_result_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,y\n1,a\n2,b\n")
    options = [str(file), str(file), "--id", "id", "--target", "y", "--labels", "b,a"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fastkappa", "leaderboard", *options],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("fastkappa: the result cannot be written")
