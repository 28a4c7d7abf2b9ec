"""Alpha of measurements, compared with exact arithmetic and alpha of labels."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastkappa import Ratings, krippendorff_alpha
from fastkappa.multirater.items.measurements import Measurements, measurements_in
from fastkappa.multirater.statistics.alpha import Alpha
from fastkappa.multirater.statistics.measured_alpha import MEASURED, MeasuredAlpha
from fastkappa.multirater.statistics.ratio_distances import RatioDistances
from tests.helpers import exact_raters

LEVELS = list(MEASURED)


def make(seed: int, n: int, n_raters: int, missing: float = 0.2) -> Any:
    """Return positive numbers in sixteenths, some of them equal."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 60, (n, 1)) + rng.integers(0, 30, (n, n_raters))
    return np.where(rng.random((n, n_raters)) < missing, np.nan, ratings / 16)


def exact(ratings: Any, level: str) -> float:
    """Return alpha of numbers in sixteenths, by its definition."""
    given = [[None if math.isnan(x) else int(16 * x) for x in row] for row in ratings.tolist()]
    values = sorted({x for row in given for x in row if x is not None})
    place = {value: i for i, value in enumerate(values)}
    rows = [[None if x is None else place[x] for x in row] for row in given]
    value = exact_raters.alpha(rows, level, values)
    assert value is not None
    return float(value)


def of_patterns(ratings: Any, level: str) -> Alpha:
    given = Ratings.from_array(ratings)
    return Alpha(given.patterns, level, given.label_values)


