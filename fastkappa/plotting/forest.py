"""Estimates with their intervals, one row each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastkappa.plotting import style
from fastkappa.plotting.results import read_estimate, write_figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW_HEIGHT = 0.34


class Row(NamedTuple):
    """An estimate with its interval and name; NaN where undefined."""

    name: str
    estimate: float
    low: float
    high: float


def plot_forest(
    results: Any,
    intervals: Any = None,
    *,
    names: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw estimates with their intervals over groups, raters or methods.

    Each has a row, the first on top: a square at the estimate, a line for the interval, and
    their values to the right. A dashed line marks 0, agreement by chance.

    Parameters
    ----------
    results : mapping of str to result, or array-like of shape (k,)
        Results with an estimate (``kappa`` or ``value``) and an ``interval``, by the name
        of their row; or the estimates themselves.
    intervals : array-like of shape (k, 2), default=None
        The lower and upper ends, for an array of estimates; NaN if there is none.
    names : sequence of str of length k, default=None
        The names of the rows, for an array of estimates. None takes 0 to k - 1.
    ax : Axes, default=None
        Where to draw. None makes a new figure of fitting size with ``pyplot.subplots``. The
        values are written outside the axes, to the right.

    Returns
    -------
    ax : Axes

    Raises
    ------
    ValueError
        If there are no results, lengths differ, or an interval is missing or has its ends in
        the wrong order.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> from fastkappa import agreement_from_confusion, datasets, plot_forest
    >>> cities = ["winnipeg", "new_orleans"]
    >>> tables = {city: datasets.load(f"multiple_sclerosis_{city}").table for city in cities}
    >>> ax = plot_forest({city: agreement_from_confusion(tables[city]) for city in cities})
    >>> ax.figure.savefig("forest.svg")  # doctest: +SKIP
    """
    style.import_matplotlib()
    rows = _read_rows(results, intervals, names)
    if ax is None:
        longest = max(len(row.name) for row in rows)
        ax = style.new_axes(5.2 + 0.08 * longest, 0.7 + ROW_HEIGHT * max(len(rows), 2))
    size = _text_size(ax, len(rows))
    beside = ax.get_yaxis_transform()
    for position, (_, estimate, low, high) in enumerate(rows):
        ax.plot([low, high], [position] * 2, color="black", linewidth=1.4, marker="|", zorder=2)
        ax.plot(
            estimate,
            position,
            marker="s",
            markersize=0.7 * size,
            color=style.AGREEMENT,
            markeredgecolor="black",
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
    ends = np.array([row[1:] for row in rows])
    ends = ends[np.isfinite(ends)]
    ax.set_xlim(min(-0.02, ends.min(initial=0) - 0.04), max(1.02, ends.max(initial=1) + 0.04))
    ax.axvline(0, color=style.GREY, linewidth=1, linestyle="--", zorder=1)
    ax.set_xlabel(_axis_label(results))
    ax.tick_params(axis="y", length=0)
    ax.grid(True, axis="x", **style.RULE)
    ax.set_axisbelow(True)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    return ax


def _read_rows(results: Any, intervals: Any, names: Any) -> list[Row]:
    if isinstance(results, Mapping):
        if intervals is not None or names is not None:
            raise ValueError("intervals and names go with an array of estimates, not a mapping.")
        rows = [
            Row(str(name), *read_estimate(str(name), result)) for name, result in results.items()
        ]
    else:
        some = results if isinstance(results, (list, tuple)) else []
        if any(hasattr(result, "interval") for result in (results, *some)):
            raise ValueError(
                "results must be a mapping of names to results, such as {'all': result}, got"
                f" {type(results).__name__}."
            )
        estimates = np.asarray(results, dtype=np.float64)
        if estimates.ndim != 1:
            raise ValueError(f"results must be one-dimensional, got shape {estimates.shape}.")
        ends = np.asarray(intervals, dtype=np.float64)
        if ends.shape != (len(estimates), 2):
            raise ValueError(
                f"intervals must have the shape ({len(estimates)}, 2), one row for each"
                f" estimate, got {ends.shape}."
            )
        row_names = list(range(len(estimates)) if names is None else names)
        if len(row_names) != len(estimates):
            raise ValueError(
                f"names must be as many as the estimates, {len(estimates)}, got {len(row_names)}."
            )
        rows = [
            Row(str(name), float(estimate), float(low), float(high))
            for name, estimate, (low, high) in zip(row_names, estimates, ends)
        ]
    if not rows:
        raise ValueError("results must not be empty.")
    for row in rows:
        if row.low > row.high:
            raise ValueError(
                f"the interval of {row.name!r} must have its lower end first, got"
                f" ({row.low}, {row.high})."
            )
    return rows


def _text_size(ax: Axes, n_rows: int) -> float:
    height = ax.get_window_extent().height / ax.figure.dpi * style.POINTS_IN_AN_INCH
    return min(10.0, max(5.0, 0.75 * height / n_rows))


def _axis_label(results: Any) -> str:
    """Return the label of the axis, with the confidence if all rows have the same."""
    given: Iterable[Any] = results.values() if isinstance(results, Mapping) else ()
    confidences = {getattr(result, "confidence", None) for result in given}
    (confidence,) = confidences if len(confidences) == 1 else (None,)
    if confidence is None:
        return "kappa with its interval"
    return f"kappa with its {100 * confidence:g} % interval"
