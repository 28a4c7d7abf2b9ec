"""The test of kappa = null_kappa: other solvers, duality with the interval, published tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from fastkappa import agreement, agreement_by, agreement_from_confusion, kappa_from_confusion
from fastkappa.statistics.intervals.inverted import inverted_test
from fastkappa.statistics.intervals.rao import null_test
from tests.helpers.published import TABLES

WINNIPEG = TABLES["landis_koch_ms_winnipeg"].table
WEIGHTS: tuple[Any, ...] = (None, "linear", "quadratic")


def result_of(table: Any, null_kappa: float, alternative: Any = "two-sided", **other: Any) -> Any:
    return agreement_from_confusion(
        table,
        labels=range(len(table)),
        null_kappa=null_kappa,
        alternative=alternative,
        **other,
    )


def score_by_scipy(table: Any, null_kappa: float, weights: Any) -> tuple[float, Any]:
    """Return the signed root of Pearson's chi-square, and the most likely proportions."""
    from scipy.optimize import minimize

    counts = np.asarray(table, float)
    observed = counts / counts.sum()
    used = counts > 0

    def minus_likelihood(p: Any) -> float:
        return -float((observed[used] * np.log(p.reshape(counts.shape)[used])).sum())

    found = minimize(
        minus_likelihood,
        (0.9 * observed + 0.1 / observed.size).ravel(),
        method="SLSQP",
        bounds=[(1e-12, 1)] * counts.size,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {
                "type": "eq",
                "fun": lambda p: (
                    kappa_from_confusion(np.maximum(p, 0).reshape(counts.shape), weights=weights)
                    - null_kappa
                ),
            },
        ],
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    p = found.x.reshape(counts.shape)
    chi_square = counts.sum() * ((observed - p) ** 2 / p).sum()
    distance = kappa_from_confusion(table, weights=weights) - null_kappa
    return math.copysign(math.sqrt(chi_square), distance), p


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("null_kappa", [0.1, 0.4])
def test_z_by_a_general_optimiser(weights: Any, null_kappa: float) -> None:
    """Return Landis and Koch's neurologists at Winnipeg."""
    result = result_of(WINNIPEG, null_kappa, weights=weights)
    z, p = score_by_scipy(WINNIPEG, null_kappa, weights)
    assert result.z == pytest.approx(z, abs=2e-4)
    error = agreement_from_confusion(np.round(p * 1e7), weights=weights, labels=range(len(p)))
    per_item = error.standard_error * math.sqrt(1e7)
    assert result.null_standard_error == pytest.approx(
        per_item / math.sqrt(np.sum(WINNIPEG)), rel=1e-3
    )


@pytest.mark.parametrize("weights", WEIGHTS)
def test_ends_of_the_score_interval_are_just_rejected(weights: Any) -> None:
    table = np.asarray(WINNIPEG)
    low, high = inverted_test("score", table[None], weights, 0.95)
    for end, sign in ((low[0], 1), (high[0], -1)):
        result = result_of(table, float(end), weights=weights)
        assert result.z == pytest.approx(sign * 1.959963984540054, abs=1e-6)
        assert result.p_value == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("null_kappa", [0.5, 0.9])
def test_equal_labels_are_a_test_of_a_proportion(null_kappa: float) -> None:
    """Disagreement is then equally likely in either direction, and kappa is 1 - 2 d."""
    result = result_of([[45, 5], [5, 45]], null_kappa)
    d = (1 - null_kappa) / 2
    assert result.z == pytest.approx((d - 0.1) / math.sqrt(d * (1 - d) / 100), rel=1e-9)


def test_zero_is_the_test_of_independence() -> None:
    result = agreement_from_confusion(WINNIPEG)
    assert (result.null_kappa, result.alternative) == (0.0, "two-sided")
    assert result.z == pytest.approx(result.kappa / result.null_standard_error, rel=1e-15)
    assert result_of(WINNIPEG, 0).z == result.z
    z, _ = null_test(np.stack([WINNIPEG] * 2), None, 0.0)
    assert z.tolist() == [result.z] * 2


def test_alternatives_as_scipy_names_them() -> None:
    from scipy.stats import norm

    for null_kappa in (0.0, 0.3):
        z = result_of(WINNIPEG, null_kappa).z
        assert result_of(WINNIPEG, null_kappa).p_value == pytest.approx(2 * norm.sf(abs(z)))
        assert result_of(WINNIPEG, null_kappa, "greater").p_value == pytest.approx(norm.sf(z))
        assert result_of(WINNIPEG, null_kappa, "less").p_value == pytest.approx(norm.cdf(z))


def test_undefined_and_certain() -> None:
    with pytest.warns(UserWarning, match="undefined"):
        result = result_of([[10, 0], [0, 0]], 0.4)
    assert np.isnan([result.z, result.p_value]).all()
    exact = result_of([[45, 5], [5, 45]], 0.8)
    assert exact.z == pytest.approx(0, abs=1e-7)
    assert exact.p_value == pytest.approx(1, abs=1e-6)


def test_ratings_groups_and_report() -> None:
    y1 = [0, 0, 1, 1, 0, 1, 0, 1, 1, 0] * 6
    y2 = [0, 0, 1, 1, 0, 1, 1, 1, 1, 0] * 6
    result = agreement(y1, y2, null_kappa=0.6, alternative="greater")
    assert result.z == result_of(result.table, 0.6).z
    found = result.to_dict()
    assert (found["null_kappa"], found["alternative"]) == (0.6, "greater")
    assert "z of kappa <= 0.6" in str(result)
    assert "p of kappa <= 0.6" in str(result)
    assert "p of kappa = 0.6" in str(result_of(result.table, 0.6))
    assert "p of kappa >= 0.6" in str(result_of(result.table, 0.6, "less"))
    assert "p of kappa = 0 " in str(agreement(y1, y2))
    groups = agreement_by(y1, y2, groups=[0, 1] * 30, null_kappa=0.6, alternative="greater")
    for one in (*groups.values(), groups.pooled):
        assert (one.null_kappa, one.alternative) == (0.6, "greater")
    assert groups.pooled.p_value == result.p_value


@pytest.mark.parametrize("null_kappa", [1, -1, 1.5, math.nan, "0.5", None])
def test_what_cannot_be_tested(null_kappa: Any) -> None:
    for call in (
        lambda: agreement([0, 1], [0, 1], null_kappa=null_kappa),
        lambda: agreement_from_confusion([[1, 0], [0, 1]], null_kappa=null_kappa),
        lambda: agreement_by([0, 1], [0, 1], groups=[0, 0], null_kappa=null_kappa),
    ):
        with pytest.raises(ValueError, match="null_kappa must be a number above -1 and below 1"):
            call()


def test_unknown_alternatives() -> None:
    with pytest.raises(ValueError, match=r"alternative must be .* got 'one-sided'"):
        agreement([0, 1], [0, 1], alternative="one-sided")  # type: ignore[arg-type]
