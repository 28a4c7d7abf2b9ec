"""Weights of six items, valid and invalid."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tests.helpers.absent import library

pl = library("polars")

SAMPLE_WEIGHTS: dict[str, Callable[[], Any]] = {
    "list of ints": lambda: [1, 2, 3, 4, 5, 6],
    "tuple": lambda: (1, 2, 3, 4, 5, 6),
    "range": lambda: range(6),
    "list of floats": lambda: [0.5, 1.5, 2.0, 0.25, 3.0, 1.0],
    "floats of one": lambda: np.ones(6),
    "ints of one": lambda: np.ones(6, int),
    "bools": lambda: np.array([True, False, True, True, True, False]),
    "int8": lambda: np.array([1, -2, 3, 4, 5, 6], np.int8),
    "uint8": lambda: np.full(6, 255, np.uint8),
    "uint32": lambda: np.full(6, 2**32 - 1, np.uint32),
    "uint64": lambda: np.full(6, 2**60, np.uint64),
    "big endian": lambda: np.array([1, 2, 3, 4, 5, 6], ">i8"),
    "float16": lambda: np.array([1, 2, 3, 4, 5, 6], np.float16),
    "float32": lambda: np.array([0.1, 2, 3, 4, 5, 6], np.float32),
    "longdouble": lambda: np.array([0.1, 2, 3, 4, 5, 6], np.longdouble),
    "strided": lambda: np.arange(12)[::2],
    "reversed": lambda: np.arange(6)[::-1],
    "some zeros": lambda: [0, 0, 1, 0, 0, 0],
    "some negative": lambda: [1, -1, 2, 3, -0.5, 1],
    "negative": lambda: [-1, -2, -3, -4, -5, -6],
    "cancelling": lambda: [1, -1, 1, -1, 1, -1],
    "cancelling floats": lambda: [1.0, -1.0, 1.0, -1.0, 1.0, -1.0],
    "all zero": lambda: [0] * 6,
    "all zero floats": lambda: [0.0] * 6,
    "all negative zero": lambda: [-0.0] * 6,
    "tiny": lambda: [5e-324] * 6,
    "huge floats": lambda: [1e308] * 6,
    "NaN": lambda: [1.0, nan, 1.0, 1.0, 1.0, 1.0],
    "inf": lambda: [1.0, inf, 1.0, 1.0, 1.0, 1.0],
    "minus inf": lambda: [1.0, -inf, 1.0, 1.0, 1.0, 1.0],
    "inf and minus inf": lambda: [inf, -inf, 1.0, 1.0, 1.0, 1.0],
    "NaN float32": lambda: np.array([1.0, nan, 1.0, 1.0, 1.0, 1.0], np.float32),
    "None among": lambda: [1, None, 1, 1, 1, 1],
    "strings": lambda: ["a"] * 6,
    "digits": lambda: ["1"] * 6,
    "objects": lambda: np.array([1, 2, 3, 4, 5, 6], object),
    "object parts": lambda: np.array([1, 2.5, 3, 4, 5, 6], object),
    "decimals": lambda: [decimal.Decimal(1)] * 6,
    "complex": lambda: np.ones(6) * 1j,
    "bytes": lambda: np.array([b"1"] * 6),
    "dates": lambda: np.arange(6).astype("M8[D]"),
    "durations": lambda: np.arange(6).astype("m8[D]"),
    "column": lambda: np.ones((6, 1)),
    "row": lambda: np.ones((1, 6)),
    "matrix": lambda: np.ones((6, 2)),
    "cube": lambda: np.ones((6, 1, 1)),
    "short": lambda: [1, 2, 3],
    "long": lambda: [1] * 7,
    "empty": list,
    "scalar": lambda: 2.0,
    "int scalar": lambda: 2,
    "zero scalar": lambda: 0,
    "numpy scalar": lambda: np.float64(2.0),
    "zero-dimensional": lambda: np.array(2.0),
    "str": lambda: "abcdef",
    "set": lambda: {1, 2, 3, 4, 5, 6},
    "dict": lambda: dict.fromkeys(range(6), 1),
    "generator": lambda: (1 for _ in range(6)),
    "masked": lambda: np.ma.array(np.arange(6), mask=[1, 0, 0, 0, 0, 0]),
    "pandas": lambda: pd.Series([1, 2, 3, 4, 5, 6], index=[9, 8, 7, 6, 5, 4]),
    "pandas Float64": lambda: pd.Series([1, 2, 3, 4, 5, 6], dtype="Float64"),
    "pandas Int64": lambda: pd.Series([1, 2, 3, 4, 5, 6], dtype="Int64"),
    "pandas NA": lambda: pd.Series([1, None, 3, 4, 5, 6], dtype="Int64"),
    "pandas categorical": lambda: pd.Series([1, 2, 3, 4, 5, 6], dtype="category"),
    "pandas frame": lambda: pd.DataFrame({"w": [1, 2, 3, 4, 5, 6]}),
    "polars": lambda: pl.Series([1.0, 2, 3, 4, 5, 6]),
    "polars null": lambda: pl.Series([1.0, None, 3, 4, 5, 6]),
    "pyarrow": lambda: pa.array([1.0, 2, 3, 4, 5, 6]),
    "overflowing": lambda: np.full(6, 2**62),
    "overflowing uint64": lambda: np.full(6, 2**64 - 1, np.uint64),
}
