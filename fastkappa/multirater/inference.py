"""Compute standard errors, intervals and tests for agreement coefficients of several raters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fastkappa.choices import check_choice
from fastkappa.multirater.ratings import Ratings
from fastkappa.multirater.statistics.coefficient import Coefficient, ScoreModel
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.multirater.statistics.rater_sample import Population
from fastkappa.statistics import distributions
from fastkappa.statistics.clusters import Clusters, are_joined, n_units
from fastkappa.statistics.inference import Distribution, symmetric_interval
from fastkappa.statistics.intervals.methods import joint_freedom, root_quantile, widening
from fastkappa.statistics.intervals.rao import (
    ALTERNATIVES,
    Alternative,
    check_null_kappa,
    p_value,
)
from fastkappa.statistics.intervals.tested import Asymptotic, Estimates, inverted

# The maximum number of raters in a sample of raters. The running time grows with the cube of their
# number.
MOST_RATERS = 100
RaterInterval: TypeAlias = Literal["score", "asymptotic"]
RATER_INTERVALS: tuple[RaterInterval, ...] = get_args(RaterInterval)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Inference:
    """A coefficient with its standard error, interval and test, each computed on first use.

    Attributes
    ----------
    coefficient : Coefficient
    confidence : float
    distribution : {'t', 'normal'}
    clusters : Clusters or None
        The clusters of the subjects used; None without clusters.
    null_error : float
        The standard error under chance agreement; NaN if it is not available.
    asked : {'score', 'asymptotic'} or None
        The interval method that the caller chose; None for the default.
    sampled : Population or None
        The population from which subjects and raters were drawn. None means fixed raters and an
        infinite population of subjects.
    """

    coefficient: Coefficient
    confidence: float
    distribution: Distribution
    clusters: Clusters | None
    null_error: float = math.nan
    asked: RaterInterval | None = None
    sampled: Population | None = None

    def check_default_population(self, function: str) -> None:
        """Raise an error if a population was given, because ``function`` would ignore it."""
        if self.sampled is not None:
            raise ValueError(
                f"{function} treats raters as fixed, and subjects as a sample from an infinite"
                " population: pass the original result, not the result of for_population."
            )

    @cached_property
    def value(self) -> float:
        """The coefficient: 1 for full agreement, and 0 for the agreement expected by chance."""
        return float(self.coefficient.values(self.coefficient.multiplicities))

    @property
    def n_used(self) -> float:
        """The number of subjects from which the coefficient is computed."""
        return float(self.coefficient.multiplicities.sum())

    @property
    def n_units(self) -> float:
        """The number of independent units: clusters if there are any, otherwise subjects."""
        return n_units(self.n_used, self.clusters)

    @cached_property
    def standard_error(self) -> float:
        """The standard error of the coefficient.

        It is computed as in Gwet (2014) or, for Light's kappa, by the delta method. Subjects are
        treated as a sample, and raters as fixed, unless a population is specified with
        `MultiRaterResult.for_population`. With clusters, a sandwich estimator treats the clusters,
        not the subjects, as the sample. The standard error is exactly 0 if all subjects contribute
        equally to the coefficient, and NaN if the coefficient is undefined.
        """
        if math.isnan(self.value):
            return math.nan
        return math.hypot(*self._both_errors)

    @cached_property
    def _both_errors(self) -> tuple[float, float]:
        """The standard errors due to the sampling of subjects and of raters."""
        error = self.coefficient.standard_error(self.distribution, self.clusters)
        return error * math.sqrt(self._unseen_subjects), self._rater_error

    @property
    def _unseen_subjects(self) -> float:
        """The proportion of the population's subjects that are not in the sample."""
        return 1.0 if self.sampled is None else 1 - self.n_units / self.sampled.n_subjects

    @cached_property
    def _rater_error(self) -> float:
        """The standard error due to the sampling of raters; 0 if raters are fixed."""
        return 0.0 if self.sampled is None else self.sampled.rater_error(self.coefficient)

    @property
    def null_standard_error(self) -> float:
        """The standard error under the null hypothesis of chance agreement.

        It is available only for unweighted Fleiss' kappa without clusters, and only if every
        subject has the same number of ratings. Otherwise it is NaN.
        """
        return math.nan if math.isnan(self.value) else self.null_error

    @cached_property
    def design_effect(self) -> float:
        """The variance with clusters, divided by the variance for independent subjects."""
        if not are_joined(self.clusters):
            return 1.0
        in_clusters, alone = self._errors
        return (in_clusters / alone) ** 2 if alone else math.nan

    @cached_property
    def model(self) -> ScoreModel | None:
        """The model used to compute the score interval; None if the interval is asymptotic."""
        if self.asked == "asymptotic" or math.isnan(self.value):
            return None
        # The square root of the score statistic is divided by `_widened`, which is 0 if the sample
        # is the whole population, and NaN if the rater error is NaN.
        if not 0 < self._widened < math.inf:
            return None
        return self.coefficient.score_model()

    @property
    def interval_method(self) -> RaterInterval:
        """The method used for the interval, 'score' or 'asymptotic'."""
        return "asymptotic" if self.model is None else "score"

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The confidence interval for the coefficient, computed with ``interval_method``.

        The score interval contains the values that the score test does not reject, and it never
        extends beyond the range of the coefficient. The asymptotic interval is the coefficient plus
        or minus a quantile times the standard error. If the caller chose 'asymptotic', the interval
        can extend beyond 1. Otherwise, its upper limit is at most 1. With ``distribution='t'``, the
        default, the quantile is taken from Student's t distribution.
        """
        if self.model is not None:
            quantile = root_quantile(self.confidence, self.freedom)
            if math.isnan(quantile):
                return math.nan, math.nan
            low, high = self.tested.ends(np.array([[quantile], [-quantile]])).values[:, 0].tolist()
            return low, high
        freedom = self._wald_freedom
        low, high = symmetric_interval(self.value, self.standard_error, self.confidence, freedom)
        return (low, high) if self.asked else (low, min(high, 1.0))

    @property
    def z(self) -> float:
        """The z statistic for the null hypothesis that the coefficient is 0.

        If ``null_standard_error`` is not NaN, z is the coefficient divided by
        ``null_standard_error``. Otherwise, z is the signed square root of the score statistic or,
        for asymptotic intervals, the coefficient divided by its standard error.
        """
        return self._test[0]

    @property
    def p_value(self) -> float:
        """The two-sided p-value of ``z`` for the null hypothesis of chance agreement.

        If ``null_standard_error`` is not NaN, the p-value is based on the normal distribution.
        Otherwise, it is based on Student's t distribution if there are clusters or sampled raters,
        or if the interval uses Student's t. In all other cases, it is based on the normal
        distribution.
        """
        return distributions.t_two_sided_p(*self._test)

    @cached_property
    def _test(self) -> tuple[float, float]:
        """The z statistic and its degrees of freedom."""
        if not math.isnan(self.null_standard_error):
            return self.value / self.null_error if self.null_error > 0 else math.nan, math.inf
        # If kappa is far from 0, the search for the constrained maximum at 0 can fail. In that
        # case, z is kappa divided by its standard error.
        if self.model is not None:
            z = float(self.tested.deviates(np.zeros(1)).deviates[0, 0])
            if math.isfinite(z):
                return z if self.freedom > 0 else math.nan, self.freedom
        z = self.value / self.standard_error if self.standard_error > 0 else math.nan
        return z, self._wald_freedom

    def test(
        self, null_kappa: float, *, alternative: Alternative = "two-sided"
    ) -> tuple[float, float]:
        """Test whether the coefficient equals a given value, and return z and the p-value.

        A two-sided test at the 5 % level rejects exactly those values that lie outside the 95 %
        interval. A null value of 0 can be an exception, because this value is tested with ``z``.

        Parameters
        ----------
        null_kappa : float
            The value under the null hypothesis, such as the value that a study was planned to
            exceed.
        alternative : {'two-sided', 'greater', 'less'}, default='two-sided'
            The alternative hypothesis.

        Returns
        -------
        z, p_value : float
            The test statistic and its p-value. Both are NaN if no distribution of ratings is found
            for which the coefficient equals ``null_kappa``.

        Raises
        ------
        ValueError
            If ``null_kappa`` is not between -1 and 1, or ``alternative`` is unknown.

        Examples
        --------
        >>> from fastkappa import datasets, fleiss_kappa
        >>> result = fleiss_kappa(datasets.load_items("anaesthetists").ratings)
        >>> [round(number, 4) for number in result.test(0.4, alternative="greater")]
        [3.5056, 0.0002]
        """
        check_choice("alternative", alternative, ALTERNATIVES)
        z, freedom = self._test
        if check_null_kappa(null_kappa) != 0:
            z = float(self.tested.deviates(np.array([null_kappa])).deviates[0, 0])
            freedom = self._wald_freedom if self.model is None else self.freedom
            z = z if math.isfinite(z) and freedom > 0 else math.nan
        return float(z), p_value(float(z), alternative, freedom)

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the score test.

        With clusters, the number of degrees of freedom is the number of clusters minus 1; without
        clusters, it is infinite. If raters are sampled, the number of degrees of freedom is reduced
        as in Satterthwaite (1946).
        """
        return self._joint(self.n_units - 1 if are_joined(self.clusters) else math.inf)

    @property
    def _wald_freedom(self) -> float:
        """The degrees of freedom of an asymptotic interval or test."""
        return math.inf if self.distribution == "normal" else self._joint(self.n_units - 1)

    def _joint(self, of_subjects: float) -> float:
        """Combine the degrees of freedom for subjects and, if raters are sampled, for raters."""
        if not self._rater_error > 0:
            return of_subjects
        assert self.sampled is not None
        freedoms = of_subjects, self.sampled.rater_freedom
        return joint_freedom(np.square(self._both_errors), freedoms)

    @cached_property
    def tested(self) -> Estimates:
        """Tests of hypothesized values of the coefficient, computed with ``interval_method``."""
        value, error = np.array([self.value]), np.array([self.standard_error])
        if self.model is None:
            return Asymptotic(value, error)
        return inverted(
            "score",
            self.model.constraint,
            self.model.counts[None].astype(np.float64),
            value,
            error,
            self.model.least,
            np.array([self._widened]),
        )

    @cached_property
    def _widened(self) -> float:
        """The factor by which the square root of the score statistic is divided."""
        found = math.sqrt(self._unseen_subjects)
        if are_joined(self.clusters):
            found *= float(widening(*self._errors, self.n_units))
        if self._rater_error == 0:
            return found
        alone = self._errors[1]
        return math.hypot(found, self._rater_error / alone) if alone else math.inf

    @cached_property
    def _errors(self) -> tuple[float, float]:
        """The standard error with clusters, and the standard error for independent subjects."""
        in_clusters, alone = (
            self.coefficient.standard_error("normal", clusters)
            for clusters in (self.clusters, None)
        )
        return in_clusters, alone

    def __getstate__(self) -> dict[str, Any]:
        # The model can be large, so it is not pickled but rebuilt on demand.
        return {name: part for name, part in vars(self).items() if name not in ("model", "tested")}


