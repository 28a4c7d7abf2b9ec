"""The confusion table of two arrays, inside compiled loops."""

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
from fastkappa.tables.confusion import confusion_counts

# Fewer pairs are counted before the fast kernel has set up its counters, and filled two blocks.
LONG = 8192
LABELS_OUTSIDE = (
    "labels must be 0 to n_labels - 1, and an item has another one: number labels from 0, or"
    " leave such items out with drop_outside=True"
)

_are_few = exactly(popcount.are_few)


def confusion_matrix(
    y1: AnyArray, y2: AnyArray, n_labels: int, drop_outside: bool = False
) -> IntTable:
    """Count how often each pair of labels was given to the same item.

    For use inside ``@numba.njit`` functions.

    Parameters
    ----------
    y1, y2 : ndarray of shape (n,)
        Labels 0 to n_labels - 1: integers of any type, or booleans, contiguous or strided.
    n_labels : int
        The number of labels, at least 1.
    drop_outside : bool, default=False
        Whether to leave out items with another label in either array, of which there are
        ``len(y1) - table.sum()``. They are an error otherwise.

    Returns
    -------
    table : ndarray of shape (n_labels, n_labels), int64
        Row i, column j counts the items with label i in ``y1`` and j in ``y2``.

    Raises
    ------
    ValueError
        If the lengths differ, there is no label, or an item has another one.
    numba.TypingError
        When it is compiled, for arrays that are not one-dimensional and of integers.

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
    # numba takes the names and defaults of further arguments from the function that it compiles.
    check_labels("y1", y1)
    check_labels("y2", y2)
    if not isinstance(n_labels, types.Integer):
        raise TypingError(f"n_labels must be an integer, got {n_labels}")

    def compiled(y1: Any, y2: Any, n_labels: Any, drop_outside: Any = False) -> Any:
        return count(borrowed(y1), borrowed(y2), n_labels, drop_outside)

    return compiled


def check_labels(name: str, labels: Any) -> None:
    """Raise, while numba compiles, unless a type is that of an array of labels."""
    of_integers = isinstance(labels, types.Array) and isinstance(
        labels.dtype, (types.Integer, types.Boolean)
    )
    if not of_integers or labels.ndim != 1:
        raise TypingError(f"{name} must be a one-dimensional array of integers, got {labels}")


@exactly
def count(y1: Any, y2: Any, n_labels: int, drop_outside: bool) -> Any:
    n_items = len(y1)
    if n_items != len(y2):
        raise ValueError("y1 and y2 must be of the same length")
    if n_labels < 1:
        raise ValueError("n_labels must be at least 1")
    if n_items >= LONG and _are_few(n_labels, n_labels):
        return _count_many_items(y1, y2, n_labels, drop_outside)
    # For more labels the package's other kernel gains little, and takes long to compile.
    table = np.zeros((n_labels, n_labels), np.int64)
    beyond = np.uint64(n_labels)
    for i in range(n_items):
        # As unsigned, negative labels are large. One test of both is a fifth faster than two.
        row, column = np.uint64(y1[i]), np.uint64(y2[i])
        if max(row, column) < beyond:
            table[row, column] += 1
        elif not drop_outside:  # to count them for later would take an eighth longer
            raise ValueError(LABELS_OUTSIDE)
    return table


@exactly
def _count_many_items(y1: Any, y2: Any, n_labels: int, drop_outside: bool) -> Any:
    out_of_line()
    # Items with a label outside are counted in the last row and the last column.
    table = np.zeros((n_labels + 1, n_labels + 1), np.int64)
    views = (view_of(y1, n_labels), view_of(y2, n_labels))
    loops.count_few(views, table, 0, len(y1))
    if (table[n_labels].any() or table[:, n_labels].any()) and not drop_outside:
        raise ValueError(LABELS_OUTSIDE)
    return table[:n_labels, :n_labels].copy()


@exactly
def code(label: Any, n_labels: int) -> Any:
    """Return the label, or ``n_labels`` for one outside: as unsigned, negative ones are large."""
    unsigned = np.uint64(label)
    return np.intp(unsigned) if unsigned < np.uint64(n_labels) else n_labels


@exactly
def view_of(labels: Any, n_labels: int) -> Any:
    """Describe an array to the kernels, which take addresses and sizes."""
    return ArrayView(address_of(labels), labels.strides[0], labels.itemsize, 0, int(n_labels))
