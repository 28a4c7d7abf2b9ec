"""Labels from scores, by thresholds that maximise kappa, as a scikit-learn estimator."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import (
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    is_classifier,
)
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_array, check_random_state, column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from fastkappa.arrays import AnyArray
from fastkappa.choices import no_attribute
from fastkappa.decoding.decode import read_order
from fastkappa.estimators.out_of_fold import OutOfFoldMixin, Splits, read_target, sorted_labels
from fastkappa.ratings.column import read_column, refuse_masked
from fastkappa.ratings.enums import names_of_members
from fastkappa.ratings.interop import warn_of_row_order
from fastkappa.ratings.labels import distinct, names_of_columns
from fastkappa.ratings.real_numbers import as_float64, hint_for_probabilities
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights
from fastkappa.thresholds.rounding import (
    Method,
    Rounding,
    find_rounding,
    generator_of,
    table_at_thresholds,
)

# What OptimizedRounder and scikit-learn's linear models have.
INSTEAD = dict.fromkeys(("coefficients", "coef_"), "thresholds_ has the cut points.")


class KappaRounder(
    TransformerMixin,  # type: ignore[misc]
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    OutOfFoldMixin,
):
    """Rounds scores to labels at the thresholds that maximise kappa.

    Scores are the predictions of a regression. With an ``estimator`` it is fitted here: in `fit`
    it predicts each training item out of fold, thresholds are found on these scores, and the
    estimator is fitted to all items. Without one, fit on out-of-sample scores, such as those of
    `sklearn.model_selection.cross_val_predict`.

    Parameters
    ----------
    estimator : regressor, default=None
        None if ``X`` holds the scores themselves. The regressor is fitted to the labels if they
        are numbers in rising order, else to their positions from 0. It is given here and not as
        the step before in a pipeline, which passes on what steps transform, not predict.
        `sklearn.frozen.FrozenEstimator` keeps a regressor fitted to other items as it is.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default='quadratic'
        Disagreement weights, as in `cohen_kappa_score`; rows are the true labels.
    labels : array-like of shape (l,), default=None
        All labels, in order. None takes the order that ``y`` declares, as an ordered
        categorical does, else the labels that occur in it, sorted: strings alphabetically,
        with a ``LabelOrderWarning``, unless all are numbers.
    method : {'spline', 'exact', 'bagged', 'smoothed', 'closed_form'}, default='spline'
        How to find the thresholds:

        - 'spline': those of the highest kappa expected if labels change smoothly with the
          score. For quadratic weights the expected label is a rising spline of the score, and
          thresholds follow from it; for others the proportions of labels are those of a
          cumulative logit model on a spline. It was the best on new items in most studies, and
          in all with quadratic weights.
        - 'exact': those of the highest kappa for the training items, as
          `optimal_thresholds` finds them. With few items they fit the noise as well.
        - 'bagged': the mean, in ranks, of the best thresholds of bootstrap resamples.
        - 'smoothed': as 'spline', but the proportion of each label at a score is a moving
          average over the scores around it.
        - 'closed_form': scores are shifted and scaled to the mean and the variance of the
          labels' positions, and rounded at the half points. Good for few items, if scores
          are linear and the labels' distribution is symmetric; for quadratic weights only.
    n_resamples : int, default=100
        Number of bootstrap resamples of 'bagged'.
    cv : int, splitter, iterable of (train, test) or None, default=5
        The folds for ``oof_kappa_`` and for the scores of the estimator, or the number of folds
        stratified by label. None leaves the kappa out, and is for no estimator.
    random_state : int, RandomState instance or None, default=None
        Draws the folds and the resamples. An int makes the results reproducible.

    Attributes
    ----------
    thresholds_ : ndarray of shape (l - 1,)
        Ascending. An item gets ``classes_[i]`` if its score is at least
        ``thresholds_[i - 1]`` and below ``thresholds_[i]``.
    kappa_ : float
        Kappa on the training items: for 'exact' the highest possible, and so higher than on
        new items. NaN, with an ``UndefinedMetricWarning``, where y has a single label.
    oof_kappa_ : float
        Out-of-fold kappa: of one table of all items, each labelled by thresholds from the
        other folds. An estimate for new items. Not set for ``cv=None``.
    oof_scores_ : ndarray of shape (n_samples,)
        The out-of-fold scores. Not set without an estimator.
    estimator_ : regressor
        Fitted to all items. Not set without an estimator.
    classes_ : ndarray of shape (l,)
        The labels, in order.
    n_features_in_ : int
        Number of features seen in `fit`, if the estimator says so; 1, the scores, without one.
    feature_names_in_ : ndarray of object
        Names of the features, where X has strings for them.

    Raises
    ------
    ValueError
        In `fit`, if a parameter is out of range, scores are not finite or not one column,
        or a label is missing from ``labels``. In all methods, if a score is an integer that
        float64 does not hold exactly.

    Warns
    -----
    FallingScoresWarning
        In `fit`, if scores fall as labels rise: multiply them by -1.

    See Also
    --------
    fastkappa.optimal_thresholds : the search of the method 'exact'.
    fastkappa.estimators.KappaDecoder : labels from the probabilities of a classifier.

    Notes
    -----
    Any number of threads may use a fitted rounder at the same time, but none while it is
    fitted again.

    The spread of thresholds over resamples is not a standard error: estimates of thresholds
    converge with the cube root of the number of items, and the bootstrap is not consistent
    for them.

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

    Regression to labels in one estimator:

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

    # To a type checker it would make an attribute of whatever is misspelt.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, INSTEAD)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> KappaRounder:
        """Find the thresholds, and fit the estimator.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_features)
            Scores, finite; features, as the estimator takes them, if there is one.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights, not negative; the estimator's too, if its ``fit`` takes them. Items of
            weight 0 are left out of thresholds and kappa.
        groups : array-like of shape (n_samples,), default=None
            The group of each item, for a ``cv`` that keeps groups together.

        Returns
        -------
        self : KappaRounder
            The fitted rounder.
        """
        self._forget("oof_scores_")
        if y is None:
            raise ValueError("KappaRounder requires y to be passed, but the target y is None.")
        warn_of_row_order({"X": X, "y": y})
        given, y = y, read_target(y)
        labels = self.labels
        if labels is None:
            order = read_column(given, "y").declared
            labels = None if order is None else order.names
        splits: Splits | None = None
        if self.estimator is not None:
            scores, splits = self._out_of_fold_scores(X, y, labels, sample_weight, groups)
        else:
            scores = self._read_scores(X, reset=True)
            if self.cv is not None and not isinstance(self.cv, Integral):
                splits = self._splits(scores, y, groups)
        find = partial(
            find_rounding,
            method=self.method,
            weights=self.weights,
            n_resamples=self.n_resamples,
            rng=generator_of(check_random_state(self.random_state)),
        )
        n_folds = self.cv if splits is None else None
        found = find(y, scores, labels=labels, sample_weight=sample_weight, n_folds=n_folds)
        if math.isnan(found.kappa):
            warnings.warn(
                "kappa is undefined: y has a single label, or no disagreement is expected by"
                " chance.",
                UndefinedMetricWarning,
                stacklevel=2,
            )
        self.thresholds_ = found.thresholds
        self.classes_ = found.labels
        self.kappa_ = found.kappa
        if found.oof_kappa is not None:
            self.oof_kappa_ = found.oof_kappa
        if splits is not None:
            find = partial(find, labels=self.classes_, n_folds=None)
            self.oof_kappa_ = self._kappa_of_splits(find, scores, y, sample_weight, splits)
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the label of each score.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_features)
            As in `fit`.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        # Before `fit` there are no thresholds_ either: scores first, which say so.
        scores = self._scores(X)
        given = np.searchsorted(self.thresholds_, scores, side="right")
        labels: AnyArray = self.classes_[given]
        return labels

    def transform(self, X: Any) -> AnyArray:
        """Return the label of each score, in the shape of the scores; in a column for features.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_features)
            As in `fit`.

        Returns
        -------
        labels : ndarray of the shape of X, or of shape (n_samples, 1)
        """
        shape = np.shape(X) if self.estimator is None else (-1, 1)
        return self.predict(X).reshape(shape)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return kappa of the predictions, not their accuracy.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_features)
            As in `fit`.
        y : array-like of shape (n_samples,)
            True labels, all of them among ``classes_``.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights, not negative.

        Returns
        -------
        kappa : float
            With the ``weights`` given; NaN where it is undefined.
        """
        scores = self._scores(X)
        table = table_at_thresholds(
            names_of_members(y),
            scores,
            self.thresholds_,
            labels=self.classes_,
            sample_weight=sample_weight,
        )
        return float(kappas(table, self.weights))

    def _scores(self, X: Any) -> AnyArray:
        """Return the scores of items, for a fitted rounder."""
        check_is_fitted(self)
        if self.estimator is None:
            return self._read_scores(X, reset=False)
        scores: AnyArray = column_or_1d(self.estimator_.predict(X))
        return scores

    def _read_scores(self, X: Any, *, reset: bool) -> AnyArray:
        """Return the scores that X holds; a column with a name must have that of `fit`."""
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
                f"estimator must be a regressor, got {self.estimator!r}. KappaDecoder takes the"
                " probabilities of a classifier."
            )
        if self.cv is None:
            raise ValueError("cv must make folds, for the estimator's scores, got None.")
        numbers = _numbers_of(y, labels)
        found = self._fit_out_of_fold(X, numbers, y, "predict", sample_weight, groups)
        self.oof_scores_: AnyArray = column_or_1d(found[0])
        return self.oof_scores_, found[1]

    def _kappa_of_splits(
        self,
        find: Callable[..., Rounding],
        scores: AnyArray,
        y: AnyArray,
        sample_weight: Any,
        splits: Splits,
    ) -> float:
        """Return the out-of-fold kappa of some folds."""
        table = np.zeros((len(self.classes_),) * 2, np.int64)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        for train, test in splits:
            inside, outside = (None if weights is None else weights[part] for part in (test, train))
            found = find(y[train], scores[train], sample_weight=outside)
            table = table + table_at_thresholds(
                y[test], scores[test], found.thresholds, labels=found.labels, sample_weight=inside
            )
        return float(kappas(table, self.weights))

    @property
    def _n_features_out(self) -> int:
        return 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        if self.estimator is None:
            tags.input_tags.one_d_array = True
            tags.input_tags.two_d_array = False
        # A single column separates the blobs of scikit-learn's checks badly.
        tags.classifier_tags.poor_score = True
        return tags


def _numbers_of(y: AnyArray, labels: Any) -> AnyArray:
    """Return what a regressor is fitted to: labels that are rising numbers, else positions."""
    order = sorted_labels(y) if labels is None else read_order(labels)
    if order.dtype.kind in "iuf" and (np.diff(order) > 0).all():
        return y.astype(np.float64)
    position = distinct(order.tolist())
    return np.array([position[label] for label in y.tolist()], np.float64)


def _scores_of(X: Any) -> AnyArray:
    """Return one column of float32 or float64."""
    refuse_masked(X=X)
    check = partial(check_array, ensure_2d=False, input_name="X", estimator="KappaRounder")
    scores: AnyArray = check(X, dtype=None)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim != 1:
        raise ValueError(
            f"X must be one column of scores, got an array of shape {scores.shape}."
            f"{hint_for_probabilities(scores.shape)} With estimator=, a regressor, KappaRounder"
            " takes features."
        )
    if scores.dtype.kind in "iu":
        return as_float64(scores, "X")
    if scores.dtype.kind == "f":
        # Of another byte order scikit-learn makes float64, whose midpoints are other ones.
        scores = scores.astype(scores.dtype.newbyteorder("="), copy=False)
    floats: AnyArray = check(scores, dtype=[np.float64, np.float32])
    return floats
