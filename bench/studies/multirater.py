"""Time coefficients for more than two raters, compared with peers and for 10 million subjects.

    python -m bench.studies.multirater [--quick]

Each peer is timed for as many subjects as it processes in seconds. Our functions are timed for as
many, and for 1e7 subjects and 5 raters. The values are compared before the calls are timed. All
calls start from the raw ratings, so the times include any conversion.
"""

from __future__ import annotations

import argparse
import importlib
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import fastkappa
from bench.harness import machine
from bench.harness.timing import measure, time_call
from fastkappa import Ratings

N_RATERS, N_LABELS = 5, 6
LARGE = 10_000_000
Call = Callable[[], float]


def make_ratings(n: int) -> np.ndarray:
    """Return ratings 0..5 by raters who are correct for 70 % of the items and guess the others."""
    rng = np.random.default_rng(20260)
    truth = rng.integers(0, N_LABELS, n)
    ratings = np.empty((n, N_RATERS), np.int64)
    for rater in range(N_RATERS):
        guess = rng.integers(0, N_LABELS, n)
        ratings[:, rater] = np.where(rng.random(n) < 0.3, guess, truth)
    return ratings


def statsmodels_fleiss(ratings: np.ndarray) -> Call:
    module = importlib.import_module("statsmodels.stats.inter_rater")
    return lambda: module.fleiss_kappa(module.aggregate_raters(ratings)[0])


def krippendorff_alpha(level: str) -> Callable[[np.ndarray], Call]:
    def make(ratings: np.ndarray) -> Call:
        module = importlib.import_module("krippendorff")
        return lambda: module.alpha(reliability_data=ratings.T, level_of_measurement=level)

    return make


def irrcac(name: str) -> Callable[[np.ndarray], Call]:
    def make(ratings: np.ndarray) -> Call:
        module = importlib.import_module("irrCAC.raw")
        frame = importlib.import_module("pandas").DataFrame(ratings)

        def call() -> float:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                labels = list(range(N_LABELS))
                chance = module.CAC(frame, categories=labels, digits=15)
                return float(getattr(chance, name)()["est"]["coefficient_value"])

        return call

    return make


def scikit_learn_pairs(ratings: np.ndarray) -> Call:
    score = importlib.import_module("sklearn.metrics").cohen_kappa_score
    pairs = list(zip(*np.triu_indices(N_RATERS, 1)))
    return lambda: float(np.mean([score(ratings[:, i], ratings[:, j]) for i, j in pairs]))


# For each peer: its name, the number of subjects that it can process in a few seconds, its
# function, and our equivalent.
CASES: list[tuple[str, int, Callable[[np.ndarray], Call], Callable[[Any], float]]] = [
    (
        "statsmodels fleiss_kappa",
        1_000_000,
        statsmodels_fleiss,
        lambda ratings: fastkappa.fleiss_kappa(ratings).value,
    ),
    (
        "krippendorff nominal",
        1_000_000,
        krippendorff_alpha("nominal"),
        lambda ratings: fastkappa.krippendorff_alpha(ratings).value,
    ),
    (
        "krippendorff ordinal",
        1_000_000,
        krippendorff_alpha("ordinal"),
        lambda ratings: fastkappa.krippendorff_alpha(ratings, level="ordinal").value,
    ),
    (
        "irrCAC fleiss",
        100_000,
        irrcac("fleiss"),
        lambda ratings: fastkappa.fleiss_kappa(ratings).value,
    ),
    (
        "irrCAC gwet",
        100_000,
        irrcac("gwet"),
        lambda ratings: fastkappa.gwet_ac1(ratings).value,
    ),
    (
        "irrCAC conger",
        100_000,
        irrcac("conger"),
        lambda ratings: fastkappa.conger_kappa(ratings).value,
    ),
    (
        "scikit-learn, 10 pairs",
        1_000_000,
        scikit_learn_pairs,
        lambda ratings: fastkappa.light_kappa(ratings).value,
    ),
]

COEFFICIENTS: dict[str, Callable[[Any], Any]] = {
    "fleiss_kappa": fastkappa.fleiss_kappa,
    "randolph_kappa": fastkappa.randolph_kappa,
    "gwet_ac1": fastkappa.gwet_ac1,
    "krippendorff_alpha": fastkappa.krippendorff_alpha,
    "krippendorff_alpha, ordinal": lambda r: fastkappa.krippendorff_alpha(r, level="ordinal"),
    "conger_kappa": fastkappa.conger_kappa,
    "light_kappa": fastkappa.light_kappa,
    "pairwise_kappa": fastkappa.pairwise_kappa,
}


def beside_peers(quick: bool) -> None:
    """Print one line per peer."""
    print(f"{'peer':<26}{'subjects':>10}{'peer':>12}{'fastkappa':>12}{'ratio':>9}")
    for name, n, make, own in CASES:
        ratings = make_ratings(n // 10 if quick else n)
        try:
            call = make(ratings)
        except ImportError as error:
            print(f"{name:<26}{'left out: ' + str(error)}")
            continue
        values = call(), own(ratings)
        if not abs(values[0] - values[1]) < 1e-9:
            raise AssertionError(f"{name} returns {values[0]}, fastkappa {values[1]}")
        calls = {"peer": call, "fastkappa": lambda r=ratings, f=own: f(r)}
        samples = measure(calls, 3)
        ratio = samples.ratio("peer", "fastkappa").median
        peer, ours = (float(np.median(samples.seconds[key])) for key in calls)
        print(f"{name:<26}{len(ratings):>10}{peer:>10.3f} s{ours * 1e3:>9.2f} ms{ratio:>8.0f}x")


def at_large(n: int) -> None:
    """Print our times for many subjects: each coefficient, all together, and the bootstrap."""
    ratings = make_ratings(n)
    print(f"\n{n} subjects x {N_RATERS} raters, {N_LABELS} labels, int64, rows of subjects")
    for name, function in COEFFICIENTS.items():
        seconds = sorted(time_call(lambda f=function: f(ratings))[0] for _ in range(3))
        print(f"{name:<34}{seconds[1]:>8.3f} s")
    tracemalloc.start()
    fastkappa.light_kappa(ratings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{'additional memory':<34}{peak / 1e6:>8.1f} MB (ratings: {ratings.nbytes / 1e6:.0f})")
    missing = ratings.astype(np.float64)
    missing[::7, 1] = np.nan
    seconds = time_call(lambda: fastkappa.krippendorff_alpha(missing))[0]
    print(f"{'krippendorff_alpha, NaN in floats':<34}{seconds:>8.3f} s")
    counted = Ratings.from_array(ratings)

    def all_of_them() -> None:
        for function in COEFFICIENTS.values():
            function(counted)

    print(f"{'all eight, counted once':<34}{time_call(all_of_them)[0]:>8.3f} s")
    for function in (fastkappa.fleiss_kappa, fastkappa.conger_kappa, fastkappa.light_kappa):
        result = function(counted)
        seconds = time_call(lambda r=result: r.bootstrap(method="percentile", rng=0))[0]
        print(f"{function.__name__ + ', 9999 resamples':<34}{seconds:>8.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the subjects")
    quick = parser.parse_args().quick
    machine.announce()
    beside_peers(quick)
    at_large(LARGE // 10 if quick else LARGE)


if __name__ == "__main__":
    main()
