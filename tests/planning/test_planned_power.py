"""The power of planned tests: moments, large samples, simulated studies, and trends."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastkappa.planning import power, sample_size, sample_size_for_width, several_raters
from fastkappa.planning.expected_z import expected_z, poisson_counts
from fastkappa.planning.planned_tables import (
    as_margins,
    error_of_one_item,
    planned_table,
)

WEIGHTS = (None, "linear", "quadratic")
STUDIES = 1000
RARE = 0.03


def equal(n_labels: int) -> list[float]:
    return [1 / n_labels] * n_labels


def one_rare(n_labels: int) -> list[float]:
    return [RARE, *[(1 - RARE) / (n_labels - 1)] * (n_labels - 1)]


@given(mean=st.floats(0.02, 1e6))
@settings(max_examples=20, deadline=None)
def test_three_counts_have_the_moments_of_poisson(mean: float) -> None:
    counts, probabilities = (part[0] for part in poisson_counts(np.array([mean])))
    assert counts.min() >= 0
    moments = [(probabilities * counts).sum(), (probabilities * (counts - mean) ** 2).sum()]
    moments.append((probabilities * (counts - mean) ** 3).sum())
    assert moments[0] == pytest.approx(mean, rel=2e-3)
    assert moments[1] == pytest.approx(mean, rel=2e-3)
    assert moments[2] == pytest.approx(mean, rel=2e-3, abs=1e-6 * mean**1.5)


def test_expected_z_of_a_product_of_proportions() -> None:
    """The mean of p (1 - p) over n items is p (1 - p) (1 - 1 / n)."""
    n = 1000
    found = expected_z(lambda table: table[:, 0] * table[:, 1] / n**2, np.array([0.2, 0.8]), n)
    assert found.mean == pytest.approx(0.16 * (1 - 1 / n), rel=1e-5)
    assert found.deviation == pytest.approx(0.6 * 0.4 / math.sqrt(n), rel=1e-3)


@pytest.mark.cover(1)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("distance", [1e-3, 1e-5])
def test_near_the_null_n_is_that_of_the_standard_error(weights: Any, distance: float) -> None:
    margin = [0.5, 0.3, 0.2]
    rates: Any = (margin, margin)
    error = error_of_one_item(planned_table("kappa", 0.6, as_margins(rates), weights), weights)
    expected = ((1.959963985 + 0.841621234) * error / distance) ** 2
    n = sample_size(0.6 + distance, null_kappa=0.6, rates=rates, weights=weights)
    assert n == pytest.approx(expected, rel=2 * distance + 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_labels", "kappa"),
    [(2, 1.0), (3, 0.95), (5, 0.95), (5, 0.96), (5, 1.0), (7, 1.0)],
)
def test_no_labels_plan_needs_many_items_far_from_the_null(n_labels: int, kappa: float) -> None:
    """A handful of items is enough, and one or two fewer are not."""
    arguments: dict[str, Any] = {"rates": (equal(n_labels),) * 2}
    n = sample_size(kappa, null_kappa=0.4, **arguments)
    assert n <= 12
    simulated = [
        power(k, kappa, null_kappa=0.4, **arguments, n_simulated=STUDIES, rng=1)
        for k in (n - 2, n + 1)
    ]
    assert simulated[0] < 0.8 < simulated[1]


QUICK = [
    (2, one_rare, None, 1.0, 0.8),
    (2, one_rare, None, 0.5, 0.0),
    (3, equal, "quadratic", 0.95, 0.8),
    (3, one_rare, "linear", 0.6, 0.4),
    (5, equal, "linear", 1.0, 0.8),
    (5, one_rare, "quadratic", 0.95, 0.4),
    (7, equal, None, 0.8, 0.6),
    (7, one_rare, "quadratic", 1.0, 0.8),
]
GRID = [
    (n_labels, rates, weights, *kappas)
    for n_labels, rates, weights, kappas in itertools.product(
        (2, 3, 5, 7),
        (equal, one_rare),
        WEIGHTS,
        ((0.6, 0.4), (0.95, 0.4), (0.95, 0.8), (1.0, 0.4), (1.0, 0.8), (0.3, 0.6), (0.5, 0.0)),
    )
    if n_labels > 2 or weights is None
]


def check_by_simulation(
    n_labels: int, rates: Any, weights: Any, kappa: float, null_kappa: float
) -> None:
    arguments: dict[str, Any] = {"rates": (rates(n_labels),) * 2, "weights": weights}
    n = sample_size(kappa, null_kappa=null_kappa, **arguments)
    planned = power(n, kappa, null_kappa=null_kappa, **arguments)
    simulated = power(n, kappa, null_kappa=null_kappa, **arguments, n_simulated=STUDIES, rng=1)
    assert planned >= 0.8
    assert simulated == pytest.approx(planned, abs=0.07)


@pytest.mark.slow
@pytest.mark.parametrize(("n_labels", "rates", "weights", "kappa", "null_kappa"), QUICK)
def test_planned_studies_have_their_power(
    n_labels: int, rates: Any, weights: Any, kappa: float, null_kappa: float
) -> None:
    check_by_simulation(n_labels, rates, weights, kappa, null_kappa)


@pytest.mark.slow
@pytest.mark.parametrize(("n_labels", "rates", "weights", "kappa", "null_kappa"), GRID)
def test_planned_studies_have_their_power_everywhere(
    n_labels: int, rates: Any, weights: Any, kappa: float, null_kappa: float
) -> None:
    check_by_simulation(n_labels, rates, weights, kappa, null_kappa)


BETWEEN_FIRST = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
TO_SECOND = np.array([[0, 3, 0], [3, 0, 2], [0, 2, 0]])
NOT_NORMAL: list[tuple[dict[str, Any], float]] = [
    ({"kappa": -0.005, "null_kappa": 0.2, "rates": (0.02, 0.02)}, 0.8),
    ({"kappa": 0.3, "null_kappa": 0.6}, 0.5),
    ({"kappa": 0.3, "null_kappa": 0.6, "alpha": 0.01}, 0.5),
    ({"kappa": 0.815, "null_kappa": 0.578, "rates": (0.972, 0.972), "alpha": 0.02}, 0.5),
    ({"kappa": 0.6, "null_kappa": 0.2, "rates": (0.9, 0.8), "alpha": 0.01}, 0.9),
    (
        {
            "kappa": 0.8,
            "null_kappa": 0.4,
            "weights": BETWEEN_FIRST,
            "rates": ([0.3, 0.1, 0.6],) * 2,
        },
        0.8,
    ),
    (
        {"kappa": 0.0, "null_kappa": 0.1, "weights": TO_SECOND, "rates": ([0.02, 0.01, 0.97],) * 2},
        0.5,
    ),
    ({"kappa": 0.95, "null_kappa": 0.8, "rates": (0.05, 0.05), "n_raters": 4}, 0.8),
]


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "target"), NOT_NORMAL)
def test_power_where_z_is_not_normal(plan: dict[str, Any], target: float) -> None:
    """An important cell has a small expected count."""
    n = sample_size(**plan, power=target)
    planned = power(n, **plan)
    assert planned >= target
    assert power(n, **plan, n_simulated=20_000, rng=1) == pytest.approx(planned, abs=0.03)


def test_a_label_that_is_seldom_seen() -> None:
    """Before some 100 items, when the far label occurs, kappa cannot be shown to be high."""
    margin = np.array([2, 4, 7, 51, 19, 16, 0.3])
    arguments: dict[str, Any] = {"rates": (margin / margin.sum(),) * 2, "weights": "quadratic"}
    n = sample_size(0.95, null_kappa=0.4, **arguments)
    simulated = [
        power(k, 0.95, null_kappa=0.4, **arguments, n_simulated=500, rng=1) for k in (n // 2, n)
    ]
    assert simulated[0] < 0.2
    assert simulated[1] == pytest.approx(0.8, abs=0.07)


@pytest.mark.cover(1)
@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_fewer_items_farther_from_the_null(n_labels: int, weights: Any) -> None:
    rates: Any = (one_rare(n_labels),) * 2
    kappas = (0.5, 0.6, 0.8, 1.0)
    needed = [sample_size(kappa, null_kappa=0.4, rates=rates, weights=weights) for kappa in kappas]
    assert needed == sorted(needed, reverse=True)
    assert len(set(needed)) == len(needed)


@pytest.mark.slow
@given(
    raw=st.lists(st.floats(0.02, 1), min_size=2, max_size=3),
    weights=st.sampled_from((*WEIGHTS, "zeros")),
    kappa=st.sampled_from([0.2, 0.5, 0.8, 0.95, 1.0]),
    null_kappa=st.sampled_from([0.0, 0.1, 0.4, 0.7, 0.9]),
)
@settings(max_examples=8, deadline=None, derandomize=True)
def test_power_is_a_probability_that_rises(
    raw: list[float], weights: Any, kappa: float, null_kappa: float
) -> None:
    if kappa == null_kappa:
        return
    margin = np.array(raw) / sum(raw)
    if weights == "zeros":
        weights = BETWEEN_FIRST[: len(raw), : len(raw)]
    arguments: dict[str, Any] = {"rates": (margin, margin), "weights": weights}
    # Simulated powers of small studies are known to within 2.5 %, and rise by steps.
    found = [
        power(n, kappa, null_kappa=null_kappa, **arguments)
        for n in (1, 12, 25, 60, 150, 400, 2000, 10**5)
    ]
    assert all(0 <= value <= 1 for value in found)
    assert all(after >= before - 0.03 for before, after in itertools.pairwise(found))
    assert found[-1] > 0.99


@pytest.mark.slow
def test_rare_labels_need_the_same_number_of_their_items() -> None:
    """n p converges as p goes to 0."""
    for kappa, null_kappa in ((0.8, 0.4), (1.0, 0.4), (0.5, 0.0), (0.3, 0.6)):
        needed = [p * sample_size(kappa, null_kappa=null_kappa, rates=(p, p)) for p in (1e-4, 1e-6)]
        assert needed[1] == pytest.approx(needed[0], rel=0.01)


@pytest.mark.parametrize(("kappa", "null_kappa"), [(0.95, 0.4), (0.999, 0.4), (0.99, 0.8)])
@pytest.mark.parametrize("margin", [(0.5, 0.5), (0.05, 0.95), (0.2,) * 5])
@pytest.mark.parametrize("raters", [3, 6])
def test_several_raters_who_nearly_always_agree(
    kappa: float, null_kappa: float, margin: Any, raters: int
) -> None:
    arguments: dict[str, Any] = {"rates": (margin, margin), "n_raters": raters}
    n = sample_size(kappa, null_kappa=null_kappa, **arguments)
    simulated = power(n, kappa, null_kappa=null_kappa, **arguments, n_simulated=STUDIES, rng=1)
    assert simulated == pytest.approx(power(n, kappa, null_kappa=null_kappa, **arguments), abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("null_kappa", [0.0, 0.4, 0.8])
@pytest.mark.parametrize("margin", [(0.5, 0.5), (0.05, 0.95), (0.2,) * 5])
@pytest.mark.parametrize("raters", [3, 6])
def test_several_raters_who_agree_more_need_fewer_items(
    raters: int, margin: Any, null_kappa: float
) -> None:
    """There are few studies, so n is known to a tenth."""
    arguments: dict[str, Any] = {"rates": (margin, margin), "n_raters": raters}
    kappas = (0.85, 0.9, 0.95, 0.99, 0.999, 1 - 1e-15, 1.0)
    needed = [sample_size(kappa, null_kappa=null_kappa, **arguments) for kappa in kappas]
    assert all(after <= 1.1 * before + 1 for before, after in itertools.pairwise(needed))
    for kappa, n in zip(kappas, needed):
        powers = [
            power(k, kappa, null_kappa=null_kappa, **arguments) for k in (1, 2, n, 2 * n, 10**6)
        ]
        assert all(0 <= value <= 1 for value in powers)
        assert powers[2] >= 0.8
        assert powers[-1] > 0.99


@pytest.mark.parametrize(("null_kappa", "tail", "alpha"), [(0.4, 0.025, 0.05), (0.8, 0.0005, 1e-3)])
def test_full_agreement_rejects_what_makes_it_improbable(
    null_kappa: float, tail: float, alpha: float
) -> None:
    """Three raters, two labels: a guessed item is agreed on once in four times."""
    by_chance = null_kappa + (1 - null_kappa) / 4
    n = math.ceil(math.log(tail) / math.log(by_chance))
    arguments: dict[str, Any] = {"alpha": alpha, "n_raters": 3}
    assert sample_size(1.0, null_kappa=null_kappa, **arguments) == n
    assert power(n - 1, 1.0, null_kappa=null_kappa, **arguments) == 0
    # Kappa is undefined if all items have one of the labels.
    exact = 1 - 2 * 0.5**n
    assert power(n, 1.0, null_kappa=null_kappa, **arguments) == pytest.approx(exact, abs=0.02)
    # Agreement is no evidence for a lower kappa.
    assert power(n, null_kappa, null_kappa=0.99, **arguments) == pytest.approx(
        power(n, null_kappa, null_kappa=0.99, **arguments, n_simulated=STUDIES, rng=1), abs=0.06
    )


def test_many_raters_have_rows_too_rare_for_differences() -> None:
    bias = [
        several_raters.variation_of_z(
            several_raters.planned_rows(0.6, np.array([0.2, 0.3, 0.5]), raters), 0.4, None
        ).bias
        for raters in (10, 20, 40)
    ]
    assert np.ptp(bias) < 0.1


# The width of an interval.


def width_of_a_rare_label(p: float, n: float) -> float:
    """Return the width of the score interval for independent raters, by the margin q.

    The expected table is symmetric, and so is the most likely table with kappa0. It has one other
    parameter.
    """
    from scipy.optimize import brentq, minimize_scalar

    observed = np.array([p * p, p * (1 - p), p * (1 - p), (1 - p) ** 2])

    def cells(q: float, kappa0: float) -> Any:
        both, one = q * q + kappa0 * q * (1 - q), (1 - kappa0) * q * (1 - q)
        return np.array([both, one, one, 1 - both - 2 * one])

    def excess(kappa0: float) -> float:
        def minus(log_q: float) -> float:
            expected = cells(math.exp(log_q), kappa0)
            others = observed[:3] * np.log(expected[:3])
            rest = observed[3] * math.log1p(-float(expected[:3].sum()))
            return -float(others.sum() + rest) / p

        least = math.log(p) - 3
        if kappa0 < 0:  # Both have a positive probability only above this.
            least = max(least, math.log(-kappa0 / (1 - kappa0)) + 1e-12)
        best = minimize_scalar(
            minus, bounds=(least, math.log(0.5)), method="bounded", options={"xatol": 1e-9}
        )
        expected = cells(math.exp(best.x), kappa0)
        chi_square = n * float(((observed - expected) ** 2 / expected).sum())
        return chi_square - 1.959963984540054**2

    return float(brentq(excess, 1e-9, 0.9) - brentq(excess, -0.3, -1e-9))


@pytest.mark.parametrize("p", [1e-2, 1e-4, 1e-6])
def test_width_of_a_rare_label(p: float) -> None:
    n = sample_size_for_width(0.0, 0.1, rates=(p, p))
    assert width_of_a_rare_label(p, n) == pytest.approx(0.1, rel=0.01)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: sample_size_for_width(0.0, 0.1, rates=(1e-9, 1e-9)), "rates are too close to 0"),
        (
            lambda: sample_size(0.8, null_kappa=0.4, rates=(1e-9, 1e-9)),
            "rates are too close to 0",
        ),
        (lambda: sample_size_for_width(0.5, 1e-9), "width=1e-09 is too small"),
        (
            lambda: sample_size(0.5 + 1e-9, null_kappa=0.5),
            "kappa and null_kappa are too close",
        ),
    ],
)
def test_plans_beyond_all_numbers(call: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        call()
