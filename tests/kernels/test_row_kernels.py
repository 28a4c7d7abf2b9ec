"""The kernel that counts all columns of a row-major matrix in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastkappa.kernels import dispatch
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
    """This test ensures that the tests below cannot all be skipped unnoticed."""
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
        row_kernels.count_rows(first, matrix, (0, lowest), tables, (start, stop))
        for j in range(m):
            expected = slow_count_pairs(first, matrix[:, j], (0, lowest), (6, 5), (start, stop))
            np.testing.assert_array_equal(tables[j] - before[j], expected)


def test_rows_that_do_not_fit(row_kernels: Any) -> None:
    first, matrix = ratings("uint8", 9, 0), ratings("uint8", 36, 1).reshape(9, 4)
    with pytest.raises(ValueError, match="too large"):
        row_kernels.count_rows(first, matrix, (0, 0), np.zeros((4, 19, 3), np.int64), (0, 9))
    with pytest.raises(ValueError, match="4 columns need as many tables, got 3"):
        row_kernels.count_rows(first, matrix, (0, 0), np.zeros((3, 6, 6), np.int64), (0, 9))
    nothing = np.zeros((4, 6, 6), np.int64)
    row_kernels.count_rows(first, matrix, (0, 0), nothing, (5, 5))
    assert not nothing.any()
