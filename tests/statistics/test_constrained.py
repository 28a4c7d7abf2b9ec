"""The most likely proportions under kappa = kappa0, compared with a general optimiser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2_contingency

from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import disagreement_matrix
from tests.helpers.constrained import constrained_proportions

RNG = np.random.default_rng(13)
LOPSIDED = [[0, 1, 5], [0.5, 0, 2], [3, 1, 0]]
TABLES: list[tuple[Any, Any]] = [
    ([[75, 1, 4], [5, 4, 1], [0, 0, 10]], None),
    ([[75, 1, 4], [5, 4, 1], [0, 0, 10]], "linear"),
    ([[75, 1, 4], [5, 4, 1], [0, 0, 10]], LOPSIDED),
    ([[12, 0, 0], [1, 9, 0], [0, 0, 7]], "quadratic"),
    ([[12, 0, 0], [0, 9, 0], [0, 0, 7]], "quadratic"),
    ([[12, 0, 0], [0, 9, 0], [0, 0, 0]], "linear"),
    ([[12, 0, 0], [0, 9, 0], [0, 0, 7]], LOPSIDED),
    ([[4, 0, 3], [0, 0, 0], [1, 1, 6]], LOPSIDED),
    ([[20, 5], [0, 0]], None),
    ([[3, 9], [8, 0]], None),
]


def by_a_general_optimiser(table: Any, weights: Any, kappa0: float, n_starts: int = 5) -> float:
    """Return the likelihood ratio, by sequential quadratic programming from several starts."""
    counts = np.asarray(table, float)
    size, n = len(counts), counts.sum()
    matrix = disagreement_matrix(weights, size)
    matrix = matrix / matrix.max()
    shares, used = counts.ravel() / n, counts.ravel() > 0

    def minus_likelihood(p: Any) -> float:
        return -float((shares[used] * np.log(p[used])).sum())

    def slope(p: Any) -> Any:
        found = np.zeros_like(p)
        found[used] = -shares[used] / p[used]
        return found

    def constraints(p: Any) -> list[Any]:
        square = p.reshape(size, size)
        rows, columns = square.sum(axis=1), square.sum(axis=0)
        return [p.sum() - 1, (square * matrix).sum() - (1 - kappa0) * rows @ matrix @ columns]

    def constraint_slopes(p: Any) -> list[Any]:
        square = p.reshape(size, size)
        means = (matrix @ square.sum(axis=0))[:, None] + square.sum(axis=1) @ matrix
        return [np.ones_like(p), (matrix - (1 - kappa0) * means).ravel()]

    best = np.inf
    for start in range(n_starts):
        alpha = counts.ravel() + (0.5, 0.1, 1, 0.05, 0.3)[start]
        found = minimize(
            minus_likelihood,
            np.maximum(alpha / alpha.sum() if start < 2 else RNG.dirichlet(alpha), 1e-6),
            jac=slope,
            bounds=[(1e-9 * cell, 1) for cell in used],
            constraints={"type": "eq", "fun": constraints, "jac": constraint_slopes},
            method="SLSQP",
            options={"maxiter": 300, "ftol": 1e-13},
        )
        if np.abs(constraints(found.x)).max() < 1e-8:
            best = min(best, found.fun)
    return 2 * float(n) * float(best + (shares[used] * np.log(shares[used])).sum())


@pytest.mark.parametrize(("table", "weights"), TABLES)
@pytest.mark.parametrize("kappa0", [-0.2, 0.1, 0.5, 0.8, 0.95])
def test_as_a_general_optimiser(table: Any, weights: Any, kappa0: float) -> None:
    found = constrained_proportions(table, weights, kappa0)
    assert found.proportions.sum() == pytest.approx(1, abs=1e-12)
    assert found.proportions.min() >= 0
    assert kappas(found.proportions, weights) == pytest.approx(kappa0, abs=1e-11)
    expected = by_a_general_optimiser(table, weights, kappa0)
    # Far below the kappa of the table, the general optimiser stops at local maxima.
    assert found.likelihood_ratio <= expected + 1e-5 * (1 + expected)
    if expected < 20:
        assert found.likelihood_ratio == pytest.approx(expected, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("n", [2, 10, 50, 10**6])
@pytest.mark.parametrize("kappa0", [0.2, 0.7, 0.9])
def test_full_agreement_of_two_equal_labels(n: int, kappa0: float) -> None:
    # kappa = 2 p_o - 1: the likelihood is that of n successes with probability (1 + kappa0) / 2.
    found = constrained_proportions([[n // 2, 0], [0, n // 2]], None, kappa0)
    agree, disagree = (1 + kappa0) / 4, (1 - kappa0) / 4
    assert found.likelihood_ratio == pytest.approx(-2 * n * np.log(2 * agree), rel=1e-8, abs=1e-7)
    np.testing.assert_allclose(found.proportions, [[agree, disagree], [disagree, agree]], atol=1e-5)


@pytest.mark.parametrize("table", [[[20, 5], [10, 15]], [[3, 9], [8, 1]], [[40, 3], [2, 1]]])
def test_kappa_0_of_two_labels_is_independence(table: Any) -> None:
    found = constrained_proportions(table, None, 0.0)
    ratio, _, _, expected = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert found.likelihood_ratio == pytest.approx(ratio, rel=1e-9)
    np.testing.assert_allclose(found.proportions * np.sum(table), expected, rtol=1e-8)


def test_the_kappa_of_the_table_changes_nothing() -> None:
    table, weights = TABLES[1]
    found = constrained_proportions(table, weights, kappas(np.array(table), weights))
    assert found.likelihood_ratio == 0
    np.testing.assert_allclose(found.proportions, np.array(table) / 100)


def test_stacks_are_solved_table_by_table() -> None:
    tables = RNG.multinomial(40, RNG.dirichlet(np.ones(9)), 6).reshape(2, 3, 3, 3)
    kappa0 = np.array([0.1, 0.4, 0.9])
    found = constrained_proportions(tables, "linear", kappa0)
    assert found.likelihood_ratio.shape == (2, 3)
    for i in np.ndindex(2, 3):
        alone = constrained_proportions(tables[i], "linear", kappa0[i[1]])
        np.testing.assert_allclose(found.proportions[i], alone.proportions, atol=1e-9)
        assert found.likelihood_ratio[i] == pytest.approx(alone.likelihood_ratio, rel=1e-9)


def test_the_scale_of_weights_does_not_matter() -> None:
    table = TABLES[0][0]
    small, large = (
        constrained_proportions(table, np.array(LOPSIDED) * scale, 0.2) for scale in (1, 1e6)
    )
    assert small.likelihood_ratio == pytest.approx(large.likelihood_ratio, rel=1e-9)


@pytest.mark.parametrize("kappa0", [-0.5, 0.0, 0.9, 1.0])
def test_one_label_rejects_no_kappa(kappa0: float) -> None:
    assert constrained_proportions([[50, 0], [0, 0]], None, kappa0).likelihood_ratio == 0


def test_kappa_1_is_impossible_after_a_disagreement() -> None:
    found = constrained_proportions([[[20, 1], [0, 20]], [[20, 0], [0, 20]]], None, 1.0)
    assert found.likelihood_ratio.tolist() == [np.inf, 0.0]
    assert np.isnan(found.proportions[0]).all()


def test_below_the_least_kappa_nothing_is_possible() -> None:
    assert constrained_proportions([[3, 9], [8, 1]], None, -1.01).likelihood_ratio == np.inf
