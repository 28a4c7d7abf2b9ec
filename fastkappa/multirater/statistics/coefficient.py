"""What every coefficient of several raters computes, for a sample and for its resamples.

A coefficient is 1 - D_o / D_e: the average distance of two ratings of the same subject over
the distance expected by chance. With the usual weights it is (p_o - p_e) / (1 - p_e).
Subjects with the same ratings are one row with a multiplicity, so that nothing here depends
on the number of subjects; a row of a stack of multiplicities is one resample.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.statistics.clusters import Clusters, n_units, variance
from fastkappa.statistics.inference import Distribution
from fastkappa.statistics.intervals.ratio_constraint import Ratio, Smooth
from fastkappa.statistics.spread import Influence, without_noise


class Disagreement(NamedTuple):
    """The observed and the expected distance of two ratings, of one sample or of a stack."""

    observed: Any
    expected: Any

    @property
    def coefficient(self) -> Floats:
        """One minus their ratio; NaN where no disagreement is expected."""
        observed, expected = np.asarray(self.observed), np.asarray(self.expected)
        ratio = np.full(observed.shape, np.nan)
        np.divide(observed, expected, out=ratio, where=expected > 0)
        return without_noise(1 - ratio)


class ScoreModel(NamedTuple):
    """A coefficient as a `Ratio` of features, for its score interval.

    Attributes
    ----------
    features : ndarray of shape (rows, k)
        Of the rows that were seen, and of those that might have been.
    counts : ndarray of shape (rows,)
        How many subjects have each.
    ratio : Ratio
    least : float
        The coefficient is never below; -infinity if that is not known.
    """

    features: Floats
    counts: AnyArray
    ratio: Ratio
    least: float


class Coefficient(ABC):
    """A coefficient of distinct rows of ratings (patterns or profiles).

    Its standard error refers to samples of subjects; the raters are fixed.

    Attributes
    ----------
    multiplicities : ndarray of shape (P,)
        How many subjects of the sample have each row.
    of_profiles : bool
        Whether its rows are profiles, not patterns.
    used : ndarray of bool, or None
        Which of the rows of all ratings are its rows, None for all of them.
    """

    multiplicities: AnyArray
    of_profiles: ClassVar[bool] = False
    used: NDArray[np.bool_] | None = None

    @abstractmethod
    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        """Return the observed and the expected disagreement, of each resample of a stack too."""

    @abstractmethod
    def n_used(self) -> int:
        """Return how many labels occur, or labels of all raters."""

    @abstractmethod
    def influence(self) -> Influence:
        """Return how much a subject of each row raises the coefficient, but for a constant."""

    def score_model(self) -> ScoreModel | None:
        """Return what its score interval needs, None if there is none or it would cost too much."""
        return None

    def values(self, multiplicities: AnyArray) -> Floats:
        """Return the coefficient, of each resample of a stack too."""
        return self.disagreement(multiplicities).coefficient

    def n_terms(self) -> int:
        """Return how many numbers other than 0 the longest sum in an influence has."""
        return len(self.multiplicities) + self.n_used()

    def standard_error(self, distribution: Distribution, clusters: Clusters | None = None) -> float:
        """Return the standard error of the mean of the influences.

        ``clusters`` are those of the subjects, whose cells are the rows.
        """
        n = float(self.multiplicities.sum())
        divisor = divisor_of(n, distribution, clusters)
        if divisor < 1:
            return math.nan
        spread = variance(self.influence(), self.multiplicities / n, self.n_terms(), clusters)
        return math.sqrt(float(spread) / divisor)


def divisor_of(n: float, distribution: Distribution, clusters: Clusters | None) -> float:
    """Return what the variance of influences is over: n, or n (G - 1) / G for G units."""
    return n - n / n_units(n, clusters) if distribution == "t" and n else n


class WithinSubjects:
    """The distances of the ratings of the same subject, for each distinct row.

    Parameters
    ----------
    sums : ndarray of shape (P,)
        The sum of the distances over the ordered pairs of a row's ratings.
    n_ratings : ndarray of shape (P,)
        How many ratings a row has.
    are_given : bool, default=False
        Whether it is given which subjects have two ratings. If not, it is a part of chance, as
        Gwet's variance takes it.
    """

    def __init__(self, sums: Floats, n_ratings: AnyArray, are_given: bool = False) -> None:
        self.paired, self._are_given = n_ratings >= 2, are_given
        self.distance = sums / np.maximum(n_ratings * (n_ratings - 1), 1)

    def observed(self, multiplicities: AnyArray) -> Floats:
        """Return the average distance over the subjects with two ratings or more."""
        return divided(multiplicities @ self.distance, multiplicities @ self.paired)

    def influence(self, multiplicities: AnyArray, expected: Any) -> Influence:
        """Return the part of each row's influence that its own agreement has (Gwet 2014)."""
        paired = divided(multiplicities.sum(), multiplicities @ self.paired) * self.paired
        distance = self.distance / expected
        if self._are_given:
            mean = self.observed(multiplicities) / expected
            return Influence(paired * (mean - distance), paired * (mean + distance))
        return Influence(paired * (1 - distance), paired * (1 + distance))


def observed_over(sums: Floats, expected: Smooth) -> tuple[Smooth, Smooth]:
    """Return the parts of a ratio: the observed and the expected distance of paired subjects.

    ``sums`` of shape (m, k + 2) are those of each subject's distance, of whether it has one, and
    of the features that the distance ``expected`` by chance is a function of.
    """
    observed, paired = sums[:, 0], sums[:, 1]
    m, k = sums.shape
    of_observed, slope, bend = np.zeros((1, k)), np.zeros((m, k)), np.zeros((m, k, k))
    of_observed[0, 0] = 1
    slope[:, 1], slope[:, 2:] = expected.value, paired[:, None] * expected.slope
    bend[:, 1, 2:] = bend[:, 2:, 1] = expected.slope
    bend[:, 2:, 2:] = paired[:, None, None] * expected.bend
    return (
        Smooth(observed, of_observed, np.zeros((1, k, k))),
        Smooth(paired * expected.value, slope, bend),
    )


def divided(numerator: Any, denominator: Any) -> Floats:
    """Return a quotient that is NaN, without a warning, where it is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.true_divide(numerator, denominator))
