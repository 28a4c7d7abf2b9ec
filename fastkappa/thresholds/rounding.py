"""Use one of four methods to find thresholds that round scores to labels, and compute kappa."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats, FloatTable
from fastkappa.choices import check_choice
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.kernels.dispatch import get_kernels, score_kernels
from fastkappa.kernels.threads import available_threads
from fastkappa.ratings.real_numbers import integer_at_least
from fastkappa.shortcuts.loading import cut_search
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, disagreement_matrix, what_needs_order
from fastkappa.thresholds.cuts.cut_programme import Programme, best_cuts, prefix_of
from fastkappa.thresholds.cuts.label_proportions import smooth_proportions
from fastkappa.thresholds.cuts.quadratic import smooth_cuts
from fastkappa.thresholds.items.direction import warn_of_poor_scores
from fastkappa.thresholds.items.folds import (
    Splits,
    clustered_splits,
    order_by_label,
    splits_of,
    stratified_folds,
)
from fastkappa.thresholds.items.scored_items import (
    Places,
    read_scored_items,
    read_scores,
    refuse_infinite_scores,
)
from fastkappa.thresholds.items.sorted_scores import SortedScores, sort_scores
from fastkappa.thresholds.search import best_sorted, single_label_cuts

Method = Literal["spline", "exact", "bagged", "closed_form"]
METHODS: tuple[Method, ...] = ("spline", "exact", "bagged", "closed_form")
# A spline has few knots, so more rows than this would not improve it.
MOST_SPLINE_ROWS = 1 << 10
# Items with less than this proportion of the total weight are left out, because rounding errors are
# larger than their weights.
LEAST_PROPORTION = 1e-12
# With more items than this, the exact optimum generalises as well as bagging and is much faster.
MOST_BAGGED = 10_000


class Rounding(NamedTuple):
    """Thresholds, and the kappa that they reach.

    ``table`` and ``kappa`` describe the items on which the thresholds were found. The cell in row
    i, column j of the table counts the items with label i that get label j. ``oof_positions``
    contains, for each item, the position of the label given by thresholds from the other folds.
    ``oof_kappa`` is the kappa of these labels. Without folds, both of these fields are None. An
    undefined kappa is NaN.
    """

    thresholds: AnyArray
    labels: AnyArray
    table: AnyArray
    kappa: float
    oof_positions: NDArray[np.intp] | None = None
    oof_kappa: float | None = None


def generator_of(random_state: np.random.RandomState) -> np.random.Generator:
    """Return a generator for `find_rounding`, seeded by a scikit-learn random state.

    `KappaRounder` and the command line both use this function, so that the same seed draws the same
    folds.
    """
    return np.random.default_rng(random_state.randint(np.iinfo(np.int32).max))


def find_rounding(
    y_true: Any,
    scores: Any,
    *,
    method: Method = "spline",
    labels: Any = None,
    weights: Weights = "quadratic",
    sample_weight: Any = None,
    n_resamples: int = 100,
    folds: int | Splits | None = 5,
    groups: Any = None,
    rng: np.random.Generator,
) -> Rounding:
    """Find thresholds by one of the methods described in `KappaRounder`.

    Parameters
    ----------
    y_true, scores, labels, weights, sample_weight
        As in `optimal_thresholds`.
    method : {'spline', 'exact', 'bagged', 'closed_form'}, default='spline'
    n_resamples : int, default=100
        The number of bootstrap resamples for the method 'bagged'.
    folds : int, sequence of (train, test) or None, default=5
        Folds for out-of-fold labels. Each item must be in exactly one test set. An int is the
        number of folds, stratified by label unless ``groups`` is given. If None, out-of-fold labels
        are not computed.
    groups : array-like of shape (n_samples,), default=None
        The group of each item, used only if ``folds`` is an int. All items of a group are in the
        same fold. There are no more folds than groups.
    rng : Generator
        The random number generator. It draws the resamples, then the folds, then the resamples of
        each fold.

    Returns
    -------
    rounding : Rounding

    Raises
    ------
    ValueError
        If an argument is invalid, if there are fewer items than folds, or if the method is
        'closed_form' and ``weights`` is not 'quadratic'.
    """
    check_choice("method", method, METHODS)
    if method == "closed_form" and not (isinstance(weights, str) and weights == "quadratic"):
        raise ValueError(
            f"method 'closed_form' requires weights='quadratic', got weights={weights!r}: use"
            " another method, such as 'spline'."
        )
    n_resamples = integer_at_least(n_resamples, 1, "n_resamples")
    if isinstance(folds, Integral):
        folds = integer_at_least(folds, 2, "the number of folds")
    pair_kernels, threads = get_kernels(), available_threads()
    read = read_scored_items(pair_kernels, y_true, scores, labels, sample_weight, threads)
    kernels: ScoreKernels = score_kernels(pair_kernels)
    # The sort must be stable, because the folds of items with equal scores would otherwise depend
    # on the processor.
    order = np.argsort(read.scores.copy(), kind="stable")
    items = sort_scores(read, order)
    read.warn_of_order(what_needs_order(weights))
    finder = ThresholdFinder(kernels, disagreement_matrix(weights, read.n_labels), n_resamples, rng)
    find: Callable[[SortedScores], AnyArray] = getattr(finder, method)
    thresholds = find(items)
    warn_of_poor_scores(items.scores, items.codes, items.weights, thresholds)
    table = read.in_given_weights(table_of(kernels, items, thresholds))
    found = Rounding(thresholds, read.labels, table, float(kappas(table, weights)))
    if folds is None:
        return found
    numbers = read_scores(scores)
    if len(order) < len(numbers):
        order = np.flatnonzero(np.asarray(sample_weight))[order]
    if isinstance(folds, int) and groups is not None:
        folds = clustered_splits(groups, folds, rng)
    elif isinstance(folds, int):
        # Items of weight 0 do not affect training, so they can be in any fold.
        fold_of = np.zeros(len(numbers), np.intp)
        fold_of[order] = stratified_folds(items, folds, rng)
        folds = splits_of(fold_of, folds)
    positions = _out_of_fold(find, items, order, numbers, folds)
    cells = items.codes * np.intp(read.n_labels) + positions[order]
    counts = np.bincount(cells, items.weights, minlength=table.size).reshape(table.shape)
    kappa = float(kappas(read.in_given_weights(counts), weights))
    return found._replace(oof_positions=positions, oof_kappa=kappa)


def table_at_thresholds(
    y_true: Any, scores: Any, thresholds: AnyArray, *, labels: Any, sample_weight: Any = None
) -> AnyArray:
    """Return the confusion matrix of the true labels and the labels assigned by thresholds."""
    threads = available_threads()
    read = read_scored_items(get_kernels(), y_true, scores, labels, sample_weight, threads)
    refuse_infinite_scores(read.scores)
    return read.in_given_weights(read.table_at(thresholds))


def places_at_thresholds(scores: Any, thresholds: AnyArray) -> NDArray[np.intp]:
    """Return the position of the label that ascending thresholds assign to each score.

    Raises
    ------
    ValueError
        If a score is not a finite number.
    """
    numbers = read_scores(scores)
    refuse_infinite_scores(numbers)
    return np.searchsorted(thresholds, numbers, side="right")


def _out_of_fold(
    find: Callable[[SortedScores], AnyArray],
    items: SortedScores,
    order: NDArray[np.intp],
    scores: AnyArray,
    splits: Splits,
) -> NDArray[np.intp]:
    """Return the position of the label that thresholds from the other folds assign to each score.

    Sorted item i has the score ``scores[order[i]]``.
    """
    positions = np.zeros(len(scores), np.intp)
    for train, test in splits:
        is_trained = np.zeros(len(scores), bool)
        is_trained[train] = True
        cuts = find(items.chosen(is_trained[order]))
        positions[test] = np.searchsorted(cuts, scores[test], side="right")
    return positions


def table_of(kernels: ScoreKernels, items: SortedScores, thresholds: AnyArray) -> Floats:
    """Return the confusion matrix at the given thresholds, weighted by the items' weights."""
    places = places_below(items, thresholds)
    ends = np.concatenate([[0], places, [len(items.scores)]])
    return np.diff(items.prefix_at(kernels, ends))


