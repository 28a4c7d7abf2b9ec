"""How often 95 % intervals of kappa cover it, in simulated studies.

    python -m bench.studies.coverage [--samples 2000] [--items 200] [--resamples 1999]

Two raters give four labels. Either they agree on a share of the items and guess the others
("guessing"), or they err towards neighbouring labels ("neighbours"). A table is drawn from
what is true as often as there are samples, and each sample has its intervals computed. The
printed table is that of docs/intervals.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fastkappa.statistics.bootstrap import bootstrap
from fastkappa.statistics.inference import normal_interval, standard_error
from fastkappa.statistics.kappa import kappa_from_confusion

MARGIN = np.array([0.4, 0.3, 0.2, 0.1])
KAPPAS = (0.3, 0.6, 0.9)
WEIGHTS: tuple[Any, ...] = (None, "quadratic")
WITHIN = (0.93, 0.97)


class Coverage(NamedTuple):
    """The share of intervals of each kind that hold the true value."""

    asymptotic: float
    percentile: float
    bca: float


def guessing(kappa: float, weights: Any) -> Any:
    """Return the shares of raters who agree on a share of the items and guess the others."""
    return (1 - kappa) * np.outer(MARGIN, MARGIN) + kappa * np.diag(MARGIN)


def neighbours(kappa: float, weights: Any) -> Any:
    """Return shares that fall off with the distance of the labels, for this kappa."""
    position = np.arange(len(MARGIN))
    squares = np.subtract.outer(position, position) ** 2

    def shares(decay: float) -> Any:
        table = np.sqrt(np.outer(MARGIN, MARGIN)) * np.exp(-decay * squares)
        return table / table.sum()

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        smaller = kappa_from_confusion(shares(middle), weights) < kappa
        low, high = (middle, high) if smaller else (low, middle)
    return shares(high)


def coverage(
    shares: Any, weights: Any, n_items: int, n_samples: int, n_resamples: int, rng: Any
) -> Coverage:
    """Return how often intervals cover the kappa of these shares."""
    truth = kappa_from_confusion(shares, weights)
    n_labels = len(shares)
    samples = rng.multinomial(n_items, shares.ravel(), n_samples)
    samples = samples.reshape(-1, n_labels, n_labels)
    low, high = normal_interval(
        kappa_from_confusion(samples, weights), standard_error(samples, weights), 0.95
    )
    covered = {"percentile": 0, "bca": 0}
    for table in samples:
        seed = int(rng.integers(1 << 32))
        for method in covered:
            ends = bootstrap(
                table, weights=weights, n_resamples=n_resamples, method=method, rng=seed
            ).interval
            covered[method] += ends[0] <= truth <= ends[1]
    return Coverage(
        float(np.mean((low <= truth) & (truth <= high))),
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
                shares = design(kappa, weights)
                found = coverage(shares, weights, n_items, n_samples, n_resamples, rng)
                cells = (
                    f"{100 * share:.1f} %{'' if WITHIN[0] <= share <= WITHIN[1] else ' *'}"
                    for share in found
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
