"""Compute the variance of a coefficient for a finite population or for sampled raters."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.multirater.statistics.coefficient import Coefficient
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.statistics.spread import LEAST_COEFFICIENT


class Population(NamedTuple):
    """The population from which subjects, and possibly raters, were drawn without replacement.

    Attributes
    ----------
    n_subjects : float
        The number of subjects in the population, or of clusters if there are any.
    n_raters : float or None
        The number of raters in the population; None if raters are fixed.
    profiles : Profiles or None
        The ratings of the sampled raters; None if raters are fixed.
    """

    n_subjects: float
    n_raters: float | None
    profiles: Profiles | None

    def rater_error(self, coefficient: Coefficient) -> float:
        """Return the standard error due to the sampling of raters; 0 if raters are fixed."""
        if self.n_raters is None or self.profiles is None:
            return 0.0
        unseen = 1 - self.profiles.n_raters / self.n_raters
        return math.sqrt(unseen * rater_variance(coefficient, self.profiles))

    def of_labels(self, are_one: AnyArray) -> Population:
        """Return this population with two labels: one for a mask's labels, one for the rest."""
        profiles = None if self.profiles is None else self.profiles.of_labels(are_one)
        return self._replace(profiles=profiles)

    @property
    def rater_freedom(self) -> float:
        """The degrees of freedom of the variance over raters, or infinity if raters are fixed."""
        return math.inf if self.profiles is None else self.profiles.n_raters - 1


def rater_variance(coefficient: Coefficient, profiles: Profiles) -> float:
    """Return the jackknife variance of a coefficient over its raters.

    With r raters, and K_g the coefficient computed without rater g, the variance is

        (r - 1) / r * sum_g (K_g - mean K)**2.

    The variance is NaN if any K_g is undefined.

    References
    ----------
    K. L. Gwet (2014). Handbook of Inter-Rater Reliability, 4th edition. Advanced Analytics.
    """
    n_raters = profiles.n_raters
    without = [coefficient.of_raters(profiles.without(rater)) for rater in range(n_raters)]
    values = np.array([float(one.values(one.multiplicities)) for one in without])
    if np.ptp(values) < LEAST_COEFFICIENT:
        return 0.0
    return (n_raters - 1) * float(values.var())
