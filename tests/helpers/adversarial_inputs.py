"""Ratings, labels and weights that people really pass, and those they should not.

Every entry makes its value anew, for a generator is used up by the first call.
"""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import fractions
from collections.abc import Callable
from typing import Any, NamedTuple

import array_api_strict
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse

NAN, INF = float("nan"), float("inf")
WORDS = ["b", "a", "c", "a"]
CODES = [1, 0, 2, 0]


def objects(values: Any) -> Any:
    """Return an object array of the values, even if they are sequences."""
    result = np.empty(len(values), object)
    result[:] = values
    return result


class OnlyDunderArray:
    """Converts to an array and knows nothing else."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(CODES, dtype)


class OnlySequence:
    """Has a length and items, and is no collections.abc.Sequence."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        return CODES[index]


class Unlabelled(np.ndarray):
    """A subclass that changes nothing."""


def unaligned(values: list[int]) -> Any:
    data = b"\0" + np.array(values, np.int64).tobytes()
    return np.frombuffer(data, np.int64, offset=1)


# Four ratings each. The first group is what a careful caller passes.
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
    "column of words": lambda: np.array(WORDS)[:, None],
    "column of objects": lambda: np.array(WORDS, object)[:, None],
    "column of floats": lambda: np.array([[1.0], [0.0], [2.0], [0.0]]),
    "nested column": lambda: [[1], [0], [2], [0]],
    "words": lambda: ["b", "a", "c", "a"],
    "two words": lambda: ["b", "a", "b", "a"],
    "one word": lambda: ["b", "b", "b", "b"],
    "digits as words": lambda: ["10", "9", "2", "9"],
    "empty word": lambda: ["", "a", "", "b"],
    "words array": lambda: np.array(WORDS),
    "words objects": lambda: np.array(WORDS, object),
    "words strided": lambda: np.array(["b", "x", "a", "x", "c", "x", "a", "x"])[::2],
    "numpy words in objects": lambda: objects([np.str_(word) for word in WORDS]),
    "string dtype": lambda: np.array(WORDS, np.dtypes.StringDType()),
    "accents and emoji": lambda: ["é", "😀", "e\u0301", "z"],
    "datetime64": lambda: np.array(
        ["2020-01-02", "2020-01-01", "2021-01-01", "2020-01-01"], "M8[D]"
    ),
    "datetime64 ns": lambda: np.array(CODES, "M8[ns]"),
    "timedelta64": lambda: np.array(CODES, "m8[s]"),
    "masked": lambda: np.ma.array(CODES, mask=[True, False, False, False]),
    "masked words": lambda: np.ma.array(WORDS, mask=[True, False, False, False]),
    "array subclass": lambda: np.array(CODES).view(Unlabelled),
    "array.array": lambda: array.array("i", CODES),
    "deque": lambda: collections.deque(CODES),
    "deque of words": lambda: collections.deque(WORDS),
    "pandas int": lambda: pd.Series(CODES, index=[7, 5, 3, 1]),
    "pandas float": lambda: pd.Series(CODES, dtype=float),
    "pandas words": lambda: pd.Series(WORDS, index=[7, 5, 3, 1]),
    "pandas object words": lambda: pd.Series(WORDS, dtype=object),
    "pandas string": lambda: pd.Series(WORDS, dtype="string"),
    "pandas arrow string": lambda: pd.Series(WORDS, dtype="string[pyarrow]"),
    "pandas arrow int": lambda: pd.Series(CODES, dtype="int64[pyarrow]"),
    "pandas Int64": lambda: pd.Series(CODES, dtype="Int64"),
    "pandas UInt8": lambda: pd.Series(CODES, dtype="UInt8"),
    "pandas boolean": lambda: pd.Series([True, False, True, False], dtype="boolean"),
    "pandas bool": lambda: pd.Series([True, False, True, False]),
    "pandas Float64": lambda: pd.Series(CODES, dtype="Float64"),
    "pandas categorical": lambda: pd.Series(WORDS, dtype="category"),
    "pandas Categorical": lambda: pd.Categorical(WORDS),
    "pandas ordered": lambda: pd.Series(
        pd.Categorical(WORDS, categories=["c", "b", "a", "unused"], ordered=True)
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
    "pandas Index of words": lambda: pd.Index(WORDS),
    "pandas RangeIndex": lambda: pd.RangeIndex(4),
    "pandas frame of one column": lambda: pd.DataFrame({"a": CODES}),
    "pandas frame of one word column": lambda: pd.DataFrame({"a": WORDS}),
    "pandas frame of one category column": lambda: pd.DataFrame({"a": pd.Categorical(WORDS)}),
    "polars int": lambda: pl.Series(CODES),
    "polars float": lambda: pl.Series([1.0, 0.0, 2.0, 0.0]),
    "polars words": lambda: pl.Series(WORDS),
    "polars bool": lambda: pl.Series([True, False, True, False]),
    "polars categorical": lambda: pl.Series(WORDS, dtype=pl.Categorical),
    "polars enum": lambda: pl.Series(WORDS, dtype=pl.Enum(["c", "b", "a", "unused"])),
    "polars date": lambda: pl.Series([datetime.date(2020, 1, i + 1) for i in CODES]),
    "polars frame of one column": lambda: pl.DataFrame({"a": CODES}),
    "pyarrow int": lambda: pa.array(CODES),
    "pyarrow words": lambda: pa.array(WORDS),
    "pyarrow large words": lambda: pa.array(WORDS, pa.large_string()),
    "pyarrow bool": lambda: pa.array([True, False, True, False]),
    "pyarrow dictionary": lambda: pa.array(WORDS).dictionary_encode(),
    "pyarrow chunked": lambda: pa.chunked_array([WORDS[:2], WORDS[2:]]),
    "pyarrow chunked int": lambda: pa.chunked_array([CODES[:2], CODES[2:]]),
    "only __array__": OnlyDunderArray,
    # What is refused, or should be.
    "only a sequence": OnlySequence,
    "parts": lambda: [0.5, 1.0, 2.0, 0.0],
    "parts float32": lambda: np.array([0.5, 1.0, 2.0, 0.0], np.float32),
    "huge floats": lambda: [1e300, 0.0, 1.0, 0.0],
    "float 2**63": lambda: [2.0**63, 0.0, 1.0, 0.0],
    "float -2**63": lambda: [-(2.0**63), 0.0, 1.0, 0.0],
    "NaN": lambda: [1.0, NAN, 2.0, 0.0],
    "all NaN": lambda: [NAN] * 4,
    "inf": lambda: [1.0, INF, 2.0, 0.0],
    "minus inf": lambda: [1.0, -INF, 2.0, 0.0],
    "NaN and inf": lambda: [INF, NAN, 2.0, 0.0],
    "NaN and parts": lambda: [0.5, NAN, 2.0, 0.0],
    "NaN float32": lambda: np.array([1.0, NAN, 2.0, 0.0], np.float32),
    "inf float16": lambda: np.array([1.0, INF, 2.0, 0.0], np.float16),
    "NaN in a column": lambda: np.array([[1.0], [NAN], [2.0], [0.0]]),
    "None among ints": lambda: [1, None, 2, 0],
    "None first": lambda: [None, 1, 2, 0],
    "None among floats": lambda: [1.0, None, 2.0, 0.0],
    "None among words": lambda: ["b", None, "c", "a"],
    "None before words": lambda: [None, "b", "c", "a"],
    "all None": lambda: [None] * 4,
    "NaN among words": lambda: ["b", NAN, "c", "a"],
    "NaN among words as objects": lambda: np.array(["b", NAN, "c", "a"], object),
    "NaN first as objects": lambda: np.array([NAN, "b", "c", "a"], object),
    "NA among words": lambda: ["b", pd.NA, "c", "a"],
    "NA among ints": lambda: [1, pd.NA, 2, 0],
    "NaT": lambda: np.array(["2020-01-02", "NaT", "2021-01-01", "2020-01-01"], "M8[D]"),
    "words and ints": lambda: ["b", 0, "c", 1],
    "ints and words": lambda: [0, "b", 1, "c"],
    "words and ints as objects": lambda: np.array(["b", 0, "c", 1], object),
    "ints and words as objects": lambda: np.array([0, "b", 1, "c"], object),
    "words and tuples": lambda: objects(["b", (1, 2), "c", "a"]),
    "words and lists": lambda: objects(["b", [1, 2], "c", "a"]),
    "words and bytes": lambda: objects(["b", b"a", "c", "a"]),
    "bytes": lambda: [b"b", b"a", b"c", b"a"],
    "bytes array": lambda: np.array([b"b", b"a", b"c", b"a"]),
    "bytes objects": lambda: np.array([b"b", b"a", b"c", b"a"], object),
    "object ints": lambda: np.array(CODES, object),
    "object bools": lambda: np.array([True, False, True, False], object),
    "object floats": lambda: np.array([1.0, 0.0, 2.0, 0.0], object),
    "object NaN": lambda: np.array([1.0, NAN, 2.0, 0.0], object),
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
    "pandas NaN words": lambda: pd.Series(["b", None, "c", "a"]),
    "pandas None words": lambda: pd.Series(["b", None, "c", "a"], dtype=object),
    "pandas NaN": lambda: pd.Series([1, None, 2, 0]),
    "pandas NaN categorical": lambda: pd.Series(["b", None, "c", "a"], dtype="category"),
    "pandas NaN categorical ints": lambda: pd.Series([1, None, 2, 0], dtype="category"),
    "pandas NaT": lambda: pd.Series(pd.to_datetime(["2020-01-02", None] * 2)),
    "pandas object ints": lambda: pd.Series(CODES, dtype=object),
    "pandas words and ints": lambda: pd.Series(["b", 0, "c", 1], dtype=object),
    "pandas categorical words and ints": lambda: pd.Series(
        pd.Categorical(["b", 0, "c", 1], categories=["b", 0, "c", 1])
    ),
    "pandas sparse": lambda: pd.arrays.SparseArray(CODES),
    "pandas sparse series": lambda: pd.Series(pd.arrays.SparseArray(CODES)),
    "pandas interval": lambda: pd.Series(pd.interval_range(0, 4)),
    "pandas period": lambda: pd.Series(pd.period_range("2020", periods=4, freq="M")),
    "pandas frame": lambda: pd.DataFrame({"a": CODES, "b": CODES}),
    "pandas frame of words": lambda: pd.DataFrame({"a": WORDS, "b": WORDS}),
    "pandas MultiIndex": lambda: pd.MultiIndex.from_tuples([(i, i) for i in CODES]),
    "polars null int": lambda: pl.Series([1, None, 2, 0]),
    "polars null words": lambda: pl.Series(["b", None, "c", "a"]),
    "polars NaN": lambda: pl.Series([1.0, NAN, 2.0, 0.0]),
    "polars list": lambda: pl.Series([[1], [0], [2], [0]]),
    "polars object": lambda: pl.Series(CODES, dtype=pl.Object),
    "polars frame": lambda: pl.DataFrame({"a": CODES, "b": CODES}),
    "polars lazy": lambda: pl.LazyFrame({"a": CODES}),
    "pyarrow null int": lambda: pa.array([1, None, 2, 0]),
    "pyarrow null words": lambda: pa.array(["b", None, "c", "a"]),
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
    "row of words": lambda: np.array([WORDS]),
    "indicator": lambda: np.array([[1, 0], [0, 1], [1, 0], [0, 1]]),
    "bool indicator": lambda: np.array([[True, False]] * 4),
    "float indicator": lambda: np.array([[1.0, 0.0]] * 4),
    "matrix of ints": lambda: np.arange(8).reshape(4, 2),
    "matrix of parts": lambda: np.arange(8).reshape(4, 2) / 3,
    "matrix of words": lambda: np.array([["a", "b"]] * 4),
    "matrix of three words": lambda: np.array([["a", "b"], ["c", "b"]] * 2),
    "matrix of objects": lambda: np.array([[1, "b"]] * 4, object),
    "matrix with NaN": lambda: np.array([[1.0, NAN]] * 4),
    "nested lists": lambda: [[1, 2], [3, 4], [5, 6], [7, 8]],
    "nested words": lambda: [["a", "b"]] * 4,
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

# Beside which ratings each of them is put.
PARTNERS: dict[str, Callable[[], Any]] = {
    "ints": lambda: [0, 0, 2, 1],
    "two ints": lambda: [0, 0, 1, 1],
    "words": lambda: ["a", "a", "c", "b"],
}

EMPTY: dict[str, Callable[[], Any]] = {
    "list": list,
    "tuple": lambda: (),
    "array": lambda: np.array([]),
    "int array": lambda: np.array([], int),
    "objects": lambda: np.array([], object),
    "words": lambda: np.array([], "U1"),
    "column": lambda: np.empty((0, 1)),
    "matrix": lambda: np.empty((0, 2)),
    "row": lambda: np.empty((1, 0)),
    "nested": lambda: [[]],
    "pandas": lambda: pd.Series([], dtype=float),
    "pandas categorical": lambda: pd.Series([], dtype="category"),
    "pandas string": lambda: pd.Series([], dtype="string"),
    "polars": lambda: pl.Series([], dtype=pl.Int64),
    "polars words": lambda: pl.Series([], dtype=pl.String),
    "pyarrow": lambda: pa.array([], pa.int64()),
    "pyarrow words": lambda: pa.array([], pa.string()),
}

# For y1 = [0, 1, 2, 2, 3, 1] and y2 = [0, 2, 2, 1, 3, 1], and for letters in their place.
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
    "NaN": lambda: [0.0, 1.0, NAN],
    "inf": lambda: [0.0, 1.0, INF],
    "bools": lambda: [False, True],
    "None among": lambda: [0, 1, None],
    "words": lambda: ["a", "b", "c", "d"],
    "words subset": lambda: ["c", "a"],
    "words objects": lambda: np.array(["c", "a"], object),
    "words with None": lambda: ["c", None],
    "words absent": lambda: ["x"],
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
    "pandas words": lambda: pd.Series(["a", "b"]),
    "polars": lambda: pl.Series([0, 1, 2]),
    "pyarrow": lambda: pa.array([0, 1, 2]),
    "repeated": lambda: [0, 1, 1, 2],
    "repeated words": lambda: ["a", "b", "a"],
    "repeated across types": lambda: [0, 1, 1.0, 2],
}

