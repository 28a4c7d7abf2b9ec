"""Write plots and pages to files."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fastkappa.cli.options import DPI, Remarks
from fastkappa.cli.reports.output import Output
from fastkappa.plotting.style import import_matplotlib, new_axes

# Keep text as text, because journals reject PDF files with type 3 fonts, which are matplotlib's
# default.
REAL_FONTS = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}


class PictureOptions(NamedTuple):
    """The options for plots."""

    plot: Path | None = None
    dpi: int = DPI
    size: str | None = None
    title: str | None = None
    report_file: Path | None = None

    def check(self) -> None:
        """Raise if an option is invalid, or needs ``--plot`` and it is not given."""
        read_size(self.size)
        given = {"--size": self.size, "--title": self.title}
        options = [option for option, value in given.items() if value is not None]
        options += [] if self.dpi == DPI else ["--dpi"]
        if self.plot is None and options:
            raise ValueError(f"{options[0]} needs --plot, which is not given.")

    def draw(self, report: Output) -> None:
        """Draw the first plot of a report to the file in ``--plot``, if it is given.

        The suffix of the file determines its format.

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
        """Write the page of a report if it is requested, without plots if matplotlib is missing."""
        path = self.report_file
        if path is None:
            return
        try:
            page = report.as_page(remarks.everything)
        except ImportError as error:
            remarks.warn(f"{path} has no plots: {error}")
            page = report.written("html", remarks.everything)
        write_file(path, page)


def write_file(path: Path, text: str) -> None:
    """Write a text to a file, or raise a ValueError that names the file."""
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
