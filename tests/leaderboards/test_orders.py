"""Many predictions: the order of labels, missing labels, and invalid columns of labels."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest

from fastkappa import cohen_kappa_score, leaderboard, score_many
from fastkappa.exceptions import LabelOrderWarning
from tests.helpers.absent import library

polars = library("polars")

GRADES = ["none", "mild", "moderate", "severe"]
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 4, 60)
PREDICTIONS = np.where(RNG.random((3, 60)) < 0.6, TRUTH, RNG.integers(0, 4, (3, 60)))
KAPPAS = [cohen_kappa_score(TRUTH, p, weights="quadratic") for p in PREDICTIONS]
# Labels of their own enum, read by value and reported by name.
Grade = enum.Enum("Grade", [(name.upper(), name) for name in GRADES])  # type: ignore[misc]


def strings(codes: Any) -> list[str]:
    return [GRADES[code] for code in codes]


def categorical(codes: Any, categories: list[str] = GRADES) -> Any:
    return pandas.Series(pandas.Categorical(strings(codes), categories, ordered=True))


def dictionary(codes: Any) -> Any:
    indices = pyarrow.array(codes, pyarrow.int32())
    return pyarrow.DictionaryArray.from_arrays(indices, GRADES, ordered=True)


FORMS: dict[str, Callable[[Any], Any]] = {
    "pandas": categorical,
    "polars": lambda codes: polars.Series(strings(codes), dtype=polars.Enum(GRADES)),
    "pyarrow": dictionary,
    "enum": lambda codes: [Grade(GRADES[code]) for code in codes],
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("declaring", [(0,), (2,), (0, 1, 2, 3)])
@pytest.mark.parametrize("n_columns", [3, 30])
def test_a_declared_order_is_the_order(name: str, declaring: Any, n_columns: int) -> None:
    """Column 0 is the truth: a declared order applies to all columns, whichever declares it."""
    columns = [TRUTH, *(PREDICTIONS[j % 3] for j in range(n_columns))]
    truth, *predictions = [
        FORMS[name](column) if j in declaring else strings(column)
        for j, column in enumerate(columns)
    ]
    names = list(Grade.__members__) if name == "enum" else GRADES
    with warnings.catch_warnings():
        warnings.simplefilter("error", LabelOrderWarning)
        result = score_many(truth, predictions, weights="quadratic")
        board = leaderboard(truth, predictions, weights="quadratic", n_resamples=39, rng=0)
    assert result.labels.tolist() == names
    assert result.kappas.tolist() == [KAPPAS[j % 3] for j in range(n_columns)]
    expected = leaderboard(
        *columns[:1], columns[1:], labels=range(4), weights="quadratic", n_resamples=39, rng=0
    )
    assert str(board) == str(expected)


def test_all_declared_categories_have_a_position() -> None:
    truth, prediction = [0, 1, 3, 3, 0], [0, 3, 3, 1, 0]
    expected = cohen_kappa_score(truth, prediction, weights="linear", labels=range(4))
    result = score_many(categorical(truth), {"a": categorical(prediction)}, weights="linear")
    assert result.kappas.tolist() == [expected]
    assert result.tables.shape == (1, 4, 4)
    board = leaderboard(categorical(truth), {"a": categorical(prediction)}, weights="linear")
    assert board.kappa.tolist() == [expected]


@pytest.mark.parametrize("score", [score_many, leaderboard])
def test_orders_that_do_not_agree(score: Any) -> None:
    truth, other = categorical(TRUTH), categorical(PREDICTIONS[0], GRADES[::-1])
    orders = (
        r"declare their labels in different orders: none < mild < moderate < severe and severe <"
        r" moderate < mild < none\. Give both the same categories, or pass labels=\."
    )
    with pytest.raises(ValueError, match=f"^y_true and prediction 'a' {orders}"):
        score(truth, {"a": other})
    with pytest.raises(ValueError, match=f"^prediction 'a' and prediction 'b' {orders}"):
        score(strings(TRUTH), {"a": truth, "b": other})
    given = score(truth, {"a": other}, labels=GRADES, weights="quadratic")
    assert np.isclose(getattr(given, "kappa" if score is leaderboard else "kappas")[0], KAPPAS[0])
    outside = ["fatal", *strings(TRUTH)[1:]]
    message = (
        r"^prediction 'a' contains 'fatal', which is not among the declared labels: none <"
        r" mild < moderate < severe\. Pass labels= to use other labels\.$"
    )
    with pytest.raises(ValueError, match=message):
        score(truth, {"fine": truth, "a": outside})
    with pytest.raises(ValueError, match=r"^y_true contains 'fatal', which is not among"):
        score(outside, {"a": truth})


def test_an_order_that_comes_too_late_is_refused() -> None:
    """Batches of 128 predictions are scored before the next batch is read."""
    predictions = [strings(TRUTH)] * 128 + [categorical(TRUTH)]
    message = (
        r"^prediction 128 declares an order of its labels, but earlier predictions were"
        r" scored without an order\. Put prediction 128 first, or pass labels=\.$"
    )
    with pytest.raises(ValueError, match=message):
        leaderboard(strings(TRUTH), predictions, weights="linear", n_resamples=0)
    # Without weights, nothing depends on the order.
    assert len(leaderboard(strings(TRUTH), predictions, n_resamples=0)) == 129


def test_an_alphabetical_order_is_warned_of_where_weights_refer_to_it() -> None:
    truth, predictions = strings(TRUTH), [strings(p) for p in PREDICTIONS]
    message = (
        r"^weights='quadratic' depends on the order of the labels, which was assumed to be"
        r" alphabetical: mild < moderate < none < severe\. Pass labels="
    )
    for score in (score_many, leaderboard):
        with pytest.warns(LabelOrderWarning, match=message) as caught:
            score(truth, predictions, weights="quadratic")
        assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(LabelOrderWarning, match="^a matrix of weights depends on the order"):
        score_many(truth, predictions, weights=1 - np.eye(4))
    with warnings.catch_warnings():
        warnings.simplefilter("error", LabelOrderWarning)
        for score in (score_many, leaderboard):
            score(truth, predictions)
            score(truth, predictions, labels=GRADES, weights="quadratic")
            score(TRUTH, PREDICTIONS.T, weights="quadratic")
            score(["no", "yes"] * 3, [["no", "yes", "yes"] * 2], weights="linear")


def test_numeric_strings_are_ordered_by_value() -> None:
    truth, prediction = [9, 10, 8, 11, 9, 8], [10, 10, 8, 9, 9, 9]
    expected = cohen_kappa_score(truth, prediction, weights="linear")
    columns = [str(y) for y in truth], {"a": [str(y) for y in prediction]}
    with warnings.catch_warnings():
        warnings.simplefilter("error", LabelOrderWarning)
        result = score_many(*columns, weights="linear")
        assert leaderboard(*columns, weights="linear").kappa.tolist() == [expected]
    assert result.kappas.tolist() == [expected]
    assert result.labels.tolist() == ["8", "9", "10", "11"]


NUMBERS = ["1", "2", "10", "2", "3", "9"]
ODD = ["1", "2", "10", "x", "3", "NA"]


@pytest.mark.parametrize("score", [score_many, leaderboard])
def test_strings_among_numbers_are_named(score: Any) -> None:
    message = (
        r" contains numbers and also 'x' \(1 time\), 'NA' \(1 time\): write numbers as"
        r" digits, pass missing_codes= for codes of missing ratings, or pass labels= if the strings"
        r" are labels\.$"
    )
    with pytest.raises(ValueError, match=f"^prediction 'a'{message}"):
        score(NUMBERS, {"a": ODD})
    with pytest.raises(ValueError, match=f"^y_true{message}"):
        score(ODD, {"a": NUMBERS})
    assert score(NUMBERS, {"a": ODD}, labels=["1", "2", "x"]) is not None


@pytest.mark.filterwarnings("ignore:each step:fastkappa.exceptions.LabelOrderWarning")
def test_missing_labels_are_left_out_and_counted() -> None:
    kept = [0, 1, 2, 4]
    alone = cohen_kappa_score([1, 2, 10, 3], [1, 3, 10, 3], weights="linear")
    first, second = ["1", "3", "10", "x", "3", "NA"], ["1", "2", "10", "2", "3", "10"]
    whole = cohen_kappa_score([1, 2, 10, 2, 3, 9], [1, 2, 10, 2, 3, 10], weights="linear")
    options: dict[str, Any] = {"missing": "drop", "weights": "linear", "missing_codes": ["x", "NA"]}
    columns = {"first": first, "second": second}
    result = score_many(NUMBERS, columns, **options)
    assert result.kappas.tolist() == [alone, whole]
    assert result.n_missing.tolist() == [2, 0]
    weights = np.array([1, 2, 3, 4, 5, 6])
    result = score_many(NUMBERS, columns, sample_weight=weights, **options)
    assert result.tables.sum(axis=(1, 2)).tolist() == [weights[kept].sum(), weights.sum()]
    board = leaderboard(NUMBERS, columns, rng=0, min_coverage=0.5, **options)
    rows = {row.name: row for row in board}
    assert (rows["first"].kappa, rows["first"].n, rows["first"].missing) == (alone, 4, 2)
    assert (rows["second"].kappa, rows["second"].n, rows["second"].missing) == (whole, 6, 0)
    # Items missing from the truth are left out of all predictions.
    result = score_many(ODD, {"a": ["1", "3", "10", "2", "3", "2"]}, **options)
    assert result.kappas.tolist() == [alone]
    result = score_many(ODD, {"a": NUMBERS}, sample_weight=weights, **options)
    assert result.tables.sum() == weights[kept].sum()
    assert leaderboard(ODD, {"a": NUMBERS}, **options).n.tolist() == [4]


def test_missing_labels_of_items_matched_by_id() -> None:
    ids, shuffled = np.array([3, 1, 4, 5]), [5, 3, 4, 1]
    truth = [0, 1, 2, 1]
    board = leaderboard(
        truth,
        {"a": (shuffled, [1, None, 2, 0]), "b": (ids, truth)},
        ids=ids,
        missing="drop",
        min_coverage=0.75,
    )
    rows = {row.name: row for row in board}
    assert (rows["a"].n, rows["a"].missing) == (3, 1)
    assert rows["a"].kappa == cohen_kappa_score([1, 2, 1], [0, 2, 1])
    assert rows["b"].kappa == 1
    found = leaderboard(
        truth,
        {"a": ([5, 3, 9, 1], [1, -9, 2, 0])},
        ids=ids,
        missing="drop",
        missing_codes=[-9],
        on_mismatch="drop",
        min_coverage=0.5,
    )
    row = next(iter(found))
    assert (row.n, row.missing, row.extra) == (2, 2, 1)
    assert row.kappa == cohen_kappa_score([1, 1], [0, 1])
    # Predictions may contain or omit items without a true label.
    for given in (ids, ids.astype(str)):
        some = {"all": (given, truth), "rated": (given[[0, 2, 3]], [0, 2, 1])}
        board = leaderboard([0, None, 2, 1], some, ids=given, missing="drop")
        assert (board.n.tolist(), board.extra.tolist(), board.kappa.tolist()) == (
            [3] * 2,
            [0] * 2,
            [1, 1],
        )
        more = {"a": ([*given, given.dtype.type(8)], [*truth, 0])}
        with pytest.raises(ValueError, match="1 extra"):
            leaderboard([0, None, 2, 1], more, ids=given, missing="drop")


@pytest.mark.parametrize("score", [score_many, leaderboard])
def test_missing_codes_are_refused_unless_dropped(score: Any) -> None:
    truth = np.array([0, 1, 2, 1])
    message = "^prediction 'a' has 1 missing value in 4 items, the first at position 2: pass"
    with pytest.raises(ValueError, match=message):
        score(truth, {"a": np.array([0, 1, -9, 1])}, missing_codes=[-9])
    with pytest.raises(
        ValueError, match=r"^y_true has 1 missing value in 4 items, the first at position 0"
    ):
        score(truth, {"a": truth}, missing_codes=[0])
    with pytest.raises(ValueError, match="missing must be 'raise' or 'drop', got 'skip'"):
        score(truth, {"a": truth}, missing="skip")


SCORES = RNG.random((60, 3))


@pytest.mark.parametrize("score", [score_many, leaderboard])
@pytest.mark.parametrize(
    ("predictions", "reason"),
    [
        ({"a": SCORES[:, 0]}, r"^prediction 'a' must be labels, got numbers with fractions: array"),
        (SCORES / SCORES.sum(axis=1, keepdims=True), "^prediction 0 must be labels, got numbers"),
    ],
)
def test_scores_and_probabilities_are_no_labels(score: Any, predictions: Any, reason: str) -> None:
    remedy = (
        r" Use optimal_thresholds to convert scores to labels, or decode_probabilities to convert"
        r" probabilities of shape \(n, k\) to labels\.$"
    )
    with pytest.raises(ValueError, match=reason + "(.|\n)*" + remedy):
        score(TRUTH, predictions)


@pytest.mark.parametrize("score", [score_many, leaderboard])
def test_matrices_of_scores_are_no_labels(score: Any) -> None:
    remedy = "must be one-dimensional, .* If these are probabilities(.|\n)*decode_probab"
    for predictions, name in (({"a": SCORES}, "'a'"), ([SCORES], "0")):
        with pytest.raises(ValueError, match=rf"^prediction {name} (.|\n)*{remedy}"):
            score(TRUTH, predictions)


@pytest.mark.parametrize("score", [score_many, leaderboard])
@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_a_data_frame_is_no_column(score: Any, make: Any) -> None:
    frame = make({"id": TRUTH, "grade": TRUTH})
    reason = (
        " must be one-dimensional, with one entry per item, got a data frame with the columns .*"
    )
    remedy = r" Pass one of them, such as frame\['id'\]\.$"
    with pytest.raises(ValueError, match="^y_true" + reason + remedy):
        score(frame, {"a": TRUTH})
    with pytest.raises(ValueError, match="^prediction 'a'" + reason + remedy):
        score(TRUTH, {"a": frame})


def test_labels_are_judged_per_prediction() -> None:
    """Each kappa uses the labels of the truth and of one prediction, never those of others."""
    columns = dict(zip(("usual", "four", "nine"), PREDICTIONS.astype(float)))
    columns["four"][:2] = 4
    columns["nine"][0] = 9
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        leaderboard(TRUTH, columns, weights="quadratic", n_resamples=0)
    texts = [str(one.message) for one in caught]
    assert len(texts) == 2
    assert texts[0].startswith("the ratings contain 9 in prediction 'nine'. Such numbers")
    assert "the labels 0 < 1 < 2 < 3 < 9 of prediction 'nine' are not equally spaced" in texts[1]
