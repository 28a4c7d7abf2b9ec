"""Agreement of several raters: published and exact values."""

from __future__ import annotations

import math
import warnings
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import fastkappa
from fastkappa import (
    Ratings,
    agreement_from_confusion,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    light_kappa,
    pairwise_kappa,
    randolph_kappa,
)
from fastkappa.exceptions import undefined_metric_warning
from tests.helpers.exact_raters import alpha, coefficient
from tests.helpers.published import TABLES
from tests.helpers.published_raters import (
    DIAGNOSES,
    DIAGNOSES_BY_LABEL,
    DIAGNOSES_FLEISS,
    DIAGNOSES_IRR,
    DIAGNOSES_RANDOLPH,
    DIAGNOSES_Z,
    RELIABILITY_ALPHA,
    RELIABILITY_DATA,
    RELIABILITY_IRRCAC,
    RELIABILITY_NOMINAL,
    WORKED_COUNTS,
    WORKED_FLEISS,
)
from tests.helpers.quick import n_examples

WEIGHTED = (fleiss_kappa, randolph_kappa, conger_kappa, light_kappa)
LEVELS = ("nominal", "ordinal", "interval", "ratio")


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def test_fleiss_1971() -> None:
    ratings = Ratings.from_array(DIAGNOSES)
    counts = [[row.count(label) for label in range(1, 6)] for row in DIAGNOSES]
    by_counts = fleiss_kappa(Ratings.from_counts(counts, labels=range(1, 6)))
    for result in (fleiss_kappa(ratings), by_counts, fleiss_kappa(np.array(DIAGNOSES))):
        assert result.value == close(DIAGNOSES_FLEISS)
        assert result.value == pytest.approx(DIAGNOSES_IRR["fleiss"], abs=1e-12)
        assert result.z == pytest.approx(DIAGNOSES_Z, abs=5e-10 + 1e-10)
        assert [round(label.value, 3) for label in result.by_label] == DIAGNOSES_BY_LABEL
        assert [label.label for label in result.by_label] == [1, 2, 3, 4, 5]
    assert randolph_kappa(ratings).value == close(DIAGNOSES_RANDOLPH)
    assert conger_kappa(ratings).value == pytest.approx(DIAGNOSES_IRR["conger"], abs=1e-12)
    assert light_kappa(ratings).value == pytest.approx(DIAGNOSES_IRR["light"], abs=1e-12)
    assert pairwise_kappa(ratings).mean == pytest.approx(DIAGNOSES_IRR["light"], abs=1e-12)


def test_worked_example_of_many_raters() -> None:
    result = fleiss_kappa(Ratings.from_counts(WORKED_COUNTS))
    assert round(result.value, 3) == WORKED_FLEISS
    assert (result.n_subjects, result.n_raters, result.n_missing) == (10, 14, 0)


@pytest.mark.parametrize("level", LEVELS)
def test_krippendorff_2011(level: str) -> None:
    result = krippendorff_alpha(RELIABILITY_DATA, level=level)
    assert round(result.value, 3) == RELIABILITY_ALPHA[level]
    if level == "nominal":
        assert result.value == close(float(RELIABILITY_NOMINAL))
    assert (result.n_subjects, result.n_paired, result.n_missing) == (12, 11, 7)


@pytest.mark.parametrize("name", RELIABILITY_IRRCAC)
def test_gwet_2014(name: str) -> None:
    value, error, lower = RELIABILITY_IRRCAC[name]
    result = getattr(fastkappa, name)(RELIABILITY_DATA, interval_method="asymptotic")
    assert result.value == pytest.approx(value, abs=5.1e-6)
    assert result.standard_error == pytest.approx(error, abs=5.1e-6)
    assert result.interval[0] == pytest.approx(lower, abs=5.1e-6)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("name", TABLES)
def test_of_two_raters_conger_and_light_are_cohen(name: str, weights: Any) -> None:
    table = TABLES[name].table
    ratings = Ratings.from_table(table)
    cohen = agreement_from_confusion(table, weights=weights, interval_method="asymptotic")
    assert conger_kappa(ratings, weights=weights).value == close(cohen.kappa)
    light = light_kappa(ratings, weights=weights, distribution="normal")
    assert (light.value, light.standard_error) == close((cohen.kappa, cohen.standard_error))
    by_formula = light_kappa(
        ratings, weights=weights, distribution="normal", interval_method="asymptotic"
    )
    assert by_formula.interval == close(cohen.interval)
    pairs = pairwise_kappa(ratings, weights=weights)
    assert (pairs.values[0, 1], pairs.standard_errors[0, 1]) == close(
        (cohen.kappa, cohen.standard_error)
    )
    by_score = agreement_from_confusion(table, weights=weights).interval
    assert (pairs.lower[0, 1], pairs.upper[0, 1]) == pytest.approx(by_score, abs=1e-6)


rows_of_ratings = st.integers(2, 5).flatmap(
    lambda n_raters: st.lists(
        st.lists(st.sampled_from([0, 1, 2, 3, None]), min_size=n_raters, max_size=n_raters),
        min_size=1,
        max_size=12,
    )
)


def value_of(function: Any, *arguments: Any, **options: Any) -> float:
    """Return a coefficient; there must be a warning if and only if it is NaN."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value: float = function(*arguments, **options).value
    assert math.isnan(value) == bool(caught)
    assert all(warning.category is undefined_metric_warning() for warning in caught)
    return value


def assert_same(value: float, exact: Any) -> None:
    if exact is None:
        assert math.isnan(value)
    else:
        assert value == pytest.approx(float(exact), rel=1e-12, abs=1e-12)


@settings(max_examples=n_examples(60))
@given(rows=rows_of_ratings, weights=st.sampled_from([None, "linear", "quadratic"]))
def test_exact_values(rows: Any, weights: Any) -> None:
    if all(rating is None for row in rows for rating in row):
        return
    ratings = Ratings.from_array(rows, labels=range(4))
    for function in WEIGHTED:
        exact = coefficient(function.__name__, rows, 4, weights)
        assert_same(value_of(function, ratings, weights=weights), exact)
    exact = coefficient("gwet", rows, 4, weights)
    assert_same(value_of(gwet_ac2, ratings, weights=weights), exact)
    if weights is None:
        assert_same(value_of(gwet_ac1, ratings), exact)


@settings(max_examples=n_examples(60))
@given(rows=rows_of_ratings, level=st.sampled_from(LEVELS))
def test_exact_alpha(rows: Any, level: str) -> None:
    if all(rating is None for row in rows for rating in row):
        return
    labels = [0, 1, 5, 7]
    named = [[rating if rating is None else labels[rating] for rating in row] for row in rows]
    ratings = Ratings.from_array(named, labels=labels)
    assert_same(value_of(krippendorff_alpha, ratings, level=level), alpha(rows, level, labels))
