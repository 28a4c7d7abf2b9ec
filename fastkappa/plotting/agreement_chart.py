"""Draw the confusion matrix of two raters as Bangdiwala's agreement chart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.formatting import text_width
from fastkappa.plotting import style
from fastkappa.plotting.fonts import finish_texts
from fastkappa.plotting.grid import read_raters, read_table, tick_size
from fastkappa.plotting.room import keep_texts_apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The width and height of a new figure, in inches.
SIDE = 4.6
# A segment of an axis is labelled only if its length is at least this many times the font size.
LEAST_ROOM = 1.05
# The strength of the colour for partial agreement with weight 1, relative to the colour for full
# agreement.
LIGHTER = 0.6


def plot_agreement_chart(
    table: Any,
    *,
    labels: Any = None,
    raters: tuple[str, str] | None = None,
    step_weights: Sequence[float] = (1.0,),
    reverse_y: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw Bangdiwala's agreement chart.

    Each label has a box. The width of the box shows how often the second rater used the label, and
    its height shows how often the first rater used it. The boxes are joined at their corners. The
    dark square in each box shows the items to which both raters gave the label. Bangdiwala's B is
    the total dark area divided by the total area of the boxes. If both raters use each label
    equally often, the boxes are squares along the diagonal. Boxes off the diagonal show that the
    raters use the labels with different frequencies.

    Parameters
    ----------
    table : array-like of shape (l, l), ConfusionCounts or AgreementResult
        A confusion matrix of counts or of sums of item weights. Rows correspond to the first
        rater's labels.
    labels : sequence of length l, default=None
        The labels, in the order of the table's rows and columns. If None, the labels of ``table``
        are used, or 0 to l - 1 if it is an array without labels.
    raters : tuple of str, default=None
        The names of the raters, which are used as axis labels, as in `plot_agreement`. The first
        rater's labels run from bottom to top, and the second rater's labels from left to right.
    step_weights : sequence of float, default=(1.0,)
        The agreement weights for pairs of labels that are 0, 1, 2, ... steps apart, as in
        `fastkappa.statistics.indices.bangdiwala_b`. The first weight must be 1, and the weights
        must not increase or be negative. Pairs with a smaller weight are drawn in a fainter color.
    reverse_y : bool, default=False
        Whether to draw the first rater's labels from top to bottom, as in a printed table.
    ax : Axes, default=None
        The axes to draw on. If None, a new figure is created with ``pyplot.subplots``.

    Returns
    -------
    ax : Axes
        The axes. For use in a legend, the collections of the axes are labeled 'agreement', '1 step
        apart', '2 steps apart' and so on.

    Raises
    ------
    ValueError
        If the table is empty or is not a square table of counts, if the labels do not match the
        table, if the first weight is not 1, or if the weights increase or are negative.
    ImportError
        If matplotlib is not installed.

    References
    ----------
    S. I. Bangdiwala (1985). A graphical test for observer agreement. Bulletin of the
    International Statistical Institute 51, 307-308.

    S. I. Bangdiwala and V. Shankar (2013). The agreement chart. BMC Medical Research
    Methodology 13, 97.

    Examples
    --------
    >>> from fastkappa import datasets
    >>> from fastkappa.plotting import plot_agreement_chart
    >>> rated = datasets.load("multiple_sclerosis_winnipeg")
    >>> ax = plot_agreement_chart(
    ...     rated.table, labels=rated.labels, raters=rated.raters, step_weights=(1, 8 / 9)
    ... )
    >>> ax.figure.savefig("agreement_chart.svg")  # doctest: +SKIP
    """
    style.import_matplotlib()
    table_counts, names = read_table(table, labels)
    counts = table_counts.astype(np.float64)
    weights = _checked_weights(step_weights)
    if not counts.any():
        raise ValueError("table must not be empty, but all its counts are 0.")
    names_of_axes = read_raters(table, raters)
    if ax is None:
        ax = style.new_axes(SIDE + 0.06 * max(map(text_width, names)), SIDE)
    _draw_boxes(ax, counts, weights)
    _draw_axes(ax, counts, names, names_of_axes)
    if reverse_y:
        ax.invert_yaxis()
    finish_texts(ax)
    keep_texts_apart(ax)
    return ax


