# cython: language_level=3, boundscheck=False, wraparound=False
"""The compiled kernels for scores. The contract is that of `fastkappa.kernels.numpy.scores`."""

from cpython.buffer cimport PyBuffer_Release
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastkappa.kernels.cython.pairs cimport ratings_t, read_column

import numpy as np

from fastkappa.kernels.cython import pairs as cython_kernels


cdef extern from "scores.h" nogil:
    ctypedef struct bins_t:
        double low
        double scale
        int n_inner
    ctypedef struct key_layout_t:
        uint64_t negative
        uint64_t n_negative
        uint64_t positive
        int code_bits
    int KEYS_FIT
    int KEYS_NOT_FINITE
    void c_count_scores "count_scores" (
        const ratings_t *, const ratings_t *, const double *, Py_ssize_t, Py_ssize_t,
        const bins_t *, uint32_t *, double *,
    ) noexcept
    void c_range_scores "range_scores" (
        const ratings_t *, Py_ssize_t, Py_ssize_t, const bins_t *, double *, double *
    ) noexcept
    Py_ssize_t c_collect_scores "collect_scores" (
        const ratings_t *, const ratings_t *, const double *, Py_ssize_t, Py_ssize_t,
        const bins_t *, const uint8_t *, void *, uint16_t *, double *,
    ) noexcept
    void c_group_scores "group_scores" (
        const ratings_t *, const ratings_t *, const double *, Py_ssize_t, Py_ssize_t,
        const bins_t *, int64_t *, void *, uint16_t *, double *,
    ) noexcept
    int c_pack_scores "pack_scores" (
        const ratings_t *, const ratings_t *, Py_ssize_t, uint64_t *, key_layout_t *
    ) noexcept
    void c_unpack_scores "unpack_scores" (
        const uint64_t *, Py_ssize_t, const key_layout_t *, int, void *, uint16_t *
    ) noexcept
    void c_accumulate_labels "accumulate_labels" (
        const uint16_t *, const double *, const int64_t *, Py_ssize_t, Py_ssize_t, double *, double *
    ) noexcept
    int c_search_cuts "search_cuts" (
        const double *, Py_ssize_t, Py_ssize_t, const double *, const double *, double *, int64_t *, int,
        double *, int64_t *,
    ) noexcept
    ctypedef struct grouped_items_t:
        const char *scores
        int kind
        Py_ssize_t n_groups
        Py_ssize_t n_labels
        const uint16_t *codes
        const double *weights
        const int64_t *starts
        const double *least
        const double *prefix
        const double *matrix
        const double *chance
    const int MOST_CUTS
    double c_kappa_of_thresholds "kappa_of_thresholds" (
        const grouped_items_t *, const double *, double, double *
    ) noexcept
    int simd_level_force(int level) noexcept
    int simd_level_named(const char *name) noexcept


def use_simd_level(name):
    """Use vector instructions of this level from now on: for tests and measurements."""
    if simd_level_force(simd_level_named(name.encode())) < 0:
        raise ValueError(f"name must be a level that is available here, got {name!r}.")


cdef class Column:
    """An array that C may read for as long as this lives."""

    cdef ratings_t ratings
    cdef Py_buffer view

    def __cinit__(self, array, lowest, uint64_t n_labels):
        read_column(array, lowest, n_labels, &self.ratings, &self.view)

    def __dealloc__(self):
        PyBuffer_Release(&self.view)


cdef double *address(const double[::1] floats) noexcept:
    return NULL if floats is None or floats.shape[0] == 0 else <double *> &floats[0]


cdef bins_t bins_of(bins):
    cdef bins_t result
    result.low, result.scale, result.n_inner = bins
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
    cdef Column x = Column(scores, 0, 0), y = Column(codes, lowest, table.shape[1] - 1)
    cdef bins_t b = bins_of(bins)
    cdef const double *w = address(weights)
    cdef double *total = NULL if weights is None else &sums[0, 0]
    with nogil:
        c_count_scores(&x.ratings, &y.ratings, w, start, stop, &b, &table[0, 0], total)


def range_scores(
    scores, bins, double[::1] least, double[::1] largest, Py_ssize_t start, Py_ssize_t stop
):
    """Lower ``least`` and raise ``largest`` to the scores of each bin."""
    cdef Column x = Column(scores, 0, 0)
    cdef bins_t b = bins_of(bins)
    with nogil:
        c_range_scores(&x.ratings, start, stop, &b, &least[0], &largest[0])


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
    cdef Column x = Column(scores, 0, 0), y = Column(codes, lowest, n_labels)
    cdef bins_t b = bins_of(bins)
    cdef const double *w = address(weights)
    cdef Py_ssize_t n_chosen
    cdef uint8_t[::1] raw = out.view(np.uint8)
    cdef double *v = NULL
    if stop <= start:
        return 0
    if out_weights is not None:
        v = &out_weights[0]
    with nogil:
        n_chosen = c_collect_scores(
            &x.ratings, &y.ratings, w, start, stop, &b, &wanted[0], &raw[0], &out_codes[0], v
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
    Py_ssize_t start,
    Py_ssize_t stop,
    out,
    uint16_t[::1] out_codes,
    double[::1] out_weights,
):
    """Write score, code and weight of each item to the next of its row's ``places``."""
    cdef Column x = Column(scores, 0, 0), y = Column(codes, lowest, n_labels)
    cdef bins_t b = bins_of(bins)
    cdef const double *w = address(weights)
    cdef double *v = address(out_weights)
    cdef uint8_t[::1] raw = out.view(np.uint8)
    if stop <= start:
        return
    with nogil:
        c_group_scores(
            &x.ratings, &y.ratings, w, start, stop, &b, &places[0], &raw[0], &out_codes[0], v
        )


