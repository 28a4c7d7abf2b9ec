"""Refusals of thresholds, estimators and continuous kappa.

Each message names the argument and the value received, instead of repeating NumPy's message.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastkappa import ThresholdEvaluator, optimal_thresholds
from fastkappa.measurements import continuous_kappa
from tests.helpers.absent import library

estimators = library("fastkappa.estimators")

Y = [0, 1, 1, 0, 2]
SCORES = [0.1, 0.5, 0.7, 0.2, 0.9]
# Cuts at 0.35 and 0.8 cause no errors.
BEST = [0.35, 0.8]


def best(**change: Any) -> Any:
    return optimal_thresholds(**({"y_true": Y, "scores": SCORES} | change))


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (None, "scores must be a list or an array, got None"),
        (1.5, r"scores must be a list or an array, got 1\.5"),
        ({1.5}, r"scores must be a list or an array, got \{1\.5\}"),
        ((s for s in SCORES), "scores must be a list or an array, got <generator"),
        (list("abcde"), "scores must be real numbers, got an array of dtype <U1"),
        (np.array(list("12345"), object), "scores must be real numbers, got '1'"),
        (pd.Series(list("12345"), dtype="string"), "scores must be real numbers, got '1'"),
        ([0.1, "b", 0.7, 0.2, 0.9], "scores must be real numbers, got an array of dtype <U"),
        ([[0.1], [0.2, 0.3], [1], [2], [3]], r"scores must be real numbers, got \[0\.1\]"),
        ([10**400, 1, 2, 3, 4], "scores must be numbers that float64 can represent"),
        (np.ma.array(SCORES, mask=[0, 1, 0, 0, 0]), "scores must not have masked entries"),
        ([0.1, None, 0.7, 0.2, 0.9], "scores must be finite, got nan at position 1"),
        (pd.Series([0.1, pd.NA, 1, 2, 3], dtype="Float64"), "finite, got nan at position 1"),
        (np.array([0.1, pd.NA, 1, 2, 3], object), "finite, got nan at position 1"),
        (np.array(SCORES) + 1j, "scores must be real numbers, got an array of dtype complex"),
        (np.arange(5).astype("M8[s]"), "scores must be real numbers, got .*datetime64"),
        (np.ones((1, 5)), r"scores must be one-dimensional, got shape \(1, 5\)\.$"),
        (
            np.full((5, 3), 1 / 3),
            r"scores must be one-dimensional, got shape \(5, 3\)\. If these are probabilities, one"
            r" per label, use decode_probabilities or KappaDecoder\. To get scores, take the"
            " expected label: probabilities @ labels, where labels are"
            r" numbers in the order of the columns, such as np\.arange\(3\)\.",
        ),
        (
            np.arange(5) + 2**53,
            "scores must be numbers that float64 represents exactly, got 9007199254740993 at"
            r" position 1, beyond 2\*\*53: different numbers could become equal\. Subtract the"
            r" smallest number from all, or divide all by a common factor\.",
        ),
        (np.arange(5, dtype=">u8") + 2**63, "got 9223372036854775809 at position 1"),
        (np.array([2, -(2**62) - 1, 0, 0, 0]), "got -4611686018427387905 at position 1"),
        ([0, 1, 2, 2**63 - 1, 5], "got 9223372036854775807 at position 3"),
        ([2**70, 2**70 + 1, 0, 1, 2], "got 1180591620717411303425 at position 1"),
    ],
)
@pytest.mark.parametrize("take", [optimal_thresholds, ThresholdEvaluator])
def test_scores(scores: Any, message: str, take: Any) -> None:
    with pytest.raises(ValueError, match=message):
        take(Y, scores)


@pytest.mark.parametrize(
    "scores",
    [
        [Decimal(str(score)) for score in SCORES],
        [Fraction(score) for score in SCORES],
        np.array(SCORES, object),
        np.array(SCORES, np.longdouble),
        np.array(SCORES, ">f8"),
        np.repeat(np.array(SCORES, ">f4"), 3)[::3],
        np.array(SCORES, np.float16),
        np.frombuffer(b"x" + np.array(SCORES).tobytes(), np.float64, offset=1),
        pd.Series(SCORES, index=range(5)[::-1]),
        pd.DataFrame({"score": SCORES}),
        np.ma.array(SCORES, mask=False),
    ],
    ids=lambda scores: f"{type(scores).__name__} {getattr(scores, 'dtype', '')}",
)
def test_numbers_of_any_kind(scores: Any) -> None:
    result = best(scores=scores)
    assert result.kappa == 1
    assert result.thresholds == pytest.approx(BEST, abs=2e-4)


def test_half_precision_of_torch() -> None:
    torch = pytest.importorskip("torch")
    result = best(scores=torch.tensor(SCORES, dtype=torch.bfloat16, requires_grad=True))
    assert (result.kappa, result.thresholds.dtype) == (1, np.float32)


OFF_DIAGONAL = 1 - np.eye(3)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[0, 1], [1]], r"weights must have rows of equal length, got \[\[0, 1\], \[1\]\]"),
        (np.ma.array(OFF_DIAGONAL, mask=np.eye(3)[::-1]), "weights must not have masked entries"),
        (OFF_DIAGONAL * np.longdouble("1e300") ** 2, "weights must be finite"),
        ([[0, 1, 2], [1, 0, 1], [2, None, 0]], "weights must contain numbers, got None"),
        ([["a"] * 3] * 3, "weights must contain numbers, got 'a'"),
        (OFF_DIAGONAL * 1j, "weights must contain numbers, got "),
        (len, "weights must contain numbers, got <built-in"),
        (b"linear", "weights must contain numbers, got b'linear'"),
        (3, r"weights must have the shape \(3, 3\).* got \(\)"),
        (OFF_DIAGONAL - 2, "weights must not contain negative numbers, got -2"),
        (
            pd.DataFrame(OFF_DIAGONAL, index=list("abc")),
            "weights must have the same row and column labels",
        ),
    ],
    ids=str,
)
def test_weights(weights: Any, message: str) -> None:
    takers = (
        lambda: best(weights=weights),
        lambda: ThresholdEvaluator(Y, SCORES, weights=weights),
        lambda: estimators.KappaRounder(weights=weights, cv=None).fit(SCORES, Y),
    )
    for take in takers:
        with pytest.raises(ValueError, match=message):
            take()


@pytest.mark.parametrize(
    "weights",
    [
        pd.DataFrame([[0, 1, 4], [2, 0, 1], [4, 1, 0]]),
        np.asfortranarray([[0, 1, 4], [2, 0, 1], [4, 1, 0]]),
        np.array([[0, 1, 4], [2, 0, 1], [4, 1, 0]], object),
        np.ma.array([[0, 1, 4], [2, 0, 1], [4, 1, 0]], mask=False),
    ],
    ids=lambda weights: type(weights).__name__,
)
def test_weights_however_they_lie(weights: Any, drop_in_backend: str) -> None:
    plain = [[0, 1, 4], [2, 0, 1], [4, 1, 0]]
    noisy = np.array(SCORES)[::-1]
    assert best(weights=weights, scores=noisy).kappa == best(weights=plain, scores=noisy).kappa
    evaluator = ThresholdEvaluator(Y, SCORES, weights=weights)
    assert evaluator([0.3, 0.6]) == ThresholdEvaluator(Y, SCORES, weights=plain)([0.3, 0.6])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (3, "labels must be one-dimensional, got 3"),
        ("012", "labels must be one-dimensional, got '012'"),
        ({0, 1, 2}, r"labels must be one-dimensional, got \{0, 1, 2\}"),
        ([0, 1, None], "y_true contains 2, which is not among the labels "),
        ([0, 1], "y_true contains 2, which is not among the labels"),
        (["0", "1", "2"], "y_true contains 0, which is not among the labels"),
    ],
)
def test_labels(labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best(labels=labels)


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        (None, r"thresholds must have the shape \(2,\)"),
        ("ab", "thresholds must contain real numbers.* got 'ab'"),
        (["a", "b"], r"thresholds must contain real numbers.* got \['a', 'b'\]"),
        ([1j, 2], "thresholds must contain real numbers"),
        ([10**400, 1], "thresholds must contain real numbers"),
        ([[0.3], [0.6, 0.7]], "thresholds must contain real numbers, in rows of equal length"),
        ([0.3, math.nan], "thresholds must not contain NaN"),
        ([0.3], r"thresholds must have the shape \(2,\), .* got \(1,\)"),
    ],
)
def test_thresholds_to_evaluate(thresholds: Any, message: str, drop_in_backend: str) -> None:
    evaluator = ThresholdEvaluator(Y, SCORES)
    for take in (evaluator, evaluator.confusion):
        with pytest.raises(ValueError, match=message):
            take(thresholds)


def test_folds_of_a_rounder() -> None:
    with pytest.raises(ValueError, match="cv must yield at least one fold, got no folds"):
        estimators.KappaRounder(cv=[]).fit(SCORES, Y)
    with pytest.raises(ValueError, match="the number of folds must be at least 2, got 1"):
        estimators.KappaRounder(cv=1).fit(SCORES, Y)
    with pytest.raises(ValueError, match="6 folds need at least 6 items, got n_samples = 5"):
        estimators.KappaRounder(cv=6).fit(SCORES, Y)


@pytest.mark.parametrize("fit_intercept", ["no", None, 2, [True]])
def test_intercept_of_a_regressor(fit_intercept: Any) -> None:
    with pytest.raises(ValueError, match="fit_intercept must be True or False, got"):
        estimators.KappaRegressor(fit_intercept=fit_intercept).fit(np.c_[SCORES], Y)


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (None, "y_pred must be a list or an array, got None"),
        (list("abcde"), "y_pred must be real numbers"),
        (np.array(list("12345"), object), "y_pred must be real numbers, got '1'"),
        (np.ma.array(SCORES, mask=[1, 0, 0, 0, 0]), "y_pred must not have masked entries"),
        ([0.1, 0.2, None, 1, 2], "y_pred must be finite, got nan at position 2"),
        ([0.1, 0.2], "y_true and y_pred must have the same length, got 5 and 2"),
    ],
)
def test_continuous_kappa(predictions: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        continuous_kappa(Y, predictions)


def test_a_number_of_labels_that_is_not_whole() -> None:
    pytest.importorskip("numba")
    from fastkappa import jit

    with pytest.raises(TypeError, match="float"):
        jit.confusion_matrix(np.array([0, 1]), np.array([0, 1]), 2.5)  # type: ignore[arg-type]


def test_masked_labels_and_weights() -> None:
    for name in ("y_true", "labels", "sample_weight"):
        arguments: dict[str, Any] = {
            "y_true": [0, 1, 1],
            "labels": [0, 1],
            "sample_weight": [1, 1, 1],
        }
        given = arguments[name]
        arguments[name] = np.ma.masked_array(given, [True] + [False] * (len(given) - 1))
        with pytest.raises(ValueError, match=f"{name} must not have masked entries"):
            optimal_thresholds(scores=[0.1, 0.2, 0.3], **arguments)


def test_weights_at_the_ends_of_their_range() -> None:
    y_true, scores = [0, 1, 1, 2, 0], [0.1, 0.2, 0.3, 0.4, 0.15]
    least = optimal_thresholds(y_true, scores, sample_weight=[5e-324] * 5)
    assert least.kappa == optimal_thresholds(y_true, scores).kappa
    assert least.table.sum() == 5 * 5e-324
    with pytest.raises(OverflowError, match="sums of sample_weight"):
        optimal_thresholds(y_true, scores, sample_weight=[1e308] * 5)


def test_as_many_labels_as_a_table_has_room_for() -> None:
    y_true = np.random.default_rng(0).integers(0, 400, 3000)
    best = optimal_thresholds(y_true, 3.0 * y_true + 1)
    assert best.kappa == 1.0
    assert best.table.trace() == 3000


def test_integers_beyond_2_to_the_53_that_float64_holds() -> None:
    """Multiples of 2**10 have at most 53 digits; the smallest int64 is a power of two."""
    for scores in (np.array([1, 5, 7, 2, 9]) << 59, np.array([-(2**63), -7, -5, -(2**62), 0])):
        assert best(scores=scores).kappa == 1
        assert best(scores=scores).predict(scores).tolist() == Y
    assert continuous_kappa(np.array([1, 2, 3]) << 59, np.array([1, 2, 3]) << 59) == 1


def test_integers_to_predict_and_to_compare() -> None:
    with pytest.raises(ValueError, match=r"scores must be numbers .* got 9007199254740993 at"):
        best().predict([0, 2**53 + 1])
    # Rounded, these would be 2**53 + (0, 0, 2), with another kappa.
    with pytest.raises(ValueError, match=r"y_true must be numbers .* got 9007199254740993 at"):
        continuous_kappa(np.arange(3) + 2**53, [1, 2, 3])
    with pytest.raises(ValueError, match=r"y_pred must be numbers .* got 9007199254740993 at"):
        continuous_kappa([1, 2, 3], np.arange(3) + 2**53)
    # Item weights may be rounded.
    assert continuous_kappa([1, 2], [1, 2], sample_weight=np.array([2**53 + 1, 1])) == 1


def test_probabilities_to_compare_and_to_round() -> None:
    probabilities = np.full((5, 3), 1 / 3)
    hint = r"take the expected label: probabilities @ labels, .* such as np\.arange\(3\)"
    with pytest.raises(ValueError, match=r"y_pred must be one-dimensional, .*" + hint):
        continuous_kappa(Y, probabilities)
    with pytest.raises(ValueError, match=r"X must be one column of scores, .*" + hint):
        estimators.KappaRounder().fit(probabilities, Y)


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA])
def test_missing_labels(missing: Any) -> None:
    with pytest.raises(ValueError, match="y_true has 1 missing value in"):
        best(y_true=[0, 1, missing, 0, 2])


@pytest.mark.parametrize("take", [optimal_thresholds, ThresholdEvaluator])
def test_a_string_among_numbers(take: Any) -> None:
    for y_true in (["1", "2", "x", "1", "2"], [1, 2, "x", 1, 2]):
        with pytest.raises(
            ValueError,
            match=r"y_true contains numbers and also 'x' \(1 time\): leave out such items, or"
            " pass labels= to keep them",
        ):
            take(y_true, SCORES)
    take(["1", "2", "x", "1", "2"], SCORES, labels=["1", "2", "x"])
