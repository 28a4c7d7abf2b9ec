"""Count the distinct rows of ratings, and find the index of each subject's row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.formatting import count_text
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.multirater.items.counts import (
    count_patterns,
    count_profiles,
    count_rater_pairs,
    patterns_of,
    profiles_are_few,
)
from fastkappa.multirater.items.distinct_rows import distinct_rows
from fastkappa.multirater.items.doubtful_names import warn_of_logins
from fastkappa.multirater.items.long import LongRatings
from fastkappa.multirater.items.rater_columns import EncodedRater
from fastkappa.multirater.items.subjects import (
    SubjectsOfCounts,
    SubjectsOfRaters,
    count_rows_by_cluster,
)
from fastkappa.multirater.statistics.coefficient import Coefficient
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.profiles import Profiles, RaterPairs
from fastkappa.multirater.statistics.sparse_profiles import RaterProfiles, SparseProfiles
from fastkappa.ratings.column import Column
from fastkappa.ratings.item_weights import read_clusters
from fastkappa.statistics.clusters import Clusters, clusters_of
from fastkappa.statistics.intervals.doubt import doubt_of
from fastkappa.tables.by_group import ClusterCounts

# The subjects' ratings, in the original order of the subjects.
Subjects: TypeAlias = SubjectsOfRaters | SubjectsOfCounts | LongRatings
# Distinct rows, and the number of subjects with each row.
CountedRows: TypeAlias = tuple[AnyArray, IntTable]


@dataclass(frozen=True, eq=False, repr=False)
class Counted:
    """The distinct rows of ratings, counted when they are first needed.

    Attributes
    ----------
    n_raters, n_labels : int
        The number of raters and of labels.
    subjects : Subjects or None
        The subjects in their original order; None if the order is unknown.
    clusters : Column or None
        The cluster of each subject.
    count_profiles, count_patterns, count_pairs, count_sparse : callable or None
        The functions that count the rows. A function is None if another function is used instead,
        or if it is unknown which rater gave which rating.
    """

    n_raters: int
    n_labels: int
    subjects: Subjects | None = None
    clusters: Column | None = None
    count_profiles: Callable[[], CountedRows] | None = None
    count_patterns: Callable[[], CountedRows] | None = None
    count_pairs: Callable[[], IntTable] | None = None
    count_sparse: Callable[[], list[CountedRows]] | None = None

    @property
    def n_blank(self) -> int:
        """The number of rows without a rating in long form; 0 for other forms."""
        return self.subjects.n_blank if isinstance(self.subjects, LongRatings) else 0

    @property
    def known_patterns(self) -> Patterns | None:
        """The patterns, or None if there are too many labels or raters to store them."""
        return None if self.count_patterns is None and self.count_sparse else self.patterns

    def doubt(self, labels: AnyArray) -> str:
        """Return a reason to distrust intervals and tests, or an empty string if there is none."""
        patterns = self.known_patterns
        if patterns is None or not patterns.counts.size:
            return ""
        most = int((patterns.multiplicities @ patterns.counts).argmax())
        is_other = patterns.counts[:, most] < patterns.n_ratings
        n_other = int(patterns.multiplicities[is_other].sum())
        return doubt_of(n_other, int(patterns.multiplicities.sum()), labels.tolist()[most], "item")

    @property
    def knows_raters(self) -> bool:
        """Whether it is known who gave which rating."""
        return self.count_profiles is not None or self.count_sparse is not None

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct patterns (the number of raters per label), and how often each occurs."""
        if self.count_patterns is not None:
            return Patterns(*self.count_patterns())
        dense = self._dense_profiles
        return Patterns(*patterns_of(dense.codes, dense.multiplicities, self.n_labels))

    @cached_property
    def profiles(self) -> RaterProfiles:
        """The distinct profiles (the label from each rater), and how often each occurs."""
        if self.count_sparse is not None:
            return SparseProfiles(self.count_sparse(), self.n_raters, self.n_labels)
        return self._dense_profiles

    @cached_property
    def _dense_profiles(self) -> Profiles:
        assert self.count_profiles is not None
        return Profiles(*self.count_profiles(), self.n_labels)

    def rater_pairs(self) -> RaterPairs:
        """Return the tables of all pairs of raters, and the number of subjects each rater rated."""
        if self.count_pairs is not None:
            with_missing = self.count_pairs()
            first, second = np.triu_indices(self.n_raters, 1)
            n_rated = np.zeros(self.n_raters, np.int64)
            n_rated[first] = with_missing[:, :-1].sum(axis=(1, 2))
            n_rated[second] = with_missing[:, :, :-1].sum(axis=(1, 2))
            return RaterPairs(with_missing[:, :-1, :-1], n_rated)
        n_rated = self.profiles.margins(self.profiles.multiplicities).sum(axis=-1)
        return RaterPairs(self.profiles.tables(self.profiles.multiplicities), n_rated)

    def places(self, of_profiles: bool) -> AnyArray:
        """Return the index of each subject's profile or pattern, or -1 for unrated subjects.

        Raises
        ------
        ValueError
            If the order of the subjects is unknown, or if the ratings were changed after they were
            counted.
        """
        if self.subjects is None:
            raise ValueError(
                "ratings from a confusion matrix do not show how each subject was rated: pass"
                " Ratings with one row per subject."
            )
        if of_profiles:
            found = self.subjects.places_of_profiles(self.profiles.parts)
            counted = self.profiles.multiplicities
        else:
            found = self.subjects.places_of_patterns(self.patterns.counts)
            counted = self.patterns.multiplicities
        if (np.bincount(found[found >= 0], minlength=len(counted)) != counted).any():
            raise ValueError(
                "ratings were changed after they were counted: compute the coefficient again."
            )
        return found

    def clusters_of(self, coefficient: Coefficient) -> Clusters | None:
        """Return the clusters of a coefficient's subjects, or None if there are no clusters."""
        if self.clusters is None:
            return None
        found = self._of_profiles if coefficient.of_profiles else self._of_patterns
        return clusters_of(*(found if coefficient.used is None else _kept(found, coefficient.used)))

    def clusters_of_profiles(self, used: AnyArray) -> Clusters | None:
        """Return the clusters of subjects with given profiles, or None if there are no clusters."""
        return None if self.clusters is None else clusters_of(*_kept(self._of_profiles, used))

    def places_in(self, coefficient: Coefficient) -> AnyArray:
        """Return each subject's index among a coefficient's rows, or -1 for unused subjects."""
        found = self.places(coefficient.of_profiles)
        if coefficient.used is None:
            return found
        # Subjects without ratings have the index -1, which selects the appended -1.
        new = np.where(coefficient.used, np.cumsum(coefficient.used) - 1, -1)
        return np.append(new, -1)[found]

    def clusters_of_pairs(self) -> Iterator[tuple[int, Clusters]]:
        """Yield the index and the clusters of each pair of raters with subjects in common.

        The clusters contain the number of subjects in each cell of the pair's table.
        """
        found, n_cells = self._of_profiles, self.n_labels**2
        order = np.argsort(found.cells, kind="stable")
        n_profiles = len(self.profiles.multiplicities)
        starts = np.searchsorted(found.cells[order], np.arange(n_profiles + 1))
        rows, cells = self.profiles.cells_of_pairs()
        # For each of the ``rows``, a range of ``order`` lists the entries of that profile.
        # Concatenate these ranges.
        lengths = starts[rows + 1] - starts[rows]
        before = np.cumsum(lengths) - lengths
        entries = order[np.arange(lengths.sum()) + np.repeat(starts[rows] - before, lengths)]
        pairs, cells = np.divmod(np.repeat(cells, lengths), n_cells)
        by_pair = np.argsort(pairs, kind="stable")
        numbers, begins = np.unique(pairs[by_pair], return_index=True)
        for number, some in zip(numbers.tolist(), np.split(by_pair, begins[1:])):
            own = entries[some]
            yield number, clusters_of(found.clusters[own], cells[some], found.counts[own])

    @cached_property
    def _of_profiles(self) -> ClusterCounts:
        return self._by_cluster(True)

    @cached_property
    def _of_patterns(self) -> ClusterCounts:
        return self._by_cluster(False)

    def _by_cluster(self, of_profiles: bool) -> ClusterCounts:
        rows = self.profiles if of_profiles else self.patterns
        return self.count_by_cluster(self.places(of_profiles), len(rows.multiplicities))

    def count_by_cluster(self, rows: AnyArray, n_rows: int) -> ClusterCounts:
        """Return the number of subjects per row and cluster. Subjects in row -1 are ignored."""
        assert self.clusters is not None
        return count_rows_by_cluster(
            get_kernels(), self.clusters, rows, n_rows, available_threads()
        )


