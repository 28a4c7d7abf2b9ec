"""Coefficients that need to know who gave which rating: Conger's and Light's kappa."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.multirater.statistics.coefficient import (
    Coefficient,
    Disagreement,
    WithinSubjects,
    divided,
)
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.multirater.statistics.sparse_profiles import RaterProfiles
from fastkappa.statistics.inference import kappa_gradient
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.spread import Influence, without_noise
from fastkappa.statistics.weights import Weights

# Cells of the tables that are looked at together.
BLOCK = 1 << 16


class Conger(Coefficient):
    """Conger's kappa: by chance, each rater draws labels from its own margin.

    With a ``rater``, it is that of the pairs of this rater with each of the others (Schouten 1982).
    A subject without such a pair then adds nothing to the variance: it says nothing of the rater.

    References
    ----------
    A. J. Conger (1980). Integration and generalization of kappas for multiple raters.
    Psychological Bulletin 88, 322-328.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    H. J. A. Schouten (1982). Measuring pairwise interobserver agreement when all subjects are
    judged by the same observers. Statistica Neerlandica 36, 45-61.
    """

    of_profiles = True

    def __init__(
        self, profiles: RaterProfiles, distances: Floats, rater: int | None = None
    ) -> None:
        self._profiles, self._distances, self._rater = profiles, distances, rater
        self.multiplicities = profiles.multiplicities
        if rater is None:
            self._within = WithinSubjects(profiles.distances(distances), profiles.n_ratings)
        else:
            assert isinstance(profiles, Profiles)
            found = profiles.distances_to(rater, distances)
            self._within = WithinSubjects(*found, are_given=True)
        n_raters = profiles.n_raters
        self._n_ordered_pairs = n_raters * (n_raters - 1) if rater is None else 2 * (n_raters - 1)

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        margins, _ = self._margins(multiplicities)
        return Disagreement(self._within.observed(multiplicities), self._expected(margins))

    def n_used(self) -> int:
        return int(np.count_nonzero(self._margins(self.multiplicities)[0]))

    def influence(self) -> Influence:
        multiplicities = self.multiplicities
        n = multiplicities.sum()
        margins, n_rated = self._margins(multiplicities)
        expected = self._expected(margins)
        # The distance of each label to the labels of the raters that one is paired with. A
        # rater's missing rating takes the rater's average, which is left out here, for it is that
        # of all subjects; the fewer ratings a rater has, the more each counts.
        by_chance, sizes = (
            self._profiles.sums(
                (distance + sign * (distance * margins).sum(axis=-1, keepdims=True))
                * (n / n_rated)[:, None]
            )
            for sign, distance in (
                (sign, self._partners(margins, sign) @ self._distances) for sign in (-1, 1)
            )
        )
        factor = 2 * self._within.observed(multiplicities) / expected**2 / self._n_ordered_pairs
        own = self._within.influence(multiplicities, expected)
        return Influence(own.values + factor * by_chance, own.sizes + factor * sizes)

    def _margins(self, multiplicities: AnyArray) -> tuple[Floats, Floats]:
        """Return each rater's proportions of the labels, (..., R, l), and ratings, (..., R)."""
        counts = self._profiles.margins(multiplicities)
        n_rated = counts.sum(axis=-1)
        return divided(counts, n_rated[..., None]), n_rated

    def _partners(self, margins: Floats, sign: int = -1) -> Floats:
        """Return the sum of the margins of the raters that each rater is paired with.

        It is the sum of all less the rater's own, or plus it for the sizes of these terms.
        """
        others = margins.sum(axis=-2, keepdims=True) + sign * margins
        if self._rater is None:
            return np.asarray(others)
        partners = np.repeat(margins[..., [self._rater], :], margins.shape[-2], axis=-2)
        partners[..., self._rater, :] = others[..., self._rater, :]
        return partners

    def _expected(self, margins: Floats) -> Floats:
        """Return the expected distance, the average over the ordered pairs of raters."""
        pairs = (self._partners(margins) @ self._distances * margins).sum(axis=(-2, -1))
        return np.asarray(pairs / self._n_ordered_pairs)


class Light(Coefficient):
    """Light's kappa: the mean of Cohen's kappa over the pairs of raters.

    Its standard error is that of the delta method; for two raters that is the one of Fleiss,
    Cohen and Everitt (1969). A pair counts the subjects that both have rated.

    References
    ----------
    R. J. Light (1971). Measures of response agreement for qualitative data: some
    generalizations and alternatives. Psychological Bulletin 76, 365-377.
    """

    of_profiles = True

    def __init__(self, profiles: RaterProfiles, weights: Weights) -> None:
        self._profiles, self._weights = profiles, weights
        self.multiplicities = profiles.multiplicities

    def values(self, multiplicities: AnyArray) -> Floats:
        tables = self._profiles.tables(multiplicities)
        return without_noise(of_pairs(kappas, tables, self._weights).mean(axis=-1))

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        """Return NaN: a mean of kappas has no disagreement of its own."""
        undefined = np.full(multiplicities.shape[:-1], np.nan)
        return Disagreement(undefined, undefined)

    def n_used(self) -> int:
        """Return the number of pairs: a pair's table has no more cells in use than rows."""
        return comb(self._profiles.n_raters, 2)

    def influence(self) -> Influence:
        tables = self._profiles.tables(self.multiplicities)
        # With many raters these are large: they are kept in as few bytes as their counts need.
        tables = tables.astype(np.min_scalar_type(tables.max()))
        n = float(self.multiplicities.sum())
        sums = []
        by_cell = np.empty(tables.shape)
        for i, sign in ((0, -1), (1, 1)):
            for pairs in pair_blocks(tables):
                table = tables[pairs].astype(np.int64)
                n_both = table.sum(axis=(-2, -1), keepdims=True)
                slope = kappa_gradient(table, self._weights)[i]
                # A subject that the pair has not both rated adds the pair's average.
                average = (slope * (table / n_both)).sum(axis=(-2, -1), keepdims=True)
                by_cell[pairs] = (slope + sign * average) * (n / n_both)
            sums.append(self._profiles.pair_sums(by_cell) / len(tables))
        return Influence(*sums)


def of_pairs(
    statistic: Callable[[AnyArray, Weights], Floats], tables: AnyArray, weights: Weights
) -> Floats:
    """Return a statistic of the tables of pairs, of shape (..., pairs, l, l), a block at a time."""
    found = [statistic(tables[..., pairs, :, :], weights) for pairs in pair_blocks(tables)]
    return np.concatenate(found, axis=-1)


def pair_blocks(tables: AnyArray) -> Iterator[slice]:
    """Yield blocks of pairs whose tables are small beside those of all pairs of many raters."""
    step = max(1, BLOCK // (tables.shape[-1] * tables.shape[-2]))
    for start in range(0, tables.shape[-3], step):
        yield slice(start, start + step)
