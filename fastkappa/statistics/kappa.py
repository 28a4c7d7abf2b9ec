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
    warn_of_sums(tables)
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
    scheme = scheme_of(weights, n_labels)
    sums = sums_of(whole_numbers(tables), scheme.heaviest(n_labels))
    difference, expected = scheme.difference_and_expected(sums)
    # Item weights that sum to 0 leave kappa undefined, as an empty table does.
    return difference, expected, np.asarray(sums.n != 0) & np.asarray(expected != 0)
