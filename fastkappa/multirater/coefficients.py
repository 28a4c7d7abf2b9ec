"""Compute coefficients of agreement among two or more raters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastkappa.multirater.estimation import Inferred, estimate, warn_of_labels
from fastkappa.multirater.inference import RaterInterval
from fastkappa.multirater.multirater_result import MultiRaterResult
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.chance_corrected import (
    ChanceCorrected,
    ChanceRule,
    chance_of_fleiss,
    chance_of_given,
    chance_of_gwet,
    chance_of_randolph,
    distances_of,
)
from fastkappa.multirater.statistics.known_raters import Conger, Light
from fastkappa.statistics.inference import Distribution
from fastkappa.statistics.weights import Weights

# The suffix in the names of coefficients with given label proportions.
GIVEN = " with given proportions"


def fleiss_kappa(
    ratings: Any,
    *,
    weights: Weights = None,
    label_proportions: Any = None,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "t",
    interval_method: RaterInterval | None = None,
) -> MultiRaterResult:
    """Return Fleiss' kappa. Different subjects can be rated by different raters.

    Chance agreement is the agreement expected if each rating were drawn at random from the overall
    label proportions. With two raters, Fleiss' kappa equals Scott's pi.

    Parameters
    ----------
    ratings : array-like of shape (n_subjects, n_raters), or Ratings
        One row per subject and one column per rater. None, NaN and similar values count as missing
        ratings. If the data have another form (one list per rater, one row per rating, a confusion
        matrix or a table of counts), create a `Ratings` object first.
    weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
        Disagreement weights. With None, all disagreements count equally. 'linear' weights a
        disagreement by the distance between the positions of the two labels, and 'quadratic' by the
        square of this distance. A matrix must be symmetric, with zeros on the diagonal. With
        weights, the labels must be in a meaningful order.
    label_proportions : array-like of shape (l,), default=None
        The proportions or counts of the labels, used to compute the agreement expected by chance.
        For example, pass the proportions found in a larger study. The proportions are treated as
        known constants, not as estimates. By default, the proportions in ``ratings`` are used.
    labels, missing_codes, clusters
        Passed to `Ratings.from_array`; valid only if ``ratings`` is an array. If there are
        clusters, all standard errors treat them as the independent units.
    confidence : float, default=0.95
        The confidence level of the interval.
    distribution : {'t', 'normal'}, default='t'
        With 't', variances for n subjects are divided by n - 1, and asymptotic intervals use
        quantiles of Student's t distribution with n - 1 degrees of freedom, as in Gwet (2014). With
        'normal', variances are divided by n, and asymptotic intervals use quantiles of the normal
        distribution. With clusters, n is the number of clusters.
    interval_method : {'score', 'asymptotic'}, default=None
        How to compute intervals. 'score' inverts the score test: the interval contains the values
        that the test does not reject. With 'asymptotic', the interval is the coefficient plus or
        minus a quantile times the standard error; its coverage is far too low if a label is rare.
        None selects 'asymptotic' for measurements, and also if there are so many raters or labels
        that the score interval would be slow. Otherwise, None selects 'score'.

    Returns
    -------
    result : MultiRaterResult
        If no weights are given and every subject has the same number of ratings, z and the p-value
        come from the test by Fleiss, Nee and Landis (1979). This test assumes independent subjects,
        so it is not used if a cluster contains several subjects. Whenever this test is not used, z
        is the signed square root of the score statistic or, for asymptotic intervals, kappa divided
        by its standard error. If kappa is undefined, kappa and all values derived from it are NaN,
        and an ``UndefinedMetricWarning`` is issued. The standard errors are NaN if all subjects are
        in one cluster.

    Raises
    ------
    ValueError
        If `Ratings.from_array` rejects the ratings, if another argument is not as described above,
        or if ``labels``, ``missing_codes`` or ``clusters`` are given although ``ratings`` is
        already a `Ratings` object.

    Warns
    -----
    LabelOrderWarning
        If weights rely on the alphabetical order of three or more labels because no order was given
        or declared.
    UserWarning
        If the ratings look like data in another form:

        - a table of counts: no labels are given, there are at least three rows, and all entries are
          non-negative whole numbers, none of them missing. All rows have the same sum, and the
          entries include 0 and at least one number above 1;
        - one row per rater: there are at least eight columns, and at least twice as many columns as
          rows;
        - one row per rating: there are three columns, and two of them together identify each row
          uniquely. If these columns were ratings by two independent raters, at least seven repeated
          pairs would be expected;
        - ids: there are at least ten rows, one column never repeats a value, and every other column
          has at most half as many distinct values as there are rows.

        `Ratings` objects are not checked, because their constructors specify the form of the data.

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
    <Fleiss' kappa: 0.3143 (-0.2380 to 0.7998), 4 items, 3 raters, no weights>
    >>> fleiss_kappa(Ratings.from_counts([[3, 0], [1, 2], [0, 3], [1, 2]]))
    <Fleiss' kappa: 0.3143 (-0.2380 to 0.7998), 4 items, 3 raters, no weights>
    """
    inferred = Inferred(confidence, distribution, interval_method)
    given = inferred.read(ratings, labels, missing_codes, clusters)
    if label_proportions is not None:
        chance = _chance_given(label_proportions, (len(given.labels),))
        coefficient = _chance_corrected(given, weights, chance)
        return estimate(f"Fleiss' kappa{GIVEN}", coefficient, given, inferred, weights=weights)
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
    """Return Randolph's free-marginal kappa, which treats all labels as equally likely by chance.

    This coefficient is also known as the Brennan-Prediger coefficient, and for two raters as
    Bennett's S. The coefficient depends on the number of possible labels. Pass all possible labels
    as ``labels``, including those that no rater used.

    Parameters
    ----------
    ratings, weights, labels, missing_codes, clusters, confidence, distribution, interval_method
        As in `fleiss_kappa`, with the same errors and warnings.

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
    given = inferred.read(ratings, labels, missing_codes, clusters)
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
    """Return Gwet's AC1, which stays high if raters agree on one very frequent label.

    AC1 assumes that raters agree by chance only on subjects that are hard to rate. AC1 depends on
    the number of possible labels. Pass all possible labels as ``labels``, including those that no
    rater used.

    Parameters
    ----------
    ratings, labels, missing_codes, clusters, confidence, distribution, interval_method
        As in `fleiss_kappa`, with the same errors.

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
    <Gwet's AC1: 0.3514 (-0.0693 to 0.8191), 4 items, 3 raters, no weights>
    """
    inferred = Inferred(confidence, distribution, interval_method)
    given = inferred.read(ratings, labels, missing_codes, clusters)
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
    """Return Gwet's AC2, the weighted form of AC1.

    Parameters
    ----------
    ratings, weights, labels, missing_codes, clusters, confidence, distribution, interval_method
        As in `fleiss_kappa`, with the same errors and warnings. The disagreement weights are
        converted to agreement weights: ``1 - weights / weights.max()``.

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
    <Gwet's AC2: 0.4518 (-0.0218 to 0.8449), 4 items, 3 raters, linear weights>
    """
    inferred = Inferred(confidence, distribution, interval_method)
    given = inferred.read(ratings, labels, missing_codes, clusters)
    coefficient = _chance_corrected(given, weights, chance_of_gwet)
    return estimate("Gwet's AC2", coefficient, given, inferred, weights=weights)


