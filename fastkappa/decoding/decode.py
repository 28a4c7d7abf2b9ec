"""From class probabilities, choose the labels with the highest expected kappa."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.decoding.items.probabilities import Probabilities, read_probabilities
from fastkappa.decoding.label_programme import solve
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.formatting import figure
from fastkappa.frame import data_frame
from fastkappa.ratings.enums import order_of_members
from fastkappa.ratings.item_weights import in_given_weights
from fastkappa.ratings.label_order import warn_of_order
from fastkappa.ratings.labels import (
    distinct,
    names_in_order,
    names_of_columns,
    order_of_columns,
    read_labels,
)
from fastkappa.ratings.missing import given_labels
from fastkappa.results.report import Report, counts_grid
from fastkappa.results.result import Result
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, disagreement_matrix, what_needs_order


@dataclass(frozen=True, eq=False, repr=False)
class DecodingResult(Result):
    """The labels with the highest expected kappa, and the costs for labelling new items.

    Attributes
    ----------
    predictions : ndarray of shape (n,)
        The label chosen for each item, taken from ``labels``.
    kappa : float
        The expected kappa, computed from ``table``. It is valid only if the probabilities
        are calibrated.
    table : ndarray of shape (l, l)
        The expected confusion matrix, as float64. ``table[i, j]`` is the expected number of items
        with true label i that are given label j. With item weights, it is the expected sum of the
        weights of these items.
    costs : ndarray of shape (l, l)
        ``costs[i, j]`` is the cost of giving label j to an item with true label i. The expected
        costs are ``probabilities @ costs``, and each item gets the label with the lowest expected
        cost.
    labels : ndarray of shape (l,)
        The labels, in order. If the probabilities are an array and no labels were given, the labels
        are 0, 1, 2, ...
    """

    predictions: AnyArray
    kappa: float
    table: FloatTable
    costs: FloatTable
    labels: AnyArray

    def predict(self, probabilities: Any) -> AnyArray:
        """Return a label for each new item.

        The label of an item does not depend on the other items.

        Parameters
        ----------
        probabilities : array-like of shape (n, l)
            Probabilities with one row per item and one column per label, as in
            `decode_probabilities`.

        Returns
        -------
        labels : ndarray of shape (n,)
            The chosen labels.
        """
        items, _ = read_labelled(probabilities, self.labels)
        return self.labels[cheapest_labels(items, self.costs)]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per label.

        The column ``expected`` contains the expected number of items with each true label, given
        the probabilities. The column ``given`` contains the number of items that were given each
        label. With item weights, both columns contain sums of weights.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        columns = {"expected": self.table.sum(axis=1), "given": self.table.sum(axis=0)}
        return data_frame(columns, ("label", self.labels.tolist()))

    def _report(self) -> Report:
        axes = "Expected counts of true labels", "the labels given"
        return Report(
            [
                f"Labels of {len(self.predictions)} items with the highest expected kappa,"
                f" {figure(self.kappa)} if the probabilities are right"
            ],
            counts_grid(self.labels, self.table.round(1), axes=axes),
        )

    def __repr__(self) -> str:
        n_items, n_labels = len(self.predictions), len(self.labels)
        return (
            f"<DecodingResult: {n_items} items, {n_labels} labels, expected kappa"
            f" {figure(self.kappa)}>"
        )


def decode_probabilities(
    probabilities: Any,
    *,
    weights: Weights = "quadratic",
    labels: Any = None,
    sample_weight: Any = None,
) -> DecodingResult:
    """Choose a label for each item so that the expected kappa is as high as possible.

    Choosing the most likely label for each item maximises the expected accuracy, not the expected
    kappa. True labels are not needed, but the probabilities must be calibrated. If you have true
    labels for held-out items, use `fastkappa.estimators.KappaDecoder`, which calibrates the
    probabilities first.

    If ``probabilities`` is an array, the labels are 0, 1, 2, ... unless ``labels`` is given. For
    grades from 1 to 5, pass ``labels=[1, 2, 3, 4, 5]`` or the ``classes_`` of the classifier.

    Parameters
    ----------
    probabilities : array-like of shape (n, l)
        The value in row i, column j is the probability that item i has label j. There must be at
        least two columns, and the sum of each row must be within 0.001 of 1. Float arrays of any
        precision and byte order are accepted, as are pandas, polars and pyarrow data frames. The
        data are read in place, block by block.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default='quadratic'
        Disagreement weights, as in `cohen_kappa_score`. If ``weights`` is a matrix, its rows
        correspond to the true labels.
    labels : array-like of shape (l,), default=None
        The labels of the columns, in order. By default, the labels are the column names of a data
        frame, or 0, 1, 2, ... for an array. If the columns of a data frame are named after the
        labels, the columns can be in any order. A column name such as ``"1"`` also matches the
        number 1. The columns of scikit-learn's ``predict_proba`` are in the order of ``classes_``,
        where strings are sorted alphabetically.
    sample_weight : array-like of shape (n,), default=None
        Non-negative item weights. An item with weight 0 gets a label, but does not affect the
        labels of other items.

    Returns
    -------
    result : DecodingResult
        The chosen labels and the expected kappa. If all items have the same label with probability
        1, kappa is undefined. In this case, ``kappa`` is NaN and an ``UndefinedMetricWarning`` is
        issued.

    Raises
    ------
    ValueError
        If probabilities are negative or not finite, if a row does not sum to 1, or if there is only
        one column. An error is also raised if the number of labels differs from the number of
        columns, if only some of the labels are column names of the data frame, or if weights are
        invalid.

    Warns
    -----
    LabelOrderWarning
        If the weights depend on the order of the labels, but the labels are strings in alphabetical
        order that were taken from column names or from an array such as ``classes_``. A list or
        tuple of labels is assumed to be in the intended order.

    Notes
    -----
    The expected kappa is computed from the expected table: it is a ratio of expectations, not the
    expectation of the ratio. The ratio of expectations and the expectation of the ratio differ by a
    term of order 1 / n.

    The returned labels have the highest expected kappa of all possible assignments of labels to
    items. Dinkelbach's method for fractional programming finds this optimum in a few passes over
    the items. With quadratic weights, each item gets the label whose position is nearest to
    ``mean + (E - mean) / kappa``. Here, E is the expected position of the item's label, and
    ``mean`` is the mean of E over all items.

    If all items have the same probabilities, no assignment of labels has an expected kappa above 0.
    In this case, each item gets the label with the lowest expected disagreement.

    References
    ----------
    W. Dinkelbach (1967). On nonlinear fractional programming. Management Science 13, 492-498.

    H. Narasimhan, H. G. Ramaswamy, A. Saha and S. Agarwal (2015). Consistent multiclass
    algorithms for complex performance measures. Proceedings of the 32nd International
    Conference on Machine Learning, PMLR 37, 2398-2407.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa import decode_probabilities
    >>> probabilities = np.array(
    ...     [[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.4, 0.4, 0.2], [0.1, 0.4, 0.5]]
    ... )
    >>> result = decode_probabilities(probabilities, labels=["bad", "good", "best"])
    >>> result.predictions
    array(['bad', 'bad', 'good', 'good', 'best'], dtype='<U4')
    >>> round(result.kappa, 3)
    0.362
    >>> probabilities.argmax(axis=1)
    array([0, 0, 1, 0, 2])
    >>> result.predict([[0.3, 0.3, 0.4]])
    array(['good'], dtype='<U4')
    """
    items, names = read_labelled(probabilities, labels, sample_weight)
    warn_of_labels(names, weights, is_known=isinstance(labels, (list, tuple)))
    solution = solve(items, disagreement_matrix(weights, items.n_labels))
    table = in_given_weights(solution.table, items.weight_scale)
    kappa = float(kappas(solution.table, weights))
    if math.isnan(kappa):
        warnings.warn(
            "kappa is undefined because all items have the same label with probability 1, or"
            " because no disagreement is expected by chance.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    return DecodingResult(
        predictions=names[solution.given],
        kappa=kappa,
        table=table,
        costs=solution.costs,
        labels=names,
    )


def cheapest_labels(items: Probabilities, costs: FloatTable) -> AnyArray:
    """Return, for each item, the position of the label with the lowest expected cost."""
    given = np.empty(len(items.values), np.min_scalar_type(items.n_labels - 1))
    items.cheapest(costs, given)
    return given


def read_labelled(
    probabilities: Any, labels: Any, sample_weight: Any = None
) -> tuple[Probabilities, AnyArray]:
    """Return the probabilities and the labels of their columns, in label order."""
    items = read_probabilities(probabilities, sample_weight)
    columns = names_of_columns(probabilities)
    if labels is None:
        names = (
            np.arange(items.n_labels) if columns is None else read_labels(names_in_order(columns))
        )
    else:
        names = read_order(labels)
    distinct(names.tolist())
    if len(names) != items.n_labels:
        raise ValueError(
            f"labels must have one label for each of the {items.n_labels} columns of"
            f" probabilities, got {len(names)}: {names.tolist()}."
        )
    if columns is not None:
        items = items._replace(order=order_of_columns(columns, names.tolist(), "probabilities"))
    return items, names


def warn_of_labels(labels: AnyArray, weights: Weights, *, is_known: bool) -> None:
    """Warn if weights depend on a label order that is merely alphabetical or probably wrong."""
    needs_order = what_needs_order(weights)
    if needs_order is not None:
        is_known = is_known or sorted(labels.tolist(), key=str) != labels.tolist()
        warn_of_order(labels, needs_order, users_stacklevel(), is_known=is_known)


def read_order(labels: Any) -> AnyArray:
    """Return labels in the given order. Enum members are replaced by their names."""
    members = order_of_members(labels)
    names = given_labels(labels) if members is None else members.names
    distinct(names.tolist())
    return names
