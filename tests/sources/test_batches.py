"""Batches of whole numbers whose ranges differ."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest

from fastkappa import Ratings, confusion_from_source
from fastkappa.arrays import AnyArray
from fastkappa.ratings.column import Column
from fastkappa.sources.batches import LARGEST_RANGE, add_ratings
from fastkappa.sources.source_ratings import INTEGERS
from fastkappa.sources.source_table import Columns, SourceTable

pa = pytest.importorskip("pyarrow")


def _pairs(labels: Any, table: AnyArray) -> Counter[tuple[int, int]]:
    first, second = labels
    return Counter(
        {(first[i], second[j]): int(table[i, j]) for i, j in np.argwhere(table).tolist()}
    )


@pytest.mark.parametrize("longest", [4, LARGEST_RANGE, 1200])
def test_each_batch_may_have_another_range(longest: int) -> None:
    rng = np.random.default_rng(longest)
    batches = []
    for i in range(40):
        # Some batches have the labels of the last batch, some have more of them, some have others.
        if i % 3 == 0:
            lowest, n_labels = rng.integers(-longest // 2, longest // 2, 2), rng.integers(1, 9, 2)
        batches.append([low + rng.integers(0, n, 50) for low, n in zip(lowest, n_labels)])
    schema = pa.schema({"a": pa.int16(), "b": pa.int64()})
    stream = pa.RecordBatchReader.from_batches(
        schema, (pa.record_batch(dict(zip("ab", batch)), schema) for batch in batches)
    )
    with warnings.catch_warnings():
        # Random ranges can be disjoint.
        warnings.simplefilter("ignore", UserWarning)
        counts = confusion_from_source(stream, "a", "b")
    labels = counts.labels.tolist()
    first, second = (np.concatenate(column).tolist() for column in zip(*batches))
    assert _pairs((labels, labels), counts.table) == Counter(zip(first, second))


def test_batches_may_have_other_types() -> None:
    table = SourceTable(Columns("a", "b"))
    expected: Counter[tuple[int, int]] = Counter()
    batches: list[Any] = [
        (np.int8, [-1, 1]),
        (np.uint64, [2**64 - 1, 2**64 - 2]),
        (np.int64, [-1, 255]),
        (np.uint8, [255, 0]),
        (np.int8, [-128, 0]),
    ]
    for dtype, ratings in batches * 2:
        values = np.array(ratings, dtype)
        add_ratings(table, Column(values, INTEGERS), Column(values, INTEGERS))
        expected.update(zip(ratings, ratings))
    counts, _ = table.counted()
    assert _pairs([list(axis.position) for axis in table.axes[1:]], counts[0]) == expected


@pytest.mark.parametrize("as_source", [list, tuple, iter, lambda batches: (b for b in batches)])
def test_record_batches_are_a_source(as_source: Any) -> None:
    rows = pa.table({"a": [1, 2, 2, 3], "b": [1, 2, 1, 3], "c": [1, 1, 2, 2]})
    source = as_source(rows.to_batches(max_chunksize=3))
    assert confusion_from_source(source, "a", "b").table.tolist() == [
        [1, 0, 0],
        [1, 1, 0],
        [0, 0, 1],
    ]
    ratings = Ratings.from_long(as_source(rows.to_batches(3)), item="a", rater="c", rating="b")
    assert ratings.n_subjects == 3


def test_record_batches_without_a_column() -> None:
    batches = [pa.record_batch({"a": [1], "b": [1]}), pa.record_batch({"a": [1], "c": [1]})]
    with pytest.raises(ValueError, match="a record batch has no column 'b'; it has 'a', 'c'"):
        confusion_from_source(batches, "a", "b")


@pytest.mark.parametrize("source", [iter([]), iter([1]), (row for row in ["a,b"])])
def test_iterators_of_anything_else(source: Any) -> None:
    with pytest.raises(TypeError, match="source must be a path"):
        confusion_from_source(source, "a", "b")
