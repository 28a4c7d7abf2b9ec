"""Compute the power and width of planned studies of kappa as functions of the number of items.

If the test statistic z is approximately normal, the power is closely approximated as follows:

- For two labels or for kappa0 = 0, the power is Phi((sqrt(n) t - critical d0) / d) (Cantor 1996).
  Here t is the distance between kappa and kappa0, d is the standard error for one item in the
  expected table, and d0 is the standard error for one item in the planned table with kappa0.
- With more labels, many tables have a kappa of kappa0, and the score test uses the most likely of
  these tables. `expected_z` computes the mean and standard deviation of this test's z over studies
  of n items. The power is Phi((mean - critical) / deviation).
- With more than two raters, `variation_of_z` returns the mean and standard deviation of z.

The distribution of z is not close to normal if an important cell is expected to contain few items.
No simple rule shows which cells are important, so studies are simulated for each n. The planned
power is the power from the formula, clipped to within `WITHIN` of the simulated power. This keeps
the planned power from jumping where the formula becomes inaccurate.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.planning import several_raters
from fastkappa.planning.checks import PlannedAlternative, check_raters
from fastkappa.planning.expected_z import expected_z
from fastkappa.planning.planned_tables import (
    BALANCED,
    Margins,
    as_margins,
    as_pilot,
    error_of_one_item,
    outside_most_frequent,
    planned_table,
)
from fastkappa.planning.studies import PowerOfN, TestedStudy
from fastkappa.statistics.distributions import t_quantile
from fastkappa.statistics.inference import STANDARD_NORMAL, normal_quantile
from fastkappa.statistics.intervals.inverted import inverted_test
from fastkappa.statistics.intervals.rao import check_null_kappa, null_test
from fastkappa.statistics.kappa import kappas
from fastkappa.statistics.weights import Weights, weights_text

# The search starts with a study in which about this many items are expected outside the most
# frequent cell.
FEW_OUTSIDE = 10
# The maximum and minimum number of studies to simulate. The standard error of an estimated power of
# 80 % is 0.6 percentage points with the maximum and 1.3 with the minimum.
MOST_STUDIES, FEWEST_STUDIES = 4000, 1000
# The number of studies to simulate for a first estimate of the number of items.
FIRST_STUDIES = 200
# The maximum total cost of the simulated studies, which corresponds to about 0.1 s. At least
# `FEWEST_STUDIES` studies are simulated, whatever their cost.
STUDIES_COST = 300_000
WITHIN = 0.02
# With more labels than MOST_LABELS, a formula for the planned table replaces the moments of z. The
# time to compute these moments grows with the fifth power of the number of labels. With more labels
# than MOST_SIMULATED_LABELS, no studies are simulated, because the time to simulate them grows with
# the third power.
MOST_LABELS, MOST_SIMULATED_LABELS = 10, 16
# The maximum number of array elements to process at a time.
MOST_NUMBERS = 10**6
GUESSED = (
    "Raters are assumed to agree on some items and to guess on the others. If most disagreements"
    " are between adjacent labels, fewer items are needed: use the table of a pilot study."
)
AS_IN_PILOT = "Raters are assumed to confuse the same labels as in the pilot study."


@dataclass(frozen=True, kw_only=True)
class KappaStudy(TestedStudy):
    """A study of kappa, with disagreement weights and the proportions of each rater's labels.

    ``pilot`` is the table of a pilot study as proportions, or None.
    """

    rates: Margins
    weights: Weights
    pilot: FloatTable | None = None
    coefficient = name = "kappa"
    names = ("kappa", "null_kappa")
    fewest = 1

    @property
    def weighting(self) -> str:  # type: ignore[override]
        return weights_text(self.weights)

    @property
    def assumption(self) -> str:  # type: ignore[override]
        if len(self.rates[0]) == 2 or (self.weights is None and self.pilot is None):
            return ""
        return GUESSED if self.pilot is None else AS_IN_PILOT

    def assumed(self) -> dict[str, str]:
        rates = [", ".join(f"{rate:.4g}" for rate in rates) for rates in self.rates]
        names = ("label proportions", "label proportions of the second rater")
        found = dict(zip(names, dict.fromkeys(rates)))
        if self.pilot is not None:
            found["pilot kappa"] = f"{float(kappas(self.pilot, self.weights)):.4f}"
        return found

    @abstractmethod
    def formula(self) -> PowerOfN:
        """Return a function of n: the power if z is normally distributed, or NaN if unknown."""

    @abstractmethod
    def simulated_power(self, n: int, n_studies: int, rng: np.random.Generator) -> float:
        """Return the proportion of simulated studies that reject kappa0 on the side of kappa."""

    @property
    @abstractmethod
    def cost(self) -> int:
        """The relative running time of a simulated study."""

    @cached_property
    def table(self) -> FloatTable:
        """The expected table of two raters."""
        return planned_table("kappa", self.expected, self.rates, self.weights, self.pilot)

    @property
    def start(self) -> int:
        return math.ceil(FEW_OUTSIDE / outside_most_frequent(self.table))

    @property
    def towards(self) -> float:
        """The sign of z if kappa has its expected value."""
        return math.copysign(1.0, self.expected - self.tested)

    @property
    def has_null_error(self) -> bool:
        """Whether the test uses a null standard error, as the test of independence does."""
        return self.tested == 0 and self.weights is None

    def critical(self, n: float) -> float:
        """Return the critical value of the test for n items."""
        return normal_quantile(1 - self.tail)

    def powers(self) -> Iterator[PowerOfN]:
        formula = self.formula()
        yield formula
        # With many labels, simulations would be too slow.
        if len(self.rates[0]) <= MOST_SIMULATED_LABELS:
            most = min(max(STUDIES_COST // self.cost, FEWEST_STUDIES), MOST_STUDIES)
            for n_studies in (FIRST_STUDIES, most):
                yield self._near_simulation(formula, n_studies)

    def _near_simulation(self, formula: PowerOfN, n_studies: int) -> PowerOfN:
        """Return a function of n: the formula's power, clipped to near the simulated power."""

        def power(n: int) -> float:
            simulated = self.simulated_power(n, n_studies, np.random.default_rng(0))
            found = formula(n)
            if math.isnan(found):
                return simulated
            return min(max(found, simulated - WITHIN), simulated + WITHIN)

        return power


