"""How much kappa each method of KappaRounder loses on new items against the best thresholds.

    python -m bench.studies.rounding [--quick]

Labels and scores are made from a latent normal variable, and many training sets are drawn.
The thresholds found on each are tried on a million new items, where the best thresholds are
known. Printed is the mean of what is missing, in units of 0.0001, over three correlations
of the score with the latent variable, and even and skewed proportions of five labels.
"""

from __future__ import annotations

import argparse
from itertools import product
from statistics import NormalDist

import numpy as np

from bench.harness import machine
from fastkappa import optimal_thresholds
from fastkappa.statistics.kappa import kappas
from fastkappa.thresholds.rounding import METHODS, find_rounding

CORRELATIONS = (0.5, 0.7, 0.9)
EVEN, SKEWED = (0.1, 0.2, 0.4, 0.2, 0.1), (0.5, 0.25, 0.15, 0.07, 0.03)
BOTH = (EVEN, SKEWED)
N_LABELS = 5
NEW_ITEMS = 1_000_000
# How many training sets of so many items.
TRAINING_SETS = {100: 200, 300: 150, 1000: 100, 3000: 60, 10_000: 40, 100_000: 10}
TRAINING_SETS_WHEN_QUICK = {100: 20, 1000: 10}
BLOCKS = {
    "quadratic weights, scores linear in the latent variable": ("quadratic", False, BOTH),
    "the same, even proportions of the labels alone": ("quadratic", False, (EVEN,)),
    "quadratic weights, scores its exponential": ("quadratic", True, BOTH),
    "linear weights": ("linear", False, BOTH),
    "no weights": (None, False, BOTH),
}


def draw(
    rng: np.random.Generator,
    n: int,
    correlation: float,
    proportions: tuple[float, ...],
    curved: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and scores of n items."""
    latent = rng.normal(size=n)
    limits = [NormalDist().inv_cdf(p) for p in np.cumsum(proportions)[:-1]]
    noise = rng.normal(size=n)
    scores = correlation * latent + np.sqrt(1 - correlation**2) * noise
    return np.searchsorted(limits, latent), np.exp(scores) if curved else scores


class NewItems:
    """Very many items, of which kappa at thresholds is a look-up."""

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


def missing_kappa(
    weights: str | None, curved: bool, all_proportions: tuple, sets: dict[int, int]
) -> dict:
    """Return, by number of items and method, the mean difference to the best kappa."""
    methods = [method for method in METHODS if weights == "quadratic" or method != "closed_form"]
    differences: dict = {(n, method): [] for n in sets for method in methods}
    for correlation, proportions in product(CORRELATIONS, all_proportions):
        rng = np.random.default_rng(0)
        new = NewItems(*draw(rng, NEW_ITEMS, correlation, proportions, curved), weights)
        for n, repeats in sets.items():
            for _ in range(repeats):
                items = draw(rng, n, correlation, proportions, curved)
                for method in methods:
                    found = find_rounding(
                        *items,
                        method=method,
                        labels=range(N_LABELS),
                        weights=weights,
                        n_folds=None,
                        rng=rng,
                    )
                    differences[n, method].append(new.best - new.kappa(found.thresholds))
    return {key: float(np.mean(values)) for key, values in differences.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    sets = TRAINING_SETS_WHEN_QUICK if parser.parse_args().quick else TRAINING_SETS
    machine.announce()
    print("kappa missing on new items, in units of 0.0001")
    for title, (weights, curved, all_proportions) in BLOCKS.items():
        means = missing_kappa(weights, curved, all_proportions, sets)
        print(f"\n{title}\n{'n':>8}" + "".join(f"{method:>13}" for method in METHODS))
        for n in sets:
            row = (means.get((n, method)) for method in METHODS)
            cells = "".join(f"{'-' if mean is None else f'{mean * 1e4:.0f}':>13}" for mean in row)
            print(f"{n:>8}{cells}", flush=True)


if __name__ == "__main__":
    main()
