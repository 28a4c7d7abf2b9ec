"""The clusters of rated items: which cells of the table each cluster's items are in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastkappa.columns.column import Column
from fastkappa.counting.by_cluster import ClusterCounts, RatedColumn, count_by_cluster
from fastkappa.counting.known_labels import KnownLabels
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.statistics.clusters import Clusters, clusters_of
from fastkappa.two_raters.ratings import CLUSTERS, RatedItems


def with_clusters(given: dict[str, Any], clusters: Any) -> dict[str, Any]:
    """Return the arguments that are columns, with the clusters if there are any."""
    return given if clusters is None else {CLUSTERS: clusters, **given}


def counted_clusters(
    items: RatedItems, known: Mapping[str, KnownLabels], is_within: bool
) -> ClusterCounts:
    """Return how many items of each cell the clusters have.

    Parameters
    ----------
    items : RatedItems
        With a column of clusters.
    known : mapping of str to KnownLabels
        The columns that make a cell, the first one being that of the rows, and their labels.
    is_within : bool
        Whether no value is outside the labels.

    Raises
    ------
    ValueError
        If the clusters are numbers that are not whole, or the like.
    """
    clusters = items.columns[CLUSTERS]
    if clusters.obstacle:
        raise ValueError(f"clusters must be labels, but are {clusters.obstacle}.")
    rated = []
    for name, labels in known.items():
        column = items.columns[name]
        rated.append(RatedColumn(column, labels.encode(column), len(labels), is_within))
    return count_by_cluster(get_kernels(), clusters, rated, available_threads())


def clusters_of_pairs(items: RatedItems, labels: Any, n_outside: int) -> Clusters | None:
    """Return the clusters of items with two ratings, None if there are none.

    ``labels`` are those of the table, and ``n_outside`` is how many items are not in it.
    """
    if CLUSTERS not in items.columns:
        return None
    known = known_of_pairs(items, labels)
    return clusters_of(*counted_clusters(items, {"y1": known, "y2": known}, n_outside == 0))


def known_of_pairs(items: RatedItems, labels: Any) -> KnownLabels:
    """Return the labels of the table of items with two ratings."""
    columns: dict[str, Column] = items.columns
    return items.known or KnownLabels(labels, columns["y1"], columns["y2"])
