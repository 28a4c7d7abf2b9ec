"""The order of labels: declared by the ratings, given, or alphabetical with a warning."""

from __future__ import annotations

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
from fastkappa import (
    agreement,
    agreement_by,
    agreement_from_confusion,
    compare_predictions,
    confusion_counts,
)
from fastkappa.exceptions import LabelOrderWarning
from fastkappa.plotting import plot_agreement, plot_confusion
from tests.helpers.absent import library
from tests.helpers.exact_kappa import exact_kappa

pl = library("polars")

GRADES = ["none", "mild", "moderate", "severe"]
ALPHABETICAL = ["mild", "moderate", "none", "severe"]
# 200 items; quadratic kappa is 0.806 in the order of the grades, and 0.356 alphabetically.
TABLE = np.array([[48, 13, 0, 0], [18, 28, 5, 2], [0, 8, 27, 10], [0, 4, 16, 21]])
PLACES = [GRADES.index(grade) for grade in ALPHABETICAL]
ORDERED = float(exact_kappa(TABLE, "quadratic") or 0)
UNORDERED = float(exact_kappa(TABLE[np.ix_(PLACES, PLACES)], "quadratic") or 0)

Grade = enum.Enum("Grade", [("NONE", 0), ("MILD", 1), ("MODERATE", 2), ("SEVERE", 5)])
Word = enum.Enum("Word", [(grade.upper(), grade) for grade in GRADES])
CODES = [np.repeat(codes.ravel(), TABLE.ravel()).tolist() for codes in np.indices((4, 4))]
STRINGS = [[GRADES[code] for code in codes] for codes in CODES]


def of_dictionary(strings: list[str]) -> Any:
    codes = pa.array([GRADES.index(string) for string in strings], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(GRADES), ordered=True)


FORMS: dict[str, Callable[[list[str]], Any]] = {
    "categorical": lambda s: pd.Categorical(s, GRADES, ordered=True),
    "series": lambda s: pd.Series(pd.Categorical(s, GRADES, ordered=True)),
    "frame of one column": lambda s: pd.DataFrame({"y": pd.Categorical(s, GRADES, ordered=True)}),
    "polars": lambda s: pl.Series(s, dtype=pl.Enum(GRADES)),
    "polars frame": lambda s: pl.DataFrame({"y": pl.Series(s, dtype=pl.Enum(GRADES))}),
    "pyarrow": of_dictionary,
    "chunks": lambda s: pa.chunked_array([of_dictionary(s[:70]), of_dictionary(s[70:])]),
    "pyarrow table": lambda s: pa.table({"y": of_dictionary(s)}),
    "enum of numbers": lambda s: [list(Grade)[GRADES.index(string)] for string in s],
    "enum of strings": lambda s: [Word(string) for string in s],
    "series of an enum": lambda s: pd.Series([Word(string) for string in s]),
}

QUADRATIC: dict[str, Callable[..., Any]] = {
    "agreement": lambda y1, y2, **o: agreement(y1, y2, weights="quadratic", **o).kappa,
    "agreement_by": lambda y1, y2, **o: (
        agreement_by(y1, y2, groups=[0] * len(y1), weights="quadratic", **o)[0].kappa
    ),
    "compare_predictions": lambda y1, y2, **o: compare_predictions(
        y2, y1, y_true=y1, weights="quadratic", **o
    ).kappas[0],
}
each_function = pytest.mark.parametrize("name", QUADRATIC)


def test_the_example_is_that_of_200_items() -> None:
    assert TABLE.sum() == 200
    assert (round(ORDERED, 3), round(UNORDERED, 3)) == (0.806, 0.356)


@each_function
@pytest.mark.parametrize("form", FORMS)
def test_a_declared_order_is_the_order(name: str, form: str) -> None:
    columns = [FORMS[form](strings) for strings in STRINGS]
    assert QUADRATIC[name](*columns) == pytest.approx(ORDERED, abs=1e-14)
    # An order declared by one column also applies to the other.
    if not form.startswith(("enum of numbers", "series of")):
        assert QUADRATIC[name](columns[0], STRINGS[1]) == pytest.approx(ORDERED, abs=1e-14)
        assert QUADRATIC[name](STRINGS[0], columns[1]) == pytest.approx(ORDERED, abs=1e-14)


