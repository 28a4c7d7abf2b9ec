"""Coefficients that need to know who gave which rating: Conger's and Light's kappa."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.multirater.statistics.coefficient import (
    Coefficient,
    Disagreement,
    WithinSubjects,
    divided,
)
from fastkappa.multirater.statistics.profiles import Profiles, sums_by_code
from fastkappa.statistics.inference import kappa_gradient
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.spread import Influence, without_noise
from fastkappa.statistics.weights import Weights


class Conger(Coefficient):
    """Conger's kappa: by chance, each rater draws labels from its own margin.

    References
    ----------
    A. J. Conger (1980). Integration and generalization of kappas for multiple raters.
    Psychological Bulletin 88, 322-328.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.
    """

    def __init__(self, profiles: Profiles, distances: Floats) -> None:
        self._profiles, self._distances = profiles, distances
        self.multiplicities = profiles.multiplicities
        self._within = WithinSubjects(profiles.distances(distances), profiles.n_ratings)

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        margins, _ = self._margins(multiplicities)
        return Disagreement(self._within.observed(multiplicities), self._expected(margins))

    def n_used(self) -> int:
        return int(np.count_nonzero(self._margins(self.multiplicities)[0]))

    def influence(self) -> Influence:
        multiplicities, n_raters = self.multiplicities, self._profiles.n_raters
        n = multiplicities.sum()
        margins, n_rated = self._margins(multiplicities)
        expected = self._expected(margins)
        # The distance of each label to the other raters' labels, from the sum of all margins
        # less the rater's own. A rater's missing rating takes the rater's average, which is
        # left out here, for it is that of all subjects; the fewer ratings a rater has, the
        # more each counts.
        to_all, to_own = margins.sum(axis=0) @ self._distances, margins @ self._distances
        by_chance, sizes = np.zeros((2, len(multiplicities)))
        for rater, codes in enumerate(self._profiles.codes.T):
            for total, sign in ((by_chance, -1), (sizes, 1)):
                distance = to_all + sign * to_own[rater]
                average = distance @ margins[rater]
                given = np.append(distance + sign * average, 0.0)
                total += given[codes] * (n / n_rated[rater])
        factor = 2 * self._within.observed(multiplicities) / expected**2
        factor = factor / (n_raters * (n_raters - 1))
        own = self._within.influence(multiplicities, expected)
        return Influence(own.values + factor * by_chance, own.sizes + factor * sizes)

    def _margins(self, multiplicities: AnyArray) -> tuple[Floats, Floats]:
        """Return each rater's proportions of the labels, (..., R, l), and ratings, (..., R)."""
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

    Its standard error is that of the delta method; for two raters that is the one of Fleiss,
    Cohen and Everitt (1969). A pair counts the subjects that both have rated.

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
        return without_noise(kappas(tables, self._weights).mean(axis=-1))

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        """Return NaN: a mean of kappas has no disagreement of its own."""
        undefined = np.full(multiplicities.shape[:-1], np.nan)
        return Disagreement(undefined, undefined)

    def n_used(self) -> int:
        """Return the number of pairs: a pair's table has no more cells in use than rows."""
        return comb(self._profiles.n_raters, 2)

    def influence(self) -> Influence:
        profiles = self._profiles
        tables = profiles.tables(self.multiplicities)[..., :-1, :-1]
        n, n_labels = float(self.multiplicities.sum()), profiles.n_labels
        pairs = list(combinations(range(profiles.n_raters), 2))
        values, sizes = np.zeros((2, len(self.multiplicities)))
        for (a, b), table in zip(pairs, tables):
            slope = kappa_gradient(table, self._weights)
            p = table / table.sum()
            # A subject that the pair has not both rated adds the pair's average.
            for total, part, sign in ((values, slope.values, -1), (sizes, slope.sizes, 1)):
                by_cell = np.zeros((n_labels + 1, n_labels + 1))
                by_cell[:-1, :-1] = (part + sign * (part * p).sum()) * n / table.sum()
                total += by_cell.reshape(-1)[profiles.pair(a, b)]
        return Influence(values / len(pairs), sizes / len(pairs))
