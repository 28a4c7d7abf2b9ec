"""Compare counts on a GPU with PyTorch, CuPy and JAX with counts of copies on the host.

    python -m bench.studies.on_gpu [--items N]

For int64 and uint8 ratings with five labels, it prints the median time of one quadratic kappa: for
arrays on the GPU, for the same arrays copied to the host first, for ratings on the host, and by
torchmetrics on the GPU. All values are first compared with kappa on the host.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import cupy
import jax
import numpy as np
import torch
from torchmetrics.functional.classification import multiclass_cohen_kappa

from bench.harness import machine
from bench.harness.cases import Case, make_ratings
from bench.harness.timing import measure, summary
from fastkappa import cohen_kappa_score

ROUNDS = 7


def kappa(y1: Any, y2: Any) -> float:
    return float(cohen_kappa_score(y1, y2, weights="quadratic"))


def calls_of(y1: np.ndarray, y2: np.ndarray) -> dict[str, Callable[[], float]]:
    """Return a function that computes kappa for each device and library."""
    tensors = [torch.from_numpy(own).cuda() for own in (y1, y2)]
    cupy_arrays = [cupy.asarray(own) for own in (y1, y2)]
    jax_arrays = [jax.numpy.asarray(own) for own in (y1, y2)]

    def torchmetrics_kappa() -> float:
        truth, predictions = (own.long() for own in tensors)
        return float(
            multiclass_cohen_kappa(
                predictions, truth, num_classes=5, weights="quadratic", validate_args=False
            )
        )

    return {
        "PyTorch, on the GPU": lambda: kappa(*tensors),
        "CuPy, on the GPU": lambda: kappa(*cupy_arrays),
        "JAX, on the GPU": lambda: kappa(*jax_arrays),
        "PyTorch, copied to the host": lambda: kappa(*(own.cpu() for own in tensors)),
        "NumPy, on the host": lambda: kappa(y1, y2),
        "torchmetrics, on the GPU": torchmetrics_kappa,
    }


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=10**8, help="how many items")
    n = parser.parse_args().items
    jax.config.update("jax_enable_x64", True)
    machine.announce()
    print(f"{torch.cuda.get_device_name()}, CuPy {cupy.__version__}, JAX {jax.__version__}")
    for dtype in ("int64", "uint8"):
        calls = calls_of(*make_ratings(Case(n, dtype, 5)))
        expected = calls["NumPy, on the host"]()
        print(f"{n} items, {dtype}, 5 labels, quadratic kappa {expected}")
        for name, call in calls.items():
            print(f"  {name}: differs by {call() - expected:.1e}")
        for name, seconds in measure(calls, ROUNDS).seconds.items():
            print(f"  {1e3 * summary(seconds).median:9.2f} ms  {name}")


if __name__ == "__main__":
    main()
