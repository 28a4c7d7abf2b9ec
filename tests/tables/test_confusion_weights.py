"""`confusion_counts` sums item weights, integers exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastkappa import confusion_counts
from tests.helpers.brute_force_counts import INTEGER_TYPES, draw, expected_counts


@pytest.mark.parametrize("dtype", INTEGER_TYPES)
@pytest.mark.parametrize("labels", [None, [3, 1, 0]], ids=["found", "given"])
def test_integer_weights_are_summed_exactly(backend: str, dtype: str, labels: Any) -> None:
    y1, y2 = draw([0, 1, 2, 3], 700, 20), draw([0, 1, 2, 3], 700, 21)
    limits = np.iinfo(dtype)
    low, high = max(limits.min, -(2**52)), min(limits.max, 2**52)
    weights = np.random.default_rng(22).integers(low, high, 700, dtype=dtype, endpoint=True)
    counts = confusion_counts(y1, y2, labels=labels, sample_weight=weights, backend=backend)
    expected = expected_counts(y1.tolist(), y2.tolist(), labels, weights.tolist())
    assert counts.table.tolist() == expected[1].tolist()
    assert counts.table.dtype == np.int64
    assert counts.n_outside == expected[2]


def test_bool_weights(backend: str) -> None:
    counts = confusion_counts(
        [0, 1, 1], [1, 1, 1], sample_weight=np.array([True, False, True]), backend=backend
    )
    assert counts.table.tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("value", [2**32 - 1, 2**62, -(2**62), 2**63 - 1, -(2**63)])
def test_large_integer_weights(backend: str, value: int) -> None:
    counts = confusion_counts([0, 1], [0, 1], sample_weight=np.array([value, 1]), backend=backend)
    assert counts.table.tolist() == [[value, 0], [0, 1]]


def test_integer_weights_that_cancel_need_no_room(backend: str) -> None:
    weights = np.array([2**63 - 1, 2**63 - 1, -(2**63), -(2**63), 5])
    counts = confusion_counts([0] * 5, [0] * 5, sample_weight=weights, backend=backend)
    assert counts.table.tolist() == [[3]]


@pytest.mark.parametrize(
    ("dtype", "value"), [("int64", 2**62), ("uint64", 2**63), ("int64", -(2**62) - 1)]
)
def test_integer_weights_beyond_int64_raise(backend: str, dtype: str, value: int) -> None:
    with pytest.raises(OverflowError, match="sample_weight"):
        confusion_counts([0, 0], [0, 0], sample_weight=np.full(2, value, dtype), backend=backend)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f8", "longdouble"])
def test_float_weights(backend: str, dtype: str) -> None:
    y1, y2 = draw([0, 1, 2, 3], 700, 23), draw([0, 1, 2, 3], 700, 24)
    weights = np.random.default_rng(25).random(700).astype(dtype)
    counts = confusion_counts(y1, y2, sample_weight=weights, backend=backend)
    _, expected, _ = expected_counts(y1.tolist(), y2.tolist(), None, map(float, weights))
    assert counts.table.dtype == np.float64
    np.testing.assert_allclose(counts.table, expected.astype(float), rtol=1e-13)


def test_weights_of_zero_keep_a_label(backend: str) -> None:
    counts = confusion_counts([0, 1, 5], [0, 1, 5], sample_weight=[1, 1, 0], backend=backend)
    assert counts.labels.tolist() == [0, 1, 5]
    assert counts.table.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_weights_do_not_change_how_many_are_outside(backend: str) -> None:
    for weights in ([5, 6, 7], [0.5, 6.0, 7.0]):
        counts = confusion_counts(
            [0, 1, 2], [0, 2, 1], labels=[0, 1], sample_weight=weights, backend=backend
        )
        assert counts.n_outside == 2
        assert counts.table.tolist() == [[weights[0], 0], [0, 0]]


def test_weights_of_a_million_items_on_threads(backend: str) -> None:
    n = 1_000_003
    y1, y2 = np.arange(n) % 5, np.arange(n) % 3
    whole = np.arange(n) % 1000
    pairs = np.zeros((5, 5), np.int64)
    np.add.at(pairs, (y1, y2), whole)
    for threads in (1, 2):
        exact = confusion_counts(y1, y2, sample_weight=whole, backend=backend, num_threads=threads)
        assert exact.table.tolist() == pairs.tolist()
        inexact = confusion_counts(
            y1, y2, sample_weight=whole / 8, backend=backend, num_threads=threads
        )
        # Eighths of numbers this small are summed without rounding.
        assert (inexact.table * 8).tolist() == pairs.tolist()


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("labels", [None, [0, 1]], ids=["found", "given"])
def test_weights_must_be_finite(backend: str, bad: float, labels: Any) -> None:
    word = "NaN" if bad != bad else "infinity"
    for place in range(3):
        weights = [1.0, 1.0, 1.0]
        weights[place] = bad
        with pytest.raises(ValueError, match=f"sample_weight contains {word}"):
            confusion_counts(
                [0, 1, 2], [0, 1, 1], labels=labels, sample_weight=weights, backend=backend
            )


def test_large_finite_weights_are_no_error(backend: str) -> None:
    counts = confusion_counts([0, 0], [0, 0], sample_weight=[1e308, 0.5e308], backend=backend)
    assert counts.table.tolist() == [[1.5e308]]
