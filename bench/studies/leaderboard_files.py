"""Compare leaderboards of files, and of items with ids, with code that people write instead.

    python -m bench.studies.leaderboard_files [--quick] [--only ids|files]

First, leaderboards in memory with and without ids are compared. Then 500 submissions are ranked,
each with 20,000 rows in its own order, identified by strings. Three programs run in turn as
separate processes: the command, a loop over pandas and scikit-learn, and a dozen lines of polars
and ``bincount``. Only the command computes intervals. The study prints medians of paired ratios
with their quartiles, and the peak memory of the command. Results are compared before the timings.
``--quick`` uses the same files and items in fewer rounds, which takes about four minutes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow

from bench.harness import machine
from bench.harness.timing import measure, time_call
from bench.studies.leaderboard import predictions_of, print_ratio
from fastkappa import leaderboard

N_FILES, N_ROWS = 500, 20_000
N_ITEMS, N_PREDICTIONS = 10**6, 20
N_LABELS = 5
ROUNDS, ROUNDS_WHEN_QUICK = 7, 3
MOST_MEGABYTES = 300

PANDAS = """
import sys
from pathlib import Path
import pandas
from sklearn.metrics import cohen_kappa_score
truth, folder = sys.argv[1:]
read = pandas.read_csv if truth.endswith("csv") else pandas.read_parquet
truth = read(truth)
rows = []
for file in sorted(Path(folder).iterdir()):
    both = truth.merge(read(file), on="id", suffixes=("", "_predicted"))
    kappa = cohen_kappa_score(both["label"], both["label_predicted"], weights="quadratic")
    rows.append((kappa, file.name))
print(max(rows)[1])
"""
POLARS = """
import sys
from pathlib import Path
import numpy as np
import polars
truth, folder = sys.argv[1:]
read = polars.read_csv if truth.endswith("csv") else polars.read_parquet
truth, rows, label = read(truth), [], np.arange(5)
weights = np.subtract.outer(label, label) ** 2
for file in sorted(Path(folder).iterdir()):
    both = truth.join(read(file), on="id")
    cells = (5 * both["label"] + both["label_right"]).to_numpy()
    table = np.bincount(cells, minlength=25).reshape(5, 5)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    rows.append((1 - (weights * table).sum() / (weights * expected).sum(), file.name))
print(max(rows)[1])
"""
# A program that only reads the columns. Its time is a lower bound for a leaderboard.
READING = """
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count, scandir
from pathlib import Path
import numpy
import typer
from pyarrow import parquet

def main(truth: Path, folder: Path) -> None:
    def read(entry):
        file = parquet.ParquetFile(entry.path, pre_buffer=False)
        return file.read(["id", "label"], use_threads=False).num_rows
    with ThreadPoolExecutor(cpu_count()) as pool:
        print(sum(pool.map(read, scandir(folder))))