# Item weights for six items.
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
    "NaN": lambda: [1.0, NAN, 1.0, 1.0, 1.0, 1.0],
    "inf": lambda: [1.0, INF, 1.0, 1.0, 1.0, 1.0],
    "minus inf": lambda: [1.0, -INF, 1.0, 1.0, 1.0, 1.0],
    "inf and minus inf": lambda: [INF, -INF, 1.0, 1.0, 1.0, 1.0],
    "NaN float32": lambda: np.array([1.0, NAN, 1.0, 1.0, 1.0, 1.0], np.float32),
    "None among": lambda: [1, None, 1, 1, 1, 1],
    "words": lambda: ["a"] * 6,
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

KAPPA_OPTIONS: dict[str, Callable[[], dict[str, Any]]] = {
    "weights linear": lambda: {"weights": "linear"},
    "weights quadratic": lambda: {"weights": "quadratic"},
    "weights numpy str": lambda: {"weights": np.str_("linear")},
    "weights cubic": lambda: {"weights": "cubic"},
    "weights Linear": lambda: {"weights": "Linear"},
    "weights empty": lambda: {"weights": ""},
    "weights bytes": lambda: {"weights": b"linear"},
    "weights None as word": lambda: {"weights": "None"},
    "weights int": lambda: {"weights": 1},
    "weights float": lambda: {"weights": 0.5},
    "weights bool": lambda: {"weights": True},
    "weights nan": lambda: {"weights": NAN},
    "weights function": lambda: {"weights": len},
    "weights generator": lambda: {"weights": (i for i in ())},
    "weights list of name": lambda: {"weights": ["linear"]},
    "weights set": lambda: {"weights": {"linear"}},
    "weights dict": lambda: {"weights": {"linear": 1}},
    "weights empty list": lambda: {"weights": []},
    "weights vector": lambda: {"weights": np.zeros(4)},
    "weights scalar array": lambda: {"weights": np.array(1)},
    "weights matrix": lambda: {"weights": 1 - np.eye(4)},
    "weights small matrix": lambda: {"weights": 1 - np.eye(3)},
    "replace 2": lambda: {"replace_undefined_by": 2},
    "replace -2": lambda: {"replace_undefined_by": -2.0},
    "replace 1": lambda: {"replace_undefined_by": 1},
    "replace -1": lambda: {"replace_undefined_by": -1.0},
    "replace 0": lambda: {"replace_undefined_by": 0},
    "replace half": lambda: {"replace_undefined_by": 0.5},
    "replace nan": lambda: {"replace_undefined_by": NAN},
    "replace numpy nan": lambda: {"replace_undefined_by": np.float64(NAN)},
    "replace float32": lambda: {"replace_undefined_by": np.float32(0.5)},
    "replace float32 nan": lambda: {"replace_undefined_by": np.float32(NAN)},
    "replace numpy int": lambda: {"replace_undefined_by": np.int64(1)},
    "replace bool": lambda: {"replace_undefined_by": True},
    "replace numpy bool": lambda: {"replace_undefined_by": np.True_},
    "replace fraction": lambda: {"replace_undefined_by": fractions.Fraction(1, 2)},
    "replace decimal": lambda: {"replace_undefined_by": decimal.Decimal("0.5")},
    "replace inf": lambda: {"replace_undefined_by": INF},
    "replace None": lambda: {"replace_undefined_by": None},
    "replace str": lambda: {"replace_undefined_by": "nan"},
    "replace list": lambda: {"replace_undefined_by": [0.5]},
    "replace array": lambda: {"replace_undefined_by": np.array(0.5)},
    "replace complex": lambda: {"replace_undefined_by": 0.5j},
}

