"""The order of labels: declared by a column, given, or derived from the labels."""

from __future__ import annotations

import datetime
import enum
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fastkappa
from fastkappa import confusion_counts
from fastkappa.exceptions import LabelOrderWarning
from fastkappa.ratings.column import read_column
from fastkappa.ratings.doubtful_labels import odd_strings
from fastkappa.ratings.label_order import is_alphabetical, sorted_strings, warn_of_order
from fastkappa.ratings.missing import find_missing
from fastkappa.ratings.read import judge_labels
from tests.helpers.absent import library

pl = library("polars")
metrics = library("sklearn.metrics")

GRADES = ["none", "mild", "moderate", "severe"]
FIRST = ["none", "mild", "severe", "mild"]
SECOND = ["mild", "mild", "severe", "none"]
# Rows are FIRST's grades, columns SECOND's, in the order of GRADES: counted by hand.
TABLE = [[0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
OUTSIDE = (
    "y2 contains 'awful', which is not among the declared labels:"
    " none < mild < moderate < severe. Pass labels= to use other labels."
)


class Grade(enum.Enum):
    # Neither the names nor the values are sorted.
    none = "z"
    mild = "a"
    moderate = "y"
    severe = "b"


class Whole(enum.IntEnum):
    none = 7
    mild = 1
    moderate = 5
    severe = 2
    worst = 2  # Another name for severe.


class Text(str, enum.Enum):  # noqa: UP042 - as many programs have it
    none = "z"
    mild = "a"
    moderate = "y"
    severe = "b"

    __str__ = str.__str__


def dictionary(ratings: list[str], grades: list[str]) -> Any:
    codes = pa.array([grades.index(rating) for rating in ratings], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(grades), ordered=True)


def chunks(ratings: list[str], grades: list[str]) -> Any:
    return pa.chunked_array([dictionary(ratings[:1], grades), dictionary(ratings[1:], grades)])


def categorical(ratings: list[str], grades: list[str]) -> Any:
    return pd.Categorical(ratings, categories=grades, ordered=True)


DECLARED: dict[str, Callable[[list[str], list[str]], Any]] = {
    "pandas categorical": categorical,
    "pandas Series": lambda ratings, grades: pd.Series(categorical(ratings, grades)),
    "polars Enum": lambda ratings, grades: pl.Series(ratings, dtype=pl.Enum(grades)),
    "Arrow dictionary": dictionary,
    "Arrow chunks": chunks,
}


def of_members(kind: Any) -> dict[str, Callable[[list[str]], Any]]:
    return {
        "list": lambda ratings: [kind[rating] for rating in ratings],
        "tuple": lambda ratings: tuple(kind[rating] for rating in ratings),
        "objects": lambda ratings: np.array([kind[rating] for rating in ratings], object),
        "column": lambda ratings: np.array([[kind[rating]] for rating in ratings], object),
        "Series": lambda ratings: pd.Series([kind[rating] for rating in ratings], dtype=object),
        "categorical": lambda ratings: pd.Categorical([kind[rating] for rating in ratings]),
    }


MEMBERS = {
    f"{kind.__name__}, {form}": make
    for kind in (Grade, Whole, Text)
    for form, make in of_members(kind).items()
    # pandas uses the values of members that are numbers or strings.
    if form != "categorical"
}


@pytest.mark.parametrize("form", DECLARED)
def test_a_declared_order_is_the_order(form: str, backend: str) -> None:
    make = DECLARED[form]
    counts = confusion_counts(make(FIRST, GRADES), make(SECOND, GRADES), backend=backend)
    assert counts.labels.tolist() == GRADES
    assert counts.table.tolist() == TABLE
    assert counts.n_outside == 0


@pytest.mark.parametrize("form", DECLARED)
def test_one_column_declares_for_both(form: str, backend: str) -> None:
    make = DECLARED[form]
    for first, second in ((make(FIRST, GRADES), SECOND), (FIRST, make(SECOND, GRADES))):
        counts = confusion_counts(first, second, backend=backend)
        assert (counts.labels.tolist(), counts.table.tolist()) == (GRADES, TABLE)


@pytest.mark.parametrize("form", DECLARED)
def test_item_weights_on_a_declared_order(form: str, backend: str) -> None:
    make = DECLARED[form]
    columns = make(FIRST, GRADES), make(SECOND, GRADES)
    counts = confusion_counts(*columns, sample_weight=[1, 2, 3, 4], backend=backend)
    assert counts.labels.tolist() == GRADES
    assert counts.table.tolist() == [[0, 1, 0, 0], [4, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 3]]


@pytest.mark.parametrize("form", DECLARED)
def test_different_orders_are_an_error_that_shows_both(form: str) -> None:
    make = DECLARED[form]
    columns = make(FIRST, GRADES), make(SECOND, GRADES[::-1])
    with pytest.raises(ValueError, match="in different orders") as caught:
        confusion_counts(*columns)
    assert str(caught.value) == (
        "y1 and y2 declare their labels in different orders: none < mild < moderate < severe and"
        " severe < moderate < mild < none. Give both the same categories, or pass labels=."
    )
    assert confusion_counts(*columns, labels=GRADES).table.tolist() == TABLE


@pytest.mark.parametrize("form", DECLARED)
def test_a_rating_outside_the_declared_labels(form: str, backend: str) -> None:
    make = DECLARED[form]
    with pytest.raises(ValueError, match="contains 'awful'") as caught:
        confusion_counts(make(FIRST, GRADES), ["mild", "awful", "severe", "none"], backend=backend)
    assert str(caught.value) == OUTSIDE
    counts = confusion_counts(
        make(FIRST, GRADES), ["mild", "awful", "severe", "none"], labels=GRADES, backend=backend
    )
    assert counts.n_outside == 1


@pytest.mark.parametrize("form", MEMBERS)
def test_members_of_an_enum(form: str, backend: str) -> None:
    make = MEMBERS[form]
    counts = confusion_counts(make(FIRST), make(SECOND), backend=backend)
    assert (counts.labels.tolist(), counts.table.tolist()) == (GRADES, TABLE)


@pytest.mark.parametrize("labels", [Grade, list(Grade), GRADES])
def test_labels_that_are_members_or_their_names(labels: Any) -> None:
    make = of_members(Grade)["list"]
    counts = confusion_counts(make(FIRST), make(SECOND), labels=labels)
    assert (counts.labels.tolist(), counts.table.tolist()) == (GRADES, TABLE)
    some = confusion_counts(make(FIRST), make(SECOND), labels=[Grade.severe, Grade.mild])
    assert some.labels.tolist() == ["severe", "mild"]
    assert some.table.tolist() == [[1, 0], [0, 1]]
    assert some.n_outside == 2


def test_members_beside_their_values() -> None:
    members = [Whole[rating] for rating in FIRST]
    values = [Whole[rating].value for rating in SECOND]
    assert confusion_counts(members, values).table.tolist() == TABLE
    assert confusion_counts(members, [*values[:3], Whole.worst]).table[1].tolist() == [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"^y2 contains 3, which is not among the declared labels"):
        confusion_counts(members, [*values[:3], 3])


def test_enums_of_other_names() -> None:
    class Reversed(enum.IntEnum):
        none = 2
        mild = 1

    class Ahead(enum.IntEnum):
        mild = 2
        none = 1

    with pytest.raises(ValueError, match="in different orders") as caught:
        confusion_counts([Reversed.none, Reversed.mild], [Ahead.none, Ahead.mild])
    assert "none (2) < mild (1) and mild (2) < none (1)" in str(caught.value)


class Flag(enum.Flag):
    a = 1
    b = 2


class Mixed(enum.Enum):
    a = 1
    b = "b"


class Pairs(enum.Enum):
    a = (1, 2)
    b = (3, 4)


class WithNone(enum.Enum):
    a = "a"
    unknown = None


NUMBERS_OR_STRINGS = (
    "must contain members of an enum whose values are all numbers or all strings, got"
)


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ([Grade.mild, None], "y1 has 1 missing value in 2 items"),
        ([None, Grade.mild], "y1 has 1 missing value in 2 items"),
        ([Grade.mild, float("nan")], "y1 has 1 missing value in 2 items"),
        (
            [Grade.mild, Text.mild],
            "y1 must contain members of one enum, got <Grade.mild: 'a'> and <Text.mild: 'a'>.",
        ),
        ([Whole.mild, 1], "y1 must contain members of one enum, got <Whole.mild: 1> and 1."),
        (
            [Flag.a, Flag.a | Flag.b],
            f"y1 must contain only members that Flag defines, got {Flag.a | Flag.b!r}.",
        ),
        ([Mixed.a, Mixed.a], f"y1 {NUMBERS_OR_STRINGS} Mixed, whose values are [1, 'b']."),
        ([Pairs.a, Pairs.a], f"y1 {NUMBERS_OR_STRINGS} Pairs, whose values are [(1, 2), (3, 4)]."),
        (
            [WithNone.a, WithNone.a],
            f"y1 {NUMBERS_OR_STRINGS} WithNone, whose values are ['a', None].",
        ),
    ],
)
def test_members_that_are_no_labels(ratings: list[Any], message: str) -> None:
    for made in (ratings, np.array(ratings, object)):
        with pytest.raises(ValueError, match=r"^y1") as caught:
            confusion_counts(made, [Grade.mild, Grade.mild])
        assert str(caught.value).startswith(message)