def _kept(found: ClusterCounts, used: AnyArray) -> ClusterCounts:
    """Return the counts of the selected rows, with the rows renumbered from 0."""
    kept, places = used[found.cells], np.cumsum(used) - 1
    return ClusterCounts(found.clusters[kept], places[found.cells[kept]], found.counts[kept])


def in_common_order(
    first: Counted, of_first: AnyArray, second: Counted, of_second: AnyArray
) -> tuple[AnyArray, AnyArray]:
    """Return each subject's row index in two sets of ratings, with subjects in the same order.

    Items in long form are matched by name. An item that occurs in only one set has index -1 in the
    other.

    Raises
    ------
    ValueError
        If the two sets of ratings have different subjects or clusters, or no items in common.
    """
    items, others = (
        None if one.subjects is None else one.subjects.items for one in (first, second)
    )
    if (items is None) != (others is None):
        raise ValueError(
            "ratings in long form cannot be compared with ratings in another form, because items"
            " cannot be matched to rows: pass both in the same form."
        )
    order, are_same = np.arange(len(of_second)), len(of_first) == len(of_second)
    if items is not None and others is not None:
        place = {item: i for i, item in enumerate(items.tolist())}
        n_shared = sum(item in place for item in others.tolist())
        order = np.array([place.setdefault(item, len(place)) for item in others.tolist()])
        are_same = n_shared == len(of_first) == len(of_second)
        if not n_shared:
            raise ValueError("first and second have no items in common: use compare_strata.")
        if not are_same and first.clusters is not None:
            raise ValueError(
                f"with clusters, first and second must have the same items, got {len(of_first)} and"
                f" {len(of_second)} items, with {n_shared} in common. If one of them lacks an"
                " item, add a row of missing ratings for it."
            )
        both = np.full((2, len(place)), -1)
        both[0, : len(of_first)], both[1, order] = of_first, of_second
        of_first, of_second = both
    elif not are_same:
        raise ValueError(
            "first and second must be coefficients for the same subjects, got"
            f" {len(of_first)} and {len(of_second)} subjects. For a subject without ratings, add a"
            " row of missing ratings."
        )
    one, two = first.clusters, second.clusters
    if (one is None) != (two is None):
        raise ValueError(
            "first and second must have the same clusters, but only one of them has clusters."
        )
    if one is not None and two is not None and not _are_alike(one.values[order], two.values):
        raise ValueError(
            "first and second must have the same clusters, but they group the subjects differently."
        )
    return of_first, of_second


