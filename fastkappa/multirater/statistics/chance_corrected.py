"""Coefficients of interchangeable raters, from the patterns of their ratings.

They share the observed disagreement and differ in the one expected by chance. ``distances``
of shape (l, l) say how far two labels are apart: 0 to 1, and 0 on the diagonal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.multirater.statistics.coefficient import Coefficient, Disagreement, WithinSubjects
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.statistics.spread import Influence
from fastkappa.statistics.weights import Weights, disagreement_matrix


def distances_of(weights: Weights, n_labels: int) -> Floats:
    """Return symmetric disagreement weights as a matrix whose largest entry is 1.

    Raises
    ------
    ValueError
        If the weights are neither a name nor a matrix that `as_weights` accepts, or are not
        symmetric: the ratings of a subject have no order here.
    """
    distances = disagreement_matrix(weights, n_labels)
    if (distances != distances.T).any():
        raise ValueError(
            "weights must be symmetric, for the raters of a pair have no order here; take"
            " (weights + weights.T) / 2, or see pairwise_kappa and light_kappa."
        )
    largest = distances.max(initial=0)
    return distances / largest if largest else distances


# Takes the labels' proportions, of shape (..., l), and the distances. Returns the distance
# expected by chance and its derivative by each proportion.
Chance: TypeAlias = Callable[[Floats, Floats], tuple[Floats, Influence]]


def chance_of_fleiss(proportions: Floats, distances: Floats) -> tuple[Floats, Influence]:
    """Expect each rating to be drawn from the labels' proportions (Scott 1955, Fleiss 1971)."""
    from_label = proportions @ distances
    slope = 2 * from_label
    return (from_label * proportions).sum(axis=-1), Influence(slope, slope)


def chance_of_gwet(proportions: Floats, distances: Floats) -> tuple[Floats, Influence]:
    """Expect chance agreement on subjects that are hard to rate alone (Gwet 2008)."""
    n_labels = len(distances)
    if n_labels < 2:
        return np.zeros(proportions.shape[:-1]), Influence(np.zeros(n_labels), np.zeros(n_labels))
    factor = (n_labels**2 - distances.sum()) / (n_labels * (n_labels - 1))
    spread = (proportions * (1 - proportions)).sum(axis=-1)
    slope = Influence(factor * (2 * proportions - 1), factor * (2 * proportions + 1))
    return 1 - factor * spread, slope


def chance_of_randolph(proportions: Floats, distances: Floats) -> tuple[Floats, Influence]:
    """Expect every label equally often (Bennett 1954, Brennan and Prediger 1981)."""
    flat = np.zeros(len(distances))
    expected = distances.sum() / len(distances) ** 2
    return np.full(proportions.shape[:-1], expected), Influence(flat, flat)


class ChanceCorrected(Coefficient):
    """A coefficient of patterns, with a rule for the disagreement expected by chance.

    Its standard error is Gwet's: subjects are a sample, raters are fixed.

    References
    ----------
    K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence
    of high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.
    """

    def __init__(self, patterns: Patterns, distances: Floats, chance: Chance) -> None:
        self._patterns, self._distances, self._chance = patterns, distances, chance
        self._within = WithinSubjects(patterns.distances(distances), patterns.n_ratings)
        self.multiplicities = patterns.multiplicities

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        expected, _ = self._chance(self._patterns.proportions(multiplicities), self._distances)
        return Disagreement(self._within.observed(multiplicities), expected)

    def n_used(self) -> int:
        return int(np.count_nonzero(self._patterns.sums(self.multiplicities)))

    def influence(self) -> Influence:
        multiplicities, patterns = self.multiplicities, self._patterns
        proportions = patterns.proportions(multiplicities)
        expected, slope = self._chance(proportions, self._distances)
        factor = self._within.observed(multiplicities) / expected**2
        by_chance, sizes = (factor * patterns.products(p) / patterns.n_ratings for p in slope)
        own = self._within.influence(multiplicities, expected)
        return Influence(own.values + by_chance, own.sizes + sizes)


class FleissNull(NamedTuple):
    """Standard errors under the hypothesis that all agreement is by chance."""

    overall: float
    by_label: float


def fleiss_null_errors(patterns: Patterns) -> FleissNull | None:
    """Return the errors for tests of Fleiss' kappa.

    None unless all subjects have the same number of ratings, two or more.

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
