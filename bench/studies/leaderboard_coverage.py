"""Measure the coverage of a leaderboard's intervals for kappas near 1 and for few items.

    python -m bench.studies.leaderboard_coverage [--boards 1000]

prints, for two predictions with random errors, the coverage of the interval for the first kappa and
of the paired interval for the difference. Without clusters, the intervals of kappa are score
intervals. With one cluster per item, they are percentile intervals.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from fastkappa import kappa_from_confusion, leaderboard

MARGIN = np.array([0.2, 0.3, 0.5])
# For each case, the number of items, and the proportions of errors in predictions a and b.
CASES = (
    (50, 0.02, 0.02),
    (50, 0.02, 0.1),
    (200, 0.01, 0.01),
    (200, 0.01, 0.04),
    (500, 0.01, 0.02),
    (1000, 0.05, 0.07),
)


def predicted(truth: Any, error: float, rng: np.random.Generator) -> Any:
    """Return predictions with a given error rate. All wrong labels are equally likely."""
    wrong = rng.random(len(truth)) < error
    return np.where(wrong, (truth + rng.integers(1, 3, len(truth))) % 3, truth)


def true_kappa(error: float, weights: Any) -> float:
    """Return the kappa of the population."""
    kept = np.diag(MARGIN) * (1 - error)
    table = kept + (1 - np.eye(3)) * MARGIN[:, None] * error / 2
    return float(kappa_from_confusion(table, weights=weights))


def percentages(case: tuple[int, float, float], weights: Any, n_boards: int) -> list[float]:
    """Return the coverage of kappa's two intervals and of the interval for the difference."""
    n, *errors = case
    first, second = (true_kappa(error, weights) for error in errors)
    held = np.zeros(3)
    for seed in range(n_boards):
        rng = np.random.default_rng([seed, n])
        truth = rng.choice(3, n, p=MARGIN)
        columns = {name: predicted(truth, error, rng) for name, error in zip("ab", errors)}
        board = leaderboard(truth, columns, weights=weights, n_resamples=999, rng=seed)
        alone = leaderboard(
            truth, columns, weights=weights, n_resamples=999, rng=seed, clusters=np.arange(n)
        )
        ends = [one.interval[one.names.index("a")] for one in (board, alone)]
        # The interval is for the other prediction's kappa minus the leader's, so the sign of the
        # difference depends on which prediction leads.
        last = board.names.index("b") == 1
        expected = [first, first, second - first if last else first - second]
        for i, (value, (low, high)) in enumerate(
            zip(expected, [*ends, board.difference_interval[1]])
        ):
            held[i] += low <= value <= high
    return list(100 * held / n_boards)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=1000, help="for each row")
    n_boards = parser.parse_args().boards
    print(f"{n_boards} leaderboards per row; standard error {21.8 / np.sqrt(n_boards):.1f} %")
    print("| items | errors | weights | kappa | interval | percentile interval | difference |")
    print("|---:|---|---|---:|---:|---:|---:|")
    for case in CASES:
        for weights in (None, "quadratic"):
            found = " | ".join(f"{one:.1f} %" for one in percentages(case, weights, n_boards))
            errors = f"{case[1]:.0%}, {case[2]:.0%}"
            kappa = true_kappa(case[1], weights)
            print(f"| {case[0]} | {errors} | {weights or 'none'} | {kappa:.3f} | {found} |")


if __name__ == "__main__":
    main()
