"""A confusion table that is filled a batch at a time."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from fastkappa.accumulator.json_fields import tally_from_fields, tally_to_fields
from fastkappa.accumulator.weighted_table import (
    Tally,
    add,
    empty_tally,
    occurring,
    subtract,
    take_tally,
    tally_of_counts,
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
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.kernels.threads import new_lock, resolve_num_threads
from fastkappa.statistics.kappa import kappa_from_confusion
from fastkappa.statistics.weights import Weights

# A longer batch is worth threads, and a table of its own.
LONGEST_COUNTED_IN_PLACE = 1 << 20
NOT_ADDED = (
    "subtract takes away what was added before: some of these items, or their weights, were not."
)


class ConfusionAccumulator:
    """Count batches of ratings into one table, and ask it for kappa at any time.

    The result is that of all ratings in one call, bit for bit, however they were split into
    batches and in whatever order these came.

    Parameters
    ----------
    labels : array-like of shape (l,), default=None
        The labels of the table, in its order; items with another one are left out and
        counted in ``n_outside``. None takes all labels that occur, sorted.
    backend : {'cython', 'numba', 'numpy'}, default=None
        None takes the environment variable ``FASTKAPPA_BACKEND``, else the best there is.
    num_threads : int, default=None
        At most so many threads for one batch. None takes all there are.

    Attributes
    ----------
    table : ndarray of shape (l, l)
        Row i, column j counts the items rated ``labels[i]`` by the first rater and
        ``labels[j]`` by the second: int64 or, where item weights are floats, float64.
    labels : ndarray of shape (l,)
        The labels given, else those that occur in the items held now.
    n_outside : int
        How many items were left out for a rating that is none of the labels.

    Notes
    -----
    Item weights are summed exactly: sums of integers are integers, those of floats the
    floats nearest to the sums without rounding. So neither the order of the batches nor what
    was subtracted since leaves a trace. (`confusion_counts` rounds as it goes along, so that
    the last digits of float sums may differ from these, unless the weights are such that
    nothing is rounded, as with integers or halves.)

    It can be pickled and copied, and used by several threads, which wait for each other; to
    count at the same time give each thread an accumulator, and merge them. Do not fork while
    another thread updates one: the child's copy would wait for that thread for ever.

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

    # Integers that came without weights are counted straight into a table of their own.
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
        self._tally = empty_tally(
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
            Item weights. Items that come without weigh 1.

        Raises
        ------
        ValueError
            If the lengths differ, a rating is missing or is no class label, weights are not
            finite, or labels were numbers so far and are strings now. Nothing is added then.
        """
        if sample_weight is None and type(y1) is np.ndarray and type(y2) is np.ndarray:
            with self._lock:
                # Arrays like the last ones need no judging: this is the short way.
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
                self._tally = add(self._tally, self._tally_of(columns, weights))

    def subtract(self, y1: Any, y2: Any, sample_weight: Any = None) -> None:
        """Take away the ratings of items that were added before, as for a sliding window.

        Parameters are those of `update`.

        Raises
        ------
        ValueError
            As `update` does, and where some of the items were not added before. Nothing is
            taken away then.
        """
        columns, weights = self._read(y1, y2, sample_weight)
        with self._lock:
            self._check_kind(columns)
            if self._are_plain(*columns, weights):
                first, second = (column.values for column in columns)
                if self._integers.subtract(self._kernels, first, second):
                    return
            self._take_away(self._tally_of(columns, weights))

    def merge(self, other: ConfusionAccumulator) -> None:
        """Add all that another accumulator holds, by label.

        Raises
        ------
        ValueError
            If only one of the two has had its labels given, or they differ, or if some labels
            are strings and others numbers.
        """
        tally, kind = self._snapshot_of(other)
        with self._lock:
            self._check_same_kind(kind)
            self._tally = add(self._tally, tally)

    def __iadd__(self, other: ConfusionAccumulator) -> ConfusionAccumulator:
        self.merge(other)
        return self

    def __isub__(self, other: ConfusionAccumulator) -> ConfusionAccumulator:
        tally, kind = self._snapshot_of(other)
        with self._lock:
            self._check_same_kind(kind)
            self._take_away(tally)
        return self

    def counts(self) -> ConfusionCounts:
        """Return table, labels and ``n_outside`` as they are at one moment.

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
        """Return Cohen's kappa of all items held now.

        Parameters
        ----------
        weights : {'linear', 'quadratic'}, array-like of shape (l, l) or None, default=None
            Disagreement weights, as for `kappa_from_confusion`.

        Returns
        -------
        kappa : float
            NaN, with an ``UndefinedMetricWarning``, where it is undefined.
        """
        table = self.counts().table
        # A table without labels says as little as one of a single label.
        kappa: float = kappa_from_confusion(table if table.size else [[0]], weights)
        return kappa

    def agreement(self, **options: Any) -> Any:
        """Return everything the table says, with intervals and indices.

        Options are those of `agreement_from_confusion`, which see.

        Returns
        -------
        result : AgreementResult

        Raises
        ------
        ValueError
            If nothing is held, or sums of item weights that are not whole.
        """
        from fastkappa.two_raters.agreement import agreement_from_confusion

        counts = self.counts()
        if not counts.table.any():
            raise ValueError("the accumulator holds no items: there is no agreement to tell of.")
        return agreement_from_confusion(counts.table, labels=counts.labels, **options)

    def to_json(self) -> str:
        """Return all that is held, as JSON that `from_json` reads."""
        fields = tally_to_fields(self._snapshot())
        return json.dumps({"labels_given": self._known_labels is not None, **fields})

    @classmethod
    def from_json(
        cls, text: str, *, backend: str | None = None, num_threads: int | None = None
    ) -> ConfusionAccumulator:
        """Return an accumulator that holds what another one held.

        Raises
        ------
        ValueError
            If the text is not what `to_json` gives.
        """
        try:
            fields = json.loads(text)
            tally = tally_from_fields(fields)
            given = fields["labels_given"]
            if not isinstance(given, bool):
                raise ValueError(f"labels_given is {given!r}")
            if not given and (tally.labels[1:] <= tally.labels[:-1]).any():
                raise ValueError(f"labels are not sorted: {tally.labels.tolist()}")
        except (KeyError, OverflowError, TypeError, ValueError) as error:
            raise ValueError(
                f"text must be the JSON of a ConfusionAccumulator: {error!r}."
            ) from error
        accumulator = cls(tally.labels if given else None, backend=backend, num_threads=num_threads)
        accumulator._tally = tally
        if len(tally.labels):
            accumulator._kind = _kind_of(tally.labels.dtype)
        return accumulator

    def __repr__(self) -> str:
        tally = self._snapshot()
        n_items = int(tally.plain.sum() + tally.weighted.sum())
        return f"<ConfusionAccumulator: {n_items} items, {len(tally.labels)} labels>"

    def __getstate__(self) -> dict[str, Any]:
        return {
            "labels": self._known_labels,
            "backend": self._backend,
            "num_threads": self._num_threads,
            "kind": self._kind,
            "tally": self._snapshot(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(  # type: ignore[misc]
            state["labels"], backend=state["backend"], num_threads=state["num_threads"]
        )
        self._kind, self._tally = state["kind"], state["tally"]

    def _are_plain(self, first: Column, second: Column, weights: AnyArray | None) -> bool:
        """Tell integers that can be counted into the table as they are."""
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
            words = columns[0].categories is not None
            self._check_same_kind("strings" if words else _kind_of(columns[0].label_dtype))

    def _check_same_kind(self, kind: str | None) -> None:
        if self._kind is None:
            self._kind = kind
        elif kind is not None and kind != self._kind:
            raise ValueError(
                f"Mix of label input types: the labels were {self._kind} so far, got {kind}."
            )

    def _tally_of(self, columns: tuple[Column, Column], weights: AnyArray | None) -> Tally:
        threads = resolve_num_threads(self._num_threads)
        return take_tally(self._kernels, *columns, self._known_labels, weights, threads)

    def _take_away(self, part: Tally) -> None:
        left = subtract(self._whole(), part)
        if left is None:
            raise ValueError(NOT_ADDED)
        self._hold_no_integers()
        self._tally = left if self._known_labels is not None else occurring(left)

    def _snapshot(self) -> Tally:
        with self._lock:
            whole = self._whole()
        return whole if self._known_labels is not None else occurring(whole)

    def _snapshot_of(self, other: ConfusionAccumulator) -> tuple[Tally, str | None]:
        if not isinstance(other, ConfusionAccumulator):
            raise TypeError(
                f"other must be a ConfusionAccumulator, got {type(other).__name__}: update and"
                " subtract take ratings."
            )
        tally = other._snapshot()
        known, others = self._known_labels, other._known_labels
        if (known is None) != (others is None) or (
            known is not None and known.tolist() != tally.labels.tolist()
        ):
            told = ["none" if labels is None else labels.tolist() for labels in (known, others)]
            raise ValueError(
                f"both accumulators must have been given the same labels, got {told[0]} and"
                f" {told[1]}."
            )
        return tally, other._kind

    def _whole(self) -> Tally:
        """Return all that is held; the lock must be."""
        counts = self._integers.counts()
        if isinstance(counts, ConfusionCounts):
            return add(self._tally, tally_of_counts(counts))
        dtype = np.dtype(np.bool_ if self._has_only_booleans else np.int64)
        column = Column(np.empty(0, np.int64), dtype)
        table, labels = square(counts, column, column)
        return add(self._tally, tally_of_counts(ConfusionCounts(table, labels, 0)))

    def _hold_no_integers(self) -> None:
        known = self._known_labels
        self._integers = GrowingTable() if known is None else FixedTable(known)
        self._has_only_booleans = True
        self._last_types = (None, None)


def _kind_of(dtype: np.dtype[Any]) -> str:
    return {"U": "strings", "O": "strings", "T": "strings", "m": "durations", "M": "dates"}.get(
        dtype.kind, "numbers"
    )
