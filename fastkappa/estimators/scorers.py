"""Kappa scorers to pass as ``scoring=`` to scikit-learn's model selection tools."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import make_scorer
from sklearn.utils.metadata_routing import MetadataRequest

from fastkappa.arrays import AnyArray
from fastkappa.choices import no_attribute
from fastkappa.exceptions import users_stacklevel
from fastkappa.ratings.column import read_column
from fastkappa.ratings.enums import names_of_members
from fastkappa.ratings.label_order import shown, warn_of_order
from fastkappa.ratings.labels import distinct, read_labels
from fastkappa.ratings.real_numbers import warn_of_codes_among_labels
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, as_weights, what_needs_order
from fastkappa.tables.count import confusion_counts, unjudged_counts
from fastkappa.tables.doubtful_tables import warn_of_end
from fastkappa.tables.table import union_of_labels


class KappaScorer:
    """Score the predictions of a fitted classifier by kappa.

    Pass an instance of this class as ``scoring=`` to scikit-learn's ``cross_val_score``,
    ``cross_validate`` (alone or in a dictionary of scorers), ``GridSearchCV``,
    ``TunedThresholdClassifierCV`` or ``permutation_importance``. Three ready-made scorers are
    available: ``cohen_kappa``, ``linear_kappa`` and ``quadratic_kappa``.

    Parameters
    ----------
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default='quadratic'
        Disagreement weights, as in `cohen_kappa_score`. If ``weights`` is a matrix, its rows
        correspond to the true labels, and ``labels`` is required.
    labels : array-like of shape (l,), default=None
        All labels, in order. By default, the labels are in the order that the type of ``y``
        declares, as an ordered categorical does. If ``y`` declares no order, the labels are those
        in the classifier's ``classes_`` and in ``y``. They are sorted, unless ``classes_`` contains
        all of them in another order, in which case that order is kept. Strings are sorted by value
        if all of them are numbers. Otherwise, they are sorted alphabetically, and a
        ``LabelOrderWarning`` is issued if the weights depend on the order.

    Raises
    ------
    ValueError
        When the scorer is called, if the predictions are not labels, if ``y`` or the predictions
        contain a label that is not in ``labels``, or if weights are used but neither ``labels`` nor
        ``classes_`` exists.

    See Also
    --------
    fastkappa.compile_scorer : Compile a kappa function of two arrays, for use in loops.

    Notes
    -----
    Disagreement weights depend on the positions of the labels. If a middle label occurs neither in
    a fold's ``y`` nor in its predictions, the labels on either side become neighbours, and the
    kappa of this fold cannot be compared with the kappas of other folds.
    ``make_scorer(cohen_kappa_score, weights="quadratic")`` has this flaw. With `KappaScorer`, all
    folds use the same labels, because the labels are taken from the training items and from the
    fold.

    With scikit-learn's metadata routing, ``set_score_request(sample_weight=True)`` returns a
    new scorer that requests item weights. The original scorer does not change.

    Examples
    --------
    >>> from fastkappa.estimators import quadratic_kappa
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> cross_val_score(tree, X, y, scoring=quadratic_kappa).round(2)
    array([0.95, 0.73, 0.91, 0.93, 0.89])
    """

    def __init__(self, *, weights: Weights = "quadratic", labels: Any = None) -> None:
        self.labels = None if labels is None else read_labels(labels).copy()
        if self.labels is not None:
            distinct(self.labels.tolist())
            weights = as_weights(weights, len(self.labels))
        elif weights is not None and not isinstance(weights, str):
            raise ValueError(
                "labels must be given if weights is a matrix, because they define the order of its"
                " rows and columns."
            )
        self.weights = as_weights(weights, len(self.labels) if self.labels is not None else 2)
        self._request = MetadataRequest(owner=self)
        self._request.score.add_request(param="sample_weight", alias=None)

    # `__getattr__` is hidden from type checkers, which would otherwise accept any misspelt
    # attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # TunedThresholdClassifierCV reads private attributes that only scikit-learn's own
            # scorers have.
            if name.startswith("_") and not name.startswith("__"):
                return getattr(make_scorer(self._kappa), name)
            raise no_attribute(self, name, {})

    def __call__(self, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None) -> float:
        """Return the kappa of an estimator's predictions.

        Parameters
        ----------
        estimator : object
            A fitted classifier, or any object with a ``predict`` method that returns labels.
        X : array-like
            Features, passed to ``predict``.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights.

        Returns
        -------
        kappa : float
            The kappa between ``y`` and the predictions, or NaN if kappa is undefined.
        """
        predictions = estimator.predict(X)
        known = getattr(estimator, "classes_", None) if self.labels is None else self.labels
        _refuse_numbers(predictions, estimator, known)
        labels = self._labels_for(estimator, y, predictions)
        return self._kappa(y, predictions, sample_weight=sample_weight, labels=labels)

    def _kappa(
        self, y: Any, predictions: Any, *, sample_weight: Any = None, labels: Any = None
    ) -> float:
        """Return the kappa of predictions, by default with the scorer's own labels."""
        labels = self.labels if labels is None else labels
        return kappa_of(y, predictions, labels, self.weights, sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None) -> KappaScorer:
        """Return a scorer that requests or declines item weights.

        Parameters
        ----------
        sample_weight : bool, str or None
            True requests the weights, False declines the weights, and a string requests them under
            that name. With None, passing weights raises an error.

        Returns
        -------
        scorer : KappaScorer
        """
        scorer = copy.copy(self)
        scorer._request = MetadataRequest(owner=scorer)
        scorer._request.score.add_request(param="sample_weight", alias=sample_weight)
        return scorer

    def get_metadata_routing(self) -> Any:
        """Return the metadata that this scorer requests from scikit-learn."""
        return self._request

    def __repr__(self) -> str:
        weights = self.weights.tolist() if isinstance(self.weights, np.ndarray) else self.weights
        labels = "" if self.labels is None else f", labels={self.labels.tolist()}"
        return f"KappaScorer(weights={weights!r}{labels})"

    def _labels_for(self, estimator: Any, y: Any, predictions: Any) -> AnyArray | None:
        """Return the labels in order, or None if they are to be read from the ratings."""
        if self.labels is not None:
            why = what_needs_order(self.weights)
            if why is not None:
                warn_of_order(read_labels(self.labels), why, users_stacklevel(), is_known=True)
            return self.labels
        classes = getattr(estimator, "classes_", None)
        if classes is not None and is_fractional(np.asarray(classes)):
            return read_labels(classes)
        if read_column(y, "y").declared is not None or (classes is None and self.weights is None):
            return None
        if classes is None:
            raise ValueError(
                f"{type(estimator).__name__} has no classes_, so its labels are unknown, and a fold"
                f" can lack some of them. Use KappaScorer(weights={self.weights!r}, labels=...)."
            )
        classes = read_labels(classes)
        found = unjudged_counts(y, predictions)
        everything = union_of_labels([classes, found.labels])
        # If a fold lacks some labels, a regular label can look like a special code for a missing
        # rating. All known labels are therefore checked.
        if not warn_of_codes_among_labels(everything):
            warn_of_end(found.labels, found.table, ("y", "predictions"))
        is_sorted = classes.tolist() == sorted(classes.tolist())
        if not is_sorted and len(everything) == len(classes):
            return classes
        if self.weights is not None:
            warn_of_order(everything, f"weights={self.weights!r}", users_stacklevel())
        return everything


