"""KappaRounder as an estimator: scikit-learn's checks, labels, pipelines, folds."""

from __future__ import annotations

import enum
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import fastkappa
from fastkappa import cohen_kappa_score, optimal_thresholds
from fastkappa.estimators import KappaRegressor, KappaRounder
from fastkappa.exceptions import FallingScoresWarning, LabelOrderWarning
from fastkappa.install_hint import install_command
from tests.helpers.absent import library
from tests.helpers.fresh_python import run_python

polars = library("polars")

STRINGS = np.array(["poor", "fair", "good", "best"])


@pytest.mark.every(3)
@parametrize_with_checks(
    [
        KappaRounder(LinearRegression()),
        KappaRounder(LinearRegression(), weights=None, cv=2),
        KappaRounder(LinearRegression(), method="exact", cv=2),
        KappaRounder(LinearRegression(), method="bagged", n_resamples=5, random_state=0),
        KappaRounder(LinearRegression(), method="exact", weights="linear"),
        KappaRounder(LinearRegression(), method="closed_form"),
    ]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:kappa is undefined")
@pytest.mark.filterwarnings("ignore:scores fall")
@pytest.mark.filterwarnings("ignore:the best thresholds give all items the same")
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def items(seed: int, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and labels 0 to 3."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=n)
    y = np.clip(np.rint(1.5 + 1.2 * latent), 0, 3).astype(int)
    return 1.5 + 0.7 * latent + rng.normal(0, 0.7, n), y


@pytest.mark.parametrize("weights", [None, "linear", "quadratic", 1 - np.eye(4)])
@pytest.mark.parametrize("weighted", [False, True])
def test_exact_is_optimal_thresholds(weights: Any, weighted: bool) -> None:
    scores, y = items(0)
    w = np.random.default_rng(0).random(len(y)) if weighted else None
    rounder = KappaRounder(method="exact", weights=weights).fit(scores, y, sample_weight=w)
    best = optimal_thresholds(y, scores, weights=weights, sample_weight=w)
    np.testing.assert_array_equal(rounder.thresholds_, best.thresholds)
    np.testing.assert_array_equal(rounder.classes_, best.labels)
    np.testing.assert_array_equal(rounder.predict(scores), best.predict(scores))
    assert rounder.kappa_ == best.kappa
    assert rounder.score(scores, y, sample_weight=w) == pytest.approx(best.kappa, abs=1e-14)
    wanted = cohen_kappa_score(y, rounder.predict(scores), weights=weights, sample_weight=w)
    assert rounder.kappa_ == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
def test_closed_form_is_the_linear_model_of_the_highest_kappa_rounded(weighted: bool) -> None:
    for seed in range(10):
        scores, y = items(seed)
        w = np.random.default_rng(seed).random(len(y)) if weighted else None
        rounder = KappaRounder(method="closed_form").fit(scores, y, sample_weight=w)
        model = KappaRegressor().fit(scores[:, None], y, sample_weight=w)
        new = np.random.default_rng(seed).normal(1.5, 2, 1000)
        rounded = np.clip(np.floor(model.predict(new[:, None]) + 0.5), 0, 3)
        np.testing.assert_array_equal(rounder.predict(new), rounded)


# Labels.


def test_strings_come_back_in_the_order_given() -> None:
    scores, y = items(1)
    by_number = KappaRounder(random_state=0).fit(scores, y)
    by_word = KappaRounder(labels=STRINGS.tolist(), random_state=0).fit(scores, STRINGS[y])
    np.testing.assert_array_equal(by_word.classes_, STRINGS)
    np.testing.assert_array_equal(by_word.thresholds_, by_number.thresholds_)
    np.testing.assert_array_equal(by_word.predict(scores), STRINGS[by_number.predict(scores)])
    assert by_word.oof_kappa_ == by_number.oof_kappa_
    assert by_word.score(scores, STRINGS[y]) == by_word.kappa_


@pytest.mark.filterwarnings("ignore:scores fall")
def test_strings_without_labels_are_sorted() -> None:
    scores, y = items(1)
    with pytest.warns(LabelOrderWarning, match="alphabetical: best < fair < good < poor") as caught:
        rounder = KappaRounder().fit(scores, STRINGS[y])
    # In that order, with best as the lowest label, scores fall.
    assert [warning.category for warning in caught] == [LabelOrderWarning, FallingScoresWarning]
    assert {warning.filename for warning in caught} == {__file__}
    np.testing.assert_array_equal(rounder.classes_, ["best", "fair", "good", "poor"])


class Grade(enum.Enum):
    POOR = 3
    FAIR = 1
    GOOD = 4
    BEST = 2


NAMES = [member.name for member in Grade]
# Functions that make labels of a type with a declared order.
DECLARED: dict[str, Callable[[list[str]], Any]] = {
    "pandas": lambda labels: pd.Series(pd.Categorical(labels, NAMES, ordered=True)),
    "polars": lambda labels: polars.Series(labels, dtype=polars.Enum(NAMES)),
    "enum": lambda labels: [Grade[name] for name in labels],
}


@pytest.mark.parametrize("form", DECLARED)
def test_a_declared_order_is_the_order(form: str) -> None:
    scores, y = items(1)
    declared = DECLARED[form]([NAMES[i] for i in y])
    plain = KappaRounder(random_state=0).fit(scores, y)
    rounder = KappaRounder(random_state=0).fit(scores, declared)
    assert rounder.classes_.tolist() == ["POOR", "FAIR", "GOOD", "BEST"]
    assert rounder.kappa_ == plain.kappa_
    assert rounder.oof_kappa_ == plain.oof_kappa_
    assert rounder.score(scores, declared) == plain.score(scores, y)
    folds = KappaRounder(cv=KFold(3)).fit(scores, declared)
    assert folds.oof_kappa_ == KappaRounder(cv=KFold(3)).fit(scores, y).oof_kappa_


def test_strings_that_are_numbers_are_sorted_by_value() -> None:
    scores, y = items(1)
    rounder = KappaRounder(random_state=0).fit(scores, np.array(["8", "9", "10", "11"])[y])
    assert rounder.classes_.tolist() == ["8", "9", "10", "11"]
    assert rounder.kappa_ == KappaRounder(random_state=0).fit(scores, y).kappa_


def test_scores_that_float64_would_round() -> None:
    """2**53 + 1 becomes 2**53, which is a different score."""
    scores = np.array([0, 1, 2, 3]) + 2**53
    message = (
        "X must be numbers that float64 represents exactly, got 9007199254740993 at position 1"
    )
    with pytest.raises(ValueError, match=message):
        KappaRounder(cv=None).fit(scores, [0, 0, 1, 1])
    rounder = KappaRounder(cv=None).fit(scores - 2**53, [0, 0, 1, 1])
    for use in (rounder.predict, lambda X: rounder.score(X, [0, 0, 1, 1])):
        for X in (scores, scores[:, None], scores.astype(np.uint64)):
            with pytest.raises(ValueError, match=message):
                use(X)


def test_labels_that_do_not_occur_keep_their_place() -> None:
    scores, y = items(2)
    rounder = KappaRounder(method="closed_form", labels=range(-1, 6), cv=None).fit(scores, y)
    assert len(rounder.thresholds_) == 6
    plain = KappaRounder(method="closed_form", cv=None).fit(scores, y)
    np.testing.assert_allclose(rounder.thresholds_[1:4], plain.thresholds_, atol=1e-12)


@pytest.mark.filterwarnings("ignore:the ratings contain 9")
def test_score_refuses_a_label_it_has_not_seen() -> None:
    scores, y = items(2)
    rounder = KappaRounder().fit(scores, y)
    with pytest.raises(ValueError, match="contain 9, which is not among the labels"):
        rounder.score(scores, np.where(y == 3, 9, y))


# Input and output.


def test_scores_in_whatever_they_come() -> None:
    scores, y = items(3)
    rounder = KappaRounder(cv=None).fit(scores, y)
    for given in (
        scores[:, None],
        scores.tolist(),
        pd.Series(scores),
        pd.DataFrame({"score": scores}),
        np.repeat(scores, 2)[::2],
    ):
        same = KappaRounder(cv=None).fit(given, pd.Series(y))
        np.testing.assert_array_equal(same.thresholds_, rounder.thresholds_)
        np.testing.assert_array_equal(same.predict(given), rounder.predict(scores))
        assert same.n_features_in_ == 1
    narrow = KappaRounder(cv=None).fit(scores.astype(np.float32), y)
    assert narrow.thresholds_.dtype == np.float32


def test_zero_weights_are_items_left_out() -> None:
    scores, y = items(4)
    w = (np.arange(len(y)) % 3 > 0).astype(float)
    weighted = KappaRounder(random_state=0).fit(scores, y, sample_weight=w)
    fewer = KappaRounder(random_state=0).fit(scores[w > 0], y[w > 0])
    np.testing.assert_array_equal(weighted.thresholds_, fewer.thresholds_)
    assert weighted.kappa_ == pytest.approx(fewer.kappa_, abs=1e-14)


@pytest.mark.parametrize("weights", ["quadratic", "linear"])
def test_weights_that_vanish_beside_others_are_items_left_out(weights: Any) -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 4, 60)
    scores = y + rng.normal(0, 0.5, 60)
    rounder = KappaRounder(weights=weights, cv=None)
    expected = clone(rounder).fit(scores[:30], y[:30], np.ones(30)).thresholds_
    for least in (1e-20, 1e-300):
        rounder.fit(scores, y, np.r_[np.ones(30), np.full(30, least)])
        np.testing.assert_allclose(rounder.thresholds_, expected, rtol=1e-12)


def test_masked_entries_are_refused() -> None:
    scores, y = np.array([0.1, 0.4, 0.6, 0.9]), np.array([0, 0, 1, 1])
    with pytest.raises(ValueError, match="X must not have masked entries, got one at position 3"):
        KappaRounder(cv=None).fit(np.ma.masked_greater(scores, 0.8), y)
    with pytest.raises(ValueError, match="y must not have masked entries, got one at position 2"):
        KappaRounder(cv=None).fit(scores, np.ma.masked_equal(y, 1))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, 2], [3, 4]], r"X must be one column of scores, got an array of shape \(2, 2\)"),
        ([[1.0, np.nan], [3, 4]], r"one column of scores, .* pass a regressor as estimator="),
        ([1.0, np.nan], "contains NaN"),
        ([1.0, np.inf], "contains infinity"),
        ([1.0], "same length"),
        ([1.0, "b"], "could not convert string to float"),
    ],
)
def test_bad_scores(X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KappaRounder(cv=None).fit(X, [0, 1])
    if message != "same length":
        with pytest.raises(ValueError, match=message):
            KappaRounder(cv=None).fit([1.0, 2.0], [0, 1]).predict(X)


def test_bad_parameters_and_labels() -> None:
    scores, y = items(5)
    for rounder, message in (
        (KappaRounder(method="best"), "method must be 'spline'"),
        (
            KappaRounder(method="closed_form", weights="linear"),
            "requires weights='quadratic', got",
        ),
        (KappaRounder(weights="cubic"), "weights must be None, 'linear', 'quadratic'"),
        (KappaRounder(n_resamples=0), "n_resamples must be at least 1, got 0"),
        (KappaRounder(cv=1), "number of folds must be at least 2, got 1"),
        (KappaRounder(labels=[0, 1]), "not among the labels"),
    ):
        with pytest.raises(ValueError, match=message):
            rounder.fit(scores, y)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        KappaRounder().fit(scores, scores)
    with pytest.raises(ValueError, match="requires y to be passed"):
        KappaRounder().fit(scores, None)
    with pytest.raises(ValueError, match="sample_weight must not contain negative numbers"):
        KappaRounder().fit(scores, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(NotFittedError):
        KappaRounder().predict(scores)
    with pytest.raises(NotFittedError):
        KappaRounder().score(scores, y)


def test_one_label_is_undefined() -> None:
    with pytest.warns(UndefinedMetricWarning, match="kappa is undefined"):
        rounder = KappaRounder(labels=["a", "b"]).fit(np.arange(5.0), ["b"] * 5)
    assert np.isnan(rounder.kappa_)
    assert rounder.predict([-100.0]).tolist() == ["b"]


# Folds.


def test_kappa_out_of_given_folds_is_a_plain_loop() -> None:
    scores, y = items(6)
    folds = KFold(4, shuffle=True, random_state=0)
    w = np.random.default_rng(0).integers(0, 5, len(y))
    for method in ("spline", "exact"):
        for cv in (folds, list(folds.split(scores))):
            rounder = KappaRounder(method=method, cv=cv).fit(scores, y, sample_weight=w)
            given = np.empty_like(y)
            for train, test in folds.split(scores):
                part = KappaRounder(method=method, cv=None, labels=range(4))
                part.fit(scores[train], y[train], sample_weight=w[train])
                given[test] = part.predict(scores[test])
            wanted = cohen_kappa_score(y, given, weights="quadratic", sample_weight=w)
            np.testing.assert_array_equal(rounder.oof_predictions_, given)
            assert rounder.oof_kappa_ == wanted


def test_kappa_out_of_fold_is_near_that_of_cross_val_predict() -> None:
    scores, y = items(7, 4000)
    rounder = KappaRounder(method="exact", random_state=0).fit(scores, y)
    given = cross_val_predict(KappaRounder(method="exact", cv=None), scores, y, cv=5)
    assert rounder.oof_kappa_ == pytest.approx(
        cohen_kappa_score(y, given, weights="quadratic"), abs=0.01
    )
    assert rounder.oof_kappa_ < rounder.kappa_


@pytest.mark.filterwarnings("ignore:each step from one label")
def test_folds_may_be_left_out() -> None:
    scores, y = items(6)
    rounder = KappaRounder(random_state=0).fit(scores, y)
    again = KappaRounder(random_state=0).fit(scores, y)
    assert rounder.oof_kappa_ == again.oof_kappa_
    rounder.set_params(cv=None).fit(scores, y)
    assert not {"oof_kappa_", "oof_predictions_"} & set(vars(rounder))
    with pytest.raises(ValueError, match="5 folds need at least 5 items, got n_samples = 4"):
        KappaRounder().fit(scores[:4], y[:4])


# In scikit-learn's machinery.


def test_clone_pickle_and_parameters() -> None:
    scores, y = items(8)
    rounder = KappaRounder(method="bagged", weights="linear", n_resamples=7, random_state=1)
    copy = clone(rounder)
    assert copy.get_params() == rounder.get_params()
    rounder.fit(scores, y)
    copy.fit(scores, y)
    np.testing.assert_array_equal(copy.thresholds_, rounder.thresholds_)
    read = pickle.loads(pickle.dumps(rounder))
    np.testing.assert_array_equal(read.predict(scores), rounder.predict(scores))
    assert read.oof_kappa_ == rounder.oof_kappa_


def total(X: np.ndarray) -> np.ndarray:
    return X.sum(axis=1, keepdims=True)


def test_at_the_end_of_a_pipeline() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.clip(np.rint(1.5 + X.sum(axis=1) + rng.normal(0, 0.5, 400)), 0, 3).astype(int)
    pipeline = make_pipeline(FunctionTransformer(total), KappaRounder())
    pipeline.fit(X, y)
    assert pipeline.score(X, y) == pipeline[-1].kappa_
    given = cross_val_predict(pipeline, X, y, cv=4)
    assert cohen_kappa_score(y, given, weights="quadratic") > 0.7
    search = GridSearchCV(pipeline, {"kapparounder__method": ["exact", "closed_form"]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.7
    assert (cross_val_score(pipeline, X, y, cv=3) > 0.6).all()


def test_on_the_out_of_fold_predictions_of_a_regression() -> None:
    """A stack computes these predictions itself, and its last estimator receives no others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.clip(np.rint(1.5 + X @ [1, 0.5, 0] + rng.normal(0, 0.5, 400)), 0, 3).astype(int)
    stack = StackingClassifier([("regression", LinearRegression())], KappaRounder(cv=None), cv=5)
    stack.fit(X, y + 1)
    out_of_fold = cross_val_predict(LinearRegression(), X, y, cv=StratifiedKFold(5))
    rounder = KappaRounder(cv=None).fit(out_of_fold, y)
    np.testing.assert_allclose(stack.final_estimator_.thresholds_, rounder.thresholds_)
    whole = LinearRegression().fit(X, y)
    np.testing.assert_array_equal(stack.predict(X), rounder.predict(whole.predict(X)) + 1)


def test_public_name_is_loaded_on_first_use() -> None:
    assert fastkappa.estimators.KappaRounder is KappaRounder
    code = (
        "import sys, fastkappa; assert 'sklearn' not in sys.modules;"
        "fastkappa.estimators.KappaRounder"
    )
    run_python(code)


def test_without_scikit_learn_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None; import fastkappa\n"
        "try: fastkappa.estimators.KappaRounder\n"
        "except ImportError as error: print(error)"
    )
    assert install_command("fastkappa[sklearn]") in run_python(code)


@pytest.mark.parametrize("method", ["exact", "spline", "closed_form", "bagged"])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_scores_of_either_byte_order_have_the_same_thresholds(method: Any, kind: str) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 300)
    scores = y + rng.normal(0, 1, 300)
    little, big = (scores.astype(order + kind) for order in "<>")
    fitted = [KappaRounder(method=method, random_state=0).fit(X, y) for X in (little, big)]
    assert fitted[0].thresholds_.dtype == fitted[1].thresholds_.dtype
    assert fitted[0].thresholds_.tolist() == fitted[1].thresholds_.tolist()
    assert (fitted[0].predict(little) == fitted[1].predict(big)).all()
