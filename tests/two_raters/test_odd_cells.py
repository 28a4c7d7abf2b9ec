"""Strings among numbers, and codes for missing ratings."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa import (
    ConfusionAccumulator,
    agreement,
    agreement_by,
    compare_predictions,
    leaderboard,
    score_many,
)
from tests.helpers.absent import library
from tests.helpers.exact_kappa import exact_kappa

pl = library("polars")

TAKERS: dict[str, Callable[..., Any]] = {
    "agreement": lambda y1, y2, **o: agreement(y1, y2, weights="quadratic", **o),
    "agreement_by": lambda y1, y2, **o: (
        agreement_by(y1, y2, groups=[0] * len(y1), weights="quadratic", **o).pooled
    ),
}
each_function = pytest.mark.parametrize("name", TAKERS)

RNG = np.random.default_rng(5)
FIRST = RNG.integers(1, 11, 200)
SECOND = np.clip(FIRST + RNG.integers(-1, 2, 200), 1, 10)
TABLE = np.zeros((10, 10), int)
np.add.at(TABLE, (FIRST - 1, SECOND - 1), 1)
KAPPA = float(exact_kappa(TABLE, "quadratic") or 0)

MIXED: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "strings": lambda column: [*map(str, column)],
    "objects": lambda column: np.array(column, object),
    "series": lambda column: pd.Series(column, dtype=object),
    "categorical": lambda column: pd.Series(column, dtype=object).astype("category"),
    "polars": lambda column: pl.Series([*map(str, column)]),
    "pyarrow": lambda column: pa.array([*map(str, column)]),
}
ODD = (
    r"y1 contains numbers and also 'x' \(1 time\): write numbers as digits, pass"
    r" missing_codes= for codes of missing ratings, or pass labels= if the strings are"
    r" labels\."
)


@each_function
@pytest.mark.parametrize("form", MIXED)
@pytest.mark.parametrize("at", [0, 77, 200])
def test_a_row_of_strings_among_numbers(name: str, form: str, at: int) -> None:
    """One row 'x', 'x' among grades 1 to 10 must not turn the grades into strings."""
    take = TAKERS[name]
    y1, y2 = (MIXED[form]([*c[:at], "x", *c[at:]]) for c in (FIRST.tolist(), SECOND.tolist()))
    # Dropped values are missing, not mistyped.
    for options in ({}, {"missing": "drop"}, {"missing": "drop", "missing_codes": ["y"]}):
        with pytest.raises(ValueError, match=ODD):
            take(y1, y2, **options)
    found = take(y1, y2, missing="drop", missing_codes=["x"])
    assert found.kappa == pytest.approx(KAPPA, abs=1e-14)
    assert (found.n, found.missing, found.n_dropped) == (200, (1, 1), 1)
    labels = [*map(str, range(1, 11)), "x"]
    kept = take(y1, y2, labels=labels)
    assert kept.labels.tolist() == labels
    assert kept.table[:10, :10].tolist() == TABLE.tolist()
    assert kept.table[10, 10] == 1


def test_predictions_with_a_string_among_numbers() -> None:
    truth, first, second = [*FIRST.tolist(), 3], [*SECOND.tolist(), "x"], [*FIRST.tolist(), 4]
    for options in ({}, {"missing": "drop"}):
        with pytest.raises(ValueError, match=r"first contains numbers and also 'x' \(1 time\)"):
            compare_predictions(first, second, y_true=truth, weights="quadratic", **options)
    found = compare_predictions(
        first, second, y_true=truth, weights="quadratic", missing="drop", missing_codes=["x"]
    )
    assert found.kappas == pytest.approx((KAPPA, 1))


def test_strings_among_the_numbers_of_one_column_beside_labels() -> None:
    with pytest.raises(
        ValueError,
        match=r"y2 contains numbers and also 'x' \(1 time\): if the strings are labels,"
        r" write all ratings and all labels as strings\.",
    ):
        agreement([1, 2, 3, 3], [1, 2, 3, "x"], labels=[1, 2, 3, "x"])


CODED: dict[str, tuple[Any, list[Any]]] = {
    "-9": ([1, -9, 2, 2, 3], [-9]),
    "floats": (np.array([1, -9.0, 2, 2, 3]), [-9]),
    "NA": (["1", "NA", "2", "2", "3"], ["NA", "."]),
    "a point among numbers": ([1, ".", 2, 2, 3], ["."]),
    "series": (pd.Series(["1", ".", "2", "2", "3"]), ["."]),
    "categorical": (pd.Categorical(["1", ".", "2", "2", "3"]), ["."]),
    "polars": (pl.Series(["1", ".", "2", "2", "3"]), ["."]),
    "pyarrow": (pa.array(["1", ".", "2", "2", "3"]), ["."]),
    "pyarrow dictionary": (pa.array(["1", ".", "2", "2", "3"]).dictionary_encode(), ["."]),
    "a number among strings": (["1", "-9", "2", "2", "3"], [-9]),
    "a string among numbers": ([1, -9, 2, 2, 3], ["-9", "NA"]),
    "polars enum": (pl.Series(list("1.223"), dtype=pl.Enum(list("123."))), ["."]),
}


@pytest.mark.parametrize(("name", "coded"), CODED.items(), ids=CODED)
def test_codes_for_missing_ratings(name: str, coded: tuple[Any, list[Any]]) -> None:
    y1, codes = coded
    y2: list[Any] = [1, 1, 2, 3, 3]
    if name not in ("-9", "floats", "a point among numbers", "a string among numbers"):
        y2 = [*map(str, y2)]
    with pytest.raises(
        ValueError,
        match=r"y1 has 1 missing value in 5 items, the first at position 1: pass missing='drop'",
    ):
        agreement(y1, y2, missing_codes=codes)
    found = agreement(y1, y2, missing_codes=codes, missing="drop")
    assert (found.n, found.missing, found.n_dropped) == (4, (1, 0), 1)
    assert found.table[:3, :3].tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    in_groups = agreement_by(y1, y2, groups=["a"] * 5, missing_codes=codes, missing="drop")
    assert in_groups.pooled.table.tolist() == found.table.tolist()
    assert (in_groups.missing, in_groups.n_dropped) == ((0, 1, 0), 1)
    compared = compare_predictions(y1, y2, y_true=y2, missing_codes=codes, missing="drop")
    # 3 of 4 items agree; by chance, 1 + 2 * 1 + 2 = 5 of 16.
    assert compared.kappas == pytest.approx(((3 / 4 - 5 / 16) / (1 - 5 / 16), 1))


def test_codes_for_members_of_an_enum() -> None:
    grade = enum.Enum("grade", [("LOW", 1), ("HIGH", 2), ("UNKNOWN", 9)])
    y1 = [grade.LOW, grade.UNKNOWN, grade.HIGH, grade.LOW]
    y2 = [grade.LOW, grade.LOW, grade.HIGH, grade.HIGH]
    for codes in ([grade.UNKNOWN], [9]):
        found = agreement(y1, y2, missing="drop", missing_codes=codes)
        assert found.table.tolist() == [[1, 1], [0, 1]]
        assert found.missing == (1, 0)


def test_groups_have_no_codes_for_missing_ratings() -> None:
    """The country code of Namibia is not a missing group."""
    found = agreement_by(
        ["1", "2", "1", "NA"],
        ["1", "1", "2", "1"],
        groups=["NA", "NA", "ZA", "ZA"],
        missing="drop",
        missing_codes=["NA"],
    )
    assert {group: result.n for group, result in found.items()} == {"NA": 2, "ZA": 1}
    assert found.missing == (0, 1, 0)


@pytest.mark.parametrize("codes", ["NA", -9, None, [[1]]])
def test_codes_must_be_a_list(codes: Any) -> None:
    takes: tuple[tuple[Any, Any], ...] = (
        (agreement, {}),
        (agreement_by, {"groups": [1, 2]}),
        (compare_predictions, {"y_true": [1, 2]}),
    )
    for take, third in takes:
        with pytest.raises(
            ValueError,
            match=f"missing_codes must be a list of ratings, got {re.escape(repr(codes))}",
        ):
            take([1, 2], [1, 2], **third, missing_codes=codes)


@each_function
@pytest.mark.parametrize("gap", ["", "-", "?", "NA", "#N/A"])
def test_what_stands_for_missing_among_numbers_is_dropped(name: str, gap: str) -> None:
    y1, y2 = [*FIRST.tolist(), gap], [*SECOND.tolist(), 3]
    found = TAKERS[name](y1, y2, missing="drop")
    assert found.kappa == pytest.approx(KAPPA, abs=1e-14)
    assert (found.n, found.missing) == (200, (1, 0))
    # Given codes define the missing values.
    with pytest.raises(ValueError, match="y1 contains numbers and also"):
        TAKERS[name](y1, y2, missing="drop", missing_codes=["x"])


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA])
def test_objects_without_codes_are_dropped_everywhere(nothing: Any) -> None:
    y1, y2 = pd.Series([1, 2, 2, "?", nothing], dtype=object), [1, 2, 1, 1, 2]
    # The table is [[1, 0], [1, 1]]: p_o 2/3, p_e (1 * 2 + 2 * 1) / 9.
    expected = pytest.approx(0.4, abs=1e-15)
    found = agreement(y1, y2, missing="drop")
    assert (found.n, found.kappa) == (3, expected)
    in_groups = agreement_by(y1, y2, groups=["g"] * 5, missing="drop")
    assert (in_groups.pooled.n, in_groups.pooled.kappa) == (3, expected)
    total = ConfusionAccumulator()
    total.update(y1, y2, missing="drop")
    assert total.kappa() == expected
    assert score_many(y1, {"red": y2}, missing="drop").kappas[0] == expected
    board = leaderboard(y1, {"red": y2}, missing="drop", n_resamples=0)
    assert board.kappa[0] == expected
    compared = compare_predictions(y2, y2, y_true=y1, missing="drop", interval_method="asymptotic")
    assert compared.kappas == (expected, expected)


def test_the_mask_of_objects_is_unchanged() -> None:
    y1 = np.ma.array([1, 2, "?", 3, 1], mask=[0, 0, 0, 1, 0], dtype=object)
    assert agreement(y1, [1, 2, 2, 1, 1], missing="drop").n == 3
    assert y1.mask.tolist() == [False, False, False, True, False]


def test_a_frame_in_place_of_a_column() -> None:
    frame = pd.DataFrame({"a": [1, 2, 2], "b": [1, 2, 1]})
    with pytest.raises(TypeError, match=r"must be the ratings of two raters.* frame\['a'\] and"):
        agreement_by(frame, groups=[1, 1, 2])
