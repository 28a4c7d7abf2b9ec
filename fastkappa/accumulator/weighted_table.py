"""Counts and exact sums of item weights that can be added, and taken away again.

This is what an accumulator holds of weighted, worded or dated items, and what it is pickled
as. (`fastkappa.engines.source_table` counts the parts of a file or frame: it has missing
ratings and groups, and sums weights as the kernels do.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fastkappa.accumulator.exact_sums import UNIT_BITS, exact_sums, rounded
from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.column import Column
from fastkappa.counting.confusion import ConfusionCounts, KnownLabels, in_int64, tabulate
from fastkappa.counting.merge import union_of_labels
from fastkappa.kernels.contract import PairKernels


class Tally(NamedTuple):
    """What is known of some pairs of ratings.

    Attributes
    ----------
    labels : ndarray of shape (l,)
    plain : ndarray of int64, shape (l, l)
        Pairs that came without a weight.
    weighted : ndarray of int64, shape (l, l)
        Pairs that came with one.
    sums : ndarray of Python integers, shape (l, l)
        The exact sums of the weights, in units of ``2**-UNIT_BITS``.
    n_float : int
        How many pairs came with a weight that was a float.
    n_outside : int
        How many pairs have a rating that is none of the labels, where these are given.
    """

    labels: AnyArray
    plain: IntTable
    weighted: IntTable
    sums: AnyArray
    n_float: int
    n_outside: int

    def counts(self) -> ConfusionCounts:
        """Return the table of counts or, where there are weights, of their sums, as a copy."""
        table: AnyArray = self.plain.copy()
        if self.weighted.any():
            total = self.sums + self.plain.astype(object) * (1 << UNIT_BITS)
            table = rounded(total) if self.n_float else total // (1 << UNIT_BITS)
        return in_int64(ConfusionCounts(table, self.labels.copy(), self.n_outside))


def empty_tally(labels: AnyArray) -> Tally:
    """Return a tally of nothing."""
    shape = (len(labels), len(labels))
    return Tally(
        labels, np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, object), 0, 0
    )


def tally_of_counts(counts: ConfusionCounts) -> Tally:
    """Return the tally of pairs without weights."""
    return empty_tally(counts.labels)._replace(plain=counts.table, n_outside=counts.n_outside)


def take_tally(
    kernels: PairKernels,
    first: Column,
    second: Column,
    labels: AnyArray | None,
    weights: AnyArray | None,
    num_threads: int,
) -> Tally:
    """Return the tally of two columns, on labels that are given or on those that occur."""
    known = None if labels is None else KnownLabels(labels, first, second)
    counts = tabulate(kernels, first, second, known, None, num_threads)
    tally = tally_of_counts(counts)
    if weights is None:
        return tally
    known = KnownLabels(counts.labels, first, second)
    return tally._replace(
        plain=tally.weighted,
        weighted=tally.plain,
        sums=exact_sums(kernels, first, second, known, weights, num_threads),
        n_float=len(weights) if weights.dtype.kind == "f" else 0,
    )


def add(first: Tally, second: Tally) -> Tally:
    """Return the tally of the pairs of both, by label."""
    if not len(second.labels):
        return first
    if not len(first.labels):
        return second
    a, b = _on_common_labels(first, second)
    return Tally(
        a.labels,
        a.plain + b.plain,
        a.weighted + b.weighted,
        _sum_of(a, b),
        a.n_float + b.n_float,
        a.n_outside + b.n_outside,
    )


def _sum_of(first: Tally, second: Tally) -> AnyArray:
    """Return both sums of weights; Python integers are added only where there are some."""
    if not second.weighted.any():
        return first.sums
    return first.sums + second.sums if first.weighted.any() else second.sums


def subtract(whole: Tally, part: Tally) -> Tally | None:
    """Return the tally of the pairs that are not in a part; None if that is no part of it."""
    if not len(part.labels):
        return whole
    a, b = _on_common_labels(whole, part)
    has_weights = b.weighted.any()
    left = Tally(
        a.labels,
        a.plain - b.plain,
        a.weighted - b.weighted,
        a.sums - b.sums if has_weights else a.sums,
        a.n_float - b.n_float,
        a.n_outside - b.n_outside,
    )
    negative = (left.plain < 0).any() or (left.weighted < 0).any()
    if negative or left.n_float < 0 or left.n_outside < 0:
        return None
    # Sums of no weights are 0: otherwise the weights were others than those added.
    return None if has_weights and left.sums[left.weighted == 0].any() else left


def occurring(tally: Tally) -> Tally:
    """Return the tally without labels that occur in no pair."""
    items = tally.plain + tally.weighted
    used = np.logical_or(items.any(axis=0), items.any(axis=1))
    return tally if used.all() else _select(tally, used)


def _select(tally: Tally, used: AnyArray) -> Tally:
    cells = np.ix_(used, used)
    return tally._replace(
        labels=tally.labels[used],
        plain=tally.plain[cells],
        weighted=tally.weighted[cells],
        sums=tally.sums[cells],
    )


def _on_common_labels(first: Tally, second: Tally) -> tuple[Tally, Tally]:
    same = first.labels is second.labels or (
        first.labels.dtype == second.labels.dtype and np.array_equal(first.labels, second.labels)
    )
    if same:
        return first, second
    labels = union_of_labels([first.labels, second.labels])
    return _with_labels(first, labels), _with_labels(second, labels)


def _with_labels(tally: Tally, labels: AnyArray) -> Tally:
    place = np.searchsorted(labels, tally.labels.astype(labels.dtype))
    cells = np.ix_(place, place)
    larger = empty_tally(labels)
    larger.plain[cells] = tally.plain
    larger.weighted[cells] = tally.weighted
    larger.sums[cells] = tally.sums
    return larger._replace(n_float=tally.n_float, n_outside=tally.n_outside)
