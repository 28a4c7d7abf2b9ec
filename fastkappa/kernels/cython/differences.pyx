# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""Compute differences of rows in C; see `fastkappa.kernels.contract`."""


cdef extern from "differences/largest.h" nogil:
    void c_largest_differences "largest_differences" (
        const float *, Py_ssize_t, const float *, Py_ssize_t, Py_ssize_t, Py_ssize_t, float *
    ) noexcept


def largest_differences(
    const float[:, ::1] rows, const float[:, ::1] factors, Py_ssize_t start, float[::1] largest
):
    """Update the largest scaled difference of some rows from all rows before them, per column."""
    cdef Py_ssize_t stop = start + factors.shape[0]
    if not 0 <= start <= stop <= rows.shape[0] or factors.shape[1] < stop:
        raise ValueError("there must be a factor for each row and each row before it")
    if largest.shape[0] != rows.shape[1]:
        raise ValueError("there must be a largest difference for each column")
    if start < stop and rows.shape[1]:
        with nogil:
            c_largest_differences(
                &rows[0, 0], rows.shape[1], &factors[0, 0], factors.shape[1], start, stop,
                &largest[0],
            )
