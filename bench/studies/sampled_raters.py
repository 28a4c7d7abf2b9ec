"""Measure the coverage of intervals for a population of raters, given a sample of raters.

    python -m bench.studies.sampled_raters [--samples 100]

All raters read the same scale with errors, and each has a cut-off of their own. The cut-offs of the
population are normally distributed. *Spread* is their standard deviation; that of the subjects is
1. The coefficient for infinitely many subjects and raters is computed by quadrature. *Fixed* is the
default interval, and *sampled* is the interval of ``for_population(n_raters=math.inf)``. An
interval contains the coefficient if its test does not reject the coefficient. *kappaetc* is the
estimate plus and minus 1.96 times the same standard error. *Error ratio* is the root mean square of
this standard error divided by the standard deviation of the estimates.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from bench.harness import machine
from fastkappa import Ratings, fleiss_kappa, gwet_ac1
from fastkappa.results import MultiRaterResult
from fastkappa.statistics.distributions import t_quantile
from fastkappa.statistics.inference import STANDARD_NORMAL

COEFFICIENTS = {"Fleiss": fleiss_kappa, "AC1": gwet_ac1}
N_RATERS, N_SUBJECTS, SPREADS = (3, 5, 10, 20), (30, 100), (0.0, 0.3, 1.0)
# NOISE: the standard deviation of the raters' errors. COMMON: the proportion of the first label.
NOISE, COMMON = (0.4, 1.0), (0.5, 0.85)
SEED = 37


class Design(NamedTuple):
    """A population of subjects and raters."""

    coefficient: str
    spread: float
    noise: float
    common: float

    @property
    def cut(self) -> float:
        """The mean cut-off of the raters."""
        deviation = math.hypot(1, self.noise, self.spread)
        return STANDARD_NORMAL.inv_cdf(self.common) * deviation

    def true(self) -> float:
        """Return the coefficient of all subjects and raters."""
        points, weights = np.polynomial.hermite_e.hermegauss(80)
        deviation = math.hypot(self.noise, self.spread)
        first = [STANDARD_NORMAL.cdf((self.cut - x) / deviation) for x in points.tolist()]
        p, weights = np.array(first), weights / weights.sum()
        apart, both = weights @ (2 * p * (1 - p)), 2 * (weights @ p) * (1 - weights @ p)
        return float(1 - apart / (both if self.coefficient == "Fleiss" else 1 - both))

    def draw(self, n_subjects: int, n_raters: int, rng: Any) -> MultiRaterResult:
        """Return the coefficient of a sample of subjects and raters, which can be undefined."""
        shape = n_subjects, n_raters
        read = rng.normal(size=(n_subjects, 1)) + self.noise * rng.normal(size=shape)
        given = read > self.cut + self.spread * rng.normal(size=n_raters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ratings = Ratings.from_array(given.astype(int), labels=[0, 1])
            return COEFFICIENTS[self.coefficient](ratings)


def holds(result: MultiRaterResult, value: float) -> bool:
    """Return whether the interval of a result contains a value."""
    deviate = abs(float(result.tested.deviates(np.array([value])).deviates[0, 0]))
    return deviate <= t_quantile(0.975, result.freedom)


def coverage(
    design: Design, n_raters: int, n_subjects: int, n_samples: int, rng: Any
) -> tuple[float, ...]:
    """Return the coverage of the three intervals, and the error ratio."""
    true, held, values, errors = design.true(), [], [], []
    for _ in range(n_samples):
        fixed = design.draw(n_subjects, n_raters, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sampled = fixed.for_population(n_raters=math.inf)
        error = sampled.standard_error
        if not math.isnan(error):
            by_error = abs(fixed.value - true) <= STANDARD_NORMAL.inv_cdf(0.975) * error
            held.append((holds(fixed, true), holds(sampled, true), by_error))
            values.append(fixed.value)
            errors.append(error)
    ratio = math.sqrt(np.mean(np.square(errors))) / np.std(values)
    return *(100 * np.mean(held, axis=0)).tolist(), float(ratio)


def lines(n_samples: int) -> Iterator[str]:
    """Yield one line per coefficient, number of raters and spread."""
    head = "coefficient | raters | spread | fixed | sampled | minimum | kappaetc | minimum"
    yield f"| {head} | error ratio |"
    yield "|---|---|---|---|---|---|---|---|---|"
    rng = np.random.default_rng(SEED)
    for name, n_raters, spread in product(COEFFICIENTS, N_RATERS, SPREADS):
        found = [
            coverage(Design(name, spread, noise, common), n_raters, n_subjects, n_samples, rng)
            for noise, common, n_subjects in product(NOISE, COMMON, N_SUBJECTS)
        ]
        fixed, sampled, normal, ratio = np.array(found).T
        figures = fixed.mean(), sampled.mean(), sampled.min(), normal.mean(), normal.min()
        cells = (name, n_raters, spread, *(f"{value:.1f}" for value in figures))
        yield f"| {' | '.join(map(str, cells))} | {ratio.mean():.2f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=100)
    given = parser.parse_args()
    machine.announce()
    for line in lines(given.samples):
        print(line, flush=True)


if __name__ == "__main__":
    main()
