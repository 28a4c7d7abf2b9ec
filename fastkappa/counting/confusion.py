"""From two array-likes to a square table of counts, its labels in order."""

from __future__ import annotations

from reprlib import repr as short_repr
from typing import Any, NamedTuple

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import (
    Column,
    check_finite_weights,
    check_some_weight,
    distinct,
    n_samples,
    read_column,
    read_sample_weight,
    refuse_masked,
)
from fastkappa.columns.interop import to_numpy
from fastkappa.counting.label_ranges import Counts, LabelRange, label_limits, label_type
from fastkappa.counting.pairs import count_known, count_unknown
from fastkappa.counting.sparse_labels import LabelMap
from fastkappa.kernels.contract import PairKernels
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import resolve_num_threads


class ConfusionCounts(NamedTuple):
    """A confusion table and what belongs to it.

    Attributes
    ----------
    table : ndarray of shape (l, l)
        Row i, column j counts the items rated ``labels[i]`` by the first rater and
        ``labels[j]`` by the second: int64 counts or, with float item weights, their
        float64 sums.
    labels : ndarray of shape (l,)
        The labels, sorted or in the order given.
    n_outside : int
        How many items have a rating that is none of the labels and are not in the table.
    """

    table: AnyArray
    labels: AnyArray
    n_outside: int


def confusion_counts(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    backend: str | None = None,
    num_threads: int | None = None,
) -> ConfusionCounts:
    """Count how often each pair of labels was given to the same item.

    Parameters
    ----------
    y1, y2 : array-like of shape (n,)
        The two raters' ratings: integers of any dtype, whole floats, booleans, strings,
        dates; NumPy arrays, lists, pandas, polars or pyarrow columns. Integer arrays are
        read as they lie in memory, whatever their stride or byte order.
    labels : array-like of shape (l,), default=None
        The labels of the table, in its order. None takes the labels that occur, sorted.
    sample_weight : array-like of shape (n,), default=None
        Item weights, to be summed instead of counting ones: exactly for integers, in
        float64 for floats.
    backend : {'cython', 'numba', 'numpy'}, default=None
        None takes the environment variable ``FASTKAPPA_BACKEND``, else the best there is.
    num_threads : int, default=None
        At most so many threads. None takes all that ``OMP_NUM_THREADS``, the cores and
        the CPU quota allow.

    Returns
    -------
    counts : ConfusionCounts
        A named tuple ``(table, labels, n_outside)``.

    Raises
    ------
    ValueError
        If the lengths differ, a rating is missing or is no class label, labels repeat,
        or weights are not finite.
    OverflowError
        If a sum of integer item weights does not fit in int64.
    ImportError
        If the backend asked for is missing.

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
    n_items = check_lengths(y1, y2, sample_weight)
    refuse_masked(y1=y1, y2=y2, sample_weight=sample_weight)
    first, second = read_columns(y1, y2, ("y1", "y2"))
    weights = None if sample_weight is None else read_sample_weight(sample_weight, n_items)
    known = None if labels is None else KnownLabels(labels, first, second)
    return in_int64(tabulate(kernels, first, second, known, weights, threads))


def in_int64(counts: ConfusionCounts) -> ConfusionCounts:
    """Raise if sums of integer item weights do not fit in an int64 table."""
    if counts.table.dtype != object:
        return counts
    try:
        return counts._replace(table=counts.table.astype(np.int64))
    except OverflowError as error:
        raise OverflowError(
            f"the sums of sample_weight reach {np.abs(counts.table).max()}, beyond int64: give"
            " float weights."
        ) from error


def check_lengths(y1: Any, y2: Any, sample_weight: Any) -> int:
    """Return the common number of items."""
    arrays = (y1, y2) if sample_weight is None else (y1, y2, sample_weight)
    lengths = [n_samples(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")
    return lengths[0]


def read_columns(y1: Any, y2: Any, names: tuple[str, str]) -> tuple[Column, Column]:
    """Return two columns whose labels can be compared."""
    first, second = read_column(y1, names[0]), read_column(y2, names[1])
    if first.obstacle or second.obstacle:
        _refuse(first, second)
    if (first.categories is None) != (second.categories is None) and len(first.values):
        raise ValueError(
            "Mix of label input types (string and number); Got"
            f" {_distinct_labels(first)} and {_distinct_labels(second)}."
        )
    kinds = {first.label_dtype.kind, second.label_dtype.kind}
    if kinds & set("mM"):
        if len(kinds) > 1:
            raise ValueError(
                f"Mix of label input types ({first.label_dtype} and {second.label_dtype})."
            )
        unit = np.result_type(first.label_dtype, second.label_dtype)
        first, second = _in_unit(first, unit), _in_unit(second, unit)
    return first, second


class KnownLabels:
    """Labels given by the user, with their positions in the table."""

    def __init__(self, labels: Any, first: Column, second: Column) -> None:
        self.array = _array_of_labels(labels)
        if self.array.ndim != 1:
            got = f"shape {self.array.shape}" if self.array.ndim else short_repr(labels)
            raise ValueError(f"labels must be one-dimensional, got {got}.")
        if self.array.size == 0:
            raise ValueError("'labels' should contain at least one label.")
        comparable = self.array
        if first.label_dtype.kind in "mM" and comparable.dtype.kind == first.label_dtype.kind:
            comparable = comparable.astype(first.label_dtype).view(np.int64)
        self.position = distinct(comparable.tolist())

    def __len__(self) -> int:
        return len(self.array)

    def in_a_row(self) -> LabelRange | None:
        """Return the labels as a range, if they are whole numbers that go up by one."""
        labels = list(self.position)
        if not all(isinstance(label, int) for label in labels):
            return None
        label_range = LabelRange(int(labels[0]), len(labels))
        return (
            label_range
            if labels == list(range(label_range.lowest, label_range.lowest + len(labels)))
            else None
        )

    def encode(self, column: Column) -> tuple[LabelRange | LabelMap, AnyArray]:
        """Return codes for a column, and the position of each code's label, -1 for none."""
        if column.categories is not None:
            position = [self.position.get(label, -1) for label in column.categories]
            return LabelRange(0, len(position)), np.array(position, dtype=np.intp)
        limits = label_limits(column.values)
        wanted = {
            int(label): position
            for label, position in self.position.items()
            if isinstance(label, (int, float, np.integer, np.floating))
            and label == label // 1
            and limits[0] <= label <= limits[1]
        }
        if not wanted:
            return LabelRange(0, 0), np.empty(0, np.intp)
        lowest, highest = min(wanted), max(wanted)
        if highest - lowest < 4 * len(wanted) + 64:
            positions = np.full(highest - lowest + 1, -1, np.intp)
            positions[[label - lowest for label in wanted]] = list(wanted.values())
            return LabelRange(lowest, len(positions)), positions
        sparse = LabelMap(label_type(column.values))
        sparse.add(np.array(list(wanted), dtype=label_type(column.values)))
        return sparse, np.array(list(wanted.values()), dtype=np.intp)


