"""Read the content of a plotted table back from matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

TABLE = np.array([[40, 9, 0], [3, 25, 7], [1, 4, 16]])


def bubbles(ax: Any) -> dict[tuple[int, int], tuple[float, str]]:
    """Return the diameter and kind of each bubble, by row and column."""
    found = {}
    for collection in ax.collections:
        if collection.get_label() not in ("agreement", "disagreement"):
            continue
        for path in collection.get_paths():
            extent = path.get_extents()
            assert extent.width == pytest.approx(extent.height)
            centre = (extent.y0 + extent.y1) / 2, (extent.x0 + extent.x1) / 2
            cell = tuple(round(place) for place in centre)
            assert cell == pytest.approx(centre, abs=1e-6)
            found[cell] = (extent.width, collection.get_label())
    return found


def collection(ax: Any, label: str) -> Any:
    (found,) = (drawn for drawn in ax.collections if drawn.get_label() == label)
    return found


def written(ax: Any) -> dict[tuple[int, int], list[str]]:
    """Return the texts in each cell, by row and column."""
    found: dict[tuple[int, int], list[str]] = {}
    for text in ax.texts:
        x, y = text.get_position()
        found.setdefault((round(y), round(x)), []).append(text.get_text())
    return found


def tick_labels(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]


def luminance(colour: Any) -> float:
    """Return the relative luminance of a color as defined by WCAG 2.2."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Any, other: Any) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
