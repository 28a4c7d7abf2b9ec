"""Compute the results that every contender must return before it is timed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from bench.harness.cases import CHUNK, Case


def count(case: Case, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the table of counts, computed chunk by chunk with 64-bit integers."""
    table = np.zeros(case.n_labels**2, np.int64)
    for begin in range(0, case.n, CHUNK):
        a, b = (ratings[begin : begin + CHUNK].astype(np.int64) for ratings in (first, second))
        cells = (a - case.lowest) * case.n_labels + (b - case.lowest)
        table += np.bincount(cells, minlength=table.size)
    return table.reshape(case.n_labels, case.n_labels)


def quadratic_kappa(table: np.ndarray) -> float:
    """Return quadratic kappa, computed in exact rational arithmetic and rounded once."""
    rows, columns = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    n = sum(rows)
    cells = [(i, j) for i in range(len(rows)) for j in range(len(rows))]
    observed = sum((i - j) ** 2 * int(table[i, j]) for i, j in cells)
    expected = sum((i - j) ** 2 * rows[i] * columns[j] for i, j in cells)
    return float(1 - Fraction(observed * n, expected))


def check(name: str, result: object, table: np.ndarray, tolerance: float) -> None:
    """Raise an AssertionError unless a contender's result is this table or its kappa."""
    if isinstance(result, np.ndarray):
        if not np.array_equal(result, table):
            raise AssertionError(f"{name}: the table is\n{result}\nbut should be\n{table}")
        return
    kappa = quadratic_kappa(table)
    if not abs(float(result) - kappa) <= tolerance:
        raise AssertionError(f"{name}: kappa is {result!r} but should be {kappa!r}")
