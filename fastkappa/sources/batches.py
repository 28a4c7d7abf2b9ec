"""Count batches of ratings with the kernels, if possible without copying the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.ratings.column import Column
from fastkappa.sources.source_ratings import (
    NO_TYPE,
    OUTSIDE,
    AxisLabels,
    Key,
    refuse_infinite,
)
from fastkappa.sources.source_table import SourceTable, Types
from fastkappa.tables.codecs import Codec, LabelRange, expected_codecs
from fastkappa.tables.doubtful_orders import runs_in
from fastkappa.tables.item_sums import as_int64, whole_sums
from fastkappa.tables.tally import Tally, TooManyCellsError

# The widest range of labels in which every value gets a code, whether or not it occurs. In wider
# ranges, only the values that occur get codes.
LARGEST_RANGE = 1 << 9
# Whole numbers are counted in a table that covers their whole range if this table has at most
# `LARGEST_DENSE` cells. Otherwise, labels are looked up, and the table can have up to
# `MOST_CELLS_OF_NUMBERS` cells.
LARGEST_DENSE = 1 << 18
MOST_CELLS_OF_NUMBERS = 1 << 24
# Ratings as codes for the kernels, their codec, and the label of each code.
CodedBatch = tuple[AnyArray, Codec, Sequence[Any]]
# If a table has too many cells, about this many ratings are sampled to check whether a column has
# too many distinct labels.
SAMPLE = 1 << 16


def add_ratings(
    table: SourceTable,
    first: Column,
    second: Column,
    *,
    weights: AnyArray | None = None,
    groups: Column | None = None,
    num_threads: int = 1,
) -> None:
    """Count the pairs of ratings in a batch of items. The category None is a missing rating."""
    types = NO_TYPE if groups is None else groups.label_dtype, first.label_dtype, second.label_dtype
    table.note(types)
    table.note_orders(first.declared, second.declared)
    if len(first.values) == 0:
        return
    table.add_first_rows(first, second)
    for axis, ratings in zip(table.axes[1:], (first, second)):
        axis.add_runs(partial(runs_in, ratings.values))
    plain = first.categories is None and second.categories is None
    if plain and weights is None and groups is None and table.wanted is None:
        _add_whole_numbers(table, types, (first.values, second.values), num_threads)
        return
    given = (first, second) if groups is None else (groups, first, second)
    coded = [
        _coded(ratings, table, axis) for ratings, axis in zip(given, table.axes[-len(given) :])
    ]
    values, codecs, labels = zip(*coded)
    weight_type = None if weights is None else weights.dtype
    tally = Tally(get_kernels(), codecs, (False,) * len(coded), weight_type=weight_type)
    tables = tally.add_all(values, weights, num_threads).tables
    keys = [[*own, OUTSIDE] for own in labels]
    if groups is None:
        keys, tables = [[None], *keys], [part[None] for part in tables]
    sums = None if weights is None else _sums(tables[1:], table.columns.weight)
    table.add_table(types, (keys[0], keys[1], keys[2]), tables[0], sums)


def _add_whole_numbers(
    table: SourceTable, types: Types, columns: tuple[AnyArray, AnyArray], num_threads: int
) -> None:
    """Count pairs of whole numbers, without knowing the labels in advance."""
    kernels = get_kernels()
    try:
        codecs = expected_codecs(kernels, columns, LARGEST_DENSE)
        tally = Tally(kernels, codecs, largest=LARGEST_DENSE, most_cells=MOST_CELLS_OF_NUMBERS)
        counted = tally.add_all(columns, None, num_threads).finish()
    except TooManyCellsError:
        for axis, values in zip(table.axes[1:], columns):
            sample = values[:: max(1, len(values) // SAMPLE)]
            table.refuse_if_many(axis, len(np.unique(sample)))
        raise
    keys = [None], counted.rows.tolist(), counted.columns.tolist()
    table.add_table(types, keys, counted.counts[None])


def _coded(ratings: Column, table: SourceTable, axis: AxisLabels) -> CodedBatch:
    """Return a column of ratings as codes for counting."""
    values, categories = ratings.values, ratings.categories
    if categories is None:
        label_range = LabelRange.of(values)
        if label_range.n_labels <= LARGEST_RANGE:
            return values, label_range, label_range.labels().tolist()
        labels, values = np.unique(values, return_inverse=True)
        categories = labels.tolist()
    if len(categories) <= LARGEST_RANGE:
        return values, LabelRange(0, len(categories)), categories
    return _coded_anew(LabelRange(0, len(categories)).codes(values), categories, table, axis)


def _coded_anew(
    codes: AnyArray, categories: Sequence[Key], table: SourceTable, axis: AxisLabels
) -> CodedBatch:
    """Recode a batch so that only categories that occur and are counted have their own codes."""
    kept = np.flatnonzero(np.bincount(codes)).tolist()
    if axis.wanted is None:
        table.refuse_if_many(axis, len(kept))
    else:
        kept = [i for i in kept if categories[i] is None or categories[i] in axis.wanted]
    code = np.full(len(categories), len(kept), np.int32)
    code[kept] = np.arange(len(kept))
    return code[codes], LabelRange(0, len(kept)), [categories[i] for i in kept]


def _sums(tables: Sequence[AnyArray], column: Any) -> AnyArray:
    """Combine the tables that the kernels return into one table of weight sums."""
    if len(tables) == 1:
        return refuse_infinite(tables[0], column)
    return as_int64(whole_sums(*tables), f"column {column!r}")