def conger_kappa(
    ratings: Any,
    *,
    weights: Weights = None,
    label_proportions: Any = None,
    labels: Any = None,
    missing_codes: Sequence[Any] = (),
    clusters: Any = None,
    confidence: float = 0.95,
    distribution: Distribution = "t",
    interval_method: RaterInterval | None = None,
) -> MultiRaterResult:
    """Return Conger's kappa, for a fixed set of raters who each have their own label proportions.

    Conger's kappa is also known as Fleiss' exact kappa. With two raters, it equals Cohen's kappa.

    Parameters
    ----------
    ratings, weights, labels, missing_codes, clusters, confidence, distribution, interval_method
        As in `fleiss_kappa`, with the same errors and warnings. An error is also raised if the
        ratings were read from counts, because counts do not show which rater gave which rating.
    label_proportions : array-like of shape (n_raters, l), default=None
        For each rater, the proportions or counts of the labels, used to compute the agreement
        expected by chance. For example, pass published marginal totals. The proportions are treated
        as known constants, not as estimates. By default, the proportions in ``ratings`` are used.

    Returns
    -------
    result : MultiRaterResult
        For two raters and n subjects, `fastkappa.agreement` gives the same results if both
        functions are called with the same ``distribution``. The defaults of the two functions
        differ: with 't', the default here, the standard error is sqrt(n / (n - 1)) times as large
        as with 'normal', and asymptotic intervals use Student's t distribution.

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
    given = inferred.read(ratings, labels, missing_codes, clusters)
    profiles = given.profiles("conger_kappa")
    if label_proportions is not None:
        chance = _chance_given(label_proportions, (given.n_raters, len(given.labels)))
        with_given = _chance_corrected(given, weights, chance)
        return estimate(f"Conger's kappa{GIVEN}", with_given, given, inferred, weights=weights)
    coefficient = Conger(profiles, distances_of(weights, len(given.labels)))
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
    """Return Light's kappa: the mean of Cohen's kappa over all pairs of raters.

    The kappa of each pair is computed from the subjects that both raters rated. To get the kappa of
    each pair, use `pairwise_kappa`.

    Parameters
    ----------
    ratings, weights, labels, missing_codes, clusters, confidence, distribution, interval_method
        As in `conger_kappa`, except that weights need not be symmetric. The rows of a weight matrix
        correspond to the labels given by the first rater of each pair.

    Returns
    -------
    result : MultiRaterResult
        Standard errors are computed by the delta method. For two raters and
        ``distribution='normal'``, the standard errors are computed as in Fleiss, Cohen and Everitt
        (1969).

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
    given = inferred.read(ratings, labels, missing_codes, clusters)
    coefficient = Light(given.profiles("light_kappa"), weights)
    warn_of_labels(given, "weights", weights)
    return estimate("Light's kappa", coefficient, given, inferred, weights=weights)


