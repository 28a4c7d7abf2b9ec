# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""Count and group scored items in C; see `fastkappa.kernels.contract`."""

cimport cython
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from fastkappa.kernels.cython.pairs cimport (
    check_range, check_shapes, column_t, read_array, read_column, shared_simd_level,
)

import numpy as np


cdef extern from "common/column.h" nogil:
    size_t element_width(int kind)

cdef extern from "scores/bins.h" nogil:
    ctypedef struct bins_t:
        double low
        double scale
        int n_inner
    void c_count_scores "count_scores" (
        const column_t *, const column_t *, const double *, Py_ssize_t, Py_ssize_t,
        const bins_t *, uint32_t *, double *,
    ) noexcept
    void c_range_scores "range_scores" (
        const column_t *, Py_ssize_t, Py_ssize_t, const bins_t *, double *, double *
    ) noexcept
    Py_ssize_t c_collect_scores "collect_scores" (
        const column_t *, const column_t *, const double *, Py_ssize_t, Py_ssize_t,
        const bins_t *, const uint8_t *, void *, uint16_t *, double *,
    ) noexcept
    Py_ssize_t c_group_scores "group_scores" (
        const column_t *, const column_t *, const double *, Py_ssize_t, Py_ssize_t,
        const bins_t *, int64_t *, const int64_t *, void *, uint16_t *, double *,
    ) noexcept

cdef extern from "scores/accumulate.h" nogil:
    void c_accumulate_labels "accumulate_labels" (
        const uint16_t *, const double *, const int64_t *, Py_ssize_t, Py_ssize_t, double *, double *
    ) noexcept

cdef extern from "common/simd_level.h" nogil:
    int simd_level_current() noexcept
    const char *simd_level_name(int level) noexcept
    void simd_level_share(int *state) noexcept


cdef double *address(const double[::1] floats) noexcept:
    return NULL if floats is None or floats.shape[0] == 0 else <double *> &floats[0]


cdef bins_t bins_of(bins) except *:
    cdef bins_t result
    result.low, result.scale, result.n_inner = bins
    if result.n_inner < 0:
        raise ValueError(f"the number of bins must not be negative, got {result.n_inner}")
    return result


@cython.final
@cython.internal
cdef class ItemBuffers:
    """Buffers of items that C can read during the lifetime of this object."""

    cdef column_t scores, codes
    cdef object owners
    cdef const double[::1] weights
    cdef const double *weight
    cdef Py_ssize_t length

    def __cinit__(self, items):
        scores, codes = self.owners = items.scores, items.codes
        self.length = read_array(scores, 0, 0, &self.scores)
        self.length = min(
            self.length, read_column(codes, items.lowest, items.n_labels, &self.codes)
        )
        self.weights = items.weights
        self.weight = address(self.weights)
        if self.weight != NULL:
            self.length = min(self.length, self.weights.shape[0])


@cython.final
@cython.internal
cdef class Room:
    """Memory for items that C can write during the lifetime of this object.

    C can write to positions ``start`` up to ``stop``.
    """

    cdef uint8_t[::1] bytes
    cdef uint16_t[::1] codes
    cdef double[::1] weights
    cdef double *weight

    def __cinit__(self, out, ItemBuffers items, Py_ssize_t start, Py_ssize_t stop):
        cdef Py_ssize_t length = min(len(out.scores), len(out.codes))
        if out.scores.dtype.itemsize != <Py_ssize_t> element_width(items.scores.kind):
            raise ValueError(f"out.scores must have the dtype of scores, got {out.scores.dtype}")
        self.bytes, self.codes = out.scores.view(np.uint8), out.codes
        self.weights = out.weights
        self.weight = address(self.weights)
        if (items.weight == NULL) != (self.weight == NULL):
            raise ValueError("out must have weights if and only if the items have weights")
        if self.weight != NULL:
            length = min(length, self.weights.shape[0])
        check_range(start, stop, length)


