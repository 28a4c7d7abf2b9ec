"""Measure the coverage of the default interval of weighted kappa if most disagreements are near.

    python -m bench.studies.coverage_weighted [--designs 240] [--samples 2000] [--worst 10]

Designs are drawn at random, with 2 to 7 labels, 100 to 2000 items and a kappa of 0.3 to 0.97.
Disagreements by one label are more frequent than larger disagreements. Weights are linear,
quadratic, partial credit (near disagreements weigh little or nothing) or an asymmetric matrix. For
each design, tables are drawn from the true proportions. The columns compare three rules: always the
asymptotic interval, the default, and a switch from the score to the asymptotic interval if there
are at least 100 agreements and 100 disagreements, regardless of their weights.

A second table is for quadratic weights and raters who are never more than one label apart. The
designs have 3 to 5 labels with a frequency of at least 5 %. For each number of items, the table
gives the coverage of the asymptotic intervals of kappa and of the common kappa of five groups of
that size, and the rate at which the asymptotic test rejects equal kappas.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bench.harness import machine
from fastkappa.statistics.inference import chi_square_p, standard_error
from fastkappa.statistics.intervals.methods import choose_method, intervals, root_quantile
from fastkappa.statistics.kappa import kappa_from_confusion, kappas

SEED = 5
KINDS = ("linear", "quadratic", "partial credit", "one-sided")
ITEMS = (100, 200, 300, 500, 1000, 2000)
KAPPAS = (0.3, 0.97)
NEAR_PER_FAR = (3, 10, 30, 100)
MOST_DISAGREEMENT = 0.7
SWITCH = 100
# Designs are grouped by their expected number of far disagreements, with these limits between the
# groups.
FAR = (3, 10, 30, 100)
FAR_RANGES = ("1 to 3 far", "3 to 10 far", "10 to 30 far", "30 to 100 far", "over 100 far")
LEAST, MOST = 0.93, 0.97
RULES = ("asymptotic", "switch", "default")
# The table for raters who are never more than one label apart.
NEAR_ITEMS = (50, 100, 200, 300, 500, 1000)
NEAR_KAPPA = 0.95
LEAST_FREQUENCY = 0.05
GROUPS = 5


# For each rule, the coverage and the mean width of its interval.
Covered: TypeAlias = dict[str, tuple[float, float]]


class Design(NamedTuple):
    """The true proportions of a study, the name and values of its weights, and its size."""

    name: str
    weights: Any
    proportions: Any
    n_items: int
    kappa: float

    @property
    def far(self) -> float:
        """The expected number of disagreements by more than one label (any, if there are two)."""
        position = np.arange(len(self.proportions))
        steps = np.abs(np.subtract.outer(position, position))
        return float(self.n_items * self.proportions[steps >= min(2, len(position) - 1)].sum())

    def __str__(self) -> str:
        margin = " ".join(f"{p:.2f}"[1:] for p in self.proportions.sum(axis=1))
        disagree = self.n_items * (1 - np.trace(self.proportions))
        return (
            f"{self.name}, {len(self.proportions)} labels ({margin}), n {self.n_items},"
            f" kappa {self.kappa:.2f}, {disagree:.0f} disagreements, {self.far:.1f} far"
        )


def _weights(name: str, n_labels: int, rng: np.random.Generator) -> Any:
    """Return weights of the named kind."""
    position = np.arange(n_labels)
    steps = np.abs(np.subtract.outer(position, position))
    if name == "partial credit":
        near = rng.choice([0.0, 0.05, 0.1, 0.25])
        return np.where(steps > 1, 1.0, near * steps) if n_labels > 2 else 1.0 * steps
    if name == "one-sided":
        # Ratings that are too low are penalised more than ratings that are too high.
        too_low = position[:, None] > position
        return steps**1.5 * np.where(too_low, 1.0, rng.choice([0.2, 0.5]))
    return name


def _errors(margin: Any, far: bool) -> Any:
    """Return a table with the proportions of near or far disagreements, which sum to 1."""
    position = np.arange(len(margin))
    steps = np.abs(np.subtract.outer(position, position))
    wanted = steps >= min(2, len(margin) - 1) if far else steps == 1
    cells = np.sqrt(np.outer(margin, margin)) * wanted
    return cells / cells.sum()


def _with_kappa(margin: Any, errors: Any, weights: Any, target: float) -> tuple[Any, float]:
    """Return a table with a kappa near the target, and its kappa."""
    low, high = 0.0, MOST_DISAGREEMENT
    for _ in range(50):
        e = (low + high) / 2
        table = (1 - e) * np.diag(margin) + e * errors
        kappa = float(kappa_from_confusion(table, weights=weights))
        low, high = (e, high) if kappa > target else (low, e)
    return table, kappa


def designs(n_designs: int) -> Iterator[Design]:
    """Yield random designs, cycling through the kinds of weights."""
    rng = np.random.default_rng(SEED)
    n_made = 0
    while n_made < n_designs:
        name = KINDS[n_made % len(KINDS)]
        n_labels = int(rng.integers(2 if name == "one-sided" else 3, 8))
        margin = rng.dirichlet(np.full(n_labels, rng.choice([1.0, 3.0, 100.0])))
        weights = _weights(name, n_labels, rng)
        ratio = rng.choice(NEAR_PER_FAR)
        errors = (ratio * _errors(margin, False) + _errors(margin, True)) / (ratio + 1)
        table, kappa = _with_kappa(margin, errors, weights, rng.uniform(*KAPPAS))
        n_items = int(rng.choice(ITEMS))
        design = Design(name, weights, table, n_items, kappa)
        # Designs are uninformative if far disagreements are very rare or a label is hardly used.
        if kappa <= KAPPAS[1] and design.far >= 1 and n_items * margin.min() >= 3:
            n_made += 1
            yield design


def coverage(design: Design, n_samples: int) -> Covered:
    """Return the coverage and the mean width of the interval that each rule chooses."""
    rng = np.random.default_rng(SEED)
    size = len(design.proportions)
    tables = rng.multinomial(design.n_items, design.proportions.ravel(), n_samples)
    tables = tables.reshape(-1, size, size)
    tables = tables[~np.isnan(kappas(tables, design.weights))]
    ends = {
        method: np.array(intervals(method, tables, design.weights, 0.95))
        for method in ("asymptotic", "score")
    }
    agreeing = np.trace(tables, axis1=1, axis2=2)
    few = np.minimum(agreeing, design.n_items - agreeing) < SWITCH
    is_score = [choose_method(None, table) == "score" for table in tables]
    ends["switch"] = np.where(few, ends["score"], ends["asymptotic"])
    ends["default"] = np.where(is_score, ends["score"], ends["asymptotic"])
    return {
        rule: (
            float(((low <= design.kappa) & (design.kappa <= high)).sum() / n_samples),
            float((np.minimum(high, 1) - low).mean()),
        )
        for rule, (low, high) in ((rule, ends[rule]) for rule in RULES)
    }


def near_designs(n_items: int, n_designs: int) -> Iterator[Design]:
    """Yield random designs in which raters are never more than one label apart."""
    rng = np.random.default_rng(SEED)
    n_made = 0
    while n_made < n_designs:
        margin = rng.dirichlet(np.full(rng.integers(3, 6), rng.choice([1.0, 3.0, 100.0])))
        if margin.min() >= LEAST_FREQUENCY:
            n_made += 1
            target = rng.uniform(KAPPAS[0], NEAR_KAPPA)
            found = _with_kappa(margin, _errors(margin, False), "quadratic", target)
            yield Design("quadratic", "quadratic", found[0], n_items, found[1])


def near_coverage(design: Design, n_samples: int) -> tuple[float, float, float]:
    """Return the coverage for kappa and the common kappa, and the rate of rejected equality."""
    rng = np.random.default_rng(SEED)
    size = len(design.proportions)
    tables = rng.multinomial(design.n_items, design.proportions.ravel(), GROUPS * n_samples)
    tables = tables.reshape(-1, size, size)
    values = np.asarray(kappas(tables, design.weights)).reshape(GROUPS, n_samples)
    errors = np.asarray(standard_error(tables, design.weights)).reshape(GROUPS, n_samples)
    quantile = root_quantile(0.95, math.inf)
    inverse = errors**-2.0
    common = (inverse * values).sum(axis=0) / inverse.sum(axis=0)
    statistic = (inverse * (values - common) ** 2).sum(axis=0)
    return (
        float((np.abs(values - design.kappa) <= quantile * errors).mean()),
        float((np.abs(common - design.kappa) <= quantile * inverse.sum(axis=0) ** -0.5).mean()),
        float(np.mean([chi_square_p(one, GROUPS - 1) < 0.05 for one in statistic.tolist()])),
    )


def near_report(n_designs: int, n_samples: int) -> Iterator[str]:
    """Yield a table with one row per number of items."""
    yield f"\nNever more than one label apart; {n_designs} designs per row"
    yield f"\n| items | kappa | common kappa of {GROUPS} groups | test of equality |"
    yield "|---:|---|---|---|"
    for n_items in NEAR_ITEMS:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = [near_coverage(one, n_samples) for one in near_designs(n_items, n_designs)]
        alone, common, rejected = np.array(found).T
        cells = [f"{held.min():.1%}; {(held < LEAST).sum()}" for held in (alone, common)]
        high = f"{rejected.max():.1%}; {(rejected > 1 - LEAST).sum()}"
        yield f"| {n_items} | {' | '.join(cells)} | {high} |"


def report(found: list[tuple[Design, Covered]], n_worst: int) -> Iterator[str]:
    """Yield a table with one row per kind of design, and the designs with the lowest coverage."""
    groups: dict[str, list[Covered]] = defaultdict(list)
    for design, covered in found:
        place = sum(design.far >= end for end in FAR)
        for group in ("all", design.name, FAR_RANGES[place]):
            groups[group].append(covered)
    yield f"Lowest coverage; designs below {LEAST:.0%} and above {MOST:.0%}; mean width"
    yield f"\n| designs | number | {' | '.join(RULES)} |"
    yield "|---|---:|" + "---|" * len(RULES)
    for name in ("all", *KINDS, *FAR_RANGES):
        cells, members = [], groups[name]
        if not members:
            continue
        for rule in RULES:
            held, width = np.array([covered[rule] for covered in members]).T
            below, above = (held < LEAST).sum(), (held > MOST).sum()
            cells.append(f"{held.min():.1%}; {below}, {above}; {width.mean():.3f}")
        yield f"| {name} | {len(members)} | {' | '.join(cells)} |"
    for rule in ("switch", "default"):
        yield f"\nLowest coverage by {rule}:\n"
        for design, covered in sorted(found, key=lambda one: one[1][rule][0])[:n_worst]:
            yield f"- {covered[rule][0]:.1%}: {design}"


def main() -> None:
    """Print the coverage by kind of weights, by far disagreements, and without any."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--designs", type=int, default=240)
    parser.add_argument("--samples", type=int, default=2000, help="for each design")
    parser.add_argument("--worst", type=int, default=10, help="how many designs to print")
    given = parser.parse_args()
    print(machine.in_words(machine.describe()))
    found = [(design, coverage(design, given.samples)) for design in designs(given.designs)]
    for line in report(found, given.worst):
        print(line)
    for line in near_report(given.designs, given.samples):
        print(line)


if __name__ == "__main__":
    main()
