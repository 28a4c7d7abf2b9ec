"""The largest differences of rows of whole numbers, which float32 holds, on every backend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastkappa.kernels.dispatch import difference_kernels


# One column more than the compiled kernel takes at once, and than fits a vector.
@pytest.mark.parametrize("n_columns", [1, 7, 257])
@pytest.mark.parametrize(("start", "stop"), [(0, 9), (3, 6), (8, 9), (4, 4), (0, 1)])
def test_the_largest_difference_of_each_column(
    kernels: Any, n_columns: int, start: int, stop: int
) -> None:
    rng = np.random.default_rng(n_columns)
    rows = rng.integers(-1000, 1000, (9, n_columns))
    # Rows after those that are compared need no factors.
    factors = rng.integers(0, 100, (stop - start, stop))
    before = rng.integers(0, 50_000, n_columns)
    largest = before.astype(np.float32)
    difference_kernels(kernels).largest_differences(
        rows.astype(np.float32), factors.astype(np.float32), start, largest
    )
    expected = [
        max(
            int(before[k]),
            *(
                abs(int(rows[i, k]) - int(rows[j, k])) * int(factors[i - start, j])
                for i in range(start, stop)
                for j in range(i)
            ),
            0,
        )
        for k in range(n_columns)
    ]
    assert largest.tolist() == expected


def test_matrices_that_do_not_go_together_are_refused() -> None:
    compiled = pytest.importorskip("fastkappa.kernels.cython.differences")
    rows, largest = np.zeros((3, 4), np.float32), np.zeros(4, np.float32)
    for shape, start in (((2, 3), 2), ((2, 3), -1), ((3, 2), 0)):
        with pytest.raises(ValueError, match="a factor for each"):
            compiled.largest_differences(rows, np.zeros(shape, np.float32), start, largest)
    with pytest.raises(ValueError, match="for each column"):
        compiled.largest_differences(rows, np.zeros((3, 3), np.float32), 0, largest[:3])
