"""Codes for missing ratings, strings among numbers, and tables in a misleading form."""

from __future__ import annotations

import functools
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fastkappa
from fastkappa import (
    Ratings,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    light_kappa,
    pairwise_kappa,
)
from tests.helpers.absent import library
from tests.helpers.published_raters import DIAGNOSES, RELIABILITY_DATA, WORKED_COUNTS

pl = library("polars")

FUNCTIONS: dict[str, dict[str, Any]] = {
    "fleiss_kappa": {},
    "randolph_kappa": {},
    "gwet_ac1": {},
    "gwet_ac2": {"weights": "linear"},
    "conger_kappa": {},
    "light_kappa": {},
    "krippendorff_alpha": {"level": "interval"},
    "pairwise_kappa": {},
}
GRADES = [[1, 2, 1], [9, 10, 10], [10, 10, None], [5, 5, 4], [7, None, 7], [3, 3, 3]]


def value(name: str, ratings: Any, **options: Any) -> float:
    result = getattr(fastkappa, name)(ratings, **FUNCTIONS[name], **options)
    return float(result.mean if name == "pairwise_kappa" else result.value)


def with_codes(*codes: Any) -> list[list[Any]]:
    """Return the grades, with each code in turn for the missing ratings."""
    left = list(codes)
    return [[left.pop(0) if grade is None else grade for grade in row] for row in GRADES]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("codes", [(".", "."), ("NA", -9), (-9, -9), (0, -1)], ids=str)
@pytest.mark.filterwarnings("ignore:each step:fastkappa.exceptions.LabelOrderWarning")
def test_every_function_takes_missing_codes(name: str, codes: Any) -> None:
    rows = with_codes(*codes)
    expected = value(name, GRADES)
    for given in (rows, np.array(rows, object), pd.DataFrame(rows)):
        assert value(name, given, missing_codes=codes) == expected
        assert value(name, Ratings.from_array(given, missing_codes=codes)) == expected


@pytest.mark.parametrize(
    "form", [list, np.array, pd.DataFrame, lambda rows: pl.DataFrame(rows, orient="row")]
)
@pytest.mark.filterwarnings("ignore:each step:fastkappa.exceptions.LabelOrderWarning")
def test_missing_codes_among_strings(form: Any) -> None:
    rows = [[str(grade) for grade in row] for row in with_codes(".", "NA")]
    ratings = Ratings.from_array(form(rows), missing_codes=[".", "NA"])
    assert ratings.labels.tolist() == ["1", "2", "3", "4", "5", "7", "9", "10"]
    assert ratings.n_missing == 2
    assert value("gwet_ac2", ratings) == value("gwet_ac2", GRADES)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_missing_codes_belong_to_the_constructor(name: str) -> None:
    told = "labels, missing_codes and clusters must not be passed with a Ratings object"
    for options in ({"missing_codes": [9]}, {"labels": [1, 2]}):
        with pytest.raises(ValueError, match=told):
            value(name, Ratings.from_array(GRADES), **options)


ODD = [[1, 2, 1], [9, 10, 10], [10, "x", "x"], [5, 5, "?"], [7, 7, 7], [3, 3, 3]]
ODD_STRINGS = [[str(rating) for rating in row] for row in ODD]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "given",
    [
        ODD,
        ODD_STRINGS,
        np.array(ODD),
        np.array(ODD, object),
        pd.DataFrame(ODD),
        pd.DataFrame(ODD_STRINGS),
    ],
    ids=["rows", "strings", "array", "objects", "pandas", "strings of pandas"],
)
def test_strings_among_numbers_are_counted_and_named(name: str, given: Any) -> None:
    with pytest.raises(ValueError, match="contains numbers and also") as caught:
        value(name, given)
    # A data frame has its own names.
    rater = "1" if isinstance(given, pd.DataFrame) else "rater 2"
    assert re.fullmatch(
        rf"{rater} contains numbers and also '.*: write numbers as digits, pass missing_codes="
        " for codes of missing ratings, or pass labels= if the strings are labels.",
        str(caught.value),
    )
    # One of the two codes is not enough.
    with pytest.raises(ValueError, match=r"and also 'x' \(\d times?\): write"):
        value(name, given, missing_codes=["?"])


