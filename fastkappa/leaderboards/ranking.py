"""Compute kappas of many predictions, their paired bootstrap replicates and their ranks.

A replicate draws groups of items with replacement. The groups drawn are the same for all
predictions, so variation that is common to two kappas cancels out in their difference. Kappa is a
function of sums over items. In a replicate, the sums run over the groups drawn. One matrix product
computes the sums of many replicates.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.leaderboards.simultaneous import simultaneous_intervals
from fastkappa.statistics.intervals.methods import choose_method, intervals
from fastkappa.statistics.kappa import kappas as kappas_of_stack
from fastkappa.statistics.weights import Weights

# A kappa has no interval if it is undefined in more than this proportion of replicates.
MOST_UNDEFINED = 0.05
# The number of replicates computed together.
AT_ONCE = 256


class Ranking(NamedTuple):
    """The ranks of m kappas, with their bootstrap intervals.

    Attributes
    ----------
    order : ndarray of int, shape (m,)
        The positions of the kappas, from the largest kappa to the smallest. Undefined kappas come
        last.
    rank : ndarray of int, shape (m,)
        The rank of each kappa, starting from 1 for the largest kappa. Undefined kappas have rank 0,
        and equal kappas have the same rank.
    interval, difference_interval : ndarray of shape (m, 2)
        Percentile intervals of the kappas and of their differences from the leader's kappa.
    difference : ndarray of shape (m,)
        Kappa minus the kappa of the leader, which comes first in ``order``.
    simultaneous_interval : ndarray of shape (m, 2)
        Simultaneous intervals of the differences, valid whichever prediction is the leader.
    proportion_first : ndarray of shape (m,)
        The proportion of replicates in which the kappa is the largest. Ties are split equally. If a
        kappa is undefined in a replicate, the prediction is ranked first there, because it agrees
        with the truth on all items drawn. A prediction is last in replicates that contain none of
        its items.
    rank_interval : ndarray of int, shape (m, 2)
        Percentile intervals of the rank. The limits are 0 for undefined kappas.
    """

    order: NDArray[np.intp]
    rank: NDArray[np.int64]
    interval: FloatTable
    difference: FloatTable
    difference_interval: FloatTable
    simultaneous_interval: FloatTable
    proportion_first: FloatTable
    rank_interval: NDArray[np.int64]


def labels_present(tables: AnyArray, are_known: bool) -> NDArray[np.bool_]:
    """Return a mask per table: all labels if they are known, otherwise the labels that occur."""
    if are_known:
        return np.ones(tables.shape[:2], np.bool_)
    return np.logical_or(tables.any(axis=1), tables.any(axis=2))


def kappas_of(tables: AnyArray, present: NDArray[np.bool_], weights: Weights) -> FloatTable:
    """Return the kappa of each table, computed on the labels that are present in it.

    ``tables`` has the shape (m, l, l) and ``present`` the shape (m, l).
    """
    if weights is None or not isinstance(weights, str) or present.all():
        return kappas_of_stack(tables, weights)
    kappas = np.full(len(tables), np.nan)
    for mask, some in with_same_labels(present):
        kappas[some] = kappas_of_stack(tables[some][:, mask][:, :, mask], weights)
    return kappas


def warn_of_undefined(kappas: FloatTable) -> None:
    """Warn if the kappas of some predictions are undefined."""
    undefined = int(np.isnan(kappas).sum())
    if undefined:
        warnings.warn(
            f"kappa is undefined for {undefined} of {len(kappas)} predictions: at most one label"
            " occurs, so no disagreement is expected by chance.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )


def score_intervals(
    tables: AnyArray, present: NDArray[np.bool_], weights: Weights, confidence: float
) -> FloatTable:
    """Return the score interval of each table, for the labels in it, with shape (m, 2).

    `agreement` computes the same intervals. An interval is NaN if `agreement` would use another
    method.
    """
    found = np.full((len(tables), 2), np.nan)
    if weights is not None and not isinstance(weights, str):
        # A weight matrix has a row for every label, so labels that do not occur are kept.
        present = np.ones_like(present)
    for mask, some in with_same_labels(present):
        own = tables[some][:, mask][:, :, mask]
        chosen = np.array([choose_method(None, table) == "score" for table in own])
        if chosen.any():
            ends = intervals("score", own[chosen], weights, confidence)
            found[some[chosen]] = np.stack(ends, axis=1)
    return found


def with_same_labels(
    present: NDArray[np.bool_],
) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.intp]]]:
    """Yield each distinct mask of labels, and the indices of the tables that have this mask.

    Tables without labels are left out. ``present`` has the shape (m, l), and a mask the shape (l,).
    """
    for mask in {mask.tobytes(): mask for mask in present}.values():
        if mask.any():
            yield mask, np.flatnonzero((present == mask).all(axis=1))


def draw_groups(
    n_groups: int, n_resamples: int, generator: np.random.Generator
) -> Iterator[FloatTable]:
    """Yield arrays of shape (r, n_groups): how often each replicate draws each group."""
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
    """Return the kappas of bootstrap replicates.

    Parameters
    ----------
    times : ndarray of shape (r, g)
        The number of times that each replicate draws each group.
    disagreement : ndarray of shape (g, m)
        The sum of the items' disagreement weights, per group and prediction.
    rows : ndarray of shape (g, m or 1, l)
        The number of items with each true label. The second axis has length 1 if these numbers are
        the same for all predictions.
    columns : ndarray of shape (g, m, l)
        The number of items with each predicted label.
    matrix : ndarray of shape (l, l)
        The disagreement weights.

    Returns
    -------
    kappas : ndarray of shape (r, m)
        The kappas of the replicates. A kappa is NaN if it is undefined, and -inf if the replicate
        contains none of the prediction's items.
    """
    true = np.tensordot(times, rows, 1)
    predicted = np.tensordot(times, columns, 1)
    n_items = true.sum(axis=-1)
    observed = n_items * (times @ disagreement)
    factors = np.broadcast_to(true @ matrix, predicted.shape)
    expected = np.einsum("rml,rml->rm", factors, predicted)
    kappas = np.full(expected.shape, np.nan)
    np.divide(observed, expected, out=kappas, where=expected > 0)
    return np.where(n_items == 0, -np.inf, 1 - kappas)


def rank(
    kappas: FloatTable, replicates: FloatTable, confidence: float, num_threads: int = 1
) -> Ranking:
    """Rank m kappas, and compute intervals from their replicates.

    ``replicates`` has the shape (r, m) and is computed by `resampled_kappas`.
    """
    levels = ((1 - confidence) / 2, (1 + confidence) / 2)
    # NaN sorts last.
    order = np.argsort(-kappas, kind="stable")
    leader = order[:1]
    mostly = _mostly_defined(np.where(np.isneginf(replicates), np.nan, replicates))
    differences = mostly - mostly[:, leader]
    defined = ~np.isnan(kappas)
    ranks = np.zeros(len(kappas), np.int64)
    ranks[defined] = ranks_of(kappas[None, defined])[0]
    first = np.full(len(kappas), np.nan)
    rank_interval = np.zeros((len(kappas), 2), np.int64)
    known = replicates[:, defined]
    known = known[~np.isnan(known).all(axis=1)]
    if known.size:
        known[np.isnan(known)] = 1
        is_first = known == known.max(axis=1, keepdims=True)
        first[defined] = (is_first / is_first.sum(axis=1, keepdims=True)).mean(axis=0)
        of_known = np.quantile(ranks_of(known), levels, axis=0, method="inverted_cdf").T
        rank_interval[defined] = of_known
    return Ranking(
        order,
        ranks,
        _quantiles(mostly, levels),
        kappas - kappas[leader],
        _quantiles(differences, levels),
        simultaneous_intervals(kappas, mostly, int(order[0]), confidence, num_threads),
        first,
        rank_interval,
    )


def equal_predictions(kappas: FloatTable, replicates: FloatTable) -> list[list[int]]:
    """Return groups of predictions, by position, whose kappas are equal in every replicate.

    ``replicates`` has the shape (r, m). Different predictions that happen to have the same kappa
    are hardly ever in one group, because their kappas differ in some of the replicates.
    """
    alike: dict[Any, list[int]] = {}
    for j in np.flatnonzero(~np.isnan(kappas)).tolist() if len(replicates) else []:
        alike.setdefault((kappas[j], replicates[:, j].tobytes()), []).append(j)
    return [some for some in alike.values() if len(some) > 1]


def ranks_of(kappas: FloatTable) -> NDArray[np.int64]:
    """Return the ranks within each row. The largest kappa has rank 1, and ties share a rank."""
    values = -kappas
    order = np.argsort(values, axis=1)
    in_order = np.take_along_axis(values, order, axis=1)
    position = np.arange(1, values.shape[1] + 1) * np.ones((len(values), 1), np.int64)
    position[:, 1:][in_order[:, 1:] == in_order[:, :-1]] = 0
    ranks = np.empty_like(position)
    np.put_along_axis(ranks, order, np.maximum.accumulate(position, axis=1), axis=1)
    return ranks


def _mostly_defined(replicates: FloatTable) -> FloatTable:
    """Return the replicates. If a kappa is often undefined, its whole column becomes NaN.

    The defined replicates of such a kappa are not representative. For example, if all items but one
    have the same label, kappa is undefined in every replicate without that item.
    """
    too_many = np.isnan(replicates).sum(axis=0) > MOST_UNDEFINED * len(replicates)
    return np.where(too_many, np.nan, replicates) if too_many.any() else replicates


def _quantiles(replicates: FloatTable, levels: tuple[float, float]) -> FloatTable:
    """Return the quantiles of each column, ignoring undefined replicates."""
    quantiles = np.full((replicates.shape[1], 2), np.nan)
    undefined = np.isnan(replicates)
    complete = ~undefined.any(axis=0)
    if len(replicates) and complete.any():
        quantiles[complete] = np.quantile(replicates[:, complete], levels, axis=0).T
    for j in np.flatnonzero(~complete):
        defined = replicates[~undefined[:, j], j]
        if len(defined):
            quantiles[j] = np.quantile(defined, levels)
    return quantiles
