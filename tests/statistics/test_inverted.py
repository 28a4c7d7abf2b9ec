"""Intervals of the kappas that are not rejected: closed forms, optimisers, odd tables."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, chi2, norm

from fastkappa.statistics.intervals import inverted
from fastkappa.statistics.intervals.inverted import Test, inverted_test, least_kappa
from fastkappa.statistics.kappa import kappas
from tests.helpers.constrained import constrained_proportions
from tests.statistics.test_constrained import TABLES, by_a_general_optimiser

Z = norm.ppf(0.975)
ONE_WAY = np.array([[0.0, 1.0], [0.0, 0.0]])


def ends(test: Test, table: Any, weights: Any = None, confidence: float = 0.95) -> Any:
    low, high = inverted_test(test, np.array(table)[None], weights, confidence)
    return float(low[0]), float(high[0])


@pytest.mark.parametrize("n", [2, 10, 50, 200, 10**5])
def test_full_agreement_of_two_equal_labels(n: int) -> None:
    table = [[n // 2, 0], [0, n // 2]]
    # kappa = 2 p_o - 1, for n successes of n: Wilson's interval and the likelihood's.
    assert ends("score", table) == pytest.approx((2 * n / (n + Z**2) - 1, 1), abs=1e-7)
    assert ends("profile", table) == pytest.approx((2 * math.exp(-(Z**2) / 2 / n) - 1, 1), abs=1e-7)
    # In the opposite case, kappa has its smallest value.
    low, high = ends("score", table[::-1])
    assert low == -1
    assert high == pytest.approx(1 - 2 * n / (n + Z**2), abs=1e-4)


def test_full_agreement_is_as_clopper_and_pearson_have_it_with_the_score_alone() -> None:
    exact = 2 * 0.025 ** (1 / 50) - 1
    assert exact == pytest.approx(0.858, abs=5e-4)
    low, _ = ends("score", [[25, 0], [0, 25]])
    assert low == pytest.approx(exact, abs=0.002)
    # At the end of the likelihood interval, a sample without a disagreement is far too probable.
    low, _ = ends("profile", [[25, 0], [0, 25]])
    assert binom.pmf(0, 50, (1 - low) / 2) > 0.14


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("table", "weights"), TABLES[:-1])
def test_the_profile_ends_where_the_likelihood_ratio_is_the_quantile(
    table: Any, weights: Any, confidence: float
) -> None:
    low, high = ends("profile", table, weights, confidence)
    kappa = float(kappas(np.array(table), weights))
    assert low <= kappa <= high <= 1
    for end in (low, high):
        if end < 1:
            ratio = by_a_general_optimiser(table, weights, end)
            assert ratio == pytest.approx(chi2.ppf(confidence, 1), rel=2e-4)


@pytest.mark.parametrize(("table", "weights"), TABLES)
def test_the_score_ends_where_pearsons_chi_square_is_the_quantile(table: Any, weights: Any) -> None:
    counts = np.array(table)
    for end in ends("score", table, weights):
        if end < 1:
            expected = counts.sum() * constrained_proportions(table, weights, end).proportions
            chi_square = ((counts - expected) ** 2 / expected).sum()
            assert chi_square == pytest.approx(chi2.ppf(0.95, 1), rel=1e-4)


@pytest.mark.parametrize("test", get_args(Test))
def test_nothing_outside_is_accepted_and_nothing_inside_rejected(test: Test) -> None:
    rng = np.random.default_rng(1)
    grid = np.linspace(-0.9, 0.98, 48)
    for _ in range(10):
        table = rng.multinomial(25, rng.dirichlet(np.full(9, 0.4))).reshape(3, 3)
        table[1, 1] += 3
        table[0, 0] += 2
        low, high = ends(test, table, "linear")
        found = constrained_proportions(table, "linear", grid)
        expected = table.sum() * found.proportions
        statistic = {
            "profile": found.likelihood_ratio,
            "score": ((table - expected) ** 2 / expected).sum(axis=(1, 2)),
        }[test]
        inside = (low < grid) & (grid < high)
        assert (statistic[inside] < Z**2).all()
        assert not (statistic[~inside] < Z**2).any()


@pytest.mark.parametrize("test", get_args(Test))
@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_any_table_with_a_kappa_has_an_interval(test: Test, weights: Any) -> None:
    rng = np.random.default_rng(2)
    tables = np.concatenate(
        [rng.multinomial(n, rng.dirichlet(np.full(9, 0.3)), 12) for n in (1, 2, 5, 40)]
    ).reshape(-1, 3, 3)
    low, high = inverted_test(test, tables, weights, 0.95)
    kappa = kappas(tables, weights)
    defined = ~np.isnan(kappa)
    assert ((low >= -1) & (high <= 1) & (low < high))[defined].all()
    assert ((low <= kappa) & (kappa <= high))[defined].all()
    assert np.isnan(low[~defined]).all()
    assert np.isnan(high[~defined]).all()


@pytest.mark.parametrize("test", get_args(Test))
def test_the_raters_and_the_order_of_labels_may_be_exchanged(test: Test) -> None:
    table = np.array([[20, 2, 0], [1, 9, 3], [0, 0, 6]])
    found = ends(test, table, "quadratic")
    assert ends(test, table.T, "quadratic") == pytest.approx(found, abs=1e-7)
    assert ends(test, table[::-1, ::-1], "quadratic") == pytest.approx(found, abs=1e-7)


def donner_eliasziw(table: Any) -> tuple[float, float]:
    """Return their goodness-of-fit interval of the intraclass kappa of two labels (1992)."""
    (both, one), (other, neither) = table
    n = both + one + other + neither
    share = (2 * both + one + other) / (2 * n)
    counts = np.array([both, one + other, neither])

    def excess(kappa: float) -> float:
        mixed = share * (1 - share)
        cells = [
            share**2 + kappa * mixed,
            2 * mixed * (1 - kappa),
            (1 - share) ** 2 + kappa * mixed,
        ]
        expected = n * np.array(cells)
        return float(((counts - expected) ** 2 / expected).sum() - Z**2)

    kappa = 1 - (one + other) / (2 * n * share * (1 - share))
    lowest = -min(share / (1 - share), (1 - share) / share)
    return brentq(excess, lowest + 1e-9, kappa), brentq(excess, kappa, 1 - 1e-12)


@pytest.mark.parametrize(
    "table", [[[40, 5], [5, 50]], [[20, 10], [10, 60]], [[21, 2], [2, 25]], [[40, 15], [15, 30]]]
)
def test_the_score_is_near_the_interval_of_donner_and_eliasziw(table: Any) -> None:
    # Their interval is for raters with the same margins, whose share is treated as known.
    assert ends("score", table) == pytest.approx(donner_eliasziw(table), abs=0.012)


def test_the_least_kappa() -> None:
    for weights in (None, "linear", "quadratic"):
        table = np.zeros((1, 4, 4), int)
        table[0, 0, 3] = table[0, 3, 0] = 5
        assert kappas(table, weights) == -1
    points = np.random.default_rng(3).normal(size=(5, 2))
    assert least_kappa(((points[:, None] - points) ** 2).sum(axis=-1)) == -1
    assert least_kappa(ONE_WAY) == -math.inf
    # One disagreement of the weighted kind, and k of the other: kappa = 1 - (k + 1).
    assert kappas(np.array([[0, 1], [9, 0]]), ONE_WAY) == pytest.approx(-9)


def test_weights_of_one_direction_have_intervals_too() -> None:
    low, high = ends("score", [[0, 3], [90, 0]], ONE_WAY)
    assert -math.inf < low < -30 < high < 1


@pytest.mark.cover(1)
@pytest.mark.parametrize("test", get_args(Test))
@pytest.mark.parametrize("weights", [None, "quadratic"])
def test_a_table_has_the_same_interval_alone_and_in_a_stack(
    test: Test, weights: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # For tables of a few items, a search can end in two places, depending on the last bit.
    generator = np.random.default_rng(0)
    tables = generator.multinomial(4, np.full(25, 0.04), size=40).reshape(-1, 5, 5)
    together = np.transpose(inverted_test(test, tables, weights, 0.95))
    assert together.tolist() == [list(ends(test, table, weights)) for table in tables]
    monkeypatch.setattr(inverted, "BLOCK_CELLS", 7 * 25)
    in_blocks = np.transpose(inverted_test(test, tables, weights, 0.95))
    assert in_blocks.tolist() == together.tolist()
