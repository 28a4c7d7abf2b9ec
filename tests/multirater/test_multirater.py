"""Agreement of several raters: published and exact values, errors, what is reported."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
import warnings
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import fastkappa
from fastkappa import (
    MultiRaterResult,
    Ratings,
    agreement_from_confusion,
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
from fastkappa.multirater.statistics.alpha import Alpha
from fastkappa.multirater.statistics.chance_corrected import (
    ChanceCorrected,
    chance_of_fleiss,
    chance_of_gwet,
    chance_of_randolph,
    distances_of,
)
from fastkappa.multirater.statistics.known_raters import Conger, Light
from tests.helpers.exact_raters import alpha, coefficient
from tests.helpers.published import TABLES
from tests.helpers.published_raters import (
    DIAGNOSES,
    DIAGNOSES_BY_LABEL,
    DIAGNOSES_FLEISS,
    DIAGNOSES_IRR,
    DIAGNOSES_RANDOLPH,
    DIAGNOSES_Z,
    RELIABILITY_ALPHA,
    RELIABILITY_DATA,
    RELIABILITY_IRRCAC,
    RELIABILITY_NOMINAL,
    WORKED_COUNTS,
    WORKED_FLEISS,
)

WEIGHTED = (fleiss_kappa, randolph_kappa, conger_kappa, light_kappa)
LEVELS = ("nominal", "ordinal", "interval", "ratio")


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def test_fleiss_1971() -> None:
    ratings = Ratings.from_array(DIAGNOSES)
    counts = [[row.count(label) for label in range(1, 6)] for row in DIAGNOSES]
    by_counts = fleiss_kappa(Ratings.from_counts(counts, labels=range(1, 6)))
    for result in (fleiss_kappa(ratings), by_counts, fleiss_kappa(np.array(DIAGNOSES))):
        assert result.value == close(DIAGNOSES_FLEISS)
        assert result.value == pytest.approx(DIAGNOSES_IRR["fleiss"], abs=1e-12)
        assert result.z == pytest.approx(DIAGNOSES_Z, abs=5e-10 + 1e-10)
        assert [round(label.value, 3) for label in result.by_label] == DIAGNOSES_BY_LABEL
        assert [label.label for label in result.by_label] == [1, 2, 3, 4, 5]
    assert randolph_kappa(ratings).value == close(DIAGNOSES_RANDOLPH)
    assert conger_kappa(ratings).value == pytest.approx(DIAGNOSES_IRR["conger"], abs=1e-12)
    assert light_kappa(ratings).value == pytest.approx(DIAGNOSES_IRR["light"], abs=1e-12)
    assert pairwise_kappa(ratings).mean == pytest.approx(DIAGNOSES_IRR["light"], abs=1e-12)


def test_worked_example_of_many_raters() -> None:
    result = fleiss_kappa(Ratings.from_counts(WORKED_COUNTS))
    assert round(result.value, 3) == WORKED_FLEISS
    assert (result.n_subjects, result.n_raters, result.n_missing) == (10, 14, 0)


@pytest.mark.parametrize("level", LEVELS)
def test_krippendorff_2011(level: str) -> None:
    result = krippendorff_alpha(RELIABILITY_DATA, level=level)
    assert round(result.value, 3) == RELIABILITY_ALPHA[level]
    if level == "nominal":
        assert result.value == close(float(RELIABILITY_NOMINAL))
    assert (result.n_subjects, result.n_paired, result.n_missing) == (12, 11, 7)


@pytest.mark.parametrize("name", RELIABILITY_IRRCAC)
def test_gwet_2014(name: str) -> None:
    value, error, lower = RELIABILITY_IRRCAC[name]
    result = getattr(fastkappa, name)(RELIABILITY_DATA)
    assert result.value == pytest.approx(value, abs=5.1e-6)
    assert result.standard_error == pytest.approx(error, abs=5.1e-6)
    assert result.interval[0] == pytest.approx(lower, abs=5.1e-6)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("name", TABLES)
def test_of_two_raters_conger_and_light_are_cohen(name: str, weights: Any) -> None:
    table = TABLES[name].table
    ratings = Ratings.from_table(table)
    cohen = agreement_from_confusion(table, weights=weights)
    assert conger_kappa(ratings, weights=weights).value == close(cohen.kappa)
    light = light_kappa(ratings, weights=weights)
    assert (light.value, light.standard_error) == close((cohen.kappa, cohen.standard_error))
    assert light.interval == close(cohen.interval)
    pairs = pairwise_kappa(ratings, weights=weights)
    assert (pairs.values[0, 1], pairs.standard_errors[0, 1]) == close(
        (cohen.kappa, cohen.standard_error)
    )
    assert pairs.lower[0, 1] == close(cohen.interval[0])


rows_of_ratings = st.integers(2, 5).flatmap(
    lambda n_raters: st.lists(
        st.lists(st.sampled_from([0, 1, 2, 3, None]), min_size=n_raters, max_size=n_raters),
        min_size=1,
        max_size=12,
    )
)


def value_of(function: Any, *arguments: Any, **options: Any) -> float:
    """Return a coefficient; a warning must come if and only if it is NaN."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value: float = function(*arguments, **options).value
    assert math.isnan(value) == bool(caught)
    assert all(warning.category is undefined_metric_warning() for warning in caught)
    return value


