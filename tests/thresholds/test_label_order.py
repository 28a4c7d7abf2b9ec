"""Thresholds depend on the label order, which is given, declared, or warned about."""

from __future__ import annotations

import enum
from typing import Any

import pandas as pd
import pyarrow
import pytest

from fastkappa import ThresholdEvaluator, optimal_thresholds
from fastkappa.exceptions import LabelOrderWarning
from tests.helpers.absent import library

polars = library("polars")

ORDER = ["none", "mild", "moderate", "severe"]
POSITIONS = [0, 0, 1, 1, 2, 2, 2, 3]
SCORES = [0.1, 0.4, 0.3, 0.6, 0.7, 0.5, 0.9, 0.8]
STRINGS = [ORDER[i] for i in POSITIONS]
CUTS = [0.2, 0.35, 0.75]


class Pain(enum.Enum):
    none = 7
    mild = 3
    moderate = 9
    severe = 1


class Level(enum.Enum):
    none = "x"
    mild = "c"
    moderate = "b"
    severe = "a"


DECLARED: dict[str, Any] = {
    "pandas": pd.Series(pd.Categorical(STRINGS, ORDER, ordered=True)),
    "polars": polars.Series(STRINGS, dtype=polars.Enum(ORDER)),
    "arrow": pyarrow.DictionaryArray.from_arrays(
        pyarrow.array(POSITIONS, pyarrow.int8()), ORDER, ordered=True
    ),
    "enum of numbers": [Pain[label] for label in STRINGS],
    "enum of strings": [Level[label] for label in STRINGS],
}


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_a_declared_order_is_the_order(declared: Any, weights: Any, drop_in_backend: str) -> None:
    expected = optimal_thresholds(POSITIONS, SCORES, weights=weights)
    found = optimal_thresholds(declared, SCORES, weights=weights)
    assert found.labels.tolist() == ORDER
    assert (found.kappa, found.thresholds.tolist()) == (
        expected.kappa,
        expected.thresholds.tolist(),
    )
    assert found.predict([0.0, 1.0]).tolist() == ["none", "severe"]
    evaluator = ThresholdEvaluator(declared, SCORES, weights=weights)
    assert evaluator.labels.tolist() == ORDER
    assert evaluator(CUTS) == ThresholdEvaluator(POSITIONS, SCORES, weights=weights)(CUTS)


def test_declared_labels_that_do_not_occur_have_a_position() -> None:
    y_true = pd.Series(pd.Categorical(["c", "a", "c", "a"], ["c", "b", "a"], ordered=True))
    found = optimal_thresholds(y_true, [0, 1, 0.25, 0.75])
    assert found.labels.tolist() == ["c", "b", "a"]
    assert found.thresholds.tolist() == [0.5, 0.5]


def test_given_labels_come_before_declared_ones() -> None:
    found = optimal_thresholds(DECLARED["pandas"], SCORES, labels=ORDER[::-1])
    assert found.labels.tolist() == ORDER[::-1]


def test_strings_that_are_numbers_are_in_the_order_of_their_values() -> None:
    found = optimal_thresholds(["9", "9", "10", "10", "11"], [1, 2, 3, 4, 5])
    assert found.labels.tolist() == ["9", "10", "11"]
    assert found.kappa == 1
    evaluator = ThresholdEvaluator(["9", "9", "10", "10", "11"], [1, 2, 3, 4, 5])
    assert evaluator([2.5, 4.5]) == 1


@pytest.mark.parametrize("take", [optimal_thresholds, ThresholdEvaluator])
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_other_strings_are_warned_of(take: Any, weights: Any) -> None:
    with pytest.warns(LabelOrderWarning) as caught:
        take(STRINGS, SCORES, weights=weights)
    assert [(str(warning.message), warning.filename) for warning in caught] == [
        (
            "The meaning of a threshold depends on the order of the labels, which was assumed to be"
            " alphabetical: mild < moderate < none < severe. Pass labels= in the intended order"
            ", or ratings that declare it, such as an ordered categorical.",
            __file__,
        )
    ]
    take(STRINGS, SCORES, labels=ORDER, weights=weights)


def test_two_labels_have_an_order_too() -> None:
    with pytest.warns(LabelOrderWarning, match="alphabetical: high < low"):
        found = optimal_thresholds(["low", "low", "high", "high"], [1, 2, 3, 4])
    assert found.kappa == 0
    assert optimal_thresholds(["low", "high"], [1, 2], labels=["low", "high"]).kappa == 1
