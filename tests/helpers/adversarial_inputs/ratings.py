"""Ratings of four items: first valid ones, then those that are, or should be, rejected."""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import fractions
from collections.abc import Callable
from math import inf, nan
from typing import Any

import array_api_strict
import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse

from tests.helpers.absent import STRING_TYPE, library

pl = library("polars")

STRINGS = ["b", "a", "c", "a"]
CODES = [1, 0, 2, 0]


def objects(values: Any) -> Any:
    """Return an object array of the values, even if they are sequences."""
    result = np.empty(len(values), object)
    result[:] = values
    return result


class OnlyDunderArray:
    """An object that supports nothing but conversion to an array."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(CODES, dtype)


class OnlySequence:
    """An object with a length and items that is not a collections.abc.Sequence."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        return CODES[index]


class Unlabelled(np.ndarray):
    """A subclass of ndarray that changes nothing."""


def unaligned(values: list[int]) -> Any:
    data = b"\0" + np.array(values, np.int64).tobytes()
    return np.frombuffer(data, np.int64, offset=1)


RATINGS: dict[str, Callable[[], Any]] = {
    "list": lambda: [1, 0, 2, 0],
    "two values": lambda: [1, 0, 1, 0],
    "one value": lambda: [1, 1, 1, 1],
    "tuple": lambda: (1, 0, 2, 0),
    "range": lambda: range(4),
    "list of bools": lambda: [True, False, True, False],
    "list of floats": lambda: [1.0, 0.0, 2.0, 0.0],
    "list of int and float": lambda: [1, 0.0, 2, 0],
    "list of int and bool": lambda: [1, False, 2, True],
    "list of numpy ints": lambda: [np.int8(1), np.uint64(0), np.int64(2), 0],
    "negative": lambda: [-1, 0, -2, 0],
    "far": lambda: [10**15, 10**15 + 1, 10**15 + 2, 10**15],
    "sparse": lambda: [0, 10**9, 5, 10**9],
    "int8": lambda: np.array(CODES, np.int8),
    "uint8": lambda: np.array(CODES, np.uint8),
    "int32": lambda: np.array(CODES, np.int32),
    "uint64": lambda: np.array(CODES, np.uint64),
    "uint64 large": lambda: np.array([2**64 - 1, 0, 2**63, 0], np.uint64),
    "int64 extremes": lambda: np.array([2**63 - 1, -(2**63), 0, -(2**63)]),
    "bool": lambda: np.array([True, False, True, False]),
    "float32": lambda: np.array(CODES, np.float32),
    "float16": lambda: np.array(CODES, np.float16),
    "longdouble": lambda: np.array(CODES, np.longdouble),
    "negative zero": lambda: np.array([0.0, -0.0, 1.0, -0.0]),
    "big endian": lambda: np.array(CODES, ">i4"),
    "big endian float": lambda: np.array(CODES, ">f8"),
    "strided": lambda: np.array([1, 9, 0, 9, 2, 9, 0, 9])[::2],
    "reversed": lambda: np.array([0, 2, 0, 1])[::-1],
    "unaligned": lambda: unaligned(CODES),
    "fortran column": lambda: np.asfortranarray(np.array(CODES)[:, None]),
    "column": lambda: np.array(CODES)[:, None],
    "column of strings": lambda: np.array(STRINGS)[:, None],
    "column of objects": lambda: np.array(STRINGS, object)[:, None],
    "column of floats": lambda: np.array([[1.0], [0.0], [2.0], [0.0]]),
    "nested column": lambda: [[1], [0], [2], [0]],
    "strings": lambda: ["b", "a", "c", "a"],
    "two strings": lambda: ["b", "a", "b", "a"],
    "one string": lambda: ["b", "b", "b", "b"],
    "digits as strings": lambda: ["10", "9", "2", "9"],
    "empty string": lambda: ["", "a", "", "b"],
    "strings array": lambda: np.array(STRINGS),
    "strings objects": lambda: np.array(STRINGS, object),
    "strings strided": lambda: np.array(["b", "x", "a", "x", "c", "x", "a", "x"])[::2],
    "numpy strings in objects": lambda: objects([np.str_(string) for string in STRINGS]),
    "string dtype": lambda: np.array(STRINGS, STRING_TYPE),
    "accents and emoji": lambda: ["é", "😀", "e\u0301", "z"],
    "datetime64": lambda: np.array(
        ["2020-01-02", "2020-01-01", "2021-01-01", "2020-01-01"], "M8[D]"
    ),
    "datetime64 ns": lambda: np.array(CODES, "M8[ns]"),
    "timedelta64": lambda: np.array(CODES, "m8[s]"),
    "masked": lambda: np.ma.array(CODES, mask=[True, False, False, False]),
    "masked strings": lambda: np.ma.array(STRINGS, mask=[True, False, False, False]),
    "array subclass": lambda: np.array(CODES).view(Unlabelled),
    "array.array": lambda: array.array("i", CODES),
    "deque": lambda: collections.deque(CODES),
    "deque of strings": lambda: collections.deque(STRINGS),
    "pandas int": lambda: pd.Series(CODES, index=[7, 5, 3, 1]),
    "pandas float": lambda: pd.Series(CODES, dtype=float),
    "pandas strings": lambda: pd.Series(STRINGS, index=[7, 5, 3, 1]),
    "pandas object strings": lambda: pd.Series(STRINGS, dtype=object),
    "pandas string": lambda: pd.Series(STRINGS, dtype="string"),
    "pandas arrow string": lambda: pd.Series(STRINGS, dtype="string[pyarrow]"),
    "pandas arrow int": lambda: pd.Series(CODES, dtype="int64[pyarrow]"),
    "pandas Int64": lambda: pd.Series(CODES, dtype="Int64"),
    "pandas UInt8": lambda: pd.Series(CODES, dtype="UInt8"),
    "pandas boolean": lambda: pd.Series([True, False, True, False], dtype="boolean"),
    "pandas bool": lambda: pd.Series([True, False, True, False]),
    "pandas Float64": lambda: pd.Series(CODES, dtype="Float64"),
    "pandas categorical": lambda: pd.Series(STRINGS, dtype="category"),
    "pandas Categorical": lambda: pd.Categorical(STRINGS),
    "pandas ordered": lambda: pd.Series(
        pd.Categorical(STRINGS, categories=["c", "b", "a", "unused"], ordered=True)
    ),
    "pandas categorical ints": lambda: pd.Series(CODES, dtype="category"),
    "pandas categorical floats": lambda: pd.Series([1.0, 0.0, 2.0, 0.0], dtype="category"),
    "pandas categorical bools": lambda: pd.Series([True, False] * 2, dtype="category"),
    "pandas categorical dates": lambda: pd.Series(
        pd.to_datetime(["2020-01-02", "2020-01-01"] * 2)
    ).astype("category"),
    "pandas dates": lambda: pd.Series(pd.to_datetime(["2020-01-02", "2020-01-01"] * 2)),
    "pandas zoned dates": lambda: pd.Series(
        pd.to_datetime(["2020-01-02", "2020-01-01"] * 2).tz_localize("UTC")
    ),
    "pandas Index": lambda: pd.Index(CODES),
    "pandas Index of strings": lambda: pd.Index(STRINGS),
    "pandas RangeIndex": lambda: pd.RangeIndex(4),
    "pandas frame of one column": lambda: pd.DataFrame({"a": CODES}),
    "pandas frame of one string column": lambda: pd.DataFrame({"a": STRINGS}),
    "pandas frame of one category column": lambda: pd.DataFrame({"a": pd.Categorical(STRINGS)}),
    "polars int": lambda: pl.Series(CODES),
    "polars float": lambda: pl.Series([1.0, 0.0, 2.0, 0.0]),
    "polars strings": lambda: pl.Series(STRINGS),
    "polars bool": lambda: pl.Series([True, False, True, False]),
    "polars categorical": lambda: pl.Series(STRINGS, dtype=pl.Categorical),
    "polars enum": lambda: pl.Series(STRINGS, dtype=pl.Enum(["c", "b", "a", "unused"])),
    "polars date": lambda: pl.Series([datetime.date(2020, 1, i + 1) for i in CODES]),
    "polars frame of one column": lambda: pl.DataFrame({"a": CODES}),
    "pyarrow int": lambda: pa.array(CODES),
    "pyarrow strings": lambda: pa.array(STRINGS),
    "pyarrow large strings": lambda: pa.array(STRINGS, pa.large_string()),
    "pyarrow bool": lambda: pa.array([True, False, True, False]),
    "pyarrow dictionary": lambda: pa.array(STRINGS).dictionary_encode(),
    "pyarrow chunked": lambda: pa.chunked_array([STRINGS[:2], STRINGS[2:]]),
    "pyarrow chunked int": lambda: pa.chunked_array([CODES[:2], CODES[2:]]),
    "only __array__": OnlyDunderArray,
    # Ratings that are rejected, or should be.
    "only a sequence": OnlySequence,
    "parts": lambda: [0.5, 1.0, 2.0, 0.0],
    "parts float32": lambda: np.array([0.5, 1.0, 2.0, 0.0], np.float32),
    "huge floats": lambda: [1e300, 0.0, 1.0, 0.0],
    "float 2**63": lambda: [2.0**63, 0.0, 1.0, 0.0],
    "float -2**63": lambda: [-(2.0**63), 0.0, 1.0, 0.0],
    "NaN": lambda: [1.0, nan, 2.0, 0.0],
    "all NaN": lambda: [nan] * 4,
    "inf": lambda: [1.0, inf, 2.0, 0.0],
    "minus inf": lambda: [1.0, -inf, 2.0, 0.0],
    "NaN and inf": lambda: [inf, nan, 2.0, 0.0],
    "NaN and parts": lambda: [0.5, nan, 2.0, 0.0],
    "NaN float32": lambda: np.array([1.0, nan, 2.0, 0.0], np.float32),
    "inf float16": lambda: np.array([1.0, inf, 2.0, 0.0], np.float16),
    "NaN in a column": lambda: np.array([[1.0], [nan], [2.0], [0.0]]),
    "None among ints": lambda: [1, None, 2, 0],
    "None first": lambda: [None, 1, 2, 0],
    "None among floats": lambda: [1.0, None, 2.0, 0.0],
    "None among strings": lambda: ["b", None, "c", "a"],
    "None before strings": lambda: [None, "b", "c", "a"],
    "all None": lambda: [None] * 4,
    "NaN among strings": lambda: ["b", nan, "c", "a"],
    "NaN among strings as objects": lambda: np.array(["b", nan, "c", "a"], object),
    "NaN first as objects": lambda: np.array([nan, "b", "c", "a"], object),
    "NA among strings": lambda: ["b", pd.NA, "c", "a"],
    "NA among ints": lambda: [1, pd.NA, 2, 0],
    "NaT": lambda: np.array(["2020-01-02", "NaT", "2021-01-01", "2020-01-01"], "M8[D]"),
    "strings and ints": lambda: ["b", 0, "c", 1],
    "ints and strings": lambda: [0, "b", 1, "c"],
    "strings and ints as objects": lambda: np.array(["b", 0, "c", 1], object),
    "ints and strings as objects": lambda: np.array([0, "b", 1, "c"], object),
    "strings and tuples": lambda: objects(["b", (1, 2), "c", "a"]),
    "strings and lists": lambda: objects(["b", [1, 2], "c", "a"]),
    "strings and bytes": lambda: objects(["b", b"a", "c", "a"]),
    "bytes": lambda: [b"b", b"a", b"c", b"a"],
    "bytes array": lambda: np.array([b"b", b"a", b"c", b"a"]),
    "bytes objects": lambda: np.array([b"b", b"a", b"c", b"a"], object),
    "object ints": lambda: np.array(CODES, object),
    "object bools": lambda: np.array([True, False, True, False], object),
    "object floats": lambda: np.array([1.0, 0.0, 2.0, 0.0], object),
    "object NaN": lambda: np.array([1.0, nan, 2.0, 0.0], object),
    "object None": lambda: np.array([1, None, 2, 0], object),
    "object tuples": lambda: objects([(1,), (0,), (2,), (0,)]),
    "object dicts": lambda: objects([{}, {}, {}, {}]),
    "decimals": lambda: [decimal.Decimal(i) for i in CODES],
    "fractions": lambda: [fractions.Fraction(i) for i in CODES],
    "huge ints": lambda: [2**70, 0, 1, 0],
    "above int64": lambda: [2**63, 0, 1, 0],
    "above int64 and negative": lambda: [2**63, -1, 1, 0],
    "complex": lambda: [1 + 0j, 0j, 2 + 0j, 0j],
    "complex array": lambda: np.array(CODES, complex),
    "dates": lambda: [datetime.date(2020, 1, i + 1) for i in CODES],
    "times": lambda: [datetime.datetime(2020, 1, i + 1) for i in CODES],
    "pandas NA Int64": lambda: pd.Series([1, None, 2, 0], dtype="Int64"),
    "pandas NA boolean": lambda: pd.Series([True, None, True, False], dtype="boolean"),
    "pandas NA Float64": lambda: pd.Series([1, None, 2, 0], dtype="Float64"),
    "pandas NA string": lambda: pd.Series(["b", None, "c", "a"], dtype="string"),
    "pandas NaN strings": lambda: pd.Series(["b", None, "c", "a"]),
    "pandas None strings": lambda: pd.Series(["b", None, "c", "a"], dtype=object),
    "pandas NaN": lambda: pd.Series([1, None, 2, 0]),
    "pandas NaN categorical": lambda: pd.Series(["b", None, "c", "a"], dtype="category"),
    "pandas NaN categorical ints": lambda: pd.Series([1, None, 2, 0], dtype="category"),
    "pandas NaT": lambda: pd.Series(pd.to_datetime(["2020-01-02", None] * 2)),
    "pandas object ints": lambda: pd.Series(CODES, dtype=object),
    "pandas strings and ints": lambda: pd.Series(["b", 0, "c", 1], dtype=object),
    "pandas categorical strings and ints": lambda: pd.Series(
        pd.Categorical(["b", 0, "c", 1], categories=["b", 0, "c", 1])
    ),
    "pandas sparse": lambda: pd.arrays.SparseArray(CODES),
    "pandas sparse series": lambda: pd.Series(pd.arrays.SparseArray(CODES)),
    "pandas interval": lambda: pd.Series(pd.interval_range(0, 4)),
    "pandas period": lambda: pd.Series(pd.period_range("2020", periods=4, freq="M")),
    "pandas frame": lambda: pd.DataFrame({"a": CODES, "b": CODES}),
    "pandas frame of strings": lambda: pd.DataFrame({"a": STRINGS, "b": STRINGS}),
    "pandas MultiIndex": lambda: pd.MultiIndex.from_tuples([(i, i) for i in CODES]),
    "polars null int": lambda: pl.Series([1, None, 2, 0]),
    "polars null strings": lambda: pl.Series(["b", None, "c", "a"]),
    "polars NaN": lambda: pl.Series([1.0, nan, 2.0, 0.0]),
    "polars list": lambda: pl.Series([[1], [0], [2], [0]]),
    "polars object": lambda: pl.Series(CODES, dtype=pl.Object),
    "polars frame": lambda: pl.DataFrame({"a": CODES, "b": CODES}),
    "polars lazy": lambda: pl.LazyFrame({"a": CODES}),
    "pyarrow null int": lambda: pa.array([1, None, 2, 0]),
    "pyarrow null strings": lambda: pa.array(["b", None, "c", "a"]),
    "pyarrow binary": lambda: pa.array([b"b", b"a", b"c", b"a"]),
    "pyarrow table": lambda: pa.table({"a": CODES}),
    "array_api_strict": lambda: array_api_strict.asarray(CODES),
    "set": lambda: {1, 0, 2, 3},
    "frozenset": lambda: frozenset({1, 0, 2, 3}),
    "dict": lambda: {1: 0, 0: 1, 2: 2, 3: 3},
    "dict values": lambda: dict(enumerate(CODES)).values(),
    "generator": lambda: (i for i in CODES),
    "iterator": lambda: iter(CODES),
    "map": lambda: map(int, CODES),
    "str": lambda: "baca",
    "bytes literal": lambda: b"baca",
    "bytearray": lambda: bytearray(b"baca"),
    "memoryview": lambda: memoryview(b"baca"),
    "int": lambda: 3,
    "None": lambda: None,
    "numpy scalar": lambda: np.int64(3),
    "zero-dimensional": lambda: np.array(3),
    "type": lambda: list,
    "function": lambda: len,
    "row": lambda: np.array([CODES]),
    "row of strings": lambda: np.array([STRINGS]),
    "indicator": lambda: np.array([[1, 0], [0, 1], [1, 0], [0, 1]]),
    "bool indicator": lambda: np.array([[True, False]] * 4),
    "float indicator": lambda: np.array([[1.0, 0.0]] * 4),
    "matrix of ints": lambda: np.arange(8).reshape(4, 2),
    "matrix of parts": lambda: np.arange(8).reshape(4, 2) / 3,
    "matrix of strings": lambda: np.array([["a", "b"]] * 4),
    "matrix of three strings": lambda: np.array([["a", "b"], ["c", "b"]] * 2),
    "matrix of objects": lambda: np.array([[1, "b"]] * 4, object),
    "matrix with NaN": lambda: np.array([[1.0, nan]] * 4),
    "nested lists": lambda: [[1, 2], [3, 4], [5, 6], [7, 8]],
    "nested strings": lambda: [["a", "b"]] * 4,
    "ragged lists": lambda: [[1], [1, 2], [3], [4]],
    "empty lists": lambda: [[], [], [], []],
    "no columns": lambda: np.empty((4, 0)),
    "three dimensions": lambda: np.array(CODES).reshape(4, 1, 1),
    "cube": lambda: np.zeros((4, 2, 2), int),
    "structured": lambda: np.zeros(4, [("a", int)]),
    "np.matrix": lambda: np.array(CODES)[:, None].view(np.matrix),
    "sparse column": lambda: scipy.sparse.csr_array(np.array(CODES)[:, None]),
    "sparse indicator": lambda: scipy.sparse.csr_array(np.eye(4, dtype=int)),
}

# The ratings of the other rater, to pair with each of the ratings above.
PARTNERS: dict[str, Callable[[], Any]] = {
    "ints": lambda: [0, 0, 2, 1],
    "two ints": lambda: [0, 0, 1, 1],
    "strings": lambda: ["a", "a", "c", "b"],
}

EMPTY: dict[str, Callable[[], Any]] = {
    "list": list,
    "tuple": lambda: (),
    "array": lambda: np.array([]),
    "int array": lambda: np.array([], int),
    "objects": lambda: np.array([], object),
    "strings": lambda: np.array([], "U1"),
    "column": lambda: np.empty((0, 1)),
    "matrix": lambda: np.empty((0, 2)),
    "row": lambda: np.empty((1, 0)),
    "nested": lambda: [[]],
    "pandas": lambda: pd.Series([], dtype=float),
    "pandas categorical": lambda: pd.Series([], dtype="category"),
    "pandas string": lambda: pd.Series([], dtype="string"),
    "polars": lambda: pl.Series([], dtype=pl.Int64),
    "polars strings": lambda: pl.Series([], dtype=pl.String),
    "pyarrow": lambda: pa.array([], pa.int64()),
    "pyarrow strings": lambda: pa.array([], pa.string()),
}
