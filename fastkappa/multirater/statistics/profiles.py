"""Agreement of several raters who must be told apart, from profiles of their ratings.

A profile is what each rater gave to a subject. Subjects of the same profile are one row
with a multiplicity:

    codes           (P, R)    the rating's position among the labels, l if it is missing
    multiplicities  (..., P)  subjects of each profile; a row of a stack is one resample
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.multirater.statistics.chance_corrected import (
    Coefficient,
    Disagreement,
    Floats,
    divided,
    influence_of_pairs,
    observed_distance,
)
from fastkappa.statistics.inference import kappa_gradient
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights


class Profiles:
    """Distinct rows of ratings, with the number of subjects that have them.

    Parameters
    ----------
    codes : ndarray of shape (P, R)
        0 to ``n_labels``, which stands for a missing rating. Subjects without any rating
        are left out.
    multiplicities : ndarray of shape (P,)
        Subjects of each profile.
    n_labels : int
        How many labels there are.
    """

    def __init__(self, codes: AnyArray, multiplicities: AnyArray, n_labels: int) -> None:
        rated = (codes < n_labels).any(axis=1)
        if not rated.all():
            codes, multiplicities = codes[rated], multiplicities[rated]
        self.codes, self.multiplicities, self.n_labels = codes, multiplicities, n_labels

    @property
    def n_raters(self) -> int:
        """How many raters there are."""
        return int(self.codes.shape[1])

    @cached_property
    def n_ratings(self) -> IntTable:
        """How many raters have rated a subject of each profile, of shape (P,)."""
        n_ratings: IntTable = (self.codes < self.n_labels).sum(axis=1, dtype=np.int64)
        return n_ratings

    def distances(self, between: Floats) -> Floats:
        """Return the sum of the distances over a profile's ordered pairs of ratings."""
        size = self.n_labels + 1
        # Nothing is far from a missing rating.
        padded = np.zeros((size, size))
        padded[:-1, :-1] = between + between.T
        apart = np.zeros(len(self.codes))
        for a, b in combinations(range(self.n_raters), 2):
            apart += padded.reshape(-1)[self.pair(a, b)]
        return apart

    def pair(self, first: int, second: int) -> NDArray[np.intp]:
        """Return each profile's cell in the flattened (l + 1, l + 1) table of two raters."""
        cells = self.codes[:, first].astype(np.intp) * (self.n_labels + 1)
        cells += self.codes[:, second]
        return cells

    def tables(self, multiplicities: AnyArray) -> AnyArray:
        """Return the tables of all pairs of raters, of shape (..., R (R - 1) / 2, l + 1, l + 1).

        Their last row and column are those of missing ratings.
        """
        size = self.n_labels + 1
        tables = [
            sums_by_code(self.pair(a, b), multiplicities, size * size)
            for a, b in combinations(range(self.n_raters), 2)
        ]
        stack = np.stack(tables, axis=-2)
        return stack.reshape(*stack.shape[:-1], size, size)


