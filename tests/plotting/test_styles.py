"""All pictures: nothing dark is drawn on black, and texts fit in the width of a journal column."""

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
LIMITS = limits_of_agreement(WRIGHT, MINI)
REPLICATES = bootstrap(RESULT, n_resamples=200, rng=0)
PLOTS = {
    "agreement": lambda ax=None: plot_agreement(RESULT, marginals=True, ax=ax),
    "agreement_chart": lambda ax=None: plot_agreement_chart(RESULT, step_weights=(1, 0.5), ax=ax),
    "limits_of_agreement": lambda ax=None: plot_limits_of_agreement(LIMITS, ax=ax),
    "confusion": lambda ax=None: plot_confusion(RESULT, ax=ax),
    "bootstrap": lambda ax=None: plot_bootstrap(REPLICATES, ax=ax),
    "forest": lambda ax=None: plot_forest({"a": RESULT, "b": RESULT}, ax=ax),
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


@pytest.mark.parametrize("name", PLOTS)
def test_texts_fit_in_the_width_of_a_journal_column(name: str) -> None:
    """At 3.5 inches, titles and axis labels take several lines instead of being cut."""
    figure, ax = pyplot.subplots(figsize=(3.5, 3.5), layout="constrained")
    PLOTS[name](ax)
    # matplotlib cannot wrap a title above the histograms.
    if name != "agreement":
        ax.set_title("The agreement of two observers in a study with a long title")
    ax.set_ylabel("the difference between both observers (mm)")
    figure.draw_without_rendering()
    box: Any = figure.get_tightbbox()
    pyplot.close(figure)
    assert box.min.min() > -0.03
    assert box.max.max() < 3.53
