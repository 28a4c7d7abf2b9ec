"""The thresholds found are optimal."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import fastkappa
from fastkappa import optimal_thresholds
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.thresholds import optimal
from fastkappa.thresholds.search import SearchSizes
from tests.helpers.absent import library
from tests.helpers.brute_force_thresholds import best_kappa, exact_kappa
from tests.helpers.quick import n_examples

cohen_kappa_score = library("sklearn.metrics").cohen_kappa_score

pytestmark = pytest.mark.usefixtures("drop_in_backend")

METHODS = ("sort", "bins")


# With these sizes, few items are searched like many: first coarse rows, then some are split.
TINY = SearchSizes(
    most_rows=16,
    n_coarse_rows=6,
    bins_per_root=2,
)


def matrix_of(weights, n_labels):
    """Return weights as whole or rational numbers, without the code under test."""
    labels = range(n_labels)
    if weights is None:
        return [[int(i != j) for j in labels] for i in labels]
    if isinstance(weights, str):
        power = {"linear": 1, "quadratic": 2}[weights]
        return [[abs(i - j) ** power for j in labels] for i in labels]
    return [[Fraction(float(w)) for w in row] for row in weights]


def random_weights(rng, n_labels):
    kind = rng.integers(5)
    if kind < 3:
        return (None, "linear", "quadratic")[kind]
    matrix = rng.integers(0, 5, (n_labels, n_labels)) * (1 - np.eye(n_labels, dtype=int))
    return matrix if kind == 3 else matrix / 3


def check_result(result, y, scores, item_weights=None):
    """Check that the parts of a result are consistent."""
    given = result.predict(scores)
    item_weights = np.ones(len(y)) if item_weights is None else item_weights
    kept = item_weights != 0
    place = {label: i for i, label in enumerate(result.labels.tolist())}
    table = np.zeros((len(place), len(place)))
    rows = [place[label] for label in y[kept].tolist()]
    columns = [place[label] for label in given[kept].tolist()]
    np.add.at(table, (rows, columns), item_weights[kept])
    np.testing.assert_allclose(result.table, table, rtol=1e-12)
    assert result.thresholds.dtype == (scores.dtype if scores.dtype.kind == "f" else np.float64)
    assert not np.isnan(result.thresholds).any()
    assert (result.thresholds[1:] >= result.thresholds[:-1]).all()


@pytest.mark.filterwarnings("ignore:scores fall as labels rise")
@pytest.mark.filterwarnings("ignore:the best thresholds give all items the same")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(2))
def test_brute_force(method, seed, monkeypatch):
    monkeypatch.setattr(optimal, "SIZES", TINY)
    rng = np.random.default_rng([seed, METHODS.index(method)])
    n_checked, n_rounds = 0, n_examples(120)
    for _ in range(n_rounds):
        n_labels, n = int(rng.integers(2, 5)), int(rng.integers(1, 24))
        y = rng.integers(0, n_labels, n)
        scores = rng.integers(0, rng.integers(1, 14), n) / 8 - 0.5
        weights = random_weights(rng, n_labels)
        item_weights = rng.integers(0, 4, n) if rng.random() < 0.4 else None
        sums = [1] * n if item_weights is None else item_weights.tolist()
        kept = [i for i in range(n) if sums[i]]
        if len(set(y[kept].tolist())) < 2:
            continue
        matrix = matrix_of(weights, n_labels)
        expected = best_kappa(y.tolist(), scores.tolist(), matrix, sums)
        options = {
            "labels": range(n_labels),
            "weights": weights,
            "sample_weight": item_weights,
            "method": method,
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", undefined_metric_warning())
            result = optimal_thresholds(y, scores, **options)
        n_checked += 1
        if expected is None:
            assert math.isnan(result.kappa)
            continue
        assert exact_kappa(result.table.tolist(), matrix) == expected
        assert result.kappa == float(expected)
        assert result.gap == 0
        check_result(result, y, scores, item_weights)
    assert n_checked > n_rounds / 2


def test_fractional_item_weights(monkeypatch):
    monkeypatch.setattr(optimal, "SIZES", TINY)
    rng = np.random.default_rng(3)
    for _ in range(n_examples(40)):
        n_labels, n = int(rng.integers(2, 5)), int(rng.integers(4, 16))
        y, scores = rng.integers(0, n_labels, n), rng.normal(size=n).round(1)
        y[:2] = 0, 1
        item_weights = rng.random(n) * 10.0 ** rng.integers(-200, 200)
        exact = [Fraction(float(w)) for w in item_weights]
        matrix = matrix_of("linear", n_labels)
        expected = best_kappa(y.tolist(), scores.tolist(), matrix, exact)
        result = optimal_thresholds(
            y,
            scores,
            labels=range(n_labels),
            weights="linear",
            sample_weight=item_weights,
        )
        assert result.kappa == pytest.approx(float(expected), abs=1e-12)
        assert 0 <= result.gap < 1e-9
        check_result(result, y, scores, item_weights)


def ordinal(n, n_labels, seed=0, dtype=np.float64):
    """Return labels and scores correlated with them."""
    rng = np.random.default_rng(seed)
    ability = rng.normal(size=n) * 1.2 + (n_labels - 1) / 2
    y = np.clip(np.rint(ability), 0, n_labels - 1).astype(np.int64)
    return y, (0.6 * ability + rng.normal(size=n) * 0.7).astype(dtype)


def adversaries(n):
    """Yield scores that are difficult for bins, sums or keys, by name."""
    rng = np.random.default_rng(5)
    y, scores = ordinal(n, 5)
    noise = rng.normal(size=n)
    constant = np.where(rng.random(n) < 0.999, 0.25, scores)
    with np.errstate(over="ignore"):
        huge = np.clip(scores * 1e308, -1.7e308, 1.7e308)
    return {
        "ordinal": (y, scores),
        "float32": (y, scores.astype(np.float32)),
        "noise": (y, noise),
        "constant": (y, constant),
        "one score": (y, np.full(n, -3.5)),
        "two scores": (y, np.where(scores > 1, 1e300, -1e300)),
        "heavy tails": (y, scores / rng.random(n) ** 8),
        "all magnitudes": (y, np.sign(noise) * 10.0 ** rng.uniform(-300, 300, n)),
        "denormal": (y, scores * 5e-324 * 1000),
        "limits": (y, huge),
        "ties": (y, scores.round(1)),
        "rare label": ((scores > np.sort(scores)[-3]).astype(int), noise),
        "perfect": (y, y + 0.0),
        "reversed": (y, -scores),
    }


@pytest.mark.filterwarnings("ignore:scores fall as labels rise")
@pytest.mark.filterwarnings("ignore:the best thresholds give all items the same")
@pytest.mark.parametrize("name", adversaries(10))
def test_methods_agree(name):
    y, scores = adversaries(40_000)[name]
    for weights in ("quadratic", None):
        by_sort, by_bins = (
            optimal_thresholds(y, scores, weights=weights, method=method) for method in METHODS
        )
        assert by_sort.kappa == by_bins.kappa
        assert by_sort.gap == by_bins.gap == 0
        assert by_sort.method == "sort"
        for result in (by_sort, by_bins):
            check_result(result, y, scores)
            assert result.kappa == fastkappa.kappa_from_confusion(result.table, weights=weights)


def test_bins_are_used():
    y, scores = ordinal(40_000, 5)
    assert optimal_thresholds(y, scores, method="bins").method == "bins"
    y, scores = ordinal(200_000, 5)
    assert optimal_thresholds(y, scores).method == "bins"
    assert optimal_thresholds(y[:1000], scores[:1000]).method == "sort"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weighted_bins(dtype):
    y, scores = ordinal(30_000, 5, dtype=dtype)
    item_weights = np.random.default_rng(1).integers(0, 4, len(y))
    by_sort, by_bins = (
        optimal_thresholds(y, scores, sample_weight=item_weights, method=method)
        for method in METHODS
    )
    assert by_sort.kappa == by_bins.kappa
    assert by_sort.table.dtype == np.int64
    assert by_bins.method == "bins"
    repeated = optimal_thresholds(np.repeat(y, item_weights), np.repeat(scores, item_weights))
    assert repeated.kappa == by_sort.kappa
    check_result(by_bins, y, scores, item_weights)


def test_optimality_law():
    """The best thresholds are the solutions of E[y | score] = mean + kappa * (c - 1/2 - mean)."""
    rng = np.random.default_rng(2)
    n = 10_000_000
    scores = rng.random(n, dtype=np.float32)
    # Two coins with probability 0.1 + 0.8 * score each: E[y | score] is linear in the score.
    y = (rng.random(n, dtype=np.float32) < 0.1 + 0.8 * scores).astype(np.uint8)
    y += rng.random(n, dtype=np.float32) < 0.1 + 0.8 * scores
    result = optimal_thresholds(y, scores)
    mean = y.mean()
    law = mean + result.kappa * (np.array([1, 2]) - 0.5 - mean)
    # Thresholds converge at the rate of the cube root of n.
    np.testing.assert_allclose(0.2 + 1.6 * result.thresholds, law, atol=0.01)
    assert result.gap == 0
    assert result.method == "bins"


@pytest.mark.parametrize("n_labels", [3, 5])
def test_nelder_mead_never_wins(n_labels):
    from scipy.optimize import minimize

    y, scores = ordinal(800, n_labels, seed=n_labels)
    best = optimal_thresholds(y, scores, labels=range(n_labels))

    def loss(thresholds):
        given = np.digitize(scores, np.sort(thresholds))
        return -cohen_kappa_score(y, given, labels=range(n_labels), weights="quadratic")

    starts = [
        np.arange(n_labels - 1) + 0.5,
        np.quantile(scores, np.linspace(0.2, 0.8, n_labels - 1)),
    ]
    for start in starts:
        found = minimize(loss, start, method="Nelder-Mead", options={"maxiter": 150})
        assert -found.fun <= best.kappa + 1e-12
    assert -loss(best.thresholds) == pytest.approx(best.kappa, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_threads_change_nothing(method):
    y, scores = ordinal(1_200_000, 4, dtype=np.float32)
    one, two = (
        optimal_thresholds(y, scores, method=method, num_threads=threads) for threads in (1, 2)
    )
    assert one.kappa == two.kappa
    assert (one.thresholds == two.thresholds).all()
    assert (one.table == two.table).all()


@pytest.mark.parametrize("method", METHODS)
def test_layouts(method, tmp_path: Path):
    y, scores = ordinal(3000, 5)
    expected = optimal_thresholds(y, scores)
    mapped = np.memmap(tmp_path / "scores", np.float64, "w+", shape=3000)
    mapped[:] = scores
    mapped.flush()
    read_only = np.memmap(tmp_path / "scores", np.float64, "r", shape=3000)
    layouts = {
        "strided": np.repeat(scores, 3)[1::3],
        "reversed": np.ascontiguousarray(scores[::-1])[::-1],
        "big-endian": scores.astype(">f8"),
        "memmap": read_only,
        "column": scores[:, None],
        "list": scores.tolist(),
    }
    for name, layout in layouts.items():
        for labels in (y, y.astype(np.int8), y.astype(">u4"), np.repeat(y, 2)[::2] + 0.0):
            result = optimal_thresholds(labels, layout, method=method)
            assert result.kappa == expected.kappa, name
            assert (result.thresholds == expected.thresholds).all(), name
    single = scores.astype(np.float32)
    for layout in (single.astype(">f4"), np.repeat(single, 2)[::2]):
        result = optimal_thresholds(y, layout, method=method)
        assert result.thresholds.dtype == np.float32
        assert (result.thresholds == optimal_thresholds(y, single).thresholds).all()
    assert optimal_thresholds(y, single.astype(np.float16)).thresholds.dtype == np.float32
    assert optimal_thresholds(y, y * 2).thresholds.tolist() == [1, 3, 5, 7]
