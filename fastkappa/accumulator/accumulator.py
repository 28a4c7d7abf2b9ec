"""A confusion table that is updated a batch at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastkappa.accumulator.batch import order_with, refuse_outside, snapshot_of_batch
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
from fastkappa.formatting import count_text
from fastkappa.kernels.dispatch import Backend, get_kernels
from fastkappa.kernels.threads import new_lock, resolve_num_threads
from fastkappa.ratings.interop import array_at_once
from fastkappa.ratings.label_order import LabelOrder
from fastkappa.ratings.missing import Missing
from fastkappa.ratings.read import RatedItems, read
from fastkappa.statistics.kappa import kappa_from_confusion
from fastkappa.statistics.weights import Weights
from fastkappa.tables.count import ConfusionCounts
from fastkappa.tables.doubtful_tables import judge_table
from fastkappa.tables.table import add, union_of_labels

if TYPE_CHECKING:
    from fastkappa.two_raters.agreement_result import AgreementResult

# What the metrics of torchmetrics and Keras have.
INSTEAD = {
    **dict.fromkeys(("reset", "reset_state"), "make a new accumulator instead."),
    **dict.fromkeys(("compute", "result"), "kappa() and agreement() give the result."),
    "update_state": "update(y1, y2) adds ratings.",
}


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
    rather merge one of each. Do not fork while another thread updates one. If a batch is cut
    short, by Ctrl-C or for lack of memory, methods that need counts raise ``RuntimeError``.

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
        # All batches that are not counted in place, and the facts that are known of all batches.
        self._rest = empty_snapshot(self._known_labels)
        self._integers = InPlace(self._kernels, self._known_labels)
        self._judged_labels: list[Any] = []

    # To a type checker it would make an attribute of whatever is misspelt.
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
        """Add the ratings of some items.

        Parameters
        ----------
        y1, y2 : array-like of shape (n,)
            The two raters' ratings, as for `confusion_counts`.
        missing : {'raise', 'drop'}, default='raise'
            Refuse items with a missing rating, or leave them out, counted in ``n_missing``.
        missing_codes : sequence, default=()
            Values that stand for a missing rating, such as ``["NA", -9]``.
        sample_weight : array-like of shape (n,), default=None
            Item weights. Items added without weights weigh 1.

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
                if self._integers.add_again(first, second):
                    return
        batch = self._read(y1, y2, sample_weight, missing, missing_codes)
        with self._lock:
            kind = common_kind(self._rest.kind, kind_of_columns(*batch.columns.values()))
            order = order_with(batch, self._rest.order)
            if order is None and self._integers.takes(batch, self._widest()):
                self._integers.add(batch)
                n_missing = self._rest.n_missing + batch.n_dropped
                self._rest = self._rest._replace(kind=kind, n_missing=n_missing)
                return
            part = self._count(batch)
            if order is not None:
                refuse_outside(batch, part, order)
            self._add(part, order)

    def subtract(
        self,
        y1: Any,
        y2: Any,
        *,
        missing: Missing = "raise",
        missing_codes: Sequence[Any] = (),
        sample_weight: Any = None,
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
        with self._lock:
            common_kind(self._rest.kind, kind_of_columns(*batch.columns.values()))
            order_with(batch, self._rest.order)
            n_missing = self._rest.n_missing - batch.n_dropped
            if n_missing < 0:
                raise ValueError(NOT_ADDED)
            are_plain = self._integers.takes(batch, self._widest())
            if are_plain and self._integers.subtract(batch):
                self._rest = self._rest._replace(n_missing=n_missing)
            else:
                self._subtract(self._count(batch))

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
            may_be_empty=True,
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
        return self._rest.n_missing

    def kappa(self, *, weights: Weights = None) -> float:
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
        contents, counts = self._judged()
        # Kappa of an empty table is undefined, as it is of one with a single label.
        kappa: float = kappa_from_confusion(
            counts.table if counts.table.size else [[0]], weights=weights
        )
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

        contents, counts = self._judged()
        if not counts.table.any():
            outside = counts.n_outside
            left_out = f", and {outside} left out as outside the labels" if outside else ""
            raise ValueError(
                f"the accumulator holds no items{left_out}: its agreement is undefined."
            )
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
        return snapshot_to_json(self._snapshot())

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
        labels = contents.table.rows if contents.labels_given else None
        accumulator = cls(labels=labels, backend=backend, num_threads=num_threads)
        accumulator._rest = contents
        return accumulator

    def __repr__(self) -> str:
        contents = self._snapshot()
        labels = contents.table.rows if contents.order is None else contents.order.labels
        shown = count_text(len(labels), "label")
        return f"<ConfusionAccumulator: {contents.n_items} items, {shown}>"

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
        """Return the size of the widest integers that all labels so far can be compared with."""
        # Floats hold all integers of 32 bits.
        return 4 if self._rest.table.rows.dtype.kind == "f" else 8

    def _count(self, batch: RatedItems) -> Snapshot:
        threads = resolve_num_threads(self._num_threads)
        given = self._known_labels is not None
        return snapshot_of_batch(self._kernels, batch, given, threads)

    def _add(self, part: Snapshot, order: LabelOrder | None) -> None:
        """Add the contents of a batch or another accumulator; the caller holds the lock."""
        labels = part.table.rows
        if labels.dtype.kind == "f" and self._rest.table.rows.dtype.kind != "f":
            # Raise if a float is beside an integer, added before, that floats do not hold.
            union_of_labels([self._total().table.rows, labels])
            # Wide integers are compared with the floats from now on.
            self._integers.look_again()
        rest = self._rest.plus(part)
        if order is not None and self._rest.order is None:
            self._total().refuse_outside(order)
            # Integers are looked at from now on: another label is a mistake.
            self._integers.look_again()
        self._rest = rest._replace(order=order)

    def _subtract(self, part: Snapshot) -> None:
        """Subtract the contents of a batch or another accumulator; the caller holds the lock."""
        left = self._total().minus(part)
        self._integers.clear()
        self._rest = left.occurring()

    def _judged(self) -> tuple[Snapshot, ConfusionCounts]:
        """Return the contents and their table; strings are judged if there are new ones."""
        contents = self._snapshot()
        if contents.kind == "strings" and contents.table.rows.tolist() != self._judged_labels:
            contents.judge_labels()
            self._judged_labels = contents.table.rows.tolist()
        counts = contents.counts()
        are_given = contents.labels_given
        judge_table(counts.labels, counts.table, counts.n_outside, are_given=are_given)
        return contents, counts

    def _snapshot(self) -> Snapshot:
        with self._lock:
            total = self._total()
        return total.occurring()

    def _snapshot_of(self, other: ConfusionAccumulator) -> Snapshot:
        if not isinstance(other, ConfusionAccumulator):
            raise TypeError(
                f"other must be a ConfusionAccumulator, got {type(other).__name__}: update and"
                " subtract take ratings."
            )
        part = other._snapshot()
        part.refuse_other_labels(self._known_labels)
        return part

    def _total(self) -> Snapshot:
        """Return the contents of all items; the caller holds the lock."""
        table = self._integers.table()
        if table is None:
            return self._rest
        return self._rest._replace(table=add(self._rest.table, table))
