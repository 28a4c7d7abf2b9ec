"""The parts of a report, as text no wider than the terminal, and rows of figures as CSV."""

from __future__ import annotations

import csv
import io
import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from fastkappa.formatting import harmless
from fastkappa.results import COLUMNS, Report, as_text, wrapped

# With these a cell of a spreadsheet is a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
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
    return min(COLUMNS, max(NARROWEST, shutil.get_terminal_size((COLUMNS, 0)).columns))


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


def rows_as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows with the same fields as CSV, an empty cell for None and NaN.

    What a spreadsheet would take for a formula begins with a quote, as OWASP advises.
    """
    written = io.StringIO()
    writer = csv.DictWriter(written, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return written.getvalue().rstrip("\n")


def _cell(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    if not isinstance(value, str):
        return value
    return harmless(f"'{value}" if value.startswith(FORMULA_STARTS) else value)
