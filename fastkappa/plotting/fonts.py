"""Find fonts for characters that are not in the default font, such as Chinese labels."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from fastkappa.exceptions import users_stacklevel

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
# Fonts that draw a box for every character.
BOXES = re.compile("last ?resort|blank", re.IGNORECASE)
REGULAR = 400


def find_glyphs(ax: Axes) -> None:
    """Add a fallback font to each text whose font does not have all of its characters.

    Warn if no installed font has the characters.
    """
    texts = [text for text in _texts(ax) if not text.get_text().isascii()]
    lacking: set[str] = set()
    for text in texts:
        family = list(text.get_fontfamily())
        missing = _missing(text.get_text(), family)
        if missing:
            others, without = fonts_with("".join(sorted(missing)))
            text.set_fontfamily([*family, *others])
            lacking |= without
    if lacking:
        shown = "".join(sorted(lacking)[:10])
        warnings.warn(
            f"no installed font has the characters {shown!r}, so they are drawn as boxes. Install"
            " a font that has these characters, such as Noto Sans CJK, or set matplotlib's"
            " rcParams['font.family'] to the name of such a font.",
            stacklevel=users_stacklevel(),
        )


def _texts(ax: Axes) -> Iterator[Text]:
    for axes in (ax, *ax.child_axes):
        yield from (*axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label)
        yield from (*axes.get_xticklabels(), *axes.get_yticklabels())


def _missing(text: str, family: list[str]) -> set[str]:
    """Return the visible characters of a text that are missing from all fonts of a family."""
    from matplotlib.font_manager import FontProperties, findfont

    missing = {character for character in text if not character.isspace()}
    for name in family:
        missing = _not_in(missing, findfont(FontProperties(family=[name])))
    return missing


@cache
def fonts_with(characters: str) -> tuple[list[str], set[str]]:
    """Return fonts that together cover the characters, and the characters that no font covers."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    missing = set(characters)
    found: list[str] = []
    for font in _installed():
        left = _not_in(missing, font.fname)
        if left != missing:
            found.append(font.name)
            missing = left
        if not missing:
            return found, missing
    # Matplotlib's cached list of fonts does not contain fonts that were installed later.
    listed = {font.fname for font in fontManager.ttflist}
    for path in sorted(set(findSystemFonts()) - listed):
        left = _not_in(missing, path)
        if left != missing:
            fontManager.addfont(path)
            found.append(fontManager.ttflist[-1].name)
            missing = left
    return found, missing


def _installed() -> list[Any]:
    """Return the upright fonts of regular weight, with the fonts of `CJK_FONTS` first."""
    from matplotlib.font_manager import fontManager

    fonts = [
        font
        for font in fontManager.ttflist
        if font.style == "normal"
        and font.weight in ("normal", REGULAR)
        and not BOXES.search(font.name)
    ]
    rank = {name: i for i, name in enumerate(CJK_FONTS)}
    return sorted(fonts, key=lambda font: rank.get(font.name, len(rank)))


def _not_in(characters: Iterable[str], path: str) -> set[str]:
    from matplotlib.font_manager import get_font

    try:
        glyphs = get_font(path).get_charmap()
    # the file was removed, or is not a font
    except (OSError, RuntimeError):
        return set(characters)
    return {character for character in characters if ord(character) not in glyphs}
