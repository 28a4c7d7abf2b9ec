"""The score test of several raters: its interval, and its z for a coefficient of 0."""

from __future__ import annotations

import math

import numpy as np

from fastkappa.multirater.statistics.coefficient import ScoreModel
from fastkappa.statistics.intervals.constrained import most_likely
from fastkappa.statistics.intervals.inverted import interval_ends, statistic_and_slope
from fastkappa.statistics.intervals.ratio_constraint import RatioConstraint


def score_interval(model: ScoreModel, error: float, quantile: float) -> tuple[float, float]:
    """Return the coefficients that the test does not reject, of one that is defined.

    ``error`` is a standard error, near which the ends are sought, and ``quantile`` the root of
    the statistic there.
    """
    if math.isnan(quantile):
        return math.nan, math.nan
    low, high = interval_ends(
        "score",
        RatioConstraint(model.features, model.ratio),
        model.counts[None].astype(np.float64),
        np.array([error]),
        np.array([quantile]),
        model.least,
    )
    return float(low[0]), float(high[0])


def score_z(model: ScoreModel, value: float) -> float:
    """Return the signed root of the statistic for a coefficient of 0.

    NaN if no proportions with it allow the counts, or if they are not found.
    """
    constraint, counts = RatioConstraint(model.features, model.ratio), model.counts[None]
    n = counts.sum(axis=1, dtype=np.float64)
    found = most_likely(constraint, counts.astype(np.float64), np.zeros(1)).proportions
    statistic, _ = statistic_and_slope("score", counts / n[:, None], found, n)
    return math.copysign(math.sqrt(max(float(statistic[0]), 0.0)), value)
