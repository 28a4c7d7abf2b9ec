"""Count and group scored items in NumPy. This module contains the reference kernels.

Each score belongs to one of ``n_inner + 3`` rows. Row 0 is for scores below ``low``. Rows 1 to
``n_inner`` are bins of equal width that start at ``low``. The next row is for scores above these
bins, and the last row is for NaN and infinity. Rounding preserves the order: the higher of two
scores is never in a lower row. The code of item i is ``codes[i] - lowest``, or ``n_labels`` if
that is not the code of a label.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats, offsets_from
from fastkappa.kernels.contract import (
    Bins,
    Items,
    Range,
    check_bin_tables,
    check_range,
    chunks_of,
    write_items,
)

CHUNK = 1 << 15


def count_scores(
    items: Items, bins: Bins, table: NDArray[np.uint32], sums: Floats | None, part: Range
) -> None:
    """Add the number of items per row and label to ``table``, and their weights to ``sums``."""
    check_range(*part, items.scores, items.codes, items.weights)
    check_bin_tables(items, bins, table, sums)
    for chunk in chunks_of(part, CHUNK):
        cells = _rows(items.scores[chunk], bins) * (items.n_labels + 1)
        cells += _codes(items, chunk)
        np.add.at(table.reshape(-1), cells, 1)
        if items.weights is not None and sums is not None:
            np.add.at(sums.reshape(-1), cells, items.weights[chunk])


def range_scores(scores: AnyArray, bins: Bins, least: Floats, largest: Floats, part: Range) -> None:
    """Update the smallest and the largest score of each row."""
    check_range(*part, scores)
    check_range(0, bins.n_rows, least, largest)
    for chunk in chunks_of(part, CHUNK):
        x = scores[chunk].astype(np.float64)
        rows = _rows(x, bins)
        np.minimum.at(least, rows, x)
        np.maximum.at(largest, rows, x)


def collect_scores(
    items: Items, bins: Bins, wanted: NDArray[np.uint8], out: Items, part: Range
) -> int:
    """Copy the items in the wanted rows to ``out``; return their number."""
    check_range(*part, items.scores, items.codes, items.weights)
    check_range(0, bins.n_rows, wanted)
    check_range(0, part[1] - part[0], out.scores, out.codes, out.weights)
    n = 0
    for chunk in chunks_of(part, CHUNK):
        chosen = chunk.start + np.flatnonzero(wanted[_rows(items.scores[chunk], bins)])
        write_items(out, slice(n, n + len(chosen)), items, chosen)
        n += len(chosen)
    return n


def group_scores(
    items: Items,
    bins: Bins,
    places: NDArray[np.int64],
    ends: NDArray[np.int64],
    out: Items,
    part: Range,
) -> int:
    """Copy each item to the next free place in its row; return the number of items left over."""
    check_range(*part, items.scores, items.codes, items.weights)
    check_range(0, bins.n_rows, places, ends)
    check_range(int(places.min()), int(ends.max()), out.scores, out.codes, out.weights)
    n_refused = 0
    for chunk in chunks_of(part, CHUNK):
        rows = _rows(items.scores[chunk], bins)
        order = np.argsort(rows, kind="stable")
        rows = rows[order]
        n_items = np.bincount(rows, minlength=len(places))
        # For each item, the number of earlier items in the chunk that belong to the same row.
        before = np.arange(len(rows)) - (np.cumsum(n_items) - n_items)[rows]
        own = places[rows] + before
        has_place = own < ends[rows]
        n_refused += int((~has_place).sum())
        write_items(out, own[has_place], items, chunk.start + order[has_place])
        np.minimum(places + n_items, ends, out=places)
    return n_refused


def accumulate_labels(
    codes: NDArray[np.uint16], weights: Floats | None, places: NDArray[np.int64], prefix: Floats
) -> None:
    """For each label, write the number or total weight of the items before each place.

    Items before ``places[0]`` are not counted. ``prefix`` has one row per label.
    """
    check_range(int(places.min()), int(places.max()), codes, weights)
    n_labels = len(prefix)
    prefix[:, 0] = 0
    if weights is not None:
        # Cumulative sums are used because they also work for neighbouring places with no items
        # between them: the sums at such places are equal.
        inside = slice(int(places[0]), int(places[-1]))
        for label in range(n_labels):
            own = np.where(codes[inside] == label, weights[inside], 0.0)
            sums = np.concatenate([[0.0], np.cumsum(own)])
            prefix[label] = sums[places - places[0]]
        return
    row = np.repeat(np.arange(len(places) - 1), np.diff(places))
    cells = row * n_labels + codes[int(places[0]) : int(places[-1])]
    counts = np.bincount(cells, minlength=n_labels * (len(places) - 1))
    np.cumsum(counts.reshape(-1, n_labels).T, axis=1, out=prefix[:, 1:])


def _rows(scores: AnyArray, bins: Bins) -> NDArray[np.intp]:
    low, scale, n_inner = bins
    x = scores.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        steps = (x - low) * scale
        steps = np.where(steps < 0, -1.0, steps)
        steps = np.where(steps < n_inner, steps, n_inner)
    rows = steps.astype(np.intp) + 1
    rows[~np.isfinite(x)] = n_inner + 2
    return rows


def _codes(items: Items, chosen: Any) -> NDArray[np.intp]:
    offsets = offsets_from(items.codes[chosen], items.lowest)
    return np.minimum(offsets, np.uint64(items.n_labels)).astype(np.intp)
