"""Columns of any library, read by the protocols that they support."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import ConfusionAccumulator, Ratings, agreement, confusion_counts
from tests.helpers.absent import library

pa, pl, narwhals = library("pyarrow"), library("polars"), library("narwhals")

Y1 = [1, 2, 3, 1, 2, 3, 3, 1]
Y2 = [1, 2, 3, 2, 2, 1, 3, 1]
GRADES = ["poor", "fair", "good"]


class Only:
    """An object with a single method of another object."""

    def __init__(self, whole: Any, *names: str) -> None:
        self._whole, self._names = whole, names

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("_names", ()):
            return getattr(self._whole, name)
        raise AttributeError(name)


FORMS: dict[str, Callable[[list[Any]], Any]] = {
    "Arrow array": lambda column: Only(pa.array(column), "__arrow_c_array__"),
    "Arrow stream": lambda column: Only(pa.chunked_array([column]), "__arrow_c_stream__"),
    "narwhals": lambda column: narwhals.from_native(pl.Series(column), series_only=True),
    "DLPack": lambda column: Only(np.array(column), "__dlpack__", "__dlpack_device__"),
}


def of(counts: Any) -> list[Any]:
    return [counts.table.tolist(), counts.labels.tolist()]


def accumulated(y1: Any, y2: Any) -> Any:
    total = ConfusionAccumulator()
    total.update(y1, y2)
    return of(total)


ENTRANCES: dict[str, Callable[[Any, Any], Any]] = {
    "agreement": lambda y1, y2: str(agreement(y1, y2)),
    "agreement, what is missing left out": lambda y1, y2: str(agreement(y1, y2, missing="drop")),
    "agreement, a missing code": lambda y1, y2: str(
        agreement(y1, y2, missing="drop", missing_codes=[2])
    ),
    "agreement_by": lambda y1, y2: str(fastkappa.agreement_by(y1, y2, groups=list("aaaabbbb"))),
    "clusters": lambda y1, y2: str(agreement(y1, y2, clusters=y1)),
    "weights": lambda y1, y2: of(confusion_counts(y1, y2, sample_weight=y1)),
    "labels": lambda y1, y2: of(confusion_counts(y1, y2, labels=[3, 1])),
    "ConfusionAccumulator": accumulated,
    "Ratings": lambda y1, y2: (
        fastkappa.pairwise_kappa(Ratings.from_raters({"a": y1, "b": y2})).mean
    ),
    "from_long": lambda y1, y2: (
        fastkappa.fleiss_kappa(
            Ratings.from_long(item=[*range(4)] * 2, rater=["a"] * 4 + ["b"] * 4, rating=y1)
        ).value
    ),
    "leaderboard": lambda y1, y2: fastkappa.leaderboard(
        y1, {"m": y2}, n_resamples=0
    ).kappa.tolist(),
    "thresholds": lambda y1, y2: fastkappa.optimal_thresholds(y1, y2).kappa,
    "KappaRounder": lambda y1, y2: (
        fastkappa.estimators.KappaRounder(cv=None).fit(np.array(Y2), y1).kappa_
    ),
    "continuous_kappa": lambda y1, y2: fastkappa.measurements.continuous_kappa(y1, y2),
    "mapping": lambda y1, y2: of(fastkappa.confusion_from_source({"a": y1, "b": y2}, "a", "b")),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_every_entrance_reads_them(form: str, entrance: str) -> None:
    call, make = ENTRANCES[entrance], FORMS[form]
    assert call(make(Y1), make(Y2)) == call(np.array(Y1), np.array(Y2))


def test_strings_and_their_order() -> None:
    strings = [[GRADES[label - 1] for label in column] for column in (Y1, Y2)]
    expected = confusion_counts(Y1, Y2).table.tolist()
    enum = pl.Enum(GRADES)
    for make in (
        lambda column: narwhals.from_native(pl.Series(column, dtype=enum), series_only=True),
        lambda column: Only(pl.Series(column, dtype=enum), "__arrow_c_stream__"),
        lambda column: pl.Series(column, dtype=enum),
    ):
        y1, y2 = map(make, strings)
        for found in (
            confusion_counts(y1, y2),
            fastkappa.confusion_from_source({"a": y1, "b": y2}, "a", "b"),
        ):
            assert of(found) == [expected, GRADES]
    y1, y2 = (Only(pa.array(column), "__arrow_c_array__") for column in strings)
    assert confusion_counts(y1, y2).labels.tolist() == sorted(GRADES)


@pytest.mark.parametrize("form", ["Arrow array", "Arrow stream", "narwhals"])
def test_what_is_missing_is_found(form: str) -> None:
    y1, y2 = FORMS[form]([None, *Y1]), FORMS[form]([1, *Y2])
    with pytest.raises(
        ValueError, match="y1 has 1 missing value in 9 items, the first at position 0"
    ):
        confusion_counts(y1, y2)
    assert agreement(y1, y2, missing="drop").kappa == agreement(Y1, Y2).kappa


def test_the_name_of_a_series_is_that_of_the_rater() -> None:
    series = (
        narwhals.from_native(pl.Series(name, Y1), series_only=True) for name in ("Ann", "Ben")
    )
    assert "Ann" in str(agreement(*series))


def test_an_array_of_cupy_is_copied_by_its_own_method() -> None:
    class Array:
        __module__ = "cupy"

        def __array__(self, *_: Any, **__: Any) -> Any:
            raise TypeError("Implicit conversion to a NumPy array is not allowed.")

        def __len__(self) -> int:
            return len(Y1)

        def get(self) -> Any:
            return np.array(Y1)

    assert confusion_counts(Array(), Y2).table.tolist() == confusion_counts(Y1, Y2).table.tolist()
