"""Estimators in KappaRounder and KappaDecoder: folds, groups, weights and their routing."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fastkappa import cohen_kappa_score, decode_probabilities
from fastkappa.estimators import (
    KappaDecoder,
    KappaRounder,
    KappaScorer,
    cohen_kappa,
    quadratic_kappa,
)

NAMES = np.array(["poor", "fair", "good", "best"])
OUTER = KFold(3, shuffle=True, random_state=0)


def items(seed: int = 0, n: int = 240) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, labels 0 to 3, and groups whose items resemble each other."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n) // 6
    X = rng.normal(size=(n, 3)) + np.repeat(rng.normal(size=(n // 6, 3)), 6, axis=0)
    y = np.clip(np.rint(1.5 + X[:, 0] + rng.normal(0, 0.7, n)), 0, 3).astype(int)
    return X, y, groups


X, Y, GROUPS = items()
WEIGHTS = np.random.default_rng(1).random(len(Y)) + 0.5


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.parametrize("cv", [4, KFold(4), StratifiedKFold(3), [*OUTER.split(X)]])
@pytest.mark.parametrize("weighted", [False, True])
def test_thresholds_are_those_of_out_of_fold_scores(cv: Any, weighted: bool) -> None:
    weights = WEIGHTS if weighted else None
    rounder = KappaRounder(Ridge(), cv=cv, random_state=0).fit(X, Y, weights)
    splits = cv if isinstance(cv, list) else StratifiedKFold(cv) if isinstance(cv, int) else cv
    params = {} if weights is None else {"sample_weight": weights}
    splits = splits if isinstance(splits, list) else [*splits.split(X, Y)]
    scores = cross_val_predict(Ridge(), X, Y, cv=splits, params=params)
    np.testing.assert_array_equal(rounder.oof_scores_, scores)
    alone = KappaRounder(cv=splits, random_state=0).fit(scores, Y, weights)
    np.testing.assert_array_equal(rounder.thresholds_, alone.thresholds_)
    assert (rounder.kappa_, rounder.oof_kappa_) == (alone.kappa_, alone.oof_kappa_)
    everything = Ridge().fit(X, Y, weights)
    np.testing.assert_array_equal(rounder.predict(X), alone.predict(everything.predict(X)))
    kappa = cohen_kappa_score(Y, rounder.predict(X), weights="quadratic")
    assert rounder.score(X, Y) == pytest.approx(kappa, abs=1e-14)


def test_labels_are_numbers_or_their_positions() -> None:
    rounder = KappaRounder(Ridge(), random_state=0).fit(X, Y)
    positions = KappaRounder(Ridge(), labels=NAMES, random_state=0).fit(X, NAMES[Y])
    np.testing.assert_array_equal(rounder.oof_scores_, positions.oof_scores_)
    np.testing.assert_array_equal(NAMES[rounder.predict(X)], positions.predict(X))
    ordered = pd.Series(pd.Categorical(NAMES[Y], NAMES, ordered=True))
    declared = KappaRounder(Ridge(), random_state=0).fit(X, ordered)
    np.testing.assert_array_equal(declared.oof_scores_, rounder.oof_scores_)
    assert declared.classes_.tolist() == NAMES.tolist()
    falling = KappaRounder(Ridge(), labels=[3, 2, 1, 0], random_state=0).fit(X, Y)
    np.testing.assert_allclose(falling.oof_scores_, 3 - rounder.oof_scores_, atol=1e-10)
    shifted = KappaRounder(Ridge(), random_state=0).fit(X, Y + 5)
    np.testing.assert_allclose(shifted.oof_scores_, rounder.oof_scores_ + 5, atol=1e-10)


GROUPED: list[Any] = [
    lambda: KappaRounder(Ridge(), cv=GroupKFold(4), random_state=0),
    lambda: KappaDecoder(LogisticRegression(), cv=GroupKFold(4), calibration=None),
]


@pytest.mark.parametrize("make", GROUPED, ids=["rounder", "decoder"])
def test_groups_stay_together(make: Any) -> None:
    estimator = make()
    name = type(estimator).__name__
    message = (
        rf"cv=GroupKFold\(.*needs groups, got none.*{name}\(\.\.\.\)\.set_fit_request\(groups=True"
    )
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, Y)
    with pytest.raises(TypeError, match=r"^groups must be .* such as df\['patient'\]\.$"):
        clone(estimator).fit(X, Y, groups="patient")
    for cv, splitter in ((GroupKFold(4), GroupKFold(4)), (4, StratifiedGroupKFold(4))):
        fitted = clone(estimator).set_params(cv=cv).fit(X, Y, groups=GROUPS)
        splits = [*splitter.split(X, Y, GROUPS)]
        given = clone(estimator).set_params(cv=splits).fit(X, Y)
        assert fitted.oof_kappa_ == given.oof_kappa_
        assert all(set(GROUPS[a]).isdisjoint(GROUPS[b]) for a, b in splits)


SEEN: list[Any] = []


class SeesGroups:
    """Remember the groups that an estimator is fitted to."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        SEEN.append(groups)
        return super().fit(X, y, sample_weight)  # type: ignore[misc]