def of_measurements(ratings: Any, level: str) -> MeasuredAlpha:
    measured = measurements_in(ratings, ())
    assert isinstance(measured, Measurements)
    return MeasuredAlpha(measured.columns, measured.multiplicities, level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n", "n_raters", "missing"), [(12, 2, 0), (15, 4, 0.3), (9, 7, 0.5)])
def test_exact_values(level: str, n: int, n_raters: int, missing: float) -> None:
    ratings = make(n, n, n_raters, missing)
    found = krippendorff_alpha(ratings, level=level)
    assert len(found.labels) == 0
    assert found.value == pytest.approx(exact(ratings, level), rel=1e-13, abs=1e-14)
    counts = (~np.isnan(ratings)).sum(axis=1)
    assert (found.n_subjects, found.n_raters) == (n, n_raters)
    assert found.n_paired == np.count_nonzero(counts > 1)
    assert found.n_missing == np.count_nonzero(np.isnan(ratings))


@pytest.mark.parametrize("level", LEVELS)
def test_same_figures_as_of_labels(level: str) -> None:
    for seed in range(5):
        ratings = make(seed, 25, 3)
        labels, numbers = of_patterns(ratings, level), of_measurements(ratings, level)
        one, other = (a.disagreement(a.multiplicities) for a in (labels, numbers))
        assert [float(x) for x in other] == pytest.approx([float(x) for x in one], rel=1e-13)
        assert numbers.standard_error("t") == pytest.approx(labels.standard_error("t"), rel=1e-11)


@pytest.mark.parametrize("level", LEVELS)
def test_resamples(level: str) -> None:
    ratings = make(4, 20, 3)
    numbers = of_measurements(ratings, level)
    rng = np.random.default_rng(0)
    n = len(numbers.multiplicities)
    samples = rng.multinomial(n, np.full(n, 1 / n), 6)
    samples[5] = 0
    samples[5, 3] = n
    paired = ratings[(~np.isnan(ratings)).sum(axis=1) > 1]
    values = numbers.values(samples)
    for sample, value in zip(samples, values):
        assert value == pytest.approx(exact(np.repeat(paired, sample, axis=0), level), abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_bootstrap(level: str) -> None:
    result = krippendorff_alpha(make(1, 30, 3), level=level)
    low, high = result.bootstrap(n_resamples=499, rng=0).interval
    assert low < result.value < high


@pytest.mark.parametrize("level", LEVELS)
def test_ratings_with_many_labels(level: str) -> None:
    ratings = np.random.default_rng(0).lognormal(size=(300, 2)).round(3)
    ratings[5:9, 1] = np.nan
    given = Ratings.from_array(ratings)
    assert len(given.labels) > 200
    found = krippendorff_alpha(given, level=level)
    assert found.value == pytest.approx(krippendorff_alpha(ratings, level=level).value, abs=1e-13)
    assert found.labels is given.labels


@pytest.mark.parametrize("offset", [1e9, -1e9])
def test_a_large_offset_costs_no_digits(offset: float) -> None:
    ratings = make(2, 30, 3)
    near, far = (krippendorff_alpha(r, level="interval") for r in (ratings, ratings + offset))
    assert far.value == pytest.approx(near.value, abs=1e-14)
    assert far.standard_error == pytest.approx(near.standard_error, rel=1e-8)


def test_ratios_far_from_zero() -> None:
    """A billion plus sixteenths: every distance is below 1e-17."""
    ratings = make(3, 12, 3) + 2.0**30
    assert krippendorff_alpha(ratings, level="ratio").value == pytest.approx(
        exact(ratings, "ratio"), abs=1e-12
    )


@pytest.mark.parametrize("scale", [1e-70, 1e70])
def test_very_large_and_small_numbers(scale: float) -> None:
    ratings = make(6, 20, 3, 0)
    for level in LEVELS:
        one, other = (krippendorff_alpha(r, level=level) for r in (ratings, ratings * scale))
        assert other.value == pytest.approx(one.value, abs=1e-13)
        assert other.standard_error == pytest.approx(one.standard_error, rel=1e-10)


NUMBERS = {
    "of one octave": [1.0, 1.25, 1.5, 1.999],
    "with zeros": [0.0, 0.0, 1e-3, 0.5, 7.0],
    "far apart": [5e-324, 1e-310, 1e-5, 3.0, 1e300, 1.7e308],
    "across a power of two": [1 - 2.0**-50, 1.0, 1 + 2.0**-40],
    "one": [0.1, 0.1, 0.1],
    "many": np.random.default_rng(0).lognormal(0, 3, 60).tolist(),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_distances_of_ratios(name: str) -> None:
    numbers = np.array(NUMBERS[name])
    each = [Fraction(float(x)) for x in numbers]
    expected = [sum(((a - b) / (a + b)) ** 2 if a + b else 0 for b in each) for a in each]
    distances = RatioDistances([numbers])
    moments = distances.moments(numbers)
    function = distances.coefficients(moments)
    largest = float(max(expected))
    found = distances.evaluate(function, numbers)
    assert found == pytest.approx([float(x) for x in expected], rel=1e-13, abs=1e-14 * largest)
    assert float(function @ moments) == pytest.approx(float(sum(expected)), rel=1e-13)
    twice = distances.moments(numbers, np.full((2, len(numbers)), 2.0))
    assert twice[1] == pytest.approx(2 * moments, rel=1e-13, abs=1e-13)


def test_error_is_exactly_zero_where_all_subjects_add_the_same() -> None:
    pairs = [[0, 1], [1, 0], [1, 2], [2, 1]] * 5
    for start in (0.1, 1000.1, -1e6 + 0.1):
        ratings = np.array(pairs) * 0.1 + start
        found = krippendorff_alpha(ratings, level="interval")
        assert found.standard_error == 0
        assert math.isnan(found.p_value)
    ratios = np.array([[1000.1, 1000.2], [1000.2, 1000.1], [3000.3, 3000.6], [3000.6, 3000.3]] * 5)
    assert krippendorff_alpha(ratios, level="ratio").standard_error == 0


@pytest.mark.parametrize("level", LEVELS)
def test_full_agreement(level: str) -> None:
    found = krippendorff_alpha(np.array([[0.1] * 3, [0.3] * 3, [0.7] * 3]), level=level)
    assert (found.value, found.standard_error) == (1, 0)


@pytest.mark.parametrize("level", LEVELS)
def test_undefined(level: str) -> None:
    with pytest.warns(UserWarning, match="all ratings have the same label"):
        assert math.isnan(krippendorff_alpha(np.full((4, 3), 0.1), level=level).value)
    equal = np.array([[0.1, 0.1], [np.nan, 0.5]])
    with pytest.warns(UserWarning, match="all ratings of subjects with two or more ratings have"):
        assert math.isnan(krippendorff_alpha(equal, level=level).value)
    lone = np.array([[0.1, np.nan], [np.nan, 0.5]])
    with pytest.warns(UserWarning, match="no subject has two ratings"):
        assert math.isnan(krippendorff_alpha(lone, level=level).value)


def test_forms() -> None:
    ratings = make(8, 40, 3)
    expected = krippendorff_alpha(ratings, level="interval").value
    filled = np.where(np.isnan(ratings), -9.0, ratings)
    pandas = pytest.importorskip("pandas")
    forms = {
        "float32": ratings.astype(np.float32),
        "big-endian": ratings.astype(">f8"),
        "columns": np.asfortranarray(ratings),
        "strided": np.repeat(ratings, 2, axis=0)[::2],
        "masked": np.ma.masked_invalid(ratings),
        "frame": pandas.DataFrame(ratings),
        "list": [[None if math.isnan(x) else x for x in row] for row in ratings.tolist()],
    }
    for form in forms.values():
        assert krippendorff_alpha(form, level="interval").value == pytest.approx(expected)
    coded = krippendorff_alpha(filled, level="interval", missing_codes=[-9])
    assert coded.value == pytest.approx(expected)
    whole = np.nan_to_num(ratings * 16 * 100 + 5).astype(np.int64)
    assert len(krippendorff_alpha(whole, level="interval").labels) == 0


def test_few_whole_numbers_are_labels() -> None:
    found = krippendorff_alpha(np.array([[1.0, 2.0], [3.0, 3.0]]), level="interval")
    assert found.labels.tolist() == [1, 2, 3]


def test_counts_of_many_raters_are_seen() -> None:
    with pytest.warns(UserWarning, match="as in a table of counts"):
        krippendorff_alpha(np.array([[5000, 0], [3000, 2000], [10, 4990]]), level="interval")


def test_a_row_per_rating_is_seen() -> None:
    items, raters = (x.ravel() for x in np.meshgrid(np.arange(0, 3000, 50), [1, 2, 3, 4]))
    long = np.stack([items, raters, (items + raters) % 5], axis=1)
    with pytest.warns(UserWarning, match="typical of columns of items and raters"):
        krippendorff_alpha(long, level="interval")


def test_refusals() -> None:
    ratings = make(0, 5, 2, 0)
    with pytest.raises(ValueError, match="the largest absolute value of the ratings must be"):
        krippendorff_alpha(ratings * 1e80, level="interval")
    with pytest.raises(ValueError, match=r"level='ratio' requires non-negative labels, got -0\.5"):
        krippendorff_alpha(np.where(ratings == ratings[0, 0], -0.5, ratings), level="ratio")
    ratings[2, 1] = np.inf
    with pytest.raises(ValueError, match="rater 2 must be finite, got inf at position 2"):
        krippendorff_alpha(ratings, level="interval")
    lengths = np.arange(9) ** 2 / 7
    with pytest.warns(UserWarning, match="transpose them"):
        krippendorff_alpha(np.add.outer([0.1, 0.2, 0.3], lengths), level="interval")


@pytest.mark.parametrize("level", ["interval", "ratio"])
def test_memory_grows_with_subjects_alone(level: str) -> None:
    """For 200 000 distinct numbers, there is no table of labels, nor of labels by subjects."""
    ratings = np.random.default_rng(0).lognormal(size=(100_000, 2))
    tracemalloc.start()
    try:
        krippendorff_alpha(ratings, level=level)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 30 * ratings.shape[0] * 8


@pytest.mark.parametrize("codes", [9, "9"])
@pytest.mark.parametrize("form", [np.array, Ratings.from_array])
def test_missing_codes_are_a_list(form: Any, codes: Any) -> None:
    """A 9 in a string of codes is not the measurement 9."""
    ratings = form([[9.0, 2.5], [1.25, 9.0], [3.0, 3.5]])
    with pytest.raises(ValueError, match=f"missing_codes must be a list of ratings, got {codes!r}"):
        krippendorff_alpha(ratings, level="interval", missing_codes=codes)


def test_labels_that_float64_would_round_are_refused() -> None:
    ratings = [[2**53, 2**53 + 1], [2**53, 2**53]]
    for level in ("interval", "ratio"):
        with pytest.raises(ValueError, match="beyond 2\\*\\*53"):
            krippendorff_alpha(ratings, level=level)
    assert krippendorff_alpha(ratings, level="nominal").value == 0
