"""Count the items of each cluster in each cell of the confusion matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.ratings.lengths import not_labels
from fastkappa.ratings.read import RatedItems
from fastkappa.statistics.clusters import Clusters, clusters_of
from fastkappa.tables.by_group import ClusterCounts, RatedColumn, count_by_cluster
from fastkappa.tables.known_labels import KnownLabels, known_labels

GROUPS = "groups"
CLUSTERS = "clusters"


def refuse_weighted_clusters(sample_weight: Any, clusters: Any) -> None:
    """Raise if item weights are given together with clusters."""
    if sample_weight is not None and clusters is not None:
        raise ValueError("sample_weight cannot be combined with clusters: leave out one of them.")


def counted_clusters(
    items: RatedItems, known: Mapping[str, KnownLabels], is_within: bool
) -> ClusterCounts:
    """Return the number of items per cluster and cell.

    Parameters
    ----------
    items : RatedItems
        The rated items, with a column of clusters.
    known : mapping of str to KnownLabels
        The columns that define a cell, and the labels of each column. The first column defines the
        rows.
    is_within : bool
        Whether all values are among the labels.

    Raises
    ------
    ValueError
        If the clusters are not valid labels, for example because they are fractional numbers.
    """
    clusters = items.columns[CLUSTERS]
    if clusters.obstacle:
        raise ValueError(not_labels(CLUSTERS, clusters.obstacle, clusters.values))
    rated = []
    for name, labels in known.items():
        column = items.columns[name]
        rated.append(RatedColumn(column, labels.encode(column), len(labels), is_within))
    return count_by_cluster(get_kernels(), clusters, rated, available_threads())


def clusters_of_pairs(items: RatedItems, labels: Any, n_outside: int) -> Clusters:
    """Return the clusters of items with two ratings.

    ``labels`` are the labels of the table, and ``n_outside`` is the number of items with other
    labels.
    """
    known = known_of_pairs(items, labels)
    return clusters_of(*counted_clusters(items, {"y1": known, "y2": known}, n_outside == 0))


class GroupedClusters(NamedTuple):
    """The clusters of each group's items, and of all items.

    The cells of ``joint`` are the cells of all groups' tables, concatenated. ``n_shared`` is the
    number of clusters that have items in several groups. ``repeats_items`` is true if one of the
    raters gave each cluster the same labels in every group. The groups are then assumed to have the
    same items.
    """

    of_groups: list[Clusters]
    pooled: Clusters
    joint: Clusters
    n_shared: int
    repeats_items: bool


def clusters_by_group(
    items: RatedItems, groups: Any, labels: Any, is_within: bool
) -> GroupedClusters:
    """Return the clusters of items with two ratings, for each group and for all groups together.

    ``groups`` and ``labels`` are the groups and labels of the tables.
    """
    known, column = known_of_pairs(items, labels), items.columns[GROUPS]
    names = {GROUPS: KnownLabels(groups, column, column), "y1": known, "y2": known}
    clusters, cells, counts = counted_clusters(items, names, is_within)
    n_cells = len(known) ** 2
    group = cells // n_cells
    own_cells = cells - group * n_cells
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(len(groups) + 1))
    of_groups = [
        clusters_of(clusters[own], own_cells[own], counts[own])
        for own in (order[begin:end] for begin, end in pairwise(ends))
    ]
    pooled = clusters_of(clusters, own_cells, counts)
    joint = clusters_of(clusters, cells, counts)
    # The cells of a cluster are in increasing order, so the first and the last cell show whether
    # all are in the same group.
    first, last = (joint.cells[i] // n_cells for i in (joint.starts[:-1], joint.starts[1:] - 1))
    n_shared = int(joint.multiplicities[first != last].sum())
    repeats = False
    if n_shared:
        n_labels = len(known)
        rows = clusters.astype(np.int64) * n_labels
        raters = (rows + label for label in np.divmod(own_cells, n_labels))
        repeats = any(
            _all_equal(
                np.bincount(rated[own], counts[own], rows.max() + n_labels)
                for own in (order[begin:end] for begin, end in pairwise(ends))
            )
            for rated in raters
        )
    return GroupedClusters(of_groups, pooled, joint, n_shared, repeats)


def _all_equal(arrays: Iterator[AnyArray]) -> bool:
    """Return whether all arrays are equal."""
    first = next(arrays)
    return all(np.array_equal(first, other) for other in arrays)


def known_of_pairs(items: RatedItems, labels: Any) -> KnownLabels:
    """Return the known labels of the ratings, or ``labels`` if none are known."""
    return known_labels(items) or KnownLabels(labels, items.columns["y1"], items.columns["y2"])