def test_a_missing_member_is_dropped_and_counted() -> None:
    first = [None, Grade.mild, Grade.severe, Grade.none]
    second = [Grade.mild, Grade.mild, None, Grade.mild]
    result = fastkappa.agreement(first, second, missing="drop")
    assert result.labels.tolist() == GRADES
    assert result.n == 2


DATES = [datetime.datetime(2020, month, 1) for month in (3, 1, 2)]


@pytest.mark.parametrize(
    ("labels", "first", "second", "outside"),
    [
        ([3, 2, 1, 0], [1, 2, 3], [1, 2, 2], 9),
        ([3.0, 2.0, 1.0, 0.0], [1.0, 2.0, 3.0], [1.0, 2.0, 2.0], 9.0),
        ([True, False], [True, False, True], [True, True, True], None),
        (DATES, DATES, [DATES[0], DATES[0], DATES[2]], datetime.datetime(2021, 1, 1)),
    ],
)
def test_ordered_categoricals_of_numbers_and_dates(
    labels: list[Any], first: list[Any], second: list[Any], outside: Any, backend: str
) -> None:
    expected = np.zeros((len(labels), len(labels)), int)
    for a, b in zip(first, second):
        expected[labels.index(a), labels.index(b)] += 1
    declares = pd.Categorical(first, categories=labels, ordered=True)
    others = (pd.Categorical(second, categories=labels, ordered=True), pd.Series(second).to_numpy())
    for other in others:
        counts = confusion_counts(declares, other, backend=backend)
        assert counts.labels.tolist() == np.array(labels).astype(counts.labels.dtype).tolist()
        assert counts.table.tolist() == expected.tolist()
    if outside is not None:
        with pytest.raises(ValueError, match=r"^y2 contains .*9|2021") as caught:
            confusion_counts(declares, pd.Series([outside] * 3).to_numpy(), backend=backend)
        assert "which is not among the declared labels" in str(caught.value)


