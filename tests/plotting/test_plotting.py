"""What the pictures show: areas, lengths, figures, labels and what sets agreement apart."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib

matplotlib.use("agg")

import itertools

from matplotlib import pyplot
from matplotlib.colors import to_rgb

import fastkappa
from fastkappa import (
    confusion_counts,
    datasets,
    plot_agreement,
    plot_confusion,
)
from fastkappa.plotting import style
from fastkappa.plotting.grid import write_counts
from tests.helpers.fresh_python import run_python

DOCS = Path(__file__).parents[2] / "docs"
TABLE = np.array([[40, 9, 0], [3, 25, 7], [1, 4, 16]])
MILLIONS = 1_234_567 * np.add.outer(np.arange(8), np.arange(8))
TABLE_PLOTS = (plot_agreement, plot_confusion)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def bubbles(ax: Any) -> dict[tuple[int, int], tuple[float, str]]:
    """Return diameter and kind of each bubble, by the row and column it is at."""
    found = {}
    for collection in ax.collections:
        if collection.get_label() not in ("agreement", "disagreement"):
            continue
        for path in collection.get_paths():
            extent = path.get_extents()
            assert extent.width == pytest.approx(extent.height)
            centre = (extent.y0 + extent.y1) / 2, (extent.x0 + extent.x1) / 2
            cell = tuple(round(place) for place in centre)
            assert cell == pytest.approx(centre, abs=1e-6)
            found[cell] = (extent.width, collection.get_label())
    return found


def collection(ax: Any, label: str) -> Any:
    (found,) = (drawn for drawn in ax.collections if drawn.get_label() == label)
    return found


def written(ax: Any) -> dict[tuple[int, int], list[str]]:
    """Return what is written in each cell, by row and column."""
    found: dict[tuple[int, int], list[str]] = {}
    for text in ax.texts:
        x, y = text.get_position()
        found.setdefault((round(y), round(x)), []).append(text.get_text())
    return found


def tick_labels(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]


def luminance(colour: Any) -> float:
    """Return the relative luminance of WCAG 2.2, written anew."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Any, other: Any) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


# Bubbles.


def test_areas_are_proportional_to_the_counts() -> None:
    drawn = bubbles(plot_agreement(TABLE))
    assert set(drawn) == {(i, j) for i, j in np.ndindex(3, 3) if TABLE[i, j]}
    largest = drawn[0, 0][0]
    assert 0.85 < largest < 1  # bubbles of neighbouring cells never touch
    for (i, j), (diameter, kind) in drawn.items():
        assert (diameter / largest) ** 2 == pytest.approx(TABLE[i, j] / 40, rel=1e-6)
        assert kind == ("agreement" if i == j else "disagreement")


def test_agreement_is_set_apart_without_colour() -> None:
    ax = plot_agreement(TABLE)
    agreeing, disagreeing = (collection(ax, name) for name in ("agreement", "disagreement"))
    assert contrast(agreeing.get_facecolor()[0], disagreeing.get_facecolor()[0]) > 4.5
    assert agreeing.get_linewidth()[0] > 1.5 * disagreeing.get_linewidth()[0]
    # The cells where raters agree are shaded, even those where they never did.
    shades = [path.get_extents() for path in ax.collections[0].get_paths()]
    assert [(shade.x0, shade.y0) for shade in shades] == [(i - 0.5, i - 0.5) for i in range(3)]


@pytest.mark.parametrize("reverse_y", [False, True])
def test_labels_run_with_the_table(reverse_y: bool) -> None:
    ax = plot_agreement(
        TABLE, labels=["low", "middle", "high"], raters=("A", "B"), reverse_y=reverse_y
    )
    assert tick_labels(ax.xaxis) == tick_labels(ax.yaxis) == ["low", "middle", "high"]
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("A", "B")
    assert ax.yaxis_inverted() == reverse_y
    assert not ax.xaxis_inverted()
    places = ax.transData.transform([(0, 0), (2, 2)])
    assert places[1, 0] > places[0, 0]
    assert (places[1, 1] < places[0, 1]) == reverse_y


