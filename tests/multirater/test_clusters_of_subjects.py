"""Subjects in clusters: standard errors, tests and the bootstrap of several raters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    Ratings,
    agreement,
    bootstrap,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    light_kappa,
    pairwise_kappa,
    randolph_kappa,
)
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.multirater.items.distinct_rows import RowFinder
from fastkappa.results import MultiRaterResult
from tests.helpers.published_clusters import OBUCHOWSKI, glands

COEFFICIENTS: dict[str, Callable[..., MultiRaterResult]] = {
    "fleiss": fleiss_kappa,
    "fleiss linear": lambda given, **options: fleiss_kappa(given, weights="linear", **options),
    "conger": conger_kappa,
    "conger quadratic": lambda given, **o: conger_kappa(given, weights="quadratic", **o),
    "light": light_kappa,
    "randolph": randolph_kappa,
    "ac1": gwet_ac1,
    "ac2": lambda given, **options: gwet_ac2(given, weights="linear", **options),
    "alpha": krippendorff_alpha,
    "alpha interval": lambda given, **o: krippendorff_alpha(given, level="interval", **o),
}
# A dozen raters with 30 labels have too many profiles for a table; a profile fills two words.
SHAPES = {"few": (40, 4, 3), "many": (25, 12, 30)}


def ratings(
    n: int, n_raters: int = 4, n_labels: int = 3, *, missing: float, seed: int = 0
) -> np.ndarray:
    """Return ratings with about half agreement; every subject has two ratings."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, n_labels, (n, n_raters)).astype(float)
    rows = np.where(rng.random(rows.shape) < 0.6, rows[:, :1], rows)
    gone = rng.random(rows.shape) < missing
    gone[:, :2] &= gone[:, 2:4].sum(axis=1, keepdims=True) == 0
    return np.where(gone, np.nan, rows)


def influences(value: Callable[[np.ndarray], float], rows: np.ndarray, of: Any) -> np.ndarray:
    """Return the influence of each cluster's subjects on a value, by a numerical derivative.

    There are so many copies of all rows that one more or less is a small change.
    """
    copies = 60
    found = []
    for cluster in np.unique(of):
        once = np.repeat(rows, np.where(of == cluster, 1, 0), axis=0)
        many = np.tile(rows, (copies - 1, 1))
        more, less = (
            value(np.concatenate([many, *[once] * extra, rows[of != cluster]])) for extra in (2, 0)
        )
        found.append((more - less) / 2 * len(rows) * copies)
    return np.array(found)


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-14)


@pytest.mark.filterwarnings("ignore:each cluster has one item")
@pytest.mark.cover(1)
@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("shape", SHAPES)
def test_clusters_of_one_change_nothing(name: str, missing: float, shape: str) -> None:
    function = COEFFICIENTS[name]
    rows = ratings(*SHAPES[shape], missing=missing)
    names = [f"patient {i}" for i in np.random.default_rng(1).permutation(len(rows))]
    plain, clustered = function(rows), function(rows, clusters=names)
    # NaN does not equal itself, but its text does.
    assert str(clustered.to_dict()) == str({**plain.to_dict(), "n_clusters": len(rows)})
    assert (plain.design_effect, clustered.design_effect) == (1, 1)
    boot = [one.bootstrap(n_resamples=50, rng=0).interval for one in (plain, clustered)]
    assert boot[0] == boot[1]


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("shape", SHAPES)
def test_copies_of_a_subject_in_a_cluster_are_no_more_than_the_subject(
    name: str, missing: float, shape: str
) -> None:
    function = COEFFICIENTS[name]
    rows = ratings(*SHAPES[shape], missing=missing)
    plain = function(rows, distribution="normal")
    n = len(rows)
    order = np.random.default_rng(2).permutation(3 * n)
    tripled, clusters = np.repeat(rows, 3, axis=0)[order], np.repeat(np.arange(n), 3)[order]
    found = function(tripled, clusters=clusters, distribution="normal")
    assert found.standard_error == close(plain.standard_error)
    assert found.design_effect == pytest.approx(3, rel=1e-12)
    if "alpha" not in name:
        # Alpha also depends on the number of ratings.
        options = {"distribution": "t", "interval_method": "asymptotic"}
        of_t, once = function(tripled, clusters=clusters, **options), function(rows, **options)
        assert of_t.interval == pytest.approx(once.interval, rel=1e-12)
    assert found.n_clusters == n