@each_function
@pytest.mark.parametrize("form", ["series", "polars"])
def test_labels_that_are_given_are_the_order(name: str, form: str) -> None:
    assert QUADRATIC[name](*STRINGS, labels=GRADES) == pytest.approx(ORDERED, abs=1e-14)
    declared = [FORMS[form](strings) for strings in STRINGS]
    found = QUADRATIC[name](*declared, labels=ALPHABETICAL)
    assert found == pytest.approx(UNORDERED, abs=1e-14)


@each_function
def test_an_alphabetical_order_is_warned_of(name: str) -> None:
    message = (
        "weights='quadratic' depends on the order of the labels, which was assumed to be"
        " alphabetical: mild < moderate < none < severe. Pass labels= in the intended order"
        ", or ratings that declare it, such as an ordered categorical."
    )
    for columns in (STRINGS, [pd.Categorical(strings) for strings in STRINGS]):
        with pytest.warns(LabelOrderWarning, match=f"^{re.escape(message)}$") as told:
            assert QUADRATIC[name](*columns) == pytest.approx(UNORDERED, abs=1e-14)
        assert (len(told), told[0].filename) == (1, __file__)


def test_a_matrix_of_weights_is_warned_of() -> None:
    places = np.arange(4)
    matrix = (places[:, None] - places) ** 2
    with pytest.warns(LabelOrderWarning, match="^a matrix of weights depends on the order"):
        assert agreement(*STRINGS, weights=matrix).kappa == pytest.approx(UNORDERED, abs=1e-14)


def test_what_needs_no_order_is_silent() -> None:
    kappa = float(exact_kappa(TABLE, None) or 0)
    assert agreement(*STRINGS).kappa == pytest.approx(kappa, abs=1e-14)
    assert agreement_by(*STRINGS, groups=[0] * 200).pooled.kappa == pytest.approx(kappa, abs=1e-14)
    assert compare_predictions(STRINGS[1], STRINGS[0], y_true=STRINGS[0]).kappas[
        0
    ] == pytest.approx(kappa, abs=1e-14)
    two = [["yes" if code else "no" for code in codes] for codes in CODES]
    agreement(*two, weights="quadratic")  # Two labels have the same distance in either order.


@each_function
def test_strings_that_are_numbers_are_in_the_order_of_numbers(name: str) -> None:
    numbers = [[["8", "9", "10", "11"][code] for code in codes] for codes in CODES]
    assert QUADRATIC[name](*numbers) == pytest.approx(ORDERED, abs=1e-14)


@each_function
def test_two_orders_are_refused(name: str) -> None:
    other = pd.Categorical(STRINGS[1], GRADES[::-1], ordered=True)
    with pytest.raises(
        ValueError,
        match=r"y(1|_true) and (y2|first) declare their labels in different orders: none < mild <"
        r" moderate < severe and severe < moderate < mild < none\. Give both the same"
        r" categories, or pass labels=\.",
    ):
        QUADRATIC[name](FORMS["categorical"](STRINGS[0]), other)
    found = QUADRATIC[name](FORMS["categorical"](STRINGS[0]), other, labels=GRADES)
    assert found == pytest.approx(ORDERED, abs=1e-14)


@each_function
@pytest.mark.parametrize("form", ["series", "polars"])
def test_a_rating_outside_the_declared_order_is_refused(name: str, form: str) -> None:
    with pytest.raises(
        ValueError,
        match=r"(y2|first) contains 'grave', which is not among the declared labels: none <"
        r" mild < moderate < severe\. Pass labels= to use other labels\.",
    ):
        QUADRATIC[name](FORMS[form](STRINGS[0]), [*STRINGS[1][1:], "grave"])


