"""Labels from scores, by thresholds that maximise kappa, as a scikit-learn estimator."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import check_cv
from sklearn.utils import assert_all_finite, check_array, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from fastkappa.arrays import AnyArray
from fastkappa.ratings.column import read_column, refuse_masked
from fastkappa.ratings.enums import names_of_members
from fastkappa.ratings.interop import warn_of_row_order
from fastkappa.ratings.real_numbers import as_float64, hint_for_probabilities
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights
from fastkappa.thresholds.rounding import Method, Rounding, find_rounding, table_at_thresholds


class KappaRounder(
    TransformerMixin,  # type: ignore[misc]
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Rounds scores to labels at the thresholds that maximise kappa.

    Scores are the predictions of a regression. Fit on out-of-sample scores, such as those of
    `sklearn.model_selection.cross_val_predict`.

    Parameters
    ----------
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
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default='quadratic'
        Disagreement weights, as in `cohen_kappa_score`; rows are the true labels.
    labels : array-like of shape (l,), default=None
        All labels, in order. None takes the order that ``y`` declares, as an ordered
        categorical does, else the labels that occur in it, sorted: strings alphabetically,
        with a ``LabelOrderWarning``, unless all are numbers.
    n_resamples : int, default=100
        Number of bootstrap resamples of 'bagged'.
    cv : int, splitter, iterable of (train, test) or None, default=5
        The folds for ``oof_kappa_``, or the number of folds stratified by label. None
        leaves it out.
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
    classes_ : ndarray of shape (l,)
        The labels, in order.
    n_features_in_ : int
        1: the scores.

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
    """

    def __init__(
        self,
        method: Method = "spline",
        *,
        weights: Weights = "quadratic",
        labels: Any = None,
        n_resamples: int = 100,
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.weights = weights
        self.labels = labels
        self.n_resamples = n_resamples
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KappaRounder:
        """Find the thresholds.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
            Scores, finite.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights, not negative. Items of weight 0 are left out.

        Returns
        -------
        self : KappaRounder
            The fitted rounder.
        """
        scores = _scores_of(X)
        if y is None:
            raise ValueError("KappaRounder requires y to be passed, but the target y is None.")
        refuse_masked(y=y)
        warn_of_row_order({"X": X, "y": y})
        given, y = y, column_or_1d(names_of_members(y), warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        labels = self.labels
        if labels is None:
            order = read_column(given, "y").declared
            labels = None if order is None else order.names
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        find = partial(
            find_rounding,
            method=self.method,
            weights=self.weights,
            n_resamples=self.n_resamples,
            rng=np.random.default_rng(seed),
        )
        counted = self.cv is None or isinstance(self.cv, Integral)
        found = find(
            y,
            scores,
            labels=labels,
            sample_weight=sample_weight,
            n_folds=self.cv if counted else None,
        )
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
        self.n_features_in_ = 1
        self.__dict__.pop("oof_kappa_", None)
        if found.oof_kappa is not None:
            self.oof_kappa_ = found.oof_kappa
        if not counted:
            find = partial(find, labels=self.classes_, n_folds=None)
            self.oof_kappa_ = self._kappa_of_splits(find, scores, y, sample_weight)
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the label of each score.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
            Scores, finite.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        given = np.searchsorted(self.thresholds_, _scores_of(X), side="right")
        labels: AnyArray = self.classes_[given]
        return labels

    def transform(self, X: Any) -> AnyArray:
        """Return the label of each score, in the shape of the scores.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
            Scores, finite.

        Returns
        -------
        labels : ndarray of the shape of X
        """
        return self.predict(X).reshape(np.shape(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return kappa of the predictions, not their accuracy.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or (n_samples, 1)
            Scores, finite.
        y : array-like of shape (n_samples,)
            True labels, all of them among ``classes_``.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights, not negative.

        Returns
        -------
        kappa : float
            With the ``weights`` given; NaN where it is undefined.
        """
        check_is_fitted(self)
        table = table_at_thresholds(
            names_of_members(y),
            _scores_of(X),
            self.thresholds_,
            labels=self.classes_,
            sample_weight=sample_weight,
        )
        return float(kappas(table, self.weights))

    def _kappa_of_splits(
        self, find: Callable[..., Rounding], scores: AnyArray, y: AnyArray, sample_weight: Any
    ) -> float:
        """Return the out-of-fold kappa for the folds that the user gave."""
        table = np.zeros((len(self.classes_),) * 2, np.int64)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        splits = list(check_cv(self.cv, y, classifier=True).split(scores, y))
        if not splits:
            raise ValueError("cv must divide the items at least once, got no folds.")
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
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        # A single column separates the blobs of scikit-learn's checks badly.
        tags.classifier_tags.poor_score = True
        return tags


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
            f"{hint_for_probabilities(scores.shape)}"
        )
    if scores.dtype.kind in "iu":
        return as_float64(scores, "X")
    if scores.dtype.kind == "f":
        # Of another byte order scikit-learn makes float64, whose midpoints are other ones.
        scores = scores.astype(scores.dtype.newbyteorder("="), copy=False)
    floats: AnyArray = check(scores, dtype=[np.float64, np.float32])
    return floats
