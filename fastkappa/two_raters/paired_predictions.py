"""Compare two predictions of the same truth by their kappas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.ratings.interop import names_of
from fastkappa.ratings.missing import Missing
from fastkappa.ratings.read import read
from fastkappa.statistics.bootstrap import Method
from fastkappa.statistics.clusters import clusters_of
from fastkappa.statistics.comparison import KappaDifference, compare_joint
from fastkappa.statistics.intervals.methods import IntervalMethod
from fastkappa.statistics.weights import Weights
from fastkappa.tables.by_group import count_by_group
from fastkappa.tables.known_labels import KnownLabels, known_labels
from fastkappa.tables.table import union_of_labels
from fastkappa.two_raters.agreement_report import warn_of_weights
from fastkappa.two_raters.item_clusters import CLUSTERS, counted_clusters


def compare_predictions(
    first: Any,
    second: Any,
    *,
    y_true: Any,
    weights: Weights = None,
    labels: Any = None,
    missing: Missing = "raise",
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    n_resamples: int = 0,
    method: Method = "bca",
    confidence: float = 0.95,
    interval_method: IntervalMethod | None = None,
    rng: Any = None,
) -> KappaDifference:
    """Compare the kappas of two predictions with the truth, all on the same items.

    The predictions are counted jointly, so the comparison accounts for their correlation. For two
    samples of different items, use `compare_independent`.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        The two predictions, or two raters' labels.
    y_true : array-like of shape (n,)
        The true labels, or the labels of a third rater.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. The rows of a matrix correspond to the true labels.
    labels : array-like of shape (l,), default=None
        The labels, in the order that weights refer to. Items with other labels are left out. None
        means the declared labels, as for `agreement`, or else the labels that occur, sorted. If the
        labels that occur are used, each kappa uses only the labels of the truth and of its own
        prediction. The kappa therefore equals that of `agreement`, unless items are dropped because
        the other prediction is missing. A matrix of weights has one row for each label that occurs
        in any of the three columns.
    missing : {'raise', 'drop'}, default='raise'
        How to treat items with a missing label, as for `agreement`. With 'drop', an item missing
        from one prediction is left out of both kappas.
    missing_codes : sequence, default=()
        Values that mean a missing label, such as -9 or "NA".
    clusters : array-like of shape (n,), default=None
        The cluster of each item, as for `agreement`. Clusters are the units of the standard error
        and of the bootstrap.
    n_resamples : int, default=0
        The number of bootstrap replicates; 0 means no bootstrap.
    method : {'percentile', 'bca'}, default='bca'
        The kind of bootstrap interval.
    confidence : float, default=0.95
        The confidence level of the interval.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        How each kappa is tested. With 'asymptotic', the interval is symmetric. None means the
        default of `agreement` for each kappa.
    rng : Generator, int or None, default=None
        The random number generator, or a seed.

    Returns
    -------
    difference : KappaDifference
        The first kappa minus the second, with a standard error computed by the delta method.

    Raises
    ------
    ValueError
        As for `agreement`.

    Examples
    --------
    >>> from fastkappa import compare_predictions
    >>> truth = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    >>> difference = compare_predictions(
    ...     [0, 0, 1, 1, 1, 1, 2, 2, 2, 1], [0, 1, 1, 1, 1, 2, 2, 2, 0, 1], y_true=truth
    ... )
    >>> [round(kappa, 4) for kappa in difference.kappas]
    [0.7015, 0.2537]
    """
    given = {"y_true": y_true, "first": first, "second": second}
    others = {} if clusters is None else {CLUSTERS: clusters}
    items = read(given, labels, missing, missing_codes, others)
    truth, one, two = (items.columns[name] for name in ("y_true", "first", "second"))
    known = known_labels(items)
    found = count_by_group(get_kernels(), truth, one, two, known, available_threads())
    predicted = found.rows if known is None else known.labels
    joint, names = _cube(found.counts, found.layers, predicted, known is not None)
    if known is not None and known.are_declared and joint.sum() < len(truth.values):
        known.refuse_outside({"y_true": truth, "first": one, "second": two})
    if not joint.any():
        raise ValueError(
            f"no item has all its labels among {found.rows.tolist()}: write the labels as in the"
            " predictions."
        )
    every = np.arange(len(joint))
    own = every, every
    if known is None:
        warn_of_weights(weights, names)
        if weights is None or isinstance(weights, str):
            true = joint.any(axis=(1, 2))
            own = every[true | joint.any(axis=(0, 2))], every[true | joint.any(axis=(0, 1))]
    of_items = None
    if clusters is not None:
        labels_of_all = known or KnownLabels(names, truth, one)
        columns = dict.fromkeys(("y_true", "first", "second"), labels_of_all)
        is_within = int(joint.sum()) == len(truth.values)
        of_items = clusters_of(*counted_clusters(items, columns, is_within))
    difference = compare_joint(
        joint,
        own,
        weights=weights,
        confidence=confidence,
        n_resamples=n_resamples,
        method=method,
        rng=rng,
        interval_method=interval_method,
        clusters=of_items,
    )
    first_name, second_name = names_of((first, second), difference.names)
    return replace(difference, names=(first_name, second_name))


def _cube(
    tables: IntTable, true: AnyArray, predicted: AnyArray, are_known: bool
) -> tuple[IntTable, AnyArray]:
    """Return the counts with the same labels on all three axes, and the labels."""
    names = predicted if are_known else union_of_labels([true, predicted])
    position = {label: i for i, label in enumerate(names.tolist())}
    inside = np.array([label in position for label in true.tolist()], bool)
    rows = [position[label] for label in true[inside].tolist()]
    others = [position[label] for label in predicted.tolist()]
    joint = np.zeros((len(names),) * 3, np.int64)
    joint[np.ix_(rows, others, others)] = tables[inside]
    return joint, names
