"""Agreement of sampled raters, and of subjects from a finite population (Gwet 2014)."""

from __future__ import annotations

import math
import pickle
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import fastkappa
from fastkappa import (
    Ratings,
    compare_coefficients,
    conger_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    light_kappa,
    randolph_kappa,
)
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.results import MultiRaterResult
from tests.helpers import exact_raters
from tests.multirater.test_multirater_peers import IRRCAC, irrcac, make_ratings

# Ratings of eight subjects by four raters.
ROWS: list[list[int | None]] = [
    [0, 0, 0, 1],
    [1, 1, 2, 1],
    [2, 2, 2, None],
    [0, 1, 0, 0],
    [2, None, 1, 2],
    [1, 1, 1, 1],
    [0, 0, 2, 0],
    [None, 2, 2, 2],
]
OF_LABELS = ("fleiss_kappa", "conger_kappa", "light_kappa", "randolph_kappa", "gwet")
LEVELS = ("nominal", "ordinal", "interval")


def exact(name: str, rows: Any) -> Fraction:
    """Return the coefficient of three labels in exact arithmetic."""
    if name in LEVELS:
        found = exact_raters.alpha(rows, name, [0, 1, 2])
    else:
        found = exact_raters.coefficient(name, rows, 3, None)
    assert found is not None
    return found


def result_of(name: str, rows: Any, **options: Any) -> MultiRaterResult:
    """Return the coefficient of three labels."""
    if name in LEVELS:
        level: Any = name
        return krippendorff_alpha(Ratings.from_array(rows, labels=range(3)), level=level, **options)
    function = gwet_ac1 if name == "gwet" else getattr(fastkappa, name)
    result: MultiRaterResult = function(Ratings.from_array(rows, labels=range(3)), **options)
    return result


def jackknife(name: str, rows: Any) -> float:
    """Return Gwet's variance over raters in exact arithmetic."""
    r = len(rows[0])
    without = [exact(name, [row[:g] + row[g + 1 :] for row in rows]) for g in range(r)]
    mean = sum(without, Fraction(0)) / r
    return float(Fraction(r - 1, r) * sum(((one - mean) ** 2 for one in without), Fraction(0)))


@pytest.mark.parametrize("name", [*OF_LABELS, *LEVELS])
def test_the_jackknife_variance_over_raters_is_added(name: str) -> None:
    fixed = result_of(name, ROWS)
    over_subjects, over_raters = fixed.standard_error**2, jackknife(name, ROWS)
    for n_raters, kept in ((math.inf, 1.0), (16, 0.75), (4, 0.0)):
        sampled = fixed.for_population(n_raters=n_raters)
        assert sampled.value == fixed.value
        assert sampled.standard_error**2 == pytest.approx(
            over_subjects + kept * over_raters, rel=1e-10
        )
        both = fixed.for_population(n_subjects=32, n_raters=n_raters)
        assert both.standard_error**2 == pytest.approx(
            0.75 * over_subjects + kept * over_raters, rel=1e-10
        )


@pytest.mark.cover(1)
@pytest.mark.parametrize("name", IRRCAC)
def test_finite_populations_of_irrcac(name: str) -> None:
    for seed, n_labels, n_raters, missing in ((1, 3, 3, 0.0), (2, 4, 4, 0.15)):
        ratings = make_ratings(seed, n_labels, n_raters, missing)
        figures = irrcac(ratings, n_labels, "identity", name, N=100)
        result = getattr(fastkappa, IRRCAC[name][0])(ratings, interval_method="asymptotic")
        found = result.for_population(n_subjects=100)
        assert found.standard_error == pytest.approx(figures["se"], rel=1e-10)
        low, high = figures["confidence_interval"]
        assert found.interval[0] == pytest.approx(low, rel=1e-10)
        assert min(found.interval[1], 1) == pytest.approx(high, rel=1e-10)


