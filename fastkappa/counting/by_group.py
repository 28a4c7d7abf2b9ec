"""Items counted by group: one table of two raters for each group, in one pass.

A group and the first rating make one code, so that the kernels count pairs as ever. The
range of labels that are not known is guessed from a sample; only if an item lies outside
are they looked up, and the items counted again.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.column import Column
from fastkappa.counting.confusion import KnownLabels, as_labels, same_integers
from fastkappa.counting.label_ranges import CHUNK, LabelRange, label_type
from fastkappa.counting.pairs import LARGEST_RANGE
from fastkappa.counting.sparse_labels import LabelMap
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads

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
    labels: LabelRange | LabelMap
    guessed: bool = False

    @property
    def length(self) -> int:
        """The number of codes, that of what is no label included."""
        return self.labels.n_labels + 1

    def codes(self, chunk: slice) -> AnyArray:
        """Return the codes of a chunk, the number of labels for what is none of them."""
        values = self.column.values[chunk]
        if isinstance(self.labels, LabelMap):
            return self.labels.codes(values).astype(np.int64)
        # Modulo 2**64, what lies below the range comes out above it.
        unsigned = values.astype(label_type(values)).view(np.uint64)
        unsigned -= np.uint64(self.labels.lowest % (1 << 64))
        return np.minimum(unsigned, np.uint64(self.labels.n_labels)).view(np.int64)

    def labels_by_code(self) -> list[Any]:
        """Return the label of each code, as Python has it."""
        if self.column.categories is not None:
            return list(self.column.categories)
        if isinstance(self.labels, LabelMap):
            return list(self.labels.labels_by_code().tolist())
        return list(range(self.labels.lowest, self.labels.lowest + self.labels.n_labels))


def count_by_group(
    kernels: PairKernels,
    groups: Column,
    first: Column,
    second: Column,
    known: KnownLabels | None,
    num_threads: int,
) -> GroupedCounts:
    """Return the table of two raters for each group.

    Raises
    ------
    ValueError
        If the tables of all groups would have too many cells.
    """
    columns = (groups, first, second)
    if known is None:
        axes = [_guess(column) for column in columns]
    else:
        axes = [_guess(groups), *(_Axis(c, known.encode(c)[0]) for c in (first, second))]
    if _n_cells(axes) > MOST_CELLS:
        axes = [_looked_up(axis, 0) for axis in axes]
    counts = _count(kernels, axes, num_threads)
    if any(axis.guessed and counts.take(-1, i).any() for i, axis in enumerate(axes)):
        axes = [_looked_up(axis, WIDEST_RANGE) for axis in axes]
        if _n_cells(axes) > MOST_CELLS:
            axes = [_looked_up(axis, 0) for axis in axes]
        counts = _count(kernels, axes, num_threads)

    by_group = counts.sum(axis=(1, 2))
    known_groups = _known_labels(axes[0], by_group[:-1], axes[0], by_group[:-1])
    if known is None:
        both = counts.sum(axis=0)[:-1, :-1]
        known = _known_labels(axes[1], both.sum(axis=1), axes[2], both.sum(axis=0))
    tables = np.zeros((len(known_groups), len(known), len(known)), np.int64)
    positions = [
        np.array([which.position.get(label, -1) for label in axis.labels_by_code()], np.intp)
        for which, axis in zip((known_groups, known, known), axes)
    ]
    inside = [np.flatnonzero(position >= 0) for position in positions]
    cells = np.ix_(*(position[codes] for position, codes in zip(positions, inside)))
    # Added, not assigned: the dictionary of an Arrow column may hold a label twice.
    np.add.at(tables, cells, counts[np.ix_(*inside)])
    totals = np.zeros(len(known_groups), np.int64)
    np.add.at(totals, positions[0][inside[0]], by_group[inside[0]])
    n_outside = totals - tables.sum(axis=(1, 2))
    return GroupedCounts(tables, known_groups.array, known.array, n_outside)


def _guess(column: Column) -> _Axis:
    """Return the codes that a column seems to have."""
    values = column.values
    if column.categories is not None:
        return _Axis(column, LabelRange(0, len(column.categories)))
    if len(values) == 0:
        return _Axis(column, LabelRange(0, 0))
    samples = (values[:SAMPLE], values[:: max(1, len(values) // SAMPLE)])
    lowest = min(int(sample.min()) for sample in samples)
    highest = max(int(sample.max()) for sample in samples)
    guess = _Axis(column, LabelRange(lowest, highest - lowest + 1), guessed=True)
    return guess if guess.length <= WIDEST_RANGE else _looked_up(guess, 0)


def _looked_up(axis: _Axis, widest: int) -> _Axis:
    """Return the codes that a column does have: those of a range, if it is not too wide."""
    if not axis.guessed:
        return axis
    values = axis.column.values
    lowest, highest = int(values.min()), int(values.max())
    if highest - lowest < widest:
        return _Axis(axis.column, LabelRange(lowest, highest - lowest + 1))
    labels = LabelMap(label_type(values))
    for start in range(0, len(values), CHUNK):
        labels.learn(values[start : start + CHUNK])
    return _Axis(axis.column, labels)


def _n_cells(axes: list[_Axis]) -> int:
    return axes[0].length * axes[1].length * axes[2].length


def _count(kernels: PairKernels, axes: list[_Axis], num_threads: int) -> IntTable:
    """Return the counts of group, first and second; the last of each is what is no label."""
    groups, first, second = (axis.length for axis in axes)
    n_cells = _n_cells(axes)
    if n_cells > MOST_CELLS:
        raise ValueError(
            f"{groups - 1} groups with {first - 1} and {second - 1} labels are too many to have"
            " a table each."
        )
    n_items = len(axes[0].column.values)
    work = partial(_count_share, kernels, axes)
    worth = min(n_items // ITEMS_WORTH_A_THREAD, n_items // (4 * n_cells))
    parts = run_in_threads(work, n_items, max(1, min(num_threads, worth)))
    table: IntTable = sum(parts[1:], start=parts[0])
    return table[:-1].reshape(groups, first, second)


def _count_share(kernels: PairKernels, axes: list[_Axis], ranges: ItemRanges) -> IntTable:
    groups, first, second = axes
    # The kernels' own row for what is outside stays empty: each code is within.
    table = np.zeros((groups.length * first.length + 1, second.length), np.int64)
    while bounds := ranges.take(LARGEST_RANGE):
        for begin in range(*bounds, CHUNK):
            chunk = slice(begin, min(begin + CHUNK, bounds[1]))
            rows = groups.codes(chunk)
            rows *= first.length
            rows += first.codes(chunk)
            kernels.count_pairs(rows, 0, second.codes(chunk), 0, table, 0, len(rows))
    return table


def _known_labels(
    rows: _Axis, row_totals: AnyArray, columns: _Axis, column_totals: AnyArray
) -> KnownLabels:
    """Return the labels that occur in either column, sorted, in the columns' own type."""
    occurring = []
    for axis, totals in ((rows, row_totals), (columns, column_totals)):
        named = axis.labels_by_code()
        occurring.append([named[code] for code in np.flatnonzero(totals)])
    if rows.column.categories is not None:
        labels = np.array(sorted({*occurring[0], *occurring[1]}))
    else:
        integers = same_integers(
            *(
                np.array(some, label_type(axis.column.values))
                for some, axis in zip(occurring, (rows, columns))
            )
        )
        labels = as_labels(np.union1d(*integers), rows.column, columns.column)
    return KnownLabels(labels, rows.column, columns.column)
