"""The accumulator: the order of labels, missing ratings, and strings among numbers."""

from __future__ import annotations

import enum
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest

from fastkappa import ConfusionAccumulator, cohen_kappa_score, confusion_counts
from fastkappa.exceptions import LabelOrderWarning
from tests.helpers.absent import library

polars = library("polars")

GRADES = ["none", "mild", "moderate", "severe"]
CODES1 = [0, 1, 2, 3, 2, 1, 0, 3, 2, 0]
CODES2 = [0, 1, 2, 2, 2, 1, 0, 3, 1, 1]


class Grade(enum.Enum):
    NONE = "none"
    MILD = "mild"
    MODERATE = "moderate"
    SEVERE = "severe"


def strings(codes: list[int]) -> list[str]:
    return [GRADES[code] for code in codes]


def categorical(codes: list[int]) -> Any:
    return pandas.Categorical(strings(codes), GRADES, ordered=True)


def dictionary(codes: list[int]) -> Any:
    return pyarrow.DictionaryArray.from_arrays(
        pyarrow.array(codes, pyarrow.int32()), GRADES, ordered=True
    )


FORMS: dict[str, Callable[[list[int]], Any]] = {
    "pandas": lambda codes: pandas.Series(categorical(codes)),
    "polars": lambda codes: polars.Series(strings(codes), dtype=polars.Enum(GRADES)),
    "pyarrow": dictionary,
    "enum": lambda codes: [Grade(GRADES[code]) for code in codes],
}


@pytest.mark.parametrize("name", FORMS)
def test_a_declared_order_is_the_order(name: str) -> None:
    """Kappa equals that of the codes without a warning, whichever batch declares the order."""
    expected = cohen_kappa_score(CODES1, CODES2, weights="quadratic")
    names = list(Grade.__members__) if name == "enum" else GRADES
    for declaring in ([True, True], [True, False], [False, True]):
        accumulator = ConfusionAccumulator()
        for part, declares in zip((slice(None, 6), slice(6, None)), declaring):
            read = FORMS[name] if declares else strings
            accumulator.update(read(CODES1[part]), read(CODES2[part]))
        with warnings.catch_warnings():
            warnings.simplefilter("error", LabelOrderWarning)
            assert accumulator.kappa(weights="quadratic") == expected
            assert accumulator.agreement(weights="quadratic").kappa == expected
        assert accumulator.labels.tolist() == names
        np.testing.assert_array_equal(accumulator.table, confusion_counts(CODES1, CODES2).table)


def test_all_declared_categories_have_a_position() -> None:
    codes1, codes2 = [0, 1, 3, 3, 0], [0, 3, 3, 1, 0]
    accumulator = ConfusionAccumulator()
    accumulator.update(categorical(codes1), categorical(codes2))
    assert accumulator.labels.tolist() == GRADES
    assert accumulator.table.shape == (4, 4)
    expected = cohen_kappa_score(codes1, codes2, labels=range(4), weights="quadratic")
    assert accumulator.kappa(weights="quadratic") == expected
    assert repr(accumulator) == "<ConfusionAccumulator: 5 items, 4 labels>"


def declared() -> ConfusionAccumulator:
    accumulator = ConfusionAccumulator()
    accumulator.update(FORMS["enum"](CODES1), strings(CODES2))
    return accumulator


def test_pickle_and_json_keep_the_order() -> None:
    for twin in (
        pickle.loads(pickle.dumps(declared())),
        ConfusionAccumulator.from_json(declared().to_json()),
    ):
        assert twin.labels.tolist() == list(Grade.__members__)
        assert twin.kappa(weights="quadratic") == declared().kappa(weights="quadratic")
        with pytest.raises(ValueError, match="y2 contains 'fatal', which is not among"):
            twin.update(["none"], ["fatal"])
        twin -= declared()
        assert not twin.table.any()


def test_numbers_and_dates_with_an_order() -> None:
    accumulator = ConfusionAccumulator()
    # Until an order is declared, arrays of the same type are counted without further checks.
    accumulator.update(np.array([3, 1]), np.array([3, 1]))
    accumulator.update(np.array([3, 1]), np.array([3, 1]))
    accumulator.update(pandas.Categorical([1], [3, 2, 1], ordered=True), [2])
    assert accumulator.labels.tolist() == [3, 2, 1]
    assert accumulator.table.tolist() == [[2, 0, 0], [0, 0, 0], [0, 1, 2]]
    with pytest.raises(
        ValueError, match=r"y1 contains 4, which is not .* declared labels: 3 < 2 < 1"
    ):
        accumulator.update(np.array([4, 1]), np.array([3, 1]))
    days = pandas.to_datetime(["2025-02-01", "2024-01-01"])
    accumulator = ConfusionAccumulator()
    accumulator.update(pandas.Categorical(days, days, ordered=True), days.to_numpy())
    accumulator = ConfusionAccumulator.from_json(accumulator.to_json())
    assert accumulator.labels.astype("M8[D]").astype(str).tolist() == ["2025-02-01", "2024-01-01"]
    assert accumulator.table.tolist() == [[1, 0], [0, 1]]


