"""The table as bubbles: areas, labels, counts and histograms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib.pyplot

matplotlib.use("agg")

from fastkappa import datasets
from fastkappa.plotting import plot_agreement
from fastkappa.plotting.grid import write_counts
from tests.helpers.pictures import TABLE, bubbles, collection, contrast, tick_labels, written

MILLIONS = 1_234_567 * np.add.outer(np.arange(8), np.arange(8))


def test_areas_are_proportional_to_the_counts() -> None:
    drawn = bubbles(plot_agreement(TABLE))
    assert set(drawn) == {(i, j) for i, j in np.ndindex(3, 3) if TABLE[i, j]}
    largest = drawn[0, 0][0]
    assert 0.85 < largest < 1  # Bubbles of neighbouring cells never touch.
    for (i, j), (diameter, kind) in drawn.items():
        assert (diameter / largest) ** 2 == pytest.approx(TABLE[i, j] / 40, rel=1e-6)
        assert kind == ("agreement" if i == j else "disagreement")


def test_agreement_is_set_apart_without_colour() -> None:
    ax = plot_agreement(TABLE)
    agreeing, disagreeing = (collection(ax, name) for name in ("agreement", "disagreement"))
    assert contrast(agreeing.get_facecolor()[0], disagreeing.get_facecolor()[0]) > 4.5
    assert agreeing.get_linewidth()[0] > 1.5 * disagreeing.get_linewidth()[0]
    # The cells where raters agree are shaded, even if they never did.
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
    """A count in a bubble is inside and readable; a count beneath a bubble does not overlap it."""
    ax = plot_agreement(table, reverse_y=reverse_y)
    texts = write_counts(table)
    assert written(ax) == {
        (i, j): [texts[i][j]] for (i, j), count in np.ndenumerate(table) if count
    }
    assert_counts_fit(ax)


def test_counts_fit_in_a_figure_of_a_journal_column() -> None:
    """Long labels and histograms leave less room than the figure had before."""
    _, ax = matplotlib.pyplot.subplots(figsize=(3.5, 3.5), layout="constrained")
    labels = ["benign", "probably benign", "suspicious"]
    plot_agreement(TABLE, labels=labels, marginals=True, ax=ax)
    assert_counts_fit(ax)


def assert_counts_fit(ax: Any) -> None:
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
    # Both have the same scale, and share the table's axes.
    assert above.get_ylim() == right.get_xlim()
    assert above.get_xlim() == ax.get_xlim()
    assert right.get_ylim() == ax.get_ylim()
    assert plot_agreement(TABLE).child_axes == []


def test_histograms_follow_a_reversed_axis() -> None:
    ax = plot_agreement(TABLE, marginals=True, reverse_y=True)
    assert ax.child_axes[1].get_ylim() == ax.get_ylim() == (2.5, -0.5)
