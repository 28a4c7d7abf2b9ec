"""Measure the cost of labels that are far apart, such as 10, 5000 and 1000000007.

    python -m bench.studies.label_distance [--quick]

For each type and number of labels, it prints the time for labels that are far apart divided by the
time for labels in a range, such as 0, 1 and 2. Labels are either found or given, with one thread or
all threads. The target is a ratio of at most 5. Then it prints the times of scikit-learn, and of
`numpy.unique` with `numpy.bincount`, divided by our time. Ratios are medians with quartiles. All
tables are compared before the calls are timed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.harness import machine, results, timing
from fastkappa import confusion_counts
from fastkappa.kernels.threads import available_threads

MOST = 5.0
NUMBERS_OF_LABELS = (2, 6, 16, 100, 1000)
SPANS = {
    "int64": 1 << 62,
    "uint64": 1 << 63,
    "int32": 1 << 30,
    "int16": 1 << 14,
    "float64": 1 << 40,
}


def ratings(n: int, n_labels: int, dtype: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the raters' codes in a (2, n) array, labels in a range, and labels far apart."""
    random = np.random.default_rng([n, n_labels])
    codes = random.integers(0, n_labels, (2, n))
    codes[1] = np.where(random.random(n) < 0.6, codes[0], codes[1])
    span = SPANS[dtype]
    lowest = 0 if dtype == "uint64" else -span
    far = np.unique(random.integers(lowest, span, 2 * n_labels))
    far = np.sort(random.choice(far, n_labels, replace=False))
    # Random labels can all be close together, so the first and the last label are set to the ends
    # of the range.
    far[0], far[-1] = lowest, span - 1
    return codes, np.arange(n_labels), far


def unique_and_bincount(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the table, computed in the usual way for arbitrary labels."""
    labels, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    a, b = codes[: len(first)], codes[len(first) :]
    n_labels = len(labels)
    return np.bincount(a * n_labels + b, minlength=n_labels**2).reshape(n_labels, n_labels)


def compare(n: int, n_labels: int, dtype: str, threads: int, rounds: int) -> dict[str, Any]:
    """Time labels in a range and labels far apart in turn."""
    codes, near, far = ratings(n, n_labels, dtype)
    close = [near[column].astype(dtype) for column in codes]
    apart = [far[column].astype(dtype) for column in codes]
    labels = far.astype(dtype)
    calls: dict[str, Callable[[], Any]] = {
        "range": lambda: confusion_counts(*close, num_threads=threads),
        "found": lambda: confusion_counts(*apart, num_threads=threads),
        "given": lambda: confusion_counts(*apart, labels=labels, num_threads=threads),
    }
    samples = timing.measure(calls, rounds)
    for name in ("found", "given"):
        assert (samples.results[name].table == samples.results["range"].table).all(), name
        assert (samples.results[name].labels == labels).all(), name
    row: dict[str, Any] = {"n": n, "labels": n_labels, "dtype": dtype, "threads": threads}
    row |= {name: samples.ratio(name, "range")._asdict() for name in ("found", "given")}
    met = max(row[name]["median"] for name in ("found", "given")) <= MOST
    print(
        f"{n:>10,} {dtype:<8}{n_labels:>5} labels {threads} thread{'s' if threads > 1 else ' '}"
        f"  found {in_words(row['found'])}  given {in_words(row['given'])} x labels in a range"
        f"{'' if met else '  NOT MET'}",
        flush=True,
    )
    return row


def beside_others(n: int, n_labels: int, dtype: str, rounds: int) -> dict[str, Any]:
    """Compare our time for labels far apart with that of code that people use instead."""
    from sklearn.metrics import confusion_matrix

    codes, _, far = ratings(n, n_labels, dtype)
    apart = [far[column].astype(dtype) for column in codes]
    calls: dict[str, Callable[[], Any]] = {
        "fastkappa": lambda: confusion_counts(*apart).table,
        "scikit-learn": lambda: confusion_matrix(*apart),
        "unique and bincount": lambda: unique_and_bincount(*apart),
    }
    samples = timing.measure(calls, rounds)
    row: dict[str, Any] = {"n": n, "labels": n_labels, "dtype": dtype}
    for name in ("scikit-learn", "unique and bincount"):
        assert (samples.results[name] == samples.results["fastkappa"]).all(), name
        row[name] = samples.ratio(name, "fastkappa")._asdict()
    print(
        f"{n:>10,} {dtype:<8}{n_labels:>5} labels  scikit-learn {in_words(row['scikit-learn'])},"
        f" unique and bincount {in_words(row['unique and bincount'])} x fastkappa",
        flush=True,
    )
    return row


def in_words(ratio: dict[str, Any]) -> str:
    return f"{ratio['median']:6.2f} [{ratio['lower']:.2f}, {ratio['upper']:.2f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a million ratings, fewer types")
    quick = parser.parse_args().quick
    dtypes = ("int64", "int32") if quick else tuple(SPANS)
    rounds = 9 if quick else 21
    measured: dict[str, Any] = {"machine": machine.announce(), "distance": [], "others": []}
    for n in (10**6,) if quick else (10**6, 10**7):
        for dtype in dtypes:
            for n_labels in NUMBERS_OF_LABELS:
                for threads in sorted({1, available_threads()}):
                    row = compare(n, n_labels, dtype, threads, rounds)
                    measured["distance"].append(row)
    for dtype in dtypes:
        for n_labels in (6, 100):
            measured["others"].append(beside_others(10**6, n_labels, dtype, 3))
    results.write("label_distance", measured)


if __name__ == "__main__":
    main()