@pytest.mark.parametrize("reverse_y", [False, True])
@pytest.mark.parametrize(
    "table",
    [TABLE, datasets.load("diabetic_retinopathy").table, MILLIONS],
    ids=["small", "eyes", "millions"],
)
def test_counts_are_written_in_their_cells(table: Any, reverse_y: bool) -> None:
    """In a bubble a count is inside and readable, beneath it is clear of it."""
    ax = plot_agreement(table, reverse_y=reverse_y)
    texts = write_counts(table)
    assert written(ax) == {
        (i, j): [texts[i][j]] for (i, j), count in np.ndenumerate(table) if count
    }
    drawn = bubbles(ax)
    ax.figure.draw_without_rendering()
    for text in ax.texts:
        x, y = text.get_position()
        i, j = round(y), round(x)
        diameter, kind = drawn[i, j]
        corners = ax.transData.inverted().transform(text.get_window_extent().corners())
        across, up = np.abs(corners - (j, i)).T
        assert across.max() < 0.5
        if y == i:
            assert contrast(text.get_color(), collection(ax, kind).get_facecolor()[0]) > 4.5
            assert across.max() <= diameter / 2 + 0.01
        else:
            assert up.max() < 0.55
            assert up.min() > diameter / 2 - 0.05


def test_histograms_are_the_margins() -> None:
    ax = plot_agreement(TABLE, marginals=True)
    above, right = ax.child_axes
    columns = [bar.get_height() for bar in above.patches]
    rows = [bar.get_width() for bar in right.patches]
    assert columns == TABLE.sum(axis=0).tolist()
    assert rows == TABLE.sum(axis=1).tolist()
    assert sum(rows) == sum(columns) == TABLE.sum()
    assert [bar.get_x() + bar.get_width() / 2 for bar in above.patches] == pytest.approx([0, 1, 2])
    assert [bar.get_y() + bar.get_height() / 2 for bar in right.patches] == pytest.approx([0, 1, 2])
    assert [text.get_text() for text in above.texts] == ["44", "38", "23"]
    assert [text.get_text() for text in right.texts] == ["49", "35", "21"]
    # Both have one scale, and share the table's.
    assert above.get_ylim() == right.get_xlim()
    assert above.get_xlim() == ax.get_xlim()
    assert right.get_ylim() == ax.get_ylim()
    assert plot_agreement(TABLE).child_axes == []


def test_histograms_follow_a_reversed_axis() -> None:
    ax = plot_agreement(TABLE, marginals=True, reverse_y=True)
    assert ax.child_axes[1].get_ylim() == ax.get_ylim() == (2.5, -0.5)


# Heat map.


@pytest.mark.parametrize(
    ("normalize", "axis"), [("all", None), ("true", 1), ("pred", 0)], ids=["all", "true", "pred"]
)
def test_heat_is_the_share(normalize: Any, axis: int | None) -> None:
    ax = plot_confusion(TABLE, labels="abc", normalize=normalize)
    heat = ax.collections[0]
    shares = TABLE / TABLE.sum(axis=axis, keepdims=True)
    assert np.asarray(heat.get_array()).reshape(3, 3) == pytest.approx(shares)
    assert heat.get_clim() == (0, pytest.approx(shares.max()))
    assert ax.yaxis_inverted()
    assert tick_labels(ax.yaxis) == ["a", "b", "c"]
    for (i, j), texts in written(ax).items():
        assert texts[0] == str(TABLE[i, j])
        told = [f"{100 * shares[i, j]:.1f} %"] if TABLE[i, j] else []
        assert texts[1:] == told
    for text in ax.texts:
        x, y = (round(place) for place in text.get_position())
        assert contrast(text.get_color(), heat.to_rgba(shares[y, x])) > 4.5


