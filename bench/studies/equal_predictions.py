"""Measure how often leaderboards of equally good predictions show significant differences.

    python -m bench.studies.equal_predictions [--boards 300] [--items 500]

prints, for each number of predictions, the percentage of leaderboards with at least one difference
whose interval is below 0. The first percentage is for individual paired intervals, and the second
is for simultaneous intervals, for which it should be at most 5 %. The predictions are equally good:
they share some errors, and each has some errors of its own.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from fastkappa import leaderboard

NUMBERS_OF_PREDICTIONS = (2, 8, 30, 100)
N_LABELS = 5
IN_COMMON, OWN = 0.2, 0.1


def equal_predictions(m: int, n_items: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return true labels and an (m, n_items) array of predictions with equal expected kappas."""
    truth = rng.integers(0, N_LABELS, n_items)
    guess = rng.integers(0, N_LABELS, n_items)
    common = np.where(rng.random(n_items) < IN_COMMON, guess, truth)
    own = rng.integers(0, N_LABELS, (m, n_items))
    return truth, np.where(rng.random((m, n_items)) < OWN, own, common)


def percentages(m: int, n_items: int, n_boards: int, weights: Any) -> tuple[float, float]:
    """Return the % of boards with a difference, by individual and simultaneous intervals."""
    shown = np.zeros(2)
    for seed in range(n_boards):
        rng = np.random.default_rng([seed, m])
        board = leaderboard(
            *equal_predictions(m, n_items, rng), axis=1, weights=weights, rng=rng, num_threads=1
        )
        shown += [
            (intervals[:, 1] < 0).any()
            for intervals in (board.difference_interval, board.simultaneous_interval)
        ]
    alone, together = 100 * shown / n_boards
    return float(alone), float(together)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=300, help="leaderboards per row")
    parser.add_argument("--items", type=int, default=500, help="items per leaderboard")
    given = parser.parse_args()
    error = 100 * np.sqrt(0.05 * 0.95 / given.boards)
    print(f"{given.boards} leaderboards of {given.items} items; standard error {error:.1f} %")
    print(f"{'weights':<10}{'predictions':>11}{'paired':>9}{'simultaneous':>14}")
    for weights in (None, "quadratic"):
        for m in NUMBERS_OF_PREDICTIONS:
            alone, together = percentages(m, given.items, given.boards, weights)
            print(f"{weights!s:<10}{m:>11}{alone:>7.1f} %{together:>12.1f} %", flush=True)


if __name__ == "__main__":
    main()
