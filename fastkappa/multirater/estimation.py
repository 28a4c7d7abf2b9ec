"""From a coefficient to its result: standard error, interval, test and warning."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.multirater.items.measurements import Measurements
from fastkappa.multirater.multirater_result import LabelKappa, MultiRaterResult
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.alpha import numbers_of
from fastkappa.multirater.statistics.chance_corrected import (
    ChanceCorrected,
    FleissNull,
    chance_of_fleiss,
    distances_of,
)
from fastkappa.multirater.statistics.coefficient import Coefficient, Disagreement
from fastkappa.multirater.statistics.measured_alpha import MEASURED, MeasuredAlpha
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.ratings.label_order import warn_of_order
from fastkappa.statistics import distributions
from fastkappa.statistics.clusters import n_units
from fastkappa.statistics.inference import (
    Distribution,
    check_confidence,
    check_distribution,
    degrees_of_freedom,
    symmetric_interval,
    two_sided_p,
)
from fastkappa.statistics.weights import Weights

# Counts of more labels than this, in every pattern, would need too much memory.
MOST_LABELS = 200


def read_ratings(
    ratings: Any,
    labels: Any,
    missing_codes: Sequence[Any],
    clusters: Any,
    confidence: float,
    distribution: Distribution,
) -> Ratings:
    """Return what a coefficient is given as `Ratings`, and check its other arguments."""
    given = Ratings.of(ratings, labels, missing_codes, clusters)
    check_confidence(confidence)
    check_distribution(distribution)
    return given


def warn_of_labels(ratings: Ratings, argument: str, value: Any) -> None:
    """Warn where ``value``, a name or a matrix, needs an order of labels that nobody gave.

    If it is None, the order has no effect.
    """
    if ratings.order_is_known:
        return
    labels, n_subjects = ratings.labels, ratings.n_subjects
    if value is not None:
        why = f"{argument}={value!r}" if isinstance(value, str) else f"a matrix as {argument}"
        warn_of_order(labels, why, users_stacklevel())
    elif (
        len(labels) > n_subjects and labels.dtype.kind == "f" and (labels != np.rint(labels)).any()
    ):
        warnings.warn(
            f"ratings hold {len(labels)} different numbers of {n_subjects} subjects,"
            " not all whole, and each was taken for a label: krippendorff_alpha with"
            " level='interval' and intraclass_correlation are for measurements.",
            stacklevel=users_stacklevel(),
        )


def estimate(
    method: str,
    coefficient: Coefficient,
    ratings: Ratings | Measurements,
    confidence: float,
    distribution: Distribution,
    errors: FleissNull | None = None,
    by_label: tuple[LabelKappa, ...] = (),
    *,
    weights: Weights = None,
) -> MultiRaterResult:
    """Return a coefficient with its error, interval and test; warn if it is undefined."""
    value = float(coefficient.values(coefficient.multiplicities))
    observed, expected = coefficient.disagreement(coefficient.multiplicities)
    # Measurements have no distinct rows in which their subjects could be found again.
    rated = (
        None
        if isinstance(coefficient, MeasuredAlpha) or isinstance(ratings, Measurements)
        else ratings
    )
    clusters = None if rated is None else rated.counted.clusters_of(coefficient)
    n_used = float(coefficient.multiplicities.sum())
    if math.isnan(value):
        warnings.warn(
            f"{method} is undefined: {_why_undefined(ratings)}.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
        error = freedom = math.nan
    else:
        error = coefficient.standard_error(distribution, clusters)
        freedom = degrees_of_freedom(distribution, n_units(n_used, clusters))
        if clusters is not None and clusters.n_clusters == 1 < n_used:
            warnings.warn(
                f"the standard error of {method} is undefined: all subjects are in one cluster.",
                undefined_metric_warning(),
                stacklevel=users_stacklevel(),
            )
    interval = symmetric_interval(value, error, confidence, freedom)
    null_error = errors.overall if errors is not None else math.nan
    z, p_value = _test(value, error, null_error, freedom)
    return MultiRaterResult(
        method,
        value,
        error,
        interval,
        float(confidence),
        null_error,
        z,
        p_value,
        Disagreement(float(observed), float(expected)),
        ratings.n_subjects,
        ratings.n_paired,
        ratings.n_raters,
        ratings.n_missing,
        ratings.labels,
        coefficient,
        by_label,
        distribution,
        clusters,
        rated,
        weights,
    )


def label_kappas(
    ratings: Ratings, errors: FleissNull | None, confidence: float, distribution: Distribution
) -> tuple[LabelKappa, ...]:
    """Return Fleiss' kappa of every label against all others."""
    patterns, found = ratings.patterns, []
    multiplicities = patterns.multiplicities
    for label, counts in zip(ratings.labels.tolist(), patterns.counts.T.astype(np.int64)):
        pair = np.stack([counts, patterns.n_ratings - counts], axis=1)
        two = ChanceCorrected(
            Patterns(pair, multiplicities), distances_of(None, 2), chance_of_fleiss
        )
        value = float(two.values(two.multiplicities))
        defined = not math.isnan(value)
        clusters = ratings.counted.clusters_of(two)
        error = two.standard_error(distribution, clusters) if defined else math.nan
        null_error = errors.by_label if errors is not None and defined else math.nan
        units = n_units(float(two.multiplicities.sum()), clusters)
        freedom = degrees_of_freedom(distribution, units)
        z, p_value = _test(value, error, null_error, freedom)
        interval = symmetric_interval(value, error, confidence, freedom)
        n_pairs = int(multiplicities @ (counts * (patterns.n_ratings - 1)))
        n_agreeing = int(multiplicities @ (counts * (counts - 1)))
        agreement = n_agreeing / n_pairs if n_pairs else math.nan
        of_label = int(multiplicities @ counts), agreement
        found.append(
            LabelKappa(label, value, error, null_error, z, p_value, interval, confidence, *of_label)
        )
    return tuple(found)


def rows_of_numbers(ratings: Ratings, level: str) -> tuple[list[AnyArray], IntTable] | None:
    """Return the numbers of each rater's distinct rows, NaN where missing, and their counts.

    They are for a level of measurement where labels are so many that patterns would need too
    much memory, and it is known who gave which rating. None if not.
    """
    if level not in MEASURED or ratings.rater_names is None or len(ratings.labels) <= MOST_LABELS:
        return None
    profiles = ratings.profiles(level)
    if not isinstance(profiles, Profiles):
        return None
    values = np.append(numbers_of(level, ratings.label_values), np.nan)
    return [values[codes] for codes in profiles.codes.T], profiles.multiplicities


def _test(value: float, error: float, null_error: float, freedom: float) -> tuple[float, float]:
    """Return z and p, by the null error if there is one."""
    if not math.isnan(null_error):
        z = value / null_error if null_error > 0 else math.nan
        return z, two_sided_p(z)
    z = value / error if error > 0 else math.nan
    return z, distributions.t_two_sided_p(z, freedom)


def _why_undefined(ratings: Ratings | Measurements) -> str:
    if ratings.n_paired == 0:
        return "no subject has two ratings"
    constant = (
        ratings.constant
        if isinstance(ratings, Measurements)
        else np.count_nonzero(ratings.patterns.counts.any(axis=0)) < 2
    )
    if constant:
        return "all ratings have the same label, so no disagreement is expected by chance"
    return (
        "no disagreement is expected by chance of some raters, each of them having given one"
        " label only, or they have no subjects in common"
    )