def test_heat_grows_darker_with_the_share() -> None:
    """In black and white, that is, and over the whole range of colours."""
    ax = plot_confusion([[1, 0], [0, 0]])
    lightness = [luminance(ax.collections[0].to_rgba(share)) for share in np.linspace(0, 1, 101)]
    assert (np.diff(lightness) < 0).all()
    assert lightness[0] / lightness[-1] > 15


def test_agreeing_cells_have_a_frame() -> None:
    frames = plot_confusion(TABLE).collections[1]
    centres = [path.get_extents() for path in frames.get_paths()]
    assert [(e.x0 + e.x1) / 2 for e in centres] == pytest.approx([0, 1, 2])
    assert [(e.y0 + e.y1) / 2 for e in centres] == pytest.approx([0, 1, 2])
    assert luminance(frames.get_edgecolor()[0]) == 0


def test_row_without_items_has_no_share() -> None:
    ax = plot_confusion([[4, 4], [0, 0]], normalize="true")
    assert written(ax) == {
        (0, 0): ["4", "50.0 %"],
        (0, 1): ["4", "50.0 %"],
        (1, 0): ["0"],
        (1, 1): ["0"],
    }
    assert np.asarray(ax.collections[0].get_array()).sum() == 1


def test_shares_are_not_rounded_to_all_or_nothing() -> None:
    ax = plot_confusion([[99_999, 1], [0, 0]])
    assert written(ax)[0, 0] == ["99999", ">99.9 %"]
    assert written(ax)[0, 1] == ["1", "<0.1 %"]
    assert written(plot_confusion([[7]]))[0, 0] == ["7", "100 %"]


# Both pictures of a table.


class Result(NamedTuple):
    table: Any
    labels: Any


@pytest.mark.parametrize("plot", TABLE_PLOTS)
def test_results_bring_their_labels(plot: Any) -> None:
    y1, y2 = datasets.load("salmon_antibody_test").expand()
    ax = plot(confusion_counts(y1, y2))
    assert tick_labels(ax.xaxis) == ["negative", "positive"]
    assert {texts[0] for texts in written(ax).values()} == {"256", "6", "10", "19"}
    assert tick_labels(plot(confusion_counts([1.0, 2.0], [2.0, 2.0])).xaxis) == ["1", "2"]
    assert tick_labels(plot(Result([[1, 2], [3, 4]], (True, False))).xaxis) == ["True", "False"]
    assert tick_labels(plot(Result([[1, 2], [3, 4]], "ab"), labels="xy").xaxis) == ["x", "y"]
    assert tick_labels(plot([[1, 2], [3, 4]]).xaxis) == ["0", "1"]


@pytest.mark.parametrize("plot", TABLE_PLOTS)
def test_labels_are_no_formulas(plot: Any) -> None:
    ax = plot([[1, 2], [3, 4]], labels=["$5", "$5 to $9_9$"], raters=("a_$1$", "b$"))
    ax.figure.draw_without_rendering()
    texts = [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label]
    assert not any(text.get_parse_math() for text in texts)


@pytest.mark.parametrize("plot", TABLE_PLOTS)
def test_long_labels_are_turned_and_cut(plot: Any) -> None:
    ax = plot(TABLE, labels=["short", "of some length", "x" * 80])
    assert {text.get_rotation() for text in ax.get_xticklabels()} == {45}
    assert tick_labels(ax.xaxis)[2] == "x" * 39 + "…"
    assert {text.get_rotation() for text in plot(TABLE).get_xticklabels()} == {0}


