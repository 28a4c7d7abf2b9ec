"""Refusals of the functions for two raters: messages name the argument and the value."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa import (
    Ratings,
    agreement,
    agreement_by,
    agreement_from_confusion,
    bootstrap,
    cohen_kappa_score,
    compare_independent,
    compare_paired,
    compare_predictions,
    compare_strata,
    confusion_counts,
    kappa_from_confusion,
    leaderboard,
)
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.measurements import concordance_correlation
from fastkappa.planning import sample_size
from fastkappa.statistics.indices import gwet_ac2
from fastkappa.statistics.kappa import expected_agreement, observed_agreement
from tests.helpers.absent import library

pl = library("polars")

TABLE = [[20, 5], [10, 15]]
RAGGED: Any = [[1, 2], [3]]
RESULT = agreement_from_confusion(TABLE)
QUADRATIC = agreement_from_confusion([[8, 2, 1], [3, 6, 1], [0, 2, 7]], weights="quadratic")


@pytest.mark.parametrize(
    ("table", "match"),
    [
        ([[1, -2], [3, 4]], r"table must not have negative entries, got -2"),
        ([[1, 2, 3], [4, 5, 6]], r"table must have the shape .*, got \(2, 3\)"),
        ([1, 2], r"shape .*, got \(2,\)"),
        (np.ones((2, 2, 2)), r"\(l, l\), got \(2, 2, 2\)"),
        (np.zeros((2, 2)), "table must not be empty: all its counts are 0"),
        (np.zeros((0, 0)), r"got \(0, 0\)"),
        ([[1, math.nan], [3, 4]], "table must be finite, got NaN"),
        ([[1, 2.5], [3, 4]], r"whole counts, got 2\.5"),
        ([["a", "b"], ["c", "d"]], "table must contain numbers"),
    ],
)
def test_invalid_tables(table: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        agreement_from_confusion(table)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"labels": [1, 2, 3]}, "labels must have 2 entries, one per column of table, got 3"),
        ({"labels": [[1, 2]]}, r"labels must be one-dimensional, got shape \(1, 2\)"),
        ({"labels": [1, 1]}, "labels must be distinct, got 1 more than once"),
        ({"weights": "cubic"}, "weights must be None, 'linear', 'quadratic' or .* got 'cubic'"),
        ({"weights": np.ones((3, 3))}, r"weights must have the shape \(2, 2\), .* got \(3, 3\)"),
        ({"weights": [[1, 0], [0, 1]]}, "diagonal must be 0"),
        ({"weights": [[0, -1], [1, 0]]}, "weights must not contain negative numbers, got -1"),
        ({"weights": [[0, math.nan], [1, 0]]}, "weights must be finite"),
        ({"confidence": 95}, "confidence must be a number between 0 and 1, got 95"),
        ({"confidence": "high"}, "confidence must be a number between 0 and 1, got 'high'"),
    ],
)
def test_arguments_that_do_not_match(arguments: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        agreement_from_confusion([[1, 2], [3, 4]], **arguments)
    if "labels must have 2" not in match and "one-dimensional" not in match:
        with pytest.raises(ValueError, match=match):
            agreement([0, 0, 1], [0, 1, 1], **arguments)


@pytest.mark.parametrize(
    ("y1", "y2", "arguments", "match"),
    [
        ([1, 2], [1], {}, r"same length, got \{'y1': 2, 'y2': 1\}"),
        ([], [], {}, "must not be empty"),
        ([None, None], [1, None], {"missing": "drop"}, "each of the 2 items has a missing"),
        ([1, 2], [1, 2], {"missing": "ignore"}, "missing must be 'raise' or 'drop', got 'ignore'"),
        ([1, 2], [1, 2], {"labels": [3]}, r"rating that is not among the labels \[3\]"),
        ([1.5, 2], [1, 2], {}, r"y1 must be labels, got numbers with fractions: \[1\.5, 2\]"),
    ],
)
def test_invalid_ratings(y1: Any, y2: Any, arguments: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        agreement(y1, y2, **arguments)


TABLES: dict[str, tuple[Any, str]] = {
    "ragged": (RAGGED, r"must have rows of equal length, got \[\[1, 2\], \[3\]\]"),
    "None": (None, "must contain numbers, got None"),
    "an empty cell": ([[1, None], [2, 3]], "must contain numbers, got None"),
    "a string": ("table", "must contain numbers, got 'table'"),
    "strings": ([["1", "2"], ["3", "4"]], "must contain numbers, got '1'"),
    "a dictionary": ({"a": 1}, r"must contain numbers, got \{'a': 1\}"),
    "complex": ([[1j, 2], [3, 4]], "must contain numbers, got 1j"),
    "masked": (np.ma.array(TABLE, mask=[[0, 1], [0, 0]]), "must not have masked entries"),
    "negative": ([[1, 2], [3, -4]], "must not have negative entries, got -4"),
    "NaN": ([[1, math.nan], [3, 4]], "must be finite"),
    "empty": ([], r"must have the shape .*, got \(0,\)"),
    "other columns": (
        pd.crosstab([1, 2, 2], [3, 2, 2]),
        r"must have the same row and column labels, .* \[1, 2\] and \[2, 3\]",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_what_is_not_a_table(name: str) -> None:
    table, match = TABLES[name]
    for take in (kappa_from_confusion, agreement_from_confusion, bootstrap, observed_agreement):
        with pytest.raises(ValueError, match=f"^table {match}"):
            take(table)
    with pytest.raises(ValueError, match=f"^the table of stratum 'b' {match}"):
        compare_strata({"a": TABLE, "b": table})
    with pytest.raises(ValueError, match=f"^second {match}"):
        compare_independent(TABLE, table)


def test_what_is_not_a_joint_table() -> None:
    for joint, match in {
        "None": (None, "joint must contain numbers, got None"),
        "ragged": ([[[1, 2], [3]], [[1, 2], [3, 4]]], "joint must have rows of equal length"),
        "table": (TABLE, r"joint must have the shape \(l, l, l\), got \(2, 2\)"),
        "negative": (-np.ones((2, 2, 2)), r"joint must not have negative entries, got -1"),
        "sums of weights": (np.full((2, 2, 2), 0.5), "joint must contain whole counts, got 0.5"),
    }.values():
        with pytest.raises(ValueError, match=match):
            compare_paired(joint)


def test_sums_of_weights_have_no_standard_errors() -> None:
    """A table of the sums 0.1, 0.2, ... would get the standard error of a single item."""
    for take in (agreement_from_confusion, bootstrap, lambda t: compare_independent(t, TABLE)):
        with pytest.raises(ValueError, match=r"whole counts, got 0\.1\. Standard errors"):
            take([[0.1, 0.2], [0.3, 0.4]])


def test_a_stack_where_one_table_is_taken() -> None:
    for take in (observed_agreement, expected_agreement, agreement_from_confusion, bootstrap):
        with pytest.raises(
            ValueError, match=r"table must have the shape \(l, l\), got \(3, 2, 2\)"
        ):
            take(np.ones((3, 2, 2), int))


def test_a_frame_brings_its_labels() -> None:
    y1, y2 = ["a", "b", "b", "a", "c"], ["a", "b", "c", "a", "b"]
    crosstab = pd.crosstab(pd.Series(y1), pd.Series(y2))
    assert agreement_from_confusion(crosstab).labels.tolist() == ["a", "b", "c"]
    assert agreement_from_confusion(crosstab).kappa == agreement(y1, y2).kappa
    assert agreement_from_confusion(crosstab, labels=[1, 2, 3]).labels.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ("ab", "labels must be one-dimensional, got 'ab'"),
        (2, "labels must be one-dimensional, got 2"),
        ({"a": 1, "b": 2}, r"labels must be one-dimensional, got \{'a': 1, 'b': 2\}"),
        ([["a"], ["b", "c"]], r"labels must be one-dimensional, got the entry \['a'\]"),
        (["a", None], "labels must not contain missing values, got None"),
        ([math.nan, 1], "labels must not contain missing values, got nan"),
    ],
)
def test_invalid_labels(labels: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        agreement_from_confusion(TABLE, labels=labels)


def test_labels_stay_what_they_are() -> None:
    assert agreement_from_confusion(TABLE, labels=["a", 1]).labels.tolist() == ["a", 1]
    assert Ratings.from_table(TABLE, labels=["a", 1]).labels.tolist() == ["a", 1]


COLUMNS: dict[str, tuple[Any, type[Exception], str]] = {
    "None": (None, TypeError, "must be a list or an array, with one entry per item, got None"),
    "a number": (1, TypeError, "must be a list or an array, .* got 1"),
    "a string": (
        "grade",
        TypeError,
        r"must be a list or an array, .* got 'grade'\. If it is the name of a column, pass the"
        r" column's values, such as df\['grade'\]\.",
    ),
    "a set": ({1, 2}, TypeError, r"must be a list or an array, .* got \{1, 2\}"),
    "a generator": ((i for i in "ab"), TypeError, "must be a list or an array, .* got <generator"),
    "a table": (TABLE, ValueError, r"must be one-dimensional, .* got \[\[20, 5\], \[10, 15\]\]"),
    "an array": (np.array(TABLE), ValueError, r"must be one-dimensional, .* got array\("),
    "ragged": (RAGGED, ValueError, r"must be one-dimensional, .* got \[\[1, 2\], \[3\]\]"),
    "not whole": ([1.5, 2], ValueError, r"must be labels, got numbers with fractions: \[1\.5, 2\]"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_what_is_not_a_column(name: str) -> None:
    column, error, match = COLUMNS[name]
    good = [1, 2]
    with pytest.raises(error, match=f"^y1 {match}"):
        agreement(column, good)
    with pytest.raises(error, match=f"^y2 {match}"):
        agreement_by(good, column, groups=good)
    with pytest.raises(error, match=f"^second {match}"):
        compare_predictions(good, column, y_true=good)


def test_a_name_of_a_column_in_place_of_its_values() -> None:
    good = [1, 2]
    calls: dict[str, Callable[..., Any]] = {
        "groups": lambda **name: agreement_by(good, good, **name),
        "clusters": lambda **name: agreement(good, good, **name),
        "sample_weight": lambda **name: agreement(good, good, **name),
        "ids": lambda **name: leaderboard(good, {"a": good}, **name),
    }
    for argument, call in calls.items():
        with pytest.raises(TypeError, match=rf"^{argument} must be .* such as df\['unit'\]\.$"):
            call(**{argument: "unit"})


# Functions with another column besides two columns of ratings, and its name.
THREE_COLUMNS: dict[Any, str] = {agreement_by: "groups", compare_predictions: "y_true"}


FORMS: dict[str, tuple[Any, str]] = {
    "probabilities": (
        np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]),
        r"must be one-dimensional, .* If these are probabilities, pass the most likely labels:"
        r" labels\[probabilities\.argmax\(axis=1\)\], where labels is an array\. For labels with a"
        r" higher kappa, use decode_probabilities\.$",
    ),
    "lists of probabilities": (
        [[0.5, 0.5], [0.25, 0.75]],
        "If these are probabilities, pass the most likely",
    ),
    "one-hot": (
        np.array([[0, 0, 1], [0, 1, 0]]),
        "If these are probabilities, pass the most likely labels",
    ),
    "scores": (
        np.array([0.25, 0.75]),
        r"must be labels, got numbers with fractions: array\(\[0\.25, 0\.75\]\)\."
        r" For fractional numbers, use fastkappa\.measurements\.continuous_kappa; for"
        r" scores, use optimal_thresholds\. If the numbers are labels of a scale, such as half"
        r" points, name all of them in labels=\. If they are codes in which 1\.1 is not 1\.10, read"
        r" them as strings\.$",
    ),
    "pandas": (
        pd.DataFrame({"a": [1, 2], "b": [1, 2]}),
        r"must be one-dimensional, with one entry per item, got a data frame with the columns"
        r" \['a', 'b'\]\. Pass one of them, such as frame\['a'\]\.$",
    ),
    "polars": (pl.DataFrame({"a": [1, 2], "b": [1, 2]}), r"such as frame\['a'\]"),
    "pyarrow": (pa.table({"a": [1, 2], "b": [1, 2]}), r"such as frame\['a'\]"),
    "several raters": (
        np.array([[1, 2, 3], [3, 2, 1]]),
        r"Pass one column per rater\. For more than two raters, use Ratings\.$",
    ),
    "a table": (TABLE, r"For a table of counts, use agreement_from_confusion\.$"),
}


@pytest.mark.parametrize(("column", "match"), FORMS.values(), ids=FORMS)
def test_forms_that_look_right(column: Any, match: str) -> None:
    good = [1, 2]
    for take in (agreement, *THREE_COLUMNS):
        third: Any = {THREE_COLUMNS[take]: good} if take in THREE_COLUMNS else {}
        names = ("first", "second") if take is compare_predictions else ("y1", "y2")
        for name, columns in zip(names, ((column, good), (good, column))):
            with pytest.raises(ValueError, match=f"^{name} .*{match}"):
                take(*columns, **third)
    with pytest.raises(ValueError, match=f"^y_true .*{match}"):
        compare_predictions(good, good, y_true=column)


@pytest.mark.parametrize(
    ("series", "frame"),
    [
        (np.array, lambda columns: np.column_stack([*columns.values()])),
        (pd.Series, pd.DataFrame),
        (pl.Series, pl.DataFrame),
    ],
    ids=["NumPy", "pandas", "polars"],
)
def test_columns_where_a_table_is_wanted(series: Any, frame: Any) -> None:
    remedy = (
        r"If you have two columns of ratings, confusion_counts\(y1, y2\)\.table makes their table,"
        r" and agreement\(y1, y2\) computes all statistics\.$"
    )
    y1, y2 = [1, 2, 3, 3], [1, 2, 3, 2]
    for column in (y1, series(y1)):
        with pytest.raises(
            ValueError, match=rf"^table must have the shape \(\.\.\., l, l\), got \(4,\)\. {remedy}"
        ):
            bootstrap(column, statistic=y2)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=rf"^first must have the shape .*\. {remedy}"):
            compare_independent(column, y2)
    for strings in (list("abc"), series(list("abc"))):
        for take in (bootstrap, agreement_from_confusion, kappa_from_confusion):
            with pytest.raises(
                ValueError, match=rf"^table must contain numbers, got 'a'\. {remedy}"
            ):
                take(strings)  # type: ignore[operator]
    for pairs in (frame({"y1": y1, "y2": y2}), [y1, y2]):
        with pytest.raises(ValueError, match=rf"^table must have .*\. {remedy}"):
            bootstrap(pairs)
    with pytest.raises(
        ValueError,
        match=r"^joint must have the shape .*\."
        r" For three columns, use compare_predictions\(first, second, y_true=\.\.\.\)\.$",
    ):
        compare_paired(y1)


def test_lists_of_one_entry_are_a_column() -> None:
    assert agreement([[1], [2], [2]], [1, 2, 1]).kappa == agreement([1, 2, 2], [1, 2, 1]).kappa


def test_no_items() -> None:
    for take, third in THREE_COLUMNS.items():
        with pytest.raises(ValueError, match="must not be empty, got no items"):
            take([], [], **{third: []})


def test_columns_that_would_be_taken_for_ratings_have_to_be_named() -> None:
    # The numbers are plausible in any order: groups for the first rater, a prediction for truth.
    for take in THREE_COLUMNS:
        with pytest.raises(TypeError, match=r"positional arguments? but 3 were given"):
            take([1, 2, 1, 2], [1, 2, 2, 2], [1, 1, 2, 2])


@pytest.mark.parametrize("missing", ["ignore", ["drop"], np.array(["drop", "raise"]), None])
def test_what_to_do_with_missing_ratings(missing: Any) -> None:
    for take, third in {agreement: None, **THREE_COLUMNS}.items():
        named: Any = {} if third is None else {third: [1, 2]}
        with pytest.raises(ValueError, match="missing must be 'raise' or 'drop', got"):
            take([1, 2], [1, 2], **named, missing=missing)


@pytest.mark.parametrize("rng", ["seed", -1, 1.5])
def test_invalid_rng(rng: Any) -> None:
    with pytest.raises(ValueError, match=f"rng must be a Generator, .* got {rng!r}"):
        bootstrap(TABLE, rng=rng)


def test_statistics_of_the_bootstrap() -> None:
    with pytest.raises(ValueError, match=r"statistic must be a function of .* got 'kappa'"):
        bootstrap(TABLE, statistic="kappa")  # type: ignore[arg-type]
    by_value = bootstrap(TABLE, statistic=lambda t: gwet_ac2(t).value, n_resamples=99, rng=1)
    assert bootstrap(TABLE, statistic=gwet_ac2, n_resamples=99, rng=1).interval == by_value.interval


def test_method_is_checked_where_nothing_is_drawn_too() -> None:
    with pytest.raises(ValueError, match="method must be 'percentile' or 'bca', got 'basic'"):
        compare_paired(np.ones((2, 2, 2)), method="basic")  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", [None, ["fleiss"], "Fleiss", "landis"])
def test_invalid_scales(scale: Any) -> None:
    with pytest.raises(ValueError, match=r"scale must be 'cohen', 'landis-koch', .* got "):
        RESULT.interpret(scale)


@pytest.mark.parametrize("tables", [None, 3, "ab"])
def test_invalid_strata(tables: Any) -> None:
    with pytest.raises(ValueError, match="tables must be a sequence or a mapping of tables, got"):
        compare_strata(tables)


def test_a_table_beside_a_weighted_result() -> None:
    """The table has no weights, so its kappa differs."""
    with pytest.raises(ValueError, match="different weights cannot be compared, got 'quadratic'"):
        compare_strata([QUADRATIC, TABLE])
    with pytest.raises(ValueError, match="different weights cannot be compared, got None"):
        compare_independent(TABLE, QUADRATIC)
    with pytest.raises(ValueError, match="different weights"):  # An iterator can be read only once.
        compare_strata(iter([RESULT, QUADRATIC]))


def test_counts_are_compared_as_their_table() -> None:
    counts = confusion_counts([1, 1, 2, 2, 1], [1, 2, 2, 2, 1])
    other = [[9, 3], [2, 8]]
    assert compare_independent(counts, other).z == compare_independent(counts.table, other).z
    assert compare_strata([counts, other]).kappa == compare_strata([counts.table, other]).kappa


def test_undefined_kappas_warn() -> None:
    one_label = [[5, 0], [0, 0]]
    with pytest.warns(
        undefined_metric_warning(), match="cannot be compared, because the second"
    ) as told:
        assert math.isnan(compare_independent(TABLE, one_label).value)
    assert told[0].filename == __file__
    with pytest.warns(undefined_metric_warning(), match="cannot be compared, because the first"):
        assert math.isnan(compare_predictions([1, 1], [1, 1], y_true=[1, 1]).value)


def test_any_real_number_is_a_confidence() -> None:
    tenth = Fraction(9, 10)
    for confidence in (np.float32(0.9), tenth):
        result = agreement_from_confusion(TABLE, confidence=confidence)  # type: ignore[arg-type]
        expected = agreement_from_confusion(TABLE, confidence=float(confidence))
        assert result.interval == expected.interval


def test_rates_without_room_for_disagreement() -> None:
    with pytest.raises(
        ValueError, match=r"rates must allow .* undefined without it, got .* \[0\.0, 1\.0\]\."
    ):
        sample_size(0.5, rates=(0, 0))


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series, pa.array])
def test_a_column_given_twice_is_warned_of(make: Any) -> None:
    column = make([1, 2, 2, 3])
    takes: tuple[Callable[[Any, Any], Any], ...] = (
        agreement,
        lambda a, b: agreement_by(a, b, groups=[1, 1, 2, 2]),
        concordance_correlation,
    )
    for take in takes:
        with pytest.warns(UserWarning, match="y1 and y2 are the same column"):
            take(column, column)
        take(column, make([1, 2, 3, 3]))
    # scikit-learn says nothing here, so the drop-in function says nothing.
    assert cohen_kappa_score(column, column) == 1


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_a_frame_taken_twice_is_warned_of(make: Any) -> None:
    frame = make({"ann": ["x", "y", "y"], "ben": ["x", "y", "y"]})
    with pytest.warns(UserWarning, match="y1 and y2 are the same column 'ann'"):
        agreement(frame["ann"], frame["ann"])
    assert agreement(frame["ann"], frame["ben"]).kappa == 1
