"""The compiled kernels as Cython code can cimport them."""

from libc.stdint cimport int64_t, uint64_t


cdef extern from "ratings.h" nogil:
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


# Describes a one-dimensional array to C; the caller releases the view.
cdef int read_column(
    object array, object lowest, uint64_t n_labels, ratings_t *column, Py_buffer *view
) except -1

# Adds pairs to a table with one row and one column more than there are labels.
cdef void add_pairs(
    const ratings_t *first,
    const ratings_t *second,
    Py_ssize_t start,
    Py_ssize_t stop,
    int64_t *table,
) noexcept nogil