typer.run(main)
"""


def write_files(folder: Path, n_files: int) -> None:
    """Write the truth and the submissions in two formats."""
    rng = np.random.default_rng(0)
    ids = np.array([f"img_{i:08x}" for i in rng.permutation(10**7)[:N_ROWS]])
    truth = rng.integers(0, N_LABELS, N_ROWS)

    def write(name: str, labels: Any, order: Any) -> None:
        table = pandas.DataFrame({"id": ids[order], "label": labels[order]})
        for suffix in ("csv", "parquet"):
            path = folder / suffix / f"{name}.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)

    for j in range(n_files):
        guesses = rng.integers(0, N_LABELS, N_ROWS)
        right = rng.random(N_ROWS) < 0.5 + 0.4 * j / n_files
        write(f"{j:03d}", np.where(right, truth, guesses), rng.permutation(N_ROWS))
    write("truth", truth, slice(None))
    for suffix in ("csv", "parquet"):
        (folder / suffix / f"truth.{suffix}").rename(folder / f"truth.{suffix}")


def run(arguments: list[str]) -> str:
    """Return the output of a process."""
    # An installed package has compiled bytecode, so Python is allowed to write it here, too.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, check=True, capture_output=True, text=True
    ).stdout


def files(folder: Path, suffix: str, rounds: int) -> None:
    """Compare the command with the other programs, as whole processes."""
    paths = [str(folder / f"truth.{suffix}"), str(folder / suffix)]
    command = ["-m", "fastkappa", "leaderboard", *paths, "--id", "id", "--target", "label"]
    command += ["--weights", "quadratic", "--format", "csv", "--bootstrap"]
    calls: dict[str, Callable[[], Any]] = {
        "pandas": partial(run, ["-c", PANDAS, *paths]),
        "polars": partial(run, ["-c", POLARS, *paths]),
        "1000": partial(run, [*command, "1000"]),
        "0": partial(run, [*command, "0"]),
    }
    best = {name: Path(best_of(call())).name for name, call in calls.items()}
    assert len(set(best.values())) == 1, f"the programs rank different files first: {best}"
    if suffix == "parquet":
        calls["reading"] = partial(run, ["-c", READING, *paths])
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            taken[name].append(time_call(call)[0])
    print(f"{len(list((folder / suffix).iterdir()))} files of {N_ROWS} rows, {suffix}")
    print_ratio("pandas + scikit-learn / 1000 replicates", taken["pandas"], taken["1000"], ">= 8")
    print_ratio("pandas + scikit-learn / none", taken["pandas"], taken["0"], ">= 12")
    print_ratio("polars + bincount / 1000 replicates", taken["polars"], taken["1000"])
    print_ratio("polars + bincount / none", taken["polars"], taken["0"])
    if suffix == "parquet":
        print_ratio(
            "pandas + scikit-learn / a command that only reads", taken["pandas"], taken["reading"]
        )
    print(f"  peak memory {peak_megabytes([*command, '1000']):.0f} MB  < {MOST_MEGABYTES}")


def best_of(printed: str) -> str:
    """Return the name of the first file in the output of a program."""
    lines = printed.splitlines()
    return lines[1].split(",")[1] if len(lines) > 1 else lines[0]


def peak_megabytes(arguments: list[str]) -> float:
    """Return the peak memory of a process."""
    measured = (
        "import resource, subprocess, sys; subprocess.run([sys.executable, *sys.argv[1:]],"
        " check=True, stdout=subprocess.DEVNULL);"
        " print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    return int(run(["-c", measured, *arguments])) / 1024


def ids(rounds: int) -> None:
    """Compare leaderboards with ids of several kinds with a leaderboard without ids."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, N_LABELS, N_ITEMS, dtype=np.uint8)
    predictions = list(predictions_of(truth, N_PREDICTIONS))
    orders = [rng.permutation(N_ITEMS) for _ in predictions]
    numbers = rng.permutation(N_ITEMS)
    strings = np.array([f"img_{i:08x}" for i in numbers])
    kinds = {"integers": numbers, "NumPy strings": strings, "Arrow strings": pyarrow.array(strings)}
    expected = leaderboard(truth, predictions, rng=0)
    print(f"{N_PREDICTIONS} predictions of {N_ITEMS} items in memory, 1000 replicates")
    for kind, own in kinds.items():
        permuted = [(own.take(order), p[order]) for order, p in zip(orders, predictions)]
        calls = {
            "none": lambda: leaderboard(truth, predictions, rng=0),
            "same": partial(leaderboard, truth, [(own, p) for p in predictions], ids=own, rng=0),
            "permuted": partial(leaderboard, truth, permuted, ids=own, rng=0),
        }
        for name in ("same", "permuted"):
            assert calls[name]().interval.tolist() == expected.interval.tolist()
        taken = measure(calls, rounds).seconds
        print_ratio(f"{kind}, same order / no ids", taken["same"], taken["none"])
        print_ratio(f"{kind}, permuted / no ids", taken["permuted"], taken["none"], "<= 4")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--only", choices=["ids", "files"], help="one half of the study")
    options = parser.parse_args()
    rounds = ROUNDS_WHEN_QUICK if options.quick else ROUNDS
    machine.announce()
    if options.only != "files":
        ids(rounds)
    if options.only == "ids":
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, N_FILES)
        for suffix in ("csv", "parquet"):
            files(folder, suffix, rounds)


if __name__ == "__main__":
    main()
