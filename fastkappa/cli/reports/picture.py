"""A picture written to a file, without a screen."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fastkappa.cli.pages.pictures import Picture
from fastkappa.plotting.style import import_matplotlib, new_axes

# Text stays text: journals refuse PDF files whose fonts are of type 3, matplotlib's default.
REAL_FONTS = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}


class Print(NamedTuple):
    """How a picture is printed; the size is in inches, None for one that fits the picture."""

    dpi: int
    size: tuple[float, float] | None
    title: str | None


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


def write_picture(picture: Picture, path: Path, how: Print) -> None:
    """Draw a picture into a file; the suffix determines its format.

    Raises
    ------
    ValueError
        If the file cannot be written, or its format is not known.
    ImportError
        If matplotlib is not installed.
    """
    matplotlib = import_matplotlib()
    matplotlib.use("agg")
    ax = picture.draw(None if how.size is None else new_axes(*how.size))
    if how.title is not None:
        ax.set_title(how.title)
    try:
        with matplotlib.rc_context(REAL_FONTS):
            ax.figure.savefig(path, dpi=how.dpi)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"--plot {path} cannot be written: {reason}.") from error
    finally:
        matplotlib.pyplot.close(ax.figure)
