"""`fastkappa agree --plot`: pictures for screen and print, and refusals of their options."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib")
pytest.importorskip("typer")

from matplotlib import pyplot, rc_context
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font

from fastkappa import datasets
from fastkappa.cli.options import PictureOptions
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.reports.output import Output
from fastkappa.cli.reports.picture import _drawn, draw, read_size
from fastkappa.measurements import limits_of_agreement
from fastkappa.plotting import plot_limits_of_agreement
from fastkappa.plotting.style import new_axes
from tests.helpers.command_line import CommandLine, write_csv

command = CommandLine("agree")
text_of, refusal = command.text_of, command.refusal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write two neurologists' ratings in two cities, with an invented third neurologist."""
    cities = {
        name: datasets.load(f"multiple_sclerosis_{name.lower().replace(' ', '_')}").expand()
        for name in ("Winnipeg", "New Orleans")
    }
    a, b = (np.concatenate(ratings) for ratings in zip(*cities.values()))
    c = np.where(np.arange(len(a)) % 3, a, 1 + np.arange(len(a)) % 4)
    city = [name for name, (first, _) in cities.items() for _ in first]
    return write_csv(tmp_path / "ratings.csv", a=a, b=b, c=c, city=city)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--raters", "a", "b"], [">a<", ">b<", ">36<"]),
        (["--raters", "a", "b", "--group", "city"], [">Winnipeg<", ">all items<"]),
        (["--raters", "a", "b", "c"], [">Fleiss' kappa<", ">b, c<"]),
        (["--raters", "a", "b", "c", "--group", "city"], [">New Orleans<"]),
        (
            ["--raters", "a", "b", "--reference", "c", "--group", "city"],
            [">all items, a<", ">New Orleans, a<", ">Winnipeg, b<"],
        ),
    ],
)
def test_pictures(path: Path, tmp_path: Path, options: list[str], words: list[str]) -> None:
    picture = tmp_path / "out.svg"
    assert text_of(path, *options, "--plot", picture) == text_of(path, *options)
    drawn = picture.read_text(encoding="utf-8")
    for word in words:
        assert word in drawn


def test_pictures_that_cannot_be_written(path: Path, tmp_path: Path) -> None:
    options = (path, "--raters", "a", "b", "--plot")
    for name, why in (("no/out.svg", "No such file"), ("out.abc", "Format 'abc' is not supported")):
        picture = tmp_path / name
        assert f"--plot {picture} cannot be written: {why}" in refusal(*options, picture)


def test_pictures_for_print(path: Path, tmp_path: Path) -> None:
    """Journals require 300 dots per inch, a given size, and no type 3 fonts."""
    png, pdf = tmp_path / "out.png", tmp_path / "out.pdf"
    options = (path, "--raters", "a", "b", "--plot")
    text_of(*options, png, "--size", "4x5", "--title", "Agreement", "--heat-map")
    width, height = np.frombuffer(png.read_bytes()[16:24], ">u4").tolist()
    assert (width, height) == (1200, 1500)
    text_of(*options, png, "--size", "4x5", "--dpi", "100")
    assert np.frombuffer(png.read_bytes()[16:24], ">u4").tolist() == [400, 500]
    text_of(*options, pdf)
    assert b"/CIDFontType2" in pdf.read_bytes()
    assert b"/Type3" not in pdf.read_bytes()


@pytest.mark.parametrize("size", ["2x3", "4x1"])
def test_a_size_that_is_too_small_for_the_names(path: Path, tmp_path: Path, size: str) -> None:
    """Texts squeeze the width of the axis at the first size, and its height at the second."""
    options = (path, "--raters", "a", "b", "c", "--plot", tmp_path / "out.png", "--dpi", 50)
    said = command.run(*options, "--size", size).stderr
    assert f"warning: --size {size} is too small for the text of" in said
    assert "constrained_layout" not in said
    larger = said.rpartition("--size ")[2].rstrip(".\n")
    assert command.run(*options, "--size", larger).stderr == ""


@pytest.mark.parametrize(
    ("ticks", "warned"),
    [([0.1, 0.5, 0.9], False), ([0.1, 0.13, 0.9], True), ([0.9, 2, 2.1], False)],
)
def test_texts_that_overlap(tmp_path: Path, ticks: list[float], warned: bool) -> None:
    """Two ticks are closer than their texts are wide. Ticks beyond the axis are not drawn."""

    def drawn(ax: Any) -> Any:
        ax = new_axes(4, 3) if ax is None else ax
        ax.set_xlim(0, 1)
        ax.set_xticks(ticks, [f"{tick:.2f}" for tick in ticks])
        ax.set_xlim(0, 1)
        return ax

    options = PictureOptions(plot=tmp_path / "out.png", size="3.5x3", dpi=50)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        draw(options, Output("", [], {}, [], [Picture("", drawn)]))
    assert ["--size 3.5x3 is too small" in str(one.message) for one in caught] == [True] * warned


