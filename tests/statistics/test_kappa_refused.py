"""Tables whose kappa is undefined, and invalid tables and weights."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from fastkappa import kappa_from_confusion
from fastkappa.exceptions import undefined_metric_warning
from tests.helpers.exact_kappa import (
    NAMED,
)

UNDEFINED = {
    "empty": [[0, 0], [0, 0]],
    "one label": [[5]],
    "one label, empty": [[0]],
    "one label of three": [[0, 0, 0], [0, 9, 0], [0, 0, 0]],
    "one label, float": [[0.25, 0], [0, 0]],
}


@pytest.mark.parametrize("weights", NAMED)
@pytest.mark.parametrize("name", UNDEFINED)
def test_undefined(name: str, weights: Any) -> None:
    with pytest.warns(undefined_metric_warning(), match="undefined") as record:
        kappa = kappa_from_confusion(UNDEFINED[name], weights=weights)
    assert math.isnan(kappa)
    assert type(kappa) is float
    assert [warning.filename for warning in record] == [__file__]


def test_undefined_by_its_weights() -> None:
    with pytest.warns(undefined_metric_warning()):
        assert math.isnan(kappa_from_confusion([[3, 1], [2, 4]], weights=[[0, 0], [0, 0]]))


def test_undefined_tables_of_a_stack() -> None:
    stack = np.array([[[20, 5], [10, 15]], [[9, 0], [0, 0]], [[0, 0], [0, 0]]])
    with pytest.warns(undefined_metric_warning(), match="2 of 3 tables") as record:
        kappa = kappa_from_confusion(stack)
    assert kappa[0] == 0.4
    assert np.isnan(kappa[1:]).all()
    assert len(record) == 1


def test_no_other_warning_comes_along() -> None:
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        kappa_from_confusion(np.zeros((2, 3, 3)), weights="linear")
        kappa_from_confusion(np.zeros((3, 3)), weights="quadratic")
    assert [warning.category for warning in record] == [undefined_metric_warning()] * 2


def test_one_cell_off_the_diagonal_is_defined() -> None:
    """If both raters are constant but different, kappa is 0, not 0 / 0."""
    for weights in NAMED:
        assert kappa_from_confusion([[0, 7], [0, 0]], weights=weights) == 0


REFUSED: dict[str, tuple[Any, Any, str]] = {
    "number": (3, None, r"table.*\(\)"),
    "vector": ([1, 2], None, r"table.*\(2,\)"),
    "not square": ([[1, 2, 3], [4, 5, 6]], None, r"table.*\(2, 3\)"),
    "no labels": (np.zeros((0, 0)), None, r"table.*\(0, 0\)"),
    "negative": ([[1, -2], [3, 4]], None, "table.*-2"),
    "negative float": ([[1, -0.5], [3, 4]], None, "table.*-0.5"),
    "negative in a stack": ([[[1, 2], [3, 4]], [[1, 2], [3, -4]]], None, "table.*-4"),
    "NaN": ([[1, math.nan], [3, 4]], None, "table.*NaN"),
    "infinity": ([[1, math.inf], [3, 4]], None, "table.*infinity"),
    "strings": ([["a", "b"], ["c", "d"]], None, "table must contain numbers, got 'a'"),
    "complex": ([[1j, 0], [0, 1]], None, "table must contain numbers, got 1j"),
    "dates": (np.zeros((2, 2), "M8[D]"), None, "table.*datetime"),
    "None among": ([[1, None], [3, 4]], None, "table"),
    "name": ([[1, 2], [3, 4]], "cubic", "weights.*'cubic'"),
    "weights of other labels": ([[1, 2], [3, 4]], 1 - np.eye(3), r"weights.*\(2, 2\).*\(3, 3\)"),
    "weight vector": ([[1, 2], [3, 4]], [0, 1], r"weights.*\(2, 2\).*\(2,\)"),
    "weight number": ([[1, 2], [3, 4]], 1, r"weights.*\(\)"),
    "negative weights": ([[1, 2], [3, 4]], [[0, -1], [1, 0]], "weights.*negative.*-1"),
    "NaN weights": ([[1, 2], [3, 4]], [[0, math.nan], [1, 0]], "weights.*NaN"),
    "infinite weights": ([[1, 2], [3, 4]], [[0, math.inf], [1, 0]], "weights.*infinity"),
    "string weights": (
        [[1, 2], [3, 4]],
        [["0", "1"], ["1", "0"]],
        "weights must contain numbers, got '0'",
    ),
    "agreement weights": ([[1, 2], [3, 4]], [[1, 0], [0, 1]], r"diagonal.*\[1, 1\]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    table, weights, match = REFUSED[name]
    with pytest.raises(ValueError, match=match):
        kappa_from_confusion(table, weights=weights)
