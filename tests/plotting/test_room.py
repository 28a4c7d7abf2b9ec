"""Texts of plots have enough room, or a warning says that they do not."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot

from fastkappa.cli.words import in_words_of_options
from fastkappa.measurements import limits_of_agreement
from fastkappa.plotting import (
    plot_agreement,
    plot_agreement_chart,
    plot_confusion,
    plot_forest,
    plot_limits_of_agreement,
)

TABLE = 9 * np.eye(4) + 1
LONG = [f"Größere Veränderung des Gefäßes, Stufe {i}" for i in range(4)]


def axes(width: float, height: float, layout: Any = "constrained") -> Any:
    return pyplot.subplots(figsize=(width, height), layout=layout)[1]


def forest(n: int, ax: Any = None) -> Any:
    values = np.linspace(0.2, 0.8, n)
    ends = np.column_stack([values - 0.1, values + 0.1])
    return plot_forest(values, intervals=ends, names=[f"group {i}" for i in range(n)], ax=ax)


CROWDED = {
    "forest": lambda ax: forest(24, ax),
    "agreement": lambda ax: plot_agreement(TABLE, labels=LONG, marginals=True, ax=ax),
    "confusion": lambda ax: plot_confusion(TABLE, labels=LONG, ax=ax),
    "chart": lambda ax: plot_agreement_chart(TABLE, labels=LONG, ax=ax),
}


@pytest.mark.filterwarnings("ignore:constrained_layout not applied")
@pytest.mark.parametrize("plot", CROWDED.values(), ids=CROWDED)
def test_small_figures_are_reported(plot: Any) -> None:
    with pytest.warns(UserWarning, match=r"overlap or are cut off .* 3\.5 x 2 inches") as caught:
        plot(axes(3.5, 2))
    (warning,) = (one for one in caught if "constrained_layout" not in str(one.message))
    assert warning.filename == __file__
    assert str(warning.message).endswith("(figsize=(8, 6), layout='constrained').")
    said = in_words_of_options(str(warning.message))
    assert said.endswith(" 3.5 x 2 inches. Draw it with --plot and a larger --size.")


@pytest.mark.parametrize("plot", CROWDED.values(), ids=CROWDED)
def test_large_figures_are_not_reported(plot: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot(None)
        plot(axes(12, 9))


def test_texts_beyond_a_figure_without_a_layout() -> None:
    """Users can save the texts beside the axes with ``bbox_inches='tight'``."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest(3, axes(5, 3, None))


def test_limits_of_zero_width_are_one_text() -> None:
    first = np.array([1.0, 2.0, 4.0])
    with pytest.warns(UserWarning, match="zero width"):
        result = limits_of_agreement(first, first + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot_limits_of_agreement(result)


@pytest.mark.parametrize(
    ("ends", "size"), [([-0.09, 0.076], None), ([0.1, 0.9], (3.5, 2.5)), ([0.9811, 0.9899], None)]
)
def test_numbers_of_an_axis_do_not_touch(ends: list[float], size: Any) -> None:
    """The numbers -0.075 and -0.050 have more characters than matplotlib expects."""
    name = "Krippendorff's alpha (nominal)"
    ax = None if size is None else axes(*size)
    ax = plot_forest([sum(ends) / 2], intervals=[ends], names=[name], ax=ax)
    ax.figure.draw_without_rendering()
    left, right = ax.get_xlim()
    boxes = [
        text.get_window_extent()
        for place, text in zip(ax.get_xticks(), ax.get_xticklabels())
        if left <= place <= right
    ]
    assert len(boxes) > 1
    height = boxes[0].height
    assert all(b.x0 - a.x1 > 0.2 * height for a, b in itertools.pairwise(boxes))


def test_labels_of_a_small_chart_keep_apart() -> None:
    """The lines of slanted labels are closer to each other than their ticks are."""
    ax = plot_agreement_chart(
        9 * np.eye(12) + 1, labels=[f"label {i}" for i in range(12)], ax=axes(3.5, 2.5)
    )
    ax.figure.draw_without_rendering()
    for axis, direction, factor in ((ax.xaxis, 0, math.sqrt(2)), (ax.yaxis, 1, 1.0)):
        texts = axis.get_majorticklabels()
        points = ax.transData.transform([(tick, tick) for tick in axis.get_majorticklocs()])
        gaps = np.diff(points[:, direction]) * 72 / ax.figure.dpi
        assert len(texts) == 12
        assert (gaps >= factor * texts[0].get_fontsize()).all()
