"""Tables of counts with labeled rows and columns, and functions that combine them.

`add`, `subtract` and `occurring` require square tables, with the same labels for rows and columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats, IntTable
from fastkappa.ratings.column import Column
from fastkappa.ratings.label_order import sorted_strings
from fastkappa.ratings.labels import (
    common_unit,
    in_unit,
    refuse_booleans_among,
    rounded_label,
    strings_array,
)

INT64_MAX = (1 << 63) - 1
# One rater's label is assumed to predict the other's if Goodman and Kruskal's lambda is above this.
LEAST_LAMBDA = 0.25

NO_LAYERS = np.empty(0, np.int64)


class ConfusionTable(NamedTuple):
    """A table of counts with the labels of its axes.

    Attributes
    ----------
    counts : ndarray of int64, shape (r, c) or (g, r, c)
        Each entry is the number of items to which the first rater gave the row's label and the
        second rater the column's label.
    rows, columns : ndarray of shapes (r,) and (c,)
        Integer labels, or the codes of categories.
    sums : ndarray of shape (r, c) or (g, r, c), default=None
        The sums of item weights, or None without weights.
    layers : ndarray of shape (g,)
        The groups, or an empty array without groups.
    n_outside : int or ndarray of int, shape (g,), default=0
        The number of items with a rating that is not one of the labels, per group if there are
        groups.
    """

    counts: IntTable
    rows: AnyArray
    columns: AnyArray
    sums: AnyArray | None = None
    layers: AnyArray = NO_LAYERS
    n_outside: Any = 0


def scatter(table: AnyArray, rows: AnyArray, columns: AnyArray, shape: tuple[int, int]) -> AnyArray:
    """Move the rows and columns of a table, or of a stack of tables, to new positions.

    Parameters
    ----------
    table : ndarray of shape (..., r, c)
    rows, columns : ndarray of int, shapes (r,) and (c,)
        The new position of each row and column. Rows and columns with a negative position are
        dropped, and rows and columns with the same position are summed.
    shape : tuple of int
        The number of rows and columns of the result.
    """
    wider = np.zeros((*table.shape[:-2], *shape), table.dtype)
    if _go_up_by_one(rows) and _go_up_by_one(columns):
        wider[..., rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] = table
        return wider
    kept_rows, kept_columns = rows >= 0, columns >= 0
    if not kept_rows.all() or not kept_columns.all():
        table = table[..., kept_rows, :][..., kept_columns]
        rows, columns = rows[kept_rows], columns[kept_columns]
    cells: Any = (..., rows[:, None], columns)
    np.add.at(wider, cells, table)
    return wider


def _go_up_by_one(places: AnyArray) -> bool:
    """Return whether positions are consecutive, so that the table can be copied to a slice."""
    return len(places) > 0 and places[0] >= 0 and bool((places[1:] - places[:-1] == 1).all())


def square(table: ConfusionTable, first: Column, second: Column) -> tuple[AnyArray, AnyArray]:
    """Return a square table of all labels that occur in either column, and the sorted labels."""
    rows, columns = table.rows, table.columns
    are_integers = first.categories is None and second.categories is None
    if are_integers and rows.dtype == columns.dtype and rows.tobytes() == columns.tobytes():
        return table.counts, _in_type_of(rows, first, second)
    labels, rows, columns = common_labels(rows, columns, first, second)
    try:
        return scatter(table.counts, rows, columns, (len(labels), len(labels))), labels
    except MemoryError as error:
        raise MemoryError(
            f"{error}, because there are {len(labels)} different labels. If they are item ids,"
            " pass the ratings instead."
        ) from error


def common_labels(
    rows: AnyArray, columns: AnyArray, first: Column, second: Column
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the sorted labels of both columns, and the positions of each column's labels.

    ``rows`` and ``columns`` are the integer labels or category codes that occur.
    """
    if first.categories is not None and second.categories is not None:
        row_labels = [first.categories[code] for code in rows.tolist()]
        column_labels = [second.categories[code] for code in columns.tolist()]
        # The labels are strings, or the numbers of a scale with fractions.
        distinct = {*row_labels, *column_labels}
        are_strings = all(isinstance(label, str) for label in distinct)
        named = sorted_strings(distinct) if are_strings else sorted(distinct)
        position = {label: i for i, label in enumerate(named)}
        return (
            strings_array(named) if are_strings else np.array(named),
            np.array([position[label] for label in row_labels], np.intp),
            np.array([position[label] for label in column_labels], np.intp),
        )
    labels = union_of_labels([rows, columns])
    places = positions_in(labels, rows), positions_in(labels, columns)
    return _in_type_of(labels, first, second), *places


def occurring(table: ConfusionTable) -> ConfusionTable:
    """Drop the rows and columns of labels that do not occur."""
    others = tuple(range(table.counts.ndim - 2))
    used = np.logical_or(table.counts.any((*others, -2)), table.counts.any((*others, -1)))
    if used.all():
        return table
    # Sort the labels again, because strings are sorted by value if all of the remaining ones are
    # numbers.
    labels = union_of_labels([table.rows[used]])
    places = np.full(len(used), -1)
    places[used] = positions_in(labels, table.rows[used])
    return _placed(table, labels, places)


def _placed(table: ConfusionTable, labels: AnyArray, places: AnyArray) -> ConfusionTable:
    """Return a table with new labels. ``places`` lists the new position of each old label."""
    shape = (len(labels), len(labels))
    sums = None if table.sums is None else scatter(table.sums, places, places, shape)
    counts = scatter(table.counts, places, places, shape)
    return table._replace(counts=counts, rows=labels, columns=labels, sums=sums)


