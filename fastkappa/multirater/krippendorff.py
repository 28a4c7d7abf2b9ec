"""Compute Krippendorff's alpha for labels, measurements and sets."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from fastkappa.multirater.estimation import (
    MOST_LABELS,
    Inferred,
    estimate,
    rows_of_numbers,
    warn_of_labels,
)
from fastkappa.multirater.inference import RaterInterval
from fastkappa.multirater.items.measurements import measurements_in
from fastkappa.multirater.multirater_result import MultiRaterResult
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.alpha import Alpha, Level
from fastkappa.multirater.statistics.coefficient import Coefficient
from fastkappa.multirater.statistics.measured_alpha import MEASURED, MeasuredAlpha
from fastkappa.multirater.statistics.set_distances import (
    Distance,
    SetLevel,
    distances_by,
    set_distances,
)
from fastkappa.statistics.inference import Distribution


def krippendorff_alpha(
    ratings: Any,
    *,
    level: Level | SetLevel | Distance = "nominal",
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "t",
    interval_method: RaterInterval | None = None,
) -> MultiRaterResult:
    """Return Krippendorff's alpha, for any level of measurement. Ratings can be missing.

    Subjects with only one rating are left out.

    Parameters
    ----------
    ratings, labels, missing_codes, clusters, confidence, distribution, interval_method
        As in `fleiss_kappa`. For interval, ratio and ordinal data, ratings can be any numbers. The
        numbers in an array or frame are read as measurements, without labels, if they are not all
        whole or if they cover a range of more than 1000. For measurements, alpha is computed in
        linear time (after sorting, if the level is 'ordinal').
    level : {'nominal', 'ordinal', 'interval', 'ratio', 'jaccard', 'masi'}, array-like of shape \
(l, l) or callable, default='nominal'
        The level of measurement. Labels can be unordered names ('nominal'), ordered ('ordinal'), or
        numbers whose differences ('interval') or ratios ('ratio') are meaningful. For ratings that
        are sets, use the Jaccard distance ('jaccard') or Passonneau's MASI distance ('masi').
        Alternatively, pass a matrix of the distances between labels, or a function that returns the
        distance between two labels. The distances that you pass are not squared: for a squared
        metric, pass squared distances. If the level is 'ordinal' or a matrix, the order of the
        labels matters.

    Returns
    -------
    result : MultiRaterResult
        For ordinal data, the distances depend on the sample, but the standard error treats them as
        fixed. The bootstrap recomputes them.

    Raises
    ------
    ValueError
        As in `fleiss_kappa`. An error is also raised if the level requires numbers but labels are
        not numbers, if the level is 'ratio' but a label is negative, if the level requires sets but
        ratings are not sets, or if distances are not symmetric or not 0 for equal labels.

    Warns
    -----
    LabelOrderWarning, UserWarning
        As in `fleiss_kappa`, with ``level`` in place of ``weights``. Ratings prepared for the
        packages krippendorff and irr have one row per rater and must be transposed.

    References
    ----------
    K. Krippendorff (2011). Computing Krippendorff's alpha-reliability. University of
    Pennsylvania, Annenberg School for Communication.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    R. Passonneau (2006). Measuring agreement on set-valued items (MASI) for semantic and
    pragmatic annotation. Proceedings of LREC 2006, 831-836.

    Examples
    --------
    >>> from fastkappa import krippendorff_alpha
    >>> ratings = [[1, 1, None], [2, 2, 3], [3, 3, 3], [3, 3, 3], [2, 2, 2], [1, 2, 3]]
    >>> round(krippendorff_alpha(ratings, level="ordinal").value, 6)
    0.593243
    >>> tags = [[{"joy"}, {"joy", "pride"}], [{"fear"}, {"fear"}], [{"joy"}, {"fear"}]]
    >>> round(krippendorff_alpha(tags, level="masi").value, 6)
    0.193548
    """
    name = level if isinstance(level, str) else "own distances"
    method = f"Krippendorff's alpha ({name})"
    inferred = Inferred(confidence, distribution, interval_method)
    are_columns = labels is None and clusters is None and not isinstance(ratings, Ratings)
    if name in MEASURED and are_columns:
        measured = measurements_in(ratings, missing_codes)
        if measured is not None:
            inferred.check()
            if measured.form is not None:
                warnings.warn(measured.form.warning, stacklevel=2)
            of_numbers = MeasuredAlpha(measured.columns, measured.multiplicities, name)
            return estimate(method, of_numbers, measured, inferred)
    given = inferred.read(ratings, labels, missing_codes, clusters)
    coefficient = _alpha_of_labels(given, level)
    if not callable(level) and name not in ("jaccard", "masi"):
        warn_of_labels(given, "level", None if name == "nominal" else level)
    return estimate(method, coefficient, given, inferred)


def _alpha_of_labels(given: Ratings, level: Level | SetLevel | Distance) -> Coefficient:
    labels = given.label_values
    if callable(level):
        return Alpha(given.patterns, distances_by(level, labels), labels)
    if isinstance(level, str):
        if level == "jaccard" or level == "masi":
            return Alpha(given.patterns, set_distances(level, labels), labels)
        rows = rows_of_numbers(given, level)
        if rows is not None:
            # Sums by cluster require each subject's pattern of label counts, but measurements are
            # not counted as patterns.
            if given.counted.clusters is not None:
                raise ValueError(
                    f"clusters with level={level!r} need ratings with at most {MOST_LABELS}"
                    f" different numbers, got {len(labels)}. Round the ratings."
                )
            return MeasuredAlpha(*rows, level)
    return Alpha(given.patterns, level, labels)
