"""Define the accumulator, a confusion matrix that is updated batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastkappa.accumulator.batch import dropped_of, order_with, refuse_outside, snapshot_of_batch
from fastkappa.accumulator.in_place import InPlace
from fastkappa.accumulator.json_fields import snapshot_from_json, snapshot_to_json
from fastkappa.accumulator.snapshot import (
    NOT_ADDED,
    Snapshot,
    common_kind,
    empty_snapshot,
    kind_of_columns,
    read_given_labels,
)
from fastkappa.arrays import AnyArray
from fastkappa.choices import no_attribute
from fastkappa.kernels.dispatch import Backend, get_kernels
from fastkappa.kernels.threads import new_lock, resolve_num_threads
from fastkappa.ratings.interop import array_at_once
from fastkappa.ratings.label_order import LabelOrder
from fastkappa.ratings.missing import Missing
from fastkappa.ratings.read import RatedItems, read
from fastkappa.statistics.kappa import kappa_from_confusion
from fastkappa.statistics.weights import Weights
from fastkappa.tables.count import ConfusionCounts
from fastkappa.tables.doubtful_orders import judge_order
from fastkappa.tables.doubtful_tables import judge_table
from fastkappa.tables.table import add, union_of_tables

if TYPE_CHECKING:
    from fastkappa.two_raters.agreement_result import AgreementResult

# Methods of torchmetrics and Keras metrics, mapped to the advice that the error message gives.
INSTEAD = {
    **dict.fromkeys(("reset", "reset_state"), "create a new accumulator instead."),
    **dict.fromkeys(("compute", "result"), "use kappa() or agreement() instead."),
    "update_state": "use update(y1, y2) instead.",
}


class ConfusionAccumulator:
    """Count the ratings of two raters batch by batch, and compute kappa at any time.

    The result is bitwise identical to that of counting all ratings in one call. It does not depend
    on how the ratings are split into batches or on the order of the batches.

    Parameters
    ----------
    labels : array-like of shape (l,), default=None
        The labels of the table, in order. Items with other labels are left out and counted in
        ``n_outside``. By default, the labels and their order are those that the type of the ratings
        declares. Ordered categoricals, polars Enums, ordered Arrow dictionaries and Python enums
        declare an order. If no order is declared, all labels that occur are used, in sorted order.
        At most 4096 labels can be given or declared.
    backend : {'cython', 'numba', 'numpy'}, default=None
        If None, the environment variable ``FASTKAPPA_BACKEND`` chooses the backend. If the variable
        is not set, the fastest available backend is used.
    num_threads : int, default=None
        The maximum number of threads for one batch. If None, all available threads are used.

    Attributes
    ----------
    table : ndarray of shape (l, l)
        ``table[i, j]`` is the number of items rated ``labels[i]`` by the first rater and
        ``labels[j]`` by the second. The dtype is int64, or float64 if item weights are floats.
    labels : ndarray of shape (l,)
        The given or declared labels or, if there are none, the labels of the items counted so far.
    n_outside : int
        The number of items left out because a rating is not among the labels.
    n_missing : int
        The number of items left out because a rating is missing.

    Notes
    -----
    Item weights are summed exactly. Sums of integer weights are returned as integers, and sums of
    float weights are rounded to the nearest float. In contrast, `confusion_counts` rounds after
    each addition, so the last digits of its float sums can differ.

    An accumulator can be pickled and copied. Threads can share an accumulator, but a lock lets only
    one of them update it at a time. It is faster to use one accumulator per thread and to merge
    them at the end. Do not fork the process while another thread is updating an accumulator. If
    Ctrl-C or a lack of memory interrupts an update, all methods that need the counts raise
    ``RuntimeError`` from then on.

    Examples
    --------
    >>> from fastkappa import ConfusionAccumulator
    >>> total = ConfusionAccumulator()
    >>> total.update([1, 2, 3, 3], [1, 3, 3, 2])
    >>> total.kappa(weights="quadratic")
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

    def __init__(
        self,
        *,
        labels: Any = None,
        backend: Backend | None = None,
        num_threads: int | None = None,
    ) -> None:
        resolve_num_threads(num_threads)
        self._known_labels = None if labels is None else read_given_labels(labels)
        self._kernels = get_kernels(backend)
        self._backend = backend
        self._num_threads = num_threads
        self._lock = new_lock()
        # The table of this snapshot counts only the batches not counted in place. Its other fields
        # describe all batches.
        self._rest = empty_snapshot(self._known_labels)
        self._integers = InPlace(self._kernels, self._known_labels)
        self._judged_labels: list[Any] = []

    # If type checkers saw `__getattr__`, they would accept any misspelt attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, INSTEAD)

    def update(
        self,
        y1: Any,
        y2: Any,
        *,
        missing: Missing = "raise",
        missing_codes: Sequence[Any] = (),
        sample_weight: Any = None,
    ) -> None:
        """Add a batch of ratings.

        Parameters
        ----------
        y1, y2 : array-like of shape (n,)
            The ratings of the two raters, in any form that `confusion_counts` accepts.
        missing : {'raise', 'drop'}, default='raise'
            How to treat items with a missing rating. 'raise' raises an error. 'drop' leaves these
            items out and counts them in ``n_missing``.
        missing_codes : sequence, default=()
            Values to treat as missing ratings, such as ``["NA", -9]``.
        sample_weight : array-like of shape (n,), default=None
            Item weights. Items added without weights have weight 1.

        Raises
        ------
        ValueError
            If the lengths differ, if a rating is missing or is not a class label, or if weights are
            not finite. An error is also raised if the labels conflict with those of earlier batches
            (strings after numbers, another declared order, or a label outside the declared order),
            or if more than 4096 labels are declared. If an error is raised, nothing is added.
        """
        first, second = array_at_once(y1), array_at_once(y2)
        has_options = sample_weight is not None or len(missing_codes) > 0
        if first is not None and second is not None and not has_options:
            with self._lock:
                if self._integers.add_again(first, second):
                    return
        batch = self._read(y1, y2, sample_weight, missing, missing_codes)
        with self._lock:
            is_first = self._rest.kind is None
            kind = common_kind(self._rest.kind, kind_of_columns(*batch.columns.values()))
            order = order_with(batch, self._rest.order)
            if order is None and self._integers.takes(batch, self._widest()):
                self._integers.add(batch)
                dropped = self._rest.dropped + dropped_of(batch)
                self._rest = self._rest._replace(kind=kind, dropped=dropped)
            else:
                part = self._count(batch)
                if order is not None:
                    refuse_outside(batch, part, order)
                self._add(part, order)
        if is_first:
            judge_order(lambda: self.counts().table, batch.columns["y1"], batch.columns["y2"])

    def subtract(
        self,
        y1: Any,
        y2: Any,
        *,
        missing: Missing = "raise",
        missing_codes: Sequence[Any] = (),
        sample_weight: Any = None,
    ) -> None:
        """Subtract items that were added earlier, such as items that leave a sliding window.

        The parameters are the same as those of `update`.

        Raises
        ------
        ValueError
            For the same reasons as in `update`, or if some of the items were not added before. If
            an error is raised, nothing is subtracted.
        """
        batch = self._read(y1, y2, sample_weight, missing, missing_codes)
        with self._lock:
            common_kind(self._rest.kind, kind_of_columns(*batch.columns.values()))
            order_with(batch, self._rest.order)
            dropped = self._rest.dropped - dropped_of(batch)
            if min(dropped) < 0:
                raise ValueError(NOT_ADDED)
            are_plain = self._integers.takes(batch, self._widest())
            if are_plain and self._integers.subtract(batch):
                self._rest = self._rest._replace(dropped=dropped)
            else:
                self._subtract(self._count(batch))

    def _read(
        self, y1: Any, y2: Any, sample_weight: Any, missing: Missing, missing_codes: Sequence[Any]
    ) -> RatedItems:
        return read(
            {"y1": y1, "y2": y2},
            self._known_labels,
            missing,
            missing_codes,
            sample_weight=sample_weight,
            may_be_empty=True,
        )

    def merge(self, other: ConfusionAccumulator) -> None:
        """Add the counts of another accumulator, matching the labels of the two tables.

        Raises
        ------
        ValueError
            If the accumulators were given different labels, if their ratings declare different
            label orders, if the labels of one are strings or booleans and the labels of the other
            are numbers, or if only one has item weights.
        """
        part = self._snapshot_of(other)
        with self._lock:
            self._total().judge_addition(part)
            self._add(part, part.order_with(self._rest))

    def __iadd__(self, other: ConfusionAccumulator) -> ConfusionAccumulator:
        self.merge(other)
        return self

    def __isub__(self, other: ConfusionAccumulator) -> ConfusionAccumulator:
        part = self._snapshot_of(other)
        with self._lock:
            part.order_with(self._rest)
            self._subtract(part)
        return self

    def counts(self) -> ConfusionCounts:
        """Return a consistent snapshot of the table, the labels and ``n_outside``.

        Raises
        ------
        OverflowError
            If a sum of item weights overflows int64 or, for float weights, float64.
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
        return int(self._rest.dropped[0])

    def kappa(self, *, weights: Weights = None) -> float:
        """Return Cohen's kappa for all items counted so far.

        Parameters
        ----------
        weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
            Disagreement weights, as in `kappa_from_confusion`.

        Returns
        -------
        kappa : float
            Kappa. If kappa is undefined, NaN is returned and an ``UndefinedMetricWarning`` is
            issued.

        Warns
        -----
        LabelOrderWarning
            If weights are used and the labels are strings whose order is neither given nor
            declared.
        UserWarning
            If the given labels are strings, none of them occurs in the ratings, and items with
            other labels were left out.
        """
        contents, counts = self._judged()
        # An empty table is replaced by a single empty cell, for which kappa is also undefined.
        table = counts.table if counts.table.size else [[0]]
        kappa: float = kappa_from_confusion(table, weights=weights)
        contents.warn_of_order(weights, stacklevel=2)
        return kappa

    def agreement(self, **options: Any) -> AgreementResult:
        """Return all agreement coefficients for the table, with confidence intervals.

        The keyword arguments are passed to `agreement_from_confusion`. A ``LabelOrderWarning`` is
        issued under the same conditions as in `kappa`.

        Returns
        -------
        result : AgreementResult

        Raises
        ------
        ValueError
            If there are no items, or if a cell of the table is not an integer.
        """
        from fastkappa.two_raters.agreement import agreement_from_confusion

        contents, counts = self._judged()
        if not counts.table.any():
            outside = counts.n_outside
            why = f" (items left out because of ratings not in labels: {outside})"
            left_out = why if outside else ""
            raise ValueError(f"the accumulator has no items{left_out}, so agreement is undefined.")
        result = agreement_from_confusion(counts.table, labels=counts.labels, **options)
        contents.warn_of_order(options.get("weights"), stacklevel=2)
        return replace(result, **contents.left_out, is_weighted=bool(contents.is_weighted))

    def to_json(self) -> str:
        """Return the contents as a JSON string that `from_json` and ``fastkappa merge`` can read.

        Raises
        ------
        ValueError
            If JSON cannot represent a given label, such as infinity or bytes.
        """
        return snapshot_to_json(self._snapshot())

    @classmethod
    def from_json(
        cls, text: str, *, backend: Backend | None = None, num_threads: int | None = None
    ) -> ConfusionAccumulator:
        """Create an accumulator from the JSON string that `to_json` returned.

        JSON from `fastkappa.results.SourceCounts.to_json` or ``fastkappa score --save`` is also
        accepted.

        Raises
        ------
        ValueError
            If the JSON does not describe a valid accumulator, or if the sums of item weights in it
            are rounded instead of exact.
        """
        contents = snapshot_from_json(text)
        labels = contents.table.rows if contents.labels_given else None
        accumulator = cls(labels=labels, backend=backend, num_threads=num_threads)
        accumulator._rest = contents
        return accumulator

    def __repr__(self) -> str:
        return f"<ConfusionAccumulator: {self._snapshot().in_short()}>"

    def __getstate__(self) -> dict[str, Any]:
        return {
            "labels": self._known_labels,
            "backend": self._backend,
            "num_threads": self._num_threads,
            "contents": self._snapshot(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(  # type: ignore[misc]
            labels=state["labels"], backend=state["backend"], num_threads=state["num_threads"]
        )
        self._rest = state["contents"]

    def _widest(self) -> int:
        """Return the size, in bytes, of the widest integers that are comparable with the labels."""
        # Floats can represent all 32-bit integers, but not all 64-bit integers. With boolean
        # labels, integers of every size must be checked first, so the result is 0.
        return {"f": 4, "b": 0}.get(self._rest.table.rows.dtype.kind, 8)

    def _count(self, batch: RatedItems) -> Snapshot:
        threads, is_given = resolve_num_threads(self._num_threads), self._known_labels is not None
        return snapshot_of_batch(self._kernels, batch, is_given, threads)

    def _add(self, part: Snapshot, order: LabelOrder | None) -> None:
        """Add the contents of a batch or of another accumulator. The caller must hold the lock."""
        labels = part.table.rows
        if labels.dtype.kind in "fb" and self._rest.table.rows.dtype.kind != labels.dtype.kind:
            # Raise if the labels and earlier integers are not comparable. Check the next batch too.
            union_of_tables(self._total().table.rows, labels)
            self._integers.look_again()
        rest = self._rest.plus(part)
        if order is not None and self._rest.order is None:
            # Raise if an earlier integer is not a declared label. Check the next batch too.
            self._total().refuse_outside(order)
            self._integers.look_again()
        self._rest = rest._replace(order=order)

    def _subtract(self, part: Snapshot) -> None:
        """Subtract the items of a batch or another accumulator. The caller must hold the lock."""
        left = self._total().minus(part)
        self._integers.clear()
        self._rest = left.occurring()

    def _judged(self) -> tuple[Snapshot, ConfusionCounts]:
        """Return the contents and their table, and warn about doubtful labels."""
        contents = self._snapshot()
        if contents.kind == "strings" and contents.table.rows.tolist() != self._judged_labels:
            contents.judge_labels()
            self._judged_labels = contents.table.rows.tolist()
        counts = contents.counts()
        own = counts.labels, counts.table, counts.n_outside
        judge_table(*own, are_given=contents.labels_given, is_weighted=bool(contents.is_weighted))
        return contents, counts

    def _snapshot(self) -> Snapshot:
        with self._lock:
            return self._total().occurring()

    def _snapshot_of(self, other: ConfusionAccumulator) -> Snapshot:
        if not isinstance(other, ConfusionAccumulator):
            raise TypeError(
                f"other must be a ConfusionAccumulator, got {type(other).__name__}. For ratings,"
                " use update or subtract. For other counts, such as SourceCounts, pass"
                " ConfusionAccumulator.from_json(counts.to_json())."
            )
        part = other._snapshot()
        part.refuse_other_labels(self._known_labels)
        return part

    def _total(self) -> Snapshot:
        """Return a snapshot of all items. The caller must hold the lock."""
        table = self._integers.table()
        if table is None:
            return self._rest
        return self._rest._replace(table=add(self._rest.table, table))
