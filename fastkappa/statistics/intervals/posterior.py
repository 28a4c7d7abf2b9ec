"""Compute a Bayesian interval for kappa from the Dirichlet posterior of a table's proportions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.formatting import count_text, figure, interval_text
from fastkappa.frame import frame_of_estimate
from fastkappa.results.report import Report, estimate_grid
from fastkappa.results.result import Result
from fastkappa.statistics.bootstrap import BLOCK_CELLS, as_generator
from fastkappa.statistics.clusters import are_joined
from fastkappa.statistics.inference import check_confidence, check_whole
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.tables import counts_given, warn_of_names
from fastkappa.statistics.weights import (
    Weights,
    as_weights,
    disagreement_matrix,
    what_needs_order,
)

Prior: TypeAlias = Literal["perks", "jeffreys"] | float


@dataclass(frozen=True, eq=False, repr=False)
class KappaPosterior(Result):
    """Draws from the posterior distribution of kappa, with a credible interval for kappa.

    Attributes
    ----------
    kappa : float
        Kappa of the table itself.
    mean : float
        The mean of the draws.
    standard_deviation : float
        The standard deviation of the draws.
    interval : tuple of float
        The limits of the equal-tailed credible interval, which are quantiles of the draws.
    draws : ndarray of shape (n_draws,)
        The sampled values of kappa, in the order in which they were drawn. The array is read-only.
    prior : float
        The count that the prior distribution adds to each cell.
    confidence : float
        The posterior probability that kappa is in the interval.
    """

    kappa: float
    mean: float
    standard_deviation: float
    interval: tuple[float, float]
    draws: FloatTable
    prior: float
    confidence: float

    def probability_above(self, value: float) -> float:
        """Return the posterior probability that kappa is above ``value``."""
        return float((self.draws > value).mean())

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row, without the draws.

        The columns are ``value`` (the mean of the draws), ``standard_error`` (their standard
        deviation), ``lower`` and ``upper``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return frame_of_estimate(self.mean, self.standard_deviation, self.interval)

    def _report(self) -> Report:
        row = ("mean of kappa", self.mean, self.standard_deviation, self.interval)
        return Report(
            [
                f"Posterior of kappa, {count_text(len(self.draws), 'draw')};"
                f" prior {self.prior:.4g} per cell"
            ],
            [estimate_grid([row], self.confidence)],
        )

    def __repr__(self) -> str:
        return (
            f"<KappaPosterior: kappa {figure(self.kappa)} ({interval_text(self.interval)}),"
            f" {count_text(len(self.draws), 'draw')}, prior {self.prior:.4g}>"
        )


def kappa_posterior(
    table: Any,
    *,
    weights: Weights = None,
    prior: Prior = "perks",
    n_draws: int = 9999,
    confidence: float = 0.95,
    rng: Any = None,
) -> KappaPosterior:
    """Return draws from the posterior distribution of kappa, with a credible interval for kappa.

    The prior for the table's l^2 proportions is a Dirichlet distribution with the same parameter
    for each cell.

    Parameters
    ----------
    table : array-like of shape (l, l), or AgreementResult
        Counts of items. Rows correspond to the first rater's labels. If a result is given, its
        weights are used unless ``weights`` is also given.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights, as for `kappa_from_confusion`.
    prior : {'perks', 'jeffreys'} or float, default='perks'
        The count that the prior adds to each cell. 'perks' adds 1 / l^2 (one item in total), and
        'jeffreys' adds 1/2. If a number is given, it must be positive. Jeffreys' prior adds l^2 / 2
        items in total, on which the raters agree only by chance. With few items and four or more
        labels, this prior lowers kappa considerably.
    n_draws : int, default=9999
        The number of draws from the posterior distribution.
    confidence : float, default=0.95
        The posterior probability that kappa is in the interval.
    rng : Generator, int or None, default=None
        The random number generator, or a seed for reproducible results.

    Returns
    -------
    posterior : KappaPosterior

    Raises
    ------
    ValueError
        If the table is empty or is not a square table of whole counts, if a result with clusters is
        given, if all weights are 0, or if another argument is invalid.

    References
    ----------
    W. Perks (1947). Some observations on inverse probability including a new indifference
    rule. Journal of the Institute of Actuaries 73, 285-334.

    Examples
    --------
    >>> from fastkappa import kappa_posterior
    >>> posterior = kappa_posterior([[40, 3], [2, 15]], rng=0)
    >>> round(posterior.kappa, 3)
    0.798
    >>> [round(end, 1) for end in posterior.interval], round(posterior.probability_above(0.6), 1)
    ([0.6, 0.9], 1.0)
    """
    clusters = getattr(table, "clusters", None)
    if are_joined(clusters):
        raise ValueError(
            "table must not be a result with clusters, because the posterior assumes independent"
            " items. Use bootstrap, which resamples clusters."
        )
    counts = counts_given(getattr(table, "table", table))
    warn_of_names(table, what_needs_order(weights))
    size = len(counts)
    given = weights if weights is not None else getattr(table, "weights", None)
    checked = as_weights(given, size)
    matrix = disagreement_matrix(checked, size)
    if not matrix.any():
        raise ValueError("weights must not all be 0, because kappa is then undefined.")
    added = _parameter(prior, size)
    check_whole("n_draws", n_draws, 1)
    check_confidence(confidence)
    generator = as_generator(rng)
    parameters = counts.astype(np.float64) + added
    block = max(1, BLOCK_CELLS // counts.size)
    draws = np.concatenate(
        [
            _kappas_of(
                generator.standard_gamma(parameters, (min(block, n_draws - start), size, size)),
                matrix,
            )
            for start in range(0, int(n_draws), block)
        ]
    )
    low, high = np.nanquantile(draws, ((1 - confidence) / 2, (1 + confidence) / 2))
    draws.flags.writeable = False
    return KappaPosterior(
        float(kappas(counts, checked)),
        float(np.nanmean(draws)),
        float(np.nanstd(draws)),
        (float(low), float(high)),
        draws,
        added,
        float(confidence),
    )


def _parameter(prior: Prior, n_labels: int) -> float:
    """Return the count that a prior adds to each cell."""
    if prior == "perks":
        return 1 / n_labels**2
    if prior == "jeffreys":
        return 0.5
    if not isinstance(prior, Real) or not 0 < prior < math.inf:
        raise ValueError(f"prior must be 'perks', 'jeffreys' or a number above 0, got {prior!r}.")
    return float(prior)


def _kappas_of(tables: FloatTable, matrix: FloatTable) -> FloatTable:
    """Return the kappas of tables of real numbers, without the exact sums used for counts."""
    rows, columns, n = tables.sum(axis=-1), tables.sum(axis=-2), tables.sum(axis=(-2, -1))
    observed = (tables * matrix).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa: FloatTable = 1 - n * observed / ((rows @ matrix) * columns).sum(axis=-1)
    return kappa