@dataclass(frozen=True, kw_only=True)
class _TwoRaters(KappaStudy):
    """A study of Cohen's kappa, with the score test and the score interval."""

    @property
    def cost(self) -> int:
        return (2 * len(self.rates[0]) + 2) ** 2

    def width_of(self, n: int) -> float:
        tables = n * self.table[None]
        low, high = inverted_test("score", tables, self.weights, self.confidence)
        return float(high[0] - low[0])

    def formula(self) -> PowerOfN:
        n_labels = len(self.table)
        if n_labels == 2 or self.tested == 0 or n_labels > MOST_LABELS:
            return self._by_standard_errors()
        return self._by_expected_z()

    def _by_standard_errors(self) -> PowerOfN:
        null = planned_table("null_kappa", self.tested, self.rates, self.weights, self.pilot)
        of_null, of_expected = (error_of_one_item(t, self.weights) for t in (null, self.table))
        value, critical = abs(self.expected - self.tested), self.critical(math.inf)
        return lambda n: normal_power(value * math.sqrt(n) - critical * of_null, of_expected)

    def _by_expected_z(self) -> PowerOfN:
        def z_of(counts: FloatTable) -> FloatTable:
            return self.towards * self._z_of(counts.reshape(-1, *self.table.shape))

        def power(n: int) -> float:
            z = expected_z(z_of, self.table.ravel(), n)
            return normal_power(z.mean - self.critical(n), z.deviation)

        return power

    def simulated_power(self, n: int, n_studies: int, rng: np.random.Generator) -> float:
        drawn = rng.multinomial(n, self.table.ravel() / self.table.sum(), n_studies)
        tables, times = np.unique(drawn, axis=0, return_counts=True)
        z = self._z_of(tables.reshape(-1, *self.table.shape))
        return float(times[z * self.towards > self.critical(n)].sum() / n_studies)

    def _z_of(self, tables: AnyArray) -> FloatTable:
        """Return the planned test's z for each table in a stack."""
        at_once = max(1, MOST_NUMBERS // (2 * tables.shape[-1] + 2) ** 2)
        parts = (tables[start : start + at_once] for start in range(0, len(tables), at_once))
        return np.concatenate([null_test(part, self.weights, self.tested).z for part in parts])


@dataclass(frozen=True, kw_only=True)
class _SeveralRaters(KappaStudy):
    """A study of Fleiss' kappa, with the test and the interval of `fleiss_kappa`."""

    @cached_property
    def rows(self) -> several_raters.Rows:
        """The possible rows of counts for an item, and their expected proportions."""
        return several_raters.planned_rows(self.expected, self.rates[0], self.n_raters)

    @property
    def cost(self) -> int:
        return len(self.rows.proportions)

    @cached_property
    def _error(self) -> float:
        return several_raters.error_of_one_item(self.rows, self.weights)

    def width_of(self, n: int) -> float:
        if n < 2:
            return math.nan
        quantile = t_quantile((1 + self.confidence) / 2, n - 1)
        return 2 * quantile * self._error / math.sqrt(n - 1)

    def critical(self, n: float) -> float:
        if self.has_null_error:
            return super().critical(n)
        return several_raters.critical_value(n, self.tail)

    def formula(self) -> PowerOfN:
        z = several_raters.variation_of_z(self.rows, self.tested, self.weights)
        value, bias = self.towards * z.value, self.towards * z.bias
        return lambda n: normal_power(
            value * math.sqrt(n) + bias / math.sqrt(n) - self.critical(n), z.deviation
        )

    def simulated_power(self, n: int, n_studies: int, rng: np.random.Generator) -> float:
        agreed = several_raters.is_agreed(self.rows)
        features = several_raters.features(self.rows, self.weights)
        at_once = max(1, MOST_NUMBERS // len(agreed))
        n_rejected = 0
        for start in range(0, n_studies, at_once):
            drawn = rng.multinomial(n, self.rows.proportions, min(at_once, n_studies - start)) / n
            z = several_raters.z_of(drawn @ features, self.n_raters, self.tested, self.weights)
            rejects = z * math.sqrt(n) * self.towards > self.critical(n)
            if self._takes_full_agreement(n):
                has_labels = np.count_nonzero(drawn[:, agreed], axis=1) > 1
                rejects |= has_labels & ~drawn[:, ~agreed].any(axis=1)
            n_rejected += int(np.count_nonzero(rejects))
        return n_rejected / n_studies

    def _takes_full_agreement(self, n: int) -> bool:
        """Return whether full agreement on n items counts as rejecting kappa0.

        Full agreement counts only if it is sufficiently improbable under kappa0, which requires
        enough items.
        """
        by_all = several_raters.agreed_by_all(self.tested, self.rates[0], self.n_raters)
        return not self.has_null_error and self.towards > 0 and by_all**n <= self.tail


def kappa_study(
    kappa: float,
    *,
    null_kappa: float | None = None,
    rates: Any = BALANCED,
    pilot: Any = None,
    weights: Weights = None,
    n_raters: int = 2,
    alternative: PlannedAlternative = "two-sided",
    alpha: float = 0.05,
    confidence: float = 0.95,
    design_effect: float = 1.0,
) -> KappaStudy:
    """Check the arguments of `sample_size` and similar functions, and return the study."""
    table = None
    if pilot is not None:
        if rates is not BALANCED:
            raise ValueError(
                "rates must be left out if pilot is given, because pilot contains the rates."
            )
        if n_raters != 2:
            raise ValueError(f"n_raters must be 2 if pilot is given, got {n_raters!r}.")
        table = as_pilot(pilot, weights)
        rates = table.sum(axis=1), table.sum(axis=0)
    margins = as_margins(rates)
    check_raters(n_raters, margins)
    planned_table("kappa", kappa, margins, weights, table)
    if null_kappa is not None:
        check_null_kappa(null_kappa)
        planned_table("null_kappa", null_kappa, margins, weights, table)
    study = _TwoRaters if n_raters == 2 else _SeveralRaters
    return study(
        expected=kappa,
        null=null_kappa,
        rates=margins,
        pilot=table,
        weights=weights,
        n_raters=n_raters,
        alternative=alternative,
        alpha=alpha,
        confidence=confidence,
        design_effect=design_effect,
    )


def normal_power(distance: float, deviation: float) -> float:
    """Return the probability that a normal variable with this mean and deviation is above 0."""
    if deviation == 0:
        return float(distance > 0)
    return STANDARD_NORMAL.cdf(distance / deviation)
