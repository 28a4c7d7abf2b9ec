"""Bootstrap intervals of any statistic of a table.

To resample n items with replacement is to draw the cells of the table from a multinomial
distribution, so a replicate costs O(l^2) however many items there are. Leaving out an item
depends on its cell alone, so the jackknife that BCa intervals need has l^2 values at most.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.statistics.indices import Estimate
from fastkappa.statistics.inference import STANDARD_NORMAL, check_confidence, normal_quantile
from fastkappa.statistics.kappa import as_tables, kappas, refuse_fractions
from fastkappa.statistics.weights import Weights, as_weights

Statistic: TypeAlias = Callable[[AnyArray], Any]
Method: TypeAlias = Literal["percentile", "bca"]

# Tables are drawn and scored a block at a time, of so many cells: 2 MB, to stay in the cache.
CELLS_OF_A_BLOCK = 1 << 18


@dataclass(frozen=True, eq=False)
class BootstrapResult:
    """A statistic with its bootstrap interval.

    Attributes
    ----------
    value : float
        The statistic of the table itself.
    interval : tuple of float
        Its lower and upper end; NaN where it is undefined.
    standard_error : float
        The standard deviation of the replicates.
    replicates : ndarray of shape (n_resamples,)
        The statistic of each resampled table, in the order drawn. NaN where undefined.
    n_undefined : int
        How many of them are NaN; the interval is that of the others.
    method : {'percentile', 'bca'}
        How the interval was made.
    confidence : float
        The confidence of the interval.
    """

    value: float
    interval: tuple[float, float]
    standard_error: float
    replicates: FloatTable
    n_undefined: int
    method: Method
    confidence: float

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"<BootstrapResult: {self.value:.4f} ({low:.4f} to {high:.4f}), {self.method},"
            f" {len(self.replicates)} replicates>"
        )


def bootstrap(
    table: Any,
    statistic: Statistic | None = None,
    *,
    weights: Weights = None,
    n_resamples: int = 9999,
    method: Method = "bca",
    confidence: float = 0.95,
    rng: Any = None,
) -> BootstrapResult:
    """Return the bootstrap interval of kappa, or of any statistic of a table.

    Parameters
    ----------
    table : array-like of shape (l, l), or AgreementResult
        Counts of items; rows are the first rater's ratings. A result brings its weights.
    statistic : callable, default=None
        A function of tables of shape (m, l, l), the first axis being that of replicates,
        that returns m numbers, NaN where it is undefined, as the functions in
        `fastkappa.statistics.indices` do. None takes kappa.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights for kappa, as for `kappa_from_confusion`.
    n_resamples : int, default=9999
        How many tables to draw.
    method : {'percentile', 'bca'}, default='bca'
        'percentile' takes quantiles of the replicates, 'bca' corrects them for bias and
        skewness (bias-corrected and accelerated).
    confidence : float, default=0.95
        The confidence of the interval.
    rng : Generator, int or None, default=None
        Where random numbers come from: a seed makes the result repeatable.

    Returns
    -------
    result : BootstrapResult

    Raises
    ------
    ValueError
        If the table is no square table of whole counts, or empty, if the statistic does
        not return a number for each table, or for an argument that is not what it must be.

    Notes
    -----
    Where a replicate is undefined it is left out of the interval; there is an
    ``UndefinedMetricWarning`` where none is left.

    References
    ----------
    B. Efron (1987). Better bootstrap confidence intervals. Journal of the American
    Statistical Association 82, 171-185.

    Examples
    --------
    >>> from fastkappa import bootstrap
    >>> result = bootstrap([[0, 70], [30, 0]], method="percentile", rng=0)
    >>> round(result.value, 6)
    -0.724138
    >>> low, high = result.interval
    >>> bool(-0.93 < low < -0.88 and -0.52 < high < -0.48)
    True

    >>> from fastkappa.statistics.indices import gwet_ac2
    >>> result = bootstrap([[118, 5], [2, 0]], gwet_ac2, rng=0)
    >>> round(result.value, 6)
    0.940776
    """
    counts = _whole_counts(getattr(table, "table", table))
    if statistic is None:
        given = weights if weights is not None else getattr(table, "weights", None)
        statistic = kappa_statistic(given, counts.shape[-1])
    elif not callable(statistic):
        raise ValueError(f"statistic must be a function of stacked tables, got {statistic!r}.")
    elif weights is not None:
        raise ValueError("weights are those of kappa: they cannot be given with a statistic.")
    return bootstrap_counts(counts, statistic, n_resamples, method, confidence, rng)


def kappa_statistic(weights: Weights, n_labels: int) -> Statistic:
    """Return kappa, for these weights, as a function of stacked tables."""
    checked = as_weights(weights, n_labels)
    return lambda tables: kappas(tables, checked)


def bootstrap_counts(
    counts: AnyArray,
    statistic: Statistic,
    n_resamples: int,
    method: Method,
    confidence: float,
    rng: Any,
) -> BootstrapResult:
    """Return the bootstrap of a statistic of checked counts, of any shape."""
    check_method(method)
    if isinstance(n_resamples, bool) or not hasattr(n_resamples, "__index__") or n_resamples < 1:
        raise ValueError(f"n_resamples must be a whole number above 0, got {n_resamples!r}.")
    check_confidence(confidence)
    generator = as_generator(rng)
    value = float(_scores(statistic, counts[None])[0])
    replicates = np.concatenate(
        [_scores(statistic, drawn) for drawn in _resampled(counts, int(n_resamples), generator)]
    )
    defined = replicates[~np.isnan(replicates)]
    shares = ((1 - confidence) / 2, (1 + confidence) / 2)
    if method == "bca":
        shares = _corrected(shares, value, defined, *_left_out(statistic, counts))
    interval = (math.nan, math.nan)
    if len(defined) and not math.isnan(sum(shares)) and not math.isnan(value):
        low, high = np.quantile(defined, shares)
        interval = (float(low), float(high))
    else:
        warnings.warn(
            "the bootstrap interval is undefined: the statistic is, for the table or for all"
            f" that were drawn ({len(defined)} of {len(replicates)} are defined).",
            undefined_metric_warning(),
            stacklevel=3,
        )
    replicates.flags.writeable = False
    return BootstrapResult(
        value,
        interval,
        float(defined.std(ddof=1)) if len(defined) > 1 else math.nan,
        replicates,
        len(replicates) - len(defined),
        method,
        float(confidence),
    )


def check_method(method: Method) -> None:
    """Raise if there is no such kind of bootstrap interval."""
    if method not in ("percentile", "bca"):
        raise ValueError(f"method must be 'percentile' or 'bca', got {method!r}.")


def as_generator(rng: Any) -> np.random.Generator:
    """Return where random numbers come from, or raise if that is no seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"rng must be a Generator, a whole number from 0 on or None, got {rng!r}."
        ) from error


