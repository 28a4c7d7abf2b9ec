"""Tables of counts and exact sums of item weights, which can be added and subtracted by label.

An accumulator holds weighted items, strings and dates in such a table, and is pickled as one.
(`fastkappa.sources.source_table` counts the parts of a file or frame: it has missing ratings
and groups, and sums weights as the kernels do.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fastkappa.accumulator.exact_sums import UNIT_BITS, exact_sums, rounded
from fastkappa.arrays import AnyArray, IntTable
from fastkappa.kernels.contract import PairKernels
from fastkappa.ratings.column import Column
from fastkappa.tables.count import ConfusionCounts, in_int64, tabulate
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.table import positions_in, scatter, union_of_labels


class WeightedTable(NamedTuple):
    """The counts and the sums of weights of some pairs of ratings, by label.

    Attributes
    ----------
    labels : ndarray of shape (l,)
    plain : ndarray of int64, shape (l, l)
        The number of pairs without a weight.
    weighted : ndarray of int64, shape (l, l)
        The number of pairs with a weight.
    sums : ndarray of Python integers, shape (l, l)
        The exact sums of the weights, in units of ``2**-UNIT_BITS``.
    n_float : int
        The number of pairs whose weight is a float.
    n_outside : int
        The number of pairs with a rating outside the labels, where these are given.
    """

    labels: AnyArray
    plain: IntTable
    weighted: IntTable
    sums: AnyArray
    n_float: int
    n_outside: int

    def counts(self) -> ConfusionCounts:
        """Return a table of counts or, if there are weights, of their sums; always a copy."""
        table: AnyArray = self.plain.copy()
        if self.weighted.any():
            total = self.sums + self.plain.astype(object) * (1 << UNIT_BITS)
            table = rounded(total) if self.n_float else total // (1 << UNIT_BITS)
        return in_int64(ConfusionCounts(table, self.labels.copy(), self.n_outside))


def empty_table(labels: AnyArray) -> WeightedTable:
    """Return a table of no pairs."""
    shape = (len(labels), len(labels))
    return WeightedTable(
        labels, np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, object), 0, 0
    )


def table_of_counts(counts: ConfusionCounts) -> WeightedTable:
    """Return the table of pairs without weights."""
    return empty_table(counts.labels)._replace(plain=counts.table, n_outside=counts.n_outside)


def table_of_columns(
    kernels: PairKernels,
    first: Column,
    second: Column,
    labels: AnyArray | None,
    weights: AnyArray | None,
    num_threads: int,
) -> WeightedTable:
    """Return the table of two columns, on given labels or on those that occur."""
    known = None if labels is None else KnownLabels(labels, first, second)
    counts = tabulate(kernels, first, second, known, None, num_threads)
    table = table_of_counts(counts)
    if weights is None:
        return table
    known = KnownLabels(counts.labels, first, second)
    return table._replace(
        plain=table.weighted,
        weighted=table.plain,
        sums=exact_sums(kernels, first, second, known, weights, num_threads),
        n_float=len(weights) if weights.dtype.kind == "f" else 0,
    )


def add(first: WeightedTable, second: WeightedTable) -> WeightedTable:
    """Return the sum of two tables, on the labels of both."""
    if not len(second.labels):
        return first
    if not len(first.labels):
        return second
    a, b = _on_common_labels(first, second)
    return WeightedTable(
        a.labels,
        a.plain + b.plain,
        a.weighted + b.weighted,
        _sum_of(a, b),
        a.n_float + b.n_float,
        a.n_outside + b.n_outside,
    )


def _sum_of(first: WeightedTable, second: WeightedTable) -> AnyArray:
    """Return the sums of both tables; objects are slow, so zeros are not added."""
    if not second.weighted.any():
        return first.sums
    return first.sums + second.sums if first.weighted.any() else second.sums


def subtract(whole: WeightedTable, part: WeightedTable) -> WeightedTable | None:
    """Return the difference of two tables; None if the second is not part of the first."""
    if not len(part.labels):
        return whole
    a, b = _on_common_labels(whole, part)
    has_weights = b.weighted.any()
    left = WeightedTable(
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
    # The sum of no weights is 0: otherwise these are not the weights that were added.
    return None if has_weights and left.sums[left.weighted == 0].any() else left


def occurring(table: WeightedTable) -> WeightedTable:
    """Return the table without labels that occur in no pair, the others in order."""
    n_pairs = table.plain + table.weighted
    used = np.logical_or(n_pairs.any(axis=0), n_pairs.any(axis=1))
    if used.all():
        return table
    cells = np.ix_(used, used)
    rest = table._replace(
        labels=table.labels[used],
        plain=table.plain[cells],
        weighted=table.weighted[cells],
        sums=table.sums[cells],
    )
    if rest.labels.dtype.kind not in "UT":
        return rest
    # Strings that are all numbers now have another order than they had among others.
    return _with_labels(rest, union_of_labels([rest.labels]))


def _on_common_labels(
    first: WeightedTable, second: WeightedTable
) -> tuple[WeightedTable, WeightedTable]:
    same = first.labels is second.labels or (
        first.labels.dtype == second.labels.dtype and np.array_equal(first.labels, second.labels)
    )
    if same:
        return first, second
    labels = union_of_labels([first.labels, second.labels])
    return _with_labels(first, labels), _with_labels(second, labels)


def _with_labels(table: WeightedTable, labels: AnyArray) -> WeightedTable:
    place = positions_in(labels, table.labels)
    shape = (len(labels), len(labels))
    plain, weighted, sums = (
        scatter(part, place, place, shape) for part in (table.plain, table.weighted, table.sums)
    )
    return table._replace(labels=labels, plain=plain, weighted=weighted, sums=sums)