NORMALIZE: dict[str, Callable[[], dict[str, Any]]] = {
    f"normalize {value!r}": lambda value=value: {"normalize": value}
    for value in ("true", "pred", "all", None, "x", "True", True, False, 0, 1.0, b"all", ["all"])
}

INTS = ([0, 1, 2, 2, 3, 1], [0, 2, 2, 1, 3, 1])
LETTERS = (["a", "b", "c", "c", "d", "b"], ["a", "c", "c", "b", "d", "b"])

# Whole calls: what goes wrong first, and corners that take more than one argument.
CALLS: dict[str, Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "different lengths": lambda: (([0, 1, 0], [0, 1]), {}),
    "all lengths differ": lambda: (([0, 1, 0], [0, 1]), {"sample_weight": [1]}),
    "weights of another length": lambda: (([0, 1], [0, 1]), {"sample_weight": [1, 2, 3]}),
    "lengths before NaN": lambda: (([0, NAN], [0, 1, 1]), {}),
    "lengths before labels": lambda: (([0, 1], [0, 1, 1]), {"labels": []}),
    "lengths before mixture": lambda: ((["a", "b"], [0, 1, 1]), {}),
    "NaN in both": lambda: (([0, NAN], [NAN, 1]), {}),
    "NaN in y_true, inf in y_pred": lambda: (([0, NAN], [INF, 1]), {}),
    "NaN in y_true, matrix in y_pred": lambda: (([0, NAN], [[1, 0], [0, 1]]), {}),
    "NaN before NaN weights": lambda: (([0, NAN], [0, 1]), {"sample_weight": [NAN, 1]}),
    "NaN weights before mixture": lambda: ((["a", "b"], [0, 1]), {"sample_weight": [NAN, 1]}),
    "NaN weights before parts": lambda: (([0.5, 1], [0, 1]), {"sample_weight": [NAN, 1]}),
    "NaN weights before labels": lambda: (
        ([0, 1], [0, 1]),
        {"sample_weight": [NAN, 1], "labels": []},
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
        {"sample_weight": [1.0, 1.0, NAN], "labels": [0, 1]},
    ),
    "infinite weight outside the table": lambda: (
        ([0, 1, 2], [0, 1, 2]),
        {"sample_weight": [1.0, 1.0, INF], "labels": [0, 1]},
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
    "one word": lambda: ((["a"], ["a"]), {}),
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
    "words and categories": lambda: (
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
    "words longer than labels": lambda: (
        (["aa", "a", "b"], ["aa", "b", "b"]),
        {"labels": ["a", "b"]},
    ),
    "numpy words with object labels": lambda: (
        (np.array(["a", "b", "b"]), np.array(["a", "a", "b"])),
        {"labels": np.array(["b", "a"], object)},
    ),
    "words mixed across columns": lambda: ((["a", "b", "a"], [1, 2, 1]), {}),
    "words mixed with three": lambda: ((["a", "b", "c"], [1, 2, 1]), {}),
    "words and bools": lambda: ((["a", "b"], [True, False]), {}),
    "words and floats": lambda: ((["a", "b"], [1.0, 2.0]), {}),
    "binary and continuous": lambda: (([0, 1, 0], [0.1, 0.2, 0.3]), {}),
    "continuous and multiclass": lambda: (([0.1, 0.2, 0.3], [0, 1, 2]), {}),
    "continuous and words": lambda: (([0.1, 0.2], ["a", "b"]), {}),
    "both continuous": lambda: (([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]), {}),
    "indicator and binary": lambda: (([[0, 1], [1, 0]], [0, 1]), {}),
    "row and column": lambda: ((np.array([[0, 1, 2]]), np.array([[0], [1], [2]])), {}),
    "rows": lambda: ((np.array([[0, 1]]), np.array([[1, 0]])), {}),
    "three dimensions both": lambda: ((np.zeros((2, 2, 2)), np.zeros((2, 2, 2))), {}),
    "more than twenty classes": lambda: ((list(range(30)), list(range(30))), {}),
    "middle class missing": lambda: (([0, 1, 3, 3, 0], [0, 3, 3, 1, 0]), {}),
    "middle class given": lambda: (([0, 1, 3, 3, 0], [0, 3, 3, 1, 0]), {"labels": [0, 1, 2, 3]}),
    "weights of words": lambda: ((["a", "b", "a"], ["a", "b", "b"]), {"sample_weight": [1, 2, 3]}),
    "weights cancel in a row": lambda: (
        ([0, 0, 1, 1], [0, 0, 1, 0]),
        {"sample_weight": [1, -1, 2, 1]},
    ),
    "weights cancel in all": lambda: (
        ([0, 0, 1, 1], [0, 1, 1, 0]),
        {"sample_weight": [1, -1, 1, -1]},
    ),
}


class Call(NamedTuple):
    """One call of both functions; ``only`` names the function it is for, if not both."""

    name: str
    make: Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]
    only: str | None = None


def calls() -> list[Call]:
    """Return every call there is to compare."""
    result = []
    for name, ratings in RATINGS.items():
        result.append(Call(f"{name} twice", lambda r=ratings: ((r(), r()), {})))
        for partner, other in PARTNERS.items():
            result.append(
                Call(f"{name} beside {partner}", lambda r=ratings, o=other: ((r(), o()), {}))
            )
            result.append(
                Call(f"{partner} beside {name}", lambda r=ratings, o=other: ((o(), r()), {}))
            )
        result.append(
            Call(
                f"{name} with labels",
                lambda r=ratings: (
                    ([0, 1, 2, 0], r()),
                    {"labels": [0, 1, 2], "sample_weight": [1, 2, 3, 4]},
                ),
            )
        )
    for name, empty in EMPTY.items():
        result.append(Call(f"empty {name}", lambda e=empty: ((e(), e()), {})))
        result.append(Call(f"empty {name} beside list", lambda e=empty: ((e(), []), {})))
        result.append(Call(f"empty {name} beside one", lambda e=empty: ((e(), [1]), {})))
        result.append(
            Call(f"empty {name} with labels", lambda e=empty: ((e(), e()), {"labels": [0, 1]}))
        )
        result.append(
            Call(f"empty {name} with weights", lambda e=empty: ((e(), e()), {"sample_weight": []}))
        )
    for kind, (first, second) in (("ints", INTS), ("letters", LETTERS)):
        for name, labels in LABELS.items():
            result.append(
                Call(
                    f"labels {name} of {kind}",
                    lambda a=first, b=second, v=labels: ((a, b), {"labels": v()}),
                )
            )
        for name, weights in SAMPLE_WEIGHTS.items():
            result.append(
                Call(
                    f"sample_weight {name} of {kind}",
                    lambda a=first, b=second, v=weights: ((a, b), {"sample_weight": v()}),
                )
            )
    for name, options in KAPPA_OPTIONS.items():
        result.append(Call(name, lambda o=options: (INTS, o()), "cohen_kappa_score"))
        result.append(
            Call(
                f"{name}, undefined",
                lambda o=options: (([1, 1, 2], [1, 1, 3]), {"labels": [1], **o()}),
                "cohen_kappa_score",
            )
        )
        result.append(
            Call(
                f"{name}, nothing in y2",
                lambda o=options: (([1, 1, 2], [3, 3, 3]), {"labels": [1, 2], **o()}),
                "cohen_kappa_score",
            )
        )
    for name, options in NORMALIZE.items():
        result.append(Call(name, lambda o=options: (INTS, o()), "confusion_matrix"))
        result.append(
            Call(
                f"{name}, empty rows",
                lambda o=options: (INTS, {"labels": [0, 3, 9, 8], **o()}),
                "confusion_matrix",
            )
        )
        result.append(
            Call(
                f"{name}, weighted",
                lambda o=options: (INTS, {"sample_weight": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], **o()}),
                "confusion_matrix",
            )
        )
    for weights in ("linear", "quadratic"):
        for name, call in CALLS.items():
            result.append(
                Call(
                    f"{name}, {weights}",
                    lambda c=call, w=weights: (c()[0], {**c()[1], "weights": w}),
                    "cohen_kappa_score",
                )
            )
    result.extend(Call(name, call) for name, call in CALLS.items())
    return result