def _resampled(counts: AnyArray, n_resamples: int, generator: np.random.Generator) -> Any:
    """Yield stacks of resampled tables."""
    # Cells in which nothing is stay empty. The largest are drawn first: where few items are
    # left the rest is drawn sooner.
    cells = np.flatnonzero(counts)
    cells = cells[np.argsort(-counts.ravel()[cells], kind="stable")]
    n = int(counts.sum())
    shares = counts.ravel()[cells] / n
    length = max(1, CELLS_OF_A_BLOCK // counts.size)
    for start in range(0, n_resamples, length):
        size = min(length, n_resamples - start)
        tables = np.zeros((size, counts.size), np.int64)
        tables[:, cells] = generator.multinomial(n, shares, size=size)
        yield tables.reshape(size, *counts.shape)


def _left_out(statistic: Statistic, counts: AnyArray) -> tuple[FloatTable, NDArray[np.int64]]:
    """Return the statistic without an item of each cell, and how many items are alike."""
    cells = np.flatnonzero(counts)
    scores = []
    length = max(1, CELLS_OF_A_BLOCK // counts.size)
    for start in range(0, len(cells), length):
        block = cells[start : start + length]
        tables = np.repeat(counts.reshape(1, -1), len(block), axis=0)
        tables[np.arange(len(block)), block] -= 1
        scores.append(_scores(statistic, tables.reshape(-1, *counts.shape)))
    return np.concatenate(scores), counts.ravel()[cells]


def _corrected(
    shares: tuple[float, float],
    value: float,
    replicates: FloatTable,
    left_out: FloatTable,
    n_alike: NDArray[np.int64],
) -> tuple[float, float]:
    """Return the shares of the replicates at which a BCa interval ends, or NaN."""
    if len(replicates) == 0 or math.isnan(value):
        return math.nan, math.nan
    below = float((np.mean(replicates < value) + np.mean(replicates <= value)) / 2)
    if not 0 < below < 1:
        # All replicates lie on one side: there is no correction that keeps them within.
        return (0.0, 0.0) if below == 1 else (1.0, 1.0)
    bias = normal_quantile(below)
    # A table whose jackknife is not defined everywhere has no acceleration to be had.
    known = ~np.isnan(left_out)
    left_out, n_alike = left_out[known], n_alike[known]
    deviation = (n_alike * left_out).sum() / n_alike.sum() - left_out
    squares = (n_alike * deviation**2).sum()
    acceleration = (n_alike * deviation**3).sum() / (6 * squares**1.5) if squares > 0 else 0.0
    ends = []
    for share in shares:
        moved = bias + normal_quantile(share)
        ends.append(STANDARD_NORMAL.cdf(bias + moved / (1 - acceleration * moved)))
    return ends[0], ends[1]


def _scores(statistic: Statistic, tables: AnyArray) -> FloatTable:
    found = statistic(tables)
    scores = np.asarray(found.value if isinstance(found, Estimate) else found)
    if scores.shape != tables.shape[:1] or scores.dtype.kind not in "iufb":
        raise ValueError(
            f"statistic must return {len(tables)} numbers for tables of the shape"
            f" {tables.shape}, got an array of shape {scores.shape} and dtype {scores.dtype}."
        )
    return scores.astype(np.float64)


def _whole_counts(table: Any) -> NDArray[np.int64]:
    counts = as_tables(table)
    if counts.ndim != 2:
        raise ValueError(f"table must have the shape (l, l), got {counts.shape}.")
    refuse_fractions(counts, "table")
    if not counts.any():
        raise ValueError("table must not be empty: all its counts are 0.")
    if int(counts.astype(object).sum()) >= 1 << 62:
        raise ValueError("table must count fewer than 2**62 items to be drawn from.")
    return counts.astype(np.int64)
