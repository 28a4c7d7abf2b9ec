"""Draw the confusion matrix of two raters as bubbles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

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
    write_counts,
)
from fastkappa.plotting.room import keep_texts_apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The radius of the largest bubble, relative to the width of a cell.
LARGEST_RADIUS = 0.46
# The gap between a bubble and the count below it, relative to the width of a cell.
GAP = 0.04
# The height of the histograms, relative to the table's width.
HISTOGRAM_HEIGHT = 0.16
# The distance of the histograms from the table, relative to the table's width.
HISTOGRAM_DISTANCE = 0.02


def plot_agreement(
    table: Any,
    *,
    labels: Any = None,
    raters: tuple[str, str] | None = None,
    marginals: bool = False,
    reverse_y: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw a confusion matrix as a bubble chart.

    The area of a bubble is proportional to its count. The count is written in the bubble, or
    below it if the bubble is too small. Bubbles that show agreement are dark, and their cells are
    shaded. Bubbles that show disagreement are light. Empty cells have no bubble.

    Parameters
    ----------
    table : array-like of shape (l, l), ConfusionCounts or AgreementResult
        A confusion matrix of counts or of sums of item weights. Rows correspond to the first
        rater's labels.
    labels : sequence of length l, default=None
        The labels, in the order of the table's rows and columns. If None, the labels of ``table``
        are used, or 0 to l - 1 if it is an array without labels.
    raters : tuple of str, default=None
        The names of the first and second raters. By default, the names are taken from the result,
        or from the names of a data frame's index and columns. If there are no names, 'first rater'
        and 'second rater' are used. The first rater's labels run from bottom to top, and the second
        rater's labels from left to right.
    marginals : bool, default=False
        Whether to draw histograms of the raters' labels above and to the right of ``ax``. To
        reserve space for the histograms, use a figure with ``layout='constrained'``.
    reverse_y : bool, default=False
        Whether to draw the first rater's labels from top to bottom, as in a printed table. If True,
        the diagonal of agreement runs from the top left to the bottom right.
    ax : Axes, default=None
        The axes to draw on. If None, a new figure of suitable size is created with
        ``pyplot.subplots``.

    Returns
    -------
    ax : Axes
        The axes. For use in a legend, the two collections of the axes are labeled 'agreement' and
        'disagreement'.

    Raises
    ------
    ValueError
        If the table is not a square table of counts, or if the labels do not match the table.
    ImportError
        If matplotlib is not installed.

    Notes
    -----
    Integer counts below 100000 are written in full. Larger counts and sums of weights are rounded
    to three digits, and the letters k, M, G and T stand for 10³, 10⁶, 10⁹ and 10¹². If the cells of
    a large table are too small for text, the counts are left out.

    Examples
    --------
    >>> from fastkappa import datasets
    >>> from fastkappa.plotting import plot_agreement
    >>> rated = datasets.load("skin_condition")
    >>> ax = plot_agreement(rated.table, labels=rated.labels, marginals=True)
    >>> ax.figure.savefig("agreement.svg")  # doctest: +SKIP
    """
    beside = HISTOGRAM_DISTANCE + HISTOGRAM_HEIGHT if marginals else 0.0
    grid = make_grid(table, labels, ax, above=beside, right=beside)
    draw_labels(grid, read_raters(table, raters))
    if reverse_y:
        grid.ax.invert_yaxis()
    _draw_cells(grid)
    if ax is not None:
        grid = laid_out(grid)
    if marginals:
        _draw_histograms(grid)
        # A new figure already has room for the histograms. If the caller passes axes, the
        # histograms change the layout.
        grid = grid if ax is None else laid_out(grid)
    _draw_bubbles(grid, downwards=1 if reverse_y else -1)
    finish_texts(grid.ax)
    # If there are other axes below a title, matplotlib wraps the title after each word.
    grid.ax.title.set_wrap(not marginals)
    keep_texts_apart(grid.ax)
    return grid.ax