class Conger(Coefficient):
    """Conger's kappa: by chance, each rater rates by a margin of its own.

    References
    ----------
    A. J. Conger (1980). Integration and generalization of kappas for multiple raters.
    Psychological Bulletin 88, 322-328.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.
    """

    def __init__(self, profiles: Profiles, distances: Floats) -> None:
        self._profiles, self._distances = profiles, distances
        self.multiplicities = profiles.multiplicities
        n_ratings = profiles.n_ratings
        self._paired = n_ratings >= 2
        self._apart = profiles.distances(distances) / np.maximum(n_ratings * (n_ratings - 1), 1)

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        margins, _ = self._margins(multiplicities)
        return Disagreement(
            observed_distance(self._apart, self._paired, multiplicities), self._expected(margins)
        )

    def influence(self) -> Floats:
        multiplicities, n_raters = self.multiplicities, self._profiles.n_raters
        n = multiplicities.sum()
        margins, n_rated = self._margins(multiplicities)
        expected = self._expected(margins)
        observed = observed_distance(self._apart, self._paired, multiplicities)
        coefficient = 1 - observed / expected
        # The distance to what the other raters give, by label; a rater's missing ratings
        # stand for the rater's average, ratings for the more, the fewer there are.
        to_others = (margins.sum(axis=0) - margins) @ self._distances
        average = (to_others * margins).sum(axis=1)
        by_chance = np.zeros(len(multiplicities))
        for rater, codes in enumerate(self._profiles.codes.T):
            given = (to_others[rater] - average[rater]) * n / n_rated[rater] + average[rater]
            by_chance += np.append(given, average[rater])[codes]
        by_chance /= n_raters * (n_raters - 1)
        pulls = influence_of_pairs(self._apart, self._paired, multiplicities, expected, coefficient)
        return pulls + 2 * (1 - coefficient) * (by_chance - expected) / expected

    def _margins(self, multiplicities: AnyArray) -> tuple[Floats, Floats]:
        """Return each rater's shares of the labels, (..., R, l), and ratings, (..., R)."""
        size = self._profiles.n_labels + 1
        counts = np.stack(
            [sums_by_code(codes, multiplicities, size) for codes in self._profiles.codes.T],
            axis=-2,
        )[..., :-1]
        n_rated = counts.sum(axis=-1)
        return divided(counts, n_rated[..., None]), n_rated

    def _expected(self, margins: Floats) -> Floats:
        """Return the expected distance, the average over the ordered pairs of raters."""
        others = margins.sum(axis=-2, keepdims=True) - margins
        n_raters = margins.shape[-2]
        pairs = ((others @ self._distances) * margins).sum(axis=(-2, -1))
        return np.asarray(pairs / (n_raters * (n_raters - 1)))


class Light(Coefficient):
    """Light's kappa: the mean of Cohen's kappa over the pairs of raters.

    Its standard error is that of the delta method, so that for two raters it is the one of
    Fleiss, Cohen and Everitt (1969). A pair counts the subjects that both have rated.

    References
    ----------
    R. J. Light (1971). Measures of response agreement for qualitative data: some
    generalizations and alternatives. Psychological Bulletin 76, 365-377.
    """

    def __init__(self, profiles: Profiles, weights: Weights) -> None:
        self._profiles, self._weights = profiles, weights
        self.multiplicities = profiles.multiplicities

    def values(self, multiplicities: AnyArray) -> Floats:
        tables = self._profiles.tables(multiplicities)[..., :-1, :-1]
        return np.asarray(kappas(tables, self._weights).mean(axis=-1))

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        """Return NaN: a mean of kappas has no disagreement of its own."""
        undefined = np.full(multiplicities.shape[:-1], np.nan)
        return Disagreement(undefined, undefined)

    def influence(self) -> Floats:
        profiles = self._profiles
        tables = profiles.tables(self.multiplicities)[..., :-1, :-1]
        n, n_labels = float(self.multiplicities.sum()), profiles.n_labels
        pulls = np.zeros(len(self.multiplicities))
        pairs = list(combinations(range(profiles.n_raters), 2))
        for (a, b), table in zip(pairs, tables):
            slope = kappa_gradient(table, self._weights)
            share = table / table.sum()
            by_cell = np.zeros((n_labels + 1, n_labels + 1))
            by_cell[:-1, :-1] = (slope - (slope * share).sum()) * n / table.sum()
            pulls += by_cell.reshape(-1)[profiles.pair(a, b)]
        return pulls / len(pairs)

    def standard_error(self) -> float:
        """Return the standard error over samples of subjects."""
        n = float(self.multiplicities.sum())
        return math.sqrt(float(self.multiplicities @ self.influence() ** 2)) / n

    def degrees_of_freedom(self) -> float:
        """Infinity: intervals and tests are those of the normal distribution."""
        return math.inf


def sums_by_code(codes: AnyArray, multiplicities: AnyArray, n_codes: int) -> AnyArray:
    """Return the sum of the multiplicities of each code, of shape (..., n_codes).

    Whole multiplicities keep their type: their sums are exact below 2**53.
    """
    samples = multiplicities.reshape(-1, multiplicities.shape[-1])
    codes = codes.astype(np.intp, copy=False)
    sums = np.array([np.bincount(codes, sample, n_codes) for sample in samples])
    return sums.astype(multiplicities.dtype).reshape(*multiplicities.shape[:-1], n_codes)
