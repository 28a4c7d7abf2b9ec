"""Measure the coverage of intervals for items in clusters, and the cost of counting by cluster.

    python -m bench.studies.clusters [--samples 1000] [--resamples 0]
    python -m bench.studies.clusters --cost [--items 10000000] [--backends cython numba numpy]

Two raters rate the items of G clusters of 1 to 9 items, 5 on average. Each item is either known to
both raters, who then agree, or guessed by each rater with the label proportions of the cluster. The
label proportions and the proportion of known items vary between clusters, with the given
intra-cluster correlation. The true kappa is that of the population of clusters. The table printed
by the first command is in docs/evidence/clusters.md. With --resamples, the table also has the BCa
interval of the cluster bootstrap.

--cost times `agreement` with and without clusters in turn, and prints the median ratio.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bench.harness import machine
from bench.harness.timing import measure
from fastkappa import agreement
from fastkappa.exceptions import undefined_metric_warning
from fastkappa.kernels import dispatch
from fastkappa.statistics.bootstrap import bootstrap
from fastkappa.statistics.clusters import clusters_of
from fastkappa.two_raters.agreement_result import AgreementResult

LABELS = {"two equal": (0.5, 0.5), "one rare": (0.9, 0.1), "four": (0.4, 0.3, 0.2, 0.1)}
WEIGHTS: dict[str, Any] = {"two equal": None, "one rare": None, "four": "quadratic"}
N_CLUSTERS = (10, 20, 50, 100)
LARGEST = 9
WITHIN = (0.93, 0.97)
N_LABELS = 5
ROUNDS = 3


class Study(NamedTuple):
    """The population from which a study is drawn."""

    labels: tuple[float, ...]
    weights: Any
    kappa: float
    correlation: float
    n_clusters: int


class Coverage(NamedTuple):
    """The proportion of intervals of each kind that contain the true value."""

    items: float
    normal: float
    student: float
    score: float
    bca: float


def expected_guesses(study: Study) -> Any:
    """Return the expected table of two guesses, averaged over the clusters."""
    margin = np.array(study.labels)
    alike = study.correlation
    return (1 - alike) * np.outer(margin, margin) + alike * np.diag(margin)


def share_of_reasons(study: Study) -> float:
    """Return the proportion of items that both raters must know to reach the kappa of the study."""
    margin = np.array(study.labels)
    position = np.arange(len(margin))
    distance = np.subtract.outer(position, position) ** 2
    if study.weights is None:
        distance = (distance != 0).astype(int)
    guessed = (expected_guesses(study) * distance).sum()
    by_chance = (np.outer(margin, margin) * distance).sum()
    return float(1 - (1 - study.kappa) * by_chance / guessed)


def sample(study: Study, rng: Any) -> tuple[Any, Any, Any]:
    """Return the clusters and both raters' ratings of a simulated study."""
    margin, g = np.array(study.labels), study.n_clusters
    sizes = rng.integers(1, LARGEST + 1, g)
    clusters = np.repeat(np.arange(g), sizes)
    reason = share_of_reasons(study)
    if study.correlation:
        spread = 1 / study.correlation - 1
        proportions = rng.dirichlet(margin * spread, g)
        reasons = rng.beta(reason * spread, (1 - reason) * spread, g)
    else:
        proportions, reasons = np.tile(margin, (g, 1)), np.full(g, reason)
    below = proportions.cumsum(axis=1)[clusters, :-1]
    first, second = ((rng.random(len(clusters))[:, None] > below).sum(axis=1) for _ in "ab")
    return clusters, first, np.where(rng.random(len(clusters)) < reasons[clusters], first, second)


