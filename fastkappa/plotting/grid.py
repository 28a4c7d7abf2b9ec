"""Lay out a table on a square grid of cells, with labels and counts as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray, FloatTable
from fastkappa.formatting import label_text, text_width
from fastkappa.plotting.style import POINTS_IN_AN_INCH, import_matplotlib, lay_out, new_axes
from fastkappa.results.report import RATERS
from fastkappa.statistics.tables import as_tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST_LABEL = 40
# The smallest readable text, in points.
SMALLEST_TEXT = 4.0
LARGEST_TEXT = 12.0
TICK_TEXT = 10.0
# Integer counts below this limit are written in full.
WRITTEN_IN_FULL = 10**5
THOUSANDS = ("", "k", "M", "G", "T")


class Grid(NamedTuple):
    """A table to draw, and the axes to draw it on.

    Attributes
    ----------
    ax : Axes
        The axes to draw on.
    counts : ndarray of shape (l, l)
        The table as float64.
    texts : list of list of str
        The counts as text.
    labels : list of str
        The labels as text.
    cell : float
        The width of a cell in points.
    """

    ax: Axes
    counts: FloatTable
    texts: list[list[str]]
    labels: list[str]
    cell: float


def make_grid(
    table: Any, labels: Any, ax: Axes | None, *, above: float = 0, right: float = 0
) -> Grid:
    """Return the grid for a table, on new axes if none are given.

    New axes leave space above and to the right of the table. ``above`` and ``right`` are the sizes
    of this space relative to the width of the table.
    """
    import_matplotlib()
    counts, names = read_table(table, labels)
    n_labels = len(names)
    if ax is None:
        side = min(12.0, max(3.0, 2 + 0.32 * n_labels))
        longest = max(map(text_width, names))
        cell = side * POINTS_IN_AN_INCH / n_labels
        below = longest if _is_too_wide(longest, TICK_TEXT, cell) else 1
        ax = new_axes(
            side * (1 + right) + 0.085 * longest + 0.5 + 0.7 * (right > 0),
            side * (1 + above) + 0.06 * below + 0.45,
        )
    else:
        cell = _cell_width(ax, n_labels)
    return Grid(ax, counts.astype(np.float64), write_counts(counts), names, cell)


def laid_out(grid: Grid) -> Grid:
    """Lay out the figure, and return the grid with the resulting width of its cells."""
    lay_out(grid.ax)
    return grid._replace(cell=min(grid.cell, _cell_width(grid.ax, len(grid.labels))))


def _cell_width(ax: Axes, n_labels: int) -> float:
    extent = ax.get_window_extent()
    return min(extent.width, extent.height) / ax.figure.dpi * POINTS_IN_AN_INCH / n_labels


def read_table(table: Any, labels: Any) -> tuple[AnyArray, list[str]]:
    """Return the counts of a table, or of a result that has a table, and the labels as text.

    Raises
    ------
    ValueError
        If the table is not a single square table of counts, or if there is not one label per row.
    """
    if hasattr(table, "table"):
        labels = table.labels if labels is None else labels
        table = table.table
    counts = as_tables(table)
    if counts.ndim != 2:
        raise ValueError(f"table must be one table of shape (l, l), got shape {counts.shape}.")
    if labels is None:
        # `as_tables` has checked that the rows and columns of a data frame have the same names.
        own = getattr(table, "columns", None)
        labels = range(len(counts)) if own is None else own
    names = [_label_text(label) for label in labels]
    if len(names) != len(counts):
        raise ValueError(
            f"labels must have one entry per row of the table ({len(counts)}), got {len(names)}."
        )
    return counts, names


def read_raters(table: Any, raters: Sequence[str] | None) -> tuple[str, str]:
    """Return the names of both raters, taken from the table if ``raters`` is None.

    Raises
    ------
    ValueError
        If ``raters`` does not contain exactly two names.
    """
    if raters is not None:
        if isinstance(raters, str) or len(raters) != 2:
            raise ValueError(
                f"raters must contain the names of the first and the second rater, got {raters!r}."
            )
        first, second = raters
        return first, second
    if hasattr(table, "raters"):
        first, second = table.raters
        return first, second
    names = [getattr(getattr(table, axis, None), "name", None) for axis in ("index", "columns")]
    first, second = (other if name is None else name for name, other in zip(names, RATERS))
    return first, second


def _label_text(label: Any) -> str:
    text = label_text(float(label) if isinstance(label, np.floating) else label)
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def write_counts(counts: AnyArray) -> list[list[str]]:
    """Return the counts of a table as strings that are short enough for a cell.

    Integer counts below 100000 are written in full, and larger counts are written with three digits
    and k, M, G or T. If the table contains fractions, counts below 1000 are also written with three
    digits, and counts below 0.001 with two.

    Examples
    --------
    >>> import numpy as np
    >>> from fastkappa.plotting.grid import write_counts
    >>> write_counts(np.array([[99_999, 123_456], [999_999, 10**8]]))
    [['99999', '123k'], ['1.00M', '100M']]
    >>> write_counts(np.array([[0, 2.0], [0.12345, 1234.5]]))
    [['0', '2.00'], ['0.123', '1234']]
    """
    values = counts.tolist()
    whole = all(value == int(value) for row in values for value in row)
    return [[_count_text(value, whole) for value in row] for row in values]


def _count_text(value: float, whole: bool) -> str:
    if value == 0:
        return "0"
    # The exponent is that of the rounded count: 999999 is written as 1.00M.
    mantissa, exponent = f"{value:.2e}".split("e")
    power = int(exponent)
    if round(value) >= WRITTEN_IN_FULL:
        group, place = divmod(power, 3)
        if group >= len(THOUSANDS):
            return f"{mantissa}e{power}"
        digits = mantissa.replace(".", "")
        decimals = f".{digits[place + 1 :]}" if place < 2 else ""
        return f"{digits[: place + 1]}{decimals}{THOUSANDS[group]}"
    if whole:
        return str(int(value))
    return f"{value:.{max(0, 2 - power)}f}" if power >= -3 else f"{value:.1e}"


def draw_labels(grid: Grid, raters: tuple[str, str]) -> None:
    """Label the rows and columns, and write the raters' names along the axes."""
    n_labels = len(grid.labels)
    size = tick_size(grid.cell)
    step = math.ceil(1.2 * size / grid.cell)
    shown = range(0, n_labels, step)
    names = [grid.labels[position] for position in shown]
    turned: dict[str, Any] = {}
    if _is_too_wide(max(map(text_width, names)), size, grid.cell * step):
        turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    # Text between dollar signs in a name must not be drawn as a formula.
    plain: dict[str, Any] = {"parse_math": False}
    grid.ax.set_xticks(shown, names, fontsize=size, **plain, **turned)
    grid.ax.set_yticks(shown, names, fontsize=size, **plain)
    grid.ax.set_ylabel(str(raters[0]), **plain)
    grid.ax.set_xlabel(str(raters[1]), **plain)
    grid.ax.tick_params(length=0)
    grid.ax.set_aspect("equal", adjustable="box")
    grid.ax.set_xlim(-0.5, n_labels - 0.5)
    grid.ax.set_ylim(-0.5, n_labels - 0.5)


def tick_size(cell: float) -> float:
    """Return the font size of labels, given the mean width of the cells in points."""
    return min(TICK_TEXT, max(5.0, 0.6 * cell))


def _is_too_wide(n_characters: int, size: float, room: float) -> bool:
    return 0.62 * size * n_characters > 0.9 * room
