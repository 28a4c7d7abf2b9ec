"""Read and check the fields of tables in JSON.

The JSON text is not trusted: each size must match the number of values in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray

INT64_MAX = (1 << 63) - 1
# The length of strings is taken from the strings themselves, because a declared length can be
# wrong.
DTYPE = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248]|O|U\d+|T\d*|[mM]8(\[\w+\])?)")


def distinct_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a JSON object, or raise if a field occurs twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError(f"a field occurs twice: {short_repr([name for name, _ in pairs])}")
    return fields


def fields_of(text: str, names: Sequence[str], version: int) -> dict[str, Any]:
    """Return the fields of a JSON object, or raise unless the names and the version are right."""
    fields: dict[str, Any] = json.loads(text, object_pairs_hook=distinct_fields)
    check_names(fields, names)
    if whole(fields["version"]) != version:
        raise ValueError(f"version {fields['version']} is not known")
    return fields


def check_names(fields: Any, names: Sequence[str]) -> None:
    """Raise unless a JSON object has exactly these fields."""
    if not isinstance(fields, dict) or set(fields) != set(names):
        raise ValueError(f"fields are not {', '.join(names)}: {short_repr(fields)}")


def count_from(field: Any) -> int:
    """Return the count in a field, or raise ValueError if the field is not a count."""
    count = whole(field)
    if not 0 <= count <= INT64_MAX:
        raise ValueError(f"counts cannot be negative or beyond int64, and one is {count}")
    return count


def whole(number: Any) -> int:
    """Return the value, or raise ValueError if it is not an integer."""
    if type(number) is not int:
        raise ValueError(f"{short_repr(number)} is not an integer")
    return number


def labels_to_list(labels: AnyArray) -> tuple[list[Any], str]:
    """Convert labels to a list for JSON and the name of their type, or raise ValueError."""
    is_date = labels.dtype.kind in "mM"
    listed = (labels.view(np.int64) if is_date else labels).tolist()
    try:
        labels_from_list(listed, labels.dtype.str)
    except (TypeError, ValueError) as error:
        raise ValueError(f"JSON cannot represent labels of {labels.dtype}: {error}") from error
    return listed, labels.dtype.str


def labels_from_list(listed: Any, label_dtype: Any) -> AnyArray:
    """Return the labels written by `labels_to_list`, or raise for other input."""
    if not isinstance(label_dtype, str) or not DTYPE.fullmatch(label_dtype):
        raise ValueError(f"{short_repr(label_dtype)} is not a type of labels")
    kind = label_dtype.lstrip("<>|=")[0]
    dtype = np.dtype("U" if kind == "U" else label_dtype)
    known = {"U": (str,), "T": (str,), "b": (bool,), "f": (float,), "O": (int, str)}.get(
        kind, (int,)
    )
    if not isinstance(listed, list) or not set(map(type, listed)) <= set(known):
        raise ValueError(f"labels are not a list of labels: {short_repr(listed)}")
    labels = np.array(listed, np.int64 if kind in "mM" else dtype)
    # If conversion changes a label, its type cannot represent it.
    if len(set(listed)) < len(listed) or labels.tolist() != listed:
        raise ValueError(f"labels must be distinct and of one type: {short_repr(listed)}")
    labels = labels.view(dtype) if kind in "mM" else labels
    if (kind in "mM" and np.isnat(labels).any()) or (kind == "f" and np.isinf(labels).any()):
        raise ValueError(f"labels are incomplete: {short_repr(listed)}")
    return labels


def square(rows: Any, n_labels: int, dtype: Any, of: type = int) -> AnyArray:
    """Return rows as a square array. Raise if they contain values of another type than ``of``."""
    if not isinstance(rows, list) or len(rows) != n_labels:
        raise ValueError(f"there are not {n_labels} rows: {short_repr(rows)}")
    square = np.empty((n_labels, n_labels), dtype)
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != n_labels or set(map(type, row)) != {of}:
            raise ValueError(f"a row is not {n_labels} of {of.__name__}: {short_repr(row)}")
        square[i] = row
    return square
