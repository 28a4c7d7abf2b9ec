"""Rank many predictions by kappa, with intervals for their differences."""

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

# The number of predictions in a batch. Each batch has enough predictions for all threads, and each
# block of the truth is read only once per batch.
AT_ONCE = 128
# The number of predictions in a batch if items have ids. Each prediction with ids needs its own
# copy of the truth, in the order of these ids.
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
    """Rank sets of predictions by kappa, with paired bootstrap intervals for the differences.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true labels.
    predictions : array of shape (n, m) or (m, n), mapping, data frame, or iterable of columns
        The m sets of predictions, as in `score_many`. Below, each set is called a prediction. With
        ``ids``, pass a mapping or an iterable in which each prediction is a pair ``(ids, labels)``.
        The items are matched by their ids.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. A matrix requires ``labels``.
    labels : array-like of shape (l,), default=None
        The labels to include, in the order used by the weights. Items with other labels are left
        out. By default, the kappa of a prediction is computed from the labels that occur in the
        truth or in that prediction. If the truth or a prediction declares an order of the labels,
        as ordered categoricals do, all predictions use that order.
    allow_other_labels : bool, default=False
        Whether a prediction may use labels that are not in ``labels`` for items whose true label is
        in ``labels``. The kappa of the prediction is computed without these items, and the column
        ``other_labels`` counts them. By default, such labels raise an error, because the prediction
        would be ranked only on the remaining items, which can be easier.
    ids : array-like of shape (n,), default=None
        The unique ids of the items of ``y_true``: integers, strings or dates.
    on_mismatch : {'raise', 'drop'}, default='raise'
        How to treat a prediction whose ids do not match ``ids``. 'raise' raises an error that
        states how many ids do not match and shows examples. 'drop' leaves out items whose ids are
        missing from the prediction, unknown or repeated, and the result contains the number of
        items left out for each reason. ``min_coverage`` limits how many items can be left out.
    min_coverage : float, default=1.0
        The minimum coverage that a prediction needs to be ranked. Coverage is the proportion of the
        items for which the prediction has exactly one label. A prediction with lower coverage is
        listed without a rank. By default, a prediction must label all items, because a kappa
        computed from selected items, such as easy items, is not comparable with a kappa computed
        from all items. Items that are left out because of ``allow_other_labels`` count as covered.
    axis : {0, 1}, default=0
        If ``predictions`` is an array, the axis that corresponds to the items.
    missing : {'raise', 'drop'}, default='raise'
        How to treat missing labels. 'raise' raises an error. With 'drop', an item without a true
        label is left out for all predictions. An item without a predicted label is left out for
        that prediction only, and is counted in the column ``missing``. With ``ids``, a prediction
        may contain or omit the items without a true label.
    missing_codes : sequence, default=()
        Values to treat as missing labels, such as ``["NA", -9]``.
    clusters : array-like of shape (n,), default=None
        The cluster of each item of ``y_true``, such as the patient shown in an image. The values
        can have any type that labels can have. The bootstrap draws whole clusters, because items in
        the same cluster can resemble each other. By default, items are treated as independent.
    sample_weight : array-like of shape (n,), default=None
        The weight of each item of ``y_true``. Items keep their weights when the bootstrap draws
        them. With item weights, the confidence interval for kappa is a percentile interval, because
        the score interval requires counts of items. By default, each item has weight 1.
    n_resamples : int, default=1000
        The number of bootstrap replicates. With 0, no intervals are computed.
    confidence : float, default=0.95
        The confidence level of the intervals.
    rng : Generator, int or None, default=None
        The random number generator, or a seed for reproducible results.
    backend : {'cython', 'numba', 'numpy'}, default=None
        If None, the environment variable ``FASTKAPPA_BACKEND`` chooses the backend. If the variable
        is not set, the fastest available backend is used.
    num_threads : int, default=None
        The maximum number of threads. If None, all available threads are used.

    Returns
    -------
    result : Leaderboard
        The predictions, ordered from the largest kappa to the smallest. For each prediction, the
        result contains the kappa, its difference from the leader's kappa, and the rank, all with
        intervals. It also contains the proportion of replicates in which the prediction ranks
        first.

    Raises
    ------
    ValueError, TypeError
        For the same reasons as in `score_many`. An error is also raised if ids are missing,
        repeated or of an unsupported type, or if ``clusters`` has missing values or the wrong
        length. With ``on_mismatch='raise'``, an error is raised if the ids of a prediction do not
        match ``ids``.

    Warns
    -----
    LabelOrderWarning
        For the same reasons as in `score_many`.
    UndefinedMetricWarning
        If a kappa is undefined because no disagreement is expected by chance, or because no item of
        the prediction can be scored. The warning is also issued if a prediction has labels for too
        few items to be ranked, or if there are no intervals because all items are in one cluster.

    Notes
    -----
    The bootstrap draws groups of items. The items are assigned to 1000 groups at random, and a
    single pass over each prediction computes one confusion matrix per group. Each replicate draws
    1000 groups with replacement, which requires no further pass over the items. A replicate
    contains the same groups for all predictions. With up to 1000 items, each item is its own group,
    so this is the ordinary bootstrap. With more items, the widths of the intervals differ by about
    2 % from those of the ordinary bootstrap. This difference is smaller than the random error with
    1000 replicates.

    If there are clusters, each group consists of whole clusters. With up to 1000 clusters, each
    cluster is its own group. With more clusters, each cluster is assigned to a group at random.
    With fewer than 50 clusters, or with clusters of very different sizes, the intervals tend to be
    too narrow.

    The confidence interval for kappa is the score interval that `agreement` computes. A percentile
    interval is too narrow if kappa depends on only a few items, because a replicate can lack all of
    these items. Kappa depends on only a few items if it is near 1 or if disagreement weights are
    used. With clusters or item weights, or with more than 128 labels, the interval for kappa is
    nevertheless a percentile interval. If kappa is 1, this interval has zero width.

    Apart from the simultaneous intervals, the intervals for differences and ranks are percentile
    intervals. A percentile interval for a kappa or a difference is NaN if kappa is undefined in
    more than 5 % of the replicates.

    The leader is the prediction with the largest kappa. If many equally good predictions are
    compared with the leader one at a time, at least one of them nearly always seems significantly
    worse. The simultaneous intervals account for all pairwise comparisons, so they are valid no
    matter which prediction leads. At a confidence of 0.95, they use the 95 % quantile of the
    largest studentized difference between any two predictions in a replicate (a bootstrap version
    of Tukey's pairwise comparisons). The coverage of simultaneous intervals falls below the nominal
    level with fewer than about 100 items, or with many predictions relative to the number of items.

    See Also
    --------
    score_many : Compute only the kappas and the confusion matrices.
    compare_predictions : Compare two sets of predictions by the delta method.

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
        # Strided columns are copied first, because each column is read more than once.
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
        "predictions must be a mapping or an iterable of pairs (ids, labels) when ids= is"
        f" given, got {type(predictions).__name__}."
    )
