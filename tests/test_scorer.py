"""compile_scorer: the same value as from the table on every backend, and its errors."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

from fastkappa import cohen_kappa_score, compile_scorer, confusion_counts, kappa_from_confusion

WEIGHTS = [None, "linear", "quadratic", [[0, 1, 4], [2, 0, 1], [5, 1, 0]]]


pytestmark = pytest.mark.usefixtures("drop_in_backend")


def ratings(n: int, n_labels: int, dtype: Any, lowest: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(n + n_labels)
    return tuple((rng.integers(0, n_labels, n) + lowest).astype(dtype) for _ in range(2))  # type: ignore[return-value]


def expected(y1: Any, y2: Any, labels: Any, weights: Any) -> float:
    table = confusion_counts(y1, y2, labels=labels, backend="numpy").table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(kappa_from_confusion(table, weights))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dtype", ["int64", "uint8", "int16", "float64", ">i4"])
@pytest.mark.parametrize("n", [2, 100, 5000, 300_000])
def test_value(n: int, dtype: str, weights: Any) -> None:
    y1, y2 = ratings(n, 3, dtype, lowest=1)
    scorer = compile_scorer([1, 2, 3], weights, dtype=dtype)
    assert scorer(y1, y2) == expected(y1, y2, [1, 2, 3], weights)


@pytest.mark.parametrize("labels", [range(32), range(33), range(-5, 4), [4, 2, 9], range(200)])
def test_labels(labels: Any) -> None:
    given = np.array(list(labels))
    rng = np.random.default_rng(1)
    y1, y2 = rng.choice(given, 400), rng.choice(given, 400)
    for weights in (None, "linear", "quadratic"):
        scorer = compile_scorer(labels, weights)
        assert scorer(y1, y2) == expected(y1, y2, given, weights)


def test_labels_that_do_not_occur_keep_their_positions() -> None:
    y1, y2 = np.array([0, 1, 3, 3, 0]), np.array([0, 3, 3, 1, 0])
    # scikit-learn 1.9.1's values without and with all labels given.
    assert cohen_kappa_score(y1, y2, weights="quadratic") == pytest.approx(0.75, abs=1e-15)
    kappa = compile_scorer(range(4), "quadratic")(y1, y2)
    assert kappa == pytest.approx(0.5652173913043478, abs=1e-15)


def test_strings() -> None:
    strings = np.array(["no", "maybe", "yes"])
    y1, y2 = strings[[0, 1, 2, 2, 0]], strings[[0, 2, 2, 1, 0]]
    scorer = compile_scorer(["no", "maybe", "yes"], "linear", dtype=strings.dtype)
    assert scorer(y1, y2) == expected(y1, y2, ["no", "maybe", "yes"], "linear")


def test_strided_and_read_only() -> None:
    y1, y2 = ratings(1000, 5, "int64")
    y1.flags.writeable = False
    scorer = compile_scorer(range(5), "quadratic")
    assert scorer(y1[::2], y2[::-2]) == expected(y1[::2], y2[::-2], range(5), "quadratic")


def test_undefined_is_nan_without_a_warning() -> None:
    scorer = compile_scorer(range(3))
    assert np.isnan(scorer(np.zeros(4, int), np.zeros(4, int)))
    assert np.isnan(scorer(np.zeros(0, int), np.zeros(0, int)))


@pytest.mark.parametrize("n", [10, 400_000])
@pytest.mark.parametrize("place", [0, -1])
def test_a_rating_outside_the_labels(n: int, place: int) -> None:
    y1, y2 = ratings(n, 3, "int64")
    y2[place] = 7
    with pytest.raises(ValueError, match=r"y2 holds 7, which is not among the labels \[0, 1, 2\]"):
        compile_scorer(range(3))(y1, y2)


def test_wrong_arrays() -> None:
    scorer = compile_scorer(range(3))
    y = np.array([0, 1, 2])
    with pytest.raises(TypeError, match="y2 must be an array of dtype int64, got int32"):
        scorer(y, y.astype(np.int32))
    with pytest.raises(TypeError, match="y1 must be an array of dtype int64, got list"):
        scorer([0, 1, 2], y)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        scorer(y, y[:2])
    with pytest.raises(ValueError, match=r"y1 must be one-dimensional, got shape \(3, 1\)"):
        scorer(y[:, None], y)
    with pytest.raises(ValueError, match=r"y1 must be one-dimensional, got shape \(\)"):
        scorer(y[0:1].reshape(()), y)


def test_wrong_labels_and_weights() -> None:
    with pytest.raises(ValueError, match="labels must be distinct, got 1 more than once"):
        compile_scorer([0, 1, 1])
    with pytest.raises(ValueError, match="weights must be None, 'linear'"):
        compile_scorer(range(3), "cubic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"shape \(3, 3\)"):
        compile_scorer(range(3), [[0, 1], [1, 0]])


@pytest.mark.parametrize("weights", WEIGHTS)
def test_pickled(weights: Any) -> None:
    y1, y2 = ratings(50, 3, "int64")
    scorer = compile_scorer(range(3), weights)
    again = pickle.loads(pickle.dumps(scorer))
    assert again(y1, y2) == scorer(y1, y2)
    assert again.labels.tolist() == [0, 1, 2]  # type: ignore[attr-defined]
