# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False, cdivision=True
"""Compute kappa from two integer arrays in one compiled call, to make short and frequent calls fast.

The general path handles all other input, errors and warnings. Both paths compute the same value, because all sums here
are exact integers. In short calls, the sums are below 2**53, so one float64 division rounds correctly. In long calls,
they are below 2**63, and Python divides the integers.
"""

cimport cython
from cpython.object cimport PyObject
from cpython.pythread cimport PyThread_get_thread_ident
from libc.math cimport NAN
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from fastkappa.kernels.cython.pairs cimport (
    COLUMN_FLOAT32, COLUMN_UINT8, add_pairs, column_t, is_boolean, read_array,
)
from fastkappa.shortcuts.sharing cimport share_called
from fastkappa.shortcuts.small_table cimport (
    DEFINED, MOST_LABELS, OUTSIDE, UNDEFINED, Outcome, Quotient, Table, has_outsiders, kappa_of_table,
)

import sys

import numpy as np

from fastkappa.statistics.kappa import kappas


cdef extern from "common/column.h" nogil:
    size_t element_width(int kind)

cdef extern from "Python.h":
    ctypedef struct PyMethodDef:
        const char *ml_name
    ctypedef struct PyCFunctionObject:
        PyMethodDef *m_ml
    int PyModule_AddFunctions(object module, PyMethodDef *functions) except -1


cdef extern from "common/range.h" nogil:
    int range_of(const column_t *column, Py_ssize_t n, int64_t *least, int64_t *largest)

cdef extern from "pairs/short.h" nogil:
    enum:
        SHORT_LABELS
        SHORT_CALL
    int count_short(
        const column_t *a, const column_t *b, Py_ssize_t start, Py_ssize_t stop, int64_t *table
    )


cdef enum:
    # Calls with more items than this use the general path, which can use several threads.
    LARGEST_CALL = 1 << 20
    # With few labels, calls with up to this many bytes are also handled here, because the loop is
    # memory-bound and a second thread hardly helps.
    MOST_BYTES = 1 << 25
    # With more labels than this, long calls use the general path, which sums moments.
    FEW_LABELS = 8
    LARGEST_CALL_OF_FEW = MOST_BYTES // 2
    # the smallest number of items for which a call releases the GIL
    LONG_CALL = 1 << 14
    SAMPLE = 128
    # The number of items at the start of a longer array that are counted first, to find invalid items early.
    HEAD = 1 << 12

cdef type ARRAY = np.ndarray
cdef object SCHEMES = (None, "linear", "quadratic")
cdef object SEQUENCES = (list, tuple, range)


cdef int code_of_weights(weights):
    if weights is None:
        return UNWEIGHTED
    if type(weights) is not str:
        return OTHER
    return LINEAR if weights == "linear" else QUADRATIC if weights == "quadratic" else OTHER


@cython.binding(False)
def kappa_of_arrays(y1, y2, weights, labels):
    """Return kappa, or None if the arrays need the general path.

    This path handles two arrays or pandas Series of equal length with weights None, 'linear' or
    'quadratic'. If ``labels`` is None, kappa is computed for the labels that occur. The dtypes must be integers. There
    can be up to 1 048 576 items with labels in a range of up to 32 integers, or up to 16 777 216 items with labels in a
    range of up to 8 integers. If ``labels`` are given, they are up to 32 consecutive integers, and no other label may
    occur.
    """
    cdef column_t first, second
    cdef Py_ssize_t n
    cdef Quotient kappa
    cdef int64_t lowest = 0, n_labels = 0
    cdef int code = code_of_weights(weights)
    cdef object values1 = values_of(y1), values2 = values_of(y2)
    if type(values1) is not ARRAY or type(values2) is not ARRAY or code == OTHER:
        return None
    if labels is not None and not read_consecutive(labels, &lowest, &n_labels):
        return None
    try:
        n = read_array(values1, lowest, n_labels, &first)
        if not 0 < n <= LARGEST_CALL_OF_FEW or read_array(values2, lowest, n_labels, &second) != n:
            return None
    except TypeError:
        return None
    cdef bint done, are_bits1 = not is_boolean(values1), are_bits2 = not is_boolean(values2)
    if not (are_bits1 and are_bits2):
        with nogil:
            done = (are_bits1 or has_bits(&first, n)) and (are_bits2 or has_bits(&second, n))
        if not done:
            return None
    if n_labels and not (
        holds_labels(&first) and holds_labels(&second) and is_for_one_thread(&first, &second, n, n_labels)
    ):
        return None
    if n < LONG_CALL:
        done = kappa_of_read(&first, &second, n, n_labels, code, &kappa)
        return rounded(kappa) if done else None
    with nogil:
        done = kappa_of_read(&first, &second, n, n_labels, code, &kappa)
    return kappa_of_quotient(kappa, n) if done else None


