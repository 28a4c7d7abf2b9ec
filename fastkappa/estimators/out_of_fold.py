"""Methods shared by the estimators that learn from out-of-fold predictions."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv, cross_val_predict
from sklearn.utils import (
    Bunch,
    assert_all_finite,
    column_or_1d,
    get_tags,
)
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import has_fit_parameter, validate_data

from fastkappa.arrays import AnyArray
from fastkappa.estimators.scorers import is_fractional, kappa_of
from fastkappa.ratings.column import read_column, refuse_masked
from fastkappa.ratings.enums import names_of_members
from fastkappa.ratings.interop import in_known_library, warn_of_row_order
from fastkappa.ratings.item_weights import warn_of_ids
from fastkappa.ratings.label_order import sorted_strings
from fastkappa.ratings.labels import names_of_columns
from fastkappa.ratings.lengths import is_set, length_of, not_labels
from fastkappa.statistics.weights import Weights

# For each fold, the indices of the training items and of the test items.
Splits: TypeAlias = list[tuple[AnyArray, AnyArray]]


def is_routing() -> bool:
    """Return whether scikit-learn's metadata routing is enabled."""
    return bool(get_config()["enable_metadata_routing"])


def read_target(y: Any, labels: Any) -> AnyArray:
    """Validate y, and return it as an array of labels. Enum members become their names."""
    refuse_masked(y=y)
    target: AnyArray = column_or_1d(names_of_members(in_known_library(y)), warn=True)
    assert_all_finite(target, input_name="y")
    if labels is None or not is_fractional(target):
        try:
            check_classification_targets(target)
        except ValueError as error:
            if target.dtype == object and is_set(target[0]):
                raise ValueError(not_labels("y", "unknown", target)) from None
            hint = " For fractional labels, pass labels=." if is_fractional(target) else ""
            raise ValueError(f"{error}{hint}") from None
    return target


