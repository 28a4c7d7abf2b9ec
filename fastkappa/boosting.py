"""Compute kappa as an evaluation metric for LightGBM, XGBoost and CatBoost.

Use `ClassKappa` for classifiers. The other metrics are for models with a regression objective and
compute `fastkappa.measurements.continuous_kappa`. This module does not import the libraries.

==========================  ====================================================
LightGBM                    ``lgb.train(..., feval=lightgbm_feval)``
LightGBM, scikit-learn API  ``fit(..., eval_metric=lightgbm_eval_metric)``
XGBoost                     ``xgb.train(..., custom_metric=xgboost_custom_metric)``
XGBoost, scikit-learn API   ``XGBRegressor(eval_metric=xgboost_eval_metric)``
CatBoost                    ``CatBoostRegressor(eval_metric=CatBoostKappa())``
==========================  ====================================================

The metrics for LightGBM and CatBoost return kappa and indicate that greater is better. XGBoost
minimises custom metrics by default, so the metrics for XGBoost return 1 - kappa under the name
``quadratic_kappa_loss``. Early stopping then works without ``maximize``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.measurements import continuous_kappa
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights
from fastkappa.tables.count import confusion_counts

__all__ = [
    "CatBoostKappa",
    "ClassKappa",
    "lightgbm_eval_metric",
    "lightgbm_feval",
    "xgboost_custom_metric",
    "xgboost_eval_metric",
]

# The names of the metrics in the libraries' logs and results.
NAME = "quadratic_kappa"
LOSS = "quadratic_kappa_loss"
FOR_REGRESSION = (
    "ClassKappa is for classifiers: for a regression model, use CatBoostKappa or a function of"
    " fastkappa.boosting, such as fastkappa.boosting.lightgbm_eval_metric."
)


def lightgbm_feval(preds: Any, eval_data: Any) -> tuple[str, float, bool]:
    """Return kappa, for use as ``feval`` in `lightgbm.train` and `lightgbm.cv`.

    Parameters
    ----------
    preds : ndarray of shape (n_samples,)
        Predictions.
    eval_data : lightgbm.Dataset
        The evaluation data, with labels and optional item weights.

    Returns
    -------
    name, kappa, is_higher_better : str, float, bool
        The name of the metric (``"quadratic_kappa"``), the kappa, and True, because a higher kappa
        is better.
    """
    label, weight = _labels_of(eval_data, "eval_data", "lightgbm_eval_metric")
    return NAME, _kappa(label, preds, weight), True


def lightgbm_eval_metric(
    y_true: Any, y_pred: Any, sample_weight: Any = None
) -> tuple[str, float, bool]:
    """Return kappa, for use as ``eval_metric`` in LightGBM's scikit-learn interface.

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
        The name of the metric (``"quadratic_kappa"``), the kappa, and True, because a higher kappa
        is better.
    """
    return NAME, _kappa(y_true, y_pred, sample_weight), True


def xgboost_custom_metric(predt: Any, dtrain: Any) -> tuple[str, float]:
    """Return 1 - kappa, for use as ``custom_metric`` in `xgboost.train` and `xgboost.cv`.

    Parameters
    ----------
    predt : ndarray of shape (n_samples,)
        Predictions.
    dtrain : xgboost.DMatrix
        The evaluation data, with labels and optional item weights.

    Returns
    -------
    name, loss : str, float
        The name of the metric (``"quadratic_kappa_loss"``), and the loss ``1 - kappa``. Early
        stopping minimises this loss, so do not pass ``maximize=True``.
    """
    label, weight = _labels_of(dtrain, "dtrain", "xgboost_eval_metric")
    return LOSS, 1 - _kappa(label, predt, weight)


def xgboost_eval_metric(y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
    """Return 1 - kappa, for use as ``eval_metric`` in XGBoost's scikit-learn interface.

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
        The loss ``1 - kappa``, which is 0 for perfect agreement and at most 2. Early stopping
        minimises this loss.
    """
    return 1 - _kappa(y_true, y_pred, sample_weight)


def _labels_of(data: Any, name: str, instead: str) -> tuple[Any, Any]:
    """Return the labels and weights of a library's data set. The weights can be None.

    If ``data`` is an array, the error suggests ``instead``, the metric for the scikit-learn
    interface.
    """
    if not hasattr(data, "get_label"):
        raise TypeError(
            f"{name} must be a data set with labels, got {type(data).__name__}. In the scikit-learn"
            f" interface, use {instead}."
        )
    weight = data.get_weight()
    # For an XGBoost data set without weights, get_weight returns an empty array.
    return data.get_label(), None if weight is None or not len(weight) else weight


def _refuse_data_set(y_pred: Any) -> None:
    """Raise if a library passes a data set to a metric for the scikit-learn interface."""
    if hasattr(y_pred, "get_label"):
        raise TypeError(
            f"y_pred must be an array, got {type(y_pred).__name__}. In lightgbm.train, use"
            " lightgbm_feval. In xgboost.train, use xgboost_custom_metric."
        )


def _kappa(y_true: Any, y_pred: Any, sample_weight: Any) -> float:
    _refuse_data_set(y_pred)
    shape = np.shape(y_pred)
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"y_pred must have one prediction per item, got an array of shape"
            f" {shape}. If it has one column per class, use ClassKappa."
        )
    return continuous_kappa(y_true, y_pred, sample_weight=sample_weight)


# XGBoost uses the name of the function as the name of the metric.
xgboost_eval_metric.__name__ = LOSS


class CatBoostKappa:
    """Quadratic weighted kappa for CatBoost's ``eval_metric`` and ``custom_metric``.

    CatBoost calls these methods by name, and shows the name of this class in its logs.
    """

    # Without this attribute, CatBoost tries to compile the methods with Numba, which fails with a
    # warning.
    no_jit = True

    def is_max_optimal(self) -> bool:
        """Return True, because a higher kappa is better.

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
            The predictions, with one array per output of the model. The model must have a single
            output.
        target : array-like of shape (n_samples,)
            Labels.
        weight : array-like of shape (n_samples,) or None
            Item weights.

        Returns
        -------
        kappa, weight : float, float
            Kappa, and a weight of 1. CatBoost passes both to `get_final_error`.

        Raises
        ------
        ValueError
            If the model has more than one output.
        """
        if len(approxes) != 1:
            raise ValueError(
                f"approxes must contain exactly one array, got {len(approxes)}: the model must have"
                " a single output. For a classifier, use ClassKappa."
            )
        return continuous_kappa(target, approxes[0], sample_weight=weight), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return kappa.

        Parameters
        ----------
        error, weight : float
            The sum of the kappas and the sum of the weights that `evaluate` returned.

        Returns
        -------
        kappa : float
            ``error / weight``.
        """
        return error / weight


