"""A batch of ratings as it is read, and the order of labels that it declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.columns.checks import Missing, check_missing, missing_or_odd, refuse_missing
from fastkappa.columns.column import Column, refuse_masked, refuse_rounded_labels
from fastkappa.columns.interop import warn_of_row_order
from fastkappa.columns.item_weights import read_sample_weight
from fastkappa.columns.label_order import LabelOrder, common_order, shown
from fastkappa.columns.labels import keys_in_unit
from fastkappa.columns.lengths import check_lengths
from fastkappa.columns.missing import without
from fastkappa.columns.odd_strings import refuse_odd_strings, warn_of_lookalikes
from fastkappa.columns.pair import read_columns
from fastkappa.counting.known_labels import KnownLabels
from fastkappa.counting.table import scatter
from fastkappa.counting.tabulate import ConfusionCounts

SO_FAR = "the accumulator"


class Batch(NamedTuple):
    """Two columns of ratings with their item weights, and how many items were left out."""

    columns: tuple[Column, Column]
    weights: AnyArray | None
    n_missing: int

    def order_with(self, order: LabelOrder | None) -> LabelOrder | None:
        """Return the order declared so far or by this batch, or raise if they differ."""
        first, second = self.columns
        return common_order({SO_FAR: order, "y1": first.declared, "y2": second.declared})

    def refuse_outside(self, labels: AnyArray, order: LabelOrder) -> None:
        """Raise if one of the labels that this batch has is not among those declared."""
        if _first_outside(labels, order) is not None:
            first, second = self.columns
            KnownLabels(order, first, second).refuse_outside({"y1": first, "y2": second})


def read_batch(
    y1: Any,
    y2: Any,
    sample_weight: Any,
    has_labels: bool,
    missing: Missing,
    missing_codes: Sequence[Any],
) -> Batch:
    """Return the ratings of a batch.

    If labels were given, strings among numbers are labels, and no declared order counts.
    """
    check_missing(missing)
    n_items = check_lengths(y1, y2, sample_weight)
    refuse_masked(sample_weight=sample_weight)
    ratings = {"y1": y1, "y2": y2}
    warn_of_row_order(ratings)
    n_missing = 0
    if missing == "raise":
        refuse_masked(**ratings)
        if len(missing_codes):
            refuse_missing(ratings, None, missing_codes)
    else:
        found = [
            missing_or_odd(column, missing_codes, name, not has_labels)
            for name, column in ratings.items()
        ]
        masks = [mask for mask in found if mask is not None]
        if masks:
            dropped = np.logical_or.reduce(masks)
            y1, y2 = without(y1, dropped), without(y2, dropped)
            sample_weight = None if sample_weight is None else without(sample_weight, dropped)
            n_missing = int(dropped.sum())
    columns = read_columns(y1, y2, ("y1", "y2"))
    if has_labels:
        columns = columns[0]._replace(declared=None), columns[1]._replace(declared=None)
    else:
        for name, column in zip(ratings, columns):
            refuse_odd_strings(column, name)
        refuse_rounded_labels(zip(ratings, columns))
        warn_of_lookalikes(dict(zip(ratings, columns)))
    weights = (
        None if sample_weight is None else read_sample_weight(sample_weight, n_items - n_missing)
    )
    return Batch(columns, weights, n_missing)


def refuse_counted_outside(labels: AnyArray, order: LabelOrder, name: str = SO_FAR) -> None:
    """Raise if one of the labels that an accumulator holds is not among those declared."""
    outside = _first_outside(labels, order)
    if outside is not None:
        raise ValueError(
            f"{name} holds {outside!r}, which is not among the labels that were declared:"
            f" {shown(order.names)}. Give labels= to say which are meant."
        )


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
