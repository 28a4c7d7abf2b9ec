"""Build the result of a coefficient, issue its warnings, and list several results in a grid."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.choices import check_choice
from fastkappa.exceptions import undefined_metric_warning, users_stacklevel
from fastkappa.formatting import figure
from fastkappa.multirater.inference import RATER_INTERVALS, RaterInterval
from fastkappa.multirater.items.measurements import Measurements
from fastkappa.multirater.label_kappas import LabelKappas
from fastkappa.multirater.multirater_result import MultiRaterResult
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.alpha import numbers_of
from fastkappa.multirater.statistics.chance_corrected import fleiss_null_errors
from fastkappa.multirater.statistics.coefficient import Coefficient, Disagreement
from fastkappa.multirater.statistics.measured_alpha import MEASURED, MeasuredAlpha
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.multirater.statistics.set_distances import SetLevel, set_distances
from fastkappa.ratings.label_order import warn_of_order
from fastkappa.results.report import Grid, estimate_grid
from fastkappa.statistics.clusters import are_joined
from fastkappa.statistics.inference import DISTRIBUTIONS, Distribution, check_confidence
from fastkappa.statistics.weights import Weights

# With more labels than this, patterns of counts would need too much memory.
MOST_LABELS = 200


class Inferred(NamedTuple):
    """The arguments for intervals and tests that every coefficient accepts."""

    confidence: float
    distribution: Distribution
    interval_method: RaterInterval | None

    def check(self) -> None:
        """Raise if an argument is invalid."""
        check_confidence(self.confidence)
        check_choice("distribution", self.distribution, DISTRIBUTIONS)
        check_choice("interval_method", self.interval_method, (None, *RATER_INTERVALS))

    def read(
        self, ratings: Any, labels: Any, missing_codes: Sequence[Any], clusters: Any
    ) -> Ratings:
        """Check the fields of this tuple, and convert a coefficient's ``ratings`` to `Ratings`."""
        given = Ratings.of(ratings, labels, missing_codes, clusters)
        self.check()
        return given


def read_weights(ratings: Ratings, weights: Weights | SetLevel) -> Weights:
    """Return the weights, converting 'jaccard' and 'masi' to a matrix of distances between sets.

    Warn if the weights require a label order that is probably wrong.
    """
    if isinstance(weights, str) and (weights == "jaccard" or weights == "masi"):
        return set_distances(weights, ratings.labels)
    warn_of_labels(ratings, "weights", weights)
    return weights


def warn_of_labels(ratings: Ratings, argument: str, value: Any) -> None:
    """Warn if ``value``, a name or a matrix, requires a label order that is probably wrong.

    If ``value`` is None, check instead whether the labels look like measurements.
    """
    labels, n_subjects = ratings.labels, ratings.n_subjects
    if value is not None:
        why = f"{argument}={value!r}" if isinstance(value, str) else f"a matrix as {argument}"
        warn_of_order(labels, why, users_stacklevel(), is_known=ratings.order_is_known)
    elif not ratings.order_is_known and (
        len(labels) > n_subjects and labels.dtype.kind == "f" and (labels != np.rint(labels)).any()
    ):
        warnings.warn(
            f"ratings contain {len(labels)} different numbers for {n_subjects} subjects,"
            " and some are not whole numbers. Each different number was read as a separate"
            " label. For numbers on a scale, use krippendorff_alpha with level='interval', or"
            " fastkappa.measurements.",
            stacklevel=users_stacklevel(),
        )


