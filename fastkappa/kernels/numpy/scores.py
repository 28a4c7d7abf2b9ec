"""The reference kernels for scores: NumPy alone, always there, always tested.

A score has one of ``n_inner + 3`` rows: row 0 is below ``low``, rows 1 to ``n_inner`` are
bins of equal width from there on, the next is above them, and the last has NaN and the
infinities. Sums and products round, but keep the order: no score is in a lower row than a
lower score. Codes are ``codes - lowest``; codes outside the labels become ``n_labels``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray, Floats, offsets_from
from fastkappa.kernels.contract import Bins, check_range, check_tables

CHUNK = 1 << 15

# What takes its place is NumPy's own sort anyway.
sort_items = None


def count_scores(
    scores: AnyArray,
    codes: AnyArray,
    lowest: int,
    weights: Floats | None,
    bins: Bins,
    table: NDArray[np.uint32],
    sums: Floats | None,
    start: int,
    stop: int,
) -> None:
    """Add the items of each row and label to ``table``, and their weights to ``sums``."""
    check_range(start, stop, scores, codes, weights)
    check_tables(table, None if weights is None else sums)
    check_range(0, bins[2] + 3, table)
    n_labels = table.shape[1] - 1
    for begin in range(start, stop, CHUNK):
        part = slice(begin, min(begin + CHUNK, stop))
        cells = _rows(scores[part], bins) * (n_labels + 1)
        cells += _codes(codes[part], lowest, n_labels)
        np.add.at(table.reshape(-1), cells, 1)
        if weights is not None and sums is not None:
            np.add.at(sums.reshape(-1), cells, weights[part])


def range_scores(
    scores: AnyArray, bins: Bins, least: Floats, largest: Floats, start: int, stop: int
) -> None:
    """Lower ``least`` and raise ``largest`` to the scores of each row."""
    check_range(start, stop, scores)
    check_range(0, bins[2] + 3, least, largest)
    for begin in range(start, stop, CHUNK):
        part = scores[begin : min(begin + CHUNK, stop)].astype(np.float64)
        rows = _rows(part, bins)
        np.minimum.at(least, rows, part)
        np.maximum.at(largest, rows, part)


def collect_scores(
    scores: AnyArray,
    codes: AnyArray,
    lowest: int,
    n_labels: int,
    weights: Floats | None,
    bins: Bins,
    wanted: NDArray[np.uint8],
    start: int,
    stop: int,
    out: AnyArray,
    out_codes: NDArray[np.uint16],
    out_weights: Floats | None,
) -> int:
    """Write score, code and weight of the items in the rows that are wanted.

    There is room for stop - start of them; return how many they are.
    """
    check_range(start, stop, scores, codes, weights)
    check_range(0, bins[2] + 3, wanted)
    check_range(0, stop - start, out, out_codes, out_weights)
    n = 0
    for begin in range(start, stop, CHUNK):
        part = slice(begin, min(begin + CHUNK, stop))
        items = begin + np.flatnonzero(wanted[_rows(scores[part], bins)])
        own = slice(n, n + len(items))
        out[own] = scores[items]
        out_codes[own] = _codes(codes[items], lowest, n_labels)
        if weights is not None and out_weights is not None:
            out_weights[own] = weights[items]
        n += len(items)
    return n


def group_scores(
    scores: AnyArray,
    codes: AnyArray,
    lowest: int,
    n_labels: int,
    weights: Floats | None,
    bins: Bins,
    places: NDArray[np.int64],
    ends: NDArray[np.int64],
    start: int,
    stop: int,
    out: AnyArray,
    out_codes: NDArray[np.uint16],
    out_weights: Floats | None,
) -> int:
    """Write score, code and weight of each item to the next of its row's ``places``.

    A row has places below its ``ends``; return how many items found none.
    """
    check_range(start, stop, scores, codes, weights)
    check_range(0, bins[2] + 3, places, ends)
    check_range(int(places.min()), int(ends.max()), out, out_codes, out_weights)
    n_refused = 0
    for begin in range(start, stop, CHUNK):
        part = slice(begin, min(begin + CHUNK, stop))
        rows = _rows(scores[part], bins)
        order = np.argsort(rows, kind="stable")
        rows = rows[order]
        n_items = np.bincount(rows, minlength=len(places))
        # How many of the chunk's items of its row come before each.
        before = np.arange(len(rows)) - (np.cumsum(n_items) - n_items)[rows]
        own = places[rows] + before
        has_place = own < ends[rows]
        n_refused += int((~has_place).sum())
        own, order = own[has_place], order[has_place]
        out[own] = scores[part][order]
        out_codes[own] = _codes(codes[part], lowest, n_labels)[order]
        if weights is not None and out_weights is not None:
            out_weights[own] = weights[part][order]
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


def _codes(codes: AnyArray, lowest: int, n_labels: int) -> NDArray[np.intp]:
    return np.minimum(offsets_from(codes, lowest), np.uint64(n_labels)).astype(np.intp)