@pytest.mark.parametrize("plot", TABLE_PLOTS)
@pytest.mark.parametrize("n_labels", [1, 2, 5, 20])
def test_everything_is_inside_the_figure(plot: Any, n_labels: int) -> None:
    table = np.random.default_rng(n_labels).integers(0, 1000, (n_labels, n_labels))
    options = {"marginals": True} if plot is plot_agreement else {}
    ax = plot(table, labels=[f"label number {i}" for i in range(n_labels)], **options)
    ax.figure.draw_without_rendering()
    room, extent = ax.figure.bbox, ax.get_tightbbox()
    assert room.x0 - 1 <= extent.x0 < extent.x1 <= room.x1 + 1
    assert room.y0 - 1 <= extent.y0 < extent.y1 <= room.y1 + 1


@pytest.mark.parametrize("plot", TABLE_PLOTS)
def test_twenty_labels_leave_counts_readable(plot: Any) -> None:
    table = np.random.default_rng(0).integers(1, 1000, (20, 20))
    ax = plot(table)
    assert {cell: texts[0] for cell, texts in written(ax).items()} == {
        cell: str(count) for cell, count in np.ndenumerate(table)
    }
    assert min(text.get_fontsize() for text in ax.texts) > 3
    ax.figure.draw_without_rendering()
    corners = [text.get_window_extent() for text in ax.get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(corners))


@pytest.mark.parametrize("plot", TABLE_PLOTS)
def test_small_axes_leave_out_what_cannot_be_read(plot: Any) -> None:
    _, ax = pyplot.subplots(figsize=(2, 2))
    plot(np.ones((40, 40), int), ax=ax)
    assert not ax.texts
    labels = tick_labels(ax.xaxis)
    assert 5 < len(labels) < 40
    step = int(labels[1])
    assert labels == [str(position) for position in range(0, 40, step)]


@pytest.mark.parametrize("plot", TABLE_PLOTS)
def test_tables_without_items(plot: Any) -> None:
    options = {"marginals": True} if plot is plot_agreement else {}
    ax = plot(np.zeros((3, 3)), **options)
    ax.figure.draw_without_rendering()
    assert bubbles(ax) == {}
    assert {texts[0] for texts in written(ax).values()} <= {"0"}


@pytest.mark.parametrize("plot", TABLE_PLOTS)
def test_given_axes_are_drawn_in_and_returned(plot: Any) -> None:
    """A figure that pyplot knows nothing of stays one, and no other is made."""
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert plot(TABLE, ax=ax) is ax
    assert pyplot.get_fignums() == []
    assert plot(TABLE) is not plot(TABLE)
    assert len(pyplot.get_fignums()) == 2


@pytest.mark.parametrize("plot", TABLE_PLOTS)
@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ([[1, 2]], {}, r"shape \(..., l, l\), got \(1, 2\)"),
        ([[1, -2], [0, 1]], {}, "negative entries, got -2"),
        ([[1, np.nan], [0, 1]], {}, "finite"),
        (np.ones((2, 2, 2)), {}, r"one table of shape \(l, l\), got shape \(2, 2, 2\)"),
        ([["a"]], {}, "numbers"),
        ([[1]], {"labels": ["a", "b"]}, "as many as the rows of the table, 1, got 2"),
        ([[1]], {"raters": "AB"}, "raters must be the names of the first and the second, got 'AB'"),
        ([[1]], {"raters": ["A"]}, "raters must be the names"),
    ],
)
def test_bad_tables(plot: Any, table: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plot(table, **options)


def test_bad_normalize() -> None:
    with pytest.raises(ValueError, match="normalize must be 'all', 'true' or 'pred', got 'rows'"):
        plot_confusion(TABLE, normalize="rows")  # type: ignore[arg-type]


# Counts as text.


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (1, "1"),
        (99_999, "99999"),
        (100_000, "100k"),
        (123_456, "123k"),
        (999_499, "999k"),
        (999_500, "1.00M"),
        (1_234_567, "1.23M"),
        (10**8, "100M"),
        (98_765_432, "98.8M"),
        (2 * 10**9, "2.00G"),
        (10**14, "100T"),
        (10**20, "1.00e20"),
    ],
)
def test_whole_counts(count: int, text: str) -> None:
    assert write_counts(np.array([[count]], object)) == [[text]]
    assert write_counts(np.array([[float(count)]])) == [[text]]


