"""Scorers in scikit-learn: the same labels in every fold, metadata, and refusals."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression
from sklearn.metrics import cohen_kappa_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

from fastkappa.estimators import (
    KappaRounder,
    KappaScorer,
    cohen_kappa,
    linear_kappa,
    quadratic_kappa,
)
from fastkappa.exceptions import LabelOrderWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = np.clip(np.rint(X[:, 0] + RNG.normal(size=90) + 2), 0, 4).astype(int)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
FOLDS = KFold(3)
READY = {None: cohen_kappa, "linear": linear_kappa, "quadratic": quadratic_kappa}


class Answers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A model that predicts the contents of X."""

    def fit(self, X: Any, y: Any) -> Answers:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[np.asarray(X)[:, 0].astype(int)]


@pytest.mark.cover(1)
@pytest.mark.parametrize("weights", READY)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_value_is_that_of_scikit_learn_with_all_labels(weights: Any, n_jobs: int) -> None:
    predictions = cross_val_predict(TREE, X, Y, cv=FOLDS)
    expected = [
        cohen_kappa_score(Y[test], predictions[test], labels=np.arange(5), weights=weights)
        for _, test in FOLDS.split(X)
    ]
    for scorer in (READY[weights], KappaScorer(weights=weights, labels=range(5))):
        found = cross_val_score(
            TREE, X, Y, cv=FOLDS, scoring=scorer, error_score="raise", n_jobs=n_jobs
        )
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:each step:fastkappa.exceptions.LabelOrderWarning")
def test_a_fold_without_the_middle_label_keeps_the_positions() -> None:
    # Trained on 0, 1, 2 and 3; the fold has no label 1 or 2.
    fitted = Answers().fit(np.zeros((4, 1)), [0, 1, 2, 3])
    y, answers = [0, 0, 3, 3, 0], [[0], [3], [3], [3], [0]]
    predicted = [0, 3, 3, 3, 0]
    for weights in ("linear", "quadratic"):
        right = cohen_kappa_score(y, predicted, labels=range(4), weights=weights)
        assert READY[weights](fitted, answers, y) == pytest.approx(right, rel=1e-12)
    # A label absent from training takes its place, 4, between the training labels.
    fitted = Answers().fit(np.zeros((4, 1)), [0, 1, 3, 5])
    y = [0, 4, 5, 3, 0]
    for weights, scorer in READY.items():
        right = cohen_kappa_score(y, [0, 5, 5, 5, 0], labels=[0, 1, 3, 4, 5], weights=weights)
        assert scorer(fitted, answers, y) == pytest.approx(right, rel=1e-12)


def test_the_order_of_labels() -> None:
    grades = ["poor", "fair", "good", "best"]
    y = np.array(grades)[[0, 1, 2, 3, 1, 0, 2, 3]]
    scores = np.array([0.1, 0.4, 0.5, 0.9, 0.6, 0.2, 0.7, 0.8])
    rounder = KappaRounder(labels=grades, cv=None).fit(scores, y)
    right = cohen_kappa_score(y, rounder.predict(scores), labels=grades, weights="quadratic")
    assert quadratic_kappa(rounder, scores, y) == pytest.approx(right, rel=1e-12)
    with pytest.raises(ValueError, match="worst"):
        KappaScorer(labels=grades)(rounder, scores, ["worst", *y[1:]])

    sorted_classes = DecisionTreeClassifier(max_depth=1).fit(scores[:, None], y)
    predicted = sorted_classes.predict(scores[:, None])
    right = cohen_kappa_score(y, predicted, labels=grades, weights="quadratic")
    declared = pd.Series(pd.Categorical(y, categories=grades, ordered=True))
    assert quadratic_kappa(sorted_classes, scores[:, None], declared) == pytest.approx(right)
    with pytest.warns(LabelOrderWarning, match="best < fair < good < poor"):
        quadratic_kappa(sorted_classes, scores[:, None], y)
    # Strings of digits are sorted by value.
    numbers = np.array(["9", "10", "11"])[[0, 1, 2, 2, 0, 1, 0, 2]]
    tree = DecisionTreeClassifier(max_depth=1).fit(scores[:, None], numbers)
    predicted = tree.predict(scores[:, None])
    right = cohen_kappa_score(numbers, predicted, labels=["9", "10", "11"], weights="quadratic")
    assert quadratic_kappa(tree, scores[:, None], numbers) == pytest.approx(right)