class GroupedRidge(SeesGroups, Ridge): ...


class GroupedRegression(SeesGroups, LogisticRegression): ...


@pytest.mark.parametrize("place", [0, 1], ids=["rounder", "decoder"])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_a_fit_that_accepts_groups_gets_them(place: int, weights: Any) -> None:
    make, inner = GROUPED[place], (GroupedRidge(), GroupedRegression())[place]
    SEEN.clear()
    found = make().set_params(estimator=inner).fit(X, Y, weights, groups=GROUPS)
    expected = [GROUPS[train] for train, _ in GroupKFold(4).split(X, Y, GROUPS)]
    for given, own in zip(SEEN, [*expected, GROUPS], strict=True):
        np.testing.assert_array_equal(given, own)
    assert found.oof_kappa_ == make().fit(X, Y, weights, groups=GROUPS).oof_kappa_
    make().set_params(estimator=inner, cv=4).fit(X, Y, weights)
    assert SEEN[5:] == [None] * 5


@pytest.mark.parametrize("make", GROUPED, ids=["rounder", "decoder"])
def test_an_integer_cv_is_not_shuffled(make: Any) -> None:
    """An integer means the same folds for both estimators and in scikit-learn."""
    whole = make().set_params(cv=3).fit(X, Y)
    given = make().set_params(cv=StratifiedKFold(3)).fit(X, Y)
    np.testing.assert_array_equal(whole.oof_predictions_, given.oof_predictions_)
    shuffled = make().set_params(cv=StratifiedKFold(3, shuffle=True, random_state=0)).fit(X, Y)
    assert (whole.oof_predictions_ != shuffled.oof_predictions_).any()


