"""Compute kappa from a confusion matrix inside compiled loops.

    kappa = D / E,      E = sum(w * outer(r, s)),      D = E - n * sum(w * c)

Here w holds the disagreement weights, c is the table, r and s are its row and column sums, and n is
its total. Integers are summed in int64 if no sum can overflow. Otherwise, all sums have
double-double precision.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import overload

from fastkappa.arrays import AnyArray
from fastkappa.jit.compiling import borrowed, exactly, out_of_line
from fastkappa.jit.double_double import add, double_double, multiply, subtract
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.tables import as_tables
from fastkappa.statistics.weights import Weights

NOMINAL, LINEAR, QUADRATIC, MATRIX = range(4)
KINDS = {None: NOMINAL, "linear": LINEAR, "quadratic": QUADRATIC}
ZERO = (0.0, 0.0)
# Named weights need no matrix, but compiled code needs a value of a fixed type.
NO_MATRIX = np.zeros((1, 1), np.int64)
# An integer sum cannot overflow int64 if an upper bound on it, computed with floats, is below this
# value.
INT64_SAFE = float(1 << 61)
LARGEST_FLOAT = np.finfo(np.float64).max
# Entries are multiplied by 2.0**-exponent. With this lower limit for the exponent, the factor is at
# most 2.0**1000, which is finite.
LEAST_EXPONENT = -1000


def kappa_from_confusion(table: AnyArray, weights: Weights = None) -> float:
    """Compute Cohen's kappa from a confusion matrix.

    Call this function from functions that are compiled with ``@numba.njit``.

    Parameters
    ----------
    table : ndarray of shape (l, l)
        The confusion matrix, with counts or sums of item weights as finite, non-negative integers
        or floats.
    weights : {None, 'linear', 'quadratic'} or ndarray of shape (l, l), default=None
        Disagreement weights, as in `fastkappa.kappa_from_confusion`.

    Returns
    -------
    kappa : float
        Cohen's kappa, at most 1. Kappa is undefined if the table is empty or if no disagreement is
        expected, for example with a single label. In this case, NaN is returned without a warning.

    Raises
    ------
    ValueError
        If the table is not square, or has a negative or non-finite entry; if ``weights`` is an
        unknown name; or if a matrix of weights differs from the table in shape, has a negative or
        non-finite entry, or has a diagonal that is not 0.
    numba.TypingError
        At compile time, if an argument has an unsupported type.

    Notes
    -----
    Counts and integer weights are summed exactly if ``n**2`` times the largest weight is below
    2**104 (about 2 * 10**31), where ``n`` is the sum of all entries of the table. Kappa is then
    within 2 units in the last place of its exact value. For example, with 10**8 items, 1000 labels
    and quadratic weights, ``n**2`` times the largest weight is only about 10**22. Floats are summed
    with about 100 bits of precision.

    Examples
    --------
    >>> import numba, numpy as np
    >>> from fastkappa.jit import kappa_from_confusion
    >>> @numba.njit
    ... def kappas(tables):
    ...     return [kappa_from_confusion(table, "quadratic") for table in tables]
    >>> kappas(np.array([[[20, 5], [10, 15]], [[25, 0], [0, 25]]]))
    [0.4, 1.0]
    """
    return float(kappas(as_tables(table), weights))


@overload(kappa_from_confusion, prefer_literal=True, strict=False)
def _compile_kappa_from_confusion(table: Any, weights: Any = None) -> Any:
    if not _is_matrix(table):
        raise TypingError(f"table must be a two-dimensional array of numbers, got {table}")

    def compiled(table: Any, weights: Any = None) -> Any:
        kind, matrix = kind_and_matrix(weights)
        return kappa_of_table(borrowed(table), kind, matrix)

    return compiled


def kind_and_matrix(weights: Any) -> tuple[int, AnyArray]:
    """Return the kind of disagreement weights, and their matrix if the kind is ``MATRIX``."""
    raise NotImplementedError("for compiled code")


@overload(kind_and_matrix, prefer_literal=True, strict=False)
def _compile_kind_and_matrix(weights: Any) -> Any:
    if isinstance(weights, types.Omitted):
        weights = weights.value
    if isinstance(weights, types.StringLiteral):
        weights = weights.literal_value
    if isinstance(weights, types.UnicodeType):
        return lambda weights: (_kind_of_name(weights), NO_MATRIX)
    if _is_matrix(weights):
        return lambda weights: (MATRIX, weights)
    kind = KINDS.get(None if isinstance(weights, types.NoneType) else weights)
    if kind is None:
        raise TypingError(
            "weights must be None, 'linear', 'quadratic' or a two-dimensional array of numbers,"
            f" got {weights!r}"
        )
    return lambda weights: (kind, NO_MATRIX)


def _is_matrix(array: Any) -> bool:
    return (
        isinstance(array, types.Array)
        and array.ndim == 2
        and isinstance(array.dtype, (types.Integer, types.Float))
    )


@exactly
def _kind_of_name(name: str) -> int:
    if name == "linear":
        return LINEAR
    if name == "quadratic":
        return QUADRATIC
    raise ValueError("weights must be None, 'linear', 'quadratic' or a matrix")


@exactly
def kappa_of_table(table: Any, kind: int, matrix: Any) -> float:
    """Return kappa, or NaN if it is undefined."""
    n_labels = table.shape[0]
    if n_labels != table.shape[1] or n_labels == 0:
        raise ValueError("table must be square and have at least one row")
    if kind == QUADRATIC and all_whole(table, NO_MATRIX):
        total, difference, expected = _quadratic_sums(table)
        if total >= 0:
            return difference / expected if expected != 0 else np.nan
    return float(_kappa_of_any_table(table, kind, matrix))


@exactly
def _quadratic_sums(table: Any) -> Any:
    """Return the number of items (-1 if int64 could overflow), D, and E.

    D and E are computed in a single pass over the table c, without its margins:
    E = n * sum((i**2 + j**2) * c) - 2 * sum(i * c) * sum(j * c) and
    D = 2 * n * sum(i * j * c) - 2 * sum(i * c) * sum(j * c).
    """
    n_labels = len(table)
    bits, total, rows, columns, squares, products = 0, 0, 0, 0, 0, 0
    for i in range(n_labels):
        in_row, firsts, seconds = 0, 0, 0
        for j in range(n_labels):
            count: Any = np.int64(table[i, j])
            bits |= count
            in_row += count
            firsts += j * count
            seconds += j * j * count
        total += in_row
        rows += i * in_row
        columns += firsts
        squares += seconds + i * i * in_row
        products += i * firsts
    # `bits` is the OR of all counts. It is at least as large as every count, and is negative if any
    # count is negative.
    small = bits >= 0 and float(bits) * n_labels * n_labels < INT64_SAFE
    heaviest = float(n_labels - 1) * float(n_labels - 1)
    if not small or float(total) * float(total) * max(heaviest, 1.0) >= INT64_SAFE:
        return -1, 0, 0
    both = rows * columns
    return total, 2 * (total * products - both), total * squares - 2 * both


@exactly
def _kappa_of_any_table(table: Any, kind: int, matrix: Any) -> float:
    out_of_line()
    n_labels = table.shape[0]
    largest, total = _largest_and_total(table)
    if not total < np.inf:
        raise ValueError("table must contain only finite, non-negative numbers")
    if kind == MATRIX:
        if matrix.shape != table.shape:
            raise ValueError("weights must have one row and one column per label")
        for i in range(n_labels):
            if matrix[i, i] != 0:
                raise ValueError("the diagonal of weights must be 0")
        heaviest, sum_of_weights = _largest_and_total(matrix)
        if not sum_of_weights < np.inf:
            raise ValueError("weights must contain only finite, non-negative numbers")
    else:
        heaviest = float(_whole_weight(kind, NO_MATRIX, 0, n_labels - 1))
    if all_whole(table, matrix) and total * total * max(heaviest, 1.0) < INT64_SAFE:
        return float(_kappa_of_whole_numbers(table, kind, matrix))
    if kind == MATRIX:
        weights = _pairs(matrix, heaviest)
    else:
        weights = np.zeros((n_labels, n_labels, 2))
        for i in range(n_labels):
            for j in range(n_labels):
                weights[i, j, 0] = _whole_weight(kind, NO_MATRIX, i, j)
    return float(_kappa_of_pairs(_pairs(table, largest), weights))


@exactly
def _largest_and_total(array: Any) -> Any:
    """Return the largest entry and the sum of the entries, or two infinities if one is invalid.

    Entries that are negative, NaN or infinite are invalid.
    """
    largest, total = 0.0, 0.0
    for row in range(array.shape[0]):
        for column in range(array.shape[1]):
            number = float(array[row, column])
            if not 0 <= number < np.inf:
                return np.inf, np.inf
            largest = max(largest, number)
            # The sum can overflow even if every entry is finite.
            total = min(total + number, LARGEST_FLOAT)
    return largest, total


def all_whole(table: Any, matrix: Any) -> bool:
    """Return whether both arrays contain integers."""
    raise NotImplementedError("for compiled code")


@overload(all_whole, strict=False)
def _compile_all_whole(table: Any, matrix: Any) -> Any:
    whole = isinstance(table.dtype, types.Integer) and isinstance(matrix.dtype, types.Integer)
    return lambda table, matrix: whole


@exactly
def _kappa_of_whole_numbers(table: Any, kind: int, matrix: Any) -> float:
    n_labels = table.shape[0]
    rows, columns = np.zeros(n_labels, np.int64), np.zeros(n_labels, np.int64)
    observed, expected = 0, 0
    for i in range(n_labels):
        for j in range(n_labels):
            count = np.int64(table[i, j])
            rows[i] += count
            columns[j] += count
            observed += count * _whole_weight(kind, matrix, i, j)
    for i in range(n_labels):
        weighted = 0
        for j in range(n_labels):
            weighted += columns[j] * _whole_weight(kind, matrix, i, j)
        expected += rows[i] * weighted
    return (expected - rows.sum() * observed) / expected if expected != 0 else np.nan


@exactly
def _whole_weight(kind: int, matrix: Any, i: int, j: int) -> Any:
    if kind == NOMINAL:
        return np.int64(i != j)
    if kind == LINEAR:
        return np.int64(abs(i - j))
    if kind == QUADRATIC:
        return np.int64((i - j) * (i - j))
    return np.int64(matrix[i, j])


@exactly
def _kappa_of_pairs(table: Any, weights: Any) -> float:
    """Compute kappa from double-double numbers in arrays of shape (l, l, 2)."""
    n_labels = len(table)
    rows, columns = np.zeros((n_labels, 2)), np.zeros((n_labels, 2))
    total, observed, expected = ZERO, ZERO, ZERO
    for i in range(n_labels):
        for j in range(n_labels):
            count = (table[i, j, 0], table[i, j, 1])
            if count[0] == 0:
                continue
            rows[i, 0], rows[i, 1] = add((rows[i, 0], rows[i, 1]), count)
            columns[j, 0], columns[j, 1] = add((columns[j, 0], columns[j, 1]), count)
            weighted = multiply((weights[i, j, 0], weights[i, j, 1]), count)
            observed = add(observed, weighted)
    for i in range(n_labels):
        row = (rows[i, 0], rows[i, 1])
        if row[0] == 0:
            continue
        total = add(total, row)
        by_chance = ZERO
        for j in range(n_labels):
            column = (columns[j, 0], columns[j, 1])
            by_chance = add(by_chance, multiply((weights[i, j, 0], weights[i, j, 1]), column))
        expected = add(expected, multiply(row, by_chance))
    difference = subtract(expected, multiply(total, observed))
    return difference[0] / expected[0] if expected[0] != 0 else np.nan


@exactly
def _pairs(array: Any, largest: float) -> Any:
    """Convert a matrix to double-double numbers, scaled if their squares could be out of range.

    The scale is a power of two. Integers never need to be scaled.
    """
    exponent = math.frexp(largest)[1]
    scale = math.ldexp(1.0, -max(exponent, LEAST_EXPONENT)) if abs(exponent) > 200 else 1.0
    pairs = np.empty((array.shape[0], array.shape[1], 2))
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            high, low = double_double(array[i, j])
            pairs[i, j, 0], pairs[i, j, 1] = high * scale, low * scale
    return pairs
