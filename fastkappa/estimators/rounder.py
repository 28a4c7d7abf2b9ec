"""A scikit-learn estimator that rounds scores to labels at thresholds that maximise kappa."""

from __future__ import annotations

import math
import warnings
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from fastkappa.arrays import AnyArray
from fastkappa.choices import no_attribute
from fastkappa.decoding.decode import read_order
from fastkappa.estimators.out_of_fold import (
    OutOfFoldClassifier,
    Splits,
    read_target,
    sorted_labels,
    warn_of_rows,
)
from fastkappa.ratings.column import read_column, refuse_masked
from fastkappa.ratings.labels import distinct, names_of_columns
from fastkappa.ratings.real_numbers import as_float64, hint_for_probabilities
from fastkappa.statistics.weights import Weights
from fastkappa.thresholds.rounding import (
    Method,
    find_rounding,
    generator_of,
)

# Attributes of OptimizedRounder and of scikit-learn's linear models, mapped to the advice that the
# error message gives.
INSTEAD = dict.fromkeys(("coefficients", "coef_"), "use thresholds_ instead.")


class KappaRounder(OutOfFoldClassifier):
    """Round scores to labels at the thresholds that maximise kappa.

    Scores are the predictions of a regression model. If ``estimator`` is given, `fit` computes
    out-of-fold scores for the training items, uses them to find the thresholds, and then fits the
    estimator to all items. Otherwise, pass out-of-sample scores to `fit`, such as the output of
    `sklearn.model_selection.cross_val_predict`.

    Parameters
    ----------
    estimator : regressor, default=None
        The regression model that computes the scores. If None, ``X`` must contain the scores
        themselves. The regressor is fitted to the labels if they are numbers in ascending order.
        Otherwise, it is fitted to their positions, counted from 0. Pass the regressor here instead
        of making it an earlier step of a pipeline, because the steps of a pipeline pass on
        transformed features, not predictions. To use a regressor that has already been fitted to
        other items, wrap it in `sklearn.frozen.FrozenEstimator`.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default='quadratic'
        Disagreement weights, as in `cohen_kappa_score`. If ``weights`` is a matrix, its rows
        correspond to the true labels.
    labels : array-like of shape (l,), default=None
        All labels, in order. This parameter is required if labels are fractional, such as half
        points. By default, the labels are in the order that the type of ``y`` declares, as an
        ordered categorical does. If ``y`` declares no order, its labels are sorted. Strings are
        sorted by value if all of them are numbers. Otherwise, they are sorted alphabetically, and a
        ``LabelOrderWarning`` is issued if the weights depend on the order.
    method : {'spline', 'exact', 'bagged', 'closed_form'}, default='spline'
        How to find the thresholds:

        - 'spline': maximise the expected kappa, assuming that the label distribution changes
          smoothly with the score. With quadratic weights, the expected label is modelled as an
          increasing spline of the score. With other weights, the label probabilities are modelled
          by a cumulative logit model with a spline of the score. In most simulations, and in all
          simulations with quadratic weights, 'spline' reached the highest kappa on new items.
        - 'exact': maximise kappa on the training items, as `optimal_thresholds` does. With few
          items, these thresholds overfit.
        - 'bagged': find the best thresholds on each bootstrap resample, convert them to ranks among
          the scores, and average the ranks.
        - 'closed_form': shift and scale the scores so that they have the mean and variance of the
          label positions, and round each score to the nearest position. With few items, this method
          is suitable if the scores are linear in the label positions and the label distribution is
          symmetric. It requires quadratic weights.
    n_resamples : int, default=100
        The number of bootstrap resamples for the method 'bagged'.
    cv : int, splitter, iterable of (train, test) or None, default=5
        The folds used to compute ``oof_predictions_`` and, with an estimator, the out-of-fold
        scores. Each item must be in exactly one test fold. An int is the number of folds, which are
        stratified by label. With an estimator, the folds are made by
        `sklearn.model_selection.StratifiedKFold` or, if there are groups, by
        `sklearn.model_selection.StratifiedGroupKFold`. As usual in scikit-learn, these folds are
        not shuffled, so each fold contains items from one part of the data. If the items are
        sorted, for example by date or file, pass
        ``StratifiedKFold(5, shuffle=True, random_state=0)``. Without an estimator, the folds are
        shuffled, and groups are assigned to folds at random, with about the same number of groups
        in each fold, as in ``fastkappa thresholds --cluster``. If ``cv`` is None, ``oof_kappa_`` is
        not computed, and ``estimator`` must be None.
    random_state : int, RandomState instance or None, default=None
        The seed or random number generator for the bootstrap resamples. If ``cv`` is an int and
        there is no estimator, ``random_state`` also determines the folds. With an estimator,
        ``random_state`` does not change the folds. Pass an int for reproducible results.

    Attributes
    ----------
    thresholds_ : ndarray of shape (l - 1,)
        The thresholds, in ascending order. An item gets ``classes_[i]`` if its score is at least
        ``thresholds_[i - 1]`` and below ``thresholds_[i]``.
    kappa_ : float
        The kappa on the training items. With 'exact', this kappa is the highest possible value, so
        expect a lower kappa on new items. If y has a single label, kappa is NaN and an
        ``UndefinedMetricWarning`` is issued.
    oof_kappa_ : float
        The out-of-fold kappa, computed from a single confusion matrix of ``y`` and
        ``oof_predictions_``. It is an estimate of the kappa on new items. This attribute is not set
        if ``cv`` is None.
    oof_predictions_ : ndarray of shape (n_samples,)
        The out-of-fold labels. The label of each item is determined by thresholds found on the
        other folds. To get a confidence interval for ``oof_kappa_``, pass ``y`` and these labels to
        `fastkappa.agreement`. This attribute is not set if ``cv`` is None.
    oof_scores_ : ndarray of shape (n_samples,)
        The out-of-fold scores. This attribute is set only if ``estimator`` is given.
    estimator_ : regressor
        The regressor, fitted to all items. This attribute is set only if ``estimator`` is given.
    classes_ : ndarray of shape (l,)
        The labels, in order.
    n_features_in_ : int
        The number of features seen during `fit`, if the estimator reports it. Without an estimator,
        it is 1, because the scores are the only feature.
    feature_names_in_ : ndarray of object
        The names of the features, if all column names of X are strings.

    Raises
    ------
    ValueError
        In `fit`, if a parameter is out of range, if the scores are not finite or have more than one
        column, or if ``y`` contains a label that is not in ``labels``. In all methods, if a score
        is an integer that float64 cannot represent exactly.

    Warns
    -----
    FallingScoresWarning
        In `fit`, if the scores fall as the labels rise. In this case, multiply the scores by -1.
    UserWarning
        In `fit`, if the thresholds give all items the same label.

    See Also
    --------
    fastkappa.optimal_thresholds : Find the thresholds that the method 'exact' uses.
    fastkappa.estimators.KappaDecoder : Predict labels from a classifier's probabilities.

    Notes
    -----
    Several threads can use a fitted rounder at the same time, but not while it is being
    refitted.

    Do not use the spread of the thresholds across bootstrap resamples as a standard error.
    Estimated thresholds converge at the rate n ** (-1/3), where n is the number of items, and the
    bootstrap is not consistent for such estimates.

    References
    ----------
    P. Craven and G. Wahba (1979). Smoothing noisy data with spline functions. Numerische
    Mathematik 31, 377-403.

    P. McCullagh (1980). Regression models for ordinal data. Journal of the Royal Statistical
    Society B 42, 109-142.

    Examples
    --------
    >>> from fastkappa.estimators import KappaRounder
    >>> scores = [0.1, 0.4, 0.3, 0.6, 0.7, 0.9]
    >>> y = ["bad", "bad", "good", "good", "best", "best"]
    >>> rounder = KappaRounder(labels=["bad", "good", "best"], cv=None).fit(scores, y)
    >>> rounder.thresholds_.round(2)
    array([0.35, 0.65])
    >>> rounder.predict([0.15, 0.55, 3.0])
    array(['bad', 'good', 'best'], dtype='<U4')

    Combine a regression model and its rounding in one estimator:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> rounder = KappaRounder(Ridge()).fit(X, y)
    >>> rounder.predict(X[:3])
    array([0, 0, 0])
    >>> rounder.oof_scores_.shape
    (150,)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        weights: Weights = "quadratic",
        labels: Any = None,
        method: Method = "spline",
        n_resamples: int = 100,
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.weights = weights
        self.labels = labels
        self.method = method
        self.n_resamples = n_resamples
        self.cv = cv
        self.random_state = random_state

    # `__getattr__` is hidden from type checkers, which would otherwise accept any misspelt
    # attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, INSTEAD)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> KappaRounder:
        """Find the thresholds, and fit the estimator if there is one.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_features)
            Finite scores. With an estimator, X contains features in any form that the estimator
            accepts.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights, which must not be negative. The weights are also passed to the estimator
            if its ``fit`` accepts them. Items of weight 0 affect neither the thresholds nor kappa.
        groups : array-like of shape (n_samples,), default=None
            The group of each item, such as the patient it comes from. All items of a group are in
            the same fold, unless ``cv`` is a splitter that ignores groups. The groups are also
            passed to the estimator if its ``fit`` accepts them. In ``cross_val_score`` or
            ``GridSearchCV``, groups require metadata routing and ``set_fit_request(groups=True)``.

        Returns
        -------
        self : KappaRounder
            The fitted rounder.
        """
        self._forget("oof_scores_")
        if y is None:
            raise ValueError("KappaRounder requires y to be passed, but the target y is None.")
        warn_of_rows(X, y, sample_weight, groups)
        given, y = y, read_target(y, self.labels)
        labels = self.labels
        if labels is None:
            order = read_column(given, "y").declared
            labels = None if order is None else order.names
        folds = self.cv
        if self.estimator is not None:
            scores, folds = self._out_of_fold_scores(X, y, labels, sample_weight, groups)
        else:
            scores = self._read_scores(X, reset=True)
            if groups is not None:
                groups = column_or_1d(groups)
                check_consistent_length(scores, groups)
            if folds is not None and not isinstance(folds, Integral):
                folds = self._splits(scores, y, groups)
        found = find_rounding(
            y,
            scores,
            method=self.method,
            labels=labels,
            weights=self.weights,
            sample_weight=sample_weight,
            n_resamples=self.n_resamples,
            folds=folds,
            groups=groups,
            rng=generator_of(check_random_state(self.random_state)),
        )
        if math.isnan(found.kappa):
            warnings.warn(
                "kappa is undefined, because y has a single label or no disagreement is expected"
                " by chance.",
                UndefinedMetricWarning,
                stacklevel=2,
            )
        self.thresholds_ = found.thresholds
        self.classes_ = found.labels
        self.kappa_ = found.kappa
        if found.oof_positions is not None and found.oof_kappa is not None:
            self.oof_predictions_: AnyArray = self.classes_[found.oof_positions]
            self.oof_kappa_: float = found.oof_kappa
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the label of each item.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_features)
            As in `fit`.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predicted labels.
        """
        # Call `_scores` before reading thresholds_. If `fit` was not called, `_scores` raises
        # NotFittedError.
        scores = self._scores(X)
        given = np.searchsorted(self.thresholds_, scores, side="right")
        labels: AnyArray = self.classes_[given]
        return labels

    def _scores(self, X: Any) -> AnyArray:
        """Return the scores of the items, or raise if the rounder is not fitted."""
        check_is_fitted(self)
        if self.estimator is None:
            return self._read_scores(X, reset=False)
        scores: AnyArray = column_or_1d(self._predicted("predict", X))
        return scores

    def _read_scores(self, X: Any, *, reset: bool) -> AnyArray:
        """Return the scores in X. A named column must have the same name as in `fit`."""
        scores = _scores_of(X)
        is_named = names_of_columns(X) is not None and hasattr(self, "feature_names_in_")
        if reset or is_named:
            validate_data(self, X, reset=reset, skip_check_array=True, ensure_2d=False)
        self.n_features_in_ = 1
        return scores

    def _out_of_fold_scores(
        self, X: Any, y: AnyArray, labels: Any, sample_weight: Any, groups: Any
    ) -> tuple[AnyArray, Splits]:
        """Return out-of-fold scores and the folds, and fit the estimator."""
        if not hasattr(self.estimator, "predict") or is_classifier(self.estimator):
            raise ValueError(
                f"estimator must be a regressor, got {self.estimator!r}. For a"
                " classifier, use KappaDecoder."
            )
        if self.cv is None:
            raise ValueError("cv must not be None if estimator is given: pass a number of folds.")
        numbers = _numbers_of(y, labels)
        found = self._fit_out_of_fold(X, numbers, y, "predict", sample_weight, groups)
        self.oof_scores_: AnyArray = column_or_1d(found[0])
        return self.oof_scores_, found[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is None:
            tags.input_tags.one_d_array = True
            tags.input_tags.two_d_array = False
        # scikit-learn's estimator checks must accept a low score here, because a single column of
        # scores separates the clusters of their test data poorly.
        tags.classifier_tags.poor_score = True
        return tags


def _numbers_of(y: AnyArray, labels: Any) -> AnyArray:
    """Return the targets: the labels if they are ascending numbers, otherwise their positions."""
    order = sorted_labels(y) if labels is None else read_order(labels)
    if order.dtype.kind in "iuf" and (np.diff(order) > 0).all():
        return y.astype(np.float64)
    position = distinct(order.tolist())
    return np.array([position[label] for label in y.tolist()], np.float64)


def _scores_of(X: Any) -> AnyArray:
    """Return the scores as a one-dimensional float32 or float64 array."""
    refuse_masked(X=X)
    check = partial(check_array, ensure_2d=False, input_name="X", estimator="KappaRounder")
    # The shape is checked first, because features can have missing values, but scores cannot.
    scores: AnyArray = check(X, dtype=None, ensure_all_finite=False)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim != 1:
        raise ValueError(
            f"X must be one column of scores, got an array of shape {scores.shape}."
            f"{hint_for_probabilities(scores.shape)} To use features, pass a"
            " regressor as estimator=."
        )
    if scores.dtype.kind in "iu":
        return as_float64(scores, "X")
    if scores.dtype.kind == "f":
        # scikit-learn would convert float32 scores in non-native byte order to float64, in which
        # the midpoints between scores are different.
        scores = scores.astype(scores.dtype.newbyteorder("="), copy=False)
    floats: AnyArray = check(scores, dtype=[np.float64, np.float32])
    return floats
