"""Define the base class of all coefficients for several raters.

A coefficient is 1 - D_o / D_e. D_o is the mean distance between two ratings of the same subject,
and D_e is the distance expected by chance. With p_o = 1 - D_o and p_e = 1 - D_e, the coefficient
has the familiar form (p_o - p_e) / (1 - p_e). Subjects with the same ratings are stored as one row
with a multiplicity, so the running time depends only on the number of distinct rows. In a stack of
multiplicities, each row is one resample.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.statistics.clusters import Clusters, n_units, variance
from fastkappa.statistics.inference import Distribution
from fastkappa.statistics.intervals.ratio_constraint import Ratio, RatioConstraint, Smooth
from fastkappa.statistics.spread import Influence, without_noise

# Numbers of ratings of at least `MANY_RATINGS` are rounded down to a power of 2, because the
# largest possible disagreement hardly depends on the number if it is large.
MANY_RATINGS = 8


class Disagreement(NamedTuple):
    """The observed and expected disagreement, for one sample or a stack of samples."""

    observed: Any
    expected: Any

    @property
    def coefficient(self) -> Floats:
        """One minus the ratio of observed to expected disagreement; NaN if the ratio is 0 / 0."""
        observed, expected = np.asarray(self.observed), np.asarray(self.expected)
        ratio = np.full(observed.shape, np.nan)
        np.divide(observed, expected, out=ratio, where=expected > 0)
        return without_noise(1 - ratio)


class ScoreModel(NamedTuple):
    """A coefficient expressed as a `Ratio` of features, used to compute its score interval.

    Attributes
    ----------
    features : ndarray of shape (rows, k)
        The features of the observed rows, and of possible but unobserved rows.
    counts : ndarray of shape (rows,)
        The number of subjects with each row.
    ratio : Ratio
    n_ratings : ndarray of shape (rows,)
        The number of ratings in each row.
    least : float
        A lower bound on the coefficient; -infinity if unknown.
    """

    features: Floats
    counts: AnyArray
    ratio: Ratio
    n_ratings: AnyArray
    least: float

    @property
    def constraint(self) -> RatioConstraint:
        """The constraint that the coefficient has a given value.

        Among unobserved rows, each number of ratings is as frequent as among observed rows, because
        less agreement does not make missing ratings more likely. Without this condition, most
        unobserved rows could have only two ratings. Two ratings can disagree more than three
        ratings with only two labels can, so a single missing rating would make the interval much
        wider.
        """
        many = self.n_ratings >= MANY_RATINGS
        sizes = np.where(many, 2 ** np.log2(self.n_ratings).astype(np.int64), self.n_ratings)
        have = np.equal.outer(sizes, np.unique(sizes))
        n_observed = self.counts @ have
        more = have - n_observed / n_observed.sum()
        more[self.counts > 0] = 0
        given = np.column_stack([np.ones(len(self.counts)), more[:, 1:]])
        return RatioConstraint(self.features, self.ratio, given)


class Coefficient(ABC):
    """The base class of coefficients, computed from distinct rows (patterns or profiles).

    The standard error treats subjects as a sample, and raters as fixed.

    Attributes
    ----------
    multiplicities : ndarray of shape (P,)
        The number of subjects in the sample with each row.
    of_profiles : bool
        Whether the rows are profiles (True) or patterns (False).
    used : ndarray of bool, or None
        A mask of the rows that the coefficient uses; None if it uses all rows.
    """

    multiplicities: AnyArray
    of_profiles: ClassVar[bool] = False
    used: NDArray[np.bool_] | None = None

    @abstractmethod
    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        """Return the observed and expected disagreement of one sample or of a stack of samples."""

    @abstractmethod
    def n_used(self) -> int:
        """Return how many terms the longest sum in an influence has in addition to one per row.

        For many coefficients, this is the number of labels that occur.
        """

    @abstractmethod
    def influence(self) -> Influence:
        """Return a subject's influence on the coefficient for each row, up to an added constant."""

    def score_model(self) -> ScoreModel | None:
        """Return the model for the score interval, or None if it is unavailable or too slow."""
        return None

    def of_raters(self, profiles: Profiles) -> Coefficient:
        """Return this coefficient for other profiles, such as profiles with one rater left out."""
        raise NotImplementedError

    def values(self, multiplicities: AnyArray) -> Floats:
        """Return the coefficient of one sample or of a stack of samples."""
        return self.disagreement(multiplicities).coefficient

    def n_terms(self) -> int:
        """Return the length of the longest sum in an influence, not counting zero terms."""
        return len(self.multiplicities) + self.n_used()

    def standard_error(self, distribution: Distribution, clusters: Clusters | None = None) -> float:
        """Return the standard error of the mean of the influences.

        ``clusters`` contains the number of subjects in each row, for each cluster.
        """
        n = float(self.multiplicities.sum())
        divisor = divisor_of(n, distribution, clusters)
        if divisor < 1:
            return math.nan
        spread = variance(self.influence(), self.multiplicities / n, self.n_terms(), clusters)
        return math.sqrt(float(spread) / divisor)


def divisor_of(n: float, distribution: Distribution, clusters: Clusters | None) -> float:
    """Return the variance's divisor: n, or n (G - 1) / G if ``distribution`` is 't'.

    G is the number of clusters, or the number of subjects if there are no clusters.
    """
    return n - n / n_units(n, clusters) if distribution == "t" and n else n


class WithinSubjects:
    """The distances between ratings of the same subject, for each distinct row.

    Parameters
    ----------
    sums : ndarray of shape (P,)
        The sum of the distances over the ordered pairs of ratings in each row.
    n_ratings : ndarray of shape (P,)
        The number of ratings in each row.
    are_given : bool, default=False
        Whether the set of subjects with two ratings or more is treated as fixed. If False, the set
        is treated as random, as in Gwet's variance.
    """

    def __init__(self, sums: Floats, n_ratings: AnyArray, are_given: bool = False) -> None:
        self.paired, self._are_given = n_ratings >= 2, are_given
        self.distance = sums / np.maximum(n_ratings * (n_ratings - 1), 1)

    def observed(self, multiplicities: AnyArray) -> Floats:
        """Return the mean distance over the subjects with at least two ratings."""
        return divided(multiplicities @ self.distance, multiplicities @ self.paired)

    def influence(self, multiplicities: AnyArray, expected: Any) -> Influence:
        """Return the part of each row's influence that is due to its own agreement (Gwet 2014)."""
        paired = divided(multiplicities.sum(), multiplicities @ self.paired) * self.paired
        distance = self.distance / expected
        if self._are_given:
            mean = self.observed(multiplicities) / expected
            return Influence(paired * (mean - distance), paired * (mean + distance))
        return Influence(paired * (1 - distance), paired * (1 + distance))


def observed_over(sums: Floats, expected: Smooth) -> tuple[Smooth, Smooth]:
    """Return the numerator and denominator of the ratio of observed to expected distance.

    ``sums`` has the shape (m, k + 2) and contains sums of features over subjects. The features are
    the distance, an indicator that the distance exists, and k other features. ``expected``, the
    distance expected by chance, is a function of these k features.
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
    """Divide without a warning about zeros; 0 / 0 is NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.true_divide(numerator, denominator))
