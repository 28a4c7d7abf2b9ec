"""Kappa of long integer arrays, which are counted in threads without the general way."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastkappa import cohen_kappa_score, compile_scorer

compiled_kappa = pytest.importorskip("fastkappa.shortcuts.compiled_kappa")
N = 1_500_003


def exact_kappa(table: Any, weights: str | None) -> float:
    """Return kappa by its definition, in fractions."""
    size = len(table)
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]
    w = [[abs(i - j) ** power if i != j else 0 for j in range(size)] for i in range(size)]
    cells = [[int(count) for count in row] for row in table]
    rows, columns = [sum(row) for row in cells], [sum(column) for column in zip(*cells)]
    pairs = [(i, j) for i in range(size) for j in range(size)]
    observed = sum(w[i][j] * cells[i][j] for i, j in pairs)
    expected = sum(w[i][j] * rows[i] * columns[j] for i, j in pairs)
    return float(1 - Fraction(observed * sum(rows), expected))


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize(("dtype", "lowest"), [("uint8", 3), ("int64", -2)])
def test_long_arrays(dtype: str, lowest: int, weights: Any) -> None:
    codes = np.arange(N) % 35
    first, second = codes % 5, codes % 7
    table = np.zeros((7, 7), int)
    np.add.at(table, (first, second), 1)
    y1, y2 = ((column + lowest).astype(dtype) for column in (first, second))
    expected = exact_kappa(table, weights)
    assert compiled_kappa.kappa_of_arrays(y1, y2, weights) == expected
    scorer = compile_scorer(range(lowest, lowest + 9), weights, dtype=dtype)
    assert scorer(y1, y2) == expected


def test_a_label_that_the_samples_lack_is_left_to_the_general_way() -> None:
    y1 = (np.arange(N) % 5).astype(np.uint8)
    y2 = (np.arange(N) % 3).astype(np.uint8)
    y2[N // 3] = 9
    table = np.zeros((10, 10), int)
    np.add.at(table, (y1, y2), 1)
    occur = [0, 1, 2, 3, 4, 9]
    assert compiled_kappa.kappa_of_arrays(y1, y2, "quadratic") is None
    expected = exact_kappa(table[np.ix_(occur, occur)], "quadratic")
    assert cohen_kappa_score(y1, y2, weights="quadratic") == expected


def test_arrays_without_strides_are_scored() -> None:
    scorer = compile_scorer(range(3), "quadratic", dtype=np.uint8)
    one, two = (np.broadcast_to(np.uint8(i), (N,)) for i in (1, 2))
    assert scorer(one, two) == 0
    y = (np.arange(N) % 3).astype(np.uint8)
    assert scorer(y[::-1], y[::-1]) == 1
