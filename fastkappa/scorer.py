"""Kappa in a hot loop: everything that can be checked beforehand is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.lengths import check_lengths
from fastkappa.columns.pair import read_columns
from fastkappa.counting.known_labels import KnownLabels
from fastkappa.counting.tabulate import tabulate
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.shortcuts.loading import compiled_kappa
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, as_weights

# Where a rating that is no label is looked for, to name it.
CHUNK = 1 << 10


def compile_scorer(
    labels: Any, weights: Weights = None, *, dtype: Any = np.int64
) -> Callable[[AnyArray, AnyArray], float]:
    """Return a function that scores pairs of arrays, with nothing left but to count.

    Parameters
    ----------
    labels : array-like of shape (l,)
        All labels there can be, in the order of their positions.
    weights : {'linear', 'quadratic'} or array-like of shape (l, l), default=None
        Disagreement weights, as in `cohen_kappa_score`.
    dtype : dtype, default=numpy.int64
        The dtype of the arrays that will be scored.

    Returns
    -------
    scorer : callable
        ``scorer(y1, y2)`` takes two one-dimensional arrays of ``dtype`` and of one length
        and returns kappa, a float. It is NaN, without a warning, where kappa is
        undefined. It raises ``TypeError`` for another dtype, and ``ValueError`` for
        other lengths or for a rating that is not among the labels. It can be pickled.

    Raises
    ------
    ValueError
        If a label is given twice, or for weights that are none.

    See Also
    --------
    cohen_kappa_score : for labels that are not known beforehand.

    Notes
    -----
    It is fastest for 2 to 32 integer labels in a row with weights None, 'linear' or
    'quadratic', where the compiled backend is in use: then a call on 100 items costs a
    fraction of a microsecond.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa import compile_scorer
    >>> scorer = compile_scorer(range(5), "quadratic")
    >>> scorer(np.array([0, 1, 2, 4]), np.array([0, 1, 3, 4]))
    0.9473684210526315
    """
    general = Scorer(labels, weights, dtype)
    compiled = compiled_kappa()
    integers = general.labels.dtype.kind in "iu" and general.dtype.kind in "iub"
    if compiled is None or not integers:
        return general
    lowest, n_labels = int(general.labels[0]), len(general.labels)
    in_a_row = (general.labels == lowest + np.arange(n_labels)).all()
    fits = lowest >= _least(general.dtype) and lowest + n_labels - 1 <= _largest(general.dtype)
    if not in_a_row or not fits or not compiled.CompiledScorer.supports(n_labels, weights):
        return general
    fast: Callable[[AnyArray, AnyArray], float] = compiled.CompiledScorer(
        general, lowest, n_labels, weights, np.empty(0, general.dtype)
    )
    return fast


class Scorer:
    """Scores arrays of one dtype on labels known beforehand; see `compile_scorer`."""

    def __init__(self, labels: Any, weights: Weights, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        column, _ = read_columns(np.empty(0, self.dtype), np.empty(0, self.dtype), ("y1", "y2"))
        self.labels = KnownLabels(labels, column, column).array
        self.weights = as_weights(weights, len(self.labels))

    def __call__(self, y1: AnyArray, y2: AnyArray) -> float:
        """Return kappa of two arrays."""
        for name, ratings in (("y1", y1), ("y2", y2)):
            if not isinstance(ratings, np.ndarray) or ratings.dtype != self.dtype:
                got = getattr(ratings, "dtype", type(ratings).__name__)
                raise TypeError(f"{name} must be an array of dtype {self.dtype}, got {got}.")
            if ratings.ndim != 1:
                raise ValueError(f"{name} must be one-dimensional, got shape {ratings.shape}.")
        check_lengths(y1, y2, None)
        first, second = read_columns(y1, y2, ("y1", "y2"))
        known = KnownLabels(self.labels, first, second)
        counts = tabulate(get_kernels(), first, second, known, None)
        if counts.n_outside:
            self.refuse_outsiders(y1, y2)
        return float(kappas(counts.table, self.weights))

    def __reduce__(self) -> Any:
        return _compile_again, (self.labels, self.weights, self.dtype)

    def refuse_outsiders(self, y1: AnyArray, y2: AnyArray) -> None:
        """Raise for the first rating that is not among the labels, if there is one."""
        for start in range(0, len(y1), CHUNK):
            for name, ratings in (("y1", y1), ("y2", y2)):
                chunk = ratings[start : start + CHUNK]
                outside = chunk[~np.isin(chunk, self.labels)]
                if len(outside):
                    raise ValueError(
                        f"{name} holds {outside[0].item()!r}, which is not among the labels"
                        f" {self.labels.tolist()}."
                    )


def _compile_again(labels: AnyArray, weights: Weights, dtype: np.dtype[Any]) -> Any:
    return compile_scorer(labels, weights, dtype=dtype)


def _least(dtype: np.dtype[Any]) -> int:
    return 0 if dtype.kind == "b" else int(np.iinfo(dtype).min)


def _largest(dtype: np.dtype[Any]) -> int:
    return 1 if dtype.kind == "b" else min(int(np.iinfo(dtype).max), (1 << 63) - 1)
