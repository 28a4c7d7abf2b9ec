"""Labels with characters that the default font lacks."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pandas
import pytest

pytest.importorskip("matplotlib")

import matplotlib

matplotlib.use("agg")

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

from fastkappa.measurements import limits_of_agreement
from fastkappa.plotting import (
    fonts,
    plot_agreement,
    plot_agreement_chart,
    plot_confusion,
    plot_forest,
    plot_limits_of_agreement,
)

TABLE = [[5, 1], [2, 6]]
LABELS = ["重症", "軽症"]
SERIES = [pandas.Series([1.0, i, 4.0], name=name) for i, name in enumerate(LABELS)]
BUNDLED = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


@pytest.fixture
def no_cjk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave matplotlib only its own fonts, which have no Chinese characters."""
    own = [font for font in font_manager.fontManager.ttflist if str(BUNDLED) in font.fname]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)


@pytest.fixture
def cjk() -> None:
    if not any(set("".join(LABELS)) <= fonts._characters(path) for _, path in fonts._installed()):
        pytest.skip("no font with Chinese characters is installed")


def texts(ax: Any) -> list[Any]:
    return [text for text in (*ax.get_yticklabels(), ax.xaxis.label) if text.get_text()]


PLOTS = {
    "agreement": lambda: plot_agreement(TABLE, labels=LABELS, raters=("A", "評価者")),
    "confusion": lambda: plot_confusion(TABLE, labels=LABELS, raters=("A", "評価者")),
    "chart": lambda: plot_agreement_chart(TABLE, labels=LABELS, raters=("A", "評価者")),
    "limits": lambda: plot_limits_of_agreement(limits_of_agreement(*SERIES)),
    "forest": lambda: plot_forest([0.1, 0.2], intervals=[[0, 0.5], [0.1, 0.4]], names=LABELS),
}


@pytest.mark.usefixtures("no_cjk")
@pytest.mark.parametrize("plot", PLOTS.values(), ids=PLOTS)
def test_boxes_are_no_silent_ones(plot: Any) -> None:
    with pytest.warns(UserWarning, match="no installed font has the characters '.*重") as caught:
        plot()
    (warning,) = caught
    assert "Install a font that has these characters, such as Noto Sans CJK" in str(warning.message)
    assert warning.filename == __file__


@pytest.mark.usefixtures("cjk")
@pytest.mark.parametrize("plot", PLOTS.values(), ids=PLOTS)
def test_an_installed_font_is_used(plot: Any) -> None:
    ax = plot()
    for text in texts(ax):
        paths = [
            font_manager.findfont(font_manager.FontProperties(family=[name]))
            for name in text.get_fontfamily()
        ]
        known = {code for path in paths for code in FT2Font(path).get_charmap()}
        assert {ord(c) for c in text.get_text() if c != " "} <= known
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax.figure.draw_without_rendering()


def test_what_the_usual_font_has_keeps_it() -> None:
    usual = plot_agreement(TABLE).get_yticklabels()[0].get_fontfamily()
    ax = plot_agreement(TABLE, labels=["grün", "ασθενής"], raters=("é", "Ж"))
    assert all(text.get_fontfamily() == usual for text in texts(ax))


def test_another_font_is_added_for_characters_that_the_first_lacks() -> None:
    with matplotlib.rc_context({"font.family": "cmr10", "axes.formatter.use_mathtext": True}):
        ax = plot_agreement(TABLE, labels=["Ж", "no"])
    lacking, other = ax.get_yticklabels()
    assert other.get_fontfamily() == ["cmr10"]
    _, added = lacking.get_fontfamily()
    path = font_manager.findfont(font_manager.FontProperties(family=[added]))
    assert ord("Ж") in FT2Font(path).get_charmap()
