"""The kernels of every backend, compared with slow equivalents in plain Python.

The tests check the contract at the top of ``numpy_kernels``. Codes are ratings minus the lowest
label. Ratings outside the codes are counted in the last row or column. Only the items from start
to stop are read. Counts are added to the table, and nothing is written outside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.kernel_inputs import (
    INTEGERS,
    LAYOUTS,
    LOWEST,
    RATING_TYPES,
    GuardedTable,
    ratings,
    slow_count_pairs,
)


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
    kernels.count_pairs(first, second, lowest, guarded.table, (start, stop))
    expected = slow_count_pairs(first, second, lowest, shape, (start, stop))
    np.testing.assert_array_equal(guarded.added(), expected)


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
    # Labels, their neighbours on both sides, and both ends of the type.
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
    """The ends of the type, and values that would alias a cell if bounds were checked together."""
    limits = np.iinfo(dtype)
    pool = [limits.min, limits.max, limits.max - 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 36, 64, 127]
    rng = np.random.default_rng(12)
    first = np.array(rng.choice(np.array(pool, object), 1000).tolist(), dtype)
    second = np.array(rng.choice(np.array(pool, object), 1000).tolist(), dtype)
    for n_codes in ((1, 1), (5, 5), (8, 8), (5, 3), (3, 8), (11, 11), (64, 9)):
        assert_counts(kernels, first, second, n_codes=n_codes)


def test_one_outsider_in_each_place(kernels: Any) -> None:
    """Test that a wide loop checks every lane, and the items left over after it."""
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


def test_numbers_of_cells(kernels: Any) -> None:
    # No value is outside. If one value is, all values around it are counted one by one.
    for n_cells in range(1, 260):
        columns = next(n for n in range(int(n_cells**0.5), 0, -1) if n_cells % n == 0)
        for n_codes in {(n_cells // columns, columns), (1, n_cells)}:
            first, second = (
                ratings("int16", 1100, seed, 0, n) for seed, n in zip((20, 21), n_codes)
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
    """Whole counts of a part equal the counts of a copy of the part, block by block."""
    first, second = ratings("uint8", 200_000, 22), ratings("uint8", 200_000, 23)
    for start, stop in ((65_536, 131_072), (65_535, 131_073), (1, 199_999), (100_001, 100_070)):
        assert_counts(kernels, first, second, start=start, stop=stop)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "float64"])
@pytest.mark.parametrize("n_labels", [1, 5, 11, 200])
def test_accumulators_do_not_overflow(kernels: Any, dtype: str, n_labels: int) -> None:
    """Narrow counters inside a kernel must be emptied in time, even with all items in one cell."""
    n = 3_000_000
    label = min(n_labels - 1, 100)
    column = np.full(n, label, dtype)
    guarded = GuardedTable((n_labels + 1, n_labels + 1))
    kernels.count_pairs(column, column, (0, 0), guarded.table, (0, n))
    added = guarded.added()
    assert added[label, label] == n
    assert added.sum() == n


def test_accumulators_of_outsiders_do_not_overflow(kernels: Any) -> None:
    n = 3_000_000
    for dtype in ("uint8", "int64"):
        column = np.full(n, 77, dtype)
        guarded = GuardedTable((6, 6))
        kernels.count_pairs(column, column, (0, 0), guarded.table, (0, n))
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


@pytest.mark.cover(1)
@pytest.mark.parametrize("dtype", ["uint8", "int32"])
@pytest.mark.parametrize(("n_labels", "often"), [(100, 0), (110, 2000), (256, 0)])
def test_narrow_counters_that_wrap(kernels: Any, dtype: str, n_labels: int, often: int) -> None:
    """The items are evenly spread at first, or all one pair, so narrow counters seem sufficient."""
    n = 1_200_000
    first, second = (ratings(dtype, n, seed, 0, n_labels) for seed in (52, 53))
    first[:often] = second[:often] = 7
    # Then follow a few pairs that differ from their neighbours.
    first[100_000:1_100_000] = second[100_000:1_100_000] = np.arange(10**6) % 8
    assert_counts(kernels, first, second, n_codes=(n_labels, n_labels))
    if dtype == "int32":
        first[[150_000, 1_150_000]] = -1
        second[-1] = n_labels
        assert_counts(kernels, first, second, n_codes=(n_labels, n_labels))
    few = (np.arange(120_000) % 8).astype(dtype)
    assert_counts(kernels, few, few[::-1].copy(), n_codes=(n_labels, n_labels))


@pytest.mark.parametrize(("dtype", "lowest", "n_labels"), [("int8", -3, 13), ("uint8", 0, 16)])
def test_two_pairs_an_increment(kernels: Any, dtype: str, lowest: int, n_labels: int) -> None:
    """There are so many different pairs in some 200 cells that two can be counted at once."""
    n = 300_011
    first = ratings(dtype, n, 48, lowest, lowest + n_labels)
    # One pair is so frequent that a one-byte counter wraps.
    first[::5], second = lowest + 1, ratings("uint8", n, 49, 0, n_labels)
    second[::5] = 2
    first[[0, 1023, 1024, n - 1]] = lowest + n_labels
    second[200_000:200_010] = n_labels
    assert_counts(kernels, first, second, lowest=(lowest, 0), n_codes=(n_labels, n_labels))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_every_other_column_of_a_matrix(kernels: Any, dtype: str) -> None:
    """Both columns have the same gaps, among ratings that are not labels."""
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


def test_all_backends_offer_the_same_kernels(kernels: Any) -> None:
    for name in ("count_pairs", "sum_pairs", "sum_pairs_exactly"):
        assert callable(getattr(kernels, name))


@pytest.mark.parametrize("name", ["count_pairs", "sum_pairs", "sum_pairs_exactly"])
def test_inputs_stay_as_they_are(kernels: Any, name: str) -> None:
    first, second, weights = ratings("int64", 999, 39), ratings("int64", 999, 40), np.arange(999)
    dtypes = (np.int64, np.float64) if name == "sum_pairs" else (np.int64,) * 3
    tables: Any = tuple(np.zeros((6, 6), dtype) for dtype in dtypes)
    if name == "count_pairs":
        tables = tables[0]
    extra = (
        ()
        if name == "count_pairs"
        else (weights.astype(float) if name == "sum_pairs" else weights,)
    )
    copies = [array.copy() for array in (first, second, *extra)]
    getattr(kernels, name)(first, second, (0, 0), *extra, tables, (0, 999))
    for array, copy in zip((first, second, *extra), copies, strict=True):
        np.testing.assert_array_equal(array, copy)