# In arrays of objects, scikit-learn does not find members that are strings: kappa is NaN.
@pytest.mark.parametrize(
    "form", [*DECLARED, *(form for form in MEMBERS if not re.match("Text, [^lt]", form))]
)
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("labels", [None, GRADES])
def test_the_drop_in_does_as_scikit_learn_does(
    form: str, weights: Any, labels: Any, drop_in_backend: str
) -> None:
    if form in DECLARED:
        columns = DECLARED[form](FIRST, GRADES), DECLARED[form](SECOND, GRADES)
    else:
        columns = MEMBERS[form](FIRST), MEMBERS[form](SECOND)
    outcomes = []
    for module in (metrics, fastkappa):
        with warnings.catch_warnings(record=True) as record:
            warnings.simplefilter("always")
            try:
                kappa = module.cohen_kappa_score(*columns, labels=labels, weights=weights)
                result = f"{kappa:.12f}"
            except (TypeError, ValueError) as error:
                result = str(error)
        outcomes.append([result, *(str(warning.message) for warning in record)])
    assert outcomes[0] == outcomes[1]


def test_strings_of_numbers_sort_as_numbers(backend: str) -> None:
    first, second = ["9", "10", "1", "10"], ["10", "10", "1", "9"]
    counts = confusion_counts(first, second, backend=backend)
    assert counts.labels.tolist() == ["1", "9", "10"]
    assert counts.table.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 1]]
    # The drop-in function sorts them as strings: 1, 10, 9.
    table = fastkappa.confusion_matrix(first, second)
    assert table.tolist() == [[1, 0, 0], [0, 1, 1], [0, 1, 0]]
    assert table.tolist() == metrics.confusion_matrix(first, second).tolist()
    assert sorted_strings(["-1", "2.5", "1e1", "+3"]) == ["-1", "2.5", "+3", "1e1"]
    assert sorted_strings(["10", "9", "nan"]) == ["10", "9", "nan"]


def test_the_warning_names_the_order_and_the_remedy() -> None:
    labels = np.array(sorted(GRADES))
    with pytest.warns(LabelOrderWarning) as record:
        warn_of_order(labels, "weights='quadratic'", 1)
    assert str(record[0].message) == (
        "weights='quadratic' depends on the order of the labels, which was assumed to be"
        " alphabetical: mild < moderate < none < severe. Pass labels= in the intended order"
        ", or ratings that declare it, such as an ordered categorical."
    )
    assert record[0].filename == __file__


