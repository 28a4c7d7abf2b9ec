"""How many items an interval of kappa needs to have a given width."""

from __future__ import annotations

import math
from numbers import Real

from numpy.typing import ArrayLike

from fastkappa.statistics import distributions
from fastkappa.statistics.inference import check_confidence, normal_quantile
from fastkappa.statistics.intervals.inverted import inverted_test
from fastkappa.statistics.planning import several_raters
from fastkappa.statistics.planning.checks import check_raters
from fastkappa.statistics.planning.planned_tables import (
    as_margins,
    error_of_one_item,
    planned_table,
)
from fastkappa.statistics.weights import Weights


def sample_size_for_width(
    kappa: float,
    width: float,
    *,
    rates: tuple[ArrayLike, ArrayLike] = (0.5, 0.5),
    weights: Weights = None,
    confidence: float = 0.95,
    conservative: bool = False,
    raters: int = 2,
) -> int:
    """Return the number of items for which the interval of kappa is as narrow as required.

    Parameters
    ----------
    kappa : float
        The expected kappa.
    width : float
        The distance of the ends of the interval from each other.
    rates, weights, conservative, raters
        As for `sample_size`.
    confidence : float, default=0.95
        The confidence of the interval.

    Returns
    -------
    n : int
        The least number of items for which the score interval of the expected table, or for more
        than two raters the interval of `fleiss_kappa`, is at most this wide.

    Raises
    ------
    ValueError
        If ``width`` is not between 0 and 2, if no table with these rates has such a kappa, or
        if an argument is invalid.

    Notes
    -----
    The interval of a study is as wide as that on average only; about half of all are wider.

    Examples
    --------
    >>> from fastkappa import sample_size_for_width
    >>> sample_size_for_width(0.8, 0.2)
    141
    >>> sample_size_for_width(0.8, 0.2, raters=3)
    91
    """
    check_confidence(confidence)
    if not isinstance(width, Real) or not 0 < width < 2:
        raise ValueError(f"width must be a number between 0 and 2, got {width!r}.")
    margins = as_margins(rates)
    check_raters(raters, margins, conservative)
    table = planned_table("kappa", kappa, margins, weights, conservative)
    if raters > 2:
        error = several_raters.error_of_one_item(kappa, margins[0], raters, weights)
    else:
        error = error_of_one_item(table, weights)

    def width_with(n: int) -> float:
        if raters > 2:
            quantile = distributions.t_quantile((1 + confidence) / 2, n - 1)
            return 2 * quantile * error / math.sqrt(n - 1)
        low, high = inverted_test("score", n * table[None], weights, confidence)
        return float(high[0] - low[0])

    wide = 1  # of which intervals are too wide, or not to be had
    narrow = max(2, math.ceil((2 * normal_quantile((1 + confidence) / 2) * error / width) ** 2))
    while not width_with(narrow) <= width:
        wide, narrow = narrow, 2 * narrow
    while narrow - wide > 1:
        middle = (wide + narrow) // 2
        wide, narrow = (wide, middle) if width_with(middle) <= width else (middle, narrow)
    return narrow
