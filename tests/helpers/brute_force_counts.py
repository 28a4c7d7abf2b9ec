"""Compute the expected results of ``confusion_counts``, item by item."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from fastkappa import confusion_counts

INTEGER_TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def expected_counts(
    y1: Any, y2: Any, labels: Any = None, weights: Any = None
) -> tuple[list[Any], Any, int]:
    """Count item by item; return the labels, the table and the number of items outside it."""
    y1, y2 = list(y1), list(y2)
    labels = sorted({*y1, *y2}) if labels is None else list(labels)
    position = {label: i for i, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)), np.int64 if weights is None else object)
    n_outside = 0
    numbers = Counter(zip(y1, y2, strict=True))
    pairs: Counter[Any] = numbers
    if weights is not None:
        pairs = Counter()
        for a, b, weight in zip(y1, y2, weights, strict=True):
            pairs[a, b] += weight
    for (a, b), count in pairs.items():
        if a in position and b in position:
            table[position[a], position[b]] = count
    for (a, b), number in numbers.items():
        n_outside += number * (a not in position or b not in position)
    return labels, table, n_outside


def assert_counts(y1: Any, y2: Any, *, labels: Any = None, **options: Any) -> Any:
    """Compare the counts with those expected, which are computed from plain Python objects."""
    counts = confusion_counts(y1, y2, labels=labels, **options)
    plain = (np.asarray(y).tolist() for y in (y1, y2))
    given_labels = labels.tolist() if isinstance(labels, np.ndarray) else labels
    expected_labels, table, n_outside = expected_counts(*plain, given_labels)
    assert counts.labels.tolist() == expected_labels
    assert counts.table.dtype == np.int64
    np.testing.assert_array_equal(counts.table, table, strict=True)
    assert counts.n_outside == n_outside
    return counts


def draw(labels: list[int], n: int, seed: int, dtype: Any = None) -> Any:
    index = np.random.default_rng(seed).integers(0, len(labels), n)
    return np.array(labels, dtype)[index]
