"""Choose the method for an interval for kappa, and adjust intervals for clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.choices import check_choice
from fastkappa.statistics.distributions import t_quantile
from fastkappa.statistics.inference import (
    Distribution,
    degrees_of_freedom,
    standard_error,
    symmetric_interval,
)
from fastkappa.statistics.intervals.inverted import inverted_test
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights

IntervalMethod: TypeAlias = Literal["asymptotic", "score", "profile"]
METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)
# The score interval is the default for up to this many labels. The time for a score interval
# grows with the cube of the number of labels. On one Zen 4 core, an interval takes about 1.5 ms
# with 5 labels, 4 ms with 50, 20 ms with 100 and 200 ms with 256.
MOST_LABELS = 128
# With more items than this, a single disagreement is lost in the rounding of proportions.
MOST_ITEMS = 10**10


def choose_method(
    method: IntervalMethod | None, table: AnyArray, distribution: Distribution = "normal"
) -> IntervalMethod:
    """Return the interval method for one table, or raise an error if it is not supported.

    The default does not depend on the number of disagreements. This number is not a useful
    criterion, because with weights the standard error can depend on only a few disagreements.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.statistics.intervals.methods import choose_method
    >>> choose_method(None, np.array([[900, 41], [59, 200]]))
    'score'
    """
    check_choice("interval_method", method, (None, *METHODS))
    if distribution == "t":
        if method in ("score", "profile"):
            raise ValueError(
                f"distribution='t' requires interval_method='asymptotic', got {method!r}."
            )
        return "asymptotic"
    n = int(table.sum())
    if method in ("score", "profile") and n > MOST_ITEMS:
        raise ValueError(
            f"interval_method={method!r} supports at most {MOST_ITEMS} items, got {n}:"
            " use 'asymptotic'."
        )
    if method is not None:
        return method
    return "score" if len(table) <= MOST_LABELS and n <= MOST_ITEMS else "asymptotic"


def intervals(
    method: IntervalMethod,
    tables: AnyArray,
    weights: Weights,
    confidence: float,
    distribution: Distribution = "normal",
) -> tuple[FloatTable, FloatTable]:
    """Return the interval limits for each table of a validated stack of shape (m, l, l)."""
    if method != "asymptotic":
        return inverted_test(method, tables, weights, confidence)
    n = tables.sum(axis=(-2, -1))
    kappa, error = kappas(tables, weights), np.asarray(standard_error(tables, weights))
    if distribution == "normal":
        return symmetric_interval(kappa, error, confidence)
    ends = [
        symmetric_interval(k, e * math.sqrt(m / (m - 1)), confidence, degrees_of_freedom("t", m))
        if m > 1
        else (math.nan, math.nan)
        for k, e, m in zip(kappa.tolist(), error.tolist(), n.tolist())
    ]
    low, high = np.array(ends).T
    return low, high


def widening(in_clusters: Any, alone: Any, n_clusters: float) -> FloatTable:
    """Return the divisor of the square root of a test statistic for clustered items.

    The divisor is the square root of the design effect, which is the variance for clustered items
    divided by the variance for independent items. A design effect below 1 is usually due to chance,
    and clusters should not make an interval shorter, so such a design effect is set to 1. If both
    variances are 0, the design effect is also set to 1.

    Parameters
    ----------
    in_clusters, alone : array-like
        The standard errors for clustered items and for independent items, without small-sample
        corrections.
    n_clusters : float
        The number G of clusters. The variance for clustered items is multiplied by G / (G - 1).

    References
    ----------
    J. N. K. Rao and A. J. Scott (1984). On chi-squared tests for multiway contingency tables
    with cell proportions estimated from survey data. Annals of Statistics 12, 46-60.

    Examples
    --------
    >>> from fastkappa.statistics.intervals.methods import widening
    >>> widening([0.09, 0.12, 0], [0.1, 0.1, 0], 26).round(3)
    array([1.   , 1.224, 1.   ])
    """
    if n_clusters < 2:
        return np.ones(np.shape(in_clusters))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.asarray(in_clusters, np.float64) / np.asarray(alone, np.float64)
    scale = math.sqrt(n_clusters / (n_clusters - 1))
    return np.asarray(np.fmax(ratio * scale, 1.0), np.float64)


def root_quantile(confidence: float, degrees_of_freedom: float) -> float:
    """Return the square root of the test statistic at the limits of an interval.

    If there is less than one degree of freedom, all items are in one cluster, and the result is
    NaN.
    """
    if degrees_of_freedom < 1:
        return math.nan
    return t_quantile((1 + confidence) / 2, degrees_of_freedom)


def joint_freedom(shares: FloatTable, freedoms: Sequence[float]) -> float:
    """Return the degrees of freedom for a sum of independent variances (Satterthwaite 1946).

    ``shares`` holds the variances, up to a common factor, and ``freedoms`` holds their degrees of
    freedom.
    """
    if not np.isfinite(shares).all() or not shares.any():
        return max(freedoms)
    uncertain = float((shares**2 / np.array(freedoms)).sum())
    return float(shares.sum()) ** 2 / uncertain if uncertain else math.inf
