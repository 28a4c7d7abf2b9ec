"""Convert the table of a source into the result of `confusion_from_source`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.formatting import count_text
from fastkappa.ratings.column import are_comparable
from fastkappa.ratings.label_order import sorted_names, sorted_strings
from fastkappa.ratings.labels import distinct
from fastkappa.ratings.missing import given_labels, warn_of_lost_label
from fastkappa.results.report import Report, counts_grid
from fastkappa.sources.source_ratings import (
    NO_TYPE,
    OUTSIDE,
    AxisLabels,
    RatingsError,
    key_of,
    labels_of,
)
from fastkappa.sources.source_table import Contents
from fastkappa.tables.count import CountsResult
from fastkappa.tables.doubtful_orders import judge_sorted
from fastkappa.tables.doubtful_tables import judge_table
from fastkappa.tables.json_fields import (
    CountedRows,
    loaded,
    reason_of,
    rows_from_fields,
    rows_to_fields,
)
from fastkappa.tables.table import scatter


class SourceCounts(CountsResult, CountedRows):
    """The confusion matrix of two columns, and the number of items left out of it.

    Attributes
    ----------
    table : ndarray of shape (l, l)
        The cell in row i, column j is the number of items rated ``labels[i]`` by the first rater
        and ``labels[j]`` by the second, or the total weight of these items. The dtype is float64 if
        item weights are floats, and int64 otherwise.
    labels : ndarray of shape (l,)
        The labels, in the order that the caller passed or that a column declares. If there is no
        such order, the labels are sorted. Strings are sorted by value if all of them are numbers,
        and alphabetically otherwise.
    n_outside : int
        The number of items that have both ratings but are left out because a rating is not among
        the labels.
    n_rows : int
        The total number of items, including items left out.
    missing : tuple of int
        The number of missing ratings for the first and second raters.
    n_dropped : int
        The number of items left out because a rating is missing.
    is_weighted : bool
        True if the table contains sums of item weights instead of counts. The other attributes
        always count rows.
    """

    __slots__ = ()

    def to_json(self) -> str:
        """Return the counts as JSON that `from_json` can read.

        Raises
        ------
        ValueError
            If the labels cannot be written as JSON.
        """
        return json.dumps(rows_to_fields(self))

    @classmethod
    def from_json(cls, text: str) -> SourceCounts:
        """Read counts from JSON written by `to_json` or ``fastkappa score --save``.

        JSON written by `ConfusionAccumulator.to_json`, or by the ``to_json`` method of another
        result that contains counts, is also accepted.

        Raises
        ------
        ValueError
            If the text is not JSON of this kind, or if it contains impossible values, such as
            negative weights.

        Examples
        --------
        >>> from fastkappa import confusion_from_source
        >>> from fastkappa.results import SourceCounts
        >>> first = confusion_from_source({"a": [1, 2, 2], "b": [1, 2, 1]}, "a", "b")
        >>> second = confusion_from_source({"a": [3, 1], "b": [3, None]}, "a", "b")
        >>> total = SourceCounts.from_json(first.to_json()) + second
        >>> total.table
        array([[1, 0, 0],
               [1, 1, 0],
               [0, 0, 1]])
        >>> total.n_rows, total.missing
        (5, (0, 1))
        """
        try:
            counts = cls(*rows_from_fields(loaded(text)))
        except (KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
            raise ValueError(
                f"text must be JSON from SourceCounts.to_json, but {reason_of(error)}."
            ) from error
        return counts

    def _report(self) -> Report:
        first, second = self.missing
        below = []
        if self.n_dropped:
            below.append(
                f"{self.n_dropped} left out because of a missing rating ({first} of the first"
                f" rater, {second} of the second)"
            )
        if self.n_outside:
            below.append(f"{self.n_outside} left out because of a rating outside the labels")
        return Report(
            [f"{count_text(self.n_rows, 'row')}, {count_text(len(self.labels), 'label')}"],
            counts_grid(self.labels, self.table, axes=("First rater", "second rater")),
            below,
        )


def finish(contents: Contents, labels: Any = None) -> SourceCounts:
    """Return the counts of all groups combined."""
    together = contents._replace(
        counts=contents.counts.sum(axis=0)[None],
        sums=None if contents.sums is None else contents.sums.sum(axis=0)[None],
    )
    (counts,) = _finish_layers(together, labels)
    return counts


def finish_groups(contents: Contents, labels: Any = None) -> dict[Any, SourceCounts]:
    """Return the counts of each group, sorted by group. Items without a group come last."""
    axis = contents.axes[0]
    names = dict(zip(axis.labels(), labels_of(axis.labels(), axis.dtype).tolist()))
    keys = sorted_names(names) if axis.dtype.kind == "O" else sorted(names)
    groups = [*keys, *([None] if None in axis.position else [])]
    parts = _finish_layers(contents, labels)
    return {names.get(group): parts[axis.position[group]] for group in groups}


def _finish_layers(contents: Contents, labels: Any) -> list[SourceCounts]:
    """Return the counts of each group, in the order of the layers of the table."""
    axes, counts, sums, dtype, order = contents
    first, second = axes[1:]
    given: AnyArray | None = None
    keys: list[Any]
    if labels is not None:
        given, keys = _given(labels, dtype)
    else:
        keys = in_order(_occurring(counts, first, second), dtype) if order is None else order
    rows, columns = _places(first, keys), _places(second, keys)
    tables = inside = scatter(counts, rows, columns, (len(keys), len(keys)))
    if sums is not None:
        tables = scatter(sums, rows, columns, (len(keys), len(keys)))
    n_rows, n_inside = counts.sum(axis=(1, 2)), inside.sum(axis=(1, 2))
    _warn_of_lost(contents)
    complete = counts[:, _there(first)][:, :, _there(second)].sum(axis=(1, 2))
    missing = [
        n_rows - counts[:, _there(first)].sum(axis=(1, 2)),
        n_rows - counts[:, :, _there(second)].sum(axis=(1, 2)),
    ]
    array = labels_of(keys, dtype) if given is None else given
    n_outside = 0 if given is None else int((complete - n_inside).sum())
    names = first.name, second.name
    are_given = first.wanted is not None
    whole = inside.sum(axis=0)
    is_weighted = sums is not None
    judge_table(array, whole, n_outside, names, are_given=are_given, is_weighted=is_weighted)
    are_sorted = [first.is_sorted, second.is_sorted]
    if sum(are_sorted) == 1:
        judge_sorted(whole, lambda: are_sorted, names)
    figures = zip(
        (complete - n_inside).tolist(),
        n_rows.tolist(),
        zip(*(each.tolist() for each in missing)),
        (n_rows - complete).tolist(),
    )
    return [SourceCounts(table, array, *each, is_weighted) for table, each in zip(tables, figures)]


def _warn_of_lost(contents: Contents) -> None:
    """Warn if a missing rating of one rater probably means a label that only the other uses."""
    whole = contents.counts.sum(axis=0)
    for axes, counts in ((contents.axes[1:], whole), (contents.axes[:0:-1], whole.T)):
        first, second = axes
        if None not in first.position:
            continue
        rows, columns = (
            {key: place for key, place in axis.position.items() if key not in (None, OUTSIDE)}
            for axis in axes
        )
        own = {key: int(counts[place, _there(second)].sum()) for key, place in rows.items()}
        kept = {key: int(counts[_there(first), place].sum()) for key, place in columns.items()}
        lost = {key: int(counts[first.position[None], place]) for key, place in columns.items()}
        warn_of_lost_label((first.name, second.name), own, kept, lost)


def _occurring(counts: AnyArray, first: AxisLabels, second: AxisLabels) -> set[Any]:
    """Return the labels that occur among items with both ratings."""
    complete = counts[:, _there(first)][:, :, _there(second)].sum(axis=0)
    found: set[Any] = set()
    for i, axis in enumerate((first, second)):
        keys = [key for key in axis.position if key is not None]
        found.update(key for key, n in zip(keys, complete.sum(axis=1 - i)) if n)
    return found - {OUTSIDE}


def in_order(keys: Iterable[Any], dtype: np.dtype[Any]) -> list[Any]:
    """Return keys in sorted order. If all keys are numeric strings, they are sorted by value."""
    return sorted_strings(keys) if dtype.kind == "O" else sorted(keys)


def check_labels(labels: Any) -> None:
    """Raise if the given labels are invalid."""
    given_labels(labels)
    for label in labels:
        try:
            key_of(label, "labels", fractions=True)
        except RatingsError as error:
            raise ValueError(
                f"labels must be numbers, strings, booleans or dates, got {label!r}."
            ) from error


def _given(labels: Any, dtype: np.dtype[Any]) -> tuple[AnyArray, list[Any]]:
    """Return the given labels as an array, and the key of each label."""
    array = given_labels(labels)
    keys: list[Any] = []
    for label in labels:
        key, type_of_label = key_of(label, "labels", fractions=True)
        # A label of another type cannot occur in the ratings, so it gets a key that no rating has.
        is_known = dtype == NO_TYPE or are_comparable(dtype, type_of_label)
        keys.append(key if is_known else (label,))
    distinct(keys)
    return array, keys


def _places(axis: AxisLabels, keys: Sequence[Any]) -> NDArray[np.intp]:
    """Return the position of each label of an axis in ``keys``, or -1 if it is not in ``keys``."""
    position = {key: i for i, key in enumerate(keys)}
    return np.array([position.get(key, -1) for key in axis.position], np.intp)


def _there(axis: AxisLabels) -> list[int]:
    """Return the positions of all keys on an axis except the key for missing ratings."""
    return [place for key, place in axis.position.items() if key is not None]
