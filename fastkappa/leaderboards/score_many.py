"""Kappa of many predictions against one truth."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import Column, refuse_masked
from fastkappa.columns.item_weights import read_sample_weight
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import resolve_num_threads
from fastkappa.leaderboards.items.many_columns import count_many_known, count_many_unknown
from fastkappa.leaderboards.items.reference import Reference
from fastkappa.leaderboards.items.stacks import Tables, concatenate, join
from fastkappa.leaderboards.predictions import named_columns
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights

# What is held of predictions that come one by one: enough columns to share among threads.
COLUMNS_AT_ONCE = 32
BYTES_AT_ONCE = 1 << 28


class Scores(NamedTuple):
    """Kappas of many predictions, and the tables they were computed from.

    Attributes
    ----------
    kappas : ndarray of shape (m,)
        Kappa of each prediction, NaN where it is undefined.
    tables : ndarray of shape (m, l, l)
        Row i, column j of a table counts the items of true label ``labels[i]`` predicted to
        be ``labels[j]``: int64 or, with float item weights, float64. Sums of integer weights
        that go beyond int64 are Python integers in an array of objects.
    labels : ndarray of shape (l,)
        The labels of all tables: those given, else all that occur in the truth or in any
        prediction, sorted.
    names : list of length m
        The names of the predictions: keys, column names, or positions.
    n_outside : ndarray of shape (m,)
        How many items are not in a table, for a rating that is none of the labels.
    """

    kappas: NDArray[np.float64]
    tables: AnyArray
    labels: AnyArray
    names: list[Any]
    n_outside: NDArray[np.int64]


def score_many(
    y_true: Any,
    predictions: Any,
    *,
    weights: Weights = None,
    labels: Any = None,
    sample_weight: Any = None,
    axis: int = 0,
    num_threads: int | None = None,
    backend: str | None = None,
) -> Scores:
    """Score many predictions of the same items against one truth.

    The truth is read and encoded once, and stays in the processor's cache while a block of
    all predictions is counted against it.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true labels, of any type that `cohen_kappa_score` takes.
    predictions : array of shape (n, m) or (m, n), mapping, data frame, or iterable of columns
        The m predictions. ``axis`` says how an array lies. A mapping goes from names to
        columns; the frames of pandas, polars and pyarrow are known. Columns of an iterator
        are asked for a few at a time.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. A matrix refers to the labels of the tables, in their order.
    labels : array-like of shape (l,), default=None
        The labels to take into account, in the order the weights refer to. By default each
        kappa refers to the labels that occur in the truth and in its own prediction, as that
        of `cohen_kappa_score` does: no prediction changes the score of another one.
    sample_weight : array-like of shape (n,), default=None
        Item weights.
    axis : {0, 1}, default=0
        The axis along which the items lie in an array: 0 for shape (n, m), one column a
        prediction, 1 for shape (m, n), one row a prediction. Predictions that are contiguous
        in memory are counted in less time.
    num_threads : int, default=None
        At most so many threads. None takes all that ``OMP_NUM_THREADS``, the cores and the
        CPU quota allow.
    backend : {'cython', 'numba', 'numpy'}, default=None
        None takes the environment variable ``FASTKAPPA_BACKEND``, else the best there is.

    Returns
    -------
    scores : Scores
        A named tuple ``(kappas, tables, labels, names, n_outside)``.

    Raises
    ------
    ValueError
        If a prediction has not as many items as the truth, holds ratings that are no class
        labels or not of the truth's kind, or if there is none. The error names it.
    TypeError
        If the predictions are none of the forms above.

    Warns
    -----
    UndefinedMetricWarning
        If a kappa is undefined, no disagreement being expected.

    See Also
    --------
    leaderboard : which differences between predictions are real.

    Examples
    --------
    >>> from fastkappa import score_many
    >>> truth = [0, 1, 2, 2, 1, 0]
    >>> scores = score_many(truth, {"a": [0, 1, 2, 2, 1, 1], "b": [0, 1, 1, 2, 0, 0]})
    >>> scores.names, scores.kappas
    (['a', 'b'], array([0.75, 0.5 ]))
    >>> scores.tables[0]
    array([[1, 1, 0],
           [0, 2, 0],
           [0, 0, 2]])
    """
    names, counted = count_predictions(
        y_true, predictions, labels, sample_weight, axis, num_threads, backend
    )
    kappa = kappas_of(counted, weights)
    undefined = int(np.isnan(kappa).sum())
    if undefined:
        warnings.warn(
            f"kappa is undefined for {undefined} of {len(kappa)} predictions: no disagreement is"
            " expected by chance, because there is one label only, or none.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    return Scores(kappa, counted.tables, counted.labels, names, counted.n_outside)


def count_predictions(
    y_true: Any,
    predictions: Any,
    labels: Any = None,
    sample_weight: Any = None,
    axis: int = 0,
    num_threads: int | None = None,
    backend: str | None = None,
) -> tuple[list[Any], Tables]:
    """Return the names and the tables of predictions."""
    kernels = get_kernels(backend)
    threads = resolve_num_threads(num_threads)
    truth = Reference(y_true, "y_true")
    item_weights = None if sample_weight is None else _read_weights(sample_weight, truth.n_items)
    names: list[Any] = []
    parts: list[Tables] = []
    # The columns of an array take no memory besides.
    most = None if type(predictions) is np.ndarray else BYTES_AT_ONCE
    columns = named_columns(predictions, truth.n_items, axis)
    for some_names, pairs in _some_at_a_time(truth, columns, most):
        names.extend(some_names)
        if labels is not None:
            parts.append(count_many_known(kernels, pairs, labels, item_weights, threads))
            continue
        counted = count_many_unknown(kernels, pairs, threads)
        if item_weights is not None:
            summed = count_many_known(kernels, pairs, counted.labels, item_weights, threads)
            counted = counted._replace(tables=summed.tables)
        parts.append(counted)
    if not names:
        raise ValueError("predictions must hold at least one prediction, got none.")
    return names, concatenate(parts) if labels is not None else join(parts)


def kappas_of(counted: Tables, weights: Weights) -> NDArray[np.float64]:
    """Return kappa of each table, on the labels that belong to it."""
    tables, present = counted.tables, counted.present
    if weights is None or not isinstance(weights, str) or present.all():
        return kappas(tables, weights)
    kappa = np.full(len(tables), np.nan)
    for mask in np.unique(present, axis=0):
        some = np.flatnonzero((present == mask).all(axis=1))
        if mask.any():
            kappa[some] = kappas(tables[some][:, mask][:, :, mask], weights)
    return kappa


def _some_at_a_time(
    truth: Reference, columns: Iterator[tuple[Any, Any]], most_bytes: int | None
) -> Iterator[tuple[list[Any], list[tuple[Column, Column]]]]:
    """Yield names and columns of predictions, as many as may be held at once, or all for None."""
    names: list[Any] = []
    pairs: list[tuple[Column, Column]] = []
    n_bytes = 0
    for name, ratings in columns:
        names.append(name)
        pairs.append(truth.beside(ratings, f"prediction {name!r}"))
        n_bytes += pairs[-1][1].values.nbytes
        if most_bytes and len(pairs) >= COLUMNS_AT_ONCE and n_bytes >= most_bytes:
            yield names, pairs
            names, pairs, n_bytes = [], [], 0
    if pairs:
        yield names, pairs


def _read_weights(sample_weight: Any, n_items: int) -> AnyArray:
    refuse_masked(sample_weight=sample_weight)
    weights = read_sample_weight(sample_weight, n_items)
    if len(weights) != n_items:
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_items} items, got"
            f" {len(weights)}."
        )
    return weights
