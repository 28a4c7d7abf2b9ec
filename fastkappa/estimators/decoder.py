"""Labels from class probabilities, by the highest expected kappa, as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from fastkappa.arrays import AnyArray
from fastkappa.decoding.decode import (
    cheapest_labels,
    decode_probabilities,
    read_labelled,
    read_order,
    warn_if_alphabetical,
)
from fastkappa.estimators.calibration import Calibration, check_calibration
from fastkappa.estimators.out_of_fold import OutOfFoldMixin, read_target, sorted_labels
from fastkappa.exceptions import LabelOrderWarning
from fastkappa.ratings.column import read_column
from fastkappa.ratings.doubtful_labels import REMEDIES
from fastkappa.ratings.enums import names_of_members
from fastkappa.ratings.label_order import shown
from fastkappa.ratings.labels import distinct, names_of_columns
from fastkappa.ratings.read import LEAVE_OUT, judge_labels
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights
from fastkappa.thresholds.rounding import table_at_thresholds


class KappaDecoder(ClassifierMixin, OutOfFoldMixin):  # type: ignore[misc]
    """Predicts the labels with the highest expected kappa, from any classifier's probabilities.

    In `fit` the classifier predicts each training item out of fold. From these probabilities
    come the costs of the labels, as in `fastkappa.decode_probabilities`; then the classifier is
    fitted to all items. In `predict` a new item gets the label of the least expected cost.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, default=None
        None if ``X`` holds the probabilities themselves, out of sample, one column per label.
        `sklearn.frozen.FrozenEstimator` keeps a classifier fitted to other items as it is.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default='quadratic'
        Disagreement weights, as in `cohen_kappa_score`; rows are the true labels.
    labels : array-like of shape (l,), default=None
        All labels, in order; without an estimator the order of the columns. None takes the
        order that ``y`` declares, as an ordered categorical does, else the labels that occur
        in it, sorted: strings alphabetically, with a ``LabelOrderWarning``, unless all are
        numbers.
    calibration : {'temperature', 'sigmoid', 'isotonic'} or None, default='temperature'
        How the probabilities are calibrated on ``y`` before they are decoded, if it is given, by
        `sklearn.calibration.CalibratedClassifierCV`. 'temperature' needs scikit-learn 1.8.
    cv : int, splitter or iterable of (train, test), default=5
        The folds of the out-of-fold probabilities, or the number of folds stratified by label.
        Not used without an estimator.

    Attributes
    ----------
    classes_ : ndarray of shape (l,)
        The labels, in order.
    costs_ : ndarray of shape (l, l)
        Row i, column j is the cost of label j for an item of label i. The label of an item is
        the one whose expected cost is the least.
    expected_kappa_ : float
        The kappa to expect of the training items if their probabilities are right.
    oof_kappa_ : float
        Kappa of ``y`` and the labels from the out-of-fold probabilities: an estimate for new
        items. Not set where ``y`` was not given.
    estimator_ : classifier
        Fitted to all items. Not set without an estimator.
    n_features_in_ : int
        Number of features seen in `fit`, if the estimator says so.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X has strings for them, if the estimator says so.

    Raises
    ------
    ValueError
        In `fit`, if a parameter is invalid, a label is missing from ``labels``, or calibration
        meets a label that has a probability and does not occur in ``y``. In all methods, if X
        must hold probabilities and does not.

    See Also
    --------
    fastkappa.decode_probabilities : the labels of given probabilities, without scikit-learn.
    fastkappa.estimators.KappaRounder : labels from the scores of a regression.

    Notes
    -----
    Any number of threads may use a fitted decoder at the same time, but none while it is
    fitted again.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fastkappa.estimators import KappaDecoder
    >>> X, y = load_iris(return_X_y=True)
    >>> decoder = KappaDecoder(LogisticRegression(max_iter=1000)).fit(X[:, :2], y)
    >>> decoder.predict(X[:3, :2])
    array([0, 0, 0])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        weights: Weights = "quadratic",
        labels: Any = None,
        calibration: Literal["temperature", "sigmoid", "isotonic"] | None = "temperature",
        cv: Any = 5,
    ) -> None:
        self.estimator = estimator
        self.weights = weights
        self.labels = labels
        self.calibration = calibration
        self.cv = cv

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None
    ) -> KappaDecoder:
        """Find the costs of the labels, and fit the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features, as the estimator takes them; without an estimator, probabilities of shape
            (n_samples, l).
        y : array-like of shape (n_samples,), default=None
            Labels. Without an estimator they may be left out: there is no calibration then.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights, not negative; the estimator's too, if its ``fit`` takes them.
        groups : array-like of shape (n_samples,), default=None
            The group of each item, for a ``cv`` that keeps groups together.

        Returns
        -------
        self : KappaDecoder
            The fitted decoder.
        """
        check_calibration(self.calibration)
        if y is None and self.estimator is not None:
            raise ValueError("KappaDecoder requires y to be passed, but the target y is None.")
        self._forget("calibration_")
        order = None if self.labels is None else read_order(self.labels)
        if y is not None:
            given, y = y, read_target(y)
            check_consistent_length(X, y)
            remedies = REMEDIES._replace(odd_strings=LEAVE_OUT)
            meant, is_declared = judge_labels({"y": read_column(given, "y")}, order, remedies)
            if is_declared:
                order = meant.names
        if self.estimator is None:
            probabilities = self._read_given(X, y, order)
        else:
            probabilities = self._out_of_fold(X, y, order, sample_weight, groups)
        if order is None:
            warn_if_alphabetical(self.classes_, self.weights)
        codes = None if y is None else self._codes_of(y)
        if self.estimator is None and codes is not None:
            _check_columns(probabilities, codes, self.classes_)
        if self.calibration is not None and codes is not None:
            self.calibration_ = Calibration(self.calibration, probabilities, codes, sample_weight)
            probabilities = self.calibration_.apply(probabilities)
        found = decode_probabilities(
            probabilities, weights=self.weights, sample_weight=sample_weight
        )
        self.costs_, self.expected_kappa_ = found.costs, found.kappa
        if codes is not None:
            self.oof_kappa_ = self._kappa(y, found.predictions, sample_weight)
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the label of each item, which does not depend on the other items.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            As in `fit`.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        # Before `fit` there are no classes_ either: positions first, which say so.
        positions = self._positions(X)
        labels: AnyArray = self.classes_[positions]
        return labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return kappa of the predictions, not their accuracy.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
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
        return self._kappa(names_of_members(y), self._positions(X), sample_weight)

    def _read_given(self, X: Any, y: AnyArray | None, order: AnyArray | None) -> AnyArray:
        """Return the probabilities in X in the order of ``classes_``, and set this."""
        if order is None and y is not None:
            order = sorted_labels(y)
            names = names_of_columns(X)
            if names is not None and set(order.tolist()) <= set(names):
                order = None
        items, self.classes_ = read_labelled(X, order)
        self._column_order = items.order
        validate_data(self, X, skip_check_array=True)
        return items.in_order()

    def _out_of_fold(
        self, X: Any, y: AnyArray, order: AnyArray | None, sample_weight: Any, groups: Any
    ) -> AnyArray:
        """Return out-of-fold probabilities, set ``classes_``, and fit the estimator."""
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"estimator must have predict_proba, got {self.estimator!r}. KappaRounder takes"
                " the scores of a regression."
            )
        self.classes_ = sorted_labels(y) if order is None else order
        if len(self.classes_) == 1:
            raise ValueError(
                f"y must have labels of more than one class, got {self.classes_.tolist()[0]!r}"
                " alone."
            )
        probabilities, _ = self._fit_out_of_fold(X, y, y, "predict_proba", sample_weight, groups)
        self._columns = self._positions_of(np.unique(y))
        return self._placed(probabilities)

    def predict_proba(self, X: Any) -> AnyArray:
        """Return the probabilities that labels are decoded from: calibrated, if they are.

        The label of `predict` need not be the likeliest one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            As in `fit`.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, l)
            In the order of ``classes_``.
        """
        check_is_fitted(self)
        if self.estimator is None:
            validate_data(self, X, skip_check_array=True, reset=False)
            items, _ = read_labelled(X, self.classes_)
            if names_of_columns(X) is None:
                # An array has its columns as `fit` had them.
                items = items._replace(order=self._column_order)
            probabilities = items.in_order()
        else:
            probabilities = self._placed(self.estimator_.predict_proba(X))
        calibration: Calibration | None = getattr(self, "calibration_", None)
        return probabilities if calibration is None else calibration.apply(probabilities)

    def _positions(self, X: Any) -> AnyArray:
        """Return the position of each item's label among ``classes_``."""
        probabilities = self.predict_proba(X)
        return cheapest_labels(read_labelled(probabilities, self.classes_)[0], self.costs_)

    def _placed(self, probabilities: AnyArray) -> AnyArray:
        """Return the estimator's probabilities with a column for each of ``classes_``."""
        placed = np.zeros((len(probabilities), len(self.classes_)))
        placed[:, self._columns] = probabilities
        return placed

    def _positions_of(self, labels: AnyArray) -> AnyArray:
        """Return the positions of labels among ``classes_``."""
        positions = distinct(self.classes_.tolist())
        for label in labels.tolist():
            if label not in positions:
                raise ValueError(
                    f"y holds {label!r}, which is not among the labels {self.classes_.tolist()}."
                )
        return np.array([positions[label] for label in labels.tolist()])

    def _codes_of(self, y: AnyArray) -> AnyArray:
        """Return the position of each label of y."""
        labels, inverse = np.unique(y, return_inverse=True)
        codes: AnyArray = self._positions_of(labels)[inverse]
        return codes

    def _kappa(self, y: Any, positions: AnyArray, sample_weight: Any) -> float:
        """Return kappa of labels and the positions of those given."""
        half_points = np.arange(1, len(self.classes_)) - 0.5
        table = table_at_thresholds(
            y,
            positions.astype(np.float64),
            half_points,
            labels=self.classes_,
            sample_weight=sample_weight,
        )
        return float(kappas(table, self.weights))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.estimator is not None
        return tags


def _check_columns(probabilities: AnyArray, codes: AnyArray, labels: AnyArray) -> None:
    """Warn if the labels would fit the columns better if these were in sorted order."""
    rank = np.argsort(np.argsort(labels))
    items = np.arange(len(codes))
    if probabilities[items, rank[codes]].mean() > probabilities[items, codes].mean():
        warnings.warn(
            "the columns of X seem to be in sorted order, as those of scikit-learn's"
            f" predict_proba, and not in that of the labels, {shown(labels)}: in sorted order the"
            " labels in y have the higher probabilities. Give one column per label, in order.",
            LabelOrderWarning,
            stacklevel=3,
        )