cdef object values_of(ratings):
    """Return the array of a pandas Series of numbers, and other ratings unchanged."""
    if type(ratings) is ARRAY:
        return ratings
    pandas = sys.modules.get("pandas")
    is_series = pandas is not None and type(ratings) is getattr(pandas, "Series", None)
    return ratings.values if is_series and ratings.dtype.kind in "iubf" else ratings


cdef bint read_consecutive(labels, int64_t *lowest, int64_t *n_labels) except -1:
    """Set the lowest label and the number of labels; return 0 if they are not consecutive integers."""
    if type(labels) is ARRAY and labels.ndim == 1 and labels.size <= MOST_LABELS:
        labels = labels.tolist()
    if type(labels) not in SEQUENCES or not 1 < len(labels) <= MOST_LABELS:
        return 0
    first = labels[0]
    for i, label in enumerate(labels):
        if type(label) is not int or label != first + i:
            return 0
    try:
        lowest[0] = first
    except OverflowError:
        return 0
    n_labels[0] = len(labels)
    return 1


cdef inline bint kappa_of_read(
    column_t *first, column_t *second, Py_ssize_t n, int64_t n_labels, int weights, Quotient *kappa
) noexcept nogil:
    """Set kappa of the labels that occur, or of known labels; return 0 if the general path is needed."""
    if n_labels:
        return kappa_of_known(first, second, 0, n, weights, kappa) == DEFINED
    return kappa_of_occurring(first, second, n, weights, kappa)


cdef bint has_bits(const column_t *column, Py_ssize_t n) noexcept nogil:
    """Return whether a column of booleans can be read and all its bytes are 0 or 1."""
    cdef int64_t lowest, highest
    return range_of(column, n, &lowest, &highest) and highest <= 1


cdef inline double rounded(Quotient kappa) noexcept nogil:
    """Return the float nearest to the kappa of up to LARGEST_CALL pairs."""
    return <double> kappa.difference / <double> kappa.expected


cdef object kappa_of_quotient(Quotient kappa, Py_ssize_t n):
    """Return the float nearest to kappa. Python's division handles any number of pairs."""
    if n <= LARGEST_CALL:
        return rounded(kappa)
    return (<object> kappa.difference) / (<object> kappa.expected)


cdef inline bint is_for_one_thread(
    const column_t *first, const column_t *second, Py_ssize_t n, Py_ssize_t n_labels
) noexcept nogil:
    """Return whether one thread is enough to count these pairs."""
    return n <= LARGEST_CALL or (
        n_labels <= FEW_LABELS
        and n * (element_width(first.kind) + element_width(second.kind)) <= MOST_BYTES
    )


# Functions added through a method table are called without a change to their reference count. In
# free-threaded Python, short calls of ordinary function objects from several threads would contend
# for this count.
cdef PyMethodDef[2] FUNCTIONS
FUNCTIONS[0] = (<PyCFunctionObject *> kappa_of_arrays).m_ml[0]
PyModule_AddFunctions(sys.modules[__name__], FUNCTIONS)


cdef bint kappa_of_occurring(
    column_t *first, column_t *second, Py_ssize_t n, int weights, Quotient *kappa
) noexcept nogil:
    """Set kappa of the labels that occur; return 0 if the general path is needed.

    The general path is also needed if kappa is undefined.
    """
    cdef int64_t low1, low2, high1, high2, lowest, highest
    cdef int64_t counts[(MOST_LABELS + 1) * (MOST_LABELS + 1)]
    cdef Table table
    cdef uint64_t span
    cdef int largest
    cdef Py_ssize_t n_seen = min(n, <Py_ssize_t> SAMPLE)
    if n < SHORT_CALL:
        memset(counts, 0, SHORT_LABELS * SHORT_LABELS * sizeof(int64_t))
        largest = count_short(first, second, 0, n, counts)
        if largest >= 0:
            table = Table(&counts[0], SHORT_LABELS, largest + 1, largest + 1, 0, 0)
            return kappa_of_table(&table, largest + 1, True, n, weights, kappa) == DEFINED
    # The first items usually contain all labels. If they do not, the pairs outside their range are detected after
    # counting, and the range of all items is used instead.
    while True:
        if not range_of(first, n_seen, &low1, &high1):
            return 0
        if not range_of(second, n_seen, &low2, &high2):
            return 0
        lowest, highest = min(low1, low2), max(high1, high2)
        span = <uint64_t> highest - <uint64_t> lowest
        if span >= MOST_LABELS or not is_for_one_thread(first, second, n, span + 1):
            return 0
        # Each column uses its own range, because kernels require labels that fit the type of the column.
        first.lowest, first.n_labels = <uint64_t> low1, <uint64_t> (high1 - low1 + 1)
        second.lowest, second.n_labels = <uint64_t> low2, <uint64_t> (high2 - low2 + 1)
        memset(counts, 0, (first.n_labels + 1) * (second.n_labels + 1) * sizeof(int64_t))
        add_pairs(first, second, 0, n, counts)
        table = Table(
            &counts[0], second.n_labels + 1, first.n_labels, second.n_labels, low1 - lowest, low2 - lowest
        )
        if not has_outsiders(&table, first.n_labels + 1, second.n_labels + 1):
            break
        if n_seen == n:
            # The ratings have changed since their range was determined. The general path reports the error.
            return 0
        n_seen = n
    return kappa_of_table(&table, span + 1, True, n, weights, kappa) == DEFINED


