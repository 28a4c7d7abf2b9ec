"""Draw pictures of docs/index.md, docs/how_to/agreement/pictures.md and docs/start/walkthrough.md.

python docs/make_pictures.py
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")

import numpy as np
from matplotlib import pyplot

from fastkappa import agreement, agreement_from_confusion, bootstrap, datasets, kappa_from_confusion
from fastkappa.measurements import limits_of_agreement
from fastkappa.plotting import (
    plot_agreement,
    plot_agreement_chart,
    plot_bootstrap,
    plot_confusion,
    plot_forest,
    plot_limits_of_agreement,
)

# Peak expiratory flow by two meters, of Bland and Altman (1986).
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
IMAGES = Path(__file__).parent / "images"
README = Path(__file__).parents[1] / "README.md"


def main() -> None:
    """Draw all pictures, and print their paths and sizes."""
    # The same file each time: no date, and no random names in it.
    matplotlib.rcParams["svg.hashsalt"] = "fastkappa"
    figures = {name: ax.figure for name, ax in pictures().items()}
    figures |= {"walkthrough_bubbles": bubbles(), "walkthrough_copied": copied_ratings()}
    figures |= {"start_speed": speed()}
    for name, figure in figures.items():
        path = IMAGES / f"{name}.svg"
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)
        print(path, path.stat().st_size)


def speed() -> Any:
    """Draw the last int64 row of README's benchmark table, narrow enough for a phone."""
    rows = re.findall(r"^\| (dtype|int64) \|(.*)\|$", README.read_text(encoding="utf-8"), re.M)
    head, last = ([cell.strip() for cell in row[1].split("|")] for row in (rows[0], rows[-1]))
    row = dict(zip(head, last))
    ratios = {name[2:]: float(cell) for name, cell in row.items() if name.startswith("×")}
    bars = dict(sorted({"fastkappa": 1.0, **ratios}.items(), key=lambda bar: bar[1]))
    figure, ax = pyplot.subplots(figsize=(3.6, 2.3), layout="constrained")
    colors = ["#2b6cb0" if name == "fastkappa" else "#8a94a0" for name in bars]
    drawn = ax.barh(list(bars), list(bars.values()), color=colors)
    texts = [row["fastkappa"], *(f"{ratio:g} ×" for ratio in list(bars.values())[1:])]
    ax.bar_label(drawn, texts, padding=3)
    ax.set(xscale="log", xlim=(0.5, 3000), xticks=[], xlabel="time, log scale")
    ax.minorticks_off()
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    figure.suptitle(f"Quadratic κ of {row['items']} pairs (int64)", fontsize=10)
    return figure


def pictures() -> dict[str, Any]:
    skin = datasets.load("skin_condition")
    eyes = datasets.load("diabetic_retinopathy")
    diagnoses = datasets.load("fleiss_1981")
    cities = {
        "Winnipeg": datasets.load("multiple_sclerosis_winnipeg"),
        "New Orleans": datasets.load("multiple_sclerosis_new_orleans"),
    }
    return {
        "plot_agreement": plot_agreement(
            skin.table,
            labels=["terrible", "poor", "marginal", "clear"],
            raters=skin.raters,
            marginals=True,
            reverse_y=True,
        ),
        "plot_confusion": plot_confusion(
            eyes.table,
            labels=["none", "mild", "moderate", "severe", "proliferative"],
            raters=eyes.raters,
            normalize="true",
        ),
        "plot_agreement_chart": agreement_chart(cities["Winnipeg"]),
        "plot_bootstrap": plot_bootstrap(bootstrap(diagnoses.table, rng=1)),
        "plot_forest": plot_forest(
            {
                f"{city}, {weights or 'no'} weights": agreement_from_confusion(
                    rated.table, weights=weights
                )
                for weights in (None, "linear", "quadratic")
                for city, rated in cities.items()
            }
        ),
        "plot_limits_of_agreement": plot_limits_of_agreement(limits_of_agreement(WRIGHT, MINI)),
    }


def agreement_chart(rated: datasets.RatedTable) -> Any:
    ax = plot_agreement_chart(
        rated.table,
        labels=["certain", "probable", "possible", "doubtful or no"],
        raters=rated.raters,
        step_weights=(1, 8 / 9),
    )
    ax.legend(loc="upper left", frameon=False)
    return ax


def bubbles() -> Any:
    """Draw one table with three sets of options of plot_agreement."""
    state = np.random.RandomState(100)
    fruits = ["Apple", "Orange", "Pear"]
    result = agreement(state.choice(fruits, size=100), state.choice(fruits, size=100))
    figure, axes = pyplot.subplots(1, 3, figsize=(12, 4), layout="constrained")
    plot_agreement(result, ax=axes[0])
    plot_agreement(result, marginals=True, ax=axes[1])
    plot_agreement(result, marginals=True, reverse_y=True, ax=axes[2])
    return figure


def copied_ratings() -> Any:
    """Draw kappa against the proportion of copied ratings, for equal and unequal labels."""
    rng = np.random.default_rng(1)
    figure, axes = pyplot.subplots(1, 2, figsize=(8, 4), sharey=True, layout="constrained")
    for ax, p in zip(axes, ([1 / 3, 1 / 3, 1 / 3], [0.9, 0.05, 0.05])):
        copied = np.arange(0, 101, 2)
        kappas = np.array([kappa_from_confusion(studies(p, n, rng)) for n in copied])
        low, high = np.nanquantile(kappas, [0.025, 0.975], axis=1)
        ax.fill_between(copied / 100, low, high, color="0.8", label="95 % of the studies")
        ax.plot(copied / 100, np.nanmean(kappas, axis=1), color="black", label="their mean")
        ax.set_title("labels: " + ", ".join(f"{100 * each:.0f} %" for each in p))
        ax.set_xlabel("proportion of ratings copied")
    axes[0].set_ylabel("kappa of 100 items")
    axes[0].legend(loc="upper left", frameon=False)
    return figure


def studies(p: list[float], copied: int, rng: np.random.Generator) -> Any:
    """Return the tables of 4000 studies in which ``copied`` of 100 ratings are copied."""
    alike = rng.multinomial(copied, p, 4000)
    guessed = rng.multinomial(100 - copied, np.outer(p, p).ravel(), 4000)
    return alike[:, :, None] * np.eye(3, dtype=int) + guessed.reshape(-1, 3, 3)


if __name__ == "__main__":
    main()
