"""Plans for correlations of measurements: published formulas, F by SciPy, simulated studies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import f, norm

from fastkappa.measurements import (
    concordance_correlation,
    intraclass_correlation,
    limits_of_agreement,
)
from fastkappa.planning import (
    correlation_sample_size,
    correlation_sample_size_for_width,
    limits_sample_size_for_width,
)


@pytest.mark.parametrize("n_raters", [2, 3, 5])
@pytest.mark.parametrize(("value", "null"), [(0.8, 0.6), (0.2, 0.0), (0.5, 0.3), (0.95, 0.9)])
def test_walter_eliasziw_and_donner(value: float, null: float, n_raters: int) -> None:
    """Their formula for ICC(1), equation 6, is close to the exact number for ICC(C,1)."""
    ratio = (1 + n_raters * null / (1 - null)) / (1 + n_raters * value / (1 - value))
    normal = norm.ppf(0.95) + norm.ppf(0.8)
    theirs = 1 + 2 * n_raters * normal**2 / (np.log(ratio) ** 2 * (n_raters - 1))
    n = correlation_sample_size(
        value,
        coefficient="icc",
        null_correlation=null,
        alternative="greater",
        n_raters=n_raters,
    )
    assert n == pytest.approx(theirs, abs=2)


@pytest.mark.parametrize(("value", "null", "sign"), [(0.8, 0.6, 1), (0.4, 0.6, -1)])
def test_power_of_f(value: float, null: float, sign: int) -> None:
    """The number is the smallest with which F, a multiple of a central F, has the power."""
    n = correlation_sample_size(
        value, coefficient="icc", null_correlation=null, power=0.9, n_raters=4
    )

    def power(n: int) -> float:
        freedom = n - 1, 3 * (n - 1)
        expected, under_null = (1 + 3 * value) / (1 - value), (1 + 3 * null) / (1 - null)
        critical = f.ppf(0.975 if sign > 0 else 0.025, *freedom) * under_null / expected
        return float(f.sf(critical, *freedom) if sign > 0 else f.cdf(critical, *freedom))

    assert power(n - 1) < 0.9 <= power(n)


@pytest.mark.parametrize("n_raters", [2, 3, 5])
@pytest.mark.parametrize("value", [0.5, 0.7, 0.9])
def test_bonett(value: float, n_raters: int) -> None:
    """Test his equation 3 for ICC(1), which adds 5 times the value for two raters from .7 on."""
    z, width = norm.ppf(0.975), 0.15
    theirs = 8 * z**2 * (1 - value) ** 2 * (1 + (n_raters - 1) * value) ** 2
    theirs = theirs / (n_raters * (n_raters - 1) * width**2) + 1
    if n_raters == 2 and value >= 0.7:
        theirs += 5 * value
    n = correlation_sample_size_for_width(value, width, coefficient="icc", n_raters=n_raters)
    assert n == pytest.approx(theirs, abs=4)


def test_lin_without_a_shift() -> None:
    """Without a shift, the variance of Fisher's z is 1 / (n - 2) (Lin 1992)."""
    given: dict[str, Any] = {"coefficient": "ccc", "alternative": "greater", "power": 0.9}
    n = correlation_sample_size(0.9, null_correlation=0.8, **given)
    normal = norm.ppf(0.95) + norm.ppf(0.9)
    assert n == np.ceil((normal / (np.arctanh(0.9) - np.arctanh(0.8))) ** 2 + 2)
    n = correlation_sample_size_for_width(0.9, 0.1, coefficient="ccc")
    half = norm.ppf(0.975) / np.sqrt([n - 2, n - 3])
    widths = np.tanh(np.arctanh(0.9) + half) - np.tanh(np.arctanh(0.9) - half)
    assert widths[0] <= 0.1 < widths[1]


def drawn(n: int, n_raters: int, correlation: float, rng: np.random.Generator) -> Any:
    right = rng.normal(size=(n, 1)) * np.sqrt(correlation)
    return right + rng.normal(size=(n, n_raters)) * np.sqrt(1 - correlation)


