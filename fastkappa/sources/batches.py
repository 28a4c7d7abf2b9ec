"""Count batches of ratings with the kernels, without copying them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.ratings.column import Column
from fastkappa.sources.source_ratings import (
    NO_TYPE,
    OUTSIDE,
    AxisLabels,
    Key,
    RatingsError,
)
from fastkappa.sources.source_table import SourceTable
from fastkappa.tables.codecs import (
    Codec,
    LabelMap,
    LabelRange,
    label_type,
)
from fastkappa.tables.doubtful_orders import judge_rows, runs_in
from fastkappa.tables.item_sums import as_int64, whole_sums
from fastkappa.tables.tally import Tally

# Batches whose labels span at most this many values are counted on their whole range.
LARGEST_RANGE = 1 << 9


class CodedBatch(NamedTuple):
    """A batch of ratings as codes for the kernels, and the label of each code."""

    values: AnyArray
    codec: Codec
    labels: Sequence[Any]


def add_ratings(
    table: SourceTable,
    first: Column,
    second: Column,
    *,
    weights: AnyArray | None = None,
    groups: Column | None = None,
    num_threads: int = 1,
) -> None:
    """Count the pairs of ratings in a batch of items. The category None means a missing rating."""
    types = NO_TYPE if groups is None else groups.label_dtype, first.label_dtype, second.label_dtype
    table.note(types)
    table.note_orders(first.declared, second.declared)
    if len(first.values) == 0:
        return
    if not table.axes[1].n_parts:
        judge_rows(first, second, [axis.name for axis in table.axes[1:]])
    for axis, ratings in zip(table.axes[1:], (first, second)):
        axis.add_runs(partial(runs_in, ratings.values))
    plain = first.categories is None and second.categories is None
    if plain and weights is None and groups is None and table.wanted is None:
        table.add_whole_numbers(first.values, second.values, num_threads)
        return
    given = (first, second) if groups is None else (groups, first, second)
    coded = [
        _coded(ratings, table, axis) for ratings, axis in zip(given, table.axes[-len(given) :])
    ]
    codecs = tuple(batch.codec for batch in coded)
    weight_type = None if weights is None else weights.dtype
    tally = Tally(get_kernels(), codecs, (False,) * len(coded), weight_type=weight_type)
    tables = tally.add_all([batch.values for batch in coded], weights, num_threads).tables
    keys = [[*batch.labels, OUTSIDE] for batch in coded]
    if groups is None:
        keys, tables = [[None], *keys], [part[None] for part in tables]
    sums = None if weights is None else _sums(tables[1:], table.columns.weight)
    table.add_table(types, (keys[0], keys[1], keys[2]), tables[0], sums)


def _coded(ratings: Column, table: SourceTable, axis: AxisLabels) -> CodedBatch:
    """Return ratings with the codes used for counting."""
    values, categories = ratings.values, ratings.categories
    if categories is not None:
        label_range = LabelRange(0, len(categories))
        if len(categories) <= LARGEST_RANGE:
            return CodedBatch(values, label_range, categories)
        return _coded_anew(label_range.codes(values), categories, table, axis)
    label_range = LabelRange.of(values)
    highest = label_range.lowest + label_range.n_labels - 1
    if label_range.n_labels <= LARGEST_RANGE:
        return CodedBatch(values, label_range, label_range.labels().tolist())
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
    """Return new codes for the categories that occur and are counted."""
    kept = np.flatnonzero(np.bincount(codes)).tolist()
    if axis.wanted is None:
        table.refuse_if_many(axis, len(kept), len(codes))
    else:
        kept = [i for i in kept if categories[i] is None or categories[i] in axis.wanted]
    code = np.full(len(categories), len(kept), np.int32)
    code[kept] = np.arange(len(kept))
    return CodedBatch(code[codes], LabelRange(0, len(kept)), [categories[i] for i in kept])


def _sums(tables: Sequence[AnyArray], column: Any) -> AnyArray:
    """Return the sums of weights, given the tables of the kernels."""
    if len(tables) == 1:
        if not np.isfinite(tables[0]).all():
            raise RatingsError(
                f"column {column!r} has weights that are not finite: weights must be finite"
                " numbers."
            )
        return tables[0]
    return as_int64(whole_sums(*tables), f"column {column!r}")
