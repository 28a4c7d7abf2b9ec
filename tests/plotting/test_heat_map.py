"""The table as a heat map: colours, frames and percentages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib

matplotlib.use("agg")

from fastkappa.plotting import plot_confusion
from tests.helpers.pictures import TABLE, contrast, luminance, tick_labels, written


@pytest.mark.parametrize(
    ("normalize", "axis"), [("all", None), ("true", 1), ("pred", 0)], ids=["all", "true", "pred"]
)
def test_heat_is_the_proportion(normalize: Any, axis: int | None) -> None:
    ax = plot_confusion(TABLE, labels="abc", normalize=normalize)
    heat = ax.collections[0]
    proportions = TABLE / TABLE.sum(axis=axis, keepdims=True)
    assert np.asarray(heat.get_array()).reshape(3, 3) == pytest.approx(proportions)
    assert heat.get_clim() == (0, pytest.approx(proportions.max()))
    assert ax.yaxis_inverted()
    assert tick_labels(ax.yaxis) == ["a", "b", "c"]
    for (i, j), texts in written(ax).items():
        assert texts[0] == str(TABLE[i, j])
        percentages = [f"{100 * proportions[i, j]:.1f} %"] if TABLE[i, j] else []
        assert texts[1:] == percentages
    for text in ax.texts:
        x, y = (round(place) for place in text.get_position())
        assert contrast(text.get_color(), heat.to_rgba(proportions[y, x])) > 4.5


def test_heat_grows_darker_with_the_proportion() -> None:
    """In black and white, and over the whole range of colours."""
    ax = plot_confusion([[1, 0], [0, 0]])
    lightness = [luminance(ax.collections[0].to_rgba(p)) for p in np.linspace(0, 1, 101)]
    assert (np.diff(lightness) < 0).all()
    assert lightness[0] / lightness[-1] > 15


def test_agreeing_cells_have_a_frame() -> None:
    frames = plot_confusion(TABLE).collections[1]
    centres = [path.get_extents() for path in frames.get_paths()]
    assert [(e.x0 + e.x1) / 2 for e in centres] == pytest.approx([0, 1, 2])
    assert [(e.y0 + e.y1) / 2 for e in centres] == pytest.approx([0, 1, 2])
    assert luminance(frames.get_edgecolor()[0]) == 0


def test_row_without_items_has_no_proportion() -> None:
    ax = plot_confusion([[4, 4], [0, 0]], normalize="true")
    assert written(ax) == {
        (0, 0): ["4", "50.0 %"],
        (0, 1): ["4", "50.0 %"],
        (1, 0): ["0"],
        (1, 1): ["0"],
    }
    assert np.asarray(ax.collections[0].get_array()).sum() == 1


def test_percentages_are_not_rounded_to_all_or_nothing() -> None:
    ax = plot_confusion([[99_999, 1], [0, 0]])
    assert written(ax)[0, 0] == ["99999", ">99.9 %"]
    assert written(ax)[0, 1] == ["1", "<0.1 %"]
    assert written(plot_confusion([[7]]))[0, 0] == ["7", "100 %"]


def test_bad_normalize() -> None:
    with pytest.raises(ValueError, match="normalize must be 'all', 'true' or 'pred', got 'rows'"):
        plot_confusion(TABLE, normalize="rows")  # type: ignore[arg-type]
