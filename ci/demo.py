"""What `make demo` shows: the kappa of real ratings, and the time for many of them."""

from __future__ import annotations

import csv
import shlex
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fastkappa import cohen_kappa_score, datasets

N_ROWS = 10_000_000
REPEATS = 7


def main() -> None:
    rated = datasets.load("diabetic_retinopathy")
    print()
    for text in (rated.description, rated.source):
        print(textwrap.fill(text, 80, break_on_hyphens=False))
    y1, y2 = rated.expand()
    show_command(y1, y2)
    show_speed(y1, y2)


def show_command(y1: np.ndarray, y2: np.ndarray) -> None:
    """Run the command line on the ratings, in a temporary folder."""
    arguments = "score retinopathy.csv --y1 left --y2 right --weights quadratic"
    with tempfile.TemporaryDirectory() as folder:
        with Path(folder, "retinopathy.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["left", "right"])
            writer.writerows(zip(y1.tolist(), y2.tolist()))
        print(f"\n$ fastkappa {arguments}", flush=True)
        subprocess.run(
            [sys.executable, "-m", "fastkappa", *shlex.split(arguments)], cwd=folder, check=True
        )


def show_speed(y1: np.ndarray, y2: np.ndarray) -> None:
    """Print the time for many rows beside scikit-learn's, and both values."""
    try:
        from sklearn.metrics import cohen_kappa_score as peer
    except ImportError:
        sys.exit("scikit-learn is not installed, so there is nothing to compare with.")
    drawn = np.random.default_rng(2015).integers(0, len(y1), N_ROWS)
    many = y1[drawn].astype(np.int64), y2[drawn].astype(np.int64)
    timed(cohen_kappa_score, *many)  # the first call starts the threads
    ours = [timed(cohen_kappa_score, *many) for _ in range(REPEATS)]
    kappa = ours[0][1]
    seconds = statistics.median(run for run, _ in ours)
    peer_seconds, peer_kappa = timed(peer, *many)
    if not np.isclose(kappa, peer_kappa, rtol=1e-12, atol=0):
        sys.exit(f"fastkappa says {kappa!r} and scikit-learn {peer_kappa!r}.")
    print(
        f" {N_ROWS // 10**6} million rows: {1000 * seconds:.0f} ms, scikit-learn"
        f" {1000 * peer_seconds:.0f} ms ({peer_seconds / seconds:.0f} x);"
        f" kappa {kappa:.8f} and {peer_kappa:.8f}\n"
    )


def timed(score: Callable[..., float], y1: np.ndarray, y2: np.ndarray) -> tuple[float, float]:
    """Return how many seconds a kappa takes, and the kappa."""
    start = time.perf_counter()
    kappa = score(y1, y2, weights="quadratic")
    return time.perf_counter() - start, kappa


if __name__ == "__main__":
    main()
