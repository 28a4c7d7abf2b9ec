"""Kappa from a table of counts, exactly.

With disagreement weights w, table c, margins r and s, and n the sum of the table,

    kappa = 1 - n * sum(w * c) / sum(w * outer(r, s)) = D / E
    E = sum(w * outer(r, s)),    D = E - n * sum(w * c)

For whole counts D and E are whole numbers, so they are computed as such, in int64 where
they fit and as Python integers where they do not, and the division is the only step that
rounds. No digits are lost when kappa is near 0, and swapping the raters or scaling the
weights changes nothing. For the usual weights E needs the margins' moments alone, O(l).
Finite floats are whole numbers too, once scaled by a power of two that cancels.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.statistics.tables import as_table, as_tables, warn_of_names, whole_numbers
from fastkappa.statistics.weights import (
    Scheme,
    Weights,
    as_weights,
    missing_branch,
    what_needs_order,
)

# Sums that stay below this bound cannot overflow int64, with room for the last addition.
INT64_SAFE = float(1 << 62)


def kappa_from_confusion(table: ArrayLike, weights: Weights = None) -> Any:
    """Return Cohen's kappa of a confusion table, or of each table of a stack.

    Parameters
    ----------
    table : array-like of shape (..., l, l)
        Counts, or sums of item weights; rows are the first rater's ratings. Finite, not
        negative.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights: None counts every disagreement alike, 'linear' and
        'quadratic' weigh it by the distance of the labels' positions and by its square.
        A matrix is taken as it is (rows are the first rater's); its diagonal must be 0.

    Returns
    -------
    kappa : float, or ndarray of shape (...) for a stack
        At most 1. It is NaN, with an ``UndefinedMetricWarning``, where it is undefined:
        in an empty table, or where no disagreement is expected (one label only).

    Raises
    ------
    ValueError
        If the table is not square, not finite or has negative entries, or if the weights
        are not one of those above.

    Notes
    -----
    The value is that of exact rational arithmetic to within half a unit in the last
    place for one table and 2 units for a stack, whatever the size of the counts.

    Weights need the labels in order. Of a data frame this is the order of its columns; there is a
    ``LabelOrderWarning`` where they are strings in alphabetical order or numbers out of order.

    References
    ----------
    J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and
    Psychological Measurement 20, 37-46.

    J. Cohen (1968). Weighted kappa. Psychological Bulletin 70, 213-220.

    Examples
    --------
    >>> from fastkappa import kappa_from_confusion
    >>> kappa_from_confusion([[20, 5], [10, 15]])
    0.4
    >>> kappa_from_confusion([[[20, 5], [10, 15]], [[25, 0], [0, 25]]])
    array([0.4, 1. ])
    """
    tables = as_tables(table)
    kappa = kappas(tables, weights)
    if hasattr(table, "columns"):
        warn_of_names(table, what_needs_order(weights))
    undefined = np.count_nonzero(np.isnan(kappa))
    if undefined:
        of = f" for {undefined} of {kappa.size} tables" if tables.ndim > 2 else ""
        warnings.warn(
            f"kappa is undefined{of}: no disagreement is expected by chance, because the"
            " table is empty or has one label only, or the weights are 0 for its labels.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    return kappa if tables.ndim > 2 else float(kappa)


def kappa_from_moments(
    n: int, first: int, second: int, first_squared: int, second_squared: int, products: int
) -> float:
    """Return quadratic kappa from the sums of label positions, NaN where it is undefined.

    It is the same D / E as from the table: quadratic weights need only the number of items
    and the sums of both raters' positions, of their squares and of their products.

    References
    ----------
    D. Vaughn and D. Justice (2015). On the direct maximization of quadratic weighted
    kappa. arXiv:1509.07107.
    """
    expected = n * (first_squared + second_squared) - 2 * first * second
    return 2 * (n * products - first * second) / expected if expected else math.nan


def observed_agreement(table: ArrayLike) -> float:
    """Return the proportion of items that both raters gave the same label, p_o.

    Parameters
    ----------
    table : array-like of shape (l, l)
        Counts, or sums of item weights.

    Returns
    -------
    p_o : float
        Between 0 and 1; NaN for an empty table.

    Examples
    --------
    >>> from fastkappa.statistics.kappa import observed_agreement
    >>> observed_agreement([[20, 5], [10, 15]])
    0.7
    """
    counts = whole_numbers(as_table(table)).astype(object)
    n = counts.sum()
    return int(np.trace(counts)) / n if n else math.nan


def expected_agreement(table: ArrayLike) -> float:
    """Return the proportion of items expected to get the same label by chance, p_e.

    Parameters
    ----------
    table : array-like of shape (l, l)
        Counts, or sums of item weights.

    Returns
    -------
    p_e : float
        Between 0 and 1, from the margins of the table; NaN for an empty table.

    Examples
    --------
    >>> from fastkappa.statistics.kappa import expected_agreement
    >>> expected_agreement([[20, 5], [10, 15]])
    0.5
    """
    counts = whole_numbers(as_table(table)).astype(object)
    n = counts.sum()
    return int((counts.sum(axis=1) * counts.sum(axis=0)).sum()) / n**2 if n else math.nan


def kappas(tables: AnyArray, weights: Weights) -> NDArray[np.float64]:
    """Return kappa of each table of a checked stack, NaN where it is undefined."""
    difference, expected, defined = _difference_and_expected(tables, weights)
    kappa = np.full(tables.shape[:-2], np.nan)
    if tables.ndim == 2:
        # Python divides whole numbers of any size correctly rounded.
        if defined:
            kappa[()] = int(difference) / int(expected)
    elif expected.dtype == object:
        kappa[defined] = [d / e for d, e in zip(difference[defined], expected[defined])]
    else:
        np.divide(difference, expected, out=kappa, where=defined)
    return kappa


def _difference_and_expected(
    tables: AnyArray, weights: Weights
) -> tuple[Any, Any, NDArray[np.bool_]]:
    """Return D and E of each table, whole up to a common factor, and where kappa is defined."""
    n_labels = tables.shape[-1]
    matrix = as_weights(weights, n_labels)
    tables = whole_numbers(tables)
    if isinstance(matrix, np.ndarray):
        matrix = whole_numbers(matrix)
        heaviest = float(np.abs(matrix).max(initial=1)) if matrix.dtype != object else math.inf
    else:
        heaviest = _heaviest(matrix, n_labels)
    # Sums over one table, then products of two such sums: each in int64 where it fits.
    wide: Any = object
    if tables.dtype != object:
        largest = float(tables.sum(axis=(-2, -1), dtype=np.float64).max(initial=0))
        if largest * heaviest >= INT64_SAFE:
            tables = tables.astype(object)
        elif 2 * largest * largest * heaviest < INT64_SAFE:
            wide = np.int64
    if tables.dtype == object and isinstance(matrix, np.ndarray):
        matrix = matrix.astype(object)

    rows = tables.sum(axis=-1)
    columns = tables.sum(axis=-2)
    n = _widen(rows.sum(axis=-1), wide)
    if matrix is None:
        agreeing = _widen(np.trace(tables, axis1=-2, axis2=-1), wide)
        by_chance = _sum_of_products(rows, columns, wide)
        difference, expected = n * agreeing - by_chance, n * n - by_chance
    elif isinstance(matrix, np.ndarray):
        observed = _widen((tables * matrix).sum(axis=(-2, -1)), wide)
        expected = _sum_of_products(rows, (matrix * columns[..., None, :]).sum(axis=-1), wide)
        difference = expected - n * observed
    elif matrix == "linear":
        position = np.arange(n_labels).astype(tables.dtype)
        distance = np.abs(position[:, None] - position)
        observed = _widen((tables * distance).sum(axis=(-2, -1)), wide)
        # The distance of two labels is the number of cuts between them.
        below_rows = rows.cumsum(axis=-1)[..., :-1]
        below_columns = columns.cumsum(axis=-1)[..., :-1]
        above_rows, above_columns = (n[..., None] - below for below in (below_rows, below_columns))
        expected = _sum_of_products(below_rows, above_columns, wide) + _sum_of_products(
            below_columns, above_rows, wide
        )
        difference = expected - n * observed
    elif matrix == "quadratic":
        position = np.arange(n_labels).astype(tables.dtype)
        first = _widen((rows * position).sum(axis=-1), wide)
        second = _widen((columns * position).sum(axis=-1), wide)
        squares = _widen(((rows + columns) * position**2).sum(axis=-1), wide)
        products = _widen(((tables * position).sum(axis=-1) * position).sum(axis=-1), wide)
        difference = 2 * (n * products - first * second)
        expected = n * squares - 2 * first * second
    else:
        raise missing_branch(matrix)
    # Item weights that sum to 0 leave kappa undefined, as an empty table does.
    defined = np.asarray(n != 0) & np.asarray(expected != 0)
    return difference, expected, defined


def _heaviest(scheme: Scheme | None, n_labels: int) -> float:
    """Return a bound of the weights of a scheme."""
    if scheme is None:
        return 1
    if scheme == "linear":
        return n_labels
    if scheme == "quadratic":
        return n_labels**2
    raise missing_branch(scheme)


def _widen(numbers: Any, dtype: Any) -> AnyArray:
    """Return whole numbers as an array of a type their products fit in."""
    return np.asarray(numbers).astype(dtype)


def _sum_of_products(left: AnyArray, right: AnyArray, dtype: Any) -> AnyArray:
    return np.asarray((_widen(left, dtype) * _widen(right, dtype)).sum(axis=-1), dtype)
