"""The picture of the limits of agreement: positions, texts and backgrounds."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot
from matplotlib.colors import to_rgb

from fastkappa.measurements import limits_of_agreement
from fastkappa.plotting import plot_limits_of_agreement
from tests.helpers.pictures import contrast
from tests.helpers.published_measurements import MINI, WRIGHT

RESULT = limits_of_agreement(WRIGHT, MINI)


def test_dots_and_lines() -> None:
    ax = plot_limits_of_agreement(RESULT)
    (dots,) = ax.collections
    expected = [((a + b) / 2, a - b) for a, b in zip(WRIGHT, MINI)]
    assert dots.get_offsets().tolist() == [list(pair) for pair in expected]
    drawn = [line.get_ydata()[0] for line in ax.lines]
    assert drawn == [RESULT.bias, *RESULT.limits, 0]
    ends = [(box.get_y(), box.get_y() + box.get_height()) for box in ax.patches]
    for found, interval in zip(
        ends, (RESULT.bias_interval, RESULT.lower_interval, RESULT.upper_interval)
    ):
        assert found == pytest.approx(interval)
    minus = "\N{MINUS SIGN}"
    assert [text.get_text() for text in ax.texts] == [f"{minus}2.1", f"{minus}78.1", "73.9"]
    pyplot.close(ax.figure)


@pytest.mark.parametrize("background", ["default", "dark_background"])
def test_lines_are_seen_on_every_background(background: str) -> None:
    with pyplot.style.context(background):
        ax = plot_limits_of_agreement(RESULT)
        for line in ax.lines:
            assert contrast(to_rgb(line.get_color()), ax.get_facecolor()[:3]) > 3
        (dots,) = ax.collections
        colours = (dots.get_facecolor()[0][:3], dots.get_edgecolor()[0][:3])
        assert max(contrast(c, ax.get_facecolor()[:3]) for c in colours) > 4.5
        pyplot.close(ax.figure)


def test_many_subjects_are_hexagons() -> None:
    rng = np.random.default_rng(0)
    y1, y2 = rng.normal(size=(2, 30_000))
    ax = plot_limits_of_agreement(limits_of_agreement(y1, y2))
    (hexagons,) = ax.collections
    assert hexagons.get_array().sum() == 30_000
    assert len(hexagons.get_array()) < 5000
    pyplot.close(ax.figure)


def test_a_given_axes_is_used_and_other_results_are_refused() -> None:
    _, ax = pyplot.subplots()
    assert plot_limits_of_agreement(RESULT, ax=ax) is ax
    pyplot.close(ax.figure)
    with pytest.raises(ValueError, match="come from limits_of_agreement, got list"):
        plot_limits_of_agreement([1, 2])


def test_the_axes_have_the_unit() -> None:
    ax = plot_limits_of_agreement(limits_of_agreement(WRIGHT, MINI), units="$l$/min")
    assert ax.get_xlabel() == "mean of both measurements ($l$/min)"
    assert ax.get_ylabel() == "difference, first minus second ($l$/min)"
    assert not ax.xaxis.label.get_parse_math()
