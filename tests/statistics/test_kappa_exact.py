"""Kappa of tables, single and stacked, compared with exact rational arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastkappa import kappa_from_confusion
from tests.helpers.exact_kappa import (
    NAMED,
    assert_exact,
    exact_kappa,
    matrices,
    random_table,
    ulps,
)


def test_ulps_count_floats() -> None:
    assert ulps(1.0, 1.0) == ulps(0.0, -0.0) == 0
    assert ulps(1.0, math.nextafter(1.0, 2)) == ulps(1.0, math.nextafter(1.0, 0)) == 1
    assert ulps(5e-324, -5e-324) == 2


SIZES: dict[str, Callable[[Any], Any]] = {
    "few": lambda rng: random_table(rng, 3, 5),
    "two labels": lambda rng: random_table(rng, 2, 100),
    "five labels": lambda rng: random_table(rng, 5, 1000),
    "a million": lambda rng: random_table(rng, 6, 10**6 // 18),
    "10**9 in all": lambda rng: random_table(rng, 5, 10**9 // 13),
    "10**12 in all": lambda rng: random_table(rng, 5, 10**12 // 13),
    "10**12 in one cell": lambda rng: random_table(rng, 4, 5) + 10**12 * np.eye(4, dtype=int)[1],
    "just below a square of int64": lambda rng: random_table(rng, 2, 2**31),
    "10**18 in all": lambda rng: random_table(rng, 3, 10**17),
    "beyond int64 in all": lambda rng: random_table(rng, 3, 2**63 - 1),
    "forty labels": lambda rng: random_table(rng, 40, 10**6),
    "mostly zero": lambda rng: random_table(rng, 20, 1) * (rng.random((20, 20)) < 0.05),
    "agreeing": lambda rng: random_table(rng, 5, 3) + 10**6 * np.eye(5, dtype=int),
    "all but one agree": lambda rng: 10**11 * np.eye(5, dtype=int) + np.eye(5, k=1, dtype=int),
    "disagreeing": lambda rng: random_table(rng, 5, 1000) * (1 - np.eye(5, dtype=int)),
    "independent": lambda rng: np.outer(rng.integers(1, 999, 6), rng.integers(1, 999, 6)),
    "nearly independent": lambda rng: (
        np.outer(rng.integers(1, 10**5, 6), rng.integers(1, 10**5, 6)) + random_table(rng, 6, 1)
    ),
}


@pytest.mark.parametrize("weights", NAMED)
@pytest.mark.parametrize("size", SIZES)
def test_random_tables_are_exact(size: str, weights: Any) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        assert_exact(SIZES[size](rng), weights)


@pytest.mark.parametrize("size", SIZES)
def test_random_weights_are_exact(size: str) -> None:
    rng = np.random.default_rng(2)
    for seed in range(3):
        table = SIZES[size](rng)
        for matrix in matrices(len(table), seed):
            assert_exact(table, matrix)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", ">i8", "bool"]
)
def test_integer_types(dtype: str) -> None:
    rng = np.random.default_rng(3)
    top = 1 if dtype == "bool" else min(int(np.iinfo(dtype).max), 10**12)
    for weights in (*NAMED, matrices(4, 4)[0]):
        table = rng.integers(0, top, (4, 4), endpoint=True).astype(dtype)
        table[0, 1] = table[2, 2] = top
        assert_exact(table, weights)


@pytest.mark.parametrize("weights", NAMED)
def test_uint64_above_int64(weights: Any) -> None:
    table = np.array([[2**64 - 1, 5, 2**63], [1, 2**64 - 2, 0], [2**62, 3, 2**63 + 1]], np.uint64)
    assert_exact(table, weights)
    assert_exact(np.array([[2**62, 1], [0, 2**62 - 1]], np.uint64), weights)


@pytest.mark.parametrize("weights", NAMED)
def test_python_integers_of_any_size(weights: Any) -> None:
    assert_exact(np.array([[2**80, 5, 1], [7, 2**70, 2], [0, 3, 9]], object), weights)
    assert_exact(np.array([[4, 5, 1], [7, 3, 2], [0, 3, 9]], object), weights)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f8"])
@pytest.mark.parametrize("weights", NAMED)
def test_float_tables(dtype: str, weights: Any) -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        table = rng.random((5, 5)).astype(dtype)
        assert_exact(table, weights)
        assert_exact((table * 100).astype(dtype), weights)
        assert_exact(np.floor(table * 2000).astype(dtype), weights)


@pytest.mark.parametrize("weights", [*NAMED, [[0, 0.1, 1e-300], [1e300, 0, 2], [1, 5e-324, 0]]])
def test_floats_of_all_sizes(weights: Any) -> None:
    rng = np.random.default_rng(6)
    for _ in range(10):
        assert_exact(rng.random((3, 3)) * 10.0 ** rng.integers(-300, 300, (3, 3)), weights)
    assert_exact(np.full((3, 3), 5e-324), weights)
    assert_exact(np.array([[1e308] * 3] * 3), weights)
    assert_exact(np.array([[2.0**53 + 2, 1, 0], [0, 2.0**60, 1], [1, 0, 3]]), weights)


def test_long_doubles() -> None:
    table = np.array([[3, 1], [2, 4]], np.longdouble) / 8
    assert kappa_from_confusion(table) == float(exact_kappa([[3, 1], [2, 4]], None) or 0)


@pytest.mark.parametrize("weights", NAMED)
@pytest.mark.parametrize("n_labels", [300, 1000])
def test_many_labels(n_labels: int, weights: Any) -> None:
    rng = np.random.default_rng(7)
    table = rng.integers(0, 2 * 10**12 // n_labels**2, (n_labels, n_labels))
    table += np.diag(rng.integers(0, 10**9, n_labels))
    exact = exact_kappa(table, weights)
    assert exact is not None
    assert kappa_from_confusion(table, weights=weights) == float(exact)
    stacked = kappa_from_confusion(np.stack([table, table.T]), weights=weights)
    assert all(ulps(float(kappa), float(exact)) <= 4 for kappa in stacked)


def test_many_labels_with_a_matrix() -> None:
    rng = np.random.default_rng(8)
    table = rng.integers(0, 10**6, (200, 200))
    matrix = rng.random((200, 200)) * (1 - np.eye(200))
    assert kappa_from_confusion(table, weights=matrix) == float(exact_kappa(table, matrix) or 0)


def test_kappa_close_to_zero_keeps_its_digits() -> None:
    """A table of 10**12 items with one item more than independence."""
    table = np.full((2, 2), 10**12 // 4)
    table[0, 0] += 1
    exact = exact_kappa(table, None)
    assert exact is not None
    assert 0 < exact < Fraction(1, 10**11)
    assert_exact(table, None)
    assert_exact(table[::-1], "linear")


def test_exactly_zero_and_one() -> None:
    independent = np.outer([3, 5, 7], [2, 11, 1])
    for weights in (*NAMED, matrices(3, 9)[2]):
        assert kappa_from_confusion(independent, weights=weights) == 0
        assert kappa_from_confusion(np.diag([1, 10**12, 3]), weights=weights) == 1


def test_largest_tables_of_zero_kappa_in_a_stack() -> None:
    rows = np.random.default_rng(10).integers(1, 10**6, (50, 2, 7))
    stack = rows[:, 0, :, None] * rows[:, 1, None, :]
    for weights in NAMED:
        assert (kappa_from_confusion(stack, weights=weights) == 0).all()


# Stacks.


@pytest.mark.parametrize("weights", [*NAMED, "matrix"])
@pytest.mark.parametrize("largest", [3, 10**3, 10**9, 10**12, 2**62])
def test_stacks(largest: int, weights: Any) -> None:
    rng = np.random.default_rng(11)
    stack = rng.integers(0, largest, (3, 5, 4, 4), endpoint=True)
    stack[0, 0, :2] //= 10
    weights = matrices(4, 12)[0] if weights == "matrix" else weights
    kappa = kappa_from_confusion(stack, weights=weights)
    assert kappa.shape == (3, 5)
    assert kappa.dtype == np.float64
    for index in np.ndindex(3, 5):
        exact = exact_kappa(stack[index], weights)
        assert exact is not None
        assert ulps(float(kappa[index]), float(exact)) <= 4
    eighths = stack / 8
    kappa = kappa_from_confusion(eighths, weights=weights)
    for index in np.ndindex(3, 5):
        assert ulps(float(kappa[index]), float(exact_kappa(eighths[index], weights) or 0)) <= 4


def test_a_large_table_does_not_spoil_the_small_ones_of_its_stack() -> None:
    small, large = [[20, 5], [10, 15]], [[2**62, 1], [3, 2**61]]
    stack = kappa_from_confusion(np.array([small, large, small]))
    assert stack[0] == stack[2] == 0.4
    assert ulps(float(stack[1]), float(exact_kappa(large, None) or 0)) <= 4
    tiny = kappa_from_confusion(np.array([small, np.full((2, 2), 1e-300)], float) * 1e-5)
    assert ulps(float(tiny[0]), 0.4) <= 4


def test_empty_stack() -> None:
    assert kappa_from_confusion(np.zeros((0, 3, 3), int)).shape == (0,)
    assert kappa_from_confusion(np.zeros((2, 0, 3, 3)), weights="quadratic").shape == (2, 0)


@pytest.mark.parametrize("layout", ["transposed", "strided", "reversed", "read-only", "fortran"])
def test_layouts(layout: str) -> None:
    table = np.random.default_rng(13).integers(0, 99, (4, 4))
    wide = np.zeros((8, 8), int)
    wide[::2, ::2] = table
    frozen = table.copy()
    frozen.flags.writeable = False
    view = {
        "transposed": table.T,
        "strided": wide[::2, ::2],
        "reversed": table[::-1, ::-1],
        "read-only": frozen,
        "fortran": np.asfortranarray(table),
    }[layout]
    for weights in NAMED:
        assert kappa_from_confusion(view, weights=weights) == float(exact_kappa(view, weights) or 0)


def test_the_table_is_left_as_it_is() -> None:
    table = np.array([[3, 1], [2, 4]])
    floats = table / 8
    for weights in (*NAMED, [[0, 1], [2, 0]]):
        kappa_from_confusion(table, weights=weights)
        kappa_from_confusion(floats, weights=weights)
    assert table.tolist() == [[3, 1], [2, 4]]
    assert (floats * 8).tolist() == [[3, 1], [2, 4]]
