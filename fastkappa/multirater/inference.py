"""Compute the standard error, interval and test of a coefficient of several raters."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fastkappa.multirater.statistics.coefficient import Coefficient, ScoreModel
from fastkappa.statistics import distributions
from fastkappa.statistics.clusters import Clusters, are_joined, n_units
from fastkappa.statistics.inference import (
    Distribution,
    degrees_of_freedom,
    symmetric_interval,
)
from fastkappa.statistics.intervals.methods import root_quantile, widening
from fastkappa.statistics.intervals.ratio_constraint import RatioConstraint
from fastkappa.statistics.intervals.tested import Asymptotic, Estimates, inverted

RaterInterval: TypeAlias = Literal["score", "asymptotic"]
RATER_INTERVALS: tuple[RaterInterval, ...] = get_args(RaterInterval)


@dataclass(frozen=True, eq=False, repr=False)
class Inference:
    """A coefficient with its standard error, interval and test, each computed on first use.

    Attributes
    ----------
    coefficient : Coefficient
    confidence : float
    distribution : {'t', 'normal'}
    clusters : Clusters or None
        The clusters of the subjects that the coefficient uses.
    null_error : float
        The standard error under chance agreement; NaN if it is not available.
    asked : {'score', 'asymptotic'} or None
        The interval method that the caller chose; None if the caller chose none.
    """

    coefficient: Coefficient
    confidence: float
    distribution: Distribution
    clusters: Clusters | None
    null_error: float = math.nan
    asked: RaterInterval | None = None

    def of_another(self, coefficient: Coefficient, null_error: float) -> Inference:
        """Return the inference for another coefficient of the same rows."""
        return replace(self, coefficient=coefficient, null_error=null_error)

    @cached_property
    def value(self) -> float:
        """The coefficient."""
        return float(self.coefficient.values(self.coefficient.multiplicities))

    @property
    def n_used(self) -> float:
        """The number of subjects that the coefficient uses."""
        return float(self.coefficient.multiplicities.sum())

    @property
    def n_units(self) -> float:
        """The number of independent units: subjects or clusters."""
        return n_units(self.n_used, self.clusters)

    @cached_property
    def standard_error(self) -> float:
        """The standard error; NaN if the coefficient is undefined."""
        if math.isnan(self.value):
            return math.nan
        return self.coefficient.standard_error(self.distribution, self.clusters)

    @property
    def null_standard_error(self) -> float:
        """The standard error under chance agreement; NaN if the coefficient is undefined."""
        return math.nan if math.isnan(self.value) else self.null_error

    @cached_property
    def design_effect(self) -> float:
        """The ratio of the variance with clusters to the variance for independent subjects."""
        if not are_joined(self.clusters):
            return 1.0
        in_clusters, alone = self._errors
        return (in_clusters / alone) ** 2 if alone else math.nan

    @cached_property
    def model(self) -> ScoreModel | None:
        """The model for the score interval; None if a score interval is not available."""
        if self.asked == "asymptotic" or math.isnan(self.value):
            return None
        return self.coefficient.score_model()

    @property
    def interval_method(self) -> RaterInterval:
        """The method used for the interval."""
        return "asymptotic" if self.model is None else "score"

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The interval. An asymptotic interval can exceed 1 if the caller chose that method."""
        if self.model is not None:
            quantile = root_quantile(self.confidence, self.freedom)
            if math.isnan(quantile):
                return math.nan, math.nan
            low, high = self.tested.ends(np.array([[quantile], [-quantile]])).values[:, 0].tolist()
            return low, high
        freedom = degrees_of_freedom(self.distribution, self.n_units)
        low, high = symmetric_interval(self.value, self.standard_error, self.confidence, freedom)
        return (low, high) if self.asked else (low, min(high, 1.0))

    @property
    def z(self) -> float:
        """The z statistic for testing that the coefficient is 0: null-error, score or Wald test."""
        return self._test[0]

    @property
    def p_value(self) -> float:
        """The two-sided p-value of z under chance agreement."""
        return distributions.t_two_sided_p(*self._test)

    @cached_property
    def _test(self) -> tuple[float, float]:
        """The z statistic for testing that the coefficient is 0, and its degrees of freedom."""
        if not math.isnan(self.null_standard_error):
            return self.value / self.null_error if self.null_error > 0 else math.nan, math.inf
        # If kappa is far from 0, the search for the constrained maximum at 0 can fail.
        if self.model is not None:
            z = float(self.tested.deviates(np.zeros(1)).deviates[0, 0])
            if math.isfinite(z):
                return z if self.freedom > 0 else math.nan, self.freedom
        z = self.value / self.standard_error if self.standard_error > 0 else math.nan
        return z, degrees_of_freedom(self.distribution, self.n_units)

    @property
    def freedom(self) -> float:
        """The degrees of freedom of a score test: infinity, or the number of clusters minus 1."""
        return self.n_units - 1 if are_joined(self.clusters) else math.inf

    @cached_property
    def tested(self) -> Estimates:
        """The score test of every possible value of the coefficient."""
        value, error = np.array([self.value]), np.array([self.standard_error])
        if self.model is None:
            return Asymptotic(value, error)
        widened = [1.0]
        if are_joined(self.clusters):
            widened = [float(widening(*self._errors, self.n_units))]
        return inverted(
            "score",
            RatioConstraint(self.model.features, self.model.ratio),
            self.model.counts[None].astype(np.float64),
            value,
            error,
            self.model.least,
            np.array(widened),
        )

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
