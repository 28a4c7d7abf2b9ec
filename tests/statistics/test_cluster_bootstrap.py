"""The bootstrap that draws clusters, compared with one that draws their items by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fastkappa import agreement, bootstrap, compare_predictions
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.statistics import clusters as module
from fastkappa.statistics.clusters import resampled, without_clusters
from fastkappa.statistics.kappa import kappas
from tests.helpers.published_clusters import OBUCHOWSKI, glands


def glands_result() -> Any:
    patients, pet, spect = glands()
    return agreement(pet, spect, clusters=patients)


def test_every_draw_is_one_of_clusters() -> None:
    """Test that all 3**3 draws of three small clusters occur as often as expected."""
    result = agreement([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], clusters=[1, 1, 2, 3, 3])
    tables = np.array([[[1, 1], [0, 0]], [[0, 0], [0, 1]], [[0, 0], [1, 1]]])
    expected: Counter[Any] = Counter()
    for a in tables:
        for b in tables:
            for c in tables:
                expected[tuple((a + b + c).ravel())] += 1 / 27
    n = 20_000
    stack = resampled(result.table, result.clusters, n, np.random.default_rng(0), 64)
    drawn = Counter(tuple(table.ravel()) for block in stack for table in block)
    assert drawn.keys() == expected.keys()
    keys = list(expected)
    test = stats.chisquare([drawn[k] for k in keys], [n * expected[k] for k in keys])
    assert test.pvalue > 1e-3


def test_alike_and_many_clusters_in_blocks() -> None:
    """Test that means and covariances of cells are those of the multinomial draw of clusters."""
    result = glands_result()
    clusters = result.clusters
    assert len(clusters.multiplicities) < clusters.n_clusters
    stack = resampled(result.table, clusters, 20_000, np.random.default_rng(1), 50)
    drawn = np.concatenate(list(stack)).reshape(-1, 4)
    assert drawn.mean(axis=0) == pytest.approx(result.table.ravel(), abs=0.1)
    centred = OBUCHOWSKI - OBUCHOWSKI.mean(axis=0)
    assert np.cov(drawn.T) == pytest.approx(centred.T @ centred, abs=0.6)


def test_jackknife_leaves_out_each_cluster_once() -> None:
    result = glands_result()
    parts = list(without_clusters(result.table, result.clusters, 8))
    values = kappas(np.concatenate([tables for tables, _ in parts]), None)
    repeated = np.repeat(values, np.concatenate([times for _, times in parts]))
    total = OBUCHOWSKI.sum(axis=0)
    by_hand = kappas((total - OBUCHOWSKI).reshape(-1, 2, 2), None)
    assert sorted(repeated) == sorted(by_hand)


def test_intervals_of_the_glands() -> None:
    """SciPy draws the patients' rows; its intervals have the same ends, apart from randomness."""
    result = glands_result()

    def kappa(a: Any, b: Any, c: Any, d: Any, axis: int) -> Any:
        table = np.stack([part.sum(axis=axis) for part in (a, b, c, d)], axis=-1)
        return kappas(table.reshape(*table.shape[:-1], 2, 2).astype(int), None)

    for method, name in (("percentile", "percentile"), ("bca", "BCa")):
        found = bootstrap(result, method=method, n_resamples=9999, rng=2)  # type: ignore[arg-type]
        peer = stats.bootstrap(
            tuple(OBUCHOWSKI.T),
            kappa,
            paired=True,
            method=name,
            n_resamples=9999,
            rng=np.random.default_rng(3),
        )
        assert found.value == result.kappa
        assert found.interval == pytest.approx(tuple(peer.confidence_interval), abs=0.03)
        assert found.standard_error == pytest.approx(float(peer.standard_error), rel=0.05)


@pytest.mark.filterwarnings("ignore:each cluster has one item")
def test_single_items_are_drawn_as_ever() -> None:
    y1, y2 = np.random.default_rng(4).integers(0, 3, (2, 50))
    clustered = agreement(y1, y2, clusters=np.arange(50))
    plain = agreement(y1, y2)
    for method in ("percentile", "bca"):
        one, other = (
            bootstrap(r, method=method, n_resamples=500, rng=5) for r in (clustered, plain)
        )
        assert (one.replicates == other.replicates).all()
        assert one.interval == other.interval


