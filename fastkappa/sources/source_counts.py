"""What `confusion_from_table` returns, read from the table of a source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text
from fastkappa.ratings.label_order import sorted_strings
from fastkappa.ratings.labels import distinct
from fastkappa.ratings.missing import given_labels
from fastkappa.ratings.odd_strings import warn_of_counted_lookalikes, warn_of_unused_labels
from fastkappa.results.report import Report, counts_grid
from fastkappa.sources.source_ratings import NUMBERS, Key, Kind, RatingsError, key_of
from fastkappa.sources.source_table import OUTSIDE, AxisLabels, Contents
from fastkappa.tables.count import CountsResult


class _Counts(NamedTuple):
    table: AnyArray
    labels: AnyArray
    n_outside: int
    n_rows: int
    missing: tuple[int, int]
    n_dropped: int


class SourceCounts(CountsResult, _Counts):
    """A confusion table of two columns, and what is not in it.

    Attributes
    ----------
    table : ndarray of shape (l, l)
        Row i, column j counts the items rated ``labels[i]`` by the first rater and
        ``labels[j]`` by the second: int64 counts, or the sums of their weights, float64
        where the weights are.
    labels : ndarray of shape (l,)
        The labels in the order given or, without one, in that which a column declares; else
        sorted, strings that are all numbers by their value.
    n_outside : int
        How many items have both ratings, at least one of them outside the labels.
    n_rows : int
        How many items there are.
    missing : tuple of int
        How many ratings of the first and of the second rater are missing.
    n_dropped : int
        How many items are left out because a rating is missing.
    """

    __slots__ = ()

    def _report(self) -> Report:
        first, second = self.missing
        below = []
        if self.n_dropped:
            below.append(
                f"{self.n_dropped} left out for a missing rating ({first} of the first rater,"
                f" {second} of the second)"
            )
        if self.n_outside:
            below.append(f"{self.n_outside} left out for a rating outside the labels")
        return Report(
            [f"{count_text(self.n_rows, 'row')}, {count_text(len(self.labels), 'label')}"],
            counts_grid(self.labels, self.table),
            below,
        )


def finish(contents: Contents, labels: Any = None) -> SourceCounts:
    """Return the counts of all items, whatever their group."""
    (counts,) = _finish_layers(contents, labels)
    return counts


def finish_groups(contents: Contents, labels: Any = None) -> dict[Any, SourceCounts]:
    """Return the counts of each group, sorted; those of a missing group are last."""
    axis = contents.axes[0]
    groups: list[Any] = in_order(axis.labels(), axis.kind)
    if None in axis.position:
        groups.append(None)
    parts = _finish_layers(contents, labels, [axis.position[group] for group in groups])
    return {label_of(group, axis.kind): part for group, part in zip(groups, parts)}


def n_first_among(contents: Contents, labels: Sequence[Any]) -> int:
    """Return how many items with both ratings have a first one among the labels."""
    _, first, second = contents.axes
    places = [first.position.get(key_of(label, first.column)[0]) for label in labels]
    rows = [place for place in places if place is not None]
    return int(contents.counts[:, rows][:, :, _there(second)].sum())


def _finish_layers(
    contents: Contents, labels: Any, layers: Sequence[int] | None = None
) -> list[SourceCounts]:
    """Return the counts of each of some layers, or of all layers together."""
    columns, axes, counts, sums, kind, order = contents
    _, first, second = axes
    given: AnyArray | None = None
    keys: list[Any] = []
    if labels is not None:
        given, keys = _given(labels, kind)
    elif order is not None:
        keys = list(order)
    else:
        keys = in_order(_occurring(counts.sum(axis=0), first, second), kind)
    places = _places(first, keys), _places(second, keys)
    parts: list[tuple[Any, ...]] = []
    for layer in [slice(None)] if layers is None else [slice(i, i + 1) for i in layers]:
        all_counts = counts[layer].sum(axis=0)
        inside = _square(all_counts, places, len(keys))
        square = inside
        if sums is not None:
            square = _square(sums[layer].sum(axis=0), places, len(keys))
        elif columns.weight is not None:
            square = np.zeros(inside.shape)
        n_rows = int(all_counts.sum())
        missing, n_dropped = _missing(all_counts, first, second)
        n_outside = n_rows - n_dropped - int(inside.sum())
        parts.append((square, n_outside, n_rows, missing, n_dropped))
    if given is not None or kind == "strings":
        total = _square(counts.sum(axis=0), places, len(keys))
    if given is not None:
        warn_of_unused_labels(given, total, sum(n_outside for _, n_outside, *_ in parts))
    elif kind == "strings":
        ratings = total.sum(axis=0) + total.sum(axis=1)
        names = list(dict.fromkeys(repr(axis.column) for axis in (first, second)))
        warn_of_counted_lookalikes(names, dict(zip(keys, ratings.tolist())))
    array = labels_of(keys, kind) if given is None else given
    return [SourceCounts(square, array, *rest) for square, *rest in parts]


def _occurring(counts: AnyArray, first: AxisLabels, second: AxisLabels) -> set[Any]:
    """Return the labels of items with both ratings."""
    complete = counts[np.ix_(_there(first), _there(second))]
    found: set[Any] = set()
    for i, axis in enumerate((first, second)):
        keys = [key for key in axis.position if key is not None]
        found.update(key for key, n in zip(keys, complete.sum(axis=1 - i)) if n)
    return found - {OUTSIDE}


def in_order(keys: Iterable[Any], kind: Kind | None) -> list[Any]:
    """Return keys sorted: strings that are all numbers by their value."""
    return sorted_strings(keys) if kind == "strings" else sorted(keys)


def labels_of(keys: Sequence[Any], kind: Kind | None) -> AnyArray:
    """Return keys without a missing one as the labels of a table."""
    if kind == "strings":
        return np.array(keys, dtype=None if keys else "<U1")
    if kind == "booleans":
        return np.array(keys, dtype=bool)
    if kind in ("dates", "times"):
        times = np.array(keys, dtype="datetime64[us]")
        return times.astype("datetime64[D]") if kind == "dates" else times
    if all(-(1 << 63) <= key < 1 << 63 for key in keys):
        return np.array(keys, dtype=np.int64)
    return np.array(keys, dtype=np.uint64 if min(keys) >= 0 else object)


def label_of(key: Key, kind: Kind | None) -> Any:
    """Return a key as a Python object, None if it is missing."""
    return None if key is None else labels_of([key], kind)[0].item()


def check_labels(labels: Any) -> AnyArray:
    """Return the labels a user gave as an array, or raise."""
    array = given_labels(labels)
    for label in labels:
        try:
            key_of(label, "labels")
        except RatingsError as error:
            raise ValueError(
                f"labels must be whole numbers, strings, booleans or dates, got {label!r}."
            ) from error
    return array


def _given(labels: Any, kind: Kind | None) -> tuple[AnyArray, list[Any]]:
    """Return the labels a user gave, and their keys."""
    array = check_labels(labels)
    keys: list[Any] = []
    for label in labels:
        key, kind_of_label = key_of(label, "labels")
        # No item has a label of another kind: its key is one that no rating has.
        keys.append(key if _comparable(kind, kind_of_label) else (label,))
    distinct(keys)
    return array, keys


def _comparable(kind: Kind | None, kind_of_label: Kind | None) -> bool:
    alike: tuple[set[Any], ...] = (NUMBERS, {"dates", "times"}, {"strings"})
    return kind is None or any(kind in kinds and kind_of_label in kinds for kinds in alike)


def _places(axis: AxisLabels, keys: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Return the places of the keys that were found, and their positions among the keys."""
    found = [(axis.position[key], i) for i, key in enumerate(keys) if key in axis.position]
    return [place for place, _ in found], [i for _, i in found]


def _there(axis: AxisLabels) -> list[int]:
    """Return the places of ratings that are not missing."""
    return [place for key, place in axis.position.items() if key is not None]


def _missing(
    counts: AnyArray, first: AxisLabels, second: AxisLabels
) -> tuple[tuple[int, int], int]:
    """Return how many ratings of each rater are missing, and how many items lack one."""
    row, column = first.position.get(None), second.position.get(None)
    n_first = 0 if row is None else int(counts[row].sum())
    n_second = 0 if column is None else int(counts[:, column].sum())
    n_both = 0 if row is None or column is None else int(counts[row, column])
    return (n_first, n_second), n_first + n_second - n_both


def _square(
    counts: AnyArray, places: tuple[tuple[list[int], list[int]], ...], n_labels: int
) -> AnyArray:
    """Return a table of the labels asked for."""
    (rows, to_rows), (columns, to_columns) = places
    square = np.zeros((n_labels, n_labels), counts.dtype)
    square[np.ix_(to_rows, to_columns)] = counts[np.ix_(rows, columns)]
    return square
