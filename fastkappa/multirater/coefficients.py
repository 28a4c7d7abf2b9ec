"""Coefficients of the agreement of two raters or more."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from fastkappa.exceptions import undefined_metric_warning
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.result import LabelKappa, MultiRaterResult
from fastkappa.multirater.statistics import student_t
from fastkappa.multirater.statistics.alpha import Alpha, Level
from fastkappa.multirater.statistics.chance_corrected import (
    Chance,
    ChanceCorrected,
    Coefficient,
    Disagreement,
    FleissNull,
    Patterns,
    chance_of_fleiss,
    chance_of_gwet,
    chance_of_randolph,
    distances_of,
    fleiss_null_errors,
)
from fastkappa.multirater.statistics.profiles import Conger, Light
from fastkappa.statistics.inference import check_confidence, two_sided_p
from fastkappa.statistics.weights import Weights


def fleiss_kappa(
    ratings: Any, *, weights: Weights = None, confidence: float = 0.95
) -> MultiRaterResult:
    """Return Fleiss' kappa: raters who need not be the same for every subject.

    Chance agreement is that of ratings drawn from the labels' shares among all ratings. For
    two raters it is Scott's pi.

    Parameters
    ----------
    ratings : array-like of shape (n_subjects, n_raters), or Ratings
        A row a subject and a column a rater; None, NaN and the like are missing ratings.
        `Ratings` takes lists of raters, tables and counts, and more ways to say missing.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights: None counts every disagreement alike, 'linear' and
        'quadratic' weigh it by the distance of the labels' positions, and by its square. A
        matrix must be symmetric, with a diagonal of 0.
    confidence : float, default=0.95
        The confidence of the interval.

    Returns
    -------
    result : MultiRaterResult
        Its standard error is Gwet's, for subjects drawn from many; without weights, and
        with as many ratings for every subject, z and p are those of Fleiss, Nee and Landis.
        NaN, with an ``UndefinedMetricWarning``, where kappa is undefined.

    Raises
    ------
    ValueError
        If ratings are not what `Ratings.from_array` takes, or weights are no such weights.

    References
    ----------
    J. L. Fleiss (1971). Measuring nominal scale agreement among many raters.
    Psychological Bulletin 76, 378-382.

    J. L. Fleiss, J. C. M. Nee and J. R. Landis (1979). Large sample variance of kappa in
    the case of different sets of raters. Psychological Bulletin 86, 974-977.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    Examples
    --------
    >>> from fastkappa import Ratings, fleiss_kappa
    >>> fleiss_kappa([[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]])
    <Fleiss' kappa: 0.3143 (-1.0522 to 1.6808), 4 subjects, 3 raters>
    >>> fleiss_kappa(Ratings.from_counts([[3, 0], [1, 2], [0, 3], [1, 2]]))
    <Fleiss' kappa: 0.3143 (-1.0522 to 1.6808), 4 subjects, 3 raters>
    """
    given = Ratings.of(ratings)
    check_confidence(confidence)
    coefficient = _chance_corrected(given, weights, chance_of_fleiss)
    errors = fleiss_null_errors(given.patterns) if weights is None else None
    by_label = _kappas_by_label(given, errors) if weights is None else ()
    return _result("Fleiss' kappa", coefficient, given, confidence, errors, by_label)


def randolph_kappa(
    ratings: Any, *, weights: Weights = None, confidence: float = 0.95
) -> MultiRaterResult:
    """Return Randolph's free-marginal kappa: chance gives every label equally often.

    Also known as the coefficient of Brennan and Prediger, and for two raters as Bennett's S.
    It depends on how many labels there are, also on those that nobody gave: tell them by
    ``Ratings.from_array(ratings, labels=...)``.

    Parameters
    ----------
    ratings, weights, confidence
        As for `fleiss_kappa`.

    Returns
    -------
    result : MultiRaterResult
        With Gwet's standard error.

    Raises
    ------
    ValueError
        As by `fleiss_kappa`.

    References
    ----------
    R. L. Brennan and D. J. Prediger (1981). Coefficient kappa: some uses, misuses, and
    alternatives. Educational and Psychological Measurement 41, 687-699.

    J. J. Randolph (2005). Free-marginal multirater kappa: an alternative to Fleiss'
    fixed-marginal multirater kappa. Joensuu Learning and Instruction Symposium.

    Examples
    --------
    >>> from fastkappa import randolph_kappa
    >>> round(randolph_kappa([[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]]).value, 6)
    0.333333
    """
    given = Ratings.of(ratings)
    check_confidence(confidence)
    coefficient = _chance_corrected(given, weights, chance_of_randolph)
    return _result("Randolph's kappa", coefficient, given, confidence)


def gwet_ac1(ratings: Any, *, confidence: float = 0.95) -> MultiRaterResult:
    """Return Gwet's AC1, which high agreement on a frequent label does not bring down.

    Chance agreement is that on subjects which are hard to rate alone. It depends on how
    many labels there are, also on those that nobody gave: tell them by
    ``Ratings.from_array(ratings, labels=...)``.

    Parameters
    ----------
    ratings, confidence
        As for `fleiss_kappa`.

    Returns
    -------
    result : MultiRaterResult
        With Gwet's standard error.

    Raises
    ------
    ValueError
        As by `fleiss_kappa`.

    References
    ----------
    K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence
    of high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.

    Examples
    --------
    >>> from fastkappa import gwet_ac1
    >>> gwet_ac1([[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]])
    <Gwet's AC1: 0.3514 (-0.8087 to 1.5114), 4 subjects, 3 raters>
    """
    given = Ratings.of(ratings)
    check_confidence(confidence)
    coefficient = _chance_corrected(given, None, chance_of_gwet)
    return _result("Gwet's AC1", coefficient, given, confidence)


def gwet_ac2(ratings: Any, *, weights: Weights, confidence: float = 0.95) -> MultiRaterResult:
    """Return Gwet's AC2: AC1 with weights.

    Parameters
    ----------
    ratings, weights, confidence
        As for `fleiss_kappa`. Weights of agreement are ``1 - weights / weights.max()``.

    Returns
    -------
    result : MultiRaterResult
        With Gwet's standard error.

    Raises
    ------
    ValueError
        As by `fleiss_kappa`.

    References
    ----------
    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    Examples
    --------
    >>> from fastkappa import gwet_ac2
    >>> gwet_ac2([[1, 1, 1], [1, 2, 2], [2, 3, 2], [3, 3, 2]], weights="linear")
    <Gwet's AC2: 0.4518 (-0.1112 to 1.0148), 4 subjects, 3 raters>
    """
    given = Ratings.of(ratings)
    check_confidence(confidence)
    coefficient = _chance_corrected(given, weights, chance_of_gwet)
    return _result("Gwet's AC2", coefficient, given, confidence)


def conger_kappa(
    ratings: Any, *, weights: Weights = None, confidence: float = 0.95
) -> MultiRaterResult:
    """Return Conger's kappa: the same raters for all subjects, each with a margin of its own.

    Also known as Fleiss' exact kappa. For two raters it is Cohen's kappa.

    Parameters
    ----------
    ratings, weights, confidence
        As for `fleiss_kappa`. Counts of ratings will not do: it must be known whose they are.

    Returns
    -------
    result : MultiRaterResult
        With Gwet's standard error.

    Raises
    ------
    ValueError
        As by `fleiss_kappa`, and for counts.

    References
    ----------
    A. J. Conger (1980). Integration and generalization of kappas for multiple raters.
    Psychological Bulletin 88, 322-328.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    Examples
    --------
    >>> from fastkappa import conger_kappa
    >>> round(conger_kappa([[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]]).value, 6)
    0.333333
    """
    given = Ratings.of(ratings)
    check_confidence(confidence)
    distances = distances_of(weights, len(given.labels))
    coefficient = Conger(given.profiles("conger_kappa"), distances)
    return _result("Conger's kappa", coefficient, given, confidence)


def light_kappa(
    ratings: Any, *, weights: Weights = None, confidence: float = 0.95
) -> MultiRaterResult:
    """Return Light's kappa: the mean of Cohen's kappa over the pairs of raters.

    A pair counts the subjects that both have rated; `pairwise_kappa` shows each.

    Parameters
    ----------
    ratings, weights, confidence
        As for `fleiss_kappa`, but weights need not be symmetric: the rows of a matrix are
        those of the rater who comes first. Counts of ratings will not do.

    Returns
    -------
    result : MultiRaterResult
        Its standard error is that of the delta method; for two raters, the one of Fleiss,
        Cohen and Everitt (1969).

    Raises
    ------
    ValueError
        As by `fleiss_kappa`, and for counts.

    References
    ----------
    R. J. Light (1971). Measures of response agreement for qualitative data: some
    generalizations and alternatives. Psychological Bulletin 76, 365-377.

    Examples
    --------
    >>> from fastkappa import light_kappa
    >>> round(light_kappa([[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]]).value, 6)
    0.333333
    """
    given = Ratings.of(ratings)
    check_confidence(confidence)
    coefficient = Light(given.profiles("light_kappa"), weights)
    return _result("Light's kappa", coefficient, given, confidence)


def krippendorff_alpha(
    ratings: Any, *, level: Level = "nominal", confidence: float = 0.95
) -> MultiRaterResult:
    """Return Krippendorff's alpha, for any level of measurement and missing ratings.

    Subjects with one rating have no part in it.

    Parameters
    ----------
    ratings, confidence
        As for `fleiss_kappa`. Ratings of interval and ratio data may be any numbers.
    level : {'nominal', 'ordinal', 'interval', 'ratio'} or array-like of shape (l, l)
        The level of measurement: labels are names; have an order; their differences count;
        or their ratios. A matrix holds the labels' distances, squared where the metric is.

    Returns
    -------
    result : MultiRaterResult
        Its standard error is Gwet's. For ordinal data it takes the distances, which depend
        on the sample, as known; the bootstrap does not.

    Raises
    ------
    ValueError
        As by `fleiss_kappa`, and if the level needs numbers and labels are none, or are
        negative for ratios.

    References
    ----------
    K. Krippendorff (2011). Computing Krippendorff's alpha-reliability. University of
    Pennsylvania, Annenberg School for Communication.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    Examples
    --------
    >>> from fastkappa import krippendorff_alpha
    >>> ratings = [[1, 1, None], [2, 2, 3], [3, 3, 3], [3, 3, 3], [2, 2, 2], [1, 2, 3]]
    >>> round(krippendorff_alpha(ratings, level="ordinal").value, 6)
    0.593243
    """
    given = Ratings.of(ratings)
    check_confidence(confidence)
    coefficient = Alpha(given.patterns, level, given.labels)
    name = level if isinstance(level, str) else "own distances"
    return _result(f"Krippendorff's alpha ({name})", coefficient, given, confidence)


def _chance_corrected(ratings: Ratings, weights: Weights, chance: Chance) -> ChanceCorrected:
    distances = distances_of(weights, len(ratings.labels))
    return ChanceCorrected(ratings.patterns, distances, chance)


def _result(
    method: str,
    coefficient: Coefficient,
    ratings: Ratings,
    confidence: float,
    errors: FleissNull | None = None,
    by_label: tuple[LabelKappa, ...] = (),
) -> MultiRaterResult:
    """Return a coefficient's result, with a warning where it is undefined."""
    value = float(coefficient.values(coefficient.multiplicities))
    observed, expected = coefficient.disagreement(coefficient.multiplicities)
    if math.isnan(value):
        warnings.warn(
            f"{method} is undefined: {_why_undefined(ratings)}.",
            undefined_metric_warning(),
            stacklevel=3,
        )
        error = freedom = math.nan
    else:
        error, freedom = coefficient.standard_error(), coefficient.degrees_of_freedom()
    half = student_t.quantile((1 + confidence) / 2, freedom) * error if error > 0 else error
    null_error = errors.overall if errors is not None else math.nan
    z, p_value = _test(value, error, null_error, freedom)
    return MultiRaterResult(
        method,
        value,
        error,
        (value - half, value + half),
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
    )