def assert_same(value: float, exact: Any) -> None:
    if exact is None:
        assert math.isnan(value)
    else:
        assert value == pytest.approx(float(exact), rel=1e-12, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(rows=rows_of_ratings, weights=st.sampled_from([None, "linear", "quadratic"]))
def test_exact_values(rows: Any, weights: Any) -> None:
    if all(rating is None for row in rows for rating in row):
        return
    ratings = Ratings.from_array(rows, labels=range(4))
    for function in WEIGHTED:
        exact = coefficient(function.__name__, rows, 4, weights)
        assert_same(value_of(function, ratings, weights=weights), exact)
    exact = coefficient("gwet", rows, 4, weights)
    assert_same(value_of(gwet_ac2, ratings, weights=weights), exact)
    if weights is None:
        assert_same(value_of(gwet_ac1, ratings), exact)


@settings(max_examples=60, deadline=None)
@given(rows=rows_of_ratings, level=st.sampled_from(LEVELS))
def test_exact_alpha(rows: Any, level: str) -> None:
    if all(rating is None for row in rows for rating in row):
        return
    labels = [0, 1, 5, 7]
    named = [[rating if rating is None else labels[rating] for rating in row] for row in rows]
    ratings = Ratings.from_array(named, labels=labels)
    assert_same(value_of(krippendorff_alpha, ratings, level=level), alpha(rows, level, labels))


def derivatives(values: Any, multiplicities: Any) -> Any:
    """Return n times the derivative of a coefficient by each multiplicity."""
    n, step = multiplicities.sum(), 1e-4
    each = step * np.eye(len(multiplicities))
    up, down = values(multiplicities + each), values(multiplicities - each)
    return n * (up - down) / (2 * step)


@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_standard_errors_are_those_of_the_delta_method(weights: Any) -> None:
    """Gwet's linearised values are derivatives, where every subject has two ratings."""
    rng = np.random.default_rng(3)
    rows = rng.choice(4, (40, 5), p=[0.5, 0.3, 0.1, 0.1]).astype(object)
    rows[:, 1:3] = rows[:, :1]
    rows[rng.random(40) < 0.4, 0] = None
    rows[rng.random(40) < 0.4, 4] = None
    ratings = Ratings.from_array(rows, labels=range(4))
    distances = distances_of(weights, 4)
    patterns, profiles = ratings.patterns, ratings.profiles("this test")
    for chance in (chance_of_fleiss, chance_of_gwet, chance_of_randolph):
        corrected = ChanceCorrected(patterns, distances, chance)
        expected = derivatives(corrected.values, corrected.multiplicities.astype(float))
        np.testing.assert_allclose(corrected.influence(), expected, atol=1e-6)
    for known in (Conger(profiles, distances), Light(profiles, weights)):
        expected = derivatives(known.values, known.multiplicities.astype(float))
        np.testing.assert_allclose(known.influence(), expected, atol=1e-6)
    of_data = Alpha(patterns, "interval" if weights else "nominal", np.arange(4))

    def without_correction(multiplicities: Any) -> Any:
        n = multiplicities @ patterns.n_ratings
        return 1 - (1 - of_data.values(multiplicities)) * n / (n - 1)

    expected = derivatives(without_correction, of_data.multiplicities.astype(float))
    np.testing.assert_allclose(of_data.influence(), expected, atol=1e-6)


@pytest.mark.parametrize("function", [*WEIGHTED, gwet_ac1, krippendorff_alpha])
def test_bootstrap_resamples_subjects(function: Any) -> None:
    result = function(DIAGNOSES)
    boot = result.bootstrap(n_resamples=2000, method="percentile", rng=1)
    assert boot.value == result.value
    assert boot.standard_error == pytest.approx(result.standard_error, rel=0.15)
    again = result.bootstrap(n_resamples=2000, method="percentile", rng=1)
    assert boot.interval == again.interval
    wider = result.bootstrap(n_resamples=2000, method="percentile", rng=1, confidence=0.99)
    assert wider.interval[0] < boot.interval[0] < boot.value < boot.interval[1]
    # A resample is the coefficient of the subjects drawn.
    drawn = np.random.default_rng(5).multinomial(30, np.full(30, 1 / 30))
    resampled = function(np.repeat(DIAGNOSES, drawn, axis=0)).value
    rows = [tuple(row) for row in DIAGNOSES]
    if function in (conger_kappa, light_kappa):
        profiles = Ratings.from_array(DIAGNOSES).profiles("this test").codes + 1
        numbers = [sum(drawn[i] for i in range(30) if rows[i] == tuple(p)) for p in profiles]
    else:
        patterns = Ratings.from_array(DIAGNOSES).patterns.counts
        counts = [tuple(row.count(label) for label in range(1, 6)) for row in rows]
        numbers = [sum(drawn[i] for i in range(30) if counts[i] == tuple(p)) for p in patterns]
    assert result._coefficient.values(np.array([numbers]))[0] == close(resampled)


def test_bootstrap_of_ordinal_alpha_has_distances_of_its_own() -> None:
    result = krippendorff_alpha(RELIABILITY_DATA, level="ordinal")
    numbers = np.array([[3, 1, 1, 1, 2, 1, 1, 1, 1], [1, 2, 1, 2, 1, 1, 1, 2, 0]])
    patterns = result._coefficient._patterns.counts
    for drawn, value in zip(numbers, result._coefficient.values(numbers)):
        counts = Ratings.from_counts(np.repeat(patterns, drawn, axis=0), labels=range(1, 6))
        assert value == close(krippendorff_alpha(counts, level="ordinal").value)


def test_result_cannot_be_changed_and_converts() -> None:
    result = fleiss_kappa(RELIABILITY_DATA)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.value = 1.0  # type: ignore[misc]
    figures = json.loads(json.dumps(result.to_dict()))
    assert figures["value"] == result.value
    assert figures["labels"] == [1, 2, 3, 4, 5]
    assert [row["label"] for row in figures["by_label"]] == [1, 2, 3, 4, 5]
    for shown in ("Fleiss' kappa", f"{result.value:.6f}", "12, 11 with two", "kappa of 5"):
        assert shown in str(result)
    copy = pickle.loads(pickle.dumps(result))
    assert (
        copy.bootstrap(rng=0, n_resamples=9).interval
        == result.bootstrap(rng=0, n_resamples=9).interval
    )
    assert result.observed_agreement == pytest.approx(0.81818, abs=5e-6)
    assert result.expected_agreement == pytest.approx(0.23872, abs=5e-6)


def test_tests_and_intervals() -> None:
    complete, missing = fleiss_kappa(DIAGNOSES), fleiss_kappa(RELIABILITY_DATA)
    assert complete.z == complete.value / complete.null_standard_error
    assert math.isnan(missing.null_standard_error)
    assert missing.z == missing.value / missing.standard_error
    assert math.isnan(fleiss_kappa(DIAGNOSES, weights="linear").null_standard_error)
    assert fleiss_kappa(DIAGNOSES, weights="linear").by_label == ()
    low, high = fleiss_kappa(DIAGNOSES, confidence=0.5).interval
    assert complete.interval[0] < low < complete.value < high < complete.interval[1]
    # With one label in use, the distance of two is 0 in the sample or not there at all.
    perfect = conger_kappa([[1, 1], [2, 2], [1, 1]])
    assert (perfect.value, perfect.standard_error) == (1.0, 0.0)
    assert math.isnan(perfect.z)


def undefined(function: Any, ratings: Any, why: str) -> MultiRaterResult:
    with pytest.warns(undefined_metric_warning(), match=why) as caught:
        result: MultiRaterResult = function(ratings)
    assert caught[0].filename == __file__
    assert math.isnan(result.value)
    assert math.isnan(result.standard_error)
    assert math.isnan(result.p_value)
    return result


def test_undefined_is_nan_and_says_why() -> None:
    for function in (*WEIGHTED, gwet_ac1, krippendorff_alpha):
        undefined(function, [[1, 1], [1, 1]], "the same label")
        undefined(function, [[1, None], [None, 2]], "no subject has two ratings")
    result = undefined(light_kappa, [[1, None, 1], [2, None, 2], [None, 1, 2]], "in common")
    assert str(result)
    # Labels that nobody gave make these two defined.
    assert gwet_ac1(Ratings.from_array([[1, 1], [1, 1]], labels=[1, 2])).value == 1
    assert randolph_kappa(Ratings.from_array([[1, 1], [1, 1]], labels=[1, 2])).value == 1


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
        # A common factor changes nothing.
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
    assert pairs.values[0, 1] == close(fastkappa.kappa_from_confusion(table, lopsided))
    assert pairs.values[1, 0] == close(fastkappa.kappa_from_confusion(table.T, lopsided))
    assert pairs.values[0, 1] != pairs.values[1, 0]


def test_levels_of_alpha() -> None:
    words = [["a", "b"], ["b", "b"], ["a", "a"]]
    with pytest.raises(ValueError, match="level='interval' needs numbers as labels"):
        krippendorff_alpha(words, level="interval")
    with pytest.raises(ValueError, match="level must be one of"):
        krippendorff_alpha(words, level="cardinal")
    with pytest.raises(ValueError, match="level='ratio' needs labels of 0 or more, got -1"):
        krippendorff_alpha([[-1, 2], [2, 2]], level="ratio")
    for level in ([[0, 1], [2, 0]], None):
        with pytest.raises(ValueError, match="level must be a symmetric matrix"):
            krippendorff_alpha(words, level=level)
    with pytest.raises(ValueError, match=r"level is no matrix of distances: .* shape"):
        krippendorff_alpha(words, level=[[0, 1, 2]])
    own = krippendorff_alpha(DIAGNOSES, level=np.subtract.outer(range(5), range(5)) ** 2)
    assert own.value == close(krippendorff_alpha(DIAGNOSES, level="interval").value)
    assert own.standard_error == close(
        krippendorff_alpha(DIAGNOSES, level="interval").standard_error
    )
    # Any numbers are labels, and large ones lose no digits.
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
    boot = result.bootstrap(n_resamples=500, rng=0)
    assert list(boot)[:2] == [("Ann", "Ben"), ("Ann", "Cat")]
    assert boot["Ann", "Ben"].value == result.values[0, 1]
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
def test_counts_do_not_tell_whose_ratings_they_are(function: Any) -> None:
    with pytest.raises(ValueError, match=f"{function.__name__} must know who gave which rating"):
        function(Ratings.from_counts(WORKED_COUNTS))


@pytest.mark.parametrize("confidence", [0, 1, 95, "high"])
def test_confidence(confidence: Any) -> None:
    for function in (*WEIGHTED, gwet_ac1, krippendorff_alpha, pairwise_kappa):
        with pytest.raises(ValueError, match="confidence"):
            function(DIAGNOSES, confidence=confidence)
