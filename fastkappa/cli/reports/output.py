"""Define the output of a command, and write it in all formats."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from fastkappa.arrays import AnyArray
from fastkappa.cli.gate import Estimate
from fastkappa.cli.pages.page import page
from fastkappa.cli.pages.pictures import Picture, figures
from fastkappa.cli.words import in_words_of_options
from fastkappa.formatting import group_text, json_object
from fastkappa.results.csv_rows import rows_as_csv
from fastkappa.results.report import LARGEST_TABLE, Report
from fastkappa.results.text import COLUMNS, as_text
from fastkappa.statistics.scales import Interpretation, ScaleName, find_scale
from fastkappa.two_raters.grouped_result import ALL

# The smallest width assumed for a terminal, in characters. Narrower text would not be readable.
NARROWEST = 24


def read_on(scale: ScaleName, readings: Mapping[str, Interpretation]) -> Report:
    """Return a report that interprets estimates on a scale, with one estimate per line."""
    lines = [f"  {name}: {reading.in_short()}" for name, reading in readings.items()]
    return Report([f"read by {find_scale(scale).source}", *lines])


class Section(NamedTuple):
    """A part of a command's output, in all formats and without plots."""

    reports: Sequence[Report] = ()
    fields: Mapping[str, Any] = MappingProxyType({})
    rows: Sequence[Mapping[str, Any]] = ()
    sentences: Sequence[str] = ()


class Output(NamedTuple):
    """The output of a command: reports, JSON fields and CSV rows.

    ``title`` is the title of the page and, if ``has_title``, of the text. ``pictures`` are the
    plots of the page; ``--plot`` draws the first plot to a file. The gate checks ``estimates``.
    ``files`` lists other files to write, each with its text. ``sentences`` returns sentences for a
    paper. Text is as wide as the terminal, but at most 80 columns unless ``is_wide``.
    """

    title: str
    reports: Sequence[Report]
    fields: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    pictures: Sequence[Picture] = ()
    has_title: bool = True
    is_wide: bool = False
    estimates: Sequence[Estimate] = ()
    files: Sequence[tuple[Path, str]] = ()
    sentences: Callable[[], Sequence[str]] = tuple

    def plus(self, sections: Iterable[Section]) -> Output:
        """Return the output with more sections appended."""
        reports, rows, fields = [*self.reports], [*self.rows], {**self.fields}
        sentences: list[str] = []
        for section in sections:
            reports += section.reports
            rows += section.rows
            fields |= section.fields
            sentences += section.sentences
        return self._replace(
            reports=reports,
            rows=rows,
            fields=fields,
            sentences=lambda: [*self.sentences(), *sentences],
        )

    def titled(self, title: str | None) -> Output:
        """Return the output with another title, or unchanged if the title is None."""
        return self if title is None else self._replace(title=title)

    def remarking(self, remarks: Sequence[str]) -> Output:
        """Return the output, beginning with remarks about the rows that were read."""
        if not remarks:
            return self
        return self._replace(reports=[Report(doubts=list(remarks)), *self.reports])

    @property
    def doubts(self) -> list[str]:
        """The doubts and notes of the reports. The formats sentence, CSV and JSON omit them."""
        return [
            f"{report.heading}: {text}" if report.heading else text
            for report in self.reports
            for text in (*report.doubts, *report.notes)
        ]

    @property
    def _named(self) -> list[Report]:
        """The reports, with doubts and notes that name options instead of Python arguments."""
        return [
            report._replace(
                doubts=[*map(in_words_of_options, report.doubts)],
                notes=[*map(in_words_of_options, report.notes)],
            )
            for report in self.reports
        ]

    def written(self, output: str, warnings: Sequence[str]) -> str:
        """Return the output as 'text', 'json', 'csv', 'sentence', or 'html' (without plots)."""
        if output == "json":
            from fastkappa import __version__

            warned = {"warnings": list(warnings)} if warnings else {}
            return json_object({**self.fields, "version": __version__, **warned})
        if output == "sentence":
            return "\n".join(self.sentences())
        if output == "csv":
            return rows_as_csv(self.rows)
        return page(self.title, self._named, (), warnings) if output == "html" else self._text()

    def as_page(self, warnings: Sequence[str]) -> str:
        """Return the reports and the plots as an HTML page.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return page(self.title, self._named, list(figures(self.pictures)), warnings)

    def _text(self) -> str:
        width = terminal_width() if self.is_wide else text_width()
        text = "\n\n".join(as_text(report, width) for report in self._named)
        if not self.has_title:
            return text
        first = self.reports[0]
        return f"{self.title}\n{text}" if first.above or first.doubts else f"{self.title}\n\n{text}"


def with_groups(output: Output, column: str, groups: Mapping[str, Output]) -> Output:
    """Append the output for each group of a column to an output.

    Rows and sentences name their group. The gate checks each group's estimates too, and the plots
    show all groups together.
    """
    rows: list[Mapping[str, Any]] = [{"group": ALL, **row} for row in output.rows]
    sections, estimates = [], []
    for name, part in groups.items():
        group = group_text(column, name)
        first, *others = part.reports
        sentences = [f"{group}: {sentence}" for sentence in part.sentences()]
        sections.append(Section([first._replace(heading=group), *others], {}, (), sentences))
        rows += [{"group": name, **row} for row in part.rows]
        estimates += [one._replace(of=f"{one.of} in {group}") for one in part.estimates]
    pictures = [
        one._replace(caption=f"{one.caption} The plot is of all groups together.")
        for one in output.pictures
    ]
    return output.plus(sections)._replace(rows=rows, pictures=pictures, estimates=estimates)


def too_large(labels: AnyArray, largest: int = LARGEST_TABLE) -> list[str]:
    """If the table of counts is too large for the report, return a note on where to find it."""
    if len(labels) <= largest:
        return []
    return [
        f"The table of {len(labels)} labels is too large to show here. For the full table, use"
        " --format json."
    ]


def text_width() -> int:
    """Return the width of the terminal, but at most 80 columns; without a terminal, return 80."""
    return min(COLUMNS, terminal_width())


def terminal_width() -> int:
    """Return the width of the terminal in columns, or 80 if there is no terminal."""
    return max(NARROWEST, shutil.get_terminal_size((COLUMNS, 0)).columns)
