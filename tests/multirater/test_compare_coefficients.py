"""Comparison of two coefficients computed on the same subjects."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import (
    Ratings,
    compare_coefficients,
    compare_predictions,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    light_kappa,
    randolph_kappa,
)
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.results import MultiRaterResult
from tests.helpers.published_dependent import (
    AFTER,
    BEFORE,
    PAIRED_CAC,
    PAIRED_CAC_ALPHA,
    PAIRED_CAC_THREE,
)
from tests.multirater.test_clusters_of_subjects import influences, ratings

Made = Callable[[np.ndarray], MultiRaterResult]
LABELS = [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", PAIRED_CAC)
def test_gwets_example(name: str) -> None:
    function = getattr(fastkappa, name)
    both, error, p_value = PAIRED_CAC[name]
    difference = compare_coefficients(function(AFTER), function(BEFORE))
    assert difference.coefficients == pytest.approx(both, abs=5e-8)
    assert difference.value == pytest.approx(both[0] - both[1], abs=1e-7)
    assert difference.standard_error == pytest.approx(error, abs=5e-8)
    assert difference.p_value == pytest.approx(p_value, abs=5e-9)
    assert (difference.n_subjects, difference.n_clusters) == (15, 15)


@pytest.mark.parametrize("kind", ["list", "numpy", "pyarrow", "dictionary", "date"])
def test_items_are_found_by_their_names(kind: str) -> None:
    """The items of two long ratings can be in any order."""
    pyarrow = pytest.importorskip("pyarrow")
    first = ratings(30, 2, missing=0.0)
    second = np.where(np.arange(30)[:, None] < 10, 2 - first, first)

    def column(values: list[str]) -> Any:
        if kind == "date":
            return np.datetime64("2026-01-01") + np.array([int(v[1:]) for v in values])
        if kind == "list":
            return values
        if kind == "numpy":
            return np.array(values)
        strings = pyarrow.array(values)
        return strings if kind == "pyarrow" else strings.dictionary_encode()

    def long(rows: np.ndarray, order: np.ndarray) -> Ratings:
        item, rater = (part.ravel() for part in np.meshgrid(order, [0, 1], indexing="ij"))
        names, who = [f"i{i}" for i in item], [f"r{r}" for r in rater]
        return Ratings.from_long(
            item=column(names), rater=who, rating=rows[item, rater].astype(int), labels=[0, 1, 2]
        )

    every = np.arange(30)
    one = conger_kappa(long(first, every))
    direct = compare_coefficients(one, conger_kappa(long(second, every)))
    turned = compare_coefficients(one, conger_kappa(long(second, every[::-1])))
    assert turned.value == pytest.approx(direct.value)
    assert turned.standard_error == pytest.approx(direct.standard_error)
    assert direct.standard_error == pytest.approx(
        compare_coefficients(
            conger_kappa(first, labels=[0, 1, 2]), conger_kappa(second, labels=[0, 1, 2])
        ).standard_error
    )


def test_gwets_example_of_three_raters_and_of_alpha() -> None:
    some = [row[:3] for row in AFTER]
    difference = compare_coefficients(fleiss_kappa(some), fleiss_kappa(BEFORE))
    found = difference.value, difference.standard_error, difference.p_value
    assert found == pytest.approx(PAIRED_CAC_THREE, abs=5e-8)
    both, error = PAIRED_CAC_ALPHA
    of_alpha = compare_coefficients(krippendorff_alpha(AFTER), krippendorff_alpha(BEFORE))
    assert of_alpha.coefficients == pytest.approx(both, abs=5e-8)
    assert of_alpha.standard_error * 59 / 60 == pytest.approx(error, abs=5e-8)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("n_clusters", [None, 30])
def test_two_predictions_of_one_truth(weights: Any, n_clusters: int | None) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 400)
    first = np.where(rng.random(400) < 0.7, truth, rng.integers(0, 5, 400))
    second = np.where(rng.random(400) < 0.6, first, rng.integers(0, 5, 400))
    clusters = None if n_clusters is None else rng.integers(0, n_clusters, 400)
    expected = compare_predictions(
        first,
        second,
        y_true=truth,
        weights=weights,
        clusters=clusters,
        interval_method="asymptotic",
    )
    one, two = (
        conger_kappa(
            np.stack([truth, predicted], axis=1),
            weights=weights,
            labels=LABELS,
            clusters=clusters,
            distribution="normal",
        )
        for predicted in (first, second)
    )
    found = compare_coefficients(one, two)
    assert found.value == pytest.approx(expected.value, rel=1e-13)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-13)
    assert found.interval == pytest.approx(expected.interval, rel=1e-12)
    assert found.p_value == pytest.approx(expected.p_value, rel=1e-10)
    assert found.n_clusters == (400 if n_clusters is None else 30)


PAIRS: dict[str, tuple[Made, Made]] = {
    # With single ratings, Gwet's errors are not derivatives, but the errors of Light's kappa are.
    "other raters": (
        lambda rows: light_kappa(rows[:, :2], distribution="t"),
        lambda rows: light_kappa(rows[:, 2:], distribution="t"),
    ),
    "a common rater": (
        lambda rows: light_kappa(rows[:, :2], distribution="t"),
        lambda rows: light_kappa(rows[:, [0, 3]], distribution="t"),
    ),
    "with and without one": (
        lambda rows: light_kappa(rows, weights="quadratic", distribution="t"),
        lambda rows: light_kappa(rows[:, 1:], weights="quadratic", distribution="t"),
    ),
    "labels joined": (
        lambda rows: fleiss_kappa(rows),
        lambda rows: fleiss_kappa(np.where(np.isnan(rows), np.nan, rows > 1)),
    ),
    "other coefficients": (
        lambda rows: light_kappa(rows, weights="linear", distribution="t"),
        lambda rows: gwet_ac1(rows, labels=LABELS[:3]),
    ),
    "other weights": (
        lambda rows: randolph_kappa(rows, weights="quadratic"),
        lambda rows: fleiss_kappa(rows),
    ),
}


@pytest.mark.filterwarnings("ignore:.* never agree on")
@pytest.mark.filterwarnings("ignore:.* agree on .* only as often as expected by chance")
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("pair", PAIRS)
def test_standard_errors_are_those_of_numerical_influences(pair: str, missing: float) -> None:
    rows = ratings(24, missing=missing, seed=3)
    first, second = PAIRS[pair]
    difference = compare_coefficients(first(rows), second(rows))
    each = np.arange(len(rows))
    moved = influences(lambda r: first(r).value - second(r).value, rows, each)
    n = difference.n_subjects
    assert n == len(rows)
    expected = math.sqrt((moved**2).sum() / n / (n - 1))
    assert difference.standard_error == pytest.approx(expected, rel=2e-3)
    assert difference.value == first(rows).value - second(rows).value


def test_standard_errors_are_those_of_the_bootstrap_of_subjects() -> None:
    # As in Vanbelle and Albert (2008): both kappas use the same resampled subjects.
    rows = ratings(150, missing=0.0, seed=5).astype(int)
    drawn = rows[np.random.default_rng(0).integers(0, 150, (4000, 150))]

    def kappas(other: int) -> np.ndarray:
        cells = drawn[..., 0] * 3 + drawn[..., other] + 9 * np.arange(4000)[:, None]
        tables = np.bincount(cells.ravel(), minlength=36000).reshape(4000, 3, 3) / 150
        observed = np.trace(tables, axis1=1, axis2=2)
        expected = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
        return (observed - expected) / (1 - expected)

    found = compare_coefficients(conger_kappa(rows[:, :2]), conger_kappa(rows[:, [0, 2]]))
    assert np.std(kappas(1) - kappas(2)) == pytest.approx(found.standard_error, rel=0.05)


def test_subjects_that_count_in_one_coefficient_alone() -> None:
    # Two samples without a common subject are independent.
    one, two = ratings(60, missing=0.0, seed=1), ratings(80, missing=0.0, seed=2)
    none = np.full((80, 4), np.nan)
    first = fleiss_kappa(np.concatenate([one, none]), distribution="normal")
    second = fleiss_kappa(np.concatenate([none[:60], two]), distribution="normal")
    difference = compare_coefficients(first, second)
    expected = math.hypot(first.standard_error, second.standard_error)
    assert difference.standard_error == pytest.approx(expected, rel=1e-12)
    assert difference.n_subjects == 140


def test_a_coefficient_is_no_different_from_itself() -> None:
    difference = compare_coefficients(fleiss_kappa(BEFORE), fleiss_kappa(BEFORE))
    assert (difference.value, difference.standard_error) == (0, 0)
    assert math.isnan(difference.z)
    # Scott's pi and alpha of the same ratings differ by a constant factor.
    alike = compare_coefficients(fleiss_kappa(BEFORE), krippendorff_alpha(BEFORE))
    assert alike.standard_error == 0


@pytest.mark.parametrize("clusters", [None, np.arange(40) // 3])
def test_long_form_compares_alike(clusters: Any) -> None:
    rows = ratings(40, missing=0.3, seed=4)
    rows[5, [1, 2]] = rows[[6, 7], 0] = rows[[6, 7], 3] = np.nan
    every = np.arange(40)

    def long(some: list[int], n_added: int = 40) -> Ratings:
        items, places = np.nonzero(~np.isnan(rows[:, some]))
        raters = np.array(some)[places]
        given = rows[items, raters].astype(int)
        # A row of missing ratings stands for an item that these raters did not rate.
        order = np.random.default_rng(some[0]).permutation(len(items) + n_added)
        items = np.append(items, every[:n_added])[order]
        return Ratings.from_long(
            item=np.array([f"item {i}" for i in items]),
            rater=np.append(raters, np.full(n_added, some[0]))[order],
            rating=np.append(given, np.full(n_added, -1))[order],
            cluster=None if clusters is None else clusters[items],
            missing_codes=[-1],
        )

    def wide(some: list[int]) -> Ratings:
        return Ratings.from_array(rows[:, some], clusters=clusters)

    for function in (fleiss_kappa, conger_kappa):
        expected = compare_coefficients(function(wide([0, 1, 2])), function(wide([1, 2, 3])))
        found = compare_coefficients(function(long([0, 1, 2])), function(long([1, 2, 3])))
        assert found.value == pytest.approx(expected.value, rel=1e-12)
        assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-12)
        assert found.n_clusters == expected.n_clusters
        if clusters is None:
            # An item that only one result uses is treated like a row of missing ratings.
            parts = long([1, 2], 0), long([0, 3], 0)
            assert parts[0].n_subjects != parts[1].n_subjects
            alike = compare_coefficients(*map(function, parts))
            of_wide = compare_coefficients(function(wide([1, 2])), function(wide([0, 3])))
            assert alike.standard_error == pytest.approx(of_wide.standard_error, rel=1e-12)


def test_clusters_of_equal_subjects_are_no_more_than_one_subject() -> None:
    rows = ratings(30, missing=0.2, seed=6)
    alone = compare_coefficients(fleiss_kappa(rows), gwet_ac1(rows))
    doubled, clusters = np.repeat(rows, 2, axis=0), np.repeat(np.arange(30), 2)
    found = compare_coefficients(
        fleiss_kappa(doubled, clusters=clusters), gwet_ac1(doubled, clusters=clusters[::-1])
    )
    assert found.standard_error == pytest.approx(alone.standard_error, rel=1e-12)
    assert found.interval == pytest.approx(alone.interval, rel=1e-12)
    assert (found.n_subjects, found.n_clusters) == (60, 30)


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (fleiss_kappa(BEFORE), fleiss_kappa(AFTER[:9]), "same subjects, got 15 and 9 subjects"),
        (
            fleiss_kappa(BEFORE),
            light_kappa(AFTER, distribution="normal"),
            "must use the same distribution, got 't' and 'normal'",
        ),
        (
            fleiss_kappa(BEFORE, clusters=range(15)),
            fleiss_kappa(AFTER),
            "same clusters, but only one of them has clusters",
        ),
        (
            fleiss_kappa(BEFORE, clusters=[0] * 7 + [1] * 8),
            fleiss_kappa(AFTER, clusters=[0] * 8 + [1] * 7),
            "same clusters, but they group the subjects differently",
        ),
        (
            conger_kappa(Ratings.from_table([[5, 1], [2, 7]])),
            fleiss_kappa(AFTER),
            "ratings from a confusion matrix do not show",
        ),
        (
            pickle.loads(pickle.dumps(fleiss_kappa(BEFORE))),
            fleiss_kappa(AFTER),
            "first has no ratings",
        ),
        (fleiss_kappa(BEFORE), copy.deepcopy(fleiss_kappa(AFTER)), "second has no ratings"),
    ],
)
def test_what_cannot_be_compared(first: Any, second: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        compare_coefficients(first, second)


def test_other_items_and_other_results_are_refused() -> None:
    columns = {"rater": ["a", "b"] * 2, "rating": [1, 1, 2, 1]}
    first = fleiss_kappa(Ratings.from_long(item=[1, 1, 2, 2], **columns))
    second = fleiss_kappa(Ratings.from_long(item=[3, 3, 4, 4], **columns))
    with pytest.raises(ValueError, match="no items in common: use compare_strata"):
        compare_coefficients(first, second)
    one, two = (
        fleiss_kappa(Ratings.from_long(item=items, cluster=[1, 1, 2, 2], **columns))
        for items in ([1, 1, 2, 2], [1, 1, 3, 3])
    )
    with pytest.raises(ValueError, match="same items, got 2 and 2 items, with 1 in common"):
        compare_coefficients(one, two)
    with pytest.raises(ValueError, match="long form cannot be compared with ratings in"):
        compare_coefficients(first, fleiss_kappa([[1, 1], [2, 1]]))
    with pytest.raises(TypeError, match="second must be a result of fleiss_kappa"):
        compare_coefficients(first, fastkappa.agreement([1, 2], [1, 2]))  # type: ignore[arg-type]


def test_changed_ratings_are_refused() -> None:
    rows = np.array(BEFORE)
    first, second = fleiss_kappa(rows), fleiss_kappa(AFTER)
    rows[0] = 3
    with pytest.raises(ValueError, match="changed after they were counted"):
        compare_coefficients(first, second)


def test_undefined_coefficients_and_one_cluster_warn() -> None:
    with pytest.warns(undefined_metric_warning()):
        undefined = fleiss_kappa([[1, 1]] * 15)
    with pytest.warns(
        undefined_metric_warning(), match="compared, because the second is undefined"
    ):
        difference = compare_coefficients(fleiss_kappa(BEFORE), undefined)
    assert math.isnan(difference.value)
    assert math.isnan(difference.p_value)
    with pytest.warns(undefined_metric_warning(), match="of Fleiss' kappa is undefined"):
        single = fleiss_kappa(BEFORE, clusters=["x"] * 15)
    with pytest.warns(undefined_metric_warning(), match="the standard error is undefined"):
        difference = compare_coefficients(single, single)
    assert math.isnan(difference.standard_error)
    assert difference.value == 0
