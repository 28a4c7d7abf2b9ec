"""What `confusion_from_table` returns, read from a tally."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.interop import to_numpy
from fastkappa.columns.labels import distinct
from fastkappa.engines.ratings import Kind, RatingsError, common_kind, key_of, label_of, labels_of
from fastkappa.engines.running_table import OUTSIDE, Axis, RunningTable


class SourceCounts(NamedTuple):
    """A confusion table of two columns, and what is not in it.

    Attributes
    ----------
    table : ndarray of shape (l, l)
        Row i, column j counts the items rated ``labels[i]`` by the first rater and
        ``labels[j]`` by the second: int64 counts, or the sums of their weights, float64
        where the weights are.
    labels : ndarray of shape (l,)
        The labels, sorted or in the order given.
    n_outside : int
        How many items have both ratings, one of which is none of the labels.
    n_rows : int
        How many items there are.
    missing : tuple of int
        How many ratings of the first and of the second rater are missing.
    n_dropped : int
        How many items are left out because one of their ratings is missing.
    """

    table: AnyArray
    labels: AnyArray
    n_outside: int
    n_rows: int
    missing: tuple[int, int]
    n_dropped: int


def kind_of(tally: RunningTable) -> Kind | None:
    """Return what the ratings of both columns are.

    Raises
    ------
    RatingsError
        If they cannot be compared.
    """
    tally.settle()
    _, first, second = tally.axes
    kinds, names = (first.kind, second.kind), (first.column, second.column)
    return common_kind(kinds, names, (first.example(), second.example()))


def finish(tally: RunningTable, labels: Any = None) -> SourceCounts:
    """Return the table of all items, whatever their group."""
    (counts,) = _finish_layers(tally, [slice(None)], labels)
    return counts


def finish_groups(tally: RunningTable, labels: Any = None) -> dict[Any, SourceCounts]:
    """Return the table of each group, sorted; that of a missing group last."""
    tally.settle()
    axis = tally.axes[0]
    groups: list[Any] = sorted(axis.labels())
    if None in axis.position:
        groups.append(None)
    layers = [slice(axis.position[group], axis.position[group] + 1) for group in groups]
    counts = _finish_layers(tally, layers, labels)
    return {label_of(group, axis.kind): part for group, part in zip(groups, counts)}


def n_first_among(tally: RunningTable, labels: Sequence[Any]) -> int:
    """Return how many items with both ratings have a first one among the labels."""
    tally.settle()
    axis, complete = tally.axes[1], _there(tally.axes[2])
    places = [axis.position.get(key_of(label, axis.column)[0]) for label in labels]
    rows = [place for place in places if place is not None]
    return int(tally.counts[:, rows][:, :, complete].sum())


def _finish_layers(tally: RunningTable, layers: Sequence[slice], labels: Any) -> list[SourceCounts]:
    kind = kind_of(tally)
    if labels is None:
        keys: list[Any] = _occurring(tally)
        array = labels_of(keys, kind)
    else:
        array, keys = _given(labels, kind)
    _, first, second = tally.axes
    rows, columns = _places(first, keys), _places(second, keys)
    parts = []
    for layer in layers:
        counted = _table(tally.counts[layer], rows, columns, len(keys))
        table = counted
        if tally.sums is not None:
            table = _table(tally.sums[layer], rows, columns, len(keys))
        elif tally.columns.weight is not None:
            table = np.zeros(counted.shape)
        all_counts = tally.counts[layer].sum(axis=0)
        n_rows = int(all_counts.sum())
        gone = [_missing(all_counts, axis, i) for i, axis in enumerate((first, second))]
        both = int(gone[0][_places(second, [None])[0]].sum())
        missing = int(gone[0].sum()), int(gone[1].sum())
        n_dropped = sum(missing) - both
        n_outside = n_rows - n_dropped - int(counted.sum())
        parts.append(SourceCounts(table, array, n_outside, n_rows, missing, n_dropped))
    return parts


def _occurring(tally: RunningTable) -> list[Any]:
    """Return the labels of items with both ratings, sorted."""
    counts = tally.counts.sum(axis=0)
    _, first, second = tally.axes
    complete = counts[np.ix_(_there(first), _there(second))]
    found: set[Any] = set()
    for i, axis in enumerate((first, second)):
        keys = [key for key in axis.position if key is not None]
        found.update(key for key, n in zip(keys, complete.sum(axis=1 - i)) if n)
    return sorted(found - {OUTSIDE})


def check_labels(labels: Any) -> AnyArray:
    """Return the labels a user gave as an array, or say why they are none."""
    array = to_numpy(labels)
    if array.ndim != 1:
        raise ValueError(f"labels must be one-dimensional, got {labels!r}.")
    if array.size == 0:
        raise ValueError("'labels' should contain at least one label.")
    for label in labels:
        try:
            key, _ = key_of(label, "labels")
        except RatingsError as error:
            raise ValueError(
                f"labels must be whole numbers, strings, booleans or dates, got {label!r}."
            ) from error
        if key is None:
            raise ValueError(f"labels must not be missing, got {labels!r}.")
    return array


def _given(labels: Any, kind: Kind | None) -> tuple[AnyArray, list[Any]]:
    """Return the labels a user gave, and their keys."""
    array = check_labels(labels)
    keys: list[Any] = []
    for label in labels:
        key, held = key_of(label, "labels")
        # A label of another kind is given to no item: it has a key that nothing has.
        keys.append(key if _comparable(kind, held) else (label,))
    distinct(keys)
    return array, keys


def _comparable(kind: Kind | None, held: Kind | None) -> bool:
    alike: tuple[set[Any], ...] = ({"integers", "booleans"}, {"dates", "times"}, {"strings"})
    return kind is None or any(kind in kinds and held in kinds for kinds in alike)


def _places(axis: Axis, keys: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Return the places of those keys that have turned up, and their positions in the list."""
    found = [(axis.position[key], i) for i, key in enumerate(keys) if key in axis.position]
    return [place for place, _ in found], [i for _, i in found]


def _there(axis: Axis) -> list[int]:
    """Return the places of ratings that are not missing."""
    return [place for key, place in axis.position.items() if key is not None]


def _missing(counts: AnyArray, axis: Axis, i: int) -> AnyArray:
    """Return how many items with each rating of the other rater lack the one of this."""
    place = axis.position.get(None)
    length = counts.shape[1 - i]
    return np.zeros(length, np.int64) if place is None else counts.take(place, axis=i)


def _table(
    tables: AnyArray,
    rows: tuple[list[int], list[int]],
    columns: tuple[list[int], list[int]],
    n_labels: int,
) -> AnyArray:
    """Return the sum of some layers as a table of the labels."""
    table = np.zeros((n_labels, n_labels), tables.dtype)
    taken = tables[np.ix_(range(len(tables)), rows[0], columns[0])]
    table[np.ix_(rows[1], columns[1])] = taken.sum(axis=0)
    return table
