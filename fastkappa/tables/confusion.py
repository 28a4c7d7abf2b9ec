"""The public function that counts the confusion table of two array-likes."""

from __future__ import annotations

from typing import Any

from fastkappa.kernels.dispatch import Backend, get_kernels
from fastkappa.kernels.threads import resolve_num_threads
from fastkappa.ratings.read import read
from fastkappa.tables.count import ConfusionCounts, in_int64, tabulate
from fastkappa.tables.doubtful_orders import judge_order
from fastkappa.tables.doubtful_tables import judge_table
from fastkappa.tables.known_labels import known_labels

NOT_MISSING = (
    "leave out such items, or use ConfusionAccumulator, whose update(..., missing='drop')"
    " leaves them out and counts them."
)


def confusion_counts(
    y1: Any,
    y2: Any = None,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    backend: Backend | None = None,
    num_threads: int | None = None,
) -> ConfusionCounts:
    """Count how often each pair of labels was given to the same item.

    Parameters
    ----------
    y1, y2 : array-like of shape (n,)
        The ratings of two raters: integers of any dtype, whole floats, booleans, strings or dates.
        Ratings can be NumPy arrays, lists, pandas, polars or pyarrow columns, and objects that
        export their memory with the Arrow or DLPack protocols. Integer arrays are read in place,
        with any stride or byte order. Arrays of whole numbers on the same device, such as tensors
        on a GPU, are counted there by their own library.
    labels : array-like of shape (l,), default=None
        The labels of the table, in this order. None means the labels that occur, sorted.
    sample_weight : array-like of shape (n,), default=None
        Item weights. The table then contains sums of weights instead of counts: exact sums for
        integers, float64 sums for floats.
    backend : {'cython', 'numba', 'numpy'}, default=None
        If None, the environment variable ``FASTKAPPA_BACKEND`` chooses the backend. If it is not
        set, the fastest installed backend is used.
    num_threads : int, default=None
        The maximum number of threads. None means as many as ``OMP_NUM_THREADS``, the cores and the
        CPU quota allow.

    Returns
    -------
    counts : ConfusionCounts
        A named tuple ``(table, labels, n_outside)``.

    Raises
    ------
    ValueError
        If the lengths differ, a rating is missing or is not a class label, labels repeat, or
        weights are not finite.
    OverflowError
        If a sum of integer item weights does not fit in int64.
    ImportError
        If the requested backend is not installed.

    Examples
    --------
    >>> from fastkappa import confusion_counts
    >>> counts = confusion_counts([1, 2, 3, 3], [1, 3, 3, 2])
    >>> counts.table
    array([[1, 0, 0],
           [0, 0, 1],
           [0, 1, 1]])
    >>> counts.labels
    array([1, 2, 3])
    >>> confusion_counts([1, 2, 3, 3], [1, 3, 3, 2], labels=[3, 2]).n_outside
    1
    """
    kernels = get_kernels(backend)
    threads = resolve_num_threads(num_threads)
    given = {"y1": y1, "y2": y2}
    items = read(given, labels, sample_weight=sample_weight, may_be_empty=True, remedy=NOT_MISSING)
    columns = items.columns["y1"], items.columns["y2"]
    counts = in_int64(tabulate(kernels, *columns, known_labels(items), items.weights, threads))
    # The result contains the number of items outside the labels, so no warning about it is needed.
    judge_table(counts.labels, counts.table, are_given=labels is not None)
    judge_order(counts.table, *columns)
    return counts