@pytest.mark.parametrize("form", ["categorical", "polars", "pyarrow", "enum of numbers"])
def test_unused_labels_have_a_position(form: str) -> None:
    """Without 'moderate', 'severe' is still three steps from 'none'."""
    used = [["none", "mild", "severe", "none"], ["none", "severe", "severe", "mild"]]
    table = [[1, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 1]]
    result = agreement(*(FORMS[form](strings) for strings in used), weights="quadratic")
    assert result.table.tolist() == table
    assert result.kappa == pytest.approx(float(exact_kappa(table, "quadratic") or 0), abs=1e-14)


def test_an_enum_is_reported_by_name() -> None:
    columns = [FORMS["enum of numbers"](strings) for strings in STRINGS]
    result = agreement(*columns)
    assert result.labels.tolist() == ["NONE", "MILD", "MODERATE", "SEVERE"]
    assert "kappa of SEVERE" in str(result)
    values = [[member.value for member in column] for column in columns]
    # Values without their own order have the order of the enum.
    assert agreement(columns[0], values[1]).table.tolist() == TABLE.tolist()
    assert agreement_by(*columns, groups=[0] * 200)[0].labels.tolist() == result.labels.tolist()


def test_a_table_of_strings_says_not_whether_its_order_was_meant() -> None:
    crosstab = pd.crosstab(np.array(STRINGS[0]), np.array(STRINGS[1]))
    for table in (confusion_counts(*STRINGS), crosstab):
        with pytest.warns(LabelOrderWarning, match="mild < moderate < none < severe") as told:
            found = agreement_from_confusion(table, weights="quadratic").kappa
        assert found == pytest.approx(UNORDERED, abs=1e-14)
        assert told[0].filename == __file__
        agreement_from_confusion(table, weights="quadratic", labels=ALPHABETICAL)
        agreement_from_confusion(table)


def test_a_table_in_another_order_is_as_it_was_meant() -> None:
    ordered = [FORMS["series"](strings) for strings in STRINGS]
    for table in (confusion_counts(*ordered), pd.crosstab(*ordered), TABLE):
        labels = GRADES if table is TABLE else None
        found = agreement_from_confusion(table, weights="quadratic", labels=labels)
        assert found.kappa == pytest.approx(ORDERED, abs=1e-14)
        assert found.labels.tolist() == GRADES
    letters = [pd.Series(pd.Categorical(list("abcab"), ordered=True))] * 2
    agreement_from_confusion(pd.crosstab(*letters), weights="linear")


@pytest.mark.parametrize("form", ["series", "polars"])
def test_pictures_are_in_the_declared_order(form: str) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    result = agreement(*(FORMS[form](strings) for strings in STRINGS), weights="linear")
    for plot in (plot_agreement, plot_confusion):
        ax = plot(result)
        assert [text.get_text() for text in ax.get_xticklabels()] == GRADES
        plot(TABLE, labels=ALPHABETICAL)  # They are given, so they are intended.
    pyplot.close("all")