def test_asymptotic_intervals_use_satterthwaites_degrees_of_freedom() -> None:
    fixed = fleiss_kappa(ROWS, labels=range(3), interval_method="asymptotic")
    sampled = fixed.for_population(n_raters=math.inf)
    of_subjects, of_raters = fixed.standard_error**2, jackknife("fleiss_kappa", ROWS)
    freedom = (of_subjects + of_raters) ** 2 / (of_subjects**2 / 7 + of_raters**2 / 3)
    half = stats.t.ppf(0.975, freedom) * math.sqrt(of_subjects + of_raters)
    assert sampled.interval == pytest.approx((fixed.value - half, fixed.value + half))
    z = fixed.value / math.sqrt(of_subjects + of_raters)
    assert sampled.p_value == pytest.approx(2 * stats.t.sf(z, freedom))
    # This is the interval of kappaetc, except for a variance divided by n.
    normal = fleiss_kappa(
        ROWS, labels=range(3), interval_method="asymptotic", distribution="normal"
    ).for_population(n_raters=math.inf)
    half = stats.norm.ppf(0.975) * math.sqrt(7 / 8 * of_subjects + of_raters)
    assert normal.interval == pytest.approx((fixed.value - half, fixed.value + half))


def test_score_statistics_are_divided_by_the_ratio_of_the_variances() -> None:
    fixed = fleiss_kappa(ROWS, labels=range(3))
    sampled = fixed.for_population(n_raters=math.inf)
    of_subjects = 7 / 8 * fixed.standard_error**2
    of_raters = jackknife("fleiss_kappa", ROWS)
    ratio = (of_subjects + of_raters) / of_subjects
    low, high = sampled.interval
    for end in (low, high):
        deviate = abs(fixed.tested.deviates(np.array([end])).deviates[0, 0])
        shares = np.array([8 / 7 * of_subjects, of_raters])
        freedom = shares.sum() ** 2 / (shares[1] ** 2 / 3)
        assert deviate / math.sqrt(ratio) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-4)
    assert low < fixed.interval[0] < fixed.interval[1] < high < 1
    narrow = fixed.for_population(n_subjects=16)
    assert fixed.interval[0] < narrow.interval[0] < narrow.interval[1] < fixed.interval[1]
    assert fixed.for_population(n_subjects=math.inf).interval == fixed.interval


def test_no_error_is_left_if_the_sample_is_the_population() -> None:
    fixed = fleiss_kappa(ROWS, labels=range(3))
    whole = fixed.for_population(n_subjects=8)
    assert whole.standard_error == 0
    assert whole.interval == (fixed.value, fixed.value)
    assert whole.for_population(n_subjects=16).standard_error > 0


def test_full_agreement() -> None:
    rows = [[1, 1, 1], [2, 2, 2], [1, 1, 1], [2, 2, 2], [2, 2, 2]]
    for function in (fleiss_kappa, conger_kappa, light_kappa, gwet_ac1):
        fixed = function(rows)
        sampled = fixed.for_population(n_raters=math.inf)
        assert sampled.standard_error == 0
        assert sampled.interval == fixed.interval


def test_the_kappa_of_each_label() -> None:
    sampled = fleiss_kappa(ROWS * 3, labels=range(3)).for_population(n_subjects=40, n_raters=9)
    for label, found in enumerate(sampled.by_label):
        rows = [[None if code is None else int(code == label) for code in row] for row in ROWS * 3]
        alone = fleiss_kappa(rows, labels=[0, 1]).for_population(n_subjects=40, n_raters=9)
        assert found.value == pytest.approx(alone.value)
        assert found.standard_error == pytest.approx(alone.standard_error)
        assert found.interval == pytest.approx(alone.interval, abs=1e-4)
        assert found.p_value == pytest.approx(alone.p_value)


def test_clusters_are_the_subjects_of_the_population() -> None:
    rows, clusters = ROWS * 3, np.arange(24) // 2
    fixed = fleiss_kappa(rows, labels=range(3), clusters=clusters)
    found = fixed.for_population(n_subjects=48)
    assert found.standard_error == pytest.approx(math.sqrt(0.75) * fixed.standard_error)
    sampled = fixed.for_population(n_raters=math.inf)
    added = sampled.standard_error**2 - fixed.standard_error**2
    assert added == pytest.approx(jackknife("fleiss_kappa", rows))
    assert sampled.freedom < fixed.freedom == 11
    with pytest.raises(ValueError, match="n_subjects must be at least 12, the number of clusters"):
        fixed.for_population(n_subjects=11)


