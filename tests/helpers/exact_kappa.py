"""Compute kappa in exact rational arithmetic, and draw random tables and weights."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastkappa import kappa_from_confusion
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.statistics.scheme import SCHEMES

NAMED = (None, *SCHEMES)
# The weight of a disagreement as a function of the distance between its labels. Add a line for a
# new scheme.
DEFINITIONS: dict[str | None, Callable[[Any], Any]] = {
    None: lambda distance: (distance != 0).astype(int).astype(object),
    "linear": lambda distance: distance,
    "quadratic": lambda distance: distance**2,
}


def fractions_of(values: Any) -> Any:
    """Return an object array of the exact values."""
    return np.frompyfunc(Fraction, 1, 1)(np.asarray(values).astype(object))


def disagreement(weights: Any, n_labels: int) -> Any:
    """Return the matrix of weights as Python integers or fractions."""
    if weights is None or isinstance(weights, str):
        i = np.arange(n_labels).astype(object)
        return DEFINITIONS[weights](abs(i[:, None] - i))
    matrix = np.asarray(weights)
    return fractions_of(matrix) if matrix.dtype.kind == "f" else matrix.astype(object)


def exact_kappa(table: Any, weights: Any) -> Fraction | None:
    """Return 1 - n sum(w c) / sum(w r s), or None if it is 0 / 0."""
    table = np.asarray(table)
    table = fractions_of(table) if table.dtype.kind == "f" else table.astype(object)
    matrix = disagreement(weights, len(table))
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    expected = rows.dot(matrix.dot(columns))
    if expected == 0:
        return None
    return 1 - Fraction(table.sum() * (matrix * table).sum()) / Fraction(expected)


def ordered(x: float) -> int:
    """Return the position of a float among all floats in ascending order."""
    (bits,) = struct.unpack("<q", struct.pack("<d", x))
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def ulps(x: float, y: float) -> int:
    return abs(ordered(x) - ordered(y))


def assert_exact(table: Any, weights: Any) -> None:
    """Check that kappa is rounded correctly for a table, and within 4 ulp for a stack."""
    exact = exact_kappa(table, weights)
    stack = np.asarray(table)[None]
    if exact is None:
        with pytest.warns(undefined_metric_warning()):
            assert math.isnan(kappa_from_confusion(table, weights=weights))
        with pytest.warns(undefined_metric_warning()):
            assert np.isnan(kappa_from_confusion(stack, weights=weights)).all()
        return
    single = kappa_from_confusion(table, weights=weights)
    assert type(single) is float
    assert single == float(exact)
    stacked = kappa_from_confusion(stack, weights=weights)
    assert stacked.shape == (1,)
    assert ulps(float(stacked[0]), float(exact)) <= 4


def random_table(rng: Any, n_labels: int, largest: int, dtype: Any = np.int64) -> Any:
    return rng.integers(0, largest, (n_labels, n_labels), endpoint=True).astype(dtype)


def matrices(n_labels: int, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    off = 1 - np.eye(n_labels, dtype=np.int64)
    return [
        rng.integers(0, 20, (n_labels, n_labels)) * off,
        (rng.integers(0, 2**40, (n_labels, n_labels)) * off),
        rng.random((n_labels, n_labels)) * off,
        np.abs(np.subtract.outer(np.arange(n_labels), np.arange(n_labels))) ** 1.5,
        (rng.random((n_labels, n_labels)) * off).astype(np.float32),
        off.astype(bool),
        off.astype(np.uint8),
    ]
