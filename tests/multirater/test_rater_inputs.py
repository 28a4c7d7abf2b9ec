"""Ratings of several raters in every accepted form, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa import (
    Ratings,
    agreement,
    compile_scorer,
    fleiss_kappa,
    krippendorff_alpha,
    light_kappa,
)
from tests.helpers.absent import library

pl = library("polars")

ROWS = [[1, 1, 2], [2, 2, 2], [3, 1, 3], [2, 3, 2], [1, 1, 1]]
WITH_MISSING = [[1, 1, None], [2, 2, 2], [None, 1, 3], [2, 3, 2], [1, None, 1]]
STRINGS = {1: "bad", 2: "fair", 3: "good", None: None}


def columns(rows: Any) -> list[list[Any]]:
    return [list(column) for column in zip(*rows)]


def as_frame(rows: Any, library: Any) -> Any:
    names = ["Ann", "Ben", "Cat"]
    if library is pa:
        return pa.table(dict(zip(names, columns(rows))))
    return library.DataFrame(dict(zip(names, columns(rows))))


def same(ratings: Ratings, rows: Any) -> None:
    expected = Ratings.from_array(rows)
    for function in (fleiss_kappa, light_kappa):
        assert function(ratings).value == function(expected).value
    assert ratings.n_missing == sum(row.count(None) for row in rows)
    assert ratings.n_subjects == len(rows)
    assert ratings.n_raters == 3


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", ">i4", "i8", "u8", "f4", "f8", "f2", object])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays(dtype: Any, order: Any) -> None:
    same(Ratings.from_array(np.array(ROWS, dtype, order=order)), ROWS)
    same(Ratings.from_array(np.array(ROWS * 2, dtype)[::2]), (ROWS * 2)[::2])


@pytest.mark.parametrize("dtype", ["f4", "f8", object])
def test_missing_in_arrays(dtype: Any) -> None:
    same(Ratings.from_array(np.array(WITH_MISSING, dtype)), WITH_MISSING)
    masked = np.ma.masked_invalid(np.array(WITH_MISSING, float))
    same(Ratings.from_array(masked), WITH_MISSING)
    whole = np.ma.array(np.nan_to_num(np.array(WITH_MISSING, float)).astype(int), mask=masked.mask)
    same(Ratings.from_array(whole), WITH_MISSING)


@pytest.mark.parametrize("library", [pd, pl, pa])
@pytest.mark.parametrize("rows", [ROWS, WITH_MISSING])
@pytest.mark.parametrize("strings", [False, True])
def test_frames(library: Any, rows: Any, strings: bool) -> None:
    named = [[STRINGS[rating] for rating in row] for row in rows] if strings else rows
    ratings = Ratings.from_array(as_frame(named, library))
    assert ratings.rater_names == ("Ann", "Ben", "Cat")
    same(ratings, rows)
    assert ratings.labels.tolist() == (["bad", "fair", "good"] if strings else [1, 2, 3])


def test_columns_of_pandas_and_polars() -> None:
    frame = as_frame(WITH_MISSING, pd)
    same(Ratings.from_array(frame.astype("Int64")), WITH_MISSING)
    strings = frame.map({1: "bad", 2: "fair", 3: "good"}.get)
    for dtype in ("category", "string", object):
        same(Ratings.from_array(strings.astype(dtype)), WITH_MISSING)
    polars = as_frame([[STRINGS[r] for r in row] for row in WITH_MISSING], pl)
    for dtype in (pl.Categorical, pl.Enum(["bad", "fair", "good"])):
        same(Ratings.from_array(polars.cast(dtype)), WITH_MISSING)


def test_lists_of_raters() -> None:
    same(Ratings.from_raters(columns(WITH_MISSING)), WITH_MISSING)
    mixed = [
        np.array(columns(ROWS)[0], np.int8),
        pd.Series(columns(WITH_MISSING)[1], dtype="Int64"),
        columns(WITH_MISSING)[2],
    ]
    rows = [[a, b, c] for (a, _, _), (_, b, c) in zip(ROWS, WITH_MISSING)]
    same(Ratings.from_raters(mixed), rows)


def test_strings_dates_and_booleans() -> None:
    strings = [[STRINGS[rating] for rating in row] for row in WITH_MISSING]
    same(Ratings.from_array(strings), WITH_MISSING)
    with_nan = [[np.nan if rating is None else rating for rating in row] for row in strings]
    same(Ratings.from_array(with_nan), WITH_MISSING)
    days = np.array(ROWS, "datetime64[D]")
    same(Ratings.from_array(days), ROWS)
    some = np.array(
        [["NaT" if r is None else f"2020-01-0{r}" for r in row] for row in WITH_MISSING],
        "datetime64[s]",
    )
    same(Ratings.from_array(some), WITH_MISSING)
    units = Ratings.from_raters([days[:, 0], days[:, 1].astype("datetime64[ns]"), days[:, 2]])
    same(units, ROWS)
    truth = np.array(ROWS) > 1
    assert Ratings.from_array(truth).labels.tolist() == [False, True]
    assert fleiss_kappa(truth).value == fleiss_kappa(truth.astype(int)).value


@pytest.mark.filterwarnings("ignore:the ratings contain -1")
def test_labels_far_apart_and_large() -> None:
    far = {1: -(1 << 40), 2: 7, 3: 1 << 62}
    same(Ratings.from_array([[far[r] for r in row] for row in ROWS]), ROWS)
    large = np.array(ROWS, np.uint64) + np.uint64((1 << 64) - 10)
    assert Ratings.from_array(large).labels.tolist() == [(1 << 64) - 10 + i for i in (1, 2, 3)]
    same(Ratings.from_array(large), ROWS)
    signs = Ratings.from_raters([np.array([1, 2], np.uint64), np.array([1, -2], np.int64)])
    assert signs.labels.tolist() == [-2, 1, 2]
    top = (1 << 64) - 1
    both = Ratings.from_raters([np.array([top - 1, top], np.uint64), np.array([-1, top >> 1])])
    assert both.labels.tolist() == [-1, top >> 1, top - 1, top]
    assert fleiss_kappa(both).value == pytest.approx(-1 / 3)


@pytest.mark.parametrize(("code", "dtype"), [(9, int), (-1, np.int8), (9, float), ("?", str)])
def test_missing_codes(code: Any, dtype: Any) -> None:
    rows = [[code if rating is None else rating for rating in row] for row in WITH_MISSING]
    array = np.array(rows, dtype)
    same(Ratings.from_array(array, missing_codes=[code]), WITH_MISSING)
    same(Ratings.from_array(array, missing_codes=[code, "none", None, np.nan]), WITH_MISSING)
    labels = [str(i) if dtype is str else i for i in (1, 2, 3)]
    same(Ratings.from_array(array, missing_codes=[code], labels=labels), WITH_MISSING)
    with pytest.raises(ValueError, match="for a missing rating, name it in missing_codes"):
        fleiss_kappa(Ratings.from_array(array, labels=labels))


@pytest.mark.parametrize(("code", "rating"), [("-9", -9), (-9, "-9"), (-9.0, -9), ("-9", -9.0)])
@pytest.mark.parametrize("labels", [None, (1, 2, 3)])
def test_a_missing_code_may_be_a_number_or_a_string(code: Any, rating: Any, labels: Any) -> None:
    """The same for several raters as for two: a column of strings contains -9 as "-9"."""
    kind = type(rating)
    rows = [[kind(rating if r is None else r) for r in row] for row in WITH_MISSING]
    given = None if labels is None else list(map(kind, labels))
    for form in (rows, np.array(rows), pd.DataFrame(rows)):
        same(Ratings.from_array(form, missing_codes=[code], labels=given), WITH_MISSING)
    pair = pd.DataFrame(rows)
    two = Ratings.from_array(pair[[0, 1]], missing_codes=[code], labels=given)
    both = agreement(pair[0], pair[1], missing="drop", missing_codes=[code], labels=given)
    assert light_kappa(two).value == both.kappa


def test_raters_of_one_name_are_told_apart() -> None:
    frame = pd.DataFrame([["yes", "yes "], ["no", "no"], ["no", "yes "]], columns=["a", "a"])
    with pytest.warns(UserWarning, match="'yes' .1 time., 'yes ' .2 times."):
        assert Ratings.from_array(frame).rater_names == ("a", "a")
    other = frame.replace("yes ", "maybe")
    with pytest.raises(ValueError, match=r"a \(column 2\) contains 'maybe', which is not one of"):
        fleiss_kappa(Ratings.from_array(other, labels=["yes", "no"]))


def test_labels_of_counts_that_often_mean_missing() -> None:
    counts = pd.DataFrame({"-": [0, 1, 0], "x": [2, 1, 3], "y": [1, 1, 0]})
    with pytest.warns(UserWarning, match="often stand for a missing rating.*'-' \\(1 time\\)"):
        Ratings.from_counts(counts)
    Ratings.from_counts(counts, labels=["-", "x", "y"])


def test_labels_of_counts_that_look_alike() -> None:
    names = ["yes", "yes ", "no"]
    with pytest.warns(
        UserWarning, match="counts has labels that differ only in how they are written"
    ):
        Ratings.from_counts(pd.DataFrame([[1, 1, 1], [0, 1, 2]], columns=names))
    table = pd.DataFrame(np.ones((3, 3), int), index=names, columns=names)
    with pytest.warns(
        UserWarning, match="table has labels that differ only in how they are written"
    ):
        Ratings.from_table(table)


def test_a_date_that_is_no_label_is_shown_as_one() -> None:
    days = np.array([["2001-01-01", "2001-01-02"], ["2001-01-01", "2001-01-01"]], "M8[D]")
    with pytest.raises(ValueError, match="rater 2 contains 2001-01-02, which is not one of"):
        fleiss_kappa(Ratings.from_array(days, labels=days[:1, 0]))


def test_missing_codes_of_dates() -> None:
    days = np.array([[0 if r is None else r for r in row] for row in WITH_MISSING], "datetime64[D]")
    never = [np.datetime64("1970-01-01")]
    for unit in ("D", "s", "ns"):
        dates = days.astype(f"datetime64[{unit}]")
        same(Ratings.from_array(dates, missing_codes=never), WITH_MISSING)


def test_labels_have_the_order_given() -> None:
    ratings = Ratings.from_array(
        [["good", "fair"], ["bad", "fair"]], labels=["bad", "fair", "good"]
    )
    assert ratings.labels.tolist() == ["bad", "fair", "good"]
    steps = fleiss_kappa(ratings, weights="linear").observed_agreement
    assert steps == 0.5


def test_tables_and_counts() -> None:
    table = [[20, 5], [10, 15]]
    first, second = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], [20, 5, 10, 15], axis=0).T
    expected = Ratings.from_raters([first, second])
    for function in (fleiss_kappa, light_kappa):
        assert function(Ratings.from_table(table)).value == function(expected).value
    unequal = Ratings.from_counts([[3, 0], [1, 1], [0, 1], [0, 0]])
    assert (unequal.n_subjects, unequal.n_raters, unequal.n_missing) == (4, 3, 6)
    assert unequal.n_paired == 2
    frame = pd.DataFrame([[3, 0], [1, 2]], columns=["no", "yes"])
    assert Ratings.from_counts(frame, labels=frame.columns).labels.tolist() == ["no", "yes"]


def test_a_rater_without_ratings() -> None:
    rows = [[1, None, 1], [2, None, 2], [1, None, 2]]
    two = [[row[0], row[2]] for row in rows]
    assert fleiss_kappa(rows).value == fleiss_kappa(two).value
    assert fleiss_kappa(rows).n_missing == 3


def test_measurements() -> None:
    """There are thousands of labels, too many for a table of all their pairs."""
    measured = np.random.default_rng(0).normal(size=(3000, 2))
    ratings = Ratings.from_array(measured)
    assert len(ratings.labels) == 6000
    # For two raters and n subjects, alpha is the intraclass correlation of 2 n values.
    mean = measured.mean()
    apart = ((measured[:, 0] - measured[:, 1]) ** 2).mean()
    spread = 2 * ((measured - mean) ** 2).sum() / (measured.size - 1)
    expected = pytest.approx(1 - apart / spread, abs=1e-12)
    assert krippendorff_alpha(ratings, level="interval").value == expected
    far = Ratings.from_array((measured * 1e9).astype(np.int64))
    assert len(far.labels) == 6000
    many = np.random.default_rng(0).normal(size=(200_000, 2))
    with pytest.raises(ValueError, match="400000 labels and 200000 distinct rows, which need"):
        krippendorff_alpha(many, level="nominal")


REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    ([[1], [2]], {}, "at least two raters, got 1"),
    ([1, 2, 3], {}, "one column per rater, got a list that contains no lists"),
    (np.array([1, 2]), {}, r"one column per rater, got an array of shape \(2,\)"),
    ([], {}, "at least two raters, got 0"),
    (np.empty((0, 3)), {}, "must not be empty, got no subjects"),
    ([[1, 2], [1]], {}, "one rating per rater in every row"),
    ([[None, None], [None, None]], {}, "at least one rating, but all 4 values are missing"),
    ([[9, 9]], {"missing_codes": [9]}, "at least one rating"),
    ([[1, 2]], {"missing_codes": 9}, "missing_codes must be a list"),
    (["ab", "ba"], {}, "one column per rater"),
    ([[1, 2]], {"missing_codes": "9"}, "missing_codes must be a list"),
    ([[1, "a"], [2, "b"]], {}, "same type, got numbers from rater 1 and strings from rater 2"),
    ([[1, 2]], {"labels": [1, 1, 2]}, "labels must be distinct"),
    ([[1, 2]], {"labels": [1, 2], "missing_codes": [2]}, "missing_codes both contain 2"),
    ([[1, 2]], {"labels": []}, "should contain at least one label"),
    ([[1, np.inf], [1, 2]], {}, "rater 2 must be finite, got inf"),
    ([[[1, 2], 2], [[1, 3], 2]], {}, "if one rating is a set, all ratings must be sets"),
]


@pytest.mark.parametrize(("rows", "options", "message"), REFUSED)
def test_refused(rows: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fleiss_kappa(Ratings.from_array(rows, **options))


def test_a_rating_that_is_no_label_is_named() -> None:
    with pytest.raises(ValueError, match="Ben contains 3, which is not one of the labels"):
        fleiss_kappa(Ratings.from_raters({"Ann": [1, 2], "Ben": [2, 3]}, labels=[1, 2]))
    with pytest.raises(ValueError, match="Ann contains 'x', which is not one of the labels"):
        fleiss_kappa(Ratings.from_raters({"Ann": ["a", "x"], "Ben": ["a", "a"]}, labels=["a"]))
    words = {"Ann": ["low", "hihg"], "Ben": ["low", "high"]}
    with pytest.raises(ValueError, match=r"'hihg', which is .* Did you mean 'high'\?"):
        Ratings.from_raters(words, labels=["low", "high"]).n_missing  # noqa: B018
    with pytest.raises(ValueError, match=r"not among the labels .*\. Did you mean 'high'\?"):
        compile_scorer(["low", "high"], dtype=str)(*map(np.array, words.values()))
    with pytest.raises(ValueError, match=r"the same subjects, got columns of lengths \[2, 3\]"):
        Ratings.from_raters([[1, 2], [1, 2, 3]])


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, -1]], "non-negative whole numbers, got -1"),
        ([[0.5, 1]], "non-negative whole numbers, got 0.5"),
        ([[np.nan, 1]], "non-negative whole numbers, got nan"),
        ([[0, 0]], "counts must not all be 0"),
        ([1, 2], r"got an array of shape \(2,\)"),
        ([["a", "b"]], "counts must be a table of numbers"),
    ],
)
def test_refused_counts(counts: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Ratings.from_counts(counts)
    with pytest.raises(
        ValueError, match="labels must have 2 entries, one per column of counts, got 3"
    ):
        Ratings.from_counts([[1, 2]], labels=[1, 2, 3])
    for table in ([[1, 2]], [[0, 0], [0, 0]], [[1, -1], [1, 1]], [[0.5, 1], [1, 1]]):
        with pytest.raises(ValueError, match="table must"):
            Ratings.from_table(table)
