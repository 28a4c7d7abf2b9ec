"""Batches of ratings, counted in place by the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import Column
from fastkappa.counting.codecs import (
    NO_LABELS,
    Codec,
    LabelMap,
    LabelRange,
    LabelRanges,
    label_type,
)
from fastkappa.counting.item_sums import as_int64, whole_sums
from fastkappa.counting.pairs import count_known, count_unknown
from fastkappa.engines.source_ratings import (
    LARGEST_NUMBER_OF_LABELS,
    Key,
    RatingBatch,
    RatingsError,
)
from fastkappa.engines.source_table import OUTSIDE, AxisLabels, Keys, SourceTable
from fastkappa.kernels.dispatch import get_kernels

# A batch is counted on the range of its labels if that is at most so long.
LARGEST_RANGE = 1 << 9
# More items may be worth several threads.
FEW = 1 << 20
SAMPLE = 1 << 16


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
    sums = None
    if plain and weights is None and groups is None and table.wanted is None:
        keys, counts = _count_whole_numbers(table, first.values, second.values, num_threads)
    else:
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


def _count_whole_numbers(
    table: SourceTable, first: AnyArray, second: AnyArray, num_threads: int
) -> tuple[Keys, AnyArray]:
    """Count ratings whose labels are not known, in several threads if they are many."""
    if len(first) <= FEW:
        counted = _count_close_numbers(table, first, second, num_threads)
        if counted is not None:
            return counted
    for axis, values in zip(table.axes[1:], (first, second)):
        sample = values[:: max(1, len(values) // SAMPLE)]
        if NO_LABELS.widened(sample).n_labels > LARGEST_NUMBER_OF_LABELS:
            table.refuse_if_many(axis, len(np.unique(sample)), len(values))
    a, b = Column(first, first.dtype), Column(second, second.dtype)
    counts = count_unknown(get_kernels(), a, b, num_threads)
    return ([None], counts.rows.tolist(), counts.columns.tolist()), counts.table[None]


def _count_close_numbers(
    table: SourceTable, first: AnyArray, second: AnyArray, num_threads: int
) -> tuple[Keys, AnyArray] | None:
    """Count ratings on the range of their labels; return None if they lie too far apart.

    That of the batches before is tried first: only if it lacks a rating are all compared.
    """
    types = first.dtype, second.dtype
    a, b = Column(first, types[0]), Column(second, types[1])
    ranges, counts = table.ranges.get(types), None
    if ranges is not None:
        (counts,) = count_known(get_kernels(), a, b, ranges, None, num_threads)
    if ranges is None or counts is None or counts[-1].any() or counts[:, -1].any():
        ranges = (ranges or LabelRanges()).widened(first, second)
        if max(ranges.rows.n_labels, ranges.columns.n_labels) > LARGEST_RANGE:
            return None
        table.ranges[types] = ranges
        (counts,) = count_known(get_kernels(), a, b, ranges, None, num_threads)
    rows, columns = (
        [*range(labels.lowest, labels.lowest + labels.n_labels), OUTSIDE] for labels in ranges
    )
    return ([None], rows, columns), counts[None]


def _count(
    rows: CodedBatch, columns: CodedBatch, weights: AnyArray | None, num_threads: int
) -> tuple[AnyArray, ...]:
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
    label_range = NO_LABELS.widened(values)
    highest = label_range.lowest + label_range.n_labels - 1
    if label_range.n_labels <= LARGEST_RANGE:
        return CodedBatch(values, label_range, range(label_range.lowest, highest + 1))
    if axis.wanted is None:
        labels = np.unique(values)
        table.refuse_if_many(axis, len(labels), len(values))
    else:
        wanted = axis.wanted.whole_numbers(label_range.lowest, highest)
        labels = np.array(wanted, label_type(values))
    codec = LabelMap(label_type(values))
    codec.add(labels)
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
