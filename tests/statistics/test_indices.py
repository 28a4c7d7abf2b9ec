"""Standard errors and indices, compared with statsmodels, irrCAC, scipy and enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from scipy.stats import chi2, norm

from fastkappa import agreement_from_confusion, kappa_from_confusion
from fastkappa.statistics import indices, inference, scales
from fastkappa.statistics.transport import closest_tables
from fastkappa.statistics.weights import agreement_matrix, disagreement_matrix
from tests.helpers.absent import library

cohens_kappa = library("statsmodels.stats.inter_rater").cohens_kappa

NAMED = (None, "linear", "quadratic")


def random_tables() -> Iterator[Any]:
    """Yield tables of 2 to 12 labels: full, sparse, with few items and with many."""
    rng = np.random.default_rng(5)
    for n_labels in range(2, 13):
        full = rng.integers(1, 50, (n_labels, n_labels))
        yield full
        yield full + 100 * np.eye(n_labels, dtype=int)
        yield rng.poisson(0.5, (n_labels, n_labels)) + np.tri(n_labels, dtype=int)
        yield rng.integers(0, 10**7, (n_labels, n_labels))


def random_weights(rng: Any, n_labels: int) -> Any:
    return rng.random((n_labels, n_labels)) * (1 - np.eye(n_labels))


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("weights", NAMED)
def test_errors_are_those_of_statsmodels(weights: Any) -> None:
    for table in random_tables():
        peer = cohens_kappa(table, wt=weights)
        result = agreement_from_confusion(table, weights=weights, interval_method="asymptotic")
        assert result.kappa == near(peer.kappa)
        assert result.standard_error == near(peer.std_kappa)
        assert result.null_standard_error == near(peer.std_kappa0)
        assert result.z == near(peer.z_value)
        assert result.p_value == near(peer.pvalue_two_sided)
        assert result.interval == near((peer.kappa_low, peer.kappa_upp))
        if weights is None:
            assert result.kappa_max == near(peer.kappa_max)


@pytest.mark.parametrize("weights", NAMED)
def test_indices_are_those_of_irrcac(weights: Any) -> None:
    name = weights or "identity"
    peer_table = pytest.importorskip("irrCAC.table")
    for table in random_tables():
        result = agreement_from_confusion(table, weights=weights)
        peer = peer_table.CAC(pd.DataFrame(table), weights=name, digits=15)
        plain = peer_table.CAC(pd.DataFrame(table), digits=15)
        for index, coefficient in {
            "kappa": peer.cohen,
            "scott_pi": peer.scott,
            "krippendorff_alpha": peer.krippendorff,
            "brennan_prediger": peer.bp,
            "bennett_s": plain.bp,
            "gwet_ac2": peer.gwet,
            "gwet_ac1": plain.gwet,
            "observed_agreement": plain.pa2,
        }.items():
            estimate = coefficient()["est"]
            found = result.estimates[index]
            assert found.value == near(estimate["coefficient_value"]), index
            assert found.standard_error == near(estimate["se"]), index
        assert result.weighted_observed_agreement == near(peer.pa)
        assert result.weighted_expected_agreement == near(peer.cohen()["est"]["pe"])


def numerical_error(statistic: Any, table: Any) -> float:
    """Return the delta method's error, with a gradient computed from differences."""
    table = np.asarray(table, float)
    n, step = table.sum(), 1e-4 * table.sum()
    slope = np.zeros(table.shape)
    for cell in np.ndindex(table.shape):
        up, down = table.copy(), table.copy()
        up[cell] += step
        down[cell] -= step
        # Shares sum to 1, so a constant in the gradient has no effect.
        slope[cell] = (statistic(up / up.sum()) - statistic(down / down.sum())) * n / (2 * step)
    proportions = table / n
    mean = (proportions * slope).sum()
    return math.sqrt((proportions * (slope - mean) ** 2).sum() / n)


