# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""The compiled kernels for scores; see `fastkappa.kernels.contract`."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastkappa.kernels.cython.pairs cimport (
    ColumnBuffer, check_range, check_shapes, column_t, shared_simd_level,
)

import numpy as np


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

cdef extern from "scores/keys.h" nogil:
    ctypedef struct key_layout_t:
        uint64_t negative
        uint64_t n_negative
        uint64_t positive
        int code_bits
    int KEYS_FIT
    int KEYS_NOT_FINITE
    int c_pack_scores "pack_scores" (
        const column_t *, const column_t *, Py_ssize_t, uint64_t *, key_layout_t *
    ) noexcept
    void c_unpack_scores "unpack_scores" (
        const uint64_t *, Py_ssize_t, const key_layout_t *, int, void *, uint16_t *
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


cdef Py_ssize_t length_of(const double[::1] weights, Py_ssize_t length) noexcept:
    """Return how many items have a weight: as many as there are if there are no weights."""
    return length if address(weights) == NULL else min(length, weights.shape[0])


cdef bins_t bins_of(bins, Py_ssize_t n_rows) except *:
    """Return the bins as C has them, or raise if a table has no row for each."""
    cdef bins_t result
    result.low, result.scale, result.n_inner = bins
    check_range(0, result.n_inner + 3, n_rows)
    return result


def count_scores(
    scores,
    codes,
    lowest,
    const double[::1] weights,
    bins,
    uint32_t[:, ::1] table,
    double[:, ::1] sums,
    Py_ssize_t start,
    Py_ssize_t stop,
):
    """Add the items of each bin and label to ``table``, and their weights to ``sums``."""
    cdef ColumnBuffer x = ColumnBuffer(scores, 0, 0), y = ColumnBuffer(codes, lowest, table.shape[1] - 1)
    cdef bins_t b = bins_of(bins, table.shape[0])
    cdef const double *w = address(weights)
    cdef double *total = NULL
    check_range(start, stop, min(x.length, length_of(weights, y.length)))
    if w != NULL:
        check_shapes(sums.shape, table.shape)
        total = &sums[0, 0]
    with nogil:
        c_count_scores(&x.column, &y.column, w, start, stop, &b, &table[0, 0], total)


def range_scores(
    scores, bins, double[::1] least, double[::1] largest, Py_ssize_t start, Py_ssize_t stop
):
    """Lower ``least`` and raise ``largest`` to the scores of each bin."""
    cdef ColumnBuffer x = ColumnBuffer(scores, 0, 0)
    cdef bins_t b = bins_of(bins, min(least.shape[0], largest.shape[0]))
    check_range(start, stop, x.length)
    with nogil:
        c_range_scores(&x.column, start, stop, &b, &least[0], &largest[0])


def collect_scores(
    scores,
    codes,
    lowest,
    Py_ssize_t n_labels,
    const double[::1] weights,
    bins,
    const uint8_t[::1] wanted,
    Py_ssize_t start,
    Py_ssize_t stop,
    out,
    uint16_t[::1] out_codes,
    double[::1] out_weights,
):
    """Write score, code and weight of the items in the bins that are wanted.

    There is room for stop - start of them; return how many they are.
    """
    cdef ColumnBuffer x = ColumnBuffer(scores, 0, 0), y = ColumnBuffer(codes, lowest, n_labels)
    cdef bins_t b = bins_of(bins, wanted.shape[0])
    cdef const double *w = address(weights)
    cdef double *v = address(out_weights)
    cdef Py_ssize_t n_chosen
    cdef uint8_t[::1] raw
    if stop <= start:
        return 0
    check_range(start, stop, min(x.length, length_of(weights, y.length)))
    raw = check_room(scores, w, out, out_codes, out_weights, stop - start)
    with nogil:
        n_chosen = c_collect_scores(
            &x.column, &y.column, w, start, stop, &b, &wanted[0], &raw[0], &out_codes[0], v
        )
    return n_chosen


def group_scores(
    scores,
    codes,
    lowest,
    Py_ssize_t n_labels,
    const double[::1] weights,
    bins,
    int64_t[::1] places,
    const int64_t[::1] ends,
    Py_ssize_t start,
    Py_ssize_t stop,
    out,
    uint16_t[::1] out_codes,
    double[::1] out_weights,
):
    """Write score, code and weight of each item to the next of its row's ``places``.

    A row has places below its ``ends``; return how many items found none.
    """
    cdef ColumnBuffer x = ColumnBuffer(scores, 0, 0), y = ColumnBuffer(codes, lowest, n_labels)
    cdef bins_t b = bins_of(bins, min(places.shape[0], ends.shape[0]))
    cdef const double *w = address(weights)
    cdef double *v = address(out_weights)
    cdef uint8_t[::1] raw
    cdef Py_ssize_t row, n_refused
    cdef int64_t first_place = 0, last_end = 0
    if stop <= start:
        return 0
    check_range(start, stop, min(x.length, length_of(weights, y.length)))
    for row in range(b.n_inner + 3):
        first_place = min(first_place, places[row])
        last_end = max(last_end, ends[row])
    check_range(first_place, last_end, len(out))
    raw = check_room(scores, w, out, out_codes, out_weights, last_end)
    with nogil:
        n_refused = c_group_scores(
            &x.column, &y.column, w, start, stop, &b, &places[0], &ends[0], &raw[0],
            &out_codes[0], v,
        )
    return n_refused


cdef uint8_t[::1] check_room(
    scores,
    const double *weights,
    out,
    const uint16_t[::1] out_codes,
    const double[::1] out_weights,
    Py_ssize_t n_items,
):
    """Return the bytes to write scores to, or raise if not all of the items have room."""
    cdef Py_ssize_t room = min(<Py_ssize_t> len(out), out_codes.shape[0])
    if scores.dtype.itemsize != out.dtype.itemsize:
        raise ValueError(f"scores of {scores.dtype} cannot be written as {out.dtype}")
    if (weights == NULL) != (address(out_weights) == NULL):
        raise ValueError("weights are written if there are any, and only then")
    check_range(0, n_items, length_of(out_weights, room))
    return out.view(np.uint8)


def sort_items(scores, codes, lowest, Py_ssize_t n_labels):
    """Return scores and codes in the order of the scores, or None for the general way.

    That is taken for scores that are not finite, and for those so far apart that they and
    the codes need more than 64 bits.
    """
    cdef ColumnBuffer x = ColumnBuffer(scores, 0, 0), y = ColumnBuffer(codes, lowest, n_labels)
    cdef Py_ssize_t n = x.length
    cdef key_layout_t layout
    cdef int outcome
    check_range(0, n, y.length)
    array = np.empty(n, np.uint64)
    cdef uint64_t[::1] keys = array
    with nogil:
        outcome = c_pack_scores(&x.column, &y.column, n, &keys[0], &layout)
    if outcome != KEYS_FIT:
        return None
    array.sort()
    ordered = np.empty(n, scores.dtype.newbyteorder("="))
    ordered_codes = np.empty(n, np.uint16)
    cdef uint8_t[::1] raw = ordered.view(np.uint8)
    cdef uint16_t[::1] unpacked = ordered_codes
    with nogil:
        c_unpack_scores(&keys[0], n, &layout, x.column.kind, &raw[0], &unpacked[0])
    return ordered, ordered_codes


def accumulate_labels(
    const uint16_t[::1] codes,
    const double[::1] weights,
    const int64_t[::1] places,
    double[:, ::1] prefix,
):
    """Write how many items of each label lie between the first place and each other."""
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
    check_range(lowest, highest, length_of(weights, codes.shape[0]))
    with nogil:
        c_accumulate_labels(
            &codes[0], w, &places[0], places.shape[0], prefix.shape[0], &prefix[0, 0], &below[0]
        )


def simd_level():
    """Return the name of the vector instructions in use."""
    return (<bytes> simd_level_name(simd_level_current())).decode()


# One level for all modules: `use_simd_level` of the other one is used here too.
simd_level_share(shared_simd_level())
