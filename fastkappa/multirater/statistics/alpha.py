"""Compute Krippendorff's alpha from patterns of ratings.

Every subject with r >= 2 ratings contributes its ordered pairs of ratings with weight 1 / (r - 1).
The total weight of a subject is therefore its number of ratings. With n_k ratings of label k, and N
ratings in all, the observed and expected disagreement are

    D_o = weighted sum of the pairs' distances / N,    D_e = sum n_k n_l d_kl / (N (N - 1)).

Two of Krippendorff's metrics assign a number to each label. The distance between two labels is the
squared difference between their numbers. For interval data, a label's number is its value. For
ordinal data, it is the label's mid-rank, which depends on the sample.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fastkappa.arrays import AnyArray, Floats, Matrix
from fastkappa.choices import check_choice
from fastkappa.multirater.statistics.coefficient import (
    Coefficient,
    Disagreement,
    ScoreModel,
    divided,
)
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.multirater.statistics.set_distances import SET_LEVELS
from fastkappa.statistics.intervals.inverted import least_kappa
from fastkappa.statistics.intervals.ratio_constraint import Smooth
from fastkappa.statistics.spread import Influence
from fastkappa.statistics.weights import as_weights, exact_floats

NamedLevel: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
Level: TypeAlias = NamedLevel | Matrix
LEVELS = get_args(NamedLevel)


class Metric(NamedTuple):
    """The distances between labels, as an array of shape (l, l).

    ``largest`` is used to bound the rounding errors of the distances. If distances are squared
    differences between numbers, it is the largest absolute value of these numbers. It is 1 for
    ratio data, and 0 for all other distances.
    """

    distances: Floats
    largest: float = 0.0


class Alpha(Coefficient):
    """Krippendorff's alpha, computed from patterns.

    Parameters
    ----------
    patterns : Patterns
        The subjects' patterns. Subjects with one rating are left out.
    level : {'nominal', 'ordinal', 'interval', 'ratio'} or array-like of shape (l, l)
        The level of measurement, or a matrix of distances.
    labels : ndarray of shape (l,)
        The labels, in order. For the levels 'interval' and 'ratio', they must be numbers.

    Raises
    ------
    ValueError
        If the level is unknown, if it requires numbers but the labels are not numbers, if the level
        is 'ratio' and a label is negative, or if a matrix of distances is not symmetric or not
        valid for `as_weights`.
    """

    def __init__(self, patterns: Patterns, level: Level, labels: AnyArray) -> None:
        paired = patterns.paired
        self._patterns = Patterns(patterns.counts[paired], patterns.multiplicities[paired])
        self.multiplicities = self._patterns.multiplicities
        self.used = paired
        self._level, self._labels = level, labels
        # The metric of ordinal data depends on the sample, so it is not stored.
        self._fixed = None if _is_name(level, "ordinal") else metric_of(level, labels)

    def disagreement(self, multiplicities: AnyArray) -> Disagreement:
        if self._fixed is None and multiplicities.ndim > 1:
            each = [self.disagreement(sample) for sample in multiplicities]
            return Disagreement(*(np.array(values) for values in zip(*each)))
        totals = self._patterns.sums(multiplicities)
        metric = self._metric(totals)
        n = np.asarray(totals.sum(axis=-1))
        observed = multiplicities @ self._of_patterns(metric)
        # With only one label, the expected disagreement is set to 0, because rounding errors would
        # look like disagreement.
        several = np.count_nonzero(totals, axis=-1) > 1
        with np.errstate(invalid="ignore"):
            expected = np.where(several, ((totals @ metric.distances) * totals).sum(axis=-1), 0.0)
        return Disagreement(divided(observed, n), divided(expected, n * (n - 1)))

    def of_raters(self, profiles: Profiles) -> Alpha:
        return Alpha(profiles.patterns, self._level, self._labels)

    def n_used(self) -> int:
        return int(np.count_nonzero(self._patterns.sums(self.multiplicities)))

    def influence(self) -> Influence:
        """Return the influence of a subject on alpha, for each pattern (Gwet 2014).

        The distances of ordinal data are treated as fixed, although they depend on the sample.
        """
        patterns, multiplicities = self._patterns, self.multiplicities
        totals = patterns.sums(multiplicities)
        metric = self._metric(totals)
        proportions = totals / totals.sum()
        from_labels = proportions @ metric.distances
        expected = from_labels @ proportions
        # A bound on the error in ``from_labels`` that is due to the rounding of the labels.
        rounded = rounded_sums(metric.largest, from_labels, 1)
        return influence_of_alpha(
            Parts(self._of_patterns(metric), patterns.products(from_labels), expected),
            patterns.n_ratings,
            multiplicities,
            metric.largest,
            (patterns.products(rounded), rounded @ proportions / expected),
        )

    def score_model(self) -> ScoreModel | None:
        """Return the score model.

        The features of a pattern are its weighted sum of distances and its count of each label, all
        divided by the mean number of ratings. The distances of ordinal data are treated as fixed.
        """
        metric = self._metric(self._patterns.sums(self.multiplicities))
        patterns = self._patterns.with_unseen(self._patterns.n_labels + 1)
        if patterns is None:
            return None
        n = float(self.multiplicities.sum())
        between = metric.distances / (metric.distances.max(initial=0) or 1.0)
        mean_ratings = float(self.multiplicities @ self._patterns.n_ratings) / n
        within = patterns.distances(between) / (patterns.n_ratings - 1)
        features = np.column_stack([within, patterns.counts]) / mean_ratings
        own = 1 / (n * mean_ratings)
        ratio = partial(_ratio_of_alpha, between, own)
        # The factor 1 - own is needed because alpha draws the two ratings for chance agreement
        # without replacement.
        least = 1 - (1 - least_kappa(between, int(patterns.n_ratings.min()))) * (1 - own)
        return ScoreModel(features, patterns.multiplicities, ratio, patterns.n_ratings, least)

    def _metric(self, totals: Floats) -> Metric:
        if self._fixed is not None:
            return self._fixed
        # The mid-rank of each label, minus the middle rank.
        ranks = totals.cumsum() - (totals + totals.sum()) / 2
        return _squared_differences(ranks)

    def _of_patterns(self, metric: Metric) -> Floats:
        scaled: Floats = self._patterns.distances(metric.distances) / (self._patterns.n_ratings - 1)
        return scaled


def _ratio_of_alpha(between: Floats, own: float, sums: Floats) -> tuple[Smooth, Smooth]:
    """Return the numerator and denominator of 1 - alpha, given the sums of the features.

    ``own`` is 1 divided by the total number of ratings.
    """
    within, totals = sums[:, 0], sums[:, 1:]
    others = totals.sum(axis=1) - own
    k = sums.shape[1]
    slope, bend = np.zeros((len(sums), k)), np.zeros((1, k, k))
    slope[:, 0], slope[:, 1:] = others, within[:, None]
    bend[:, 0, 1:] = bend[:, 1:, 0] = 1
    above = Smooth(within * others, slope, bend)
    from_labels = totals @ between
    slope, bend = np.zeros((len(sums), k)), np.zeros((1, k, k))
    slope[:, 1:], bend[:, 1:, 1:] = 2 * from_labels, 2 * between
    return above, Smooth((from_labels * totals).sum(axis=1), slope, bend)


def metric_of(level: Level, labels: AnyArray) -> Metric:
    """Return the metric of a level other than 'ordinal', whose distances depend on the sample."""
    if not isinstance(level, str):
        try:
            matrix = as_weights(level, len(labels))
        except ValueError as error:
            raise ValueError(f"level is not a valid matrix of distances: {error}") from error
        if not isinstance(matrix, np.ndarray) or (matrix != matrix.T).any():
            got = "an asymmetric matrix" if isinstance(matrix, np.ndarray) else repr(level)
            raise ValueError(
                "level must be a name, such as 'ordinal', or a symmetric matrix of distances, got"
                f" {got}."
            )
        return Metric(matrix.astype(np.float64))
    if level == "nominal":
        return Metric(1 - np.eye(len(labels)))
    if level not in LEVELS:
        check_choice("level", level, (*LEVELS, *SET_LEVELS), "a matrix of distances")
    values = numbers_of(level, labels)
    if level == "interval":
        return _squared_differences(values)
    if (values < 0).any():
        raise ValueError(f"level='ratio' requires non-negative labels, got {values.min():g}.")
    sums = values[:, None] + values
    ratios = np.divide(values[:, None] - values, sums, out=np.zeros(sums.shape), where=sums > 0)
    return Metric(ratios**2, largest=1.0)


def numbers_of(level: str, labels: AnyArray) -> Floats:
    """Return the values of the labels, or their positions if the level is 'ordinal'."""
    if level == "ordinal":
        return np.arange(len(labels), dtype=np.float64)
    if labels.dtype.kind not in "iuf":
        raise ValueError(
            f"level={level!r} requires numeric labels, got {labels[:5].tolist()}. For other labels,"
            " use the level 'nominal' or 'ordinal'."
        )
    return exact_floats(labels)


class Parts(NamedTuple):
    """The components of alpha for one sample.

    ``within`` and ``to_all`` have one entry per row. ``within`` is the sum of the distances over
    the row's ordered pairs of ratings, divided by the number of ratings minus one. ``to_all`` is
    the sum, over the row's ratings, of the mean distance to all ratings in the sample. ``expected``
    is the mean distance between two ratings drawn with replacement.
    """

    within: Floats
    to_all: Floats
    expected: float


def influence_of_alpha(
    parts: Parts,
    n_ratings: Any,
    multiplicities: AnyArray,
    largest: float,
    rounded: tuple[Any, Any],
) -> Influence:
    """Return the influence of a subject on alpha, for each row (Gwet 2014).

    ``largest`` is defined as in `Metric`. ``rounded`` contains two bounds on the errors caused by
    rounding the labels: one for the error of ``to_all``, and one for the relative error of
    ``expected``.
    """
    within, to_all, expected = parts
    n = multiplicities.sum()
    mean_ratings = (multiplicities * n_ratings).sum() / n
    own = within / mean_ratings / expected
    ratio = multiplicities @ own / n
    by_chance = 2 * to_all / mean_ratings / expected
    surplus = n_ratings / mean_ratings
    values = ratio * (by_chance - surplus) - own
    of_all, of_expected = rounded
    of_own = rounded_sums(largest, within, n_ratings) / mean_ratings / expected
    of_own += own * of_expected
    of_ratio = multiplicities @ of_own / n + ratio * of_expected
    of_chance = 2 * of_all / mean_ratings / expected
    of_chance += by_chance * of_expected
    by_chance += surplus
    by_chance *= ratio + of_ratio
    by_chance += ratio * of_chance
    by_chance += own
    by_chance += of_own
    return Influence(values, by_chance)


def rounded_sums(largest: float, distances: Floats, n_pairs: Any) -> Floats:
    """Bound the effect of rounded labels on sums of ``n_pairs`` distances, in units of EPSILON.

    For d = a - b, the error of d**2 is at most 4 |d| max |label|. By the Cauchy-Schwarz inequality,
    the sum of |d| is at most sqrt(n_pairs * sum of d**2).
    """
    change: Floats = 4 * largest * np.sqrt(n_pairs * distances)
    return change


def _squared_differences(values: Floats) -> Metric:
    largest = float(np.abs(values).max(initial=0))
    return Metric((values[:, None] - values) ** 2, largest)


def _is_name(level: Any, name: str) -> bool:
    return isinstance(level, str) and level == name