@pytest.mark.parametrize("size", ["3.5x2.5", "3.5x3", "5x3.5"])
@pytest.mark.parametrize("title", [None, "The agreement of two readers of ultrasound images"])
def test_a_y_label_stays_beside_its_axis(size: str, title: str | None) -> None:
    """The label takes several lines, also if the title leaves it less space."""
    rng = np.random.default_rng(1)
    result = limits_of_agreement(*rng.normal(5, 1, size=(2, 50)))
    picture = Picture("", lambda ax: plot_limits_of_agreement(result, units="mmHg at rest", ax=ax))
    ax = _drawn(PictureOptions(size=size, title=title), picture, read_size(size))
    ax.figure.draw_without_rendering()
    label, axes = ax.yaxis.label.get_window_extent(), ax.get_window_extent()
    pyplot.close(ax.figure)
    assert label.y0 >= axes.y0 - 1
    assert label.y1 <= axes.y1 + 1


def test_the_width_of_a_journal_column(path: Path, tmp_path: Path) -> None:
    """Long texts take several lines. A word that is too long is cut off, with a warning."""
    run = CommandLine("measure").run
    options = (path, "--raters", "a", "b", "--plot", tmp_path / "out.png", "--dpi", 50)
    assert run(*options, "--size", "3.5x3.5").stderr == ""
    for long, size, named in (
        (["--units", "u" * 60], ["--size", "4x4"], "--size 4x4"),
        (["--title", "x" * 100], [], "the default size"),
    ):
        said = run(*options, *long, *size).stderr
        assert f"warning: {named} is too small for the text of" in said
        larger = said.rpartition("--size ")[2].rstrip(".\n")
        assert run(*options, *long, "--size", larger).stderr == ""


def test_characters_that_no_font_has(tmp_path: Path) -> None:
    """One warning names all characters. matplotlib has a warning for each of them."""
    labels = ["\U00013000", "\U00013001"]
    path = write_csv(tmp_path / "signs.csv", a=labels * 9, b=labels * 8 + labels[:1] * 2)
    options = (path, "--raters", "a", "b", "--plot", tmp_path / "out.png", "--dpi", 50)
    said = command.run(*options, "--report", tmp_path / "out.html", "--title", labels[0]).stderr
    assert "Glyph" not in said
    # Some systems have a font for hieroglyphs.
    assert said.count("no installed font has the characters") in (0, 1)


def test_the_title_gets_a_font_that_has_its_characters(tmp_path: Path) -> None:
    """The Computer Modern font of matplotlib has no Cyrillic letters."""

    def drawn(ax: Any) -> Any:
        return new_axes(4, 3) if ax is None else ax

    with rc_context({"font.family": "cmr10", "axes.formatter.use_mathtext": True}):
        ax = _drawn(PictureOptions(title="Ж"), Picture("", drawn), None)
    pyplot.close(ax.figure)
    first, added = ax.title.get_fontfamily()
    assert first == "cmr10"
    assert ord("Ж") in FT2Font(findfont(FontProperties(family=[added]))).get_charmap()


def test_a_heat_map_and_a_title(path: Path, tmp_path: Path) -> None:
    picture = tmp_path / "out.svg"
    text_of(path, "--raters", "a", "b", "--plot", picture, "--heat-map", "--title", "Two <raters>")
    drawn = picture.read_text(encoding="utf-8")
    assert ">Two &lt;raters&gt;<" in drawn
    assert ">proportion of all items<" in drawn
    page = tmp_path / "out.html"
    titled = ("--title", "Two <raters>")
    printed = text_of(path, "--raters", "a", "b", "--report", page, "--heat-map", *titled)
    written = page.read_text(encoding="utf-8")
    assert "Darker cells have more items" in written
    assert "<h1>Two &lt;raters&gt;</h1>" in written
    assert "Two <raters>" not in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--title", "x"], "--title needs --plot or --report."),
        (["--dpi", "600"], "--dpi needs --plot"),
        (["--plot", "x.png", "--size", "4"], "--size must be a width and a height"),
        (["--plot", "x.png", "--size", "4xnan"], "--size must be a width and a height"),
        (["--plot", "x.png", "--size", "0x3"], "--size must be a width and a height"),
        (["--heat-map", "--group", "city"], "--heat-map needs two raters"),
        (
            ["--report", "x.PDF"],
            "--report must name an HTML file, such as x.html, got x.PDF. For a picture, use"
            " --plot.",
        ),
    ],
)
def test_options_of_pictures_are_checked(path: Path, options: list[str], message: str) -> None:
    assert message in refusal(path, "--raters", "a", "b", *options)
