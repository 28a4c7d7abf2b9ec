"""Draw the charts of a sweep.

    python -m bench.harness.charts [--docs]

reads bench/results/sweep.json and writes three SVG files there or, with --docs, to docs/images.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt

from bench.harness import results, timing

DOCS = Path(__file__).parents[2] / "docs" / "images"
# Dashes and markers distinguish the lines even without colour. Each line is named at its end.
STYLES: dict[str, dict[str, Any]] = {
    "fastkappa": {"color": "#000000", "marker": "o", "linewidth": 2.2},
    "compiled scorer": {"color": "#000000", "marker": "D", "linestyle": "--"},
    "njit loop": {"color": "#555555", "marker": "s", "linestyle": "-"},
    "np.bincount": {"color": "#555555", "marker": "^", "linestyle": "--"},
    "boost-histogram": {"color": "#888888", "marker": "v", "linestyle": "-."},
    "torchmetrics": {"color": "#888888", "marker": "x", "linestyle": ":"},
    "scikit-learn": {"color": "#333333", "marker": "+", "linestyle": ":"},
}


def draw(sweep: dict[str, Any], folder: Path) -> list[Path]:
    """Draw all charts and return the paths of their files."""
    folder.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"svg.hashsalt": "fastkappa", "font.size": 10, "axes.grid": True})
    plt.rcParams.update({"grid.color": "#dddddd", "grid.linewidth": 0.6})
    charts = {
        "benchmark_ratio.svg": (
            "Quadratic kappa: times as fast as scikit-learn",
            _ratio_to_sklearn,
            "log",
        ),
        "benchmark_efficiency.svg": (
            "Time to read the arrays once, divided by the time for kappa",
            _efficiency,
            "linear",
        ),
        "benchmark_rate.svg": (
            "Quadratic kappas per second",
            lambda row, rows: 1 / timing.summary(row["seconds"]).median,
            "log",
        ),
    }
    return [
        _chart(sweep, folder / name, title, value, scale)
        for name, (title, value, scale) in charts.items()
    ]


def _ratio_to_sklearn(row: dict[str, Any], rows: list[dict[str, Any]]) -> float | None:
    peer = next((r for r in rows if r["case"] == row["case"] and r["name"] == "scikit-learn"), None)
    if peer is None:
        return None
    return timing.summary(timing.ratios(peer["seconds"], row["seconds"])).median


def _efficiency(row: dict[str, Any], rows: list[dict[str, Any]]) -> float | None:
    """Return the efficiency, or None for few items, where call overhead dominates."""
    if row["case"]["n"] < 10**5:
        return None
    return timing.summary(row["efficiency"]).median


def _chart(
    sweep: dict[str, Any],
    path: Path,
    title: str,
    value: Callable[[dict[str, Any], list[dict[str, Any]]], float | None],
    scale: str,
) -> Path:
    """Draw a value as a function of the number of items, with one panel per dtype."""
    rows = [row for row in sweep["sizes"] if "seconds" in row]
    dtypes = list(dict.fromkeys(row["case"]["dtype"] for row in rows))
    figure, panels = plt.subplots(
        1, len(dtypes), figsize=(11, 4.4), sharey=True, squeeze=False, layout="constrained"
    )
    ends: dict[str, list[tuple[str, float, float]]] = {dtype: [] for dtype in dtypes}
    for axes, dtype in zip(panels[0], dtypes):
        axes.set(xscale="log", yscale=scale, title=dtype, xlabel="items")
        for name, style in STYLES.items():
            points = [
                (row["case"]["n"], y)
                for row in rows
                if row["name"] == name
                and row["case"]["dtype"] == dtype
                and (y := value(row, rows)) is not None
            ]
            if points:
                axes.plot(*zip(*points), markersize=4, **style)
                ends[dtype].append((name, *points[-1]))
        axes.spines[["top", "right"]].set_visible(False)
    # The names are placed last, because their positions depend on the final scales.
    for axes, dtype in zip(panels[0], dtypes):
        _name_lines(axes, ends[dtype])
    n_labels = rows[0]["case"]["n_labels"]
    figure.suptitle(f"{title} ({n_labels} labels)", fontsize=12)
    machine = sweep["machine"]
    caption = f"{machine['cpu']}, {machine['cores']} cores, {machine['simd']}, {machine['date']}"
    if sweep["quick"]:
        caption += ", quick run"
    figure.supxlabel(caption, fontsize=8, color="#555555")
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return path


def _name_lines(axes: Any, ends: list[tuple[str, float, float]]) -> None:
    """Write the name of each line at its end, moving names up where they would overlap."""
    axes.figure.canvas.draw()
    height = 12 * axes.figure.dpi / 72
    lowest = float("-inf")
    for name, x, y in sorted(ends, key=lambda end: end[2]):
        at = axes.transData.transform((x, y))[1]
        lowest = max(at, lowest + height)
        axes.annotate(
            name,
            (x, y),
            xytext=(8, (lowest - at) * 72 / axes.figure.dpi),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=STYLES[name]["color"],
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", action="store_true", help="write to docs/images")
    folder = DOCS if parser.parse_args().docs else results.RESULTS
    for path in draw(results.read("sweep"), folder):
        print(path)


if __name__ == "__main__":
    main()
