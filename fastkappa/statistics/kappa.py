"""Compute kappa from a table of counts, exactly.

With disagreement weights w, table c, margins r and s, and n the sum of the table,

    kappa = 1 - n * sum(w * c) / sum(w * outer(r, s)) = D / E
    E = sum(w * outer(r, s)),    D = E - n * sum(w * c)

For whole counts, D and E are whole numbers. D and E are computed exactly, in int64 or, if they are
too large, as Python integers. So only the division is rounded. The result is precise even if kappa
is near 0, and does not change if the raters are swapped or the weights are scaled. For the usual
weights, E is computed from the moments of the margins in O(l) time. Finite floats are scaled to
whole numbers by a power of two, which cancels.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.statistics.scheme import sums_of
from fastkappa.statistics.tables import (
    as_table,
    as_tables,
    warn_of_names,
    warn_of_sums,
    whole_numbers,
)
from fastkappa.statistics.weights import Weights, scheme_of, what_needs_order


def kappa_from_confusion(table: ArrayLike, *, weights: Weights = None) -> Any:
    """Return Cohen's kappa of a confusion matrix, or of each matrix of a stack.

    Parameters
    ----------
    table : array-like of shape (..., l, l)
        Counts, or sums of item weights, finite and non-negative. Rows are the first rater's
        ratings.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. None treats all disagreements as equal. 'linear' weights disagreements
        by the distance between the labels' positions, 'quadratic' by the squared distance. A matrix
        is used unchanged: its rows are the first rater's labels, and its diagonal must be 0.

    Returns
    -------
    kappa : float, or ndarray of shape (...) for a stack
        Kappa, which is at most 1. For an empty table, or if no disagreement is expected (only one
        label), kappa is undefined. NaN is then returned, and an ``UndefinedMetricWarning`` is
        issued.

    Raises
    ------
    ValueError
        If the table is not square, is not finite or has negative entries, or if the weights are not
        valid.

    Notes
    -----
    The result differs from exact rational arithmetic by at most half a unit in the last place for
    one table, and by at most 2 units for a stack, for counts of any size.

    Weights require labels in a meaningful order. For a data frame, the order of its columns is
    used. A ``LabelOrderWarning`` is issued if its column names are strings in alphabetical order or
    unsorted numbers.

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
    warn_of_sums(tables)
    kappa = kappas(tables, weights)
    if hasattr(table, "columns"):
        warn_of_names(table, what_needs_order(weights))
    undefined = np.count_nonzero(np.isnan(kappa))
    if undefined:
        of = f" for {undefined} of {kappa.size} tables" if tables.ndim > 2 else ""
        warnings.warn(
            f"kappa is undefined{of}: no disagreement is expected by chance, because the"
            " table is empty or has only one label, or because the weights are 0 for its labels.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    return kappa if tables.ndim > 2 else float(kappa)


def kappa_from_moments(
    n: int, first: int, second: int, first_squared: int, second_squared: int, products: int
) -> float:
    """Return quadratic kappa, computed from sums of label positions, or NaN if it is undefined.

    The result equals D / E of the table. For quadratic weights, only the number of items and the
    sums of both raters' positions, of their squares and of their products are needed.

    References
    ----------
    D. Vaughn and D. Justice (2015). On the direct maximization of quadratic weighted
    kappa. arXiv:1509.07107.
    """
    expected = n * (first_squared + second_squared) - 2 * first * second
    return 2 * (n * products - first * second) / expected if expected else math.nan


def observed_agreement(table: ArrayLike) -> float:
    """Return the observed agreement p_o, the proportion of items with two equal labels.

    Parameters
    ----------
    table : array-like of shape (l, l)
        Counts, or sums of item weights.

    Returns
    -------
    p_o : float
        The agreement between 0 and 1, or NaN for an empty table.

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
    """Return the expected agreement p_e, the proportion of equal labels expected by chance.

    Parameters
    ----------
    table : array-like of shape (l, l)
        Counts, or sums of item weights.

    Returns
    -------
    p_e : float
        The agreement between 0 and 1, from the margins of the table, or NaN for an empty table.

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
    """Return the kappa of each table of a validated stack, or NaN where it is undefined."""
    difference, expected, defined = _difference_and_expected(tables, weights)
    kappa = np.full(tables.shape[:-2], np.nan)
    if tables.ndim == 2:
        # Python correctly rounds the quotient of two whole numbers, however large.
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
    """Return D and E of each table, up to a common factor, and a mask of the defined kappas."""
    n_labels = tables.shape[-1]
    scheme = scheme_of(weights, n_labels)
    sums = sums_of(whole_numbers(tables), scheme.heaviest(n_labels))
    difference, expected = scheme.difference_and_expected(sums)
    # If item weights sum to 0, kappa is undefined, as for an empty table.
    return difference, expected, np.asarray(sums.n != 0) & np.asarray(expected != 0)
