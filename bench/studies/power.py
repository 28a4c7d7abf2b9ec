"""Check whether planned studies have the power and the size that `sample_size` promises.

    python -m bench.studies.power [--samples 20000]

For each design, the number of items is planned for a power of 80 % at a level of 5 %. Studies with
that many items are simulated with the expected kappa for the power, and with the hypothesised kappa
for the size of the test. Each study is tested by ``agreement(..., null_kappa=...)`` or
`fleiss_kappa`. The printed tables are in docs/evidence/planning.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from bench.harness import machine
from bench.studies.coverage import guessing, neighbours
from fastkappa.planning.designs import power, sample_size, sample_size_for_width
from fastkappa.statistics.inference import standard_error
from fastkappa.statistics.intervals.inverted import inverted_test
from fastkappa.statistics.intervals.rao import null_test
from fastkappa.statistics.kappa import kappas

THREE, FOUR = (0.5, 0.3, 0.2), (0.4, 0.3, 0.2, 0.1)
WITHIN = 0.02


class Design(NamedTuple):
    """The design of a study. ``labels`` holds the rate of each label, the same for both raters."""

    kappa: float
    null_kappa: float
    labels: tuple[float, ...]
    weights: Any = None
    alternative: Any = "two-sided"
    raters: int = 2


def two(kappa: float, null_kappa: float, rate: float, **other: Any) -> Design:
    """Return a design with two labels."""
    return Design(kappa, null_kappa, (rate, 1 - rate), **other)


DESIGNS = (
    # The examples in docstrings.
    two(0.7, 0.85, 0.5, alternative="less"),
    two(0.8, 0.45, 0.75, alternative="greater"),
    Design(0.6, 0.4, (0.2, 0.25, 0.55), alternative="greater"),
    # Two labels
    two(0.4, 0.0, 0.5),
    two(0.3, 0.0, 0.2),
    two(0.8, 0.6, 0.5),
    two(0.6, 0.4, 0.2),
    two(0.8, 0.6, 0.1),
    two(0.9, 0.8, 0.3, alternative="greater"),
    # More labels
    Design(0.7, 0.4, THREE),
    Design(0.7, 0.4, THREE, "quadratic"),
    Design(0.3, 0.0, THREE, "quadratic"),
    Design(0.4, 0.6, FOUR, alternative="less"),
    Design(0.8, 0.6, FOUR),
    Design(0.8, 0.6, FOUR, "linear", "greater"),
    Design(0.8, 0.6, FOUR, "quadratic", "greater"),
    Design(0.9, 0.7, FOUR, "quadratic"),
    # Three or more raters
    two(0.6, 0.4, 0.3, raters=3),
    two(0.8, 0.6, 0.5, raters=3),
    two(0.6, 0.4, 0.2, raters=5),
    two(0.3, 0.0, 0.5, raters=3),
    Design(0.7, 0.4, THREE, raters=3),
    Design(0.7, 0.4, THREE, "quadratic", raters=4),
)


def lines(n_samples: int) -> Iterator[str]:
    """Yield the lines of the power table. An asterisk marks a difference of more than 2 points."""
    yield "| labels | raters | weights | kappa | null | against | n | planned | simulated |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for design in DESIGNS:
        arguments: dict[str, Any] = {
            "rates": (design.labels, design.labels),
            "weights": design.weights,
            "alternative": design.alternative,
            "n_raters": design.raters,
        }
        n = sample_size(design.kappa, null_kappa=design.null_kappa, **arguments)
        planned = power(n, design.kappa, null_kappa=design.null_kappa, **arguments)
        simulated = power(
            n, design.kappa, null_kappa=design.null_kappa, **arguments, n_simulated=n_samples, rng=1
        )
        cells = (
            *_common(design),
            str(n),
            f"{100 * planned:.1f} %",
            f"{100 * simulated:.1f} %{'' if abs(simulated - planned) <= WITHIN else ' *'}",
        )
        yield f"| {' | '.join(cells)} |"


def _common(design: Design) -> tuple[str, ...]:
    return (
        " ".join(f"{share:.2f}"[1:] for share in design.labels),
        str(design.raters),
        design.weights or "none",
        f"{design.kappa:g}",
        f"{design.null_kappa:g}",
        design.alternative,
    )


def size_lines(n_samples: int) -> Iterator[str]:
    """Yield a table with the size of two-sided and one-sided tests at a level of 5 %.

    For comparison, the last column is for a test based on kappa's own standard error.
    """
    rng = np.random.default_rng(2)
    yield "| labels | errors | weights | null | n | two-sided | less | greater | own error |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for labels in ((0.5, 0.5), (0.8, 0.2), THREE, FOUR):
        for errors in (guessing, neighbours) if len(labels) > 2 else (guessing,):
            for weights in (None, "quadratic") if len(labels) > 2 else (None,):
                for kappa in (0.4, 0.7):
                    for n in (50, 100, 200):
                        true = errors(labels, kappa, weights)
                        drawn = rng.multinomial(n, true.ravel(), n_samples)
                        drawn, times = np.unique(drawn, axis=0, return_counts=True)
                        tables = drawn.reshape(-1, *true.shape)
                        z, _ = null_test(tables, weights, kappa)
                        with np.errstate(divide="ignore", invalid="ignore"):
                            own = kappas(tables, weights) - kappa
                            own /= standard_error(tables, weights)
                        rejected = (
                            np.abs(z) > 1.959964,
                            z < -1.644854,
                            z > 1.644854,
                            np.abs(own) > 1.959964,
                        )
                        cells = (
                            " ".join(f"{share:.1f}"[1:] for share in labels),
                            errors.__name__,
                            weights or "none",
                            f"{kappa:g}",
                            str(n),
                            *(f"{100 * times[some].sum() / n_samples:.1f} %" for some in rejected),
                        )
                        yield f"| {' | '.join(cells)} |"


def width_lines(n_samples: int) -> Iterator[str]:
    """Yield a table with the mean width of score intervals in studies planned for a width."""
    rng = np.random.default_rng(3)
    yield "| labels | weights | kappa | n | planned width | mean width |"
    yield "|---|---|---|---|---|---|"
    for labels, weights, kappa in (
        ((0.5, 0.5), None, 0.8),
        ((0.8, 0.2), None, 0.6),
        (THREE, None, 0.7),
        (FOUR, "quadratic", 0.8),
    ):
        n = sample_size_for_width(kappa, 0.2, rates=(labels, labels), weights=weights)
        true = guessing(labels, kappa, weights)
        drawn, times = np.unique(
            rng.multinomial(n, true.ravel(), n_samples), axis=0, return_counts=True
        )
        low, high = inverted_test("score", drawn.reshape(-1, *true.shape), weights, 0.95)
        mean = ((high - low) * times).sum() / n_samples
        shares = " ".join(f"{share:.1f}"[1:] for share in labels)
        yield f"| {shares} | {weights or 'none'} | {kappa:g} | {n} | 0.2 | {mean:.3f} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=20_000)
    arguments = parser.parse_args()
    print(machine.in_words(machine.describe()))
    for title, found in (
        ("Power", lines(arguments.samples)),
        ("Size", size_lines(arguments.samples // 4)),
        ("Width", width_lines(arguments.samples // 10)),
    ):
        print(f"\n{title}:\n")
        for line in found:
            print(line, flush=True)


if __name__ == "__main__":
    main()
