"""A picture written to a file, without a screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastkappa.plotting.style import import_matplotlib


def write_picture(draw: Callable[[], Any], path: Path) -> None:
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
    ax = draw()
    try:
        ax.figure.savefig(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"--plot {path} cannot be written: {reason}.") from error
    finally:
        matplotlib.pyplot.close(ax.figure)