cdef Outcome kappa_of_known(
    const column_t *first,
    const column_t *second,
    Py_ssize_t start,
    Py_ssize_t stop,
    int weights,
    Quotient *kappa,
) noexcept nogil:
    """Set kappa of pairs with known labels, counted in one thread."""
    cdef int64_t counts[(MOST_LABELS + 1) * (MOST_LABELS + 1)]
    cdef Py_ssize_t n_labels = first.n_labels
    cdef int largest = -1
    cdef Table table
    if stop - start < SHORT_CALL:
        memset(counts, 0, SHORT_LABELS * SHORT_LABELS * sizeof(int64_t))
        largest = count_short(first, second, start, stop, counts)
    if largest >= 0:
        n_labels = min(n_labels, largest + 1)
        table = Table(&counts[0], SHORT_LABELS, n_labels, n_labels, 0, 0)
        if has_outsiders(&table, largest + 1, largest + 1):
            return OUTSIDE
    else:
        memset(counts, 0, (n_labels + 1) * (n_labels + 1) * sizeof(int64_t))
        add_pairs(first, second, start, stop, counts)
        table = Table(&counts[0], n_labels + 1, n_labels, n_labels, 0, 0)
        if has_outsiders(&table, n_labels + 1, n_labels + 1):
            return OUTSIDE
    # The labels above the largest label that occurs can be left out, because they do not affect the
    # positions of the other labels.
    return kappa_of_table(&table, n_labels, False, stop - start, weights, kappa)


cdef double kappa_of_pairs(
    const column_t *first, const column_t *second, Py_ssize_t start, Py_ssize_t stop, int weights
) except -2 nogil:
    cdef Outcome outcome
    cdef Quotient kappa
    cdef int64_t *counts
    cdef Py_ssize_t n_labels = first.n_labels, row_length = n_labels + 1
    cdef Table table
    if first.n_labels != second.n_labels or not holds_labels(first) or not holds_labels(second):
        refuse_labels(first, second)
    if stop - start <= LARGEST_CALL and n_labels <= MOST_LABELS:
        outcome = kappa_of_known(first, second, start, stop, weights, &kappa)
        if outcome == OUTSIDE:
            refuse_outsiders(first)
        return rounded(kappa) if outcome == DEFINED else NAN
    counts = <int64_t *> calloc(row_length * row_length, sizeof(int64_t))
    if not counts:
        refuse_size(n_labels)
    try:
        add_pairs(first, second, start, stop, counts)
        table = Table(counts, row_length, n_labels, n_labels, 0, 0)
        if has_outsiders(&table, row_length, row_length):
            refuse_outsiders(first)
        return kappa_of_counts(counts, n_labels, row_length, weights)
    finally:
        free(counts)


cdef double kappa_of_counts(
    const int64_t *table, Py_ssize_t n_labels, Py_ssize_t row_length, int weights
) except -2 nogil:
    cdef Table all = Table(table, row_length, n_labels, n_labels, 0, 0)
    cdef int64_t n = 0, count
    cdef Quotient kappa
    cdef Py_ssize_t i, j
    if n_labels <= MOST_LABELS:
        for i in range(n_labels):
            for j in range(n_labels):
                count = table[i * row_length + j]
                # A negative or very large count makes n too large, so that the general path is used.
                n += count if 0 <= count <= LARGEST_CALL and n <= LARGEST_CALL else LARGEST_CALL + 1
        if n <= LARGEST_CALL:
            if kappa_of_table(&all, n_labels, False, n, weights, &kappa) == UNDEFINED:
                return NAN
            return rounded(kappa)
    return kappa_of_any_counts(table, n_labels, row_length, weights)


