"""Integer labels that lie too far apart for a table of their whole range."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import AnyArray

# A span of labels up to this one has a look-up table, 4 MB at most; a wider one is searched.
LARGEST_LOOKUP = 1 << 20


class LabelMap:
    """Gives labels codes 0, 1, 2, ..., in the order in which they were learnt."""

    def __init__(self, dtype: type[np.int64] | type[np.uint64]) -> None:
        self._sorted: AnyArray = np.empty(0, dtype)
        self._code = np.empty(0, np.int32)
        self._lookup: NDArray[np.int32] | None = None

    @property
    def n_labels(self) -> int:
        """How many labels have a code."""
        return len(self._sorted)

    def labels_by_code(self) -> AnyArray:
        """Return the labels, label i being that of code i."""
        return self._sorted[np.argsort(self._code)]

    def codes(self, values: AnyArray) -> NDArray[np.int32]:
        """Return the codes of the values, ``self.n_labels`` for one that is no label."""
        n_labels = np.int32(self.n_labels)
        if n_labels == 0:
            return np.zeros(len(values), np.int32)
        values = values.astype(self._sorted.dtype, copy=False)
        lowest, highest = self._sorted[0], self._sorted[-1]
        inside = (values >= lowest) & (values <= highest)
        if self._lookup is not None:
            offset = np.where(inside, values, lowest) - lowest
            return np.where(inside, self._lookup[offset.astype(np.intp)], n_labels)
        place = np.minimum(np.searchsorted(self._sorted, values), n_labels - 1)
        return np.where(self._sorted[place] == values, self._code[place], n_labels)

    def learn(self, values: AnyArray) -> NDArray[np.int32]:
        """Return the codes of the values, those that are not known yet getting new ones."""
        codes = self.codes(values)
        unknown = codes == self.n_labels
        if unknown.any():
            self.add(np.unique(values[unknown]))
            codes = self.codes(values)
        return codes

    def add(self, labels: AnyArray) -> None:
        """Give new labels the next codes."""
        new = np.arange(self.n_labels, self.n_labels + len(labels), dtype=np.int32)
        together = np.concatenate([self._sorted, labels.astype(self._sorted.dtype)])
        order = np.argsort(together)
        self._sorted, self._code = together[order], np.concatenate([self._code, new])[order]
        self._lookup = None
        span = int(self._sorted[-1]) - int(self._sorted[0]) + 1
        if span <= LARGEST_LOOKUP:
            self._lookup = np.full(span, self.n_labels, np.int32)
            self._lookup[(self._sorted - self._sorted[0]).astype(np.intp)] = self._code
