"""Count items by group, in one table per group, or by cluster, in a list of cells.

There can be millions of clusters, and the clusters' numbers can be far apart. Therefore a table of
all clusters is used only if it is small enough. Otherwise the items are sorted by cluster and cell.
In both cases, the result is a list of clusters, cells and counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, offsets_from
from fastkappa.exceptions import changed_meanwhile
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import ItemRanges, fill_in_threads, run_in_threads
from fastkappa.ratings.column import Column
from fastkappa.ratings.item_weights import check_some_weight
from fastkappa.tables.codecs import expected_codecs
from fastkappa.tables.item_sums import as_int64
from fastkappa.tables.known_labels import Encoding, KnownLabels
from fastkappa.tables.table import ConfusionTable, common_labels, scatter
from fastkappa.tables.tally import Tally, TooManyCellsError

# The largest total number of cells in the tables of all groups, or of all clusters. This many cells
# take up 512 MB.
MOST_CELLS = 1 << 26
# Clearing and reading this many cells takes about as long as sorting one item.
CELLS_WORTH_AN_ITEM = 8
CHUNK = 1 << 16
ITEMS_WORTH_A_THREAD = 1 << 19
INT64_MAX = (1 << 63) - 1


def count_by_group(
    kernels: PairKernels,
    groups: Column,
    first: Column,
    second: Column,
    known: KnownLabels | None,
    num_threads: int,
    weights: AnyArray | None = None,
) -> ConfusionTable:
    """Return one table of two raters per group, with the labels of groups, rows and columns.

    ``weights`` contains the number of items that each item represents. If it is given, the result
    also contains the sum of the weights in each cell.

    Raises
    ------
    ValueError
        If the tables of all groups would have too many cells in total, or if all weights are 0.
    """
    columns = groups, first, second
    encodings = [] if known is None else [known.encode(column) for column in columns[1:]]
    values = [column.values for column in columns]
    known_codecs = tuple(own.codec for own in encodings)
    learned = values[: 3 - len(encodings)]
    try:
        tally = Tally(
            kernels,
            expected_codecs(kernels, learned, MOST_CELLS, known_codecs),
            (True, known is None, known is None),
            n_expected=len(values[0]),
            largest=MOST_CELLS,
            most_cells=MOST_CELLS,
            weight_type=None if weights is None else weights.dtype,
        )
        table = tally.add_all(values, weights, num_threads).finish()
    except TooManyCellsError:
        counts = [len(np.unique(own)) for own in learned]
        counts += [codec.n_labels for codec in known_codecs]
        raise ValueError(
            f"the tables for the {counts[0]} groups, each with {counts[1]} rows and {counts[2]}"
            " columns, would have too many cells in total: use fewer groups, or merge labels."
        ) from None

    own = table.layers
    group_labels, places, _ = common_labels(own, own, groups, groups)
    if known is None:
        labels, row_places, column_places = common_labels(table.rows, table.columns, first, second)
    else:
        labels = known.array
        row_places, column_places = (encoding.positions for encoding in encodings)
    n_labels, n_groups = len(labels), len(group_labels)

    def placed(counted: AnyArray) -> AnyArray:
        tables = scatter(counted, row_places, column_places, (n_labels, n_labels))
        # The dictionary of an Arrow column can contain the same group twice.
        flat = tables.reshape(len(own), -1), places, np.arange(n_labels * n_labels)
        return scatter(*flat, (n_groups, n_labels * n_labels)).reshape(-1, n_labels, n_labels)

    tables, sums = placed(table.counts), None
    if weights is not None and table.sums is not None:
        check_some_weight(weights)
        sums = placed(as_int64(table.sums, "sample_weight"))
    by_group = table.counts.sum(axis=(1, 2)) + table.n_outside
    totals = scatter(by_group[:, None], places, np.zeros(1, np.intp), (n_groups, 1))[:, 0]
    n_outside = totals - tables.sum(axis=(1, 2))
    return ConfusionTable(tables, labels, labels, sums, group_labels, n_outside)


class ClusterCounts(NamedTuple):
    """The number of items per cluster and cell. The same pair can occur more than once.

    Attributes
    ----------
    clusters : ndarray of int of shape (e,)
        Cluster numbers, starting at 0. Clusters without items in the table are omitted.
    cells : ndarray of int of shape (e,)
        The index of the cell in the table of the labels, flattened row by row.
    counts : ndarray of int of shape (e,)
        The number of items, never 0.
    """

    clusters: AnyArray
    cells: AnyArray
    counts: AnyArray


class RatedColumn(NamedTuple):
    """A column, the encoding of its values, and the number of labels in the table.

    ``is_within`` is true if every value is one of the labels.
    """

    column: Column
    encoding: Encoding
    n_labels: int
    is_within: bool = False

    @property
    def n_codes(self) -> int:
        """The number of codes, including one for other values unless ``is_within`` is true."""
        return self.encoding.codec.n_labels + (not self.is_within)

    def codes(self, kernels: PairKernels, start: int, stop: int, dtype: np.dtype[Any]) -> AnyArray:
        """Return the items' codes as ``dtype``. Subtraction in this dtype can wrap around."""
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

    Items with a value that is not one of the labels are not counted.

    Raises
    ------
    ValueError
        If a table of all labels would have too many cells.
    """
    n_cells = math.prod(one.n_codes for one in rated)
    if n_cells > MOST_CELLS:
        raise ValueError(
            f"a table of {n_cells} cells is too large to count by cluster: merge labels to make"
            " it smaller."
        )
    values = clusters.values
    if clusters.categories is None:
        lowest, highest = int(values.min()), int(values.max())
    else:
        lowest, highest = 0, len(clusters.categories) - 1
    items = _Items(kernels, values, rated, lowest, highest - lowest + 1, n_cells, chunk)
    threads = max(1, min(num_threads, len(values) // ITEMS_WORTH_A_THREAD))
    n_all = items.n_numbers * n_cells
    if n_all <= min(most_cells, CELLS_WORTH_AN_ITEM * max(len(values), chunk)):
        # Each thread needs its own table, which must be cleared and added to the others. Another
        # thread is therefore used only if each has at least four items per cell.
        found = items.counted(max(1, min(threads, len(values) // (4 * n_all))))
    else:
        found = items.sorted(threads)
    # The kernels skip clusters outside the expected range. If any were skipped, the user's data
    # changed during the call.
    if found.counts.sum(dtype=np.int64) != len(values):
        raise changed_meanwhile("clusters")
    places = _places(rated)
    if all(one.is_within for one in rated) and (places < 0).any() and places[found.cells].min() < 0:
        raise changed_meanwhile()
    return _without_outside(found, clusters, places)


class _Items(NamedTuple):
    """The items to count. Cluster numbers start at ``lowest``, and cell numbers start at 0."""

    kernels: PairKernels
    values: AnyArray
    rated: Sequence[RatedColumn]
    lowest: int
    n_numbers: int
    n_cells: int
    chunk: int

    def counted(self, num_threads: int) -> ClusterCounts:
        """Count all items, using a single table of all clusters."""
        # The kernels need a row and a column for values outside the range. Both remain empty here.
        shape = (self.n_numbers + 1, self.n_cells + 1)

        def add(tables: tuple[AnyArray, ...], start: int, stop: int) -> None:
            cells, lowest = self._cells(start, stop), (self.lowest, 0)
            values = self.values[start:stop]
            self.kernels.count_pairs(values, cells, lowest, tables[0], (0, len(cells)))

        empty = np.broadcast_to(np.int64(0), shape)
        [table] = fill_in_threads((empty,), add, len(self.values), num_threads, self.chunk)
        inside = table[:-1]
        found = np.flatnonzero(inside)
        return self._listed(found, shape[1], inside.reshape(-1)[found])

    def sorted(self, num_threads: int) -> ClusterCounts:
        """Count all items by sorting them by cluster and cell."""
        # The values are copied, because another thread could change them.
        numbers: AnyArray = offsets_from(self.values, self.lowest)
        if int(numbers.max()) >= self.n_numbers:
            raise changed_meanwhile("clusters")
        own = None
        if self.n_numbers * self.n_cells > INT64_MAX:
            own, numbers = np.unique(numbers, return_inverse=True)
        keys = numbers.view(np.int64)

        def join(ranges: ItemRanges) -> None:
            while bounds := ranges.take(self.chunk):
                some = keys[slice(*bounds)]
                some *= self.n_cells
                some += self._cells(*bounds)

        run_in_threads(join, len(keys), num_threads)
        keys.sort()
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        counts = np.diff(begins, append=len(keys))
        found = self._listed(keys[begins], self.n_cells, counts)
        return found if own is None else found._replace(clusters=own[found.clusters])

    def _cells(self, start: int, stop: int) -> AnyArray:
        """Return the code of each item's cell, in the narrowest possible type."""
        cells = np.zeros(stop - start, np.min_scalar_type(self.n_cells))
        for one in self.rated:
            cells *= cells.dtype.type(one.n_codes)
            cells += one.codes(self.kernels, start, stop, cells.dtype)
        return cells

    def _listed(self, keys: AnyArray, width: int, counts: AnyArray) -> ClusterCounts:
        """Split each key, which is the cluster times ``width`` plus the cell."""
        numbers = keys // width
        return ClusterCounts(
            numbers.astype(np.min_scalar_type(self.n_numbers - 1)),
            (keys - numbers * width).astype(np.min_scalar_type(self.n_cells)),
            counts.astype(np.min_scalar_type(int(counts.max(initial=0)))),
        )


def _places(rated: Sequence[RatedColumn]) -> AnyArray:
    """Return the table cell for each combination of codes, or -1 if a code has no label."""
    places = np.zeros(1, np.int64)
    for one in rated:
        own = np.append(one.encoding.positions, -1)[: one.n_codes]
        inside = (places >= 0)[:, None] & (own >= 0)
        places = np.where(inside, (places * one.n_labels)[:, None] + own, -1).ravel()
    return places


def _without_outside(found: ClusterCounts, clusters: Column, places: AnyArray) -> ClusterCounts:
    """Drop counts outside the table, and merge clusters with the same label."""
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
