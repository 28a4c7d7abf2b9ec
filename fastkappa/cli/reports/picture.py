"""A picture written to a file, without a screen."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fastkappa.cli.options import DPI, Remarks
from fastkappa.cli.reports.output import Output
from fastkappa.plotting.style import import_matplotlib, new_axes

# Text stays text: journals refuse PDF files whose fonts are of type 3, matplotlib's default.
REAL_FONTS = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}


class PictureOptions(NamedTuple):
    """What the options say of pictures."""

    plot: Path | None = None
    dpi: int = DPI
    size: str | None = None
    title: str | None = None
    report_file: Path | None = None

    def check(self) -> None:
        """Raise if an option has no meaning."""
        read_size(self.size)
        given = {"--size": self.size, "--title": self.title}
        options = [option for option, value in given.items() if value is not None]
        options += [] if self.dpi == DPI else ["--dpi"]
        if self.plot is None and options:
            raise ValueError(f"{options[0]} is for --plot, which is not given.")

    def draw(self, report: Output) -> None:
        """Draw the first picture of a report into a file, if one is named.

        The suffix determines its format.

        Raises
        ------
        ValueError
            If the file cannot be written, or its format is not known.
        ImportError
            If matplotlib is not installed.
        """
        if self.plot is None:
            return
        matplotlib = import_matplotlib()
        matplotlib.use("agg")
        size = read_size(self.size)
        ax = report.pictures[0].draw(None if size is None else new_axes(*size))
        if self.title is not None:
            ax.set_title(self.title)
        try:
            with matplotlib.rc_context(REAL_FONTS):
                ax.figure.savefig(self.plot, dpi=self.dpi)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ValueError(f"--plot {self.plot} cannot be written: {reason}.") from error
        finally:
            matplotlib.pyplot.close(ax.figure)

    def write_page(self, report: Output, remarks: Remarks) -> None:
        """Write the page of a report, if it is named, without pictures where none can be drawn."""
        path = self.report_file
        if path is None:
            return
        try:
            page = report.as_page(remarks.everything)
        except ImportError as error:
            remarks.warn(f"{path} has no pictures: {error}")
            page = report.written("html", remarks.everything)
        write_file(path, page)


def write_file(path: Path, text: str) -> None:
    """Write a text to a file, or raise a ValueError that names it."""
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror or error}.") from error


def read_size(text: str | None) -> tuple[float, float] | None:
    """Return a width and a height that are written as ``6x4``.

    Raises
    ------
    ValueError
        If they are not two numbers above 0 and at most 100.
    """
    if text is None:
        return None
    try:
        width, height = map(float, text.split("x"))
    except ValueError:
        width = height = 0.0
    if not (0 < width <= 100 and 0 < height <= 100):
        raise ValueError(
            f"--size must be a width and a height of at most 100 inches, such as 6x4, got {text!r}."
        )
    return width, height
