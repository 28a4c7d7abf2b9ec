"""Quadratic kappa as an evaluation metric of LightGBM, XGBoost and CatBoost.

The metric is that of continuous predictions, `fastkappa.measurements.continuous_kappa`, so it fits
models with a regression objective. None of the three libraries is imported here.

==========================  ====================================================
LightGBM                    ``lgb.train(..., feval=lightgbm_feval)``
LightGBM, scikit-learn API  ``fit(..., eval_metric=lightgbm_eval_metric)``
XGBoost                     ``xgb.train(..., custom_metric=xgboost_custom_metric)``
XGBoost, scikit-learn API   ``XGBRegressor(eval_metric=xgboost_eval_metric)``
CatBoost                    ``CatBoostRegressor(eval_metric=CatBoostKappa())``
==========================  ====================================================

The metrics for LightGBM and CatBoost report kappa, and that greater is better. XGBoost minimises a
metric of one's own, so those for XGBoost report 1 - kappa under the name ``quadratic_kappa_loss``:
early stopping works with all of them as they are, without ``maximize``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa.measurements import continuous_kappa

__all__ = [
    "CatBoostKappa",
    "lightgbm_eval_metric",
    "lightgbm_feval",
    "xgboost_custom_metric",
    "xgboost_eval_metric",
]

# The names of the metrics in logs and results.
NAME = "quadratic_kappa"
LOSS = "quadratic_kappa_loss"


def lightgbm_feval(preds: Any, eval_data: Any) -> tuple[str, float, bool]:
    """Evaluate predictions for ``feval`` of `lightgbm.train` and `lightgbm.cv`.

    Parameters
    ----------
    preds : ndarray of shape (n_samples,)
        Predictions.
    eval_data : lightgbm.Dataset
        The data, with labels and possibly weights.

    Returns
    -------
    name, kappa, is_higher_better : str, float, bool
        ``("quadratic_kappa", kappa, True)``.
    """
    return NAME, _kappa(eval_data.get_label(), preds, eval_data.get_weight()), True


def lightgbm_eval_metric(
    y_true: Any, y_pred: Any, sample_weight: Any = None
) -> tuple[str, float, bool]:
    """Evaluate predictions for ``eval_metric`` of LightGBM's scikit-learn interface.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels.
    y_pred : array-like of shape (n_samples,)
        Predictions.
    sample_weight : array-like of shape (n_samples,), default=None
        Item weights.

    Returns
    -------
    name, kappa, is_higher_better : str, float, bool
        ``("quadratic_kappa", kappa, True)``.
    """
    return NAME, _kappa(y_true, y_pred, sample_weight), True


def xgboost_custom_metric(predt: Any, dtrain: Any) -> tuple[str, float]:
    """Evaluate predictions for ``custom_metric`` of `xgboost.train` and `xgboost.cv`.

    Parameters
    ----------
    predt : ndarray of shape (n_samples,)
        Predictions.
    dtrain : xgboost.DMatrix
        The data, with labels and possibly weights.

    Returns
    -------
    name, loss : str, float
        ``("quadratic_kappa_loss", 1 - kappa)``. Early stopping minimises it: do not pass
        ``maximize=True``.
    """
    weights = dtrain.get_weight()  # empty where there are none
    return LOSS, 1 - _kappa(dtrain.get_label(), predt, weights if len(weights) else None)


def xgboost_eval_metric(y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
    """Evaluate predictions for ``eval_metric`` of XGBoost's scikit-learn interface.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels.
    y_pred : array-like of shape (n_samples,)
        Predictions.
    sample_weight : array-like of shape (n_samples,), default=None
        Item weights.

    Returns
    -------
    loss : float
        1 - kappa: 0 for perfect agreement, at most 2. ``early_stopping_rounds`` minimises it.
    """
    return 1 - _kappa(y_true, y_pred, sample_weight)


def _kappa(y_true: Any, y_pred: Any, sample_weight: Any) -> float:
    shape = np.shape(y_pred)
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            "this kappa takes one prediction per item, got predictions of shape"
            f" {shape}, perhaps one column per class: use a regression objective."
        )
    return continuous_kappa(y_true, y_pred, sample_weight=sample_weight)


# XGBoost reports a metric by the name of its function.
xgboost_eval_metric.__name__ = LOSS


class CatBoostKappa:
    """A metric for ``eval_metric`` and ``custom_metric`` of CatBoost.

    CatBoost calls its methods by these names and shows the name of the class in its logs.
    """

    # Without it CatBoost has numba compile the methods, which fails with a warning.
    no_jit = True

    def is_max_optimal(self) -> bool:
        """Return True: greater is better.

        Returns
        -------
        is_max_optimal : bool
            True.
        """
        return True

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """Return kappa and a weight of 1.

        Parameters
        ----------
        approxes : sequence of one array-like of shape (n_samples,)
            Predictions, one array for each dimension of the model.
        target : array-like of shape (n_samples,)
            Labels.
        weight : array-like of shape (n_samples,) or None
            Item weights.

        Returns
        -------
        kappa, weight : float, float
            The arguments of `get_final_error`.

        Raises
        ------
        ValueError
            If the model has more than one dimension.
        """
        if len(approxes) != 1:
            raise ValueError(
                f"approxes must be those of a model of one dimension, got {len(approxes)}: take a"
                " regression objective."
            )
        return continuous_kappa(target, approxes[0], sample_weight=weight), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return kappa.

        Parameters
        ----------
        error, weight : float
            The sums of what `evaluate` returned.

        Returns
        -------
        kappa : float
            Their quotient.
        """
        return error / weight