@pytest.mark.parametrize("name", [n for n in COEFFICIENTS if not n.startswith("alpha")])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_standard_errors_are_those_of_numerical_influences(name: str, missing: float) -> None:
    function = COEFFICIENTS[name]
    rows = ratings(40, missing=missing, seed=1)
    clusters = np.random.default_rng(0).integers(0, 9, 40)
    moved = influences(lambda some: function(some).value, rows, clusters)
    expected = math.sqrt((moved**2).sum()) / 40
    found = function(rows, clusters=clusters, distribution="normal")
    assert found.standard_error == pytest.approx(expected, rel=2e-3)
    of_t = function(rows, clusters=clusters, distribution="t")
    assert of_t.standard_error == close(found.standard_error * math.sqrt(9 / 8))
    assert of_t.n_clusters == 9


def test_two_raters_are_those_of_agreement() -> None:
    patients, pet, spect = glands()
    expected = agreement(pet, spect, clusters=patients, distribution="t")
    rows = list(zip(pet, spect))
    for function in (conger_kappa, light_kappa):
        found = function(rows, clusters=patients, distribution="t")
        assert found.value == close(expected.kappa)
        assert found.standard_error == close(expected.standard_error)
        by_formula = function(
            rows, clusters=patients, distribution="t", interval_method="asymptotic"
        )
        assert by_formula.interval == pytest.approx(expected.interval, rel=1e-12)
        assert found.interval == pytest.approx(
            agreement(pet, spect, clusters=patients).interval, abs=1e-6
        )
        assert found.design_effect == pytest.approx(expected.design_effect, rel=1e-12)
        assert found.n_clusters == 21
    # Counts of Obuchowski's patients: one row per gland, with its patient.
    counts = np.array([[2, 0], [1, 1], [1, 1], [0, 2]])
    each = np.repeat(np.tile(np.arange(4), 21), OBUCHOWSKI.ravel())
    of_counts = Ratings.from_counts(
        counts[each], clusters=np.repeat(np.arange(21), OBUCHOWSKI.sum(axis=1))
    )
    of_rows = fleiss_kappa(rows, clusters=patients)
    assert fleiss_kappa(of_counts).standard_error == close(of_rows.standard_error)


@pytest.mark.filterwarnings("ignore:each cluster has one item")
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("weights", [None, "linear", [[0, 1, 3], [2, 0, 1], [5, 1, 0]]])
def test_every_pair_is_that_of_agreement(weights: Any, missing: float) -> None:
    rows = ratings(60, missing=missing)
    clusters = np.random.default_rng(0).integers(0, 12, 60)
    labels = [0, 1, 2]
    wide = Ratings.from_array(rows, labels=labels, clusters=clusters)
    items, raters = np.nonzero(~np.isnan(rows))
    long = Ratings.from_long(
        item=items,
        rater=raters,
        rating=rows[items, raters].astype(int),
        cluster=clusters[items],
        labels=labels,
    )
    for given in (wide, long):
        found = pairwise_kappa(given, weights=weights)
        for a in range(4):
            for b in set(range(4)) - {a}:
                both = [rows[:, one] for one in (a, b)]
                options: Any = {"weights": weights, "labels": labels, "missing": "drop"}
                expected = agreement(*both, clusters=clusters, **options)
                assert found.standard_errors[a, b] == close(expected.standard_error)
                assert found.lower[a, b] == pytest.approx(expected.interval[0], abs=1e-6)
    singles = pairwise_kappa(rows, weights=weights, labels=labels, clusters=range(60))
    plain = pairwise_kappa(rows, weights=weights, labels=labels)
    assert (singles.standard_errors == plain.standard_errors).all()


def test_pairs_draw_clusters() -> None:
    rows = np.repeat(ratings(60, missing=0.1), 4, axis=0)
    clusters = np.repeat(np.arange(60), 4)
    found = pairwise_kappa(rows, clusters=clusters)
    pair = found["rater 1", "rater 3"]
    drawn = bootstrap(pair, n_resamples=400, method="percentile", rng=0)
    assert drawn.standard_error == pytest.approx(found.standard_errors[0, 2], rel=0.15)


def test_the_bootstrap_draws_clusters() -> None:
    rows = np.repeat(ratings(80, missing=0.1), 4, axis=0)
    result = gwet_ac1(rows, clusters=np.repeat(np.arange(80), 4))
    drawn = result.bootstrap(n_resamples=600, method="percentile", rng=0)
    assert drawn.standard_error == pytest.approx(result.standard_error, rel=0.1)
    assert result.design_effect == pytest.approx(4, rel=1e-12)