def test_errors_for_asymmetric_weights_are_those_of_the_delta_method() -> None:
    rng = np.random.default_rng(1)
    for n_labels in (2, 3, 5):
        table = rng.integers(20, 60, (n_labels, n_labels))
        weights = random_weights(rng, n_labels)
        agree = 1 - weights / weights.max()

        def kappa(p: Any, weights: Any = weights) -> float:
            return 1 - (weights * p).sum() / (weights * np.outer(p.sum(1), p.sum(0))).sum()

        def pi(p: Any, agree: Any = agree) -> float:
            both = (p.sum(0) + p.sum(1)) / 2
            chance = (agree * np.outer(both, both)).sum()
            return ((agree * p).sum() - chance) / (1 - chance)

        def ac2(p: Any, agree: Any = agree) -> float:
            both = (p.sum(0) + p.sum(1)) / 2
            chance = agree.sum() * (both * (1 - both)).sum() / (len(p) * (len(p) - 1))
            return ((agree * p).sum() - chance) / (1 - chance)

        proportions = table / table.sum()
        assert kappa_from_confusion(table, weights=weights) == near(kappa(proportions))
        found = inference.standard_error(table, weights)
        assert found == pytest.approx(numerical_error(kappa, table), rel=1e-6)
        for index, statistic in ((indices.scott_pi, pi), (indices.gwet_ac2, ac2)):
            value, error = index(table, weights)
            assert value == near(statistic(proportions))
            assert error == pytest.approx(numerical_error(statistic, table), rel=1e-6)
        # Under independence, the error for intervals equals the error for tests.
        margins = np.outer(table.sum(1), table.sum(0))
        n = math.sqrt(margins.sum() / table.sum())
        assert inference.standard_error(margins, weights) * n == near(
            inference.null_standard_error(table, weights)
        )


def test_the_scale_of_the_weights_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    for table in (rng.integers(1, 30, (k, k)) for k in (3, 6)):
        weights = random_weights(rng, len(table))
        one = agreement_from_confusion(table, weights=weights)
        other = agreement_from_confusion(table, weights=37.5 * weights)
        for name, estimate in one.estimates.items():
            assert other.estimates[name] == pytest.approx(estimate, rel=1e-12, nan_ok=True)
        assert other.null_standard_error == near(one.null_standard_error)
        assert other.kappa_max == near(one.kappa_max)
        assert other.textbook_standard_error == near(one.textbook_standard_error)


@pytest.mark.parametrize("weights", [*NAMED, [[0, 3, 1], [2, 0, 5], [1, 1, 0]]])
def test_stacks_are_tables_one_by_one(weights: Any) -> None:
    stack = np.random.default_rng(3).integers(1, 40, (2, 4, 3, 3))
    for function in (
        inference.standard_error,
        inference.null_standard_error,
        inference.textbook_standard_error,
        indices.kappa_max,
        indices.chance_agreement,
        lambda t, w: indices.bangdiwala_b(t, (1, 0.5)),
        *(
            lambda t, w, f=f, i=i: f(t, w)[i]
            for i in (0, 1)
            for f in (
                indices.percent_agreement,
                indices.scott_pi,
                indices.krippendorff_alpha,
                indices.brennan_prediger,
                indices.gwet_ac2,
            )
        ),
    ):
        found = function(stack, weights)
        assert found.shape == (2, 4)
        for place in np.ndindex(2, 4):
            single = function(stack[place], weights)
            assert type(single) is float
            assert found[place] == pytest.approx(single, rel=1e-14)
    assert indices.category_kappas(stack).shape == (2, 4, 3)
    assert indices.category_tables(stack[0, 0])[1].sum() == stack[0, 0].sum()
    two = stack[..., :2, :2]
    assert indices.prevalence_index(two).shape == indices.bias_index(two).shape == (2, 4)
    assert np.isnan(indices.prevalence_index(stack)).all()


# The largest kappa.


