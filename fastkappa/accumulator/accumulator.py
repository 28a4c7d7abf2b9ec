"""A confusion table that is updated a batch at a time."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from fastkappa.accumulator.json_fields import table_from_fields, table_to_fields
from fastkappa.accumulator.weighted_table import (
    WeightedTable,
    add,
    empty_table,
    occurring,
    subtract,
    table_of_columns,
    table_of_counts,
)
from fastkappa.arrays import AnyArray
from fastkappa.columns.column import Column, refuse_masked
from fastkappa.columns.item_weights import read_sample_weight
from fastkappa.columns.pair import check_lengths, read_columns
from fastkappa.counting.codecs import label_limits
from fastkappa.counting.incremental import FixedTable, GrowingTable
from fastkappa.counting.known_labels import KnownLabels
from fastkappa.counting.table import square
from fastkappa.counting.tabulate import ConfusionCounts
from fastkappa.formatting import count_text
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import new_lock, resolve_num_threads
from fastkappa.statistics.kappa import kappa_from_confusion
from fastkappa.statistics.weights import Weights

# A longer batch is counted by several threads, into a table of its own.
LONGEST_COUNTED_IN_PLACE = 1 << 20
NOT_ADDED = (
    "subtract removes what was added before: some of these items, or their weights, were not."
)


class ConfusionAccumulator:
    """Count ratings batch by batch, with kappa available at any time.

    The result is that of all ratings in one call, bit for bit, however they are split into
    batches and in whatever order these are added.

    Parameters
    ----------
    labels : array-like of shape (l,), default=None
        The labels of the table, in its order; items with other labels are left out and
        counted in ``n_outside``. None takes all labels that occur, sorted.
    backend : {'cython', 'numba', 'numpy'}, default=None
        None takes the environment variable ``FASTKAPPA_BACKEND``, else the fastest available.
    num_threads : int, default=None
        The maximum number of threads for one batch. None takes all that are available.

    Attributes
    ----------
    table : ndarray of shape (l, l)
        Row i, column j counts the items rated ``labels[i]`` by the first rater and
        ``labels[j]`` by the second: int64 or, where item weights are floats, float64.
    labels : ndarray of shape (l,)
        The given labels, else those that occur in the items counted now.
    n_outside : int
        The number of items left out for a rating outside the labels.

    Notes
    -----
    Item weights are summed exactly: sums of integers are integers, sums of floats are the
    floats nearest to the exact sums. So the result depends neither on the order of the batches
    nor on what was added and subtracted in between. (`confusion_counts` rounds after each
    addition, so the last digits of its float sums may differ, unless nothing is rounded, as
    with integers or halves.)

    An accumulator can be pickled and copied. Threads can share one, but wait for each other; to
    count in parallel, give each thread an accumulator and merge them. Do not fork while
    another thread updates one: the child's copy would wait for that thread forever.

    Examples
    --------
    >>> from fastkappa import ConfusionAccumulator
    >>> total = ConfusionAccumulator()
    >>> total.update([1, 2, 3, 3], [1, 3, 3, 2])
    >>> total.kappa("quadratic")
    0.6363636363636364
    >>> other = ConfusionAccumulator()
    >>> other.update([5], [5])
    >>> total += other
    >>> total.table
    array([[1, 0, 0, 0],
           [0, 0, 1, 0],
           [0, 1, 1, 0],
           [0, 0, 0, 1]])
    >>> total.labels
    array([1, 2, 3, 5])
    """

    # Integers without weights are counted directly into a table of their own.
    _integers: GrowingTable | FixedTable
    _has_only_booleans: bool
    _last_types: tuple[np.dtype[Any] | None, np.dtype[Any] | None]

    def __init__(
        self, labels: Any = None, *, backend: str | None = None, num_threads: int | None = None
    ) -> None:
        no_ratings = Column(np.empty(0, np.int64), np.dtype(np.int64))
        known = None if labels is None else KnownLabels(labels, no_ratings, no_ratings)
        resolve_num_threads(num_threads)
        # A copy: the array is the user's.
        self._known_labels = None if known is None else known.array.copy()
        self._kernels = get_kernels(backend)
        self._backend = backend
        self._num_threads = num_threads
        self._lock = new_lock()
        self._kind: str | None = None
        self._weighted = empty_table(
            np.empty(0, np.int64) if self._known_labels is None else self._known_labels
        )
        self._hold_no_integers()

    def update(self, y1: Any, y2: Any, sample_weight: Any = None) -> None:
        """Add the ratings of some items.

        Parameters
        ----------
        y1, y2 : array-like of shape (n,)
            The two raters' ratings, as for `confusion_counts`.
        sample_weight : array-like of shape (n,), default=None
            Item weights. Items added without weights weigh 1.

        Raises
        ------
        ValueError
            If the lengths differ, a rating is missing or not a class label, weights are not
            finite, or labels were numbers so far and are strings now. Nothing is added then.
        """
        if sample_weight is None and type(y1) is np.ndarray and type(y2) is np.ndarray:
            with self._lock:
                # Arrays of the same types as the last ones need no further checks.
                types = self._last_types
                if (
                    y1.dtype is types[0]
                    and y2.dtype is types[1]
                    and y1.ndim == 1
                    and y1.shape == y2.shape
                    and len(y1) <= LONGEST_COUNTED_IN_PLACE
                ):
                    self._integers.add(self._kernels, y1, y2, 0, len(y1))
                    return
        columns, weights = self._read(y1, y2, sample_weight)
        with self._lock:
            self._check_kind(columns)
            if self._are_plain(*columns, weights):
                first, second = (column.values for column in columns)
                self._integers.add(self._kernels, first, second, 0, len(first))
                self._has_only_booleans &= all(c.label_dtype.kind == "b" for c in columns)
                self._last_types = (first.dtype, second.dtype)
            else:
                self._weighted = add(self._weighted, self._count(columns, weights))

    def subtract(self, y1: Any, y2: Any, sample_weight: Any = None) -> None:
        """Subtract the ratings of items that were added before, as for a sliding window.

        The parameters are those of `update`.

        Raises
        ------
        ValueError
            As `update`, and if some of the items were not added before. Nothing is subtracted
            then.
        """
        columns, weights = self._read(y1, y2, sample_weight)
        with self._lock:
            self._check_kind(columns)
            if self._are_plain(*columns, weights):
                first, second = (column.values for column in columns)
                if self._integers.subtract(self._kernels, first, second):
                    return
            self._subtract(self._count(columns, weights))

    def merge(self, other: ConfusionAccumulator) -> None:
        """Add the counts of another accumulator, by label.

        Raises
        ------
        ValueError
            If only one of the two was made with ``labels``, or with other ones, or if some labels
            are strings and others numbers.
        """
        table, kind = self._snapshot_of(other)
        with self._lock:
            self._check_same_kind(kind)
            self._weighted = add(self._weighted, table)

    def __iadd__(self, other: ConfusionAccumulator) -> ConfusionAccumulator:
        self.merge(other)
        return self

    def __isub__(self, other: ConfusionAccumulator) -> ConfusionAccumulator:
        table, kind = self._snapshot_of(other)
        with self._lock:
            self._check_same_kind(kind)
            self._subtract(table)
        return self

    def counts(self) -> ConfusionCounts:
        """Return table, labels and ``n_outside``, all of the same moment.

        Raises
        ------
        OverflowError
            If a sum of item weights does not fit in int64, or in float64 for float weights.
        """
        return self._snapshot().counts()

    @property
    def table(self) -> AnyArray:
        return self.counts().table

    @property
    def labels(self) -> AnyArray:
        return self.counts().labels

    @property
    def n_outside(self) -> int:
        return self.counts().n_outside

    def kappa(self, weights: Weights = None) -> float:
        """Return Cohen's kappa of all items counted now.

        Parameters
        ----------
        weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
            Disagreement weights, as for `kappa_from_confusion`.

        Returns
        -------
        kappa : float
            NaN, with an ``UndefinedMetricWarning``, if it is undefined.
        """
        table = self.counts().table
        # Kappa of an empty table is undefined, as it is of one with a single label.
        kappa: float = kappa_from_confusion(table if table.size else [[0]], weights)
        return kappa

    def agreement(self, **options: Any) -> Any:
        """Return all coefficients of the table, with intervals.

        The options are those of `agreement_from_confusion`.

        Returns
        -------
        result : AgreementResult

        Raises
        ------
        ValueError
            If there are no items, or if sums of item weights are not integers.
        """
        from fastkappa.two_raters.agreement import agreement_from_confusion

        counts = self.counts()
        if not counts.table.any():
            raise ValueError("the accumulator holds no items: its agreement is undefined.")
        return agreement_from_confusion(counts.table, labels=counts.labels, **options)

    def to_json(self) -> str:
        """Return the contents as JSON, for `from_json`."""
        fields = table_to_fields(self._snapshot())
        return json.dumps({"labels_given": self._known_labels is not None, **fields})

    @classmethod
    def from_json(
        cls, text: str, *, backend: str | None = None, num_threads: int | None = None
    ) -> ConfusionAccumulator:
        """Return an accumulator with the contents of another one.

        Raises
        ------
        ValueError
            If the text was not written by `to_json`.
        """
        try:
            fields = json.loads(text)
            table = table_from_fields(fields)
            given = fields["labels_given"]
            if not isinstance(given, bool):
                raise ValueError(f"labels_given is {given!r}")
            if not given and (table.labels[1:] <= table.labels[:-1]).any():
                raise ValueError(f"labels are not sorted: {table.labels.tolist()}")
        except (KeyError, OverflowError, TypeError, ValueError) as error:
            raise ValueError(
                f"text must be the JSON of a ConfusionAccumulator: {error!r}."
            ) from error
        accumulator = cls(table.labels if given else None, backend=backend, num_threads=num_threads)
        accumulator._weighted = table
        if len(table.labels):
            accumulator._kind = _kind_of(table.labels.dtype)
        return accumulator

    def __repr__(self) -> str:
        table = self._snapshot()
        n_items = int(table.plain.sum() + table.weighted.sum())
        return f"<ConfusionAccumulator: {n_items} items, {count_text(len(table.labels), 'label')}>"

    def __getstate__(self) -> dict[str, Any]:
        return {
            "labels": self._known_labels,
            "backend": self._backend,
            "num_threads": self._num_threads,
            "kind": self._kind,
            "table": self._snapshot(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(  # type: ignore[misc]
            state["labels"], backend=state["backend"], num_threads=state["num_threads"]
        )
        self._kind, self._weighted = state["kind"], state["table"]

    def _are_plain(self, first: Column, second: Column, weights: AnyArray | None) -> bool:
        """Return whether the columns can be counted directly into the table of integers."""
        return (
            weights is None
            and len(first.values) <= LONGEST_COUNTED_IN_PLACE
            and all(
                column.categories is None
                and column.label_dtype.kind in "iub"
                and self._integers.takes(label_limits(column.values))
                for column in (first, second)
            )
        )

    def _read(
        self, y1: Any, y2: Any, sample_weight: Any
    ) -> tuple[tuple[Column, Column], AnyArray | None]:
        n_items = check_lengths(y1, y2, sample_weight)
        refuse_masked(y1=y1, y2=y2, sample_weight=sample_weight)
        columns = read_columns(y1, y2, ("y1", "y2"))
        return columns, None if sample_weight is None else read_sample_weight(
            sample_weight, n_items
        )

    def _check_kind(self, columns: tuple[Column, Column]) -> None:
        if len(columns[0].values):
            has_strings = columns[0].categories is not None
            self._check_same_kind("strings" if has_strings else _kind_of(columns[0].label_dtype))

    def _check_same_kind(self, kind: str | None) -> None:
        if self._kind is None:
            self._kind = kind
        elif kind is not None and kind != self._kind:
            raise ValueError(
                f"Mix of label input types: the labels were {self._kind} so far, got {kind}."
            )

    def _count(self, columns: tuple[Column, Column], weights: AnyArray | None) -> WeightedTable:
        threads = resolve_num_threads(self._num_threads)
        return table_of_columns(self._kernels, *columns, self._known_labels, weights, threads)

    def _subtract(self, part: WeightedTable) -> None:
        left = subtract(self._total(), part)
        if left is None:
            raise ValueError(NOT_ADDED)
        self._hold_no_integers()
        self._weighted = left if self._known_labels is not None else occurring(left)

    def _snapshot(self) -> WeightedTable:
        with self._lock:
            total = self._total()
        return total if self._known_labels is not None else occurring(total)

    def _snapshot_of(self, other: ConfusionAccumulator) -> tuple[WeightedTable, str | None]:
        if not isinstance(other, ConfusionAccumulator):
            raise TypeError(
                f"other must be a ConfusionAccumulator, got {type(other).__name__}: update and"
                " subtract take ratings."
            )
        table = other._snapshot()
        known, others = self._known_labels, other._known_labels
        if (known is None) != (others is None) or (
            known is not None and known.tolist() != table.labels.tolist()
        ):
            shown = ["none" if labels is None else labels.tolist() for labels in (known, others)]
            raise ValueError(
                f"both accumulators must have been given the same labels, got {shown[0]} and"
                f" {shown[1]}."
            )
        return table, other._kind

    def _total(self) -> WeightedTable:
        """Return the table of all items; the caller holds the lock."""
        counts = self._integers.counts()
        if isinstance(counts, ConfusionCounts):
            return add(self._weighted, table_of_counts(counts))
        dtype = np.dtype(np.bool_ if self._has_only_booleans else np.int64)
        column = Column(np.empty(0, np.int64), dtype)
        table, labels = square(counts, column, column)
        return add(self._weighted, table_of_counts(ConfusionCounts(table, labels, 0)))

    def _hold_no_integers(self) -> None:
        known = self._known_labels
        self._integers = GrowingTable() if known is None else FixedTable(known)
        self._has_only_booleans = True
        self._last_types = (None, None)


def _kind_of(dtype: np.dtype[Any]) -> str:
    return {"U": "strings", "O": "strings", "T": "strings", "m": "durations", "M": "dates"}.get(
        dtype.kind, "numbers"
    )
