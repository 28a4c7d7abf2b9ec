"""Locate each subject's row of ratings among the distinct rows.

Coefficients need only the distinct rows and the number of subjects with each row. Clusters of
subjects and comparisons of coefficients also require the row of each subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.kernels.contract import PairKernels
from fastkappa.multirater.items.distinct_rows import RowFinder
from fastkappa.multirater.items.rater_columns import CHUNK, EncodedRater
from fastkappa.ratings.column import Column
from fastkappa.tables.by_group import ClusterCounts, RatedColumn, count_by_cluster
from fastkappa.tables.codecs import LabelRange
from fastkappa.tables.known_labels import Encoding


class SubjectsOfRaters:
    """The subjects of ratings with one column per rater, in their original order."""

    items = None

    def __init__(self, raters: Sequence[EncodedRater]) -> None:
        self._raters = raters

    def places_of_profiles(self, profiles: Sequence[AnyArray]) -> AnyArray:
        """Return the index of each subject's profile in ``profiles``; -1 for unrated subjects."""
        (codes,) = profiles
        return places(RowFinder(codes, self._raters[0].n_labels + 1), len(codes), self._blocks())

    def places_of_patterns(self, patterns: AnyArray) -> AnyArray:
        """Return the index of each subject's pattern in ``patterns``; -1 for unrated subjects."""
        n_labels = self._raters[0].n_labels
        finder = RowFinder(sorted_codes(patterns, len(self._raters)), n_labels + 1)
        ordered = (np.sort(codes, axis=1) for codes in self._blocks())
        return places(finder, len(patterns), ordered)

    def _blocks(self) -> Iterator[AnyArray]:
        for start in range(0, self._raters[0].rater.n_subjects, CHUNK):
            yield np.stack([rater.codes(start, start + CHUNK) for rater in self._raters], axis=1)


class SubjectsOfCounts:
    """The subjects of a table of counts with one row per subject."""

    items = None

    def __init__(self, table: IntTable) -> None:
        self._table = table

    def places_of_profiles(self, profiles: Sequence[AnyArray]) -> AnyArray:
        """Raise an error, because counts do not show which rater gave which rating."""
        raise TypeError("counts have no profiles")

    def places_of_patterns(self, patterns: AnyArray) -> AnyArray:
        """Return the index of each subject's pattern in ``patterns``; -1 for unrated subjects."""
        finder = RowFinder(patterns, int(self._table.max()) + 1)
        starts = range(0, len(self._table), CHUNK)
        blocks = (self._table[start : start + CHUNK] for start in starts)
        return places(finder, len(patterns), blocks)


def places(finder: RowFinder, n_rows: int, blocks: Iterator[AnyArray]) -> AnyArray:
    """Return the index that ``finder`` finds for each row, with the smallest possible dtype."""
    dtype = np.min_scalar_type(-n_rows)
    return np.concatenate([finder.places(block).astype(dtype) for block in blocks])


def sorted_codes(patterns: AnyArray, n_raters: int) -> AnyArray:
    """Expand patterns to sorted codes of shape (P, n_raters).

    The code of a missing rating is one above the code of the last label.
    """
    rows, labels = np.nonzero(patterns)
    ordered = np.full((len(patterns), n_raters), patterns.shape[1])
    n_ratings = patterns.sum(axis=1, dtype=np.int64)
    ordered[np.arange(n_raters) < n_ratings[:, None]] = np.repeat(labels, patterns[rows, labels])
    return ordered


def count_rows_by_cluster(
    kernels: PairKernels, clusters: Column, rows: AnyArray, n_rows: int, num_threads: int
) -> ClusterCounts:
    """Return the number of subjects per cluster and distinct row.

    ``rows`` contains the index of each subject's row, or -1 for subjects without a row.
    """
    every = Encoding(LabelRange(0, n_rows), np.arange(n_rows))
    rated = RatedColumn(Column(rows, rows.dtype), every, n_rows)
    return count_by_cluster(kernels, clusters, [rated], num_threads)
