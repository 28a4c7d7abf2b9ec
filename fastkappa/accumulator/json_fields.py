"""Convert the contents of an accumulator to JSON and back.

The JSON text can come from an untrusted source. It is rejected if no accumulator could have these
contents, or if a declared size does not match the number of values.
"""

from __future__ import annotations

import json
from contextlib import suppress
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.accumulator.exact_sums import UNIT_BITS
from fastkappa.accumulator.snapshot import (
    KINDS,
    NUMBERS,
    Snapshot,
    dropped_items,
    kind_of_labels,
    layered,
    read_given_labels,
    refuse_too_many,
)
from fastkappa.arrays import AnyArray
from fastkappa.ratings.label_order import LabelOrder
from fastkappa.tables.count import ConfusionCounts
from fastkappa.tables.json_fields import (
    INT64_MAX,
    CountedRows,
    check_fields,
    check_missing,
    check_names,
    count_from,
    labels_from_list,
    labels_to_list,
    loaded,
    reason_of,
    rows_from_fields,
    rows_to_fields,
    square,
    whole,
)
from fastkappa.tables.table import ConfusionTable, union_of_labels

LARGEST_FLOAT = int(np.finfo(np.float64).max)
LARGEST_INTEGER = (1 << 64) - 1

VERSION = 3
FIELDS = (
    "version", "labels_given", "labels", "label_dtype", "counts", "weighted_counts", "weight_sums",
    "weight_exponent", "n_float_weights", "n_outside", "kind", "dropped", "order",
)  # fmt: skip


def snapshot_to_json(contents: Snapshot) -> str:
    """Return the contents as JSON, with the fields common to all saved counts if possible.

    The sums of weights are written as integer multiples of ``2**weight_exponent``, with the largest
    possible exponent. If there are no weights, the fields for weights are left out.

    Raises
    ------
    ValueError
        If JSON cannot represent the labels.
    """
    table = contents.table
    labels, label_dtype = labels_to_list(table.rows)
    plain, weighted = table.counts
    exponent, sums = 0, table.sums if weighted.any() else None
    if sums is not None and sums.any():
        zeros = min((int(n) & -int(n)).bit_length() - 1 for n in sums.flat if n)
        exponent, sums = zeros - UNIT_BITS, sums // (1 << zeros)
    fields = {
        "version": VERSION,
        "labels_given": contents.labels_given,
        "labels": labels,
        "label_dtype": label_dtype,
        "counts": plain.tolist(),
        "weighted_counts": None if sums is None else weighted.tolist(),
        "weight_sums": None if sums is None else [[int(n) for n in row] for row in sums],
        "weight_exponent": exponent,
        "n_float_weights": contents.n_float,
        "n_outside": table.n_outside,
        "kind": contents.kind,
        "dropped": contents.dropped.tolist(),
        "order": _order_to_fields(contents.order),
    }
    return json.dumps({**_counted(contents), "accumulator": fields})


def _counted(contents: Snapshot) -> dict[str, Any]:
    """Return the fields that all saved counts share, or {} if a sum is negative or too large."""
    with suppress(OverflowError):
        counts = contents.counts()
        left_out = contents.left_out
        n_rows = contents.n_items + left_out["n_outside"] + left_out["n_dropped"]
        if counts.table.min(initial=0) >= 0 and n_rows <= INT64_MAX:
            is_weighted = bool(contents.table.counts[1].any())
            table, labels, _ = counts
            rows = CountedRows(table, labels, n_rows=n_rows, is_weighted=is_weighted, **left_out)
            return rows_to_fields(rows)
    return {}


