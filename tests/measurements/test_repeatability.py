"""The within-item standard deviation and the repeatability coefficient."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy.stats import chi2, t

from fastkappa.exceptions import undefined_metric_warning
from fastkappa.measurements import intraclass_correlation, repeatability
from tests.helpers.published_measurements import WRIGHT, WRIGHT_AGAIN

PAIRS = np.column_stack([WRIGHT, WRIGHT_AGAIN])


def drawn(k: int = 3, seed: int = 5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(50, 9, (40, 1)) + rng.normal(0, 2, (40, k))


def test_bland_and_altman() -> None:
    """They print 21.6 l/min, doubled to a coefficient of 43.2 (1986, table 1, the Wright meter)."""
    found = repeatability(PAIRS)
    assert round(math.sqrt(2) * found.within_sd, 1) == 21.6
    assert found.coefficient == pytest.approx(1.959963984540054 * math.sqrt(2) * found.within_sd)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_the_variance_within_items_and_its_chi_square_interval(k: int, confidence: float) -> None:
    measured = drawn(k)
    found = repeatability(measured, confidence=confidence)
    variance, freedom = measured.var(axis=1, ddof=1).mean(), 40 * (k - 1)
    assert found.within_sd == pytest.approx(math.sqrt(variance), rel=1e-12)
    ends = chi2.ppf([(1 + confidence) / 2, (1 - confidence) / 2], freedom)
    expected = np.sqrt(variance * freedom / ends)
    assert found.within_sd_interval == pytest.approx(expected, rel=1e-7)
    ratio = found.coefficient / found.within_sd
    assert found.coefficient_interval == pytest.approx(expected * ratio, rel=1e-7)
    assert found.within_sd**2 == pytest.approx(intraclass_correlation(measured).mean_squares.within)


@pytest.mark.filterwarnings("ignore:each cluster has one item")
def test_clusters_are_left_out_in_turn() -> None:
    measured, clusters = drawn(), np.arange(40) // 4
    found = repeatability(measured, clusters=clusters)
    assert found.n_clusters == 10
    assert found.within_sd == repeatability(measured).within_sd
    each = measured.var(axis=1, ddof=1)
    left = np.log([each[clusters != c].mean() for c in range(10)]) / 2
    half = t.ppf(0.975, 9) * math.sqrt(9 * left.var())
    expected = found.within_sd * np.exp([-half, half])
    assert found.within_sd_interval == pytest.approx(expected, rel=1e-9)
    own = repeatability(measured, clusters=np.arange(40))
    assert own.to_dict() == repeatability(measured).to_dict()
    with pytest.warns(undefined_metric_warning(), match="in one cluster"):
        assert math.isnan(repeatability(measured, clusters=np.zeros(40)).within_sd_interval[0])


def test_equal_measurements_and_missing_ones() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = repeatability(np.repeat(drawn(1), 2, axis=1))
    assert same.to_dict()["coefficient_interval"] == [0, 0]
    gaps = drawn()
    gaps[3, 1] = math.nan
    with pytest.raises(ValueError, match="missing"):
        repeatability(gaps)
    found = repeatability(gaps, missing="drop")
    assert found.n_dropped == 1
    assert found.within_sd == repeatability(np.delete(gaps, 3, axis=0)).within_sd
    assert "1 item left out" in str(found)


def test_what_is_printed() -> None:
    found = repeatability(PAIRS)
    text = str(found)
    assert "Repeatability of two raters, 17 items" in text
    for name, value, (low, high) in found.rows():
        assert f"{name} {value:.2f} {low:.2f} to {high:.2f}" in " ".join(text.split())
    assert "95 % chi-square interval" in found.sentence()
    assert list(found.to_frame().index) == [name for name, *_ in found.rows()]
