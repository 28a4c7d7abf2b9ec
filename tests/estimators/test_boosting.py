"""Kappa as an evaluation metric of the real LightGBM, XGBoost and CatBoost.

Each library trains a regression whose validation kappa rises and falls again. What it
recorded must be the kappa of the predictions after that many trees; it must stop after the
greatest and keep it. (LightGBM drops the trees after the best one, so those cannot be checked.)
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
    """Check what a library recorded, where it stopped and which iteration it called best."""
    shown = recorded[: len(expected)]
    np.testing.assert_allclose(shown, expected, atol=1e-6)  # XGBoost keeps six digits
    kappas = sign * np.array(recorded)
    assert best == kappas.argmax()
    assert best > 0  # less is not better: the first iteration has the least kappa
    assert kappas[0] == kappas.min()
    # It stopped early, after this many rounds without a gain.
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
    with pytest.raises(ValueError, match="use a regression objective"):
        boosting.lightgbm_eval_metric([0, 1, 2], np.ones((3, 3)) / 3)
    with pytest.raises(ValueError, match="approxes must be those of a model of one dimension"):
        boosting.CatBoostKappa().evaluate((np.ones(3),) * 3, np.arange(3), None)


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
