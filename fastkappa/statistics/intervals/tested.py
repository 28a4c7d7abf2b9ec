"""Kappas and the test of each of their values, to compare several of them by one statistic.

Each value that kappa might have is at a deviate from the estimate: the signed root of the score
or likelihood-ratio statistic, divided by the root of the design effect if there are clusters, or
the distance over the standard error. So deviates of all kinds of estimates can be put together.

Estimates are weighted by their inverse standard errors at the value that is tested, not at the
estimates: with few items of a rare label these go up and down with the estimates, and the mean of
the least ones is far off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.inference import standard_error
from fastkappa.statistics.intervals.constrained import Constraint, most_likely
from fastkappa.statistics.intervals.inverted import (
    Test,
    ends_at,
    least_kappa,
    statistic_and_slope,
)
from fastkappa.statistics.intervals.table_constraint import TableConstraint
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, disagreement_matrix

# Below this deviate an end is on a line to it: the statistic there is lost in rounding.
LEAST_DEVIATE = 1e-3
LEAST_ERROR = 1e-9  # it is 0 for full agreement
MOST_STEPS = 40
END_TOLERANCE = 1e-9  # of a value
# Of the angle of two standard errors, near which their difference hardly changes. Where one rater
# uses one label the error is 0 at the estimate alone: that is not looked at.
FIRST_STEP, ANGLE_TOLERANCE, LEAST_ANGLE = 0.02, 1e-5, 1e-4


class Deviates(NamedTuple):
    """The deviates of m values from H estimates, positive where the value is below the estimate.

    ``errors`` are the standard errors under the hypothesis; both have the shape (m, H). The
    deviate is infinite where no proportions with that value allow the counts, and NaN where an
    estimate is undefined.
    """

    deviates: FloatTable
    errors: FloatTable


class Estimates(Protocol):
    """H estimates that are tested in the same way."""

    @property
    def values(self) -> FloatTable:
        """The estimates, shape (H,)."""

    @property
    def errors(self) -> FloatTable:
        """Their standard errors, shape (H,)."""

    @property
    def least(self) -> float:
        """No value is below."""

    @property
    def most(self) -> float:
        """No value is above."""

    def deviates(self, values: FloatTable) -> Deviates:
        """Return the deviates of values of shape (m,)."""

    def ends(self, deviates: FloatTable) -> FloatTable:
        """Return the values at deviates of shape (m,) from the first estimate."""


@dataclass(frozen=True, eq=False)
class Asymptotic:
    """Estimates whose errors do not depend on the hypothesis."""

    values: FloatTable
    errors: FloatTable
    least: float = -math.inf
    most: float = math.inf

    def deviates(self, values: FloatTable) -> Deviates:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (self.values - values[:, None]) / self.errors
        return Deviates(found, np.broadcast_to(self.errors, found.shape))

    def ends(self, deviates: FloatTable) -> FloatTable:
        return np.asarray(self.values[0] - deviates * self.errors[0], np.float64)


@dataclass(frozen=True, eq=False)
class Inverted:
    """Estimates that are tested by the most likely proportions with the value.

    Attributes
    ----------
    test : {'score', 'profile'}
    constraint : Constraint
    counts : ndarray of shape (H, cells)
    values, errors : ndarray of shape (H,)
        The estimates, and standard errors near which ends are sought, above 0.
    least : float
        No value is below; -infinity if that is not known.
    widening : ndarray of shape (H,)
        What the root of the statistic is divided by: see `widening` of `methods`.
    """

    test: Test
    constraint: Constraint
    counts: FloatTable
    values: FloatTable
    errors: FloatTable
    least: float
    widening: FloatTable
    most: float = 1.0

    def deviates(self, values: FloatTable) -> Deviates:
        m, (h, n_cells) = len(values), self.counts.shape
        counts = np.broadcast_to(self.counts, (m, h, n_cells)).reshape(m * h, n_cells)
        wanted = np.repeat(values, h)
        found = most_likely(self.constraint, counts, wanted)
        n = counts.sum(axis=1)
        observed = counts / n[:, None]
        statistic, _ = statistic_and_slope(self.test, observed, found.proportions, n)
        root = np.where(
            np.isinf(found.likelihood_ratio), np.inf, np.sqrt(np.maximum(statistic, 0.0))
        )
        own = np.tile(self.values, m)
        sign = np.sign(own - wanted)
        errors = _errors(self.constraint, found.proportions, wanted) / np.sqrt(n)
        widening = np.tile(self.widening, m)
        return Deviates((sign * root / widening).reshape(m, h), (errors * widening).reshape(m, h))

    def ends(self, deviates: FloatTable) -> FloatTable:
        near = np.abs(deviates) < LEAST_DEVIATE
        m = len(deviates)
        found = ends_at(
            self.test,
            self.constraint,
            np.repeat(self.counts[:1], m, axis=0),
            np.repeat(self.errors[:1], m),
            np.where(near, np.copysign(LEAST_DEVIATE, deviates), deviates) * self.widening[0],
            self.least,
        )
        part = np.abs(deviates) / LEAST_DEVIATE
        return np.where(near, self.values[0] + part * (found - self.values[0]), found)


def kappas_tested(
    method: Test | Literal["asymptotic"],
    tables: AnyArray,
    weights: Weights,
    errors: FloatTable | None = None,
    widening: FloatTable | None = None,
) -> Estimates:
    """Return the tests of the kappas of a checked stack of tables (m, l, l).

    ``errors`` and ``widening`` are those of items in clusters, if they are.
    """
    values = np.asarray(kappas(tables, weights), np.float64)
    alone = np.asarray(standard_error(tables, weights)) if errors is None else errors
    if method == "asymptotic":
        return Asymptotic(values, alone)
    n_labels = tables.shape[-1]
    matrix = disagreement_matrix(weights, n_labels)
    counts = tables.reshape(len(tables), n_labels**2).astype(np.float64)
    return inverted(
        method, TableConstraint(matrix), counts, values, alone, least_kappa(matrix), widening
    )


def inverted(
    test: Test,
    constraint: Constraint,
    counts: FloatTable,
    values: FloatTable,
    errors: FloatTable,
    least: float,
    widening: FloatTable | None = None,
) -> Inverted:
    """Return estimates that are tested by the most likely proportions, with errors above 0."""
    # Around full agreement the error is 0, and one item more would make this difference.
    errors = np.fmax(errors, 1 / (counts.sum(axis=1) + 1))
    widening = np.ones(len(values)) if widening is None else widening
    return Inverted(test, constraint, counts, values, errors, least, widening)


def _errors(constraint: Constraint, p: FloatTable, values: FloatTable) -> FloatTable:
    """Return the standard errors of one item with proportions that have the values."""
    _, slope = constraint.slopes(p, values)
    # h = N - (1 - value) M, so that M is the difference of h at 1 and at 0.
    (at_one, _), (at_zero, _) = (
        constraint.slopes(p, np.full(len(values), end)) for end in (1.0, 0.0)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (p * slope).sum(axis=1)
        variance = (p * slope * slope).sum(axis=1) - mean * mean
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)) / (at_one - at_zero))


class Together:
    """Several estimates, independent or with a known correlation.

    Parameters
    ----------
    groups : sequence of Estimates
    correlation : ndarray of shape (H, H) or None
        Of the estimates, in the order of the groups; None if they are independent.
    """

    def __init__(self, groups: Sequence[Estimates], correlation: AnyArray | None = None) -> None:
        self._groups = groups
        self._inverse = None if correlation is None else np.linalg.inv(correlation)

    def statistic(self, value: float) -> float:
        """Return the chi-square statistic of all estimates having a value."""
        deviates, _ = self._deviates(np.array([value]))
        return float((self._solved(deviates) * deviates).sum())

    def errors(self, value: float) -> FloatTable:
        """Return the standard error of each estimate if they all have a value."""
        return np.asarray(self._deviates(np.array([value])).errors[0], np.float64)

    def error(self, value: float) -> float:
        """Return the standard error of a common value."""
        errors = self.errors(value)
        if not errors.all():
            return 0.0
        return 1 / math.sqrt(float(self._solved(1 / errors) @ (1 / errors)))

    def common(self, quantile: float) -> tuple[float, float, float]:
        """Return the value that the estimates have in common, and the ends of its interval.

        The value is that at a combined deviate of 0, the ends are those at the quantile.
        """
        values, errors = (
            np.concatenate([getattr(group, name) for group in self._groups])
            for name in ("values", "errors")
        )
        weights = self._solved(1 / errors) / errors
        guess, error = (weights @ values) / weights.sum(), weights.sum() ** -0.5
        targets = np.array([0.0, quantile, -quantile])
        least = max(group.least for group in self._groups)
        most = min(group.most for group in self._groups)
        found = _crossings(
            self._combined, targets, guess - targets * error, error, least, most, END_TOLERANCE
        )
        value, low, high = found.tolist()
        return value, low, high

    def _combined(self, values: FloatTable) -> FloatTable:
        """Return the deviate of values from all estimates, weighted by their inverse errors."""
        deviates, errors = self._deviates(values)
        # Proportions that do not allow the counts have no error.
        impossible = np.isinf(deviates)
        errors = np.where(impossible, np.inf, np.maximum(errors, LEAST_ERROR))
        weights = 1 / errors
        solved = self._solved(weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (solved * np.where(impossible, 0.0, deviates)).sum(axis=1)
            found = found / np.sqrt((solved * weights).sum(axis=1))
        below, above = ((impossible & (deviates * sign > 0)).any(axis=1) for sign in (1, -1))
        return np.where(below, np.inf, np.where(above, -np.inf, found))

    def _deviates(self, values: FloatTable) -> Deviates:
        found = [group.deviates(values) for group in self._groups]
        return Deviates(*(np.concatenate(parts, axis=1) for parts in zip(*found)))

    def _solved(self, weights: FloatTable) -> FloatTable:
        return weights if self._inverse is None else np.asarray(weights @ self._inverse)


def difference_ends(
    first: Estimates, second: Estimates, correlation: float, quantile: float
) -> tuple[float, float]:
    """Return the differences of two values that are at a quantile from the estimates.

    Of a pair of values with a difference, their deviates are those of `Together.common`: the
    combined one is 0, if it is of the second and of the first less the difference.
    """
    signs = np.array([1.0, -1.0])  # the first value of a lower end is below its estimate

    def values(angle: FloatTable) -> tuple[FloatTable, FloatTable]:
        """Return both values of each end for the angle whose tangent is the ratio of errors."""
        one, two = np.cos(angle), np.sin(angle)
        scale = signs * quantile / np.sqrt(1 - 2 * correlation * one * two)
        return (
            first.ends(scale * (one - correlation * two)),
            second.ends(scale * (correlation * one - two)),
        )

    def excess(angle: FloatTable) -> FloatTable:
        """Return the angle of the errors at these values, less the angle."""
        one, two = (
            # At the end of what the counts allow the error is unknown, but nothing changes there.
            np.nan_to_num(each.deviates(found).errors[:, 0], nan=0.0)
            for each, found in zip((first, second), values(angle))
        )
        return np.asarray(np.arctan2(two, one) - angle)

    guess = np.full(2, math.atan2(second.errors[0], first.errors[0]))
    most = math.pi / 2 - LEAST_ANGLE
    angle = _crossings(excess, np.zeros(2), guess, FIRST_STEP, LEAST_ANGLE, most, ANGLE_TOLERANCE)
    one, two = values(angle)
    low, high = (one - two).tolist()
    return low, high


def _crossings(
    function: Callable[[FloatTable], FloatTable],
    targets: FloatTable,
    guesses: FloatTable,
    step: float,
    least: float,
    most: float,
    tolerance: float,
) -> FloatTable:
    """Return where a falling function has the targets, by false position (Illinois).

    It may be infinite. Where it never has a target, that is the bound nearest to it.
    """

    def excess(points: FloatTable) -> FloatTable:
        # Between -1 and 1, for it may be infinite.
        return np.asarray(np.arctan(function(points) - targets) * (2 / math.pi))

    low, high = guesses - step, guesses + step
    low, high = np.clip(low, least, most), np.clip(high, least, most)
    above, below = excess(low), excess(high)
    while True:
        widen_low, widen_high = (above < 0) & (low > least), (below > 0) & (high < most)
        if not (widen_low.any() or widen_high.any()):
            break
        step *= 2
        low = np.where(widen_low, np.maximum(low - step, least), low)
        high = np.where(widen_high, np.minimum(high + step, most), high)
        above, below = excess(low), excess(high)
    low, high = np.where(below >= 0, high, low), np.where(above <= 0, low, high)
    last = np.zeros(len(targets))
    for _ in range(MOST_STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            point = np.where(low == high, low, (low * below - high * above) / (below - above))
        if (high - low).max() < tolerance:
            break
        found = excess(point)
        right = found < 0
        exact = np.abs(found) < tolerance
        above = np.where(right, np.where(last > 0, above / 2, above), found)
        below = np.where(right, found, np.where(last < 0, below / 2, below))
        low, high = np.where(right & ~exact, low, point), np.where(right | exact, point, high)
        last = np.where(right, 1, -1)
    return point
