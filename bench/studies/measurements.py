"""Measure time and memory for the agreement of measurements.

    python -m bench.studies.measurements [N_SUBJECTS]

prints, for 10 million subjects and three raters, the processor time and the peak memory beyond that
of the ratings. Each function computes the value, standard error and interval from the raw ratings
in one thread.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import fastkappa
from bench.harness import machine
from bench.harness.memory import peak_above

N_RATERS = 3
CHUNK = 1 << 16


def make_ratings(n: int, dtype: type, missing: float) -> np.ndarray:
    """Return positive measurements of subjects, with a separate error for each rater."""
    rng = np.random.default_rng(20261)
    ratings = np.empty((n, N_RATERS), dtype)
    for start in range(0, n, CHUNK):
        chunk = ratings[start : start + CHUNK]
        chunk[:] = np.exp(rng.normal(size=(len(chunk), 1)) + rng.normal(size=chunk.shape))
        if missing:
            chunk[rng.random(chunk.shape) < missing] = np.nan
    return ratings


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "alpha, interval": lambda r: fastkappa.krippendorff_alpha(r, level="interval"),
    "alpha, ratio": lambda r: fastkappa.krippendorff_alpha(r, level="ratio"),
    "alpha, ordinal": lambda r: fastkappa.krippendorff_alpha(r, level="ordinal"),
    "intraclass_correlation": lambda r: fastkappa.measurements.intraclass_correlation(
        r, missing="drop"
    ),
    "overall_concordance": lambda r: fastkappa.measurements.overall_concordance_correlation(
        r, missing="drop"
    ),
    "concordance_correlation": lambda r: fastkappa.measurements.concordance_correlation(
        r[:, 0], r[:, 1], missing="drop"
    ),
    "limits_of_agreement": lambda r: fastkappa.measurements.limits_of_agreement(
        r[:, 0], r[:, 1], missing="drop"
    ),
}


def main() -> None:
    n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    machine.announce()
    print(f"\n{n} subjects, {N_RATERS} raters")
    print(f"{'':<26}{'ratings':<22}{'seconds':>9}{'additional MB':>16}")
    for dtype, missing in ((np.float64, 0.0), (np.float32, 0.0), (np.float64, 0.1)):
        ratings = make_ratings(n, dtype, missing)
        kind = f"{ratings.dtype}{', 10 % missing' if missing else ''}"
        for name, function in FUNCTIONS.items():
            function(ratings[:1000])
            start = time.process_time()
            peak = peak_above(lambda: function(ratings))  # noqa: B023
            seconds = time.process_time() - start
            print(f"{name:<26}{kind:<22}{seconds:>9.2f}{peak / 1e6:>16.0f}", flush=True)


if __name__ == "__main__":
    main()
