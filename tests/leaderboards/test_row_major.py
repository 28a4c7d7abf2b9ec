"""Columns of a row-major matrix are recognised, copied, and scored like any others."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastkappa import leaderboard, score_many
from fastkappa.leaderboards.items.row_major import as_matrix, contiguous_columns, groups_of_columns
from tests.helpers.kernel_inputs import ratings


def test_columns_of_a_matrix_are_recognised() -> None:
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
def test_columns_of_no_matrix(columns: Any) -> None:
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
        found = itertools.chain(*groups_of_columns(columns, 2))
        for copy, column in zip(found, columns, strict=True):
            np.testing.assert_array_equal(copy, column)


@pytest.mark.cover(1)
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float64", ">i4", "bool"])
@pytest.mark.parametrize("n_labels", [2, 16, 17, 90])
def test_kappas_do_not_depend_on_the_memory_layout(backend: str, dtype: str, n_labels: int) -> None:
    rng = np.random.default_rng(n_labels)
    n, m = 9000, 40
    truth = rng.integers(0, n_labels, n)
    guesses = rng.integers(0, n_labels, (m, n))
    columns = np.where(rng.random((m, n)) < 0.6, truth, guesses).astype(dtype)
    if dtype != "bool":
        # One has a label that is not in the truth.
        columns[7, 8000] = n_labels + 3
    truth = truth.astype(dtype)
    rows = np.ascontiguousarray(columns.T)
    weights = rng.integers(1, 5, n)
    choices: tuple[dict[str, Any], ...] = (
        {},
        {"labels": [0, 1]},
        {"sample_weight": weights},
        {"labels": [1, 0], "sample_weight": weights / 8},
    )
    for options in choices:
        options["allow_other_labels"] = True
        expected = score_many(truth, columns, axis=1, backend=backend, **options)
        for table in (rows, rows[::-1][::-1], np.repeat(rows, 2, axis=1)[:, ::2]):
            for threads in (1, 2):
                given = score_many(truth, table, backend=backend, num_threads=threads, **options)
                np.testing.assert_array_equal(given.tables, expected.tables)
                np.testing.assert_array_equal(given.kappas, expected.kappas)
                np.testing.assert_array_equal(given.labels, expected.labels)
                np.testing.assert_array_equal(given.n_outside, expected.n_outside)


def test_a_row_major_memory_map(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth, rows = rng.integers(0, 5, 5000), rng.integers(0, 5, (5000, 70), np.int16)
    rows.tofile(tmp_path / "rows")
    mapped = np.memmap(tmp_path / "rows", np.int16, "r", shape=rows.shape)
    expected = score_many(truth, list(rows.T.copy()))
    np.testing.assert_array_equal(score_many(truth, mapped).tables, expected.tables)
    given = leaderboard(truth, rows, rng=0)
    assert given.kappa.tolist() == leaderboard(truth, rows.T.copy(), axis=1, rng=0).kappa.tolist()
