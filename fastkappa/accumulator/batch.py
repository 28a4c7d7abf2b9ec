"""Count a batch for an accumulator, and check the label order that the batch declares."""

from __future__ import annotations

from fastkappa.accumulator.exact_sums import exact_sums
from fastkappa.accumulator.snapshot import (
    SO_FAR,
    Snapshot,
    dropped_items,
    kind_of_columns,
    known_order,
    layered,
    refuse_too_many,
)
from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import PairKernels
from fastkappa.ratings.label_order import LabelOrder, common_order
from fastkappa.ratings.read import RatedItems
from fastkappa.tables.count import tabulate
from fastkappa.tables.known_labels import KnownLabels, known_labels


def snapshot_of_batch(
    kernels: PairKernels, items: RatedItems, labels_given: bool, num_threads: int
) -> Snapshot:
    """Count one batch with the given labels, or with the labels that occur."""
    first, second = items.columns.values()
    known = known_labels(items) if labels_given else None
    counts = tabulate(kernels, first, second, known, None, num_threads)
    sums, n_float = None, 0
    if items.weights is not None:
        known = known or KnownLabels(counts.labels, first, second)
        sums = exact_sums(kernels, first, second, known, items.weights, num_threads)
        n_float = len(items.weights) if items.weights.dtype.kind == "f" else 0
    kind = kind_of_columns(first, second)
    return Snapshot(layered(counts, sums), n_float, dropped_of(items), kind, None, labels_given)


def dropped_of(items: RatedItems) -> AnyArray:
    """Return the number of items left out of a batch, and of missing ratings per rater."""
    return dropped_items(items.n_dropped, *items.n_missing.values())


def order_with(items: RatedItems, order: LabelOrder | None) -> LabelOrder | None:
    """Return the order declared by this or earlier batches, or raise if two orders differ."""
    if not items.are_declared:
        return order
    refuse_too_many(len(items.labels.labels))
    name = next(name for name, column in items.columns.items() if column.declared is not None)
    return common_order({SO_FAR: order, name: items.labels})


def refuse_outside(items: RatedItems, part: Snapshot, order: LabelOrder) -> None:
    """Raise if a label in the batch is not among the declared labels."""
    if (known_order(order).places(part.table.rows) < 0).any():
        KnownLabels(order, *items.columns.values()).refuse_outside(items.columns)
