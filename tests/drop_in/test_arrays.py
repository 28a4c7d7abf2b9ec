"""The drop-in functions beside scikit-learn's, on random calls with arrays of any type."""

from __future__ import annotations

import functools
import math
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fastkappa
from fastkappa import cohen_kappa_score, compile_scorer, confusion_counts, confusion_matrix
from fastkappa.exceptions import undefined_metric_warning
from tests.helpers.absent import library
from tests.helpers.exact_kappa import NAMED, exact_kappa

# Here -1 and the smallest integers are labels, not codes for missing ratings.
pytestmark = pytest.mark.filterwarnings("ignore:the ratings contain .* often mean")

metrics = library("sklearn.metrics")

ORDERED: list[Any] = [list, tuple, np.array]


def random_call(rng: Any) -> tuple[tuple[Any, Any], dict[str, Any]]:
    n = int(rng.choice([1, 2, 3, 10, 60, 400]))
    n_labels = int(rng.integers(2, 9))
    kind = rng.choice(["zero", "offset", "negative", "gaps", "far", "strings", "floats", "bools"])
    labels: Any = {
        "zero": np.arange(n_labels),
        "offset": np.arange(n_labels) + 1,
        "negative": np.arange(n_labels) - 3,
        "gaps": np.sort(rng.choice(100, n_labels, replace=False)),
        "far": np.arange(n_labels) + 10**15,
        "strings": np.array([f"label {i}" for i in range(n_labels)]),
        "floats": np.arange(n_labels) / 1.0,
        "bools": np.array([False, True]),
    }[str(kind)]
    y1, y2 = (labels[rng.integers(0, len(labels), n)] for _ in range(2))
    if rng.random() < 0.5:
        y2 = np.where(rng.random(n) < 0.8, y1, y2)
    if labels.dtype.kind == "i" and rng.random() < 0.5 and kind != "far":
        types = ["int8", "int16", ">i4", "int64", "float32"] + ["uint8", "uint64"] * (
            kind != "negative"
        )
        y1, y2 = y1.astype(rng.choice(types)), y2.astype(rng.choice(types))
    if rng.random() < 0.3:
        y1, y2 = y1.tolist(), y2.tolist()
    elif rng.random() < 0.2:
        y1, y2 = pd.Series(y1, index=rng.permutation(n)), pd.Series(y2)
    options: dict[str, Any] = {}
    if rng.random() < 0.3:
        size = int(rng.integers(2, len(labels) + 1))
        options["labels"] = rng.permutation(labels)[:size]
    elif rng.random() < 0.4:
        # Consecutive integers are counted by one compiled call if no other label occurs.
        first, last = int(rng.integers(0, 2)), len(labels) - int(rng.integers(0, 2))
        options["labels"] = rng.choice(ORDERED)(labels[first:last].tolist())
    if rng.random() < 0.4:
        options["sample_weight"] = rng.choice(
            [rng.integers(1, 9, n), rng.random(n) + 0.01]  # type: ignore[arg-type]
        )
    return (y1, y2), options


@pytest.mark.parametrize("n", [4, 300, 40_000])
@pytest.mark.parametrize("other", ["bool", "int8"])
def test_any_byte_but_0_is_true(drop_in_backend: str, n: int, other: str) -> None:
    """Test booleans that are a view of a mask of 0 and 255, with NumPy as the reference."""
    mask, guess = np.random.default_rng(n).integers(0, 2, (2, n), dtype=np.uint8)
    y1, y2 = (255 * mask).view(bool), guess.astype(other)
    expected = float(exact_kappa(np.bincount(2 * mask + guess, minlength=4).reshape(2, 2), None))
    assert cohen_kappa_score(y1, y2) == expected
    assert cohen_kappa_score(y2, y1[::-1][::-1]) == expected
    assert cohen_kappa_score(y1, y2, labels=[0, 1]) == expected
    assert confusion_matrix(y1, y2).shape == (2, 2)
    assert compile_scorer(range(2), dtype=bool)(y1, y2.astype(bool)) == expected
    weighted = confusion_counts(mask, guess, sample_weight=y1)
    np.testing.assert_array_equal(
        weighted.table, confusion_counts(mask, guess, sample_weight=mask).table
    )


