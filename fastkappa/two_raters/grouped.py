"""Compute the agreement of two raters in each group of items."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from fastkappa.arrays import FloatTable, IntTable
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.ratings.interop import names_of, warn_of_same_column
from fastkappa.ratings.item_weights import as_numbers_of_items
from fastkappa.ratings.lengths import not_labels
from fastkappa.ratings.missing import Missing
from fastkappa.ratings.read import read
from fastkappa.results.report import RATERS
from fastkappa.statistics.clusters import Clusters
from fastkappa.statistics.inference import Distribution, kappa_gradient
from fastkappa.statistics.intervals.methods import IntervalMethod
from fastkappa.statistics.intervals.rao import Alternative
from fastkappa.statistics.strata import MOST_NAMED, Undefined, check_undefined
from fastkappa.statistics.weights import Weights
from fastkappa.tables.by_group import count_by_group
from fastkappa.tables.doubtful_orders import judge_order
from fastkappa.tables.doubtful_tables import judge_table
from fastkappa.tables.known_labels import known_labels
from fastkappa.two_raters.agreement import checked_settings, make_result
from fastkappa.two_raters.agreement_report import warn_of_weights
from fastkappa.two_raters.agreement_result import AgreementResult
from fastkappa.two_raters.grouped_result import GroupedAgreement
from fastkappa.two_raters.item_clusters import (
    CLUSTERS,
    GROUPS,
    clusters_by_group,
    refuse_weighted_clusters,
)


def agreement_by(
    y1: Any,
    y2: Any = None,
    *,
    groups: Any,
    weights: Weights = None,
    labels: Any = None,
    missing: Missing = "raise",
    missing_codes: Sequence[Any] = (),
    undefined: Undefined = "nan",
    clusters: Any = None,
    sample_weight: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "normal",
    interval_method: IntervalMethod | None = None,
    null_kappa: float = 0.0,
    alternative: Alternative = "two-sided",
) -> GroupedAgreement:
    """Compute the agreement between two raters in each group, counting all groups in one pass.

    Parameters
    ----------
    y1, y2 : array-like of shape (n,)
        The ratings of the first and second raters.
    groups : array-like of shape (n,)
        The group of each item. Groups can have any type that ratings can have.
    weights, labels, missing, missing_codes, confidence
        As in `agreement`. ``missing_codes`` applies to ratings, not to groups. The tables of all
        groups have the same labels. If ``labels`` is not given and the ratings declare no labels,
        the tables have all labels that occur in any group.
    undefined : {'nan', 'drop'}, default='nan'
        How the test of equal kappas treats groups whose kappa is undefined, as in `compare_strata`.
        With 'nan', the test is NaN. With 'drop', such groups are left out of the test.
    clusters : array-like of shape (n,), default=None
        The cluster of each item, as in `agreement`. Groups can share clusters, for example if a
        patient has lesions in several groups. The test of equal kappas accounts for shared
        clusters.
    sample_weight : array-like of shape (n,), default=None
        The number of items that each row represents, as in `agreement`.
    distribution : {'normal', 't'}, default='normal'
        The reference distribution used for intervals, as in `agreement`. It also determines the
        divisor of the variances.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        The method used for the confidence intervals for kappa and for the test of equal kappas, as
        in `agreement`.
    null_kappa, alternative
        The null hypothesis and the alternative hypothesis for the test of kappa in each group, as
        in `agreement`.

    Returns
    -------
    results : GroupedAgreement
        A mapping from each group to its `AgreementResult`, with a test of equal kappas. A group is
        left out if none of its items has both ratings among the labels.

    Raises
    ------
    ValueError
        As in `agreement`, and if the tables of all groups together would need more than 512 MB.

    Examples
    --------
    >>> from fastkappa import agreement_by
    >>> results = agreement_by(
    ...     [1, 1, 2, 2, 1, 1, 2, 2, 2],
    ...     [1, 2, 2, 2, 1, 2, 1, 2, 2],
    ...     groups=["a", "a", "a", "a", "b", "b", "b", "b", "b"],
    ... )
    >>> {group: round(result.kappa, 4) for group, result in results.items()}
    {'a': 0.5, 'b': 0.1667}
    >>> round(results.equality.p_value, 4)
    0.5558
    """
    check_undefined(undefined)
    settings = checked_settings(confidence, distribution, interval_method, null_kappa, alternative)
    refuse_weighted_clusters(sample_weight, clusters)
    others = {} if clusters is None else {CLUSTERS: clusters}
    others[GROUPS] = groups
    items = read({"y1": y1, "y2": y2}, labels, missing, missing_codes, others, sample_weight)
    group_column, first, second = (items.columns[name] for name in (GROUPS, "y1", "y2"))
    if group_column.obstacle:
        raise ValueError(not_labels(GROUPS, group_column.obstacle, group_column.values))
    known = known_labels(items)
    weighed = None if items.weights is None else as_numbers_of_items(items.weights)
    found = count_by_group(
        get_kernels(), group_column, first, second, known, available_threads(), weighed
    )
    tables = found.counts if found.sums is None else found.sums
    if known is not None and known.are_declared and found.n_outside.any():
        known.refuse_outside({"y1": first, "y2": second})
    raters = names_of((y1, y2), RATERS)
    is_within = not found.n_outside.any()
    grouped = None
    if clusters is not None:
        grouped = clusters_by_group(items, found.layers, found.rows, is_within)
    results = {
        group: make_result(
            table,
            found.rows,
            weights,
            n_outside=int(outside),
            raters=raters,
            is_weighted=weighed is not None,
            clusters=own,
            **settings,
        )
        for group, table, outside, own in zip(
            found.layers.tolist(),
            tables,
            found.n_outside,
            repeat(None) if grouped is None else grouped.of_groups,
        )
        if table.any()
    }
    if not results:
        raise ValueError(
            f"every item has a rating that is not among the labels {found.rows.tolist()}. Spell"
            " labels exactly as in the ratings."
        )
    _warn_of_undefined(results)
    pooled = make_result(
        tables.sum(axis=0),
        found.rows,
        weights,
        missing=(items.n_missing["y1"], items.n_missing["y2"]),
        n_dropped=items.n_dropped,
        n_outside=int(found.n_outside.sum()),
        raters=raters,
        clusters=None if grouped is None else grouped.pooled,
        missing_clusters=items.n_missing.get(CLUSTERS, 0),
        is_weighted=weighed is not None,
        **settings,
    )
    are_known = known is not None
    warn_of_weights(weights, found.rows, pooled.table, are_known=are_known)
    own = found.rows, pooled.table, pooled.n_outside
    judge_table(*own, are_given=are_known, is_weighted=pooled.is_weighted)
    judge_order(pooled.table, items.columns["y1"], items.columns["y2"])
    warn_of_same_column({"y1": y1, "y2": y2})
    n_missing = items.n_missing[GROUPS], *pooled.missing
    covariance, n_shared = None, 0 if grouped is None else grouped.n_shared
    if grouped is not None and n_shared:
        covariance = _covariance(found.counts, results, grouped.joint)
    return GroupedAgreement(
        results,
        pooled,
        n_missing,
        items.n_dropped,
        undefined,
        covariance,
        n_shared_clusters=n_shared,
        repeats_items=grouped is not None and grouped.repeats_items,
    )


def _covariance(
    tables: IntTable, results: Mapping[Any, AgreementResult], joint: Clusters
) -> FloatTable:
    """Return the covariance matrix of the groups' kappas, given that groups share clusters."""
    places = np.flatnonzero(tables.any(axis=(1, 2)))
    values = np.zeros((len(places), *tables.shape))
    for own, place, result in zip(values, places, results.values()):
        slope = kappa_gradient(result.table, result.weights).values
        used = result.table != 0
        mean = (slope[used] * result.table[used]).sum() / result.n
        own[place][used] = (slope[used] - mean) / result.n
    return joint.products(values.reshape(len(places), -1))


def _warn_of_undefined(results: Mapping[Any, AgreementResult]) -> None:
    """Warn about groups with an undefined kappa, and about groups with only one cluster."""
    without_kappa = [group for group, result in results.items() if math.isnan(result.kappa)]
    single = [group for group, result in results.items() if result.n_clusters == 1 < result.n]
    for groups, what, why in (
        (
            without_kappa,
            "kappa is",
            "no disagreement is expected by chance in a group with only one label",
        ),
        (single, "standard errors are", "they require at least two clusters per group"),
    ):
        if groups:
            named = ", ".join(map(repr, groups[:MOST_NAMED]))
            more = ", ..." if len(groups) > MOST_NAMED else ""
            warnings.warn(
                f"{what} undefined in {len(groups)} of {len(results)} groups ({named}{more}),"
                f" because {why}.",
                undefined_metric_warning(),
                stacklevel=3,
            )
