"""Draw the distribution of bootstrap replicates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.formatting import BOOTSTRAP_METHODS
from fastkappa.plotting import style
from fastkappa.plotting.fonts import finish_texts
from fastkappa.plotting.results import read_estimate, write_figures
from fastkappa.plotting.room import keep_texts_apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BINS = 80
NARROWEST = 0.01


def plot_bootstrap(result: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the distribution of bootstrap replicates, with the estimate and its interval.

    The plot is a histogram of the replicates. A solid line marks the estimate, and dashed lines
    mark the limits of the shaded interval. The estimate and the interval are written above the
    plot.

    Parameters
    ----------
    result : BootstrapResult
        A result of `bootstrap`. Its ``replicates``, ``value`` and ``interval`` are drawn.
    ax : Axes, default=None
        The axes to draw on. If None, a new figure is created with ``pyplot.subplots``.

    Returns
    -------
    ax : Axes

    Raises
    ------
    ValueError
        If the result has no replicates, or if all replicates are undefined.
    ImportError
        If matplotlib is not installed.

    Notes
    -----
    Replicates for which the statistic is undefined are left out of the histogram. The axis label
    gives the number of these replicates.

    Examples
    --------
    >>> from fastkappa import bootstrap, datasets
    >>> from fastkappa.plotting import plot_bootstrap
    >>> result = bootstrap(datasets.load("fleiss_1981").table, rng=1)
    >>> ax = plot_bootstrap(result)
    >>> ax.figure.savefig("bootstrap.svg")  # doctest: +SKIP
    """
    style.import_matplotlib()
    if not hasattr(result, "replicates"):
        raise ValueError(
            f"result must come from bootstrap, got {type(result).__name__}, which has no"
            " replicates."
        )
    estimate, low, high = read_estimate("bootstrap", result)
    replicates = np.asarray(result.replicates, dtype=np.float64).ravel()
    defined = replicates[np.isfinite(replicates)]
    if len(defined) == 0:
        raise ValueError(
            "result must have at least one defined replicate, but all"
            f" {len(replicates)} replicates are undefined."
        )
    if ax is None:
        ax = style.new_axes(5.2, 3.4)
    ax.hist(
        defined, _edges(defined), color=style.GREY, edgecolor=style.paper(), linewidth=0.4, zorder=2
    )
    if math.isfinite(low) and math.isfinite(high):
        blue = style.line_of_agreement()
        ax.axvspan(low, high, color=blue, alpha=0.12, linewidth=0, zorder=1)
        for end in (low, high):
            ax.axvline(end, color=blue, linestyle="--", linewidth=1.3, zorder=3)
    ax.axvline(estimate, color=style.ink(), linewidth=1.8, zorder=3)
    ax.set_title(write_figures(estimate, low, high), fontsize="medium")
    ax.set_xlabel(_axis_label(result, len(replicates), len(replicates) - len(defined)))
    ax.set_ylabel("replicates")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    finish_texts(ax)
    keep_texts_apart(ax)
    return ax


def _edges(replicates: FloatTable) -> list[float]:
    """Return the edges of the bins. If all values are equal, use one narrow bin."""
    lowest, highest = float(replicates.min()), float(replicates.max())
    if highest - lowest < NARROWEST:
        return [lowest - NARROWEST / 2, highest + NARROWEST / 2]
    n_bins = len(np.histogram_bin_edges(replicates, "auto")) - 1
    return [*np.linspace(lowest, highest, min(MOST_BINS, n_bins) + 1)]


def _axis_label(result: Any, n_replicates: int, n_undefined: int) -> str:
    text = f"value in {n_replicates} bootstrap replicates"
    if n_undefined:
        text += f", {n_undefined} of them undefined"
    method, confidence = (getattr(result, name, None) for name in ("method", "confidence"))
    if method is None or confidence is None:
        return text
    return f"{text}\n{100 * confidence:g} % interval, {BOOTSTRAP_METHODS.get(method, method)}"
