"""Test possible values of several kappas, so that one statistic can compare the kappas.

A deviate measures how far an estimate of kappa is from a possible value. In an asymptotic test, it
is the difference divided by the standard error. In a score or likelihood-ratio test, it is the
signed square root of the test statistic, divided by the root of the design effect if there are
clusters. Deviates from tests of different kinds can be combined.

Each estimate is weighted by its inverse standard error at the tested value, not at the estimate. If
a label is rare, the standard error at an estimate depends strongly on the estimate itself, so a
mean weighted by inverse standard errors at the estimates would be strongly biased.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, NamedTuple, Protocol, cast

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

# Below this deviate, rounding errors dominate the statistic, so values are interpolated linearly.
LEAST_DEVIATE = 1e-3
# Standard errors of 0, which result from full agreement, are replaced by this value.
LEAST_ERROR = 1e-9
MOST_STEPS = 40
# After this many steps, the search continues from the middle of the bracket whenever a step has not
# halved the bracket.
FREE_STEPS = 4
# How far a value found by the search may be from the exact value.
END_TOLERANCE = 1e-8
# The tangent of the angle to be found is the ratio of two standard errors. The angle is found to
# within `ANGLE_TOLERANCE`, because smaller changes hardly affect the difference. `LEAST_ANGLE` is
# the smallest angle to try, instead of 0: if a rater uses only one label, the standard error is 0
# only at the estimate itself, which is not tested.
ANGLE_TOLERANCE, LEAST_ANGLE = 1e-5, 1e-4


class Deviates(NamedTuple):
    """The deviates of m values from H estimates, positive for values below the estimate.

    ``errors`` holds the standard errors under the hypothesis that the value is true. Both arrays
    have shape (m, H). A deviate is infinite if no proportions with the value are compatible with
    the counts, and NaN if the estimate is undefined.
    """

    deviates: FloatTable
    errors: FloatTable


class Ends(NamedTuple):
    """Values with given deviates, and the standard errors at these values.

    Both arrays have shape (m, H). A standard error is NaN at the most extreme value that
    the counts allow.
    """

    values: FloatTable
    errors: FloatTable


class Estimates(Protocol):
    """H estimates that are tested in the same way."""

    @property
    def values(self) -> FloatTable:
        """The estimates, of shape (H,)."""

    @property
    def errors(self) -> FloatTable:
        """The standard errors of the estimates, of shape (H,)."""

    @property
    def least(self) -> float:
        """A lower bound for the values."""

    @property
    def most(self) -> float:
        """An upper bound for the values."""

    def deviates(self, values: FloatTable) -> Deviates:
        """Return the deviates of m given values from each estimate."""

    @property
    def kind(self) -> Any:
        """The kind of test. Estimates with equal kinds can be tested together."""

    def ends(self, deviates: FloatTable) -> Ends:
        """Return the values that have the given deviates, an array of shape (m, H)."""


@dataclass(frozen=True, eq=False)
class Asymptotic:
    """Estimates whose standard errors do not depend on the hypothesis."""

    values: FloatTable
    errors: FloatTable
    least: float = -math.inf
    most: float = math.inf
    kind: Any = None

    def deviates(self, values: FloatTable) -> Deviates:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (self.values - values[:, None]) / self.errors
        return Deviates(found, np.broadcast_to(self.errors, found.shape))

    def ends(self, deviates: FloatTable) -> Ends:
        found = np.asarray(self.values - deviates * self.errors, np.float64)
        return Ends(found, np.broadcast_to(self.errors, found.shape))


@dataclass(frozen=True, eq=False)
class Inverted:
    """Estimates that are tested using the most likely proportions for the tested value.

    Attributes
    ----------
    test : {'score', 'profile'}
    constraint : Constraint
    counts : ndarray of shape (H, cells)
    values, errors : ndarray of shape (H,)
        The estimates and their standard errors. The errors must be above 0, because they determine
        where the search starts.
    least : float
        A lower bound for the values, or -infinity if unknown.
    widening : ndarray of shape (H,)
        The divisor of the root of the statistic; see `widening` in the module `methods`.
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

    def ends(self, deviates: FloatTable) -> Ends:
        m, (h, n_cells) = len(deviates), self.counts.shape
        near = np.abs(deviates) < LEAST_DEVIATE
        roots = np.where(near, np.copysign(LEAST_DEVIATE, deviates), deviates) * self.widening
        counts = np.broadcast_to(self.counts, (m, h, n_cells)).reshape(m * h, n_cells)
        found, proportions = ends_at(
            self.test, self.constraint, counts, np.tile(self.errors, m), roots.ravel(), self.least
        )
        errors = _errors(self.constraint, proportions, found) / np.sqrt(counts.sum(axis=1))
        found = found.reshape(m, h)
        part = np.abs(deviates) / LEAST_DEVIATE
        values = np.where(near, self.values + part * (found - self.values), found)
        return Ends(values, errors.reshape(m, h) * self.widening)

    @property
    def kind(self) -> Any:
        return self.test, self.constraint, self.least


