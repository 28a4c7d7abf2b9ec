"""Compute the confusion matrix of two arrays inside compiled loops."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import overload

from fastkappa.arrays import AnyArray, IntTable
from fastkappa.jit.compiling import borrowed, exactly, out_of_line
from fastkappa.kernels.numba import loops, popcount
from fastkappa.kernels.numba.columns import ArrayView, address_of
from fastkappa.tables.count import confusion_counts

# The smallest number of pairs for which the fast kernel is worthwhile. The kernel must first set up
# counters and fill two blocks.
LONG = 8192
LABELS_OUTSIDE = (
    "labels must be 0 to n_labels - 1, but an item has a different label. Number the labels from 0,"
    " or leave out such items with drop_outside=True"
)

_are_few = exactly(popcount.are_few)


def confusion_matrix(
    y1: AnyArray, y2: AnyArray, n_labels: int, drop_outside: bool = False
) -> IntTable:
    """Count how often each pair of labels was given to the same item.

    Call this function from functions that are compiled with ``@numba.njit``.

    Parameters
    ----------
    y1, y2 : ndarray of shape (n,)
        Labels from 0 to ``n_labels - 1``, as booleans or as integers of any type. The arrays can be
        contiguous or strided.
    n_labels : int
        The number of labels, at least 1.
    drop_outside : bool, default=False
        Whether to leave out items that have a label outside the range 0 to ``n_labels - 1`` in
        either array. The number of items left out is ``len(y1) - table.sum()``. By default, such an
        item raises an error.

    Returns
    -------
    table : ndarray of shape (n_labels, n_labels), int64
        ``table[i, j]`` is the number of items with label i in ``y1`` and label j in ``y2``.

    Raises
    ------
    ValueError
        If the lengths differ, if ``n_labels`` is less than 1, or if an item has a label outside the
        range 0 to ``n_labels - 1`` and ``drop_outside`` is False.
    numba.TypingError
        At compile time, if an array is not one-dimensional or does not contain integers.

    Examples
    --------
    >>> import numba, numpy as np
    >>> from fastkappa.jit import confusion_matrix
    >>> @numba.njit
    ... def agreeing(y1, y2):
    ...     return np.diag(confusion_matrix(y1, y2, 3)).sum()
    >>> agreeing(np.array([0, 1, 2, 2]), np.array([0, 2, 2, 1]))
    2
    """
    if operator.index(n_labels) < 1:
        raise ValueError("n_labels must be at least 1")
    counts = confusion_counts(y1, y2, labels=np.arange(n_labels))
    if counts.n_outside and not drop_outside:
        raise ValueError(LABELS_OUTSIDE)
    table: IntTable = counts.table
    return table


@overload(confusion_matrix, strict=False)
def _compile_confusion_matrix(y1: Any, y2: Any, n_labels: Any, *_: Any, **__: Any) -> Any:
    # *_ and **__ stand for arguments whose names and defaults numba takes from `compiled` below.
    check_labels("y1", y1)
    check_labels("y2", y2)
    if not isinstance(n_labels, types.Integer):
        raise TypingError(f"n_labels must be an integer, got {n_labels}")

    def compiled(y1: Any, y2: Any, n_labels: Any, drop_outside: Any = False) -> Any:
        return count(borrowed(y1), borrowed(y2), n_labels, drop_outside)

    return compiled


def check_labels(name: str, labels: Any) -> None:
    """Raise TypingError at compile time unless a numba type can be an array of labels."""
    of_integers = isinstance(labels, types.Array) and isinstance(
        labels.dtype, (types.Integer, types.Boolean)
    )
    if not of_integers or labels.ndim != 1:
        raise TypingError(f"{name} must be a one-dimensional array of integers, got {labels}")


@exactly
def count(y1: Any, y2: Any, n_labels: int, drop_outside: bool) -> Any:
    n_items = len(y1)
    if n_items != len(y2):
        raise ValueError("y1 and y2 must have the same length")
    if n_labels < 1:
        raise ValueError("n_labels must be at least 1")
    if n_items >= LONG and _are_few(n_labels, n_labels):
        return _count_many_items(y1, y2, n_labels, drop_outside)
    # The loop is also used for many labels, because the kernel for many labels, `count_many`, is
    # hardly faster and is slow to compile.
    table = np.zeros((n_labels, n_labels), np.int64)
    beyond = np.uint64(n_labels)
    for i in range(n_items):
        # Converted to unsigned integers, negative labels become large, so one test rejects all
        # labels out of range. Testing both labels at once saves 20 % of the time.
        row, column = np.uint64(y1[i]), np.uint64(y2[i])
        if max(row, column) < beyond:
            table[row, column] += 1
        # The error is raised at once, because counting the items with other labels and raising it
        # only after the loop would be 12 % slower.
        elif not drop_outside:
            raise ValueError(LABELS_OUTSIDE)
    return table


@exactly
def _count_many_items(y1: Any, y2: Any, n_labels: int, drop_outside: bool) -> Any:
    out_of_line()
    # The last row and the last column count items with a label that is out of range.
    table = np.zeros((n_labels + 1, n_labels + 1), np.int64)
    views = (view_of(y1, n_labels), view_of(y2, n_labels))
    loops.count_few(views, table, 0, len(y1))
    if (table[n_labels].any() or table[:, n_labels].any()) and not drop_outside:
        raise ValueError(LABELS_OUTSIDE)
    return table[:n_labels, :n_labels].copy()


@exactly
def code(label: Any, n_labels: int) -> Any:
    """Return the label, or ``n_labels`` if it is negative or too large."""
    unsigned = np.uint64(label)
    return np.intp(unsigned) if unsigned < np.uint64(n_labels) else n_labels


@exactly
def view_of(labels: Any, n_labels: int) -> Any:
    """Describe an array by its address and sizes, as the kernels expect."""
    return ArrayView(address_of(labels), labels.strides[0], labels.itemsize, 0, int(n_labels))
