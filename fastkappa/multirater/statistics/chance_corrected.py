"""Compute coefficients that treat raters as interchangeable, from patterns of ratings.

These coefficients share the same observed disagreement. They differ in the disagreement expected by
chance. The matrix ``distances`` of shape (l, l) contains the distances between labels, from 0 to 1,
with zeros on the diagonal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.multirater.statistics.coefficient import (
    Coefficient,
    Disagreement,
    ScoreModel,
    WithinSubjects,
    observed_over,
)
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.statistics.intervals.inverted import least_kappa
from fastkappa.statistics.intervals.ratio_constraint import Smooth
from fastkappa.statistics.spread import Influence
from fastkappa.statistics.weights import Weights, disagreement_matrix


def distances_of(weights: Weights, n_labels: int) -> Floats:
    """Return symmetric disagreement weights as a matrix, scaled so that the largest entry is 1.

    Raises
    ------
    ValueError
        If the weights are neither a name nor a matrix that `as_weights` accepts, or if they are not
        symmetric. Asymmetric weights would require the order of the raters, which patterns do not
        contain.
    """
    distances = disagreement_matrix(weights, n_labels)
    if (distances != distances.T).any():
        raise ValueError(
            "weights must be symmetric, because this coefficient ignores the order of raters. Use"
            " (weights + weights.T) / 2, or use pairwise_kappa or light_kappa instead."
        )
    largest = distances.max(initial=0)
    return distances / largest if largest else distances


class Chance(NamedTuple):
    """The distance expected by chance for label proportions p: constant + p @ matrix @ p.

    If ``even_is_least`` is true, the expected distance is smallest for equal proportions.
    """

    constant: float
    matrix: Floats
    even_is_least: bool

    def expected(self, proportions: Floats) -> Floats:
        """Return the expected distance for proportions of shape (..., l)."""
        quadratic = ((proportions @ self.matrix) * proportions).sum(axis=-1)
        return np.asarray(self.constant + quadratic)


# A function that returns the chance rule of a coefficient for given distances between labels.
ChanceRule: TypeAlias = Callable[[Floats], Chance]


def chance_of_fleiss(distances: Floats) -> Chance:
    """Return the rule for ratings drawn from the label proportions (Scott 1955, Fleiss 1971)."""
    return Chance(0.0, distances, False)


def chance_of_gwet(distances: Floats) -> Chance:
    """Return the rule by which raters agree by chance only on hard-to-rate subjects (Gwet 2008)."""
    n_labels = len(distances)
    if n_labels < 2:
        return Chance(0.0, distances, True)
    factor = (n_labels**2 - distances.sum()) / (n_labels * (n_labels - 1))
    return Chance(1 - factor, factor * np.eye(n_labels), True)


def chance_of_randolph(distances: Floats) -> Chance:
    """Return the rule for equally likely labels (Bennett 1954, Brennan and Prediger 1981)."""
    expected = float(distances.sum()) / len(distances) ** 2
    return Chance(expected, np.zeros_like(distances), True)


def chance_of_given(proportions: Floats) -> ChanceRule:
    """Return the rule for given label proportions.

    The shape is (l,) if all raters have the same proportions, and (R, l) if each has its own.
    """

    def rule(distances: Floats) -> Chance:
        if proportions.ndim == 1:
            expected = proportions @ distances @ proportions
        else:
            # The expected disagreement is the mean over all pairs of different raters.
            total, n_raters = proportions.sum(axis=0), len(proportions)
            same = (proportions @ distances * proportions).sum()
            expected = (total @ distances @ total - same) / (n_raters * (n_raters - 1))
        return Chance(float(expected), np.zeros_like(distances), True)

    return rule


class ChanceCorrected(Coefficient):
    """A coefficient computed from patterns, with a rule for the disagreement expected by chance.

    The standard error is Gwet's, which treats subjects as a sample and raters as fixed.

    References
    ----------
    K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence
    of high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.
    """

    def __init__(self, patterns: Patterns, distances: Floats, chance: ChanceRule) -> None:
        self._patterns, self._distances, self._rule = patterns, distances, chance
        self._chance = chance(distances)
        self._within = WithinSubjects(patterns.distances(distances), patterns.n_ratings)
        self.multiplicities = patterns.multiplicities

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        expected = self._chance.expected(self._patterns.proportions(multiplicities))
        return Disagreement(self._within.observed(multiplicities), expected)

    def of_raters(self, profiles: Profiles) -> ChanceCorrected:
        return ChanceCorrected(profiles.patterns, self._distances, self._rule)

    def n_used(self) -> int:
        return int(np.count_nonzero(self._patterns.sums(self.multiplicities)))

    def influence(self) -> Influence:
        multiplicities, patterns = self.multiplicities, self._patterns
        proportions = patterns.proportions(multiplicities)
        expected = self._chance.expected(proportions)
        factor = self._within.observed(multiplicities) / expected**2
        slope = 2 * proportions @ self._chance.matrix
        by_chance = factor * patterns.products(slope) / patterns.n_ratings
        own = self._within.influence(multiplicities, expected)
        return Influence(own.values + by_chance, own.sizes + by_chance)

    def score_model(self) -> ScoreModel | None:
        """Return the score model.

        The features of a pattern are its mean distance, an indicator that it has at least two
        ratings, and the proportion of each label among its ratings.
        """
        patterns = self._patterns.with_unseen(self._patterns.n_labels + 2)
        if patterns is None:
            return None
        within = WithinSubjects(patterns.distances(self._distances), patterns.n_ratings)
        proportions = patterns.counts / patterns.n_ratings[:, None]
        features = np.column_stack([within.distance, within.paired, proportions])
        least = self._least(within, int(patterns.n_ratings.min()))
        return ScoreModel(features, patterns.multiplicities, self._ratio, patterns.n_ratings, least)

    def _least(self, within: WithinSubjects, fewest_ratings: int) -> float:
        """Return a lower bound for samples with at least ``fewest_ratings`` ratings per subject."""
        if self._chance.even_is_least:
            n_labels = len(self._distances)
            expected = float(self._chance.expected(np.full(n_labels, 1 / n_labels)))
            return 1 - float(within.distance.max()) / expected if expected else -1.0
        if not within.paired.all():
            return -math.inf
        return least_kappa(self._distances, fewest_ratings)

    def _ratio(self, sums: Floats) -> tuple[Smooth, Smooth]:
        proportions, matrix = sums[:, 2:], self._chance.matrix
        expected = self._chance.expected(proportions)
        return observed_over(sums, Smooth(expected, 2 * proportions @ matrix, 2 * matrix))


class FleissNull(NamedTuple):
    """Standard errors of Fleiss' kappa under the hypothesis that all agreement is due to chance."""

    overall: float
    by_label: float


def fleiss_null_errors(patterns: Patterns) -> FleissNull | None:
    """Return the null standard errors for tests of Fleiss' kappa.

    Return None if subjects differ in their number of ratings, or have fewer than two.

    References
    ----------
    J. L. Fleiss, J. C. M. Nee and J. R. Landis (1979). Large sample variance of kappa in
    the case of different sets of raters. Psychological Bulletin 86, 974-977.
    """
    n = int(patterns.multiplicities.sum())
    sizes = np.unique(patterns.n_ratings)
    if len(sizes) != 1 or sizes[0] < 2:
        return None
    n_pairs = n * int(sizes[0]) * (int(sizes[0]) - 1)
    p = patterns.proportions(patterns.multiplicities)
    spread, skew = (p * (1 - p)).sum(), (p * (1 - p) * (1 - 2 * p)).sum()
    by_label = math.sqrt(2 / n_pairs)
    if np.count_nonzero(p) < 2:
        return FleissNull(math.nan, by_label)
    return FleissNull(by_label * math.sqrt(max(spread**2 - skew, 0.0)) / spread, by_label)
