"""Conversion of weighted tables to values that JSON can hold, and back."""

from __future__ import annotations

import re
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.accumulator.exact_sums import UNIT_BITS
from fastkappa.accumulator.weighted_table import WeightedTable
from fastkappa.arrays import AnyArray
from fastkappa.columns.label_order import LabelOrder

VERSION = 1
INT64_MAX = (1 << 63) - 1
# Strings are given the length that they have: the text may say any.
DTYPE = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248]|O|U\d+|T\d*|[mM]8(\[\w+\])?)")


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
    if int(plain.sum() + weighted.sum()) > INT64_MAX:
        raise ValueError("counts are more than int64 holds")
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
    if not isinstance(label_dtype, str) or not DTYPE.fullmatch(label_dtype):
        raise ValueError(f"{short_repr(label_dtype)} is no type of labels")
    kind = label_dtype.lstrip("<>|=")[0]
    dtype = np.dtype("U" if kind == "U" else label_dtype)
    known = (str,) if kind in "UT" else (int, float) if kind == "f" else (int, str)
    if not isinstance(listed, list) or not all(isinstance(label, known) for label in listed):
        raise ValueError(f"labels are not a list of labels: {short_repr(listed)}")
    labels = np.array(listed, np.int64 if kind in "mM" else dtype)
    # What the type cannot hold has become another label.
    if len(set(listed)) < len(listed) or labels.tolist() != listed:
        raise ValueError(f"labels are not distinct labels of one type: {short_repr(listed)}")
    labels = labels.view(dtype) if kind in "mM" else labels
    if (kind in "mM" and np.isnat(labels).any()) or (kind == "f" and np.isinf(labels).any()):
        raise ValueError(f"labels are not all there: {labels.tolist()}")
    return labels


def _square(rows: Any, n_labels: int, name: str) -> AnyArray:
    if len(rows) != n_labels or any(len(row) != n_labels for row in rows):
        raise ValueError(f"{name} are not {n_labels} by {n_labels} numbers")
    square = np.empty((n_labels, n_labels), object)
    for i, row in enumerate(rows):
        square[i] = [_whole(number) for number in row]
    return square


def _whole(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(f"{short_repr(number)} is not an integer")
    return number
