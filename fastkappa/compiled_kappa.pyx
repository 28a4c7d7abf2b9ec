# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Two short integer arrays to kappa in one compiled call, where microseconds count.

For everything else, and for every error and warning, the general way is taken.
"""

from cpython.buffer cimport (
    PyBUF_FORMAT,
    PyBUF_STRIDES,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from fastkappa.counting.cython_kernels cimport add_pairs, ratings_t, read_column

from numpy import ndarray


cdef extern from "range.h" nogil:
    int range_of(const ratings_t *column, Py_ssize_t n, int64_t *least, int64_t *largest)


# Up to these sizes every sum below is a whole number under 2**53, so that one division
# of doubles rounds correctly, and looking for the least and largest label costs little.
cdef enum:
    LARGEST_CALL = 1 << 16
    MOST_LABELS = 32


def kappa_of_arrays(y1, y2, weights):
    """Return kappa of the labels that occur, or None where this is not the simple case.

    It is for two contiguous integer arrays of one length, up to 65 536 items, with 2 to 32
    labels in a row, and weights None, 'linear' or 'quadratic'.
    """
    cdef Py_buffer view1, view2
    cdef object kappa
    if type(y1) is not ndarray or type(y2) is not ndarray:
        return None
    if y1.dtype.kind not in "iub" or y2.dtype.kind not in "iub":
        return None
    if weights is not None and type(weights) is not str:
        return None
    cdef ratings_t first, second
    read_column(y1, 0, 0, &first, &view1)
    try:
        read_column(y2, 0, 0, &second, &view2)
        try:
            kappa = None
            if (
                view1.ndim == 1
                and view2.ndim == 1
                and view1.shape[0] == view2.shape[0]
                and 0 < view1.shape[0] <= LARGEST_CALL
            ):
                kappa = kappa_of_columns(&first, &second, view1.shape[0], weights)
        finally:
            PyBuffer_Release(&view2)
    finally:
        PyBuffer_Release(&view1)
    return kappa


cdef object kappa_of_columns(ratings_t *first, ratings_t *second, Py_ssize_t n, weights):
    cdef int64_t low1, low2, high1, high2, lowest, highest
    cdef int64_t table[(MOST_LABELS + 1) * (MOST_LABELS + 1)]
    if not range_of(first, n, &low1, &high1) or not range_of(second, n, &low2, &high2):
        return None
    lowest, highest = min(low1, low2), max(high1, high2)
    cdef uint64_t span = <uint64_t> highest - <uint64_t> lowest
    if span == 0 or span >= MOST_LABELS:
        return None
    # Each column keeps to its own type's range, as the kernels ask for.
    first.lowest, first.n_labels = <uint64_t> low1, <uint64_t> (high1 - low1 + 1)
    second.lowest, second.n_labels = <uint64_t> low2, <uint64_t> (high2 - low2 + 1)
    memset(table, 0, (first.n_labels + 1) * (second.n_labels + 1) * sizeof(int64_t))
    add_pairs(first, second, 0, n, table)
    return kappa_of_table(
        table,
        first.n_labels,
        second.n_labels,
        low1 - lowest,
        low2 - lowest,
        span + 1,
        n,
        weights,
    )


cdef object kappa_of_table(
    const int64_t *table,
    Py_ssize_t n_rows,
    Py_ssize_t n_columns,
    Py_ssize_t first_row,
    Py_ssize_t first_column,
    Py_ssize_t span,
    int64_t n,
    weights,
):
    """Return kappa of a table whose last row and column are empty."""
    cdef int64_t rows[MOST_LABELS]
    cdef int64_t columns[MOST_LABELS]
    cdef int64_t position[MOST_LABELS]
    cdef int64_t agreeing = 0, products = 0, distances = 0, moment1 = 0, moment2 = 0, squares = 0
    cdef int64_t below1 = 0, below2 = 0, by_chance = 0, difference, expected, count
    cdef Py_ssize_t i, j, n_labels = 0
    memset(rows, 0, sizeof(rows))
    memset(columns, 0, sizeof(columns))
    for i in range(n_rows):
        for j in range(n_columns):
            count = table[i * (n_columns + 1) + j]
            rows[first_row + i] += count
            columns[first_column + j] += count
    # Weights are on the positions of the labels that occur.
    for i in range(span):
        position[i] = n_labels
        n_labels += rows[i] + columns[i] > 0
    for i in range(n_rows):
        for j in range(n_columns):
            count = table[i * (n_columns + 1) + j]
            agreeing += count * (first_row + i == first_column + j)
            products += count * position[first_row + i] * position[first_column + j]
            distances += count * abs(position[first_row + i] - position[first_column + j])
    for i in range(span):
        moment1 += position[i] * rows[i]
        moment2 += position[i] * columns[i]
        squares += position[i] * position[i] * (rows[i] + columns[i])
        if weights is None:
            by_chance += rows[i] * columns[i]
        elif rows[i] + columns[i] > 0:
            below1 += rows[i]
            below2 += columns[i]
            by_chance += below1 * (n - below2) + below2 * (n - below1)
    if weights is None:
        difference, expected = n * agreeing - by_chance, n * n - by_chance
    elif weights == "linear":
        difference, expected = by_chance - n * distances, by_chance
    elif weights == "quadratic":
        difference = 2 * (n * products - moment1 * moment2)
        expected = n * squares - 2 * moment1 * moment2
    else:
        return None
    if expected == 0:
        return None
    return <double> difference / <double> expected
