"""Compute Conger's and Light's kappa, which depend on which rater gave which rating."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from math import comb

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.multirater.statistics.coefficient import (
    Coefficient,
    Disagreement,
    ScoreModel,
    WithinSubjects,
    divided,
    observed_over,
)
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.multirater.statistics.sparse_profiles import RaterProfiles
from fastkappa.statistics.inference import kappa_gradient
from fastkappa.statistics.intervals.inverted import least_kappa
from fastkappa.statistics.intervals.ratio_constraint import Smooth
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.spread import Influence, without_noise
from fastkappa.statistics.weights import Weights, disagreement_matrix

# The number of table cells processed at a time.
BLOCK = 1 << 16


class Conger(Coefficient):
    """Conger's kappa, with chance agreement computed from each rater's own label proportions.

    If ``rater`` is given, only the pairs of this rater with each other rater are used (Schouten
    1982). A subject without such a pair then adds nothing to the variance, because it provides no
    information about the rater.

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

    def of_raters(self, profiles: Profiles) -> Conger:
        return Conger(profiles, self._distances)

    def n_used(self) -> int:
        return int(np.count_nonzero(self._margins(self.multiplicities)[0]))

    def influence(self) -> Influence:
        multiplicities = self.multiplicities
        n = multiplicities.sum()
        margins, n_rated = self._margins(multiplicities)
        expected = self._expected(margins)
        # The distances from each label to the labels of the paired raters. A missing rating would
        # add the rater's mean, which is left out because it is constant. The fewer ratings a rater
        # gave, the greater the weight of each one.
        by_chance, sizes = (
            self._profiles.sums(
                (distance + sign * (distance * margins).sum(axis=-1, keepdims=True))
                * (n / np.maximum(n_rated, 1))[:, None]
            )
            for sign, distance in (
                (sign, self._partners(margins, sign) @ self._distances) for sign in (-1, 1)
            )
        )
        factor = 2 * self._within.observed(multiplicities) / expected**2 / self._n_ordered_pairs
        own = self._within.influence(multiplicities, expected)
        return Influence(own.values + factor * by_chance, own.sizes + factor * sizes)

    def score_model(self) -> ScoreModel | None:
        """Return the score model.

        The features of a profile are its mean distance, an indicator that this distance exists, and
        an indicator for each combination of rater and label, which is 1 if the rater gave the
        label.
        """
        n_raters, n_labels = self._profiles.n_raters, len(self._distances)
        profiles = self._profiles.with_unseen(n_raters * n_labels + 2)
        if profiles is None:
            return None
        within = Conger(profiles, self._distances, self._rater)._within
        given = _given(profiles)
        features = np.column_stack([within.distance, within.paired, given.reshape(len(given), -1)])
        # With missing ratings, no lower bound is known, because the margins of two raters on the
        # subjects that they share can differ from their margins on all subjects.
        least = -math.inf
        if given.sum(axis=2).all():
            least = least_kappa(self._distances, n_raters if self._rater is None else 2)
        return ScoreModel(features, profiles.multiplicities, self._ratio, profiles.n_ratings, least)

    def _ratio(self, sums: Floats) -> tuple[Smooth, Smooth]:
        return observed_over(sums, self._expected_at(sums[:, 2:]))

    def _expected_at(self, counts: Floats) -> Smooth:
        """Return the expected distance as a function of each rater's label counts.

        ``counts`` has the shape (m, R * l).
        """
        n_raters, n_labels = self._profiles.n_raters, len(self._distances)
        per_pair = 2 * self._distances / self._n_ordered_pairs
        counts = counts.reshape(-1, n_raters, n_labels)
        n_rated = counts.sum(axis=2, keepdims=True)
        margins = counts / n_rated
        by_margin = self._partners(margins) @ per_pair
        mean = (by_margin * margins).sum(axis=2, keepdims=True)
        slope = (by_margin - mean) / n_rated
        # The derivatives of each margin's proportions (rows) with respect to its counts (columns).
        of_margin = (np.eye(n_labels) - margins[..., None]) / n_rated[..., None]
        left = (of_margin.swapaxes(2, 3) @ per_pair).reshape(-1, n_raters * n_labels, n_labels)
        right = of_margin.transpose(0, 2, 1, 3).reshape(-1, n_labels, n_raters * n_labels)
        are_pairs = self._partners(np.eye(n_raters))[:, None, :, None]
        bend = (left @ right).reshape(-1, n_raters, n_labels, n_raters, n_labels) * are_pairs
        own = -by_margin[..., None] - by_margin[..., None, :] + 2 * mean[..., None]
        raters = np.arange(n_raters)
        bend[:, raters, :, raters] = (own / n_rated[..., None] ** 2).swapaxes(0, 1)
        size = n_raters * n_labels
        return Smooth(
            self._expected(margins), slope.reshape(-1, size), bend.reshape(-1, size, size)
        )

    def _margins(self, multiplicities: AnyArray) -> tuple[Floats, Floats]:
        """Return each rater's label proportions and number of ratings.

        The arrays have the shapes (..., R, l) and (..., R).
        """
        counts = self._profiles.margins(multiplicities)
        n_rated = counts.sum(axis=-1)
        return divided(counts, n_rated[..., None]), n_rated

    def _partners(self, margins: Floats, sign: int = -1) -> Floats:
        """Return, for each rater, the sum of the margins of all raters paired with that rater.

        If all pairs are used, the result is the sum of all margins minus the rater's own. With
        ``sign=1``, the rater's own margin is added instead, which gives a bound on the
        size of the terms.
        """
        others = margins.sum(axis=-2, keepdims=True) + sign * margins
        if self._rater is None:
            return np.asarray(others)
        partners = np.repeat(margins[..., [self._rater], :], margins.shape[-2], axis=-2)
        partners[..., self._rater, :] = others[..., self._rater, :]
        return partners

    def _expected(self, margins: Floats) -> Floats:
        """Return the expected distance, averaged over the ordered pairs of raters."""
        pairs = (self._partners(margins) @ self._distances * margins).sum(axis=(-2, -1))
        return np.asarray(pairs / self._n_ordered_pairs)


