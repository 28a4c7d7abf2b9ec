"""Draw estimates with their intervals, one per row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastkappa.formatting import text_width
from fastkappa.plotting import style
from fastkappa.plotting.fonts import finish_texts
from fastkappa.plotting.results import Row, Rows, read_rows, write_figures
from fastkappa.plotting.room import keep_texts_apart
from fastkappa.results.text import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The height of a row, in inches.
ROW_HEIGHT = 0.34
# The maximum height of a new figure, in inches.
HIGHEST = 100.0
# The minimum length of the axis without its margins, in the unit of the values.
NARROWEST = 0.1
# The length of each margin, as a proportion of the axis without its margins.
MARGIN = 0.05
# If the caller passes axes, the texts leave at least this proportion of the width for the axis.
AXIS_WIDTH = 0.36
# The minimum font size, in points.
SMALLEST_TEXT = 5.0
# If space is scarce, names with more letters than this are split into several lines.
LETTERS = 24


def plot_forest(
    results: Any,
    *,
    intervals: Any = None,
    names: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a forest plot: estimates with their intervals, for groups, raters or methods.

    Each estimate has its own row, and the first estimate is at the top. A square marks the
    estimate, and a line marks the interval. The values are written to the right of the plot. The
    horizontal axis covers all intervals. If it includes 0, a dashed line at 0 marks the agreement
    expected by chance.

    Parameters
    ----------
    results : mapping, list of results, a result, or array-like of shape (k,)
        A list of results, or a mapping from row names to results. Each result must have an estimate
        (``kappa`` or ``value``) and an ``interval``. A single result that contains several
        estimates is drawn with one row per estimate: per group for `agreement_by`, per pair of
        raters for `pairwise_kappa`, per rater for `compare_raters`, per prediction for
        `leaderboard`, and per form for `intraclass_correlation`. An array of estimates is also
        accepted.
    intervals : array-like of shape (k, 2), default=None
        The lower and upper limits of the intervals, if ``results`` is an array of estimates. Use
        NaN for the limits of an estimate without an interval.
    names : sequence of str of length k, default=None
        The names of the rows, if ``results`` is an array or a list. If None, the numbers from 0 to
        k - 1 are used.
    ax : Axes, default=None
        The axes to draw on. If None, a new figure of suitable size is created with
        ``pyplot.subplots``. The values are written outside the axes, to the right.

    Returns
    -------
    ax : Axes

    Raises
    ------
    ValueError
        If there are no results, if the arguments differ in length, or if an interval is missing or
        has its limits in the wrong order.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from fastkappa import agreement_from_confusion, datasets
    >>> from fastkappa.plotting import plot_forest
    >>> cities = ["winnipeg", "new_orleans"]
    >>> tables = {city: datasets.load(f"multiple_sclerosis_{city}").table for city in cities}
    >>> ax = plot_forest({city: agreement_from_confusion(tables[city]) for city in cities})
    >>> ax.figure.savefig("forest.svg")  # doctest: +SKIP
    """
    style.import_matplotlib()
    found = read_rows(results, intervals, names)
    rows = found.rows
    is_new = ax is None
    if ax is None:
        longest = max(text_width(row.name) for row in rows)
        height = min(HIGHEST, 0.7 + ROW_HEIGHT * max(len(rows), 2))
        ax = style.new_axes(5.2 + 0.08 * longest, height)
    size = _text_size(ax, len(rows))
    left, right = _limits(rows)
    beside = ax.get_yaxis_transform()
    for position, (_, estimate, low, high) in enumerate(rows):
        # If a limit is infinite, the line is drawn to the end of the axis.
        ends = np.clip([low, high], left, right)
        ax.plot(ends, [position] * 2, color=style.ink(), linewidth=1.4, marker="|", zorder=2)
        ax.plot(
            estimate,
            position,
            marker="s",
            markersize=0.7 * size,
            color=style.AGREEMENT,
            markeredgecolor=style.ink(),
            zorder=3,
        )
        ax.text(
            1.03,
            position,
            write_figures(estimate, low, high),
            fontsize=size,
            va="center",
            transform=beside,
        )
    ax.set_yticks(range(len(rows)), [row.name for row in rows], fontsize=size, parse_math=False)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlim(left, right)
    if left < 0 < right:
        ax.axvline(0, color=style.GREY, linewidth=1, linestyle="--", zorder=1)
    ax.set_xlabel(_axis_label(found))
    ax.tick_params(axis="y", length=0)
    ax.grid(True, axis="x", **style.RULE)
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    finish_texts(ax)
    if not is_new:
        _make_room(ax)
    keep_texts_apart(ax)
    return ax


def _limits(rows: list[Row]) -> tuple[float, float]:
    """Return the limits of the axis, which extends slightly beyond the intervals."""
    ends = np.array([row[1:] for row in rows])
    ends = ends[np.isfinite(ends)]
    if not len(ends):
        return 0.0, 1.0
    low, high = float(ends.min()), float(ends.max())
    lacking = max(0.0, NARROWEST - (high - low)) / 2
    margin = MARGIN * max(high - low, NARROWEST)
    return low - lacking - margin, high + lacking + margin


def _text_size(ax: Axes, n_rows: int) -> float:
    height = ax.get_window_extent().height / ax.figure.dpi * style.POINTS_IN_AN_INCH
    return min(10.0, max(SMALLEST_TEXT, 0.75 * height / n_rows))


def _make_room(ax: Axes) -> None:
    """Wrap long row names and shrink the texts, if they leave too little room for the axis.

    Without a layout, the texts do not change the size of the axes.
    """
    if ax.figure.get_layout_engine() is None:
        return
    names = ax.get_yticklabels()
    if _text_width(ax) < 1:
        return
    several = ["\n".join(wrapped(name.get_text(), LETTERS)) for name in names]
    ax.set_yticks(ax.get_yticks(), several, fontsize=names[0].get_fontsize(), parse_math=False)
    factor = _text_width(ax)
    for text in (*ax.get_yticklabels(), *ax.texts):
        text.set_fontsize(max(SMALLEST_TEXT, float(text.get_fontsize()) / max(factor, 1)))
    # On a short axis, numbers of the usual size would touch, so they get the font size of the
    # names.
    ax.tick_params(axis="x", labelsize=names[0].get_fontsize())


def _text_width(ax: Axes) -> float:
    """Return the width of the names and values, divided by the largest width allowed."""
    style.lay_out(ax)
    texts = [
        max(text.get_window_extent().width for text in column)
        for column in (ax.get_yticklabels(), ax.texts)
    ]
    whole: float = min(ax.figure.bbox.width, ax.get_tightbbox().width)  # type: ignore[union-attr]
    return sum(texts) / ((1 - AXIS_WIDTH) * whole)


def _axis_label(found: Rows) -> str:
    """Return the label of the axis, with the confidence level if it is the same for all rows."""
    percent = "" if found.confidence is None else f"{100 * found.confidence:g} % "
    return f"{found.what} with its {percent}interval"
