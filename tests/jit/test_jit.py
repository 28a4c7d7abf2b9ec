"""The functions for compiled loops, compared with exact arithmetic and the other functions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError
from numba.core.runtime import _nrt_python, rtsys

import fastkappa
from fastkappa import jit
from fastkappa.install_hint import install_command
from tests.helpers.fresh_python import run_python


@numba.njit
def table_of(y1: Any, y2: Any, n_labels: int) -> Any:
    return jit.confusion_matrix(y1, y2, n_labels)


@numba.njit
def table_inside(y1: Any, y2: Any, n_labels: int) -> Any:
    return jit.confusion_matrix(y1, y2, n_labels, drop_outside=True)


@numba.njit
def kappa_of(table: Any, weights: Any) -> float:
    return jit.kappa_from_confusion(table, weights)


@numba.njit
def kappa_cut(scores: Any, labels: Any, thresholds: Any, weights: Any) -> float:
    return jit.kappa_at_thresholds(scores, labels, thresholds, weights)


@numba.njit
def kappa_inside(scores: Any, labels: Any, thresholds: Any) -> float:
    return jit.kappa_at_thresholds(scores, labels, thresholds, "quadratic", drop_outside=True)


def exact_kappa(table: Any, weights: Any) -> Fraction | None:
    """Return 1 - observed / expected in rational arithmetic, or None for 0 / 0."""
    n_labels = len(table)
    cells = [[Fraction(count) for count in row] for row in table.tolist()]
    if isinstance(weights, np.ndarray):
        w = [[Fraction(weight) for weight in row] for row in weights.tolist()]
    else:
        power = {None: 0, "linear": 1, "quadratic": 2}[weights]
        w = [[abs(i - j) ** power * (i != j) for j in range(n_labels)] for i in range(n_labels)]
    rows = [sum(row) for row in cells]
    columns = [sum(column) for column in zip(*cells)]
    pairs = [(i, j) for i in range(n_labels) for j in range(n_labels)]
    observed = sum(w[i][j] * cells[i][j] for i, j in pairs)
    expected = sum(w[i][j] * rows[i] * columns[j] for i, j in pairs)
    return 1 - sum(rows) * observed / expected if expected else None


def check_kappa(got: float, table: Any, weights: Any, ulps: int = 2) -> None:
    exact = exact_kappa(table, weights)
    if exact is None:
        assert np.isnan(got)
    else:
        assert abs(Fraction(got) - exact) <= ulps * Fraction(float(np.spacing(abs(float(exact)))))


# Tables.


@pytest.mark.parametrize("n_labels", [1, 2, 5, 16, 17, 300])
@pytest.mark.parametrize("n", [0, 1, 8191, 8192, 50_001])
def test_tables_are_those_of_the_package(n: int, n_labels: int) -> None:
    rng = np.random.default_rng(n + n_labels)
    y1, y2 = rng.integers(-1, n_labels + 1, (2, n))
    expected = np.zeros((n_labels + 2, n_labels + 2), np.int64)
    np.add.at(expected, (y1 + 1, y2 + 1), 1)
    inside, outside = expected[1:-1, 1:-1], expected.sum() - expected[1:-1, 1:-1].sum()
    got = table_inside(y1, y2, n_labels)
    assert got.dtype == np.int64
    np.testing.assert_array_equal(got, inside)
    if n:
        np.testing.assert_array_equal(got, jit.confusion_matrix(y1, y2, n_labels, True))
    for count in (table_of, jit.confusion_matrix) if outside else ():
        with pytest.raises(ValueError, match="labels must be 0 to n_labels - 1"):
            count(y1, y2, n_labels)
    np.testing.assert_array_equal(table_of(y1 % n_labels, y2 % n_labels, n_labels).sum(), n)


def test_grades_from_1_are_refused() -> None:
    """Without the last grade, kappa is 1; with all grades, it is .846."""
    y1, y2 = np.array([1, 2, 3, 4, 5, 5, 4]), np.array([1, 2, 3, 4, 5, 4, 4])
    assert fastkappa.kappa_from_confusion(table_inside(y1, y2, 5)) == 1
    for count in (table_of, jit.confusion_matrix):
        with pytest.raises(ValueError, match="Number the labels from 0, or leave out such items"):
            count(y1, y2, 5)


@pytest.mark.parametrize("n", [700, 9000])
def test_types_and_strides(n: int) -> None:
    rng = np.random.default_rng(n)
    labels = rng.integers(0, 2, (2, n))
    expected = np.bincount(2 * labels[0] + labels[1], minlength=4).reshape(2, 2)
    wide = np.zeros((n, 3), bool)
    wide[:, 1] = labels[0]
    y2 = labels[1].astype(np.uint8)
    y2.flags.writeable = False
    np.testing.assert_array_equal(table_of(wide[::-1, 1], y2[::-1], 2), expected)


@pytest.mark.parametrize("n", [100, 9000])
def test_extreme_labels_write_nothing_outside(n: int) -> None:
    limits = np.iinfo(np.int64)
    y1 = np.resize([limits.min, -1, 3, limits.max, 1 << 32, 2], n)
    assert table_inside(y1, y1, 3).tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, (y1 == 2).sum()]]


# Kappa of a table.

WEIGHTS: list[Any] = [None, "linear", "quadratic", "whole", "float"]


def matrix_of(weights: Any, n_labels: int) -> Any:
    rng = np.random.default_rng(n_labels)
    if weights == "whole":
        return rng.integers(0, 9, (n_labels, n_labels)) * (1 - np.eye(n_labels, dtype=np.int64))
    if weights == "float":
        return rng.random((n_labels, n_labels)) * (1 - np.eye(n_labels))
    return weights


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_is_that_of_exact_arithmetic(weights: Any) -> None:
    """Test also where n**2 is far beyond int64, and near 0, where digits cancel."""
    rng = np.random.default_rng(1)
    for case in range(60):
        n_labels = 2 + case % 6
        matrix = matrix_of(weights, n_labels)
        table = rng.integers(0, 10 ** int(rng.integers(1, 14)), (n_labels, n_labels))
        if case % 3 == 0:  # Almost as good as chance.
            table = np.outer(table[0], table[1] % 1000) + rng.integers(0, 2, table.shape)
        kinds = [table, table * 1.1e-300, table * 1e290]
        # Compiling each type takes a second.
        if isinstance(matrix, np.ndarray):
            kinds = [table if weights == "whole" else table.astype(np.uint64)]
        elif matrix is None:
            kinds = [table]
        for counts in kinds:
            check_kappa(kappa_of(counts, matrix), counts, matrix)


def test_a_thousand_labels_and_a_hundred_million_items() -> None:
    """Compare quadratic sums of 10**22 with the Python function, whose integers have no limit."""
    rng = np.random.default_rng(2)
    table = rng.integers(0, 200, (1000, 1000))
    table[np.arange(1000), np.arange(1000)] += 100
    assert table.sum() > 10**8 - 10**6
    expected = fastkappa.kappa_from_confusion(table, weights="quadratic")
    assert kappa_of(table, "quadratic") == pytest.approx(expected, rel=5e-16)


def test_uint64_beyond_int64() -> None:
    table = np.array([[1 << 63, 5], [10, (1 << 64) - 1]], np.uint64)
    weights = matrix_of("float", 2)
    check_kappa(kappa_of(table, weights), table, weights)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_is_undefined_where_none_is_expected(weights: Any) -> None:
    assert np.isnan(kappa_of(np.array([[5, 0], [0, 0]]), weights))
    assert np.isnan(kappa_of(np.zeros((3, 3), np.int64), weights))
    assert np.isnan(kappa_of(np.zeros((3, 3)), weights))
    assert kappa_of(np.array([[0, 5], [5, 0]]), weights) == -1.0


def test_weights_left_out_and_fast_mathematics_that_costs_no_digits() -> None:
    @numba.njit(fastmath=True, error_model="numpy")
    def fast(table: Any, scores: Any, labels: Any) -> tuple[float, float, float]:
        cut = jit.kappa_at_thresholds(scores, labels, np.array([0.5, np.inf]))
        return jit.kappa_from_confusion(table, "quadratic"), jit.kappa_from_confusion(table), cut

    table = np.array([[10**12 + 1, 10**12], [10**12, 10**12]])
    labels = np.array([0, 1, 2, 0])
    kappa, nominal, cut = fast(table, np.array([0.1, 0.9, 0.4, 0.2]), labels)
    check_kappa(kappa, table, "quadratic")
    # Omitted weights mean no weights for a table, and quadratic weights for scores.
    check_kappa(nominal, table, None)
    assert cut == fastkappa.cohen_kappa_score(labels, [0, 1, 0, 0], weights="quadratic")
    with pytest.raises(ValueError, match="NaN"):
        fast(table, np.array([0.1, np.nan, 0.4, 0.2]), labels)


# Kappa at thresholds.


@pytest.mark.parametrize("n_labels", [2, 5, 17, 18, 40])
def test_kappa_at_thresholds(n_labels: int) -> None:
    rng = np.random.default_rng(n_labels)
    labels = rng.integers(0, n_labels, 2000)
    scores = labels + rng.normal(0, 1 + n_labels / 5, 2000)
    thresholds = np.sort(rng.choice(scores, n_labels - 1))  # ties with scores
    thresholds[0] = -np.inf
    cases = [("quadratic", np.float64), ("linear", np.float64)]
    for weights, dtype in [*cases, (matrix_of("float", n_labels), np.float32)]:
        own, cuts = scores.astype(dtype), thresholds.astype(dtype)
        table = np.zeros((n_labels, n_labels), np.int64)
        np.add.at(table, (labels, np.searchsorted(cuts, own, side="right")), 1)
        got = kappa_cut(own, labels, cuts, weights)
        check_kappa(got, table, weights)
        assert jit.kappa_at_thresholds(own, labels, cuts, weights) == pytest.approx(got)


def test_labels_outside_are_refused_or_left_out() -> None:
    labels = np.array([0, 1, 2, -1, 1, 0])
    scores = np.array([0.0, 1, 1, 0, 0, 1])
    expected = fastkappa.cohen_kappa_score([0, 1, 1, 0], [0, 1, 0, 1], weights="quadratic")
    cuts = np.array([0.5])
    assert kappa_inside(scores, labels, cuts) == expected
    assert jit.kappa_at_thresholds(scores, labels, cuts, drop_outside=True) == expected
    for kappa in (kappa_cut, jit.kappa_at_thresholds):
        with pytest.raises(ValueError, match="labels must be 0 to the number of thresholds"):
            kappa(scores, labels, cuts, "quadratic")


def test_inside_a_loop() -> None:
    @numba.njit(nogil=True)
    def kappas_of(samples: Any) -> Any:
        kappas = np.empty(len(samples))
        for i in range(len(samples)):
            table = jit.confusion_matrix(samples[i, 0], samples[i, 1], 4)
            kappas[i] = jit.kappa_from_confusion(table, "linear")
        return kappas

    samples = np.random.default_rng(3).integers(0, 4, (20, 2, 300))
    expected = [
        fastkappa.cohen_kappa_score(*sample, labels=range(4), weights="linear")
        for sample in samples
    ]
    np.testing.assert_allclose(kappas_of(samples), expected, atol=1e-15)


def test_arrays_that_nobody_else_holds_live_until_they_are_counted_and_are_freed() -> None:
    @numba.njit
    def kappas_of(labels: Any, rows: Any) -> Any:
        kappas = np.empty(len(rows))
        for i in range(len(rows)):
            kappas[i] = jit.kappa_from_confusion(
                jit.confusion_matrix(labels[rows[i]], labels[rows[i]][::-1].copy(), 3), "quadratic"
            )
        return kappas

    rng = np.random.default_rng(4)
    labels = rng.integers(0, 3, 40)
    rows = rng.integers(0, 40, (50, 40))
    expected = [
        fastkappa.cohen_kappa_score(
            labels[row], labels[row][::-1], labels=range(3), weights="quadratic"
        )
        for row in rows
    ]
    np.testing.assert_allclose(kappas_of(labels, rows), expected, atol=1e-15)
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    kappas_of(labels, rows)
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0


# Invalid input.

GOOD = np.array([0, 1, 1])
SCORES = np.array([0.1, 0.2, 0.9])
ONES = np.ones((2, 2), np.uint64)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: table_of(GOOD, GOOD[:2], 2), "y1 and y2 must have the same length"),
        (lambda: table_of(GOOD, GOOD, 0), "n_labels must be at least 1"),
        (lambda: jit.confusion_matrix(GOOD, GOOD, 0), "n_labels must be at least 1"),
        (lambda: kappa_of(np.ones((2, 3)), None), "table must be square"),
        (
            lambda: kappa_of(np.array([[1, -1], [0, 1]]), None),
            "table must contain only finite, non-neg",
        ),
        (lambda: kappa_of(np.array([[1, np.nan], [0, 1]]), None), "table must contain only finite"),
        (lambda: kappa_of(np.array([[1, np.inf], [0, 1]]), None), "table must contain only finite"),
        (lambda: kappa_of(np.ones((2, 2)), "cubic"), "weights must be None, 'linear', 'quad"),
        (lambda: kappa_of(ONES, np.zeros((3, 3))), "one row and one column"),
        (lambda: kappa_of(ONES, np.ones((2, 2))), "the diagonal of weights must be 0"),
        (
            lambda: kappa_of(ONES, -1 + np.eye(2)),
            "weights must contain only finite, non-neg",
        ),
        (
            lambda: kappa_cut(SCORES, GOOD[:2], np.array([0.5]), "linear"),
            "scores and labels must have",
        ),
        (lambda: kappa_cut(SCORES, GOOD, np.array([1.0, 0.5]), "linear"), "must not decrease"),
        (lambda: kappa_cut(SCORES, GOOD, np.array([np.nan]), "linear"), "thresholds must not"),
        (
            lambda: kappa_cut(SCORES * np.nan, GOOD, np.array([0.5]), "linear"),
            "scores must not contain NaN",
        ),
        (lambda: jit.kappa_at_thresholds(GOOD, GOOD, np.array([1.0, 0.5])), "must not decrease"),
        (lambda: jit.kappa_at_thresholds(GOOD * np.nan, GOOD, GOOD), "scores must not contain NaN"),
    ],
)
def test_bad_values(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: table_of(GOOD * 1.5, GOOD, 2), "y1 must be a one-dimensional array of integers"),
        (lambda: table_of(GOOD, np.ones((2, 2), int), 2), "y2 must be a one-dimensional array"),
        (lambda: table_of(GOOD, GOOD, 2.5), "n_labels must be an integer"),
        (lambda: kappa_of(GOOD, None), "table must be a two-dimensional array of numbers"),
        (lambda: kappa_of(np.ones((2, 2)), 3), "weights must be None, 'linear', 'quadratic' or"),
        (lambda: kappa_cut(GOOD, GOOD * 0.5, GOOD, None), "labels must be a one-dimensional"),
        (lambda: kappa_cut(1.5, GOOD, GOOD, None), "scores must be a one-dimensional array"),
    ],
)
def test_bad_types_are_named_when_compiled(call: Any, message: str) -> None:
    with pytest.raises(TypingError, match=message):
        call()


# Installation and compilation.


def test_without_numba_the_extra_is_named() -> None:
    code = """
import sys
sys.modules["numba"] = None
import fastkappa
try:
    fastkappa.jit
except ImportError as error:
    print(error)
"""
    assert install_command("fastkappa[numba]") in run_python(code)


CACHED = """
import numba, numpy as np
from fastkappa import jit

@numba.njit(cache=True)
def agreement(y1, y2):
    return np.diag(jit.confusion_matrix(y1, y2, 3)).sum() / len(y1)
"""


def test_it_works_with_numba_switched_off() -> None:
    code = (
        CACHED.replace("cache=True", "")
        + "print(agreement(np.array([0, 1, 2]), np.array([0, 2, 2])))"
    )
    assert run_python(code, NUMBA_DISABLE_JIT="1") == "0.6666666666666666\n"


@pytest.mark.slow
def test_what_calls_it_can_be_cached(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(CACHED)
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np, user
y1, y2 = np.tile([0, 1, 2], 2000), np.tile([0, 2, 2], 2000)
print(user.agreement(y1, y2), *user.agreement.stats.cache_hits.values())
"""
    first, second = (run_python(code, tmp_path) for _ in range(2))
    assert first == "0.6666666666666666\n"
    assert second == "0.6666666666666666 1\n"
