"""Agreement in groups whose items are in clusters, and their comparison."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fastkappa import agreement, agreement_by, compare_strata
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.statistics.kappa import kappas


def study(n: int, n_clusters: int, seed: int) -> tuple[Any, Any, Any, Any]:
    """Return groups, clusters with items in several groups, and two columns of ratings."""
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, n_clusters, n)
    care = rng.random(n_clusters)[clusters]
    truth = rng.integers(0, 3, n)
    columns = [np.where(rng.random(n) < care, truth, rng.integers(0, 3, n)) for _ in "ab"]
    return rng.integers(0, 3, n), clusters, *columns


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_each_group_is_as_if_alone(weights: Any) -> None:
    groups, clusters, y1, y2 = study(300, 20, 1)
    found = agreement_by(y1, y2, groups=groups, weights=weights, clusters=clusters)
    for group, result in found.items():
        own = groups == group
        alone = agreement(y1[own], y2[own], weights=weights, clusters=clusters[own])
        assert result.n_clusters == alone.n_clusters
        assert repr(result.rows()) == repr(alone.rows())
    effects = ", ".join(f"{group} {found[group].design_effect:.2f}" for group in found)
    said = f"intervals of kappa: score, widened by the design effect design effects: {effects}"
    assert said in " ".join(str(found).split())
    together = agreement(y1, y2, weights=weights, clusters=clusters)
    assert repr(found.pooled.rows()) == repr(together.rows())


def test_groups_that_share_no_cluster_are_independent() -> None:
    _, clusters, y1, y2 = study(300, 21, 2)
    groups = clusters % 3
    found = agreement_by(y1, y2, groups=groups, clusters=clusters)
    assert found.covariance is None
    equality = found.equality
    assert vars(equality) == vars(compare_strata(found))
    # Each group has 7 clusters, so its test has 6 degrees of freedom.
    f, second = equality.statistic / 2, equality.second_degrees_of_freedom
    assert second is not None
    assert 2 * 6 < second <= 2 * 3 * 6
    assert equality.p_value == pytest.approx(stats.f.sf(f, 2, second), rel=1e-9)
    assert f"F = {f:.4f}, df = 2 and {second:g}, p = " in str(equality)
    assert f"F = {f:.2f}, df = 2 and {second:g}, p = " in equality.sentence()
    asymptotic = agreement_by(
        y1, y2, groups=groups, clusters=clusters, interval_method="asymptotic"
    )
    assert asymptotic.equality.second_degrees_of_freedom is None
    assert f"Q = {asymptotic.equality.statistic:.4f}, df = 2, p = " in str(asymptotic.equality)


def test_the_report_counts_clusters_of_several_groups() -> None:
    """Patient numbers can restart at each site, but a reader can also have cases at all sites."""
    groups, clusters, y1, y2 = study(60, 30, 7)
    found = agreement_by(y1, y2, groups=groups, clusters=clusters)
    shared = sum(len(set(groups[clusters == own])) > 1 for own in set(clusters))
    assert 0 < shared < len(set(clusters))
    said = f"the groups share {shared} clusters, each counted once; if cluster numbers restart"
    assert said in " ".join(str(found).split())
    assert found.to_dict()["n_shared_clusters"] == found.n_shared_clusters == shared
    # Distinct numbers, and data without clusters, need no remark.
    for own in (clusters + 100 * groups, None):
        apart = agreement_by(y1, y2, groups=groups, clusters=own)
        assert apart.n_shared_clusters == 0
        assert "share" not in str(apart)


def test_covariance_is_that_of_the_jackknife() -> None:
    """Leaving out one cluster at a time shows the covariance of the kappas."""
    groups, clusters, y1, y2 = study(20_000, 1000, 3)
    found = agreement_by(y1, y2, groups=groups, clusters=clusters)
    counts = np.zeros((1000, 3, 3, 3), int)
    np.add.at(counts, (clusters, groups, y1, y2), 1)
    without = kappas(counts.sum(axis=0) - counts, None)
    deviation = without - without.mean(axis=0)
    jackknife = deviation.T @ deviation * 999 / 1000
    assert found.covariance == pytest.approx(jackknife, rel=0.02)
    errors = [result.standard_error for result in found.values()]
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(errors, rel=1e-12)
    # Shared clusters make kappas more similar than independent samples would be.
    assert (found.covariance > 0).all()


def test_equality_of_two_groups_is_the_test_of_their_difference() -> None:
    groups, clusters, y1, y2 = study(500, 40, 4)
    given: Any = {"groups": groups % 2, "clusters": clusters}
    found = agreement_by(y1, y2, interval_method="asymptotic", **given)
    by_score = agreement_by(y1, y2, **given).equality
    assert by_score.statistic == pytest.approx(found.equality.statistic, rel=0.05)
    difference = found[0].kappa - found[1].kappa
    covariance = found.covariance
    assert covariance is not None
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert found.equality.statistic == pytest.approx(difference**2 / variance, rel=1e-10)
    # The overall kappa has the smallest variance of all means.
    shares = np.linspace(-0.5, 1.5, 201)
    means = np.stack([shares, 1 - shares], axis=1)
    least = np.einsum("ij,jk,ik->i", means, covariance, means).min()
    assert found.equality.standard_error**2 == pytest.approx(least, rel=1e-3)


def test_too_few_clusters_for_their_covariance() -> None:
    groups, clusters, y1, y2 = study(300, 3, 5)
    found = agreement_by(y1, y2, groups=groups, clusters=clusters)
    with pytest.warns(undefined_metric_warning(), match="they share clusters"):
        assert math.isnan(found.equality.p_value)


def test_a_group_of_one_cluster() -> None:
    groups, clusters, y1, y2 = study(120, 6, 6)
    clusters = np.where(groups == 2, 99, clusters)
    with pytest.warns(
        undefined_metric_warning(), match=r"errors are undefined in 1 of 3 groups \(2\)"
    ):
        found = agreement_by(y1, y2, groups=groups, clusters=clusters)
    assert math.isnan(found[2].standard_error)
    assert found.pooled.standard_error > 0
    with pytest.warns(undefined_metric_warning(), match="error is undefined in stratum 2"):
        assert math.isnan(found.equality.kappa)


def test_labels_missing_and_empty_groups() -> None:
    groups: Any = ["a", "b", "c", "a", None, "b", "a", "b", "b", "a"]
    clusters: Any = [1, 1, 2, 2, 3, None, 3, 3, 4, 4]
    y1: Any = [0, 1, 7, 1, 0, 1, 1, 0, None, 0]
    y2: Any = [0, 1, 0, 0, 0, 1, 1, 1, 1, 0]
    found = agreement_by(y1, y2, groups=groups, labels=[0, 1], missing="drop", clusters=clusters)
    assert (found.n_dropped, found.missing, found.pooled.missing_clusters) == (3, (1, 1, 0), 1)
    assert {name: (r.n, r.n_clusters) for name, r in found.items()} == {"a": (4, 4), "b": (2, 2)}
    assert found.pooled.n_clusters == 4


def test_the_report_says_why_groups_with_too_few_clusters_have_no_test() -> None:
    groups, clusters, y1, y2 = study(300, 2, 4)
    with pytest.warns(undefined_metric_warning(), match="they share clusters"):
        equality = agreement_by(y1, y2, groups=groups, clusters=clusters).equality
    assert equality.undefined == ()
    assert " ".join(str(equality).split()) == (
        "the groups cannot be compared: they share clusters, and there are too few clusters"
        " to estimate the covariance of kappas"
    )
