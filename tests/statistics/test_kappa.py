"""Kappa of tables: published figures, and changes without effect."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa import cohen_kappa_score, kappa_from_confusion
from fastkappa.statistics.kappa import expected_agreement, observed_agreement
from tests.helpers.exact_kappa import (
    NAMED,
    assert_exact,
    disagreement,
    exact_kappa,
)
from tests.helpers.published import CUSTOM_WEIGHTS, QUADRATIC, TABLES


@pytest.mark.parametrize("weights", NAMED)
@pytest.mark.parametrize("name", TABLES)
def test_published_tables(name: str, weights: Any) -> None:
    published = TABLES[name]
    fraction, value = getattr(published, weights or "unweighted")
    kappa = kappa_from_confusion(published.table, weights=weights)
    assert kappa == float(Fraction(fraction))
    assert kappa == pytest.approx(value, rel=1e-14)
    printed = (published.printed or {}).get(weights or "unweighted")
    if printed is not None:
        digits = len(str(printed).partition(".")[2])
        assert round(kappa, digits) == printed
    assert exact_kappa(published.table, weights) == Fraction(fraction)


@pytest.mark.parametrize("name", TABLES)
def test_published_agreement(name: str) -> None:
    published = TABLES[name]
    assert observed_agreement(published.table) == pytest.approx(published.observed, rel=1e-14)
    assert expected_agreement(published.table) == pytest.approx(published.expected, rel=1e-14)


@pytest.mark.parametrize("name", CUSTOM_WEIGHTS)
def test_published_weights(name: str) -> None:
    custom = CUSTOM_WEIGHTS[name]
    table = TABLES[custom.table].table
    assert kappa_from_confusion(table, weights=custom.weights) == pytest.approx(
        custom.kappa, rel=1e-14
    )
    if custom.printed is not None:
        assert round(kappa_from_confusion(table, weights=custom.weights), 3) == custom.printed
    swapped = np.transpose(custom.weights)
    assert kappa_from_confusion(np.transpose(table), weights=swapped) == kappa_from_confusion(
        table, weights=custom.weights
    )


def test_rows_of_a_weight_matrix_are_the_first_raters() -> None:
    custom = CUSTOM_WEIGHTS["asymmetric"]
    table = TABLES[custom.table].table
    first, second = (
        [i for i in range(3) for j in range(3) for _ in range(table[i][j])],
        [j for i in range(3) for j in range(3) for _ in range(table[i][j])],
    )
    assert kappa_from_confusion(table, weights=custom.weights) == pytest.approx(0.3533834586466166)
    transposed = np.transpose(custom.weights)
    assert kappa_from_confusion(table, weights=transposed) != pytest.approx(
        0.3533834586466166, abs=1e-3
    )
    for matrix in (custom.weights, np.array(custom.weights)):
        assert cohen_kappa_score(first, second, weights=matrix) == kappa_from_confusion(
            table, weights=custom.weights
        )
    assert cohen_kappa_score(second, first, weights=transposed) == kappa_from_confusion(
        table, weights=custom.weights
    )


@pytest.mark.parametrize("name", QUADRATIC)
def test_published_ratings(name: str) -> None:
    first, second, labels, kappa = QUADRATIC[name]
    value = cohen_kappa_score(first, second, labels=labels, weights="quadratic")
    assert value == pytest.approx(kappa, rel=1e-14)


tables = st.integers(2, 6).flatmap(
    lambda n: st.lists(
        st.lists(st.one_of(st.integers(0, 9), st.integers(0, 10**12)), min_size=n, max_size=n),
        min_size=n,
        max_size=n,
    )
)


@given(table=tables, weights=st.sampled_from(NAMED))
def test_any_table_is_exact(table: Any, weights: Any) -> None:
    assert_exact(np.array(table), weights)


@given(table=tables, weights=st.sampled_from(NAMED), factor=st.sampled_from([2, 3, 7, 1000]))
def test_what_changes_nothing(table: Any, weights: Any, factor: int) -> None:
    counts = np.array(table)
    if exact_kappa(counts, weights) is None:
        return
    kappa = kappa_from_confusion(counts, weights=weights)
    assert kappa <= 1
    assert kappa_from_confusion(counts.T, weights=weights) == kappa
    assert kappa_from_confusion(counts * factor, weights=weights) == kappa
    assert kappa_from_confusion(counts[::-1, ::-1], weights=weights) == kappa
    matrix = disagreement(weights, len(table)).astype(np.int64)
    assert kappa_from_confusion(counts, weights=matrix) == kappa
    assert kappa_from_confusion(counts, weights=matrix * factor) == kappa
    assert kappa_from_confusion(counts, weights=matrix * 0.125) == kappa


def test_agreement_of_empty_tables_is_nan() -> None:
    assert math.isnan(observed_agreement([[0, 0], [0, 0]]))
    assert math.isnan(expected_agreement([[0, 0], [0, 0]]))


def test_agreement_of_large_tables() -> None:
    table = np.array([[2**63, 2**62], [1, 2**63]], np.uint64)
    n = 2**64 + 2**62 + 1
    assert observed_agreement(table) == float(Fraction(2**64, n))
    by_chance = (2**63 + 2**62) * (2**63 + 1) + (2**63 + 1) * (2**63 + 2**62)
    assert expected_agreement(table) == float(Fraction(by_chance, n**2))
