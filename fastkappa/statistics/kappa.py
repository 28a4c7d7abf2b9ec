"""Compute kappa from a table of counts, using exact sums.

For disagreement weights w and a table c of n items with the margins r and s,

    kappa = 1 - n * sum(w * c) / sum(w * outer(r, s)) = D / E
    E = sum(w * outer(r, s)),    D = E - n * sum(w * c)

For whole counts, D and E are whole numbers. They are computed exactly: in int64 or, if they are too
large, as Python integers. Only the division is rounded. The result is precise even if kappa is near
0, and does not change if the raters are swapped or the weights are scaled. For named weights, E is
computed from the margins of l labels in O(l) time. Floats are scaled to whole numbers by a power of
two, which cancels out in D / E.
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
    """Return Cohen's kappa for a confusion matrix, or for each matrix in a stack.

    Parameters
    ----------
    table : array-like of shape (..., l, l)
        Finite, non-negative counts or sums of item weights. The rows correspond to the first
        rater's labels.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. None treats all disagreements as equal. 'linear' weights are the
        distances between the labels' positions, and 'quadratic' weights are the squares of these
        distances. A matrix is used unchanged. Its rows correspond to the first rater's labels, and
        its diagonal must be 0.

    Returns
    -------
    kappa : float, or ndarray of shape (...) for a stack
        Kappa, which is at most 1. Kappa is undefined if the table is empty, or if no disagreement
        is expected by chance, for example because only one label is used. An undefined kappa is
        NaN, and an ``UndefinedMetricWarning`` is issued.

    Raises
    ------
    ValueError
        If the table is not square or has negative or non-finite entries, or if the weights are
        invalid.

    Notes
    -----
    For a single table, the result differs from the exact value by at most half a unit in the last
    place. For a stack, each result differs by at most 2 units in the last place. These bounds hold
    for counts of any size.

    With weights, the order of the labels matters. The labels of a data frame are in the order of
    its columns. If weights are used and the column names are alphabetically sorted strings or
    unsorted numbers, a ``LabelOrderWarning`` is issued.

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

    Kappa with quadratic weights depends only on the number of items ``n`` and the sums of the two
    raters' label positions, of the squared positions, and of the products of the two positions.

    References
    ----------
    D. Vaughn and D. Justice (2015). On the direct maximization of quadratic weighted
    kappa. arXiv:1509.07107.
    """
    expected = n * (first_squared + second_squared) - 2 * first * second
    return 2 * (n * products - first * second) / expected if expected else math.nan


def observed_agreement(table: ArrayLike) -> float:
    """Return the observed agreement p_o, the proportion of items on which the raters agree.

    Parameters
    ----------
    table : array-like of shape (l, l)
        Counts, or sums of item weights.

    Returns
    -------
    p_o : float
        The observed agreement, from 0 to 1, or NaN for an empty table.

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
        The expected agreement, from 0 to 1, or NaN for an empty table. It is computed from the
        margins of the table.

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
    n_labels = tables.shape[-1]
    scheme = scheme_of(weights, n_labels)
    sums = sums_of(whole_numbers(tables), scheme.heaviest(n_labels))
    difference, expected = scheme.difference_and_expected(sums)
    # If item weights sum to 0, kappa is undefined, as it is for an empty table.
    defined = np.asarray(sums.n != 0) & np.asarray(expected != 0)
    kappa = np.full(tables.shape[:-2], np.nan)
    if tables.ndim == 2:
        # Python rounds the quotient of two whole numbers correctly, no matter how large they are.
        if defined:
            kappa[()] = int(difference) / int(expected)
    elif expected.dtype == object:
        kappa[defined] = [d / e for d, e in zip(difference[defined], expected[defined])]
    else:
        np.divide(difference, expected, out=kappa, where=defined)
    return kappa