def _checked_weights(step_weights: Sequence[float]) -> list[float]:
    weights = list(step_weights)
    are_numbers = all(isinstance(weight, Real) for weight in weights)
    if not (are_numbers and weights and weights[0] == 1 and weights[-1] >= 0) or not all(
        first >= second for first, second in itertools.pairwise(weights)
    ):
        raise ValueError(
            "step_weights must be non-negative numbers that start at 1 and never increase, got"
            f" {step_weights!r}."
        )
    return [float(weight) for weight in weights]


def _draw_boxes(ax: Axes, counts: FloatTable, weights: list[float]) -> None:
    n, whole = counts.sum(), len(counts) - 1
    ax.plot([0, n], [0, n], zorder=1, **{**style.RULE, "alpha": 0.8})
    _draw(ax, _rectangles(counts, whole), zorder=0, facecolor=style.SHADE, edgecolor="none")
    # The largest areas are drawn first, so that agreement is on top.
    for steps in reversed(range(min(len(weights), len(counts)))):
        weight = weights[steps] * LIGHTER if steps else 1.0
        _draw(
            ax,
            _rectangles(counts, steps),
            zorder=2,
            facecolor=style.tint(style.line_of_agreement(), weight),
            edgecolor="none" if steps else style.ink(),
            linewidth=1.0,
            label=_legend_text(steps),
        )
    outline: dict[str, Any] = {"facecolor": "none", "edgecolor": style.GREY, "linewidth": 1.0}
    _draw(ax, _rectangles(counts, whole), zorder=3, **outline)


def _rectangles(counts: FloatTable, steps: int) -> list[tuple[float, float, float, float]]:
    """Return the box (x, y, width, height) of each label for ratings within ``steps`` steps."""
    found = []
    for label in range(len(counts)):
        first = max(label - steps, 0)
        near = slice(first, label + steps + 1)
        x = counts[:, :label].sum() + counts[:first, label].sum()
        y = counts[:label].sum() + counts[label, :first].sum()
        found.append((x, y, counts[near, label].sum(), counts[label, near].sum()))
    return found


def _draw(ax: Axes, rectangles: list[tuple[float, float, float, float]], **look: Any) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    patches = [Rectangle((x, y), width, height) for x, y, width, height in rectangles]
    ax.add_collection(PatchCollection(patches, **look), autolim=False)


def _legend_text(steps: int) -> str:
    if steps == 0:
        return "agreement"
    return "1 step apart" if steps == 1 else f"{steps} steps apart"


def _draw_axes(ax: Axes, counts: FloatTable, names: list[str], raters: tuple[str, str]) -> None:
    n = counts.sum()
    plain: dict[str, Any] = {"parse_math": False}
    ax.set_xlim(0, n)
    ax.set_ylim(0, n)
    ax.set_aspect("equal", adjustable="box")
    ax.grid(False)
    ax.tick_params(length=0)
    ax.set_xlabel(str(raters[1]), **plain)
    ax.set_ylabel(str(raters[0]), **plain)
    _label_segments(ax, counts, names)
    # The labels change the length of the axes, which decides how many labels fit.
    style.lay_out(ax)
    _label_segments(ax, counts, names)


def _label_segments(ax: Axes, counts: FloatTable, names: list[str]) -> None:
    """Label the segments of both axes that are long enough for text."""
    extent = ax.get_window_extent()
    side = min(extent.width, extent.height) / ax.figure.dpi * style.POINTS_IN_AN_INCH
    size = tick_size(side / len(names))
    for axis, totals in ((ax.xaxis, counts.sum(axis=0)), (ax.yaxis, counts.sum(axis=1))):
        lengths = totals / counts.sum() * side
        widths = np.array([style.DIGIT_WIDTH * size * text_width(name) for name in names])
        shown = lengths >= LEAST_ROOM * size
        slanted: dict[str, Any] = {}
        if axis is ax.xaxis and (widths > lengths)[shown].any():
            slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
            shown = lengths >= LEAST_ROOM * size * math.sqrt(2)
        texts = [name for name, is_shown in zip(names, shown) if is_shown]
        middle = totals.cumsum() - totals / 2
        axis.set_ticks(middle[shown], texts, fontsize=size, parse_math=False, **slanted)
