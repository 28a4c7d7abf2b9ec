"""Compute bootstrap intervals of any statistic of a table.

Resampling n items with replacement is equivalent to a multinomial draw from the table's cells, so a
replicate of a table with l labels costs O(l^2), regardless of the number of items. The effect of
leaving out an item depends only on its cell, so the jackknife for BCa intervals needs at most l^2
values. If items are in clusters, each cluster is drawn as a whole.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.choices import check_choice
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.formatting import BOOTSTRAP_METHODS, count_text, figure, interval_text
from fastkappa.frame import frame_of_estimate
from fastkappa.results.report import Report, estimate_grid, estimate_row
from fastkappa.results.result import Result
from fastkappa.results.sentence import decimals, versioned
from fastkappa.statistics.clusters import Clusters, resampled, without_clusters
from fastkappa.statistics.indices import Estimate
from fastkappa.statistics.inference import (
    STANDARD_NORMAL,
    check_confidence,
    check_whole,
    normal_quantile,
)
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.tables import counts_given, warn_of_names
from fastkappa.statistics.weights import Weights, as_weights, what_needs_order

Statistic: TypeAlias = Callable[[AnyArray], Any]
Method: TypeAlias = Literal["percentile", "bca"]

# The number of cells in a block of drawn tables. A block takes up 2 MB, so it stays in the cache.
BLOCK_CELLS = 1 << 18


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapResult(Result):
    """A statistic of a table, with a bootstrap confidence interval.

    Attributes
    ----------
    value : float
        The statistic of the original table.
    interval : tuple of float
        The lower and upper limits of the interval, or NaN if the interval is undefined.
    standard_error : float
        The standard deviation of the replicates.
    replicates : ndarray of shape (n_resamples,)
        The statistic of each resampled table, in the order in which the tables were drawn.
        Undefined values are NaN.
    n_undefined : int
        The number of replicates that are NaN. The interval is computed from the other replicates.
    method : {'percentile', 'bca'}
        The kind of bootstrap interval.
    confidence : float
        The confidence level of the interval.
    name : str
        The name of the statistic, such as "kappa".
    """

    value: float
    interval: tuple[float, float]
    standard_error: float
    replicates: FloatTable
    n_undefined: int
    method: Method
    confidence: float
    name: str = "the statistic"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row, without the replicates.

        The columns are ``value``, ``standard_error``, ``lower`` and ``upper``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of_estimate(self.value, self.standard_error, self.interval)

    def _report(self) -> Report:
        found = ("", self.value, self.standard_error, self.interval)
        return Report([self._line()], [estimate_grid([found], self.confidence)])

    def sentence(self, *, name: str | None = None) -> str:
        """Return a sentence about the interval for a paper.

        If ``name`` is given, it is used as the name of the statistic.
        """
        return versioned(self._line(name, decimals(self.interval)))

    def _line(self, name: str | None = None, digits: int = 4) -> str:
        """Return the sentence with a given number of decimals (default: the number in reports)."""
        n, method = len(self.replicates), BOOTSTRAP_METHODS[self.method]
        undefined = f", {self.n_undefined} undefined" if self.n_undefined else ""
        return (
            f"The {100 * self.confidence:g} % bootstrap interval of {name or self.name} was"
            f" {interval_text(self.interval, digits=digits)} ({method}, {n} replicates{undefined})"
        )

    def row(self, name: str) -> dict[str, Any]:
        """Return the interval as a dictionary for one CSV row.

        ``name`` is the name of the statistic in that row.
        """
        name = f"{name} ({BOOTSTRAP_METHODS[self.method]} bootstrap)"
        return estimate_row(name, None, self.standard_error, self.interval)

    def __repr__(self) -> str:
        return (
            f"<BootstrapResult: {figure(self.value)} ({interval_text(self.interval)}),"
            f" {self.method}, {count_text(len(self.replicates), 'replicate')}>"
        )


def bootstrap(
    table: Any,
    *,
    statistic: Statistic | None = None,
    weights: Weights = None,
    n_resamples: int = 9999,
    method: Method = "bca",
    confidence: float = 0.95,
    rng: Any = None,
) -> BootstrapResult:
    """Return a bootstrap confidence interval for kappa, or for any other statistic of a table.

    Parameters
    ----------
    table : array-like of shape (l, l), or AgreementResult
        Counts of items. Rows correspond to the first rater's labels. If a result is given, its
        weights and clusters are used. If the items are clustered, whole clusters are drawn, and the
        jackknife for BCa intervals leaves out one cluster at a time.
    statistic : callable, default=None
        A function that accepts an array of m tables, of shape (m, l, l), and returns one number per
        table. If the statistic of a table is undefined, the number must be NaN. The functions in
        ``fastkappa.statistics.indices`` are examples. If None, kappa is computed.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights for kappa, as for `kappa_from_confusion`.
    n_resamples : int, default=9999
        The number of resampled tables to draw.
    method : {'percentile', 'bca'}, default='bca'
        'percentile' uses quantiles of the replicates. 'bca' (bias-corrected and accelerated)
        adjusts these quantiles for bias and skewness.
    confidence : float, default=0.95
        The confidence level of the interval.
    rng : Generator, int or None, default=None
        The random number generator, or a seed for reproducible results.

    Returns
    -------
    result : BootstrapResult

    Raises
    ------
    ValueError
        If the table is not a square table of whole counts or is empty, if all its items are in
        one cluster, if the statistic does not return a number for each table, or if another
        argument is invalid.

    Notes
    -----
    Undefined replicates are left out. The interval is undefined if no replicates remain, or if the
    statistic of the table itself is undefined. In this case, an ``UndefinedMetricWarning`` is
    issued.

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
    >>> result = bootstrap([[118, 5], [2, 0]], statistic=gwet_ac2, rng=0)
    >>> round(result.value, 6)
    0.940776
    """
    counts = counts_given(getattr(table, "table", table))
    warn_of_names(table, what_needs_order(weights))
    if int(counts.astype(object).sum()) >= 1 << 62:
        raise ValueError("table must have fewer than 2**62 items for a bootstrap.")
    counts = counts.astype(np.int64)
    name = "kappa" if statistic is None else "the statistic"
    if statistic is None:
        given = weights if weights is not None else getattr(table, "weights", None)
        statistic = kappa_statistic(given, counts.shape[-1])
    elif not callable(statistic):
        raise ValueError(
            f"statistic must be a function of an array of tables, got {short_repr(statistic)}."
        )
    elif weights is not None:
        raise ValueError("weights apply only to kappa: they must be None if statistic is given.")
    own = getattr(table, "clusters", None)
    clusters = own if isinstance(own, Clusters) else None
    return bootstrap_counts(
        counts, statistic, n_resamples, method, confidence, rng, clusters, name=name
    )


def kappa_statistic(weights: Weights, n_labels: int) -> Statistic:
    """Return a function that computes kappa with these weights for a stack of tables."""
    checked = as_weights(weights, n_labels)
    return lambda tables: kappas(tables, checked)


def bootstrap_counts(
    counts: AnyArray,
    statistic: Statistic,
    n_resamples: int,
    method: Method,
    confidence: float,
    rng: Any,
    clusters: Clusters | None = None,
    block_cells: int = BLOCK_CELLS,
    *,
    name: str = "the statistic",
) -> BootstrapResult:
    """Bootstrap a statistic of a table of validated counts, which can have any shape.

    ``clusters`` describes the clusters of the items, with cells numbered row by row.
    """
    check_method(method)
    check_confidence(confidence)
    n_resamples = check_resamples(n_resamples, 1, confidence)
    generator = as_generator(rng)
    value = float(_values(statistic, counts[None])[0])
    block = max(1, block_cells // counts.size)
    if clusters is None or clusters.are_single:
        drawn = _resampled(counts, n_resamples, generator, block)
        left_out = _without_items(counts, block)
    else:
        if clusters.n_clusters < 2:
            raise ValueError("clusters cannot be resampled, because all items are in one cluster.")
        drawn = resampled(counts, clusters, n_resamples, generator, block_cells)
        left_out = without_clusters(counts, clusters, block_cells)
    replicates = np.concatenate([_values(statistic, tables) for tables in drawn])
    defined = replicates[~np.isnan(replicates)]
    probabilities = ((1 - confidence) / 2, (1 + confidence) / 2)
    if method == "bca":
        values, multiplicities = zip(
            *((_values(statistic, tables), repeated) for tables, repeated in left_out)
        )
        jackknife = np.concatenate(values), np.concatenate(multiplicities)
        probabilities = _corrected(probabilities, value, defined, *jackknife)
    interval = (math.nan, math.nan)
    if len(defined) and not math.isnan(sum(probabilities)) and not math.isnan(value):
        low, high = np.quantile(defined, probabilities)
        interval = (float(low), float(high))
    else:
        of = "the table" if math.isnan(value) else f"each of the {len(replicates)} replicates"
        warnings.warn(
            f"the bootstrap interval is undefined, because the statistic is undefined for {of}.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
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
        name,
    )


def check_method(method: Method) -> None:
    """Raise if the kind of bootstrap interval is unknown."""
    check_choice("method", method, get_args(Method))


def check_resamples(n_resamples: Any, least: int, confidence: float) -> int:
    """Return the validated number of replicates, and warn if it is too small for the interval.

    If ``least`` is 0, the number can be 0, which means that no interval is computed.
    """
    check_whole("n_resamples", n_resamples, least)
    enough = math.ceil(round(2 / (1 - confidence), 6)) - 1
    if 0 < n_resamples < enough:
        warnings.warn(
            f"n_resamples={n_resamples} is too few for a {float(100 * confidence):.10g} % interval,"
            f" which needs at least {enough} replicates, and about {25 * enough} for a stable"
            " result.",
            UserWarning,
            stacklevel=users_stacklevel(),
        )
    return int(n_resamples)


def as_generator(rng: Any) -> np.random.Generator:
    """Return a random generator, or raise if ``rng`` is not a generator, a seed or None."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"rng must be a Generator, a non-negative whole number or None, got {rng!r}."
        ) from error


