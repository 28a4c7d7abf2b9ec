"""Read tables of counts, and the labels of their columns."""

from __future__ import annotations

from reprlib import repr as short_repr
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.multirater.items.doubtful_raters import warn_of_added_votes
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import warn_of_lookalikes, warn_of_stand_ins
from fastkappa.ratings.interop import to_numpy
from fastkappa.ratings.missing import labels_of_table


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
    """Return the result of `labels_of_table`, and warn about labels that are probably mistakes.

    ``times`` contains the number of ratings with each column's label.
    """
    array, order = labels_of_table(table, labels, len(times), argument)
    of_labels = times if order is None else times[order]
    column = Column(np.arange(len(times)), np.dtype(object), array.tolist(), counts=of_labels)
    warn_of_lookalikes({argument: column})
    if labels is None:
        warn_of_stand_ins({argument: column}, remedy="Pass labels= if they are labels.")
    return array, order
