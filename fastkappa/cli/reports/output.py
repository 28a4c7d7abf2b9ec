"""What a command prints, in every form, around the reports of results."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from fastkappa.arrays import AnyArray
from fastkappa.cli.gate import Estimate
from fastkappa.cli.pages.page import page
from fastkappa.cli.pages.pictures import Picture, figures
from fastkappa.formatting import json_object
from fastkappa.results.csv_rows import rows_as_csv
from fastkappa.results.report import LARGEST_TABLE, Report
from fastkappa.results.text import COLUMNS, as_text

# In less room than this nothing can be read.
NARROWEST = 24


class Output(NamedTuple):
    """What a command prints: reports, the fields of the JSON, and the rows of the CSV.

    ``title`` is that of the page and, if it ``has_title``, of the text. ``pictures`` are those of
    the page; the first one is drawn into a file on request. ``estimates`` are those that a gate
    checks, ``disputed`` is a table of items for adjudication; ``sentences`` makes those of a paper.
    Text takes the width of the terminal, at most 80 columns unless it ``is_wide``.
    """

    title: str
    reports: Sequence[Report]
    fields: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    pictures: Sequence[Picture] = ()
    has_title: bool = True
    is_wide: bool = False
    estimates: Sequence[Estimate] = ()
    disputed: str | None = None
    sentences: Callable[[], Sequence[str]] = tuple

    def written(self, output: str, warnings: Sequence[str]) -> str:
        """Return 'text', 'json', 'csv', 'html' without pictures, or 'sentence'."""
        if output == "json":
            from fastkappa import __version__

            warned = {"warnings": list(warnings)} if warnings else {}
            return json_object({**self.fields, "version": __version__, **warned})
        if output == "sentence":
            return "\n".join(self.sentences())
        if output == "csv":
            return rows_as_csv(self.rows)
        return page(self.title, self.reports, (), warnings) if output == "html" else self._text()

    def as_page(self, warnings: Sequence[str]) -> str:
        """Return the reports and the pictures as a page of HTML.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return page(self.title, self.reports, list(figures(self.pictures)), warnings)

    def _text(self) -> str:
        width = terminal_width() if self.is_wide else text_width()
        text = "\n\n".join(as_text(report, width) for report in self.reports)
        if not self.has_title:
            return text
        return f"{self.title}\n{text}" if self.reports[0].above else f"{self.title}\n\n{text}"


def too_large(labels: AnyArray, largest: int = LARGEST_TABLE) -> list[str]:
    """Return where a table of counts is that no report shows, if it is not shown."""
    if len(labels) <= largest:
        return []
    return [
        f"The table of {len(labels)} labels is too large to be read here: --format json has it."
    ]


def text_width() -> int:
    """Return the width of the terminal, at most 80 columns: so many where there is none."""
    return min(COLUMNS, terminal_width())


def terminal_width() -> int:
    """Return the columns of the terminal, 80 where there is none."""
    return max(NARROWEST, shutil.get_terminal_size((COLUMNS, 0)).columns)
