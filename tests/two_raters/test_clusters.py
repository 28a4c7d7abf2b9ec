"""Agreement of items in clusters: a published study, peers, and unchanged results."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fastkappa import agreement, compare_independent, kappa_posterior
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.results import AgreementResult
from fastkappa.statistics.inference import kappa_gradient
from fastkappa.statistics.intervals.inverted import inverted_test
from fastkappa.statistics.intervals.tested import difference_ends
from tests.helpers.absent import library
from tests.helpers.published_clusters import OBUCHOWSKI, glands

sm = library("statsmodels.api")

SCHEMES = (None, "linear", "quadratic")


def study(n: int = 120, n_clusters: int = 25, n_labels: int = 3, seed: int = 1) -> Any:
    """Return clusters and two columns of ratings that resemble each other within clusters."""
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, n_clusters, n)
    truth = rng.integers(0, n_labels, n_clusters)[clusters]
    columns = [np.where(rng.random(n) < 0.6, truth, rng.integers(0, n_labels, n)) for _ in "ab"]
    return clusters, *columns


def vanbelle_error(clusters: Any, y1: Any, y2: Any, agreement_weights: Any) -> float:
    """Return the error of kappa by the multilevel formula of Vanbelle (2017).

    Biometrical Journal 59, 1016-1034. The formula uses the observed agreement and the margins of
    each cluster, and their covariance over the clusters.
    """
    n_labels = len(agreement_weights)
    names = np.unique(clusters)
    n_clusters, n = len(names), len(y1)
    parts = []
    for name in names:
        own = clusters == name
        table = np.zeros((n_labels, n_labels))
        np.add.at(table, (y1[own], y2[own]), 1 / own.sum())
        agreed = (table * agreement_weights).sum()
        parts.append([own.sum() / n, agreed, *table.sum(axis=1), *table.sum(axis=0)])
    share, values = np.array(parts)[:, 0], np.array(parts)[:, 1:]
    total = share @ values
    centred = share[:, None] * (values - total)
    covariance = n_clusters / (n_clusters - 1) * centred.T @ centred
    p_o, rows, columns = total[0], total[1 : n_labels + 1], total[n_labels + 1 :]
    p_e = rows @ agreement_weights @ columns
    by_margins = np.concatenate([agreement_weights @ columns, rows @ agreement_weights])
    slope = np.append(1 / (1 - p_e), (p_o - 1) / (1 - p_e) ** 2 * by_margins)
    return math.sqrt(slope @ covariance @ slope)


def test_glands_of_patients() -> None:
    """The data are from the paper, and kappa's error agrees with two other methods."""
    _, b, c, _ = OBUCHOWSKI.T
    assert 20 / 21 * (c - b).sum() ** 2 / ((c - b) ** 2).sum() == pytest.approx(2.8571, abs=1e-4)
    patients, pet, spect = glands()
    result = agreement(pet, spect, clusters=patients, distribution="t")
    assert (result.n, result.n_clusters) == (51, 21)
    assert result.table.tolist() == [[39, 1], [7, 4]]
    # (43/51 - 1895/51**2) / (1 - 1895/51**2)
    assert result.kappa == pytest.approx((43 * 51 - 1895) / (51**2 - 1895), rel=1e-14)
    codes = [np.array([label == "ill" for label in column]).astype(int) for column in (pet, spect)]
    expected = vanbelle_error(np.array(patients), *codes, np.eye(2))
    assert result.standard_error == pytest.approx(expected, rel=1e-12)
    assert result.interval[1] - result.kappa == pytest.approx(2.085963 * expected, rel=1e-6)
    normal = agreement(pet, spect, clusters=patients)
    assert normal.standard_error == pytest.approx(expected * math.sqrt(20 / 21), rel=1e-12)
    assert normal.design_effect == pytest.approx(
        (normal.standard_error / agreement(pet, spect).standard_error) ** 2
    )
    text = str(normal)
    assert "51 items in 21 clusters" in text
    assert "design effect" in text


