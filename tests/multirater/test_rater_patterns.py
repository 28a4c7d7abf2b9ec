"""Profiles, patterns and tables of pairs: equal counts on every backend and by every method."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import combinations
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from fastkappa import fleiss_kappa, light_kappa
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.multirater.items.counts import (
    MOST_CELLS,
    count_patterns,
    count_profiles,
    count_rater_pairs,
    patterns_of,
)
from fastkappa.multirater.items.distinct_rows import DistinctRows, distinct_rows
from fastkappa.multirater.items.rater_columns import encode_columns
from tests.helpers.quick import n_examples


def make_codes(n: int, n_raters: int, n_labels: int) -> tuple[Any, Any]:
    """Return random codes, ``n_labels`` where missing, and the expected counts."""
    rng = np.random.default_rng(n + n_raters)
    codes = rng.integers(0, n_labels + 1, (n, n_raters))
    codes[n // 3 :] = codes[n // 3 :, :1]
    ratings = [np.where(column == n_labels, -1, column + 5) for column in codes.T]
    names = [f"rater {i}" for i in range(n_raters)]
    labels = np.arange(5, 5 + n_labels)
    return codes, encode_columns(ratings, names, labels, [-1], "ratings").raters


def as_counter(counted: tuple[Any, Any]) -> Counter[Any]:
    rows, multiplicities = counted
    found = Counter(dict(zip(map(tuple, rows.tolist()), multiplicities.tolist())))
    assert len(found) == len(rows), "a row is there twice"
    assert all(found.values()), "a row is there that does not occur"
    return found


@pytest.mark.parametrize("most_cells", [1, MOST_CELLS], ids=["collected", "in a table"])
@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize(("n_raters", "n_labels"), [(2, 3), (3, 1), (5, 4), (7, 2), (4, 11)])
def test_all_counts(
    backend: str,
    n_raters: int,
    n_labels: int,
    num_threads: int,
    most_cells: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = {"MOST_CELLS": most_cells, "PER_THREAD": 1000, "CHUNK": 256, "BLOCK": 500}
    for name, size in sizes.items():
        monkeypatch.setattr(f"fastkappa.multirater.items.counts.{name}", size)
    monkeypatch.setattr("fastkappa.multirater.items.distinct_rows.BLOCK", 500)
    kernels = get_kernels(backend)
    codes, raters = make_codes(3000, n_raters, n_labels)

    profiles = count_profiles(kernels, raters, num_threads)
    assert as_counter(profiles) == Counter(map(tuple, codes.tolist()))
    counts = (codes[:, :, None] == np.arange(n_labels)).sum(axis=1)
    expected = Counter(map(tuple, counts.tolist()))
    assert as_counter(count_patterns(kernels, raters, num_threads)) == expected
    assert as_counter(patterns_of(*profiles, n_labels)) == expected
    tables = count_rater_pairs(kernels, raters, num_threads)
    for (a, b), table in zip(combinations(range(n_raters), 2), tables, strict=True):
        pairs = np.zeros((n_labels + 1, n_labels + 1), int)
        np.add.at(pairs, (codes[:, a], codes[:, b]), 1)
        assert (table == pairs).all()


def test_memory_does_not_grow_with_the_subjects() -> None:
    ratings = np.random.default_rng(0).integers(0, 6, (1_000_000, 5))
    fleiss_kappa(ratings[:1000])
    tracemalloc.start()
    try:
        light_kappa(ratings)
        fleiss_kappa(ratings)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # A table of 7**5 cells for each of a few threads and chunks of 2**15 subjects, beside 40 MB.
    assert peak < 8e6


def test_many_raters_of_many_labels() -> None:
    """Neither profiles nor patterns fit in one 63-bit word."""
    codes, raters = make_codes(2000, 40, 30)
    kernels = get_kernels()
    assert as_counter(count_profiles(kernels, raters, 2)) == Counter(map(tuple, codes.tolist()))
    counts = (codes[:, :, None] == np.arange(30)).sum(axis=1)
    expected = Counter(map(tuple, counts.tolist()))
    assert as_counter(count_patterns(kernels, raters, 2)) == expected


@settings(max_examples=n_examples(60))
@given(st.data())
def test_distinct_rows(data: Any) -> None:
    n_columns = data.draw(st.sampled_from([1, 2, 5, 30]))
    base = data.draw(st.sampled_from([2, 3, 1000, 1 << 40]))
    row = st.lists(st.integers(0, base - 1), min_size=n_columns, max_size=n_columns)
    few = data.draw(st.lists(row, min_size=1, max_size=3))
    rows = data.draw(st.lists(st.sampled_from(few), max_size=30))
    array = np.array(rows, np.int64).reshape(-1, n_columns)
    expected = Counter(map(tuple, rows))
    assert as_counter(distinct_rows(array)) == expected
    parts = DistinctRows(n_columns, base), DistinctRows(n_columns, base)
    parts[0].add(array[::2])
    parts[1].add(array[1::2], np.full(len(array[1::2]), 2))
    parts[0].merge(parts[1])
    assert as_counter(parts[0].rows()) == Counter(map(tuple, rows[::2])) + Counter(
        map(tuple, rows[1::2] * 2)
    )


def test_distinct_rows_merge_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastkappa.multirater.items.distinct_rows.BLOCK", 7)
    rows = np.random.default_rng(0).integers(0, 4, (500, 3))
    assert as_counter(distinct_rows(rows)) == Counter(map(tuple, rows.tolist()))