def test_simulated_intraclass_correlation() -> None:
    rng, n_studies = np.random.default_rng(0), 300
    n = correlation_sample_size(0.7, coefficient="icc", null_correlation=0.4, n_raters=3)
    low = [
        intraclass_correlation(drawn(n, 3, 0.7, rng))["ICC(C,1)"].interval[0]
        for _ in range(n_studies)
    ]
    assert np.mean(np.array(low) > 0.4) == pytest.approx(0.8, abs=0.07)


def test_simulated_concordance() -> None:
    rng, n_studies, accuracy = np.random.default_rng(1), 300, 0.95
    n = correlation_sample_size(
        0.9, null_correlation=0.8, coefficient="ccc", accuracy=accuracy, power=0.8
    )
    shift = np.array([0, np.sqrt(2 / accuracy - 2)])
    low = []
    for _ in range(n_studies):
        measured = drawn(n, 2, 0.9 / accuracy, rng) + shift
        low.append(concordance_correlation(*measured.T).interval[0])
    assert np.mean(np.array(low) > 0.8) == pytest.approx(0.8, abs=0.08)


@pytest.mark.parametrize(("deviation", "width"), [(2.0, 1.5), (0.01, 0.02), (300.0, 60.0)])
def test_limits_of_agreement_have_the_planned_width(deviation: float, width: float) -> None:
    planned = limits_sample_size_for_width(deviation, width)
    for n, is_narrow in ((planned, True), (planned - 1, False)):
        differences = np.random.default_rng(0).normal(size=n)
        differences *= deviation / differences.std(ddof=1)
        low, high = limits_of_agreement(differences, np.zeros(n)).upper_interval
        assert (high - low <= width) == is_narrow
    assert limits_sample_size_for_width(deviation, width, design_effect=1.5) == np.ceil(
        1.5 * planned
    )
    # Bland and Altman (1986): the standard error of a limit is about sqrt(3 / n) deviations.
    assert planned == pytest.approx(3 * (2 * 1.96 * deviation / width) ** 2, rel=0.1, abs=5)
    with pytest.raises(ValueError, match="standard_deviation must be a number above 0, got 0"):
        limits_sample_size_for_width(0, width)
    with pytest.raises(ValueError, match="width must be a number above 0, got inf"):
        limits_sample_size_for_width(1, np.inf)


def test_design_effect() -> None:
    test: dict[str, Any] = {"coefficient": "icc", "null_correlation": 0.6}
    once = correlation_sample_size(0.8, **test)
    assert correlation_sample_size(0.8, **test, design_effect=2) == 2 * once
    width: dict[str, Any] = {"width": 0.2, "coefficient": "icc"}
    once = correlation_sample_size_for_width(0.8, **width)
    assert correlation_sample_size_for_width(0.8, **width, design_effect=1.5) == np.ceil(1.5 * once)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"correlation": 1.0}, "correlation must be above -1 and below 1, got 1.0."),
        ({"null_correlation": -0.6, "n_raters": 3}, "null_correlation must be above -0.5"),
        ({"null_correlation": 0.8}, "correlation and null_correlation must differ, got 0.8"),
        ({"alternative": "less"}, "alternative must be 'greater', .*because correlation"),
        ({"coefficient": "ccc", "n_raters": 3}, "n_raters must be 2 for coefficient='ccc', got 3."),
        (
            {"coefficient": "ccc", "accuracy": 0.7},
            r"correlation \(0.8\) and 1, got 0.7",
        ),
        ({"accuracy": 0.9}, "accuracy applies only to coefficient='ccc'"),
        ({"coefficient": "icc1"}, "coefficient must be 'icc' or 'ccc', got 'icc1'"),
        ({"null_correlation": 0.8 - 1e-9}, "are too close for a plan"),
    ],
)
def test_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        correlation_sample_size(**{"correlation": 0.8, "coefficient": "icc", **given})


def test_widths_refused() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 2, got 2\.5"):
        correlation_sample_size_for_width(0.8, 2.5, coefficient="icc")
    with pytest.raises(ValueError, match="width=1e-08 is too small"):
        correlation_sample_size_for_width(0.8, 1e-8, coefficient="icc")
