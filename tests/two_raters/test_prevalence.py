"""Rogan and Gladen's prevalence, and Lang and Reiczigel's interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fastkappa import confusion_counts, rogan_gladen
from fastkappa.exceptions import undefined_metric_warning


def test_a_published_example() -> None:
    """Brucellosis in 23 of 150 cows, sensitivity .96, specificity .89: 5.1 % (R's epiR)."""
    found = rogan_gladen(23, 150, [[89, 11], [4, 96]])
    assert round(100 * found.value, 1) == 5.1
    assert (found.sensitivity, found.specificity, found.apparent) == (0.96, 0.89, 23 / 150)
    assert found.n_validation == (100, 100)


def test_helicobacter_below_0_is_0() -> None:
    """6 of 151 children, sensitivity .964, specificity .927: 0, up to 1.3 % (R's epiR)."""
    found = rogan_gladen(6, 151, [[927_000, 73_000], [36_000, 964_000]])
    assert found.value == found.interval[0] == 0
    assert found.interval[1] < 0.02


def test_the_variance_is_that_of_the_delta_method() -> None:
    counts = 300, 1000, 80, 100, 150, 200
    k, n, a, positive, b, negative = counts

    def rate(p: float, se: float, sp: float) -> float:
        return (p + sp - 1) / (se + sp - 1)

    values = [k / n, a / positive, b / negative]
    variance = 0.0
    for i, size in enumerate((n, positive, negative)):
        step = 1e-6
        more, less = list(values), list(values)
        more[i] += step
        less[i] -= step
        slope = (rate(*more) - rate(*less)) / (2 * step)
        variance += slope**2 * values[i] * (1 - values[i]) / size
    found = rogan_gladen(k, n, [[b, negative - b], [positive - a, a]])
    assert found.value == pytest.approx(rate(*values), rel=1e-12)
    assert found.standard_error == pytest.approx(math.sqrt(variance), rel=1e-6)


def test_of_a_rater_without_errors_it_is_agresti_and_coulls_interval() -> None:
    many = 10**9
    found = rogan_gladen(30, 100, [[many, 0], [0, many]])
    z = 1.959963984540054
    n = 100 + z * z
    p = (30 + z * z / 2) / n
    half = z * math.sqrt(p * (1 - p) / n)
    assert found.value == pytest.approx(0.3)
    assert found.interval == pytest.approx((p - half, p + half), rel=1e-6)


@pytest.mark.parametrize(
    ("rate", "n", "sensitivity", "positive", "specificity", "negative"),
    [(0.05, 150, 0.9, 60, 0.9, 60), (0.5, 200, 0.8, 50, 0.7, 50), (0.59, 1400, 0.85, 118, 0.9, 82)],
)
def test_the_interval_covers(
    rate: float, n: int, sensitivity: float, positive: int, specificity: float, negative: int
) -> None:
    random, n_studies = np.random.default_rng(0), 1000
    seen = random.binomial(n, rate * sensitivity + (1 - rate) * (1 - specificity), n_studies)
    a = random.binomial(positive, sensitivity, n_studies)
    b = random.binomial(negative, specificity, n_studies)
    covered = 0
    for k, sensitive, specific in zip(seen.tolist(), a.tolist(), b.tolist()):
        table = [[specific, negative - specific], [positive - sensitive, sensitive]]
        low, high = rogan_gladen(k, n, table).interval
        covered += low <= rate <= high
    assert 0.935 <= covered / n_studies <= 0.985


def test_counts_of_ratings_are_a_validation() -> None:
    truth, judge = [0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 0]
    found = rogan_gladen(5, 9, confusion_counts(truth, judge))
    assert repr(found) == repr(rogan_gladen(5, 9, [[2, 1], [1, 3]]))


def test_refusals_and_what_says_nothing() -> None:
    for arguments, message in (
        ((5, 4, [[1, 1], [1, 1]]), "n_positive must be between 0 and n"),
        ((-1, 4, [[1, 1], [1, 1]]), "n_positive must be between 0 and n"),
        ((1, 4, [[0, 0], [1, 1]]), "validation must be a table of two labels"),
        ((1, 4, np.ones((3, 3), int)), "validation must be a table of two labels"),
    ):
        with pytest.raises(ValueError, match=message):
            rogan_gladen(*arguments)  # type: ignore[arg-type]
    with pytest.warns(undefined_metric_warning(), match="sensitivity and specificity is at most 1"):
        found = rogan_gladen(3, 9, [[5, 5], [5, 5]])
    assert math.isnan(found.value)
    assert math.isnan(found.interval[0])
