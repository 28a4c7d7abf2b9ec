"""Columns that lie row by row: counted all at once, and found again as a matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import leaderboard, score_many
from fastkappa.kernels import dispatch
from fastkappa.leaderboards.items.row_major import as_matrix, blocks_of_columns, contiguous_columns
from tests.helpers.kernel_inputs import RATING_TYPES, ratings, slow_count_pairs


@pytest.fixture(
    params=[
        name
        for name in dispatch.BACKENDS
        if dispatch.why_missing(name) is None and dispatch.get_kernels(name).count_rows is not None
    ]
)
def row_kernels(request: pytest.FixtureRequest) -> Any:
    return dispatch.get_kernels(request.param)


def test_the_compiled_backend_counts_rows() -> None:
    """So that the tests below cannot all be skipped unnoticed."""
    if dispatch.why_missing("cython") is None:
        assert dispatch.get_kernels("cython").count_rows is not None


MATRICES = {
    "row by row": lambda matrix: matrix,
    "column by column": np.asfortranarray,
    "reversed": lambda matrix: matrix[::-1, ::-1].copy()[::-1, ::-1],
    "every other": lambda matrix: np.repeat(np.repeat(matrix, 2, axis=0), 2, axis=1)[::2, ::2],
    "swapped": lambda matrix: matrix.astype(matrix.dtype.newbyteorder("S")),
}


@pytest.mark.parametrize("layout", MATRICES)
@pytest.mark.parametrize("dtype", RATING_TYPES)
def test_rows(row_kernels: Any, dtype: str, layout: str) -> None:
    for n, m, lowest in ((600, 70, 0), (257, 129, 2), (3, 1, 1)):
        first = ratings("int16", n, 0)
        matrix = MATRICES[layout](ratings(dtype, n * m, 1).reshape(n, m))
        before = np.random.default_rng(0).integers(0, 9, (m, 6, 5))
        tables = before.copy()
        start, stop = (3, n - 5) if n > 9 else (0, n)
        row_kernels.count_rows(first, 0, matrix, lowest, tables, start, stop)
        for j in range(m):
            expected = slow_count_pairs(first, 0, matrix[:, j], lowest, (6, 5), start, stop)
            np.testing.assert_array_equal(tables[j] - before[j], expected)


def test_rows_that_do_not_fit(row_kernels: Any) -> None:
    first, matrix = ratings("uint8", 9, 0), ratings("uint8", 36, 1).reshape(9, 4)
    with pytest.raises(ValueError, match="too large"):
        row_kernels.count_rows(first, 0, matrix, 0, np.zeros((4, 19, 3), np.int64), 0, 9)
    with pytest.raises(ValueError, match="4 columns need as many tables, got 3"):
        row_kernels.count_rows(first, 0, matrix, 0, np.zeros((3, 6, 6), np.int64), 0, 9)
    nothing = np.zeros((4, 6, 6), np.int64)
    row_kernels.count_rows(first, 0, matrix, 0, nothing, 5, 5)
    assert not nothing.any()


def test_a_matrix_is_found_again() -> None:
    matrix = ratings("int32", 4000, 0).reshape(100, 40)
    for own in (matrix, matrix[::-1], matrix[:, ::-1], matrix[3:, 5:], matrix[:, ::3]):
        found = as_matrix(list(own.T))
        assert found is not None
        np.testing.assert_array_equal(found, own)
        assert not found.flags.writeable
    same = as_matrix([matrix[:, 1]] * 3)
    assert same is not None
    np.testing.assert_array_equal(same, matrix[:, [1, 1, 1]])


@pytest.mark.parametrize(
    "columns",
    [
        lambda matrix: list(matrix),
        lambda matrix: [matrix[:, 0]],
        lambda matrix: [matrix[:, 0], matrix[:, 1], matrix[:, 3]],
        lambda matrix: [matrix[:, 0], matrix[1:, 1]],
        lambda matrix: [matrix[:, 0], matrix[:, 1].view("uint32")],
        lambda matrix: [matrix[:, 0], matrix[:, 1].tolist()],
        lambda matrix: [matrix[:, 0], matrix[:, 1].copy()],
        lambda matrix: list(np.char.mod("%d", matrix).T),
        lambda matrix: [np.ma.array(matrix[:, j]) for j in range(2)],
    ],
)
def test_what_is_no_matrix(columns: Any) -> None:
    own = columns(ratings("int32", 400, 0).reshape(40, 10))
    assert as_matrix(own) is None
    assert contiguous_columns(own, 2) is own


@pytest.mark.parametrize("dtype", ["uint8", "int64", ">i2"])
def test_copies_of_columns(dtype: str) -> None:
    matrix = ratings(dtype, 5000 * 70, 0).reshape(5000, 70)
    copied = contiguous_columns(list(matrix.T), 2)
    np.testing.assert_array_equal(copied, matrix.T)
    assert all(column.flags.c_contiguous for column in copied)
    for columns in (list(matrix.T), list(matrix[:, :3].T), list(np.asfortranarray(matrix).T)):
        seen = 0
        for items, parts in blocks_of_columns(columns, 1700):
            assert items.start == seen
            seen = items.stop
            for part, column in zip(parts, columns, strict=True):
                np.testing.assert_array_equal(part, column[items])
        assert seen == 5000


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float64", ">i4", "bool"])
@pytest.mark.parametrize("n_labels", [2, 16, 17, 90])
def test_scores_do_not_depend_on_how_a_table_lies(backend: str, dtype: str, n_labels: int) -> None:
    rng = np.random.default_rng(n_labels)
    n, m = 9000, 40
    truth = rng.integers(0, n_labels, n)
    guesses = rng.integers(0, n_labels, (m, n))
    columns = np.where(rng.random((m, n)) < 0.6, truth, guesses).astype(dtype)
    if dtype != "bool":
        # One has a label that the truth has not.
        columns[7, 8000] = n_labels + 3
    truth = truth.astype(dtype)
    rows = np.ascontiguousarray(columns.T)
    weights = rng.integers(1, 5, n)
    for options in (
        {},
        {"labels": [0, 1]},
        {"sample_weight": weights},
        {"labels": [1, 0], "sample_weight": weights / 8},
    ):
        expected = score_many(truth, columns, axis=1, backend=backend, **options)
        for table in (rows, rows[::-1][::-1], np.repeat(rows, 2, axis=1)[:, ::2]):
            for threads in (1, 2):
                given = score_many(truth, table, backend=backend, num_threads=threads, **options)
                np.testing.assert_array_equal(given.tables, expected.tables)
                np.testing.assert_array_equal(given.kappas, expected.kappas)
                np.testing.assert_array_equal(given.labels, expected.labels)
                np.testing.assert_array_equal(given.n_outside, expected.n_outside)


def test_a_memory_map_row_by_row(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth, rows = rng.integers(0, 5, 5000), rng.integers(0, 5, (5000, 70), np.int16)
    rows.tofile(tmp_path / "rows")
    mapped = np.memmap(tmp_path / "rows", np.int16, "r", shape=rows.shape)
    expected = score_many(truth, list(rows.T.copy()))
    np.testing.assert_array_equal(score_many(truth, mapped).tables, expected.tables)
    given = leaderboard(truth, rows, rng=0)
    assert given.kappa.tolist() == leaderboard(truth, rows.T.copy(), axis=1, rng=0).kappa.tolist()
