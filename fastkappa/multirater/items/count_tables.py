"""Read tables of counts, and the labels of their columns."""

from __future__ import annotations

from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.multirater.items.doubtful_raters import warn_of_added_votes
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import warn_of_lookalikes
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.labels import (
    distinct,
    names_in_order,
    names_of_columns,
    order_of_columns,
)
from fastkappa.ratings.missing import given_labels


def read_counts(given: Any) -> IntTable:
    """Return the number of raters per subject and label, or raise if the table is invalid."""
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise ValueError("counts must not have masked entries.")
    counts = to_numpy(given)
    if counts.ndim != 2 or counts.dtype.kind not in "iufb":
        shape = f"an array of shape {counts.shape}"
        numbers = counts.dtype.kind in "iufb" and counts.ndim
        raise ValueError(
            "counts must be a table of numbers with one row per subject and one column per label,"
            f" got {shape if numbers else short_repr(given)}."
        )
    if not counts.size:
        raise ValueError(f"counts must not be empty, got shape {counts.shape}.")
    wrong = ~((counts >= 0) & (counts == np.floor(counts)) & (counts < 1 << 31))
    if wrong.any():
        raise ValueError(f"counts must be non-negative whole numbers, got {counts[wrong][0]}.")
    if not counts.any():
        raise ValueError(f"counts must not all be 0, got zeros of shape {counts.shape}.")
    n_ratings = counts.sum(axis=1)
    warn_of_added_votes(n_ratings, counts.max(axis=1) < n_ratings)
    return counts.astype(np.int64)


def table_labels(
    table: Any, labels: Any, times: AnyArray, argument: str
) -> tuple[AnyArray, AnyArray | None]:
    """Return the labels of a table in order, and the index of each label's column.

    The indices are None if the columns are already in the order of the labels. By default, the
    labels are the column names of a data frame or the column numbers of an array. ``labels`` can
    list the column names in another order, or replace them. ``times`` contains the number of
    ratings with each column's label.
    """
    n_labels = len(times)
    columns = names_of_columns(table)
    if labels is None and columns is not None:
        labels = names_in_order(columns)
    if labels is None:
        return np.arange(n_labels), None
    array = given_labels(labels)
    if len(array) != n_labels:
        raise ValueError(
            f"labels must have {n_labels} entries, one per column of {argument}, got {len(array)}."
        )
    distinct(array.tolist())
    order = None if columns is None else order_of_columns(columns, array.tolist(), argument)
    of_labels = times if order is None else times[order]
    column = Column(np.arange(n_labels), np.dtype(object), array.tolist(), counts=of_labels)
    warn_of_lookalikes({argument: column})
    return array, order
