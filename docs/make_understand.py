"""Draw the figures of docs/understand.

python docs/make_understand.py [FOLDER]

They are written to docs/images, or to a folder. Text stays text, so that files are small, and
nothing in them is random: the same versions of NumPy and Matplotlib draw the same files.
"""

from __future__ import annotations

import sys
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.patches import FancyBboxPatch, Rectangle

from fastkappa import ThresholdEvaluator, optimal_thresholds
from fastkappa.measurements import continuous_kappa

IMAGES = Path(__file__).parent / "images"
# On an opaque card, so that pages with a dark background need no second file.
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "fastkappa",
    "svg.fonttype": "none",
    "figure.facecolor": "white",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#5b6670",
    "text.color": "#1f2933",
    "axes.labelcolor": "#1f2933",
    "xtick.color": "#5b6670",
    "ytick.color": "#5b6670",
}
INK, GREY, PALE = "#1f2933", "#8a94a0", "#e4e9ee"
BLUE, ORANGE, GREEN = "#2b6cb0", "#c05621", "#2f855a"


def main(folder: Path = IMAGES) -> None:
    """Draw all figures, and print their paths and sizes."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        for draw in FIGURES:
            figure = draw()
            path = folder / f"understand_{draw.__name__}.svg"
            figure.savefig(path, metadata={"Date": None, "Creator": None})
            pyplot.close(figure)
            print(path, path.stat().st_size)


def kappa() -> Any:
    """Draw a table, the table of chance and the part of the way, as areas and lengths."""
    p = np.array([[20, 5], [10, 15]]) / 50
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    figure, axes = pyplot.subplots(
        1, 3, figsize=(7.6, 3), width_ratios=(1, 1, 0.85), layout="constrained"
    )
    _mosaic(axes[0], p, "observed: agreement 70 %")
    _mosaic(axes[1], np.outer(rows, columns), "by chance: agreement 50 %")
    ax = axes[2]
    ax.set(xlim=(-1.1, 2.6), ylim=(-0.02, 1.08))
    ax.axis("off")
    ax.add_patch(Rectangle((0, 0), 0.5, 0.5, facecolor=PALE, edgecolor=INK))
    ax.add_patch(Rectangle((0, 0.5), 0.5, 0.2, facecolor=BLUE, edgecolor=INK))
    ax.add_patch(Rectangle((0, 0.7), 0.5, 0.3, facecolor="white", edgecolor=INK))
    for at, name in ((0, "0"), (0.5, "pₑ = 0.5"), (0.7, "pₒ = 0.7"), (1, "1")):
        ax.text(-0.08, at, name, ha="right", va="center")
    for low, high, x, name in ((0.5, 0.7, 0.62, "0.2"), (0.5, 1, 1.2, "0.5")):
        ax.annotate("", (x, low), (x, high), arrowprops={"arrowstyle": "<->", "color": GREY})
        ax.text(x + 0.08, (low + high) / 2, name, va="center")
    ax.text(0.62, 0.22, "κ = 0.2 / 0.5\n   = 0.4", va="center", weight="bold")
    return figure


def _mosaic(ax: Any, p: Any, title: str) -> None:
    """Draw the cells of a table of two labels as areas, a column for each of the second's."""
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_title(title, fontsize=9)
    left = 0.0
    for j, width in enumerate(p.sum(axis=0)):
        top = 1.0
        for i, height in enumerate(p[:, j] / width):
            top -= height
            face = BLUE if i == j else PALE
            ax.add_patch(Rectangle((left, top), width, height, facecolor=face, edgecolor="white"))
            ink = "white" if i == j else INK
            ax.text(
                left + width / 2,
                top + height / 2,
                f"{p[i, j]:.0%}".replace("%", " %"),
                ha="center",
                va="center",
                color=ink,
            )
        left += width
    ax.set_xticks([0.3, 0.8], ["second: yes", "no"])
    ax.set_yticks([0.75, 0.25], ["first: yes", "no"], rotation=90, va="center")
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def weights() -> Any:
    """Draw the three named sets of weights."""
    steps = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    named = {"no weights": np.sign(steps), "linear": steps, "quadratic": steps**2}
    figure, axes = pyplot.subplots(1, 3, figsize=(7.2, 2.6), layout="constrained")
    for ax, (name, matrix) in zip(axes, named.items()):
        ax.set(xlim=(-0.5, 4.5), ylim=(4.5, -0.5), aspect="equal")
        ax.set_title(name, fontsize=9)
        for (i, j), weight in np.ndenumerate(matrix):
            shade = weight / matrix.max()
            tile = Rectangle(
                (j - 0.5, i - 0.5), 1, 1, facecolor=pyplot.colormaps["Blues"](0.77 * shade)
            )
            ax.add_patch(tile)
            ax.text(j, i, weight, ha="center", va="center", color="white" if shade > 0.6 else INK)
        ax.set_xticks(range(5), "abcde")
        ax.set_yticks(range(5), "abcde")
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
    return figure


