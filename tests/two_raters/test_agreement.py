"""Agreement of two raters: published figures, missing ratings, refusals, undefined values."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fastkappa import agreement, agreement_from_confusion, confusion_counts, datasets
from fastkappa.exceptions import UndefinedMetricWarning, undefined_metric_warning
from fastkappa.results import AgreementResult
from fastkappa.statistics.indices import bangdiwala_b
from tests.helpers.absent import library
from tests.helpers.published import CUSTOM_WEIGHTS, TABLES
from tests.helpers.published_agreement import CUSTOM_ERRORS, FIGURES

pl = library("polars")

WEIGHTS: dict[str, Any] = {"unweighted": None, "linear": "linear", "quadratic": "quadratic"}


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def assert_errors(result: AgreementResult, errors: Any) -> None:
    assert result.standard_error == close(errors.error)
    assert result.null_standard_error == close(errors.null_error)
    # z and p are quotients and tails, so their errors are relative.
    assert result.z == pytest.approx(errors.z, rel=1e-12)
    assert result.interval == close(errors.interval)
    if errors.p is not None:
        assert result.p_value == pytest.approx(errors.p, rel=1e-9)
        assert result.p_value == close(errors.p)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", FIGURES)
def test_published_errors(name: str, weights: str) -> None:
    result = agreement_from_confusion(
        TABLES[name].table, weights=WEIGHTS[weights], interval_method="asymptotic"
    )
    assert result.kappa == close(getattr(TABLES[name], weights)[1])
    assert_errors(result, FIGURES[name].errors[weights])


@pytest.mark.parametrize("name", CUSTOM_ERRORS)
def test_published_errors_of_given_weights(name: str) -> None:
    custom = CUSTOM_WEIGHTS[name]
    result = agreement_from_confusion(
        TABLES[custom.table].table, weights=custom.weights, interval_method="asymptotic"
    )
    assert result.kappa == close(custom.kappa)
    assert_errors(result, CUSTOM_ERRORS[name])


def test_weights_are_oriented_by_the_first_rater() -> None:
    """Cohen (1968) prints .353; vcd and DescTools, which transpose the weights, print .196."""
    custom = CUSTOM_WEIGHTS["asymmetric"]
    table = np.array(TABLES[custom.table].table)
    result = agreement_from_confusion(table, weights=custom.weights)
    swapped = agreement_from_confusion(table.T, weights=np.transpose(custom.weights))
    assert round(result.kappa, 3) == 0.353
    assert swapped.kappa == result.kappa
    assert swapped.standard_error == close(result.standard_error)
    assert swapped.null_standard_error == close(result.null_standard_error)
    assert round(agreement_from_confusion(table.T, weights=custom.weights).kappa, 3) != 0.353


@pytest.mark.parametrize("name", FIGURES)
def test_published_indices(name: str) -> None:
    figures = FIGURES[name]
    result = agreement_from_confusion(TABLES[name].table)
    for index, (value, error) in figures.indices.items():
        assert result.estimates[index] == (close(value), close(error)), index
        assert getattr(result, index) == close(value)
    n_labels = len(result.labels)
    steps = (1, 1 - 1 / (n_labels - 1) ** 2)
    assert result.bangdiwala_b == close(figures.bangdiwala[0])
    assert bangdiwala_b(result.table, steps) == close(figures.bangdiwala[1])
    assert result.kappa_max == close(figures.kappa_max)
    assert result.observed_agreement == close(TABLES[name].observed)
    assert result.expected_agreement == close(TABLES[name].expected)
    two = (result.pabak, result.prevalence_index, result.bias_index)
    if figures.two_labels is None:
        assert math.isnan(result.prevalence_index)
        assert math.isnan(result.bias_index)
    else:
        assert two == close(figures.two_labels)


def test_textbook_error() -> None:
    result = agreement_from_confusion([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    assert result.textbook_standard_error == close(math.sqrt(0.7 * 0.3 / 200) / (1 - 0.41))


def test_what_a_result_holds() -> None:
    result = agreement_from_confusion([[20, 5], [10, 15]], labels=["no", "yes"], weights="linear")
    assert result.n == 50
    assert result.labels.tolist() == ["no", "yes"]
    assert result.expected_table.tolist() == [[15.0, 10.0], [15.0, 10.0]]
    assert result.category_kappas.tolist() == close([0.4, 0.4])
    assert result.weighted_observed_agreement == close(0.7)
    assert result.weighted_expected_agreement == close(0.5)
    assert result.gwet_ac2 == close(result.gwet_ac1)
    assert result.brennan_prediger == close(result.bennett_s)


def test_kappa_of_each_label_is_that_of_two_labels() -> None:
    table = np.array(TABLES["sas_skin"].table)
    result = agreement_from_confusion(table)
    for i, (kappa, error) in enumerate(
        zip(result.category_kappas, result.category_standard_errors)
    ):
        other = np.arange(4) != i
        two = [
            [table[i, i], table[i, other].sum()],
            [table[other, i].sum(), table[np.ix_(other, other)].sum()],
        ]
        alone = agreement_from_confusion(two)
        assert (kappa, error) == (close(alone.kappa), close(alone.standard_error))


def test_a_result_cannot_be_changed() -> None:
    table = np.array([[20, 5], [10, 15]])
    weights = np.array([[0, 1], [2, 0]])
    result = agreement_from_confusion(table, weights=weights)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.confidence = 0.5  # type: ignore[misc]
    for array in (
        result.table,
        result.labels,
        result.weights,
        result.expected_table,
        result.category_kappas,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1  # type: ignore[index]
    before = result.kappa
    table[0, 0] = weights[0, 1] = 0
    assert agreement_from_confusion(result.table, weights=result.weights).kappa == before
    again = pickle.loads(pickle.dumps(result))
    assert (again.kappa, again.interval) == (result.kappa, result.interval)


def test_confidence() -> None:
    results = [
        agreement_from_confusion([[20, 5], [10, 15]], confidence=c, interval_method="asymptotic")
        for c in (0.9, 0.95, 0.99)
    ]
    for result, deviate in zip(
        results, (1.6448536269514722, 1.959963984540054, 2.5758293035489004)
    ):
        assert result.interval[1] - result.kappa == close(deviate * result.standard_error)


# From ratings.


def test_ratings_and_their_table_give_the_same() -> None:
    rated = datasets.load("skin_condition")
    y1, y2 = rated.expand()
    for weights in (None, "linear", "quadratic"):
        one = agreement(y1, y2, weights=weights)
        other = agreement_from_confusion(rated.table, labels=rated.labels, weights=weights)
        assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())


def test_counts_whose_sum_is_beyond_int64() -> None:
    result = agreement_from_confusion([[2**62, 2**60], [2**60, 2**62]])
    assert (result.n, result.kappa) == (5 * 2**61, 0.6)
    # With equal margins of one half, kappa is 2 p - 1, and p is .8.
    assert result.standard_error == pytest.approx(2 * math.sqrt(0.8 * 0.2 / (5 * 2**61)))


def test_labels_order_the_table_and_leave_items_out() -> None:
    y1, y2 = list("aabbccd"), list("abbbcad")
    result = agreement(y1, y2, labels=["c", "b", "a"], weights="quadratic")
    assert result.labels.tolist() == ["c", "b", "a"]
    assert (result.n, result.n_outside) == (6, 1)
    assert result.table.tolist() == [[1, 0, 1], [0, 2, 0], [0, 1, 1]]


def test_labels_that_leave_out_most_items_are_warned_of() -> None:
    y1, y2 = [0, 1, 2, 3, 4] * 4, [0, 1, 2, 2, 3] * 4
    with pytest.warns(UserWarning, match="labels does not contain all ratings, so 12 of 20 items"):
        assert agreement(y1, y2, labels=[0, 1]).n == 8
    with pytest.warns(UserWarning, match="so 12 of 20 items are left out"):
        agreement_from_confusion(confusion_counts(y1, y2, labels=[0, 1]))
    # The report contains the number of items left out, even if it is small.
    assert "8 items left out because of a rating outside" in str(
        agreement(y1, y2, labels=[0, 1, 2])
    )


def test_counts_bring_their_labels() -> None:
    counts = confusion_counts(list("abbcz"), list("abcca"), labels=list("cba"))
    result = agreement_from_confusion(counts)
    assert result.labels.tolist() == ["c", "b", "a"]
    assert (result.n, result.n_outside) == (4, 1)
    assert agreement_from_confusion(counts, labels=[1, 2, 3]).labels.tolist() == [1, 2, 3]


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.uint64, np.float32, object])
def test_tables_of_any_dtype(dtype: Any) -> None:
    table = np.array([[120, 200], [90, 250]]) if dtype is not bool else np.array([[1, 0], [1, 1]])
    one = agreement_from_confusion(table.astype(dtype))
    assert json.dumps(one.to_dict()) == json.dumps(agreement_from_confusion(table).to_dict())


MISSING = {
    "list": lambda: ([1, None, 2, 2, 3, float("nan")], [1, 1, None, 2, 3, 3]),
    "tuple": lambda: ((1, None, 2, 2, 3, None), (1, 1, None, 2, 3, 3)),
    "strings": lambda: (["a", None, "b", "b", "c", None], ["a", "a", None, "b", "c", "c"]),
    "floats": lambda: (np.array([1, np.nan, 2, 2, 3, np.nan]), np.array([1, 1, np.nan, 2, 3, 3.0])),
    "floats beside whole numbers": lambda: (
        np.array([1, np.nan, np.nan, 2, 3, np.nan], np.float32),
        np.array([1, 1, 2, 2, 3, 3], np.int8),
    ),
    "objects": lambda: (
        np.array([1, None, 2, 2, 3, None], object),
        np.array([1, 1, None, 2, 3, 3], object),
    ),
    "column": lambda: (np.array([[1], [np.nan], [np.nan], [2], [3], [np.nan]]), [1, 1, 2, 2, 3, 3]),
    "masked": lambda: (
        np.ma.array([1, 7, 2, 2, 3, 7], mask=[0, 1, 0, 0, 0, 1]),
        np.ma.array([1, 1, np.nan, 2, 3, 3]),
    ),
    "dates": lambda: (
        np.array(["2020", "NaT", "2021", "2021", "2022", "NaT"], "M8[D]"),
        np.array(["2020", "2020", "NaT", "2021", "2022", "2022"], "M8[D]"),
    ),
    "pandas": lambda: (pd.Series([1, None, 2, 2, 3, None]), pd.Series([1, 1, None, 2, 3, 3])),
    "pandas, other index": lambda: (
        pd.Series([1, None, 2, 2, 3, None], index=list("fedcba")),
        pd.Series([1, 1, None, 2, 3, 3]),
    ),
    "pandas nullable": lambda: (
        pd.Series([1, None, 2, 2, 3, None], dtype="Int64"),
        pd.array([1, 1, pd.NA, 2, 3, 3], dtype="Int8"),
    ),
    "pandas categorical": lambda: (
        pd.Categorical(["a", None, "b", "b", "c", None]),
        pd.Series(["a", "a", None, "b", "c", "c"], dtype="category"),
    ),
    "pandas strings": lambda: (
        pd.Series(["a", None, "b", "b", "c", None]),
        pd.Index(["a", "a", None, "b", "c", "c"]),
    ),
    "polars": lambda: (pl.Series([1, None, 2, 2, 3, None]), pl.Series([1, 1, None, 2, 3, 3])),
    "polars floats": lambda: (
        pl.Series([1.0, math.nan, 2.0, 2.0, 3.0, None]),
        pl.Series([1, 1, None, 2, 3, 3]),
    ),
    "polars strings": lambda: (
        pl.Series(["a", None, "b", "b", "c", None]),
        pl.Series(["a", "a", None, "b", "c", "c"], dtype=pl.Categorical),
    ),
    "pyarrow": lambda: (
        pa.array([1, None, 2, 2, 3, None]),
        pa.chunked_array([[1, 1, None], [2, 3, 3]]),
    ),
    "pyarrow strings": lambda: (
        pa.array(["a", None, "b", "b", "c", None]).dictionary_encode(),
        pa.array(["a", "a", None, "b", "c", "c"]),
    ),
}


@pytest.mark.parametrize("name", MISSING)
def test_missing_ratings_are_dropped_and_counted(name: str) -> None:
    y1, y2 = MISSING[name]()
    result = agreement(y1, y2, missing="drop")
    assert result.table.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert result.n_dropped == 3
    assert sum(result.missing) in (3, 4)
    assert result.missing[0] in (2, 3)
    assert "3 items left out because of a missing rating" in str(result)


@pytest.mark.parametrize("name", MISSING)
def test_missing_ratings_are_refused(name: str) -> None:
    y1, y2 = MISSING[name]()
    with pytest.raises(
        ValueError, match=r"y1 has [23] missing values? in 6 items, the first at position 1: pass"
    ):
        agreement(y1, y2)


def test_missing_ratings_of_the_second_rater_are_named() -> None:
    with pytest.raises(
        ValueError, match=r"y2 has 1 missing value in 3 items, the first at position 2"
    ):
        agreement([1, 2, 3], [1, 2, None])


def test_nothing_is_dropped_where_nothing_is_missing() -> None:
    for y1 in ([1, 2, 2], np.array([1.0, 2, 2]), pd.Series([1, 2, 2]), pa.array([1, 2, 2])):
        result = agreement(y1, [1, 2, 1], missing="drop")
        assert (result.n, result.missing, result.n_dropped) == (3, (0, 0), 0)


def test_no_copy_is_made_where_nothing_is_missing() -> None:
    import tracemalloc

    y1, y2 = np.zeros(2_000_000), np.zeros(2_000_000)
    y1[::3] = y2[::2] = 1
    agreement(y1[:100], y2[:100], missing="drop")
    tracemalloc.start()
    agreement(y1, y2, missing="drop")
    assert tracemalloc.get_traced_memory()[1] < 4_000_000
    tracemalloc.stop()


# Undefined values.


@pytest.mark.parametrize("weights", [None, "linear", "quadratic", [[0, 3], [1, 0]]])
def test_a_single_category(weights: Any) -> None:
    with pytest.warns(undefined_metric_warning(), match=r"undefined: all ratings are no, so no"):
        result = agreement(["no"] * 5, ["no"] * 5, labels=["no", "yes"], weights=weights)
    undefined = (result.kappa, result.standard_error, result.null_standard_error, result.z)
    assert all(map(math.isnan, (*undefined, result.p_value, result.kappa_max, *result.interval)))
    assert math.isnan(result.scott_pi)
    assert (result.observed_agreement, result.expected_agreement) == (1, 1)
    assert (result.bennett_s, result.pabak, result.gwet_ac1, result.bangdiwala_b) == (1, 1, 1, 1)
    assert (result.prevalence_index, result.bias_index) == (1, 0)
    assert result.interpret("fleiss").reading == "undefined"
    assert "kappa is undefined: all ratings are no" in str(result)
    json.dumps(result.to_dict())


def test_a_table_of_one_label() -> None:
    with pytest.warns(undefined_metric_warning(), match="all ratings are 7"):
        result = agreement([7, 7], [7, 7])
    assert result.observed_agreement == 1
    assert result.estimates["observed_agreement"].value == 1
    assert math.isnan(result.gwet_ac1)


def test_weights_that_make_no_difference() -> None:
    with pytest.warns(undefined_metric_warning(), match="labels that occur are 0"):
        agreement_from_confusion([[1, 2], [3, 4]], weights=np.zeros((2, 2)))


def test_the_warning_is_shown_where_the_user_called() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        agreement([1, 1], [1, 1])
        agreement_from_confusion([[3]])
    assert [warning.filename for warning in caught] == [__file__] * 2
    assert UndefinedMetricWarning.__mro__[1] is UserWarning


def test_perfect_agreement_and_none() -> None:
    perfect = agreement_from_confusion([[5, 0], [0, 5]])
    assert (perfect.kappa, perfect.standard_error) == (1, 0)
    # Wilson's interval of 10 of 10: p_o is at least 10 / (10 + z^2), and kappa is 2 p_o - 1.
    z = 1.959963984540054
    assert perfect.interval == pytest.approx((20 / (10 + z * z) - 1, 1), abs=1e-7)
    asymptotic = agreement_from_confusion([[5, 0], [0, 5]], interval_method="asymptotic")
    assert asymptotic.interval == (1, 1)
    assert perfect.z == close(math.sqrt(10))
    apart = agreement_from_confusion([[0, 5], [0, 0]])
    assert apart.kappa == 0
    assert math.isnan(apart.z)
    assert math.isnan(apart.p_value)


@pytest.mark.parametrize(
    ("table", "null_kappa"), [([[50, 0], [0, 50]], -0.99), ([[1, 1], [0, 1]], -0.99)]
)
def test_a_hypothesis_that_is_too_far_away(table: Any, null_kappa: float) -> None:
    """If no most likely table is found, the test is undefined, but everything else is available."""
    result = agreement_from_confusion(table, null_kappa=null_kappa)
    assert math.isnan(result.z) or result.z > 10
    assert math.isnan(result.p_value) == math.isnan(result.z)
    assert result.to_dict()["kappa"] == agreement_from_confusion(table).kappa
    assert f"z of kappa = {null_kappa}" in str(result)


def test_an_agreement_costs_no_more_than_its_count() -> None:
    """All statistics of a table take less than 5 ms, for any n.

    In that time, NumPy adds up the columns of a small matrix 4,500 times, on Python 3.11 and 3.14.
    The two are timed alternately, because a shared machine can be slow for minutes.
    """
    from time import perf_counter

    small = np.ones((10, 10))
    for n_labels in (2, 5, 10):
        table = np.random.default_rng(0).integers(0, 10**8, (n_labels, n_labels))
        for weights in (None, "linear", "quadratic"):
            times: list[float] = []
            limits: list[float] = []
            while len(times) < 30 or (min(times) >= min(limits) and len(times) < 1000):
                start = perf_counter()
                agreement_from_confusion(table, weights=weights).to_dict()
                times.append(perf_counter() - start)
                start = perf_counter()
                for _ in range(4500):
                    small.sum(axis=0)
                limits.append(perf_counter() - start)
            assert min(times) < min(limits)


@pytest.mark.parametrize("weights", [None, "linear", [[0, 1], [2, 0]]])
def test_counts_beyond_int64(weights: Any) -> None:
    large = agreement_from_confusion([[10**20, 3 * 10**19], [10**19, 10**20]], weights=weights)
    small = agreement_from_confusion([[100, 30], [10, 100]], weights=weights)
    assert large.n == 24 * 10**19
    for name, estimate in small.estimates.items():
        if name != "krippendorff_alpha":  # This has a term in 1 / n.
            assert large.estimates[name].value == close(estimate.value)
    assert large.kappa_max == close(small.kappa_max)
    assert large.standard_error == close(small.standard_error * 1e-9)
    json.dumps(large.to_dict())


def test_a_null_kappa_of_float32_costs_no_digits() -> None:
    pairs: dict[str, Any] = {"y1": [1, 1, 2, 2, 1, 1], "y2": [1, 1, 2, 2, 2, 1]}
    for clusters in (None, [1, 1, 2, 2, 3, 3]):
        result = agreement(**pairs, clusters=clusters, null_kappa=np.float32(0.25))
        assert type(result.null_kappa) is type(result.z) is float