def test_the_test_of_independent_subjects_is_left_out() -> None:
    rows = ratings(40, missing=0.0)
    plain, found = (
        fleiss_kappa(rows, clusters=clusters, interval_method="asymptotic")
        for clusters in (None, np.arange(40) // 2)
    )
    assert plain.null_standard_error > 0
    assert math.isnan(found.null_standard_error)
    assert found.z == found.value / found.standard_error
    for label in found.by_label:
        assert math.isnan(label.null_standard_error)
        assert label.z == label.value / label.standard_error
    # A label against all others is Fleiss' kappa of two labels.
    first = fleiss_kappa(
        np.where(rows == 0, 0, 1), clusters=np.arange(40) // 2, interval_method="asymptotic"
    )
    assert found.by_label[0].standard_error == close(first.standard_error)
    assert found.by_label[0].p_value == pytest.approx(first.p_value, rel=1e-10)


def test_clusters_are_reported() -> None:
    rows = ratings(40, missing=0.0)
    found = fleiss_kappa(rows, clusters=np.arange(40) // 2)
    assert "40 items in 20 clusters, 4 raters" in repr(found)
    assert "20" in next(line for line in str(found).splitlines() if line.startswith("clusters"))
    assert found.to_dict()["n_clusters"] == 20
    assert "cluster" not in str(fleiss_kappa(rows))


def test_few_clusters_are_a_reason_for_doubt() -> None:
    rows = [[i % 3, (i + i // 7) % 3, i % 2] for i in range(120)]
    few = "fewer than 50 clusters: intervals tend to be too short"
    assert few in str(fleiss_kappa(rows, clusters=np.arange(120) // 3))
    assert few not in str(fleiss_kappa(rows, clusters=np.arange(120) // 2))
    assert few not in str(fleiss_kappa(rows[:40]))


def test_one_cluster_has_no_standard_error() -> None:
    rows = ratings(10, missing=0.0)
    for function in COEFFICIENTS.values():
        with pytest.warns(undefined_metric_warning(), match="all subjects are in one cluster"):
            found = function(rows, clusters=["a"] * 10)
        assert math.isnan(found.standard_error)
        assert math.isnan(found.p_value)
    with pytest.warns(undefined_metric_warning(), match="errors of 6 of 6 pairs"):
        assert np.isnan(pairwise_kappa(rows, clusters=["a"] * 10).standard_errors[0, 1])


def test_clusters_that_cannot_be_are_refused() -> None:
    rows = ratings(10, missing=0.0)
    for clusters, told in (
        ([1, 2, 3], "for each of the 10 subjects, got 3"),
        ([*range(9), None], "1 missing value in 10 items, the first at position 9"),
        (np.linspace(0, 1, 10), "must be labels, got numbers with fractions"),
        (np.ones((10, 2)), "one-dimensional"),
    ):
        with pytest.raises(ValueError, match=told):
            fleiss_kappa(rows, clusters=clusters)
    with pytest.raises(ValueError, match="clusters must not be passed with a Ratings object"):
        fleiss_kappa(Ratings.from_array(rows), clusters=range(10))
    with pytest.raises(
        ValueError, match=r"item 7 is in clusters 'b' and 'a'\. If each cluster numbers"
    ):
        Ratings.from_long(item=[7, 7], rater=["x", "y"], rating=[1, 2], cluster=["b", "a"])


def test_long_form_from_a_frame_has_clusters() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "item": [3, 3, 1, 1, 2, 2],
            "who": ["a", "b"] * 3,
            "grade": [1, 1, 1, 2, 2, 2],
            "patient": ["x", "x", "y", "y", "x", "x"],
        }
    )
    given = Ratings.from_long(frame, item="item", rater="who", rating="grade", cluster="patient")
    expected = fleiss_kappa([[1, 2], [2, 2], [1, 1]], clusters=["y", "x", "x"])
    assert fleiss_kappa(given).standard_error == close(expected.standard_error)
    with pytest.raises(ValueError, match="must be four different columns"):
        Ratings.from_long(frame, item="item", rater="who", rating="grade", cluster="who")


@pytest.mark.parametrize(("n_columns", "base"), [(3, 4), (10, 5), (30, 9), (40, 1000)])
def test_rows_are_found_among_distinct_ones(n_columns: int, base: int) -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, base, (200, n_columns))
    distinct = rng.permutation(np.unique(rows[:150], axis=0))
    place = {tuple(row): i for i, row in enumerate(distinct.tolist())}
    expected = [place.get(tuple(row), -1) for row in rows.tolist()]
    assert RowFinder(distinct, base).places(rows).tolist() == expected


def test_clusters_of_measurements_are_refused() -> None:
    values = np.random.default_rng(0).random((300, 2))
    with pytest.raises(ValueError, match=r"clusters with level=.* need ratings with at most 200"):
        krippendorff_alpha(values, level="interval", clusters=np.repeat(range(100), 3))