def missing_middle() -> Any:
    """Draw the positions of labels with and without the one that nobody gave."""
    figure, axes = pyplot.subplots(1, 2, figsize=(7.2, 1.35), layout="constrained")
    for ax, labels, title, distance in (
        (axes[0], [0, 1, 3], "labels that occur: 3 for 1 weighs 1", 1),
        (axes[1], [0, 1, 2, 3], "labels=[0, 1, 2, 3]: 3 for 1 weighs 4", 2),
    ):
        ax.set(xlim=(-0.4, 3.4), ylim=(-0.75, 0.95))
        ax.axis("off")
        ax.set_title(title, fontsize=9)
        ax.plot([0, len(labels) - 1], [0, 0], color=GREY, linewidth=1)
        for position, label in enumerate(labels):
            used = label != 2
            ax.plot(position, 0, "o", color=BLUE if used else "white", markeredgecolor=BLUE, ms=9)
            ax.text(position, -0.62, str(label), ha="center", color=INK if used else GREY)
        ax.annotate(
            "",
            (1, 0.15),
            (1 + distance, 0.15),
            arrowprops={
                "arrowstyle": "<->",
                "color": ORANGE,
                "connectionstyle": f"arc3,rad={0.5 / distance}",
            },
        )
    return figure


def table() -> Any:
    """Draw what fills a table, and what reads it."""
    figure, ax = pyplot.subplots(figsize=(7.2, 2.7), layout="constrained")
    ax.set(xlim=(0, 10), ylim=(0, 4.5))
    ax.axis("off")
    sources = [
        "arrays, any integers",
        "strings, categories",
        "files in batches",
        "frames, databases",
    ]
    readers = [
        "κ and other indices",
        "errors, intervals, tests",
        "bootstrap, posterior",
        "reports, pictures",
    ]
    for names, left, towards in ((sources, 0.0, 1), (readers, 7.1, -1)):
        for i, name in enumerate(names):
            y = 3.45 - 0.95 * i
            box = FancyBboxPatch((left + 0.05, y), 2.75, 0.6, "round,pad=0.05", fc=PALE, ec="none")
            ax.add_patch(box)
            ax.text(left + 1.43, y + 0.3, name, ha="center", va="center")
            ends = ((2.95, y + 0.3), (3.95, 2.3)) if towards == 1 else ((6.0, 2.3), (7.0, y + 0.3))
            ax.annotate("", ends[1], ends[0], arrowprops={"arrowstyle": "->", "color": GREY})
    counts = [[12, 4, 1], [3, 9, 2], [0, 1, 8]]
    for i, row in enumerate(counts):
        for j, count in enumerate(row):
            face = "#bcd3ea" if i == j else "white"
            corner = (4.1 + 0.6 * j, 2.6 - 0.6 * i)
            ax.add_patch(Rectangle(corner, 0.6, 0.6, facecolor=face, edgecolor=INK))
            ax.text(corner[0] + 0.3, corner[1] + 0.3, str(count), ha="center", va="center")
    ax.text(5, 0.85, "ℓ × ℓ counts", ha="center")
    ax.text(3.35, 0.1, "time grows with n", ha="center", color=ORANGE)
    ax.text(6.6, 0.1, "time grows with ℓ²", ha="center", color=GREEN)
    return figure