def _resampled(
    counts: AnyArray, n_resamples: int, generator: np.random.Generator, block: int
) -> Iterator[NDArray[np.int64]]:
    """Yield resampled tables, in stacks of at most ``block`` tables."""
    # Empty cells of the table stay empty in the draws. The largest cells are drawn first, because
    # the remaining draws are faster when few items are left.
    cells = np.flatnonzero(counts)
    cells = cells[np.argsort(-counts.ravel()[cells], kind="stable")]
    n = int(counts.sum())
    proportions = counts.ravel()[cells] / n
    for start in range(0, n_resamples, block):
        size = min(block, n_resamples - start)
        tables = np.zeros((size, counts.size), np.int64)
        tables[:, cells] = generator.multinomial(n, proportions, size=size)
        yield tables.reshape(size, *counts.shape)


def _without_items(counts: AnyArray, block: int) -> Iterator[tuple[AnyArray, NDArray[np.int64]]]:
    """Yield stacks of tables that each lack one item of a nonempty cell, and the cells' counts."""
    cells = np.flatnonzero(counts)
    for start in range(0, len(cells), block):
        some = cells[start : start + block]
        tables = np.repeat(counts.reshape(1, -1), len(some), axis=0)
        tables[np.arange(len(some)), some] -= 1
        yield tables.reshape(-1, *counts.shape), counts.ravel()[some]


