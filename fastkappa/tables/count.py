"""Cross-tabulate two columns into a square table with the same labels for rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.exceptions import changed_meanwhile
from fastkappa.formatting import count_text
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.dispatch import Backend, get_kernels
from fastkappa.kernels.threads import resolve_num_threads
from fastkappa.ratings.column import Column
from fastkappa.ratings.doubtful_labels import warn_of_lookalikes
from fastkappa.ratings.read import read
from fastkappa.results.result import Result
from fastkappa.tables.codecs import Codec, expected_codecs
from fastkappa.tables.doubtful_orders import judge_order
from fastkappa.tables.doubtful_tables import Part, judge_parts, judge_table
from fastkappa.tables.item_sums import (
    add_exactly,
    as_int64,
    checked_sums,
    refuse_weighted_and_not,
    whole_sums,
)
from fastkappa.tables.known_labels import Encoding, KnownLabels, known_labels
from fastkappa.tables.table import (
    ConfusionTable,
    positions_in,
    scatter,
    square,
    union_of_labels,
    union_of_tables,
)
from fastkappa.tables.tally import Tally

if TYPE_CHECKING:
    from fastkappa.results.report import Report

NOT_MISSING = (
    "leave out such items, or use ConfusionAccumulator. Its update(..., missing='drop') leaves"
    " them out and reports their number."
)


class _Counts(NamedTuple):
    table: AnyArray
    labels: AnyArray
    n_outside: int


class CountsResult(Result):
    """Base class of named tuples with a table of counts, its labels and numbers of items."""

    __slots__ = ()
    table: AnyArray
    labels: AnyArray
    n_outside: int

    def to_frame(self) -> Any:
        """Return the table as a pandas DataFrame with labeled rows and columns.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        from fastkappa.frame import frame_of_counts
        from fastkappa.results.report import RATERS

        return frame_of_counts(self.table, self.labels, RATERS)

    def __add__(self, other: Any) -> Any:
        """Add the counts of another table. The result has the labels of both tables.

        If the labels differ, they must be sorted, and neither table may leave out any items because
        of their labels.

        Raises
        ------
        OverflowError
            If a sum does not fit in int64.
        TypeError
            If ``other`` is an instance of another class.
        ValueError
            If the labels differ and are unsorted or leave out items, if the labels have different
            types, or if only one of the tables contains sums of item weights.

        Warns
        -----
        UserWarning
            If some labels look alike, or if the two tables seem to use different codes for the
            same labels.
        """
        if type(other) is not type(self):
            if hasattr(self, "from_json") and hasattr(other, "to_json"):
                own, given = type(self).__name__, type(other).__name__
                raise TypeError(
                    f"{own} can be added only to {own}, got {given}: use"
                    f" {own}.from_json(other.to_json())."
                )
            return NotImplemented
        parts = [part_of("the first table", self), part_of("the second table", other)]
        judge_parts(parts, ("y1", "y2"))
        return total_of(self, other)

    def __radd__(self, other: Any) -> Any:
        """Return ``self`` if ``other`` is 0, the start value of `sum`."""
        return self if type(other) is int and other == 0 else super().__radd__(other)


def part_of(name: str, counts: CountsResult) -> Part:
    """Convert counts to a `Part` that holds the number of ratings per rater and label."""
    table = counts.table.astype(float)
    total = table.sum() or 1.0
    # Sums of weights are scaled, so that their total is the number of items.
    table *= getattr(counts, "n_items", total) / total
    labels = counts.labels.tolist()
    return Part(
        name, [{x: n for x, n in zip(labels, table.sum(axis).tolist()) if n} for axis in (1, 0)]
    )


def total_of(first: Any, second: Any) -> Any:
    """Add two tables of counts, like ``first + second`` but without calling `judge_parts`."""
    if first.table.any() and second.table.any():
        # In `ConfusionCounts`, sums of integer weights cannot be distinguished from counts.
        are_weighted = [
            getattr(one, "is_weighted", one.table.dtype.kind == "f") for one in (first, second)
        ]
        refuse_weighted_and_not(*are_weighted)
    labels, tables = first.labels.copy(), [first.table, second.table]
    if labels.tolist() != second.labels.tolist():
        labels = _labels_of_both(first, second)
        places = [positions_in(labels, counts.labels) for counts in (first, second)]
        shape = (len(labels), len(labels))
        tables = [scatter(table, own, own, shape) for table, own in zip(tables, places)]
    fields = {
        name: _total(getattr(first, name), getattr(second, name))
        for name in getattr(first, "_fields", ())
        if name not in ("table", "labels")
    }
    fields |= {"table": add_exactly(*tables), "labels": labels}
    total = type(first)(**fields)
    if len(labels) > len(first.labels) and labels.dtype.kind in "UTO":
        warn_of_lookalikes({"the sum": _as_column(total)})
    return total


