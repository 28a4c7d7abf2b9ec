"""The pictures, compared pixel by pixel with the files in baseline_images.

python tests/plotting/test_plotting_images.py
draws the files again; look at them before you commit them. Text is left out because fonts
differ between machines.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text

from fastkappa import datasets
from fastkappa.measurements import limits_of_agreement
from fastkappa.plotting import (
    plot_agreement,
    plot_agreement_chart,
    plot_bootstrap,
    plot_confusion,
    plot_forest,
    plot_limits_of_agreement,
)
from tests.helpers.published_measurements import MINI, WRIGHT

BASELINES = Path(__file__).parent / "baseline_images"
# The root mean squared difference of the pixels, which are 0 to 255.
TOLERANCE = 0.5
EYES = datasets.load("diabetic_retinopathy").table
SKIN = datasets.load("skin_condition").table
STEPS = (1, 8 / 9, 5 / 9)
SALMON = datasets.load("salmon_antibody_test").table
# Twenty labels, with agreement that decreases with the distance.
POSITION = np.arange(20)
DISTANCE = np.abs(POSITION[:, None] - POSITION)
TWENTY = np.maximum(0, 60 - 15 * DISTANCE + 3 * (POSITION % 4))


class Bootstrap(NamedTuple):
    replicates: Any
    estimate: float
    interval: tuple[float, float]


def bootstrap(estimate: float = 0.7, low: float = 0.6, high: float = 0.85) -> Bootstrap:
    normal = NormalDist(0.71, 0.06)
    replicates = [normal.inv_cdf((i + 0.5) / 500) for i in range(500)]
    return Bootstrap(np.array(replicates), estimate, (low, high))


def changed(table: Any, cell: tuple[int, int], count: int) -> Any:
    table = table.copy()
    table[cell] = count
    return table


ESTIMATES = [0.208, 0.297, -0.15, 0.9]
INTERVALS = [[0.109, 0.307], [0.157, 0.437], [-0.4, 0.1], [0.8, 0.97]]

FLOW = limits_of_agreement(WRIGHT, MINI)

PICTURES: dict[str, Callable[[Any], Any]] = {
    "agreement_2": lambda ax: plot_agreement(SALMON, ax=ax),
    "agreement_4": lambda ax: plot_agreement(SKIN, ax=ax, marginals=True),
    "agreement_5": lambda ax: plot_agreement(EYES, ax=ax, marginals=True, reverse_y=True),
    "agreement_20": lambda ax: plot_agreement(TWENTY, ax=ax, reverse_y=True),
    "chart_2": lambda ax: plot_agreement_chart(SALMON, ax=ax, reverse_y=True),
    "chart_4": lambda ax: plot_agreement_chart(SKIN, ax=ax, step_weights=STEPS),
    "confusion_2": lambda ax: plot_confusion(SALMON, ax=ax),
    "confusion_5": lambda ax: plot_confusion(EYES, ax=ax, normalize="true"),
    "confusion_20": lambda ax: plot_confusion(TWENTY, ax=ax),
    "bootstrap": lambda ax: plot_bootstrap(bootstrap(), ax=ax),
    "forest": lambda ax: plot_forest(ESTIMATES, intervals=INTERVALS, ax=ax),
    "limits": lambda ax: plot_limits_of_agreement(FLOW, ax=ax),
}

# The smallest relevant faults, which must be detected in the picture of that name.
WRONG: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "one count of 10 is 14": (
        "agreement_2",
        lambda ax: plot_agreement(changed(SALMON, (1, 0), 14), ax=ax),
    ),
    "raters swapped in a nearly symmetric table": (
        "agreement_2",
        lambda ax: plot_agreement(SALMON.T, ax=ax),
    ),
    "one count of 12 is 10": (
        "agreement_4",
        lambda ax: plot_agreement(changed(SKIN, (1, 2), 10), ax=ax, marginals=True),
    ),
    "raters swapped": ("agreement_4", lambda ax: plot_agreement(SKIN.T, ax=ax, marginals=True)),
    "no histograms": ("agreement_4", lambda ax: plot_agreement(SKIN, ax=ax)),
    "axis not reversed": (
        "agreement_5",
        lambda ax: plot_agreement(EYES, ax=ax, marginals=True),
    ),
    "one count of 63 is 33": (
        "agreement_20",
        lambda ax: plot_agreement(changed(TWENTY, (9, 9), 33), ax=ax, reverse_y=True),
    ),
    "one count is missing": (
        "agreement_20",
        lambda ax: plot_agreement(changed(TWENTY, (9, 10), 0), ax=ax, reverse_y=True),
    ),
    "areas of raters swapped": (
        "chart_4",
        lambda ax: plot_agreement_chart(SKIN.T, ax=ax, step_weights=STEPS),
    ),
    "one area of 12 is 10": (
        "chart_4",
        lambda ax: plot_agreement_chart(changed(SKIN, (1, 2), 10), ax=ax, step_weights=STEPS),
    ),
    "no partial agreement": ("chart_4", lambda ax: plot_agreement_chart(SKIN, ax=ax)),
    "one area of 10 is 14": (
        "chart_2",
        lambda ax: plot_agreement_chart(changed(SALMON, (1, 0), 14), ax=ax, reverse_y=True),
    ),
    "boxes upwards": ("chart_2", lambda ax: plot_agreement_chart(SALMON, ax=ax)),
    "one count of 19 is 29": (
        "confusion_2",
        lambda ax: plot_confusion(changed(SALMON, (1, 1), 29), ax=ax),
    ),
    "proportions of the column": (
        "confusion_5",
        lambda ax: plot_confusion(EYES, ax=ax, normalize="pred"),
    ),
    "one count of 96 is 196": (
        "confusion_5",
        lambda ax: plot_confusion(changed(EYES, (2, 3), 196), ax=ax, normalize="true"),
    ),
    "one heat of 63 is 33": (
        "confusion_20",
        lambda ax: plot_confusion(changed(TWENTY, (9, 9), 33), ax=ax),
    ),
    "estimate off by 0.02": (
        "bootstrap",
        lambda ax: plot_bootstrap(bootstrap(estimate=0.72), ax=ax),
    ),
    "lower end off by 0.02": ("bootstrap", lambda ax: plot_bootstrap(bootstrap(low=0.58), ax=ax)),
    "one estimate off by 0.05": (
        "forest",
        lambda ax: plot_forest([0.258, *ESTIMATES[1:]], intervals=INTERVALS, ax=ax),
    ),
    "one end off by 0.05": (
        "forest",
        lambda ax: plot_forest(ESTIMATES, intervals=[*INTERVALS[:3], [0.75, 0.97]], ax=ax),
    ),
    "methods swapped": (
        "limits",
        lambda ax: plot_limits_of_agreement(limits_of_agreement(MINI, WRIGHT), ax=ax),
    ),
    "one measurement off by 40": (
        "limits",
        lambda ax: plot_limits_of_agreement(limits_of_agreement(WRIGHT, [*MINI[:16], 491]), ax=ax),
    ),
    "narrower intervals": (
        "limits",
        lambda ax: plot_limits_of_agreement(
            limits_of_agreement(WRIGHT, MINI, confidence=0.8), ax=ax
        ),
    ),
}


def draw(picture: Callable[[Any], Any], path: Path) -> Path:
    """Draw a picture without text, in the default style of matplotlib."""
    with matplotlib.rc_context(matplotlib.rcParamsDefault):
        figure = Figure(figsize=(4, 4), dpi=60)
        ax = figure.add_axes((0.08, 0.08, 0.72, 0.72))
        picture(ax)
        for axes in (ax, *ax.child_axes):
            axes.tick_params(labelleft=False, labelright=False, labelbottom=False)
        for text in figure.findobj(Text):
            text.set_visible(False)
        figure.savefig(path, metadata={"Software": None})
    return path


def difference(name: str, picture: Callable[[Any], Any], folder: Path, tolerance: float) -> Any:
    """Return None if a picture equals its stored file, or else matplotlib's report."""
    drawn = draw(picture, folder / f"{name}.png")
    return compare_images(
        str(BASELINES / f"{name}.png"), str(drawn), tol=tolerance, in_decorator=True
    )


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name: str, tmp_path: Path) -> None:
    assert difference(name, PICTURES[name], tmp_path, TOLERANCE) is None


@pytest.mark.slow
@pytest.mark.parametrize("fault", WRONG)
def test_wrong_picture_is_seen(fault: str, tmp_path: Path) -> None:
    name, picture = WRONG[fault]
    found = difference(name, picture, tmp_path, 2 * TOLERANCE)
    assert found is not None, f"the tolerance is too large to see that {fault}"


def test_baselines_are_those_of_the_pictures() -> None:
    assert {path.stem for path in BASELINES.glob("*.png")} == set(PICTURES)
    assert {name for name, _ in WRONG.values()} == set(PICTURES)


if __name__ == "__main__":
    BASELINES.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        print(draw(picture, BASELINES / f"{name}.png"))