def coverage(study: Study, n_samples: int, n_resamples: int, rng: Any) -> Coverage:
    """Return the coverage of each kind of interval. Undefined intervals count as misses."""
    n_labels = len(study.labels)
    held = np.zeros(5)
    for _ in range(n_samples):
        clusters, y1, y2 = sample(study, rng)
        cells = y1 * n_labels + y2
        table = np.bincount(cells, minlength=n_labels**2).reshape(n_labels, n_labels)
        own = clusters_of(clusters, cells, np.ones(len(cells), np.int64))
        made = partial(AgreementResult, table, np.arange(n_labels), study.weights)
        by_clusters = made(clusters=own)
        intervals = [
            made(interval_method="score").interval,
            by_clusters.interval,
            made(clusters=own, distribution="t").interval,
            made(clusters=own, interval_method="score").interval,
        ]
        if n_resamples and not np.isnan(by_clusters.kappa):
            intervals.append(bootstrap(by_clusters, n_resamples=n_resamples, rng=rng).interval)
        for i, (low, high) in enumerate(intervals):
            held[i] += low <= study.kappa <= high
    if not n_resamples:
        held[4] = np.nan
    return Coverage(*(held / n_samples))


def lines(n_samples: int, n_resamples: int) -> Iterator[str]:
    """Yield the lines of the table. An asterisk marks coverage below 93 % or above 97 %."""
    rng = np.random.default_rng(20)
    bca = " BCa |" if n_resamples else ""
    head = (
        "| labels | weights | kappa | correlation | clusters | no clusters | normal | t | score |"
    )
    yield head + bca
    yield f"|---|---|---|---|---|---|---|---|---|{'---|' if bca else ''}"
    for name, labels in LABELS.items():
        for kappa, correlation in ((0.6, 0.0), (0.6, 0.2), (0.6, 0.4), (0.85, 0.2)):
            for g in N_CLUSTERS:
                study = Study(labels, WEIGHTS[name], kappa, correlation, g)
                found = coverage(study, n_samples, n_resamples, rng)
                figures = [percent(share) for share in found if not np.isnan(share)]
                cells = (name, WEIGHTS[name] or "none", kappa, correlation, g, *figures)
                yield f"| {' | '.join(map(str, cells))} |"


def percent(share: float) -> str:
    """Return a proportion as a percentage, with an asterisk if it is below 93 % or above 97 %."""
    return f"{100 * share:.1f}{'' if WITHIN[0] <= share <= WITHIN[1] else ' *'}"


def error_of(y1: Any, y2: Any, clusters: Any) -> float:
    """Return the standard error of kappa."""
    return agreement(y1, y2, clusters=clusters).standard_error


def costs(n_items: int, n_clusters: int, backend: str) -> Iterator[str]:
    """Yield table rows with the times without and with clusters, and their ratio."""
    os.environ["FASTKAPPA_BACKEND"] = backend
    dispatch.forget_choice()
    rng = np.random.default_rng(21)
    drawn = rng.integers(0, n_clusters, n_items)
    forms = {"in order": np.sort(drawn), "in no order": drawn}
    for dtype in (np.int64, np.uint8):
        y1, y2 = (rng.integers(0, N_LABELS, n_items).astype(dtype) for _ in "ab")
        for form, clusters in forms.items():
            calls = {
                "plain": partial(error_of, y1, y2, None),
                "clustered": partial(error_of, y1, y2, clusters),
            }
            measured = measure(calls, ROUNDS)
            plain, clustered = (np.median(measured.seconds[name]) for name in calls)
            ratio = measured.ratio("clustered", "plain").median
            cells = (backend, np.dtype(dtype).name, form, f"{plain:.3f} s", f"{clustered:.3f} s")
            yield f"| {' | '.join(cells)} | {ratio:.1f} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=0)
    parser.add_argument("--cost", action="store_true")
    parser.add_argument("--items", type=int, default=10**7)
    parser.add_argument("--clusters", type=int, default=10**6)
    parser.add_argument("--backends", nargs="+", default=["cython", "numba", "numpy"])
    given = parser.parse_args()
    machine.announce()
    warnings.simplefilter("ignore", undefined_metric_warning())
    if not given.cost:
        for line in lines(given.samples, given.resamples):
            print(line, flush=True)
        return
    print(f"\n{given.items} items in {given.clusters} clusters, {N_LABELS} labels:\n")
    print("| backend | ratings | clusters | plain | clustered | ratio |\n|---|---|---|---|---|---|")
    for backend in given.backends:
        for line in costs(given.items, given.clusters, backend):
            print(line, flush=True)


if __name__ == "__main__":
    main()
