"""A stack of the tables of several columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.tables.table import positions_in, scatter, union_of_labels


class Tables(NamedTuple):
    """Square tables of several columns on common labels.

    Attributes
    ----------
    tables : ndarray of shape (m, l, l)
    labels : ndarray of shape (l,)
    present : ndarray of bool, shape (m, l)
        Which labels belong to a table: those that occur in one of its two columns, or all
        if labels are given.
    n_outside : ndarray of shape (m,)
        The number of items with a rating outside the labels.
    n_other : ndarray of shape (m,)
        The number of those whose first rating is among the labels: what the second column alone
        leaves out of its table.
    """

    tables: AnyArray
    labels: AnyArray
    present: NDArray[np.bool_]
    n_outside: NDArray[np.int64]
    n_other: NDArray[np.int64]


def join(parts: Sequence[Tables]) -> Tables:
    """Return all tables as one stack, on the union of their labels."""
    if len(parts) == 1:
        return parts[0]
    labels = union_of_labels([part.labels for part in parts])
    n_tables = sum(len(part.tables) for part in parts)
    shape = (len(labels), len(labels))
    tables = []
    present = np.zeros((n_tables, len(labels)), np.bool_)
    begin = 0
    for part in parts:
        rows = slice(begin, begin + len(part.tables))
        place = positions_in(labels, part.labels)
        tables.append(scatter(part.tables, place, place, shape))
        present[rows, place] = part.present
        begin = rows.stop
    outside = np.concatenate([part.n_outside for part in parts])
    other = np.concatenate([part.n_other for part in parts])
    return Tables(np.concatenate(tables), labels, present, outside, other)


def concatenate(parts: Sequence[Tables]) -> Tables:
    """Return all tables as one stack; their labels are the same."""
    if len(parts) == 1:
        return parts[0]
    tables, _, present, outside, other = zip(*parts)
    return Tables(
        np.concatenate(tables),
        parts[0].labels,
        np.concatenate(present),
        np.concatenate(outside),
        np.concatenate(other),
    )


def in_order(parts: Sequence[tuple[Sequence[int], Tables]]) -> Tables:
    """Return all tables as one stack, those of each part at the positions given with it."""
    joined = join([tables for _, tables in parts])
    positions = [position for where, _ in parts for position in where]
    if positions == list(range(len(positions))):
        return joined
    order = np.argsort(positions)
    return joined._replace(
        tables=joined.tables[order],
        present=joined.present[order],
        n_outside=joined.n_outside[order],
        n_other=joined.n_other[order],
    )