def sort_items(scores, codes, lowest, Py_ssize_t n_labels):
    """Return scores and codes in the order of the scores, or None for the general way.

    That is taken for scores that are not finite, and for those so far apart that they and
    the codes need more than 64 bits.
    """
    cdef Column x = Column(scores, 0, 0), y = Column(codes, lowest, n_labels)
    cdef Py_ssize_t n = scores.shape[0]
    cdef key_layout_t layout
    cdef int outcome
    array = np.empty(n, np.uint64)
    cdef uint64_t[::1] keys = array
    with nogil:
        outcome = c_pack_scores(&x.ratings, &y.ratings, n, &keys[0], &layout)
    if outcome != KEYS_FIT:
        return None
    array.sort()
    ordered = np.empty(n, scores.dtype.newbyteorder("="))
    ordered_codes = np.empty(n, np.uint16)
    cdef uint8_t[::1] raw = ordered.view(np.uint8)
    cdef uint16_t[::1] words = ordered_codes
    with nogil:
        c_unpack_scores(&keys[0], n, &layout, x.ratings.kind, &raw[0], &words[0])
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
    if codes.shape[0] == 0:
        prefix[:] = 0
        return
    with nogil:
        c_accumulate_labels(
            &codes[0], w, &places[0], places.shape[0], prefix.shape[0], &prefix[0, 0], &below[0]
        )


def search_cuts(
    const double[:, ::1] prefix,
    const double[:, ::1] matrix,
    const double[::1] chance,
    double[::1] ratio,
    int64_t[::1] positions,
    bint known,
):
    """Search for the best cuts; return the number of rounds, 0 for the general way."""
    cdef Py_ssize_t n_labels = matrix.shape[0]
    cdef double[::1] work = np.empty(n_labels * (n_labels + 1))
    cdef int64_t[::1] candidates = np.empty(n_labels, np.int64)
    cdef int rounds
    with nogil:
        rounds = c_search_cuts(
            &prefix[0, 0], prefix.shape[1], n_labels, &matrix[0, 0], &chance[0], &ratio[0],
            &positions[0], known, &work[0], &candidates[0],
        )
    return rounds


cdef class Evaluator:
    """Kappa at given thresholds of grouped scores, which see for the first parameters.

    Sums must be whole numbers small enough for doubles.
    """

    cdef grouped_items_t items
    cdef object owners
    cdef double total
    cdef double[::1] table

    def __init__(
        self,
        scores,
        const uint16_t[::1] codes,
        const double[::1] weights,
        const int64_t[::1] starts,
        const double[::1] least,
        const double[:, ::1] prefix,
        const double[:, ::1] matrix,
        const double[::1] chance,
        double total,
    ):
        cdef Column column = Column(scores, 0, 0)
        self.owners = (column, codes, weights, starts, least, prefix, matrix, chance)
        self.items.scores, self.items.kind = column.ratings.data, column.ratings.kind
        self.items.n_groups, self.items.n_labels = least.shape[0], matrix.shape[0]
        self.items.starts, self.items.least = &starts[0], &least[0]
        self.items.codes, self.items.weights = &codes[0], address(weights)
        self.items.prefix, self.items.matrix = &prefix[0, 0], &matrix[0, 0]
        self.items.chance, self.total = &chance[0], total
        self.table = np.empty(matrix.shape[0] ** 2)

    @staticmethod
    def supports(Py_ssize_t n_labels):
        """Tell whether there are not too many labels."""
        return 1 < n_labels <= MOST_CUTS

    def __call__(self, const double[::1] thresholds):
        """Return kappa, NaN where it is undefined; thresholds may be in any order."""
        cdef Py_ssize_t i
        if thresholds.shape[0] != self.items.n_labels - 1:
            raise ValueError(f"{self.items.n_labels - 1} thresholds, got {thresholds.shape[0]}")
        for i in range(thresholds.shape[0]):
            if thresholds[i] != thresholds[i]:
                raise ValueError("a threshold is NaN")
        return c_kappa_of_thresholds(&self.items, &thresholds[0], self.total, &self.table[0])

    def many(self, const double[:, ::1] thresholds, double[::1] kappas):
        """Write kappa for each row of thresholds."""
        cdef Py_ssize_t i
        cdef double[::1] table = np.empty(self.table.shape[0])
        if thresholds.shape[1] != self.items.n_labels - 1:
            raise ValueError(f"{self.items.n_labels - 1} thresholds, got {thresholds.shape[1]}")
        with nogil:
            for i in range(thresholds.shape[0]):
                kappas[i] = c_kappa_of_thresholds(
                    &self.items, &thresholds[i, 0], self.total, &table[0]
                )


# As asked for by the environment variable that the other kernels read.
use_simd_level(cython_kernels.simd_level())