def _chance_corrected(ratings: Ratings, weights: Weights, chance: ChanceRule) -> ChanceCorrected:
    distances = distances_of(weights, len(ratings.labels))
    warn_of_labels(ratings, "weights", weights)
    return ChanceCorrected(ratings.patterns, distances, chance)


def _chance_given(label_proportions: Any, shape: tuple[int, ...]) -> ChanceRule:
    """Return the chance rule for given label proportions or counts; raise if they are invalid."""
    given = np.asarray(label_proportions)
    if given.dtype.kind not in "biuf" or given.shape != shape:
        raise ValueError(
            f"label_proportions must be an array of numbers with shape {shape}, in the order of the"
            f" labels, got {label_proportions!r}. If a label does not occur in the ratings, pass"
            " all labels with labels=."
        )
    sums = given.sum(axis=-1, keepdims=True)
    if not (np.isfinite(given).all() and (given >= 0).all() and (sums > 0).all()):
        raise ValueError(
            "label_proportions must be non-negative numbers with a positive sum, got"
            f" {label_proportions!r}."
        )
    if np.count_nonzero(given.reshape(-1, shape[-1]).any(axis=0)) < 2:
        raise ValueError(
            "label_proportions must be positive for at least two labels, because otherwise no"
            f" disagreement is expected by chance, got {label_proportions!r}."
        )
    return chance_of_given(given / sums)
