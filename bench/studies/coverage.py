"""How often 95 % intervals of kappa cover it, in simulated studies.

    python -m bench.studies.coverage [--samples 2000] [--items 200] [--resamples 1999]

Two raters give four labels. Either they agree on some of the items and guess the others
("guessing"), or they err towards neighbouring labels ("neighbours"). Each sample is a
table drawn from the true proportions, of which the intervals are computed. The
printed table is that of docs/intervals.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fastkappa.statistics.bootstrap import bootstrap
from fastkappa.statistics.inference import standard_error, symmetric_interval
from fastkappa.statistics.kappa import kappa_from_confusion

MARGIN = np.array([0.4, 0.3, 0.2, 0.1])
KAPPAS = (0.3, 0.6, 0.9)
WEIGHTS: tuple[Any, ...] = (None, "quadratic")
WITHIN = (0.93, 0.97)


class Coverage(NamedTuple):
    """The proportion of intervals of each kind that hold the true value."""

    asymptotic: float
    percentile: float
    bca: float


def guessing(kappa: float, weights: Any) -> Any:
    """Return the proportions for raters who agree on some items and guess the others."""
    return (1 - kappa) * np.outer(MARGIN, MARGIN) + kappa * np.diag(MARGIN)


def neighbours(kappa: float, weights: Any) -> Any:
    """Return proportions that fall off with the distance of the labels, for this kappa."""
    position = np.arange(len(MARGIN))
    squares = np.subtract.outer(position, position) ** 2

    def proportions(decay: float) -> Any:
        table = np.sqrt(np.outer(MARGIN, MARGIN)) * np.exp(-decay * squares)
        return table / table.sum()

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        smaller = kappa_from_confusion(proportions(middle), weights) < kappa
        low, high = (middle, high) if smaller else (low, middle)
    return proportions(high)


def coverage(
    proportions: Any, weights: Any, n_items: int, n_samples: int, n_resamples: int, rng: Any
) -> Coverage:
    """Return how often intervals cover the kappa of these proportions."""
    true_kappa = kappa_from_confusion(proportions, weights)
    n_labels = len(proportions)
    samples = rng.multinomial(n_items, proportions.ravel(), n_samples)
    samples = samples.reshape(-1, n_labels, n_labels)
    low, high = symmetric_interval(
        kappa_from_confusion(samples, weights), standard_error(samples, weights), 0.95
    )
    covered = {"percentile": 0, "bca": 0}
    for table in samples:
        seed = int(rng.integers(1 << 32))
        for method in covered:
            ends = bootstrap(
                table, weights=weights, n_resamples=n_resamples, method=method, rng=seed
            ).interval
            covered[method] += ends[0] <= true_kappa <= ends[1]
    return Coverage(
        float(np.mean((low <= true_kappa) & (true_kappa <= high))),
        covered["percentile"] / n_samples,
        covered["bca"] / n_samples,
    )


def lines(n_items: int, n_samples: int, n_resamples: int) -> Iterator[str]:
    """Yield the lines of the table; an asterisk is beside what lies outside of 93 to 97 %."""
    rng = np.random.default_rng(20)
    yield "| errors | weights | kappa | asymptotic | percentile | BCa |"
    yield "|---|---|---|---|---|---|"
    for design in (guessing, neighbours):
        for weights in WEIGHTS:
            for kappa in KAPPAS:
                proportions = design(kappa, weights)
                found = coverage(proportions, weights, n_items, n_samples, n_resamples, rng)
                cells = (
                    f"{100 * p:.1f} %{'' if WITHIN[0] <= p <= WITHIN[1] else ' *'}" for p in found
                )
                yield f"| {design.__name__} | {weights or 'none'} | {kappa} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=1999)
    given = parser.parse_args()
    for line in lines(given.items, given.samples, given.resamples):
        print(line, flush=True)


if __name__ == "__main__":
    main()
