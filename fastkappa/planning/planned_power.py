"""Compute the power of a planned test as a function of the number of items.

If z is close to normal, the power can be computed precisely by a formula:

- For two labels and for kappa0 = 0, the power is Phi((sqrt(n) t - critical
  d0) / d) (Cantor 1996). Here t is the distance of kappa from kappa0, d is the standard error for
  one item in the expected table, and d0 is the standard error for one item in the planned table
  with kappa0.
- With more labels, many tables have kappa0, and the score test uses the most likely of them.
  `expected_z` computes the mean and standard deviation of the z of this test over studies of n
  items. The power is Phi((mean - critical) / deviation).
- With several raters, `variation_of_z` returns the mean and standard deviation of z.

z is not close to normal if an important cell is expected to contain few items. No simple rule shows
which cells are important, so studies are simulated for each n. The planned power is the power by
the formula, limited to within `WITHIN` of the simulated power. So it does not jump where the
formula fails.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.planning import several_raters
from fastkappa.planning.checks import MOST_ITEMS
from fastkappa.planning.expected_z import expected_z
from fastkappa.planning.planned_tables import (
    Margins,
    error_of_one_item,
    outside_most_frequent,
    planned_table,
)
from fastkappa.statistics.inference import STANDARD_NORMAL, normal_quantile
from fastkappa.statistics.intervals.rao import null_test
from fastkappa.statistics.weights import Weights

PowerOfN = Callable[[int], float]
# The number of items outside the most frequent cell at which the search starts.
FEW_OUTSIDE = 10
# The largest and smallest number of studies. The standard error of a power of 80 % is 0.6
# percentage points with the largest number and 1.3 with the smallest.
MOST_STUDIES, FEWEST_STUDIES = 4000, 1000
# The number of studies to simulate for a first estimate of the number of items.
FIRST_STUDIES = 200
# The largest product of the number of studies and the cost per study, which takes about 0.1 s.
STUDIES_COST = 300_000
WITHIN = 0.02
# The time for the moments of z grows with the fifth power of the number of labels, and the time for
# simulations with the third power. With more labels than this, the formula with the planned table
# is used.
MOST_LABELS, MOST_SIMULATED_LABELS = 10, 16
# The growth factor of the steps in the search for the number of items.
GROWTH = 8
# The total size of the systems of equations that are solved together.
MOST_NUMBERS = 10**6


class Design(NamedTuple):
    """The checked design of a study."""

    kappa: float
    null_kappa: float
    margins: Margins
    weights: Weights
    tail: float  # the probability of a type I error on the side of kappa
    n_raters: int

    @property
    def towards(self) -> float:
        """The sign of z if kappa has its expected value."""
        return math.copysign(1.0, self.kappa - self.null_kappa)

    def table(self, name: str, kappa: float) -> FloatTable:
        """Return the planned table for a kappa. ``name`` is the name of its argument."""
        return planned_table(name, kappa, self.margins, self.weights)

    @property
    def has_null_error(self) -> bool:
        """Whether the test is a test of independence, which has a separate standard error."""
        return self.null_kappa == 0 and self.weights is None

    def takes_full_agreement(self, n: int) -> bool:
        """Return whether full agreement on n items counts as rejecting kappa0.

        Full agreement must be sufficiently improbable under kappa0. With few items, it is not.
        """
        by_all = several_raters.agreed_by_all(self.null_kappa, self.margins[0], self.n_raters)
        return not self.has_null_error and self.towards > 0 and by_all**n <= self.tail

    def critical(self, n: float) -> float:
        """Return the critical value for n items, from the distribution that the test uses."""
        if self.n_raters > 2 and not self.has_null_error:
            return several_raters.critical_value(n, self.tail)
        return normal_quantile(1 - self.tail)


def planned_power(design: Design, n: int) -> float:
    """Return the planned power of a design with n items."""
    return _held_by_simulation(design, _by_formula(design), _n_studies(design))(n)


def planned_items(design: Design, target: float) -> int:
    """Return the smallest number of items found to have the target power."""
    formula = _by_formula(design)
    n = least_items(formula, target, first_guess(design))
    for n_studies in (FIRST_STUDIES, _n_studies(design)):
        n = least_items(_held_by_simulation(design, formula, n_studies), target, n)
    return n


def _held_by_simulation(design: Design, formula: PowerOfN, n_studies: int) -> PowerOfN:
    """Return a formula's power as a function of n, kept close to the power of simulated studies.

    With many labels, studies are not simulated because this would be too slow.
    """
    if len(design.margins[0]) > MOST_SIMULATED_LABELS:
        return formula

    def power(n: int) -> float:
        simulated = simulated_power(design, n, n_studies, np.random.default_rng(0))
        found = formula(n)
        if math.isnan(found):
            return simulated
        return min(max(found, simulated - WITHIN), simulated + WITHIN)

    return power


def _n_studies(design: Design) -> int:
    n_labels = len(design.margins[0])
    if design.n_raters > 2:
        cost = math.comb(design.n_raters + n_labels - 1, n_labels - 1)
    else:
        cost = (2 * n_labels + 2) ** 2
    return min(max(STUDIES_COST // cost, FEWEST_STUDIES), MOST_STUDIES)


def _by_formula(design: Design) -> PowerOfN:
    """Return the power for normally distributed z as a function of n, or NaN if unknown."""
    if design.n_raters > 2:
        return _power_of_several_raters(design)
    expected = design.table("kappa", design.kappa)
    is_known = len(expected) == 2 or design.null_kappa == 0
    if is_known or len(expected) > MOST_LABELS:
        return _power_by_standard_errors(design, expected)
    return _power_by_expected_z(design, expected)


def first_guess(design: Design) -> int:
    """Return a number of items for which few items are expected outside the most frequent cell."""
    outside = outside_most_frequent(design.table("kappa", design.kappa))
    return math.ceil(FEW_OUTSIDE / outside)


def _power_by_standard_errors(design: Design, expected: FloatTable) -> PowerOfN:
    null = design.table("null_kappa", design.null_kappa)
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

    def power(n: int) -> float:
        z = expected_z(z_of, expected.ravel(), n)
        return _normal_power(z.mean - design.critical(n), z.deviation)

    return power


def _power_of_several_raters(design: Design) -> PowerOfN:
    rows = several_raters.planned_rows(design.kappa, design.margins[0], design.n_raters)
    z = several_raters.variation_of_z(rows, design.null_kappa, design.weights)
    value, bias = design.towards * z.value, design.towards * z.bias

    def power(n: int) -> float:
        distance = value * math.sqrt(n) + bias / math.sqrt(n) - design.critical(n)
        return _normal_power(distance, z.deviation)

    return power


def _normal_power(distance: float, deviation: float) -> float:
    """Return the probability that a normal variable with mean ``distance`` is above 0."""
    if deviation == 0:
        return float(distance > 0)
    return STANDARD_NORMAL.cdf(distance / deviation)


def simulated_power(design: Design, n: int, n_studies: int, rng: np.random.Generator) -> float:
    """Return the proportion of simulated studies that reject in the direction of kappa."""
    if design.n_raters > 2:
        return _simulated_power_of_several_raters(design, n, n_studies, rng)
    expected = design.table("kappa", design.kappa)
    drawn = rng.multinomial(n, expected.ravel() / expected.sum(), n_studies)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    z = _z_of_tables(design, tables.reshape(-1, *expected.shape))
    return float(times[z * design.towards > design.critical(n)].sum() / n_studies)


def _simulated_power_of_several_raters(
    design: Design, n: int, n_studies: int, rng: np.random.Generator
) -> float:
    rows = several_raters.planned_rows(design.kappa, design.margins[0], design.n_raters)
    agreed = several_raters.is_agreed(rows)
    features = several_raters.features(rows, design.weights)
    at_once = max(1, MOST_NUMBERS // len(agreed))
    n_rejected = 0
    for start in range(0, n_studies, at_once):
        drawn = rng.multinomial(n, rows.proportions, min(at_once, n_studies - start)) / n
        z = several_raters.z_of(
            drawn @ features, design.n_raters, design.null_kappa, design.weights
        )
        rejects = z * math.sqrt(n) * design.towards > design.critical(n)
        if design.takes_full_agreement(n):
            has_labels = np.count_nonzero(drawn[:, agreed], axis=1) > 1
            rejects |= has_labels & ~drawn[:, ~agreed].any(axis=1)
        n_rejected += int(np.count_nonzero(rejects))
    return n_rejected / n_studies


def _z_of_tables(design: Design, tables: AnyArray) -> FloatTable:
    """Return the planned test's z for each table of a stack."""
    at_once = max(1, MOST_NUMBERS // (2 * tables.shape[-1] + 2) ** 2)
    starts = range(0, len(tables), at_once)
    return np.concatenate(
        [
            null_test(tables[start : start + at_once], design.weights, design.null_kappa).z
            for start in starts
        ]
    )


def least_items(
    power: PowerOfN,
    target: float,
    guess: int,
    names: tuple[str, str] = ("kappa", "null_kappa"),
) -> int:
    """Return the smallest number of items with the target power.

    The power must increase with the number of items. First, growing steps away from the guess
    bracket the solution. Within the bracket, the normal quantile of the power is nearly linear in
    sqrt(n). The next n alternates between linear interpolation and the middle of the bracket.
    """
    goal = normal_quantile(target)
    powers: dict[int, float] = {}

    def reaches(n: int) -> bool:
        powers[n] = power(n) if n else 0.0
        return not powers[n] < target - 1e-12

    is_enough, n, step = reaches(guess), guess, 1
    while True:
        beyond = max(n - step, 0) if is_enough else n + step
        if reaches(beyond) != is_enough:
            break
        n, step = beyond, GROWTH * step
        if n > MOST_ITEMS:
            raise ValueError(
                f"{names[0]} and {names[1]} are too close for a plan, because more than"
                f" {MOST_ITEMS:.0e} items are needed. Give values that are farther apart."
            )
    below, above = sorted((n, beyond))
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
