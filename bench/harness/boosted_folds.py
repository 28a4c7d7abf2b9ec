"""Predict labels with boosted trees, out of fold and for held-out items.

Three quarters of a data set are used for training. Five models are fitted, each on four fifths of
the training items. The remaining fifth is used for early stopping and then predicted out of fold.
The predictions for the held-out quarter are averages over the five models. Early stopping uses the
squared error and, for comparison, the kappa of the continuous predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np
import xgboost
from sklearn.model_selection import StratifiedKFold, train_test_split

from fastkappa import boosting

Model = Callable[[np.ndarray, int], np.ndarray]
N_ROUNDS, PATIENCE, RATE, N_FOLDS = 400, 30, 0.08, 5
METRICS = ("l2", "kappa")


class Division(NamedTuple):
    """One split of a data set, with predictions for each metric used for early stopping.

    ``inside`` and ``outside`` have one row per metric in METRICS. ``rounds`` has one column per
    fold.
    """

    y_inside: np.ndarray
    y_outside: np.ndarray
    inside: np.ndarray
    outside: np.ndarray
    rounds: np.ndarray


def divisions(
    name: str, items: tuple[np.ndarray, np.ndarray], library: str, n: int, cache: Path | None
) -> Iterator[Division]:
    """Yield n splits of a data set, read from the cache if it contains them."""
    for seed in range(n):
        file = cache and cache / f"{name}.{library}.{seed}.npz"
        if file and file.exists():
            with np.load(file) as arrays:
                yield Division(*(arrays[field] for field in Division._fields))
            continue
        division = _divide(*items, FIT[library], seed)
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(file, **division._asdict())
        yield division


def _divide(X: np.ndarray, y: np.ndarray, fit: Any, seed: int) -> Division:
    rows = np.arange(len(y))
    inside, outside = train_test_split(rows, test_size=0.25, stratify=y, random_state=seed)
    n_metrics = len(METRICS)
    predicted = np.zeros((n_metrics, len(inside)))
    mean = np.zeros((n_metrics, len(outside)))
    rounds = np.zeros((n_metrics, N_FOLDS), int)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    for fold, (train, valid) in enumerate(folds.split(inside, y[inside])):
        parts = inside[train], inside[valid]
        predict, curves = fit(*(array[part] for part in parts for array in (X, y)), seed)
        for i, curve in enumerate(curves):
            rounds[i, fold] = best = stopped(curve)
            predicted[i, valid] = predict(X[parts[1]], best)
            mean[i] += predict(X[outside], best) / N_FOLDS
    return Division(y[inside], y[outside], predicted, mean, rounds)


def stopped(losses: np.ndarray) -> int:
    """Return the number of boosting rounds that early stopping keeps."""
    best = 0
    for i, loss in enumerate(losses):
        if loss < losses[best]:
            best = i
        elif i - best >= PATIENCE:
            break
    return best + 1


def _lightgbm(
    X: np.ndarray, y: np.ndarray, X_valid: np.ndarray, y_valid: np.ndarray, seed: int
) -> tuple[Model, list[np.ndarray]]:
    train = lightgbm.Dataset(X, y)
    found: dict[str, Any] = {}
    model = lightgbm.train(
        {
            "objective": "l2",
            "metric": "l2",
            "learning_rate": RATE,
            "num_leaves": 15,
            "bagging_fraction": 0.8,
            "bagging_freq": 1,
            "feature_fraction": 0.8,
            "seed": seed,
            "num_threads": 1,
            "verbose": -1,
        },
        train,
        N_ROUNDS,
        valid_sets=[lightgbm.Dataset(X_valid, y_valid, reference=train)],
        feval=boosting.lightgbm_feval,
        callbacks=[lightgbm.record_evaluation(found)],
    )
    curves = found["valid_0"]
    predict: Model = lambda rows, rounds: model.predict(rows, num_iteration=rounds, num_threads=1)  # noqa: E731
    return predict, [np.array(curves["l2"]), -np.array(curves["quadratic_kappa"])]


def _xgboost(
    X: np.ndarray, y: np.ndarray, X_valid: np.ndarray, y_valid: np.ndarray, seed: int
) -> tuple[Model, list[np.ndarray]]:
    found: dict[str, Any] = {}
    model = xgboost.train(
        {
            "eta": RATE,
            "max_depth": 4,
            "min_child_weight": 5,
            "subsample": 0.8,
            "colsample_bytree": 0.8,
            "eval_metric": "rmse",
            "seed": seed,
            "nthread": 1,
        },
        xgboost.DMatrix(X, y, nthread=1),
        N_ROUNDS,
        evals=[(xgboost.DMatrix(X_valid, y_valid, nthread=1), "valid")],
        custom_metric=boosting.xgboost_custom_metric,
        evals_result=found,
        verbose_eval=False,
    )
    curves = found["valid"]
    predict: Model = lambda rows, rounds: model.predict(  # noqa: E731
        xgboost.DMatrix(rows, nthread=1), iteration_range=(0, rounds)
    )
    return predict, [np.array(curves["rmse"]), np.array(curves["quadratic_kappa_loss"])]


FIT = {"lightgbm": _lightgbm, "xgboost": _xgboost}
