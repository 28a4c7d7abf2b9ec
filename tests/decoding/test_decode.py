"""Labels from probabilities: brute force over all labelings, accepted inputs, refusals."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fastkappa import decode_probabilities, optimal_thresholds
from fastkappa.exceptions import LabelOrderWarning, undefined_metric_warning
from fastkappa.measurements import continuous_kappa
from tests.helpers.absent import library
from tests.helpers.exact_kappa import exact_kappa, fractions_of

KappaRounder = library("fastkappa.estimators").KappaRounder

pl = library("polars")
pa = pytest.importorskip("pyarrow")


def dyadic(rng: np.random.Generator, n: int, n_labels: int) -> np.ndarray:
    """Return probabilities that are multiples of 1/64 and sum to exactly 1."""
    return rng.multinomial(64, rng.dirichlet(np.ones(n_labels)), n) / 64


def expected_table(P: np.ndarray, given: Any, sample_weight: Any = None) -> Any:
    """Return the expected table in exact arithmetic."""
    exact = fractions_of(P)
    if sample_weight is not None:
        exact = exact * fractions_of(sample_weight)[:, None]
    table = np.full((P.shape[1],) * 2, Fraction(0), object)
    for row, label in zip(exact, given):
        table[:, label] += row
    return table


def best_of_all(P: np.ndarray, weights: Any, sample_weight: Any = None) -> Fraction:
    """Return the highest expected kappa over all labelings of the items."""
    n, n_labels = P.shape
    kappas = (
        exact_kappa(expected_table(P, given, sample_weight), weights)
        for given in product(range(n_labels), repeat=n)
    )
    return max(kappa for kappa in kappas if kappa is not None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("weights", [None, "linear", "quadratic", "matrix", "one column free"])
@pytest.mark.parametrize("shape", [(5, 2), (5, 3), (4, 4)])
def test_no_labels_have_a_higher_expected_kappa(
    shape: tuple[int, int], weights: Any, weighted: bool
) -> None:
    rng = np.random.default_rng(sum(shape))
    for _ in range(3):
        P = dyadic(rng, *shape)
        v = rng.integers(0, 4, len(P)) + 1 if weighted else None
        if weights in ("matrix", "one column free"):
            matrix = rng.integers(1, 9, (shape[1],) * 2) * (1 - np.eye(shape[1], dtype=int))
            matrix[:, 0] *= weights == "matrix"
        else:
            matrix = weights
        result = decode_probabilities(P, weights=matrix, sample_weight=v)
        table = expected_table(P, result.predictions, v)
        np.testing.assert_allclose(result.table, table.astype(float), rtol=1e-14)
        assert result.kappa == pytest.approx(float(exact_kappa(table, matrix)), abs=1e-14)
        assert result.kappa == pytest.approx(float(best_of_all(P, matrix, v)), abs=1e-13)
        np.testing.assert_array_equal(result.predict(P), result.predictions)


def test_quadratic_weights_round_the_expected_label_about_the_mean() -> None:
    rng = np.random.default_rng(1)
    for n_labels in (2, 3, 6):
        P = rng.dirichlet(np.ones(n_labels), 500)
        result = decode_probabilities(P)
        expected = P @ np.arange(n_labels)
        mean = expected.mean()
        rounded = np.rint(mean + (expected - mean) / result.kappa)
        np.testing.assert_array_equal(result.predictions, np.clip(rounded, 0, n_labels - 1))
        # The same kappa from moments: the truth varies within and between items.
        given = result.predictions
        squares = P @ np.arange(n_labels) ** 2
        covariance = np.cov(expected, given, bias=True)[0, 1]
        variance = squares.mean() - mean**2
        kappa = 2 * covariance / (variance + given.var() + (mean - given.mean()) ** 2)
        assert result.kappa == pytest.approx(kappa, abs=1e-12)


def test_certain_items_are_their_labels() -> None:
    y = np.random.default_rng(2).integers(0, 4, 100)
    result = decode_probabilities(np.eye(4)[y], labels=list("abcd"))
    assert result.kappa == 1.0
    np.testing.assert_array_equal(result.predictions, np.array(list("abcd"))[y])
    np.testing.assert_array_equal(result.table, np.diag(np.bincount(y)))


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_many_items_start_from_some_of_them(weights: Any) -> None:
    """At the optimum, no item has a cheaper label at the costs of the optimal ratio."""
    rng = np.random.default_rng(3)
    P = rng.dirichlet([0.5, 1, 2], 150_000)
    result = decode_probabilities(P, weights=weights)
    distance = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    matrix = {None: np.sign(distance), "linear": distance, "quadratic": distance**2}[weights]
    chance = P.mean(axis=0) @ matrix
    costs = P @ (matrix - (1 - result.kappa) * chance)
    np.testing.assert_array_equal(result.predictions, costs.argmin(axis=1))
    assert costs.min(axis=1).sum() == pytest.approx(0, abs=1e-7)


def test_items_of_the_same_probabilities() -> None:
    P = np.tile([0.1, 0.2, 0.7], (7, 1))
    odd = [[0, 1, 90], [1, 0, 90], [1, 1, 0]]
    for weights, label in ((None, 2), ("linear", 2), ("quadratic", 2), (odd, 1)):
        result = decode_probabilities(P, weights=weights)
        assert set(result.predictions.tolist()) == {label}
        assert result.kappa == pytest.approx(0, abs=1e-12)
        np.testing.assert_array_equal(result.predict(P), result.predictions)


def test_one_label_is_undefined() -> None:
    with pytest.warns(
        undefined_metric_warning(), match="undefined because all items have the same label"
    ):
        result = decode_probabilities([[0, 0, 1], [0, 0, 1]], labels=[3, 4, 5])
    assert np.isnan(result.kappa)
    assert result.predictions.tolist() == [5, 5]
    with pytest.warns(undefined_metric_warning()):
        assert np.isnan(decode_probabilities([[0.5, 0.5]], weights=np.zeros((2, 2))).kappa)


def test_weights_of_any_size() -> None:
    P = dyadic(np.random.default_rng(4), 30, 3)
    v = np.random.default_rng(4).random(30)
    plain = decode_probabilities(P, weights="quadratic", sample_weight=v)
    matrix = np.array([[0, 1, 4], [1, 0, 1], [4, 1, 0]])
    for scale in (2.0**-1000, 2.0**1000):
        for result in (
            decode_probabilities(P, weights=matrix * scale, sample_weight=v),
            decode_probabilities(P, sample_weight=v * scale),
        ):
            np.testing.assert_array_equal(result.predictions, plain.predictions)
            assert result.kappa == pytest.approx(plain.kappa, rel=1e-13)
    np.testing.assert_allclose(result.table, plain.table * 2.0**1000)
    left_out = decode_probabilities(P, sample_weight=np.arange(30) % 2)
    half = decode_probabilities(P[1::2])
    assert left_out.kappa == pytest.approx(half.kappa, abs=1e-14)
    np.testing.assert_array_equal(left_out.predictions, half.predict(P))


NAMES = ["x", "a", "k"]


@pytest.mark.parametrize(
    "form",
    [
        np.ndarray.tolist,
        lambda P: P.astype(np.float16),
        lambda P: P.astype(np.float32),
        lambda P: P.astype(">f8"),
        lambda P: P.astype(np.longdouble),
        lambda P: P.astype(object),
        np.asfortranarray,
        lambda P: np.repeat(np.repeat(P, 2, axis=0), 2, axis=1)[::2, ::2],
        lambda P: P[::-1].copy()[::-1],
        pd.DataFrame,
        lambda P: pd.DataFrame(P, dtype="Float64"),
        lambda P: pd.DataFrame(P, columns=NAMES),
        lambda P: pl.DataFrame(P, schema=NAMES, orient="row"),
        lambda P: pa.table(dict(zip(NAMES, P.T))),
    ],
)
def test_probabilities_in_whatever_they_come(form: Any) -> None:
    P = dyadic(np.random.default_rng(5), 40, 3)
    plain = decode_probabilities(P)
    result = decode_probabilities(form(P))
    assert result.kappa == plain.kappa
    np.testing.assert_array_equal(result.labels[plain.predictions], result.predictions)
    assert result.labels.tolist() in ([0, 1, 2], NAMES)


def test_certain_probabilities() -> None:
    P = dyadic(np.random.default_rng(5), 40, 3)
    counts = np.eye(3, dtype=np.uint8)[P.argmax(axis=1)]
    assert decode_probabilities(counts).kappa == decode_probabilities(counts == 1).kappa == 1.0


@pytest.mark.parametrize("n", [1, 5])
def test_item_weights_leave_columns_that_lie_in_one_piece_as_they_are(n: int) -> None:
    P = np.asfortranarray(dyadic(np.random.default_rng(7), n, 3))
    P.flags.writeable = False
    v = np.arange(n) + 2
    result = decode_probabilities(P, sample_weight=v)
    exact = exact_kappa(expected_table(P, result.predictions, v), "quadratic")
    assert exact == best_of_all(P, "quadratic", v)
    assert result.kappa == pytest.approx(float(exact), abs=1e-14)
    writeable = P.copy(order="F")
    decode_probabilities(writeable, sample_weight=v)
    np.testing.assert_array_equal(writeable, P)


def test_columns_are_found_by_name() -> None:
    P = dyadic(np.random.default_rng(6), 40, 3)
    names = ["bad", "good", "best"]
    plain = decode_probabilities(P, labels=names)
    frame = pd.DataFrame(P, columns=names)
    sorted_frame = frame[sorted(names)]
    by_name = decode_probabilities(sorted_frame, labels=names)
    np.testing.assert_array_equal(by_name.predictions, plain.predictions)
    np.testing.assert_array_equal(plain.predict(sorted_frame), plain.predictions)
    with pytest.warns(LabelOrderWarning, match="alphabetical: bad < best < good") as caught:
        decode_probabilities(sorted_frame)
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(LabelOrderWarning):
        decode_probabilities(P, labels=np.array(sorted(names)))
    decode_probabilities(P, labels=sorted(names))
    decode_probabilities(sorted_frame, weights=None)


@pytest.mark.parametrize("frame_of", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_names_that_are_strings_stand_for_numbers(frame_of: Any) -> None:
    P = dyadic(np.random.default_rng(8), 40, 3)
    plain = decode_probabilities(P, labels=[1, 2, 3])
    frame = frame_of(dict(zip(["1", "2", "3"], P.T)))
    for given in (frame, frame[["3", "1", "2"]]):
        by_name = decode_probabilities(given, labels=[1, 2, 3])
        np.testing.assert_array_equal(by_name.predictions, plain.predictions)
        np.testing.assert_array_equal(plain.predict(given), plain.predictions)


def test_labels_that_name_some_columns_in_another_order() -> None:
    frame = pd.DataFrame(dyadic(np.random.default_rng(9), 5, 3), columns=["high", "low", "mid"])
    message = r"or include none of them, got \['low', 'mid', 'top'\].*Label 'low' is at"
    with pytest.raises(ValueError, match=message):
        decode_probabilities(frame, labels=["low", "mid", "top"])
    with pytest.raises(ValueError, match=message):
        decode_probabilities(frame.to_numpy(), labels=["low", "mid", "top"]).predict(frame)
    in_place = decode_probabilities(frame, labels=["most", "low", "mid"])
    assert in_place.kappa == decode_probabilities(frame.to_numpy()).kappa


@pytest.mark.parametrize(
    ("P", "message"),
    [
        (
            [0.5, 0.5],
            r"one column per label, got shape \(2,\).*np.column_stack.*KappaRounder",
        ),
        ([[0.5], [0.5]], "must have one column per label"),
        (np.zeros((2, 2, 2)), r"one row per item and one column per label, got shape \(2, 2, 2\)"),
        (3.0, "one row per item and one column per label, got 3.0"),
        (np.zeros((0, 3)), r"must not be empty, got shape \(0, 3\)"),
        ([["a", "b"]], "must contain real numbers, got"),
        ([[1j, 0]], "must contain real numbers, got an array of dtype complex128"),
        ([[0.5, 0.5], [0.5, np.nan]], "must be finite, got nan in row 1, column 1"),
        ([[0.5, 0.5], [np.inf, 0.5]], "must be finite, got inf in row 1, column 0"),
        ([[0.5, 0.5], [1.5, -0.5]], "must be 0 or more, got -0.5 in row 1, column 1.*softmax"),
        ([[2.0, 3.0]], "sum to 1, within 0.001, got a sum of 5 in row 0.*softmax"),
        ([[0.5, 0.5], [0.5, 0.497]], "got a sum of 0.997 in row 1"),
        ([[40, 60.0], [10, 90]], "got a sum of 100 in row 0. Divide percentages by 100"),
        (np.ma.masked_equal([[0.5, 0.5], [0.0, 1.0]], 0), "must not have masked entries"),
        (pd.DataFrame({"a": [0.5, None], "b": [0.5, 1]}), "must be finite, got nan in row 1"),
    ],
)
def test_what_is_no_probability(P: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decode_probabilities(P)
    if np.ndim(P) == 2 and np.shape(P)[1] == 2:
        with pytest.raises(ValueError, match=message):
            decode_probabilities([[0.5, 0.5], [0.25, 0.75]]).predict(P)


def test_the_row_is_named_beyond_the_first_block() -> None:
    P = np.full((100_000, 4), 0.25, np.float32)
    P[98_765, 2] = 0.3
    with pytest.raises(ValueError, match=r"got a sum of 1\.05 in row 98765"):
        decode_probabilities(P)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"labels": [1, 2]},
            r"one label for each of the 3 columns of .*, got 2: \[1, 2\]",
        ),
        ({"labels": [1, 2, 2]}, "labels must be distinct"),
        ({"labels": ["a", None, "b"]}, "labels must not contain missing values"),
        ({"weights": "cubic"}, "weights must be None, 'linear', 'quadratic'"),
        ({"weights": np.eye(3)}, "diagonal must be 0"),
        ({"sample_weight": [1, 2]}, "must have one weight for each of the 4 items, got 2"),
        (
            {"sample_weight": [1, 1, 1, -1]},
            "sample_weight must not contain negative numbers, got -1",
        ),
        ({"sample_weight": [0, 0, 0, 0]}, "at least one non-zero"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        decode_probabilities(np.full((4, 3), 1 / 3), **arguments)


def test_others_name_it_when_they_are_given_probabilities() -> None:
    P, y = np.full((5, 3), 1 / 3), [0, 1, 2, 0, 1]
    hint = "use decode_probabilities or KappaDecoder"
    with pytest.raises(ValueError, match=hint):
        optimal_thresholds(y, P)
    with pytest.raises(ValueError, match=hint):
        KappaRounder().fit(P, y)
    with pytest.raises(ValueError, match=hint):
        continuous_kappa(y, P)


def test_columns_named_by_numbers_are_in_their_order() -> None:
    probabilities = np.random.default_rng(0).dirichlet(np.ones(4), 50)
    expected = decode_probabilities(probabilities)
    for names in (range(4), list("0123")):
        frame = pd.DataFrame(probabilities, columns=list(names)).iloc[:, [1, 3, 0, 2]]
        found = decode_probabilities(frame)
        assert found.labels.tolist() == list(names)
        assert [int(label) for label in found.predictions] == expected.predictions.tolist()
        assert found.kappa == expected.kappa