def _draw_cells(grid: Grid) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    between = np.arange(len(grid.labels) - 1) + 0.5
    grid.ax.set_xticks(between, minor=True)
    grid.ax.set_yticks(between, minor=True)
    grid.ax.grid(False)
    grid.ax.grid(True, which="minor", **style.RULE)
    grid.ax.tick_params(which="minor", length=0)
    grid.ax.set_axisbelow(True)
    squares = [Rectangle((i - 0.5, i - 0.5), 1, 1) for i in range(len(grid.labels))]
    grid.ax.add_collection(
        PatchCollection(squares, facecolor=style.SHADE, edgecolor="none", zorder=0)
    )


def _draw_bubbles(grid: Grid, downwards: int) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    largest = grid.counts.max() or 1
    radius = LARGEST_RADIUS * np.sqrt(grid.counts / largest)
    agreeing: list[Circle] = []
    disagreeing: list[Circle] = []
    for i, j in np.argwhere(grid.counts > 0).tolist():
        (agreeing if i == j else disagreeing).append(Circle((j, i), radius[i, j]))
        _write_count(grid, (i, j), float(radius[i, j]), downwards)
    thin = min(1.0, grid.cell / 30)
    for bubbles, name, colour, edge, width in (
        (agreeing, "agreement", style.AGREEMENT, style.ink(), 1.6 * thin),
        (disagreeing, "disagreement", style.DISAGREEMENT, style.DISAGREEMENT_EDGE, 0.8 * thin),
    ):
        drawn = PatchCollection(
            bubbles, facecolor=colour, edgecolor=edge, linewidth=width, zorder=2, label=name
        )
        grid.ax.add_collection(drawn, autolim=False)


def _write_count(grid: Grid, cell: tuple[int, int], radius: float, downwards: int) -> None:
    """Write a count in its bubble, or below the bubble if it does not fit."""
    i, j = cell
    text = grid.texts[i][j]
    size = _text_size(grid)
    if size < SMALLEST_TEXT:
        return
    height = style.DIGIT_HEIGHT * size / grid.cell
    diagonal = 1.05 * math.hypot(style.DIGIT_WIDTH * size / grid.cell * len(text), height)
    foot = radius + GAP + height
    if diagonal > 2 * radius and foot + GAP <= 0.5:
        grid.ax.text(
            j, i + downwards * foot, text, fontsize=size, ha="center", va="baseline", zorder=3
        )
        return
    grid.ax.text(
        j,
        i,
        text,
        fontsize=size * min(1, 2 * radius / diagonal),
        color=style.text_colour(style.AGREEMENT if i == j else style.DISAGREEMENT),
        ha="center",
        va="center_baseline",
        zorder=3,
    )


def _text_size(grid: Grid) -> float:
    """Return the largest font size at which the longest count fits in a cell."""
    longest = max(len(text) for row in grid.texts for text in row)
    return min(LARGEST_TEXT, 0.26 * grid.cell, 0.86 * grid.cell / (style.DIGIT_WIDTH * longest))


def _draw_histograms(grid: Grid) -> None:
    """Draw histograms of the raters' labels: the second rater's above, the first's to the right."""
    positions = np.arange(len(grid.labels))
    distance = 1 + HISTOGRAM_DISTANCE
    above = grid.ax.inset_axes((0, distance, 1, HISTOGRAM_HEIGHT), sharex=grid.ax)
    right = grid.ax.inset_axes((distance, 0, HISTOGRAM_HEIGHT, 1), sharey=grid.ax)
    columns, rows = grid.counts.sum(axis=0), grid.counts.sum(axis=1)
    look: dict[str, Any] = {"color": style.LIGHT_GREY, "edgecolor": style.ink()}
    bars = (
        above.bar(positions, columns, width=0.7, linewidth=0.6 * (columns > 0), **look),
        right.barh(positions, rows, height=0.7, linewidth=0.6 * (rows > 0), **look),
    )
    size = min(0.9 * _text_size(grid), 9.0)
    for ax, drawn, totals in zip((above, right), bars, (columns, rows)):
        ax.axis("off")
        if size >= SMALLEST_TEXT:
            (texts,) = write_counts(totals[None])
            ax.bar_label(drawn, texts, padding=1.5, fontsize=size)
    # The title is above the axes, so the text on the bars must stay within the axes.
    height = HISTOGRAM_HEIGHT * len(positions) * grid.cell
    highest = (max(rows.max(), columns.max()) or 1) * (1.02 + 1.6 * size / height)
    above.set_ylim(0, highest)
    right.set_xlim(0, highest)