def _on_common_labels(*tables: ConfusionTable) -> Sequence[ConfusionTable]:
    first, second = (table.rows for table in tables)
    if first is second or (first.dtype == second.dtype and np.array_equal(first, second)):
        return tables
    labels = union_of_tables(first, second)
    return [_placed(table, labels, positions_in(labels, table.rows)) for table in tables]


def add(first: ConfusionTable, second: ConfusionTable) -> ConfusionTable:
    """Return the sum of two tables, with the labels of both."""
    if not len(second.rows):
        return first
    if not len(first.rows):
        return second
    a, b = _on_common_labels(first, second)
    sums = b.sums if a.sums is None else a.sums if b.sums is None else a.sums + b.sums
    return a._replace(counts=a.counts + b.counts, sums=sums, n_outside=a.n_outside + b.n_outside)


def subtract(whole: ConfusionTable, part: ConfusionTable) -> ConfusionTable | None:
    """Return ``whole`` minus ``part``, or None if a count would become negative."""
    if not len(part.rows):
        return whole
    a, b = _on_common_labels(whole, part)
    counts, n_outside = a.counts - b.counts, a.n_outside - b.n_outside
    if counts.min(initial=0) < 0 or n_outside < 0:
        return None
    sums = a.sums if b.sums is None else (0 if a.sums is None else a.sums) - b.sums
    return a._replace(counts=counts, sums=sums, n_outside=n_outside)


def _in_type_of(integers: AnyArray, first: Column, second: Column) -> AnyArray:
    """Convert integer labels to the dtype that the ratings had."""
    kinds = {first.label_dtype.kind, second.label_dtype.kind}
    if kinds & set("mM"):
        return integers.view(first.label_dtype)
    if kinds == {"b"}:
        return integers.astype(bool)
    return integers.astype(np.float64) if "f" in kinds else integers


def union_of_labels(arrays: Sequence[AnyArray]) -> AnyArray:
    """Return the sorted union of labels, in a dtype that can represent all of them."""
    arrays = [array for array in arrays if len(array)] or list(arrays[:1])
    kinds = {array.dtype.kind for array in arrays}
    are_strings = kinds <= set("UTO") and not _are_whole(arrays)
    are_dates = kinds <= set("mM")
    if not (are_strings or are_dates or kinds <= set("iubfO")):
        raise ValueError(
            "Mix of label input types (string and number); Got"
            f" {' and '.join(str(array) for array in arrays)}."
        )
    if are_strings:
        return np.array(sorted_strings({label for array in arrays for label in array.tolist()}))
    if are_dates:
        unit = common_unit(arrays)
        arrays = [in_unit(array, unit, "ratings") for array in arrays]
    if are_dates or len(kinds) == 1 or not kinds & set("uf"):
        # Without return_counts, np.unique imports numpy.ma, which takes longer than some commands
        # take to run.
        return np.unique(np.concatenate(arrays), return_counts=True)[0]
    # NumPy would convert a mix of int64 and uint64 or floats to float64, which cannot represent
    # every integer.
    labels = sorted({label for array in arrays for label in array.tolist()})
    if "f" in kinds:
        for label in labels:
            if float(label) != label:
                raise rounded_label(label, "ratings")
        return np.array(labels, np.float64)
    if labels[-1] <= INT64_MAX:
        return np.array(labels, np.int64)
    return np.array(labels, np.uint64 if labels[0] >= 0 else object)


def union_of_tables(first: AnyArray, second: AnyArray) -> AnyArray:
    """Return the sorted labels of two tables, or raise if booleans would count as numbers."""
    both = [*first.tolist(), *second.tolist()]
    refuse_booleans_among((first.dtype.kind, second.dtype.kind), both, "the sum")
    try:
        return union_of_labels([first, second])
    except ValueError as error:
        raise ValueError(f"{error} Write the labels the same way in all parts.") from error


def positions_in(labels: AnyArray, own: AnyArray) -> AnyArray:
    """Return the position of each label of ``own`` in the sorted array ``labels``."""
    if labels.dtype.kind in "UTO" and not _are_whole([labels]):
        position = {label: i for i, label in enumerate(labels.tolist())}
        return np.array([position[label] for label in own.tolist()], np.intp)
    return np.searchsorted(labels, own.astype(labels.dtype))


def _are_whole(arrays: Sequence[AnyArray]) -> bool:
    """Return whether any array is an object array of integers that do not fit in 64 bits."""
    return any(
        array.dtype.kind == "O" and len(array) > 0 and isinstance(array[0], int) for array in arrays
    )


def is_predicted(table: AnyArray) -> bool:
    """Return whether one rater's label predicts the other's, by Goodman and Kruskal's lambda.

    Unrelated labels do not predict each other. Most tables therefore need no closer look.
    """
    most = table.sum(axis=0).max()
    return bool(table.max(axis=1).sum() - most > LEAST_LAMBDA * (table.sum() - most))


def kappa_of(rows: Floats, columns: Floats, table: AnyArray, power: int) -> float:
    """Return the kappa of a table with the given numbers as labels of rows and columns."""
    apart = np.abs(rows[:, None] - columns)
    weights = apart**power if power else (apart > 0).astype(float)
    by_chance = table.sum(axis=1) @ weights @ table.sum(axis=0)
    observed = (weights * table).sum() * float(table.sum())
    return 1 - float(observed / by_chance) if by_chance else 0.0


def matched_columns(table: AnyArray) -> NDArray[np.intp]:
    """Match each row with a column, starting with the largest cells."""
    rest = table.astype(float)
    columns = np.zeros(len(rest), np.intp)
    for _ in columns:
        row, column = np.unravel_index(rest.argmax(), rest.shape)
        columns[row] = column
        rest[row] = rest[:, column] = -1
    return columns
