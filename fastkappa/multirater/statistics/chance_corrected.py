"""Agreement of several raters who need not be told apart, from patterns of their ratings.

What a subject adds depends on how many raters gave it each label. Subjects with the same
numbers are one row with a multiplicity, so nothing here depends on the number of subjects:

    counts          (P, l)    raters who gave pattern p the label k; r_p is the sum of a row
    multiplicities  (..., P)  subjects of each pattern; a row of a stack is one resample
    distances       (l, l)    how far two labels are apart: 0 to 1, 0 on the diagonal

Every coefficient is 1 - D_o / D_e: the distance of two ratings of the same subject, on
average, over that expected by chance. The usual weights make it (p_o - p_e) / (1 - p_e).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.statistics.weights import Weights, disagreement_matrix

Floats: TypeAlias = NDArray[np.float64]
# Patterns are made floats a block at a time: 8 MB.
BLOCK = 1 << 20


class Disagreement(NamedTuple):
    """The observed and the expected distance of two ratings, of one sample or a stack."""

    observed: Any
    expected: Any

    @property
    def coefficient(self) -> Floats:
        """One minus their ratio; NaN where no disagreement is expected."""
        observed, expected = np.asarray(self.observed), np.asarray(self.expected)
        ratio = np.full(observed.shape, np.nan)
        np.divide(observed, expected, out=ratio, where=expected > 0)
        return np.asarray(1 - ratio)


class Patterns:
    """Distinct numbers of ratings of each label, with the number of subjects that have them.

    Parameters
    ----------
    counts : ndarray of shape (P, l)
        Whole numbers, not negative. Patterns without a rating are left out.
    multiplicities : ndarray of shape (P,)
        Subjects of each pattern.
    """

    def __init__(self, counts: AnyArray, multiplicities: AnyArray) -> None:
        n_ratings = counts.sum(axis=1, dtype=np.int64)
        rated = n_ratings > 0
        if not rated.all():
            counts, multiplicities, n_ratings = (
                array[rated] for array in (counts, multiplicities, n_ratings)
            )
        self.counts, self.multiplicities, self.n_ratings = counts, multiplicities, n_ratings

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return int(self.counts.shape[1])

    @cached_property
    def paired(self) -> NDArray[np.bool_]:
        """Whether a pattern has two ratings or more."""
        paired: NDArray[np.bool_] = self.n_ratings >= 2
        return paired

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        """Yield some rows at a time, as floats."""
        step = max(1, BLOCK // max(self.n_labels, 1))
        for start in range(0, len(self.counts), step):
            rows = slice(start, start + step)
            yield rows, self.counts[rows].astype(np.float64)

    def sums(self, factors: AnyArray) -> Floats:
        """Return the sum of the rows times a factor each, of shape (..., l)."""
        parts = (factors[..., rows] @ counts for rows, counts in self.blocks())
        return sum(parts, np.zeros((*factors.shape[:-1], self.n_labels)))

    def products(self, values: AnyArray) -> Floats:
        """Return each row's sum of counts times values, of shape (P,)."""
        parts = [counts @ values for _, counts in self.blocks()]
        return np.concatenate(parts) if parts else np.empty(0)

    def distances(self, between: Floats) -> Floats:
        """Return the sum of the distances over a pattern's ordered pairs of ratings."""
        parts = [((counts @ between) * counts).sum(axis=1) for _, counts in self.blocks()]
        return np.concatenate(parts) if parts else np.empty(0)

    def shares(self, multiplicities: AnyArray) -> Floats:
        """Return each label's share of a subject's ratings, on average over the subjects."""
        return self.sums(multiplicities / self.n_ratings) / _total(multiplicities)[..., None]


def distances_of(weights: Weights, n_labels: int) -> Floats:
    """Return symmetric disagreement weights as a matrix whose largest entry is 1.

    Raises
    ------
    ValueError
        If the weights are not a name or a square matrix as `as_weights` wants it, or if
        they are not symmetric: ratings of the same subject have no order here.
    """
    apart = disagreement_matrix(weights, n_labels)
    if (apart != apart.T).any():
        raise ValueError(
            "weights must be symmetric, for the raters of a pair have no order here; take"
            " (weights + weights.T) / 2, or see pairwise_kappa and light_kappa."
        )
    largest = apart.max(initial=0)
    return apart / largest if largest else apart


# From the labels' shares, of shape (..., l), and the distances: the distance that is expected
# by chance and its derivative by each share, None where it does not depend on them.
Chance: TypeAlias = Callable[[Floats, Floats], tuple[Floats, "Floats | None"]]


def chance_of_fleiss(shares: Floats, distances: Floats) -> tuple[Floats, Floats | None]:
    """Expect each rating to be drawn from the labels' shares (Scott 1955, Fleiss 1971)."""
    from_label = shares @ distances
    return (from_label * shares).sum(axis=-1), 2 * from_label


def chance_of_gwet(shares: Floats, distances: Floats) -> tuple[Floats, Floats | None]:
    """Expect chance agreement on subjects that are hard to rate alone (Gwet 2008)."""
    n_labels = len(distances)
    if n_labels < 2:
        return np.zeros(shares.shape[:-1]), np.zeros(n_labels)
    factor = (n_labels**2 - distances.sum()) / (n_labels * (n_labels - 1))
    return 1 - factor * (shares * (1 - shares)).sum(axis=-1), factor * (2 * shares - 1)


