"""Draw two versions of each plot of an HTML page: light, which is also printed, and dark."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple
from warnings import catch_warnings, filterwarnings

from fastkappa.cli.pages.stylesheet import INK, PAPER
from fastkappa.plotting.fonts import MISSING
from fastkappa.plotting.style import import_matplotlib
from fastkappa.results.html import html_text

# matplotlib's settings for the colour of text and lines.
OF_INK = (
    *("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "xtick.color"),
    *("ytick.color", "lines.color", "patch.edgecolor"),
)
# matplotlib's settings for the background colour.
OF_PAPER = ("axes.facecolor", "figure.facecolor", "savefig.facecolor")
# Omit the date, the program and its address, so that equal plots produce identical files.
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
# A pattern for the places in SVG where an element's id is defined or used.
NAMES = re.compile(r"""(\bid="|href="#|url\(#)""")


class Picture(NamedTuple):
    """The caption of a plot, and a function that draws the plot on the given axes.

    If the axes are None, the function creates a figure of suitable size.
    """

    caption: str
    draw: Callable[[Any], Any]


def figures(pictures: Sequence[Picture]) -> Iterator[str]:
    """Yield plots as HTML figures.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    for i, (caption, draw) in enumerate(pictures):
        escaped = html_text(caption)
        drawn = "\n".join(_svg(draw, scheme, escaped, f"{scheme}{i}-") for scheme in INK)
        # A plot wider than the page scrolls in its own box, like a wide table.
        box = f'<div class="wide" tabindex="0">\n{drawn}\n</div>'
        yield f"<figure>\n{box}\n<figcaption>{escaped}</figcaption>\n</figure>"


def _svg(draw: Callable[[Any], Any], scheme: str, escaped: str, prefix: str) -> str:
    """Return a plot as an SVG element whose ids begin with the prefix, so that they are unique."""
    matplotlib = import_matplotlib()
    matplotlib.use("agg")
    settings = {
        **dict.fromkeys(OF_INK, INK[scheme]),
        **dict.fromkeys(OF_PAPER, PAPER[scheme]),
        "svg.fonttype": "path",
        "svg.hashsalt": "fastkappa",
    }
    with matplotlib.rc_context(settings), catch_warnings():
        ax = draw(None)
        written = io.StringIO()
        filterwarnings("ignore", MISSING)
        ax.figure.savefig(written, format="svg", metadata=NO_METADATA)
        matplotlib.pyplot.close(ax.figure)
    svg = written.getvalue()
    # Remove the XML header, which SVG inside HTML does not need, and comments that repeat labels.
    svg = re.sub(r"<!--.*?-->\n?", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = NAMES.sub(rf"\g<1>{prefix}", svg)
    return svg.replace(
        "<svg ", f'<svg class="{scheme}" role="img" aria-label="{escaped}" ', 1
    ).rstrip()