def linear() -> Any:
    """Draw kappa against the scale of predictions, and how they are distributed."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.clip(np.rint(2 + X @ [0.8, 0.5, 0.0] + rng.normal(0, 0.8, 400)), 0, 4)
    features = np.column_stack([np.ones(400), X])
    predicted = features @ np.linalg.lstsq(features, y, rcond=None)[0]
    r = float(np.corrcoef(y, predicted)[0, 1])
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7.4, 2.8), layout="constrained")
    scales = np.linspace(0.1, 3, 60)
    kappas = [continuous_kappa(y, y.mean() + c * (predicted - y.mean())) for c in scales]
    left.plot(scales, kappas, color=INK)
    for c, name, color, at, align in (
        (1, "least squares", ORANGE, (1.1, 0.62), "top"),
        (1 / r, "stretched by 1 / R", BLUE, (0.6, 0.81), "bottom"),
    ):
        value = continuous_kappa(y, y.mean() + c * (predicted - y.mean()))
        left.plot(c, value, "o", color=color)
        left.text(*at, f"{name}: {value:.3f}", color=color, va=align)
    left.axhline(r, color=GREY, linewidth=0.8, linestyle="--")
    left.text(3, r + 0.015, "R", ha="right", va="bottom", color=GREY)
    left.set(xlabel="scale of the predictions", ylabel="κ", ylim=(0, 1))
    bins = np.arange(-1.75, 6, 0.5)
    stretched = y.mean() + (predicted - y.mean()) / r
    right.hist(y, bins=np.arange(-0.25, 4.5, 0.5), color=PALE, edgecolor=GREY, label="labels")
    for values, name, color in (
        (predicted, "least squares", ORANGE),
        (stretched, "stretched", BLUE),
    ):
        right.hist(values, bins=bins, histtype="step", color=color, linewidth=1.5, label=name)
    right.set(xlabel="label, or prediction", ylabel="items", xlim=(-1.75, 5.75))
    right.legend(frameon=False, loc="upper right", fontsize=8)
    return figure


def dinkelbach() -> Any:
    """Draw all thresholds as points with the lines that turn, and the curves of one round."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 4, 60)
    scores = np.round(y + rng.normal(0, 1.0, 60), 1)
    order = np.argsort(scores, kind="stable")
    y, scores, labels = y[order], scores[order], np.arange(4)
    w = (labels[:, None] - labels) ** 2
    h = w[y].mean(axis=0)
    places = np.r_[0, np.flatnonzero(np.diff(scores)) + 1, 60]
    prefix = np.vstack([np.zeros(4, int), np.cumsum(np.eye(4, dtype=int)[y], axis=0)])
    choices = np.array(list(combinations_with_replacement(places, 3)))
    ends = np.column_stack([np.zeros(len(choices), int), choices, np.full(len(choices), 60)])
    tables = np.diff(prefix[ends], axis=1)
    observed, chance = (tables * w).sum(axis=(1, 2)), (tables.sum(axis=2) * h).sum(axis=1)
    ratios = [1.0]
    for _ in range(3):
        best = (observed - ratios[-1] * chance).argmin()
        ratios.append(observed[best] / chance[best])
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7.4, 3.2), layout="constrained")
    shown = rng.choice(len(choices), 250, replace=False)
    left.plot(chance[shown], observed[shown], ".", color=GREY, markersize=2.5)
    most = 1.05 * chance[shown].max()
    for ratio, color in zip((ratios[0], ratios[1], ratios[3]), (ORANGE, GREEN, BLUE)):
        left.plot([0, most], [0, ratio * most], color=color)
        left.text(most, ratio * most, f" κ = {1 - ratio:.2f}", color=color, va="center")
    left.plot(chance[best], observed[best], "o", color=BLUE)
    left.set(xlabel="C, disagreement by chance", ylabel="O, observed", xlim=(0, most))
    left.set_ylim(0, 1.05 * most)
    cost = w[y] - ratios[-1] * h
    for c, color in zip((1, 2, 3), (ORANGE, GREEN, BLUE)):
        curve = np.r_[0, np.cumsum(cost[:, c - 1] - cost[:, c])][places]
        least = curve.argmin()
        right.plot(places, curve, color=color, linewidth=1.2)
        right.plot(places[least], curve[least], "o", color=color)
        right.text(places[-1] + 1, curve[-1], f"f{'₁₂₃'[c - 1]}", color=color, va="center")
    right.set(xlabel="items below the threshold", ylabel="cost added")
    return figure