def test_searches_and_several_scores() -> None:
    several = {"quadratic": quadratic_kappa, "plain": cohen_kappa, "accuracy": "accuracy"}
    found = cross_validate(TREE, X, Y, cv=FOLDS, scoring=several, error_score="raise")
    alone = cross_val_score(TREE, X, Y, cv=FOLDS, scoring=quadratic_kappa)
    assert found["test_quadratic"].tolist() == alone.tolist()
    search = GridSearchCV(TREE, {"max_depth": [1, 3]}, cv=FOLDS, scoring=several, refit="quadratic")
    search.fit(X, Y, sample_weight=np.ones(90))
    assert search.cv_results_["mean_test_quadratic"][1] == pytest.approx(alone.mean())
    # The search scores with the scorer used to refit, and has the classes itself.
    assert search.score(X, Y) == quadratic_kappa(search, X, Y)
    importance = permutation_importance(search, X, Y, scoring=quadratic_kappa, random_state=0)
    assert importance.importances_mean.argmax() == 0


def test_item_weights_are_routed() -> None:
    item_weights = np.random.default_rng(1).integers(0, 4, 90)
    fitted = TREE.fit(X, Y)
    right = cohen_kappa_score(
        Y, fitted.predict(X), weights="quadratic", sample_weight=item_weights, labels=range(5)
    )
    assert quadratic_kappa(fitted, X, Y, sample_weight=item_weights) == pytest.approx(right)
    with sklearn.config_context(enable_metadata_routing=True):
        params = {"params": {"sample_weight": item_weights}}
        tree = DecisionTreeClassifier(max_depth=3, random_state=0).set_fit_request(
            sample_weight=False
        )
        with pytest.raises(ValueError, match=r"sample_weight.*not explicitly set"):
            cross_val_score(tree, X, Y, cv=FOLDS, scoring=quadratic_kappa, **params)
        asking = quadratic_kappa.set_score_request(sample_weight=True)
        found = cross_val_score(tree, X, Y, cv=FOLDS, scoring=asking, error_score="raise", **params)
    predictions = cross_val_predict(TREE, X, Y, cv=FOLDS)
    expected = [
        cohen_kappa_score(
            Y[test],
            predictions[test],
            labels=range(5),
            weights="quadratic",
            sample_weight=item_weights[test],
        )
        for _, test in FOLDS.split(X)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found.tolist() != cross_val_score(TREE, X, Y, cv=FOLDS, scoring=asking).tolist()


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match=r"LinearRegression predicts real numbers such as .*Round"):
        cohen_kappa(LinearRegression().fit(X, Y), X, Y)
    class_less = LinearRegression().fit(X, np.zeros(90))
    assert cohen_kappa(class_less, X, Y) == 0
    with pytest.raises(ValueError, match=r"no classes_.*labels="):
        quadratic_kappa(class_less, X, Y)
    assert KappaScorer(labels=range(5))(class_less, X, Y) == 0
    with pytest.raises(ValueError, match=r"y or the predictions contain 4, .* 0 < 1 < 2 < 3"):
        KappaScorer(labels=range(4))(TREE.fit(X, Y), X, Y)
    with pytest.raises(ValueError, match="labels must be given if weights is a matrix"):
        KappaScorer(weights=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="weights must be None, 'linear'"):
        KappaScorer(weights="cubic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="labels must be distinct"):
        KappaScorer(labels=[0, 0])


def test_undefined_is_nan() -> None:
    fitted = DummyClassifier().fit(X, np.ones(90, int))
    assert np.isnan(quadratic_kappa(fitted, X, np.ones(90, int)))


def test_copies() -> None:
    matrix = 1 - np.eye(5)
    scorer = KappaScorer(weights=matrix, labels=range(5))
    for again in (pickle.loads(pickle.dumps(scorer)), copy.deepcopy(scorer)):
        assert again(TREE.fit(X, Y), X, Y) == cohen_kappa(TREE, X, Y)
    assert (
        repr(KappaScorer(weights="linear", labels=[2, 1]))
        == "KappaScorer(weights='linear', labels=[2, 1])"
    )
    assert repr(cohen_kappa) == "KappaScorer(weights=None)"


@pytest.mark.parametrize("weights", READY)
@pytest.mark.parametrize("labels", [None, [True, False]])
def test_thresholds_of_a_classifier_are_searched(weights: Any, labels: Any) -> None:
    search = TunedThresholdClassifierCV(TREE, scoring=make_scorer(cohen_kappa_score), cv=FOLDS)
    right = search.fit(X, Y > 1)
    scorer = KappaScorer(weights=weights, labels=labels)
    found = clone(search).set_params(scoring=scorer).fit(X, Y > 1)
    assert found.best_threshold_ == right.best_threshold_
    assert found.best_score_ == pytest.approx(right.best_score_, rel=1e-12)
    assert quadratic_kappa(found, X, Y > 1) == pytest.approx(cohen_kappa(found, X, Y > 1))


def test_other_attributes_are_missing() -> None:
    for name in ("score", "_unknown", "__array__"):
        assert not hasattr(quadratic_kappa, name)
