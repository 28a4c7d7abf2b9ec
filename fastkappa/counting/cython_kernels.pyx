# cython: language_level=3, boundscheck=False, wraparound=False
"""The compiled kernels. The contract is that of `numpy_kernels`.

An array is read as it lies: its buffer tells address, stride, type and byte order, and
the C kernels under kernels/ read any of them. Nothing here depends on NumPy's C API, so
one build serves every NumPy.
"""

from cpython.buffer cimport (
    PyBUF_FORMAT,
    PyBUF_STRIDES,
    PyBUF_WRITABLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.stdint cimport int64_t, uint64_t

import sys


cdef extern from "count_pairs.h" nogil:
    void c_count_pairs "count_pairs" (
        const ratings_t *a,
        const ratings_t *b,
        Py_ssize_t start,
        Py_ssize_t stop,
        int64_t *table,
    ) noexcept
cdef extern from "sum_pairs.h" nogil:
    void c_sum_pairs "sum_pairs" (
        const ratings_t *a,
        const ratings_t *b,
        const ratings_t *weights,
        Py_ssize_t start,
        Py_ssize_t stop,
        double *table,
    ) noexcept
    void c_sum_pairs_exactly "sum_pairs_exactly" (
        const ratings_t *a,
        const ratings_t *b,
        const ratings_t *weights,
        Py_ssize_t start,
        Py_ssize_t stop,
        int64_t *high,
        int64_t *low,
    ) noexcept


cdef bint LITTLE_ENDIAN = sys.byteorder == "little"


cdef void add_pairs(
    const ratings_t *first,
    const ratings_t *second,
    Py_ssize_t start,
    Py_ssize_t stop,
    int64_t *table,
) noexcept nogil:
    c_count_pairs(first, second, start, stop, table)


def count_pairs(first, lowest_first, second, lowest_second, table, Py_ssize_t start, Py_ssize_t stop):
    """Add the number of pairs of each cell to ``table``."""
    cdef ratings_t a, b
    cdef Py_buffer table_view, a_view, b_view
    PyObject_GetBuffer(table, &table_view, PyBUF_FORMAT | PyBUF_STRIDES | PyBUF_WRITABLE)
    try:
        read_column(first, lowest_first, table_view.shape[0] - 1, &a, &a_view)
        try:
            read_column(second, lowest_second, table_view.shape[1] - 1, &b, &b_view)
            try:
                with nogil:
                    c_count_pairs(&a, &b, start, stop, <int64_t *> table_view.buf)
            finally:
                PyBuffer_Release(&b_view)
        finally:
            PyBuffer_Release(&a_view)
    finally:
        PyBuffer_Release(&table_view)


def sum_pairs(
    first, lowest_first, second, lowest_second, weights, table, Py_ssize_t start, Py_ssize_t stop
):
    """Add the float64 sum of the item weights of each cell to ``table``."""
    cdef ratings_t a, b, w
    cdef Py_buffer table_view, a_view, b_view, w_view
    PyObject_GetBuffer(table, &table_view, PyBUF_FORMAT | PyBUF_STRIDES | PyBUF_WRITABLE)
    try:
        read_column(first, lowest_first, table_view.shape[0] - 1, &a, &a_view)
        try:
            read_column(second, lowest_second, table_view.shape[1] - 1, &b, &b_view)
            try:
                read_column(weights, 0, 0, &w, &w_view)
                try:
                    with nogil:
                        c_sum_pairs(&a, &b, &w, start, stop, <double *> table_view.buf)
                finally:
                    PyBuffer_Release(&w_view)
            finally:
                PyBuffer_Release(&b_view)
        finally:
            PyBuffer_Release(&a_view)
    finally:
        PyBuffer_Release(&table_view)


def sum_pairs_exactly(
    first, lowest_first, second, lowest_second, weights, high, low, Py_ssize_t start, Py_ssize_t stop
):
    """Add the integer item weights of each cell: the sum is ``high * 2**32 + low``."""
    cdef ratings_t a, b, w
    cdef Py_buffer high_view, low_view, a_view, b_view, w_view
    PyObject_GetBuffer(high, &high_view, PyBUF_FORMAT | PyBUF_STRIDES | PyBUF_WRITABLE)
    try:
        PyObject_GetBuffer(low, &low_view, PyBUF_FORMAT | PyBUF_STRIDES | PyBUF_WRITABLE)
        try:
            read_column(first, lowest_first, high_view.shape[0] - 1, &a, &a_view)
            try:
                read_column(second, lowest_second, high_view.shape[1] - 1, &b, &b_view)
                try:
                    read_column(weights, 0, 0, &w, &w_view)
                    try:
                        with nogil:
                            c_sum_pairs_exactly(
                                &a, &b, &w, start, stop,
                                <int64_t *> high_view.buf, <int64_t *> low_view.buf,
                            )
                    finally:
                        PyBuffer_Release(&w_view)
                finally:
                    PyBuffer_Release(&b_view)
            finally:
                PyBuffer_Release(&a_view)
        finally:
            PyBuffer_Release(&low_view)
    finally:
        PyBuffer_Release(&high_view)


cdef int read_column(
    object array, object lowest, uint64_t n_labels, ratings_t *column, Py_buffer *view
) except -1:
    """Describe an array to C. The caller releases the view."""
    cdef const char *format
    PyObject_GetBuffer(array, view, PyBUF_FORMAT | PyBUF_STRIDES)
    format = view.format
    column.swapped = (format[0] == c">" and LITTLE_ENDIAN) or (
        format[0] == c"<" and not LITTLE_ENDIAN
    )
    if format[0] in (c"<", c">", c"=", c"@"):
        format += 1
    if format[0] == c"f":
        column.kind = RATING_FLOAT32
    elif format[0] == c"d":
        column.kind = RATING_FLOAT64
    elif format[0] in (c"b", c"h", c"i", c"l", c"q"):
        column.kind = RATING_INT8 + size_rank(view.itemsize)
    else:
        column.kind = RATING_UINT8 + size_rank(view.itemsize)
    column.data = <const char *> view.buf
    column.stride = view.strides[0]
    column.lowest = lowest & 0xFFFFFFFFFFFFFFFF
    column.n_labels = n_labels
    return 0


cdef int size_rank(Py_ssize_t itemsize) noexcept:
    return 0 if itemsize == 1 else 1 if itemsize == 2 else 2 if itemsize == 4 else 3
