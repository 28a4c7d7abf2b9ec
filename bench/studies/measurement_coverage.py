"""How often the intervals of measurements hold the true value, in simulated studies.

    python -m bench.studies.measurement_coverage [N_STUDIES]

Three raters measure 15 or 50 normally distributed subjects of variance 1, with errors of
deviation .6. Raters differ by constants, which for intraclass correlations are drawn anew in
each study.
"""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np

import fastkappa

FIXED = np.array([0, 0.4, -0.3])
RATERS, ERROR = 0.45, 0.6


def true_values() -> dict[str, float]:
    """Return what each interval should hold."""
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


def main() -> None:
    n_studies = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
    truth = true_values()
    for n in (15, 50):
        rng = np.random.default_rng(n)
        held = dict.fromkeys(truth, 0)
        for _ in range(n_studies):
            for name, (low, high) in intervals(n, rng).items():
                held[name] += low <= truth[name] <= high
        print(f"{n} subjects, {n_studies} studies")
        for name, count in held.items():
            print(f"    {name:<22}{count / n_studies:.3f}")


if __name__ == "__main__":
    main()
