"""Agreement of several raters: weights, levels, labels, confidence and pairs of raters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fastkappa
from fastkappa import (
    Ratings,
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
from tests.helpers.exact_raters import coefficient
from tests.helpers.published_raters import (
    DIAGNOSES,
    RELIABILITY_DATA,
    WORKED_COUNTS,
)

WEIGHTED = (fleiss_kappa, randolph_kappa, conger_kappa, light_kappa)


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def test_labels_that_nobody_gave_count() -> None:
    rows = [[1, 1, 2], [2, 2, 2], [1, 2, 2], [1, 1, 1]]
    two, four = Ratings.from_array(rows), Ratings.from_array(rows, labels=[1, 2, 3, 4])
    zero = [[None if r is None else r - 1 for r in row] for row in rows]
    for function, name in ((gwet_ac1, "gwet"), (randolph_kappa, "randolph_kappa")):
        for ratings, n_labels in ((two, 2), (four, 4)):
            exact = coefficient(name, zero, n_labels, None)
            assert function(ratings).value == close(float(exact or 0))
    assert fleiss_kappa(two).value == close(fleiss_kappa(four).value)


def test_weights() -> None:
    distances = [[0, 2, 6], [2, 0, 4], [6, 4, 0]]
    ratings = Ratings.from_array([[1, 1, 2], [2, 3, 2], [3, 3, 3], [1, 2, None]])
    for function in (*WEIGHTED, gwet_ac2):
        linear = function(ratings, weights=[[0, 1, 2], [1, 0, 1], [2, 1, 0]])
        assert linear.value == close(function(ratings, weights="linear").value)
        with pytest.raises(ValueError, match="shape"):
            function(ratings, weights=[[0, 1], [1, 0]])
        with pytest.raises(ValueError, match="weights"):
            function(ratings, weights="cubic")
        # A common factor has no effect.
        assert function(ratings, weights=distances).value == close(
            function(ratings, weights=np.array(distances) / 7).value
        )
    lopsided = [[0, 1, 2], [3, 0, 1], [2, 1, 0]]
    for function in (fleiss_kappa, randolph_kappa, conger_kappa, gwet_ac2):
        with pytest.raises(ValueError, match="weights must be symmetric"):
            function(ratings, weights=lopsided)
    pairs = pairwise_kappa(ratings, weights=lopsided)
    assert light_kappa(ratings, weights=lopsided).value == close(pairs.mean)
    table = pairs.tables[0]
    assert pairs.values[0, 1] == close(fastkappa.kappa_from_confusion(table, weights=lopsided))
    assert pairs.values[1, 0] == close(fastkappa.kappa_from_confusion(table.T, weights=lopsided))
    assert pairs.values[0, 1] != pairs.values[1, 0]


def test_levels_of_alpha() -> None:
    strings = [["a", "b"], ["b", "b"], ["a", "a"]]
    with pytest.raises(ValueError, match="level='interval' requires numeric labels"):
        krippendorff_alpha(strings, level="interval")
    with pytest.raises(ValueError, match="level must be 'nominal'"):
        krippendorff_alpha(strings, level="cardinal")
    with pytest.raises(ValueError, match="level='ratio' requires non-negative labels, got -1"):
        krippendorff_alpha([[-1, 2], [2, 2]], level="ratio")
    for level in ([[0, 1], [2, 0]], None):
        with pytest.raises(ValueError, match=r"level must be a name, .* or a symmetric matrix"):
            krippendorff_alpha(strings, level=level)
    with pytest.raises(ValueError, match=r"level is not a valid matrix of distances: .* shape"):
        krippendorff_alpha(strings, level=[[0, 1, 2]])
    own = krippendorff_alpha(DIAGNOSES, level=np.subtract.outer(range(5), range(5)) ** 2)
    assert own.value == close(krippendorff_alpha(DIAGNOSES, level="interval").value)
    assert own.standard_error == close(
        krippendorff_alpha(DIAGNOSES, level="interval").standard_error
    )
    # Any numbers can be labels, and large numbers lose no digits.
    measured = np.array(DIAGNOSES) / 10 + 0.05
    far_away = np.array(DIAGNOSES, np.int64) + 10**12
    for moved in (measured, far_away):
        moved_alpha = krippendorff_alpha(moved, level="interval").value
        assert moved_alpha == pytest.approx(
            krippendorff_alpha(DIAGNOSES, level="interval").value, rel=1e-9
        )


def test_pairs_of_raters() -> None:
    names = ["Ann", "Ben", "Cat", "Dan"]
    ratings = Ratings.from_raters(dict(zip(names, map(list, zip(*RELIABILITY_DATA)))))
    result = pairwise_kappa(ratings)
    assert result.rater_names == tuple(names)
    assert np.diag(result.n).tolist() == [9, 10, 11, 11]
    assert result.n[2].tolist() == [8, 9, 11, 10]
    assert (result.n_missing == 12 - result.n).all()
    assert (result.values == result.values.T).all()
    boot = bootstrap(result["Ann", "Ben"], n_resamples=500, rng=0)
    assert boot.value == result.values[0, 1]
    assert "Cat" in str(result)
    assert "4 raters" in repr(result)


def test_pairs_without_a_kappa() -> None:
    rows = [[1, None, 1, 1], [2, None, 2, 1], [None, 1, 2, 1], [None, 2, 2, 1]]
    with pytest.warns(undefined_metric_warning(), match="for 1 of 6 pairs") as caught:
        result = pairwise_kappa(rows)
    assert caught[0].filename == __file__
    assert np.isnan(result.values[0, 1])
    assert np.isnan(result.standard_errors[0, 1])
    assert result.n[0].tolist() == [2, 0, 2, 2]
    assert result.n_missing[0, 1] == 4


@pytest.mark.parametrize("function", [conger_kappa, light_kappa, pairwise_kappa])
def test_counts_do_not_say_whose_ratings_they_are(function: Any) -> None:
    with pytest.raises(
        ValueError, match=f"{function.__name__} needs to know which rater gave which"
    ):
        function(Ratings.from_counts(WORKED_COUNTS))


@pytest.mark.parametrize("confidence", [0, 1, 95, "high"])
def test_confidence(confidence: Any) -> None:
    for function in (*WEIGHTED, gwet_ac1, krippendorff_alpha, pairwise_kappa):
        with pytest.raises(ValueError, match="confidence"):
            function(DIAGNOSES, confidence=confidence)
