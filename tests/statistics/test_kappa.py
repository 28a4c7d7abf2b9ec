"""Kappa from tables against exact rational arithmetic and published figures."""

from __future__ import annotations

import math
import struct
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa import cohen_kappa_score, kappa_from_confusion
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.statistics.kappa import expected_agreement, observed_agreement
from tests.helpers.published import CUSTOM_WEIGHTS, QUADRATIC, TABLES

NAMED = (None, "linear", "quadratic")


def fractions_of(values: Any) -> Any:
    """Return an object array of the exact values."""
    return np.frompyfunc(Fraction, 1, 1)(np.asarray(values).astype(object))


def disagreement(weights: Any, n_labels: int) -> Any:
    """Return the matrix of weights as Python integers or fractions."""
    i = np.arange(n_labels).astype(object)
    distance = abs(i[:, None] - i)
    if weights is None:
        return (distance != 0).astype(int).astype(object)
    if isinstance(weights, str):
        return distance if weights == "linear" else distance**2
    matrix = np.asarray(weights)
    return fractions_of(matrix) if matrix.dtype.kind == "f" else matrix.astype(object)


def exact_kappa(table: Any, weights: Any) -> Fraction | None:
    """Return 1 - n sum(w c) / sum(w r s), or None where it is 0 / 0."""
    table = np.asarray(table)
    table = fractions_of(table) if table.dtype.kind == "f" else table.astype(object)
    matrix = disagreement(weights, len(table))
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    expected = rows.dot(matrix.dot(columns))
    if expected == 0:
        return None
    return 1 - Fraction(table.sum() * (matrix * table).sum()) / Fraction(expected)


def ordered(x: float) -> int:
    """Number the floats in their order."""
    (bits,) = struct.unpack("<q", struct.pack("<d", x))
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def ulps(x: float, y: float) -> int:
    return abs(ordered(x) - ordered(y))


def test_ulps_count_floats() -> None:
    assert ulps(1.0, 1.0) == ulps(0.0, -0.0) == 0
    assert ulps(1.0, math.nextafter(1.0, 2)) == ulps(1.0, math.nextafter(1.0, 0)) == 1
    assert ulps(5e-324, -5e-324) == 2


def assert_exact(table: Any, weights: Any) -> None:
    """A single table is correctly rounded; the same table in a stack is within 4 ulp."""
    exact = exact_kappa(table, weights)
    stack = np.asarray(table)[None]
    if exact is None:
        with pytest.warns(undefined_metric_warning()):
            assert math.isnan(kappa_from_confusion(table, weights))
        with pytest.warns(undefined_metric_warning()):
            assert np.isnan(kappa_from_confusion(stack, weights)).all()
        return
    single = kappa_from_confusion(table, weights)
    assert type(single) is float
    assert single == float(exact)
    stacked = kappa_from_confusion(stack, weights)
    assert stacked.shape == (1,)
    assert ulps(float(stacked[0]), float(exact)) <= 4


def random_table(rng: Any, n_labels: int, largest: int, dtype: Any = np.int64) -> Any:
    return rng.integers(0, largest, (n_labels, n_labels), endpoint=True).astype(dtype)


