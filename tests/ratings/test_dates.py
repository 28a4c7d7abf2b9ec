"""Dates in different units are compared exactly, and can be codes for missing ratings."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa import (
    ConfusionAccumulator,
    Ratings,
    agreement,
    cohen_kappa_score,
    compare_predictions,
    confusion_counts,
    conger_kappa,
    score_many,
)
from fastkappa.ratings.labels import cast_dates, common_unit
from tests.helpers.absent import library

pl = library("polars")

# 64-bit nanoseconds end in 2262.
FAR = "9999-12-31"
FIRST = np.array(["2001-01-01", FAR, "2001-01-01", "2002-01-01"], "M8[D]")
SECOND = np.array(["2002-01-01", "2002-01-01", "2001-01-01", "2002-01-01"], "M8[D]")
LABELS = ["2001-01-01", "2002-01-01", FAR]
TABLE = [[1, 1, 0], [0, 1, 0], [0, 1, 0]]
# The distances of the labels sum to 2, and to 12 / 4 by chance.
LINEAR = 1 - 2 / 3
LENGTHS = {"D": 86400 * 10**9, "h": 3600 * 10**9, "s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


def _accumulated(y1: Any, y2: Any) -> ConfusionAccumulator:
    """Add y1 with itself, then with the intended column."""
    total = ConfusionAccumulator()
    total.update(y2, y2)
    total.update(y1, y1)
    total.update(y1, y2)
    total.subtract(y1, y1)
    total.subtract(y2, y2)
    return total


KAPPAS: dict[str, Callable[[Any, Any], float]] = {
    "cohen_kappa_score": lambda a, b: cohen_kappa_score(a, b, weights="linear"),
    "agreement": lambda a, b: agreement(a, b, weights="linear").kappa,
    "pandas": lambda a, b: cohen_kappa_score(pd.Series(a), pd.Series(b), weights="linear"),
    "score_many": lambda a, b: score_many(a, {"b": b}, weights="linear").kappas[0],
    "second of many": lambda a, b: score_many(b, {"b": b.copy(), "a": a}, weights="linear").kappas[
        1
    ],
    "with item weights": lambda a, b: score_many(
        b, {"b": b.copy(), "a": a}, weights="linear", sample_weight=[1] * 4
    ).kappas[1],
    "accumulator": lambda a, b: _accumulated(a, b).kappa(weights="linear"),
}


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
@pytest.mark.parametrize("name", KAPPAS)
def test_no_date_is_wrapped_around(name: str, unit: str) -> None:
    first, second = FIRST.astype("M8[s]"), SECOND.astype(f"M8[{unit}]")
    for pair in ((first, second), (second, first)):
        assert KAPPAS[name](*pair) == pytest.approx(LINEAR, abs=1e-15)


@pytest.mark.parametrize("unit", ["D", "h", "s", "us", "ns"])
def test_dates_of_two_units_are_one_label_or_two(unit: str, backend: str) -> None:
    counts = confusion_counts(FIRST, SECOND.astype(f"M8[{unit}]"), backend=backend)
    assert counts.labels.astype("M8[D]").astype(str).tolist() == LABELS
    assert counts.table.tolist() == TABLE
    durations = np.array([0, 2**55], "m8[s]"), np.array([0, 0], "m8[ns]")
    assert confusion_counts(*durations, backend=backend).table.tolist() == [[1, 0], [1, 0]]


def test_raters_with_dates_of_three_units() -> None:
    raters = [FIRST, SECOND.astype("M8[ns]"), SECOND.astype("M8[s]")]
    ratings = Ratings.from_raters(raters)
    assert ratings.labels.astype(str).tolist() == LABELS
    same = Ratings.from_raters([FIRST, SECOND, SECOND])
    assert conger_kappa(ratings).value == conger_kappa(same).value
    # Two of the four ratings agree, and 5 of 16 by chance.
    of_two = conger_kappa(Ratings.from_raters(raters[:2])).value
    assert of_two == pytest.approx((1 / 2 - 5 / 16) / (1 - 5 / 16), abs=1e-15)


def test_predictions_with_dates_of_three_units() -> None:
    first, second = SECOND, SECOND[::-1]
    found = compare_predictions(first.astype("M8[ns]"), second.astype("M8[s]"), y_true=FIRST)
    assert found.kappas == compare_predictions(first, second, y_true=FIRST).kappas


def test_big_endian_dates_are_reported_as_they_are() -> None:
    swapped = FIRST.astype(">M8[D]"), SECOND.astype(">M8[D]")
    assert Ratings.from_raters(swapped).labels.astype(str).tolist() == LABELS
    assert agreement(*swapped).labels.astype(str).tolist() == LABELS


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (cohen_kappa_score, "y2|y_pred"),
        (lambda a, b: cohen_kappa_score(b, a), "y1|y_true"),
        (lambda a, b: agreement(a, b), "y2"),
        (lambda a, b: score_many(a, {"far": b}), "prediction 'far'"),
        (lambda a, b: score_many(a, {"a": a.copy(), "far": b}), "prediction 'far'"),
        (lambda a, b: Ratings.from_raters([a, b]), "ratings"),
    ],
)
def test_dates_that_no_unit_holds_are_named(call: Callable[..., Any], name: str) -> None:
    odd = SECOND.astype("M8[ns]") + np.timedelta64(1, "ns")
    with pytest.raises(
        ValueError, match=rf"^({name}) contains {FAR}, which cannot .* as .*\[ns\]\."
    ):
        call(odd, FIRST)


def test_a_batch_of_dates_that_no_unit_holds_changes_nothing() -> None:
    odd = SECOND.astype("M8[ns]") + np.timedelta64(1, "ns")
    total, other = ConfusionAccumulator(), ConfusionAccumulator()
    total.update(odd, odd)
    other.update(FIRST, FIRST)
    before = total.counts()
    for refused in (lambda: total.update(FIRST, SECOND), lambda: total.merge(other)):
        with pytest.raises(ValueError, match=f"ratings contains {FAR}, which"):
            refused()
        assert total.table.tolist() == before.table.tolist()
        assert total.labels.tolist() == before.labels.tolist()


def test_labels_that_the_unit_of_the_ratings_lacks_are_no_rating() -> None:
    second = SECOND.astype("M8[ns]")
    counts = confusion_counts(second, second, labels=np.array(LABELS, "M8[D]"))
    assert counts.table.tolist() == [[1, 0, 0], [0, 3, 0], [0, 0, 0]]
    noon = np.array(["2001-01-01T00", "2001-01-01T12", "2002-01-01T00"], "M8[h]")
    assert confusion_counts(SECOND, SECOND, labels=noon).table.tolist() == [
        [1, 0, 0],
        [0, 0, 0],
        [0, 0, 3],
    ]


@pytest.mark.parametrize("kind", "Mm")
@pytest.mark.parametrize("to", LENGTHS)
@pytest.mark.parametrize("given", LENGTHS)
def test_a_unit_holds_what_is_whole_in_it_and_within_64_bits(
    given: str, to: str, kind: str
) -> None:
    rng = np.random.default_rng(0)
    last = (2**63 - 1) * LENGTHS[to] // LENGTHS[given]
    numbers = [0, 1, -1, 2**62, 2**63 - 1, last, last + 1, 2 - last, -last - 1]
    numbers += (rng.integers(-(2**62), 2**62, 50) >> rng.integers(0, 62, 50)).tolist()
    numbers = [number for number in numbers if abs(number) < 2**63 and number > -(2**62)]
    dates = np.array(numbers).view(f"{kind}8[{given}]")
    for number, date in zip(numbers, cast_dates(dates, np.dtype(f"{kind}8[{to}]"))):
        whole, rest = divmod(number * LENGTHS[given], LENGTHS[to])
        assert np.isnat(date) == (rest != 0 or abs(whole) >= 2**63)
        assert np.isnat(date) or date.astype(np.int64) == whole


def test_weeks_and_months_have_no_unit_of_their_own() -> None:
    # The epoch was a Thursday, like the first and the eighth of February 2001.
    months = np.array(["2001-01", "2001-02"], "M8[M]")
    weeks = np.array(["2001-02-01", "2001-02-08"], "M8[W]")
    assert common_unit([months, weeks]) == np.dtype("M8[us]")
    assert common_unit([months[1:], weeks]) == np.dtype("M8[W]")


CODES: dict[str, Any] = {
    "NumPy": np.datetime64(FAR),
    "NumPy's seconds": np.datetime64(FAR, "s"),
    "date": datetime.date(9999, 12, 31),
    "datetime": datetime.datetime(9999, 12, 31),
    "pandas": pd.Timestamp(np.datetime64(FAR, "s")),
}
FORMS: dict[str, Callable[[Any], Any]] = {
    "days": lambda dates: dates,
    "list": list,
    "masked": np.ma.array,
    "pandas": lambda dates: pd.Series(dates.astype("M8[s]")),
    "categorical": lambda dates: pd.Series(dates.astype("M8[s]")).astype("category"),
    "ordered": lambda dates: pd.Categorical(
        dates.astype("M8[s]"), categories=np.array(LABELS, "M8[s]"), ordered=True
    ),
    "polars": lambda dates: pl.Series(dates.tolist()),
    "pyarrow": lambda dates: pa.array(dates),
}
# Without the item that has the code.
REST = [[1, 1], [0, 1]]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("form", FORMS)
def test_a_date_may_stand_for_a_missing_rating(form: str, code: str) -> None:
    first, second = FORMS[form](FIRST), FORMS[form](SECOND)
    options: dict[str, Any] = {"missing": "drop", "missing_codes": ["NA", -9, CODES[code]]}
    result = agreement(first, second, **options)
    assert (result.n_dropped, result.table.tolist()) == (1, REST)
    assert score_many(second, {"a": first}, **options).n_missing.tolist() == [1]
    assert score_many(first, {"b": second}, **options).tables.tolist() == [REST]
    total = ConfusionAccumulator()
    total.update(first, second, **options)
    assert total.n_missing == 1
    with pytest.raises(
        ValueError, match="y1 has 1 missing value in 4 items, the first at position 1"
    ):
        agreement(first, second, missing_codes=options["missing_codes"])
    ratings = Ratings.from_raters([first, second], missing_codes=options["missing_codes"])
    assert ratings.labels.astype("M8[D]").astype(str).tolist() == LABELS[:2]


def test_a_code_need_not_be_of_the_unit_of_all_ratings() -> None:
    second = SECOND.astype("M8[ns]") + np.timedelta64(1, "ns")
    codes = [np.datetime64(FAR)]
    result = agreement(FIRST, second, missing="drop", missing_codes=codes)
    assert (result.n_dropped, len(result.labels)) == (1, 4)
    assert len(Ratings.from_raters([FIRST, second], missing_codes=codes).labels) == 4
    durations = np.array([1, 2, 3], "m8[D]")
    codes = [datetime.timedelta(days=2), pd.Timedelta(36, "h"), np.timedelta64("NaT", "D")]
    assert (
        agreement(durations, durations.copy(), missing="drop", missing_codes=codes).n_dropped == 1
    )