def places_below(items: SortedScores, thresholds: AnyArray) -> Places:
    """Return the number of items below each threshold."""
    return np.searchsorted(items.scores, thresholds, side="left").astype(np.int64)


class ThresholdFinder(NamedTuple):
    """Algorithms that find thresholds on sorted items, one per method."""

    kernels: ScoreKernels
    matrix: FloatTable
    n_resamples: int
    rng: np.random.Generator

    def exact(self, items: SortedScores) -> AnyArray:
        """Return the thresholds with the highest kappa."""
        best = best_sorted(self.kernels, items, self.matrix)
        return items.thresholds_at(best.places)

    def bagged(self, items: SortedScores) -> AnyArray:
        """Return the mean of the best thresholds found on bootstrap resamples.

        The mean is taken over the ranks of thresholds (the number of items below each), not over
        scores. The result therefore does not depend on the scale of the scores, and outliers have
        no extra influence. A threshold of -inf or inf in a resample counts as the lowest or highest
        rank.
        """
        n_items = len(items.scores)
        by_label = order_by_label(items)
        below = np.zeros(len(self.matrix) - 1)
        times = np.empty(n_items)
        for _ in range(self.n_resamples):
            times[by_label] = np.bincount(self.rng.integers(0, n_items, n_items), None, n_items)
            weights = times if items.weights is None else times * items.weights
            drawn = items._replace(weights=weights).chosen(times > 0)
            below += places_below(items, self.exact(drawn))
        places = items.distinct_places()
        return items.thresholds_at(_nearest(places, below / self.n_resamples))

    def spline(self, items: SortedScores) -> AnyArray:
        """Return the thresholds with the highest expected kappa according to a spline."""
        if items.weights is not None:
            counted = items.weights > LEAST_PROPORTION * items.weights.sum()
            if not counted.all():
                return self.spline(items.chosen(counted))
        places = items.distinct_places()
        if len(places) > MOST_SPLINE_ROWS:
            places = items.even_places(MOST_SPLINE_ROWS)
        prefix = items.prefix_at(self.kernels, places)
        only = single_label_cuts(self._programme(prefix), len(items.scores))
        if only is not None:
            return items.thresholds_at(only.places)
        numbers, scale = _scaled(items.scores)
        mean, spread = _mean_and_spread(numbers, items.weights)
        # If all scores are equal, their spread is 0. Replace it, because it is a divisor below.
        spread = spread or 1.0
        rows = np.diff(prefix)
        sums, sizes = np.add.reduceat(_times(numbers, items.weights), places[:-1]), rows.sum(axis=0)
        if items.weights is not None:
            # The weights are added up again, because differences between prefix sums would have
            # larger rounding errors.
            sizes = np.add.reduceat(items.weights, places[:-1])
        x = (sums / sizes - mean) / spread
        n_items = _effective_size(items)
        if (self.matrix == disagreement_matrix("quadratic", len(self.matrix))).all():
            cuts = smooth_cuts(x, rows, n_items)
            return _in_scores(mean + cuts * spread, scale, items)
        proportions = smooth_proportions(x, rows, n_items) if len(x) > 1 else None
        if proportions is None:
            return self.bagged(items) if len(items.scores) <= MOST_BAGGED else self.exact(items)
        expected = prefix_of((proportions * rows.sum(axis=0)).T)
        best = best_cuts(self._programme(expected), expected)
        return items.thresholds_at(places[best.positions])

    def _programme(self, prefix: Floats) -> Programme:
        search = cut_search(self.kernels)
        return Programme(prefix[:, -1], self.matrix, search=search, counts_whole=False)

    def closed_form(self, items: SortedScores) -> AnyArray:
        """Return the scores at which the linear model with the highest quadratic kappa rounds up.

        The model is a linear regression on the scores. Its predictions are stretched about their
        mean by 1 / r, where r is the correlation of scores and label positions. The predictions
        then have the mean and variance of the label positions. Only the sign of r matters.
        """
        n_labels = len(self.matrix)
        numbers, scale = _scaled(items.scores)
        mean, spread = _mean_and_spread(numbers, items.weights)
        positions = items.codes.astype(np.float64)
        middle, breadth = _mean_and_spread(positions, items.weights)
        correlation = 0.0
        if spread > 0 and breadth > 0:
            standard = (numbers - mean) / spread, (positions - middle) / breadth
            correlation = float(np.average(standard[0] * standard[1], weights=items.weights))
        halves = np.arange(1, n_labels) - 0.5
        thresholds = np.where(halves <= middle, -np.inf, np.inf)
        # A correlation that could be a rounding error is treated as 0.
        if correlation > len(numbers) * np.finfo(np.float64).eps:
            thresholds = mean + (halves - middle) / breadth * spread
        return _in_scores(thresholds, scale, items)