@pytest.mark.parametrize(
    ("total", "text"),
    [
        (0.5, "0.500"),
        (0.9999, "1.00"),
        (9.995, "9.99"),
        (99.96, "100"),
        (999.6, "1000"),
        (12345.6, "12346"),
        (99999.6, "100k"),
        (123456.7, "123k"),
        (0.00123, "0.00123"),
        (0.0000123, "1.2e-05"),
        (3.0, "3.00"),
    ],
)
def test_sums_of_weights(total: float, text: str) -> None:
    assert write_counts(np.array([[total, 0.25]]))[0][0] == text


def test_huge_and_weighted_tables_are_drawn() -> None:
    ax = plot_agreement([[10**8, 10**5], [7, 2 * 10**8]])
    assert written(ax) == {(0, 0): ["100M"], (0, 1): ["100k"], (1, 0): ["7"], (1, 1): ["200M"]}
    ax = plot_agreement([[1.5, 0.25], [0, 3]])
    assert written(ax) == {(0, 0): ["1.50"], (0, 1): ["0.250"], (1, 1): ["3.00"]}


# The page about them.


def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (DOCS / "pictures.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    for example in examples:
        exec(compile(example, "docs/pictures.md", "exec"), {})
    assert len(examples) == 5
    assert len(list(tmp_path.glob("*.svg"))) == 5
    for image in re.findall(r"\((images/\S+)\)", page):
        assert 1000 < (DOCS / image).stat().st_size < 60_000


# Names.


def test_pictures_have_one_name_here_and_there() -> None:
    for name in ("plot_agreement", "plot_bootstrap", "plot_confusion", "plot_forest"):
        assert getattr(fastkappa, name) is getattr(fastkappa.plotting, name)
        assert name in fastkappa.__all__


def test_matplotlib_is_loaded_by_the_first_picture_only() -> None:
    code = """
import sys, fastkappa
from fastkappa import plot_agreement, plot_bootstrap, plot_confusion, plot_forest, plotting
assert "matplotlib" not in sys.modules
sys.modules["matplotlib"] = None
class Result:
    replicates, value, interval = [0.0, 1.0], 0.5, (0.0, 1.0)
for plot, argument in (
    (plot_agreement, [[1]]),
    (plot_confusion, [[1]]),
    (plot_bootstrap, Result),
    (plot_forest, {"a": Result}),
):
    try:
        plot(argument)
    except ImportError as error:
        assert "pip install 'fastkappa[plot]'" in str(error)
    else:
        raise AssertionError(plot)
"""
    run_python(code)


def test_pictures_are_drawn_without_a_display(tmp_path: Path) -> None:
    code = f"""
import fastkappa
fastkappa.plot_agreement([[3, 1], [0, 2]]).figure.savefig({str(tmp_path / "a.png")!r})
"""
    graphical = ("DISPLAY", "WAYLAND_DISPLAY", "MPLBACKEND")
    environment = {name: value for name, value in os.environ.items() if name not in graphical}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=environment)
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_colours_are_told_apart_by_all() -> None:
    """Simulated red, green and blue blindness leave agreement and disagreement apart."""
    # Viénot, Brettel and Mollon (1999) for the first two; without blue for the third.
    blindness = {
        "red": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
        "green": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
        "blue": [[1, 0, 0], [0, 1, 0], [0, 1, 0]],
    }
    colours = [np.array(to_rgb(c)) ** 2.2 for c in (style.AGREEMENT, style.DISAGREEMENT)]
    for seen in blindness.values():
        one, other = (np.clip(np.array(seen) @ c, 0, 1) ** (1 / 2.2) for c in colours)
        assert contrast(one, other) > 4.5
