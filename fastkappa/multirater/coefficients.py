"""Coefficients of agreement of two or more raters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastkappa.multirater.estimation import Inferred, estimate, read_ratings, warn_of_labels
from fastkappa.multirater.inference import RaterInterval
from fastkappa.multirater.multirater_result import MultiRaterResult
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.chance_corrected import (
    ChanceCorrected,
    ChanceRule,
    chance_of_fleiss,
    chance_of_gwet,
    chance_of_randolph,
    distances_of,
)
from fastkappa.multirater.statistics.known_raters import Conger, Light
from fastkappa.statistics.inference import Distribution
from fastkappa.statistics.weights import Weights


def fleiss_kappa(
    ratings: Any,
    *,
    weights: Weights = None,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "t",
    interval_method: RaterInterval | None = None,
) -> MultiRaterResult:
    """Return Fleiss' kappa, for raters who need not be the same for every subject.

    By chance, ratings are drawn from the labels' proportions among all ratings. For two
    raters it is Scott's pi.

    Parameters
    ----------
    ratings : array-like of shape (n_subjects, n_raters), or Ratings
        A row per subject and a column per rater; None, NaN and the like are missing
        ratings. `Ratings` also takes lists of raters, rows of item, rater and rating, tables
        and counts.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. None counts every disagreement the same; 'linear' and
        'quadratic' weigh it by the distance of the labels' positions or its square. A matrix
        must be symmetric, with a diagonal of 0. Both need labels in their order.
    labels, missing_codes, clusters
        As for `Ratings.from_array`, where ratings are an array. Clusters are the independent
        units of all standard errors.
    confidence : float, default=0.95
        The confidence of the interval.
    distribution : {'t', 'normal'}, default='t'
        With 't' variances are divided by the number of subjects less one, and an asymptotic
        interval has the quantiles of Student's t with so many degrees of freedom, as in Gwet
        (2014). With 'normal' they are divided by the number of subjects and the quantiles are
        those of the normal distribution. With clusters, their number stands for that of the
        subjects.
    interval_method : {'score', 'asymptotic'}, default=None
        How the intervals are made. 'score' holds the values that the score test does not reject,
        of all ratings that subjects may have; 'asymptotic' is the coefficient plus and minus a
        quantile times the standard error, and covers far too seldom where a label is rare. None
        means 'score', but 'asymptotic' for more raters and labels than can be computed with in
        a moment, and for measurements.

    Returns
    -------
    result : MultiRaterResult
        Without weights, and with the same number of ratings for every subject, z and p are
        those of Fleiss, Nee and Landis. That test takes subjects for independent: with clusters
        of several, z is kappa over its standard error. NaN, with an
        ``UndefinedMetricWarning``, where kappa is undefined, and standard errors where all
        subjects are in one cluster.

    Raises
    ------
    ValueError
        If ratings are not valid for `Ratings.from_array`, or weights or confidence are not
        as described above, or if ratings are `Ratings` and labels or missing codes are given.

    Warns
    -----
    LabelOrderWarning
        If weights are applied to three labels or more in alphabetical order that was neither
        given nor declared.
    UserWarning
        If ratings look like another form of data:

        - a table of counts: no labels are given, there are three rows or more of whole numbers
          of 0 or more, none missing, every row has the same sum, some number is 0, and some is
          2 or more;
        - a row per rater: there are eight columns or more, and at least twice as many as rows;
        - a row per rating: two of three columns never repeat a pair of values, though raters
          who agree by chance alone would repeat at least seven;
        - ids: in ten rows or more, one column never repeats a value, and no other column has
          more than half as many values as there are rows.

        `Ratings` are not checked: their constructors say which form they have.

    References
    ----------
    J. L. Fleiss (1971). Measuring nominal scale agreement among many raters.
    Psychological Bulletin 76, 378-382.

    J. L. Fleiss, J. C. M. Nee and J. R. Landis (1979). Large sample variance of kappa in
    the case of different sets of raters. Psychological Bulletin 86, 974-977.

    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    S. Vanbelle (2017). Comparing dependent kappa coefficients obtained on multilevel data.
    Biometrical Journal 59, 1016-1034.

    Examples
    --------
    >>> from fastkappa import Ratings, fleiss_kappa
    >>> fleiss_kappa([[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]])
    <Fleiss' kappa: 0.3143 (-0.2380 to 0.7998), 4 subjects, 3 raters>
    >>> fleiss_kappa(Ratings.from_counts([[3, 0], [1, 2], [0, 3], [1, 2]]))
    <Fleiss' kappa: 0.3143 (-0.2380 to 0.7998), 4 subjects, 3 raters>
    """
    inferred = Inferred(confidence, distribution, interval_method)
    given = read_ratings(ratings, labels, missing_codes, clusters, inferred)
    coefficient = _chance_corrected(given, weights, chance_of_fleiss)
    return estimate(
        "Fleiss' kappa",
        coefficient,
        given,
        inferred,
        weights=weights,
        with_labels=weights is None,
    )


def randolph_kappa(
    ratings: Any,
    *,
    weights: Weights = None,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "t",
    interval_method: RaterInterval | None = None,
) -> MultiRaterResult:
    """Return Randolph's free-marginal kappa: by chance, every label is equally likely.

    Also known as the coefficient of Brennan and Prediger, and for two raters as Bennett's S.
    It depends on the number of labels, including those that nobody gave: pass them as
    ``labels``.

    Parameters
    ----------
    ratings, weights, labels, missing_codes, clusters, confidence, distribution, interval_method
        As for `fleiss_kappa`, which raises the same errors and warns the same.

    Returns
    -------
    result : MultiRaterResult

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
    inferred = Inferred(confidence, distribution, interval_method)
    given = read_ratings(ratings, labels, missing_codes, clusters, inferred)
    coefficient = _chance_corrected(given, weights, chance_of_randolph)
    return estimate("Randolph's kappa", coefficient, given, inferred, weights=weights)


