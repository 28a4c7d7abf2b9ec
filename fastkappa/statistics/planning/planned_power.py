"""The power of a planned test as a function of the number of items.

Three curves, each where it is right:

- In small studies z takes few values, and kappa may be undefined. Such studies are simulated.
- Two labels, kappa0 = 0 and conservative plans have a formula. With t the distance of kappa from
  kappa0, d its standard error of one item in the expected table and d0 that in the planned table
  with kappa0, the power is Phi((sqrt(n) t - critical d0) / d) (Cantor 1996).
- With more labels kappa0 does not say which table that is, and the score test takes the most
  likely one. Its z has, over the studies of n items, the mean and the standard deviation of
  `expected_z`, and the power is Phi((mean - critical) / deviation).

A larger study has at least the power of a small one: where kappa0 is far from kappa, z jumps
between several most likely tables, and the simulated power is 1 before the curves are right.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.statistics.inference import STANDARD_NORMAL, normal_quantile
from fastkappa.statistics.intervals.rao import null_test
from fastkappa.statistics.planning import several_raters
from fastkappa.statistics.planning.checks import MOST_ITEMS
from fastkappa.statistics.planning.expected_z import expected_z
from fastkappa.statistics.planning.planned_tables import (
    Margins,
    error_of_one_item,
    outside_most_frequent,
    planned_table,
)
from fastkappa.statistics.weights import Weights

PowerOfN = Callable[[int], float]
# Studies of so few items, or with so few expected outside the most frequent cell, are simulated,
# and those of several raters with so few items expected that not all of these agree on.
FEW_ITEMS, FEW_OUTSIDE = 20, 10
N_STUDIES = 1000  # a power of 80 % is then known to within 2.5 %
MOST_NUMBERS = 10**6  # of the equations that are solved at a time


class Design(NamedTuple):
    """The design of a study, checked."""

    kappa: float
    null_kappa: float
    margins: Margins
    weights: Weights
    tail: float  # the probability of an error of the first kind, on the side of kappa
    conservative: bool
    raters: int

    @property
    def towards(self) -> float:
        """The sign of z if kappa is the expected one."""
        return math.copysign(1.0, self.kappa - self.null_kappa)

    def table(self, name: str, kappa: float, conservative: bool) -> FloatTable:
        """Return the planned table for one of the kappas."""
        return planned_table(name, kappa, self.margins, self.weights, conservative)

    @property
    def has_null_error(self) -> bool:
        """Whether the test is that of independence, with a standard error of its own."""
        return self.null_kappa == 0 and self.weights is None

    def takes_full_agreement(self, n: int) -> bool:
        """Return whether n items on which all raters agree reject kappa0 by an interval (1, 1).

        They do if that is improbable enough under kappa0: few such items prove nothing.
        """
        by_all = several_raters.agreed_by_all(self.null_kappa, self.margins[0], self.raters)
        return not self.has_null_error and self.towards > 0 and by_all**n <= self.tail

    def critical(self, n: float) -> float:
        """Return the critical value, by the distribution that the test takes for n items."""
        if self.raters > 2 and not self.has_null_error:
            return several_raters.critical_value(n, self.tail)
        return normal_quantile(1 - self.tail)


def power_of_n(design: Design) -> PowerOfN:
    """Return the power of a design as a function of the number of items."""
    if design.raters > 2:
        return _power_of_several_raters(design)
    expected = design.table("kappa", design.kappa, design.conservative)
    by_formula = _power_by_formula(design, expected)
    if design.conservative:
        return by_formula
    is_by_formula = len(expected) == 2 or design.null_kappa == 0
    if is_by_formula and error_of_one_item(expected, design.weights) > 0:
        of_many = by_formula
    else:
        of_many = _power_by_expected_z(design, expected)
    return _with_small_studies(design, of_many, first_guess(design))


def _with_small_studies(design: Design, of_many: PowerOfN, few: int) -> PowerOfN:
    """Return the power as a function of n, simulated for so few items, and then by a formula."""

    @cache
    def of_few(n: int) -> float:
        return simulated_power(design, n, N_STUDIES, np.random.default_rng(0))

    return lambda n: of_few(n) if n <= few else max(of_many(n), of_few(few))


def first_guess(design: Design) -> int:
    """Return the number of items up to which a study is small, and few are outside a cell."""
    outside = outside_most_frequent(design.table("kappa", design.kappa, False))
    return max(FEW_ITEMS, math.ceil(FEW_OUTSIDE / outside))


def _power_by_formula(design: Design, expected: FloatTable) -> PowerOfN:
    # Under kappa0 = 0 the test takes raters to be independent, whatever was expected.
    conservative = design.conservative and design.null_kappa != 0
    null = design.table("null_kappa", design.null_kappa, conservative)
    null_deviation, deviation = (
        error_of_one_item(table, design.weights) for table in (null, expected)
    )
    value = abs(design.kappa - design.null_kappa)
    return lambda n: _normal_power(
        value * math.sqrt(n) - design.critical(n) * null_deviation, deviation
    )


def _power_by_expected_z(design: Design, expected: FloatTable) -> PowerOfN:
    def z_of(counts: FloatTable) -> FloatTable:
        return design.towards * _z_of_tables(design, counts.reshape(-1, *expected.shape))

    agreed = np.diagonal(expected)

    def power(n: int) -> float:
        z = expected_z(z_of, expected.ravel(), n)
        if math.isnan(z.mean):  # kappa0 is so far away that no most likely table is found
            return simulated_power(design, n, N_STUDIES, np.random.default_rng(0))
        # Kappa is undefined, and nothing rejected, if all items are in one cell.
        is_defined = 1 - float((agreed**n).sum())
        return is_defined * _normal_power(z.mean - design.critical(n), z.deviation)

    return power


def _power_of_several_raters(design: Design) -> PowerOfN:
    rows = several_raters.planned_rows(design.kappa, design.margins[0], design.raters)
    z = several_raters.variation_of_z(rows, design.null_kappa, design.weights)
    value, bias = design.towards * z.value, design.towards * z.bias
    agreed = several_raters.is_agreed(rows)
    labels, disagreed = rows.proportions[agreed], float(rows.proportions[~agreed].sum())

    def normal(n: int) -> float:
        distance = value * math.sqrt(n) + bias / math.sqrt(n) - design.critical(n)
        return _normal_power(distance, z.deviation)

    def power(n: int) -> float:
        # Kappa is undefined, and nothing rejected, if all items have one label.
        one_label = float((labels**n).sum())
        if design.has_null_error:
            return max(0.0, 1 - one_label) * normal(n)
        # The standard error is 0, and z does not tell, if raters agree on all items.
        all_agreed = (1 - disagreed) ** n
        of_agreed = max(0.0, all_agreed - one_label) * design.takes_full_agreement(n)
        return of_agreed + ((1 - all_agreed) * normal(n) if disagreed else 0.0)

    few = max(first_guess(design), math.ceil(FEW_OUTSIDE / max(disagreed, 1 / MOST_ITEMS)))
    return _with_small_studies(design, power, few if disagreed else first_guess(design))


def _normal_power(distance: float, deviation: float) -> float:
    """Return the probability that a normal variate with this mean is above 0."""
    if deviation == 0:
        return float(distance > 0)
    return STANDARD_NORMAL.cdf(distance / deviation)


def simulated_power(design: Design, n: int, n_studies: int, rng: np.random.Generator) -> float:
    """Return the proportion of simulated studies that reject, towards the expected kappa."""
    if design.raters > 2:
        rows = several_raters.planned_rows(design.kappa, design.margins[0], design.raters)
        shares = rng.multinomial(n, rows.proportions, n_studies) / n
        z = several_raters.z_of(rows, shares, design.null_kappa, design.weights) * math.sqrt(n)
        rejects = z * design.towards > design.critical(n)
        if design.takes_full_agreement(n):
            agreed = several_raters.is_agreed(rows)
            has_labels = np.count_nonzero(shares[:, agreed], axis=1) > 1
            rejects |= has_labels & ~shares[:, ~agreed].any(axis=1)
        return float(np.mean(rejects))
    expected = design.table("kappa", design.kappa, design.conservative)
    drawn = rng.multinomial(n, expected.ravel() / expected.sum(), n_studies)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    z = _z_of_tables(design, tables.reshape(-1, *expected.shape))
    return float(times[z * design.towards > design.critical(n)].sum() / n_studies)


def _z_of_tables(design: Design, tables: AnyArray) -> FloatTable:
    """Return z of the planned test for each table of a stack."""
    at_once = max(1, MOST_NUMBERS // (2 * tables.shape[-1] + 2) ** 2)
    starts = range(0, len(tables), at_once)
    return np.concatenate(
        [
            null_test(tables[start : start + at_once], design.weights, design.null_kappa).z
            for start in starts
        ]
    )


def least_items(power: PowerOfN, target: float, guess: int) -> int:
    """Return the least number of items with a power, for a power that rises with their number.

    The guess is doubled until it suffices. Between this number and the one before, the normal
    quantile of the power is close to a straight line of the root of n: the next number is where
    that meets the target, and every other time the middle.
    """
    goal = normal_quantile(target)
    below, above = 0, guess
    powers = {below: 0.0}

    def reaches(n: int) -> bool:
        powers[n] = power(n)
        return powers[n] >= target - 1e-12

    while not reaches(above):
        below, above = above, 2 * above
        if above > MOST_ITEMS:
            raise ValueError(
                "kappa and null_kappa are too near each other for a plan: more than"
                f" {MOST_ITEMS:.0e} items are needed. Give values that are farther apart."
            )
    halve = False
    while above - below > 1:
        ends = [_quantile(powers[n]) for n in (below, above)]
        middle = (below + above) // 2
        if not halve and all(map(math.isfinite, ends)):
            part = (goal - ends[0]) / (ends[1] - ends[0])
            root = math.sqrt(below) + part * (math.sqrt(above) - math.sqrt(below))
            middle = min(max(math.ceil(root**2), below + 1), above - 1)
        halve = not halve
        below, above = (below, middle) if reaches(middle) else (middle, above)
    return above


def _quantile(probability: float) -> float:
    if not 0 < probability < 1:
        return math.copysign(math.inf, probability - 0.5)
    return normal_quantile(probability)