def _corrected(
    probabilities: tuple[float, float],
    value: float,
    replicates: FloatTable,
    left_out: FloatTable,
    multiplicities: NDArray[np.int64],
) -> tuple[float, float]:
    """Return the probabilities of the two quantiles that bound a BCa interval; NaN if undefined."""
    if len(replicates) == 0 or math.isnan(value):
        return math.nan, math.nan
    below = float((np.mean(replicates < value) + np.mean(replicates <= value)) / 2)
    if not 0 < below < 1:
        # If all replicates are on one side of the estimate, the bias correction is infinite.
        return (0.0, 0.0) if below == 1 else (1.0, 1.0)
    bias = normal_quantile(below)
    # The acceleration uses only items whose removal leaves the statistic defined.
    known = ~np.isnan(left_out)
    left_out, multiplicities = left_out[known], multiplicities[known]
    mean = (multiplicities * left_out).sum() / max(multiplicities.sum(), 1)
    deviation = mean - left_out
    squares = (multiplicities * deviation**2).sum()
    acceleration = (
        (multiplicities * deviation**3).sum() / (6 * squares**1.5) if squares > 0 else 0.0
    )
    ends = []
    for probability in probabilities:
        moved = bias + normal_quantile(probability)
        ends.append(STANDARD_NORMAL.cdf(bias + moved / (1 - acceleration * moved)))
    return ends[0], ends[1]


def _values(statistic: Statistic, tables: AnyArray) -> FloatTable:
    found = statistic(tables)
    values = np.asarray(found.value if isinstance(found, Estimate) else found)
    if values.shape != tables.shape[:1] or values.dtype.kind not in "iufb":
        raise ValueError(
            f"statistic must return {len(tables)} numbers for tables of shape"
            f" {tables.shape}, got an array of shape {values.shape} and dtype {values.dtype}."
        )
    return values.astype(np.float64)
