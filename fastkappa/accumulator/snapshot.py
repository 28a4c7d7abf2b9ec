"""What an accumulator holds: a table, and what its labels are."""

from __future__ import annotations

import json
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np

from fastkappa.accumulator.batch import (
    SO_FAR,
    in_declared_order,
    refuse_counted_outside,
    refuse_too_many,
)
from fastkappa.accumulator.json_fields import (
    check_names,
    count_from_field,
    order_from_fields,
    order_to_fields,
    refuse_uncounted,
    table_from_fields,
    table_to_fields,
    whole,
)
from fastkappa.accumulator.weighted_table import WeightedTable
from fastkappa.arrays import AnyArray
from fastkappa.ratings.column import Column
from fastkappa.ratings.label_order import LabelOrder, common_order, warn_of_order
from fastkappa.statistics.weights import Weights, what_needs_order
from fastkappa.tables.count import ConfusionCounts
from fastkappa.tables.known_labels import KnownLabels

VERSION = 2
FIELDS = (
    "version", "labels_given", "labels", "label_dtype", "counts", "weighted_counts", "weight_sums",
    "weight_exponent", "n_float_weights", "n_outside", "kind", "n_missing", "order",
)  # fmt: skip
NUMBERS = "numbers"
KINDS = {"U": "strings", "m": "durations", "M": "dates"}


class Snapshot(NamedTuple):
    """What an accumulator holds at one moment.

    Attributes
    ----------
    table : WeightedTable
    order : LabelOrder or None
        The order that ratings declared.
    kind : str or None
        What the labels are: numbers, strings, dates or durations; None without any.
    n_missing : int
        The number of items left out for a missing rating.
    labels_given : bool
        Whether the labels of the table were given.
    """

    table: WeightedTable
    order: LabelOrder | None
    kind: str | None
    n_missing: int
    labels_given: bool

    def counts(self) -> ConfusionCounts:
        """Return the table of counts or sums of weights, in the declared order."""
        counts = self.table.counts()
        return counts if self.order is None else in_declared_order(counts, self.order)

    def warn_of_order(self, weights: Weights, stacklevel: int) -> None:
        """Warn if weights refer to the alphabetical order of labels."""
        why = what_needs_order(weights)
        if why is not None and self.order is None and not self.labels_given:
            warn_of_order(self.table.labels, why, stacklevel + 1)

    def order_with(self, order: LabelOrder | None) -> LabelOrder | None:
        """Return the order that another accumulator or this one has, or raise if they differ."""
        common = common_order({SO_FAR: order, "the other": self.order})
        if common is not None:
            refuse_counted_outside(self.table.labels, common, "the other accumulator")
        return common

    def refuse_other_labels(self, given: AnyArray | None) -> None:
        """Raise unless the same labels were given to another accumulator, or to neither."""
        own = self.table.labels.tolist() if self.labels_given else None
        other = None if given is None else given.tolist()
        if own != other:
            shown = ["none" if labels is None else labels for labels in (other, own)]
            raise ValueError(
                f"both accumulators must have been given the same labels, got {shown[0]} and"
                f" {shown[1]}."
            )

    def to_json(self) -> str:
        """Return the contents as JSON."""
        fields = {
            "version": VERSION,
            "labels_given": self.labels_given,
            **table_to_fields(self.table),
            "kind": self.kind,
            "n_missing": self.n_missing,
            "order": order_to_fields(self.order),
        }
        return json.dumps(fields)


def snapshot_from_json(text: str) -> Snapshot:
    """Return the contents that were written as JSON.

    Raises
    ------
    ValueError
        If the text is not what `Snapshot.to_json` writes.
    """
    try:
        fields = json.loads(text, object_pairs_hook=_distinct_fields)
        check_names(fields, FIELDS)
        if whole(fields["version"]) != VERSION:
            raise ValueError(f"version {fields['version']} is not known")
        table, order = table_from_fields(fields), order_from_fields(fields["order"])
        n_missing = count_from_field(fields["n_missing"])
        contents = Snapshot(table, order, fields["kind"], n_missing, fields["labels_given"])
        _check_contents(contents)
    except (KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"text must be the JSON of a ConfusionAccumulator: {error!r}.") from error
    return contents


def _check_contents(contents: Snapshot) -> None:
    """Raise unless the parts are of one accumulator."""
    table, order, kind, _, given = contents
    n_inside = int(table.plain.sum() + table.weighted.sum())
    if type(given) is not bool:
        raise ValueError(f"labels_given is {short_repr(given)}")
    if given:
        read_given_labels(table.labels)
    else:
        refuse_uncounted(table)
    if order is not None:
        if given:
            raise ValueError("labels are both given and declared")
        refuse_too_many(len(order.labels))
        refuse_counted_outside(table.labels, order)
        if order.names is not order.labels and kind != kind_of_labels(order.labels.dtype):
            raise ValueError(f"members of an enum are not {kind}: {short_repr(order.labels)}")
    if kind not in (None, *KINDS.values(), NUMBERS) or (
        kind is None and n_inside + table.n_outside
    ):
        raise ValueError(f"kind is {short_repr(kind)}")
    if n_inside and table.labels.dtype.kind != "O" and kind != kind_of_labels(table.labels.dtype):
        raise ValueError(f"labels are not {kind}: {short_repr(table.labels)}")


def read_given_labels(labels: Any) -> AnyArray:
    """Return labels that a user gave, in an array of their own."""
    no_ratings = Column(np.empty(0, np.int64), np.dtype(np.int64))
    known = KnownLabels(labels, no_ratings, no_ratings).array
    refuse_too_many(len(known))
    return known.copy()


def _distinct_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object, or raise for a field that is there twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError(f"a field is there twice: {short_repr([name for name, _ in pairs])}")
    return fields


def kind_of_columns(columns: tuple[Column, Column]) -> str | None:
    """Return what the labels of two columns are, None if there are none."""
    first = columns[0]
    if not len(first.values):
        return None
    return "strings" if first.categories is not None else kind_of_labels(first.label_dtype)


def kind_of_labels(dtype: np.dtype[Any]) -> str:
    """Return what labels of a dtype are."""
    return KINDS.get(dtype.kind, NUMBERS)


def common_kind(kind: str | None, new: str | None) -> str | None:
    """Return the kind of all labels, or raise if the new ones are of another kind."""
    if kind is not None and new is not None and new != kind:
        raise ValueError(f"Mix of label input types: the labels were {kind} so far, got {new}.")
    return new if kind is None else kind
