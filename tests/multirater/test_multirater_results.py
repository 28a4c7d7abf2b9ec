"""Agreement of several raters: errors, bootstrap, intervals, and undefined values."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from fastkappa import (
    Ratings,
    agreement,
    agreement_from_confusion,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
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
from fastkappa.results import MultiRaterResult
from tests.helpers.published_raters import (
    DIAGNOSES,
    RELIABILITY_DATA,
)

WEIGHTED = (fleiss_kappa, randolph_kappa, conger_kappa, light_kappa)


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def derivatives(values: Any, multiplicities: Any) -> Any:
    """Return n times the derivative of a coefficient by each multiplicity."""
    n, step = multiplicities.sum(), 1e-4
    each = step * np.eye(len(multiplicities))
    up, down = values(multiplicities + each), values(multiplicities - each)
    return n * (up - down) / (2 * step)


def centred(coefficient: Any) -> Any:
    """Return the influences on a coefficient, with mean 0."""
    values, multiplicities = coefficient.influence().values, coefficient.multiplicities
    return values - multiplicities @ values / multiplicities.sum()


@pytest.mark.filterwarnings("ignore:rater . and rater . agree on all")
@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_standard_errors_are_those_of_the_delta_method(weights: Any) -> None:
    """Gwet's linearised values are derivatives if every subject has two ratings."""
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
        np.testing.assert_allclose(centred(corrected), expected, atol=1e-6)
    for known in (Conger(profiles, distances), Light(profiles, weights)):
        expected = derivatives(known.values, known.multiplicities.astype(float))
        np.testing.assert_allclose(centred(known), expected, atol=1e-6)
    of_data = Alpha(patterns, "interval" if weights else "nominal", np.arange(4))

    def without_correction(multiplicities: Any) -> Any:
        n = multiplicities @ patterns.n_ratings
        return 1 - (1 - of_data.values(multiplicities)) * n / (n - 1)

    expected = derivatives(without_correction, of_data.multiplicities.astype(float))
    np.testing.assert_allclose(centred(of_data), expected, atol=1e-6)


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
    assert result.coefficient.values(np.array([numbers]))[0] == close(resampled)


def test_bootstrap_of_ordinal_alpha_has_distances_of_its_own() -> None:
    result = krippendorff_alpha(RELIABILITY_DATA, level="ordinal")
    numbers = np.array([[3, 1, 1, 1, 2, 1, 1, 1, 1], [1, 2, 1, 2, 1, 1, 1, 2, 0]])
    patterns = result.coefficient._patterns.counts
    for drawn, value in zip(numbers, result.coefficient.values(numbers)):
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
    for shown in ("Fleiss' kappa", f"{result.value:.4f}", "with two ratings", "kappa of 5"):
        assert shown in str(result)
    copy = pickle.loads(pickle.dumps(result))
    assert (
        copy.bootstrap(rng=0, n_resamples=39).interval
        == result.bootstrap(rng=0, n_resamples=39).interval
    )
    assert result.observed_agreement == pytest.approx(0.81818, abs=5e-6)
    assert result.expected_agreement == pytest.approx(0.23872, abs=5e-6)


def test_tests_and_intervals() -> None:
    complete, missing = fleiss_kappa(DIAGNOSES), fleiss_kappa(RELIABILITY_DATA)
    assert complete.z == complete.value / complete.null_standard_error
    assert math.isnan(missing.null_standard_error)
    by_error = fleiss_kappa(RELIABILITY_DATA, interval_method="asymptotic")
    assert by_error.z == by_error.value / by_error.standard_error
    # The score test rejects 0 if its interval excludes 0.
    some = conger_kappa([[1, 1], [1, 2], [2, 2], [2, 1], [2, 2], [1, 1], [2, 2]])
    at_its_p = conger_kappa(
        [[1, 1], [1, 2], [2, 2], [2, 1], [2, 2], [1, 1], [2, 2]], confidence=1 - some.p_value
    )
    assert at_its_p.interval[0] == pytest.approx(0, abs=1e-5)
    assert math.isnan(fleiss_kappa(DIAGNOSES, weights="linear").null_standard_error)
    assert fleiss_kappa(DIAGNOSES, weights="linear").by_label == ()
    low, high = fleiss_kappa(DIAGNOSES, confidence=0.5).interval
    assert complete.interval[0] < low < complete.value < high < complete.interval[1]
    # With one label in use, the distance between two labels is 0, or does not exist.
    perfect = conger_kappa([[1, 1], [2, 2], [1, 1]], interval_method="asymptotic")
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
    for ratings in (
        [[1, 1], [2, None]],
        Ratings.from_raters([[1, 2], [1, None]]),
        Ratings.from_long(item=[1, 1, 2], rater=[1, 2, 1], rating=[1, 1, 2]),
    ):
        for function in (krippendorff_alpha, partial(krippendorff_alpha, level="interval")):
            undefined(function, ratings, "^[^.]*: all ratings of subjects with two or more ratings")
    result = undefined(light_kappa, [[1, None, 1], [2, None, 2], [None, 1, 2]], "share no items")
    assert str(result)
    # Unused labels make these two coefficients defined.
    assert gwet_ac1(Ratings.from_array([[1, 1], [1, 1]], labels=[1, 2])).value == 1
    assert randolph_kappa(Ratings.from_array([[1, 1], [1, 1]], labels=[1, 2])).value == 1


