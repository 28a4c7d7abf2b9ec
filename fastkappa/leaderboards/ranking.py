"""Which of many kappas is the largest, and how sure that is: the paired bootstrap.

A replicate draws groups of items with replacement, the same for all predictions, so what
these have in common cancels out of their differences. All that kappa needs is a sum over
items, so a replicate is a sum over groups, and all replicates are one product of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import FloatTable

# Replicates that are computed together.
AT_ONCE = 256


class Ranking(NamedTuple):
    """What the replicates say about m kappas.

    Attributes
    ----------
    order : ndarray of int, shape (m,)
        The positions from the largest kappa to the smallest, undefined ones last.
    rank : ndarray of int, shape (m,)
        1 for the largest; equal kappas have the rank of the first of them. Undefined ones
        have the last rank.
    interval, difference_interval : ndarray of shape (m, 2)
        Percentile intervals of kappa and of kappa less that of the leader.
    difference : ndarray of shape (m,)
        Kappa less that of the leader, the one that is first in ``order``.
    first : ndarray of shape (m,)
        The share of replicates in which it is the largest; equal ones share it.
    rank_interval : ndarray of int, shape (m, 2)
    """

    order: NDArray[np.intp]
    rank: NDArray[np.int64]
    interval: FloatTable
    difference: FloatTable
    difference_interval: FloatTable
    first: FloatTable
    rank_interval: NDArray[np.int64]


def draw_groups(
    n_groups: int, n_resamples: int, generator: np.random.Generator
) -> Iterator[FloatTable]:
    """Yield how often each group is drawn in some replicates, shape (some, n_groups)."""
    for start in range(0, n_resamples, AT_ONCE):
        n_rows = min(AT_ONCE, n_resamples - start)
        drawn = generator.integers(0, n_groups, (n_rows, n_groups))
        drawn += n_groups * np.arange(n_rows)[:, None]
        times = np.bincount(drawn.reshape(-1), minlength=n_rows * n_groups)
        yield times.reshape(n_rows, n_groups).astype(np.float64)


def resampled_kappas(
    times: FloatTable,
    disagreement: FloatTable,
    rows: FloatTable,
    columns: FloatTable,
    matrix: FloatTable,
) -> FloatTable:
    """Return the kappas of replicates.

    Parameters
    ----------
    times : ndarray of shape (r, g)
        How often each group is drawn.
    disagreement : ndarray of shape (g, m)
        The sums of the items' disagreement weights.
    rows : ndarray of shape (g, m or 1, l)
        How many items have each true label; one for all predictions, if they share them.
    columns : ndarray of shape (g, m, l)
        How many have each predicted label.
    matrix : ndarray of shape (l, l)
        The disagreement weights.

    Returns
    -------
    kappas : ndarray of shape (r, m)
        NaN where kappa is undefined.
    """
    true = _summed(times, rows)
    predicted = _summed(times, columns)
    observed = true.sum(axis=-1) * (times @ disagreement)
    expected = np.einsum("rmb,rmb->rm", np.broadcast_to(true @ matrix, predicted.shape), predicted)
    kappas = np.full(expected.shape, np.nan)
    np.divide(observed, expected, out=kappas, where=expected > 0)
    return 1 - kappas


def rank(kappas: FloatTable, replicates: FloatTable, confidence: float) -> Ranking:
    """Return how kappas rank, from their replicates of shape (r, m)."""
    shares = ((1 - confidence) / 2, (1 + confidence) / 2)
    order = np.argsort(-_last_if_undefined(kappas), kind="stable")
    leader = order[0]
    differences = replicates - replicates[:, leader, None]
    ranks = ranks_of(replicates)
    known = replicates[~np.isnan(replicates).all(axis=1)]
    best = _last_if_undefined(known)
    is_first = best == best.max(axis=1, initial=-np.inf, keepdims=True)
    first = (is_first / is_first.sum(axis=1, keepdims=True)).sum(axis=0)
    rank_interval = np.full((len(kappas), 2), 0)
    if len(replicates):
        rank_interval = np.quantile(ranks, shares, axis=0, method="inverted_cdf").T
    return Ranking(
        order,
        ranks_of(kappas[None])[0],
        _quantiles(replicates, shares),
        kappas - kappas[leader],
        _quantiles(differences, shares),
        first / len(known) if len(known) else np.full(len(kappas), np.nan),
        rank_interval.astype(np.int64),
    )


def ranks_of(kappas: FloatTable) -> NDArray[np.int64]:
    """Return the ranks in each row: 1 for the largest, and equal ones with the same rank."""
    values = -_last_if_undefined(kappas)
    order = np.argsort(values, axis=1, kind="stable")
    in_order = np.take_along_axis(values, order, axis=1)
    place = np.arange(1, values.shape[1] + 1) * np.ones((len(values), 1), np.int64)
    place[:, 1:][in_order[:, 1:] == in_order[:, :-1]] = 0
    ranks = np.empty_like(place)
    np.put_along_axis(ranks, order, np.maximum.accumulate(place, axis=1), axis=1)
    return ranks


def _summed(times: FloatTable, groups: FloatTable) -> FloatTable:
    """Return the sums over the groups drawn, shape (r, m, l), of an array of shape (g, m, l)."""
    return (times @ groups.reshape(len(groups), -1)).reshape(len(times), *groups.shape[1:])


def _last_if_undefined(kappas: FloatTable) -> FloatTable:
    return np.where(np.isnan(kappas), -np.inf, kappas)


def _quantiles(replicates: FloatTable, shares: tuple[float, float]) -> FloatTable:
    """Return the quantiles of each column, undefined replicates being left out."""
    quantiles = np.full((replicates.shape[1], 2), np.nan)
    undefined = np.isnan(replicates)
    complete = ~undefined.any(axis=0)
    if len(replicates) and complete.any():
        quantiles[complete] = np.quantile(replicates[:, complete], shares, axis=0).T
    for j in np.flatnonzero(~complete):
        defined = replicates[~undefined[:, j], j]
        if len(defined):
            quantiles[j] = np.quantile(defined, shares)
    return quantiles
