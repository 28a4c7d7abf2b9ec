"""The variance of clustered items: by hand, by the jackknife, and where it is exactly 0."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastkappa.statistics.clusters import Clusters, clusters_of, correction, variance
from fastkappa.statistics.inference import delta_error, standard_error
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.spread import Influence
from fastkappa.statistics.spread import variance as variance_of_items
from tests.helpers.exact_kappa import exact_kappa

SCHEMES = (None, "linear", "quadratic")
# A list of clusters, each as the cells of its items in a table of three labels.
clusterings = st.lists(st.lists(st.integers(0, 8), min_size=1, max_size=5), min_size=2, max_size=12)


def of_lists(items: list[list[int]]) -> Clusters:
    cluster = [c for c, cells in enumerate(items) for _ in cells]
    return clusters_of(np.array(cluster), np.array(list(chain(*items))), np.ones(len(cluster), int))


def table_of(items: list[list[int]], n_labels: int = 3) -> Any:
    counts = np.bincount(list(chain(*items)), minlength=n_labels**2)
    return counts.reshape(n_labels, n_labels)


def exact_variance(items: list[list[int]], values: list[Fraction]) -> Fraction:
    """Return the variance of the mean, by its definition."""
    n = sum(map(len, items))
    mean = sum((values[m] for cells in items for m in cells), Fraction(0)) / n
    sums = [sum((values[m] - mean for m in cells), Fraction(0)) for cells in items]
    return sum((s * s for s in sums), Fraction(0)) / n**2


def test_by_hand() -> None:
    """Patients with lesions (yes yes), (yes yes, no no), (no yes, no no, no no)."""
    items = [[0], [0, 3], [2, 3, 3]]
    # kappa = 1 - q_o / q_e with q_o = 1/6, q_e = (2/6)(3/6) + (4/6)(3/6) = 1/2.
    assert exact_kappa(table_of(items, 2), None) == Fraction(2, 3)
    # g_ij = (1/3 (v_i. + v_.j) - v_ij) / (1/2), with v_0. = 1/2, v_1. = 1/2, v_.0 = 4/6, v_.1 = 2/6
    g = [Fraction(7, 9), Fraction(5, 9) - 2, Fraction(7, 9) - 2, Fraction(5, 9)]
    # Their mean is (2 * 7/9 + 3 * 5/9 - 11/9) / 6 = 1/3; the clusters' sums over it are
    # 4/9, 4/9 + 2/9, and -14/9 + 2 * 2/9.
    expected = (Fraction(4, 9) ** 2 + Fraction(6, 9) ** 2 + Fraction(-10, 9) ** 2) / 36
    assert exact_variance(items, g) == expected
    found = standard_error(table_of(items, 2), None, of_lists(items))
    assert found == pytest.approx(math.sqrt(expected), rel=1e-14)


@pytest.mark.parametrize("weights", SCHEMES)
@given(items=clusterings)
def test_exact_for_kappa(weights: Any, items: list[list[int]]) -> None:
    """Return the gradient of kappa by exact differences of a function of degree 2 over 2."""
    table = table_of(items).astype(object)
    kappa = exact_kappa(table, weights)
    if kappa is None:
        return
    n = int(table.sum())
    matrix = np.abs(np.subtract.outer(range(3), range(3))).astype(object)
    matrix = {None: (matrix != 0).astype(int), "linear": matrix, "quadratic": matrix**2}[weights]
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    expected = Fraction(int(rows @ matrix @ columns), n * n)
    by_row, by_column = matrix @ columns, rows @ matrix
    values = [
        ((1 - kappa) * Fraction(int(by_row[i] + by_column[j]), n) - int(matrix[i, j])) / expected
        for i in range(3)
        for j in range(3)
    ]
    exact = exact_variance(items, values)
    found = standard_error(table_of(items), weights, of_lists(items))
    assert found == pytest.approx(math.sqrt(exact), rel=1e-10)
    assert (found == 0) == (exact == 0)


@given(items=clusterings)
def test_complex_step(items: list[list[int]]) -> None:
    """Test the delta method with a numerical derivative, without cancellation."""
    table = table_of(items)
    if exact_kappa(table, None) is None:
        return
    n = table.sum()
    gradient = np.empty(9)
    for m in range(9):
        p = (table / n).astype(complex).ravel()
        p[m] += 1e-30j
        p = (p / p.sum()).reshape(3, 3)
        by_chance = p.sum(axis=1) @ p.sum(axis=0)
        gradient[m] = ((np.trace(p) - by_chance) / (1 - by_chance)).imag / 1e-30
    # A derivative along the simplex has the mean 0.
    sums = np.array([gradient[cells].sum() for cells in items])
    found = standard_error(table, None, of_lists(items))
    assert found == pytest.approx(math.sqrt((sums**2).sum()) / n, rel=1e-9, abs=1e-14)


def test_jackknife_of_clusters() -> None:
    """With many clusters, leaving out one at a time gives the same error."""
    rng = np.random.default_rng(5)
    n_clusters = 4000
    sizes = rng.integers(1, 6, n_clusters)
    tendency = np.repeat(
        rng.dirichlet([1, 0.2, 0.1, 0.2, 1, 0.2, 0.1, 0.2, 1], n_clusters), sizes, 0
    )
    cell = (tendency.cumsum(axis=1) < rng.random((len(tendency), 1))).sum(axis=1)
    cluster = np.repeat(np.arange(n_clusters), sizes)
    counts = np.zeros((n_clusters, 9), int)
    np.add.at(counts, (cluster, cell), 1)
    table = counts.sum(axis=0)
    without = kappas((table - counts).reshape(-1, 3, 3), "linear")
    deviation = without - without.mean()
    jackknife = math.sqrt((deviation**2).sum() * (n_clusters - 1) / n_clusters)
    clusters = clusters_of(cluster, cell, np.ones(len(cell), int))
    assert standard_error(table.reshape(3, 3), "linear", clusters) == pytest.approx(
        jackknife, rel=2e-3
    )
    # As independent items, they would appear far more certain.
    assert standard_error(table.reshape(3, 3), "linear") < 0.9 * jackknife


@given(items=clusterings, data=st.data())
def test_names_and_order_do_not_matter(items: list[list[int]], data: st.DataObject) -> None:
    names = data.draw(st.permutations(range(len(items))))
    rows = data.draw(st.permutations([(names[c], m) for c, own in enumerate(items) for m in own]))
    cluster, cell = np.array(rows).T
    shuffled, plain = clusters_of(cluster, cell, np.ones(len(cell), int)), of_lists(items)
    assert (shuffled.n_clusters, shuffled.n_items) == (plain.n_clusters, plain.n_items)
    values = data.draw(st.lists(st.integers(-9, 9), min_size=9, max_size=9))
    of_clusters = [
        sorted(zip(found.sums(np.array(values, float)), found.sizes, found.multiplicities))
        for found in (shuffled, plain)
    ]
    assert of_clusters[0] == of_clusters[1]


@given(items=clusterings)
def test_equal_clusters_are_one_row(items: list[list[int]]) -> None:
    clusters = of_lists(items)
    distinct = {tuple(sorted(cells)) for cells in items}
    assert len(clusters.multiplicities) == len(distinct)
    assert clusters.n_clusters == len(items)
    assert clusters.n_items == sum(map(len, items))
    for k, sizes in enumerate(clusters.sizes):
        own = slice(clusters.starts[k], clusters.starts[k + 1])
        cells = tuple(np.repeat(clusters.cells[own], clusters.counts[own]).tolist())
        assert len(cells) == sizes
        assert sum(tuple(sorted(other)) == cells for other in items) == clusters.multiplicities[k]


def test_one_key_of_different_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters whose keys collide remain separate."""
    monkeypatch.setattr("fastkappa.statistics.clusters._mix", lambda n: n.astype(np.uint64) * 0)
    clusters = of_lists([[0, 3], [0, 3], [1, 2], [1, 1], [2]])
    assert clusters.n_clusters == 5
    assert clusters.sums(np.array([1.0, 10, 100, 1000])).tolist() == [1001, 1001, 110, 20, 100]


