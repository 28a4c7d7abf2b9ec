"""What every coefficient of several raters computes, for a sample and for its resamples.

A coefficient is 1 - D_o / D_e: the average distance of two ratings of the same subject over
the distance expected by chance. With the usual weights it is (p_o - p_e) / (1 - p_e).
Subjects with the same ratings are one row with a multiplicity, so that nothing here depends
on the number of subjects; a row of a stack of multiplicities is one resample.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, Floats
from fastkappa.statistics.inference import Distribution
from fastkappa.statistics.spread import Influence, variance, without_noise


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


class Coefficient(ABC):
    """A coefficient of distinct rows of ratings (patterns or profiles).

    Its standard error refers to samples of subjects; the raters are fixed.

    Attributes
    ----------
    multiplicities : ndarray of shape (P,)
        How many subjects of the sample have each row.
    """

    multiplicities: AnyArray

    @abstractmethod
    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        """Return the observed and the expected disagreement, of each resample of a stack too."""

    @abstractmethod
    def n_used(self) -> int:
        """Return how many labels occur, or labels of all raters."""

    @abstractmethod
    def influence(self) -> Influence:
        """Return how much a subject of each row raises the coefficient, but for a constant."""

    def values(self, multiplicities: AnyArray) -> Floats:
        """Return the coefficient, of each resample of a stack too."""
        return self.disagreement(multiplicities).coefficient

    def standard_error(self, distribution: Distribution) -> float:
        """Return the standard error of the mean of the influences."""
        n = float(self.multiplicities.sum())
        divisor = n - 1 if distribution == "t" else n
        if divisor < 1:
            return math.nan
        n_terms = len(self.multiplicities) + self.n_used()
        spread = variance(self.influence(), self.multiplicities / n, n_terms)
        return math.sqrt(float(spread) / divisor)


class WithinSubjects:
    """The distances of the ratings of the same subject, for each distinct row.

    Parameters
    ----------
    sums : ndarray of shape (P,)
        The sum of the distances over the ordered pairs of a row's ratings.
    n_ratings : ndarray of shape (P,)
        How many ratings a row has.
    """

    def __init__(self, sums: Floats, n_ratings: AnyArray) -> None:
        self._paired = n_ratings >= 2
        self._distance = sums / np.maximum(n_ratings * (n_ratings - 1), 1)

    def observed(self, multiplicities: AnyArray) -> Floats:
        """Return the average distance over the subjects with two ratings or more."""
        return divided(multiplicities @ self._distance, multiplicities @ self._paired)

    def influence(self, multiplicities: AnyArray, expected: Any) -> Influence:
        """Return the part of each row's influence that its own agreement has (Gwet 2014)."""
        paired = divided(multiplicities.sum(), multiplicities @ self._paired) * self._paired
        distance = self._distance / expected
        return Influence(paired * (1 - distance), paired * (1 + distance))


def divided(numerator: Any, denominator: Any) -> Floats:
    """Return a quotient that is NaN, without a warning, where it is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.true_divide(numerator, denominator))
