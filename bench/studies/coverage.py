"""Measure the coverage and the width of 95 % intervals of kappa in simulated studies.

    python -m bench.studies.coverage [--items 20 50 200] [--samples 1000] [--slow 300]

Two raters use two labels, which are equally frequent or not, or four labels. Either they agree on
some of the items and guess the others ("guessing"), or they confuse adjacent labels
("neighbours"). Tables are drawn from the true proportions, and all intervals are computed for each
table. Bayesian intervals, which need simulations, are computed only for the first ``--slow``
tables. The printed tables are in docs/evidence/intervals.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from bench.harness import machine
from fastkappa.statistics.intervals.methods import METHODS, intervals
from fastkappa.statistics.intervals.posterior import kappa_posterior
from fastkappa.statistics.kappa import kappa_from_confusion

# The proportions of the labels, the same for both raters.
TWO, RARE, FOUR = (0.5, 0.5), (0.9, 0.1), (0.4, 0.3, 0.2, 0.1)
KAPPAS = (0.3, 0.6, 0.9, 0.95)
WEIGHTS: tuple[Any, ...] = (None, "linear", "quadratic")
WITHIN = (0.93, 0.97)
N_DRAWS = 999
COLUMNS = ("asymptotic", "score", "profile", "Bayesian")
RECOMMENDED = "score"


class Found(NamedTuple):
    """The results of one case: coverages, mean widths, and figures that explain poor coverage."""

    coverage: dict[str, float]
    width: dict[str, float]
    no_disagreement: float
    one_label: float
    commonest: float


def guessing(labels: tuple[float, ...], kappa: float, weights: Any) -> Any:
    """Return cell proportions for raters who agree on some items and guess the others."""
    return (1 - kappa) * np.outer(labels, labels) + kappa * np.diag(labels)


def neighbours(labels: tuple[float, ...], kappa: float, weights: Any) -> Any:
    """Return cell proportions that have this kappa and decrease with the distance of the labels."""
    position = np.arange(len(labels))
    squares = np.subtract.outer(position, position) ** 2

    def proportions(decay: float) -> Any:
        table = np.sqrt(np.outer(labels, labels)) * np.exp(-decay * squares)
        return table / table.sum()

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        smaller = kappa_from_confusion(proportions(middle), weights=weights) < kappa
        low, high = (middle, high) if smaller else (low, middle)
    return proportions(high)


def cases() -> Iterator[tuple[Any, tuple[float, ...], Any]]:
    """Yield the kind of errors, the proportions of the labels and the weights of each case."""
    # With two labels, all weights give the same kappa, and there is only one kind of disagreement.
    yield guessing, TWO, None
    yield guessing, RARE, None
    for errors in (guessing, neighbours):
        for weights in WEIGHTS:
            yield errors, FOUR, weights


def study(
    proportions: Any, kappa: float, weights: Any, n_items: int, samples: tuple[int, int], rng: Any
) -> Found:
    """Return the results for one case. Undefined intervals count as misses."""
    n_samples, n_slow = samples
    drawn = rng.multinomial(n_items, proportions.ravel(), n_samples)
    # With two labels, many draws give the same table. Intervals are computed once per distinct
    # table.
    unique, place, times = np.unique(drawn, axis=0, return_inverse=True, return_counts=True)
    tables = unique.reshape(-1, *proportions.shape)
    ends = {method: np.array(intervals(method, tables, weights, 0.95)) for method in METHODS}
    slow_tables = tables[place.ravel()[:n_slow]]
    ends["Bayesian"] = _simulated(slow_tables, weights, rng)
    coverage, width = {}, {}
    for name, (low, high) in ends.items():
        simulated = name == "Bayesian"
        counted = np.ones(len(slow_tables)) if simulated else times
        coverage[name] = float(counted[(low <= kappa) & (kappa <= high)].sum() / counted.sum())
        known = ~np.isnan(low + high)
        # The parts of an interval above 1 or below -1 do not count towards its width.
        inside = np.minimum(high, 1) - np.maximum(low, -1)
        width[name] = float((counted * inside)[known].sum() / counted[known].sum())
    agreeing = np.trace(tables, axis1=1, axis2=2) == n_items
    one_label = (tables.sum(axis=1) == n_items).any(axis=1) | (tables.sum(axis=2) == n_items).any(
        axis=1
    )
    return Found(
        coverage,
        width,
        times[agreeing].sum() / n_samples,
        times[one_label].sum() / n_samples,
        times.max() / n_samples,
    )


def _simulated(tables: Any, weights: Any, rng: Any) -> Any:
    """Return the limits of the Bayesian intervals of the tables."""
    return np.array(
        [
            kappa_posterior(table, weights=weights, n_draws=N_DRAWS, rng=rng).interval
            for table in tables
        ]
    ).T


def report(n_items: int, samples: tuple[int, int]) -> Iterator[str]:
    """Yield the lines of the table, and reasons for poor coverage of the score interval."""
    rng = np.random.default_rng(20)
    head = ["labels", "errors", "weights", "kappa", "disagree", *COLUMNS]
    head += [f"width {name}" for name in COLUMNS]
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    misses = []
    for errors, labels, weights in cases():
        for kappa in KAPPAS:
            proportions = errors(labels, kappa, weights)
            found = study(proportions, kappa, weights, n_items, samples, rng)
            case = (
                " ".join(f"{share:.1f}"[1:] for share in labels),
                errors.__name__,
                weights or "none",
                str(kappa),
                f"{n_items * (1 - np.trace(proportions)):.1f}",
            )
            cells = [
                *case,
                *(_percent(found.coverage[name]) for name in COLUMNS),
                *(f"{found.width[name]:.2f}" for name in COLUMNS),
            ]
            yield f"| {' | '.join(cells)} |"
            covered = found.coverage[RECOMMENDED]
            if not WITHIN[0] <= covered <= WITHIN[1]:
                misses.append(_why(case, found))
    yield ""
    yield f"Outside {100 * WITHIN[0]:.0f} to {100 * WITHIN[1]:.0f} % by {RECOMMENDED}:"
    yield ""
    yield from misses or ["- none"]


def _percent(p: float) -> str:
    return f"{100 * p:.1f} %{'' if WITHIN[0] <= p <= WITHIN[1] else ' *'}"


def _why(case: tuple[str, ...], found: Found) -> str:
    """Return a line that explains poor coverage of the recommended interval in one case."""
    labels, errors, weights, kappa, disagree = case
    covered = found.coverage[RECOMMENDED]
    facts = [f"{disagree} disagreements expected, none in {found.no_disagreement:.0%} of studies"]
    if found.one_label >= 0.005:
        facts.append(f"a rater uses only one label in {found.one_label:.0%}")
    facts.append(f"the most frequent table in {found.commonest:.0%}")
    return (
        f"- {labels}, {errors}, {weights}, kappa {kappa}: {_percent(covered)}: {'; '.join(facts)}"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, nargs="+", default=[20, 50, 200])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--slow", type=int, default=300)
    given = parser.parse_args()
    print(machine.in_words(machine.describe()))
    for n_items in given.items:
        print(f"\n{n_items} items:\n")
        for line in report(n_items, (given.samples, given.slow)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