@given(items=clusterings)
def test_blocks_do_not_matter(items: list[list[int]]) -> None:
    clusters, values = of_lists(items), np.random.default_rng(0).random((2, 9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fastkappa.statistics.clusters.BLOCK", 3)
        assert (of_lists(items).sums(values) == clusters.sums(values)).all()


@given(cells=st.lists(st.integers(0, 8), min_size=2, max_size=12))
def test_single_items_are_no_clusters(cells: list[int]) -> None:
    values = np.random.default_rng(1).random(9)
    influence, items = Influence(values, abs(values)), [[cell] for cell in cells]
    proportions = table_of(items).ravel() / len(cells)
    plain = variance_of_items(influence, proportions, 9)
    assert variance(influence, proportions, 9, of_lists(items)) == plain
    assert correction(len(cells)) == correction(len(cells), of_lists(items))


@given(items=clusterings, times=st.integers(2, 4))
def test_repeated_items_add_nothing(items: list[list[int]], times: int) -> None:
    """An item rated several times in the same way is still one unit."""
    single = [[m] for cells in items for m in cells]
    repeated = [cells * times for cells in single]
    once = standard_error(table_of(single))
    assert standard_error(table_of(repeated), None, of_lists(repeated)) == pytest.approx(
        once, rel=1e-9, nan_ok=True
    )


def test_clusters_alike_have_no_variance() -> None:
    """Patients with the same ratings do not differ, despite rounding of the influences."""
    for items in ([[0, 1, 4, 8]] * 3, [[0, 1, 3]] * 7, [[0, 4, 4, 5]] * 49):
        table, clusters = table_of(items), of_lists(items)
        assert standard_error(table) > 0
        for weights in SCHEMES:
            assert standard_error(table, weights, clusters) == 0


def test_one_cluster_has_no_error() -> None:
    items = [[0, 0, 1, 4, 8]]
    assert math.isnan(standard_error(table_of(items), None, of_lists(items)))
    assert math.isnan(correction(5, of_lists(items)))


def test_several_statistics_of_the_same_items() -> None:
    items = [[0, 3], [0], [1, 2, 3], [3, 3]]
    proportions = table_of(items, 2) / 8
    values = np.random.default_rng(2).random((5, 2, 2))
    together = delta_error(
        np.broadcast_to(proportions, values.shape),
        Influence(values, values),
        np.full(5, 8.0),
        of_lists(items),
    )
    for found, value in zip(together, values):
        exact = exact_variance(items, [Fraction(v) for v in value.ravel().tolist()])
        assert found == pytest.approx(math.sqrt(exact), rel=1e-13)


def test_pairs_may_come_twice_and_empty() -> None:
    twice = clusters_of(*np.array([[0, 0, 1, 1, 0], [1, 0, 2, 2, 1], [2, 1, 1, 0, 3]]))
    once = clusters_of(*np.array([[0, 0, 1], [0, 1, 2], [1, 5, 1]]))
    for name in ("starts", "cells", "counts", "multiplicities"):
        assert (getattr(twice, name) == getattr(once, name)).all()
    assert clusters_of(*np.zeros((3, 0), int)).n_clusters == 0