class Light(Coefficient):
    """Light's kappa, which is the mean of Cohen's kappa over the pairs of raters.

    The standard error is computed by the delta method. For two raters, it equals the standard error
    of Fleiss, Cohen and Everitt (1969). The kappa of a pair is computed from the subjects that both
    raters rated.

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
        """Return NaN, because the disagreement is not defined for a mean of kappas."""
        undefined = np.full(multiplicities.shape[:-1], np.nan)
        return Disagreement(undefined, undefined)

    def of_raters(self, profiles: Profiles) -> Light:
        return Light(profiles, self._weights)

    def n_used(self) -> int:
        """Return the number of pairs of raters.

        Cells need no further terms: a table has at most one nonzero cell per profile, and `n_terms`
        already counts the profiles.
        """
        return comb(self._profiles.n_raters, 2)

    def influence(self) -> Influence:
        tables = self._profiles.tables(self.multiplicities)
        # With many raters, these arrays are large, so they use the narrowest possible dtype.
        tables = tables.astype(np.min_scalar_type(tables.max()))
        n = float(self.multiplicities.sum())
        sums = []
        by_cell = np.empty(tables.shape)
        for i, sign in ((0, -1), (1, 1)):
            for pairs in pair_blocks(tables):
                table = tables[pairs].astype(np.int64)
                # A pair without a common subject has no kappa. The divisor 1 avoids NumPy's warning
                # about 0 / 0.
                n_both = np.maximum(table.sum(axis=(-2, -1), keepdims=True), 1)
                slope = kappa_gradient(table, self._weights)[i]
                # Subjects that were not rated by both raters contribute the pair's mean.
                average = (slope * (table / n_both)).sum(axis=(-2, -1), keepdims=True)
                by_cell[pairs] = (slope + sign * average) * (n / n_both)
            sums.append(self._profiles.pair_sums(by_cell) / len(tables))
        return Influence(*sums)

    def score_model(self) -> ScoreModel | None:
        """Return the score model, which has features for each pair of raters.

        If both raters rated a subject, the features are their disagreement and indicators of both
        labels. Otherwise the features are 0.
        """
        matrix = disagreement_matrix(self._weights, self._profiles.n_labels)
        n_labels, n_pairs = len(matrix), comb(self._profiles.n_raters, 2)
        profiles = self._profiles.with_unseen(n_pairs * (2 * n_labels + 1))
        if profiles is None:
            return None
        given, features = _given(profiles), []
        for first, second in combinations(given.swapaxes(0, 1), 2):
            first = first * second.any(axis=1, keepdims=True)
            second = second * first.any(axis=1, keepdims=True)
            distance = ((first @ matrix) * second).sum(axis=1)
            features.append(np.column_stack([distance, first, second]))
        ratio = partial(_mean_ratio, matrix)
        return ScoreModel(
            np.concatenate(features, axis=1),
            profiles.multiplicities,
            ratio,
            profiles.n_ratings,
            least_kappa(matrix),
        )


def _given(profiles: Profiles) -> Floats:
    """Return an array of shape (P, R, l): 1 for each rater's label, and 0 for all other labels."""
    given = profiles.codes[:, :, None] == np.arange(profiles.n_labels)
    return np.asarray(given, np.float64)


