"""Pictures inside a page, one for light screens and paper and one for dark screens."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from fastkappa.cli.pages.stylesheet import INK, PAPER
from fastkappa.plotting.style import import_matplotlib
from fastkappa.results.html import html_text

# Settings of matplotlib for the colour of text and lines, and for what is behind them.
OF_INK = (
    *("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "xtick.color"),
    *("ytick.color", "lines.color", "patch.edgecolor"),
)
OF_PAPER = ("axes.facecolor", "figure.facecolor", "savefig.facecolor")
# Without these a file has no date, no program and no address in it.
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
# Where a name of a part of a picture is given or used.
NAMES = re.compile(r"""(\bid="|href="#|url\(#)""")


class Picture(NamedTuple):
    """A picture: its caption, and the function that draws it into axes.

    Without axes it makes a figure of a size that fits.
    """

    caption: str
    draw: Callable[[Any], Any]


def figures(pictures: Sequence[Picture]) -> Iterator[str]:
    """Yield pictures as figures of HTML.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    for i, (caption, draw) in enumerate(pictures):
        escaped = html_text(caption)
        drawn = "\n".join(_svg(draw, scheme, escaped, f"{scheme}{i}-") for scheme in INK)
        # Like a table, a picture is scrolled by itself where it is wider than the page.
        box = f'<div class="wide" tabindex="0">\n{drawn}\n</div>'
        yield f"<figure>\n{box}\n<figcaption>{escaped}</figcaption>\n</figure>"


def _svg(draw: Callable[[Any], Any], scheme: str, escaped: str, prefix: str) -> str:
    """Return a picture as an element of SVG; its parts have names that no other picture has."""
    matplotlib = import_matplotlib()
    matplotlib.use("agg")
    settings = {
        **dict.fromkeys(OF_INK, INK[scheme]),
        **dict.fromkeys(OF_PAPER, PAPER[scheme]),
        "svg.fonttype": "path",
        "svg.hashsalt": "fastkappa",
    }
    with matplotlib.rc_context(settings):
        ax = draw(None)
        written = io.StringIO()
        ax.figure.savefig(written, format="svg", metadata=NO_METADATA)
        matplotlib.pyplot.close(ax.figure)
    svg = written.getvalue()
    # What comes before is for a file of its own; comments repeat the labels.
    svg = re.sub(r"<!--.*?-->\n?", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = NAMES.sub(rf"\g<1>{prefix}", svg)
    return svg.replace(
        "<svg ", f'<svg class="{scheme}" role="img" aria-label="{escaped}" ', 1
    ).rstrip()