def chance_of_randolph(shares: Floats, distances: Floats) -> tuple[Floats, Floats | None]:
    """Expect every label equally often (Bennett 1954, Brennan and Prediger 1981)."""
    return np.full(shares.shape[:-1], distances.sum() / len(distances) ** 2), None


class Coefficient(ABC):
    """A coefficient of distinct patterns of ratings, with the number of subjects of each.

    Its standard error is that over samples of subjects, with the raters as they are.

    Attributes
    ----------
    multiplicities : ndarray of shape (P,)
        Subjects of each pattern in the sample itself.
    """

    multiplicities: AnyArray

    @abstractmethod
    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        """Return the observed and the expected disagreement, also of each resample of a stack."""

    @abstractmethod
    def influence(self) -> Floats:
        """Return how much a subject of each pattern pulls the coefficient up, 0 on average."""

    def values(self, multiplicities: AnyArray) -> Floats:
        """Return the coefficient, also of each resample of a stack."""
        return self.disagreement(multiplicities).coefficient

    def standard_error(self) -> float:
        """Return the standard error, that of the mean of the influences."""
        n = float(self.multiplicities.sum())
        if n < 2:
            return math.nan
        return math.sqrt(float(self.multiplicities @ self.influence() ** 2) / (n * (n - 1)))

    def degrees_of_freedom(self) -> float:
        """Return those of the t distribution for intervals and tests."""
        return float(self.multiplicities.sum() - 1)


class ChanceCorrected(Coefficient):
    """A coefficient of subjects' patterns with a rule for what is expected by chance.

    Its standard error is Gwet's, for subjects drawn from many and the raters as they are.

    References
    ----------
    K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence
    of high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.
    """

    def __init__(self, patterns: Patterns, distances: Floats, chance: Chance) -> None:
        self._patterns, self._distances, self._chance = patterns, distances, chance
        self.multiplicities = patterns.multiplicities
        pairs = patterns.n_ratings * (patterns.n_ratings - 1)
        self._apart = patterns.distances(distances) / np.maximum(pairs, 1)

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        shares = self._patterns.shares(multiplicities)
        expected, _ = self._chance(shares, self._distances)
        return Disagreement(self._observed(multiplicities), expected)

    def influence(self) -> Floats:
        multiplicities = self.multiplicities
        shares = self._patterns.shares(multiplicities)
        expected, slope = self._chance(shares, self._distances)
        coefficient = 1 - self._observed(multiplicities) / expected
        pulls = influence_of_pairs(
            self._apart, self._patterns.paired, multiplicities, expected, coefficient
        )
        if slope is not None:
            of_pattern = self._patterns.products(slope) / self._patterns.n_ratings
            pulls += (1 - coefficient) * (of_pattern - shares @ slope) / expected
        return pulls

    def _observed(self, multiplicities: AnyArray) -> Floats:
        return observed_distance(self._apart, self._patterns.paired, multiplicities)


def observed_distance(apart: Floats, paired: NDArray[np.bool_], multiplicities: AnyArray) -> Floats:
    """Return the average distance of a subject's ratings, over those with two or more."""
    return divided(multiplicities @ apart, multiplicities @ paired)


def influence_of_pairs(
    apart: Floats,
    paired: NDArray[np.bool_],
    multiplicities: AnyArray,
    expected: Any,
    coefficient: Any,
) -> Floats:
    """Return the part of a pattern's influence that its own agreement has (Gwet 2014)."""
    share = divided(_total(multiplicities), multiplicities @ paired)
    pulls: Floats = share * paired * (1 - apart / expected) - coefficient
    return pulls


class FleissNull(NamedTuple):
    """Standard errors under the hypothesis that all agreement is by chance."""

    overall: float
    by_label: float


def fleiss_null_errors(patterns: Patterns) -> FleissNull | None:
    """Return the errors for tests of Fleiss' kappa, None unless all have as many ratings.

    References
    ----------
    J. L. Fleiss, J. C. M. Nee and J. R. Landis (1979). Large sample variance of kappa in
    the case of different sets of raters. Psychological Bulletin 86, 974-977.
    """
    n = int(_total(patterns.multiplicities))
    sizes = np.unique(patterns.n_ratings)
    if len(sizes) != 1 or sizes[0] < 2:
        return None
    n_pairs = n * int(sizes[0]) * (int(sizes[0]) - 1)
    p = patterns.shares(patterns.multiplicities)
    spread, skew = (p * (1 - p)).sum(), (p * (1 - p) * (1 - 2 * p)).sum()
    by_label = math.sqrt(2 / n_pairs)
    if spread <= 0:
        return FleissNull(math.nan, by_label)
    return FleissNull(by_label * math.sqrt(max(spread**2 - skew, 0.0)) / spread, by_label)


def divided(numerator: Any, denominator: Any) -> Floats:
    """Return a quotient that is NaN, without a warning, where it is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.true_divide(numerator, denominator))


def _total(multiplicities: AnyArray) -> AnyArray:
    return np.asarray(multiplicities.sum(axis=-1))
