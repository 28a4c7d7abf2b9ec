# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""Count and sum pairs in C; see `fastkappa.kernels.contract`.

Arrays are read without copying them. The array structure contains the address, stride, type and byte order, and the C
kernels under kernels/c/ support all of them. This module uses only that structure, which has not changed since NumPy
1.7, and no NumPy function, so one build works with every NumPy. (The buffer protocol would make even the structure
unnecessary, but using it takes longer than counting a hundred pairs.)
"""

from cpython.long cimport PyLong_AsUnsignedLongLongMask
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

import os
import sys

from numpy import ndarray


cdef extern from *:
    """
    #define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
    #include <numpy/ndarraytypes.h>
    """
    ctypedef struct PyArrayObject
    ctypedef struct PyArray_Descr:
        char byteorder
        int type_num
    int PyArray_NDIM(const PyArrayObject *) noexcept
    void *PyArray_DATA(const PyArrayObject *) noexcept
    PyArray_Descr *PyArray_DESCR(const PyArrayObject *) noexcept
    Py_ssize_t *PyArray_DIMS(const PyArrayObject *) noexcept
    Py_ssize_t *PyArray_STRIDES(const PyArrayObject *) noexcept

cdef extern from "pairs/sum_pairs.h" nogil:
    void c_sum_pairs "sum_pairs" (
        const column_t *a,
        const column_t *b,
        const column_t *weights,
        Py_ssize_t start,
        Py_ssize_t stop,
        int64_t *counts,
        double *table,
    ) noexcept
    void c_sum_pairs_int "sum_pairs_int" (
        const column_t *a,
        const column_t *b,
        const column_t *weights,
        Py_ssize_t start,
        Py_ssize_t stop,
        int64_t *counts,
        int64_t *high,
        uint64_t *low,
    ) noexcept

cdef extern from "pairs/count_pairs.h" nogil:
    void c_count_pairs "count_pairs" (
        const column_t *a,
        const column_t *b,
        Py_ssize_t start,
        Py_ssize_t stop,
        int64_t *table,
    ) noexcept

cdef extern from "labels/look_up.h" nogil:
    ctypedef struct label_hash_t:
        uint64_t multiplier
        int shift
        int code_width
        const void *slots
        const uint64_t *labels
        uint64_t n_labels
    Py_ssize_t look_up_labels(
        const column_t *column,
        const label_hash_t *hash,
        Py_ssize_t start,
        Py_ssize_t stop,
        char *codes,
    ) noexcept

cdef extern from "moments/moments.h" nogil:
    ctypedef struct wide_sum_t:
        uint64_t low
        uint64_t high
    ctypedef struct moments_t:
        uint64_t inside
        uint64_t outside
        wide_sum_t sum_a
        wide_sum_t sum_b
        wide_sum_t sum_aa
        wide_sum_t sum_bb
        wide_sum_t sum_ab
    void c_sum_moments "sum_moments" (
        const column_t *a,
        const column_t *b,
        Py_ssize_t start,
        Py_ssize_t stop,
        moments_t *moments,
    ) noexcept

cdef extern from "rows/rows.h" nogil:
    const int ROW_WIDTH
    const int c_MOST_ROW_LABELS "MOST_ROW_LABELS"
    Py_ssize_t row_counters(const column_t *first, const column_t *row) noexcept
    void c_count_rows "count_rows" (
        const column_t *first,
        const column_t *row,
        Py_ssize_t row_stride,
        Py_ssize_t n_columns,
        Py_ssize_t start,
        Py_ssize_t stop,
        int64_t *tables,
        uint8_t *counts,
        uint32_t *sums,
    ) noexcept

cdef extern from "common/simd_level.h" nogil:
    const int SIMD_AVX512
    const int SIMD_LEVELS
    int simd_level_current() noexcept
    int simd_level_available(int level) noexcept
    int simd_level_force(int level) noexcept
    const char *simd_level_name(int level) noexcept
    int simd_level_named(const char *name) noexcept
    int *simd_level_address() noexcept


READS_AS_FAST = True
MOST_ROW_LABELS = c_MOST_ROW_LABELS

# Codes are 32-bit integers.
cdef enum:
    MOST_CODES = 0xFFFFFFFF
    # The largest number of labels for which moments can be summed, because the sums use 16-bit
    # codes.
    MOST_MOMENT_LABELS = 0xFFFF

cdef char OTHER_BYTE_ORDER = c">" if sys.byteorder == "little" else c"<"
cdef type ARRAY = ndarray
# The kind of each NumPy type, indexed by type number: bool, byte, ubyte, short, ushort, int, uint,
# long, ulong, longlong, ulonglong, float, double.
cdef int KINDS[13]
KINDS[:] = [
    COLUMN_UINT8, COLUMN_INT8, COLUMN_UINT8, COLUMN_INT16, COLUMN_UINT16, COLUMN_INT32,
    COLUMN_UINT32, COLUMN_INT64 if sizeof(long) == 8 else COLUMN_INT32,
    COLUMN_UINT64 if sizeof(long) == 8 else COLUMN_UINT32, COLUMN_INT64, COLUMN_UINT64,
    COLUMN_FLOAT32, COLUMN_FLOAT64,
]


def count_pairs(first, second, lowest, int64_t[:, ::1] table, part):
    """Add the number of pairs in each cell to ``table``."""
    cdef column_t a, b
    cdef Py_ssize_t start, stop
    start, stop = part
    check_range(start, stop, read_pair(first, second, lowest, table.shape, &a, &b))
    with nogil:
        c_count_pairs(&a, &b, start, stop, &table[0, 0])


def sum_pairs(first, second, lowest, weights, tables, part):
    """Add the number of pairs in each cell, and the float64 sum of their weights, to two tables."""
    cdef column_t a, b, w
    cdef Py_ssize_t start, stop
    cdef int64_t[:, ::1] counts
    cdef double[:, ::1] sums
    start, stop = part
    counts, sums = tables
    check_range(start, stop, read_pair(first, second, lowest, counts.shape, &a, &b))
    check_range(start, stop, read_array(weights, 0, 0, &w))
    check_shapes(sums.shape, counts.shape)
    with nogil:
        c_sum_pairs(&a, &b, &w, start, stop, &counts[0, 0], &sums[0, 0])


def sum_pairs_exactly(first, second, lowest, weights, tables, part):
    """Add the number of pairs in each cell, and their integer weights as ``high * 2**32 + low``."""
    cdef column_t a, b, w
    cdef Py_ssize_t start, stop
    cdef int64_t[:, ::1] counts, high, low
    start, stop = part
    counts, high, low = tables
    check_range(start, stop, read_pair(first, second, lowest, counts.shape, &a, &b))
    check_range(start, stop, read_array(weights, 0, 0, &w))
    check_shapes(high.shape, counts.shape)
    check_shapes(low.shape, counts.shape)
    with nogil:
        c_sum_pairs_int(
            &a, &b, &w, start, stop, &counts[0, 0], &high[0, 0], <uint64_t *> &low[0, 0]
        )


def look_up(values, hash, codes, part):
    """Write the codes of values to ``codes``; return the number of values that are not labels."""
    cdef column_t column
    cdef label_hash_t labels
    cdef uint64_t multiplier = hash.multiplier
    cdef const uint64_t[::1] of_code = hash.labels
    cdef const uint8_t[::1] slots = hash.slots.view("u1")
    cdef uint8_t[::1] written = codes.view("u1")
    cdef Py_ssize_t start, stop, n_unknown
    start, stop = part
    labels.multiplier, labels.shift = multiplier, hash.shift
    labels.code_width = hash.slots.itemsize
    labels.slots, labels.labels = &slots[0], &of_code[0]
    labels.n_labels = of_code.shape[0] - 1
    check_range(start, stop, read_array(values, 0, 0, &column))
    check_range(0, stop - start, codes.shape[0])
    if codes.dtype != hash.slots.dtype:
        raise ValueError("codes must have the same dtype as the slots")
    if slots.shape[0] >> (64 - labels.shift) != labels.code_width:
        raise ValueError("there must be 2**(64 - shift) slots")
    if stop <= start:
        return 0
    with nogil:
        n_unknown = look_up_labels(&column, &labels, start, stop, <char *> &written[0])
    return n_unknown


def count_rows(first, matrix, lowest, int64_t[:, :, ::1] tables, part):
    """Pair a column with each column of a matrix, and add the pairs to one table per column.

    There can be at most ``MOST_ROW_LABELS`` labels.
    """
    cdef column_t a, b
    cdef Py_ssize_t start, stop
    start, stop = part
    if stop <= start or tables.shape[0] == 0:
        return
    row = matrix[0]
    cdef Py_ssize_t length = read_column(first, lowest[0], tables.shape[1] - 1, &a)
    read_column(row, lowest[1], tables.shape[2] - 1, &b)
    if max(a.n_labels, b.n_labels) > MOST_ROW_LABELS:
        raise ValueError(
            f"tables are too large: they must have at most {MOST_ROW_LABELS} labels each, got"
            f" shape {tables.shape}"
        )
    if matrix.shape[1] != tables.shape[0]:
        raise ValueError(f"{matrix.shape[1]} columns need as many tables, got {tables.shape[0]}")
    check_range(start, stop, min(length, <Py_ssize_t> matrix.shape[0]))
    cdef Py_ssize_t row_stride = matrix.strides[0], n_columns = tables.shape[0]
    cdef Py_ssize_t n_counters = max(row_counters(&a, &b), 1)
    cdef uint8_t[::1] counts = bytearray(n_counters)
    cdef uint8_t[::1] sums = bytearray(4 * n_counters * -(-n_columns // ROW_WIDTH))
    with nogil:
        c_count_rows(
            &a, &b, row_stride, n_columns, start, stop, &tables[0, 0, 0],
            &counts[0], <uint32_t *> &sums[0],
        )


def sum_moments(first, second, lowest, n_labels, part):
    """Return the numbers of pairs outside and inside the labels, and sums over the pairs inside.

    The sums are those of the first codes, the second codes, their squares and their products.
    """
    cdef column_t a, b
    cdef moments_t moments
    cdef Py_ssize_t start, stop
    start, stop = part
    if n_labels > MOST_MOMENT_LABELS:
        raise ValueError(f"there must be at most {MOST_MOMENT_LABELS} labels, got {n_labels}")
    check_range(start, stop, read_column(first, lowest, n_labels, &a))
    check_range(start, stop, read_column(second, lowest, n_labels, &b))
    memset(&moments, 0, sizeof(moments))
    with nogil:
        c_sum_moments(&a, &b, start, stop, &moments)
    return (
        moments.outside,
        moments.inside,
        whole(&moments.sum_a),
        whole(&moments.sum_b),
        whole(&moments.sum_aa),
        whole(&moments.sum_bb),
        whole(&moments.sum_ab),
    )


cdef object whole(const wide_sum_t *number):
    return (<object> number.high << 64) + number.low


def simd_level():
    """Return the name of the vector instructions in use."""
    return (<bytes> simd_level_name(simd_level_current())).decode()


def looks_up_as_fast():
    """Return whether few labels are looked up in registers."""
    return simd_level_current() == SIMD_AVX512


cdef Py_ssize_t read_pair(
    first, second, lowest, const Py_ssize_t *shape, column_t *a, column_t *b
) except -1:
    """Describe two columns to C for a table of the given shape; return the shorter length."""
    lowest_first, lowest_second = lowest
    cdef Py_ssize_t length = read_column(first, lowest_first, shape[0] - 1, a)
    return min(length, read_column(second, lowest_second, shape[1] - 1, b))


cdef Py_ssize_t read_column(object array, lowest, Py_ssize_t n_labels, column_t *column) except -1:
    if not 0 <= n_labels < MOST_CODES:
        raise ValueError("tables must have a row and a column for values that are not labels")
    return read_array(array, PyLong_AsUnsignedLongLongMask(lowest), n_labels, column)


cdef int check_range(Py_ssize_t start, Py_ssize_t stop, Py_ssize_t length) except -1:
    if start < stop and not (0 <= start and stop <= length):
        raise ValueError(f"items {start} to {stop - 1} are not all within an array of {length} items")
    return 0


cdef int check_shapes(const Py_ssize_t *first, const Py_ssize_t *second) except -1:
    if first[0] != second[0] or first[1] != second[1]:
        raise ValueError("tables must have the same shape")
    return 0


cdef Py_ssize_t read_array(
    object array, uint64_t lowest, uint64_t n_labels, column_t *column
) except -1:
    """Describe a one-dimensional array to C; return its length."""
    cdef const PyArrayObject *fields = <const PyArrayObject *> array
    cdef const PyArray_Descr *dtype
    if not isinstance(array, ARRAY) or PyArray_NDIM(fields) != 1:
        refuse_array(array)
    dtype = PyArray_DESCR(fields)
    if not 0 <= dtype.type_num < <int> (sizeof(KINDS) / sizeof(int)):
        refuse_array(array)
    column.kind = KINDS[dtype.type_num]
    column.swapped = dtype.byteorder == OTHER_BYTE_ORDER
    column.data = <const char *> PyArray_DATA(fields)
    column.stride = PyArray_STRIDES(fields)[0]
    column.lowest, column.n_labels = lowest, n_labels
    return PyArray_DIMS(fields)[0]


cdef bint is_boolean(object array) noexcept:
    return PyArray_DESCR(<const PyArrayObject *> array).type_num == 0


cdef int refuse_array(array) except -1:
    # The message does not show the array, because formatting an array is slow and some callers catch this error.
    got = type(array).__name__
    if isinstance(array, ARRAY):
        got = f"shape {array.shape} and dtype {array.dtype}"
    raise TypeError(f"expected a one-dimensional array of numbers, got {got}")


cdef void add_pairs(
    const column_t *first,
    const column_t *second,
    Py_ssize_t start,
    Py_ssize_t stop,
    int64_t *table,
) noexcept nogil:
    c_count_pairs(first, second, start, stop, table)


cdef int *shared_simd_level() noexcept:
    return simd_level_address()


def simd_levels():
    """Return the names of the SIMD levels that this machine supports."""
    return [
        (<bytes> simd_level_name(level)).decode()
        for level in range(SIMD_LEVELS)
        if simd_level_available(level)
    ]


def use_simd_level(name, asked_by="name"):
    """Switch to this SIMD level. This function is for tests and benchmarks."""
    if simd_level_force(simd_level_named(name.encode())) < 0:
        raise ValueError(f"{asked_by} must be one of {simd_levels()} on this machine, got {name!r}.")


# Detect the SIMD level during import, before several threads can try to detect it at the same time.
simd_level_current()
if os.environ.get("FASTKAPPA_SIMD"):
    use_simd_level(os.environ["FASTKAPPA_SIMD"], "FASTKAPPA_SIMD")
