"""Compare the time of a bootstrap of kappa with the times of two other computations.

    python -m bench.studies.bootstrap

prints ratios of times. The other computations are one kappa of a million items with scikit-learn,
and a bootstrap of 100 items with 1000 resampled lists, as taught in courses. The calls are timed in
turn, in several rounds, and the median ratio is printed.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score

from bench.harness import machine
from bench.harness.timing import measure
from fastkappa import bootstrap

N_ITEMS = 10**6
LABELS = "abcde"
ROUNDS = 7


def resampled_lists(first: list[str], second: list[str], n_resamples: int, kappa: Any) -> Any:
    """Return the interval of kappa, computed by resampling pairs of ratings."""
    pairs = list(zip(first, second))
    replicates = []
    for _ in range(n_resamples):
        drawn = random.choices(pairs, k=len(pairs))
        replicates.append(kappa([a for a, _ in drawn], [b for _, b in drawn]))
    return np.percentile(replicates, [2.5, 97.5])


def kappa_of_lists(first: list[str], second: list[str]) -> float:
    """Return kappa, computed as in typical pure Python code."""
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second)) / n
    labels = set(first) | set(second)
    expected = sum(first.count(label) * second.count(label) for label in labels) / n**2
    return (observed - expected) / (1 - expected)


def five_labels(n_items: int) -> Any:
    """Return a random table of counts with five labels and this many items."""
    proportions = np.full(25, 0.02) + 0.1 * np.eye(5).ravel()
    counts = np.random.default_rng(0).multinomial(n_items, proportions / proportions.sum())
    return counts.reshape(5, 5)


def main() -> None:
    """Print the ratios."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    machine.announce()
    million = five_labels(N_ITEMS)
    rows, columns = np.divmod(np.repeat(np.arange(25), million.ravel()), 5)
    order = np.random.default_rng(1).permutation(N_ITEMS)
    whole = (rows[order], columns[order])
    strings = tuple(np.array(list(LABELS))[codes] for codes in whole)
    lists = tuple(codes.tolist() for codes in strings)
    calls: dict[str, Callable[[], Any]] = {
        f"9999 replicates, n = 10^{power}": partial(bootstrap, five_labels(10**power), rng=0)
        for power in (3, 6, 8)
    }
    calls["scikit-learn, 10^6 integers"] = lambda: cohen_kappa_score(*whole)
    calls["scikit-learn, 10^6 strings"] = lambda: cohen_kappa_score(*strings)
    calls["scikit-learn, lists of 10^6 strings"] = lambda: cohen_kappa_score(*lists)
    _print(calls, "9999 replicates, n = 10^8")

    first, second = ["v2"] * 70 + ["v1"] * 30, ["v1"] * 70 + ["v2"] * 30
    calls = {
        "1000 replicates of 100 items": lambda: bootstrap(
            [[0, 30], [70, 0]], n_resamples=1000, method="percentile", rng=0
        ),
        "lists resampled, kappa in Python": lambda: resampled_lists(
            first, second, 1000, kappa_of_lists
        ),
        "lists resampled, kappa of scikit-learn": lambda: resampled_lists(
            first, second, 1000, cohen_kappa_score
        ),
    }
    _print(calls, "1000 replicates of 100 items")


def _print(calls: dict[str, Callable[[], Any]], reference: str) -> None:
    samples = measure(calls, ROUNDS)
    for name, seconds in samples.seconds.items():
        ratio = samples.ratio(name, reference).median
        print(f"{name:<42}{1e3 * np.median(seconds):>10.3f} ms{ratio:>10.3g} x")
    print()


if __name__ == "__main__":
    main()
