"""The reference kernels for scores: NumPy alone, always there, always tested.

A score has one of ``n_inner + 3`` rows: row 0 is below ``low``, rows 1 to ``n_inner`` are
bins of equal width from there on, the next is above them, and the last has NaN and the
infinities. Sums and products round, but keep the order: no score is in a lower row than a
lower score. Codes are ``codes - lowest``; codes outside the labels become ``n_labels``.
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

# What takes its place is NumPy's own sort anyway.
sort_items = None


def count_scores(
    items: Items, bins: Bins, table: NDArray[np.uint32], sums: Floats | None, part: Range
) -> None:
    """Add the items of each row and label to ``table``, and their weights to ``sums``."""
    check_range(*part, items.scores, items.codes, items.weights)
    check_bin_tables(items, bins, table, sums)
    for chunk in chunks_of(part, CHUNK):
        cells = _rows(items.scores[chunk], bins) * (items.n_labels + 1)
        cells += _codes(items, chunk)
        np.add.at(table.reshape(-1), cells, 1)
        if items.weights is not None and sums is not None:
            np.add.at(sums.reshape(-1), cells, items.weights[chunk])


def range_scores(scores: AnyArray, bins: Bins, least: Floats, largest: Floats, part: Range) -> None:
    """Lower ``least`` and raise ``largest`` to the scores of each row."""
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
    """Write the items in the rows that are wanted, and return how many they are."""
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
    """Write each item to the next of its row's ``places``; return how many found none."""
    check_range(*part, items.scores, items.codes, items.weights)
    check_range(0, bins.n_rows, places, ends)
    check_range(int(places.min()), int(ends.max()), out.scores, out.codes, out.weights)
    n_refused = 0
    for chunk in chunks_of(part, CHUNK):
        rows = _rows(items.scores[chunk], bins)
        order = np.argsort(rows, kind="stable")
        rows = rows[order]
        n_items = np.bincount(rows, minlength=len(places))
        # How many of the chunk's items of its row come before each.
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
    """Write how many items of each label, a row of ``prefix``, lie below each place.

    Items are counted from the first place on, or their weights summed.
    """
    check_range(int(places.min()), int(places.max()), codes, weights)
    n_labels = len(prefix)
    prefix[:, 0] = 0
    if weights is not None:
        # One after the other, for sums of nothing to be 0.
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
