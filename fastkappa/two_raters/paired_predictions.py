"""Compare the kappas of two predictions of the same truth, from ratings or joint counts."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray, FloatTable, IntTable
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.ratings.interop import names_of
from fastkappa.ratings.missing import Missing
from fastkappa.ratings.read import read
from fastkappa.statistics.bootstrap import Method, bootstrap_counts, check_method
from fastkappa.statistics.clusters import Clusters, are_joined, clusters_of
from fastkappa.statistics.comparison import (
    NAMES,
    UNTESTED,
    KappaDifference,
    difference_of,
    with_test,
)
from fastkappa.statistics.inference import (
    check_confidence,
    delta_error,
    kappa_gradient,
    proportions_of,
    standard_error,
)
from fastkappa.statistics.intervals.doubt import doubt_of_table
from fastkappa.statistics.intervals.methods import IntervalMethod, choose_method, widening
from fastkappa.statistics.intervals.tested import Estimates, kappas_tested
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.spread import Influence
from fastkappa.statistics.tables import as_tables, refuse_fractions
from fastkappa.statistics.weights import Weights, as_weights
from fastkappa.tables.by_group import count_by_group
from fastkappa.tables.doubtful_tables import judge_tables, warn_of_unused_labels
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
    """Compare the agreement (kappa) of two sets of predictions with the same true labels.

    The predictions are counted jointly, so the comparison accounts for their correlation. For two
    samples of different items, use `compare_independent`.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        The two sets of predictions, or the labels given by two raters.
    y_true : array-like of shape (n,)
        The true labels, or the labels given by a third rater.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. The rows of a matrix correspond to the true labels.
    labels : array-like of shape (l,), default=None
        The labels, in the order on which the weights are based. If the true label or a prediction
        of an item is not among them, the item is left out of both kappas and counted in
        ``n_outside`` of the result. If None, the declared labels are used, as in `agreement`. If no
        labels are declared, the labels that occur are used, in sorted order. In that case, each
        kappa is computed only from the labels that occur in ``y_true`` and in the corresponding
        predictions. Each kappa therefore equals the one that `agreement` returns, unless items are
        dropped because the other prediction is missing. A matrix of weights must have one row for
        each label that occurs in any of the three columns.
    missing : {'raise', 'drop'}, default='raise'
        How to treat items with a missing label, as in `agreement`. With 'drop', an item for which
        one of the predictions is missing is left out of both kappas.
    missing_codes : sequence, default=()
        Values that represent a missing label, such as -9 or "NA".
    clusters : array-like of shape (n,), default=None
        The cluster of each item, as in `agreement`. The standard error treats clusters as
        independent, and the bootstrap resamples whole clusters.
    n_resamples : int, default=0
        The number of bootstrap replicates. If 0, no bootstrap interval is computed.
    method : {'percentile', 'bca'}, default='bca'
        The kind of bootstrap interval.
    confidence : float, default=0.95
        The confidence level of the interval.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        The method used to test each kappa. With 'asymptotic', the interval for the difference is
        symmetric. If None, the method for each kappa is chosen in the same way as the default in
        `agreement`.
    rng : Generator, int or None, default=None
        The random number generator, or a seed.

    Returns
    -------
    difference : KappaDifference
        The first kappa minus the second, with a standard error computed by the delta method.

    Raises
    ------
    ValueError
        As in `agreement`.

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
    n = int(joint.sum())
    n_outside = len(truth.values) - n
    if known is not None and known.are_declared and n_outside:
        known.refuse_outside({"y_true": truth, "first": one, "second": two})
    if not n:
        raise ValueError(
            f"every item has a label that is not among the labels {found.rows.tolist()}. Spell"
            " labels exactly as in the predictions."
        )
    every = np.arange(len(joint))
    own = every, every
    warn_of_weights(weights, names, joint.sum(axis=2), are_known=known is not None)
    if known is None and (weights is None or isinstance(weights, str)):
        true = joint.any(axis=(1, 2))
        own = every[true | joint.any(axis=(0, 2))], every[true | joint.any(axis=(0, 1))]
    of_items = None
    if clusters is not None:
        labels_of_all = known or KnownLabels(names, truth, one)
        columns = dict.fromkeys(("y_true", "first", "second"), labels_of_all)
        of_items = clusters_of(*counted_clusters(items, columns, not n_outside))
    difference = _compare(
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
    tables = np.stack([joint.sum(axis=2), joint.sum(axis=1)])
    warn_of_unused_labels(names, tables.sum(axis=0), n_outside)
    pairs = [(truth, one), (truth, two)]
    judge_tables(names, tables, pairs, "y_true", difference.names, are_given=known is not None)
    first_name, second_name = names_of((first, second), difference.names)
    return replace(
        difference,
        names=(first_name, second_name),
        n_dropped=items.n_dropped,
        n_outside=n_outside,
    )


def compare_paired(
    joint: ArrayLike,
    *,
    weights: Weights = None,
    n_resamples: int = 0,
    method: Method = "bca",
    confidence: float = 0.95,
    interval_method: IntervalMethod | None = None,
    rng: Any = None,
) -> KappaDifference:
    """Compare the kappas of two sets of predictions, given their joint counts with the true labels.

    Parameters
    ----------
    joint : array-like of shape (l, l, l)
        Cell (i, j, k) is the number of items with true label i, first prediction j and second
        prediction k.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. The rows of a matrix correspond to the true labels.
    n_resamples : int, default=0
        The number of bootstrap replicates. If 0, no bootstrap interval is computed.
    method : {'percentile', 'bca'}, default='bca'
        The kind of bootstrap interval.
    confidence : float, default=0.95
        The confidence level of the interval.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        The method used to test each kappa. With 'asymptotic', the interval for the difference is
        symmetric. If None, the method for each kappa is chosen in the same way as the default in
        `agreement`.
    rng : Generator, int or None, default=None
        The random number generator, or a seed.

    Returns
    -------
    difference : KappaDifference
        The first kappa minus the second. Its standard error is computed by the delta method, and
        accounts for the fact that both kappas are computed from the same items. If a kappa is
        undefined, the difference is NaN and an ``UndefinedMetricWarning`` is issued.

    Raises
    ------
    ValueError
        If ``joint`` is empty or is not a cube, or if it contains negative or fractional counts.

    Examples
    --------
    >>> from fastkappa import compare_paired
    >>> joint = [[[30, 6], [2, 2]], [[3, 9], [8, 40]]]
    >>> difference = compare_paired(joint)
    >>> [round(kappa, 4) for kappa in difference.kappas]
    [0.6774, 0.6091]
    >>> round(difference.value, 4), round(difference.standard_error, 4)
    (0.0684, 0.0989)
    """
    counts = _joint_counts(joint)
    every = np.arange(len(counts))
    return _compare(
        counts,
        (every, every),
        weights=weights,
        confidence=confidence,
        n_resamples=n_resamples,
        method=method,
        rng=rng,
        interval_method=interval_method,
    )


def _cube(
    tables: IntTable, true: AnyArray, predicted: AnyArray, are_known: bool
) -> tuple[IntTable, AnyArray]:
    """Return the counts as a cube with the same labels on all three axes, and these labels."""
    names = predicted if are_known else union_of_labels([true, predicted])
    position = {label: i for i, label in enumerate(names.tolist())}
    inside = np.array([label in position for label in true.tolist()], bool)
    rows = [position[label] for label in true[inside].tolist()]
    others = [position[label] for label in predicted.tolist()]
    joint = np.zeros((len(names),) * 3, np.int64)
    joint[np.ix_(rows, others, others)] = tables[inside]
    return joint, names


def _joint_counts(joint: ArrayLike) -> AnyArray:
    # A cube of counts has the same shape as a stack of tables, so it can be checked in the same
    # way.
    counts = as_tables(
        joint, "joint", "For three columns, use compare_predictions(first, second, y_true=...)."
    )
    if counts.ndim != 3 or len(set(counts.shape)) != 1:
        raise ValueError(f"joint must have the shape (l, l, l), got {counts.shape}.")
    refuse_fractions(counts, "joint")
    if not counts.any():
        raise ValueError("joint must have at least one positive count, but all its counts are 0.")
    return counts.astype(np.int64)


def _compare(
    counts: AnyArray,
    own: tuple[AnyArray, AnyArray],
    *,
    weights: Weights,
    confidence: float,
    n_resamples: int,
    method: Method,
    rng: Any,
    interval_method: IntervalMethod | None = None,
    clusters: Clusters | None = None,
) -> KappaDifference:
    """Compare two predictions from validated joint counts.

    ``own`` contains, for each kappa, the positions of its labels: all labels, or only those that
    occur in the truth or in its prediction. Labels that occur in neither can increase the distances
    between positions and thus change named weights.
    """
    check_confidence(confidence)
    check_method(method)
    cells = [np.ix_(labels, labels) for labels in own]

    def pairs(cubes: AnyArray) -> tuple[AnyArray, AnyArray]:
        return cubes.sum(axis=-1)[(..., *cells[0])], cubes.sum(axis=-2)[(..., *cells[1])]

    first, second = pairs(counts)
    both = (float(kappas(first, weights)), float(kappas(second, weights)))
    n, proportions = proportions_of(counts.reshape(1, -1))
    values, sizes = np.zeros((2, 3, *counts.shape))
    for i, (place, table) in enumerate(zip(cells, (first, second))):
        slopes = np.zeros((2, *counts.shape[:2]))
        slopes[0][place], slopes[1][place] = kappa_gradient(table, weights)
        # A prediction's kappa does not depend on the other prediction, whose axis therefore has
        # length 1.
        values[i], sizes[i] = np.expand_dims(slopes, 3 - i)
    values[2], sizes[2] = values[0] - values[1], sizes[0] + sizes[1]
    slope = Influence(values, sizes).reshape(3, 1, -1)
    errors = delta_error(np.broadcast_to(proportions, slope.values.shape), slope, n, clusters)
    if clusters is not None and clusters.n_clusters == 1 < n:
        warnings.warn(
            "the kappas cannot be compared because all items are in one cluster.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    drawn = None
    if n_resamples:

        def difference(tables: AnyArray) -> Any:
            first, second = pairs(tables)
            return kappas(first, weights) - kappas(second, weights)

        drawn = bootstrap_counts(
            counts,
            difference,
            n_resamples,
            method,
            confidence,
            rng,
            clusters,
            name="the difference",
        )
    one, two = (choose_method(interval_method, table) for table in (first, second))
    found = KappaDifference(
        difference_of("kappas", both),
        both,
        float(errors[2]),
        *UNTESTED,
        float(confidence),
        drawn,
        NAMES,
        (one, two),
        doubt_of_table(first) or doubt_of_table(second),
        as_weights(weights, len(counts)),
        int(counts.sum()),
        n_clusters=None if clusters is None else clusters.n_clusters,
    )
    if math.isnan(found.value) or math.isnan(found.standard_error):
        return found
    by_score = are_joined(clusters) and "asymptotic" not in (one, two)
    freedom = clusters.n_clusters - 1 if clusters is not None and by_score else math.inf

    def tested(chosen: IntervalMethod, table: AnyArray, error: FloatTable) -> Estimates:
        widened = np.ones(1)
        if are_joined(clusters):
            alone = standard_error(table[None], weights)
            widened = widening(error, alone, clusters.n_clusters)
        return kappas_tested(chosen, table[None], weights, error, widened)

    return with_test(
        found,
        tested(one, first, errors[:1]),
        tested(two, second, errors[1:2]),
        _correlation_of(errors),
        freedom,
    )


def _correlation_of(errors: FloatTable) -> float:
    """Return two estimates' correlation from the standard errors of both and of the difference."""
    one, two, apart = errors.tolist()
    product = one * two
    return (one * one + two * two - apart * apart) / (2 * product) if product > 0 else 0.0
