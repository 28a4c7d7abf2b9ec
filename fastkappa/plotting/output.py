"""Pictures written to files, without a screen."""

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
    import_matplotlib().use("agg")
    from matplotlib import pyplot

    ax = draw()
    try:
        ax.figure.savefig(path)
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        pyplot.close(ax.figure)