def test_what_is_undefined_prints_so() -> None:
    text = [
        line.split()
        for line in str(gwet_ac1([[1, 2, 2]] * 4, interval_method="asymptotic")).splitlines()
    ]
    assert ["z", "undefined"] in text
    assert ["p", "undefined"] in text
    with pytest.warns(undefined_metric_warning()):
        undefined = fleiss_kappa([[1, 1], [1, 1]])
    text = [line.split() for line in str(undefined).splitlines()]
    assert ["Fleiss'", "kappa", "undefined"] in text
    assert ["kappa", "of", "1", "4", "1.0000", "undefined"] in text
    assert (
        repr(undefined) == "<Fleiss' kappa: undefined (undefined), 2 items, 2 raters, no weights>"
    )
    assert "nan" not in str(undefined)


def test_zero_prints_without_a_sign() -> None:
    result = conger_kappa([[1, 1]] * 105 + [[1, 2]], interval_method="asymptotic")
    expected = "<Conger's kappa: 0.0000 (0.0000 to 0.0000), 106 items, 2 raters, no weights>"
    assert repr(result) == expected
    table = str(pairwise_kappa([[1, 2, 2]] * 3 + [[1, 2, 1]]))
    assert "-0.0000" not in table


@pytest.mark.parametrize(
    ("coefficient", "paired", "with_single"),
    [
        # Observed 1/3; the shares of the labels are 1/2 and 1/2, then 5/8 and 3/8.
        (fleiss_kappa, 1 / 3, 13 / 45),
        (gwet_ac1, 1 / 3, 19 / 51),
        # The first rater's share of 1 is 2/3, then 3/4; the second's is 1/3.
        (conger_kappa, 2 / 5, 3 / 7),
        (light_kappa, 2 / 5, 2 / 5),
        (randolph_kappa, 1 / 3, 1 / 3),
        (krippendorff_alpha, 4 / 9, 4 / 9),
    ],
)
def test_what_single_ratings_count_in(coefficient: Any, paired: float, with_single: float) -> None:
    rows: list[list[int | None]] = [[1, 1], [1, 2], [2, 2]]
    assert coefficient(rows).value == close(paired)
    result = coefficient([*rows, [1, None]])
    assert (result.n_subjects, result.n_paired) == (4, 3)
    assert result.value == close(with_single)


@pytest.mark.parametrize(
    "coefficient",
    [conger_kappa, light_kappa, gwet_ac1, randolph_kappa, krippendorff_alpha],
)
def test_full_agreement_is_tested_by_a_null_error_or_the_score(coefficient: Any) -> None:
    ratings = [[1, 1], [2, 2]] * 10
    fleiss, other = fleiss_kappa(ratings), coefficient(ratings, interval_method="asymptotic")
    assert fleiss.standard_error == other.standard_error == 0
    # Two labels with share 1/2 and 20 pairs of ratings: the null error is 1 / sqrt(20).
    assert fleiss.z == close(math.sqrt(20))
    assert math.isnan(other.z)
    assert math.isnan(other.p_value)
    # Half of the subjects with a disagreement is the score's most likely way to a coefficient of
    # 0: chi-square is 20 / 0.5 - 20. Alpha has a correction, and a value that is far away.
    if coefficient is not krippendorff_alpha:
        assert coefficient(ratings).z == pytest.approx(math.sqrt(20))


def test_an_interval_much_wider_than_the_standard_error() -> None:
    """For two raters, Conger's kappa is Cohen's, and the note about its interval is the same."""
    near = [[40, 5, 0, 0], [5, 40, 5, 0], [0, 5, 40, 5], [0, 0, 5, 40]]
    options: dict[str, Any] = {"weights": "quadratic", "distribution": "normal"}
    cohen = agreement_from_confusion(near, weights="quadratic")
    conger = conger_kappa(Ratings.from_table(near), **options)
    [said] = cohen._report().notes
    assert conger._report().notes == [said.replace("of kappa", "of Conger's kappa")]
    pairs = np.repeat(list(np.ndindex(4, 4)), np.ravel(near), axis=0)
    third = pairs[np.arange(len(pairs)), np.arange(len(pairs)) % 2]
    three = fleiss_kappa(np.column_stack([pairs, third]), **options)
    low, high = three.interval
    ratio = (high - low) / (2 * norm.ppf(0.975) * three.standard_error)
    assert ratio > 1.5
    said = f"the interval of Fleiss' kappa is {ratio:.1f} times as wide"
    assert three._report().notes[0].startswith(said)
    asymptotic = fleiss_kappa(Ratings.from_table(near), **options, interval_method="asymptotic")
    assert not asymptotic._report().notes


def test_the_report_on_few_raters_lists_the_interval_of_each_pair() -> None:
    ratings = np.random.default_rng(1).integers(0, 3, (30, 7))
    given: Any = ratings[:, :6].astype(object)
    given[0, 0] = None
    names = [f"annotator number {i}" for i in range(6)]
    raters = dict(zip(names, given.T.tolist()))
    pairs = pairwise_kappa(Ratings.from_raters(raters), confidence=0.9)
    [grid] = pairs._report().grids
    assert len(grid.rows) == 15
    for (first, second, n, kappa, interval), row in zip(grid.rows, pairs.rows()):
        alone = agreement(
            raters[first], raters[second], labels=[0, 1, 2], missing="drop", confidence=0.9
        )
        assert row[0] == f"{first}, {second}"
        assert (int(n), float(kappa)) == (alone.n, pytest.approx(alone.kappa, abs=5e-5))
        ends = [float(end) for end in interval.split(" to ")]
        assert ends == pytest.approx(alone.interval, abs=5e-5)
    text = str(pairs)
    assert grid.head[-1] == "90 % interval"
    assert max(map(len, text.splitlines())) <= 80
    # More raters have a matrix without intervals.
    assert "interval" not in str(pairwise_kappa(ratings))
