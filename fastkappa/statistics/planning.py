"""Sample size and power of a test of kappa.

The test compares kappa with kappa0. Its standard errors need the whole table under both. For
two labels the raters' rates and kappa determine it. For more it is assumed to be a mixture
of independence and the most agreement that the margins allow, which for two labels is the
same table.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import FloatTable
from fastkappa.statistics.inference import (
    STANDARD_NORMAL,
    delta_error,
    gradient,
    normal_quantile,
    terms_of,
)
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.transport import closest_tables
from fastkappa.statistics.weights import Weights, as_weights

Alternative: TypeAlias = Literal["two-sided", "one-sided"]


def sample_size(
    kappa: float,
    null_kappa: float = 0.0,
    *,
    rates: tuple[ArrayLike, ArrayLike] = (0.5, 0.5),
    weights: Weights = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    power: float = 0.8,
) -> int:
    """Return the number of items needed to distinguish kappa from a hypothesised value.

    Parameters
    ----------
    kappa : float
        The expected kappa.
    null_kappa : float, default=0.0
        The kappa under the null hypothesis.
    rates : pair of float or of array-like of shape (l,), default=(0.5, 0.5)
        For two labels, how often each rater gives the first one; for more, the proportions
        of each rater's labels.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights.
    alternative : {'two-sided', 'one-sided'}, default='two-sided'
        The kind of test; a one-sided test looks for a deviation towards ``kappa``.
    alpha : float, default=0.05
        The significance level.
    power : float, default=0.8
        The required probability of rejecting ``null_kappa``.

    Returns
    -------
    n : int

    Raises
    ------
    ValueError
        If the two kappas are equal, if no table with these rates has such a kappa, or if an
        argument is invalid.

    References
    ----------
    A. B. Cantor (1996). Sample-size calculations for Cohen's kappa. Psychological Methods
    1, 150-153.

    Examples
    --------
    >>> from fastkappa import sample_size
    >>> sample_size(0.7, 0.85, alternative="one-sided")
    96
    >>> sample_size(0.8, 0.45, rates=(0.75, 0.75), alternative="one-sided")
    43
    """
    _check_probability("power", power)
    errors, critical = _plan(kappa, null_kappa, rates, weights, alternative, alpha)
    needed = (critical * errors[1] + normal_quantile(power) * errors[0]) / abs(kappa - null_kappa)
    if needed <= 0:
        return 1
    n = needed**2
    # Rounding may put a whole number a little above itself.
    return max(1, math.ceil(n * (1 - 1e-12)))


def power(
    n: int,
    kappa: float,
    null_kappa: float = 0.0,
    *,
    rates: tuple[ArrayLike, ArrayLike] = (0.5, 0.5),
    weights: Weights = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
) -> float:
    """Return the power of a test of kappa with n items.

    Parameters
    ----------
    n : int
        The number of items.
    kappa, null_kappa, rates, weights, alternative, alpha
        As for `sample_size`.

    Returns
    -------
    power : float
        The probability of rejecting ``null_kappa``, in the direction of ``kappa``, if the
        true value is ``kappa``.

    Raises
    ------
    ValueError
        As `sample_size`.

    Examples
    --------
    >>> from fastkappa import power
    >>> round(power(96, 0.7, 0.85, alternative="one-sided"), 3)
    0.801
    """
    if isinstance(n, bool) or not hasattr(n, "__index__") or n < 1:
        raise ValueError(f"n must be a whole number above 0, got {n!r}.")
    errors, critical = _plan(kappa, null_kappa, rates, weights, alternative, alpha)
    distance = abs(kappa - null_kappa) * math.sqrt(n) - critical * errors[1]
    if errors[0] == 0:
        return float(distance > 0)
    return STANDARD_NORMAL.cdf(distance / errors[0])


def _plan(
    kappa: float,
    null_kappa: float,
    rates: tuple[ArrayLike, ArrayLike],
    weights: Weights,
    alternative: Alternative,
    alpha: float,
) -> tuple[tuple[float, float], float]:
    """Return the errors of one item under both kappas and the critical normal deviate."""
    if alternative not in ("two-sided", "one-sided"):
        raise ValueError(f"alternative must be 'two-sided' or 'one-sided', got {alternative!r}.")
    _check_probability("alpha", alpha)
    if kappa == null_kappa:
        raise ValueError(f"kappa and null_kappa must differ, got {kappa!r} for both.")
    margins = _margins(rates)
    errors = [
        _error_of_one_item(_planned_table(name, value, margins, weights), weights)
        for name, value in (("kappa", kappa), ("null_kappa", null_kappa))
    ]
    tail = alpha / 2 if alternative == "two-sided" else alpha
    return (errors[0], errors[1]), normal_quantile(1 - tail)


def _margins(rates: Any) -> tuple[FloatTable, FloatTable]:
    try:
        first, second = (np.asarray(rate, dtype=np.float64) for rate in rates)
    except (TypeError, ValueError) as error:
        raise ValueError(f"rates must be a pair of numbers or of arrays, got {rates!r}.") from error
    if first.ndim == second.ndim == 0:
        first, second = (np.array([rate, 1 - rate]) for rate in (first, second))
    if first.ndim != 1 or first.shape != second.shape or len(first) < 2:
        raise ValueError(
            "rates must be two numbers, or two arrays of a proportion for each label, got shapes"
            f" {first.shape} and {second.shape}."
        )
    for margin in (first, second):
        if not (margin >= 0).all() or abs(margin.sum() - 1) > 1e-9:
            raise ValueError(f"rates must be proportions that sum to 1, got {margin.tolist()}.")
    return first, second


def _planned_table(
    name: str, kappa: float, margins: tuple[FloatTable, FloatTable], weights: Weights
) -> FloatTable:
    """Return the mixture of independence and most agreement that has this kappa."""
    if not isinstance(kappa, Real) or not -1 <= kappa <= 1:
        raise ValueError(f"{name} must be a number between -1 and 1, got {kappa!r}.")
    by_chance = np.outer(*margins)
    checked = as_weights(weights, len(by_chance))
    closest = closest_tables(by_chance, checked)
    largest = float(kappas(closest, checked))
    if math.isnan(largest):
        raise ValueError(
            "rates must leave room for disagreement, got"
            f" {', '.join(str(margin.tolist()) for margin in margins)}: kappa is undefined."
        )
    if kappa > largest + 1e-12:
        raise ValueError(
            f"{name} can be {largest:.4f} at most for raters with these rates, got {kappa!r}."
        )
    part = min(kappa / largest, 1.0) if largest > 0 else 0.0
    proportions: FloatTable = by_chance + part * (closest - by_chance)
    if proportions.min() < -1e-12:
        raise ValueError(f"{name} is too far below 0 for raters with these rates, got {kappa!r}.")
    return np.maximum(proportions, 0)


def _error_of_one_item(proportions: FloatTable, weights: Weights) -> float:
    terms = terms_of(proportions, weights)
    return float(delta_error(terms.proportions, gradient(terms), np.ones(())))


def _check_probability(name: str, value: float) -> None:
    if not isinstance(value, Real) or not 0 < value < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, got {value!r}.")
