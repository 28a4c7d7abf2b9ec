"""Find the thresholds on scores that give the highest possible kappa."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.choices import check_choice
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.formatting import figure, label_text, number_text
from fastkappa.frame import data_frame
from fastkappa.kernels.dispatch import get_kernels, score_kernels
from fastkappa.kernels.threads import resolve_num_threads
from fastkappa.results.report import Grid, Report, abridged, counts_grid
from fastkappa.results.result import Result
from fastkappa.results.sentence import listed, versioned
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, disagreement_matrix, what_needs_order
from fastkappa.thresholds.items.direction import warn_of_poor_scores
from fastkappa.thresholds.items.scored_items import read_scored_items
from fastkappa.thresholds.items.sorted_scores import sort_scores
from fastkappa.thresholds.rounding import places_at_thresholds
from fastkappa.thresholds.search import SIZES, best_binned, best_sorted

METHODS = ("auto", "sort", "bins")
# With fewer items than this, sorting takes no longer than setting up the bins.
ITEMS_WORTH_BINS = 1 << 16
# Kappa at the best thresholds is close to 0 if scores decrease as labels increase, or if the scores
# do not separate the labels. Both are checked only if kappa is below this limit.
MOST_OF_POOR = 0.3
# The largest number of thresholds that the repr shows.
MOST_SHOWN = 4
IN_SAMPLE = (
    "The thresholds were chosen on these items, so this kappa is optimistic. KappaRounder estimates"
    " kappa on new items."
)


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdResult(Result):
    """The best thresholds on scores, and the kappa that they reach.

    Attributes
    ----------
    thresholds : ndarray of shape (l - 1,)
        Ascending thresholds, in the dtype of the scores. An item gets ``labels[i]`` if its score is
        at least ``thresholds[i - 1]`` and below ``thresholds[i]``. Thresholds of -inf mean that the
        lowest labels get no items, and thresholds of inf mean that the highest labels get no items.
        If two thresholds are equal, the label between them gets no items.
    kappa : float
        Kappa between the true labels and the labels that the thresholds assign.
    table : ndarray of shape (l, l)
        The cell in row i, column j is the number (or the total weight) of items with true label
        ``labels[i]`` that get ``labels[j]``. The dtype is float64 if item weights are floats, and
        int64 otherwise.
    labels : ndarray of shape (l,)
        The labels, in order.
    rounds : int
        The number of rounds of the search.
    gap : float
        An upper bound on the possible gain in kappa. No thresholds reach a kappa above
        ``kappa + gap``. With integer item weights, the gap is 0.0, because the optimum is proven in
        integer arithmetic.
    method : {'sort', 'bins'}
        The method that was used. 'bins' falls back to 'sort' if more than half of the items are in
        bins that can contain a threshold.
    """

    thresholds: AnyArray
    kappa: float
    table: AnyArray
    labels: AnyArray
    rounds: int
    gap: float
    method: Literal["sort", "bins"]

    def predict(self, scores: Any) -> AnyArray:
        """Return the label that the thresholds assign to each score.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores.

        Returns
        -------
        labels : ndarray of shape (n,)
        """
        predicted: AnyArray = self.labels[places_at_thresholds(scores, self.thresholds)]
        return predicted

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per label.

        An item gets the label of a row if its score is at least ``from`` and less than ``below``.
        The column ``true`` counts the items whose true label is the label of the row. The column
        ``given`` counts the items to which the thresholds assign the label of the row.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        ends = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        columns = {
            "from": ends[:-1],
            "below": ends[1:],
            "true": self.table.sum(axis=1),
            "given": self.table.sum(axis=0),
        }
        return data_frame(columns, ("label", self.labels.tolist()))

    def _report(self) -> Report:
        cuts = [f"{cut:.6g}" for cut in self.thresholds.tolist()]
        names = [label_text(label) for label in self.labels.tolist()]
        rows = list(zip(names, ["-inf", *cuts], [*cuts, "inf"]))
        grids = [Grid(("label", "from", "below"), abridged(rows))]
        counts = counts_grid(self.labels, self.table, axes=("True labels", "the labels given"))
        below = [f"no thresholds can raise kappa by more than {self.gap:.2g}"] if self.gap else []
        if not math.isnan(self.kappa):
            below.append(IN_SAMPLE)
        return Report(
            [
                f"Thresholds with the highest kappa, {figure(self.kappa)}, on"
                f" {number_text(self.table.sum())} items"
            ],
            [*grids, *counts],
            below,
        )

    def sentence(self) -> str:
        """Return the thresholds and their kappa as a sentence for a paper."""
        cuts = [f"{cut:.6g}" for cut in self.thresholds.tolist()]
        return versioned(
            f"{f'Thresholds of {listed(cuts)}' if cuts else 'No thresholds'}, with the highest"
            f" kappa on the scores of {number_text(self.table.sum())} items, gave a kappa of"
            f" {figure(self.kappa)} on the same items"
        )

    def __repr__(self) -> str:
        cuts = ", ".join(f"{cut:.6g}" for cut in self.thresholds[:MOST_SHOWN].tolist())
        more = ", ..." if len(self.thresholds) > MOST_SHOWN else ""
        return f"<ThresholdResult: kappa {figure(self.kappa)} at {cuts}{more}>"


def optimal_thresholds(
    y_true: Any,
    scores: Any,
    *,
    weights: Weights = "quadratic",
    labels: Any = None,
    sample_weight: Any = None,
    method: Literal["auto", "sort", "bins"] = "auto",
    num_threads: int | None = None,
) -> ThresholdResult:
    """Find the thresholds on scores that give the highest possible kappa.

    The result is the global optimum over all thresholds and does not depend on a starting
    point.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true labels: integers, whole-number floats, booleans, strings or dates.
    scores : array-like of shape (n,)
        The model output for each item. All scores must be finite. Higher scores correspond to later
        labels. float32 and float64 scores are read in place, and other numbers are converted to
        float64. For probabilities (one column per label), use `decode_probabilities`.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default='quadratic'
        Disagreement weights, as in `cohen_kappa_score`. The rows of a matrix correspond
        to the true labels.
    labels : array-like of shape (l,), default=None
        All labels, in order. By default, the labels have the order that ``y_true`` declares.
        Ordered categoricals, polars Enums, ordered Arrow dictionaries and Python enums declare an
        order. If no order is declared, the labels that occur in ``y_true`` are sorted. Strings are
        sorted by value if all of them are numbers, and alphabetically otherwise.
    sample_weight : array-like of shape (n,), default=None
        Non-negative item weights. Items of weight 0 are left out.
    method : {'auto', 'sort', 'bins'}, default='auto'
        'sort' sorts all scores. 'bins' counts the scores in bins and sorts only the bins that can
        contain a threshold. Both methods reach the same kappa. 'auto' chooses the faster method.
    num_threads : int, default=None
        The maximum number of threads. By default, the number of threads is limited only by the
        number of cores, the CPU quota and ``OMP_NUM_THREADS``.

    Returns
    -------
    result : ThresholdResult
        The thresholds and their kappa. If all true labels are equal, kappa is undefined. In this
        case, ``kappa`` is NaN, and an ``UndefinedMetricWarning`` is issued.

    Raises
    ------
    ValueError
        If inputs differ in length; if a true label is missing or not in ``labels``; if true labels
        mix strings and numbers; if a score is NaN, infinite or an integer that float64 cannot
        represent exactly; or if another parameter is invalid.
    RuntimeError
        If another thread changes ``y_true`` or ``scores`` while they are read.

    Warns
    -----
    LabelOrderWarning
        If ``y_true`` contains strings that are not all numbers, and their order is neither given
        nor declared. The best thresholds depend on the order of the labels, whichever weights are
        used.
    FallingScoresWarning
        If scores tend to be lower for later labels. If the order of the labels is right, multiply
        the scores by -1.
    UserWarning
        If the best thresholds give all items the same label.

    See Also
    --------
    ThresholdEvaluator : Compute kappa at given thresholds, for your own optimiser.
    decode_probabilities : Choose labels from class probabilities.

    Notes
    -----
    Kappa is 1 - O / E, where the observed disagreement O and the expected disagreement E are sums
    over the items. Finding the best thresholds is therefore a fractional programming problem, which
    Dinkelbach's method solves exactly in a few rounds.

    The running time grows linearly with the number of items and quadratically with the number of
    labels.

    With few items, the best thresholds fit the noise and are not the best for new items.
    `KappaRounder` chooses thresholds that are meant for new items. With 100 000 or more items,
    `KappaRounder` and this function find practically the same thresholds.

    References
    ----------
    W. Dinkelbach (1967). On nonlinear fractional programming. Management Science 13, 492-498.

    J. Cohen (1968). Weighted kappa: nominal scale agreement with provision for scaled
    disagreement or partial credit. Psychological Bulletin 70, 213-220.

    Examples
    --------
    >>> from fastkappa import optimal_thresholds
    >>> y_true = ["bad", "bad", "good", "good", "best", "best"]
    >>> scores = [0.1, 0.4, 0.3, 0.6, 0.7, 0.9]
    >>> result = optimal_thresholds(y_true, scores, labels=["bad", "good", "best"])
    >>> result.thresholds
    array([0.5 , 0.65])
    >>> result.kappa
    0.8888888888888888
    >>> result.predict([0.15, 0.6, 0.8])
    array(['bad', 'good', 'best'], dtype='<U4')
    """
    check_choice("method", method, METHODS)
    threads = resolve_num_threads(num_threads)
    pair_kernels = get_kernels()
    items = read_scored_items(pair_kernels, y_true, scores, labels, sample_weight, threads)
    items.warn_of_order(what_needs_order(weights))
    matrix = disagreement_matrix(weights, items.n_labels)
    kernels = score_kernels(pair_kernels)
    binned = None
    if method == "bins" or (method == "auto" and len(items.scores) >= ITEMS_WORTH_BINS):
        binned = best_binned(kernels, items, matrix, threads, SIZES)
    if binned is None:
        ordered = sort_scores(items)
        best = best_sorted(kernels, ordered, matrix, SIZES)
        thresholds = ordered.thresholds_at(best.places)
    else:
        best, thresholds = binned
    # The cells of the table are differences between sums. With float sums, rounding errors can make
    # even an empty cell differ from 0, so the items are added up again.
    table = best.table if items.counts_whole else items.table_at(thresholds)
    table = items.in_given_weights(table)
    kappa = float(kappas(table, weights))
    if math.isnan(kappa):
        warnings.warn(
            "kappa and the best thresholds are undefined, because y_true has a single label or"
            " no disagreement is expected by chance.",
            undefined_metric_warning(),
            stacklevel=2,
        )
    if kappa < MOST_OF_POOR:
        warn_of_poor_scores(items.scores, items.codes, items.weights, thresholds)
    return ThresholdResult(
        thresholds=thresholds,
        kappa=kappa,
        table=table,
        labels=items.labels,
        rounds=best.rounds,
        gap=best.gap,
        method="sort" if binned is None else "bins",
    )
