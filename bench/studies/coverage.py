"""How often 95 % intervals of kappa cover it, in simulated studies.

    python -m bench.studies.coverage [--items 50 200] [--samples 1000] [--resamples 999]

Two raters give two labels, equally frequent or one of them rare, or four labels. Either they
agree on some of the items and guess the others ("guessing"), or they err towards neighbouring
labels ("neighbours"). Each sample is a table drawn from the true proportions, of which the
intervals are computed. The printed tables are those of docs/intervals.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from bench.harness import machine
from fastkappa.statistics.bootstrap import bootstrap
from fastkappa.statistics.inference import standard_error, symmetric_interval
from fastkappa.statistics.kappa import kappa_from_confusion, kappas

# The proportions of the labels, the same for both raters.
TWO, RARE, FOUR = (0.5, 0.5), (0.9, 0.1), (0.4, 0.3, 0.2, 0.1)
KAPPAS = (0.3, 0.6, 0.9)
WEIGHTS: tuple[Any, ...] = (None, "linear", "quadratic")
WITHIN = (0.93, 0.97)


class Coverage(NamedTuple):
    """The proportion of intervals of each kind that hold the true value."""

    asymptotic: float
    percentile: float
    bca: float


def guessing(labels: tuple[float, ...], kappa: float, weights: Any) -> Any:
    """Return the proportions for raters who agree on some items and guess the others."""
    return (1 - kappa) * np.outer(labels, labels) + kappa * np.diag(labels)


def neighbours(labels: tuple[float, ...], kappa: float, weights: Any) -> Any:
    """Return proportions that fall off with the distance of the labels, for this kappa."""
    position = np.arange(len(labels))
    squares = np.subtract.outer(position, position) ** 2

    def proportions(decay: float) -> Any:
        table = np.sqrt(np.outer(labels, labels)) * np.exp(-decay * squares)
        return table / table.sum()

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        smaller = kappa_from_confusion(proportions(middle), weights) < kappa
        low, high = (middle, high) if smaller else (low, middle)
    return proportions(high)


def cases() -> Iterator[tuple[Any, tuple[float, ...], Any]]:
    """Yield the kinds of errors, the labels' proportions and the weights."""
    # Two labels have no weights, and no neighbours but each other.
    yield guessing, TWO, None
    yield guessing, RARE, None
    for errors in (guessing, neighbours):
        for weights in WEIGHTS:
            yield errors, FOUR, weights


def coverage(
    proportions: Any,
    kappa: float,
    weights: Any,
    n_items: int,
    n_samples: int,
    n_resamples: int,
    rng: Any,
) -> Coverage:
    """Return how often intervals cover this kappa; those that are undefined do not."""
    drawn = rng.multinomial(n_items, proportions.ravel(), n_samples)
    # Two labels give the same table again and again.
    drawn, times = np.unique(drawn, axis=0, return_counts=True)
    tables = drawn.reshape(-1, *proportions.shape)
    values = kappas(tables, weights)
    low, high = symmetric_interval(values, standard_error(tables, weights), 0.95)
    asymptotic = times[(low <= kappa) & (kappa <= high)].sum()
    percentile = bca = 0
    for table, repeats in zip(tables[~np.isnan(values)], times[~np.isnan(values)]):
        result = bootstrap(table, weights=weights, n_resamples=n_resamples, rng=rng)
        ends = np.nanquantile(result.replicates, (0.025, 0.975))
        percentile += repeats * (ends[0] <= kappa <= ends[1])
        bca += repeats * (result.interval[0] <= kappa <= result.interval[1])
    return Coverage(asymptotic / n_samples, percentile / n_samples, bca / n_samples)


def lines(n_items: int, n_samples: int, n_resamples: int) -> Iterator[str]:
    """Yield the lines of the table; an asterisk is beside what lies outside of 93 to 97 %."""
    rng = np.random.default_rng(20)
    yield "| labels | errors | weights | kappa | disagree | asymptotic | percentile | BCa |"
    yield "|---|---|---|---|---|---|---|---|"
    for errors, labels, weights in cases():
        for kappa in KAPPAS:
            proportions = errors(labels, kappa, weights)
            found = coverage(proportions, kappa, weights, n_items, n_samples, n_resamples, rng)
            cells = (
                " ".join(f"{share:.1f}"[1:] for share in labels),
                errors.__name__,
                weights or "none",
                str(kappa),
                f"{n_items * (1 - np.trace(proportions)):.1f}",
                *(f"{100 * p:.1f} %{'' if WITHIN[0] <= p <= WITHIN[1] else ' *'}" for p in found),
            )
            yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=999)
    given = parser.parse_args()
    print(machine.in_words(machine.describe()))
    for n_items in given.items:
        print(f"\n{n_items} items:\n")
        for line in lines(n_items, given.samples, given.resamples):
            print(line, flush=True)


if __name__ == "__main__":
    main()
