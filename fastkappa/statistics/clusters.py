"""Compute standard errors for items in clusters, such as the lesions of a patient.

Items in the same cluster can resemble each other, but clusters are assumed to be independent. For
any coefficient, let f_m be the influence of an item in cell (or distinct row of ratings) m. With
N_cm items of cluster c in cell m, and n items in total,

    S_c = sum_m N_cm * (f_m - mean f),    variance = sum_c S_c**2 / n**2.

For kappa, this is the variance of Yang and Zhou (2014, 2015). For other coefficients, it is the
sandwich estimator. No assumption is made about the correlation within clusters. With one item per
cluster, the result equals the variance without clusters.

Clusters with the same counts are stored as one row with a multiplicity. Therefore, the cost does
not depend on the number of items. If all clusters are small, the cost does not depend on the number
of clusters either. The bootstrap draws clusters with replacement, which is equivalent to a
multinomial draw from these rows.

References
----------
Z. Yang and M. Zhou (2014). Kappa statistic for clustered matched-pair data. Statistics in
Medicine 33, 2612-2633.

Z. Yang and M. Zhou (2015). Weighted kappa statistic for clustered matched-pair ordinal data.
Computational Statistics and Data Analysis 82, 1-18.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics import spread
from fastkappa.statistics.spread import EPSILON, SAFETY, Influence

# With fewer clusters than this, interval coverage is below nominal (bench.studies.clusters).
FEW_CLUSTERS = 50
# The number of terms per block in sums over clusters (8 MB).
BLOCK = 1 << 20
# The number of clusters to sample when checking whether many clusters are equal.
SAMPLE = 1 << 10


def doubt_of_clusters(n_clusters: int | None, which: str = "intervals") -> str:
    """Return a warning about intervals if there are few clusters, otherwise an empty string."""
    if n_clusters is None or n_clusters >= FEW_CLUSTERS:
        return ""
    return f"fewer than {FEW_CLUSTERS} clusters: {which} tend to be too short"


@dataclass(frozen=True, eq=False, repr=False)
class Clusters:
    """The counts of items per cluster and cell. Clusters with equal counts are merged.

    The counts of distinct cluster k are ``counts[starts[k]:starts[k + 1]]``, and their cells are
    ``cells[starts[k]:starts[k + 1]]``. Use `clusters_of` to create `Clusters`.

    Attributes
    ----------
    starts : ndarray of shape (k + 1,)
        The index of each distinct cluster's first entry, followed by e, the number of entries.
    cells : ndarray of shape (e,)
        Indices of table cells (``row * l + column``) or of distinct rows of ratings, in increasing
        order within a cluster.
    counts : ndarray of shape (e,)
        The number of items in each entry, at least 1.
    multiplicities : ndarray of shape (k,)
        The number of clusters with these counts.
    """

    starts: AnyArray
    cells: AnyArray
    counts: AnyArray
    multiplicities: AnyArray

    @cached_property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return int(self.multiplicities.sum())

    @cached_property
    def sizes(self) -> AnyArray:
        """The number of items in each distinct cluster."""
        return np.add.reduceat(self.counts, self.starts[:-1], dtype=np.int64)

    @cached_property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.multiplicities @ self.sizes)

    @cached_property
    def are_single(self) -> bool:
        """Whether each cluster has only one item, which is equivalent to having no clusters."""
        return self.n_clusters == self.n_items

    def sums(self, values: AnyArray) -> FloatTable:
        """Return the sum of the cell values over the items of each distinct cluster.

        Parameters
        ----------
        values : ndarray of shape (..., m)

        Returns
        -------
        sums : ndarray of shape (..., k)
        """
        found = np.empty((*values.shape[:-1], len(self.multiplicities)))
        for clusters, entries in self.blocks(values[..., 0].size):
            terms = values[..., self.cells[entries]] * self.counts[entries]
            begins = self.starts[clusters] - entries.start
            np.add.reduceat(terms, begins, axis=-1, out=found[..., clusters])
        return found

    def products(self, values: AnyArray) -> FloatTable:
        """Multiply the cluster sums of each pair of rows, and add the products over all clusters.

        Parameters
        ----------
        values : ndarray of shape (q, m)
            Values per cell. If the values are deviations from the mean, divided by n, the result is
            a covariance matrix.

        Returns
        -------
        products : ndarray of shape (q, q)
        """
        total = np.zeros((len(values), len(values)))
        for clusters, entries in self.blocks(len(values)):
            terms = values[:, self.cells[entries]] * self.counts[entries]
            sums = np.add.reduceat(terms, self.starts[clusters] - entries.start, axis=-1)
            total += (sums * self.multiplicities[clusters]) @ sums.T
        return total

    def blocks(self, stacked: int = 1) -> Iterator[tuple[slice, slice]]:
        """Yield slices of distinct clusters and their entries, in blocks of about `BLOCK` terms."""
        most = max(1, BLOCK // max(1, stacked))
        first, n_clusters = 0, len(self.multiplicities)
        while first < n_clusters:
            end = int(np.searchsorted(self.starts, self.starts[first] + most, side="right")) - 1
            end = max(end, first + 1)
            yield slice(first, end), slice(int(self.starts[first]), int(self.starts[end]))
            first = end


def are_joined(clusters: Clusters | None) -> TypeGuard[Clusters]:
    """Return whether any cluster has more than one item."""
    return clusters is not None and not clusters.are_single


def widened_text(result: Any, after: str = "") -> str:
    """Return a note that clusters widened the interval, or an empty string if they did not.

    The note ends with ``after``.
    """
    is_widened = are_joined(result.clusters) and result.interval_method != "asymptotic"
    return f", widened by the design effect{after}" if is_widened else ""


def clusters_of(cluster: AnyArray, cell: AnyArray, count: AnyArray) -> Clusters:
    """Create `Clusters` from counts per cluster and cell, given in any order.

    Parameters
    ----------
    cluster, cell : ndarray of int of shape (e,)
        Indices, starting at 0. The counts of repeated pairs are summed. Unused indices do not
        become clusters.
    count : ndarray of int of shape (e,)
        The number of items of the cluster in the cell; 0 is allowed.

    Returns
    -------
    clusters : Clusters

    Examples
    --------
    Two patients each have one item in cell 0 and two items in cell 3. A third patient has one item
    in cell 1:

    >>> import numpy as np
    >>> from fastkappa.statistics.clusters import clusters_of
    >>> cluster, cell = np.array([7, 7, 8, 8, 8, 9]), np.array([0, 3, 3, 0, 3, 1])
    >>> clusters = clusters_of(cluster, cell, np.array([1, 2, 1, 1, 1, 1]))
    >>> clusters.n_clusters, clusters.n_items
    (3, 7)
    >>> clusters.multiplicities, clusters.sizes
    (array([2, 1]), array([3, 1]))
    """
    if not count.all():
        used = count != 0
        cluster, cell, count = cluster[used], cell[used], count[used]
    if len(cluster) == 0:
        none = np.zeros(0, np.int64)
        return Clusters(np.zeros(1, np.int64), none, none, none)
    rising = (cluster[1:] > cluster[:-1]) | ((cluster[1:] == cluster[:-1]) & (cell[1:] > cell[:-1]))
    if not rising.all():
        order = np.lexsort((cell, cluster))
        cluster, cell, count = cluster[order], cell[order], count[order]
        new = np.append(True, (cluster[1:] != cluster[:-1]) | (cell[1:] != cell[:-1]))
        begins = np.flatnonzero(new)
        count = np.add.reduceat(count, begins, dtype=np.int64)
        cluster, cell = cluster[begins], cell[begins]
    starts = np.append(np.flatnonzero(np.append(True, cluster[1:] != cluster[:-1])), len(cell))
    ones = np.ones(len(starts) - 1, np.int64)
    return _merged(Clusters(starts, cell, count, ones))


def _merged(single: Clusters) -> Clusters:
    """Merge clusters with equal counts. If none are equal in a sample, return all unchanged."""
    n_clusters = len(single.multiplicities)
    sample = np.unique(np.linspace(0, n_clusters - 1, SAMPLE, dtype=np.int64))
    if n_clusters > SAMPLE and len(np.unique(_keys(_selected(single, sample)))) == len(sample):
        return single
    _, first, of_cluster, multiplicities = np.unique(
        _keys(single), return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) == n_clusters:
        return single
    # Keys can collide, so clusters with equal keys are compared in full.
    starts, cells, counts = single.starts, single.cells, single.counts
    lengths, like = np.diff(starts), first[of_cluster]
    if (lengths != lengths[like]).any():
        return single
    other = np.arange(len(cells)) + np.repeat(starts[like] - starts[:-1], lengths)
    if (cells != cells[other]).any() or (counts != counts[other]).any():
        return single
    # The clusters are put in order of first occurrence, so that the result does not depend on the
    # keys.
    order = np.argsort(first)
    return replace(_selected(single, first[order]), multiplicities=multiplicities[order])


def _selected(clusters: Clusters, places: AnyArray) -> Clusters:
    """Return the distinct clusters at the given positions."""
    lengths = np.diff(clusters.starts)[places]
    starts = np.append(0, np.cumsum(lengths))
    entries = np.arange(starts[-1]) + np.repeat(clusters.starts[places] - starts[:-1], lengths)
    return Clusters(
        starts, clusters.cells[entries], clusters.counts[entries], clusters.multiplicities[places]
    )


def _keys(distinct: Clusters) -> AnyArray:
    """Return a hash key of each distinct cluster; equal clusters have equal keys."""
    keys = np.empty(len(distinct.multiplicities), np.uint64)
    for clusters, entries in distinct.blocks():
        mixed = _mix(_mix(distinct.cells[entries]) + distinct.counts[entries].astype(np.uint64))
        np.add.reduceat(mixed, distinct.starts[clusters] - entries.start, out=keys[clusters])
    return keys


def _mix(numbers: AnyArray) -> AnyArray:
    """Return a 64-bit hash of each number (the finalizer of splitmix64)."""
    mixed = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def variance(
    influence: Influence,
    proportions: AnyArray,
    n_terms: int | AnyArray,
    clusters: Clusters | None = None,
) -> FloatTable:
    """Return n times the variance of the mean influence, or 0 if it is only rounding noise.

    Without clusters, or with one item per cluster, the result equals the result of
    `fastkappa.statistics.spread.variance`.

    Parameters
    ----------
    influence : Influence
        Arrays of shape (..., m).
    proportions : ndarray of shape (..., m)
        The proportion of items with each value. Values with proportion 0 have no effect.
    n_terms : int or ndarray of shape (..., 1)
        The number of nonzero terms in the longest sum that an influence contains.
    clusters : Clusters or None
        The clusters of the items. Cell m of the clusters corresponds to value m of ``influence``.

    Returns
    -------
    variance : ndarray of shape (...)
        Divide this result by n to get the variance of a coefficient. For Student's t, also multiply
        by `correction`. The result is NaN if all items are in one cluster.

    Examples
    --------
    Two clusters, each of two equal items, contain only as much information as two items:

    >>> import numpy as np
    >>> from fastkappa.statistics.clusters import clusters_of, variance
    >>> from fastkappa.statistics.spread import Influence
    >>> values = np.array([0.0, 1.0])
    >>> float(variance(Influence(values, values), np.array([0.5, 0.5]), 2))
    0.25
    >>> pairs = clusters_of(np.array([0, 1]), np.array([0, 1]), np.array([2, 2]))
    >>> float(variance(Influence(values, values), np.array([0.5, 0.5]), 2, pairs))
    0.5
    """
    if clusters is None or clusters.are_single:
        return spread.variance(influence, proportions, n_terms)
    if clusters.n_clusters < 2:
        return np.full(influence.values.shape[:-1], np.nan)
    used = proportions != 0
    values, sizes = (np.where(used, array, 0.0) for array in influence)
    n, repeated = clusters.n_items, clusters.multiplicities
    with np.errstate(invalid="ignore", over="ignore"):
        deviation = values - np.add.reduce(proportions * values, axis=-1, keepdims=True)
        sums = clusters.sums(deviation)
        found: FloatTable = np.add.reduce(repeated * sums * sums, axis=-1) / n
        # As in `spread.variance`, the rounding error of a cluster's sum is at most the sum of the
        # error bounds for its items.
        bound = SAFETY * n_terms * EPSILON
        largest = (2 * bound * np.maximum.reduce(sizes, axis=-1, keepdims=True))[..., 0]
        if (found > largest * largest * (repeated @ clusters.sizes**2.0) / n).all():
            return found
        size = sizes + np.add.reduce(proportions * sizes, axis=-1, keepdims=True)
        noise = np.abs(sums) <= bound * clusters.sums(size)
        return np.where(noise.all(axis=-1), 0.0, found)


def correction(n: float, clusters: Clusters | None = None) -> float:
    """Return G / (G - 1) for G independent units, or NaN if G is below 2.

    Parameters
    ----------
    n : float
        The number of items, which are the independent units if there are no clusters.
    clusters : Clusters or None
    """
    units = n_units(n, clusters)
    return units / (units - 1) if units > 1 else float("nan")


def n_units(n: float, clusters: Clusters | None = None) -> float:
    """Return the number of independent units: clusters if there are any, otherwise items."""
    return n if clusters is None else clusters.n_clusters


def resampled(
    counts: AnyArray,
    clusters: Clusters,
    n_resamples: int,
    generator: np.random.Generator,
    block_cells: int,
) -> Iterator[NDArray[np.int64]]:
    """Yield stacks of bootstrap tables, each drawn with the original number of clusters.

    Parameters
    ----------
    counts : ndarray
        The table of all items, of any shape.
    clusters : Clusters
    n_resamples : int
    generator : Generator
    block_cells : int
        The approximate number of values in a stack of tables or of multiplicities.
    """
    repeated = clusters.multiplicities
    n_clusters, n_distinct = clusters.n_clusters, len(repeated)
    # Draw the most frequent rows first, because this makes the remaining draws faster.
    order = np.argsort(-repeated, kind="stable")
    proportions = repeated[order] / n_clusters
    block = max(1, block_cells // max(counts.size, n_distinct))
    for start in range(0, n_resamples, block):
        size = min(block, n_resamples - start)
        times = np.empty((size, n_distinct))
        times[:, order] = generator.multinomial(n_clusters, proportions, size=size)
        # Floats are accurate enough, because sums of whole numbers below 2**53 are exact.
        tables = np.zeros((size, counts.size))
        for distinct, own in _tables_of(clusters, counts.size, block_cells):
            tables += times[:, distinct] @ own
        yield np.rint(tables).astype(np.int64).reshape(size, *counts.shape)


def without_clusters(
    counts: AnyArray, clusters: Clusters, block_cells: int
) -> Iterator[tuple[AnyArray, NDArray[np.int64]]]:
    """Yield stacks of tables that each lack one cluster, and these clusters' multiplicities."""
    for distinct, own in _tables_of(clusters, counts.size, block_cells):
        left = counts.reshape(1, -1) - own.astype(np.int64)
        yield left.reshape(-1, *counts.shape), clusters.multiplicities[distinct]


def _tables_of(
    clusters: Clusters, n_cells: int, block_cells: int
) -> Iterator[tuple[slice, FloatTable]]:
    """Yield slices of distinct clusters, and an array with the table of each cluster as a row."""
    step = max(1, block_cells // n_cells)
    for start in range(0, len(clusters.multiplicities), step):
        begins = clusters.starts[start : start + step + 1]
        entries = slice(int(begins[0]), int(begins[-1]))
        tables = np.zeros((len(begins) - 1, n_cells))
        rows = np.repeat(np.arange(len(tables)), np.diff(begins))
        tables[rows, clusters.cells[entries]] = clusters.counts[entries]
        yield slice(start, start + len(tables)), tables