def test_groups_of_scores_stay_together() -> None:
    rounder = KappaRounder(cv=GroupKFold(4), random_state=0).fit(X[:, 0], Y, groups=GROUPS)
    splits = [*GroupKFold(4).split(X, Y, GROUPS)]
    assert rounder.oof_kappa_ == KappaRounder(cv=splits, random_state=0).fit(X[:, 0], Y).oof_kappa_
    with pytest.raises(ValueError, match="groups must have at least two different values"):
        KappaRounder().fit(X[:, 0], Y, groups=["a"] * len(Y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        KappaRounder().fit(X[:, 0], Y, groups=GROUPS[1:])


def test_folds_that_ignore_groups_warn() -> None:
    with pytest.warns(UserWarning, match="groups parameter is ignored"):
        KappaRounder(cv=KFold(4)).fit(X[:, 0], Y, groups=GROUPS)


REPEATED = [ShuffleSplit(3, random_state=0), RepeatedKFold(n_splits=3, n_repeats=2)]


@pytest.mark.parametrize("cv", [*REPEATED, TimeSeriesSplit(3)])
@pytest.mark.parametrize("estimator", [KappaRounder(), KappaRounder(Ridge()), KappaDecoder()])
def test_each_item_is_tested_once(estimator: Any, cv: Any) -> None:
    features = X if estimator.estimator is not None else X[:, 0]
    if isinstance(estimator, KappaDecoder):
        features, estimator = X, KappaDecoder(LogisticRegression())
    name = type(cv).__name__
    with pytest.raises(
        ValueError, match=f"must test each item exactly once, .*in [02] test folds of {name}"
    ):
        clone(estimator).set_params(cv=cv).fit(features, Y)


def test_out_of_fold_labels_have_the_out_of_fold_kappa() -> None:
    for fitted in (
        KappaRounder(random_state=0).fit(X[:, 0], Y),
        KappaRounder(Ridge(), cv=GroupKFold(3)).fit(X, Y, groups=GROUPS),
        KappaDecoder(LogisticRegression(), cv=3, calibration=None).fit(X, Y),
        KappaDecoder(LogisticRegression(), cv=3, labels=NAMES, calibration=None).fit(X, NAMES[Y]),
    ):
        y = Y if fitted.classes_.dtype.kind == "i" else NAMES[Y]
        options: dict[str, Any] = {"weights": "quadratic", "labels": fitted.classes_}
        kappa = cohen_kappa_score(y, fitted.oof_predictions_, **options)
        assert fitted.oof_kappa_ == pytest.approx(kappa, abs=1e-14)
    probabilities = cross_val_predict(LogisticRegression(), X, Y, cv=3, method="predict_proba")
    plain = decode_probabilities(probabilities)
    decoder = KappaDecoder(LogisticRegression(), cv=3, calibration=None).fit(X, Y)
    np.testing.assert_array_equal(decoder.oof_predictions_, plain.predictions)


HALVES = np.arange(1, 2.6, 0.5)


@pytest.mark.parametrize(
    ("estimator", "features"),
    [
        (KappaRounder(random_state=0), X[:, 0]),
        (KappaRounder(cv=StratifiedKFold(3)), X[:, 0]),
        (KappaRounder(Ridge(), random_state=0), X),
        (KappaDecoder(LogisticRegression(), calibration=None), X),
    ],
)
def test_half_points_are_labels(estimator: Any, features: Any) -> None:
    """The kappa equals that of whole numbers, because the labels have the same positions."""
    whole = clone(estimator).fit(features, Y)
    graded = clone(estimator).set_params(labels=HALVES).fit(features, HALVES[Y])
    np.testing.assert_array_equal(graded.classes_, HALVES)
    np.testing.assert_array_equal(graded.oof_predictions_, HALVES[whole.oof_predictions_])
    np.testing.assert_array_equal(graded.predict(features), HALVES[whole.predict(features)])
    assert graded.oof_kappa_ == pytest.approx(whole.oof_kappa_, abs=1e-14)
    assert graded.score(features, HALVES[Y]) == pytest.approx(whole.score(features, Y), abs=1e-14)
    for scorer in (quadratic_kappa, cohen_kappa):
        of_labels = KappaScorer(weights=scorer.weights, labels=HALVES)
        expected = scorer(whole, features, Y)
        for same in (scorer, of_labels):
            assert same(graded, features, HALVES[Y]) == pytest.approx(expected, abs=1e-14)
    with pytest.raises(
        ValueError, match=r"label type: continuous.* fractional labels, pass labels="
    ):
        clone(estimator).fit(features, HALVES[Y])
    with pytest.raises(ValueError, match=r"contains 2\.5, which is not among"):
        clone(estimator).set_params(labels=HALVES[:-1]).fit(features, HALVES[Y])


def test_predictions_between_half_points_are_refused() -> None:
    with pytest.raises(ValueError, match="Ridge predicts real numbers"):
        KappaScorer(labels=HALVES)(Ridge().fit(X, HALVES[Y]), X, HALVES[Y])


def test_it_is_one_estimator_of_scikit_learn() -> None:
    rounder = KappaRounder(make_pipeline(StandardScaler(), LinearRegression()), cv=3)
    assert cross_val_score(make_pipeline(StandardScaler(), rounder), X, Y, cv=3).min() > 0.3
    assert rounder.fit(X, Y).n_features_in_ == 3
    frozen = KappaRounder(FrozenEstimator(Ridge().fit(X, Y)), cv=3).fit(X, Y)
    np.testing.assert_array_equal(frozen.oof_scores_, Ridge().fit(X, Y).predict(X))
    # A fit without an estimator discards the results of the previous fit.
    frozen.set_params(estimator=None).fit(X[:, 0], Y)
    assert not {"estimator_", "oof_scores_"} & set(vars(frozen))
    with pytest.raises(NotFittedError):
        KappaRounder(Ridge()).predict(X)


def test_what_is_no_regressor_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must be a regressor, got Logis.*use KappaDecoder"):
        KappaRounder(LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match="must be a regressor, got StandardScaler"):
        KappaRounder(StandardScaler()).fit(X, Y)
    with pytest.raises(ValueError, match="cv must not be None if estimator is given"):
        KappaRounder(Ridge(), cv=None).fit(X, Y)
    with pytest.raises(ValueError, match=r"\(240, 3\).* To use features, pass a regressor as"):
        KappaRounder().fit(X, Y)
    with pytest.raises(ValueError, match="at least one fold, got no folds"):
        KappaRounder(Ridge(), cv=[]).fit(X, Y)
    with pytest.warns(UserWarning, match=r"KNeighborsRegressor.fit does not accept sample_weight"):
        KappaRounder(KNeighborsRegressor()).fit(X, Y, WEIGHTS)
    with pytest.warns(UserWarning, match=r"KNeighborsClassifier.fit does not accept sample_weight"):
        KappaDecoder(KNeighborsClassifier(), calibration=None).fit(X, Y, WEIGHTS)


def test_the_name_of_scores_is_that_of_the_fit() -> None:
    frame = pd.DataFrame({"score": X[:, 0]})
    rounder = KappaRounder(cv=None).fit(frame, Y)
    assert rounder.feature_names_in_.tolist() == ["score"]
    with pytest.raises(ValueError, match="The feature names should match"):
        rounder.predict(frame.rename(columns={"score": "other"}))
    # Scores without a name are accepted.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = rounder.predict(frame)
        for scores in (X[:, 0], X[:, :1], X[:, 0].tolist(), pd.Series(X[:, 0], name="other")):
            np.testing.assert_array_equal(rounder.predict(scores).ravel(), expected)
    assert not hasattr(rounder.fit(X[:, 0], Y), "feature_names_in_")
    features = KappaRounder(Ridge(), cv=2).fit(pd.DataFrame(X, columns=["a", "b", "c"]), Y)
    assert features.feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("kind", ["LGBMRegressor", "LGBMClassifier"])
def test_features_in_another_order_are_refused(library: str, kind: str) -> None:
    """LightGBM reads the columns of frames by position, without comparing their names."""
    inner = getattr(pytest.importorskip("lightgbm"), kind)(n_estimators=9, verbose=-1)
    frame = pytest.importorskip(library).DataFrame({name: X[:, i] for i, name in enumerate("abc")})
    combined = (KappaRounder if kind == "LGBMRegressor" else KappaDecoder)(inner, cv=2)
    combined.fit(frame, Y)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        combined.predict(frame[["b", "a", "c"]])
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        combined.score(frame[["b", "a", "c"]], Y)


def test_features_chosen_by_name_can_be_in_any_order() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    chosen = make_column_transformer(("passthrough", ["a", "c"]))
    rounder = KappaRounder(make_pipeline(chosen, Ridge()), cv=2).fit(frame, Y)
    assert rounder.feature_names_in_.tolist() == ["a", "b", "c"]
    expected = rounder.predict(frame)
    np.testing.assert_array_equal(rounder.predict(frame[["c", "b", "a"]]), expected)


def decoder(calibration: Any = "sigmoid") -> KappaDecoder:
    return KappaDecoder(LogisticRegression(), cv=3, calibration=calibration)


is_old = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8)
TEMPERATURE = pytest.param("temperature", marks=pytest.mark.skipif(is_old, reason="scikit-learn"))


@pytest.mark.parametrize("calibration", [None, TEMPERATURE, "sigmoid", "isotonic"])
def test_probabilities_are_those_that_are_decoded(calibration: Any) -> None:
    fitted = decoder(calibration).fit(X, Y)
    probabilities = fitted.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    cheapest = fitted.classes_[(probabilities @ fitted.costs_).argmin(axis=1)]
    np.testing.assert_array_equal(fitted.predict(X), cheapest)
    if calibration is None:
        plain = LogisticRegression().fit(X, Y).predict_proba(X)
        np.testing.assert_array_equal(probabilities, plain)
        given = KappaDecoder(calibration=None).fit(plain, Y)
        np.testing.assert_array_equal(given.predict_proba(plain), plain)
    with pytest.raises(NotFittedError):
        decoder().predict_proba(X)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("make", [decoder, lambda: KappaRounder(Ridge(), cv=3, random_state=0)])
def test_no_metadata_is_routed_where_none_is_given(make: Any) -> None:
    routed = cross_val_score(make(), X, Y, cv=OUTER)
    with sklearn.config_context(enable_metadata_routing=False):
        np.testing.assert_array_equal(routed, cross_val_score(make(), X, Y, cv=OUTER))


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("calibration", [TEMPERATURE, "sigmoid", None])
def test_weights_are_routed_where_they_are_requested(calibration: Any) -> None:
    inner = LogisticRegression().set_fit_request(sample_weight=True)
    routed = KappaDecoder(inner, cv=3, calibration=calibration)
    routed.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    params = {"sample_weight": WEIGHTS}
    found = cross_validate(routed, X, Y, cv=OUTER, params=params, return_estimator=True)
    with sklearn.config_context(enable_metadata_routing=False):
        expected = cross_validate(
            decoder(calibration), X, Y, cv=OUTER, params=params, return_estimator=True
        )
    for one, other in zip(found["estimator"], expected["estimator"]):
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
        assert one.oof_kappa_ == other.oof_kappa_


@pytest.mark.usefixtures("routing")
def test_weights_may_be_for_kappa_alone() -> None:
    inner = LinearRegression().set_fit_request(sample_weight=False)
    rounder = KappaRounder(inner, cv=3, random_state=0).fit(X, Y, WEIGHTS)
    np.testing.assert_array_equal(rounder.estimator_.coef_, LinearRegression().fit(X, Y).coef_)
    alone = KappaRounder(cv=3, random_state=0).fit(rounder.oof_scores_, Y, WEIGHTS)
    np.testing.assert_array_equal(rounder.thresholds_, alone.thresholds_)
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        KappaRounder(LinearRegression(), cv=3).fit(X, Y, WEIGHTS)


@pytest.mark.usefixtures("routing")
def test_groups_are_routed_in_a_search() -> None:
    rounder = KappaRounder(Ridge(), cv=GroupKFold(2), random_state=0).set_fit_request(groups=True)
    options: dict[str, Any] = {"scoring": quadratic_kappa, "cv": GroupKFold(2)}
    search = GridSearchCV(rounder, {"estimator__alpha": [1, 1000]}, error_score="raise", **options)
    best = search.fit(X, Y, groups=GROUPS)
    scores = cross_val_score(best.best_estimator_, X, Y, params={"groups": GROUPS}, **options)
    assert best.best_score_ == pytest.approx(scores.mean(), abs=1e-14)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("make", GROUPED, ids=["rounder", "decoder"])
@pytest.mark.parametrize("cv", [GroupKFold(4), 4])
def test_groups_are_routed_to_folds(make: Any, cv: Any) -> None:
    params, outer = {"groups": GROUPS}, GroupKFold(3)
    asking = make().set_params(cv=cv).set_fit_request(groups=True)
    routed = cross_validate(asking, X, Y, cv=outer, params=params, return_estimator=True)
    for fitted, (train, _) in zip(routed["estimator"], outer.split(X, Y, GROUPS)):
        with sklearn.config_context(enable_metadata_routing=False):
            plain = make().set_params(cv=cv).fit(X[train], Y[train], groups=GROUPS[train])
        assert fitted.oof_kappa_ == plain.oof_kappa_


def test_an_older_scikit_learn_has_no_temperature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sklearn, "__version__", "1.7.2")
    with pytest.raises(ValueError, match=r"needs scikit-learn 1\.8 .*, got 1\.7\.2.*'sigmoid'"):
        decoder("temperature").fit(X, Y)
    assert decoder("isotonic").fit(X, Y).oof_kappa_ > 0


def test_ids_as_groups() -> None:
    ids = np.arange(len(Y))
    for estimator in (KappaRounder(Ridge(), cv=3), KappaDecoder(LogisticRegression(), cv=3)):
        with pytest.warns(UserWarning, match="each group has one item, .* groups are not item ids"):
            estimator.fit(X, Y, groups=ids)
        estimator.fit(X, Y, groups=GROUPS)
    with pytest.warns(UserWarning, match="each group has one item, .* groups are not item ids"):
        KappaRounder(cv=3).fit(X[:, 0], Y, groups=ids)
