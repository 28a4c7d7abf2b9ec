"""Concordance correlations compared with epiR, complex-step derivatives and identities."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fastkappa import cohen_kappa_score
from fastkappa.measurements import (
    concordance_correlation,
    continuous_kappa,
    intraclass_correlation,
    overall_concordance_correlation,
)
from tests.helpers.published_measurements import MINI, SHROUT_FLEISS, WRIGHT


def test_peak_flow_as_epir() -> None:
    """epi.ccc of epiR 2.0.57."""
    result = concordance_correlation(WRIGHT, MINI)
    assert result.value == pytest.approx(0.942742431427, abs=1e-12)
    assert result.interval == pytest.approx((0.850491873169, 0.97872627917), abs=1e-11)
    assert result.accuracy == pytest.approx(0.999430693136, abs=1e-12)
    assert result.location_shift == pytest.approx(-0.0190302500916, abs=1e-12)
    assert 1 / result.scale_shift == pytest.approx(0.972509121336, abs=1e-12)
    assert result.value == pytest.approx(result.precision * result.accuracy, abs=1e-15)


def of_weights(x: Any, weights: Any) -> Any:
    """Return the overall concordance correlation of weighted subjects, by its definition."""
    shares = weights / weights.sum()
    means = shares @ x
    centred = x - means
    covariances = (centred * shares[:, None]).T @ centred
    pairs = list(combinations(range(x.shape[1]), 2))
    above = sum(2 * covariances[j, k] for j, k in pairs)
    below = sum(
        covariances[j, j] + covariances[k, k] + (means[j] - means[k]) ** 2 for j, k in pairs
    )
    return above / below


def influences(x: Any) -> Any:
    """Return the derivatives by each subject's share, computed with a complex step."""
    n, step = len(x), 1e-30
    found = []
    for i in range(n):
        weights = np.full(n, (1 - 1j * step) / n)
        weights[i] += 1j * step
        found.append(of_weights(x, weights).imag / step)
    return np.array(found)


@pytest.mark.parametrize(("n", "k"), [(3, 2), (20, 3), (50, 6)])
def test_several_raters(n: int, k: int) -> None:
    rng = np.random.default_rng(k)
    x = rng.normal(size=(n, 1)) + rng.normal(size=(n, k)) * 0.6 + rng.normal(size=k) * 0.3
    result = overall_concordance_correlation(x)
    value = of_weights(x, np.ones(n))
    assert result.value == pytest.approx(value, abs=1e-14)
    slopes = influences(x)
    error = math.sqrt((slopes**2).sum() / n / (n - 1))
    assert result.standard_error == pytest.approx(error, rel=1e-12)
    half = stats.t.ppf(0.975, n - 1) * error / (1 - value**2)
    ends = (math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half))
    assert result.interval == pytest.approx(ends, abs=1e-12)


def test_shrout_and_fleiss_as_epir() -> None:
    """epi.occc has n - 1 in variances: 0.28429; its precision does not depend on the divisor."""
    result = overall_concordance_correlation(SHROUT_FLEISS)
    assert result.precision == pytest.approx(0.754501545681, abs=1e-12)
    x = np.array(SHROUT_FLEISS)
    means = x.mean(axis=0)
    apart = 4 * ((means - means.mean()) ** 2).sum()
    below = 3 * x.var(axis=0).sum() + apart
    assert result.value * below / (below + (3 * x.var(axis=0).sum() / 5)) * 6 / 5 == pytest.approx(
        0.284286965031, abs=1e-12
    )


