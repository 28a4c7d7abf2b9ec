"""Finish the texts of a plot: wrap long texts, and find fonts for characters such as Chinese."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from fastkappa.exceptions import users_stacklevel
from fastkappa.plotting.style import lay_out
from fastkappa.results.text import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

# Fonts with Chinese, Japanese and Korean characters, to be tried before all other fonts.
CJK_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans JP",
    "Noto Sans SC",
    "Noto Sans KR",
    "Source Han Sans",
    "Hiragino Sans",
    "PingFang SC",
    "PingFang HK",
    "Apple SD Gothic Neo",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
    "WenQuanYi Zen Hei",
    "IPAGothic",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)
# The names of fonts that draw a box for every character.
BOXES = re.compile("last ?resort|blank", re.IGNORECASE)
REGULAR = 400
# matplotlib's warning about a character that no font has. It is ignored, because `find_fonts` gives
# its own warning.
MISSING = r"Glyph \d+ .* missing from font"
# The number of letters on a line of a label, relative to the number that would fit on average. The
# ratio is below 1 because letters differ in width.
LETTERS = 0.95


def finish_texts(ax: Axes) -> None:
    """Wrap the title and the axis labels, and find fonts for missing characters.

    The title and the x label wrap at the edges of the figure, and y labels at the ends of the axis.
    """
    for text in (ax.title, ax.xaxis.label):
        text.set_wrap(True)
    find_fonts(ax)
    wrap_y_labels(ax)


def find_fonts(ax: Axes) -> None:
    """Add fallback fonts to each text whose font does not have all of its characters.

    Warn about characters that no installed font has.
    """
    from matplotlib.font_manager import FontProperties, findfont

    lacking: set[str] = set()
    for text in _texts(ax):
        missing = {one for one in text.get_text() if not one.isascii() and not one.isspace()}
        family = list(text.get_fontfamily())
        for name in family:
            missing -= _characters(findfont(FontProperties(family=[name])))
        for name, path in _installed() if missing else ():
            found = missing & _characters(path)
            if found:
                family.append(name)
                missing -= found
            if not missing:
                break
        text.set_fontfamily(family)
        lacking |= missing
    if lacking:
        shown = "".join(sorted(lacking)[:10])
        warnings.warn(
            f"no installed font has the characters {shown!r}, so they are drawn as boxes. Install"
            " a font that has these characters, such as Noto Sans CJK, or set matplotlib's"
            " rcParams['font.family'] to the name of such a font.",
            stacklevel=users_stacklevel(),
        )


def wrap_y_labels(ax: Axes) -> None:
    """Wrap y labels that are longer than their axis, because they would overlap the title."""
    # There are two passes, because lines added in the first pass leave less width for the title,
    # which can then take more lines and shorten the axis.
    for axes in 2 * (ax, *ax.child_axes):
        label = axes.yaxis.label
        # The length of the axis is known only after the layout, which is skipped if the label
        # certainly fits.
        if 2 * _height(label) < min(axes.get_window_extent().size):
            continue
        lay_out(ax)
        text = label.get_text()
        fitting = axes.get_window_extent().height / _height(label)
        if fitting < 1:
            longest = max(map(len, text.split("\n")))
            width = max(int(LETTERS * fitting * longest), 1)
            label.set_text("\n".join(wrapped(text, width)))


def _height(text: Text) -> float:
    with warnings.catch_warnings():
        # `find_fonts` has already warned about missing characters.
        warnings.simplefilter("ignore")
        return float(text.get_window_extent().height)


def _texts(ax: Axes) -> Iterator[Text]:
    for axes in (ax, *ax.child_axes):
        yield from (*axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label)
        yield from (*axes.get_xticklabels(), *axes.get_yticklabels())


def _installed() -> list[tuple[str, str]]:
    """Return the names and files of installed upright regular fonts, with `CJK_FONTS` first."""
    from matplotlib.font_manager import fontManager

    fonts = [
        (font.name, font.fname)
        for font in fontManager.ttflist
        if font.style == "normal"
        and font.weight in ("normal", REGULAR)
        and not BOXES.search(font.name)
    ]
    return sorted(fonts, key=lambda font: font[0] not in CJK_FONTS)


@cache
def _characters(path: str) -> frozenset[str]:
    """Return the characters that a font can draw, or an empty set if it cannot be read."""
    from matplotlib.font_manager import get_font

    try:
        return frozenset(map(chr, get_font(path).get_charmap()))
    # the file was removed, or is not a font
    except (OSError, RuntimeError):
        return frozenset()