def population_of(
    inference: Inference, ratings: Ratings | None, n_subjects: float, n_raters: float | None
) -> Population:
    """Return the population from which subjects and raters were drawn.

    ``n_subjects``, ``n_raters`` and the errors raised are as in `MultiRaterResult.for_population`.
    """
    units = "subjects" if inference.clusters is None else "clusters"
    _check_size("n_subjects", n_subjects, inference.n_units, units)
    profiles = None
    if n_raters is not None:
        profiles = _sampled(ratings)
        _check_size("n_raters", n_raters, profiles.n_raters, "raters")
    return Population(n_subjects, n_raters, profiles)


def _sampled(ratings: Ratings | None) -> Profiles:
    """Return the profiles for a jackknife over raters, or raise if a jackknife is impossible."""
    if ratings is None or not ratings.counted.knows_raters:
        raise ValueError(
            "n_raters requires a result whose ratings and raters are known. Counts do not show who"
            " gave which rating: pass one column of ratings per rater. A pickled or copied result"
            " has no ratings: compute the coefficient again. For measurements, use"
            " fastkappa.measurements.intraclass_correlation."
        )
    if not 3 <= ratings.n_raters <= MOST_RATERS:
        raise ValueError(
            f"n_raters needs a sample of 3 to {MOST_RATERS} raters, got {ratings.n_raters}."
        )
    return ratings.profiles("n_raters").dense


def _check_size(name: str, size: Any, least: float, units: str) -> None:
    is_number = isinstance(size, (int, float, np.integer, np.floating))
    if not is_number or isinstance(size, bool) or not size >= least:
        raise ValueError(
            f"{name} must be at least {least:g}, the number of {units} in the sample, got {size!r}."
        )
