"""Apply the label order declared by the reference or a prediction to all predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray
from fastkappa.formatting import first_of_many
from fastkappa.kernels.dispatch import get_kernels
from fastkappa.leaderboards.items.many_columns import Counter, count_many
from fastkappa.leaderboards.items.reference import TRUTH, Pair
from fastkappa.ratings.column import Column, label_of
from fastkappa.ratings.label_order import LabelOrder, common_order, shown, warn_of_order
from fastkappa.ratings.read import judge_labels
from fastkappa.tables.count import tabulate
from fastkappa.tables.doubtful_tables import judge_tables, warn_of_unused_labels
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.table import ConfusionTable, union_of_labels
from fastkappa.tables.two_codings import two_codings

LABELS_SHOWN = 3
# A prediction probably contains ids if more than this many of its labels are not among the given
# labels.
LABELS_COMPARED = 20


# A set of sorted labels, and the names of the predictions that are scored with these labels.
Used = tuple[AnyArray, list[str]]


class OtherLabelsError(ValueError):
    """A prediction has labels that are not among the given labels.

    The attribute ``others`` describes these labels and contains their counts.
    """

    def __init__(self, name: str, others: str) -> None:
        super().__init__(
            f"{name} {others}. The prediction would be scored only on the remaining items. Use"
            " allow_other_labels=True to allow this."
        )
        self.others = others


class SharedOrder:
    """The labels for the tables of all predictions, either given or declared by a column.

    Predictions are read in batches. With ``refuse_late``, an error is raised if a prediction
    declares an order after other predictions were scored without one. Without
    ``allow_other_labels``, an error is raised if an item's true label is among the given labels but
    its predicted label is not.
    """

    def __init__(
        self,
        labels: Any,
        truth: Column,
        counter: Counter,
        *,
        refuse_late: bool,
        allow_other_labels: bool,
    ) -> None:
        self._counter = counter
        self._labels, self._refuse_late = labels, refuse_late
        self._allow_other_labels = allow_other_labels
        self._order = truth.declared if labels is None else None
        self._declared_by = TRUTH
        # Each set of labels in the tables so far, with the names of its predictions.
        self._found: dict[tuple[Any, ...], Used] = {}
        # The sum of all tables.
        self._total: AnyArray | int = 0
        # The largest number of items left out of a single table.
        self._most_outside = 0
        judge_labels({TRUTH: truth}, labels)

    def labels_of(self, names: Sequence[str], pairs: Sequence[tuple[Column, Column]]) -> Any:
        """Return the labels to use for these predictions, or None for all labels that occur."""
        order, declared_by = self._order, self._declared_by
        # All integer columns are checked together, because with few items, separate checks would
        # take longer than counting.
        whole = {TRUTH: pairs[0][0]} if pairs else {}
        for name, (first, second) in zip(names, pairs):
            if second.declared is None and second.label_dtype.kind in "iu":
                whole[name] = second
                continue
            judge_labels({TRUTH: first, name: second}, self._labels)
            if second.declared is None or self._labels is not None:
                continue
            if order is not None:
                common_order({declared_by: order, name: second.declared})
            elif self._found and self._refuse_late:
                raise ValueError(
                    f"{name} declares an order of its labels, but earlier predictions were"
                    f" scored without an order. Put {name} first, or pass labels=."
                )
            else:
                order, declared_by = second.declared, name
        if len(whole) > 1:
            judge_labels(whole, self._labels)
        return order if self._labels is None else self._labels

    @property
    def is_known(self) -> bool:
        """Whether labels are given or an order is declared."""
        return self._labels is not None or self._order is not None

    @property
    def sorted_labels(self) -> list[Used]:
        """The sets of labels of the tables so far, or an empty list if their order is known."""
        return [] if self.is_known else [*self._found.values()]

    def count(
        self,
        names: Sequence[str],
        pairs: Sequence[Pair],
        labels: Any,
        weights: AnyArray | None = None,
    ) -> Iterator[tuple[list[int], ConfusionTable, NDArray[np.int64]]]:
        """Count the predictions in batches, given the weights of all items.

        If every prediction has all items, there is one batch. Otherwise, each prediction forms a
        batch. For each batch, yield the indices of its predictions and the result of
        `_count_batch`.
        """
        every = list(range(len(pairs)))
        are_alike = bool(pairs) and all(pair.items is None for pair in pairs)
        for batch in [every] if are_alike else [[j] for j in every]:
            names_here, columns = [names[j] for j in batch], [pairs[j].columns for j in batch]
            items = pairs[batch[0]].items
            own = weights if weights is None or items is None else weights[items]
            if own is None or own.any():
                table, n_other = self._count_batch(names_here, columns, labels, own)
            else:
                # The weights are valid, but all items of this prediction have weight 0. The table
                # of this prediction is empty, and its kappa is undefined.
                table, n_other = self._count_batch(names_here, columns, labels)
                dtype = np.float64 if own.dtype.kind == "f" else np.int64
                table = table._replace(sums=np.zeros(table.counts.shape, dtype))
            yield batch, table, n_other

    def _count_batch(
        self,
        names: Sequence[str],
        pairs: Sequence[tuple[Column, Column]],
        labels: Any,
        weights: AnyArray | None = None,
    ) -> tuple[ConfusionTable, NDArray[np.int64]]:
        """Count one table per prediction, or raise if other labels occur that are not allowed.

        The returned array contains, for each prediction, the number of items whose predicted label
        is not among ``labels``, although their true label is.
        """
        table, n_other = count_many(self._counter, pairs, labels, weights)
        if self._labels is not None:
            if not self._allow_other_labels:
                for j in np.flatnonzero(n_other)[:1].tolist():
                    raise OtherLabelsError(names[j], _others(self._labels, pairs[j], names[j]))
            total = table.counts if table.sums is None else table.sums
            self._total = self._total + total.sum(axis=0)
            self._most_outside = max(self._most_outside, int(table.n_outside.max(initial=0)))
        if isinstance(labels, LabelOrder):
            for j in np.flatnonzero(table.n_outside).tolist():
                first, second = pairs[j]
                known = KnownLabels(labels, first, second)
                known.refuse_outside({TRUTH: first, names[j]: second})
            if self._order is None:
                self._order = labels
                self._declared_by = next(
                    name for name, (_, second) in zip(names, pairs) if second.declared is not None
                )
        judge_tables(table.rows, table.counts, pairs, TRUTH, names, are_given=labels is not None)
        present = np.logical_or(table.counts.any(axis=1), table.counts.any(axis=2))
        for name, own in zip(names, np.ones_like(present) if self.is_known else present):
            used = table.rows[own]
            self._found.setdefault(tuple(used.tolist()), (used, []))[1].append(name)
        return table, n_other

    def warn(self, why: str | None, stacklevel: int) -> None:
        """Warn if an alphabetical label order was assumed, or if given labels do not occur.

        ``why`` says why the order of the labels matters. It is None if the order does not matter.
        Given labels that do not occur are reported only if items with other labels were left out.
        """
        found = [*self._found.values()]
        if not isinstance(self._total, int):
            warn_of_unused_labels(found[0][0], self._total, self._most_outside)
        if why is None:
            return
        for own, of in [(found[0][0], "")] if self.is_known and found else scales_of(found):
            warn_of_order(own, why, stacklevel + 1, is_known=self.is_known, of=of)


def scales_of(found: Sequence[Used]) -> list[tuple[AnyArray, str]]:
    """Return the sets of labels whose order must be checked, each with its predictions as text.

    Each prediction is scored with its own labels and those of the truth. Numbers are therefore
    checked separately for each set of labels. Strings are checked only once, for the union of the
    sets, because the order of two strings is the same in every set.
    """
    users: dict[tuple[Any, ...], list[str]] = {}
    for own, names in found:
        users.setdefault(tuple(own.tolist()), []).extend(names)
    union = union_of_labels([own for own, _ in found]) if found else np.empty(0)
    if len(users) < 2 or union.dtype.kind not in "iuf":
        return [(union, "")] * bool(found)
    named = {
        own: first_of_many([*dict.fromkeys(names)], LABELS_SHOWN) for own, names in users.items()
    }
    return [(np.array(own), f" of {of}") for own, of in named.items()]


def _others(labels: Any, pair: tuple[Column, Column], name: str) -> str:
    """Describe the predicted labels that are not among the given labels, with their counts.

    If the prediction seems to name or number the labels differently, the description says so.
    """
    first, second = pair
    known = KnownLabels(labels, first, second)
    is_known, is_among = (known.encode(column).places(column.values) >= 0 for column in pair)
    places = np.flatnonzero(is_known & ~is_among)
    _, firsts, counts = np.unique(second.values[places], return_index=True, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:LABELS_SHOWN]
    named = [f"{label_of(second, int(places[firsts[i]]))} ({counts[i]})" for i in most.tolist()]
    more = ", ..." if len(counts) > LABELS_SHOWN else ""
    others = (
        f"has labels other than {shown(known.array)} for {len(places)} of {len(second.values)}"
        f" items: {', '.join(named)}{more}"
    )
    hint = None
    if len(counts) <= LABELS_COMPARED:
        first, second = (column._replace(values=column.values[is_known]) for column in pair)
        all_counts = tabulate(get_kernels(), first, second, None, None)
        hint = two_codings(all_counts.labels, all_counts.table, (TRUTH, name), are_given=True)
    return others if hint is None else f"{others}; {hint.rstrip('.')}"
