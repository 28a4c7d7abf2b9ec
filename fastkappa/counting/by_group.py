"""Items counted by group: one table of two raters for each group, in one pass.

A group and the first rating make one code, so that the kernels count pairs as ever. The
range of labels that are not known is guessed from a sample; only if an item lies outside
are they looked up, and the items counted again.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.column import Column
from fastkappa.counting.codecs import (
    CHUNK,
    NO_LABELS,
    Codec,
    LabelMap,
    LabelRange,
    label_type,
)
from fastkappa.counting.known_labels import KnownLabels
from fastkappa.counting.pairs import LARGEST_RANGE
from fastkappa.counting.table import common_labels, scatter
from fastkappa.exceptions import changed_meanwhile
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import fill_in_threads

# The tables of all groups together: 512 MB.
MOST_CELLS = 1 << 26
SAMPLE = 1 << 12
# Labels in a wider range are looked up one by one.
WIDEST_RANGE = 1 << 16
ITEMS_WORTH_A_THREAD = 1 << 17


class GroupedCounts(NamedTuple):
    """The tables of all groups.

    Attributes
    ----------
    tables : ndarray of shape (g, l, l)
        The table of each group; rows are the first rater's ratings.
    groups : ndarray of shape (g,)
        The groups that occur, sorted.
    labels : ndarray of shape (l,)
        The labels of all tables, sorted or in the order given.
    n_outside : ndarray of shape (g,)
        How many items of each group have a rating that is none of the labels.
    """

    tables: IntTable
    groups: AnyArray
    labels: AnyArray
    n_outside: AnyArray


class _Axis(NamedTuple):
    """How the ratings of a column become codes; ``guessed`` if some may have none."""

    column: Column
    codec: Codec
    guessed: bool = False

    @property
    def length(self) -> int:
        """The number of codes, including that of ratings outside the labels."""
        return self.codec.n_labels + 1

    def occurring(self, totals: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return which codes have items, and their integer labels or category codes."""
        found = np.flatnonzero(totals)
        return found, self.codec.labels(label_type(self.column.values))[found]


def count_by_group(
    kernels: PairKernels,
    groups: Column,
    first: Column,
    second: Column,
    known: KnownLabels | None,
    num_threads: int,
    *,
    items_worth_a_thread: int = ITEMS_WORTH_A_THREAD,
) -> GroupedCounts:
    """Return the table of two raters for each group.

    Raises
    ------
    ValueError
        If the tables of all groups would have too many cells.
    """
    if known is None:
        axes = [_guess(kernels, column) for column in (groups, first, second)]
    else:
        axes = [
            _guess(kernels, groups),
            *(_Axis(c, known.encode(c).codec) for c in (first, second)),
        ]
    if _n_cells(axes) > MOST_CELLS:
        axes = [_looked_up(kernels, axis, 0) for axis in axes]
    counts = _count(kernels, axes, num_threads, items_worth_a_thread)
    if any(axis.guessed and counts.take(-1, i).any() for i, axis in enumerate(axes)):
        axes = [_looked_up(kernels, axis, WIDEST_RANGE) for axis in axes]
        if _n_cells(axes) > MOST_CELLS:
            axes = [_looked_up(kernels, axis, 0) for axis in axes]
        counts = _count(kernels, axes, num_threads, items_worth_a_thread)
        n_found = 3 if known is None else 1
        if any(counts.take(-1, i).any() for i in range(n_found)):
            raise changed_meanwhile()

    by_group = counts.sum(axis=(1, 2))
    found, own = axes[0].occurring(by_group[:-1])
    group_labels, places, _ = common_labels(own, own, groups, groups)
    inside = counts[found, :-1, :-1]
    if known is None:
        row_codes, rows = axes[1].occurring(inside.sum(axis=(0, 2)))
        column_codes, columns = axes[2].occurring(inside.sum(axis=(0, 1)))
        labels, row_places, column_places = common_labels(rows, columns, first, second)
        inside = inside[:, row_codes][:, :, column_codes]
    else:
        labels = known.array
        row_places, column_places = (known.encode(column).positions for column in (first, second))
    n_labels = len(labels)
    tables = scatter(inside, row_places, column_places, (n_labels, n_labels))
    # The dictionary of an Arrow column may hold a group twice.
    shape = (len(group_labels), n_labels * n_labels)
    tables = scatter(tables.reshape(len(found), -1), places, np.arange(shape[1]), shape)
    tables = tables.reshape(-1, n_labels, n_labels)
    totals = scatter(by_group[found][:, None], places, np.zeros(1, np.intp), (shape[0], 1))[:, 0]
    return GroupedCounts(tables, group_labels, labels, totals - tables.sum(axis=(1, 2)))


def _guess(kernels: PairKernels, column: Column) -> _Axis:
    """Return the codes that a column seems to have."""
    values = column.values
    if column.categories is not None:
        return _Axis(column, LabelRange(0, len(column.categories)))
    if len(values) == 0:
        return _Axis(column, NO_LABELS)
    samples = (values[:SAMPLE], values[:: max(1, len(values) // SAMPLE)])
    guess = _Axis(column, NO_LABELS.widened(samples[0]).widened(samples[1]), guessed=True)
    return guess if guess.length <= WIDEST_RANGE else _looked_up(kernels, guess, 0)


def _looked_up(kernels: PairKernels, axis: _Axis, widest: int) -> _Axis:
    """Return the codes that a column does have: those of a range, if it is not too wide."""
    if not axis.guessed:
        return axis
    values = axis.column.values
    lowest, highest = int(values.min()), int(values.max())
    if highest - lowest < widest:
        return _Axis(axis.column, LabelRange(lowest, highest - lowest + 1))
    labels = LabelMap(label_type(values))
    for start in range(0, len(values), CHUNK):
        labels.learn(kernels, values[start : start + CHUNK])
    return _Axis(axis.column, labels)


def _n_cells(axes: list[_Axis]) -> int:
    return axes[0].length * axes[1].length * axes[2].length


def _count(
    kernels: PairKernels, axes: list[_Axis], num_threads: int, items_worth_a_thread: int
) -> IntTable:
    """Return the counts of group, first and second; the last of each are outside the labels."""
    groups, first, second = (axis.length for axis in axes)
    n_cells = _n_cells(axes)
    if n_cells > MOST_CELLS:
        raise ValueError(
            f"{groups - 1} groups with {first - 1} and {second - 1} labels are too many to have"
            " a table each."
        )
    n_items = len(axes[0].column.values)
    worth = min(n_items // items_worth_a_thread, n_items // (4 * n_cells))
    # The kernels' own row for what is outside stays empty: each code is within.
    empty = np.zeros((groups * first + 1, second), np.int64)
    add = partial(_add_items, kernels, axes)
    threads = max(1, min(num_threads, worth))
    (table,) = fill_in_threads((empty,), add, n_items, threads, LARGEST_RANGE)
    return table[:-1].reshape(groups, first, second)


def _add_items(
    kernels: PairKernels, axes: list[_Axis], tables: tuple[AnyArray, ...], start: int, stop: int
) -> None:
    groups, first, second = axes
    for begin in range(start, stop, CHUNK):
        chunk = slice(begin, min(begin + CHUNK, stop))
        rows = groups.codec.codes(groups.column.values[chunk])
        rows *= first.length
        rows += first.codec.codes(first.column.values[chunk])
        columns = second.codec.codes(second.column.values[chunk])
        kernels.count_pairs(rows, 0, columns, 0, tables[0], 0, len(rows))