def linear(estimates: Estimates) -> Asymptotic:
    """Return estimates with the standard errors that their own tests use at the estimates."""
    return Asymptotic(estimates.values, estimates.deviates(estimates.values).errors[0])


def kappas_tested(
    method: Test | Literal["asymptotic"],
    tables: AnyArray,
    weights: Weights,
    errors: FloatTable | None = None,
    widening: FloatTable | None = None,
) -> Estimates:
    """Return the kappas of a validated stack of shape (m, l, l), ready to be tested.

    ``errors`` and ``widening`` account for clusters of items, if any.
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
    """Return estimates tested using the most likely proportions, after replacing zero errors."""
    # With almost full agreement, the error can be 0. The error is raised to at least the change in
    # kappa that one more item would cause.
    errors = np.fmax(errors, 1 / (counts.sum(axis=1) + 1))
    widening = np.ones(len(values)) if widening is None else widening
    return Inverted(test, constraint, counts, values, errors, least, widening)


def _errors(constraint: Constraint, p: FloatTable, values: FloatTable) -> FloatTable:
    """Return the standard errors for a sample of one item, given proportions with these values."""
    _, slope = constraint.slopes(p, values)
    # Since h(value) = N - (1 - value) M, M is h(1) - h(0).
    (at_one, _), (at_zero, _) = (
        constraint.slopes(p, np.full(len(values), end)) for end in (1.0, 0.0)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (p * slope).sum(axis=1)
        variance = (p * slope * slope).sum(axis=1) - mean * mean
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)) / (at_one - at_zero))


class CommonValue(NamedTuple):
    """The result of testing whether several estimates have a given common value.

    Attributes
    ----------
    statistic : float
        The chi-square statistic.
    errors : ndarray of shape (H,)
        The standard error of each estimate under the hypothesis.
    error : float
        The standard error of the common value, or 0 if the standard error of any estimate is 0.
    """

    statistic: float
    errors: FloatTable
    error: float


class Together:
    """Several estimates, independent or with a known correlation.

    Parameters
    ----------
    groups : sequence of Estimates
    correlation : ndarray of shape (H, H) or None
        The correlation matrix of the estimates, in the order of the groups, or None if the
        estimates are independent.
    """

    def __init__(self, groups: Sequence[Estimates], correlation: AnyArray | None = None) -> None:
        self._groups = _joined(groups)
        self._inverse = None if correlation is None else np.linalg.inv(correlation)

    def at(self, value: float) -> CommonValue:
        """Test whether all estimates have a given value."""
        deviates, of_values = self._deviates(np.array([value]))
        statistic = float((self._solved(deviates) * deviates).sum())
        errors = np.asarray(of_values[0], np.float64)
        error = 0.0
        if errors.all():
            error = 1 / math.sqrt(float(self._solved(1 / errors) @ (1 / errors)))
        return CommonValue(statistic, errors, error)

    def values_at(self, *deviates: float) -> list[float]:
        """Return the values that have the given combined deviates from all estimates.

        The common value of the estimates has a deviate of 0. The limits of its interval have
        deviates of plus and minus a quantile.
        """
        values, errors = (
            np.concatenate([getattr(group, name) for group in self._groups])
            for name in ("values", "errors")
        )
        weights = self._solved(1 / errors) / errors
        guess, error = (weights @ values) / weights.sum(), weights.sum() ** -0.5
        targets = np.array(deviates)
        least = max(group.least for group in self._groups)
        most = min(group.most for group in self._groups)

        def excess(points: FloatTable, which: AnyArray) -> FloatTable:
            return np.asarray(self._combined(points) - targets[which])

        guesses = guess - targets * error
        found: list[float] = _crossings(excess, guesses, error, least, most, END_TOLERANCE).tolist()
        return found

    def _combined(self, values: FloatTable) -> FloatTable:
        """Return each value's combined deviate from all estimates, weighted by inverse errors."""
        deviates, errors = self._deviates(values)
        # A value that is incompatible with the observed counts has no standard error.
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


