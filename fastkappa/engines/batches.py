"""Batches of ratings are counted by the kernels, straight from where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import Column
from fastkappa.counting.codecs import NO_LABELS, Codec, LabelMap, LabelRange, label_type
from fastkappa.counting.item_sums import as_int64, whole_sums
from fastkappa.counting.pairs import count_known, count_unknown
from fastkappa.engines.ratings import LARGEST_NUMBER_OF_LABELS, Key, Ratings, RatingsError
from fastkappa.engines.running_table import OUTSIDE, Axis, RunningTable
from fastkappa.kernels.dispatch import get_kernels

# Labels within so many have a range of their own in the table of a batch.
LARGEST_RANGE = 1 << 9
# More items than so many may be worth more threads than one.
FEW = 1 << 20
SAMPLE = 1 << 16

# Ratings, what their codes are, and the labels of the codes.
Codes = tuple[AnyArray, Codec, Sequence[Any]]


def add_ratings(
    tally: RunningTable,
    first: Ratings,
    second: Ratings,
    *,
    weights: AnyArray | None = None,
    groups: Ratings | None = None,
    num_threads: int = 1,
) -> None:
    """Count the pairs of ratings of some items."""
    tally.note((None if groups is None else groups.kind, first.kind, second.kind))
    n_items = len(first.values)
    if n_items == 0:
        return
    plain = first.categories is None and second.categories is None
    if plain and weights is None and groups is None and tally.wanted is None:
        few = n_items <= FEW and all(
            NO_LABELS.widened(ratings.values).n_labels <= LARGEST_RANGE
            for ratings in (first, second)
        )
        if not few:
            _add_whole_numbers(tally, first.values, second.values, num_threads)
            return
    rows, columns = _codes(first, tally, tally.axes[1]), _codes(second, tally, tally.axes[2])
    layers: Sequence[Any] = [None]
    if groups is None:
        tables = [table[None] for table in _count(rows, columns, weights, num_threads)]
    else:
        by_group = _codes_by_group(_codes(groups, tally, tally.axes[0]), rows)
        layers = by_group[2]
        tables = [
            table[:-1].reshape(len(layers), len(rows[2]) + 1, -1)
            for table in _count(by_group, columns, weights, num_threads)
        ]
    sums = None if weights is None else _sums(tables[1:], tally.columns.weight)
    tally.add_table((layers, [*rows[2], OUTSIDE], [*columns[2], OUTSIDE]), tables[0], sums)


def _add_whole_numbers(
    tally: RunningTable, first: AnyArray, second: AnyArray, num_threads: int
) -> None:
    """Count ratings of which little is known, in several threads if they are many."""
    for axis, values in zip(tally.axes[1:], (first, second)):
        sample = values[:: max(1, len(values) // SAMPLE)]
        if NO_LABELS.widened(sample).n_labels > LARGEST_NUMBER_OF_LABELS:
            tally.refuse_if_many(axis, len(np.unique(sample)), len(values))
    a, b = Column(first, first.dtype), Column(second, second.dtype)
    counts = count_unknown(get_kernels(), a, b, num_threads)
    keys = [None], counts.rows.tolist(), counts.columns.tolist()
    tally.add_table(keys, counts.table[None])


def _count(
    rows: Codes, columns: Codes, weights: AnyArray | None, num_threads: int
) -> tuple[AnyArray, ...]:
    a, b = Column(rows[0], rows[0].dtype), Column(columns[0], columns[0].dtype)
    return count_known(get_kernels(), a, b, (rows[1], columns[1]), weights, num_threads)


def _codes(ratings: Ratings, tally: RunningTable, axis: Axis) -> Codes:
    """Return ratings as they can be counted, what their codes are, and the labels of these."""
    values, lowest, categories = ratings.values, ratings.lowest, ratings.categories
    if categories is not None:
        if len(categories) <= LARGEST_RANGE:
            return values, LabelRange(lowest, len(categories)), categories
        return _codes_of_few(
            LabelRange(lowest, len(categories)).codes(values), categories, tally, axis
        )
    label_range = NO_LABELS.widened(values)
    if label_range.n_labels <= LARGEST_RANGE:
        return values, label_range, label_range.labels(label_type(values)).tolist()
    if axis.wanted is None:
        labels = np.unique(values)
        tally.refuse_if_many(axis, len(labels), len(values))
    else:
        wanted = axis.wanted.whole_numbers(
            label_range.lowest, label_range.lowest + label_range.n_labels - 1
        )
        labels = np.array(wanted, label_type(values))
    codes = LabelMap(label_type(values))
    codes.add(labels)
    return values, codes, labels.tolist()


def _codes_of_few(
    codes: AnyArray, categories: Sequence[Key], tally: RunningTable, axis: Axis
) -> Codes:
    """Return codes of the categories that occur, few of many."""
    kept = np.flatnonzero(np.bincount(codes)).tolist()
    if axis.wanted is None:
        tally.refuse_if_many(axis, len(kept), len(codes))
    else:
        kept = [i for i in kept if categories[i] is None or categories[i] in axis.wanted]
    code = np.full(len(categories), len(kept), np.int32)
    code[kept] = np.arange(len(kept))
    return code[codes], LabelRange(0, len(kept)), [categories[i] for i in kept]


def _codes_by_group(groups: Codes, rows: Codes) -> Codes:
    """Return codes of pairs of a group and a rating, a row being a group's rating."""
    n_groups, n_rows = len(groups[2]), len(rows[2]) + 1
    codes = groups[1].codes(groups[0]) * n_rows + rows[1].codes(rows[0])
    return codes, LabelRange(0, n_groups * n_rows), groups[2]


def _sums(tables: Sequence[AnyArray], column: Any) -> AnyArray:
    """Return the sums of weights from what the kernels give."""
    if len(tables) == 1:
        if not np.isfinite(tables[0]).all():
            raise RatingsError(f"column {column!r} holds weights that are not finite.")
        return tables[0]
    return as_int64(whole_sums(*tables), f"column {column!r}")
