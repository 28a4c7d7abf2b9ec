"""A scikit-learn estimator that decodes class probabilities to maximise expected kappa."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from fastkappa.arrays import AnyArray
from fastkappa.decoding.decode import (
    cheapest_labels,
    decode_probabilities,
    read_labelled,
    read_order,
    warn_of_labels,
)
from fastkappa.estimators.calibration import Calibration, check_calibration
from fastkappa.estimators.out_of_fold import (
    OutOfFoldClassifier,
    read_target,
    sorted_labels,
    warn_of_rows,
)
from fastkappa.estimators.scorers import is_fractional, kappa_of
from fastkappa.exceptions import LabelOrderWarning
from fastkappa.ratings.column import read_column
from fastkappa.ratings.doubtful_labels import REMEDIES
from fastkappa.ratings.label_order import shown
from fastkappa.ratings.labels import distinct, names_of_columns
from fastkappa.ratings.read import LEAVE_OUT, judge_labels
from fastkappa.ratings.real_numbers import warn_of_codes_among_labels
from fastkappa.statistics.weights import Weights
from fastkappa.tables.doubtful_tables import judge_table


class KappaDecoder(OutOfFoldClassifier):
    """Predict the labels with the highest expected kappa from a classifier's probabilities.

    `fit` computes out-of-fold probabilities for the training items, derives label costs from them,
    as `fastkappa.decode_probabilities` does, and then fits the classifier to all items. `predict`
    gives each new item the label with the lowest expected cost.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, default=None
        The classifier that computes the probabilities. If None, ``X`` must contain out-of-sample
        probabilities, with one column per label. To use a classifier that has already been fitted
        to other items, wrap it in `sklearn.frozen.FrozenEstimator`.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default='quadratic'
        Disagreement weights, as in `cohen_kappa_score`. If ``weights`` is a matrix, its rows
        correspond to the true labels.
    labels : array-like of shape (l,), default=None
        All labels, in order. This parameter is required if labels are fractional, such as half
        points. Without an estimator, the columns of ``X`` must be in the same order. By default,
        the labels are in the order that the type of ``y`` declares, as an ordered categorical does.
        If ``y`` declares no order, its labels are sorted. Strings are sorted by value if all of
        them are numbers. Otherwise, they are sorted alphabetically, and a ``LabelOrderWarning`` is
        issued if the weights depend on the order.
    calibration : {'temperature', 'sigmoid', 'isotonic'} or None, default='temperature'
        The method by which `sklearn.calibration.CalibratedClassifierCV` calibrates the
        probabilities before they are decoded. If None, the probabilities are not calibrated. This
        parameter is ignored if ``y`` is not given. 'temperature' requires scikit-learn 1.8 or
        later.
    cv : int, splitter or iterable of (train, test), default=5
        The folds used to compute out-of-fold probabilities. An int is the number of folds made by
        `sklearn.model_selection.StratifiedKFold` or, if there are groups, by
        `sklearn.model_selection.StratifiedGroupKFold`. As usual in scikit-learn, these folds are
        stratified by label but not shuffled, so each fold contains items from one part of the data.
        If the items are sorted, for example by date or file, pass
        ``StratifiedKFold(5, shuffle=True, random_state=0)``. This parameter is ignored without an
        estimator.

    Attributes
    ----------
    classes_ : ndarray of shape (l,)
        The labels, in order.
    costs_ : ndarray of shape (l, l)
        ``costs_[i, j]`` is the cost of predicting label j for an item whose true label is i. Each
        item gets the label with the lowest expected cost.
    expected_kappa_ : float
        The expected kappa on the training items, assuming that the probabilities are calibrated.
    oof_kappa_ : float
        The kappa between ``y`` and ``oof_predictions_``, which is an estimate of the kappa on new
        items. The calibration and the costs use all items, so ``oof_kappa_`` is too high with
        ``calibration='isotonic'`` or with few items. In these cases, compute kappa from the
        predictions of `sklearn.model_selection.cross_val_predict` instead. This attribute is not
        set if ``y`` was not given.
    oof_predictions_ : ndarray of shape (n_samples,)
        The labels decoded from the out-of-fold probabilities. To get a confidence interval for
        ``oof_kappa_``, pass ``y`` and these labels to `fastkappa.agreement`. This attribute is not
        set if ``y`` was not given.
    oof_probabilities_ : ndarray of shape (n_samples, l)
        The probabilities from which ``oof_predictions_`` were decoded, with the columns in the
        order of ``classes_``. The calibration uses all items. This attribute is not set if ``y``
        was not given.
    estimator_ : classifier
        The classifier, fitted to all items. This attribute is set only if ``estimator`` is given.
    n_features_in_ : int
        The number of features seen during `fit`, if the estimator reports it.
    feature_names_in_ : ndarray of shape (n_features,)
        The names of the features, if all column names of X are strings and the estimator reports
        them.

    Raises
    ------
    ValueError
        In `fit`, if a parameter is invalid, if ``y`` contains a label that is not in ``labels``, or
        if probabilities are calibrated and a label with a nonzero probability does not occur in
        ``y``. In all methods, if X does not contain the required probabilities.

    See Also
    --------
    fastkappa.decode_probabilities : Choose labels for given probabilities, without scikit-learn.
    fastkappa.estimators.KappaRounder : Predict labels from the scores of a regression model.

    Notes
    -----
    Several threads can use a fitted decoder at the same time, but not while it is being
    refitted.

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
        """Compute the label costs, and fit the estimator if there is one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features, in any form that the estimator accepts. Without an estimator, X contains
            probabilities and has shape (n_samples, l).
        y : array-like of shape (n_samples,), default=None
            The true labels. Without an estimator, ``y`` is optional, but the probabilities are
            calibrated only if ``y`` is given.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights, which must not be negative. The weights are also passed to the estimator
            if its ``fit`` accepts them.
        groups : array-like of shape (n_samples,), default=None
            The group of each item, such as the patient it comes from. All items of a group are in
            the same fold, unless ``cv`` is a splitter that ignores groups. The groups are also
            passed to the estimator if its ``fit`` accepts them. In ``cross_val_score`` or
            ``GridSearchCV``, groups require metadata routing and ``set_fit_request(groups=True)``.

        Returns
        -------
        self : KappaDecoder
            The fitted decoder.
        """
        check_calibration(self.calibration)
        if y is None and self.estimator is not None:
            raise ValueError("KappaDecoder requires y to be passed, but the target y is None.")
        self._forget("calibration_", "oof_probabilities_")
        warn_of_rows(X, y, sample_weight, groups)
        order = None if self.labels is None else read_order(self.labels)
        if y is not None:
            given, y = y, read_target(y, self.labels)
            check_consistent_length(X, y)
            remedies = REMEDIES._replace(odd_strings=LEAVE_OUT)
            meant, is_declared = judge_labels({"y": read_column(given, "y")}, order, remedies)
            if is_declared:
                order = meant.names
        if self.estimator is None:
            probabilities = self._read_given(X, y, order)
        else:
            probabilities = self._out_of_fold(X, y, order, sample_weight, groups)
        warn_of_labels(self.classes_, self.weights, is_known=order is not None)
        if order is None:
            warn_of_codes_among_labels(self.classes_)
        codes = None if y is None else self._codes_of(y)
        if self.estimator is None and codes is not None:
            _judge_columns(probabilities, codes, self.classes_)
        if self.calibration is not None and codes is not None:
            self.calibration_ = Calibration(self.calibration, probabilities, codes, sample_weight)
            probabilities = self.calibration_.apply(probabilities)
        found = decode_probabilities(
            probabilities, weights=self.weights, sample_weight=sample_weight
        )
        self.costs_, self.expected_kappa_ = found.costs, found.kappa
        if codes is not None:
            self.oof_probabilities_: AnyArray = probabilities
            self.oof_predictions_: AnyArray = self.classes_[found.predictions]
            self.oof_kappa_ = kappa_of(
                y, self.oof_predictions_, self.classes_, self.weights, sample_weight
            )
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the label of each item.

        The label of an item does not depend on the other items in X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            As in `fit`.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The predicted labels.
        """
        # Call `_positions` before reading classes_. If `fit` was not called, `_positions` raises
        # NotFittedError.
        positions = self._positions(X)
        labels: AnyArray = self.classes_[positions]
        return labels

    def _read_given(self, X: Any, y: AnyArray | None, order: AnyArray | None) -> AnyArray:
        """Set ``classes_``, and return the probabilities in X with columns in the same order."""
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
        """Set ``classes_``, fit the estimator, and return the out-of-fold probabilities."""
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"estimator must have predict_proba, got {self.estimator!r}. For a regression"
                " model, use KappaRounder."
            )
        self.classes_ = sorted_labels(y) if order is None else order
        if len(self.classes_) == 1:
            raise ValueError(
                f"y must contain more than one class, got only {self.classes_.tolist()[0]!r}."
            )
        # Classifiers reject fractional labels, so such labels are replaced by codes.
        target = self._codes_of(y) if is_fractional(y) else y
        probabilities, _ = self._fit_out_of_fold(
            X, target, target, "predict_proba", sample_weight, groups
        )
        occurring = np.unique(target)
        self._columns = occurring if is_fractional(y) else self._positions_of(occurring)
        return self._placed(probabilities)

    def predict_proba(self, X: Any) -> AnyArray:
        """Return the probabilities from which the labels are decoded.

        The probabilities are calibrated if ``calibration`` is not None and ``y`` was passed to
        `fit`. The label that `predict` returns is not always the most probable label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            As in `fit`.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, l)
            The probabilities. The columns are in the order of ``classes_``.
        """
        check_is_fitted(self)
        if self.estimator is None:
            validate_data(self, X, skip_check_array=True, reset=False)
            items, _ = read_labelled(X, self.classes_)
            if names_of_columns(X) is None:
                # Without column names, the columns are assumed to be in the same order as in `fit`.
                items = items._replace(order=self._column_order)
            probabilities = items.in_order()
        else:
            probabilities = self._placed(self._predicted("predict_proba", X))
        calibration: Calibration | None = getattr(self, "calibration_", None)
        return probabilities if calibration is None else calibration.apply(probabilities)

    def _positions(self, X: Any) -> AnyArray:
        """Return the predicted label of each item as a position in ``classes_``."""
        probabilities = self.predict_proba(X)
        return cheapest_labels(read_labelled(probabilities, self.classes_)[0], self.costs_)

    def _placed(self, probabilities: AnyArray) -> AnyArray:
        """Return the estimator's probabilities with one column per label in ``classes_``."""
        placed = np.zeros((len(probabilities), len(self.classes_)))
        placed[:, self._columns] = probabilities
        return placed

    def _positions_of(self, labels: AnyArray) -> AnyArray:
        """Return the positions of labels in ``classes_``."""
        positions = distinct(self.classes_.tolist())
        for label in labels.tolist():
            if label not in positions:
                raise ValueError(
                    f"y contains {label!r}, which is not among the labels {self.classes_.tolist()}."
                )
        return np.array([positions[label] for label in labels.tolist()])

    def _codes_of(self, y: AnyArray) -> AnyArray:
        """Return the label of each item in y as a position in ``classes_``."""
        labels, inverse = np.unique(y, return_inverse=True)
        codes: AnyArray = self._positions_of(labels)[inverse]
        return codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.estimator is not None
        return tags


def _judge_columns(probabilities: AnyArray, codes: AnyArray, labels: AnyArray) -> None:
    """Warn if the columns would match y better in a different order, such as sorted order."""
    rank = np.argsort(np.argsort(labels))
    items = np.arange(len(codes))
    if probabilities[items, rank[codes]].mean() > probabilities[items, codes].mean():
        warnings.warn(
            "the columns of X seem to be in sorted order, as in the output of scikit-learn's"
            " predict_proba: in that order, the probabilities fit y better. If so, rearrange the"
            f" columns in the order of the labels: {shown(labels)}.",
            LabelOrderWarning,
            stacklevel=3,
        )
        return
    table = np.zeros((len(labels), len(labels)), np.int64)
    np.add.at(table, (codes, probabilities.argmax(axis=1)), 1)
    judge_table(labels, table, names=("y", "X"), are_given=True)
