"""The table of two raters as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.plotting import style
from fastkappa.plotting.grid import LARGEST_TEXT, SMALLEST_TEXT, Grid, draw_labels, make_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = "Blues"
# What a share is of, and along which axes the counts add up to that.
WHOLES: dict[str, tuple[str, int | tuple[int, int]]] = {
    "all": ("share of all items", (0, 1)),
    "true": ("share of the row", 1),
    "pred": ("share of the column", 0),
}
# In sides of the table.
SCALE_WIDTH = 0.04
SCALE_DISTANCE = 0.03
# In a table of more labels most cells are empty, and are easier passed over if they are.
LARGEST_WITH_ZEROS = 10
LONGEST_SHARE = len("<0.1 %")


def plot_confusion(
    table: Any,
    *,
    labels: Any = None,
    raters: tuple[str, str] = ("first rater", "second rater"),
    normalize: Literal["all", "true", "pred"] = "all",
    ax: Axes | None = None,
) -> Axes:
    """Draw a confusion table as a heat map, with counts and shares.

    It is laid out as the table is printed, the first rater's labels running downwards. The
    colour of a cell is its share; agreeing cells have a frame.

    Parameters
    ----------
    table : array-like of shape (l, l), ConfusionCounts or AgreementResult
        Counts, or sums of item weights; rows are the first rater's ratings.
    labels : sequence of length l, default=None
        The labels in the table's order. None takes those of the result, or 0 to l - 1 for
        an array.
    raters : tuple of str, default=('first rater', 'second rater')
        The names of the two, for the axes.
    normalize : {'all', 'true', 'pred'}, default='all'
        What the shares are of: all items, the row or the column, by the names that
        `confusion_matrix` has for them.
    ax : Axes, default=None
        Where to draw. None makes a new figure of fitting size, as ``pyplot.subplots``. The
        scale of colours is drawn outside of it, to the right.

    Returns
    -------
    ax : Axes

    Raises
    ------
    ValueError
        If the table is no square table of counts, the labels do not match it, or
        ``normalize`` is not one of those above.
    ImportError
        If matplotlib is not installed.

    Notes
    -----
    Counts are written as `plot_agreement` writes them. Where cells are small shares are
    left out first, then the counts.

    Examples
    --------
    >>> from fastkappa import datasets, plot_confusion
    >>> rated = datasets.load("diabetic_retinopathy")
    >>> ax = plot_confusion(
    ...     rated.table, labels=rated.labels, raters=rated.raters, normalize="true"
    ... )
    >>> ax.figure.savefig("confusion.svg")  # doctest: +SKIP
    """
    if normalize not in WHOLES:
        raise ValueError(f"normalize must be 'all', 'true' or 'pred', got {normalize!r}.")
    grid = make_grid(table, labels, ax, right=SCALE_DISTANCE + SCALE_WIDTH)
    draw_labels(grid, raters)
    grid.ax.invert_yaxis()
    grid.ax.grid(False)
    meaning, axes = WHOLES[normalize]
    whole = grid.counts.sum(axis=axes, keepdims=True)
    shares = np.divide(grid.counts, whole, out=np.zeros_like(grid.counts), where=whole > 0)
    _draw_cells(grid, shares, meaning)
    return grid.ax


def _draw_cells(grid: Grid, shares: FloatTable, meaning: str) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import PercentFormatter

    n_labels = len(grid.labels)
    edges = np.arange(n_labels + 1) - 0.5
    heat = grid.ax.pcolormesh(
        edges,
        edges,
        shares,
        cmap=COLOURS,
        vmin=0,
        vmax=shares.max() or 1,
        edgecolors="white",
        linewidth=min(0.8, grid.cell / 40),
    )
    frame = min(1.6, grid.cell / 15)
    inset = frame / grid.cell
    squares = [
        Rectangle((i - 0.5 + inset, i - 0.5 + inset), 1 - 2 * inset, 1 - 2 * inset)
        for i in range(n_labels)
    ]
    grid.ax.add_collection(
        PatchCollection(squares, facecolor="none", edgecolor="black", linewidth=frame),
        autolim=False,
    )
    beside = grid.ax.inset_axes((1 + SCALE_DISTANCE, 0, SCALE_WIDTH, 1))
    scale = grid.ax.figure.colorbar(heat, cax=beside, format=PercentFormatter(1, symbol=" %"))
    scale.set_label(meaning)
    scale.outline.set_visible(False)
    _write_cells(grid, shares, heat)


def _write_cells(grid: Grid, shares: FloatTable, heat: Any) -> None:
    """Write count and share in each cell, as far as there is room."""
    longest = max(len(text) for row in grid.texts for text in row)
    room = 0.84 * grid.cell / style.DIGIT_WIDTH
    size = min(LARGEST_TEXT, 0.3 * grid.cell, room / longest)
    small = min(0.8 * size, 0.2 * grid.cell, room / LONGEST_SHARE)
    if size < SMALLEST_TEXT:
        return
    with_share = small >= SMALLEST_TEXT
    for (i, j), share in np.ndenumerate(shares):
        if grid.counts[i, j] == 0 and len(shares) > LARGEST_WITH_ZEROS:
            continue
        look: dict[str, Any] = {"color": style.text_colour(heat.to_rgba(share)), "ha": "center"}
        if not with_share or grid.counts[i, j] == 0:
            grid.ax.text(j, i, grid.texts[i][j], fontsize=size, va="center_baseline", **look)
            continue
        grid.ax.text(j, i + 0.02, grid.texts[i][j], fontsize=size, va="bottom", **look)
        grid.ax.text(j, i + 0.08, write_share(share), fontsize=small, va="top", **look)


def write_share(share: float) -> str:
    """Return a share in per cent; all and nothing are said of all and nothing only.

    Examples
    --------
    >>> from fastkappa.plotting.heat_map import write_share
    >>> write_share(0.692), write_share(1e-5), write_share(0.99999), write_share(1.0)
    ('69.2 %', '<0.1 %', '>99.9 %', '100 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.0005:
        return "<0.1 %"
    if share >= 0.9995:
        return ">99.9 %"
    return f"{100 * share:.1f} %"
