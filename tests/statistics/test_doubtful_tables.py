"""Tables that contain more or less than counts: totals, or proportions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    Ratings,
    agreement_from_confusion,
    bootstrap,
    compare_independent,
    compare_strata,
    kappa_from_confusion,
    kappa_posterior,
)
from tests.helpers.absent import library

pd = library("pandas")

COUNTS = np.array([[20, 5, 3], [10, 15, 2], [1, 4, 9]])
CALLS: dict[str, Callable[[Any], Any]] = {
    "kappa_from_confusion": kappa_from_confusion,
    "agreement_from_confusion": agreement_from_confusion,
    "bootstrap": lambda table: bootstrap(table, n_resamples=999),
    "kappa_posterior": lambda table: kappa_posterior(table, n_draws=999),
    "compare_independent": lambda table: compare_independent(table, COUNTS),
    "compare_strata": lambda table: compare_strata({"a": table, "b": COUNTS}),
    "Ratings.from_table": Ratings.from_table,
}


def with_margins(table: np.ndarray) -> np.ndarray:
    with_rows = np.append(table, table.sum(axis=1, keepdims=True), axis=1)
    return np.append(with_rows, with_rows.sum(axis=0, keepdims=True), axis=0)


@pytest.mark.parametrize("name", CALLS)
def test_sums_beside_a_table_are_warned_of(name: str) -> None:
    table = with_margins(COUNTS)
    with pytest.warns(UserWarning, match=r"last row and column of .* sums.*pass table\[:-1, :-1\]"):
        CALLS[name](table)
    first = np.roll(table, 1, axis=(0, 1))
    with pytest.warns(UserWarning, match=r"first row and column .*pass table\[1:, 1:\]"):
        CALLS[name](first)
    with pytest.warns(UserWarning, match="last row and column"):
        CALLS[name](table.astype(np.uint8))


def test_sums_of_another_name_than_that_of_pandas_are_warned_of() -> None:
    frame = pd.DataFrame(with_margins(COUNTS), *[["a", "b", "c", "Gesamt"]] * 2)
    with pytest.warns(UserWarning, match="last row and column of table equal the sums"):
        agreement_from_confusion(frame)


def test_sums_of_proportions_and_of_the_first_of_a_stack_are_warned_of() -> None:
    table = with_margins(COUNTS) / COUNTS.sum()
    with pytest.warns(UserWarning, match="last row and column of table equal the sums"):
        kappa_from_confusion(table)
    with pytest.warns(UserWarning, match="last row and column of table equal the sums"):
        kappa_from_confusion([with_margins(COUNTS)] * 2)


@pytest.mark.parametrize("name", CALLS)
def test_plain_tables_are_silent(name: str) -> None:
    half_by_chance = [[1, 0, 1], [0, 1, 1], [1, 1, 2]]
    one_label = [[30, 0, 30], [0, 0, 0], [30, 0, 30]]
    sums_of_columns_alone = [[20, 5, 3], [10, 15, 2], [30, 20, 9]]
    percentages = [[40, 10], [20, 30]]
    equal_groups = [[90, 10], [20, 80]]
    for table in (
        COUNTS,
        half_by_chance,
        one_label,
        sums_of_columns_alone,
        percentages,
        equal_groups,
        np.eye(3),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "kappa is undefined|.*standard error")
            CALLS[name](np.array(table))


def test_a_table_normalized_by_row_or_column_is_warned_of() -> None:
    by_row = COUNTS / COUNTS.sum(axis=1, keepdims=True)
    for table, which in ((by_row, "row"), (100 * by_row, "row"), (by_row.T, "column")):
        with pytest.warns(UserWarning, match=f"each {which} of table .* pass the table before"):
            kappa_from_confusion(table)


def test_proportions_of_all_items_have_the_kappa_of_their_counts(
    recwarn: pytest.WarningsRecorder,
) -> None:
    expected = kappa_from_confusion(COUNTS)
    assert kappa_from_confusion(COUNTS / COUNTS.sum()) == pytest.approx(expected, abs=1e-15)
    # Weights whose sums happen to be whole for each rater.
    kappa_from_confusion([[0.5, 1.5], [0.5, 2.5]])
    assert not recwarn.list


@pytest.mark.parametrize("sums", [None, 0, 1])
def test_counts_are_asked_for_where_proportions_are_given(sums: int | None) -> None:
    table = COUNTS / COUNTS.sum(axis=sums, keepdims=True)
    with pytest.raises(ValueError, match="Proportions do not show the number of items: pass the c"):
        agreement_from_confusion(table)
    with pytest.raises(ValueError, match=r"kappa_from_confusion, or leaderboard\(\.\.\., sample_w"):
        agreement_from_confusion(COUNTS + 0.5)


@pytest.mark.parametrize("axis", [0, 1])
def test_sums_on_one_side_are_named_as_the_reason(axis: int) -> None:
    table = np.append(COUNTS, COUNTS.sum(axis=axis, keepdims=True), axis=axis)
    with pytest.raises(ValueError, match=r"If a row or a column contains totals, remove it"):
        kappa_from_confusion(table)


def test_sums_beside_counts_of_raters_are_warned_of() -> None:
    counts = np.array([[3, 0], [1, 2], [0, 3], [2, 1], [3, 0]])
    with pytest.warns(UserWarning, match="the last column of counts is the sum of the other"):
        Ratings.from_counts(np.append(counts, counts.sum(axis=1, keepdims=True), axis=1))


def test_plain_counts_of_raters_are_silent(recwarn: pytest.WarningsRecorder) -> None:
    # The second of two raters always gave the last label.
    Ratings.from_counts([[1, 0, 1], [0, 1, 1], [1, 0, 1], [1, 0, 1], [0, 1, 1], [1, 0, 1]])
    Ratings.from_counts([[2, 0, 2], [1, 1, 2], [0, 2, 2]])
    Ratings.from_counts([[2, 0, 2], [1, 1, 2], [0, 2, 2], [4, 0, 0], [1, 1, 2]])
    assert not recwarn.list
