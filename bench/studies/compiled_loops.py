"""Compare the speed of `fastkappa.jit` in compiled loops with a function from notebooks.

    python -m bench.studies.compiled_loops [--quick]

The results of each pair of loops are compared, and then the loops are timed in turn. The pasted
function computes two margins and one sum without checks, so a label outside the range would make it
write out of bounds. A ratio below 1 means that `fastkappa.jit` is faster.
"""

# The compiled functions use NumPy's legacy random functions, which numba supports.
# ruff: noqa: NPY002

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import numba
import numpy as np

from bench.harness import machine, timing
from fastkappa import jit

SIZES = (50, 200, 3700, 30_000)
N_LABELS = 5
# The approximate number of items that a timed call scores, over all its repetitions.
ITEMS = 20_000
ROUNDS = 21
ROUNDS_WHEN_QUICK = 9
THRESHOLDS = np.array([-1.5, -0.5, 0.5, 1.5])


@numba.njit
def pasted(y1, y2, n_labels):
    first = np.zeros(n_labels, np.int64)
    second = np.zeros(n_labels, np.int64)
    observed = 0
    for i in range(y1.size):
        a, b = np.int64(y1[i]), np.int64(y2[i])
        first[a] += 1
        second[b] += 1
        observed += (a - b) * (a - b)
    expected = 0.0
    for a in range(n_labels):
        for b in range(n_labels):
            expected += float(first[a]) * float(second[b]) * (a - b) * (a - b)
    return 1 - observed * y1.size / expected


@numba.njit
def cut(scores, thresholds):
    labels = np.empty(len(scores), np.int64)
    for i in range(len(scores)):
        label = 0
        for threshold in thresholds:
            if scores[i] >= threshold:
                label += 1
        labels[i] = label
    return labels


@numba.njit
def samples_pasted(first, second, n_labels):
    kappas = np.empty(len(first))
    for i in range(len(first)):
        kappas[i] = pasted(first[i], second[i], n_labels)
    return kappas


@numba.njit
def samples(first, second, n_labels):
    kappas = np.empty(len(first))
    for i in range(len(first)):
        table = jit.confusion_matrix(first[i], second[i], n_labels)
        kappas[i] = jit.kappa_from_confusion(table, "quadratic")
    return kappas


@numba.njit
def bootstrap_pasted(y1, y2, n_labels, n_replicates, seed):
    np.random.seed(seed)
    kappas = np.empty(n_replicates)
    for i in range(n_replicates):
        rows = np.random.randint(0, len(y1), len(y1))
        kappas[i] = pasted(y1[rows], y2[rows], n_labels)
    return kappas


@numba.njit
def bootstrap(y1, y2, n_labels, n_replicates, seed):
    """Run the bootstrap from docs/how_to/scale/compiled_loops.md."""
    np.random.seed(seed)
    kappas = np.empty(n_replicates)
    for i in range(n_replicates):
        rows = np.random.randint(0, len(y1), len(y1))
        table = jit.confusion_matrix(y1[rows], y2[rows], n_labels)
        kappas[i] = jit.kappa_from_confusion(table, "quadratic")
    return kappas


@numba.njit
def permutations_pasted(y1, y2, n_labels, n_replicates, seed):
    np.random.seed(seed)
    shuffled = y2.copy()
    kappas = np.empty(n_replicates)
    for i in range(n_replicates):
        np.random.shuffle(shuffled)
        kappas[i] = pasted(y1, shuffled, n_labels)
    return kappas


@numba.njit
def permutations(y1, y2, n_labels, n_replicates, seed):
    np.random.seed(seed)
    shuffled = y2.copy()
    kappas = np.empty(n_replicates)
    for i in range(n_replicates):
        np.random.shuffle(shuffled)
        table = jit.confusion_matrix(y1, shuffled, n_labels)
        kappas[i] = jit.kappa_from_confusion(table, "quadratic")
    return kappas


@numba.njit
def best_shift_pasted(scores, labels, thresholds, shifts):
    best, best_kappa = 0.0, -1.0
    for shift in shifts:
        kappa = pasted(labels, cut(scores, thresholds + shift), len(thresholds) + 1)
        if kappa > best_kappa:
            best, best_kappa = shift, kappa
    return best, best_kappa


@numba.njit
def best_shift(scores, labels, thresholds, shifts):
    """Run the search from docs/how_to/scale/compiled_loops.md."""
    best, best_kappa = 0.0, -1.0
    for shift in shifts:
        kappa = jit.kappa_at_thresholds(scores, labels, thresholds + shift)
        if kappa > best_kappa:
            best, best_kappa = shift, kappa
    return best, best_kappa


# The two versions of each loop: with fastkappa.jit, and with the code pasted into the loop.
LOOPS = {
    "samples": (samples, samples_pasted),
    "bootstrap (docs)": (bootstrap, bootstrap_pasted),
    "permutations": (permutations, permutations_pasted),
    "thresholds (docs)": (best_shift, best_shift_pasted),
}


def arguments(n: int) -> dict[str, tuple[Any, ...]]:
    """Return the arguments of each loop, for n items."""
    random = np.random.default_rng(n)
    repeats = max(3, ITEMS // n)
    severity = random.normal(size=(repeats, n))
    first, second = (
        np.clip(np.rint(severity + random.normal(0, 0.4, severity.shape)) + 2, 0, 4).astype(
            np.int64
        )
        for _ in range(2)
    )
    pair = (first[0].copy(), second[0].copy(), N_LABELS, repeats, 0)
    shifts = np.linspace(-0.3, 0.3, repeats)
    return {
        "samples": (first, second, N_LABELS),
        "bootstrap (docs)": pair,
        "permutations": pair,
        "thresholds (docs)": (severity[0].copy(), pair[0], THRESHOLDS, shifts),
    }


def seconds_to_compile(loop: Callable[..., Any], given: tuple[Any, ...]) -> float:
    start = process_time()
    loop(*given)
    return process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    rounds = ROUNDS_WHEN_QUICK if parser.parse_args().quick else ROUNDS
    machine.announce()
    small = arguments(50)
    print("\nFirst call, with compilation, in seconds of processor time: fastkappa.jit, pasted")
    for name, loops in LOOPS.items():
        times = [seconds_to_compile(loop, small[name]) for loop in loops]
        print(f"{name:<20}{times[0]:>6.1f}{times[1]:>6.1f}", flush=True)
    print("\nProcessor time per call, fastkappa.jit / pasted: median (quartiles)")
    print(f"{'n':<20}" + "".join(f"{n:>20}" for n in SIZES))
    for name, (ours, theirs) in LOOPS.items():
        cells = []
        for n in SIZES:
            given = arguments(n)[name]
            np.testing.assert_allclose(ours(*given), theirs(*given), rtol=1e-9, atol=1e-12)
            ratio = timing.measure(
                {"ours": lambda: ours(*given), "pasted": lambda: theirs(*given)},  # noqa: B023
                rounds,
                clock=process_time,
            ).ratio("ours", "pasted")
            cells.append(f"{ratio.median:.2f} ({ratio.lower:.2f}, {ratio.upper:.2f})")
        print(f"{name:<20}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