def test_strings_among_numbers_that_are_labels() -> None:
    order = ["1", "2", "3", "5", "7", "9", "10", "x", "?"]
    codes = {label: i for i, label in enumerate(order)}
    numbers = [[codes[rating] for rating in row] for row in ODD_STRINGS]
    expected = fleiss_kappa(numbers, weights="linear").value
    assert fleiss_kappa(ODD_STRINGS, weights="linear", labels=order).value == expected
    # The first rater's column contains only numbers.
    for given in (ODD, pd.DataFrame(ODD), np.array(ODD, object)):
        assert fleiss_kappa(given, weights="linear", labels=order).value == expected
    with pytest.raises(ValueError, match="rater 1 contains '9', which is not one of the labels"):
        fleiss_kappa(ODD, labels=["1", "x"])
    declared = pd.DataFrame(ODD_STRINGS).astype(pd.CategoricalDtype(order, ordered=True))
    assert fleiss_kappa(declared, weights="linear").value == expected
    # If most are not numbers, they are labels.
    assert fleiss_kappa([["0", "1+"], ["2+", "2+"], ["1+", "1+"]]).value > 0


def silent(function: Any, ratings: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(ratings)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore:each step:fastkappa.exceptions.LabelOrderWarning")
def test_a_table_of_counts_is_named(name: str) -> None:
    """WORKED_COUNTS is Fleiss' table of 14 raters and 10 subjects: 0.20993 by his method."""
    for table in (
        WORKED_COUNTS,
        np.array(WORKED_COUNTS),
        pd.DataFrame(WORKED_COUNTS),
        np.array(WORKED_COUNTS, float),
    ):
        with pytest.warns(UserWarning, match="as in a table of counts") as caught:
            value(name, table)
        assert (
            "every row of ratings has the same sum and some entries are 0, as in a table of counts,"
            " but each column was read as a rater. If the entries count the raters who gave each"
            " label, use Ratings.from_counts(ratings). If not, use Ratings.from_array(ratings)."
        ) in [str(warning.message) for warning in caught]
        silent(fleiss_kappa, Ratings.from_counts(table))


@pytest.mark.parametrize(
    "ratings",
    [
        [[3, 0], [2, 1]],  # two rows
        [[1, 2], [2, 1], [1, 2]],  # no 0
        [[0, 1, 1], [1, 0, 1], [1, 1, 0]],  # none above 1
        [[0, 1], [1, 0], [1, 0]],
        [[3, 0], [2, 1], [0, 4]],  # different sums
        [[3, 0], [2, 1], [5, -2]],  # below 0
        [[3, 0, None], [2, 1, None], [1, 2, None]],
        [[0.5, 0], [0, 0.5], [0.25, 0.25]],
        [["3", "0"], ["2", "1"], ["1", "2"]],
        np.array([[3, 0], [2, 1], [1, 2]], "M8[D]"),
    ],
    ids=str,
)
def test_what_is_no_table_of_counts(ratings: Any) -> None:
    silent(fleiss_kappa, ratings)


@pytest.mark.parametrize("make", [np.array, pd.DataFrame, lambda rows: np.array(rows, bool)])
def test_a_column_per_label_is_warned_of(make: Any) -> None:
    rows = np.eye(4, dtype=int)[[0, 1, 2, 3, 1, 1] * 2]
    for call in (fleiss_kappa, light_kappa):
        with pytest.warns(
            UserWarning, match="has exactly one 1, as if there were one column per la"
        ):
            call(make(rows))
    # Two raters who disagree, few subjects, and raters who see nothing in one subject.
    silent(fleiss_kappa, make(rows[:9]))
    silent(fleiss_kappa, make([*rows, [0, 0, 0, 0]]))


def test_the_smallest_table_of_counts() -> None:
    table = [[3, 0], [2, 1], [1, 2]]
    with pytest.warns(UserWarning, match="as in a table of counts"):
        fleiss_kappa(table)
    silent(lambda ratings: fleiss_kappa(ratings, labels=range(4)), table)
    silent(fleiss_kappa, [[i // 3 % 3, i % 3, i % 2] for i in range(70000)])
    long = np.tile([[2, 0], [1, 1]], (40000, 1))
    with pytest.warns(UserWarning, match="as in a table of counts"):
        fleiss_kappa(long)
    long[-1] = 1, 2
    silent(fleiss_kappa, long)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_raters_in_rows_are_named(name: str) -> None:
    """In the form that the package krippendorff expects."""
    transposed = [[1 + (j + (j % 6 == i)) % 4 for j in range(12)] for i in range(6)]
    for rows in (transposed, np.array(transposed, float), pd.DataFrame(transposed)):
        with pytest.warns(UserWarning, match="rows, read as subjects") as caught:
            getattr(fastkappa, name)(rows, **FUNCTIONS[name])
        assert str(caught[0].message) == (
            "ratings have 6 rows, read as subjects, and 12 columns, read as raters, but ratings"
            " agree within columns and not within rows. If ratings have one row per rater,"
            " transpose them, as with ratings.T. If not, use Ratings.from_array(ratings)."
        )
        assert caught[0].filename == __file__


def test_raters_in_columns() -> None:
    silent(krippendorff_alpha, RELIABILITY_DATA)
    expected = krippendorff_alpha(RELIABILITY_DATA).value
    raters = [list(rater) for rater in zip(*RELIABILITY_DATA)]
    assert krippendorff_alpha(Ratings.from_raters(raters)).value == expected
    with pytest.warns(UserWarning, match="4 rows, read as subjects, and 12 columns"):
        krippendorff_alpha(raters)
    silent(krippendorff_alpha, Ratings.from_array(raters))
    silent(fleiss_kappa, DIAGNOSES)
    # Seven columns are raters, and so are columns that agree only by chance.
    silent(fleiss_kappa, np.tile(np.arange(7) % 3 + 1, (5, 1)))
    rng = np.random.default_rng(0)
    silent(fleiss_kappa, rng.integers(1, 4, (5, 9)))
    silent(fleiss_kappa, rng.integers(1, 4, (11, 20)))


@pytest.mark.parametrize("shape", [(14, 60), (30, 10), (4, 8)])
def test_ratings_that_agree_in_only_one_direction(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    true = np.arange(shape[0]) % 4
    columns = np.where(rng.random(shape) < 0.7, true[:, None], rng.integers(0, 4, shape))
    words = np.array(["calm", "tense", "bold", "shy"])[columns]
    lengths = rng.normal(size=(shape[0], 1)) + rng.normal(scale=0.3, size=shape)
    gaps = columns.astype(float)
    gaps[rng.random(shape) < 0.1] = np.nan
    calls = [(fleiss_kappa, words), (krippendorff_alpha, gaps), (gwet_ac1, pd.DataFrame(words))]
    interval = functools.partial(krippendorff_alpha, level="interval")
    for call, ratings in [*calls, (interval, lengths)]:
        silent(call, ratings)
        if shape[0] >= 8:
            with pytest.warns(UserWarning, match="agree within columns and not within rows"):
                call(ratings.T)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_data_frame_is_no_list_of_raters(frame: Any) -> None:
    with pytest.raises(
        ValueError,
        match=r"raters must be a list or a dict of columns, got a data frame:"
        r" use Ratings\.from_array, with frame\.T if each rater has a row\.",
    ):
        Ratings.from_raters(frame({"Ann": [1, 2], "Ben": [1, 2]}))


@pytest.mark.parametrize(
    "ids", [range(30), [f"s{i}" for i in range(30)]], ids=["numbers", "strings"]
)
def test_a_column_of_ids_is_warned_of(ids: Any) -> None:
    generator = np.random.default_rng(0)
    grades = generator.choice(list("abc") if isinstance(ids, list) else [1, 2, 3], (30, 3))
    frame = pd.DataFrame(grades, columns=["Ann", "Ben", "Cat"])
    with_ids = frame.assign(subject=ids)
    with pytest.warns(UserWarning, match="^subject has a different value in each of the 30 rows"):
        fleiss_kappa(with_ids)
    # There is no warning about raters, distinct ratings, or data declared to be ratings.
    fleiss_kappa(frame)
    fleiss_kappa(Ratings.from_array(with_ids))
    fleiss_kappa(with_ids[:9])
    krippendorff_alpha(generator.permuted(np.tile(np.arange(30), (3, 1)), axis=1).T)


def test_columns_of_counts_that_are_no_labels() -> None:
    counts = pd.DataFrame([[3, 0], [1, 2], [2, 1], [0, 3]] * 4, columns=["no", "yes"])
    expected = fleiss_kappa(Ratings.from_counts(counts)).value
    assert expected == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="column 'All' contains the sums of the other columns"):
        Ratings.from_counts(counts.assign(All=3))
    with_sums = pd.concat([counts, counts.sum().to_frame("All").T])
    with pytest.raises(ValueError, match="row 'All' contains the sums of the other rows"):
        Ratings.from_counts(with_sums)
    with pytest.warns(UserWarning, match="^column 'subject' of counts has a different number in"):
        Ratings.from_counts(counts.rename_axis("subject").reset_index())
    # A label can have such a name.
    assert (
        fleiss_kappa(Ratings.from_counts(counts.set_axis(["some", "all"], axis=1))).value
        == expected
    )


@pytest.mark.parametrize("number", [int, str])
def test_counts_in_columns_out_of_order(number: Any) -> None:
    generator = np.random.default_rng(0)
    truth = generator.integers(0, 3, (30, 1))
    ratings = np.where(generator.random((30, 4)) < 0.4, generator.integers(0, 3, (30, 4)), truth)
    counts = pd.DataFrame({number(j): (ratings == j).sum(axis=1) for j in (2, 0, 1)})
    expected = fleiss_kappa(ratings, weights="quadratic").value
    for given in (counts, pl.from_pandas(counts.rename(columns=str))):
        for labels in (None, [0, 1, 2]):
            found = fleiss_kappa(Ratings.from_counts(given, labels=labels), weights="quadratic")
            assert found.value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "name", [n for n in FUNCTIONS if n not in ("gwet_ac2", "krippendorff_alpha")]
)
def test_measurements_are_no_labels(name: str) -> None:
    generator = np.random.default_rng(0)
    lengths = 50 + 5 * generator.normal(size=(30, 1)) + 0.5 * generator.normal(size=(30, 3))
    with pytest.warns(
        UserWarning, match="90 different numbers for 30 subjects, and some are not whole"
    ):
        value(name, lengths)
    # Half points are labels.
    silent(getattr(fastkappa, name), np.round(lengths / 5) / 2)
    assert krippendorff_alpha(lengths, level="interval").value > 0.95
    with pytest.warns(UserWarning, match="was read as a separate label"):
        krippendorff_alpha(lengths)


@pytest.mark.parametrize("table", [[[20, 5], [10, 15]], [[20, 5, 1], [10, 15, 2], [0, 2, 9]]])
@pytest.mark.parametrize("make", [list, np.array, pd.DataFrame])
def test_a_table_of_two_raters_is_warned_of(table: Any, make: Any) -> None:
    given = make(table)
    for call in (fleiss_kappa, light_kappa, pairwise_kappa):
        with pytest.warns(
            UserWarning, match=r"If the entries count .* use Ratings\.from_table\(ratings\)"
        ):
            call(given)
    for silent in (Ratings.from_array(given), Ratings.from_table(given)):
        fleiss_kappa(silent)


@pytest.mark.parametrize(
    "ratings",
    [
        [[1, 2], [2, 1]],
        [[3, 3, 4], [1, 1, 2], [5, 5, 5]],
        [[90, 90, 80], [70, 70, 70], [60, 50, 60]],
        [[90, 80, 85], [70, 95, 60], [65, 50, 75]],
    ],
)
def test_ratings_of_as_many_subjects_as_raters_are_silent(ratings: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fleiss_kappa(ratings)


def test_measurements_of_as_many_subjects_as_raters_are_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        krippendorff_alpha([[10, 11, 12], [20, 21, 23], [30, 33, 31]], level="interval")


@pytest.mark.parametrize("level", ["ordinal", "interval", "ratio"])
def test_row_numbers_beside_measurements_are_warned_of(level: str) -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(50, 10, 30)
    one, two = ((truth + rng.normal(0, 3, 30)).round(1) for _ in "ab")
    frame = pd.DataFrame({"subject": range(1, 31), "r1": one, "r2": two})
    for ratings, name in ((frame, "subject"), (frame.to_numpy(), "rater 1")):
        with pytest.warns(UserWarning, match=f"{name} numbers the rows, but was read as a rater"):
            krippendorff_alpha(ratings, level=level)
    # A reference that increases in equal steps agrees with the raters.
    steps = pd.DataFrame({"reference": range(1, 31), "r1": np.arange(1, 31) + rng.normal(0, 1, 30)})
    for ratings in (steps, frame.drop(columns="subject")):
        silent(lambda given: krippendorff_alpha(given, level=level), ratings)