def snapshot_from_json(text: str) -> Snapshot:
    """Return the contents of an accumulator from their JSON text.

    Raises
    ------
    ValueError
        If the text was not written by `snapshot_to_json` or `rows_to_fields`.
    """
    try:
        fields = loaded(text)
        exact = fields.pop("accumulator", None) if isinstance(fields, dict) else None
        if exact is None:
            return _snapshot_of_rows(rows_from_fields(fields))
        contents = _snapshot_from_fields(exact)
        if fields and fields != _counted(contents):
            raise ValueError("table must match the counts of the accumulator")
    except (KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(
            f"text must be JSON from ConfusionAccumulator.to_json: {reason_of(error)}."
        ) from error
    return contents


def _snapshot_from_fields(fields: Any) -> Snapshot:
    check_fields(fields, FIELDS, VERSION)
    n_float = count_from(fields["n_float_weights"])
    if not isinstance(fields["dropped"], list) or len(fields["dropped"]) != 3:
        raise ValueError(
            f"dropped must be a list of three counts, got {short_repr(fields['dropped'])}"
        )
    n_dropped, *missing = map(count_from, fields["dropped"])
    check_missing(n_dropped, missing)
    table, order = _table_from_fields(fields), _order_from_fields(fields["order"])
    dropped, given = dropped_items(n_dropped, *missing), fields["labels_given"]
    contents = Snapshot(table, n_float, dropped, fields["kind"], order, given)
    _check_numbers(contents)
    _check_labels(contents)
    return contents


def _snapshot_of_rows(rows: CountedRows) -> Snapshot:
    """Return the contents that an accumulator would have after counting the items of these rows."""
    if rows.is_weighted:
        raise ValueError(
            "the sums of item weights are rounded, but an accumulator needs exact sums"
        )
    table = layered(ConfusionCounts(rows.table, rows.labels, rows.n_outside))
    kind = kind_of_labels(rows.labels.dtype) if rows.n_items + rows.n_outside else None
    dropped = dropped_items(rows.n_dropped, *rows.missing)
    contents = Snapshot(table, 0, dropped, kind, None, False)
    try:
        _refuse_uncounted(table)
    except ValueError:
        contents = contents._replace(labels_given=True)
    _check_labels(contents)
    return contents


def _table_from_fields(fields: dict[str, Any]) -> ConfusionTable:
    labels = labels_from_list(fields["labels"], fields["label_dtype"])
    exponent = whole(fields["weight_exponent"])
    if not -UNIT_BITS <= exponent <= UNIT_BITS:
        raise ValueError(
            f"weight_exponent must be between -{UNIT_BITS} and {UNIT_BITS}, got {exponent}"
        )
    plain = square(fields["counts"], len(labels), np.int64)
    table = layered(ConfusionCounts(plain, labels, count_from(fields["n_outside"])))
    if fields["weighted_counts"] is not None:
        table.counts[1] = square(fields["weighted_counts"], len(labels), np.int64)
        sums = square(fields["weight_sums"], len(labels), object)
        return table._replace(sums=sums * (1 << (UNIT_BITS + exponent)))
    if fields["weight_sums"] is not None:
        got = short_repr(fields["weight_sums"])
        raise ValueError(f"weight_sums must be null if weighted_counts is null, got {got}")
    return table


def _check_numbers(contents: Snapshot) -> None:
    """Raise if the counts are impossible, or if the sums are impossible for that many weights."""
    table, n_float = contents.table, contents.n_float
    least = table.counts.min(initial=0)
    if least < 0:
        raise ValueError(f"counts must not be negative, got {least}")
    n_plain, n_weighted = (int(layer.sum(dtype=object)) for layer in table.counts)
    total = n_plain + n_weighted + table.n_outside
    if total > INT64_MAX:
        raise ValueError(
            f"the sum of counts, weighted_counts and n_outside must fit in int64, got {total}"
        )
    if n_float > n_weighted + table.n_outside:
        raise ValueError(
            "n_float_weights must not exceed the number of weights"
            f" ({n_weighted + table.n_outside}), got {n_float}"
        )
    sums = np.zeros(1, object) if table.sums is None else table.sums
    if not n_weighted:
        if sums.any():
            raise ValueError("weight_sums must all be 0 if weighted_counts are all 0")
        return
    if not n_float and (sums % (1 << UNIT_BITS)).any():
        raise ValueError("weight_sums must be whole numbers if n_float_weights is 0")
    largest = (LARGEST_FLOAT if n_float else LARGEST_INTEGER) << UNIT_BITS
    if (abs(sums) > table.counts[1].astype(object) * largest).any():
        raise ValueError(
            "weight_sums must not exceed weighted_counts times the largest possible weight"
        )


def _check_labels(contents: Snapshot) -> None:
    """Raise if no accumulator can have labels of this kind in this order."""
    table, order, kind, given = contents.table, contents.order, contents.kind, contents.labels_given
    labels = table.rows
    if type(given) is not bool:
        raise ValueError(f"labels_given must be true or false, got {short_repr(given)}")
    if given:
        read_given_labels(labels)
    else:
        _refuse_uncounted(table)
    if order is not None:
        if given:
            raise ValueError("order must be null if labels_given is true")
        refuse_too_many(len(order.labels))
        contents.refuse_outside(order)
        if order.names is not order.labels and kind != kind_of_labels(order.labels.dtype):
            raise ValueError(f"order must contain {kind}, got {short_repr(order.labels)}")
    n_inside = contents.n_items
    kinds = (*KINDS.values(), NUMBERS)
    if kind not in (None, *kinds) or (kind is None and n_inside + table.n_outside):
        raise ValueError(
            f"kind must be one of {', '.join(kinds)}, or null if there are no items, got"
            f" {short_repr(kind)}"
        )
    if n_inside and labels.dtype.kind != "O" and kind != kind_of_labels(labels.dtype):
        raise ValueError(f"labels must be {kind}, got {short_repr(labels)}")


def _refuse_uncounted(table: ConfusionTable) -> None:
    """Raise unless the labels are sorted, all labels occur, and ratings can have their type."""
    labels = table.rows
    if table.n_outside:
        raise ValueError("n_outside must be 0 if labels_given is false")
    if not (table.counts.any(axis=(0, 1)) | table.counts.any(axis=(0, 2))).all():
        raise ValueError(
            "labels must contain only labels that occur in the counts, got"
            f" {short_repr(labels.tolist())}"
        )
    known = union_of_labels([labels])
    if known.dtype != labels.dtype or known.tolist() != labels.tolist():
        raise ValueError(f"labels must be sorted, got {short_repr(labels.tolist())}")
    if len(labels) and not _can_be_ratings(labels):
        raise ValueError(
            "labels must be integers of at most 64 bits, strings, booleans, dates, times or"
            f" durations, got {labels.dtype}: {short_repr(labels)}"
        )


def _can_be_ratings(labels: AnyArray) -> bool:
    """Return whether sorted labels have a type and values that ratings can have."""
    kind, first, last = labels.dtype.kind, labels[0], labels[-1]
    if kind == "O":  # integers that neither int64 nor uint64 can represent
        return bool(-INT64_MAX - 1 <= first < 0 and INT64_MAX < last <= LARGEST_INTEGER)
    if kind == "f":
        in_int64 = first >= -(2.0**63) and last < 2.0**63
        return bool(labels.dtype == np.float64 and in_int64 and (labels % 1 == 0).all())
    if kind in "mM":
        return np.datetime_data(labels.dtype)[0] != "generic"
    return kind in "bU" or labels.dtype in (np.int64, np.uint64)


def _order_to_fields(order: LabelOrder | None) -> dict[str, Any] | None:
    """Convert a declared order to strings and lists, with None for names equal to the labels."""
    if order is None:
        return None
    labels, label_dtype = labels_to_list(order.labels)
    names = None if order.names is order.labels else order.names.tolist()
    return {"labels": labels, "label_dtype": label_dtype, "names": names}


def _order_from_fields(fields: Any) -> LabelOrder | None:
    """Return the order from the fields written by `_order_to_fields`.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a field is missing or invalid.
    """
    if fields is None:
        return None
    check_names(fields, ("labels", "label_dtype", "names"))
    labels = labels_from_list(fields["labels"], fields["label_dtype"])
    if fields["names"] is None:
        return LabelOrder(labels, labels)
    names = labels_from_list(fields["names"], "U1")
    if len(labels) != len(names):
        raise ValueError(
            f"names must have one entry for each of the {len(labels)} labels, got {len(names)}"
        )
    return LabelOrder(labels, names)
