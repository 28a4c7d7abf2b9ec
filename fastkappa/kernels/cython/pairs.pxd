"""The compiled kernels as Cython code can cimport them; see docs/compiled_loops.md."""

from libc.stdint cimport int64_t, uint64_t


cdef extern from "ratings.h" nogil:
    # A column of ratings: address of the first, bytes between two, type and byte order, the
    # rating of code 0 (modulo 2**64), and how many codes there are, fewer than 2**32. Other
    # ratings have the code n_labels.
    ctypedef struct ratings_t:
        const char *data
        Py_ssize_t stride
        int kind
        int swapped
        uint64_t lowest
        uint64_t n_labels
    const int RATING_INT8
    const int RATING_UINT8
    const int RATING_FLOAT32
    const int RATING_FLOAT64


# Describes a one-dimensional array to C: integers, booleans or floats of any stride and byte
# order. Those from `lowest` to `lowest + n_labels - 1` are labels; integers of that type must
# hold them. It raises TypeError for another array, and what a buffer does. Release the view
# with PyBuffer_Release when the column is no longer read, unless this raised.
cdef int read_column(
    object array, object lowest, uint64_t n_labels, ratings_t *column, Py_buffer *view
) except -1

# Adds the pairs start to stop - 1, which both columns must have, to a table of
# (first.n_labels + 1) * (second.n_labels + 1) counts, row by row. Its last row and its last
# column are for ratings that are no labels: nothing is written outside.
cdef void add_pairs(
    const ratings_t *first,
    const ratings_t *second,
    Py_ssize_t start,
    Py_ssize_t stop,
    int64_t *table,
) noexcept nogil
