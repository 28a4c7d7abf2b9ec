"""Count items by group in a single pass, with one table of two raters per group."""

from __future__ import annotations

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import PairKernels
from fastkappa.ratings.column import Column
from fastkappa.ratings.item_weights import check_some_weight
from fastkappa.tables.codecs import expected_codecs
from fastkappa.tables.item_sums import as_int64
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.table import ConfusionTable, common_labels, scatter
from fastkappa.tables.tally import Tally, TooManyCellsError

# The largest total number of cells in the tables of all groups: 512 MB.
MOST_CELLS = 1 << 26


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
            f"{counts[0]} groups with {counts[1]} and {counts[2]} labels are too many for one"
            " table per group: use fewer groups, or merge labels."
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