@pytest.mark.parametrize(
    ("labels", "code"),
    [([0, 1, 2, 3, 4, 6], 6), ([-3, 0, 1, 2], -3), (["1", "2", "3", "8"], 8), ([1, 2, 4, 5], None)],
)
def test_a_number_beside_the_scale_can_be_a_code(labels: list[Any], code: int | None) -> None:
    with pytest.warns(LabelOrderWarning, match="are not equally spaced") as record:
        warn_of_order(np.array(labels), "weights='quadratic'", 1)
    end = "" if code is None else f", or missing_codes= if {code} stands for a missing rating"
    assert str(record[0].message).endswith(f" scale, or a matrix of weights{end}.")


@pytest.mark.parametrize(
    "labels",
    [np.array(["no", "yes"]), np.array(["8", "9", "10"]), np.arange(5), np.array([0.0, 1.0, 2.0])],
)
def test_nothing_to_warn_of(labels: Any) -> None:
    warn_of_order(labels, "weights='quadratic'", 1)  # A warning would be an error here.


def test_is_alphabetical() -> None:
    assert is_alphabetical(np.array(["a", "b"]))
    assert is_alphabetical(np.array(["1", "b"], object))
    assert not is_alphabetical(np.array(["1", "2"], object))
    assert not is_alphabetical(np.array([], "U1"))
    assert not is_alphabetical(np.array([1, 2]))


def test_a_long_order_is_cut() -> None:
    with pytest.warns(LabelOrderWarning, match=r" a0 < a1 < .* < a26 < \.\.\.\. Pass"):
        warn_of_order(np.array(sorted(f"a{i}" for i in range(40))), "level='ordinal'", 1)


@pytest.mark.parametrize(
    ("ratings", "found"),
    [
        (["1", "2", "x", "3", "x", "4", "5"], {"x": 2}),
        (["1", "2", "", ".", "3", "4", "5"], {"": 1, ".": 1}),
        (["x", "y", "1"], {}),  # Most are not numbers.
        (["x", "y"], {}),
        (["1", "2"], {}),
        ([1, 2, 3], {}),
    ],
)
def test_strings_among_numbers(ratings: list[Any], found: dict[str, int]) -> None:
    column = read_column(ratings, "y1")
    assert odd_strings(column) == found
    columns = {"y1": column, "y2": column}
    if not found:
        assert judge_labels(columns) == (None, False)
        return
    shown = ", ".join(f"{k!r} ({n} time{'s' if n > 1 else ''})" for k, n in found.items())
    with pytest.raises(ValueError, match="contains numbers and also") as caught:
        judge_labels(columns)
    assert str(caught.value) == (
        f"y1 contains numbers and also {shown}: write numbers as digits, pass"
        " missing_codes= for codes of missing ratings, or pass labels= if the strings are labels."
    )
    assert judge_labels(columns, ["1", "2"]) == (["1", "2"], False)


def test_unused_categories_are_not_odd_strings() -> None:
    column = read_column(pd.Categorical(["1", "2"], categories=["1", "x", "2"]), "y1")
    assert odd_strings(column) == {}


@pytest.mark.parametrize(
    ("ratings", "codes", "missing"),
    [
        ([1, -9, 2, None], [-9], [False, True, False, True]),
        (["a", ".", "NA"], [".", "NA"], [False, True, True]),
        (("a", ".", "b"), ["."], [False, True, False]),
        (np.array([1, -9, 99]), [-9, 99, "NA"], [False, True, True]),
        (np.array([1.0, -9.0, np.nan]), [-9], [False, True, True]),
        (np.array(["a", "."]), ["."], [False, True]),
        (np.array(["a", -9, None], object), [-9], [False, True, True]),
        (np.array([[1], [-9]]), [-9], [False, True]),
        (np.ma.array([1, -9, 3], mask=[True, False, False]), [-9], [True, True, False]),
        (pd.Series(["a", ".", None]), ["."], [False, True, True]),
        (pd.Series([1, -9, None], dtype="Int64"), [-9], [False, True, True]),
        (pd.Series(["a", "."], dtype="category"), ["."], [False, True]),
        (pl.Series(["a", ".", None]), ["."], [False, True, True]),
        (pl.Series([1, -9, None]), [-9], [False, True, True]),
        (pa.array(["a", ".", None]), ["."], [False, True, True]),
        (pa.array([1, -9]), [-9], [False, True]),
        ([Grade.mild, Grade.none], [Grade.none], [False, True]),
    ],
)
def test_codes_that_stand_for_a_missing_rating(
    ratings: Any, codes: list[Any], missing: list[bool]
) -> None:
    found = find_missing(ratings, codes)
    assert found is not None
    assert found.tolist() == missing


@pytest.mark.parametrize("ratings", [[1, 2], np.array([1, 2]), ["a", "b"], pl.Series([1, 2])])
def test_no_code_occurs(ratings: Any) -> None:
    assert find_missing(ratings, [-9, "."]) is None
    assert find_missing(ratings, []) is None
