"""Compute kappa of a small table of counts as a quotient of two integers."""

from libc.stdint cimport int64_t
from libc.string cimport memset

from fastkappa.shortcuts.compiled_kappa cimport LINEAR, UNWEIGHTED

cdef enum:
    MOST_LABELS = 32

cdef enum Outcome:
    DEFINED
    UNDEFINED
    OUTSIDE

# The counts, and the labels of the first row and the first column as distances from the lowest label.
cdef struct Table:
    const int64_t *counts
    Py_ssize_t row_length
    Py_ssize_t n_rows
    Py_ssize_t n_columns
    Py_ssize_t first_row
    Py_ssize_t first_column

# Kappa before it is rounded.
cdef struct Quotient:
    int64_t difference
    int64_t expected


cdef inline bint has_outsiders(
    const Table *table, Py_ssize_t n_rows, Py_ssize_t n_columns
) noexcept nogil:
    """Return whether any pair is counted outside the first n_rows rows and n_columns columns."""
    cdef Py_ssize_t i, j
    for i in range(n_rows):
        for j in range(table.n_columns if i < table.n_rows else 0, n_columns):
            if table.counts[i * table.row_length + j]:
                return True
    return False


cdef inline Outcome kappa_of_table(
    const Table *table, Py_ssize_t n_labels, bint occurring, int64_t n, int weights, Quotient *kappa
) noexcept nogil:
    """Set kappa to the same value as fastkappa.statistics.kappa.

    If ``occurring`` is true, only labels that occur have positions.
    """
    cdef int64_t rows[MOST_LABELS]
    cdef int64_t columns[MOST_LABELS]
    cdef int64_t position[MOST_LABELS]
    cdef int64_t agreeing = 0, products = 0, distances = 0, by_chance = 0
    cdef int64_t moment1 = 0, moment2 = 0, squares = 0, below1 = 0, below2 = 0
    cdef int64_t row, count, in_row, difference, expected
    cdef const int64_t *counts
    cdef Py_ssize_t i, j, n_before = 0
    memset(rows, 0, n_labels * sizeof(int64_t))
    memset(columns, 0, n_labels * sizeof(int64_t))
    for i in range(table.n_rows):
        counts = table.counts + i * table.row_length
        in_row = 0
        for j in range(table.n_columns):
            in_row += counts[j]
            columns[table.first_column + j] += counts[j]
        rows[table.first_row + i] = in_row
    for i in range(n_labels):
        position[i] = n_before
        n_before += not occurring or rows[i] + columns[i] > 0
    if weights == UNWEIGHTED:
        for i in range(n_labels):
            by_chance += rows[i] * columns[i]
            row, j = i - table.first_row, i - table.first_column
            if 0 <= row < table.n_rows and 0 <= j < table.n_columns:
                agreeing += table.counts[row * table.row_length + j]
        difference, expected = n * agreeing - by_chance, n * n - by_chance
    elif weights == LINEAR:
        for i in range(table.n_rows):
            counts = table.counts + i * table.row_length
            row = position[table.first_row + i]
            for j in range(table.n_columns):
                count = position[table.first_column + j] - row
                distances += counts[j] * (count if count > 0 else -count)
        for i in range(n_labels):
            # A label that does not occur has no separate cut point.
            if i + 1 < n_labels and position[i + 1] == position[i]:
                continue
            below1 += rows[i]
            below2 += columns[i]
            by_chance += below1 * (n - below2) + below2 * (n - below1)
        difference, expected = by_chance - n * distances, by_chance
    else:
        for i in range(table.n_rows):
            counts = table.counts + i * table.row_length
            in_row = 0
            for j in range(table.n_columns):
                in_row += counts[j] * position[table.first_column + j]
            products += in_row * position[table.first_row + i]
        for i in range(n_labels):
            moment1 += position[i] * rows[i]
            moment2 += position[i] * columns[i]
            squares += position[i] * position[i] * (rows[i] + columns[i])
        difference = 2 * (n * products - moment1 * moment2)
        expected = n * squares - 2 * moment1 * moment2
    if expected == 0:
        return UNDEFINED
    kappa[0] = Quotient(difference, expected)
    return DEFINED
