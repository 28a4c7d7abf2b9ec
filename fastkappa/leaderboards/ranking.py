"""Kappas of many predictions, their paired bootstrap replicates and their ranks.

A replicate draws groups of items with replacement, the same for all predictions, so what
these have in common cancels out of their differences. Kappa is a function of sums over items,
so a replicate is a sum over groups, and all replicates are one matrix product.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import LARGEST_EXACT, AnyArray, FloatTable
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.leaderboards.simultaneous import simultaneous_intervals
from fastkappa.statistics.intervals.methods import choose_method, intervals
from fastkappa.statistics.kappa import kappas as kappas_of_stack
from fastkappa.statistics.weights import Weights

# The largest proportion of undefined replicates that a kappa with an interval may have.
MOST_UNDEFINED = 0.05
# Replicates that are computed together.
AT_ONCE = 256
# float32 holds every whole number up to here.
LARGEST_IN_SINGLE = 1 << 24


class Ranking(NamedTuple):
    """The ranks of m kappas, with their bootstrap intervals.

    Attributes
    ----------
    order : ndarray of int, shape (m,)
        The positions from the largest kappa to the smallest, undefined ones last.
    rank : ndarray of int, shape (m,)
        1 for the largest; equal kappas have the rank of the first of them. 0 for undefined ones.
    interval, difference_interval : ndarray of shape (m, 2)
        Percentile intervals of kappa and of the difference.
    difference : ndarray of shape (m,)
        Kappa minus that of the leader, the first in ``order``.
    simultaneous_interval : ndarray of shape (m, 2)
        Intervals of the differences that hold together, whichever prediction is the leader.
    proportion_first : ndarray of shape (m,)
        The proportion of replicates in which it is the largest; ties count in equal parts. A kappa
        that is undefined in a replicate is first there: all items drawn are agreed on, so nobody
        is better. It is last if it has none of these items.
    rank_interval : ndarray of int, shape (m, 2)
        Percentile intervals of the rank; 0 for undefined kappas.
    """

    order: NDArray[np.intp]
    rank: NDArray[np.int64]
    interval: FloatTable
    difference: FloatTable
    difference_interval: FloatTable
    simultaneous_interval: FloatTable
    proportion_first: FloatTable
    rank_interval: NDArray[np.int64]


class Products(NamedTuple):
    """The disagreement weights of l labels as sums of k products.

    They are ``constant[:, None] + true @ predicted.T``, with ``constant`` of shape (l,), and
    ``true`` and ``predicted`` of shape (l, k).
    """

    constant: FloatTable
    true: FloatTable
    predicted: FloatTable


def products_of(matrix: FloatTable, most_items: float) -> Products:
    """Return the products for up to so many items: for (a - b)**2 there are two, else l.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.leaderboards.ranking import products_of
    >>> constant, true, predicted = products_of(np.array([[0., 1, 4], [1, 0, 1], [4, 1, 0]]), 9)
    >>> predicted.T
    array([[0., 1., 2.],
           [0., 1., 4.]])
    >>> constant[:, None] + true @ predicted.T
    array([[0., 1., 4.],
           [1., 0., 1.],
           [4., 1., 0.]])
    """
    position = np.arange(float(len(matrix)))
    squares = position**2
    is_quadratic = np.array_equal(matrix, np.subtract.outer(position, position) ** 2)
    # The moments, unlike counts, cancel out to zero, so they have to be exact.
    is_exact = 2 * squares[-1] * most_items**2 < LARGEST_EXACT
    if len(matrix) > 2 and is_quadratic and is_exact:
        true = np.stack([-2 * position, np.ones(len(matrix))], axis=1)
        return Products(squares, true, np.stack([position, squares], axis=1))
    return Products(np.zeros(len(matrix)), matrix, np.eye(len(matrix)))


def labels_present(tables: AnyArray, are_known: bool) -> NDArray[np.bool_]:
    """Return the labels of each of m tables: all of them if they are known, else those found."""
    if are_known:
        return np.ones(tables.shape[:2], np.bool_)
    return np.logical_or(tables.any(axis=1), tables.any(axis=2))


def kappas_of(tables: AnyArray, present: NDArray[np.bool_], weights: Weights) -> FloatTable:
    """Return kappa of each table, on the labels that are present in it.

    The shape of ``tables`` is (m, l, l), that of ``present`` (m, l).
    """
    if weights is None or not isinstance(weights, str) or present.all():
        return kappas_of_stack(tables, weights)
    kappas = np.full(len(tables), np.nan)
    for mask, some in with_same_labels(present):
        kappas[some] = kappas_of_stack(tables[some][:, mask][:, :, mask], weights)
    return kappas


def warn_of_undefined(kappas: FloatTable) -> None:
    """Warn if the kappa of some of the predictions is undefined."""
    undefined = int(np.isnan(kappas).sum())
    if undefined:
        warnings.warn(
            f"kappa is undefined for {undefined} of {len(kappas)} predictions: no disagreement is"
            " expected by chance, because there is one label only, or none.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )


def score_intervals(
    tables: AnyArray, present: NDArray[np.bool_], weights: Weights, confidence: float
) -> FloatTable:
    """Return the score interval of each table on its labels, shape (m, 2).

    It is the one that `agreement` gives. NaN where the default of `agreement` is another.
    """
    found = np.full((len(tables), 2), np.nan)
    if weights is not None and not isinstance(weights, str):
        present = np.ones_like(present)  # a matrix of weights is of all labels
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
    """Yield which labels some of m tables have, shape (l,), and which tables have just those.

    Tables without labels are left out; the shape of ``present`` is (m, l).
    """
    for mask in {mask.tobytes(): mask for mask in present}.values():
        if mask.any():
            yield mask, np.flatnonzero((present == mask).all(axis=1))


def draw_groups(
    n_groups: int, n_resamples: int, generator: np.random.Generator
) -> Iterator[FloatTable]:
    """Yield the number of times each group is drawn in some replicates, shape (some, n_groups)."""
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
    products: Products,
) -> FloatTable:
    """Return the kappas of replicates.

    Parameters
    ----------
    times : ndarray of shape (r, g)
        The number of times each group is drawn.
    disagreement : ndarray of shape (g, m)
        The sums of the items' disagreement weights.
    rows : ndarray of shape (g, m or 1, l)
        The number of items with each true label; 1 if it is the same for all predictions.
    columns : ndarray of shape (g, m, k)
        The sums of ``products.predicted`` of the predicted labels.
    products : Products
        The disagreement weights.

    Returns
    -------
    kappas : ndarray of shape (r, m)
        NaN if kappa is undefined, -inf if none of a prediction's items is drawn.
    """
    true = _summed(times, rows)
    predicted = _summed(times, columns)
    n_items = true.sum(axis=-1)
    observed = n_items * _summed(times, disagreement)
    factors = np.broadcast_to(true @ products.true, predicted.shape)
    expected = np.einsum("rmk,rmk->rm", factors, predicted)
    expected += n_items * (true @ products.constant)
    kappas = np.full(expected.shape, np.nan)
    np.divide(observed, expected, out=kappas, where=expected > 0)
    return np.where(n_items == 0, -np.inf, 1 - kappas)


def rank(
    kappas: FloatTable, replicates: FloatTable, confidence: float, num_threads: int = 1
) -> Ranking:
    """Return the ranks of m kappas with the intervals from their replicates of shape (r, m).

    Replicates are as `resampled_kappas` gives them.
    """
    levels = ((1 - confidence) / 2, (1 + confidence) / 2)
    order = np.argsort(-kappas, kind="stable")  # NaN is last
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
        simultaneous_intervals(kappas, mostly, int(order[0]), confidence, num_threads)
        if len(kappas)
        else np.empty((0, 2)),
        first,
        rank_interval,
    )


def ranks_of(kappas: FloatTable) -> NDArray[np.int64]:
    """Return the ranks within each row: 1 for the largest, the same rank for equal ones."""
    values = -kappas
    order = np.argsort(values, axis=1)
    in_order = np.take_along_axis(values, order, axis=1)
    position = np.arange(1, values.shape[1] + 1) * np.ones((len(values), 1), np.int64)
    position[:, 1:][in_order[:, 1:] == in_order[:, :-1]] = 0
    ranks = np.empty_like(position)
    np.put_along_axis(ranks, order, np.maximum.accumulate(position, axis=1), axis=1)
    return ranks


def in_single(groups: FloatTable) -> AnyArray:
    """Return whole numbers in float32, which takes half the memory; others as they are."""
    # What is too large for it becomes infinite, and so is not the same.
    with np.errstate(over="ignore"):
        single = groups.astype(np.float32)
    is_whole = np.array_equal(single, groups) and np.array_equal(single, np.rint(single))
    return single if is_whole else groups


def _summed(times: FloatTable, groups: FloatTable) -> FloatTable:
    """Return the sums over the groups drawn, shape (r, ...), of an array of shape (g, ...).

    Whole numbers are summed in float32, in half the time, if it holds all sums.
    """
    cells = groups.reshape(len(groups), -1)
    if cells.dtype == np.float32 and cells.size:
        largest = np.maximum(cells.max(axis=1), -cells.min(axis=1)).astype(np.float64)
        if (times @ largest).max(initial=0) < LARGEST_IN_SINGLE:
            times = times.astype(np.float32)
    summed = (times @ cells).astype(np.float64, copy=False)
    return summed.reshape(len(times), *groups.shape[1:])


def _mostly_defined(replicates: FloatTable) -> FloatTable:
    """Return replicates, NaN for a kappa that is undefined in too many: the others tell too little.

    Where one item alone has a second label, those without it are undefined, and all others alike.
    """
    too_many = np.isnan(replicates).sum(axis=0) > MOST_UNDEFINED * len(replicates)
    return np.where(too_many, np.nan, replicates) if too_many.any() else replicates


def _quantiles(replicates: FloatTable, levels: tuple[float, float]) -> FloatTable:
    """Return the quantiles of each column, without undefined replicates."""
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
