"""Count items by cluster: how many items of each cluster are in each cell of the table.

There can be millions of clusters, and their numbers can be far apart, so a table of all clusters is
made only if it is small enough. Items are read in chunks. If the clusters of a chunk are close
together, as in data sorted by cluster, they are counted in a small table. Other chunks are counted
in one table of all clusters if it fits, and are sorted if not. In all cases the result is a list of
cluster, cell and count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, IntTable, offsets_from
from fastkappa.exceptions import changed_meanwhile
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import ItemRanges, new_lock, run_in_threads
from fastkappa.ratings.column import Column
from fastkappa.tables.known_labels import Encoding

# The largest table of all clusters: 512 MB.
MOST_CELLS = 1 << 26
# Clearing and reading this many cells takes about as long as sorting one item.
CELLS_WORTH_AN_ITEM = 8
CHUNK = 1 << 16
# The number of items searched at a time for the end of a cluster.
NEAR = 1 << 8
LONGEST_RANGE = 1 << 22
ITEMS_WORTH_A_THREAD = 1 << 19
INT64_MAX = (1 << 63) - 1


class ClusterCounts(NamedTuple):
    """Store the number of items per cluster and cell; a pair can occur more than once.

    Attributes
    ----------
    clusters : ndarray of int of shape (e,)
        Cluster numbers from 0, of clusters with an item among the labels.
    cells : ndarray of int of shape (e,)
        The index of the cell in the table of the labels, row by row.
    counts : ndarray of int of shape (e,)
        The number of items, never 0.
    """

    clusters: AnyArray
    cells: AnyArray
    counts: AnyArray


class RatedColumn(NamedTuple):
    """Store a column, the encoding of its values, and the number of labels in the table.

    ``is_within`` is true if every value is one of the labels.
    """

    column: Column
    encoding: Encoding
    n_labels: int
    is_within: bool = False

    @property
    def n_codes(self) -> int:
        """The number of codes, including the code for values outside the labels."""
        return self.encoding.codec.n_labels + (not self.is_within)

    def codes(self, kernels: PairKernels, start: int, stop: int, dtype: np.dtype[Any]) -> AnyArray:
        """Return the codes of the items, modulo a power of two that is larger than every code."""
        values, codec = self.column.values[start:stop], self.encoding.codec
        if self.is_within and values.dtype.kind in "iu":
            codes: AnyArray = codec.encode(kernels, values).astype(dtype)
            codes -= dtype.type(codec.lowest % (1 << 8 * dtype.itemsize))
        else:
            codes = codec.codes(values).astype(dtype)
        if self.is_within and codes.max(initial=0) >= codec.n_labels:
            raise changed_meanwhile()
        return codes


def count_by_cluster(
    kernels: PairKernels,
    clusters: Column,
    rated: Sequence[RatedColumn],
    num_threads: int,
    *,
    chunk: int = CHUNK,
    most_cells: int = MOST_CELLS,
) -> ClusterCounts:
    """Return the number of items per cluster and cell.

    Items with a value outside the labels are not counted.

    Raises
    ------
    ValueError
        If a table of all labels would have too many cells.
    """
    n_cells = math.prod(one.n_codes for one in rated)
    if n_cells > MOST_CELLS:
        raise ValueError(f"a table of {n_cells} cells is too large to count by cluster.")
    values = clusters.values
    if clusters.categories is None:
        lowest, highest = int(values.min()), int(values.max())
    else:
        lowest, highest = 0, len(clusters.categories) - 1
    counter = _Counter(kernels, values, rated, lowest, highest, chunk, most_cells)
    threads = max(1, min(num_threads, len(values) // ITEMS_WORTH_A_THREAD))
    parts = run_in_threads(partial(_count_partition, counter), len(values), threads)
    pieces = [piece for _, piece in sorted(chain.from_iterable(parts), key=itemgetter(0))]
    found = ClusterCounts(*(np.concatenate(arrays) for arrays in zip(*pieces, *counter.in_table())))
    # The kernels skip clusters that are not in the range found before. So a difference means that
    # the data changed.
    if found.counts.sum(dtype=np.int64) != len(values):
        raise changed_meanwhile("clusters")
    places = _places(rated)
    if all(one.is_within for one in rated) and (places < 0).any() and places[found.cells].min() < 0:
        raise changed_meanwhile()
    return _without_outside(found, clusters, places)


class _Counter:
    """Count chunks of items, each with the method that suits its clusters."""

    def __init__(
        self,
        kernels: PairKernels,
        values: AnyArray,
        rated: Sequence[RatedColumn],
        lowest: int,
        highest: int,
        chunk: int,
        most_cells: int,
    ) -> None:
        self._kernels, self._values, self._rated = kernels, values, rated
        self._lowest, self._n_numbers, self.chunk = lowest, highest - lowest + 1, chunk
        self._n_cells = math.prod(one.n_codes for one in rated)
        self._cell_type = np.min_scalar_type(self._n_cells)
        self._number_type = np.min_scalar_type(self._n_numbers - 1)
        n_all = self._n_numbers * self._n_cells
        self._has_room = n_all <= min(most_cells, CELLS_WORTH_AN_ITEM * max(len(values), chunk))
        self._table: IntTable | None = None
        self._lock = new_lock()

    def count(self, start: int, stop: int) -> ClusterCounts | None:
        """Return the counts of a chunk, or None if they are in the table of all clusters."""
        values, cells = self._values[start:stop], self._codes(start, stop)
        lowest, highest = int(values.min()), int(values.max())
        if lowest < self._lowest or highest - self._lowest >= self._n_numbers:
            raise changed_meanwhile("clusters")
        n_numbers = highest - lowest + 1
        if n_numbers * self._n_cells <= CELLS_WORTH_AN_ITEM * len(values):
            table = self._empty_table(n_numbers)
            self._kernels.count_pairs(values, cells, (lowest, 0), table, (0, len(cells)))
            return self._listed(table, lowest - self._lowest)
        if self._has_room:
            with self._lock:
                if self._table is None:
                    self._table = self._empty_table(self._n_numbers)
                self._kernels.count_pairs(
                    values, cells, (self._lowest, 0), self._table, (0, len(cells))
                )
            return None
        return self._sorted(values, lowest, n_numbers, cells)

    def boundary(self, place: int) -> int:
        """Return the end of the cluster at ``place - 1``, at most one chunk further.

        Cutting there means that no two pieces share a cluster.
        """
        if not 0 < place < len(self._values):
            return place
        last = min(place + self.chunk, len(self._values))
        for start in range(place, last, NEAR):
            differ = self._values[start : min(start + NEAR, last)] != self._values[place - 1]
            if differ.any():
                return start + int(differ.argmax())
        return last

    def in_table(self) -> list[ClusterCounts]:
        """Return the counts of the table of all clusters, or a list with empty counts."""
        table = self._empty_table(0) if self._table is None else self._table
        step = max(1, (1 << 20) // self._n_cells)
        starts = range(0, max(1, len(table) - 1), step)
        return [self._listed(table[start : start + step + 1], start) for start in starts]

    def _codes(self, start: int, stop: int) -> AnyArray:
        """Return the code of each item's cell, in the narrowest type."""
        cells = np.zeros(stop - start, self._cell_type)
        for one in self._rated:
            cells *= cells.dtype.type(one.n_codes)
            cells += one.codes(self._kernels, start, stop, cells.dtype)
        return cells

    def _empty_table(self, n_numbers: int) -> IntTable:
        # The kernels need a row and a column for values outside the range. Here both stay empty.
        return np.zeros((n_numbers + 1, self._n_cells + 1), np.int64)

    def _listed(self, table: IntTable, first: int) -> ClusterCounts:
        """Return the counts of a table; ``first`` is the cluster number of its first row."""
        inside = table[:-1]
        places = np.flatnonzero(inside)
        counts = inside.reshape(-1)[places]
        if inside.size <= 1 << 32:
            places = places.astype(np.uint32)
        numbers = places // places.dtype.type(self._n_cells + 1)
        cells = places - numbers * numbers.dtype.type(self._n_cells + 1)
        return self._narrow(numbers, first, cells, counts)

    def _sorted(
        self, values: AnyArray, lowest: int, n_numbers: int, cells: AnyArray
    ) -> ClusterCounts:
        """Return the counts of a chunk by sorting its items."""
        numbers: AnyArray = offsets_from(values, lowest)
        if int(numbers.max()) >= n_numbers:
            raise changed_meanwhile("clusters")
        own = None
        if n_numbers * self._n_cells > INT64_MAX:
            own, numbers = np.unique(numbers, return_inverse=True)
        keys = numbers.astype(np.int64)
        keys *= self._n_cells
        keys += cells
        keys.sort()
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        keys = keys[begins]
        rows = keys // self._n_cells
        found = keys - rows * self._n_cells
        counts = np.diff(begins, append=len(values))
        first = lowest - self._lowest
        return self._narrow(rows if own is None else own[rows], first, found, counts)

    def _narrow(
        self, numbers: AnyArray, first: int, cells: AnyArray, counts: AnyArray
    ) -> ClusterCounts:
        """Return counts in the narrowest types; ``first`` is added to the cluster numbers."""
        return ClusterCounts(
            numbers.astype(self._number_type) + self._number_type.type(first),
            cells.astype(self._cell_type),
            counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
        )