@pytest.mark.parametrize("weights", SCHEMES)
@pytest.mark.parametrize("distribution", ["normal", "t"])
def test_peers(weights: Any, distribution: Any) -> None:
    clusters, y1, y2 = study()
    distance = np.abs(np.subtract.outer(range(3), range(3)))
    matrix = {None: distance != 0, "linear": distance / 2, "quadratic": distance**2 / 4}[weights]
    result = agreement(y1, y2, weights=weights, clusters=clusters, distribution=distribution)
    g = 25
    expected = vanbelle_error(clusters, y1, y2, 1 - matrix)
    if distribution == "normal":
        expected *= math.sqrt((g - 1) / g)
    assert result.standard_error == pytest.approx(expected, rel=1e-11)
    # The cluster-robust error of the mean of the influences.
    values = kappa_gradient(result.table, weights).values[y1, y2]
    fit = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    scale = math.sqrt(g / (g - 1)) if distribution == "t" else 1
    assert result.standard_error == pytest.approx(float(fit.bse[0]) * scale, rel=1e-11)


def without_clusters(result: AgreementResult) -> dict[str, Any]:
    """Return all fields of a result, as text so that NaN equals NaN."""
    return {name: repr(value) for name, value in result.to_dict().items()}


@pytest.mark.filterwarnings("ignore:each cluster has one item")
@pytest.mark.parametrize("distribution", ["normal", "t"])
@pytest.mark.parametrize("weights", SCHEMES)
def test_single_items_change_no_digit(weights: Any, distribution: Any) -> None:
    _, y1, y2 = study(60)
    names = np.random.default_rng(0).permutation(60) * 3
    options: Any = {"weights": weights, "distribution": distribution}
    clustered = agreement(y1, y2, clusters=names, **options)
    assert without_clusters(clustered) == without_clusters(agreement(y1, y2, **options))
    assert repr(clustered.rows()) == repr(agreement(y1, y2, **options).rows())
    assert clustered.interpret("landis-koch") == agreement(y1, y2, **options).interpret(
        "landis-koch"
    )


@pytest.mark.parametrize("weights", SCHEMES)
def test_doubled_items_are_one(weights: Any) -> None:
    """With each item twice in one cluster, all errors equal those of the items once."""
    _, y1, y2 = study(60)
    once = agreement(y1, y2, weights=weights)
    order = np.append(np.arange(60), np.arange(60)[::-1])
    twice = agreement(y1[order], y2[order], weights=weights, clusters=order)
    for (name, _, error, _), (_, _, again, _) in zip(once.rows(), twice.rows()):
        assert again == pytest.approx(error, rel=1e-12, nan_ok=True), name
    assert twice.design_effect == pytest.approx(2, rel=1e-12)
    # Remarks that assume independent items are omitted with clusters.
    assert math.isnan(twice.null_standard_error)
    assert math.isnan(twice.textbook_standard_error)
    # The score test of the items once, with fewer degrees of freedom than the normal distribution.
    assert twice.z == pytest.approx(once.z * math.sqrt(59 / 60), rel=1e-12)
    by_t = inverted_test(
        "score",
        once.table[None],
        weights,
        0.95,
        np.array([stats.t.ppf(0.975, 59) * math.sqrt(60 / 59)]),
    )
    assert twice.interval == pytest.approx([float(end[0]) for end in by_t], abs=1e-6)
    json.dumps(twice.to_dict())


