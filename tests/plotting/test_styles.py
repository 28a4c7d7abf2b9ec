"""Pictures in matplotlib's dark style: nothing dark is drawn on black."""

from __future__ import annotations

from typing import Any

import matplotlib
import pytest

pytest.importorskip("matplotlib")
matplotlib.use("agg")

from matplotlib import pyplot
from matplotlib.text import Text

from fastkappa import agreement_from_confusion, bootstrap, plotting
from fastkappa.measurements import limits_of_agreement
from fastkappa.plotting import (
    plot_agreement,
    plot_agreement_chart,
    plot_bootstrap,
    plot_confusion,
    plot_forest,
    plot_limits_of_agreement,
)
from tests.helpers.pictures import TABLE, contrast
from tests.helpers.published_measurements import MINI, WRIGHT

RESULT = agreement_from_confusion(TABLE)
PLOTS = {
    "agreement": lambda: plot_agreement(RESULT, marginals=True),
    "agreement_chart": lambda: plot_agreement_chart(RESULT, step_weights=(1, 0.5)),
    "limits_of_agreement": lambda: plot_limits_of_agreement(limits_of_agreement(WRIGHT, MINI)),
    "confusion": lambda: plot_confusion(RESULT),
    "bootstrap": lambda: plot_bootstrap(bootstrap(RESULT, n_resamples=200, rng=0)),
    "forest": lambda: plot_forest({"a": RESULT, "b": RESULT}),
}


def test_all_pictures_are_here() -> None:
    assert {f"plot_{name}" for name in PLOTS} == set(plotting.__all__)


@pytest.mark.parametrize("style", ["default", "dark_background"])
@pytest.mark.parametrize("name", PLOTS)
def test_texts_and_lines_are_seen_on_the_background(style: str, name: str) -> None:
    with pyplot.style.context(style):
        ax: Any = PLOTS[name]()
        ax.figure.draw_without_rendering()
        background = ax.get_facecolor()
        # Texts in a heat map have their cell's colour as the background.
        inside = set(ax.texts) if name in ("confusion", "agreement") else set()
        for text in ax.figure.findobj(Text):
            if text.get_text() and text.get_visible() and text not in inside:
                assert contrast(text.get_color(), background) >= 4.5, text
        for line in ax.lines:
            assert contrast(line.get_color(), background) >= 3 or line.get_marker() == "s"
            if line.get_marker() == "s":
                assert contrast(line.get_markeredgecolor(), background) >= 4.5
        for collection in ax.collections:
            if collection.get_label() == "agreement":
                assert contrast(collection.get_edgecolor()[0], background) >= 4.5
