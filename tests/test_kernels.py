"""The kernels of every backend against slow twins in plain Python.

What is tested is the contract written on top of ``numpy_kernels``: codes are ratings less
the lowest label, ratings outside the codes count in the last row or column, only the
items from start to stop are read, counts are added to what is in the table, and nothing
is ever written beside it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa.counting import dispatch

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
RATING_TYPES = (*INTEGERS, "float32", "float64")
GUARD = 64
SENTINEL = -6_148_914_691_236_517_206  # 0xAAAA...


class GuardedTable:
    """A table in the middle of a larger buffer, whose other values must stay as they are."""

    def __init__(self, shape: tuple[int, int], dtype: Any = np.int64, seed: int = 0) -> None:
        self.buffer = np.full(shape[0] * shape[1] + 2 * GUARD, SENTINEL, np.int64).view(dtype)
        self.table = self.buffer[GUARD:-GUARD].reshape(shape)
        # Kernels add: they must not start from zero.
        self.before = np.random.default_rng(seed).integers(0, 1000, shape).astype(dtype)
        self.table[:] = self.before

    def added(self) -> Any:
        guards = np.concatenate([self.buffer[:GUARD], self.buffer[-GUARD:]]).view(np.int64)
        assert (guards == SENTINEL).all(), "a kernel wrote out of bounds"
        return self.table - self.before


def codes_of(ratings: Any, lowest: int, n_codes: int, start: int, stop: int) -> list[int]:
    codes = [int(rating) - lowest for rating in ratings[start:stop].tolist()]
    return [code if 0 <= code < n_codes else n_codes for code in codes]


def cells_of(
    first: Any,
    lowest_first: int,
    second: Any,
    lowest_second: int,
    shape: Any,
    start: int,
    stop: int,
) -> list[tuple[int, int]]:
    return list(
        zip(
            codes_of(first, lowest_first, shape[0] - 1, start, stop),
            codes_of(second, lowest_second, shape[1] - 1, start, stop),
            strict=True,
        )
    )


def slow_count_pairs(
    first: Any,
    lowest_first: int,
    second: Any,
    lowest_second: int,
    shape: Any,
    start: int,
    stop: int,
) -> Any:
    table = np.zeros(shape, np.int64)
    cells = cells_of(first, lowest_first, second, lowest_second, shape, start, stop)
    for cell, count in Counter(cells).items():
        table[cell] = count
    return table


def assert_counts(
    kernels: Any,
    first: Any,
    second: Any,
    *,
    lowest: tuple[int, int] = (0, 0),
    n_codes: tuple[int, int] = (5, 5),
    start: int = 0,
    stop: int | None = None,
) -> None:
    stop = len(first) if stop is None else stop
    shape = (n_codes[0] + 1, n_codes[1] + 1)
    guarded = GuardedTable(shape)
    kernels.count_pairs(first, lowest[0], second, lowest[1], guarded.table, start, stop)
    expected = slow_count_pairs(first, lowest[0], second, lowest[1], shape, start, stop)
    np.testing.assert_array_equal(guarded.added(), expected)


def ratings(dtype: str, n: int, seed: int, low: int = 0, high: int = 7) -> Any:
    """Return random ratings; codes 5 and 6 are outside a table of five labels."""
    return np.random.default_rng(seed).integers(low, high, n).astype(dtype)


def spaced(values: Any, step: int) -> Any:
    """Return a view of the values that lie ``step`` items apart, noise between them."""
    wide = np.full(len(values) * abs(step) + 1, 3, values.dtype)
    view = wide[:: abs(step)][: len(values)] if step > 0 else wide[::step][: len(values)]
    view[:] = values
    return view


def unaligned(values: Any) -> Any:
    return np.frombuffer(b"\0" + values.tobytes(), values.dtype, offset=1)


def read_only(values: Any) -> Any:
    view = values.copy()
    view.flags.writeable = False
    return view


def field(values: Any) -> Any:
    """Return a field of packed records: neither aligned nor a whole number of items apart."""
    records = np.zeros(len(values), [("pad", "i1"), ("rating", values.dtype), ("end", "i2")])
    records["rating"] = values
    return records["rating"]


def in_columns(values: Any) -> Any:
    matrix = np.full((len(values), 3), 2, values.dtype)
    matrix[:, 1] = values
    return matrix[:, 1]


LAYOUTS = {
    "contiguous": lambda values: values,
    "step 2": lambda values: spaced(values, 2),
    "step 3": lambda values: spaced(values, 3),
    "reversed": lambda values: spaced(values, -1),
    "step -2": lambda values: spaced(values, -2),
    "swapped": lambda values: values.astype(values.dtype.newbyteorder("S")),
    "swapped, step 2": lambda values: spaced(values.astype(values.dtype.newbyteorder("S")), 2),
    "read-only": read_only,
    "unaligned": unaligned,
    "field": field,
    "column of a matrix": in_columns,
}


@pytest.mark.parametrize("dtype", RATING_TYPES)
def test_types_beside_each_other(kernels: Any, dtype: str) -> None:
    first = ratings(dtype, 300, 1)
    for other in {dtype, "uint8", "int64", "float64", "int16"}:
        second = ratings(other, 300, 2)
        assert_counts(kernels, first, second)
        assert_counts(kernels, second, first)


def test_bools_as_bytes(kernels: Any) -> None:
    first, second = ratings("bool", 300, 3, 0, 2), ratings("bool", 300, 4, 0, 2)
    assert_counts(kernels, first.view(np.uint8), second.view(np.uint8), n_codes=(2, 2))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int32", "int64", "uint64", "float32", "float64"]
)
def test_layouts(kernels: Any, dtype: str, layout: str) -> None:
    lay = LAYOUTS[layout]
    first, second = lay(ratings(dtype, 1001, 5)), ratings(dtype, 1001, 6)
    assert first.tolist() == ratings(dtype, 1001, 5).tolist()
    assert_counts(kernels, first, second)
    assert_counts(kernels, second, first, start=3, stop=997)
    assert_counts(kernels, first, lay(second))


def test_one_rating_repeated_without_memory(kernels: Any) -> None:
    constant = np.broadcast_to(np.array(2, np.int32), 500)
    assert constant.strides == (0,)
    assert_counts(kernels, constant, ratings("int32", 500, 7))


def test_the_same_array_twice(kernels: Any) -> None:
    column = ratings("int64", 500, 8)
    assert_counts(kernels, column, column)


@pytest.mark.parametrize("dtype", ["uint8", ">i4", "int64", "float64"])
def test_memory_mapped(kernels: Any, dtype: str, tmp_path: Path) -> None:
    values = ratings("int64", 5000, 9).astype(dtype)
    (tmp_path / "ratings").write_bytes(b"x" + values.tobytes())
    aligned = tmp_path / "aligned"
    aligned.write_bytes(values.tobytes())
    mapped = np.memmap(aligned, dtype, mode="r")
    assert not mapped.flags.writeable
    assert_counts(kernels, mapped, values)
    assert_counts(kernels, np.memmap(tmp_path / "ratings", dtype, mode="r", offset=1), values)


@pytest.mark.parametrize("dtype", RATING_TYPES)
def test_nothing_to_count(kernels: Any, dtype: str) -> None:
    assert_counts(kernels, np.empty(0, dtype), np.empty(0, dtype))
    assert_counts(kernels, ratings(dtype, 9, 0), ratings(dtype, 9, 1), start=4, stop=4)


LOWEST = {
    "far": (10**15, "int64"),
    "below zero": (-3, "int64"),
    "below zero, int8": (-3, "int8"),
    "least int8": (-128, "int8"),
    "greatest int8": (123, "int8"),
    "least int16": (-(2**15), "int16"),
    "least int32": (-(2**31), "int32"),
    "greatest int32": (2**31 - 5, "int32"),
    "least int64": (-(2**63), "int64"),
    "greatest int64": (2**63 - 5, "int64"),
    "greatest uint8": (251, "uint8"),
    "greatest uint32": (2**32 - 5, "uint32"),
    "above int64": (2**63 - 2, "uint64"),
    "greatest uint64": (2**64 - 5, "uint64"),
    "below zero, float32": (-3, "float32"),
    "far, float32": (2**23, "float32"),
    "far, float64": (10**15, "float64"),
    "least float64": (-(2**53), "float64"),
}


@pytest.mark.parametrize("name", LOWEST)
def test_lowest_labels(kernels: Any, name: str) -> None:
    lowest, dtype = LOWEST[name]
    rng = np.random.default_rng(10)
    kind = np.dtype(dtype)
    floor, ceiling = (
        (-(2**53), 2**53)
        if kind.kind == "f"
        else (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    )
    # Labels, their neighbours on both sides, and the ends of the type.
    pool = [lowest + i for i in range(-3, 9)] + [floor, floor + 1, ceiling - 1, ceiling, 0, 1]
    pool = [value for value in pool if floor <= value <= ceiling]
    if dtype == "float32":
        pool = [value for value in pool if int(np.float32(value)) == value]
    first = np.array(rng.choice(np.array(pool, object), 400).tolist(), dtype)
    second = ratings("int16", 400, 11)
    assert_counts(kernels, first, second, lowest=(lowest, 0))
    assert_counts(kernels, second, first, lowest=(0, lowest))
    assert_counts(kernels, first, first[::-1], lowest=(lowest, lowest))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_ratings_far_outside_the_labels(kernels: Any, dtype: str) -> None:
    """The ends of the type, and what would alias a cell if bounds were checked together."""
    limits = np.iinfo(dtype)
    pool = [limits.min, limits.max, limits.max - 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 36, 64, 127]
    rng = np.random.default_rng(12)
    first = np.array(rng.choice(np.array(pool, object), 1000).tolist(), dtype)
    second = np.array(rng.choice(np.array(pool, object), 1000).tolist(), dtype)
    for n_codes in ((1, 1), (5, 5), (8, 8), (5, 3), (3, 8), (11, 11), (64, 9)):
        assert_counts(kernels, first, second, n_codes=n_codes)


def test_one_outsider_in_each_place(kernels: Any) -> None:
    """A wide loop must check every lane, and the items left over after it."""
    for dtype in ("uint8", "int16", "int64"):
        for place in range(200):
            first, second = ratings(dtype, 200, 13, 0, 5), ratings(dtype, 200, 14, 0, 5)
            (first if place % 2 else second)[place] = 101
            assert_counts(kernels, first, second)


def test_all_outside(kernels: Any) -> None:
    assert_counts(kernels, ratings("int64", 700, 15, 100, 200), ratings("int64", 700, 16, -9, 0))


def test_no_labels_at_all(kernels: Any) -> None:
    column = ratings("int64", 300, 17)
    assert_counts(kernels, column, column, n_codes=(0, 0))
    assert_counts(kernels, column, column, n_codes=(0, 5))
    assert_counts(kernels, column, column, n_codes=(5, 0))


SHAPES = [
    *((n, n) for n in (1, 2, 3, 7, 8, 9, 10, 11, 12, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100)),
    *((n, n) for n in (127, 128, 129, 255, 256, 257, 300, 600)),
    *((2, 300), (300, 2), (1, 9), (9, 1), (12, 7), (8, 9), (9, 8), (17, 256)),
]


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64"])
def test_numbers_of_labels(kernels: Any, dtype: str) -> None:
    for n_codes in SHAPES:
        first, second = (
            ratings(dtype, 3000, seed, 0, min(n + 2, np.iinfo(dtype).max))
            for seed, n in zip((18, 19), n_codes, strict=True)
        )
        assert_counts(kernels, first, second, n_codes=n_codes)


BORDERS = [*range(71), 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025]
LARGE_BORDERS = [4095, 4096, 4097, 16383, 16384, 16385, 65535, 65536, 65537, 2**18 + 1]


@pytest.mark.parametrize("n_labels", [2, 5, 8, 10, 20, 200])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_sizes(kernels: Any, dtype: str, n_labels: int) -> None:
    for n in BORDERS:
        first = ratings(dtype, n, n, 0, n_labels + 1)
        second = ratings(dtype, n, n + 1, 0, n_labels + 1)
        assert_counts(kernels, first, second, n_codes=(n_labels, n_labels))


@pytest.mark.parametrize("n", LARGE_BORDERS)
def test_large_sizes(kernels: Any, n: int) -> None:
    kinds = [("uint8", 5), ("int64", 6), ("int64", 300), ("uint8", 40), ("int16", 9)]
    for dtype, n_labels in kinds if n < 65_000 else kinds[:3]:
        first = ratings(dtype, n, n, 0, n_labels + 1)
        second = ratings(dtype, n, n + 1, 0, n_labels + 1)
        assert_counts(kernels, first, second, n_codes=(n_labels, n_labels))


RANGES = [(0, 3000), (1, 2999), (17, 17), (500, 501), (63, 65), (0, 64), (64, 128), (2999, 3000)]


@pytest.mark.parametrize("layout", ["contiguous", "step 3", "reversed", "swapped", "unaligned"])
def test_ranges(kernels: Any, layout: str) -> None:
    for dtype in ("int16", "int64"):
        first = LAYOUTS[layout](ratings(dtype, 3000, 20))
        second = LAYOUTS[layout](ratings(dtype, 3000, 21))
        for start, stop in RANGES:
            assert_counts(kernels, first, second, start=start, stop=stop)


def test_items_beyond_the_range_are_not_read(kernels: Any) -> None:
    """Whole counts of a part equal those of a copy of the part, block by block."""
    first, second = ratings("uint8", 200_000, 22), ratings("uint8", 200_000, 23)
    for start, stop in ((65_536, 131_072), (65_535, 131_073), (1, 199_999), (100_001, 100_070)):
        assert_counts(kernels, first, second, start=start, stop=stop)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "float64"])
@pytest.mark.parametrize("n_labels", [1, 5, 11, 200])
def test_accumulators_do_not_overflow(kernels: Any, dtype: str, n_labels: int) -> None:
    """Narrow counters inside a kernel must be emptied in time: all items in one cell."""
    n = 3_000_000
    label = min(n_labels - 1, 100)
    column = np.full(n, label, dtype)
    guarded = GuardedTable((n_labels + 1, n_labels + 1))
    kernels.count_pairs(column, 0, column, 0, guarded.table, 0, n)
    added = guarded.added()
    assert added[label, label] == n
    assert added.sum() == n


def test_accumulators_of_outsiders_do_not_overflow(kernels: Any) -> None:
    n = 3_000_000
    for dtype in ("uint8", "int64"):
        column = np.full(n, 77, dtype)
        guarded = GuardedTable((6, 6))
        kernels.count_pairs(column, 0, column, 0, guarded.table, 0, n)
        added = guarded.added()
        assert added[5, 5] == n
        assert added.sum() == n


@pytest.mark.parametrize("n_labels", [5, 10, 100, 300])
def test_skewed_and_sorted_ratings(kernels: Any, n_labels: int) -> None:
    rng = np.random.default_rng(24)
    n = 70_000
    common = np.where(rng.random(n) < 0.9, 3, rng.integers(0, n_labels, n))
    for dtype in ("int16", "int64"):
        first, second = common.astype(dtype), rng.permutation(common).astype(dtype)
        assert_counts(kernels, first, second, n_codes=(n_labels, n_labels))
        assert_counts(kernels, np.sort(first), np.sort(second), n_codes=(n_labels, n_labels))


@pytest.mark.parametrize(("dtype", "lowest", "n_labels"), [("int8", -3, 13), ("uint8", 0, 16)])
def test_two_pairs_an_increment(kernels: Any, dtype: str, lowest: int, n_labels: int) -> None:
    """So many pairs of some 200 cells that two may be counted at once."""
    n = 300_011
    first = ratings(dtype, n, 48, lowest, lowest + n_labels)
    # Not all alike, but one pair so often that a counter of a byte wraps.
    first[::5], second = lowest + 1, ratings("uint8", n, 49, 0, n_labels)
    second[::5] = 2
    first[[0, 1023, 1024, n - 1]] = lowest + n_labels
    second[200_000:200_010] = n_labels
    assert_counts(kernels, first, second, lowest=(lowest, 0), n_codes=(n_labels, n_labels))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_every_other_column_of_a_matrix(kernels: Any, dtype: str) -> None:
    """Both columns with the same gaps, among ratings that are no labels."""
    matrix = np.full((4001, 2), np.iinfo(dtype).max, dtype)
    for other in (dtype, "int8", "uint8"):
        beside = np.full(
            (4001, 2 * np.dtype(dtype).itemsize // np.dtype(other).itemsize), 99, other
        )
        for n_codes in ((5, 5), (9, 12), (60, 60)):
            matrix[:, 0] = ratings(dtype, 4001, 50, 0, n_codes[0])
            beside[:, 0] = ratings(other, 4001, 51, 0, n_codes[1])
            assert_counts(kernels, matrix[:, 0], beside[:, 0], n_codes=n_codes)
            matrix[2000, 0] = beside[4000, 0] = 77
            assert_counts(kernels, matrix[:, 0], beside[:, 0], n_codes=n_codes)


@given(
    dtypes=st.tuples(
        st.sampled_from(["uint8", "int64", "int32"]), st.sampled_from(["uint8", "int64"])
    ),
    layouts=st.tuples(*[st.sampled_from(["contiguous", "step 2", "reversed", "swapped"])] * 2),
    n=st.integers(0, 700),
    n_codes=st.tuples(st.integers(0, 40), st.integers(0, 40)),
    high=st.integers(1, 50),
    seed=st.integers(0, 2**32),
    data=st.data(),
)
def test_anything_together(
    kernels: Any, dtypes: Any, layouts: Any, n: int, n_codes: Any, high: int, seed: int, data: Any
) -> None:
    start = data.draw(st.integers(0, n))
    stop = data.draw(st.integers(start, n))
    first, second = (
        LAYOUTS[layout](ratings(dtype, n, seed + i, 0, high))
        for i, (dtype, layout) in enumerate(zip(dtypes, layouts, strict=True))
    )
    assert_counts(kernels, first, second, n_codes=n_codes, start=start, stop=stop)


# Sums of item weights.

WEIGHT_LAYOUTS = ("contiguous", "step 3", "reversed", "swapped", "read-only", "unaligned")


def float_weights(dtype: str, n: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(n) * 10.0 ** rng.integers(-6, 6, n)).astype(dtype)


def assert_sums(kernels: Any, first: Any, second: Any, weights: Any, **options: Any) -> None:
    lowest = options.get("lowest", (0, 0))
    n_codes = options.get("n_codes", (5, 5))
    start, stop = options.get("start", 0), options.get("stop", len(first))
    shape = (n_codes[0] + 1, n_codes[1] + 1)
    guarded = GuardedTable(shape, np.float64)
    guarded.table[:] = guarded.before = np.zeros(shape)
    columns = (first, lowest[0], second, lowest[1])
    counts = GuardedTable(shape, seed=3)
    kernels.sum_pairs(*columns, weights, counts.table, guarded.table, start, stop)
    np.testing.assert_array_equal(counts.added(), slow_count_pairs(*columns, shape, start, stop))
    parts: dict[tuple[int, int], list[float]] = defaultdict(list)
    cells = cells_of(first, lowest[0], second, lowest[1], shape, start, stop)
    for cell, weight in zip(cells, weights[start:stop].tolist(), strict=True):
        parts[cell].append(weight)
    expected, error = np.zeros(shape), np.zeros(shape)
    for cell, values in parts.items():
        expected[cell] = math.fsum(values)
        # What n additions in any order may lose.
        error[cell] = len(values) * 2.0**-52 * math.fsum(map(abs, values))
    assert (np.abs(guarded.added() - expected) <= error).all()


@pytest.mark.parametrize("layout", WEIGHT_LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_float_weights(kernels: Any, dtype: str, layout: str) -> None:
    weights = LAYOUTS[layout](float_weights(dtype, 5001, 25))
    for rating_type in ("uint8", "int64"):
        first, second = ratings(rating_type, 5001, 26), ratings(rating_type, 5001, 27)
        assert_sums(kernels, first, second, weights)
        assert_sums(kernels, first, second, weights, start=7, stop=4990, n_codes=(9, 3))


@pytest.mark.parametrize("rating_type", ["int8", "uint16", ">i4", "uint64", "float32", "float64"])
def test_sums_for_types_of_ratings(kernels: Any, rating_type: str) -> None:
    first = ratings("int64", 2000, 28).astype(rating_type)
    second = ratings("int64", 2000, 29).astype(rating_type)[::-1]
    assert_sums(kernels, first, second, float_weights("float64", 2000, 30))


def test_sums_for_sizes(kernels: Any) -> None:
    for n in (*range(40), 63, 64, 65, 1023, 1024, 1025, 65535, 65536, 65537):
        first, second = ratings("int64", n, n), ratings("int64", n, n + 1)
        assert_sums(kernels, first, second, float_weights("float64", n, n))


def test_sums_for_lowest_labels(kernels: Any) -> None:
    first, second = ratings("int64", 999, 31, -3, 4), ratings("int64", 999, 32) + 10**15
    assert_sums(
        kernels,
        first,
        second,
        float_weights("float64", 999, 33),
        lowest=(-3, 10**15),
        n_codes=(5, 5),
    )


def test_float_weights_are_added_to_the_table(kernels: Any) -> None:
    guarded = GuardedTable((3, 3), np.float64)
    column = np.array([0, 1, 1])
    counts = np.zeros((3, 3), np.int64)
    weights = np.array([0.5, 0.25, 2.0])
    kernels.sum_pairs(column, 0, column, 0, weights, counts, guarded.table, 0, 3)
    np.testing.assert_array_equal(counts, [[1, 0, 0], [0, 2, 0], [0, 0, 0]])
    np.testing.assert_array_equal(guarded.added(), [[0.5, 0, 0], [0, 2.25, 0], [0, 0, 0]])


def test_nan_and_infinite_weights_show_in_the_sums(kernels: Any) -> None:
    for bad in (math.nan, math.inf):
        for place in (0, 3, 998):
            weights = np.ones(999)
            weights[place] = bad
            table = np.zeros((2, 2))
            column, counts = np.zeros(999, int), np.zeros((2, 2), np.int64)
            kernels.sum_pairs(column, 0, column, 0, weights, counts, table, 0, 999)
            assert not np.isfinite(table[0, 0])
            assert (table.reshape(-1)[1:] == 0).all()
            assert counts.tolist() == [[999, 0], [0, 0]]


def assert_exact_sums(kernels: Any, first: Any, second: Any, weights: Any, **options: Any) -> None:
    n_codes = options.get("n_codes", (5, 5))
    start, stop = options.get("start", 0), options.get("stop", len(first))
    shape = (n_codes[0] + 1, n_codes[1] + 1)
    high, low = GuardedTable(shape, seed=1), GuardedTable(shape, seed=2)
    tables = (counts := GuardedTable(shape, seed=3), high, low)
    columns = (first, 0, second, 0)
    kernels.sum_pairs_exactly(*columns, weights, *(t.table for t in tables), start, stop)
    np.testing.assert_array_equal(counts.added(), slow_count_pairs(*columns, shape, start, stop))
    expected = np.zeros(shape, object)
    for cell, weight in zip(
        cells_of(first, 0, second, 0, shape, start, stop), weights[start:stop].tolist(), strict=True
    ):
        expected[cell] += int(weight)
    assert (high.added().astype(object) * 2**32 + low.added().astype(object) == expected).all()


@pytest.mark.parametrize("layout", WEIGHT_LAYOUTS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_exact_sums_of_integer_weights(kernels: Any, dtype: str, layout: str) -> None:
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(34)
    weights = rng.integers(limits.min, limits.max, 3001, dtype=dtype, endpoint=True)
    weights[:40] = limits.max
    weights[40:80] = limits.min
    weights = LAYOUTS[layout](weights)
    first, second = ratings("int64", 3001, 35), ratings("int64", 3001, 36)
    assert_exact_sums(kernels, first, second, weights)
    assert_exact_sums(kernels, first, second, weights, start=5, stop=2990, n_codes=(3, 9))


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("end", ["min", "max"])
def test_exact_sums_of_the_largest_weights(kernels: Any, dtype: str, end: str) -> None:
    n = 100_000
    value = int(getattr(np.iinfo(dtype), end))
    weights = np.full(n, value, dtype)
    column = np.full(n, 1, np.int32)
    counts, high, low = np.zeros((3, 3, 3), np.int64)
    kernels.sum_pairs_exactly(column, 0, column, 0, weights, counts, high, low, 0, n)
    assert int(high[1, 1]) * 2**32 + int(low[1, 1]) == n * value
    assert counts[1, 1] == counts.sum() == n


def test_exact_sums_for_types_of_ratings(kernels: Any) -> None:
    weights = np.arange(-500, 500)
    for dtype in ("int8", "uint16", ">i4", "uint64", "float32"):
        first = ratings("int64", 1000, 37).astype(dtype)
        second = ratings("int64", 1000, 38).astype(dtype)
        assert_exact_sums(kernels, first, second, weights)
        assert_exact_sums(kernels, first[::-1], second[::-1], weights)


# Moments, which only some backends offer: the general way is as fast elsewhere.


@pytest.fixture(
    params=[
        name
        for name in dispatch.BACKENDS
        if dispatch.why_missing(name) is None and hasattr(dispatch.get_kernels(name), "sum_moments")
    ]
)
def moment_kernels(request: pytest.FixtureRequest) -> Any:
    return dispatch.get_kernels(request.param)


def test_the_compiled_backend_sums_moments() -> None:
    """So that the tests below cannot all be skipped unnoticed."""
    if dispatch.why_missing("cython") is None:
        assert hasattr(dispatch.get_kernels("cython"), "sum_moments")


def assert_moments(
    kernels: Any,
    first: Any,
    second: Any,
    n_labels: int,
    lowest: int = 0,
    start: int = 0,
    stop: int | None = None,
) -> None:
    stop = len(first) if stop is None else stop
    pairs = list(
        zip(
            codes_of(first, lowest, n_labels, start, stop),
            codes_of(second, lowest, n_labels, start, stop),
            strict=True,
        )
    )
    inside = [(a, b) for a, b in pairs if a < n_labels and b < n_labels]
    assert kernels.sum_moments(first, second, lowest, n_labels, start, stop) == (
        len(pairs) - len(inside),
        len(inside),
        sum(a for a, _ in inside),
        sum(b for _, b in inside),
        sum(a * a for a, _ in inside),
        sum(b * b for _, b in inside),
        sum(a * b for a, b in inside),
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", RATING_TYPES)
def test_moments(moment_kernels: Any, dtype: str, layout: str) -> None:
    lay = LAYOUTS[layout]
    high = 120 if dtype in ("int8", "uint8") else 2000
    for n_labels in (1, 5, 60, high - 3):
        first = lay(ratings(dtype, 3001, 41, 0, min(n_labels + 3, high)))
        second = ratings(dtype, 3001, 42, 0, min(n_labels + 3, high))
        assert_moments(moment_kernels, first, second, n_labels)
        assert_moments(moment_kernels, second, first, n_labels, 2, 5, 2990)


@pytest.mark.parametrize("name", LOWEST)
def test_moments_for_lowest_labels(moment_kernels: Any, name: str) -> None:
    lowest, dtype = LOWEST[name]
    offset = np.random.default_rng(43).integers(0, 5, (2, 500))
    first, second = (
        np.array([lowest + i for i in codes.tolist()], np.dtype(dtype)) for codes in offset
    )
    assert_moments(moment_kernels, first, second, 5, lowest)
    assert_moments(moment_kernels, first, second, 3, lowest)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "int32", "int64", "float64"])
def test_moments_do_not_overflow(moment_kernels: Any, dtype: str) -> None:
    """The largest code, again and again."""
    n = 2_000_000
    code = 65_535 if np.dtype(dtype).itemsize > 2 else int(np.iinfo(dtype).max)
    column = np.full(n, code, dtype)
    square = code * code * n
    assert moment_kernels.sum_moments(column, column, 0, code + 1, 0, n) == (
        *(0, n, code * n, code * n),
        *(square, square, square),
    )


def test_moments_for_sizes(moment_kernels: Any) -> None:
    for n in (*range(70), 255, 256, 257, 1023, 1024, 1025, 4096, 4097, 65_537):
        for dtype in ("uint8", "int32", "int64"):
            first, second = ratings(dtype, n, n, 0, 101), ratings(dtype, n, n + 1, 0, 101)
            assert_moments(moment_kernels, first, second, 100)


def test_all_backends_offer_the_same_kernels(kernels: Any) -> None:
    for name in ("count_pairs", "sum_pairs", "sum_pairs_exactly"):
        assert callable(getattr(kernels, name))


@pytest.mark.parametrize("name", ["count_pairs", "sum_pairs", "sum_pairs_exactly"])
def test_inputs_stay_as_they_are(kernels: Any, name: str) -> None:
    first, second, weights = ratings("int64", 999, 39), ratings("int64", 999, 40), np.arange(999)
    tables = {"count_pairs": (np.int64,), "sum_pairs": (np.int64, np.float64)}.get(
        name, (np.int64,) * 3
    )
    extra = (
        ()
        if name == "count_pairs"
        else (weights.astype(float) if name == "sum_pairs" else weights,)
    )
    copies = [array.copy() for array in (first, second, *extra)]
    getattr(kernels, name)(
        first, 0, second, 0, *extra, *(np.zeros((6, 6), dtype) for dtype in tables), 0, 999
    )
    for array, copy in zip((first, second, *extra), copies, strict=True):
        np.testing.assert_array_equal(array, copy)
