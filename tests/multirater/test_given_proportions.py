"""Agreement of raters, with given label proportions for chance agreement."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastkappa import (
    LabelOrderWarning,
    Ratings,
    agreement_from_confusion,
    conger_kappa,
    fleiss_kappa,
    randolph_kappa,
)

TABLE = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])  # Cohen's (1960) example in counts.
WEIGHTS = (None, "linear", "quadratic")
ROWS = [[0, 0, 1], [1, 1, 1], [2, 2, 0], [0, 0, 0], [1, None, 2], [2, 2, 2], [None, 0, 1]]


def distance(weights: Any, a: int, b: int) -> Fraction:
    """Return the distance between two of three labels."""
    if weights is None:
        return Fraction(a != b)
    return Fraction(abs(a - b), 2) ** (1 if weights == "linear" else 2)


def expected(weights: Any, p: Any, q: Any) -> Fraction:
    """Return the distance between two labels drawn from given proportions."""
    p, q = ([Fraction(int(x), int(sum(each))) for x in each] for each in (p, q))
    return sum(
        (p[a] * q[b] * distance(weights, a, b) for a in range(3) for b in range(3)), Fraction(0)
    )


@pytest.mark.parametrize("weights", WEIGHTS)
def test_with_their_own_margins_cohens_kappa_and_the_textbook_error(weights: Any) -> None:
    """The textbook error treats the agreement expected by chance as known."""
    cohen = agreement_from_confusion(TABLE, weights=weights)
    margins = [TABLE.sum(axis=1), TABLE.sum(axis=0)]
    ratings = Ratings.from_table(TABLE, labels=["a", "b", "c"])
    given = conger_kappa(ratings, weights=weights, label_proportions=margins, distribution="normal")
    assert given.value == pytest.approx(cohen.kappa, rel=1e-14)
    if weights is None:  # Cohen prints .492.
        assert given.expected_agreement == pytest.approx(0.41, rel=1e-14)
        assert round(given.value, 3) == 0.492
    assert given.standard_error == pytest.approx(cohen.textbook_standard_error, rel=1e-13)


def test_the_score_interval_of_two_raters_is_wilsons() -> None:
    """Kappa is a linear function of the observed agreement: here 1 - (1 - p_o) / 0.54."""
    given = fleiss_kappa(Ratings.from_table(TABLE), label_proportions=[0.6, 0.3, 0.1])
    assert given.value == pytest.approx(1 - 0.3 / 0.54, rel=1e-14)
    p, n, z = 0.7, 200, 1.959963984540054
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    ends = [1 - (1 - end) / 0.54 for end in (middle - half, middle + half)]
    assert given.interval == pytest.approx(ends, abs=1e-8)
    root = (p - 0.46) / math.sqrt(0.46 * 0.54 / n)
    assert given.z == pytest.approx(root, rel=1e-8)


def test_g_index_of_statpsych() -> None:
    """The example of ``ci.agree``: 80 of 100 objects, 4 categories (Bonett 2022)."""
    table = np.diag([20, 20, 20, 20]) + np.eye(4, k=1, dtype=int) * [0, 7, 7, 6]
    ratings = Ratings.from_table(table)
    given = fleiss_kappa(ratings, label_proportions=[1, 1, 1, 1], distribution="normal")
    assert round(given.value, 7) == 0.7333333
    assert round(given.standard_error, 8) == 0.05333333
    randolph = randolph_kappa(ratings, distribution="normal")
    assert given.interval == randolph.interval


@pytest.mark.parametrize("weights", WEIGHTS)
def test_three_raters_in_exact_arithmetic(weights: Any) -> None:
    pairs = [[(row[g], row[h]) for g, h in ((0, 1), (0, 2), (1, 2))] for row in ROWS]
    apart = Fraction(0)
    for row in pairs:
        both = [distance(weights, a, b) for a, b in row if a is not None and b is not None]
        apart += sum(both, Fraction(0)) / len(both) / len(ROWS)
    ratings = Ratings.from_array(ROWS, labels=range(3))
    common = fleiss_kappa(ratings, weights=weights, label_proportions=[5, 3, 2])
    by_chance = expected(weights, [5, 3, 2], [5, 3, 2])
    assert common.value == pytest.approx(float(1 - apart / by_chance), rel=1e-14)
    margins = [[5, 3, 2], [1, 1, 2], [30, 0, 70]]
    own = conger_kappa(ratings, weights=weights, label_proportions=margins)
    of_pairs = [expected(weights, margins[g], margins[h]) for g, h in ((0, 1), (0, 2), (1, 2))]
    assert own.value == pytest.approx(float(1 - 3 * apart / sum(of_pairs)), rel=1e-14)
    assert common.method == "Fleiss' kappa with given proportions"
    assert own.method == "Conger's kappa with given proportions"
    assert common.by_label == ()
    assert math.isnan(common.null_standard_error)


def test_order_matters_only_with_weights(recwarn: pytest.WarningsRecorder) -> None:
    rows = [["low", "low"], ["mid", "mid"], ["high", "mid"], ["high", "high"], ["mid", "low"]]
    fleiss_kappa(rows, label_proportions=[1, 2, 3])
    assert not recwarn.list
    with pytest.warns(LabelOrderWarning):
        fleiss_kappa(rows, weights="linear", label_proportions=[1, 2, 3])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 1], r"an array .*\(3,\), in the order of the labels, got \[1, 1\]"),
        ([[1, 1, 1]] * 3, r"an array of numbers with shape \(3,\)"),
        (["a", "b", "c"], r"an array of numbers with shape \(3,\)"),
        ([0.5, 0.6, -0.1], "non-negative numbers with a positive sum"),
        ([0.5, 0.5, math.nan], "non-negative numbers"),
        ([0, 0, 0], "non-negative numbers with a positive sum"),
        ([0, 1, 0], "positive for at least two labels"),
    ],
)
def test_invalid_proportions(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"label_proportions must be {message}"):
        fleiss_kappa(ROWS, labels=range(3), label_proportions=given)


def test_conger_needs_proportions_of_each_rater() -> None:
    with pytest.raises(ValueError, match=r"numbers with shape \(3, 3\)"):
        conger_kappa(ROWS, labels=range(3), label_proportions=[1, 1, 1])
    counts = Ratings.from_counts([[3, 0], [1, 2]])
    with pytest.raises(ValueError, match="which rater gave which rating"):
        conger_kappa(counts, label_proportions=[[1, 1]] * 3)
    assert fleiss_kappa(counts, label_proportions=[1, 1]).value == randolph_kappa(counts).value
