"""Write plots and pages to files."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from warnings import catch_warnings, warn

from fastkappa.cli.options import DPI, PictureOptions
from fastkappa.cli.pages.pictures import Picture
from fastkappa.cli.remarks import Remarks
from fastkappa.cli.reports.output import Output
from fastkappa.plotting.style import import_matplotlib, new_axes

# Store text as text instead of outlines. By default, matplotlib embeds Type 3 fonts in PDF files,
# and journals reject such files.
REAL_FONTS = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}

# matplotlib's warning that the text of a plot leaves no space for the axes.
TOO_SMALL = "axes sizes collapsed to zero"


def check_pictures(options: PictureOptions) -> None:
    """Raise if an option is invalid, or if it needs ``--plot`` and ``--plot`` is not given."""
    read_size(options.size)
    others = [name for name in ("size", "title") if getattr(options, name) is not None]
    others += [] if options.dpi == DPI else ["dpi"]
    if options.plot is None and others:
        raise ValueError(f"--{others[0]} needs --plot.")
    report = options.report
    if report is not None and report.suffix.lower() not in ("", ".htm", ".html"):
        raise ValueError(
            f"--report must name an HTML file, such as {report.with_suffix('.html')}, got {report}."
            " For a picture, use --plot."
        )


def draw(options: PictureOptions, output: Output) -> None:
    """Draw the first plot of an output to the file named in ``--plot``, if a file is named.

    The suffix of the file determines its format.

    Raises
    ------
    ValueError
        If the file cannot be written, or its format is unknown.
    ImportError
        If matplotlib is not installed.
    """
    if options.plot is None:
        return
    matplotlib = import_matplotlib()
    matplotlib.use("agg")
    size = read_size(options.size)
    ax = output.pictures[0].draw(None if size is None else new_axes(*size))
    if options.title is not None:
        ax.set_title(options.title)
    try:
        with matplotlib.rc_context(REAL_FONTS), catch_warnings(record=True) as warned:
            ax.figure.savefig(options.plot, dpi=options.dpi)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"--plot {options.plot} cannot be written: {reason}.") from error
    finally:
        matplotlib.pyplot.close(ax.figure)
    for text in dict.fromkeys(str(one.message) for one in warned):
        is_small = size is not None and TOO_SMALL in text
        warn(_too_small(options, output.pictures[0]) if is_small else text, stacklevel=2)


def _too_small(options: PictureOptions, picture: Picture) -> str:
    """Return a warning that the text of a plot does not fit, with a size that is large enough."""
    ax = picture.draw(None)
    width, height = map(ceil, ax.figure.get_size_inches())
    import_matplotlib().pyplot.close(ax.figure)
    return (
        f"--size {options.size} is too small for the text of {options.plot}, which is cut off."
        f" Use a larger size, such as --size {width}x{height}."
    )


def write_page(options: PictureOptions, output: Output, remarks: Remarks) -> None:
    """Write an output as an HTML page to ``--report``. Omit plots if matplotlib is missing."""
    if options.report is None:
        return
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
    if not (0 < width <= 100 and 0 < height <= 100):
        raise ValueError(
            f"--size must be a width and a height of at most 100 inches, such as 6x4, got {text!r}."
        )
    return width, height
