"""Ids, and long form, passed in place of one column per rater."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa.measurements import (
    concordance_correlation,
    continuous_kappa,
    intraclass_correlation,
    limits_of_agreement,
    overall_concordance_correlation,
)

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "intraclass": intraclass_correlation,
    "concordance": overall_concordance_correlation,
}
pl = pytest.importorskip("polars")
RNG = np.random.default_rng(1)
BASE = RNG.normal(50, 10, 15)
R1, R2 = BASE + RNG.normal(0, 2, 15), BASE + RNG.normal(0, 2, 15)
COLUMNS = {"subject": np.arange(1, 16), "r1": R1, "r2": R2}
LONG = {
    "subject": np.repeat(np.arange(1, 16), 2),
    "rater": np.tile([1, 2], 15),
    "value": np.stack([R1, R2], axis=1).ravel(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames(name: str, make: Any) -> None:
    take = FUNCTIONS[name]
    with pytest.raises(
        ValueError, match=r"column 'subject' of ratings seems to contain ids .*'subject'"
    ):
        take(make(COLUMNS))
    remedy = r"ratings\.pivot\(index='subject', columns='rater', values='value'\)"
    with pytest.raises(
        ValueError, match=rf"one row per measurement: 'subject' and 'rater'.*{remedy}"
    ):
        take(make(LONG))
    # Not every rater measured every subject.
    part = {key: column[:-3] for key, column in LONG.items()}
    with pytest.raises(ValueError, match="seem to have one row per measurement"):
        take(make(part))
    letters = {**LONG, "rater": np.where(LONG["rater"] == 1, "a", "b").tolist()}
    with pytest.raises(ValueError, match=r"rater must be real numbers, got .*one column per rat"):
        take(make(letters))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_remedies_are_right(name: str) -> None:
    take, wide = FUNCTIONS[name], pd.DataFrame(COLUMNS)
    expected = str(take(np.stack([R1, R2], axis=1))).splitlines()[-1]
    assert str(take(wide.drop(columns="subject"))).splitlines()[-1] == expected
    pivoted = pd.DataFrame(LONG).pivot(index="subject", columns="rater", values="value")
    assert str(take(pivoted)).splitlines()[-1] == expected


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays(name: str) -> None:
    take = FUNCTIONS[name]
    with pytest.raises(
        ValueError, match=r"column 0 of ratings seems to contain ids.*np\.delete\(ratings, 0"
    ):
        take(np.stack([*COLUMNS.values()], axis=1))
    with pytest.raises(ValueError, match="columns 0 and 1 have each combination of values"):
        take(np.stack([*LONG.values()], axis=1))
    grades = RNG.integers(1, 6, (20, 3))
    with pytest.raises(ValueError, match="column 3 of ratings seems to contain ids"):
        take(np.column_stack([grades, np.arange(20)]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_measurements_that_count_up_are_measurements(name: str) -> None:
    take = FUNCTIONS[name]
    known = np.arange(1, 11)
    assert take(np.stack([known, known + 0.2 * np.cos(known)], axis=1)) is not None
    ranks = np.array([2, 1, 3, 5, 4, 6, 8, 7, 10, 9])
    assert take(pd.DataFrame({"a": known, "b": ranks, "c": ranks[::-1]})) is not None


def test_pairs_of_columns_are_what_was_named() -> None:
    known, found = [1, 2, 3, 4, 5, 6], [1.1, 2.2, 2.9, 4.1, 5.2, 6.0]
    assert concordance_correlation(known, found).n_subjects == 6
    assert limits_of_agreement(known, found).n_subjects == 6


PAIRS = {"limits": limits_of_agreement, "concordance": concordance_correlation}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_ids_given_as_one_of_two_raters(name: str, make: Any) -> None:
    take, wide, long = PAIRS[name], make(COLUMNS), make(LONG)
    with pytest.raises(
        ValueError, match=r"y1 \('subject'\) seems to contain ids .*Pass the measurements"
    ):
        take(wide["subject"], wide["r1"])
    with pytest.raises(ValueError, match="y2 seems to contain ids of subjects or raters"):
        take(R1, np.arange(15))
    for ids in ("subject", "rater"):
        with pytest.raises(
            ValueError, match=rf"y1 \('{ids}'\) seems to contain ids .*ratings\.pivot"
        ):
            take(long[ids], long["value"])
    with pytest.raises(ValueError, match="y1 seems to contain ids"):
        take(np.asarray(LONG["subject"]), LONG["value"])


def test_ids_in_the_order_of_the_rows() -> None:
    ranks = [2, 1, 3, 5, 4, 6, 8, 7, 9, 11, 10, 12, 14, 13, 15]
    for other in (R1, [1, 3, 2, 2, 5] * 3):
        for take in PAIRS.values():
            with pytest.raises(ValueError, match="y2 seems to contain ids of subjects"):
                take(other, range(1, 16))
        with pytest.warns(UserWarning, match="y_pred numbers the items, as ids do"):
            continuous_kappa(other, range(1, 16))
    # Predictions of ranks have as many different values.
    for take in (*PAIRS.values(), continuous_kappa):
        take([*range(1, 16)], ranks)


FAR: dict[str, Callable[[Any, Any], Any]] = {
    **PAIRS,
    "continuous_kappa": continuous_kappa,
    "intraclass": lambda y1, y2: intraclass_correlation(np.stack([y1, y2], axis=1)),
}


@pytest.mark.parametrize("name", FAR)
def test_numbers_far_above_a_scale(name: str) -> None:
    scale, other = [1, 2, 3, 4, 5] * 6, [1, 2, 3, 5, 4] * 6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FAR[name](scale, other)
        # Measurements that are no scale can differ by any factor.
        FAR[name]([0.5, 1.5, 2.5, 40.5] * 5, [0.5, 1.0, 2.5, 41.5] * 5)
    with pytest.warns(UserWarning, match="contains 44. Such numbers often mean .* typing error"):
        FAR[name]([*scale, 44], [*other, 4])


@pytest.mark.parametrize("name", PAIRS)
def test_measurements_in_order_are_measurements(name: str) -> None:
    for known, found in (
        ([1, 1, 2, 2, 3, 3], [1, 2, 2, 2, 3, 3]),
        ([0, 1, 0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 1, 1, 0, 0]),
        ([10, 20, 30, 40, 50, 60], [11, 19, 33, 42, 48, 60]),
        ([50, 51, 49, 50, 52, 51], [80, 82, 81, 85, 84, 81]),
    ):
        first, second = pd.Series(known, name="physician"), pd.Series(found, name="patient")
        assert PAIRS[name](first, second).n_subjects == len(known)


@pytest.mark.parametrize("name", PAIRS)
def test_a_frame_in_the_place_of_two_columns(name: str) -> None:
    with pytest.raises(TypeError, match=r"such as frame\['r1'\] and frame\['r2'\]"):
        PAIRS[name](pd.DataFrame(COLUMNS)[["r1", "r2"]])
    twice = pd.DataFrame([[1.0, 2.0]] * 6, columns=["r", "r"])
    with pytest.raises(TypeError, match=r"such as frame.iloc\[:, 0\] and frame.iloc\[:, 1\]"):
        PAIRS[name](twice)
    with pytest.raises(TypeError, match="y2 must be a list or an array"):
        PAIRS[name](R1)
