"""Items counted by cluster, compared with a dictionary, on every backend and in every way."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa.ratings.column import read_column
from fastkappa.tables import by_group
from fastkappa.tables.by_group import RatedColumn, count_by_cluster
from fastkappa.tables.known_labels import KnownLabels


def counted(kernels: Any, clusters: Any, columns: Any, labels: Any, **options: Any) -> Any:
    """Return the counts of (label of the cluster, cell), and the expected counts."""
    column = read_column(clusters, "clusters")
    rated = []
    for ratings, own in zip(columns, labels):
        read = read_column(ratings, "ratings")
        within = set(np.asarray(ratings).tolist()) <= set(own)
        known = KnownLabels(list(own), read, read)
        rated.append(RatedColumn(read, known.encode(read), len(own), within))
    found = count_by_cluster(kernels, column, rated, 2, **options)
    assert (found.counts > 0).all()
    if column.categories is None:
        lowest = int(column.values.min())
        names = [int(c) + lowest for c in found.clusters]
    else:
        names = [list(dict.fromkeys(column.categories))[c] for c in found.clusters]
    total: Counter[Any] = Counter()
    for name, cell, count in zip(names, found.cells.tolist(), found.counts.tolist()):
        total[name, cell] += count
    expected: Counter[Any] = Counter()
    for name, *ratings in zip(np.asarray(clusters).tolist(), *columns):
        if all(rating in own for rating, own in zip(ratings, labels)):
            cell = 0
            for rating, own in zip(ratings, labels):
                cell = cell * len(own) + list(own).index(rating)
            expected[name, cell] += 1
    return total, expected


WAYS = {
    "near": {},
    "one table": {},
    "small chunks": {"chunk": 7},
    "sorted": {"chunk": 16, "most_cells": 0},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ids", ["in order", "mixed", "far apart", "strings", "floats", "unsigned"])
def test_ways(kernels: Any, way: str, ids: str) -> None:
    rng = np.random.default_rng(3)
    clusters: Any = rng.integers(-20, 20, 300)
    if ids == "in order":
        clusters = np.sort(clusters)
    elif ids == "far apart":
        clusters = clusters * 461168601842738790
    elif ids == "strings":
        clusters = [f"patient {c}" for c in clusters]
    elif ids == "floats":
        clusters = clusters.astype(float)
    elif ids == "unsigned":
        clusters = (clusters * 461168601842738790).astype(np.uint64)
    ratings = rng.integers(2, 6, (2, 300)).astype(np.int16)
    total, expected = counted(kernels, clusters, ratings, [[2, 3, 4, 5]] * 2, **WAYS[way])
    assert total == expected


@pytest.mark.parametrize("way", WAYS)
def test_outside_and_out_of_order(kernels: Any, way: str) -> None:
    rng = np.random.default_rng(4)
    clusters = rng.integers(0, 30, 200)
    first, second = rng.integers(0, 5, (2, 200))
    labels = [[4, 0, 2], [1, 3, 0, 2]]
    total, expected = counted(kernels, clusters, [first, second], labels, **WAYS[way])
    assert total == expected
    strings = np.array(["no", "perhaps", "yes", "?", "never"])
    labels = [["yes", "no"], ["no", "yes", "perhaps"]]
    total, expected = counted(kernels, clusters, [strings[first], strings[second]], labels)
    assert total == expected


def test_three_columns(kernels: Any) -> None:
    rng = np.random.default_rng(5)
    ratings = rng.integers(0, 3, (3, 500)).astype(np.uint8)
    total, expected = counted(kernels, rng.integers(0, 9, 500), ratings, [[0, 1, 2]] * 3)
    assert total == expected


@given(
    items=st.lists(
        st.tuples(st.sampled_from([0, 1, 2, 5, -(2**63), 2**63 - 1]), st.integers(0, 2)),
        min_size=1,
        max_size=30,
    ),
    chunk=st.integers(1, 8),
)
def test_any_clusters(kernels: Any, items: Any, chunk: int) -> None:
    clusters, ratings = np.array(items).T
    total, expected = counted(kernels, clusters, [ratings, ratings], [[0, 1, 2]] * 2, chunk=chunk)
    assert total == expected


def test_clusters_come_once_and_in_order(kernels: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_group, "ITEMS_WORTH_A_THREAD", 1)
    clusters = np.random.default_rng(6).integers(0, 300, 2000).astype(np.int32)
    column = read_column(clusters, "clusters")
    ratings = read_column(np.arange(2000) % 2, "ratings")
    encoding = KnownLabels([0, 1], ratings, ratings).encode(ratings)
    for n_threads in (1, 2):
        found = count_by_cluster(
            kernels, column, [RatedColumn(ratings, encoding, 2, True)] * 2, n_threads, chunk=128
        )
        place = found.clusters.astype(int) * 4 + found.cells
        assert (np.diff(place) > 0).all()


def test_too_many_cells(kernels: Any) -> None:
    ratings = read_column(np.arange(3), "ratings")
    encoding = KnownLabels(list(range(9000)), ratings, ratings).encode(ratings)
    with pytest.raises(ValueError, match="81000000 cells is too large"):
        count_by_cluster(kernels, ratings, [RatedColumn(ratings, encoding, 9000, True)] * 2, 1)
