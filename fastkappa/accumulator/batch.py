"""The order of labels that a batch or an accumulator declares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.ratings.label_order import LabelOrder, common_order, not_declared
from fastkappa.ratings.labels import keys_in_unit
from fastkappa.ratings.read import RatedItems
from fastkappa.tables.count import ConfusionCounts
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.table import scatter

SO_FAR = "the accumulator"
# A table of labels given or declared has room for all pairs of them.
MOST_LABELS = 4096


def refuse_too_many(n_labels: int) -> None:
    """Raise if labels that were given or declared are too many for a table of all of them."""
    if n_labels > MOST_LABELS:
        raise ValueError(
            f"labels must be {MOST_LABELS} at most, got {n_labels}, for all of which an"
            " accumulator has a table. Without labels=, and without ratings that declare their"
            " order, only those that occur take room."
        )


def order_with(items: RatedItems, order: LabelOrder | None) -> LabelOrder | None:
    """Return the order declared so far or by a batch, or raise if they differ."""
    if not items.are_declared:
        return order
    refuse_too_many(len(items.labels.labels))
    name = next(name for name, column in items.columns.items() if column.declared is not None)
    return common_order({SO_FAR: order, name: items.labels})


def refuse_outside(items: RatedItems, labels: AnyArray, order: LabelOrder) -> None:
    """Raise if one of the labels that a batch has is not among those declared."""
    if _first_outside(labels, order) is not None:
        first, second = items.columns.values()
        KnownLabels(order, first, second).refuse_outside(items.columns)


def refuse_counted_outside(labels: AnyArray, order: LabelOrder, name: str = SO_FAR) -> None:
    """Raise if one of the labels that an accumulator holds is not among those declared."""
    outside = _first_outside(labels, order)
    if outside is not None:
        raise not_declared(name, repr(outside), order.names)


def in_declared_order(counts: ConfusionCounts, order: LabelOrder) -> ConfusionCounts:
    """Return counts on all the labels of an order, under the names they are reported by."""
    places = _places(counts.labels, order)
    shape = (len(order.names), len(order.names))
    table = scatter(counts.table, places, places, shape)
    return ConfusionCounts(table, order.names.copy(), counts.n_outside)


def _first_outside(labels: AnyArray, order: LabelOrder) -> Any:
    outside = _places(labels, order) < 0
    return labels[outside].tolist()[0] if outside.any() else None


def _places(labels: AnyArray, order: LabelOrder) -> NDArray[np.intp]:
    """Return the position of each label in an order, -1 for others."""
    declared, own = order.labels.tolist(), labels.tolist()
    unit = order.labels.dtype
    if unit.kind in "mM" and unit.kind == labels.dtype.kind:
        declared, own = (keys_in_unit(dates, unit) for dates in (order.labels, labels))
    position = {label: i for i, label in enumerate(declared)}
    return np.array([position.get(label, -1) for label in own], np.intp)
