"""The linear model with the highest kappa: its claims, and scikit-learn's checks."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from fastkappa import cohen_kappa_score
from fastkappa.estimators import KappaRegressor
from fastkappa.install_hint import install_command
from fastkappa.measurements import continuous_kappa
from tests.helpers.fresh_python import run_python


@pytest.mark.every(3)
@parametrize_with_checks(
    [
        KappaRegressor(),
        KappaRegressor(alpha=1.0),
        KappaRegressor(alpha=0.5, scale="variance", clip=(-1e9, 1e9)),
        KappaRegressor(fit_intercept=False),
    ]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:kappa is undefined")
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features with any scale and offset, labels 0 to 4 and item weights."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(12, 80)), int(rng.integers(1, 6))
    X = rng.normal(rng.normal(0, 2, p), 10.0 ** rng.uniform(-1, 1, p), (n, p))
    latent = (X - X.mean(0)) / X.std(0) @ rng.normal(size=p) + rng.normal(0, 2, n)
    y = np.clip(np.rint(2 + latent), 0, 4)
    return X, y, rng.integers(1, 4, n).astype(float)


def kappa_and_gradient(
    coefficients: np.ndarray, X: np.ndarray, y: np.ndarray, w: np.ndarray, with_intercept: bool
) -> tuple[float, np.ndarray]:
    """Return the kappa of a linear model (one minus observed over expected) and its gradient."""
    if with_intercept:
        X = X - np.average(X, axis=0, weights=w)
        y = y - np.average(y, weights=w)
    p, n = X @ coefficients, w.sum()
    observed = w @ (y - p) ** 2
    expected = w @ y**2 + w @ p**2 - 2 / n * (w @ y) * (w @ p)
    of_observed = -2 * X.T @ (w * (y - p))
    of_expected = 2 * X.T @ (w * p) - 2 / n * (w @ y) * (X.T @ w)
    gradient = -(of_observed * expected - observed * of_expected) / expected**2
    return 1 - observed / expected, gradient


def best_by_search(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, with_intercept: bool, mu: float = 0.0
) -> float:
    """Return the highest kappa minus mu times the squared coefficients, as found by BFGS."""

    def loss(a: np.ndarray) -> tuple[float, np.ndarray]:
        kappa, gradient = kappa_and_gradient(a, X, y, w, with_intercept)
        return mu * a @ a - kappa, 2 * mu * a - gradient

    rng = np.random.default_rng(0)
    starts = [LinearRegression().fit(X, y).coef_] + [
        rng.normal(size=X.shape[1]) / X.std(0) for _ in range(4)
    ]
    return max(-optimize.minimize(loss, a, jac=True, method="BFGS").fun for a in starts)


@pytest.mark.parametrize("with_intercept", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_no_search_beats_it(seed: int, with_intercept: bool) -> None:
    X, y, w = problem(seed)
    model = KappaRegressor(fit_intercept=with_intercept).fit(X, y, sample_weight=w)
    found = best_by_search(X, y, w, with_intercept)
    assert model.kappa_ >= found - 1e-12
    assert model.kappa_ == pytest.approx(found, abs=1e-6)  # BFGS does reach the maximum.
    assert model.kappa_ == pytest.approx(
        continuous_kappa(y, model.predict(X), sample_weight=w), abs=1e-14
    )


@pytest.mark.parametrize("seed", range(10))
def test_it_is_least_squares_scaled_until_kappa_is_the_correlation(seed: int) -> None:
    """Vaughn and Justice (2015): kappa = |prediction| / |y| for centred least squares."""
    X, y, _ = problem(seed)
    model, least_squares = KappaRegressor().fit(X, y), LinearRegression().fit(X, y)
    ratio = np.std(least_squares.predict(X)) / np.std(y)
    np.testing.assert_allclose(model.coef_, least_squares.coef_ / ratio, rtol=1e-9)
    assert model.intercept_ == pytest.approx(y.mean() - X.mean(0) @ model.coef_)
    assert model.kappa_ == pytest.approx(ratio, abs=1e-12)
    assert model.kappa_ == pytest.approx(np.corrcoef(y, model.predict(X))[0, 1], abs=1e-12)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("seed", range(8))
def test_ridge_is_the_maximum_of_kappa_less_a_penalty(seed: int, alpha: float) -> None:
    """The paper's kappa and mu, computed from the smoother matrix H."""
    X, y, w = problem(seed)
    w[:] = 1
    model = KappaRegressor(alpha=alpha).fit(X, y)
    centred, truth = X - X.mean(0), y - y.mean()
    H = centred @ np.linalg.solve(centred.T @ centred + alpha * np.eye(X.shape[1]), centred.T)
    once, twice = truth @ H @ truth, truth @ H @ H @ truth
    kappa = np.sqrt(2 * once - twice) / np.linalg.norm(truth)
    mu = alpha * kappa**3 / (2 * once)
    ridge = Ridge(alpha=alpha, solver="svd").fit(X, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_ / kappa, rtol=1e-8)
    assert model.kappa_ == pytest.approx(kappa, abs=1e-12)
    _, gradient = kappa_and_gradient(model.coef_, X, y, w, True)
    scale = np.abs(2 * mu * model.coef_).max()
    np.testing.assert_allclose(gradient, 2 * mu * model.coef_, atol=1e-7 * scale)
    penalized = model.kappa_ - mu * model.coef_ @ model.coef_
    assert penalized >= best_by_search(X, y, w, True, mu) - 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_ridge_without_intercept_is_stationary(seed: int) -> None:
    """Here mu is alpha * kappa / denominator, and no search finds a better solution."""
    X, y, w = problem(seed)
    model = KappaRegressor(alpha=2.0, fit_intercept=False).fit(X, y, sample_weight=w)
    p = X @ model.coef_
    denominator = w @ y**2 + w @ p**2 - 2 / w.sum() * (w @ y) * (w @ p)
    mu = 2.0 * model.kappa_ / denominator
    _, gradient = kappa_and_gradient(model.coef_, X, y, w, False)
    scale = np.abs(2 * mu * model.coef_).max()
    np.testing.assert_allclose(gradient, 2 * mu * model.coef_, atol=1e-7 * scale)
    penalized = model.kappa_ - mu * model.coef_ @ model.coef_
    assert penalized >= best_by_search(X, y, w, False, mu) - 1e-12


