"""Many predictions for the same items: each has the same kappa as alone."""

from __future__ import annotations

import math
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa import cohen_kappa_score, confusion_counts, score_many
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.leaderboards.items import predictions as predictions_module
from fastkappa.leaderboards.items.many_columns import Counter
from fastkappa.leaderboards.items.predictions import count_predictions
from fastkappa.leaderboards.ranking import kappas_of, labels_present
from fastkappa.results import Kappas
from tests.helpers.absent import library

polars = library("polars")

WEIGHTS = (None, "linear", "quadratic")


def ratings(n: int, m: int, n_labels: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return a truth and m predictions, as an array of shape (m, n)."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_labels, n)
    predictions = rng.integers(0, n_labels, (m, n))
    return truth, np.where(rng.random((m, n)) < 0.6, truth, predictions)


def assert_each_alone(result: Any, truth: Any, columns: Any, weights: Any, **options: Any) -> None:
    """Compare with one call per prediction of functions that are tested elsewhere."""
    labels = result.labels.tolist()
    assert len(result.kappas) == len(result.tables) == len(result.names) == len(columns)
    for kappa, table, n_outside, column in zip(
        result.kappas, result.tables, result.n_outside, columns
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alone = cohen_kappa_score(truth, column, weights=weights, **options)
        np.testing.assert_allclose(kappa, alone, rtol=1e-15)
        expected = confusion_counts(truth, column, backend="numpy", **options)
        place = [labels.index(label) for label in expected.labels.tolist()]
        assert table.dtype == expected.table.dtype
        np.testing.assert_array_equal(table[np.ix_(place, place)], expected.table)
        assert table.sum() == expected.table.sum()
        assert n_outside == expected.n_outside


def score_in_parts(
    truth: Any,
    predictions: Any,
    axis: int = 0,
    labels: Any = None,
    num_threads: int = 1,
    backend: str | None = None,
) -> Kappas:
    """Do the same as `score_many`, with other sizes of the parts that are counted together."""
    names, table, n_missing, order = count_predictions(
        Counter(get_kernels(backend), num_threads),
        truth,
        predictions,
        labels,
        None,
        axis,
        allow_other_labels=True,
    )
    kappas = kappas_of(table.counts, labels_present(table.counts, order.is_known), None)
    return Kappas(kappas, table.counts, table.rows, names, table.n_outside, n_missing)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dtype", ["uint8", "int64", "int16"])
@pytest.mark.parametrize("m", [1, 3, 40])
def test_arrays_either_way(weights: Any, dtype: str, m: int, backend: str) -> None:
    truth, predictions = (array.astype(dtype) for array in ratings(3000, m, 6))
    by_rows = score_many(truth, predictions, weights=weights, axis=1, backend=backend)
    assert_each_alone(by_rows, truth, predictions, weights)
    assert by_rows.names == list(range(m))
    row_major = np.ascontiguousarray(predictions.T)
    for columns in (predictions.T, row_major, row_major[:, ::-1][:, ::-1]):
        by_columns = score_many(truth, columns, weights=weights, backend=backend)
        np.testing.assert_array_equal(by_columns.kappas, by_rows.kappas)
        np.testing.assert_array_equal(by_columns.tables, by_rows.tables)


@given(data=st.data())
def test_labels_that_appear_late(data: Any, backend: str) -> None:
    """No prediction changes the kappa of another."""
    n = data.draw(st.sampled_from([1, 50, 5000]))
    alphabet = st.lists(
        st.sampled_from([-7, 0, 1, 2, 3, 4, 9, 300, 10**6, 10**12]), min_size=1, max_size=5
    )
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    truth = rng.choice(np.array(data.draw(alphabet)), n)
    m = data.draw(st.sampled_from([2, 9, 20]))
    columns = [rng.choice(np.array(data.draw(alphabet)), n) for _ in range(m)]
    columns = [
        column.astype(np.int16) if np.abs(column).max() < 30000 else column for column in columns
    ]
    weights = data.draw(st.sampled_from(WEIGHTS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = score_many(truth, columns, weights=weights, backend=backend)
        assert_each_alone(result, truth, columns, weights)
    assert result.labels.tolist() == sorted({*truth.tolist()}.union(*(c.tolist() for c in columns)))


@pytest.mark.parametrize("labels", [[0, 1, 2, 3, 4, 5], [4, 0, 2], [3, 100, 1]])
@pytest.mark.parametrize("m", [2, 20])
@pytest.mark.filterwarnings("ignore:.*neither ascending nor descending")
def test_given_labels_and_item_weights(labels: Any, m: int, backend: str) -> None:
    truth, predictions = ratings(2000, m, 6)
    rng = np.random.default_rng(1)
    for sample_weight in (None, rng.integers(0, 9, 2000), rng.integers(0, 9, 2000) / 4):
        for given_labels in (labels, None):
            options = {"labels": given_labels, "sample_weight": sample_weight}
            result = score_many(
                truth,
                predictions,
                axis=1,
                weights="linear",
                backend=backend,
                allow_other_labels=True,
                **options,
            )
            assert_each_alone(result, truth, predictions, "linear", **options)


def test_a_matrix_refers_to_the_labels_of_all(backend: str) -> None:
    truth, predictions = ratings(500, 12, 4)
    predictions[3:] = np.minimum(predictions[3:], 2)
    matrix = np.array([[0, 1, 5, 9], [2, 0, 1, 3], [4, 1, 0, 1], [7, 2, 2, 0]])
    result = score_many(truth, predictions, axis=1, weights=matrix, backend=backend)
    for kappa, prediction in zip(result.kappas, predictions):
        assert kappa == pytest.approx(
            cohen_kappa_score(truth, prediction, weights=matrix, labels=range(4)), rel=1e-15
        )


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "bool"])
def test_row_major_arrays(dtype: str, backend: str) -> None:
    """Long columns whose items are far apart in memory are copied."""
    truth, predictions = ratings(40_001, 75, 2)
    wide = np.zeros((40_001, 80), dtype)
    wide[:, 3:78] = predictions.T
    columns = wide[:, 3:78]
    expected = score_many(truth.astype(dtype), predictions.astype(dtype), axis=1)
    for threads in (1, 2):
        result = score_many(truth.astype(dtype), columns, num_threads=threads, backend=backend)
        np.testing.assert_array_equal(result.tables, expected.tables)
        np.testing.assert_array_equal(result.kappas, expected.kappas)
    backwards = score_many(truth[::-1].astype(dtype), columns[::-1], backend=backend)
    np.testing.assert_array_equal(backwards.tables, expected.tables)


@pytest.mark.parametrize(
    "frame",
    [
        pandas.DataFrame,
        polars.DataFrame,
        pyarrow.table,
        lambda columns: dict(pandas.DataFrame(columns).items()),
    ],
)
def test_every_frame_of_predictions(frame: Any, backend: str) -> None:
    truth, predictions = ratings(300, 9, 3)
    columns = {f"model {j}": column for j, column in enumerate(predictions)}
    result = score_many(truth, frame(columns), backend=backend)
    assert_each_alone(result, truth, predictions, None)
    assert result.names == list(columns)


def test_every_form_of_predictions(backend: str) -> None:
    truth, predictions = ratings(300, 9, 3)
    expected = score_many(truth, dict(enumerate(predictions)), backend=backend)
    assert_each_alone(expected, truth, predictions, None)
    for form in (list(predictions), (c.tolist() for c in predictions), iter(predictions)):
        result = score_many(truth.tolist(), form, backend=backend)
        assert result.names == list(range(9))
        np.testing.assert_array_equal(result.kappas, expected.kappas)
    twice = pandas.DataFrame(np.column_stack([predictions[0], predictions[1]]), columns=["a", "a"])
    assert score_many(truth, twice).names == ["a", "a"]


@pytest.mark.parametrize("m", [2, 12])
def test_strings_dates_booleans_and_floats(m: int, backend: str) -> None:
    truth, predictions = ratings(400, m, 3)
    strings = np.array(["bad", "fair", "good"])
    days = np.array(["2025-01-01", "2025-01-02", "2025-03-01"], "datetime64[D]")
    for labels in (strings, strings.astype(object), days, np.array([0.0, 1.0, 2.0])):
        result = score_many(labels[truth], labels[predictions], axis=1, backend=backend)
        assert_each_alone(result, labels[truth], list(labels[predictions]), None)
        assert result.labels.dtype.kind == confusion_counts(labels, labels).labels.dtype.kind
    result = score_many(truth > 0, predictions > 0, axis=1, backend=backend)
    assert result.labels.dtype == bool
    assert_each_alone(result, truth > 0, list(predictions > 0), None)
    mixed = [truth.astype(np.uint64), *predictions]
    assert_each_alone(score_many(truth, mixed, backend=backend), truth, mixed, None)


def test_dates_of_several_units_on_given_labels(backend: str) -> None:
    days = np.array(["2025-01-01", "2025-02-01", "2026-01-01"], "datetime64[D]")
    truth, predictions = ratings(200, 12, 3)
    columns = [
        days.astype(f"datetime64[{'DMsh'[j % 4]}]")[column] for j, column in enumerate(predictions)
    ]
    result = score_many(
        days[truth], columns, labels=days[[2, 0]], allow_other_labels=True, backend=backend
    )
    assert_each_alone(result, days[truth], columns, None, labels=days[[2, 0]])


def test_integers_are_counted_in_place(backend: str) -> None:
    truth, predictions = (array.astype(np.uint8) for array in ratings(1 << 20, 12, 6))
    score_many(truth, predictions, axis=1, backend=backend)
    tracemalloc.start()
    result = score_many(truth, predictions, axis=1, backend=backend)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(result.kappas) == 12
    # NumPy's kernels use temporary arrays of one chunk of items.
    assert peak < (1 << 24 if backend == "numpy" else 1 << 19)


def test_an_iterator_is_read_a_few_columns_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, predictions = ratings(100, 3, 4)
    monkeypatch.setattr(predictions_module, "COLUMNS_AT_ONCE", 2)
    asked = []

    def columns() -> Any:
        for j, column in enumerate(predictions):
            asked.append(j)
            yield column if j < 2 else column + 10

    with pytest.warns(UserWarning, match="y_true and prediction 2 have no label in common"):
        result = score_in_parts(truth, columns())
    assert asked == [0, 1, 2]
    assert result.labels.tolist() == [0, 1, 2, 3, 10, 11, 12, 13]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        third = predictions[2] + 10
        assert_each_alone(result, truth, [predictions[0], predictions[1], third], None)
    with pytest.warns(UserWarning, match="undefined for 1 of 3"):
        known = score_many(truth, columns(), labels=[0, 1, 2, 3], allow_other_labels=True)
    in_parts = score_in_parts(truth, columns(), labels=[0, 1, 2, 3])
    for result in (known, in_parts):
        assert result.n_outside.tolist() == [0, 0, 100]
        assert np.isnan(result.kappas).tolist() == [False, False, True]


def test_labels_beyond_int64(backend: str) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (50, 40))
    labels = np.arange(2**64 - 4, 2**64 - 1, dtype=np.uint64)
    expected = score_many(codes[:, 0], codes[:, 1:], backend=backend)
    found = score_many(labels[codes[:, 0]], labels[codes[:, 1:]], backend=backend)
    assert np.array_equal(found.kappas, expected.kappas)


def test_undefined_kappas_are_counted() -> None:
    with pytest.warns(UserWarning, match="undefined for 1 of 2 predictions"):
        result = score_many([1, 1], {"same": [1, 1], "other": [1, 2]})
    assert np.isnan(result.kappas).tolist() == [True, False]


@pytest.mark.parametrize("labels", [None, [1, 2]])
@pytest.mark.parametrize("weights", [[1, 2, 1], [0.5, 1.0, 1.0], [0, 1, 1]])
@pytest.mark.parametrize("some", [[math.nan] * 3, [1, math.nan, math.nan]])
def test_the_kappa_of_no_weight_is_undefined(some: Any, weights: Any, labels: Any) -> None:
    predictions = {"good": [1, 2, 1.0], "abstains": some}
    options: dict[str, Any] = {"missing": "drop", "labels": labels}
    with pytest.warns(UserWarning, match="undefined for 1 of 2 predictions"):
        result = score_many([1, 2, 1.0], predictions, sample_weight=weights, **options)
    np.testing.assert_array_equal(result.kappas, [1, np.nan])
    assert result.labels.tolist() == [1, 2]
    assert result.n_missing.tolist() == [0, int(np.isnan(some).sum())]
    assert result.tables.tolist() == [
        [[weights[0] + weights[2], 0], [0, weights[1]]],
        [[0 if np.isnan(some[0]) else weights[0], 0], [0, 0]],
    ]
    assert result.tables.dtype == (np.int64 if isinstance(weights[0], int) else np.float64)
    with pytest.warns(UserWarning, match="undefined for 1 of 1 predictions"):
        alone = score_many([1, 2, 1.0], [some], sample_weight=weights, **options)
    assert alone.tables.dtype == result.tables.dtype
    with pytest.raises(ValueError, match="at least one non-zero number"):
        score_many([1, 2, 1.0], predictions, sample_weight=[0, 0, 0], **options)


def test_refusals_name_the_argument() -> None:
    truth, same = [0, 1, 2], [0, 1, 2]
    refusals: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        ({"a": same, "b": [0, 1]}, {}, ValueError, r"prediction 'b' .* y_true \(3\), got 2"),
        ({"a": [0.5, 1, 2]}, {}, ValueError, "numbers with fractions"),
        ({"a": [0, np.nan, 2]}, {}, ValueError, "prediction 'a' has 1 missing value in 3 items"),
        ({"a": ["x", "y", "z"]}, {}, ValueError, "the ratings cannot be compared"),
        ({}, {}, ValueError, "at least one prediction"),
        (np.zeros((2, 3), int), {}, ValueError, r"Did you mean axis=1\?"),
        (np.zeros((2, 4), int), {}, ValueError, r"got an array of shape \(2, 4\)\.$"),
        (np.zeros(3, int), {}, ValueError, r"got an array of shape \(3,\)"),
        ("abc", {}, TypeError, "got 'abc'"),
        (3, {}, TypeError, "got int"),
        ({"a": same}, {"axis": 2}, ValueError, "axis must be 0 or 1"),
        ({"a": same}, {"weights": "cubic"}, ValueError, "weights"),
        ({"a": same}, {"sample_weight": [1, 2]}, ValueError, "sample_weight .* 3 items, got 2"),
        ({"a": same}, {"labels": [1, 1]}, ValueError, "distinct"),
        ({"a": same}, {"backend": "fortran"}, ValueError, "backend"),
        ({"a": same}, {"num_threads": 0}, ValueError, "num_threads"),
    ]
    for predictions, options, error, reason in refusals:
        with pytest.raises(error, match=reason):
            score_many(truth, predictions, **options)
    with pytest.raises(ValueError, match="y_true has 1 missing value in"):
        score_many([1.0, math.nan], {"a": [1, 2]})


@pytest.mark.filterwarnings("ignore:the ratings contain 200")
def test_long_columns_are_counted_by_threads(backend: str) -> None:
    truth, predictions = (array.astype(np.uint8) for array in ratings(20_001, 9, 5))
    predictions[4, -1] = 200
    for threads in (1, 2):
        for options in ({}, {"labels": [0, 1, 2, 200]}):
            result = score_in_parts(
                truth,
                predictions,
                axis=1,
                num_threads=threads,
                backend=backend,
                **options,
            )
            assert_each_alone(result, truth, predictions, None, **options)
