"""The compiled kernels as Cython can cimport them; see docs/how_to/scale/compiled_loops.md."""

from libc.stdint cimport int64_t, uint64_t


cdef extern from "common/column.h" nogil:
    # A column: address of the first value, bytes between two, type and byte order, the value
    # of code 0 (modulo 2**64), and the number of codes, fewer than 2**32. Values outside have
    # the code n_labels.
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


# Describes a one-dimensional NumPy array to C and returns how many elements it has: integers,
# booleans or floats of any stride and byte order. Values from `lowest` to `lowest + n_labels - 1`
# are labels; integers of that type must hold them. It raises TypeError for anything else. Keep a
# reference to the array, and do not resize it, for as long as the column is read.
cdef Py_ssize_t read_array(
    object array, uint64_t lowest, uint64_t n_labels, column_t *column
) except -1

# Whether a NumPy array is one of booleans. True may be any byte but 0, such as those of a mask of 0
# and 255 that was viewed as booleans, and a column has the bytes as they are.
cdef bint is_boolean(object array) noexcept

# Adds the pairs start to stop - 1, which both columns must have, to a table of
# (first.n_labels + 1) * (second.n_labels + 1) counts, row by row. Its last row and its last
# column are for values outside the labels: nothing is written outside.
cdef void add_pairs(
    const column_t *first,
    const column_t *second,
    Py_ssize_t start,
    Py_ssize_t stop,
    int64_t *table,
) noexcept nogil

# The same for a column of codes: `lowest` is any whole number, and it raises ValueError for a number
# of labels that leaves no room for those outside. Keep a reference to the array here as well.
cdef Py_ssize_t read_column(object array, lowest, Py_ssize_t n_labels, column_t *column) except -1

# Raises ValueError unless arrays of `length` elements have all of those from start to stop - 1. Every
# kernel asks it of the shortest array that it reads or writes an element per item of.
cdef int check_range(Py_ssize_t start, Py_ssize_t stop, Py_ssize_t length) except -1

# Raises ValueError unless two tables have the same shape.
cdef int check_shapes(const Py_ssize_t *first, const Py_ssize_t *second) except -1

# Where this module keeps the SIMD level in use, for the other modules of the package to share.
cdef int *shared_simd_level() noexcept
