"""Compute the agreement of two raters from their ratings or from a table of counts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fastkappa.arrays import AnyArray
from fastkappa.choices import check_choice
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.ratings.interop import names_of, warn_of_same_column
from fastkappa.ratings.item_weights import as_numbers_of_items
from fastkappa.ratings.label_order import is_order_of_table_known
from fastkappa.ratings.missing import Missing, labels_of_table
from fastkappa.ratings.read import read
from fastkappa.results.report import RATERS
from fastkappa.statistics.clusters import Clusters
from fastkappa.statistics.inference import DISTRIBUTIONS, Distribution, check_confidence
from fastkappa.statistics.intervals.methods import IntervalMethod, choose_method
from fastkappa.statistics.intervals.rao import ALTERNATIVES, Alternative, check_null_kappa
from fastkappa.statistics.tables import counts_given
from fastkappa.statistics.weights import Weights, as_weights
from fastkappa.tables.count import CountsResult, tabulate
from fastkappa.tables.doubtful_orders import judge_order
from fastkappa.tables.doubtful_tables import judge_table, warn_of_most_outside
from fastkappa.tables.known_labels import known_labels
from fastkappa.two_raters.agreement_report import warn_of_weights, why_undefined
from fastkappa.two_raters.agreement_result import AgreementResult
from fastkappa.two_raters.item_clusters import CLUSTERS, clusters_of_pairs, refuse_weighted_clusters


def agreement(
    y1: Any,
    y2: Any = None,
    *,
    weights: Weights = None,
    labels: Any = None,
    missing: Missing = "raise",
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    sample_weight: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "normal",
    interval_method: IntervalMethod | None = None,
    null_kappa: float = 0.0,
    alternative: Alternative = "two-sided",
) -> AgreementResult:
    """Compute all agreement statistics for two raters from their ratings.

    Parameters
    ----------
    y1, y2 : array-like of shape (n,)
        The ratings of the first and second raters, as in `confusion_counts`. If they are Series
        that have names, reports and plots use these names for the raters.
    weights : {'linear', 'quadratic'} or array-like of shape (l, l), default=None
        None treats all disagreements as equal. 'linear' weights are the distances between the
        labels' positions, and 'quadratic' weights are the squares of these distances. A matrix
        contains the disagreement weight of each pair of labels. Its rows correspond to the first
        rater's labels, and it need not be symmetric.
    labels : array-like of shape (l,), default=None
        The labels, in the order on which the weights are based. Items with other labels are left
        out and counted in ``n_outside`` of the result. If None, the labels that the ratings declare
        are used, including labels that do not occur. Ordered categoricals, polars Enums, ordered
        Arrow dictionaries and Python enums declare their labels. If no labels are declared, the
        labels that occur are used, in sorted order. Pass all labels that the raters could have
        used, even those that do not occur, because unused labels change Bennett's S,
        Brennan-Prediger and Gwet's AC, and can change the 'score' or 'profile' interval for kappa.
        The report mentions unused labels.
    missing : {'raise', 'drop'}, default='raise'
        How to treat items with a missing rating. 'raise' raises an error, and 'drop' leaves these
        items out and counts them in ``n_dropped`` of the result. A rating is missing if it is None,
        NaN, NaT, NA, masked, null or one of the ``missing_codes``. If the ratings are numbers and
        ``labels`` is not given, common strings for missing values, such as "-" and "n/a", also
        count as missing.
    missing_codes : sequence, default=()
        Values that represent a missing rating, such as -9 or "NA".
    clusters : array-like of shape (n,), default=None
        The cluster of each item, such as the patient if items are lesions. Clusters can have any
        type that ratings can have. Items in a cluster can resemble each other, so all standard
        errors treat clusters as the independent units (Yang and Zhou 2014, 2015). With
        ``distribution='t'``, the degrees of freedom are the number of clusters minus one. For score
        and profile intervals and for the test of kappa, the chi-square statistic is divided by the
        design effect if the design effect is above 1. The square root of the result is compared
        with Student's t distribution, whose degrees of freedom are the number of clusters minus one
        (Rao and Scott 1984). A missing cluster is treated like a missing rating. If None, items are
        treated as independent.
    sample_weight : array-like of shape (n,), default=None
        The number of items that each row represents. The result is the same as if each row were
        repeated this many times. An error is raised if a weight is not a whole number, or if
        weights are combined with clusters, because no standard error is available in these cases.
        If None, each row represents one item.
    confidence : float, default=0.95
        The confidence level of the intervals.
    distribution : {'normal', 't'}, default='normal'
        With 'normal', variances are computed with the divisor n, the number of items, and intervals
        use quantiles of the normal distribution. With 't', variances are computed with the divisor
        n - 1, and intervals use quantiles of Student's t with n - 1 degrees of freedom (Gwet 2014).
        't' is the default of `fastkappa.conger_kappa`. In both cases, the test of kappa uses the
        normal distribution, unless ``clusters`` is given.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        The method used for the confidence intervals of the overall kappa and the per-label kappas.
        The limits of an 'asymptotic' interval are kappa plus or minus a quantile times the standard
        error. A 'score' interval contains the values of kappa in [-1, 1] that the score test does
        not reject. A 'profile' interval contains the values that the likelihood ratio test does not
        reject. If None, the method is 'asymptotic' if ``distribution`` is 't' or if there are more
        than 128 labels or more than 10 billion items. Otherwise, it is 'score'. Intervals for the
        other indices are asymptotic.
    null_kappa : float, default=0.0
        The value of kappa under the null hypothesis. If it is 0, the null hypothesis is that the
        raters are independent, and z is kappa divided by its null standard error. For any other
        value, the score test is used, and the null standard error is computed from the most likely
        table with this kappa. At the 5 % level, the score test rejects exactly the values outside
        the 95 % score interval.
    alternative : {'two-sided', 'greater', 'less'}, default='two-sided'
        The alternative hypothesis. 'two-sided' means that kappa differs from ``null_kappa``,
        'greater' that it is greater, and 'less' that it is less.

    Returns
    -------
    result : AgreementResult
        Kappa with its standard errors, confidence interval and test, and the other agreement
        indices. If kappa is undefined, it is NaN, and an ``UndefinedMetricWarning`` gives the
        reason. A ``LabelOrderWarning`` is issued if weights rely on the alphabetical order of
        strings. A ``UserWarning`` is issued if items with other labels are left out while some of
        ``labels`` never occur, or if ``y1`` and ``y2`` are the same column.

    Raises
    ------
    ValueError
        If lengths differ, if a rating is missing and ``missing`` is 'raise', if a rating is not a
        valid label, if the raters declare their labels in different orders, if no items remain, or
        if an argument is invalid.
    TypeError
        If ``y1`` or ``y2`` is not array-like, for example if it is a single number.

    References
    ----------
    Z. Yang and M. Zhou (2014). Kappa statistic for clustered matched-pair data. Statistics in
    Medicine 33, 2612-2633.

    Z. Yang and M. Zhou (2015). Weighted kappa statistic for clustered matched-pair ordinal
    data. Computational Statistics and Data Analysis 82, 1-18.

    Examples
    --------
    >>> from fastkappa import agreement
    >>> y1 = [1, 1, 2, 2, 3, 3, 3, None]
    >>> y2 = [1, 2, 2, 2, 3, 3, 1, 2]
    >>> result = agreement(y1, y2, missing="drop")
    >>> result
    <AgreementResult: kappa 0.5758 (0.0844 to 0.8744), n = 7, 3 labels, no weights>
    >>> result.n_dropped
    1

    Six lesions in three patients:

    >>> agreement([1, 1, 2, 2, 2, 1], [1, 1, 2, 1, 2, 1], clusters=["a", "a", "b", "b", "c", "c"])
    <AgreementResult: kappa 0.6667 (-0.6553 to 0.9832), n = 6 in 3 clusters, 2 labels, no weights>
    """
    settings = checked_settings(confidence, distribution, interval_method, null_kappa, alternative)
    refuse_weighted_clusters(sample_weight, clusters)
    others = {} if clusters is None else {CLUSTERS: clusters}
    items = read({"y1": y1, "y2": y2}, labels, missing, missing_codes, others, sample_weight)
    known = known_labels(items)
    weighed = None if items.weights is None else as_numbers_of_items(items.weights)
    counts = tabulate(get_kernels(), items.columns["y1"], items.columns["y2"], known, weighed)
    if not counts.table.any():
        raise ValueError(
            f"every item has a rating that is not among the labels {counts.labels.tolist()}. Spell"
            " labels exactly as in the ratings."
        )
    of_items = None
    if clusters is not None:
        of_items = clusters_of_pairs(items, counts.labels, counts.n_outside)
    result = make_result(
        counts.table,
        counts.labels,
        weights,
        **settings,
        missing=(items.n_missing["y1"], items.n_missing["y2"]),
        n_dropped=items.n_dropped,
        n_outside=counts.n_outside,
        raters=names_of((y1, y2), RATERS),
        clusters=of_items,
        missing_clusters=items.n_missing.get(CLUSTERS, 0),
        is_weighted=weighed is not None,
    )
    are_known = known is not None
    warn_of_weights(result.weights, counts.labels, counts.table, are_known=are_known)
    own = counts.labels, counts.table, counts.n_outside
    judge_table(*own, are_given=are_known, is_weighted=result.is_weighted)
    judge_order(counts.table, items.columns["y1"], items.columns["y2"])
    warn_of_same_column({"y1": y1, "y2": y2})
    return _warned(result)


def agreement_from_confusion(
    table: ArrayLike | CountsResult,
    *,
    weights: Weights = None,
    labels: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "normal",
    interval_method: IntervalMethod | None = None,
    null_kappa: float = 0.0,
    alternative: Alternative = "two-sided",
) -> AgreementResult:
    """Compute all agreement statistics for two raters from a table of counts.

    Parameters
    ----------
    table : array-like of shape (l, l), ConfusionCounts or SourceCounts
        Counts of items. Rows correspond to the first rater's labels. A pandas DataFrame, such as
        the result of `pandas.crosstab`, must have the same labels for rows and columns. The names
        of a DataFrame's axes are used as the names of the raters.
    weights : {'linear', 'quadratic'} or array-like of shape (l, l), default=None
        Disagreement weights, as in `agreement`.
    labels : array-like of shape (l,), default=None
        The labels of rows and columns. For a DataFrame, pass its column names in the intended
        order, or a new name for each column. If None, the labels of ``table`` are used. If the
        table has no labels, the numbers 0 to l - 1 are used. A ``LabelOrderWarning`` is issued if
        weights are used without ``labels`` and the table's labels are strings in alphabetical
        order, which is often not the intended order.
    confidence : float, default=0.95
        The confidence level of the intervals.
    distribution : {'normal', 't'}, default='normal'
        The reference distribution used for intervals, as in `agreement`. It also determines the
        divisor of the variances.
    interval_method : {'asymptotic', 'score', 'profile'}, default=None
        The method used for the confidence intervals of the overall kappa and the per-label kappas,
        as in `agreement`.
    null_kappa, alternative
        The null hypothesis and the alternative hypothesis for the test of kappa, as in `agreement`.

    Returns
    -------
    result : AgreementResult

    Raises
    ------
    ValueError
        If the table is empty or not square, contains negative or fractional counts, or does not
        have the shape that ``labels`` or ``weights`` require.

    Examples
    --------
    >>> from fastkappa import agreement_from_confusion
    >>> result = agreement_from_confusion([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    >>> round(result.kappa, 4), round(result.standard_error, 4)
    (0.4915, 0.051)
    >>> agreement_from_confusion([[20, 5], [10, 15]], labels=["no", "yes"])
    <AgreementResult: kappa 0.4000 (0.1317 to 0.6157), n = 50, 2 labels, no weights>
    >>> result = agreement_from_confusion(
    ...     [[40, 5], [4, 51]], null_kappa=0.6, alternative="greater"
    ... )
    >>> round(result.kappa, 3), round(result.z, 2), round(result.p_value, 3)
    (0.818, 2.71, 0.003)
    """
    settings = checked_settings(confidence, distribution, interval_method, null_kappa, alternative)
    left_out: dict[str, Any] = {}
    given = labels
    if isinstance(table, CountsResult):
        labels = table.labels if labels is None else labels
        names_of_fields = ("n_outside", "n_dropped", "missing", "is_weighted")
        left_out = {name: getattr(table, name) for name in names_of_fields if hasattr(table, name)}
        table = table.table
    counts = counts_given(table)
    axes = [getattr(table, axis, None) for axis in ("index", "columns")]
    names, order = labels_of_table(table, labels, len(counts))
    counts = counts if order is None else counts[np.ix_(order, order)]
    result = make_result(
        counts,
        names,
        weights,
        **settings,
        **left_out,
        raters=names_of(axes, RATERS),
    )
    is_known = is_order_of_table_known(table, given, names)
    warn_of_weights(result.weights, names, result.table, are_known=is_known)
    warn_of_most_outside(result.table, result.n_outside)
    return _warned(result)


def checked_settings(
    confidence: float,
    distribution: Distribution,
    interval_method: IntervalMethod | None,
    null_kappa: float,
    alternative: Alternative,
) -> dict[str, Any]:
    """Return the settings of intervals and tests for `make_result`, or raise if one is invalid.

    The interval method is checked later, because it depends on the table.
    """
    return {
        "confidence": check_confidence(confidence),
        "distribution": check_choice("distribution", distribution, DISTRIBUTIONS),
        "interval_method": interval_method,
        "null_kappa": check_null_kappa(null_kappa),
        "alternative": check_choice("alternative", alternative, ALTERNATIVES),
    }


def make_result(
    table: AnyArray,
    labels: AnyArray,
    weights: Weights,
    confidence: float,
    *,
    distribution: Distribution = "normal",
    interval_method: IntervalMethod | None = None,
    clusters: Clusters | None = None,
    **counted: Any,
) -> AgreementResult:
    """Return the result for a validated table."""
    checked = as_weights(weights, len(table))
    chosen = choose_method(interval_method, table, distribution)
    return AgreementResult(
        _frozen(table),
        _frozen(labels),
        _frozen(checked) if isinstance(checked, np.ndarray) else checked,
        float(confidence),
        distribution=distribution,
        interval_method=chosen,
        clusters=clusters,
        **counted,
    )


def _warned(result: AgreementResult) -> AgreementResult:
    """Return the result, and warn if it has undefined values."""
    if result.clusters is not None and result.n_clusters == 1 < result.n:
        warnings.warn(
            "standard errors are undefined because all items are in one cluster.",
            undefined_metric_warning(),
            stacklevel=3,
        )
    if np.isnan(result.kappa):
        warnings.warn(
            f"kappa is undefined: {why_undefined(result)}.",
            undefined_metric_warning(),
            stacklevel=3,
        )
    return result


def _frozen(array: AnyArray) -> AnyArray:
    array = array.copy()
    array.flags.writeable = False
    return array
