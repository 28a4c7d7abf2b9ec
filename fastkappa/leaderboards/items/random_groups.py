"""Compute sums over random groups of items, for a bootstrap that resamples the groups.

Kappa depends on sums over items: the sum of the disagreement weights, and the number of items with
each label in each column. One pass of the kernels over a prediction counts one table per group. For
this pass, the group and the true label of an item are combined into one code. The codes are
computed once for all predictions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.exceptions import changed_meanwhile
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.threads import ItemRanges, run_in_threads
from fastkappa.leaderboards.items.reference import Pair
from fastkappa.ratings.column import Column
from fastkappa.tables.codecs import CHUNK
from fastkappa.tables.known_labels import Encoding, KnownLabels

# The largest number of cells in the tables of all groups. Tables of this size (4 MB) stay in the
# cache. With more cells, adding up the items one by one is faster.
MOST_CELLS = 1 << 19
# OpenBLAS multiplies matrices up to this size in one thread. After a larger product, its other
# threads would keep spinning and take cores from the threads that read files.
ALONE = 1 << 18


class GroupSums(NamedTuple):
    """Sums over the items in each of g groups, for m predictions and l labels.

    Attributes
    ----------
    weighted : ndarray of shape (g, m)
        The sum of the items' disagreement weights, per group and prediction.
    rows : ndarray of shape (g, m, l) or (g, 1, l)
        The number of items with each label in the first column. The shape (g, 1, l) is used if
        these numbers are the same for all predictions.
    columns : ndarray of shape (g, m, l)
        The number of items with each label in the second column.
    """

    weighted: FloatTable
    rows: FloatTable
    columns: FloatTable


class ItemGroups:
    """The assignment of items to groups.

    With up to ``most`` items, each item forms its own group, so resampling groups means
    resampling items. With more items, each item is independently assigned to a random group. If
    these groups are resampled, sums vary as if items were resampled, regardless of the order of the
    items. If there are clusters, whole clusters are assigned to groups. ``weights`` are the item
    weights, or None if all weights are 1.
    """

    def __init__(
        self,
        n_items: int,
        most: int,
        generator: np.random.Generator,
        clusters: NDArray[np.intp] | None = None,
        weights: FloatTable | None = None,
    ) -> None:
        self.weights = weights
        n_units = n_items if clusters is None else int(clusters.max()) + 1
        self.n_groups = min(most, n_units)
        if n_units <= most:
            of_unit = np.arange(n_units)
        else:
            dtype = np.uint16 if most <= 1 << 16 else np.uint32
            of_unit = generator.integers(0, most, n_units, dtype=dtype)
        self.of_item: AnyArray = of_unit if clusters is None else of_unit[clusters]
        self._codes: tuple[list[Any], AnyArray] | None = None

    def codes(self, first: Column, known: KnownLabels) -> AnyArray:
        """Return one code per item, for its group and label. Other labels get the last code.

        The codes are cached, because the next call usually has the same labels.
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
            label = encoding.places(first.values[chunk])
            # Without this conversion, NumPy 1 would use 16-bit arithmetic.
            code = self.of_item[chunk].astype(np.int64) * len(known)
            code += label
            if label.min(initial=0) < 0:
                code[label < 0] = n_codes
            codes[chunk] = code
        return codes