def _array_of_labels(labels: Any) -> AnyArray:
    array = to_numpy(labels)
    whole = isinstance(labels, (list, tuple)) and all(isinstance(label, int) for label in labels)
    # NumPy makes floats of whole numbers on both sides of int64 and uint64.
    return np.array(labels, dtype=object) if whole and array.dtype.kind == "f" else array


def tabulate(
    kernels: PairKernels,
    first: Column,
    second: Column,
    known: KnownLabels | None,
    weights: AnyArray | None,
    num_threads: int,
    *,
    without_first: str | None = None,
) -> ConfusionCounts:
    """Return the square table of two columns.

    ``without_first`` is the error to raise where no rating of the first column is among
    the known labels. Sums of integer weights that do not fit in int64 come as Python
    integers in an object array.
    """
    if known is None:
        counts = count_unknown(kernels, first, second, num_threads)
        table, labels = square_table(counts, first, second)
        if weights is None:
            return ConfusionCounts(table, labels, 0)
        known = KnownLabels(labels, first, second)
    row_codes, row_positions = known.encode(first)
    column_codes, column_positions = known.encode(second)
    positions = (row_positions, column_positions)
    raw, *sums = count_known(
        kernels, first, second, (row_codes, column_codes), weights, num_threads
    )
    if without_first is not None and not raw[:-1][row_positions >= 0].any():
        raise ValueError(without_first)
    table = select_cells(raw, positions, len(known))
    n_outside = len(first.values) - int(table.sum())
    if weights is not None:
        table = select_cells(checked_sums(sums, weights), positions, len(known))
    return ConfusionCounts(table, known.array, n_outside)