def all_tables(rows: tuple[int, ...], columns: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """Yield every table of whole numbers with these margins."""
    if not rows:
        if not any(columns):
            yield []
        return
    for first in itertools.product(*(range(c + 1) for c in columns)):
        if sum(first) == rows[0]:
            left = tuple(c - f for c, f in zip(columns, first))
            for rest in all_tables(rows[1:], left):
                yield [first, *rest]


def test_largest_kappa_is_that_of_the_best_of_all_tables() -> None:
    rng = np.random.default_rng(4)
    for _ in range(12):
        table = rng.integers(0, 4, (3, 3)) + np.eye(3, dtype=int)
        options = np.array(list(all_tables(tuple(table.sum(1)), tuple(table.sum(0)))))
        for weights in (
            *NAMED,
            random_weights(rng, 3),
            rng.integers(0, 4, (3, 3)) * (1 - np.eye(3)),
        ):
            if isinstance(weights, np.ndarray) and not weights.any():
                continue
            best = np.nanmax(kappa_from_confusion(options, weights=weights))
            assert indices.kappa_max(table, weights) == pytest.approx(best, abs=1e-14)


def test_cheapest_tables_are_those_of_linear_programming() -> None:
    rng = np.random.default_rng(6)
    for n_labels in (4, 7, 12):
        for weights in (
            random_weights(rng, n_labels),
            random_weights(rng, n_labels) ** 8,
            rng.integers(0, 3, (n_labels, n_labels)) * (1 - np.eye(n_labels)),
            np.abs(np.subtract.outer(np.arange(n_labels), np.arange(n_labels))) ** 1.5,
            np.abs(np.subtract.outer(np.arange(n_labels), np.arange(n_labels))) ** 0.5,
        ):
            table = rng.integers(0, 1000, (n_labels, n_labels))
            closest = closest_tables(table, weights)
            assert closest.dtype == np.int64
            assert closest.min() >= 0
            assert (closest.sum(0) == table.sum(0)).all()
            assert (closest.sum(1) == table.sum(1)).all()
            sums = np.vstack(
                [
                    np.kron(np.eye(n_labels), np.ones(n_labels)),
                    np.kron(np.ones(n_labels), np.eye(n_labels)),
                ]
            )
            least = linprog(
                np.ravel(weights), A_eq=sums, b_eq=[*table.sum(1), *table.sum(0)], method="highs"
            ).fun
            assert (closest * weights).sum() == pytest.approx(least, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("weights", [*NAMED, [[0, 3, 1], [2, 0, 5], [1, 1, 0]]])
def test_equal_margins_allow_full_agreement(weights: Any) -> None:
    assert indices.kappa_max([[5, 2, 1], [1, 6, 3], [2, 2, 7]], weights) == 1


def test_counts_beyond_float_are_exact() -> None:
    table = [[10**17 + 1, 3], [1, 10**17]]
    assert indices.kappa_max(table) == kappa_from_confusion([[10**17 + 2, 2], [0, 10**17 + 1]])


# Scales.


def normal(value: float, error: float) -> scales.Ends:
    """Return the ends of the normal interval at every confidence level."""
    return lambda confidence: inference.symmetric_interval(value, error, confidence)


@pytest.mark.parametrize(
    ("scale", "method"),
    [
        ("altman", "altman"),
        ("cicchetti", "cicchetti_sparrow"),
        ("fleiss", "fleiss"),
        ("landis-koch", "landis_koch"),
    ],
)
def test_probabilities_of_bands_are_those_of_irrcac(scale: str, method: str) -> None:
    benchmark = pytest.importorskip("irrCAC.benchmark")
    for kappa, error in ((0.67, 0.15), (0.2, 0.1), (0.9, 0.02), (0.4, 0.3)):
        found = scales.interpret(kappa, normal(kappa, error), scale)
        total = norm.cdf((1 - kappa) / error) - norm.cdf((-1 - kappa) / error)
        bands = scales.SCALES[scale].bands
        low = -1.0
        for band in bands:
            share = norm.cdf((band.upper - kappa) / error) - norm.cdf((low - kappa) / error)
            # The range beyond five standard errors is left out.
            assert found.proportions[band.reading] == pytest.approx(share / total, abs=1e-6)
            low = band.upper
        assert sum(found.proportions.values()) == near(1)
        peer = getattr(benchmark.Benchmark(kappa, error), method)()
        cumulative = np.cumsum([found.proportions[band.reading] for band in reversed(bands)])
        # It prints five digits, and has no band below 0.
        assert cumulative[: len(peer["CumProb"]) - 1] == pytest.approx(
            np.array(peer["CumProb"][:-1], float), abs=1e-5
        )


@pytest.mark.parametrize(
    ("scale", "readings"),
    {
        "cohen": {
            -0.1: "none",
            0: "none",
            0.01: "none to slight",
            0.2: "none to slight",
            0.4: "fair",
            0.6: "moderate",
            0.8: "substantial",
            0.81: "almost perfect",
            1: "almost perfect",
        },
        "landis-koch": {
            -0.01: "poor",
            0: "slight",
            0.2: "slight",
            0.21: "fair",
            0.41: "moderate",
            0.61: "substantial",
            0.81: "almost perfect",
        },
        "mchugh": {
            -0.01: "disagreement",
            0: "none (0-4 % reliable)",
            0.2: "none (0-4 % reliable)",
            0.21: "minimal (4-15 % reliable)",
            0.4: "weak (15-35 % reliable)",
            0.6: "moderate (35-63 % reliable)",
            0.8: "strong (64-81 % reliable)",
            0.9: "strong (64-81 % reliable)",
            0.91: "almost perfect (82-100 % reliable)",
        },
        "fleiss": {0.39: "poor", 0.4: "fair to good", 0.75: "fair to good", 0.76: "excellent"},
        "altman": {
            -1: "poor",
            0.2: "poor",
            0.4: "fair",
            0.6: "moderate",
            0.8: "good",
            0.9: "very good",
        },
        "cicchetti": {0.39: "poor", 0.4: "fair", 0.6: "good", 0.74: "good", 0.75: "excellent"},
    }.items(),
)
def test_readings(scale: str, readings: dict[float, str]) -> None:
    assert {value: scales.read_value(value, scale) for value in readings} == readings


def test_undefined_readings() -> None:
    assert (
        scales.interpret(math.nan, normal(math.nan, math.nan), "fleiss").confident_reading
        == "undefined"
    )
    without_error = scales.interpret(1.0, normal(1.0, 0.0), "fleiss")
    assert (without_error.reading, without_error.confident_reading) == ("excellent", "excellent")
    assert without_error.proportions == {"poor": 0, "fair to good": 0, "excellent": 1}
    # Weighted kappa can be below -1, so far below that its whole interval is.
    assert scales.interpret(-3.0, normal(-3.0, 0.01), "fleiss").proportions["poor"] == 1
    assert scales.interpret(0.0, normal(0.0, 1e-9), "fleiss").proportions["poor"] == near(1)
    with pytest.raises(ValueError, match=r"scale must be 'cohen', .*, got 'mine'"):
        scales.interpret(0.5, normal(0.5, 0.1), "mine")  # type: ignore[arg-type]


# Distributions.


def test_chi_square() -> None:
    for df in (1, 2, 3, 4, 10, 31, 500):
        for x in (1e-8, 0.3, 1.0, 5.0, 40.0, 400.0, 1500.0):
            assert inference.chi_square_p(x, df) == pytest.approx(
                chi2.sf(x, df), rel=1e-9, abs=1e-300
            )
    assert inference.chi_square_p(0.0, 3) == 1
    assert math.isnan(inference.chi_square_p(math.nan, 3))


def test_normal() -> None:
    for z in (0.0, 0.5, -1.96, 8.0, 30.0):
        assert inference.two_sided_p(z) == pytest.approx(2 * norm.sf(abs(z)), rel=1e-12)
    for p in (1e-10, 0.025, 0.5, 0.975):
        assert inference.normal_quantile(p) == pytest.approx(norm.ppf(p), rel=1e-12, abs=1e-12)


def test_weights_as_matrices() -> None:
    assert disagreement_matrix(None, 3).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert disagreement_matrix("linear", 3).tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    assert agreement_matrix("quadratic", 3).tolist() == [
        [1, 0.75, 0],
        [0.75, 1, 0.75],
        [0, 0.75, 1],
    ]
    assert agreement_matrix(None, 1).tolist() == [[1]]