def _labels_of_both(first: CountsResult, second: CountsResult) -> AnyArray:
    """Return the sorted labels of both tables, or raise if the user chose either table's labels."""
    own = [first.labels, second.labels]
    are_found = not first.n_outside and not second.n_outside
    if not are_found or any(union_of_labels([one]).tolist() != one.tolist() for one in own):
        raise ValueError(
            f"counts for the labels {own[0].tolist()} cannot be added to counts for the labels"
            f" {own[1].tolist()}: pass the same labels= to both."
        )
    return union_of_tables(*own)


def _as_column(counts: CountsResult) -> Column:
    """Return the labels of a table as a column, with the number of ratings for each label."""
    n_ratings = (counts.table.sum(axis=0) + counts.table.sum(axis=1)).astype(np.int64)
    places = np.arange(len(counts.labels))
    return Column(places, np.dtype(object), counts.labels.tolist(), counts=n_ratings)


def _total(first: Any, second: Any) -> Any:
    """Add two numbers, or two tuples elementwise. For booleans, return ``first or second``."""
    if isinstance(first, bool):
        return first or second
    if isinstance(first, tuple):
        return tuple(map(sum, zip(first, second)))
    return first + second


class ConfusionCounts(CountsResult, _Counts):
    """A confusion matrix, its labels, and the number of items with other labels.

    Attributes
    ----------
    table : ndarray of shape (l, l)
        Entry ``[i, j]`` is the number (or the total weight) of the items that the first rater
        labeled ``labels[i]`` and the second rater labeled ``labels[j]``. The dtype is float64 if
        item weights are floats, and int64 otherwise.
    labels : ndarray of shape (l,)
        The labels of the rows and columns. They are in the order that was given or declared, or
        sorted if there is no such order.
    n_outside : int
        The number of items that are not in the table because a rating is not one of the labels.
    """

    __slots__ = ()

    def _report(self) -> Report:
        from fastkappa.results.report import Report, counts_grid

        return Report(
            [f"{count_text(len(self.labels), 'label')}, {self.table.sum()} in the table"],
            counts_grid(self.labels, self.table, axes=("First rater", "second rater")),
            [f"{self.n_outside} outside the labels"] if self.n_outside else (),
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
    """Count the items that received each pair of labels from two raters.

    Parameters
    ----------
    y1, y2 : array-like of shape (n,)
        The ratings of two raters: integers of any dtype, whole floats, booleans, strings or dates.
        Ratings can be passed as lists, NumPy arrays, pandas, polars or pyarrow columns, or objects
        that export their memory through the Arrow or DLPack protocol. Integer arrays are read in
        place, whatever their stride or byte order. If both arguments contain whole numbers and are
        on the same device, such as a GPU, the library that they belong to counts them on that
        device.
    labels : array-like of shape (l,), default=None
        The labels of the table, in order. If None, the labels that the ratings declare are used, in
        the declared order. If no labels are declared, the labels that occur are used, in sorted
        order.
    sample_weight : array-like of shape (n,), default=None
        Item weights. If given, the table contains sums of weights instead of counts. Sums of
        integer weights are exact, and sums of float weights are float64.
    backend : {'cython', 'numba', 'numpy'}, default=None
        The backend that counts the items. If None, the environment variable ``FASTKAPPA_BACKEND``
        determines the backend. If the variable is not set, the fastest available backend is used.
    num_threads : int, default=None
        The maximum number of threads. If None, the number is limited only by ``OMP_NUM_THREADS``,
        the number of cores and the CPU quota.

    Returns
    -------
    counts : ConfusionCounts
        A named tuple ``(table, labels, n_outside)``.

    Raises
    ------
    ValueError
        If the lengths differ, if a rating is missing or is not a class label, if a label is given
        twice, or if weights are not finite.
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
    # By default, the number of available threads is determined only if there are enough items for
    # several threads.
    threads = None if num_threads is None else resolve_num_threads(num_threads)
    given = {"y1": y1, "y2": y2}
    items = read(given, labels, sample_weight=sample_weight, may_be_empty=True, remedy=NOT_MISSING)
    columns = items.columns["y1"], items.columns["y2"]
    counts = in_int64(tabulate(kernels, *columns, known_labels(items), items.weights, threads))
    # The result contains the number of items outside the labels, so no warning about them is
    # needed.
    is_weighted = items.weights is not None
    judge_table(counts.labels, counts.table, are_given=labels is not None, is_weighted=is_weighted)
    judge_order(counts.table, *columns)
    return counts


def unjudged_counts(y1: Any, y2: Any) -> ConfusionCounts:
    """Count all labels that occur, without warning about probable mistakes in the ratings."""
    items = read({"y1": y1, "y2": y2}, may_be_empty=True, remedy=NOT_MISSING)
    return tabulate(get_kernels(), items.columns["y1"], items.columns["y2"], None, None)


def in_int64(counts: ConfusionCounts) -> ConfusionCounts:
    """Convert sums that are Python integers to int64, or raise if one does not fit."""
    table = as_int64(counts.table, "sample_weight")
    return counts if table is counts.table else counts._replace(table=table)


def tabulate(
    kernels: PairKernels,
    first: Column,
    second: Column,
    known: KnownLabels | None,
    weights: AnyArray | None,
    num_threads: int | None = None,
    *,
    without_first: str | None = None,
    alphabetical: bool = False,
) -> ConfusionCounts:
    """Cross-tabulate two columns into a square table.

    ``without_first`` is the message of the error raised if no rating in the first column is a known
    label. If ``alphabetical`` is true, strings of digits are sorted alphabetically, like other
    strings. If sums of integer weights might not fit in int64, the table has dtype object and
    contains Python integers.
    """
    are_found = known is None
    if first.counts is not None:
        weights = first.counts
    if known is None:
        counted = count_unknown(kernels, first, second, num_threads)
        table, labels = square(counted, first, second)
        if alphabetical and labels.dtype.kind in "UO":
            order = np.argsort(labels, kind="stable")
            table, labels = table[np.ix_(order, order)], labels[order]
        if weights is None:
            return ConfusionCounts(table, labels, 0)
        known = KnownLabels(labels, first, second)
    encodings = known.encode(first), known.encode(second)
    codecs = encodings[0].codec, encodings[1].codec
    counts, *sums = count_known(kernels, first, second, codecs, weights, num_threads)
    if without_first is not None and not counts[:-1][encodings[0].positions >= 0].any():
        raise ValueError(without_first)
    table = on_known_labels(counts, encodings, known)
    n_outside = len(first.values) - int(table.sum())
    if first.counts is not None:
        table = on_known_labels(whole_sums(*sums), encodings, known)
        n_outside = int(first.counts.sum() - table.sum())
        weights = None
    if n_outside and are_found:
        raise changed_meanwhile()
    if n_outside and known.are_declared:
        known.refuse_outside({"y1": first, "y2": second})
    if weights is not None:
        table = on_known_labels(checked_sums(sums, weights), encodings, known)
    return ConfusionCounts(table, known.array, n_outside)


def on_known_labels(
    counts: AnyArray, encodings: tuple[Encoding, Encoding], known: KnownLabels
) -> AnyArray:
    """Convert a table indexed by codes to a table of the known labels, dropping other ratings."""
    rows, columns = encodings
    return scatter(counts[:-1, :-1], rows.positions, columns.positions, (len(known), len(known)))


def count_unknown(
    kernels: PairKernels, first: Column, second: Column, num_threads: int | None = None
) -> ConfusionTable:
    """Count each pair of labels that occurs in two columns of integers or whole floats."""
    columns = first.values, second.values
    tally = Tally(kernels, expected_codecs(kernels, columns), n_expected=len(columns[0]))
    return tally.add_all(columns, None, num_threads).finish()


def count_known(
    kernels: PairKernels,
    first: Column,
    second: Column,
    codecs: tuple[Codec, Codec],
    weights: AnyArray | None,
    num_threads: int | None,
) -> list[AnyArray]:
    """Return a table of counts and, if there are item weights, tables of their sums.

    Sums of integer weights are split into two tables, as in `sum_pairs_exactly`. The last row and
    column of each table are for ratings without a code in ``codecs``.
    """
    dtype = None if weights is None else weights.dtype
    tally = Tally(kernels, codecs, (False, False), weight_type=dtype)
    return tally.add_all((first.values, second.values), weights, num_threads).tables