def warn_of_rows(X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
    """Warn if the rows of the arguments differ in order, or if the groups seem to be ids."""
    warn_of_row_order({"X": X, "y": y, "sample_weight": sample_weight, "groups": groups})
    if groups is not None:
        length_of("groups", groups)
        warn_of_ids(read_column(groups, "groups"), "group")


def sorted_labels(y: AnyArray) -> AnyArray:
    """Return the distinct labels, sorted. Strings are sorted by value if all are numbers."""
    labels = np.unique(y)
    if labels.dtype.kind in "OUT":
        return np.array(sorted_strings(labels.tolist()))
    return labels


class OutOfFoldClassifier(
    MetaEstimatorMixin,  # type: ignore[misc]
    ClassifierMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Base class for classifiers with the parameters ``estimator`` and ``cv``."""

    estimator: Any
    cv: Any
    weights: Weights
    estimator_: Any
    classes_: AnyArray

    def get_metadata_routing(self) -> Any:
        """Return the metadata requests of this estimator, its inner estimator and its splitter.

        Returns
        -------
        routing : MetadataRouter
        """
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        if self.estimator is not None:
            to_fit = MethodMapping().add(caller="fit", callee="fit")
            router.add(estimator=self.estimator, method_mapping=to_fit)
            splitter = StratifiedGroupKFold() if isinstance(self.cv, Integral) else self.cv
            if hasattr(splitter, "split"):
                to_split = MethodMapping().add(caller="fit", callee="split")
                router.add(splitter=splitter, method_mapping=to_split)
        return router

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the kappa of the predictions, not their accuracy.

        Parameters
        ----------
        X : array-like or sparse matrix
            As in `fit`.
        y : array-like of shape (n_samples,)
            The true labels, which must all be in ``classes_``.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights, which must not be negative.

        Returns
        -------
        kappa : float
            Kappa, computed with the estimator's ``weights``, or NaN if kappa is undefined.
        """
        predictions = self.predict(X)
        return kappa_of(y, predictions, self.classes_, self.weights, sample_weight)

    def _fit_out_of_fold(
        self, X: Any, y: AnyArray, labels: AnyArray, method: str, sample_weight: Any, groups: Any
    ) -> tuple[AnyArray, Splits]:
        """Fit the estimator to X and y, and return its out-of-fold predictions and the folds.

        If ``cv`` is a number, the folds are stratified by ``labels`` and keep groups together.
        """
        routed = self._routed(sample_weight, groups)
        params = routed.estimator.fit
        splits = self._splits(X, labels, **routed.splitter.split)
        predicted = cross_val_predict(
            self.estimator, X, y, cv=splits, method=method, params=dict(params)
        )
        self.estimator_ = clone(self.estimator).fit(X, y, **params)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return predicted, splits

    def _predicted(self, method: str, X: Any) -> AnyArray:
        """Return the estimator's predictions, or raise if they depend on the order of the columns.

        Some estimators, such as LightGBM's, ignore the names of columns. Others select columns by
        name, so the order does not matter.
        """
        predict = getattr(self.estimator_, method)
        predicted: AnyArray = predict(X)
        names, seen = names_of_columns(X), getattr(self, "feature_names_in_", np.array([])).tolist()
        if names and names != seen and {*names} == {*seen}:
            in_order = X.select(seen) if hasattr(X, "select") else X[seen]
            if not np.array_equal(predicted, predict(in_order)):
                validate_data(self, X, reset=False, skip_check_array=True)
        return predicted

    def _splits(self, X: Any, labels: AnyArray, groups: Any = None) -> Splits:
        """Return the folds of ``cv``, or raise unless each item is in exactly one test fold."""
        if is_fractional(labels):
            # scikit-learn can stratify only by whole numbers and strings, so fractional labels are
            # replaced by codes.
            labels = np.unique(labels, return_inverse=True)[1]
        cv = self.cv
        if groups is not None and isinstance(cv, Integral):
            cv = StratifiedGroupKFold(cv)
        try:
            splits = list(check_cv(cv, labels, classifier=True).split(X, labels, groups))
        except ValueError as error:
            if groups is None and "groups" in str(error):
                raise ValueError(_without_groups(self)) from error
            raise
        if not splits:
            raise ValueError("cv must yield at least one fold, got no folds.")
        items = np.arange(len(labels))
        tested = np.concatenate([items[test] for _, test in splits])
        times = np.bincount(tested, minlength=len(items))
        if (times != 1).any():
            item = int((times != 1).argmax())
            raise ValueError(
                f"cv must test each item exactly once, but the item at position {item} is in"
                f" {times[item]} test folds of {type(self.cv).__name__}. Use a splitter such as"
                " KFold."
            )
        return splits

    def _routed(self, sample_weight: Any, groups: Any) -> Any:
        """Return the metadata to pass to the estimator's ``fit`` and the splitter's ``split``."""
        given = {"sample_weight": sample_weight, "groups": groups}
        given = {name: value for name, value in given.items() if value is not None}
        if is_routing():
            routed = process_routing(self, "fit", **given)
            return Bunch(estimator=routed.estimator, splitter=routed.get("splitter", NO_SPLITTER))
        to_fit = {
            name: value for name, value in given.items() if has_fit_parameter(self.estimator, name)
        }
        if "sample_weight" in given and "sample_weight" not in to_fit:
            warnings.warn(
                f"{type(self.estimator).__name__}.fit does not accept sample_weight, so the"
                " estimator is fitted without sample weights. Only kappa uses the sample weights.",
                stacklevel=4,
            )
        to_split = {} if groups is None else {"groups": groups}
        return Bunch(estimator=Bunch(fit=to_fit), splitter=Bunch(split=to_split))

    def _forget(self, *names: str) -> None:
        """Remove attributes set by an earlier `fit`."""
        for name in (*names, "estimator_", "feature_names_in_", "oof_kappa_", "oof_predictions_"):
            self.__dict__.pop(name, None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags


NO_SPLITTER = Bunch(split={})


def _without_groups(estimator: OutOfFoldClassifier) -> str:
    """Return the error message for a splitter that requires groups but got none."""
    return (
        f"cv={estimator.cv!r} needs groups, got none. Pass groups= to fit. In"
        " cross_val_score or GridSearchCV, use metadata routing:"
        " sklearn.set_config(enable_metadata_routing=True),"
        f" {type(estimator).__name__}(...).set_fit_request(groups=True), and then"
        " cross_val_score(..., params={'groups': groups}) or GridSearchCV(...).fit(X, y,"
        " groups=groups)."
    )
