"""Bangdiwala's chart: its areas correspond to B, and its boxes to the margins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot

from fastkappa import agreement_from_confusion
from fastkappa.plotting import plot_agreement_chart
from fastkappa.statistics.indices import bangdiwala_b
from tests.helpers.pictures import TABLE, collection, contrast, tick_labels
from tests.helpers.r_values import SQUARE


def boxes_of(drawn: Any) -> list[tuple[float, float, float, float]]:
    extents = [path.get_extents() for path in drawn.get_paths()]
    return [(e.x0, e.y0, e.width, e.height) for e in extents]


def area(drawn: Any) -> float:
    return sum(width * height for _, _, width, height in boxes_of(drawn))


@pytest.mark.parametrize("name", SQUARE)
def test_areas_are_those_of_b(name: str) -> None:
    table, of_vcd = SQUARE[name]["data"], SQUARE[name]["values"]["vcd::agreementplot"]
    ax = plot_agreement_chart(table, step_weights=of_vcd["weights"])
    whole = area(ax.collections[-1])
    dark = area(collection(ax, "agreement"))
    assert dark / whole == pytest.approx(of_vcd["b"], rel=1e-12)
    lighter = area(collection(ax, "1 step apart")) - dark
    weighted = (dark + of_vcd["weights"][1] * lighter) / whole
    assert weighted == pytest.approx(of_vcd["weighted_b"], rel=1e-12)


def test_boxes_are_the_margins_from_corner_to_corner() -> None:
    ax = plot_agreement_chart(TABLE)
    x = y = 0
    for box, width, height in zip(
        boxes_of(ax.collections[-1]), TABLE.sum(axis=0), TABLE.sum(axis=1)
    ):
        assert box == pytest.approx((x, y, width, height))
        x, y = x + width, y + height
    assert (x, y) == (ax.get_xlim()[1], ax.get_ylim()[1]) == (TABLE.sum(), TABLE.sum())


def test_areas_lie_where_the_ratings_of_smaller_labels_end() -> None:
    """In the box of label 1, 9 items of the first label's row come before the agreed items."""
    ax = plot_agreement_chart(TABLE, step_weights=(1, 0.5))
    agreed = boxes_of(collection(ax, "agreement"))[1]
    assert agreed == pytest.approx((44 + 9, 49 + 3, 25, 25))
    near = boxes_of(collection(ax, "1 step apart"))[2]
    # In the box of label 2, all except the counts of 0 (column) and 1 (row), which come first.
    assert near == pytest.approx((44 + 38 + 0, 49 + 35 + 1, 7 + 16, 4 + 16))


def test_weighted_b_of_more_steps() -> None:
    weights = (1, 0.7, 0.2)
    table = SQUARE["vision_1955"]["data"]
    ax = plot_agreement_chart(table, step_weights=weights)
    names = ("agreement", "1 step apart", "2 steps apart")
    areas = [0.0, *(area(collection(ax, name)) for name in names)]
    shaded = sum(weight * step for weight, step in zip(weights, np.diff(areas)))
    assert shaded / area(ax.collections[-1]) == pytest.approx(bangdiwala_b(table, weights))


@pytest.mark.parametrize("background", ["default", "dark_background"])
def test_agreement_is_on_top_and_stands_out(background: str) -> None:
    with pyplot.style.context(background):
        ax = plot_agreement_chart(TABLE, step_weights=(1, 0.9, 0.4))
    labels = [drawn.get_label() for drawn in ax.collections]
    names = ["2 steps apart", "1 step apart", "agreement"]
    assert labels[1:4] == names
    strong = [contrast(collection(ax, n).get_facecolor()[0], ax.get_facecolor()) for n in names]
    assert 1 < strong[0] < strong[1] < strong[2]
    assert strong[2] > 7


@pytest.mark.parametrize("background", ["default", "dark_background"])
def test_outlines_show_on_every_background(background: str) -> None:
    with pyplot.style.context(background):
        ax = plot_agreement_chart(TABLE)
        assert contrast(ax.collections[-1].get_edgecolor()[0], ax.get_facecolor()) > 3


def test_labels_of_results_and_of_small_margins() -> None:
    result = agreement_from_confusion(TABLE, labels=["low", "$mid$", "high"])
    ax = plot_agreement_chart(result, reverse_y=True)
    assert tick_labels(ax.xaxis) == tick_labels(ax.yaxis) == ["low", "$mid$", "high"]
    assert ax.yaxis_inverted()
    assert ax.get_xlabel() == "second rater"
    rare = plot_agreement_chart([[500, 1, 0], [1, 1, 0], [0, 0, 497]])
    assert tick_labels(rare.xaxis) == ["0", "2"]


@pytest.mark.parametrize("reverse_y", [False, True])
def test_one_label_fills_the_chart(reverse_y: bool) -> None:
    ax = plot_agreement_chart([[7]], step_weights=(1, 0.5), reverse_y=reverse_y)
    assert boxes_of(collection(ax, "agreement")) == [pytest.approx((0, 0, 7, 7))]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"table": [[0, 0], [0, 0]]}, "table must not be empty"),
        ({"table": [[1, 2]]}, "table must have the shape"),
        ({"labels": ["a"]}, "labels must have one entry per row"),
        ({"raters": "Ann"}, "raters must contain the names"),
        ({"step_weights": ()}, "start at 1 and never increase, got \\(\\)"),
        (
            {"step_weights": (1, 0.5, 0.6)},
            "step_weights must be non-negative numbers that start at 1",
        ),
        ({"step_weights": (0.5,)}, "step_weights must be non-negative numbers that start at 1"),
        ({"step_weights": (1, -0.5)}, "step_weights must be non-negative numbers that start at 1"),
        ({"step_weights": "linear"}, "start at 1 and never increase, got 'linear'"),
    ],
)
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plot_agreement_chart(**{"table": TABLE, **arguments})