@pytest.mark.cover(1)
@pytest.mark.parametrize("seed", range(6))
def test_random_scores(drop_in_backend: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        arguments, options = random_call(rng)
        for weights in (None, "linear", "quadratic"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = metrics.cohen_kappa_score(*arguments, weights=weights, **options)
                except ValueError as error:
                    with pytest.raises(ValueError, match=re.escape(str(error))):
                        cohen_kappa_score(*arguments, weights=weights, **options)
                    continue
                value = cohen_kappa_score(*arguments, weights=weights, **options)
            assert type(value) is float
            np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12)


@pytest.mark.cover(1)
@pytest.mark.parametrize("seed", range(6))
def test_random_matrices(drop_in_backend: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        arguments, options = random_call(rng)
        for normalize in (None, "true", "pred", "all"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = metrics.confusion_matrix(*arguments, normalize=normalize, **options)
                except ValueError as error:
                    with pytest.raises(ValueError, match=re.escape(str(error))):
                        confusion_matrix(*arguments, normalize=normalize, **options)
                    continue
                matrix = confusion_matrix(*arguments, normalize=normalize, **options)
            assert matrix.dtype == expected.dtype
            np.testing.assert_allclose(matrix, expected, rtol=1e-12, atol=1e-12)


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def laid_out(values: Any, layout: str) -> Any:
    wide = np.zeros(3 * len(values), values.dtype)
    wide[::3] = values
    return {
        "contiguous": values,
        "strided": wide[::3],
        "reversed": values[::-1].copy()[::-1],
        "swapped": values.astype(values.dtype.newbyteorder("S")),
        "read-only": np.frombuffer(values.tobytes(), values.dtype),
        "unaligned": np.frombuffer(b"\0" + values.tobytes(), values.dtype, offset=1),
        "column": values[:, None],
    }[layout]


@functools.cache
def short_cases(dtype: str) -> list[tuple[Any, Any, str | None, float]]:
    """Return pairs of short arrays, weights and their kappa."""
    rng = np.random.default_rng(7)
    limits = np.iinfo(dtype)
    cases = []
    for n, n_labels in (
        (1, 2),
        (2, 2),
        (17, 3),
        (64, 5),
        (100, 8),
        (130, 31),
        (130, 32),
        (130, 33),
    ):
        for lowest in {0, 1, int(limits.min), int(limits.max) - n_labels + 1}:
            pool = [lowest + i for i in range(n_labels)]
            y1, y2 = (
                np.array([pool[i] for i in rng.integers(0, n_labels, n)], dtype) for _ in "12"
            )
            table = confusion_counts(y1.tolist(), y2.tolist(), backend="numpy").table
            if len(table) == 1:
                continue
            # scikit-learn's arithmetic on a table of the labels 0, 1, 2, ...
            i, j = np.repeat(np.indices(table.shape).reshape(2, -1), table.ravel(), axis=1)
            for weights in (None, "linear", "quadratic"):
                kappa = metrics.cohen_kappa_score(
                    i, j, weights=weights, labels=np.arange(len(table))
                )
                cases.append((y1, y2, weights, kappa))
    return cases


@pytest.mark.parametrize(
    "layout",
    ["contiguous", "strided", "reversed", "swapped", "read-only", "unaligned", "column"],
)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_short_integer_arrays(drop_in_backend: str, dtype: str, layout: str) -> None:
    """Test short arrays, which users score thousands of times, in every type, layout and offset."""
    for y1, y2, weights, expected in short_cases(dtype):
        value = cohen_kappa_score(laid_out(y1, layout), laid_out(y2, layout), weights=weights)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [65_535, 65_536, 65_537, 600_000])
def test_longer_arrays(drop_in_backend: str, n: int) -> None:
    rng = np.random.default_rng(8)
    for offset, dtype in ((0, "int64"), (-3, "int8"), (1, "uint8"), (250, "int32")):
        y1 = rng.integers(0, 6, n)
        y2 = np.where(rng.random(n) < 0.7, y1, rng.integers(0, 6, n))
        for weights in (None, "quadratic"):
            expected = metrics.cohen_kappa_score(y1, y2, weights=weights)
            shifted = ((y + offset).astype(dtype) for y in (y1, y2))
            assert cohen_kappa_score(*shifted, weights=weights) == pytest.approx(
                expected, abs=1e-12
            )


def quadratic_of_table(y1: Any, y2: Any, labels: Any) -> float:
    table = confusion_counts(y1, y2, labels=labels, backend="numpy").table
    kappa: float = fastkappa.kappa_from_confusion(table, weights="quadratic")
    return kappa


LARGE = 1_200_000
LARGE_LABELS: dict[str, tuple[Any, Any]] = {
    "12": (np.arange(12), None),
    "100": (np.arange(100), None),
    "from 1": (np.arange(1, 31), None),
    "below zero": (np.arange(-20, 10), None),
    "far": (np.arange(10**15, 10**15 + 40), None),
    "a gap in the middle": (np.delete(np.arange(20), 7), None),
    "two gaps": (np.delete(np.arange(40), [1, 30]), None),
    "given": (np.arange(20), np.arange(20)),
    "given, with a gap": (np.delete(np.arange(20), 7), np.arange(20)),
    "given, more than occur": (np.arange(20), np.arange(-5, 30)),
    "given, some of them": (np.arange(40), np.arange(10, 25)),
    "given, one missing": (np.arange(20), np.delete(np.arange(20), 7)),
    "given, falling": (np.arange(20), np.arange(20)[::-1]),
    "given, shuffled": (np.arange(12), [3, 0, 4, 1, 5, 9, 2, 6, 8, 7, 10, 11]),
    "given as floats": (np.arange(20), np.arange(20.0)),
}


@pytest.mark.parametrize("dtype", ["int64", "int16", "float64"])
@pytest.mark.parametrize("name", LARGE_LABELS)
def test_quadratic_kappa_of_many_items(drop_in_backend: str, name: str, dtype: str) -> None:
    """Weights use the positions of labels: labels that do not occur leave no gap unless given."""
    pool, labels = LARGE_LABELS[name]
    if dtype == "int16" and pool[0] > 2**15:
        dtype = "uint64"
    rng = np.random.default_rng(10)
    index = rng.integers(0, len(pool), LARGE)
    other = np.where(rng.random(LARGE) < 0.5, index, rng.integers(0, len(pool), LARGE))
    y1, y2 = pool[index].astype(dtype), pool[other].astype(dtype)
    kappa = cohen_kappa_score(y1, y2, labels=labels, weights="quadratic")
    assert kappa == quadratic_of_table(y1, y2, labels)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("n", [3, 500, 40_000])
@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        (range(1, 7), "int64"),
        (range(7), "uint8"),
        (range(-2, 7), "uint8"),
        (range(0, 7, 1), "float64"),
        (range(1, 40), "int16"),
        (range(0, 12, 2), "int64"),
        (range(6, 0, -1), "int64"),
        (range(2, 5), "int64"),
    ],
)
def test_ranges_of_labels(labels: range, dtype: str, n: int, weights: Any) -> None:
    y1, y2 = np.random.default_rng(n).integers(1, 7, (2, n)).astype(dtype)
    y1[:3], y2[:3] = [4, 2, 3], [4, 4, 3]
    table = np.zeros((len(labels), len(labels)), np.int64)
    for i, j in np.ndindex(*table.shape):
        table[i, j] = np.count_nonzero((y1 == labels[i]) & (y2 == labels[j]))
    expected = exact_kappa(table, weights)
    assert expected is not None
    for first, second in ((y1, y2), (pd.Series(y1), pd.Series(y2)), (y1.tolist(), y2.tolist())):
        assert cohen_kappa_score(first, second, labels=labels, weights=weights) == float(expected)


