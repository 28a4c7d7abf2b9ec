"""Write plots and pages to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from warnings import catch_warnings, filterwarnings, simplefilter, warn

import numpy as np

from fastkappa.arrays import FloatTable
from fastkappa.cli.options import DPI, PictureOptions
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.remarks import Remarks
from fastkappa.cli.reports.output import Output
from fastkappa.plotting.fonts import MISSING, find_fonts, wrap_y_labels
from fastkappa.plotting.room import CROWDED, lacking
from fastkappa.plotting.style import import_matplotlib, new_axes

# Store text as text instead of outlines. By default, matplotlib embeds Type 3 fonts in PDF files,
# and journals reject such files.
REAL_FONTS = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}

# matplotlib's warning that the text of a plot leaves no space for the axes.
TOO_SMALL = "axes sizes collapsed to zero"
# The maximum width and height of a plot, in inches.
MOST_INCHES = 100
# The minimum width and height of the axes, in inches.
SMALLEST_AXES = (1.0, 0.5)


def check_pictures(options: PictureOptions) -> None:
    """Raise if an option is invalid, or needs another option that is not given."""
    read_size(options.size)
    others = ["size"] if options.size is not None else []
    others += [] if options.dpi == DPI else ["dpi"]
    if options.plot is None and others:
        raise ValueError(f"--{others[0]} needs --plot.")
    report = options.report
    if options.title is not None and options.plot is None and report is None:
        raise ValueError("--title needs --plot or --report.")
    if report is not None and report.suffix.lower() not in ("", ".htm", ".html"):
        raise ValueError(
            f"--report must name an HTML file, such as {report.with_suffix('.html')}, got {report}."
            " For a picture, use --plot."
        )


def draw(options: PictureOptions, output: Output) -> None:
    """If ``--plot`` names a file, draw the first plot of an output to that file.

    The suffix of the file determines its format.

    Raises
    ------
    ValueError
        If the file cannot be written, or if its format is unknown.
    ImportError
        If matplotlib is not installed.
    """
    if options.plot is None:
        return
    matplotlib = import_matplotlib()
    matplotlib.use("agg")
    ax = _drawn(options, output.pictures[0], read_size(options.size))
    try:
        with matplotlib.rc_context(REAL_FONTS), catch_warnings(record=True) as warned:
            filterwarnings("ignore", MISSING)
            ax.figure.savefig(options.plot, dpi=options.dpi)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"--plot {options.plot} cannot be written: {reason}.") from error
    finally:
        matplotlib.pyplot.close(ax.figure)
    texts = list(dict.fromkeys(str(one.message) for one in warned))
    others = [text for text in texts if TOO_SMALL not in text]
    if len(others) < len(texts) or _lacking(ax, options.dpi).any():
        others.append(_too_small(options, output.pictures[0]))
    for text in others:
        warn(text, stacklevel=2)


def _drawn(options: PictureOptions, picture: Picture, size: tuple[float, float] | None) -> Any:
    with catch_warnings():
        # `draw` warns about texts without enough room, and suggests a size.
        filterwarnings("ignore", CROWDED)
        ax = picture.draw(None if size is None else new_axes(*size))
    if options.title is not None:
        ax.set_title(options.title)
        find_fonts(ax)
        wrap_y_labels(ax)
    return ax


def _lacking(ax: Any, dpi: int) -> FloatTable:
    """Return how many inches of width and height a plot lacks for its texts and axes."""
    # Set the resolution first, because the size of text depends slightly on it.
    ax.figure.set_dpi(dpi)
    squeezed: FloatTable = SMALLEST_AXES - ax.get_window_extent().size / dpi
    return np.maximum(squeezed, lacking(ax))


def _too_small(options: PictureOptions, picture: Picture) -> str:
    """Return a warning that a plot is too small for its text, and suggest a sufficient size."""
    pyplot = import_matplotlib().pyplot
    figure = _drawn(options, picture, None).figure
    pyplot.close(figure)
    size = np.ceil(figure.get_size_inches())
    # In a larger plot, text can be laid out differently, so the new size is checked and corrected
    # twice.
    for _ in range(3):
        ax = _drawn(options, picture, (size[0], size[1]))
        pyplot.close(ax.figure)
        ax.figure.set_dpi(options.dpi)
        with catch_warnings():
            simplefilter("ignore")
            ax.figure.draw_without_rendering()
        size = np.minimum(np.ceil(size + 2 * _lacking(ax, options.dpi)), MOST_INCHES)
    given = "the default size" if options.size is None else f"--size {options.size}"
    return (
        f"{given} is too small for the text of {options.plot}, which is cut off or leaves too"
        f" little space for the axes. Use a larger size, such as --size {size[0]:g}x{size[1]:g}."
    )


def write_page(options: PictureOptions, output: Output, remarks: Remarks) -> None:
    """Write the output as an HTML page to the path given by ``--report``.

    Omit plots if matplotlib is missing.
    """
    if options.report is None:
        return
    output = output.titled(options.title)
    try:
        page = output.as_page(remarks.everything)
    except ImportError as error:
        remarks.warn(f"{options.report} has no plots: {error}")
        page = output.written("html", remarks.everything)
    write_file(options.report, page)


def write_file(path: Path, text: str) -> None:
    """Write text to a file, or raise a ValueError that names the file."""
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror or error}.") from error


def read_size(text: str | None) -> tuple[float, float] | None:
    """Return the width and height in a string such as ``6x4``.

    Raises
    ------
    ValueError
        If the string does not contain two positive numbers of at most 100.
    """
    if text is None:
        return None
    try:
        width, height = map(float, text.split("x"))
    except ValueError:
        width = height = 0.0
    if not (0 < width <= MOST_INCHES and 0 < height <= MOST_INCHES):
        raise ValueError(
            f"--size must be a width and a height of at most {MOST_INCHES} inches, such as 6x4,"
            f" got {text!r}."
        )
    return width, height