def gwet_ac1(
    ratings: Any,
    *,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "t",
    interval_method: RaterInterval | None = None,
) -> MultiRaterResult:
    """Return Gwet's AC1, which stays high if raters agree on one frequent label.

    Chance agreement occurs only on subjects that are hard to rate. It depends on the number
    of labels, including those that nobody gave: pass them as ``labels``.

    Parameters
    ----------
    ratings, labels, missing_codes, clusters, confidence, distribution, interval_method
        As for `fleiss_kappa`, which raises the same errors.

    Returns
    -------
    result : MultiRaterResult

    References
    ----------
    K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence
    of high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.

    Examples
    --------
    >>> from fastkappa import gwet_ac1
    >>> gwet_ac1([[1, 1, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1]])
    <Gwet's AC1: 0.3514 (-0.0693 to 0.8191), 4 subjects, 3 raters>
    """
    inferred = Inferred(confidence, distribution, interval_method)
    given = read_ratings(ratings, labels, missing_codes, clusters, inferred)
    coefficient = _chance_corrected(given, None, chance_of_gwet)
    return estimate("Gwet's AC1", coefficient, given, inferred)


def gwet_ac2(
    ratings: Any,
    *,
    weights: Weights,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "t",
    interval_method: RaterInterval | None = None,
) -> MultiRaterResult:
    """Return Gwet's AC2: AC1 with weights.

    Parameters
    ----------
    ratings, weights, labels, missing_codes, clusters, confidence, distribution, interval_method
        As for `fleiss_kappa`, which raises the same errors and warns the same. Agreement
        weights are ``1 - weights / weights.max()``.

    Returns
    -------
    result : MultiRaterResult

    References
    ----------
    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.

    Examples
    --------
    >>> from fastkappa import gwet_ac2
    >>> gwet_ac2([[1, 1, 1], [1, 2, 2], [2, 3, 2], [3, 3, 2]], weights="linear")
    <Gwet's AC2: 0.4518 (-0.0218 to 0.8449), 4 subjects, 3 raters>
    """
    inferred = Inferred(confidence, distribution, interval_method)
    given = read_ratings(ratings, labels, missing_codes, clusters, inferred)
    coefficient = _chance_corrected(given, weights, chance_of_gwet)
    return estimate("Gwet's AC2", coefficient, given, inferred, weights=weights)


def conger_kappa(
    ratings: Any,
    *,
    weights: Weights = None,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "t",
    interval_method: RaterInterval | None = None,
) -> MultiRaterResult:
    """Return Conger's kappa, for raters who rate all subjects, each with their own margin.

    Also known as Fleiss' exact kappa. For two raters it is Cohen's kappa.

    Parameters
    ----------
    ratings, weights, labels, missing_codes, clusters, confidence, distribution, interval_method
        As for `fleiss_kappa`, which raises the same errors and warns the same. Counts of
        ratings raise one too: they do not say who gave which rating.

    Returns
    -------
    result : MultiRaterResult
        For two raters and n subjects the standard error is by default sqrt(n / (n - 1))
        times that of `fastkappa.agreement`, and the interval that of Student's t; each has
        the other's with the other's ``distribution``.

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
    inferred = Inferred(confidence, distribution, interval_method)
    given = read_ratings(ratings, labels, missing_codes, clusters, inferred)
    distances = distances_of(weights, len(given.labels))
    coefficient = Conger(given.profiles("conger_kappa"), distances)
    warn_of_labels(given, "weights", weights)
    return estimate("Conger's kappa", coefficient, given, inferred, weights=weights)


def light_kappa(
    ratings: Any,
    *,
    weights: Weights = None,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "t",
    interval_method: RaterInterval | None = None,
) -> MultiRaterResult:
    """Return Light's kappa: the mean of Cohen's kappa over the pairs of raters.

    A pair counts the subjects that both have rated; `pairwise_kappa` shows each.

    Parameters
    ----------
    ratings, weights, labels, missing_codes, clusters, confidence, distribution, interval_method
        As for `conger_kappa`, but weights need not be symmetric: the rows of a matrix
        belong to the rater who comes first.

    Returns
    -------
    result : MultiRaterResult
        Its standard error is that of the delta method; for two raters and
        ``distribution='normal'`` the one of Fleiss, Cohen and Everitt (1969).

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
    inferred = Inferred(confidence, distribution, interval_method)
    given = read_ratings(ratings, labels, missing_codes, clusters, inferred)
    coefficient = Light(given.profiles("light_kappa"), weights)
    warn_of_labels(given, "weights", weights)
    return estimate("Light's kappa", coefficient, given, inferred, weights=weights)


def _chance_corrected(ratings: Ratings, weights: Weights, chance: ChanceRule) -> ChanceCorrected:
    distances = distances_of(weights, len(ratings.labels))
    warn_of_labels(ratings, "weights", weights)
    return ChanceCorrected(ratings.patterns, distances, chance)
