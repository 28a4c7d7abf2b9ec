"""Many predictions ranked by kappa, with intervals of their differences."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal

from fastkappa.exceptions import undefined_metric_warning
from fastkappa.kernels.dispatch import Backend
from fastkappa.leaderboards.builder import LeaderboardBuilder
from fastkappa.leaderboards.items.predictions import named_columns
from fastkappa.leaderboards.items.row_major import contiguous_columns
from fastkappa.leaderboards.leaderboard_options import LeaderboardOptions, OnMismatch
from fastkappa.leaderboards.leaderboard_result import Leaderboard
from fastkappa.ratings.lengths import n_samples
from fastkappa.ratings.missing import Missing
from fastkappa.statistics.weights import Weights

# Enough predictions for all threads, and for the truth to be read only once for all of them.
AT_ONCE = 128
# With ids each has a copy of the truth in its own order.
AT_ONCE_WITH_IDS = 32


def leaderboard(
    y_true: Any,
    predictions: Any,
    *,
    weights: Weights = None,
    labels: Any = None,
    allow_other_labels: bool = False,
    ids: Any = None,
    on_mismatch: OnMismatch = "raise",
    min_coverage: float = 1.0,
    axis: Literal[0, 1] = 0,
    missing: Missing = "raise",
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    sample_weight: Any = None,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: Any = None,
    backend: Backend | None = None,
    num_threads: int | None = None,
) -> Leaderboard:
    """Rank predictions by kappa, with paired bootstrap intervals of the differences.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true labels.
    predictions : array of shape (n, m) or (m, n), mapping, data frame, or iterable of columns
        The m predictions, as for `score_many`. With ``ids`` it is a mapping or an iterable of
        pairs (ids, labels), and the items are matched by their ids.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. A matrix needs ``labels``.
    labels : array-like of shape (l,), default=None
        The labels to take into account, in the order of the weights; items with other labels
        are left out. By default each kappa is computed on the labels that occur in the truth
        and in its own prediction. An order that the truth or a prediction declares, as
        ordered categoricals do, is that of all.
    allow_other_labels : bool, default=False
        Whether a prediction outside the given ``labels``, of an item whose true label is among
        them, leaves the item out of its own kappa, counted in the column ``other_labels``.
        Otherwise it is an error, because the prediction would be ranked on the easier items.
    ids : array-like of shape (n,), default=None
        The ids of the items of ``y_true``: whole numbers or strings, all different.
    on_mismatch : {'raise', 'drop'}, default='raise'
        What to do with a prediction whose ids are not those of the truth: raise an error
        that counts and names them, or leave out its missing, unknown and repeated items, and
        count them in the result. Of missing and repeated ones no more than ``min_coverage`` allows.
    min_coverage : float, default=1.0
        The smallest proportion of the items that a prediction must have a label for, once, to be
        ranked: a kappa of chosen items, such as easy ones, is not that of all. By default it must
        have all of them; one that has fewer has a row that says so, without a rank. Items with
        other labels, which ``allow_other_labels`` allows, count as covered.
    axis : {0, 1}, default=0
        The axis of the items in an array.
    missing : {'raise', 'drop'}, default='raise'
        What to do with missing labels: raise an error, or leave out items without a true label,
        which predictions with ids may have or not, and of each prediction those that it has no
        label for, counted in the column ``missing``.
    missing_codes : sequence, default=()
        Values that stand for a missing label, such as ``["NA", -9]``.
    clusters : array-like of shape (n,), default=None
        The cluster of each item of ``y_true``, of any type that labels may have: the patient
        of an image, say. Items of a cluster may resemble each other, so that the bootstrap
        draws clusters, with all their items. None means that items are independent.
    sample_weight : array-like of shape (n,), default=None
        How much each item of ``y_true`` counts. The bootstrap draws items with their weights, and
        the interval of kappa is a percentile interval: weights are no numbers of items. None means
        1 for each.
    n_resamples : int, default=1000
        The number of bootstrap replicates; with 0 there are no intervals.
    confidence : float, default=0.95
        The confidence of the intervals.
    rng : Generator, int or None, default=None
        The source of random numbers; a seed makes the result repeatable.
    backend : {'cython', 'numba', 'numpy'}, default=None
        None takes the environment variable ``FASTKAPPA_BACKEND``, else the fastest available.
    num_threads : int, default=None
        The maximum number of threads. None takes all that are available.

    Returns
    -------
    result : Leaderboard
        The predictions from the largest kappa to the smallest: kappa and its interval, the
        difference from the leader with its paired and its simultaneous interval, the
        proportion of replicates in which it is first, and the interval of its rank.

    Raises
    ------
    ValueError, TypeError
        As `score_many`; if ids are missing, repeated or of a type that cannot be used; if the
        ids of a prediction are not those of the truth, unless such items are dropped; if a
        cluster is missing, or there is not one for each item.

    Warns
    -----
    LabelOrderWarning
        As `score_many`.
    UndefinedMetricWarning
        If a kappa is undefined, because no disagreement is expected, or no item of a prediction
        is left; if a prediction has labels for too few items to be ranked; if all items are in one
        cluster: there are no intervals then.

    Notes
    -----
    The items are assigned to 1000 groups at random. One pass over a prediction counts a table
    of each group, and each replicate draws 1000 groups with replacement, the same for all
    predictions. So a replicate needs no pass over the items. With up to 1000 items this is the
    bootstrap of items itself; with more, the length of an interval is that of the bootstrap of
    items to within some 2 %, less than the error of 1000 replicates. With clusters, clusters
    are assigned to groups, or drawn themselves if there are no more than 1000. With fewer than
    50 clusters, or with very different sizes, the intervals tend to be too short.

    The interval of kappa is the score interval that `agreement` gives. Percentile intervals are
    too short if kappa rests on few items, as near 1 or with weights: a replicate may hold none of
    them. With clusters or item weights, and for more than 128 labels, the interval of kappa is a
    percentile interval all the same, and that of a kappa of 1 has no length.

    All other intervals are percentile intervals. They are NaN if kappa is undefined in more than
    5 % of the replicates.

    The leader is chosen for its kappa, so of many equal predictions one is nearly always below it
    in an interval of its own. The simultaneous intervals are those of all pairs of predictions,
    so they hold whichever of them leads: the largest studentized difference of any pair exceeds
    their quantile in 5 % of the replicates (Tukey's comparisons by the bootstrap). Of fewer than
    some 100 items, or many predictions for the items, they hold less often.

    See Also
    --------
    score_many : only kappas and tables.
    compare_predictions : two predictions by the delta method.

    References
    ----------
    B. Efron and R. J. Tibshirani (1993). An Introduction to the Bootstrap. Chapman and Hall.

    P. H. Westfall and S. S. Young (1993). Resampling-Based Multiple Testing. Wiley.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa import leaderboard
    >>> truth = np.arange(600) % 3
    >>> good, bad = truth.copy(), truth.copy()
    >>> good[:60], bad[:200] = 0, 1
    >>> result = leaderboard(truth, {"bad": bad, "good": good}, rng=0)
    >>> result.names, result.kappa.round(4)
    (('good', 'bad'), array([0.9   , 0.6675]))
    >>> bool(result.simultaneous_interval[1, 1] < 0)
    True
    """
    options = LeaderboardOptions(
        weights,
        labels,
        allow_other_labels,
        on_mismatch,
        min_coverage,
        missing,
        missing_codes,
        n_resamples,
        confidence,
        rng,
        num_threads,
        backend,
    )
    builder = LeaderboardBuilder(
        y_true, options, ids=ids, clusters=clusters, sample_weight=sample_weight
    )
    named = (
        named_columns(predictions, n_samples(y_true), axis)
        if ids is None
        else _named_pairs(predictions)
    )
    while some := list(islice(named, AT_ONCE if ids is None else AT_ONCE_WITH_IDS)):
        names, columns = zip(*some)
        # Columns are read more than once, so strided ones are copied.
        builder.add(names, contiguous_columns(columns, builder.num_threads))
    result = builder.ranked()
    failures = [(name, why) for name, why in zip(result.names, result.failures) if why]
    if failures:
        name, why = failures[0]
        warnings.warn(
            f"{len(failures)} of {len(result)} predictions cannot be scored. The first is {name!r}:"
            f" {why}",
            undefined_metric_warning(),
            stacklevel=2,
        )
    return result


def _named_pairs(predictions: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(predictions, Mapping):
        return iter(predictions.items())
    if isinstance(predictions, Iterable) and not hasattr(predictions, "shape"):
        return enumerate(predictions)
    raise TypeError(
        "predictions must be a mapping or an iterable of pairs (ids, labels), as ids are given"
        f" for y_true, got {type(predictions).__name__}."
    )
