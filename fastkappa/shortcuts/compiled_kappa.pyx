# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Two short integer arrays to kappa in one compiled call, where microseconds count.

For everything else, and for every error and warning, the general way is taken. Up to the
sizes given here every sum is a whole number under 2**53, so one division of doubles
rounds correctly and gives the same value as the general way.
"""

from cpython.buffer cimport PyBuffer_Release
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from fastkappa.kernels.cython.pairs cimport add_pairs, column_t, read_column

from numpy import ndarray


cdef extern from "common/range.h" nogil:
    int range_of(const column_t *column, Py_ssize_t n, int64_t *least, int64_t *largest)


cdef enum:
    # More items are divided among threads.
    LARGEST_CALL = 1 << 20
    # From this many items on, the GIL is released.
    LONG_CALL = 1 << 14
    SAMPLE = 128
    # The items of a longer array that are counted first, to find invalid ones at once.
    HEAD = 1 << 12
    MOST_LABELS = 32

cdef enum:
    UNWEIGHTED
    LINEAR
    QUADRATIC
    OTHER


cdef struct Margins:
    int64_t rows[MOST_LABELS]
    int64_t columns[MOST_LABELS]


cdef int code_of_weights(weights):
    if weights is None:
        return UNWEIGHTED
    if type(weights) is not str:
        return OTHER
    return LINEAR if weights == "linear" else QUADRATIC if weights == "quadratic" else OTHER


def kappa_of_arrays(y1, y2, weights):
    """Return kappa of the labels that occur, or None where this is not the simple case.

    The simple case: two contiguous integer arrays of one length, up to 1 048 576 items, with 2
    to 32 labels close together, and weights None, 'linear' or 'quadratic'.
    """
    cdef Py_buffer view1, view2
    cdef column_t first, second
    cdef object kappa = None
    cdef int code = code_of_weights(weights)
    if type(y1) is not ndarray or type(y2) is not ndarray or code == OTHER:
        return None
    try:
        read_column(y1, 0, 0, &first, &view1)
    except (TypeError, ValueError):
        return None
    try:
        read_column(y2, 0, 0, &second, &view2)
    except (TypeError, ValueError):
        PyBuffer_Release(&view1)
        return None
    if 0 < view1.shape[0] <= LARGEST_CALL and view1.shape[0] == view2.shape[0]:
        kappa = kappa_of_columns(&first, &second, view1.shape[0], code)
    PyBuffer_Release(&view2)
    PyBuffer_Release(&view1)
    return kappa


cdef object kappa_of_columns(column_t *first, column_t *second, Py_ssize_t n, int weights):
    cdef int64_t low1, low2, high1, high2, lowest, highest
    cdef int64_t position[MOST_LABELS]
    cdef int64_t table[(MOST_LABELS + 1) * (MOST_LABELS + 1)]
    cdef Margins margins
    cdef uint64_t span
    cdef double kappa
    cdef Py_ssize_t i, n_seen, n_labels = 0
    # The first items show the labels, as a rule; the count shows it if they did not.
    for n_seen in (min(n, SAMPLE), n):
        if not range_of(first, n_seen, &low1, &high1):
            return None
        if not range_of(second, n_seen, &low2, &high2):
            return None
        lowest, highest = min(low1, low2), max(high1, high2)
        span = <uint64_t> highest - <uint64_t> lowest
        if span >= MOST_LABELS:
            return None
        # Each column keeps to the range of its own type, as the kernels require.
        first.lowest, first.n_labels = <uint64_t> low1, <uint64_t> (high1 - low1 + 1)
        second.lowest, second.n_labels = <uint64_t> low2, <uint64_t> (high2 - low2 + 1)
        memset(table, 0, (first.n_labels + 1) * (second.n_labels + 1) * sizeof(int64_t))
        count(first, second, n, table)
        if not has_outsiders(table, first.n_labels, second.n_labels):
            break
    else:
        # Ratings that changed since their range was found: the general way says so.
        return None
    if span == 0:
        return None
    read_margins(table, first, second, low1 - lowest, low2 - lowest, span + 1, &margins)
    # Weights are on the positions of the labels that occur.
    for i in range(span + 1):
        position[i] = n_labels
        n_labels += margins.rows[i] + margins.columns[i] > 0
    if not kappa_of_table(
        table, first, second, low1 - lowest, low2 - lowest, position, span + 1, n, &margins,
        weights, &kappa,
    ):
        return None
    return kappa


cdef void count(
    const column_t *first, const column_t *second, Py_ssize_t n, int64_t *table
) noexcept:
    if n < LONG_CALL:
        add_pairs(first, second, 0, n, table)
        return
    with nogil:
        add_pairs(first, second, 0, n, table)


cdef bint has_outsiders(const int64_t *table, Py_ssize_t n_rows, Py_ssize_t n_columns) noexcept:
    """Return whether the last row or the last column of a table counts anything."""
    cdef Py_ssize_t i
    for i in range(n_rows):
        if table[i * (n_columns + 1) + n_columns]:
            return True
    for i in range(n_columns + 1):
        if table[n_rows * (n_columns + 1) + i]:
            return True
    return False


cdef void read_margins(
    const int64_t *table,
    const column_t *first,
    const column_t *second,
    Py_ssize_t first_row,
    Py_ssize_t first_column,
    Py_ssize_t span,
    Margins *margins,
) noexcept nogil:
    """Add up a table whose rows and columns begin at given places among the labels."""
    cdef Py_ssize_t i, j
    cdef int64_t count
    memset(margins.rows, 0, span * sizeof(int64_t))
    memset(margins.columns, 0, span * sizeof(int64_t))
    for i in range(<Py_ssize_t> first.n_labels):
        for j in range(<Py_ssize_t> second.n_labels):
            count = table[i * (<Py_ssize_t> second.n_labels + 1) + j]
            margins.rows[first_row + i] += count
            margins.columns[first_column + j] += count


cdef bint kappa_of_table(
    const int64_t *table,
    const column_t *first,
    const column_t *second,
    Py_ssize_t first_row,
    Py_ssize_t first_column,
    const int64_t *position,
    Py_ssize_t span,
    int64_t n,
    const Margins *margins,
    int weights,
    double *kappa,
) noexcept nogil:
    """Give kappa as fastkappa.statistics.kappa does; return 0 where it is undefined."""
    cdef int64_t agreeing = 0, products = 0, distances = 0, by_chance = 0
    cdef int64_t moment1 = 0, moment2 = 0, squares = 0, below1 = 0, below2 = 0
    cdef int64_t row, column, count, difference = 0, expected = 0
    cdef Py_ssize_t i, j
    for i in range(<Py_ssize_t> first.n_labels):
        row = position[first_row + i]
        for j in range(<Py_ssize_t> second.n_labels):
            count = table[i * (<Py_ssize_t> second.n_labels + 1) + j]
            column = position[first_column + j]
            if weights == UNWEIGHTED:
                agreeing += count * (first_row + i == first_column + j)
            elif weights == LINEAR:
                distances += count * (row - column if row > column else column - row)
            elif weights == QUADRATIC:
                products += count * row * column
    for i in range(span):
        if weights == UNWEIGHTED:
            by_chance += margins.rows[i] * margins.columns[i]
        elif weights == LINEAR:
            # Labels that do not occur are no cut points; they add nothing new.
            if i + 1 < span and position[i + 1] == position[i]:
                continue
            below1 += margins.rows[i]
            below2 += margins.columns[i]
            by_chance += below1 * (n - below2) + below2 * (n - below1)
        elif weights == QUADRATIC:
            moment1 += position[i] * margins.rows[i]
            moment2 += position[i] * margins.columns[i]
            squares += position[i] * position[i] * (margins.rows[i] + margins.columns[i])
    if weights == UNWEIGHTED:
        difference, expected = n * agreeing - by_chance, n * n - by_chance
    elif weights == LINEAR:
        difference, expected = by_chance - n * distances, by_chance
    elif weights == QUADRATIC:
        difference = 2 * (n * products - moment1 * moment2)
        expected = n * squares - 2 * moment1 * moment2
    if expected == 0:
        return 0
    kappa[0] = <double> difference / <double> expected
    return 1


cdef class CompiledScorer:
    """Kappa of arrays whose labels are consecutive whole numbers, all known beforehand.

    ``general`` is the scorer for everything else: long arrays, errors, undefined kappa.
    """

    cdef readonly object general
    cdef int64_t lowest
    cdef int64_t n_labels
    cdef int weights
    cdef int kind
    cdef int64_t position[MOST_LABELS]

    def __init__(self, general, int64_t lowest, int64_t n_labels, weights, empty):
        cdef Py_buffer view
        cdef column_t column
        read_column(empty, 0, 0, &column, &view)
        PyBuffer_Release(&view)
        self.general = general
        self.lowest, self.n_labels = lowest, n_labels
        self.weights = code_of_weights(weights)
        self.kind = column.kind
        for i in range(n_labels):
            self.position[i] = i

    @staticmethod
    def supports(int64_t n_labels, weights):
        """Return whether kappa of this many labels with these weights can be computed here."""
        return 1 < n_labels <= MOST_LABELS and code_of_weights(weights) != OTHER

    def __call__(self, y1, y2):
        """Return kappa of two arrays."""
        cdef Py_buffer view1, view2
        cdef column_t first, second
        cdef bint done = False
        cdef double kappa
        if type(y1) is not ndarray or type(y2) is not ndarray:
            return self.general(y1, y2)
        try:
            read_column(y1, 0, self.n_labels, &first, &view1)
        except (TypeError, ValueError):
            return self.general(y1, y2)
        try:
            read_column(y2, 0, self.n_labels, &second, &view2)
        except (TypeError, ValueError):
            PyBuffer_Release(&view1)
            return self.general(y1, y2)
        cdef Py_ssize_t n = view1.shape[0], n_counted = 0
        if view1.shape[0] == view2.shape[0] and first.kind == self.kind == second.kind:
            n_counted = n if n <= LARGEST_CALL else HEAD
            done = self.score(&first, &second, n_counted, &kappa)
        PyBuffer_Release(&view2)
        PyBuffer_Release(&view1)
        if done and n_counted == n:
            return kappa
        if not done and n_counted < n:
            # Report a rating outside the labels without counting all the others.
            self.general.refuse_outsiders(y1[:n_counted], y2[:n_counted])
        return self.general(y1, y2)

    cdef bint score(
        self, column_t *first, column_t *second, Py_ssize_t n, double *kappa
    ) noexcept:
        cdef int64_t table[(MOST_LABELS + 1) * (MOST_LABELS + 1)]
        cdef Margins margins
        cdef Py_ssize_t width = self.n_labels + 1
        first.lowest = second.lowest = <uint64_t> self.lowest
        memset(table, 0, width * width * sizeof(int64_t))
        count(first, second, n, table)
        if has_outsiders(table, self.n_labels, self.n_labels):
            return 0
        read_margins(table, first, second, 0, 0, self.n_labels, &margins)
        return kappa_of_table(
            table, first, second, 0, 0, self.position, self.n_labels, n, &margins,
            self.weights, kappa,
        )

    def __getattr__(self, name):
        return getattr(self.general, name)

    def __reduce__(self):
        return self.general.__reduce__()
