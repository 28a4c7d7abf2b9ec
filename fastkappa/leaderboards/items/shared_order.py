"""The order of labels that the reference or a prediction declares, which is that of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastkappa.arrays import AnyArray
from fastkappa.columns.column import Column
from fastkappa.columns.label_order import LabelOrder, common_order, warn_of_order
from fastkappa.columns.odd_strings import refuse_odd_strings, warn_of_lookalikes
from fastkappa.counting.known_labels import KnownLabels
from fastkappa.counting.table import union_of_labels
from fastkappa.leaderboards.items.stacks import Tables

TRUTH = "y_true"


class SharedOrder:
    """The labels of the tables of all predictions: those given, else the order declared.

    Predictions come a batch at a time. ``refuse_late`` says that an order that is declared
    after others were scored without it is a mistake.
    """

    def __init__(self, labels: Any, truth: Column, *, refuse_late: bool) -> None:
        self._labels, self._refuse_late = labels, refuse_late
        self._order = truth.declared if labels is None else None
        self._declared_by = TRUTH
        self._found: list[AnyArray] = []
        if labels is None:
            refuse_odd_strings(truth, TRUTH)

    def labels_of(self, names: Sequence[str], pairs: Sequence[tuple[Column, Column]]) -> Any:
        """Return the labels of the tables of some predictions, None for those that occur."""
        if self._labels is not None:
            return self._labels
        order, declared_by = self._order, self._declared_by
        for name, (first, second) in zip(names, pairs):
            refuse_odd_strings(second, name)
            if second.categories is not None:
                warn_of_lookalikes({TRUTH: first, name: second})
            if second.declared is None:
                continue
            if order is not None:
                common_order({declared_by: order, name: second.declared})
            elif self._found and self._refuse_late:
                raise ValueError(
                    f"{name} declares an order of its labels, but the predictions before it were"
                    " scored without one: put it first, or give labels=."
                )
            else:
                order, declared_by = second.declared, name
        return order

    def accept(
        self,
        labels: Any,
        names: Sequence[str],
        pairs: Sequence[tuple[Column, Column]],
        tables: Tables,
    ) -> None:
        """Take the tables on these labels, or raise for a rating outside a declared order."""
        if isinstance(labels, LabelOrder):
            for j in np.flatnonzero(tables.n_outside).tolist():
                first, second = pairs[j]
                known = KnownLabels(labels, first, second)
                known.refuse_outside({TRUTH: first, names[j]: second})
            if self._order is None:
                self._order = labels
                self._declared_by = next(
                    name for name, (_, second) in zip(names, pairs) if second.declared is not None
                )
        self._found.append(tables.labels)

    def warn(self, why: str | None, stacklevel: int) -> None:
        """Warn if something, ``why``, depends on an alphabetical order of the labels."""
        is_known = self._labels is not None or self._order is not None
        if why is not None and not is_known and self._found:
            warn_of_order(union_of_labels(self._found), why, stacklevel + 1)
