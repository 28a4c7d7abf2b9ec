"""Conversion of weighted tables to values that JSON can hold, and back.

Text from elsewhere can say anything. It is taken only if updates can lead to such a table, and if
each size is backed by as many values in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.accumulator.exact_sums import UNIT_BITS
from fastkappa.accumulator.weighted_table import WeightedTable, empty_table
from fastkappa.arrays import AnyArray
from fastkappa.ratings.label_order import LabelOrder
from fastkappa.tables.table import union_of_labels

INT64_MAX = (1 << 63) - 1
LARGEST_FLOAT = int(np.finfo(np.float64).max)
LARGEST_INTEGER = (1 << 64) - 1
# Strings are given the length that they have: the text may say any.
DTYPE = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248]|O|U\d+|T\d*|[mM]8(\[\w+\])?)")


def table_to_fields(table: WeightedTable) -> dict[str, Any]:
    """Return a table as numbers, strings and lists.

    The sums of weights are integer multiples of ``2**weight_exponent``, with the largest exponent
    that makes them so. Without weights there are none.

    Raises
    ------
    ValueError
        If JSON cannot hold the labels.
    """
    labels, label_dtype = _labels_to_list(table.labels)
    exponent, sums = 0, table.sums
    if sums.any():
        zeros = min((int(n) & -int(n)).bit_length() - 1 for n in sums.flat if n)
        exponent, sums = zeros - UNIT_BITS, sums // (1 << zeros)
    return {
        "labels": labels,
        "label_dtype": label_dtype,
        "counts": table.plain.tolist(),
        "weighted_counts": table.weighted.tolist() if table.weighted.any() else None,
        "weight_sums": [[int(n) for n in row] for row in sums] if table.weighted.any() else None,
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
    labels = _labels_from_list(fields["labels"], fields["label_dtype"])
    exponent = whole(fields["weight_exponent"])
    if not -UNIT_BITS <= exponent <= UNIT_BITS:
        raise ValueError(f"weight_exponent is {exponent}")
    plain = _square(fields["counts"], len(labels), np.int64)
    n_float, n_outside = (count_from_field(fields[n]) for n in ("n_float_weights", "n_outside"))
    table = empty_table(labels)._replace(plain=plain, n_float=n_float, n_outside=n_outside)
    if fields["weighted_counts"] is not None:
        weighted = _square(fields["weighted_counts"], len(labels), np.int64)
        sums = _square(fields["weight_sums"], len(labels), object)
        table = table._replace(weighted=weighted, sums=sums * (1 << (UNIT_BITS + exponent)))
    elif fields["weight_sums"] is not None:
        raise ValueError("weight_sums need weighted_counts")
    _check_numbers(table)
    return table


def _check_numbers(table: WeightedTable) -> None:
    """Raise unless the counts, and the sums of as many weights, are some that occur."""
    least = min(table.plain.min(initial=0), table.weighted.min(initial=0))
    if least < 0:
        raise ValueError(f"counts cannot be negative, and one is {least}")
    n_plain, n_weighted = (int(t.sum(dtype=object)) for t in (table.plain, table.weighted))
    if n_plain + n_weighted + table.n_outside > INT64_MAX:
        raise ValueError("counts are more than int64 holds")
    if table.n_float > n_weighted + table.n_outside:
        raise ValueError(f"{table.n_float} float weights are more than there are weights")
    if not n_weighted:
        if table.sums.any():
            raise ValueError("weight_sums are not those of weights")
        return
    if not table.n_float and (table.sums % (1 << UNIT_BITS)).any():
        raise ValueError("weight_sums are not whole, but no weight is a float")
    largest = (LARGEST_FLOAT if table.n_float else LARGEST_INTEGER) << UNIT_BITS
    if (abs(table.sums) > table.weighted.astype(object) * largest).any():
        raise ValueError("weight_sums are more than weighted_counts have room for")


def refuse_uncounted(table: WeightedTable) -> None:
    """Raise unless a table has the labels of its pairs, sorted, of a type that ratings lead to."""
    labels, n_pairs = table.labels, table.plain + table.weighted
    if table.n_outside:
        raise ValueError("only given labels leave ratings outside")
    if not (n_pairs.any(axis=0) | n_pairs.any(axis=1)).all():
        raise ValueError(f"not all labels are counted: {short_repr(labels.tolist())}")
    known = union_of_labels([labels])
    if known.dtype != labels.dtype or known.tolist() != labels.tolist():
        raise ValueError(f"labels are not sorted: {short_repr(labels.tolist())}")
    if len(labels) and not _can_be_ratings(labels):
        raise ValueError(f"ratings cannot lead to labels of {labels.dtype}: {short_repr(labels)}")


def _can_be_ratings(labels: AnyArray) -> bool:
    """Return whether sorted labels have a type and values that ratings of one kind lead to."""
    kind, first, last = labels.dtype.kind, labels[0], labels[-1]
    if kind == "O":  # integers on both sides of int64 and uint64
        return bool(-INT64_MAX - 1 <= first < 0 and INT64_MAX < last <= LARGEST_INTEGER)
    if kind == "f":
        in_int64 = first >= -(2.0**63) and last < 2.0**63
        return bool(labels.dtype == np.float64 and in_int64 and (labels % 1 == 0).all())
    if kind in "mM":
        return np.datetime_data(labels.dtype)[0] != "generic"
    return kind in "bU" or labels.dtype in (np.int64, np.uint64)


def order_to_fields(order: LabelOrder | None) -> dict[str, Any] | None:
    """Return a declared order as strings and lists; ``names`` is None if these are the labels."""
    if order is None:
        return None
    labels, label_dtype = _labels_to_list(order.labels)
    names = None if order.names is order.labels else order.names.tolist()
    return {"labels": labels, "label_dtype": label_dtype, "names": names}


def order_from_fields(fields: Any) -> LabelOrder | None:
    """Return the order that `order_to_fields` converted.

    Raises
    ------
    KeyError, TypeError, ValueError
        If a field is missing or not valid.
    """
    if fields is None:
        return None
    check_names(fields, ("labels", "label_dtype", "names"))
    labels = _labels_from_list(fields["labels"], fields["label_dtype"])
    if fields["names"] is None:
        return LabelOrder(labels, labels)
    names = _labels_from_list(fields["names"], "U1")
    if len(labels) != len(names):
        raise ValueError(f"{len(labels)} labels have {len(names)} names")
    return LabelOrder(labels, names)


def check_names(fields: Any, names: Sequence[str]) -> None:
    """Raise unless an object has fields of these names, and no other ones."""
    if not isinstance(fields, dict) or set(fields) != set(names):
        raise ValueError(f"fields are not {', '.join(names)}: {short_repr(fields)}")


def count_from_field(field: Any) -> int:
    """Return a count, or raise ValueError if it is not one."""
    count = whole(field)
    if not 0 <= count <= INT64_MAX:
        raise ValueError(f"counts cannot be negative or beyond int64, and one is {count}")
    return count


def whole(number: Any) -> int:
    """Return an integer, or raise ValueError if it is not one."""
    if type(number) is not int:
        raise ValueError(f"{short_repr(number)} is not an integer")
    return number


def _labels_to_list(labels: AnyArray) -> tuple[list[Any], str]:
    is_date = labels.dtype.kind in "mM"
    listed = (labels.view(np.int64) if is_date else labels).tolist()
    try:
        _labels_from_list(listed, labels.dtype.str)
    except (TypeError, ValueError) as error:
        raise ValueError(f"JSON cannot hold labels of {labels.dtype}: {error}") from error
    return listed, labels.dtype.str


def _labels_from_list(listed: Any, label_dtype: Any) -> AnyArray:
    if not isinstance(label_dtype, str) or not DTYPE.fullmatch(label_dtype):
        raise ValueError(f"{short_repr(label_dtype)} is no type of labels")
    kind = label_dtype.lstrip("<>|=")[0]
    dtype = np.dtype("U" if kind == "U" else label_dtype)
    known = {"U": (str,), "T": (str,), "b": (bool,), "f": (float,), "O": (int, str)}.get(
        kind, (int,)
    )
    if not isinstance(listed, list) or not set(map(type, listed)) <= set(known):
        raise ValueError(f"labels are not a list of labels: {short_repr(listed)}")
    labels = np.array(listed, np.int64 if kind in "mM" else dtype)
    # What the type cannot hold has become another label.
    if len(set(listed)) < len(listed) or labels.tolist() != listed:
        raise ValueError(f"labels are not distinct labels of one type: {short_repr(listed)}")
    labels = labels.view(dtype) if kind in "mM" else labels
    if (kind in "mM" and np.isnat(labels).any()) or (kind == "f" and np.isinf(labels).any()):
        raise ValueError(f"labels are not all there: {short_repr(listed)}")
    return labels


def _square(rows: Any, n_labels: int, dtype: Any) -> AnyArray:
    """Return rows of integers as an array of a type, or raise for others."""
    if not isinstance(rows, list) or len(rows) != n_labels:
        raise ValueError(f"there are not {n_labels} rows: {short_repr(rows)}")
    square = np.empty((n_labels, n_labels), dtype)
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != n_labels or set(map(type, row)) != {int}:
            raise ValueError(f"a row is not {n_labels} integers: {short_repr(row)}")
        square[i] = row
    return square
