"""Limits of agreement compared with those of Bland and Altman."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import linregress, t

from fastkappa.measurements import intraclass_correlation, limits_of_agreement, repeatability
from tests.helpers.published_measurements import MINI, WRIGHT


def test_peak_flow() -> None:
    """Bland and Altman (1986): mean -2.1, deviation 38.8, interval of the mean -22.0 to 17.8.

    Their limits are two deviations away, -79.7 and 75.5, the error of each sqrt(3 s**2 / n).
    """
    result = limits_of_agreement(WRIGHT, MINI)
    assert (round(result.bias, 1), round(result.standard_deviation, 1)) == (-2.1, 38.8)
    assert result.bias_interval == pytest.approx((-22.0, 17.8), abs=0.06)
    middle, half = sum(result.limits) / 2, (result.limits[1] - result.limits[0]) / 2
    assert middle == pytest.approx(result.bias)
    assert middle - half * 2 / 1.959964 == pytest.approx(-79.7, abs=0.06)
    # Instead of 3 / n, ours is (1 + 2.04) / n; theirs is from rounded figures.
    for interval, published in (
        (result.lower_interval, (-114.3, -45.1)),
        (result.upper_interval, (40.9, 110.1)),
    ):
        ratio = (interval[1] - interval[0]) / (published[1] - published[0])
        assert ratio == pytest.approx(np.sqrt((1 + 1.959964**2 / 2 * 17 / 16) / 3), abs=3e-3)


def test_blood_pressure() -> None:
    """Bland and Altman (1999), section 2: 85 subjects, mean -16.29, deviation 19.61.

    They print the limits -54.7 and 22.1, with intervals -61.9 to -47.5 and 14.9 to 29.3.
    """
    rng = np.random.default_rng(0)
    differences = rng.normal(size=85)
    differences = (differences - differences.mean()) / differences.std(ddof=1) * 19.61 - 16.29
    second = rng.normal(140, 30, 85)
    result = limits_of_agreement(second + differences, second)
    assert result.bias == pytest.approx(-16.29)
    assert result.limits == pytest.approx((-54.7, 22.1), abs=0.06)
    assert result.lower_interval == pytest.approx((-61.9, -47.5), abs=0.15)
    assert result.upper_interval == pytest.approx((14.9, 29.3), abs=0.15)


def test_each_subject() -> None:
    result = limits_of_agreement([1.0, 5.0, 4.0], [2.0, 3.0, 8.0])
    assert result.differences.tolist() == [-1, 2, -4]
    assert result.means.tolist() == [1.5, 4, 6]
    assert "means" not in result.to_dict()


@pytest.mark.parametrize("factor", [1e-90, 1e90])
def test_numbers_whose_squares_overflow_are_refused(factor: float) -> None:
    wright, mini = (np.array(values) * factor for values in (WRIGHT, MINI))
    message = r"the largest absolute value of the measurements must be between 1e-75 and 1e\+75"
    with pytest.raises(ValueError, match=message):
        limits_of_agreement(wright, mini)
    for function in (intraclass_correlation, repeatability):
        with pytest.raises(ValueError, match=message):
            function(np.stack([wright, mini], axis=1))


def test_differences_that_are_all_the_same() -> None:
    with pytest.warns(UserWarning, match=r"zero width because all differences are 0\.5"):
        result = limits_of_agreement([1.5, 2.5, 3.5], [1.0, 2.0, 3.0])
    assert (result.bias, result.limits) == (0.5, (0.5, 0.5))
    assert result.slope == 0
    assert np.isnan([result.slope_p_value, *result.slope_interval]).all()


@pytest.mark.parametrize("factor", [1.0, 1e70])
def test_proportional_bias_is_the_slope_of_a_regression(factor: float) -> None:
    wright, mini = (np.array(values) * factor for values in (WRIGHT, MINI))
    result = limits_of_agreement(wright, 0.8 * mini, confidence=0.9)
    first, second = np.array(WRIGHT), 0.8 * np.array(MINI)
    expected = linregress((first + second) / 2, first - second)
    half = t.ppf(0.95, len(WRIGHT) - 2) * expected.stderr
    assert result.slope == pytest.approx(expected.slope)
    assert result.slope_p_value == pytest.approx(expected.pvalue)
    assert result.slope_interval == pytest.approx((expected.slope - half, expected.slope + half))


def test_the_slope_in_clusters_is_the_jackknife() -> None:
    wright, mini = np.array(WRIGHT), np.array(MINI)
    clusters = np.arange(17) // 2
    result = limits_of_agreement(wright, mini, clusters=clusters)
    mean, difference = (wright + mini) / 2, wright - mini
    slopes = [linregress(mean[kept], difference[kept]).slope for kept in clusters != np.c_[:9]]
    error = np.sqrt(8 * np.var(slopes))
    expected = linregress(mean, difference).slope
    assert result.slope == pytest.approx(expected)
    assert result.slope_p_value == pytest.approx(2 * t.sf(abs(expected) / error, 8))
    assert result.slope_interval[1] == pytest.approx(expected + t.ppf(0.975, 8) * error)
    # Clusters of one item each have no effect.
    alone = limits_of_agreement(wright, mini, clusters=np.arange(17)[::-1])
    assert alone.slope_interval == limits_of_agreement(wright, mini).slope_interval
