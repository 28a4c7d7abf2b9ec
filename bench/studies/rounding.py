"""Measure the loss of kappa on new items by each method of KappaRounder.

    python -m bench.studies.rounding [--quick | --times]

Labels and scores are generated from a latent normal variable, or the scores form clumps with one
label each. Many training sets are drawn. The thresholds found for each set are applied to a million
new items, for which the best thresholds are known. The loss is the kappa at the best thresholds
minus the kappa at these. The study prints the mean loss, in units of 0.0001, over three
correlations between score and latent variable, and over even and skewed proportions of five labels.

--times prints the time of each method, and its ratio to the time of `exact`, instead.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from functools import cache, partial
from statistics import NormalDist

import numpy as np

from bench.harness import machine, timing
from fastkappa import optimal_thresholds
from fastkappa.statistics.kappa import kappas
from fastkappa.thresholds.rounding import METHODS, find_rounding

CORRELATIONS = (0.5, 0.7, 0.9)
EVEN, SKEWED = (0.1, 0.2, 0.4, 0.2, 0.1), (0.5, 0.25, 0.15, 0.07, 0.03)
BOTH = (EVEN, SKEWED)
N_LABELS = 5
NEW_ITEMS = 1_000_000
# For each number of items, the number of training sets with that many items.
TRAINING_SETS = {100: 40, 300: 30, 1000: 15, 3000: 8, 30_000: 2}
# With about this many items or more, `bagged` takes seconds.
MANY_ITEMS = 1_000_000
TRAINING_SETS_WHEN_QUICK = {100: 20, 1000: 10}
BLOCKS = {
    "quadratic weights, linear scores": ("quadratic", "linear", BOTH),
    "the same, only even proportions of the labels": ("quadratic", "linear", (EVEN,)),
    "quadratic weights, exponential scores": ("quadratic", "exponential", BOTH),
    "quadratic weights, scores in clumps": ("quadratic", "clumps", BOTH),
    "linear weights": ("linear", "linear", BOTH),
    "linear weights, scores in clumps": ("linear", "clumps", BOTH),
    "no weights": (None, "linear", BOTH),
    "no weights, scores in clumps": (None, "clumps", BOTH),
}
# If scores are clumped, the mean score of each label's clump. The standard deviation within a clump
# is 1 minus the correlation.
CLUMPS = np.array([0, 0.3, 2, 2.4, 4])


def draw(
    rng: np.random.Generator,
    n: int,
    correlation: float,
    proportions: tuple[float, ...],
    shape: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores of n items."""
    if shape == "clumps":
        y = rng.choice(N_LABELS, n, p=proportions)
        return y, CLUMPS[y] + rng.normal(0, 1 - correlation, n)
    latent = rng.normal(size=n)
    limits = [NormalDist().inv_cdf(p) for p in np.cumsum(proportions)[:-1]]
    noise = rng.normal(size=n)
    scores = correlation * latent + np.sqrt(1 - correlation**2) * noise
    return np.searchsorted(limits, latent), np.exp(scores) if shape == "exponential" else scores


class NewItems:
    """A very large set of items that can look up its kappa at any thresholds."""

    def __init__(self, y: np.ndarray, scores: np.ndarray, weights: str | None) -> None:
        order = np.argsort(scores)
        self.scores, self.weights = scores[order], weights
        self.below = np.zeros((len(scores) + 1, N_LABELS))
        np.cumsum(np.eye(N_LABELS)[y[order]], axis=0, out=self.below[1:])
        best = optimal_thresholds(y, scores, weights=weights, labels=range(N_LABELS))
        self.best = best.kappa
        assert self.kappa(best.thresholds) == best.kappa

    def kappa(self, thresholds: np.ndarray) -> float:
        places = [0, *np.searchsorted(self.scores, thresholds), len(self.scores)]
        return float(kappas(np.diff(self.below[places], axis=0).T, self.weights))


@cache
def missing_kappa(
    weights: str | None, shape: str, proportions: tuple[float, ...], quick: bool
) -> dict[tuple[int, str], list[float]]:
    """Return the losses of all training sets, by number of items and method."""
    methods = [method for method in METHODS if method != "closed_form" or weights == "quadratic"]
    differences = defaultdict(list)
    for correlation in CORRELATIONS:
        rng = np.random.default_rng(0)
        new = NewItems(*draw(rng, NEW_ITEMS, correlation, proportions, shape), weights)
        for n, repeats in (TRAINING_SETS_WHEN_QUICK if quick else TRAINING_SETS).items():
            for _ in range(repeats):
                items = draw(rng, n, correlation, proportions, shape)
                for method in methods:
                    found = find_rounding(
                        *items,
                        method=method,
                        labels=range(N_LABELS),
                        weights=weights,
                        folds=None,
                        rng=rng,
                    )
                    differences[n, method].append(new.best - new.kappa(found.thresholds))
    return differences


def compare_times(n: int, weights: str | None, rounds: int) -> None:
    """Time the methods in turn for n items, and print their times."""
    items = draw(np.random.default_rng(0), n, 0.7, EVEN, "linear")
    find = partial(find_rounding, *items, labels=range(N_LABELS), weights=weights, folds=None)
    calls = {
        method: partial(find, method=method, rng=np.random.default_rng(0))
        for method in METHODS
        if (method != "closed_form" or weights == "quadratic")
        and (method != "bagged" or n < MANY_ITEMS)
    }
    samples = timing.measure(calls, rounds)
    for method in calls:
        ratio = samples.ratio(method, "exact")
        print(
            f"{n:>9,}  {weights or 'none':<10}{method:<12}"
            f"{np.median(samples.seconds[method]) * 1e3:>8.1f} ms {ratio.median:>7.1f} x"
            f" [{ratio.lower:.1f}, {ratio.upper:.1f}]",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--times", action="store_true")
    arguments = parser.parse_args()
    quick = arguments.quick
    machine.announce(times=arguments.times)
    if arguments.times:
        for n in (1000, MANY_ITEMS):
            for weights in ("quadratic", "linear", None):
                compare_times(n, weights, rounds=11)
        return
    print("loss of kappa on new items, in units of 0.0001")
    for title, (weights, shape, all_proportions) in BLOCKS.items():
        print(f"\n{title}\n{'n':>8}" + "".join(f"{method:>13}" for method in METHODS))
        parts = [missing_kappa(weights, shape, each, quick) for each in all_proportions]
        for n in TRAINING_SETS_WHEN_QUICK if quick else TRAINING_SETS:
            cells = []
            for method in METHODS:
                values = [value for part in parts for value in part.get((n, method), [])]
                cells.append(f"{np.mean(values) * 1e4:.0f}" if values else "-")
            print(f"{n:>8}" + "".join(f"{cell:>13}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
