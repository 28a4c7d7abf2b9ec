"""Columns that `confusion_from_source` refuses, and unusual columns that it counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastkappa import confusion_from_source


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
        confusion_from_source(source, "a", "b")


def test_columns_of_frames_that_arrow_does_not_know() -> None:
    for column in (np.array([1, 0], ">i4"), pd.arrays.SparseArray([1, 0])):
        counts = confusion_from_source(pd.DataFrame({"a": column, "b": [1, 1]}), "a", "b")
        assert counts.table.tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("name", [None, ["a"]])
def test_invalid_column_names(name: Any) -> None:
    with pytest.raises(TypeError, match="y1 must be the name"):
        confusion_from_source({"a": [1]}, name, "a")