def test_memory_of_many_clusters_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    clusters = np.repeat(np.arange(5000), 10)
    y1, y2 = rng.integers(0, 3, (2, 50_000))
    result = agreement(y1, y2, clusters=clusters)
    largest = 0
    made = module._tables_of

    def watched(*arguments: Any) -> Any:
        nonlocal largest
        for block, tables in made(*arguments):
            largest = max(largest, tables.size)
            yield block, tables

    monkeypatch.setattr(module, "_tables_of", watched)
    found = bootstrap(result, n_resamples=50, rng=7)
    assert largest <= 1 << 18
    assert found.standard_error == pytest.approx(result.standard_error, rel=0.4)


def test_one_cluster_cannot_be_drawn() -> None:
    with pytest.warns(undefined_metric_warning(), match="one cluster"):
        result = agreement([0, 1, 1], [0, 1, 0], clusters=[1, 1, 1])
    with pytest.raises(ValueError, match="all items are in one cluster"):
        bootstrap(result)


def paired_study(n: int, n_clusters: int) -> Any:
    rng = np.random.default_rng(8)
    clusters = rng.integers(0, n_clusters, n)
    hard = rng.random(n_clusters)[clusters]
    truth = rng.integers(0, 3, n)
    one, two = (np.where(rng.random(n) < hard, rng.integers(0, 3, n), truth) for _ in "ab")
    return clusters, truth, one, two


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_predictions_in_clusters(weights: Any) -> None:
    """The error of the difference equals that of the jackknife and of the cluster bootstrap."""
    clusters, truth, one, two = paired_study(20_000, 1000)
    found = compare_predictions(one, two, y_true=truth, weights=weights, clusters=clusters)
    counts = np.zeros((1000, 3, 3, 3), int)
    np.add.at(counts, (clusters, truth, one, two), 1)
    left = counts.sum(axis=0) - counts
    without = kappas(left.sum(axis=3), weights) - kappas(left.sum(axis=2), weights)
    jackknife = np.sqrt(((without - without.mean()) ** 2).sum() * 999 / 1000)
    assert found.standard_error == pytest.approx(jackknife, rel=0.01)
    plain = compare_predictions(one, two, y_true=truth, weights=weights)
    assert found.kappas == plain.kappas
    assert found.standard_error != plain.standard_error
    drawn = compare_predictions(
        one, two, y_true=truth, weights=weights, clusters=clusters, n_resamples=800, rng=1
    )
    assert drawn.bootstrap is not None
    assert drawn.bootstrap.standard_error == pytest.approx(jackknife, rel=0.15)


@pytest.mark.filterwarnings("ignore:each cluster has one item")
def test_predictions_with_labels_and_single_items() -> None:
    _, truth, one, two = paired_study(200, 20)
    names = np.array(["low", "mid", "high"])
    columns = [names[codes] for codes in (truth, one, two)]
    options: Any = {"labels": ["high", "low"], "n_resamples": 200, "rng": 9}
    plain = compare_predictions(*columns[1:], y_true=columns[0], **options)
    single = compare_predictions(
        *columns[1:], y_true=columns[0], clusters=np.arange(200), **options
    )
    assert single.standard_error == plain.standard_error
    assert single.bootstrap is not None
    assert plain.bootstrap is not None
    assert single.bootstrap.interval == plain.bootstrap.interval
    doubled = [np.repeat(column, 2) for column in columns]
    twice = compare_predictions(
        *doubled[1:],
        y_true=doubled[0],
        labels=["high", "low"],
        clusters=np.repeat(np.arange(200), 2),
    )
    assert twice.standard_error == pytest.approx(plain.standard_error, rel=1e-12)


def test_predictions_in_one_cluster() -> None:
    _, truth, one, two = paired_study(30, 3)
    with pytest.warns(undefined_metric_warning(), match="one cluster"):
        found = compare_predictions(one, two, y_true=truth, clusters=np.zeros(30, int))
    assert np.isnan(found.p_value)


def test_predictions_outside_declared_labels() -> None:
    """A label is refused, but never the name of a cluster."""
    order = pd.CategoricalDtype(["low", "high"], ordered=True)
    truth = pd.Series(["low", "high", "low", "high"], dtype=order)
    first, second = ["low", "high", "high", "high"], ["low", "high", "low", "mid"]
    with pytest.raises(ValueError, match="second contains 'mid'"):
        compare_predictions(first, second, y_true=truth, clusters=["p1", "p1", "p2", "p3"])
    second[3] = "low"
    found = compare_predictions(first, second, y_true=truth, clusters=["p1", "p1", "p2", "p3"])
    assert found.standard_error > 0
