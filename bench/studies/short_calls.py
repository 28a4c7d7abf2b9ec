"""Compare short calls of the drop-in function and the compiled scorer with a pasted loop.

    python -m bench.studies.short_calls [--n N]

Such loops, compiled by numba, are common in notebooks. This one computes two margins and one sum,
with a hard-coded number of labels and without checks. All functions compute the quadratic kappa of
a hundred items and are called from Python in turn. A function that does nothing shows the minimum
cost of a call. Results are first compared with exact ones.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from bench.harness import contenders, machine, reference
from bench.harness.cases import Case, make_ratings
from bench.harness.timing import measure, summary
from fastkappa import cohen_kappa_score

NAMES = {"compiled scorer": 1e-15, "fastkappa": 1e-15, "njit loop": 1e-12}
ROUNDS = 51


def compare(case: Case) -> None:
    """Time one call of each function."""
    y1, y2 = make_ratings(case)
    table = reference.count(case, y1, y2)
    functions = {name: contenders.find("kappa", name).prepare(case) for name in NAMES}
    for name, function in functions.items():
        reference.check(name, function(y1, y2), table, NAMES[name])
    loop, scorer = functions["njit loop"], functions["compiled scorer"]
    calls = {
        "pasted loop": lambda: loop(y1, y2),
        "compiled scorer": lambda: scorer(y1, y2),
        "cohen_kappa_score": lambda: cohen_kappa_score(y1, y2, weights="quadratic"),
        "nothing": lambda: None,
    }
    samples = measure(calls, ROUNDS).seconds
    net = {name: 1e6 * (np.array(samples[name]) - samples["nothing"]) for name in calls}
    print(f"{case.n} items, {case.dtype}, {case.n_labels} labels")
    for name in ("pasted loop", "compiled scorer", "cohen_kappa_score"):
        print(f"  {name}")
        print_summary("µs a call", net[name])
        if name != "pasted loop":
            print_summary("µs slower than the loop", net[name] - net["pasted loop"])
            print_summary("times as fast as the loop", net["pasted loop"] / net[name])


def print_summary(what: str, samples: Any) -> None:
    """Print the median and the quartiles."""
    found = summary(list(samples))
    print(f"    {found.median:9.3f} [{found.lower:.3f}, {found.upper:.3f}] {what}")


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=100, help="how many items")
    n = parser.parse_args().n
    machine.announce()
    for dtype in ("int64", "uint8"):
        compare(Case(n, dtype))


if __name__ == "__main__":
    main()
