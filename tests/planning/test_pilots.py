"""Plans from the table of a pilot study: exact variances, simulated studies, and refusals."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fastkappa import agreement_from_confusion
from fastkappa.planning import power, sample_size, sample_size_for_width
from tests.helpers.exact_kappa import disagreement, exact_kappa, fractions_of

# Most disagreements are between adjacent labels, and both raters use the labels equally often.
ADJACENT = [[30, 6, 0], [6, 20, 4], [0, 4, 30]]
MARGIN = [0.36, 0.3, 0.34]
WEIGHTS = (None, "linear", "quadratic")


def exact_table(kappa: Fraction, weights: Any) -> Any:
    """Return the expected proportions, for a pilot in which both raters have the same margins."""
    pilot = fractions_of(ADJACENT) / 100
    margin = pilot.sum(axis=0)
    of_pilot = exact_kappa(ADJACENT, weights)
    assert of_pilot is not None
    if kappa < of_pilot:
        part = kappa / of_pilot
        return part * pilot + (1 - part) * np.outer(margin, margin)
    part = (kappa - of_pilot) / (1 - of_pilot)
    return part * np.diag(margin) + (1 - part) * pilot


def exact_variance(table: Any, weights: Any) -> Fraction:
    """Return the variance of kappa for one item, by Fleiss, Cohen and Everitt (1969)."""
    matrix = disagreement(weights, len(table))
    agreed = 1 - fractions_of(matrix) / Fraction(matrix.max())
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    observed, expected = (agreed * table).sum(), rows.dot(agreed.dot(columns))
    means = (agreed @ columns)[:, None] + (rows @ agreed)[None]
    squares = table * (agreed * (1 - expected) - means * (1 - observed)) ** 2
    rest = observed * expected - 2 * expected + observed
    variance: Fraction = (squares.sum() - rest**2) / (1 - expected) ** 4
    return variance


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kappa", [Fraction(2, 5), Fraction(9, 10)])
def test_the_width_of_large_samples(kappa: Fraction, weights: Any) -> None:
    table = exact_table(kappa, weights)
    assert exact_kappa(table.astype(object), weights) == kappa
    error = math.sqrt(exact_variance(table, weights))
    n = sample_size_for_width(float(kappa), 0.01, pilot=ADJACENT, weights=weights)
    assert n == pytest.approx((2 * 1.959964 * error / 0.01) ** 2, rel=1e-3)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_study_like_the_pilot(weights: Any) -> None:
    """If kappa is expected to be the pilot's, so is the standard error, for any margins."""
    pilot = [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]]
    kappa = float(exact_kappa(pilot, weights) or 0)
    error = math.sqrt(exact_variance(fractions_of(pilot) / 149, weights))
    n = sample_size_for_width(kappa, 0.01, pilot=pilot, weights=weights)
    assert n == pytest.approx((2 * 1.959964 * error / 0.01) ** 2, rel=1e-3)
    # Proportions are as good as counts.
    proportions = np.array(pilot) / 149
    assert n == sample_size_for_width(kappa, 0.01, pilot=proportions, weights=weights)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_raters_who_guess_in_the_pilot(weights: Any) -> None:
    """The default assumption is a pilot of raters who agree on some items and guess the others."""
    guessed = 0.5 * np.diag(MARGIN) + 0.5 * np.outer(MARGIN, MARGIN)
    plan: dict[str, Any] = {"null_kappa": 0.4, "weights": weights}
    expected = sample_size(0.7, rates=(MARGIN, MARGIN), **plan)
    assert sample_size(0.7, pilot=guessed, **plan) == expected
    two = [[20, 5], [10, 15]]
    rates = sample_size(0.3, rates=(0.5, 0.6), null_kappa=0.1)
    assert sample_size(0.3, pilot=two, null_kappa=0.1) == rates


def test_adjacent_disagreements_need_fewer_items() -> None:
    for weights in ("linear", "quadratic"):
        guessed = sample_size_for_width(0.8, 0.2, rates=(MARGIN, MARGIN), weights=weights)
        assert sample_size_for_width(0.8, 0.2, pilot=ADJACENT, weights=weights) < guessed


def test_planned_power_is_that_of_simulated_studies() -> None:
    plan: dict[str, Any] = {"pilot": ADJACENT, "weights": "quadratic"}
    n = sample_size(0.9, null_kappa=0.8, alternative="greater", **plan)
    planned = power(n, 0.9, null_kappa=0.8, alternative="greater", **plan)
    table = exact_table(Fraction(9, 10), "quadratic").astype(float)
    drawn = np.random.default_rng(0).multinomial(n, table.ravel(), 400).reshape(-1, 3, 3)
    test: dict[str, Any] = {"null_kappa": 0.8, "alternative": "greater", "weights": "quadratic"}
    labels = range(3)
    rejects = [agreement_from_confusion(t, labels=labels, **test).p_value < 0.05 for t in drawn]
    # The standard error of a proportion of 400 studies is 0.02.
    assert np.mean(rejects) == pytest.approx(planned, abs=0.06)


@pytest.mark.parametrize(
    ("plan", "match"),
    [
        ({"rates": (0.5, 0.5)}, "rates must be left out if pilot is given"),
        ({"n_raters": 3}, "n_raters must be 2 if pilot is given, got 3"),
        ({"pilot": [[5, 20], [20, 5]]}, r"pilot must be .* above 0, got a kappa of -0\.6"),
        ({"pilot": [[9]]}, "pilot must be a table with a kappa above 0, got a kappa of nan"),
        ({"pilot": [[5, -1], [1, 5]]}, "pilot must not have negative entries"),
        ({"pilot": [0, 1, 1]}, "pilot must have the shape"),
        ({"pilot": [[40, 0], [20, 40]], "weights": "cubic"}, "weights must be"),
    ],
)
def test_refused_pilots(plan: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        sample_size(0.8, **{"pilot": ADJACENT, **plan})


def test_a_pilot_with_totals() -> None:
    table = np.pad(np.array(ADJACENT), (0, 1))
    table[-1], table[:, -1] = table.sum(axis=0), table.sum(axis=1)
    table[-1, -1] = 100
    with pytest.warns(UserWarning, match="the last row and column of pilot equal the sums"):
        sample_size(0.5, pilot=table)
