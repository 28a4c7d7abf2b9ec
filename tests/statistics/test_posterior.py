"""The posterior distribution of kappa: exact probabilities, quantiles of another sampler."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats import dirichlet

from fastkappa import agreement_from_confusion, kappa_posterior
from fastkappa.statistics.kappa import kappas
from tests.helpers.published import TABLES

FLEISS = TABLES["fleiss_1981"].table


def exact_probability(table: Any) -> float:
    """Return the probability of kappa above 0, with 1 added to each cell of two labels.

    Kappa is above 0 if the second rater gives label 0 more often to items that the first calls 0
    than to others: two independent beta variates with whole parameters.
    """
    (a, b), (c, d) = (np.array(table) + 1).tolist()
    # P(Beta(a, b) > Beta(c, d)), summed over binomial terms in exact fractions.
    total = Fraction(0)
    for i in range(c, c + d):
        # P(Beta(c, d) < x) = sum over i >= c of comb(c + d - 1, i) x^i (1 - x)^(c + d - 1 - i)
        m = c + d - 1
        top = Fraction(comb(m, i) * a * comb(a + b - 1, a), 1)
        k, j = a + i, b + m - i
        total += top / (k * comb(k + j - 1, k))
    return float(total)


@pytest.mark.parametrize("table", [[[3, 2], [2, 3]], [[6, 4], [5, 6]], [[1, 4], [0, 3]]])
def test_the_probability_that_kappa_is_above_0_is_exact(table: Any) -> None:
    posterior = kappa_posterior(table, prior=1, n_draws=100_000, rng=1)
    assert posterior.probability_above(0) == pytest.approx(exact_probability(table), abs=0.006)


@pytest.mark.parametrize("weights", [None, "linear", [[0, 1, 4], [2, 0, 1], [5, 1, 0]]])
@pytest.mark.parametrize(("prior", "added"), [("perks", 1 / 9), ("jeffreys", 0.5), (2, 2.0)])
def test_the_interval_is_that_of_other_draws(weights: Any, prior: Any, added: float) -> None:
    draws = dirichlet.rvs(np.ravel(FLEISS) + added, 40_000, np.random.default_rng(2))
    expected = kappas(np.rint(1e9 * draws).astype(int).reshape(-1, 3, 3), weights)
    posterior = kappa_posterior(
        FLEISS, weights=weights, prior=prior, n_draws=40_000, rng=3, confidence=0.9
    )
    assert posterior.interval == pytest.approx(np.quantile(expected, [0.05, 0.95]), abs=0.01)
    assert posterior.mean == pytest.approx(expected.mean(), abs=0.003)
    assert posterior.prior == added


def test_a_seed_repeats_the_draws_and_a_result_brings_its_weights() -> None:
    result = agreement_from_confusion(FLEISS, weights="linear", labels=list("abc"))
    one = kappa_posterior(result, rng=5, n_draws=100)
    two = kappa_posterior(FLEISS, weights="linear", rng=5, n_draws=100)
    np.testing.assert_array_equal(one.draws, two.draws)
    assert one.kappa == result.kappa
    assert repr(one).endswith("100 draws, prior 0.1111>")


def test_one_label_leaves_much_possible() -> None:
    low, high = kappa_posterior([[50, 0], [0, 0]], rng=1).interval
    assert -0.3 < low < 0 < 0.5 < high < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prior": "flat"}, "prior must be 'perks', 'jeffreys' or a number above 0, got 'flat'"),
        ({"prior": 0}, "prior must be"),
        ({"n_draws": 0}, "n_draws must be a whole number of at least 1, got 0"),
        ({"rng": -1}, "rng must be"),
        ({"confidence": 2}, "confidence must be"),
        ({"weights": np.zeros((3, 3))}, "weights must not all be 0"),
    ],
)
def test_what_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kappa_posterior(FLEISS, **arguments)