@each_function
def test_labels_that_look_alike_are_named(name: str) -> None:
    first = ["mild", "mild ", "severe", "mild", "none"]
    message = (
        r"labels that differ only in how they are written, .*: 'mild' \(\d times\),"
        r" 'mild ' \(\d times?\)\. Write them the same way if they are the same label\."
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        QUADRATIC[name](first, ["mild", "mild", "severe", "none", "none"])
    kinds = [warning.category for warning in told]
    assert kinds == [UserWarning, LabelOrderWarning]
    assert re.search(message, str(told[0].message))
    assert all(warning.filename == __file__ for warning in told)


def test_look_alikes_are_counted_over_both_columns() -> None:
    with pytest.warns(
        UserWarning, match=r"^y1 and y2 have labels .*: 'a' \(4 times\), 'a ' \(2 times\)\. Write"
    ):
        result = agreement(["a", "a", "b", "a"], pd.Categorical(["a", "a ", "b", "a "]))
    assert result.labels.tolist() == ["a", "a ", "b"]
    agreement(["a", "b", "a"], pd.Categorical(["a", "b", "b"], ["a", "a ", "b"]))  # Unused.


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_labels_of_a_table_are_the_order_of_its_columns(frame: Any) -> None:
    table = TABLE[np.ix_(PLACES, PLACES)]
    crosstab = pd.DataFrame(table, index=ALPHABETICAL, columns=ALPHABETICAL)
    given = crosstab if frame is pd.DataFrame else pl.from_pandas(crosstab)
    assert fastkappa.kappa_from_confusion(TABLE, weights="quadratic") == ORDERED
    found = agreement_from_confusion(given, weights="quadratic", labels=GRADES)
    assert (found.kappa, found.labels.tolist()) == (ORDERED, GRADES)
    assert (found.table == TABLE).all()
    ratings = fastkappa.Ratings.from_table(given, labels=GRADES)
    expected = fastkappa.Ratings.from_table(TABLE)
    for coefficient in (fastkappa.conger_kappa, fastkappa.gwet_ac2):
        assert coefficient(ratings, weights="quadratic").value == pytest.approx(
            coefficient(expected, weights="quadratic").value, rel=1e-12
        )
    # All other names are new names; some of the same names are a mistake.
    renamed = agreement_from_confusion(given, weights="quadratic", labels=list("abcd"))
    assert renamed.kappa == UNORDERED
    with pytest.raises(ValueError, match=r"labels must either be the column names of table"):
        agreement_from_confusion(given, labels=["none", "mild", "moderate", "worst"])


@pytest.mark.parametrize("number", [int, str])
def test_numbers_that_name_columns_are_in_order(number: Any) -> None:
    places = [2, 0, 3, 1]
    names = [number(10 * place) for place in places]
    frame = pd.DataFrame(TABLE[np.ix_(places, places)], index=names, columns=names)
    found = agreement_from_confusion(frame, weights="quadratic")
    assert found.kappa == ORDERED
    assert found.labels.tolist() == [number(10 * place) for place in range(4)]
    falling = [number(10 * place) for place in range(4)][::-1]
    found = agreement_from_confusion(frame.loc[falling, falling], weights="quadratic")
    assert (found.kappa, found.labels.tolist()) == (ORDERED, falling)


def test_kappa_of_a_crosstab_warns_of_an_order_that_was_not_given() -> None:
    table = pd.DataFrame(TABLE, index=GRADES, columns=GRADES)
    assert fastkappa.kappa_from_confusion(table, weights="quadratic") == ORDERED
    alphabetical = table.loc[ALPHABETICAL, ALPHABETICAL]
    numbers = table.set_axis([2, 0, 3, 1], axis=0).set_axis([2, 0, 3, 1], axis=1)
    for doubtful in (alphabetical, numbers):
        with pytest.warns(LabelOrderWarning, match="which was taken from the columns") as caught:
            fastkappa.kappa_from_confusion(doubtful, weights="quadratic")
        assert caught[0].filename == __file__
        fastkappa.kappa_from_confusion(doubtful)
        fastkappa.kappa_from_confusion(doubtful.to_numpy(), weights="quadratic")
    days = pd.date_range("2024-01-30", periods=4)
    in_time = table.set_axis(days, axis=0).set_axis(days, axis=1)
    assert fastkappa.kappa_from_confusion(in_time, weights="quadratic") == ORDERED


def test_labels_that_differ_in_case_are_named() -> None:
    message = (
        "y1 and y2 have labels that differ only in how.*'Yes' \\(2 times\\), 'yes' \\(1 time\\)"
    )
    with pytest.warns(UserWarning, match=message):
        agreement(["Yes", "no", "Yes", "no"], ["yes", "no", "no", "no"])
    # A rater who used both can have mistyped, or can mean both: labels= settles it.
    genes = ["A", "a", "b"], ["A", "A", "b"]
    with pytest.warns(
        UserWarning, match=r"differ only in how they are written.*'A' \(3 times\), 'a' \(1 time\)"
    ):
        agreement(*genes)
