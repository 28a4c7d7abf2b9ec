"""Families of weights, compared with exact matrices, irrCAC and Krippendorff's definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    agreement,
    disagreement_weights,
    gwet_ac2,
    kappa_from_confusion,
    krippendorff_alpha,
)
from fastkappa.statistics.weights import FAMILIES
from tests.helpers.exact_kappa import exact_kappa
from tests.helpers.published import TABLES

Number = int | Fraction

# By the values x and y, the ends of the scale, and the steps between the positions.
EXACT: dict[str, Callable[[Number, Number, Number, Number, int], Number]] = {
    "linear": lambda x, y, low, high, steps: abs(x - y),
    "quadratic": lambda x, y, low, high, steps: (x - y) ** 2,
    "ordinal": lambda x, y, low, high, steps: math.comb(steps + 1, 2),
    "ratio": lambda x, y, low, high, steps: Fraction(x - y, x + y) ** 2 if x != y else 0,
    "bipolar": lambda x, y, low, high, steps: (
        Fraction((x - y) ** 2, (x + y - 2 * low) * (2 * high - x - y)) if x != y else 0
    ),
}


def exact_matrix(family: str, values: list[int]) -> Any:
    low, high = min(values), max(values)
    return np.array(
        [
            [EXACT[family](x, y, low, high, abs(i - j)) for j, y in enumerate(values)]
            for i, x in enumerate(values)
        ],
        object,
    )


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 5], [0, 1, 2, 5, 10], [5, 1, 3], [7], [3, 10**6]])
@pytest.mark.parametrize("family", EXACT)
def test_weights_by_value_are_exact(family: str, values: list[int]) -> None:
    found = disagreement_weights(family, values)  # type: ignore[arg-type]
    expected = exact_matrix(family, values).astype(float)
    assert found == pytest.approx(expected, rel=1e-15, abs=0)
    assert (found == found.T).all()


def test_written_out() -> None:
    """The matrices of four labels, by hand."""
    assert disagreement_weights("ordinal", list("abcd")).tolist() == [
        [0, 1, 3, 6],
        [1, 0, 1, 3],
        [3, 1, 0, 1],
        [6, 3, 1, 0],
    ]
    assert disagreement_weights("ratio", [1, 2, 3, 6]) == pytest.approx(
        np.array(
            [
                [0, 1 / 9, 1 / 4, 25 / 49],
                [1 / 9, 0, 1 / 25, 1 / 4],
                [1 / 4, 1 / 25, 0, 1 / 9],
                [25 / 49, 1 / 4, 1 / 9, 0],
            ]
        )
    )
    # Krippendorff's bipolar metric of a scale from -1 to 1: the ends count 1.
    assert disagreement_weights("bipolar", [-1, 0, 1]) == pytest.approx(
        np.array([[0, 1 / 3, 1], [1 / 3, 0, 1 / 3], [1, 1 / 3, 0]])
    )
    # Three hours on a clock are a quarter of the circle.
    clock = disagreement_weights("circular", list(range(12)))
    squares = [0, (2 - math.sqrt(3)) / 4, 1 / 4, 1 / 2, 3 / 4, (2 + math.sqrt(3)) / 4, 1]
    for i in range(12):
        for j in range(12):
            apart = min(abs(i - j), 12 - abs(i - j))
            assert clock[i, j] == pytest.approx(squares[apart], abs=1e-15)
    assert disagreement_weights("radical", [0, 1, 4, 9])[0] == pytest.approx([0, 1, 2, 3])


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 5], [2, 4, 5, 11], [1.5, 2.0, 4.0]])
@pytest.mark.parametrize("family", FAMILIES)
def test_irrcac_has_the_same(family: str, values: list[float]) -> None:
    weights = pytest.importorskip("irrCAC.weights")
    # irrCAC's circle has the length of the range plus 1.
    period = {"period": max(values) - min(values) + 1} if family == "circular" else {}
    found = disagreement_weights(family, values, **period)  # type: ignore[arg-type]
    theirs = weights.Weights(list(values))[family]
    assert 1 - found / found.max() == pytest.approx(theirs, rel=1e-12, abs=1e-12)


def test_irrcac_has_the_same_coefficients() -> None:
    raw = pytest.importorskip("irrCAC.raw")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(7)
    ratings = np.clip(rng.integers(1, 6, (60, 1)) + rng.integers(-1, 2, (60, 3)), 1, 5)
    for family in ("ordinal", "radical", "ratio", "circular", "bipolar"):
        weights = disagreement_weights(family, [1, 2, 3, 4, 5])  # type: ignore[arg-type]
        of_peer = raw.CAC(pandas.DataFrame(ratings), weights=family, digits=12)
        theirs = of_peer.gwet()["est"]
        ours = gwet_ac2(ratings, weights=weights)
        assert ours.value == pytest.approx(theirs["coefficient_value"], abs=1e-10)
        assert ours.standard_error == pytest.approx(theirs["se"], abs=1e-10)
        alpha = krippendorff_alpha(ratings, level=weights)
        expected = of_peer.krippendorff()["est"]["coefficient_value"]
        assert alpha.value == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("level", ["interval", "ratio"])
def test_alpha_of_a_level_is_that_of_its_weights(level: str) -> None:
    ratings = [[1, 2, 2], [4, 4, 7], [2, 2, 1], [7, 4, 7], [1, 1, 2]]
    family = {"interval": "quadratic", "ratio": "ratio"}[level]
    weights = disagreement_weights(family, [1, 2, 4, 7])  # type: ignore[arg-type]
    by_level = krippendorff_alpha(ratings, level=level).value
    assert krippendorff_alpha(ratings, level=weights).value == pytest.approx(by_level, rel=1e-12)


@pytest.mark.parametrize("family", EXACT)
def test_kappa_with_a_family_is_exact(family: str) -> None:
    for published in TABLES.values():
        labels = list(range(1, len(published.table) + 1))
        exact = exact_kappa(published.table, exact_matrix(family, labels))
        assert exact is not None
        weights = disagreement_weights(family, labels)  # type: ignore[arg-type]
        found = kappa_from_confusion(published.table, weights=weights)
        assert found == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.filterwarnings("ignore:each step:fastkappa.exceptions.LabelOrderWarning")
def test_numbers_count_by_value_and_strings_by_position() -> None:
    first, second = [1, 1, 2, 10, 10, 1], [1, 2, 2, 2, 10, 1]
    values = disagreement_weights("linear", [1, 2, 10])
    assert (
        agreement(first, second, weights=values).kappa
        != agreement(first, second, weights="linear").kappa
    )
    positions = disagreement_weights("linear", ["one", "two", "ten"])
    assert (
        agreement(first, second, weights=positions).kappa
        == agreement(first, second, weights="linear").kappa
    )
    fractions = disagreement_weights("linear", [Fraction(1, 2), Fraction(3, 4), Fraction(2)])
    assert fractions.tolist() == disagreement_weights("linear", [0.5, 0.75, 2.0]).tolist()
    assert disagreement_weights("linear", np.array([3, 1], np.uint8)).tolist() == [[0, 2], [2, 0]]


def test_circles() -> None:
    degrees = [0, 90, 180, 270]
    quarter = [0, 0.5, 1, 0.5]
    # irrCAC's circle has 271 degrees here, so that west and north are equal.
    assert disagreement_weights("circular", degrees)[0] == pytest.approx(quarter)
    assert disagreement_weights("circular", degrees, period=360)[0] == pytest.approx(quarter)
    assert disagreement_weights("circular", [0, 90, 180], period=360)[0] == pytest.approx(
        quarter[:3]
    )
    assert disagreement_weights("circular", [0.1, 0.2, 0.3, 0.4])[0] == pytest.approx(quarter)
    assert disagreement_weights("circular", [1]).tolist() == [[0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cubic", [1, 2]), "family must be 'linear', .* got 'cubic'"),
        (("linear", 3), "labels must be a list of at least one label, got 3"),
        (("linear", []), "labels must be a list of at least one label"),
        (("linear", [[1, 2]]), "labels must be a list of at least one label"),
        (("linear", [1, 2, 1]), "labels must be distinct, got"),
        (("linear", [1, math.nan]), "labels must be finite"),
        (("linear", np.array(["2020-01-01"], "M8[D]")), "labels must be numbers or strings"),
        (("linear", [2**53, 2**53 + 1]), "float64 represents exactly, got 9007199254740993"),
        (("ratio", ["a", "b"]), "labels must be non-negative numbers for weights='ratio'"),
        (("ratio", [-1, 1]), "labels must be non-negative numbers for weights='ratio'"),
        (("circular", [1, 2, 4]), "must be given for unequally spaced circular labels"),
    ],
)
def test_refusals(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        disagreement_weights(*arguments)


@pytest.mark.parametrize("period", [270, -1, math.nan, math.inf, "360"])
def test_periods_that_do_not_fit(period: Any) -> None:
    with pytest.raises(ValueError, match=r"period must be larger than .*the distance between"):
        disagreement_weights("circular", [0, 90, 180, 270], period=period)
    with pytest.raises(ValueError, match="period applies only to circular weights"):
        disagreement_weights("linear", [0, 90], period=360)
