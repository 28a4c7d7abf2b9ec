"""Kappa as a scorer for model selection: what scikit-learn's ``scoring=`` takes."""

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
from fastkappa.ratings.label_order import shown, warn_of_order
from fastkappa.ratings.labels import distinct, read_labels
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, as_weights
from fastkappa.tables.confusion import confusion_counts
from fastkappa.tables.table import union_of_labels


class KappaScorer:
    """Scores the predictions of a fitted classifier by kappa.

    An object of this class goes wherever scikit-learn takes ``scoring=``: ``cross_val_score``,
    ``cross_validate`` (in a dictionary of several, too), ``GridSearchCV``,
    ``TunedThresholdClassifierCV``, ``permutation_importance``. Ready ones are ``cohen_kappa``,
    ``linear_kappa`` and ``quadratic_kappa``.

    Parameters
    ----------
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default='quadratic'
        Disagreement weights, as in `cohen_kappa_score`; rows are the true labels. A matrix
        needs ``labels``.
    labels : array-like of shape (l,), default=None
        All labels, in order. None takes the order that ``y`` declares, as an ordered
        categorical does; else the classifier's ``classes_`` and the labels in ``y``, in the
        order of ``classes_`` if that is not merely sorted, and otherwise sorted: strings
        alphabetically, with a ``LabelOrderWarning``, unless all are numbers.

    Raises
    ------
    ValueError
        When it is called: if the predictions are no labels, if ``y`` or a prediction is not
        among the labels given, or if there are weights and neither labels nor ``classes_``.

    See Also
    --------
    fastkappa.compile_scorer : a function of two arrays, for loops of your own.

    Notes
    -----
    Weights are on the positions of labels. A fold where nobody has a label in the middle, and
    none is predicted, would bring its neighbours together, and its kappa would be of another
    scale: ``make_scorer(cohen_kappa_score, weights="quadratic")`` has this fault. Here all
    folds have the same labels, for each of the data is in training or in the fold.

    With scikit-learn's metadata routing, ``set_score_request(sample_weight=True)`` returns a
    scorer that asks for item weights; it does not change the one that it is called on.

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
            raise ValueError("labels must be given with a matrix of weights, to say its order.")
        self.weights = as_weights(weights, len(self.labels) if self.labels is not None else 2)
        self._request = MetadataRequest(owner=self)
        self._request.score.add_request(param="sample_weight", alias=None)

    # To a type checker it would make an attribute of whatever is misspelt.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # TunedThresholdClassifierCV takes a scorer of scikit-learn apart to score thresholds.
            if name.startswith("_") and not name.startswith("__"):
                return getattr(make_scorer(self._kappa), name)
            raise no_attribute(self, name, {})

    def __call__(self, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None) -> float:
        """Return kappa of what an estimator predicts.

        Parameters
        ----------
        estimator : object
            A fitted classifier, or whatever has a ``predict`` that gives labels.
        X : array-like
            What it predicts from.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Item weights.

        Returns
        -------
        kappa : float
            NaN where it is undefined.
        """
        predictions = estimator.predict(X)
        _refuse_numbers(predictions, estimator)
        labels = self._labels_for(estimator, y, predictions)
        return self._kappa(y, predictions, sample_weight=sample_weight, labels=labels)

    def _kappa(
        self, y: Any, predictions: Any, *, sample_weight: Any = None, labels: Any = None
    ) -> float:
        """Return kappa of predictions; without labels the order is the scorer's own."""
        labels = self.labels if labels is None else labels
        counts = confusion_counts(y, predictions, labels=labels, sample_weight=sample_weight)
        if counts.n_outside:
            occurring = confusion_counts(y, predictions).labels.tolist()
            outside = [label for label in occurring if label not in counts.labels.tolist()]
            raise ValueError(
                f"y or the predictions hold {outside[0]!r}, which is not among the labels"
                f" {shown(counts.labels)}."
            )
        return float(kappas(counts.table, self.weights))

    def set_score_request(self, *, sample_weight: bool | str | None) -> KappaScorer:
        """Return a scorer that asks for item weights, or declines them.

        Parameters
        ----------
        sample_weight : bool, str or None
            True asks for them, False declines them, a string asks for them by another name,
            None raises where they are passed.

        Returns
        -------
        scorer : KappaScorer
        """
        scorer = copy.copy(self)
        scorer._request = MetadataRequest(owner=scorer)
        scorer._request.score.add_request(param="sample_weight", alias=sample_weight)
        return scorer

    def get_metadata_routing(self) -> Any:
        """Return what scikit-learn asks for: the metadata that this scorer wants."""
        return self._request

    def __repr__(self) -> str:
        weights = self.weights.tolist() if isinstance(self.weights, np.ndarray) else self.weights
        labels = "" if self.labels is None else f", labels={self.labels.tolist()}"
        return f"KappaScorer(weights={weights!r}{labels})"

    def _labels_for(self, estimator: Any, y: Any, predictions: Any) -> AnyArray | None:
        """Return the labels in order; None where the ratings' own will do."""
        if self.labels is not None:
            return self.labels
        if self.weights is None or read_column(y, "y").declared is not None:
            return None
        classes = getattr(estimator, "classes_", None)
        if classes is None:
            raise ValueError(
                f"{type(estimator).__name__} has no classes_, so a fold may lack some labels, and"
                f" their positions differ: use KappaScorer(weights={self.weights!r}, labels=...)."
            )
        classes = read_labels(classes)
        occurring = confusion_counts(y, predictions).labels
        everything = union_of_labels([classes, occurring])
        is_sorted = classes.tolist() == sorted(classes.tolist())
        if not is_sorted and len(everything) == len(classes):
            return classes
        warn_of_order(everything, f"weights={self.weights!r}", users_stacklevel())
        return everything


def _refuse_numbers(predictions: Any, estimator: Any) -> None:
    column = read_column(predictions, "predictions")
    if column.obstacle in ("continuous", "continuous-multioutput"):
        values = np.asarray(column.values).reshape(-1)
        real = values[values != np.rint(values)][0]
        name = type(estimator).__name__
        raise ValueError(
            f"kappa needs labels, and {name} predicts real numbers such as {real:.6g}: wrap {name}"
            " in fastkappa.estimators.KappaRounder, which makes labels of them, or use"
            " fastkappa.measurements.continuous_kappa."
        )


cohen_kappa = KappaScorer(weights=None)
linear_kappa = KappaScorer(weights="linear")
quadratic_kappa = KappaScorer(weights="quadratic")
