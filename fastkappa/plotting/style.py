"""Define the style of all plots: the axes of new figures, and the colours.

The colours differ in lightness as well as in hue, so they remain distinct in black and white and
for colour-blind readers. Agreement is drawn dark, and disagreement light.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from fastkappa.exceptions import library_needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AGREEMENT = "#0b4a82"
# the colour for lines that show agreement on a dark background
AGREEMENT_ON_DARK = "#7db8f0"
DISAGREEMENT = "#fbd7a1"
DISAGREEMENT_EDGE = "#8a5200"
# mostly transparent, so that the colour suits both dark and light backgrounds
SHADE = (0.5, 0.5, 0.5, 0.16)
GREY = "#7f7f7f"
LIGHT_GREY = "#c4c4c4"
# The opacity is passed separately, because matplotlib 3.8 ignores the opacity of a grid's colour.
RULE: dict[str, Any] = {"color": GREY, "alpha": 0.35, "linewidth": 0.6}

POINTS_IN_AN_INCH = 72
# The maximum width of a digit in common fonts, relative to the font size.
DIGIT_WIDTH = 0.64
# The height of a digit, relative to the font size.
DIGIT_HEIGHT = 0.75


def import_matplotlib() -> Any:
    """Import matplotlib, or raise an error that explains how to install it."""
    with library_needed("a picture", "matplotlib", "fastkappa[plot]"):
        import matplotlib
    return matplotlib


def new_axes(width: float, height: float) -> Axes:
    """Return the axes of a new pyplot figure. The size is in inches."""
    from matplotlib import pyplot

    _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    return ax


def lay_out(ax: Axes) -> None:
    """Lay out the figure to which the axes belong, so that the size of the axes is final."""
    if ax.figure.get_layout_engine() is None:
        return
    with warnings.catch_warnings():
        # Warnings about missing characters are ignored, because `find_fonts` might not have
        # replaced the fonts yet.
        warnings.simplefilter("ignore")
        ax.figure.canvas.figure.draw_without_rendering()


def ink() -> Any:
    """Return the text colour of the matplotlib style in use, which is also used for lines."""
    from matplotlib import rcParams

    return rcParams["text.color"]


def paper() -> Any:
    """Return the background colour of the matplotlib style in use."""
    from matplotlib import rcParams

    return rcParams["axes.facecolor"]


def line_of_agreement() -> str:
    """Return a colour for lines that show agreement and are visible on the style's background."""
    return AGREEMENT if luminance(ink()) < 0.5 else AGREEMENT_ON_DARK


def tint(colour: str, strength: float) -> tuple[float, ...]:
    """Mix a colour with the style's background. A strength of 1 means the pure colour."""
    from matplotlib.colors import to_rgb

    return tuple(
        under + strength * (part - under) for part, under in zip(to_rgb(colour), to_rgb(paper()))
    )


def text_colour(background: Any) -> str:
    """Return black or white, whichever is easier to read on a colour."""
    # Against a background with this luminance, black text and white text have the same contrast (by
    # the formula of WCAG 2).
    return "black" if luminance(background) > 0.179 else "white"


def luminance(colour: Any) -> float:
    """Return the relative luminance of a colour, from 0 for black to 1 for white."""
    from matplotlib.colors import to_rgb

    linear = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(colour)
    )
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))