def _are_alike(first: AnyArray, second: AnyArray) -> bool:
    """Return whether two columns define the same clusters. The clusters' names are ignored."""
    one, two = (np.unique(values, return_inverse=True)[1] for values in (first, second))
    n_pairs = len(np.unique(one.astype(np.int64) * len(two) + two))
    return bool(n_pairs == one.max() + 1 == two.max() + 1)


def of_raters(raters: Sequence[EncodedRater], clusters: Any) -> Counted:
    """Return the counted rows of ratings with one column per rater."""
    few = profiles_are_few(raters)
    warn_of_logins([one.rater.name for one in raters], with_alike=True)
    return Counted(
        len(raters),
        raters[0].n_labels,
        SubjectsOfRaters(raters),
        _read(clusters, raters[0].rater.n_subjects),
        partial(_count, count_profiles, raters),
        None if few else partial(_count, count_patterns, raters),
        None if few else partial(_count, count_rater_pairs, raters),
    )


def _count(count: Callable[..., Any], raters: Sequence[EncodedRater]) -> Any:
    """Count the rows with the kernels of this process, even if the ratings were unpickled."""
    return count(get_kernels(), raters, available_threads())


def of_counts(table: IntTable, n_raters: int, clusters: Any) -> Counted:
    """Return the counted rows of a table of counts with one row per subject."""
    return Counted(
        n_raters,
        table.shape[1],
        SubjectsOfCounts(table),
        _read(clusters, len(table)),
        count_patterns=partial(distinct_rows, table),
    )


def of_table(table: IntTable) -> Counted:
    """Return the counted rows of a confusion matrix of two raters."""
    return Counted(2, len(table), count_profiles=partial(_cells, table))


def _cells(table: IntTable) -> CountedRows:
    found = np.argwhere(table)
    return found.astype(np.min_scalar_type(len(table))), table[tuple(found.T)]


def of_long(long: LongRatings) -> Counted:
    """Return the counted rows of ratings in long form."""
    return Counted(
        len(long.rater_names),
        long.n_labels,
        long,
        long.clusters,
        count_patterns=long.patterns,
        count_sparse=long.profiles,
    )


def _read(clusters: Any, n_subjects: int) -> Column | None:
    return None if clusters is None else read_clusters(clusters, n_subjects, "subjects")


def missing_text(counted: Counted | None, n_missing: int, n_subjects: int, n_raters: int) -> str:
    """Return the number of missing ratings as text, or an empty string if no rating is missing.

    If fewer than half of the subjects have a rating from every rater, ratings are assumed to be
    missing by design. The text then states the number of ratings per subject instead. For ratings
    in long form, the text also states the number of rows without a rating, unless it equals the
    number of missing ratings.
    """
    if not n_missing:
        return ""
    blank, long = "", None if counted is None else counted.subjects
    if isinstance(long, LongRatings) and long.n_blank not in (0, n_missing):
        blank = f", {long.n_blank} of {long.n_rows} rows without a rating"
    patterns = None if counted is None else counted.known_patterns
    if patterns is not None:
        n_ratings, n_each = patterns.n_ratings, patterns.multiplicities
        if 2 * n_each[n_ratings == n_raters].sum() < n_subjects:
            fewest = 0 if n_each.sum() < n_subjects else int(n_ratings.min())
            ratings = count_text(int(n_ratings.max()), "rating")
            each = "" if fewest == n_ratings.max() else f"{fewest} to "
            return f"{each}{ratings} each{blank}"
    return f"{n_missing} of {n_subjects * n_raters} ratings missing{blank}"


def items_text(n_items: int, n_paired: int, in_clusters: str) -> str:
    """Return the number of items and, if smaller, the number with at least two ratings, as text."""
    few = f", {n_paired} of them with two ratings or more" if n_paired < n_items else ""
    return f"{count_text(n_items, 'item')}{in_clusters}{few}"
