"""Compare the time for many predictions or batches with single calls and scikit-learn.

    python -m bench.studies.leaderboard [--quick]

prints one ratio per target, as a median with quartiles. Results are compared before the timings.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score as sklearn_kappa

from bench.harness import machine
from bench.harness.timing import measure, ratios, summary
from fastkappa import (
    ConfusionAccumulator,
    cohen_kappa_score,
    confusion_counts,
    leaderboard,
    score_many,
)

N_ITEMS = 10**6
N_PREDICTIONS = 100
N_LABELS = 6
N_UPDATES = BATCH = 10**4
# The number of columns that scikit-learn scores. Scoring all columns would take seconds, and every
# column takes equally long.
COLUMNS_OF_SKLEARN = 10
ROUNDS = 15
ROUNDS_WHEN_QUICK = 5


def predictions_of(reference: Any, m: int) -> Any:
    """Return an (m, n) array of predictions that are correct for about 70 % of the items."""
    rng = np.random.default_rng(1)
    guesses = rng.integers(0, N_LABELS, (m, len(reference)), dtype=np.uint8)
    return np.where(rng.random((m, len(reference)), dtype=np.float32) < 0.65, reference, guesses)


def many_predictions(rounds: int) -> None:
    """Compare one call for all predictions with one call per prediction."""
    reference = np.random.default_rng(0).integers(0, N_LABELS, N_ITEMS, dtype=np.uint8)
    predictions = predictions_of(reference, N_PREDICTIONS)
    row_major = np.ascontiguousarray(predictions.T)
    alone = [cohen_kappa_score(reference, prediction) for prediction in predictions]
    assert score_many(reference, predictions, axis=1).kappas.tolist() == alone
    assert score_many(reference, row_major).kappas.tolist() == alone
    some = [sklearn_kappa(reference, predictions[j]) for j in range(COLUMNS_OF_SKLEARN)]
    np.testing.assert_allclose(some, alone[:COLUMNS_OF_SKLEARN], rtol=1e-12)

    own = "score_many"
    calls: dict[str, Callable[[], Any]] = {
        own: lambda: score_many(reference, predictions, axis=1),
        "calls of cohen_kappa_score": lambda: [
            cohen_kappa_score(reference, p) for p in predictions
        ],
        "score_many, one thread": lambda: score_many(reference, predictions, axis=1, num_threads=1),
        "score_many, row-major": lambda: score_many(reference, row_major),
        "scikit-learn": lambda: [
            sklearn_kappa(reference, predictions[j]) for j in range(COLUMNS_OF_SKLEARN)
        ],
    }
    seconds = measure(calls, rounds, once=["scikit-learn"]).seconds
    seconds["scikit-learn"] = [
        one * N_PREDICTIONS / COLUMNS_OF_SKLEARN for one in seconds["scikit-learn"]
    ]
    print(f"{N_PREDICTIONS} predictions of {N_ITEMS} items, uint8, {N_LABELS} labels")
    print_ratio("scikit-learn, column by column", seconds["scikit-learn"], seconds[own], ">= 300")
    print_ratio("the same, row-major", seconds["scikit-learn"], seconds["score_many, row-major"])
    print_ratio(
        "calls of cohen_kappa_score", seconds["calls of cohen_kappa_score"], seconds[own], ">= 1.3"
    )
    print_ratio("score_many, one thread", seconds["score_many, one thread"], seconds[own])
    # These calls are timed separately, because the threads of a matrix product keep a core busy for
    # a while afterwards, which would slow down other calls.
    calls = {
        "leaderboard": lambda: leaderboard(reference, predictions, axis=1, rng=0),
        "a pause": lambda: time.sleep(0.2),
        own: calls[own],
    }
    seconds = measure(calls, rounds).seconds
    print_ratio("leaderboard, 1000 replicates", seconds["leaderboard"], seconds[own], "<= 30")


def batches(dtype: str, rounds: int) -> None:
    """Compare many updates of an accumulator with one call for all items."""
    rng = np.random.default_rng(2)
    n_items = N_UPDATES * BATCH
    y1, y2 = (rng.integers(0, N_LABELS, n_items, dtype=np.uint8).astype(dtype) for _ in range(2))
    parts = [
        (y1[start : start + BATCH], y2[start : start + BATCH]) for start in range(0, n_items, BATCH)
    ]

    def accumulate() -> Any:
        accumulator = ConfusionAccumulator()
        for part in parts:
            accumulator.update(*part)
        return accumulator.table

    one_thread = partial(confusion_counts, y1, y2, num_threads=1)
    np.testing.assert_array_equal(accumulate(), one_thread().table)
    calls = {
        "updates": accumulate,
        "one thread": one_thread,
        "all threads": lambda: confusion_counts(y1, y2),
    }
    seconds = measure(calls, rounds).seconds
    print(f"{N_UPDATES} updates of {BATCH} items, {dtype}, against one call for all")
    for name in ("one thread", "all threads"):
        print_ratio(f"by {name}", seconds["updates"], seconds[name], "<= 1.5")
    above = [(u - o) / N_UPDATES for u, o in zip(seconds["updates"], seconds["one thread"])]
    print(f"  each update takes {1e6 * np.median(above):.2f} microseconds in addition to counting")


def print_ratio(what: str, slow: list[float], fast: list[float], target: str = "") -> None:
    """Print the time of the slow call divided by that of the fast call, and the target."""
    found = summary(ratios(slow, fast))
    print(f"  {what:<44}{found.median:8.3g} x [{found.lower:.3g}, {found.upper:.3g}]  {target}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = ROUNDS_WHEN_QUICK if parser.parse_args().quick else ROUNDS
    machine.announce()
    many_predictions(rounds)
    for dtype in ("int64", "int32", "uint8"):
        batches(dtype, rounds)


if __name__ == "__main__":
    main()
