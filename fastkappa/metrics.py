"""Provide drop-in replacements for two functions of ``sklearn.metrics``.

Signatures, results, warnings and error messages match those of scikit-learn 1.9.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import invalid_parameter_error, undefined_metric_warning
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.ratings.column import (
    Column,
    check_form,
    read_column_as_sklearn,
    refuse_rounded_labels,
)
from fastkappa.ratings.interop import PLAIN
from fastkappa.ratings.item_weights import (
    check_finite_weights,
    check_some_weight,
    read_sample_weight,
)
from fastkappa.ratings.lengths import check_lengths, n_samples
from fastkappa.ratings.on_device import read_on_device
from fastkappa.ratings.read import read_columns
from fastkappa.shortcuts.loading import compiled_kappa
from fastkappa.statistics.kappa import kappa_from_moments, kappas
from fastkappa.statistics.scheme import SCHEMES
from fastkappa.statistics.weights import Weights
from fastkappa.tables.count import in_int64, tabulate
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.moments import moments_of

NAN = math.nan
EMPTY = (
    "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."
)
SINGLE_LABEL = (
    "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have"
    " the correct shape, use the 'labels' parameter to pass all known labels."
)


def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: Weights = None,
    sample_weight: Any = None,
    replace_undefined_by: float = NAN,
) -> float:
    """Compute Cohen's kappa: the agreement between two raters, corrected for chance.

    Parameters
    ----------
    y1, y2 : array-like of shape (n_samples,)
        Labels assigned by the first rater (``y1``) and by the second rater (``y2``).
    labels : array-like of shape (n_classes,), default=None
        The labels to include, in the order used by ``weights``. An item is left out if either rater
        assigned a label that is not in ``labels``. At least one label in ``labels`` must occur in
        ``y1``. By default, all labels that occur are used, in sorted order.
    weights : {'linear', 'quadratic'} or array-like of shape (n_classes, n_classes), default=None
        With None, all disagreements count equally. 'linear' weights a disagreement by the distance
        between the positions of the two labels, and 'quadratic' by the square of this distance.
        Unlike scikit-learn, this function also accepts a matrix of disagreement weights. The rows
        of the matrix correspond to the first rater's labels.
    sample_weight : array-like of shape (n_samples,), default=None
        The weight of each item.
    replace_undefined_by : float in [-1, 1] or nan, default=nan
        The value to return if kappa is undefined (0 / 0). An ``UndefinedMetricWarning`` is also
        issued in that case.

    Returns
    -------
    kappa : float
        Cohen's kappa: 1 for perfect agreement, and 0 for agreement at chance level.

    Raises
    ------
    ValueError
        If scikit-learn would reject the ratings, labels or weights; the message is the same. An
        error is also raised if ``labels`` contains a label twice, or if integers are compared with
        floats and an integer beyond 2**53 would be rounded. In both cases, scikit-learn returns a
        wrong value.

    Notes
    -----
    Kappa is computed in exact integer arithmetic, and only the final division is rounded. Sums of
    integer item weights never overflow.

    References
    ----------
    J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and
    Psychological Measurement 20, 37-46.

    J. Cohen (1968). Weighted kappa: nominal scale agreement with provision for scaled
    disagreement or partial credit. Psychological Bulletin 70, 213-220.

    Examples
    --------
    >>> from fastkappa import cohen_kappa_score
    >>> y1 = ["negative", "positive", "negative", "neutral", "positive"]
    >>> y2 = ["negative", "positive", "negative", "neutral", "negative"]
    >>> cohen_kappa_score(y1, y2)
    0.6875
    >>> cohen_kappa_score([1, 2, 3, 3], [1, 3, 3, 2], weights="quadratic")
    0.6363636363636364
    """
    if sample_weight is None and replace_undefined_by is NAN:
        compiled = compiled_kappa()
        short = None if compiled is None else compiled.kappa_of_arrays(y1, y2, weights, labels)
        if short is not None:
            return short
    _check_parameters(y1, y2, labels, weights, sample_weight, replace_undefined_by)
    missing_label = (
        "At least one label in `labels` must be present in `y1` (even though"
        " `cohen_kappa_score` is otherwise agnostic to the order of `y1` and `y2`)."
    )
    with _errors_in_order(y1, y2, sample_weight):
        ratings = _read(y1, y2, labels, sample_weight)
        is_plain = ratings.item_weights is None and ratings.first.counts is None
        if isinstance(weights, str) and weights == "quadratic" and is_plain:
            moments = moments_of(get_kernels(), ratings.first, ratings.second, ratings.known)
            kappa = math.nan if moments is None else kappa_from_moments(*moments)
            if not math.isnan(kappa):
                return kappa
        table = tabulate(
            get_kernels(), *ratings, without_first=missing_label, alphabetical=True
        ).table
    if table.shape == (1, 1):
        warnings.warn(SINGLE_LABEL, UserWarning, stacklevel=2)
    kappa = float(kappas(table, weights))
    if not math.isnan(kappa):
        return kappa
    reason = (
        "`y1`, `y2` and `labels` have only one label in common. `cohen_kappa_score` is"
        " undefined and set to the value defined by the"
        if table.sum() != 0
        else "`y2` contains no labels that are present in both `y1` and `labels`."
        "`cohen_kappa_score` is undefined and set to the value defined by"
    )
    warnings.warn(
        f"{reason} the `replace_undefined_by` param, which is set to {replace_undefined_by}.",
        undefined_metric_warning(),
        stacklevel=2,
    )
    return replace_undefined_by


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> Any:
    """Compute the confusion matrix of true and predicted labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    labels : array-like of shape (n_classes,), default=None
        The labels of the rows and columns, in order. Items whose true or predicted label is not in
        ``labels`` are left out. At least one label in ``labels`` must occur in ``y_true``. By
        default, all labels that occur are used, in sorted order.
    sample_weight : array-like of shape (n_samples,), default=None
        The weight of each item.
    normalize : {'true', 'pred', 'all'}, default=None
        What to divide the matrix by: its row sums ('true'), its column sums ('pred') or its total
        ('all'). By default, the matrix is not normalized.

    Returns
    -------
    matrix : ndarray of shape (n_classes, n_classes)
        The entry in row i and column j is the number of items whose true label is the i-th label
        and whose predicted label is the j-th label. With ``sample_weight``, it is the sum of the
        weights of these items. The dtype is float64 if item weights are floats or ``normalize`` is
        given; otherwise, it is int64. If scikit-learn's ``array_api_dispatch`` is enabled, the
        matrix is an array from the same library as ``y_true``.

    Raises
    ------
    ValueError
        If scikit-learn would reject the ratings, labels or weights; the message is the same. An
        error is also raised if ``labels`` contains a label twice, or if integers are compared with
        floats and an integer beyond 2**53 would be rounded.
    OverflowError
        If a sum of integer weights does not fit in int64.

    Examples
    --------
    >>> from fastkappa import confusion_matrix
    >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2])
    array([[2, 0, 0],
           [0, 0, 1],
           [1, 0, 2]])
    """
    _check_array_like("confusion_matrix", y_true=y_true, y_pred=y_pred)
    _check_array_like("confusion_matrix", " or None", labels=labels, sample_weight=sample_weight)
    if normalize not in (None, "true", "pred", "all"):
        _refuse_parameter(
            "confusion_matrix",
            "normalize",
            "a str among {'all', 'pred', 'true'} or None",
            normalize,
        )
    missing_label = "At least one label specified must be in y_true"
    with _errors_in_order(y_true, y_pred, sample_weight):
        ratings = _read(y_true, y_pred, labels, sample_weight)
        counts = tabulate(get_kernels(), *ratings, without_first=missing_label, alphabetical=True)
        matrix = in_int64(counts).table
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        total = matrix.sum(axis=axis, keepdims=True)
        matrix = np.divide(matrix, total, out=np.zeros(matrix.shape), where=total != 0)
    if matrix.shape == (1, 1):
        warnings.warn(SINGLE_LABEL, UserWarning, stacklevel=2)
    return _to_namespace_of(y_true, matrix)


class _Ratings(NamedTuple):
    """The validated arguments, in the form that `tabulate` requires."""

    first: Column
    second: Column
    known: KnownLabels | None
    item_weights: AnyArray | None


@contextmanager
def _errors_in_order(y_true: Any, y_pred: Any, sample_weight: Any) -> Iterator[None]:
    """If several errors apply, raise the error that scikit-learn would raise.

    scikit-learn validates each argument separately before it compares arguments. fastkappa follows
    this order only once an error has occurred.
    """
    try:
        yield
        return
    except (TypeError, ValueError, OverflowError) as error:
        found = error
    columns = {"y_true": y_true, "y_pred": y_pred}
    for ratings in columns.values():
        check_form(ratings)
    n_items = _check_lengths(y_true, y_pred, sample_weight)
    for name, ratings in columns.items():
        read_column_as_sklearn(ratings, name)
    if n_items == 0:
        raise ValueError(EMPTY)
    if sample_weight is not None:
        weights = read_sample_weight(sample_weight, n_items)
        check_finite_weights(weights)
        check_some_weight(weights)
    raise found


def _check_lengths(y_true: Any, y_pred: Any, sample_weight: Any) -> int:
    # scikit-learn's error also lists the length of the default weights (one per true label).
    default = y_true if n_samples(y_true) else None
    return check_lengths(y_true, y_pred, default if sample_weight is None else sample_weight)


def _read(y_true: Any, y_pred: Any, labels: Any, sample_weight: Any) -> _Ratings:
    n_items = _check_lengths(y_true, y_pred, sample_weight)
    if n_items == 0:
        raise ValueError(EMPTY)
    counted = None
    if sample_weight is None and type(y_true) not in PLAIN:
        counted = read_on_device({"y_true": y_true, "y_pred": y_pred}, read_column_as_sklearn)
    if counted is None:
        first, second = read_columns(y_true, y_pred, ("y_true", "y_pred"), read_column_as_sklearn)
    else:
        first, second = counted.values()
    if labels is None and first.label_dtype != second.label_dtype:
        refuse_rounded_labels([("y_true", first), ("y_pred", second)])
    return _Ratings(
        first,
        second,
        None if labels is None else KnownLabels(labels, first, second),
        None if sample_weight is None else read_sample_weight(sample_weight, n_items),
    )


def _check_parameters(
    y1: Any,
    y2: Any,
    labels: Any,
    weights: Any,
    sample_weight: Any,
    replace_undefined_by: Any,
) -> None:
    caller = "cohen_kappa_score"
    _check_array_like(caller, y1=y1, y2=y2)
    _check_array_like(caller, " or None", labels=labels)
    named = weights is None or isinstance(weights, str)
    if not (weights in (None, *SCHEMES) if named else _is_matrix(weights)):
        names = ", ".join(map(repr, SCHEMES))
        _refuse_parameter(caller, "weights", f"a str among {{{names}}} or None", weights)
    _check_array_like(caller, " or None", sample_weight=sample_weight)
    if not isinstance(replace_undefined_by, Real) or not (
        -1 <= float(replace_undefined_by) <= 1 or math.isnan(replace_undefined_by)
    ):
        _refuse_parameter(
            caller,
            "replace_undefined_by",
            "a float in the range [-1.0, 1.0] or numpy.nan",
            replace_undefined_by,
        )


def _check_array_like(caller: str, or_none: str = "", **arrays: Any) -> None:
    for name, array in arrays.items():
        if or_none and array is None:
            continue
        sized = hasattr(array, "__len__") or hasattr(array, "shape") or hasattr(array, "__array__")
        # As in scikit-learn, a sparse matrix is not array-like.
        if not sized or np.isscalar(array) or hasattr(array, "toarray"):
            _refuse_parameter(caller, name, f"an array-like{or_none}", array)


def _is_matrix(value: Any) -> bool:
    try:
        matrix = np.asarray(value)
    except (TypeError, ValueError):
        return False
    return matrix.ndim == 2 and matrix.dtype.kind in "iufb"


def _refuse_parameter(caller: str, name: str, constraint: str, value: Any) -> None:
    raise invalid_parameter_error()(
        f"The {name!r} parameter of {caller} must be {constraint}. Got {value!r} instead."
    )


def _to_namespace_of(y_true: Any, matrix: AnyArray) -> Any:
    """Convert the matrix to an array from the same library as ``y_true``.

    As in scikit-learn, the matrix is converted only if ``array_api_dispatch`` is on. Otherwise,
    callers expect a NumPy array.
    """
    sklearn = sys.modules.get("sklearn")
    if sklearn is None or not sklearn.get_config()["array_api_dispatch"]:
        return matrix
    if hasattr(y_true, "__array_namespace__"):
        namespace = y_true.__array_namespace__()
    elif type(y_true).__module__ == "torch":
        namespace = sys.modules["torch"]
    else:
        return matrix
    if namespace is np or namespace.__name__.startswith("numpy"):
        return matrix
    return namespace.asarray(matrix, device=y_true.device)