def checked_sums(sums: list[AnyArray], weights: AnyArray) -> AnyArray:
    """Return one table of sums, or say what is wrong with the weights."""
    if weights.dtype.kind == "f":
        (table,) = sums
        if not np.isfinite(table).all():
            check_finite_weights(weights)
            raise OverflowError("the sums of sample_weight are beyond float64: scale them down.")
    else:
        high, low = sums
        fits = np.abs(high).max() < 1 << 30 and low.max() < 1 << 62
        wide = np.int64 if fits else object
        table = high.astype(wide) * (1 << 32) + low.astype(wide)
    if not table.any():
        check_some_weight(weights)
    return table


def select_cells(raw: AnyArray, positions: tuple[AnyArray, ...], n_labels: int) -> AnyArray:
    """Return the table of the known labels, in their order."""
    rows, columns = (position >= 0 for position in positions)
    table = np.zeros((n_labels, n_labels), raw.dtype)
    cells = np.ix_(positions[0][rows], positions[1][columns])
    # Added, not assigned: the dictionary of an Arrow column may hold a label twice.
    np.add.at(table, cells, raw[:-1, :-1][np.ix_(rows, columns)])
    return table


def square_table(counts: Counts, first: Column, second: Column) -> tuple[AnyArray, AnyArray]:
    """Return the table of all labels that occur in either column, sorted."""
    rows, columns = counts.rows, counts.columns
    if first.categories is not None and second.categories is not None:
        return _square_of_strings(counts, first.categories, second.categories)
    if rows.dtype != columns.dtype:
        rows, columns = same_integers(rows, columns)
    if len(rows) == len(columns) and (rows == columns).all():
        return counts.table, as_labels(rows, first, second)
    labels = np.union1d(rows, columns)
    table = np.zeros((len(labels), len(labels)), np.int64)
    table[np.ix_(np.searchsorted(labels, rows), np.searchsorted(labels, columns))] = counts.table
    return table, as_labels(labels, first, second)


def _square_of_strings(
    counts: Counts, row_labels: list[str], column_labels: list[str]
) -> tuple[AnyArray, AnyArray]:
    rows = [row_labels[code] for code in counts.rows]
    columns = [column_labels[code] for code in counts.columns]
    labels = sorted({*rows, *columns})
    position = {label: i for i, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)), np.int64)
    cells = np.ix_([position[label] for label in rows], [position[label] for label in columns])
    np.add.at(table, cells, counts.table)
    return table, np.array(labels)


def same_integers(rows: AnyArray, columns: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return int64 and uint64 labels in one type that holds them all."""
    labels = [*rows.tolist(), *columns.tolist()]
    dtype: Any = object
    if max(labels) < 1 << 63:
        dtype = np.int64
    elif min(labels) >= 0:
        dtype = np.uint64
    return rows.astype(dtype), columns.astype(dtype)


def as_labels(integers: AnyArray, first: Column, second: Column) -> AnyArray:
    """Return integer labels in the type of the ratings they came from."""
    kinds = {first.label_dtype.kind, second.label_dtype.kind}
    if kinds & set("mM"):
        return integers.view(first.label_dtype)
    if kinds == {"b"}:
        return integers.astype(bool)
    return integers.astype(np.float64) if "f" in kinds else integers


def _distinct_labels(column: Column) -> AnyArray:
    """Return the labels that occur, for an error to show."""
    distinct_values = np.unique(column.values)
    if column.categories is not None:
        return np.array(sorted(column.categories[code] for code in distinct_values))
    return distinct_values.astype(column.label_dtype)


def _in_unit(column: Column, unit: np.dtype[Any]) -> Column:
    dates = column.values.view(column.label_dtype).astype(unit)
    return Column(dates.view(np.int64), unit)


def _refuse(first: Column, second: Column) -> None:
    """Raise for ratings that are no class labels, in scikit-learn's words."""
    types = [
        column.obstacle or ("binary" if len(np.unique(column.values)) <= 2 else "multiclass")
        for column in (first, second)
    ]
    if types[0] != types[1]:
        raise ValueError(
            f"Classification metrics can't handle a mix of {types[0]} and {types[1]} targets"
        )
    raise ValueError(f"{types[0]} is not supported")
