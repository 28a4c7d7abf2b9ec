"""Measure how often the interval of an out-of-fold kappa contains the kappa of a test set.

    python -m bench.studies.score_of_test_set [--runs 600] [--items 4000] [--tested 2000]

prints the percentage of runs in which the 95 % interval contains the quadratic kappa of the test
items, first unchanged and then widened by a factor of sqrt(1 + n / m). The n training items and the
m test items are drawn from the same population.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.linear_model import Ridge

from fastkappa import agreement
from fastkappa.estimators import KappaRounder

N_FEATURES = 8
CUTS = (-1.5, -0.5, 0.5, 1.3, 2.3)


def are_covered(n: int, m: int, rng: np.random.Generator) -> tuple[bool, bool]:
    """Return whether the kappa of the test items is in the interval and in the wider one."""
    X = rng.normal(size=(n + m, N_FEATURES))
    quality = X[:, 0] + X[:, 1] + 0.5 * X[:, 2] * X[:, 3] + rng.normal(0, 0.7, n + m)
    y = np.searchsorted(CUTS, quality)
    rounder = KappaRounder(Ridge(), random_state=0).fit(X[:n], y[:n])
    found = agreement(y[:n], rounder.oof_predictions_, weights="quadratic")
    apart = rounder.score(X[n:], y[n:]) - found.kappa
    low, high = np.array(found.interval) - found.kappa
    wider = np.sqrt(1 + n / m)
    return bool(low <= apart <= high), bool(wider * low <= apart <= wider * high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=600)
    parser.add_argument("--items", type=int, default=4000, help="training items")
    parser.add_argument("--tested", type=int, default=2000, help="test items")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    runs = [are_covered(given.items, given.tested, rng) for _ in range(given.runs)]
    plain, wider = 100 * np.mean(runs, axis=0)
    print(f"{given.runs} runs, {given.items} training items, {given.tested} test items")
    print(f"the interval contains the test kappa in {plain:.0f} %, the wider one in {wider:.0f} %")


if __name__ == "__main__":
    main()
