"""Sums of item weights by the kernels of every backend."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from tests.helpers.kernel_inputs import (
    INTEGERS,
    LAYOUTS,
    GuardedTable,
    cells_of,
    ratings,
    slow_count_pairs,
)

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
    columns, part = (first, second, lowest), (start, stop)
    counts = GuardedTable(shape, seed=3)
    kernels.sum_pairs(*columns, weights, (counts.table, guarded.table), part)
    np.testing.assert_array_equal(counts.added(), slow_count_pairs(*columns, shape, part))
    parts: dict[tuple[int, int], list[float]] = defaultdict(list)
    cells = cells_of(*columns, shape, part)
    for cell, weight in zip(cells, weights[start:stop].tolist(), strict=True):
        parts[cell].append(weight)
    expected, error = np.zeros(shape), np.zeros(shape)
    for cell, values in parts.items():
        expected[cell] = math.fsum(values)
        # The largest rounding error of n additions in any order.
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
    kernels.sum_pairs(column, column, (0, 0), weights, (counts, guarded.table), (0, 3))
    np.testing.assert_array_equal(counts, [[1, 0, 0], [0, 2, 0], [0, 0, 0]])
    np.testing.assert_array_equal(guarded.added(), [[0.5, 0, 0], [0, 2.25, 0], [0, 0, 0]])


def test_nan_and_infinite_weights_show_in_the_sums(kernels: Any) -> None:
    for bad in (math.nan, math.inf):
        for place in (0, 3, 998):
            weights = np.ones(999)
            weights[place] = bad
            table = np.zeros((2, 2))
            column, counts = np.zeros(999, int), np.zeros((2, 2), np.int64)
            kernels.sum_pairs(column, column, (0, 0), weights, (counts, table), (0, 999))
            assert not np.isfinite(table[0, 0])
            assert (table.reshape(-1)[1:] == 0).all()
            assert counts.tolist() == [[999, 0], [0, 0]]


def assert_exact_sums(kernels: Any, first: Any, second: Any, weights: Any, **options: Any) -> None:
    n_codes = options.get("n_codes", (5, 5))
    start, stop = options.get("start", 0), options.get("stop", len(first))
    shape = (n_codes[0] + 1, n_codes[1] + 1)
    high, low = GuardedTable(shape, seed=1), GuardedTable(shape, seed=2)
    tables = (counts := GuardedTable(shape, seed=3), high, low)
    columns, part = (first, second, (0, 0)), (start, stop)
    kernels.sum_pairs_exactly(*columns, weights, tuple(t.table for t in tables), part)
    np.testing.assert_array_equal(counts.added(), slow_count_pairs(*columns, shape, part))
    expected = np.zeros(shape, object)
    cells = cells_of(*columns, shape, part)
    for cell, weight in zip(cells, weights[start:stop].tolist(), strict=True):
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
    kernels.sum_pairs_exactly(column, column, (0, 0), weights, (counts, high, low), (0, n))
    assert int(high[1, 1]) * 2**32 + int(low[1, 1]) == n * value
    assert counts[1, 1] == counts.sum() == n


def test_exact_sums_for_types_of_ratings(kernels: Any) -> None:
    weights = np.arange(-500, 500)
    for dtype in ("int8", "uint16", ">i4", "uint64", "float32"):
        first = ratings("int64", 1000, 37).astype(dtype)
        second = ratings("int64", 1000, 38).astype(dtype)
        assert_exact_sums(kernels, first, second, weights)
        assert_exact_sums(kernels, first[::-1], second[::-1], weights)
