"""Measurements in clusters, compared with published figures and a jackknife over clusters."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastkappa.exceptions import undefined_metric_warning
from fastkappa.measurements import (
    concordance_correlation,
    intraclass_correlation,
    limits_of_agreement,
    overall_concordance_correlation,
)
from tests.helpers.absent import library
from tests.helpers.published_measurements import EJECTION

PAIRS = np.array([pair for patient in EJECTION for pair in patient])
PATIENTS = np.repeat([f"patient {i}" for i in range(12)], [len(pairs) for pairs in EJECTION])
stats = library("scipy.stats")


def drawn(k: int = 3) -> tuple[Any, Any]:
    """Return measurements of k raters, in clusters of different sizes and in no order."""
    rng = np.random.default_rng(4)
    clusters = rng.integers(0, 9, 40) * 7
    right = rng.normal(50, 5, 63)[clusters] + rng.normal(size=40)
    return right[:, None] + rng.normal(size=(40, k)) + np.arange(k), clusters


def by_jackknife(figure: Callable[[Any], float], ratings: Any, clusters: Any) -> tuple[float, ...]:
    """Return the ends of the interval, recomputing each figure without one cluster."""
    names = np.unique(clusters)
    left = np.array([figure(ratings[clusters != name]) for name in names])
    error = math.sqrt((len(names) - 1) * left.var())
    half = stats.t.ppf(0.975, len(names) - 1) * error
    value = figure(ratings)
    return value - half, value + half, error


def test_limits_of_patients() -> None:
    """Bland and Altman (2007) print 0.6022 -/+ 1.96 * 0.99062, so -1.34 and 2.54."""
    result = limits_of_agreement(*PAIRS.T, clusters=PATIENTS)
    assert result.bias == pytest.approx(0.6022, abs=5e-5)
    assert result.standard_deviation == pytest.approx(0.99062, abs=5e-6)
    assert result.limits == pytest.approx((-1.34, 2.54), abs=5e-3)
    assert (result.n_subjects, result.n_clusters) == (60, 12)
    assert "60 items in 12 clusters" in str(result)
    assert "60 items in 12 clusters" in result.sentence()


def test_intervals_of_limits() -> None:
    def bias(pairs: Any) -> float:
        return limits_of_agreement(*pairs.T).bias

    result = limits_of_agreement(*PAIRS.T, clusters=PATIENTS)
    low, high, _ = by_jackknife(bias, PAIRS, PATIENTS)
    assert result.bias_interval == pytest.approx((low, high))

    # Without a patient, the deviation depends on the clusters of the others.
    rows = np.column_stack([PAIRS, np.unique(PATIENTS, return_inverse=True)[1]])

    def logarithm(rows: Any) -> float:
        first, second, clusters = rows.T
        found = limits_of_agreement(first, second, clusters=clusters.astype(int))
        return math.log(found.standard_deviation)

    below, above = (math.exp(end) for end in by_jackknife(logarithm, rows, PATIENTS)[:2])
    half, upper = high - result.bias, result.limits[1]
    outwards = 1.959963984540054 * (above - result.standard_deviation)
    inwards = 1.959963984540054 * (result.standard_deviation - below)
    ends = upper - math.hypot(half, inwards), upper + math.hypot(half, outwards)
    assert result.upper_interval == pytest.approx(ends)
    mirrored = [2 * result.bias - end for end in reversed(ends)]
    assert result.lower_interval == pytest.approx(mirrored)


@pytest.mark.parametrize("form", ["ICC(1)", "ICC(A,1)", "ICC(C,1)", "ICC(k)", "ICC(C,k)"])
def test_intraclass(form: str) -> None:
    ratings, clusters = drawn()
    k = ratings.shape[1]
    single = form.replace("k", "1") if form != "ICC(k)" else "ICC(1)"

    def logarithm(rows: Any) -> float:
        value = intraclass_correlation(rows)[single].value
        return math.log((1 + (k - 1) * value) / (1 - value))

    low, high, error = by_jackknife(logarithm, ratings, clusters)
    result = intraclass_correlation(ratings, clusters=clusters)
    assert "jackknife over clusters, with fixed raters" in " ".join(str(result).split())
    assert "jackknife" not in str(intraclass_correlation(ratings))
    found = result[form]
    ratios = np.exp([low, high])
    ends = 1 - 1 / ratios if "k" in form else (ratios - 1) / (ratios + k - 1)
    assert found.interval == pytest.approx(tuple(ends))
    assert found.value == intraclass_correlation(ratings)[form].value
    t = logarithm(ratings) / error
    assert found.f == pytest.approx(t * t)
    assert found.p_value == pytest.approx(2 * stats.t.sf(t, len(np.unique(clusters)) - 1))


@pytest.mark.parametrize("k", [2, 3])
def test_concordance(k: int) -> None:
    ratings, clusters = drawn(k)

    def transformed(rows: Any) -> float:
        return math.atanh(overall_concordance_correlation(rows).value)

    low, high, _ = by_jackknife(transformed, ratings, clusters)
    found = overall_concordance_correlation(ratings, clusters=clusters)
    assert found.interval == pytest.approx((math.tanh(low), math.tanh(high)))
    if k == 2:
        of_pair = concordance_correlation(*ratings.T, clusters=clusters)
        assert of_pair.interval == pytest.approx(found.interval)
        reading = of_pair.interpret("landis-koch")
        assert sum(reading.proportions.values()) == pytest.approx(1)


@pytest.mark.filterwarnings("ignore:each cluster has one item")
def test_clusters_of_one_change_nothing() -> None:
    ratings, _ = drawn()
    own = np.arange(len(ratings))[::-1]
    pair = ratings[:, 0], ratings[:, 1]
    for with_clusters, without in (
        (intraclass_correlation(ratings, clusters=own), intraclass_correlation(ratings)),
        (limits_of_agreement(*pair, clusters=own), limits_of_agreement(*pair)),
        (concordance_correlation(*pair, clusters=own), concordance_correlation(*pair)),
    ):
        assert with_clusters.to_dict() == without.to_dict()


def test_one_cluster() -> None:
    ratings, _ = drawn(2)
    alike = np.zeros(len(ratings), int)
    for measure in (concordance_correlation, limits_of_agreement):
        with pytest.warns(undefined_metric_warning(), match="all subjects are in one cluster"):
            found = measure(*ratings.T, clusters=alike)
        interval = getattr(found, "interval", None) or found.bias_interval
        assert all(map(math.isnan, interval))
    with pytest.warns(undefined_metric_warning(), match="all subjects are in one cluster"):
        form = intraclass_correlation(ratings, clusters=alike)["ICC(A,1)"]
    assert all(map(math.isnan, (*form.interval, form.p_value)))
    assert not math.isnan(form.value)


def test_subjects_left_out() -> None:
    ratings, clusters = drawn(2)
    gaps = np.append(ratings, [[math.nan, 1.0]], axis=0)
    found = concordance_correlation(*gaps.T, clusters=np.append(clusters, 99), missing="drop")
    expected = concordance_correlation(*ratings.T, clusters=clusters)
    assert found.interval == expected.interval
    assert found.n_clusters == expected.n_clusters
    with pytest.raises(ValueError, match="an entry for each of the 41 subjects, got 40"):
        limits_of_agreement(*gaps.T, clusters=clusters, missing="drop")


def test_exact_agreement_in_clusters_is_quiet() -> None:
    ratings, clusters = drawn(2)
    same = np.repeat(ratings[:, :1], 2, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert concordance_correlation(*same.T, clusters=clusters).interval == (1, 1)
        assert intraclass_correlation(same, clusters=clusters)["ICC(A,1)"].value == 1