def estimate(
    method: str,
    coefficient: Coefficient,
    ratings: Ratings | Measurements,
    inferred: Inferred,
    *,
    weights: Weights = None,
    with_labels: bool = False,
) -> MultiRaterResult:
    """Return a coefficient with its standard error, interval and test; warn if it is undefined."""
    observed, expected = coefficient.disagreement(coefficient.multiplicities)
    # Measurements are not kept in the result. They are not counted as distinct rows, so a subject's
    # row could not be found later.
    rated = (
        None
        if isinstance(coefficient, MeasuredAlpha) or isinstance(ratings, Measurements)
        else ratings
    )
    clusters = None if rated is None else rated.counted.clusters_of(coefficient)
    errors = of_labels = None
    if with_labels and rated is not None:
        errors = None if are_joined(clusters) else fleiss_null_errors(rated.patterns)
        of_labels = LabelKappas(rated.patterns, ratings.labels, errors)
    found = MultiRaterResult(
        method=method,
        coefficient=coefficient,
        confidence=float(inferred.confidence),
        distribution=inferred.distribution,
        clusters=clusters,
        null_error=math.nan if errors is None else errors.overall,
        asked=inferred.interval_method,
        disagreement=Disagreement(float(observed), float(expected)),
        n_subjects=ratings.n_subjects,
        n_paired=ratings.n_paired,
        n_raters=ratings.n_raters,
        n_missing=ratings.n_missing,
        labels=ratings.labels,
        of_labels=of_labels,
        ratings=rated,
        weights=weights,
    )
    if math.isnan(found.value):
        warnings.warn(
            f"{method} is undefined: {_why_undefined(ratings)}.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    elif clusters is not None and clusters.n_clusters == 1 < found.n_used:
        warnings.warn(
            f"the standard error of {method} is undefined: all subjects are in one cluster.",
            undefined_metric_warning(),
            stacklevel=users_stacklevel(),
        )
    elif inferred.interval_method == "score" and found.model is None:
        raise ValueError(
            f"interval_method='score' is not available for {method} with this many raters, labels"
            " or distinct rows of ratings. Use interval_method=None, which chooses the score"
            " interval if it is available."
        )
    return found


def rows_of_numbers(ratings: Ratings, level: str) -> tuple[list[AnyArray], IntTable] | None:
    """Return each rater's numbers in the distinct rows, and the number of subjects with each row.

    NaN means a missing rating. Return None if the level does not compare numbers, if there are few
    enough labels to store patterns, or if it is unknown who gave which rating.
    """
    if level not in MEASURED or ratings.rater_names is None or len(ratings.labels) <= MOST_LABELS:
        return None
    profiles = ratings.profiles(level)
    if not isinstance(profiles, Profiles):
        return None
    values = np.append(numbers_of(level, ratings.label_values), np.nan)
    return [values[codes] for codes in profiles.codes.T], profiles.multiplicities


def _why_undefined(ratings: Ratings | Measurements) -> str:
    if ratings.n_paired == 0:
        return "no subject has two ratings"
    constant = (
        ratings.constant
        if isinstance(ratings, Measurements)
        else np.count_nonzero(ratings.patterns.counts[ratings.patterns.paired].any(axis=0)) < 2
    )
    if constant:
        are_all = ratings.n_paired == ratings.n_subjects
        which = "" if are_all else " of subjects with two or more ratings"
        return f"all ratings{which} have the same label, so no disagreement is expected by chance"
    return "some raters share no items or gave only one label"


def coefficients_grid(results: Sequence[MultiRaterResult]) -> Grid:
    """Return a grid of several coefficients computed from the same ratings."""
    names = [short_name(r) for r in results]
    if len(set(names)) < len(names):
        names = [r.method for r in results]
    rows = [(name, r.value, r.standard_error, r.interval) for name, r in zip(names, results)]
    return estimate_grid(rows, results[0].confidence)


def short_name(result: MultiRaterResult) -> str:
    """Return the coefficient's name, without the level of Krippendorff's alpha."""
    return result.method.partition(" (")[0]


def clusters_of(result: MultiRaterResult) -> tuple[str, list[str]]:
    """Return the number of clusters as text, and lines about the design effect, if any."""
    effect = result.design_effect
    is_known = result.clusters is not None and not math.isnan(effect)
    line = f"design effect of {short_name(result)}: {figure(effect)}"
    return result._clusters_text(), [line] if is_known else []
