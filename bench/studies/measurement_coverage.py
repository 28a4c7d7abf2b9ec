"""Measure the coverage of the intervals for measurements in simulated studies.

    python -m bench.studies.measurement_coverage [N_STUDIES]

Three raters measure 15 or 50 normally distributed subjects with variance 1. The errors have a
standard deviation of .6. Raters differ by constants, which are drawn anew for each study of
intraclass correlations. In further studies, the subjects are in 10, 20 or 50 clusters, of 3
subjects each or of 1, 1, 2, 3 or 8. The correlation within clusters is .1 or .5, and raters differ
by fixed constants.
"""

from __future__ import annotations

import sys
from itertools import combinations, product

import numpy as np

import fastkappa

FIXED = np.array([0, 0.4, -0.3])
RATERS, ERROR = 0.45, 0.6


def true_values() -> dict[str, float]:
    """Return the true value for each interval."""
    total = 1 + ERROR**2
    apart = [(FIXED[i] - FIXED[j]) ** 2 for i, j in combinations(range(3), 2)]
    first, deviation = float(FIXED[0] - FIXED[1]), float(np.sqrt(2) * ERROR)
    return {
        "ICC(A,1)": 1 / (total + RATERS**2),
        "ICC(C,1)": 1 / total,
        "Lin's concordance": float(2 / (2 * total + apart[0])),
        "overall concordance": float(6 / (6 * total + sum(apart))),
        "lower limit": first - 1.959963984540054 * deviation,
        "upper limit": first + 1.959963984540054 * deviation,
    }


def intervals(n: int, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    """Return the intervals of one study."""
    right = rng.normal(size=(n, 1)) + ERROR * rng.normal(size=(n, 3))
    fixed = right + FIXED
    icc = fastkappa.measurements.intraclass_correlation(right + RATERS * rng.normal(size=3))
    limits = fastkappa.measurements.limits_of_agreement(fixed[:, 0], fixed[:, 1])
    return {
        "ICC(A,1)": icc["ICC(A,1)"].interval,
        "ICC(C,1)": icc["ICC(C,1)"].interval,
        "Lin's concordance": fastkappa.measurements.concordance_correlation(*fixed.T[:2]).interval,
        "overall concordance": fastkappa.measurements.overall_concordance_correlation(
            fixed
        ).interval,
        "lower limit": limits.lower_interval,
        "upper limit": limits.upper_interval,
    }


def clustered_intervals(
    clusters: np.ndarray, correlation: float, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Return the intervals of one study with subjects in clusters."""
    n, n_clusters = len(clusters), clusters[-1] + 1

    def drawn(k: int) -> np.ndarray:
        common, own = rng.normal(size=(n_clusters, k))[clusters], rng.normal(size=(n, k))
        return np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own

    ratings = drawn(1) + ERROR * drawn(3) + FIXED
    pair = ratings[:, 0], ratings[:, 1]
    icc = fastkappa.measurements.intraclass_correlation(ratings, clusters=clusters)
    limits = fastkappa.measurements.limits_of_agreement(*pair, clusters=clusters)
    overall = fastkappa.measurements.overall_concordance_correlation(ratings, clusters=clusters)
    return {
        "ICC(A,1)": icc["ICC(A,1)"].interval,
        "ICC(C,1)": icc["ICC(C,1)"].interval,
        "Lin's concordance": fastkappa.measurements.concordance_correlation(
            *pair, clusters=clusters
        ).interval,
        "overall concordance": overall.interval,
        "lower limit": limits.lower_interval,
        "upper limit": limits.upper_interval,
        "ICC(C,1), ignoring them": fastkappa.measurements.intraclass_correlation(ratings)[
            "ICC(C,1)"
        ].interval,
    }


def main() -> None:
    n_studies = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    truth = true_values()
    for n in (15, 50):
        rng = np.random.default_rng(n)
        print(f"{n} subjects, {n_studies} studies")
        show(truth, [intervals(n, rng) for _ in range(n_studies)])
    truth["ICC(A,1)"] = 1 / (1 + ERROR**2 + FIXED.var(ddof=1))
    truth["ICC(C,1), ignoring them"] = truth["ICC(C,1)"]
    for n_clusters, correlation, sizes in product((10, 20, 50), (0.1, 0.5), ([3], [1, 1, 2, 3, 8])):
        rng = np.random.default_rng([n_clusters, len(sizes), int(10 * correlation)])
        found = []
        for _ in range(n_studies):
            clusters = np.repeat(np.arange(n_clusters), rng.choice(sizes, n_clusters))
            found.append(clustered_intervals(clusters, correlation, rng))
        print(f"{n_clusters} clusters of {sizes}, correlation {correlation}, {n_studies} studies")
        show(truth, found)


def show(truth: dict[str, float], found: list[dict[str, tuple[float, float]]]) -> None:
    """Print the coverage of the intervals."""
    for name in found[0]:
        held = np.mean([low <= truth[name] <= high for low, high in (f[name] for f in found)])
        print(f"    {name:<25}{held:.3f}")


if __name__ == "__main__":
    main()
