"""Kappa as an evaluation metric of the real LightGBM, XGBoost and CatBoost.

Each library trains a regression whose validation kappa rises and then falls. The recorded values
must be the kappas of the predictions after each number of trees. Training must stop after the
maximum and keep it. LightGBM drops the later trees, so these cannot be checked.
"""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import lightgbm
import numpy as np
import pytest
import xgboost

from fastkappa import boosting
from fastkappa.measurements import continuous_kappa
from tests.helpers.absent import library
from tests.helpers.fresh_python import run_python

catboost = library("catboost")

ROUNDS = 5


class Data(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    w: np.ndarray | None


@pytest.fixture(params=[False, True], ids=["plain", "weighted"])
def data(request: pytest.FixtureRequest) -> tuple[Data, Data]:
    """Return a few noisy items to overfit, and others for early stopping."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 5)).astype(np.float32)
    latent = 2 + X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 1, len(X))
    y = np.clip(np.rint(latent), 0, 4).astype(np.float32)
    w = rng.integers(1, 4, len(X)).astype(np.float32) if request.param else None
    parts = slice(300), slice(300, None)
    return tuple(Data(X[part], y[part], None if w is None else w[part]) for part in parts)


def check(recorded: list[float], expected: list[float], best: int, sign: int = 1) -> None:
    """Check the recorded values, the stopping point and the best iteration of a library."""
    shown = recorded[: len(expected)]
    np.testing.assert_allclose(shown, expected, atol=1e-6)  # XGBoost rounds to six digits.
    kappas = sign * np.array(recorded)
    assert best == kappas.argmax()
    assert best > 0  # Lower is not better: the first iteration has the lowest kappa.
    assert kappas[0] == kappas.min()
    # Training stopped early, after this many rounds without a gain.
    assert len(recorded) == best + 1 + ROUNDS < 200


def kappas_by_round(predict: Any, validation: Data, n: int) -> list[float]:
    return [
        continuous_kappa(validation.y, predict(i + 1), sample_weight=validation.w) for i in range(n)
    ]


LIGHTGBM: dict[str, Any] = {"learning_rate": 0.3, "num_leaves": 31, "min_child_samples": 5}


def test_lightgbm_feval(data: tuple[Data, Data]) -> None:
    train, validation = data
    kept = lightgbm.Dataset(train.X, train.y, weight=train.w)
    recorded: dict[str, Any] = {}
    model = lightgbm.train(
        {**LIGHTGBM, "objective": "l2", "metric": "None", "verbose": -1, "num_threads": 1},
        kept,
        num_boost_round=200,
        valid_sets=[kept.create_valid(validation.X, validation.y, weight=validation.w)],
        feval=boosting.lightgbm_feval,
        callbacks=[
            lightgbm.early_stopping(ROUNDS, verbose=False),
            lightgbm.record_evaluation(recorded),
        ],
    )
    history = recorded["valid_0"]["quadratic_kappa"]
    expected = kappas_by_round(
        lambda n: model.predict(validation.X, num_iteration=n), validation, model.best_iteration
    )
    check(history, expected, model.best_iteration - 1)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_lightgbm_scikit_learn(data: tuple[Data, Data]) -> None:
    pytest.importorskip("sklearn")
    train, validation = data
    model = lightgbm.LGBMRegressor(
        **LIGHTGBM, n_estimators=200, metric="None", verbose=-1, n_jobs=1
    )
    model.fit(
        train.X,
        train.y,
        sample_weight=train.w,
        eval_set=[(validation.X, validation.y)],
        eval_sample_weight=None if validation.w is None else [validation.w],
        eval_metric=boosting.lightgbm_eval_metric,
        callbacks=[lightgbm.early_stopping(ROUNDS, verbose=False)],
    )
    history = model.evals_result_["valid_0"]["quadratic_kappa"]
    expected = kappas_by_round(
        lambda n: model.predict(validation.X, num_iteration=n), validation, model.best_iteration_
    )
    check(history, expected, model.best_iteration_ - 1)


XGBOOST: dict[str, Any] = {
    "learning_rate": 0.3,
    "max_depth": 6,
    "n_jobs": 1,
    "disable_default_eval_metric": True,
}


def test_xgboost_custom_metric(data: tuple[Data, Data]) -> None:
    train, validation = (xgboost.DMatrix(part.X, part.y, weight=part.w) for part in data)
    recorded: dict[str, Any] = {}
    model = xgboost.train(
        XGBOOST,
        train,
        num_boost_round=200,
        evals=[(validation, "validation")],
        custom_metric=boosting.xgboost_custom_metric,
        early_stopping_rounds=ROUNDS,
        evals_result=recorded,
        verbose_eval=False,
    )
    history = recorded["validation"]["quadratic_kappa_loss"]
    expected = kappas_by_round(
        lambda n: model.predict(validation, iteration_range=(0, n)), data[1], len(history)
    )
    check(history, [1 - kappa for kappa in expected], model.best_iteration, -1)


def test_xgboost_scikit_learn(data: tuple[Data, Data]) -> None:
    pytest.importorskip("sklearn")
    train, validation = data
    model = xgboost.XGBRegressor(
        **XGBOOST,
        n_estimators=200,
        eval_metric=boosting.xgboost_eval_metric,
        early_stopping_rounds=ROUNDS,
    )
    model.fit(
        train.X,
        train.y,
        sample_weight=train.w,
        eval_set=[(validation.X, validation.y)],
        sample_weight_eval_set=None if validation.w is None else [validation.w],
        verbose=False,
    )
    history = model.evals_result()["validation_0"]["quadratic_kappa_loss"]
    expected = kappas_by_round(
        lambda n: model.predict(validation.X, iteration_range=(0, n)), validation, len(history)
    )
    check(history, [1 - kappa for kappa in expected], model.best_iteration, -1)


def test_catboost(data: tuple[Data, Data]) -> None:
    train, validation = (catboost.Pool(part.X, part.y, weight=part.w) for part in data)
    model = catboost.CatBoostRegressor(
        iterations=200,
        learning_rate=0.3,
        eval_metric=boosting.CatBoostKappa(),
        allow_writing_files=False,
        thread_count=2,
        verbose=False,
        random_seed=0,
        use_best_model=False,
    )
    model.fit(train, eval_set=validation, early_stopping_rounds=ROUNDS)
    history = model.get_evals_result()["validation"]["CatBoostKappa"]
    expected = kappas_by_round(
        lambda n: model.predict(validation, ntree_end=n), data[1], len(history)
    )
    check(history, expected, model.get_best_iteration())


def test_lightgbm_cross_validation() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    result = lightgbm.cv(
        {"objective": "l2", "metric": "None", "verbose": -1, "num_threads": 1},
        lightgbm.Dataset(X, np.rint(X[:, 0])),
        num_boost_round=10,
        nfold=2,
        stratified=False,
        feval=boosting.lightgbm_feval,
    )
    kappas = result["valid quadratic_kappa-mean"]
    assert kappas[-1] > kappas[0]


def test_predictions_of_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="one column per class, use ClassKappa"):
        boosting.lightgbm_eval_metric([0, 1, 2], np.ones((3, 3)) / 3)
    with pytest.raises(ValueError, match=r"got 3: the model .* classifier, use ClassKappa"):
        boosting.CatBoostKappa().evaluate((np.ones(3),) * 3, np.arange(3), None)


@pytest.fixture(params=[2, 4], ids=["two classes", "four classes"])
def classes(request: pytest.FixtureRequest) -> tuple[Data, Data]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 4)).astype(np.float32)
    latent = (request.param - 1) / 2 + X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 1, len(X))
    y = np.clip(np.rint(latent), 0, request.param - 1).astype(int)
    w = rng.integers(1, 4, len(X)).astype(np.float32)
    return Data(X[:300], y[:300], w[:300]), Data(X[300:], y[300:], w[300:])


def check_classes(
    history: list[float], best: int, predict: Any, validation: Data, weights: Any, sign: int = 1
) -> None:
    """Compare recorded kappas with scikit-learn's kappas of the predicted classes."""
    metrics = pytest.importorskip("sklearn.metrics")
    kappas = [
        metrics.cohen_kappa_score(
            validation.y,
            np.asarray(predict(i + 1)).reshape(-1),
            labels=np.unique(validation.y),
            weights=weights,
            sample_weight=validation.w,
        )
        for i in range(best + 1)
    ]
    recorded = np.array(history) if sign > 0 else 1 - np.array(history)
    np.testing.assert_allclose(recorded[: best + 1], kappas, atol=1e-6)
    assert best == recorded.argmax()
    assert recorded[best] > 0.2


METRICS = [boosting.ClassKappa(weights) for weights in (None, "quadratic")]
each_metric = pytest.mark.parametrize("metric", METRICS, ids=["plain", "quadratic"])


@each_metric
@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_classifiers_of_lightgbm(classes: tuple[Data, Data], metric: Any) -> None:
    pytest.importorskip("sklearn")
    train, valid = classes
    model = lightgbm.LGBMClassifier(
        **LIGHTGBM, n_estimators=100, metric="None", verbose=-1, n_jobs=1
    )
    model.fit(
        train.X,
        train.y,
        eval_set=[(valid.X, valid.y)],
        eval_sample_weight=[valid.w],
        eval_metric=metric.lightgbm_eval_metric,
        callbacks=[lightgbm.early_stopping(ROUNDS, verbose=False)],
    )
    history = model.evals_result_["valid_0"]["kappa"]
    best = model.best_iteration_ - 1
    check_classes(
        history, best, lambda n: model.predict(valid.X, num_iteration=n), valid, metric.weights
    )
    kept = lightgbm.Dataset(train.X, train.y)
    recorded: dict[str, Any] = {}
    many = {"objective": "multiclass", "num_class": 4} if train.y.max() > 1 else {}
    lightgbm.train(
        {
            **LIGHTGBM,
            "objective": "binary",
            **many,
            "metric": "None",
            "verbose": -1,
            "num_threads": 1,
        },
        kept,
        num_boost_round=len(history),
        valid_sets=[kept.create_valid(valid.X, valid.y, weight=valid.w)],
        feval=metric.lightgbm_feval,
        callbacks=[lightgbm.record_evaluation(recorded)],
    )
    np.testing.assert_allclose(recorded["valid_0"]["kappa"], history)


@each_metric
def test_classifiers_of_xgboost(classes: tuple[Data, Data], metric: Any) -> None:
    pytest.importorskip("sklearn")
    train, valid = classes
    model = xgboost.XGBClassifier(
        **XGBOOST, n_estimators=100, eval_metric=metric.kappa_loss, early_stopping_rounds=ROUNDS
    )
    model.fit(
        train.X,
        train.y,
        eval_set=[(valid.X, valid.y)],
        sample_weight_eval_set=[valid.w],
        verbose=False,
    )
    history = model.evals_result()["validation_0"]["kappa_loss"]
    check_classes(
        history,
        model.best_iteration,
        lambda n: model.predict(valid.X, iteration_range=(0, n)),
        valid,
        metric.weights,
        -1,
    )
    many = ({"objective": f"multi:{kind}", "num_class": 4} for kind in ("softprob", "softmax"))
    for objective in many if train.y.max() > 1 else ({"objective": "binary:logistic"},):
        recorded: dict[str, Any] = {}
        xgboost.train(
            {**XGBOOST, **objective},
            xgboost.DMatrix(train.X, train.y),
            num_boost_round=len(history),
            evals=[(xgboost.DMatrix(valid.X, valid.y, weight=valid.w), "valid")],
            custom_metric=metric.xgboost_custom_metric,
            evals_result=recorded,
            verbose_eval=False,
        )
        np.testing.assert_allclose(recorded["valid"]["kappa_loss"], history, atol=1e-5)


@each_metric
def test_classifiers_of_catboost(classes: tuple[Data, Data], metric: Any) -> None:
    train, valid = (catboost.Pool(part.X, part.y, weight=part.w) for part in classes)
    model = catboost.CatBoostClassifier(
        iterations=40,
        learning_rate=0.3,
        loss_function="MultiClass" if classes[0].y.max() > 1 else "Logloss",
        eval_metric=metric,
        allow_writing_files=False,
        thread_count=2,
        verbose=False,
        random_seed=0,
        use_best_model=False,
    )
    model.fit(train, eval_set=valid, early_stopping_rounds=ROUNDS)
    history = model.get_evals_result()["validation"]["ClassKappa"]
    check_classes(
        history,
        model.get_best_iteration(),
        lambda n: model.predict(valid, ntree_end=n),
        classes[1],
        metric.weights,
    )


def test_classes_are_told_from_other_predictions() -> None:
    metric = boosting.ClassKappa()
    assert metric.kappa_loss([0, 1, 2], [0.0, 1.0, 2.0]) == 0
    assert metric.kappa_loss([0, 1, 1], [0.2, 0.7, 0.9]) == 0
    for odd in (1.5, -1.0):
        with pytest.raises(ValueError, match=rf"must be .*, got {odd:g}\. ClassKappa is for"):
            metric.kappa_loss([0, 1, 2], [0.0, odd, 2.0])
    with pytest.raises(ValueError, match="y has class -1, but the predictions have classes 0 to 2"):
        metric.kappa_loss([-1, 1, 2], [0, 1, 2])
    assert pickle.loads(pickle.dumps(metric)).kappa_loss([0, 1], [0, 1]) == 0


class Evaluated(NamedTuple):
    """Return labels in the form that `lightgbm.Dataset` and `xgboost.DMatrix` pass to a metric."""

    y: np.ndarray

    def get_label(self) -> np.ndarray:
        return self.y.astype(np.float32)

    def get_weight(self) -> np.ndarray:
        return np.ones(len(self.y), np.float32)


CALLS: dict[str, Any] = {
    "LightGBM": lambda metric, y, P: metric.lightgbm_eval_metric(y, P)[1],
    "lightgbm.train": lambda metric, y, P: metric.lightgbm_feval(P, Evaluated(y))[1],
    "XGBoost": lambda metric, y, P: 1 - metric.kappa_loss(y, P),
    "xgboost.train": lambda metric, y, P: 1 - metric.xgboost_custom_metric(P, Evaluated(y))[1],
    "CatBoost": lambda metric, y, P: metric.evaluate(P.T, y, None)[0],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_labels_are_columns_of_the_predictions(call: Any) -> None:
    """Labels 1 to 6 with the columns 0 to 5 would be one class apart from their predictions."""
    metric, y = boosting.ClassKappa(), np.array([0, 1, 2, 3, 4, 5])
    P = np.eye(6)[y] * 0.5 + 0.1
    assert call(metric, y, P) == pytest.approx(1)
    # A fold can lack classes.
    assert call(metric, y[1:4], P[1:4]) == pytest.approx(1)
    for shift, named, fix in (
        (1, 6, "Subtract 1 from y"),
        (7, 12, "Number the classes from 0"),
        (-1, -1, "Number the classes from 0"),
    ):
        message = f"y has class {named}, but the predictions have classes 0 to 5. {fix} for"
        with pytest.raises(ValueError, match=message):
            call(metric, y + shift, P)
    with pytest.raises(ValueError, match=r"y has class 2, .* for a regression model, use CatBoost"):
        metric.kappa_loss([1, 0, 2], [0.4, 0.5, 0.6])


def test_lightgbm_does_not_encode_labels_for_evaluation() -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("lightgbm", "4.7")  # which has eval_X and eval_y
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = 1 + np.clip(np.rint(X[:, 0] + 1), 0, 2).astype(int)
    model = lightgbm.LGBMClassifier(metric="None", n_estimators=2, verbose=-1, n_jobs=1)
    options = {"eval_metric": boosting.ClassKappa().lightgbm_eval_metric, "eval_X": X}
    with pytest.raises(ValueError, match=r"y has class 3, .* classes 0 to 2\. Subtract 1 from y"):
        model.fit(X, y, eval_y=y, **options)
    assert model.fit(X, y - 1, eval_y=y - 1, **options).evals_result_["valid_0"]["kappa"][-1] > 0.8


@pytest.mark.parametrize("name", boosting.__all__)
def test_they_can_be_pickled(name: str) -> None:
    metric = getattr(boosting, name)
    assert pickle.loads(pickle.dumps(metric)) is metric


def test_no_library_is_imported() -> None:
    code = """
import sys, fastkappa
assert fastkappa.boosting.xgboost_eval_metric([1, 2], [1, 2]) == 0
assert not {"lightgbm", "xgboost", "catboost", "numba", "sklearn"} & set(sys.modules)
"""
    run_python(code)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_metrics_of_the_other_interface(data: tuple[Data, Data]) -> None:
    train, _ = data
    model = lightgbm.LGBMRegressor(n_estimators=1, verbose=-1)
    evaluated = {"eval_set": [(train.X, train.y)]}
    for metric in (boosting.lightgbm_feval, boosting.ClassKappa().lightgbm_feval):
        with pytest.raises(TypeError, match=r"scikit-learn interface, use lightgbm_eval_metric\."):
            model.fit(train.X, train.y, eval_metric=metric, **evaluated)
    dataset = lightgbm.Dataset(train.X, train.y)
    for metric in (boosting.lightgbm_eval_metric, boosting.ClassKappa().lightgbm_eval_metric):
        with pytest.raises(TypeError, match=r"In lightgbm.train, use lightgbm_feval\."):
            lightgbm.train({"verbose": -1}, dataset, 1, [dataset], feval=metric)
    matrix = xgboost.DMatrix(train.X, train.y)
    for metric, instead in (
        (boosting.xgboost_custom_metric, "xgboost_eval_metric"),
        (boosting.ClassKappa().xgboost_custom_metric, "kappa_loss"),
    ):
        with pytest.raises(TypeError, match=rf"scikit-learn interface, use {instead}\."):
            xgboost.XGBRegressor(n_estimators=1, eval_metric=metric).fit(
                train.X, train.y, **evaluated
            )
    for metric in (boosting.xgboost_eval_metric, boosting.ClassKappa().kappa_loss):
        with pytest.raises(TypeError, match=r"In xgboost.train, use xgboost_custom_metric\."):
            xgboost.train({}, matrix, 1, evals=[(matrix, "train")], custom_metric=metric)
