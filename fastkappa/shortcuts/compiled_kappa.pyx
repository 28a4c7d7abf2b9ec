# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Two integer arrays of few labels to kappa in one compiled call, where microseconds count.

For everything else, and for every error and warning, the general way is taken. Up to
`LARGEST_CALL` items every sum is a whole number under 2**53, so one division of doubles
rounds correctly and gives the same value as the general way. Longer arrays are counted in
threads, and their sums multiplied and divided by Python.
"""

from cpython.buffer cimport PyBuffer_Release
from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.pythread cimport (
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
    PyThread_type_lock,
    WAIT_LOCK,
)
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from fastkappa.kernels.cython.pairs cimport add_pairs, column_t, read_column

from numpy import ndarray

from fastkappa.kernels.threads import BYTES_WORTH_A_THREAD, available_threads, run_in_threads


cdef extern from "common/range.h" nogil:
    int range_of(const column_t *column, Py_ssize_t n, int64_t *least, int64_t *largest)


cdef enum:
    # The sums of more items are no doubles.
    LARGEST_CALL = 1 << 20
    # Arrays of more bytes are divided among threads, each of which takes so many at a time.
    LARGEST_ALONE = 1 << 22
    BYTES_AT_ONCE = 1 << 18
    # From this many items on, the GIL is released.
    LONG_CALL = 1 << 14
    SAMPLE = 128
    # The items of a longer array that are counted first, to find invalid ones at once.
    HEAD = 1 << 12
    MOST_LABELS = 32
    # Quadratic kappa of long arrays of more labels is found from moments, without a table.
    MOST_QUADRATIC = 8

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

    The simple case: two contiguous integer arrays of one length, with 2 to 32 labels close
    together (8 for quadratic weights of long arrays), and weights None, 'linear' or 'quadratic'.
    """
    cdef Py_buffer view1, view2
    cdef column_t first, second
    cdef Py_ssize_t n
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
    try:
        n = view1.shape[0]
        if n == view2.shape[0] and n > 0:
            if n > LARGEST_CALL or not are_few_bytes(&first, &second, n):
                if guess_labels(&first, &second, n, code):
                    kappa = LongArrays.score(&first, &second, n, code, False)
            if kappa is None and n <= LARGEST_CALL:
                kappa = kappa_of_columns(&first, &second, n, code)
    finally:
        PyBuffer_Release(&view2)
        PyBuffer_Release(&view1)
    return kappa


cdef Py_ssize_t bytes_of_pair(const column_t *first, const column_t *second) noexcept:
    return max(abs(first.stride) + abs(second.stride), 1)


cdef bint are_few_bytes(const column_t *first, const column_t *second, Py_ssize_t n) noexcept:
    """Return whether one thread is enough."""
    return n <= LARGEST_ALONE // bytes_of_pair(first, second)


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


cdef bint has_outsiders(
    const int64_t *table, Py_ssize_t n_rows, Py_ssize_t n_columns
) noexcept nogil:
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
        cdef object of_long = None
        if view1.shape[0] == view2.shape[0] and first.kind == self.kind == second.kind:
            n_counted = n if n <= LARGEST_CALL and are_few_bytes(&first, &second, n) else HEAD
            done = self.score(&first, &second, n_counted, &kappa)
        try:
            if done and n_counted < n:
                of_long = LongArrays.score(&first, &second, n, self.weights, True)
        finally:
            PyBuffer_Release(&view2)
            PyBuffer_Release(&view1)
        if of_long is not None:
            return of_long
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


