"""Measure the gain in kappa from rounding and stopping by kappa, on new items of real data.

    python -m bench.studies.rounding_real [FOLDER] [--divisions N] [--weights none] [--cache FOLDER]

The models are boosted trees by LightGBM and XGBoost. The study uses thirteen data sets from
statsmodels and scikit-learn, and two more if FOLDER contains the files named in
`bench.harness.ordinal_data`. Each is divided N times, 12 by default. Thresholds are found for
out-of-fold predictions and applied to a held-out quarter; see `bench.harness.boosted_folds`. The
study prints differences of kappa for the held-out quarter, in units of 0.0001: the mean over data
sets with its standard error, the median and the quartiles. It also prints the time to find the
thresholds once, in milliseconds.

The first table compares methods with `exact`. The second compares models that are stopped by kappa
with models that are stopped by squared error, both with thresholds and with rounding at the half
points.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.optimize import minimize

from bench.harness import machine
from bench.harness.boosted_folds import FIT, divisions
from bench.harness.ordinal_data import ordinal_data
from fastkappa import ThresholdEvaluator
from fastkappa.thresholds.rounding import METHODS, Method, find_rounding

Weights = str | None
Find = Callable[[np.ndarray, np.ndarray, int], np.ndarray]


def half_points(y: np.ndarray, scores: np.ndarray, n_labels: int) -> np.ndarray:
    return np.arange(1, n_labels) - 0.5


def rounder(method: Method, weights: Weights) -> Find:
    def find(y: np.ndarray, scores: np.ndarray, n_labels: int) -> np.ndarray:
        found = find_rounding(
            y,
            scores,
            method=method,
            labels=range(n_labels),
            weights=weights,
            folds=None,
            rng=np.random.default_rng(0),
        )
        return found.thresholds

    return find


def nelder_mead(weights: Weights) -> Find:
    """Return the rounder used in many notebooks. Kappa is looked up, which only saves time."""

    def find(y: np.ndarray, scores: np.ndarray, n_labels: int) -> np.ndarray:
        kappa = ThresholdEvaluator(y, scores, labels=range(n_labels), weights=weights)
        start = half_points(y, scores, n_labels)
        found = minimize(lambda cuts: -kappa(np.sort(cuts)), start, method="Nelder-Mead")
        return np.sort(found.x)

    return find


def show(title: str, differences: dict[str, list[float]], more: dict[str, str]) -> None:
    """Print one line per name, with a summary of its differences over the data sets."""
    print(f"\n{title:<34}{'mean':>8}{'se':>7}{'median':>8}{'quartiles':>16}")
    for name, values in differences.items():
        units = np.array(values) * 1e4
        error = units.std(ddof=1) / np.sqrt(len(units))
        low, median, high = np.percentile(units, [25, 50, 75])
        print(
            f"  {name:<32}{units.mean():>+8.1f}{error:>7.1f}{median:>+8.1f}"
            f"{f'[{low:+.0f}, {high:+.0f}]':>16}{more.get(name, ''):>12}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--divisions", type=int, default=12)
    parser.add_argument("--weights", choices=["none", "linear", "quadratic"], default="quadratic")
    parser.add_argument("--cache", type=Path, help="folder for predictions")
    given = parser.parse_args()
    weights = None if given.weights == "none" else given.weights
    machine.announce()
    quadratic = weights == "quadratic"
    methods = {m: rounder(m, weights) for m in METHODS if quadratic or m != "closed_form"}
    finds = {**methods, "Nelder-Mead": nelder_mead(weights), "half points": half_points}
    gained, stopping = defaultdict(list), defaultdict(list)
    ratios, seconds = [], defaultdict(list)
    n = given.divisions
    for name, items in ordinal_data(given.folder).items():
        n_labels = int(items[1].max()) + 1
        kappas: dict[str, list[float]] = defaultdict(list)
        rounds = []
        for library in FIT:
            for division in divisions(name, items, library, n, given.cache):
                kappa = [
                    ThresholdEvaluator(
                        division.y_outside, scores, labels=range(n_labels), weights=weights
                    )
                    for scores in division.outside
                ]
                for method, find in finds.items():
                    start = perf_counter()
                    cuts = find(division.y_inside, division.inside[0], n_labels)
                    seconds[method].append(perf_counter() - start)
                    kappas[method].append(kappa[0](cuts))
                by_kappa = finds["spline"](division.y_inside, division.inside[1], n_labels)
                kappas["spline, by kappa"].append(kappa[1](by_kappa))
                halves = half_points(division.y_inside, division.inside[1], n_labels)
                kappas["half points, by kappa"].append(kappa[1](halves))
                rounds.append(division.rounds.mean(axis=1))
        # If all items get the same label, kappa is 0 or undefined. Undefined values count as 0.
        means = {method: float(np.nan_to_num(own).mean()) for method, own in kappas.items()}
        for method in finds:
            gained[method].append(means[method] - means["exact"])
        for method, rounding in (("spline", "thresholds of `spline`"), ("half points",) * 2):
            stopping[rounding].append(means[f"{method}, by kappa"] - means[method])
        l2, by_kappa = np.mean(rounds, axis=0)
        ratios.append(by_kappa / l2)
    milliseconds = {name: f"{np.median(own) * 1e3:.1f} ms" for name, own in seconds.items()}
    print(f"{len(ratios)} data sets, {n} divisions each; kappa with weights {weights}")
    show("kappa minus that of `exact`", gained, milliseconds)
    show("stopped by kappa minus by squared error", stopping, {})
    low, median, high = np.percentile(ratios, [25, 50, 75])
    print(f"\nrounds by kappa / by squared error: {median:.2f} [{low:.2f}, {high:.2f}]")


if __name__ == "__main__":
    main()
