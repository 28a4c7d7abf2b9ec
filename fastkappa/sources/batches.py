"""Batches of ratings, counted in place by the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.ratings.column import Column
from fastkappa.sources.source_ratings import Key, RatingBatch, RatingsError
from fastkappa.sources.source_table import OUTSIDE, AxisLabels, SourceTable
from fastkappa.tables.codecs import (
    Codec,
    LabelMap,
    LabelRange,
    label_type,
)
from fastkappa.tables.count import count_known
from fastkappa.tables.item_sums import as_int64, whole_sums

# A batch is counted on the range of its labels if that is at most so long.
LARGEST_RANGE = 1 << 9


class CodedBatch(NamedTuple):
    """A batch of ratings as kernels count them, with the label of each code."""

    values: AnyArray
    codec: Codec
    labels: Sequence[Any]


def add_ratings(
    table: SourceTable,
    first: RatingBatch,
    second: RatingBatch,
    *,
    weights: AnyArray | None = None,
    groups: RatingBatch | None = None,
    num_threads: int = 1,
) -> None:
    """Count the pairs of ratings of a batch of items."""
    kinds = None if groups is None else groups.kind, first.kind, second.kind
    n_items = len(first.values)
    if n_items == 0:
        table.note_orders(first.order, second.order)
        table.note(kinds)
        return
    plain = first.categories is None and second.categories is None
    if plain and weights is None and groups is None and table.wanted is None:
        table.note(kinds)
        table.add_whole_numbers(first.values, second.values, num_threads)
        table.note_orders(first.order, second.order)
        return
    rows, columns = _coded(first, table, table.axes[1]), _coded(second, table, table.axes[2])
    layers: Sequence[Any] = [None]
    if groups is None:
        tables = [part[None] for part in _count(rows, columns, weights, num_threads)]
    else:
        by_group = _coded_by_group(_coded(groups, table, table.axes[0]), rows)
        layers = by_group.labels
        tables = [
            part[:-1].reshape(len(layers), len(rows.labels) + 1, -1)
            for part in _count(by_group, columns, weights, num_threads)
        ]
    sums = None if weights is None else _sums(tables[1:], table.columns.weight)
    keys = layers, [*rows.labels, OUTSIDE], [*columns.labels, OUTSIDE]
    counts = tables[0]
    table.note_orders(first.order, second.order)
    table.add_table(kinds, keys, counts, sums)


def _count(
    rows: CodedBatch, columns: CodedBatch, weights: AnyArray | None, num_threads: int
) -> list[AnyArray]:
    a, b = Column(rows.values, rows.values.dtype), Column(columns.values, columns.values.dtype)
    return count_known(get_kernels(), a, b, (rows.codec, columns.codec), weights, num_threads)


def _coded(ratings: RatingBatch, table: SourceTable, axis: AxisLabels) -> CodedBatch:
    """Return ratings with the codes in which they are counted."""
    values, lowest, categories = ratings.values, ratings.lowest, ratings.categories
    if categories is not None:
        label_range = LabelRange(lowest, len(categories))
        if len(categories) <= LARGEST_RANGE:
            return CodedBatch(values, label_range, categories)
        return _coded_anew(label_range.codes(values), categories, table, axis)
    label_range = LabelRange.of(values)
    highest = label_range.lowest + label_range.n_labels - 1
    if label_range.n_labels <= LARGEST_RANGE:
        return CodedBatch(values, label_range, range(label_range.lowest, highest + 1))
    if axis.wanted is None:
        labels = np.unique(values)
        table.refuse_if_many(axis, len(labels), len(values))
    else:
        wanted = axis.wanted.whole_numbers(label_range.lowest, highest)
        labels = np.array(wanted, label_type(values))
    codec = LabelMap(labels.astype(label_type(values), copy=False))
    return CodedBatch(values, codec, labels.tolist())


def _coded_anew(
    codes: AnyArray, categories: Sequence[Key], table: SourceTable, axis: AxisLabels
) -> CodedBatch:
    """Return new codes for those of many categories that occur and are counted."""
    kept = np.flatnonzero(np.bincount(codes)).tolist()
    if axis.wanted is None:
        table.refuse_if_many(axis, len(kept), len(codes))
    else:
        kept = [i for i in kept if categories[i] is None or categories[i] in axis.wanted]
    code = np.full(len(categories), len(kept), np.int32)
    code[kept] = np.arange(len(kept))
    return CodedBatch(code[codes], LabelRange(0, len(kept)), [categories[i] for i in kept])


def _coded_by_group(groups: CodedBatch, rows: CodedBatch) -> CodedBatch:
    """Return codes of pairs of a group and a rating; the labels are those of the groups."""
    n_groups, n_rows = len(groups.labels), len(rows.labels) + 1
    codes = groups.codec.codes(groups.values) * n_rows + rows.codec.codes(rows.values)
    return CodedBatch(codes, LabelRange(0, n_groups * n_rows), groups.labels)


def _sums(tables: Sequence[AnyArray], column: Any) -> AnyArray:
    """Return the sums of weights from the tables of the kernels."""
    if len(tables) == 1:
        if not np.isfinite(tables[0]).all():
            raise RatingsError(f"column {column!r} holds weights that are not finite.")
        return tables[0]
    return as_int64(whole_sums(*tables), f"column {column!r}")