cdef bint guess_labels(column_t *first, column_t *second, Py_ssize_t n, int weights) noexcept:
    """Set the labels of long columns to those in some places; return 0 if there are many."""
    cdef column_t part
    cdef column_t *column
    cdef int64_t low, high, lowest = 0, highest = 0
    cdef Py_ssize_t start
    cdef uint64_t most = MOST_QUADRATIC if weights == QUADRATIC else MOST_LABELS
    cdef int i
    for i in range(2):
        column = second if i else first
        for start in (0, n // 2, n - HEAD):
            part = column[0]
            part.data += start * part.stride
            if not range_of(&part, HEAD, &low, &high):
                return 0
            lowest, highest = (min(low, lowest), max(high, highest)) if start else (low, high)
            if <uint64_t> highest - <uint64_t> lowest >= most:
                return 0
        column.lowest, column.n_labels = <uint64_t> lowest, <uint64_t> (highest - lowest + 1)
    return 1


cdef class LongArrays:
    """Two long columns, and the ranges of them that threads have taken, without the GIL."""

    cdef column_t first
    cdef column_t second
    cdef Py_ssize_t n_items
    cdef Py_ssize_t n_taken
    cdef Py_ssize_t length
    cdef PyThread_type_lock lock

    def __cinit__(self):
        self.lock = PyThread_allocate_lock()
        if self.lock is NULL:
            raise MemoryError("no lock can be made")

    def __dealloc__(self):
        if self.lock is not NULL:
            PyThread_free_lock(self.lock)

    @staticmethod
    cdef object score(
        const column_t *first, const column_t *second, Py_ssize_t n, int weights, bint are_known
    ):
        """Return kappa, or None if other labels occur than the columns are said to have.

        Weights are on the positions of the labels that occur, or of all if they are known.
        """
        cdef LongArrays arrays = LongArrays()
        arrays.first, arrays.second, arrays.n_items = first[0], second[0], n
        arrays.length = max(1, BYTES_AT_ONCE // bytes_of_pair(first, second))
        n_worth_it = n // max(1, BYTES_WORTH_A_THREAD // bytes_of_pair(first, second))
        threads = max(1, min(available_threads(), n_worth_it))
        # Threads take ranges from here; the one that they are given is all there is.
        return arrays.kappa(run_in_threads(arrays, 1, threads), weights, are_known)

    def __call__(self, ranges):
        """Return the table of one thread, 64-bit numbers."""
        counts = bytearray(8 * (self.first.n_labels + 1) * (self.second.n_labels + 1))
        cdef int64_t *table = <int64_t *> PyByteArray_AS_STRING(counts)
        with nogil:
            self.add_ranges(table)
        return counts

    cdef void add_ranges(self, int64_t *table) noexcept nogil:
        cdef Py_ssize_t start, stop
        while True:
            PyThread_acquire_lock(self.lock, WAIT_LOCK)
            start = self.n_taken
            stop = self.n_taken = min(start + self.length, self.n_items)
            PyThread_release_lock(self.lock)
            if start == stop:
                return
            add_pairs(&self.first, &self.second, start, stop, table)
            if has_outsiders(table, self.first.n_labels, self.second.n_labels):
                PyThread_acquire_lock(self.lock, WAIT_LOCK)
                self.n_taken = self.n_items
                PyThread_release_lock(self.lock)
                return

    cdef object kappa(self, list tables, int weights, bint are_known):
        """Return kappa of the sum of tables, in whole numbers of any size."""
        cdef const int64_t *table
        cdef Py_ssize_t n_columns = self.second.n_labels, i, j
        cdef int64_t low = min(<int64_t> self.first.lowest, <int64_t> self.second.lowest)
        cdef dict cells = {}
        for counts in tables:
            table = <const int64_t *> PyByteArray_AS_STRING(counts)
            if has_outsiders(table, self.first.n_labels, n_columns):
                return None
            for i in range(<Py_ssize_t> self.first.n_labels):
                for j in range(n_columns):
                    if table[i * (n_columns + 1) + j]:
                        cell = (<int64_t> self.first.lowest - low + i,
                                <int64_t> self.second.lowest - low + j)
                        cells[cell] = cells.get(cell, 0) + table[i * (n_columns + 1) + j]
        if not are_known:
            labels = sorted({label for cell in cells for label in cell})
            place = {label: i for i, label in enumerate(labels)}
            cells = {(place[row], place[column]): count for (row, column), count in cells.items()}
        return kappa_of_cells(cells, weights)


cdef object kappa_of_cells(dict cells, int weights):
    """Return kappa of counts by the positions of two labels, or None where it is undefined."""
    rows, columns = {}, {}
    observed = expected = 0
    for (row, column), count in cells.items():
        rows[row] = rows.get(row, 0) + count
        columns[column] = columns.get(column, 0) + count
        observed += disagreement(row, column, weights) * count
    for row, n_row in rows.items():
        for column, n_column in columns.items():
            expected += disagreement(row, column, weights) * n_row * n_column
    if expected == 0:
        return None
    # Python divides whole numbers of any size correctly rounded.
    return (expected - sum(rows.values()) * observed) / expected


cdef object disagreement(Py_ssize_t row, Py_ssize_t column, int weights):
    cdef Py_ssize_t distance = row - column if row > column else column - row
    if weights == UNWEIGHTED:
        return 1 if distance else 0
    return distance if weights == LINEAR else distance * distance