def _count_partition(counter: _Counter, ranges: ItemRanges) -> list[tuple[int, ClusterCounts]]:
    """Return the counts of the chunks of one thread, with their positions."""
    found = []
    while bounds := ranges.take(LONGEST_RANGE):
        for start in range(*bounds, counter.chunk):
            begin = counter.boundary(start)
            end = counter.boundary(min(start + counter.chunk, bounds[1]))
            counts = counter.count(begin, end) if begin < end else None
            if counts is not None:
                found.append((start, counts))
    return found


def _places(rated: Sequence[RatedColumn]) -> AnyArray:
    """Return the table cell of each code, or -1 for codes outside the labels."""
    places = np.zeros(1, np.int64)
    for one in rated:
        own = np.append(one.encoding.positions, -1)[: one.n_codes]
        inside = (places >= 0)[:, None] & (own >= 0)
        places = np.where(inside, (places * one.n_labels)[:, None] + own, -1).ravel()
    return places


def _without_outside(found: ClusterCounts, clusters: Column, places: AnyArray) -> ClusterCounts:
    """Return the counts by table cell; clusters whose label repeats are merged."""
    numbers, cells, counts = found
    if (places < 0).any():
        inside = places[cells] >= 0
        numbers, cells, counts = numbers[inside], cells[inside], counts[inside]
    cells = places.astype(np.min_scalar_type(int(places.max(initial=0))))[cells]
    if clusters.categories is not None:
        label = {name: i for i, name in enumerate(dict.fromkeys(clusters.categories))}
        if len(label) < len(clusters.categories):
            numbers = np.array([label[name] for name in clusters.categories])[numbers]
    return ClusterCounts(numbers, cells, counts)
