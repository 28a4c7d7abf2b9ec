"""Compute kappa from C arrays in one call, via cimport; see docs/how_to/scale/compiled_loops.md."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from fastkappa.kernels.cython.pairs cimport (
    COLUMN_INT8,
    COLUMN_INT16,
    COLUMN_INT32,
    COLUMN_INT64,
    COLUMN_UINT8,
    COLUMN_UINT16,
    COLUMN_UINT32,
    COLUMN_UINT64,
    column_t,
)

# Disagreement weights.
cdef enum:
    UNWEIGHTED
    LINEAR
    QUADRATIC
    OTHER

ctypedef fused label_t:
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t
    uint16_t
    uint32_t
    uint64_t

# Return kappa of the pairs start to stop - 1 of two columns with the same labels. The value is the
# same as that of the Python functions, to the last digit, and NaN if kappa is undefined. A rating
# outside the labels raises ValueError. With up to 2**20 pairs and 32 labels, the function neither
# allocates memory nor acquires the GIL, unless it raises.
cdef double kappa_of_pairs(
    const column_t *first, const column_t *second, Py_ssize_t start, Py_ssize_t stop, int weights
) except -2 nogil

# Return kappa of a table of n_labels * n_labels counts. `row_length` is the distance between the
# beginnings of two rows: n_labels + 1 in a table filled by `add_pairs`. The last row and column of
# such a table count values outside the labels and are not read here. Check them yourself, or call
# `kappa_of_pairs`, which rejects values outside the labels. A negative count raises ValueError.
cdef double kappa_of_counts(
    const int64_t *table, Py_ssize_t n_labels, Py_ssize_t row_length, int weights
) except -2 nogil


# Return kappa of two contiguous arrays of n ratings, with labels `lowest` to `lowest + n_labels - 1`.
cdef inline double cohen_kappa(
    const label_t *y1, const label_t *y2, Py_ssize_t n, int64_t lowest, Py_ssize_t n_labels
) except -2 nogil:
    cdef column_t first = column_of(y1, lowest, n_labels)
    cdef column_t second = column_of(y2, lowest, n_labels)
    return kappa_of_pairs(&first, &second, 0, n, UNWEIGHTED)


cdef inline double linear_kappa(
    const label_t *y1, const label_t *y2, Py_ssize_t n, int64_t lowest, Py_ssize_t n_labels
) except -2 nogil:
    cdef column_t first = column_of(y1, lowest, n_labels)
    cdef column_t second = column_of(y2, lowest, n_labels)
    return kappa_of_pairs(&first, &second, 0, n, LINEAR)


cdef inline double quadratic_kappa(
    const label_t *y1, const label_t *y2, Py_ssize_t n, int64_t lowest, Py_ssize_t n_labels
) except -2 nogil:
    cdef column_t first = column_of(y1, lowest, n_labels)
    cdef column_t second = column_of(y2, lowest, n_labels)
    return kappa_of_pairs(&first, &second, 0, n, QUADRATIC)


cdef inline column_t column_of(
    const label_t *labels, int64_t lowest, Py_ssize_t n_labels
) noexcept nogil:
    cdef column_t column
    column.data, column.stride, column.swapped = <const char *> labels, sizeof(label_t), 0
    column.lowest, column.n_labels = <uint64_t> lowest, <uint64_t> n_labels
    if label_t is int8_t:
        column.kind = COLUMN_INT8
    elif label_t is int16_t:
        column.kind = COLUMN_INT16
    elif label_t is int32_t:
        column.kind = COLUMN_INT32
    elif label_t is int64_t:
        column.kind = COLUMN_INT64
    elif label_t is uint8_t:
        column.kind = COLUMN_UINT8
    elif label_t is uint16_t:
        column.kind = COLUMN_UINT16
    elif label_t is uint32_t:
        column.kind = COLUMN_UINT32
    else:
        column.kind = COLUMN_UINT64
    return column
