"""Keep the texts of a plot apart, and warn if they do not have enough room."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.exceptions import users_stacklevel
from fastkappa.plotting.style import lay_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Texts can extend beyond the figure, or overlap, by up to this many inches before they count as
# lacking space. The effect of rounding is smaller.
OVERHANG = 0.03
# The minimum distance between ticks, relative to the width of the widest number.
GAP = 1.2
CROWDED = "the texts of the plot overlap or are cut off"


def keep_texts_apart(ax: Axes) -> None:
    """Lay out the figure, and use fewer ticks on the x axis if their numbers are too wide.

    Warn if texts still overlap or extend beyond the figure. Without a layout, texts beyond the
    figure are ignored, because `savefig` can include them.
    """
    from matplotlib.ticker import MaxNLocator

    lay_out(ax)
    locator = ax.xaxis.get_major_locator()
    if isinstance(locator, MaxNLocator):
        widest = max(text.get_window_extent().width for text in ax.get_xticklabels())
        most = int(ax.get_window_extent().width / (GAP * widest))
        # matplotlib's number of ticks is right for numbers of three digits, but too high for longer
        # ones.
        if most < ax.xaxis.get_tick_space():
            locator.set_params(nbins=max(most, 1))
            lay_out(ax)
    if lacking(ax, beyond=ax.figure.get_layout_engine() is not None).any():
        width, height = ax.figure.canvas.figure.get_size_inches()
        warnings.warn(
            f"{CROWDED} in a figure of {width:g} x {height:g} inches. Pass ax= from a larger"
            " figure, such as one made by pyplot.subplots(figsize=(8, 6), layout='constrained').",
            stacklevel=users_stacklevel(),
        )


def lacking(ax: Any, *, beyond: bool = True) -> FloatTable:
    """Return how many inches of width and height a plot lacks for its texts.

    Texts lack space if they overlap or, with ``beyond``, extend beyond the figure.
    """
    found: FloatTable = np.zeros(2)
    with warnings.catch_warnings():
        # Warnings about missing characters are ignored, because `find_fonts` gives its own.
        warnings.simplefilter("ignore")
        box, overlap = ax.get_tightbbox().extents, _overlap(ax)
    paper = ax.figure.canvas.figure.bbox.extents
    outside = np.maximum(paper[:2] - box[:2], box[2:] - paper[2:]) if beyond else np.zeros(2)
    for pixels in (outside, overlap):
        inches = pixels / ax.figure.dpi
        found = np.maximum(found, np.where(inches > OVERHANG, inches, 0.0))
    return found


def _overlap(ax: Any) -> FloatTable:
    """Return the width and height, in pixels, of the largest overlap of two texts."""
    boxes = np.array([text.get_window_extent().extents for text in _level_texts(ax)])
    # Equal texts at one place, such as limits of agreement of zero width, look like one text.
    boxes = np.unique(boxes.reshape(-1, 4), axis=0)
    largest: FloatTable = np.zeros(2)
    for i, box in enumerate(boxes):
        others = boxes[i + 1 :]
        both = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
        if len(both) and both.min(axis=1).max() > largest.min():
            largest = both[both.min(axis=1).argmax()]
    return largest


def _level_texts(ax: Any) -> Iterator[Any]:
    """Yield the visible texts, except slanted texts, whose boxes are larger than the texts."""
    for axes in (ax, *ax.child_axes):
        texts = [axes.title, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            start, stop = sorted(axis.get_view_interval())
            ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels())
            texts += [axis.label, *(text for place, text in ticks if start <= place <= stop)]
        yield from (text for text in texts if text.get_text() and text.get_rotation() % 90 == 0)
