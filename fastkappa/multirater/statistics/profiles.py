"""Store distinct profiles of ratings. A profile lists the label that each rater gave.

codes           (P, R)    the position of each rating's label, or l if the rating is missing
multiplicities  (..., P)  the number of subjects with each profile; one row per resample in a stack
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, Floats, IntTable
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.rated_profiles import RatedProfiles
from fastkappa.multirater.statistics.unseen import with_unseen_profiles


class RaterPairs(NamedTuple):
    """The tables of all pairs of raters, and the number of subjects that each rater rated.

    Attributes
    ----------
    tables : ndarray of shape (R (R - 1) / 2, l, l)
        The confusion matrices of the pairs, ordered as (0, 1), (0, 2), ..., (1, 2), ... Each row
        contains the subjects to which the first rater gave that row's label.
    n_rated : ndarray of shape (R,)
        The number of subjects that each rater rated.
    """

    tables: IntTable
    n_rated: IntTable


class Profiles(RatedProfiles):
    """The distinct profiles, and the number of subjects with each profile.

    Parameters
    ----------
    codes : ndarray of shape (P, R)
        Codes from 0 to ``n_labels``. The code ``n_labels`` means a missing rating. Profiles without
        a rating are left out.
    multiplicities : ndarray of shape (P,)
        The number of subjects with each profile.
    n_labels : int
        The number of labels.
    """

    def __init__(self, codes: AnyArray, multiplicities: AnyArray, n_labels: int) -> None:
        rated = (codes < n_labels).any(axis=1)
        if not rated.all():
            codes, multiplicities = codes[rated], multiplicities[rated]
        self.codes, self.multiplicities, self.n_labels = codes, multiplicities, n_labels
        self.n_raters = codes.shape[1]

    @cached_property
    def n_ratings(self) -> IntTable:
        """The number of ratings in each profile, of shape (P,)."""
        n_ratings: IntTable = (self.codes < self.n_labels).sum(axis=1, dtype=np.int64)
        return n_ratings

    def with_unseen(self, n_features: int) -> Profiles | None:
        """Return these profiles and all possible unseen profiles, or None if there are too many."""
        found = with_unseen_profiles(self.codes, self.multiplicities, self.n_labels, n_features)
        return None if found is None else Profiles(*found, self.n_labels)

    @property
    def dense(self) -> Profiles:
        """The same profiles, because they are already dense."""
        return self

    def without(self, rater: int) -> Profiles:
        """Return the profiles without one rater. Profiles that become equal are not merged."""
        return Profiles(np.delete(self.codes, rater, axis=1), self.multiplicities, self.n_labels)

    def of_labels(self, are_one: AnyArray) -> Profiles:
        """Return the profiles with two labels: 0 for the labels in a mask, 1 for all others."""
        return Profiles(np.append(np.where(are_one, 0, 1), 2)[self.codes], self.multiplicities, 2)

    @property
    def patterns(self) -> Patterns:
        """The pattern of each profile. Equal patterns are not merged."""
        given = [(self.codes == label).sum(axis=1) for label in range(self.n_labels)]
        return Patterns(np.stack(given, axis=1), self.multiplicities)

    @property
    def parts(self) -> list[AnyArray]:
        """The codes of the profiles, as a list of one array of shape (P, R)."""
        return [self.codes]

    def codes_of(self, rows: AnyArray) -> AnyArray:
        """Return the codes of the selected profiles, with ``n_labels`` for missing ratings."""
        return self.codes[rows]

    def distances_to(self, rater: int, between: Floats) -> tuple[Floats, IntTable]:
        """Return, for each profile, the distance from a rater to the others, and a rating count.

        All other ratings of a profile are treated as a single rating, which forms a pair with the
        rater's own. The distance is the mean distance to the other ratings, doubled because the
        pair counts in both orders. The rating count is 2. Both are 0 if there is no such pair.
        """
        size = self.n_labels + 1
        padded = np.zeros((size, size))
        padded[:-1, :-1] = between
        total, n_pairs = np.zeros(len(self.codes)), np.zeros(len(self.codes), np.int64)
        rated = self.codes < self.n_labels
        for other in range(self.n_raters):
            if other != rater:
                total += padded[self.codes[:, rater], self.codes[:, other]]
                n_pairs += rated[:, rater] & rated[:, other]
        return 2 * total / np.maximum(n_pairs, 1), np.where(n_pairs > 0, 2, 0)

    @cached_property
    def by_size(self) -> list[tuple[IntTable, AnyArray]]:
        dtype = np.min_scalar_type(self.n_raters * self.n_labels)
        ratings = self.codes + np.arange(self.n_raters, dtype=dtype) * self.n_labels
        is_rated, parts = self.codes < self.n_labels, []
        for size in np.unique(self.n_ratings).tolist():
            rows = np.flatnonzero(self.n_ratings == size)
            parts.append((rows, ratings[rows][is_rated[rows]].reshape(-1, size)))
        return parts