def count_scores(items, bins, uint32_t[:, ::1] table, double[:, ::1] sums, part):
    """Add the number of items per row and label to ``table``, and their weights to ``sums``."""
    cdef ItemBuffers own = ItemBuffers(items)
    cdef bins_t b = bins_of(bins)
    cdef Py_ssize_t start, stop
    cdef Py_ssize_t[2] shape = [b.n_inner + 3, <Py_ssize_t> own.codes.n_labels + 1]
    cdef const double *w = NULL
    cdef double *total = NULL
    start, stop = part
    check_range(start, stop, own.length)
    check_shapes(table.shape, shape)
    if sums is not None:
        check_shapes(sums.shape, shape)
        w, total = own.weight, &sums[0, 0]
    with nogil:
        c_count_scores(
            &own.scores, &own.codes, w, start, stop, &b, &table[0, 0], total
        )


def range_scores(scores, bins, double[::1] least, double[::1] largest, part):
    """Update the smallest and the largest score of each row."""
    cdef column_t x
    cdef bins_t b = bins_of(bins)
    cdef Py_ssize_t start, stop
    start, stop = part
    check_range(start, stop, read_array(scores, 0, 0, &x))
    check_range(0, b.n_inner + 3, min(least.shape[0], largest.shape[0]))
    with nogil:
        c_range_scores(&x, start, stop, &b, &least[0], &largest[0])


def collect_scores(items, bins, const uint8_t[::1] wanted, out, part):
    """Copy the items in the wanted rows to ``out``; return their number."""
    cdef ItemBuffers own = ItemBuffers(items)
    cdef bins_t b = bins_of(bins)
    cdef Py_ssize_t start, stop, n_chosen
    start, stop = part
    if stop <= start:
        return 0
    cdef Room room = Room(out, own, 0, stop - start)
    check_range(start, stop, own.length)
    check_range(0, b.n_inner + 3, wanted.shape[0])
    with nogil:
        n_chosen = c_collect_scores(
            &own.scores, &own.codes, own.weight, start, stop, &b, &wanted[0],
            &room.bytes[0], &room.codes[0], room.weight,
        )
    return n_chosen


def group_scores(items, bins, int64_t[::1] places, const int64_t[::1] ends, out, part):
    """Copy each item to the next free place of its row; return the number of items left over."""
    cdef ItemBuffers own = ItemBuffers(items)
    cdef bins_t b = bins_of(bins)
    cdef Py_ssize_t start, stop, row, n_refused
    cdef int64_t first_place = 0, last_end = 0
    start, stop = part
    if stop <= start:
        return 0
    check_range(start, stop, own.length)
    check_range(0, b.n_inner + 3, min(places.shape[0], ends.shape[0]))
    for row in range(b.n_inner + 3):
        first_place = min(first_place, places[row])
        last_end = max(last_end, ends[row])
    cdef Room room = Room(out, own, first_place, last_end)
    with nogil:
        n_refused = c_group_scores(
            &own.scores, &own.codes, own.weight, start, stop, &b, &places[0],
            &ends[0], &room.bytes[0], &room.codes[0], room.weight,
        )
    return n_refused


def accumulate_labels(
    const uint16_t[::1] codes,
    const double[::1] weights,
    const int64_t[::1] places,
    double[:, ::1] prefix,
):
    """Write the cumulative count, or sum of weights, of each label at each place to ``prefix``."""
    cdef const double *w = address(weights)
    cdef double[::1] below = np.empty(prefix.shape[0])
    cdef int64_t lowest = 0, highest = 0
    cdef Py_ssize_t j
    if codes.shape[0] == 0 or places.shape[0] == 0:
        prefix[:] = 0
        return
    if places.shape[0] != prefix.shape[1]:
        raise ValueError(f"{places.shape[0]} places need as many columns, got {prefix.shape[1]}")
    for j in range(places.shape[0]):
        lowest, highest = min(lowest, places[j]), max(highest, places[j])
    check_range(lowest, highest, codes.shape[0])
    if w != NULL:
        check_range(lowest, highest, weights.shape[0])
    with nogil:
        c_accumulate_labels(
            &codes[0], w, &places[0], places.shape[0], prefix.shape[0], &prefix[0, 0], &below[0]
        )


def simd_level():
    """Return the name of the vector instructions in use."""
    return (<bytes> simd_level_name(simd_level_current())).decode()


# Share the SIMD level of the pair kernels, so that their `use_simd_level` applies here too.
simd_level_share(shared_simd_level())
