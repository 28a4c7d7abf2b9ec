"""The parts of a report, as text no wider than the terminal."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from fastkappa.results import COLUMNS, Report, as_text, wrapped

# In less room than this nothing can be read.
NARROWEST = 24


class Heading(NamedTuple):
    """A line that says what the parts beneath are about."""

    text: str


class Tables(NamedTuple):
    """A report, and the captions that its grids have on a page."""

    report: Report
    captions: Sequence[str] = ()


# A text is a line, an empty one the space between paragraphs.
Part: TypeAlias = str | Heading | Tables


def text_width() -> int:
    """Return the width of the terminal, at most 80 columns: so many where there is none."""
    return min(COLUMNS, terminal_width())


def terminal_width() -> int:
    """Return the columns of the terminal, 80 where there is none."""
    return max(NARROWEST, shutil.get_terminal_size((COLUMNS, 0)).columns)


def parts_as_text(parts: Iterable[Part]) -> str:
    """Return parts as text; no number is broken, and a heading is one line."""
    width = text_width()
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Heading):
            lines.append(part.text)
        elif isinstance(part, Tables):
            lines.append(as_text(part.report, width))
        else:
            lines += wrapped(part, width)
    return "\n".join(lines)


def warned(warnings: Sequence[str]) -> dict[str, list[str]]:
    """Return what was warned of as fields of JSON."""
    return {"warnings": list(warnings)} if warnings else {}
