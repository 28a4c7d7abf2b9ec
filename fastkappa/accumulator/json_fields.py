"""Conversion of weighted tables to values that JSON can hold, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa.accumulator.exact_sums import UNIT_BITS
from fastkappa.accumulator.weighted_table import WeightedTable
from fastkappa.arrays import AnyArray
from fastkappa.columns.label_order import LabelOrder

VERSION = 1


def table_to_fields(table: WeightedTable) -> dict[str, Any]:
    """Return a table as numbers, strings and lists.

    The sums of weights are integer multiples of ``2**weight_exponent``, with the largest exponent
    that makes them so.
    """
    labels, label_dtype = _labels_to_list(table.labels)
    exponent, sums = 0, table.sums
    if sums.any():
        zeros = min((int(n) & -int(n)).bit_length() - 1 for n in sums.flat if n)
        exponent, sums = zeros - UNIT_BITS, sums // (1 << zeros)
    return {
        "version": VERSION,
        "labels": labels,
        "label_dtype": label_dtype,
        "counts": table.plain.tolist(),
        "weighted_counts": table.weighted.tolist(),
        "weight_sums": [[int(n) for n in row] for row in sums],
        "weight_exponent": exponent,
        "n_float_weights": table.n_float,
        "n_outside": table.n_outside,
    }


def table_from_fields(fields: dict[str, Any]) -> WeightedTable:
    """Return the table that `table_to_fields` converted.

    Raises
    ------
    KeyError, OverflowError, TypeError, ValueError
        If a field is missing or not valid.
    """
    if fields["version"] != VERSION:
        raise ValueError(f"version {fields['version']!r} is not known")
    labels = _labels_from_list(fields["labels"], fields["label_dtype"])
    exponent = _whole(fields["weight_exponent"])
    if not -UNIT_BITS <= exponent <= UNIT_BITS:
        raise ValueError(f"weight_exponent is {exponent}")
    plain = _square(fields["counts"], len(labels), "counts")
    weighted = _square(fields["weighted_counts"], len(labels), "weighted_counts")
    sums = _square(fields["weight_sums"], len(labels), "weight_sums")
    table = WeightedTable(
        labels,
        plain.astype(np.int64),
        weighted.astype(np.int64),
        sums * (1 << (UNIT_BITS + exponent)),
        _whole(fields["n_float_weights"]),
        _whole(fields["n_outside"]),
    )
    if table.sums[table.weighted == 0].any():
        raise ValueError("weight_sums has pairs that weighted_counts does not have")
    least = min(table.n_float, table.n_outside, plain.min(initial=0), weighted.min(initial=0))
    if least < 0:
        raise ValueError(f"counts cannot be negative, and one is {least}")
    return table


def order_to_fields(order: LabelOrder | None) -> dict[str, Any] | None:
    """Return a declared order as strings and lists."""
    if order is None:
        return None
    labels, label_dtype = _labels_to_list(order.labels)
    names, name_dtype = _labels_to_list(order.names)
    return {"labels": labels, "label_dtype": label_dtype, "names": names, "name_dtype": name_dtype}


def order_from_fields(fields: Any) -> LabelOrder | None:
    """Return the order that `order_to_fields` converted.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a field is missing or not valid.
    """
    if fields is None:
        return None
    labels = _labels_from_list(fields["labels"], fields["label_dtype"])
    names = _labels_from_list(fields["names"], fields["name_dtype"])
    if len(labels) != len(names):
        raise ValueError(f"{len(labels)} labels have {len(names)} names")
    return LabelOrder(labels, names)


def count_from_field(field: Any) -> int:
    """Return a count, or raise ValueError if it is not one."""
    count = _whole(field)
    if count < 0:
        raise ValueError(f"counts cannot be negative, and one is {count}")
    return count


def _labels_to_list(labels: AnyArray) -> tuple[list[Any], str]:
    is_date = labels.dtype.kind in "mM"
    return (labels.view(np.int64) if is_date else labels).tolist(), labels.dtype.str


def _labels_from_list(listed: Any, label_dtype: Any) -> AnyArray:
    dtype = np.dtype(label_dtype)
    labels = np.array(listed, np.int64 if dtype.kind in "mM" else dtype)
    labels = labels.view(dtype) if dtype.kind in "mM" else labels
    if labels.ndim != 1 or len(set(labels.tolist())) < len(labels):
        raise ValueError(f"labels are not a list of distinct labels: {listed!r}")
    return labels


def _square(rows: Any, n_labels: int, name: str) -> AnyArray:
    square = np.empty((n_labels, n_labels), object)
    if len(rows) != n_labels or any(len(row) != n_labels for row in rows):
        raise ValueError(f"{name} are not {n_labels} by {n_labels} numbers")
    for i, row in enumerate(rows):
        square[i] = [_whole(number) for number in row]
    return square


def _whole(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(f"{number!r} is not an integer")
    return number
