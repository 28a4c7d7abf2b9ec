"""The argument ``labels``, valid and invalid."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tests.helpers.absent import library

pl = library("polars")

# Values of labels= for y1 = [0, 1, 2, 2, 3, 1] and y2 = [0, 2, 2, 1, 3, 1], and for the same
# ratings with letters instead of numbers.
LABELS: dict[str, Callable[[], Any]] = {
    "all": lambda: [0, 1, 2, 3],
    "array": lambda: np.arange(4),
    "tuple": lambda: (0, 1, 2, 3),
    "range": lambda: range(4),
    "reordered": lambda: [2, 0, 3, 1],
    "subset": lambda: [1, 2],
    "subset from zero": lambda: [0, 1],
    "extra": lambda: [-1, 0, 1, 2, 3, 4, 10**12],
    "extra huge": lambda: [0, 1, 2**63],
    "extra beyond int64": lambda: [0, 1, 2**70],
    "one": lambda: [1],
    "absent": lambda: [7, 8],
    "some absent": lambda: [7, 1],
    "empty": list,
    "empty array": lambda: np.array([]),
    "empty tuple": lambda: (),
    "floats": lambda: [0.0, 1.0, 2.0, 3.0],
    "parts": lambda: [0.5, 1.0, 2.0],
    "NaN": lambda: [0.0, 1.0, nan],
    "inf": lambda: [0.0, 1.0, inf],
    "bools": lambda: [False, True],
    "None among": lambda: [0, 1, None],
    "strings": lambda: ["a", "b", "c", "d"],
    "strings subset": lambda: ["c", "a"],
    "strings objects": lambda: np.array(["c", "a"], object),
    "strings with None": lambda: ["c", None],
    "strings absent": lambda: ["x"],
    "mixed": lambda: [0, "a", 1],
    "mixed objects": lambda: np.array([0, "a", 1], object),
    "objects": lambda: np.array([0, 1, 2], object),
    "uint64": lambda: np.array([0, 1, 2], np.uint64),
    "int8": lambda: np.array([0, 1, 2], np.int8),
    "column": lambda: np.array([[0], [1], [2]]),
    "row": lambda: np.array([[0, 1, 2]]),
    "nested": lambda: [[0, 1], [2, 3]],
    "ragged": lambda: [[0], [1, 2]],
    "scalar": lambda: 1,
    "zero-dimensional": lambda: np.array(1),
    "str": lambda: "ab",
    "bytes": lambda: [b"a", b"b"],
    "set": lambda: {0, 1, 2},
    "dict": lambda: {0: 1, 1: 2},
    "generator": lambda: (i for i in range(3)),
    "complex": lambda: [0j, 1 + 0j],
    "dates": lambda: np.array([0, 1], "M8[D]"),
    "pandas": lambda: pd.Series([0, 1, 2], index=[5, 6, 7]),
    "pandas Index": lambda: pd.Index([0, 1, 2]),
    "pandas categorical": lambda: pd.Categorical([0, 1, 2]),
    "pandas strings": lambda: pd.Series(["a", "b"]),
    "polars": lambda: pl.Series([0, 1, 2]),
    "pyarrow": lambda: pa.array([0, 1, 2]),
    "repeated": lambda: [0, 1, 1, 2],
    "repeated strings": lambda: ["a", "b", "a"],
    "repeated across types": lambda: [0, 1, 1.0, 2],
}