def kappa_of(
    y: Any, predictions: Any, labels: Any, weights: Weights, sample_weight: Any = None
) -> float:
    """Return the kappa of y and predictions, or raise if either has a label not in ``labels``."""
    y = names_of_members(y)
    counts = confusion_counts(y, predictions, labels=labels, sample_weight=sample_weight)
    if counts.n_outside:
        occurring = confusion_counts(y, predictions).labels.tolist()
        outside = [label for label in occurring if label not in counts.labels.tolist()]
        raise ValueError(
            f"y or the predictions contain {outside[0]!r}, which is not among the labels"
            f" {shown(counts.labels)}."
        )
    return float(kappas(counts.table, weights))


def is_fractional(y: AnyArray) -> bool:
    """Return whether y contains numbers that are not whole."""
    return y.dtype.kind == "f" and bool((y != np.rint(y)).any())


def _refuse_numbers(predictions: Any, estimator: Any, known: Any) -> None:
    """Raise if predictions are fractional numbers, unless they are labels (such as half points)."""
    column = read_column(predictions, "predictions")
    if column.obstacle in ("continuous", "continuous-multioutput"):
        values = np.asarray(column.values).reshape(-1)
        if known is not None and np.isin(values, known).all():
            return
        real = values[values != np.rint(values)][0]
        name = type(estimator).__name__
        raise ValueError(
            f"kappa needs labels, but {name} predicts real numbers such as {real:.6g}. Wrap {name}"
            " in fastkappa.estimators.KappaRounder, which converts them to labels, or use"
            " fastkappa.measurements.continuous_kappa."
        )


cohen_kappa = KappaScorer(weights=None)
linear_kappa = KappaScorer(weights="linear")
quadratic_kappa = KappaScorer(weights="quadratic")
