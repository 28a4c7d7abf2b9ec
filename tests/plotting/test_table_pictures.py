"""Common properties of both pictures of a table: labels, sizes, axes, errors and counts."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot

from fastkappa import confusion_counts, datasets
from fastkappa.plotting import plot_agreement, plot_confusion
from fastkappa.plotting.grid import write_counts
from tests.helpers.pictures import TABLE, bubbles, tick_labels, written

TABLE_PLOTS = (plot_agreement, plot_confusion)


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
    """A figure that pyplot does not manage is used, and no other figure is created."""
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
        ([[1]], {"labels": ["a", "b"]}, r"one entry per row of the table \(1\), got 2"),
        ([[1]], {"raters": "AB"}, "the names of the first and the second rater, got 'AB'"),
        ([[1]], {"raters": ["A"]}, "raters must contain the names"),
    ],
)
def test_bad_tables(plot: Any, table: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plot(table, **options)


def test_huge_and_weighted_tables_are_drawn() -> None:
    ax = plot_agreement([[10**8, 10**5], [7, 2 * 10**8]])
    assert written(ax) == {(0, 0): ["100M"], (0, 1): ["100k"], (1, 0): ["7"], (1, 1): ["200M"]}
    ax = plot_agreement([[1.5, 0.25], [0, 3]])
    assert written(ax) == {(0, 0): ["1.50"], (0, 1): ["0.250"], (1, 1): ["3.00"]}


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
