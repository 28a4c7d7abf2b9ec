"""Compute Krippendorff's alpha for measurements with too many distinct values to treat as labels.

The definitions are the same as in the module `alpha`, with one row per subject in place of
patterns. For interval data, distances are squared differences between values. For ordinal data,
they are squared differences between mid-ranks. Consider a subject with r ratings, and let S be
their sum of squares about their mean m. Then the subject's distances, summed over ordered pairs,
are 2 r S. Likewise, the sum of the distances between all N ratings is 2 N T, where T is the sum of
squares about their mean. Only r, m and S are needed for each subject, so no array needs one entry
for each combination of label and subject. Ratio data have no such formula; see `ratio_distances`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, Floats, IntTable, chunks_of
from fastkappa.multirater.statistics.alpha import Parts, influence_of_alpha, rounded_sums
from fastkappa.multirater.statistics.coefficient import Coefficient, Disagreement, divided
from fastkappa.multirater.statistics.ratio_distances import RatioDistances, ratio_distance
from fastkappa.statistics.spread import EPSILON, Influence

# The levels at which measurements can be compared.
MEASURED = ("ordinal", "interval", "ratio")
# The number of ratings to process at a time, which is small enough for the cache.
CHUNK = 1 << 16


class MeasuredAlpha(Coefficient):
    """Krippendorff's alpha, computed from measurements.

    Parameters
    ----------
    columns : sequence of ndarray of shape (n,)
        The numbers that each rater gave, with NaN for missing ratings.
    multiplicities : ndarray of shape (n,)
        The number of subjects with each row. Rows with fewer than two ratings are left out.
    level : {'ordinal', 'interval', 'ratio'}
        The level of measurement.

    Raises
    ------
    ValueError
        If the level is 'ratio' and a number is negative.
    """

    def __init__(self, columns: Sequence[AnyArray], multiplicities: IntTable, level: str) -> None:
        n_ratings = np.sum([~np.isnan(column) for column in columns], axis=0)
        paired = n_ratings >= 2
        if not paired.all():
            columns = [column[paired] for column in columns]
            multiplicities = multiplicities[paired]
            n_ratings = n_ratings[paired]
        self._n_ratings = n_ratings
        self.multiplicities = multiplicities
        kinds: dict[str, type[_Intervals | _Ranks | _Ratios]] = {
            "interval": _Intervals,
            "ordinal": _Ranks,
            "ratio": _Ratios,
        }
        self._distances = kinds[level](columns, n_ratings, multiplicities)

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        n = self._count(multiplicities)
        within, between = self._distances.sums(multiplicities)
        return Disagreement(divided(within, n), divided(between, n * (n - 1)))

    def n_used(self) -> int:
        return int(self._count(self.multiplicities))

    def influence(self) -> Influence:
        """Return the influence of a subject on alpha, for each row, as in `Alpha.influence`."""
        parts, largest = self._distances.parts(self.multiplicities), self._distances.largest
        rounded = (
            rounded_sums(largest, parts.to_all, self._n_ratings),
            4 * largest / np.sqrt(parts.expected),
        )
        return influence_of_alpha(parts, self._n_ratings, self.multiplicities, largest, rounded)

    def _count(self, multiplicities: AnyArray) -> Floats:
        """Return the number of ratings in one sample, or in each sample of a stack."""
        return np.asarray(multiplicities @ self._n_ratings, np.float64)


class _Squares:
    """Squared differences, computed from three numbers per subject."""

    def __init__(self, columns: Sequence[Any], n_ratings: Any, centre: float) -> None:
        self._n_ratings = n_ratings
        n = len(columns[0])
        self._sums, self._squares = np.empty(n), np.empty(n)
        largest = 0.0
        for rows, chunk in chunks_of(columns, CHUNK):
            chunk -= centre
            largest = max(largest, float(np.fmax.reduce(np.abs(chunk), axis=None, initial=0.0)))
            first = chunk[0].copy()
            for column in chunk[1:]:
                np.copyto(first, column, where=np.isnan(first))
            # Each subject's first rating is subtracted, so that rounding errors do not make equal
            # ratings differ.
            chunk -= first
            total = np.nansum(chunk, axis=0)
            self._sums[rows] = total + n_ratings[rows] * first
            chunk -= total / n_ratings[rows]
            chunk *= chunk
            self._squares[rows] = np.nansum(chunk, axis=0)
        self.largest = largest

    def sums(self, multiplicities: AnyArray) -> tuple[Floats, Floats]:
        n = np.asarray(multiplicities @ self._n_ratings)
        within = np.asarray(multiplicities @ self._within())
        total = np.asarray(multiplicities @ self._sums)
        about_centre = multiplicities @ (self._squares + self._sums**2 / self._n_ratings)
        squares = about_centre - divided(total**2, n)
        # Sums no larger than rounding errors are set to 0, so that equal numbers do not seem to
        # differ.
        noise = 64 * EPSILON * about_centre
        return within, np.where(squares > noise, 2 * n * squares, 0.0)

    def parts(self, multiplicities: AnyArray) -> Parts:
        n_ratings = self._n_ratings
        n = float(multiplicities @ n_ratings)
        mean = float(multiplicities @ self._sums) / n
        from_mean = self._sums - n_ratings * mean
        from_mean *= from_mean
        from_mean /= n_ratings
        from_mean += self._squares
        variance = float(multiplicities @ from_mean) / n
        from_mean += n_ratings * variance
        return Parts(self._within(), from_mean, 2 * variance)

    def _within(self) -> Floats:
        factor = 2 * self._n_ratings / (self._n_ratings - 1)
        within: Floats = factor * self._squares
        return within


class _Intervals(_Squares):
    """Squared differences between numbers. The numbers are centred to preserve precision."""

    def __init__(self, columns: Sequence[AnyArray], n_ratings: Any, _: IntTable) -> None:
        count = total = 0.0
        start = _first_number(columns)
        for _rows, chunk in chunks_of(columns, CHUNK):
            chunk -= start
            count += np.count_nonzero(~np.isnan(chunk))
            total += float(np.nansum(chunk))
        super().__init__(columns, n_ratings, start + total / max(count, 1.0))


class _Ranks:
    """Squared differences between mid-ranks, which depend on the sample."""

    def __init__(
        self, columns: Sequence[AnyArray], n_ratings: Any, multiplicities: IntTable
    ) -> None:
        ratings = np.array(columns, np.float64)
        # NaN sorts last, so its code is higher than the codes of all numbers.
        distinct, codes = np.unique(ratings, return_inverse=True)
        self._n_labels = int(np.count_nonzero(~np.isnan(distinct)))
        self._codes = codes.reshape(ratings.shape)
        self._n_ratings = n_ratings
        self._multiplicities = multiplicities
        self._squares = self._of_sample(multiplicities)
        self.largest = self._squares.largest

    def sums(self, multiplicities: AnyArray) -> tuple[Floats, Floats]:
        if multiplicities.ndim == 1:
            return self._at(multiplicities).sums(multiplicities)
        each = [self._of_sample(sample).sums(sample) for sample in multiplicities]
        within, between = (np.array(sums) for sums in zip(*each))
        return within, between

    def parts(self, multiplicities: AnyArray) -> Parts:
        return self._at(multiplicities).parts(multiplicities)

    def _at(self, multiplicities: AnyArray) -> _Squares:
        own = multiplicities is self._multiplicities
        return self._squares if own else self._of_sample(multiplicities)

    def _of_sample(self, multiplicities: AnyArray) -> _Squares:
        n_labels = self._n_labels
        totals = np.zeros(n_labels + 1)
        for codes in self._codes:
            totals += np.bincount(codes, multiplicities, n_labels + 1)
        totals = totals[:-1]
        ranks = totals.cumsum() - (totals + totals.sum()) / 2
        ranks = np.append(ranks, np.nan)
        return _Squares([*ranks[self._codes]], self._n_ratings, 0.0)


class _Ratios:
    """Ratio distances: the squared ratio of two numbers' difference to their sum."""

    largest = 1.0

    def __init__(
        self, columns: Sequence[AnyArray], n_ratings: Any, multiplicities: IntTable
    ) -> None:
        self._columns = columns
        self._n_ratings = n_ratings
        n = len(columns[0])
        self._within = np.empty(n)
        for rows, chunk in chunks_of(columns, CHUNK):
            least = np.fmin.reduce(chunk, axis=None, initial=np.inf)
            if least < 0:
                raise ValueError(f"level='ratio' requires non-negative labels, got {least:g}.")
            total = np.zeros(chunk.shape[1])
            for a, b in combinations(chunk, 2):
                total += np.nan_to_num(ratio_distance(a, b))
            self._within[rows] = 2 * total / (n_ratings[rows] - 1)
        self._distances = RatioDistances(
            chunk.ravel() for _rows, chunk in chunks_of(columns, CHUNK)
        )
        self._multiplicities = multiplicities
        self._own_moments = self._moments_of(multiplicities)

    def sums(self, multiplicities: AnyArray) -> tuple[Floats, Floats]:
        moments = self._moments(multiplicities)
        function = self._distances.coefficients(moments)
        between = (function * moments).sum(axis=-1)
        n = np.asarray(multiplicities @ self._n_ratings)
        # Sums no larger than rounding errors are set to 0, so that equal numbers do not seem to
        # differ.
        noise = 64 * EPSILON * n * n * self._distances.largest
        return (
            np.asarray(multiplicities @ self._within),
            np.where(between > noise, between, 0.0),
        )

    def parts(self, multiplicities: AnyArray) -> Parts:
        moments = self._moments(multiplicities)
        n = float(multiplicities @ self._n_ratings)
        function = self._distances.coefficients(moments)
        to_all = np.empty(len(self._within))
        for rows, chunk in chunks_of(self._columns, CHUNK):
            each = self._distances.evaluate(function, chunk.ravel()).reshape(chunk.shape)
            to_all[rows] = each.sum(axis=0)
        to_all /= n
        return Parts(self._within, to_all, float(function @ moments) / n / n)

    def _moments(self, multiplicities: AnyArray) -> Floats:
        own = multiplicities is self._multiplicities
        return self._own_moments if own else self._moments_of(multiplicities)

    def _moments_of(self, multiplicities: AnyArray) -> Floats:
        found = self._distances.no_moments(multiplicities.shape[:-1])
        for rows, chunk in chunks_of(self._columns, CHUNK):
            weights = multiplicities[..., rows]
            if weights.ndim == 1 and (weights == 1).all():
                found += self._distances.moments(chunk.ravel())
                continue
            for column in chunk:
                found += self._distances.moments(column, weights.astype(np.float64))
        return found


def _first_number(columns: Sequence[AnyArray]) -> float:
    for _rows, chunk in chunks_of(columns, CHUNK):
        numbers = chunk[~np.isnan(chunk)]
        if len(numbers):
            return float(numbers[len(numbers) // 2])
    return 0.0
