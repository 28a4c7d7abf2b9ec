# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""Count pairs of strings in CSV lines in C; see `fastkappa.kernels.contract`."""

from libc.stdint cimport int64_t, uint8_t, uint64_t


cdef extern from "csv_lines/count_lines.h" nogil:
    const Py_ssize_t MOST_WORDS, MOST_TEXTS
    ctypedef struct lines_t:
        const uint8_t *text
        Py_ssize_t n_bytes
        uint8_t delimiter
        Py_ssize_t n_fields, first, second
    Py_ssize_t c_count_lines "count_lines" (
        const uint64_t *, Py_ssize_t, Py_ssize_t,
        const uint64_t *, Py_ssize_t, Py_ssize_t,
        const lines_t *, int64_t *
    ) noexcept


def count_lines(
    const uint64_t[:, ::1] rows,
    const uint64_t[:, ::1] columns,
    const uint8_t[::1] text,
    lines,
    int64_t[:, ::1] table,
):
    """Count the two texts of each line; return the number of bytes in the counted lines."""
    cdef lines_t own
    cdef Py_ssize_t n_bytes = 0
    own.delimiter, own.n_fields = lines.delimiter, lines.n_fields
    own.first, own.second = lines.first, lines.second
    # The C kernel treats the bytes after the text as zeros, so the delimiter must not be 0.
    if own.delimiter == 0 or not (0 <= own.first < own.n_fields and 0 <= own.second < own.n_fields):
        raise ValueError("both fields must be within a line, and the delimiter must not be 0")
    if table.shape[0] != rows.shape[0] or table.shape[1] != columns.shape[0]:
        raise ValueError("the table must have a row and a column for each text")
    if not (0 < rows.shape[1] <= MOST_WORDS and 0 < columns.shape[1] <= MOST_WORDS):
        raise ValueError(f"a text must have 1 to {MOST_WORDS} words")
    if max(rows.shape[0], columns.shape[0]) > MOST_TEXTS:
        raise ValueError(f"there must be at most {MOST_TEXTS} texts")
    own.n_bytes = text.shape[0]
    if own.n_bytes and rows.shape[0] and columns.shape[0]:
        own.text = &text[0]
        with nogil:
            n_bytes = c_count_lines(
                &rows[0, 0], rows.shape[0], rows.shape[1],
                &columns[0, 0], columns.shape[0], columns.shape[1],
                &own, &table[0, 0],
            )
    return n_bytes
