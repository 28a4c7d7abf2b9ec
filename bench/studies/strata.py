"""Measure the size of tests of equal kappas, and the coverage of their intervals.

    python -m bench.studies.strata [N_STUDIES]

Raters agree on a proportion kappa of the items, and guess the others by the labels' proportions.
For strata, the study prints the size of the test of equal kappas and the coverage of the interval
for the common kappa. For two predictions of the same truth, it prints the size of the test of their
difference, the coverage of its interval, and how often the test and the interval disagree. The
second prediction copies the first for a proportion of the items. All figures are printed for the
asymptotic and the score test. Studies without a score test, for example because all items have the
same label, are drawn again.

The same figures are printed for strata with clusters, which are drawn as in
`bench.studies.clusters` with a correlation of .2. Each stratum has its own clusters, or all strata
share the clusters.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from bench.studies.clusters import LABELS as LABELS_IN_CLUSTERS
from bench.studies.clusters import WEIGHTS, Study, sample
from fastkappa import agreement, agreement_by, compare_paired, compare_strata

LABELS = {
    "rare": (0.1, 0.9),
    "very rare": (0.06, 0.94),
    "equal": (0.5, 0.5),
    "four": (0.4, 0.3, 0.2, 0.1),
}
STRATA = ((2, 50, "very rare"), (10, 40, "rare"), (10, 40, "equal"), (4, 50, "four"))
PAIRS = ((50, "equal"), (80, "four"), (80, "rare"), (30, "rare"))
COPIED = (0.0, 0.8)
# For each case, the number of strata, the number of clusters per stratum, and whether the strata
# share clusters.
CLUSTERED = ((2, 10, False), (2, 30, False), (4, 20, False), (10, 10, False), (3, 20, True))
CORRELATION = 0.2
METHODS = ("asymptotic", "score")


def cells(labels: str, kappa: float) -> np.ndarray:
    """Return the table proportions for raters who agree on some items and guess the others."""
    margin = np.array(LABELS[labels])
    return kappa * np.diag(margin) + (1 - kappa) * np.outer(margin, margin)


def studied(
    n_studies: int,
    draw: Callable[[np.random.Generator], np.ndarray],
    compare: Callable[..., Any],
    truth: float,
    seed: list[int],
) -> None:
    """Print the figures of both methods for the same studies."""
    rng, found, n_drawn = np.random.default_rng(seed), [], 0
    while len(found) < n_studies:
        drawn = draw(rng)
        n_drawn += 1
        tests = [compare(drawn, method) for method in METHODS]
        if not np.isnan(tests[1].p_value):
            found.append(
                [
                    (
                        test.p_value < 0.05,
                        test.interval[0] <= truth <= test.interval[1],
                        # Whether the test and the interval disagree on rejecting a difference of 0.
                        not np.isnan(test.p_value)
                        and (test.p_value < 0.05) == (test.interval[0] <= 0 <= test.interval[1]),
                        np.isnan(test.p_value),
                    )
                    for test in tests
                ]
            )
    means = 100 * np.mean(found, axis=0)
    for method, (size, coverage, apart, undefined) in zip(METHODS, means):
        line = f"    {method:<11} size {size:5.1f} %  coverage {coverage:5.1f} %"
        if truth == 0:
            line += f"  p and interval disagree {apart:4.1f} %"
        print(f"{line}  without a test {undefined:4.1f} %")
    print(f"    {100 * (1 - n_studies / n_drawn):.1f} % were drawn again", flush=True)


def strata_of(n_strata: int, n: int, labels: str, kappa: float) -> Callable[..., np.ndarray]:
    """Return a function that draws the tables of strata."""
    size, flat = len(LABELS[labels]), cells(labels, kappa).ravel()

    def drawn(rng: np.random.Generator) -> np.ndarray:
        return rng.multinomial(n, flat, n_strata).reshape(n_strata, size, size)

    return drawn


def predictions_of(n: int, labels: str, kappa: float, copied: float) -> Callable[..., np.ndarray]:
    """Return a function that draws the joint counts of two predictions."""
    margin = np.array(LABELS[labels])
    size = len(margin)

    def drawn(rng: np.random.Generator) -> np.ndarray:
        truth, *guesses = rng.choice(size, (3, n), p=margin)
        first, second = (np.where(rng.random(n) < kappa, truth, guess) for guess in guesses)
        second = np.where(rng.random(n) < copied, first, second)
        flat = (truth * size + first) * size + second
        return np.bincount(flat, minlength=size**3).reshape(size, size, size)

    return drawn


def clustered_strata_of(n_strata: int, study: Study) -> Callable[..., Any]:
    """Return a function that draws clusters, two columns of ratings and strata."""

    def drawn(rng: np.random.Generator) -> Any:
        parts = [sample(study, rng) for _ in range(n_strata)]
        # In each stratum, clusters are numbered from 0, so different strata use the same numbers.
        clusters, y1, y2 = (np.concatenate(column) for column in zip(*parts))
        return clusters, y1, y2, np.repeat(np.arange(n_strata), [len(part[0]) for part in parts])

    return drawn


def in_shared_clusters(n_strata: int, study: Study) -> Callable[..., Any]:
    """Return a function that draws ratings for clusters with items in all strata."""

    def drawn(rng: np.random.Generator) -> Any:
        clusters, y1, y2 = sample(study, rng)
        return clusters, y1, y2, rng.integers(0, n_strata, len(y1))

    return drawn


def clustered_comparison(study: Study, shared: bool) -> Callable[..., Any]:
    """Return a function that compares clustered strata by the method passed to it."""

    def compared(drawn: Any, method: Any) -> Any:
        clusters, y1, y2, strata = drawn
        given: dict[str, Any] = {"weights": study.weights, "interval_method": method}
        given["labels"] = range(len(study.labels))
        if shared:
            given.update(groups=strata, clusters=clusters, undefined="drop")
            return agreement_by(y1, y2, **given).equality
        results = []
        for stratum in range(strata[-1] + 1):
            own = strata == stratum
            results.append(agreement(y1[own], y2[own], clusters=clusters[own], **given))
        return compare_strata(results, undefined="drop")

    return compared


def comparison(function: Callable[..., Any], labels: str, **given: Any) -> Callable[..., Any]:
    """Return a function that compares counts by the method passed to it."""
    weights: Any = "quadratic" if labels == "four" else None

    def compared(counts: np.ndarray, method: Any) -> Any:
        return function(counts, weights=weights, interval_method=method, **given)

    return compared


def main() -> None:
    n_studies = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    warnings.simplefilter("ignore")
    for i, (n_strata, n, labels) in enumerate(STRATA):
        compare = comparison(compare_strata, labels, undefined="drop")
        for kappa in (0.3, 0.8):
            print(f"{n_strata} strata of {n}, {labels}, kappa {kappa}")
            draw = strata_of(n_strata, n, labels, kappa)
            studied(n_studies, draw, compare, kappa, [1, i, int(10 * kappa)])
    for i, (n_strata, n_clusters, shared) in enumerate(CLUSTERED):
        for j, (name, margin) in enumerate(LABELS_IN_CLUSTERS.items()):
            for kappa in (0.3, 0.6, 0.85):
                study = Study(margin, WEIGHTS[name], kappa, CORRELATION, n_clusters)
                each = f"{n_clusters} clusters {'in all' if shared else 'each'}"
                print(f"{n_strata} strata, {each}, labels {margin}, kappa {kappa}")
                draw = (in_shared_clusters if shared else clustered_strata_of)(n_strata, study)
                compare = clustered_comparison(study, shared)
                studied(n_studies, draw, compare, kappa, [3, i, j, int(100 * kappa)])
    for i, (n, labels) in enumerate(PAIRS):
        compare = comparison(compare_paired, labels)
        for kappa, copied in product((0.4, 0.8), COPIED):
            print(
                f"two predictions of {n}, labels {LABELS[labels]}, kappa {kappa}, copied {copied}"
            )
            draw = predictions_of(n, labels, kappa, copied)
            studied(n_studies, draw, compare, 0.0, [2, i, int(10 * kappa), int(10 * copied)])


if __name__ == "__main__":
    main()
