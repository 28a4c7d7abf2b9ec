"""Measure time and memory for crowd ratings in long form, with a new process per source.

    python -m bench.studies.long_ratings [--quick]

Each of 10**6 items has ratings by five of a thousand raters. An array of these ratings would have
10**9 cells, 99.5 % of them empty. The rows are in random order, and are passed as int64 arrays, as
a pandas frame with strings and as a CSV file. The peak memory is that of the process, minus its
memory after the rows were loaded. Before the timings, the results for a hundredth of the items are
compared with those from an array.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import fastkappa
from bench.harness import machine
from fastkappa import Ratings

N_ITEMS, N_RATERS, N_EACH, N_LABELS = 1_000_000, 1000, 5, 5
MB = 1e6
COEFFICIENTS = {
    "fleiss_kappa": {},
    "randolph_kappa": {},
    "gwet_ac1": {},
    "krippendorff_alpha": {"level": "ordinal"},
    "conger_kappa": {},
    "light_kappa": {},
    "pairwise_kappa": {},
}
SOURCES = ("arrays", "pandas frame, strings", "CSV file")


def make_rows(n_items: int, n_raters: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return items, raters and ratings. Raters are correct for 60 % of the items."""
    rng = np.random.default_rng(20261)
    raters = rng.integers(0, n_raters, (n_items, N_EACH))
    while True:
        raters.sort(axis=1)
        again = np.zeros(raters.shape, bool)
        again[:, 1:] = raters[:, 1:] == raters[:, :-1]
        if not again.any():
            break
        raters[again] = rng.integers(0, n_raters, int(again.sum()))
    truth = rng.integers(0, N_LABELS, n_items)
    guesses = rng.integers(0, N_LABELS, raters.shape)
    ratings = np.where(rng.random(raters.shape) < 0.6, truth[:, None], guesses)
    order = rng.permutation(ratings.size)
    items = np.repeat(np.arange(n_items), N_EACH)[order]
    return items, raters.reshape(-1)[order], ratings.reshape(-1)[order]


def same_as_array() -> None:
    """Raise unless the results are equal to those from an array."""
    n_items, n_raters = N_ITEMS // 1000, 50
    items, raters, ratings = make_rows(n_items, n_raters)
    array = np.full((n_items, n_raters), np.nan)
    array[items, raters] = ratings
    long = Ratings.from_long(item=items, rater=raters, rating=ratings)
    wide = Ratings.from_array(array)
    for name, options in COEFFICIENTS.items():
        one, other = (getattr(fastkappa, name)(given, **options) for given in (long, wide))
        names = ("values", "standard_errors") if name == "pairwise_kappa" else ("value", "interval")
        for figure in names:
            np.testing.assert_allclose(getattr(one, figure), getattr(other, figure), rtol=1e-10)
    print(
        f"{len(COEFFICIENTS)} coefficients of {n_items} items x {n_raters} raters: as from an array"
    )


def source_of(kind: str, n_items: int, folder: Path) -> tuple[Any, dict[str, Any]]:
    """Return the source, and the arguments that name or contain its columns."""
    names = {"item": "item", "rater": "who", "rating": "grade"}
    if kind == "CSV file":
        return folder / f"{n_items}.csv", names
    items, raters, ratings = make_rows(n_items, N_RATERS)
    if kind == "arrays":
        return None, {"item": items, "rater": raters, "rating": ratings}
    pandas = importlib.import_module("pandas")
    item_names = np.array([f"image {i}" for i in range(n_items)], object)
    rater_names = np.array([f"worker {i}" for i in range(N_RATERS)], object)
    frame = pandas.DataFrame({"item": item_names[items], "who": rater_names[raters]})
    return frame.assign(grade=ratings), names


class Peak:
    """The peak memory of this process, minus its memory at the start."""

    def __init__(self) -> None:
        self._process = importlib.import_module("psutil").Process()
        self._before = self._most = self._process.memory_info().rss
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            self._most = max(self._most, self._process.memory_info().rss)
            time.sleep(0.001)

    def megabytes(self) -> float:
        return (self._most - self._before) / MB


def measure(kind: str, name: str, n_items: int, folder: Path) -> None:
    """Measure one coefficient in a separate process, and print a line."""
    if kind == "CSV file":
        # pyarrow is imported before the measurement, so that the library's own memory is not
        # attributed to the ratings.
        importlib.import_module("pyarrow.csv")
    source, columns = source_of(kind, n_items, folder)
    fastkappa.fleiss_kappa([[1, 1], [1, 2]])
    peak = Peak()
    start = time.perf_counter()
    ratings = Ratings.from_long(source, **columns)
    read, at_first = time.perf_counter(), peak.megabytes()
    getattr(fastkappa, name)(ratings, **COEFFICIENTS[name])
    end = time.perf_counter()
    print(
        f"{kind:<24}{name:<20}{read - start:>8.2f} s{at_first:>8.0f} MB{end - read:>10.2f} s"
        f"{peak.megabytes():>8.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the items")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    n_items = N_ITEMS // 10 if arguments.quick else N_ITEMS
    if arguments.one:
        kind, name, folder = arguments.one
        measure(kind, name, n_items, Path(folder))
        return
    machine.announce()
    same_as_array()
    print(f"\n{n_items} items x {N_RATERS} raters, {N_EACH} ratings per item, {N_LABELS} labels")
    print(f"{'':<44}{'from_long':>10}{'peak':>11}{'coefficient':>12}{'peak of both':>13}")
    with tempfile.TemporaryDirectory() as folder:
        items, raters, ratings = make_rows(n_items, N_RATERS)
        pandas = importlib.import_module("pandas")
        frame = pandas.DataFrame({"item": items, "who": raters, "grade": ratings})
        frame.to_csv(Path(folder, f"{n_items}.csv"), index=False)
        del items, raters, ratings, frame
        for kind in SOURCES:
            names = COEFFICIENTS if kind == "arrays" else ("conger_kappa",)
            for name in names:
                command = [sys.executable, "-m", "bench.studies.long_ratings"]
                quick = ["--quick"] if arguments.quick else []
                subprocess.run([*command, *quick, "--one", kind, name, folder], check=True)


if __name__ == "__main__":
    main()
