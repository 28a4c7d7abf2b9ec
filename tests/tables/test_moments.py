"""Quadratic kappa of many items from moments equals the value from the table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastkappa import cohen_kappa_score
from fastkappa.kernels import dispatch
from fastkappa.tables import moments

N = moments.FEWEST_ITEMS + 77


def quadratic_kappa(y1: Any, y2: Any, labels: Any) -> float:
    """Return quadratic kappa of whole numbers, by its definition in exact arithmetic."""
    n_labels = len(labels)
    places = {int(label): i for i, label in enumerate(labels)}
    lookup = np.full(1000, n_labels)
    for label, place in places.items():
        lookup[label] = place
    cells = lookup[np.asarray(y1, np.int64)] * (n_labels + 1) + lookup[np.asarray(y2, np.int64)]
    table = np.bincount(cells, minlength=(n_labels + 1) ** 2).reshape(n_labels + 1, -1)[:-1, :-1]
    rows, columns = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    observed = expected = 0
    for i in range(n_labels):
        for j in range(n_labels):
            observed += (i - j) ** 2 * int(table[i, j])
            expected += (i - j) ** 2 * rows[i] * columns[j]
    return float(1 - Fraction(sum(rows) * observed, expected))


def ratings(n_labels: int, lowest: int, dtype: str, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_labels, N)
    second = np.clip(first + rng.integers(-3, 4, N), 0, n_labels - 1)
    return (first + lowest).astype(dtype), (second + lowest).astype(dtype)


@pytest.fixture
def spied(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Record the results of `moments_of`, so that a test knows which way was used."""
    from fastkappa import metrics

    results: list[Any] = []

    def spy(*arguments: Any) -> Any:
        results.append(moments.moments_of(*arguments))
        return results[-1]

    monkeypatch.setattr(metrics, "moments_of", spy)
    return results


compiled = pytest.mark.skipif(
    dispatch.why_missing("cython") is not None, reason="only the compiled backend sums moments"
)


@compiled
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "int64", "float64"])
@pytest.mark.parametrize(("n_labels", "lowest"), [(9, 0), (20, 1), (101, 7)])
def test_all_labels_seen(spied: list[Any], dtype: str, n_labels: int, lowest: int) -> None:
    y1, y2 = ratings(n_labels, lowest, dtype)
    kappa = cohen_kappa_score(y1, y2, weights="quadratic")
    assert kappa == quadratic_kappa(y1, y2, range(lowest, lowest + n_labels))
    assert spied[-1] is not None


@compiled
def test_negative_labels(spied: list[Any]) -> None:
    y1, y2 = ratings(12, 0, "int64")
    kappa = cohen_kappa_score(y1 - 6, y2 - 6, weights="quadratic")
    assert kappa == quadratic_kappa(y1, y2, range(12))
    assert spied[-1] is not None


@compiled
@pytest.mark.parametrize("step", [1, -1, 2])
def test_strided(spied: list[Any], step: int) -> None:
    y1, y2 = ratings(15, 0, "int32")
    y1, y2 = (np.repeat(y, 2)[::2][:: step if step < 2 else 1] for y in (y1, y2))
    kappa = cohen_kappa_score(y1, y2, weights="quadratic")
    assert kappa == quadratic_kappa(y1, y2, range(15))
    assert spied[-1] is not None


@compiled
def test_a_label_that_does_not_occur_closes_the_ranks(spied: list[Any]) -> None:
    """Weights use positions: without label 5, the labels above it move down."""
    y1, y2 = ratings(20, 0, "uint8")
    y1[y1 == 5], y2[y2 == 5] = 6, 6
    labels = [label for label in range(20) if label != 5]
    assert cohen_kappa_score(y1, y2, weights="quadratic") == quadratic_kappa(y1, y2, labels)
    assert spied[-1] is None


@compiled
@pytest.mark.parametrize("late", [20, 200])
def test_a_label_that_shows_up_late(spied: list[Any], late: int) -> None:
    y1, y2 = ratings(20, 0, "uint8")
    y2[-1] = late
    labels = [*range(20), late]
    assert cohen_kappa_score(y1, y2, weights="quadratic") == quadratic_kappa(y1, y2, labels)
    assert spied[-1] is None


@compiled
def test_given_labels_leave_out_the_others(spied: list[Any]) -> None:
    y1, y2 = ratings(20, 0, "int64")
    kappa = cohen_kappa_score(y1, y2, weights="quadratic", labels=range(3, 15))
    assert kappa == quadratic_kappa(y1, y2, range(3, 15))
    assert spied[-1] is not None


@compiled
def test_given_labels_in_another_order_take_the_table(spied: list[Any]) -> None:
    y1, y2 = ratings(12, 0, "int64")
    labels = [3, 1, 2, 0, *range(4, 12)]
    kappa = cohen_kappa_score(y1, y2, weights="quadratic", labels=labels)
    assert kappa == quadratic_kappa(y1, y2, labels)
    assert spied[-1] is None


@compiled
def test_labels_beyond_the_type_of_one_column(spied: list[Any]) -> None:
    y1, y2 = ratings(300, 0, "int64")
    y1 = np.minimum(y1, 255).astype(np.uint8)
    labels = sorted({*np.unique(y1).tolist(), *np.unique(y2).tolist()})
    assert cohen_kappa_score(y1, y2, weights="quadratic") == quadratic_kappa(y1, y2, labels)


def test_every_backend(drop_in_backend: str) -> None:
    y1, y2 = ratings(11, 2, "uint8", seed=3)
    kappa = cohen_kappa_score(y1, y2, weights="quadratic")
    assert kappa == quadratic_kappa(y1, y2, range(2, 13))
