"""Count and group scored items with numba.

The contract is the same as that of `fastkappa.kernels.numpy.scores`. Chunks of scores are
converted to float64, so the loops are compiled for a single type.
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
from fastkappa.kernels.numba.loops import compile_lazily

# The number of items per chunk, which is small enough that converted copies stay in the L2 cache.
CHUNK = 1 << 14
LARGEST = np.finfo(np.float64).max
NONE = np.empty(0)


def count_scores(
    items: Items, bins: Bins, table: NDArray[np.uint32], sums: Floats | None, part: Range
) -> None:
    """Add the number of items per row and label to ``table``, and their weights to ``sums``."""
    check_range(*part, items.scores, items.codes, items.weights)
    check_bin_tables(items, bins, table, sums)
    for chunk in chunks_of(part, CHUNK):
        offsets = offsets_from(items.codes[chunk], items.lowest)
        x = items.scores[chunk].astype(np.float64)
        _count(x, offsets, *bins, table)
        if items.weights is not None and sums is not None:
            _sum(x, offsets, items.weights[chunk], *bins, sums)


def range_scores(scores: AnyArray, bins: Bins, least: Floats, largest: Floats, part: Range) -> None:
    """Update the smallest and the largest score of each row."""
    check_range(*part, scores)
    check_range(0, bins.n_rows, least, largest)
    for chunk in chunks_of(part, CHUNK):
        _range(scores[chunk].astype(np.float64), *bins, least, largest)


def collect_scores(
    items: Items, bins: Bins, wanted: NDArray[np.uint8], out: Items, part: Range
) -> int:
    """Copy the items in the wanted rows to ``out``; return their number."""
    check_range(*part, items.scores, items.codes, items.weights)
    check_range(0, bins.n_rows, wanted)
    check_range(0, part[1] - part[0], out.scores, out.codes, out.weights)
    n = 0
    places = np.empty(CHUNK, np.int64)
    for chunk in chunks_of(part, CHUNK):
        x = items.scores[chunk].astype(np.float64)
        n_own = _choose(x, *bins, wanted, chunk.start, places)
        write_items(out, slice(n, n + n_own), items, places[:n_own])
        n += n_own
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
        own = np.empty(chunk.stop - chunk.start, np.int64)
        chosen: Any = chunk
        n_without = _place(items.scores[chunk].astype(np.float64), *bins, places, ends, own)
        if n_without:
            chosen = chunk.start + np.flatnonzero(own >= 0)
            own = own[own >= 0]
            n_refused += n_without
        write_items(out, own, items, chosen)
    return n_refused


def accumulate_labels(
    codes: NDArray[np.uint16], weights: Floats | None, places: NDArray[np.int64], prefix: Floats
) -> None:
    """For each label, write the number or total weight of the items before each place."""
    check_range(int(places.min()), int(places.max()), codes, weights)
    check_range(0, len(places), prefix[0])
    _accumulate(codes, NONE if weights is None else weights, places, prefix, np.empty(len(prefix)))


@compile_lazily
def _row(x: float, low: float, scale: float, n_inner: int) -> Any:
    if not (-LARGEST <= x <= LARGEST):
        return n_inner + 2
    step = (x - low) * scale
    if step < 0:
        return 0
    return int(step) + 1 if step < n_inner else n_inner + 1


@compile_lazily
def _count(x: Any, offsets: Any, low: float, scale: float, n_inner: int, table: Any) -> None:
    n_labels = np.uint64(table.shape[1] - 1)
    for i in range(len(x)):
        table[_row(x[i], low, scale, n_inner), min(offsets[i], n_labels)] += 1


@compile_lazily
def _sum(
    x: Any, offsets: Any, weights: Any, low: float, scale: float, n_inner: int, sums: Any
) -> None:
    n_labels = np.uint64(sums.shape[1] - 1)
    for i in range(len(x)):
        sums[_row(x[i], low, scale, n_inner), min(offsets[i], n_labels)] += weights[i]


@compile_lazily
def _range(x: Any, low: float, scale: float, n_inner: int, least: Any, largest: Any) -> None:
    for i in range(len(x)):
        row = _row(x[i], low, scale, n_inner)
        if x[i] < least[row]:
            least[row] = x[i]
        if x[i] > largest[row]:
            largest[row] = x[i]


@compile_lazily
def _choose(
    x: Any, low: float, scale: float, n_inner: int, wanted: Any, first: int, places: Any
) -> Any:
    n = 0
    for i in range(len(x)):
        places[n] = first + i
        n += wanted[_row(x[i], low, scale, n_inner)]
    return n


@compile_lazily
def _place(x: Any, low: float, scale: float, n_inner: int, places: Any, ends: Any, own: Any) -> Any:
    n_refused = 0
    for i in range(len(x)):
        row = _row(x[i], low, scale, n_inner)
        if places[row] < ends[row]:
            own[i] = places[row]
            places[row] += 1
        else:
            own[i] = -1
            n_refused += 1
    return n_refused


@compile_lazily
def _accumulate(codes: Any, weights: Any, places: Any, prefix: Any, below: Any) -> None:
    below[:] = 0
    prefix[:, 0] = 0
    for j in range(1, len(places)):
        for i in range(places[j - 1], places[j]):
            if codes[i] < len(below):
                below[codes[i]] += weights[i] if len(weights) else 1.0
        for y in range(len(below)):
            prefix[y, j] = below[y]
