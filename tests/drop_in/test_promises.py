"""The documented behaviour of scikit-learn that the drop-in functions keep, and their additions."""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import cohen_kappa_score, confusion_matrix

FUNCTIONS = ("cohen_kappa_score", "confusion_matrix")


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_promises(drop_in_backend: str, weights: Any) -> None:
    rng = np.random.default_rng(9)
    score = functools.partial(cohen_kappa_score, weights=weights)
    for _ in range(30):
        n = int(rng.integers(2, 80))
        y1 = np.concatenate([[0, 1], rng.integers(0, 5, n)])
        y2 = np.concatenate([[1, 0], rng.integers(0, 5, n)])
        kappa = score(y1, y2)
        repeats = rng.integers(0, 4, n + 2)
        repeats[:2] = 1
        order = rng.permutation(n + 2)
        strings = np.array(["a", "b", "c", "d", "e"])
        assert score(y2, y1) == kappa
        assert score(y1[order], y2[order]) == kappa
        assert score(strings[y1], strings[y2]) == kappa
        assert score(y1.tolist(), tuple(y2.tolist())) == kappa
        assert score(y1[:, None], y2) == kappa
        assert score(y1, y2, sample_weight=np.ones(n + 2)) == kappa
        assert score(y1, y2, sample_weight=np.full(n + 2, 7)) == kappa
        assert score(y1, y2, sample_weight=np.full(n + 2, 0.125)) == kappa
        assert score(y1, y2, labels=np.unique([y1, y2])) == kappa
        every = np.unique([y1, y2])
        repeated = score(np.repeat(y1, repeats), np.repeat(y2, repeats), labels=every)
        assert score(y1, y2, sample_weight=repeats, labels=every) == repeated
        assert score(y1, y2, sample_weight=repeats * 0.5, labels=every) == repeated
        assert score(y1[repeats > 0], y2[repeats > 0], labels=every) == score(
            y1, y2, sample_weight=(repeats > 0) * 1.0, labels=every
        )


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("pair", [([1], [1]), ([1], [2]), (["a"], ["a"]), (["a"], ["b"])])
def test_one_item_never_raises(drop_in_backend: str, pair: Any, weights: Any) -> None:
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        kappa = cohen_kappa_score(*pair, weights=weights)
    assert math.isnan(kappa) if pair[0] == pair[1] else kappa == 0


# Beyond scikit-learn.


def test_weight_matrices(drop_in_backend: str) -> None:
    y1, y2 = [0, 1, 2, 2, 3, 1], [0, 2, 2, 1, 3, 1]
    distance = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    for matrix, name in ((distance != 0, None), (distance, "linear"), (distance**2, "quadratic")):
        expected = cohen_kappa_score(y1, y2, weights=name)
        for same_matrix in (
            matrix * 1,
            matrix * 0.5,
            (matrix * 1).tolist(),
            np.asfortranarray(matrix),
        ):
            assert cohen_kappa_score(y1, y2, weights=same_matrix) == expected


def test_weight_matrix_is_on_the_positions_of_labels(drop_in_backend: str) -> None:
    """Rows are the first rater's, in the order of ``labels``."""
    # Table [[4, 1], [2, 3]], margins 5, 5 and 6, 4: observed 3 * 1 + 1 * 2, expected
    # (3 * 5 * 4 + 1 * 5 * 6) / 10, kappa 1 - 50 / 90.
    y1 = [*"xxxxx", *"yyyyy"]
    y2 = [*"xxxxy", *"xxyyy"]
    matrix = [[0, 3], [1, 0]]
    assert cohen_kappa_score(y1, y2, weights=matrix) == 4 / 9
    # With the weights transposed 1 * 1 + 3 * 2 and (1 * 5 * 4 + 3 * 5 * 6) / 10, 1 - 70 / 110.
    transposed = np.transpose(matrix)
    assert cohen_kappa_score(y1, y2, weights=transposed) == 4 / 11
    assert cohen_kappa_score(y2, y1, weights=transposed) == 4 / 9
    assert cohen_kappa_score(y1, y2, weights=matrix, labels=["y", "x"]) == 4 / 11
    assert cohen_kappa_score(y1, y2, weights=transposed, labels=["y", "x"]) == 4 / 9


@pytest.mark.parametrize("name", FUNCTIONS)
def test_labels_given_twice_are_refused(name: str) -> None:
    for labels in ([0, 1, 1], [0, 1, True], [0, 1, 1.0]):
        with pytest.raises(ValueError, match=r"labels must be distinct.* more than once"):
            getattr(fastkappa, name)([0, 1, 1], [1, 1, 0], labels=labels)
    with pytest.raises(ValueError, match="'b' more than once"):
        getattr(fastkappa, name)(["a", "b"], ["a", "b"], labels=["b", "a", "b"])


def test_large_integers_of_two_types(drop_in_backend: str) -> None:
    y1 = np.array([-1, 0, 2, -1])
    y2 = np.array([2**63, 0, 2**64 - 1, 2**63 + 1], np.uint64)
    matrix = confusion_matrix(y1, y2)
    # Labels -1, 0, 2, 2**63, 2**63 + 1, 2**64 - 1.
    expected = np.zeros((6, 6), int)
    expected[0, 3] = expected[0, 4] = expected[1, 1] = expected[2, 5] = 1
    np.testing.assert_array_equal(matrix, expected)


def test_integer_weights_do_not_wrap(drop_in_backend: str) -> None:
    heavy = np.full(4, 2**62)
    y1, y2 = [0, 0, 1, 1], [0, 0, 1, 0]
    assert cohen_kappa_score(y1, y2, sample_weight=heavy) == cohen_kappa_score(y1, y2) == 0.5
    with pytest.raises(OverflowError, match="sample_weight"):
        confusion_matrix(y1, y2, sample_weight=heavy)
    whole = confusion_matrix(y1, y2, sample_weight=np.full(4, 2**32 - 1, np.uint32))
    assert whole.tolist() == [[2 * (2**32 - 1), 0], [2**32 - 1, 2**32 - 1]]


def test_weights_of_any_float_size(drop_in_backend: str) -> None:
    y1, y2 = [0, 0, 1, 1], [0, 0, 1, 0]
    for weight in (5e-324, 1e-300, 1e300, 8e307):
        assert cohen_kappa_score(y1, y2, sample_weight=[weight] * 4) == 0.5


def test_float_weights_whose_sum_is_no_float(drop_in_backend: str) -> None:
    """Two weights of 1.7e308 in one cell: the sum overflows, so no number may be returned."""
    with pytest.raises(OverflowError, match="sample_weight"):
        cohen_kappa_score([0, 0, 1, 1], [0, 0, 1, 0], sample_weight=[1.7e308] * 4)
