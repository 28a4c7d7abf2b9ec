"""Measure the coverage of intervals for coefficients of several raters.

    python -m bench.studies.coverage_raters [--samples 2000]

Three or six raters rate 20 to 100 subjects. They use four labels, or two labels that are equally
frequent or have proportions of 6 and 94 %. Either they agree on some of the subjects and guess the
others (*guess*), or they divide correlated scores into labels (*scores*). In some designs, a fifth
of the ratings is missing. An interval contains the coefficient of the population if the test does
not reject it, so only the tests are computed. Studies with an undefined coefficient are left out.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from bench.harness import machine
from fastkappa.multirater.statistics.alpha import Alpha
from fastkappa.multirater.statistics.chance_corrected import (
    ChanceCorrected,
    chance_of_fleiss,
    chance_of_gwet,
    distances_of,
)
from fastkappa.multirater.statistics.coefficient import Coefficient
from fastkappa.multirater.statistics.known_raters import Conger
from fastkappa.multirater.statistics.patterns import Patterns
from fastkappa.multirater.statistics.profiles import Profiles
from fastkappa.statistics.distributions import t_quantile
from fastkappa.statistics.inference import STANDARD_NORMAL
from fastkappa.statistics.intervals.constrained import most_likely
from fastkappa.statistics.intervals.inverted import statistic_and_slope

LABELS = {"one of 6 %": (0.06, 0.94), "two equal": (0.5, 0.5), "four": (0.1, 0.2, 0.3, 0.4)}
COEFFICIENTS = ("Fleiss", "Conger", "AC1", "alpha", "alpha interval")
N_SUBJECTS, N_RATERS, KAPPAS = (20, 50, 100), (3, 6), (0.3, 0.6, 0.9)
MISSING, WAYS = (0.0, 0.2), ("guess", "scores")
WITHIN = (0.93, 0.97)
# The maximum number of profiles in a design. Designs with more are skipped, because they would take
# too long.
MOST_PROFILES = 5000
SEED = 37


class Design(NamedTuple):
    """The population from which studies are drawn."""

    coefficient: str
    labels: tuple[float, ...]
    n_raters: int
    n_subjects: int
    kappa: float
    missing: float
    way: str


class Coverage(NamedTuple):
    """The coverage of each interval, in studies with a defined coefficient."""

    score: float
    asymptotic: float


def probabilities(design: Design, profiles: Any) -> Any:
    """Return the probability of each profile of ratings."""
    margin = np.array(design.labels)
    given = profiles < len(margin)
    codes = np.where(given, profiles, 0)

    def of(proportions: Any) -> Any:
        return np.where(given, proportions[codes], 1).prod(axis=1)

    if design.way == "guess":
        alike = [m * of(row) for m, row in zip(margin, np.eye(len(margin)))]
        found = (1 - design.kappa) * of(margin) + design.kappa * sum(alike)
    else:
        points, weights = np.polynomial.hermite_e.hermegauss(60)
        inner = [STANDARD_NORMAL.inv_cdf(p) for p in margin.cumsum()[:-1].tolist()]
        cuts, spread = np.array([-np.inf, *inner, np.inf]), math.sqrt(1 - design.kappa)
        found = np.zeros(len(profiles))
        for point, weight in zip(points, weights / weights.sum()):
            ends = (cuts - math.sqrt(design.kappa) * point) / spread
            below = [0.5 * (1 + math.erf(end / math.sqrt(2))) for end in ends.tolist()]
            found += weight * of(np.diff(below))
    there = np.where(given, 1 - design.missing, design.missing).prod(axis=1)
    return found * there


def coefficient_of(design: Design, profiles: Any, numbers: Any) -> Coefficient:
    """Return the coefficient of distinct profiles and the number of subjects with each."""
    n_labels = len(design.labels)
    known = Profiles(profiles, numbers, n_labels)
    if design.coefficient == "Conger":
        return Conger(known, distances_of(None, n_labels))
    counts, places = np.unique(known.patterns.counts, axis=0, return_inverse=True)
    sums = np.zeros(len(counts), numbers.dtype)
    np.add.at(sums, places.ravel(), known.multiplicities)
    patterns = Patterns(counts, sums)
    if design.coefficient.startswith("alpha"):
        level: Any = "interval" if design.coefficient == "alpha interval" else "nominal"
        return Alpha(patterns, level, np.arange(n_labels))
    chance = chance_of_gwet if design.coefficient == "AC1" else chance_of_fleiss
    return ChanceCorrected(patterns, distances_of(None, n_labels), chance)


def coverage(design: Design, n_samples: int, rng: Any) -> Coverage:
    """Return the coverage of both intervals."""
    n_codes = len(design.labels) + (design.missing > 0)
    profiles = np.array(list(product(range(n_codes), repeat=design.n_raters)))
    of_profiles = probabilities(design, profiles)
    # Alpha depends on the number of subjects.
    population = coefficient_of(design, profiles, of_profiles * design.n_subjects)
    true = float(population.values(population.multiplicities))
    drawn = rng.multinomial(design.n_subjects, of_profiles / of_profiles.sum(), n_samples)
    samples = (coefficient_of(design, profiles[own > 0], own[own > 0]) for own in drawn)
    with np.errstate(all="ignore"):
        held = [
            _held(sample, true)
            for sample in samples
            if not np.isnan(sample.values(sample.multiplicities))
        ]
    return Coverage(*np.mean(held, axis=0).tolist())


def _held(sample: Coefficient, true: float) -> tuple[bool, bool]:
    """Return whether the score interval and the t interval contain the true value."""
    model = sample.score_model()
    assert model is not None
    counts = model.counts[None].astype(np.float64)
    n = counts.sum(axis=1)
    found = most_likely(model.constraint, counts, np.array([true])).proportions
    [root], _ = statistic_and_slope("score", counts / n, found, n)
    value = float(sample.values(sample.multiplicities))
    half = t_quantile(0.975, float(n[0]) - 1) * sample.standard_error("t")
    within = math.sqrt(max(root, 0)) < STANDARD_NORMAL.inv_cdf(0.975)
    return within, abs(value - true) <= half + 1e-12


def designs() -> Iterator[tuple[str, Design]]:
    """Yield each design with the name of its labels."""
    for coefficient, (name, labels), n_raters, missing, way in product(
        COEFFICIENTS, LABELS.items(), N_RATERS, MISSING, WAYS
    ):
        if (len(labels) + (missing > 0)) ** n_raters > MOST_PROFILES:
            continue
        if coefficient == "alpha interval" and len(labels) == 2:
            continue
        for n_subjects, kappa in product(N_SUBJECTS, KAPPAS):
            yield name, Design(coefficient, labels, n_raters, n_subjects, kappa, missing, way)


def lines(n_samples: int) -> Iterator[str]:
    """Yield a table with one line per coefficient, set of labels and number of subjects."""
    rng = np.random.default_rng(SEED)
    found: dict[tuple[str, str, int], list[Coverage]] = {}
    for name, design in designs():
        key = design.coefficient, name, design.n_subjects
        found.setdefault(key, []).append(coverage(design, n_samples, rng))
    head = ("coefficient", "labels", "subjects", "designs", "score, minimum", "mean")
    yield f"| {' | '.join((*head, 't, minimum', 'mean'))} |"
    yield "|---|---|---|---|---|---|---|---|"
    for key, some in found.items():
        score, asymptotic = np.array(some).T
        figures = (score.min(), score.mean(), asymptotic.min(), asymptotic.mean())
        cells = (*key, len(some), *(f"{100 * value:.1f}" for value in figures))
        yield f"| {' | '.join(map(str, cells))} |"
    both = np.array([one for some in found.values() for one in some])
    low, within = both < WITHIN[0], (both >= WITHIN[0]) & (both <= WITHIN[1])
    yield ""
    for i, name in enumerate(Coverage._fields):
        yield (
            f"{name}: {len(both)} designs, least {100 * both[:, i].min():.1f} %,"
            f" {low[:, i].sum()} below 93 %, {within[:, i].sum()} from 93 to 97 %"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=2000)
    given = parser.parse_args()
    machine.announce()
    for line in lines(given.samples):
        print(line, flush=True)


if __name__ == "__main__":
    main()