@given(data=st.data())
def test_names_and_order_of_clusters_do_not_matter(data: st.DataObject) -> None:
    clusters, y1, y2 = study(40, 8, seed=data.draw(st.integers(0, 9)))
    names = np.array(data.draw(st.permutations(range(8))))
    order = np.array(data.draw(st.permutations(range(40))))
    plain = agreement(y1, y2, clusters=clusters)
    other = agreement(y1[order], y2[order], clusters=names[clusters][order].astype(str))
    assert other.n_clusters == plain.n_clusters
    for one, two in zip(plain.rows(), other.rows()):
        assert two[1:3] == pytest.approx(one[1:3], rel=1e-12, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("in_order", [False, True])
def test_on_every_backend(drop_in_backend: str, in_order: bool) -> None:
    clusters, y1, y2 = study(2000, 300)
    clusters = np.sort(clusters) if in_order else clusters
    expected = vanbelle_error(clusters, y1, y2, np.eye(3))
    for ids in (clusters, clusters * 10**15, clusters.astype(str)):
        result = agreement(y1, y2, clusters=ids, distribution="t")
        assert result.standard_error == pytest.approx(expected, rel=1e-11)


def test_wald_test_by_students_t() -> None:
    clusters, y1, y2 = study(60, 6)
    result = agreement(y1, y2, clusters=clusters, distribution="t")
    assert result.p_value == pytest.approx(2 * stats.t.sf(abs(result.z), 5), rel=1e-10)
    assert "intervals tend to be too short\n" in str(result)
    normal = agreement(y1, y2, clusters=clusters)
    by_score = "Use distribution='t' for wider intervals, although"
    assert f"too short. {by_score}" in " ".join(str(normal).split())
    asymptotic = agreement(y1, y2, clusters=clusters, interval_method="asymptotic")
    assert "for wider intervals" in " ".join(str(asymptotic).split())
    assert "although" not in str(asymptotic)
    equal = normal.margins.stuart_maxwell.p_value
    assert equal != agreement(y1, y2).margins.stuart_maxwell.p_value
    assert f"p of Stuart-Maxwell test {equal:#.2g}" in " ".join(str(normal).split())


@pytest.mark.parametrize("n_labels", [2, 3])
def test_proportions_of_clusters(n_labels: int) -> None:
    """Errors are computed from sums over clusters; items given twice count once."""
    rng = np.random.default_rng(5)
    y1, y2 = rng.integers(0, n_labels, (2, 60))
    alone, joined = agreement(y1, y2), agreement(y1, y2, clusters=np.arange(60) // 3)
    near, own = joined.agreement_within(0), joined.specific_agreement
    within = (y1 == y2).reshape(20, 3)
    assert near.value == alone.agreement_within(0).value
    expected = np.sqrt(((within - near.value).sum(axis=1) ** 2).sum()) / 60
    assert near.standard_error == pytest.approx(expected)
    assert near.standard_error == pytest.approx(joined.estimates["observed_agreement"][1])
    np.testing.assert_array_equal(own.values, alone.specific_agreement.values)
    for label, value, error in zip(range(n_labels), own.values, own.standard_errors):
        given = (y1 == label).astype(int) + (y2 == label)
        residuals = 2 * ((y1 == label) & (y2 == label)) - value * given
        sums = residuals.reshape(20, 3).sum(axis=1)
        assert error == pytest.approx(np.sqrt((sums**2).sum()) / given.sum())
    twice = agreement(*np.repeat([y1, y2], 2, axis=1), clusters=np.repeat(np.arange(60), 2))
    np.testing.assert_allclose(
        twice.specific_agreement.standard_errors, alone.specific_agreement.standard_errors
    )
    # The design effect is 2, except for G / (G - 1), and the quantile is Student's t.
    assert (twice.specific_agreement.lower < alone.specific_agreement.lower).all()
    np.testing.assert_allclose(
        twice.specific_agreement.lower, alone.specific_agreement.lower, atol=0.01
    )


@pytest.mark.parametrize("n_labels", [2, 3])
def test_margins_of_clusters(n_labels: int) -> None:
    """Durkalski's statistic for two labels; in general, a quadratic form of the clusters' sums."""
    rng = np.random.default_rng(5)
    y1, y2 = rng.integers(0, n_labels, (2, 60))
    alone, joined = agreement(y1, y2), agreement(y1, y2, clusters=np.arange(60) // 3)
    margins, test = joined.margins, joined.margins.stuart_maxwell
    every = np.eye(n_labels)[:, 1:]
    sums = (every[y1] - every[y2]).reshape(20, 3, -1).sum(axis=1)
    total = sums.sum(axis=0)
    assert test.statistic == pytest.approx(total @ np.linalg.solve(sums.T @ sums, total))
    assert test.degrees_of_freedom == n_labels - 1
    np.testing.assert_array_equal(margins.first, alone.margins.first)
    np.testing.assert_array_equal(margins.second, alone.margins.second)
    tests = [margins.bhapkar, margins.bowker]
    if n_labels == 2:
        assert margins.mcnemar is not None
        assert alone.margins.mcnemar is not None
        assert margins.mcnemar.counts == alone.margins.mcnemar.counts
        assert margins.mcnemar.chi_square == test
        assert math.isnan(margins.mcnemar.exact_p_value)
        tests.append(margins.mcnemar.corrected)
    for none in tests:
        assert np.isnan([none.statistic, none.p_value]).all()
        assert "clusters" in none.undefined
    twice = agreement(*np.repeat([y1, y2], 2, axis=1), clusters=np.repeat(np.arange(60), 2))
    assert twice.margins.stuart_maxwell.statistic == pytest.approx(
        alone.margins.stuart_maxwell.statistic
    )
    few = agreement([0, 1, 2, 0], [1, 2, 0, 1], clusters=[0, 0, 0, 1])
    assert "too few clusters" in few.margins.stuart_maxwell.undefined


def test_the_posterior_takes_items_for_independent() -> None:
    y1, y2 = np.random.default_rng(5).integers(0, 2, (2, 60))
    joined = agreement(y1, y2, clusters=np.arange(60) // 3)
    with pytest.raises(ValueError, match="must not be a result with clusters"):
        kappa_posterior(joined)


@pytest.mark.parametrize("method", ["score", "profile"])
def test_differences_have_the_intervals_of_clusters(method: Any) -> None:
    y1, y2 = np.random.default_rng(7).integers(0, 2, (2, 40))
    joined, other = (
        agreement(y1, y2, clusters=clusters, interval_method=method)
        for clusters in (np.arange(40) // 2, None)
    )
    difference = compare_independent(joined, other)
    assert difference.interval_methods == (method, method)
    # By Satterthwaite's degrees of freedom, because one error has those of 20 clusters.
    shares = joined.standard_error**2, other.standard_error**2
    freedom = sum(shares) ** 2 / (shares[0] ** 2 / 19)
    expected = difference_ends(joined.tested, other.tested, 0.0, stats.t.ppf(0.975, freedom))
    assert difference.interval == pytest.approx(expected, abs=1e-8)


@pytest.mark.filterwarnings("ignore:each cluster has one item")
def test_single_items_keep_their_margins_and_posterior() -> None:
    y1, y2 = np.random.default_rng(6).integers(0, 3, (2, 40))
    alone, single = agreement(y1, y2), agreement(y1, y2, clusters=np.arange(40))
    assert str(single.margins) == str(alone.margins)
    assert str(single.specific_agreement) == str(alone.specific_agreement)
    assert single.agreement_within(1) == alone.agreement_within(1)
    assert kappa_posterior(single, rng=1).interval == kappa_posterior(alone, rng=1).interval


def test_missing_clusters() -> None:
    clusters, y1, y2 = study(40, 8)
    names: list[Any] = [f"p{c}" for c in clusters]
    names[3] = None
    with pytest.raises(
        ValueError, match="clusters has 1 missing value in 40 items, the first at position 3"
    ):
        agreement(y1, y2, clusters=names)
    result = agreement(y1, y2, clusters=names, missing="drop")
    assert (result.n, result.n_dropped, result.missing_clusters) == (39, 1, 1)
    assert "or cluster (1)" in " ".join(str(result).split())
    kept = np.arange(40) != 3
    alone = agreement(y1[kept], y2[kept], clusters=clusters[kept])
    assert result.standard_error == pytest.approx(alone.standard_error, rel=1e-12)
    # A code for a missing rating is not a code for a missing cluster.
    coded = agreement(y1, y2, clusters=clusters, missing="drop", missing_codes=[-9, 7])
    assert coded.n_dropped == 0


def test_items_outside_the_labels_are_in_no_cluster() -> None:
    clusters, y1, y2 = np.array([0, 0, 1, 1, 2, 3]), [0, 1, 1, 0, 5, 1], [0, 1, 0, 0, 5, 1]
    result = agreement(y1, y2, labels=[0, 1], clusters=clusters)
    assert (result.n, result.n_outside, result.n_clusters) == (5, 1, 3)
    kept = [0, 1, 2, 3, 5]
    alone = agreement(np.take(y1, kept), np.take(y2, kept), clusters=clusters[kept])
    assert result.standard_error == alone.standard_error


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        ([1, 2], "clusters, y1 and y2 must have the same length"),
        ([0.5, 1.5, 2.5, 3.5], "clusters must be labels, got numbers with fractions"),
        ([[1, 2], [1, 2], [1, 2], [1, 2]], "clusters must be one-dimensional"),
        ("abcd", "clusters must be a list or an array"),
    ],
)
def test_refused(clusters: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        agreement([0, 1, 0, 1], [0, 1, 1, 1], clusters=clusters)


def test_all_in_one_cluster() -> None:
    with pytest.warns(undefined_metric_warning(), match="all items are in one cluster"):
        result = agreement([0, 1, 0, 1], [0, 1, 1, 1], clusters=[7] * 4)
    assert math.isnan(result.standard_error)
    assert math.isnan(result.p_value)
    assert all(math.isnan(error) for _, _, error, _ in result.rows())


def test_clusters_that_agree_in_all() -> None:
    result = agreement([0, 1, 0, 1, 1], [0, 1, 0, 1, 1], clusters=[1, 1, 2, 2, 2])
    assert (result.kappa, result.standard_error) == (1.0, 0.0)
