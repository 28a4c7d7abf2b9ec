"""Split chosen rows of a table between items with different scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastkappa.arrays import Floats
from fastkappa.kernels.contract import ScoreKernels
from fastkappa.thresholds.items.scored_items import Places
from fastkappa.thresholds.items.sorted_scores import SortedScores


class OpenRows(NamedTuple):
    """Some rows of a table, and all items of these rows, sorted by score."""

    rows: NDArray[np.intp]
    items: SortedScores

    def starts(self, n_below: Places) -> Places:
        """Return the index in ``items`` of each row's first item, and the end of the last row."""
        starts = np.zeros(len(self.rows) + 1, np.int64)
        np.cumsum(n_below[self.rows + 1] - n_below[self.rows], out=starts[1:])
        return starts

    def split(
        self, kernels: ScoreKernels, prefix: Floats, n_below: Places
    ) -> tuple[Floats, Places]:
        """Split these rows at all distinct scores. Return the new ``prefix`` and ``n_below``."""
        starts, places = self.starts(n_below), self.items.distinct_places()
        below = self.items.prefix_at(kernels, places)
        first = np.searchsorted(places, starts)
        prefixes, numbers, done = [], [], 0
        # There is about one run of adjacent rows per cut, so whole runs are copied.
        begins = np.flatnonzero(np.diff(self.rows, prepend=-2) > 1).tolist()
        for start, stop in zip(begins, [*begins[1:], len(self.rows)]):
            row, inner = int(self.rows[start]), slice(first[start] + 1, first[stop])
            offset = prefix[:, row] - below[:, first[start]]
            prefixes += [prefix[:, done : row + 1], below[:, inner] + offset[:, None]]
            numbers += [n_below[done : row + 1], places[inner] + (n_below[row] - starts[start])]
            done = row + stop - start
        prefixes.append(prefix[:, done:])
        numbers.append(n_below[done:])
        return np.concatenate(prefixes, axis=1), np.concatenate(numbers)