cdef double kappa_of_any_counts(
    const int64_t *table, Py_ssize_t n_labels, Py_ssize_t row_length, int weights
) except -2 with gil:
    counts = np.asarray(<const int64_t[:n_labels, :row_length]> table)[:, :n_labels]
    if (counts < 0).any():
        raise ValueError(f"counts must not contain negative numbers, got {counts.min()}")
    return kappas(counts, SCHEMES[weights])


cdef bint holds_labels(const column_t *column) noexcept nogil:
    """Return whether there are labels and the dtype of the column can represent all of them."""
    cdef int64_t lowest = <int64_t> column.lowest, highest = lowest + <int64_t> column.n_labels - 1
    cdef int bits
    if column.n_labels - 1 >= <uint64_t> 0x7FFFFFFF:
        return False
    if column.kind >= COLUMN_FLOAT32:
        return True
    if column.kind >= COLUMN_UINT8:
        bits = 8 << (column.kind - COLUMN_UINT8)
        return bits == 64 or (lowest >= 0 and highest >> bits == 0)
    bits = (8 << column.kind) - 1
    return lowest >> bits == lowest >> 63 and highest >> bits == highest >> 63


cdef int refuse_labels(const column_t *first, const column_t *second) except -1 with gil:
    lowest, n_first, n_second = <int64_t> first.lowest, first.n_labels, second.n_labels
    raise ValueError(
        f"both columns must have the same labels, at least one, and their dtypes must represent all"
        f" labels, got {n_first} and {n_second} labels from {lowest} on"
    )


cdef int refuse_outsiders(const column_t *column) except -1 with gil:
    raise ValueError(
        f"a rating is not among the labels: there are {column.n_labels}, from"
        f" {<int64_t> column.lowest} on"
    )


cdef int refuse_size(Py_ssize_t n_labels) except -1 with gil:
    raise MemoryError(f"not enough memory for a table of {n_labels} labels")


cdef class CompiledScorer:
    """Compute kappa of arrays of one dtype, with labels known in advance; see `compile_scorer`.

    The labels are consecutive integers. ``general`` is the scorer for all other cases: long arrays, errors and
    undefined kappa. ``general`` also provides the name and the signature.
    """

    cdef readonly object general
    cdef object __weakref__
    cdef int64_t lowest
    cdef int64_t n_labels
    cdef int weights
    cdef int kind
    cdef unsigned long maker

    def __init__(self, general, int64_t lowest, int64_t n_labels, weights, empty):
        cdef column_t column
        read_array(empty, 0, 0, &column)
        self.general = general
        self.lowest, self.n_labels = lowest, n_labels
        self.weights = code_of_weights(weights)
        self.kind = column.kind
        self.maker = PyThread_get_thread_ident()

    @staticmethod
    def supports(int64_t n_labels, weights):
        """Return whether the compiled scorer supports this number of labels and these weights."""
        return 1 < n_labels <= MOST_LABELS and code_of_weights(weights) != OTHER

    def __call__(self, y1, y2, *, sample_weight=None):
        """Return kappa of two arrays."""
        cdef column_t first, second
        cdef Outcome outcome
        cdef Quotient kappa
        cdef Py_ssize_t n, n_counted
        share_called(<PyObject *> self, self.maker)
        if type(y1) is not ARRAY or type(y2) is not ARRAY or sample_weight is not None:
            return self.general(y1, y2, sample_weight=sample_weight)
        try:
            n = read_array(y1, self.lowest, self.n_labels, &first)
            if read_array(y2, self.lowest, self.n_labels, &second) != n:
                return self.general(y1, y2)
        except TypeError:
            return self.general(y1, y2)
        if first.kind != self.kind or second.kind != self.kind:
            return self.general(y1, y2)
        n_counted = n if is_for_one_thread(&first, &second, n, self.n_labels) else HEAD
        if n_counted < LONG_CALL:
            outcome = kappa_of_known(&first, &second, 0, n_counted, self.weights, &kappa)
        else:
            with nogil:
                outcome = kappa_of_known(&first, &second, 0, n_counted, self.weights, &kappa)
        if outcome == DEFINED and n_counted == n:
            return kappa_of_quotient(kappa, n)
        if outcome == OUTSIDE and n_counted < n:
            # If a rating is not one of the labels, report it now, without counting the remaining
            # ratings.
            self.general.refuse_outsiders(y1[:n_counted], y2[:n_counted])
        return self.general(y1, y2)

    def __getattr__(self, name):
        return getattr(self.general, name)

    def __repr__(self):
        return repr(self.general)

    def __reduce__(self):
        return self.general.__reduce__()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self