def test_long_ratings_are_those_of_an_array() -> None:
    items, raters, ratings = zip(
        *((i, g, code) for i, row in enumerate(ROWS) for g, code in enumerate(row))
    )
    long = Ratings.from_long(item=items, rater=raters, rating=ratings, labels=range(3))
    for function in (fleiss_kappa, conger_kappa, light_kappa):
        found = function(long).for_population(n_raters=math.inf)
        expected = function(ROWS, labels=range(3)).for_population(n_raters=math.inf)
        assert found.standard_error == pytest.approx(expected.standard_error)


def test_reports_name_the_population() -> None:
    fixed = fleiss_kappa(ROWS, labels=range(3))
    sampled = fixed.for_population(n_subjects=500, n_raters=math.inf)
    assert sampled.population == (500, math.inf)
    assert sampled.to_dict()["population"] == [500, "inf"]
    assert fixed.population is fixed.to_dict()["population"] is None
    assert "score interval for sampled raters" in sampled.sentence()
    assert "population" not in str(fixed)
    assert "items of the population" in str(sampled)
    only = fixed.for_population(n_subjects=500)
    assert "these only" in str(only)
    assert "sampled" not in only.sentence()
    again = pickle.loads(pickle.dumps(sampled))
    assert again.interval == sampled.interval
    assert again.by_label[0].interval == sampled.by_label[0].interval


def test_undefined_without_a_rater() -> None:
    """Without the first rater, the others have no subject in common."""
    fixed = fleiss_kappa([[1, 1, None], [2, 2, None], [1, None, 1], [2, None, 1]])
    with pytest.warns(
        undefined_metric_warning(), match="undefined if one of the raters is left out"
    ):
        sampled = fixed.for_population(n_raters=math.inf)
    assert math.isnan(sampled.standard_error)
    assert all(math.isnan(end) for end in sampled.interval)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fixed.for_population(n_subjects=9)


REFUSED: dict[str, Callable[[MultiRaterResult], Any]] = {
    "n_subjects must be at least 8, the number of subjects in the sample, got 7": lambda r: (
        r.for_population(n_subjects=7)
    ),
    "n_subjects must be at least .* got nan": lambda r: r.for_population(n_subjects=math.nan),
    "n_subjects must be at least .* got '9'": lambda r: r.for_population(n_subjects="9"),  # type: ignore[arg-type]
    "n_raters must be at least 4, the number of raters in the sample, got 3": lambda r: (
        r.for_population(n_raters=3)
    ),
    "n_raters must be at least .* got True": lambda r: r.for_population(n_raters=True),
    "for_population": lambda r: r.for_population(n_subjects=9).bootstrap(n_resamples=9),
    "not the result of for_": lambda r: compare_coefficients(r, r.for_population(n_subjects=9)),
    "copied result has no ratings": lambda r: pickle.loads(pickle.dumps(r)).for_population(
        n_raters=9
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        REFUSED[message](fleiss_kappa(ROWS, labels=range(3)))


def test_raters_must_be_known_and_three() -> None:
    counts = randolph_kappa(Ratings.from_counts([[3, 0], [1, 2], [0, 3]]))
    with pytest.raises(ValueError, match="n_raters requires a result whose ratings and raters"):
        counts.for_population(n_raters=math.inf)
    assert counts.for_population(n_subjects=9).standard_error == pytest.approx(
        math.sqrt(2 / 3) * counts.standard_error
    )
    two = conger_kappa([[1, 1], [1, 2], [2, 2], [2, 2]])
    with pytest.raises(ValueError, match="a sample of 3 to 100 raters, got 2"):
        two.for_population(n_raters=math.inf)
    numbers = np.array([[0.1, 0.2, 0.3], [0.5, 0.7, 0.4], [1.5, 1.2, 1.8]])
    measured = krippendorff_alpha(numbers, level="interval")
    with pytest.raises(ValueError, match="intraclass_correlation"):
        measured.for_population(n_raters=math.inf)


def test_tests_of_other_values_use_the_population() -> None:
    """A two-sided test at 5 % rejects exactly the values outside the interval."""
    sampled = fleiss_kappa(ROWS, labels=range(3)).for_population(n_raters=math.inf)
    for end in sampled.interval:
        assert sampled.test(end)[1] == pytest.approx(0.05, abs=1e-4)