def _joined(groups: Sequence[Estimates]) -> list[Estimates]:
    """Merge adjacent groups of estimates that are tested in the same way, keeping the order."""
    found = []
    for _, alike in groupby(groups, key=lambda group: group.kind):
        first, *others = alike
        merged: Any = {
            name: np.concatenate([part, *(getattr(other, name) for other in others)])
            for name, part in vars(first).items()
            if isinstance(part, np.ndarray)
        }
        found.append(replace(cast(Any, first), **merged))
    return found


def difference_ends(
    first: Estimates, second: Estimates, correlation: float, quantile: float
) -> tuple[float, float]:
    """Return the limits of the interval for the difference between two estimates.

    A limit d is the difference between two values, v + d and v. The joint deviate of these values
    from the two estimates equals the quantile. The value v is the common value, as in
    `Together.values_at`, of the second estimate and of the first estimate minus d.
    """
    groups = _joined((first, second))
    signs = np.array([1.0, -1.0])  # for the lower limit, the first value is below its estimate
    guess = np.full(2, math.atan2(second.errors[0], first.errors[0]))
    found = np.empty((2, 2))  # both values of each limit at its latest step

    def ends(angle: FloatTable, which: AnyArray) -> Ends:
        """Return both values of each limit for the angle whose tangent is the ratio of errors."""
        one, two = np.cos(angle), np.sin(angle)
        scale = signs[which] * quantile / np.sqrt(1 - 2 * correlation * one * two)
        deviates = np.stack(
            [scale * (one - correlation * two), scale * (correlation * one - two)], axis=1
        )
        parts = np.hsplit(deviates, len(groups))
        of_groups = [group.ends(part) for group, part in zip(groups, parts)]
        return Ends(*(np.concatenate(both, axis=1) for both in zip(*of_groups)))

    def excess(angle: FloatTable, which: AnyArray) -> FloatTable:
        """Return the angle whose tangent is the ratio of the errors, minus the given angle."""
        found[which], errors = ends(angle, which)
        # At the most extreme value that the counts allow, the errors are NaN. Replace them with 0.
        one, two = np.nan_to_num(errors.T, nan=0.0)
        return np.asarray(np.arctan2(two, one) - angle)

    most = math.pi / 2 - LEAST_ANGLE
    _crossings(excess, guess, 1.0, LEAST_ANGLE, most, ANGLE_TOLERANCE)
    low, high = (found[:, 0] - found[:, 1]).tolist()
    return low, high


def _crossings(
    function: Callable[[FloatTable, AnyArray], FloatTable],
    guesses: FloatTable,
    scale: float,
    least: float,
    most: float,
    tolerance: float,
) -> FloatTable:
    """Return the zeros of decreasing functions, whose values can be infinite.

    The secant method is applied between points that enclose the zero. The first step is ``scale``
    times the function value. If a function has no zero between the bounds, the bound
    where it is closest to 0 is returned. ``function`` takes points, and the index of the function
    to evaluate at each point.
    """
    point = np.clip(guesses, least, most)
    low, high = np.full_like(point, least), np.full_like(point, most)
    last, before = np.full_like(point, np.nan), np.full_like(point, np.nan)
    found, done = np.zeros_like(point), np.zeros(len(point), np.bool_)
    for step in range(MOST_STEPS):
        which = np.flatnonzero(~done)
        found[which] = function(point[which], which)
        width = high - low
        low, high = np.where(found >= 0, point, low), np.where(found <= 0, point, high)
        # The search also ends if the value is NaN, for which the first comparison is false.
        done |= ~(np.abs(found) * scale > tolerance) | ~(high - low > tolerance)
        if done.all():
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            secant = point - found * (point - last) / (found - before)
        forward = point + scale * np.clip(found, -2, 2)
        following = np.where(np.isfinite(secant), secant, forward)
        following = np.clip(following, low, high)
        middle = (low + high) / 2
        is_enclosed = (low > least) & (high < most)
        stuck = is_enclosed & ((following == low) | (following == high))
        stuck |= np.isfinite(middle) & (step > FREE_STEPS) & (high - low > width / 2)
        last, before = point, found.copy()
        point = np.where(done, point, np.where(stuck, middle, following))
    return point
