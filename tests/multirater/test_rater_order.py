"""The order of labels of several raters: declared, given, or assumed to be alphabetical."""

from __future__ import annotations

import enum
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa import (
    Ratings,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    light_kappa,
    pairwise_kappa,
    randolph_kappa,
)
from fastkappa.exceptions import LabelOrderWarning
from tests.helpers.absent import library

pl = library("polars")

# Their alphabetical order is mild, moderate, none, severe; nobody gives "moderate".
ORDER = ["none", "mild", "moderate", "severe"]
POSITIONS = [[0, 0, 1], [1, 1, 0], [3, 1, 3], [3, 3, 3], [0, 0, 0], [1, 3, None], [0, 1, 1]]
ROWS = [[None if i is None else ORDER[i] for i in row] for row in POSITIONS]
NAMES = ["Ann", "Ben", "Cat"]
WEIGHTED = (fleiss_kappa, randolph_kappa, conger_kappa, light_kappa, gwet_ac2, pairwise_kappa)
Severity = enum.Enum("Severity", {name: name[:2] for name in ORDER})
Grade = enum.Enum("Grade", {"NONE": 0, "MILD": 1, "MODERATE": 2, "SEVERE": 4})


def columns() -> dict[str, list[Any]]:
    return {name: list(column) for name, column in zip(NAMES, zip(*ROWS))}


def of_pandas() -> Any:
    return pd.DataFrame(columns()).astype(pd.CategoricalDtype(ORDER, ordered=True))


def of_polars() -> Any:
    return pl.DataFrame(columns()).cast(pl.Enum(ORDER))


def of_arrow() -> Any:
    codes = [pa.array(list(column), pa.int8()) for column in zip(*POSITIONS)]
    return pa.table(
        [pa.DictionaryArray.from_arrays(c, pa.array(ORDER), ordered=True) for c in codes], NAMES
    )


def of_enum() -> Any:
    return [[None if name is None else Severity[name] for name in row] for row in ROWS]


