"""Count unweighted integer ratings directly in one table."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastkappa.accumulator.snapshot import NO_RATINGS, layered
from fastkappa.arrays import AnyArray
from fastkappa.kernels.contract import PairKernels
from fastkappa.ratings.read import RatedItems
from fastkappa.tables.codecs import NO_LABELS, label_type
from fastkappa.tables.count import ConfusionCounts
from fastkappa.tables.known_labels import KnownLabels
from fastkappa.tables.table import ConfusionTable, square
from fastkappa.tables.tally import Tally

# The longest batch that is counted in place. Longer batches are counted by several threads, into a
# separate table.
LONGEST = 1 << 20


class InPlace:
    """The table in which an accumulator counts short batches. The caller must hold the lock.

    Parameters
    ----------
    kernels : PairKernels
    given : ndarray of shape (l,) or None
        The labels given to the accumulator.
    """

    def __init__(self, kernels: PairKernels, given: AnyArray | None) -> None:
        self._kernels, self._given = kernels, given
        self._range = NO_LABELS
        if given is not None:
            # Only consecutive integer labels are counted in place.
            self._range = KnownLabels(given, NO_RATINGS, NO_RATINGS).as_range() or NO_LABELS
        self.clear()

    def clear(self) -> None:
        """Remove all items."""
        grows = self._given is None
        self._tally = Tally(self._kernels, (self._range, self._range), (grows, grows))
        self.look_again()

    def look_again(self) -> None:
        """Check the next batch even if it has the same types as the previous one."""
        self._last_types: tuple[np.dtype[Any], ...] = ()

    def add_again(self, first: AnyArray, second: AnyArray) -> bool:
        """Count the arrays without checks, or return False if their types have changed."""
        if (first.dtype, second.dtype) != self._last_types or first.ndim != 1 or second.ndim != 1:
            return False
        n_items = len(first)
        if n_items != len(second) or n_items > LONGEST:
            return False
        self._tally.add((first, second), 0, n_items, None, True)
        return True

    def takes(self, batch: RatedItems, widest: int) -> bool:
        """Return whether a batch can be counted in place.

        ``widest`` is the size, in bytes, of the widest integers allowed.
        """
        if batch.weights is not None:
            return False
        for column in batch.columns.values():
            values = column.values
            if column.categories is not None or column.label_dtype.kind not in "iu":
                return False
            if column.counts is not None:
                return False
            if values.dtype.itemsize > widest or len(values) > LONGEST or not self._holds(values):
                return False
        return True

    def _holds(self, values: AnyArray) -> bool:
        if self._given is None:
            return label_type(values) is np.int64
        return self._range.n_labels > 0 and self._range.fits(values)

    def add(self, batch: RatedItems) -> None:
        """Count a batch that `takes` accepted."""
        columns = batch.columns.values()
        first, second = [column.values for column in columns]
        self._tally.add((first, second), 0, len(first))
        # After an empty batch, the next batch must also be checked, because the labels are still
        # unknown.
        in_place = len(first) > 0 and self._tally.reads_in_place((first, second))
        self._last_types = (first.dtype, second.dtype) if in_place else ()

    def subtract(self, batch: RatedItems) -> bool:
        """Subtract a batch, or change nothing and return False if the batch was never added."""
        return self._tally.subtract([column.values for column in batch.columns.values()])

    def table(self) -> ConfusionTable | None:
        """Return the table of the items counted in place, or None.

        The result is None if the given labels do not allow any batch to be counted in place.
        """
        found = self._tally.finish()
        if self._given is None:
            return layered(ConfusionCounts(*square(found, NO_RATINGS, NO_RATINGS), 0))
        if self._range.n_labels == 0:
            return None
        return layered(ConfusionCounts(found.counts, self._given, found.n_outside))