def new_items() -> Any:
    """Draw why the best thresholds of some items are not those of others."""
    rng = np.random.default_rng(0)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(7.4, 3), layout="constrained")
    cuts = np.linspace(-1.6, 1.6, 129)
    for n, color, width in [(100, GREY, 0.7)] * 6 + [(300_000, BLUE, 2.5)]:
        latent = rng.normal(size=n)
        labels, scores = (latent > 0.3).astype(int), latent + rng.normal(0, 0.7, n)
        curve = ThresholdEvaluator(labels, scores, weights=None).many(cuts[:, None])
        left.plot(cuts, curve, color=color, linewidth=width)
        best = curve.argmax()
        left.plot(cuts[best], curve[best], "o", color=color if n > 100 else ORANGE, markersize=4)
    left.set(xlabel="threshold", ylabel="κ", ylim=(0, 0.85))

    def items(n: int) -> tuple[Any, Any]:
        latent = rng.normal(size=n)
        labels = np.clip(np.rint(2 + 1.2 * latent), 0, 4).astype(int)
        return labels, latent + rng.normal(0, 0.7, n)

    population = items(300_000)
    on_new, best_of_all = ThresholdEvaluator(*population), optimal_thresholds(*population).kappa
    numbers = [100, 300, 1000, 3000, 10_000]
    kappas = []
    for n in numbers:
        found = [optimal_thresholds(*items(n), labels=range(5)) for _ in range(60_000 // n)]
        kappas.append([np.mean([(best.kappa, on_new(best.thresholds)) for best in found], axis=0)])
    old, new = np.concatenate(kappas).T
    right.semilogx(numbers, old, "o-", color=ORANGE, markersize=4)
    right.semilogx(numbers, new, "o-", color=BLUE, markersize=4)
    right.axhline(best_of_all, color=GREY, linestyle="--", linewidth=0.8)
    right.text(100, best_of_all + 0.001, "best there is", va="bottom", color=GREY)
    right.text(130, old[0], "  on its own items", color=ORANGE, va="center")
    right.text(130, new[0], "  on new items", color=BLUE, va="center")
    right.set(xlabel="items that thresholds were found on", ylabel="κ of the optimum")
    right.set_xticks(numbers, [f"{n:,}" for n in numbers])
    right.minorticks_off()
    return figure


def adders() -> Any:
    """Draw the tree of adders that takes sixteen bytes to one."""
    figure, ax = pyplot.subplots(figsize=(7.2, 2.9), layout="constrained")
    ax.set(xlim=(-2.6, 16.2), ylim=(-1.1, 4.7))
    ax.axis("off")
    at = [np.arange(16) + 0.0]
    for i, x in enumerate(at[0]):
        ax.add_patch(Rectangle((x - 0.42, 4.1), 0.84, 0.42, facecolor=PALE, edgecolor="none"))
        ax.text(x, 4.3, str(i + 1), ha="center", va="center", fontsize=7)
    for level, weight in enumerate((1, 2, 4, 8)):
        y = 3.2 - level
        at.append(at[-1].reshape(-1, 2).mean(axis=1))
        ax.plot([-0.6, at[-1][-1]], [y, y], color=ORANGE, linewidth=0.8, zorder=0)
        ax.text(
            -0.7, y, f"sum of weight {weight}", ha="right", va="center", color=ORANGE, fontsize=8
        )
        for x, above in zip(at[-1], at[-2].reshape(-1, 2)):
            for start in above:
                ax.plot(
                    [start, x], [y + (0.88 if level == 0 else 0.82), y], color=GREY, linewidth=0.8
                )
            ax.plot(x, y, "o", color=BLUE, markersize=11)
            ax.text(x, y - 0.03, "+", ha="center", va="center", color="white", weight="bold")
    ax.annotate("", (7.5, -0.65), (7.5, 0.05), arrowprops={"arrowstyle": "->", "color": BLUE})
    ax.text(7.8, -0.55, "carry of weight 16: counted", va="center", color=BLUE)
    return figure


FIGURES = (kappa, weights, missing_middle, table, linear, dinkelbach, new_items, adders)

if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