def figures(function: Any, ratings: Any, **options: Any) -> list[float]:
    """Return the figures of a function, for ratings that must not cause a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = function(ratings, **options)
    if function is pairwise_kappa:
        return [*result.values.ravel(), *result.standard_errors.ravel()]
    return [result.value, result.standard_error]


@pytest.mark.parametrize("declare", [of_pandas, of_polars, of_arrow, of_enum])
def test_a_declared_order_is_the_order(declare: Any) -> None:
    """Unused labels also have a position: the figures are those of the positions."""
    numbers = Ratings.from_array(POSITIONS, labels=range(4))
    ratings = Ratings.from_array(declare())
    assert ratings.labels.tolist() == ORDER
    for given in (ratings, declare()):
        for weights in ("linear", "quadratic", np.abs(np.subtract.outer(range(4), range(4)))):
            for function in WEIGHTED:
                expected = figures(function, numbers, weights=weights)
                assert figures(function, given, weights=weights) == expected
        for level in ("ordinal", np.subtract.outer(range(4), range(4)) ** 2):
            expected = figures(krippendorff_alpha, numbers, level=level)
            assert figures(krippendorff_alpha, given, level=level) == expected
        for function in (gwet_ac1, randolph_kappa):
            assert figures(function, given) == figures(function, numbers)


def test_arithmetic() -> None:
    """Two raters, once two steps apart: D_o = 2 / 4; alphabetically mild and severe are three."""
    rows = [["none", "none"], ["mild", "severe"], ["severe", "severe"], ["moderate", "moderate"]]
    frame = pd.DataFrame(rows).astype(pd.CategoricalDtype(ORDER, ordered=True))
    steps = fleiss_kappa(frame, weights="linear").disagreement.observed * 3
    assert steps == pytest.approx(2 / 4)
    with pytest.warns(LabelOrderWarning):
        steps = fleiss_kappa(rows, weights="linear").disagreement.observed * 3
    assert steps == pytest.approx(3 / 4)


def test_members_of_an_enum_are_read_by_value_and_reported_by_name() -> None:
    values = [member.value for member in Grade]
    members = [[None if i is None else list(Grade)[i] for i in row] for row in POSITIONS]
    numbers = [[None if i is None else values[i] for i in row] for row in POSITIONS]
    ratings = Ratings.from_array(members)
    assert ratings.labels.tolist() == ["NONE", "MILD", "MODERATE", "SEVERE"]
    assert [kappa.label for kappa in fleiss_kappa(members).by_label] == ratings.labels.tolist()
    for level in ("interval", "ratio", "ordinal"):
        expected = figures(
            krippendorff_alpha, Ratings.from_array(numbers, labels=values), level=level
        )
        assert figures(krippendorff_alpha, members, level=level) == expected
    without = Ratings.from_array(members, missing_codes=[Grade.MODERATE])
    assert without.labels.tolist() == ["NONE", "MILD", "SEVERE"]


def test_labels_may_be_given_as_an_enum() -> None:
    members = [[None if i is None else list(Grade)[i] for i in row] for row in POSITIONS]
    values = [[None if m is None else m.value for m in row] for row in members]
    names = [member.name for member in Grade]
    expected = figures(fleiss_kappa, Ratings.from_array(values, labels=[0, 1, 2, 4]))
    for given, labels in ((members, Grade), (values, Grade), (members, names)):
        ratings = Ratings.from_array(given, labels=labels)
        assert ratings.labels.tolist() == names
        assert figures(fleiss_kappa, ratings) == expected


def test_one_declared_order_is_that_of_all_raters() -> None:
    frame = of_pandas()
    mixed = Ratings.from_raters({"Ann": frame["Ann"], "Ben": columns()["Ben"]})
    assert mixed.labels.tolist() == ORDER
    outside = Ratings.from_raters({"Ann": frame["Ann"], "Ben": ["none"] * 6 + ["worst"]})
    with pytest.raises(ValueError, match="Ben contains 'worst', which is not one of the labels"):
        fleiss_kappa(outside)


def test_different_orders_are_refused() -> None:
    first = pd.Series(["none", "mild"], dtype=pd.CategoricalDtype(ORDER, ordered=True))
    second = pd.Series(["none", "mild"], dtype=pd.CategoricalDtype(ORDER[::-1], ordered=True))
    both = {"Ann": first, "Ben": ["none", "mild"], "Cat": second}
    with pytest.raises(
        ValueError,
        match=r"Ann and Cat declare their labels in different orders: none < mild < moderate <"
        r" severe and severe < moderate < mild < none\. Give both the same categories, or pass"
        r" labels=",
    ):
        Ratings.from_raters(both)
    assert Ratings.from_raters(both, labels=ORDER).labels.tolist() == ORDER


@pytest.mark.parametrize(
    "given",
    [
        ROWS,
        np.array(ROWS, object),
        pd.DataFrame(columns()),
        pd.DataFrame(columns()).astype(pd.CategoricalDtype(ORDER)),
        pl.DataFrame(columns()),
        pa.table(columns()),
        Ratings.from_array(ROWS),
        Ratings.from_raters(columns()),
    ],
    ids=["rows", "array", "pandas", "categorical", "polars", "arrow", "ratings", "raters"],
)
def test_an_alphabetical_order_is_warned_of(given: Any) -> None:
    def check(function: Any, why: str, **options: Any) -> None:
        told = (
            f"{why} depends on the order of the labels, which was assumed to be alphabetical: mild"
        )
        with pytest.warns(LabelOrderWarning, match=f"^{told} < none < severe. Pass") as caught:
            function(given, **options)
        assert [warning.filename for warning in caught] == [__file__]

    for function in WEIGHTED:
        check(function, "weights='quadratic'", weights="quadratic")
        check(function, "a matrix as weights", weights=1 - np.eye(3))
    check(krippendorff_alpha, "level='ordinal'", level="ordinal")
    check(krippendorff_alpha, "a matrix as level", level=1 - np.eye(3))


def test_results_that_need_no_order_are_silent() -> None:
    figures(krippendorff_alpha, ROWS, level="nominal")
    figures(gwet_ac1, ROWS)
    for function in (fleiss_kappa, randolph_kappa, conger_kappa, light_kappa, pairwise_kappa):
        figures(function, ROWS)
    # Two labels have the same distance in either order.
    figures(fleiss_kappa, [["no", "yes"], ["yes", "yes"], ["no", "no"]], weights="linear")
    figures(fleiss_kappa, [[1, 2], [2, 3], [3, 3]], weights="linear")


def test_labels_that_are_given_have_an_order() -> None:
    numbers = Ratings.from_array(POSITIONS, labels=range(4))
    for given, options in ((ROWS, {"labels": ORDER}), (Ratings.from_array(ROWS, labels=ORDER), {})):
        for function in WEIGHTED:
            expected = figures(function, numbers, weights="linear")
            assert figures(function, given, weights="linear", **options) == expected
        expected = figures(krippendorff_alpha, numbers, level="ordinal")
        assert figures(krippendorff_alpha, given, level="ordinal", **options) == expected
    assert figures(gwet_ac1, ROWS, labels=ORDER) == figures(gwet_ac1, numbers)
    with pytest.raises(ValueError, match="labels, missing_codes and clusters must not be passed"):
        fleiss_kappa(Ratings.from_array(ROWS), labels=ORDER)


@pytest.mark.parametrize(
    "form", [list, np.array, pd.DataFrame, lambda rows: pl.DataFrame(rows, orient="row")]
)
def test_strings_that_are_numbers_are_sorted_by_value(form: Any) -> None:
    rows = [[8, 9, 10], [9, 9, 10], [10, 10, 10], [8, 8, 8], [9, 8, 8]]
    given = form([[str(rating) for rating in row] for row in rows])
    assert Ratings.from_array(given).labels.tolist() == ["8", "9", "10"]
    for function in WEIGHTED:
        expected = figures(function, rows, weights="quadratic")
        assert figures(function, given, weights="quadratic") == expected
    expected = figures(krippendorff_alpha, rows, level="ordinal")
    assert figures(krippendorff_alpha, given, level="ordinal") == expected


def test_the_names_of_a_crosstab_are_alphabetical() -> None:
    first, second = (pd.Series(column) for column in zip(*[row[:2] for row in ROWS]))
    table = pd.crosstab(first, second)
    counts = pd.DataFrame([[2, 1, 0], [0, 0, 3], [1, 1, 1]], columns=["mild", "none", "severe"])
    for ratings in (Ratings.from_table(table), Ratings.from_counts(counts)):
        with pytest.warns(LabelOrderWarning, match="alphabetical: mild < none < severe"):
            fleiss_kappa(ratings, weights="linear")
    order = ["none", "mild", "severe"]
    known = Ratings.from_table(table.loc[order, order])
    ordered = pd.CategoricalDtype(["mild", "none", "severe"], ordered=True)
    declared = Ratings.from_table(pd.crosstab(first.astype(ordered), second.astype(ordered)))
    for ratings in (
        known,
        declared,
        Ratings.from_counts(counts[order]),
        Ratings.from_counts(counts.to_numpy(), labels=list(counts)),
        Ratings.from_counts(counts.to_numpy()),
    ):
        figures(fleiss_kappa, ratings, weights="linear")
