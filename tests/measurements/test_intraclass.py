"""Intraclass correlations compared with published values, R's psych and exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from fastkappa import krippendorff_alpha
from fastkappa.measurements import intraclass_correlation
from tests.helpers.published_measurements import SHROUT_FLEISS

# psych 2.2.9, ICC(x, lmer = FALSE): value, F, degrees of freedom, p, interval.
PSYCH_SHROUT_FLEISS = {
    "ICC1": (0.1657417684, 1.794678492, 5, 18, 0.1647688083446, -0.13293232487, 0.7225600623),
    "ICC2": (0.2897637795, 11.027247956, 5, 15, 0.0001345665165, 0.01878651337, 0.7610843696),
    "ICC3": (0.7148407148, 11.027247956, 5, 15, 0.0001345665165, 0.34246476503, 0.9458582600),
    "ICC1k": (0.4427971337, 1.794678492, 5, 18, 0.1647688083446, -0.88444215524, 0.9124154203),
    "ICC2k": (0.6200505476, 11.027247956, 5, 15, 0.0001345665165, 0.07113681530, 0.9272320402),
    "ICC3k": (0.9093155424, 11.027247956, 5, 15, 0.0001345665165, 0.67567471382, 0.9858916782),
}


@pytest.mark.parametrize("name", PSYCH_SHROUT_FLEISS)
def test_shrout_and_fleiss(name: str) -> None:
    value, f, above, below, p, low, high = PSYCH_SHROUT_FLEISS[name]
    found = intraclass_correlation(SHROUT_FLEISS)[name]
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.f == pytest.approx(f, abs=1e-8)
    assert found.degrees_of_freedom == (above, below)
    assert found.p_value == pytest.approx(p, rel=1e-8)
    assert found.interval == pytest.approx((low, high), abs=1e-9)


def test_the_figures_that_shrout_and_fleiss_print() -> None:
    result = intraclass_correlation(SHROUT_FLEISS)
    assert [round(mean, 2) for mean in result.mean_squares] == [11.24, 6.26, 32.49, 1.02]
    names = ["ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)"]
    assert [round(result[name].value, 2) for name in names] == [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]


def exact(rows: list[list[int]]) -> dict[str, Fraction]:
    n, k = len(rows), len(rows[0])
    mean = Fraction(sum(map(sum, rows)), n * k)
    of_rows = [Fraction(sum(row), k) for row in rows]
    of_columns = [Fraction(sum(column), n) for column in zip(*rows)]
    subjects = k * sum((m - mean) ** 2 for m in of_rows) / Fraction(n - 1)
    raters = n * sum((m - mean) ** 2 for m in of_columns) / Fraction(k - 1)
    total = sum((x - mean) ** 2 for row in rows for x in row)
    error = (total - (n - 1) * subjects - (k - 1) * raters) / ((n - 1) * (k - 1))
    within = (total - (n - 1) * subjects) / (n * (k - 1))
    excess = (raters - error) / n
    return {
        "ICC(1)": (subjects - within) / (subjects + (k - 1) * within),
        "ICC(C,1)": (subjects - error) / (subjects + (k - 1) * error),
        "ICC(A,1)": (subjects - error) / (subjects + (k - 1) * error + k * excess),
        "ICC(k)": (subjects - within) / subjects,
        "ICC(C,k)": (subjects - error) / subjects,
        "ICC(A,k)": (subjects - error) / (subjects + excess),
    }


@pytest.mark.parametrize(("n", "k"), [(2, 2), (3, 5), (40, 2), (30, 7), (5, 40)])
def test_exact_values(n: int, k: int) -> None:
    rng = np.random.default_rng(n)
    rows = rng.integers(0, 30, (n, 1)) + rng.integers(0, 9, (n, k)) + rng.integers(0, 5, k)
    result = intraclass_correlation(rows)
    for name, value in exact(rows.tolist()).items():
        if not math.isnan(result[name].value):
            assert result[name].value == pytest.approx(float(value), rel=1e-11, abs=1e-12)
        else:
            assert name == "ICC(A,k)"


@pytest.mark.parametrize("offset", [1e9, -1e9])
def test_a_large_offset_costs_no_digits(offset: float) -> None:
    """The numbers are exact in float64 with and without the offset."""
    rng = np.random.default_rng(0)
    rows = (rng.integers(0, 100, (50, 1)) + rng.integers(0, 20, (50, 3))) / 64
    near, far = intraclass_correlation(rows), intraclass_correlation(rows + offset)
    for form in near:
        assert far[form.form].value == pytest.approx(form.value, rel=1e-13)
        assert far[form.form].interval == pytest.approx(form.interval, rel=1e-11)


@pytest.mark.parametrize("scale", [1e-70, 1e70])
def test_very_large_and_small_numbers(scale: float) -> None:
    near = intraclass_correlation(SHROUT_FLEISS)
    far = intraclass_correlation(np.array(SHROUT_FLEISS) * scale)
    for form in near:
        assert far[form.form].value == pytest.approx(form.value, rel=1e-12)


def test_full_agreement() -> None:
    for form in intraclass_correlation([[0.1, 0.1, 0.1], [0.7, 0.7, 0.7], [0.3, 0.3, 0.3]]):
        assert (form.value, form.interval, form.f, form.p_value) == (1, (1, 1), math.inf, 0)


def test_raters_that_differ_by_a_constant() -> None:
    result = intraclass_correlation([[0.1, 0.3], [0.7, 0.9], [0.2, 0.4]])
    assert result["ICC(C,1)"].value == 1
    assert result["ICC(C,1)"].interval == (1, 1)
    # Variances: (0.31 - (1/3) * 1**2 / ...) by hand: MSR = 2 * 0.62/6, MSC = 3 * 0.02, MSE = 0.
    subjects, raters = 2 * float(np.var([0.1, 0.7, 0.2], ddof=1)), 6 * 0.1**2
    assert result["ICC(A,1)"].value == pytest.approx(subjects / (subjects + 2 * raters / 3))


def test_constant_ratings_are_undefined() -> None:
    with pytest.warns(UserWarning, match=r"ICC\(A,k\).* all ratings are the same"):
        result = intraclass_correlation([[0.1, 0.1]] * 3)
    assert all(math.isnan(form.value + sum(form.interval) + form.f) for form in result)
    with pytest.warns(UserWarning, match=r"each rater gave all subjects the same rating"):
        result = intraclass_correlation([[0.1, 0.3]] * 3)
    assert result["ICC(A,1)"].value == 0
    assert math.isnan(result["ICC(C,1)"].value)
    with pytest.warns(UserWarning, match=r"mean ratings of all subjects"):
        result = intraclass_correlation([[1, 3], [3, 1], [2, 2]])
    assert result["ICC(1)"].value == -1
    assert math.isnan(result["ICC(k)"].value)


def test_a_quotient_above_1_is_undefined() -> None:
    """psych 2.2.9 (lmer = FALSE) and pingouin 0.7.0 print 11.38 for ICC2k, these for others."""
    ratings = [[1, 5], [5, 1], [3, 2], [4, 3], [2, 4], [5, 1]]
    with pytest.warns(UserWarning, match=r"ICC\(A,k\) (is|are) undefined, because .* is not"):
        result = intraclass_correlation(ratings)
    assert math.isnan(result["ICC2k"].value)
    expected = {"ICC1": -0.9148936, "ICC2": -1.2131148, "ICC3": -0.9250000, "ICC3k": -24.6666667}
    for name, value in expected.items():
        assert result[name].value == pytest.approx(value, abs=1e-7)


def test_the_lower_end_of_a_mean_has_no_limit_where_that_of_one_rater_is_too_low() -> None:
    """The Spearman-Brown formula has a pole at -1 / (k - 1), and is not a mean below it."""
    ratings = [[1, 5, 3], [5, 1, 2], [3, 2, 5], [4, 3, 1], [2, 4, 3], [5, 2, 6]]
    result = intraclass_correlation(ratings)
    one, mean = result["ICC(A,1)"], result["ICC(A,k)"]
    assert mean.interval[0] <= mean.value <= mean.interval[1]
    for end, of_mean in zip(one.interval, mean.interval):
        assert of_mean == (pytest.approx(3 * end / (1 + 2 * end)) if end > -0.5 else -math.inf)


def test_interval_alpha_is_an_intraclass_correlation() -> None:
    """Alpha of interval data is 1 minus MSW divided by the mean square of all ratings."""
    means = intraclass_correlation(SHROUT_FLEISS).mean_squares
    total = 5 * means.subjects + 18 * means.within
    alpha = krippendorff_alpha(SHROUT_FLEISS, level="interval").value
    assert alpha == pytest.approx(1 - means.within / (total / 23), abs=1e-14)


def test_reports() -> None:
    result = intraclass_correlation(SHROUT_FLEISS, confidence=0.9)
    assert max(map(len, str(result).splitlines())) <= 80
    assert repr(result).startswith("<IntraclassResult: ICC(A,1) 0.2898 (")
    frame = result.to_frame()
    assert frame.loc["ICC(C,k)", "value"] == result["ICC3k"].value
    assert result.to_dict()["forms"][1]["degrees_of_freedom"] == [5, 15]
    with pytest.raises(
        KeyError, match=r"not a form of the intraclass correlation\. The forms are ICC\(1\)"
    ):
        result["ICC4"]
