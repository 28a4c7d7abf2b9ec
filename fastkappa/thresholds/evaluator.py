"""Compute kappa at given thresholds in microseconds, for any number of items."""

from __future__ import annotations

import sys
import weakref
from reprlib import repr as short_repr
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import LARGEST_EXACT, AnyArray
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.kernels.dispatch import get_kernels, score_kernels
from fastkappa.kernels.threads import resolve_num_threads
from fastkappa.ratings.column import refuse_masked
from fastkappa.ratings.item_weights import in_given_weights
from fastkappa.shortcuts.loading import Evaluator, threshold_shortcuts
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, disagreement_matrix, what_needs_order
from fastkappa.thresholds.items.grouped_scores import group_scores, tables_at
from fastkappa.thresholds.items.scored_items import read_scored_items

# In free-threaded Python, threads that look up a dtype contend for its reference count. Arrays are
# therefore passed on without conversion, although this makes dtypes other than float64 four times
# as slow.
NO_GIL = not getattr(sys, "_is_gil_enabled", lambda: True)()


class ThresholdEvaluator:
    """Compute kappa quickly for any thresholds on scores, for use in your own optimiser.

    The constructor divides the items into small groups by score. After that, computing kappa for a
    set of thresholds takes microseconds, regardless of the number of items. To find the best
    thresholds without an optimiser, use `optimal_thresholds`.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true labels.
    scores : array-like of shape (n,)
        The model output for each item. All scores must be finite.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default='quadratic'
        Disagreement weights, as in `cohen_kappa_score`. The rows of a matrix correspond
        to the true labels.
    labels : array-like of shape (l,), default=None
        All labels, in order. By default, the labels have the order that ``y_true`` declares.
        Ordered categoricals, polars Enums, ordered Arrow dictionaries and Python enums declare an
        order. If no order is declared, the labels that occur in ``y_true`` are sorted. Strings are
        sorted by value if all of them are numbers, and alphabetically otherwise.
    sample_weight : array-like of shape (n,), default=None
        Non-negative item weights.
    num_threads : int, default=None
        The maximum number of threads that the constructor uses. By default, all available threads
        are used.

    Attributes
    ----------
    labels : ndarray of shape (l,)
        The labels, in order.

    Raises
    ------
    ValueError, RuntimeError
        In the same cases as `optimal_thresholds`.

    Warns
    -----
    LabelOrderWarning
        In the same cases as `optimal_thresholds`.

    See Also
    --------
    optimal_thresholds : Find the thresholds with the highest kappa.

    Notes
    -----
    Several threads can use one evaluator at the same time, because no call changes it.

    Examples
    --------
    >>> from fastkappa import ThresholdEvaluator
    >>> evaluator = ThresholdEvaluator([0, 0, 1, 1, 2, 2], [0.1, 0.4, 0.3, 0.6, 0.7, 0.9])
    >>> evaluator([0.5, 0.8])
    0.75
    >>> evaluator.many([[0.5, 0.8], [0.2, 0.65]])
    array([0.75      , 0.85714286])
    >>> evaluator.confusion([0.2, 0.65])
    array([[1, 1, 0],
           [0, 2, 0],
           [0, 0, 2]])
    """

    def __init__(
        self,
        y_true: Any,
        scores: Any,
        *,
        weights: Weights = "quadratic",
        labels: Any = None,
        sample_weight: Any = None,
        num_threads: int | None = None,
    ) -> None:
        threads = resolve_num_threads(num_threads)
        kernels = get_kernels()
        items = read_scored_items(kernels, y_true, scores, labels, sample_weight, threads)
        items.warn_of_order(what_needs_order(weights))
        fast = score_kernels(kernels)
        self.labels = items.labels
        self._weights = weights
        self._matrix = disagreement_matrix(weights, items.n_labels)
        self._whole, self._scale = items.counts_whole, items.weight_scale
        self._items = group_scores(fast, items, threads)
        self._fast = self._compiled(fast)

    def __call__(self, thresholds: Any) -> float:
        """Return kappa at the given thresholds.

        Parameters
        ----------
        thresholds : array-like of shape (l - 1,)
            Thresholds in any order. An item gets label i if exactly i of the thresholds are
            less than or equal to its score. Infinite thresholds leave some labels empty.

        Returns
        -------
        kappa : float
            Kappa. An undefined kappa is NaN, and no warning is issued.
        """
        # Read the attribute only once, because threads that call the evaluator contend for the
        # reference count of its value.
        fast = self._fast
        if fast is not None:
            is_array = type(thresholds) is np.ndarray
            if not is_array:
                refuse_masked(thresholds=thresholds)
            try:
                as_it_is = NO_GIL and is_array
                kappa: float = fast(thresholds if as_it_is else np.asarray(thresholds, np.float64))
                return kappa
            except (TypeError, ValueError, OverflowError):
                # `_read` below copies a strided array, and raises the error for invalid thresholds.
                pass
        numbers = self._read(thresholds, 1)
        if fast is not None:
            return float(fast(numbers))
        return float(kappas(tables_at(self._items, numbers[None])[0], self._weights))

    def many(self, thresholds: Any) -> NDArray[np.float64]:
        """Return an array with one kappa for each row of thresholds.

        Parameters
        ----------
        thresholds : array-like of shape (m, l - 1)

        Returns
        -------
        kappas : ndarray of shape (m,)
        """
        numbers = self._read(thresholds, 2)
        if self._fast is None:
            return kappas(tables_at(self._items, numbers), self._weights)
        found = np.empty(len(numbers))
        if len(numbers):
            self._fast.many(numbers, found)
        return found

    def confusion(self, thresholds: Any) -> AnyArray:
        """Return the confusion matrix at the given thresholds. Rows correspond to true labels.

        Parameters
        ----------
        thresholds : array-like of shape (l - 1,)

        Returns
        -------
        table : ndarray of shape (l, l)
            Counts or sums of item weights. The dtype is float64 if item weights are floats, and
            int64 otherwise.
        """
        table: AnyArray = tables_at(self._items, self._read(thresholds, 1)[None])[0]
        return table.astype(np.int64) if self._whole else in_given_weights(table, self._scale)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_fast": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Compile again, because this process can have a different backend from the one that pickled
        # the evaluator.
        self.__dict__.update(state)
        self._fast = self._compiled(score_kernels(get_kernels()))

    def _compiled(self, kernels: ScoreKernels) -> Evaluator | None:
        """Return the compiled evaluator, or None if it is unavailable or would round the sums."""
        items = self._items
        totals = items.prefix[-1]
        n = float(totals.sum())
        largest = max(1.0, float(self._matrix.max(initial=0)))
        whole = bool(
            (totals == np.rint(totals)).all() and (self._matrix == np.rint(self._matrix)).all()
        )
        if items.weights is not None:
            whole = whole and bool((items.weights == np.rint(items.weights)).all())
        shortcuts = threshold_shortcuts(kernels)
        if shortcuts is None or not whole or n * n * largest >= LARGEST_EXACT:
            return None
        chance = totals @ self._matrix
        return shortcuts.build_evaluator(items, self._matrix, chance, n, weakref.ref(self))

    def _read(self, thresholds: Any, n_axes: int) -> NDArray[np.float64]:
        """Return thresholds as a float64 array, or raise ValueError if they are invalid."""
        refuse_masked(thresholds=thresholds)
        try:
            numbers = np.ascontiguousarray(thresholds, np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(
                f"thresholds must contain real numbers, in rows of equal length, got"
                f" {short_repr(thresholds)}."
            ) from error
        expected = (len(self.labels) - 1,)
        if numbers.ndim != n_axes or numbers.shape[n_axes - 1 :] != expected:
            shape = f"(m, {expected[0]})" if n_axes == 2 else f"({expected[0]},)"
            raise ValueError(
                f"thresholds must have the shape {shape}, with one fewer threshold than labels,"
                f" got {numbers.shape}."
            )
        if np.isnan(numbers).any():
            raise ValueError("thresholds must not contain NaN.")
        return numbers