def test_lins_error_is_that_of_normal_measurements() -> None:
    """For 100 000 normal pairs, it equals the delta method's error, without a distribution."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(100_000, 1)) + rng.normal(size=(100_000, 2)) * [0.5, 0.7] + [0, 0.4]
    lin, free = concordance_correlation(*x.T), overall_concordance_correlation(x)
    assert lin.value == free.value
    assert lin.standard_error == pytest.approx(free.standard_error, rel=0.02)


# Identities, in exact arithmetic.


def moments(rows: list[list[int]]) -> Any:
    n = len(rows)
    means = [Fraction(sum(column), n) for column in zip(*rows)]
    products = [
        [
            sum((Fraction(row[j]) - means[j]) * (row[k] - means[k]) for row in rows)
            for k in range(len(means))
        ]
        for j in range(len(means))
    ]
    return n, means, products


def exact_ccc(rows: list[list[int]]) -> Fraction:
    n, means, products = moments(rows)
    pairs = list(combinations(range(len(means)), 2))
    above = sum(2 * products[j][k] / n for j, k in pairs)
    below = sum(
        (products[j][j] + products[k][k]) / n + (means[j] - means[k]) ** 2 for j, k in pairs
    )
    return above / below


def exact_icc(rows: list[list[int]]) -> Fraction:
    """Return ICC(A,1) as the concordance correlation of unbiased estimates.

    Variances and covariances are divided by n - 1. From the squared difference of the means, its
    sampling variance is subtracted.
    """
    n, means, products = moments(rows)
    pairs = list(combinations(range(len(means)), 2))
    above = sum(2 * products[j][k] / Fraction(n - 1) for j, k in pairs)
    below = Fraction(0)
    for j, k in pairs:
        of_difference = (products[j][j] + products[k][k] - 2 * products[j][k]) / Fraction(n - 1)
        below += (products[j][j] + products[k][k]) / Fraction(n - 1)
        below += (means[j] - means[k]) ** 2 - of_difference / n
    return above / below


@pytest.mark.parametrize(("n", "k"), [(3, 2), (12, 2), (9, 3), (25, 5)])
def test_identities(n: int, k: int) -> None:
    rng = np.random.default_rng(n)
    rows = (rng.integers(0, 6, (n, 1)) + rng.integers(0, 3, (n, k))).tolist()
    ccc, icc = float(exact_ccc(rows)), float(exact_icc(rows))
    assert overall_concordance_correlation(rows).value == pytest.approx(ccc, abs=1e-14)
    assert intraclass_correlation(rows)["ICC(A,1)"].value == pytest.approx(icc, abs=1e-14)
    if k == 2:
        y1, y2 = zip(*rows)
        assert concordance_correlation(y1, y2).value == pytest.approx(ccc, abs=1e-14)
        assert continuous_kappa(y1, y2) == pytest.approx(ccc, abs=1e-14)
        labels = list(range(9))
        kappa = cohen_kappa_score(y1, y2, weights="quadratic", labels=labels)
        assert kappa == pytest.approx(ccc, abs=1e-14)


def test_limits() -> None:
    same = concordance_correlation([0.1, 0.7, 0.3], [0.1, 0.7, 0.3])
    assert (same.value, same.standard_error, same.interval) == (1, 0, (1, 1))
    opposite = concordance_correlation([-1.0, 0.0, 1.0], [1.0, 0.0, -1.0])
    assert (opposite.value, opposite.interval) == (-1, (-1, -1))
    two = concordance_correlation([1, 2], [1, 3])
    assert math.isnan(two.interval[0])
    assert two.value == pytest.approx(float(exact_ccc([[1, 1], [2, 3]])))


def test_constant_measurements() -> None:
    with pytest.warns(UserWarning, match="is undefined, because y1 and y2 are constant"):
        assert math.isnan(concordance_correlation([0.1] * 4, [0.1] * 4).value)
    with pytest.warns(UserWarning, match="is 0, but its interval is undefined, because y2 is"):
        result = concordance_correlation([0.1, 0.2, 0.3], [0.1] * 3)
    assert result.value == 0
    assert math.isnan(sum(result.interval))
    with pytest.warns(UserWarning, match="overall concordance correlation is undefined"):
        assert math.isnan(overall_concordance_correlation([[0.1] * 5] * 4).value)


def test_reports() -> None:
    result = concordance_correlation(WRIGHT, MINI)
    assert "location shift" in str(result)
    assert result.to_dict()["interval"] == list(result.interval)
    assert "location shift" not in str(overall_concordance_correlation(SHROUT_FLEISS))
