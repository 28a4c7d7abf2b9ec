"""Compare the speed of the accumulator with torchmetrics and with one call for all items.

    python -m bench.studies.accumulator [--quick]

Batches of 256 and 10,000 items are timed, as NumPy arrays and as tensors. Two ratios are printed:
the time of torchmetrics divided by that of fastkappa, and the time of fastkappa divided by its time
for all items in one call. Each library uses one thread. The results of the calls are compared
before the calls are timed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torchmetrics.classification import MulticlassCohenKappa

from bench.harness import machine
from bench.harness.timing import Samples, measure
from fastkappa import ConfusionAccumulator, cohen_kappa_score, confusion_counts

N_LABELS = 6
BATCHES = {256: 200, 10_000: 50}
ROUNDS = 15
ROUNDS_WHEN_QUICK = 5
Batches = list[tuple[Any, Any]]


def kappa_of_batches(batches: Batches) -> float:
    """Return the kappa of all batches, added to an accumulator one by one."""
    accumulator = ConfusionAccumulator()
    for batch in batches:
        accumulator.update(*batch)
    return accumulator.kappa(weights="quadratic")


def kappa_of_torchmetrics(batches: Batches, validate_args: bool) -> float:
    """Return the kappa that torchmetrics computes, in float32 precision."""
    metric = MulticlassCohenKappa(N_LABELS, weights="quadratic", validate_args=validate_args)
    for batch in batches:
        metric.update(*batch)
    return float(metric.compute())


def compare(size: int, dtype: str, rounds: int) -> None:
    """Time batches of one size, as arrays and as tensors."""
    rng = np.random.default_rng(size)
    y1, y2 = rng.integers(0, N_LABELS, (2, size * BATCHES[size])).astype(dtype)
    starts = range(0, len(y1), size)
    arrays = [(y1[start : start + size], y2[start : start + size]) for start in starts]
    tensors = [(torch.from_numpy(a), torch.from_numpy(b)) for a, b in arrays]
    calls: dict[str, Callable[[], Any]] = {
        "arrays": partial(kappa_of_batches, arrays),
        "tensors": partial(kappa_of_batches, tensors),
        "torchmetrics": partial(kappa_of_torchmetrics, tensors, True),
        "torchmetrics, without checks": partial(kappa_of_torchmetrics, tensors, False),
        "one call": partial(confusion_counts, y1, y2, num_threads=1),
    }
    right = cohen_kappa_score(y1, y2, weights="quadratic")
    for name, call in calls.items():
        if name != "one call":
            tolerance = 1e-5 if "torchmetrics" in name else 0
            assert abs(call() - right) <= tolerance, name
    samples = measure(calls, rounds)
    print(f"{BATCHES[size]} batches of {size} items, {dtype}, {N_LABELS} labels")
    for form in ("arrays", "tensors"):
        update = 1e6 * np.percentile(samples.seconds[form], [50, 25, 75]) / BATCHES[size]
        print(f"  {form}: {update[0]:.2f} [{update[1]:.2f}, {update[2]:.2f}] µs per update")
        print_ratio(samples, "torchmetrics", form)
        print_ratio(samples, "torchmetrics, without checks", form)
    for form in ("arrays", "tensors"):
        print_ratio(samples, form, "one call")


def print_ratio(samples: Samples, slow: str, fast: str) -> None:
    """Print the time of one call divided by that of another."""
    ratio = samples.ratio(slow, fast)
    quartiles = f"[{ratio.lower:.3g}, {ratio.upper:.3g}]"
    print(f"    {slow} / {fast}".ljust(48) + f"{ratio.median:8.3g} x {quartiles}")


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = ROUNDS_WHEN_QUICK if parser.parse_args().quick else ROUNDS
    torch.set_num_threads(1)
    machine.announce()
    for size in BATCHES:
        for dtype in ("int64", "uint8"):
            compare(size, dtype, rounds)


if __name__ == "__main__":
    main()