OTHER = pandas.Categorical(["mild"], GRADES[::-1], ordered=True)


def merge_declared(other: ConfusionAccumulator) -> None:
    other.merge(declared())


def with_strings(*ratings: str, order: Any = None) -> ConfusionAccumulator:
    accumulator = ConfusionAccumulator()
    accumulator.update(list(ratings), list(ratings) if order is None else order)
    return accumulator


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (
            lambda: declared().update(OTHER, OTHER),
            r"the accumulator and y1 declare their labels in different orders: NONE \('none'\) <"
            r" MILD \('mild'\) < MODERATE \('moderate'\) < SEVERE \('severe'\) and severe <"
            r" moderate < mild < none\. Give both the same categories, or pass labels=\.",
        ),
        (
            lambda: declared().subtract(OTHER, OTHER),
            "the accumulator and y1 declare their labels in",
        ),
        (
            lambda: merge_declared(with_strings("mild", order=OTHER)),
            "the accumulator and the other accumulator declare",
        ),
        (
            lambda: declared().update(["none"], ["fatal"]),
            r"y2 contains 'fatal', which is not among the declared labels: NONE < MILD <"
            r" MODERATE < SEVERE\. Pass labels= to use other labels\.",
        ),
        (
            lambda: with_strings("fatal").update(OTHER, ["none"]),
            "the accumulator contains 'fatal', which is not among the declared labels",
        ),
        (lambda: merge_declared(with_strings("fatal")), "the accumulator contains 'fatal'"),
        (lambda: declared().merge(with_strings("fatal")), "the other accumulator contains 'fatal'"),
    ],
)
def test_orders_that_do_not_agree(refused: Callable[[], Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        refused()


def test_a_refused_update_changes_nothing() -> None:
    accumulator = ConfusionAccumulator()
    with pytest.raises(ValueError, match="y2 contains 'fatal'"):
        accumulator.update(OTHER, ["fatal"])
    accumulator.update([1, 2], [1, 2])
    assert accumulator.labels.tolist() == [1, 2]
    with pytest.raises(ValueError, match="Mix of label input types"):
        accumulator.update(OTHER, OTHER)
    assert accumulator.labels.tolist() == [1, 2]


@pytest.mark.filterwarnings("ignore:kappa is undefined")
def test_given_labels_are_the_order() -> None:
    accumulator = ConfusionAccumulator(labels=GRADES[:0:-1])
    accumulator.update(categorical(CODES1), OTHER.take([0] * len(CODES1)))
    assert accumulator.labels.tolist() == ["severe", "moderate", "mild"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", LabelOrderWarning)
        accumulator.kappa(weights="quadratic")
        ConfusionAccumulator(labels=["a", "b", "c"]).kappa(weights="linear")


@pytest.mark.filterwarnings("ignore:kappa is undefined")
def test_an_alphabetical_order_is_warned_of_where_weights_refer_to_it() -> None:
    accumulator = ConfusionAccumulator()
    accumulator.update(strings(CODES1), strings(CODES2))
    message = (
        r"^weights='quadratic' depends on the order of the labels, which was assumed to be"
        r" alphabetical: mild < moderate < none < severe\. Pass labels="
    )
    for call in (
        lambda: accumulator.kappa(weights="quadratic"),
        lambda: accumulator.agreement(weights="quadratic"),
    ):
        with pytest.warns(LabelOrderWarning, match=message) as caught:
            call()
        assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(LabelOrderWarning, match="^a matrix of weights depends on the order"):
        accumulator.kappa(weights=1 - np.eye(4))
    with warnings.catch_warnings():
        warnings.simplefilter("error", LabelOrderWarning)
        assert accumulator.kappa() == cohen_kappa_score(strings(CODES1), strings(CODES2))
        accumulator.agreement()
        for ratings in (["no", "yes"], ["9", "10", "11"], [9, 10, 11], ["1.5", "-2", "5"]):
            some = ConfusionAccumulator()
            some.update(ratings, ratings)
            some.kappa(weights="linear")
        ConfusionAccumulator().kappa(weights="linear")


def test_numeric_strings_are_ordered_by_value_in_every_batch() -> None:
    y1, y2 = [9, 10, 9, 8, 11, 10], [10, 9, 9, 8, 10, 10]
    accumulator = ConfusionAccumulator()
    for part in (slice(None, 2), slice(2, 4), slice(4, None)):
        accumulator.update([str(y) for y in y1[part]], [str(y) for y in y2[part]])
    assert accumulator.labels.tolist() == ["8", "9", "10", "11"]
    expected = cohen_kappa_score(y1, y2, weights="quadratic")
    assert accumulator.kappa(weights="quadratic") == expected
    assert (
        ConfusionAccumulator.from_json(accumulator.to_json()).kappa(weights="quadratic") == expected
    )
    # If any label is not a number, all are sorted alphabetically, until that label is removed.
    accumulator.update(["x", "y"], ["x", "y"])
    assert accumulator.labels.tolist() == ["10", "11", "8", "9", "x", "y"]
    accumulator.subtract(["x", "y"], ["x", "y"])
    assert accumulator.labels.tolist() == ["8", "9", "10", "11"]
    assert accumulator.kappa(weights="quadratic") == expected
    assert (
        ConfusionAccumulator.from_json(accumulator.to_json()).kappa(weights="quadratic") == expected
    )


ODD1 = ["1", "2", "10", "x", "3", "NA", "2"]
ODD2 = ["1", "2", "9", "x", "3", "4", "1"]


def test_strings_among_numbers_are_named() -> None:
    accumulator = ConfusionAccumulator()
    message = (
        r"^y1 contains numbers and also 'x' \(1 time\), 'NA' \(1 time\): write numbers as digits,"
        r" pass missing_codes= for codes of missing ratings, or pass labels= if the strings are"
        r" labels\.$"
    )
    with pytest.raises(ValueError, match=message):
        accumulator.update(ODD1, ODD2)
    for options in ({"missing": "drop", "missing_codes": ["x", "NA"]},) * 2:
        accumulator.update(ODD1, ODD2, **options)
        assert accumulator.labels.tolist() == ["1", "2", "3", "9", "10"]
        assert (int(accumulator.table.sum()), accumulator.n_missing) == (5, 2)
        accumulator.subtract(ODD1, ODD2, **options)
        assert (int(accumulator.table.sum()), accumulator.n_missing) == (0, 0)
    given = ConfusionAccumulator(labels=["1", "2", "x"])
    given.update(ODD1, ODD2)
    assert np.diagonal(given.table).tolist() == [1, 1, 1]
    assert given.n_outside == 3


def test_missing_ratings_are_counted() -> None:
    y1, y2 = np.array([0, 1, -9, 2, 1]), np.array([0, 1, 1, -9, 2])
    weights = [1, 2, 3, 4, 5]
    accumulator = ConfusionAccumulator()
    message = r"y1 has 1 missing value in 5 items, the first at position 2: pass missing='drop'"
    with pytest.raises(ValueError, match=message):
        accumulator.update(y1, y2, missing_codes=[-9])
    # The same is true if arrays of the same type were counted before.
    accumulator.update(np.array([2]), np.array([2]))
    with pytest.raises(ValueError, match=message):
        accumulator.update(y1, y2, missing_codes=[-9])
    accumulator.update(y1, y2, sample_weight=weights, missing="drop", missing_codes=[-9])
    assert accumulator.table.tolist() == [[1, 0, 0], [0, 2, 5], [0, 0, 1]]
    assert accumulator.n_missing == 2
    with_none = [0.0, None, np.nan, 2.0]
    accumulator.update(with_none, [0, 1, 2, 2], missing="drop")
    masked = np.ma.masked_array([1, 1], mask=[0, 1])
    accumulator.update(masked, [1, 1], missing="drop")
    assert accumulator.n_missing == 5
    for twin in (
        pickle.loads(pickle.dumps(accumulator)),
        ConfusionAccumulator.from_json(accumulator.to_json()),
    ):
        assert twin.n_missing == 5
        twin += accumulator
        assert twin.n_missing == 10
        twin -= accumulator
        assert twin.n_missing == 5
    accumulator.subtract(with_none, [0, 1, 2, 2], missing="drop")
    assert accumulator.n_missing == 3
    with pytest.raises(ValueError, match="can remove only items that were added"):
        ConfusionAccumulator().subtract([None], [1], missing="drop")
    with pytest.raises(ValueError, match="missing must be 'raise' or 'drop', got 'ignore'"):
        accumulator.update([1], [1], missing="ignore")  # type: ignore[arg-type]


def test_misspelt_label() -> None:
    accumulator = ConfusionAccumulator(labels=["none", "mild", "moderat", "severe"])
    accumulator.update(np.take(GRADES, CODES1), np.take(GRADES, CODES2))
    for ask in (accumulator.kappa, accumulator.agreement):
        with pytest.warns(UserWarning, match="no rating equals the label 'moderat', and 4"):
            ask()


def test_labels_that_begin_too_low() -> None:
    accumulator = ConfusionAccumulator(labels=range(5))
    for _ in range(10):
        accumulator.update([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    with pytest.warns(UserWarning, match="no rating equals the label 0, and 10 items are left out"):
        assert accumulator.kappa() == 1
