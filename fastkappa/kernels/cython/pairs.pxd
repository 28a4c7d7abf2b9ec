"""Declare the C kernels for Cython's cimport; see docs/how_to/scale/compiled_loops.md."""

from libc.stdint cimport int64_t, uint64_t


cdef extern from "common/column.h" nogil:
    # A column is described by the address of its first value, the distance between two values in bytes, the type and
    # the byte order, the value with code 0 (modulo 2**64), and the number of codes, which is less than 2**32. Values
    # outside the labels have the code n_labels.
    ctypedef struct column_t:
        const char *data
        Py_ssize_t stride
        int kind
        int swapped
        uint64_t lowest
        uint64_t n_labels
    const int COLUMN_INT8, COLUMN_INT16, COLUMN_INT32, COLUMN_INT64
    const int COLUMN_UINT8, COLUMN_UINT16, COLUMN_UINT32, COLUMN_UINT64
    const int COLUMN_FLOAT32, COLUMN_FLOAT64


# Describes a one-dimensional NumPy array to C and returns its length. The array can contain integers,
# booleans or floats, with any stride and byte order; anything else raises TypeError. The labels are
# `lowest` to `lowest + n_labels - 1`, and an integer array must be able to represent them. Keep a
# reference to the array, and do not resize it, while the column is read.
cdef Py_ssize_t read_array(
    object array, uint64_t lowest, uint64_t n_labels, column_t *column
) except -1

# Returns whether a NumPy array contains booleans. A column exposes the raw bytes of booleans. Any nonzero byte is True:
# for example, a mask of 0 and 255 viewed as booleans contains 255.
cdef bint is_boolean(object array) noexcept

# Adds the pairs start to stop - 1 to a row-major table of (first.n_labels + 1) * (second.n_labels + 1)
# counts. Both columns must contain all of these items. The last row and the last column count values outside the
# labels, so nothing is written outside the table.
cdef void add_pairs(
    const column_t *first,
    const column_t *second,
    Py_ssize_t start,
    Py_ssize_t stop,
    int64_t *table,
) noexcept nogil

# Like `read_array`, but `lowest` can be any Python integer. Raises ValueError if n_labels is negative or too large. As
# for `read_array`, keep a reference to the array.
cdef Py_ssize_t read_column(object array, lowest, Py_ssize_t n_labels, column_t *column) except -1

# Raises ValueError unless an array of `length` elements contains elements start to stop - 1. Each kernel calls this
# function for the shortest of its arrays with one element per item.
cdef int check_range(Py_ssize_t start, Py_ssize_t stop, Py_ssize_t length) except -1

# Raises ValueError unless two tables have the same shape.
cdef int check_shapes(const Py_ssize_t *first, const Py_ssize_t *second) except -1

# Returns the address of the SIMD level in use, which the other modules of the package share.
cdef int *shared_simd_level() noexcept
