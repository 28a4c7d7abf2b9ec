"""Whole calls, for the order of errors and for cases that need more than one argument."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd

CALLS: dict[str, Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "different lengths": lambda: (([0, 1, 0], [0, 1]), {}),
    "all lengths differ": lambda: (([0, 1, 0], [0, 1]), {"sample_weight": [1]}),
    "weights of another length": lambda: (([0, 1], [0, 1]), {"sample_weight": [1, 2, 3]}),
    "lengths before NaN": lambda: (([0, nan], [0, 1, 1]), {}),
    "lengths before labels": lambda: (([0, 1], [0, 1, 1]), {"labels": []}),
    "lengths before mixture": lambda: ((["a", "b"], [0, 1, 1]), {}),
    "NaN in both": lambda: (([0, nan], [nan, 1]), {}),
    "NaN in y_true, inf in y_pred": lambda: (([0, nan], [inf, 1]), {}),
    "NaN in y_true, matrix in y_pred": lambda: (([0, nan], [[1, 0], [0, 1]]), {}),
    "NaN before NaN weights": lambda: (([0, nan], [0, 1]), {"sample_weight": [nan, 1]}),
    "NaN weights before mixture": lambda: ((["a", "b"], [0, 1]), {"sample_weight": [nan, 1]}),
    "NaN weights before parts": lambda: (([0.5, 1], [0, 1]), {"sample_weight": [nan, 1]}),
    "NaN weights before labels": lambda: (
        ([0, 1], [0, 1]),
        {"sample_weight": [nan, 1], "labels": []},
    ),
    "mixture before labels": lambda: ((["a", "b"], [0, 1]), {"labels": []}),
    "matrix weights before mixture": lambda: (
        (["a", "b"], [0, 1]),
        {"sample_weight": np.ones((2, 2))},
    ),
    "matrix weights before labels": lambda: (
        ([0, 1], [0, 1]),
        {"sample_weight": np.ones((2, 2)), "labels": []},
    ),
    "zero weights before mixture": lambda: ((["a", "b"], [0, 1]), {"sample_weight": [0, 0]}),
    "zero weights before absent labels": lambda: (
        ([0, 1], [0, 1]),
        {"sample_weight": [0, 0], "labels": [5]},
    ),
    "zero weights in the table only": lambda: (
        ([0, 1, 2], [0, 1, 2]),
        {"sample_weight": [0, 0, 1], "labels": [0, 1]},
    ),
    "zero float weights in the table only": lambda: (
        ([0, 1, 2], [0, 1, 2]),
        {"sample_weight": [0.0, 0.0, 1.0], "labels": [0, 1]},
    ),
    "NaN weight outside the table": lambda: (
        ([0, 1, 2], [0, 1, 2]),
        {"sample_weight": [1.0, 1.0, nan], "labels": [0, 1]},
    ),
    "infinite weight outside the table": lambda: (
        ([0, 1, 2], [0, 1, 2]),
        {"sample_weight": [1.0, 1.0, inf], "labels": [0, 1]},
    ),
    "zero weight of a label": lambda: (([0, 1, 2], [0, 1, 2]), {"sample_weight": [1, 1, 0]}),
    "zero weights but for one label": lambda: (
        ([0, 1, 2], [0, 1, 2]),
        {"sample_weight": [1, 0, 0]},
    ),
    "labels only in y2": lambda: (([0, 0, 1], [2, 2, 1]), {"labels": [2]}),
    "labels only in y1": lambda: (([2, 2, 1], [0, 0, 1]), {"labels": [2]}),
    "labels never together": lambda: (([0, 1, 2], [1, 2, 0]), {"labels": [0, 3]}),
    "labels in y1, pairs outside": lambda: (([0, 1, 2], [3, 3, 3]), {"labels": [0, 1]}),
    "two labels, one in common": lambda: (([0, 0, 1], [0, 0, 2]), {"labels": [0, 1]}),
    "one sample": lambda: (([1], [1]), {}),
    "one sample, disagreeing": lambda: (([1], [0]), {}),
    "one sample, quadratic": lambda: (([1], [1]), {"labels": [0, 1]}),
    "one string": lambda: ((["a"], ["a"]), {}),
    "all the same": lambda: (([3] * 5, [3] * 5), {}),
    "one label given": lambda: (([3] * 5, [3] * 5), {"labels": [3]}),
    "one label of several given": lambda: (([0, 1, 2], [0, 1, 1]), {"labels": [1]}),
    "full disagreement": lambda: (([0, 1, 0, 1], [1, 0, 1, 0]), {}),
    "disjoint": lambda: (([0, 1, 0, 1], [2, 3, 2, 3]), {}),
    "constant first": lambda: (([0, 0, 0], [0, 1, 2]), {}),
    "constant second": lambda: (([0, 1, 2], [0, 0, 0]), {}),
    "bools and ints": lambda: ((np.array([True, False, True]), np.array([0, 1, 2])), {}),
    "bools and floats": lambda: ((np.array([True, False, True]), np.array([0.0, 1.0, 2.0])), {}),
    "int64 and uint64": lambda: (
        (np.array([-1, 0, 2]), np.array([2**63, 0, 2**64 - 1], np.uint64)),
        {},
    ),
    "int and uint64, same": lambda: (
        (np.array([1, 0, 2]), np.array([1, 2, 0], np.uint64)),
        {},
    ),
    "uint64 and float": lambda: (
        (np.array([1, 0, 2**60], np.uint64), np.array([1.0, 0.0, 2.0**60])),
        {},
    ),
    "bool labels of bools": lambda: (
        (np.array([True, False, True]), np.array([True, True, False])),
        {"labels": [True, False]},
    ),
    "int labels of bools": lambda: (
        (np.array([True, False, True]), np.array([True, True, False])),
        {"labels": [1, 0]},
    ),
    "date labels": lambda: (
        (np.array([0, 1, 1], "M8[D]"), np.array([1, 0, 1], "M8[D]")),
        {"labels": np.array([1, 0], "M8[D]")},
    ),
    "date labels of another unit": lambda: (
        (np.array([0, 1, 1], "M8[D]"), np.array([1, 0, 1], "M8[D]")),
        {"labels": np.array([86400, 0], "M8[s]")},
    ),
    "dates of two units": lambda: (
        (np.array([0, 1, 1], "M8[D]"), np.array([86400, 0, 86400], "M8[s]")),
        {},
    ),
    "dates and ints": lambda: ((np.array([0, 1, 1], "M8[D]"), np.array([1, 0, 1])), {}),
    "dates and durations": lambda: (
        (np.array([0, 1, 1], "M8[D]"), np.array([0, 1, 1], "m8[D]")),
        {},
    ),
    "strings and categories": lambda: (
        (["a", "b", "c"], pd.Series(["a", "c", "b"], dtype="category")),
        {},
    ),
    "categories of other orders": lambda: (
        (
            pd.Categorical(["a", "b", "c"], categories=["c", "a", "b"]),
            pd.Categorical(["a", "c", "b"], categories=["b", "a", "c", "d"]),
        ),
        {},
    ),
    "categories with labels": lambda: (
        (pd.Categorical(["a", "b", "c"]), pd.Categorical(["a", "c", "b"])),
        {"labels": ["c", "b"]},
    ),
    "categories with absent labels": lambda: (
        (pd.Categorical(["a", "b"], categories=["a", "b", "c"]), pd.Categorical(["a", "c"])),
        {"labels": ["c"]},
    ),
    "int categories with labels": lambda: (
        (pd.Categorical([1, 2, 3]), pd.Categorical([1, 3, 2])),
        {"labels": [3, 1]},
    ),
    "strings longer than labels": lambda: (
        (["aa", "a", "b"], ["aa", "b", "b"]),
        {"labels": ["a", "b"]},
    ),
    "numpy strings with object labels": lambda: (
        (np.array(["a", "b", "b"]), np.array(["a", "a", "b"])),
        {"labels": np.array(["b", "a"], object)},
    ),
    "strings mixed across columns": lambda: ((["a", "b", "a"], [1, 2, 1]), {}),
    "strings mixed with three": lambda: ((["a", "b", "c"], [1, 2, 1]), {}),
    "strings and bools": lambda: ((["a", "b"], [True, False]), {}),
    "strings and floats": lambda: ((["a", "b"], [1.0, 2.0]), {}),
    "binary and continuous": lambda: (([0, 1, 0], [0.1, 0.2, 0.3]), {}),
    "continuous and multiclass": lambda: (([0.1, 0.2, 0.3], [0, 1, 2]), {}),
    "continuous and strings": lambda: (([0.1, 0.2], ["a", "b"]), {}),
    "both continuous": lambda: (([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]), {}),
    "indicator and binary": lambda: (([[0, 1], [1, 0]], [0, 1]), {}),
    "row and column": lambda: ((np.array([[0, 1, 2]]), np.array([[0], [1], [2]])), {}),
    "rows": lambda: ((np.array([[0, 1]]), np.array([[1, 0]])), {}),
    "three dimensions both": lambda: ((np.zeros((2, 2, 2)), np.zeros((2, 2, 2))), {}),
    "more than twenty classes": lambda: ((list(range(30)), list(range(30))), {}),
    "middle class missing": lambda: (([0, 1, 3, 3, 0], [0, 3, 3, 1, 0]), {}),
    "middle class given": lambda: (([0, 1, 3, 3, 0], [0, 3, 3, 1, 0]), {"labels": [0, 1, 2, 3]}),
    "weights of strings": lambda: (
        (["a", "b", "a"], ["a", "b", "b"]),
        {"sample_weight": [1, 2, 3]},
    ),
    "weights cancel in a row": lambda: (
        ([0, 0, 1, 1], [0, 0, 1, 0]),
        {"sample_weight": [1, -1, 2, 1]},
    ),
    "weights cancel in all": lambda: (
        ([0, 0, 1, 1], [0, 1, 1, 0]),
        {"sample_weight": [1, -1, 1, -1]},
    ),
}
