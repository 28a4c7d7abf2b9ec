"""Compute kappa between labels and scores cut at thresholds, inside compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import overload

from fastkappa.arrays import AnyArray
from fastkappa.jit.compiling import borrowed, exactly
from fastkappa.jit.confusion import check_labels, code
from fastkappa.jit.kappas import kappa_of_table, kind_and_matrix
from fastkappa.ratings.real_numbers import read_numbers
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights
from fastkappa.tables.count import confusion_counts

# With more thresholds than this, binary search is used.
FEW = 16
LABELS_BEYOND_THRESHOLDS = (
    "labels must be 0 to the number of thresholds, but an item has a different label."
    " Number the labels from 0, or leave out such items with drop_outside=True"
)


def kappa_at_thresholds(
    scores: AnyArray,
    labels: AnyArray,
    thresholds: AnyArray,
    weights: Weights = "quadratic",
    drop_outside: bool = False,
) -> float:
    """Compute kappa between true labels and labels obtained by cutting scores at thresholds.

    Call this function from functions that are compiled with ``@numba.njit``.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Integer or float scores. Infinity is allowed, but NaN is not.
    labels : ndarray of shape (n,)
        The true labels, from 0 to k, as integers of any type.
    thresholds : ndarray of shape (k,)
        Thresholds in non-decreasing order. The label of a score is the number of thresholds
        less than or equal to it: ``numpy.searchsorted(thresholds, scores, side='right')``.
        For finite scores, infinite thresholds leave the first or last label unused. Equal
        thresholds leave an inner label unused.
    weights : {None, 'linear', 'quadratic'} or ndarray of shape (k + 1, k + 1), \
default='quadratic'
        Disagreement weights, as in `fastkappa.kappa_from_confusion`. If ``weights`` is a matrix,
        its rows correspond to the true labels.
    drop_outside : bool, default=False
        Whether to leave out items whose label is outside the range 0 to k. By default, such a label
        raises an error.

    Returns
    -------
    kappa : float
        Cohen's kappa, at most 1. If kappa is undefined, NaN is returned without a warning.

    Raises
    ------
    ValueError
        If ``scores`` and ``labels`` differ in length, if a label is outside the range 0 to k and
        ``drop_outside`` is False, if a score or a threshold is NaN, if the thresholds are not in
        order, or if `kappa_from_confusion` rejects the weights.
    numba.TypingError
        At compile time, if an argument has an unsupported type.

    Examples
    --------
    >>> import numba, numpy as np
    >>> from fastkappa.jit import kappa_at_thresholds
    >>> @numba.njit
    ... def best_cut(scores, labels, cuts):
    ...     kappas = np.empty(len(cuts))
    ...     for i in range(len(cuts)):
    ...         kappas[i] = kappa_at_thresholds(scores, labels, cuts[i : i + 1])
    ...     return cuts[kappas.argmax()]
    >>> best_cut(np.array([0.1, 0.4, 0.6, 0.9]), np.array([0, 0, 0, 1]), np.array([0.3, 0.5, 0.8]))
    0.8
    """
    scores, thresholds = read_numbers(scores, "scores"), read_numbers(thresholds, "thresholds")
    if np.isnan(scores).any():
        raise ValueError("scores must not contain NaN")
    if np.isnan(thresholds).any() or (thresholds[1:] < thresholds[:-1]).any():
        raise ValueError("thresholds must not contain NaN and must not decrease")
    classes = np.searchsorted(thresholds, scores, side="right")
    n_labels = len(thresholds) + 1
    counts = confusion_counts(labels, classes, labels=np.arange(n_labels))
    if counts.n_outside and not drop_outside:
        raise ValueError(LABELS_BEYOND_THRESHOLDS)
    return float(kappas(counts.table, weights))


@overload(kappa_at_thresholds, prefer_literal=True, strict=False)
def _compile_kappa_at_thresholds(
    scores: Any, labels: Any, thresholds: Any, *_: Any, **__: Any
) -> Any:
    # *_ and **__ stand for arguments whose names and defaults numba takes from `compiled` below.
    check_labels("labels", labels)
    for name, array in (("scores", scores), ("thresholds", thresholds)):
        numbers = isinstance(array, types.Array) and isinstance(
            array.dtype, (types.Integer, types.Float)
        )
        if not numbers or array.ndim != 1:
            raise TypingError(f"{name} must be a one-dimensional array of numbers, got {array}")

    def compiled(
        scores: Any,
        labels: Any,
        thresholds: Any,
        weights: Any = "quadratic",
        drop_outside: Any = False,
    ) -> Any:
        kind, matrix = kind_and_matrix(weights)
        table = _table(borrowed(scores), borrowed(labels), borrowed(thresholds), drop_outside)
        return kappa_of_table(table, kind, matrix)

    return compiled


@exactly
def _table(scores: Any, labels: Any, thresholds: Any, drop_outside: bool) -> Any:
    if len(scores) != len(labels):
        raise ValueError("scores and labels must have the same length")
    for i in range(len(thresholds)):
        if np.isnan(thresholds[i]) or (i > 0 and thresholds[i] < thresholds[i - 1]):
            raise ValueError("thresholds must not contain NaN and must not decrease")
    n_labels = len(thresholds) + 1
    # The last row counts items with a label that is out of range.
    table = np.zeros((n_labels + 1, n_labels), np.int64)
    for i in range(len(scores)):
        if np.isnan(scores[i]):
            raise ValueError("scores must not contain NaN")
        table[code(labels[i], n_labels), _class_of(scores[i], thresholds)] += 1
    if table[n_labels].any() and not drop_outside:
        raise ValueError(LABELS_BEYOND_THRESHOLDS)
    return table[:n_labels]


@exactly
def _class_of(score: Any, thresholds: Any) -> Any:
    """Return the number of thresholds less than or equal to a score."""
    if len(thresholds) <= FEW:
        n_passed = 0
        for threshold in thresholds:
            n_passed += score >= threshold
        return n_passed
    low, high = 0, len(thresholds)
    while low < high:
        middle = (low + high) // 2
        if score >= thresholds[middle]:
            low = middle + 1
        else:
            high = middle
    return low
