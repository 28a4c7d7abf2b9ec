"""Store distinct profiles of ratings: the label that each rater gave to a subject.

codes           (P, R)    the position of a rating's label, l if the rating is missing
multiplicities  (..., P)  subjects of each profile; a row of a stack is one resample
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats, IntTable
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.unseen import with_unseen_profiles


class RaterPairs(NamedTuple):
    """The tables of all pairs of raters, and the number of subjects each rater rated.

    Attributes
    ----------
    tables : ndarray of shape (R (R - 1) / 2, l, l)
        The tables of the pairs (0, 1), (0, 2), ... (1, 2), ... Rows are the first rater's ratings.
    n_rated : ndarray of shape (R,)
    """

    tables: IntTable
    n_rated: IntTable


class Profiles:
    """The distinct profiles, and the number of subjects with each.

    Parameters
    ----------
    codes : ndarray of shape (P, R)
        Codes from 0 to ``n_labels``, which means a missing rating. Profiles without a rating are
        left out.
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

    @property
    def n_raters(self) -> int:
        """The number of raters."""
        return int(self.codes.shape[1])

    @cached_property
    def n_ratings(self) -> IntTable:
        """The number of ratings in each profile, of shape (P,)."""
        n_ratings: IntTable = (self.codes < self.n_labels).sum(axis=1, dtype=np.int64)
        return n_ratings

    def with_unseen(self, n_features: int) -> Profiles | None:
        """Add the possible unseen profiles to these, or return None if there are too many."""
        found = with_unseen_profiles(self.codes, self.multiplicities, self.n_labels, n_features)
        return None if found is None else Profiles(*found, self.n_labels)

    @property
    def dense(self) -> Profiles:
        """The profiles themselves, which are already dense."""
        return self

    def without(self, rater: int) -> Profiles:
        """Return the profiles without one rater. Equal profiles are not merged."""
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
        """The distinct profiles, of shape (P, R)."""
        return [self.codes]

    def codes_of(self, rows: AnyArray) -> AnyArray:
        """Return the codes of the selected profiles, or ``n_labels`` for a missing rating."""
        return self.codes[rows]

    def distances(self, between: Floats) -> Floats:
        """Return the sum of the distances over a profile's ordered pairs of ratings."""
        size = self.n_labels + 1
        # A missing rating has distance 0 to everything.
        padded = np.zeros((size, size))
        padded[:-1, :-1] = between + between.T
        total = np.zeros(len(self.codes))
        for a, b in combinations(range(self.n_raters), 2):
            total += padded.reshape(-1)[self.pair(a, b)]
        return total

    def distances_to(self, rater: int, between: Floats) -> tuple[Floats, IntTable]:
        """Return the mean distances of a rater's rating to the other ratings, and rating counts.

        The first array is twice the mean distance to the other ratings, or 0 for profiles without
        such a pair. The second array is 2, because the other ratings are treated as one rating, or
        0 for profiles without such a pair.
        """
        size = self.n_labels + 1
        padded = np.zeros((size, size))
        padded[:-1, :-1] = between
        total, n_pairs = np.zeros(len(self.codes)), np.zeros(len(self.codes), np.int64)
        rated = self.codes < self.n_labels
        for other in range(self.n_raters):
            if other != rater:
                total += padded.reshape(-1)[self.pair(rater, other)]
                n_pairs += rated[:, rater] & rated[:, other]
        return 2 * total / np.maximum(n_pairs, 1), np.where(n_pairs > 0, 2, 0)

    def pair(self, first: int, second: int) -> NDArray[np.intp]:
        """Return each profile's cell in the flattened (l + 1, l + 1) table of two raters."""
        cells = self.codes[:, first].astype(np.intp) * (self.n_labels + 1)
        cells += self.codes[:, second]
        return cells

    def margins(self, multiplicities: AnyArray) -> AnyArray:
        """Return the number of subjects per rater and label, of shape (..., R, l)."""
        counts = [
            sums_by_code(codes, multiplicities, self.n_labels + 1)[..., :-1]
            for codes in self.codes.T
        ]
        return np.stack(counts, axis=-2)

    def sums(self, values: Floats) -> Floats:
        """Return the sum of ``values``, of shape (R, l), over each profile's ratings."""
        total = np.zeros(len(self.codes))
        for of_rater, codes in zip(values, self.codes.T):
            total += np.append(of_rater, 0.0)[codes]
        return total

    def tables(self, multiplicities: AnyArray) -> AnyArray:
        """Return the tables of all pairs of raters, of shape (..., R (R - 1) / 2, l, l)."""
        size = self.n_labels + 1
        tables = [
            sums_by_code(self.pair(a, b), multiplicities, size * size)
            for a, b in combinations(range(self.n_raters), 2)
        ]
        stack = np.stack(tables, axis=-2)
        return stack.reshape(*stack.shape[:-1], size, size)[..., :-1, :-1]

    def pair_sums(self, values: Floats) -> Floats:
        """Return the sum of ``values``, shaped as `tables`, over each profile's pairs."""
        padded = np.zeros((self.n_labels + 1, self.n_labels + 1))
        total = np.zeros(len(self.codes))
        for (a, b), of_pair in zip(combinations(range(self.n_raters), 2), values):
            padded[:-1, :-1] = of_pair
            total += padded.reshape(-1)[self.pair(a, b)]
        return total

    def cells_of_pairs(self) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield profile indices and their cells in the flattened `tables`, pair by pair."""
        n_labels = self.n_labels
        for i, (a, b) in enumerate(combinations(range(self.n_raters), 2)):
            first, second = self.codes[:, a], self.codes[:, b]
            rows = np.flatnonzero((first < n_labels) & (second < n_labels))
            cells = first[rows].astype(np.intp) + i * n_labels
            cells *= n_labels
            cells += second[rows]
            yield rows, cells


def sums_by_code(codes: AnyArray, multiplicities: AnyArray, n_codes: int) -> AnyArray:
    """Return the sum of the multiplicities of each code, of shape (..., n_codes).

    Whole multiplicities keep their type: their sums are exact below 2**53.
    """
    samples = multiplicities.reshape(-1, multiplicities.shape[-1])
    codes = codes.astype(np.intp, copy=False)
    sums = np.array([np.bincount(codes, sample, n_codes) for sample in samples])
    return sums.astype(multiplicities.dtype).reshape(*multiplicities.shape[:-1], n_codes)
