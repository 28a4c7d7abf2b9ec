"""Represent the contents of an accumulator: a confusion matrix, and facts about its labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fastkappa.accumulator.exact_sums import UNIT_BITS, rounded
from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text
from fastkappa.ratings.column import Column
from fastkappa.ratings.label_order import LabelOrder, common_order, not_declared, warn_of_order
from fastkappa.ratings.read import judge_labels
from fastkappa.statistics.weights import Weights, what_needs_order
from fastkappa.tables.count import ConfusionCounts, in_int64, part_of
from fastkappa.tables.doubtful_tables import judge_parts
from fastkappa.tables.item_sums import refuse_weighted_and_not
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.table import ConfusionTable, add, occurring, scatter, subtract

SO_FAR = "the accumulator"
# The largest number of labels that can be given or declared. A table has a cell for each pair of
# labels, so more labels would need too much memory.
MOST_LABELS = 4096
NO_RATINGS = Column(np.empty(0, np.int64), np.dtype(np.int64))
# The first layer of a table counts items without a weight, and the second counts items with a
# weight.
IS_WEIGHTED = np.array([False, True])
NUMBERS = "numbers"
KINDS = {"U": "strings", "m": "durations", "M": "dates"}
NOT_ADDED = (
    "subtract can remove only items that were added with the same ratings and weights, but some of"
    " the items passed were not."
)


class Snapshot(NamedTuple):
    """The contents of an accumulator at one moment.

    Attributes
    ----------
    table : ConfusionTable
        A table with two layers: the counts of items without weights and of items with weights.
        The sums of weights are exact Python integers in units of ``2**-UNIT_BITS``.
    n_float : int
        The number of items whose weight is a float.
    dropped : ndarray of Python int, shape (3,)
        The number of items left out because a rating is missing, and the number of missing ratings
        of each rater.
    kind : str or None
        The kind of the labels: numbers, strings, dates or durations. None if there are no labels.
    order : LabelOrder or None
        The order that the ratings declared.
    labels_given : bool
        Whether the labels of the table were given.
    """

    table: ConfusionTable
    n_float: int
    dropped: AnyArray
    kind: str | None
    order: LabelOrder | None
    labels_given: bool

    @property
    def n_items(self) -> int:
        """The number of items in the table."""
        return int(self.table.counts.sum())

    @property
    def is_weighted(self) -> bool | None:
        """Whether items have weights, or None if only some of them do or if there are no items."""
        plain, weighted = (bool(layer.any()) for layer in self.table.counts)
        return weighted if plain != weighted else None

    @property
    def left_out(self) -> dict[str, Any]:
        """The numbers of items and ratings left out, keyed by the names that all results use."""
        n_dropped, *missing = self.dropped.tolist()
        n_outside = self.table.n_outside
        return {"n_outside": n_outside, "missing": tuple(missing), "n_dropped": n_dropped}

    def in_short(self) -> str:
        """Return the numbers of items, labels and items left out as text."""
        labels = self.table.rows if self.order is None else self.order.labels
        left_out = {"outside the labels": self.table.n_outside, "missing": int(self.dropped[0])}
        more = (f", {n} {why}" for why, n in left_out.items() if n)
        return f"{self.n_items} items, {count_text(len(labels), 'label')}{''.join(more)}"

    def counts(self) -> ConfusionCounts:
        """Return a copy of the table (counts or sums of weights), in the declared order."""
        (plain, weighted), sums = self.table.counts, self.table.sums
        table: AnyArray = plain.copy()
        if sums is not None and weighted.any():
            total = sums + plain.astype(object) * (1 << UNIT_BITS)
            table = rounded(total) if self.n_float else total // (1 << UNIT_BITS)
        counts = in_int64(ConfusionCounts(table, self.table.rows.copy(), self.table.n_outside))
        if self.order is None:
            return counts
        known = known_order(self.order)
        places, shape = known.places(counts.labels), (len(known), len(known))
        in_order = scatter(counts.table, places, places, shape)
        return ConfusionCounts(in_order, known.array.copy(), counts.n_outside)

    def judge_addition(self, other: Snapshot) -> None:
        """Check another snapshot before it is added.

        Raise if only one of the two has weights. Warn if their label codes seem to differ.
        """
        refuse_weighted_and_not(self.is_weighted, other.is_weighted)
        tables = {SO_FAR: self.table, "the other accumulator": other.table}
        parts = [
            part_of(name, ConfusionCounts(table.counts.sum(axis=0), table.rows, 0))
            for name, table in tables.items()
        ]
        judge_parts(parts, ("y1", "y2"))

    def plus(self, other: Snapshot) -> Snapshot:
        """Return the sum of both snapshots, with the labels in the order of this snapshot."""
        return self._replace(
            kind=common_kind(self.kind, other.kind),
            table=add(self.table, other.table),
            n_float=self.n_float + other.n_float,
            dropped=self.dropped + other.dropped,
        )

    def minus(self, other: Snapshot) -> Snapshot:
        """Subtract the items of another snapshot, or raise if this one lacks any of these items."""
        common_kind(self.kind, other.kind)
        table = subtract(self.table, other.table)
        n_float, dropped = self.n_float - other.n_float, self.dropped - other.dropped
        # A nonzero sum of weights in a cell without weighted items means that the subtracted
        # weights differ from the added weights.
        if (
            table is None
            or min(n_float, *dropped) < 0
            or (other.table.sums is not None and _has_more(table))
        ):
            raise ValueError(NOT_ADDED)
        return self._replace(table=table, n_float=n_float, dropped=dropped)

    def occurring(self) -> Snapshot:
        """Return the snapshot without unused labels. If labels were given, change nothing."""
        return self if self.labels_given else self._replace(table=occurring(self.table))

    def judge_labels(self) -> None:
        """Check the labels of all batches together for doubtful strings."""
        labels, counts = self.table.rows, self.table.counts.sum(axis=0)
        codes, strings = np.arange(len(labels)), labels.tolist()
        columns = {
            name: Column(codes, np.dtype(object), strings, None, self.order, counts.sum(axis=axis))
            for name, axis in (("y1", 1), ("y2", 0))
        }
        judge_labels(columns, labels if self.labels_given else None)

    def warn_of_order(self, weights: Weights, stacklevel: int) -> None:
        """Warn if weights depend on a label order that is merely alphabetical or probably wrong."""
        why = what_needs_order(weights)
        if why is not None:
            is_known = self.order is not None or self.labels_given
            warn_of_order(self.table.rows, why, stacklevel + 1, is_known=is_known)

    def order_with(self, so_far: Snapshot) -> LabelOrder | None:
        """Return the order that either snapshot declares, or raise if the orders differ."""
        common_kind(so_far.kind, self.kind)
        common = common_order({SO_FAR: so_far.order, "the other accumulator": self.order})
        if common is not None:
            self.refuse_outside(common, "the other accumulator")
        return common

    def refuse_outside(self, order: LabelOrder, name: str = SO_FAR) -> None:
        """Raise if a label is not among the declared labels."""
        outside = known_order(order).places(self.table.rows) < 0
        if outside.any():
            label = self.table.rows[outside].tolist()[0]
            raise not_declared(name, repr(label), order.names)

    def refuse_other_labels(self, given: AnyArray | None) -> None:
        """Raise unless both accumulators were given the same labels, or both were given none."""
        own = self.table.rows.tolist() if self.labels_given else None
        other = None if given is None else given.tolist()
        if own != other:
            shown = ["none" if labels is None else labels for labels in (other, own)]
            raise ValueError(
                f"both accumulators must be created with the same labels, got {shown[0]} and"
                f" {shown[1]}."
            )


def _has_more(table: ConfusionTable) -> bool:
    """Return whether a cell without weighted items has a nonzero sum of weights."""
    return table.sums is not None and bool(table.sums[table.counts[1] == 0].any())


def layered(counts: ConfusionCounts, sums: AnyArray | None = None) -> ConfusionTable:
    """Return a table with two layers. Either all of its items have weights, or none do."""
    layers = np.zeros((2, *counts.table.shape), np.int64)
    layers[int(sums is not None)] = counts.table
    labels = counts.labels
    return ConfusionTable(layers, labels, labels, sums, IS_WEIGHTED, counts.n_outside)


def dropped_items(n_items: int = 0, first: int = 0, second: int = 0) -> AnyArray:
    """Return the numbers of items and ratings left out, as Python integers for exact sums."""
    return np.array([n_items, first, second], object)


def empty_snapshot(given: AnyArray | None) -> Snapshot:
    """Return the contents of an empty accumulator with the given labels."""
    labels = np.empty(0, np.int64) if given is None else given
    counts = ConfusionCounts(np.zeros((len(labels), len(labels)), np.int64), labels, 0)
    return Snapshot(layered(counts), 0, dropped_items(), None, None, given is not None)


def known_order(order: LabelOrder) -> KnownLabels:
    """Return the labels of a declared order. Dates keep their unit."""
    column = NO_RATINGS._replace(label_dtype=order.labels.dtype)
    return KnownLabels(order, column, column)


def read_given_labels(labels: Any) -> AnyArray:
    """Return a copy of the user's labels as an array."""
    known = KnownLabels(labels, NO_RATINGS, NO_RATINGS).array
    refuse_too_many(len(known))
    return known.copy()


def refuse_too_many(n_labels: int) -> None:
    """Raise if more labels were given or declared than a table can have."""
    if n_labels > MOST_LABELS:
        raise ValueError(
            f"an accumulator can have at most {MOST_LABELS} given or declared labels, got"
            f" {n_labels}, because its table has a row and a column for each. To count only the"
            " labels that occur, leave out labels= and pass ratings that declare no label order."
        )


def kind_of_columns(first: Column, second: Column) -> str | None:
    """Return the kind of the labels of two columns, or None if there are no labels."""
    if not len(first.values):
        return None
    # Columns of strings have categories, but so do columns of fractional numbers.
    is_string = first.categories is not None and first.label_dtype.kind != "f"
    return "strings" if is_string else kind_of_labels(first.label_dtype)


def kind_of_labels(dtype: np.dtype[Any]) -> str:
    """Return the kind of labels with this dtype."""
    return KINDS.get(dtype.kind, NUMBERS)


def common_kind(kind: str | None, new: str | None) -> str | None:
    """Return the kind of all labels, or raise if the new labels are of another kind."""
    if kind is not None and new is not None and new != kind:
        raise ValueError(
            f"Mix of label input types: the labels have been {kind} so far, got {new}."
        )
    return new if kind is None else kind
