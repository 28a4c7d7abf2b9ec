"""Draw a Bland-Altman plot: differences between two methods against their means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from fastkappa.formatting import measured_text
from fastkappa.plotting import style
from fastkappa.plotting.fonts import finish_texts
from fastkappa.plotting.room import keep_texts_apart
from fastkappa.results.report import RATERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# With more subjects than this, hexagons that show their density are drawn instead of dots.
MOST_DOTS = 20_000
HEXAGONS = 60
# The colour of hexagons with few subjects. It is half transparent, so that it looks faint on both
# dark and light backgrounds.
FEW = (0.5, 0.5, 0.5, 0.45)
NEEDED = (
    *("means", "differences", "bias", "limits", "raters", "standard_deviation"),
    *("bias_interval", "lower_interval", "upper_interval"),
)


def plot_limits_of_agreement(
    result: Any, *, units: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a Bland-Altman plot of two measurement methods, with limits of agreement.

    For each subject, the difference between the two measurements is plotted against their mean.
    With more than 20 000 subjects, hexagons show the density of the points instead. A solid line
    marks the bias, and dashed lines mark the limits of agreement. The confidence intervals for the
    bias and the limits are shaded. A dotted line marks a difference of 0. The bias and the limits
    are also written as numbers to the right of the plot.

    Parameters
    ----------
    result : LimitsOfAgreement
        The result of `limits_of_agreement`.
    units : str, default=None
        The unit of the measurements, such as 'mmHg', which is shown in the axis labels.
    ax : Axes, default=None
        The axes to draw on. If None, a new figure is created with ``pyplot.subplots``. The numbers
        are written outside the axes, to the right.

    Returns
    -------
    ax : Axes

    Raises
    ------
    ValueError
        If the result does not come from `limits_of_agreement`.
    ImportError
        If matplotlib is not installed.

    References
    ----------
    J. M. Bland and D. G. Altman (1999). Measuring agreement in method comparison studies.
    Statistical Methods in Medical Research 8, 135-160.

    Examples
    --------
    >>> from fastkappa.measurements import limits_of_agreement
    >>> from fastkappa.plotting import plot_limits_of_agreement
    >>> wright, mini = [494, 395, 516, 434, 476, 557], [512, 430, 520, 428, 500, 600]
    >>> ax = plot_limits_of_agreement(limits_of_agreement(wright, mini))
    >>> ax.figure.savefig("limits.svg")  # doctest: +SKIP
    """
    style.import_matplotlib()
    if not all(hasattr(result, name) for name in NEEDED):
        raise ValueError(f"result must come from limits_of_agreement, got {type(result).__name__}.")
    if ax is None:
        ax = style.new_axes(6.0, 3.8)
    means, differences = np.asarray(result.means), np.asarray(result.differences)
    if len(means) > MOST_DOTS:
        from matplotlib.colors import LinearSegmentedColormap

        ends: list[Any] = [FEW, style.line_of_agreement()]
        shades = LinearSegmentedColormap.from_list("shades", ends)
        ax.hexbin(
            means, differences, gridsize=HEXAGONS, bins="log", cmap=shades, mincnt=1, zorder=1
        )
    else:
        ax.scatter(
            means,
            differences,
            s=22,
            color=style.line_of_agreement(),
            edgecolors=style.paper(),
            linewidths=0.6,
            zorder=3,
        )
    lines = [
        (result.bias, result.bias_interval, "-"),
        (result.limits[0], result.lower_interval, "--"),
        (result.limits[1], result.upper_interval, "--"),
    ]
    beside = ax.get_yaxis_transform()
    for value, (low, high), dashes in lines:
        if math.isfinite(low) and math.isfinite(high):
            ax.axhspan(low, high, color=style.SHADE, linewidth=0, zorder=0)
        ax.axhline(value, color=style.ink(), linestyle=dashes, linewidth=1.3, zorder=4)
        text = measured_text(value, result.standard_deviation, 3).replace("-", "\N{MINUS SIGN}")
        ax.text(1.02, value, text, va="center", fontsize="small", transform=beside)
    ax.axhline(0, color=style.GREY, linestyle=":", linewidth=1, zorder=2)
    of_unit = "" if units is None else f" ({units})"
    ax.set_xlabel(f"mean of both measurements{of_unit}", parse_math=False)
    first, second = result.raters if result.raters != RATERS else ("first", "second")
    ax.set_ylabel(f"difference, {first} minus {second}{of_unit}", parse_math=False)
    confidence = getattr(result, "confidence", None)
    intervals = "" if confidence is None else f", {100 * confidence:g} % intervals shaded"
    ax.set_title(f"limits of agreement of {len(means)} items{intervals}", fontsize="medium")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    finish_texts(ax)
    keep_texts_apart(ax)
    return ax
