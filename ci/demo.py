"""Run `fastkappa demo`, and print the time for many ratings (`make demo`)."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from fastkappa import cohen_kappa_score, datasets

N_ROWS = 10_000_000
REPEATS = 7


def main() -> None:
    subprocess.run([sys.executable, "-m", "fastkappa", "demo"], check=True)
    show_speed(*datasets.load("diabetic_retinopathy").expand())


def show_speed(y1: np.ndarray, y2: np.ndarray) -> None:
    """Print the times and values of fastkappa and scikit-learn for many rows."""
    try:
        from sklearn.metrics import cohen_kappa_score as peer
    except ImportError:
        sys.exit("scikit-learn, which this comparison needs, is not installed.")
    drawn = np.random.default_rng(2015).integers(0, len(y1), N_ROWS)
    many = y1[drawn].astype(np.int64), y2[drawn].astype(np.int64)
    timed(cohen_kappa_score, *many)  # the first call starts the threads
    ours = [timed(cohen_kappa_score, *many) for _ in range(REPEATS)]
    kappa = ours[0][1]
    seconds = statistics.median(run for run, _ in ours)
    peer_seconds, peer_kappa = timed(peer, *many)
    if not np.isclose(kappa, peer_kappa, rtol=1e-12, atol=0):
        sys.exit(f"the kappas differ: fastkappa {kappa!r}, scikit-learn {peer_kappa!r}.")
    print(
        f" {N_ROWS // 10**6} million rows: {1000 * seconds:.0f} ms, scikit-learn"
        f" {1000 * peer_seconds:.0f} ms ({peer_seconds / seconds:.0f} x);"
        f" kappa {kappa:.8f} and {peer_kappa:.8f}\n"
    )


def timed(score: Callable[..., float], y1: np.ndarray, y2: np.ndarray) -> tuple[float, float]:
    """Return the number of seconds that kappa took, and kappa."""
    start = time.perf_counter()
    kappa = score(y1, y2, weights="quadratic")
    return time.perf_counter() - start, kappa


if __name__ == "__main__":
    main()