def matrices(n_labels: int, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    off = 1 - np.eye(n_labels, dtype=np.int64)
    return [
        rng.integers(0, 20, (n_labels, n_labels)) * off,
        (rng.integers(0, 2**40, (n_labels, n_labels)) * off),
        rng.random((n_labels, n_labels)) * off,
        np.abs(np.subtract.outer(np.arange(n_labels), np.arange(n_labels))) ** 1.5,
        (rng.random((n_labels, n_labels)) * off).astype(np.float32),
        off.astype(bool),
        off.astype(np.uint8),
    ]


# Published figures.


@pytest.mark.parametrize("weights", NAMED)
@pytest.mark.parametrize("name", TABLES)
def test_published_tables(name: str, weights: Any) -> None:
    published = TABLES[name]
    fraction, value = getattr(published, weights or "unweighted")
    kappa = kappa_from_confusion(published.table, weights)
    assert kappa == float(Fraction(fraction))
    assert kappa == pytest.approx(value, rel=1e-14)
    printed = (published.printed or {}).get(weights or "unweighted")
    if printed is not None:
        digits = len(str(printed).partition(".")[2])
        assert round(kappa, digits) == printed
    assert exact_kappa(published.table, weights) == Fraction(fraction)


@pytest.mark.parametrize("name", TABLES)
def test_published_agreement(name: str) -> None:
    published = TABLES[name]
    assert observed_agreement(published.table) == pytest.approx(published.observed, rel=1e-14)
    assert expected_agreement(published.table) == pytest.approx(published.expected, rel=1e-14)


@pytest.mark.parametrize("name", CUSTOM_WEIGHTS)
def test_published_weights(name: str) -> None:
    custom = CUSTOM_WEIGHTS[name]
    table = TABLES[custom.table].table
    assert kappa_from_confusion(table, custom.weights) == pytest.approx(custom.kappa, rel=1e-14)
    if custom.printed is not None:
        assert round(kappa_from_confusion(table, custom.weights), 3) == custom.printed
    swapped = np.transpose(custom.weights)
    assert kappa_from_confusion(np.transpose(table), swapped) == kappa_from_confusion(
        table, custom.weights
    )


def test_rows_of_a_weight_matrix_are_the_first_raters() -> None:
    custom = CUSTOM_WEIGHTS["asymmetric"]
    table = TABLES[custom.table].table
    first, second = (
        [i for i in range(3) for j in range(3) for _ in range(table[i][j])],
        [j for i in range(3) for j in range(3) for _ in range(table[i][j])],
    )
    assert kappa_from_confusion(table, custom.weights) == pytest.approx(0.3533834586466166)
    transposed = np.transpose(custom.weights)
    assert kappa_from_confusion(table, transposed) != pytest.approx(0.3533834586466166, abs=1e-3)
    for matrix in (custom.weights, np.array(custom.weights)):
        assert cohen_kappa_score(first, second, weights=matrix) == kappa_from_confusion(
            table, custom.weights
        )
    assert cohen_kappa_score(second, first, weights=transposed) == kappa_from_confusion(
        table, custom.weights
    )


@pytest.mark.parametrize("name", QUADRATIC)
def test_published_ratings(name: str) -> None:
    first, second, labels, kappa = QUADRATIC[name]
    value = cohen_kappa_score(first, second, labels=labels, weights="quadratic")
    assert value == pytest.approx(kappa, rel=1e-14)


# The exact oracle.

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
    assert kappa_from_confusion(table, weights) == float(exact)
    stacked = kappa_from_confusion(np.stack([table, table.T]), weights)
    assert all(ulps(float(kappa), float(exact)) <= 4 for kappa in stacked)


def test_many_labels_with_a_matrix() -> None:
    rng = np.random.default_rng(8)
    table = rng.integers(0, 10**6, (200, 200))
    matrix = rng.random((200, 200)) * (1 - np.eye(200))
    assert kappa_from_confusion(table, matrix) == float(exact_kappa(table, matrix) or 0)


def test_kappa_close_to_zero_keeps_its_digits() -> None:
    """One item more than independence in a table of 10**12."""
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
        assert kappa_from_confusion(independent, weights) == 0
        assert kappa_from_confusion(np.diag([1, 10**12, 3]), weights) == 1


def test_largest_tables_of_zero_kappa_in_a_stack() -> None:
    rows = np.random.default_rng(10).integers(1, 10**6, (50, 2, 7))
    stack = rows[:, 0, :, None] * rows[:, 1, None, :]
    for weights in NAMED:
        assert (kappa_from_confusion(stack, weights) == 0).all()


# Stacks.


@pytest.mark.parametrize("weights", [*NAMED, "matrix"])
@pytest.mark.parametrize("largest", [3, 10**3, 10**9, 10**12, 2**62])
def test_stacks(largest: int, weights: Any) -> None:
    rng = np.random.default_rng(11)
    stack = rng.integers(0, largest, (3, 5, 4, 4), endpoint=True)
    stack[0, 0, :2] //= 10
    weights = matrices(4, 12)[0] if weights == "matrix" else weights
    kappa = kappa_from_confusion(stack, weights)
    assert kappa.shape == (3, 5)
    assert kappa.dtype == np.float64
    for index in np.ndindex(3, 5):
        exact = exact_kappa(stack[index], weights)
        assert exact is not None
        assert ulps(float(kappa[index]), float(exact)) <= 4
    eighths = stack / 8
    kappa = kappa_from_confusion(eighths, weights)
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
    assert kappa_from_confusion(np.zeros((2, 0, 3, 3)), "quadratic").shape == (2, 0)


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
        assert kappa_from_confusion(view, weights) == float(exact_kappa(view, weights) or 0)


def test_the_table_is_left_as_it_is() -> None:
    table = np.array([[3, 1], [2, 4]])
    floats = table / 8
    for weights in (*NAMED, [[0, 1], [2, 0]]):
        kappa_from_confusion(table, weights)
        kappa_from_confusion(floats, weights)
    assert table.tolist() == [[3, 1], [2, 4]]
    assert (floats * 8).tolist() == [[3, 1], [2, 4]]


# Undefined.

UNDEFINED = {
    "empty": [[0, 0], [0, 0]],
    "one label": [[5]],
    "one label, empty": [[0]],
    "one label of three": [[0, 0, 0], [0, 9, 0], [0, 0, 0]],
    "one label, float": [[0.25, 0], [0, 0]],
}


@pytest.mark.parametrize("weights", NAMED)
@pytest.mark.parametrize("name", UNDEFINED)
def test_undefined(name: str, weights: Any) -> None:
    with pytest.warns(undefined_metric_warning(), match="undefined") as record:
        kappa = kappa_from_confusion(UNDEFINED[name], weights)
    assert math.isnan(kappa)
    assert type(kappa) is float
    assert [warning.filename for warning in record] == [__file__]


def test_undefined_by_its_weights() -> None:
    with pytest.warns(undefined_metric_warning()):
        assert math.isnan(kappa_from_confusion([[3, 1], [2, 4]], [[0, 0], [0, 0]]))


def test_undefined_tables_of_a_stack() -> None:
    stack = np.array([[[20, 5], [10, 15]], [[9, 0], [0, 0]], [[0, 0], [0, 0]]])
    with pytest.warns(undefined_metric_warning(), match="2 of 3 tables") as record:
        kappa = kappa_from_confusion(stack)
    assert kappa[0] == 0.4
    assert np.isnan(kappa[1:]).all()
    assert len(record) == 1


def test_no_other_warning_comes_along() -> None:
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        kappa_from_confusion(np.zeros((2, 3, 3)), "linear")
        kappa_from_confusion(np.zeros((3, 3)), "quadratic")
    assert [warning.category for warning in record] == [undefined_metric_warning()] * 2


def test_one_cell_off_the_diagonal_is_defined() -> None:
    """Both raters constant, but not alike: no agreement beyond chance, 0, not 0 / 0."""
    for weights in NAMED:
        assert kappa_from_confusion([[0, 7], [0, 0]], weights) == 0


# What is refused.

REFUSED: dict[str, tuple[Any, Any, str]] = {
    "number": (3, None, r"table.*\(\)"),
    "vector": ([1, 2], None, r"table.*\(2,\)"),
    "not square": ([[1, 2, 3], [4, 5, 6]], None, r"table.*\(2, 3\)"),
    "no labels": (np.zeros((0, 0)), None, r"table.*\(0, 0\)"),
    "negative": ([[1, -2], [3, 4]], None, "table.*-2"),
    "negative float": ([[1, -0.5], [3, 4]], None, "table.*-0.5"),
    "negative in a stack": ([[[1, 2], [3, 4]], [[1, 2], [3, -4]]], None, "table.*-4"),
    "NaN": ([[1, math.nan], [3, 4]], None, "table.*NaN"),
    "infinity": ([[1, math.inf], [3, 4]], None, "table.*infinity"),
    "words": ([["a", "b"], ["c", "d"]], None, "table must hold numbers, got 'a'"),
    "complex": ([[1j, 0], [0, 1]], None, "table must hold numbers, got 1j"),
    "dates": (np.zeros((2, 2), "M8[D]"), None, "table.*datetime"),
    "None among": ([[1, None], [3, 4]], None, "table"),
    "name": ([[1, 2], [3, 4]], "cubic", "weights.*'cubic'"),
    "weights of other labels": ([[1, 2], [3, 4]], 1 - np.eye(3), r"weights.*\(2, 2\).*\(3, 3\)"),
    "weight vector": ([[1, 2], [3, 4]], [0, 1], r"weights.*\(2, 2\).*\(2,\)"),
    "weight number": ([[1, 2], [3, 4]], 1, r"weights.*\(\)"),
    "negative weights": ([[1, 2], [3, 4]], [[0, -1], [1, 0]], "weights.*negative.*-1"),
    "NaN weights": ([[1, 2], [3, 4]], [[0, math.nan], [1, 0]], "weights.*NaN"),
    "infinite weights": ([[1, 2], [3, 4]], [[0, math.inf], [1, 0]], "weights.*infinity"),
    "word weights": (
        [[1, 2], [3, 4]],
        [["0", "1"], ["1", "0"]],
        "weights must hold numbers, got '0'",
    ),
    "agreement weights": ([[1, 2], [3, 4]], [[1, 0], [0, 1]], r"diagonal.*\[1, 1\]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    table, weights, match = REFUSED[name]
    with pytest.raises(ValueError, match=match):
        kappa_from_confusion(table, weights)


# Properties.

tables = st.integers(2, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.one_of(st.integers(0, 9), st.integers(0, 10**12)), min_size=n, max_size=n),
        min_size=n,
        max_size=n,
    )
)


@given(table=tables, weights=st.sampled_from(NAMED))
def test_any_table_is_exact(table: Any, weights: Any) -> None:
    assert_exact(np.array(table), weights)


@given(table=tables, weights=st.sampled_from(NAMED), factor=st.sampled_from([2, 3, 7, 1000]))
def test_what_changes_nothing(table: Any, weights: Any, factor: int) -> None:
    counts = np.array(table)
    if exact_kappa(counts, weights) is None:
        return
    kappa = kappa_from_confusion(counts, weights)
    assert kappa <= 1
    assert kappa_from_confusion(counts.T, weights) == kappa
    assert kappa_from_confusion(counts * factor, weights) == kappa
    assert kappa_from_confusion(counts[::-1, ::-1], weights) == kappa
    matrix = disagreement(weights, len(table)).astype(np.int64)
    assert kappa_from_confusion(counts, matrix) == kappa
    assert kappa_from_confusion(counts, matrix * factor) == kappa
    assert kappa_from_confusion(counts, matrix * 0.125) == kappa


def test_agreement_of_empty_tables_is_nan() -> None:
    assert math.isnan(observed_agreement([[0, 0], [0, 0]]))
    assert math.isnan(expected_agreement([[0, 0], [0, 0]]))


def test_agreement_of_large_tables() -> None:
    table = np.array([[2**63, 2**62], [1, 2**63]], np.uint64)
    n = 2**64 + 2**62 + 1
    assert observed_agreement(table) == float(Fraction(2**64, n))
    by_chance = (2**63 + 2**62) * (2**63 + 1) + (2**63 + 1) * (2**63 + 2**62)
    assert expected_agreement(table) == float(Fraction(by_chance, n**2))
