# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""Compute cuts and kappa from tables of scores; see `fastkappa.shortcuts.loading`."""

from cpython.object cimport PyObject
from cpython.pythread cimport PyThread_get_thread_ident
from libc.stdint cimport int64_t, uint16_t

from fastkappa.kernels.cython.pairs cimport (
    check_range, column_t, read_array, shared_simd_level,
)
from fastkappa.shortcuts.sharing cimport share_called

import numpy as np


cdef extern from "scores/cuts.h" nogil:
    int c_search_cuts "search_cuts" (
        const double *, Py_ssize_t, Py_ssize_t, const double *, const double *, double *, int64_t *, int,
        double *, int64_t *,
    ) noexcept

cdef extern from "scores/evaluate.h" nogil:
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
    enum:
        MOST_CUTS
    double c_kappa_of_thresholds "kappa_of_thresholds" (
        const grouped_items_t *, const double *, double, double *
    ) noexcept

cdef extern from "common/simd_level.h" nogil:
    int simd_level_current() noexcept
    const char *simd_level_name(int level) noexcept
    void simd_level_share(int *state) noexcept


def search_cuts(
    const double[:, ::1] prefix,
    const double[:, ::1] matrix,
    const double[::1] chance,
    double[::1] ratio,
    int64_t[::1] positions,
    bint known,
):
    """Search for the best cuts; return the number of rounds, or 0 if the general path is needed."""
    cdef Py_ssize_t n_labels = matrix.shape[0]
    cdef double[::1] work = np.empty(n_labels * (n_labels + 1))
    cdef int64_t[::1] candidates = np.empty(n_labels, np.int64)
    cdef int rounds
    check_range(0, n_labels, min(matrix.shape[1], chance.shape[0], prefix.shape[0]))
    check_range(0, 2, ratio.shape[0])
    check_range(0, n_labels - 1, positions.shape[0])
    check_range(0, 1, prefix.shape[1])
    with nogil:
        rounds = c_search_cuts(
            &prefix[0, 0], prefix.shape[1], n_labels, &matrix[0, 0], &chance[0], &ratio[0],
            &positions[0], known, &work[0], &candidates[0],
        )
    return rounds


def build_evaluator(items, matrix, chance, total, caller):
    """Build an evaluator of kappa at thresholds, or return None for too many labels.

    Sums must be integers that float64 represents exactly. ``caller`` is a weak reference to the
    object through which threads call the evaluator.
    """
    if not 1 < len(matrix) <= MOST_CUTS:
        return None
    return Evaluator(items, matrix, chance, total, caller)


# An evaluator that threads share gets a deferred reference count only if it has at most this many
# items. With a deferred count, its memory is freed only when the garbage collector runs, perhaps
# much later.
cdef enum:
    MOST_SHARED = 1 << 16


cdef class Evaluator:
    """Compute kappa at given thresholds; see `build_evaluator`.

    Threads can share an evaluator, because a call writes only to its own table.
    """

    cdef grouped_items_t items
    cdef object owners
    cdef object caller
    cdef double total
    cdef unsigned long maker
    cdef bint is_small

    def __init__(
        self, items, const double[:, ::1] matrix, const double[::1] chance, double total, caller
    ):
        cdef const uint16_t[::1] codes = items.codes
        cdef const double[::1] weights = items.weights
        cdef const int64_t[::1] starts = items.starts
        cdef const double[::1] least = items.least
        cdef const double[:, ::1] prefix = items.prefix
        cdef column_t column
        scores = items.scores
        cdef Py_ssize_t n_items = read_array(scores, 0, 0, &column), n_labels = matrix.shape[0], i
        if column.stride != scores.itemsize or column.swapped:
            raise ValueError("scores must be contiguous and in native byte order")
        if weights is not None and weights.shape[0]:
            check_range(0, n_items, weights.shape[0])
        check_range(0, n_items, codes.shape[0])
        check_range(0, least.shape[0] + 1, min(starts.shape[0], prefix.shape[0]))
        check_range(0, n_labels, min(matrix.shape[1], prefix.shape[1], chance.shape[0]))
        for i in range(least.shape[0]):
            check_range(starts[i], starts[i + 1], n_items)
        for i in range(n_items):
            if codes[i] >= n_labels:
                raise ValueError(f"a code must be below {n_labels}, got {codes[i]}")
        self.owners = (scores, codes, weights, starts, least, prefix, matrix, chance)
        self.items.scores, self.items.kind = column.data, column.kind
        self.items.n_groups, self.items.n_labels = least.shape[0], matrix.shape[0]
        self.items.starts, self.items.least = &starts[0], &least[0]
        self.items.codes = &codes[0]
        self.items.weights = NULL
        if weights is not None and weights.shape[0]:
            self.items.weights = &weights[0]
        self.items.prefix, self.items.matrix = &prefix[0, 0], &matrix[0, 0]
        self.items.chance, self.total = &chance[0], total
        self.caller, self.maker = caller, PyThread_get_thread_ident()
        self.is_small = codes.shape[0] <= MOST_SHARED

    def __call__(self, const double[::1] thresholds):
        """Return kappa, or NaN if it is undefined. The thresholds can be in any order."""
        cdef double table[MOST_CUTS * MOST_CUTS]
        cdef Py_ssize_t i
        if self.is_small and share_called(<PyObject *> self, self.maker):
            caller = self.caller()
            share_called(<PyObject *> caller, self.maker)
        if thresholds.shape[0] != self.items.n_labels - 1:
            raise ValueError(f"expected {self.items.n_labels - 1} thresholds, got {thresholds.shape[0]}")
        for i in range(thresholds.shape[0]):
            if thresholds[i] != thresholds[i]:
                raise ValueError("thresholds must not contain NaN")
        return c_kappa_of_thresholds(&self.items, &thresholds[0], self.total, table)

    def many(self, const double[:, ::1] thresholds, double[::1] kappas):
        """Write kappa at each row of thresholds to ``kappas``."""
        cdef double table[MOST_CUTS * MOST_CUTS]
        cdef Py_ssize_t i
        if thresholds.shape[1] != self.items.n_labels - 1:
            raise ValueError(f"expected {self.items.n_labels - 1} thresholds, got {thresholds.shape[1]}")
        check_range(0, thresholds.shape[0], kappas.shape[0])
        with nogil:
            for i in range(thresholds.shape[0]):
                kappas[i] = c_kappa_of_thresholds(
                    &self.items, &thresholds[i, 0], self.total, table
                )


def simd_level():
    """Return the name of the vector instructions in use."""
    return (<bytes> simd_level_name(simd_level_current())).decode()


# Use the same SIMD level as the kernels.
simd_level_share(shared_simd_level())
