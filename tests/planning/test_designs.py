"""Planning: published sample sizes, other solvers, simulated studies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fastkappa import agreement_from_confusion, fleiss_kappa, kappa_from_confusion
from fastkappa.planning import power, sample_size, sample_size_for_width, several_raters
from fastkappa.planning.planned_tables import (
    as_margins,
    error_of_one_item,
    planned_table,
)
from tests.helpers.published_comparisons import PLANS

SIMULATED = 2000


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("plan", PLANS)
def test_sample_sizes_of_irr(plan: Any) -> None:
    arguments: dict[str, Any] = {"rates": plan.rates, "alternative": "one-sided"}
    n = sample_size(plan.kappa, null_kappa=plan.null_kappa, **arguments)
    assert n == plan.n
    assert power(n, plan.kappa, null_kappa=plan.null_kappa, **arguments) >= 0.8
    assert power(n - 1, plan.kappa, null_kappa=plan.null_kappa, **arguments) < 0.8


def cantor(rates: Any, kappa: float) -> float:
    """Return the variance of kappa for one item, by the formula of Cantor (1996)."""
    first, second = rates
    chance = first * second + (1 - first) * (1 - second)
    agree = kappa * (1 - chance) + chance
    both = (agree + first + second - 1) / 2
    table = [[both, first - both], [second - both, 1 - first - second + both]]
    rows, columns = (first, 1 - first), (second, 1 - second)
    cells = [(i, j) for i in (0, 1) for j in (0, 1)]
    same = sum(
        table[i][i] * ((1 - chance) - (columns[i] + rows[i]) * (1 - agree)) ** 2 for i in (0, 1)
    )
    other = sum(table[i][j] * (columns[i] + rows[j]) ** 2 for i, j in cells if i != j)
    rest = (agree * chance - 2 * chance + agree) ** 2
    return (same + (1 - agree) ** 2 * other - rest) / (1 - chance) ** 4


@pytest.mark.parametrize("alternative", ["one-sided", "two-sided"])
@pytest.mark.parametrize(
    ("rates", "kappa", "null_kappa"),
    [((0.5, 0.5), 0.4, 0.0), ((0.3, 0.2), 0.5, 0.7), ((0.9, 0.8), 0.6, 0.4), ((0.4, 0.6), 0, -0.3)],
)
def test_sample_size_and_power_by_the_formula(
    rates: Any, kappa: float, null_kappa: float, alternative: Any
) -> None:
    from scipy.stats import norm

    tail = 0.01 / (2 if alternative == "two-sided" else 1)
    deviations = [math.sqrt(cantor(rates, value)) for value in (null_kappa, kappa)]
    expected = (norm.isf(tail) * deviations[0] + norm.ppf(0.9) * deviations[1]) / (
        kappa - null_kappa
    )
    arguments: dict[str, Any] = {"rates": rates, "alternative": alternative, "alpha": 0.01}
    n = sample_size(kappa, null_kappa=null_kappa, power=0.9, **arguments)
    assert n == math.ceil(expected**2)
    distance = abs(kappa - null_kappa) * math.sqrt(n) - norm.isf(tail) * deviations[0]
    assert power(n, kappa, null_kappa=null_kappa, **arguments) == close(
        norm.cdf(distance / deviations[1])
    )


def test_two_labels_may_be_given_as_proportions() -> None:
    numbers = sample_size(0.6, null_kappa=0.3, rates=(0.3, 0.4))
    assert sample_size(0.6, null_kappa=0.3, rates=([0.3, 0.7], [0.4, 0.6])) == numbers
    for weights in ("linear", "quadratic"):
        assert sample_size(0.6, null_kappa=0.3, rates=(0.3, 0.4), weights=weights) == numbers


@pytest.mark.parametrize(
    ("kappa", "null_kappa", "margin", "weights"),
    [
        (0.8, 0.6, (0.5, 0.5), None),
        (0.7, 0.4, (0.5, 0.3, 0.2), "quadratic"),
        (0.4, 0.6, (0.4, 0.3, 0.2, 0.1), None),
    ],
)
def test_planned_power_is_that_of_simulated_studies(
    kappa: float, null_kappa: float, margin: Any, weights: Any
) -> None:
    """Items are drawn from the mixture in the docstring, and studies are tested by `agreement`."""
    arguments: dict[str, Any] = {"rates": (margin, margin), "weights": weights}
    n = sample_size(kappa, null_kappa=null_kappa, **arguments)
    planned = power(n, kappa, null_kappa=null_kappa, **arguments)
    assert planned == pytest.approx(0.8, abs=0.01)
    simulated = power(n, kappa, null_kappa=null_kappa, **arguments, n_simulated=SIMULATED, rng=0)
    assert simulated == pytest.approx(planned, abs=0.03)
    proportions = (1 - kappa) * np.outer(margin, margin) + kappa * np.diag(margin)
    assert kappa_from_confusion(proportions, weights=weights) == pytest.approx(kappa)
    rng = np.random.default_rng(0)
    tables = rng.multinomial(n, proportions.ravel(), 100).reshape(-1, *proportions.shape)
    side = "greater" if kappa > null_kappa else "less"
    rejected = [
        agreement_from_confusion(
            table,
            weights=weights,
            labels=range(len(table)),
            null_kappa=null_kappa,
            alternative=side,
        ).p_value
        < 0.025
        for table in tables
    ]
    assert np.mean(rejected) == pytest.approx(planned, abs=0.12)


# Several raters.


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_rows_of_common_correlation(rate: float) -> None:
    """Test the probabilities of Donner and Eliasziw (1992) and of Altaye and others (2001)."""
    p, q, r = rate, 1 - rate, 0.4
    two = several_raters.planned_rows(r, np.array([q, p]), 2)
    assert two.counts[:, 1].tolist() == [2, 1, 0]
    expected = [p * p + r * p * q, 2 * (1 - r) * p * q, q * q + r * p * q]
    assert two.proportions == pytest.approx(expected)
    three = several_raters.planned_rows(r, np.array([q, p]), 3)
    expected = [
        p**3 + r * p * q * (p + 1),
        3 * p * p * q * (1 - r),
        3 * p * q * q * (1 - r),
        q**3 + r * p * q * (q + 1),
    ]
    assert three.proportions == pytest.approx(expected)


@pytest.mark.parametrize("weights", [None, "quadratic"])
@pytest.mark.parametrize("null_kappa", [0.0, 0.4])
def test_z_is_that_of_fleiss_kappa(weights: Any, null_kappa: float) -> None:
    rows = several_raters.planned_rows(0.5, np.array([0.5, 0.3, 0.2]), 4)
    times = np.random.default_rng(0).multinomial(200, rows.proportions)
    counts = np.repeat(rows.counts.astype(int), times, axis=0)
    ratings = np.array([np.repeat(np.arange(3), row) for row in counts])
    result = fleiss_kappa(
        ratings, weights=weights, distribution="normal", interval_method="asymptotic"
    )
    means = times[None] / 200 @ several_raters.features(rows, weights)
    z = several_raters.z_of(means, 4, null_kappa, weights)[0] * math.sqrt(200)
    if null_kappa == 0:
        assert z == pytest.approx(result.z, rel=1e-10)
    else:
        assert z == pytest.approx((result.value - null_kappa) / result.standard_error, rel=1e-10)


@pytest.mark.parametrize(
    ("kappa", "null_kappa", "margin", "weights", "raters"),
    [
        (0.6, 0.4, (0.3, 0.7), None, 3),
        (0.8, 0.6, (0.5, 0.5), None, 5),
        (0.7, 0.4, (0.5, 0.3, 0.2), "quadratic", 3),
        (0.3, 0.0, (0.5, 0.5), None, 3),
    ],
)
def test_power_of_several_raters(
    kappa: float, null_kappa: float, margin: Any, weights: Any, raters: int
) -> None:
    arguments: dict[str, Any] = {"rates": (margin, margin), "weights": weights, "n_raters": raters}
    n = sample_size(kappa, null_kappa=null_kappa, **arguments)
    planned = power(n, kappa, null_kappa=null_kappa, **arguments)
    assert power(n - 1, kappa, null_kappa=null_kappa, **arguments) < 0.8 <= planned
    simulated = power(n, kappa, null_kappa=null_kappa, **arguments, n_simulated=SIMULATED, rng=0)
    assert simulated == pytest.approx(planned, abs=0.03)


# The width of an interval.


@pytest.mark.parametrize("margin", [(0.5, 0.5), (0.5, 0.3, 0.2)])
def test_width_of_large_samples(margin: Any) -> None:
    """Here the score interval equals the asymptotic interval."""
    rates = (margin, margin)
    error = error_of_one_item(planned_table("kappa", 0.6, as_margins(rates), None), None)
    n = sample_size_for_width(0.6, 0.02, rates=rates)
    assert n == pytest.approx((2 * 1.959964 * error / 0.02) ** 2, rel=1e-3)


def test_width_of_complete_agreement() -> None:
    """Without disagreement in n, Wilson's interval has width q² / (n + q²), kappa's twice that."""
    squared = 1.959963984540054**2
    assert sample_size_for_width(1, 0.1) == math.ceil(squared * (2 / 0.1 - 1))


def test_width_of_several_raters() -> None:
    n = sample_size_for_width(0.7, 0.2, rates=(0.3, 0.3), n_raters=4)
    rows = several_raters.planned_rows(0.7, np.array([0.3, 0.7]), 4)
    many = np.round(rows.proportions * 1e6).astype(int)
    ratings = np.array([np.repeat((0, 1), row) for row in rows.counts.astype(int)])
    error = fleiss_kappa(np.repeat(ratings, many, axis=0)).standard_error * math.sqrt(many.sum())
    from scipy.stats import t

    width = [2 * t.ppf(0.975, k - 1) * error / math.sqrt(k - 1) for k in (n - 1, n)]
    assert width[1] <= 0.2 * (1 + 1e-6)
    assert width[0] > 0.2 * (1 - 1e-6)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (
            lambda: sample_size(0.5, null_kappa=0.5),
            "kappa and null_kappa must differ, got 0.5 for both",
        ),
        (lambda: sample_size(1.5), "kappa must be a number between -1 and 1, got 1.5"),
        (lambda: sample_size(0.9, rates=(0.5, 0.2)), r"kappa can be at most 0\.4000 .* got 0\.9"),
        (
            lambda: sample_size(0.2, null_kappa=-0.9, rates=(0.5, 0.2)),
            "null_kappa is too low",
        ),
        (lambda: sample_size(0.5, alpha=0), "alpha must be a number between 0 and 1, got 0"),
        (lambda: sample_size(0.5, power=1), "power must be a number between 0 and 1, got 1"),
        (lambda: sample_size(0.5, alternative="more"), "alternative must be .* got 'more'"),
        (lambda: sample_size(0.5, alternative="less"), "must be 'greater', .* got 'less'"),
        (
            lambda: sample_size(0.2, null_kappa=0.5, alternative="greater"),
            r"must be 'less', .* because kappa \(0.2\) is below null_kappa \(0.5\), got 'greater'",
        ),
        (
            lambda: sample_size(0.5, n_raters=1),
            "n_raters must be a whole number of at least 2, got 1",
        ),
        (lambda: sample_size_for_width(1, 0.2, n_raters=3), "kappa must be below 1 for more than"),
        (lambda: sample_size(0.5, n_raters=101), "n_raters must be at most 100, got 101"),
        (lambda: sample_size(0.5, n_raters=3, rates=(0.5, 0.4)), "rates must be the same for all"),
        (
            lambda: sample_size(-0.4, n_raters=3),
            "kappa is too low for 3 raters with these rates",
        ),
        (
            lambda: sample_size(0.8, null_kappa=1),
            "null_kappa must be a number above -1 and below 1, got 1",
        ),
        (
            lambda: sample_size(0.5, n_raters=50, rates=([0.2] * 5,) * 2),
            "n_raters is too large for 5",
        ),
        (
            lambda: power(10, 0.5, n_simulated=-1),
            "n_simulated must be a whole number of at least 0",
        ),
        (lambda: power(10, 0.5, n_simulated=9, rng="x"), "rng must be"),
        (lambda: sample_size_for_width(0.5, 0), "width must be a number between 0 and 2, got 0"),
        (lambda: sample_size_for_width(0.5, 0.1, confidence=1), "confidence must be"),
        (lambda: sample_size(0.5, rates=(1.2, 0.5)), "rates must be proportions that sum to 1"),
        (lambda: sample_size(0.5, rates=([0.5, 0.5], [0.2, 0.3, 0.5])), "rates must be two"),
        (lambda: sample_size(0.5, rates=0.5), "rates must be a pair"),
        (lambda: sample_size(0.5, weights="cubic"), "weights must be"),
        (lambda: power(0, 0.5), "n must be a whole number of at least 1, got 0"),
        (lambda: power(10.5, 0.5), "n must be a whole number of at least 1, got 10.5"),
    ],
)
def test_plans_that_are_none(call: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        call()


def test_a_design_effect_multiplies_the_items() -> None:
    plan: dict[str, Any] = {"rates": (0.3, 0.3)}
    alone, wide = sample_size(0.8, null_kappa=0.5, **plan), sample_size_for_width(0.8, 0.2, **plan)
    joined = sample_size(0.8, null_kappa=0.5, design_effect=1.5, **plan)
    assert joined == math.ceil(1.5 * alone)
    assert sample_size_for_width(0.8, 0.2, design_effect=1.5, **plan) == math.ceil(1.5 * wide)
    found = power(3 * alone, 0.8, null_kappa=0.5, design_effect=3, **plan)
    assert found == power(alone, 0.8, null_kappa=0.5, **plan)
    for function in (
        lambda: sample_size(0.8, design_effect=0.9),
        lambda: sample_size_for_width(0.8, 0.2, design_effect=math.inf),
        lambda: power(50, 0.8, design_effect="2"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match="design_effect must be 1 or more, got"):
            function()
