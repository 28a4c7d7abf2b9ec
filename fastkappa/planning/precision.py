"""Compute the number of items for which the interval of kappa has a given width."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.planning import several_raters
from fastkappa.planning.checks import (
    MOST_ITEMS,
    check_design_effect,
    check_raters,
    independent_items,
)
from fastkappa.planning.planned_tables import (
    as_margins,
    error_of_one_item,
    outside_most_frequent,
    planned_table,
)
from fastkappa.statistics import distributions
from fastkappa.statistics.inference import check_confidence, check_whole, normal_quantile
from fastkappa.statistics.intervals.inverted import inverted_test
from fastkappa.statistics.weights import Weights

# The number of sample sizes to try in one step.
AT_ONCE = 15
# The number of items outside the most frequent cell at which the search starts.
FEW_OUTSIDE = 10


def sample_size_for_width(
    kappa: float,
    width: float,
    *,
    rates: tuple[ArrayLike, ArrayLike] = (0.5, 0.5),
    weights: Weights = None,
    confidence: float = 0.95,
    n_raters: int = 2,
    design_effect: float = 1.0,
) -> int:
    """Return the number of items needed for an interval of kappa with a given width.

    Parameters
    ----------
    kappa : float
        The expected kappa.
    width : float
        The required width of the interval.
    rates, weights, n_raters, design_effect
        As in `sample_size`.
    confidence : float, default=0.95
        The confidence level of the interval.

    Returns
    -------
    n : int
        The smallest number of items for which the interval is at most this wide. For two raters,
        this is the score interval of the expected table; for more raters, it is the interval of
        `fleiss_kappa`.

    Raises
    ------
    ValueError
        If ``width`` is not between 0 and 2 or needs more than 10**12 items, if no table with these
        rates has this kappa, if less than one item in a million is expected outside the most
        frequent cell, or if an argument is invalid.

    Notes
    -----
    The planned width is that of an average study. About half of all studies have a wider interval.

    Examples
    --------
    >>> from fastkappa.planning import sample_size_for_width
    >>> sample_size_for_width(0.8, 0.2)
    141
    >>> sample_size_for_width(0.8, 0.2, n_raters=3)
    91
    """
    plan = _plan(kappa, rates, weights, confidence, n_raters)
    of_normal = normal_items(plan.error, width, confidence)
    # If hardly any items are outside the most frequent cell, the interval has its maximum width.
    fewest = math.ceil(FEW_OUTSIDE / outside_most_frequent(plan.table))
    check_design_effect(design_effect)
    found = least_narrow(plan.widths, width, max(2, of_normal, fewest))
    return math.ceil(design_effect * found)


def planned_width(
    n: int,
    kappa: float,
    *,
    rates: tuple[ArrayLike, ArrayLike] = (0.5, 0.5),
    weights: Weights = None,
    confidence: float = 0.95,
    n_raters: int = 2,
    design_effect: float = 1.0,
) -> float:
    """Return the planned width of the interval of kappa with n items.

    Parameters
    ----------
    n : int
        The number of items, at least 2.
    kappa, rates, weights, confidence, n_raters, design_effect
        As in `sample_size_for_width`.

    Examples
    --------
    >>> from fastkappa.planning.precision import planned_width
    >>> planned_width(141, 0.8) <= 0.2 < planned_width(140, 0.8)
    True
    """
    check_whole("n", n, 2)
    plan = _plan(kappa, rates, weights, confidence, n_raters)
    return float(plan.widths(np.array([independent_items(n, design_effect)]))[0])


class _Plan(NamedTuple):
    """The expected table, the standard error for one item, and a function from n to widths."""

    table: FloatTable
    error: float
    widths: Callable[[AnyArray], FloatTable]


def _plan(
    kappa: float,
    rates: tuple[ArrayLike, ArrayLike],
    weights: Weights,
    confidence: float,
    n_raters: int,
) -> _Plan:
    check_confidence(confidence)
    margins = as_margins(rates)
    check_raters(n_raters, margins)
    table = planned_table("kappa", kappa, margins, weights)
    if n_raters > 2:
        error = several_raters.error_of_one_item(kappa, margins[0], n_raters, weights)
    else:
        error = error_of_one_item(table, weights)

    def widths(n: AnyArray) -> FloatTable:
        if n_raters > 2:
            quantiles = [distributions.t_quantile((1 + confidence) / 2, k - 1) for k in n]
            of_each: FloatTable = 2 * np.array(quantiles) * error / np.sqrt(n - 1)
            return of_each
        low, high = inverted_test("score", n[:, None, None] * table, weights, confidence)
        return high - low

    return _Plan(table, error, widths)


def normal_items(error: float, width: float, confidence: float, widest: float = 2) -> int:
    """Return the number of items for a symmetric interval of the given width.

    ``error`` is the standard error for a single item.

    Raises
    ------
    ValueError
        If too many items are needed.
    """
    if not isinstance(width, Real) or not 0 < width < widest:
        raise ValueError(f"width must be a number between 0 and {widest}, got {width!r}.")
    check_confidence(confidence)
    of_normal = (2 * normal_quantile((1 + confidence) / 2) * error / width) ** 2
    if of_normal > MOST_ITEMS:
        raise ValueError(
            f"width is too small, got {width!r}, because it needs {of_normal:.0e} items."
            f" Plans can have at most {MOST_ITEMS:.0e} items. Give a larger width."
        )
    return math.ceil(of_normal)


def least_narrow(widths: Callable[[AnyArray], FloatTable], width: float, guess: int) -> int:
    """Return the smallest n with the required width. Widths must decrease as n increases.

    ``widths`` is called with several n at a time, because this is hardly slower than with one.
    """
    # a sample size whose interval is known to be too wide or undefined
    wide = 1
    tried = guess * 2 ** np.arange(AT_ONCE)
    while True:
        is_narrow = widths(tried) <= width
        if is_narrow.any():
            break
        wide, tried = int(tried[-1]), 2 * tried[-1] * 2 ** np.arange(AT_ONCE)
    first = int(is_narrow.argmax())
    wide, narrow = int(tried[first - 1]) if first else wide, int(tried[first])
    while narrow - wide > 1:
        tried = np.unique(np.linspace(wide, narrow, AT_ONCE + 2).astype(np.int64)[1:-1])
        tried = tried[tried > wide]
        is_narrow = widths(tried) <= width
        first = int(is_narrow.argmax()) if is_narrow.any() else len(tried)
        ends = [wide, *tried.tolist(), narrow]
        wide, narrow = ends[first], ends[first + 1]
    return narrow