class ClassKappa:
    """A kappa metric for classifiers in LightGBM, XGBoost and CatBoost.

    The metric is the kappa between the true classes and the most probable classes. Create it with
    ``metric = ClassKappa()``, and pass it to the library as follows:

    ==========================  ============================================================
    LightGBM                    ``lgb.train(..., feval=metric.lightgbm_feval)``
    LightGBM, scikit-learn API  ``fit(..., eval_metric=metric.lightgbm_eval_metric)``
    XGBoost                     ``xgb.train(..., custom_metric=metric.xgboost_custom_metric)``
    XGBoost, scikit-learn API   ``XGBClassifier(eval_metric=metric.kappa_loss)``
    CatBoost                    ``CatBoostClassifier(eval_metric=metric)``
    ==========================  ============================================================

    XGBoost minimises custom metrics, so the metrics for XGBoost return 1 - kappa.

    Parameters
    ----------
    weights : {'linear', 'quadratic'}, array-like of shape (K, K) or None, default='quadratic'
        Disagreement weights, as in `fastkappa.cohen_kappa_score`. If ``weights`` is a matrix, its
        rows correspond to the true classes.

    Raises
    ------
    ValueError
        If a library calls the metric with predictions that are neither probabilities nor class
        numbers, or with labels that are not in the range 0 to K - 1.

    Notes
    -----
    The classes must be numbered from 0 to K - 1, in order. LightGBM passes the labels in ``eval_y``
    to the metric unchanged, so number the labels from 0 before training. The libraries pass
    probabilities to the metric only if the objective is built in. With a custom objective, they
    pass raw scores instead.

    Examples
    --------
    >>> from fastkappa.boosting import ClassKappa
    >>> metric = ClassKappa()
    >>> y, probabilities = [0, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.6, 0.3]]
    >>> metric.lightgbm_eval_metric(y, probabilities)
    ('kappa', 0.6666666666666666, True)
    >>> round(metric.kappa_loss(y, probabilities), 6)
    0.333333
    """

    no_jit = True

    def __init__(self, weights: Weights = "quadratic") -> None:
        self.weights = weights

    def lightgbm_feval(self, preds: Any, eval_data: Any) -> tuple[str, float, bool]:
        """Return kappa, for use as ``feval`` in `lightgbm.train` and `lightgbm.cv`."""
        label, weight = _labels_of(eval_data, "eval_data", "lightgbm_eval_metric")
        return self.lightgbm_eval_metric(label, preds, weight)

    def lightgbm_eval_metric(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> tuple[str, float, bool]:
        """Return kappa, for use as ``eval_metric`` in LightGBM's scikit-learn interface."""
        return "kappa", self._kappa(y_true, *_classes_of(y_pred), sample_weight), True

    def xgboost_custom_metric(self, predt: Any, dtrain: Any) -> tuple[str, float]:
        """Return 1 - kappa, for use as ``custom_metric`` in `xgboost.train` and `xgboost.cv`."""
        label, weight = _labels_of(dtrain, "dtrain", "kappa_loss")
        return "kappa_loss", self.kappa_loss(label, predt, weight)

    def kappa_loss(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return 1 - kappa, for use as ``eval_metric`` in XGBoost's scikit-learn interface."""
        return 1 - self._kappa(y_true, *_classes_of(y_pred), sample_weight)

    def is_max_optimal(self) -> bool:
        """Return True, so that CatBoost maximises kappa."""
        return True

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """Compute kappa from CatBoost's log odds or class scores, and return it with weight 1."""
        scores = np.asarray(approxes)
        predicted = scores[0] > 0 if len(scores) == 1 else scores.argmax(axis=0)
        n_classes = max(2, len(scores))
        return self._kappa(target, predicted.astype(np.int64), n_classes, weight), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return ``error / weight``, which is the kappa that `evaluate` returned."""
        return error / weight

    def _kappa(
        self, y_true: Any, predicted: AnyArray, n_classes: int | None, sample_weight: Any
    ) -> float:
        """Return kappa. If ``n_classes`` is None, infer it from the labels and predictions."""
        truth = np.asarray(y_true)
        lowest, highest = int(truth.min(initial=0)), int(truth.max(initial=0))
        if n_classes is None:
            n_classes = max(highest, int(predicted.max(initial=0))) + 1
            if not isinstance(self.weights, str) and self.weights is not None:
                n_classes = len(np.asarray(self.weights))
        if lowest < 0 or highest >= n_classes:
            raise ValueError(_outside(truth, n_classes))
        counts = confusion_counts(
            truth, predicted, labels=np.arange(n_classes), sample_weight=sample_weight
        )
        return float(kappas(counts.table, self.weights))


def _outside(truth: AnyArray, n_classes: int) -> str:
    """Return the error message for labels that are not classes from 0 to ``n_classes`` - 1."""
    first, last = truth.min(), truth.max()
    advice = "Number the classes from 0"
    if first >= 1 and last == n_classes:
        advice = "Subtract 1 from y"
    elif n_classes == 2:
        # A regression model's predictions look like probabilities if all are between 0 and 1.
        advice = f"{FOR_REGRESSION} For a classifier, number the classes from 0"
    return (
        f"y has class {first if first < 0 else last:g}, but the predictions have classes 0 to"
        f" {n_classes - 1}. {advice} for training and for evaluation."
    )


def _classes_of(predictions: Any) -> tuple[AnyArray, int | None]:
    """Return the most probable class of each item, and the number of classes if known."""
    _refuse_data_set(predictions)
    scores: AnyArray = np.asarray(predictions)
    if scores.ndim == 2 and scores.shape[1] > 1:
        return np.asarray(scores.argmax(axis=1)), scores.shape[1]
    scores = scores.reshape(-1)
    whole = np.rint(scores)
    if (whole == scores).all() and scores.min(initial=0) >= 0:
        return whole.astype(np.int64), None
    if scores.min() < 0 or scores.max() > 1:
        raise ValueError(
            "predictions must be probabilities or class numbers, got"
            f" {scores[(scores < 0) | (scores > 1)][0]:.6g}. {FOR_REGRESSION}"
        )
    return np.asarray(scores > 0.5, np.int64), 2