def sum_by_group(
    kernels: PairKernels,
    groups: ItemGroups,
    first: Column,
    known: KnownLabels,
    pairs: Sequence[Pair],
    matrix: FloatTable,
    num_threads: int,
    *,
    have_all: bool,
) -> GroupSums:
    """Return each prediction's sums over each group, leaving out items with other labels.

    The second column of each pair is a prediction. The indices of its items must be in increasing
    order, because the order affects rounding errors.

    ``matrix`` has the shape (l, l) and contains the disagreement weights. ``have_all`` is True if
    every prediction gives one of the known labels to every item.
    """
    n_labels, n_groups = len(known), groups.n_groups
    codes = groups.codes(first, known)
    # The tables contain counts of items, so they cannot be used with weights.
    has_tables = n_groups * n_labels * (n_labels + 1) <= MOST_CELLS and groups.weights is None
    shape = (n_groups, len(pairs))
    sums = GroupSums(np.zeros(shape), *np.zeros((2, *shape, n_labels)))

    def work(ranges: ItemRanges) -> None:
        while bounds := ranges.take(1):
            j = bounds[0]
            (_, prediction), items = pairs[j].columns, pairs[j].items
            encoding = known.encode(prediction)
            own = codes if items is None else codes[items]
            parts = GroupSums(*(part[:, j] for part in sums))
            if has_tables:
                _sum_tables(kernels, own, encoding, prediction, matrix, parts)
                continue
            weights = groups.weights
            if weights is not None and items is not None:
                weights = weights[items]
            _sum_items(own, encoding, prediction, matrix, parts, weights)

    run_in_threads(work, len(pairs), max(1, min(num_threads, len(pairs))))
    if not have_all:
        return sums
    rows = np.bincount(codes, groups.weights, minlength=n_groups * n_labels)
    if len(rows) > n_groups * n_labels:
        # An item has a label that did not occur when the labels were determined, so the data must
        # have changed.
        raise changed_meanwhile()
    return sums._replace(rows=rows.astype(np.float64).reshape(n_groups, 1, n_labels))


def _sum_tables(
    kernels: PairKernels,
    codes: AnyArray,
    encoding: Encoding,
    prediction: Column,
    matrix: FloatTable,
    sums: GroupSums,
) -> None:
    """Count one table per group, and compute the sums from its cells."""
    n_groups, n_labels = sums.rows.shape
    codec, positions = encoding
    values = codec.encode(kernels, prediction.values)
    table = np.zeros((n_groups * n_labels + 1, len(positions) + 1), np.int64)
    kernels.count_pairs(codes, values, (0, codec.lowest), table, (0, len(values)))
    tables = table[:-1, :-1].astype(np.float64).reshape(n_groups, -1)
    # `of_cells` contains the amount that each cell of a table (one row per true label, one column
    # per code) adds to each of the sums. `is_label` maps codes to labels, because two codes can
    # have the same label.
    is_label = np.equal.outer(positions, np.arange(n_labels)).astype(np.float64)
    inside = is_label.sum(axis=1)
    of_cells, labels = np.zeros((n_labels, len(positions), 1 + 2 * n_labels)), np.arange(n_labels)
    of_cells[:, :, 0] = matrix[:, positions] * inside
    of_cells[labels, :, 1 + labels] = inside
    of_cells[:, :, 1 + n_labels :] = is_label
    of_cells = of_cells.reshape(-1, 1 + 2 * n_labels)
    for start in range(0, n_groups, at_once := max(1, ALONE // max(1, of_cells.size))):
        some = slice(start, start + at_once)
        # One matrix product is faster than separate sums.
        found = tables[some] @ of_cells
        sums.weighted[some] = found[:, 0]
        sums.rows[some], sums.columns[some] = found[:, 1 : 1 + n_labels], found[:, 1 + n_labels :]


def _sum_items(
    codes: AnyArray,
    encoding: Encoding,
    prediction: Column,
    matrix: FloatTable,
    sums: GroupSums,
    weights: FloatTable | None,
) -> None:
    """Add up the items one by one, without tables. ``weights`` are the weights of these items."""
    n_groups, n_labels = sums.rows.shape
    # Each chunk updates the sums of all groups. To keep the updates cheap, a chunk has at least as
    # many ratings as there are sums.
    length = max(CHUNK, n_groups * n_labels)
    for start in range(0, len(codes), length):
        chunk = slice(start, start + length)
        second = encoding.places(prediction.values[chunk])
        code = codes[chunk]
        inside = (code < n_groups * n_labels) & (second >= 0)
        code, second = code[inside].astype(np.int64), second[inside]
        group, label = np.divmod(code, n_labels)
        disagreement, own = matrix[label, second], None
        if weights is not None:
            own = weights[chunk][inside]
            disagreement = disagreement * own
        sums.weighted[:] += np.bincount(group, disagreement, n_groups)
        counts, n_cells = (n_groups, n_labels), n_groups * n_labels
        sums.rows[:] += np.bincount(code, own, n_cells).reshape(counts)
        predicted = group * n_labels + second
        sums.columns[:] += np.bincount(predicted, own, n_cells).reshape(counts)
