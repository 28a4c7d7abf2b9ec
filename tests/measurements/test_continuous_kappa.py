"""Quadratic kappa of continuous predictions, compared with exact rational arithmetic."""

from __future__ import annotations

import tracemalloc
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fastkappa import cohen_kappa_score
from fastkappa.exceptions import UndefinedMetricWarning
from fastkappa.measurements import continuous_kappa
from tests.helpers.absent import library

pl = library("polars")

EPS = float(np.finfo(np.float64).eps)


def exact_kappa(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Fraction:
    """Return 1 minus the squared differences divided by those of independent pairs."""
    y = [Fraction(float(number)) for number in y_true]
    p = [Fraction(float(number)) for number in y_pred]
    w = [Fraction(1)] * len(y)
    if sample_weight is not None:
        w = [Fraction(float(number)) for number in sample_weight]
    observed = sum(v * (a - b) ** 2 for v, a, b in zip(w, y, p))
    # The sum over all i, j of w_i w_j (y_i - p_j)^2, expanded.
    total = sum(w)
    first, second = (sum(v * a for v, a in zip(w, column)) for column in (y, p))
    squares = sum(v * (a * a + b * b) for v, a, b in zip(w, y, p))
    expected = total * squares - 2 * first * second
    return 1 - total * observed / expected


def test_exact_formula_is_that_over_all_pairs() -> None:
    """The expansion in `exact_kappa` is the mean over all n*n pairs."""
    y, p = [1, 4, 2, 2], [3, 1, 2, 5]
    pairs = sum(Fraction((a - b) ** 2) for a in y for b in p)
    own = sum(Fraction((a - b) ** 2) for a, b in zip(y, p))
    assert exact_kappa(y, p) == 1 - len(y) * own / pairs


@pytest.mark.parametrize("offset", [0.0, 1.0, -1e6, 1e12])
@pytest.mark.parametrize("scale", [1.0, 1e-60, 1e60])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_exact_arithmetic(offset: float, scale: float, weighted: bool) -> None:
    rng = np.random.default_rng(7)
    for n in (2, 3, 50, 300):
        noise = rng.normal(size=n)
        y = (offset + noise) * scale
        p = (offset + 0.5 * noise + rng.normal(size=n)) * scale
        w = rng.integers(0, 4, n) * 10.0 ** rng.integers(-60, 60) if weighted else None
        if w is not None:
            w[:2] = w.max() or 1.0
        # The error of the formula itself: sums of n products that can cancel.
        assert continuous_kappa(y, p, sample_weight=w) == pytest.approx(
            float(exact_kappa(y, p, w)), abs=4 * EPS
        )


@given(
    st.lists(
        st.tuples(
            st.floats(-1e70, 1e70, allow_subnormal=True),
            st.floats(-1e70, 1e70),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_any_floats(items: list[tuple[float, float, int]]) -> None:
    y, p, w = (list(column) for column in zip(*items))
    w[0] = 1
    heavy = [(a, b) for a, b, v in items[1:] if v] + [(y[0], p[0])]
    assume(max(abs(number) for pair in heavy for number in pair) > 1e-75)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if len({number for pair in heavy for number in pair}) == 1:
            with pytest.warns(UserWarning, match="all numbers in y_true and y_pred equal"):
                assert np.isnan(continuous_kappa(y, p, sample_weight=w))
        else:
            got = continuous_kappa(y, p, sample_weight=w)
            assert got == pytest.approx(float(exact_kappa(y, p, w)), abs=1e-14)


@pytest.mark.parametrize("n_labels", [2, 5, 40])
def test_labels_give_the_kappa_of_the_table(n_labels: int) -> None:
    rng = np.random.default_rng(n_labels)
    y, p = rng.integers(0, n_labels, (2, 1000))
    w = rng.integers(0, 5, 1000)
    labels = range(n_labels)
    for weights in (None, w):
        assert continuous_kappa(y, p, sample_weight=weights) == pytest.approx(
            cohen_kappa_score(y, p, labels=labels, weights="quadratic", sample_weight=weights),
            abs=4 * EPS,
        )


def test_it_is_the_concordance_correlation() -> None:
    """Lin (1989): twice the covariance over both variances and the squared shift."""
    rng = np.random.default_rng(1)
    y = rng.normal(size=500)
    p = 0.3 + 2 * y + rng.normal(size=500)
    covariance = np.cov(y, p, bias=True)
    lin = 2 * covariance[0, 1] / (np.trace(covariance) + (y.mean() - p.mean()) ** 2)
    assert continuous_kappa(y, p) == pytest.approx(lin, abs=1e-14)


def test_many_chunks_give_the_same_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    y, p = rng.normal(1e6, 1, (2, 1000))
    w = rng.integers(0, 2, 1000)
    expected = float(exact_kappa(y, p, w))
    for chunk in (1, 7, 1000, 1 << 14):
        monkeypatch.setattr("fastkappa.measurements.kappa_of_predictions.CHUNK", chunk)
        assert continuous_kappa(y, p, sample_weight=w) == pytest.approx(expected, abs=4 * EPS)


def test_a_million_float32_are_summed_in_float64() -> None:
    """A trend near 10**4, which float32 sums would lose: y = i, prediction i + 1."""
    n = 1 << 20
    y = 10_000 + np.arange(n, dtype=np.float32) / 256
    kappa = continuous_kappa(y, y + np.float32(1))
    # Sum of (i/256 - mean)^2 is (n^3 - n) / 12 / 256^2.
    squares = Fraction(n**3 - n, 12 * 256**2)
    assert kappa == float(2 * squares / (2 * squares + n))


@pytest.mark.parametrize(
    "dtype", ["i1", "u1", "i8", "u8", "f2", "f4", "f8", ">f8", ">i2", "g", "?", "O"]
)
def test_types(dtype: str) -> None:
    y, p = np.array([1, 0, 1, 1, 0]), np.array([1, 0, 0, 1, 1])
    expected = float(exact_kappa(y, p))
    assert continuous_kappa(y.astype(dtype), p.astype(dtype)) == pytest.approx(expected)
    assert continuous_kappa(y.astype(dtype)[::-1], p.astype(dtype)[::-1]) == pytest.approx(expected)
    assert continuous_kappa(y.astype(dtype)[:, None], p.tolist()) == pytest.approx(expected)


@pytest.mark.parametrize("column", [pd.Series, pl.Series, tuple])
def test_columns_of_other_libraries(column: Any) -> None:
    y, p = [1.0, 2.0, 4.0], [1.5, 2.5, 3.0]
    expected = float(exact_kappa(y, p))
    assert continuous_kappa(column(y), column(p)) == pytest.approx(expected)
    nullable = pd.array(y, dtype="Float64")
    assert continuous_kappa(nullable, p) == pytest.approx(expected)


def test_perfect_and_reversed() -> None:
    y = np.array([0.1, 0.7, 0.3])
    assert continuous_kappa(y, y) == 1.0
    assert continuous_kappa([-1.0, 1.0], [1.0, -1.0]) == -1.0


@pytest.mark.parametrize("constant", [0.1, 1e300, 3])
def test_constants(constant: float) -> None:
    same = [constant] * 7
    other = [0.3, 1, 2, 3, 4, 5, 6]
    assert continuous_kappa(same, other) == 0.0
    assert continuous_kappa(other, same) == 0.0
    assert continuous_kappa(same, [constant + 1e299] * 7) == 0.0
    with pytest.warns(UserWarning, match="all numbers in y_true and y_pred equal") as caught:
        assert np.isnan(continuous_kappa(same, same))
    names = {warning.category.__name__ for warning in caught}
    assert names == {UndefinedMetricWarning.__name__}


def test_items_without_weight_do_not_count() -> None:
    w = [1, 1, 1, 0]
    for outlier in (1e308, -3.0):
        assert continuous_kappa([1, 2, 3, outlier], [1, 2, 2, 0], sample_weight=w) == (
            continuous_kappa([1, 2, 3], [1, 2, 2])
        )
    with pytest.warns(UserWarning, match="all numbers in y_true and y_pred equal"):
        continuous_kappa([1, 1, 2], [1, 1, 5], sample_weight=[1, 2, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, np.nan], [1, 2]), "y_true must be finite, got nan at position 1"),
        (([1, 2], [-np.inf, 2]), "y_pred must be finite, got -inf at position 0"),
        (([1, None], [1, 2]), "y_true must be finite, got nan at position 1"),
        (([1, 2, 3], [1, 2]), "y_true and y_pred must have the same length, got 3 and 2"),
        (([], []), "at least one item"),
        ((["a", "b"], [1, 2]), "y_true must be real numbers"),
        (([1, 2], [1j, 2]), "y_pred must be real numbers"),
        (([1, 2], np.ones((2, 3))), r"y_pred must be one-dimensional, got shape \(2, 3\)"),
        ((np.array(1.0), [1]), r"y_true must be a list or an array, got array\(1\.\)"),
        (([1, 2e80], [1, 2]), "largest absolute value of y_true and y_pred must be"),
        (([1, 2], [1, 2], [1, -2]), "sample_weight must not contain negative numbers, got -2"),
        (([1, 2], [1, 2], [1, np.nan]), "sample_weight must be finite, got nan at position 1"),
        (([1, 2], [1, 2], [1]), "sample_weight must have one weight for each of the 2"),
        (([1, 2], [1, 2], [0, 0]), "non-zero"),
    ],
)
def test_bad_input_is_named(arguments: tuple[Any, ...], message: str) -> None:
    names = dict(zip(("y_true", "y_pred", "sample_weight"), arguments))
    with pytest.raises(ValueError, match=message):
        continuous_kappa(**names)


def test_position_of_nan_is_that_in_the_array() -> None:
    y = np.zeros(100_000)
    y[77_777] = np.nan
    with pytest.raises(ValueError, match="position 77777"):
        continuous_kappa(np.zeros(100_000), y)


def test_nothing_of_the_arrays_size_is_copied() -> None:
    y, p, w = np.random.default_rng(0).normal(size=(3, 2_000_000)).astype(np.float32)
    w = np.abs(w)
    tracemalloc.start()
    try:
        continuous_kappa(y, p, sample_weight=w)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_500_000  # One byte per item would be 2 MB, and a float64 16 MB.
