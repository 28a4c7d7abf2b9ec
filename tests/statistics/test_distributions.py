"""Student's t and the F distribution, compared with SciPy."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from fastkappa.statistics.distributions import f_quantile, f_tail, t_quantile, t_two_sided_p

FREEDOMS = [1, 2, 3, 5, 11, 29, 99, 100, 101, 499, 500, 501, 5000, 1e6, 1e9]


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_t_against_scipy(freedom: float) -> None:
    for t in (0.0, 0.01, 0.5, 1.0, 1.5, 1.9, 2.0, 3.0, 5.0, 9.0, -2.5):
        expected = 2 * stats.t.sf(abs(t), freedom)
        assert t_two_sided_p(t, freedom) == pytest.approx(expected, rel=2e-12)
    for p in (0.5, 0.51, 0.75, 0.95, 0.975, 0.9995, 0.01):
        # SciPy's quantiles had eleven digits before version 1.16; its distribution has all digits.
        assert stats.t.cdf(t_quantile(p, freedom), freedom) == pytest.approx(p, rel=2e-12)


def test_limits_of_t() -> None:
    assert t_two_sided_p(math.inf, 5) == 0
    assert t_two_sided_p(2.0, math.inf) == pytest.approx(2 * stats.norm.sf(2.0), rel=1e-14)
    assert t_quantile(0.975, math.inf) == pytest.approx(stats.norm.ppf(0.975), rel=1e-14)
    assert math.isnan(t_two_sided_p(math.nan, 5))
    assert math.isnan(t_two_sided_p(1.0, math.nan))
    assert math.isnan(t_quantile(0.9, math.nan))


F_FREEDOMS = [
    (1, 1),
    (1, 10),
    (5, 15),
    (5, 18),
    (0.7, 3.2),
    (2, 400),
    (29, 30.5),
    (1e5, 2e5),
    (1e7, 2e7),
]


@pytest.mark.parametrize(("above", "below"), F_FREEDOMS)
def test_f_against_scipy(above: float, below: float) -> None:
    for p in (1e-12, 1e-3, 0.025, 0.3, 0.5, 0.7, 0.975, 0.9999):
        f = f_quantile(p, above, below)
        assert stats.f.cdf(f, above, below) == pytest.approx(p, rel=2e-9)
        assert f == pytest.approx(stats.f.ppf(p, above, below), rel=1e-8)
        assert f_tail(f, above, below) == pytest.approx(1 - p, rel=1e-11)
        assert f_tail(f, above, below) == pytest.approx(stats.f.sf(f, above, below), rel=2e-9)


def test_f_of_one_degree_is_t_squared() -> None:
    for freedom in (1, 7, 300):
        for t in (0.01, 1.0, 2.5, 40.0):
            assert f_tail(t * t, 1, freedom) == pytest.approx(t_two_sided_p(t, freedom), rel=1e-12)


def test_f_of_two_degrees_is_a_power() -> None:
    """With two numerator degrees of freedom, the tail is (1 + 2 f / b)**(-b / 2)."""
    for below in (1, 4, 30, 2e6):
        for f in (1e-8, 0.3, 1.0, 5.0):
            expected = math.exp(-below / 2 * math.log1p(2 * f / below))
            assert f_tail(f, 2, below) == pytest.approx(expected, rel=1e-11)


def test_limits_of_f() -> None:
    assert (f_tail(0, 3, 4), f_tail(math.inf, 3, 4)) == (1, 0)
    assert math.isnan(f_tail(math.nan, 3, 4))
    assert math.isnan(f_tail(1.0, math.nan, 4))
    assert math.isnan(f_quantile(0.5, 3, math.nan))