@pytest.mark.parametrize("with_intercept", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_variance_matching_has_the_higher_training_kappa(seed: int, with_intercept: bool) -> None:
    X, y, w = problem(seed)
    penalized, matched = (
        KappaRegressor(alpha=30.0, scale=scale, fit_intercept=with_intercept).fit(
            X, y, sample_weight=w
        )
        for scale in ("penalized", "variance")
    )
    assert matched.kappa_ > penalized.kappa_
    ratios = matched.coef_ / penalized.coef_
    np.testing.assert_allclose(ratios, ratios[0])
    # The best in this direction: no other length is better.
    shift = np.average(y, weights=w) if with_intercept else 0.0
    centre = np.average(X, axis=0, weights=w) if with_intercept else 0.0
    for factor in (0.9, 0.999, 1.001, 1.1):
        p = shift + (X - centre) @ matched.coef_ * factor
        assert continuous_kappa(y, p, sample_weight=w) < matched.kappa_
    if with_intercept:
        spread = [np.cov(v, aweights=w, bias=True) for v in (y, matched.predict(X))]
        assert spread[0] == pytest.approx(spread[1])


def test_without_penalty_both_scales_are_the_same() -> None:
    X, y, _ = problem(3)
    coefficients = [KappaRegressor(scale=s).fit(X, y).coef_ for s in ("penalized", "variance")]
    np.testing.assert_allclose(*coefficients, rtol=1e-12)


def test_scaled_predictions_round_better_than_least_squares() -> None:
    """Test new ordinal data with the kappa of rounded labels, as in competitions."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 8))
    y = np.clip(np.rint(2 + 0.45 * X.sum(1) + rng.normal(0, 1.3, len(X))), 0, 4)
    kappas = []
    for model in (LinearRegression(), KappaRegressor(clip=(0, 4))):
        rounded = np.clip(np.rint(model.fit(X[:5000], y[:5000]).predict(X[5000:])), 0, 4)
        kappas.append(cohen_kappa_score(y[5000:], rounded, weights="quadratic"))
    assert kappas[1] > kappas[0] + 0.02


@pytest.mark.parametrize("alpha", [0.0, 5.0])
def test_weights_are_repetitions(alpha: float) -> None:
    X, y, w = problem(11)
    w[:5] = 0
    repeated = w.astype(int)
    weighted = KappaRegressor(alpha=alpha).fit(X, y, sample_weight=w)
    plain = KappaRegressor(alpha=alpha).fit(np.repeat(X, repeated, axis=0), np.repeat(y, repeated))
    np.testing.assert_allclose(weighted.coef_, plain.coef_, rtol=1e-9)
    assert weighted.intercept_ == pytest.approx(plain.intercept_)
    assert weighted.kappa_ == pytest.approx(plain.kappa_, abs=1e-13)


def test_weights_of_any_size() -> None:
    X, y, w = problem(4)
    model = KappaRegressor().fit(X, y, sample_weight=w)
    for size in (1e-70, 1e70):
        other = KappaRegressor().fit(X, y, sample_weight=w * size)
        np.testing.assert_allclose(other.coef_, model.coef_, rtol=1e-9)


@pytest.mark.parametrize("with_intercept", [True, False])
def test_dependent_features_change_no_prediction(with_intercept: bool) -> None:
    X, y, _ = problem(5)
    model = KappaRegressor(fit_intercept=with_intercept).fit(X, y)
    twice = np.hstack([X, X @ np.arange(1, X.shape[1] + 1)[:, None], X])
    other = KappaRegressor(fit_intercept=with_intercept).fit(twice, y)
    np.testing.assert_allclose(other.predict(twice), model.predict(X), atol=1e-9)
    half = X.shape[1]
    np.testing.assert_allclose(other.coef_[:half], other.coef_[half + 1 :], atol=1e-9)


def test_a_column_of_ones_is_an_intercept() -> None:
    X, y, _ = problem(6)
    ones = np.hstack([X, np.ones((len(X), 1))])
    y = y + 1e6  # Here sums of squares about 0 would lose all digits.
    model, other = KappaRegressor().fit(X, y), KappaRegressor(fit_intercept=False).fit(ones, y)
    assert other.kappa_ == pytest.approx(model.kappa_, abs=1e-7)
    np.testing.assert_allclose(other.predict(ones), model.predict(X), atol=1e-3)


def test_more_features_than_items() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 60)), rng.integers(0, 5, 20)
    model = KappaRegressor().fit(X, y)
    assert model.kappa_ == pytest.approx(1, abs=1e-12)
    least = np.linalg.lstsq(X - X.mean(0), y - y.mean(), rcond=None)[0]
    np.testing.assert_allclose(model.coef_, least, atol=1e-10)


@pytest.mark.parametrize("with_intercept", [True, False])
def test_no_correlation_gives_no_coefficients(with_intercept: bool) -> None:
    X = np.array([[1.0, 0.1], [-1.0, 0.1], [1.0, 0.1], [-1.0, 0.1]])
    y = np.array([1, 1, 3, 3]) * 0.1
    model = KappaRegressor(fit_intercept=with_intercept).fit(X, y)
    assert model.coef_.tolist() == [0.0, 0.0]
    assert model.kappa_ == 0.0
    assert model.intercept_ == pytest.approx(0.2 if with_intercept else 0.0)


def test_constant_labels() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.warns(UserWarning, match="kappa is undefined"):
        model = KappaRegressor().fit(X, np.full(50, 0.1))
    assert model.coef_.tolist() == [0.0] * 3
    assert model.intercept_ == 0.1
    assert np.isnan(model.kappa_)
    assert not KappaRegressor(fit_intercept=False).fit(X, np.full(50, 0.1)).coef_.any()


def test_features_far_from_zero() -> None:
    X, y, _ = problem(8)
    far = X + 1e7
    np.testing.assert_allclose(
        KappaRegressor().fit(far, y).predict(far), KappaRegressor().fit(X, y).predict(X), atol=1e-4
    )


def test_clip() -> None:
    X, y, _ = problem(9)
    free, clipped = KappaRegressor().fit(X, y), KappaRegressor(clip=(0, 4)).fit(X, y)
    np.testing.assert_array_equal(clipped.predict(X), np.clip(free.predict(X), 0, 4))
    np.testing.assert_array_equal(clipped.coef_, free.coef_)
    assert clipped.kappa_ == continuous_kappa(y, clipped.predict(X)) != free.kappa_


def test_it_works_where_scikit_learn_does() -> None:
    X, y, w = problem(10)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    model = KappaRegressor().fit(frame, y)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.score(frame, y, sample_weight=w) == continuous_kappa(
        y, model.predict(frame), sample_weight=w
    )
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    pipeline = make_pipeline(StandardScaler(), KappaRegressor(alpha=1.0, clip=(0, 4)))
    assert cross_val_predict(pipeline, X, y, cv=3).shape == y.shape
    search = GridSearchCV(KappaRegressor(), {"alpha": [0.0, 1e6]}, cv=3).fit(X, y)
    assert search.best_params_ == {"alpha": 0.0}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "alpha must be a finite non-negative number, got -1.0"),
        ({"alpha": float("nan")}, "alpha must be"),
        ({"alpha": "1"}, "alpha must be"),
        ({"scale": "std"}, "scale must be 'penalized' or 'variance', got 'std'"),
        ({"clip": (4, 0)}, r"clip must be None or \(lowest, highest\), got \(4, 0\)"),
        ({"clip": 3}, "clip must be"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KappaRegressor(**parameters).fit([[1.0], [2.0]], [1, 2])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1], "sample_weight must not contain negative numbers, got -1"),
        ([0, 0], "weight"),
        ([1], "one weight for each of the 2 items, got 1"),
    ],
)
def test_bad_weights_are_named(weights: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KappaRegressor().fit([[1.0], [2.0]], [1, 2], sample_weight=weights)


def test_masked_entries_are_refused() -> None:
    X, y = np.arange(6.0)[:, None], np.arange(6)
    with pytest.raises(ValueError, match="y must not have masked entries, got one at position 2"):
        KappaRegressor().fit(X, np.ma.masked_equal(y, 2))
    with pytest.raises(ValueError, match="X must not have masked entries, got one at position 4"):
        KappaRegressor().fit(np.ma.masked_equal(X, 4), y)


def test_without_scikit_learn_the_extra_is_named() -> None:
    code = """
import sys
sys.modules["sklearn"] = None
from fastkappa import *
import fastkappa
try:
    fastkappa.estimators.KappaRegressor
except ImportError as error:
    print(error)
"""
    assert install_command("fastkappa[sklearn]") in run_python(code)