def _mean_ratio(matrix: Floats, sums: Floats) -> tuple[Smooth, Smooth]:
    """Return the numerator (one minus the mean kappa of all pairs) and the denominator (1)."""
    size, (m, k) = len(matrix), sums.shape
    by_pair = sums.reshape(m, -1, 2 * size + 1)
    n_pairs = by_pair.shape[1]
    observed, rows, columns = by_pair[..., 0], by_pair[..., 1 : size + 1], by_pair[..., size + 1 :]
    n = rows.sum(axis=-1)
    # The ratio of a pair is q = observed * n / e, where e = rows @ matrix @ columns.
    e_slope = np.concatenate([columns @ matrix.T, rows @ matrix], axis=-1)
    e = (e_slope[..., :size] * rows).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1 / e
        n_slope = np.zeros((2 * size,))
        n_slope[:size] = 1
        ratio = n * inverse
        ratio_slope = n_slope * inverse[..., None] - (n * inverse**2)[..., None] * e_slope
        mixed = n_slope[:, None] * e_slope[..., None, :]
        twice = np.zeros((2 * size, 2 * size))
        twice[:size, size:], twice[size:, :size] = matrix, matrix.T
        ratio_bend = (
            -(mixed + mixed.swapaxes(-1, -2)) * (inverse**2)[..., None, None]
            + 2 * e_slope[..., None] * e_slope[..., None, :] * (n * inverse**3)[..., None, None]
            - twice * (n * inverse**2)[..., None, None]
        )
    slope = np.concatenate([ratio[..., None], observed[..., None] * ratio_slope], axis=-1)
    bend = np.zeros((m, n_pairs, 2 * size + 1, n_pairs, 2 * size + 1))
    pairs = np.arange(n_pairs)
    bend[:, pairs, 0, pairs, 1:] = ratio_slope
    bend[:, pairs, 1:, pairs, 0] = ratio_slope.swapaxes(0, 1)
    bend[:, pairs, 1:, pairs, 1:] = (observed[..., None, None] * ratio_bend).swapaxes(0, 1)
    above = Smooth(
        (observed * ratio).mean(axis=-1),
        slope.reshape(m, k) / n_pairs,
        bend.reshape(m, k, k) / n_pairs,
    )
    return above, Smooth(np.ones(m), np.zeros((1, k)), np.zeros((1, k, k)))


def of_pairs(
    statistic: Callable[[AnyArray, Weights], Floats], tables: AnyArray, weights: Weights
) -> Floats:
    """Compute a statistic for each pair's table. ``tables`` has the shape (..., pairs, l, l)."""
    found = [statistic(tables[..., pairs, :, :], weights) for pairs in pair_blocks(tables)]
    return np.concatenate(found, axis=-1)


def pair_blocks(tables: AnyArray) -> Iterator[slice]:
    """Yield slices of the pairs of raters, small enough to limit memory use."""
    step = max(1, BLOCK // (tables.shape[-1] * tables.shape[-2]))
    for start in range(0, tables.shape[-3], step):
        yield slice(start, start + step)
