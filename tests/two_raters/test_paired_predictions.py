"""Two predictions of the same truth: labels that only some columns have, and items left out."""

from __future__ import annotations

import numpy as np
import pytest

from fastkappa import agreement, compare_predictions, kappa_from_confusion
from fastkappa.statistics.intervals.methods import IntervalMethod

ASYMPTOTIC: dict[str, IntervalMethod] = {"interval_method": "asymptotic"}


def test_predictions_of_labels_the_truth_has_not() -> None:
    found = compare_predictions(
        [0, 3, 1, 1], [0, 0, 1, 2], y_true=[0, 0, 1, 1], weights="linear", **ASYMPTOTIC
    )
    assert found.kappas == (
        kappa_from_confusion([[1, 0, 1], [0, 2, 0], [0] * 3], weights="linear"),  # 0, 1, 3
        kappa_from_confusion([[2, 0, 0], [0, 1, 1], [0] * 3], weights="linear"),  # 0, 1, 2
    )
    only = compare_predictions(
        [0, 1, 1, 1, 2, 2, 0],
        [0, 0, 1, 1, 0, 0, 0],
        y_true=[0, 0, 1, 1, 2, 0, None],
        labels=[1, 0],
        missing="drop",
    )
    assert only.kappas == (0.5, 1.0)
    assert (only.n, only.n_outside, only.n_dropped) == (4, 2, 1)
    for text in (str(only), only._repr_html_()):
        assert "on 4 items" in text
        assert "1 item left out because of a missing label" in text
        assert "2 items left out because the truth or a prediction is not among" in text
    assert "on 4 items, with 3 left out, a difference of" in only.sentence()
    assert only.to_dict()["n_outside"] == 2


def test_a_matrix_of_weights_is_for_all_labels() -> None:
    matrix = 1 - np.eye(4)
    truth, first, second = [0, 0, 1, 1], [0, 3, 1, 1], [0, 0, 1, 2]
    found = compare_predictions(first, second, y_true=truth, weights=matrix, **ASYMPTOTIC)
    without = compare_predictions(first, second, y_true=truth, **ASYMPTOTIC)
    assert found.kappas == pytest.approx(without.kappas)


def test_predictions_with_missing_labels() -> None:
    truth, first, second = [0, 1, None, 1, 0], [0, 1, 1, 1, 1], [0, 0, 1, None, 0]
    with pytest.raises(ValueError, match=r"y_true has 1 missing value in 5 items"):
        compare_predictions(first, second, y_true=truth)
    found = compare_predictions(first, second, y_true=truth, missing="drop")
    assert found.kappas == compare_predictions([0, 1, 1], [0, 0, 0], y_true=[0, 1, 0]).kappas


def test_the_number_of_clusters_is_named() -> None:
    truth = [0, 0, 1, 1, 2, 2, 0, 1]
    first, second = [0, 0, 1, 1, 2, 1, 0, 1], [0, 1, 1, 1, 2, 2, 0, 0]
    patients = [1, 1, 2, 2, 3, 3, 4, 4]
    found = compare_predictions(first, second, y_true=truth, clusters=patients)
    assert "on 8 items in 4 clusters" in str(found)
    assert "on 8 items in 4 clusters" in found.sentence()
    assert found.to_dict()["n_clusters"] == 4
    plain = compare_predictions(first, second, y_true=truth)
    assert "cluster" not in str(plain) + plain.sentence()
    assert plain.n_clusters is None


def test_a_perfect_prediction_is_tested_with_the_error_of_the_other() -> None:
    true = np.repeat([0, 1, 2], 40)
    other = np.where(np.arange(120) % 6 == 0, (true + 1) % 3, true)
    found = compare_predictions(true, other, y_true=true, **ASYMPTOTIC)
    alone = agreement(true, other, **ASYMPTOTIC)
    # A prediction without errors has an asymptotic standard error of 0.
    assert found.z == pytest.approx((1 - alone.kappa) / alone.standard_error, rel=1e-12)
