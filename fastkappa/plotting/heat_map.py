"""Draw the confusion matrix of two raters as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.choices import check_choice
from fastkappa.formatting import percent_text
from fastkappa.plotting import style
from fastkappa.plotting.fonts import finish_texts
from fastkappa.plotting.grid import (
    LARGEST_TEXT,
    SMALLEST_TEXT,
    Grid,
    draw_labels,
    laid_out,
    make_grid,
    read_raters,
)
from fastkappa.plotting.room import keep_texts_apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = "Blues"
# For each normalisation, the label of the colour scale and the axes over which the proportions sum
# to 1.
NORMALIZATIONS: dict[str, tuple[str, int | tuple[int, int]]] = {
    "all": ("proportion of all items", (0, 1)),
    "true": ("proportion of the row", 1),
    "pred": ("proportion of the column", 0),
}
# The width of the colour scale, relative to the table's width.
SCALE_WIDTH = 0.04
# The distance of the colour scale from the table, relative to the table's width.
SCALE_DISTANCE = 0.03
# In tables with more labels than this, zeros are left out, because most cells are 0.
LARGEST_WITH_ZEROS = 10
LONGEST_PERCENTAGE = len("<0.1 %")


def plot_confusion(
    table: Any,
    *,
    labels: Any = None,
    raters: tuple[str, str] | None = None,
    normalize: Literal["all", "true", "pred"] = "all",
    ax: Axes | None = None,
) -> Axes:
    """Draw a confusion matrix as a heat map, with counts and proportions.

    Rows correspond to the first rater's labels, with the first label at the top. The colour of each
    cell shows its proportion, as defined by ``normalize``. The cells on the diagonal, where the
    raters agree, are framed.

    Parameters
    ----------
    table : array-like of shape (l, l), ConfusionCounts or AgreementResult
        Counts or sums of item weights. Rows correspond to the first rater's labels.
    labels : sequence of length l, default=None
        The labels, in the order of the table's rows. If None, the labels of ``table`` are used, or
        0 to l - 1 if it is an array without labels.
    raters : tuple of str, default=None
        The names of the two raters. If None, the names are taken from the result, or from the index
        and columns of a data frame. If there are no names, 'first rater' and 'second rater' are
        used.
    normalize : {'all', 'true', 'pred'}, default='all'
        The total by which counts are divided to give proportions: the total of all items, of the
        row, or of the column, as in `confusion_matrix`.
    ax : Axes, default=None
        The axes to draw on. If None, a new figure of suitable size is created with
        ``pyplot.subplots``. The colour scale is drawn outside the axes, to the right.

    Returns
    -------
    ax : Axes

    Raises
    ------
    ValueError
        If the table is not a square table of counts, if the labels do not match the table, or if
        ``normalize`` is not 'all', 'true' or 'pred'.
    ImportError
        If matplotlib is not installed.

    Notes
    -----
    Counts are formatted as in `plot_agreement`. If the cells are too small for both the count and
    the proportion, the proportions are omitted. If the cells are too small even for the counts, no
    numbers are shown.

    Examples
    --------
    >>> from fastkappa import datasets
    >>> from fastkappa.plotting import plot_confusion
    >>> rated = datasets.load("diabetic_retinopathy")
    >>> ax = plot_confusion(
    ...     rated.table, labels=rated.labels, raters=rated.raters, normalize="true"
    ... )
    >>> ax.figure.savefig("confusion.svg")  # doctest: +SKIP
    """
    check_choice("normalize", normalize, tuple(NORMALIZATIONS))
    grid = make_grid(table, labels, ax, right=SCALE_DISTANCE + SCALE_WIDTH)
    draw_labels(grid, read_raters(table, raters))
    grid.ax.invert_yaxis()
    grid.ax.grid(False)
    scale_label, axes = NORMALIZATIONS[normalize]
    total = grid.counts.sum(axis=axes, keepdims=True)
    proportions = np.divide(grid.counts, total, out=np.zeros_like(grid.counts), where=total > 0)
    heat = _draw_cells(grid, proportions, scale_label)
    _write_cells(grid if ax is None else laid_out(grid), proportions, heat)
    finish_texts(grid.ax)
    keep_texts_apart(grid.ax)
    return grid.ax


def _draw_cells(grid: Grid, proportions: FloatTable, scale_label: str) -> Any:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import PercentFormatter

    n_labels = len(grid.labels)
    edges = np.arange(n_labels + 1) - 0.5
    heat = grid.ax.pcolormesh(
        edges,
        edges,
        proportions,
        cmap=COLOURS,
        vmin=0,
        vmax=proportions.max() or 1,
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
    scale.set_label(scale_label)
    scale.outline.set_visible(False)
    return heat


def _write_cells(grid: Grid, proportions: FloatTable, heat: Any) -> None:
    """Write the count and the percentage in each cell, if they fit."""
    longest = max(len(text) for row in grid.texts for text in row)
    room = 0.84 * grid.cell / style.DIGIT_WIDTH
    size = min(LARGEST_TEXT, 0.3 * grid.cell, room / longest)
    small = min(0.8 * size, 0.2 * grid.cell, room / LONGEST_PERCENTAGE)
    if size < SMALLEST_TEXT:
        return
    with_percentage = small >= SMALLEST_TEXT
    for (i, j), proportion in np.ndenumerate(proportions):
        if grid.counts[i, j] == 0 and len(proportions) > LARGEST_WITH_ZEROS:
            continue
        colour = style.text_colour(heat.to_rgba(proportion))
        look: dict[str, Any] = {"color": colour, "ha": "center"}
        if not with_percentage or grid.counts[i, j] == 0:
            grid.ax.text(j, i, grid.texts[i][j], fontsize=size, va="center_baseline", **look)
            continue
        grid.ax.text(j, i + 0.02, grid.texts[i][j], fontsize=size, va="bottom", **look)
        grid.ax.text(j, i + 0.08, percent_text(proportion), fontsize=small, va="top", **look)
