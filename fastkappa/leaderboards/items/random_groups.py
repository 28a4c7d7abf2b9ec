"""What the bootstrap needs of many predictions: sums over random groups of items.

Kappa depends on three sums over items: of the disagreement, and of the labels of either
column. They are taken for each group at once. Group and true label make one code, counted
once for all predictions, so that one pass of the kernels over a prediction gives its table
in every group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.columns.column import Column
from fastkappa.counting.codecs import CHUNK
from fastkappa.counting.known_labels import Encoding, KnownLabels
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads

# The tables of all groups, while they stay in the cache: 4 MB. With larger ones it takes longer
# to count than to sum items up one by one.
MOST_CELLS = 1 << 19


class GroupSums(NamedTuple):
    """Sums over the items of each of g groups.

    Attributes
    ----------
    weighted : ndarray of shape (g, m)
        The sums of the weight of each item's cell.
    rows, columns : ndarray of shape (g, m, l)
        How many items have each label in the first and in the second column.
    """

    weighted: FloatTable
    rows: FloatTable
    columns: FloatTable


class Prediction(NamedTuple):
    """A column to be counted by group.

    ``items`` are the positions of its ratings among the items, None for all of these;
    ``cell_weights`` has the shape (l, l).
    """

    column: Column
    items: NDArray[np.intp] | None
    cell_weights: FloatTable


class ItemGroups:
    """Items in groups, with the label each has in the first column.

    With no more items than ``most`` each is a group of its own, and resampling groups is
    resampling items. More of them are put into groups at random, each item by itself: then
    the sums over groups vary as those over items do, however the items are sorted.
    """

    def __init__(self, n_items: int, most: int, generator: np.random.Generator) -> None:
        self.n_groups = min(most, n_items)
        if n_items <= most:
            self.of_item = np.arange(n_items)
        else:
            dtype = np.uint16 if most <= 1 << 16 else np.uint32
            self.of_item = generator.integers(0, most, n_items, dtype=dtype)
        self._codes: tuple[list[Any], AnyArray] | None = None

    def codes(self, first: Column, known: KnownLabels) -> AnyArray:
        """Return the code of group and label of each item, the last one if it has no label.

        They are kept for the next call, which is likely to have the same labels.
        """
        labels = known.array.tolist()
        if self._codes is None or self._codes[0] != labels:
            self._codes = (labels, self._encode(first, known))
        return self._codes[1]

    def _encode(self, first: Column, known: KnownLabels) -> AnyArray:
        n_codes = self.n_groups * len(known)
        dtype = next(t for t in (np.uint16, np.uint32, np.uint64) if n_codes <= np.iinfo(t).max)
        codes = np.empty(len(first.values), dtype)
        encoding = known.encode(first)
        for start in range(0, len(codes), CHUNK):
            chunk = slice(start, start + CHUNK)
            label = _positions(encoding, first.values[chunk])
            code = self.of_item[chunk] * np.int64(len(known))
            code += label
            if label.min(initial=0) < 0:
                code[label < 0] = n_codes
            codes[chunk] = code
        return codes


def _positions(encoding: Encoding, values: AnyArray) -> AnyArray:
    """Return the position of the label of each rating, -1 where it has none."""
    positions: AnyArray = np.append(encoding.positions, -1)[encoding.codec.codes(values)]
    return positions


def sum_by_group(
    kernels: PairKernels,
    groups: ItemGroups,
    first: Column,
    known: KnownLabels,
    predictions: Sequence[Prediction],
    num_threads: int,
) -> GroupSums:
    """Return the sums of each prediction over each group; items without a label are left out."""
    n_labels, n_groups = len(known), groups.n_groups
    codes = groups.codes(first, known)
    has_tables = n_groups * n_labels * (n_labels + 1) <= MOST_CELLS
    shape = (n_groups, len(predictions))
    sums = GroupSums(np.zeros(shape), np.zeros((*shape, n_labels)), np.zeros((*shape, n_labels)))

    def work(ranges: ItemRanges) -> None:
        while bounds := ranges.take(1):
            j = bounds[0]
            column, items, cell_weights = predictions[j]
            own = codes if items is None else codes[items]
            encoding = known.encode(column)
            parts = GroupSums(*(part[:, j] for part in sums))
            if has_tables:
                _sum_tables(kernels, own, encoding, column.values, cell_weights, parts)
            else:
                _sum_items(own, encoding, column.values, cell_weights, parts)

    run_in_threads(work, len(predictions), max(1, min(num_threads, len(predictions))))
    return sums


def _sum_tables(
    kernels: PairKernels,
    codes: AnyArray,
    encoding: Encoding,
    values: AnyArray,
    cell_weights: FloatTable,
    sums: GroupSums,
) -> None:
    """Count a table for each group, and sum it up."""
    n_groups, n_labels = sums.rows.shape
    positions = encoding.positions
    table = np.zeros((n_groups * n_labels + 1, len(positions) + 1), np.int64)
    values, lowest = encoding.codec.encode(values)
    kernels.count_pairs(codes, 0, values, lowest, table, 0, len(values))
    inside = positions >= 0
    place = positions[inside]
    tables = table[:-1, :-1][:, inside].reshape(n_groups, n_labels, len(place))
    weights = np.ascontiguousarray(cell_weights[:, place]).reshape(-1)
    sums.weighted[:] = tables.reshape(n_groups, -1).astype(np.float64) @ weights
    sums.rows[:] = tables.sum(axis=2)
    # A product, for two codes may stand for one label.
    label_of_code = np.equal.outer(place, np.arange(n_labels)).astype(np.float64)
    sums.columns[:] = tables.sum(axis=1) @ label_of_code


def _sum_items(
    codes: AnyArray,
    encoding: Encoding,
    values: AnyArray,
    cell_weights: FloatTable,
    sums: GroupSums,
) -> None:
    """Sum items up one by one, without tables."""
    n_groups, n_labels = sums.rows.shape
    # Each chunk adds sums of all groups: it is to have as many items.
    length = max(CHUNK, n_groups * n_labels)
    for start in range(0, len(codes), length):
        chunk = slice(start, start + length)
        second = _positions(encoding, values[chunk])
        inside = (codes[chunk] < n_groups * n_labels) & (second >= 0)
        code, second = codes[chunk][inside].astype(np.int64), second[inside]
        group, label = np.divmod(code, n_labels)
        sums.weighted[:] += np.bincount(group, cell_weights[label, second], n_groups)
        for total, cell in ((sums.rows, code), (sums.columns, group * n_labels + second)):
            total += np.bincount(cell, minlength=n_groups * n_labels).reshape(total.shape)
