"""Write counts for two raters as JSON, and read and check them.

All classes of counts write the same fields, so each class can read the counts of the others. A
class can also add one of the fields in `EXTRAS`, which all other classes ignore.

The JSON text is not trusted, so the shape of the table is checked against the number of labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray

INT64_MAX = (1 << 63) - 1
VERSION = 1
# The fields that contain counts of rows or ratings.
NUMBERS = ("n_outside", "n_rows", "missing", "n_dropped")
FIELDS = ("version", "labels", "label_dtype", "table", *NUMBERS, "is_weighted")
# The extra fields: "accumulator" has the exact sums of a ConfusionAccumulator, and "origin" has the
# source and columns of a saved file.
EXTRAS = ("accumulator", "origin")
# Matches the dtypes that labels can have. The length of strings is ignored, because the JSON text
# could state any length.
DTYPE = re.compile(r"[<>|=]?(b1|[iu][1248]|f[248]|O|U\d+|T\d*|[mM]8(\[\w+\])?)")


class CountedRows(NamedTuple):
    """A table for two raters, and the numbers of items that are not in it.

    If ``is_weighted`` is true, the table contains sums of item weights.
    """

    table: AnyArray
    labels: AnyArray
    n_outside: int
    n_rows: int
    missing: tuple[int, int]
    n_dropped: int
    is_weighted: bool = False

    @property
    def n_items(self) -> int:
        """The number of items in the table."""
        return self.n_rows - self.n_outside - self.n_dropped


def rows_to_fields(counts: CountedRows) -> dict[str, Any]:
    """Convert counts to fields for JSON.

    Raises
    ------
    ValueError
        If JSON cannot represent the labels.
    """
    labels, label_dtype = labels_to_list(counts.labels)
    table = counts.table.tolist()
    numbers = {name: getattr(counts, name) for name in NUMBERS}
    fields = {"labels": labels, "label_dtype": label_dtype, "table": table, **numbers}
    fields |= {"missing": list(counts.missing), "is_weighted": counts.is_weighted}
    return {"version": VERSION, **fields}


def rows_from_fields(fields: Any) -> CountedRows:
    """Restore counts from the fields written by `rows_to_fields`, ignoring `EXTRAS`.

    Raises
    ------
    KeyError, OverflowError, TypeError, ValueError
        If the fields do not describe counts, or contradict each other.
    """
    if isinstance(fields, dict):
        fields = {name: field for name, field in fields.items() if name not in EXTRAS}
    check_fields(fields, FIELDS, VERSION)
    is_weighted, rows = fields["is_weighted"], fields["table"]
    if type(is_weighted) is not bool:
        raise ValueError(f"is_weighted must be true or false, got {short_repr(is_weighted)}")
    labels = labels_from_list(fields["labels"], fields["label_dtype"])
    is_float = isinstance(rows, list) and bool(rows) and isinstance(rows[0], list)
    is_float = is_float and any(type(sum_of_weights) is float for sum_of_weights in rows[0])
    kind = (np.float64, float) if is_float else (np.int64, int)
    table = square(rows, len(labels), *kind)
    if not np.isfinite(table).all() or table.min(initial=0) < 0:
        raise ValueError(
            "table must contain only finite, non-negative numbers (counts or sums of weights)"
        )
    missing = fields["missing"]
    if not isinstance(missing, list) or len(missing) != 2:
        raise ValueError(f"missing must be a list of two counts, got {short_repr(missing)}")
    first, second = map(count_from, missing)
    n_outside, n_rows, n_dropped = (
        count_from(fields[name]) for name in NUMBERS if name != "missing"
    )
    counts = CountedRows(table, labels, n_outside, n_rows, (first, second), n_dropped, is_weighted)
    check_missing(n_dropped, counts.missing)
    is_sum = is_weighted or table.sum(dtype=object) == counts.n_items
    if not is_sum or np.count_nonzero(table) > counts.n_items:
        raise ValueError(
            f"table must contain n_rows - n_outside - n_dropped = {counts.n_items} items, got"
            f" {short_repr(rows)}"
        )
    return counts


def reason_of(error: Exception) -> str:
    """Return the reason for an error about invalid fields, without a final period."""
    return (
        f"the field {error} is missing" if isinstance(error, KeyError) else str(error).rstrip(".")
    )


def check_missing(n_dropped: int, missing: Sequence[int]) -> None:
    """Raise if the number of items left out contradicts the numbers of missing ratings."""
    if not max(missing) <= n_dropped <= sum(missing):
        raise ValueError(
            f"n_dropped must be between {max(missing)} and {sum(missing)} if missing is"
            f" {list(missing)}, got {n_dropped}"
        )


def loaded(text: str) -> Any:
    """Parse JSON, or raise if a field of an object occurs twice."""
    return json.loads(text, object_pairs_hook=distinct_fields)


def distinct_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a JSON object, or raise if a field occurs twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError(
            f"each field must occur once, got {short_repr([name for name, _ in pairs])}"
        )
    return fields


def check_fields(fields: Any, names: Sequence[str], version: int) -> None:
    """Raise unless the fields have the right names and version."""
    check_names(fields, names)
    if whole(fields["version"]) != version:
        raise ValueError(f"version must be {version}, got {fields['version']}")


def check_names(fields: Any, names: Sequence[str]) -> None:
    """Raise unless a JSON object has exactly these fields."""
    if not isinstance(fields, dict) or set(fields) != set(names):
        raise ValueError(f"the fields must be {', '.join(names)}, got {short_repr(fields)}")


def count_from(field: Any) -> int:
    """Return the count in a field, or raise ValueError if the field is not a count."""
    count = whole(field)
    if not 0 <= count <= INT64_MAX:
        raise ValueError(f"a count must be non-negative and fit in int64, got {count}")
    return count


def whole(number: Any) -> int:
    """Return the value, or raise ValueError if it is not an integer."""
    if type(number) is not int:
        raise ValueError(f"a number must be an integer, got {short_repr(number)}")
    return number


def labels_to_list(labels: AnyArray) -> tuple[list[Any], str]:
    """Return labels as a list for JSON, with the name of their dtype, or raise ValueError."""
    is_date = labels.dtype.kind in "mM"
    listed = (labels.view(np.int64) if is_date else labels).tolist()
    try:
        labels_from_list(listed, labels.dtype.str)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"JSON cannot represent labels of dtype {labels.dtype}: {error}"
        ) from error
    return listed, labels.dtype.str


def labels_from_list(listed: Any, label_dtype: Any) -> AnyArray:
    """Convert the output of `labels_to_list` back to labels, or raise if it is invalid."""
    if not isinstance(label_dtype, str) or not DTYPE.fullmatch(label_dtype):
        raise ValueError(
            f"label_dtype must be a dtype that labels can have, got {short_repr(label_dtype)}"
        )
    kind = label_dtype.lstrip("<>|=")[0]
    dtype = np.dtype("U" if kind == "U" else label_dtype)
    known = {"U": (str,), "T": (str,), "b": (bool,), "f": (float,), "O": (int, str)}.get(
        kind, (int,)
    )
    if not isinstance(listed, list) or not set(map(type, listed)) <= set(known):
        raise ValueError(
            f"labels must be a list of values of type label_dtype, got {short_repr(listed)}"
        )
    labels = np.array(listed, np.int64 if kind in "mM" else dtype)
    # If the conversion changes a label, ``label_dtype`` cannot represent it.
    if len(set(listed)) < len(listed) or labels.tolist() != listed:
        raise ValueError(f"labels must be distinct and of one type, got {short_repr(listed)}")
    labels = labels.view(dtype) if kind in "mM" else labels
    if (kind in "mM" and np.isnat(labels).any()) or (kind == "f" and np.isinf(labels).any()):
        raise ValueError(f"labels must not be missing or infinite, got {short_repr(listed)}")
    return labels


def square(rows: Any, n_labels: int, dtype: Any, of: type = int) -> AnyArray:
    """Convert rows to a square array, or raise if a length or the type of an entry is wrong."""
    if not isinstance(rows, list) or len(rows) != n_labels:
        raise ValueError(f"a table must have a row per label ({n_labels}), got {short_repr(rows)}")
    square = np.empty((n_labels, n_labels), dtype)
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != n_labels or set(map(type, row)) != {of}:
            raise ValueError(
                f"a row must have {n_labels} entries of type {of.__name__}, got {short_repr(row)}"
            )
        square[i] = row
    return square