def _test(value: float, error: float, null_error: float, freedom: float) -> tuple[float, float]:
    """Return z and p, from the null error if there is one."""
    if not math.isnan(null_error):
        z = value / null_error if null_error > 0 else math.nan
        return z, two_sided_p(z)
    z = value / error if error > 0 else math.nan
    return z, student_t.two_sided_p(z, freedom)


def _kappas_by_label(ratings: Ratings, errors: FleissNull | None) -> tuple[LabelKappa, ...]:
    """Return the kappa of every label against all others."""
    patterns = ratings.patterns
    found = []
    for label, counts in zip(ratings.labels.tolist(), patterns.counts.T):
        pair = np.stack([counts, patterns.n_ratings - counts], axis=1)
        two = ChanceCorrected(
            Patterns(pair, patterns.multiplicities), distances_of(None, 2), chance_of_fleiss
        )
        value = float(two.values(two.multiplicities))
        defined = not math.isnan(value)
        error = two.standard_error() if defined else math.nan
        null_error = errors.by_label if errors is not None and defined else math.nan
        z, p_value = _test(value, error, null_error, two.degrees_of_freedom())
        found.append(LabelKappa(label, value, error, null_error, z, p_value))
    return tuple(found)


def _why_undefined(ratings: Ratings) -> str:
    if ratings.n_paired == 0:
        return "no subject has two ratings"
    if np.count_nonzero(ratings.patterns.counts.any(axis=0)) < 2:
        return "all ratings have the same label, so no disagreement is expected by chance"
    return (
        "no disagreement is expected by chance of some raters, each of them having given one"
        " label only, or they have no subjects in common"
    )
