"""A confusion table that is updated a batch at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fastkappa.accumulator.batch import order_with, refuse_counted_outside, refuse_outside
from fastkappa.accumulator.snapshot import (
    Snapshot,
    common_kind,
    kind_of_columns,
    read_given_labels,
    snapshot_from_json,
)
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
from fastkappa.formatting import count_text
from fastkappa.kernels.dispatch import Backend, get_kernels
from fastkappa.kernels.threads import new_lock, resolve_num_threads
from fastkappa.ratings.column import Column
from fastkappa.ratings.interop import array_at_once
from fastkappa.ratings.label_order import LabelOrder
from fastkappa.ratings.missing import Missing
from fastkappa.ratings.odd_strings import warn_of_unused_labels
from fastkappa.ratings.read import RatedItems, read
from fastkappa.statistics.kappa import kappa_from_confusion
from fastkappa.statistics.weights import Weights
from fastkappa.tables.codecs import NO_LABELS, label_limits
from fastkappa.tables.count import ConfusionCounts
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.table import square, union_of_labels
from fastkappa.tables.tally import Tally

if TYPE_CHECKING:
    from fastkappa.two_raters.agreement_result import AgreementResult

# A longer batch is counted by several threads, into a table of its own.
LONGEST_COUNTED_IN_PLACE = 1 << 20
NO_RATINGS = Column(np.empty(0, np.int64), np.dtype(np.int64))
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
        The labels of the table, in its order, 4096 at most; items with other labels are left out
        and counted in ``n_outside``. None takes the order that ratings declare (ordered
        categoricals, polars Enum, ordered Arrow dictionaries, Python enums), of 4096 labels at
        most too, else all labels that occur, sorted.
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
        The labels given or declared, else those that occur in the items counted now.
    n_outside : int
        The number of items left out for a rating outside the labels.
    n_missing : int
        The number of items left out for a missing rating.

    Notes
    -----
    Item weights are summed exactly: sums of integers are integers, sums of floats are the
    floats nearest to the exact sums. So the result depends neither on the order of the batches
    nor on what was added and subtracted in between. (`confusion_counts` rounds after each
    addition, so the last digits of its float sums may differ, unless nothing is rounded, as
    with integers or halves.)

    An accumulator can be pickled and copied. Threads can share one, but wait for each other, so
    rather merge one of each. Do not fork while another thread updates one. A batch cut short, by
    Ctrl-C or for want of memory, leaves no counts: what needs them raises ``RuntimeError``.

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
    _integers: Tally
    _has_only_booleans: bool
    _last_types: tuple[np.dtype[Any], ...]

    def __init__(
        self, labels: Any = None, *, backend: Backend | None = None, num_threads: int | None = None
    ) -> None:
        resolve_num_threads(num_threads)
        self._known_labels = None if labels is None else read_given_labels(labels)
        known = None if labels is None else KnownLabels(self._known_labels, NO_RATINGS, NO_RATINGS)
        # Other labels than integers in a row are not counted in place.
        self._label_range = NO_LABELS if known is None else known.as_range() or NO_LABELS
        self._kernels = get_kernels(backend)
        self._backend = backend
        self._num_threads = num_threads
        self._lock = new_lock()
        self._kind: str | None = None
        self._order: LabelOrder | None = None
        self._n_missing = 0
        self._weighted = empty_table(
            np.empty(0, np.int64) if self._known_labels is None else self._known_labels
        )
        self._hold_no_integers()

    def update(
        self,
        y1: Any,
        y2: Any,
        sample_weight: Any = None,
        *,
        missing: Missing = "raise",
        missing_codes: Sequence[Any] = (),
    ) -> None:
        """Add the ratings of some items.

        Parameters
        ----------
        y1, y2 : array-like of shape (n,)
            The two raters' ratings, as for `confusion_counts`.
        sample_weight : array-like of shape (n,), default=None
            Item weights. Items added without weights weigh 1.
        missing : {'raise', 'drop'}, default='raise'
            Refuse items with a missing rating, or leave them out, counted in ``n_missing``.
        missing_codes : sequence, default=()
            Values that stand for a missing rating, such as ``["NA", -9]``.

        Raises
        ------
        ValueError
            If the lengths differ, a rating is missing or not a class label, weights are not
            finite, labels were numbers so far and are strings now, the order declared is not
            the one so far or has more than 4096 labels, or a label is not among those declared.
            Nothing is added then.
        """
        first, second = array_at_once(y1), array_at_once(y2)
        has_options = sample_weight is not None or len(missing_codes) > 0
        if first is not None and second is not None and not has_options:
            with self._lock:
                # Arrays of the same types as the last ones need no further checks.
                if (
                    (first.dtype, second.dtype) == self._last_types
                    and first.ndim == 1
                    and first.shape == second.shape
                    and len(first) <= LONGEST_COUNTED_IN_PLACE
                ):
                    self._integers.add_in_place(first, second, 0, len(first))
                    return
        batch = self._read(y1, y2, sample_weight, missing, missing_codes)
        columns = batch.columns["y1"], batch.columns["y2"]
        with self._lock:
            kind = common_kind(self._kind, kind_of_columns(columns))
            order = order_with(batch, self._order)
            if order is None and self._are_plain(*columns, batch.weights):
                first, second = (column.values for column in columns)
                self._integers.add((first, second), 0, len(first))
                self._has_only_booleans &= all(c.label_dtype.kind == "b" for c in columns)
                in_place = self._integers.reads_in_place((first, second))
                self._last_types = (first.dtype, second.dtype) if in_place else ()
            else:
                part = self._count(columns, batch.weights)
                self._refuse_rounded(part.labels)
                weighted = add(self._weighted, part)
                if order is not None:
                    refuse_outside(batch, part.labels, order)
                    self._use(order)
                self._weighted = weighted
            self._kind = kind
            self._n_missing += batch.n_dropped

    def subtract(
        self,
        y1: Any,
        y2: Any,
        sample_weight: Any = None,
        *,
        missing: Missing = "raise",
        missing_codes: Sequence[Any] = (),
    ) -> None:
        """Subtract the ratings of items that were added before, as for a sliding window.

        The parameters are those of `update`.

        Raises
        ------
        ValueError
            As `update`, and if some of the items were not added before. Nothing is subtracted
            then.
        """
        batch = self._read(y1, y2, sample_weight, missing, missing_codes)
        columns = batch.columns["y1"], batch.columns["y2"]
        with self._lock:
            common_kind(self._kind, kind_of_columns(columns))
            order_with(batch, self._order)
            if batch.n_dropped > self._n_missing:
                raise ValueError(NOT_ADDED)
            first, second = (column.values for column in columns)
            are_plain = self._are_plain(*columns, batch.weights)
            if not are_plain or not self._integers.subtract((first, second)):
                self._subtract(self._count(columns, batch.weights))
            self._n_missing -= batch.n_dropped

    def _read(
        self, y1: Any, y2: Any, sample_weight: Any, missing: Missing, missing_codes: Sequence[Any]
    ) -> RatedItems:
        given, labels = {"y1": y1, "y2": y2}, self._known_labels
        return read(
            given,
            labels,
            missing,
            missing_codes,
            sample_weight=sample_weight,
            policy="scikit-learn",
        )

    def merge(self, other: ConfusionAccumulator) -> None:
        """Add the counts of another accumulator, by label.

        Raises
        ------
        ValueError
            If only one of the two was made with ``labels``, or with other ones, if their ratings
            declared different orders, or if some labels are strings and others numbers.
        """
        part = self._snapshot_of(other)
        with self._lock:
            kind, order = common_kind(self._kind, part.kind), part.order_with(self._order)
            self._refuse_rounded(part.table.labels)
            weighted = add(self._weighted, part.table)
            if order is not None:
                self._use(order)
            self._weighted = weighted
            self._kind = kind
            self._n_missing += part.n_missing

    def __iadd__(self, other: ConfusionAccumulator) -> ConfusionAccumulator:
        self.merge(other)
        return self

    def __isub__(self, other: ConfusionAccumulator) -> ConfusionAccumulator:
        part = self._snapshot_of(other)
        with self._lock:
            common_kind(self._kind, part.kind)
            part.order_with(self._order)
            if part.n_missing > self._n_missing:
                raise ValueError(NOT_ADDED)
            self._subtract(part.table)
            self._n_missing -= part.n_missing
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

    @property
    def n_missing(self) -> int:
        return self._n_missing

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

        Warns
        -----
        LabelOrderWarning
            If there are weights, and the labels are strings whose order was neither given nor
            declared.
        UserWarning
            If no item has one of the strings given as labels, and ratings outside the labels
            were left out.
        """
        contents = self._snapshot()
        counts = contents.counts()
        table = counts.table
        warn_of_unused_labels(counts.labels, table, counts.n_outside)
        # Kappa of an empty table is undefined, as it is of one with a single label.
        kappa: float = kappa_from_confusion(table if table.size else [[0]], weights)
        contents.warn_of_order(weights, stacklevel=2)
        return kappa

    def agreement(self, **options: Any) -> AgreementResult:
        """Return all coefficients of the table, with intervals.

        The options are those of `agreement_from_confusion`; the order of labels is warned of
        as by `kappa`.

        Returns
        -------
        result : AgreementResult

        Raises
        ------
        ValueError
            If there are no items, or if sums of item weights are not integers.
        """
        from fastkappa.two_raters.agreement import agreement_from_confusion

        contents = self._snapshot()
        counts = contents.counts()
        if not counts.table.any():
            outside = counts.n_outside
            left_out = f", and {outside} left out as outside the labels" if outside else ""
            raise ValueError(
                f"the accumulator holds no items{left_out}: its agreement is undefined."
            )
        warn_of_unused_labels(counts.labels, counts.table, counts.n_outside)
        result = agreement_from_confusion(counts.table, labels=counts.labels, **options)
        contents.warn_of_order(options.get("weights"), stacklevel=2)
        return result

    def to_json(self) -> str:
        """Return the contents as JSON, for `from_json`.

        Raises
        ------
        ValueError
            If JSON cannot hold the labels that were given, such as infinity or bytes.
        """
        return self._snapshot().to_json()

    @classmethod
    def from_json(
        cls, text: str, *, backend: Backend | None = None, num_threads: int | None = None
    ) -> ConfusionAccumulator:
        """Return an accumulator with the contents of another one.

        Raises
        ------
        ValueError
            If updates cannot lead to such contents: the text was not written by `to_json`.
        """
        contents = snapshot_from_json(text)
        labels = contents.table.labels if contents.labels_given else None
        accumulator = cls(labels, backend=backend, num_threads=num_threads)
        accumulator._hold(contents)
        return accumulator

    def __repr__(self) -> str:
        table, order, *_ = self._snapshot()
        n_items = int(table.plain.sum() + table.weighted.sum())
        n_labels = len(table.labels if order is None else order.labels)
        return f"<ConfusionAccumulator: {n_items} items, {count_text(n_labels, 'label')}>"

    def __getstate__(self) -> dict[str, Any]:
        return {
            "labels": self._known_labels,
            "backend": self._backend,
            "num_threads": self._num_threads,
            "contents": self._snapshot(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(  # type: ignore[misc]
            state["labels"], backend=state["backend"], num_threads=state["num_threads"]
        )
        self._hold(state["contents"])

    def _hold(self, contents: Snapshot) -> None:
        self._weighted, self._order, self._kind, self._n_missing, _ = contents

    def _are_plain(self, first: Column, second: Column, weights: AnyArray | None) -> bool:
        """Return whether the columns can be counted directly into the table of integers."""
        # Floats hold all integers of 32 bits.
        widest = 4 if self._weighted.labels.dtype.kind == "f" else 8
        return (
            weights is None
            and len(first.values) <= LONGEST_COUNTED_IN_PLACE
            and all(
                column.categories is None
                and column.label_dtype.kind in "iub"
                and self._takes(column.values)
                and column.values.dtype.itemsize <= widest
                for column in (first, second)
            )
        )

    def _takes(self, values: AnyArray) -> bool:
        """Return whether integers of this type are counted in place."""
        if self._known_labels is None:
            return label_limits(values)[1] < 1 << 63
        return self._label_range.n_labels > 0 and self._label_range.fits(values)

    def _refuse_rounded(self, labels: AnyArray) -> None:
        """Raise if new labels are floats, and an integer added before is none that they hold."""
        if labels.dtype.kind == "f" and self._weighted.labels.dtype.kind != "f":
            union_of_labels([self._total().labels, labels])
            # Wide integers are compared with the floats from now on.
            self._last_types = ()

    def _use(self, order: LabelOrder) -> None:
        """Take an order of the labels; the caller holds the lock."""
        if self._order is None:
            refuse_counted_outside(self._total().labels, order)
            self._order = order
            # Integers are looked at from now on: another label is a mistake.
            self._last_types = ()

    def _count(self, columns: tuple[Column, Column], weights: AnyArray | None) -> WeightedTable:
        threads = resolve_num_threads(self._num_threads)
        return table_of_columns(self._kernels, *columns, self._known_labels, weights, threads)

    def _subtract(self, part: WeightedTable) -> None:
        left = subtract(self._total(), part)
        if left is None:
            raise ValueError(NOT_ADDED)
        self._hold_no_integers()
        self._weighted = occurring(left) if self._known_labels is None else left

    def _snapshot(self) -> Snapshot:
        with self._lock:
            total = self._total()
            order, kind, n_missing = self._order, self._kind, self._n_missing
        if self._known_labels is None:
            return Snapshot(occurring(total), order, kind, n_missing, False)
        return Snapshot(total, order, kind, n_missing, True)

    def _snapshot_of(self, other: ConfusionAccumulator) -> Snapshot:
        if not isinstance(other, ConfusionAccumulator):
            raise TypeError(
                f"other must be a ConfusionAccumulator, got {type(other).__name__}: update and"
                " subtract take ratings."
            )
        part = other._snapshot()
        part.refuse_other_labels(self._known_labels)
        return part

    def _total(self) -> WeightedTable:
        """Return the table of all items; the caller holds the lock."""
        found, known = self._integers.finish(), self._known_labels
        if known is None:
            dtype = np.dtype(np.bool_ if self._has_only_booleans else np.int64)
            column = NO_RATINGS._replace(label_dtype=dtype)
            counts = ConfusionCounts(*square(found, column, column), 0)
        elif self._label_range.n_labels == 0:
            return self._weighted
        else:
            counts = ConfusionCounts(found.counts, known, found.n_outside)
        return add(self._weighted, table_of_counts(counts))

    def _hold_no_integers(self) -> None:
        codecs = self._label_range, self._label_range
        grows = self._known_labels is None
        self._integers = Tally(self._kernels, codecs, (grows, grows))
        self._has_only_booleans = True
        self._last_types = ()
