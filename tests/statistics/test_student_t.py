"""Student's t distribution beside SciPy's."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from fastkappa.statistics.student_t import quantile, two_sided_p

FREEDOMS = [1, 2, 3, 5, 11, 29, 99, 100, 101, 499, 500, 501, 5000, 1e6, 1e9]


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_against_scipy(freedom: float) -> None:
    for t in (0.0, 0.01, 0.5, 1.0, 1.5, 1.9, 2.0, 3.0, 5.0, 9.0, -2.5):
        expected = 2 * stats.t.sf(abs(t), freedom)
        assert two_sided_p(t, freedom) == pytest.approx(expected, rel=2e-12)
    for p in (0.5, 0.51, 0.75, 0.95, 0.975, 0.9995, 0.01):
        # Its own quantiles had eleven digits before SciPy 1.16; its distribution has them all.
        assert stats.t.cdf(quantile(p, freedom), freedom) == pytest.approx(p, rel=2e-12)


def test_limits() -> None:
    assert two_sided_p(math.inf, 5) == 0
    assert two_sided_p(2.0, math.inf) == pytest.approx(2 * stats.norm.sf(2.0), rel=1e-14)
    assert quantile(0.975, math.inf) == pytest.approx(stats.norm.ppf(0.975), rel=1e-14)
    assert math.isnan(two_sided_p(math.nan, 5))
    assert math.isnan(two_sided_p(1.0, math.nan))
    assert math.isnan(quantile(0.9, math.nan))
