"""Comparison of two predictions of the same truth by their kappas."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.columns.checks import Missing, check_columns, drop_missing, explain
from fastkappa.columns.column import n_samples
from fastkappa.columns.pair import read_columns
from fastkappa.counting.by_group import count_by_group
from fastkappa.counting.known_labels import KnownLabels
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.statistics.bootstrap import Method
from fastkappa.statistics.comparison import KappaDifference, compare_paired
from fastkappa.statistics.weights import Weights


def compare_predictions(
    y_true: Any,
    first: Any,
    second: Any,
    *,
    weights: Weights = None,
    labels: Any = None,
    missing: Missing = "raise",
    confidence: float = 0.95,
    n_resamples: int = 0,
    method: Method = "bca",
    rng: Any = None,
) -> KappaDifference:
    """Compare the kappas of two predictions with the truth, all on the same items.

    The predictions are counted jointly, so that their correlation is accounted for. For
    two samples of different items use `compare_independent`.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true labels, or one rater's.
    first, second : array-like of shape (n,)
        The two predictions, or two other raters' labels.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights; rows are the truth.
    labels : array-like of shape (l,), default=None
        The labels, in the order that weights refer to; items with other labels are left
        out. None means those that occur, sorted.
    missing : {'raise', 'drop'}, default='raise'
        What to do with items with a missing label.
    confidence : float, default=0.95
        The confidence of the interval.
    n_resamples : int, default=0
        The number of bootstrap replicates; 0 means no bootstrap.
    method : {'percentile', 'bca'}, default='bca'
        The kind of bootstrap interval.
    rng : Generator, int or None, default=None
        The source of random numbers.

    Returns
    -------
    difference : KappaDifference
        The first kappa minus the second, with the standard error of the delta method.

    Raises
    ------
    ValueError
        As `agreement`.

    Examples
    --------
    >>> from fastkappa import compare_predictions
    >>> truth = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    >>> difference = compare_predictions(
    ...     truth, [0, 0, 1, 1, 1, 1, 2, 2, 2, 1], [0, 1, 1, 1, 1, 2, 2, 2, 0, 1]
    ... )
    >>> [round(kappa, 4) for kappa in difference.kappas]
    [0.7015, 0.2537]
    """
    columns = {"y_true": y_true, "first": first, "second": second}
    n_given = check_columns(columns, missing)
    if n_given == 0:
        raise ValueError("y_true, first and second must not be empty, got no items.")
    kept, _, n_dropped = drop_missing(columns, missing)
    if n_samples(kept["y_true"]) == 0:
        raise ValueError(f"no items are left of {n_given}, {n_dropped} being incomplete.")
    try:
        one, two = read_columns(kept["first"], kept["second"], ("first", "second"))
        truth, _ = read_columns(kept["y_true"], kept["first"], ("y_true", "first"))
    except ValueError as error:
        explain(kept, error)
        raise
    if one.label_dtype.kind in "mM" and len({c.label_dtype for c in (truth, one, two)}) > 1:
        raise ValueError("y_true, first and second must hold dates of the same unit.")
    known = None if labels is None else KnownLabels(labels, one, two)
    counts = count_by_group(get_kernels(), truth, one, two, known, available_threads())
    joint = _cube(counts.tables, counts.groups, counts.labels, known is not None)
    if not joint.any():
        raise ValueError(f"no item has all its labels among {counts.labels.tolist()}.")
    return compare_paired(
        joint,
        weights=weights,
        confidence=confidence,
        n_resamples=n_resamples,
        method=method,
        rng=rng,
    )


def _cube(tables: IntTable, true: AnyArray, predicted: AnyArray, given: bool) -> IntTable:
    """Return the counts with the same labels on all three axes."""
    names = predicted.tolist()
    if not given:
        names = sorted({*names, *true.tolist()})
    position = {label: i for i, label in enumerate(names)}
    inside = np.array([label in position for label in true.tolist()], bool)
    rows = [position[label] for label in true[inside].tolist()]
    others = [position[label] for label in predicted.tolist()]
    joint = np.zeros((len(names),) * 3, np.int64)
    joint[np.ix_(rows, others, others)] = tables[inside]
    return joint