def _scaled(scores: AnyArray) -> tuple[Floats, float]:
    """Return sorted scores divided by the largest absolute score, and the divisor.

    Squares of the scaled scores cannot overflow.
    """
    scale = float(np.abs(scores[[0, -1]]).max()) or 1.0
    return scores.astype(np.float64) / scale, scale


def _in_scores(thresholds: Floats, scale: float, items: SortedScores) -> AnyArray:
    """Convert thresholds on scaled scores to the scale and dtype of the scores."""
    with np.errstate(over="ignore"):
        return (thresholds * scale).astype(items.scores.dtype)


def _nearest(places: Places, wanted: Floats) -> Places:
    """Return the place nearest to each wanted place, or the higher of two equally near places."""
    middles = places[:-1] / 2 + places[1:] / 2
    return places[np.searchsorted(middles, wanted, side="right")]


def _effective_size(items: SortedScores) -> float:
    """Return Kish's effective sample size of weighted items."""
    if items.weights is None:
        return float(len(items.scores))
    return float(items.weights.sum() ** 2 / (items.weights @ items.weights))


def _times(numbers: Floats, weights: Floats | None) -> Floats:
    return numbers if weights is None else numbers * weights


def _mean_and_spread(numbers: Floats, weights: Floats | None) -> tuple[float, float]:
    """Return the mean and the standard deviation (exactly 0 for equal numbers)."""
    if (numbers == numbers[0]).all():
        return float(numbers[0]), 0.0
    mean = float(np.average(numbers, weights=weights))
    return mean, float(np.sqrt(np.average((numbers - mean) ** 2, weights=weights)))