@pytest.mark.parametrize("label", [-1, 12, 13, 500, 10**12])
@pytest.mark.parametrize("place", [0, 65_535, 65_536, 700_000, LARGE - 1])
def test_quadratic_kappa_with_a_label_of_one_item(place: int, label: int) -> None:
    y1, y2 = np.random.default_rng(11).integers(0, 12, (2, LARGE))
    y2[place] = label
    kappa = cohen_kappa_score(y1, y2, weights="quadratic")
    assert kappa == quadratic_of_table(y1, y2, None)
    y1[place] = label
    assert cohen_kappa_score(y1, y2, weights="quadratic") == quadratic_of_table(y1, y2, None)


def test_quadratic_kappa_of_many_items_undefined() -> None:
    labels = np.arange(20)
    same_label = np.full(LARGE, 5)
    outside = np.full(LARGE, 77)
    with pytest.warns(undefined_metric_warning(), match="only one label in common"):
        assert math.isnan(
            cohen_kappa_score(same_label, same_label, labels=labels, weights="quadratic")
        )
    with pytest.warns(undefined_metric_warning(), match="`y2` contains no labels"):
        assert math.isnan(
            cohen_kappa_score(same_label, outside, labels=labels, weights="quadratic")
        )
    with pytest.raises(ValueError, match="At least one label in `labels` must be present in `y1`"):
        cohen_kappa_score(outside, same_label, labels=labels, weights="quadratic")
    with pytest.raises(ValueError, match="At least one label in `labels` must be present in `y1`"):
        cohen_kappa_score(outside, outside, labels=labels, weights="quadratic")


@pytest.mark.parametrize("weights", NAMED)
@pytest.mark.parametrize(
    ("dtype", "n"),
    [("uint8", 2**24), ("uint8", 2**24 + 1), ("int8", 2**21), ("int32", 2**22), ("int64", 2**21)],
)
def test_the_nearest_float_for_as_many_pairs_as_one_thread_counts(
    dtype: str, n: int, weights: str | None
) -> None:
    """Most items have the extreme labels, so that all sums are nearly as large as possible."""
    n_labels = 8
    counts = np.random.default_rng(12).integers(0, n // 10**4, (n_labels, n_labels))
    counts[0, -1] = n // 3
    counts[-1, 0] = n // 4
    counts[-1, -1] += n - counts.sum()
    pairs = np.repeat(np.arange(n_labels**2), counts.ravel())
    y1, y2 = (pairs // n_labels).astype(dtype), (pairs % n_labels).astype(dtype)
    scorer = compile_scorer(labels=range(n_labels), weights=weights, dtype=dtype)
    kappa = exact_kappa(counts, weights)
    assert kappa is not None
    assert cohen_kappa_score(y1, y2, weights=weights) == float(kappa)
    assert scorer(y1, y2) == float(kappa)
