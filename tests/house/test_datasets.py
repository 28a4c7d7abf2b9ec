"""The published data sets, and the kappas published with them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fastkappa import (
    cohen_kappa_score,
    confusion_counts,
    datasets,
    kappa_from_confusion,
    krippendorff_alpha,
)

# Exact values, which statsmodels, R's vcd, irr and psych, and scikit-learn confirm.
KAPPAS = {
    "cohen_1968": ("29/59", "9/19", "5/11"),
    "fleiss_cohen_everitt_1969": ("3/7", "32/65", "17/30"),
    "fleiss_1981": ("23/34", "13/18", "71/94"),
    "multiple_sclerosis_winnipeg": ("665/3198", "5017/13212", "6905/13163"),
    "multiple_sclerosis_new_orleans": ("349/1177", "21/44", "269/430"),
    "unaided_vision": ("23996387/40303724", "2792397/4280320", "2469849/3516629"),
    "approval_twice": ("687/982", "687/982", "687/982"),
    "skin_condition": ("249/722", "2273/4473", "1371/2075"),
    "salmon_antibody_test": ("1201/1783", "1201/1783", "1201/1783"),
}
N_ITEMS = {
    "diabetic_retinopathy": 17563,
    "cohen_1968": 200,
    "fleiss_cohen_everitt_1969": 200,
    "fleiss_1981": 100,
    "multiple_sclerosis_winnipeg": 149,
    "multiple_sclerosis_new_orleans": 69,
    "unaided_vision": 7477,
    "approval_twice": 1600,
    "skin_condition": 88,
    "salmon_antibody_test": 291,
}


@pytest.mark.parametrize("name", KAPPAS)
def test_kappas_are_the_published_ones(name: str) -> None:
    rated = datasets.load(name)
    for weights, published in zip((None, "linear", "quadratic"), KAPPAS[name]):
        assert kappa_from_confusion(rated.table, weights=weights) == float(Fraction(published))


def test_weighted_kappas_as_cohen_and_fleiss_printed_them() -> None:
    weights = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    cohen = datasets.load("cohen_1968").table
    assert round(kappa_from_confusion(cohen), 3) == 0.492
    assert round(kappa_from_confusion(cohen, weights=weights), 3) == 0.348
    asymmetric = np.array([[0, 1, 4], [1, 0, 6], [2, 2, 0]])
    assert round(kappa_from_confusion(cohen, weights=asymmetric), 3) == 0.353
    fleiss = datasets.load("fleiss_cohen_everitt_1969").table
    assert round(kappa_from_confusion(fleiss), 3) == 0.429
    agreement = np.array([[1, 0, 0.4444], [0, 1, 0.6667], [0.4444, 0.6667, 1]])
    assert round(kappa_from_confusion(fleiss, weights=1 - agreement), 3) == 0.507


def test_retinopathy_scores_as_in_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    y1, y2 = datasets.load("diabetic_retinopathy").expand()
    for weights in (None, "linear", "quadratic"):
        expected = metrics.cohen_kappa_score(y1, y2, weights=weights)
        assert cohen_kappa_score(y1, y2, weights=weights) == pytest.approx(expected, rel=1e-12)


def test_margins_of_the_retinopathy_grades() -> None:
    table = datasets.load("diabetic_retinopathy").table
    assert table.sum(axis=1).tolist() == [12871, 1212, 2702, 425, 353]
    assert table.sum(axis=0).tolist() == [12939, 1231, 2590, 448, 355]


@pytest.mark.parametrize("name", N_ITEMS)
def test_expanded_ratings_count_to_the_table(name: str) -> None:
    rated = datasets.load(name)
    y1, y2 = rated.expand()
    assert len(y1) == len(y2) == N_ITEMS[name]
    assert y1.dtype == np.int8 or y1.dtype.kind == "U"
    counts = confusion_counts(y1, y2)
    assert counts.table.tolist() == rated.table.tolist()
    assert tuple(counts.labels.tolist()) == rated.labels


@pytest.mark.parametrize("name", N_ITEMS)
def test_every_table_says_where_it_is_from(name: str) -> None:
    rated = datasets.load(name)
    assert rated.name == name
    assert rated.table.shape == (len(rated.labels),) * 2
    assert rated.source.endswith(".")
    assert str(N_ITEMS[name]) in rated.description


def test_names_are_those_tested_here() -> None:
    assert set(datasets.names()) == set(N_ITEMS)


def test_changing_a_loaded_table_changes_no_other() -> None:
    datasets.load("cohen_1968").table[:] = 0
    assert datasets.load("cohen_1968").table.sum() == 200


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"name must be one of .*cohen_1968.*, got 'cohen'"):
        datasets.load("cohen")


def test_anaesthetists_as_dawid_and_skene_printed_them() -> None:
    rated = datasets.load_items("anaesthetists")
    assert rated.ratings.shape == (45, len(rated.raters)) == (45, 7)
    assert rated.ratings[[0, 1, 2, 35, 44]].tolist() == [
        [1, 1, 1, 1, 1, 1, 1],
        [3, 3, 3, 4, 3, 3, 4],
        [1, 1, 2, 2, 1, 2, 2],
        [4, 3, 3, 4, 3, 4, 3],
        [2, 2, 2, 2, 2, 2, 2],
    ]
    assert rated.labels == (1, 2, 3, 4)
    # In the vignette of the R package rater, the fourth doctor gives the third patient a 2.
    assert rated.ratings[2, rated.raters.index("4")] == 2
    with pytest.raises(ValueError, match=r"name must be one of anaesthetists, got 'nurses'"):
        datasets.load_items("nurses")


def test_alpha_of_the_anaesthetists_as_in_krippendorff() -> None:
    peer = pytest.importorskip("krippendorff")
    ratings = datasets.load_items("anaesthetists").ratings
    for level in ("nominal", "ordinal", "interval"):
        expected = peer.alpha(ratings.T.astype(float), level_of_measurement=level)
        assert krippendorff_alpha(ratings, level=level).value == pytest.approx(expected, rel=1e-12)
